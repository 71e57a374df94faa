/* satisfied.c: see satisfied.h. */
#include "cs/satisfied.h"

#include <stdlib.h>

#include "cs/values.h"
#include "hash/sha256.h"

typedef struct {
    cz_cs cs; /* first: modes embed it */
    cz_witness_report *report;
    cz_values inputs, aux;
} check_cs;

/* ---- the mode ---- */

static void check_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    (void)name;
    cz_values_push(&((check_cs *)cs)->aux, cs, value);
}

static void check_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    (void)name;
    cz_values_push(&((check_cs *)cs)->inputs, cs, value);
}

static bool holds(const check_cs *k, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    cz_fr left, right, product, want;

    cz_lc_eval(&left, a, k->inputs.v, k->aux.v);
    cz_lc_eval(&right, b, k->inputs.v, k->aux.v);
    cz_lc_eval(&want, c, k->inputs.v, k->aux.v);
    cz_fr_mul(&product, &left, &right);
    return cz_fr_equal(&product, &want);
}

static void check_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    check_cs *k = (check_cs *)cs;
    cz_witness_report *r = k->report;

    if (!r->satisfied || holds(k, a, b, c))
        return;
    r->satisfied = false;
    r->first_failing = cs->n_constraints;
    cz_cs_path(cs, name, r->failing_path, sizeof r->failing_path);
}

static const cz_cs_ops check_ops = {check_alloc, check_alloc_input, check_enforce};

/* ---- the report ---- */

static void hash_values(cz_sha256 *sha, const cz_values *values)
{
    enum { AT_ONCE = 128 };
    uint8_t bytes[AT_ONCE * 32];

    for (size_t i = 0; i < values->n; i += AT_ONCE) {
        size_t n = values->n - i < AT_ONCE ? values->n - i : AT_ONCE;

        for (size_t k = 0; k < n; k++)
            cz_fr_to_le(bytes + 32 * k, &values->v[i + k]);
        cz_sha256_update(sha, bytes, 32 * n);
    }
}

static void count_kinds(cz_witness_report *r, const cz_values *aux)
{
    for (size_t i = 0; i < aux->n; i++) {
        if (cz_fr_is_zero(&aux->v[i]))
            r->aux_zero++;
        else if (cz_fr_is_one(&aux->v[i]))
            r->aux_one++;
    }
    r->aux_other = aux->n - r->aux_zero - r->aux_one;
}

static cz_err copy_public_inputs(cz_witness_report *r, const cz_values *inputs)
{
    size_t n = inputs->n - 1;

    r->public_inputs = malloc((n == 0 ? 1 : n) * sizeof *r->public_inputs);
    if (r->public_inputs == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu public inputs", n);
    memcpy(r->public_inputs, inputs->v + 1, n * sizeof *r->public_inputs);
    return CZ_OK;
}

static cz_err check_all(check_cs *k, const cz_circuit *circuit)
{
    const cz_fr one = CZ_FR_ONE;
    cz_witness_report *r = k->report;
    cz_sha256 sha;

    cz_values_push(&k->inputs, &k->cs, &one);
    if (cz_cs_status(&k->cs) == CZ_OK)
        circuit->synthesize(circuit, &k->cs);
    CZ_TRY_IN(cz_cs_status(&k->cs), "circuit %s", circuit->id);
    r->inputs = k->cs.n_inputs;
    r->aux = k->cs.n_aux;
    r->constraints = k->cs.n_constraints;
    count_kinds(r, &k->aux);
    cz_sha256_init(&sha);
    hash_values(&sha, &k->inputs);
    hash_values(&sha, &k->aux);
    cz_sha256_final(&sha, r->witness_sha256);
    return copy_public_inputs(r, &k->inputs);
}

cz_err cz_circuit_check(cz_witness_report *out, const cz_circuit *circuit)
{
    cz_witness_report report = {.satisfied = true};
    check_cs k = {.report = &report};
    cz_err err;

    cz_cs_init(&k.cs, &check_ops, true, true);
    err = check_all(&k, circuit);
    cz_values_clear(&k.inputs);
    cz_values_clear(&k.aux);
    if (err == CZ_OK)
        *out = report;
    return err;
}

void cz_witness_report_clear(cz_witness_report *r)
{
    free(r->public_inputs);
    *r = (cz_witness_report){0};
}
