/* ntt_permute.c: bit reversal in place, a block at a time.
 *
 * Write an index as [a | middle | c] with a and c of q bits. The elements of a fixed middle, 2^q
 * runs of 2^q neighbours, change places with those of rev(middle): element [a | middle | c] with
 * [rev(c) | rev(middle) | rev(a)]. Whole runs are read and written, so that every cache line that
 * is touched is used up [COBRA: Carter, Gatlin, Towards an optimal bit-reversal permutation
 * program, 1998]. */
#include <string.h>

#include "ntt/ntt_forms.h"

enum { RUN_BITS = 4, RUN = 1 << RUN_BITS, GRAIN = 64 };

typedef struct {
    cz_fr *xs;
    unsigned middle_bits;
} permutation;

/* The block of a middle, transposed and with a and c reversed. */
static void read_block(cz_fr block[RUN][RUN], const permutation *p, size_t middle)
{
    const size_t stride = (size_t)1 << (p->middle_bits + RUN_BITS);

    for (size_t a = 0; a < RUN; a++) {
        const cz_fr *run = p->xs + a * stride + middle * RUN;

        for (size_t c = 0; c < RUN; c++)
            block[cz_ntt_rev(c, RUN_BITS)][cz_ntt_rev(a, RUN_BITS)] = run[c];
    }
}

static void write_block(const permutation *p, size_t middle, cz_fr block[RUN][RUN])
{
    const size_t stride = (size_t)1 << (p->middle_bits + RUN_BITS);

    for (size_t a = 0; a < RUN; a++)
        memcpy(p->xs + a * stride + middle * RUN, block[a], sizeof block[a]);
}

static cz_err swap_blocks(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const permutation *p = ctx;
    cz_fr here[RUN][RUN], there[RUN][RUN];

    (void)worker;
    for (size_t middle = begin; middle < end; middle++) {
        size_t mirrored = cz_ntt_rev(middle, p->middle_bits);

        if (middle > mirrored)
            continue;
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
