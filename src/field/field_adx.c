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
#define FP_FINISH(free0, free1)                                                                    \
    "mov %[t0], %[lo]\n\t"                                                                         \
    "sub %[m0], %[lo]\n\t"                                                                         \
    "mov %[t1], %[hi]\n\t"                                                                         \
    "sbb %[m1], %[hi]\n\t"                                                                         \
    "mov %[t2], %[top]\n\t"                                                                        \
    "sbb %[m2], %[top]\n\t"                                                                        \
    "mov %[t3], %%rdx\n\t"                                                                         \
    "sbb %[m3], %%rdx\n\t"                                                                         \
    "mov %[t4], " free0 "\n\t"                                                                     \
    "sbb %[m4], " free0 "\n\t"                                                                     \
    "mov %[t5], " free1 "\n\t"                                                                     \
    "sbb %[m5], " free1 "\n\t"                                                                     \
    "cmovnc %[lo], %[t0]\n\t"                                                                      \
    "cmovnc %[hi], %[t1]\n\t"                                                                      \
    "cmovnc %[top], %[t2]\n\t"                                                                     \
    "cmovnc %%rdx, %[t3]\n\t"                                                                      \
    "cmovnc " free0 ", %[t4]\n\t"                                                                  \
    "cmovnc " free1 ", %[t5]\n\t"

static void fp_mul(cz_fp *r, const cz_fp *a, const cz_fp *b)
{
    static const uint64_t m_inv = CZ_FP_M_INV;
    uint64_t t0, t1, t2, t3, t4, t5, lo, hi, top;

    __asm__(FP_FIRST_ROW FP_REDUCE FP_ROW(1) FP_REDUCE FP_ROW(2) FP_REDUCE FP_ROW(3)
                FP_REDUCE FP_ROW(4) FP_REDUCE FP_ROW(5) FP_REDUCE FP_FINISH("%[a]", "%[b]")
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
              [t5] "=&r"(t5), [lo] "=&r"(lo), [hi] "=&r"(hi), [top] "=&r"(top), [a] "+&r"(a),
              [b] "+&r"(b)
            : [m_inv] "m"(m_inv), [m0] "m"(cz_fp_modulus[0]), [m1] "m"(cz_fp_modulus[1]),
              [m2] "m"(cz_fp_modulus[2]), [m3] "m"(cz_fp_modulus[3]), [m4] "m"(cz_fp_modulus[4]),
              [m5] "m"(cz_fp_modulus[5]), "m"(*a), "m"(*b)
            : "rdx", "cc");
    *r = (cz_fp){{t0, t1, t2, t3, t4, t5}};
}

/* Squaring: row i of a * a holds only the products a_i * a_j with j >= i, those with j > i doubled:
 * 21 products in place of 36. The doubled limbs lie in memory: d = 2 a as one number, and e, each
 * limb shifted by itself; e_(i+1) starts row i, where d_(i+1) would bring in a bit of a_i.
 * 2 a has 382 bits, so that the sum still fits: t < 2 a + m before each row. */
typedef struct {
    uint64_t d[6], e[6];
} fp_doubled;

#define FP_SQR_FIRST_ROW                                                                           \
    "mov 0(%[a]), %%rdx\n\t"                                                                       \
    "mulx %%rdx, %[t0], %[t1]\n\t"                                                                 \
    "mulx 56(%[d]), %[lo], %[t2]\n\t" /* e1 */                                                     \
    "add %[lo], %[t1]\n\t"                                                                         \
    "mulx 16(%[d]), %[lo], %[t3]\n\t" /* d2 … d5 */                                              \
    "adc %[lo], %[t2]\n\t"                                                                         \
    "mulx 24(%[d]), %[lo], %[t4]\n\t"                                                              \
    "adc %[lo], %[t3]\n\t"                                                                         \
    "mulx 32(%[d]), %[lo], %[t5]\n\t"                                                              \
    "adc %[lo], %[t4]\n\t"                                                                         \
    "mulx 40(%[d]), %[lo], %[top]\n\t"                                                             \
    "adc %[lo], %[t5]\n\t"                                                                         \
    "adc $0, %[top]\n\t"

/* Load a_i, carries off. */
#define FP_SQR_ROW(i)                                                                              \
    "xor %k[lo], %k[lo]\n\t"                                                                       \
    "mov 8*" #i "(%[a]), %%rdx\n\t"

/* t += a_i * (the limb at `from`) at limb t_j; the high half goes to the limb after it. */
#define FP_SQR_MUL(from, j, next)                                                                  \
    "mulx " from ", %[lo], %[top]\n\t"                                                             \
    "adox %[lo], %[t" #j "]\n\t"                                                                   \
    "adcx %[top], %[t" #next "]\n\t"

/* The last product of a row: its high half is the new top. */
#define FP_SQR_LAST(from)                                                                          \
    "mulx " from ", %[lo], %[top]\n\t"                                                             \
    "adox %[lo], %[t5]\n\t"                                                                        \
    "mov $0, %k[lo]\n\t"                                                                           \
    "adcx %[lo], %[top]\n\t"                                                                       \
    "adox %[lo], %[top]\n\t"

static void fp_sqr(cz_fp *r, const cz_fp *a)
{
    static const uint64_t m_inv = CZ_FP_M_INV;
    uint64_t t0, t1, t2, t3, t4, t5, lo, hi, top;
    fp_doubled doubled;
    fp_doubled *d = &doubled;

    for (int i = 0; i < 6; i++) {
        doubled.e[i] = a->l[i] << 1;
        doubled.d[i] = a->l[i] << 1 | (i > 0 ? a->l[i - 1] >> 63 : 0);
    }
    __asm__(FP_SQR_FIRST_ROW FP_REDUCE /* */
                FP_SQR_ROW(1) FP_SQR_MUL("%%rdx", 1, 2) FP_SQR_MUL("64(%[d])", 2,
                                                                   3) FP_SQR_MUL("24(%[d])", 3, 4)
                    FP_SQR_MUL("32(%[d])", 4, 5) FP_SQR_LAST("40(%[d])") FP_REDUCE /* */
                        FP_SQR_ROW(2) FP_SQR_MUL("%%rdx", 2, 3) FP_SQR_MUL("72(%[d])", 3, 4)
                            FP_SQR_MUL("32(%[d])", 4, 5) FP_SQR_LAST("40(%[d])") FP_REDUCE /* */
                                FP_SQR_ROW(3) FP_SQR_MUL("%%rdx", 3, 4) FP_SQR_MUL("80(%[d])", 4, 5)
                                    FP_SQR_LAST("40(%[d])") FP_REDUCE /* */
                                        FP_SQR_ROW(4) FP_SQR_MUL("%%rdx", 4, 5)
                                            FP_SQR_LAST("88(%[d])") FP_REDUCE                /* */
                                                FP_SQR_ROW(5) FP_SQR_LAST("%%rdx") FP_REDUCE /* */
                                                    FP_FINISH("%[a]", "%[d]")
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
              [t5] "=&r"(t5), [lo] "=&r"(lo), [hi] "=&r"(hi), [top] "=&r"(top), [a] "+&r"(a),
              [d] "+&r"(d)
            : [m_inv] "m"(m_inv), [m0] "m"(cz_fp_modulus[0]), [m1] "m"(cz_fp_modulus[1]),
              [m2] "m"(cz_fp_modulus[2]), [m3] "m"(cz_fp_modulus[3]), [m4] "m"(cz_fp_modulus[4]),
              [m5] "m"(cz_fp_modulus[5]), "m"(*a), "m"(doubled)
            : "rdx", "cc");
    *r = (cz_fp){{t0, t1, t2, t3, t4, t5}};
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

#define FR_REDUCE FR_REDUCE_WITH("%[top]")

/* `above` is what stands above t: a register, zero included. */
#define FR_REDUCE_WITH(above)                                                                      \
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
    "adox " above ", %[t3]\n\t"

#define FR_FINISH(f0, f1, f2, f3)                                                                  \
    "mov %[t0], " f0 "\n\t"                                                                        \
    "sub %[m0], " f0 "\n\t"                                                                        \
    "mov %[t1], " f1 "\n\t"                                                                        \
    "sbb %[m1], " f1 "\n\t"                                                                        \
    "mov %[t2], " f2 "\n\t"                                                                        \
    "sbb %[m2], " f2 "\n\t"                                                                        \
    "mov %[t3], " f3 "\n\t"                                                                        \
    "sbb %[m3], " f3 "\n\t"                                                                        \
    "cmovnc " f0 ", %[t0]\n\t"                                                                     \
    "cmovnc " f1 ", %[t1]\n\t"                                                                     \
    "cmovnc " f2 ", %[t2]\n\t"                                                                     \
    "cmovnc " f3 ", %[t3]\n\t"

static void fr_mul(cz_fr *r, const cz_fr *a, const cz_fr *b)
{
    static const uint64_t m_inv = CZ_FR_M_INV;
    uint64_t t0, t1, t2, t3, lo, hi, top;

    __asm__(FR_FIRST_ROW FR_REDUCE FR_ROW(1) FR_REDUCE FR_ROW(2) FR_REDUCE FR_ROW(3)
                FR_REDUCE FR_FINISH("%[lo]", "%[hi]", "%[top]", "%%rdx")
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [lo] "=&r"(lo),
              [hi] "=&r"(hi), [top] "=&r"(top)
            : [a] "r"(a), [b] "r"(b), [m_inv] "m"(m_inv), [m0] "m"(cz_fr_modulus[0]),
              [m1] "m"(cz_fr_modulus[1]), [m2] "m"(cz_fr_modulus[2]), [m3] "m"(cz_fr_modulus[3]),
              "m"(*a), "m"(*b)
            : "rdx", "cc");
    *r = (cz_fr){{t0, t1, t2, t3}};
}

/* Squaring: the whole square [t7 … t0] first, 10 products in place of 16; then the lower half is
 * reduced by four rounds, to below m + 1, and the upper half added, below m: less than 2 m. */
#define FR_CROSS_PRODUCTS /* t6 … t1 = the sum of a_i * a_j, i < j */                            \
    "mov 0(%[a]), %%rdx\n\t"                                                                       \
    "mulx 8(%[a]), %[t1], %[t2]\n\t"                                                               \
    "mulx 16(%[a]), %[lo], %[t3]\n\t"                                                              \
    "add %[lo], %[t2]\n\t"                                                                         \
    "mulx 24(%[a]), %[lo], %[t4]\n\t"                                                              \
    "adc %[lo], %[t3]\n\t"                                                                         \
    "adc $0, %[t4]\n\t"                                                                            \
    "xor %k[t5], %k[t5]\n\t"                                                                       \
    "mov 8(%[a]), %%rdx\n\t"                                                                       \
    "mulx 16(%[a]), %[lo], %[hi]\n\t"                                                              \
    "adox %[lo], %[t3]\n\t"                                                                        \
    "adcx %[hi], %[t4]\n\t"                                                                        \
    "mulx 24(%[a]), %[lo], %[hi]\n\t"                                                              \
    "adox %[lo], %[t4]\n\t"                                                                        \
    "adcx %[hi], %[t5]\n\t"                                                                        \
    "mov 16(%[a]), %%rdx\n\t"                                                                      \
    "mulx 24(%[a]), %[lo], %[t6]\n\t"                                                              \
    "adox %[lo], %[t5]\n\t"                                                                        \
    "mov $0, %k[lo]\n\t"                                                                           \
    "adox %[lo], %[t6]\n\t"

#define FR_DOUBLE_AND_SQUARES /* adcx doubles, adox adds a_i * a_i */                              \
    "xor %k[t7], %k[t7]\n\t"                                                                       \
    "mov 0(%[a]), %%rdx\n\t"                                                                       \
    "mulx %%rdx, %[t0], %[hi]\n\t"                                                                 \
    "adcx %[t1], %[t1]\n\t"                                                                        \
    "adox %[hi], %[t1]\n\t"                                                                        \
    "mov 8(%[a]), %%rdx\n\t"                                                                       \
    "mulx %%rdx, %[lo], %[hi]\n\t"                                                                 \
    "adcx %[t2], %[t2]\n\t"                                                                        \
    "adox %[lo], %[t2]\n\t"                                                                        \
    "adcx %[t3], %[t3]\n\t"                                                                        \
    "adox %[hi], %[t3]\n\t"                                                                        \
    "mov 16(%[a]), %%rdx\n\t"                                                                      \
    "mulx %%rdx, %[lo], %[hi]\n\t"                                                                 \
    "adcx %[t4], %[t4]\n\t"                                                                        \
    "adox %[lo], %[t4]\n\t"                                                                        \
    "adcx %[t5], %[t5]\n\t"                                                                        \
    "adox %[hi], %[t5]\n\t"                                                                        \
    "mov 24(%[a]), %%rdx\n\t"                                                                      \
    "mulx %%rdx, %[lo], %[hi]\n\t"                                                                 \
    "adcx %[t6], %[t6]\n\t"                                                                        \
    "adox %[lo], %[t6]\n\t"                                                                        \
    "adcx %[t7], %[t7]\n\t"                                                                        \
    "adox %[hi], %[t7]\n\t"

#define FR_ADD_UPPER_HALF                                                                          \
    "add %[t4], %[t0]\n\t"                                                                         \
    "adc %[t5], %[t1]\n\t"                                                                         \
    "adc %[t6], %[t2]\n\t"                                                                         \
    "adc %[t7], %[t3]\n\t"

static void fr_sqr(cz_fr *r, const cz_fr *a)
{
    static const uint64_t m_inv = CZ_FR_M_INV;
    uint64_t t0, t1, t2, t3, t4, t5, t6, t7, lo, hi;

    __asm__(FR_CROSS_PRODUCTS FR_DOUBLE_AND_SQUARES FR_REDUCE_WITH("%[lo]") FR_REDUCE_WITH("%[lo]")
                FR_REDUCE_WITH("%[lo]") FR_REDUCE_WITH("%[lo]")
                    FR_ADD_UPPER_HALF FR_FINISH("%[t4]", "%[t5]", "%[t6]", "%[t7]")
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
              [t5] "=&r"(t5), [t6] "=&r"(t6), [t7] "=&r"(t7), [lo] "=&r"(lo), [hi] "=&r"(hi)
            : [a] "r"(a), [m_inv] "m"(m_inv), [m0] "m"(cz_fr_modulus[0]),
              [m1] "m"(cz_fr_modulus[1]), [m2] "m"(cz_fr_modulus[2]), [m3] "m"(cz_fr_modulus[3]),
              "m"(*a)
            : "rdx", "cc");
    *r = (cz_fr){{t0, t1, t2, t3}};
}

const cz_field_kernel_table cz_field_adx = {"adx", fr_mul, fr_sqr, fp_mul, fp_sqr};
