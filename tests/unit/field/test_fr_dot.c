/* test_fr_dot.c: sums of products, reduced once, against products reduced one by one. */
#include "field/fr_dot.h"

#include "field_cases.h"

static cz_fr a[CZ_FR_DOT_MAX], b[3 * CZ_FR_DOT_MAX];

static void compare(size_t stride, size_t n)
{
    cz_fr want = CZ_FR_ZERO;
    cz_fr got, product;

    for (size_t i = 0; i < n; i++) {
        cz_fr_mul(&product, &a[i], &b[i * stride]);
        cz_fr_add(&want, &want, &product);
    }
    cz_fr_dot(&got, a, b, stride, n);
    assert_memory_equal(&got, &want, sizeof got);
}

static void compare_all_lengths(void)
{
    for (size_t n = 1; n <= CZ_FR_DOT_MAX; n++)
        for (size_t stride = 1; stride <= 3; stride++)
            compare(stride, n);
}

static void random_vectors(void)
{
    for (size_t i = 0; i < CZ_FR_DOT_MAX; i++)
        random_limbs(a[i].l, cz_fr_modulus, 4);
    for (size_t i = 0; i < 3 * CZ_FR_DOT_MAX; i++)
        random_limbs(b[i].l, cz_fr_modulus, 4);
    compare_all_lengths();
}

/* The largest sum there is, and the smallest: r - 1, 0, 1. */
static void extreme_vectors(void)
{
    const cz_fr largest = {
        {cz_fr_modulus[0] - 1, cz_fr_modulus[1], cz_fr_modulus[2], cz_fr_modulus[3]}};
    const cz_fr values[3] = {largest, CZ_FR_ZERO, {{1}}};

    for (size_t k = 0; k < 9; k++) {
        for (size_t i = 0; i < CZ_FR_DOT_MAX; i++)
            a[i] = values[k % 3];
        for (size_t i = 0; i < 3 * CZ_FR_DOT_MAX; i++)
            b[i] = values[k / 3];
        compare_all_lengths();
    }
}

static void edge_vectors(void)
{
    static uint64_t edges[MAX_EDGES][6];
    const size_t n_edges = edge_limbs(edges, cz_fr_modulus, 4);

    for (size_t first = 0; first < n_edges; first++) {
        for (size_t i = 0; i < CZ_FR_DOT_MAX; i++) {
            memcpy(a[i].l, edges[(first + i) % n_edges], sizeof a[i].l);
            memcpy(b[i].l, edges[(first + 7 * i) % n_edges], sizeof b[i].l);
        }
        compare(1, 1 + first % CZ_FR_DOT_MAX);
    }
}

/* k r + delta, five limbs. */
static void near_multiple(uint64_t t[5], uint64_t k, int delta)
{
    uint64_t carry = 0, borrow = 0;

    for (int i = 0; i < 4; i++)
        t[i] = cz_mac(0, k, cz_fr_modulus[i], &carry);
    t[4] = carry;
    carry = delta > 0;
    borrow = delta < 0;
    for (int i = 0; i < 5; i++) {
        t[i] = cz_adc(t[i], 0, &carry);
        t[i] = cz_sbb(t[i], 0, &borrow);
    }
}

/* The quotient is guessed from the highest bits: just below a multiple of r it is easily one too
 * large. */
static void sums_near_multiples_of_the_modulus(void **state)
{
    const uint64_t one[4] = {1};
    uint64_t t[5], minus_one[5];
    cz_fr r;

    (void)state;
    near_multiple(minus_one, 1, -1);
    for (uint64_t k = 0; k < 31; k++) {
        near_multiple(t, k, 0);
        cz_fr_dot_finish(&r, t);
        assert_true(cz_fr_is_zero(&r));
        near_multiple(t, k, 1);
        cz_fr_dot_finish(&r, t);
        assert_memory_equal(r.l, one, sizeof r.l);
        near_multiple(t, k + 1, -1);
        cz_fr_dot_finish(&r, t);
        assert_memory_equal(r.l, minus_one, sizeof r.l);
    }
}

static void random_sums_by_portable(void **state)
{
    (void)state;
    with_form("portable", random_vectors);
}

static void random_sums_by_adx(void **state)
{
    (void)state;
    with_form("adx", random_vectors);
}

static void extreme_sums_by_portable(void **state)
{
    (void)state;
    with_form("portable", extreme_vectors);
}

static void extreme_sums_by_adx(void **state)
{
    (void)state;
    with_form("adx", extreme_vectors);
}

static void edge_sums_by_portable(void **state)
{
    (void)state;
    with_form("portable", edge_vectors);
}

static void edge_sums_by_adx(void **state)
{
    (void)state;
    with_form("adx", edge_vectors);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(random_sums_by_portable),
    cmocka_unit_test(random_sums_by_adx),
    cmocka_unit_test(extreme_sums_by_portable),
    cmocka_unit_test(extreme_sums_by_adx),
    cmocka_unit_test(edge_sums_by_portable),
    cmocka_unit_test(edge_sums_by_adx),
    cmocka_unit_test(sums_near_multiples_of_the_modulus),
};

CZ_TEST_MAIN(cases)
