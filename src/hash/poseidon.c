/* poseidon.c: the permutation in the optimised form, one at a time; see poseidon.h,
 * poseidon_constants.c and poseidon_many.h, whose scalar form this is. Reference: poseidon_ref.c.
 */
#include "hash/poseidon.h"

#include "hash/poseidon_forms.h"
#include "hash/poseidon_many.h"

typedef cz_fr state_vector[CZ_POSEIDON_MAX_WIDTH];

/* The permutation under way: its state and the compressed constants not yet used. */
typedef struct {
    const cz_poseidon_constants *k;
    const cz_fr *keys;
    cz_fr *trace; /* where the circuit's next value goes; NULL: nobody wants them */
    state_vector x;
} permutation;

static void put(permutation *p, const cz_fr *value)
{
    if (p->trace != NULL)
        *p->trace++ = *value;
}

/* x^5 + key */
static void sbox(permutation *p, cz_fr *x, const cz_fr *key)
{
    cz_fr power;

    cz_fr_sqr(&power, x);
    put(p, &power);
    cz_fr_sqr(&power, &power);
    put(p, &power);
    cz_fr_mul(x, x, &power);
    cz_fr_add(x, x, key);
    put(p, x);
}

static void traced_sbox(permutation *p, cz_fr *x, const cz_fr *key)
{
    put(p, x);
    sbox(p, x, key);
}

/* x = x m */
static void mix_dense(permutation *p, const cz_fr *m)
{
    unsigned t = p->k->width;
    state_vector mixed;

    for (unsigned j = 0; j < t; j++)
        cz_fr_dot(&mixed[j], p->x, m + j, t, t);
    memcpy(p->x, mixed, t * sizeof mixed[0]);
}

static void mix_sparse(permutation *p, const cz_poseidon_sparse *m)
{
    unsigned t = p->k->width;
    cz_fr first, product;

    cz_fr_dot(&first, p->x, m->w_hat, 1, t);
    for (unsigned i = 1; i < t; i++) {
        cz_fr_mul(&product, &p->x[0], &m->v_rest[i - 1]);
        cz_fr_add(&p->x[i], &p->x[i], &product);
    }
    p->x[0] = first;
}

static void full_sboxes(permutation *p)
{
    for (unsigned i = 0; i < p->k->width; i++)
        traced_sbox(p, &p->x[i], p->keys++);
}

/* What enters the first S-boxes is no variable, and nothing of the tag is one. */
static void first_sboxes(permutation *p)
{
    cz_fr *trace = p->trace;

    p->trace = NULL;
    sbox(p, &p->x[0], p->keys++);
    p->trace = trace;
    for (unsigned i = 1; i < p->k->width; i++)
        sbox(p, &p->x[i], p->keys++);
}

static void first_half(permutation *p)
{
    for (unsigned i = 0; i < p->k->width; i++)
        cz_fr_add(&p->x[i], &p->x[i], p->keys++);
    first_sboxes(p);
    mix_dense(p, p->k->mds);
    for (unsigned round = 2; round < CZ_POSEIDON_FULL_ROUNDS / 2; round++) {
        full_sboxes(p);
        mix_dense(p, p->k->mds);
    }
    full_sboxes(p);
    mix_dense(p, p->k->pre_sparse);
}

static void partial_rounds(permutation *p)
{
    for (unsigned round = 0; round < p->k->partial_rounds; round++) {
        traced_sbox(p, &p->x[0], p->keys++);
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
        traced_sbox(p, &p->x[i], &zero);
    cz_fr_dot(out, p->x, p->k->mds + 1, t, t);
    put(p, out);
}

static void permute(permutation *p, cz_fr *out, const cz_fr *tag, const cz_fr *preimage)
{
    p->x[0] = *tag;
    memcpy(p->x + 1, preimage, p->k->arity * sizeof *preimage);
    first_half(p);
    partial_rounds(p);
    second_half(p, out);
}

void cz_poseidon_hash_tagged(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *tag,
                             const cz_fr *preimage)
{
    permutation p = {.k = k, .keys = k->compressed};

    permute(&p, out, tag, preimage);
}

void cz_poseidon_hash(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *preimage)
{
    cz_poseidon_hash_tagged(out, k, &k->domain_tag, preimage);
}

/* ---- the scalar form of poseidon_many.h ---- */

static bool runs_here(void)
{
    return true;
}

static void hash(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *tag,
                 const cz_fr *preimages, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cz_poseidon_hash_tagged(&out[i], k, tag, preimages + i * k->arity);
}

static void witness(cz_fr *const *out, const cz_poseidon_constants *k, const cz_fr *tag,
                    const cz_fr *preimages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        permutation p = {.k = k, .keys = k->compressed, .trace = out[i]};
        cz_fr digest;

        permute(&p, &digest, tag, preimages + i * k->arity);
    }
}

const cz_poseidon_form_table cz_poseidon_scalar = {"scalar", runs_here, hash, witness};
