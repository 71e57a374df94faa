/* decode8_ifma.c: see decode8.h; 8 lanes of AVX-512 IFMA.
 *
 * A product of lanes divides by 2^416. So for the plain integer a, the product with 2^800 mod p is
 * a 2^384 mod p: Montgomery form as cz_fp has it. Read as Montgomery forms for 2^416, the integers
 * x 2^384 and y 2^368 are the coordinates u^2 x and u^3 y, u = 2^-16, of a point of the curve
 * y^2 = x^3 + b u^6, whose constant is (4 2^-96) 2^416 = 2^322 in that form (for G2 in both
 * coordinates: b = 4 (1 + u')). */
#include "field/fp2_ifma.h"
#include "params/decode8.h"

/* 2^800 mod p, 2^784 mod p, 2^322 */
static const uint64_t to_montgomery[8] = {0x551039a1d2c25, 0xc857a984373dc, 0x3331128e8da66,
                                          0xba38b82e8f651, 0xbb197b6252a29, 0xcbe4f4e32928c,
                                          0x80ef81f158c5d, 0x000000000e91f};
static const uint64_t to_isomorphic_y[8] = {0xd1c34510370ed, 0x45c53e243d626, 0x317d3b1d65aec,
                                            0x088b4f36a0093, 0x18c10ea725d74, 0x07320a75865d1,
                                            0xcc8a759fd5cd5, 0x000000000c8d4};
static const uint64_t curve_constant[8] = {0, 0, 0, 0, 0, 0, 1 << 10, 0};

/* 48 bytes big-endian to 6 words, lowest first; `words` is a cache line, stored whole, because a
 * masked store would stall the load that follows. */
CZ_INLINE void read_words(uint64_t words[8], const uint8_t *in)
{
    const __m512i bytes =
        _mm512_set_epi64(0, 0, 0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f,
                         0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607);
    const __m512i order = _mm512_setr_epi64(5, 4, 3, 2, 1, 0, 7, 7);
    __m512i v = _mm512_maskz_loadu_epi64(0x3f, in);

    v = _mm512_permutexvar_epi64(order, _mm512_shuffle_epi8(v, bytes));
    _mm512_store_si512(words, v);
}

/* The coordinates at in[i] + at as plain integers; lanes that are below p. The encoding's flags are
 * bits above p, so a coordinate that has one is not below. */
CZ_INLINE __mmask8 read_coords(cz_fp_x8 *r, const uint8_t *const in[8], size_t at)
{
    uint64_t words[8][8] __attribute__((aligned(64)));
    const cz_fp *rows[8];
    cz_fp_x8 d;

    for (int i = 0; i < 8; i++) {
        read_words(words[i], in[i] + at);
        rows[i] = (const cz_fp *)(const void *)words[i];
    }
    cz_fp_x8_unpack(r, rows);
    for (int i = 0; i < 8; i++)
        d.l[i] = _mm512_sub_epi64(r->l[i], CZ_X8_SET1(cz_x8_p[i]));
    cz_fp_x8_carry(&d);
    return _mm512_movepi64_mask(d.l[7]);
}

/* Montgomery form of 8 plain coordinates, canonical. */
CZ_INLINE void convert(cz_fp_x8 *r, const cz_fp_x8 *plain)
{
    cz_fp_x8 factor;

    cz_fp_x8_set1(&factor, to_montgomery);
    cz_fp_x8_mul(r, plain, &factor);
    cz_fp_x8_canonical(r, r);
}

CZ_INLINE void isomorphic_y(cz_fp_x8 *r, const cz_fp_x8 *plain)
{
    cz_fp_x8 factor;

    cz_fp_x8_set1(&factor, to_isomorphic_y);
    cz_fp_x8_mul(r, plain, &factor);
}

/* Lanes where a = b + the curve's constant, a and b < CZ_X8_JUST. */
CZ_INLINE __mmask8 equals_plus_constant(const cz_fp_x8 *a, const cz_fp_x8 *b)
{
    cz_fp_x8 left, right, constant;

    cz_fp_x8_set1(&constant, curve_constant);
    cz_fp_x8_canonical(&left, a);
    cz_fp_x8_add_raw(&right, b, &constant);
    cz_fp_x8_canonical(&right, &right);
    return cz_fp_x8_equal(&left, &right);
}

bool cz_decode8_g1_ifma(cz_g1_affine out[8], const uint8_t *const in[8])
{
    cz_fp_x8 x, y, iso, left, right;
    cz_fp *xs[8], *ys[8];
    __mmask8 good;

    good = read_coords(&x, in, 0);
    good &= read_coords(&y, in, 48);
    isomorphic_y(&iso, &y);
    convert(&x, &x);
    convert(&y, &y);
    cz_fp_x8_sqr(&left, &iso);
    cz_fp_x8_sqr(&right, &x);
    cz_fp_x8_mul(&right, &right, &x);
    good &= equals_plus_constant(&left, &right);

    for (int i = 0; i < 8; i++) {
        xs[i] = &out[i].x;
        ys[i] = &out[i].y;
    }
    cz_fp_x8_pack(xs, &x, 8);
    cz_fp_x8_pack(ys, &y, 8);
    return good == 0xff;
}

/* Coordinates are encoded c1 before c0. */
CZ_INLINE __mmask8 read_fp2(cz_fp2_x8 *r, const uint8_t *const in[8], size_t at)
{
    __mmask8 good = read_coords(&r->c1, in, at);

    return good & read_coords(&r->c0, in, at + 48);
}

CZ_INLINE void pack_fp2(cz_fp2 *const rows[8], const cz_fp2_x8 *a)
{
    cz_fp *c0[8], *c1[8];

    for (int i = 0; i < 8; i++) {
        c0[i] = &rows[i]->c0;
        c1[i] = &rows[i]->c1;
    }
    cz_fp_x8_pack(c0, &a->c0, 8);
    cz_fp_x8_pack(c1, &a->c1, 8);
}

bool cz_decode8_g2_ifma(cz_g2_affine out[8], const uint8_t *const in[8])
{
    cz_fp2_x8 x, y, iso, left, right;
    cz_fp2 *xs[8], *ys[8];
    __mmask8 good;

    good = read_fp2(&x, in, 0);
    good &= read_fp2(&y, in, 96);
    isomorphic_y(&iso.c0, &y.c0);
    isomorphic_y(&iso.c1, &y.c1);
    convert(&x.c0, &x.c0);
    convert(&x.c1, &x.c1);
    convert(&y.c0, &y.c0);
    convert(&y.c1, &y.c1);
    cz_fp2_x8_sqr(&left, &iso);
    cz_fp2_x8_sqr(&right, &x);
    cz_fp2_x8_mul(&right, &right, &x);
    good &= equals_plus_constant(&left.c0, &right.c0);
    good &= equals_plus_constant(&left.c1, &right.c1);

    for (int i = 0; i < 8; i++) {
        xs[i] = &out[i].x;
        ys[i] = &out[i].y;
    }
    pack_fp2(xs, &x);
    pack_fp2(ys, &y);
    return good == 0xff;
}
