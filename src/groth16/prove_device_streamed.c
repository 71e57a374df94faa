/* prove_device_streamed.c: the stages with the points coming from the file.
 *
 * All witnesses go up. Then, group after group: the quotients of its partitions, and H chunk after
 * chunk, each summed for all of them. Then L, A, B1, B2, chunk after chunk, each for the whole
 * batch. The bytes of the next chunk come while the device is at the one before, or at a quotient
 * (params/points_feed.h).
 *
 * The rows take three vectors: a and b become their product, then c is evaluated where b was, and
 * what comes out is the quotient's negative, so h is negated at the end. With a folded file the
 * product is all. */
#include <stdlib.h>

#include "groth16/prove_device_key.h"

/* ---- the order of the work ---- */

static size_t h_chunks(const cz_device_key *key)
{
    return (key->hl_file->h.n + key->chunk_points - 1) / key->chunk_points;
}

static cz_points_stretch h_chunk(const cz_device_key *key, size_t i)
{
    const size_t first = i * key->chunk_points, left = key->hl_file->h.n - first;

    return (cz_points_stretch){.list = &key->hl_file->h,
                               .first = first,
                               .n = left < key->chunk_points ? left : key->chunk_points,
                               .file = key->hl_file};
}

/* What the feed is to bring: H for each group, then the other lists. */
static cz_err plan_stretches(const cz_device_batch *b, cz_points_stretch **out, size_t *n)
{
    const cz_device_key *key = b->key;
    const size_t n_h = h_chunks(key), n_groups = (b->n + key->group - 1) / key->group;
    size_t most = n_groups * n_h;
    cz_points_stretch *s;

    for (int i = 0; i < CZ_DEVICE_STREAMS; i++)
        most += key->stream[i].n_chunks;
    s = malloc((most + 1) * sizeof *s);
    if (s == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory to prove in chunks", key->circuit_id);
    *out = s;
    *n = most;
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = 0; i < n_h; i++)
            *s++ = h_chunk(key, i);
    for (int i = 0; i < CZ_DEVICE_STREAMS; i++)
        for (size_t c = 0; c < key->stream[i].n_chunks; c++) {
            const cz_device_chunk *chunk = &key->stream[i].chunks[c];

            *s++ = (cz_points_stretch){.list = key->stream[i].points,
                                       .first = chunk->first,
                                       .n = chunk->n,
                                       .file = key->stream[i].file};
        }
    return CZ_OK;
}

/* ---- rows and H ---- */

static cz_err upload_all(cz_device_batch *b)
{
    for (unsigned i = 0; i < b->n; i++) {
        CZ_TRY(cz_device_upload(b, i, CZ_GPU_COMPUTE));
        CZ_TRY(cz_device_wait(b));
        cz_device_lap(b, CZ_PHASE_PIN, i, 1);
    }
    return CZ_OK;
}

/* The product of member i's a and b on the coset to place `slot` of the group. */
static cz_err make_product(cz_device_batch *b, unsigned i, unsigned slot)
{
    const cz_device_key *key = b->key;
    const uint64_t domain = cz_device_domain(key);
    cz_fr *d_own = key->d_rows + slot * domain, *d_b = key->d_shared, *d_scratch = d_b + domain;

    CZ_TRY(cz_eval_gpu_run(key->eval, key->d_plane + i * key->plane_stride,
                           key->d_values + i * key->values_stride, domain, d_own, d_b, NULL));
    CZ_TRY(cz_device_wait(b));
    cz_device_lap(b, CZ_PHASE_EVALUATE, i, 1);
    CZ_TRY(cz_ntt_gpu_coset_product(key->ntt, d_own, d_b, d_scratch));
    CZ_TRY(cz_device_wait(b));
    cz_device_lap(b, CZ_PHASE_NTT_MSM_H, i, 1);
    return CZ_OK;
}

/* The negative of member i's quotient to place `slot` of the group. */
static cz_err make_quotient(cz_device_batch *b, unsigned i, unsigned slot)
{
    const cz_device_key *key = b->key;
    const uint64_t domain = cz_device_domain(key);
    const uint64_t *d_plane = key->d_plane + i * key->plane_stride;
    const cz_fr *d_values = key->d_values + i * key->values_stride;
    cz_fr *d_own = key->d_rows + slot * domain, *d_a = key->d_shared, *d_scratch = d_a + domain;

    CZ_TRY(cz_eval_gpu_run(key->eval, d_plane, d_values, domain, d_a, d_own, NULL));
    CZ_TRY(cz_device_wait(b));
    cz_device_lap(b, CZ_PHASE_EVALUATE, i, 1);
    CZ_TRY(cz_ntt_gpu_quotient_product(key->ntt, d_a, d_own, d_scratch));
    CZ_TRY(cz_eval_gpu_run(key->eval, d_plane, d_values, domain, NULL, NULL, d_own));
    CZ_TRY(cz_ntt_gpu_quotient_subtract(key->ntt, d_own, d_a, d_scratch));
    CZ_TRY(cz_device_wait(b));
    cz_device_lap(b, CZ_PHASE_NTT_MSM_H, i, 1);
    return CZ_OK;
}

static cz_err add_h_chunk(cz_device_batch *b, unsigned first, unsigned n,
                          const cz_points_stretch *chunk)
{
    const cz_device_key *key = b->key;

    CZ_TRY(cz_points_feed_next(key->feed));
    CZ_TRY(cz_points_feed_decode(key->feed, NULL, key->d_points, NULL));
    cz_device_lap(b, CZ_PHASE_NTT_MSM_H, first, n);
    for (unsigned i = 0; i < n; i++) {
        const cz_fr *d_quotient = key->d_rows + i * cz_device_domain(key);

        CZ_TRY(cz_device_add_full(b, first + i, CZ_DEVICE_SUM_H, key->d_points,
                                  d_quotient + chunk->first, chunk->n, 1));
        cz_device_lap(b, CZ_PHASE_NTT_MSM_H, first + i, 1);
    }
    return CZ_OK;
}

/* Members [first, first + n). */
static cz_err sum_h(cz_device_batch *b, unsigned first, unsigned n)
{
    const bool is_folded = b->key->is_folded;

    for (unsigned i = 0; i < n; i++)
        CZ_TRY(is_folded ? make_product(b, first + i, i) : make_quotient(b, first + i, i));
    for (size_t i = 0; i < h_chunks(b->key); i++) {
        const cz_points_stretch chunk = h_chunk(b->key, i);

        CZ_TRY(add_h_chunk(b, first, n, &chunk));
    }
    for (unsigned i = 0; !is_folded && i < n; i++)
        cz_g1_neg(&b->members[first + i].job.h, &b->members[first + i].job.h);
    return CZ_OK;
}

/* ---- L, A, B1, B2 ---- */

/* Points of a chunk: those of the bit part in order, those of the tail behind the ones that have
 * gathered. */
static cz_err decode_chunk(cz_device_batch *b, const cz_device_stream *s, const cz_device_chunk *c)
{
    const cz_device_key *key = b->key;
    const cz_device_vars *v = &key->vars[s->vars];
    const cz_select_words words = {.dense = v->d_dense + c->first_word,
                                   .mask = v->d_mask + c->first_word,
                                   .before = v->d_before + c->first_word,
                                   .ranks = v->d_ranks + c->first_word,
                                   .n_words = c->n_words};
    const cz_select_stretch stretch = {.first = c->first,
                                       .n = c->n,
                                       .n_inputs = c->n_inputs,
                                       .first_bit = c->first_bit,
                                       .first_tail = c->tail_begin};

    CZ_TRY(cz_points_feed_next(key->feed));
    CZ_TRY(cz_gpu_result(b->backend->select_places(key->gpu, key->d_to, &words, &stretch)));
    return cz_points_feed_decode(key->feed, key->d_to, key->d_points, key->d_rows);
}

static cz_err add_chunk(cz_device_batch *b, const cz_device_stream *s, const cz_device_chunk *c)
{
    const cz_device_bits bits = {.vars = s->vars,
                                 .first_word = c->first_word,
                                 .n_words = c->n_words,
                                 .first_bit = c->first_bit,
                                 .n = c->n_bits};
    const size_t tail = c->first_tail + c->n_tail - c->tail_begin;
    const bool g2 = s->sum == CZ_DEVICE_SUM_B2;
    const cz_phase bits_phase = g2 ? CZ_PHASE_B_G2_MSM : CZ_PHASE_BATCH_ADD;
    const cz_phase tail_phase = g2 ? CZ_PHASE_B_G2_MSM : CZ_PHASE_TAIL_MSM;

    CZ_TRY(decode_chunk(b, s, c));
    CZ_TRY(cz_device_add_bits(b, s->sum, &bits, b->key->d_points));
    cz_device_lap(b, c->n_bits > 0 ? bits_phase : tail_phase, 0, b->n);
    for (unsigned i = 0; c->sum_tail && i < b->n; i++) {
        CZ_TRY(cz_device_add_tail(b, i, s->sum, s->vars, b->key->d_rows, c->tail_begin, tail));
        cz_device_lap(b, tail_phase, i, 1);
    }
    return CZ_OK;
}

static cz_err sum_lists(cz_device_batch *b)
{
    for (int i = 0; i < CZ_DEVICE_STREAMS; i++) {
        const cz_device_stream *s = &b->key->stream[i];

        for (size_t k = 0; k < s->n_chunks; k++)
            CZ_TRY(add_chunk(b, s, &s->chunks[k]));
    }
    return CZ_OK;
}

/* ---- all of it ---- */

static cz_err run_stages(cz_device_batch *b)
{
    const unsigned group = b->key->group;

    CZ_TRY(upload_all(b));
    for (unsigned first = 0; first < b->n; first += group)
        CZ_TRY(sum_h(b, first, b->n - first < group ? b->n - first : group));
    return sum_lists(b);
}

cz_err cz_device_run_streamed(cz_device_batch *b)
{
    cz_points_feed *feed = b->key->feed;
    cz_points_stretch *stretches;
    size_t n;
    cz_err err;

    CZ_TRY(plan_stretches(b, &stretches, &n));
    err = cz_points_feed_start(feed, stretches, n, b->key->d_bytes);
    if (err == CZ_OK)
        err = run_stages(b);
    cz_points_feed_stop(feed);
    free(stretches);
    return err;
}
