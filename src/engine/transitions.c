/* transitions.c: how jobs and partitions change their state. All under engine.lock. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "engine/engine_state.h"

/* --- lists --- */

static cz_ejob *find_in(cz_ejob *list, const char *job_id)
{
    for (cz_ejob *job = list; job != NULL; job = job->next)
        if (strcmp(job->id, job_id) == 0)
            return job;
    return NULL;
}

cz_ejob *cz_ejob_find(const cz_engine *e, const char *job_id)
{
    cz_ejob *job = find_in(e->live, job_id);

    return job != NULL ? job : find_in(e->ended, job_id);
}

static bool goes_before(const cz_ejob *a, const cz_ejob *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->seq < b->seq;
}

void cz_ejob_insert(cz_engine *e, cz_ejob *job)
{
    cz_ejob **at = &e->live;

    while (*at != NULL && goes_before(*at, job))
        at = &(*at)->next;
    job->next = *at;
    *at = job;
    e->n_live++;
}

static bool unlink_from(cz_ejob **list, const cz_ejob *job)
{
    for (cz_ejob **at = list; *at != NULL; at = &(*at)->next)
        if (*at == job) {
            *at = job->next;
            return true;
        }
    return false;
}

void cz_ejob_unlink(cz_engine *e, cz_ejob *job)
{
    if (unlink_from(&e->live, job))
        e->n_live--;
    else if (unlink_from(&e->ended, job))
        e->n_ended--;
    job->next = NULL;
}

void cz_ejob_raise(cz_engine *e, cz_ejob *job, unsigned priority)
{
    if (priority <= job->priority || job->state == JOB_ENDED)
        return;
    cz_ejob_unlink(e, job);
    job->priority = priority;
    cz_ejob_insert(e, job);
    (void)pthread_cond_broadcast(&e->work); /* its witness may be made ahead of those that wait */
}

/* --- batches --- */

static bool is_batchable(const cz_engine *e, const cz_ejob *job)
{
    return !e->draining && e->o.tuning.max_batch_size > 1 && job->priority <= CZ_PRIORITY_NORMAL &&
           (job->kind == CZ_KIND_POREP || job->kind == CZ_KIND_SNAP) &&
           job->admission.circuit_id[0] != '\0';
}

void cz_ejob_release_batch(cz_engine *e, unsigned batch, cz_flush_reason reason)
{
    for (cz_ejob *job = e->live; job != NULL; job = job->next)
        if (job->batch == batch && job->state == JOB_COLLECTING) {
            job->batch = 0;
            job->state = JOB_QUEUED;
        }
    e->counters.batches[reason]++;
}

static void release_batches_below(cz_engine *e, unsigned priority)
{
    unsigned batch;

    while ((batch = cz_batcher_take_below(&e->batcher, priority)) != 0)
        cz_ejob_release_batch(e, batch, CZ_FLUSH_URGENT);
}

void cz_ejob_release_batches(cz_engine *e)
{
    release_batches_below(e, UINT_MAX);
    (void)pthread_cond_broadcast(&e->work);
}

void cz_ejob_enqueue(cz_engine *e, cz_ejob *job, uint64_t now_ns)
{
    unsigned batch;
    cz_flush_reason reason;

    release_batches_below(e, job->priority);
    job->state = JOB_QUEUED;
    if (is_batchable(e, job))
        job->batch = cz_batcher_add(&e->batcher, job->admission.circuit_id, job->priority, now_ns);
    if (job->batch != 0)
        job->state = JOB_COLLECTING;
    while ((batch =
                cz_batcher_take_due(&e->batcher, e->o.tuning.max_batch_size,
                                    e->o.tuning.max_batch_wait_ms * 1000000, now_ns, &reason)) != 0)
        cz_ejob_release_batch(e, batch, reason);
    (void)pthread_cond_broadcast(&e->work);
}

/* --- partitions --- */

void cz_epart_set(cz_epart *part, cz_epart_state state)
{
    part->job->n_in[part->state]--;
    part->state = state;
    part->job->n_in[state]++;
}

void cz_epart_log(const cz_epart *part, const char *stage, uint64_t took_ns)
{
    const cz_ejob *job = part->job;

    cz_log_job(CZ_LOG_DEBUG, job->id, job->request_id, cz_proof_kind_name(job->kind),
               "partition %u: %s took %.3f s", part->k, stage, (double)took_ns / 1e9);
}

void cz_epart_release(cz_engine *e, cz_epart *part)
{
    cz_budget_release(&e->budget, part->reserved);
    part->reserved = 0;
    if (part->holds_keys) {
        part->job->keys->refs--;
        part->job->keys->used_ns = cz_clock_ns();
    }
    part->holds_keys = false;
    (void)pthread_cond_broadcast(&e->work);
}

/* What waits is given up now; what runs gives itself up when its stage returns. */
static void give_up_parts(cz_engine *e, cz_ejob *job)
{
    for (size_t k = 0; k < job->n_parts; k++) {
        cz_epart *part = &job->parts[k];

        if (part->state == PART_SYNTHESIZED) {
            part->next_trash = e->trash;
            e->trash = part;
        }
        if (part->state == PART_PROVED)
            cz_epart_release(e, part);
        if (part->state == PART_PENDING || part->state == PART_SYNTHESIZED ||
            part->state == PART_PROVED)
            cz_epart_set(part, PART_FAILED);
    }
}

/* --- the end of a job --- */

static uint64_t ms_between(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (to_ns - from_ns) / 1000000 : 0;
}

static void fill_times(const cz_ejob *job, cz_result *r)
{
    const uint64_t now = cz_clock_ns();
    uint64_t synth = 0, prove = 0;

    for (size_t k = 0; k < job->n_parts; k++) {
        synth += job->parts[k].synth_ns;
        prove += job->parts[k].prove_ns;
    }
    r->queue_wait_ms = ms_between(job->accepted_ns, job->started_ns != 0 ? job->started_ns : now);
    if (job->keys != NULL && job->keys->hot_ns > job->accepted_ns)
        r->srs_load_ms = job->keys->load_ns / 1000000;
    r->synthesis_ms = synth / 1000000;
    r->gpu_compute_ms = prove / 1000000;
    r->total_ms = ms_between(job->accepted_ns, now);
}

static void set_result(cz_engine *e, cz_ejob *job, cz_job_status status, cz_err code,
                       const char *message)
{
    job->result.status = status;
    job->result.code = code;
    cz_result_set_error(&job->result, message);
    fill_times(job, &job->result);
    job->end_wanted = job->state == JOB_ACCEPTING;
    if (!job->end_wanted)
        job->state = JOB_FINISHING;
    (void)pthread_cond_broadcast(&e->work);
}

void cz_ejob_end(cz_engine *e, cz_ejob *job, cz_job_status status, cz_err code, const char *message)
{
    if (job->state >= JOB_FINISHING || job->end_wanted)
        return;
    if (job->batch != 0)
        cz_batcher_remove(&e->batcher, job->batch);
    job->batch = 0;
    give_up_parts(e, job);
    set_result(e, job, status, code, message);
    cz_log_job(status == CZ_JOB_FAILED ? CZ_LOG_ERROR : CZ_LOG_INFO, job->id, job->request_id,
               cz_proof_kind_name(job->kind), "%s", message);
}

/* A dozen lines a proof: for who asked for all. */
static void log_phases(const cz_ejob *job)
{
    char label[CZ_JOB_ID_BYTES + sizeof "job= "];

    if (cz_log_get_level() < CZ_LOG_DEBUG)
        return;
    (void)snprintf(label, sizeof label, "job=%s ", job->id);
    cz_trace_log(job->trace, label);
}

void cz_ejob_complete(cz_engine *e, cz_ejob *job)
{
    cz_result *r = &job->result;

    r->proof = malloc(job->n_parts * CZ_PART_PROOF_BYTES);
    if (r->proof == NULL) {
        cz_ejob_end(e, job, CZ_JOB_FAILED, CZ_E_NOMEM, "no memory for the proof");
        return;
    }
    r->proof_len = job->n_parts * CZ_PART_PROOF_BYTES;
    for (size_t k = 0; k < job->n_parts; k++)
        (void)memcpy(r->proof + k * CZ_PART_PROOF_BYTES, job->parts[k].proof, CZ_PART_PROOF_BYTES);
    (void)snprintf(r->circuit_id, sizeof r->circuit_id, "%s", job->admission.circuit_id);
    (void)memcpy(r->key_tag, job->parts[0].key_tag, sizeof r->key_tag); /* all are equal */
    set_result(e, job, CZ_JOB_COMPLETED, CZ_OK, NULL);
    cz_log_job(CZ_LOG_INFO, job->id, job->request_id, cz_proof_kind_name(job->kind),
               "completed in %.3f s", (double)r->total_ms / 1000);
    log_phases(job);
}

void cz_ejob_free(cz_ejob *job)
{
    while (job->watchers != NULL) {
        cz_watcher *next = job->watchers->next;

        free(job->watchers);
        job->watchers = next;
    }
    cz_request_destroy(job->request);
    cz_trace_destroy(job->trace);
    cz_result_clear(&job->result);
    free(job->parts);
    free(job->request_id);
    free(job);
}
