/* witness_ahead.c: see witness_ahead.h. */
#include "witness_ahead.h"

#include <stdio.h>

static cz_err synthesize(witness_ahead *a)
{
    cz_circuit *circuit;
    cz_span span;
    cz_err err;

    CZ_TRY(cz_job_circuit(a->job, a->k, &circuit));
    span = cz_trace_begin(a->trace, CZ_PHASE_WITNESS, (unsigned)a->k);
    err = cz_bit_witness_synthesize_pool(&a->w, a->compiled, circuit, a->pool);
    cz_trace_end(&span);
    cz_circuit_destroy(circuit);
    return err;
}

static void *run(void *arg)
{
    witness_ahead *a = arg;

    a->err = synthesize(a);
    if (a->err != CZ_OK)
        (void)snprintf(a->message, sizeof a->message, "%s", cz_err_message());
    return NULL;
}

void witness_ahead_start(witness_ahead *a, const cz_job *job, const cz_compiled *compiled,
                         cz_pool *pool, cz_trace *trace, size_t k)
{
    *a = (witness_ahead){.job = job, .compiled = compiled, .pool = pool, .trace = trace, .k = k};
    a->running = pthread_create(&a->thread, NULL, run, a) == 0;
}

bool witness_ahead_has(const witness_ahead *a, size_t k)
{
    return a->running && a->k == k;
}

cz_err witness_ahead_take(witness_ahead *a, cz_bit_witness *out)
{
    (void)pthread_join(a->thread, NULL);
    a->running = false;
    if (a->err != CZ_OK) {
        cz_err_adopt(a->message);
        return a->err;
    }
    *out = a->w;
    return CZ_OK;
}

void witness_ahead_stop(witness_ahead *a)
{
    cz_bit_witness w;

    if (a->running && witness_ahead_take(a, &w) == CZ_OK)
        cz_bit_witness_clear(&w);
}
