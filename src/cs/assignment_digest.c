/* assignment_digest.c: see assignment_digest.h. */
#include "cs/assignment_digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cs/bits.h"
#include "cs/compiled_eval.h"
#include "cs/hash_stream.h"
#include "cs/values.h"

/* ---- streams ---- */

static void put(cz_hash_stream *s, const cz_fr *value)
{
    uint8_t *at = cz_hash_stream_room(s, 32);

    cz_fr_to_le(at, value);
    cz_hash_stream_wrote(s, at + 32);
}

/* The planes' words up to n bits; bits from n on are zero. */
static void put_plane(cz_sha256 *sha, const uint64_t *words, uint64_t n)
{
    cz_sha256_update(sha, (const uint8_t *)(const void *)words,
                     (size_t)((n + 63) / 64) * sizeof *words);
}

static void digest_densities(uint8_t out[32], const uint64_t *a_aux, const uint64_t *b_input,
                             const uint64_t *b_aux, uint64_t inputs, uint64_t aux)
{
    cz_sha256 sha;

    cz_sha256_init(&sha);
    put_plane(&sha, a_aux, aux);
    put_plane(&sha, b_input, inputs);
    put_plane(&sha, b_aux, aux);
    cz_sha256_final(&sha, out);
}

enum { MATRICES = 3 };

typedef struct {
    cz_hash_stream rows[MATRICES];
    cz_hash_stream witness;
} streams;

static cz_err open_streams(streams *s)
{
    for (int m = 0; m < MATRICES; m++)
        CZ_TRY(cz_hash_stream_init(&s->rows[m], true));
    return cz_hash_stream_init(&s->witness, false);
}

static void close_streams(streams *s)
{
    for (int m = 0; m < MATRICES; m++)
        cz_hash_stream_clear(&s->rows[m]);
    cz_hash_stream_clear(&s->witness);
}

static void take_digests(cz_assignment_digest *out, streams *s)
{
    cz_hash_stream_digest(&s->rows[0], out->a);
    cz_hash_stream_digest(&s->rows[1], out->b);
    cz_hash_stream_digest(&s->rows[2], out->c);
    cz_hash_stream_digest(&s->witness, out->witness);
}

/* ---- the classic path ---- */

typedef struct {
    cz_cs cs; /* first: modes embed it */
    cz_values inputs, aux;
    cz_bits a_aux, b_input, b_aux;
    streams out;
} digest_cs;

static void digest_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    digest_cs *s = (digest_cs *)cs;
    uint64_t n = (uint64_t)cs->n_aux + 1;

    (void)name;
    cz_values_push(&s->aux, cs, value);
    cz_bits_ensure(&s->a_aux, cs, n);
    cz_bits_ensure(&s->b_aux, cs, n);
}

static void digest_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    digest_cs *s = (digest_cs *)cs;

    (void)name;
    cz_values_push(&s->inputs, cs, value);
    cz_bits_ensure(&s->b_input, cs, (uint64_t)cs->n_inputs + 1);
}

/* `inputs` may be NULL: not marked. */
static void mark(cz_bits *aux, cz_bits *inputs, const cz_lc *lc)
{
    for (uint32_t i = 0; i < lc->n; i++) {
        const cz_var v = lc->terms[i].var;

        if (cz_var_is_aux(v))
            cz_bits_set(aux, cz_var_index(v));
        else if (inputs != NULL)
            cz_bits_set(inputs, cz_var_index(v));
    }
}

static void digest_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    digest_cs *s = (digest_cs *)cs;
    const cz_lc *const row[MATRICES] = {a, b, c};

    (void)name;
    for (int m = 0; m < MATRICES; m++) {
        cz_fr value;

        cz_lc_eval(&value, row[m], s->inputs.v, s->aux.v);
        put(&s->out.rows[m], &value);
    }
    mark(&s->a_aux, NULL, a);
    mark(&s->b_aux, &s->b_input, b);
}

static const cz_cs_ops digest_ops = {digest_alloc, digest_alloc_input, digest_enforce};

static void put_input_rows(digest_cs *s)
{
    const cz_fr zero = CZ_FR_ZERO;

    for (size_t i = 0; i < s->inputs.n; i++) {
        put(&s->out.rows[0], &s->inputs.v[i]);
        put(&s->out.rows[1], &zero);
        put(&s->out.rows[2], &zero);
    }
}

static cz_err run_classic(cz_assignment_digest *out, digest_cs *s, const cz_circuit *circuit)
{
    const cz_fr one = CZ_FR_ONE;

    CZ_TRY(open_streams(&s->out));
    cz_values_push(&s->inputs, &s->cs, &one);
    cz_bits_ensure(&s->a_aux, &s->cs, 1);
    cz_bits_ensure(&s->b_input, &s->cs, 1);
    cz_bits_ensure(&s->b_aux, &s->cs, 1);
    if (cz_cs_status(&s->cs) == CZ_OK)
        circuit->synthesize(circuit, &s->cs);
    CZ_TRY_IN(cz_cs_status(&s->cs), "circuit %s", circuit->id);
    put_input_rows(s);
    for (size_t i = 0; i < s->inputs.n; i++)
        put(&s->out.witness, &s->inputs.v[i]);
    for (size_t i = 0; i < s->aux.n; i++)
        put(&s->out.witness, &s->aux.v[i]);
    out->n_rows = s->cs.n_constraints + s->cs.n_inputs;
    out->inputs = s->cs.n_inputs;
    out->aux = s->cs.n_aux;
    digest_densities(out->densities, s->a_aux.words, s->b_input.words, s->b_aux.words, out->inputs,
                     out->aux);
    take_digests(out, &s->out);
    return CZ_OK;
}

cz_err cz_assignment_digest_classic(cz_assignment_digest *out, const cz_circuit *circuit)
{
    digest_cs s = {.inputs = {0}};
    cz_assignment_digest digest = {0};
    cz_err err;

    cz_cs_init(&s.cs, &digest_ops, true, true);
    err = run_classic(&digest, &s, circuit);
    cz_values_clear(&s.inputs);
    cz_values_clear(&s.aux);
    cz_bits_clear(&s.a_aux);
    cz_bits_clear(&s.b_input);
    cz_bits_clear(&s.b_aux);
    close_streams(&s.out);
    if (err == CZ_OK)
        *out = digest;
    return err;
}

/* ---- the compiled form ---- */

enum { SLICE = 1 << 18 };

static cz_err put_rows(streams *s, const cz_compiled *c, const cz_bit_witness *w, cz_pool *pool,
                       cz_fr *rows)
{
    const uint64_t n_rows = cz_compiled_rows(c);

    for (uint64_t first = 0; first < n_rows; first += SLICE) {
        const size_t n = n_rows - first < SLICE ? (size_t)(n_rows - first) : SLICE;

        CZ_TRY(cz_compiled_eval(c, w, pool, first, n, rows, rows + SLICE, rows + 2 * SLICE));
        for (size_t i = 0; i < n; i++)
            for (size_t m = 0; m < MATRICES; m++)
                put(&s->rows[m], &rows[m * SLICE + i]);
    }
    return CZ_OK;
}

static void put_witness(streams *s, const cz_compiled *c, const cz_bit_witness *w)
{
    for (uint32_t i = 0; i < w->n_inputs; i++)
        put(&s->witness, &w->inputs[i]);
    for (uint32_t k = 0; k < w->n_aux; k++) {
        cz_fr value;

        cz_bit_witness_aux(&value, w, c, k);
        put(&s->witness, &value);
    }
}

static cz_err run_compiled(cz_assignment_digest *out, streams *s, const cz_compiled *c,
                           const cz_bit_witness *w, cz_pool *pool)
{
    cz_fr *rows = malloc(MATRICES * (size_t)SLICE * sizeof *rows);
    cz_densities d;
    cz_err err;

    if (rows == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a slice of rows");
    err = put_rows(s, c, w, pool, rows);
    cz_secure_zero(rows, MATRICES * (size_t)SLICE * sizeof *rows);
    free(rows);
    CZ_TRY(err);
    CZ_TRY(cz_compiled_densities(&d, c));
    put_witness(s, c, w);
    out->n_rows = cz_compiled_rows(c);
    out->inputs = w->n_inputs;
    out->aux = w->n_aux;
    digest_densities(out->densities, d.a_aux, d.b_input, d.b_aux, out->inputs, out->aux);
    cz_densities_clear(&d);
    take_digests(out, s);
    return CZ_OK;
}

cz_err cz_assignment_digest_compiled(cz_assignment_digest *out, const cz_compiled *c,
                                     const cz_bit_witness *w, cz_pool *pool)
{
    cz_assignment_digest digest = {0};
    streams s = {.witness = {0}};
    cz_err err;

    CZ_TRY_GOTO(err, open_streams(&s));
    CZ_TRY_GOTO(err, run_compiled(&digest, &s, c, w, pool));
    *out = digest;
done:
    close_streams(&s);
    return err;
}

/* ---- comparison ---- */

const char *cz_assignment_digest_differs(const cz_assignment_digest *x,
                                         const cz_assignment_digest *y)
{
    if (x->n_rows != y->n_rows || x->inputs != y->inputs || x->aux != y->aux)
        return "sizes";
    if (memcmp(x->a, y->a, 32) != 0)
        return "a";
    if (memcmp(x->b, y->b, 32) != 0)
        return "b";
    if (memcmp(x->c, y->c, 32) != 0)
        return "c";
    if (memcmp(x->witness, y->witness, 32) != 0)
        return "witness";
    return memcmp(x->densities, y->densities, 32) != 0 ? "densities" : NULL;
}
