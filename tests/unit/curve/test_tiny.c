/* test_tiny.c: the group law of src/curve/group_body.h on every input there is.
 *
 * The same text, with coordinates in the field of 19 elements, on each of its curves y^2 = x^3 + b:
 * every pair of points, in every scaling of either, through every form of addition. The definition
 * is the chord-and-tangent rule on affine points. Some of the curves have points of order 2, as
 * ours do not; cz_toy_mul_ct asks for an odd order and is tested on those that have one. */
#include <string.h>

#include "base/bytes.h"
#include "curve/curve.h"
#include "support.h"

/* ---- the field ---- */

#define P UINT64_C(19)

typedef struct {
    uint64_t v;
} toy;

static bool toy_is_zero(const toy *a)
{
    return a->v == 0;
}

static bool toy_equal(const toy *a, const toy *b)
{
    return a->v == b->v;
}

static void toy_add(toy *r, const toy *a, const toy *b)
{
    r->v = (a->v + b->v) % P;
}

static void toy_sub(toy *r, const toy *a, const toy *b)
{
    r->v = (a->v + P - b->v) % P;
}

static void toy_dbl(toy *r, const toy *a)
{
    toy_add(r, a, a);
}

static void toy_neg(toy *r, const toy *a)
{
    r->v = (P - a->v) % P;
}

static void toy_mul(toy *r, const toy *a, const toy *b)
{
    r->v = a->v * b->v % P;
}

static void toy_sqr(toy *r, const toy *a)
{
    toy_mul(r, a, a);
}

static void toy_inv(toy *r, const toy *a)
{
    toy acc = {1};

    for (uint64_t i = 0; i < P - 2; i++)
        toy_mul(&acc, &acc, a);
    *r = acc;
}

static void toy_inv_var(toy *r, const toy *a)
{
    toy_inv(r, a);
}

/* ---- the curve ---- */

static uint64_t curve_b;

static void toy_rhs(toy *r, const toy *x)
{
    r->v = (x->v * x->v % P * x->v + curve_b) % P;
}

static void mul_by_b3(toy *r, const toy *a)
{
    r->v = 3 * curve_b * a->v % P;
}

typedef struct {
    toy x, y;
} cz_toy_affine;
typedef struct {
    toy x, y, z;
} cz_toy;
typedef struct {
    toy x, y, zz, zzz;
} cz_toy_xyzz;

CZ_GROUP_API(toy);

#define GROUP   cz_toy
#define AFFINE  cz_toy_affine
#define XYZZ    cz_toy_xyzz
#define G(name) cz_toy_##name
#define COORD   toy
#define C(name) toy_##name
#define COORD_ZERO                                                                                 \
    {                                                                                              \
        0                                                                                          \
    }
#define COORD_ONE                                                                                  \
    {                                                                                              \
        1                                                                                          \
    }
#define rhs          toy_rhs
#define CZ_BLS_X_ABS 0xd201000000010000u
#include "curve/group_body.h"

enum { MAX_POINTS = 2 * P + 1 };

static cz_toy_affine points[MAX_POINTS];
static size_t n_points;

/* All points of the curve, infinity first. */
static void list_points(uint64_t b)
{
    curve_b = b;
    n_points = 0;
    memset(&points[n_points++], 0, sizeof points[0]);
    for (uint64_t x = 0; x < P; x++) {
        for (uint64_t y = 0; y < P; y++) {
            cz_toy_affine a = {{x}, {y}};

            if (!cz_toy_affine_is_infinity(&a) && cz_toy_affine_on_curve(&a))
                points[n_points++] = a;
        }
    }
}

/* ---- the definition ---- */

static void toy_div(toy *r, const toy *a, const toy *b)
{
    toy t;

    toy_inv(&t, b);
    toy_mul(r, a, &t);
}

static cz_toy_affine by_definition(const cz_toy_affine *a, const cz_toy_affine *b)
{
    cz_toy_affine r = {{0}, {0}};
    toy slope, t;

    if (cz_toy_affine_is_infinity(a))
        return *b;
    if (cz_toy_affine_is_infinity(b))
        return *a;
    if (a->x.v == b->x.v) {
        if ((a->y.v + b->y.v) % P == 0)
            return r;
        t.v = 2 * a->y.v % P;
        slope.v = 3 * a->x.v * a->x.v % P;
    } else {
        toy_sub(&t, &b->x, &a->x);
        toy_sub(&slope, &b->y, &a->y);
    }
    toy_div(&slope, &slope, &t);
    r.x.v = (slope.v * slope.v + 2 * P - a->x.v - b->x.v) % P;
    r.y.v = (slope.v * (a->x.v + P - r.x.v) + P - a->y.v) % P;
    return r;
}

/* ---- every scaling ---- */

static cz_toy scaled(const cz_toy_affine *a, uint64_t z)
{
    uint64_t zz = z * z % P;
    cz_toy r = {{a->x.v * zz % P}, {a->y.v * zz % P * z % P}, {z}};

    if (cz_toy_affine_is_infinity(a)) { /* any X and Y with Z = 0 */
        r.x.v = z;
        r.y.v = z * z % P;
        r.z.v = 0;
    }
    return r;
}

static cz_toy_xyzz scaled_xyzz(const cz_toy_affine *a, uint64_t z)
{
    cz_toy j = scaled(a, z);
    cz_toy_xyzz r = {j.x, j.y, {j.z.v * j.z.v % P}, {j.z.v * j.z.v % P * j.z.v % P}};

    return r;
}

static void assert_is(const cz_toy *got, const cz_toy_affine *want)
{
    cz_toy_affine a;

    cz_toy_to_affine(&a, got);
    if (!cz_toy_affine_equal(&a, want))
        fail_msg("b = %d: got (%d, %d), wanted (%d, %d)", (int)curve_b, (int)a.x.v, (int)a.y.v,
                 (int)want->x.v, (int)want->y.v);
}

static void check_scaled_pair(const cz_toy_affine *a, uint64_t za, const cz_toy_affine *b,
                              uint64_t zb, const cz_toy_affine *want)
{
    cz_toy p = scaled(a, za), q = scaled(b, zb), r;
    cz_toy_xyzz x = scaled_xyzz(a, za), y = scaled_xyzz(b, zb);

    cz_toy_add(&r, &p, &q);
    assert_is(&r, want);
    cz_toy_xyzz_add(&x, &y);
    cz_toy_xyzz_to_jacobian(&r, &x);
    assert_is(&r, want);
    assert_int_equal(cz_toy_equal(&p, &q), cz_toy_affine_equal(a, b));
}

static void check_pair(const cz_toy_affine *a, const cz_toy_affine *b)
{
    cz_toy_affine want = by_definition(a, b);

    assert_true(cz_toy_affine_on_curve(&want));
    for (uint64_t za = 1; za < P; za++) {
        cz_toy p = scaled(a, za), r;
        cz_toy_xyzz x = scaled_xyzz(a, za);

        cz_toy_add_affine(&r, &p, b);
        assert_is(&r, &want);
        cz_toy_xyzz_add_affine(&x, b);
        cz_toy_xyzz_to_jacobian(&r, &x);
        assert_is(&r, &want);
        for (uint64_t zb = 1; zb < P; zb++)
            check_scaled_pair(a, za, b, zb, &want);
    }
}

static void every_pair_adds_as_defined(void **state)
{
    (void)state;
    for (uint64_t b = 1; b < P; b++) {
        list_points(b);
        assert_in_range(n_points, P + 1 - 9, P + 1 + 9); /* Hasse */
        for (size_t i = 0; i < n_points; i++) {
            for (size_t j = 0; j < n_points; j++)
                check_pair(&points[i], &points[j]);
        }
    }
}

static void every_point_doubles_and_negates_as_defined(void **state)
{
    (void)state;
    for (uint64_t b = 1; b < P; b++) {
        list_points(b);
        for (size_t i = 0; i < n_points; i++) {
            cz_toy_affine want = by_definition(&points[i], &points[i]);
            const cz_toy_affine infinity = {{0}, {0}};

            for (uint64_t z = 1; z < P; z++) {
                cz_toy p = scaled(&points[i], z), r;

                cz_toy_dbl(&r, &p);
                assert_is(&r, &want);
                cz_toy_neg(&r, &p);
                cz_toy_add(&r, &r, &p);
                assert_is(&r, &infinity);
            }
        }
    }
}

/* k from 0 past the order, and the largest; the constant-time form where the order is odd. */
static void every_multiple_is_a_repeated_sum(void **state)
{
    unsigned odd_curves = 0;

    (void)state;
    for (uint64_t b = 1; b < P; b++) {
        list_points(b);
        odd_curves += n_points % 2;
        for (size_t i = 0; i < n_points; i++) {
            cz_toy_affine want = {{0}, {0}};
            cz_u256 k = {{0}};

            for (k.l[0] = 0; k.l[0] < 70; k.l[0]++) {
                cz_toy p = scaled(&points[i], 1 + k.l[0] % (P - 1)), r;

                cz_toy_mul_var(&r, &p, &k);
                assert_is(&r, &want);
                if (n_points % 2 == 1) {
                    cz_toy_mul_ct(&r, &p, &k);
                    assert_is(&r, &want);
                }
                want = by_definition(&want, &points[i]);
            }
        }
    }
    assert_true(odd_curves > 0);
}

/* |x| P by the short chain and by the general product. */
static void the_product_by_x_agrees(void **state)
{
    const cz_u256 k = {{CZ_BLS_X_ABS}};

    (void)state;
    for (uint64_t b = 1; b < P; b++) {
        list_points(b);
        for (size_t i = 0; i < n_points; i++) {
            cz_toy p = scaled(&points[i], 3), q, r;
            cz_toy_affine want;

            cz_toy_mul_var(&q, &p, &k);
            cz_toy_to_affine(&want, &q);
            mul_by_x_abs(&r, &p);
            assert_is(&r, &want);
        }
    }
}

static void every_point_survives_the_batch(void **state)
{
    (void)state;
    for (uint64_t b = 1; b < P; b++) {
        cz_toy as[MAX_POINTS];
        cz_toy_affine got[MAX_POINTS];
        size_t n;

        list_points(b);
        n = n_points;
        for (size_t i = 0; i < n; i++)
            as[i] = scaled(&points[i], 1 + (7 * i + b) % (P - 1));
        assert_ok(cz_toy_batch_to_affine(got, as, n));
        for (size_t i = 0; i < n; i++)
            assert_true(cz_toy_affine_equal(&got[i], &points[i]));
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(every_pair_adds_as_defined),
    cmocka_unit_test(every_point_doubles_and_negates_as_defined),
    cmocka_unit_test(every_multiple_is_a_repeated_sum),
    cmocka_unit_test(the_product_by_x_agrees),
    cmocka_unit_test(every_point_survives_the_batch),
};

CZ_TEST_MAIN(cases)
