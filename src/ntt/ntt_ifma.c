/* ntt_ifma.c: the wide form: the eight transforms of a tile at once, one a lane (field/fr_ifma.h).
 *
 * A tile lies in the scratch as m vectors of 5 x 52-bit limbs; the network's form (4 x 64) is left
 * on the way in and met again on the way out. Values stay lazily reduced in between. In units of r:
 *
 *   in scratch   [0.8, 33)
 *   radix 4      a -> [0.8, 9.7), b -> [0.8, 17.7); c, d are multiplied and need nothing;
 *                each layer adds a product, [0, 10.1), or subtracts it from 11 more: a ends below
 *                9.7 + 2 x 11 = 31.7, b never passes 17.7 + 11 = 28.7; 35.3 is where 2^260 lies
 *   twist        a product and 1: [1, 11.1)
 *
 * Limbs gain at most 2^56.2 in absolute value a layer and are carried where they are multiplied, so
 * 14 layers without a twist stay below 2^60. */
#include <stdlib.h>

#include "base/cpu.h"
#include "field/fr_ifma.h"
#include "ntt/ntt_forms.h"

/* A view of the scratch. Uniform tables hold eight factors an entry, one a lane: factor i is lane
 * cz_fr8_lane[i % 8] of entry i / 8. Tables of lanes hold one factor for each lane an entry. */
typedef struct {
    bool *unit_base;           /* the base is 1: u is the table */
    cz_fr8 *x;                 /* m */
    cz_fr8_factor *table;      /* m / 8: factors of layer j from 2^j */
    cz_fr8_factor *post;       /* m / 8 */
    cz_fr8_factor *lane_table; /* layer j from 2^j, first layers */
    cz_fr8_factor *twist;
} view;

/* The table of a layer. */
typedef struct {
    const cz_fr8_factor *entries;
    size_t first;
    bool per_lane;
} layer_table;

static size_t lane_table_size(unsigned log_m)
{
    return (size_t)1 << cz_ntt_lane_layers(log_m);
}

static size_t twist_size(unsigned log_m)
{
    return (size_t)1 << (log_m - cz_ntt_lane_layers(log_m));
}

static size_t table_entries(unsigned log_m)
{
    return log_m < 3 ? 1 : (size_t)1 << (log_m - 3);
}

static size_t scratch_bytes(unsigned log_m)
{
    size_t factors = 2 * table_entries(log_m) + lane_table_size(log_m) + twist_size(log_m);

    return 64 + (sizeof(cz_fr8) << log_m) + factors * sizeof(cz_fr8_factor);
}

static view view_of(void *scratch, unsigned log_m)
{
    view v = {.unit_base = scratch};

    v.x = (cz_fr8 *)((char *)scratch + 64);
    v.table = (cz_fr8_factor *)(v.x + ((size_t)1 << log_m));
    v.post = v.table + table_entries(log_m);
    v.lane_table = v.post + table_entries(log_m);
    v.twist = v.lane_table + lane_table_size(log_m);
    return v;
}

static const cz_fr8_factor *u_of(const cz_ntt_pass *pass)
{
    return pass->job->plan->u_ifma[pass->job->inverse];
}

/* ---- tables ---- */

static cz_fr8 one_r(void)
{
    return cz_fr8_broadcast(cz_fr8_1r);
}

/* x w, canonical; x carried */
static cz_fr8 product(cz_fr8 x, const cz_fr8_factor *f)
{
    return cz_fr8_canonical(cz_fr8_mul_add(one_r(), x, f));
}

static cz_fr8_factor factor_at(const cz_fr8_factor *table, size_t i)
{
    return cz_fr8_factor_lane(&table[i / 8], cz_fr8_lane[i % 8]);
}

static cz_fr8_factor factors_of(const cz_fr xs[8])
{
    return cz_fr8_prepare(cz_fr8_plain(cz_fr8_load(xs)));
}

/* Factors of n elements, n a multiple of 8 or padded to one. */
static void make_factors(cz_fr8_factor *out, const cz_fr *xs, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        cz_fr eight[8];

        for (size_t k = 0; k < 8; k++)
            eight[k] = xs[i + k < n ? i + k : 0];
        out[i / 8] = factors_of(eight);
    }
}

size_t cz_ntt_ifma_u_bytes(unsigned log_u)
{
    return (((size_t)1 << log_u) + 7) / 8 * sizeof(cz_fr8_factor);
}

cz_err cz_ntt_ifma_make_u(void **out, const cz_fr *u, unsigned log_u)
{
    const size_t n = (size_t)1 << log_u;
    cz_fr8_factor *table = aligned_alloc(64, cz_ntt_ifma_u_bytes(log_u));

    if (table == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the twiddles of a transform");
    make_factors(table, u, n);
    *out = table;
    return CZ_OK;
}

/* Layers 0, 1 and 2 share entry 0 of the table: factor 2^j + i is u[i] s[j]. */
static cz_fr8_factor first_entry(const cz_fr *u, const cz_fr *s)
{
    cz_fr eight[8] = {CZ_FR_ONE};

    for (size_t j = 0; j < 3; j++)
        for (size_t i = 0; i < (size_t)1 << j; i++)
            cz_fr_mul(&eight[((size_t)1 << j) + i], &u[i], &s[j]);
    return factors_of(eight);
}

static void set_base(void *scratch, const cz_ntt_pass *pass, const cz_fr *base)
{
    const view v = view_of(scratch, pass->log_m);
    const cz_fr8_factor *u = u_of(pass);
    cz_fr8_factor s_factors[2];
    cz_fr s[16] = {CZ_FR_ZERO}; /* base^(m / 2^(j + 1)) */

    *v.unit_base = cz_fr_is_one(base);
    if (*v.unit_base)
        return;
    s[pass->log_m - 1] = *base;
    for (unsigned j = pass->log_m - 1; j-- > 0;)
        cz_fr_sqr(&s[j], &s[j + 1]);
    make_factors(s_factors, s, 16);
    v.table[0] = first_entry(pass->job->plan->u[pass->job->inverse], s);
    for (unsigned j = 3; j < pass->log_m; j++) {
        const cz_fr8_factor s_j = factor_at(s_factors, j);
        const size_t entries = (size_t)1 << (j - 3);

        for (size_t i = 0; i < entries; i++)
            v.table[entries + i] = cz_fr8_prepare(product(u[i].w, &s_j));
    }
}

static void set_post(void *scratch, const cz_ntt_pass *pass, const cz_fr *post)
{
    const size_t m = (size_t)1 << pass->log_m;
    cz_fr8_factor *out = view_of(scratch, pass->log_m).post;
    cz_fr *powers = (cz_fr *)view_of(scratch, pass->log_m).x; /* free before the first tile */
    cz_fr p = CZ_FR_ONE;

    for (size_t k = 0; k < m; k++) {
        powers[cz_ntt_rev(k, pass->log_m)] = p;
        cz_fr_mul(&p, &p, post);
    }
    make_factors(out, powers, m);
}

/* Tables of lanes: layer j's factor i is u[i] s[j]; part q's twist is scale base^q. */
static void set_lanes(const view *v, const cz_ntt_pass *pass, const cz_fr *bases,
                      const cz_fr *scales)
{
    const unsigned layers = cz_ntt_lane_layers(pass->log_m);
    const cz_fr8_factor base = factors_of(bases);
    const cz_fr8_factor *u = u_of(pass);
    cz_fr8_factor s = base;
    cz_fr8 twist = cz_fr8_plain(cz_fr8_load(scales));

    for (unsigned j = pass->log_m; j-- > 0; s = cz_fr8_prepare(product(s.w, &s))) {
        cz_fr8_factor *out = v->lane_table + ((size_t)1 << j);

        if (j >= layers)
            continue;
        out[0] = s;
        for (size_t i = 1; i < (size_t)1 << j; i++) {
            const cz_fr8_factor u_i = factor_at(u, i);

            out[i] = cz_fr8_prepare(product(s.w, &u_i));
        }
    }
    for (size_t i = 0; i < twist_size(pass->log_m); i++) {
        v->twist[i] = cz_fr8_prepare(twist);
        twist = product(twist, &base);
    }
}

/* ---- layers ---- */

/* (a, b) -> (a + w b, a - w b + 11 r), a as it comes, b carried */
CZ_INLINE void butterfly(cz_fr8 *a, cz_fr8 *b, const cz_fr8_factor *w)
{
    const cz_fr8 twice = cz_fr8_add(cz_fr8_add(*a, *a), cz_fr8_broadcast(cz_fr8_11r));

    *a = cz_fr8_mul_add(*a, *b, w);
    *b = cz_fr8_sub(twice, *a);
}

/* A factor of a layer: where it lies, or spread out from a uniform table. Spreading anew for each
 * butterfly costs load slots, which are free; keeping the copy costs stores (5 to 15 % slower). */
CZ_INLINE const cz_fr8_factor *twiddle(cz_fr8_factor *spread, layer_table table, size_t i)
{
    if (table.per_lane)
        return &table.entries[table.first + i];
    *spread = factor_at(table.entries, table.first + i);
    return spread;
}

CZ_INLINE void butterfly2(cz_fr8 *p, const cz_ntt_walk *walk, layer_table table, size_t i)
{
    cz_fr8 a = cz_fr8_below_10r(p[0]), b = cz_fr8_carry(p[walk->d]);
    cz_fr8_factor spread;

    butterfly(&a, &b, twiddle(&spread, table, i));
    p[0] = a;
    p[walk->d] = b;
}

CZ_INLINE void butterfly4(cz_fr8 *p, const cz_ntt_walk *walk, layer_table table, layer_table next,
                          size_t i)
{
    cz_fr8 a = cz_fr8_below_10r(p[0]), b = cz_fr8_below_18r(p[walk->d1]);
    cz_fr8 c = cz_fr8_carry(p[walk->d2]), d = cz_fr8_carry(p[walk->d3]);
    cz_fr8_factor spread[3];
    const cz_fr8_factor *w = twiddle(&spread[0], table, i);

    butterfly(&b, &d, w);
    butterfly(&a, &c, w);
    b = cz_fr8_carry(b);
    d = cz_fr8_carry(d);
    butterfly(&a, &b, twiddle(&spread[1], next, 2 * i));
    butterfly(&c, &d, twiddle(&spread[2], next, 2 * i + 1));
    p[0] = a;
    p[walk->d1] = b;
    p[walk->d2] = c;
    p[walk->d3] = d;
}

/* Compiled once for either kind of table. */
CZ_INLINE void radix2_of_kind(cz_fr8 *x, const cz_ntt_pass *pass, unsigned j, layer_table table)
{
    const bool from_rev = pass->job->from_rev;
    const cz_ntt_walk walk = cz_ntt_walk_of(pass->log_m, j, 1, from_rev);

    for (size_t i = 0; i < (size_t)1 << j; i++) {
        cz_fr8 *p = x + cz_ntt_walk_start(pass->log_m, j, from_rev, i);

        for (size_t t = 0; t < walk.count; t++, p += walk.step)
            butterfly2(p, &walk, table, i);
    }
}

CZ_INLINE void radix4_of_kind(cz_fr8 *x, const cz_ntt_pass *pass, unsigned j, layer_table table,
                              layer_table next)
{
    const bool from_rev = pass->job->from_rev;
    const cz_ntt_walk walk = cz_ntt_walk_of(pass->log_m, j, 2, from_rev);

    for (size_t i = 0; i < (size_t)1 << j; i++) {
        cz_fr8 *p = x + cz_ntt_walk_start(pass->log_m, j, from_rev, i);

        for (size_t t = 0; t < walk.count; t++, p += walk.step)
            butterfly4(p, &walk, table, next, i);
    }
}

static void radix2(cz_fr8 *x, const cz_ntt_pass *pass, unsigned j, layer_table t)
{
    if (t.per_lane)
        radix2_of_kind(x, pass, j, (layer_table){t.entries, t.first, true});
    else
        radix2_of_kind(x, pass, j, (layer_table){t.entries, t.first, false});
}

static void radix4(cz_fr8 *x, const cz_ntt_pass *pass, unsigned j, layer_table t, layer_table next)
{
    if (t.per_lane)
        radix4_of_kind(x, pass, j, (layer_table){t.entries, t.first, true},
                       (layer_table){next.entries, next.first, true});
    else
        radix4_of_kind(x, pass, j, (layer_table){t.entries, t.first, false},
                       (layer_table){next.entries, next.first, false});
}

static layer_table from_u(const view *v, const cz_ntt_pass *pass, unsigned j)
{
    (void)v;
    (void)j;
    return (layer_table){u_of(pass), 0, false};
}

static layer_table from_table(const view *v, const cz_ntt_pass *pass, unsigned j)
{
    if (*v->unit_base)
        return from_u(v, pass, j);
    return (layer_table){v->table, (size_t)1 << j, false};
}

static layer_table from_lanes(const view *v, const cz_ntt_pass *pass, unsigned j)
{
    (void)pass;
    return (layer_table){v->lane_table, (size_t)1 << j, true};
}

/* Layers [from, to). */
static void run_layers(const view *v, const cz_ntt_pass *pass, unsigned from, unsigned to,
                       layer_table (*table_of)(const view *, const cz_ntt_pass *, unsigned))
{
    unsigned j = from;

    if ((to - from) % 2 == 1) {
        radix2(v->x, pass, j, table_of(v, pass, j));
        j++;
    }
    for (; j < to; j += 2)
        radix4(v->x, pass, j, table_of(v, pass, j), table_of(v, pass, j + 1));
}

static void twist(const view *v, const cz_ntt_pass *pass, unsigned layers)
{
    const unsigned rest = pass->log_m - layers;

    for (size_t i = 0; i < (size_t)1 << pass->log_m; i++) {
        size_t part =
            pass->job->from_rev ? cz_ntt_rev(i >> layers, rest) : i & (((size_t)1 << rest) - 1);

        v->x[i] = cz_fr8_mul_add(one_r(), cz_fr8_carry(v->x[i]), &v->twist[part]);
    }
}

/* ---- tiles ---- */

/* Columns, with layers 0 and 1 of base 1: the twiddles are 1, 1 and u[1] = sqrt(-1). In units of r,
 * what is loaded is below 2.3 and what results in [1, 18). */
static void enter_unit4(const cz_ntt_tile *tile, cz_fr8 *x, size_t m, const cz_fr8_factor *u)
{
    const size_t quarter = m / 4, gap = quarter * tile->stride;
    const cz_fr8_factor i_factor = factor_at(u, 1);
    const cz_fr8 four_r = cz_fr8_broadcast(cz_fr8_4r);

    for (size_t t = 0; t < quarter; t++) {
        const cz_fr *p = tile->xs + t * tile->stride;
        const cz_fr8 a = cz_fr8_load(p), b = cz_fr8_load(p + gap);
        const cz_fr8 c = cz_fr8_load(p + 2 * gap), d = cz_fr8_load(p + 3 * gap);
        const cz_fr8 ac = cz_fr8_add(a, c), bd = cz_fr8_add(b, d);
        cz_fr8 e = cz_fr8_sub(cz_fr8_add(a, four_r), c);
        cz_fr8 f = cz_fr8_carry(cz_fr8_sub(cz_fr8_add(b, four_r), d));

        butterfly(&e, &f, &i_factor);
        x[t] = cz_fr8_add(cz_fr8_add(ac, bd), one_r());
        x[t + quarter] = cz_fr8_sub(cz_fr8_add(ac, cz_fr8_broadcast(cz_fr8_8r)), bd);
        x[t + 2 * quarter] = e;
        x[t + 3 * quarter] = f;
    }
}

static void enter(const cz_ntt_tile *tile, cz_fr8 *x, size_t m)
{
    if (tile->lane_gap == 1) {
        for (size_t i = 0; i < m; i++)
            x[i] = cz_fr8_add(cz_fr8_load(tile->xs + i * tile->stride), one_r());
        return;
    }
    for (size_t i = 0; i < m; i += 2) {
        cz_fr8_load_rows(x + i, tile->xs + i, tile->lane_gap);
        x[i] = cz_fr8_add(x[i], one_r());
        x[i + 1] = cz_fr8_add(x[i + 1], one_r());
    }
}

/* Between passes values need only fit 256 bits. */
CZ_INLINE cz_fr8 finish(const view *v, const cz_ntt_pass *pass, size_t i)
{
    cz_fr8 a = v->x[i];

    if (!pass->last)
        return cz_fr8_below_2r(a);
    if (pass->job->has_post) {
        const cz_fr8_factor f = factor_at(v->post, i);

        a = cz_fr8_mul_add(one_r(), cz_fr8_carry(a), &f);
    }
    return cz_fr8_canonical(a);
}

static void leave(const cz_ntt_tile *tile, const view *v, const cz_ntt_pass *pass)
{
    const size_t m = (size_t)1 << pass->log_m;

    if (tile->lane_gap == 1) {
        for (size_t i = 0; i < m; i++)
            cz_fr8_store(tile->xs + i * tile->stride, finish(v, pass, i));
        return;
    }
    for (size_t i = 0; i < m; i += 2) {
        const cz_fr8 two[2] = {finish(v, pass, i), finish(v, pass, i + 1)};

        cz_fr8_store_rows(tile->xs + i, tile->lane_gap, two);
    }
}

static void uniform_tile(void *scratch, const cz_ntt_pass *pass, const cz_ntt_tile *tile)
{
    const view v = view_of(scratch, pass->log_m);
    unsigned done = 0;

    if (*v.unit_base && tile->lane_gap == 1 && !pass->job->from_rev) {
        enter_unit4(tile, v.x, (size_t)1 << pass->log_m, u_of(pass));
        done = 2;
    } else {
        enter(tile, v.x, (size_t)1 << pass->log_m);
    }
    run_layers(&v, pass, done, pass->log_m, from_table);
    leave(tile, &v, pass);
}

static void lanes_tile(void *scratch, const cz_ntt_pass *pass, const cz_ntt_tile *tile,
                       const cz_fr *bases, const cz_fr *scales)
{
    const view v = view_of(scratch, pass->log_m);
    const unsigned layers = cz_ntt_lane_layers(pass->log_m);

    set_lanes(&v, pass, bases, scales);
    enter(tile, v.x, (size_t)1 << pass->log_m);
    run_layers(&v, pass, 0, layers, from_lanes);
    twist(&v, pass, layers);
    run_layers(&v, pass, layers, pass->log_m, from_u);
    leave(tile, &v, pass);
}

static void multiply(cz_fr *a, const cz_fr *b, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        cz_fr8 product_ = cz_fr8_mont_mul(cz_fr8_load(a + i), cz_fr8_load(b + i));

        cz_fr8_store(a + i, cz_fr8_canonical(product_));
    }
}

static bool runs_here(void)
{
    return cz_cpu_has(CZ_CPU_AVX512IFMA);
}

const cz_ntt_form_table cz_ntt_ifma = {"ifma",   runs_here,    scratch_bytes, set_base,
                                       set_post, uniform_tile, lanes_tile,    multiply};
