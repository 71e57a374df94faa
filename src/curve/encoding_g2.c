/* encoding_g2.c: G2 points as bytes; a coordinate is c1, then c0. */
#include <string.h>

#include "curve/curve.h"
#include "curve/curve_equation.h"

static void coord_to_be(uint8_t bytes[96], const cz_fp2 *a)
{
    cz_fp_to_be(bytes, &a->c1);
    cz_fp_to_be(bytes + 48, &a->c0);
}

static bool coord_from_be(cz_fp2 *r, const uint8_t bytes[96])
{
    return cz_fp_from_be(&r->c1, bytes) && cz_fp_from_be(&r->c0, bytes + 48);
}

#define NAME        "G2"
#define AFFINE      cz_g2_affine
#define COORD       cz_fp2
#define G(name)     cz_g2_##name
#define C(name)     cz_fp2_##name
#define COORD_BYTES 96
#define rhs         cz_g2_rhs
#include "curve/encoding_body.h"
