/* decode8.h: eight points at once out of a parameter file, the fast form of decode_g1 and decode_g2
 * in points.c (which is the definition, and says what is wrong with a point that fails here).
 *
 * Method: the bytes are already the integers; one product a coordinate puts them into Montgomery
 * form, and the curve equation is checked on an isomorphic curve that the same integers lie on, so
 * that x needs no second product. 6 products of 8 lanes for eight points of G1 where the plain form
 * takes 40 of one. */
#ifndef CZ_PARAMS_DECODE8_H
#define CZ_PARAMS_DECODE8_H

#include <stdbool.h>
#include <stdint.h>

#include "curve/curve.h"

/** Decode 8 uncompressed points: canonical coordinates, on the curve, not infinity, no flags.
 * False: at least one is not; *out is undefined then. Only where cz_cpu_has(CZ_CPU_AVX512IFMA). */
bool cz_decode8_g1_ifma(cz_g1_affine out[8], const uint8_t *const in[8]);
bool cz_decode8_g2_ifma(cz_g2_affine out[8], const uint8_t *const in[8]);

#endif
