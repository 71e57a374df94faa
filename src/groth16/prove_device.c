/* prove_device.c: see prove_device.h. A batch from its witnesses to its proofs; its stages are
 * those of the key's mode. */
#include <stdlib.h>

#include "base/bytes.h"
#include "groth16/prove_device_key.h"

/* ---- one batch ---- */

static void begin_member(cz_device_member *m, const cz_device_partition *part,
                         const struct cz_prover_key *key, cz_trace *trace)
{
    m->part = part;
    m->job = (cz_proof_job){.key = key,
                            .trace = part->trace != NULL ? part->trace : trace,
                            .options = {.partition = part->partition}};
    cz_g1_set_infinity(&m->job.h);
    cz_g1_set_infinity(&m->job.l);
    cz_g1_set_infinity(&m->job.a);
    cz_g1_set_infinity(&m->job.b1);
    cz_g2_set_infinity(&m->job.b2);
}

/* Before the sums: r is a factor in one of them. */
static cz_err draw_scalars(cz_device_member *m)
{
    if (m->part->r == NULL) {
        CZ_TRY(cz_fr_random(&m->r));
        return cz_fr_random(&m->s);
    }
    m->r = *m->part->r;
    m->s = *m->part->s;
    return CZ_OK;
}

/* Witnesses, what was selected of them, rows, r, and what sums left: digits, sorted, tell a
 * witness. After a failure the next witness may still be on its way up. Queued. */
static cz_err begin_erasing(const cz_device_key *key)
{
    CZ_TRY(cz_gpu_sync(key->gpu));
    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_plane,
                       key->batch * key->plane_stride * sizeof *key->d_plane));
    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_values,
                       key->batch * key->values_stride * sizeof *key->d_values));
    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_selected, key->selected_bytes));
    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_scalars, key->scalar_bytes));
    if (!key->streams && key->b1_joins)
        CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_r, sizeof *key->d_r));
    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_rows, key->rows_bytes));
    return cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_shared, key->shared_bytes);
}

static cz_err run_stages(cz_device_batch *b)
{
    b->start_ns = b->lap_ns = cz_clock_ns();
    return b->key->streams ? cz_device_run_streamed(b) : cz_device_run_resident(b);
}

/* One after the other, in the order of the partitions. */
static void add_phases(const cz_device_batch *b)
{
    uint64_t at = b->start_ns;

    for (unsigned i = 0; i < b->n; i++)
        for (int p = 0; p < CZ_PHASE_COUNT; p++) {
            const uint64_t ns = b->members[i].ns[p];

            if (ns > 0)
                cz_trace_add(b->members[i].job.trace, (cz_phase)p, b->members[i].part->partition,
                             at, ns);
            at += ns;
        }
}

static void assemble(cz_proof *out, const cz_device_batch *b)
{
    add_phases(b);
    for (unsigned i = 0; i < b->n; i++)
        cz_stage_assemble(&out[i], &b->members[i].job, &b->members[i].r, &b->members[i].s);
}

/* Erases whatever happens, and waits. The host assembles while the device erases. */
static cz_err run(cz_proof *out, cz_device_batch *b)
{
    const cz_err err = run_stages(b);

    CZ_TRY(begin_erasing(b->key));
    if (err == CZ_OK)
        assemble(out, b);
    CZ_TRY(cz_gpu_sync(b->key->gpu));
    return err;
}

static cz_err prove_members(cz_proof *out, cz_device_batch *b)
{
    const uint64_t vram = cz_gpu_used_bytes(b->key->gpu, CZ_GPU_DEVICE_MEMORY);

    for (unsigned i = 0; i < b->n; i++) {
        cz_trace_note_vram(b->members[i].job.trace, vram);
        CZ_TRY(draw_scalars(&b->members[i]));
    }
    return run(out, b);
}

/* At most key->batch. Members have secrets: sums, r and s. */
static cz_err prove_batch(cz_proof *out, cz_device_key *key, const cz_device_partition *parts,
                          unsigned n, cz_trace *trace)
{
    const struct cz_prover_key host_key = {.params = key->params};
    cz_device_batch b = {.key = key, .n = n};
    cz_err err;

    CZ_TRY(cz_gpu_load(&b.backend));
    b.members = calloc(n, sizeof *b.members);
    if (b.members == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for a batch of proofs", key->circuit_id);
    for (unsigned i = 0; i < n; i++)
        begin_member(&b.members[i], &parts[i], &host_key, trace);
    err = prove_members(out, &b);
    cz_secure_zero(b.members, n * sizeof *b.members);
    free(b.members);
    return err;
}

/* ---- proofs ---- */

static cz_err check_part(const cz_device_key *key, const cz_device_partition *part)
{
    const cz_bit_witness *w = part->w;

    if (w->n_inputs != key->n_inputs || w->n_aux != key->n_aux || w->n_fields != key->n_fields)
        return cz_fail(CZ_E_ARG, "the witness is not one of %s", key->circuit_id);
    CZ_ASSERT((part->r == NULL) == (part->s == NULL));
    return CZ_OK;
}

cz_err cz_groth16_prove_device_batch(cz_proof *out, cz_device_key *key,
                                     const cz_device_partition *parts, unsigned n, cz_trace *trace)
{
    const unsigned most = key->batch;

    for (unsigned i = 0; i < n; i++)
        CZ_TRY(check_part(key, &parts[i]));
    for (unsigned i = 0; i < n; i += most)
        CZ_TRY(prove_batch(out + i, key, parts + i, n - i < most ? n - i : most, trace));
    return CZ_OK;
}

cz_err cz_groth16_prove_device(cz_proof *out, cz_device_key *key, const cz_bit_witness *w,
                               const cz_fr *r, const cz_fr *s, unsigned partition, cz_trace *trace)
{
    const cz_device_partition part = {.w = w, .r = r, .s = s, .partition = partition};

    return cz_groth16_prove_device_batch(out, key, &part, 1, trace);
}

cz_err cz_groth16_prove_device_blinded(cz_proof *out, cz_device_key *key, const cz_bit_witness *w,
                                       unsigned partition, cz_trace *trace)
{
    return cz_groth16_prove_device(out, key, w, NULL, NULL, partition, trace);
}
