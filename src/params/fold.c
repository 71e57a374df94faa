/* fold.c: a folded file: what it takes, its lists, the check before it gets its name. */
#include "params/fold.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "params/fold_lists.h"
#include "params/lagrange.h"

/* ---- what the two ways share ---- */

void cz_fold_report(const cz_fold_options *options, const char *step, uint64_t done, uint64_t total)
{
    if (options->progress != NULL)
        options->progress(options->ctx, step, done, total);
}

/* 1 / (z n) */
static cz_fr over_z_n(unsigned log_n)
{
    const cz_fr shift = {CZ_FR_GENERATOR};
    cz_fr z, n;

    cz_vanishing_at(&z, log_n, &shift);
    cz_fr_from_u64(&n, (uint64_t)1 << log_n);
    cz_fr_mul(&z, &z, &n);
    cz_fr_inv(&z, &z);
    return z;
}

cz_fold_transform cz_fold_transform_h(unsigned log_n)
{
    const cz_fr shift = {CZ_FR_GENERATOR};
    cz_fold_transform t = {.step = "h transform", .factor = over_z_n(log_n)};

    cz_fr_inv(&t.base, &shift);
    return t;
}

cz_fold_transform cz_fold_transform_l(unsigned log_n)
{
    cz_fold_transform t = {.step = "l transform", .factor = over_z_n(log_n), .base = CZ_FR_ONE};

    cz_fr_neg(&t.factor, &t.factor);
    return t;
}

static size_t list_points(const cz_fold_lists *f, const char *section)
{
    return section[0] == 'h' ? (size_t)1 << f->shape.log_n : (size_t)cz_folded_l_points(&f->shape);
}

cz_err cz_fold_begin_list(const cz_fold_lists *f, const char *section)
{
    const size_t n = list_points(f, section);

    cz_fold_report(&f->options, section, 0, n);
    return cz_params_writer_begin(f->writer, (uint32_t)n);
}

cz_err cz_fold_write(const cz_fold_lists *f, const char *section, const uint8_t *encoded, size_t n,
                     size_t done)
{
    CZ_TRY(
        cz_params_writer_encoded(f->writer, f->options.pool, encoded, n, CZ_G1_UNCOMPRESSED_BYTES));
    cz_fold_report(&f->options, section, done, list_points(f, section));
    return CZ_OK;
}

bool cz_fold_input_occurs(const cz_fold_lists *f, uint32_t k)
{
    return f->shape.input_has_point[k / 64] >> (k % 64) & 1;
}

cz_err cz_fold_decline_h(const cz_fold_lists *f, size_t number)
{
    return cz_fail(CZ_E_DECLINED, "%s: cannot be folded: point %zu of h would be infinity",
                   f->params->path, number);
}

cz_err cz_fold_decline_l(const cz_fold_lists *f, size_t variable)
{
    const uint32_t n_inputs = f->shape.n_inputs;

    return cz_fail(CZ_E_DECLINED, "%s: cannot be folded: the point of %s %zu would be infinity",
                   f->params->path, variable < n_inputs ? "input" : "aux",
                   variable < n_inputs ? variable : variable - n_inputs);
}

/* ---- a file ---- */

typedef struct {
    const cz_params *params;
    const cz_compiled *circuit;
    const char *path;
    cz_fold_options options;

    cz_c_columns columns;
    uint64_t *input_has_point;
    cz_folded_shape shape;
    cz_params_writer writer;
} fold;

static unsigned log_domain(const cz_params *params)
{
    unsigned log_n = 0;

    while ((uint64_t)1 << log_n < (uint64_t)params->h.n + 1)
        log_n++;
    return log_n;
}

static cz_err check_fits(const fold *f)
{
    const cz_circuit_stats stats = cz_compiled_stats(f->circuit);
    const unsigned log_n = log_domain(f->params);

    CZ_TRY(cz_params_match(f->params, &stats, cz_compiled_id(f->circuit)));
    if (f->options.gpu == NULL && log_n > CZ_FOLD_MAX_LOG_N)
        return cz_fail(CZ_E_DECLINED,
                       "%s: has a domain of 2^%u rows: above 2^%d folding takes a device",
                       cz_compiled_id(f->circuit), log_n, CZ_FOLD_MAX_LOG_N);
    return CZ_OK;
}

static cz_err find_columns(fold *f)
{
    const cz_compiled_header *h = cz_compiled_view(f->circuit)->header;

    cz_fold_report(&f->options, "columns", 0, 1);
    CZ_TRY(cz_c_columns_make(&f->columns, f->circuit));
    f->input_has_point = calloc(cz_folded_bitmap_words(h->n_inputs), sizeof *f->input_has_point);
    if (f->input_has_point == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory to fold", f->params->path);
    for (uint32_t k = 0; k < h->n_inputs; k++)
        f->input_has_point[k / 64] |= (uint64_t)(f->columns.start[k] < f->columns.start[k + 1])
                                      << (k % 64);
    f->shape = (cz_folded_shape){.circuit_id = cz_compiled_id(f->circuit),
                                 .log_n = log_domain(f->params),
                                 .n_inputs = h->n_inputs,
                                 .n_aux = h->n_aux,
                                 .input_has_point = f->input_has_point};
    cz_fold_report(&f->options, "columns", 1, 1);
    return CZ_OK;
}

static cz_err write_lists(fold *f)
{
    const cz_fold_lists lists = {f->params, &f->columns, f->shape, f->options, &f->writer};

    CZ_TRY(cz_folded_writer_open(&f->writer, f->path, f->params, &f->shape));
    CZ_TRY(f->options.gpu != NULL ? cz_fold_lists_gpu(&lists) : cz_fold_lists_plain(&lists));
    cz_c_columns_clear(&f->columns);
    return CZ_OK;
}

/* What is refused now is nobody else's fault, but for subgroups, which nobody has checked. */
static cz_err blame(const fold *f, cz_err err)
{
    char why[512];

    if (err != CZ_E_INPUT)
        return err;
    (void)snprintf(why, sizeof why, "%s", cz_err_message());
    return cz_fail(f->options.gpu != NULL ? CZ_E_CUDA : CZ_E_INTERNAL,
                   "folding went wrong, no file was written: %s (or %s has points outside the "
                   "subgroup: params check --points)",
                   why, f->params->path);
}

/* The file as it will be, under its temporary name. */
static cz_err check_written(fold *f)
{
    cz_folded folded;
    cz_err err;

    if (fflush(f->writer.file.stream) != 0)
        return cz_fail(CZ_E_IO, "%s: cannot write", f->writer.file.tmp_path);
    err = cz_folded_open(&folded, f->writer.file.tmp_path, f->params, f->shape.circuit_id);
    if (err == CZ_OK) {
        err = cz_folded_check(f->params, &folded, f->circuit, &f->options);
        cz_folded_close(&folded);
    }
    return blame(f, err);
}

static cz_err commit(fold *f)
{
    cz_fold_report(&f->options, "sync", 0, 1);
    CZ_TRY(cz_params_writer_commit(&f->writer));
    cz_fold_report(&f->options, "sync", 1, 1);
    return CZ_OK;
}

static cz_err make_file(fold *f)
{
    CZ_TRY(check_fits(f));
    CZ_TRY(find_columns(f));
    CZ_TRY(write_lists(f));
    CZ_TRY(check_written(f));
    return commit(f);
}

cz_err cz_params_fold(const cz_params *params, const cz_compiled *circuit, const char *out_path,
                      const cz_fold_options *options)
{
    fold f = {.params = params, .circuit = circuit, .path = out_path, .options = *options};
    cz_err err = make_file(&f);

    cz_params_writer_abort(&f.writer);
    cz_c_columns_clear(&f.columns);
    free(f.input_has_point);
    return err;
}
