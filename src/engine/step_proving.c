/* step_proving.c: a device's worker proves partitions, and puts each where it goes on: to the
 * self-check, back to others, or to be made again. */
#define _GNU_SOURCE
#include "engine/engine_state.h"

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

    cz_fault_delay(e->o.faults.prove_ms);
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
        cz_epart_fail(e, part, err);
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
    cz_worker_enter(e, w, b->parts[0]->job, b->parts[0]->k, "prove");
    err = prove_parts(e, w->backend, b);
    took = cz_worker_leave(e, w, b->parts[0]->job) / b->n;
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
    cz_worker_enter(e, w, part->job, part->k, "drop");
    p->ops->witness_drop(p->ctx, part->witness);
    (void)cz_worker_leave(e, w, part->job);
    part->witness = NULL;
    make_again(e, part);
    if (part->job->state != JOB_ACTIVE)
        cz_epart_set(part, PART_FAILED);
}

static bool is_critical(const device_batch *b)
{
    return b->n > 0 && b->parts[0]->job->priority >= CZ_PRIORITY_CRITICAL;
}

bool cz_step_proving(cz_engine *e, cz_worker *w)
{
    device_batch b;

    b.n = cz_schedule_proving(e, w, b.parts, CZ_MOST_BATCH, cz_clock_ns());
    if (!is_critical(&b) && cz_keys_wait_for(e, w))
        return cz_step_load(e, w);
    if (b.n == 0)
        return false;
    if (w->backend->spare && !is_ready_for_host(e, b.parts[0]))
        give_up_witness(e, w, b.parts[0]);
    else
        prove_batch(e, w, &b);
    return true;
}
