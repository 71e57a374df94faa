/* recorder.h: a constraint system for tests that keeps everything: constraints, values and names.
 * It tells whether the witness satisfies the constraints, and whether a single wrong value would be
 * noticed. */
#ifndef CZ_TESTS_GADGETS_RECORDER_H
#define CZ_TESTS_GADGETS_RECORDER_H

#include <stdlib.h>
#include <string.h>

#include "cs/cs.h"
#include "support.h"

typedef struct {
    cz_term *terms; /* of A, then B, then C */
    uint32_t end[3];
} recorded;

typedef struct {
    cz_cs cs; /* first */
    cz_fr *inputs, *aux;
    char **aux_names; /* paths; owned */
    recorded *constraints;
    char **names; /* of the constraints; owned */
} recorder;

enum { RECORDER_MAX_INPUTS = 64, RECORDER_FIRST = 1 << 8 };

/* The list with room for one more than n. A list for the largest circuit at once would cost a
 * sanitizer, which marks what is freed, more than all else. */
static inline void *recorder_room(void *list, size_t n, size_t bytes)
{
    if (n < RECORDER_FIRST || (n & (n - 1)) != 0)
        return list;
    list = realloc(list, 2 * n * bytes);
    assert_non_null(list);
    return list;
}

static inline char *recorder_path(const cz_cs *cs, cz_name name)
{
    char path[1024];
    char *copy;

    cz_cs_path(cs, name, path, sizeof path);
    copy = malloc(strlen(path) + 1);
    assert_non_null(copy);
    return strcpy(copy, path);
}

static inline void recorder_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    recorder *r = (recorder *)cs;

    r->aux = recorder_room(r->aux, cs->n_aux, sizeof *r->aux);
    r->aux_names = recorder_room(r->aux_names, cs->n_aux, sizeof *r->aux_names);
    r->aux[cs->n_aux] = *value;
    r->aux_names[cs->n_aux] = recorder_path(cs, name);
}

static inline void recorder_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    recorder *r = (recorder *)cs;

    (void)name;
    assert_true(cs->n_inputs < RECORDER_MAX_INPUTS);
    r->inputs[cs->n_inputs] = *value;
}

static inline void recorder_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b,
                                    const cz_lc *c)
{
    recorder *r = (recorder *)cs;
    const size_t n = cs->n_constraints;
    recorded *to;

    r->constraints = recorder_room(r->constraints, n, sizeof *r->constraints);
    r->names = recorder_room(r->names, n, sizeof *r->names);
    to = &r->constraints[n];
    *to = (recorded){malloc((a->n + b->n + c->n + 1) * sizeof *to->terms),
                     {a->n, a->n + b->n, a->n + b->n + c->n}};
    assert_non_null(to->terms);
    memcpy(to->terms, a->terms, a->n * sizeof *a->terms);
    memcpy(to->terms + to->end[0], b->terms, b->n * sizeof *b->terms);
    memcpy(to->terms + to->end[1], c->terms, c->n * sizeof *c->terms);
    r->names[n] = recorder_path(cs, name);
}

static inline void recorder_init(recorder *r)
{
    static const cz_cs_ops ops = {recorder_alloc, recorder_alloc_input, recorder_enforce};

    *r = (recorder){.inputs = malloc(RECORDER_MAX_INPUTS * sizeof *r->inputs),
                    .aux = malloc(RECORDER_FIRST * sizeof *r->aux),
                    .aux_names = malloc(RECORDER_FIRST * sizeof *r->aux_names),
                    .constraints = malloc(RECORDER_FIRST * sizeof *r->constraints),
                    .names = malloc(RECORDER_FIRST * sizeof *r->names)};
    assert_non_null(r->inputs);
    assert_non_null(r->aux);
    assert_non_null(r->aux_names);
    assert_non_null(r->constraints);
    assert_non_null(r->names);
    cz_cs_init(&r->cs, &ops, true, true);
    r->inputs[0] = CZ_FR_ONE;
}

static inline void recorder_clear(recorder *r)
{
    for (uint64_t i = 0; i < r->cs.n_constraints; i++) {
        free(r->constraints[i].terms);
        free(r->names[i]);
    }
    for (uint32_t i = 0; i < r->cs.n_aux; i++)
        free(r->aux_names[i]);
    free(r->inputs);
    free(r->aux);
    free(r->aux_names);
    free(r->constraints);
    free(r->names);
}

/* ---- satisfaction ---- */

static inline const cz_fr *recorder_value(const recorder *r, cz_var v)
{
    return (cz_var_is_aux(v) ? r->aux : r->inputs) + cz_var_index(v);
}

/* Values of A, B and C of one constraint. */
static inline void recorder_eval(const recorder *r, const recorded *c, cz_fr out[3])
{
    uint32_t i = 0;

    for (int part = 0; part < 3; part++) {
        out[part] = CZ_FR_ZERO;
        for (; i < c->end[part]; i++) {
            cz_fr product;

            cz_fr_mul(&product, &c->terms[i].coeff, recorder_value(r, c->terms[i].var));
            cz_fr_add(&out[part], &out[part], &product);
        }
    }
}

static inline bool recorder_holds(const cz_fr abc[3])
{
    cz_fr product;

    cz_fr_mul(&product, &abc[0], &abc[1]);
    return cz_fr_equal(&product, &abc[2]);
}

/* Name of the first constraint that fails; NULL: all hold. */
static inline const char *recorder_violated(const recorder *r)
{
    cz_fr abc[3];

    for (uint64_t i = 0; i < r->cs.n_constraints; i++) {
        recorder_eval(r, &r->constraints[i], abc);
        if (!recorder_holds(abc))
            return r->names[i];
    }
    return NULL;
}

static inline void assert_satisfied(const recorder *r)
{
    const char *violated = recorder_violated(r);

    assert_int_equal(cz_cs_status(&r->cs), CZ_OK);
    if (violated != NULL)
        fail_msg("%s is violated", violated);
}

/** Some constraint fails, and the last level of its name is this. */
static inline void assert_violated(const recorder *r, const char *name)
{
    const char *violated = recorder_violated(r);
    const char *last;

    if (violated == NULL)
        fail_msg("a wrong witness satisfies the circuit; \"%s\" should fail", name);
    last = strrchr(violated, '/');
    assert_string_equal(last == NULL ? violated : last + 1, name);
}

/* ---- wrong values ---- */

/* Place of a variable in a list of all: inputs, then aux. */
static inline uint32_t recorder_place(const recorder *r, cz_var v)
{
    return cz_var_is_aux(v) ? r->cs.n_inputs + cz_var_index(v) : cz_var_index(v);
}

/* Does the constraint break when variable v changes by d? abc: its values as they are. */
static inline bool recorder_breaks(const recorded *c, const cz_fr abc[3], cz_var v, const cz_fr *d)
{
    cz_fr changed[3] = {abc[0], abc[1], abc[2]};
    cz_fr step;

    for (uint32_t i = 0; i < c->end[2]; i++) {
        cz_fr *part = &changed[(i >= c->end[0]) + (i >= c->end[1])];

        if (c->terms[i].var.id != v.id)
            continue;
        cz_fr_mul(&step, &c->terms[i].coeff, d);
        cz_fr_add(part, part, &step);
    }
    return !recorder_holds(changed);
}

/* Mark every variable of one constraint whose value, changed by d, breaks it. */
static inline void recorder_mark_caught(const recorder *r, const recorded *c, const cz_fr *d,
                                        bool *caught)
{
    cz_fr abc[3];

    recorder_eval(r, c, abc);
    for (uint32_t i = 0; i < c->end[2]; i++) {
        bool *mark = &caught[recorder_place(r, c->terms[i].var)];

        *mark = *mark || recorder_breaks(c, abc, c->terms[i].var, d);
    }
}

/** Changing any one public input, or any one auxiliary variable from number `first_aux` on, by d
 * breaks some constraint. */
static inline void assert_every_change_caught(const recorder *r, uint32_t first_aux, const cz_fr *d)
{
    bool *caught = calloc(r->cs.n_inputs + r->cs.n_aux, sizeof *caught);

    assert_non_null(caught);
    for (uint64_t i = 0; i < r->cs.n_constraints; i++)
        recorder_mark_caught(r, &r->constraints[i], d, caught);
    for (uint32_t i = 1; i < r->cs.n_inputs; i++)
        if (!caught[i])
            fail_msg("a wrong public input %u goes unnoticed", i);
    for (uint32_t i = first_aux; i < r->cs.n_aux; i++)
        if (!caught[r->cs.n_inputs + i])
            fail_msg("a wrong %s goes unnoticed", r->aux_names[i]);
    free(caught);
}

#endif
