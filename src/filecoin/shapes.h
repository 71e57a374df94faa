/* shapes.h: what a sector size fixes: nodes, trees, layers, partitions, challenges.
 *
 * Source: rust-fil-proofs filecoin-proofs/src/constants.rs, storage-proofs-update/src/constants.rs.
 * Sizes: 2k 4k 16k 32k 8m 16m 512m 1g 32g 64g. */
#ifndef CZ_FILECOIN_SHAPES_H
#define CZ_FILECOIN_SHAPES_H

#include <stddef.h>
#include <stdint.h>

#include "gadgets/create_label.h" /* CZ_LABEL_PARENTS */
#include "gadgets/por.h"

enum {
    CZ_DRG_PARENTS = 6,
    CZ_EXP_PARENTS = 8,
    CZ_PARENTS = CZ_DRG_PARENTS + CZ_EXP_PARENTS,
    CZ_MAX_LAYERS = 11,
    CZ_MAX_POREP_CHALLENGES = 18, /* in one partition */
    CZ_WINNING_CHALLENGES = 66,
    CZ_WINDOW_CHALLENGES = 10, /* a sector */
    CZ_MAX_TREE_LEVELS = 31,   /* tree D of 64 GiB */
    CZ_TREE_ARITY = 8          /* the largest */
};

typedef struct {
    const char *tag; /* "2k" */
    uint64_t sector_size;
    uint64_t nodes;       /* of 32 bytes */
    cz_tree_shape tree_r; /* Poseidon: trees C and R-last, and those of PoSt and updates */
    cz_tree_shape tree_d; /* SHA-254, binary */

    unsigned layers;
    unsigned porep_challenges;    /* a partition */
    unsigned porep_partitions;    /* interactive and synthetic */
    unsigned porep_ni_partitions; /* non-interactive */

    unsigned window_sectors; /* a window PoSt partition */

    unsigned snap_partitions; /* 0: no such circuit (1g) */
    unsigned snap_challenges; /* a partition */
    unsigned snap_apex_leaves;
} cz_sector_shape;

/** All sizes in ascending order; *n of them. */
const cz_sector_shape *cz_sector_shapes(size_t *n);

/** The shape of a size in bytes, or of a tag ("32g"); NULL when there is none. */
const cz_sector_shape *cz_sector_shape_find(uint64_t sector_size);
const cz_sector_shape *cz_sector_shape_by_tag(const char *tag);

#endif
