/* check.c: the full check of a parameter file: every point on the curve and in the subgroup.
 *
 * A subgroup check of one point costs as much as hundreds of additions, so many points are checked
 * together: in each round every point goes into a random one of 16 buckets, and the 16 sums are
 * checked. Let a point have a part outside the subgroup. With all other points placed, at most one
 * bucket for it leaves every sum inside, so a round overlooks it with a chance of at most 1/16, and
 * 16 rounds with 2^-64 (the bucket test of [BGR98]). That is 16 additions a point; the plain check,
 * point by point, then only names what was found. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "msm/msm.h"
#include "params/params.h"

enum { CHUNK = 1 << 17, ROUNDS = 16, BUCKETS = 16, FEW = 1 << 10 };

/* Who is in which bucket: BUCKETS bit planes of n_words each. */
typedef struct {
    size_t n_words;
    uint64_t *bits;
    uint8_t *random; /* 4 bits a point */
} planes;

static void planes_destroy(planes *p)
{
    free(p->bits);
    free(p->random);
}

static cz_err planes_create(planes *p, size_t n)
{
    p->n_words = (n + 63) / 64;
    p->bits = malloc(BUCKETS * p->n_words * sizeof *p->bits);
    p->random = malloc(n / 2 + 1);
    if (p->bits != NULL && p->random != NULL)
        return CZ_OK;
    planes_destroy(p);
    return cz_fail(CZ_E_NOMEM, "no memory to check %zu points", n);
}

static cz_err planes_draw(planes *p, size_t n)
{
    CZ_TRY(cz_random_bytes(p->random, n / 2 + 1));
    memset(p->bits, 0, BUCKETS * p->n_words * sizeof *p->bits);
    for (size_t i = 0; i < n; i++) {
        unsigned bucket = p->random[i / 2] >> (i % 2 * 4) & 0xf;

        p->bits[bucket * p->n_words + i / 64] |= (uint64_t)1 << (i % 64);
    }
    return CZ_OK;
}

#define AFFINE   cz_g1_affine
#define JAC      cz_g1
#define G(name)  cz_g1_##name
#define LOAD     cz_params_load_g1
#define BIT_SUM  cz_bit_sum_g1
#define FN(name) g1_##name
#include "params/check_body.h"
#undef AFFINE
#undef JAC
#undef G
#undef LOAD
#undef BIT_SUM
#undef FN

#define AFFINE   cz_g2_affine
#define JAC      cz_g2
#define G(name)  cz_g2_##name
#define LOAD     cz_params_load_g2
#define BIT_SUM  cz_bit_sum_g2
#define FN(name) g2_##name
#include "params/check_body.h"

cz_err cz_params_check_points(const cz_params *p, cz_pool *pool)
{
    CZ_TRY(g1_check_list(p, &p->h, "h", pool));
    CZ_TRY(g1_check_list(p, &p->l, "l", pool));
    CZ_TRY(g1_check_list(p, &p->a, "a", pool));
    CZ_TRY(g1_check_list(p, &p->b_g1, "b_g1", pool));
    return g2_check_list(p, &p->b_g2, "b_g2", pool);
}
