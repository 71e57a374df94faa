/* preloads.c: preloading and evicting without a thread. A waiter is with its keys until they are
 * hot, closed, or have failed, then in engine.told, from where the loader takes it and tells it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine_state.h"

struct cz_keys_waiter {
    cz_keys_waiter *next;
    cz_preload_fn preloaded; /* one of the two */
    cz_evict_fn evicted;
    void *ctx;
    cz_err err;
    uint64_t load_ms;
    bool was_loaded;
    uint64_t freed_bytes;
    char message[512];
};

/* --- telling --- */

static void settle(cz_engine *e, cz_keys_waiter *w, cz_err err)
{
    w->err = err;
    if (err != CZ_OK)
        (void)snprintf(w->message, sizeof w->message, "%s", cz_err_message());
    w->next = e->told;
    e->told = w;
    (void)pthread_cond_broadcast(&e->work);
}

void cz_preloads_settle(cz_engine *e, cz_resident *r, cz_err err)
{
    while (r->waiters != NULL) {
        cz_keys_waiter *w = r->waiters;

        r->waiters = w->next;
        r->preloads--;
        w->load_ms = r->load_ns / 1000000;
        settle(e, w, err);
    }
}

void cz_evictions_settle(cz_engine *e, cz_resident *r, cz_err err)
{
    while (r->evicters != NULL) {
        cz_keys_waiter *w = r->evicters;

        r->evicters = w->next;
        settle(e, w, err);
    }
}

bool cz_preloads_tell(cz_engine *e)
{
    cz_keys_waiter *w = e->told;

    if (w == NULL)
        return false;
    e->told = w->next;
    (void)pthread_mutex_unlock(&e->lock);
    if (w->err != CZ_OK)
        w->err = cz_fail(w->err, "%s", w->message);
    if (w->preloaded != NULL)
        w->preloaded(w->ctx, w->err, false, w->load_ms);
    else
        w->evicted(w->ctx, w->err, w->was_loaded, w->freed_bytes);
    free(w);
    (void)pthread_mutex_lock(&e->lock);
    return true;
}

static cz_err stopping(void)
{
    return cz_fail(CZ_E_CANCELLED, "the engine is stopping");
}

void cz_preloads_end(cz_engine *e)
{
    for (cz_resident *r = e->residents; r != NULL; r = r->next) {
        cz_preloads_settle(e, r, stopping());
        cz_evictions_settle(e, r, stopping());
    }
    while (cz_preloads_tell(e))
        ;
}

/* --- waiting --- */

static cz_err add_waiter(cz_keys_waiter **list, const cz_keys_waiter *waiter)
{
    cz_keys_waiter *w = malloc(sizeof *w);

    if (w == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for keys");
    *w = *waiter;
    w->next = *list;
    *list = w;
    return CZ_OK;
}

/* With the lock. *already: nothing is waited for. */
static cz_err begin_preload(cz_engine *e, const char *circuit_id, const cz_keys_waiter *waiter,
                            bool *already)
{
    cz_resident *r;

    *already = false;
    if (e->stopping)
        return stopping();
    r = cz_resident_get(e, circuit_id);
    if (r == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for keys");
    *already = r->state == KEYS_HOT && !r->cool_wanted && !r->close_wanted;
    if (*already)
        return CZ_OK;
    CZ_TRY(add_waiter(&r->waiters, waiter));
    r->preloads++;
    (void)pthread_cond_broadcast(&e->work);
    return CZ_OK;
}

void cz_engine_preload_then(cz_engine *e, const char *circuit_id, cz_preload_fn fn, void *ctx)
{
    const cz_keys_waiter waiter = {.preloaded = fn, .ctx = ctx};
    bool already;
    cz_err err;

    (void)pthread_mutex_lock(&e->lock);
    err = begin_preload(e, circuit_id, &waiter, &already);
    (void)pthread_mutex_unlock(&e->lock);
    if (err != CZ_OK || already)
        fn(ctx, err, already, 0);
}

static cz_resident *find_resident(const cz_engine *e, const char *circuit_id)
{
    cz_resident *r = e->residents;

    while (r != NULL && strcmp(r->circuit_id, circuit_id) != 0)
        r = r->next;
    return r;
}

/* With the lock. *cold: nothing is waited for. */
static cz_err begin_eviction(cz_engine *e, const char *circuit_id, cz_keys_waiter *waiter,
                             bool *cold)
{
    cz_resident *r = find_resident(e, circuit_id);

    *cold = r == NULL || r->state == KEYS_COLD;
    if (*cold)
        return CZ_OK;
    if (e->stopping)
        return stopping();
    if (cz_resident_is_used(r) || (r->state != KEYS_HOT && r->state != KEYS_WARM))
        return cz_fail(CZ_E_DECLINED, "parameters of %s are in use", circuit_id);
    waiter->was_loaded = r->state == KEYS_HOT;
    waiter->freed_bytes = r->reserved ? r->cost.hot_bytes : 0;
    CZ_TRY(add_waiter(&r->evicters, waiter));
    r->close_wanted = r->cool_wanted = true;
    (void)pthread_cond_broadcast(&e->work);
    return CZ_OK;
}

void cz_engine_evict_then(cz_engine *e, const char *circuit_id, cz_evict_fn fn, void *ctx)
{
    cz_keys_waiter waiter = {.evicted = fn, .ctx = ctx};
    bool cold;
    cz_err err;

    (void)pthread_mutex_lock(&e->lock);
    err = begin_eviction(e, circuit_id, &waiter, &cold);
    (void)pthread_mutex_unlock(&e->lock);
    if (err != CZ_OK || cold)
        fn(ctx, err, false, 0);
}
