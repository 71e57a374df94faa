/* fold_lists_plain.c: the lists of a folded file by the definition, for small circuits and as the
 * twin of what a device computes.
 *
 * A transform is the textbook's: the points scaled, put into reversed order, then log n layers of
 * butterflies (a + w b, a - w b). All points of h are in memory, Jacobian. */
#include <stdlib.h>
#include <string.h>

#include "params/fold_lists.h"
#include "params/lagrange.h"

typedef struct {
    const cz_fold_lists *f;
    unsigned log_n;
    size_t n;
    cz_g1 *points;
    cz_u256 *scalars; /* of the points, then the layers' roots */
    cz_fr *values;    /* the same as elements */
    unsigned layer;   /* that runs */
    size_t chunk;     /* so many at once */
    size_t first;     /* variable of the chunk that is computed */
    cz_g1_affine *list;
    uint8_t *encoded; /* of a chunk */
} work;

enum { POINTS_AT_ONCE = 64, POINT = CZ_G1_UNCOMPRESSED_BYTES };

/* ---- memory ---- */

static cz_err no_memory(const cz_fold_lists *f)
{
    return cz_fail(CZ_E_NOMEM, "%s: no memory to fold", f->params->path);
}

/* No more than the longest list has. */
static size_t chunk_of(const work *w)
{
    const size_t n_aux = w->f->params->l.n, longest = n_aux > w->n ? n_aux : w->n;

    return longest < CZ_FOLD_CHUNK ? longest : CZ_FOLD_CHUNK;
}

static cz_err allocate(work *w)
{
    w->chunk = chunk_of(w);
    w->points = malloc(w->n * sizeof *w->points);
    w->scalars = malloc(w->n * sizeof *w->scalars);
    w->values = malloc(w->n * sizeof *w->values);
    w->list = malloc(w->chunk * sizeof *w->list);
    w->encoded = malloc(w->chunk * POINT);
    return w->points == NULL || w->scalars == NULL || w->values == NULL || w->list == NULL ||
                   w->encoded == NULL
               ? no_memory(w->f)
               : CZ_OK;
}

static void release(work *w)
{
    free(w->points);
    free(w->scalars);
    free(w->values);
    free(w->list);
    free(w->encoded);
}

/* ---- a transform ---- */

/* H, with infinity at its end. */
static cz_err load_h(work *w)
{
    const cz_params *p = w->f->params;

    for (size_t first = 0, n; first < p->h.n; first += n) {
        n = p->h.n - first < w->chunk ? p->h.n - first : w->chunk;
        CZ_TRY(cz_params_load_g1(p, &p->h, w->f->options.pool, first, n, w->list));
        for (size_t i = 0; i < n; i++)
            cz_g1_from_affine(&w->points[first + i], &w->list[i]);
    }
    cz_g1_set_infinity(&w->points[w->n - 1]);
    return CZ_OK;
}

/* scalars[i] = factor base^i, i < n */
static cz_err make_powers(work *w, size_t n, const cz_fr *base, const cz_fr *factor)
{
    CZ_TRY(cz_scaled_powers(w->values, 0, n, base, factor, w->f->options.pool));
    for (size_t i = 0; i < n; i++)
        cz_fr_to_u256(&w->scalars[i], &w->values[i]);
    return CZ_OK;
}

static cz_err scale_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const work *w = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        cz_g1_mul_var(&w->points[i], &w->points[i], &w->scalars[i]);
    return CZ_OK;
}

static void reverse(const work *w)
{
    for (size_t i = 0, rev = 0; i < w->n; i++) {
        size_t bit = w->n / 2;

        if (i < rev) {
            const cz_g1 t = w->points[i];

            w->points[i] = w->points[rev];
            w->points[rev] = t;
        }
        for (; bit > 0 && (rev & bit) != 0; bit /= 2)
            rev ^= bit;
        rev |= bit;
    }
}

/* Butterflies [begin, end) of the layer that joins blocks of 2^layer points. */
static cz_err layer_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const work *w = ctx;
    const size_t half = (size_t)1 << w->layer;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const size_t k = i % half;
        cz_g1 *a = &w->points[2 * (i - k) + k], *b = a + half;
        cz_g1 product = *b;

        if (k > 0)
            cz_g1_mul_var(&product, b, &w->scalars[k * (w->n / 2 / half)]);
        cz_g1_neg(b, &product);
        cz_g1_add(b, a, b);
        cz_g1_add(a, a, &product);
    }
    return CZ_OK;
}

static cz_err transform(work *w, const cz_fold_transform *t)
{
    const cz_fold_options *o = &w->f->options;
    const cz_fr one = CZ_FR_ONE;
    cz_fr root;

    cz_fold_report(o, t->step, 0, w->log_n + 1);
    CZ_TRY(load_h(w));
    CZ_TRY(make_powers(w, w->n, &t->base, &t->factor));
    CZ_TRY(cz_parallel_for(o->pool, w->n, POINTS_AT_ONCE, scale_range, w));
    reverse(w);
    cz_fr_root_of_unity(&root, w->log_n);
    cz_fr_inv(&root, &root);
    CZ_TRY(make_powers(w, w->n / 2, &root, &one));
    for (w->layer = 0; w->layer < w->log_n; w->layer++) {
        cz_fold_report(o, t->step, w->layer + 1, w->log_n + 1);
        CZ_TRY(cz_parallel_for(o->pool, w->n / 2, POINTS_AT_ONCE, layer_range, w));
    }
    cz_fold_report(o, t->step, w->log_n + 1, w->log_n + 1);
    return CZ_OK;
}

/* ---- h ---- */

static cz_err encode_h_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const work *w = ctx;
    cz_g1_affine affine[POINTS_AT_ONCE];

    (void)worker;
    CZ_TRY(cz_g1_batch_to_affine(affine, &w->points[w->first + begin], end - begin));
    for (size_t i = begin; i < end; i++) {
        if (cz_g1_affine_is_infinity(&affine[i - begin]))
            return cz_fold_decline_h(w->f, w->first + i);
        cz_g1_serialize(w->encoded + i * POINT, &affine[i - begin]);
    }
    return CZ_OK;
}

static cz_err write_h(work *w)
{
    const cz_fold_transform t = cz_fold_transform_h(w->log_n);

    CZ_TRY(transform(w, &t));
    CZ_TRY(cz_fold_begin_list(w->f, "h"));
    for (size_t n; w->first < w->n; w->first += n) {
        n = w->n - w->first < w->chunk ? w->n - w->first : w->chunk;
        CZ_TRY(cz_parallel_for(w->f->options.pool, n, POINTS_AT_ONCE, encode_h_range, w));
        CZ_TRY(cz_fold_write(w->f, "h", w->encoded, n, w->first + n));
    }
    return CZ_OK;
}

/* ---- l ---- */

/* sum += the variable's column of C times the transformed points */
static void add_column(const work *w, cz_g1 *sum, size_t variable)
{
    const cz_c_columns *c = w->f->columns;

    for (uint32_t e = c->start[variable]; e < c->start[variable + 1]; e++) {
        cz_g1 term = w->points[c->row[e]];
        cz_u256 k;

        if (c->coeff[e] == CZ_C_MINUS_ONE) {
            cz_g1_neg(&term, &term);
        } else if (c->coeff[e] != CZ_C_ONE) {
            cz_fr_to_u256(&k, &c->coeffs[c->coeff[e]]);
            cz_g1_mul_var(&term, &term, &k);
        }
        cz_g1_add(sum, sum, &term);
    }
}

static cz_err encode_l(const work *w, uint8_t *encoded, const cz_g1 *sum, size_t variable)
{
    cz_g1_affine affine;

    if (cz_g1_is_infinity(sum))
        return cz_fold_decline_l(w->f, variable);
    cz_g1_to_affine(&affine, sum);
    cz_g1_serialize(encoded, &affine);
    return CZ_OK;
}

static cz_err write_inputs(work *w, size_t *done)
{
    for (uint32_t k = 0; k < w->f->shape.n_inputs; k++) {
        cz_g1 sum;

        if (!cz_fold_input_occurs(w->f, k))
            continue;
        cz_g1_set_infinity(&sum);
        add_column(w, &sum, k);
        CZ_TRY(encode_l(w, w->encoded, &sum, k));
        CZ_TRY(cz_fold_write(w->f, "l", w->encoded, 1, ++*done));
    }
    return CZ_OK;
}

static cz_err encode_aux_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const work *w = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const size_t variable = w->f->shape.n_inputs + w->first + i;
        cz_g1 sum;

        cz_g1_from_affine(&sum, &w->list[i]);
        add_column(w, &sum, variable);
        CZ_TRY(encode_l(w, w->encoded + i * POINT, &sum, variable));
    }
    return CZ_OK;
}

static cz_err write_aux(work *w, size_t n_inputs)
{
    const cz_params *p = w->f->params;
    cz_pool *pool = w->f->options.pool;

    w->first = 0;
    for (size_t n; w->first < p->l.n; w->first += n) {
        n = p->l.n - w->first < w->chunk ? p->l.n - w->first : w->chunk;
        CZ_TRY(cz_params_load_g1(p, &p->l, pool, w->first, n, w->list));
        CZ_TRY(cz_parallel_for(pool, n, POINTS_AT_ONCE, encode_aux_range, w));
        CZ_TRY(cz_fold_write(w->f, "l", w->encoded, n, n_inputs + w->first + n));
    }
    return CZ_OK;
}

static cz_err write_l(work *w)
{
    const cz_fold_transform t = cz_fold_transform_l(w->log_n);
    size_t n_inputs = 0;

    CZ_TRY(transform(w, &t));
    CZ_TRY(cz_fold_begin_list(w->f, "l"));
    CZ_TRY(write_inputs(w, &n_inputs));
    return write_aux(w, n_inputs);
}

cz_err cz_fold_lists_plain(const cz_fold_lists *f)
{
    work w = {.f = f, .log_n = f->shape.log_n, .n = (size_t)1 << f->shape.log_n};
    cz_err err = allocate(&w);

    if (err == CZ_OK)
        err = write_h(&w);
    if (err == CZ_OK)
        err = write_l(&w);
    release(&w);
    return err;
}
