/* job.h: from the bytes of a request to circuits with their inputs.
 *
 *   bytes -> cz_request   (which proof is wanted; the vanilla proof still opaque)
 *         -> cz_job       (vanilla proof decoded and checked, public inputs derived, split into
 * partitions)
 *         -> cz_circuit   (one partition, ready to be synthesised)
 *
 * A job owns everything it was made from. Outside bytes are hostile: every failure is CZ_E_INPUT
 * (or CZ_E_NOMEM) with partition, challenge and field named. Threads: a job is
 * immutable after creation. */
#ifndef CZ_FILECOIN_JOB_H
#define CZ_FILECOIN_JOB_H

#include "base/pool.h"
#include "cs/witness_source.h"
#include "filecoin/registry.h"

/* Vanilla proofs of a request, at most; the largest proof has 2349. More are refused before memory
 * is taken for each. */
enum { CZ_REQUEST_MAX_PROOFS = 1 << 14 };

/* SubmitProofRequest, decoded. Byte fields are owned by the request. */
typedef struct {
    char *request_id;
    cz_proof_kind kind;
    uint64_t sector_size; /* 0: not said */
    uint64_t registered_proof;
    bool has_registered_proof; /* false for a bare C1 */
    uint32_t priority;         /* 0: not said, else 1 (low) … 4 (critical) */
    uint64_t miner_id;
    uint64_t sector_number;
    bool has_identity; /* miner_id and sector_number were given (a bare C1 carries neither) */
    uint32_t partition_index;
    uint8_t *vanilla_proof; /* PoRep: the envelope, C1 JSON or bincode */
    size_t vanilla_proof_len;
    uint8_t **vanilla_proofs; /* PoSt, Snap: one a sector or partition */
    size_t *vanilla_proof_lens;
    size_t n_vanilla_proofs;
    uint8_t randomness[32];
    bool has_randomness;
    uint8_t comm_r_old[32], comm_r_new[32], comm_d_new[32];
    bool has_comm_r_old, has_comm_r_new, has_comm_d_new;
} cz_request;

/** Parse a request file: proto3 JSON of SubmitProofRequest, Curio's envelope, a bare C1 JSON, or C1
 * bincode; which one is found by looking. `bytes` may be freed afterwards.
 *
 * Proto3 JSON: names in lowerCamelCase or as in the .proto file, 64-bit numbers as numbers or
 * strings, enums by name or number, bytes in base64 (standard or URL alphabet, padded or not), null
 * for "not given". An unknown field is refused by name, a field given twice too. Identity counts as
 * given when minerId is. */
CZ_MUST_CHECK cz_err cz_request_parse(cz_request **out, const uint8_t *bytes, size_t n);
void cz_request_destroy(cz_request *r);

typedef struct cz_job cz_job;

/** Decode and check the vanilla proof, derive the public inputs.
 *
 * PoRep: the replica id is derived from miner, sector, ticket, comm_d and the proof type's porep id
 * and must be the C1's. Only where nobody says who the miner is (a bare C1, or an envelope alone)
 * the C1's own replica id is taken; such a proof says nothing about miner and sector. Challenges,
 * parents and commitments' relations are always derived and checked (porep_check.h).
 *
 * PoSt: randomness loses its two top bits; a window job takes up to a partition of sectors in any
 * order: the proof is of them in ascending order, as the network verifies it. They
 * are numbered as partition_index says or from 0 (api 1.0.0 and 1.1.0; whichever their vanilla
 * proofs were made for), a winning job one sector (post_check.h). Update: the three commitments
 * must be given, and as many partitions as the size has (snap_check.h). */
CZ_MUST_CHECK cz_err cz_job_create(cz_job **out, const cz_request *request, cz_pool *pool);
void cz_job_destroy(cz_job *job);

const char *cz_job_circuit_id(const cz_job *job); /* "porep-2k" */
size_t cz_job_partitions(const cz_job *job);

/** The circuit of partition k with its witness; destroy with cz_circuit_destroy before the job. */
CZ_MUST_CHECK cz_err cz_job_circuit(const cz_job *job, size_t k, cz_circuit **out);

/** The witness of partition k for a device to make, where that pays: window PoSt. c is the compiled
 * circuit; the source must go before the job. *out is NULL for all others. CZ_E_NOMEM,
 * CZ_E_INTERNAL. */
CZ_MUST_CHECK cz_err cz_job_witness_source(const cz_job *job, size_t k, const cz_compiled *c,
                                           cz_witness_source **out);

/** Public inputs of partition k as the verifier needs them (without the leading one); free() them.
 */
CZ_MUST_CHECK cz_err cz_job_public_inputs(const cz_job *job, size_t k, cz_fr **out, size_t *n);

/* --- circuits without inputs, for digests, statistics and parameter setups --- */

/** Ids in the order of `circuit list`, NULL-terminated. */
const char *const *cz_circuit_ids(void);

/** CZ_E_NOTFOUND names the id. */
CZ_MUST_CHECK cz_err cz_circuit_create_blank(cz_circuit **out, const char *id);
void cz_circuit_destroy(cz_circuit *circuit);

enum { CZ_CACHE_NAME_MAX = 160 };

/** File name of the network's parameters without extension:
 * "v28-stacked-proof-of-replication-…-<sha256>". `out` should have CZ_CACHE_NAME_MAX bytes
 * (CZ_E_ARG when it is too short). Known for every circuit of the network, in this build or not.
 * CZ_E_NOTFOUND. */
CZ_MUST_CHECK cz_err cz_circuit_cache_name(char *out, size_t out_size, const char *id);

#endif
