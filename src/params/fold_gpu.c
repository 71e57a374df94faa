/* fold_gpu.c: see fold_gpu.h. */
#include "params/fold_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/trace.h"
#include "params/fold_jobs.h"
#include "params/lagrange.h"
#include "params/points_gpu.h"

enum {
    MAX_LOG_N = 27,
    MOST_COLUMNS = 1 << 19, /* of a part; points that are read at once */
    LEAST_COLUMNS = 1 << 6,
    MOST_ENTRIES = 1 << 21,
    LEAST_ENTRIES = 1 << 8,
    PIECE = 1 << 22, /* products of a launch: a quarter of a second */
    SUM_BYTES = 4 * sizeof(cz_fp)
};

static const size_t POINT = CZ_G1_UNCOMPRESSED_BYTES;

_Static_assert(sizeof(cz_g1_affine) == 4 * CZ_FOLD_POINT, "the same points");
_Static_assert(sizeof(cz_fr) == sizeof(cz_fr32), "the same elements");

struct cz_fold_gpu {
    cz_gpu *gpu;
    const cz_params *params;
    cz_pool *pool;
    unsigned log_n;
    size_t n;
    size_t columns, entries, sums; /* of a part, at most */

    void *d_points;        /* bit-reversed */
    cz_fr *d_low, *d_high; /* powers */

    /* of a part */
    uint8_t *bytes; /* pinned */
    uint32_t *bad;
    void *d_bytes, *d_list, *d_bad;
    void *d_row, *d_coefficient, *d_terms, *d_factors, *d_n_factors, *d_products;
    void *d_jobs, *d_sums, *d_running, *d_carry;
    cz_fold_job *jobs, *pending;

    void *d_coefficients, *d_kinds;
};

/* ---- buffers ---- */

static unsigned low_bits(const cz_fold_gpu *f)
{
    return (f->log_n + 1) / 2;
}

static cz_err take_buffers(cz_fold_gpu *f)
{
    static const char what[] = "columns of points";
    const size_t n_low = (size_t)1 << low_bits(f);
    const struct {
        void *out;
        size_t bytes;
    } device[] = {
        {&f->d_low, n_low * sizeof(cz_fr)},
        {&f->d_high, (f->n / n_low) * sizeof(cz_fr)},
        {&f->d_bytes, f->columns * POINT},
        {&f->d_list, f->columns * POINT},
        {&f->d_bad, sizeof *f->bad},
        {&f->d_row, f->entries * sizeof(uint32_t)},
        {&f->d_coefficient, f->entries * sizeof(uint32_t)},
        {&f->d_terms, f->entries * sizeof(uint32_t)},
        {&f->d_factors, f->entries * sizeof(cz_fold_factor)},
        {&f->d_n_factors, sizeof(uint32_t)},
        {&f->d_products, f->entries * POINT},
        {&f->d_jobs, f->sums * sizeof(cz_fold_job)},
        {&f->d_sums, f->sums * SUM_BYTES},
        {&f->d_running, f->columns * sizeof(cz_fp)},
        {&f->d_carry, SUM_BYTES},
    };

    CZ_TRY(cz_gpu_take_to(f->gpu, CZ_GPU_DEVICE_MEMORY, &f->d_points, f->n * POINT,
                          "points to transform"));
    for (size_t i = 0; i < sizeof device / sizeof device[0]; i++)
        CZ_TRY(cz_gpu_take_to(f->gpu, CZ_GPU_DEVICE_MEMORY, device[i].out, device[i].bytes, what));
    CZ_TRY(cz_gpu_take_to(f->gpu, CZ_GPU_PINNED_MEMORY, &f->bytes, f->columns * POINT, what));
    CZ_TRY(cz_gpu_take_to(f->gpu, CZ_GPU_PINNED_MEMORY, &f->bad, sizeof *f->bad, what));
    f->jobs = malloc(f->sums * sizeof *f->jobs);
    f->pending = malloc(f->sums * sizeof *f->pending);
    if (f->jobs == NULL || f->pending == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for columns of points");
    return CZ_OK;
}

static void give_coefficients_back(cz_fold_gpu *f)
{
    cz_gpu_give_back(f->gpu, f->d_coefficients);
    cz_gpu_give_back(f->gpu, f->d_kinds);
    f->d_coefficients = f->d_kinds = NULL;
}

static size_t within(size_t n, size_t least, size_t most)
{
    return n < least ? least : n > most ? most : n;
}

static cz_err choose_sizes(cz_fold_gpu *f)
{
    const size_t n = (size_t)f->params->h.n + 1;

    while (((size_t)1 << f->log_n) < n)
        f->log_n++;
    if (n != (size_t)1 << f->log_n || f->log_n < 1 || f->log_n > MAX_LOG_N)
        return cz_fail(CZ_E_DECLINED, "%s: h has %u points, not 2^k - 1, k 1 to %d, to transform",
                       f->params->path, f->params->h.n, MAX_LOG_N);
    f->n = n;
    f->columns = within(n, LEAST_COLUMNS, MOST_COLUMNS);
    f->entries = within(4 * n, LEAST_ENTRIES, MOST_ENTRIES);
    f->sums = cz_fold_jobs_bound(f->columns, f->entries);
    return CZ_OK;
}

static cz_err prepare(cz_fold_gpu *f)
{
    CZ_TRY(choose_sizes(f));
    return take_buffers(f);
}

cz_err cz_fold_gpu_create(cz_gpu *gpu, cz_fold_gpu **out, const cz_params *params, cz_pool *pool)
{
    cz_fold_gpu *f = calloc(1, sizeof *f);
    cz_err err;

    if (f == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to transform points");
    f->gpu = gpu;
    f->params = params;
    f->pool = pool;
    err = prepare(f);
    if (err != CZ_OK) {
        cz_fold_gpu_destroy(f);
        return err;
    }
    *out = f;
    return CZ_OK;
}

void cz_fold_gpu_destroy(cz_fold_gpu *f)
{
    if (f == NULL)
        return;
    void *const taken[] = {f->d_points,   f->d_low,         f->d_high, f->bytes,       f->bad,
                           f->d_bytes,    f->d_list,        f->d_bad,  f->d_row,       f->d_terms,
                           f->d_factors,  f->d_coefficient, f->d_jobs, f->d_n_factors, f->d_sums,
                           f->d_products, f->d_running,     f->d_carry};

    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        cz_gpu_give_back(f->gpu, taken[i]);
    give_coefficients_back(f);
    free(f->jobs);
    free(f->pending);
    free(f);
}

size_t cz_fold_gpu_size(const cz_fold_gpu *f)
{
    return f->n;
}

/* ---- the transform ---- */

/* A transform's steps, for the caller. */
typedef struct {
    const cz_fold_gpu_progress *progress;
    unsigned done, of;
    uint64_t since;
} steps;

static cz_err end_step(cz_fold_gpu *f, steps *s)
{
    const uint64_t begun = s->since;

    CZ_TRY(cz_gpu_sync(f->gpu));
    s->since = cz_clock_ns();
    s->done++;
    if (s->progress != NULL)
        s->progress->step(s->progress->ctx, s->done, s->of, (double)(s->since - begun) / 1e9);
    return CZ_OK;
}

static cz_err load_points(cz_fold_gpu *f)
{
    const cz_points_layout layout = {.d_part = {f->d_points, NULL}};
    cz_points_gpu *loader;
    cz_err err;

    CZ_TRY(cz_points_gpu_create(f->gpu, &loader, f->params));
    err = cz_points_gpu_load(loader, f->params, &f->params->h, f->pool, &layout);
    cz_points_gpu_destroy(loader);
    if (err != CZ_OK)
        return err;
    return cz_gpu_zero(f->gpu, CZ_GPU_COMPUTE, (uint8_t *)f->d_points + (f->n - 1) * POINT, POINT);
}

/* The tables of factor v^e, e < n. */
static cz_err set_powers(cz_fold_gpu *f, const cz_fr *factor, const cz_fr *v)
{
    const size_t n_low = (size_t)1 << low_bits(f), n_high = f->n / n_low;
    const cz_fr one = CZ_FR_ONE;
    cz_fr *low = malloc(n_low * sizeof *low), *high = malloc(n_high * sizeof *high);
    cz_fr step = *v;
    cz_err err;

    for (unsigned i = 0; i < low_bits(f); i++)
        cz_fr_sqr(&step, &step);
    if (low == NULL || high == NULL)
        CZ_TRY_GOTO(err, cz_fail(CZ_E_NOMEM, "no memory for powers of a root"));
    CZ_TRY_GOTO(err, cz_scaled_powers(low, 0, n_low, v, &one, f->pool));
    CZ_TRY_GOTO(err, cz_scaled_powers(high, 0, n_high, &step, factor, f->pool));
    CZ_TRY_GOTO(err, cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_low, low, n_low * sizeof *low));
    CZ_TRY_GOTO(err, cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_high, high, n_high * sizeof *high));
    CZ_TRY_GOTO(err, cz_gpu_sync(f->gpu));
done:
    free(low);
    free(high);
    return err;
}

/* All items of a step, some at a time. */
static cz_err multiply(cz_fold_gpu *f, cz_fold_task_kind kind, unsigned layer, size_t n)
{
    struct cz_fold_task task = {.kind = kind,
                                .points = f->d_points,
                                .powers = {(const cz_fr32 *)(const void *)f->d_low,
                                           (const cz_fr32 *)(const void *)f->d_high, low_bits(f)},
                                .log_n = f->log_n,
                                .layer = layer};
    const cz_gpu_backend *backend;

    CZ_TRY(cz_gpu_load(&backend));
    for (task.first = 0; task.first < n; task.first += PIECE) {
        task.n = n - task.first < PIECE ? n - task.first : PIECE;
        CZ_TRY(cz_gpu_result(backend->fold_multiply(f->gpu, &task)));
    }
    return CZ_OK;
}

static cz_err scale_points(cz_fold_gpu *f, const cz_fr *factor, const cz_fr *base)
{
    CZ_TRY(set_powers(f, factor, base));
    return multiply(f, CZ_FOLD_SCALE, 0, f->n);
}

static cz_err set_roots(cz_fold_gpu *f)
{
    const cz_fr one = CZ_FR_ONE;
    cz_fr w;

    cz_fr_root_of_unity(&w, f->log_n);
    cz_fr_inv(&w, &w);
    return set_powers(f, &one, &w);
}

cz_err cz_fold_gpu_transform(cz_fold_gpu *f, const cz_fr *factor, const cz_fr *base,
                             const cz_fold_gpu_progress *progress)
{
    steps s = {.progress = progress, .of = f->log_n + 2, .since = cz_clock_ns()};

    CZ_TRY(load_points(f));
    CZ_TRY(end_step(f, &s));
    CZ_TRY(scale_points(f, factor, base));
    CZ_TRY(end_step(f, &s));
    CZ_TRY(set_roots(f));
    for (unsigned layer = 0; layer < f->log_n; layer++) {
        CZ_TRY(multiply(f, CZ_FOLD_LAYER, layer, f->n / 2));
        CZ_TRY(end_step(f, &s));
    }
    return CZ_OK;
}

/* ---- bytes ---- */

typedef struct {
    const cz_fold_gpu *f;
    uint8_t *to;
} bytes_job;

static cz_err copy_bytes(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const bytes_job *job = ctx;

    (void)worker;
    memcpy(job->to + begin, job->f->bytes + begin, end - begin);
    return CZ_OK;
}

/* The first n of d_bytes to the caller. */
static cz_err fetch(cz_fold_gpu *f, uint8_t *encoded, size_t n)
{
    bytes_job job = {.f = f, .to = encoded};

    CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->bytes, f->d_bytes, n * POINT));
    CZ_TRY(cz_gpu_sync(f->gpu));
    return cz_parallel_for(f->pool, n * POINT, 1 << 20, copy_bytes, &job);
}

static bool encodes_infinity(const uint8_t *encoded)
{
    return (encoded[0] & 0x40) != 0;
}

cz_err cz_fold_gpu_points(cz_fold_gpu *f, uint8_t *encoded, size_t first, size_t n)
{
    const cz_gpu_backend *backend;

    CZ_ASSERT(first <= f->n && n <= f->n - first);
    CZ_TRY(cz_gpu_load(&backend));
    for (size_t i = 0, part; i < n; i += part) {
        part = n - i < f->columns ? n - i : f->columns;
        CZ_TRY(cz_gpu_result(
            backend->fold_encode(f->gpu, f->d_bytes, f->d_points, f->log_n, first + i, part)));
        CZ_TRY(fetch(f, encoded + i * POINT, part));
    }
    for (size_t i = 0; i < n; i++)
        if (encodes_infinity(encoded + i * POINT))
            return cz_fail(CZ_E_DECLINED, "point %zu of the transform is infinity", first + i);
    return CZ_OK;
}

/* ---- columns ---- */

static uint8_t kind_of(const cz_fr *coefficient)
{
    cz_fr negated;

    cz_fr_neg(&negated, coefficient);
    if (cz_fr_is_zero(coefficient))
        return CZ_FOLD_ZERO;
    if (cz_fr_is_one(coefficient))
        return CZ_FOLD_ONE;
    return cz_fr_is_one(&negated) ? CZ_FOLD_MINUS_ONE : CZ_FOLD_ANY;
}

static cz_err copy_coefficients(cz_fold_gpu *f, const cz_fr *coefficients, const uint8_t *kinds,
                                size_t n)
{
    static const char what[] = "coefficients";

    CZ_TRY(cz_gpu_take_to(f->gpu, CZ_GPU_DEVICE_MEMORY, &f->d_coefficients,
                          n * sizeof *coefficients, what));
    CZ_TRY(cz_gpu_take_to(f->gpu, CZ_GPU_DEVICE_MEMORY, &f->d_kinds, n, what));
    CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_coefficients, coefficients,
                       n * sizeof *coefficients));
    CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_kinds, kinds, n));
    return cz_gpu_sync(f->gpu);
}

cz_err cz_fold_gpu_coefficients(cz_fold_gpu *f, const cz_fr *coefficients, size_t n)
{
    uint8_t *kinds;
    cz_err err;

    give_coefficients_back(f);
    if (n == 0)
        return CZ_OK;
    kinds = malloc(n);
    if (kinds == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for coefficients");
    for (size_t i = 0; i < n; i++)
        kinds[i] = kind_of(&coefficients[i]);
    err = copy_coefficients(f, coefficients, kinds, n);
    free(kinds);
    return err;
}

/* The list's points of a part, decoded. */
static cz_err send_list(cz_fold_gpu *f, const cz_fold_columns *columns, const cz_fold_cut *cut)
{
    const size_t first = columns->first + cut->first_column, n = cut->n_columns;
    const size_t offset = (size_t)(columns->list->bytes - f->params->map) + first * POINT;
    const cz_gpu_backend *backend;

    CZ_TRY(cz_gpu_load(&backend));
    CZ_TRY(cz_params_read_shared(f->params, f->pool, f->bytes, offset, n * POINT));
    CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_bytes, f->bytes, n * POINT));
    return cz_gpu_result(backend->points_decode(f->gpu, 0, f->d_bytes, NULL, n, (uint32_t)first,
                                                f->d_list, NULL, f->d_bad));
}

static cz_err send_entries(cz_fold_gpu *f, const cz_fold_columns *columns, const cz_fold_cut *cut)
{
    const size_t bytes = cut->n_entries * sizeof(uint32_t);

    if (bytes > 0) {
        CZ_TRY(
            cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_row, columns->row + cut->first_entry, bytes));
        CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_coefficient,
                           columns->coefficient + cut->first_entry, bytes));
    }
    return cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_jobs, f->jobs,
                       cut->round_first[cut->n_rounds] * sizeof *f->jobs);
}

static void *sum_at(const cz_fold_gpu *f, size_t i)
{
    return (uint8_t *)f->d_sums + i * SUM_BYTES;
}

static cz_err compute(cz_fold_gpu *f, const cz_fold_cut *cut)
{
    struct cz_fold_part part = {.points = f->d_points,
                                .list = f->d_list,
                                .log_n = f->log_n,
                                .n = cut->n_columns,
                                .n_entries = cut->n_entries,
                                .row = f->d_row,
                                .coefficient = f->d_coefficient,
                                .coefficients = f->d_coefficients,
                                .kinds = f->d_kinds,
                                .terms = f->d_terms,
                                .factors = f->d_factors,
                                .n_factors = f->d_n_factors,
                                .products = f->d_products,
                                .jobs = f->d_jobs,
                                .n_rounds = cut->n_rounds,
                                .sums = f->d_sums,
                                .running = f->d_running,
                                .bytes = f->d_bytes};
    const cz_gpu_backend *backend;

    memcpy(part.round_first, cut->round_first, sizeof part.round_first);
    CZ_TRY(cz_gpu_load(&backend));
    if (cut->continues)
        CZ_TRY(
            cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, sum_at(f, cut->carry_to), f->d_carry, SUM_BYTES));
    CZ_TRY(cz_gpu_result(backend->fold_columns(f->gpu, &part)));
    if (cut->unfinished)
        CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_carry, sum_at(f, cut->n_columns - 1),
                           SUM_BYTES));
    return CZ_OK;
}

static cz_err do_part(cz_fold_gpu *f, uint8_t *encoded, const cz_fold_columns *columns,
                      const cz_fold_cut *cut)
{
    if (columns->list != NULL)
        CZ_TRY(send_list(f, columns, cut));
    CZ_TRY(send_entries(f, columns, cut));
    CZ_TRY(compute(f, cut));
    return fetch(f, encoded + cut->first_column * POINT, cut->n_columns - cut->unfinished);
}

static cz_err check_list(cz_fold_gpu *f, const cz_fold_columns *columns)
{
    CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->bad, f->d_bad, sizeof *f->bad));
    CZ_TRY(cz_gpu_sync(f->gpu));
    return *f->bad == UINT32_MAX ? CZ_OK
                                 : cz_points_gpu_name_bad(f->params, columns->list, *f->bad);
}

static cz_err mark_infinite(uint64_t *infinite, const uint8_t *encoded, size_t n)
{
    if (infinite != NULL)
        memset(infinite, 0, (n + 63) / 64 * sizeof *infinite);
    for (size_t i = 0; i < n; i++) {
        if (!encodes_infinity(encoded + i * POINT))
            continue;
        if (infinite == NULL)
            return cz_fail(CZ_E_DECLINED, "the sum of column %zu is infinity", i);
        infinite[i / 64] |= (uint64_t)1 << (i % 64);
    }
    return CZ_OK;
}

cz_err cz_fold_gpu_columns(cz_fold_gpu *f, uint8_t *encoded, uint64_t *infinite,
                           const cz_fold_columns *columns)
{
    cz_fold_cutter cutter = {.start = columns->start,
                             .n = columns->n,
                             .with_list = columns->list != NULL,
                             .most_columns = f->columns,
                             .most_entries = f->entries,
                             .jobs = f->jobs,
                             .pending = f->pending};
    cz_fold_cut cut;

    CZ_ASSERT(columns->list == NULL || (columns->first <= columns->list->n &&
                                        columns->n <= columns->list->n - columns->first));
    *f->bad = UINT32_MAX;
    CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_bad, f->bad, sizeof *f->bad));
    while (cz_fold_jobs_next(&cutter, &cut))
        CZ_TRY(do_part(f, encoded, columns, &cut));
    CZ_TRY(check_list(f, columns));
    return mark_infinite(infinite, encoded, columns->n);
}
