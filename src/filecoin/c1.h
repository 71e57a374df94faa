/* c1.h: decoding a C1, whatever it is wrapped in.
 *
 * Accepted: the JSON of SealCommitPhase1Output (serde's, as filecoin-ffi writes it, or Go's, as
 * Curio's lib/proof does; keys in any order, unknown fields ignored as serde does); Curio's and
 * Lotus' envelope {"SectorNum", "Phase1Out": base64, "SectorSize"} around it; and bincode, either
 * SealCommitPhase1Output or C2Input::V0 (which adds prover id and sector). 32-byte values in JSON
 * are arrays of numbers, or strings of hex (64 digits) or base64. A UTF-8 byte order mark and white
 * space around JSON are skipped.
 *
 * Every element is checked to be canonical, every length to be what the proof type fixes; what the
 * elements mean is checked by porep_check.h. Failures are CZ_E_INPUT with partition, challenge and
 * field named. Memory is bounded by the length alone (cz_c1_decode_bytes); JSON with more numbers
 * than a C1 of its length can have is refused for it. */
#ifndef CZ_FILECOIN_C1_H
#define CZ_FILECOIN_C1_H

#include "base/json.h"
#include "filecoin/vanilla_porep.h"

/** Decode n bytes of any accepted form. The caller destroys *out. */
CZ_MUST_CHECK cz_err cz_c1_decode(cz_porep_vanilla **out, const uint8_t *bytes, size_t n);

/** Memory that this takes at most beside `bytes`, whatever they are, with what it returns. `bytes`
 * may be NULL: then of the form that takes most. Only where they begin is looked at. */
uint64_t cz_c1_decode_bytes(const uint8_t *bytes, size_t n);

/** The two decoders behind it. */
CZ_MUST_CHECK cz_err cz_c1_json_decode(cz_porep_vanilla **out, cz_json c1);
CZ_MUST_CHECK cz_err cz_c1_bincode_decode(cz_porep_vanilla **out, const uint8_t *bytes, size_t n);

/** Whether the bytes look like JSON: the first one that is no white space opens an object. */
bool cz_looks_like_json(const uint8_t *bytes, size_t n);

/** A member of a JSON object; absent is CZ_E_INPUT too. */
CZ_MUST_CHECK cz_err cz_json_field(cz_json object, const char *key, cz_json *out);

/** 32 bytes as JSON writers put them: an array of numbers, 64 hex digits, or base64. */
CZ_MUST_CHECK cz_err cz_json_bytes32(cz_json v, uint8_t out[32]);

/* --- shared by the decoders --- */

/** CZ_E_INPUT "… 9 partitions, expected 10". */
CZ_MUST_CHECK cz_err cz_expect_count(uint64_t found, uint64_t expected, const char *of);

/** The element of the vanilla_proofs enum that a seal proof's openings come in: its sector size,
 * always "V1". NULL when the number or name is none. */
const cz_proof_spec *cz_c1_variant(uint64_t number);

/** The variant must have the spec's sector size. */
CZ_MUST_CHECK cz_err cz_c1_check_variant(const cz_proof_spec *variant, const cz_proof_spec *spec);

/** The commitments and the replica id must be field elements. */
CZ_MUST_CHECK cz_err cz_c1_check_header(const cz_porep_vanilla *v);

#endif
