/* poseidon_ifma.c: eight permutations at once, one a lane of AVX-512 IFMA (field/fr_ifma.h).
 *
 * Elements keep the Montgomery form of cz_fr (times 2^256), as 52-bit limbs, reduced lazily. Three
 * kinds of product:
 * - sums of products with constants (dense layers, first element of a sparse one): all columns of
 *   all products are added first, 50 multiply-adds each, and reduced by 2^260 once, 55 [KAA96];
 *   the constants carry the factor 2^260;
 * - one product with a constant (the other elements of a sparse layer): by a prepared quotient, 75;
 * - squares and products of the S-box: a reduction by 2^260 leaves 2^252, so results are shifted by
 *   4 bits.
 * A permutation of arity 8 takes about 17,000 multiply-adds in each lane. Reference: poseidon.c. */
#include <stdlib.h>

#include "base/cpu.h"
#include "field/fr_ifma.h"
#include "hash/poseidon_forms.h"
#include "hash/poseidon_many.h"

/* ---- constants ---- */

enum { LIMBS = 5, FACTOR = 10 };

/* Views into one array, in the order of use. */
typedef struct cz_poseidon_lanes {
    const int64_t *keys;       /* LIMBS each: the compressed round constants, Montgomery form */
    const int64_t *mds;        /* LIMBS each, by rows: times 2^260; symmetric */
    const int64_t *pre_sparse; /* LIMBS each, by columns: times 2^260 */
    const int64_t *sparse;     /* a partial round: `width` times LIMBS of w_hat, times 2^260, and
                                  `width` - 1 times FACTOR of v_rest, not in Montgomery form */
    int64_t memory[];
} lanes_constants;

static size_t sparse_limbs(unsigned width)
{
    return (size_t)width * LIMBS + (size_t)(width - 1) * FACTOR;
}

static int64_t *put_limbs(int64_t *out, const uint64_t l[4])
{
    const uint64_t mask = 0xfffffffffffff;

    out[0] = (int64_t)(l[0] & mask);
    out[1] = (int64_t)((l[0] >> 52 | l[1] << 12) & mask);
    out[2] = (int64_t)((l[1] >> 40 | l[2] << 24) & mask);
    out[3] = (int64_t)((l[2] >> 28 | l[3] << 36) & mask);
    out[4] = (int64_t)(l[3] >> 16);
    return out + LIMBS;
}

/* c 2^260: the Montgomery form, doubled four times. */
static int64_t *put_times_2_260(int64_t *out, const cz_fr *c)
{
    cz_fr t = *c;

    for (int i = 0; i < 4; i++)
        cz_fr_dbl(&t, &t);
    return put_limbs(out, t.l);
}

static int64_t *put_factor(int64_t *out, const cz_fr *c)
{
    cz_fr8_factor f;
    cz_u256 plain;

    cz_fr_to_u256(&plain, c);
    (void)put_limbs(out, plain.l);
    f = cz_fr8_prepare(cz_fr8_broadcast(out));
    for (int i = 0; i < LIMBS; i++)
        out[LIMBS + i] = _mm_cvtsi128_si64(_mm512_castsi512_si128(f.q.l[i]));
    return out + FACTOR;
}

static void fill(lanes_constants *l, const cz_poseidon_constants *k)
{
    const unsigned t = k->width;
    int64_t *at = l->memory;

    l->keys = at;
    for (unsigned i = 0; i < CZ_POSEIDON_FULL_ROUNDS * t + k->partial_rounds; i++)
        at = put_limbs(at, k->compressed[i].l);
    l->mds = at;
    for (unsigned i = 0; i < t * t; i++)
        at = put_times_2_260(at, &k->mds[i]);
    l->pre_sparse = at;
    for (unsigned i = 0; i < t * t; i++)
        at = put_times_2_260(at, &k->pre_sparse[i % t * t + i / t]);
    l->sparse = at;
    for (unsigned round = 0; round < k->partial_rounds; round++) {
        for (unsigned i = 0; i < t; i++)
            at = put_times_2_260(at, &k->sparse[round].w_hat[i]);
        for (unsigned i = 0; i + 1 < t; i++)
            at = put_factor(at, &k->sparse[round].v_rest[i]);
    }
}

struct cz_poseidon_lanes *cz_poseidon_lanes_create(const cz_poseidon_constants *k)
{
    const size_t t = k->width;
    const size_t n = LIMBS * (CZ_POSEIDON_FULL_ROUNDS * t + k->partial_rounds + 2 * t * t) +
                     k->partial_rounds * sparse_limbs(k->width);
    lanes_constants *l = malloc(sizeof *l + n * sizeof l->memory[0]);

    if (l != NULL)
        fill(l, k);
    return l;
}

/* ---- products ---- */

/* A sum of products by columns: column i is lo[i] + hi[i - 1]. Two chains a column, as one would
 * wait for itself. */
typedef struct {
    __m512i lo[9], hi[9];
} columns;

CZ_INLINE columns no_columns(void)
{
    const __m512i z = _mm512_setzero_si512();

    return (columns){{z, z, z, z, z, z, z, z, z}, {z, z, z, z, z, z, z, z, z}};
}

#define TERM(c, i, j, x, y)                                                                        \
    CZ_FR8_LO((c)->lo[(i) + (j)], (x).l[i], (y).l[j]);                                             \
    CZ_FR8_HI((c)->hi[(i) + (j)], (x).l[i], (y).l[j])

#define ROW(c, i, x, y)                                                                            \
    TERM(c, i, 0, x, y);                                                                           \
    TERM(c, i, 1, x, y);                                                                           \
    TERM(c, i, 2, x, y);                                                                           \
    TERM(c, i, 3, x, y);                                                                           \
    TERM(c, i, 4, x, y)

CZ_INLINE void add_product(columns *c, cz_fr8 x, cz_fr8 y)
{
    ROW(c, 0, x, y);
    ROW(c, 1, x, y);
    ROW(c, 2, x, y);
    ROW(c, 3, x, y);
    ROW(c, 4, x, y);
}

/* The products of different limbs once, doubled, and the squares of limbs. */
CZ_INLINE columns square_columns(cz_fr8 x)
{
    columns c = no_columns();

    TERM(&c, 0, 1, x, x);
    TERM(&c, 0, 2, x, x);
    TERM(&c, 0, 3, x, x);
    TERM(&c, 0, 4, x, x);
    TERM(&c, 1, 2, x, x);
    TERM(&c, 1, 3, x, x);
    TERM(&c, 1, 4, x, x);
    TERM(&c, 2, 3, x, x);
    TERM(&c, 2, 4, x, x);
    TERM(&c, 3, 4, x, x);
    for (int i = 1; i < 8; i++) {
        c.lo[i] = _mm512_add_epi64(c.lo[i], c.lo[i]);
        c.hi[i] = _mm512_add_epi64(c.hi[i], c.hi[i]);
    }
    TERM(&c, 0, 0, x, x);
    TERM(&c, 1, 1, x, x);
    TERM(&c, 2, 2, x, x);
    TERM(&c, 3, 3, x, x);
    TERM(&c, 4, 4, x, x);
    return c;
}

/* t[0 … 5] += q r for the q that makes t[0] a multiple of 2^52, which goes up to t[1]. */
CZ_INLINE void reduce_limb(__m512i *t, cz_fr8 r, __m512i minus_inv)
{
    __m512i q = _mm512_setzero_si512();

    CZ_FR8_LO(q, t[0], minus_inv);
    CZ_FR8_LO(t[0], q, r.l[0]);
    CZ_FR8_HI(t[1], q, r.l[0]);
    CZ_FR8_LO(t[1], q, r.l[1]);
    CZ_FR8_HI(t[2], q, r.l[1]);
    CZ_FR8_LO(t[2], q, r.l[2]);
    CZ_FR8_HI(t[3], q, r.l[2]);
    CZ_FR8_LO(t[3], q, r.l[3]);
    CZ_FR8_HI(t[4], q, r.l[3]);
    CZ_FR8_LO(t[4], q, r.l[4]);
    CZ_FR8_HI(t[5], q, r.l[4]);
    t[1] = _mm512_add_epi64(t[1], _mm512_srli_epi64(t[0], 52));
}

/* T / 2^260 mod r, loose, below T / 2^260 + r. */
CZ_INLINE cz_fr8 reduce_columns(const columns *c)
{
    const cz_fr8 r = cz_fr8_broadcast(cz_fr8_1r);
    const __m512i minus_inv = _mm512_set1_epi64(cz_fr8_minus_inv[0]);
    __m512i t[10];

    t[0] = c->lo[0];
    for (int i = 1; i < 9; i++)
        t[i] = _mm512_add_epi64(c->lo[i], c->hi[i - 1]);
    t[9] = c->hi[8];
    reduce_limb(t, r, minus_inv);
    reduce_limb(t + 1, r, minus_inv);
    reduce_limb(t + 2, r, minus_inv);
    reduce_limb(t + 3, r, minus_inv);
    reduce_limb(t + 4, r, minus_inv);
    return (cz_fr8){{t[5], t[6], t[7], t[8], t[9]}};
}

/* Times 16, by limbs: what a product of two Montgomery forms lacks after reduce_columns. */
CZ_INLINE cz_fr8 times_16(cz_fr8 x)
{
    for (int i = 0; i < LIMBS; i++)
        x.l[i] = _mm512_slli_epi64(x.l[i], 4);
    return x;
}

/* The sum of x[i] c[i], normalised; x carried and below 4 r, so below (0.12 n + 1) r. */
static cz_fr8 dot(const cz_fr8 *x, const int64_t *c, unsigned n)
{
    columns sum = no_columns();

    for (unsigned i = 0; i < n; i++)
        add_product(&sum, x[i], cz_fr8_broadcast(c + (size_t)i * LIMBS));
    return cz_fr8_normalise(reduce_columns(&sum));
}

/* ---- the permutation ---- */

/* Where the circuit's values of eight permutations go, in pairs; rows[0] NULL: nowhere. */
typedef struct {
    cz_fr *rows[8];
    bool has_first;
    cz_fr8 pair[2];
} trace;

typedef struct {
    const cz_poseidon_constants *k;
    const int64_t *keys;
    cz_fr8 x[CZ_POSEIDON_MAX_WIDTH];
    trace out;
} permutation;

static void put_pair(trace *out)
{
    __m512i pairs[8];

    cz_fr8_to_pairs(pairs, out->pair);
    for (int i = 0; i < 8; i++) {
        _mm512_storeu_si512(out->rows[i], pairs[i]);
        out->rows[i] += 2;
    }
    out->has_first = false;
}

/* The last of an odd number of values. */
static void put_rest(trace *out)
{
    cz_fr last[8];

    if (out->rows[0] == NULL || !out->has_first)
        return;
    cz_fr8_store(last, out->pair[0]);
    for (int i = 0; i < 8; i++)
        *out->rows[i] = last[i];
}

/* What a later product takes; canonical where the value is wanted for itself. */
CZ_INLINE cz_fr8 settle(trace *out, bool traced, cz_fr8 value)
{
    if (!traced)
        return cz_fr8_below_2r(value);
    value = cz_fr8_canonical(value);
    out->pair[out->has_first] = value;
    if (out->has_first)
        put_pair(out);
    else
        out->has_first = true;
    return value;
}

/* x^5 + key; x carried and below 6 r. (4 r)^2 / 2^260 + r is below 1.5 r, times 16 below 2^260. */
CZ_INLINE cz_fr8 sbox(trace *out, bool traced, cz_fr8 x, const int64_t *key)
{
    columns c = square_columns(x);
    const cz_fr8 x2 = settle(out, traced, times_16(reduce_columns(&c)));
    cz_fr8 x4, x5;

    c = square_columns(x2);
    x4 = settle(out, traced, times_16(reduce_columns(&c)));
    c = no_columns();
    add_product(&c, x4, x);
    x5 = times_16(reduce_columns(&c));
    if (key != NULL)
        x5 = cz_fr8_add(x5, cz_fr8_broadcast(key));
    return settle(out, traced, x5);
}

static void plain_sbox(permutation *p, unsigned i, const int64_t *key)
{
    p->x[i] = sbox(&p->out, false, p->x[i], key);
}

static void traced_sbox(permutation *p, unsigned i, const int64_t *key)
{
    p->x[i] = sbox(&p->out, true, p->x[i], key);
}

/* The S-box of a later round, whose input is a variable. */
static void later_sbox(permutation *p, unsigned i, const int64_t *key)
{
    if (p->out.rows[0] == NULL) {
        plain_sbox(p, i, key);
        return;
    }
    p->x[i] = settle(&p->out, true, p->x[i]);
    traced_sbox(p, i, key);
}

static const int64_t *next_key(permutation *p)
{
    const int64_t *key = p->keys;

    p->keys += LIMBS;
    return key;
}

static void mix_dense(permutation *p, const int64_t *columns_of_matrix)
{
    const unsigned t = p->k->width;
    cz_fr8 mixed[CZ_POSEIDON_MAX_WIDTH];

    for (unsigned j = 0; j < t; j++)
        mixed[j] = dot(p->x, columns_of_matrix + (size_t)j * t * LIMBS, t);
    memcpy(p->x, mixed, t * sizeof mixed[0]);
}

static void mix_sparse(permutation *p, const int64_t *constants)
{
    const unsigned t = p->k->width;
    const int64_t *v_rest = constants + (size_t)t * LIMBS;
    const cz_fr8 first = dot(p->x, constants, t);

    for (unsigned i = 1; i < t; i++, v_rest += FACTOR) {
        const cz_fr8_factor v = cz_fr8_factor_broadcast(v_rest);

        p->x[i] = cz_fr8_below_2r(cz_fr8_mul_add(p->x[i], p->x[0], &v));
    }
    p->x[0] = first;
}

/* What enters these S-boxes is no variable, and nothing of the tag is one. */
static void first_round(permutation *p)
{
    const unsigned t = p->k->width;

    for (unsigned i = 0; i < t; i++)
        p->x[i] = cz_fr8_carry(cz_fr8_add(p->x[i], cz_fr8_broadcast(next_key(p))));
    plain_sbox(p, 0, next_key(p));
    for (unsigned i = 1; i < t; i++) {
        if (p->out.rows[0] == NULL)
            plain_sbox(p, i, next_key(p));
        else
            traced_sbox(p, i, next_key(p));
    }
    mix_dense(p, p->k->lanes->mds);
}

static void full_round(permutation *p, const int64_t *matrix)
{
    for (unsigned i = 0; i < p->k->width; i++)
        later_sbox(p, i, next_key(p));
    mix_dense(p, matrix);
}

/* No constants are added, and only element 1 of the product is wanted. */
static cz_fr8 last_round(permutation *p)
{
    const unsigned t = p->k->width;

    for (unsigned i = 0; i < t; i++)
        later_sbox(p, i, NULL);
    return dot(p->x, p->k->lanes->mds + (size_t)t * LIMBS, t);
}

/* The state is loaded; gives the digests, canonical. */
static cz_fr8 permute(permutation *p)
{
    const lanes_constants *l = p->k->lanes;
    const unsigned half = CZ_POSEIDON_FULL_ROUNDS / 2;
    cz_fr8 digest;

    p->keys = l->keys;
    first_round(p);
    for (unsigned i = 1; i < half; i++)
        full_round(p, i + 1 == half ? l->pre_sparse : l->mds);
    for (unsigned i = 0; i < p->k->partial_rounds; i++) {
        later_sbox(p, 0, next_key(p));
        mix_sparse(p, l->sparse + i * sparse_limbs(p->k->width));
    }
    for (unsigned i = 0; i + 1 < half; i++)
        full_round(p, l->mds);
    digest = last_round(p);
    if (p->out.rows[0] == NULL)
        return cz_fr8_canonical(digest);
    digest = settle(&p->out, true, digest);
    put_rest(&p->out);
    return digest;
}

/* ---- in and out ---- */

/* Lane i takes preimage i, lanes from n on the last one. */
static void load(permutation *p, const cz_fr *tag, const cz_fr *preimages, size_t n)
{
    cz_fr row[8];

    for (size_t lane = 0; lane < 8; lane++)
        row[lane] = *tag;
    p->x[0] = cz_fr8_load(row);
    for (unsigned i = 0; i < p->k->arity; i++) {
        for (size_t lane = 0; lane < 8; lane++)
            row[lane] = preimages[(lane < n ? lane : n - 1) * p->k->arity + i];
        p->x[i + 1] = cz_fr8_load(row);
    }
}

static bool runs_here(void)
{
    return cz_cpu_has(CZ_CPU_AVX512IFMA);
}

static size_t up_to_8(size_t n)
{
    return n < 8 ? n : 8;
}

static void hash(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *tag,
                 const cz_fr *preimages, size_t n)
{
    permutation p = {.k = k};

    for (size_t i = 0; i < n; i += 8) {
        cz_fr digests[8];

        load(&p, tag, preimages + i * k->arity, up_to_8(n - i));
        cz_fr8_store(digests, permute(&p));
        memcpy(out + i, digests, up_to_8(n - i) * sizeof digests[0]);
    }
}

/* Lanes without a permutation of their own repeat another one's values to the same place. */
static void witness(cz_fr *const *out, const cz_poseidon_constants *k, const cz_fr *tag,
                    const cz_fr *preimages, size_t n)
{
    permutation p = {.k = k};

    for (size_t i = 0; i < n; i += 8) {
        const size_t count = up_to_8(n - i);

        for (size_t lane = 0; lane < 8; lane++)
            p.out.rows[lane] = out[i + (lane < count ? lane : count - 1)];
        p.out.has_first = false;
        load(&p, tag, preimages + i * k->arity, count);
        (void)permute(&p);
    }
}

const cz_poseidon_form_table cz_poseidon_ifma = {"ifma", runs_here, hash, witness};
