/* step_load.c: devices get keys that were heated. Each device's own worker loads them, when it is
 * free, so that devices load side by side and nobody waits for one that is in a call, which may
 * never end. The first to have them makes them hot; the others get them before their next call.
 *
 * Keys come before proofs but for the most urgent ones. Of a device with two workers one is in a
 * call at nearly all times: the other then takes no partitions until both are back and one of them
 * loads, or its turn would never come. */
#define _GNU_SOURCE
#include "engine/engine_state.h"

enum { MOST_LOADING = 64 }; /* backends, one bit each */

static bool loads_keys(const cz_engine *e, size_t i)
{
    const cz_backend *b = &e->backends[i];

    return i < MOST_LOADING && b->load != NULL && b->workers > 0;
}

static bool has_tried(const cz_engine *e, const cz_resident *r, const cz_backend *backend)
{
    return (r->tried >> (unsigned)(backend - e->backends) & 1) != 0;
}

bool cz_keys_may_be_loaded(const cz_engine *e, const cz_resident *r)
{
    for (size_t i = 0; i < e->o.n_backends; i++)
        if (loads_keys(e, i) && !has_tried(e, r, &e->backends[i]) &&
            !cz_backend_hangs(e, &e->backends[i]))
            return true;
    for (size_t i = e->n_synthesis; i < e->n_workers; i++)
        if (e->workers[i].loads == r && !e->workers[i].stalled)
            return true;
    return false;
}

/* Devices may have noted something of them: they are cooled like others. */
static void fail_heated(cz_engine *e, cz_resident *r, cz_err err)
{
    r->state = KEYS_HOT;
    r->cool_wanted = true;
    cz_resident_fail(e, r, err);
}

static bool is_for(const cz_engine *e, const cz_resident *r, const cz_worker *w)
{
    return (r->state == KEYS_HEATING || r->state == KEYS_HOT) && r->for_devices &&
           !r->cool_wanted && !r->close_wanted && !has_tried(e, r, w->backend);
}

/* Those of the first job in order, else those that a preload waits for, else any. */
static cz_resident *next_to_load(const cz_engine *e, const cz_worker *w)
{
    cz_resident *next = NULL;

    if (!loads_keys(e, (size_t)(w->backend - e->backends)))
        return NULL;
    for (const cz_ejob *job = e->live; job != NULL; job = job->next)
        if (job->keys != NULL && is_for(e, job->keys, w))
            return job->keys;
    for (cz_resident *r = e->residents; r != NULL; r = r->next)
        if (is_for(e, r, w) && (next == NULL || r->preloads > next->preloads))
            next = r;
    return next;
}

bool cz_keys_wait_for(const cz_engine *e, const cz_worker *w)
{
    return next_to_load(e, w) != NULL;
}

/* Calls of one device take turns: behind one that hangs, keys could be given up by nobody. */
static bool another_is_in_call(const cz_engine *e, const cz_worker *w)
{
    for (size_t i = e->n_synthesis; i < e->n_workers; i++) {
        const cz_worker *other = &e->workers[i];

        if (other != w && other->backend == w->backend && cz_worker_is_in_call(other))
            return true;
    }
    return false;
}

static cz_err load_off_lock(cz_engine *e, cz_worker *w, cz_resident *r)
{
    cz_err err;

    r->tried |= (uint64_t)1 << (unsigned)(w->backend - e->backends);
    r->loads++;
    w->loads = r;
    w->stage = "load";
    w->since_ns = cz_clock_ns();
    w->stalled = false;
    cz_engine_begin(e);
    err = w->backend->load(w->backend->ctx, r->keys);
    cz_engine_end(e);
    w->loads = NULL;
    w->stage = "";
    w->stalled = false;
    r->loads--;
    return err;
}

bool cz_step_load(cz_engine *e, cz_worker *w)
{
    cz_resident *r = next_to_load(e, w);
    cz_err err;

    if (r == NULL || another_is_in_call(e, w))
        return false;
    err = load_off_lock(e, w, r);
    if (r->state == KEYS_HEATING && err == CZ_OK)
        cz_resident_become_hot(e, r);
    else if (r->state == KEYS_HEATING && (err == CZ_E_INPUT || err == CZ_E_IO))
        fail_heated(e, r, err);
    return true;
}
