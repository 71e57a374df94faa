/* eval_gpu.c: the tables of eval_device.h, made from a compiled circuit and put on a device. */
#include "cs/eval_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "cs/compiled_state.h"
#include "cs/eval_device.h"
#include "gpu/arena.h"

struct cz_eval_gpu {
    cz_gpu *gpu;
    void *memory;
    cz_eval_tables tables;
    uint32_t n_inputs;
    uint64_t n_constraints;
};

_Static_assert(sizeof(cz_eval_row) == sizeof(cz_compiled_row), "rows go as they are");
_Static_assert(sizeof(cz_eval_term) == sizeof(cz_compiled_term), "terms go as they are");
_Static_assert(sizeof(cz_fr32) == sizeof(cz_fr), "elements go as they are");
_Static_assert((int)CZ_EVAL_SMALL_MAX == (int)CZ_LC_SMALL_MAX, "one limit");
_Static_assert(CZ_EVAL_AUX_BIT == CZ_VAR_AUX_BIT, "one mark");
_Static_assert((int)CZ_EVAL_MAX_COLUMNS == (int)CZ_COMPILED_MAX_COLUMNS, "one limit");
_Static_assert((int)CZ_EVAL_EMPTY == (int)CZ_LC_EMPTY && (int)CZ_EVAL_SMALL == (int)CZ_LC_SMALL &&
                   (int)CZ_EVAL_WIDE == (int)CZ_LC_WIDE && (int)CZ_EVAL_COPY == (int)CZ_LC_COPY &&
                   (int)CZ_EVAL_FIELD == (int)CZ_LC_FIELD,
               "one numbering");

/* Combinations that are left out of their rows, template after template: 4 row + matrix. */
typedef struct {
    bool (*takes)(uint32_t kind, uint32_t n_terms);
    uint32_t *which;
    uint32_t *first; /* of a template; n_templates + 1 */
    uint32_t n;
} apart_list;

/* The tables that are made here, on the host. */
typedef struct {
    const cz_compiled *c;
    uint32_t *magnitudes;
    uint8_t *negative;
    cz_fr *small_values;
    cz_eval_template *templates;
    uint32_t *ranks;
    cz_eval_instance *instances;
    cz_eval_run *runs;
    cz_eval_item *items;
    apart_list wide, long_sums;
    uint32_t n_items;
} host_tables;

/* ---- coefficients ---- */

static void make_coefficients(host_tables *h)
{
    for (uint32_t i = 0; i < h->c->t.header->n_coeffs; i++) {
        const cz_signed *v = &h->c->integers[i];

        for (uint32_t d = 0; d < CZ_EVAL_DIGITS; d++)
            h->magnitudes[CZ_EVAL_DIGITS * i + d] =
                (uint32_t)(v->magnitude.l[d / 2] >> (32 * (d % 2)));
        h->negative[i] = v->negative;
    }
    for (int i = 0; i <= CZ_EVAL_SMALL_MAX; i++) {
        cz_fr *at = &h->small_values[CZ_EVAL_SMALL_MAX];

        cz_fr_from_u64(&at[i], (uint64_t)i);
        cz_fr_neg(&at[-i], &at[i]);
    }
}

/* ---- templates ---- */

static const cz_compiled_row *row_of(const host_tables *h, const cz_compiled_template *t,
                                     uint32_t row)
{
    return &h->c->t.rows[t->first_row + row];
}

static bool is_wide(uint32_t kind, uint32_t n_terms)
{
    (void)n_terms;
    return kind == CZ_LC_WIDE;
}

static bool is_long(uint32_t kind, uint32_t n_terms)
{
    return cz_eval_is_long(kind, n_terms) != 0;
}

static void count_apart(apart_list *list, const cz_compiled_tables *t)
{
    list->n = 0;
    for (uint32_t i = 0; i < t->header->n_rows; i++)
        for (uint32_t m = 0; m < 3; m++)
            list->n += list->takes(t->rows[i].kind[m], t->rows[i].n[m]);
}

/* Those of template i, behind its predecessors'; where the next one's begin. */
static uint32_t list_apart(const apart_list *list, const host_tables *h, uint32_t i, uint32_t n)
{
    const cz_compiled_template *t = &h->c->t.templates[i];

    list->first[i] = n;
    for (uint32_t row = 0; row < t->n_rows; row++)
        for (uint32_t m = 0; m < 3; m++)
            if (list->takes(row_of(h, t, row)->kind[m], row_of(h, t, row)->n[m]))
                list->which[n++] = 4 * row + m;
    return n;
}

static void make_ranks(uint32_t *ranks, const uint64_t *classes, uint32_t n_columns)
{
    uint32_t fields = 0;

    for (uint32_t w = 0; 64 * w < n_columns; w++) {
        ranks[w] = fields;
        fields += (uint32_t)__builtin_popcountll(~classes[w]);
    }
}

static void make_templates(host_tables *h)
{
    const cz_compiled_tables *t = &h->c->t;
    uint32_t n_wide = 0, n_long = 0;

    for (uint32_t i = 0; i < t->header->n_templates; i++) {
        const cz_compiled_template *from = &t->templates[i];

        h->templates[i] = (cz_eval_template){.first_row = from->first_row,
                                             .first_class_word = from->first_class_word,
                                             .n_ports = from->n_ports,
                                             .n_columns = cz_template_columns(from)};
        make_ranks(h->ranks + from->first_class_word, t->class_words + from->first_class_word,
                   cz_template_columns(from));
        n_wide = list_apart(&h->wide, h, i, n_wide);
        n_long = list_apart(&h->long_sums, h, i, n_long);
    }
    h->wide.first[t->header->n_templates] = n_wide;
    h->long_sums.first[t->header->n_templates] = n_long;
}

/* Field columns of a template before `column`. */
static uint32_t rank_of(const host_tables *h, const cz_compiled_template *t, uint32_t column)
{
    const uint64_t *classes = h->c->t.class_words + t->first_class_word;
    const uint32_t *ranks = h->ranks + t->first_class_word;
    const uint64_t below = ((uint64_t)1 << column % 64) - 1;

    if (column == 0) /* a template may have no columns, so no words */
        return 0;
    if (column % 64 == 0)
        return ranks[column / 64 - 1] + (uint32_t)__builtin_popcountll(~classes[column / 64 - 1]);
    return ranks[column / 64] + (uint32_t)__builtin_popcountll(~classes[column / 64] & below);
}

/* ---- instances ---- */

/* Values: the inputs, then the fields. A run that begins with input 0 has its first field value,
 * that of input 1, at column + 1. */
static uint32_t first_value_of(const host_tables *h, uint32_t var)
{
    if (!(var & CZ_VAR_AUX_BIT))
        return var == 0 ? 1 : var;
    return h->c->t.header->n_inputs + cz_field_index(h->c, var & ~CZ_VAR_AUX_BIT);
}

static void make_instance(host_tables *h, uint32_t i)
{
    const cz_compiled_tables *t = &h->c->t;
    const cz_compiled_instance *from = &t->instances[i];
    const cz_compiled_template *shape = &t->templates[from->template_index];
    uint32_t run = from->first_run;

    for (uint32_t port = 0; port < shape->n_ports; port += t->runs[run++].n)
        h->runs[run] = (cz_eval_run){.var = t->runs[run].var,
                                     .n = t->runs[run].n,
                                     .column = port,
                                     .first_value = first_value_of(h, t->runs[run].var) -
                                                    rank_of(h, shape, port)};
    h->instances[i] = (cz_eval_instance){.template_index = from->template_index,
                                         .first_row = from->first_row,
                                         .first_aux = from->first_aux,
                                         .first_value = t->header->n_inputs + from->first_field -
                                                        rank_of(h, shape, shape->n_ports),
                                         .first_run = from->first_run,
                                         .n_runs = run - from->first_run};
}

static uint32_t items_of(const cz_compiled_template *shape)
{
    return (shape->n_rows + CZ_EVAL_ROWS - 1) / CZ_EVAL_ROWS;
}

static uint32_t count_items(const cz_compiled_tables *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->header->n_instances; i++)
        n += items_of(&t->templates[t->instances[i].template_index]);
    return n;
}

/* How many of a list, from number `from` on, are in rows before `end` of template `index`. */
static uint32_t apart_before(const apart_list *list, uint32_t index, uint32_t from, uint32_t end)
{
    uint32_t at = from;

    while (at < list->first[index + 1] && list->which[at] / 4 < end)
        at++;
    return at - from;
}

/* The stretches of an instance's rows, each with what is left out of them. */
static cz_eval_item *make_items_of(const host_tables *h, uint32_t i, cz_eval_item *item)
{
    const uint32_t index = h->c->t.instances[i].template_index;
    const cz_compiled_template *shape = &h->c->t.templates[index];
    uint32_t wide = h->wide.first[index], long_sum = h->long_sums.first[index];

    for (uint32_t row = 0; row < shape->n_rows; row += CZ_EVAL_ROWS, item++) {
        const uint32_t left = shape->n_rows - row;

        *item = (cz_eval_item){.instance = i,
                               .first_row = row,
                               .n_rows = left < CZ_EVAL_ROWS ? left : CZ_EVAL_ROWS,
                               .first_wide = wide,
                               .first_long = long_sum};
        item->n_wide = apart_before(&h->wide, index, wide, row + item->n_rows);
        item->n_long = apart_before(&h->long_sums, index, long_sum, row + item->n_rows);
        wide += item->n_wide;
        long_sum += item->n_long;
    }
    return item;
}

static void make_instances(host_tables *h)
{
    cz_eval_item *item = h->items;

    for (uint32_t i = 0; i < h->c->t.header->n_instances; i++) {
        make_instance(h, i);
        item = make_items_of(h, i, item);
    }
}

/* ---- memory ---- */

static void clear_host(host_tables *h)
{
    free(h->magnitudes);
    free(h->negative);
    free(h->small_values);
    free(h->templates);
    free(h->ranks);
    free(h->instances);
    free(h->runs);
    free(h->items);
    free(h->wide.which);
    free(h->wide.first);
    free(h->long_sums.which);
    free(h->long_sums.first);
}

/* False without memory. */
static bool make_apart(apart_list *list, const cz_compiled_tables *t,
                       bool (*takes)(uint32_t kind, uint32_t n_terms))
{
    list->takes = takes;
    count_apart(list, t);
    list->which = malloc((list->n + (size_t)1) * sizeof *list->which);
    list->first = malloc((t->header->n_templates + (size_t)1) * sizeof *list->first);
    return list->which != NULL && list->first != NULL;
}

/* malloc(0) may be NULL, so one more of each. */
static cz_err make_host(host_tables *h, const cz_compiled *c)
{
    const cz_compiled_header *n = c->t.header;

    h->c = c;
    h->n_items = count_items(&c->t);
    h->magnitudes = malloc((n->n_coeffs + (size_t)1) * CZ_EVAL_DIGITS * sizeof *h->magnitudes);
    h->negative = malloc(n->n_coeffs + (size_t)1);
    h->small_values = malloc((2 * CZ_EVAL_SMALL_MAX + 1) * sizeof *h->small_values);
    h->templates = malloc((n->n_templates + (size_t)1) * sizeof *h->templates);
    h->ranks = malloc((n->n_class_words + (size_t)1) * sizeof *h->ranks);
    h->instances = malloc((n->n_instances + (size_t)1) * sizeof *h->instances);
    h->runs = malloc((n->n_runs + (size_t)1) * sizeof *h->runs);
    h->items = malloc((h->n_items + (size_t)1) * sizeof *h->items);
    if (!make_apart(&h->wide, &c->t, is_wide) || !make_apart(&h->long_sums, &c->t, is_long) ||
        h->magnitudes == NULL || h->negative == NULL || h->small_values == NULL ||
        h->templates == NULL || h->ranks == NULL || h->instances == NULL || h->runs == NULL ||
        h->items == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for tables of its rows", n->circuit_id);
    make_coefficients(h);
    make_templates(h);
    make_instances(h);
    return CZ_OK;
}

/* ---- onto the device ---- */

enum { MAX_PARTS = 15 };

/* A table: where it comes from and where its address goes. */
typedef struct {
    const void *from;
    size_t bytes;
    const void **to;
    unsigned region;
} part;

static cz_err upload(cz_eval_gpu *e, const host_tables *h)
{
    const cz_compiled_tables *t = &h->c->t;
    const cz_compiled_header *n = t->header;
    cz_eval_tables *d = &e->tables;
    cz_arena_map map = {.n = 0};
#define PART(field, source, count)                                                                 \
    {(source), (size_t)(count) * sizeof *(source), (const void **)(void *)&d->field, 0}
    part parts[MAX_PARTS] = {
        PART(coeffs, t->coeffs, n->n_coeffs),
        PART(magnitudes, h->magnitudes, (size_t)CZ_EVAL_DIGITS * n->n_coeffs),
        PART(negative, h->negative, n->n_coeffs),
        PART(small, h->c->small, n->n_coeffs),
        PART(small_values, h->small_values, 2 * CZ_EVAL_SMALL_MAX + 1),
        PART(templates, h->templates, n->n_templates),
        PART(rows, t->rows, n->n_rows),
        PART(terms, t->terms, n->n_terms),
        PART(classes, t->class_words, n->n_class_words),
        PART(ranks, h->ranks, n->n_class_words),
        PART(instances, h->instances, n->n_instances),
        PART(runs, h->runs, n->n_runs),
        PART(items, h->items, h->n_items),
        PART(wide, h->wide.which, h->wide.n),
        PART(long_sums, h->long_sums.which, h->long_sums.n),
    };
#undef PART

    for (unsigned i = 0; i < MAX_PARTS; i++)
        parts[i].region = cz_arena_add(&map, "rows", parts[i].bytes);
    CZ_TRY(cz_gpu_take(e->gpu, CZ_GPU_DEVICE_MEMORY, &e->memory, map.bytes, "tables of rows"));
    for (unsigned i = 0; i < MAX_PARTS; i++) {
        void *to = cz_arena_at(&map, parts[i].region, e->memory);

        if (parts[i].bytes > 0)
            CZ_TRY(cz_gpu_copy(e->gpu, CZ_GPU_COMPUTE, to, parts[i].from, parts[i].bytes));
        *parts[i].to = to;
    }
    d->n_items = h->n_items;
    return cz_gpu_sync(e->gpu); /* what is copied is freed next */
}

cz_err cz_eval_gpu_create(cz_gpu *gpu, cz_eval_gpu **out, const cz_compiled *c)
{
    cz_eval_gpu *e = calloc(1, sizeof *e);
    host_tables h = {.c = NULL};
    cz_err err;

    if (e == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for tables of its rows", cz_compiled_id(c));
    *e = (cz_eval_gpu){
        .gpu = gpu, .n_inputs = c->t.header->n_inputs, .n_constraints = c->t.header->n_constraints};
    err = make_host(&h, c);
    if (err == CZ_OK)
        err = upload(e, &h);
    clear_host(&h);
    if (err != CZ_OK) {
        cz_eval_gpu_destroy(e);
        return err;
    }
    *out = e;
    return CZ_OK;
}

void cz_eval_gpu_destroy(cz_eval_gpu *e)
{
    if (e == NULL)
        return;
    cz_gpu_give_back(e->gpu, e->memory);
    free(e);
}

/* ---- rows ---- */

static cz_err zero_rows(cz_eval_gpu *e, cz_fr *d_rows, uint64_t first, uint64_t end)
{
    if (d_rows == NULL || first == end)
        return CZ_OK;
    return cz_gpu_zero(e->gpu, CZ_GPU_COMPUTE, d_rows + first, (end - first) * sizeof *d_rows);
}

cz_err cz_eval_gpu_run(cz_eval_gpu *e, const uint64_t *d_bits, const cz_fr *d_values,
                       uint64_t domain, cz_fr *d_a, cz_fr *d_b, cz_fr *d_c)
{
    const cz_gpu_backend *backend;
    const uint64_t n = e->n_constraints;

    CZ_ASSERT(n + e->n_inputs <= domain);
    CZ_TRY(cz_gpu_load(&backend));
    CZ_TRY(cz_gpu_result(backend->eval_rows(e->gpu, &e->tables, d_bits, d_values, d_a, d_b, d_c)));
    if (d_a != NULL)
        CZ_TRY(cz_gpu_copy(e->gpu, CZ_GPU_COMPUTE, d_a + n, d_values, e->n_inputs * sizeof *d_a));
    CZ_TRY(zero_rows(e, d_a, n + e->n_inputs, domain));
    CZ_TRY(zero_rows(e, d_b, n, domain));
    return zero_rows(e, d_c, n, domain);
}
