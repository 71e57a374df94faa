/* residents.c: keys in memory: which are there, who goes first when memory is short. Loading
 * itself is the loader's (step_loader.c). All under engine.lock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/log.h"
#include "engine/engine_state.h"

static bool is_kept(const cz_engine *e, const char *circuit_id)
{
    for (size_t i = 0; i < e->o.n_keep; i++)
        if (strcmp(e->keep[i], circuit_id) == 0)
            return true;
    return false;
}

cz_resident *cz_resident_get(cz_engine *e, const char *circuit_id)
{
    cz_resident *r;

    for (r = e->residents; r != NULL; r = r->next)
        if (strcmp(r->circuit_id, circuit_id) == 0)
            return r;
    r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    (void)snprintf(r->circuit_id, sizeof r->circuit_id, "%s", circuit_id);
    r->keep = is_kept(e, circuit_id);
    r->next = e->residents;
    e->residents = r;
    return r;
}

void cz_resident_fail_preloads(cz_engine *e, cz_resident *r, cz_err code)
{
    r->failures++;
    r->error = code;
    (void)snprintf(r->message, sizeof r->message, "%s", cz_err_message());
    cz_preloads_settle(e, r, code);
    r->preloads = 0; /* who waits for it sees `failures` change */
    e->counters.keys_load_failures++;
    (void)pthread_cond_broadcast(&e->changed);
}

void cz_resident_fail(cz_engine *e, cz_resident *r, cz_err code)
{
    cz_resident_fail_preloads(e, r, code);
    for (cz_ejob *job = e->live; job != NULL; job = job->next)
        if (job->keys == r)
            cz_ejob_end(e, job, CZ_JOB_FAILED, code, r->message);
}

void cz_resident_become_hot(cz_engine *e, cz_resident *r)
{
    char amount[CZ_AMOUNT_BYTES];

    r->state = KEYS_HOT;
    r->used_ns = r->hot_ns = cz_clock_ns();
    r->load_ns += r->hot_ns - r->heated_ns;
    e->counters.keys_loads++;
    cz_preloads_settle(e, r, CZ_OK);
    cz_log(CZ_LOG_INFO, "parameters of %s are loaded: %s in %.2f s", r->circuit_id,
           cz_amount(amount, r->cost.hot_bytes), (double)r->load_ns / 1e9);
    (void)pthread_cond_broadcast(&e->work);
    (void)pthread_cond_broadcast(&e->changed);
}

/* Unless somebody has asked for their eviction. */
static uint64_t kept_by_others(const cz_engine *e, const cz_resident *r)
{
    uint64_t bytes = 0;

    for (const cz_resident *other = e->residents; other != NULL; other = other->next)
        if (other != r && other->keep && other->reserved && !other->cool_wanted)
            bytes += other->cost.hot_bytes;
    return bytes;
}

uint64_t cz_resident_least_bytes(const cz_resident *r)
{
    const bool on_device = r->cost.device_bytes != 0 && r->cost.device_bytes < r->cost.part_bytes;

    return on_device ? r->cost.device_bytes : r->cost.part_bytes;
}

cz_err cz_resident_check_size(const cz_engine *e, const cz_resident *r, uint64_t part_bytes)
{
    const uint64_t needed = r->cost.hot_bytes + part_bytes;
    const uint64_t kept = kept_by_others(e, r);
    char amount[3][CZ_AMOUNT_BYTES];

    if (needed + kept <= e->budget.total)
        return CZ_OK;
    return cz_fail(CZ_E_NOMEM,
                   "%s needs %s of memory for one partition; the budget is %s, of which %s are "
                   "kept for other circuits",
                   r->circuit_id, cz_amount(amount[0], needed),
                   cz_amount(amount[1], e->budget.total), cz_amount(amount[2], kept));
}

cz_err cz_resident_check_opening(const cz_engine *e, uint64_t open_bytes)
{
    const uint64_t kept = kept_by_others(e, NULL);
    char amount[3][CZ_AMOUNT_BYTES];

    if (open_bytes + kept <= e->budget.total)
        return CZ_OK;
    return cz_fail(CZ_E_NOMEM,
                   "the request needs %s of memory to be opened; the budget is %s, of which %s are "
                   "kept for circuits",
                   cz_amount(amount[0], open_bytes), cz_amount(amount[1], e->budget.total),
                   cz_amount(amount[2], kept));
}

/* --- eviction --- */

static bool is_evictable(const cz_resident *r)
{
    return r->state == KEYS_HOT && !cz_resident_is_used(r) && !r->keep && !r->cool_wanted &&
           r->preloads == 0;
}

/* Keys that were used lately are spared for less urgent work, as long as other work goes on that
 * will free memory. */
static bool is_spared(const cz_engine *e, const cz_resident *r, unsigned priority, uint64_t now_ns)
{
    return priority <= CZ_PRIORITY_NORMAL && e->running > 0 &&
           now_ns - r->used_ns < e->o.tuning.eviction_min_idle_ms * 1000000;
}

static cz_resident *least_recent(const cz_engine *e, unsigned priority, uint64_t now_ns)
{
    cz_resident *least = NULL;

    for (cz_resident *r = e->residents; r != NULL; r = r->next)
        if (is_evictable(r) && !is_spared(e, r, priority, now_ns) &&
            (least == NULL || r->used_ns < least->used_ns))
            least = r;
    return least;
}

static uint64_t on_its_way(const cz_engine *e)
{
    uint64_t bytes = 0;

    for (const cz_resident *r = e->residents; r != NULL; r = r->next)
        if (r->reserved && (r->cool_wanted || r->state == KEYS_COOLING))
            bytes += r->cost.hot_bytes;
    return bytes;
}

/* What a partition claims is in its reservation from its beginning, and idle until it takes it, at
 * the end of its synthesis. */
void cz_engine_count_idle(cz_engine *e)
{
    const cz_prover *p = &e->o.prover;
    uint64_t idle;

    if (p->ops->idle_bytes == NULL)
        return;
    idle = p->ops->idle_bytes(p->ctx);
    e->budget.idle = idle > e->claimed ? idle - e->claimed : 0;
}

uint64_t cz_epart_reuses(const cz_engine *e, const cz_epart *part)
{
    const cz_prover *p = &e->o.prover;
    const uint64_t bytes = cz_epart_bytes(e, part), idle = e->budget.idle;
    uint64_t reuses;

    if (p->ops->reuse_bytes == NULL || idle == 0 || bytes != part->job->keys->cost.device_bytes)
        return 0;
    reuses = p->ops->reuse_bytes(p->ctx, part->job->keys->keys, part->job->keys->claims);
    reuses = reuses < idle ? reuses : idle;
    return reuses < bytes ? reuses : bytes;
}

/* Memory that nobody uses is the first to go. Ordered once, or those who wait for memory would wake
 * each other all the time. */
static uint64_t want_trim(cz_engine *e)
{
    if (e->budget.idle > 0 && !e->trim_wanted) {
        e->trim_wanted = true;
        (void)pthread_cond_broadcast(&e->work);
    }
    return e->budget.idle;
}

bool cz_resident_make_room(cz_engine *e, uint64_t bytes, unsigned priority, uint64_t now_ns)
{
    uint64_t free_soon = cz_budget_free(&e->budget) + on_its_way(e) + want_trim(e);
    char amount[CZ_AMOUNT_BYTES];
    cz_resident *r;

    while (free_soon < bytes && (r = least_recent(e, priority, now_ns)) != NULL) {
        cz_log(CZ_LOG_INFO, "parameters of %s are evicted: %s are needed", r->circuit_id,
               cz_amount(amount, bytes));
        r->cool_wanted = true;
        free_soon += r->cost.hot_bytes;
        (void)pthread_cond_broadcast(&e->work);
    }
    return free_soon >= bytes;
}
