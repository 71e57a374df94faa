/* fr.c: Fr beyond the inner loops: inversion, conversions, randomness, roots of unity. */
#include "field/fr.h"

#include "base/bytes.h"

#define FIELD   cz_fr
#define F(name) cz_fr_##name
#define LIMBS   4
#define ONE     CZ_FR_ONE
#define ZERO    CZ_FR_ZERO
#define MODULUS cz_fr_modulus
#define R2      CZ_FR_R2
#include "field/field_body.h"

void cz_fr_from_u64(cz_fr *r, uint64_t v)
{
    const uint64_t limbs[4] = {v};

    from_limbs(r, limbs);
}

/* 2^256 is below 3 r, so two subtractions reduce any 256-bit integer. */
void cz_fr_from_u256(cz_fr *r, const cz_u256 *v)
{
    uint64_t t[4];

    cz_mont_reduce_once(t, v->l, 0, cz_fr_modulus, 4);
    cz_mont_reduce_once(t, t, 0, cz_fr_modulus, 4);
    from_limbs(r, t);
}

void cz_fr_to_u256(cz_u256 *r, const cz_fr *a)
{
    to_limbs(r->l, a);
}

void cz_fr_from_le_mod(cz_fr *r, const uint8_t bytes[32])
{
    cz_u256 v;

    for (size_t i = 0; i < 4; i++)
        v.l[i] = cz_load_le64(bytes + 8 * i);
    cz_fr_from_u256(r, &v);
}

/* r has 255 bits: a draw of 255 bits is below it with probability 0.9. */
cz_err cz_fr_random(cz_fr *r)
{
    uint8_t bytes[32];

    do {
        CZ_TRY(cz_random_bytes(bytes, sizeof bytes));
        bytes[31] &= 0x7f;
    } while (!cz_fr_from_le(r, bytes));
    cz_secure_zero(bytes, sizeof bytes);
    return CZ_OK;
}

void cz_fr_root_of_unity(cz_fr *r, unsigned log_n)
{
    const cz_fr root = {CZ_FR_ROOT_OF_UNITY};

    CZ_ASSERT(log_n <= 32);
    *r = root;
    for (unsigned i = log_n; i < 32; i++)
        cz_fr_sqr(r, r);
}
