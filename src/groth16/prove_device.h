/* prove_device.h: proofs on a CUDA device, from a compiled circuit and witnesses by classes.
 *
 * The same stages as prove_compiled.h and the same bytes for the same r and s, all on the device:
 * a witness goes up as bits and field elements, five points come back, and the host puts the proof
 * together. Tables of the circuit, witnesses and all scratch lie in one block of device memory with
 * a printable map. The parameters lie there too (resident), or come from the file in chunks while
 * the device works (streamed): once for each batch of partitions, H once for a group of them.
 *
 * With a folded file (params/folded.h) its lists h and l take the place of the parameters': c is
 * not evaluated, and four transforms do in place of six. The bytes of a proof are the same for a
 * witness that satisfies the circuit; one that does not makes a proof that does not verify, in both
 * cases.
 *
 * Threads: as the cz_gpu. */
#ifndef CZ_GROTH16_PROVE_DEVICE_H
#define CZ_GROTH16_PROVE_DEVICE_H

#include <stdbool.h>
#include <stdio.h>

#include "cs/bit_witness.h"
#include "gpu/gpu.h"
#include "groth16/groth16.h"
#include "params/folded.h"

/* What a device holds for the proofs of one circuit. */
typedef struct cz_device_key cz_device_key;

typedef enum {
    CZ_DEVICE_KEY_ANY, /* resident if the budget has room for it, else streamed */
    CZ_DEVICE_KEY_RESIDENT,
    CZ_DEVICE_KEY_STREAMED
} cz_device_key_mode;

/* How a key is to be; all zero: as fits best. */
typedef struct {
    cz_device_key_mode mode;
    unsigned most_partitions; /* of a batch, up to 16; 0: 10 */
    uint32_t most_points;     /* of a streamed chunk, at least 2; 0: what there is room for */
    size_t most_h_terms;      /* of H's sum, resident, where tails of L and B1 join it; 0: what a
                                 sum takes. For tests and comparisons */
    const cz_folded *folded;  /* made from the parameters; NULL: none. Stays as long as the key */
} cz_device_key_options;

/** Set up all that a proof needs; resident, convert and check the parameters on the device.
 * `params` and `pool` must stay as long as the key lives, the circuit is needed here only. Options
 * may be NULL. What other keys hold of the device's budget is not there for this one.
 *
 * CZ_E_NOMEM names the bytes needed, for each mode asked for, and those that the budget has left;
 * CZ_E_INPUT when circuit, parameters and folded file do not fit or a point is damaged, which a
 * streamed key finds when it proves; CZ_E_DECLINED above a domain of 2^27. */
CZ_MUST_CHECK cz_err cz_device_key_load_with(cz_device_key **out, cz_gpu *gpu,
                                             const cz_params *params, const cz_compiled *circuit,
                                             const cz_device_key_options *options, cz_pool *pool,
                                             cz_trace *trace);

/** The same without options. */
CZ_MUST_CHECK cz_err cz_device_key_load(cz_device_key **out, cz_gpu *gpu, const cz_params *params,
                                        const cz_compiled *circuit, cz_pool *pool, cz_trace *trace);

/** NULL is fine. Waits for the device. */
void cz_device_key_destroy(cz_device_key *key);

/** Do points come from the file anew with every batch? */
bool cz_device_key_streams(const cz_device_key *key);

/** Was it loaded with a folded file? */
bool cz_device_key_folded(const cz_device_key *key);

/** The most partitions that it is of use to prove at once, at least 1. */
unsigned cz_device_key_batch(const cz_device_key *key);

/** Device memory of the block; the mode and the block's parts, a line each. */
uint64_t cz_device_key_bytes(const cz_device_key *key);
void cz_device_key_print(const cz_device_key *key, FILE *to);

/* One proof of a batch. */
typedef struct {
    const cz_bit_witness *w;
    const cz_fr *r, *s; /* both NULL: drawn from the operating system, and erased */
    unsigned partition; /* its number, for the trace */
    cz_trace *trace;    /* where its phases go; NULL: where those of the call go */
} cz_device_partition;

/** n proofs of the key's circuit, which share what can be shared; any n, but
 * cz_device_key_batch(key) at a time is best. Not verified here: whoever sends them does that. What
 * tells witnesses is erased from the device, whatever becomes of the proofs.
 *
 * Phases are the host's time, each taken up to where the device has been waited for; what is done
 * for several partitions at once is shared among them, and a witness that goes up beneath another
 * partition's transforms has no CZ_PHASE_PIN.
 *
 * On an error none of `out` counts. CZ_E_ARG: the witness is of another circuit. Streamed, CZ_E_IO
 * and CZ_E_INPUT name the file, and the key stays usable. CZ_E_NOMEM; CZ_E_DECLINED: the device
 * cannot make the witness (w->source); CZ_E_CUDA. */
CZ_MUST_CHECK cz_err cz_groth16_prove_device_batch(cz_proof *out, cz_device_key *key,
                                                   const cz_device_partition *parts, unsigned n,
                                                   cz_trace *trace);

/** One proof, as cz_groth16_prove_compiled. */
CZ_MUST_CHECK cz_err cz_groth16_prove_device(cz_proof *out, cz_device_key *key,
                                             const cz_bit_witness *w, const cz_fr *r,
                                             const cz_fr *s, unsigned partition, cz_trace *trace);

/** The same with r and s drawn from the operating system, and erased. */
CZ_MUST_CHECK cz_err cz_groth16_prove_device_blinded(cz_proof *out, cz_device_key *key,
                                                     const cz_bit_witness *w, unsigned partition,
                                                     cz_trace *trace);

#endif
