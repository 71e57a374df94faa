/* snap_inputs.h: challenges, randomness and public inputs of an empty-sector update ("SnapDeals").
 *
 * An update encodes new data into a replica: new node = old node + data node * rho, where rho is
 * the hash of phi = H(comm_d_new, comm_r_old) and the h high bits of the node's number. Challenges
 * are cut out of the hashes of comm_r_new and a running number, each partition opening nodes of its
 * own part of the sector. H is Poseidon of arity 2 under a domain tag of its own.
 *
 * Two circuits exist: the network's, whose data tree is SHA-254, split into partitions that each
 * rebuild the tree between an "apex" row and their root; and a variant of one partition whose data
 * tree is a Poseidon tree of the replica's shape.
 * Source: rust-fil-proofs storage-proofs-update/src/{constants,challenges,vanilla}.rs. */
#ifndef CZ_FILECOIN_SNAP_INPUTS_H
#define CZ_FILECOIN_SNAP_INPUTS_H

#include "field/fr.h"
#include "filecoin/shapes.h"

typedef enum { CZ_SNAP_SHA, CZ_SNAP_POSEIDON } cz_snap_variant;

enum {
    CZ_SNAP_HS = 6,              /* values of h that the circuit can choose between */
    CZ_SNAP_INPUTS = 4,          /* public inputs of a partition, without the leading one */
    CZ_SNAP_MAX_CHALLENGES = 86, /* of a partition of the SHA-256 variant */
    CZ_SNAP_MAX_APEX_LEAVES = 128
};

/* What a circuit proves. */
typedef struct {
    cz_snap_variant variant;
    unsigned partitions;
    unsigned challenges;         /* a partition */
    unsigned apex_leaves;        /* 0: the Poseidon variant has none */
    unsigned node_bits;          /* of a node's number */
    unsigned partition_bits;     /* of it, the highest: the partition's number */
    unsigned apex_bits;          /* the next lower: the apex leaf's number in the partition */
    const cz_tree_shape *tree_d; /* of the new data */
} cz_snap_dims;

cz_snap_dims cz_snap_dims_of(const cz_sector_shape *shape, cz_snap_variant variant);

/** The values of h, and which of them the network uses. */
const unsigned *cz_snap_hs(const cz_sector_shape *shape);
unsigned cz_snap_h_index(const cz_sector_shape *shape);

/** The domain tag of phi, rho and the challenges. */
void cz_snap_tag(cz_fr *out);

/** H(a, b). CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_snap_hash(cz_fr *out, const cz_fr *a, const cz_fr *b);

CZ_MUST_CHECK cz_err cz_snap_phi(cz_fr *out, const cz_fr *comm_d_new, const cz_fr *comm_r_old);

/** rho of a node. */
CZ_MUST_CHECK cz_err cz_snap_rho(cz_fr *out, const cz_sector_shape *shape, const cz_fr *phi,
                                 uint32_t node);

/** How many challenges one hash gives, and how many hashes a partition takes. */
unsigned cz_snap_challenges_per_digest(const cz_snap_dims *dims);
unsigned cz_snap_digests(const cz_snap_dims *dims);

/** The nodes that partition k opens: out takes dims->challenges. */
CZ_MUST_CHECK cz_err cz_snap_challenges(uint32_t *out, const cz_snap_dims *dims,
                                        const cz_fr *comm_r_new, unsigned k);

/* What the verifier knows. */
typedef struct {
    const cz_sector_shape *shape;
    cz_snap_variant variant;
    cz_fr comm_r_old, comm_d_new, comm_r_new;
} cz_snap_statement;

/** Public inputs of partition k: partition and choice of h packed into one, and the commitments. */
void cz_snap_public_inputs(cz_fr out[CZ_SNAP_INPUTS], const cz_snap_statement *s, unsigned k);

#endif
