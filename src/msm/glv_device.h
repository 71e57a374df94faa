/* glv_device.h: scalars cut in two halves by an endomorphism [GLV01], on devices and the host.
 *
 * (x, y) -> (beta x, y) multiplies a point of G1 by -z^2, z the BLS parameter (CZ_G1_BETA), and
 * with the other root of unity (CZ_G2_BETA) one of G2: there it is minus the square of psi (g2.c).
 * So s P = k0 P - k1 (-z^2 P) with s = k0 + k1 z^2; k1 = s / z^2 to the nearest, and |k0|, |k1| are
 * below 2^126.5, since z^4 - z^2 + 1 = r. First s > r/2 is replaced by s - r. */
#ifndef CZ_MSM_GLV_DEVICE_H
#define CZ_MSM_GLV_DEVICE_H

#include "field/fr_device.h"

/* z^2, and floor(2^288 / z^2) */
#define CZ_GLV_Z2                                                                                  \
    {                                                                                              \
        0x00000000u, 0x00000001u, 0x0001a402u, 0xac45a401u                                         \
    }
#define CZ_GLV_MU                                                                                  \
    {                                                                                              \
        0x034eb4b9u, 0xf6cfee2eu, 0x63f6e522u, 0xe01faaddu, 0x7c6becf1u, 0x00000001u               \
    }

/** |k| in four limbs, top bit clear, and the sign. */
typedef struct {
    uint32_t limb[4];
    uint32_t negative; /* 0 or 1 */
} cz_glv_half;

/* s mod r to |s|; 1 when it was replaced by r - s. s below 2 r. */
CZ_DEV uint32_t cz_glv_centre(uint32_t *s)
{
    uint32_t r[8], other[8], t[8], above;

    cz_fr32_modulus(r);
    cz_limbs_reduce_once(s, s, r, 8);
    (void)cz_limbs_sub(other, r, s, 8);
    above = cz_limbs_sub(t, other, s, 8); /* all ones: r - s < s */
    CZ_UNROLL
    for (int i = 0; i < 8; i++)
        s[i] = above ? other[i] : s[i];
    return above & 1;
}

/* s / z^2, rounded: (s >> 96) floor(2^288 / z^2) / 2^192. */
CZ_DEV void cz_glv_quotient(uint32_t *q, const uint32_t *s)
{
    const uint32_t mu[6] = CZ_GLV_MU;
    uint32_t t[11] = {0};

    t[5] = 0x80000000u;
    CZ_UNROLL
    for (int i = 0; i < 5; i++) {
        uint64_t carry = 0;

        CZ_UNROLL
        for (int j = 0; j < 6; j++) {
            carry += (uint64_t)s[3 + i] * mu[j] + t[i + j];
            t[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        CZ_UNROLL
        for (int j = i + 6; j < 11; j++) {
            carry += t[j];
            t[j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    CZ_UNROLL
    for (int i = 0; i < 4; i++)
        q[i] = t[6 + i];
}

/* k0 = s - q z^2, as |k0| and its sign. */
CZ_DEV void cz_glv_remainder(cz_glv_half *k0, const uint32_t *s, const uint32_t *q)
{
    const uint32_t z2[4] = CZ_GLV_Z2;
    uint32_t product[5] = {0}, k[5];
    int64_t borrow = 0;

    CZ_UNROLL
    for (int i = 0; i < 4; i++) {
        uint64_t carry = 0;

        CZ_UNROLL
        for (int j = 0; j < 4 && i + j < 5; j++) {
            carry += (uint64_t)q[i] * z2[j] + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        if (i == 0)
            product[4] = (uint32_t)carry;
    }
    CZ_UNROLL
    for (int i = 0; i < 5; i++) {
        borrow += (int64_t)s[i] - product[i];
        k[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    k0->negative = k[4] >> 31;
    borrow = k0->negative;
    CZ_UNROLL
    for (int i = 0; i < 4; i++) {
        borrow += k[i] ^ (0u - k0->negative);
        k0->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
}

/** s P = k[0] P + k[1] phi(P), phi the endomorphism; s below 2^255, overwritten. */
CZ_DEV void cz_glv_split(cz_glv_half k[2], uint32_t *s)
{
    const uint32_t negative = cz_glv_centre(s);

    cz_glv_quotient(k[1].limb, s);
    cz_glv_remainder(&k[0], s, k[1].limb);
    k[0].negative ^= negative;
    k[1].negative = negative ^ 1;
}

#endif
