/* test_fp_ifma.c: the 8-lane field arithmetic of field/fp_ifma.h and fp2_ifma.h against field/fp.h,
 * and its bounds with extreme inputs. */
#if defined(__clang__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512ifma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "field/fp2_ifma.h"
#include "support.h"

enum { LANES = 8, LIMBS = 8 };

/* A plain integer in limbs of 52 bits, the top one open; and 8 of them. */
typedef struct {
    int64_t l[LIMBS];
} integer;
typedef struct {
    integer lane[LANES];
} integers;

static void skip_without_ifma(void)
{
    if (!cz_cpu_has(CZ_CPU_AVX512IFMA)) {
        print_message("this CPU has no AVX-512 IFMA\n");
        skip();
    }
}

static void to_lanes(cz_fp_x8 *r, const integers *a)
{
    uint64_t words[8] __attribute__((aligned(64)));

    for (int i = 0; i < LIMBS; i++) {
        for (int k = 0; k < LANES; k++)
            words[k] = (uint64_t)a->lane[k].l[i];
        r->l[i] = _mm512_load_si512(words);
    }
}

static void from_lanes(integers *r, const cz_fp_x8 *a)
{
    int64_t words[8] __attribute__((aligned(64)));

    for (int i = 0; i < LIMBS; i++) {
        _mm512_store_si512(words, a->l[i]);
        for (int k = 0; k < LANES; k++)
            r->lane[k].l[i] = words[k];
    }
}

static void carry(integer *a)
{
    for (int i = 0; i < LIMBS - 1; i++) {
        a->l[i + 1] += a->l[i] >> 52;
        a->l[i] &= (int64_t)CZ_X8_MASK;
    }
}

/* k p + delta, carried */
static integer multiple_of_p(uint64_t k, int64_t delta)
{
    integer r;

    for (int i = 0; i < LIMBS; i++)
        r.l[i] = (int64_t)(k * cz_x8_p[i]);
    r.l[0] += delta;
    carry(&r);
    return r;
}

static int compare(const integer *a, const integer *b)
{
    for (int i = LIMBS; i-- > 0;)
        if (a->l[i] != b->l[i])
            return a->l[i] < b->l[i] ? -1 : 1;
    return 0;
}

/* A value below k p: an extreme one, or a random one. */
static integer some_integer(uint64_t k, unsigned which)
{
    uint64_t multiple = cz_test_random() % k;
    integer r, limit;

    switch (which % 8) {
    case 0:
        return multiple_of_p(0, 0);
    case 1:
        return multiple_of_p(k, -1); /* the largest */
    case 2:
        return multiple_of_p(multiple, 1);
    case 3:
        return multiple_of_p(multiple + 1, -1);
    case 4:
        return multiple_of_p(multiple, 0);
    default:
        limit = multiple_of_p(k, 0);
        for (int i = 0; i < LIMBS; i++)
            r.l[i] = (int64_t)((which & 16) != 0 ? CZ_X8_MASK : cz_test_random() & CZ_X8_MASK);
        r.l[LIMBS - 1] = (int64_t)(cz_test_random() % (uint64_t)(limit.l[LIMBS - 1] + 1));
        if (compare(&r, &limit) >= 0)
            r.l[LIMBS - 1]--;
        return r.l[LIMBS - 1] < 0 ? multiple_of_p(0, 2) : r;
    }
}

static integers some_integers(uint64_t k, unsigned round)
{
    integers r;

    for (unsigned i = 0; i < LANES; i++)
        r.lane[i] = some_integer(k, round == 0 ? 1 : (unsigned)cz_test_random());
    return r;
}

/* The integer, below 16 p, mod p, as the raw limbs of a cz_fp. */
static cz_fp reduced(const integer *a)
{
    integer v = *a;
    cz_fp r = CZ_FP_ZERO;

    for (uint64_t k = 16; k > 0; k--) {
        integer m = multiple_of_p(k, 0);

        if (compare(&v, &m) < 0)
            continue;
        for (int i = 0; i < LIMBS; i++)
            v.l[i] -= m.l[i];
        carry(&v);
        break;
    }
    for (int bit = 0; bit < 384; bit++)
        if (((uint64_t)v.l[bit / 52] >> (bit % 52) & 1) != 0)
            r.l[bit / 64] |= (uint64_t)1 << (bit % 64);
    return r;
}

/* a b / 2^416 mod p, from products that divide by 2^384: the factor is 2^352 / 2^384 */
static cz_fp product(const cz_fp *a, const cz_fp *b)
{
    static const cz_fp factor = {{0, 0, 0, 0, 0, (uint64_t)1 << 32}};
    cz_fp r;

    cz_fp_mul(&r, a, b);
    cz_fp_mul(&r, &r, &factor);
    return r;
}

static void assert_value(const integer *got, const cz_fp *want)
{
    cz_fp v = reduced(got);

    assert_memory_equal(&v, want, sizeof v);
}

static void assert_carried(const integer *a)
{
    for (int i = 0; i < LIMBS; i++)
        assert_true(a->l[i] >= 0 && a->l[i] <= (int64_t)CZ_X8_MASK);
}

/* Carried, and below p (1 + 2^-20). */
static void assert_just(const integer *a)
{
    integer limit = multiple_of_p(1, 0);

    assert_carried(a);
    limit.l[6] += (int64_t)0x1a011 << 32; /* about p 2^-20: the top limb, 20 bits lower */
    carry(&limit);
    assert_true(compare(a, &limit) < 0);
}

static void assert_canonical(const integer *a)
{
    integer p = multiple_of_p(1, 0);

    assert_carried(a);
    assert_true(compare(a, &p) < 0);
}

/* The tables are what their comments say. */
static void constants(void **state)
{
    static const uint64_t one[LIMBS] = CZ_X8_ONE;
    integer v;
    cz_fp plain, want;

    (void)state;
    assert_true((cz_x8_p[0] * CZ_X8_P_INV & CZ_X8_MASK) == CZ_X8_MASK); /* -1 mod 2^52 */
    v = multiple_of_p(1, 0);
    for (int i = 0; i < LIMBS; i++)
        assert_true(v.l[i] == (int64_t)cz_x8_p[i]);
    plain = reduced(&v);
    assert_true(cz_fp_is_zero(&plain));

    /* 2^416 mod p: R = 2^384 mod p, times 2^32 = 2^416 / 2^384 */
    memcpy(v.l, one, sizeof one);
    plain = reduced(&v);
    want = CZ_FP_ONE;
    for (int i = 0; i < 32; i++)
        cz_fp_dbl(&want, &want);
    assert_true(cz_fp_equal(&plain, &want));

    /* 2^52 times the shift is 1 */
    memcpy(v.l, cz_x8_shift, sizeof cz_x8_shift);
    plain = reduced(&v);
    for (int i = 0; i < 52; i++)
        cz_fp_dbl(&plain, &plain);
    assert_true(plain.l[0] == 1 &&
                (plain.l[1] | plain.l[2] | plain.l[3] | plain.l[4] | plain.l[5]) == 0);
}

/* 256 p^2 through the reduction is 0 mod p. */
static void constant_256_p2(void **state)
{
    __m512i c[17];
    cz_fp_x8 r;
    integers v;

    (void)state;
    skip_without_ifma();
    for (int i = 0; i < 16; i++)
        c[i] = CZ_X8_SET1(cz_x8_256_p2[i]);
    c[16] = _mm512_setzero_si512();
    cz_x8_reduce(&r, c);
    from_lanes(&v, &r);
    for (int k = 0; k < LANES; k++) {
        const cz_fp zero = CZ_FP_ZERO;

        assert_just(&v.lane[k]);
        assert_value(&v.lane[k], &zero);
    }
}

static void products(void **state)
{
    (void)state;
    skip_without_ifma();
    for (unsigned round = 0; round < 3000; round++) {
        integers a = some_integers(16, round);
        integers b = some_integers(16, round);
        integers ab, aa;
        cz_fp_x8 x, y, r;

        to_lanes(&x, &a);
        to_lanes(&y, &b);
        cz_fp_x8_mul(&r, &x, &y);
        from_lanes(&ab, &r);
        cz_fp_x8_sqr(&x, &x); /* in place */
        from_lanes(&aa, &x);
        for (int k = 0; k < LANES; k++) {
            cz_fp plain_a = reduced(&a.lane[k]);
            cz_fp plain_b = reduced(&b.lane[k]);
            cz_fp want = product(&plain_a, &plain_b);

            assert_just(&ab.lane[k]);
            assert_value(&ab.lane[k], &want);
            want = product(&plain_a, &plain_a);
            assert_just(&aa.lane[k]);
            assert_value(&aa.lane[k], &want);
        }
    }
}

static void check_fp2(const integers a[2], const integers b[2], const cz_fp2_x8 *got)
{
    integers c0, c1;

    from_lanes(&c0, &got->c0);
    from_lanes(&c1, &got->c1);
    for (int k = 0; k < LANES; k++) {
        cz_fp a0 = reduced(&a[0].lane[k]), a1 = reduced(&a[1].lane[k]);
        cz_fp b0 = reduced(&b[0].lane[k]), b1 = reduced(&b[1].lane[k]);
        cz_fp want, t;

        want = product(&a0, &b0);
        t = product(&a1, &b1);
        cz_fp_sub(&want, &want, &t);
        assert_just(&c0.lane[k]);
        assert_value(&c0.lane[k], &want);
        want = product(&a0, &b1);
        t = product(&a1, &b0);
        cz_fp_add(&want, &want, &t);
        assert_just(&c1.lane[k]);
        assert_value(&c1.lane[k], &want);
    }
}

static void products_fp2(void **state)
{
    (void)state;
    skip_without_ifma();
    for (unsigned round = 0; round < 3000; round++) {
        integers a[2] = {some_integers(16, round), some_integers(16, round)};
        integers b[2] = {some_integers(16, round), some_integers(16, round)};
        cz_fp2_x8 x, y, r;

        to_lanes(&x.c0, &a[0]);
        to_lanes(&x.c1, &a[1]);
        to_lanes(&y.c0, &b[0]);
        to_lanes(&y.c1, &b[1]);
        cz_fp2_x8_mul(&r, &x, &y);
        check_fp2(a, b, &r);
        cz_fp2_x8_mul(&x, &x, &y); /* in place */
        check_fp2(a, b, &x);

        a[0] = some_integers(4, round);
        a[1] = some_integers(4, round);
        to_lanes(&x.c0, &a[0]);
        to_lanes(&x.c1, &a[1]);
        cz_fp2_x8_sqr(&x, &x);
        check_fp2(a, a, &x);
    }
}

/* Sums and differences, at the ends of their ranges. */
static void sums(void **state)
{
    (void)state;
    skip_without_ifma();
    for (unsigned round = 0; round < 2000; round++) {
        integers a = some_integers(4, round), b = some_integers(3, round), got;
        cz_fp_x8 x, y, r;

        to_lanes(&x, &a);
        to_lanes(&y, &b);
        for (int op = 0; op < 3; op++) {
            if (op == 0)
                cz_fp_x8_add(&r, &x, &y);
            else if (op == 1)
                cz_fp_x8_sub_kp(&r, &x, &y, 3);
            else
                cz_fp_x8_negate_raw(&r, &y, 0x55);
            if (op == 2) {
                cz_fp_x8_add_kp_raw(&r, &r, 3);
                cz_fp_x8_carry(&r);
            }
            from_lanes(&got, &r);
            for (int k = 0; k < LANES; k++) {
                cz_fp want = reduced(&a.lane[k]), t = reduced(&b.lane[k]);

                if (op == 0)
                    cz_fp_add(&want, &want, &t);
                else if (op == 1)
                    cz_fp_sub(&want, &want, &t);
                else if (k % 2 == 0)
                    cz_fp_neg(&want, &t);
                else
                    want = t;
                assert_carried(&got.lane[k]);
                assert_value(&got.lane[k], &want);
            }
        }
    }
}

/* Move a random part of each limb below into the one above: the same value, raw. */
static void make_raw(integer *a)
{
    for (int i = 0; i < LIMBS - 1; i++) {
        int64_t moved = (int64_t)(cz_test_random() % 31) - 15;

        a->l[i] += moved * ((int64_t)1 << 52);
        a->l[i + 1] -= moved;
    }
}

/* Around each multiple of p and each step of the estimate, raw and carried. */
static void canonical_form(void **state)
{
    (void)state;
    skip_without_ifma();
    for (unsigned round = 0; round < 20000; round++) {
        integers a, got;
        cz_fp_x8 x;

        for (int k = 0; k < LANES; k++) {
            integer v = some_integer(3, (unsigned)cz_test_random());

            if (cz_test_random() % 2 == 0) { /* k p + t 2^364 + delta */
                v = multiple_of_p(cz_test_random() % 3, (int64_t)(cz_test_random() % 5) - 2);
                v.l[LIMBS - 1] += (int64_t)(cz_test_random() % 9) - 4;
            }
            if (cz_test_random() % 8 == 0) /* up to 3 p + 2^-10 p */
                v = multiple_of_p(3, (int64_t)(cz_test_random() % 5));
            if (v.l[LIMBS - 1] < 0)
                v = multiple_of_p(0, 0);
            make_raw(&v);
            a.lane[k] = v;
        }
        to_lanes(&x, &a);
        cz_fp_x8_canonical(&x, &x);
        from_lanes(&got, &x);
        for (int k = 0; k < LANES; k++) {
            integer v = a.lane[k];
            cz_fp want;

            carry(&v);
            want = reduced(&v);
            assert_canonical(&got.lane[k]);
            assert_value(&got.lane[k], &want);
        }
    }
}

static void comparisons(void **state)
{
    integers a = some_integers(1, 5), b = a;
    cz_fp_x8 x, y;

    (void)state;
    skip_without_ifma();
    for (int k = 0; k < LANES; k++)
        a.lane[k] = b.lane[k] = multiple_of_p(0, 3 + k);
    b.lane[2] = multiple_of_p(1, 1);
    b.lane[5].l[7] ^= 1; /* the lowest limb the same */
    a.lane[7] = multiple_of_p(0, 0);
    to_lanes(&x, &a);
    to_lanes(&y, &b);
    assert_int_equal(cz_fp_x8_equal(&x, &y), 0x5b);
    assert_int_equal(cz_fp_x8_maybe_equal(&x, &y), 0x7b);
    assert_int_equal(cz_fp_x8_is_zero(&x), 0x80);
    assert_int_equal(cz_fp_x8_maybe_zero(&x), 0x80);
}

static void memory_forms(void **state)
{
    uint64_t rows[LANES][LIMBS] __attribute__((aligned(64)));
    const uint64_t *from[LANES];
    uint64_t *to[LANES];
    cz_fp packed[LANES + 1], back[LANES + 1];
    const cz_fp *from_fp[LANES];
    cz_fp *to_fp[LANES];
    integers got;
    cz_fp_x8 x;

    (void)state;
    skip_without_ifma();
    for (int k = 0; k < LANES; k++) {
        for (int i = 0; i < LIMBS; i++)
            rows[k][i] = 100u * (unsigned)k + (unsigned)i;
        from[k] = to[k] = rows[k];
        cz_test_random_bytes((uint8_t *)&packed[k], sizeof packed[k]);
        from_fp[k] = &packed[k];
        to_fp[k] = &back[k];
    }
    cz_fp_x8_load(&x, from);
    from_lanes(&got, &x);
    for (int k = 0; k < LANES; k++)
        for (int i = 0; i < LIMBS; i++)
            assert_int_equal(got.lane[k].l[i], 100 * k + i);
    cz_fp_x8_exchange(&x, &x, 2);
    cz_fp_x8_store(to, &x, 5);
    for (int k = 0; k < LANES; k++)
        for (int i = 0; i < LIMBS; i++)
            assert_int_equal(rows[k][i], 100 * (k < 5 ? k ^ 2 : k) + i);

    memset(back, 0x5a, sizeof back);
    cz_fp_x8_unpack(&x, from_fp);
    from_lanes(&got, &x);
    for (int k = 0; k < LANES; k++) {
        assert_carried(&got.lane[k]);
        for (int bit = 0; bit < 384; bit++)
            assert_int_equal((uint64_t)got.lane[k].l[bit / 52] >> (bit % 52) & 1,
                             packed[k].l[bit / 64] >> (bit % 64) & 1);
    }
    cz_fp_x8_pack(to_fp, &x, 7);
    assert_memory_equal(back, packed, 7 * sizeof packed[0]);
    for (size_t i = 0; i < 2 * sizeof back[0]; i++)
        assert_int_equal(((const uint8_t *)&back[7])[i], 0x5a);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(constants),   cmocka_unit_test(constant_256_p2),
    cmocka_unit_test(products),    cmocka_unit_test(products_fp2),
    cmocka_unit_test(sums),        cmocka_unit_test(canonical_form),
    cmocka_unit_test(comparisons), cmocka_unit_test(memory_forms),
};

CZ_TEST_MAIN(cases)

#if defined(__clang__)
#pragma clang attribute pop
#endif
