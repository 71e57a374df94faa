/* step_clerk.c: the clerk watches the clock: deadlines, batches that are due, workers that hang,
 * jobs that are forgotten. */
#define _GNU_SOURCE
#include "base/log.h"
#include "engine/engine_state.h"

static const uint64_t second_ns = 1000000000;

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
            cz_ejob_has_remains(job) || has_witness(job)) {
            at = &job->next;
            continue;
        }
        *at = job->next;
        e->n_ended--;
        cz_ejob_free(job);
    }
}

static void say_stalled(const cz_worker *w, uint64_t now_ns)
{
    const double since_s = (double)(now_ns - w->since_ns) / 1e9;

    if (w->job != NULL)
        cz_log_job(CZ_LOG_ERROR, w->job->id, w->job->request_id, cz_proof_kind_name(w->job->kind),
                   "no progress for %.0f s: partition %u, stage %s", since_s, w->partition,
                   w->stage);
    else
        cz_log(CZ_LOG_ERROR, "no progress for %.0f s: parameters of %s, on %s %u", since_s,
               w->loads->circuit_id, w->backend->name, w->backend->device);
}

static void watch_workers(cz_engine *e, uint64_t now_ns)
{
    for (size_t i = 0; i < e->n_workers; i++) {
        cz_worker *w = &e->workers[i];

        if ((w->job == NULL && w->loads == NULL) || w->stalled ||
            now_ns - w->since_ns < e->o.tuning.watchdog_ms * 1000000)
            continue;
        w->stalled = true;
        e->counters.stalls++;
        say_stalled(w, now_ns);
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
    cz_engine_begin(e);
    if (cz_journal_prune(e->o.journal, cz_wall_ms() - keep_ms) != CZ_OK)
        cz_log(CZ_LOG_WARN, "%s", cz_err_message());
    cz_engine_end(e);
}

/* Who is told that nothing can be accepted sends nothing: it would fail for ever. */
static void probe_journal(cz_engine *e, uint64_t now_ns)
{
    char why[CZ_JOURNAL_WHY_BYTES];

    if (e->o.journal == NULL || now_ns - e->probed_ns < 5 * second_ns ||
        !cz_journal_is_failing(e->o.journal, why))
        return;
    e->probed_ns = now_ns;
    cz_engine_begin(e);
    if (cz_journal_probe(e->o.journal) == CZ_OK)
        cz_log(CZ_LOG_INFO, "the journal can be written again");
    cz_engine_end(e);
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
