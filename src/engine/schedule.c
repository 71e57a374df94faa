/* schedule.c: what to do next. Walks the live jobs in their order; the first that can go, goes. */
#include "engine/engine_state.h"

enum {
    MAX_OVERTAKEN = 32, /* partitions that sort_by_type lets go before an older job */
    REST_MS = 10000     /* about what loading the largest parameters takes */
};

/* --- how much may wait between the stages --- */

/* Who will prove a witness: devices, or the spare backend alone. What waits for one of them is no
 * reason to let the other rest. */
typedef enum { FOR_DEVICES, FOR_SPARE, SIDES } side;

static side side_of(const cz_engine *e, const cz_epart *part)
{
    return cz_epart_needs_spare(e, part) ? FOR_SPARE : FOR_DEVICES;
}

static unsigned witnesses_of(const cz_engine *e, const cz_ejob *job, side s)
{
    unsigned n = 0;

    if (job->n_in[PART_SYNTHESIZING] + job->n_in[PART_SYNTHESIZED] == 0)
        return 0;
    for (size_t k = 0; k < job->n_parts; k++) {
        const cz_epart *part = &job->parts[k];

        n += (part->state == PART_SYNTHESIZING || part->state == PART_SYNTHESIZED) &&
             side_of(e, part) == s;
    }
    return n;
}

static unsigned witnesses_at_least(const cz_engine *e, unsigned priority, side s)
{
    unsigned n = 0;

    for (const cz_ejob *job = e->live; job != NULL && job->priority >= priority; job = job->next)
        n += witnesses_of(e, job, s);
    return n;
}

static unsigned proving_at_least(const cz_engine *e, unsigned priority, side s)
{
    unsigned n = 0;

    for (const cz_ejob *job = e->live; job != NULL && job->priority >= priority; job = job->next)
        for (size_t k = 0; k < job->n_parts; k++)
            n += job->parts[k].state == PART_PROVING &&
                 job->parts[k].proved_by->spare == (s == FOR_SPARE);
    return n;
}

static unsigned proving_workers(const cz_engine *e, side s)
{
    unsigned n = 0;

    for (size_t i = e->n_synthesis; i < e->n_workers; i++)
        n += e->workers[i].backend->spare == (s == FOR_SPARE);
    return n > 0 ? n : 1;
}

static unsigned largest(unsigned a, unsigned b, unsigned c)
{
    const unsigned larger = a > b ? a : b;

    return larger > c ? larger : c;
}

/* Less urgent partitions do not count: they would make an urgent one wait. Every device finds as
 * many as it takes at once. */
static bool may_synthesize(const cz_engine *e, const cz_ejob *job, side s)
{
    const unsigned witnesses = witnesses_at_least(e, job->priority, s);

    if (!e->o.pipelined || e->o.lookahead == 0)
        return witnesses + proving_at_least(e, job->priority, s) < proving_workers(e, s);
    return witnesses < largest(e->o.lookahead, e->o.synthesis_workers,
                               s == FOR_DEVICES ? cz_serving_width(e, job) : 0);
}

/* --- memory --- */

/* `reuses` of these are idle memory, unless that is given back to make room. */
static bool fits(cz_engine *e, uint64_t bytes, uint64_t reuses, unsigned priority, uint64_t now_ns)
{
    if (bytes <= cz_budget_free(&e->budget) + reuses)
        return true;
    (void)cz_resident_make_room(e, bytes, priority, now_ns);
    e->waits_for = "memory";
    e->waits_for_bytes = bytes - cz_budget_free(&e->budget);
    return false;
}

/* Nothing runs, nothing waits between stages, no keys are on their way out: no memory will come
 * free by itself. */
static bool is_still(const cz_engine *e)
{
    if (e->running > 0 || e->trash != NULL || e->trim_wanted)
        return false;
    for (const cz_resident *r = e->residents; r != NULL; r = r->next)
        if (r->cool_wanted || r->state == KEYS_HEATING)
            return false;
    for (const cz_ejob *job = e->live; job != NULL; job = job->next)
        if (job->n_in[PART_SYNTHESIZED] + job->n_in[PART_PROVED] > 0 || job->state == JOB_FINISHING)
            return false;
    return true;
}

/* The least urgent opened job, whose work can be made again from its request. */
static cz_ejob *last_opened(const cz_engine *e, const cz_ejob *except)
{
    cz_ejob *last = NULL;

    for (cz_ejob *job = e->live; job != NULL; job = job->next)
        if (job != except && job->state == JOB_ACTIVE && job->work != NULL && job->running == 0)
            last = job;
    return last;
}

/* --- the walk --- */

/* full: enough witnesses wait on that side. */
static cz_epart *first_pending(const cz_engine *e, const cz_ejob *job, bool full[SIDES])
{
    for (size_t k = 0; k < job->n_parts && !(full[FOR_DEVICES] && full[FOR_SPARE]); k++) {
        cz_epart *part = &job->parts[k];
        side s;

        if (part->state != PART_PENDING)
            continue;
        s = side_of(e, part);
        full[s] = full[s] || !may_synthesize(e, job, s);
        if (!full[s])
            return part;
    }
    return NULL;
}

static bool keys_are_open(const cz_ejob *job)
{
    return job->keys->state == KEYS_WARM || job->keys->state == KEYS_HEATING ||
           job->keys->state == KEYS_HOT;
}

static bool can_go(const cz_ejob *job)
{
    return job->state == JOB_ACTIVE && job->n_in[PART_PENDING] > 0 && keys_are_open(job) &&
           !job->keys->cool_wanted;
}

/* Where the circuit is known, its keys are looked at first: they may turn out to be missing. */
static bool waits_to_open(const cz_ejob *job)
{
    return job->state == JOB_QUEUED && job->running == 0 && job->work == NULL &&
           (job->keys == NULL || (keys_are_open(job) && !job->keys->cool_wanted));
}

/* Opened jobs, at least so urgent, of which nothing has started. As many as there are workers are
 * enough to have the next at hand; more would only hold memory. */
static unsigned opened_ahead(const cz_engine *e, unsigned priority)
{
    unsigned n = 0;

    for (const cz_ejob *job = e->live; job != NULL && job->priority >= priority; job = job->next)
        n += job->state == JOB_OPENING ||
             (job->state == JOB_ACTIVE && job->n_in[PART_PENDING] == job->n_parts);
    return n;
}

/* sort_by_type: a job whose keys would have to be loaded lets jobs of the same priority go first
 * whose keys are hot, for a bounded number of partitions. */
static cz_epart *prefer_hot(const cz_engine *e, cz_epart *part, bool full[SIDES])
{
    cz_ejob *first = part->job;
    cz_epart *hot;

    if (!e->o.tuning.sort_by_type || first->priority != CZ_PRIORITY_NORMAL ||
        first->keys->state == KEYS_HOT || first->keys->state == KEYS_HEATING ||
        first->overtaken >= MAX_OVERTAKEN)
        return part;
    for (cz_ejob *job = first->next; job != NULL && job->priority == first->priority;
         job = job->next)
        if (can_go(job) && job->keys->state == KEYS_HOT &&
            (hot = first_pending(e, job, full)) != NULL) {
            first->overtaken++;
            return hot;
        }
    return part;
}

static uint64_t part_needs(const cz_engine *e, const cz_epart *part)
{
    const cz_resident *keys = part->job->keys;

    return cz_epart_bytes(e, part) + (keys->reserved ? 0 : keys->cost.hot_bytes);
}

/* What did may not any more: a partition that falls to the host takes more, and parameters that are
 * kept may have come since. */
static bool can_ever_fit(const cz_engine *e, const cz_epart *part)
{
    const uint64_t bytes = cz_epart_bytes(e, part) + part->job->admission.work_bytes;

    return cz_resident_check_size(e, part->job->keys, bytes) == CZ_OK;
}

static cz_action synthesize(cz_engine *e, cz_epart *first, bool full[SIDES], uint64_t now_ns)
{
    cz_epart *part = prefer_hot(e, first, full);
    cz_ejob *job = part->job;

    if (!can_ever_fit(e, part))
        return (cz_action){ACT_REFUSE, job, part};
    if (!fits(e, part_needs(e, part), cz_epart_reuses(e, part), job->priority, now_ns))
        return (cz_action){ACT_NONE, job, NULL};
    return (cz_action){ACT_SYNTHESIZE, job, part};
}

static cz_action open_job(cz_engine *e, cz_ejob *job, uint64_t now_ns)
{
    if (cz_resident_check_opening(e, job->admission.open_bytes) != CZ_OK)
        return (cz_action){ACT_REFUSE, job, NULL};
    if (!fits(e, job->admission.open_bytes, 0, job->priority, now_ns))
        return (cz_action){ACT_NONE, job, NULL};
    return (cz_action){ACT_OPEN, job, NULL};
}

cz_action cz_schedule_synthesis(cz_engine *e, uint64_t now_ns)
{
    cz_ejob *blocked = NULL; /* the first that memory holds up */
    bool full[SIDES] = {false, false};

    cz_engine_count_idle(e);
    e->waits_for = "";
    e->waits_for_bytes = 0;
    for (cz_ejob *job = e->live; job != NULL; job = job->next) {
        cz_action action = {ACT_NONE, NULL, NULL};
        cz_epart *part = can_go(job) ? first_pending(e, job, full) : NULL;

        if (part != NULL)
            action = synthesize(e, part, full, now_ns);
        else if (blocked == NULL && waits_to_open(job) &&
                 opened_ahead(e, job->priority) < e->o.synthesis_workers)
            action = open_job(e, job, now_ns);
        else
            continue;
        if (action.what != ACT_NONE)
            return action;
        /* What does not fit holds up what comes after it, or it would wait for ever. But when
         * nothing is left that will free memory, what comes after it may go. */
        if (!is_still(e))
            return action;
        blocked = blocked == NULL ? job : blocked;
    }
    if (blocked != NULL && (blocked = last_opened(e, blocked)) != NULL)
        return (cz_action){ACT_CLOSE, blocked, NULL};
    if (full[FOR_DEVICES] || full[FOR_SPARE])
        e->waits_for = "provers";
    return (cz_action){ACT_NONE, NULL, NULL};
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A partition stays with the devices that have its keys. While these are busy, one that has rested
 * for longer than loading takes may load them too, and at any time for the most urgent. */
static bool is_for_others(const cz_engine *e, const cz_worker *w, const cz_epart *part,
                          uint64_t now_ns)
{
    const bool may_load = now_ns - w->idle_ns >= (uint64_t)REST_MS * 1000000 ||
                          part->job->priority >= CZ_PRIORITY_CRITICAL;

    return cz_backend_is_stranger(e, w->backend, part) &&
           (!may_load || cz_epart_is_taken_at_once(e, part));
}

/* Those of a job that the worker's backend takes; how many of `parts` are then filled. Beside one
 * that makes it load the keys others may go. */
static size_t take_from(const cz_engine *e, const cz_worker *w, cz_ejob *job, cz_epart **parts,
                        size_t n, size_t max, uint64_t now_ns)
{
    for (size_t k = 0; k < job->n_parts && n < max; k++) {
        cz_epart *part = &job->parts[k];

        if (part->state == PART_SYNTHESIZED && cz_backend_takes(e, w->backend, part) &&
            (n > 0 || !is_for_others(e, w, part, now_ns)))
            parts[n++] = part;
    }
    return n;
}

/* A batch is of one circuit and one priority: nothing urgent waits for what is less so. */
static bool go_together(const cz_ejob *a, const cz_ejob *b)
{
    return a->keys == b->keys && a->priority == b->priority;
}

/* Witnesses that wait and could go with this job's. */
static size_t waiting_with(const cz_engine *e, const cz_ejob *job)
{
    size_t n = 0;

    for (const cz_ejob *other = e->live; other != NULL; other = other->next)
        if (other->n_in[PART_SYNTHESIZED] > 0 && go_together(job, other))
            n += other->n_in[PART_SYNTHESIZED];
    return n;
}

size_t cz_schedule_proving(cz_engine *e, const cz_worker *w, cz_epart **parts, size_t max,
                           uint64_t now_ns)
{
    const cz_ejob *first = NULL;
    size_t n = 0, limit = max;

    for (cz_ejob *job = e->live; job != NULL && (n == 0 || n < limit); job = job->next) {
        if (job->n_in[PART_SYNTHESIZED] == 0 || job->keys->state != KEYS_HOT ||
            (first != NULL && !go_together(job, first)))
            continue;
        if (first == NULL)
            limit = smaller(max, cz_backend_capacity(w->backend, job));
        n = take_from(e, w, job, parts, n, limit, now_ns);
        first = n > 0 ? job : NULL;
    }
    if (n > 1)
        n = cz_serving_share(e, w, parts[0], waiting_with(e, first), n, now_ns);
    return n;
}
