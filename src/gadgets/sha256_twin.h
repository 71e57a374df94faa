/* sha256_twin.h: the bits that sha256_circuit.h allocates for a compression, computed natively.
 *
 * For modes that take bits by the word (cz_cs_takes_words). Words of the schedule and of the rounds
 * are 32-bit integers with two masks: which bits are no constants, and which of those are negations
 * of their variables; so an operation on 32 bits, and the bits that it allocates, are a few
 * instructions, where the circuit makes 32 variables one by one. Its reference is
 * cz_sha256_circuit_compress itself. Inside gadgets/ only. */
#ifndef CZ_GADGETS_SHA256_TWIN_H
#define CZ_GADGETS_SHA256_TWIN_H

#include "gadgets/uint32.h"

/** As cz_sha256_circuit_compress; out may be h. */
void cz_sha256_twin_compress(cz_cs *cs, cz_uint32 out[8], const cz_boolean block[512],
                             const cz_uint32 h[8]);

#endif
