/* dashboard_server: the HTTP server on an engine with a toy prover, for test_dashboard.py.
 *
 * Prints its address when there is something to see: jobs that ended, one whose proofs stand still,
 * one that waits; their ids and messages are what a hostile client would send. "go" on standard
 * input lets the proofs go on; end of input ends the program. */
#include "../unit/engine/toy_prover.h"

#include "base/log.h"
#include "rpc/http.h"

#define HOSTILE(n) "<script>window.pwned=" n "</script><img src=x onerror=window.pwned=" n ">"

static void end_some(cz_engine *e, toy *t)
{
    cz_submit_reply reply;
    cz_result result;

    t->synth_us = 3000;
    t->prove_us = 5000;
    (void)toy_submit(e, toy_request("porep-1000-1", CZ_KIND_POREP, 'A', 10, 0), &reply);
    toy_expect(e, reply.job_id, 'A', 10);
    (void)toy_submit(e, toy_request(HOSTILE("1"), CZ_KIND_SNAP, 'B', 16, 0), &reply);
    toy_expect(e, reply.job_id, 'B', 16);
    t->fail_synth_tag = 'C';
    (void)toy_submit(e, toy_request("wdpost-1000-0-[1 2 3 4 5 6 7 255]", CZ_KIND_WINDOW, 'C', 1, 0),
                     &reply);
    assert_ok(cz_engine_await(e, reply.job_id, 0, &result));
    cz_result_clear(&result);
}

static void begin_some(cz_engine *e, toy *t)
{
    cz_submit_reply reply;

    (void)pthread_mutex_lock(&t->lock);
    t->hold_prove = true;
    (void)pthread_mutex_unlock(&t->lock);
    (void)toy_submit(e, toy_request(HOSTILE("2"), CZ_KIND_POREP, 'D', 10, 3), &reply);
    toy_wait_held(t, 1);
    (void)toy_submit(e, toy_request(HOSTILE("3"), CZ_KIND_SNAP, 'E', 1, 1), &reply);
    (void)toy_submit(e, toy_request("\xff\x01\"'\\", CZ_KIND_WINNING, 'F', 1, 1), &reply);
}

int main(void)
{
    const cz_http_options http_options = {.listen = "127.0.0.1:0", .version = "1.2.3"};
    cz_engine_options o;
    cz_backend backend;
    char line[16];
    cz_http *http;
    cz_engine *e;
    toy t;

    cz_log_set_level(CZ_LOG_ERROR);
    toy_init(&t);
    backend = toy_backend(&t);
    o = toy_options(&t, &backend);
    assert_ok(cz_engine_create(&e, &o));
    assert_ok(cz_engine_start(e));
    assert_ok(cz_http_start(&http, &http_options, e));
    cz_http_set_ready(http, NULL);
    end_some(e, &t);
    begin_some(e, &t);
    (void)printf("http://%s/\n", cz_http_address(http));
    (void)fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL)
        if (strcmp(line, "go\n") == 0)
            toy_open_gate(&t, &t.hold_prove);
    toy_open_gate(&t, &t.hold_prove);
    cz_http_stop(http);
    cz_engine_destroy(e);
    return 0;
}
