/* create_label.h: the label of a node in one layer of the stacked graph:
 * SHA-256(replica id || layer, node, padding to 32 bytes || 37 parents), cut to 254 bits. A node's
 * 6 (first layer) or 14 parents are repeated in order until there are 37. */
#ifndef CZ_GADGETS_CREATE_LABEL_H
#define CZ_GADGETS_CREATE_LABEL_H

#include "gadgets/num.h"
#include "gadgets/uint64.h"

enum { CZ_LABEL_PARENTS = 37, CZ_LABEL_BITS = 256 };

/** replica_id and every parent: 256 bits in SHA-256's order (cz_reverse_bit_numbering of a number's
 * bits). */
cz_num cz_create_label(cz_cs *cs, cz_name name, const cz_boolean replica_id[CZ_LABEL_BITS],
                       uint32_t layer, const cz_uint64 *node,
                       const cz_boolean (*parents)[CZ_LABEL_BITS], unsigned n_parents);

#endif
