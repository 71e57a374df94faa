/* The engine's switches, as a settings file says them: overlap, witnesses ahead, several at once,
 * batches, threads, the way of synthesis and its options. Whatever they say, the proofs of two jobs
 * are the same, byte for byte, where r and s are the same: here both are drawn from a generator
 * that always gives one value. */
#define _GNU_SOURCE
#include "../groth16/golden_params.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "../filecoin/golden_request.h"
#include "base/log.h"
#include "config/engine_config.h"
#include "pairwise.h"

/* In place of the C library's: what cz_fr_random asks for is always the same, and below the field's
 * order; everything else, such as a job's id, stays unique. */
ssize_t getrandom(void *buffer, size_t length, unsigned flags)
{
    FILE *in;
    size_t got;

    (void)flags;
    if (length == 32) {
        memset(buffer, 0x35, length);
        return (ssize_t)length;
    }
    in = fopen("/dev/urandom", "rb");
    assert_non_null(in);
    got = fread(buffer, 1, length, in);
    (void)fclose(in);
    return (ssize_t)got;
}

/* ---- combinations ---- */

enum { SWITCHES = 7, JOBS = 2 };

static const unsigned ways_of[SWITCHES] = {2, 2, 2, 2, 2, 3, 2};

static void settings_of(cz_config *out, const combination *c)
{
    static const char *const overlap[] = {"true", "false"};
    static const char *const path[] = {"compiled", "classic", "classic"};
    static const char *const presize[] = {"off", "off", "sequential"};
    static const char *const pin[] = {"off", "pooled"};
    char text[1024];

    (void)snprintf(text, sizeof text,
                   "pipeline.enabled = %s\npipeline.synthesis_lookahead = %u\n"
                   "pipeline.synthesis_concurrency = %u\nscheduler.max_batch_size = %u\n"
                   "scheduler.max_batch_wait_ms = 2000\nsynthesis.threads = %u\n"
                   "gpus.gpu_threads = %u\nexperiment.synthesis = \"%s\"\n"
                   "experiment.presize = \"%s\"\nexperiment.pin = \"%s\"\n"
                   "memory.total_budget = \"4GiB\"\n",
                   overlap[c->way[0]], 1 + c->way[1], 1 + c->way[2], 1 + c->way[3], 1 + c->way[4],
                   1 + c->way[4], path[c->way[5]], presize[c->way[5]], pin[c->way[6]]);
    assert_ok(cz_config_parse(out, text, strlen(text), "switches.toml", NULL, NULL));
}

/* ---- an engine with these settings ---- */

typedef struct {
    cz_config config;
    cz_filecoin_prover *prover;
    cz_backend backend;
    cz_engine *engine;
} bench;

static void start(bench *b, const combination *c)
{
    cz_engine_options o = cz_engine_defaults();
    cz_filecoin_prover_options options = {.param_cache = "golden-params",
                                          .circuit_cache = "circuits"};
    cz_experiment experiment;

    settings_of(&b->config, c);
    experiment = cz_config_experiment(&b->config);
    options.experiment = &experiment;
    options.synthesis_threads = (unsigned)b->config.synthesis.threads;
    options.proving_threads = (unsigned)b->config.gpus.gpu_threads;
    assert_ok(cz_filecoin_prover_create(&b->prover, &options));
    b->backend = cz_cpu_backend(b->prover);
    o.prover = cz_filecoin_prover_table(b->prover);
    o.backends = &b->backend;
    o.n_backends = 1;
    assert_ok(cz_config_engine(&o, &b->config));
    assert_ok(cz_engine_create(&b->engine, &o));
    assert_ok(cz_engine_start(b->engine));
}

static void finish(bench *b)
{
    cz_engine_destroy(b->engine);
    cz_filecoin_prover_destroy(b->prover);
    cz_config_clear(&b->config);
}

/* Both jobs at once; *out: their proofs, one behind the other. */
static void prove(uint8_t **out, size_t *n, const combination *c, const char *const names[JOBS])
{
    const cz_submit_options submit = {.attached = false};
    cz_submit_reply reply[JOBS];
    bench b;

    *out = NULL;
    *n = 0;
    start(&b, c);
    for (unsigned i = 0; i < JOBS; i++)
        assert_ok(cz_engine_submit(b.engine, golden_request(names[i]), &submit, &reply[i]));
    for (unsigned i = 0; i < JOBS; i++) {
        cz_result r;

        assert_ok(cz_engine_await(b.engine, reply[i].job_id, 600000, &r));
        assert_int_equal(r.status, CZ_JOB_COMPLETED);
        *out = realloc(*out, *n + r.proof_len);
        assert_non_null(*out);
        memcpy(*out + *n, r.proof, r.proof_len);
        *n += r.proof_len;
        cz_result_clear(&r);
    }
    finish(&b);
}

static void make_params(const char *case_name)
{
    char params[512], vk[512];
    cz_pool *pool;

    assert_ok(cz_pool_create(&pool, 0));
    golden_params(case_name, params, vk, pool);
    cz_pool_destroy(pool);
}

/* Every two ways of two switches meet in one of the engines. */
static void prove_in_all_ways(const char *const names[JOBS])
{
    pairwise p = {.n = SWITCHES, .ways = ways_of};
    uint8_t *expected = NULL, *got;
    size_t n_expected = 0, n;
    combination c;

    cz_log_set_level(CZ_LOG_WARN);
    make_params(names[0]);
    while (pairwise_take(&p, &c) != 0) {
        prove(&got, &n, &c, names);
        if (expected == NULL) {
            expected = got;
            n_expected = n;
            continue;
        }
        assert_int_equal(n, n_expected);
        assert_memory_equal(got, expected, n);
        free(got);
    }
    free(expected);
}

static void test_pairs_of_switches_prove_wpost_2k(void **state)
{
    static const char *const names[JOBS] = {"wpost-2k-full", "wpost-2k-short"};

    (void)state;
    prove_in_all_ways(names);
}

/* Only PoRep and Snap jobs are collected into batches. */
static void test_pairs_of_switches_slow_prove_porep_2k(void **state)
{
    static const char *const names[JOBS] = {"porep-2k-v1", "porep-2k-v1_1"};

    (void)state;
    prove_in_all_ways(names);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_pairs_of_switches_prove_wpost_2k),
    cmocka_unit_test(test_pairs_of_switches_slow_prove_porep_2k),
};

CZ_TEST_MAIN(cases)
