/* field_adx.c: Montgomery multiplication with mulx, adcx and adox.
 *
 * The same results as mont.h, with reduction by two limbs at a time. In CIOS a limb's quotient
 * q = t0 * (-1/m) waits for the whole of the previous limb's reduction, and a CPU waits for that
 * chain. Here q = [t1 t0] * (-1/m) mod B^2, B = 2^64, serves two limbs, which halves the chain for
 * one multiplication more. Time against CIOS in the same instructions, then against mont.h, on
 * Zen 5: Fr 0.88 and 0.43, Fp 0.96 and 0.45, squares 0.82 and 0.40, 0.90 and 0.42.
 *
 * The running sum t lives in registers whose roles rotate: after a reduction t0 and t1 are zero and
 * become the new highest limbs. [x2 x1 x0] is the number with limbs x0 (lowest), x1, x2.
 * Sums: with t < 2 m before a step, and two limbs of b and of q, t + a * b + q * m is below
 * 2 m + 2 m (B^2 - 1) = 2 m B^2: two limbs more than m has, and below 2 m after the shift.
 * In a row two carry chains run side by side: adox (overflow flag) adds the low halves of the
 * products, adcx (carry flag) the high halves. */
#include "field/field_forms.h"
#include "field/fp.h"
#include "field/fr.h"
#include "field/fr_dot.h"

/* An asm statement is one string, longer than what C99 promises; both our compilers take it. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* The rest is laid out by hand, an instruction or a macro a line. */
/* clang-format off */

/* ---- pieces of a row; the factor common to the row is in rdx ---- */

#define T(j)         "%[t" #j "]"
#define CLEAR_CARRY  "xor %k[lo], %k[lo]\n\t"
#define LOAD(source) "mov " source ", %%rdx\n\t"

/* [t_next t_j] += source * rdx */
#define MUL_ADD(source, j, next)                                                                   \
    "mulx " source ", %[lo], %[hi]\n\t"                                                            \
    "adox %[lo], " T(j) "\n\t"                                                                     \
    "adcx %[hi], " T(next) "\n\t"

/* The adox chain's last carry, into the limb that the last high half went to. */
#define LAST_CARRY(j)                                                                              \
    "mov $0, %k[lo]\n\t"                                                                           \
    "adox %[lo], " T(j) "\n\t"

/* Both chains' carries into limb j; lo is zero. */
#define CARRIES(j)                                                                                 \
    "adcx %[lo], " T(j) "\n\t"                                                                     \
    "adox %[lo], " T(j) "\n\t"

/* The end of a row where the sum goes on above limb j. */
#define LAST_CARRIES(j, next) LAST_CARRY(j) CARRIES(next)

/* q1 and rdx = q0: [q1 q0] = [t1 t0] * [n1 n0] mod B^2, n = -1/m mod B^2 */
#define QUOTIENT(t0, t1)                                                                           \
    LOAD(T(t0))                                                                                    \
    "mulx %[n0], %[lo], %[q1]\n\t"                                                                 \
    "imul %[n1], %%rdx\n\t"                                                                        \
    "mov " T(t1) ", %[hi]\n\t"                                                                     \
    "imul %[n0], %[hi]\n\t"                                                                        \
    "add %%rdx, %[hi]\n\t"                                                                         \
    "add %[hi], %[q1]\n\t"                                                                         \
    LOAD("%[lo]")

/* x = t - m into a free register, limb by limb, and then t = x where nothing was borrowed. */
#define TRY_FIRST(t, m, x)                                                                         \
    "mov " t ", " x "\n\t"                                                                         \
    "sub " m ", " x "\n\t"
#define TRY(t, m, x)                                                                               \
    "mov " t ", " x "\n\t"                                                                         \
    "sbb " m ", " x "\n\t"
#define TAKE(x, t) "cmovnc " x ", " t "\n\t"

/* ---- Fp: six limbs, three steps ---- */

/* [t7 … t0] = a * b_0 */
#define FP_FIRST_ROW                                                                               \
    LOAD("0(%[b])")                                                                                \
    "mulx 0(%[a]), %[t0], %[t1]\n\t"                                                               \
    "mulx 8(%[a]), %[lo], %[t2]\n\t"                                                               \
    "add %[lo], %[t1]\n\t"                                                                         \
    "mulx 16(%[a]), %[lo], %[t3]\n\t"                                                              \
    "adc %[lo], %[t2]\n\t"                                                                         \
    "mulx 24(%[a]), %[lo], %[t4]\n\t"                                                              \
    "adc %[lo], %[t3]\n\t"                                                                         \
    "mulx 32(%[a]), %[lo], %[t5]\n\t"                                                              \
    "adc %[lo], %[t4]\n\t"                                                                         \
    "mulx 40(%[a]), %[lo], %[t6]\n\t"                                                              \
    "adc %[lo], %[t5]\n\t"                                                                         \
    "adc $0, %[t6]\n\t"                                                                            \
    "xor %k[t7], %k[t7]\n\t"

/* [x6 … x0] += a * b_i */
#define FP_ROW(b_i, x0, x1, x2, x3, x4, x5, x6)                                                    \
    CLEAR_CARRY LOAD(b_i)                                                                          \
    MUL_ADD("0(%[a])", x0, x1)                                                                     \
    MUL_ADD("8(%[a])", x1, x2)                                                                     \
    MUL_ADD("16(%[a])", x2, x3)                                                                    \
    MUL_ADD("24(%[a])", x3, x4)                                                                    \
    MUL_ADD("32(%[a])", x4, x5)                                                                    \
    MUL_ADD("40(%[a])", x5, x6)                                                                    \
    LAST_CARRY(x6)

/* [x7 … x0] += [q1 q0] * m, which makes x0 and x1 zero */
#define FP_REDUCE(x0, x1, x2, x3, x4, x5, x6, x7)                                                  \
    QUOTIENT(x0, x1) CLEAR_CARRY                                                                   \
    MUL_ADD("%[m0]", x0, x1)                                                                       \
    MUL_ADD("%[m1]", x1, x2)                                                                       \
    MUL_ADD("%[m2]", x2, x3)                                                                       \
    MUL_ADD("%[m3]", x3, x4)                                                                       \
    MUL_ADD("%[m4]", x4, x5)                                                                       \
    MUL_ADD("%[m5]", x5, x6)                                                                       \
    LAST_CARRIES(x6, x7)                                                                           \
    CLEAR_CARRY LOAD("%[q1]")                                                                      \
    MUL_ADD("%[m0]", x1, x2)                                                                       \
    MUL_ADD("%[m1]", x2, x3)                                                                       \
    MUL_ADD("%[m2]", x3, x4)                                                                       \
    MUL_ADD("%[m3]", x4, x5)                                                                       \
    MUL_ADD("%[m4]", x5, x6)                                                                       \
    MUL_ADD("%[m5]", x6, x7)                                                                       \
    LAST_CARRY(x7)

/* The sum is in t6, t7, t0 … t3 and below 2 m. */
#define FP_FINISH                                                                                  \
    TRY_FIRST(T(6), "%[m0]", "%[lo]")                                                              \
    TRY(T(7), "%[m1]", "%[hi]")                                                                    \
    TRY(T(0), "%[m2]", "%[q1]")                                                                    \
    TRY(T(1), "%[m3]", "%%rdx")                                                                    \
    TRY(T(2), "%[m4]", T(4))                                                                       \
    TRY(T(3), "%[m5]", T(5))                                                                       \
    TAKE("%[lo]", T(6))                                                                            \
    TAKE("%[hi]", T(7))                                                                            \
    TAKE("%[q1]", T(0))                                                                            \
    TAKE("%%rdx", T(1))                                                                            \
    TAKE(T(4), T(2))                                                                               \
    TAKE(T(5), T(3))

static void fp_mul(cz_fp *r, const cz_fp *a, const cz_fp *b)
{
    static const uint64_t n[2] = CZ_FP_M_INV_128;
    uint64_t t0, t1, t2, t3, t4, t5, t6, t7, lo, hi, q1;

    __asm__(FP_FIRST_ROW
            FP_ROW("8(%[b])", 1, 2, 3, 4, 5, 6, 7)
            FP_REDUCE(0, 1, 2, 3, 4, 5, 6, 7)
            FP_ROW("16(%[b])", 2, 3, 4, 5, 6, 7, 0)
            FP_ROW("24(%[b])", 3, 4, 5, 6, 7, 0, 1)
            FP_REDUCE(2, 3, 4, 5, 6, 7, 0, 1)
            FP_ROW("32(%[b])", 4, 5, 6, 7, 0, 1, 2)
            FP_ROW("40(%[b])", 5, 6, 7, 0, 1, 2, 3)
            FP_REDUCE(4, 5, 6, 7, 0, 1, 2, 3)
            FP_FINISH
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
              [t5] "=&r"(t5), [t6] "=&r"(t6), [t7] "=&r"(t7), [lo] "=&r"(lo), [hi] "=&r"(hi),
              [q1] "=&r"(q1)
            : [a] "r"(a), [b] "r"(b), [n0] "m"(n[0]), [n1] "m"(n[1]), [m0] "m"(cz_fp_modulus[0]),
              [m1] "m"(cz_fp_modulus[1]), [m2] "m"(cz_fp_modulus[2]), [m3] "m"(cz_fp_modulus[3]),
              [m4] "m"(cz_fp_modulus[4]), [m5] "m"(cz_fp_modulus[5])
            : "rdx", "cc", "memory");
    *r = (cz_fp){{t6, t7, t0, t1, t2, t3}};
}

/* Squaring: row i of a * a holds only the products a_i * a_j with j >= i, those with j > i doubled:
 * 21 products in place of 36. The doubled limbs lie in memory: d = 2 a as one number, and e, each
 * limb shifted by itself; e_(i+1) starts row i, where d_(i+1) would bring in a bit of a_i.
 * 2 a has 382 bits: t < 2 a + m + 1 before a step, and all fits as above. */
typedef struct {
    uint64_t d[6], e[6];
} fp_doubled;

#define FP_SQR_ROW(a_i) CLEAR_CARRY LOAD(a_i)

static void fp_sqr(cz_fp *r, const cz_fp *a)
{
    static const uint64_t n[2] = CZ_FP_M_INV_128;
    uint64_t t0, t1, t2, t3, t4, t5, t6, t7, lo, hi, q1;
    fp_doubled doubled;

    for (int i = 0; i < 6; i++) {
        doubled.e[i] = a->l[i] << 1;
        doubled.d[i] = a->l[i] << 1 | (i > 0 ? a->l[i - 1] >> 63 : 0);
    }
    __asm__(/* row 0: a0, e1, d2 … d5 at limbs 0 … 6 */
            LOAD("0(%[a])")
            "mulx %%rdx, %[t0], %[t1]\n\t"
            "mulx 56(%[d]), %[lo], %[t2]\n\t"
            "add %[lo], %[t1]\n\t"
            "mulx 16(%[d]), %[lo], %[t3]\n\t"
            "adc %[lo], %[t2]\n\t"
            "mulx 24(%[d]), %[lo], %[t4]\n\t"
            "adc %[lo], %[t3]\n\t"
            "mulx 32(%[d]), %[lo], %[t5]\n\t"
            "adc %[lo], %[t4]\n\t"
            "mulx 40(%[d]), %[lo], %[t6]\n\t"
            "adc %[lo], %[t5]\n\t"
            "adc $0, %[t6]\n\t"
            "xor %k[t7], %k[t7]\n\t"
            /* row 1: a1, e2, d3, d4, d5 at limbs 2 … 7 */
            FP_SQR_ROW("8(%[a])")
            MUL_ADD("%%rdx", 2, 3)
            MUL_ADD("64(%[d])", 3, 4)
            MUL_ADD("24(%[d])", 4, 5)
            MUL_ADD("32(%[d])", 5, 6)
            MUL_ADD("40(%[d])", 6, 7)
            LAST_CARRY(7)
            FP_REDUCE(0, 1, 2, 3, 4, 5, 6, 7)
            /* row 2: a2, e3, d4, d5; limbs 4 … 8 of the square are now in t4 … t7, t0 */
            FP_SQR_ROW("16(%[a])")
            MUL_ADD("%%rdx", 4, 5)
            MUL_ADD("72(%[d])", 5, 6)
            MUL_ADD("32(%[d])", 6, 7)
            MUL_ADD("40(%[d])", 7, 0)
            LAST_CARRY(0)
            /* row 3: a3, e4, d5; limbs 6 … 9 in t6, t7, t0, t1 */
            FP_SQR_ROW("24(%[a])")
            MUL_ADD("%%rdx", 6, 7)
            MUL_ADD("80(%[d])", 7, 0)
            MUL_ADD("40(%[d])", 0, 1)
            LAST_CARRY(1)
            FP_REDUCE(2, 3, 4, 5, 6, 7, 0, 1)
            /* row 4: a4, e5; limbs 8 … 10 in t0, t1, t2 */
            FP_SQR_ROW("32(%[a])")
            MUL_ADD("%%rdx", 0, 1)
            MUL_ADD("88(%[d])", 1, 2)
            LAST_CARRY(2)
            /* row 5: a5; limbs 10, 11 in t2, t3 */
            FP_SQR_ROW("40(%[a])")
            MUL_ADD("%%rdx", 2, 3)
            LAST_CARRY(3)
            FP_REDUCE(4, 5, 6, 7, 0, 1, 2, 3)
            FP_FINISH
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
              [t5] "=&r"(t5), [t6] "=&r"(t6), [t7] "=&r"(t7), [lo] "=&r"(lo), [hi] "=&r"(hi),
              [q1] "=&r"(q1)
            : [a] "r"(a), [d] "r"(&doubled), [n0] "m"(n[0]), [n1] "m"(n[1]),
              [m0] "m"(cz_fp_modulus[0]), [m1] "m"(cz_fp_modulus[1]), [m2] "m"(cz_fp_modulus[2]),
              [m3] "m"(cz_fp_modulus[3]), [m4] "m"(cz_fp_modulus[4]), [m5] "m"(cz_fp_modulus[5])
            : "rdx", "cc", "memory");
    *r = (cz_fp){{t6, t7, t0, t1, t2, t3}};
}

/* ---- Fr: four limbs, two steps ---- */

#define FR_ROW(b_i, x0, x1, x2, x3, x4)                                                            \
    CLEAR_CARRY LOAD(b_i)                                                                          \
    MUL_ADD("0(%[a])", x0, x1)                                                                     \
    MUL_ADD("8(%[a])", x1, x2)                                                                     \
    MUL_ADD("16(%[a])", x2, x3)                                                                    \
    MUL_ADD("24(%[a])", x3, x4)                                                                    \
    LAST_CARRY(x4)

#define FR_REDUCE(x0, x1, x2, x3, x4, x5) FR_REDUCE_BELOW(x0, x1, x2, x3, x4, x5, "")

/* carry_on: where the sum has limbs above x5, the instructions that add both carries to them */
#define FR_REDUCE_BELOW(x0, x1, x2, x3, x4, x5, carry_on)                                          \
    QUOTIENT(x0, x1) CLEAR_CARRY                                                                   \
    MUL_ADD("%[m0]", x0, x1)                                                                       \
    MUL_ADD("%[m1]", x1, x2)                                                                       \
    MUL_ADD("%[m2]", x2, x3)                                                                       \
    MUL_ADD("%[m3]", x3, x4)                                                                       \
    LAST_CARRIES(x4, x5) carry_on                                                                  \
    CLEAR_CARRY LOAD("%[q1]")                                                                      \
    MUL_ADD("%[m0]", x1, x2)                                                                       \
    MUL_ADD("%[m1]", x2, x3)                                                                       \
    MUL_ADD("%[m2]", x3, x4)                                                                       \
    MUL_ADD("%[m3]", x4, x5)                                                                       \
    LAST_CARRY(x5) carry_on

/* The sum is in limbs x0 … x3 and below 2 m. */
#define FR_FINISH(x0, x1, x2, x3)                                                                  \
    TRY_FIRST(T(x0), "%[m0]", "%[lo]")                                                             \
    TRY(T(x1), "%[m1]", "%[hi]")                                                                   \
    TRY(T(x2), "%[m2]", "%[q1]")                                                                   \
    TRY(T(x3), "%[m3]", "%%rdx")                                                                   \
    TAKE("%[lo]", T(x0))                                                                           \
    TAKE("%[hi]", T(x1))                                                                           \
    TAKE("%[q1]", T(x2))                                                                           \
    TAKE("%%rdx", T(x3))

static void fr_mul(cz_fr *r, const cz_fr *a, const cz_fr *b)
{
    static const uint64_t n[2] = CZ_FR_M_INV_128;
    uint64_t t0, t1, t2, t3, t4, t5, lo, hi, q1;

    __asm__(LOAD("0(%[b])")
            "mulx 0(%[a]), %[t0], %[t1]\n\t"
            "mulx 8(%[a]), %[lo], %[t2]\n\t"
            "add %[lo], %[t1]\n\t"
            "mulx 16(%[a]), %[lo], %[t3]\n\t"
            "adc %[lo], %[t2]\n\t"
            "mulx 24(%[a]), %[lo], %[t4]\n\t"
            "adc %[lo], %[t3]\n\t"
            "adc $0, %[t4]\n\t"
            "xor %k[t5], %k[t5]\n\t"
            FR_ROW("8(%[b])", 1, 2, 3, 4, 5)
            FR_REDUCE(0, 1, 2, 3, 4, 5)
            FR_ROW("16(%[b])", 2, 3, 4, 5, 0)
            FR_ROW("24(%[b])", 3, 4, 5, 0, 1)
            FR_REDUCE(2, 3, 4, 5, 0, 1)
            FR_FINISH(4, 5, 0, 1)
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
              [t5] "=&r"(t5), [lo] "=&r"(lo), [hi] "=&r"(hi), [q1] "=&r"(q1)
            : [a] "r"(a), [b] "r"(b), [n0] "m"(n[0]), [n1] "m"(n[1]), [m0] "m"(cz_fr_modulus[0]),
              [m1] "m"(cz_fr_modulus[1]), [m2] "m"(cz_fr_modulus[2]), [m3] "m"(cz_fr_modulus[3])
            : "rdx", "cc", "memory");
    *r = (cz_fr){{t4, t5, t0, t1}};
}

/* Squaring: 2 a does not fit four limbs, so the whole square [t7 … t0] comes first, 10 products in
 * place of 16; then two reductions, which go on into t6 and t7.
 * [t6 … t1] = the sum of a_i * a_j, i < j */
#define FR_CROSS_PRODUCTS                                                                          \
    LOAD("0(%[a])")                                                                                \
    "mulx 8(%[a]), %[t1], %[t2]\n\t"                                                               \
    "mulx 16(%[a]), %[lo], %[t3]\n\t"                                                              \
    "add %[lo], %[t2]\n\t"                                                                         \
    "mulx 24(%[a]), %[lo], %[t4]\n\t"                                                              \
    "adc %[lo], %[t3]\n\t"                                                                         \
    "adc $0, %[t4]\n\t"                                                                            \
    "xor %k[t5], %k[t5]\n\t"                                                                       \
    LOAD("8(%[a])")                                                                                \
    MUL_ADD("16(%[a])", 3, 4)                                                                      \
    MUL_ADD("24(%[a])", 4, 5)                                                                      \
    LOAD("16(%[a])")                                                                               \
    "mulx 24(%[a]), %[lo], %[t6]\n\t"                                                              \
    "adox %[lo], %[t5]\n\t"                                                                        \
    LAST_CARRY(6)

/* [t_next t_j] = its double plus the square of a limb: adcx doubles, adox adds. */
#define FR_DOUBLE_ADD_SQUARE(a_i, j, next)                                                         \
    LOAD(a_i)                                                                                      \
    "mulx %%rdx, %[lo], %[hi]\n\t"                                                                 \
    "adcx " T(j) ", " T(j) "\n\t"                                                                  \
    "adox %[lo], " T(j) "\n\t"                                                                     \
    "adcx " T(next) ", " T(next) "\n\t"                                                            \
    "adox %[hi], " T(next) "\n\t"

/* [t7 … t0] = a * a, from the cross products */
#define FR_SQUARES                                                                                 \
    "xor %k[t7], %k[t7]\n\t"                                                                       \
    LOAD("0(%[a])")                                                                                \
    "mulx %%rdx, %[t0], %[hi]\n\t"                                                                 \
    "adcx %[t1], %[t1]\n\t"                                                                        \
    "adox %[hi], %[t1]\n\t"                                                                        \
    FR_DOUBLE_ADD_SQUARE("8(%[a])", 2, 3)                                                          \
    FR_DOUBLE_ADD_SQUARE("16(%[a])", 4, 5)                                                         \
    FR_DOUBLE_ADD_SQUARE("24(%[a])", 6, 7)

static void fr_sqr(cz_fr *r, const cz_fr *a)
{
    static const uint64_t n[2] = CZ_FR_M_INV_128;
    uint64_t t0, t1, t2, t3, t4, t5, t6, t7, lo, hi, q1;

    __asm__(FR_CROSS_PRODUCTS
            FR_SQUARES
            FR_REDUCE_BELOW(0, 1, 2, 3, 4, 5, CARRIES(6) CARRIES(7))
            FR_REDUCE(2, 3, 4, 5, 6, 7)
            FR_FINISH(4, 5, 6, 7)
            : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
              [t5] "=&r"(t5), [t6] "=&r"(t6), [t7] "=&r"(t7), [lo] "=&r"(lo), [hi] "=&r"(hi),
              [q1] "=&r"(q1)
            : [a] "r"(a), [n0] "m"(n[0]), [n1] "m"(n[1]), [m0] "m"(cz_fr_modulus[0]),
              [m1] "m"(cz_fr_modulus[1]), [m2] "m"(cz_fr_modulus[2]), [m3] "m"(cz_fr_modulus[3])
            : "rdx", "cc", "memory");
    *r = (cz_fr){{t4, t5, t6, t7}};
}

/* Sums of products (fr_dot.h): rows of many products onto six limbs, which rotate when one is
 * reduced. */
typedef struct {
    uint64_t t0, t1, t2, t3, t4, t5;
} fr_sum;

/* [t5 … t0] += factor * limbs[0 … 3] */
CZ_INLINE void fr_add_row(fr_sum *s, const uint64_t *limbs, uint64_t factor)
{
    uint64_t lo, hi;

    __asm__(CLEAR_CARRY
            MUL_ADD("0(%[a])", 0, 1)
            MUL_ADD("8(%[a])", 1, 2)
            MUL_ADD("16(%[a])", 2, 3)
            MUL_ADD("24(%[a])", 3, 4)
            LAST_CARRIES(4, 5)
            : [t0] "+&r"(s->t0), [t1] "+&r"(s->t1), [t2] "+&r"(s->t2), [t3] "+&r"(s->t3),
              [t4] "+&r"(s->t4), [t5] "+&r"(s->t5), [lo] "=&r"(lo), [hi] "=&r"(hi)
            : [a] "r"(limbs), "d"(factor), "m"(*(const uint64_t(*)[4])limbs)
            : "cc");
}

CZ_INLINE fr_sum fr_reduce_limb(fr_sum s)
{
    fr_add_row(&s, cz_fr_modulus, s.t0 * CZ_FR_M_INV);
    return (fr_sum){s.t1, s.t2, s.t3, s.t4, s.t5, 0};
}

static void fr_dot(cz_fr *r, const cz_fr *a, const cz_fr *b, size_t b_stride, size_t n)
{
    fr_sum s = {0};

    for (int row = 0; row < 4; row++) {
        for (size_t i = 0; i < n; i++)
            fr_add_row(&s, a[i].l, b[i * b_stride].l[row]);
        s = fr_reduce_limb(s);
    }
    cz_fr_dot_finish(r, (const uint64_t[5]){s.t0, s.t1, s.t2, s.t3, s.t4});
}

const cz_field_kernel_table cz_field_adx = {"adx", fr_mul, fr_sqr, fr_dot, fp_mul, fp_sqr};
