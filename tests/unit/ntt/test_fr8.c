/* Eight lanes of Fr against the plain form, over the whole range that lazy reduction allows. */
#include "base/cpu.h"
#include "ntt_cases.h"

/* The lanes' functions are inline: compile this file's for the same instructions. */
#include <immintrin.h>
#ifdef __clang__
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512ifma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx512ifma")
#endif

#include "field/fr_ifma.h"

/* Eight numbers below 2^260, as limbs of 52 bits: [limb][lane]. */
typedef struct {
    int64_t l[5][8];
} eight;

static const uint64_t mask52 = 0xfffffffffffff;

static void need_ifma(void)
{
    if (!cz_cpu_has(CZ_CPU_AVX512IFMA))
        skip();
}

static cz_fr8 load_eight(const eight *v)
{
    cz_fr8 r;

    for (int i = 0; i < 5; i++)
        r.l[i] = _mm512_loadu_si512(v->l[i]);
    return r;
}

static void set_lane(eight *v, int lane, const uint64_t limbs[5])
{
    for (int i = 0; i < 5; i++)
        v->l[i][lane] = (int64_t)(limbs[i] & mask52);
}

/* The element that is stored as this number mod r. */
static cz_fr stored_mod_r(const uint64_t limbs[5])
{
    cz_fr sum = CZ_FR_ZERO, radix, limb;
    cz_u256 plain;
    cz_fr r;

    cz_fr_from_u64(&radix, (uint64_t)1 << 52);
    for (int i = 5; i-- > 0;) {
        cz_fr_from_u64(&limb, limbs[i]);
        cz_fr_mul(&sum, &sum, &radix);
        cz_fr_add(&sum, &sum, &limb);
    }
    cz_fr_to_u256(&plain, &sum);
    memcpy(r.l, plain.l, sizeof r.l);
    return r;
}

/* Edges of [0, 2^260), then random numbers in it. */
static void pick_limbs(uint64_t limbs[5], size_t n)
{
    enum { EDGES = 8 };
    const int64_t *const multiples[4] = {cz_fr8_1r, cz_fr8_4r, cz_fr8_8r, cz_fr8_16r};

    for (int i = 0; i < 5; i++)
        limbs[i] = cz_test_random() & mask52;
    for (int i = 0; i < 5 && n < EDGES; i++) {
        if (n < 4)
            limbs[i] = (uint64_t)multiples[n][i];
        else
            limbs[i] = n == 4 ? 0 : n == 5 ? mask52 : n == 6 ? (i == 0) : (i == 4 ? mask52 : 0);
    }
    if (n == 3)
        limbs[0] -= 1; /* 16 r - 1 */
}

static void constants_are_right(void **state)
{
    const int64_t *const multiples[] = {cz_fr8_1r, cz_fr8_4r, cz_fr8_8r, cz_fr8_11r, cz_fr8_16r};
    const uint64_t factors[] = {1, 4, 8, 11, 16};
    uint64_t low[5], borrow = 0, product[5] = {0};

    (void)state;
    for (size_t k = 0; k < 5; k++) {
        uint64_t carry = 0; /* k r, a limb of 52 bits at a time */

        for (unsigned i = 0; i < 5; i++) {
            uint64_t limb = cz_fr_modulus[52 * i / 64] >> (52 * i % 64);

            if (52 * i % 64 > 12 && 52 * i / 64 < 3)
                limb |= cz_fr_modulus[52 * i / 64 + 1] << (64 - 52 * i % 64);
            carry += (limb & mask52) * factors[k];
            assert_int_equal(multiples[k][i], carry & mask52);
            carry >>= 52;
        }
    }
    for (int i = 0; i < 5; i++) { /* minus_r + r = 0 mod 2^260 */
        low[i] = (uint64_t)cz_fr8_minus_r[i] + (uint64_t)cz_fr8_1r[i] + borrow;
        borrow = low[i] >> 52;
        assert_int_equal(0, low[i] & mask52);
    }
    for (int i = 0; i < 5; i++) { /* minus_inv r = -1 mod 2^260 */
        cz_u128 carry = 0;

        for (int j = 0; i + j < 5; j++) {
            carry += (cz_u128)(uint64_t)cz_fr8_minus_inv[i] * (uint64_t)cz_fr8_1r[j];
            carry += product[i + j];
            product[i + j] = (uint64_t)carry & mask52;
            carry >>= 52;
        }
    }
    for (int i = 0; i < 5; i++)
        assert_int_equal(mask52, product[i]);
}

/* Also checks the tabulated factors: preparing their w gives the same quotient. */
static void prepared_quotients_are_right(void **state)
{
    const int64_t *const tables[2] = {cz_fr8_2_260, cz_fr8_2_minus_256};

    (void)state;
    need_ifma();
    for (int k = 0; k < 2; k++) {
        const cz_fr8_factor f = cz_fr8_prepare(cz_fr8_broadcast(tables[k]));

        for (int i = 0; i < 5; i++)
            assert_int_equal(tables[k][5 + i], _mm_cvtsi128_si64(_mm512_castsi512_si128(f.q.l[i])));
    }
}

/* Every 256-bit number comes through loading and storing. */
static void memory_round_trips(void **state)
{
    enum { GAP = 6 };
    cz_fr in[8 * GAP], out[8 * GAP];
    cz_fr8 two[2];

    (void)state;
    need_ifma();
    cz_test_random_bytes((uint8_t *)in, sizeof in);
    memset(&in[3], 0xff, sizeof in[3]);
    memcpy(out, in, sizeof out);
    memset(out, 0, 8 * sizeof out[0]);
    cz_fr8_store(out, cz_fr8_load(in));
    assert_memory_equal(in, out, sizeof in);
    cz_fr8_load_rows(two, in + 2, GAP);
    for (int row = 0; row < 8; row++)
        memset(&out[2 + row * GAP], 0, 2 * sizeof out[0]);
    cz_fr8_store_rows(out + 2, GAP, two);
    assert_memory_equal(in, out, sizeof in);
}

static int64_t lowest_limb(cz_fr8 a, size_t lane)
{
    int64_t lanes[8];

    _mm512_storeu_si512(lanes, a.l[0]);
    return lanes[lane];
}

/* Rows and neighbours meet in the same lanes, those that cz_fr8_lane tells. */
static void lanes_are_as_told(void **state)
{
    cz_fr rows[16], neighbours[8];
    cz_fr8 two[2], one;

    (void)state;
    need_ifma();
    memset(rows, 0, sizeof rows);
    memset(neighbours, 0, sizeof neighbours);
    for (size_t i = 0; i < 8; i++) {
        neighbours[i].l[0] = i;
        rows[2 * i].l[0] = i;
        rows[2 * i + 1].l[0] = i + 8;
    }
    cz_fr8_load_rows(two, rows, 2);
    one = cz_fr8_load(neighbours);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(i, lowest_limb(one, cz_fr8_lane[i]));
        assert_int_equal(i, lowest_limb(two[0], cz_fr8_lane[i]));
        assert_int_equal(i + 8, lowest_limb(two[1], cz_fr8_lane[i]));
    }
}

/* A batch of inputs: the vector, and what each lane is mod r. */
static cz_fr8 pick_eight(cz_fr residues[8], size_t batch)
{
    eight v;

    for (int lane = 0; lane < 8; lane++) {
        uint64_t limbs[5];

        pick_limbs(limbs, batch * 8 + (size_t)lane);
        set_lane(&v, lane, limbs);
        residues[cz_fr8_lane[lane]] = stored_mod_r(limbs); /* where storing puts the lane */
    }
    return load_eight(&v);
}

static void assert_stores(const cz_fr expected[8], cz_fr8 a)
{
    cz_fr stored[8];

    cz_fr8_store(stored, a);
    for (int i = 0; i < 8; i++)
        assert_true(cz_fr_equal(&expected[i], &stored[i]));
}

static void canonical_reduces_all(void **state)
{
    (void)state;
    need_ifma();
    for (size_t batch = 0; batch < 200; batch++) {
        cz_fr residues[8];

        cz_fr8 a = pick_eight(residues, batch);
        assert_stores(residues, cz_fr8_canonical(a));
    }
}

/* Limbs with more or less than they should hold, made up for in the limb above. */
static void loose_limbs_are_carried(void **state)
{
    (void)state;
    need_ifma();
    for (size_t batch = 0; batch < 200; batch++) {
        cz_fr residues[8];
        cz_fr8 a = pick_eight(residues, batch);

        for (int i = 0; i < 4; i++) {
            const int64_t k = (int64_t)(cz_test_random() % 1024) - 512;

            a.l[i] = _mm512_add_epi64(a.l[i], _mm512_set1_epi64(k * ((int64_t)1 << 52)));
            a.l[i + 1] = _mm512_sub_epi64(a.l[i + 1], _mm512_set1_epi64(k));
        }
        assert_stores(residues, cz_fr8_canonical(a));
    }
}

/* Limbs of k r + 2^208 d, k small */
static void near_multiple(uint64_t limbs[5], uint64_t k, int64_t d)
{
    uint64_t carry = 0;

    for (int i = 0; i < 5; i++) {
        carry += (uint64_t)cz_fr8_1r[i] * k;
        limbs[i] = carry & mask52;
        carry >>= 52;
    }
    limbs[4] += (uint64_t)d;
}

static void assert_below(cz_fr8 a, int64_t highest)
{
    const __m512i high = cz_fr8_normalise(a).l[4];

    assert_int_equal(0, _mm512_cmpgt_epi64_mask(high, _mm512_set1_epi64(highest)));
    assert_int_equal(0, _mm512_cmplt_epi64_mask(high, _mm512_set1_epi64(cz_fr8_1r[4] / 10 * 8)));
}

/* k r for k = 1 … 32, and what lies about the thresholds 2^258 and 2^259. */
static void partial_reductions_keep_their_bounds(void **state)
{
    (void)state;
    need_ifma();
    for (uint64_t k = 1; k <= 32; k++) {
        for (int64_t d = -1; d <= 1; d++) {
            cz_fr residues[8];
            cz_fr8 a;
            eight v;

            for (int lane = 0; lane < 8; lane++) {
                uint64_t limbs[5];

                near_multiple(limbs, k, d);
                if (lane % 4 == 1)
                    memset(limbs, 0, sizeof limbs), limbs[4] = ((uint64_t)1 << 50) + (uint64_t)d;
                if (lane % 4 == 2)
                    memset(limbs, 0, sizeof limbs), limbs[4] = ((uint64_t)1 << 51) + (uint64_t)d;
                set_lane(&v, lane, limbs);
                residues[cz_fr8_lane[lane]] = stored_mod_r(limbs);
            }
            a = load_eight(&v);
            assert_stores(residues, cz_fr8_canonical(cz_fr8_below_18r(a)));
            assert_stores(residues, cz_fr8_canonical(cz_fr8_below_10r(a)));
            assert_below(cz_fr8_below_18r(a), cz_fr8_1r[4] * 177 / 10);
            assert_below(cz_fr8_below_10r(a), cz_fr8_1r[4] * 97 / 10);
        }
    }
}

/* x w, w among the extremes and random; the factor's other operand covers [0, 2^260). */
static void mul_add_multiplies(void **state)
{
    const cz_fr r2 = {CZ_FR_R2};
    const cz_fr8 r = cz_fr8_broadcast(cz_fr8_1r);

    (void)state;
    need_ifma();
    for (size_t batch = 0; batch < 400; batch++) {
        cz_fr x[8], w[8], expected[8];
        cz_fr8 x8 = pick_eight(x, batch % 100);
        cz_fr8_factor f;

        for (size_t i = 0; i < 8; i++) {
            w[i] = extreme(batch + i);
            if (batch >= 200)
                random_fr(&w[i]);
            cz_fr_mul(&expected[i], &x[i], &w[i]); /* the product of what is stored, over 2^256 */
        }
        f = cz_fr8_prepare(cz_fr8_plain(cz_fr8_load(w)));
        assert_stores(expected, cz_fr8_canonical(cz_fr8_mul_add(r, x8, &f)));

        f = cz_fr8_prepare(cz_fr8_load(w));
        for (size_t i = 0; i < 8; i++)
            cz_fr_mul(&expected[i], &expected[i], &r2);
        assert_stores(expected, cz_fr8_canonical(cz_fr8_mul_add(r, x8, &f)));
    }
}

static void mont_mul_multiplies(void **state)
{
    (void)state;
    need_ifma();
    for (size_t batch = 0; batch < 200; batch++) {
        cz_fr x[8], y[8], expected[8];

        for (size_t i = 0; i < 8; i++) {
            x[i] = extreme(batch);
            y[i] = extreme(i);
            if (batch >= 2 * N_EXTREMES)
                random_fr(&x[i]);
            if (batch >= N_EXTREMES)
                random_fr(&y[i]);
            cz_fr_mul(&expected[i], &x[i], &y[i]);
        }
        assert_stores(expected, cz_fr8_canonical(cz_fr8_mont_mul(cz_fr8_load(x), cz_fr8_load(y))));
    }
}

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(constants_are_right),
    cmocka_unit_test(prepared_quotients_are_right),
    cmocka_unit_test(memory_round_trips),
    cmocka_unit_test(lanes_are_as_told),
    cmocka_unit_test(canonical_reduces_all),
    cmocka_unit_test(loose_limbs_are_carried),
    cmocka_unit_test(partial_reductions_keep_their_bounds),
    cmocka_unit_test(mul_add_multiplies),
    cmocka_unit_test(mont_mul_multiplies),
};

CZ_TEST_MAIN(cases)
