/* post_inputs.h: a PoSt's challenges and public inputs, derived from what the chain knows.
 *
 * The circuit proves sectors x challenges: 66 x 1 for winning (one sector, opened at 66 leaves as
 * if it were 66 sectors), and for window a whole partition x 10, where the last sector is repeated
 * when there are fewer. Challenge n of sector i opens leaf SHA-256(randomness || sector number ||
 * index) mod nodes, the index being i * challenges + n, or just n from api 1.2.0 on; i counts the
 * sectors that one message to the chain proves, those of earlier partitions included.
 * Source: rust-fil-proofs storage-proofs-post/src/fallback/. */
#ifndef CZ_FILECOIN_POST_INPUTS_H
#define CZ_FILECOIN_POST_INPUTS_H

#include "field/fr.h"
#include "filecoin/registry.h"
#include "filecoin/shapes.h"

/* What a circuit proves. */
typedef struct {
    unsigned sectors;
    unsigned challenges; /* a sector */
} cz_post_dims;

/** Of winning or window PoSt at a size. */
cz_post_dims cz_post_dims_of(cz_proof_kind kind, const cz_sector_shape *shape);

typedef struct {
    cz_proof_kind kind; /* winning or window */
    const cz_sector_shape *shape;
    cz_api_version api;
    uint8_t randomness[32]; /* a field element: the two top bits are clear */
    uint64_t first_index;   /* the number i of the partition's first sector */
} cz_post_statement;

/** Randomness as the network uses it: the two top bits cleared. */
void cz_post_randomness(uint8_t out[32], const uint8_t randomness[32]);

/** Openings that the vanilla proof of one sector must have: 66 or 10. */
unsigned cz_post_openings(cz_proof_kind kind);

/** The leaf of opening n of the partition's sector i. */
uint64_t cz_post_challenge(const cz_post_statement *s, size_t i, uint64_t sector_number,
                           unsigned n);

/** Where opening (sector, challenge) of the circuit is in a request of n_sectors. */
typedef struct {
    size_t sector;
    unsigned opening;
} cz_post_place;
cz_post_place cz_post_place_of(cz_proof_kind kind, size_t n_sectors, size_t sector,
                               unsigned challenge);

/* What the verifier knows of a sector. */
typedef struct {
    uint64_t number;
    cz_fr comm_r;
} cz_post_public_sector;

/** Public inputs of a partition, without the leading one: comm_r and the leaves, a sector. */
size_t cz_post_n_inputs(cz_proof_kind kind, const cz_sector_shape *shape);

/** Those inputs for 1 … dims.sectors sectors (winning: one). */
void cz_post_inputs(cz_fr *out, const cz_post_statement *s, const cz_post_public_sector *sectors,
                    size_t n_sectors);

#endif
