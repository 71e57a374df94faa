/* vanilla_porep.h: the vanilla proof of a PoRep (output of commit phase 1, "C1") in memory.
 *
 * A C1 opens, for each challenge of each partition: the data node in tree D, the replica node in
 * tree R-last, the columns of the node and of its 14 parents in tree C, and the parents' labels
 * that go into each label of the node. Two decoders fill it (c1_json.c, c1_bincode.c; c1.h
 * chooses); porep_check.h checks it.
 *
 * Every array has the length that the sector's shape fixes, so that decoders only fill slots and a
 * length that differs is an error of the input. Field names in messages are those of the JSON. */
#ifndef CZ_FILECOIN_VANILLA_POREP_H
#define CZ_FILECOIN_VANILLA_POREP_H

#include "filecoin/merkle.h"
#include "filecoin/registry.h"
#include "filecoin/shapes.h"

/* A column of tree C: one label a layer, and the proof that its hash is leaf `index`. */
typedef struct {
    uint32_t index;
    cz_fr *rows; /* shape->layers */
    cz_inclusion_proof inclusion;
} cz_column_proof;

/* What a label was hashed from. */
typedef struct {
    uint32_t layer;
    uint64_t node;
    cz_fr *parents; /* CZ_LABEL_PARENTS */
} cz_label_proof;

/* Everything about one challenge. */
typedef struct {
    cz_inclusion_proof comm_d;      /* tree D */
    cz_inclusion_proof comm_r_last; /* tree R-last */
    cz_column_proof c_x;            /* of the challenge itself */
    cz_column_proof parents[CZ_PARENTS];
    cz_label_proof labels[CZ_MAX_LAYERS];
    cz_label_proof encoding;
} cz_porep_opening;

typedef struct {
    const cz_proof_spec *spec;
    const cz_sector_shape *shape;
    unsigned n_partitions, n_challenges; /* challenges a partition */
    cz_porep_opening *openings;          /* partition by partition */

    uint8_t comm_d[32], comm_r[32], replica_id[32]; /* canonical field elements */
    uint8_t seed[32], ticket[32];

    /* From around the C1: Curio's envelope has the sector's number, bincode also the prover id. */
    bool has_sector_number, has_prover_id;
    uint64_t sector_number;
    uint8_t prover_id[32];
} cz_porep_vanilla;

/** All slots, zero, for a seal proof of the registry. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_porep_vanilla_create(cz_porep_vanilla **out, const cz_proof_spec *spec);
void cz_porep_vanilla_destroy(cz_porep_vanilla *v);

/** Opening of challenge i of partition k. */
static inline cz_porep_opening *cz_porep_opening_at(const cz_porep_vanilla *v, unsigned k,
                                                    unsigned i)
{
    return &v->openings[(size_t)k * v->n_challenges + i];
}

#endif
