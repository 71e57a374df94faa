/* columns.c: see columns.h. */
#include "cs/columns.h"

typedef struct {
    cz_cs cs; /* first: modes embed it */
    cz_fr *at, *bt, *ct;
    uint32_t n_inputs, n_aux;
    const cz_fr *weights;
    uint64_t n_weights;
    cz_fr minus_one;
} columns_cs;

static void columns_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    (void)name;
    (void)value;
    if (cs->n_aux >= ((columns_cs *)cs)->n_aux)
        cz_cs_fail(cs, cz_fail(CZ_E_ARG, "more aux variables than the columns were sized for"));
}

static void columns_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    (void)name;
    (void)value;
    if (cs->n_inputs >= ((columns_cs *)cs)->n_inputs)
        cz_cs_fail(cs, cz_fail(CZ_E_ARG, "more inputs than the columns were sized for"));
}

/* column += coeff * weight */
static void add_weighted(cz_fr *column, const cz_fr *coeff, const cz_fr *weight,
                         const cz_fr *minus_one)
{
    cz_fr product;

    if (cz_fr_is_one(coeff)) {
        cz_fr_add(column, column, weight);
    } else if (cz_fr_equal(coeff, minus_one)) {
        cz_fr_sub(column, column, weight);
    } else {
        cz_fr_mul(&product, coeff, weight);
        cz_fr_add(column, column, &product);
    }
}

static void add_row(const columns_cs *k, cz_fr *columns, const cz_lc *lc, const cz_fr *weight)
{
    for (uint32_t i = 0; i < lc->n; i++) {
        cz_var v = lc->terms[i].var;
        size_t at = cz_var_is_aux(v) ? (size_t)k->n_inputs + cz_var_index(v) : cz_var_index(v);

        add_weighted(&columns[at], &lc->terms[i].coeff, weight, &k->minus_one);
    }
}

static void columns_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    columns_cs *k = (columns_cs *)cs;
    const cz_fr *weight = k->weights + cs->n_constraints;

    (void)name;
    if (cs->n_constraints >= k->n_weights) {
        cz_cs_fail(cs, cz_fail(CZ_E_ARG, "more constraints than row weights"));
        return;
    }
    add_row(k, k->at, a, weight);
    add_row(k, k->bt, b, weight);
    add_row(k, k->ct, c, weight);
}

static const cz_cs_ops columns_ops = {columns_alloc, columns_alloc_input, columns_enforce};

/* The rows x_i * 0 = 0 after the constraints. */
static cz_err add_input_rows(columns_cs *k)
{
    if (k->n_weights - k->cs.n_constraints < k->n_inputs)
        return cz_fail(CZ_E_ARG, "fewer row weights than constraints and inputs");
    for (uint32_t i = 0; i < k->n_inputs; i++)
        cz_fr_add(&k->at[i], &k->at[i], &k->weights[k->cs.n_constraints + i]);
    return CZ_OK;
}

cz_err cz_circuit_columns(cz_fr *at, cz_fr *bt, cz_fr *ct, const cz_circuit *circuit,
                          uint32_t n_inputs, uint32_t n_aux, const cz_fr *weights,
                          uint64_t n_weights)
{
    size_t n = (size_t)n_inputs + n_aux;
    const cz_fr one = CZ_FR_ONE;
    columns_cs k = {.at = at,
                    .bt = bt,
                    .ct = ct,
                    .n_inputs = n_inputs,
                    .n_aux = n_aux,
                    .weights = weights,
                    .n_weights = n_weights};

    memset(at, 0, n * sizeof *at);
    memset(bt, 0, n * sizeof *bt);
    memset(ct, 0, n * sizeof *ct);
    cz_fr_neg(&k.minus_one, &one);
    cz_cs_init(&k.cs, &columns_ops, false, true);
    circuit->synthesize(circuit, &k.cs);
    CZ_TRY_IN(cz_cs_status(&k.cs), "circuit %s", circuit->id);
    if (k.cs.n_inputs != n_inputs || k.cs.n_aux != n_aux)
        return cz_fail(CZ_E_ARG, "circuit %s: fewer variables than the columns were sized for",
                       circuit->id);
    CZ_TRY_IN(add_input_rows(&k), "circuit %s", circuit->id);
    return CZ_OK;
}
