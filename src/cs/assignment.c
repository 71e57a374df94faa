/* assignment.c: see assignment.h. */
#include "cs/assignment.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "cs/classic.h"

typedef struct {
    cz_classic vars;   /* first: modes embed it */
    cz_values a, b, c; /* rows */
} assignment_cs;

/* ---- the mode ---- */

static void push_row(assignment_cs *s, const cz_fr *a, const cz_fr *b, const cz_fr *c)
{
    cz_cs *cs = &s->vars.cs;

    cz_values_push(&s->a, cs, a);
    cz_values_push(&s->b, cs, b);
    cz_values_push(&s->c, cs, c);
}

static void assign_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    assignment_cs *s = (assignment_cs *)cs;
    cz_fr row[3];

    (void)name;
    cz_classic_row(&s->vars, row, a, b, c);
    push_row(s, &row[0], &row[1], &row[2]);
}

static const cz_cs_ops assign_ops = {cz_classic_alloc, cz_classic_alloc_input, assign_enforce};

/* ---- the result ---- */

static uint64_t power_of_two_above(uint64_t n)
{
    uint64_t p = 1;

    while (p < n)
        p *= 2;
    return p;
}

/* Zeros from the last row to `capacity`. */
static void pad_rows(cz_values *rows, cz_cs *cs, uint64_t capacity)
{
    while (rows->cap < capacity) {
        if (!cz_values_grow(rows, cs))
            return;
    }
    memset(rows->v + rows->n, 0, (capacity - rows->n) * sizeof *rows->v);
}

static void append_input_rows(assignment_cs *s)
{
    const cz_fr zero = CZ_FR_ZERO;

    for (uint32_t i = 0; i < s->vars.cs.n_inputs; i++)
        push_row(s, &s->vars.inputs.v[i], &zero, &zero);
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* held by the one that touches its room */

static void reserve(assignment_cs *s, const cz_assignment_options *o)
{
    cz_values *const lists[] = {&s->vars.aux, &s->a, &s->b, &s->c};
    const uint64_t rooms[] = {o->aux, o->rows, o->rows, o->rows};

    if (o->in_turn)
        (void)pthread_mutex_lock(&turn);
    for (int i = 0; i < 4; i++) {
        if (i > 0)
            lists[i]->blocks = o->blocks;
        if (rooms[i] != 0)
            cz_values_reserve(lists[i], &s->vars.cs, rooms[i]);
        if (o->touch && lists[i]->cap >= rooms[i])
            cz_block_touch(lists[i]->v, rooms[i] * sizeof(cz_fr));
    }
    if (o->in_turn)
        (void)pthread_mutex_unlock(&turn);
}

static cz_err synthesize(assignment_cs *s, const cz_circuit *circuit)
{
    uint64_t capacity;

    cz_classic_begin(&s->vars);
    if (cz_cs_status(&s->vars.cs) == CZ_OK)
        circuit->synthesize(circuit, &s->vars.cs);
    if (cz_cs_status(&s->vars.cs) == CZ_OK) {
        append_input_rows(s);
        capacity = power_of_two_above(s->vars.cs.n_constraints + s->vars.cs.n_inputs);
        pad_rows(&s->a, &s->vars.cs, capacity);
        pad_rows(&s->b, &s->vars.cs, capacity);
        pad_rows(&s->c, &s->vars.cs, capacity);
    }
    CZ_TRY_IN(cz_cs_status(&s->vars.cs), "circuit %s", circuit->id);
    return CZ_OK;
}

static void hand_out(cz_assignment *out, const assignment_cs *s)
{
    *out = (cz_assignment){.n_inputs = s->vars.cs.n_inputs,
                           .n_aux = s->vars.cs.n_aux,
                           .n_rows = s->vars.cs.n_constraints + s->vars.cs.n_inputs,
                           .inputs = s->vars.inputs.v,
                           .aux = s->vars.aux.v,
                           .a = s->a.v,
                           .b = s->b.v,
                           .c = s->c.v,
                           .dens_a_aux = s->vars.a_aux.words,
                           .dens_b_input = s->vars.b_input.words,
                           .dens_b_aux = s->vars.b_aux.words,
                           .blocks = s->a.blocks};
    out->row_capacity = power_of_two_above(out->n_rows);
}

cz_err cz_assignment_synthesize(cz_assignment *out, const cz_circuit *circuit)
{
    return cz_assignment_synthesize_with(out, circuit, NULL);
}

cz_err cz_assignment_synthesize_with(cz_assignment *out, const cz_circuit *circuit,
                                     const cz_assignment_options *options)
{
    assignment_cs s = {.a = {0}};
    cz_err err;

    cz_cs_init(&s.vars.cs, &assign_ops, true, true);
    if (options != NULL)
        reserve(&s, options);
    err = synthesize(&s, circuit);
    if (err == CZ_OK) {
        hand_out(out, &s);
        return CZ_OK;
    }
    cz_classic_clear(&s.vars);
    cz_values_clear(&s.a);
    cz_values_clear(&s.b);
    cz_values_clear(&s.c);
    return err;
}

static void erase(cz_fr *values, uint64_t n)
{
    if (values != NULL)
        cz_secure_zero(values, n * sizeof *values);
    free(values);
}

void cz_assignment_drop_rows(cz_assignment *a, cz_fr **rows)
{
    if (*rows != NULL)
        cz_secure_zero(*rows, a->row_capacity * sizeof **rows);
    cz_blocks_give(a->blocks, *rows, a->row_capacity * sizeof **rows);
    *rows = NULL;
}

void cz_assignment_clear(cz_assignment *a)
{
    erase(a->inputs, a->n_inputs);
    erase(a->aux, a->n_aux);
    cz_assignment_drop_rows(a, &a->a);
    cz_assignment_drop_rows(a, &a->b);
    cz_assignment_drop_rows(a, &a->c);
    free(a->dens_a_aux);
    free(a->dens_b_input);
    free(a->dens_b_aux);
    *a = (cz_assignment){0};
}
