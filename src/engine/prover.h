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
 * Threads: the engine calls admit, open, synthesize, load, prove and verify from many threads at
 * once, also for one work and one set of keys; it calls the keys_ functions from one thread, never
 * for keys that a proof or a load uses. Every function may take long: the engine holds no lock
 * meanwhile. But keys_cool and keys_close must wait for no call of a backend: the thread serves all
 * circuits, and the call may never return. */
#ifndef CZ_ENGINE_PROVER_H
#define CZ_ENGINE_PROVER_H

#include "base/trace.h"
#include "filecoin/job.h"

enum { CZ_CIRCUIT_ID_BYTES = 32, CZ_PART_PROOF_BYTES = 192, CZ_KEY_TAG_BYTES = 32 };

typedef struct cz_work cz_work;       /* a request, decoded and checked; immutable */
typedef struct cz_witness cz_witness; /* one partition, synthesised */
typedef struct cz_keys cz_keys;       /* the parameters of one circuit */

/* What a look at a request tells before it is decoded. All zero where only opening tells. */
typedef struct {
    char circuit_id[CZ_CIRCUIT_ID_BYTES];
    uint64_t open_bytes; /* while it is decoded, the request included */
    uint64_t work_bytes; /* kept from then until the job ends */
    uint64_t keys_bytes; /* of the circuit's hot keys */
    uint64_t part_bytes; /* of one partition in work, witness and proving, where it takes least */
} cz_admission;

typedef struct {
    uint64_t file_bytes; /* of the parameter file, mapped, so not counted as memory */
    uint64_t hot_bytes;
    uint64_t part_bytes;   /* of a partition that the host proves */
    uint64_t device_bytes; /* of one that a device proves: its witness; 0: the same */
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

    /* A digest of the verifying key: that of open keys (under the engine's lock, so it must be
     * quick), and that of the parameters as they lie there now. Where both are equal, a proof that
     * was verified with the first verifies with the second. CZ_E_NOTFOUND, CZ_E_IO, CZ_E_INPUT. */
    void (*keys_tag)(const cz_keys *keys, uint8_t out[CZ_KEY_TAG_BYTES]);
    cz_err (*params_tag)(void *ctx, const char *circuit_id, uint8_t out[CZ_KEY_TAG_BYTES]);

    /* Where not with_values, a device may be left to make them, so that the witness is of no use to
     * the host and has_values says so (NULL: it always is). */
    cz_err (*synthesize)(void *ctx, const cz_work *work, size_t k, bool with_values,
                         cz_witness **out, cz_trace *trace);
    bool (*has_values)(const cz_witness *witness);
    void (*witness_drop)(void *ctx, cz_witness *witness);

    /* Host memory that is kept for the next partitions and in no reservation: it counts in the
     * budget, and is given back (trim) when something else needs it. Asked under the engine's lock,
     * so it must be quick. Both NULL: there is none. */
    uint64_t (*idle_bytes)(void *ctx);
    void (*trim)(void *ctx);

    /* Of that, what the next partition with these keys would take after so many others, if a device
     * proves it: then its reservation has it, and it is not counted twice. As quick. NULL: none. */
    uint64_t (*reuse_bytes)(void *ctx, const cz_keys *keys, unsigned others);

    /* Page-locked memory: how much there is, and how much there may be. As quick. NULL: none. */
    void (*pinned)(void *ctx, uint64_t *bytes, uint64_t *limit);

    /* Is the proof right for what the request says? Any error is a failed self-check; CZ_E_INPUT:
     * what the proof was made of is to blame, not who made it. */
    cz_err (*verify)(void *ctx, const cz_work *work, const cz_keys *keys, size_t k,
                     const uint8_t proof[CZ_PART_PROOF_BYTES], cz_trace *trace);
} cz_prover_ops;

typedef struct {
    const cz_prover_ops *ops;
    void *ctx;
} cz_prover;

typedef struct {
    cz_witness *witness; /* may be used up, but see `prove`; the engine drops it afterwards */
    unsigned partition;  /* for phases and messages */
    cz_trace *trace;
    uint8_t *proof; /* out, CZ_PART_PROOF_BYTES */
    unsigned flip; /* ordered by tests: the cz_proof_sum that comes out wrong; 0: none. The CPU's */
} cz_prove_item;

/* A device for status displays. */
typedef struct {
    char name[64];
    uint64_t vram_total_bytes, vram_free_bytes;
    char problem[256]; /* why it is not used; "": it is */
} cz_device_info;

/* Most partitions of a call, whatever a backend says. */
enum { CZ_MOST_BATCH = 64 };

typedef struct {
    const char *name; /* "cpu" */
    unsigned device;  /* ordinal */
    unsigned workers; /* threads that drive it; 0: only shown */
    unsigned batch;   /* partitions of one circuit that one call takes, at least 1 */
    unsigned kinds;   /* proof kinds it serves, bits 1 << kind; 0: all */
    bool spare;       /* serves only what no other backend takes, with all of part_bytes */
    void *ctx;
    /* How many of `batch` it takes now, of a circuit with these keys (NULL: not open yet); 0: none,
     * so that others serve them. Under the engine's lock, so it must be quick. NULL: always all.
     * Where a backend has it, another one must be spare. */
    unsigned (*capacity)(void *ctx, const cz_keys *keys);
    /* Has it these keys at hand, so that it need not load them first? As quick. NULL: always. */
    bool (*holds)(void *ctx, const cz_keys *keys);
    /* Have these keys at hand; once after they were heated, before proofs where that can be. The
     * first backend to have them makes them hot. CZ_E_INPUT, CZ_E_IO: they are damaged, for all;
     * after any other error they are hot too, once nobody is left to try. NULL: keys_heat is all
     * that it needs. */
    cz_err (*load)(void *ctx, const cz_keys *keys);
    /* All n proofs or an error for the whole call; hot keys. CZ_E_CUDA: the device is suspect, the
     * partitions are made once more. Of a backend that is not spare, where another is: CZ_E_NODEV,
     * CZ_E_DECLINED and CZ_E_NOMEM leave the witnesses whole (CZ_E_CUDA does so for WinningPoSt),
     * and others prove them; CZ_E_DECLINED of a witness without values is an offer to prove it with
     * them. */
    cz_err (*prove)(void *ctx, const cz_keys *keys, cz_prove_item *items, size_t n);
    /* What the self-check found of a partition: its proof was good; or not, while another backend
     * then made a good one. Must not wait for a call of prove: all that wants to be verified waits
     * for it. NULL: it is not told. */
    void (*judge)(void *ctx, bool good);
    void (*describe)(void *ctx, cz_device_info *out); /* may be NULL */
} cz_backend;

#endif
