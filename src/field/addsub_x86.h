/* addsub_x86.h: addition and subtraction mod m on x86-64, for fr.h and fp.h. The same results as
 * cz_mont_add and cz_mont_sub, which remain the definition.
 *
 * Compilers turn the portable text into a chain of setc and movzx instead of adc, six times as slow
 * for Fp. Plain x86-64: no CPU feature is asked for. Operands may overlap: everything is read
 * before anything is written. At most 13 registers are asked for, so that it also compiles without
 * optimisation and under the sanitizers. */
#ifndef CZ_FIELD_ADDSUB_X86_H
#define CZ_FIELD_ADDSUB_X86_H

#include "field/modulus.h"
#include "field/mont.h"

/* CZ_PLAIN_C: the build has too few free registers, as clang's sanitizers do. */
#if !defined(__x86_64__) || defined(__CUDACC__) || defined(CZ_PLAIN_C)

#define cz_fr_add_x86(r, a, b) cz_mont_add(r, a, b, cz_fr_modulus, 4)
#define cz_fr_sub_x86(r, a, b) cz_mont_sub(r, a, b, cz_fr_modulus, 4)
#define cz_fp_add_x86(r, a, b) cz_mont_add(r, a, b, cz_fp_modulus, 6)
#define cz_fp_sub_x86(r, a, b) cz_mont_sub(r, a, b, cz_fp_modulus, 6)

#else

/* r = a + b mod m: t = a + b, d = t - m, and d where that did not borrow. */
CZ_INLINE void cz_fr_add_x86(uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3];
    uint64_t d0, d1, d2, d3;
    const uint64_t *p = b;

    __asm__("add 0(%[b]), %[t0]\n\t"
            "mov %[t0], %[d0]\n\t"
            "adc 8(%[b]), %[t1]\n\t"
            "mov %[t1], %[d1]\n\t"
            "adc 16(%[b]), %[t2]\n\t"
            "mov %[t2], %[d2]\n\t"
            "adc 24(%[b]), %[t3]\n\t"
            "mov %[t3], %[d3]\n\t"
            "sub %[m0], %[d0]\n\t"
            "sbb %[m1], %[d1]\n\t"
            "sbb %[m2], %[d2]\n\t"
            "sbb %[m3], %[d3]\n\t"
            "cmovnc %[d0], %[t0]\n\t"
            "cmovnc %[d1], %[t1]\n\t"
            "cmovnc %[d2], %[t2]\n\t"
            "cmovnc %[d3], %[t3]\n\t"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [d0] "=&r"(d0),
              [d1] "=&r"(d1), [d2] "=&r"(d2), [d3] "=&r"(d3), [b] "+&r"(p)
            : [m0] "m"(cz_fr_modulus[0]), [m1] "m"(cz_fr_modulus[1]), [m2] "m"(cz_fr_modulus[2]),
              [m3] "m"(cz_fr_modulus[3]), "m"(*(const uint64_t(*)[4])b)
            : "cc");
    r[0] = t0;
    r[1] = t1;
    r[2] = t2;
    r[3] = t3;
}

/* r = a - b mod m: t = a - b, d = t + m, and d where t borrowed; b's register keeps the borrow. */
CZ_INLINE void cz_fr_sub_x86(uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3];
    uint64_t d0, d1, d2, d3;
    const uint64_t *p = b;

    __asm__("sub 0(%[b]), %[t0]\n\t"
            "mov %[t0], %[d0]\n\t"
            "sbb 8(%[b]), %[t1]\n\t"
            "mov %[t1], %[d1]\n\t"
            "sbb 16(%[b]), %[t2]\n\t"
            "mov %[t2], %[d2]\n\t"
            "sbb 24(%[b]), %[t3]\n\t"
            "mov %[t3], %[d3]\n\t"
            "sbb %[b], %[b]\n\t"
            "add %[m0], %[d0]\n\t"
            "adc %[m1], %[d1]\n\t"
            "adc %[m2], %[d2]\n\t"
            "adc %[m3], %[d3]\n\t"
            "test %[b], %[b]\n\t"
            "cmovnz %[d0], %[t0]\n\t"
            "cmovnz %[d1], %[t1]\n\t"
            "cmovnz %[d2], %[t2]\n\t"
            "cmovnz %[d3], %[t3]\n\t"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [d0] "=&r"(d0),
              [d1] "=&r"(d1), [d2] "=&r"(d2), [d3] "=&r"(d3), [b] "+&r"(p)
            : [m0] "m"(cz_fr_modulus[0]), [m1] "m"(cz_fr_modulus[1]), [m2] "m"(cz_fr_modulus[2]),
              [m3] "m"(cz_fr_modulus[3]), "m"(*(const uint64_t(*)[4])b)
            : "cc");
    r[0] = t0;
    r[1] = t1;
    r[2] = t2;
    r[3] = t3;
}

/* r = a + b mod m: t = a + b, d = t - m, and d where that did not borrow. */
CZ_INLINE void cz_fp_add_x86(uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], t4 = a[4], t5 = a[5];
    uint64_t d0, d1, d2, d3, d4, d5;
    const uint64_t *p = b;

    __asm__("add 0(%[b]), %[t0]\n\t"
            "mov %[t0], %[d0]\n\t"
            "adc 8(%[b]), %[t1]\n\t"
            "mov %[t1], %[d1]\n\t"
            "adc 16(%[b]), %[t2]\n\t"
            "mov %[t2], %[d2]\n\t"
            "adc 24(%[b]), %[t3]\n\t"
            "mov %[t3], %[d3]\n\t"
            "adc 32(%[b]), %[t4]\n\t"
            "mov %[t4], %[d4]\n\t"
            "adc 40(%[b]), %[t5]\n\t"
            "mov %[t5], %[d5]\n\t"
            "sub %[m0], %[d0]\n\t"
            "sbb %[m1], %[d1]\n\t"
            "sbb %[m2], %[d2]\n\t"
            "sbb %[m3], %[d3]\n\t"
            "sbb %[m4], %[d4]\n\t"
            "sbb %[m5], %[d5]\n\t"
            "cmovnc %[d0], %[t0]\n\t"
            "cmovnc %[d1], %[t1]\n\t"
            "cmovnc %[d2], %[t2]\n\t"
            "cmovnc %[d3], %[t3]\n\t"
            "cmovnc %[d4], %[t4]\n\t"
            "cmovnc %[d5], %[t5]\n\t"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4),
              [t5] "+&r"(t5), [d0] "=&r"(d0), [d1] "=&r"(d1), [d2] "=&r"(d2), [d3] "=&r"(d3),
              [d4] "=&r"(d4), [d5] "=&r"(d5), [b] "+&r"(p)
            : [m0] "m"(cz_fp_modulus[0]), [m1] "m"(cz_fp_modulus[1]), [m2] "m"(cz_fp_modulus[2]),
              [m3] "m"(cz_fp_modulus[3]), [m4] "m"(cz_fp_modulus[4]), [m5] "m"(cz_fp_modulus[5]),
              "m"(*(const uint64_t(*)[6])b)
            : "cc");
    r[0] = t0;
    r[1] = t1;
    r[2] = t2;
    r[3] = t3;
    r[4] = t4;
    r[5] = t5;
}

/* r = a - b mod m: t = a - b, d = t + m, and d where t borrowed; b's register keeps the borrow. */
CZ_INLINE void cz_fp_sub_x86(uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t t0 = a[0], t1 = a[1], t2 = a[2], t3 = a[3], t4 = a[4], t5 = a[5];
    uint64_t d0, d1, d2, d3, d4, d5;
    const uint64_t *p = b;

    __asm__("sub 0(%[b]), %[t0]\n\t"
            "mov %[t0], %[d0]\n\t"
            "sbb 8(%[b]), %[t1]\n\t"
            "mov %[t1], %[d1]\n\t"
            "sbb 16(%[b]), %[t2]\n\t"
            "mov %[t2], %[d2]\n\t"
            "sbb 24(%[b]), %[t3]\n\t"
            "mov %[t3], %[d3]\n\t"
            "sbb 32(%[b]), %[t4]\n\t"
            "mov %[t4], %[d4]\n\t"
            "sbb 40(%[b]), %[t5]\n\t"
            "mov %[t5], %[d5]\n\t"
            "sbb %[b], %[b]\n\t"
            "add %[m0], %[d0]\n\t"
            "adc %[m1], %[d1]\n\t"
            "adc %[m2], %[d2]\n\t"
            "adc %[m3], %[d3]\n\t"
            "adc %[m4], %[d4]\n\t"
            "adc %[m5], %[d5]\n\t"
            "test %[b], %[b]\n\t"
            "cmovnz %[d0], %[t0]\n\t"
            "cmovnz %[d1], %[t1]\n\t"
            "cmovnz %[d2], %[t2]\n\t"
            "cmovnz %[d3], %[t3]\n\t"
            "cmovnz %[d4], %[t4]\n\t"
            "cmovnz %[d5], %[t5]\n\t"
            : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4),
              [t5] "+&r"(t5), [d0] "=&r"(d0), [d1] "=&r"(d1), [d2] "=&r"(d2), [d3] "=&r"(d3),
              [d4] "=&r"(d4), [d5] "=&r"(d5), [b] "+&r"(p)
            : [m0] "m"(cz_fp_modulus[0]), [m1] "m"(cz_fp_modulus[1]), [m2] "m"(cz_fp_modulus[2]),
              [m3] "m"(cz_fp_modulus[3]), [m4] "m"(cz_fp_modulus[4]), [m5] "m"(cz_fp_modulus[5]),
              "m"(*(const uint64_t(*)[6])b)
            : "cc");
    r[0] = t0;
    r[1] = t1;
    r[2] = t2;
    r[3] = t3;
    r[4] = t4;
    r[5] = t5;
}

#endif
#endif
