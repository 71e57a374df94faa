/* The witness in two bit planes. */
#include "support.h"

#include <stdlib.h>

#include "groth16/split.h"

static void assert_split(size_t n, cz_pool *pool)
{
    cz_fr *values = malloc((n + 1) * sizeof *values);
    uint8_t *class = malloc(n + 1);
    cz_split s;

    assert_true(values != NULL && class != NULL);
    for (size_t k = 0; k < n; k++) {
        class[k] = (uint8_t)(cz_test_random() % 4);
        cz_fr_from_u64(&values[k], class[k]);
        if (class[k] == 3)
            cz_fr_neg(&values[k], &values[k]);
    }
    assert_ok(cz_split_make(&s, values, n, pool));
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(s.ones[k / 64] >> (k % 64) & 1, class[k] == 1);
        assert_int_equal(s.tail[k / 64] >> (k % 64) & 1, class[k] > 1);
    }
    if (n % 64 != 0)
        assert_int_equal((s.ones[n / 64] | s.tail[n / 64]) >> (n % 64), 0);
    cz_split_clear(&s);
    free(values);
    free(class);
}

static void test_every_value_is_in_its_class(void **state)
{
    const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 128, 1000, 64 * 600 + 5};
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 3));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_split(sizes[i], pool);
        assert_split(sizes[i], NULL);
    }
    cz_pool_destroy(pool);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_every_value_is_in_its_class),
};

CZ_TEST_MAIN(cases)
