/* recorder.c: see recorder.h. */
#include "cs/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "cs/bits.h"
#include "cs/compiled_tables.h"
#include "cs/growing.h"
#include "cs/recorder_maps.h"

/* A block is cut where it would get more columns by new variables, or more ports by a new row, than
 * this: so that all of them fit. */
enum { MAX_LOCALS = 40000, MAX_PORTS = 20000, TEMPLATE_SLOTS = 1 << 20 };

/* A term as it is recorded. */
typedef struct {
    uint32_t var; /* cz_var.id */
    uint16_t coeff;
} raw_term;

typedef struct {
    uint16_t n[3];
} raw_row;

/* Where the current block began. */
typedef struct {
    uint64_t row;
    uint32_t aux, field;
} place;

/* The columns of the block that ends. */
typedef struct {
    uint32_t n_rows, n_terms, n_ports, n_locals, n_fields;
    uint64_t hash;
} block;

typedef struct {
    cz_cs cs; /* first: modes embed it */
    cz_coeff_map coeffs;
    cz_port_map ports;
    cz_bits classes; /* of all aux variables so far */
    uint32_t n_fields;
    place begin;
    cz_growing block_terms, block_rows;        /* raw_term, raw_row */
    cz_growing relative, block_classes;        /* cz_compiled_term, uint64_t: of the block */
    cz_growing templates, hashes, rows, terms; /* cz_compiled_…; hashes: uint64_t a template */
    cz_growing class_words, instances, runs;
    uint32_t *slots; /* TEMPLATE_SLOTS: template + 1, 0 free */
} recorder;

#define ITEMS(list, type) ((type *)(list).items)

static void append(cz_growing *list, cz_cs *cs, const void *items, size_t n, size_t size)
{
    if (n == 0 || !cz_growing_reserve(list, cs, n, size))
        return;
    memcpy((char *)list->items + list->n * size, items, n * size);
    list->n += n;
}

/* ---- a block becomes relative ---- */

static uint16_t column_of(recorder *r, uint32_t var)
{
    if (var >= (CZ_VAR_AUX_BIT | r->begin.aux))
        return (uint16_t)(r->ports.n + (var & ~CZ_VAR_AUX_BIT) - r->begin.aux);
    return (uint16_t)cz_port_map_get(&r->ports, var)->number;
}

static void make_terms_relative(recorder *r)
{
    const raw_term *from = ITEMS(r->block_terms, raw_term);
    size_t n = r->block_terms.n;
    cz_compiled_term *to;

    r->relative.n = 0;
    if (!cz_growing_reserve(&r->relative, &r->cs, n, sizeof *to))
        return;
    to = ITEMS(r->relative, cz_compiled_term);
    for (size_t i = 0; i < n; i++)
        to[i] = (cz_compiled_term){column_of(r, from[i].var), from[i].coeff};
    r->relative.n = n;
}

/* Class of a port: of inputs, one alone is a bit. */
static bool is_bit(const recorder *r, uint32_t var)
{
    return var >= CZ_VAR_AUX_BIT ? cz_class_bit(r->classes.words, var & ~CZ_VAR_AUX_BIT) : var == 0;
}

static void list_classes(recorder *r, block *b)
{
    size_t n_words = cz_class_words(b->n_ports + b->n_locals) + 1; /* one to spare */
    uint64_t *words;

    r->block_classes.n = 0;
    if (!cz_growing_reserve(&r->block_classes, &r->cs, n_words, sizeof *words))
        return;
    words = ITEMS(r->block_classes, uint64_t);
    memset(words, 0, n_words * sizeof *words);
    for (uint32_t i = 0; i < b->n_ports; i++)
        words[i / 64] |= (uint64_t)is_bit(r, r->ports.vars[i]) << (i % 64);
    cz_plane_or_range(words, b->n_ports, r->classes.words, r->begin.aux, b->n_locals);
    r->block_classes.n = n_words - 1;
}

/* ---- looking it up ---- */

static uint64_t mix(uint64_t hash, uint64_t v)
{
    hash = (hash ^ v) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    const char *p = bytes;
    uint64_t v;

    for (; n >= sizeof v; p += sizeof v, n -= sizeof v) {
        memcpy(&v, p, sizeof v);
        hash = mix(hash, v);
    }
    v = 0;
    memcpy(&v, p, n);
    return mix(hash, v);
}

static void hash_block(const recorder *r, block *b)
{
    uint64_t hash = mix(b->n_rows, (uint64_t)b->n_ports << 32 | b->n_locals);

    hash = hash_bytes(hash, r->block_rows.items, r->block_rows.n * sizeof(raw_row));
    hash = hash_bytes(hash, r->relative.items, r->relative.n * sizeof(cz_compiled_term));
    b->hash = hash_bytes(hash, r->block_classes.items, r->block_classes.n * sizeof(uint64_t));
}

static bool same_rows(const recorder *r, const cz_compiled_row *rows, uint32_t n)
{
    const raw_row *block_rows = ITEMS(r->block_rows, raw_row);

    for (uint32_t i = 0; i < n; i++) {
        if (memcmp(rows[i].n, block_rows[i].n, sizeof rows[i].n) != 0)
            return false;
    }
    return true;
}

static bool same_bytes(const void *a, const void *b, size_t n)
{
    return n == 0 || memcmp(a, b, n) == 0;
}

/* The full comparison; equal lengths of all rows make the terms equally many. */
static bool is_template(const recorder *r, const block *b, uint32_t number)
{
    const cz_compiled_template *t = &ITEMS(r->templates, cz_compiled_template)[number];
    const cz_compiled_row *rows = ITEMS(r->rows, cz_compiled_row) + t->first_row;

    if (ITEMS(r->hashes, uint64_t)[number] != b->hash || t->n_rows != b->n_rows ||
        t->n_ports != b->n_ports || t->n_locals != b->n_locals || !same_rows(r, rows, b->n_rows))
        return false;
    if (b->n_rows > 0 && !same_bytes(ITEMS(r->terms, cz_compiled_term) + rows[0].first_term,
                                     r->relative.items, b->n_terms * sizeof(cz_compiled_term)))
        return false;
    return same_bytes(ITEMS(r->class_words, uint64_t) + t->first_class_word, r->block_classes.items,
                      r->block_classes.n * sizeof(uint64_t));
}

static void add_rows(recorder *r, uint32_t first_term)
{
    const raw_row *from = ITEMS(r->block_rows, raw_row);

    if (!cz_growing_reserve(&r->rows, &r->cs, r->block_rows.n, sizeof(cz_compiled_row)))
        return;
    for (size_t i = 0; i < r->block_rows.n; i++) {
        cz_compiled_row row = {.first_term = first_term}; /* kinds follow at the end */

        memcpy(row.n, from[i].n, sizeof row.n);
        ITEMS(r->rows, cz_compiled_row)[r->rows.n++] = row;
        first_term += (uint32_t)row.n[0] + row.n[1] + row.n[2];
    }
}

static void add_template(recorder *r, const block *b)
{
    cz_compiled_template t = {.first_row = (uint32_t)r->rows.n,
                              .first_class_word = (uint32_t)r->class_words.n,
                              .n_rows = b->n_rows,
                              .n_ports = b->n_ports,
                              .n_locals = b->n_locals,
                              .n_fields = b->n_fields};

    if (r->terms.n + b->n_terms > UINT32_MAX || r->templates.n >= TEMPLATE_SLOTS / 2) {
        cz_cs_fail(&r->cs, cz_fail(CZ_E_UNSUPPORTED, "too little of the circuit repeats itself"));
        return;
    }
    add_rows(r, (uint32_t)r->terms.n);
    append(&r->terms, &r->cs, r->relative.items, r->relative.n, sizeof(cz_compiled_term));
    append(&r->class_words, &r->cs, r->block_classes.items, r->block_classes.n, sizeof(uint64_t));
    append(&r->hashes, &r->cs, &b->hash, 1, sizeof b->hash);
    append(&r->templates, &r->cs, &t, 1, sizeof t);
}

/* The block's template, found or added. */
static uint32_t template_of(recorder *r, const block *b)
{
    uint32_t slot = (uint32_t)(b->hash % TEMPLATE_SLOTS);

    for (; r->slots[slot] != 0; slot = (slot + 1) % TEMPLATE_SLOTS) {
        if (is_template(r, b, r->slots[slot] - 1))
            return r->slots[slot] - 1;
    }
    add_template(r, b);
    r->slots[slot] = (uint32_t)r->templates.n;
    return (uint32_t)r->templates.n - 1;
}

/* ---- the end of a block ---- */

static void add_runs(recorder *r)
{
    const uint32_t *vars = r->ports.vars;
    uint32_t n;

    for (uint32_t i = 0; i < r->ports.n; i += n) {
        cz_compiled_run run = {vars[i], 1};

        /* input and aux numbers are too far apart to follow each other */
        for (n = 1; i + n < r->ports.n && vars[i + n] == vars[i] + n; n++)
            run.n++;
        append(&r->runs, &r->cs, &run, 1, sizeof run);
    }
}

static void add_instance(recorder *r, const block *b)
{
    cz_compiled_instance x = {.template_index = template_of(r, b),
                              .first_row = (uint32_t)r->begin.row,
                              .first_aux = r->begin.aux,
                              .first_field = r->begin.field,
                              .first_run = (uint32_t)r->runs.n};

    append(&r->instances, &r->cs, &x, 1, sizeof x);
    add_runs(r);
}

static void begin_block(recorder *r)
{
    r->begin = (place){r->cs.n_constraints, r->cs.n_aux, r->n_fields};
    r->block_rows.n = 0;
    r->block_terms.n = 0;
    cz_port_map_next(&r->ports);
}

static void end_block(recorder *r)
{
    block b = {.n_rows = (uint32_t)r->block_rows.n,
               .n_terms = (uint32_t)r->block_terms.n,
               .n_ports = r->ports.n,
               .n_locals = r->cs.n_aux - r->begin.aux,
               .n_fields = r->n_fields - r->begin.field};

    if (r->cs.status != CZ_OK || (b.n_rows == 0 && b.n_locals == 0))
        return;
    if (b.n_ports + b.n_locals > CZ_COMPILED_MAX_COLUMNS) {
        cz_cs_fail(&r->cs, cz_fail(CZ_E_UNSUPPORTED, "a constraint over %u variables", b.n_ports));
        return;
    }
    cz_port_map_sort(&r->ports);
    make_terms_relative(r);
    list_classes(r, &b);
    if (r->cs.status != CZ_OK)
        return;
    hash_block(r, &b);
    add_instance(r, &b);
    begin_block(r);
}

/* ---- the mode ---- */

static void record_border(cz_cs *cs)
{
    end_block((recorder *)cs);
}

static void record_aux(recorder *r, bool bit)
{
    if (r->cs.n_aux - r->begin.aux + r->ports.n >= MAX_LOCALS)
        end_block(r);
    cz_bits_ensure(&r->classes, &r->cs, (uint64_t)r->cs.n_aux + 2 * 64); /* one word to spare */
    if (r->cs.status != CZ_OK)
        return;
    if (bit)
        cz_bits_set(&r->classes, r->cs.n_aux);
    else
        r->n_fields++;
}

static void record_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    (void)name;
    (void)value;
    record_aux((recorder *)cs, false);
}

static void record_alloc_bit(cz_cs *cs, bool value)
{
    (void)value;
    record_aux((recorder *)cs, true);
}

static void record_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    (void)cs;
    (void)name;
    (void)value;
}

static void record_lc(recorder *r, const cz_lc *lc)
{
    const uint32_t first_local = CZ_VAR_AUX_BIT | r->begin.aux;
    raw_term *to;

    if (!cz_growing_reserve(&r->block_terms, &r->cs, lc->n, sizeof *to))
        return;
    to = ITEMS(r->block_terms, raw_term) + r->block_terms.n;
    for (uint32_t i = 0; i < lc->n; i++) {
        uint32_t var = lc->terms[i].var.id;

        to[i] = (raw_term){var, cz_coeff_map_get(&r->coeffs, &r->cs, &lc->terms[i].coeff)};
        if (var < first_local && cz_port_map_get(&r->ports, var) == NULL) {
            cz_cs_fail(&r->cs, cz_fail(CZ_E_UNSUPPORTED, "a constraint over too many variables"));
            return;
        }
    }
    r->block_terms.n += lc->n;
}

static void record_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    recorder *r = (recorder *)cs;
    raw_row row;

    (void)name;
    if (cs->n_constraints >= UINT32_MAX - 1 || a->n > UINT16_MAX || b->n > UINT16_MAX ||
        c->n > UINT16_MAX) {
        cz_cs_fail(cs, cz_fail(CZ_E_UNSUPPORTED, "a constraint with too many terms, or too many"));
        return;
    }
    if ((uint64_t)r->ports.n + a->n + b->n + c->n > MAX_PORTS)
        end_block(r);
    row = (raw_row){{(uint16_t)a->n, (uint16_t)b->n, (uint16_t)c->n}};
    record_lc(r, a);
    record_lc(r, b);
    record_lc(r, c);
    append(&r->block_rows, cs, &row, 1, sizeof row);
}

static const cz_cs_ops record_ops = {record_alloc, record_alloc_input, record_enforce};

/* ---- the image ---- */

static cz_err derive_kinds(recorder *r)
{
    cz_signed *integers = malloc((r->coeffs.n + (size_t)1) * sizeof *integers);

    if (integers == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %u coefficients", r->coeffs.n);
    for (uint32_t i = 0; i < r->coeffs.n; i++)
        cz_signed_from_fr(&integers[i], &r->coeffs.coeffs[i]);
    for (size_t i = 0; i < r->templates.n; i++) {
        const cz_compiled_template *t = &ITEMS(r->templates, cz_compiled_template)[i];
        const uint64_t *classes = ITEMS(r->class_words, uint64_t) + t->first_class_word;

        for (uint32_t k = 0; k < t->n_rows; k++) {
            cz_compiled_row *row = &ITEMS(r->rows, cz_compiled_row)[t->first_row + k];
            const cz_compiled_term *terms = ITEMS(r->terms, cz_compiled_term) + row->first_term;

            for (int m = 0; m < 3; terms += row->n[m], m++)
                row->kind[m] = (uint8_t)cz_lc_kind_of(terms, row->n[m], classes, integers);
        }
    }
    free(integers);
    return CZ_OK;
}

static void fill_header(const recorder *r, cz_compiled_header *h, const char *id)
{
    *h = (cz_compiled_header){.magic = CZ_COMPILED_MAGIC,
                              .version = CZ_COMPILED_VERSION,
                              .header_bytes = sizeof *h,
                              .n_constraints = r->cs.n_constraints,
                              .n_inputs = r->cs.n_inputs,
                              .n_aux = r->cs.n_aux,
                              .n_fields = r->n_fields,
                              .n_coeffs = r->coeffs.n,
                              .n_templates = (uint32_t)r->templates.n,
                              .n_rows = (uint32_t)r->rows.n,
                              .n_terms = (uint32_t)r->terms.n,
                              .n_class_words = (uint32_t)r->class_words.n,
                              .n_instances = (uint32_t)r->instances.n,
                              .n_runs = (uint32_t)r->runs.n};
    memcpy(h->circuit_id, id, strlen(id));
}

static void put(uint8_t *to, const void *items, size_t n, size_t size)
{
    if (n > 0)
        memcpy(to, items, n * size);
}

static cz_err make_image(const recorder *r, uint8_t **image, size_t *n, const char *id)
{
    cz_compiled_header h;
    size_t at[CZ_COMPILED_SECTIONS + 1];
    uint8_t *p;

    fill_header(r, &h, id);
    cz_compiled_layout(at, &h);
    p = calloc(1, at[CZ_COMPILED_SECTIONS]);
    if (p == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a compiled circuit of %zu bytes",
                       at[CZ_COMPILED_SECTIONS]);
    put(p, &h, 1, sizeof h);
    put(p + at[0], r->coeffs.coeffs, r->coeffs.n, sizeof(cz_fr));
    put(p + at[1], r->templates.items, r->templates.n, sizeof(cz_compiled_template));
    put(p + at[2], r->rows.items, r->rows.n, sizeof(cz_compiled_row));
    put(p + at[3], r->terms.items, r->terms.n, sizeof(cz_compiled_term));
    put(p + at[4], r->class_words.items, r->class_words.n, sizeof(uint64_t));
    put(p + at[5], r->instances.items, r->instances.n, sizeof(cz_compiled_instance));
    put(p + at[6], r->runs.items, r->runs.n, sizeof(cz_compiled_run));
    *image = p;
    *n = at[CZ_COMPILED_SECTIONS];
    return CZ_OK;
}

/* ---- all of it ---- */

enum { N_LISTS = 11 };

static void list_lists(recorder *r, cz_growing *lists[N_LISTS])
{
    cz_growing *const all[N_LISTS] = {&r->block_terms,   &r->block_rows, &r->relative,
                                      &r->block_classes, &r->templates,  &r->hashes,
                                      &r->rows,          &r->terms,      &r->class_words,
                                      &r->instances,     &r->runs};

    memcpy(lists, all, sizeof all);
}

/* Give every list some memory, so that there are no null pointers. */
static cz_err init_lists(recorder *r)
{
    const size_t largest = sizeof(cz_compiled_template); /* of all items */
    cz_growing *lists[N_LISTS];

    list_lists(r, lists);
    for (size_t i = 0; i < N_LISTS; i++) {
        if (!cz_growing_reserve(lists[i], &r->cs, 1, largest))
            return cz_cs_status(&r->cs);
    }
    return CZ_OK;
}

static void clear(recorder *r)
{
    cz_growing *lists[N_LISTS];

    list_lists(r, lists);
    for (size_t i = 0; i < N_LISTS; i++)
        cz_growing_clear(lists[i]);
    cz_coeff_map_clear(&r->coeffs);
    cz_port_map_clear(&r->ports);
    cz_bits_clear(&r->classes);
    free(r->slots);
}

static cz_err record_all(recorder *r, uint8_t **image, size_t *n, const cz_circuit *circuit)
{
    if (strlen(circuit->id) >= CZ_COMPILED_ID_MAX)
        return cz_fail(CZ_E_ARG, "the id %s is too long", circuit->id);
    CZ_TRY(cz_coeff_map_init(&r->coeffs));
    CZ_TRY(cz_port_map_init(&r->ports));
    CZ_TRY(init_lists(r));
    cz_bits_ensure(&r->classes, &r->cs, 64);
    r->slots = calloc(TEMPLATE_SLOTS, sizeof *r->slots);
    if (r->slots == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the templates of a recording");
    circuit->synthesize(circuit, &r->cs);
    end_block(r);
    CZ_TRY(cz_cs_status(&r->cs));
    CZ_TRY(derive_kinds(r));
    return make_image(r, image, n, circuit->id);
}

cz_err cz_record_circuit(uint8_t **image, size_t *n, const cz_circuit *circuit)
{
    recorder r = {.n_fields = 0};
    cz_err err;

    cz_cs_init(&r.cs, &record_ops, false, true);
    r.cs.alloc_bit = record_alloc_bit;
    r.cs.border = record_border;
    err = record_all(&r, image, n, circuit);
    clear(&r);
    if (err != CZ_OK)
        return cz_fail_in(err, "recording %s", circuit->id);
    return CZ_OK;
}
