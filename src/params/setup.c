/* setup.c: Groth16 parameters of a circuit from given toxic waste [Gro16, section 3.2].
 *
 * With u_k, v_k, w_k the columns of A, B, C interpolated over the domain and t its vanishing
 * polynomial, all at tau:
 *   h[i]  = tau^i t / delta            i < domain - 1
 *   ic[k] = (beta u_k + alpha v_k + w_k) / gamma for inputs, l[k] = … / delta for aux
 *   a[k]  = u_k,  b[k] = v_k           where not zero
 * each times the generator. The scalars are kept (three vectors over the variables), the points
 * are not: chunks of scalars become points and go to the file at once. */
#include "params/setup.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/blocks.h"
#include "cs/columns.h"
#include "msm/msm.h"
#include "params/lagrange.h"
#include "params/params.h"
#include "params/setup_folded.h"
#include "params/setup_lists.h"

typedef struct {
    const cz_circuit *circuit;
    const cz_toxic_waste *waste;
    cz_setup_options options;
    cz_pool *pool; /* the options' */

    uint32_t n_inputs, n_aux, n_vars;
    uint64_t n_rows; /* constraints and one a input */
    unsigned log_n;  /* of the domain */

    cz_fr *u, *v, *ext; /* columns at tau; ext is w, then the ic and l scalars */
    cz_vk vk;
    cz_setup_gpu *device; /* NULL without */
    cz_params_writer writer;
    cz_file_writer vk_file;
} setup;

static void report(const setup *s, const char *step, uint64_t done, uint64_t total)
{
    if (s->options.progress != NULL)
        s->options.progress(s->options.ctx, step, done, total);
}

/* --- sizes --- */

static cz_err check_waste(const cz_toxic_waste *w)
{
    const struct {
        const char *name;
        const cz_fr *value;
    } parts[] = {{"alpha", &w->alpha},
                 {"beta", &w->beta},
                 {"gamma", &w->gamma},
                 {"delta", &w->delta},
                 {"tau", &w->tau}};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (cz_fr_is_zero(parts[i].value))
            return cz_fail(CZ_E_INPUT, "toxic waste: %s is zero", parts[i].name);
    return CZ_OK;
}

static cz_err count_circuit(setup *s)
{
    cz_circuit_sizes sizes;

    report(s, "count", 0, 1);
    CZ_TRY(cz_circuit_measure(&sizes, s->circuit));
    s->n_inputs = (uint32_t)sizes.inputs;
    s->n_aux = (uint32_t)sizes.aux;
    s->n_vars = s->n_inputs + s->n_aux;
    s->n_rows = sizes.constraints + sizes.inputs;
    while ((uint64_t)1 << s->log_n < s->n_rows)
        s->log_n++;
    if (s->log_n > 31)
        return cz_fail(CZ_E_INPUT, "%s: %" PRIu64 " rows need a domain above 2^31", s->circuit->id,
                       s->n_rows);
    report(s, "count", 1, 1);
    return CZ_OK;
}

static cz_err no_memory(const setup *s)
{
    return cz_fail(CZ_E_NOMEM, "%s: no memory for %" PRIu32 " variables", s->circuit->id,
                   s->n_vars);
}

static size_t column_bytes(const setup *s)
{
    return (size_t)s->n_vars * sizeof(cz_fr);
}

static cz_err allocate(setup *s)
{
    s->u = cz_blocks_take(NULL, column_bytes(s));
    s->v = cz_blocks_take(NULL, column_bytes(s));
    s->ext = cz_blocks_take(NULL, column_bytes(s));
    return s->u == NULL || s->v == NULL || s->ext == NULL ? no_memory(s) : CZ_OK;
}

/* No list is longer than h, but maybe l, a and b. A folded h has a point more. */
static cz_err prepare_device(setup *s)
{
    const size_t h = ((size_t)1 << s->log_n) - !s->options.folded;
    const size_t longest[CZ_GPU_GROUPS] = {h > s->n_vars ? h : s->n_vars, s->n_vars};

    if (s->options.gpu == NULL)
        return CZ_OK;
    report(s, "device", 0, 1);
    CZ_TRY(cz_setup_gpu_create(s->options.gpu, &s->device, longest, s->pool));
    report(s, "device", 1, 1);
    return CZ_OK;
}

/* --- the columns --- */

static cz_err sum_columns(setup *s)
{
    cz_fr *weights = cz_blocks_take(NULL, s->n_rows * sizeof *weights);
    cz_err err;

    if (weights == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for %" PRIu64 " rows", s->circuit->id, s->n_rows);
    report(s, "lagrange", 0, 1);
    CZ_TRY_GOTO(err, cz_lagrange_at(weights, s->n_rows, s->log_n, &s->waste->tau, s->pool));
    report(s, "lagrange", 1, 1);
    report(s, "columns", 0, 1);
    CZ_TRY_GOTO(err, cz_circuit_columns_pool(s->u, s->v, s->ext, s->circuit, s->n_inputs, s->n_aux,
                                             weights, s->n_rows, s->pool));
    report(s, "columns", 1, 1);
done:
    cz_blocks_give(NULL, weights, s->n_rows * sizeof *weights);
    return err;
}

typedef struct {
    setup *s;
    cz_fr gamma_inv, delta_inv;
} ext_job;

/* ext = (beta u + alpha v + w) / (gamma or delta) */
static cz_err ext_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const ext_job *job = ctx;
    setup *s = job->s;
    cz_fr t;

    (void)worker;
    for (size_t k = begin; k < end; k++) {
        cz_fr_mul(&t, &s->u[k], &s->waste->beta);
        cz_fr_add(&s->ext[k], &s->ext[k], &t);
        cz_fr_mul(&t, &s->v[k], &s->waste->alpha);
        cz_fr_add(&s->ext[k], &s->ext[k], &t);
        if (cz_fr_is_zero(&s->ext[k]))
            return cz_fail(CZ_E_INPUT, "%s: %s variable %zu is in no constraint", s->circuit->id,
                           k < s->n_inputs ? "input" : "aux",
                           k < s->n_inputs ? k : k - s->n_inputs);
        cz_fr_mul(&s->ext[k], &s->ext[k], k < s->n_inputs ? &job->gamma_inv : &job->delta_inv);
    }
    return CZ_OK;
}

static cz_err finish_ext(setup *s)
{
    ext_job job = {.s = s};

    cz_fr_inv(&job.gamma_inv, &s->waste->gamma);
    cz_fr_inv(&job.delta_inv, &s->waste->delta);
    return cz_parallel_for(s->pool, s->n_vars, 4096, ext_range, &job);
}

/* --- the verifying key --- */

static void g1_times(cz_g1_affine *r, const cz_fr *k)
{
    cz_u256 plain;
    cz_g1 p;

    cz_fr_to_u256(&plain, k);
    cz_g1_from_affine(&p, &cz_g1_generator);
    cz_g1_mul_var(&p, &p, &plain);
    cz_g1_to_affine(r, &p);
}

static void g2_times(cz_g2_affine *r, const cz_fr *k)
{
    cz_u256 plain;
    cz_g2 p;

    cz_fr_to_u256(&plain, k);
    cz_g2_from_affine(&p, &cz_g2_generator);
    cz_g2_mul_var(&p, &p, &plain);
    cz_g2_to_affine(r, &p);
}

static cz_err make_vk(setup *s)
{
    cz_u256 *plain = malloc(s->n_inputs * sizeof *plain);
    cz_err err = CZ_OK;

    g1_times(&s->vk.alpha_g1, &s->waste->alpha);
    g1_times(&s->vk.beta_g1, &s->waste->beta);
    g2_times(&s->vk.beta_g2, &s->waste->beta);
    g2_times(&s->vk.gamma_g2, &s->waste->gamma);
    g1_times(&s->vk.delta_g1, &s->waste->delta);
    g2_times(&s->vk.delta_g2, &s->waste->delta);

    s->vk.ic = malloc(s->n_inputs * sizeof *s->vk.ic);
    s->vk.n_ic = s->n_inputs;
    if (plain == NULL || s->vk.ic == NULL)
        CZ_TRY_GOTO(err, cz_fail(CZ_E_NOMEM, "%s: no memory for ic", s->circuit->id));
    for (uint32_t k = 0; k < s->n_inputs; k++)
        cz_fr_to_u256(&plain[k], &s->ext[k]);
    CZ_TRY_GOTO(err, cz_fixed_base_g1(s->pool, s->vk.ic, &cz_g1_generator, plain, s->n_inputs));
done:
    free(plain);
    return err;
}

/* --- the lists --- */

static cz_err write_list(setup *s, cz_setup_list list, const cz_nonzero *nonzero)
{
    if (nonzero != NULL) {
        list.nonzero = nonzero;
        list.n = nonzero->n;
    }
    return cz_setup_list_write(&s->writer, &list, &s->options, s->device);
}

static cz_err write_h(setup *s)
{
    cz_setup_list h = {
        .section = "h", .n = (uint32_t)(((uint64_t)1 << s->log_n) - 1), .base = s->waste->tau};
    cz_fr delta_inv;

    cz_vanishing_at(&h.factor, s->log_n, &s->waste->tau);
    cz_fr_inv(&delta_inv, &s->waste->delta);
    cz_fr_mul(&h.factor, &h.factor, &delta_inv);
    return write_list(s, h, NULL);
}

/* l, of which no scalar is zero, then a and b: points that would be infinity are left out. */
static cz_err write_lists(setup *s)
{
    cz_nonzero l = {0}, a = {0}, b = {0};
    cz_err err;

    CZ_TRY_GOTO(err, write_h(s));
    CZ_TRY_GOTO(err, cz_nonzero_find(&l, s->ext + s->n_inputs, s->n_aux, s->pool));
    CZ_TRY_GOTO(err, write_list(s, (cz_setup_list){.section = "l"}, &l));
    CZ_TRY_GOTO(err, cz_nonzero_find(&a, s->u, s->n_vars, s->pool));
    CZ_TRY_GOTO(err, write_list(s, (cz_setup_list){.section = "a"}, &a));
    CZ_TRY_GOTO(err, cz_nonzero_find(&b, s->v, s->n_vars, s->pool));
    CZ_TRY_GOTO(err, write_list(s, (cz_setup_list){.section = "b_g1"}, &b));
    CZ_TRY_GOTO(err, write_list(s, (cz_setup_list){.section = "b_g2", .group = CZ_GPU_G2}, &b));
done:
    cz_nonzero_clear(&l);
    cz_nonzero_clear(&a);
    cz_nonzero_clear(&b);
    return err;
}

/* --- all together --- */

static cz_err write_vk(setup *s)
{
    size_t n = cz_vk_bytes(&s->vk);
    uint8_t *bytes = malloc(n);
    cz_err err;

    if (bytes == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory to write", s->vk_file.path);
    cz_vk_serialize(bytes, &s->vk);
    err = cz_file_write(&s->vk_file, bytes, n);
    free(bytes);
    return err;
}

static cz_err make_keys(setup *s)
{
    report(s, "keys", 0, 1);
    CZ_TRY(finish_ext(s));
    CZ_TRY(make_vk(s));
    CZ_TRY(cz_params_writer_vk(&s->writer, &s->vk));
    report(s, "keys", 1, 1);
    return CZ_OK;
}

static cz_err commit(setup *s)
{
    report(s, "sync", 0, 1);
    CZ_TRY(write_vk(s));
    CZ_TRY(cz_params_writer_commit(&s->writer));
    CZ_TRY(cz_file_writer_commit(&s->vk_file));
    report(s, "sync", 1, 1);
    return CZ_OK;
}

/* a's and b's columns are done with. */
static cz_err write_folded(setup *s, const char *params_path)
{
    const cz_setup_folded folded = {.circuit = s->circuit,
                                    .waste = s->waste,
                                    .options = &s->options,
                                    .device = s->device,
                                    .n_inputs = s->n_inputs,
                                    .n_aux = s->n_aux,
                                    .n_rows = s->n_rows,
                                    .log_n = s->log_n,
                                    .l = s->ext + s->n_inputs,
                                    .columns = s->u};

    return s->options.folded ? cz_setup_folded_write(&folded, params_path) : CZ_OK;
}

/* Both files are opened first: minutes of work must not end at a folder that cannot be written. */
static cz_err run(setup *s, const char *params_path, const char *vk_path)
{
    CZ_TRY(check_waste(s->waste));
    CZ_TRY(cz_params_writer_open(&s->writer, params_path));
    CZ_TRY(cz_file_writer_open(&s->vk_file, vk_path));
    CZ_TRY(count_circuit(s));
    CZ_TRY(prepare_device(s));
    CZ_TRY(allocate(s));
    CZ_TRY(sum_columns(s));
    CZ_TRY(make_keys(s));
    CZ_TRY(write_lists(s));
    CZ_TRY(commit(s));
    return write_folded(s, params_path);
}

cz_err cz_params_setup_with(const cz_circuit *circuit, const cz_toxic_waste *waste,
                            const char *params_path, const char *vk_path,
                            const cz_setup_options *options)
{
    setup s = {.circuit = circuit, .waste = waste, .options = *options, .pool = options->pool};
    cz_err err = run(&s, params_path, vk_path);

    cz_params_writer_abort(&s.writer);
    cz_file_writer_abort(&s.vk_file);
    cz_vk_clear(&s.vk);
    cz_setup_gpu_destroy(s.device);
    cz_blocks_give(NULL, s.u, column_bytes(&s));
    cz_blocks_give(NULL, s.v, column_bytes(&s));
    cz_blocks_give(NULL, s.ext, column_bytes(&s));
    return err;
}

cz_err cz_params_setup(const cz_circuit *circuit, const cz_toxic_waste *waste,
                       const char *params_path, const char *vk_path, cz_pool *pool,
                       cz_progress_fn progress, void *ctx)
{
    const cz_setup_options options = {.pool = pool, .progress = progress, .ctx = ctx};

    return cz_params_setup_with(circuit, waste, params_path, vk_path, &options);
}
