/* assignment.c: see assignment.h. */
#include "cs/assignment.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "cs/bits.h"
#include "cs/values.h"

typedef struct {
    cz_cs cs; /* first: modes embed it */
    cz_values inputs, aux;
    cz_values a, b, c; /* rows */
    cz_bits a_aux, b_input, b_aux;
} assignment_cs;

/* ---- the mode ---- */

static void assign_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    assignment_cs *s = (assignment_cs *)cs;
    uint64_t n = (uint64_t)cs->n_aux + 1;

    (void)name;
    cz_values_push(&s->aux, cs, value);
    cz_bits_ensure(&s->a_aux, cs, n);
    cz_bits_ensure(&s->b_aux, cs, n);
}

static void assign_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    assignment_cs *s = (assignment_cs *)cs;

    (void)name;
    cz_values_push(&s->inputs, cs, value);
    cz_bits_ensure(&s->b_input, cs, (uint64_t)cs->n_inputs + 1);
}

static void mark_aux(cz_bits *bits, const cz_lc *lc)
{
    for (uint32_t i = 0; i < lc->n; i++) {
        if (cz_var_is_aux(lc->terms[i].var))
            cz_bits_set(bits, cz_var_index(lc->terms[i].var));
    }
}

static void mark_inputs(cz_bits *bits, const cz_lc *lc)
{
    for (uint32_t i = 0; i < lc->n && !cz_var_is_aux(lc->terms[i].var); i++)
        cz_bits_set(bits, cz_var_index(lc->terms[i].var));
}

static void push_row(assignment_cs *s, const cz_fr *a, const cz_fr *b, const cz_fr *c)
{
    cz_values_push(&s->a, &s->cs, a);
    cz_values_push(&s->b, &s->cs, b);
    cz_values_push(&s->c, &s->cs, c);
}

static void assign_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    assignment_cs *s = (assignment_cs *)cs;
    cz_fr va, vb, vc;

    (void)name;
    cz_lc_eval(&va, a, s->inputs.v, s->aux.v);
    cz_lc_eval(&vb, b, s->inputs.v, s->aux.v);
    cz_lc_eval(&vc, c, s->inputs.v, s->aux.v);
    push_row(s, &va, &vb, &vc);
    mark_aux(&s->a_aux, a);
    mark_aux(&s->b_aux, b);
    mark_inputs(&s->b_input, b);
}

static const cz_cs_ops assign_ops = {assign_alloc, assign_alloc_input, assign_enforce};

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

    for (uint32_t i = 0; i < s->cs.n_inputs; i++)
        push_row(s, &s->inputs.v[i], &zero, &zero);
}

static void reserve(assignment_cs *s, const cz_assignment_options *o)
{
    cz_values *const lists[] = {&s->aux, &s->a, &s->b, &s->c};
    const uint64_t rooms[] = {o->aux, o->rows, o->rows, o->rows};

    for (int i = 0; i < 4; i++) {
        if (i > 0)
            lists[i]->blocks = o->blocks;
        if (rooms[i] != 0)
            cz_values_reserve(lists[i], &s->cs, rooms[i]);
        if (o->touch && lists[i]->cap >= rooms[i])
            cz_block_touch(lists[i]->v, rooms[i] * sizeof(cz_fr));
    }
}

static cz_err synthesize(assignment_cs *s, const cz_circuit *circuit)
{
    const cz_fr one = CZ_FR_ONE;
    uint64_t capacity;

    cz_values_push(&s->inputs, &s->cs, &one);
    cz_bits_ensure(&s->a_aux, &s->cs, 1);
    cz_bits_ensure(&s->b_input, &s->cs, 1);
    cz_bits_ensure(&s->b_aux, &s->cs, 1);
    if (cz_cs_status(&s->cs) == CZ_OK)
        circuit->synthesize(circuit, &s->cs);
    if (cz_cs_status(&s->cs) == CZ_OK) {
        append_input_rows(s);
        capacity = power_of_two_above(s->cs.n_constraints + s->cs.n_inputs);
        pad_rows(&s->a, &s->cs, capacity);
        pad_rows(&s->b, &s->cs, capacity);
        pad_rows(&s->c, &s->cs, capacity);
    }
    CZ_TRY_IN(cz_cs_status(&s->cs), "circuit %s", circuit->id);
    return CZ_OK;
}

static void hand_out(cz_assignment *out, const assignment_cs *s)
{
    *out = (cz_assignment){.n_inputs = s->cs.n_inputs,
                           .n_aux = s->cs.n_aux,
                           .n_rows = s->cs.n_constraints + s->cs.n_inputs,
                           .inputs = s->inputs.v,
                           .aux = s->aux.v,
                           .a = s->a.v,
                           .b = s->b.v,
                           .c = s->c.v,
                           .dens_a_aux = s->a_aux.words,
                           .dens_b_input = s->b_input.words,
                           .dens_b_aux = s->b_aux.words,
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
    assignment_cs s = {.inputs = {0}};
    cz_err err;

    cz_cs_init(&s.cs, &assign_ops, true, true);
    if (options != NULL)
        reserve(&s, options);
    err = synthesize(&s, circuit);
    if (err == CZ_OK) {
        hand_out(out, &s);
        return CZ_OK;
    }
    cz_values_clear(&s.inputs);
    cz_values_clear(&s.aux);
    cz_values_clear(&s.a);
    cz_values_clear(&s.b);
    cz_values_clear(&s.c);
    cz_bits_clear(&s.a_aux);
    cz_bits_clear(&s.b_input);
    cz_bits_clear(&s.b_aux);
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
