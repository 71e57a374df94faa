/* Costs of sums, circuits and syntheses against bench/baselines/ (costs.h). */
#define _GNU_SOURCE
#include "costs.h"

#include <stdatomic.h>

#include "cs/assignment.h"
#include "cs/compile.h"
#include "filecoin/job.h"
#include "msm/msm.h"
#include "msm/msm_shape.h"

/* ---- counting allocations ---- */

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { COUNTS_MALLOC = 0 };
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { COUNTS_MALLOC = 0 };
#else
#define COUNT_MALLOC 1
#endif
#else
#define COUNT_MALLOC 1
#endif

static atomic_ulong mallocs;

#ifdef COUNT_MALLOC
enum { COUNTS_MALLOC = 1 };
void *__libc_malloc(size_t n); // NOLINT: glibc's name

void *malloc(size_t n)
{
    atomic_fetch_add_explicit(&mallocs, 1, memory_order_relaxed);
    return __libc_malloc(n);
}
#endif

/* ---- sums ---- */

/* One addition for every point and window, two for every bucket (msm_shape.h). */
static uint64_t point_additions(size_t n)
{
    cz_msm_shape s;

    cz_msm_shape_rule(&s, n, 2, CZ_MSM_MAX_WINDOW);
    return (uint64_t)n * s.n_windows + 2 * (uint64_t)cz_msm_n_buckets(&s);
}

static void test_costs_of_sums(void **state)
{
    static const unsigned logs[] = {10, 16, 20, 24, 27};
    costs list = {.n = 0};
    cz_msm_shape s;
    char of[16];

    (void)state;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        const size_t n = (size_t)1 << logs[i];

        (void)snprintf(of, sizeof of, "sum 2^%u", logs[i]);
        cz_msm_shape_rule(&s, n, 2, CZ_MSM_MAX_WINDOW);
        costs_add(&list, of, "window bits", s.c);
        costs_add(&list, of, "windows", s.n_windows);
        costs_add(&list, of, "buckets", cz_msm_n_buckets(&s));
        costs_add(&list, of, "point additions", point_additions(n));
    }
    costs_compare(&list, "sums.json");
}

/* ---- circuits ---- */

static void add_circuit(costs *list, const char *id)
{
    cz_circuit *circuit;
    cz_circuit_stats stats;
    cz_compiled_sizes sizes;
    cz_compiled *compiled;

    assert_ok(cz_circuit_create_blank(&circuit, id));
    assert_ok(cz_circuit_compile(&compiled, circuit, NULL));
    stats = cz_compiled_stats(compiled);
    sizes = cz_compiled_measure(compiled);
    costs_add(list, id, "constraints", stats.constraints);
    costs_add(list, id, "aux", stats.aux);
    costs_add(list, id, "nonzeros", stats.nnz_a + stats.nnz_b + stats.nnz_c);
    costs_add(list, id, "fields", sizes.n_fields);
    costs_add(list, id, "points of L, A, B1, B2",
              (uint64_t)stats.aux + stats.inputs + stats.dens_a_aux +
                  2 * (stats.dens_b_input + stats.dens_b_aux));
    cz_compiled_destroy(compiled);
    cz_circuit_destroy(circuit);
}

static void test_costs_of_small_circuits(void **state)
{
    costs list = {.n = 0};

    (void)state;
    add_circuit(&list, "winning-2k");
    add_circuit(&list, "wpost-2k");
    costs_compare(&list, "circuits.json");
}

static void test_costs_of_porep_slow_2k(void **state)
{
    costs list = {.n = 0};

    (void)state;
    add_circuit(&list, "porep-2k");
    costs_compare(&list, "porep.json");
}

/* ---- allocations ---- */

static cz_job *read_job(void)
{
    cz_request *request;
    cz_job *job;
    size_t n;
    uint8_t *bytes = cz_test_read(cz_vector_path("golden/cases/winning-2k/request.json"), &n);

    assert_ok(cz_request_parse(&request, bytes, n));
    assert_ok(cz_job_create(&job, request, NULL));
    cz_request_destroy(request);
    free(bytes);
    return job;
}

static uint64_t mallocs_of_synthesis(const cz_circuit *circuit, unsigned inline_terms)
{
    const unsigned long before = atomic_load(&mallocs);
    cz_assignment w;
    uint64_t n;

    cz_lc_set_inline_terms(inline_terms);
    assert_ok(cz_assignment_synthesize(&w, circuit));
    n = atomic_load(&mallocs) - before;
    cz_assignment_clear(&w);
    cz_lc_set_inline_terms(CZ_LC_INLINE_TERMS);
    return n;
}

static void test_allocations_of_a_classic_synthesis(void **state)
{
    costs list = {.n = 0};
    cz_circuit *circuit;
    cz_job *job;

    (void)state;
    if (!COUNTS_MALLOC)
        return; /* a sanitizer has its own */
    job = read_job();
    assert_ok(cz_job_circuit(job, 0, &circuit));
    (void)mallocs_of_synthesis(circuit, CZ_LC_INLINE_TERMS); /* tables that stay */
    for (unsigned terms = 0; terms <= CZ_LC_INLINE_TERMS; terms += 2) {
        char what[32];

        (void)snprintf(what, sizeof what, "mallocs, %u terms inline", terms);
        costs_add(&list, "winning-2k", what, mallocs_of_synthesis(circuit, terms));
    }
    assert_true(list.all[0].value > list.all[2].value);
    cz_circuit_destroy(circuit);
    cz_job_destroy(job);
    costs_compare(&list, "allocations.json");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_costs_of_sums),
    cmocka_unit_test(test_costs_of_small_circuits),
    cmocka_unit_test(test_costs_of_porep_slow_2k),
    cmocka_unit_test(test_allocations_of_a_classic_synthesis),
};

CZ_TEST_MAIN(cases)
