/* step_synthesis.c: a synthesis worker opens requests and makes witnesses. Each step takes
 * something under the lock, works without it, and puts the outcome back under it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine_state.h"

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
    cz_worker_enter(e, w, job, 0, "open");
    if (err == CZ_OK)
        err = open_work(e, job, &work);
    (void)cz_worker_leave(e, w, job);
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
    cz_worker_enter(e, w, job, 0, "close");
    p->ops->close(p->ctx, work);
    (void)cz_worker_leave(e, w, job);
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

    cz_fault_delay(e->o.faults.synthesis_ms);
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
    cz_worker_enter(e, w, job, part->k, "synthesize");
    err = make_witness(e, part, fault);
    part->synth_ns = cz_worker_leave(e, w, job);
    end_claim(e, part);
    part->has_synth = true;
    cz_epart_log(part, "synthesis", part->synth_ns);
    cz_histogram_add(&e->counters.timed[CZ_TIMED_SYNTHESIS][job->kind],
                     (double)part->synth_ns / 1e9);
    if (err != CZ_OK) {
        cz_epart_release(e, part);
        cz_epart_fail(e, part, err);
    } else if (job->state == JOB_ACTIVE) {
        cz_epart_set(part, PART_SYNTHESIZED);
    } else { /* ended meanwhile */
        cz_epart_set(part, PART_FAILED);
        part->next_trash = e->trash;
        e->trash = part;
    }
}

/* There is not the memory for it, whatever is given up. */
static void step_refuse(cz_engine *e, cz_ejob *job, cz_epart *part)
{
    const cz_admission *a = &job->admission;
    cz_err err;

    if (part == NULL) {
        err = cz_resident_check_opening(e, a->open_bytes);
        cz_ejob_end(e, job, CZ_JOB_FAILED, err, cz_err_message());
    } else {
        err = cz_resident_check_size(e, job->keys, cz_epart_bytes(e, part) + a->work_bytes);
        cz_epart_fail(e, part, err);
    }
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
        step_refuse(e, action.job, action.part);
    return action.what != ACT_NONE || cz_step_trim(e);
}
