/* experiment_device.h: the laboratory's prover on a CUDA device.
 *
 * The switch is B1, how the witness comes into memory that the device reads fast: `off`, straight
 * from where it was made, pageable memory; `per_proof`, through a page-locked buffer that is taken
 * and given back every time; `pooled`, through one that stays after the first proof. What the first
 * proof pays and the later ones do not is the story that the laboratory comes from.
 *
 * The bytes are those of cz_experiment_prove. Threads: as the cz_gpu. */
#ifndef CZ_GROTH16_EXPERIMENT_DEVICE_H
#define CZ_GROTH16_EXPERIMENT_DEVICE_H

#include "groth16/experiment.h"
#include "groth16/prove_device.h"

/* Filled by cz_experiment_device_open; params, circuit and pool stay the caller's. */
typedef struct {
    cz_experiment switches;
    cz_gpu *gpu;
    cz_device_key *key;
    const cz_compiled *circuit;
    cz_pool *pool;
    void *buffer; /* page-locked, or NULL */
    size_t buffer_bytes;
} cz_experiment_device;

typedef struct {
    unsigned number;         /* of the device */
    uint64_t vram_budget;    /* 0: as cz_gpu_open says */
    const cz_folded *folded; /* NULL: none; must live as long as the device */
} cz_experiment_device_options;

/** Open a device and load the parameters. Errors: cz_gpu_open, cz_device_key_load_with; CZ_E_INPUT
 * for the classic path, which is the CPU's. */
CZ_MUST_CHECK cz_err cz_experiment_device_open(cz_experiment_device *out,
                                               const cz_experiment *switches,
                                               const cz_experiment_device_options *options,
                                               const cz_params *params, const cz_compiled *circuit,
                                               cz_pool *pool);
void cz_experiment_device_close(cz_experiment_device *d);

/** Witness and proof of one partition; as cz_experiment_prove. */
CZ_MUST_CHECK cz_err cz_experiment_device_prove(cz_proof *out, cz_experiment_device *d,
                                                const cz_circuit *circuit, const cz_fr *r,
                                                const cz_fr *s, unsigned partition,
                                                cz_trace *trace);

#endif
