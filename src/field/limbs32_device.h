/* limbs32_device.h: chains of 32-bit limbs for CUDA devices, and the same chains on the host.
 *
 * A GPU multiplies 32 x 32 + 64 bits at a time and keeps a carry from one instruction to the next.
 * Each function below is one PTX instruction; `cc` is that carry. On the device it is the
 * hardware's flag and the argument vanishes; on the host it is a variable, so that everything built
 * from these functions is tested without a GPU, to the last index.
 *
 * On the device the asm statements are volatile: they keep their order, and nothing that the
 * compiler puts between them touches the flag (it adds 64-bit numbers without it). Neighbouring
 * mad_lo / madc_hi become one IMAD.WIDE [NVIDIA's SASS for sm_80 and later]. */
#ifndef CZ_FIELD_LIMBS32_DEVICE_H
#define CZ_FIELD_LIMBS32_DEVICE_H

#include <stdint.h>

#ifdef __CUDACC__
#define CZ_DEV    static __forceinline__ __host__ __device__
#define CZ_UNROLL _Pragma("unroll")
#else
#define CZ_DEV static inline __attribute__((always_inline))
#define CZ_UNROLL
#endif

typedef struct {
    uint32_t carry; /* or borrow; 0 or 1; unused on the device */
} cz_cc;

#ifdef __CUDA_ARCH__
#define CZ_LIMB_OP2(name, instruction)                                                             \
    CZ_DEV uint32_t name(uint32_t a, uint32_t b, cz_cc *cc)                                        \
    {                                                                                              \
        uint32_t r;                                                                                \
                                                                                                   \
        (void)cc;                                                                                  \
        asm volatile(instruction " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                       \
        return r;                                                                                  \
    }
#define CZ_LIMB_OP3(name, instruction)                                                             \
    CZ_DEV uint32_t name(uint32_t a, uint32_t b, uint32_t c, cz_cc *cc)                            \
    {                                                                                              \
        uint32_t r;                                                                                \
                                                                                                   \
        (void)cc;                                                                                  \
        asm volatile(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));           \
        return r;                                                                                  \
    }
CZ_LIMB_OP2(cz_add_cc, "add.cc.u32")
CZ_LIMB_OP2(cz_addc_cc, "addc.cc.u32")
CZ_LIMB_OP2(cz_addc, "addc.u32")
CZ_LIMB_OP2(cz_sub_cc, "sub.cc.u32")
CZ_LIMB_OP2(cz_subc_cc, "subc.cc.u32")
CZ_LIMB_OP2(cz_subc, "subc.u32")
CZ_LIMB_OP3(cz_mad_lo_cc, "mad.lo.cc.u32")
CZ_LIMB_OP3(cz_madc_lo_cc, "madc.lo.cc.u32")
CZ_LIMB_OP3(cz_madc_hi_cc, "madc.hi.cc.u32")
CZ_LIMB_OP3(cz_madc_hi, "madc.hi.u32")
#undef CZ_LIMB_OP2
#undef CZ_LIMB_OP3
CZ_DEV uint32_t cz_mul_hi(uint32_t a, uint32_t b)
{
    return __umulhi(a, b);
}
#else
CZ_DEV uint32_t cz_split(uint64_t t, cz_cc *cc)
{
    cc->carry = (uint32_t)(t >> 32);
    return (uint32_t)t;
}
CZ_DEV uint32_t cz_mul_hi(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}
CZ_DEV uint32_t cz_add_cc(uint32_t a, uint32_t b, cz_cc *cc)
{
    return cz_split((uint64_t)a + b, cc);
}
CZ_DEV uint32_t cz_addc_cc(uint32_t a, uint32_t b, cz_cc *cc)
{
    return cz_split((uint64_t)a + b + cc->carry, cc);
}
CZ_DEV uint32_t cz_addc(uint32_t a, uint32_t b, cz_cc *cc)
{
    return a + b + cc->carry;
}
CZ_DEV uint32_t cz_sub_cc(uint32_t a, uint32_t b, cz_cc *cc)
{
    cc->carry = a < b;
    return a - b;
}
CZ_DEV uint32_t cz_subc_cc(uint32_t a, uint32_t b, cz_cc *cc)
{
    uint64_t t = (uint64_t)a - b - cc->carry;

    cc->carry = (uint32_t)(t >> 32) & 1;
    return (uint32_t)t;
}
CZ_DEV uint32_t cz_subc(uint32_t a, uint32_t b, cz_cc *cc)
{
    return a - b - cc->carry;
}
CZ_DEV uint32_t cz_mad_lo_cc(uint32_t a, uint32_t b, uint32_t c, cz_cc *cc)
{
    return cz_split((uint64_t)(a * b) + c, cc);
}
CZ_DEV uint32_t cz_madc_lo_cc(uint32_t a, uint32_t b, uint32_t c, cz_cc *cc)
{
    return cz_split((uint64_t)(a * b) + c + cc->carry, cc);
}
CZ_DEV uint32_t cz_madc_hi_cc(uint32_t a, uint32_t b, uint32_t c, cz_cc *cc)
{
    return cz_split((uint64_t)cz_mul_hi(a, b) + c + cc->carry, cc);
}
CZ_DEV uint32_t cz_madc_hi(uint32_t a, uint32_t b, uint32_t c, cz_cc *cc)
{
    return cz_mul_hi(a, b) + c + cc->carry;
}
#endif

/* ---- numbers of n limbs, n a constant where they are called ---- */

CZ_DEV void cz_limbs_copy(uint32_t *r, const uint32_t *a, int n)
{
    CZ_UNROLL
    for (int i = 0; i < n; i++)
        r[i] = a[i];
}

CZ_DEV int cz_limbs_are_zero(const uint32_t *a, int n)
{
    uint32_t any = 0;

    CZ_UNROLL
    for (int i = 0; i < n; i++)
        any |= a[i];
    return any == 0;
}

CZ_DEV int cz_limbs_are_equal(const uint32_t *a, const uint32_t *b, int n)
{
    uint32_t any = 0;

    CZ_UNROLL
    for (int i = 0; i < n; i++)
        any |= a[i] ^ b[i];
    return any == 0;
}

/* r = a + b, the carry lost. */
CZ_DEV void cz_limbs_add(uint32_t *r, const uint32_t *a, const uint32_t *b, int n)
{
    cz_cc cc = {0};

    r[0] = cz_add_cc(a[0], b[0], &cc);
    CZ_UNROLL
    for (int i = 1; i < n - 1; i++)
        r[i] = cz_addc_cc(a[i], b[i], &cc);
    r[n - 1] = cz_addc(a[n - 1], b[n - 1], &cc);
}

/* r = a + b; the carry. */
CZ_DEV uint32_t cz_limbs_add_carry(uint32_t *r, const uint32_t *a, const uint32_t *b, int n)
{
    cz_cc cc = {0};

    r[0] = cz_add_cc(a[0], b[0], &cc);
    CZ_UNROLL
    for (int i = 1; i < n; i++)
        r[i] = cz_addc_cc(a[i], b[i], &cc);
    return cz_addc(0, 0, &cc);
}

/* r = a - b; all ones when a < b, else 0. */
CZ_DEV uint32_t cz_limbs_sub(uint32_t *r, const uint32_t *a, const uint32_t *b, int n)
{
    cz_cc cc = {0};

    r[0] = cz_sub_cc(a[0], b[0], &cc);
    CZ_UNROLL
    for (int i = 1; i < n; i++)
        r[i] = cz_subc_cc(a[i], b[i], &cc);
    return cz_subc(0, 0, &cc);
}

/* r = a - m if a >= m, else a. */
CZ_DEV void cz_limbs_reduce_once(uint32_t *r, const uint32_t *a, const uint32_t *m, int n)
{
    uint32_t t[12];
    uint32_t below = cz_limbs_sub(t, a, m, n);

    CZ_UNROLL
    for (int i = 0; i < n; i++)
        r[i] = below ? a[i] : t[i];
}

/* r = a - b, plus m when that is negative. */
CZ_DEV void cz_limbs_sub_mod(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *m,
                             int n)
{
    uint32_t t[12], back[12];
    uint32_t below = cz_limbs_sub(t, a, b, n);

    CZ_UNROLL
    for (int i = 0; i < n; i++)
        back[i] = m[i] & below;
    cz_limbs_add(r, t, back, n);
}

/* ---- products ----
 *
 * An accumulator is two numbers: the value is even + 2^32 odd. The products a[j] b of even j go
 * to `even`, those of odd j to `odd`, so that the two 32-bit halves of neighbouring products never
 * overlap and each number takes one chain of carries. Dividing by 2^32 (after the lowest limb has
 * become zero) swaps the two. */

/* Both halves of a b. As one 64-bit product: two instructions that need no carry would not become
 * one IMAD.WIDE, and what is added to them later would not either (a tenth of a product's time). */
CZ_DEV void cz_mul_wide(uint32_t *low, uint32_t *high, uint32_t a, uint32_t b)
{
    const uint64_t t = (uint64_t)a * b;

    *low = (uint32_t)t;
    *high = (uint32_t)(t >> 32);
}

/* even, odd = a b */
CZ_DEV void cz_row_first(uint32_t *even, uint32_t *odd, const uint32_t *a, uint32_t b, int n)
{
    CZ_UNROLL
    for (int j = 0; j < n; j += 2) {
        cz_mul_wide(&even[j], &even[j + 1], a[j], b);
        cz_mul_wide(&odd[j], &odd[j + 1], a[j + 1], b);
    }
}

/* (even, odd) = (even, odd) / 2^32 + a b, where even[0] is 0. */
CZ_DEV void cz_row_next(uint32_t *even, uint32_t *odd, const uint32_t *a, uint32_t b, int n)
{
    uint32_t e[12], o[12];
    cz_cc cc = {0};

    odd[0] = cz_add_cc(odd[0], even[1], &cc);
    CZ_UNROLL
    for (int j = 0; j < n; j += 2) {
        o[j] = cz_madc_lo_cc(a[j + 1], b, j + 2 < n ? even[j + 2] : 0, &cc);
        o[j + 1] = j + 2 < n ? cz_madc_hi_cc(a[j + 1], b, even[j + 3], &cc)
                             : cz_madc_hi(a[j + 1], b, 0, &cc);
    }
    e[0] = cz_mad_lo_cc(a[0], b, odd[0], &cc);
    e[1] = cz_madc_hi_cc(a[0], b, odd[1], &cc);
    CZ_UNROLL
    for (int j = 2; j < n; j += 2) {
        e[j] = cz_madc_lo_cc(a[j], b, odd[j], &cc);
        e[j + 1] = cz_madc_hi_cc(a[j], b, odd[j + 1], &cc);
    }
    o[n - 1] = cz_addc(o[n - 1], 0, &cc);
    cz_limbs_copy(even, e, n);
    cz_limbs_copy(odd, o, n);
}

/* (even, odd) = (even, odd) + a b; the sum below 2^(32 (n + 1)). */
CZ_DEV void cz_row_more(uint32_t *even, uint32_t *odd, const uint32_t *a, uint32_t b, int n)
{
    cz_cc cc = {0};

    odd[0] = cz_mad_lo_cc(a[1], b, odd[0], &cc);
    odd[1] = cz_madc_hi_cc(a[1], b, odd[1], &cc);
    CZ_UNROLL
    for (int j = 2; j < n; j += 2) {
        odd[j] = cz_madc_lo_cc(a[j + 1], b, odd[j], &cc);
        odd[j + 1] = j + 2 < n ? cz_madc_hi_cc(a[j + 1], b, odd[j + 1], &cc)
                               : cz_madc_hi(a[j + 1], b, odd[j + 1], &cc);
    }
    even[0] = cz_mad_lo_cc(a[0], b, even[0], &cc);
    even[1] = cz_madc_hi_cc(a[0], b, even[1], &cc);
    CZ_UNROLL
    for (int j = 2; j < n; j += 2) {
        even[j] = cz_madc_lo_cc(a[j], b, even[j], &cc);
        even[j + 1] = cz_madc_hi_cc(a[j], b, even[j + 1], &cc);
    }
    odd[n - 1] = cz_addc(odd[n - 1], 0, &cc);
}

/* r = (even, odd) / 2^32, where even[0] is 0. */
CZ_DEV void cz_row_join(uint32_t *r, const uint32_t *even, const uint32_t *odd, int n)
{
    cz_cc cc = {0};

    r[0] = cz_add_cc(odd[0], even[1], &cc);
    CZ_UNROLL
    for (int j = 1; j < n - 1; j++)
        r[j] = cz_addc_cc(odd[j], even[j + 1], &cc);
    r[n - 1] = cz_addc(odd[n - 1], 0, &cc);
}

#endif
