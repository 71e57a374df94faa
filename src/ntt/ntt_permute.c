/* ntt_permute.c: bit reversal in place, a block at a time.
 *
 * Write an index as [a | middle | c] with a and c of q bits. The elements of a fixed middle, 2^q
 * runs of 2^q neighbours, change places with those of rev(middle): element [a | middle | c] with
 * [rev(c) | rev(middle) | rev(a)]. Whole runs are read and written, so that every cache line that
 * is touched is used up [CG98]. The next blocks are fetched ahead: their lines lie far apart and no
 * hardware predicts them; that halves the time.
 *
 * [CG98] L. Carter, K. S. Gatlin, Towards an optimal bit-reversal permutation program, FOCS 1998.
 */
#include <string.h>

#include "ntt/ntt_forms.h"

enum { RUN_BITS = 3, RUN = 1 << RUN_BITS, LINE = 64 / sizeof(cz_fr), GRAIN = 64 };

static const uint8_t rev_run[RUN] = {0, 4, 2, 6, 1, 5, 3, 7};

typedef struct {
    cz_fr *xs;
    unsigned middle_bits;
} permutation;

static cz_fr *run_of(const permutation *p, size_t a, size_t middle)
{
    return p->xs + (a << (p->middle_bits + RUN_BITS)) + middle * RUN;
}

static void prefetch_block(const permutation *p, size_t middle)
{
    for (size_t a = 0; a < RUN; a++)
        for (size_t c = 0; c < RUN; c += LINE)
            __builtin_prefetch(run_of(p, a, middle) + c, 1);
}

/* The block of a middle, transposed and with a and c reversed. */
static void read_block(cz_fr block[RUN][RUN], const permutation *p, size_t middle)
{
    for (size_t a = 0; a < RUN; a++) {
        const cz_fr *run = run_of(p, a, middle);

        for (size_t c = 0; c < RUN; c++)
            block[rev_run[c]][rev_run[a]] = run[c];
    }
}

static void write_block(const permutation *p, size_t middle, cz_fr block[RUN][RUN])
{
    for (size_t a = 0; a < RUN; a++)
        memcpy(run_of(p, a, middle), block[a], sizeof block[a]);
}

/* The first middle from here on that is not above its mirror image, or `end`. */
static size_t next_middle(const permutation *p, size_t middle, size_t end)
{
    while (middle < end && middle > cz_ntt_rev(middle, p->middle_bits))
        middle++;
    return middle;
}

static cz_err swap_blocks(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const permutation *p = ctx;
    cz_fr here[RUN][RUN], there[RUN][RUN];
    size_t next;

    (void)worker;
    for (size_t middle = next_middle(p, begin, end); middle < end; middle = next) {
        size_t mirrored = cz_ntt_rev(middle, p->middle_bits);

        next = next_middle(p, middle + 1, end);
        if (next < end) {
            prefetch_block(p, next);
            prefetch_block(p, cz_ntt_rev(next, p->middle_bits));
        }
        read_block(here, p, middle);
        read_block(there, p, mirrored);
        write_block(p, mirrored, here);
        write_block(p, middle, there);
    }
    return CZ_OK;
}

static void swap_singly(cz_fr *xs, unsigned log_n)
{
    for (size_t i = 0; i < (size_t)1 << log_n; i++) {
        size_t r = cz_ntt_rev(i, log_n);
        cz_fr t = xs[i];

        if (i >= r)
            continue;
        xs[i] = xs[r];
        xs[r] = t;
    }
}

cz_err cz_ntt_bit_reverse(cz_pool *pool, cz_fr *xs, unsigned log_n)
{
    permutation p = {xs, log_n - 2 * RUN_BITS};

    if (log_n >= 2 * RUN_BITS)
        return cz_parallel_for(pool, (size_t)1 << p.middle_bits, GRAIN, swap_blocks, &p);
    swap_singly(xs, log_n);
    return CZ_OK;
}
