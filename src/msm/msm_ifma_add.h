/* msm_ifma_add.h: the kernel of form "ifma": many affine additions that share one inversion, 16 at
 * a time in the lanes of field/fp_ifma.h.
 *
 * No include guard: an includer first defines the names listed in msm_body.h, and
 *   COORD_X8, X(name)   the coordinates' field in lanes, its function of that name
 *   PARTS               Fp elements in a coordinate: 1 or 2
 *   PART_X8(v, i)       pointer to part i of COORD_X8 v, as cz_fp_x8
 *   PART(v, i)          pointer to part i of COORD v, as cz_fp
 *
 * A stored point has limbs of 52 bits, canonical, a cache line each part. Coordinates are those of
 * an isomorphic curve, x' = u^2 x, y' = u^3 y with u = 2^-16: as elements in Montgomery form for
 * 2^416, x' is the same integer as x in Montgomery form for 2^384, so only y costs a product when a
 * point is loaded or stored. The formulas below do not use the curve's constant term.
 *
 * Method: as msm_cpu_add.h. Pairs are taken in groups of 16: two vectors, each with its own running
 * product, so that one's products fill the gaps of the other's dependencies. Lanes that are no
 * ordinary addition are found by comparing lowest limbs, and put right apart; their like is rare.
 */

#include "field/fp_ifma.h"

enum {
    VECTORS = 2,
    GROUP_PAIRS = 8 * VECTORS,
    PART_LIMBS = 8,
    PREFETCH_PAIRS = 3 * GROUP_PAIRS,
    PREFETCH_LOADS = 32
};

typedef struct {
    uint64_t x[PARTS][PART_LIMBS], y[PARTS][PART_LIMBS];
} __attribute__((aligned(64))) stored;

/* Lanes of a vector that are no chord: see msm_cpu_add.h. */
typedef struct {
    uint8_t tangent, only_a, only_b, cancel;
} special_lanes;

typedef struct {
    COORD_X8 *prefix;       /* [vector]: product of the denominators before it */
    COORD_X8 *denominators; /* [vector] */
    COORD_X8 *x_a;          /* [vector]: first operands' x */
    special_lanes *special; /* [vector] */
} add_scratch;

static cz_err add_scratch_init(add_scratch *s, cz_msm_memory *memory, size_t max_pairs)
{
    size_t n = (max_pairs + GROUP_PAIRS - 1) / GROUP_PAIRS * VECTORS;

    CZ_TRY(cz_msm_take_secret(memory, &s->prefix, n + VECTORS, sizeof *s->prefix));
    CZ_TRY(cz_msm_take_secret(memory, &s->denominators, n, sizeof *s->denominators));
    CZ_TRY(cz_msm_take_secret(memory, &s->x_a, n, sizeof *s->x_a));
    return cz_msm_take_secret(memory, &s->special, n, sizeof *s->special);
}

/* ---- stored points ---- */

static void stored_set_infinity(stored *p)
{
    memset(p, 0, sizeof *p);
}

/* Only infinity has y = 0: neither curve has a point of order 2. */
static bool stored_is_infinity(const stored *p)
{
    uint64_t any = 0;

    for (int i = 0; i < PARTS; i++)
        for (int k = 0; k < PART_LIMBS; k++)
            any |= p->y[i][k];
    return any == 0;
}

/* p - a, or 0 for 0; canonical */
static void negate_limbs(uint64_t r[PART_LIMBS], const uint64_t a[PART_LIMBS])
{
    uint64_t any = 0;
    int64_t carry = 0;

    for (int k = 0; k < PART_LIMBS; k++)
        any |= a[k];
    for (int k = 0; k < PART_LIMBS; k++) {
        carry += (int64_t)cz_x8_p[k] - (int64_t)a[k];
        r[k] = any == 0 ? 0 : (uint64_t)carry & CZ_X8_MASK;
        carry >>= 52;
    }
}

static void stored_copy(stored *r, const stored *p, bool negate)
{
    *r = *p;
    for (int i = 0; negate && i < PARTS; i++)
        negate_limbs(r->y[i], p->y[i]);
}

static bool same_y(const stored *a, const stored *b, bool signs_differ)
{
    stored t;

    stored_copy(&t, b, signs_differ);
    return memcmp(a->y, t.y, sizeof t.y) == 0;
}

/* Where 8 points' coordinates lie. */
typedef struct {
    const stored *p[8];
} eight;

CZ_INLINE void load_x(COORD_X8 *r, const eight *points)
{
    for (int i = 0; i < PARTS; i++) {
        const uint64_t *rows[8];

        for (int k = 0; k < 8; k++)
            rows[k] = points->p[k]->x[i];
        cz_fp_x8_load(PART_X8(r, i), rows);
    }
}

CZ_INLINE void load_y(COORD_X8 *r, const eight *points)
{
    for (int i = 0; i < PARTS; i++) {
        const uint64_t *rows[8];

        for (int k = 0; k < 8; k++)
            rows[k] = points->p[k]->y[i];
        cz_fp_x8_load(PART_X8(r, i), rows);
    }
}

/* The first n x, or y, of 8 points in a row. */
CZ_INLINE void store_x(stored *r, const COORD_X8 *x, unsigned n)
{
    for (int i = 0; i < PARTS; i++) {
        uint64_t *rows[8];

        for (int k = 0; k < 8; k++)
            rows[k] = r[k].x[i];
        cz_fp_x8_store(rows, PART_X8(x, i), n);
    }
}

CZ_INLINE void store_y(stored *r, const COORD_X8 *y, unsigned n)
{
    for (int i = 0; i < PARTS; i++) {
        uint64_t *rows[8];

        for (int k = 0; k < 8; k++)
            rows[k] = r[k].y[i];
        cz_fp_x8_store(rows, PART_X8(y, i), n);
    }
}

/* ---- from and to affine points ---- */

/* 2^400 mod p: y 2^384 to y 2^-48 2^416; 2^432 mod p: back */
static const uint64_t into_factor[8] = {0x50003480e6299, 0xb2699eb128563, 0x6697c988670de,
                                        0xfe970983e84ef, 0x1e3e8a053a4e6, 0x5c20d323ecf27,
                                        0x47f12866eb638, 0x00000000156da};
static const uint64_t out_factor[8] = {0xca8e9fde36676, 0xec2e0c7cea48a, 0xba1f6b37f3e81,
                                       0xcfd26547e4c7f, 0x4d4221fc8e41c, 0x003db64c9a162,
                                       0xac25996deeb0a, 0x0000000007173};

/* The first n of 8 points. */
static void load_eight(stored *r, const AFFINE *const points[8], unsigned n)
{
    COORD_X8 x, y;
    cz_fp_x8 factor;

    cz_fp_x8_set1(&factor, into_factor);
    for (int i = 0; i < PARTS; i++) {
        const cz_fp *x_rows[8], *y_rows[8];

        for (int k = 0; k < 8; k++) {
            x_rows[k] = PART(&points[k]->x, i);
            y_rows[k] = PART(&points[k]->y, i);
        }
        cz_fp_x8_unpack(PART_X8(&x, i), x_rows);
        cz_fp_x8_unpack(PART_X8(&y, i), y_rows);
        cz_fp_x8_mul(PART_X8(&y, i), PART_X8(&y, i), &factor);
        cz_fp_x8_canonical(PART_X8(&y, i), PART_X8(&y, i));
    }
    store_x(r, &x, n);
    store_y(r, &y, n);
}

static void load_points(stored *r, const AFFINE *points, size_t n)
{
    for (size_t at = 0; at < n; at += 8) {
        unsigned m = n - at < 8 ? (unsigned)(n - at) : 8;
        const AFFINE *rows[8];

        for (unsigned k = 0; k < 8; k++)
            rows[k] = &points[at + (k < m ? k : 0)];
        load_eight(r + at, rows, m);
    }
}

static void load_selected(stored *r, const AFFINE *points, const uint32_t *which, size_t n)
{
    for (size_t at = 0; at < n; at += 8) {
        unsigned m = n - at < 8 ? (unsigned)(n - at) : 8;
        const AFFINE *rows[8];

        for (unsigned k = 0; k < 8; k++)
            rows[k] = &points[which[at + (k < m ? k : 0)]];
        for (size_t k = at + PREFETCH_LOADS; k < at + PREFETCH_LOADS + 8 && k < n; k++)
            prefetch_lines(&points[which[k]], sizeof *points);
        load_eight(r + at, rows, m);
    }
}

/* ± y of 8 points, by their refs' signs: raw */
static __mmask8 signs_of(const uint32_t refs[8])
{
    __mmask8 signs = 0;

    for (int k = 0; k < 8; k++)
        signs |= (__mmask8)((refs[k] & 1) << k);
    return signs;
}

/* The first n of 8 refs. */
static void unload_eight(AFFINE *r, const stored *pool, const uint32_t refs[8], unsigned n)
{
    eight points;
    COORD_X8 x, y;
    cz_fp_x8 factor;
    __mmask8 signs = signs_of(refs);

    for (int k = 0; k < 8; k++)
        points.p[k] = &pool[refs[k] >> 1];
    load_x(&x, &points);
    load_y(&y, &points);
    cz_fp_x8_set1(&factor, out_factor);
    for (int i = 0; i < PARTS; i++) {
        cz_fp *x_rows[8], *y_rows[8];
        cz_fp_x8 *part = PART_X8(&y, i);

        cz_fp_x8_mul(part, part, &factor);
        cz_fp_x8_negate_raw(part, part, signs); /* > -2 p */
        cz_fp_x8_add_kp_raw(part, part, 2);     /* in (0, 3 p + ...) */
        cz_fp_x8_canonical(part, part);
        for (int k = 0; k < 8; k++) {
            x_rows[k] = PART(&r[k].x, i);
            y_rows[k] = PART(&r[k].y, i);
        }
        cz_fp_x8_pack(x_rows, PART_X8(&x, i), n);
        cz_fp_x8_pack(y_rows, part, n);
    }
}

static void store_points(AFFINE *r, const stored *pool, const uint32_t *refs, size_t n)
{
    for (size_t at = 0; at < n; at += 8) {
        unsigned m = n - at < 8 ? (unsigned)(n - at) : 8;
        uint32_t some[8] = {0};

        memcpy(some, refs + at, m * sizeof *refs);
        unload_eight(r + at, pool, some, m);
    }
}

/* ---- additions ---- */

/* The pairs of one vector: operands and their signs. */
typedef struct {
    eight a, b;
    __mmask8 negate_a, negate_b;
} operands;

/* log2 of a stored point's size */
enum { LOG_STORED = 6 + PARTS };
_Static_assert(sizeof(stored) == 1 << LOG_STORED, "a slot's offset is a shift");

/* Pairs at … at + 7; those from n on repeat the last one. A pair is two refs in 64 bits. */
CZ_INLINE void take_pairs(operands *o, const stored *pool, const pair *pairs, size_t at, size_t n)
{
    const __m512i base = _mm512_set1_epi64((long long)(uintptr_t)pool);
    const __m512i slot_bits = _mm512_set1_epi64(0xfffffffe);
    __m512i v, a, b;

    if (__builtin_expect(at + 8 <= n, 1)) {
        v = _mm512_loadu_si512(pairs + at);
    } else {
        size_t from = at < n ? at : n; /* the second vector may be empty */
        __mmask8 there = (__mmask8)((1u << (n - from)) - 1);
        uint64_t last;

        memcpy(&last, pairs + n - 1, sizeof last);
        v = _mm512_mask_loadu_epi64(CZ_X8_SET1(last), there, pairs + from);
    }
    o->negate_a = _mm512_test_epi64_mask(v, _mm512_set1_epi64(1));
    o->negate_b = _mm512_test_epi64_mask(v, _mm512_set1_epi64((long long)1 << 32));
    a = _mm512_and_si512(v, slot_bits);
    b = _mm512_and_si512(_mm512_srli_epi64(v, 32), slot_bits);
    _mm512_storeu_si512(o->a.p, _mm512_add_epi64(base, _mm512_slli_epi64(a, LOG_STORED - 1)));
    _mm512_storeu_si512(o->b.p, _mm512_add_epi64(base, _mm512_slli_epi64(b, LOG_STORED - 1)));
    __asm__("" : "+m"(*o)); /* addresses are to be loaded again, not taken out of the vectors */
}

/* Sort out the lanes in `maybe`, of which one may be no chord; d is put right there. */
static __attribute__((noinline)) void find_special(special_lanes *s, COORD_X8 *d, const operands *o,
                                                   __mmask8 maybe)
{
    COORD_X8 y, one;

    for (unsigned k = 0; k < 8; k++) {
        const stored *a = o->a.p[k];
        const stored *b = o->b.p[k];
        uint8_t bit = (uint8_t)(1u << k);

        if ((maybe & bit) == 0)
            continue;
        if (stored_is_infinity(a))
            s->only_b |= bit;
        else if (stored_is_infinity(b))
            s->only_a |= bit;
        else if (memcmp(a->x, b->x, sizeof a->x) != 0)
            continue;
        else if (same_y(a, b, ((o->negate_a ^ o->negate_b) & bit) != 0))
            s->tangent |= bit;
        else
            s->cancel |= bit;
    }
    load_y(&y, &o->a);
    X(negate_raw)(&y, &y, o->negate_a);
    X(add_kp_raw)(&y, &y, 1);
    X(add_raw)(&y, &y, &y); /* 2 (± y_a + p) */
    X(carry)(&y);
    X(set_one)(&one);
    X(blend)(d, s->tangent, d, &y);
    X(blend)(d, (__mmask8)(s->only_a | s->only_b | s->cancel), d, &one);
}

/* Denominators of the vector that holds pairs at … at + 7. */
CZ_INLINE void find_denominators(const stored *pool, const pair *pairs, size_t at, size_t n,
                                 add_scratch *s)
{
    size_t v = at / 8;
    COORD_X8 x_a, x_b, d;
    operands o;
    __mmask8 maybe;

    take_pairs(&o, pool, pairs, at, n);
    load_x(&x_a, &o.a);
    load_x(&x_b, &o.b);
    X(sub_kp)(&d, &x_b, &x_a, 1); /* < 2 p */
    X(copy)(&s->denominators[v], &d);
    X(copy)(&s->x_a[v], &x_a);
    maybe = (__mmask8)(X(maybe_equal)(&x_a, &x_b) | X(maybe_zero)(&x_a) | X(maybe_zero)(&x_b));
    s->special[v] = (special_lanes){0, 0, 0, 0};
    if (__builtin_expect(maybe != 0, 0))
        find_special(&s->special[v], &s->denominators[v], &o, maybe);
}

CZ_INLINE void prefetch_x(const stored *pool, const pair *pairs, size_t at, size_t n)
{
    for (size_t i = at; i < at + GROUP_PAIRS && at + GROUP_PAIRS <= n; i++) {
        prefetch_lines(pool[pairs[i].a >> 1].x, sizeof pool->x);
        prefetch_lines(pool[pairs[i].b >> 1].x, sizeof pool->x);
    }
}

/* Fills the scratch; prefix[n_vectors] and the next are the products of all denominators. */
static void go_forward(const stored *pool, const pair *pairs, size_t n, add_scratch *s)
{
    COORD_X8 *prefix = s->prefix;

    X(set_one)(&prefix[0]);
    X(set_one)(&prefix[1]);
    for (size_t at = 0; at < n; at += GROUP_PAIRS) {
        const COORD_X8 *d = &s->denominators[at / 8];

        prefetch_x(pool, pairs, at + PREFETCH_PAIRS, n);
        find_denominators(pool, pairs, at, n, s);
        X(mul)(&prefix[VECTORS], &prefix[0], &d[0]);
        find_denominators(pool, pairs, at + 8, n, s);
        X(mul)(&prefix[VECTORS + 1], &prefix[1], &d[1]);
        prefix += VECTORS;
    }
}

/* 1/a in every lane, a != 0 the same in all lanes: once, in field/fp.h's form. The integer D 2^416
 * is D 2^32 there; its inverse is the integer D^-1 2^352, and the factor 2^448 / 2^384 brings it
 * home. */
static void invert_all_alike(COORD_X8 *r, const COORD_X8 *a)
{
    static const cz_fp home = {{0x42b7fde37dba9366, 0x7784894e27525bc3, 0xb2b91b9dc1f5b1e9,
                                0x206f497dfcafb872, 0x594137cc89a9b0bb, 0x0411cd9d20d7e399}};
    COORD_X8 reduced;
    COORD plain;

    X(canonical)(&reduced, a);
    for (int i = 0; i < PARTS; i++) {
        cz_fp *rows[8] = {PART(&plain, i)};

        for (int k = 1; k < 8; k++)
            rows[k] = rows[0];
        cz_fp_x8_pack(rows, PART_X8(&reduced, i), 1);
    }
    C(inv_var)(&plain, &plain);
    for (int i = 0; i < PARTS; i++) {
        const cz_fp *rows[8];

        cz_fp_mul(PART(&plain, i), PART(&plain, i), &home);
        for (int k = 0; k < 8; k++)
            rows[k] = PART(&plain, i);
        cz_fp_x8_unpack(PART_X8(r, i), rows);
    }
}

/* The inverses of all lanes of both vectors: products of halves, up to one element and back. */
static void invert_lanes(COORD_X8 r[VECTORS], const COORD_X8 a[VECTORS])
{
    COORD_X8 others[3]; /* what each lane was multiplied by */
    COORD_X8 all;

    X(mul)(&all, &a[0], &a[1]);
    for (int i = 0; i < 3; i++) {
        X(exchange)(&others[i], &all, 1 << i);
        X(mul)(&all, &all, &others[i]);
    }
    invert_all_alike(&all, &all);
    for (int i = 3; i-- > 0;)
        X(mul)(&all, &all, &others[i]);
    X(mul)(&r[0], &all, &a[1]);
    X(mul)(&r[1], &all, &a[0]);
}

/* What one vector's additions go through. */
typedef struct {
    operands o;
    COORD_X8 slope; /* its numerator first */
    COORD_X8 t;     /* 1/denominator, then slope^2, then slope (x_a - x) */
    COORD_X8 run;   /* x_a - x */
    COORD_X8 y_a;   /* with its sign, raw */
} addition;

/* ± y_a, and the slope's numerator, ± y_b ∓ y_a + 2 p: < 4 p */
CZ_INLINE void load_ys(addition *t, const stored *pool, const pair *pairs, size_t at, size_t n)
{
    COORD_X8 y_a, y_b;

    take_pairs(&t->o, pool, pairs, at, n);
    load_y(&y_a, &t->o.a);
    X(negate_raw)(&y_a, &y_a, t->o.negate_a);
    X(copy)(&t->y_a, &y_a);
    load_y(&y_b, &t->o.b);
    X(negate_raw)(&y_b, &y_b, t->o.negate_b);
    X(sub_raw)(&y_b, &y_b, &y_a);
    X(add_kp_raw)(&y_b, &y_b, 2);
    X(carry)(&y_b);
    X(copy)(&t->slope, &y_b);
}

/* Tangents: numerator 3 x_a^2, and p for the denominator, as if it were x_a - x_a + p. */
static __attribute__((noinline)) void patch_tangents(addition *t, COORD_X8 *d, const COORD_X8 *x_a,
                                                     __mmask8 tangent)
{
    COORD_X8 xx, triple;

    X(sqr)(&xx, x_a);
    X(add_raw)(&triple, &xx, &xx);
    X(add_raw)(&triple, &triple, &xx);
    X(carry)(&triple); /* < 3 p + ... */
    X(blend)(&t->slope, tangent, &t->slope, &triple);
    X(sub_raw)(&xx, &xx, &xx);
    X(add_kp_raw)(&xx, &xx, 1);
    X(blend)(d, tangent, d, &xx);
}

/* Lanes that are no sum of two points, after the others were stored. */
static __attribute__((noinline)) void patch_copies(stored *out, const operands *o,
                                                   const special_lanes *s, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        if ((s->only_a >> k & 1) != 0)
            stored_copy(&out[k], o->a.p[k], o->negate_a >> k & 1);
        else if ((s->only_b >> k & 1) != 0)
            stored_copy(&out[k], o->b.p[k], o->negate_b >> k & 1);
        else if ((s->cancel >> k & 1) != 0)
            stored_set_infinity(&out[k]);
    }
}

/* x = slope^2 - x_a - x_b, x_b being d + x_a - p, to where it belongs; and x_a - x: < 2 p */
CZ_INLINE void finish_x(addition *t, stored *to, const COORD_X8 *x_a, const COORD_X8 *d, unsigned n)
{
    COORD_X8 x, run;

    X(sub_raw)(&x, &t->t, d);
    X(sub_raw)(&x, &x, x_a);
    X(sub_raw)(&x, &x, x_a);  /* > -3 p */
    X(add_kp_raw)(&x, &x, 3); /* in (0, 3 p + ...) */
    X(canonical)(&x, &x);
    X(sub_kp)(&run, x_a, &x, 1);
    X(copy)(&t->run, &run);
    store_x(to, &x, n);
}

/* y = slope (x_a - x) ∓ y_a, to where it belongs */
CZ_INLINE void finish_y(addition *t, stored *to, const special_lanes *special, unsigned n)
{
    COORD_X8 y;

    X(sub_raw)(&y, &t->t, &t->y_a); /* > -p */
    X(add_kp_raw)(&y, &y, 1);       /* in (0, 3 p + ...) */
    X(canonical)(&y, &y);
    store_y(to, &y, n);
    if (__builtin_expect((special->only_a | special->only_b | special->cancel) != 0, 0))
        patch_copies(to, &t->o, special, n);
}

CZ_INLINE void prefetch_y(const stored *pool, const pair *pairs, size_t at)
{
    for (size_t i = at; i < at + GROUP_PAIRS; i++) {
        prefetch_lines(pool[pairs[i].a >> 1].y, sizeof pool->y);
        prefetch_lines(pool[pairs[i].b >> 1].y, sizeof pool->y);
    }
}

static unsigned lanes_left(size_t at, size_t n)
{
    return at >= n ? 0 : n - at < 8 ? (unsigned)(n - at) : 8;
}

/* Pairs at … at + 15. inverse: of the running products up to them, on return of those before. The
 * two vectors take turns, and loads stand between products, so that both keep the CPU busy. */
static void backward_group(stored *pool, const pair *pairs, size_t at, size_t n, uint32_t out,
                           add_scratch *s, COORD_X8 inverse[VECTORS])
{
    const COORD_X8 *prefix = &s->prefix[at / 8];
    const COORD_X8 *x_a = &s->x_a[at / 8];
    const special_lanes *special = &s->special[at / 8];
    COORD_X8 *d = &s->denominators[at / 8];
    stored *to = &pool[out + at];
    unsigned left_a = lanes_left(at, n);
    unsigned left_b = lanes_left(at + 8, n);
    addition a, b;

    X(mul)(&a.t, &inverse[0], &prefix[0]);
    load_ys(&a, pool, pairs, at, n);
    X(mul)(&b.t, &inverse[1], &prefix[1]);
    load_ys(&b, pool, pairs, at + 8, n);
    X(mul)(&inverse[0], &inverse[0], &d[0]);
    X(mul)(&inverse[1], &inverse[1], &d[1]);
    if (__builtin_expect((special[0].tangent | special[1].tangent) != 0, 0)) {
        patch_tangents(&a, &d[0], &x_a[0], special[0].tangent);
        patch_tangents(&b, &d[1], &x_a[1], special[1].tangent);
    }
    X(mul)(&a.slope, &a.slope, &a.t);
    X(mul)(&b.slope, &b.slope, &b.t);
    X(sqr)(&a.t, &a.slope);
    X(sqr)(&b.t, &b.slope);
    finish_x(&a, to, &x_a[0], &d[0], left_a);
    X(mul)(&a.t, &a.slope, &a.run);
    finish_x(&b, to + 8, &x_a[1], &d[1], left_b);
    X(mul)(&b.t, &b.slope, &b.run);
    finish_y(&a, to, &special[0], left_a);
    finish_y(&b, to + 8, &special[1], left_b);
}

/* pool[out + i] = the sum of pair i, for n pairs; none of them reads what the others write. */
static void add_pairs(stored *pool, const pair *pairs, size_t n, uint32_t out, add_scratch *s)
{
    size_t at = (n + GROUP_PAIRS - 1) / GROUP_PAIRS * GROUP_PAIRS;
    COORD_X8 inverse[VECTORS];

    go_forward(pool, pairs, n, s);
    invert_lanes(inverse, &s->prefix[at / 8]);
    while (at > 0) {
        at -= GROUP_PAIRS;
        if (at >= PREFETCH_PAIRS)
            prefetch_y(pool, pairs, at - PREFETCH_PAIRS);
        backward_group(pool, pairs, at, n, out, s, inverse);
    }
}
