/* time_circuit.c: the first partition of a request by its compiled circuit: the witness, or a, b, c
 * in slices, as streams and devices take them. Afterwards every constraint is checked. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "commands.h"
#include "cs/compiled_eval.h"
#include "time_case.h"

/* Rows of a slice: enough for all threads, few enough to need little memory. */
enum { SLICE = 1 << 20 };

typedef struct {
    time_case base;
    cz_job *job;
    cz_circuit *circuit;
    cz_compiled *compiled;
    cz_bit_witness w;
    cz_fr *rows; /* three slices */
} circuit_case;

static circuit_case *case_of(time_case *base)
{
    return (circuit_case *)(void *)base;
}

/* --- the witness ---------------------------------------------------------------------------- */

static cz_err drop_witness(time_case *base)
{
    cz_bit_witness_clear(&case_of(base)->w);
    return CZ_OK;
}

static cz_err make_witness(time_case *base)
{
    circuit_case *c = case_of(base);

    return cz_bit_witness_synthesize_pool(&c->w, c->compiled, c->circuit, base->pool);
}

/* --- rows ----------------------------------------------------------------------------------- */

static cz_err evaluate(time_case *base)
{
    const circuit_case *c = case_of(base);
    const uint64_t n_rows = cz_compiled_rows(c->compiled);

    for (uint64_t first = 0; first < n_rows; first += SLICE)
        CZ_TRY(cz_compiled_eval(c->compiled, &c->w, base->pool, first,
                                n_rows - first < SLICE ? n_rows - first : SLICE, c->rows,
                                c->rows + SLICE, c->rows + 2 * SLICE));
    return CZ_OK;
}

static cz_err prepare_rows(circuit_case *c)
{
    c->rows = malloc(3 * (size_t)SLICE * sizeof *c->rows);
    if (c->rows == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for slices of rows");
    return make_witness(&c->base);
}

/* --- both ----------------------------------------------------------------------------------- */

static cz_err check(time_case *base)
{
    const circuit_case *c = case_of(base);
    uint64_t failing;

    CZ_TRY(cz_compiled_satisfied(c->compiled, &c->w, base->pool, &failing));
    if (failing != cz_compiled_stats(c->compiled).constraints)
        return cz_fail(CZ_E_UNSATISFIED, "constraint %llu does not hold",
                       (unsigned long long)failing);
    return CZ_OK;
}

static void destroy(time_case *base)
{
    circuit_case *c = case_of(base);

    cz_bit_witness_clear(&c->w);
    if (c->rows != NULL)
        cz_secure_zero(c->rows, 3 * (size_t)SLICE * sizeof *c->rows);
    free(c->rows);
    cz_compiled_destroy(c->compiled);
    cz_circuit_destroy(c->circuit);
    cz_job_destroy(c->job);
    free(c);
}

static cz_err open_all(circuit_case *c, const time_order *order)
{
    bool was_cached;

    CZ_TRY(time_open_job(&c->job, order));
    CZ_TRY(cz_job_circuit(c->job, 0, &c->circuit));
    CZ_TRY(open_compiled_circuit(&c->compiled, &was_cached, order->words[0], NULL));
    return strcmp(order->words[1], "evaluate") == 0 ? prepare_rows(c) : CZ_OK;
}

static void set_cost(circuit_case *c, bool rows)
{
    const cz_circuit_stats stats = cz_compiled_stats(c->compiled);

    c->base.cost = (time_cost){.form = "compiled",
                               .item = rows ? "row" : "variable",
                               .items = (double)(rows ? cz_compiled_rows(c->compiled) : stats.aux)};
}

cz_err time_circuit_create(time_case **out, const time_order *order)
{
    const bool rows = strcmp(order->words[1], "evaluate") == 0;
    circuit_case *c = calloc(1, sizeof *c);
    cz_err err;

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    c->base = (time_case){.pool = order->pool,
                          .prepare = rows ? NULL : drop_witness,
                          .run = rows ? evaluate : make_witness,
                          .check = check,
                          .destroy = destroy};
    err = open_all(c, order);
    if (err != CZ_OK) {
        destroy(&c->base);
        return err;
    }
    set_cost(c, rows);
    *out = &c->base;
    return CZ_OK;
}
