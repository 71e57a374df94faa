/* time_trace.c: what recording a phase takes: begin and end, with nothing between. */
#include <stdlib.h>

#include "time_case.h"

typedef struct {
    time_case base;
    size_t n;
    cz_trace *trace;
} trace_case;

/* A list that has grown would cost less. */
static cz_err prepare(time_case *base)
{
    trace_case *c = (trace_case *)base;

    cz_trace_destroy(c->trace);
    c->trace = NULL;
    return cz_trace_create(&c->trace);
}

static cz_err run(time_case *base)
{
    const trace_case *c = (trace_case *)base;

    for (size_t i = 0; i < c->n; i++) {
        cz_span span = cz_trace_begin(c->trace, CZ_PHASE_WITNESS, 0);

        cz_trace_end(&span);
    }
    return CZ_OK;
}

static cz_err check(time_case *base)
{
    const trace_case *c = (trace_case *)base;
    size_t n;
    double ms;

    cz_trace_cost(c->trace, &n, &ms);
    return n == c->n ? CZ_OK : cz_fail(CZ_E_INTERNAL, "%zu phases are recorded, of %zu", n, c->n);
}

static void destroy(time_case *base)
{
    trace_case *c = (trace_case *)base;

    cz_trace_destroy(c->trace);
    free(c);
}

static cz_err fill(trace_case *c, const time_order *order)
{
    unsigned log_n = 12;

    if (order->n_words > 2)
        return args_mistake(
            cz_fail(CZ_E_INPUT, "%s: one number may follow, as in trace:2^12", order->text));
    if (order->n_words == 2)
        CZ_TRY_IN(time_parse_log2(&log_n, order->words[1], 0, 20), "%s", order->text);
    c->n = (size_t)1 << log_n;
    c->base.cost = (time_cost){.form = "portable", .item = "phase", .items = (double)c->n};
    return CZ_OK;
}

cz_err time_trace_create(time_case **out, const time_order *order)
{
    trace_case *c = calloc(1, sizeof *c);
    cz_err err;

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    c->base = (time_case){
        .pool = order->pool, .prepare = prepare, .run = run, .check = check, .destroy = destroy};
    err = fill(c, order);
    if (err != CZ_OK) {
        destroy(&c->base);
        return err;
    }
    *out = &c->base;
    return CZ_OK;
}
