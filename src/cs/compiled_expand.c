/* compiled_expand.c: the compiled form as a circuit again, and its densities; see compiled.h. */
#include <stdlib.h>

#include "cs/compiled_state.h"

/* ---- the columns of one instance ---- */

static void list_ports(cz_var *columns, const cz_compiled_tables *t, const cz_compiled_instance *x,
                       uint32_t n_ports)
{
    const cz_compiled_run *run = t->runs + x->first_run;

    for (uint32_t port = 0; port < n_ports; run++) {
        for (uint32_t i = 0; i < run->n; i++)
            columns[port++] = (cz_var){run->var + i};
    }
}

void cz_compiled_list_columns(cz_var *columns, const cz_compiled_tables *t,
                              const cz_compiled_instance *x)
{
    const cz_compiled_template *shape = &t->templates[x->template_index];

    list_ports(columns, t, x, shape->n_ports);
    for (uint32_t i = 0; i < shape->n_locals; i++)
        columns[shape->n_ports + i] = (cz_var){CZ_VAR_AUX_BIT | (x->first_aux + i)};
}

/* ---- expansion ---- */

typedef struct {
    const cz_compiled_tables *t;
    cz_cs *cs;
    cz_var *columns;
    cz_lc a, b, c;
} expander;

static void expand_lc(const expander *e, cz_lc *lc, const cz_compiled_term *terms, uint32_t n)
{
    cz_lc_reset(lc);
    for (uint32_t i = 0; i < n; i++)
        cz_lc_push(lc, &e->t->coeffs[terms[i].coeff], e->columns[terms[i].column]);
}

static void expand_row(expander *e, const cz_compiled_row *row)
{
    const cz_compiled_term *terms = e->t->terms + row->first_term;

    expand_lc(e, &e->a, terms, row->n[0]);
    expand_lc(e, &e->b, terms + row->n[0], row->n[1]);
    expand_lc(e, &e->c, terms + row->n[0] + row->n[1], row->n[2]);
    cz_cs_enforce(e->cs, CZ_N("row"), &e->a, &e->b, &e->c);
}

static void expand_instance(expander *e, const cz_compiled_instance *x)
{
    const cz_compiled_template *shape = &e->t->templates[x->template_index];

    cz_compiled_list_columns(e->columns, e->t, x);
    for (uint32_t i = 0; i < shape->n_locals; i++)
        (void)cz_cs_alloc(e->cs, CZ_N("aux"), NULL);
    for (uint32_t i = 0; i < shape->n_rows; i++)
        expand_row(e, &e->t->rows[shape->first_row + i]);
}

static void expand_all(expander *e)
{
    const cz_compiled_header *h = e->t->header;

    for (uint32_t i = 1; i < h->n_inputs; i++)
        (void)cz_cs_alloc_input(e->cs, CZ_N("input"), NULL);
    for (uint32_t i = 0; i < h->n_instances && e->cs->status == CZ_OK; i++)
        expand_instance(e, &e->t->instances[i]);
}

static void synthesize(const cz_circuit *self, cz_cs *cs)
{
    const cz_expansion *x = (const cz_expansion *)(const void *)self;
    expander e = {.t = &x->compiled->t, .cs = cs};

    if (cs->has_values) {
        cz_cs_fail(cs, cz_fail(CZ_E_ARG, "%s: an expansion has no witness", self->id));
        return;
    }
    e.columns = malloc(x->compiled->max_columns * sizeof *e.columns);
    if (e.columns == NULL) {
        cz_cs_fail(cs, cz_fail(CZ_E_NOMEM, "%s: no memory to expand", self->id));
        return;
    }
    cz_lc_init(&e.a);
    cz_lc_init(&e.b);
    cz_lc_init(&e.c);
    expand_all(&e);
    cz_lc_clear(&e.a);
    cz_lc_clear(&e.b);
    cz_lc_clear(&e.c);
    free(e.columns);
}

cz_expansion cz_compiled_expand(const cz_compiled *c)
{
    return (cz_expansion){{cz_compiled_id(c), synthesize}, c};
}

/* ---- densities ---- */

enum { USED_IN_A = 1, USED_IN_B = 2 };

static void mark_terms(uint8_t *use, const cz_compiled_term *terms, uint32_t n, uint8_t flag)
{
    for (uint32_t i = 0; i < n; i++)
        use[terms[i].column] |= flag;
}

/* In what a template uses each of its columns. */
static void mark_template(uint8_t *use, const cz_compiled_tables *t,
                          const cz_compiled_template *shape)
{
    for (uint32_t i = 0; i < shape->n_rows; i++) {
        const cz_compiled_row *row = &t->rows[shape->first_row + i];
        const cz_compiled_term *terms = t->terms + row->first_term;

        mark_terms(use, terms, row->n[0], USED_IN_A);
        mark_terms(use, terms + row->n[0], row->n[1], USED_IN_B);
    }
}

/* Per template two planes over its columns, one after the other, class_words long each. */
static void make_template_planes(uint64_t *planes, const cz_compiled_tables *t, uint8_t *use)
{
    for (uint32_t i = 0; i < t->header->n_templates; i++) {
        const cz_compiled_template *shape = &t->templates[i];
        uint32_t n_columns = cz_template_columns(shape);
        uint64_t *a = planes + 2 * (size_t)shape->first_class_word;
        uint64_t *b = a + cz_class_words(n_columns);

        memset(use, 0, n_columns);
        mark_template(use, t, shape);
        for (uint32_t k = 0; k < n_columns; k++) {
            a[k / 64] |= (uint64_t)(use[k] & USED_IN_A) << (k % 64);
            b[k / 64] |= (uint64_t)(use[k] / USED_IN_B) << (k % 64);
        }
    }
}

static void spread_ports(cz_densities *d, const cz_compiled_tables *t,
                         const cz_compiled_instance *x, const uint64_t *a, const uint64_t *b,
                         uint32_t n_ports)
{
    const cz_compiled_run *run = t->runs + x->first_run;

    for (uint32_t port = 0; port < n_ports; port += run->n, run++) {
        uint32_t at = run->var & ~CZ_VAR_AUX_BIT;

        if (run->var & CZ_VAR_AUX_BIT) {
            cz_plane_or_range(d->a_aux, at, a, port, run->n);
            cz_plane_or_range(d->b_aux, at, b, port, run->n);
        } else {
            cz_plane_or_range(d->b_input, at, b, port, run->n);
        }
    }
}

static void spread_templates(cz_densities *d, const cz_compiled_tables *t, const uint64_t *planes)
{
    for (uint32_t i = 0; i < t->header->n_instances; i++) {
        const cz_compiled_instance *x = &t->instances[i];
        const cz_compiled_template *shape = &t->templates[x->template_index];
        const uint64_t *a = planes + 2 * (size_t)shape->first_class_word;
        const uint64_t *b = a + cz_class_words(cz_template_columns(shape));

        spread_ports(d, t, x, a, b, shape->n_ports);
        cz_plane_or_range(d->a_aux, x->first_aux, a, shape->n_ports, shape->n_locals);
        cz_plane_or_range(d->b_aux, x->first_aux, b, shape->n_ports, shape->n_locals);
    }
}

static cz_err derive_densities(cz_densities *d, const cz_compiled *c)
{
    const cz_compiled_header *h = c->t.header;
    uint64_t *planes = calloc(2 * (size_t)h->n_class_words + 1, sizeof *planes);
    uint8_t *use = malloc(c->max_columns);
    bool ok;

    d->a_aux = calloc(cz_plane_words(h->n_aux), sizeof *d->a_aux);
    d->b_aux = calloc(cz_plane_words(h->n_aux), sizeof *d->b_aux);
    d->b_input = calloc(cz_plane_words(h->n_inputs), sizeof *d->b_input);
    ok =
        planes != NULL && use != NULL && d->a_aux != NULL && d->b_aux != NULL && d->b_input != NULL;
    if (ok) {
        make_template_planes(planes, &c->t, use);
        spread_templates(d, &c->t, planes);
    }
    free(planes);
    free(use);
    return ok ? CZ_OK : cz_fail(CZ_E_NOMEM, "no memory for the densities of %s", cz_compiled_id(c));
}

cz_err cz_compiled_densities(cz_densities *out, const cz_compiled *c)
{
    cz_densities d = {NULL, NULL, NULL};
    cz_err err = derive_densities(&d, c);

    if (err != CZ_OK) {
        cz_densities_clear(&d);
        return err;
    }
    *out = d;
    return CZ_OK;
}

void cz_densities_clear(cz_densities *d)
{
    free(d->a_aux);
    free(d->b_input);
    free(d->b_aux);
    *d = (cz_densities){NULL, NULL, NULL};
}
