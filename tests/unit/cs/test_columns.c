/* test_columns.c: column sums against a direct computation and against the rows. */
#include "cs/columns.h"

#include <stdlib.h>

#include "cs/assignment.h"
#include "cs/digest.h"
#include "random_circuit.h"

static void random_weights(cz_fr *w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint8_t bytes[32];

        cz_test_random_bytes(bytes, sizeof bytes);
        cz_fr_from_le_mod(&w[i], bytes);
    }
}

/* sum += c * w[row] */
static void add(cz_fr *sum, int64_t c, const cz_fr *w)
{
    cz_fr coeff = toy_fr(c);
    cz_fr p;

    cz_fr_mul(&p, &coeff, w);
    cz_fr_add(sum, sum, &p);
}

static void test_toy_columns(void **state)
{
    toy_circuit toy = toy_make(0, 0, 0);
    cz_fr w[6], at[6], bt[6], ct[6];
    cz_fr a[6] = {0}, b[6] = {0}, c[6] = {0}; /* one, out, x, x2, x3, bit */

    (void)state;
    random_weights(w, 6);
    add(&a[2], 1, &w[0]);
    add(&a[3], 1, &w[1]);
    add(&a[0], 5, &w[2]);
    add(&a[4], 3, &w[2]);
    add(&a[0], 1, &w[3]);
    add(&a[5], -1, &w[3]);
    add(&a[0], 1, &w[4]); /* the inputs' own rows */
    add(&a[1], 1, &w[5]);
    add(&b[2], 1, &w[0]);
    add(&b[2], 1, &w[1]);
    add(&b[0], 1, &w[2]);
    add(&b[5], 1, &w[3]);
    add(&c[3], 1, &w[0]);
    add(&c[4], 1, &w[1]);
    add(&c[0], 5, &w[2]);
    add(&c[1], 3, &w[2]);
    assert_ok(cz_circuit_columns(at, bt, ct, &toy.circuit, 2, 4, w, 6));
    assert_memory_equal(at, a, sizeof a);
    assert_memory_equal(bt, b, sizeof b);
    assert_memory_equal(ct, c, sizeof c);
}

/* sum over columns of at[k] witness[k] = sum over rows of L_j a[j]. */
static void assert_same_sum(const cz_fr *columns, const cz_fr *rows, const cz_fr *weights,
                            const cz_assignment *s)
{
    cz_fr by_columns = CZ_FR_ZERO;
    cz_fr by_rows = CZ_FR_ZERO;
    cz_fr p;

    for (uint32_t k = 0; k < s->n_inputs + s->n_aux; k++) {
        cz_fr_mul(&p, &columns[k], k < s->n_inputs ? &s->inputs[k] : &s->aux[k - s->n_inputs]);
        cz_fr_add(&by_columns, &by_columns, &p);
    }
    for (uint64_t j = 0; j < s->n_rows; j++) {
        cz_fr_mul(&p, &rows[j], &weights[j]);
        cz_fr_add(&by_rows, &by_rows, &p);
    }
    assert_true(cz_fr_equal(&by_columns, &by_rows));
}

static void test_columns_against_rows(void **state)
{
    random_circuit circuit = random_make(700);
    cz_assignment s;
    cz_fr *w, *at, *bt, *ct;
    size_t n;

    (void)state;
    assert_ok(cz_assignment_synthesize(&s, &circuit.circuit));
    n = s.n_inputs + s.n_aux;
    w = malloc(s.row_capacity * sizeof *w);
    at = malloc(n * sizeof *at);
    bt = malloc(n * sizeof *bt);
    ct = malloc(n * sizeof *ct);
    random_weights(w, s.row_capacity);
    assert_ok(
        cz_circuit_columns(at, bt, ct, &circuit.circuit, s.n_inputs, s.n_aux, w, s.row_capacity));
    assert_same_sum(at, s.a, w, &s);
    assert_same_sum(bt, s.b, w, &s);
    assert_same_sum(ct, s.c, w, &s);
    free(w);
    free(at);
    free(bt);
    free(ct);
    cz_assignment_clear(&s);
}

static void test_wrong_sizes_are_refused(void **state)
{
    toy_circuit toy = toy_make(0, 0, 0);
    cz_fr w[6] = {0}, at[8], bt[8], ct[8];

    (void)state;
    assert_fails(cz_circuit_columns(at, bt, ct, &toy.circuit, 1, 4, w, 6), CZ_E_ARG, "more inputs");
    assert_fails(cz_circuit_columns(at, bt, ct, &toy.circuit, 2, 3, w, 6), CZ_E_ARG, "more aux");
    assert_fails(cz_circuit_columns(at, bt, ct, &toy.circuit, 2, 5, w, 6), CZ_E_ARG,
                 "fewer variables");
    assert_fails(cz_circuit_columns(at, bt, ct, &toy.circuit, 2, 4, w, 5), CZ_E_ARG,
                 "fewer row weights");
    assert_fails(cz_circuit_columns(at, bt, ct, &toy.circuit, 2, 4, w, 3), CZ_E_ARG,
                 "more constraints");
}

/* ---- parts ---- */

/* A head of an input and a number; n parts of a number, a bit and maybe an input, with two parts of
 * their own; rows over all of these; a foot that uses the head's number and the last part's. */
typedef enum { ODD_NOTHING, ODD_ROW, ODD_VARIABLE, ODD_FOREIGN } odd_kind;

typedef struct {
    cz_circuit circuit; /* first */
    size_t n;
    bool inputs, lanes;
    odd_kind kind; /* of part `odd` */
    size_t odd;
    cz_var input, number; /* the head's */
} parted;

typedef struct {
    const parted *p;
    cz_var own;
} inner;

/* (2 x + number) own = x - one, x new */
static void make_row(cz_cs *cs, const parted *p, cz_var own)
{
    const cz_fr two = toy_fr(2);
    cz_lc a, b, c;
    cz_var x;

    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    x = cz_cs_alloc(cs, CZ_N("x"), NULL);
    cz_lc_add(&a, &two, x);
    cz_lc_add_var(&a, p->number);
    cz_lc_add_var(&b, own);
    cz_lc_add_var(&c, x);
    cz_lc_sub_var(&c, CZ_VAR_ONE);
    cz_lc_add(&c, &two, p->input);
    cz_cs_enforce(cs, CZ_N("row"), &a, &b, &c);
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static void make_inner(const void *shared, cz_cs *cs, size_t i)
{
    const inner *in = shared;

    (void)i;
    make_row(cs, in->p, in->own);
}

static void make_part(const void *shared, cz_cs *cs, size_t i)
{
    const parted *p = shared;
    const odd_kind odd = i == p->odd ? p->kind : ODD_NOTHING;
    inner in = {p, cz_cs_alloc(cs, CZ_N("own"), NULL)};

    if (p->inputs)
        in.own = cz_cs_alloc_input(cs, CZ_N("own input"), NULL);
    make_row(cs, p, in.own);
    if (odd == ODD_ROW)
        make_row(cs, p, in.own);
    if (odd == ODD_VARIABLE)
        (void)cz_cs_alloc(cs, CZ_N("one more"), NULL);
    if (odd == ODD_FOREIGN) /* of the part before */
        in.own = (cz_var){CZ_VAR_AUX_BIT | (cs->n_aux - 3)};
    cz_cs_parts(cs, 2, make_inner, &in);
}

static void make_lanes(const void *shared, cz_cs *const lanes[], unsigned n, size_t first)
{
    for (unsigned i = 0; i < n; i++)
        make_part(shared, lanes[i], first + i);
}

static void parted_synthesize(const cz_circuit *self, cz_cs *cs)
{
    parted p = *(const parted *)(const void *)self;

    p.input = cz_cs_alloc_input(cs, CZ_N("input"), NULL);
    p.number = cz_cs_alloc(cs, CZ_N("number"), NULL);
    make_row(cs, &p, p.number);
    if (p.lanes)
        cz_cs_part_lanes(cs, p.n, make_lanes, &p);
    else
        cz_cs_parts(cs, p.n, make_part, &p);
    make_row(cs, &p, p.number);
    make_row(cs, &p, (cz_var){CZ_VAR_AUX_BIT | (cs->n_aux - 1)});
}

static parted parted_make(size_t n, bool inputs, bool lanes)
{
    return (parted){.circuit = {.id = "parted", .synthesize = parted_synthesize},
                    .n = n,
                    .inputs = inputs,
                    .lanes = lanes};
}

enum { PARTED_MOST = 400 };

/* The columns, one after the other. */
static cz_err parted_columns(cz_fr columns[3][PARTED_MOST], const parted *p,
                             const cz_circuit_sizes *sizes, const cz_fr *weights, cz_pool *pool)
{
    memset(columns, 0xa5, 3 * sizeof columns[0]);
    return cz_circuit_columns_pool(columns[0], columns[1], columns[2], &p->circuit,
                                   (uint32_t)sizes->inputs, (uint32_t)sizes->aux, weights,
                                   sizes->constraints + sizes->inputs, pool);
}

/* Each of the three while the others are left out. */
static void assert_columns_alone(cz_fr want[3][PARTED_MOST], const parted *p,
                                 const cz_circuit_sizes *sizes, const cz_fr *weights, cz_pool *pool)
{
    static cz_fr got[PARTED_MOST];

    for (int m = 0; m < 3; m++) {
        memset(got, 0xa5, sizeof got);
        assert_ok(cz_circuit_columns_pool(m == 0 ? got : NULL, m == 1 ? got : NULL,
                                          m == 2 ? got : NULL, &p->circuit, (uint32_t)sizes->inputs,
                                          (uint32_t)sizes->aux, weights,
                                          sizes->constraints + sizes->inputs, pool));
        assert_memory_equal(got, want[m], sizeof got);
    }
}

static void assert_parts_agree(const parted *p, cz_pool *pool)
{
    static cz_fr want[3][PARTED_MOST], got[3][PARTED_MOST], weights[PARTED_MOST];
    cz_circuit_sizes sizes;
    cz_circuit_stats stats;

    assert_ok(cz_circuit_measure(&sizes, &p->circuit));
    assert_ok(cz_circuit_count(&stats, &p->circuit));
    assert_int_equal(sizes.inputs, stats.inputs);
    assert_int_equal(sizes.aux, stats.aux);
    assert_int_equal(sizes.constraints, stats.constraints);
    assert_true(sizes.inputs + sizes.aux <= PARTED_MOST);
    assert_true(sizes.inputs + sizes.constraints <= PARTED_MOST);
    random_weights(weights, PARTED_MOST);
    memset(want, 0xa5, sizeof want);
    assert_ok(cz_circuit_columns(want[0], want[1], want[2], &p->circuit, (uint32_t)sizes.inputs,
                                 (uint32_t)sizes.aux, weights, sizes.constraints + sizes.inputs));
    assert_ok(parted_columns(got, p, &sizes, weights, pool));
    assert_memory_equal(got, want, sizeof got);
    assert_columns_alone(want, p, &sizes, weights, pool);
}

static void test_parts_by_threads(void **state)
{
    const size_t numbers[] = {0, 1, 2, 3, 17, 60};
    cz_pool *pools[3] = {NULL};

    (void)state;
    assert_ok(cz_pool_create(&pools[1], 2));
    assert_ok(cz_pool_create(&pools[2], 5));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            const parted p = parted_make(numbers[i], kind % 2 != 0, kind / 2 != 0);

            for (int k = 0; k < 3; k++)
                assert_parts_agree(&p, pools[k]);
        }
    cz_pool_destroy(pools[1]);
    cz_pool_destroy(pools[2]);
}

static void test_parts_that_differ_are_refused(void **state)
{
    static const char *const messages[] = {[ODD_ROW] = "of the circuit has other",
                                           [ODD_VARIABLE] = "of the circuit has other",
                                           [ODD_FOREIGN] = "a variable of another"};
    static const size_t places[] = {1, 7, 19};
    static cz_fr columns[3][PARTED_MOST], weights[PARTED_MOST];
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 3));
    random_weights(weights, PARTED_MOST);
    for (odd_kind kind = ODD_ROW; kind <= ODD_FOREIGN; kind++)
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            parted p = parted_make(20, false, false);
            cz_circuit_sizes sizes;

            p.kind = kind;
            p.odd = places[i];
            assert_ok(cz_circuit_measure(&sizes, &p.circuit));
            assert_fails(parted_columns(columns, &p, &sizes, weights, pool), CZ_E_INTERNAL,
                         messages[kind]);
        }
    cz_pool_destroy(pool);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_toy_columns),
    cmocka_unit_test(test_columns_against_rows),
    cmocka_unit_test(test_wrong_sizes_are_refused),
    cmocka_unit_test(test_parts_by_threads),
    cmocka_unit_test(test_parts_that_differ_are_refused),
};
CZ_TEST_MAIN(cases)
