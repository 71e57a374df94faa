/* /status as Curio's monitor reads it, and the dashboard's document; hostile texts in both. */
#include "../engine/toy_prover.h"

#include "base/json.h"
#include "rpc/http_json.h"

static cz_json member(cz_json v, const char *key)
{
    cz_json out;

    assert_ok(cz_json_get(v, key, &out));
    return out;
}

static cz_json element(cz_json v, size_t i)
{
    cz_json_iter it;
    const char *key;
    cz_json out;

    assert_ok(cz_json_iterate(v, &it));
    do
        assert_true(cz_json_next(&it, &out, &key));
    while (i-- > 0);
    return out;
}

static uint64_t number(cz_json v, const char *key)
{
    uint64_t n;

    assert_ok(cz_json_u64(member(v, key), &n));
    return n;
}

static void expect_text(cz_json v, const char *key, const char *wanted)
{
    const char *text;
    size_t n;

    assert_ok(cz_json_string(member(v, key), &text, &n));
    assert_string_equal(text, wanted);
}

static void expect_null(cz_json v, const char *key)
{
    assert_int_equal(cz_json_typeof(member(v, key)), CZ_JSON_NULL);
}

static size_t size_of(cz_json v, const char *key)
{
    size_t n;

    assert_ok(cz_json_size(member(v, key), &n));
    return n;
}

typedef struct {
    cz_json_doc *doc;
    cz_json root;
} document;

static document parse(char *text, size_t n)
{
    document d;

    assert_int_equal(strlen(text), n);
    assert_ok(cz_json_parse(&d.doc, &d.root, text, n));
    free(text);
    return d;
}

static document status_of(const cz_engine_status *s)
{
    char *text;
    size_t n;

    assert_ok(cz_http_status_json(s, &text, &n));
    return parse(text, n);
}

/* A picture by hand: one job with a partition in each state, one that waits. */
enum { STATES = 6 };

typedef struct {
    cz_part_status parts[STATES];
    cz_job_view jobs[2];
    cz_worker_view workers[3];
    cz_keys_view keys[2];
    cz_device_view device;
    cz_engine_status s;
} picture;

static void paint(picture *p)
{
    *p = (picture){.s = {.uptime_s = 12.5,
                         .memory_total = 1000,
                         .memory_used = 300,
                         .synthesis_active = 1,
                         .synthesis_workers = 1,
                         .synth_in_flight = 1,
                         .waiting = 1,
                         .proving = 1,
                         .verifying = 2,
                         .queue_depth = 1,
                         .jobs = 2,
                         .waits_for = "memory",
                         .waits_for_bytes = 77,
                         .job_views = p->jobs,
                         .n_jobs = 2,
                         .workers = p->workers,
                         .n_workers = 3,
                         .keys = p->keys,
                         .n_keys = 2,
                         .devices = &p->device,
                         .n_devices = 1}};
    for (unsigned i = 0; i < STATES; i++)
        p->parts[i] = (cz_part_status){.phase = (cz_part_phase)i};
    p->parts[CZ_PART_DONE] = (cz_part_status){CZ_PART_DONE, true, true, 11, 22};
    p->parts[CZ_PART_GPU] = (cz_part_status){CZ_PART_GPU, true, false, 33, 0};
    p->jobs[0] = (cz_job_view){.job_id = "j0",
                               .request_id = "porep-1000-5",
                               .kind = CZ_KIND_POREP,
                               .circuit_id = "porep-32g",
                               .state = "active",
                               .started_s_ago = 2.25,
                               .n_parts = STATES,
                               .n_done = 1,
                               .parts = p->parts};
    p->jobs[1] = (cz_job_view){
        .job_id = "j1", .request_id = "r1", .kind = CZ_KIND_WINDOW, .state = "queued"};
    p->workers[0] = (cz_worker_view){.busy = true,
                                     .stage = "synthesize",
                                     .job_id = "j0",
                                     .partition = CZ_PART_SYNTHESIZING,
                                     .busy_s = 1.5};
    p->workers[1] = (cz_worker_view){.device = 3,
                                     .proves = true,
                                     .busy = true,
                                     .stage = "prove",
                                     .job_id = "j0",
                                     .partition = CZ_PART_GPU,
                                     .busy_s = 0.25};
    p->workers[2] = (cz_worker_view){.worker = 1, .device = 3, .proves = true, .stage = ""};
    p->keys[0] = (cz_keys_view){.circuit_id = "porep-32g", .bytes = 200, .idle_s = 4, .refs = 1};
    p->keys[1] = (cz_keys_view){.circuit_id = "snap-32g", .tier = CZ_TIER_COLD};
    p->device = (cz_device_view){.backend = "cuda", .device = 3, .job_id = "j0"};
    p->s.counters.ended[CZ_KIND_POREP][CZ_JOB_COMPLETED] = 4;
    p->s.counters.ended[CZ_KIND_SNAP][CZ_JOB_FAILED] = 2;
    p->s.counters.ended[CZ_KIND_SNAP][CZ_JOB_CANCELLED] = 9;
}

static void the_monitor_finds_its_keys(void **state)
{
    cz_json memory, synthesis, counters, buffers, srs;
    picture p;
    document d;

    (void)state;
    paint(&p);
    d = status_of(&p.s);
    memory = member(d.root, "memory");
    assert_int_equal(number(memory, "total_bytes"), 1000);
    assert_int_equal(number(memory, "used_bytes"), 300);
    assert_int_equal(number(memory, "available_bytes"), 700);
    synthesis = member(d.root, "synthesis");
    assert_int_equal(number(synthesis, "active"), 1);
    assert_int_equal(number(synthesis, "max_concurrent"), 1);
    counters = member(d.root, "counters");
    assert_int_equal(number(counters, "total_completed"), 4);
    assert_int_equal(number(counters, "total_failed"), 2);
    assert_int_equal(number(counters, "queue_depth"), 1);
    assert_int_equal(number(member(counters, "completed_by_kind"), "porep-c2"), 4);
    assert_int_equal(size_of(counters, "completed_by_kind"), 1);
    assert_int_equal(number(member(counters, "failed_by_kind"), "snap-update"), 2);
    buffers = member(d.root, "buffers");
    assert_int_equal(number(buffers, "synth_in_flight"), 1);
    assert_int_equal(number(buffers, "provers_in_flight"), 2);
    assert_int_equal(number(buffers, "aux_in_flight"), 2);
    assert_int_equal(number(buffers, "shells_in_flight"), 0);
    assert_int_equal(number(buffers, "pending_handles"), 2);
    assert_int_equal(size_of(member(d.root, "allocations"), "pce"), 0);
    assert_int_equal(size_of(member(d.root, "allocations"), "srs"), 1); /* what takes memory */
    srs = element(member(member(d.root, "allocations"), "srs"), 0);
    expect_text(srs, "circuit_id", "porep-32g");
    assert_int_equal(number(srs, "bytes"), 200);
    cz_json_destroy(d.doc);
}

static void the_monitor_sees_each_partition(void **state)
{
    static const char *const names[] = {"pending", "synthesizing", "synth_done",
                                        "gpu",     "done",         "failed"};
    cz_json job, parts;
    double seconds;
    picture p;
    document d;

    (void)state;
    paint(&p);
    d = status_of(&p.s);
    assert_int_equal(size_of(d.root, "pipelines"), 1); /* the other one waits */
    job = element(member(d.root, "pipelines"), 0);
    expect_text(job, "job_id", "j0");
    expect_text(job, "request_id", "porep-1000-5");
    expect_text(job, "proof_kind", "porep-c2");
    assert_int_equal(number(job, "total_partitions"), STATES);
    assert_int_equal(number(job, "partitions_done"), 1);
    assert_ok(cz_json_double(member(job, "started_secs_ago"), &seconds));
    assert_true(seconds == 2.25);
    parts = member(job, "partitions");
    for (size_t i = 0; i < STATES; i++) {
        assert_int_equal(number(element(parts, i), "index"), i);
        expect_text(element(parts, i), "state", names[i]);
    }
    expect_null(element(parts, CZ_PART_PENDING), "synth_ms");
    assert_int_equal(number(element(parts, CZ_PART_SYNTHESIZING), "synth_ms"), 1500); /* by now */
    expect_null(element(parts, CZ_PART_SYNTHESIZING), "gpu_ms");
    assert_int_equal(number(element(parts, CZ_PART_GPU), "synth_ms"), 33);
    assert_int_equal(number(element(parts, CZ_PART_GPU), "gpu_ms"), 250);
    assert_int_equal(number(element(parts, CZ_PART_DONE), "gpu_ms"), 22);
    cz_json_destroy(d.doc);
}

static void the_monitor_sees_gpu_workers(void **state)
{
    cz_json busy, idle;
    picture p;
    document d;

    (void)state;
    paint(&p);
    d = status_of(&p.s);
    assert_int_equal(size_of(d.root, "gpu_workers"), 2);
    busy = element(member(d.root, "gpu_workers"), 0);
    assert_int_equal(number(busy, "gpu_ordinal"), 3);
    expect_text(busy, "state", "proving");
    expect_text(busy, "current_job", "j0");
    assert_int_equal(number(busy, "current_partition"), CZ_PART_GPU);
    idle = element(member(d.root, "gpu_workers"), 1);
    assert_int_equal(number(idle, "worker_id"), 1);
    expect_text(idle, "state", "idle");
    expect_null(idle, "current_job");
    expect_null(idle, "current_partition");
    expect_null(idle, "busy_secs");
    cz_json_destroy(d.doc);
}

static document state_of(const cz_engine_status *s, const cz_recent_job *recent, size_t n)
{
    const cz_http_about about = {"1.2.3", NULL};
    char *text;
    size_t len;

    assert_ok(cz_http_state_json(s, recent, n, &about, &text, &len));
    return parse(text, len);
}

static void the_dashboard_gets_recent_phases(void **state)
{
    cz_recent_job r = {.job_id = "j9",
                       .request_id = "q",
                       .kind = CZ_KIND_SNAP,
                       .status = CZ_JOB_FAILED,
                       .error = "partition 2: no",
                       .queue_wait_ms = 5,
                       .srs_load_ms = 6,
                       .total_ms = 70};
    cz_json job, phases;
    picture p;
    document d;

    (void)state;
    paint(&p);
    r.phase_ms[CZ_PHASE_WITNESS] = 12.5;
    d = state_of(&p.s, &r, 1);
    expect_text(d.root, "version", "1.2.3");
    expect_text(d.root, "waits_for", "memory");
    assert_int_equal(size_of(d.root, "jobs"), 2);
    job = element(member(d.root, "recent"), 0);
    expect_text(job, "result", "failed");
    expect_text(job, "error", "partition 2: no");
    phases = member(job, "phases_ms");
    assert_int_equal(number(phases, "queue_wait"), 5);
    assert_int_equal(number(phases, "srs_load"), 6);
    assert_int_equal(size_of(job, "phases_ms"), 3);
    cz_json_destroy(d.doc);
}

static void a_long_queue_is_cut(void **state)
{
    enum { JOBS = 5000 };
    cz_job_view *jobs = calloc(JOBS, sizeof *jobs);
    cz_engine_status s = {
        .waits_for = "", .job_views = jobs, .n_jobs = JOBS, .jobs = JOBS, .queue_depth = JOBS};
    document d;

    (void)state;
    assert_non_null(jobs);
    for (size_t i = 0; i < JOBS; i++)
        jobs[i].state = "queued";
    d = state_of(&s, NULL, 0);
    assert_int_equal(size_of(d.root, "jobs"), 100);
    assert_int_equal(number(member(d.root, "totals"), "jobs"), JOBS);
    cz_json_destroy(d.doc);
    free(jobs);
}

static void hostile_ids_stay_text(void **state)
{
    static const char hostile[] = "\"},{\"x\":\"<script>alert(1)</script>\\\n\x01\xff\xe2\x82";
    cz_recent_job r = {.kind = CZ_KIND_POREP};
    picture p;
    document d;

    (void)state;
    paint(&p);
    (void)strcpy(p.jobs[0].request_id, hostile);
    (void)strcpy(r.request_id, hostile);
    (void)strcpy(r.error, hostile);
    (void)strcpy(p.device.info.name, hostile);
    d = status_of(&p.s);
    expect_text(
        element(member(d.root, "pipelines"), 0), "request_id",
        "\"},{\"x\":\"<script>alert(1)</script>\\\n\x01\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    cz_json_destroy(d.doc);
    d = state_of(&p.s, &r, 1);
    expect_text(
        element(member(d.root, "recent"), 0), "error",
        "\"},{\"x\":\"<script>alert(1)</script>\\\n\x01\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_int_equal(size_of(d.root, "recent"), 1);
    cz_json_destroy(d.doc);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(the_monitor_finds_its_keys),
    cmocka_unit_test(the_monitor_sees_each_partition),
    cmocka_unit_test(the_monitor_sees_gpu_workers),
    cmocka_unit_test(the_dashboard_gets_recent_phases),
    cmocka_unit_test(a_long_queue_is_cut),
    cmocka_unit_test(hostile_ids_stay_text),
};

CZ_TEST_MAIN(cases)
