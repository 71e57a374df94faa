/* session_engine.c: a session that gives an engine many jobs at once, as clients of a daemon do:
 * what overlap, batches and the memory budget are worth. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "commands.h"
#include "config/engine_config.h"
#include "engine/engine.h"
#include "engine/filecoin_prover.h"
#include "filecoin/gen_vanilla.h"
#include "session.h"

typedef struct {
    session_order *order;
    session_load load;
    cz_filecoin_prover *prover;
    cz_engine *engine;
    cz_request **requests; /* of one run */
    char (*ids)[CZ_JOB_ID_BYTES];
} bench;

static cz_err open_prover(bench *b)
{
    const cz_config *settings = &b->order->settings;
    const cz_experiment experiment = cz_config_experiment(settings);
    const unsigned threads = b->order->threads;
    const cz_filecoin_prover_options options = {
        .param_cache =
            b->order->params != NULL ? b->order->params : cz_config_param_cache(settings),
        .synthesis_threads = threads != 0 ? threads : (unsigned)settings->synthesis.threads,
        .proving_threads = threads != 0 ? threads : (unsigned)settings->gpus.gpu_threads,
        .experiment = &experiment};

    return cz_filecoin_prover_create(&b->prover, &options);
}

static cz_err open_engine(bench *b)
{
    cz_engine_options options = cz_engine_defaults();
    const cz_backend cpu = cz_cpu_backend(b->prover);

    options.prover = cz_filecoin_prover_table(b->prover);
    options.backends = &cpu;
    options.n_backends = 1;
    CZ_TRY(cz_config_engine(&options, &b->order->settings));
    CZ_TRY(cz_engine_create(&b->engine, &options));
    return cz_engine_start(b->engine);
}

static cz_err open_all(bench *b)
{
    b->requests = calloc(b->order->jobs, sizeof *b->requests); // NOLINT: a list of pointers
    b->ids = calloc(b->order->jobs, sizeof *b->ids);
    if (b->requests == NULL || b->ids == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %u jobs", b->order->jobs);
    cz_log_set_level(CZ_LOG_WARN); /* ab shows its own lines */
    CZ_TRY(session_load_init(&b->load, b->order));
    CZ_TRY(open_prover(b));
    return open_engine(b);
}

static void close_all(bench *b)
{
    cz_engine_destroy(b->engine);
    cz_filecoin_prover_destroy(b->prover);
    for (unsigned i = 0; b->requests != NULL && i < b->order->jobs; i++)
        cz_request_destroy(b->requests[i]);
    free(b->requests);
    free(b->ids);
}

static cz_err make_requests(bench *b)
{
    for (unsigned i = 0; i < b->order->jobs; i++)
        CZ_TRY(session_load_next(&b->load, &b->requests[i], i));
    return CZ_OK;
}

static cz_err submit(bench *b, unsigned i)
{
    const cz_submit_options options = {.attached = false};
    cz_request *request = b->requests[i];
    cz_submit_reply reply;

    b->requests[i] = NULL; /* the engine's from here on */
    CZ_TRY(cz_engine_submit(b->engine, request, &options, &reply));
    memcpy(b->ids[i], reply.job_id, sizeof b->ids[i]);
    return CZ_OK;
}

static cz_err await(bench *b, unsigned i)
{
    cz_result result;
    cz_err err;

    CZ_TRY(cz_engine_await(b->engine, b->ids[i], 0, &result));
    err = result.status == CZ_JOB_COMPLETED ? CZ_OK
                                            : cz_fail(CZ_E_INTERNAL, "job %u: %s", i, result.error);
    cz_result_clear(&result);
    return err;
}

static cz_err run_once(bench *b)
{
    session_clock clock;

    CZ_TRY(make_requests(b));
    CZ_TRY(session_await_turn(b->order));
    clock = session_start();
    for (unsigned i = 0; i < b->order->jobs; i++)
        CZ_TRY(submit(b, i));
    for (unsigned i = 0; i < b->order->jobs; i++)
        CZ_TRY(await(b, i));
    session_report(b->order, &clock, NULL, 0);
    return CZ_OK;
}

cz_err session_engine(session_order *o)
{
    bench b = {.order = o};
    cz_err err = open_all(&b);

    for (unsigned i = 0; err == CZ_OK && i <= o->warm; i++)
        err = run_once(&b);
    close_all(&b);
    if (err != CZ_OK)
        return err;
    cz_json_out_close(&o->answer);
    cz_json_out_u64(&o->answer, "locked_bytes", 0);
    cz_json_out_string(&o->answer, "proof_sha256", ""); /* r and s are drawn */
    return CZ_OK;
}
