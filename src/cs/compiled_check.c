/* compiled_check.c: everything that must hold of the tables before they are used; see compiled.h.
 *
 * The checks go from the outside in: size, version and checksum; then each table, given that those
 * before it are right. */
#include "cs/compiled_state.h"

#include <stdlib.h>
#include <string.h>

#define REFUSE(...) return cz_fail(CZ_E_INPUT, __VA_ARGS__)

/* ---- the header ---- */

static cz_err check_header(const uint8_t *image, size_t n)
{
    cz_compiled_header h;
    size_t at[CZ_COMPILED_SECTIONS + 1];
    uint8_t checksum[32];

    if (n < sizeof h)
        REFUSE("%zu bytes, shorter than a header", n);
    memcpy(&h, image, sizeof h);
    if (memcmp(h.magic, CZ_COMPILED_MAGIC, sizeof h.magic) != 0)
        REFUSE("not a compiled circuit");
    if (h.version != CZ_COMPILED_VERSION)
        return cz_fail(CZ_E_UNSUPPORTED, "format version %u, this build has %u", h.version,
                       (unsigned)CZ_COMPILED_VERSION);
    if (h.header_bytes != sizeof h)
        REFUSE("a header of %u bytes, expected %zu", h.header_bytes, sizeof h);
    if (h.circuit_id[CZ_COMPILED_ID_MAX - 1] != '\0')
        REFUSE("the circuit id does not end");
    cz_compiled_layout(at, &h);
    if (at[CZ_COMPILED_SECTIONS] != n)
        REFUSE("%zu bytes, the header counts %zu", n, at[CZ_COMPILED_SECTIONS]);
    cz_compiled_checksum(checksum, image, n);
    if (memcmp(checksum, h.checksum, sizeof checksum) != 0)
        REFUSE("the checksum does not fit");
    return CZ_OK;
}

static cz_err check_counts(const cz_compiled_header *h)
{
    if (h->n_inputs == 0 || h->n_inputs > CZ_VAR_AUX_BIT || h->n_aux > CZ_VAR_AUX_BIT ||
        h->n_constraints > UINT32_MAX)
        REFUSE("more variables or constraints than a circuit can have");
    if (h->n_coeffs > CZ_COMPILED_MAX_COEFFS)
        REFUSE("%u coefficients", h->n_coeffs);
    return CZ_OK;
}

/* ---- coefficients ---- */

static bool below_modulus(const cz_fr *v)
{
    for (int i = 3; i >= 0; i--) {
        if (v->l[i] != cz_fr_modulus[i])
            return v->l[i] < cz_fr_modulus[i];
    }
    return false;
}

static uint32_t digit_of(const cz_u256 *v, unsigned i)
{
    return (uint32_t)(v->l[i / 2] >> (32 * (i % 2)));
}

static void derive_digit(cz_digit *out, const cz_signed *v)
{
    *out = (cz_digit){0, 0};
    for (unsigned i = 0; i < CZ_DIGITS; i++) {
        uint32_t d = digit_of(&v->magnitude, i);

        if (d == 0)
            continue;
        if (out->value != 0) {
            *out = (cz_digit){0, CZ_DIGITS};
            return;
        }
        *out = (cz_digit){v->negative ? -(int64_t)d : (int64_t)d, i};
    }
}

static cz_err check_coeffs(cz_compiled *c)
{
    uint32_t n = c->t.header->n_coeffs;

    c->integers = malloc((n + (size_t)1) * sizeof *c->integers);
    c->digits = malloc((n + (size_t)1) * sizeof *c->digits);
    c->small = malloc(n + (size_t)1);
    if (c->integers == NULL || c->digits == NULL || c->small == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %u coefficients", n);
    for (uint32_t i = 0; i < n; i++) {
        if (!below_modulus(&c->t.coeffs[i]) || cz_fr_is_zero(&c->t.coeffs[i]))
            REFUSE("coefficient %u is zero or no field element", i);
        cz_signed_from_fr(&c->integers[i], &c->t.coeffs[i]);
        derive_digit(&c->digits[i], &c->integers[i]);
        c->small[i] = cz_signed_small(&c->integers[i]);
    }
    return CZ_OK;
}

/* ---- templates ---- */

/* How far the tables are used up. */
typedef struct {
    uint64_t rows, terms, class_words;
} used;

static cz_err check_terms(const cz_compiled_term *terms, uint32_t n, uint32_t n_columns,
                          uint32_t n_coeffs)
{
    for (uint32_t i = 0; i < n; i++) {
        if (terms[i].column >= n_columns || terms[i].coeff >= n_coeffs)
            REFUSE("a term beyond the tables");
        if (i > 0 && terms[i].column <= terms[i - 1].column)
            REFUSE("terms out of order");
    }
    return CZ_OK;
}

static cz_err check_row(const cz_compiled *c, const cz_compiled_row *row, uint32_t n_columns,
                        const uint64_t *classes, used *u)
{
    const cz_compiled_header *h = c->t.header;
    uint64_t n = (uint64_t)row->n[0] + row->n[1] + row->n[2];
    const cz_compiled_term *terms = c->t.terms + row->first_term;

    if (row->first_term != u->terms || n > h->n_terms - u->terms)
        REFUSE("terms of a row beyond the table");
    if (row->zero[0] != 0 || row->zero[1] != 0 || row->zero[2] != 0)
        REFUSE("a row with unknown marks");
    for (int m = 0; m < 3; terms += row->n[m], m++) {
        CZ_TRY(check_terms(terms, row->n[m], n_columns, h->n_coeffs));
        if (row->kind[m] != cz_lc_kind_of(terms, row->n[m], classes, c->integers))
            REFUSE("a combination of another kind than it says");
    }
    u->terms += n;
    return CZ_OK;
}

static uint32_t count_bits(const uint64_t *words, uint32_t first, uint32_t n)
{
    uint32_t count = 0;

    for (uint32_t done = 0; done < n; done += 64)
        count += (uint32_t)__builtin_popcountll(
            cz_plane_get(words, (uint64_t)first + done, n - done < 64 ? n - done : 64));
    return count;
}

static cz_err check_classes(const cz_compiled *c, const cz_compiled_template *t, used *u)
{
    uint32_t n_columns = cz_template_columns(t);
    size_t n_words = cz_class_words(n_columns);
    const uint64_t *words = c->t.class_words + t->first_class_word;

    if (t->first_class_word != u->class_words ||
        n_words > c->t.header->n_class_words - u->class_words)
        REFUSE("classes beyond the table");
    if (n_columns % 64 != 0 && words[n_words - 1] >> (n_columns % 64) != 0)
        REFUSE("classes of columns that do not exist");
    if (t->n_fields != t->n_locals - count_bits(words, t->n_ports, t->n_locals))
        REFUSE("%u variables of class field, not as many as it says", t->n_fields);
    u->class_words += n_words;
    return CZ_OK;
}

static cz_err check_template(const cz_compiled *c, const cz_compiled_template *t, used *u)
{
    const cz_compiled_header *h = c->t.header;

    if (t->n_ports > CZ_COMPILED_MAX_COLUMNS || t->n_locals > CZ_COMPILED_MAX_COLUMNS ||
        cz_template_columns(t) > CZ_COMPILED_MAX_COLUMNS)
        REFUSE("too many columns");
    if (t->first_row != u->rows || t->n_rows > h->n_rows - u->rows)
        REFUSE("rows beyond the table");
    if (t->n_rows == 0 && t->n_locals == 0)
        REFUSE("neither rows nor variables");
    CZ_TRY(check_classes(c, t, u));
    for (uint32_t i = 0; i < t->n_rows; i++)
        CZ_TRY_IN(check_row(c, &c->t.rows[t->first_row + i], cz_template_columns(t),
                            c->t.class_words + t->first_class_word, u),
                  "row %u", i);
    u->rows += t->n_rows;
    return CZ_OK;
}

static cz_err check_templates(cz_compiled *c)
{
    const cz_compiled_header *h = c->t.header;
    used u = {0, 0, 0};

    c->max_columns = 1;
    for (uint32_t i = 0; i < h->n_templates; i++) {
        CZ_TRY_IN(check_template(c, &c->t.templates[i], &u), "template %u", i);
        if (cz_template_columns(&c->t.templates[i]) > c->max_columns)
            c->max_columns = cz_template_columns(&c->t.templates[i]);
    }
    if (u.rows != h->n_rows || u.terms != h->n_terms || u.class_words != h->n_class_words)
        REFUSE("rows, terms or classes that no template uses");
    return CZ_OK;
}

/* ---- instances ---- */

/* Where the next instance must begin. */
typedef struct {
    uint64_t row, aux, field, run;
} place;

/* Are all variables of the run there, and of the classes that the ports from `port` on have? */
static cz_err check_run(const cz_compiled *c, const cz_compiled_run *run,
                        const cz_compiled_template *t, uint32_t port, uint32_t first_aux)
{
    const uint64_t *classes = c->t.class_words + t->first_class_word;
    const bool aux = (run->var & CZ_VAR_AUX_BIT) != 0;
    const uint32_t first = run->var & ~CZ_VAR_AUX_BIT;
    const uint32_t limit = aux ? first_aux : c->t.header->n_inputs;

    if (run->n == 0 || run->n > t->n_ports - port || first >= limit || run->n > limit - first)
        REFUSE("ports beyond the variables");
    for (uint32_t i = 0; i < run->n; i += 64) {
        unsigned n = run->n - i < 64 ? run->n - i : 64;
        uint64_t is = first == 0 && i == 0 ? 1 : 0; /* of inputs, one alone is a bit */

        if (aux)
            is = cz_plane_get(c->classes, (uint64_t)first + i, n);
        if (is != cz_plane_get(classes, (uint64_t)port + i, n))
            REFUSE("a port of another class than its variable");
    }
    return CZ_OK;
}

static cz_err check_ports(const cz_compiled *c, const cz_compiled_instance *x,
                          const cz_compiled_template *t, place *p)
{
    uint64_t next_var = 0;
    uint32_t port = 0;

    while (port < t->n_ports) {
        const cz_compiled_run *run = &c->t.runs[p->run];

        if (p->run == c->t.header->n_runs)
            REFUSE("ports beyond the table");
        if (run->var < next_var)
            REFUSE("ports out of order");
        CZ_TRY(check_run(c, run, t, port, x->first_aux));
        next_var = (uint64_t)run->var + run->n;
        port += run->n;
        p->run++;
    }
    return CZ_OK;
}

static cz_err check_instance(cz_compiled *c, const cz_compiled_instance *x, place *p)
{
    const cz_compiled_header *h = c->t.header;
    const cz_compiled_template *t;

    if (x->template_index >= h->n_templates)
        REFUSE("there is no template %u", x->template_index);
    t = &c->t.templates[x->template_index];
    if (x->first_row != p->row || x->first_aux != p->aux || x->first_field != p->field ||
        x->first_run != p->run)
        REFUSE("it does not begin where the one before it ends");
    if (t->n_rows > h->n_constraints - p->row || t->n_locals > h->n_aux - p->aux)
        REFUSE("rows or variables beyond the circuit's");
    CZ_TRY(check_ports(c, x, t, p));
    cz_plane_or_range(c->classes, p->aux, c->t.class_words + t->first_class_word, t->n_ports,
                      t->n_locals);
    p->row += t->n_rows;
    p->aux += t->n_locals;
    p->field += t->n_fields;
    return CZ_OK;
}

/* Builds the plane of classes on the way: a port lies before its instance. */
static cz_err check_instances(cz_compiled *c)
{
    const cz_compiled_header *h = c->t.header;
    place p = {0, 0, 0, 0};

    c->classes = calloc(cz_plane_words(h->n_aux), sizeof *c->classes);
    if (c->classes == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the classes of %u variables", h->n_aux);
    for (uint32_t i = 0; i < h->n_instances; i++)
        CZ_TRY_IN(check_instance(c, &c->t.instances[i], &p), "instance %u", i);
    if (p.row != h->n_constraints || p.aux != h->n_aux || p.field != h->n_fields ||
        p.run != h->n_runs)
        REFUSE("the instances do not make up the circuit");
    return CZ_OK;
}

/* ---- derived ---- */

static cz_err derive_ranks(cz_compiled *c)
{
    uint32_t n = c->t.header->n_aux / CZ_RANK_BITS + 1;
    uint32_t fields = 0;

    c->fields_before = malloc(n * sizeof *c->fields_before);
    if (c->fields_before == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the places of field elements");
    for (uint32_t i = 0; i < n; i++) {
        uint64_t begin = (uint64_t)i * CZ_RANK_BITS;
        uint64_t end = begin + CZ_RANK_BITS;

        c->fields_before[i] = fields;
        if (end <= c->t.header->n_aux)
            fields += CZ_RANK_BITS - count_bits(c->classes, (uint32_t)begin, CZ_RANK_BITS);
    }
    return CZ_OK;
}

static cz_err check_tables(cz_compiled *c)
{
    CZ_TRY(check_counts(c->t.header));
    CZ_TRY(check_coeffs(c));
    CZ_TRY(check_templates(c));
    CZ_TRY(check_instances(c));
    return derive_ranks(c);
}

cz_err cz_compiled_check(cz_compiled *c, const uint8_t *image, size_t n, const char *name)
{
    CZ_TRY_IN(check_header(image, n), "%s", name);
    cz_compiled_point(&c->t, image);
    CZ_TRY_IN(check_tables(c), "%s", name);
    return CZ_OK;
}
