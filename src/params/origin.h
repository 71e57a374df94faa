/* origin.h: whose parameters are these?
 *
 * Parameters that somebody made for tests have the network's names, counts and sizes, and proofs
 * made with them verify against their own key; the network refuses them. For sectors of 32 and
 * 64 GiB all keys of the network begin with the points of one ceremony: alpha and beta of its first
 * phase, and the generator for gamma. Keys of smaller sectors have origins of their own, and those
 * of the update's Poseidon variant are not the network's at all. */
#ifndef CZ_PARAMS_ORIGIN_H
#define CZ_PARAMS_ORIGIN_H

#include "params/params.h"

typedef enum {
    CZ_ORIGIN_UNKNOWN, /* the key alone does not tell */
    CZ_ORIGIN_NETWORK,
    CZ_ORIGIN_OTHER
} cz_params_origin;

cz_params_origin cz_params_origin_of(const cz_params *p);

#endif
