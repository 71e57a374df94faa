/* setup_folded.c: see setup_folded.h.
 *
 * H_i is tau^i (tau^n - 1) / delta times the generator, so with E_j(t) the sum of t^i w^-ij over
 * i <= n - 2 and K = (tau^n - 1) / (delta z n):
 *   H'_j = K E_j(tau / g)
 *   L'_k = l_k - K (sum over rows of C[row][k] E_row(tau)) */
#include "params/setup_folded.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/blocks.h"
#include "cs/columns.h"
#include "params/folded.h"
#include "params/lagrange.h"
#include "params/setup_lists.h"

typedef struct {
    const cz_setup_folded *s;
    const char *path; /* of the folded file */
    cz_params of;
    cz_folded_shape shape;
    uint64_t *input_has_point;
    cz_nonzero l;
    cz_params_writer writer;
} fold;

static void report(const cz_setup_folded *s, const char *step, uint64_t done)
{
    if (s->options->progress != NULL)
        s->options->progress(s->options->ctx, step, done, 1);
}

static size_t variables(const cz_setup_folded *s)
{
    return (size_t)s->n_inputs + s->n_aux;
}

/* K */
static void common_factor(cz_fr *k, const cz_setup_folded *s)
{
    const cz_fr g = {CZ_FR_GENERATOR};
    cz_fr z, n;

    cz_vanishing_at(&z, s->log_n, &g);
    cz_fr_from_u64(&n, (uint64_t)1 << s->log_n);
    cz_fr_mul(&z, &z, &n);
    cz_fr_mul(&z, &z, &s->waste->delta);
    cz_fr_inv(&z, &z);
    cz_vanishing_at(k, s->log_n, &s->waste->tau);
    cz_fr_mul(k, k, &z);
}

/* ---- the variables' scalars ---- */

/* columns = - K times the sums of E_row(tau) down the columns of C */
static cz_err sum_columns(const cz_setup_folded *s)
{
    cz_fr *weights = cz_blocks_take(NULL, s->n_rows * sizeof *weights);
    cz_fr factor;
    cz_err err;

    if (weights == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for %" PRIu64 " rows", s->circuit->id, s->n_rows);
    common_factor(&factor, s);
    cz_fr_neg(&factor, &factor);
    CZ_TRY_GOTO(err, cz_transformed_powers(weights, s->n_rows, s->log_n, &s->waste->tau, &factor,
                                           s->options->pool));
    CZ_TRY_GOTO(err, cz_circuit_columns_pool(NULL, NULL, s->columns, s->circuit, s->n_inputs,
                                             s->n_aux, weights, s->n_rows, s->options->pool));
done:
    cz_blocks_give(NULL, weights, s->n_rows * sizeof *weights);
    return err;
}

static cz_err add_l_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const cz_setup_folded *s = ctx;
    cz_fr *aux = s->columns + s->n_inputs;

    (void)worker;
    for (size_t k = begin; k < end; k++) {
        cz_fr_add(&aux[k], &aux[k], &s->l[k]);
        if (cz_fr_is_zero(&aux[k]))
            return cz_fail(CZ_E_INPUT, "toxic waste: with it, l[%zu] of %s is zero when folded", k,
                           s->circuit->id);
    }
    return CZ_OK;
}

/* The inputs whose sum is not zero are, but for a chance of 2^-255, those that occur in C. */
static cz_err mark_inputs(fold *f)
{
    const cz_setup_folded *s = f->s;

    f->input_has_point = calloc(cz_folded_bitmap_words(s->n_inputs) + 1, sizeof(uint64_t));
    if (f->input_has_point == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for %" PRIu32 " inputs", s->circuit->id,
                       s->n_inputs);
    for (uint32_t k = 0; k < s->n_inputs; k++)
        if (!cz_fr_is_zero(&s->columns[k]))
            f->input_has_point[k / 64] |= (uint64_t)1 << k % 64;
    f->shape =
        (cz_folded_shape){s->circuit->id, s->log_n, s->n_inputs, s->n_aux, f->input_has_point};
    return CZ_OK;
}

static cz_err make_columns(fold *f)
{
    cz_setup_folded s = *f->s;

    report(&s, "C columns", 0);
    CZ_TRY(sum_columns(&s));
    CZ_TRY(cz_parallel_for(s.options->pool, s.n_aux, 4096, add_l_range, &s));
    CZ_TRY(mark_inputs(f));
    CZ_TRY(cz_nonzero_find(&f->l, s.columns, variables(&s), s.options->pool));
    report(&s, "C columns", 1);
    return CZ_OK;
}

/* ---- the lists ---- */

static cz_err write_values(fold *f, const char *section, const cz_nonzero *values)
{
    const cz_setup_list list = {.section = section, .n = values->n, .nonzero = values};

    return cz_setup_list_write(&f->writer, &list, f->s->options, f->s->device);
}

/* scalars: 2^log_n of them */
static cz_err write_h_from(fold *f, cz_fr *scalars)
{
    const cz_setup_folded *s = f->s;
    const uint64_t n = (uint64_t)1 << s->log_n;
    const cz_fr g = {CZ_FR_GENERATOR};
    cz_nonzero values;
    cz_fr factor, t;
    cz_err err;

    common_factor(&factor, s);
    cz_fr_inv(&t, &g);
    cz_fr_mul(&t, &t, &s->waste->tau);
    CZ_TRY_IN(cz_transformed_powers(scalars, n, s->log_n, &t, &factor, s->options->pool),
              "toxic waste: tau lies in the coset");
    CZ_TRY(cz_nonzero_find(&values, scalars, n, s->options->pool));
    err = values.n == n ? write_values(f, "folded h", &values)
                        : cz_fail(CZ_E_INPUT,
                                  "toxic waste: with it, a point of h of %s is "
                                  "infinity when folded",
                                  s->circuit->id);
    cz_nonzero_clear(&values);
    return err;
}

static cz_err write_h(fold *f)
{
    const size_t bytes = sizeof(cz_fr) << f->s->log_n;
    cz_fr *scalars = cz_blocks_take(NULL, bytes);
    cz_err err;

    if (scalars == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for a domain of 2^%u", f->s->circuit->id,
                       f->s->log_n);
    err = write_h_from(f, scalars);
    cz_blocks_give(NULL, scalars, bytes);
    return err;
}

static cz_err write_file(fold *f, const char *params_path)
{
    CZ_TRY(cz_params_open(&f->of, params_path));
    CZ_TRY(make_columns(f));
    CZ_TRY(cz_folded_writer_open(&f->writer, f->path, &f->of, &f->shape));
    CZ_TRY(write_h(f));
    CZ_TRY(write_values(f, "folded l", &f->l));
    report(f->s, "folded sync", 0);
    CZ_TRY(cz_params_writer_commit(&f->writer));
    report(f->s, "folded sync", 1);
    return CZ_OK;
}

cz_err cz_setup_folded_write(const cz_setup_folded *s, const char *params_path)
{
    char *path = cz_folded_path(params_path);
    fold f = {.s = s, .path = path};
    cz_err err;

    if (path == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory", params_path);
    err = write_file(&f, params_path);
    cz_params_writer_abort(&f.writer);
    cz_nonzero_clear(&f.l);
    cz_params_close(&f.of);
    free(f.input_has_point);
    free(path);
    return err;
}
