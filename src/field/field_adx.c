/* field_adx.c: Montgomery multiplication with mulx, adcx and adox.
 *
 * Method: as mont.h (CIOS), a row a * b_i and a row of reduction at a time, the running sum t in
 * registers. The moduli leave a bit free in the highest limb, so that t + a * b_i + q * m, shifted
 * down by a limb, always fits LIMBS limbs again, and no carry leaves the highest one.
 * Two carry chains run side by side in a row: adox (overflow flag) adds the low halves of the
 * products, adcx (carry flag) the high halves. Both forms of the result are canonical.
 *
 * In the pictures below [x5 … x0] is the number with limbs x0 (lowest) to x5, B = 2^64. */
#include "field/field_forms.h"
#include "field/fp.h"
#include "field/fr.h"

/* An asm statement is one string, longer than what C99 promises; both our compilers take it. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* top t = t + a * b_i.  lo holds the low half in flight, top the high half. */
#define FP_ROW(i)                                                                                  \
    "xor %k[lo], %k[lo]\n\t" /* both carries off */                                                \
    "mov 8*" #i "(%[b]), %%rdx\n\t"                                                                \
    "mulx 0(%[a]), %[lo], %[top]\n\t"                                                              \
    "adox %[lo], %[t0]\n\t"                                                                        \
    "adcx %[top], %[t1]\n\t"                                                                       \
    "mulx 8(%[a]), %[lo], %[top]\n\t"                                                              \
    "adox %[lo], %[t1]\n\t"                                                                        \
    "adcx %[top], %[t2]\n\t"                                                                       \
    "mulx 16(%[a]), %[lo], %[top]\n\t"                                                             \
    "adox %[lo], %[t2]\n\t"                                                                        \
    "adcx %[top], %[t3]\n\t"                                                                       \
    "mulx 24(%[a]), %[lo], %[top]\n\t"                                                             \
    "adox %[lo], %[t3]\n\t"                                                                        \
    "adcx %[top], %[t4]\n\t"                                                                       \
    "mulx 32(%[a]), %[lo], %[top]\n\t"                                                             \
    "adox %[lo], %[t4]\n\t"                                                                        \
    "adcx %[top], %[t5]\n\t"                                                                       \
    "mulx 40(%[a]), %[lo], %[top]\n\t"                                                             \
    "adox %[lo], %[t5]\n\t"                                                                        \
    "mov $0, %k[lo]\n\t"                                                                           \
    "adcx %[lo], %[top]\n\t"                                                                       \
    "adox %[lo], %[top]\n\t"

/* The first row: t is nothing yet. */
#define FP_FIRST_ROW                                                                               \
    "mov (%[b]), %%rdx\n\t"                                                                        \
    "mulx 0(%[a]), %[t0], %[t1]\n\t"                                                               \
    "mulx 8(%[a]), %[lo], %[t2]\n\t"                                                               \
    "add %[lo], %[t1]\n\t"                                                                         \
    "mulx 16(%[a]), %[lo], %[t3]\n\t"                                                              \
    "adc %[lo], %[t2]\n\t"                                                                         \
    "mulx 24(%[a]), %[lo], %[t4]\n\t"                                                              \
    "adc %[lo], %[t3]\n\t"                                                                         \
    "mulx 32(%[a]), %[lo], %[t5]\n\t"                                                              \
    "adc %[lo], %[t4]\n\t"                                                                         \
    "mulx 40(%[a]), %[lo], %[top]\n\t"                                                             \
    "adc %[lo], %[t5]\n\t"                                                                         \
    "adc $0, %[top]\n\t"

/* q = t0 * (-1/m) mod B;  t = ([top t] + q * m) / B, which is exact. Each high half lands in the
 * register of the limb that was just used up, so the shift costs one move. */
#define FP_REDUCE                                                                                  \
    "mov %[m_inv], %%rdx\n\t"                                                                      \
    "imul %[t0], %%rdx\n\t"                                                                        \
    "xor %k[lo], %k[lo]\n\t"                                                                       \
    "mulx %[m0], %[lo], %[hi]\n\t"                                                                 \
    "adcx %[t0], %[lo]\n\t" /* zero, and the carry */                                              \
    "mov %[hi], %[t0]\n\t"                                                                         \
    "adcx %[t1], %[t0]\n\t"                                                                        \
    "mulx %[m1], %[lo], %[t1]\n\t"                                                                 \
    "adox %[lo], %[t0]\n\t"                                                                        \
    "adcx %[t2], %[t1]\n\t"                                                                        \
    "mulx %[m2], %[lo], %[t2]\n\t"                                                                 \
    "adox %[lo], %[t1]\n\t"                                                                        \
    "adcx %[t3], %[t2]\n\t"                                                                        \
    "mulx %[m3], %[lo], %[t3]\n\t"                                                                 \
    "adox %[lo], %[t2]\n\t"                                                                        \
    "adcx %[t4], %[t3]\n\t"                                                                        \
    "mulx %[m4], %[lo], %[t4]\n\t"                                                                 \
    "adox %[lo], %[t3]\n\t"                                                                        \
    "adcx %[t5], %[t4]\n\t"                                                                        \
    "mulx %[m5], %[lo], %[t5]\n\t"                                                                 \
    "adox %[lo], %[t4]\n\t"                                                                        \
    "mov $0, %k[lo]\n\t"                                                                           \
    "adcx %[lo], %[t5]\n\t"                                                                        \
    "adox %[top], %[t5]\n\t"

/* t < 2 m. Try t - m in six registers that are free now; keep t where that borrows. */
#define FP_FINISH                                                                                  \
    "mov %[t0], %[lo]\n\t"                                                                         \
    "sub %[m0], %[lo]\n\t"                                                                         \
    "mov %[t1], %[hi]\n\t"                                                                         \
    "sbb %[m1], %[hi]\n\t"                                                                         \
    "mov %[t2], %[top]\n\t"                                                                        \
    "sbb %[m2], %[top]\n\t"                                                                        \
    "mov %[t3], %%rdx\n\t"                                                                         \
    "sbb %[m3], %%rdx\n\t"                                                                         \
    "mov %[t4], %[a]\n\t"                                                                          \
    "sbb %[m4], %[a]\n\t"                                                                          \
    "mov %[t5], %[b]\n\t"                                                                          \
    "sbb %[m5], %[b]\n\t"                                                                          \
    "cmovnc %[lo], %[t0]\n\t"                                                                      \
    "cmovnc %[hi], %[t1]\n\t"                                                                      \
    "cmovnc %[top], %[t2]\n\t"                                                                     \
    "cmovnc %%rdx, %[t3]\n\t"                                                                      \
    "cmovnc %[a], %[t4]\n\t"                                                                       \
    "cmovnc %[b], %[t5]\n\t"

static void fp_mul(cz_fp *r, const cz_fp *a, const cz_fp *b)
{
    static const uint64_t m_inv = CZ_FP_M_INV;
    uint64_t t0, t1, t2, t3, t4, t5, lo, hi, top;

    __asm__(FP_FIRST_ROW FP_REDUCE FP_ROW(1) FP_REDUCE FP_ROW(2) FP_REDUCE FP_ROW(3)
                FP_REDUCE FP_ROW(4) FP_REDUCE FP_ROW(5) FP_REDUCE FP_FINISH
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
              [t5] "=&r"(t5), [lo] "=&r"(lo), [hi] "=&r"(hi), [top] "=&r"(top), [a] "+&r"(a),
              [b] "+&r"(b)
            : [m_inv] "m"(m_inv), [m0] "m"(cz_fp_modulus[0]), [m1] "m"(cz_fp_modulus[1]),
              [m2] "m"(cz_fp_modulus[2]), [m3] "m"(cz_fp_modulus[3]), [m4] "m"(cz_fp_modulus[4]),
              [m5] "m"(cz_fp_modulus[5]), "m"(*a), "m"(*b)
            : "rdx", "cc");
    *r = (cz_fp){{t0, t1, t2, t3, t4, t5}};
}

static void fp_sqr(cz_fp *r, const cz_fp *a)
{
    fp_mul(r, a, a);
}

#define FR_ROW(i)                                                                                  \
    "xor %k[lo], %k[lo]\n\t"                                                                       \
    "mov 8*" #i "(%[b]), %%rdx\n\t"                                                                \
    "mulx 0(%[a]), %[lo], %[top]\n\t"                                                              \
    "adox %[lo], %[t0]\n\t"                                                                        \
    "adcx %[top], %[t1]\n\t"                                                                       \
    "mulx 8(%[a]), %[lo], %[top]\n\t"                                                              \
    "adox %[lo], %[t1]\n\t"                                                                        \
    "adcx %[top], %[t2]\n\t"                                                                       \
    "mulx 16(%[a]), %[lo], %[top]\n\t"                                                             \
    "adox %[lo], %[t2]\n\t"                                                                        \
    "adcx %[top], %[t3]\n\t"                                                                       \
    "mulx 24(%[a]), %[lo], %[top]\n\t"                                                             \
    "adox %[lo], %[t3]\n\t"                                                                        \
    "mov $0, %k[lo]\n\t"                                                                           \
    "adcx %[lo], %[top]\n\t"                                                                       \
    "adox %[lo], %[top]\n\t"

#define FR_FIRST_ROW                                                                               \
    "mov (%[b]), %%rdx\n\t"                                                                        \
    "mulx 0(%[a]), %[t0], %[t1]\n\t"                                                               \
    "mulx 8(%[a]), %[lo], %[t2]\n\t"                                                               \
    "add %[lo], %[t1]\n\t"                                                                         \
    "mulx 16(%[a]), %[lo], %[t3]\n\t"                                                              \
    "adc %[lo], %[t2]\n\t"                                                                         \
    "mulx 24(%[a]), %[lo], %[top]\n\t"                                                             \
    "adc %[lo], %[t3]\n\t"                                                                         \
    "adc $0, %[top]\n\t"

#define FR_REDUCE                                                                                  \
    "mov %[m_inv], %%rdx\n\t"                                                                      \
    "imul %[t0], %%rdx\n\t"                                                                        \
    "xor %k[lo], %k[lo]\n\t"                                                                       \
    "mulx %[m0], %[lo], %[hi]\n\t"                                                                 \
    "adcx %[t0], %[lo]\n\t"                                                                        \
    "mov %[hi], %[t0]\n\t"                                                                         \
    "adcx %[t1], %[t0]\n\t"                                                                        \
    "mulx %[m1], %[lo], %[t1]\n\t"                                                                 \
    "adox %[lo], %[t0]\n\t"                                                                        \
    "adcx %[t2], %[t1]\n\t"                                                                        \
    "mulx %[m2], %[lo], %[t2]\n\t"                                                                 \
    "adox %[lo], %[t1]\n\t"                                                                        \
    "adcx %[t3], %[t2]\n\t"                                                                        \
    "mulx %[m3], %[lo], %[t3]\n\t"                                                                 \
    "adox %[lo], %[t2]\n\t"                                                                        \
    "mov $0, %k[lo]\n\t"                                                                           \
    "adcx %[lo], %[t3]\n\t"                                                                        \
    "adox %[top], %[t3]\n\t"

#define FR_FINISH                                                                                  \
    "mov %[t0], %[lo]\n\t"                                                                         \
    "sub %[m0], %[lo]\n\t"                                                                         \
    "mov %[t1], %[hi]\n\t"                                                                         \
    "sbb %[m1], %[hi]\n\t"                                                                         \
    "mov %[t2], %[top]\n\t"                                                                        \
    "sbb %[m2], %[top]\n\t"                                                                        \
    "mov %[t3], %%rdx\n\t"                                                                         \
    "sbb %[m3], %%rdx\n\t"                                                                         \
    "cmovnc %[lo], %[t0]\n\t"                                                                      \
    "cmovnc %[hi], %[t1]\n\t"                                                                      \
    "cmovnc %[top], %[t2]\n\t"                                                                     \
    "cmovnc %%rdx, %[t3]\n\t"

static void fr_mul(cz_fr *r, const cz_fr *a, const cz_fr *b)
{
    static const uint64_t m_inv = CZ_FR_M_INV;
    uint64_t t0, t1, t2, t3, lo, hi, top;

    __asm__(FR_FIRST_ROW FR_REDUCE FR_ROW(1) FR_REDUCE FR_ROW(2) FR_REDUCE FR_ROW(3)
                FR_REDUCE FR_FINISH
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [lo] "=&r"(lo),
              [hi] "=&r"(hi), [top] "=&r"(top)
            : [a] "r"(a), [b] "r"(b), [m_inv] "m"(m_inv), [m0] "m"(cz_fr_modulus[0]),
              [m1] "m"(cz_fr_modulus[1]), [m2] "m"(cz_fr_modulus[2]), [m3] "m"(cz_fr_modulus[3]),
              "m"(*a), "m"(*b)
            : "rdx", "cc");
    *r = (cz_fr){{t0, t1, t2, t3}};
}

static void fr_sqr(cz_fr *r, const cz_fr *a)
{
    fr_mul(r, a, a);
}

const cz_field_kernel_table cz_field_adx = {"adx", fr_mul, fr_sqr, fp_mul, fp_sqr};
