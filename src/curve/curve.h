/* curve.h: the two groups of BLS12-381.
 *
 * G1: y^2 = x^3 + 4 over Fp. G2: y^2 = x^3 + 4 (1 + u) over Fp2. Each has three types, never cast
 * into another:
 *   cz_gN_affine  (x, y); (0, 0) is infinity, which lies on neither curve
 *   cz_gN         Jacobian: (X/Z^2, Y/Z^3); Z = 0 is infinity, whatever X and Y are
 *   cz_gN_xyzz    (X/ZZ, Y/ZZZ) with ZZ^3 = ZZZ^2; ZZ = 0 is infinity; for sums of many affine
 *                 points
 * Additions are complete: equal, opposite and infinite operands are handled. Formulas: EFD [BL07].
 *
 * G1 and G2 share one text, group_body.h, included once for each by g1.c and g2.c.
 * Aliasing: results may overlap operands. Threads: all functions are pure. Timing: variable, except
 * cz_gN_mul_ct for blinding scalars, and cz_gN_to_affine. */
#ifndef CZ_CURVE_CURVE_H
#define CZ_CURVE_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "field/fp.h"
#include "field/fp2.h"
#include "field/fr.h"

typedef struct {
    cz_fp x, y;
} cz_g1_affine;
typedef struct {
    cz_fp x, y, z;
} cz_g1;
typedef struct {
    cz_fp x, y, zz, zzz;
} cz_g1_xyzz;

typedef struct {
    cz_fp2 x, y;
} cz_g2_affine;
typedef struct {
    cz_fp2 x, y, z;
} cz_g2;
typedef struct {
    cz_fp2 x, y, zz, zzz;
} cz_g2_xyzz;

/** The standard generators. */
extern const cz_g1_affine cz_g1_generator;
extern const cz_g2_affine cz_g2_generator;

/* What both groups offer; G is g1 or g2. */
#define CZ_GROUP_API(G)                                                                            \
    void cz_##G##_set_infinity(cz_##G *r);                                                         \
    bool cz_##G##_is_infinity(const cz_##G *a);                                                    \
    bool cz_##G##_affine_is_infinity(const cz_##G##_affine *a);                                    \
    bool cz_##G##_equal(const cz_##G *a, const cz_##G *b);                                         \
    bool cz_##G##_affine_equal(const cz_##G##_affine *a, const cz_##G##_affine *b);                \
    void cz_##G##_from_affine(cz_##G *r, const cz_##G##_affine *a);                                \
    void cz_##G##_to_affine(cz_##G##_affine *r, const cz_##G *a);                                  \
    void cz_##G##_neg(cz_##G *r, const cz_##G *a);                                                 \
    void cz_##G##_dbl(cz_##G *r, const cz_##G *a);                                                 \
    void cz_##G##_add(cz_##G *r, const cz_##G *a, const cz_##G *b);                                \
    void cz_##G##_add_affine(cz_##G *r, const cz_##G *a, const cz_##G##_affine *b);                \
    /* r = k a, variable time in k */                                                              \
    void cz_##G##_mul_var(cz_##G *r, const cz_##G *a, const cz_u256 *k);                           \
    /* r = k a; branches and addresses do not depend on k */                                       \
    void cz_##G##_mul_ct(cz_##G *r, const cz_##G *a, const cz_u256 *k);                            \
    /* n points to affine with one inversion; no allocation: rs is the scratch. Always CZ_OK */    \
    CZ_MUST_CHECK cz_err cz_##G##_batch_to_affine(cz_##G##_affine *rs, const cz_##G *as,           \
                                                  size_t n);                                       \
    void cz_##G##_xyzz_set_infinity(cz_##G##_xyzz *r);                                             \
    bool cz_##G##_xyzz_is_infinity(const cz_##G##_xyzz *a);                                        \
    void cz_##G##_xyzz_add_affine(cz_##G##_xyzz *r, const cz_##G##_affine *b);                     \
    void cz_##G##_xyzz_add(cz_##G##_xyzz *r, const cz_##G##_xyzz *b);                              \
    void cz_##G##_xyzz_to_jacobian(cz_##G *r, const cz_##G##_xyzz *a);                             \
    /* infinity counts as on the curve and in the subgroup */                                      \
    bool cz_##G##_affine_on_curve(const cz_##G##_affine *a);                                       \
    /* a must be on the curve. By an endomorphism [Sco21] */                                       \
    bool cz_##G##_affine_in_subgroup(const cz_##G##_affine *a);                                    \
    /* the same by multiplication with r, the definition */                                        \
    bool cz_##G##_affine_in_subgroup_ref(const cz_##G##_affine *a)

CZ_GROUP_API(g1);
CZ_GROUP_API(g2);

/* Encodings: Zcash's, as the parameter files and proofs use them. Compressed G1 48 bytes, G2 96;
 * uncompressed twice that; big-endian; G2 coordinates as (c1, c0). Bit 7 of the first byte:
 * compressed, bit 6: infinity, bit 5: sign of y. */
enum {
    CZ_G1_COMPRESSED_BYTES = 48,
    CZ_G1_UNCOMPRESSED_BYTES = 96,
    CZ_G2_COMPRESSED_BYTES = 96,
    CZ_G2_UNCOMPRESSED_BYTES = 192
};

void cz_g1_compress(uint8_t out[48], const cz_g1_affine *a);
void cz_g2_compress(uint8_t out[96], const cz_g2_affine *a);
void cz_g1_serialize(uint8_t out[96], const cz_g1_affine *a);
void cz_g2_serialize(uint8_t out[192], const cz_g2_affine *a);

/** Decode and check everything: flags, canonical coordinates, curve, subgroup. Infinity is accepted
 * (callers that must refuse it test for it). CZ_E_INPUT says which check failed; *r is infinity
 * then. */
CZ_MUST_CHECK cz_err cz_g1_decompress(cz_g1_affine *r, const uint8_t in[48]);
CZ_MUST_CHECK cz_err cz_g2_decompress(cz_g2_affine *r, const uint8_t in[96]);
CZ_MUST_CHECK cz_err cz_g1_deserialize(cz_g1_affine *r, const uint8_t in[96]);
CZ_MUST_CHECK cz_err cz_g2_deserialize(cz_g2_affine *r, const uint8_t in[192]);

/** As _deserialize without the curve and subgroup checks: for files whose digest was verified, or
 * the bulk of a file that is checked by other means. Flags and canonical coordinates are still
 * checked. */
CZ_MUST_CHECK cz_err cz_g1_deserialize_unchecked(cz_g1_affine *r, const uint8_t in[96]);
CZ_MUST_CHECK cz_err cz_g2_deserialize_unchecked(cz_g2_affine *r, const uint8_t in[192]);

#endif
