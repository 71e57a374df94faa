/* circuits.h: the circuits of the network, by id. Inside filecoin/ only.
 *
 * A family is one proof kind at several sector sizes. To build one more: write its circuit, and
 * give its create function to its row in circuits.c. */
#ifndef CZ_FILECOIN_CIRCUITS_H
#define CZ_FILECOIN_CIRCUITS_H

#include "cs/cs.h"
#include "filecoin/shapes.h"

/* What every circuit of this room embeds first: a circuit that can be destroyed through
 * cz_circuit_destroy. */
typedef struct {
    cz_circuit circuit;
    void (*destroy)(cz_circuit *self);
} cz_owned_circuit;

typedef enum {
    CZ_FAMILY_POREP,
    CZ_FAMILY_SNAP,
    CZ_FAMILY_SNAP_POSEIDON,
    CZ_FAMILY_WINNING,
    CZ_FAMILY_WINDOW
} cz_circuit_family;

/** Family and shape of an id. CZ_E_NOTFOUND names it. */
CZ_MUST_CHECK cz_err cz_circuit_lookup(cz_circuit_family *family, const cz_sector_shape **shape,
                                       const char *id);

/** The id of a family at a size, a static string; NULL when there is no such circuit. */
const char *cz_circuit_id(cz_circuit_family family, const cz_sector_shape *shape);

#endif
