/* field_body.h: what Fr and Fp have in common beyond the inner loops.
 *
 * No include guard: fr.c and fp.c include it once each, having defined
 *   FIELD     the element type             F(name)   the function cz_<field>_<name>
 *   LIMBS     64-bit limbs of an element   ONE, ZERO their initialisers
 *   MODULUS   the modulus as limbs         R2        2^(128 LIMBS) mod m, as limbs
 * Integers below are plain arrays of LIMBS limbs, little-endian. */

enum { WINDOW_BITS = 4, WINDOWS_PER_LIMB = 64 / WINDOW_BITS };

/* Fixed windows: one table of the first 16 powers, then 4 squarings and a multiplication a digit.
 */
void F(pow_var)(FIELD *r, const FIELD *a, const uint64_t *e, size_t n)
{
    FIELD powers[1 << WINDOW_BITS];
    FIELD acc = ONE;
    bool started = false;

    powers[0] = ONE;
    for (int i = 1; i < 1 << WINDOW_BITS; i++)
        F(mul)(&powers[i], &powers[i - 1], a);
    for (size_t i = n * WINDOWS_PER_LIMB; i-- > 0;) {
        unsigned shift = WINDOW_BITS * (unsigned)(i % WINDOWS_PER_LIMB);
        uint64_t digit = e[i / WINDOWS_PER_LIMB] >> shift & ((1 << WINDOW_BITS) - 1);

        for (int k = 0; started && k < WINDOW_BITS; k++)
            F(sqr)(&acc, &acc);
        if (digit == 0)
            continue;
        F(mul)(&acc, &acc, &powers[digit]);
        started = true;
    }
    *r = acc;
}

/* Fermat: a^(m-2). The exponent is public and fixed, so nothing branches on a. */
void F(inv)(FIELD *r, const FIELD *a)
{
    uint64_t e[LIMBS];
    uint64_t borrow = 0;

    e[0] = cz_sbb(MODULUS[0], 2, &borrow);
    for (int i = 1; i < LIMBS; i++)
        e[i] = cz_sbb(MODULUS[i], 0, &borrow);
    F(pow_var)(r, a, e, LIMBS);
}

/* Montgomery's trick: scratch[i] holds the product of the non-zero xs before i. */
void F(batch_inv)(FIELD *xs, FIELD *scratch, size_t n)
{
    FIELD acc = ONE;

    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!F(is_zero)(&xs[i]))
            F(mul)(&acc, &acc, &xs[i]);
    }
    F(inv_var)(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        FIELD x = xs[i];

        if (F(is_zero)(&x))
            continue;
        F(mul)(&xs[i], &acc, &scratch[i]);
        F(mul)(&acc, &acc, &x);
    }
}

static bool below_modulus(const uint64_t *v)
{
    uint64_t borrow = 0;

    for (int i = 0; i < LIMBS; i++)
        (void)cz_sbb(v[i], MODULUS[i], &borrow);
    return borrow != 0;
}

/* v below the modulus, into Montgomery form. */
static void from_limbs(FIELD *r, const uint64_t *v)
{
    const FIELD r2 = {R2};
    FIELD t;

    memcpy(t.l, v, sizeof t.l);
    F(mul)(r, &t, &r2);
}

static void to_limbs(uint64_t *v, const FIELD *a)
{
    const FIELD plain_one = {{1}};
    FIELD t;

    F(mul)(&t, a, &plain_one);
    memcpy(v, t.l, sizeof t.l);
}

static bool from_limbs_checked(FIELD *r, const uint64_t *v)
{
    *r = ZERO;
    if (!below_modulus(v))
        return false;
    from_limbs(r, v);
    return true;
}

bool F(from_le)(FIELD *r, const uint8_t bytes[8 * LIMBS])
{
    uint64_t v[LIMBS];

    for (size_t i = 0; i < LIMBS; i++)
        v[i] = cz_load_le64(bytes + 8 * i);
    return from_limbs_checked(r, v);
}

bool F(from_be)(FIELD *r, const uint8_t bytes[8 * LIMBS])
{
    uint64_t v[LIMBS];

    for (size_t i = 0; i < LIMBS; i++)
        v[i] = cz_load_be64(bytes + 8 * (LIMBS - 1 - i));
    return from_limbs_checked(r, v);
}

void F(to_le)(uint8_t bytes[8 * LIMBS], const FIELD *a)
{
    uint64_t v[LIMBS];

    to_limbs(v, a);
    for (size_t i = 0; i < LIMBS; i++)
        cz_store_le64(bytes + 8 * i, v[i]);
}

void F(to_be)(uint8_t bytes[8 * LIMBS], const FIELD *a)
{
    uint64_t v[LIMBS];

    to_limbs(v, a);
    for (size_t i = 0; i < LIMBS; i++)
        cz_store_be64(bytes + 8 * (LIMBS - 1 - i), v[i]);
}
