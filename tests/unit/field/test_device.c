/* test_device.c: the arithmetic of CUDA devices, run on the host against Fr and Fp.
 *
 * What remains for a device run are the PTX instructions themselves (tests/diff). */
#include "field/fp.h"
#include "field/fp2.h"
#include "field/fp2_device.h"
#include "field/fp_device.h"
#include "field/fr.h"
#include "field/fr_device.h"

#include <string.h>

#include "support.h"

enum { ROUNDS = 4000 };

/* Numbers below `limit` that make carries run, and random ones. */
static void number_below(uint32_t *r, int n, const uint32_t *limit)
{
    uint32_t t[12];
    uint64_t kind = cz_test_random() % 8;

    do {
        for (int i = 0; i < n; i++) {
            uint32_t word = (uint32_t)cz_test_random();

            r[i] = kind < 4 ? word : word % 3 == 0 ? 0 : word % 3 == 1 ? UINT32_MAX : word;
        }
        if (kind == 7)
            memset(r, 0, (size_t)n * sizeof *r);
        if (kind == 6) {
            uint32_t small[12] = {(uint32_t)(1 + cz_test_random() % 3)};

            (void)cz_limbs_sub(r, limit, small, n);
        }
        if (kind < 7)
            r[n - 1] %= limit[n - 1] + 1;
    } while (cz_limbs_sub(t, r, limit, n) == 0);
}

static void fr_number(cz_fr32 *r, bool lazy)
{
    uint32_t limit[8];

    lazy ? cz_fr32_twice_modulus(limit) : cz_fr32_modulus(limit);
    number_below(r->v, 8, limit);
}

/* As a cz_fr: bytes of a lazy number, made canonical. */
static cz_fr fr_of(const cz_fr32 *a)
{
    cz_fr32 t;
    cz_fr r;

    cz_fr32_canonical(t.v, a->v);
    memcpy(&r, &t, sizeof r);
    return r;
}

static void assert_fr(const cz_fr32 *lazy, const cz_fr *want)
{
    uint32_t limit[8], t[8];
    cz_fr got = fr_of(lazy);

    cz_fr32_twice_modulus(limit);
    assert_int_not_equal(cz_limbs_sub(t, lazy->v, limit, 8), 0);
    assert_memory_equal(&got, want, sizeof got);
}

static void fr_product_equals_the_host_s(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        cz_fr32 a, b, r;
        cz_fr want, x, y;

        fr_number(&a, true);
        fr_number(&b, false);
        x = fr_of(&a);
        y = fr_of(&b);
        cz_fr_mul(&want, &x, &y);
        cz_fr32_mul(r.v, a.v, b.v);
        assert_fr(&r, &want);
        cz_fr32_mul(a.v, a.v, b.v); /* in place */
        assert_fr(&a, &want);
    }
}

/* The first operand may be any 256-bit number. */
static void fr_product_takes_any_256_bits(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        cz_fr32 a, b, r;
        cz_u256 plain;
        cz_fr want, x, y;

        for (int j = 0; j < 8; j++)
            a.v[j] = i % 2 == 0 ? UINT32_MAX : (uint32_t)cz_test_random();
        fr_number(&b, false);
        /* a as an integer mod r, in the Montgomery form that a's own bytes stand for: times 1/R */
        memcpy(&plain, &a, sizeof plain);
        cz_fr_from_u256(&x, &plain);
        cz_fr_to_u256(&plain, &x);
        memcpy(&x, &plain, sizeof x);
        y = fr_of(&b);
        cz_fr_mul(&want, &x, &y);
        cz_fr32_mul(r.v, a.v, b.v);
        assert_fr(&r, &want);
    }
}

static void fr_sums_equal_the_host_s(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        cz_fr32 a, b, r;
        cz_fr want, x, y;

        fr_number(&a, true);
        fr_number(&b, true);
        x = fr_of(&a);
        y = fr_of(&b);
        cz_fr_add(&want, &x, &y);
        cz_fr32_add_lazy(r.v, a.v, b.v);
        assert_fr(&r, &want);
        cz_fr_sub(&want, &x, &y);
        cz_fr32_sub_lazy(r.v, a.v, b.v);
        assert_fr(&r, &want);
    }
}

static void fr_power_equals_the_host_s(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        uint64_t e = i < 4 ? (uint64_t)i : cz_test_random();
        cz_fr32 a, r;
        cz_fr want, x;

        fr_number(&a, false);
        x = fr_of(&a);
        cz_fr_pow_var(&want, &x, &e, 1);
        cz_fr32_pow(r.v, a.v, e);
        assert_fr(&r, &want);
    }
}

static void fp_number(cz_fp32 *r, bool lazy)
{
    uint32_t limit[12];

    lazy ? cz_fp32_twice_modulus(limit) : cz_fp32_modulus(limit);
    number_below(r->v, 12, limit);
}

static cz_fp fp_of(const cz_fp32 *a)
{
    cz_fp32 t;
    cz_fp r;

    cz_fp32_canonical(t.v, a->v);
    memcpy(&r, &t, sizeof r);
    return r;
}

static void assert_fp(const cz_fp32 *lazy, const cz_fp *want)
{
    uint32_t limit[12], t[12];
    cz_fp got = fp_of(lazy);

    cz_fp32_twice_modulus(limit);
    assert_int_not_equal(cz_limbs_sub(t, lazy->v, limit, 12), 0);
    assert_memory_equal(&got, want, sizeof got);
}

static void fp_products_equal_the_host_s(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        cz_fp32 a, b, r;
        cz_fp want, x, y;

        fp_number(&a, true);
        fp_number(&b, true);
        x = fp_of(&a);
        y = fp_of(&b);
        cz_fp_mul(&want, &x, &y);
        cz_fp32_mul(r.v, a.v, b.v);
        assert_fp(&r, &want);
        cz_fp_sqr(&want, &x);
        cz_fp32_sqr(r.v, a.v);
        assert_fp(&r, &want);
        cz_fp32_sqr(a.v, a.v); /* in place */
        assert_fp(&a, &want);
    }
}

/* Operands up to 2 p itself. */
static void fp_sum_of_products_equals_the_host_s(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        cz_fp32 v[4], r;
        cz_fp x[4], want, t;

        for (int j = 0; j < 4; j++) {
            fp_number(&v[j], true);
            x[j] = fp_of(&v[j]);
            if (i % 16 == j || i % 37 == 0) {
                cz_fp32_twice_modulus(v[j].v);
                x[j] = CZ_FP_ZERO;
            }
        }
        cz_fp_mul(&want, &x[0], &x[1]);
        cz_fp_mul(&t, &x[2], &x[3]);
        cz_fp_add(&want, &want, &t);
        cz_fp32_mul_sum(r.v, v[0].v, v[1].v, v[2].v, v[3].v);
        assert_fp(&r, &want);
    }
}

/* An element of Fp2 as its two lanes hold it. */
static void fp2_number(cz_fp32 lane[2], cz_fp2 *value)
{
    fp_number(&lane[0], true);
    fp_number(&lane[1], true);
    value->c0 = fp_of(&lane[0]);
    value->c1 = fp_of(&lane[1]);
}

static void assert_fp2(const cz_fp32 lane[2], const cz_fp2 *want)
{
    assert_fp(&lane[0], &want->c0);
    assert_fp(&lane[1], &want->c1);
}

static void fp2_products_on_two_lanes_equal_the_host_s(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        cz_fp32 a[2], b[2], r[2];
        cz_fp2 x, y, want;

        fp2_number(a, &x);
        fp2_number(b, &y);
        cz_fp2_mul(&want, &x, &y);
        for (uint32_t c = 0; c < 2; c++)
            cz_fp2_32_mul(r[c].v, c, a[c].v, a[1 - c].v, b[c].v, b[1 - c].v);
        assert_fp2(r, &want);
        cz_fp2_sqr(&want, &x);
        for (uint32_t c = 0; c < 2; c++)
            cz_fp2_32_sqr(r[c].v, c, a[c].v, a[1 - c].v);
        assert_fp2(r, &want);
    }
}

static void fp2_inverse_on_two_lanes_equals_the_host_s(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++) {
        cz_fp32 a[2], part[2], r[2];
        cz_fp2 x, want;

        fp2_number(a, &x);
        cz_fp2_inv(&want, &x);
        for (uint32_t c = 0; c < 2; c++)
            cz_fp2_32_norm_part(part[c].v, a[c].v);
        for (uint32_t c = 0; c < 2; c++)
            cz_fp2_32_inv(r[c].v, c, a[c].v, part[c].v, part[1 - c].v);
        assert_fp2(r, &want);
    }
}

static void fp_sums_equal_the_host_s(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        cz_fp32 a, b, c, r;
        cz_fp want, x, y, z;

        fp_number(&a, true);
        fp_number(&b, true);
        fp_number(&c, false);
        x = fp_of(&a);
        y = fp_of(&b);
        z = fp_of(&c);
        cz_fp_sub(&want, &x, &y);
        cz_fp32_sub_of_lazy(r.v, a.v, b.v);
        assert_fp(&r, &want);
        cz_fp_sub(&want, &x, &z);
        cz_fp32_sub_canonical(r.v, a.v, c.v);
        assert_fp(&r, &want);
        memcpy(&a, &x, sizeof a);
        cz_fp32_sub_lazy(r.v, a.v, c.v);
        assert_fp(&r, &want);
        cz_fp_add(&want, &x, &z);
        cz_fp32_add(r.v, a.v, c.v);
        assert_fp(&r, &want);
    }
}

static void fp_inverse_equals_the_host_s(void **state)
{
    (void)state;
    for (int i = 0; i < 400; i++) {
        cz_fp32 a, r;
        cz_fp want, x;

        fp_number(&a, true);
        x = fp_of(&a);
        cz_fp_inv(&want, &x);
        cz_fp32_inv(r.v, a.v);
        assert_fp(&r, &want);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(fr_product_equals_the_host_s),
    cmocka_unit_test(fr_product_takes_any_256_bits),
    cmocka_unit_test(fr_sums_equal_the_host_s),
    cmocka_unit_test(fr_power_equals_the_host_s),
    cmocka_unit_test(fp_products_equal_the_host_s),
    cmocka_unit_test(fp_sums_equal_the_host_s),
    cmocka_unit_test(fp_inverse_equals_the_host_s),
    cmocka_unit_test(fp_sum_of_products_equals_the_host_s),
    cmocka_unit_test(fp2_products_on_two_lanes_equal_the_host_s),
    cmocka_unit_test(fp2_inverse_on_two_lanes_equals_the_host_s),
};

CZ_TEST_MAIN(cases)
