/* poseidon_constants.c: the constants of one arity, plain and optimised.
 *
 * A state is a row x and a linear layer is x M, with M symmetric, of width t. Write M by its corner
 * m, the rest v of its first row, the rest w of its first column, and the (t-1) x (t-1) rest H.
 *
 * Compressed round constants. A constant that is added before a layer of S-boxes can be added
 * before the linear layer in front of it as k / M. Of the partial rounds all elements but the first
 * pass the S-box layer unchanged, so all but the first element of k / M move on to the round
 * before. Going backwards from the last full half, each partial round keeps one constant, added
 * after its S-box.
 *
 * Sparse matrices. M = M' M'' with M' = (1, 0; 0, H) and M'' = (m, v; w/H, 1), where w/H is the
 * column inv(H) w. M' touches only elements that a partial round passes on unchanged, so in front
 * of a partial round it moves before that round's S-box, into the linear layer before: M M'. That
 * one has the same m and w, but v H for v and H H for H; it is factored in turn. So counted from
 * the last partial round, k = 0, 1, …: M''_k = (m, v H^k; inv(H)^(k+1) w, 1), and what is left in
 * front of the first partial round is the dense "pre-sparse" matrix (m, v H^n; w, H^(n+1)), n =
 * number of partial rounds. */
#include <pthread.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "hash/fr_matrix.h"
#include "hash/poseidon.h"
#include "hash/poseidon_forms.h"
#include "hash/poseidon_grain.h"

enum {
    HALF = CZ_POSEIDON_FULL_ROUNDS / 2,
    MAX_CELLS = CZ_POSEIDON_MAX_WIDTH * CZ_POSEIDON_MAX_WIDTH
};

typedef cz_fr row[CZ_POSEIDON_MAX_WIDTH];
typedef cz_fr matrix[MAX_CELLS];

/* ---- the plain constants ---- */

/* Cauchy: 1 / (i + j + width). */
static void fill_mds(cz_fr *mds, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        for (unsigned j = 0; j < width; j++) {
            cz_fr *cell = &mds[i * width + j];

            cz_fr_from_u64(cell, i + j + width);
            cz_fr_inv(cell, cell);
        }
    }
}

/* ---- round constants, compressed ---- */

/* The partial rounds: `widened` gets the row that goes before them, already divided by M; keys the
 * one constant of each, in the order of use. */
static void compress_partial(cz_fr *widened, cz_fr *keys, const cz_poseidon_constants *k,
                             const cz_fr *inverse)
{
    unsigned t = k->width;
    unsigned last = HALF + k->partial_rounds; /* the first round of the second full half */
    row acc, divided;

    memcpy(acc, k->round_constants + last * t, t * sizeof acc[0]);
    for (unsigned i = k->partial_rounds; i-- > 0;) {
        const cz_fr *before = k->round_constants + (HALF + i) * t;

        cz_fr_row_times_matrix(divided, acc, inverse, t);
        keys[i] = divided[0];
        acc[0] = before[0];
        for (unsigned j = 1; j < t; j++)
            cz_fr_add(&acc[j], &before[j], &divided[j]);
    }
    cz_fr_row_times_matrix(widened, acc, inverse, t);
}

static void fill_compressed(cz_poseidon_constants *k, const cz_fr *inverse)
{
    unsigned t = k->width;
    unsigned last = HALF + k->partial_rounds;
    cz_fr *out = k->compressed;

    memcpy(out, k->round_constants, t * sizeof *out);
    out += t;
    for (unsigned i = 1; i < HALF; i++, out += t)
        cz_fr_row_times_matrix(out, k->round_constants + i * t, inverse, t);
    compress_partial(out, out + t, k, inverse);
    out += t + k->partial_rounds;
    for (unsigned i = 1; i < HALF; i++, out += t)
        cz_fr_row_times_matrix(out, k->round_constants + (last + i) * t, inverse, t);
}

/* ---- sparse matrices ---- */

/* H, and v = w (M is symmetric). */
static void split(cz_fr *h, cz_fr *v, const cz_fr *mds, unsigned width)
{
    unsigned n = width - 1;

    memcpy(v, mds + 1, n * sizeof *v);
    for (unsigned i = 0; i < n; i++)
        memcpy(h + i * n, mds + (i + 1) * width + 1, n * sizeof *h);
}

/* (m, v; w, h) of `width`. */
static void join(cz_fr *out, const cz_fr *m, const cz_fr *v, const cz_fr *w, const cz_fr *h,
                 unsigned width)
{
    unsigned n = width - 1;

    out[0] = *m;
    memcpy(out + 1, v, n * sizeof *v);
    for (unsigned i = 0; i < n; i++) {
        out[(i + 1) * width] = w[i];
        memcpy(out + (i + 1) * width + 1, h + i * n, n * sizeof *h);
    }
}

/* Scratch of the factorisation: too much for a stack frame. */
typedef struct {
    matrix inverse, destroyed, h, h_inverse, power, product;
} scratch;

static bool fill_sparse(cz_poseidon_constants *k, scratch *s)
{
    unsigned n = k->width - 1;
    row v, w, w_first, next;

    split(s->h, v, k->mds, k->width);
    memcpy(w_first, v, n * sizeof v[0]);
    memcpy(w, v, n * sizeof v[0]);
    memcpy(s->destroyed, s->h, sizeof s->h);
    if (!cz_fr_matrix_invert(s->h_inverse, s->destroyed, n))
        return false;

    memcpy(s->power, s->h, sizeof s->h);
    for (unsigned i = k->partial_rounds; i-- > 0;) {
        cz_poseidon_sparse *sparse = &k->sparse[i];

        cz_fr_matrix_times_column(next, s->h_inverse, w, n);
        memcpy(w, next, n * sizeof w[0]);
        sparse->w_hat[0] = k->mds[0];
        memcpy(sparse->w_hat + 1, w, n * sizeof w[0]);
        memcpy(sparse->v_rest, v, n * sizeof v[0]);
        cz_fr_row_times_matrix(next, v, s->h, n);
        memcpy(v, next, n * sizeof v[0]);
        cz_fr_matrix_mul(s->product, s->power, s->h, n);
        memcpy(s->power, s->product, sizeof s->power);
    }
    join(k->pre_sparse, &k->mds[0], v, w_first, s->power, k->width);
    return true;
}

/* ---- one arity ---- */

static bool fill(cz_poseidon_constants *k, scratch *s)
{
    cz_fr_from_u64(&k->domain_tag, ((uint64_t)1 << k->arity) - 1);
    cz_poseidon_grain(k->round_constants, k->width * (CZ_POSEIDON_FULL_ROUNDS + k->partial_rounds),
                      k->width, CZ_POSEIDON_FULL_ROUNDS, k->partial_rounds);
    fill_mds(k->mds, k->width);
    memcpy(s->destroyed, k->mds, k->width * k->width * sizeof k->mds[0]);
    if (!cz_fr_matrix_invert(s->inverse, s->destroyed, k->width))
        return false;
    fill_compressed(k, s->inverse);
    if (!fill_sparse(k, s))
        return false;
    if (cz_cpu_has(CZ_CPU_AVX512IFMA))
        k->lanes = cz_poseidon_lanes_create(k);
    return k->lanes != NULL || !cz_cpu_has(CZ_CPU_AVX512IFMA);
}

static void release(cz_poseidon_constants *k)
{
    free(k->round_constants);
    free(k->compressed);
    free(k->mds);
    free(k->pre_sparse);
    free(k->sparse);
    free(k->lanes);
    free(k);
}

static cz_poseidon_constants *allocate(unsigned arity, unsigned partial_rounds)
{
    unsigned t = arity + 1;
    cz_poseidon_constants *k = calloc(1, sizeof *k);

    if (k == NULL)
        return NULL;
    k->arity = arity;
    k->width = t;
    k->partial_rounds = partial_rounds;
    k->round_constants =
        calloc((size_t)t * (CZ_POSEIDON_FULL_ROUNDS + partial_rounds), sizeof(cz_fr));
    k->compressed = calloc((size_t)t * CZ_POSEIDON_FULL_ROUNDS + partial_rounds, sizeof(cz_fr));
    k->mds = calloc((size_t)t * t, sizeof(cz_fr));
    k->pre_sparse = calloc((size_t)t * t, sizeof(cz_fr));
    k->sparse = calloc(partial_rounds, sizeof *k->sparse);
    if (k->round_constants == NULL || k->compressed == NULL || k->mds == NULL ||
        k->pre_sparse == NULL || k->sparse == NULL) {
        release(k);
        return NULL;
    }
    return k;
}

static cz_poseidon_constants *build(unsigned arity, unsigned partial_rounds)
{
    cz_poseidon_constants *k = allocate(arity, partial_rounds);
    scratch *s = calloc(1, sizeof *s);
    bool ok = k != NULL && s != NULL && fill(k, s);

    free(s);
    if (!ok && k != NULL)
        release(k);
    return ok ? k : NULL;
}

/* ---- the table ---- */

#define ARITY_MAP(X)                                                                               \
    X(0, 2, 55) X(1, 4, 56) X(2, 8, 57) X(3, 11, 57) X(4, 16, 59) X(5, 24, 59) X(6, 36, 60)

enum { N_ARITIES = 7 };

static const cz_poseidon_constants *built[N_ARITIES];

/* pthread_once takes no argument, so each arity has its own function. */
#define BUILD_ONCE(slot, arity, partial_rounds)                                                    \
    static pthread_once_t once_##arity = PTHREAD_ONCE_INIT;                                        \
    static void build_##arity(void)                                                                \
    {                                                                                              \
        built[slot] = build(arity, partial_rounds);                                                \
    }
ARITY_MAP(BUILD_ONCE)

const cz_poseidon_constants *cz_poseidon_get(unsigned arity)
{
    switch (arity) {
#define GET_CASE(slot, number, partial_rounds)                                                     \
    case number:                                                                                   \
        (void)pthread_once(&once_##number, build_##number);                                        \
        return built[slot];
        ARITY_MAP(GET_CASE)
    default:
        return NULL;
    }
}
