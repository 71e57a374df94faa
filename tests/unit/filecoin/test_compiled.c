/* The compiled form of the network's circuits: the golden digests, and a, b, c, densities and the
 * witness of golden jobs against the classic path. */
#include "cs/assignment.h"
#include "cs/compile.h"
#include "cs/compiled_columns.h"
#include "cs/compiled_eval.h"
#include "golden_jobs.h"

static void golden_digest(const char *id, uint8_t out[32])
{
    golden g = golden_open(cz_vector_path("golden/circuit-digests.json"));
    cz_json list = golden_get(g.root, "circuits");

    for (size_t i = 0; i < golden_size(list); i++) {
        cz_json entry = golden_at(list, i);

        if (strcmp(golden_get_text(entry, "id"), id) == 0) {
            golden_get_hex(entry, "sha256", out, 32);
            golden_close(&g);
            return;
        }
    }
    fail_msg("no golden digest of %s", id);
}

static cz_compiled *compile_golden(const char *id, unsigned max_templates, size_t max_bytes)
{
    cz_compile_options options = {.pool = NULL};
    uint8_t want[32];
    cz_circuit *circuit;
    cz_compiled *c;

    assert_ok(cz_pool_create(&options.pool, 2));
    assert_ok(cz_circuit_create_blank(&circuit, id));
    assert_ok(cz_circuit_compile(&c, circuit, &options));
    golden_digest(id, want);
    assert_memory_equal(cz_compiled_stats(c).sha256, want, 32);
    assert_true(cz_compiled_measure(c).templates <= max_templates);
    assert_true(cz_compiled_measure(c).memory_bytes <= max_bytes);
    cz_circuit_destroy(circuit);
    cz_pool_destroy(options.pool);
    return c;
}

static void assert_compiles(const char *id)
{
    cz_compiled_destroy(compile_golden(id, 64, (size_t)64 << 20));
}

/* ---- against the classic path ---- */

static void assert_rows(const cz_compiled *c, const cz_bit_witness *w, const cz_assignment *s,
                        cz_pool *pool)
{
    enum { AT_ONCE = 1 << 18 };
    cz_fr *rows = malloc(3 * AT_ONCE * sizeof *rows);

    assert_non_null(rows);
    assert_int_equal(cz_compiled_rows(c), s->n_rows);
    for (uint64_t at = 0; at < s->n_rows; at += AT_ONCE) {
        size_t n = s->n_rows - at < AT_ONCE ? s->n_rows - at : AT_ONCE;

        assert_ok(cz_compiled_eval(c, w, pool, at, n, rows, rows + n, rows + 2 * n));
        assert_memory_equal(rows, s->a + at, n * sizeof *rows);
        assert_memory_equal(rows + n, s->b + at, n * sizeof *rows);
        assert_memory_equal(rows + 2 * n, s->c + at, n * sizeof *rows);
    }
    free(rows);
}

static void assert_same_witness(const cz_compiled *c, const cz_bit_witness *w,
                                const cz_assignment *s)
{
    cz_bit_witness same;

    assert_ok(cz_bit_witness_from_values(&same, c, s->inputs, s->aux));
    assert_memory_equal(w->inputs, same.inputs, w->n_inputs * sizeof *w->inputs);
    assert_memory_equal(w->bits, same.bits, (w->n_aux / 64 + 1) * sizeof *w->bits);
    assert_memory_equal(w->fields, same.fields, w->n_fields * sizeof *w->fields);
    cz_bit_witness_clear(&same);
}

static void assert_planes(const cz_compiled *c, const cz_assignment *s)
{
    const size_t bytes = (s->n_aux + (size_t)63) / 64 * 8;
    cz_densities d;

    assert_ok(cz_compiled_densities(&d, c));
    assert_memory_equal(d.a_aux, s->dens_a_aux, bytes);
    assert_memory_equal(d.b_aux, s->dens_b_aux, bytes);
    assert_memory_equal(d.b_input, s->dens_b_input, (s->n_inputs + (size_t)63) / 64 * 8);
    cz_densities_clear(&d);
}

/* c = C w by the columns of C, and by its rows for any values. */
static void assert_columns(const cz_compiled *c, const cz_assignment *s, cz_pool *pool)
{
    cz_fr *v = malloc(((size_t)s->n_inputs + s->n_aux) * sizeof *v);
    cz_fr *rows = calloc(s->n_rows, sizeof *rows);
    cz_c_columns columns;
    cz_fr product;

    assert_true(v != NULL && rows != NULL);
    memcpy(v, s->inputs, s->n_inputs * sizeof *v);
    memcpy(v + s->n_inputs, s->aux, s->n_aux * sizeof *v);
    assert_ok(cz_c_columns_make(&columns, c));
    for (uint32_t k = 0; k < columns.n_vars; k++) {
        for (uint32_t e = columns.start[k]; e < columns.start[k + 1]; e++) {
            cz_fr_mul(&product, &columns.coeffs[columns.coeff[e]], &v[k]);
            cz_fr_add(&rows[columns.row[e]], &rows[columns.row[e]], &product);
        }
    }
    assert_memory_equal(rows, s->c, s->n_rows * sizeof *rows);
    assert_ok(cz_compiled_c_times(rows, c, v, pool));
    assert_memory_equal(rows, s->c, s->n_rows * sizeof *rows);
    cz_c_columns_clear(&columns);
    free(rows);
    free(v);
}

static void flip_some_bit(cz_bit_witness *w, const cz_compiled *c)
{
    const uint64_t *classes = cz_compiled_classes(c);
    uint32_t k = (uint32_t)(cz_test_random() % w->n_aux);

    while ((classes[k / 64] >> (k % 64) & 1) == 0)
        k = (k + 1) % w->n_aux;
    w->bits[k / 64] ^= (uint64_t)1 << (k % 64);
}

static void assert_as_classic(const cz_job *job, const cz_compiled *c, cz_pool *pool)
{
    uint64_t failing = 0;
    cz_circuit *circuit;
    cz_bit_witness w;
    cz_assignment s;

    assert_ok(cz_job_circuit(job, 0, &circuit));
    assert_ok(cz_bit_witness_synthesize(&w, c, circuit));
    assert_ok(cz_assignment_synthesize(&s, circuit));
    assert_same_witness(c, &w, &s);
    assert_planes(c, &s);
    assert_rows(c, &w, &s, pool);
    assert_columns(c, &s, pool);
    cz_assignment_clear(&s);
    assert_ok(cz_compiled_satisfied(c, &w, pool, &failing));
    assert_int_equal(failing, cz_compiled_stats(c).constraints);
    flip_some_bit(&w, c);
    assert_ok(cz_compiled_satisfied(c, &w, pool, &failing));
    assert_true(failing < cz_compiled_stats(c).constraints);
    cz_bit_witness_clear(&w);
    cz_circuit_destroy(circuit);
}

static void check_job(const char *name)
{
    cz_job *job = golden_job(name);
    cz_compiled *c;
    cz_pool *pool;

    c = compile_golden(cz_job_circuit_id(job), 64, (size_t)64 << 20);
    assert_ok(cz_pool_create(&pool, 2));
    assert_as_classic(job, c, pool);
    cz_pool_destroy(pool);
    cz_job_destroy(job);
    cz_compiled_destroy(c);
}

static void test_porep_2k(void **state)
{
    (void)state;
    check_job("porep-2k-v1_1");
}

static void test_winning_2k(void **state)
{
    (void)state;
    check_job("winning-2k");
}

static void test_wpost_2k(void **state)
{
    (void)state;
    check_job("wpost-2k-short");
}

static void test_porep_slow_v1(void **state)
{
    (void)state;
    check_job("porep-2k-v1");
}

static void test_porep_slow_non_interactive(void **state)
{
    (void)state;
    check_job("porep-2k-ni");
}

static void test_snap_slow_2k(void **state)
{
    (void)state;
    check_job("snap-2k");
}

static void test_winning_slow_8m(void **state)
{
    (void)state;
    check_job("winning-8m");
}

static void test_wpost_slow_8m(void **state)
{
    (void)state;
    check_job("wpost-8m");
}

/* ---- other sizes ---- */

static void test_winning_32g(void **state)
{
    (void)state;
    assert_compiles("winning-32g");
}

static void test_snap_poseidon_2k(void **state)
{
    (void)state;
    assert_compiles("snap-poseidon-2k");
}

static void test_porep_slow_small_sectors(void **state)
{
    (void)state;
    assert_compiles("porep-4k");
    assert_compiles("porep-16k");
    assert_compiles("porep-32k");
    assert_compiles("porep-8m");
    assert_compiles("porep-16m");
}

static void test_porep_slow_512m(void **state)
{
    (void)state;
    assert_compiles("porep-512m");
}

static void test_porep_slow_32g(void **state)
{
    (void)state;
    assert_compiles("porep-32g");
}

static void test_wpost_slow_32g(void **state)
{
    (void)state;
    assert_compiles("wpost-32g");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_porep_2k),
    cmocka_unit_test(test_winning_2k),
    cmocka_unit_test(test_wpost_2k),
    cmocka_unit_test(test_porep_slow_v1),
    cmocka_unit_test(test_porep_slow_non_interactive),
    cmocka_unit_test(test_snap_slow_2k),
    cmocka_unit_test(test_winning_slow_8m),
    cmocka_unit_test(test_wpost_slow_8m),
    cmocka_unit_test(test_winning_32g),
    cmocka_unit_test(test_snap_poseidon_2k),
    cmocka_unit_test(test_porep_slow_small_sectors),
    cmocka_unit_test(test_porep_slow_512m),
    cmocka_unit_test(test_porep_slow_32g),
    cmocka_unit_test(test_wpost_slow_32g),
};
CZ_TEST_MAIN(cases)
