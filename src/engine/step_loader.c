/* step_loader.c: the loader brings keys in and out, and makes room for those that are wanted.
 *
 * It waits for no device, which may be in a call for long, or for ever: the workers of devices load
 * what is to lie there (step_load.c). */
#define _GNU_SOURCE
#include "base/amount.h"
#include "base/log.h"
#include "engine/engine_state.h"

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

/* A preload takes free memory, or that of keys nobody uses. It does not wait for more: only jobs
 * do. */
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
    cz_resident_fail_preloads(e, r, CZ_E_NOMEM);
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
        if (r->state == KEYS_HOT && !cz_resident_is_used(r) && (r->cool_wanted || r->close_wanted))
            return r;
    return NULL;
}

/* All devices have tried, and none has them: proofs find out who makes them. */
static cz_resident *next_to_settle(const cz_engine *e)
{
    for (cz_resident *r = e->residents; r != NULL; r = r->next)
        if (r->state == KEYS_HEATING && r->for_devices && !cz_keys_may_be_loaded(e, r))
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

/* What these keys take is known now: who can never have it is told how much that is. */
static void refuse_what_never_fits(cz_engine *e, cz_resident *r)
{
    const uint64_t bytes = cz_resident_least_bytes(r);

    if (cz_resident_check_size(e, r, bytes) != CZ_OK)
        cz_resident_fail_preloads(e, r, CZ_E_NOMEM);
    for (cz_ejob *job = e->live; job != NULL; job = job->next)
        if (job->keys == r &&
            cz_resident_check_size(e, r, bytes + job->admission.work_bytes) != CZ_OK)
            cz_ejob_end(e, job, CZ_JOB_FAILED, CZ_E_NOMEM, cz_err_message());
}

static void open_keys(cz_engine *e, cz_resident *r)
{
    const cz_prover *p = &e->o.prover;
    const uint64_t start = cz_clock_ns();
    cz_keys *keys = NULL;
    cz_keys_cost cost = {0};
    cz_err err;

    r->state = KEYS_OPENING;
    cz_engine_begin(e);
    err = p->ops->keys_open(p->ctx, r->circuit_id, &keys, &cost);
    cz_engine_end(e);
    if (err == CZ_OK) {
        r->keys = keys;
        r->cost = cost;
    }
    r->load_ns = cz_clock_ns() - start;
    r->state = err == CZ_OK ? KEYS_WARM : KEYS_COLD;
    if (err == CZ_OK)
        refuse_what_never_fits(e, r);
    else
        cz_resident_fail(e, r, err);
}

static void heat_keys(cz_engine *e, cz_resident *r)
{
    const cz_prover *p = &e->o.prover;
    cz_err err;

    r->state = KEYS_HEATING;
    r->heated_ns = cz_clock_ns();
    cz_engine_begin(e);
    err = p->ops->keys_heat(p->ctx, r->keys);
    cz_engine_end(e);
    if (err != CZ_OK) {
        r->load_ns += cz_clock_ns() - r->heated_ns;
        r->state = KEYS_WARM;
        free_reservation(e, r);
        cz_resident_fail(e, r, err);
        return;
    }
    r->tried = 0;
    r->for_devices = true;
    if (!cz_keys_may_be_loaded(e, r))
        cz_resident_become_hot(e, r);
}

static void cool_keys(cz_engine *e, cz_resident *r)
{
    const cz_prover *p = &e->o.prover;

    r->state = KEYS_COOLING;
    r->for_devices = false;
    cz_engine_begin(e);
    p->ops->keys_cool(p->ctx, r->keys);
    cz_engine_end(e);
    r->state = KEYS_WARM;
    r->cool_wanted = false;
    r->load_ns = 0;
    free_reservation(e, r);
    e->counters.keys_evictions++;
}

static void close_keys(cz_engine *e, cz_resident *r)
{
    const cz_prover *p = &e->o.prover;
    cz_keys *keys = r->keys;

    r->state = KEYS_COOLING;
    r->keys = NULL;
    cz_engine_begin(e);
    p->ops->keys_close(p->ctx, keys);
    cz_engine_end(e);
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
    cz_engine_begin(e);
    p->ops->trim(p->ctx);
    cz_engine_end(e);
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
    static void (*const steps[])(cz_engine *, cz_resident *) = {
        cool_keys, close_keys, cz_resident_become_hot, heat_keys, open_keys};
    cz_resident *r;
    size_t i = 0;

    if (cz_preloads_tell(e) || cz_step_trim(e))
        return true;
    if ((r = next_to_cool(e)) == NULL && ++i && (r = next_to_close(e)) == NULL && ++i &&
        (r = next_to_settle(e)) == NULL && ++i && (r = next_to_heat(e)) == NULL && ++i)
        r = next_to_open(e);
    if (r == NULL)
        return has_ordered(e);
    steps[i](e, r);
    return true;
}
