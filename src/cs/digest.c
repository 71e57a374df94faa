/* digest.c: see digest.h. */
#include "cs/digest.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "cs/bits.h"
#include "cs/coeff_cache.h"
#include "cs/hash_stream.h"

enum {
    TERM_BYTES = 1 + 8 + 32,
    TERMS_AT_ONCE = 1024, /* written into one stretch of the stream's buffer */
    PROGRESS_EVERY = 1 << 20
};

static const char magic[] = "cuzk-r1cs-v1";

typedef struct {
    cz_cs cs; /* first: modes embed it */
    cz_circuit_stats *stats;
    cz_bits a_aux, b_input, b_aux;
    const cz_digest_options *options;
    uint64_t next_checkpoint, next_progress; /* constraints; UINT64_MAX: never */
    cz_hash_stream stream;                   /* digest mode alone */
    cz_coeff_cache *coeffs;
} digest_cs;

/* ---- densities ---- */

static void count_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    digest_cs *d = (digest_cs *)cs;

    (void)name;
    (void)value;
    cz_bits_ensure(&d->a_aux, cs, (uint64_t)cs->n_aux + 1);
    cz_bits_ensure(&d->b_aux, cs, (uint64_t)cs->n_aux + 1);
}

static void count_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    digest_cs *d = (digest_cs *)cs;

    (void)name;
    (void)value;
    cz_bits_ensure(&d->b_input, cs, (uint64_t)cs->n_inputs + 1);
}

static void count_terms(digest_cs *d, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    d->stats->nnz_a += a->n;
    d->stats->nnz_b += b->n;
    d->stats->nnz_c += c->n;
    for (uint32_t i = 0; i < a->n; i++) {
        if (cz_var_is_aux(a->terms[i].var))
            cz_bits_set(&d->a_aux, cz_var_index(a->terms[i].var));
    }
    for (uint32_t i = 0; i < b->n; i++) {
        cz_var v = b->terms[i].var;

        cz_bits_set(cz_var_is_aux(v) ? &d->b_aux : &d->b_input, cz_var_index(v));
    }
}

static void count_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    (void)name;
    count_terms((digest_cs *)cs, a, b, c);
}

static const cz_cs_ops count_ops = {count_alloc, count_alloc_input, count_enforce};

/* ---- the digest ---- */

/* Tag and the low seven bytes of the index in one store: an index has 31 bits. */
static inline uint8_t *put_term(uint8_t *p, cz_coeff_cache *coeffs, const cz_term *term)
{
    uint64_t tag = cz_var_is_aux(term->var) ? 1 : 0;

    cz_store_le64(p, tag | (uint64_t)cz_var_index(term->var) << 8);
    p[8] = 0;
    memcpy(p + 9, cz_coeff_bytes(coeffs, &term->coeff), 32);
    return p + TERM_BYTES;
}

static void hash_lc(digest_cs *d, const cz_lc *lc)
{
    cz_coeff_cache *coeffs = d->coeffs;
    const cz_term *terms = lc->terms;
    uint32_t done = 0;
    uint8_t *p = cz_hash_stream_room(&d->stream, 4 + TERMS_AT_ONCE * TERM_BYTES);

    cz_store_le32(p, lc->n);
    p += 4;
    for (;;) {
        uint32_t stop = lc->n - done > TERMS_AT_ONCE ? done + TERMS_AT_ONCE : lc->n;

        for (; done < stop; done++)
            p = put_term(p, coeffs, &terms[done]);
        cz_hash_stream_wrote(&d->stream, p);
        if (done == lc->n)
            return;
        p = cz_hash_stream_room(&d->stream, TERMS_AT_ONCE * TERM_BYTES);
    }
}

static void report_checkpoint(digest_cs *d, cz_name name)
{
    uint8_t sha256[32];
    char path[1024];

    cz_hash_stream_digest(&d->stream, sha256);
    cz_cs_path(&d->cs, name, path, sizeof path);
    d->options->checkpoint(d->options->ctx, d->next_checkpoint, d->cs.n_inputs, d->cs.n_aux, path,
                           sha256);
    d->next_checkpoint += d->options->every;
}

static void digest_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    digest_cs *d = (digest_cs *)cs;
    uint64_t constraints = cs->n_constraints + 1;

    count_terms(d, a, b, c);
    hash_lc(d, a);
    hash_lc(d, b);
    hash_lc(d, c);
    if (constraints == d->next_checkpoint)
        report_checkpoint(d, name);
    if (constraints == d->next_progress) {
        d->options->progress(d->options->ctx, constraints);
        d->next_progress += PROGRESS_EVERY;
    }
}

static const cz_cs_ops digest_ops = {count_alloc, count_alloc_input, digest_enforce};

static void hash_counts(digest_cs *d)
{
    uint8_t *p = cz_hash_stream_room(&d->stream, 24);

    cz_store_le64(p, d->cs.n_inputs);
    cz_store_le64(p + 8, d->cs.n_aux);
    cz_store_le64(p + 16, d->cs.n_constraints);
    cz_hash_stream_wrote(&d->stream, p + 24);
}

/* ---- both modes ---- */

static cz_err synthesize(digest_cs *d, const cz_circuit *circuit)
{
    cz_bits_ensure(&d->b_input, &d->cs, 1);
    if (cz_cs_status(&d->cs) == CZ_OK)
        circuit->synthesize(circuit, &d->cs);
    CZ_TRY_IN(cz_cs_status(&d->cs), "circuit %s", circuit->id);
    d->stats->inputs = d->cs.n_inputs;
    d->stats->aux = d->cs.n_aux;
    d->stats->constraints = d->cs.n_constraints;
    d->stats->dens_a_aux = cz_bits_count(&d->a_aux);
    d->stats->dens_b_input = cz_bits_count(&d->b_input);
    d->stats->dens_b_aux = cz_bits_count(&d->b_aux);
    return CZ_OK;
}

static void clear_bits(digest_cs *d)
{
    cz_bits_clear(&d->a_aux);
    cz_bits_clear(&d->b_input);
    cz_bits_clear(&d->b_aux);
}

cz_err cz_circuit_count(cz_circuit_stats *out, const cz_circuit *circuit)
{
    cz_circuit_stats stats = {0};
    digest_cs d = {.stats = &stats};
    cz_err err;

    cz_cs_init(&d.cs, &count_ops, false, true);
    err = synthesize(&d, circuit);
    clear_bits(&d);
    if (err == CZ_OK)
        *out = stats;
    return err;
}

static cz_err digest_all(digest_cs *d, const cz_circuit *circuit)
{
    uint8_t *p;

    CZ_TRY(cz_hash_stream_init(&d->stream, d->options->threads >= 2));
    d->coeffs = calloc(1, sizeof *d->coeffs);
    if (d->coeffs == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the coefficients of a digest");
    p = cz_hash_stream_room(&d->stream, sizeof magic - 1);
    memcpy(p, magic, sizeof magic - 1);
    cz_hash_stream_wrote(&d->stream, p + sizeof magic - 1);
    CZ_TRY(synthesize(d, circuit));
    hash_counts(d);
    cz_hash_stream_digest(&d->stream, d->stats->sha256);
    return CZ_OK;
}

cz_err cz_circuit_digest(cz_circuit_stats *out, const cz_circuit *circuit,
                         const cz_digest_options *options)
{
    cz_circuit_stats stats = {0};
    digest_cs d = {.stats = &stats,
                   .options = options,
                   .next_checkpoint = UINT64_MAX,
                   .next_progress = UINT64_MAX};
    cz_err err;

    if (options->every > 0 && options->checkpoint != NULL)
        d.next_checkpoint = options->every;
    if (options->progress != NULL)
        d.next_progress = PROGRESS_EVERY;
    cz_cs_init(&d.cs, &digest_ops, false, true);
    err = digest_all(&d, circuit);
    cz_hash_stream_clear(&d.stream);
    free(d.coeffs);
    clear_bits(&d);
    if (err == CZ_OK)
        *out = stats;
    return err;
}
