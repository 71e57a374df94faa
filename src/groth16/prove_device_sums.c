/* prove_device_sums.c: what both modes do for a member of a batch: its witness goes up, its sums
 * grow. */
#include "base/bytes.h"
#include "cs/witness_source.h"
#include "groth16/prove_device_key.h"

/* ---- time ---- */

void cz_device_lap(cz_device_batch *b, cz_phase phase, unsigned first, unsigned n)
{
    const uint64_t now = cz_clock_ns();

    for (unsigned i = first; i < first + n; i++)
        b->members[i].ns[phase] += (now - b->lap_ns) / n;
    b->lap_ns = now;
}

cz_err cz_device_wait(const cz_device_batch *b)
{
    cz_gpu_event *mark = b->key->mark;
    float ms;

    CZ_TRY(cz_gpu_event_record(b->key->gpu, mark, CZ_GPU_COMPUTE));
    return cz_gpu_event_ms(&ms, mark, mark);
}

/* ---- witnesses ---- */

static uint64_t *plane_of(const cz_device_key *key, unsigned i)
{
    return key->d_plane + i * key->plane_stride;
}

static cz_fr *values_of(const cz_device_key *key, unsigned i)
{
    return key->d_values + i * key->values_stride;
}

cz_err cz_device_upload(const cz_device_batch *b, unsigned i, cz_gpu_queue queue)
{
    const cz_device_key *key = b->key;
    const cz_bit_witness *w = b->members[i].part->w;
    uint64_t *d_plane = plane_of(key, i);
    cz_fr *d_values = values_of(key, i);

    if (w->source != NULL) /* made there; the memory of rows and sums is free until they are */
        return w->source->fill(w->source, key->gpu, d_plane, d_values, key->d_shared,
                               key->shared_bytes);
    CZ_TRY(cz_gpu_copy(key->gpu, queue, d_plane, w->bits, (key->n_words + 1) * sizeof *w->bits));
    CZ_TRY(cz_gpu_copy(key->gpu, queue, d_values, w->inputs, w->n_inputs * sizeof *w->inputs));
    if (w->n_fields > 0)
        CZ_TRY(cz_gpu_copy(key->gpu, queue, d_values + w->n_inputs, w->fields,
                           w->n_fields * sizeof *w->fields));
    return CZ_OK;
}

/* ---- sums ---- */

static cz_g1 *sum_of(cz_device_member *m, cz_device_sum which)
{
    cz_proof_job *job = &m->job;

    return which == CZ_DEVICE_SUM_H   ? &job->h
           : which == CZ_DEVICE_SUM_L ? &job->l
           : which == CZ_DEVICE_SUM_A ? &job->a
                                      : &job->b1;
}

static void add_g1(cz_device_member *m, cz_device_sum which, cz_g1 *part)
{
    cz_g1_add(sum_of(m, which), sum_of(m, which), part);
    cz_secure_zero(part, sizeof *part);
}

static void add_g2(cz_device_member *m, cz_g2 *part)
{
    cz_g2_add(&m->job.b2, &m->job.b2, part);
    cz_secure_zero(part, sizeof *part);
}

cz_err cz_device_add_full(cz_device_batch *b, unsigned i, cz_device_sum which, const void *d_points,
                          const cz_fr *d_scalars, size_t n, unsigned tables)
{
    const cz_gpu_terms terms = {.group = which == CZ_DEVICE_SUM_B2 ? CZ_GPU_G2 : CZ_GPU_G1,
                                .tables = tables,
                                .montgomery = 1,
                                .n = n,
                                .n_points = n,
                                .d_points = d_points,
                                .d_scalars = d_scalars};
    cz_gpu_sums *sums = b->key->sums;
    cz_g1 g1;
    cz_g2 g2;

    if (n == 0)
        return CZ_OK;
    if (which == CZ_DEVICE_SUM_B2) {
        CZ_TRY(cz_sums_gpu_full_g2(sums, &g2, &terms, NULL));
        add_g2(&b->members[i], &g2);
    } else {
        CZ_TRY(cz_sums_gpu_full_g1(sums, &g1, &terms, NULL));
        add_g1(&b->members[i], which, &g1);
    }
    return CZ_OK;
}

cz_err cz_device_select_tail(const cz_device_batch *b, unsigned i, cz_device_vars_name vars,
                             cz_fr *d_scalars, size_t first, size_t n)
{
    const cz_device_key *key = b->key;

    return cz_gpu_result(b->backend->select_values(key->gpu, d_scalars, values_of(key, i),
                                                   key->vars[vars].d_tail_at + first, n));
}

cz_err cz_device_add_tail(cz_device_batch *b, unsigned i, cz_device_sum which,
                          cz_device_vars_name vars, const void *d_points, size_t first, size_t n)
{
    const cz_device_key *key = b->key;

    if (n == 0)
        return CZ_OK;
    CZ_TRY(cz_device_select_tail(b, i, vars, key->d_scalars, first, n));
    return cz_device_add_full(b, i, which, d_points, key->d_scalars, n, 1);
}

/* The bits of the stretch, of every member. */
static cz_err select_bits(const cz_device_batch *b, const cz_device_bits *bits)
{
    const cz_device_key *key = b->key;
    const cz_device_vars *v = &key->vars[bits->vars];

    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_selected,
                       b->n * key->selected_stride * sizeof *key->d_selected));
    for (unsigned i = 0; i < b->n; i++)
        CZ_TRY(cz_gpu_result(b->backend->select_bits(
            key->gpu, key->d_selected + i * key->selected_stride,
            plane_of(key, i) + bits->first_word, v->d_mask + bits->first_word,
            v->d_ranks + bits->first_word, bits->n_words, bits->first_bit)));
    return CZ_OK;
}

static cz_err add_bits_g1(cz_device_batch *b, cz_device_sum which, const void *d_points,
                          const uint64_t *const *d_planes, size_t n)
{
    cz_g1 parts[CZ_GPU_MAX_PLANES];

    CZ_TRY(cz_sums_gpu_bits_g1_many(b->key->sums, parts, d_points, d_planes, b->n, n, NULL));
    for (unsigned i = 0; i < b->n; i++)
        add_g1(&b->members[i], which, &parts[i]);
    return CZ_OK;
}

static cz_err add_bits_g2(cz_device_batch *b, const void *d_points, const uint64_t *const *d_planes,
                          size_t n)
{
    cz_g2 parts[CZ_GPU_MAX_PLANES];

    CZ_TRY(cz_sums_gpu_bits_g2_many(b->key->sums, parts, d_points, d_planes, b->n, n, NULL));
    for (unsigned i = 0; i < b->n; i++)
        add_g2(&b->members[i], &parts[i]);
    return CZ_OK;
}

cz_err cz_device_add_bits(cz_device_batch *b, cz_device_sum which, const cz_device_bits *bits,
                          const void *d_points)
{
    const uint64_t *d_planes[CZ_GPU_MAX_PLANES];

    if (bits->n == 0)
        return CZ_OK;
    CZ_TRY(select_bits(b, bits));
    for (unsigned i = 0; i < b->n; i++)
        d_planes[i] = b->key->d_selected + i * b->key->selected_stride;
    if (which == CZ_DEVICE_SUM_B2)
        return add_bits_g2(b, d_points, d_planes, bits->n);
    return add_bits_g1(b, which, d_points, d_planes, bits->n);
}
