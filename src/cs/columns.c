/* columns.c: see columns.h. */
#include "cs/columns.h"

#include <pthread.h>
#include <stdlib.h>

enum { ZERO_AT_ONCE = 1 << 16 };

/* ---- numbers of variables and rows ---- */

static cz_circuit_sizes sizes_of(const cz_cs *cs)
{
    return (cz_circuit_sizes){cs->n_inputs, cs->n_aux, cs->n_constraints};
}

static void set_sizes(cz_cs *cs, cz_circuit_sizes at)
{
    cs->n_inputs = (uint32_t)at.inputs;
    cs->n_aux = (uint32_t)at.aux;
    cs->n_constraints = at.constraints;
}

/* head + n part */
static cz_circuit_sizes after_parts(cz_circuit_sizes head, cz_circuit_sizes part, uint64_t n)
{
    return (cz_circuit_sizes){head.inputs + n * part.inputs, head.aux + n * part.aux,
                              head.constraints + n * part.constraints};
}

static cz_circuit_sizes difference(cz_circuit_sizes a, cz_circuit_sizes b)
{
    return (cz_circuit_sizes){a.inputs - b.inputs, a.aux - b.aux, a.constraints - b.constraints};
}

static bool same_sizes(cz_circuit_sizes a, cz_circuit_sizes b)
{
    return a.inputs == b.inputs && a.aux == b.aux && a.constraints == b.constraints;
}

/* Equal parts, one by one or side by side; one of the two is there. */
typedef struct {
    cz_cs_part part;
    cz_cs_lanes lanes;
    const void *shared;
    size_t n;
} parts;

static void make_part(const parts *p, cz_cs *cs, size_t i)
{
    cz_cs *const alone[] = {cs};

    if (p->part != NULL)
        p->part(p->shared, cs, i);
    else
        p->lanes(p->shared, alone, 1, i);
}

/* Parts within parts go one after the other. */
static void leave_out_inner_parts(cz_cs *cs)
{
    cs->parts = NULL;
    cs->part_lanes = NULL;
}

/* ---- measuring ---- */

static void ignore_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    (void)cs;
    (void)name;
    (void)value;
}

static void ignore_row(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    (void)cs;
    (void)name;
    (void)a;
    (void)b;
    (void)c;
}

static const cz_cs_ops measure_ops = {ignore_alloc, ignore_alloc, ignore_row};

/* The first part, then as if the others had been there. */
static void measure_all_parts(cz_cs *cs, const parts *p)
{
    const cz_circuit_sizes head = sizes_of(cs);
    cz_cs inner = *cs;
    cz_circuit_sizes all;

    if (p->n == 0 || cs->status != CZ_OK)
        return;
    leave_out_inner_parts(&inner);
    make_part(p, &inner, 0);
    cz_cs_fail(cs, cz_cs_status(&inner));
    all = after_parts(head, difference(sizes_of(&inner), head), p->n);
    if (p->n >= CZ_VAR_AUX_BIT || all.inputs >= CZ_VAR_AUX_BIT || all.aux >= CZ_VAR_AUX_BIT)
        cz_cs_fail(cs, cz_fail(CZ_E_INPUT, "the circuit has more than 2^31 variables"));
    else
        set_sizes(cs, all);
}

static void measure_parts(cz_cs *cs, size_t n, cz_cs_part part, const void *shared)
{
    const parts p = {.part = part, .shared = shared, .n = n};

    measure_all_parts(cs, &p);
}

static void measure_part_lanes(cz_cs *cs, size_t n, cz_cs_lanes lanes, const void *shared)
{
    const parts p = {.lanes = lanes, .shared = shared, .n = n};

    measure_all_parts(cs, &p);
}

cz_err cz_circuit_measure(cz_circuit_sizes *out, const cz_circuit *circuit)
{
    cz_cs cs;

    cz_cs_init(&cs, &measure_ops, false, true);
    cs.parts = measure_parts;
    cs.part_lanes = measure_part_lanes;
    circuit->synthesize(circuit, &cs);
    CZ_TRY_IN(cz_cs_status(&cs), "circuit %s", circuit->id);
    *out = sizes_of(&cs);
    return CZ_OK;
}

/* ---- columns ---- */

typedef struct {
    cz_cs cs; /* first: modes embed it */
    cz_fr *columns[3];
    uint32_t n_inputs, n_aux;
    const cz_fr *weights;
    uint64_t n_weights;
    cz_fr minus_one;
    cz_pool *pool;
    /* In a part that others run beside: where its own variables begin, and the sums of the
     * variables from before all parts, inputs first. */
    uint32_t own_inputs, own_aux;
    uint32_t head_inputs, head_aux;
    cz_fr *head[3];
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

/* Where the sum of a variable from before the part is kept; another part's is nowhere. */
static cz_fr *find_in_head(columns_cs *k, unsigned matrix, bool aux, uint32_t index)
{
    if (index < (aux ? k->head_aux : k->head_inputs))
        return &k->head[matrix][aux ? (size_t)k->head_inputs + index : index];
    cz_cs_fail(&k->cs, cz_fail(CZ_E_INTERNAL, "a part of the circuit uses a variable of another"));
    return NULL;
}

static cz_fr *find_column(columns_cs *k, unsigned matrix, cz_var v)
{
    const uint32_t index = cz_var_index(v);

    if (index < (cz_var_is_aux(v) ? k->own_aux : k->own_inputs))
        return find_in_head(k, matrix, cz_var_is_aux(v), index);
    return &k->columns[matrix][cz_var_is_aux(v) ? (size_t)k->n_inputs + index : index];
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

static void add_row(columns_cs *k, unsigned matrix, const cz_lc *lc, const cz_fr *weight)
{
    if (k->columns[matrix] == NULL)
        return;
    for (uint32_t i = 0; i < lc->n; i++) {
        cz_fr *column = find_column(k, matrix, lc->terms[i].var);

        if (column != NULL)
            add_weighted(column, &lc->terms[i].coeff, weight, &k->minus_one);
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
    add_row(k, 0, a, weight);
    add_row(k, 1, b, weight);
    add_row(k, 2, c, weight);
}

static const cz_cs_ops columns_ops = {columns_alloc, columns_alloc_input, columns_enforce};

/* The rows x_i * 0 = 0 after the constraints. */
static cz_err add_input_rows(columns_cs *k)
{
    if (k->n_weights - k->cs.n_constraints < k->n_inputs)
        return cz_fail(CZ_E_ARG, "fewer row weights than constraints and inputs");
    for (uint32_t i = 0; k->columns[0] != NULL && i < k->n_inputs; i++)
        cz_fr_add(&k->columns[0][i], &k->columns[0][i], &k->weights[k->cs.n_constraints + i]);
    return CZ_OK;
}

/* ---- parts by several threads ---- */

typedef struct {
    const columns_cs *head; /* as it was before the first part */
    const parts *p;
    cz_circuit_sizes size;
    pthread_mutex_t lock; /* guards the sums of the variables from before the parts */
} parts_job;

static cz_circuit_sizes sizes_before(const parts_job *job, size_t i)
{
    return after_parts(sizes_of(&job->head->cs), job->size, i);
}

static void begin_part(columns_cs *k, const parts_job *job, size_t i, cz_fr *sums)
{
    const size_t n_head = (size_t)job->head->cs.n_inputs + job->head->cs.n_aux;

    *k = *job->head;
    leave_out_inner_parts(&k->cs);
    k->head_inputs = k->cs.n_inputs;
    k->head_aux = k->cs.n_aux;
    set_sizes(&k->cs, sizes_before(job, i));
    k->own_inputs = k->cs.n_inputs;
    k->own_aux = k->cs.n_aux;
    for (size_t m = 0; m < 3; m++)
        k->head[m] = sums + m * n_head;
}

/* What the part added to the variables from before. */
static void add_head(parts_job *job, const columns_cs *k)
{
    (void)pthread_mutex_lock(&job->lock);
    for (int m = 0; m < 3; m++) {
        cz_fr *columns = k->columns[m];

        if (columns == NULL)
            continue;
        for (uint32_t i = 0; i < k->head_inputs; i++)
            cz_fr_add(&columns[i], &columns[i], &k->head[m][i]);
        for (size_t i = 0; i < k->head_aux; i++)
            cz_fr_add(&columns[k->n_inputs + i], &columns[k->n_inputs + i],
                      &k->head[m][k->head_inputs + i]);
    }
    (void)pthread_mutex_unlock(&job->lock);
}

static cz_err add_part(parts_job *job, size_t i)
{
    const size_t n_head = (size_t)job->head->cs.n_inputs + job->head->cs.n_aux;
    cz_fr *sums = calloc(3 * n_head, sizeof *sums);
    columns_cs k;
    cz_err err;

    if (sums == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the columns of a part");
    begin_part(&k, job, i, sums);
    make_part(job->p, &k.cs, i);
    CZ_TRY_GOTO(err, cz_cs_status(&k.cs));
    if (!same_sizes(sizes_of(&k.cs), sizes_before(job, i + 1)))
        CZ_TRY_GOTO(
            err, cz_fail(CZ_E_INTERNAL,
                         "part %zu of the circuit has other variables or rows than the first", i));
    add_head(job, &k);
done:
    free(sums);
    return err;
}

/* Parts 1, … */
static cz_err add_parts(void *ctx, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    for (size_t i = begin; i < end; i++)
        CZ_TRY(add_part(ctx, i + 1));
    return CZ_OK;
}

/* The first part in the system itself, which tells the size of all. */
static void add_all_parts(columns_cs *k, const parts *p)
{
    const columns_cs head = *k;
    parts_job job = {.head = &head, .p = p};
    cz_err err;

    if (p->n == 0 || k->cs.status != CZ_OK)
        return;
    leave_out_inner_parts(&k->cs);
    make_part(p, &k->cs, 0);
    k->cs.parts = head.cs.parts;
    k->cs.part_lanes = head.cs.part_lanes;
    job.size = difference(sizes_of(&k->cs), sizes_of(&head.cs));
    if (k->cs.status != CZ_OK)
        return;
    (void)pthread_mutex_init(&job.lock, NULL);
    err = cz_parallel_for(k->pool, p->n - 1, 1, add_parts, &job);
    (void)pthread_mutex_destroy(&job.lock);
    if (err != CZ_OK)
        cz_cs_fail(&k->cs, err);
    else
        set_sizes(&k->cs, sizes_before(&job, p->n));
}

static void columns_parts(cz_cs *cs, size_t n, cz_cs_part part, const void *shared)
{
    const parts p = {.part = part, .shared = shared, .n = n};

    add_all_parts((columns_cs *)cs, &p);
}

static void columns_part_lanes(cz_cs *cs, size_t n, cz_cs_lanes lanes, const void *shared)
{
    const parts p = {.lanes = lanes, .shared = shared, .n = n};

    add_all_parts((columns_cs *)cs, &p);
}

/* ---- all ---- */

static cz_err zero_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    cz_fr *const *columns = ctx;

    (void)worker;
    for (int m = 0; m < 3; m++)
        if (columns[m] != NULL)
            memset(columns[m] + begin, 0, (end - begin) * sizeof **columns);
    return CZ_OK;
}

static cz_err sum_columns(columns_cs *k, const cz_circuit *circuit)
{
    const cz_fr one = CZ_FR_ONE;

    cz_fr_neg(&k->minus_one, &one);
    CZ_TRY(cz_parallel_for(k->pool, (size_t)k->n_inputs + k->n_aux, ZERO_AT_ONCE, zero_range,
                           k->columns));
    circuit->synthesize(circuit, &k->cs);
    CZ_TRY_IN(cz_cs_status(&k->cs), "circuit %s", circuit->id);
    if (k->cs.n_inputs != k->n_inputs || k->cs.n_aux != k->n_aux)
        return cz_fail(CZ_E_ARG, "circuit %s: fewer variables than the columns were sized for",
                       circuit->id);
    CZ_TRY_IN(add_input_rows(k), "circuit %s", circuit->id);
    return CZ_OK;
}

cz_err cz_circuit_columns_pool(cz_fr *at, cz_fr *bt, cz_fr *ct, const cz_circuit *circuit,
                               uint32_t n_inputs, uint32_t n_aux, const cz_fr *weights,
                               uint64_t n_weights, cz_pool *pool)
{
    columns_cs k = {.columns = {at, bt, ct},
                    .n_inputs = n_inputs,
                    .n_aux = n_aux,
                    .weights = weights,
                    .n_weights = n_weights,
                    .pool = pool};

    cz_cs_init(&k.cs, &columns_ops, false, true);
    k.cs.parts = columns_parts;
    k.cs.part_lanes = columns_part_lanes;
    return sum_columns(&k, circuit);
}

cz_err cz_circuit_columns(cz_fr *at, cz_fr *bt, cz_fr *ct, const cz_circuit *circuit,
                          uint32_t n_inputs, uint32_t n_aux, const cz_fr *weights,
                          uint64_t n_weights)
{
    columns_cs k = {.columns = {at, bt, ct},
                    .n_inputs = n_inputs,
                    .n_aux = n_aux,
                    .weights = weights,
                    .n_weights = n_weights};

    cz_cs_init(&k.cs, &columns_ops, false, true);
    return sum_columns(&k, circuit);
}
