/* compiled_columns.c: see compiled_columns.h. */
#include "cs/compiled_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "cs/compiled_state.h"

typedef struct {
    const cz_compiled *c;
    cz_c_columns out;
    cz_var *columns;   /* of an instance */
    uint32_t *numbers; /* of the circuit's coefficients among the columns'; UNUSED */
    uint64_t n_entries;
} maker;

static const uint32_t UNUSED = UINT32_MAX;

static const cz_compiled_term *terms_of_c(const cz_compiled_tables *t, const cz_compiled_row *row)
{
    return t->terms + row->first_term + row->n[0] + row->n[1];
}

static uint32_t variable(const cz_compiled_tables *t, cz_var v)
{
    return cz_var_is_aux(v) ? t->header->n_inputs + cz_var_index(v) : cz_var_index(v);
}

/* ---- coefficients ---- */

static void mark_coefficients(maker *m)
{
    const cz_compiled_tables *t = &m->c->t;

    for (uint32_t i = 0; i < t->header->n_coeffs; i++)
        m->numbers[i] = UNUSED;
    for (uint32_t i = 0; i < t->header->n_rows; i++) {
        const cz_compiled_term *terms = terms_of_c(t, &t->rows[i]);

        for (uint32_t k = 0; k < t->rows[i].n[2]; k++)
            m->numbers[terms[k].coeff] = CZ_C_OTHERS;
    }
}

static void number_coefficients(maker *m)
{
    const cz_compiled_tables *t = &m->c->t;
    const cz_fr one = CZ_FR_ONE;
    cz_fr *coeffs = m->out.coeffs;
    uint32_t n = CZ_C_OTHERS;

    coeffs[CZ_C_ONE] = one;
    cz_fr_neg(&coeffs[CZ_C_MINUS_ONE], &one);
    for (uint32_t i = 0; i < t->header->n_coeffs; i++) {
        if (m->numbers[i] == UNUSED)
            continue;
        if (m->c->small[i] == 1 || m->c->small[i] == -1) {
            m->numbers[i] = m->c->small[i] == 1 ? CZ_C_ONE : CZ_C_MINUS_ONE;
            continue;
        }
        coeffs[n] = t->coeffs[i];
        m->numbers[i] = n++;
    }
    m->out.n_coeffs = n;
}

/* ---- entries ---- */

/* Every entry of C of the instance, in order of rows. */
typedef void (*entry_fn)(maker *m, uint32_t k, uint32_t row, uint32_t coeff);

static void visit_instance(maker *m, const cz_compiled_instance *x, entry_fn visit)
{
    const cz_compiled_tables *t = &m->c->t;
    const cz_compiled_template *shape = &t->templates[x->template_index];
    const cz_compiled_row *row = &t->rows[shape->first_row];

    cz_compiled_list_columns(m->columns, t, x);
    for (uint32_t i = 0; i < shape->n_rows; i++, row++) {
        const cz_compiled_term *terms = terms_of_c(t, row);

        for (uint32_t k = 0; k < row->n[2]; k++)
            visit(m, variable(t, m->columns[terms[k].column]), x->first_row + i,
                  m->numbers[terms[k].coeff]);
    }
}

static void visit_all(maker *m, entry_fn visit)
{
    const cz_compiled_tables *t = &m->c->t;

    for (uint32_t i = 0; i < t->header->n_instances; i++)
        visit_instance(m, &t->instances[i], visit);
}

static void count_entry(maker *m, uint32_t k, uint32_t row, uint32_t coeff)
{
    (void)row;
    (void)coeff;
    m->out.start[k + 1]++;
    m->n_entries++;
}

/* start[k + 1] goes from the beginning of column k to its end. */
static void put_entry(maker *m, uint32_t k, uint32_t row, uint32_t coeff)
{
    const uint32_t at = m->out.start[k + 1]++;

    m->out.row[at] = row;
    m->out.coeff[at] = coeff;
}

/* Counts, each a place further on, become beginnings. */
static void sum_up_counts(cz_c_columns *out)
{
    uint32_t sum = 0;

    for (uint32_t k = 0; k < out->n_vars; k++) {
        const uint32_t n = out->start[k + 1];

        out->start[k + 1] = sum;
        sum += n;
    }
}

/* ---- all ---- */

static size_t start_bytes(const cz_c_columns *c)
{
    return ((size_t)c->n_vars + 1) * sizeof *c->start;
}

static size_t row_bytes(const cz_c_columns *c)
{
    return ((size_t)c->n_entries + 1) * sizeof *c->row;
}

static size_t coeff_bytes(const cz_c_columns *c)
{
    return ((size_t)c->n_entries + 1) * sizeof *c->coeff;
}

static cz_err no_memory(const maker *m)
{
    return cz_fail(CZ_E_NOMEM, "%s: no memory for the columns of C", cz_compiled_id(m->c));
}

static cz_err allocate(maker *m)
{
    const cz_compiled_header *h = m->c->t.header;
    cz_c_columns *out = &m->out;

    out->n_vars = h->n_inputs + h->n_aux;
    out->start = cz_blocks_take(NULL, start_bytes(out));
    out->coeffs = malloc(((size_t)h->n_coeffs + CZ_C_OTHERS) * sizeof *out->coeffs);
    m->columns = malloc(m->c->max_columns * sizeof *m->columns);
    m->numbers = malloc(((size_t)h->n_coeffs + 1) * sizeof *m->numbers);
    if (out->start == NULL || out->coeffs == NULL || m->columns == NULL || m->numbers == NULL)
        return no_memory(m);
    memset(out->start, 0, start_bytes(out));
    return CZ_OK;
}

/* As many as were counted. */
static cz_err allocate_entries(maker *m)
{
    cz_c_columns *out = &m->out;

    if (m->n_entries > UINT32_MAX)
        return cz_fail(CZ_E_DECLINED, "%s: C has 2^32 entries or more", cz_compiled_id(m->c));
    out->n_entries = (uint32_t)m->n_entries;
    out->row = cz_blocks_take(NULL, row_bytes(out));
    out->coeff = cz_blocks_take(NULL, coeff_bytes(out));
    return out->row == NULL || out->coeff == NULL ? no_memory(m) : CZ_OK;
}

static cz_err make(maker *m)
{
    CZ_TRY(allocate(m));
    mark_coefficients(m);
    number_coefficients(m);
    visit_all(m, count_entry);
    CZ_TRY(allocate_entries(m));
    sum_up_counts(&m->out);
    visit_all(m, put_entry);
    return CZ_OK;
}

cz_err cz_c_columns_make(cz_c_columns *out, const cz_compiled *c)
{
    maker m = {.c = c};
    cz_err err = make(&m);

    free(m.columns);
    free(m.numbers);
    if (err != CZ_OK)
        cz_c_columns_clear(&m.out);
    else
        *out = m.out;
    return err;
}

void cz_c_columns_clear(cz_c_columns *c)
{
    cz_blocks_give(NULL, c->start, start_bytes(c));
    cz_blocks_give(NULL, c->row, row_bytes(c));
    cz_blocks_give(NULL, c->coeff, coeff_bytes(c));
    free(c->coeffs);
    *c = (cz_c_columns){0};
}

/* ---- the product ---- */

typedef struct {
    cz_fr *out;
    const cz_compiled *c;
    const cz_fr *v;
    cz_var *columns; /* max_columns a thread */
} product;

static void multiply_row(const product *p, cz_fr *out, const cz_var *columns,
                         const cz_compiled_row *row)
{
    const cz_compiled_tables *t = &p->c->t;
    const cz_compiled_term *terms = terms_of_c(t, row);
    cz_fr sum = CZ_FR_ZERO;

    for (uint32_t k = 0; k < row->n[2]; k++)
        cz_add_product(&sum, &t->coeffs[terms[k].coeff],
                       &p->v[variable(t, columns[terms[k].column])], p->c->small[terms[k].coeff]);
    *out = sum;
}

static cz_err multiply_instances(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const product *p = ctx;
    const cz_compiled_tables *t = &p->c->t;
    cz_var *columns = p->columns + (size_t)p->c->max_columns * worker;

    for (size_t i = begin; i < end; i++) {
        const cz_compiled_instance *x = &t->instances[i];
        const cz_compiled_template *shape = &t->templates[x->template_index];

        cz_compiled_list_columns(columns, t, x);
        for (uint32_t k = 0; k < shape->n_rows; k++)
            multiply_row(p, &p->out[x->first_row + k], columns, &t->rows[shape->first_row + k]);
    }
    return CZ_OK;
}

enum { INSTANCES_AT_ONCE = 4 };

cz_err cz_compiled_c_times(cz_fr *out, const cz_compiled *c, const cz_fr *v, cz_pool *pool)
{
    const cz_compiled_header *h = c->t.header;
    product p = {.out = out, .c = c, .v = v};
    cz_err err;

    p.columns = malloc((size_t)c->max_columns * cz_pool_threads(pool) * sizeof *p.columns);
    if (p.columns == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory to multiply by C", cz_compiled_id(c));
    err = cz_parallel_for(pool, h->n_instances, INSTANCES_AT_ONCE, multiply_instances, &p);
    free(p.columns);
    for (uint32_t i = 0; i < h->n_inputs; i++)
        out[h->n_constraints + i] = CZ_FR_ZERO;
    return err;
}
