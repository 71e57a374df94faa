/* assemble.c: the proof from its sums [Gro16, section 3.2]:
 *   A = alpha + sum_a + r delta
 *   B = beta + sum_b + s delta            in G2, and the same in G1 as B'
 *   C = sum_l + sum_h + s A + r B' - r s delta
 * B' occurs in C alone: r times a part of it may have come with sum_h, from a device whose sums'
 * time depends on their scalars, the witness's as well. Everything that r and s multiply here goes
 * through the multiplication that does not branch on them. */
#include "base/bytes.h"
#include "groth16/stages.h"

/* acc += k p */
static void add_g1_times(cz_g1 *acc, const cz_g1 *p, const cz_fr *k)
{
    cz_u256 plain;
    cz_g1 t;

    cz_fr_to_u256(&plain, k);
    cz_g1_mul_ct(&t, p, &plain);
    cz_g1_add(acc, acc, &t);
    cz_secure_zero(&plain, sizeof plain);
    cz_secure_zero(&t, sizeof t);
}

static void add_g2_times(cz_g2 *acc, const cz_g2 *p, const cz_fr *k)
{
    cz_u256 plain;
    cz_g2 t;

    cz_fr_to_u256(&plain, k);
    cz_g2_mul_ct(&t, p, &plain);
    cz_g2_add(acc, acc, &t);
    cz_secure_zero(&plain, sizeof plain);
    cz_secure_zero(&t, sizeof t);
}

/* As a memory error would: the lowest bit of a coordinate. */
static void flip_bit(cz_proof_sum which, cz_g1 *h, cz_g1 *l, cz_g1 *a, cz_g1 *b1, cz_g2 *b2)
{
    uint64_t *const words[] = {
        NULL, h->x.l, l->x.l, a->x.l, b1->x.l, b2->x.c0.l,
    };

    if (which != CZ_SUM_NONE)
        words[which][0] ^= 1;
}

void cz_stage_assemble(cz_proof *out, const cz_proof_job *job, const cz_fr *r, const cz_fr *s)
{
    cz_span span = cz_trace_begin(job->trace, CZ_PHASE_ASSEMBLE, job->options.partition);
    const cz_vk *vk = &job->key->params->vk;
    cz_g1 delta_g1, a = job->a, b1 = job->b1, c = job->h, l = job->l;
    cz_g2 delta_g2, b = job->b2;
    cz_fr minus_rs;

    flip_bit(job->options.flip, &c, &l, &a, &b1, &b);
    cz_g1_from_affine(&delta_g1, &vk->delta_g1);
    cz_g2_from_affine(&delta_g2, &vk->delta_g2);

    cz_g1_add_affine(&a, &a, &vk->alpha_g1);
    add_g1_times(&a, &delta_g1, r);

    cz_g2_add_affine(&b, &b, &vk->beta_g2);
    add_g2_times(&b, &delta_g2, s);

    cz_g1_add_affine(&b1, &b1, &vk->beta_g1);
    add_g1_times(&b1, &delta_g1, s);

    cz_fr_mul(&minus_rs, r, s);
    cz_fr_neg(&minus_rs, &minus_rs);
    cz_g1_add(&c, &c, &l);
    add_g1_times(&c, &a, s);
    add_g1_times(&c, &b1, r);
    add_g1_times(&c, &delta_g1, &minus_rs);

    cz_g1_to_affine(&out->a, &a);
    cz_g2_to_affine(&out->b, &b);
    cz_g1_to_affine(&out->c, &c);
    cz_secure_zero(&minus_rs, sizeof minus_rs);
    cz_secure_zero(&b1, sizeof b1);
    cz_secure_zero(&l, sizeof l);
    cz_trace_end(&span);
}
