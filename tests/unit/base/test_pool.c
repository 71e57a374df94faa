/* The loop pool: every item once, nesting, errors, several callers, thread counts. */
#define _GNU_SOURCE
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/pool.h"

enum { MAX_ITEMS = 10000 };

typedef struct {
    atomic_uint seen[MAX_ITEMS];
    atomic_uint bad_worker;
    unsigned n_workers;
    size_t max_chunk;
    cz_pool *pool;
    size_t fail_at; /* MAX_ITEMS: never */
} loop_state;

static cz_err mark(void *ctx, size_t begin, size_t end, unsigned worker)
{
    loop_state *s = ctx;

    if (worker >= s->n_workers || end - begin > s->max_chunk)
        atomic_fetch_add(&s->bad_worker, 1);
    for (size_t i = begin; i < end; i++) {
        atomic_fetch_add(&s->seen[i], 1);
        if (i == s->fail_at)
            return cz_fail(CZ_E_INPUT, "item %zu is bad", i);
    }
    return CZ_OK;
}

static void assert_all_seen_once(loop_state *s, size_t n)
{
    for (size_t i = 0; i < MAX_ITEMS; i++)
        assert_int_equal(atomic_load(&s->seen[i]), i < n ? 1 : 0);
    assert_int_equal(atomic_load(&s->bad_worker), 0);
}

static loop_state *new_state(cz_pool *pool, size_t max_chunk)
{
    loop_state *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->pool = pool;
    s->n_workers = cz_pool_threads(pool);
    s->max_chunk = max_chunk;
    s->fail_at = MAX_ITEMS;
    return s;
}

static void check_sizes(cz_pool *pool)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 64, 1000, MAX_ITEMS};
    static const size_t grains[] = {0, 1, 3, 64, 20000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t g = 0; g < sizeof grains / sizeof *grains; g++) {
            loop_state *s = new_state(pool, grains[g] != 0 ? grains[g] : MAX_ITEMS);

            assert_ok(cz_parallel_for(pool, sizes[i], grains[g], mark, s));
            assert_all_seen_once(s, sizes[i]);
            free(s);
        }
    }
}

static void test_every_item_runs_once(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 5; threads++) {
        cz_pool *pool;

        assert_ok(cz_pool_create(&pool, threads));
        assert_int_equal(cz_pool_threads(pool), threads);
        check_sizes(pool);
        cz_pool_destroy(pool);
    }
}

static void test_null_pool_is_serial(void **state)
{
    (void)state;
    assert_int_equal(cz_pool_threads(NULL), 1);
    check_sizes(NULL);
    cz_pool_destroy(NULL);
}

static void test_zero_threads_means_the_cpus_we_may_use(void **state)
{
    cz_pool *pool;

    (void)state;
    assert_true(cz_cpu_count() >= 1);
    assert_ok(cz_pool_create(&pool, 0));
    assert_int_equal(cz_pool_threads(pool), cz_cpu_count());
    cz_pool_destroy(pool);
}

static void test_absurd_thread_counts_are_refused(void **state)
{
    cz_pool *pool;

    (void)state;
    assert_fails(cz_pool_create(&pool, 1000000), CZ_E_ARG, "1000000 threads wanted");
}

static cz_err nested(void *ctx, size_t begin, size_t end, unsigned worker)
{
    loop_state *s = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        loop_state *inner = new_state(s->pool, 10);
        cz_err err = cz_parallel_for(s->pool, 100, 10, mark, inner);

        for (size_t k = 0; k < 100; k++)
            if (atomic_load(&inner->seen[k]) != 1)
                atomic_fetch_add(&s->bad_worker, 1);
        free(inner);
        if (err != CZ_OK)
            return err;
        atomic_fetch_add(&s->seen[i], 1);
    }
    return CZ_OK;
}

static void test_loops_nest(void **state)
{
    cz_pool *pool;
    loop_state *s;

    (void)state;
    assert_ok(cz_pool_create(&pool, 3));
    s = new_state(pool, MAX_ITEMS);
    assert_ok(cz_parallel_for(pool, 50, 1, nested, s));
    assert_all_seen_once(s, 50);
    free(s);
    cz_pool_destroy(pool);
}

static void test_first_error_comes_back(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        cz_pool *pool;
        loop_state *s;

        assert_ok(cz_pool_create(&pool, threads));
        s = new_state(pool, MAX_ITEMS);
        s->fail_at = 123;
        cz_err_reset();
        assert_fails(cz_parallel_for(pool, MAX_ITEMS, 1, mark, s), CZ_E_INPUT, "item 123 is bad");
        /* the pool is usable afterwards */
        s->fail_at = MAX_ITEMS;
        memset(s->seen, 0, sizeof s->seen);
        assert_ok(cz_parallel_for(pool, 1000, 7, mark, s));
        assert_all_seen_once(s, 1000);
        free(s);
        cz_pool_destroy(pool);
    }
}

/* Items that are under way together: the first fails, the others 50 ms later. */
static cz_err fail_in_order(void *ctx, size_t begin, size_t end, unsigned worker)
{
    atomic_uint *begun = ctx;
    const struct timespec pause = {0, 50 * 1000000};

    (void)end;
    (void)worker;
    if (atomic_fetch_add(begun, 1) == 0) {
        while (atomic_load(begun) < 2)
            (void)sched_yield();
        return cz_fail(CZ_E_INPUT, "the first");
    }
    (void)nanosleep(&pause, NULL);
    return cz_fail(CZ_E_IO, "a later one, %zu", begin);
}

static void test_the_earliest_of_several_errors_comes_back(void **state)
{
    atomic_uint begun = 0;
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 3));
    assert_fails(cz_parallel_for(pool, 3, 1, fail_in_order, &begun), CZ_E_INPUT, "the first");
    assert_true(atomic_load(&begun) >= 2);
    cz_pool_destroy(pool);
}

static void *call_loops(void *arg)
{
    cz_pool *pool = arg;
    uintptr_t bad = 0;

    for (int round = 0; round < 50; round++) {
        loop_state *s = new_state(pool, MAX_ITEMS);

        if (cz_parallel_for(pool, 500, 5, mark, s) != CZ_OK)
            bad++;
        for (size_t i = 0; i < 500; i++)
            bad += atomic_load(&s->seen[i]) != 1;
        free(s);
    }
    return (void *)bad;
}

static void test_several_threads_share_a_pool(void **state)
{
    pthread_t threads[4];
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 3));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_loops, pool), 0);
    for (int i = 0; i < 4; i++) {
        void *bad;

        assert_int_equal(pthread_join(threads[i], &bad), 0);
        assert_null(bad);
    }
    cz_pool_destroy(pool);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_every_item_runs_once),
    cmocka_unit_test(test_null_pool_is_serial),
    cmocka_unit_test(test_zero_threads_means_the_cpus_we_may_use),
    cmocka_unit_test(test_absurd_thread_counts_are_refused),
    cmocka_unit_test(test_loops_nest),
    cmocka_unit_test(test_first_error_comes_back),
    cmocka_unit_test(test_the_earliest_of_several_errors_comes_back),
    cmocka_unit_test(test_several_threads_share_a_pool),
};

CZ_TEST_MAIN(cases)
