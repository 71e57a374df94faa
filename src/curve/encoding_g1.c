/* encoding_g1.c: G1 points as bytes. */
#include <string.h>

#include "curve/curve.h"
#include "curve/curve_equation.h"

#define NAME          "G1"
#define AFFINE        cz_g1_affine
#define COORD         cz_fp
#define G(name)       cz_g1_##name
#define C(name)       cz_fp_##name
#define COORD_BYTES   48
#define rhs           cz_g1_rhs
#define coord_to_be   cz_fp_to_be
#define coord_from_be cz_fp_from_be
#include "curve/encoding_body.h"
