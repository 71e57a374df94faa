/* The rows on a device equal those of the classic path: on the host's stand-in by default, on a
 * device with CUZK_TEST_CUDA. */
#include "blocks.h"
#include "host_eval.h"

#include "cs/assignment.h"
#include "cs/compile.h"
#include "cs/compiled_eval.h"
#include "cs/eval_device.h"
#include "cs/eval_gpu.h"

typedef struct {
    cz_gpu *gpu;
    uint64_t *d_bits;
    cz_fr *d_values, *d_rows[3];
    uint64_t n_rows, domain;
} device;

static void *take(cz_gpu *gpu, size_t bytes)
{
    void *p;

    assert_ok(cz_gpu_take(gpu, CZ_GPU_DEVICE_MEMORY, &p, bytes, "test"));
    return p;
}

static void put(device *d, void *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        assert_ok(cz_gpu_copy(d->gpu, CZ_GPU_COMPUTE, to, from, bytes));
}

static device device_begin(const cz_compiled *c, const cz_bit_witness *w)
{
    device d = {.gpu = host_gpu_open(0), .n_rows = cz_compiled_rows(c), .domain = 1};

    while (d.domain < d.n_rows)
        d.domain *= 2;
    d.d_bits = take(d.gpu, (w->n_aux / 64 + 2) * sizeof *d.d_bits);
    d.d_values = take(d.gpu, ((size_t)w->n_inputs + w->n_fields) * sizeof *d.d_values);
    for (int m = 0; m < 3; m++)
        d.d_rows[m] = take(d.gpu, d.domain * sizeof *d.d_rows[m]);
    put(&d, d.d_bits, w->bits, (w->n_aux / 64 + 1) * sizeof *d.d_bits);
    put(&d, d.d_values, w->inputs, w->n_inputs * sizeof *d.d_values);
    put(&d, d.d_values + w->n_inputs, w->fields, w->n_fields * sizeof *d.d_values);
    return d;
}

static void device_end(device *d)
{
    cz_gpu_give_back(d->gpu, d->d_bits);
    cz_gpu_give_back(d->gpu, d->d_values);
    for (int m = 0; m < 3; m++)
        cz_gpu_give_back(d->gpu, d->d_rows[m]);
    cz_gpu_close(d->gpu);
}

static void assert_rows(device *d, const cz_fr *d_rows, const cz_fr *want, const char *matrix)
{
    cz_fr *got = malloc(d->domain * sizeof *got);
    const cz_fr zero = CZ_FR_ZERO;

    assert_non_null(got);
    put(d, got, d_rows, d->domain * sizeof *got);
    assert_ok(cz_gpu_sync(d->gpu));
    for (uint64_t i = 0; i < d->domain; i++)
        if (!cz_fr_equal(&got[i], i < d->n_rows ? &want[i] : &zero))
            fail_msg("%s, row %llu of %llu", matrix, (unsigned long long)i,
                     (unsigned long long)d->n_rows);
    free(got);
}

static void assert_eval_equals_the_host_s(const cz_circuit *circuit)
{
    cz_eval_gpu *eval;
    cz_bit_witness w;
    cz_assignment s;
    cz_compiled *c;
    device d;

    assert_ok(cz_circuit_compile(&c, circuit, NULL));
    assert_ok(cz_assignment_synthesize(&s, circuit));
    assert_ok(cz_bit_witness_from_values(&w, c, s.inputs, s.aux));
    d = device_begin(c, &w);
    assert_ok(cz_eval_gpu_create(d.gpu, &eval, c));
    assert_ok(cz_eval_gpu_run(eval, d.d_bits, d.d_values, d.domain, d.d_rows[0], d.d_rows[1],
                              d.d_rows[2]));
    assert_rows(&d, d.d_rows[0], s.a, "a");
    assert_rows(&d, d.d_rows[1], s.b, "b");
    assert_rows(&d, d.d_rows[2], s.c, "c");
    cz_eval_gpu_destroy(eval);
    device_end(&d);
    cz_assignment_clear(&s);
    cz_bit_witness_clear(&w);
    cz_compiled_destroy(c);
}

static void test_rows_of_chains(void **state)
{
    static const odd_kind kinds[] = {ODD_NOTHING,  ODD_COEFFICIENT, ODD_CLASS,
                                     ODD_NEGATION, ODD_CONSTANT,    ODD_WITNESS};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        chain_circuit circuit = chain_make(60, 17, kinds[i]);

        assert_eval_equals_the_host_s(&circuit.circuit);
    }
}

static void test_rows_of_random_circuits(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 6000; n = n * 3 + 1) {
        random_circuit circuit = random_make(n);

        assert_eval_equals_the_host_s(&circuit.circuit);
    }
}

static void test_rows_of_random_blocks(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        random_blocks circuit = random_blocks_make(40, 1 + i % 4);

        assert_eval_equals_the_host_s(&circuit.circuit);
    }
}

static void empty_synthesize(const cz_circuit *self, cz_cs *cs)
{
    (void)self;
    cz_cs_border(cs);
}

static void test_no_rows(void **state)
{
    const cz_circuit circuit = {"empty", empty_synthesize};

    (void)state;
    assert_eval_equals_the_host_s(&circuit);
}

/* ---- sums of weighted bits, at their limits ---- */

enum { WIDE_BITS = 300 };

/* One row a sign pattern: up to WIDE_BITS bits with coefficients +-2^(k % 248), so that sums of
 * both signs, carries through all limbs and zero appear. */
static void wide_synthesize(const cz_circuit *self, cz_cs *cs)
{
    cz_var bits[WIDE_BITS];
    cz_lc a, b, c;

    (void)self;
    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (unsigned k = 0; k < WIDE_BITS; k++)
        bits[k] = cz_cs_alloc_bit(cs, CZ_NU("bit %u", k), k % 7 != 3);
    for (unsigned row = 0; row < 40; row++) {
        cz_fr power = toy_fr(1);

        for (unsigned k = 0; k < 7 * row + 2 && k < WIDE_BITS; k++) {
            cz_fr coeff = power;

            if ((k + row) % (2 + row % 5) == 0)
                cz_fr_neg(&coeff, &coeff);
            cz_lc_add(row % 2 == 0 ? &a : &c, &coeff, bits[k]);
            if (k % 248 == 247)
                power = toy_fr(1);
            else
                cz_fr_add(&power, &power, &power);
        }
        cz_lc_add(&b, &power, bits[row]);
        cz_cs_enforce(cs, CZ_NU("row %u", row), &a, &b, &c);
        cz_lc_reset(&a);
        cz_lc_reset(&b);
        cz_lc_reset(&c);
    }
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static void test_wide_rows(void **state)
{
    const cz_circuit circuit = {"wide", wide_synthesize};

    (void)state;
    assert_eval_equals_the_host_s(&circuit);
}

/* ---- sums over field elements, short and long, in more rows than one block takes ---- */

enum { SUM_FIELDS = 40, SUM_ROWS = CZ_EVAL_ROWS + 500 };

static void sums_synthesize(const cz_circuit *self, cz_cs *cs)
{
    cz_var fields[SUM_FIELDS];
    cz_lc lc[3];

    (void)self;
    for (int m = 0; m < 3; m++)
        cz_lc_init(&lc[m]);
    for (unsigned k = 0; k < SUM_FIELDS; k++) {
        const cz_fr value = toy_fr((int64_t)k * k - 700);

        fields[k] = cz_cs_alloc(cs, CZ_NU("field %u", k), &value);
    }
    for (unsigned row = 0; row < SUM_ROWS; row++) {
        for (unsigned k = 0; k < row % SUM_FIELDS; k++) {
            const cz_fr coeff = toy_fr((int64_t)k * 31 + row % 11 - 5);

            cz_lc_add(&lc[(row + k / 17) % 3], &coeff, fields[k]);
        }
        cz_cs_enforce(cs, CZ_NU("row %u", row), &lc[0], &lc[1], &lc[2]);
        for (int m = 0; m < 3; m++)
            cz_lc_reset(&lc[m]);
    }
    for (int m = 0; m < 3; m++)
        cz_lc_clear(&lc[m]);
}

static void test_long_sums(void **state)
{
    const cz_circuit circuit = {"sums", sums_synthesize};

    (void)state;
    assert_eval_equals_the_host_s(&circuit);
}

static void test_memory_that_is_short(void **state)
{
    random_circuit circuit = random_make(50);
    cz_eval_gpu *eval;
    cz_compiled *c;
    cz_gpu *gpu = host_gpu_open(1000);

    (void)state;
    assert_ok(cz_circuit_compile(&c, &circuit.circuit, NULL));
    assert_fails(cz_eval_gpu_create(gpu, &eval, c), CZ_E_NOMEM, "the budget has 1000 left");
    cz_compiled_destroy(c);
    cz_gpu_close(gpu);
}

static int use_host_eval(void **state)
{
    (void)state;
    host_gpu_table.eval_rows = host_eval_rows;
    return 0;
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup(test_rows_of_chains, use_host_eval),
    cmocka_unit_test_setup(test_rows_of_random_circuits, use_host_eval),
    cmocka_unit_test_setup(test_rows_of_random_blocks, use_host_eval),
    cmocka_unit_test_setup(test_no_rows, use_host_eval),
    cmocka_unit_test_setup(test_long_sums, use_host_eval),
    cmocka_unit_test_setup(test_wide_rows, use_host_eval),
    cmocka_unit_test_setup(test_memory_that_is_short, use_host_eval),
};
CZ_TEST_MAIN(cases)
