/* experiment.c: see experiment.h. */
#include "groth16/experiment.h"

#include "cs/bit_witness.h"
#include "groth16/prove_compiled.h"

enum { PLENTY_BITS = 16 };

cz_experiment cz_experiment_defaults(void)
{
    return (cz_experiment){.inline_terms = CZ_LC_INLINE_TERMS, .window_bits = PLENTY_BITS};
}

void cz_experiment_set_process(const cz_experiment *x)
{
    cz_lc_set_inline_terms(x->inline_terms);
    cz_msm_set_window(x->window, x->window_bits);
}

cz_err cz_experiment_open(cz_experiment_prover *out, const cz_experiment *switches,
                          const cz_prover_key *key, const cz_compiled *compiled, cz_pool *pool)
{
    cz_blocks *blocks = NULL;

    if (switches->pin == CZ_PIN_POOLED)
        CZ_TRY(cz_blocks_create(&blocks));
    cz_experiment_set_process(switches);
    *out = (cz_experiment_prover){*switches, key, compiled, pool, blocks};
    return CZ_OK;
}

void cz_experiment_close(cz_experiment_prover *p)
{
    const cz_experiment defaults = cz_experiment_defaults();

    cz_blocks_destroy(p->blocks);
    cz_experiment_set_process(&defaults);
    *p = (cz_experiment_prover){.key = NULL};
}

static cz_prove_options prove_options(const cz_experiment_prover *p, unsigned partition)
{
    return (cz_prove_options){.pin = p->switches.pin,
                              .blocks = p->blocks,
                              .b2_serial = p->switches.b2_serial,
                              .partition = partition};
}

cz_err cz_experiment_assign(cz_assignment *out, const cz_experiment *x, const cz_compiled *compiled,
                            const cz_circuit *circuit, cz_blocks *blocks)
{
    const cz_circuit_stats stats = cz_compiled_stats(compiled);
    cz_assignment_options options = {.blocks = blocks};

    if (x->presize != CZ_PRESIZE_OFF) {
        options.rows = stats.constraints + stats.inputs;
        options.aux = stats.aux;
        options.touch = x->presize != CZ_PRESIZE_PER_CIRCUIT;
        options.in_turn = x->presize == CZ_PRESIZE_SEQUENTIAL;
    }
    return cz_assignment_synthesize_with(out, circuit, &options);
}

static cz_err prove_classic(cz_proof *out, const cz_experiment_prover *p, const cz_circuit *circuit,
                            const cz_fr *r, const cz_fr *s, unsigned partition, cz_trace *trace)
{
    const cz_prove_options options = prove_options(p, partition);
    cz_span span = cz_trace_begin(trace, CZ_PHASE_WITNESS, partition);
    cz_assignment w;
    cz_err err = cz_experiment_assign(&w, &p->switches, p->compiled, circuit, p->blocks);

    cz_trace_end(&span);
    CZ_TRY(err);
    err = cz_groth16_prove_with(out, p->key, &w, r, s, p->pool, trace, &options);
    span = cz_trace_begin(trace, CZ_PHASE_UNPIN, partition);
    cz_assignment_clear(&w);
    cz_trace_end(&span);
    return err;
}

static cz_err prove_compiled(cz_proof *out, const cz_experiment_prover *p,
                             const cz_circuit *circuit, const cz_fr *r, const cz_fr *s,
                             unsigned partition, cz_trace *trace)
{
    const cz_prove_options options = prove_options(p, partition);
    cz_span span = cz_trace_begin(trace, CZ_PHASE_WITNESS, partition);
    cz_bit_witness w;
    cz_err err = cz_bit_witness_synthesize_pool(&w, p->compiled, circuit, p->pool);

    cz_trace_end(&span);
    CZ_TRY(err);
    err = cz_groth16_prove_compiled_with(out, p->key, p->compiled, &w, r, s, p->pool, trace,
                                         &options);
    span = cz_trace_begin(trace, CZ_PHASE_UNPIN, partition);
    cz_bit_witness_clear(&w);
    cz_trace_end(&span);
    return err;
}

void cz_experiment_waste(const cz_experiment *x, uint64_t start_ns, cz_trace *trace)
{
    const uint64_t now = cz_clock_ns(), end = now + (now - start_ns) * x->slow_down_percent / 100;
    cz_span span;

    if (x->slow_down_percent == 0)
        return;
    span = cz_trace_begin(trace, CZ_PHASE_ASSEMBLE, 0);
    while (cz_clock_ns() < end) {
    }
    cz_trace_end(&span);
}

cz_err cz_experiment_prove(cz_proof *out, const cz_experiment_prover *p, const cz_circuit *circuit,
                           const cz_fr *r, const cz_fr *s, unsigned partition, cz_trace *trace)
{
    const uint64_t start = cz_clock_ns();

    if (p->switches.classic)
        CZ_TRY(prove_classic(out, p, circuit, r, s, partition, trace));
    else
        CZ_TRY(prove_compiled(out, p, circuit, r, s, partition, trace));
    cz_experiment_waste(&p->switches, start, trace);
    return CZ_OK;
}
