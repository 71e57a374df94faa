/* Costs that do not depend on the machine's mood, against bench/baselines/: a change appears as a
 * diff there, in the commit that made it. After a wanted change:
 *
 *   CZ_UPDATE_BASELINES=1 build/bin/unit_lab_test_baselines     writes the files anew */
#define _GNU_SOURCE
#include "support.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text_out.h"
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

/* ---- lists of costs ---- */

enum { MAX_COSTS = 128 };

typedef struct {
    char name[64];
    uint64_t value;
} cost;

typedef struct {
    cost costs[MAX_COSTS];
    size_t n;
} cost_list;

static void add(cost_list *list, const char *of, const char *what, uint64_t value)
{
    assert_true(list->n < MAX_COSTS);
    (void)snprintf(list->costs[list->n].name, sizeof list->costs->name, "%s %s", of, what);
    list->costs[list->n++].value = value;
}

static void write_list(const cost_list *list, const char *path)
{
    cz_text_out out = {0};
    char *text;
    size_t n;

    cz_text_puts(&out, "{\n");
    for (size_t i = 0; i < list->n; i++)
        cz_text_printf(&out, "  \"%s\": %" PRIu64 "%s\n", list->costs[i].name, list->costs[i].value,
                       i + 1 < list->n ? "," : "");
    cz_text_puts(&out, "}\n");
    assert_ok(cz_text_take(&out, &text, &n));
    assert_ok(cz_file_write_all(path, text, n));
    free(text);
}

static unsigned count_differences(const cost_list *list, cz_json baseline)
{
    unsigned differ = 0;

    for (size_t i = 0; i < list->n; i++) {
        const cost *c = &list->costs[i];
        uint64_t before = 0;
        cz_json v;

        if (cz_json_get(baseline, c->name, &v) == CZ_OK)
            assert_ok(cz_json_u64(v, &before));
        if (before == c->value)
            continue;
        differ++;
        print_message("%s: %" PRIu64 ", in the baseline %" PRIu64 "\n", c->name, c->value, before);
    }
    return differ;
}

static void compare(const cost_list *list, const char *file)
{
    const char *update = getenv("CZ_UPDATE_BASELINES");
    char path[512];
    cz_json_doc *doc;
    cz_json root;
    size_t n;
    uint8_t *bytes;

    (void)snprintf(path, sizeof path, "%s/../../bench/baselines/%s", cz_vector_path(""), file);
    if (update != NULL && update[0] != '\0')
        write_list(list, path);
    bytes = cz_test_read(path, &n);
    assert_ok(cz_json_parse(&doc, &root, (const char *)bytes, n));
    if (count_differences(list, root) != 0)
        fail_msg("costs differ from bench/baselines/%s; if that is wanted: "
                 "CZ_UPDATE_BASELINES=1 and run this test again",
                 file);
    assert_ok(cz_json_size(root, &n));
    assert_true(n >= list->n);
    cz_json_destroy(doc);
    free(bytes);
}

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
    cost_list list = {.n = 0};
    cz_msm_shape s;
    char of[16];

    (void)state;
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        const size_t n = (size_t)1 << logs[i];

        (void)snprintf(of, sizeof of, "sum 2^%u", logs[i]);
        cz_msm_shape_rule(&s, n, 2, CZ_MSM_MAX_WINDOW);
        add(&list, of, "window bits", s.c);
        add(&list, of, "windows", s.n_windows);
        add(&list, of, "buckets", cz_msm_n_buckets(&s));
        add(&list, of, "point additions", point_additions(n));
    }
    compare(&list, "sums.json");
}

/* ---- circuits ---- */

static void add_circuit(cost_list *list, const char *id)
{
    cz_circuit *circuit;
    cz_circuit_stats stats;
    cz_compiled_sizes sizes;
    cz_compiled *compiled;

    assert_ok(cz_circuit_create_blank(&circuit, id));
    assert_ok(cz_circuit_compile(&compiled, circuit, NULL));
    stats = cz_compiled_stats(compiled);
    sizes = cz_compiled_measure(compiled);
    add(list, id, "constraints", stats.constraints);
    add(list, id, "aux", stats.aux);
    add(list, id, "nonzeros", stats.nnz_a + stats.nnz_b + stats.nnz_c);
    add(list, id, "fields", sizes.n_fields);
    add(list, id, "points of L, A, B1, B2",
        (uint64_t)stats.aux + stats.inputs + stats.dens_a_aux +
            2 * (stats.dens_b_input + stats.dens_b_aux));
    cz_compiled_destroy(compiled);
    cz_circuit_destroy(circuit);
}

static void test_costs_of_small_circuits(void **state)
{
    cost_list list = {.n = 0};

    (void)state;
    add_circuit(&list, "winning-2k");
    add_circuit(&list, "wpost-2k");
    compare(&list, "circuits.json");
}

static void test_costs_of_porep_slow_2k(void **state)
{
    cost_list list = {.n = 0};

    (void)state;
    add_circuit(&list, "porep-2k");
    compare(&list, "porep.json");
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
    cost_list list = {.n = 0};
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
        add(&list, "winning-2k", what, mallocs_of_synthesis(circuit, terms));
    }
    assert_true(list.costs[0].value > list.costs[2].value);
    cz_circuit_destroy(circuit);
    cz_job_destroy(job);
    compare(&list, "allocations.json");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_costs_of_sums),
    cmocka_unit_test(test_costs_of_small_circuits),
    cmocka_unit_test(test_costs_of_porep_slow_2k),
    cmocka_unit_test(test_allocations_of_a_classic_synthesis),
};

CZ_TEST_MAIN(cases)
