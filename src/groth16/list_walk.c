/* list_walk.c: see list_walk.h. */
#include "groth16/list_walk.h"

#include <stdlib.h>

#include "base/bytes.h"

enum { DEFAULT_CHUNK = 1 << 17 };

static uint64_t density_word(const cz_list_part *part, size_t word)
{
    size_t left = part->n - 64 * word;
    uint64_t all = left >= 64 ? UINT64_MAX : ((uint64_t)1 << left) - 1;

    return part->density == NULL ? all : part->density[word] & all;
}

static unsigned bits_in(uint64_t w)
{
    return (unsigned)__builtin_popcountll(w);
}

uint64_t cz_list_sum_points(const cz_list_sum *job)
{
    uint64_t n = 0;

    for (unsigned p = 0; p < job->n_parts; p++)
        for (size_t w = 0; 64 * w < job->parts[p].n; w++)
            n += bits_in(density_word(&job->parts[p], w));
    return n;
}

size_t cz_list_walk_tail_total(const cz_list_sum *job)
{
    size_t n = 0;

    for (unsigned p = 0; p < job->n_parts; p++)
        for (size_t w = 0; 64 * w < job->parts[p].n; w++)
            n += bits_in(density_word(&job->parts[p], w) & job->parts[p].split->tail[w]);
    return n;
}

size_t cz_list_walk_chunk(size_t chunk)
{
    return chunk == 0 ? DEFAULT_CHUNK : chunk;
}

size_t cz_list_walk_bytes(size_t chunk)
{
    return chunk * (2 * sizeof(uint32_t) + sizeof(cz_u256));
}

/* What the job says, but no more than the parts fill. */
static size_t chunk_of(const cz_list_sum *job)
{
    const size_t most = cz_list_walk_chunk(job->chunk);
    size_t n = 64;

    for (unsigned p = 0; p < job->n_parts; p++)
        n += (job->parts[p].n + 63) / 64 * 64;
    return n < most ? n : most;
}

cz_err cz_list_walk_begin(cz_list_walk *walk, const cz_list_sum *job)
{
    *walk = (cz_list_walk){.job = job, .chunk = chunk_of(job)};
    walk->ones = malloc(walk->chunk * sizeof *walk->ones);
    walk->tail = malloc(walk->chunk * sizeof *walk->tail);
    walk->scalars = malloc(walk->chunk * sizeof *walk->scalars);
    if (walk->ones == NULL || walk->tail == NULL || walk->scalars == NULL) {
        cz_list_walk_end(walk);
        return cz_fail(CZ_E_NOMEM, "no memory to walk a list");
    }
    return CZ_OK;
}

void cz_list_walk_end(cz_list_walk *walk)
{
    if (walk->ones != NULL)
        cz_secure_zero(walk->ones, walk->chunk * sizeof *walk->ones);
    if (walk->tail != NULL)
        cz_secure_zero(walk->tail, walk->chunk * sizeof *walk->tail);
    if (walk->scalars != NULL)
        cz_secure_zero(walk->scalars, walk->chunk * sizeof *walk->scalars);
    free(walk->ones);
    free(walk->tail);
    free(walk->scalars);
    *walk = (cz_list_walk){0};
}

/* Where in `values`, from the word's first one, the value of bit b is; `below` are the bits below
 * b.
 */
static unsigned rank_of_value(const cz_list_walk *walk, const cz_list_part *part, uint64_t below)
{
    return bits_in(part->classes == NULL ? below : below & ~part->classes[walk->word]);
}

/* The list position of bit `bit` of a word is the point before the word plus its rank in it. */
static void take_word(cz_list_walk *walk, const cz_list_part *part, uint64_t density)
{
    uint64_t ones = part->split->ones[walk->word] & density;
    uint64_t tail = part->split->tail[walk->word] & density;

    for (; ones != 0; ones &= ones - 1) {
        uint64_t below = (ones & -ones) - 1;

        walk->ones[walk->n_ones++] = walk->point + bits_in(density & below);
    }
    for (; tail != 0; tail &= tail - 1) {
        uint64_t below = (tail & -tail) - 1;
        size_t k = walk->value + rank_of_value(walk, part, below);

        walk->tail[walk->n_tail] = walk->point + bits_in(density & below);
        cz_fr_to_u256(&walk->scalars[walk->n_tail], &part->values[k]);
        walk->n_tail++;
    }
    walk->point += bits_in(density);
    walk->value += rank_of_value(walk, part, UINT64_MAX);
}

bool cz_list_walk_next(cz_list_walk *walk)
{
    const cz_list_sum *job = walk->job;
    uint32_t first = walk->point;

    walk->n_ones = 0;
    walk->n_tail = 0;
    while (walk->part < job->n_parts) {
        const cz_list_part *part = &job->parts[walk->part];

        for (; 64 * walk->word < part->n; walk->word++) {
            if (walk->n_ones + 64 > walk->chunk || walk->n_tail + 64 > walk->chunk)
                goto full;
            take_word(walk, part, density_word(part, walk->word));
        }
        walk->part++;
        walk->word = 0;
        walk->value = 0;
    }
full:
    return walk->point > first;
}
