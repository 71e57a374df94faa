/* prove_run.h: one run of `prove`: what it opens, what it makes, and its two ways through the
 * partitions. For one thread, which may start others for a stage. */
#ifndef CZ_BENCH_PROVE_RUN_H
#define CZ_BENCH_PROVE_RUN_H

#include "args.h"
#include "device.h"
#include "filecoin/job.h"
#include "groth16/groth16.h"
#include "groth16/prove_memory.h"
#include "report.h"
#include "witness_ahead.h"

typedef struct {
    /* the command line */
    const char *request, *folder, *out, *backend, *path, *circuits, *trace_path, *witness, *folded;
    const char *records_path;
    bool timing;
    arg_list r_hex, s_hex;
    unsigned threads, vram_mib;
    bool json;
    /* what it opens */
    cz_pool *pool;
    cz_trace *trace;
    cz_job *job;
    cz_params params;
    bool params_open;
    cz_prover_key *key;
    cz_verifier *verifier;
    cz_compiled *compiled; /* the fast path only */
    bench_device device;
    witness_ahead ahead; /* with a device: of the next partitions */
    /* what it makes */
    size_t n_partitions;
    cz_fr *r, *s;   /* one a partition, or NULL: drawn from the operating system */
    uint8_t *proof; /* n_partitions x CZ_PROOF_BYTES */
    double seconds;
    uint64_t resident_before; /* when the first proof begins: request, parameters' head, circuit */
    cz_prove_memory memory;   /* of a partition; the fast path only */
    progress bar;
} prove_run;

/** Partition k: witness, proof, self-check; into p->proof. CZ_E_UNSATISFIED names the constraint
 * that the request violates. */
CZ_MUST_CHECK cz_err prove_on_cpu(prove_run *p, size_t k);

/** The same of partitions [first, first + n), on the device, while the next ones' witnesses are
 * made. */
CZ_MUST_CHECK cz_err prove_batch_on_device(prove_run *p, size_t first, size_t n);

/** How many partitions from `first` on the device proves in one batch. */
size_t prove_batch_at(const prove_run *p, size_t first);

/* --- for both of them, in prove_on_cpu.c --- */

void prove_show_stage(prove_run *p, size_t k, const char *stage);

/** The witness of partition k as bits, or what a device makes it from. The caller clears it. */
CZ_MUST_CHECK cz_err prove_make_bits(prove_run *p, size_t k, const cz_circuit *circuit,
                                     cz_bit_witness *w);

/** Into p->proof, and from there to the verifier. CZ_E_VERIFY. */
CZ_MUST_CHECK cz_err prove_write_and_verify(prove_run *p, size_t k, const cz_proof *proof);

/** Why a proof does not verify: an error with the reason, always. */
CZ_MUST_CHECK cz_err prove_explain_refusal(const prove_run *p, const cz_circuit *circuit);

#endif
