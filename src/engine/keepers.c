/* keepers.c: the threads that are one of a kind: the loader brings keys in and out, the finisher
 * verifies, writes and tells, the clerk watches the clock. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/log.h"
#include "engine/engine_state.h"

static const uint64_t second_ns = 1000000000;

static void begin(cz_engine *e)
{
    e->running++;
    (void)pthread_mutex_unlock(&e->lock);
}

static void end(cz_engine *e)
{
    (void)pthread_mutex_lock(&e->lock);
    e->running--;
    (void)pthread_cond_broadcast(&e->work);
    (void)pthread_cond_broadcast(&e->changed);
}

/* --- loader --- */

static bool is_wanted(const cz_engine *e, const cz_resident *r)
{
    if (r->preloads > 0)
        return true;
    for (const cz_ejob *job = e->live; job != NULL; job = job->next)
        if (job->keys == r && job->state >= JOB_COLLECTING && job->state < JOB_FINISHING)
            return true;
    return false;
}

/* The cold keys that the first job in order waits for, else those of a preload. */
static cz_resident *next_to_open(const cz_engine *e)
{
    for (const cz_ejob *job = e->live; job != NULL; job = job->next)
        if (job->keys != NULL && job->keys->state == KEYS_COLD && is_wanted(e, job->keys))
            return job->keys;
    for (cz_resident *r = e->residents; r != NULL; r = r->next)
        if (r->state == KEYS_COLD && r->preloads > 0)
            return r;
    return NULL;
}

/* A preload takes free memory, or that of keys nobody uses. */
static void reserve_preload(cz_engine *e, cz_resident *r)
{
    char needed[CZ_AMOUNT_BYTES], left[CZ_AMOUNT_BYTES];

    if (r->state != KEYS_WARM || r->reserved || r->preloads == 0)
        return;
    cz_engine_count_idle(e);
    if (cz_budget_reserve(&e->budget, r->cost.hot_bytes)) {
        r->reserved = true;
        return;
    }
    if (cz_resident_make_room(e, r->cost.hot_bytes, CZ_PRIORITY_HIGH, cz_clock_ns()))
        return;
    (void)cz_fail(CZ_E_NOMEM, "parameters of %s: %s are needed, %s are free", r->circuit_id,
                  cz_amount(needed, r->cost.hot_bytes),
                  cz_amount(left, cz_budget_free(&e->budget)));
    cz_resident_fail(e, r, CZ_E_NOMEM);
}

static cz_resident *next_to_heat(cz_engine *e)
{
    for (const cz_ejob *job = e->live; job != NULL; job = job->next)
        if (job->keys != NULL && job->keys->state == KEYS_WARM && job->keys->reserved)
            return job->keys;
    for (cz_resident *r = e->residents; r != NULL; r = r->next) {
        reserve_preload(e, r);
        if (r->state == KEYS_WARM && r->reserved)
            return r;
    }
    return NULL;
}

static cz_resident *next_to_cool(const cz_engine *e)
{
    for (cz_resident *r = e->residents; r != NULL; r = r->next)
        if (r->state == KEYS_HOT && r->refs == 0 && (r->cool_wanted || r->close_wanted))
            return r;
    return NULL;
}

static cz_resident *next_to_close(const cz_engine *e)
{
    for (cz_resident *r = e->residents; r != NULL; r = r->next)
        if (r->state == KEYS_WARM && r->close_wanted && !r->reserved)
            return r;
    return NULL;
}

static void free_reservation(cz_engine *e, cz_resident *r)
{
    if (r->reserved)
        cz_budget_release(&e->budget, r->cost.hot_bytes);
    r->reserved = false;
}

static void open_keys(cz_engine *e, cz_resident *r)
{
    const cz_prover *p = &e->o.prover;
    const uint64_t start = cz_clock_ns();
    cz_keys *keys = NULL;
    cz_keys_cost cost = {0};
    cz_err err;

    r->state = KEYS_OPENING;
    begin(e);
    err = p->ops->keys_open(p->ctx, r->circuit_id, &keys, &cost);
    end(e);
    if (err == CZ_OK) {
        r->keys = keys;
        r->cost = cost;
    }
    r->load_ns = cz_clock_ns() - start;
    r->state = err == CZ_OK ? KEYS_WARM : KEYS_COLD;
    if (err == CZ_OK)
        err = cz_resident_check_size(e, r, cz_resident_least_bytes(r));
    if (err != CZ_OK)
        cz_resident_fail(e, r, err);
}

static void heat_keys(cz_engine *e, cz_resident *r)
{
    const cz_prover *p = &e->o.prover;
    const uint64_t start = cz_clock_ns();
    char amount[CZ_AMOUNT_BYTES];
    cz_err err;

    r->state = KEYS_HEATING;
    begin(e);
    err = p->ops->keys_heat(p->ctx, r->keys);
    end(e);
    r->load_ns += cz_clock_ns() - start;
    r->state = err == CZ_OK ? KEYS_HOT : KEYS_WARM;
    r->used_ns = r->hot_ns = cz_clock_ns();
    if (err != CZ_OK) {
        free_reservation(e, r);
        cz_resident_fail(e, r, err);
        return;
    }
    e->counters.keys_loads++;
    cz_preloads_settle(e, r, CZ_OK);
    cz_log(CZ_LOG_INFO, "parameters of %s are loaded: %s in %.2f s", r->circuit_id,
           cz_amount(amount, r->cost.hot_bytes), (double)r->load_ns / 1e9);
}

static void cool_keys(cz_engine *e, cz_resident *r)
{
    const cz_prover *p = &e->o.prover;

    r->state = KEYS_COOLING;
    begin(e);
    p->ops->keys_cool(p->ctx, r->keys);
    end(e);
    r->state = KEYS_WARM;
    r->cool_wanted = false;
    r->load_ns = 0;
    free_reservation(e, r);
}

static void close_keys(cz_engine *e, cz_resident *r)
{
    const cz_prover *p = &e->o.prover;
    cz_keys *keys = r->keys;

    r->state = KEYS_COOLING;
    r->keys = NULL;
    begin(e);
    p->ops->keys_close(p->ctx, keys);
    end(e);
    r->state = KEYS_COLD;
    r->close_wanted = r->cool_wanted = false;
    cz_evictions_settle(e, r, CZ_OK);
}

bool cz_step_trim(cz_engine *e)
{
    const cz_prover *p = &e->o.prover;

    if (!e->trim_wanted || e->trimming)
        return false;
    e->trimming = true;
    begin(e);
    p->ops->trim(p->ctx);
    end(e);
    e->trimming = e->trim_wanted = false;
    return true;
}

/* The search for keys to heat may have ordered something for a preload, or given one up. */
static bool has_ordered(const cz_engine *e)
{
    return (e->trim_wanted && !e->trimming) || e->told != NULL || next_to_cool(e) != NULL;
}

bool cz_step_loader(cz_engine *e)
{
    static void (*const steps[])(cz_engine *, cz_resident *) = {cool_keys, close_keys, heat_keys,
                                                                open_keys};
    cz_resident *r;
    size_t i = 0;

    if (cz_preloads_tell(e) || cz_step_trim(e))
        return true;
    if ((r = next_to_cool(e)) == NULL && ++i && (r = next_to_close(e)) == NULL && ++i &&
        (r = next_to_heat(e)) == NULL && ++i)
        r = next_to_open(e);
    if (r == NULL)
        return has_ordered(e);
    steps[i](e, r);
    return true;
}

/* --- finisher --- */

static bool drop_trash(cz_engine *e)
{
    const cz_prover *p = &e->o.prover;
    cz_epart *part = e->trash;

    if (part == NULL)
        return false;
    e->trash = part->next_trash;
    part->job->running++;
    begin(e);
    p->ops->witness_drop(p->ctx, part->witness);
    end(e);
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
    begin(e);
    err = p->ops->verify(p->ctx, part->job->work, part->job->keys->keys, part->k, part->proof,
                         part->job->trace);
    took = cz_clock_ns() - start;
    if (err == CZ_OK)
        tell_provers(part);
    end(e);
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
    begin(e);
    if (e->o.journal != NULL)
        err = cz_journal_finish(e->o.journal, &job->result);
    if (err != CZ_OK)
        cz_log_job(CZ_LOG_ERROR, job->id, job->request_id, cz_proof_kind_name(job->kind),
                   "its result is not kept: %s", cz_err_message());
    end(e);
    e->counters.journal_errors += err != CZ_OK;
    job->unkept = err != CZ_OK;
    move_to_ended(e, job);
    watchers = job->watchers;
    job->watchers = NULL;
    (void)pthread_cond_broadcast(&e->changed);
    begin(e);
    cz_watchers_tell(watchers, &job->result);
    end(e);
    job->running--;
    return true;
}

/* An ended job whose stages have all returned keeps its result and nothing else. */
static bool has_remains(const cz_ejob *job)
{
    return job->running == 0 &&
           (job->work != NULL || job->trace != NULL || job->request != NULL || job->reserved > 0);
}

static bool dispose(cz_engine *e)
{
    const cz_prover *p = &e->o.prover;
    cz_ejob *job = e->ended;

    while (job != NULL && !has_remains(job))
        job = job->next;
    if (job == NULL)
        return false;
    for (unsigned phase = 0; job->trace != NULL && phase < CZ_PHASE_COUNT; phase++)
        e->counters.phase_ms[phase] += cz_trace_total_ms(job->trace, (cz_phase)phase);
    job->running++;
    begin(e);
    if (job->work != NULL)
        p->ops->close(p->ctx, job->work);
    cz_trace_destroy(job->trace);
    cz_request_destroy(job->request);
    end(e);
    job->running--;
    job->work = NULL;
    job->trace = NULL;
    job->request = NULL;
    cz_budget_release(&e->budget, job->reserved);
    job->reserved = 0;
    return true;
}

bool cz_step_finisher(cz_engine *e)
{
    return drop_trash(e) || verify_part(e) || finish_job(e) || dispose(e);
}

/* --- clerk --- */

static void end_late_jobs(cz_engine *e, uint64_t now_ns, uint64_t *next_ns)
{
    for (cz_ejob *job = e->live; job != NULL; job = job->next) {
        if (job->deadline_ns == 0 || job->state == JOB_FINISHING)
            continue;
        if (job->deadline_ns <= now_ns)
            cz_ejob_end(e, job, CZ_JOB_TIMEOUT, CZ_E_CANCELLED, "the deadline has passed");
        else if (job->deadline_ns < *next_ns)
            *next_ns = job->deadline_ns;
    }
}

static void release_due_batches(cz_engine *e, uint64_t now_ns, uint64_t *next_ns)
{
    const uint64_t wait_ns = e->o.tuning.max_batch_wait_ms * 1000000;
    cz_flush_reason reason;
    unsigned batch;
    uint64_t due;

    while ((batch = cz_batcher_take_due(&e->batcher, e->o.tuning.max_batch_size, wait_ns, now_ns,
                                        &reason)) != 0) {
        cz_ejob_release_batch(e, batch, reason);
        (void)pthread_cond_broadcast(&e->work);
    }
    due = cz_batcher_next_ns(&e->batcher, wait_ns);
    if (due < *next_ns)
        *next_ns = due;
}

static bool has_witness(const cz_ejob *job)
{
    for (size_t k = 0; k < job->n_parts; k++)
        if (job->parts[k].witness != NULL)
            return true;
    return false;
}

/* What the journal has, the memory keeps only as long as displays show it. */
static uint64_t linger_ns(const cz_engine *e, const cz_ejob *job)
{
    const uint64_t keep = e->o.tuning.keep_results_ms * 1000000;
    const bool is_kept = e->o.journal != NULL && !job->unkept;

    return is_kept && keep > 30 * second_ns ? 30 * second_ns : keep;
}

static void forget_old_jobs(cz_engine *e, uint64_t now_ns)
{
    cz_ejob **at = &e->ended;

    while (*at != NULL) {
        cz_ejob *job = *at;

        if (now_ns - job->ended_ns < linger_ns(e, job) || job->running > 0 || job->refs > 0 ||
            has_remains(job) || has_witness(job)) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        e->n_ended--;
        cz_ejob_free(job);
    }
}

static void watch_workers(cz_engine *e, uint64_t now_ns)
{
    for (size_t i = 0; i < e->n_workers; i++) {
        cz_worker *w = &e->workers[i];

        if (w->job == NULL || w->stalled ||
            now_ns - w->since_ns < e->o.tuning.watchdog_ms * 1000000)
            continue;
        w->stalled = true;
        e->counters.stalls++;
        cz_log_job(CZ_LOG_ERROR, w->job->id, w->job->request_id, cz_proof_kind_name(w->job->kind),
                   "no progress for %.0f s: partition %u, stage %s",
                   (double)(now_ns - w->since_ns) / 1e9, w->partition, w->stage);
    }
}

/* What devices take depends on the time, too: who found nothing to do looks again. */
static void rouse_workers(cz_engine *e, uint64_t now_ns)
{
    if (e->n_live == 0 || now_ns - e->roused_ns < second_ns)
        return;
    e->roused_ns = now_ns;
    (void)pthread_cond_broadcast(&e->work);
}

static void prune_journal(cz_engine *e, uint64_t now_ns)
{
    const uint64_t keep_ms = e->o.tuning.keep_results_ms;

    if (e->o.journal == NULL || now_ns - e->pruned_ns < 60 * second_ns)
        return;
    e->pruned_ns = now_ns;
    begin(e);
    if (cz_journal_prune(e->o.journal, cz_wall_ms() - keep_ms) != CZ_OK)
        cz_log(CZ_LOG_WARN, "%s", cz_err_message());
    end(e);
}

/* Who is told that nothing can be accepted sends nothing: it would fail for ever. */
static void probe_journal(cz_engine *e, uint64_t now_ns)
{
    char why[CZ_JOURNAL_WHY_BYTES];

    if (e->o.journal == NULL || now_ns - e->probed_ns < 5 * second_ns ||
        !cz_journal_is_failing(e->o.journal, why))
        return;
    e->probed_ns = now_ns;
    begin(e);
    if (cz_journal_probe(e->o.journal) == CZ_OK)
        cz_log(CZ_LOG_INFO, "the journal can be written again");
    end(e);
}

uint64_t cz_step_clerk(cz_engine *e, uint64_t now_ns)
{
    uint64_t next_ns = now_ns + second_ns;

    release_due_batches(e, now_ns, &next_ns);
    end_late_jobs(e, now_ns, &next_ns);
    watch_workers(e, now_ns);
    rouse_workers(e, now_ns);
    forget_old_jobs(e, now_ns);
    prune_journal(e, now_ns);
    probe_journal(e, now_ns);
    return next_ns;
}
