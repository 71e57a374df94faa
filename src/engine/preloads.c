/* preloads.c: preloading without a thread that waits. A waiter is with its keys until they are hot
 * or have failed, then in engine.told, from where the loader takes it and tells it. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/engine_state.h"

struct cz_keys_waiter {
    cz_keys_waiter *next;
    cz_preload_fn fn;
    void *ctx;
    cz_err err;
    uint64_t load_ms;
    char message[512];
};

static void settle(cz_engine *e, cz_keys_waiter *w, cz_err err, uint64_t load_ms)
{
    w->err = err;
    w->load_ms = load_ms;
    if (err != CZ_OK)
        (void)snprintf(w->message, sizeof w->message, "%s", cz_err_message());
    w->next = e->told;
    e->told = w;
}

void cz_preloads_settle(cz_engine *e, cz_resident *r, cz_err err)
{
    while (r->waiters != NULL) {
        cz_keys_waiter *w = r->waiters;

        r->waiters = w->next;
        r->preloads--;
        settle(e, w, err, r->load_ns / 1000000);
    }
    (void)pthread_cond_broadcast(&e->work);
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
    w->fn(w->ctx, w->err, false, w->load_ms);
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
    for (cz_resident *r = e->residents; r != NULL; r = r->next)
        cz_preloads_settle(e, r, stopping());
    while (cz_preloads_tell(e))
        ;
}

/* With the lock. *already: nothing is waited for. */
static cz_err begin(cz_engine *e, const char *circuit_id, cz_preload_fn fn, void *ctx,
                    bool *already)
{
    cz_keys_waiter *w;
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
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for keys");
    w->fn = fn;
    w->ctx = ctx;
    w->next = r->waiters;
    r->waiters = w;
    r->preloads++;
    (void)pthread_cond_broadcast(&e->work);
    return CZ_OK;
}

void cz_engine_preload_then(cz_engine *e, const char *circuit_id, cz_preload_fn fn, void *ctx)
{
    bool already;
    cz_err err;

    (void)pthread_mutex_lock(&e->lock);
    err = begin(e, circuit_id, fn, ctx, &already);
    (void)pthread_mutex_unlock(&e->lock);
    if (err != CZ_OK || already)
        fn(ctx, err, already, 0);
}
