/* device_case.h: a circuit with parameters of its own and all that its proofs on a device need. On
 * the host's stand-in by default, on a device with CUZK_TEST_CUDA. Include with _GNU_SOURCE. */
#ifndef CZ_TESTS_DEVICE_CASE_H
#define CZ_TESTS_DEVICE_CASE_H

#include "host_prover.h"
#include "toy_key.h"

#include "cs/compile.h"
#include "groth16/prove_compiled.h"
#include "groth16/prove_device.h"

typedef struct {
    cz_gpu *gpu;
    cz_params params;
    cz_prover_key *host_key;
    cz_compiled *compiled;
    cz_bit_witness w;
    char path[256];   /* of the parameters */
    cz_folded folded; /* where they were made with one */
} prover;

static inline void open_folded(prover *p)
{
    char *path = cz_folded_path(p->path);

    assert_non_null(path);
    assert_ok(cz_folded_open(&p->folded, path, &p->params, cz_compiled_id(p->compiled)));
    free(path);
}

static inline void prover_begin_with(prover *p, const cz_circuit *circuit, const char *name,
                                     uint64_t budget, bool folded)
{
    const cz_setup_options options = {.folded = folded};
    const cz_toxic_waste waste = {toy_key_random(), toy_key_random(), toy_key_random(),
                                  toy_key_random(), toy_key_random()};

    (void)snprintf(p->path, sizeof p->path, "%s", scratch_path(name));
    host_prover_use();
    p->gpu = host_gpu_open(budget);
    assert_ok(cz_params_setup_with(circuit, &waste, p->path, scratch_path("any.vk"), &options));
    assert_ok(cz_params_open(&p->params, p->path));
    assert_ok(cz_prover_key_load(&p->host_key, &p->params, NULL, NULL));
    assert_ok(cz_circuit_compile(&p->compiled, circuit, NULL));
    assert_ok(cz_bit_witness_synthesize(&p->w, p->compiled, circuit));
    p->folded = (cz_folded){.log_n = 0};
    if (folded)
        open_folded(p);
}

static inline void prover_begin(prover *p, const cz_circuit *circuit, const char *name,
                                uint64_t budget)
{
    prover_begin_with(p, circuit, name, budget, false);
}

static inline void prover_end(prover *p)
{
    cz_folded_close(&p->folded);
    cz_bit_witness_clear(&p->w);
    cz_compiled_destroy(p->compiled);
    cz_prover_key_destroy(p->host_key);
    cz_params_close(&p->params);
    cz_gpu_close(p->gpu);
}

/* What the CPU proves. */
static inline void prove_on_host(uint8_t out[CZ_PROOF_BYTES], const prover *p,
                                 const cz_bit_witness *w, const cz_fr *r, const cz_fr *s)
{
    cz_proof proof;

    assert_ok(cz_groth16_prove_compiled(&proof, p->host_key, p->compiled, w, r, s, NULL, NULL));
    cz_proof_write(out, &proof);
}

#endif
