/* fr_device.h: Fr on CUDA devices, eight 32-bit limbs; the same text runs on the host for tests.
 *
 * The bytes of an element are those of cz_fr: Montgomery form, R = 2^256, little-endian.
 * "canonical" is below r, "lazy" below 2 r (which is 0.906 * 2^256; there is no room for more).
 *
 * Method: Montgomery's product by rows [KAA96, section 5], two carry chains (limbs32_device.h).
 * Since r = 1 - 2^32 mod 2^64, -1/r = -1 mod 2^32, the quotient digit q of a row is the negative of
 * its lowest limb, and adding q (1 + (2^32 - 1) 2^32) takes four additions in place of two wide
 * products: 112 wide products in all, not 136.
 *
 * Cost on an H200: 65.8 G products a second; 31.6 wide products a clock and multiprocessor, which
 * bound everything, would allow 73. */
#ifndef CZ_FIELD_FR_DEVICE_H
#define CZ_FIELD_FR_DEVICE_H

#include "field/field_constants.h"
#include "field/limbs32_device.h"

enum { CZ_FR_LIMBS32 = 8 };

/** Eight limbs; the same bytes as cz_fr. */
typedef struct {
    uint32_t v[8];
} cz_fr32;

CZ_DEV uint32_t cz_fr32_modulus_limb(int i)
{
    const uint64_t m[4] = CZ_FR_MODULUS;

    return (uint32_t)(m[i / 2] >> (32 * (i % 2)));
}

CZ_DEV void cz_fr32_modulus(uint32_t *m)
{
    CZ_UNROLL
    for (int i = 0; i < 8; i++)
        m[i] = cz_fr32_modulus_limb(i);
}

CZ_DEV void cz_fr32_twice_modulus(uint32_t *m)
{
    CZ_UNROLL
    for (int i = 0; i < 8; i++)
        m[i] = cz_fr32_modulus_limb(i) << 1 | (i > 0 ? cz_fr32_modulus_limb(i - 1) >> 31 : 0);
}

/* Add the multiple of r that makes even[0] zero. */
CZ_DEV void cz_fr32_reduce_row(uint32_t *even, uint32_t *odd)
{
    const uint32_t low = even[0];
    cz_cc cc = {0};
    /* q = 2^32 c - low with c = (low != 0); value + q (1 - 2^32 + 2^64):
     * limb 0 becomes 2^32 c, limb 1 gets low + c - 2^32 c, limb 2 gets q - c and that 2^32 c back.
     * q as ~low + 1 and not as -low: ptxas would move the sign into the constants of the low
     * halves, and they would part from the high ones. */
    const uint32_t inverted = ~low;
    const uint32_t q = cz_add_cc(inverted, 1, &cc); /* carry: 1 - c */
    const uint32_t q_minus_c = cz_addc(inverted, 0, &cc);

    (void)cz_add_cc(low, 0xffffffffu, &cc); /* carry: c */
    odd[0] = cz_addc_cc(odd[0], low, &cc);
    odd[1] = cz_addc_cc(odd[1], q_minus_c, &cc);
    CZ_UNROLL
    for (int j = 2; j < 8; j += 2) {
        odd[j] = cz_madc_lo_cc(cz_fr32_modulus_limb(j + 1), q, odd[j], &cc);
        odd[j + 1] = j < 6 ? cz_madc_hi_cc(cz_fr32_modulus_limb(j + 1), q, odd[j + 1], &cc)
                           : cz_madc_hi(cz_fr32_modulus_limb(j + 1), q, odd[j + 1], &cc);
    }
    even[2] = cz_mad_lo_cc(cz_fr32_modulus_limb(2), q, even[2], &cc);
    even[3] = cz_madc_hi_cc(cz_fr32_modulus_limb(2), q, even[3], &cc);
    CZ_UNROLL
    for (int j = 4; j < 8; j += 2) {
        even[j] = cz_madc_lo_cc(cz_fr32_modulus_limb(j), q, even[j], &cc);
        even[j + 1] = cz_madc_hi_cc(cz_fr32_modulus_limb(j), q, even[j + 1], &cc);
    }
    odd[7] = cz_addc(odd[7], 0, &cc);
}

/** r = a b / 2^256, lazy; a any number below 2^256, b canonical. r may be a or b. The rows are
 * multiples of b: they and those of r fit nine limbs together, multiples of a would not. */
CZ_DEV void cz_fr32_mul(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t even[8], odd[8];

    cz_row_first(even, odd, b, a[0], 8);
    cz_fr32_reduce_row(even, odd);
    CZ_UNROLL
    for (int i = 1; i < 8; i++) {
        cz_row_next(even, odd, b, a[i], 8);
        cz_fr32_reduce_row(even, odd);
    }
    cz_row_join(r, even, odd, 8);
}

/** Lazy to canonical. */
CZ_DEV void cz_fr32_canonical(uint32_t *r, const uint32_t *a)
{
    uint32_t m[8];

    cz_fr32_modulus(m);
    cz_limbs_reduce_once(r, a, m, 8);
}

/** r = a b, canonical; operands as for cz_fr32_mul. */
CZ_DEV void cz_fr32_mul_canonical(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t t[8];

    cz_fr32_mul(t, a, b);
    cz_fr32_canonical(r, t);
}

/** r = a + b; all lazy. */
CZ_DEV void cz_fr32_add_lazy(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t sum[8], less[8], m[8];
    uint32_t carry, below;

    cz_fr32_twice_modulus(m);
    carry = cz_limbs_add_carry(sum, a, b, 8);
    below = cz_limbs_sub(less, sum, m, 8);
    CZ_UNROLL
    for (int i = 0; i < 8; i++)
        r[i] = carry == 0 && below != 0 ? sum[i] : less[i];
}

/** r = a - b; all lazy. */
CZ_DEV void cz_fr32_sub_lazy(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t m[8];

    cz_fr32_twice_modulus(m);
    cz_limbs_sub_mod(r, a, b, m, 8);
}

/** r = a - b; all canonical. */
CZ_DEV void cz_fr32_sub(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t m[8];

    cz_fr32_modulus(m);
    cz_limbs_sub_mod(r, a, b, m, 8);
}

CZ_DEV void cz_fr32_one(uint32_t *r)
{
    const uint64_t one[4] = CZ_FR_R;

    CZ_UNROLL
    for (int i = 0; i < 8; i++)
        r[i] = (uint32_t)(one[i / 2] >> (32 * (i % 2)));
}

/** r = a^e, canonical, a canonical. Variable time in e. */
CZ_DEV void cz_fr32_pow(uint32_t *r, const uint32_t *a, uint64_t e)
{
    uint32_t power[8], square[8];

    cz_fr32_one(power);
    cz_limbs_copy(square, a, 8);
    for (; e != 0; e >>= 1) {
        if (e & 1)
            cz_fr32_mul_canonical(power, power, square);
        cz_fr32_mul_canonical(square, square, square);
    }
    cz_limbs_copy(r, power, 8);
}

/* ---- elements in memory, aligned to 16 bytes there ---- */

/** For memory that nothing writes while the kernel runs. */
CZ_DEV void cz_fr32_read(uint32_t *r, const cz_fr32 *from)
{
#ifdef __CUDA_ARCH__
    const uint4 a = __ldg((const uint4 *)from), b = __ldg((const uint4 *)from + 1);

    r[0] = a.x, r[1] = a.y, r[2] = a.z, r[3] = a.w;
    r[4] = b.x, r[5] = b.y, r[6] = b.z, r[7] = b.w;
#else
    cz_limbs_copy(r, from->v, 8);
#endif
}

CZ_DEV void cz_fr32_write(cz_fr32 *to, const uint32_t *v)
{
#ifdef __CUDA_ARCH__
    ((uint4 *)to)[0] = make_uint4(v[0], v[1], v[2], v[3]);
    ((uint4 *)to)[1] = make_uint4(v[4], v[5], v[6], v[7]);
#else
    cz_limbs_copy(to->v, v, 8);
#endif
}

#endif
