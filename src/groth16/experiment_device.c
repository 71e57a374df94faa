/* experiment_device.c: see experiment_device.h. */
#include "groth16/experiment_device.h"

#include <string.h>

#include "base/bytes.h"

cz_err cz_experiment_device_open(cz_experiment_device *out, const cz_experiment *switches,
                                 const cz_experiment_device_options *options,
                                 const cz_params *params, const cz_compiled *circuit, cz_pool *pool)
{
    const cz_device_key_options load = {.folded = options->folded};
    cz_err err;

    *out = (cz_experiment_device){.switches = *switches, .circuit = circuit, .pool = pool};
    if (switches->classic)
        return cz_fail(CZ_E_INPUT, "experiment.synthesis = \"classic\" is for the CPU");
    CZ_TRY(cz_gpu_open(&out->gpu, (int)options->number, options->vram_budget));
    err = cz_device_key_load_with(&out->key, out->gpu, params, circuit, &load, pool, NULL);
    if (err != CZ_OK) {
        out->key = NULL;
        cz_experiment_device_close(out);
    }
    return err;
}

static void drop_buffer(cz_experiment_device *d)
{
    if (d->buffer == NULL)
        return;
    cz_secure_zero(d->buffer, d->buffer_bytes);
    cz_gpu_give_back(d->gpu, d->buffer);
    d->buffer = NULL;
}

void cz_experiment_device_close(cz_experiment_device *d)
{
    if (d->gpu == NULL)
        return;
    drop_buffer(d);
    cz_device_key_destroy(d->key);
    cz_gpu_close(d->gpu);
    *d = (cz_experiment_device){.gpu = NULL};
}

/* ---- the page-locked copy ---- */

typedef struct {
    size_t bits, inputs, fields; /* bytes */
} parts;

static parts parts_of(const cz_bit_witness *w)
{
    const size_t words = ((size_t)w->n_aux + 63) / 64 + 1;

    return (parts){words * sizeof *w->bits, (size_t)w->n_inputs * sizeof *w->inputs,
                   (size_t)w->n_fields * sizeof *w->fields};
}

static cz_err take_buffer(cz_experiment_device *d, size_t bytes)
{
    if (d->buffer != NULL && d->buffer_bytes >= bytes)
        return CZ_OK;
    drop_buffer(d);
    d->buffer_bytes = bytes;
    return cz_gpu_take(d->gpu, CZ_GPU_PINNED_MEMORY, &d->buffer, bytes, "the witness");
}

static uint8_t *put(uint8_t *at, void *view, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(at, from, bytes);
    memcpy(view, &at, sizeof at);
    return at + bytes;
}

/* *out: a view of w in the buffer. */
static cz_err stage(cz_experiment_device *d, cz_bit_witness *out, const cz_bit_witness *w,
                    cz_span *span)
{
    const parts p = parts_of(w);
    uint8_t *at;

    *out = *w;
    if (d->switches.pin == CZ_PIN_OFF)
        return CZ_OK;
    CZ_TRY(take_buffer(d, p.bits + p.inputs + p.fields));
    at = put(d->buffer, &out->bits, w->bits, p.bits);
    at = put(at, &out->inputs, w->inputs, p.inputs);
    (void)put(at, &out->fields, w->fields, p.fields);
    span->bytes = p.bits + p.inputs + p.fields;
    return CZ_OK;
}

static void unstage(cz_experiment_device *d)
{
    if (d->switches.pin == CZ_PIN_PER_PROOF)
        drop_buffer(d);
    else if (d->buffer != NULL)
        cz_secure_zero(d->buffer, d->buffer_bytes);
}

/* ---- a proof ---- */

static cz_err prove(cz_proof *out, cz_experiment_device *d, const cz_bit_witness *w, const cz_fr *r,
                    const cz_fr *s, unsigned partition, cz_trace *trace)
{
    cz_span span = cz_trace_begin(trace, CZ_PHASE_PIN, partition);
    cz_bit_witness staged;
    cz_err err = stage(d, &staged, w, &span);

    cz_trace_end(&span);
    if (err == CZ_OK)
        err = cz_groth16_prove_device(out, d->key, &staged, r, s, partition, trace);
    return err;
}

cz_err cz_experiment_device_prove(cz_proof *out, cz_experiment_device *d, const cz_circuit *circuit,
                                  const cz_fr *r, const cz_fr *s, unsigned partition,
                                  cz_trace *trace)
{
    const uint64_t start = cz_clock_ns();
    cz_span span = cz_trace_begin(trace, CZ_PHASE_WITNESS, partition);
    cz_bit_witness w;
    cz_err err = cz_bit_witness_synthesize_pool(&w, d->circuit, circuit, d->pool);

    cz_trace_end(&span);
    CZ_TRY(err);
    err = prove(out, d, &w, r, s, partition, trace);
    span = cz_trace_begin(trace, CZ_PHASE_UNPIN, partition);
    unstage(d);
    cz_bit_witness_clear(&w);
    cz_trace_end(&span);
    if (err == CZ_OK)
        cz_experiment_waste(&d->switches, start, trace);
    return err;
}
