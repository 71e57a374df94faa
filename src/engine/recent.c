/* recent.c: see recent.h. */
#include "engine/recent.h"

#include <stdio.h>

#include "engine/engine_state.h"

static unsigned count_retried(const cz_ejob *job)
{
    unsigned n = 0;

    for (size_t k = 0; k < job->n_parts; k++)
        n += job->parts[k].attempt > 0;
    return n;
}

void cz_recent_note(cz_recent_jobs *recent, const cz_ejob *job)
{
    cz_recent_job *r = &recent->jobs[recent->n++ % CZ_RECENT_JOBS];

    *r = (cz_recent_job){
        .kind = job->kind,
        .priority = job->priority,
        .status = job->result.status,
        .partitions = job->n_parts,
        .retried = count_retried(job),
        .ended_ms = cz_wall_ms(),
        .queue_wait_ms = job->result.queue_wait_ms,
        .srs_load_ms = job->result.srs_load_ms,
        .total_ms = job->result.total_ms,
    };
    (void)snprintf(r->job_id, sizeof r->job_id, "%s", job->id);
    (void)snprintf(r->request_id, sizeof r->request_id, "%s", job->request_id);
    (void)snprintf(r->circuit_id, sizeof r->circuit_id, "%s", job->admission.circuit_id);
    (void)snprintf(r->error, sizeof r->error, "%s",
                   job->result.error == NULL ? "" : job->result.error);
    for (unsigned phase = 0; phase < CZ_PHASE_COUNT; phase++)
        r->phase_ms[phase] = cz_trace_total_ms(job->trace, (cz_phase)phase);
}

size_t cz_engine_recent(cz_engine *e, cz_recent_job *out, size_t max)
{
    const cz_recent_jobs *recent = &e->recent;
    size_t n = 0;

    (void)pthread_mutex_lock(&e->lock);
    while (n < max && n < CZ_RECENT_JOBS && n < recent->n) {
        out[n] = recent->jobs[(recent->n - 1 - n) % CZ_RECENT_JOBS];
        n++;
    }
    (void)pthread_mutex_unlock(&e->lock);
    return n;
}
