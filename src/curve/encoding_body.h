/* encoding_body.h: the Zcash encodings, one text for G1 and G2.
 *
 * No include guard: encoding_g1.c and encoding_g2.c first define
 *   NAME           "G1" or "G2", for messages
 *   AFFINE, COORD  the point and coordinate types       G(name), C(name)  their functions
 *   COORD_BYTES    length of an encoded coordinate      rhs               curve_equation.h's
 *   coord_to_be(bytes, a), coord_from_be(r, bytes)      canonical big-endian; false: not canonical
 * The three top bits of a coordinate are free: p has 381 bits. They hold the flags. */

enum { FLAG_COMPRESSED = 0x80, FLAG_INFINITY = 0x40, FLAG_SIGN = 0x20, FLAGS = 0xe0 };

static const AFFINE infinity;

void G(compress)(uint8_t out[COORD_BYTES], const AFFINE *a)
{
    unsigned flags = FLAG_COMPRESSED;

    coord_to_be(out, &a->x);
    if (G(affine_is_infinity)(a))
        flags |= FLAG_INFINITY;
    else if (C(is_lexically_largest)(&a->y))
        flags |= FLAG_SIGN;
    out[0] = (uint8_t)(out[0] | flags);
}

void G(serialize)(uint8_t out[2 * COORD_BYTES], const AFFINE *a)
{
    coord_to_be(out, &a->x);
    coord_to_be(out + COORD_BYTES, &a->y);
    if (G(affine_is_infinity)(a))
        out[0] |= FLAG_INFINITY;
}

/* in[0 .. n) is all zero but for the infinity flag, and the compression flag if `flags` has it. */
static cz_err check_infinity(const uint8_t *in, size_t n, unsigned flags)
{
    unsigned stray = in[0] ^ (flags | FLAG_INFINITY);

    if (stray & FLAG_SIGN)
        return cz_fail(CZ_E_INPUT, NAME " point: infinity with the sign flag set");
    for (size_t i = 1; i < n; i++)
        stray |= in[i];
    if (stray != 0)
        return cz_fail(CZ_E_INPUT, NAME " point: the infinity flag is set on other than zeros");
    return CZ_OK;
}

static cz_err read_coord(COORD *r, const uint8_t *in, unsigned flags, const char *name)
{
    uint8_t bytes[COORD_BYTES];

    memcpy(bytes, in, sizeof bytes);
    bytes[0] = (uint8_t)(bytes[0] & ~flags);
    if (!coord_from_be(r, bytes))
        return cz_fail(CZ_E_INPUT, NAME " point: %s is not below the field's modulus", name);
    return CZ_OK;
}

static cz_err check_subgroup(const AFFINE *a)
{
    if (!G(affine_in_subgroup)(a))
        return cz_fail(CZ_E_INPUT, NAME " point: on the curve, but not in the subgroup");
    return CZ_OK;
}

/* The y of x with the given sign. */
static cz_err recover_y(AFFINE *a, bool largest)
{
    rhs(&a->y, &a->x);
    if (!C(sqrt)(&a->y, &a->y))
        return cz_fail(CZ_E_INPUT, NAME " point: no point of the curve has this x");
    if (C(is_lexically_largest)(&a->y) != largest)
        C(neg)(&a->y, &a->y);
    return CZ_OK;
}

cz_err G(decompress)(AFFINE *r, const uint8_t in[COORD_BYTES])
{
    AFFINE a = infinity;

    *r = infinity;
    if (!(in[0] & FLAG_COMPRESSED))
        return cz_fail(CZ_E_INPUT, NAME " point: compressed, but the compression flag is not set");
    if (in[0] & FLAG_INFINITY)
        return check_infinity(in, COORD_BYTES, FLAG_COMPRESSED);
    CZ_TRY(read_coord(&a.x, in, FLAGS, "x"));
    CZ_TRY(recover_y(&a, (in[0] & FLAG_SIGN) != 0));
    CZ_TRY(check_subgroup(&a));
    *r = a;
    return CZ_OK;
}

/* (0, 0) must come with the infinity flag: without it, it is a point that is not on the curve. */
cz_err G(deserialize_unchecked)(AFFINE *r, const uint8_t in[2 * COORD_BYTES])
{
    AFFINE a;

    *r = infinity;
    if (in[0] & FLAG_COMPRESSED)
        return cz_fail(CZ_E_INPUT, NAME " point: uncompressed, but the compression flag is set");
    if (in[0] & FLAG_INFINITY)
        return check_infinity(in, (size_t)2 * COORD_BYTES, 0);
    if (in[0] & FLAG_SIGN)
        return cz_fail(CZ_E_INPUT, NAME " point: uncompressed, but the sign flag is set");
    CZ_TRY(read_coord(&a.x, in, 0, "x"));
    CZ_TRY(read_coord(&a.y, in + COORD_BYTES, 0, "y"));
    if (G(affine_is_infinity)(&a))
        return cz_fail(CZ_E_INPUT, NAME " point: all zero, but the infinity flag is not set");
    *r = a;
    return CZ_OK;
}

cz_err G(deserialize)(AFFINE *r, const uint8_t in[2 * COORD_BYTES])
{
    AFFINE a;

    *r = infinity;
    CZ_TRY(G(deserialize_unchecked)(&a, in));
    if (!G(affine_on_curve)(&a))
        return cz_fail(CZ_E_INPUT, NAME " point: not on the curve");
    CZ_TRY(check_subgroup(&a));
    *r = a;
    return CZ_OK;
}
