/* poseidon.c: the permutation in the optimised form; see poseidon.h and poseidon_constants.c.
 * Reference: poseidon_ref.c. */
#include "hash/poseidon.h"

typedef cz_fr state_vector[CZ_POSEIDON_MAX_WIDTH];

/* The permutation under way: its state and the compressed constants not yet used. */
typedef struct {
    const cz_poseidon_constants *k;
    const cz_fr *keys;
    state_vector x;
} permutation;

/* x^5 + key */
static void sbox(cz_fr *x, const cz_fr *key)
{
    cz_fr x4;

    cz_fr_sqr(&x4, x);
    cz_fr_sqr(&x4, &x4);
    cz_fr_mul(x, x, &x4);
    cz_fr_add(x, x, key);
}

static void add_product(cz_fr *acc, const cz_fr *a, const cz_fr *b)
{
    cz_fr t;

    cz_fr_mul(&t, a, b);
    cz_fr_add(acc, acc, &t);
}

/* x = x m */
static void mix_dense(permutation *p, const cz_fr *m)
{
    unsigned t = p->k->width;
    state_vector mixed;

    for (unsigned j = 0; j < t; j++) {
        cz_fr_mul(&mixed[j], &p->x[0], &m[j]);
        for (unsigned i = 1; i < t; i++)
            add_product(&mixed[j], &p->x[i], &m[i * t + j]);
    }
    memcpy(p->x, mixed, t * sizeof mixed[0]);
}

static void mix_sparse(permutation *p, const cz_poseidon_sparse *m)
{
    unsigned t = p->k->width;
    cz_fr first;

    cz_fr_mul(&first, &p->x[0], &m->w_hat[0]);
    for (unsigned i = 1; i < t; i++) {
        add_product(&first, &p->x[i], &m->w_hat[i]);
        add_product(&p->x[i], &p->x[0], &m->v_rest[i - 1]);
    }
    p->x[0] = first;
}

static void full_sboxes(permutation *p)
{
    for (unsigned i = 0; i < p->k->width; i++)
        sbox(&p->x[i], p->keys++);
}

static void first_half(permutation *p)
{
    for (unsigned i = 0; i < p->k->width; i++)
        cz_fr_add(&p->x[i], &p->x[i], p->keys++);
    for (unsigned round = 1; round < CZ_POSEIDON_FULL_ROUNDS / 2; round++) {
        full_sboxes(p);
        mix_dense(p, p->k->mds);
    }
    full_sboxes(p);
    mix_dense(p, p->k->pre_sparse);
}

static void partial_rounds(permutation *p)
{
    for (unsigned round = 0; round < p->k->partial_rounds; round++) {
        sbox(&p->x[0], p->keys++);
        mix_sparse(p, &p->k->sparse[round]);
    }
}

/* The last round adds no constants, and only element 1 of its product is wanted. */
static void second_half(permutation *p, cz_fr *out)
{
    const cz_fr zero = CZ_FR_ZERO;
    unsigned t = p->k->width;

    for (unsigned round = 1; round < CZ_POSEIDON_FULL_ROUNDS / 2; round++) {
        full_sboxes(p);
        mix_dense(p, p->k->mds);
    }
    for (unsigned i = 0; i < t; i++)
        sbox(&p->x[i], &zero);
    cz_fr_mul(out, &p->x[0], &p->k->mds[1]);
    for (unsigned i = 1; i < t; i++)
        add_product(out, &p->x[i], &p->k->mds[i * t + 1]);
}

void cz_poseidon_hash_tagged(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *tag,
                             const cz_fr *preimage)
{
    permutation p = {.k = k, .keys = k->compressed};

    p.x[0] = *tag;
    memcpy(p.x + 1, preimage, k->arity * sizeof *preimage);
    first_half(&p);
    partial_rounds(&p);
    second_half(&p, out);
}

void cz_poseidon_hash(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *preimage)
{
    cz_poseidon_hash_tagged(out, k, &k->domain_tag, preimage);
}
