/* time_device_witness.c: the witness of a request's first partition made on a device, from what its
 * vanilla proofs say: all that goes up, and the kernels. Compared with the host's, value by value.
 */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "time_case.h"

enum { COMPARED_AT_ONCE = 64 << 20, SCRATCH_BYTES = 256 << 20 };

typedef struct {
    time_case base;
    cz_job *job;
    cz_compiled *compiled;
    cz_witness_source *source;
    cz_gpu *gpu;
    void *d_plane, *d_values, *d_scratch;
} device_case;

static device_case *case_of(time_case *base)
{
    return (device_case *)(void *)base;
}

static size_t plane_bytes(const cz_witness_source *s)
{
    return (((size_t)s->n_aux + 63) / 64 + 1) * sizeof(uint64_t);
}

static size_t value_bytes(const cz_witness_source *s)
{
    return ((size_t)s->n_inputs + s->n_fields) * sizeof(cz_fr);
}

static cz_err run(time_case *base)
{
    const device_case *c = case_of(base);

    CZ_TRY(
        c->source->fill(c->source, c->gpu, c->d_plane, c->d_values, c->d_scratch, SCRATCH_BYTES));
    return cz_gpu_sync(c->gpu);
}

/* --- against the host ----------------------------------------------------------------------- */

static cz_err compare(const device_case *c, uint8_t *room, const void *d_from, const void *want,
                      size_t bytes, const char *what)
{
    for (size_t at = 0; at < bytes; at += COMPARED_AT_ONCE) {
        const size_t n = bytes - at < COMPARED_AT_ONCE ? bytes - at : COMPARED_AT_ONCE;

        CZ_TRY(cz_gpu_copy(c->gpu, CZ_GPU_COMPUTE, room, (const uint8_t *)d_from + at, n));
        CZ_TRY(cz_gpu_sync(c->gpu));
        if (memcmp(room, (const uint8_t *)want + at, n) != 0)
            return cz_fail(CZ_E_INTERNAL, "%s: not the host's within %zu bytes from byte %zu", what,
                           n, at);
    }
    return CZ_OK;
}

static cz_err compare_all(const device_case *c, uint8_t *room, const cz_bit_witness *w)
{
    const cz_fr *d_values = c->d_values;

    CZ_TRY(compare(c, room, c->d_plane, w->bits, plane_bytes(c->source), "bits"));
    CZ_TRY(compare(c, room, d_values, w->inputs, w->n_inputs * sizeof(cz_fr), "inputs"));
    return compare(c, room, d_values + w->n_inputs, w->fields, w->n_fields * sizeof(cz_fr),
                   "fields");
}

static cz_err synthesize(const device_case *c, cz_bit_witness *w)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(c->job, 0, &circuit));
    err = cz_bit_witness_synthesize_pool(w, c->compiled, circuit, c->base.pool);
    cz_circuit_destroy(circuit);
    return err;
}

static cz_err check(time_case *base)
{
    const device_case *c = case_of(base);
    uint8_t *room = malloc(COMPARED_AT_ONCE);
    cz_bit_witness w;
    cz_err err;

    if (room == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to compare in");
    err = synthesize(c, &w);
    if (err == CZ_OK) {
        err = compare_all(c, room, &w);
        cz_bit_witness_clear(&w);
    }
    free(room);
    return err;
}

/* --- the case ------------------------------------------------------------------------------- */

static void destroy(time_case *base)
{
    device_case *c = case_of(base);

    if (c->gpu != NULL) {
        cz_gpu_give_back(c->gpu, c->d_plane);
        cz_gpu_give_back(c->gpu, c->d_values);
        cz_gpu_give_back(c->gpu, c->d_scratch);
    }
    cz_gpu_close(c->gpu);
    if (c->source != NULL)
        c->source->destroy(c->source);
    cz_compiled_destroy(c->compiled);
    cz_job_destroy(c->job);
    free(c);
}

static cz_err open_all(device_case *c, const time_order *order)
{
    bool was_cached;

    CZ_TRY(cz_gpu_open(&c->gpu, 0, 0));
    CZ_TRY(time_open_job(&c->job, order));
    CZ_TRY(open_compiled_circuit(&c->compiled, &was_cached, order->words[0], NULL));
    CZ_TRY(cz_job_witness_source(c->job, 0, c->compiled, &c->source));
    if (c->source == NULL)
        return cz_fail(CZ_E_INPUT, "%s: devices do not make this witness", order->words[0]);
    CZ_TRY(cz_gpu_take(c->gpu, CZ_GPU_DEVICE_MEMORY, &c->d_plane, plane_bytes(c->source), "bits"));
    CZ_TRY(
        cz_gpu_take(c->gpu, CZ_GPU_DEVICE_MEMORY, &c->d_values, value_bytes(c->source), "values"));
    return cz_gpu_take(c->gpu, CZ_GPU_DEVICE_MEMORY, &c->d_scratch, SCRATCH_BYTES, "scratch");
}

cz_err time_device_witness_create(time_case **out, const time_order *order)
{
    device_case *c = calloc(1, sizeof *c);
    cz_err err;

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    c->base = (time_case){.pool = order->pool, .run = run, .check = check, .destroy = destroy};
    err = open_all(c, order);
    if (err != CZ_OK) {
        destroy(&c->base);
        return err;
    }
    c->base.cost = (time_cost){.form = "cuda",
                               .item = "variable",
                               .items = (double)c->source->n_aux,
                               .bytes = (double)value_bytes(c->source)};
    *out = &c->base;
    return CZ_OK;
}
