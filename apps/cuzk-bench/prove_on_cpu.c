/* prove_on_cpu.c: a partition by the CPU, on the fast path or the classic one. See prove_run.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cs/satisfied.h"
#include "groth16/prove_compiled.h"
#include "prove_run.h"

void prove_show_stage(prove_run *p, size_t k, const char *stage)
{
    char line[64];

    (void)snprintf(line, sizeof line, "partition %zu of %zu: %s", k + 1, p->n_partitions, stage);
    progress_show(&p->bar, line, 0, 0);
}

static cz_err synthesize_classic(prove_run *p, size_t k, const cz_circuit *circuit,
                                 cz_assignment *w)
{
    cz_span span = cz_trace_begin(p->trace, CZ_PHASE_WITNESS, (unsigned)k);
    cz_err err = cz_assignment_synthesize(w, circuit);

    cz_trace_end(&span);
    return err;
}

static cz_err prove_classic(prove_run *p, size_t k, const cz_circuit *circuit, cz_proof *proof)
{
    cz_assignment w;
    cz_err err;

    CZ_TRY(synthesize_classic(p, k, circuit, &w));
    prove_show_stage(p, k, "proof");
    if (p->r != NULL)
        err = cz_groth16_prove(proof, p->key, &w, &p->r[k], &p->s[k], p->pool, p->trace);
    else
        err = cz_groth16_prove_blinded(proof, p->key, &w, p->pool, p->trace);
    cz_assignment_clear(&w);
    return err;
}

/* Left to the device, where that pays. */
static cz_err make_witness(prove_run *p, size_t k, const cz_circuit *circuit, cz_bit_witness *w)
{
    cz_witness_source *source = NULL;

    if (p->device.gpu != NULL && strcmp(p->witness, "auto") == 0)
        CZ_TRY(cz_job_witness_source(p->job, k, p->compiled, &source));
    if (source == NULL)
        return cz_bit_witness_synthesize_pool(w, p->compiled, circuit, p->pool);
    cz_bit_witness_from_source(w, source);
    return CZ_OK;
}

cz_err prove_make_bits(prove_run *p, size_t k, const cz_circuit *circuit, cz_bit_witness *w)
{
    cz_span span = cz_trace_begin(p->trace, CZ_PHASE_WITNESS, (unsigned)k);
    cz_err err = make_witness(p, k, circuit, w);

    cz_trace_end(&span);
    return err;
}

static cz_err prove_fast(prove_run *p, size_t k, const cz_circuit *circuit, cz_proof *proof)
{
    cz_bit_witness w;
    cz_err err;

    CZ_TRY(prove_make_bits(p, k, circuit, &w));
    prove_show_stage(p, k, "proof");
    if (p->r != NULL)
        err = cz_groth16_prove_compiled(proof, p->key, p->compiled, &w, &p->r[k], &p->s[k], p->pool,
                                        p->trace);
    else
        err = cz_groth16_prove_compiled_blinded(proof, p->key, p->compiled, &w, p->pool, p->trace);
    cz_bit_witness_clear(&w);
    return err;
}

static cz_err compute_proof(prove_run *p, size_t k, const cz_circuit *circuit, cz_proof *proof)
{
    prove_show_stage(p, k, "witness");
    if (p->compiled != NULL)
        return prove_fast(p, k, circuit, proof);
    return prove_classic(p, k, circuit, proof);
}

/* The verifier gets the public inputs that follow from the request, not those of the assignment,
 * and the bytes that will be written, not the points in memory. */
static cz_err verify_written(prove_run *p, size_t k)
{
    cz_span span = cz_trace_begin(p->trace, CZ_PHASE_VERIFY, (unsigned)k);
    cz_fr *inputs;
    size_t n_inputs;
    cz_proof proof;
    cz_err err;

    CZ_TRY(cz_job_public_inputs(p->job, k, &inputs, &n_inputs));
    err = cz_proof_read(&proof, p->proof + k * CZ_PROOF_BYTES);
    if (err == CZ_OK)
        err = cz_groth16_verify(p->verifier, &proof, inputs, n_inputs);
    free(inputs);
    cz_trace_end(&span);
    return err;
}

/* A proof that does not verify has a reason; the usual one is a witness that fits no circuit. */
cz_err prove_explain_refusal(const prove_run *p, const cz_circuit *circuit)
{
    cz_witness_report report;
    cz_err err;

    CZ_TRY(cz_circuit_check(&report, circuit));
    if (report.satisfied)
        err =
            cz_fail(CZ_E_VERIFY,
                    "the proof does not verify although the witness satisfies the circuit: wrong "
                    "parameters%s?",
                    bench_device_folded(&p->device) ? ", or a folded file that is not theirs" : "");
    else
        err = cz_fail(CZ_E_UNSATISFIED,
                      "the request's witness violates constraint %llu (%s), so no proof of it can "
                      "verify",
                      (unsigned long long)report.first_failing, report.failing_path);
    cz_witness_report_clear(&report);
    return err;
}

cz_err prove_write_and_verify(prove_run *p, size_t k, const cz_proof *proof)
{
    cz_proof_write(p->proof + k * CZ_PROOF_BYTES, proof);
    prove_show_stage(p, k, "verification");
    return verify_written(p, k);
}

static cz_err prove_circuit(prove_run *p, size_t k, const cz_circuit *circuit)
{
    cz_proof proof;
    cz_err err;

    CZ_TRY(compute_proof(p, k, circuit, &proof));
    err = prove_write_and_verify(p, k, &proof);
    return err == CZ_E_VERIFY ? prove_explain_refusal(p, circuit) : err;
}

cz_err prove_on_cpu(prove_run *p, size_t k)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(p->job, k, &circuit));
    err = prove_circuit(p, k, circuit);
    cz_circuit_destroy(circuit);
    return err;
}
