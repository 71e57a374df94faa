/* host_eval.c: see host_eval.h. */
#include "host_eval.h"

#include <string.h>

#include "cs/eval_device.h"

enum { HOST_EVAL_THREADS = 7, HOST_EVAL_LANES = 32 };

static void host_eval_wide(cz_fr32 *const out[3], const cz_eval_place *at, const cz_eval_row *row,
                           int m, uint64_t out_row)
{
    int64_t digits[CZ_EVAL_DIGITS] = {0};
    uint32_t v[8];

    for (uint32_t lane = 0; lane < HOST_EVAL_LANES; lane++)
        cz_eval_wide_part(digits, at, cz_eval_terms(at->t, row, m), row->n[m], lane,
                          HOST_EVAL_LANES);
    cz_eval_from_digits(v, digits);
    cz_fr32_write(&out[m][out_row], v);
}

static void host_eval_item(const cz_eval_tables *t, const cz_eval_item *item, const uint32_t *plane,
                           const cz_fr32 *values, cz_fr32 *const out[3])
{
    static _Thread_local uint32_t bits[CZ_EVAL_BIT_WORDS]; /* as a block's shared memory */
    const cz_eval_instance *x = &t->instances[item->instance];
    const cz_eval_template *shape = &t->templates[x->template_index];
    const cz_eval_row *rows = t->rows + shape->first_row;
    cz_eval_place at;

    memset(bits, 0, sizeof bits);
    for (uint32_t thread = 0; thread < HOST_EVAL_THREADS; thread++)
        cz_eval_load_columns(bits, t, x, plane, thread, HOST_EVAL_THREADS);
    at = cz_eval_at(t, x, bits, values);
    for (uint32_t k = item->first_row; k < item->first_row + item->n_rows; k++)
        cz_eval_light_row(out, (uint64_t)x->first_row + k, &at, &rows[k]);
    for (uint32_t i = 0; i < item->n_long; i++)
        cz_eval_long_sum(out, &at, x, item, i);
    for (uint32_t i = 0; i < item->n_wide; i++) {
        const uint32_t which = t->wide[item->first_wide + i];

        if (out[which % 4] != NULL)
            host_eval_wide(out, &at, &rows[which / 4], (int)(which % 4), x->first_row + which / 4);
    }
}

cz_err host_eval_rows(cz_gpu *gpu, const cz_eval_tables *t, const void *bits, const void *values,
                      void *a, void *b, void *c)
{
    cz_fr32 *const out[3] = {a, b, c};

    (void)gpu;
    for (uint32_t i = 0; i < t->n_items; i++)
        host_eval_item(t, &t->items[i], bits, values, out);
    return CZ_OK;
}
