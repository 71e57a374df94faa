/* filecoin_state.h: what the parts of the prover on filecoin/ and groth16/ share
 * (filecoin_prover.c, _admission.c, _witness.c, _backends.c, folded_keys.c), and a test; nobody
 * else includes this. */
#ifndef CZ_ENGINE_FILECOIN_STATE_H
#define CZ_ENGINE_FILECOIN_STATE_H

#include <pthread.h>

#include "engine/circuit_cache.h"
#include "engine/device_prover.h"
#include "engine/filecoin_prover.h"
#include "engine/pinned.h"
#include "params/manifest.h"

/* A device with what its backend needs besides. */
typedef struct {
    cz_filecoin_prover *prover;
    cz_device_prover *device; /* NULL: it is not used */
    unsigned number;
    char problem[256]; /* why not */
} cz_filecoin_device;

struct cz_filecoin_prover {
    char *param_cache;
    cz_manifest manifest;
    bool has_manifest;
    cz_circuit_cache *circuits;
    cz_pool *opening, *proving;
    cz_experiment experiment;
    cz_blocks *blocks;       /* of pooled vectors */
    cz_self_test *self_test; /* or NULL */
    cz_pinned *pinned;       /* for witnesses, or NULL */
    cz_filecoin_device devices[CZ_MOST_BACKENDS - 1];
    size_t n_devices;
    size_t n_used; /* of these */
    unsigned device_workers;
    bool use_folded;
};

/* What proofs on the CPU need of the parameters. With devices it is made when a proof first falls
 * back, by whichever worker. */
typedef struct {
    pthread_mutex_t lock;
    cz_prover_key *key;
} cz_host_key;

/* The folded file beside the parameters, for devices. */
enum { CZ_FOLDED_REMEMBERED = 256 }; /* more proofs than wait for their self-check */
typedef struct {
    cz_folded file; /* what follows it is locked */
    pthread_mutex_t lock;
    bool is_used;
    uint64_t made[CZ_FOLDED_REMEMBERED]; /* by which the last proofs made with it are known */
    unsigned next;
} cz_keys_folded;

struct cz_keys {
    cz_params params;
    cz_keys_folded folded;
    cz_host_key host;
    cz_verifier *verifier;
    uint8_t tag[CZ_KEY_TAG_BYTES]; /* of what the verifier was made of */
};

struct cz_witness {
    const cz_compiled *circuit;
    cz_bit_witness w;
    cz_assignment classic; /* in its place, where the experiment says so */
    void *pinned;          /* page-locked memory in which w lies, or NULL */
    size_t pinned_bytes;
};

/** cz_work is a cz_job under another name. */
static inline const cz_job *cz_filecoin_job_of(const cz_work *work)
{
    return (const cz_job *)(const void *)work;
}

/* --- filecoin_admission.c: what a request will take, and the file that it needs --- */

enum { CZ_FILECOIN_PATH_BYTES = 4096 };

/** Of the circuit's parameters; the file need not be there. CZ_E_INPUT. */
CZ_MUST_CHECK cz_err cz_filecoin_params_path(const cz_filecoin_prover *p,
                                             char out[CZ_FILECOIN_PATH_BYTES],
                                             const char *circuit_id);

/** What keys of the circuit, and a partition, will take. CZ_E_NOTFOUND: no file that can be used.
 */
CZ_MUST_CHECK cz_err cz_filecoin_cost_of(const cz_filecoin_prover *p, const char *circuit_id,
                                         cz_keys_cost *out);

/** Of a partition's host memory, where devices prove it. */
void cz_filecoin_count_device_bytes(const cz_filecoin_prover *p, const char *circuit_id,
                                    cz_keys_cost *out);

/** Is nearly all of the witness bits? */
bool cz_filecoin_made_of_bits(const char *circuit_id);

/** Do devices make the witness themselves? */
bool cz_filecoin_made_on_devices(const char *circuit_id);

CZ_MUST_CHECK cz_err cz_filecoin_admit(void *ctx, const cz_request *request, cz_admission *out);

/* --- filecoin_witness.c: the stages of prover.h under these names --- */

CZ_MUST_CHECK cz_err cz_filecoin_synthesize(void *ctx, const cz_work *work, size_t k,
                                            bool with_values, cz_witness **out, cz_trace *trace);
bool cz_filecoin_has_values(const cz_witness *witness);
void cz_filecoin_witness_drop(void *ctx, cz_witness *witness);
uint64_t cz_filecoin_idle_bytes(void *ctx);
void cz_filecoin_pinned(void *ctx, uint64_t *bytes, uint64_t *limit);
uint64_t cz_filecoin_reuse_bytes(void *ctx, const cz_keys *keys, unsigned others);
void cz_filecoin_trim(void *ctx);

/* --- filecoin_backends.c: devices, and the CPU --- */

/** Ready for the CPU, where there is no device; else for devices to load them. CZ_E_INPUT, CZ_E_IO,
 * CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_filecoin_heat(cz_filecoin_prover *p, cz_keys *keys);

/** From all devices, where those in a call forget them after it, and from the CPU. Waits for none.
 */
void cz_filecoin_cool(cz_filecoin_prover *p, cz_keys *keys);

void cz_filecoin_close_devices(cz_filecoin_prover *p);

/** As cz_params_tag, of a key in memory. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_vk_tag(uint8_t out[CZ_KEY_TAG_BYTES], const cz_vk *vk);

/** The folded file beside the open parameters, where devices are to use it and there is one; the
 * log names one that cannot be used (folded_keys.c). */
void cz_filecoin_open_folded(const cz_filecoin_prover *p, cz_keys *keys, const char *circuit_id);

/** What devices are to use now, or NULL. This and the next two: any thread. */
const cz_folded *cz_filecoin_folded(const cz_keys *keys);

/** A device made this proof with it. */
void cz_filecoin_note_folded(const cz_keys *keys, const uint8_t proof[CZ_PART_PROOF_BYTES]);

/** This proof failed its self-check. True: it was made with the folded file, which is not used any
 * more. */
bool cz_filecoin_refute_folded(const cz_keys *keys, const uint8_t proof[CZ_PART_PROOF_BYTES]);

#endif
