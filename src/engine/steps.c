/* steps.c: the workers' stages. Each takes something under the lock, works without it, and puts the
 * outcome back under it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine_state.h"

/* --- around every stage --- */

static void enter(cz_engine *e, cz_worker *w, cz_ejob *job, unsigned partition, const char *stage)
{
    w->stage = stage;
    w->job = job;
    w->partition = partition;
    w->since_ns = cz_clock_ns();
    w->stalled = false;
    job->running++;
    e->running++;
    (void)pthread_mutex_unlock(&e->lock);
}

/* How long the stage took. */
static uint64_t leave(cz_engine *e, cz_worker *w, cz_ejob *job)
{
    const uint64_t took = cz_clock_ns() - w->since_ns;

    (void)pthread_mutex_lock(&e->lock);
    w->stage = "";
    w->job = NULL;
    w->n_parts = 0;
    w->idle_ns = cz_clock_ns();
    job->running--;
    e->running--;
    (void)pthread_cond_broadcast(&e->work);
    return took;
}

static void delay(unsigned ms)
{
    const struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};

    if (ms > 0)
        (void)nanosleep(&t, NULL);
}

static void fail_part(cz_engine *e, cz_epart *part, cz_err code)
{
    char message[1200];

    (void)snprintf(message, sizeof message, "partition %u: %s", part->k, cz_err_message());
    cz_epart_set(part, PART_FAILED);
    cz_ejob_end(e, part->job, CZ_JOB_FAILED, code, message);
}

/* --- opening --- */

static cz_err find_request(cz_engine *e, cz_ejob *job, cz_request **out)
{
    *out = job->request;
    if (job->request != NULL)
        return CZ_OK;
    return cz_journal_request(e->o.journal, job->id, job->content, out);
}

static cz_err make_trace(cz_ejob *job)
{
    return job->trace != NULL ? CZ_OK : cz_trace_create(&job->trace);
}

static cz_err open_work(cz_engine *e, cz_ejob *job, cz_work **out)
{
    const cz_prover *p = &e->o.prover;
    cz_request *request;
    cz_err err;

    CZ_TRY(find_request(e, job, &request));
    err = p->ops->open(p->ctx, request, out, job->trace);
    if (request != job->request)
        cz_request_destroy(request);
    return err;
}

/* A job that is opened again keeps its partitions. */
static cz_err make_parts(cz_ejob *job, size_t n)
{
    if (job->parts != NULL)
        return n == job->n_parts
                   ? CZ_OK
                   : cz_fail(CZ_E_INTERNAL, "%zu partitions, there were %zu", n, job->n_parts);
    job->parts = calloc(n, sizeof *job->parts);
    if (job->parts == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu partitions", n);
    for (size_t k = 0; k < n; k++) {
        job->parts[k].job = job;
        job->parts[k].k = (unsigned)k;
    }
    job->n_parts = n;
    job->n_in[PART_PENDING] = (unsigned)n;
    return CZ_OK;
}

static cz_err take_work(cz_engine *e, cz_ejob *job, cz_work *work)
{
    const cz_prover_ops *ops = e->o.prover.ops;

    job->work = work;
    if (job->state != JOB_OPENING)
        return CZ_OK; /* ended meanwhile; the finisher closes the work */
    (void)snprintf(job->admission.circuit_id, CZ_CIRCUIT_ID_BYTES, "%s", ops->circuit_id(work));
    job->keys = cz_resident_get(e, job->admission.circuit_id);
    if (job->keys == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for keys");
    if (job->keys->keys != NULL)
        CZ_TRY(cz_resident_check_size(
            e, job->keys, cz_resident_least_bytes(job->keys) + job->admission.work_bytes));
    CZ_TRY(make_parts(job, ops->partitions(work)));
    job->state = JOB_ACTIVE;
    return CZ_OK;
}

static void shrink_to_work(cz_engine *e, cz_ejob *job)
{
    const uint64_t keep = job->work == NULL ? 0 : job->admission.work_bytes;

    if (job->reserved > keep) {
        cz_budget_release(&e->budget, job->reserved - keep);
        job->reserved = keep;
    }
}

static void step_open(cz_engine *e, cz_worker *w, cz_ejob *job)
{
    cz_work *work = NULL;
    cz_err err;

    (void)cz_budget_reserve(&e->budget, job->admission.open_bytes);
    job->reserved = job->admission.open_bytes;
    job->state = JOB_OPENING;
    err = make_trace(job); /* with the lock: should the job end meanwhile, others look at it */
    enter(e, w, job, 0, "open");
    if (err == CZ_OK)
        err = open_work(e, job, &work);
    (void)leave(e, w, job);
    if (err == CZ_OK)
        err = take_work(e, job, work);
    shrink_to_work(e, job);
    if (err != CZ_OK)
        cz_ejob_end(e, job, CZ_JOB_FAILED, err, cz_err_message());
}

static void step_close(cz_engine *e, cz_worker *w, cz_ejob *job)
{
    const cz_prover *p = &e->o.prover;
    cz_work *work = job->work;

    job->work = NULL;
    if (job->state == JOB_ACTIVE)
        job->state = JOB_QUEUED;
    e->counters.reopened++;
    enter(e, w, job, 0, "close");
    p->ops->close(p->ctx, work);
    (void)leave(e, w, job);
    cz_budget_release(&e->budget, job->reserved);
    job->reserved = 0;
}

/* --- synthesis --- */

/* Until it is made. */
static void claim(cz_engine *e, cz_epart *part)
{
    part->claimed = cz_epart_reuses(e, part);
    part->job->keys->claims += part->claimed > 0;
    e->claimed += part->claimed;
    e->budget.idle -= part->claimed;
}

static void end_claim(cz_engine *e, cz_epart *part)
{
    e->claimed -= part->claimed;
    part->job->keys->claims -= part->claimed > 0;
    part->claimed = 0;
}

/* False: it does not fit any more, as what devices take has changed since it was chosen. */
static bool reserve_part(cz_engine *e, cz_epart *part)
{
    cz_resident *keys = part->job->keys;
    const uint64_t bytes = cz_epart_bytes(e, part);

    claim(e, part);
    if (!cz_budget_reserve(&e->budget, bytes + (keys->reserved ? 0 : keys->cost.hot_bytes))) {
        end_claim(e, part);
        return false;
    }
    keys->reserved = true;
    part->reserved = bytes;
    part->holds_keys = true;
    keys->refs++;
    keys->used_ns = cz_clock_ns();
    return true;
}

static void note_start(cz_engine *e, cz_ejob *job)
{
    if (job->started_ns != 0)
        return;
    job->started_ns = cz_clock_ns();
    cz_histogram_add(&e->counters.timed[CZ_TIMED_QUEUE][job->kind],
                     (double)(job->started_ns - job->accepted_ns) / 1e9);
}

static cz_err make_witness(cz_engine *e, cz_epart *part, bool fault)
{
    const cz_prover *p = &e->o.prover;

    delay(e->o.faults.synthesis_ms);
    if (fault)
        return cz_fail(CZ_E_NOMEM, "no memory for the witness (ordered by a test)");
    return p->ops->synthesize(p->ctx, part->job->work, part->k, part->with_values, &part->witness,
                              part->job->trace);
}

static void step_synthesize(cz_engine *e, cz_worker *w, cz_epart *part)
{
    cz_ejob *job = part->job;
    const bool asked_for = part->with_values;
    bool fault;
    cz_err err;

    part->with_values = asked_for || cz_epart_needs_spare(e, part);
    if (!reserve_part(e, part)) {
        part->with_values = asked_for; /* the device may come back */
        return;
    }
    note_start(e, job);
    cz_epart_set(part, PART_SYNTHESIZING);
    fault = cz_fault_strikes(&e->o.faults.nomem, (unsigned)job->kind, part->k);
    enter(e, w, job, part->k, "synthesize");
    err = make_witness(e, part, fault);
    part->synth_ns = leave(e, w, job);
    end_claim(e, part);
    part->has_synth = true;
    cz_epart_log(part, "synthesis", part->synth_ns);
    cz_histogram_add(&e->counters.timed[CZ_TIMED_SYNTHESIS][job->kind],
                     (double)part->synth_ns / 1e9);
    if (err != CZ_OK) {
        cz_epart_release(e, part);
        fail_part(e, part, err);
    } else if (job->state == JOB_ACTIVE) {
        cz_epart_set(part, PART_SYNTHESIZED);
    } else { /* ended meanwhile */
        cz_epart_set(part, PART_FAILED);
        part->next_trash = e->trash;
        e->trash = part;
    }
}

/* Devices left a partition to the host, which has not the memory for it. */
static void step_refuse(cz_engine *e, cz_epart *part)
{
    const cz_err err = cz_resident_check_size(
        e, part->job->keys, cz_epart_bytes(e, part) + part->job->admission.work_bytes);

    fail_part(e, part, err);
}

bool cz_step_synthesis(cz_engine *e, cz_worker *w)
{
    const cz_action action = cz_schedule_synthesis(e, cz_clock_ns());

    if (action.what == ACT_OPEN)
        step_open(e, w, action.job);
    else if (action.what == ACT_SYNTHESIZE)
        step_synthesize(e, w, action.part);
    else if (action.what == ACT_CLOSE)
        step_close(e, w, action.job);
    else if (action.what == ACT_REFUSE)
        step_refuse(e, action.part);
    return action.what != ACT_NONE || cz_step_trim(e);
}

/* --- proving --- */

typedef struct {
    cz_epart *parts[CZ_MOST_BATCH];
    cz_prove_item items[CZ_MOST_BATCH];
    bool flip[CZ_MOST_BATCH];
    size_t n;
} device_batch;

/* A witness that no longer waits makes room for the next. */
static void take_parts(cz_engine *e, const cz_backend *backend, device_batch *b)
{
    (void)pthread_cond_broadcast(&e->work);
    for (size_t i = 0; i < b->n; i++) {
        cz_epart *part = b->parts[i];

        cz_epart_set(part, PART_PROVING);
        part->proved_by = backend;
        part->job->running++;
        b->items[i] = (cz_prove_item){.witness = part->witness,
                                      .partition = part->k,
                                      .trace = part->job->trace,
                                      .proof = part->proof};
        b->flip[i] = cz_fault_strikes(&e->o.faults.flip, (unsigned)part->job->kind, part->k);
        if (b->flip[i])
            b->items[i].flip = cz_fault_sum(&e->o.faults.flip);
    }
}

static bool has_values(const cz_engine *e, const cz_witness *witness)
{
    return e->o.prover.ops->has_values == NULL || e->o.prover.ops->has_values(witness);
}

/* Does this failure leave a witness that others can use? */
static bool is_of_use(const cz_engine *e, const cz_backend *backend, const cz_epart *part,
                      cz_err err)
{
    return err != CZ_OK && cz_backend_may_return(e, backend, part->job, err) &&
           (err != CZ_E_DECLINED || has_values(e, part->witness));
}

/* Off the lock: prove, drop the witnesses that nobody needs any more. A flipped bit lands in the
 * last byte of A's x, unless it was in a sum. */
static cz_err prove_parts(cz_engine *e, const cz_backend *backend, device_batch *b)
{
    const cz_prover *p = &e->o.prover;
    cz_err err;

    delay(e->o.faults.prove_ms);
    err = backend->prove(backend->ctx, b->parts[0]->job->keys->keys, b->items, b->n);
    for (size_t i = 0; i < b->n; i++) {
        if (!is_of_use(e, backend, b->parts[i], err)) {
            p->ops->witness_drop(p->ctx, b->items[i].witness);
            b->parts[i]->witness = NULL;
        }
        if (b->flip[i] && b->items[i].flip == CZ_SUM_NONE)
            b->parts[i]->proof[47] ^= 1;
    }
    return err;
}

/* A partition without its memory, to be made again. */
static void make_again(cz_engine *e, cz_epart *part)
{
    cz_epart_release(e, part);
    cz_epart_set(part, PART_PENDING);
}

/* What the device lost is made once more from the start, by another one where there is one; what is
 * lost again, on the host. */
static bool retry(cz_engine *e, cz_epart *part, const cz_backend *backend)
{
    const bool again = part->lost_by != NULL;

    if (part->job->state != JOB_ACTIVE || part->on_spare || (again && !cz_engine_has_spare(e)))
        return false;
    part->on_spare = again;
    part->lost_by = backend;
    part->attempt++;
    e->counters.retries[part->job->kind]++;
    make_again(e, part);
    return true;
}

/* The device did not make the values; then the host does. */
static bool retry_with_values(cz_engine *e, cz_epart *part, const cz_backend *backend)
{
    if (part->with_values || part->job->state != JOB_ACTIVE ||
        !cz_backend_may_return(e, backend, part->job, CZ_E_DECLINED))
        return false;
    part->with_values = true;
    make_again(e, part);
    return true;
}

/* A job that ended meanwhile has no use for it either. */
static void return_part(cz_engine *e, cz_epart *part, const cz_backend *backend, cz_err err)
{
    part->job->running--;
    if (part->job->state == JOB_ACTIVE) {
        cz_epart_return(e, part, backend, err);
        return;
    }
    cz_epart_set(part, PART_FAILED);
    part->next_trash = e->trash;
    e->trash = part;
}

static void put_back(cz_engine *e, cz_epart *part, const cz_backend *backend, cz_err err,
                     uint64_t took)
{
    part->prove_ns = took;
    part->has_prove = true;
    cz_epart_log(part, "prove", took);
    part->job->running--;
    cz_histogram_add(&e->counters.timed[CZ_TIMED_PROVE][part->job->kind], (double)took / 1e9);
    cz_budget_release(&e->budget, part->reserved);
    part->reserved = 0;
    if (err == CZ_OK && part->job->state == JOB_ACTIVE) {
        cz_epart_set(part, PART_PROVED);
        return;
    }
    if ((err == CZ_E_CUDA && retry(e, part, backend)) ||
        (err == CZ_E_DECLINED && retry_with_values(e, part, backend)))
        return;
    cz_epart_release(e, part);
    if (err != CZ_OK)
        fail_part(e, part, err);
    else
        cz_epart_set(part, PART_FAILED); /* ended meanwhile */
}

static void prove_batch(cz_engine *e, cz_worker *w, device_batch *b)
{
    const cz_proof_kind kind = b->parts[0]->job->kind;
    uint64_t took;
    cz_err err;

    take_parts(e, w->backend, b);
    w->n_parts = (unsigned)b->n;
    enter(e, w, b->parts[0]->job, b->parts[0]->k, "prove");
    err = prove_parts(e, w->backend, b);
    took = leave(e, w, b->parts[0]->job) / b->n;
    if (err == CZ_OK)
        w->part_ns[kind] = took;
    for (size_t i = 0; i < b->n; i++)
        if (b->parts[i]->witness != NULL)
            return_part(e, b->parts[i], w->backend, err);
        else
            put_back(e, b->parts[i], w->backend, err, took);
}

/* The host takes more memory for a proof than the device for which the witness was made, and needs
 * its values. What is not there must be waited for, without the witness. */
static bool is_ready_for_host(cz_engine *e, cz_epart *part)
{
    const uint64_t bytes = cz_epart_bytes(e, part);

    if (!has_values(e, part->witness))
        return false;
    if (part->reserved >= bytes)
        return true;
    cz_engine_count_idle(e);
    if (!cz_budget_reserve(&e->budget, bytes - part->reserved))
        return false;
    part->reserved = bytes;
    return true;
}

static void give_up_witness(cz_engine *e, cz_worker *w, cz_epart *part)
{
    const cz_prover *p = &e->o.prover;

    part->on_spare = true;
    part->proved_by = w->backend; /* counts as its work meanwhile */
    cz_epart_set(part, PART_PROVING);
    enter(e, w, part->job, part->k, "drop");
    p->ops->witness_drop(p->ctx, part->witness);
    (void)leave(e, w, part->job);
    part->witness = NULL;
    make_again(e, part);
    if (part->job->state != JOB_ACTIVE)
        cz_epart_set(part, PART_FAILED);
}

bool cz_step_proving(cz_engine *e, cz_worker *w)
{
    device_batch b;

    b.n = cz_schedule_proving(e, w, b.parts, CZ_MOST_BATCH, cz_clock_ns());
    if (b.n == 0)
        return false;
    if (w->backend->spare && !is_ready_for_host(e, b.parts[0]))
        give_up_witness(e, w, b.parts[0]);
    else
        prove_batch(e, w, &b);
    return true;
}
