/* prover.h: what the engine needs of the mathematics: two small tables of functions.
 *
 * The engine knows no circuit. It knows stages, each a function from what the stage before made:
 *
 *   request --open--> work --synthesize k--> witness --prove--> 192 bytes --verify--> kept
 *                                               ^
 *            circuit id --keys_open--> warm --keys_heat--> hot
 *
 * filecoin_prover.h supplies the real ones; unit tests supply toys. A backend is the `prove` stage
 * of a device with the workers that drive it; it is the only stage that a GPU replaces.
 *
 * Threads: the engine calls admit, open, synthesize, prove and verify from many threads at once,
 * also for one work and one set of keys; it calls the keys_ functions from one thread, never for
 * keys that a proof uses. Every function may take long: the engine holds no lock meanwhile. */
#ifndef CZ_ENGINE_PROVER_H
#define CZ_ENGINE_PROVER_H

#include "base/trace.h"
#include "filecoin/job.h"

enum { CZ_CIRCUIT_ID_BYTES = 32, CZ_PART_PROOF_BYTES = 192 };

typedef struct cz_work cz_work;       /* a request, decoded and checked; immutable */
typedef struct cz_witness cz_witness; /* one partition, synthesised */
typedef struct cz_keys cz_keys;       /* the parameters of one circuit */

/* What a look at a request tells before it is decoded. All zero where only opening tells. */
typedef struct {
    char circuit_id[CZ_CIRCUIT_ID_BYTES];
    uint64_t open_bytes; /* while it is decoded, the request included */
    uint64_t work_bytes; /* kept from then until the job ends */
    uint64_t keys_bytes; /* of the circuit's hot keys */
    uint64_t part_bytes; /* of one partition in work, witness and proving */
} cz_admission;

typedef struct {
    uint64_t file_bytes; /* of the parameter file, mapped, so not counted as memory */
    uint64_t hot_bytes;
    uint64_t part_bytes;
} cz_keys_cost;

typedef struct {
    /* CZ_E_INPUT, CZ_E_UNSUPPORTED: the request can never be proved; CZ_E_NOTFOUND: the circuit's
     * parameters are missing. Must be quick. */
    cz_err (*admit)(void *ctx, const cz_request *request, cz_admission *out);

    cz_err (*open)(void *ctx, const cz_request *request, cz_work **out, cz_trace *trace);
    const char *(*circuit_id)(const cz_work *work);
    size_t (*partitions)(const cz_work *work); /* at least one */
    void (*close)(void *ctx, cz_work *work);

    cz_err (*keys_open)(void *ctx, const char *circuit_id, cz_keys **out, cz_keys_cost *cost);
    cz_err (*keys_heat)(void *ctx, cz_keys *keys);
    void (*keys_cool)(void *ctx, cz_keys *keys); /* hot to warm */
    void (*keys_close)(void *ctx, cz_keys *keys);

    cz_err (*synthesize)(void *ctx, const cz_work *work, size_t k, cz_witness **out,
                         cz_trace *trace);
    void (*witness_drop)(void *ctx, cz_witness *witness);

    /* Is the proof right for what the request says? Any error is a failed self-check. */
    cz_err (*verify)(void *ctx, const cz_work *work, const cz_keys *keys, size_t k,
                     const uint8_t proof[CZ_PART_PROOF_BYTES], cz_trace *trace);
} cz_prover_ops;

typedef struct {
    const cz_prover_ops *ops;
    void *ctx;
} cz_prover;

typedef struct {
    cz_witness *witness; /* may be used up; the engine drops it afterwards */
    unsigned partition;  /* for phases and messages */
    cz_trace *trace;
    uint8_t *proof; /* out, CZ_PART_PROOF_BYTES */
} cz_prove_item;

/* A device for status displays. */
typedef struct {
    char name[64];
    uint64_t vram_total_bytes, vram_free_bytes;
} cz_device_info;

typedef struct {
    const char *name; /* "cpu" */
    unsigned device;  /* ordinal */
    unsigned workers; /* threads that drive it */
    unsigned batch;   /* partitions of one circuit that one call takes, at least 1 */
    unsigned kinds;   /* proof kinds it serves, bits 1 << kind; 0: all */
    void *ctx;
    /* All n proofs or an error for the whole call; hot keys. CZ_E_CUDA: the device is suspect, the
     * partitions are tried once more. */
    cz_err (*prove)(void *ctx, const cz_keys *keys, cz_prove_item *items, size_t n);
    void (*describe)(void *ctx, cz_device_info *out); /* may be NULL */
} cz_backend;

#endif
