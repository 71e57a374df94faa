/* field_portable.c: the plain form of the four multiplications, and their definition. */
#include "field/field_forms.h"
#include "field/fp.h"
#include "field/fr.h"

static void fr_mul(cz_fr *r, const cz_fr *a, const cz_fr *b)
{
    cz_mont_mul(r->l, a->l, b->l, cz_fr_modulus, CZ_FR_M_INV, 4);
}

static void fr_sqr(cz_fr *r, const cz_fr *a)
{
    fr_mul(r, a, a);
}

static void fp_mul(cz_fp *r, const cz_fp *a, const cz_fp *b)
{
    cz_mont_mul(r->l, a->l, b->l, cz_fp_modulus, CZ_FP_M_INV, 6);
}

static void fp_sqr(cz_fp *r, const cz_fp *a)
{
    fp_mul(r, a, a);
}

const cz_field_kernel_table cz_field_portable = {"portable", fr_mul, fr_sqr, fp_mul, fp_sqr};
