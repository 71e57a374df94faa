/* filecoin_witness.c: a partition's witness, from the circuit to where a device or the CPU takes
 * it; in page-locked memory where there are devices. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "engine/filecoin_state.h"

static cz_err synthesize_circuit(const cz_filecoin_prover *p, cz_witness **out,
                                 const cz_compiled *compiled, const cz_circuit *circuit)
{
    cz_witness *witness = calloc(1, sizeof *witness);
    cz_err err;

    if (witness == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a witness");
    witness->circuit = compiled;
    err =
        p->experiment.classic
            ? cz_experiment_assign(&witness->classic, &p->experiment, compiled, circuit, p->blocks)
            : cz_bit_witness_synthesize_pool(&witness->w, compiled, circuit, p->opening);
    if (err != CZ_OK) {
        free(witness);
        return err;
    }
    *out = witness;
    return CZ_OK;
}

/* --- witnesses in page-locked memory --- */

static size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Where each of the three lists begins on a boundary of its own. */
static size_t pinned_bytes_of(size_t n_inputs, size_t n_fields, size_t n_aux)
{
    return aligned(n_inputs * sizeof(cz_fr)) + aligned(n_fields * sizeof(cz_fr)) +
           aligned((n_aux / 64 + 2) * sizeof(uint64_t));
}

static void *copy_to(char **at, const void *from, size_t bytes)
{
    void *to = *at;

    if (bytes > 0)
        (void)memcpy(to, from, bytes);
    *at += aligned(bytes);
    return to;
}

/* Off the device's time, by the worker that made it. Where there is no such memory it stays. */
static void pin(const cz_filecoin_prover *p, cz_witness *witness)
{
    cz_bit_witness *w = &witness->w, made = *w;
    const size_t inputs = w->n_inputs * sizeof *w->inputs;
    const size_t fields = w->n_fields * sizeof *w->fields;
    char *at;

    witness->pinned_bytes = pinned_bytes_of(w->n_inputs, w->n_fields, w->n_aux);
    witness->pinned = cz_pinned_take(p->pinned, witness->pinned_bytes);
    at = witness->pinned;
    if (at == NULL)
        return;
    w->inputs = copy_to(&at, made.inputs, inputs);
    w->fields = copy_to(&at, made.fields, fields);
    w->bits = copy_to(&at, made.bits, ((size_t)(w->n_aux + 63) / 64 + 1) * sizeof *w->bits);
    cz_bit_witness_clear(&made);
}

static void unpin(const cz_filecoin_prover *p, cz_witness *witness)
{
    cz_secure_zero(witness->pinned, witness->pinned_bytes);
    cz_pinned_give_back(p->pinned, witness->pinned);
}

/* --- one partition's --- */

static cz_err make_values(const cz_filecoin_prover *p, const cz_job *job, size_t k,
                          const cz_compiled *compiled, cz_witness **out)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(job, k, &circuit));
    err = synthesize_circuit(p, out, compiled, circuit);
    cz_circuit_destroy(circuit);
    CZ_TRY(err);
    if (p->pinned != NULL)
        pin(p, *out);
    return CZ_OK;
}

/* Where the device makes them sooner, it has what they follow from. */
static cz_err make_for_device(const cz_filecoin_prover *p, const cz_job *job, size_t k,
                              const cz_compiled *compiled, cz_witness **out)
{
    cz_witness_source *source;
    cz_witness *witness;

    CZ_TRY(cz_job_witness_source(job, k, compiled, &source));
    if (source == NULL)
        return make_values(p, job, k, compiled, out);
    witness = calloc(1, sizeof *witness);
    if (witness == NULL) {
        source->destroy(source);
        return cz_fail(CZ_E_NOMEM, "no memory for a witness");
    }
    witness->circuit = compiled;
    cz_bit_witness_from_source(&witness->w, source);
    *out = witness;
    return CZ_OK;
}

bool cz_filecoin_has_values(const cz_witness *witness)
{
    return witness->w.source == NULL;
}

cz_err cz_filecoin_synthesize(void *ctx, const cz_work *work, size_t k, bool with_values,
                              cz_witness **out, cz_trace *trace)
{
    const cz_filecoin_prover *p = ctx;
    const cz_compiled *compiled;
    cz_span span;
    cz_err err;

    CZ_TRY(cz_circuit_cache_get(p->circuits, cz_job_circuit_id(cz_filecoin_job_of(work)),
                                p->opening, &compiled));
    span = cz_trace_begin(trace, CZ_PHASE_WITNESS, (unsigned)k);
    err = with_values || p->n_used == 0
              ? make_values(p, cz_filecoin_job_of(work), k, compiled, out)
              : make_for_device(p, cz_filecoin_job_of(work), k, compiled, out);
    cz_trace_end(&span);
    return err;
}

void cz_filecoin_witness_drop(void *ctx, cz_witness *witness)
{
    if (witness->pinned != NULL)
        unpin(ctx, witness);
    else
        cz_bit_witness_clear(&witness->w);
    cz_assignment_clear(&witness->classic);
    free(witness);
}

uint64_t cz_filecoin_idle_bytes(void *ctx)
{
    const cz_filecoin_prover *p = ctx;

    return cz_pinned_idle_bytes(p->pinned);
}

void cz_filecoin_pinned(void *ctx, uint64_t *bytes, uint64_t *limit)
{
    const cz_filecoin_prover *p = ctx;

    *bytes = cz_pinned_bytes(p->pinned);
    *limit = cz_pinned_limit(p->pinned);
}

/* What is left to devices is not page-locked. */
uint64_t cz_filecoin_reuse_bytes(void *ctx, const cz_keys *keys, unsigned others)
{
    const cz_filecoin_prover *p = ctx;
    const char *id = cz_params_circuit_id(&keys->params);
    const cz_compiled *compiled = NULL;
    cz_circuit_stats stats;

    if (p->pinned != NULL && id != NULL && !cz_filecoin_made_on_devices(id))
        compiled = cz_circuit_cache_peek(p->circuits, id);
    if (compiled == NULL)
        return 0;
    stats = cz_compiled_stats(compiled);
    return cz_pinned_reusable(
        p->pinned, pinned_bytes_of(stats.inputs, cz_compiled_measure(compiled).n_fields, stats.aux),
        others);
}

void cz_filecoin_trim(void *ctx)
{
    const cz_filecoin_prover *p = ctx;

    cz_pinned_trim(p->pinned);
}
