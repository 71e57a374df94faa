/* assignment_digest.c: see assignment_digest.h. */
#include "cs/assignment_digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cs/classic.h"
#include "cs/compiled_eval.h"
#include "cs/hash_stream.h"

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
    cz_classic vars; /* first: modes embed it */
    streams out;
} digest_cs;

static void digest_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    digest_cs *s = (digest_cs *)cs;
    cz_fr row[MATRICES];

    (void)name;
    cz_classic_row(&s->vars, row, a, b, c);
    for (int m = 0; m < MATRICES; m++)
        put(&s->out.rows[m], &row[m]);
}

static const cz_cs_ops digest_ops = {cz_classic_alloc, cz_classic_alloc_input, digest_enforce};

static void put_input_rows(digest_cs *s)
{
    const cz_fr zero = CZ_FR_ZERO;

    for (size_t i = 0; i < s->vars.inputs.n; i++) {
        put(&s->out.rows[0], &s->vars.inputs.v[i]);
        put(&s->out.rows[1], &zero);
        put(&s->out.rows[2], &zero);
    }
}

static cz_err run_classic(cz_assignment_digest *out, digest_cs *s, const cz_circuit *circuit)
{
    CZ_TRY(open_streams(&s->out));
    cz_classic_begin(&s->vars);
    if (cz_cs_status(&s->vars.cs) == CZ_OK)
        circuit->synthesize(circuit, &s->vars.cs);
    CZ_TRY_IN(cz_cs_status(&s->vars.cs), "circuit %s", circuit->id);
    put_input_rows(s);
    for (size_t i = 0; i < s->vars.inputs.n; i++)
        put(&s->out.witness, &s->vars.inputs.v[i]);
    for (size_t i = 0; i < s->vars.aux.n; i++)
        put(&s->out.witness, &s->vars.aux.v[i]);
    out->n_rows = s->vars.cs.n_constraints + s->vars.cs.n_inputs;
    out->inputs = s->vars.cs.n_inputs;
    out->aux = s->vars.cs.n_aux;
    digest_densities(out->densities, s->vars.a_aux.words, s->vars.b_input.words,
                     s->vars.b_aux.words, out->inputs, out->aux);
    take_digests(out, &s->out);
    return CZ_OK;
}

cz_err cz_assignment_digest_classic(cz_assignment_digest *out, const cz_circuit *circuit)
{
    digest_cs s = {.out = {.witness = {0}}};
    cz_assignment_digest digest = {0};
    cz_err err;

    cz_cs_init(&s.vars.cs, &digest_ops, true, true);
    err = run_classic(&digest, &s, circuit);
    cz_classic_clear(&s.vars);
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
