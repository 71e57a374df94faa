/* porep_label.h: the label of a node in one layer, outside of a circuit; the circuit twin is
 * gadgets/create_label.h. */
#ifndef CZ_FILECOIN_POREP_LABEL_H
#define CZ_FILECOIN_POREP_LABEL_H

#include "filecoin/shapes.h"

/** The 37 elements that go into the label of layer `row + 1`: DRG parents from the same layer,
 * then, above the first layer, expander parents from the one below, all over again. columns: one
 * label a layer for each parent, DRG parents first; layers from `row` (DRG) and `row - 1`
 * (expander) are read. */
void cz_porep_label_parents(cz_fr out[CZ_LABEL_PARENTS], const cz_fr *const columns[CZ_PARENTS],
                            unsigned row);

/** SHA-256(replica id || layer || node || parents), cut to 254 bits. */
void cz_porep_label(cz_fr *out, const uint8_t replica_id[32], uint32_t layer, uint64_t node,
                    const cz_fr parents[CZ_LABEL_PARENTS]);

/** Of node 0, which has no parents: SHA-256(replica id || layer || 0), cut to 254 bits. */
void cz_porep_label_of_first(cz_fr *out, const uint8_t replica_id[32], uint32_t layer);

#endif
