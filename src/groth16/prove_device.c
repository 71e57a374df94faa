/* prove_device.c: see prove_device.h. */
#include "groth16/prove_device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cs/compiled_eval.h"
#include "cs/eval_gpu.h"
#include "cs/witness_source.h"
#include "gpu/arena.h"
#include "groth16/device_list.h"
#include "groth16/stages.h"
#include "msm/sums_gpu.h"
#include "ntt/ntt_gpu.h"
#include "params/points_gpu.h"

/* The lists that a witness is summed over. B1 and B2 have the same variables. */
typedef enum { LIST_L, LIST_A, LIST_B, LISTS } list_name;

/* What of a list lies on the device for its planes and scalars. */
typedef struct {
    size_t n_bits, n_tail;
    uint64_t *d_mask;
    uint32_t *d_ranks, *d_tail_at;
} device_vars;

/* Points of a list. */
typedef struct {
    void *d_bits, *d_tail;
} device_points;

/* Borders of phases, in the order of a proof. */
enum { MARK_BEGIN, MARK_UPLOADED, MARK_EVALUATED, MARK_H, MARK_BITS, MARK_TAILS, MARK_B2, MARKS };

/* A table of multiples of the H points saves 4 % of a large sum; it comes where there is room. */
enum { H_TABLE_FROM = 1 << 24, SHAPES = 3 };

struct cz_device_key {
    cz_gpu *gpu;
    const cz_params *params;
    char circuit_id[CZ_COMPILED_ID_MAX];
    uint32_t n_inputs, n_aux, n_fields;
    size_t n_words; /* of the witness's plane, without the spare one */
    unsigned log_n; /* of the domain */

    cz_arena_map map;
    void *memory;
    cz_g1_affine *d_h; /* with the table, if there is one */
    unsigned h_tables; /* 2: there is */
    device_points l, a, b1, b2;
    device_vars vars[LISTS];
    uint64_t *d_plane, *d_selected; /* the witness's bits, and those of a list's bit part */
    cz_fr *d_values, *d_scalars;    /* inputs and fields, and those of a list's tail */
    cz_fr *d_rows_a;                /* of the domain; then the quotient */
    cz_fr *d_rows_b, *d_rows_c, *d_rows_scratch; /* ... in the sums' scratch */
    size_t selected_bytes, scalar_bytes;

    cz_eval_gpu *eval;
    cz_gpu_ntt *ntt;
    cz_gpu_sums *sums;
    cz_gpu_event *mark[MARKS];
};

/* ---- loading: what there is ---- */

typedef struct {
    cz_device_key *key;
    const cz_compiled *circuit;
    cz_pool *pool;
    cz_densities densities;
    cz_device_list_vars vars[LISTS];
    cz_device_list list[LISTS];
} loading;

static uint64_t domain_of(const cz_device_key *key)
{
    return (uint64_t)1 << key->log_n;
}

static cz_err check_list(const loading *l, list_name name, const cz_point_list *points,
                         const char *section)
{
    const size_t wanted = l->list[name].n_bits + l->list[name].n_tail;

    if (points->n == wanted)
        return CZ_OK;
    return cz_fail(CZ_E_INPUT, "%s: %s has %" PRIu32 " points, but %s needs %zu",
                   l->key->params->path, section, points->n, l->key->circuit_id, wanted);
}

static cz_err plan_lists(loading *l)
{
    const cz_params *p = l->key->params;

    CZ_TRY(cz_compiled_densities(&l->densities, l->circuit));
    l->vars[LIST_L] = (cz_device_list_vars){.circuit = l->circuit};
    l->vars[LIST_A] = (cz_device_list_vars){
        .circuit = l->circuit, .has_inputs = true, .dens_aux = l->densities.a_aux};
    l->vars[LIST_B] = (cz_device_list_vars){.circuit = l->circuit,
                                            .has_inputs = true,
                                            .dens_input = l->densities.b_input,
                                            .dens_aux = l->densities.b_aux};
    for (int i = 0; i < LISTS; i++)
        CZ_TRY(cz_device_list_make(&l->list[i], &l->vars[i]));
    CZ_TRY(check_list(l, LIST_L, &p->l, "l"));
    CZ_TRY(check_list(l, LIST_A, &p->a, "a"));
    CZ_TRY(check_list(l, LIST_B, &p->b_g1, "b_g1"));
    return check_list(l, LIST_B, &p->b_g2, "b_g2");
}

static cz_err plan_domain(loading *l)
{
    cz_device_key *key = l->key;
    const cz_params *p = key->params;

    while (domain_of(key) < (uint64_t)p->h.n + 1)
        key->log_n++;
    if (cz_compiled_rows(l->circuit) > domain_of(key) || p->vk.n_ic != key->n_inputs)
        return cz_fail(CZ_E_INPUT,
                       "%s: for a domain of 2^%u and %" PRIu32 " inputs, but %s has %" PRIu64
                       " rows and %" PRIu32 " inputs",
                       p->path, key->log_n, p->vk.n_ic, key->circuit_id,
                       cz_compiled_rows(l->circuit), key->n_inputs);
    return CZ_OK;
}

/* ---- loading: memory ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Full-width sums of H and of the tails, bit sums of the bit parts. */
static void sum_shapes(cz_gpu_sums_shape shapes[SHAPES], const loading *l)
{
    const cz_device_list *list = l->list;

    shapes[0] = (cz_gpu_sums_shape){
        .group = CZ_GPU_G1, .tables = l->key->h_tables, .full_terms = l->key->params->h.n};
    shapes[1] = (cz_gpu_sums_shape){.group = CZ_GPU_G1, .tables = 1};
    for (int i = 0; i < LISTS; i++) {
        shapes[1].full_terms = larger(shapes[1].full_terms, list[i].n_tail);
        shapes[1].bit_terms = larger(shapes[1].bit_terms, list[i].n_bits);
    }
    shapes[2] = (cz_gpu_sums_shape){.group = CZ_GPU_G2,
                                    .tables = 1,
                                    .full_terms = list[LIST_B].n_tail,
                                    .bit_terms = list[LIST_B].n_bits};
}

/* Where a region's address goes. */
typedef struct {
    cz_arena_map *map;
    unsigned n;
    void **to[CZ_ARENA_MAX_REGIONS];
} placing;

static void place(placing *p, void *to, const char *name, size_t bytes)
{
    p->to[cz_arena_add(p->map, name, bytes)] = to;
}

static void place_points(placing *p, cz_device_key *key, const cz_device_list *list)
{
    const size_t g1 = sizeof(cz_g1_affine), g2 = sizeof(cz_g2_affine);

    place(p, &key->d_h, "h", (size_t)key->h_tables * key->params->h.n * g1);
    place(p, &key->l.d_bits, "l, bits", list[LIST_L].n_bits * g1);
    place(p, &key->l.d_tail, "l, tail", list[LIST_L].n_tail * g1);
    place(p, &key->a.d_bits, "a, bits", list[LIST_A].n_bits * g1);
    place(p, &key->a.d_tail, "a, tail", list[LIST_A].n_tail * g1);
    place(p, &key->b1.d_bits, "b_g1, bits", list[LIST_B].n_bits * g1);
    place(p, &key->b1.d_tail, "b_g1, tail", list[LIST_B].n_tail * g1);
    place(p, &key->b2.d_bits, "b_g2, bits", list[LIST_B].n_bits * g2);
    place(p, &key->b2.d_tail, "b_g2, tail", list[LIST_B].n_tail * g2);
}

static void place_witness(placing *p, cz_device_key *key, const cz_device_list *list)
{
    size_t bits = 0, tail = 0;

    for (int i = 0; i < LISTS; i++) {
        device_vars *v = &key->vars[i];

        bits = larger(bits, list[i].n_bits);
        tail = larger(tail, list[i].n_tail);
        place(p, &v->d_mask, "masks", list[i].n_words * sizeof *v->d_mask);
        place(p, &v->d_ranks, "ranks", list[i].n_words * sizeof *v->d_ranks);
        place(p, &v->d_tail_at, "tail numbers", list[i].n_tail * sizeof *v->d_tail_at);
    }
    key->selected_bytes = (bits / 64 + 2) * sizeof *key->d_selected;
    key->scalar_bytes = (tail + 1) * sizeof *key->d_scalars;
    place(p, &key->d_plane, "witness, bits", (key->n_words + 1) * sizeof *key->d_plane);
    place(p, &key->d_values, "witness, fields",
          ((size_t)key->n_inputs + key->n_fields + 1) * sizeof *key->d_values);
    place(p, &key->d_selected, "selected bits", key->selected_bytes);
    place(p, &key->d_scalars, "tail scalars", key->scalar_bytes);
    place(p, &key->d_rows_a, "rows of a", domain_of(key) * sizeof(cz_fr));
}

/* Take all of it, with key->h_tables. */
static cz_err take_block(loading *l)
{
    cz_device_key *key = l->key;
    placing p = {.map = &key->map};
    cz_gpu_sums_shape shapes[SHAPES];
    const size_t rows = domain_of(key) * sizeof(cz_fr);
    uint64_t scratch_bytes;
    void *d_scratch;

    key->map = (cz_arena_map){.n = 0};
    sum_shapes(shapes, l);
    CZ_TRY(cz_sums_gpu_bytes(key->gpu, &scratch_bytes, shapes, SHAPES));
    place_points(&p, key, l->list);
    place_witness(&p, key, l->list);
    place(&p, &d_scratch, "b, c, sums", larger(3 * rows, scratch_bytes));
    CZ_TRY(
        cz_gpu_take(key->gpu, CZ_GPU_DEVICE_MEMORY, &key->memory, key->map.bytes, key->circuit_id));
    for (unsigned i = 0; i < key->map.n; i++) {
        void *at = cz_arena_at(&key->map, i, key->memory);

        memcpy(p.to[i], &at, sizeof at);
    }
    key->d_rows_b = d_scratch;
    key->d_rows_c = key->d_rows_b + domain_of(key);
    key->d_rows_scratch = key->d_rows_c + domain_of(key);
    return cz_sums_gpu_create(key->gpu, &key->sums, shapes, SHAPES, d_scratch);
}

static cz_err take_memory(loading *l)
{
    cz_err err = CZ_E_NOMEM;

    l->key->h_tables = 2;
    if (l->key->params->h.n >= H_TABLE_FROM)
        err = take_block(l);
    if (err != CZ_E_NOMEM)
        return err;
    l->key->h_tables = 1;
    return take_block(l);
}

/* ---- loading: contents ---- */

static cz_err upload_vars(loading *l)
{
    cz_gpu *gpu = l->key->gpu;

    for (int i = 0; i < LISTS; i++) {
        const cz_device_list *from = &l->list[i];
        device_vars *to = &l->key->vars[i];

        to->n_bits = from->n_bits;
        to->n_tail = from->n_tail;
        CZ_TRY(cz_gpu_copy(gpu, CZ_GPU_COMPUTE, to->d_mask, from->mask,
                           from->n_words * sizeof *from->mask));
        CZ_TRY(cz_gpu_copy(gpu, CZ_GPU_COMPUTE, to->d_ranks, from->ranks,
                           from->n_words * sizeof *from->ranks));
        CZ_TRY(cz_gpu_copy(gpu, CZ_GPU_COMPUTE, to->d_tail_at, from->tail_at,
                           from->n_tail * sizeof *from->tail_at));
    }
    return cz_gpu_sync(gpu);
}

static cz_err load_parts(const loading *l, cz_points_gpu *points, const cz_point_list *list,
                         list_name name, const device_points *to)
{
    cz_device_places places = cz_device_places_begin(&l->vars[name]);
    const cz_points_layout layout = {
        .places = cz_device_places_fill, .ctx = &places, .d_part = {to->d_bits, to->d_tail}};

    return cz_points_gpu_load(points, l->key->params, list, l->pool, &layout);
}

static cz_err load_lists(const loading *l, cz_points_gpu *points)
{
    const cz_device_key *key = l->key;
    const cz_params *p = key->params;
    const cz_points_layout h = {.d_part = {key->d_h, NULL}};

    CZ_TRY(cz_points_gpu_load(points, p, &p->h, l->pool, &h));
    CZ_TRY(load_parts(l, points, &p->l, LIST_L, &key->l));
    CZ_TRY(load_parts(l, points, &p->a, LIST_A, &key->a));
    CZ_TRY(load_parts(l, points, &p->b_g1, LIST_B, &key->b1));
    return load_parts(l, points, &p->b_g2, LIST_B, &key->b2);
}

static cz_err load_points(const loading *l)
{
    cz_points_gpu *points;
    cz_err err;

    CZ_TRY(cz_points_gpu_create(l->key->gpu, &points, l->key->params));
    err = load_lists(l, points);
    cz_points_gpu_destroy(points);
    return err;
}

static cz_err load(loading *l)
{
    cz_device_key *key = l->key;

    CZ_TRY(plan_domain(l));
    CZ_TRY(plan_lists(l));
    CZ_TRY(take_memory(l));
    CZ_TRY(cz_ntt_gpu_create(key->gpu, &key->ntt, key->log_n));
    CZ_TRY(cz_eval_gpu_create(key->gpu, &key->eval, l->circuit));
    for (int i = 0; i < MARKS; i++)
        CZ_TRY(cz_gpu_event_create(key->gpu, &key->mark[i]));
    CZ_TRY(upload_vars(l));
    CZ_TRY(load_points(l));
    if (key->h_tables > 1)
        CZ_TRY(cz_sums_gpu_make_table(key->sums, CZ_GPU_G1, key->d_h, key->params->h.n));
    return cz_gpu_sync(key->gpu); /* two seconds at 2^27, of loading and not of the first proof */
}

static cz_err make_key(cz_device_key **out, cz_gpu *gpu, const cz_params *params,
                       const cz_compiled *circuit)
{
    const cz_compiled_header *h = cz_compiled_view(circuit)->header;
    cz_device_key *key = calloc(1, sizeof *key);

    if (key == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for a device's key", params->path);
    *key = (cz_device_key){.gpu = gpu,
                           .params = params,
                           .n_inputs = h->n_inputs,
                           .n_aux = h->n_aux,
                           .n_fields = h->n_fields,
                           .n_words = ((size_t)h->n_aux + 63) / 64};
    memcpy(key->circuit_id, h->circuit_id, sizeof key->circuit_id);
    *out = key;
    return CZ_OK;
}

cz_err cz_device_key_load(cz_device_key **out, cz_gpu *gpu, const cz_params *params,
                          const cz_compiled *circuit, cz_pool *pool, cz_trace *trace)
{
    cz_span span = cz_trace_begin(trace, CZ_PHASE_SRS_LOAD, 0);
    loading l = {.circuit = circuit, .pool = pool};
    cz_err err = make_key(&l.key, gpu, params, circuit);

    if (err == CZ_OK)
        err = load(&l);
    for (int i = 0; i < LISTS; i++)
        cz_device_list_clear(&l.list[i]);
    cz_densities_clear(&l.densities);
    cz_trace_end(&span);
    if (err != CZ_OK) {
        cz_device_key_destroy(l.key);
        return err;
    }
    *out = l.key;
    return CZ_OK;
}

void cz_device_key_destroy(cz_device_key *key)
{
    if (key == NULL)
        return;
    for (int i = 0; i < MARKS; i++)
        cz_gpu_event_destroy(key->mark[i]);
    cz_sums_gpu_destroy(key->sums);
    cz_eval_gpu_destroy(key->eval);
    cz_ntt_gpu_destroy(key->ntt);
    cz_gpu_give_back(key->gpu, key->memory);
    free(key);
}

uint64_t cz_device_key_bytes(const cz_device_key *key)
{
    return key->map.bytes;
}

void cz_device_key_print(const cz_device_key *key, FILE *to)
{
    cz_arena_print(&key->map, to);
}

/* ---- one proof ---- */

typedef struct {
    cz_device_key *key;
    const cz_bit_witness *w;
    const cz_gpu_backend *backend;
    uint64_t start_ns;
    cz_proof_job job; /* the sums, for the last stage */
} device_job;

static cz_err mark(device_job *j, int which)
{
    return cz_gpu_event_record(j->key->gpu, j->key->mark[which], CZ_GPU_COMPUTE);
}

static cz_err upload_witness(device_job *j)
{
    const cz_device_key *key = j->key;
    const cz_bit_witness *w = j->w;

    if (w->source != NULL) { /* made there; the rows' memory is free until they are */
        CZ_TRY(w->source->fill(w->source, key->gpu, key->d_plane, key->d_values, key->d_rows_b,
                               3 * domain_of(key) * sizeof(cz_fr)));
        return mark(j, MARK_UPLOADED);
    }
    CZ_TRY(cz_gpu_copy(key->gpu, CZ_GPU_COMPUTE, key->d_plane, w->bits,
                       (key->n_words + 1) * sizeof *w->bits));
    CZ_TRY(cz_gpu_copy(key->gpu, CZ_GPU_COMPUTE, key->d_values, w->inputs,
                       w->n_inputs * sizeof *w->inputs));
    if (w->n_fields > 0)
        CZ_TRY(cz_gpu_copy(key->gpu, CZ_GPU_COMPUTE, key->d_values + w->n_inputs, w->fields,
                           w->n_fields * sizeof *w->fields));
    return mark(j, MARK_UPLOADED);
}

static cz_err evaluate(device_job *j)
{
    const cz_device_key *key = j->key;

    CZ_TRY(cz_eval_gpu_run(key->eval, key->d_plane, key->d_values, domain_of(key), key->d_rows_a,
                           key->d_rows_b, key->d_rows_c));
    return mark(j, MARK_EVALUATED);
}

static cz_gpu_terms terms_of(cz_gpu_group group, const void *d_points, const cz_fr *d_scalars,
                             size_t n, unsigned tables)
{
    return (cz_gpu_terms){.group = group,
                          .tables = tables,
                          .montgomery = 1,
                          .n = n,
                          .n_points = n,
                          .d_points = d_points,
                          .d_scalars = d_scalars};
}

static cz_err sum_h(device_job *j)
{
    const cz_device_key *key = j->key;
    const cz_gpu_terms h =
        terms_of(CZ_GPU_G1, key->d_h, key->d_rows_a, key->params->h.n, key->h_tables);

    CZ_TRY(cz_ntt_gpu_quotient(key->ntt, key->d_rows_a, key->d_rows_b, key->d_rows_c,
                               key->d_rows_scratch));
    cz_g1_set_infinity(&j->job.h);
    if (h.n > 0)
        CZ_TRY(cz_sums_gpu_full_g1(key->sums, &j->job.h, &h, NULL));
    return mark(j, MARK_H);
}

/* The bits of a list's bit part. */
static cz_err select_bits(device_job *j, list_name name)
{
    const cz_device_key *key = j->key;
    const device_vars *v = &key->vars[name];

    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_selected, key->selected_bytes));
    return cz_gpu_result(j->backend->select_bits(key->gpu, key->d_selected, key->d_plane, v->d_mask,
                                                 v->d_ranks, key->n_words));
}

/* The values of a list's tail. */
static cz_err select_values(device_job *j, list_name name)
{
    const cz_device_key *key = j->key;
    const device_vars *v = &key->vars[name];

    return cz_gpu_result(j->backend->select_values(key->gpu, key->d_scalars, key->d_values,
                                                   v->d_tail_at, v->n_tail));
}

static cz_err add_bits_g1(device_job *j, cz_g1 *sum, list_name name, const device_points *points)
{
    const device_vars *v = &j->key->vars[name];
    cz_g1 part;

    if (v->n_bits == 0)
        return CZ_OK;
    CZ_TRY(cz_sums_gpu_bits_g1(j->key->sums, &part, points->d_bits, j->key->d_selected, v->n_bits,
                               NULL));
    cz_g1_add(sum, sum, &part);
    cz_secure_zero(&part, sizeof part);
    return CZ_OK;
}

static cz_err add_tail_g1(device_job *j, cz_g1 *sum, list_name name, const device_points *points)
{
    const device_vars *v = &j->key->vars[name];
    const cz_gpu_terms terms = terms_of(CZ_GPU_G1, points->d_tail, j->key->d_scalars, v->n_tail, 1);
    cz_g1 part;

    if (v->n_tail == 0)
        return CZ_OK;
    CZ_TRY(cz_sums_gpu_full_g1(j->key->sums, &part, &terms, NULL));
    cz_g1_add(sum, sum, &part);
    cz_secure_zero(&part, sizeof part);
    return CZ_OK;
}

static cz_err sum_bits(device_job *j)
{
    const cz_device_key *key = j->key;

    CZ_TRY(select_bits(j, LIST_L));
    CZ_TRY(add_bits_g1(j, &j->job.l, LIST_L, &key->l));
    CZ_TRY(select_bits(j, LIST_A));
    CZ_TRY(add_bits_g1(j, &j->job.a, LIST_A, &key->a));
    CZ_TRY(select_bits(j, LIST_B));
    CZ_TRY(add_bits_g1(j, &j->job.b1, LIST_B, &key->b1));
    return mark(j, MARK_BITS);
}

static cz_err sum_tails(device_job *j)
{
    const cz_device_key *key = j->key;

    CZ_TRY(select_values(j, LIST_L));
    CZ_TRY(add_tail_g1(j, &j->job.l, LIST_L, &key->l));
    CZ_TRY(select_values(j, LIST_A));
    CZ_TRY(add_tail_g1(j, &j->job.a, LIST_A, &key->a));
    CZ_TRY(select_values(j, LIST_B));
    CZ_TRY(add_tail_g1(j, &j->job.b1, LIST_B, &key->b1));
    return mark(j, MARK_TAILS);
}

/* After B1, whose bits and values are still selected. */
static cz_err sum_b2(device_job *j)
{
    const cz_device_key *key = j->key;
    const device_vars *v = &key->vars[LIST_B];
    const cz_gpu_terms terms = terms_of(CZ_GPU_G2, key->b2.d_tail, key->d_scalars, v->n_tail, 1);
    cz_g2 part;

    if (v->n_bits > 0) {
        CZ_TRY(cz_sums_gpu_bits_g2(key->sums, &part, key->b2.d_bits, key->d_selected, v->n_bits,
                                   NULL));
        cz_g2_add(&j->job.b2, &j->job.b2, &part);
    }
    if (v->n_tail > 0) {
        CZ_TRY(cz_sums_gpu_full_g2(key->sums, &part, &terms, NULL));
        cz_g2_add(&j->job.b2, &j->job.b2, &part);
    }
    cz_secure_zero(&part, sizeof part);
    return mark(j, MARK_B2);
}

static cz_err run_stages(device_job *j)
{
    cz_g1_set_infinity(&j->job.l);
    cz_g1_set_infinity(&j->job.a);
    cz_g1_set_infinity(&j->job.b1);
    cz_g2_set_infinity(&j->job.b2);
    CZ_TRY(mark(j, MARK_BEGIN));
    j->start_ns = cz_clock_ns();
    CZ_TRY(upload_witness(j));
    CZ_TRY(evaluate(j));
    CZ_TRY(sum_h(j));
    CZ_TRY(sum_bits(j));
    CZ_TRY(sum_tails(j));
    return sum_b2(j);
}

static cz_err add_phases(const device_job *j, unsigned partition, cz_trace *trace)
{
    static const cz_phase phases[MARKS] = {
        [MARK_UPLOADED] = CZ_PHASE_PIN,   [MARK_EVALUATED] = CZ_PHASE_EVALUATE,
        [MARK_H] = CZ_PHASE_NTT_MSM_H,    [MARK_BITS] = CZ_PHASE_BATCH_ADD,
        [MARK_TAILS] = CZ_PHASE_TAIL_MSM, [MARK_B2] = CZ_PHASE_B_G2_MSM};
    double done_ms = 0;

    for (int i = MARK_BEGIN + 1; i < MARKS; i++) {
        float ms;

        CZ_TRY(cz_gpu_event_ms(&ms, j->key->mark[i - 1], j->key->mark[i]));
        cz_trace_add(trace, phases[i], partition, j->start_ns + (uint64_t)(done_ms * 1e6),
                     (uint64_t)((double)ms * 1e6));
        done_ms += (double)ms;
    }
    return CZ_OK;
}

/* The witness and all that follows from it; the rest of the scratch is the sums'. */
static cz_err erase_device(const cz_device_key *key)
{
    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_plane,
                       (key->n_words + 1) * sizeof *key->d_plane));
    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_values,
                       ((size_t)key->n_inputs + key->n_fields) * sizeof *key->d_values));
    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_selected, key->selected_bytes));
    CZ_TRY(cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_scalars, key->scalar_bytes));
    return cz_gpu_zero(key->gpu, CZ_GPU_COMPUTE, key->d_rows_a,
                       domain_of(key) * sizeof *key->d_rows_a);
}

static cz_err check_witness(const cz_device_key *key, const cz_bit_witness *w)
{
    if (w->n_inputs != key->n_inputs || w->n_aux != key->n_aux || w->n_fields != key->n_fields)
        return cz_fail(CZ_E_ARG, "the witness is not one of %s", key->circuit_id);
    return CZ_OK;
}

static cz_err prove_one(cz_proof *out, cz_device_key *key, const cz_device_partition *part,
                        const cz_fr *r, const cz_fr *s, cz_trace *trace)
{
    const struct cz_prover_key host_key = {.params = key->params};
    device_job j = {.key = key, .w = part->w, .job = {.key = &host_key, .trace = trace}};
    cz_err err;

    CZ_TRY(check_witness(key, part->w));
    CZ_TRY(cz_gpu_load(&j.backend));
    err = run_stages(&j);
    if (err == CZ_OK)
        err = add_phases(&j, part->partition, trace);
    if (err == CZ_OK)
        err = erase_device(key);
    if (err == CZ_OK)
        cz_stage_assemble(out, &j.job, r, s);
    else if (cz_gpu_sync(key->gpu) != CZ_OK) /* the witness may be on its way */
        err = CZ_E_CUDA;
    cz_secure_zero(&j, sizeof j);
    return err;
}

static cz_err prove_blinded(cz_proof *out, cz_device_key *key, const cz_device_partition *part,
                            cz_trace *trace)
{
    cz_fr r, s;
    cz_err err;

    CZ_TRY(cz_fr_random(&r));
    err = cz_fr_random(&s);
    if (err == CZ_OK)
        err = prove_one(out, key, part, &r, &s, trace);
    cz_secure_zero(&r, sizeof r);
    cz_secure_zero(&s, sizeof s);
    return err;
}

bool cz_device_key_streams(const cz_device_key *key)
{
    (void)key;
    return false;
}

unsigned cz_device_key_batch(const cz_device_key *key)
{
    (void)key;
    return 1;
}

cz_err cz_groth16_prove_device_batch(cz_proof *out, cz_device_key *key,
                                     const cz_device_partition *parts, unsigned n, cz_trace *trace)
{
    for (unsigned i = 0; i < n; i++) {
        const cz_device_partition *part = &parts[i];

        if (part->r == NULL)
            CZ_TRY(prove_blinded(&out[i], key, part, trace));
        else
            CZ_TRY(prove_one(&out[i], key, part, part->r, part->s, trace));
    }
    return CZ_OK;
}

cz_err cz_groth16_prove_device(cz_proof *out, cz_device_key *key, const cz_bit_witness *w,
                               const cz_fr *r, const cz_fr *s, unsigned partition, cz_trace *trace)
{
    const cz_device_partition part = {.w = w, .r = r, .s = s, .partition = partition};

    return cz_groth16_prove_device_batch(out, key, &part, 1, trace);
}

cz_err cz_groth16_prove_device_blinded(cz_proof *out, cz_device_key *key, const cz_bit_witness *w,
                                       unsigned partition, cz_trace *trace)
{
    return cz_groth16_prove_device(out, key, w, NULL, NULL, partition, trace);
}
