/* step_finisher.c: the finisher verifies each proof, writes the job's result down, tells who waits
 * for it, and disposes of what is left. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "engine/engine_state.h"

static bool drop_trash(cz_engine *e)
{
    const cz_prover *p = &e->o.prover;
    cz_epart *part = e->trash;

    if (part == NULL)
        return false;
    e->trash = part->next_trash;
    part->job->running++;
    cz_engine_begin(e);
    p->ops->witness_drop(p->ctx, part->witness);
    cz_engine_end(e);
    part->job->running--;
    part->witness = NULL;
    cz_epart_release(e, part);
    return true;
}

static cz_epart *next_to_verify(const cz_engine *e)
{
    for (const cz_ejob *job = e->live; job != NULL; job = job->next)
        if (job->n_in[PART_PROVED] > 0)
            for (size_t k = 0; k < job->n_parts; k++)
                if (job->parts[k].state == PART_PROVED)
                    return &job->parts[k];
    return NULL;
}

static void self_check_failed(cz_engine *e, cz_epart *part, cz_err err)
{
    cz_ejob *job = part->job;
    const bool again = part->refuted_by == NULL;
    char message[1200];

    (void)snprintf(message, sizeof message, "partition %u: self-check failed%s: %s", part->k,
                   again ? "" : " twice", cz_err_message());
    e->counters.self_check_failures[job->kind]++;
    if (!again) {
        cz_epart_set(part, PART_FAILED);
        cz_ejob_end(e, job, CZ_JOB_FAILED, CZ_E_VERIFY, message);
        return;
    }
    cz_log_job(CZ_LOG_ERROR, job->id, job->request_id, cz_proof_kind_name(job->kind),
               "%s; it is made once more", message);
    part->refuted_by = part->proved_by;
    part->excused = err == CZ_E_INPUT;
    part->attempt++;
    e->counters.retries[job->kind]++;
    cz_epart_set(part, PART_PENDING);
}

/* Keys may be closed between two partitions of a job, and its parameters be others when they are
 * opened again. The proof is to be of one key: what was verified with another is made once more. */
static bool remake_of_other_keys(cz_engine *e, cz_ejob *job, const uint8_t tag[CZ_KEY_TAG_BYTES])
{
    unsigned n = 0;

    for (size_t k = 0; k < job->n_parts; k++) {
        cz_epart *part = &job->parts[k];

        if (memcmp(part->key_tag, tag, CZ_KEY_TAG_BYTES) == 0)
            continue;
        part->attempt++;
        e->counters.retries[job->kind]++;
        cz_epart_set(part, PART_PENDING);
        n++;
    }
    if (n > 0)
        cz_log_job(CZ_LOG_WARN, job->id, job->request_id, cz_proof_kind_name(job->kind),
                   "the parameters were replaced meanwhile: %u partitions are made once more", n);
    return n > 0;
}

static void take_verdict(cz_engine *e, cz_epart *part, cz_err err)
{
    cz_ejob *job = part->job;

    cz_epart_release(e, part);
    if (job->state != JOB_ACTIVE) {
        cz_epart_set(part, PART_FAILED);
    } else if (err != CZ_OK) {
        self_check_failed(e, part, err);
    } else {
        cz_epart_set(part, PART_DONE);
        if (job->n_in[PART_DONE] == job->n_parts && !remake_of_other_keys(e, job, part->key_tag))
            cz_ejob_complete(e, job);
    }
}

/* What came of a self-check, for those whose proofs it was about. A proof that is good nowhere says
 * nothing of who made it: the request may be to blame. */
static void tell_provers(const cz_epart *part)
{
    const cz_backend *good = part->proved_by, *bad = part->refuted_by;

    if (good->judge != NULL)
        good->judge(good->ctx, true);
    if (bad != NULL && bad != good && !part->excused && bad->judge != NULL)
        bad->judge(bad->ctx, false);
}

static bool verify_part(cz_engine *e)
{
    const cz_prover *p = &e->o.prover;
    cz_epart *part = next_to_verify(e);
    const uint64_t start = cz_clock_ns();
    uint64_t took;
    cz_err err;

    if (part == NULL)
        return false;
    cz_epart_set(part, PART_VERIFYING);
    part->job->running++;
    p->ops->keys_tag(part->job->keys->keys, part->key_tag);
    cz_engine_begin(e);
    err = p->ops->verify(p->ctx, part->job->work, part->job->keys->keys, part->k, part->proof,
                         part->job->trace);
    took = cz_clock_ns() - start;
    if (err == CZ_OK)
        tell_provers(part);
    cz_engine_end(e);
    part->job->running--;
    cz_epart_log(part, "verify", took);
    cz_histogram_add(&e->counters.timed[CZ_TIMED_VERIFY][part->job->kind], (double)took / 1e9);
    take_verdict(e, part, err);
    return true;
}

void cz_watchers_tell(cz_watcher *watchers, const cz_result *result)
{
    while (watchers != NULL) {
        cz_watcher *w = watchers;

        watchers = w->next;
        w->fn(w->ctx, result);
        free(w);
    }
}

static void move_to_ended(cz_engine *e, cz_ejob *job)
{
    cz_ejob_unlink(e, job);
    job->state = JOB_ENDED;
    job->ended_ns = cz_clock_ns();
    job->next = e->ended;
    e->ended = job;
    e->n_ended++;
    e->counters.ended[job->kind][job->result.status]++;
    cz_recent_note(&e->recent, job);
    if (job->result.status == CZ_JOB_COMPLETED)
        cz_histogram_add(&e->counters.timed[CZ_TIMED_TOTAL][job->kind],
                         (double)(job->ended_ns - job->accepted_ns) / 1e9);
}

static bool finish_job(cz_engine *e)
{
    cz_watcher *watchers;
    cz_ejob *job = e->live;
    cz_err err = CZ_OK;

    while (job != NULL && job->state != JOB_FINISHING)
        job = job->next;
    if (job == NULL)
        return false;
    job->running++;
    cz_engine_begin(e);
    if (e->o.journal != NULL)
        err = cz_journal_finish(e->o.journal, &job->result);
    if (err != CZ_OK)
        cz_log_job(CZ_LOG_ERROR, job->id, job->request_id, cz_proof_kind_name(job->kind),
                   "its result is not kept: %s", cz_err_message());
    cz_engine_end(e);
    e->counters.journal_errors += err != CZ_OK;
    job->unkept = err != CZ_OK;
    move_to_ended(e, job);
    watchers = job->watchers;
    job->watchers = NULL;
    (void)pthread_cond_broadcast(&e->changed);
    cz_engine_begin(e);
    cz_watchers_tell(watchers, &job->result);
    cz_engine_end(e);
    job->running--;
    return true;
}

bool cz_ejob_has_remains(const cz_ejob *job)
{
    return job->running == 0 &&
           (job->work != NULL || job->trace != NULL || job->request != NULL || job->reserved > 0);
}

static bool dispose(cz_engine *e)
{
    const cz_prover *p = &e->o.prover;
    cz_ejob *job = e->ended;

    while (job != NULL && !cz_ejob_has_remains(job))
        job = job->next;
    if (job == NULL)
        return false;
    for (unsigned phase = 0; job->trace != NULL && phase < CZ_PHASE_COUNT; phase++)
        e->counters.phase_ms[phase] += cz_trace_total_ms(job->trace, (cz_phase)phase);
    job->running++;
    cz_engine_begin(e);
    if (job->work != NULL)
        p->ops->close(p->ctx, job->work);
    cz_trace_destroy(job->trace);
    cz_request_destroy(job->request);
    cz_engine_end(e);
    job->running--;
    job->work = NULL;
    job->trace = NULL;
    job->request = NULL;
    e->request_bytes -= job->request_bytes;
    job->request_bytes = 0;
    cz_budget_release(&e->budget, job->reserved);
    job->reserved = 0;
    return true;
}

bool cz_step_finisher(cz_engine *e)
{
    return drop_trash(e) || verify_part(e) || finish_job(e) || dispose(e);
}
