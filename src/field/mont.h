/* mont.h: Montgomery arithmetic on N 64-bit limbs, the portable inner loops under Fr and Fp.
 *
 * Plain C on unsigned __int128, force-inlined with a constant N, so that the same text serves gcc,
 * clang and nvcc. The method is operand scanning with interleaved reduction (CIOS) [KAA96, section
 * 5]. All values are canonical: inputs and results are below the modulus. Needs 4 m < 2^(64 N),
 * true of both fields. */
#ifndef CZ_FIELD_MONT_H
#define CZ_FIELD_MONT_H

#include <stdint.h>

#ifdef __CUDACC__
#define CZ_HD __host__ __device__
#else
#define CZ_HD
#endif
#define CZ_INLINE static inline __attribute__((always_inline))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
typedef unsigned __int128 cz_u128;
#pragma GCC diagnostic pop

/* (carry, result) = a + b + carry */
CZ_INLINE CZ_HD uint64_t cz_adc(uint64_t a, uint64_t b, uint64_t *carry)
{
    cz_u128 t = (cz_u128)a + b + *carry;

    *carry = (uint64_t)(t >> 64);
    return (uint64_t)t;
}

/* (borrow, result) = a - b - borrow, borrow in {0, 1} */
CZ_INLINE CZ_HD uint64_t cz_sbb(uint64_t a, uint64_t b, uint64_t *borrow)
{
    cz_u128 t = (cz_u128)a - b - *borrow;

    *borrow = (uint64_t)(t >> 64) & 1;
    return (uint64_t)t;
}

/* (carry, result) = t + a * b + carry; never overflows 128 bits */
CZ_INLINE CZ_HD uint64_t cz_mac(uint64_t t, uint64_t a, uint64_t b, uint64_t *carry)
{
    cz_u128 s = (cz_u128)a * b + t + *carry;

    *carry = (uint64_t)(s >> 64);
    return (uint64_t)s;
}

/* r = t - m if t >= m, else t; `high` is a limb above t (0 or 1) */
CZ_INLINE CZ_HD void cz_mont_reduce_once(uint64_t *r, const uint64_t *t, uint64_t high,
                                         const uint64_t *m, int n)
{
    uint64_t d[6];
    uint64_t borrow = 0;
    uint64_t keep;

    for (int i = 0; i < n; i++)
        d[i] = cz_sbb(t[i], m[i], &borrow);
    (void)cz_sbb(high, 0, &borrow);
    keep = (uint64_t)0 - borrow; /* all ones: t was below m */
    for (int i = 0; i < n; i++)
        r[i] = (t[i] & keep) | (d[i] & ~keep);
}

CZ_INLINE CZ_HD void cz_mont_add(uint64_t *r, const uint64_t *a, const uint64_t *b,
                                 const uint64_t *m, int n)
{
    uint64_t t[6];
    uint64_t carry = 0;

    for (int i = 0; i < n; i++)
        t[i] = cz_adc(a[i], b[i], &carry);
    cz_mont_reduce_once(r, t, carry, m, n);
}

CZ_INLINE CZ_HD void cz_mont_sub(uint64_t *r, const uint64_t *a, const uint64_t *b,
                                 const uint64_t *m, int n)
{
    uint64_t t[6];
    uint64_t borrow = 0;
    uint64_t carry = 0;
    uint64_t add_back;

    for (int i = 0; i < n; i++)
        t[i] = cz_sbb(a[i], b[i], &borrow);
    add_back = (uint64_t)0 - borrow;
    for (int i = 0; i < n; i++)
        r[i] = cz_adc(t[i], m[i] & add_back, &carry);
}

/* r = a * b / 2^(64 n) mod m; m_inv = -1/m mod 2^64 */
CZ_INLINE CZ_HD void cz_mont_mul(uint64_t *r, const uint64_t *a, const uint64_t *b,
                                 const uint64_t *m, uint64_t m_inv, int n)
{
    uint64_t t[7] = {0};

    for (int i = 0; i < n; i++) {
        uint64_t carry = 0;
        uint64_t q;

        for (int j = 0; j < n; j++)
            t[j] = cz_mac(t[j], a[j], b[i], &carry);
        t[n] = carry; /* t stays below 2 m, so the limb above is free */

        q = t[0] * m_inv;
        carry = 0;
        (void)cz_mac(t[0], q, m[0], &carry);
        for (int j = 1; j < n; j++)
            t[j - 1] = cz_mac(t[j], q, m[j], &carry);
        t[n - 1] = cz_adc(t[n], carry, &(uint64_t){0});
    }
    cz_mont_reduce_once(r, t, 0, m, n);
}

#endif
