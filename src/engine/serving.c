/* serving.c: which backend takes what. Devices take what they can, the spare backend (the CPU) what
 * none of them takes: circuits that fit no device, everything once all devices are given up, and
 * partitions that one gave back. All under engine.lock. */
#include "base/log.h"
#include "engine/engine_state.h"

static bool serves(const cz_backend *backend, const cz_ejob *job)
{
    return backend->kinds == 0 || (backend->kinds >> (unsigned)job->kind & 1) != 0;
}

unsigned cz_backend_capacity(const cz_backend *backend, const cz_ejob *job)
{
    const cz_keys *keys = job->keys == NULL ? NULL : job->keys->keys;
    unsigned n = backend->batch;

    if (backend->workers == 0 || !serves(backend, job))
        return 0;
    if (backend->capacity != NULL)
        n = backend->capacity(backend->ctx, keys);
    return n < CZ_MOST_BATCH ? n : CZ_MOST_BATCH;
}

bool cz_engine_has_spare(const cz_engine *e)
{
    for (size_t i = 0; i < e->o.n_backends; i++)
        if (e->backends[i].spare)
            return true;
    return false;
}

unsigned cz_serving_width(const cz_engine *e, const cz_ejob *job)
{
    unsigned n = 0;

    for (size_t i = 0; i < e->o.n_backends; i++)
        if (!e->backends[i].spare)
            n += cz_backend_capacity(&e->backends[i], job);
    return n;
}

/* It could not prove the partition, or its proof was none. */
static bool has_failed(const cz_backend *backend, const cz_epart *part)
{
    return backend == part->returned_by || backend == part->refuted_by;
}

static bool can_take(const cz_backend *backend, const cz_epart *part)
{
    return !backend->spare && !has_failed(backend, part) &&
           cz_backend_capacity(backend, part->job) > 0;
}

static bool a_device_takes(const cz_engine *e, const cz_epart *part)
{
    for (size_t i = 0; i < e->o.n_backends; i++)
        if (can_take(&e->backends[i], part))
            return true;
    return false;
}

bool cz_backend_hangs(const cz_engine *e, const cz_backend *backend)
{
    for (size_t i = e->n_synthesis; i < e->n_workers; i++)
        if (e->workers[i].backend == backend && cz_worker_hangs(&e->workers[i]))
            return true;
    return false;
}

/* Waiting for one that hangs may be for ever. */
static bool another_takes(const cz_engine *e, const cz_epart *part, const cz_backend *except)
{
    for (size_t i = 0; i < e->o.n_backends; i++)
        if (&e->backends[i] != except && can_take(&e->backends[i], part) &&
            !cz_backend_hangs(e, &e->backends[i]))
            return true;
    return false;
}

bool cz_epart_needs_spare(const cz_engine *e, const cz_epart *part)
{
    return cz_engine_has_spare(e) && (part->on_spare || !a_device_takes(e, part));
}

/* What failed with the partition has it again only where no other device takes it. */
static bool leaves_it_to_others(const cz_engine *e, const cz_backend *backend, const cz_epart *part)
{
    return (has_failed(backend, part) && a_device_takes(e, part)) ||
           (backend == part->lost_by && another_takes(e, part, backend));
}

bool cz_backend_takes(const cz_engine *e, const cz_backend *backend, const cz_epart *part)
{
    if (cz_epart_needs_spare(e, part))
        return backend->spare;
    return !backend->spare && !leaves_it_to_others(e, backend, part);
}

bool cz_backend_has_keys(const cz_backend *backend, const cz_ejob *job)
{
    return backend->holds == NULL || backend->holds(backend->ctx, job->keys->keys);
}

bool cz_backend_is_stranger(const cz_engine *e, const cz_backend *backend, const cz_epart *part)
{
    if (backend->spare || cz_backend_has_keys(backend, part->job))
        return false;
    for (size_t i = 0; i < e->o.n_backends; i++)
        if (cz_backend_takes(e, &e->backends[i], part) &&
            cz_backend_has_keys(&e->backends[i], part->job) &&
            cz_backend_capacity(&e->backends[i], part->job) > 0)
            return true;
    return false;
}

bool cz_epart_is_taken_at_once(const cz_engine *e, const cz_epart *part)
{
    for (size_t i = e->n_synthesis; i < e->n_workers; i++) {
        const cz_worker *w = &e->workers[i];

        if (w->n_parts == 0 && !w->backend->spare && cz_backend_takes(e, w->backend, part) &&
            cz_backend_has_keys(w->backend, part->job) &&
            cz_backend_capacity(w->backend, part->job) > 0)
            return true;
    }
    return false;
}

uint64_t cz_epart_bytes(const cz_engine *e, const cz_epart *part)
{
    const cz_keys_cost *cost = &part->job->keys->cost;

    return cost->device_bytes == 0 || part->with_values || cz_epart_needs_spare(e, part)
               ? cost->part_bytes
               : cost->device_bytes;
}

bool cz_backend_may_return(const cz_engine *e, const cz_backend *backend, const cz_ejob *job,
                           cz_err err)
{
    if (backend->spare || !cz_engine_has_spare(e))
        return false;
    if (err == CZ_E_CUDA)
        return job->kind == CZ_KIND_WINNING;
    return err == CZ_E_NOMEM || err == CZ_E_DECLINED || err == CZ_E_NODEV;
}

/* Another device may have it next. The spare backend has it when memory was short, when no other
 * device is left, and at the second return. */
void cz_epart_return(cz_engine *e, cz_epart *part, const cz_backend *backend, cz_err err)
{
    const cz_ejob *job = part->job;

    part->on_spare = err == CZ_E_NOMEM || part->returned_by != NULL;
    part->returned_by = backend;
    cz_epart_set(part, PART_SYNTHESIZED);
    cz_log_job(CZ_LOG_WARN, job->id, job->request_id, cz_proof_kind_name(job->kind),
               "partition %u goes to %s: %s", part->k,
               cz_epart_needs_spare(e, part) ? "the CPU" : "another device", cz_err_message());
}

const char *cz_engine_only_backend(const cz_engine *e)
{
    const cz_backend *only = NULL;

    for (size_t i = 0; i < e->o.n_backends; i++) {
        if (e->backends[i].spare || e->backends[i].workers == 0)
            continue;
        if (only != NULL)
            return "";
        only = &e->backends[i];
    }
    return only != NULL ? only->name : "";
}
