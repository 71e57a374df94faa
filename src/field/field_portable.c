/* field_portable.c: the plain form of the four multiplications, and their definition. */
#include "field/field_forms.h"
#include "field/fp.h"
#include "field/fr.h"
#include "field/fr_dot.h"

static void fr_mul(cz_fr *r, const cz_fr *a, const cz_fr *b)
{
    cz_mont_mul(r->l, a->l, b->l, cz_fr_modulus, CZ_FR_M_INV, 4);
}

static void fr_sqr(cz_fr *r, const cz_fr *a)
{
    fr_mul(r, a, a);
}

/* [t5 … t0] += a * b_i */
static void add_row(uint64_t t[6], const cz_fr *a, uint64_t b_i)
{
    uint64_t carry = 0;
    uint64_t above = 0;

    for (int j = 0; j < 4; j++)
        t[j] = cz_mac(t[j], a->l[j], b_i, &carry);
    t[4] = cz_adc(t[4], carry, &above);
    t[5] += above;
}

/* t = (t + q r) / 2^64 */
static void reduce_limb(uint64_t t[6])
{
    const uint64_t q = t[0] * CZ_FR_M_INV;

    add_row(t, &(cz_fr){CZ_FR_MODULUS}, q);
    for (int j = 0; j < 5; j++)
        t[j] = t[j + 1];
    t[5] = 0;
}

static void fr_dot(cz_fr *r, const cz_fr *a, const cz_fr *b, size_t b_stride, size_t n)
{
    uint64_t t[6] = {0};

    for (int row = 0; row < 4; row++) {
        for (size_t i = 0; i < n; i++)
            add_row(t, &a[i], b[i * b_stride].l[row]);
        reduce_limb(t);
    }
    cz_fr_dot_finish(r, t);
}

static void fp_mul(cz_fp *r, const cz_fp *a, const cz_fp *b)
{
    cz_mont_mul(r->l, a->l, b->l, cz_fp_modulus, CZ_FP_M_INV, 6);
}

static void fp_sqr(cz_fp *r, const cz_fp *a)
{
    fp_mul(r, a, a);
}

const cz_field_kernel_table cz_field_portable = {"portable", fr_mul, fr_sqr,
                                                 fr_dot,     fp_mul, fp_sqr};
