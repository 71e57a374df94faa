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

#include "cs/columns.h"
#include "cs/digest.h"
#include "msm/msm.h"
#include "params/lagrange.h"
#include "params/params.h"

/* Points a chunk: large enough that building a fixed-base table for each does not matter. */
enum { G1_CHUNK = 1 << 20, G2_CHUNK = 1 << 19 };

typedef struct {
    const cz_circuit *circuit;
    const cz_toxic_waste *waste;
    cz_pool *pool;
    cz_progress_fn progress;
    void *progress_ctx;

    uint32_t n_inputs, n_aux, n_vars;
    uint64_t n_rows; /* constraints and one a input */
    unsigned log_n;  /* of the domain */

    cz_fr *u, *v, *ext; /* columns at tau; ext is w, then the ic and l scalars */
    cz_vk vk;
    union {
        cz_g1_affine *g1;
        cz_g2_affine *g2;
    } points;       /* one chunk */
    cz_fr *scalars; /* one chunk */
    cz_u256 *plain; /* the same as integers */
    cz_params_writer writer;
    cz_file_writer vk_file;
} setup;

static void report(const setup *s, const char *step, uint64_t done, uint64_t total)
{
    if (s->progress != NULL)
        s->progress(s->progress_ctx, step, done, total);
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
    cz_circuit_stats stats;

    report(s, "count", 0, 1);
    CZ_TRY(cz_circuit_count(&stats, s->circuit));
    s->n_inputs = (uint32_t)stats.inputs;
    s->n_aux = (uint32_t)stats.aux;
    s->n_vars = s->n_inputs + s->n_aux;
    s->n_rows = stats.constraints + stats.inputs;
    while ((uint64_t)1 << s->log_n < s->n_rows)
        s->log_n++;
    if (s->log_n > 31)
        return cz_fail(CZ_E_INPUT, "%s: %" PRIu64 " rows need a domain above 2^31", s->circuit->id,
                       s->n_rows);
    report(s, "count", 1, 1);
    return CZ_OK;
}

static cz_err allocate(setup *s)
{
    size_t point_bytes = G1_CHUNK * sizeof(cz_g1_affine);

    s->u = malloc((size_t)s->n_vars * sizeof *s->u);
    s->v = malloc((size_t)s->n_vars * sizeof *s->v);
    s->ext = malloc((size_t)s->n_vars * sizeof *s->ext);
    s->points.g1 = malloc(point_bytes);
    s->scalars = malloc(G1_CHUNK * sizeof *s->scalars);
    s->plain = malloc(G1_CHUNK * sizeof *s->plain);
    if (s->u == NULL || s->v == NULL || s->ext == NULL || s->points.g1 == NULL ||
        s->scalars == NULL || s->plain == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for %" PRIu32 " variables", s->circuit->id,
                       s->n_vars);
    return CZ_OK;
}

/* --- the columns --- */

static cz_err sum_columns(setup *s)
{
    cz_fr *weights = malloc(s->n_rows * sizeof *weights);
    cz_err err;

    if (weights == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for %" PRIu64 " rows", s->circuit->id, s->n_rows);
    report(s, "columns", 0, 1);
    CZ_TRY_GOTO(err, cz_lagrange_at(weights, s->n_rows, s->log_n, &s->waste->tau, s->pool));
    CZ_TRY_GOTO(err, cz_circuit_columns(s->u, s->v, s->ext, s->circuit, s->n_inputs, s->n_aux,
                                        weights, s->n_rows));
    report(s, "columns", 1, 1);
done:
    free(weights);
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

/* --- the lists: scalars in chunks, from a source --- */

typedef struct source source;
struct source {
    const char *section;
    uint32_t n; /* points in all */
    /* Put the next at most `max` scalars into s->scalars; how many there were. */
    cz_err (*next)(setup *s, source *src, size_t max, size_t *n);
    const cz_fr *values; /* of all variables from `at` on */
    uint64_t at;
    cz_fr factor;
};

static cz_err next_h(setup *s, source *src, size_t max, size_t *n)
{
    *n = src->n - src->at < max ? (size_t)(src->n - src->at) : max;
    CZ_TRY(cz_scaled_powers(s->scalars, src->at, *n, &s->waste->tau, &src->factor, s->pool));
    src->at += *n;
    return CZ_OK;
}

/* The values that are not zero, in order: the others' points would be infinity and are left out. */
static cz_err next_nonzero(setup *s, source *src, size_t max, size_t *n)
{
    *n = 0;
    for (; src->at < s->n_vars && *n < max; src->at++)
        if (!cz_fr_is_zero(&src->values[src->at]))
            s->scalars[(*n)++] = src->values[src->at];
    return CZ_OK;
}

static cz_err to_plain_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const setup *s = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        cz_fr_to_u256(&s->plain[i], &s->scalars[i]);
    return CZ_OK;
}

static cz_err write_g1_chunk(setup *s, size_t n)
{
    CZ_TRY(cz_fixed_base_g1(s->pool, s->points.g1, &cz_g1_generator, s->plain, n));
    return cz_params_writer_g1(&s->writer, s->pool, s->points.g1, n);
}

static cz_err write_g2_chunk(setup *s, size_t n)
{
    CZ_TRY(cz_fixed_base_g2(s->pool, s->points.g2, &cz_g2_generator, s->plain, n));
    return cz_params_writer_g2(&s->writer, s->pool, s->points.g2, n);
}

static cz_err write_list(setup *s, source *src, size_t chunk, cz_err (*write)(setup *s, size_t n))
{
    size_t n;

    CZ_TRY(cz_params_writer_begin(&s->writer, src->n));
    report(s, src->section, 0, src->n);
    for (uint64_t done = 0; done < src->n; done += n) {
        CZ_TRY(src->next(s, src, chunk, &n));
        CZ_TRY(cz_parallel_for(s->pool, n, 4096, to_plain_range, s));
        CZ_TRY_IN(write(s, n), "%s", src->section);
        report(s, src->section, done + n, src->n);
    }
    return CZ_OK;
}

static uint32_t count_nonzero(const cz_fr *values, uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t k = 0; k < n; k++)
        count += !cz_fr_is_zero(&values[k]);
    return count;
}

static cz_err write_lists(setup *s)
{
    source h = {.section = "h", .n = (uint32_t)(((uint64_t)1 << s->log_n) - 1), .next = next_h};
    source l = {
        .section = "l", .n = s->n_aux, .next = next_nonzero, .values = s->ext, .at = s->n_inputs};
    source a = {
        .section = "a", .n = count_nonzero(s->u, s->n_vars), .next = next_nonzero, .values = s->u};
    source b_g1 = {.section = "b_g1",
                   .n = count_nonzero(s->v, s->n_vars),
                   .next = next_nonzero,
                   .values = s->v};
    source b_g2 = b_g1;
    cz_fr delta_inv;

    b_g2.section = "b_g2";
    cz_vanishing_at(&h.factor, s->log_n, &s->waste->tau);
    cz_fr_inv(&delta_inv, &s->waste->delta);
    cz_fr_mul(&h.factor, &h.factor, &delta_inv);

    CZ_TRY(write_list(s, &h, G1_CHUNK, write_g1_chunk));
    CZ_TRY(write_list(s, &l, G1_CHUNK, write_g1_chunk));
    CZ_TRY(write_list(s, &a, G1_CHUNK, write_g1_chunk));
    CZ_TRY(write_list(s, &b_g1, G1_CHUNK, write_g1_chunk));
    return write_list(s, &b_g2, G2_CHUNK, write_g2_chunk);
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

/* Both files are opened first: minutes of work must not end at a folder that cannot be written. */
static cz_err run(setup *s, const char *params_path, const char *vk_path)
{
    CZ_TRY(check_waste(s->waste));
    CZ_TRY(cz_params_writer_open(&s->writer, params_path));
    CZ_TRY(cz_file_writer_open(&s->vk_file, vk_path));
    CZ_TRY(count_circuit(s));
    CZ_TRY(allocate(s));
    CZ_TRY(sum_columns(s));
    CZ_TRY(finish_ext(s));
    CZ_TRY(make_vk(s));
    CZ_TRY(cz_params_writer_vk(&s->writer, &s->vk));
    CZ_TRY(write_lists(s));
    CZ_TRY(write_vk(s));
    CZ_TRY(cz_params_writer_commit(&s->writer));
    return cz_file_writer_commit(&s->vk_file);
}

cz_err cz_params_setup(const cz_circuit *circuit, const cz_toxic_waste *waste,
                       const char *params_path, const char *vk_path, cz_pool *pool,
                       cz_progress_fn progress, void *ctx)
{
    setup s = {.circuit = circuit,
               .waste = waste,
               .pool = pool,
               .progress = progress,
               .progress_ctx = ctx};
    cz_err err = run(&s, params_path, vk_path);

    cz_params_writer_abort(&s.writer);
    cz_file_writer_abort(&s.vk_file);
    cz_vk_clear(&s.vk);
    free(s.u);
    free(s.v);
    free(s.ext);
    free(s.points.g1);
    free(s.scalars);
    free(s.plain);
    return err;
}
