/* test_msm_memory.c: what is secret in scratch is erased, what is not is left alone; large blocks
 * serve again, up to a bound. */
#include "msm/msm_memory.h"

#include <stdlib.h>
#include <string.h>

#include "msm/msm_spare.h"
#include "support.h"

enum { SECRET_BYTES = 5000003, SMALL_BYTES = 100, PATTERN = 0x5a };

typedef struct {
    cz_msm_memory memory;
    uint8_t *secret, *plain, *small;
} scratch;

static void take_all(scratch *s)
{
    memset(s, 0, sizeof *s);
    assert_ok(cz_msm_take_secret(&s->memory, &s->secret, SECRET_BYTES, 1));
    assert_ok(cz_msm_take(&s->memory, &s->plain, SMALL_BYTES, 1));
    assert_ok(cz_msm_take_secret(&s->memory, &s->small, SMALL_BYTES, 1));
    memset(s->secret, PATTERN, SECRET_BYTES);
    memset(s->plain, PATTERN, SMALL_BYTES);
    memset(s->small, PATTERN, SMALL_BYTES);
}

static void assert_all_are(const uint8_t *bytes, size_t n, uint8_t value)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != value)
            fail_msg("byte %zu of %zu is %u, not %u", i, n, bytes[i], value);
}

static void erase_with(unsigned threads)
{
    cz_pool *pool;
    scratch s;

    assert_ok(cz_pool_create(&pool, threads));
    take_all(&s);
    cz_msm_erase(&s.memory, pool);
    assert_all_are(s.secret, SECRET_BYTES, 0);
    assert_all_are(s.small, SMALL_BYTES, 0);
    assert_all_are(s.plain, SMALL_BYTES, PATTERN);
    cz_msm_release(&s.memory);
    cz_pool_destroy(pool);
}

static void one_thread_erases_secrets(void **state)
{
    (void)state;
    erase_with(1);
}

static void threads_erase_secrets(void **state)
{
    (void)state;
    erase_with(3);
}

/* What a call that fails on its way leaves: the next one gets the same block. */
static void releasing_erases_secrets(void **state)
{
    cz_msm_memory m = {0};
    uint8_t *again;
    scratch s;

    (void)state;
    cz_msm_spare_drop();
    take_all(&s);
    cz_msm_release(&s.memory);
    assert_ok(cz_msm_take(&m, &again, SECRET_BYTES, 1));
    assert_ptr_equal(again, s.secret);
    assert_all_are(again, SECRET_BYTES, 0);
    cz_msm_release(&m);
}

static void counting_takes_nothing(void **state)
{
    cz_msm_memory counted = {.only_counting = true};
    void *block = &counted;
    scratch s;

    (void)state;
    assert_ok(cz_msm_take_secret(&counted, &block, SECRET_BYTES, 1));
    assert_null(block);
    assert_ok(cz_msm_take(&counted, &block, SMALL_BYTES, 1));
    assert_ok(cz_msm_take_secret(&counted, &block, SMALL_BYTES, 1));
    take_all(&s);
    assert_int_equal(counted.bytes, s.memory.bytes);
    cz_msm_release(&s.memory);
    cz_msm_erase(&counted, NULL);
    cz_msm_release(&counted);
}

static void *take_and_release(size_t bytes)
{
    cz_msm_memory m = {0};
    void *block;

    assert_ok(cz_msm_take(&m, &block, bytes, 1));
    cz_msm_release(&m);
    return block;
}

static void released_blocks_serve_again(void **state)
{
    cz_msm_memory m = {0};
    void *first, *again, *other;

    (void)state;
    cz_msm_spare_drop();
    first = take_and_release(SECRET_BYTES);
    assert_int_equal(cz_msm_spare_bytes(), cz_msm_block_bytes(SECRET_BYTES, 1));
    assert_ok(cz_msm_take(&m, &other, SECRET_BYTES / 5, 1)); /* far too large for that */
    assert_ptr_not_equal(other, first);
    assert_ok(cz_msm_take(&m, &again, SECRET_BYTES - 1000000, 1));
    assert_ptr_equal(again, first);
    assert_int_equal(cz_msm_spare_bytes(), 0);
    cz_msm_release(&m);
    cz_msm_spare_drop();
    assert_int_equal(cz_msm_spare_bytes(), 0);
}

static void a_spare_is_never_too_small(void **state)
{
    const size_t bytes = (size_t)CZ_MSM_SPARE_LEAST * 2;
    size_t room;
    void *block;

    (void)state;
    cz_msm_spare_drop();
    (void)take_and_release(bytes - 64);
    assert_null(cz_msm_spare_take(bytes + 1, &room));
    block = cz_msm_spare_take(bytes, &room);
    assert_non_null(block);
    assert_int_equal(room, bytes);
    free(block);
}

/* The oldest go, and what is too large for all does not stay at all. */
static void spares_are_bounded(void **state)
{
    const size_t large = CZ_MSM_SPARE_BYTES / 8 * 3;

    (void)state;
    cz_msm_spare_drop();
    for (size_t i = 0; i < 5; i++) {
        cz_msm_memory m = {0};
        void *a, *b;

        assert_ok(cz_msm_take(&m, &a, large + (i << 21), 1));
        assert_ok(cz_msm_take(&m, &b, CZ_MSM_SPARE_LEAST + i, 1));
        cz_msm_release(&m);
        assert_in_range(cz_msm_spare_bytes(), large, CZ_MSM_SPARE_BYTES);
    }
    cz_msm_spare_drop();
    (void)take_and_release((size_t)CZ_MSM_SPARE_BYTES + 1);
    (void)take_and_release(CZ_MSM_SPARE_LEAST / 2);
    assert_int_equal(cz_msm_spare_bytes(), 0);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(one_thread_erases_secrets),  cmocka_unit_test(threads_erase_secrets),
    cmocka_unit_test(counting_takes_nothing),     cmocka_unit_test(released_blocks_serve_again),
    cmocka_unit_test(spares_are_bounded),         cmocka_unit_test(releasing_erases_secrets),
    cmocka_unit_test(a_spare_is_never_too_small),
};

CZ_TEST_MAIN(cases)
