/* filecoin_prover.h: the engine's prover for the network's circuits, on the CPU and on devices.
 *
 * Keys are a parameter file of the network: warm is the file mapped, its frame and verifying key
 * checked; hot adds the prover key, or the parameters on every device that takes them; where there
 * are devices, the prover key is made with the first proof that falls to the CPU. Before its first
 * use a file is hashed when a manifest is given. A request's cost comes from its size and from the
 * counts in the parameter file's frame, read in a few bytes. Witnesses and proofs go by compiled
 * circuits (groth16/prove_compiled.h).
 *
 * Threads: as prover.h says. Two pools: one decodes requests, one proves, so that a long proof does
 * not hold up a decoding. */
#ifndef CZ_ENGINE_FILECOIN_PROVER_H
#define CZ_ENGINE_FILECOIN_PROVER_H

#include "engine/prover.h"
#include "groth16/experiment.h"
#include "params/params.h"

typedef struct cz_filecoin_prover cz_filecoin_prover;

typedef struct {
    const char *param_cache;    /* folder with the .params files; copied */
    const char *manifest;       /* the network's parameters.json, or NULL or ""; read at once */
    const char *circuit_cache;  /* folder of compiled circuits (circuit_cache.h); copied */
    unsigned synthesis_threads; /* 0: the CPUs of this process */
    unsigned proving_threads;
    const cz_experiment *experiment; /* copied; NULL: the defaults */
} cz_filecoin_prover_options;

/** A folder that is not there is only logged: files may come later. CZ_E_NOTFOUND, CZ_E_INPUT (the
 * manifest), CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_filecoin_prover_create(cz_filecoin_prover **out,
                                               const cz_filecoin_prover_options *options);

/** After every engine that uses it. */
void cz_filecoin_prover_destroy(cz_filecoin_prover *p);

cz_prover cz_filecoin_prover_table(cz_filecoin_prover *p);
cz_backend cz_cpu_backend(cz_filecoin_prover *p);

enum { CZ_MOST_BACKENDS = 65 }; /* the CPU's and 64 devices' */

typedef struct {
    const uint32_t *numbers; /* devices to use */
    size_t n_numbers;        /* 0: all */
    uint64_t vram_budget;    /* of each device; 0: as cz_gpu_open says */
    uint64_t pinned_limit;   /* page-locked host memory for witnesses; 0: none */
    unsigned workers;        /* of each; at least one */
    bool self_test;          /* before a device is used (device_self_test.h) */
    bool folded;             /* use the folded files that lie beside parameters */
    bool required;           /* an error where none can be used; else that is logged */
} cz_device_options;

/** Use CUDA devices, if there are any: before cz_filecoin_backends, once. One that fails is not
 * used, and shown with the reason. When none can be used, the log says why and proofs go on the
 * CPU; when they are required, CZ_E_NODEV or CZ_E_INPUT, also when a number is no device's. */
CZ_MUST_CHECK cz_err cz_filecoin_prover_open_devices(cz_filecoin_prover *p,
                                                     const cz_device_options *options);

/** One a device, those that are not used too (without workers), and the CPU's, which is spare where
 * a device is used; how many. */
size_t cz_filecoin_backends(cz_filecoin_prover *p, cz_backend out[CZ_MOST_BACKENDS]);

/** Bytes of one partition in work, proved by the pool's threads or by a device, and of hot keys,
 * from the counts of a parameter file. `bits`: is the circuit's witness made of bits, mostly, as
 * those that compute SHA-256? CZ_E_NOTFOUND, CZ_E_IO, CZ_E_INPUT. */
CZ_MUST_CHECK cz_err cz_params_cost(cz_keys_cost *out, const char *path, bool bits, cz_pool *pool);

/** The same from a file that is open. */
void cz_params_cost_of(cz_keys_cost *out, const cz_params *params, bool bits, cz_pool *pool);

/** SHA-256 of a parameter file's verifying key as files have it (key_tag.c). CZ_E_NOTFOUND,
 * CZ_E_IO, CZ_E_INPUT. */
CZ_MUST_CHECK cz_err cz_params_tag(uint8_t out[CZ_KEY_TAG_BYTES], const char *path);

#endif
