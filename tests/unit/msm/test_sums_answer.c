/* test_sums_answer.c: the host's step of a device's sum: what buckets weigh, by their definition.
 */
#include "msm/sums_answer.h"

#include <string.h>

#include "curve/curve.h"
#include "field/mont.h"
#include "support.h"

enum { SETS = 3, COLUMN_BITS = 3, MAX_BUCKETS = 64, MAX_SUMS = 64, LANE_BYTES = 192 };

/* Buckets of the sets: whole rows; the second set has one row, so no bits of rows. */
static const unsigned rows_of[SETS] = {4, 1, 5};
static const int position_of[SETS] = {2, 9, 40};

static unsigned bits_for(unsigned n)
{
    unsigned bits = 0;

    while (1u << bits < n)
        bits++;
    return bits;
}

/* A bucket's multiple of the generator; some are infinity. */
static uint64_t multiple(unsigned set, unsigned bucket)
{
    return (set + bucket) % 5 == 3 ? 0 : 1000003u * (set + 1) + 77u * bucket * bucket;
}

/* What bit sum `bit` of rows (of columns, or with bit -1 of all) is a multiple of. */
static uint64_t bit_sum(unsigned set, bool of_rows, int bit)
{
    uint64_t sum = 0;

    for (unsigned b = 0; b < rows_of[set] << COLUMN_BITS; b++) {
        const unsigned number = of_rows ? b >> COLUMN_BITS : b & ((1u << COLUMN_BITS) - 1);

        if (bit < 0 || (number >> bit & 1) != 0)
            sum += multiple(set, b);
    }
    return sum;
}

/* The answer as a multiple of the generator: bucket b of a set weighs (b + 1) 2^position. */
static cz_u256 expected(void)
{
    cz_u256 k = {{0, 0, 0, 0}};

    for (unsigned s = 0; s < SETS; s++)
        for (unsigned b = 0; b < rows_of[s] << COLUMN_BITS; b++) {
            const cz_u128 t = (cz_u128)(multiple(s, b) * (b + 1)) << position_of[s];
            const cz_u128 sum = ((cz_u128)k.l[1] << 64 | k.l[0]) + t;

            k.l[0] = (uint64_t)sum;
            k.l[1] = (uint64_t)(sum >> 64);
        }
    return k;
}

/* k G as a device leaves it: XYZZ with a factor of its own, components in lanes. */
static void put_g1(unsigned char *at, uint64_t k)
{
    cz_g1_xyzz p;
    cz_g1 g, t;

    memset(&p, 0, sizeof p);
    cz_g1_from_affine(&g, &cz_g1_generator);
    cz_g1_mul_var(&t, &g, &(cz_u256){{k, 0, 0, 0}});
    if (!cz_g1_is_infinity(&t)) {
        p.x = t.x;
        p.y = t.y;
        cz_fp_sqr(&p.zz, &t.z);
        cz_fp_mul(&p.zzz, &p.zz, &t.z);
    }
    memcpy(at, &p, sizeof p);
}

static void put_g2(unsigned char *at, uint64_t k)
{
    cz_g2_xyzz p;
    cz_g2 g, t;

    memset(&p, 0, sizeof p);
    cz_g2_from_affine(&g, &cz_g2_generator);
    cz_g2_mul_var(&t, &g, &(cz_u256){{k, 0, 0, 0}});
    if (!cz_g2_is_infinity(&t)) {
        p.x = t.x;
        p.y = t.y;
        cz_fp2_sqr(&p.zz, &t.z);
        cz_fp2_mul(&p.zzz, &p.zz, &t.z);
    }
    for (unsigned c = 0; c < 4; c++)
        for (unsigned lane = 0; lane < 2; lane++)
            memcpy(at + lane * LANE_BYTES + c * 48,
                   (const unsigned char *)&p + c * 96 + lane * (size_t)48, 48);
}

typedef void (*put_sum)(unsigned char *at, uint64_t k);

/* All bit sums of the sets; each takes `bytes`. */
static cz_sum_sets put_sets(unsigned char *sums, put_sum put, size_t bytes)
{
    cz_sum_sets sets = {.n_sets = SETS, .column_bits = COLUMN_BITS};
    unsigned n = 0;

    for (unsigned s = 0; s < SETS; s++) {
        const unsigned row_bits = bits_for(rows_of[s]);

        sets.set[s] = (cz_sum_set){n, row_bits, position_of[s]};
        for (unsigned bit = 0; bit < row_bits; bit++)
            put(sums + n++ * bytes, bit_sum(s, true, (int)bit));
        for (unsigned bit = 0; bit < COLUMN_BITS; bit++)
            put(sums + n++ * bytes, bit_sum(s, false, (int)bit));
        put(sums + n++ * bytes, bit_sum(s, false, -1));
    }
    return sets;
}

static void sets_weigh_what_their_buckets_do_g1(void **state)
{
    static unsigned char sums[MAX_SUMS * LANE_BYTES];
    const cz_sum_sets sets = put_sets(sums, put_g1, LANE_BYTES);
    const cz_u256 k = expected();
    cz_g1_affine got, want;
    cz_sum_point sum;
    cz_g1 g;

    (void)state;
    cz_sum_host_g1.start(&sum);
    cz_sum_host_g1.add_sets(&sum, sums, &sets);
    cz_sum_host_g1.to_affine(&got, &sum);
    cz_g1_from_affine(&g, &cz_g1_generator);
    cz_g1_mul_var(&g, &g, &k);
    cz_g1_to_affine(&want, &g);
    assert_memory_equal(&got, &want, sizeof got);
}

static void sets_weigh_what_their_buckets_do_g2(void **state)
{
    static unsigned char sums[MAX_SUMS * 2 * LANE_BYTES];
    const cz_sum_sets sets = put_sets(sums, put_g2, (size_t)2 * LANE_BYTES);
    const cz_u256 k = expected();
    cz_g2_affine got, want;
    cz_sum_point sum;
    cz_g2 g;

    (void)state;
    cz_sum_host_g2.start(&sum);
    cz_sum_host_g2.add_sets(&sum, sums, &sets);
    cz_sum_host_g2.to_affine(&got, &sum);
    cz_g2_from_affine(&g, &cz_g2_generator);
    cz_g2_mul_var(&g, &g, &k);
    cz_g2_to_affine(&want, &g);
    assert_memory_equal(&got, &want, sizeof got);
}

/* Parts of a sum add up, equal and infinite ones too. */
static void sums_add_up(void **state)
{
    unsigned char sums[4 * LANE_BYTES];
    cz_g1_affine got, want;
    cz_sum_point sum;
    cz_g1 g;

    (void)state;
    put_g1(sums, 5);
    put_g1(sums + LANE_BYTES, 0);
    put_g1(sums + (size_t)2 * LANE_BYTES, 5);
    cz_sum_host_g1.start(&sum);
    cz_sum_host_g1.to_affine(&got, &sum);
    assert_true(cz_g1_affine_is_infinity(&got));
    for (unsigned i = 0; i < 3; i++)
        cz_sum_host_g1.add_one(&sum, sums, i);
    cz_sum_host_g1.to_affine(&got, &sum);
    cz_g1_from_affine(&g, &cz_g1_generator);
    cz_g1_mul_var(&g, &g, &(cz_u256){{10, 0, 0, 0}});
    cz_g1_to_affine(&want, &g);
    assert_memory_equal(&got, &want, sizeof got);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(sets_weigh_what_their_buckets_do_g1),
    cmocka_unit_test(sets_weigh_what_their_buckets_do_g2),
    cmocka_unit_test(sums_add_up),
};

CZ_TEST_MAIN(cases)
