/* toy_prover.h: a prover without mathematics: proofs that say which job and partition they belong
 * to, gates that hold a stage, a log of what happened, books of what is alive.
 *
 * A toy request is {partitions, tag} in vanilla_proof; its circuit is "<kind>-<sector size>". */
#ifndef CZ_TESTS_TOY_PROVER_H
#define CZ_TESTS_TOY_PROVER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nanosleep; this header comes first */
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine_state.h"
#include "support.h"

enum { TOY_LOG_BYTES = 1 << 16 };

typedef struct {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t moved;
    char log[TOY_LOG_BYTES]; /* "o:A s:A0 p:A0 v:A0 …" */
    /* costs */
    uint64_t open_bytes, work_bytes, hot_bytes, part_bytes, device_bytes;
    bool silent; /* only opening tells the circuit */
    /* gates: a closed one holds the stage until it is opened */
    bool hold_admit, hold_open, hold_synth, hold_prove, hold_heat;
    unsigned held; /* stages in a gate */
    unsigned synth_us, prove_us;
    /* faults */
    unsigned bad_proofs;    /* so many proofs come out wrong */
    unsigned cuda_failures; /* so many calls of prove fail */
    bool no_params, bad_params, fail_heat, fail_open;
    char fail_synth_tag;
    uint8_t params;    /* which there are now; those of open keys stay what they were */
    bool devices_fill; /* witnesses have values only where they must */
    /* memory that a dropped witness leaves for the next one */
    uint64_t idle_each, idle, idle_other; /* the last of another circuit */
    bool reuses;                          /* and says so */
    unsigned trims, looks;                /* how often it was asked what it keeps */
    uint64_t pinned, pinned_limit;
    /* books */
    int works, witnesses, hot, warm, peak_witnesses;
    unsigned max_batch_seen;
} toy;

struct cz_work {
    char circuit_id[CZ_CIRCUIT_ID_BYTES];
    size_t n;
    char tag;
};

struct cz_witness {
    char tag;
    size_t k;
    bool has_values;
};

struct cz_keys {
    char circuit_id[CZ_CIRCUIT_ID_BYTES];
    bool hot;
    uint8_t tag[CZ_KEY_TAG_BYTES];
};

static inline void toy_note(toy *t, const char *what, char tag, size_t k)
{
    char item[32];

    (void)snprintf(item, sizeof item, "%s:%c%zu ", what, tag, k);
    if (strlen(t->log) + strlen(item) + 1 < sizeof t->log)
        (void)strcat(t->log, item);
}

static inline void toy_gate(toy *t, const bool *hold)
{
    t->held++;
    (void)pthread_cond_broadcast(&t->moved);
    while (*hold)
        (void)pthread_cond_wait(&t->moved, &t->lock);
    t->held--;
    (void)pthread_cond_broadcast(&t->moved);
}

static inline void toy_sleep_us(unsigned us)
{
    const struct timespec d = {us / 1000000, (long)(us % 1000000) * 1000};

    if (us > 0)
        (void)nanosleep(&d, NULL);
}

static inline void toy_circuit(char out[CZ_CIRCUIT_ID_BYTES], const cz_request *r)
{
    (void)snprintf(out, CZ_CIRCUIT_ID_BYTES, "%s-%u", cz_proof_kind_name(r->kind),
                   (unsigned)r->sector_size);
}

static inline cz_err toy_admit(void *ctx, const cz_request *r, cz_admission *out)
{
    toy *t = ctx;
    bool no_params, silent;

    (void)pthread_mutex_lock(&t->lock); /* a test may change them between two calls */
    *out = (cz_admission){.open_bytes = t->open_bytes,
                          .work_bytes = t->work_bytes,
                          .keys_bytes = t->hot_bytes,
                          .part_bytes = t->device_bytes != 0 ? t->device_bytes : t->part_bytes};
    if (t->hold_admit)
        toy_gate(t, &t->hold_admit);
    no_params = t->no_params;
    silent = t->silent;
    if (silent)
        out->keys_bytes = out->part_bytes = 0;
    (void)pthread_mutex_unlock(&t->lock);
    if (r->vanilla_proof_len != 2)
        return cz_fail(CZ_E_INPUT, "vanilla_proof: not a toy");
    if (no_params)
        return cz_fail(CZ_E_NOTFOUND, "no parameters");
    if (!silent)
        toy_circuit(out->circuit_id, r);
    return CZ_OK;
}

static inline cz_err toy_open(void *ctx, const cz_request *r, cz_work **out, cz_trace *trace)
{
    cz_span span = cz_trace_begin(trace, CZ_PHASE_DESERIALIZE, 0);
    toy *t = ctx;
    cz_work *work = calloc(1, sizeof *work);

    assert_non_null(work);
    toy_circuit(work->circuit_id, r);
    work->n = r->vanilla_proof[0];
    work->tag = (char)r->vanilla_proof[1];
    (void)pthread_mutex_lock(&t->lock);
    toy_note(t, "o", work->tag, work->n);
    toy_gate(t, &t->hold_open);
    t->works += !t->fail_open;
    (void)pthread_mutex_unlock(&t->lock);
    cz_trace_end(&span);
    if (t->fail_open) {
        free(work);
        return cz_fail(CZ_E_INPUT, "challenge 3: wrong");
    }
    *out = work;
    return CZ_OK;
}

static inline const char *toy_circuit_id(const cz_work *work)
{
    return work->circuit_id;
}

static inline size_t toy_partitions(const cz_work *work)
{
    return work->n;
}

static inline void toy_count(toy *t, int *what, int by)
{
    (void)pthread_mutex_lock(&t->lock);
    *what += by;
    if (t->witnesses > t->peak_witnesses)
        t->peak_witnesses = t->witnesses;
    (void)pthread_mutex_unlock(&t->lock);
}

static inline void toy_close(void *ctx, cz_work *work)
{
    toy *t = ctx;

    toy_count(t, &t->works, -1);
    free(work);
}

static inline cz_err toy_params_tag(void *ctx, const char *id, uint8_t out[CZ_KEY_TAG_BYTES])
{
    toy *t = ctx;

    (void)pthread_mutex_lock(&t->lock);
    (void)memset(out, t->params, CZ_KEY_TAG_BYTES);
    (void)pthread_mutex_unlock(&t->lock);
    return t->no_params ? cz_fail(CZ_E_NOTFOUND, "parameters of %s: no such file", id) : CZ_OK;
}

static inline void toy_keys_tag(const cz_keys *keys, uint8_t out[CZ_KEY_TAG_BYTES])
{
    (void)memcpy(out, keys->tag, sizeof keys->tag);
}

/* Other parameters of the same circuits. */
static inline void toy_replace_params(toy *t, uint8_t params)
{
    (void)pthread_mutex_lock(&t->lock);
    t->params = params;
    (void)pthread_mutex_unlock(&t->lock);
}

static inline cz_err toy_keys_open(void *ctx, const char *id, cz_keys **out, cz_keys_cost *cost)
{
    toy *t = ctx;
    cz_keys *keys;

    if (t->bad_params)
        return cz_fail(CZ_E_INPUT, "%s.params: too short", id);
    keys = calloc(1, sizeof *keys);
    assert_non_null(keys);
    (void)snprintf(keys->circuit_id, sizeof keys->circuit_id, "%s", id);
    assert_ok(toy_params_tag(t, id, keys->tag));
    *cost = (cz_keys_cost){t->hot_bytes * 10, t->hot_bytes, t->part_bytes, t->device_bytes};
    toy_count(t, &t->warm, 1);
    *out = keys;
    return CZ_OK;
}

static inline cz_err toy_keys_heat(void *ctx, cz_keys *keys)
{
    toy *t = ctx;

    assert_false(keys->hot);
    (void)pthread_mutex_lock(&t->lock);
    toy_gate(t, &t->hold_heat);
    t->hot += !t->fail_heat;
    keys->hot = !t->fail_heat;
    (void)pthread_mutex_unlock(&t->lock);
    return t->fail_heat ? cz_fail(CZ_E_NOMEM, "no memory for keys") : CZ_OK;
}

static inline void toy_keys_cool(void *ctx, cz_keys *keys)
{
    toy *t = ctx;

    assert_true(keys->hot);
    keys->hot = false;
    toy_count(t, &t->hot, -1);
}

static inline void toy_keys_close(void *ctx, cz_keys *keys)
{
    toy *t = ctx;

    assert_false(keys->hot);
    toy_count(t, &t->warm, -1);
    free(keys);
}

static inline cz_err toy_synthesize(void *ctx, const cz_work *work, size_t k, bool with_values,
                                    cz_witness **out, cz_trace *trace)
{
    cz_span span = cz_trace_begin(trace, CZ_PHASE_WITNESS, (unsigned)k);
    toy *t = ctx;

    toy_sleep_us(t->synth_us);
    (void)pthread_mutex_lock(&t->lock);
    toy_note(t, "s", work->tag, k);
    t->idle -= t->idle < t->idle_each ? t->idle : t->idle_each;
    toy_gate(t, &t->hold_synth);
    (void)pthread_mutex_unlock(&t->lock);
    cz_trace_end(&span);
    if (t->fail_synth_tag == work->tag)
        return cz_fail(CZ_E_UNSATISFIED, "constraint 7");
    *out = calloc(1, sizeof **out);
    assert_non_null(*out);
    **out = (cz_witness){work->tag, k, with_values || !t->devices_fill};
    toy_count(t, &t->witnesses, 1);
    return CZ_OK;
}

static inline bool toy_has_values(const cz_witness *witness)
{
    return witness->has_values;
}

static inline void toy_witness_drop(void *ctx, cz_witness *witness)
{
    toy *t = ctx;

    assert_non_null(witness);
    toy_count(t, &t->witnesses, -1);
    (void)pthread_mutex_lock(&t->lock);
    t->idle += t->idle_each;
    (void)pthread_mutex_unlock(&t->lock);
    free(witness);
}

static inline uint64_t toy_idle_bytes(void *ctx)
{
    toy *t = ctx;
    uint64_t idle;

    (void)pthread_mutex_lock(&t->lock);
    idle = t->idle + t->idle_other;
    t->looks++;
    (void)pthread_mutex_unlock(&t->lock);
    return idle;
}

static inline uint64_t toy_reuse_bytes(void *ctx, const cz_keys *keys, unsigned others)
{
    toy *t = ctx;
    uint64_t bytes;

    (void)keys;
    (void)pthread_mutex_lock(&t->lock);
    bytes = t->reuses && t->idle >= (others + 1) * t->idle_each ? t->idle_each : 0;
    (void)pthread_mutex_unlock(&t->lock);
    return bytes;
}

static inline void toy_pinned(void *ctx, uint64_t *bytes, uint64_t *limit)
{
    toy *t = ctx;

    (void)pthread_mutex_lock(&t->lock);
    *bytes = t->pinned;
    *limit = t->pinned_limit;
    (void)pthread_mutex_unlock(&t->lock);
}

static inline void toy_trim(void *ctx)
{
    toy *t = ctx;

    (void)pthread_mutex_lock(&t->lock);
    t->idle = t->idle_other = 0;
    t->trims++;
    (void)pthread_mutex_unlock(&t->lock);
}

static inline void toy_fill(uint8_t proof[CZ_PART_PROOF_BYTES], char tag, size_t k)
{
    (void)memset(proof, tag, CZ_PART_PROOF_BYTES);
    proof[0] = (uint8_t)k;
}

static inline cz_err toy_verify(void *ctx, const cz_work *work, const cz_keys *keys, size_t k,
                                const uint8_t proof[CZ_PART_PROOF_BYTES], cz_trace *trace)
{
    cz_span span = cz_trace_begin(trace, CZ_PHASE_VERIFY, (unsigned)k);
    uint8_t wanted[CZ_PART_PROOF_BYTES];
    toy *t = ctx;

    assert_true(keys->hot);
    assert_string_equal(keys->circuit_id, work->circuit_id);
    (void)pthread_mutex_lock(&t->lock);
    toy_note(t, "v", work->tag, k);
    (void)pthread_mutex_unlock(&t->lock);
    toy_fill(wanted, work->tag, k);
    cz_trace_end(&span);
    if (memcmp(wanted, proof, sizeof wanted) != 0)
        return cz_fail(CZ_E_VERIFY, "a proof does not verify");
    return CZ_OK;
}

static inline cz_err toy_prove(void *ctx, const cz_keys *keys, cz_prove_item *items, size_t n)
{
    toy *t = ctx;
    bool fails;

    assert_true(keys->hot);
    toy_sleep_us(t->prove_us);
    (void)pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < n; i++)
        toy_note(t, "p", items[i].witness->tag, items[i].witness->k);
    toy_gate(t, &t->hold_prove);
    if (n > t->max_batch_seen)
        t->max_batch_seen = (unsigned)n;
    fails = t->cuda_failures > 0;
    t->cuda_failures -= fails;
    for (size_t i = 0; i < n; i++) {
        toy_fill(items[i].proof, items[i].witness->tag, items[i].witness->k);
        if (t->bad_proofs > 0) {
            items[i].proof[100] ^= 1;
            t->bad_proofs--;
        }
    }
    (void)pthread_mutex_unlock(&t->lock);
    return fails ? cz_fail(CZ_E_CUDA, "device lost") : CZ_OK;
}

static const cz_prover_ops toy_ops = {
    .admit = toy_admit,
    .open = toy_open,
    .circuit_id = toy_circuit_id,
    .partitions = toy_partitions,
    .close = toy_close,
    .keys_open = toy_keys_open,
    .keys_heat = toy_keys_heat,
    .keys_cool = toy_keys_cool,
    .keys_close = toy_keys_close,
    .keys_tag = toy_keys_tag,
    .params_tag = toy_params_tag,
    .synthesize = toy_synthesize,
    .has_values = toy_has_values,
    .witness_drop = toy_witness_drop,
    .idle_bytes = toy_idle_bytes,
    .trim = toy_trim,
    .reuse_bytes = toy_reuse_bytes,
    .pinned = toy_pinned,
    .verify = toy_verify,
};

static inline void toy_init(toy *t)
{
    *t = (toy){.open_bytes = 10, .work_bytes = 5, .hot_bytes = 100, .part_bytes = 20};
    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_cond_init(&t->moved, NULL);
}

static inline void toy_clear(toy *t)
{
    (void)pthread_cond_destroy(&t->moved);
    (void)pthread_mutex_destroy(&t->lock);
}

/* Everything that was made is gone. */
static inline void toy_assert_clean(const toy *t)
{
    assert_int_equal(t->works, 0);
    assert_int_equal(t->witnesses, 0);
    assert_int_equal(t->hot, 0);
    assert_int_equal(t->warm, 0);
}

static inline cz_backend toy_backend(toy *t)
{
    return (cz_backend){.name = "toy", .workers = 1, .batch = 1, .ctx = t, .prove = toy_prove};
}

static inline cz_engine_options toy_options(toy *t, const cz_backend *backend)
{
    cz_engine_options o = cz_engine_defaults();

    o.prover = (cz_prover){&toy_ops, t};
    o.backends = backend;
    o.n_backends = 1;
    o.host_bytes = 1000000;
    return o;
}

static inline cz_request *toy_request(const char *id, cz_proof_kind kind, char tag, unsigned parts,
                                      unsigned priority)
{
    cz_request *r = calloc(1, sizeof *r);

    assert_non_null(r);
    r->request_id = malloc(strlen(id) + 1);
    r->vanilla_proof = malloc(2);
    assert_non_null(r->request_id);
    assert_non_null(r->vanilla_proof);
    (void)strcpy(r->request_id, id);
    r->vanilla_proof[0] = (uint8_t)parts;
    r->vanilla_proof[1] = (uint8_t)tag;
    r->vanilla_proof_len = 2;
    r->kind = kind;
    r->sector_size = 2048;
    r->priority = priority;
    return r;
}

/* Submit without waiting; the job's id. */
static inline const char *toy_submit(cz_engine *e, cz_request *r, cz_submit_reply *reply)
{
    const cz_submit_options o = {0};

    assert_ok(cz_engine_submit(e, r, &o, reply));
    return reply->job_id;
}

static inline void toy_open_gate(toy *t, bool *hold)
{
    (void)pthread_mutex_lock(&t->lock);
    *hold = false;
    (void)pthread_cond_broadcast(&t->moved);
    (void)pthread_mutex_unlock(&t->lock);
}

/* Until n stages stand in gates. */
static inline void toy_wait_held(toy *t, unsigned n)
{
    (void)pthread_mutex_lock(&t->lock);
    while (t->held < n)
        (void)pthread_cond_wait(&t->moved, &t->lock);
    (void)pthread_mutex_unlock(&t->lock);
}

static inline void toy_assert_proof(const cz_result *r, char tag, size_t parts)
{
    assert_int_equal(r->status, CZ_JOB_COMPLETED);
    assert_int_equal(r->proof_len, parts * CZ_PART_PROOF_BYTES);
    for (size_t k = 0; k < parts; k++) {
        uint8_t wanted[CZ_PART_PROOF_BYTES];

        toy_fill(wanted, tag, k);
        assert_memory_equal(r->proof + k * CZ_PART_PROOF_BYTES, wanted, sizeof wanted);
    }
}

/* Wait for a job and check its proof. */
static inline void toy_expect(cz_engine *e, const char *job_id, char tag, size_t parts)
{
    cz_result r;

    assert_ok(cz_engine_await(e, job_id, 20000, &r));
    if (r.error != NULL)
        print_error("job ended with: %s\n", r.error);
    toy_assert_proof(&r, tag, parts);
    cz_result_clear(&r);
}

static inline void toy_expect_end(cz_engine *e, const char *job_id, cz_job_status status,
                                  const char *text)
{
    cz_result r;

    assert_ok(cz_engine_await(e, job_id, 20000, &r));
    assert_int_equal(r.status, status);
    assert_null(r.proof);
    if (strstr(r.error, text) == NULL)
        fail_msg("'%s' does not contain '%s'", r.error, text);
    cz_result_clear(&r);
}

#endif
