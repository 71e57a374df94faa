/* prove_device_resident.c: the stages with all points on the device: for each partition its rows, H
 * and its tails; then the lists' bits, of all partitions at once.
 *
 * C = H + L + s A + r B1 - r s delta, and B1 is needed for nothing else: the tails of L and B1 are
 * summed with H where they fit, the latter's values times r. */
#include "groth16/prove_device_key.h"

/* The rows of a, b, c where it is evaluated, and the transforms' scratch; all but the first in the
 * sums' scratch. */
static cz_fr *rows(const cz_device_key *key, unsigned i)
{
    return i == 0 ? key->d_rows : (cz_fr *)key->d_shared + (i - 1) * cz_device_domain(key);
}

/* Witnesses from the host's memory go up while the transforms of the partition before them run;
 * one that the device makes needs the memory of rows and sums, and so its turn. */
static bool goes_ahead(const cz_device_batch *b, unsigned i)
{
    return i > 0 && i < b->n && b->members[i].part->w->source == NULL;
}

static cz_err upload_ahead(const cz_device_batch *b, unsigned i)
{
    if (!goes_ahead(b, i))
        return CZ_OK;
    CZ_TRY(cz_device_upload(b, i, CZ_GPU_COPY));
    return cz_gpu_event_record(b->key->gpu, b->key->uploaded, CZ_GPU_COPY);
}

static cz_err upload(cz_device_batch *b, unsigned i)
{
    if (goes_ahead(b, i))
        return cz_gpu_event_wait(b->key->gpu, b->key->uploaded, CZ_GPU_COMPUTE);
    CZ_TRY(cz_device_upload(b, i, CZ_GPU_COMPUTE));
    CZ_TRY(cz_device_wait(b));
    cz_device_lap(b, CZ_PHASE_PIN, i, 1);
    return CZ_OK;
}

static cz_err evaluate(cz_device_batch *b, unsigned i)
{
    const cz_device_key *key = b->key;

    CZ_TRY(cz_eval_gpu_run(key->eval, key->d_plane + i * key->plane_stride,
                           key->d_values + i * key->values_stride, cz_device_domain(key),
                           rows(key, 0), rows(key, 1), key->is_folded ? NULL : rows(key, 2)));
    CZ_TRY(cz_device_wait(b));
    cz_device_lap(b, CZ_PHASE_EVALUATE, i, 1);
    return CZ_OK;
}

/* What H is summed with, where a was. */
static cz_err make_h_scalars(const cz_device_key *key)
{
    if (key->is_folded)
        return cz_ntt_gpu_coset_product(key->ntt, rows(key, 0), rows(key, 1), rows(key, 2));
    return cz_ntt_gpu_quotient(key->ntt, rows(key, 0), rows(key, 1), rows(key, 2), rows(key, 3));
}

/* Before the transforms: nothing is queued then, so the copy has nothing to wait for. */
static cz_err upload_r(const cz_device_batch *b, unsigned i)
{
    const cz_device_key *key = b->key;

    return cz_gpu_copy(key->gpu, CZ_GPU_COMPUTE, key->d_r, &b->members[i].r, sizeof *key->d_r);
}

static cz_err select_products(const cz_device_batch *b, unsigned i, cz_fr *d_scalars)
{
    const cz_device_key *key = b->key;
    const cz_device_vars *vars = &key->vars[CZ_DEVICE_B];

    return cz_gpu_result(b->backend->select_products(key->gpu, d_scalars,
                                                     key->d_values + i * key->values_stride,
                                                     vars->d_tail_at, vars->n_tail, key->d_r));
}

/* Scalars of the tails that join, behind H's, in the order of their points. */
static cz_err select_joined(const cz_device_batch *b, unsigned i)
{
    const cz_device_key *key = b->key;
    const size_t n_l = key->vars[CZ_DEVICE_L].n_tail;
    cz_fr *d_to = key->d_rows + key->hl_file->h.n;

    if (key->l_joins) {
        CZ_TRY(cz_device_select_tail(b, i, CZ_DEVICE_L, d_to, 0, n_l));
        d_to += n_l;
    }
    return key->b1_joins ? select_products(b, i, d_to) : CZ_OK;
}

static cz_err sum_h(cz_device_batch *b, unsigned i)
{
    const cz_device_key *key = b->key;

    if (key->b1_joins)
        CZ_TRY(upload_r(b, i));
    CZ_TRY(make_h_scalars(key));
    CZ_TRY(upload_ahead(b, i + 1));
    CZ_TRY(select_joined(b, i));
    CZ_TRY(cz_device_add_full(b, i, CZ_DEVICE_SUM_H, key->d_h, key->d_rows, key->h_terms,
                              key->h_tables));
    cz_device_lap(b, CZ_PHASE_NTT_MSM_H, i, 1);
    return CZ_OK;
}

/* A list's tail is summed with the values of one partition after the other. */
static cz_err add_tail(cz_device_batch *b, unsigned i, cz_device_sum which,
                       cz_device_vars_name vars, const cz_device_points *points)
{
    return cz_device_add_tail(b, i, which, vars, points->d_tail, 0, b->key->vars[vars].n_tail);
}

static cz_err sum_tails(cz_device_batch *b, unsigned i)
{
    const cz_device_key *key = b->key;

    if (!key->l_joins) /* else H's sum has it */
        CZ_TRY(add_tail(b, i, CZ_DEVICE_SUM_L, CZ_DEVICE_L, &key->l));
    CZ_TRY(add_tail(b, i, CZ_DEVICE_SUM_A, CZ_DEVICE_A, &key->a));
    if (!key->b1_joins) /* the same */
        CZ_TRY(add_tail(b, i, CZ_DEVICE_SUM_B1, CZ_DEVICE_B, &key->b1));
    cz_device_lap(b, CZ_PHASE_TAIL_MSM, i, 1);
    CZ_TRY(add_tail(b, i, CZ_DEVICE_SUM_B2, CZ_DEVICE_B, &key->b2));
    cz_device_lap(b, CZ_PHASE_B_G2_MSM, i, 1);
    return CZ_OK;
}

static cz_err add_bits(cz_device_batch *b, cz_device_sum which, cz_device_vars_name vars,
                       const cz_device_points *points)
{
    const cz_device_bits bits = {
        .vars = vars, .n_words = b->key->n_words, .n = b->key->vars[vars].n_bits};

    return cz_device_add_bits(b, which, &bits, points->d_bits);
}

static cz_err sum_bits(cz_device_batch *b)
{
    const cz_device_key *key = b->key;

    CZ_TRY(add_bits(b, CZ_DEVICE_SUM_L, CZ_DEVICE_L, &key->l));
    CZ_TRY(add_bits(b, CZ_DEVICE_SUM_A, CZ_DEVICE_A, &key->a));
    CZ_TRY(add_bits(b, CZ_DEVICE_SUM_B1, CZ_DEVICE_B, &key->b1));
    cz_device_lap(b, CZ_PHASE_BATCH_ADD, 0, b->n);
    CZ_TRY(add_bits(b, CZ_DEVICE_SUM_B2, CZ_DEVICE_B, &key->b2));
    cz_device_lap(b, CZ_PHASE_B_G2_MSM, 0, b->n);
    return CZ_OK;
}

cz_err cz_device_run_resident(cz_device_batch *b)
{
    for (unsigned i = 0; i < b->n; i++) {
        CZ_TRY(upload(b, i));
        CZ_TRY(evaluate(b, i));
        CZ_TRY(sum_h(b, i));
        CZ_TRY(sum_tails(b, i));
    }
    return sum_bits(b);
}
