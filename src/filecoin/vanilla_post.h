/* vanilla_post.h: the vanilla proofs of a PoSt in memory: one FallbackPoStSectorProof a sector.
 *
 * Bincode of one sector (the layout is that of rust-fil-proofs' structures):
 *   u64 sector id, comm_r, u64 1 (a vanilla proof holds one sector),
 *   u64 number of inclusion proofs, the proofs (bincode.h), comm_c, comm_r_last
 * A window proof has 10 inclusion proofs a sector, a winning proof 66 of its one sector.
 *
 * Every array has the length that the sector's shape fixes; a length that differs is an error of
 * the input. What the elements mean is checked by post_check.h. */
#ifndef CZ_FILECOIN_VANILLA_POST_H
#define CZ_FILECOIN_VANILLA_POST_H

#include "filecoin/merkle.h"
#include "filecoin/shapes.h"

typedef struct {
    uint64_t number;
    size_t at; /* where it stood in the request, for messages */
    cz_fr comm_r, comm_c, comm_r_last;
    cz_inclusion_proof *openings; /* n_challenges of tree R-last */
} cz_post_sector;

typedef struct {
    const cz_sector_shape *shape;
    size_t n_sectors;
    unsigned n_challenges; /* a sector */
    cz_post_sector *sectors;
} cz_post_vanilla;

/** All slots, zero. n_sectors must be bounded by the caller. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_post_vanilla_create(cz_post_vanilla **out, const cz_sector_shape *shape,
                                            size_t n_sectors, unsigned n_challenges);
void cz_post_vanilla_destroy(cz_post_vanilla *v);

/** Fill the slot of sector i, but for `at`. CZ_E_INPUT "sector 12: inclusion_proofs[3]: …" once the
 * sector's number is known. */
CZ_MUST_CHECK cz_err cz_post_sector_decode(cz_post_vanilla *v, size_t i, const uint8_t *bytes,
                                           size_t n);

/** All openings' siblings and indices, sector after sector, opening after opening: arrays of the
 * vanilla proofs' own, which have at least one sector. */
const cz_fr *cz_post_siblings(const cz_post_vanilla *v);
const uint32_t *cz_post_indices(const cz_post_vanilla *v);

#endif
