/* device_list.c: see device_list.h. */
#include "groth16/device_list.h"

#include <stdlib.h>

#include "params/points_gpu.h"

static uint32_t count(uint64_t word)
{
    return (uint32_t)__builtin_popcountll(word);
}

static uint32_t n_inputs(const cz_device_list_vars *vars)
{
    return vars->has_inputs ? cz_compiled_view(vars->circuit)->header->n_inputs : 0;
}

static bool input_has_point(const cz_device_list_vars *vars, uint32_t k)
{
    return vars->dens_input == NULL || (vars->dens_input[k / 64] >> k % 64 & 1);
}

/* The aux variables of a word that have a point. */
static uint64_t density_word(const cz_device_list_vars *vars, uint32_t word)
{
    const uint64_t left = cz_compiled_view(vars->circuit)->header->n_aux - (uint64_t)64 * word;
    const uint64_t all = left >= 64 ? UINT64_MAX : ((uint64_t)1 << left) - 1;

    return vars->dens_aux == NULL ? all : vars->dens_aux[word] & all;
}

static void count_points(cz_device_list *list, const cz_device_list_vars *vars)
{
    const uint64_t *classes = cz_compiled_classes(vars->circuit);

    for (uint32_t k = 0; k < n_inputs(vars); k++)
        list->n_inputs += input_has_point(vars, k);
    list->n_tail = list->n_inputs;
    for (uint32_t w = 0; w < list->n_words; w++) {
        const uint64_t dense = density_word(vars, w);

        list->dense[w] = dense;
        list->mask[w] = dense & classes[w];
        list->before[w] = (uint32_t)(list->n_bits + list->n_tail);
        list->ranks[w] = (uint32_t)list->n_bits;
        list->n_bits += count(list->mask[w]);
        list->n_tail += count(dense & ~classes[w]);
    }
}

static void number_tail(cz_device_list *list, const cz_device_list_vars *vars)
{
    const cz_compiled_header *h = cz_compiled_view(vars->circuit)->header;
    const uint64_t *classes = cz_compiled_classes(vars->circuit);
    uint32_t *at = list->tail_at, value = h->n_inputs;

    for (uint32_t k = 0; k < n_inputs(vars); k++)
        if (input_has_point(vars, k))
            *at++ = k;
    for (uint32_t w = 0; w < list->n_words; w++) {
        const uint64_t dense = density_word(vars, w);
        const uint64_t left = h->n_aux - (uint64_t)64 * w;
        uint64_t fields = ~classes[w] & (left >= 64 ? UINT64_MAX : ((uint64_t)1 << left) - 1);

        for (; fields != 0; fields &= fields - 1, value++)
            if (dense & fields & -fields)
                *at++ = value;
    }
}

cz_err cz_device_list_make(cz_device_list *out, const cz_device_list_vars *vars)
{
    cz_device_list list = {.n_words =
                               ((size_t)cz_compiled_view(vars->circuit)->header->n_aux + 63) / 64};

    list.mask = malloc((list.n_words + 1) * sizeof *list.mask);
    list.ranks = malloc((list.n_words + 1) * sizeof *list.ranks);
    list.dense = malloc((list.n_words + 1) * sizeof *list.dense);
    list.before = malloc((list.n_words + 1) * sizeof *list.before);
    if (list.mask != NULL && list.ranks != NULL && list.dense != NULL && list.before != NULL) {
        count_points(&list, vars);
        list.tail_at = malloc((list.n_tail + 1) * sizeof *list.tail_at);
    }
    if (list.tail_at == NULL) {
        cz_device_list_clear(&list);
        return cz_fail(CZ_E_NOMEM, "%s: no memory to plan a list", cz_compiled_id(vars->circuit));
    }
    number_tail(&list, vars);
    *out = list;
    return CZ_OK;
}

void cz_device_list_clear(cz_device_list *list)
{
    free(list->mask);
    free(list->dense);
    free(list->before);
    free(list->ranks);
    free(list->tail_at);
    *list = (cz_device_list){0};
}

/* ---- chunks ---- */

/* Number p of a list's points, and what lies before it. */
typedef struct {
    uint32_t word, bits;
} cut;

/* The lowest n set bits. */
static uint64_t lowest_bits(uint64_t v, uint32_t n)
{
    uint64_t left = v;

    while (n-- > 0)
        left &= left - 1;
    return v & ~left;
}

/* p is a point of an aux variable, or one past the last. */
static cut cut_at(const cz_device_list *list, size_t p)
{
    size_t low = 0, high = list->n_words;

    if (p <= list->n_inputs || list->n_words == 0)
        return (cut){0, 0};
    while (high - low > 1) { /* the last word with fewer than p points before it */
        const size_t middle = low + (high - low) / 2;

        if (list->before[middle] < p)
            low = middle;
        else
            high = middle;
    }
    return (cut){(uint32_t)low,
                 list->ranks[low] +
                     count(list->mask[low] &
                           lowest_bits(list->dense[low], (uint32_t)p - list->before[low]))};
}

static cz_device_chunk chunk_of(const cz_device_list *list, size_t first, size_t end)
{
    const cut from = cut_at(list, first), to = cut_at(list, end);
    cz_device_chunk c = {.first = (uint32_t)first,
                         .n = (uint32_t)(end - first),
                         .first_word = from.word,
                         .first_bit = from.bits,
                         .n_bits = to.bits - from.bits,
                         .first_tail = (uint32_t)first - from.bits};

    c.n_tail = c.n - c.n_bits;
    if (first < list->n_inputs)
        c.n_inputs = end < list->n_inputs ? c.n : list->n_inputs - c.first;
    if (end > list->n_inputs)
        c.n_words = to.word - from.word + 1;
    return c;
}

cz_err cz_device_list_chunks(cz_device_chunk **out, size_t *n, const cz_device_list *list,
                             size_t points, size_t tail_points)
{
    const size_t all = list->n_bits + list->n_tail, most = (all + points - 1) / points;
    cz_device_chunk *chunks = malloc((most + 1) * sizeof *chunks);
    uint32_t begin = 0;

    if (chunks == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to cut a list into chunks");
    for (size_t i = 0; i < most; i++) {
        const size_t first = i * points;
        cz_device_chunk *c = &chunks[i];

        *c = chunk_of(list, first, all - first < points ? all : first + points);
        if (c->first_tail + c->n_tail - begin > tail_points) {
            chunks[i - 1].sum_tail = true;
            begin = c->first_tail;
        }
        c->tail_begin = begin;
    }
    if (most > 0)
        chunks[most - 1].sum_tail = true;
    *out = chunks;
    *n = most;
    return CZ_OK;
}

/* ---- places ---- */

static void enter_word(cz_device_places *p)
{
    if ((uint64_t)64 * p->word >= cz_compiled_view(p->vars->circuit)->header->n_aux)
        return;
    p->left = density_word(p->vars, p->word);
    p->classes = cz_compiled_classes(p->vars->circuit)[p->word];
}

cz_device_places cz_device_places_begin(const cz_device_list_vars *vars)
{
    cz_device_places p = {.vars = vars};

    enter_word(&p);
    return p;
}

static uint32_t next_place(cz_device_places *p)
{
    uint32_t inputs = n_inputs(p->vars);
    uint64_t lowest;

    while (p->input < inputs)
        if (input_has_point(p->vars, p->input++))
            return p->next_tail++ | CZ_POINTS_PART1;
    while (p->left == 0) { /* the list is not longer than its variables, so there is one more */
        p->word++;
        enter_word(p);
    }
    lowest = p->left & -p->left;
    p->left ^= lowest;
    return p->classes & lowest ? p->next_bit++ : p->next_tail++ | CZ_POINTS_PART1;
}

void cz_device_places_fill(void *ctx, uint32_t *to, size_t first, size_t n)
{
    cz_device_places *p = ctx;

    (void)first; /* chunks come in order */
    for (size_t i = 0; i < n; i++)
        to[i] = next_place(p);
}
