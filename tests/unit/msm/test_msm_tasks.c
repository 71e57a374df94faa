/* test_msm_tasks.c: how evenly a sum's work falls on threads, counted, not timed: form "cpu" over
 * G1, with parallel loops that run their tasks one after another and give each to the thread that
 * would be free first, as the pool does. */
#include <stdio.h>
#include <stdlib.h>

#include "curve/curve.h"
#include "msm/msm.h"
#include "support.h"

static unsigned believed_threads; /* that the sum believes it has */

static cz_err dealt_for(size_t n, size_t grain, cz_loop_fn fn, void *ctx, const char *name);
#define cz_parallel_for(pool, n, grain, fn, ctx)                                                   \
    ((void)(pool), dealt_for((n), (grain), (fn), (ctx), #fn))
#define cz_pool_threads(pool) ((void)(pool), believed_threads)

#define GROUP                 cz_g1
#define AFFINE                cz_g1_affine
#define G(name)               cz_g1_##name
#define COORD                 cz_fp
#define COORD_ONE             CZ_FP_ONE
#define C(name)               cz_fp_##name
#define KERNEL                "../tests/unit/msm/counting_add.h"
#include "msm/msm_body.h"

static bool always(void)
{
    return true;
}

static const cz_msm_g1_form dealt = {"dealt",    always,    msm,          bit_sum,
                                     fixed_base, msm_bytes, bit_sum_bytes};

enum { MAX_SUM_THREADS = 96 };

/* Additions of the sum: all, and those of the busiest thread of each loop, one after another. */
static double all_additions, slowest_additions;
static size_t fewest_tasks; /* of a loop without additions */
static const char *loop_of_fewest;

static double busiest(const double *of_thread)
{
    double most = 0;

    for (unsigned t = 0; t < believed_threads; t++)
        most = of_thread[t] > most ? of_thread[t] : most;
    return most;
}

static unsigned first_free(const double *of_thread)
{
    unsigned first = 0;

    for (unsigned t = 1; t < believed_threads; t++)
        first = of_thread[t] < of_thread[first] ? t : first;
    return first;
}

static void note_loop(const char *name, size_t n_tasks, double largest, const double *of_thread,
                      double sum)
{
    all_additions += sum;
    slowest_additions += busiest(of_thread);
    if (sum == 0 && n_tasks < fewest_tasks) {
        fewest_tasks = n_tasks;
        loop_of_fewest = name;
    }
    print_message("  %-24s %5zu tasks, %9.0f additions, largest task %6.0f, busiest thread %8.0f\n",
                  name, n_tasks, sum, largest, busiest(of_thread));
}

static cz_err dealt_for(size_t n, size_t grain, cz_loop_fn fn, void *ctx, const char *name)
{
    double of_thread[MAX_SUM_THREADS] = {0};
    double sum = 0, largest = 0;
    size_t n_tasks = 0;

    for (size_t begin = 0; begin < n; begin += grain) {
        cost_of_task = 0;
        CZ_TRY(fn(ctx, begin, n - begin < grain ? n : begin + grain, 0));
        of_thread[first_free(of_thread)] += cost_of_task;
        sum += cost_of_task;
        largest = cost_of_task > largest ? cost_of_task : largest;
        n_tasks++;
    }
    note_loop(name, n_tasks, largest, of_thread, sum);
    return CZ_OK;
}

/* n points, few of them different, and random scalars. */
static void make_sum(cz_g1_affine *points, cz_u256 *scalars, size_t n)
{
    cz_g1 chain[256];

    cz_g1_from_affine(&chain[0], &cz_g1_generator);
    for (size_t i = 1; i < 256; i++)
        cz_g1_add_affine(&chain[i], &chain[i - 1], &cz_g1_generator);
    assert_ok(cz_g1_batch_to_affine(points, chain, 256));
    for (size_t i = 256; i < n; i++)
        points[i] = points[cz_test_random() % 256];
    cz_test_random_bytes((uint8_t *)scalars, n * sizeof *scalars);
    for (size_t i = 0; i < n; i++)
        scalars[i].l[3] >>= 2;
}

/* What a sum of 2^log_n points would gain from the threads if additions were all it does, as a
 * share of their number. */
static double efficiency(unsigned log_n, unsigned threads)
{
    const size_t n = (size_t)1 << log_n;
    cz_g1_affine *points = malloc(n * sizeof *points);
    cz_u256 *scalars = malloc(n * sizeof *scalars);
    cz_g1 sum;

    assert_true(points != NULL && scalars != NULL);
    make_sum(points, scalars, n);
    believed_threads = threads;
    all_additions = slowest_additions = 0;
    fewest_tasks = SIZE_MAX;
    print_message("2^%u points, %u threads\n", log_n, threads);
    assert_ok(dealt.msm(NULL, &sum, points, scalars, n));
    print_message("  efficiency %.3f; fewest tasks without additions: %zu (%s)\n",
                  all_additions / slowest_additions / threads, fewest_tasks, loop_of_fewest);
    free(points);
    free(scalars);
    return all_additions / slowest_additions / threads;
}

static void two_threads_share_evenly(void **state)
{
    (void)state;
    assert_true(efficiency(16, 2) > 0.995);
    assert_true(fewest_tasks >= 8);
}

static void many_threads_share_evenly(void **state)
{
    (void)state;
    assert_true(efficiency(17, MAX_SUM_THREADS) > 0.88);
    assert_true(fewest_tasks >= 16);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(two_threads_share_evenly),
    cmocka_unit_test(many_threads_share_evenly),
};

CZ_TEST_MAIN(cases)
