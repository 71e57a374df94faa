/* Phase traces: sums, threads, NULL traces, the table and the Chrome file. */
#define _GNU_SOURCE
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/trace.h"

static void spend(cz_trace *trace, cz_phase phase, unsigned partition, long ms)
{
    struct timespec t = {0, ms * 1000000};
    cz_span span = cz_trace_begin(trace, phase, partition);

    (void)nanosleep(&t, NULL);
    cz_trace_end(&span);
}

static void test_phases_add_up(void **state)
{
    cz_trace *trace;

    (void)state;
    assert_ok(cz_trace_create(&trace));
    spend(trace, CZ_PHASE_WITNESS, 0, 5);
    spend(trace, CZ_PHASE_WITNESS, 1, 5);
    spend(trace, CZ_PHASE_VERIFY, 0, 2);
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_WITNESS) >= 10);
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_VERIFY) >= 2);
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_PIN) == 0);
    cz_trace_destroy(trace);
}

static void test_null_traces_do_nothing(void **state)
{
    (void)state;
    spend(NULL, CZ_PHASE_WITNESS, 0, 0);
    assert_true(cz_trace_total_ms(NULL, CZ_PHASE_WITNESS) == 0);
    cz_trace_print(NULL, stderr);
    cz_trace_destroy(NULL);
    assert_fails(cz_trace_write_chrome(NULL, "x.json"), CZ_E_ARG, "no trace");
}

static void test_ending_a_span_twice_counts_once(void **state)
{
    cz_trace *trace;
    cz_span span;
    double once;

    (void)state;
    assert_ok(cz_trace_create(&trace));
    span = cz_trace_begin(trace, CZ_PHASE_PIN, 0);
    cz_trace_end(&span);
    once = cz_trace_total_ms(trace, CZ_PHASE_PIN);
    cz_trace_end(&span);
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_PIN) == once);
    cz_trace_destroy(trace);
}

static void test_the_table_lists_what_ran(void **state)
{
    cz_trace *trace;
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    (void)state;
    assert_non_null(out);
    assert_ok(cz_trace_create(&trace));
    spend(trace, CZ_PHASE_ASSEMBLE, 0, 1);
    cz_trace_print(trace, out);
    (void)fclose(out);
    assert_non_null(strstr(text, "assemble"));
    assert_null(strstr(text, "queue_wait"));
    free(text);
    cz_trace_destroy(trace);
}

/* Every phase counts once, however it was timed; what is timed is not in the cost. */
static void test_recording_is_counted(void **state)
{
    size_t records;
    cz_trace *trace;
    double ms;

    (void)state;
    cz_trace_cost(NULL, &records, &ms);
    assert_true(records == 0 && ms == 0);
    assert_ok(cz_trace_create(&trace));
    cz_trace_cost(trace, &records, &ms);
    assert_true(records == 0 && ms == 0);
    spend(trace, CZ_PHASE_WITNESS, 0, 100);
    cz_trace_add(trace, CZ_PHASE_VERIFY, 0, cz_clock_ns(), 100000000);
    cz_trace_cost(trace, &records, &ms);
    assert_int_equal(records, 2);
    assert_true(ms > 0 && ms < 100);
    cz_trace_destroy(trace);
}

enum { THREADS = 4, SPANS = 100 };

static void *many_spans(void *arg)
{
    for (unsigned i = 0; i < SPANS; i++) {
        cz_span span = cz_trace_begin(arg, CZ_PHASE_TAIL_MSM, i);

        cz_trace_end(&span);
    }
    return NULL;
}

static void count_events(const char *path, size_t wanted)
{
    cz_json_doc *doc;
    cz_json root;
    cz_json events;
    cz_json value;
    cz_json_iter it;
    const char *text;
    size_t n;
    uint8_t *bytes = cz_test_read(path, &n);

    assert_ok(cz_json_parse(&doc, &root, (const char *)bytes, n));
    assert_ok(cz_json_get(root, "traceEvents", &events));
    assert_ok(cz_json_size(events, &n));
    assert_int_equal(n, wanted);
    assert_ok(cz_json_iterate(events, &it));
    while (cz_json_next(&it, &value, NULL)) {
        cz_json name;
        double us;

        assert_ok(cz_json_get(value, "name", &name));
        assert_ok(cz_json_string(name, &text, &n));
        assert_string_equal(text, "tail_msm");
        assert_ok(cz_json_get(value, "dur", &name));
        assert_ok(cz_json_double(name, &us));
        assert_true(us >= 0);
    }
    cz_json_destroy(doc);
    free(bytes);
}

static void test_threads_share_a_trace_and_the_file_is_json(void **state)
{
    pthread_t threads[THREADS];
    char path[64];
    cz_trace *trace;

    (void)state;
    assert_ok(cz_trace_create(&trace));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many_spans, trace), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    (void)snprintf(path, sizeof path, "cz-test-trace-%ld.json", (long)getpid());
    assert_ok(cz_trace_write_chrome(trace, path));
    count_events(path, (size_t)THREADS * SPANS);
    (void)unlink(path);
    cz_trace_destroy(trace);
}

static void test_clock_and_memory_are_sane(void **state)
{
    uint64_t a = cz_clock_ns();

    (void)state;
    assert_true(cz_clock_ns() >= a);
    assert_true(cz_peak_rss_bytes() > 100000);
    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        assert_string_not_equal(cz_phase_name((cz_phase)p), "unknown");
    assert_string_equal(cz_phase_name(CZ_PHASE_NTT_MSM_H), "ntt_msm_h");
    assert_string_equal(cz_phase_name(CZ_PHASE_COUNT), "unknown");
}

static void test_phases_timed_elsewhere(void **state)
{
    cz_trace *trace;

    (void)state;
    cz_trace_add(NULL, CZ_PHASE_EVALUATE, 0, 0, 1);
    assert_ok(cz_trace_create(&trace));
    cz_trace_add(trace, CZ_PHASE_EVALUATE, 0, cz_clock_ns(), 2500000);
    cz_trace_add(trace, CZ_PHASE_EVALUATE, 1, cz_clock_ns(), 500000);
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_EVALUATE) > 2.99);
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_EVALUATE) < 3.01);
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_BATCH_ADD) < 0.001);
    cz_trace_destroy(trace);
}

/* What Chrome's and Perfetto's readers of trace events ask for: complete events with these members
 * of these types, times in microseconds. */
static void check_event(cz_json event)
{
    static const char *const texts[] = {"name", "cat", "ph"};
    static const char *const numbers[] = {"ts", "dur", "pid", "tid"};
    static const char *const arguments[] = {"partition", "page_faults",    "bytes_moved",
                                            "rss_bytes", "peak_rss_bytes", "peak_vram_bytes"};
    cz_json v;
    const char *text;
    size_t n;
    double number;
    uint64_t count;

    for (size_t i = 0; i < 3; i++) {
        assert_ok(cz_json_get(event, texts[i], &v));
        assert_ok(cz_json_string(v, &text, &n));
    }
    assert_string_equal(text, "X");
    for (size_t i = 0; i < 4; i++) {
        assert_ok(cz_json_get(event, numbers[i], &v));
        assert_ok(cz_json_double(v, &number));
        assert_true(number >= 0);
    }
    assert_ok(cz_json_get(event, "args", &event));
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        assert_ok(cz_json_get(event, arguments[i], &v));
        assert_ok(cz_json_u64(v, &count));
        assert_true(count > 0 || i < 3); /* the memory is never nothing */
    }
    assert_int_equal(count, 1000);
}

static void check_members(const char *path, const char *list, size_t wanted, void (*check)(cz_json))
{
    cz_json_doc *doc;
    cz_json root, items, item;
    cz_json_iter it;
    size_t n;
    uint8_t *bytes = cz_test_read(path, &n);

    assert_ok(cz_json_parse(&doc, &root, (const char *)bytes, n));
    assert_ok(cz_json_get(root, list, &items));
    assert_ok(cz_json_size(items, &n));
    assert_int_equal(n, wanted);
    assert_ok(cz_json_iterate(items, &it));
    while (cz_json_next(&it, &item, NULL))
        check(item);
    cz_json_destroy(doc);
    free(bytes);
}

static void check_record(cz_json record)
{
    static const char *const numbers[] = {"partition", "thread",         "start_ms",
                                          "ms",        "page_faults",    "bytes_moved",
                                          "rss_bytes", "peak_rss_bytes", "peak_vram_bytes"};
    double number;
    cz_json v;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_ok(cz_json_get(record, numbers[i], &v));
        assert_ok(cz_json_double(v, &number));
        assert_true(number >= 0);
    }
}

static void test_files_have_the_form_that_viewers_read(void **state)
{
    char path[64];
    cz_trace *trace;
    cz_span span;

    (void)state;
    cz_trace_note_vram(NULL, 1);
    assert_ok(cz_trace_create(&trace));
    cz_trace_note_vram(trace, 1000);
    cz_trace_note_vram(trace, 500); /* the most counts */
    spend(trace, CZ_PHASE_WITNESS, 0, 2);
    span = cz_trace_begin(trace, CZ_PHASE_SRS_LOAD, 0);
    span.bytes = 4096;
    cz_trace_end(&span);
    assert_int_equal(cz_trace_bytes(trace, CZ_PHASE_SRS_LOAD), 4096);
    (void)snprintf(path, sizeof path, "cz-test-schema-%ld.json", (long)getpid());
    assert_ok(cz_trace_write_chrome(trace, path));
    check_members(path, "traceEvents", 2, check_event);
    assert_ok(cz_trace_write_json(trace, path));
    check_members(path, "records", 2, check_record);
    (void)unlink(path);
    cz_trace_destroy(trace);
}

static void test_touching_memory_counts_as_faults(void **state)
{
    enum { PAGES = 500, PAGE = 4096 };
    cz_trace *trace;
    cz_span span;
    char *pages;

    (void)state;
    assert_ok(cz_trace_create(&trace));
    pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    assert_true(pages != MAP_FAILED);
    (void)madvise(pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
    span = cz_trace_begin(trace, CZ_PHASE_PIN, 0);
    memset(pages, 1, (size_t)PAGES * PAGE);
    cz_trace_end(&span);
    assert_true(cz_trace_faults(trace, CZ_PHASE_PIN) >= PAGES);
    assert_true(cz_rss_bytes() > (uint64_t)PAGES * PAGE);
    (void)munmap(pages, (size_t)PAGES * PAGE);
    cz_trace_destroy(trace);
}

static void test_what_no_phase_covers_is_seen(void **state)
{
    const uint64_t ms = 1000000, now = cz_clock_ns();
    double wall, covered;
    cz_trace *trace;

    (void)state;
    cz_trace_cover(NULL, &wall, &covered);
    assert_true(wall == 0 && covered == 0);
    assert_ok(cz_trace_create(&trace));
    cz_trace_add(trace, CZ_PHASE_VERIFY, 0, now + 80 * ms, 20 * ms);
    cz_trace_add(trace, CZ_PHASE_WITNESS, 0, now, 30 * ms);
    cz_trace_add(trace, CZ_PHASE_EVALUATE, 0, now + 10 * ms, 30 * ms); /* overlaps */
    cz_trace_cover(trace, &wall, &covered);
    assert_true(wall > 99.9 && wall < 100.1);
    assert_true(covered > 59.9 && covered < 60.1);
    cz_trace_destroy(trace);
}

/* A phase costs microseconds: a proof of seconds with some hundreds of them loses nothing. */
/* Of this thread; what else the machine does is not in it. */
static int64_t cpu_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void test_a_phase_costs_little(void **state)
{
    enum { PHASES = 2000 };
    cz_trace *trace;
    int64_t start;

    (void)state;
    assert_ok(cz_trace_create(&trace));
    start = cpu_ns();
    for (unsigned i = 0; i < PHASES; i++) {
        cz_span span = cz_trace_begin(trace, CZ_PHASE_WITNESS, i);

        cz_trace_end(&span);
    }
    assert_true((cpu_ns() - start) / PHASES < 200000); /* 0.2 ms, under any sanitizer */
    cz_trace_destroy(trace);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_phases_add_up),
    cmocka_unit_test(test_null_traces_do_nothing),
    cmocka_unit_test(test_ending_a_span_twice_counts_once),
    cmocka_unit_test(test_recording_is_counted),
    cmocka_unit_test(test_the_table_lists_what_ran),
    cmocka_unit_test(test_threads_share_a_trace_and_the_file_is_json),
    cmocka_unit_test(test_clock_and_memory_are_sane),
    cmocka_unit_test(test_phases_timed_elsewhere),
    cmocka_unit_test(test_files_have_the_form_that_viewers_read),
    cmocka_unit_test(test_touching_memory_counts_as_faults),
    cmocka_unit_test(test_what_no_phase_covers_is_seen),
    cmocka_unit_test(test_a_phase_costs_little),
};

CZ_TEST_MAIN(cases)
