/* Transforms of points and sparse columns of them on a device, beside sums of logarithms on the
 * host. On the host's stand-in by default, on a device with CUZK_TEST_CUDA. */
#define _GNU_SOURCE
#include "host_fold.h"
#include "scratch.h"
#include "tiny_params.h"

#include "msm/msm.h"
#include "ntt/ntt.h"
#include "params/fold_gpu.h"
#include "params/fold_jobs.h"

enum { POINT = 96 };

static cz_fr random_scalar(void)
{
    uint8_t bytes[32];
    cz_fr r;

    cz_test_random_bytes(bytes, sizeof bytes);
    cz_fr_from_le_mod(&r, bytes);
    return r;
}

static void *memory(size_t n, size_t bytes)
{
    void *p = malloc(n * bytes + 1);

    assert_non_null(p);
    return p;
}

/* ---- points by their logarithms ---- */

static cz_g1_affine *points_of(const cz_fr *logs, size_t n, cz_pool *pool)
{
    cz_u256 *plain = memory(n, sizeof *plain);
    cz_g1_affine *points = memory(n, sizeof *points);

    for (size_t i = 0; i < n; i++)
        cz_fr_to_u256(&plain[i], &logs[i]);
    assert_ok(cz_fixed_base_g1(pool, points, &cz_g1_generator, plain, n));
    free(plain);
    return points;
}

static uint8_t *bytes_of(const cz_fr *logs, size_t n, cz_pool *pool)
{
    cz_g1_affine *points = points_of(logs, n, pool);
    uint8_t *bytes = memory(n, POINT);

    for (size_t i = 0; i < n; i++)
        cz_g1_serialize(bytes + POINT * i, &points[i]);
    free(points);
    return bytes;
}

/* The definition. */
static cz_fr transformed(const cz_fr *logs, size_t n, unsigned log_n, const cz_fr *factor,
                         const cz_fr *base, size_t j)
{
    const uint64_t exponent = j;
    cz_fr w, term = *factor, sum = CZ_FR_ZERO;

    cz_fr_root_of_unity(&w, log_n);
    cz_fr_pow_var(&w, &w, &exponent, 1);
    cz_fr_inv_var(&w, &w);
    cz_fr_mul(&w, &w, base);
    for (size_t i = 0; i < n; i++) {
        cz_fr t;

        cz_fr_mul(&t, &term, &logs[i]);
        cz_fr_add(&sum, &sum, &t);
        cz_fr_mul(&term, &term, &w);
    }
    return sum;
}

/* ---- a file with these points as h, and another list as l ---- */

typedef struct {
    cz_gpu *gpu;
    cz_fold_gpu *fold;
    cz_params params;
    cz_pool *pool;
    unsigned log_n;
    size_t n;
    cz_fr *h; /* logarithms; the last is 0 */
} setting;

static void write_params(const char *path, const cz_fr *h, size_t n_h, const cz_fr *l, size_t n_l,
                         cz_pool *pool)
{
    cz_g1_affine *points = points_of(h, n_h, pool), *list = points_of(l, n_l, pool);
    tiny_points tiny;
    cz_params_writer w;

    tiny_make(&tiny);
    assert_ok(cz_params_writer_open(&w, path));
    assert_ok(cz_params_writer_vk(&w, &tiny.vk));
    assert_ok(cz_params_writer_begin(&w, (uint32_t)n_h));
    assert_ok(cz_params_writer_g1(&w, pool, points, n_h));
    assert_ok(cz_params_writer_begin(&w, (uint32_t)n_l));
    assert_ok(cz_params_writer_g1(&w, pool, list, n_l));
    for (int i = 0; i < 2; i++) {
        assert_ok(cz_params_writer_begin(&w, 1));
        assert_ok(cz_params_writer_g1(&w, NULL, tiny.a, 1));
    }
    assert_ok(cz_params_writer_begin(&w, 1));
    assert_ok(cz_params_writer_g2(&w, NULL, tiny.b_g2, 1));
    assert_ok(cz_params_writer_commit(&w));
    cz_vk_clear(&tiny.vk);
    free(points);
    free(list);
}

/* Takes h, of n logarithms, the last of which becomes 0; l may be NULL. */
static void begin(setting *s, unsigned log_n, cz_fr *h, const cz_fr *l, size_t n_l)
{
    *s = (setting){.log_n = log_n, .n = (size_t)1 << log_n, .h = h};
    assert_ok(cz_pool_create(&s->pool, 0));
    h[s->n - 1] = CZ_FR_ZERO;
    write_params(scratch_path("fold.params"), h, s->n - 1, l != NULL ? l : h, l != NULL ? n_l : 1,
                 s->pool);
    assert_ok(cz_params_open(&s->params, scratch_path("fold.params")));
    host_fold_fill();
    s->gpu = host_gpu_open(0);
    assert_ok(cz_fold_gpu_create(s->gpu, &s->fold, &s->params, s->pool));
    assert_int_equal(cz_fold_gpu_size(s->fold), s->n);
}

static void end(setting *s)
{
    cz_fold_gpu_destroy(s->fold);
    assert_int_equal(cz_gpu_used_bytes(s->gpu, CZ_GPU_DEVICE_MEMORY), 0);
    assert_int_equal(cz_gpu_used_bytes(s->gpu, CZ_GPU_PINNED_MEMORY), 0);
    cz_gpu_close(s->gpu);
    cz_params_close(&s->params);
    cz_pool_destroy(s->pool);
    free(s->h);
}

static cz_fr *random_logs(size_t n)
{
    cz_fr *logs = memory(n, sizeof *logs);

    for (size_t i = 0; i < n; i++)
        logs[i] = random_scalar();
    return logs;
}

/* ---- digits ---- */

static void add_multiple(cz_fr *sum, int32_t digit, const cz_fr *of)
{
    for (int32_t i = 0; i < (digit < 0 ? -digit : digit); i++) {
        if (digit < 0)
            cz_fr_sub(sum, sum, of);
        else
            cz_fr_add(sum, sum, of);
    }
}

/* By Horner's rule, omega being -z^2. */
static void assert_digits(const cz_fr *scalar)
{
    const cz_fr one = CZ_FR_ONE;
    cz_fold_digits digits;
    cz_fr omega, sum = CZ_FR_ZERO;
    uint32_t words[8];

    cz_fr_from_u64(&omega, 0xd201000000010000u);
    cz_fr_sqr(&omega, &omega);
    cz_fr_neg(&omega, &omega);
    memcpy(words, scalar, sizeof words);
    cz_fold_digits_of(&digits, words);
    for (int i = 0; i < CZ_FOLD_DIGITS; i++) {
        const uint32_t c = cz_fold_digits_next(&digits);

        cz_fr_dbl(&sum, &sum);
        cz_fr_dbl(&sum, &sum);
        assert_int_equal(cz_fold_digit_a(c) & 3, c & 3);
        assert_int_equal(cz_fold_digit_b(c) & 3, c >> 2);
        add_multiple(&sum, cz_fold_digit_a(c), &one);
        add_multiple(&sum, cz_fold_digit_b(c), &omega);
    }
    assert_true(cz_fr_equal(&sum, scalar));
}

/* 0, 1, powers of 2, their neighbours, all with both signs, and multiples of omega. */
static void test_digits(void **state)
{
    const cz_fr one = CZ_FR_ONE;
    cz_fr power = one, omega;

    (void)state;
    cz_fr_from_u64(&omega, 0xd201000000010000u);
    cz_fr_sqr(&omega, &omega);
    for (int i = 0; i < 256; i++) {
        cz_fr edge[6] = {power};

        cz_fr_add(&edge[1], &power, &one);
        cz_fr_sub(&edge[2], &power, &one);
        cz_fr_mul(&edge[3], &power, &omega);
        cz_fr_add(&edge[4], &edge[3], &edge[2]);
        edge[5] = random_scalar();
        for (int k = 0; k < 6; k++) {
            assert_digits(&edge[k]);
            cz_fr_neg(&edge[k], &edge[k]);
            assert_digits(&edge[k]);
        }
        cz_fr_dbl(&power, &power);
    }
}

/* ---- transforms ---- */

typedef struct {
    unsigned done, of;
} last_step;

static void note_step(void *ctx, unsigned done, unsigned of, double seconds)
{
    last_step *last = ctx;

    assert_int_equal(done, last->done + 1);
    assert_true(seconds >= 0);
    *last = (last_step){done, of};
}

static void assert_transform(setting *s, const cz_fr *factor, const cz_fr *base)
{
    cz_fr *logs = memory(s->n, sizeof *logs);
    uint8_t *got = memory(s->n, POINT), *want;
    last_step last = {0, 0};

    assert_ok(cz_fold_gpu_transform(s->fold, factor, base,
                                    &(cz_fold_gpu_progress){.step = note_step, .ctx = &last}));
    assert_int_equal(last.done, s->log_n + 2);
    assert_int_equal(last.of, last.done);
    for (size_t j = 0; j < s->n; j++)
        logs[j] = transformed(s->h, s->n, s->log_n, factor, base, j);
    want = bytes_of(logs, s->n, s->pool);
    assert_ok(cz_fold_gpu_points(s->fold, got, 0, s->n));
    assert_memory_equal(got, want, s->n * POINT);
    if (s->n > 2) {
        assert_ok(cz_fold_gpu_points(s->fold, got, 1, s->n - 2));
        assert_memory_equal(got, want + POINT, (s->n - 2) * POINT);
    }
    free(logs);
    free(want);
    free(got);
}

static void check_sizes(unsigned from, unsigned to)
{
    const cz_fr one = CZ_FR_ONE;

    for (unsigned log_n = from; log_n <= to; log_n++) {
        const cz_fr factor = random_scalar(), base = random_scalar();
        setting s;

        begin(&s, log_n, random_logs((size_t)1 << log_n), NULL, 0);
        assert_transform(&s, &factor, log_n % 2 == 0 ? &base : &one);
        assert_transform(&s, log_n == 1 ? &one : &factor, log_n % 2 == 0 ? &one : &base);
        end(&s);
    }
}

static void test_transforms(void **state)
{
    (void)state;
    check_sizes(1, 5);
}

static void test_slow_transforms(void **state)
{
    (void)state;
    check_sizes(6, 7);
}

/* Every value, infinities included: columns of one entry each. */
static void assert_all_values(setting *s, const cz_fr *factor, const cz_fr *base)
{
    const cz_fr one = CZ_FR_ONE;
    uint32_t *start = memory(s->n + 1, sizeof *start), *zero = calloc(s->n, sizeof *zero);
    uint64_t *infinite = memory((s->n + 63) / 64, sizeof *infinite);
    uint8_t *got = memory(s->n, POINT), *want;
    cz_fr *logs = memory(s->n, sizeof *logs);

    assert_non_null(zero);
    assert_ok(cz_fold_gpu_transform(s->fold, factor, base, NULL));
    for (size_t j = 0; j <= s->n; j++)
        start[j] = (uint32_t)j;
    assert_ok(cz_fold_gpu_coefficients(s->fold, &one, 1));
    assert_ok(cz_fold_gpu_columns(
        s->fold, got, infinite,
        &(cz_fold_columns){.n = s->n, .start = start, .row = start, .coefficient = zero}));
    for (size_t j = 0; j < s->n; j++) {
        logs[j] = transformed(s->h, s->n, s->log_n, factor, base, j);
        assert_int_equal(infinite[j / 64] >> (j % 64) & 1, cz_fr_is_zero(&logs[j]));
    }
    want = bytes_of(logs, s->n, s->pool);
    assert_memory_equal(got, want, s->n * POINT);
    free(start);
    free(zero);
    free(infinite);
    free(got);
    free(want);
    free(logs);
}

/* Points that are equal, opposite, and powers of a root, whose transforms are nearly all infinity.
 */
static void test_equal_and_opposite_points(void **state)
{
    enum { LOG_N = 5, N = 1 << LOG_N };
    const cz_fr one = CZ_FR_ONE, base = random_scalar(), factor = random_scalar();

    (void)state;
    for (int round = 0; round < 4; round++) {
        cz_fr *logs = random_logs(N), w, power = one;
        setting s;

        cz_fr_root_of_unity(&w, round == 0 ? 0 : round == 1 ? 1 : LOG_N);
        for (size_t i = 0; i < N; i++) {
            logs[i] = round == 3 && i % 3 == 0 ? logs[0] : power;
            cz_fr_mul(&power, &power, &w);
        }
        begin(&s, LOG_N, logs, NULL, 0);
        assert_all_values(&s, &one, &one);
        assert_all_values(&s, &factor, round == 3 ? &base : &one);
        end(&s);
    }
}

/* All values are infinity where the factor is 0; all are h_0 where the base is. */
static void test_infinity_is_named(void **state)
{
    enum { N = 8 };
    const cz_fr one = CZ_FR_ONE, zero = CZ_FR_ZERO;
    cz_fr *logs = random_logs(N);
    uint8_t got[POINT * N];
    setting s;

    (void)state;
    begin(&s, 3, logs, NULL, 0);
    assert_ok(cz_fold_gpu_transform(s.fold, &zero, &one, NULL));
    assert_fails(cz_fold_gpu_points(s.fold, got, 3, 2), CZ_E_DECLINED, "point 3");
    assert_ok(cz_fold_gpu_transform(s.fold, &one, &zero, NULL));
    assert_ok(cz_fold_gpu_points(s.fold, got, 0, N));
    assert_memory_equal(got, got + POINT, POINT * (N - 1));
    end(&s);
}

/* ---- columns ---- */

enum { COEFFICIENTS = 9 };

typedef struct {
    size_t n, n_entries;
    uint32_t *start, *row, *coefficient;
} matrix;

static matrix make_matrix(const uint32_t *lengths, size_t n, size_t n_rows)
{
    matrix m = {.n = n, .start = memory(n + 1, sizeof(uint32_t))};

    m.start[0] = 0;
    for (size_t k = 0; k < n; k++)
        m.start[k + 1] = m.start[k] + lengths[k];
    m.n_entries = m.start[n];
    m.row = memory(m.n_entries, sizeof *m.row);
    m.coefficient = memory(m.n_entries, sizeof *m.coefficient);
    for (size_t i = 0; i < m.n_entries; i++) {
        const uint64_t r = cz_test_random();

        m.row[i] = (uint32_t)(r % n_rows);
        /* of fifteen in sixteen +-1 */
        m.coefficient[i] =
            (r >> 32) % 16 != 0 ? (uint32_t)(r >> 40) % 2 : (uint32_t)(r >> 48) % COEFFICIENTS;
    }
    return m;
}

static void free_matrix(matrix *m)
{
    free(m->start);
    free(m->row);
    free(m->coefficient);
}

static void make_coefficients(cz_fr *c)
{
    const cz_fr one = CZ_FR_ONE;

    c[0] = one;
    cz_fr_neg(&c[1], &one);
    c[2] = CZ_FR_ZERO;
    cz_fr_dbl(&c[3], &one);
    cz_fr_neg(&c[4], &c[3]);
    cz_fr_from_u64(&c[5], (uint64_t)1 << 40);
    cz_fr_sqr(&c[6], &c[5]);
    c[7] = random_scalar();
    c[8] = random_scalar();
}

/* The columns' logarithms: l's, where there are such, and the entries. */
static cz_fr *column_logs(const matrix *m, const cz_fr *coefficients, const cz_fr *rows,
                          const cz_fr *l)
{
    cz_fr *sums = memory(m->n, sizeof *sums);

    for (size_t k = 0; k < m->n; k++) {
        sums[k] = l != NULL ? l[k] : CZ_FR_ZERO;
        for (size_t i = m->start[k]; i < m->start[k + 1]; i++) {
            cz_fr t;

            cz_fr_mul(&t, &coefficients[m->coefficient[i]], &rows[m->row[i]]);
            cz_fr_add(&sums[k], &sums[k], &t);
        }
    }
    return sums;
}

static void assert_columns(setting *s, const matrix *m, const cz_fr *rows, const cz_fr *l,
                           size_t first)
{
    const cz_fold_columns columns = {.n = m->n,
                                     .start = m->start,
                                     .row = m->row,
                                     .coefficient = m->coefficient,
                                     .list = l != NULL ? &s->params.l : NULL,
                                     .first = first};
    uint64_t *infinite = memory((m->n + 63) / 64, sizeof *infinite);
    uint8_t *got = memory(m->n, POINT), *want;
    cz_fr coefficients[COEFFICIENTS], *sums;
    size_t n_infinite = 0, which = 0;

    make_coefficients(coefficients);
    assert_ok(cz_fold_gpu_coefficients(s->fold, coefficients, COEFFICIENTS));
    sums = column_logs(m, coefficients, rows, l != NULL ? l + first : NULL);
    want = bytes_of(sums, m->n, s->pool);
    assert_ok(cz_fold_gpu_columns(s->fold, got, infinite, &columns));
    assert_memory_equal(got, want, m->n * POINT);
    for (size_t k = m->n; k-- > 0;) {
        assert_int_equal(infinite[k / 64] >> (k % 64) & 1, cz_fr_is_zero(&sums[k]));
        n_infinite += cz_fr_is_zero(&sums[k]);
        which = cz_fr_is_zero(&sums[k]) ? k : which;
    }
    if (n_infinite > 0) {
        char name[64];

        (void)snprintf(name, sizeof name, "column %zu is", which);
        assert_fails(cz_fold_gpu_columns(s->fold, got, NULL, &columns), CZ_E_DECLINED, name);
    } else {
        assert_ok(cz_fold_gpu_columns(s->fold, got, NULL, &columns));
    }
    free(infinite);
    free(got);
    free(want);
    free(sums);
}

static cz_fr *row_logs(setting *s, const cz_fr *factor)
{
    const cz_fr one = CZ_FR_ONE;
    cz_fr *rows = memory(s->n, sizeof *rows);

    for (size_t j = 0; j < s->n; j++)
        rows[j] = transformed(s->h, s->n, s->log_n, factor, &one, j);
    assert_ok(cz_fold_gpu_transform(s->fold, factor, &one, NULL));
    return rows;
}

/* Most are short, some long, one so long that it goes through several parts. */
static void test_columns(void **state)
{
    enum { N = 150, LONGEST = 700 };
    const cz_fr factor = random_scalar();
    cz_fr *l = random_logs(N + 3), *rows;
    uint32_t lengths[N];
    setting s;
    matrix m;

    (void)state;
    for (size_t k = 0; k < N; k++)
        lengths[k] = (uint32_t)(cz_test_random() % 5);
    lengths[0] = 64;
    lengths[1] = 65;
    lengths[2] = 0;
    lengths[70] = 129;
    lengths[71] = LONGEST;
    lengths[72] = 300;
    begin(&s, 4, random_logs(16), l, N + 3);
    rows = row_logs(&s, &factor);
    m = make_matrix(lengths, N, s.n);
    assert_columns(&s, &m, rows, l, 3);
    assert_columns(&s, &m, rows, NULL, 0);
    free_matrix(&m);
    free(rows);
    free(l);
    end(&s);
}

/* One row, which the list's points are, too: all terms are equal or opposite. */
static void test_columns_of_equal_points(void **state)
{
    enum { N = 40, SIZE = 4 };
    const cz_fr one = CZ_FR_ONE;
    cz_fr *h = random_logs(SIZE), *l = random_logs(N), *rows;
    uint32_t lengths[N];
    setting s;
    matrix m;

    (void)state;
    h[SIZE - 1] = CZ_FR_ZERO;
    for (size_t k = 0; k < N; k++) {
        l[k] = transformed(h, SIZE, 2, &one, &one, 0);
        lengths[k] = (uint32_t)(k % 16 == 0 ? 70 : k % 8);
    }
    begin(&s, 2, h, l, N);
    rows = row_logs(&s, &one);
    m = make_matrix(lengths, N, 1);
    assert_columns(&s, &m, rows, l, 0);
    assert_columns(&s, &m, rows, NULL, 0);
    free_matrix(&m);
    free(rows);
    free(l);
    end(&s);
}

/* ---- cutting ---- */

/* Each term counts once, in its own column, and each sum is used once. */
static void test_long_columns_are_cut(void **state)
{
    enum { N = 5, COLUMNS = 3, ENTRIES = 20000 };
    const uint32_t start[N + 1] = {7, 7, 7 + 64 * 64 * 3 + 1, 30000, 30001, 75000};
    const size_t bound = cz_fold_jobs_bound(COLUMNS, ENTRIES);
    cz_fold_cutter cutter = {.start = start,
                             .n = N,
                             .with_list = true,
                             .most_columns = COLUMNS,
                             .most_entries = ENTRIES,
                             .jobs = memory(bound, sizeof(cz_fold_job)),
                             .pending = memory(bound, sizeof(cz_fold_job))};
    uint64_t *sums = memory(bound, sizeof *sums), carry = 0;
    unsigned most_rounds = 0;
    cz_fold_cut cut;

    (void)state;
    while (cz_fold_jobs_next(&cutter, &cut)) {
        assert_true(cut.n_columns <= COLUMNS && cut.n_entries <= ENTRIES);
        if (cut.continues)
            sums[cut.carry_to] = carry;
        for (size_t i = 0; i < cut.round_first[cut.n_rounds]; i++) {
            const cz_fold_job job = cutter.jobs[i];
            uint64_t sum = job.list != CZ_FOLD_NONE ? (uint64_t)1 << 32 : 0;

            assert_true(job.n <= CZ_FOLD_SEGMENT);
            if (i < cut.round_first[1])
                sum += job.n;
            else
                for (uint32_t k = 0; k < job.n; k++)
                    sum += sums[job.first + k];
            sums[job.to] = sum;
        }
        for (size_t k = 0; k < cut.n_columns - cut.unfinished; k++) {
            const size_t column = cut.first_column + k;

            assert_int_equal(sums[k], start[column + 1] - start[column] + ((uint64_t)1 << 32));
        }
        if (cut.unfinished)
            carry = sums[cut.n_columns - 1];
        if (cut.n_rounds > most_rounds)
            most_rounds = cut.n_rounds;
    }
    assert_int_equal(cutter.column, N);
    assert_int_equal(most_rounds, 3);
    free(cutter.jobs);
    free(cutter.pending);
    free(sums);
}

/* ---- what goes wrong ---- */

static void test_sizes_that_are_declined(void **state)
{
    cz_fr *logs = random_logs(7);
    cz_fold_gpu *fold;
    cz_params params;
    cz_gpu *gpu;

    (void)state;
    write_params(scratch_path("fold.params"), logs, 7, logs, 1, NULL);
    assert_ok(cz_params_open(&params, scratch_path("fold.params")));
    params.h.n = 8; /* only counted */
    host_fold_fill();
    gpu = host_gpu_open(0);
    assert_fails(cz_fold_gpu_create(gpu, &fold, &params, NULL), CZ_E_DECLINED, "8 points");
    cz_gpu_close(gpu);
    gpu = host_gpu_open(100000);
    params.h.n = 1023;
    assert_fails(cz_fold_gpu_create(gpu, &fold, &params, NULL), CZ_E_NOMEM, "needs");
    assert_int_equal(cz_gpu_used_bytes(gpu, CZ_GPU_DEVICE_MEMORY), 0);
    cz_gpu_close(gpu);
    cz_params_close(&params);
    free(logs);
}

static void flip_bit(const cz_params *params, const cz_point_list *list, size_t byte)
{
    FILE *f = fopen(params->path, "r+b");
    const long at = (long)(list->bytes - params->map) + (long)byte;
    int c;

    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    c = fgetc(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    assert_int_equal(fputc(c ^ 1, f), c ^ 1);
    assert_int_equal(fclose(f), 0);
}

static void test_damaged_points_are_named(void **state)
{
    const cz_fr one = CZ_FR_ONE;
    const uint32_t start[6] = {0};
    cz_fr *l = random_logs(5);
    uint8_t got[5 * POINT];
    uint64_t infinite;
    setting s;

    (void)state;
    begin(&s, 3, random_logs(8), l, 5);
    flip_bit(&s.params, &s.params.l, 3 * POINT + 50);
    assert_fails(cz_fold_gpu_columns(s.fold, got, &infinite,
                                     &(cz_fold_columns){.n = 4,
                                                        .start = start,
                                                        .row = start,
                                                        .coefficient = start,
                                                        .list = &s.params.l,
                                                        .first = 1}),
                 CZ_E_INPUT, "l[3]");
    flip_bit(&s.params, &s.params.h, 6 * POINT + 50);
    assert_fails(cz_fold_gpu_transform(s.fold, &one, &one, NULL), CZ_E_INPUT, "h[6]");
    free(l);
    end(&s);
}

/* ---- many ---- */

static void print_step(void *ctx, unsigned done, unsigned of, double seconds)
{
    const setting *s = ctx;
    const double products = done < 2 ? 0 : done == 2 ? (double)s->n : (double)s->n / 2;

    printf("# 2^%u step %2u of %u: %.3f s, %.1f M products of a point a second\n", s->log_n, done,
           of, seconds, products / seconds / 1e6);
}

/* 2^14 points on a device, or as many as the environment says, beside a transform of scalars. */
static void test_slow_many_points(void **state)
{
    const char *const size = getenv("CUZK_TEST_FOLD_LOG_N");
    const unsigned usual = getenv("CUZK_TEST_CUDA") != NULL ? 14 : 8;
    const unsigned log_n = size != NULL ? (unsigned)strtoul(size, NULL, 10) : usual;
    const size_t n = (size_t)1 << log_n;
    const cz_fr one = CZ_FR_ONE, base = random_scalar();
    cz_fr factor, *logs;
    uint8_t *got, *want;
    cz_ntt_plan *plan;
    setting s;

    (void)state;
    begin(&s, log_n, random_logs(n), NULL, 0);
    assert_ok(cz_ntt_plan_create(&plan, log_n, s.pool));
    logs = memory(n, sizeof *logs);
    got = memory(n, POINT);
    cz_fr_from_u64(&factor, n);
    for (size_t i = 0; i < n; i++) { /* base^i n, as the inverse divides by n */
        cz_fr_mul(&logs[i], &s.h[i], &factor);
        cz_fr_mul(&factor, &factor, &base);
    }
    assert_ok(cz_ntt_inverse(plan, s.pool, logs));
    want = bytes_of(logs, n, s.pool);
    assert_ok(cz_fold_gpu_transform(s.fold, &one, &base,
                                    &(cz_fold_gpu_progress){.step = print_step, .ctx = &s}));
    assert_ok(cz_fold_gpu_points(s.fold, got, 0, n));
    assert_memory_equal(got, want, n * POINT);
    cz_ntt_plan_destroy(plan);
    free(logs);
    free(got);
    free(want);
    end(&s);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_digits),
    cmocka_unit_test_setup_teardown(test_transforms, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_slow_transforms, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_equal_and_opposite_points, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_infinity_is_named, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_columns, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_columns_of_equal_points, scratch_make, scratch_remove),
    cmocka_unit_test(test_long_columns_are_cut),
    cmocka_unit_test_setup_teardown(test_sizes_that_are_declined, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_damaged_points_are_named, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_slow_many_points, scratch_make, scratch_remove),
};
CZ_TEST_MAIN(cases)
