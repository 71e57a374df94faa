/* prove_compiled.c: see prove_compiled.h. */
#define _GNU_SOURCE
#include "groth16/prove_compiled.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "cs/compiled_eval.h"
#include "groth16/stages.h"

typedef struct {
    cz_proof_job job;
    cz_assignment view; /* what the stages see: parts of what follows */
    const cz_compiled *circuit;
    const cz_bit_witness *w;
    cz_densities densities;
    cz_fr
        *values; /* at every aux variable of class field, its value; pages without are not there */
} fast_job;

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
                              .dens_a_aux = f->densities.a_aux,
                              .dens_b_input = f->densities.b_input,
                              .dens_b_aux = f->densities.b_aux};
    while (capacity < f->view.n_rows)
        capacity *= 2;
    f->view.row_capacity = capacity;
    return CZ_OK;
}

/* ---- rows ---- */

/* A vector of the domain, in huge pages where it is large; NULL: no memory. */
static cz_fr *take_rows(uint64_t n)
{
    enum { HUGE_PAGE = 2 << 20 };
    const size_t bytes = (size_t)n * sizeof(cz_fr);
    void *rows;

    if (bytes < HUGE_PAGE)
        return malloc(bytes);
    rows = aligned_alloc(HUGE_PAGE, bytes); /* both are powers of two */
    if (rows != NULL)
        (void)madvise(rows, bytes, MADV_HUGEPAGE);
    return rows;
}

static cz_err evaluate(fast_job *f)
{
    cz_assignment *v = &f->view;
    const size_t pad = (size_t)(v->row_capacity - v->n_rows) * sizeof(cz_fr);
    cz_span span = cz_trace_begin(f->job.trace, CZ_PHASE_EVALUATE, 0);
    cz_err err;

    v->a = take_rows(v->row_capacity);
    v->b = take_rows(v->row_capacity);
    v->c = take_rows(v->row_capacity);
    if (v->a == NULL || v->b == NULL || v->c == NULL)
        err = cz_fail(CZ_E_NOMEM, "no memory for %lu rows", (unsigned long)v->row_capacity);
    else
        err = cz_compiled_eval(f->circuit, f->w, f->job.pool, 0, v->n_rows, v->a, v->b, v->c);
    if (err == CZ_OK) {
        memset(v->a + v->n_rows, 0, pad);
        memset(v->b + v->n_rows, 0, pad);
        memset(v->c + v->n_rows, 0, pad);
    }
    cz_trace_end(&span);
    return err;
}

/* ---- the witness in two parts ---- */

/* Calls `visit` for every variable of class field. */
static void visit_fields(const fast_job *f, void (*visit)(const fast_job *f, uint32_t k, cz_fr *v))
{
    const uint64_t *classes = cz_compiled_classes(f->circuit);
    cz_fr *value = f->w->fields;

    for (uint32_t first = 0; first < f->w->n_aux; first += 64) {
        uint64_t fields = ~classes[first / 64];

        if (f->w->n_aux - first < 64)
            fields &= ((uint64_t)1 << (f->w->n_aux - first)) - 1;
        for (; fields != 0; fields &= fields - 1)
            visit(f, first + (uint32_t)__builtin_ctzll(fields), value++);
    }
}

static void place_value(const fast_job *f, uint32_t k, cz_fr *v)
{
    const uint64_t mask = (uint64_t)1 << (k % 64);

    if (cz_fr_is_zero(v))
        return;
    if (cz_fr_is_one(v)) {
        f->job.aux.ones[k / 64] |= mask;
        return;
    }
    f->job.aux.tail[k / 64] |= mask;
    f->values[k] = *v;
}

static void erase_value(const fast_job *f, uint32_t k, cz_fr *v)
{
    if (!cz_fr_is_zero(v) && !cz_fr_is_one(v))
        f->values[k] = CZ_FR_ZERO;
}

static size_t value_bytes(const fast_job *f)
{
    return (f->w->n_aux + (size_t)1) * sizeof *f->values;
}

static cz_err map_values(fast_job *f)
{
    void *p = mmap(NULL, value_bytes(f), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        return cz_fail(CZ_E_NOMEM, "no address space for %u values", f->w->n_aux);
    f->values = p;
    f->view.aux = f->values;
    return CZ_OK;
}

static cz_err split_aux(fast_job *f)
{
    cz_split *s = &f->job.aux;

    CZ_TRY(map_values(f));
    s->n_words = (f->w->n_aux + (size_t)63) / 64;
    s->ones = calloc(s->n_words + 1, sizeof *s->ones);
    s->tail = calloc(s->n_words + 1, sizeof *s->tail);
    if (s->ones == NULL || s->tail == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to split %u values", f->w->n_aux);
    memcpy(s->ones, f->w->bits, s->n_words * sizeof *s->ones);
    visit_fields(f, place_value);
    return CZ_OK;
}

static cz_err split(fast_job *f)
{
    cz_span span = cz_trace_begin(f->job.trace, CZ_PHASE_PREP_MSM, 0);
    cz_err err = cz_split_make(&f->job.inputs, f->w->inputs, f->w->n_inputs, f->job.pool);

    if (err == CZ_OK)
        err = split_aux(f);
    cz_trace_end(&span);
    return err;
}

/* ---- the stages ---- */

static cz_err run_stages(fast_job *f)
{
    CZ_TRY(set_view(f));
    CZ_TRY(cz_stage_check(&f->job));
    CZ_TRY(evaluate(f));
    CZ_TRY(cz_stage_quotient(&f->job));
    CZ_TRY(cz_stage_h(&f->job));
    free(f->view.a); /* erased by the last stage */
    f->view.a = NULL;
    CZ_TRY(split(f));
    CZ_TRY(cz_stage_l(&f->job));
    CZ_TRY(cz_stage_a(&f->job));
    CZ_TRY(cz_stage_b1(&f->job));
    return cz_stage_b2(&f->job);
}

static void erase_rows(cz_fr *rows, uint64_t n)
{
    if (rows != NULL)
        cz_secure_zero(rows, n * sizeof *rows);
    free(rows);
}

static void release(fast_job *f)
{
    erase_rows(f->view.a, f->view.row_capacity);
    erase_rows(f->view.b, f->view.row_capacity);
    erase_rows(f->view.c, f->view.row_capacity);
    if (f->values != NULL) {
        visit_fields(f, erase_value);
        (void)munmap(f->values, value_bytes(f));
    }
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
    fast_job f = {.job = {.key = key, .pool = pool, .trace = trace}, .circuit = circuit, .w = w};
    cz_err err;

    f.job.w = &f.view;
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
