/* poseidon_device.h: a Poseidon permutation with all that a circuit allocates for it, on CUDA
 * devices; the same text runs on the host for tests.
 *
 * Same values as cz_poseidon_witness_many (poseidon_many.h), in its order. Method: the optimised
 * schedule of poseidon.h, one permutation a thread, as one loop over rounds: each kind of product
 * stands once in the text, so that the loop stays in the instruction cache. What enters an S-box is
 * canonical, for it is stored; sums in between are lazy (fr_device.h). Constants are read by all
 * threads of a warp at once.
 *
 * Cost: 7 width^2 + width products for the full rounds' layers, 2 width - 1 for a partial one's and
 * 3 an S-box: 578, 972, 1,932 for arities 2, 4, 8 (width 3, 5, 9). */
#ifndef CZ_HASH_POSEIDON_DEVICE_H
#define CZ_HASH_POSEIDON_DEVICE_H

#include <stddef.h>

#include "field/fr_device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CZ_POSEIDON_DEVICE_WIDTH = 9, /* the largest */
    CZ_POSEIDON_DEVICE_HALF = 4   /* full rounds before and after the partial ones */
};

/* Constants of one arity: one vector, in this order (poseidon_gpu.h). */
typedef struct {
    uint32_t width, partial_rounds;
    const cz_fr32 *tag;
    const cz_fr32 *compressed; /* 8 width + partial_rounds */
    const cz_fr32 *mds;        /* width x width */
    const cz_fr32 *pre_sparse; /* the same */
    const cz_fr32 *sparse;     /* width of w_hat and width - 1 of v_rest, a partial round */
} cz_poseidon_device;

/* ---- steps ---- */

/* x = x^5 + *key (NULL: 0), canonical; x lazy. The four values go to *to; `first` (of the first
 * round): all but x itself, for it is no variable. */
CZ_DEV void cz_poseidon_sbox(cz_fr32 *x, const cz_fr32 *key, cz_fr32 *to, int first)
{
    uint32_t base[8], power[8], k[8];

    cz_fr32_canonical(base, x->v);
    if (!first)
        cz_fr32_write(to++, base);
    cz_fr32_mul_canonical(power, base, base);
    cz_fr32_write(to++, power);
    cz_fr32_mul_canonical(power, power, power);
    cz_fr32_write(to++, power);
    cz_fr32_mul(base, power, base);
    if (key != NULL) {
        cz_fr32_read(k, key);
        cz_fr32_add_lazy(base, base, k);
    }
    cz_fr32_canonical(x->v, base);
    cz_fr32_write(to, x->v);
}

/* *sum = sum of x[i] c[i step], lazy; x lazy, not *sum. */
CZ_DEV void cz_poseidon_dot(uint32_t *sum, const cz_fr32 *x, const cz_fr32 *c, uint32_t step,
                            uint32_t n)
{
    uint32_t factor[8], product[8];

    for (int i = 0; i < 8; i++)
        sum[i] = 0;
    for (uint32_t i = 0; i < n; i++) {
        cz_fr32_read(factor, &c[i * step]);
        cz_fr32_mul(product, x[i].v, factor);
        cz_fr32_add_lazy(sum, sum, product);
    }
}

/* x = x m, of which columns [from, to) are wanted; lazy. */
CZ_DEV void cz_poseidon_mix_dense(cz_fr32 *x, const cz_fr32 *m, uint32_t width, uint32_t from,
                                  uint32_t to)
{
    cz_fr32 mixed[CZ_POSEIDON_DEVICE_WIDTH];

    for (uint32_t j = from; j < to; j++)
        cz_poseidon_dot(mixed[j].v, x, m + j, width, width);
    for (uint32_t j = from; j < to; j++)
        x[j] = mixed[j];
}

/* x[0] is canonical; lazy. */
CZ_DEV void cz_poseidon_mix_sparse(cz_fr32 *x, const cz_fr32 *m, uint32_t width)
{
    uint32_t first[8], factor[8];

    cz_poseidon_dot(first, x, m, 1, width);
    for (uint32_t i = 1; i < width; i++) {
        cz_fr32_read(factor, &m[width + i - 1]);
        cz_fr32_mul(factor, x[0].v, factor);
        cz_fr32_add_lazy(x[i].v, x[i].v, factor);
    }
    cz_limbs_copy(x[0].v, first, 8);
}

/* ---- the permutation ---- */

/** Elements of the witness of a permutation of that arity. */
CZ_DEV uint32_t cz_poseidon_device_size(const cz_poseidon_device *k)
{
    return 3 * (k->width - 1) + 4 * (7 * k->width + k->partial_rounds) + 1;
}

/* What the S-boxes of round r put out; behind them. The tag's S-box, the very first, has no
 * variables: it writes where the second one does, which follows. */
CZ_DEV cz_fr32 *cz_poseidon_sboxes(cz_fr32 *x, const cz_fr32 *keys, cz_fr32 *to, uint32_t r,
                                   uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        cz_poseidon_sbox(&x[i], keys != NULL ? &keys[i] : NULL, to, r == 0);
        if (r > 0 || i > 0)
            to += r > 0 ? 4 : 3;
    }
    return to;
}

/** The witness of the permutation of x (the tag and the preimage, canonical; used up) into `to`,
 * cz_poseidon_device_size elements, aligned to 16 bytes; the digest, its last element, into *digest
 * besides. */
CZ_DEV void cz_poseidon_device_witness(cz_fr32 *digest, cz_fr32 *to, cz_fr32 *x,
                                       const cz_poseidon_device *k)
{
    const uint32_t width = k->width, last = 2 * CZ_POSEIDON_DEVICE_HALF + k->partial_rounds - 1;
    const cz_fr32 *keys = k->compressed, *sparse = k->sparse;
    uint32_t key[8];

    for (uint32_t i = 0; i < width; i++) {
        cz_fr32_read(key, keys++);
        cz_fr32_add_lazy(x[i].v, x[i].v, key);
    }
    for (uint32_t r = 0; r <= last; r++) {
        const uint32_t partial = r - CZ_POSEIDON_DEVICE_HALF; /* modulo 2^32 */
        const uint32_t n = partial < k->partial_rounds ? 1 : width;

        to = cz_poseidon_sboxes(x, r < last ? keys : NULL, to, r, n);
        keys += n;
        if (n == 1) {
            cz_poseidon_mix_sparse(x, sparse, width);
            sparse += 2 * width - 1;
        } else {
            cz_poseidon_mix_dense(x, r == CZ_POSEIDON_DEVICE_HALF - 1 ? k->pre_sparse : k->mds,
                                  width, r < last ? 0 : 1, r < last ? width : 2);
        }
    }
    cz_fr32_canonical(digest->v, x[1].v);
    cz_fr32_write(to, digest->v);
}

#ifdef __cplusplus
}
#endif
#endif
