/* test_blocks.c: blocks are as large as asked for, come back, and are counted. */
#include "base/blocks.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* Round the steps in which sizes are rounded up: 32 KiB, and 2 MiB from there on. */
static const size_t sizes[] = {
    1, 4095, 32 << 10, (32 << 10) + 1, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, (5 << 20) + 12345};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static void check_sizes(cz_blocks *b)
{
    for (size_t i = 0; i < N_SIZES; i++) {
        uint8_t *block = cz_blocks_take(b, sizes[i]);

        assert_non_null(block);
        assert_true(malloc_usable_size(block) >= sizes[i]);
        memset(block, 0x5a, sizes[i]);
        if (sizes[i] >= 2 << 20)
            assert_int_equal((uintptr_t)block % (2 << 20), 0);
        cz_blocks_give(b, block, sizes[i]);
    }
}

static void blocks_are_as_large_as_asked_for(void **state)
{
    cz_blocks *b;

    (void)state;
    check_sizes(NULL);
    assert_ok(cz_blocks_create(&b));
    check_sizes(b);
    cz_blocks_give(b, NULL, 1);
    cz_blocks_destroy(b);
    cz_blocks_destroy(NULL);
}

static void blocks_of_a_size_come_back(void **state)
{
    cz_blocks *b;
    void *first, *second, *other;
    cz_blocks_counts counts;

    (void)state;
    assert_ok(cz_blocks_create(&b));
    first = cz_blocks_take(b, 100000);
    second = cz_blocks_take(b, 100000);
    assert_ptr_not_equal(first, second);
    cz_blocks_give(b, first, 100000);
    other = cz_blocks_take(b, 1000000); /* larger: another one */
    assert_ptr_not_equal(other, first);
    assert_ptr_equal(cz_blocks_take(b, 99000), first); /* about the same */
    counts = cz_blocks_count(b);
    assert_int_equal(counts.made, 3);
    assert_int_equal(counts.reused, 1);
    assert_true(counts.bytes >= 2 * 100000 + 1000000);
    assert_true(counts.locked <= counts.bytes);
    cz_blocks_give(b, first, 99000);
    cz_blocks_give(b, second, 100000);
    cz_blocks_give(b, other, 1000000);
    cz_blocks_destroy(b);
    counts = cz_blocks_count(NULL);
    assert_int_equal(counts.made + counts.reused + counts.bytes + counts.locked, 0);
}

/* Whether or not the limit allows it, contents stay. */
static void pinning_keeps_contents(void **state)
{
    enum { BYTES = 20000 };
    uint8_t *block = malloc(BYTES);

    (void)state;
    assert_non_null(block);
    for (size_t i = 0; i < BYTES; i++)
        block[i] = (uint8_t)(i % 251);
    (void)cz_block_pin(block, BYTES);
    for (size_t i = 0; i < BYTES; i++)
        assert_int_equal(block[i], i % 251);
    cz_block_unpin(block, BYTES);
    free(block);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(blocks_are_as_large_as_asked_for),
    cmocka_unit_test(blocks_of_a_size_come_back),
    cmocka_unit_test(pinning_keeps_contents),
};
CZ_TEST_MAIN(cases)
