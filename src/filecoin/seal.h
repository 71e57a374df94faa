/* seal.h: sealing a small sector for real: data, labels of all nodes in all layers, columns, trees,
 * replica. Everything in memory, about 32 bytes times nodes times (layers + 4); meant for 2 KiB …
 * 8 MiB.
 * Source: rust-fil-proofs storage-proofs-porep/src/stacked/vanilla/proof.rs. */
#ifndef CZ_FILECOIN_SEAL_H
#define CZ_FILECOIN_SEAL_H

#include "filecoin/full_tree.h"
#include "filecoin/gen_vanilla.h"

enum { CZ_SEAL_MAX_NODES = 1 << 18 }; /* 8 MiB */

typedef struct {
    const cz_proof_spec *spec; /* a seal proof */
    const cz_sector_shape *shape;
    cz_gen_identity id;
    uint8_t ticket[32], replica_id[32];
    cz_fr comm_d, comm_r;
    cz_fr *data;   /* nodes */
    cz_fr *labels; /* node by node, shape->layers each */
    cz_full_tree *tree_d, *tree_c, *tree_r_last;
} cz_sealed_sector;

/** Seal seeded data. CZ_E_UNSUPPORTED above 8 MiB. */
CZ_MUST_CHECK cz_err cz_seal(cz_sealed_sector **out, const cz_proof_spec *spec, uint64_t seed,
                             const cz_gen_identity *id, cz_pool *pool);
void cz_sealed_sector_destroy(cz_sealed_sector *s);

/** The C1 of a sealed sector under an interactive seed (not looked at by non-interactive proofs).
 */
CZ_MUST_CHECK cz_err cz_sealed_porep(cz_porep_vanilla **out, const cz_sealed_sector *s,
                                     const uint8_t seed[32]);

/** The PoSt proof of sector i of a request. v has slots for it. */
CZ_MUST_CHECK cz_err cz_sealed_post(cz_post_vanilla *v, const cz_post_statement *statement,
                                    size_t i, const cz_sealed_sector *s);

/** An update of the sector to other seeded data; the statement's commitments are filled in. */
CZ_MUST_CHECK cz_err cz_sealed_update(cz_snap_vanilla **out, cz_snap_statement *statement,
                                      const cz_sealed_sector *s, uint64_t seed, cz_pool *pool);

#endif
