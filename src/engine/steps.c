/* steps.c: what goes around every step: the lock is given up, and others are told when it is over.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "engine/engine_state.h"

void cz_engine_begin(cz_engine *e)
{
    e->running++;
    (void)pthread_mutex_unlock(&e->lock);
}

void cz_engine_end(cz_engine *e)
{
    (void)pthread_mutex_lock(&e->lock);
    e->running--;
    (void)pthread_cond_broadcast(&e->work);
    (void)pthread_cond_broadcast(&e->changed);
}

void cz_worker_enter(cz_engine *e, cz_worker *w, cz_ejob *job, unsigned partition,
                     const char *stage)
{
    w->stage = stage;
    w->job = job;
    w->partition = partition;
    w->since_ns = cz_clock_ns();
    w->stalled = false;
    job->running++;
    e->running++;
    (void)pthread_mutex_unlock(&e->lock);
}

uint64_t cz_worker_leave(cz_engine *e, cz_worker *w, cz_ejob *job)
{
    const uint64_t took = cz_clock_ns() - w->since_ns;

    (void)pthread_mutex_lock(&e->lock);
    w->stage = "";
    w->job = NULL;
    w->n_parts = 0;
    w->idle_ns = cz_clock_ns();
    job->running--;
    e->running--;
    (void)pthread_cond_broadcast(&e->work);
    return took;
}

void cz_epart_fail(cz_engine *e, cz_epart *part, cz_err code)
{
    char message[1200];

    (void)snprintf(message, sizeof message, "partition %u: %s", part->k, cz_err_message());
    cz_epart_set(part, PART_FAILED);
    cz_ejob_end(e, part->job, CZ_JOB_FAILED, code, message);
}
