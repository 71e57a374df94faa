/* submit.c: from a request to a job in the queue: who is it, can it be, is it written down. */
#define _GNU_SOURCE
#include "engine/submit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/bytes.h"
#include "base/log.h"
#include "engine/request_codec.h"
#include "hash/sha256.h"

enum {
    REQUESTS_SHARE = 4, /* of the budget, for requests without a journal */
    SMALL_REQUEST_BYTES = 4096
};

/* --- identity --- */

void cz_job_id(char out[CZ_JOB_ID_BYTES], const uint8_t content[32], const char *request_id)
{
    uint8_t digest[32];
    cz_sha256 hash;

    cz_sha256_init(&hash);
    cz_sha256_update(&hash, content, 32);
    cz_sha256_update(&hash, request_id, strlen(request_id));
    cz_sha256_final(&hash, digest);
    cz_hex_encode(out, digest, 16);
}

const char *cz_priority_name(unsigned priority)
{
    static const char *const names[] = {"unspecified", "low", "normal", "high", "critical"};

    return names[priority <= CZ_PRIORITY_CRITICAL ? priority : 0];
}

static unsigned priority_of(const cz_request *r)
{
    if (r->priority >= CZ_PRIORITY_LOW && r->priority <= CZ_PRIORITY_CRITICAL)
        return r->priority;
    if (r->priority != 0) /* unknown to us */
        return CZ_PRIORITY_NORMAL;
    if (r->kind == CZ_KIND_WINNING)
        return CZ_PRIORITY_CRITICAL;
    return r->kind == CZ_KIND_WINDOW ? CZ_PRIORITY_HIGH : CZ_PRIORITY_NORMAL;
}

static cz_ejob *new_job(const cz_request *r)
{
    const char *id = r->request_id == NULL ? "" : r->request_id;
    cz_ejob *job = calloc(1, sizeof *job);

    if (job == NULL)
        return NULL;
    job->request_id = strdup(id);
    if (job->request_id == NULL) {
        free(job);
        return NULL;
    }
    cz_request_content(job->content, r);
    cz_job_id(job->id, job->content, id);
    (void)memcpy(job->result.job_id, job->id, sizeof job->id);
    job->kind = job->result.kind = r->kind;
    job->priority = priority_of(r);
    job->accepted_ns = cz_clock_ns();
    return job;
}

/* --- joining --- */

static uint64_t deadline_of(const cz_submit_options *o)
{
    return o->timeout_ms == 0 ? 0 : cz_after_ms(o->timeout_ms);
}

static void attach(cz_ejob *job, const cz_submit_options *o)
{
    if (o->attached)
        job->attached++;
    else
        job->detached = true;
}

/* The later deadline counts, and none is the latest. */
static void extend_deadline(cz_ejob *job, uint64_t deadline_ns)
{
    if (deadline_ns == 0 || (job->deadline_ns != 0 && deadline_ns > job->deadline_ns))
        job->deadline_ns = deadline_ns;
}

static unsigned jobs_before(const cz_engine *e, const cz_ejob *job)
{
    unsigned n = 0;

    for (const cz_ejob *other = e->live; other != NULL && other != job; other = other->next)
        n++;
    return job->state == JOB_ENDED ? 0 : n;
}

static void fill_reply(const cz_engine *e, const cz_ejob *job, bool joined, cz_submit_reply *out)
{
    (void)memcpy(out->job_id, job->id, sizeof out->job_id);
    out->joined = joined;
    out->run = job->seq;
    out->n_before = jobs_before(e, job);
    out->backend = cz_engine_only_backend(e);
}

static void leave_batch(cz_engine *e, cz_ejob *job)
{
    cz_batcher_remove(&e->batcher, job->batch);
    job->batch = 0;
    job->state = JOB_QUEUED;
    (void)pthread_cond_broadcast(&e->work);
}

static bool is_ending(const cz_ejob *job)
{
    return job->state >= JOB_FINISHING || job->end_wanted;
}

/* A job that can still give what is asked for, or has it. */
static cz_ejob *find_equal(const cz_engine *e, const char *id)
{
    cz_ejob *job = cz_ejob_find(e, id);

    if (job != NULL && is_ending(job) && job->result.status != CZ_JOB_COMPLETED)
        return NULL;
    return job;
}

/* Its submitter may still be writing the journal, or it ends. */
static bool is_undecided(const cz_ejob *job)
{
    return job->state == JOB_ACCEPTING || (is_ending(job) && job->state != JOB_ENDED);
}

/* Until it is known whether an equal request that came first can be joined. If not, this one runs
 * as if that had never been: a second run of an id needs the first out of the way, so the first
 * loses its name. */
static void wait_for_equal(cz_engine *e, const char *id)
{
    cz_ejob *job;

    while ((job = cz_ejob_find(e, id)) != NULL && is_undecided(job) && !e->stopping)
        (void)pthread_cond_wait(&e->changed, &e->lock);
    if (job != NULL && job->state == JOB_ENDED && job->result.status != CZ_JOB_COMPLETED)
        job->id[0] = '\0';
}

/* What was found out about a request before the lock was taken, or with it. */
typedef enum {
    KNOWN,    /* a live or ended job has it */
    DONE,     /* the journal has its proof; the job holds it */
    ADMITTED, /* it can be a job */
    GONE,     /* KNOWN, but that job failed meanwhile: look again */
    RAISED    /* KNOWN, and more urgent now than the journal says */
} standing;

static void join(cz_engine *e, cz_ejob *job, const cz_ejob *fresh, standing *s,
                 const cz_submit_options *o, cz_submit_reply *out)
{
    attach(job, o);
    extend_deadline(job, deadline_of(o));
    *s = fresh->priority > job->priority && !is_ending(job) ? RAISED : KNOWN;
    cz_ejob_raise(e, job, fresh->priority);
    if (job->batch != 0 && job->priority > CZ_PRIORITY_NORMAL)
        leave_batch(e, job);
    e->counters.joined[job->kind]++;
    fill_reply(e, job, true, out);
}

/* --- admission --- */

static cz_err check_open(const cz_engine *e)
{
    if (e->stopping)
        return cz_fail(CZ_E_CANCELLED, "the engine is stopping");
    if (e->draining)
        return cz_fail(CZ_E_CANCELLED, "the engine is draining, %zu jobs are left", e->n_live);
    return CZ_OK;
}

static cz_err check_queue(const cz_engine *e)
{
    if (e->n_live >= e->o.tuning.max_queue)
        return cz_fail(CZ_E_DECLINED, "the queue is full: %zu jobs; try again later", e->n_live);
    return CZ_OK;
}

/* Of a request that memory alone will have until its job has ended. The length of the queue is
 * bound enough for small ones. */
static uint64_t bytes_in_memory(const cz_engine *e, const cz_request *request)
{
    const uint64_t n = cz_request_bytes(request);

    return e->o.journal == NULL && n > SMALL_REQUEST_BYTES ? n : 0;
}

/* No reservation has them before their job is opened, so they have a share of their own; a first
 * one always fits. */
static cz_err check_room(const cz_engine *e, const cz_request *request)
{
    const uint64_t share = e->budget.total / REQUESTS_SHARE, n = bytes_in_memory(e, request);
    char amount[CZ_AMOUNT_BYTES];

    if (n == 0 || e->request_bytes == 0 || e->request_bytes + n <= share)
        return CZ_OK;
    return cz_fail(CZ_E_DECLINED,
                   "there is no journal, so accepted requests stay in memory, where they may take "
                   "%s; try again later",
                   cz_amount(amount, share));
}

static cz_err check_size(const cz_engine *e, const cz_admission *a)
{
    const uint64_t needed = a->open_bytes > a->work_bytes + a->keys_bytes + a->part_bytes
                                ? a->open_bytes
                                : a->work_bytes + a->keys_bytes + a->part_bytes;
    char amount[2][CZ_AMOUNT_BYTES];

    if (needed <= e->budget.total)
        return CZ_OK;
    return cz_fail(CZ_E_NOMEM, "%s: needs %s of memory for one partition, the budget is %s",
                   a->circuit_id, cz_amount(amount[0], needed),
                   cz_amount(amount[1], e->budget.total));
}

static cz_err admit(cz_engine *e, const cz_request *request, cz_ejob *job)
{
    const cz_prover *p = &e->o.prover;

    CZ_TRY(p->ops->admit(p->ctx, request, &job->admission));
    return check_size(e, &job->admission);
}

/* --- writing down --- */

static cz_err write_down(cz_engine *e, const cz_ejob *job, const cz_request *request)
{
    cz_journal_entry entry = {
        .request_id = job->request_id,
        .kind = job->kind,
        .priority = job->priority,
        .accepted_ms = cz_wall_ms(),
    };

    if (e->o.journal == NULL)
        return CZ_OK;
    (void)memcpy(entry.job_id, job->id, sizeof entry.job_id);
    (void)memcpy(entry.content, job->content, sizeof entry.content);
    return cz_journal_accept(e->o.journal, &entry, request);
}

/* --- a new job --- */

static cz_err enter_list(cz_engine *e, cz_ejob *job)
{
    if (job->admission.circuit_id[0] != '\0' &&
        (job->keys = cz_resident_get(e, job->admission.circuit_id)) == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a job");
    job->seq = ++e->next_seq;
    job->state = JOB_ACCEPTING;
    cz_ejob_insert(e, job);
    return CZ_OK;
}

/* It was written down: it is a job. Cancelled meanwhile, it ends now. */
static void go_on(cz_engine *e, cz_ejob *job, cz_request *request)
{
    e->counters.accepted[job->kind]++;
    if (e->o.journal == NULL)
        job->request = request;
    if (job->end_wanted) {
        job->end_wanted = false;
        job->state = JOB_FINISHING;
        (void)pthread_cond_broadcast(&e->work);
    } else {
        cz_ejob_enqueue(e, job, cz_clock_ns());
    }
}

static void log_accepted(const cz_ejob *job)
{
    cz_log_job(CZ_LOG_INFO, job->id, job->request_id, cz_proof_kind_name(job->kind),
               "accepted, priority %s", cz_priority_name(job->priority));
}

static void push_ended(cz_engine *e, cz_ejob *job)
{
    job->next = e->ended;
    e->ended = job;
    e->n_ended++;
}

/* It could not be written down. To callers that came by its id meanwhile it is a job that failed;
 * it stays in memory for them, without its name. */
static void fail_accepting(cz_engine *e, cz_ejob *job, cz_err code)
{
    cz_watcher *watchers = job->watchers;

    cz_ejob_unlink(e, job);
    if (watchers == NULL && job->refs == 0) {
        cz_ejob_free(job);
        return;
    }
    if (!job->end_wanted) {
        job->result.status = CZ_JOB_FAILED;
        job->result.code = code;
        cz_result_set_error(&job->result, cz_err_message());
    }
    job->id[0] = '\0';
    job->watchers = NULL;
    job->state = JOB_ENDED;
    job->ended_ns = cz_clock_ns();
    push_ended(e, job);
    job->running++;
    (void)pthread_mutex_unlock(&e->lock);
    cz_watchers_tell(watchers, &job->result);
    (void)pthread_mutex_lock(&e->lock);
    job->running--;
}

/* With the lock; `job` is used up. */
static cz_err accept_locked(cz_engine *e, cz_ejob *job, cz_request **request,
                            const cz_submit_options *o, cz_submit_reply *out)
{
    cz_err err = enter_list(e, job);

    if (err != CZ_OK) {
        cz_ejob_free(job);
        return err;
    }
    attach(job, o);
    job->deadline_ns = deadline_of(o);
    job->request_bytes = bytes_in_memory(e, *request); /* then nothing fails below */
    e->request_bytes += job->request_bytes;
    (void)pthread_mutex_unlock(&e->lock);
    err = write_down(e, job, *request);
    (void)pthread_mutex_lock(&e->lock);
    if (err == CZ_OK) {
        go_on(e, job, *request);
        if (e->o.journal == NULL)
            *request = NULL;
        fill_reply(e, job, false, out);
        log_accepted(job);
    } else {
        e->counters.journal_errors++;
        fail_accepting(e, job, err);
    }
    (void)pthread_cond_broadcast(&e->changed);
    return err;
}

/* --- the journal's results --- */

static void say_not_used(const cz_ejob *job)
{
    cz_log_job(CZ_LOG_WARN, job->id, job->request_id, cz_proof_kind_name(job->kind),
               "a proof of an equal request is not given again: %s", cz_err_message());
}

/* A finished proof of an equal request becomes an ended job in memory, so that callers find it. One
 * that may not leave stays where it is until another replaces it. */
static bool adopt_result(cz_engine *e, cz_ejob *job)
{
    cz_result result;
    cz_err err;

    if (e->o.journal == NULL)
        return false;
    err = cz_kept_find(e, job->id, &result);
    if (err != CZ_OK && err != CZ_E_NOTFOUND)
        say_not_used(job);
    if (err != CZ_OK)
        return false;
    if (result.status != CZ_JOB_COMPLETED) {
        cz_result_clear(&result);
        return false;
    }
    cz_result_clear(&job->result);
    job->result = result;
    job->state = JOB_ENDED;
    job->ended_ns = cz_clock_ns();
    return true;
}

/* --- submit --- */

/* Not its proof, nor its error. */
static cz_result outline(const cz_result *result)
{
    cz_result copy = *result;

    copy.proof = NULL;
    copy.error = NULL;
    return copy;
}

static void drop_name(cz_engine *e, const char *id, uint64_t run)
{
    cz_ejob *job;

    (void)pthread_mutex_lock(&e->lock);
    job = cz_ejob_find(e, id);
    if (job != NULL && job->state == JOB_ENDED && job->seq == run)
        job->id[0] = '\0';
    (void)pthread_mutex_unlock(&e->lock);
}

/* An ended job counts as long as its proof may leave. */
static bool is_known(cz_engine *e, const cz_ejob *job)
{
    cz_result kept = {.status = CZ_JOB_UNKNOWN};
    const cz_ejob *equal;
    uint64_t run = 0;

    (void)pthread_mutex_lock(&e->lock);
    equal = find_equal(e, job->id);
    if (equal != NULL && equal->state == JOB_ENDED) {
        kept = outline(&equal->result);
        run = equal->seq;
    }
    (void)pthread_mutex_unlock(&e->lock);
    if (equal == NULL || cz_kept_check(e, &kept) == CZ_OK)
        return equal != NULL;
    say_not_used(job);
    drop_name(e, job->id, run);
    return false;
}

static cz_err look(cz_engine *e, const cz_request *request, cz_ejob *job, standing *s)
{
    *s = KNOWN;
    if (is_known(e, job))
        return CZ_OK;
    *s = adopt_result(e, job) ? DONE : ADMITTED;
    return *s == DONE ? CZ_OK : admit(e, request, job);
}

/* With the lock; takes over `*job` unless it leaves it there. */
static cz_err place(cz_engine *e, cz_ejob **job, cz_request **request, standing *s,
                    const cz_submit_options *o, cz_submit_reply *out)
{
    cz_ejob *fresh = *job, *equal;

    wait_for_equal(e, fresh->id);
    if (e->stopping) /* and an equal one may still be undecided */
        return check_open(e);
    equal = find_equal(e, fresh->id);
    if (equal != NULL) {
        join(e, equal, fresh, s, o, out);
        return CZ_OK;
    }
    if (*s == KNOWN) {
        *s = GONE;
        return CZ_OK;
    }
    *job = NULL;
    if (*s == DONE) {
        push_ended(e, fresh);
        attach(fresh, o);
        e->counters.joined[fresh->kind]++;
        fill_reply(e, fresh, true, out);
        return CZ_OK;
    }
    *job = fresh;
    CZ_TRY(check_open(e));
    CZ_TRY(check_queue(e));
    CZ_TRY(check_room(e, *request));
    *job = NULL;
    return accept_locked(e, fresh, request, o, out);
}

/* The job goes on without, only not as soon after a restart. */
static void keep_priority(cz_engine *e, const cz_ejob *fresh)
{
    if (e->o.journal == NULL || cz_journal_raise(e->o.journal, fresh->id, fresh->priority) == CZ_OK)
        return;
    cz_log_job(CZ_LOG_WARN, fresh->id, fresh->request_id, cz_proof_kind_name(fresh->kind),
               "its higher priority is not kept: %s", cz_err_message());
    (void)pthread_mutex_lock(&e->lock);
    e->counters.journal_errors++;
    (void)pthread_mutex_unlock(&e->lock);
}

static cz_err look_and_place(cz_engine *e, cz_ejob **job, cz_request **request,
                             const cz_submit_options *o, cz_submit_reply *out)
{
    standing s;

    do {
        cz_err err;

        CZ_TRY(look(e, *request, *job, &s));
        (void)pthread_mutex_lock(&e->lock);
        err = place(e, job, request, &s, o, out);
        (void)pthread_mutex_unlock(&e->lock);
        CZ_TRY(err);
    } while (s == GONE);
    if (s == RAISED)
        keep_priority(e, *job);
    return CZ_OK;
}

static cz_err submit(cz_engine *e, cz_request **request, const cz_submit_options *o,
                     cz_submit_reply *out)
{
    cz_ejob *job = new_job(*request);
    cz_err err;

    if (job == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a job");
    err = look_and_place(e, &job, request, o, out);
    if (job != NULL)
        cz_ejob_free(job);
    return err;
}

cz_err cz_engine_submit(cz_engine *e, cz_request *request, const cz_submit_options *options,
                        cz_submit_reply *out)
{
    const cz_err err = submit(e, &request, options, out);

    cz_request_destroy(request);
    if (err != CZ_OK) {
        (void)pthread_mutex_lock(&e->lock);
        e->counters.refused++;
        (void)pthread_mutex_unlock(&e->lock);
    }
    return err;
}

/* --- recovery --- */

typedef struct {
    cz_ejob *first, **last;
} recovered;

/* A later program's, or damage: it stays where it is. */
static cz_err leave_alone(const cz_journal_entry *entry)
{
    cz_log(CZ_LOG_WARN, "journal: job %s is of proof kind %u, which is unknown: it is left alone",
           entry->job_id, (unsigned)entry->kind);
    return CZ_OK;
}

static cz_err note_unfinished(void *ctx, const cz_journal_entry *entry)
{
    const cz_request shape = {
        .request_id = (char *)(uintptr_t)entry->request_id,
        .kind = entry->kind,
        .priority = entry->priority,
    };
    recovered *list = ctx;
    cz_ejob *job;

    if ((unsigned)entry->kind == 0 || (unsigned)entry->kind >= CZ_KINDS)
        return leave_alone(entry);
    job = new_job(&shape);
    if (job == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the journal's jobs");
    (void)memcpy(job->id, entry->job_id, sizeof job->id);
    (void)memcpy(job->result.job_id, entry->job_id, sizeof job->id);
    (void)memcpy(job->content, entry->content, sizeof job->content);
    job->detached = true;
    *list->last = job;
    list->last = &job->next;
    return CZ_OK;
}

/* Its input is hashed when the job is opened: here it would keep all others from starting. */
static cz_err admit_recovered(cz_engine *e, cz_ejob *job)
{
    cz_request *request;
    cz_err err;

    CZ_TRY(cz_journal_shape(e->o.journal, job->id, &request));
    err = admit(e, request, job);
    cz_request_destroy(request);
    return err;
}

/* A job that can no longer be run fails in the ordinary way. */
static cz_err take_up(cz_engine *e, cz_ejob *job)
{
    const cz_err refused = admit_recovered(e, job);
    char message[512];

    (void)snprintf(message, sizeof message, "after a restart: %s", cz_err_message());
    if (refused != CZ_OK)
        job->admission = (cz_admission){0};
    if (enter_list(e, job) != CZ_OK) {
        cz_ejob_free(job);
        return CZ_E_NOMEM;
    }
    go_on(e, job, NULL);
    if (refused != CZ_OK)
        cz_ejob_end(e, job, CZ_JOB_FAILED, refused, message);
    return CZ_OK;
}

cz_err cz_engine_recover(cz_engine *e)
{
    recovered list = {NULL, &list.first};
    cz_err err = cz_journal_unfinished(e->o.journal, note_unfinished, &list);
    size_t n = 0;

    while (list.first != NULL) {
        cz_ejob *job = list.first;

        list.first = job->next;
        job->next = NULL;
        if (err == CZ_OK)
            err = take_up(e, job);
        else
            cz_ejob_free(job);
        n++;
    }
    if (n > 0)
        cz_log(CZ_LOG_INFO, "%zu jobs of the journal go on", n);
    return err;
}
