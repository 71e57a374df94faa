/* classic.c: see classic.h. */
#include "cs/classic.h"

void cz_classic_begin(cz_classic *s)
{
    const cz_fr one = CZ_FR_ONE;

    cz_values_push(&s->inputs, &s->cs, &one);
    cz_bits_ensure(&s->a_aux, &s->cs, 1);
    cz_bits_ensure(&s->b_input, &s->cs, 1);
    cz_bits_ensure(&s->b_aux, &s->cs, 1);
}

void cz_classic_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    cz_classic *s = (cz_classic *)cs;
    const uint64_t n = (uint64_t)cs->n_aux + 1;

    (void)name;
    cz_values_push(&s->aux, cs, value);
    cz_bits_ensure(&s->a_aux, cs, n);
    cz_bits_ensure(&s->b_aux, cs, n);
}

void cz_classic_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    cz_classic *s = (cz_classic *)cs;

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

/* Inputs come first in a combination. */
static void mark_inputs(cz_bits *bits, const cz_lc *lc)
{
    for (uint32_t i = 0; i < lc->n && !cz_var_is_aux(lc->terms[i].var); i++)
        cz_bits_set(bits, cz_var_index(lc->terms[i].var));
}

void cz_classic_row(cz_classic *s, cz_fr row[3], const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    cz_lc_eval(&row[0], a, s->inputs.v, s->aux.v);
    cz_lc_eval(&row[1], b, s->inputs.v, s->aux.v);
    cz_lc_eval(&row[2], c, s->inputs.v, s->aux.v);
    mark_aux(&s->a_aux, a);
    mark_aux(&s->b_aux, b);
    mark_inputs(&s->b_input, b);
}

void cz_classic_clear(cz_classic *s)
{
    cz_values_clear(&s->inputs);
    cz_values_clear(&s->aux);
    cz_bits_clear(&s->a_aux);
    cz_bits_clear(&s->b_input);
    cz_bits_clear(&s->b_aux);
}
