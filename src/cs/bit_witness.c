/* bit_witness.c: see bit_witness.h. */
#include "cs/bit_witness.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "cs/compiled_state.h"

/* ---- memory ---- */

static cz_err make_room(cz_bit_witness *w, const cz_compiled *c)
{
    const cz_compiled_header *h = c->t.header;

    *w = (cz_bit_witness){.n_inputs = h->n_inputs, .n_aux = h->n_aux, .n_fields = h->n_fields};
    w->inputs = malloc(w->n_inputs * sizeof *w->inputs);
    w->bits = calloc(cz_plane_words(w->n_aux) + 1, sizeof *w->bits);
    w->fields = malloc((w->n_fields + (size_t)1) * sizeof *w->fields);
    if (w->inputs == NULL || w->bits == NULL || w->fields == NULL) {
        /* nothing secret in it yet */
        free(w->inputs);
        free(w->bits);
        free(w->fields);
        *w = (cz_bit_witness){0};
        return cz_fail(CZ_E_NOMEM, "no memory for the witness of %s", cz_compiled_id(c));
    }
    w->inputs[0] = CZ_FR_ONE;
    return CZ_OK;
}

void cz_bit_witness_clear(cz_bit_witness *w)
{
    if (w->bits != NULL) {
        cz_secure_zero(w->inputs, w->n_inputs * sizeof *w->inputs);
        cz_secure_zero(w->bits, (cz_plane_words(w->n_aux) + 1) * sizeof *w->bits);
        cz_secure_zero(w->fields, w->n_fields * sizeof *w->fields);
    }
    free(w->inputs);
    free(w->bits);
    free(w->fields);
    *w = (cz_bit_witness){0};
}

/* ---- the mode ---- */

typedef struct {
    cz_cs cs; /* first: modes embed it */
    const cz_compiled *compiled;
    cz_bit_witness *w;
    uint32_t n_fields; /* so far */
} witness_cs;

static void fail_as_other(cz_cs *cs)
{
    cz_cs_fail(cs, cz_fail(CZ_E_INTERNAL, "variable %u of the witness is not what was compiled",
                           cs->n_aux));
}

static void witness_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    witness_cs *s = (witness_cs *)cs;

    (void)name;
    if (cs->n_aux >= s->w->n_aux || cz_class_bit(s->compiled->classes, cs->n_aux)) {
        fail_as_other(cs);
        return;
    }
    s->w->fields[s->n_fields++] = *value;
}

/* That it is of class bit follows from the number of fields in the end. */
static void witness_alloc_bit(cz_cs *cs, bool value)
{
    witness_cs *s = (witness_cs *)cs;

    if (cs->n_aux >= s->w->n_aux) {
        fail_as_other(cs);
        return;
    }
    s->w->bits[cs->n_aux / 64] |= (uint64_t)value << (cs->n_aux % 64);
}

static void witness_alloc_bits(cz_cs *cs, uint64_t values, unsigned n)
{
    witness_cs *s = (witness_cs *)cs;

    if (n > s->w->n_aux - cs->n_aux) {
        fail_as_other(cs);
        return;
    }
    cz_plane_or(s->w->bits, cs->n_aux, n, values);
}

static void witness_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    witness_cs *s = (witness_cs *)cs;

    (void)name;
    if (cs->n_inputs >= s->w->n_inputs) {
        cz_cs_fail(cs, cz_fail(CZ_E_INTERNAL, "more inputs than were compiled"));
        return;
    }
    s->w->inputs[cs->n_inputs] = *value;
}

static void witness_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    (void)cs;
    (void)name;
    (void)a;
    (void)b;
    (void)c;
}

static const cz_cs_ops witness_ops = {witness_alloc, witness_alloc_input, witness_enforce};

static cz_err synthesize(witness_cs *s, const cz_circuit *circuit)
{
    const cz_bit_witness *w = s->w;

    circuit->synthesize(circuit, &s->cs);
    CZ_TRY_IN(cz_cs_status(&s->cs), "circuit %s", circuit->id);
    if (s->cs.n_inputs != w->n_inputs || s->cs.n_aux != w->n_aux || s->n_fields != w->n_fields)
        return cz_fail(CZ_E_INTERNAL, "circuit %s: the witness has other variables than %s",
                       circuit->id, cz_compiled_id(s->compiled));
    return CZ_OK;
}

cz_err cz_bit_witness_synthesize(cz_bit_witness *out, const cz_compiled *c,
                                 const cz_circuit *circuit)
{
    cz_bit_witness w;
    witness_cs s = {.compiled = c, .w = &w};
    cz_err err;

    CZ_TRY(make_room(&w, c));
    cz_cs_init(&s.cs, &witness_ops, true, false);
    s.cs.alloc_bit = witness_alloc_bit;
    s.cs.alloc_bits = witness_alloc_bits;
    err = synthesize(&s, circuit);
    if (err != CZ_OK) {
        cz_bit_witness_clear(&w);
        return err;
    }
    *out = w;
    return CZ_OK;
}

/* ---- from and to full values ---- */

static cz_err take_values(cz_bit_witness *w, const cz_compiled *c, const cz_fr *aux)
{
    uint32_t n_fields = 0;

    for (uint32_t k = 0; k < w->n_aux; k++) {
        if (!cz_class_bit(c->classes, k))
            w->fields[n_fields++] = aux[k];
        else if (cz_fr_is_one(&aux[k]))
            w->bits[k / 64] |= (uint64_t)1 << (k % 64);
        else if (!cz_fr_is_zero(&aux[k]))
            return cz_fail(CZ_E_UNSATISFIED, "aux variable %u of %s is neither 0 nor 1", k,
                           cz_compiled_id(c));
    }
    return CZ_OK;
}

cz_err cz_bit_witness_from_values(cz_bit_witness *out, const cz_compiled *c, const cz_fr *inputs,
                                  const cz_fr *aux)
{
    cz_bit_witness w;
    cz_err err;

    CZ_TRY(make_room(&w, c));
    memcpy(w.inputs, inputs, w.n_inputs * sizeof *w.inputs);
    err = take_values(&w, c, aux);
    if (err != CZ_OK) {
        cz_bit_witness_clear(&w);
        return err;
    }
    *out = w;
    return CZ_OK;
}

void cz_bit_witness_aux(cz_fr *out, const cz_bit_witness *w, const cz_compiled *c, uint32_t k)
{
    CZ_ASSERT(k < w->n_aux);
    if (!cz_class_bit(c->classes, k))
        *out = w->fields[cz_field_index(c, k)];
    else
        *out = w->bits[k / 64] >> (k % 64) & 1 ? CZ_FR_ONE : CZ_FR_ZERO;
}
