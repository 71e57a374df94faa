/* prove_device_load.c: a key: plan it, load what it holds, give it back. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "groth16/prove_device_key.h"

/* ---- what there is ---- */

static cz_err check_list(const cz_device_loading *l, cz_device_vars_name name,
                         const cz_params *file, const cz_point_list *points, const char *section)
{
    const size_t wanted = l->list[name].n_bits + l->list[name].n_tail;

    if (points->n == wanted)
        return CZ_OK;
    return cz_fail(CZ_E_INPUT, "%s: %s has %" PRIu32 " points, but %s needs %zu", file->path,
                   section, points->n, l->key->circuit_id, wanted);
}

/* What L' has, too, are the inputs that occur in C. */
static void plan_l(cz_device_loading *l)
{
    const cz_folded *folded = l->options->folded;

    l->vars[CZ_DEVICE_L] = (cz_device_list_vars){.circuit = l->circuit};
    if (folded != NULL) {
        l->vars[CZ_DEVICE_L].has_inputs = true;
        l->vars[CZ_DEVICE_L].dens_input = folded->input_has_point;
    }
}

static cz_err plan_lists(cz_device_loading *l)
{
    const cz_params *p = l->key->params, *hl = l->key->hl_file;

    CZ_TRY(cz_compiled_densities(&l->densities, l->circuit));
    plan_l(l);
    l->vars[CZ_DEVICE_A] = (cz_device_list_vars){
        .circuit = l->circuit, .has_inputs = true, .dens_aux = l->densities.a_aux};
    l->vars[CZ_DEVICE_B] = (cz_device_list_vars){.circuit = l->circuit,
                                                 .has_inputs = true,
                                                 .dens_input = l->densities.b_input,
                                                 .dens_aux = l->densities.b_aux};
    for (int i = 0; i < CZ_DEVICE_VARS; i++) {
        CZ_TRY(cz_device_list_make(&l->list[i], &l->vars[i]));
        l->key->vars[i].n_bits = l->list[i].n_bits;
        l->key->vars[i].n_tail = l->list[i].n_tail;
    }
    CZ_TRY(check_list(l, CZ_DEVICE_L, hl, &hl->l, "l"));
    CZ_TRY(check_list(l, CZ_DEVICE_A, p, &p->a, "a"));
    CZ_TRY(check_list(l, CZ_DEVICE_B, p, &p->b_g1, "b_g1"));
    return check_list(l, CZ_DEVICE_B, p, &p->b_g2, "b_g2");
}

/* Before its bitmap of the inputs is used. */
static cz_err check_folded(const cz_device_key *key, const cz_folded *folded)
{
    if (folded == NULL ||
        (folded->log_n == key->log_n && folded->file.h.n == cz_device_domain(key) &&
         folded->n_inputs == key->n_inputs && folded->n_aux == key->n_aux))
        return CZ_OK;
    return cz_fail(CZ_E_INPUT,
                   "%s: folded for a domain of 2^%u, %" PRIu32 " inputs and %" PRIu32
                   " other variables, but %s has 2^%u, %" PRIu32 " and %" PRIu32,
                   folded->file.path, folded->log_n, folded->n_inputs, folded->n_aux,
                   key->circuit_id, key->log_n, key->n_inputs, key->n_aux);
}

static cz_err plan_domain(cz_device_loading *l)
{
    cz_device_key *key = l->key;
    const cz_params *p = key->params;

    key->log_n = cz_ntt_log_n((uint64_t)p->h.n + 1);
    if (cz_compiled_rows(l->circuit) > cz_device_domain(key) || p->vk.n_ic != key->n_inputs)
        return cz_fail(CZ_E_INPUT,
                       "%s: for a domain of 2^%u and %" PRIu32 " inputs, but %s has %" PRIu64
                       " rows and %" PRIu32 " inputs",
                       p->path, key->log_n, p->vk.n_ic, key->circuit_id,
                       cz_compiled_rows(l->circuit), key->n_inputs);
    return check_folded(key, l->options->folded);
}

/* ---- what the device holds ---- */

static cz_err upload(const cz_device_key *key, void *d_to, const void *from, size_t bytes)
{
    return bytes == 0 ? CZ_OK : cz_gpu_copy(key->gpu, CZ_GPU_COMPUTE, d_to, from, bytes);
}

static cz_err upload_vars(const cz_device_loading *l)
{
    const cz_device_key *key = l->key;

    for (int i = 0; i < CZ_DEVICE_VARS; i++) {
        const cz_device_list *from = &l->list[i];
        const cz_device_vars *to = &key->vars[i];
        const size_t n = from->n_words;

        CZ_TRY(upload(key, to->d_mask, from->mask, n * sizeof *from->mask));
        CZ_TRY(upload(key, to->d_ranks, from->ranks, n * sizeof *from->ranks));
        CZ_TRY(upload(key, to->d_tail_at, from->tail_at, from->n_tail * sizeof *from->tail_at));
        if (!key->streams)
            continue;
        CZ_TRY(upload(key, to->d_dense, from->dense, n * sizeof *from->dense));
        CZ_TRY(upload(key, to->d_before, from->before, n * sizeof *from->before));
    }
    return cz_gpu_sync(key->gpu);
}

static cz_err load_parts(const cz_device_loading *l, const cz_params *file,
                         const cz_point_list *list, cz_device_vars_name name,
                         const cz_device_points *to)
{
    cz_device_places places = cz_device_places_begin(&l->vars[name]);
    const cz_points_layout layout = {
        .places = cz_device_places_fill, .ctx = &places, .d_part = {to->d_bits, to->d_tail}};

    return cz_points_gpu_load(l->points, file, list, l->key->pool, &layout);
}

/* Ends with the table: two seconds at 2^27, of loading and not of the first proof. */
static cz_err load_points(const cz_device_loading *l)
{
    const cz_device_key *key = l->key;
    const cz_params *p = key->params, *hl = key->hl_file;
    const cz_points_layout h = {.d_part = {key->d_h, NULL}};

    CZ_TRY(cz_points_gpu_load(l->points, hl, &hl->h, key->pool, &h));
    CZ_TRY(load_parts(l, hl, &hl->l, CZ_DEVICE_L, &key->l));
    CZ_TRY(load_parts(l, p, &p->a, CZ_DEVICE_A, &key->a));
    CZ_TRY(load_parts(l, p, &p->b_g1, CZ_DEVICE_B, &key->b1));
    CZ_TRY(load_parts(l, p, &p->b_g2, CZ_DEVICE_B, &key->b2));
    if (key->h_tables > 1)
        CZ_TRY(
            cz_sums_gpu_make_tables(key->sums, CZ_GPU_G1, key->d_h, key->h_terms, key->h_tables));
    return cz_gpu_sync(key->gpu);
}

/* ---- what streams ---- */

static cz_err make_stream(cz_device_loading *l, unsigned i, const cz_params *file,
                          const cz_point_list *points, cz_device_sum sum, cz_device_vars_name vars)
{
    cz_device_key *key = l->key;
    cz_device_stream *s = &key->stream[i];
    const bool g2 = points == &key->params->b_g2;
    const size_t most = g2 ? key->chunk_points / 2 : key->chunk_points;

    s->file = file;
    s->points = points;
    s->sum = sum;
    s->vars = vars;
    return cz_device_list_chunks(&s->chunks, &s->n_chunks, &l->list[vars], most,
                                 key->tail_points[g2 ? CZ_GPU_G2 : CZ_GPU_G1]);
}

static cz_err make_streams(cz_device_loading *l)
{
    cz_device_key *key = l->key;
    const cz_params *p = key->params, *hl = key->hl_file;

    CZ_TRY(make_stream(l, 0, hl, &hl->l, CZ_DEVICE_SUM_L, CZ_DEVICE_L));
    CZ_TRY(make_stream(l, 1, p, &p->a, CZ_DEVICE_SUM_A, CZ_DEVICE_A));
    CZ_TRY(make_stream(l, 2, p, &p->b_g1, CZ_DEVICE_SUM_B1, CZ_DEVICE_B));
    CZ_TRY(make_stream(l, 3, p, &p->b_g2, CZ_DEVICE_SUM_B2, CZ_DEVICE_B));
    return cz_points_feed_create(key->gpu, &key->feed, p, key->pool,
                                 key->chunk_points * sizeof(cz_g1_affine), key->d_mark);
}

/* ---- keys ---- */

/* The tables first: the rest of the budget is the block's. */
static cz_err load(cz_device_loading *l)
{
    cz_device_key *key = l->key;

    CZ_TRY(plan_domain(l));
    CZ_TRY(plan_lists(l));
    CZ_TRY(cz_ntt_gpu_create(key->gpu, &key->ntt, key->log_n));
    CZ_TRY(cz_eval_gpu_create(key->gpu, &key->eval, l->circuit));
    CZ_TRY(cz_gpu_event_create(key->gpu, &key->mark));
    CZ_TRY(cz_gpu_event_create(key->gpu, &key->uploaded));
    CZ_TRY(cz_device_plan(l));
    CZ_TRY(upload_vars(l));
    return key->streams ? make_streams(l) : load_points(l);
}

static cz_err make_key(cz_device_key **out, cz_gpu *gpu, const cz_params *params,
                       const cz_compiled *circuit, const cz_folded *folded, cz_pool *pool)
{
    const cz_compiled_header *h = cz_compiled_view(circuit)->header;
    cz_device_key *key = calloc(1, sizeof *key);

    if (key == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for a device's key", params->path);
    *key = (cz_device_key){.gpu = gpu,
                           .params = params,
                           .hl_file = folded != NULL ? &folded->file : params,
                           .is_folded = folded != NULL,
                           .pool = pool,
                           .n_inputs = h->n_inputs,
                           .n_aux = h->n_aux,
                           .n_fields = h->n_fields,
                           .n_words = ((size_t)h->n_aux + 63) / 64};
    memcpy(key->circuit_id, h->circuit_id, sizeof key->circuit_id);
    *out = key;
    return CZ_OK;
}

static void clear_loading(cz_device_loading *l)
{
    cz_points_gpu_destroy(l->points);
    for (int i = 0; i < CZ_DEVICE_VARS; i++)
        cz_device_list_clear(&l->list[i]);
    cz_densities_clear(&l->densities);
}

cz_err cz_device_key_load_with(cz_device_key **out, cz_gpu *gpu, const cz_params *params,
                               const cz_compiled *circuit, const cz_device_key_options *options,
                               cz_pool *pool, cz_trace *trace)
{
    const cz_device_key_options any = {.mode = CZ_DEVICE_KEY_ANY};
    cz_span span = cz_trace_begin(trace, CZ_PHASE_SRS_LOAD, 0);
    cz_device_loading l = {.circuit = circuit, .options = options != NULL ? options : &any};
    cz_err err = make_key(&l.key, gpu, params, circuit, l.options->folded, pool);

    if (err == CZ_OK)
        err = load(&l);
    clear_loading(&l);
    cz_trace_end(&span);
    if (err != CZ_OK) {
        cz_device_key_destroy(l.key);
        return err;
    }
    *out = l.key;
    return CZ_OK;
}

cz_err cz_device_key_load(cz_device_key **out, cz_gpu *gpu, const cz_params *params,
                          const cz_compiled *circuit, cz_pool *pool, cz_trace *trace)
{
    return cz_device_key_load_with(out, gpu, params, circuit, NULL, pool, trace);
}

void cz_device_key_destroy(cz_device_key *key)
{
    if (key == NULL)
        return;
    cz_points_feed_destroy(key->feed);
    for (int i = 0; i < CZ_DEVICE_STREAMS; i++)
        free(key->stream[i].chunks);
    cz_gpu_event_destroy(key->mark);
    cz_gpu_event_destroy(key->uploaded);
    cz_sums_gpu_destroy(key->sums);
    cz_eval_gpu_destroy(key->eval);
    cz_ntt_gpu_destroy(key->ntt);
    cz_gpu_give_back(key->gpu, key->memory);
    free(key);
}

bool cz_device_key_streams(const cz_device_key *key)
{
    return key->streams;
}

bool cz_device_key_folded(const cz_device_key *key)
{
    return key->is_folded;
}

unsigned cz_device_key_batch(const cz_device_key *key)
{
    return key->batch;
}

uint64_t cz_device_key_bytes(const cz_device_key *key)
{
    return key->map.bytes;
}

void cz_device_key_print(const cz_device_key *key, FILE *to)
{
    const char *folded = key->is_folded ? ", folded" : "";

    if (key->streams)
        (void)fprintf(to,
                      "%s: parameters streamed%s, %u partitions a batch, %u at a time over H, "
                      "chunks of %zu points\n",
                      key->circuit_id, folded, key->batch, key->group, key->chunk_points);
    else
        (void)fprintf(to, "%s: parameters resident%s%s\n", key->circuit_id, folded,
                      key->h_tables > 2   ? ", with four tables of h"
                      : key->h_tables > 1 ? ", with two tables of h"
                                          : "");
    cz_arena_print(&key->map, to);
}
