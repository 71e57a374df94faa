/* cs.c: the part of a constraint system that all modes share; see cs.h. */
#include "cs/cs.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_PATH_TEXT = 1024 };

void cz_cs_init(cz_cs *cs, const cz_cs_ops *ops, bool has_values, bool wants_constraints)
{
    cs->ops = ops;
    cs->has_values = has_values;
    cs->wants_constraints = wants_constraints;
    cs->n_inputs = 1;
    cs->n_aux = 0;
    cs->n_constraints = 0;
    cs->status = CZ_OK;
    cs->alloc_bit = NULL;
    cs->alloc_bits = NULL;
    cs->alloc_values = NULL;
    cs->parts = NULL;
    cs->part_lanes = NULL;
    cs->border = NULL;
    cs->depth = 0;
}

cz_err cz_cs_status(const cz_cs *cs)
{
    return cs->status;
}

void cz_cs_fail(cz_cs *cs, cz_err err)
{
    if (cs->status == CZ_OK)
        cs->status = err;
}

/* ---- variables and constraints ---- */

static void fail_at(cz_cs *cs, cz_name name, cz_err err, const char *what)
{
    char path[MAX_PATH_TEXT];

    if (cs->status != CZ_OK)
        return;
    cz_cs_path(cs, name, path, sizeof path);
    cz_cs_fail(cs, cz_fail(err, "%s: %s", path, what));
}

/* May a variable be added to the `n` that there are? */
static bool may_alloc(cz_cs *cs, cz_name name, uint32_t n)
{
    if (n >= CZ_VAR_AUX_BIT)
        fail_at(cs, name, CZ_E_INPUT, "the circuit has more than 2^31 variables");
    return cs->status == CZ_OK;
}

cz_var cz_cs_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    CZ_ASSERT(value != NULL || !cs->has_values);
    if (!may_alloc(cs, name, cs->n_aux))
        return CZ_VAR_ONE;
    cs->ops->alloc(cs, name, value);
    return (cz_var){CZ_VAR_AUX_BIT | cs->n_aux++};
}

cz_var cz_cs_alloc_bit(cz_cs *cs, cz_name name, bool value)
{
    static const cz_fr values[2] = {{{0, 0, 0, 0}}, {CZ_FR_R}};

    if (cs->alloc_bit == NULL)
        return cz_cs_alloc(cs, name, &values[value]);
    if (!may_alloc(cs, name, cs->n_aux))
        return CZ_VAR_ONE;
    cs->alloc_bit(cs, value);
    return (cz_var){CZ_VAR_AUX_BIT | cs->n_aux++};
}

cz_var cz_cs_alloc_bits(cz_cs *cs, uint64_t values, unsigned n)
{
    const cz_var first = {CZ_VAR_AUX_BIT | cs->n_aux};

    CZ_ASSERT(cz_cs_takes_words(cs) && n >= 1 && n <= 64);
    if (!may_alloc(cs, CZ_N("bits"), cs->n_aux + n))
        return CZ_VAR_ONE;
    cs->alloc_bits(cs, n == 64 ? values : values & (((uint64_t)1 << n) - 1), n);
    cs->n_aux += n;
    return first;
}

cz_var cz_cs_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    CZ_ASSERT(value != NULL || !cs->has_values);
    if (!may_alloc(cs, name, cs->n_inputs))
        return CZ_VAR_ONE;
    cs->ops->alloc_input(cs, name, value);
    return (cz_var){cs->n_inputs++};
}

void cz_cs_parts(cz_cs *cs, size_t n, cz_cs_part part, const void *shared)
{
    if (cs->parts != NULL) {
        cs->parts(cs, n, part, shared);
        return;
    }
    for (size_t i = 0; i < n && cs->status == CZ_OK; i++)
        part(shared, cs, i);
}

void cz_cs_part_lanes(cz_cs *cs, size_t n, cz_cs_lanes lanes, const void *shared)
{
    cz_cs *const alone[] = {cs};

    if (cs->part_lanes != NULL) {
        cs->part_lanes(cs, n, lanes, shared);
        return;
    }
    for (size_t i = 0; i < n && cs->status == CZ_OK; i++)
        lanes(shared, alone, 1, i);
}

cz_var cz_cs_alloc_values(cz_cs *cs, cz_fr **values, unsigned n)
{
    const cz_var first = {CZ_VAR_AUX_BIT | cs->n_aux};

    CZ_ASSERT(cz_cs_takes_values(cs) && n >= 1);
    *values = NULL;
    if (!may_alloc(cs, CZ_N("values"), cs->n_aux + n))
        return CZ_VAR_ONE;
    *values = cs->alloc_values(cs, n);
    if (*values == NULL)
        return CZ_VAR_ONE;
    cs->n_aux += n;
    return first;
}

void cz_cs_enforce(cz_cs *cs, cz_name name, cz_lc *a, cz_lc *b, cz_lc *c)
{
    if (!cs->wants_constraints || cs->status != CZ_OK)
        return;
    cz_lc_normalize(a);
    cz_lc_normalize(b);
    cz_lc_normalize(c);
    if (a->failed || b->failed || c->failed) {
        fail_at(cs, name, CZ_E_NOMEM, "no memory for a linear combination");
        return;
    }
    cs->ops->enforce(cs, name, a, b, c);
    cs->n_constraints++;
}

/* ---- names ---- */

void cz_cs_enter(cz_cs *cs, cz_name name)
{
    if (cs->depth < CZ_CS_MAX_DEPTH)
        cs->path[cs->depth] = name;
    cs->depth++;
}

void cz_cs_leave(cz_cs *cs)
{
    CZ_ASSERT(cs->depth > 0);
    cs->depth--;
}

/* A bounded string: what does not fit is dropped. */
typedef struct {
    char *at;
    char *last; /* where the final NUL still fits */
} text;

static void put_char(text *t, char c)
{
    if (t->at < t->last)
        *t->at++ = c;
}

static void put_string(text *t, const char *s)
{
    while (*s != '\0')
        put_char(t, *s++);
}

static bool is_number(const char *p)
{
    return p[0] == '%' && p[1] == 'u';
}

static bool has_several_numbers(const char *fmt)
{
    unsigned n = 0;

    for (const char *p = fmt; *p != '\0'; p++)
        n += is_number(p);
    return n > 1;
}

/* The next number of a name; several share its argument. */
static uint64_t take_number(cz_name *name, bool several)
{
    const uint64_t field = name->arg & ((UINT64_C(1) << CZ_NAME_FIELD_BITS) - 1);

    if (!several)
        return name->arg;
    name->arg >>= CZ_NAME_FIELD_BITS;
    return field;
}

static void put_name(text *t, cz_name name)
{
    const bool several = has_several_numbers(name.fmt);
    const char *p = name.fmt;
    char digits[24];

    while (*p != '\0') {
        if (is_number(p)) {
            (void)snprintf(digits, sizeof digits, "%" PRIu64, take_number(&name, several));
            put_string(t, digits);
            p += 2;
        } else {
            put_char(t, *p++);
        }
    }
}

void cz_cs_path(const cz_cs *cs, cz_name name, char *out, size_t out_size)
{
    unsigned depth = cs->depth < CZ_CS_MAX_DEPTH ? cs->depth : CZ_CS_MAX_DEPTH;
    text t = {out, out + out_size - 1};

    if (out_size == 0)
        return;
    for (unsigned i = 0; i < depth; i++) {
        put_name(&t, cs->path[i]);
        put_char(&t, '/');
    }
    if (cs->depth > CZ_CS_MAX_DEPTH)
        put_string(&t, ".../");
    put_name(&t, name);
    *t.at = '\0';
}
