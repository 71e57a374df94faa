/* ntt_cpu.c: the scalar form: a tile's transforms one after another, in radix 4.
 *
 * Columns are copied into eight contiguous arrays first, so that a transform runs in the cache and
 * whole runs of eight elements cross the bus; rows are transformed where they lie. */
#include <string.h>

#include "ntt/ntt_forms.h"

/* A view of the scratch. */
typedef struct {
    bool *unit_base;   /* the base of `table` is 1 */
    cz_fr *columns;    /* 8 m */
    cz_fr *table;      /* m: layer j of the uniform base at 2^j */
    cz_fr *post;       /* m */
    cz_fr *lane_table; /* likewise for one lane, first layers */
    cz_fr *twist;
} view;

static size_t lane_table_size(unsigned log_m)
{
    return (size_t)1 << cz_ntt_lane_layers(log_m);
}

static size_t twist_size(unsigned log_m)
{
    return (size_t)1 << (log_m - cz_ntt_lane_layers(log_m));
}

static size_t scratch_bytes(unsigned log_m)
{
    size_t elements = 10 * ((size_t)1 << log_m) + lane_table_size(log_m) + twist_size(log_m);

    return 64 + (elements * sizeof(cz_fr) + 63) / 64 * 64;
}

static view view_of(void *scratch, unsigned log_m)
{
    const size_t m = (size_t)1 << log_m;
    view v = {.unit_base = scratch};

    v.columns = (cz_fr *)((char *)scratch + 64);
    v.table = v.columns + CZ_NTT_LANES * m;
    v.post = v.table + m;
    v.lane_table = v.post + m;
    v.twist = v.lane_table + lane_table_size(log_m);
    return v;
}

static const cz_fr *u_of(const cz_ntt_pass *pass)
{
    return pass->job->plan->u[pass->job->inverse];
}

/* Twiddles of the first `layers` layers: layer j at 2^j. */
static void make_table(cz_fr *table, const cz_fr *u, unsigned log_m, unsigned layers,
                       const cz_fr *base)
{
    cz_fr s = *base; /* base^(m / 2^(j + 1)) */

    for (unsigned j = log_m; j-- > 0; cz_fr_sqr(&s, &s)) {
        if (j >= layers)
            continue;
        for (size_t i = 0; i < (size_t)1 << j; i++)
            cz_fr_mul(&table[((size_t)1 << j) + i], &u[i], &s);
    }
}

static void set_base(void *scratch, const cz_ntt_pass *pass, const cz_fr *base)
{
    const view v = view_of(scratch, pass->log_m);

    *v.unit_base = cz_fr_is_one(base);
    if (!*v.unit_base)
        make_table(v.table, u_of(pass), pass->log_m, pass->log_m, base);
}

static void set_post(void *scratch, const cz_ntt_pass *pass, const cz_fr *post)
{
    cz_fr *out = view_of(scratch, pass->log_m).post;
    cz_fr p = CZ_FR_ONE;

    for (size_t k = 0; k < (size_t)1 << pass->log_m; k++) {
        out[cz_ntt_rev(k, pass->log_m)] = p;
        cz_fr_mul(&p, &p, post);
    }
}

CZ_INLINE void butterfly(cz_fr *a, cz_fr *b, const cz_fr *w)
{
    cz_fr t;

    cz_fr_mul(&t, b, w);
    cz_fr_sub(b, a, &t);
    cz_fr_add(a, a, &t);
}

CZ_INLINE void unit_butterfly(cz_fr *a, cz_fr *b)
{
    cz_fr t = *b;

    cz_fr_sub(b, a, &t);
    cz_fr_add(a, a, &t);
}

/* The butterflies of twiddle i. */
static void radix2_at(cz_fr *p, const cz_ntt_walk *walk, const cz_fr *w)
{
    for (size_t t = 0; t < walk->count; t++, p += walk->step)
        butterfly(p, p + walk->d, w);
}

static void radix4_at(cz_fr *p, const cz_ntt_walk *walk, const cz_fr *w, const cz_fr *next)
{
    for (size_t t = 0; t < walk->count; t++, p += walk->step) {
        butterfly(p, p + walk->d2, w);
        butterfly(p + walk->d1, p + walk->d3, w);
        butterfly(p, p + walk->d1, &next[0]);
        butterfly(p + walk->d2, p + walk->d3, &next[1]);
    }
}

/* Those of twiddle 0 of u: the twiddles are 1, 1 and u[1] = sqrt(-1). */
static void unit_radix2(cz_fr *p, const cz_ntt_walk *walk)
{
    for (size_t t = 0; t < walk->count; t++, p += walk->step)
        unit_butterfly(p, p + walk->d);
}

static void unit_radix4(cz_fr *p, const cz_ntt_walk *walk, const cz_fr *root)
{
    for (size_t t = 0; t < walk->count; t++, p += walk->step) {
        unit_butterfly(p, p + walk->d2);
        unit_butterfly(p + walk->d1, p + walk->d3);
        unit_butterfly(p, p + walk->d1);
        butterfly(p + walk->d2, p + walk->d3, root);
    }
}

/* Layer j with the table of a base, or with u where table is NULL. */
static void radix2(cz_fr *x, const cz_ntt_pass *pass, unsigned j, const cz_fr *table)
{
    const bool from_rev = pass->job->from_rev;
    const cz_ntt_walk walk = cz_ntt_walk_of(pass->log_m, j, 1, from_rev);
    const size_t n = (size_t)1 << j;
    const cz_fr *w = table != NULL ? table + n : u_of(pass);
    size_t i = 0;

    if (table == NULL)
        unit_radix2(x + cz_ntt_walk_start(pass->log_m, j, from_rev, i++), &walk);
    for (; i < n; i++)
        radix2_at(x + cz_ntt_walk_start(pass->log_m, j, from_rev, i), &walk, &w[i]);
}

/* Layers j and j + 1. */
static void radix4(cz_fr *x, const cz_ntt_pass *pass, unsigned j, const cz_fr *table)
{
    const bool from_rev = pass->job->from_rev;
    const cz_ntt_walk walk = cz_ntt_walk_of(pass->log_m, j, 2, from_rev);
    const size_t n = (size_t)1 << j;
    const cz_fr *w = table != NULL ? table + n : u_of(pass);
    const cz_fr *next = table != NULL ? table + 2 * n : u_of(pass);
    size_t i = 0;

    if (table == NULL)
        unit_radix4(x + cz_ntt_walk_start(pass->log_m, j, from_rev, i++), &walk, &next[1]);
    for (; i < n; i++)
        radix4_at(x + cz_ntt_walk_start(pass->log_m, j, from_rev, i), &walk, &w[i], &next[2 * i]);
}

/* Layers [from, to). The radix-2 layer, where there is one, comes last: twiddle 0 matters most in
 * the first. */
static void run_layers(cz_fr *x, const cz_ntt_pass *pass, unsigned from, unsigned to,
                       const cz_fr *table)
{
    unsigned j = from;

    for (; j + 1 < to; j += 2)
        radix4(x, pass, j, table);
    if (j < to)
        radix2(x, pass, j, table);
}

static void twist(cz_fr *x, const cz_ntt_pass *pass, unsigned layers, const cz_fr *factors)
{
    const unsigned rest = pass->log_m - layers;

    for (size_t i = 0; i < (size_t)1 << pass->log_m; i++) {
        size_t part =
            pass->job->from_rev ? cz_ntt_rev(i >> layers, rest) : i & (((size_t)1 << rest) - 1);

        cz_fr_mul(&x[i], &x[i], &factors[part]);
    }
}

static void run_lane(cz_fr *x, const cz_ntt_pass *pass, const view *v, const cz_fr *base,
                     const cz_fr *scale)
{
    const unsigned layers = cz_ntt_lane_layers(pass->log_m);
    const size_t parts = twist_size(pass->log_m);

    make_table(v->lane_table, u_of(pass), pass->log_m, layers, base);
    v->twist[0] = *scale;
    for (size_t i = 1; i < parts; i++)
        cz_fr_mul(&v->twist[i], &v->twist[i - 1], base);
    run_layers(x, pass, 0, layers, v->lane_table);
    twist(x, pass, layers, v->twist);
    run_layers(x, pass, layers, pass->log_m, NULL);
    for (size_t i = 0; pass->last && pass->job->has_post && i < (size_t)1 << pass->log_m; i++)
        cz_fr_mul(&x[i], &x[i], &v->post[i]);
}

/* The tile as one contiguous array a lane: in place, or copied. */
static cz_fr *enter(const cz_ntt_tile *tile, const view *v, size_t m, size_t *lane_gap)
{
    if (tile->stride == 1) {
        *lane_gap = tile->lane_gap;
        return tile->xs;
    }
    *lane_gap = m;
    for (size_t i = 0; i < m; i++)
        for (size_t lane = 0; lane < tile->lanes; lane++)
            v->columns[lane * m + i] = tile->xs[i * tile->stride + lane];
    return v->columns;
}

static void leave(const cz_ntt_tile *tile, const view *v, size_t m)
{
    if (tile->stride == 1)
        return;
    for (size_t i = 0; i < m; i++)
        for (size_t lane = 0; lane < tile->lanes; lane++)
            tile->xs[i * tile->stride + lane] = v->columns[lane * m + i];
}

static void uniform_tile(void *scratch, const cz_ntt_pass *pass, const cz_ntt_tile *tile)
{
    const size_t m = (size_t)1 << pass->log_m;
    const view v = view_of(scratch, pass->log_m);
    size_t gap;
    cz_fr *x = enter(tile, &v, m, &gap);

    for (size_t lane = 0; lane < tile->lanes; lane++)
        run_layers(x + lane * gap, pass, 0, pass->log_m, *v.unit_base ? NULL : v.table);
    leave(tile, &v, m);
}

static void lanes_tile(void *scratch, const cz_ntt_pass *pass, const cz_ntt_tile *tile,
                       const cz_fr *bases, const cz_fr *scales)
{
    const size_t m = (size_t)1 << pass->log_m;
    const view v = view_of(scratch, pass->log_m);
    size_t gap;
    cz_fr *x = enter(tile, &v, m, &gap);

    for (size_t lane = 0; lane < tile->lanes; lane++)
        run_lane(x + lane * gap, pass, &v, &bases[lane], &scales[lane]);
    leave(tile, &v, m);
}

static void multiply(cz_fr *a, const cz_fr *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cz_fr_mul(&a[i], &a[i], &b[i]);
}

static bool runs_here(void)
{
    return true;
}

const cz_ntt_form_table cz_ntt_scalar = {"scalar", runs_here,    scratch_bytes, set_base,
                                         set_post, uniform_tile, lanes_tile,    multiply};
