/* graph.h: the stacked depth-robust graph: which 14 nodes a node's label depends on.
 *
 * 6 parents come from the same layer by bucket sampling (DRG, "DRSample" [ABH17]), seeded for each
 * node; 8 from the layer below through a permutation of (node, slot) pairs (the expander).
 * Api 1.0.0 differs in two ways: the immediate predecessor is the last DRG parent instead of the
 * first, and permuted indices are cut to 32 bits before they become nodes.
 * Source: rust-fil-proofs storage-proofs-core/src/drgraph.rs, storage-proofs-porep graph.rs. */
#ifndef CZ_FILECOIN_GRAPH_H
#define CZ_FILECOIN_GRAPH_H

#include "filecoin/feistel.h"
#include "filecoin/registry.h"
#include "filecoin/shapes.h"

typedef struct {
    uint64_t nodes;
    cz_api_version api;
    uint8_t drg_seed[28];
    cz_feistel expander;
} cz_graph;

/** nodes: a power of two, 4 … 2^31. */
void cz_graph_init(cz_graph *g, uint64_t nodes, const uint8_t porep_id[32], cz_api_version api);

/** The DRG parents, then the expander parents, of a node below g->nodes. Fails only when BLAKE2b
 * does. Threads: g is only read. */
CZ_MUST_CHECK cz_err cz_graph_parents(const cz_graph *g, uint32_t node, uint32_t out[CZ_PARENTS]);

#endif
