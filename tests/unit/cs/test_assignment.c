/* test_assignment.c: rows, densities and witness of the classic path. */
#include "cs/assignment.h"

#include "cs/digest.h"
#include "random_circuit.h"

static void assert_values(const cz_fr *got, const int64_t *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cz_fr v = toy_fr(want[i]);

        assert_true(cz_fr_equal(&got[i], &v));
    }
}

static void test_toy_rows(void **state)
{
    /* x x = x2, x2 x = x3, (5 + 3 x3) 1 = 5 + 3 out, (1 - bit) bit = 0; then one and out */
    static const int64_t a[8] = {3, 9, 86, 0, 1, 27, 0, 0};
    static const int64_t b[8] = {3, 3, 1, 1, 0, 0, 0, 0};
    static const int64_t c[8] = {9, 27, 86, 0, 0, 0, 0, 0};
    static const int64_t inputs[2] = {1, 27};
    static const int64_t aux[4] = {3, 9, 27, 1};
    toy_circuit toy = toy_make(3, 27, 1);
    cz_assignment s;

    (void)state;
    assert_ok(cz_assignment_synthesize(&s, &toy.circuit));
    assert_int_equal(s.n_inputs, 2);
    assert_int_equal(s.n_aux, 4);
    assert_int_equal(s.n_rows, 6);
    assert_int_equal(s.row_capacity, 8);
    assert_values(s.a, a, 8);
    assert_values(s.b, b, 8);
    assert_values(s.c, c, 8);
    assert_values(s.inputs, inputs, 2);
    assert_values(s.aux, aux, 4);
    assert_int_equal(s.dens_a_aux[0], 0xf); /* x, x2, x3, bit */
    assert_int_equal(s.dens_b_input[0], 1); /* one */
    assert_int_equal(s.dens_b_aux[0], 0x9); /* x and bit */
    cz_assignment_clear(&s);
}

/* A mode of the test's own: sees each row as the combinations themselves. */
typedef struct {
    cz_cs cs;
    const cz_assignment *s;
    uint64_t *a_aux, *b_input, *b_aux; /* planes made here */
} row_cs;

static void ignore_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    (void)cs;
    (void)name;
    (void)value;
}

static void mark(uint64_t *aux, uint64_t *input, const cz_lc *lc)
{
    for (uint32_t i = 0; i < lc->n; i++) {
        uint32_t k = cz_var_index(lc->terms[i].var);
        uint64_t *plane = cz_var_is_aux(lc->terms[i].var) ? aux : input;

        if (plane != NULL)
            plane[k / 64] |= (uint64_t)1 << (k % 64);
    }
}

static void assert_row(const cz_fr *got, const cz_lc *lc, const cz_assignment *s)
{
    cz_fr want = CZ_FR_ZERO;

    for (uint32_t i = 0; i < lc->n; i++) {
        cz_var v = lc->terms[i].var;
        cz_fr p;

        cz_fr_mul(&p, &lc->terms[i].coeff,
                  cz_var_is_aux(v) ? &s->aux[cz_var_index(v)] : &s->inputs[cz_var_index(v)]);
        cz_fr_add(&want, &want, &p);
    }
    assert_true(cz_fr_equal(got, &want));
}

static void compare_row(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    row_cs *r = (row_cs *)cs;

    (void)name;
    assert_row(&r->s->a[cs->n_constraints], a, r->s);
    assert_row(&r->s->b[cs->n_constraints], b, r->s);
    assert_row(&r->s->c[cs->n_constraints], c, r->s);
    mark(r->a_aux, NULL, a);
    mark(r->b_aux, r->b_input, b);
}

static const cz_cs_ops row_ops = {ignore_alloc, ignore_alloc, compare_row};

static void test_rows_and_densities_of_random_circuits(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 3000; n = n * 3 + 1) {
        random_circuit circuit = random_make(n);
        uint64_t a_aux[64] = {0}, b_input[64] = {0}, b_aux[64] = {0};
        cz_assignment s;
        row_cs r = {.s = &s, .a_aux = a_aux, .b_input = b_input, .b_aux = b_aux};

        assert_ok(cz_assignment_synthesize(&s, &circuit.circuit));
        cz_cs_init(&r.cs, &row_ops, true, true);
        circuit.circuit.synthesize(&circuit.circuit, &r.cs);
        assert_int_equal(s.n_inputs, r.cs.n_inputs);
        assert_int_equal(s.n_aux, r.cs.n_aux);
        assert_int_equal(s.n_rows, r.cs.n_constraints + r.cs.n_inputs);
        assert_memory_equal(s.dens_a_aux, a_aux, (s.n_aux + 63) / 64 * 8);
        assert_memory_equal(s.dens_b_aux, b_aux, (s.n_aux + 63) / 64 * 8);
        assert_memory_equal(s.dens_b_input, b_input, (s.n_inputs + 63) / 64 * 8);
        cz_assignment_clear(&s);
    }
}

/* The counts of cs/digest.h are those of the planes. */
static uint64_t count_bits(const uint64_t *plane, uint32_t n)
{
    uint64_t count = 0;

    for (uint32_t k = 0; k < n; k++)
        count += plane[k / 64] >> (k % 64) & 1;
    return count;
}

static void test_counts_agree_with_the_planes(void **state)
{
    random_circuit circuit = random_make(500);
    cz_circuit_stats stats;
    cz_assignment s;

    (void)state;
    assert_ok(cz_assignment_synthesize(&s, &circuit.circuit));
    assert_ok(cz_circuit_count(&stats, &circuit.circuit));
    assert_int_equal(count_bits(s.dens_a_aux, s.n_aux), stats.dens_a_aux);
    assert_int_equal(count_bits(s.dens_b_input, s.n_inputs), stats.dens_b_input);
    assert_int_equal(count_bits(s.dens_b_aux, s.n_aux), stats.dens_b_aux);
    cz_assignment_clear(&s);
}

static void empty_synthesize(const cz_circuit *self, cz_cs *cs)
{
    (void)self;
    (void)cs;
}

static void test_empty_circuit(void **state)
{
    cz_circuit circuit = {"empty", empty_synthesize};
    cz_assignment s;

    (void)state;
    assert_ok(cz_assignment_synthesize(&s, &circuit));
    assert_int_equal(s.n_rows, 1);
    assert_true(cz_fr_is_one(&s.a[0]));
    assert_true(cz_fr_is_zero(&s.b[0]));
    assert_int_equal(s.dens_b_input[0], 0);
    cz_assignment_clear(&s);
}

/* n rows 1 * 1 = 1, and one for the input one. */
typedef struct {
    cz_circuit circuit; /* first */
    unsigned n;
} plain_rows;

static void plain_synthesize(const cz_circuit *self, cz_cs *cs)
{
    cz_lc a, b, c;

    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (unsigned i = 0; i < ((const plain_rows *)(const void *)self)->n; i++) {
        cz_lc_add_var(&a, CZ_VAR_ONE);
        cz_lc_add_var(&b, CZ_VAR_ONE);
        cz_lc_add_var(&c, CZ_VAR_ONE);
        toy_enforce(cs, CZ_N("row"), &a, &b, &c);
    }
}

static void test_room_is_the_least_power_of_two(void **state)
{
    static const unsigned rooms[][2] = {{0, 1}, {1, 2}, {2, 4}, {3, 4}, {4, 8}, {7, 8}, {8, 16}};

    (void)state;
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        const plain_rows rows = {{"rows", plain_synthesize}, rooms[i][0]};
        cz_assignment s;

        assert_ok(cz_assignment_synthesize(&s, &rows.circuit));
        assert_int_equal(s.n_rows, rooms[i][0] + 1);
        assert_int_equal(s.row_capacity, rooms[i][1]);
        cz_assignment_clear(&s);
    }
}

/* Who takes the blocks next finds nothing of the witness in them. */
static void test_rows_are_erased(void **state)
{
    enum { ROWS = 2048 };
    const plain_rows rows = {{"rows", plain_synthesize}, ROWS - 1};
    const size_t bytes = ROWS * sizeof(cz_fr);
    cz_assignment_options options = {.rows = ROWS};
    cz_fr *again[3];
    cz_assignment s;

    (void)state;
    assert_ok(cz_blocks_create(&options.blocks));
    assert_ok(cz_assignment_synthesize_with(&s, &rows.circuit, &options));
    assert_int_equal(cz_blocks_count(options.blocks).made, 3);
    cz_assignment_clear(&s);
    for (int i = 0; i < 3; i++) {
        again[i] = cz_blocks_take(options.blocks, bytes);
        assert_non_null(again[i]);
        for (size_t k = 0; k < ROWS; k++)
            assert_true(cz_fr_is_zero(&again[i][k]));
    }
    assert_int_equal(cz_blocks_count(options.blocks).reused, 3);
    for (int i = 0; i < 3; i++)
        cz_blocks_give(options.blocks, again[i], bytes);
    cz_blocks_destroy(options.blocks);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_toy_rows),
    cmocka_unit_test(test_rows_and_densities_of_random_circuits),
    cmocka_unit_test(test_counts_agree_with_the_planes),
    cmocka_unit_test(test_empty_circuit),
    cmocka_unit_test(test_room_is_the_least_power_of_two),
    cmocka_unit_test(test_rows_are_erased),
};
CZ_TEST_MAIN(cases)
