/* comm.h: commitments: how they are made of roots, and how their 32 bytes become field elements. */
#ifndef CZ_FILECOIN_COMM_H
#define CZ_FILECOIN_COMM_H

#include "field/fr.h"

/** comm_r of a replica: Poseidon of the roots of tree C and of the last replica tree. CZ_E_NOMEM.
 */
CZ_MUST_CHECK cz_err cz_comm_r(cz_fr *out, const cz_fr *comm_c, const cz_fr *comm_r_last);

/** 32 bytes, little-endian, that must be below r. CZ_E_INPUT "not a field element (r or more)". */
CZ_MUST_CHECK cz_err cz_fr_from_bytes(cz_fr *out, const uint8_t bytes[32]);

#endif
