/* prove_compiled.c: see prove_compiled.h. */
#include "groth16/prove_compiled.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cs/compiled_eval.h"
#include "groth16/stages.h"
#include "ntt/quotient.h"

typedef struct {
    cz_proof_job job;
    cz_assignment view; /* what the stages see: parts of what follows */
    const cz_compiled *circuit;
    const cz_bit_witness *w;
    cz_densities densities;
} fast_job;

static cz_span begin_phase(const fast_job *f, cz_phase phase)
{
    return cz_trace_begin(f->job.trace, phase, f->job.options.partition);
}

/* ---- the view ---- */

static cz_err set_view(fast_job *f)
{
    const cz_bit_witness *w = f->w;
    uint64_t capacity = 1;

    CZ_TRY(cz_compiled_densities(&f->densities, f->circuit));
    f->view = (cz_assignment){.n_inputs = w->n_inputs,
                              .n_aux = w->n_aux,
                              .n_rows = cz_compiled_rows(f->circuit),
                              .inputs = w->inputs,
                              .aux = w->fields,
                              .dens_a_aux = f->densities.a_aux,
                              .dens_b_input = f->densities.b_input,
                              .dens_b_aux = f->densities.b_aux,
                              .blocks = f->job.options.pin == CZ_PIN_POOLED ? f->job.options.blocks
                                                                            : NULL};
    while (capacity < f->view.n_rows)
        capacity *= 2;
    f->view.row_capacity = capacity;
    f->job.aux_classes = cz_compiled_classes(f->circuit);
    return CZ_OK;
}

/* ---- rows ---- */

static cz_err take_two_vectors(fast_job *f)
{
    const size_t bytes = (size_t)f->view.row_capacity * sizeof(cz_fr);
    cz_fr *const rows[] = {cz_blocks_take(f->view.blocks, bytes),
                           cz_blocks_take(f->view.blocks, bytes)};

    f->view.a = rows[0];
    f->view.b = rows[1];
    if (rows[0] == NULL || rows[1] == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for two vectors of %lu rows",
                       (unsigned long)f->view.row_capacity);
    cz_stage_pin(&f->job, rows, 2);
    return CZ_OK;
}

/* Rows of a, b, c (NULL: not wanted), and zeros up to the domain's size. */
static cz_err evaluate(const fast_job *f, cz_fr *a, cz_fr *b, cz_fr *c)
{
    const cz_assignment *v = &f->view;
    const size_t pad = (size_t)(v->row_capacity - v->n_rows) * sizeof(cz_fr);
    cz_fr *const vectors[] = {a, b, c};
    cz_span span = begin_phase(f, CZ_PHASE_EVALUATE);
    cz_err err = cz_compiled_eval(f->circuit, f->w, f->job.pool, 0, v->n_rows, a, b, c);

    for (int i = 0; i < 3; i++)
        if (vectors[i] != NULL)
            memset(vectors[i] + v->n_rows, 0, pad);
    cz_trace_end(&span);
    return err;
}

/* ---- the quotient ---- */

static cz_err multiply_on_coset(fast_job *f)
{
    const cz_ntt_plan *plan = f->job.key->plan;
    cz_span span = begin_phase(f, CZ_PHASE_NTT_MSM_H);
    cz_err err;

    CZ_TRY_GOTO(err, cz_ntt_quotient_factor(plan, f->job.pool, f->view.a));
    CZ_TRY_GOTO(err, cz_ntt_quotient_factor(plan, f->job.pool, f->view.b));
    CZ_TRY_GOTO(err, cz_ntt_quotient_product(plan, f->job.pool, f->view.a, f->view.b, true));
done:
    cz_trace_end(&span);
    return err;
}

static cz_err subtract_c(fast_job *f, cz_fr *c)
{
    cz_span span = begin_phase(f, CZ_PHASE_NTT_MSM_H);
    cz_err err = cz_ntt_quotient_subtract(f->job.key->plan, f->job.pool, f->view.a, c, true);

    cz_trace_end(&span);
    return err;
}

/* h in view.a, as plain integers, with two vectors in all: c comes to where b was. */
static cz_err quotient(fast_job *f)
{
    CZ_TRY(take_two_vectors(f));
    CZ_TRY(evaluate(f, f->view.a, f->view.b, NULL));
    CZ_TRY(multiply_on_coset(f));
    CZ_TRY(evaluate(f, NULL, NULL, f->view.b));
    CZ_TRY(subtract_c(f, f->view.b));
    cz_stage_drop(&f->job, &f->view.b);
    return CZ_OK;
}

/* ---- the witness in two parts ---- */

/* Words [begin, end) of the planes: the bits are the witness's own, fields are looked at. */
static cz_err split_words(void *ctx, size_t begin, size_t end, unsigned worker)
{
    fast_job *f = ctx;
    const uint64_t *classes = cz_compiled_classes(f->circuit);
    const cz_fr *value =
        f->w->fields + cz_compiled_fields_before(f->circuit, (uint32_t)(64 * begin));

    (void)worker;
    for (size_t word = begin; word < end; word++) {
        uint64_t fields = ~classes[word], ones = f->w->bits[word], tail = 0;

        if (f->w->n_aux - 64 * word < 64)
            fields &= ((uint64_t)1 << (f->w->n_aux - 64 * word)) - 1;
        for (; fields != 0; fields &= fields - 1, value++) {
            if (cz_fr_is_one(value))
                ones |= fields & -fields;
            else if (!cz_fr_is_zero(value))
                tail |= fields & -fields;
        }
        f->job.aux.ones[word] = ones;
        f->job.aux.tail[word] = tail;
    }
    return CZ_OK;
}

static cz_err split_aux(fast_job *f)
{
    enum { WORDS_AT_ONCE = 1 << 12 };
    cz_split *s = &f->job.aux;

    s->n_words = (f->w->n_aux + (size_t)63) / 64;
    s->ones = calloc(s->n_words + 1, sizeof *s->ones);
    s->tail = calloc(s->n_words + 1, sizeof *s->tail);
    if (s->ones == NULL || s->tail == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to split %u values", f->w->n_aux);
    return cz_parallel_for(f->job.pool, s->n_words, WORDS_AT_ONCE, split_words, f);
}

static cz_err split(fast_job *f)
{
    cz_span span = begin_phase(f, CZ_PHASE_PREP_MSM);
    cz_err err = cz_split_make(&f->job.inputs, f->w->inputs, f->w->n_inputs, f->job.pool);

    if (err == CZ_OK)
        err = split_aux(f);
    cz_trace_end(&span);
    return err;
}

/* ---- the stages ---- */

static cz_err prepare(fast_job *f)
{
    cz_span span = begin_phase(f, CZ_PHASE_PREP_MSM);
    cz_err err = set_view(f);

    if (err == CZ_OK)
        err = cz_stage_check(&f->job);
    cz_trace_end(&span);
    return err;
}

static cz_err run_stages(fast_job *f)
{
    CZ_TRY(prepare(f));
    CZ_TRY(quotient(f));
    CZ_TRY(cz_stage_h(&f->job));
    cz_stage_drop(&f->job, &f->view.a);
    CZ_TRY(split(f));
    CZ_TRY(cz_stage_l(&f->job));
    CZ_TRY(cz_stage_a(&f->job));
    CZ_TRY(cz_stage_b1(&f->job));
    return cz_stage_b2(&f->job);
}

static void release(fast_job *f)
{
    cz_stage_drop(&f->job, &f->view.a);
    cz_stage_drop(&f->job, &f->view.b);
    cz_split_clear(&f->job.inputs);
    cz_split_clear(&f->job.aux);
    cz_densities_clear(&f->densities);
    cz_secure_zero(f, sizeof *f);
}

static cz_err check_witness(const cz_compiled *c, const cz_bit_witness *w)
{
    const cz_circuit_stats stats = cz_compiled_stats(c);

    if (w->n_inputs != stats.inputs || w->n_aux != stats.aux ||
        w->n_fields != cz_compiled_measure(c).n_fields)
        return cz_fail(CZ_E_ARG, "the witness is not one of %s", cz_compiled_id(c));
    return CZ_OK;
}

cz_err cz_groth16_prove_compiled(cz_proof *out, const cz_prover_key *key,
                                 const cz_compiled *circuit, const cz_bit_witness *w,
                                 const cz_fr *r, const cz_fr *s, cz_pool *pool, cz_trace *trace)
{
    return cz_groth16_prove_compiled_with(out, key, circuit, w, r, s, pool, trace, NULL);
}

cz_err cz_groth16_prove_compiled_with(cz_proof *out, const cz_prover_key *key,
                                      const cz_compiled *circuit, const cz_bit_witness *w,
                                      const cz_fr *r, const cz_fr *s, cz_pool *pool,
                                      cz_trace *trace, const cz_prove_options *options)
{
    fast_job f = {.job = {.key = key, .pool = pool, .trace = trace}, .circuit = circuit, .w = w};
    cz_err err;

    f.job.w = &f.view;
    if (options != NULL)
        f.job.options = *options;
    CZ_TRY(cz_bit_witness_has_values(w));
    CZ_TRY(check_witness(circuit, w));
    err = run_stages(&f);
    if (err == CZ_OK)
        cz_stage_assemble(out, &f.job, r, s);
    release(&f);
    return err;
}

cz_err cz_groth16_prove_compiled_blinded(cz_proof *out, const cz_prover_key *key,
                                         const cz_compiled *circuit, const cz_bit_witness *w,
                                         cz_pool *pool, cz_trace *trace)
{
    cz_fr r, s;
    cz_err err;

    CZ_TRY(cz_fr_random(&r));
    err = cz_fr_random(&s);
    if (err == CZ_OK)
        err = cz_groth16_prove_compiled(out, key, circuit, w, &r, &s, pool, trace);
    cz_secure_zero(&r, sizeof r);
    cz_secure_zero(&s, sizeof s);
    return err;
}
