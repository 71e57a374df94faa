/* host_fold.c: see host_fold.h. */
#include "host_fold.h"

#include "params/fold_device.h"

static void host_fold_item(const struct cz_fold_task *task, uint64_t i, uint32_t *table)
{
    const cz_fold_table place = {table, 1};
    uint32_t x[12], y[12], scalar[8], d[12];
    cz_fold_digits digits;
    cz_fold_jacobian p;

    if (!cz_fold_operand(task, i, x, y, scalar)) {
        int none;

        cz_fold_digits_of(&digits, scalar);
        cz_fold_product(&p, x, y, &digits, &place);
        none = cz_fold_affine_denominator(d, &p);
        cz_fp32_inv(d, d);
        cz_fold_affine(x, y, &p, d, none);
    }
    if (task->kind != CZ_FOLD_LAYER) {
        cz_setup_store(cz_fold_place(task, i), x);
        cz_setup_store(cz_fold_place(task, i) + 12, y);
        return;
    }
    cz_fold_layer_denominator(d, task, i, x, y);
    cz_fp32_inv(d, d);
    cz_fold_layer_sums(task, i, x, y, d);
}

cz_err host_fold_multiply(cz_gpu *gpu, const struct cz_fold_task *task)
{
    const uint64_t n = task->kind == CZ_FOLD_FACTORS ? *task->n_factors : task->n;
    uint32_t table[12 * CZ_FOLD_TABLE];

    (void)gpu;
    for (uint64_t i = 0; i < n; i++)
        host_fold_item(task, task->first + i, table);
    return CZ_OK;
}

cz_err host_fold_encode(cz_gpu *gpu, void *bytes, const void *points, unsigned log_n, size_t first,
                        size_t n)
{
    (void)gpu;
    for (size_t i = 0; i < n; i++)
        cz_fold_encode(bytes, points, log_n, first, i);
    return CZ_OK;
}

cz_err host_fold_columns(cz_gpu *gpu, const struct cz_fold_part *part)
{
    const struct cz_fold_task products = cz_fold_part_products(part);
    const size_t chains = (part->n + CZ_SETUP_CHAIN - 1) / CZ_SETUP_CHAIN;

    *part->n_factors = 0;
    for (size_t i = 0; i < part->n_entries; i++)
        cz_fold_entry(part, i);
    CZ_TRY(host_fold_multiply(gpu, &products));
    for (size_t i = 0; i < part->round_first[1]; i++)
        cz_fold_sum_terms(part, &part->jobs[i]);
    for (size_t i = part->round_first[1]; i < part->round_first[part->n_rounds]; i++)
        cz_fold_sum_sums(part, &part->jobs[i]);
    for (size_t i = 0; i < chains; i++)
        cz_setup_g1_encode(part->bytes, part->sums, part->running, part->n, i, chains, 1);
    return CZ_OK;
}
