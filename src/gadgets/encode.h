/* encode.h: the replica encoding: a data node plus its key (the label of the last layer). */
#ifndef CZ_GADGETS_ENCODE_H
#define CZ_GADGETS_ENCODE_H

#include "gadgets/num.h"

/** key + value. */
cz_num cz_encode(cz_cs *cs, cz_name name, const cz_num *key, const cz_num *value);

/** value - key. */
cz_num cz_decode(cz_cs *cs, cz_name name, const cz_num *key, const cz_num *value);

#endif
