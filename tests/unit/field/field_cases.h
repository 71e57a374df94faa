/* field_cases.h: values that go wrong first, and random ones, for the tests of Fr and Fp; and
 * running a test with one form of the multiplications. */
#ifndef CZ_TESTS_FIELD_CASES_H
#define CZ_TESTS_FIELD_CASES_H

#include <stdlib.h>

#include "field/fp.h"
#include "field/fr.h"
#include "support.h"

static inline bool limbs_below(const uint64_t *v, const uint64_t *m, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        if (v[i] != m[i])
            return v[i] < m[i];
    }
    return false;
}

/* A random integer below m whose limbs are now and then all zeros or all ones. */
static inline void random_limbs(uint64_t *v, const uint64_t *m, int n)
{
    do {
        for (int i = 0; i < n; i++) {
            uint64_t kind = cz_test_random() >> 61;

            v[i] = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : cz_test_random();
        }
        v[n - 1] >>= 1 + (cz_test_random() >> 63) * (cz_test_random() >> 59);
    } while (!limbs_below(v, m, n));
}

enum { MAX_EDGES = 600 };

/* Into rows of 6 limbs: 0, 1, 2, m - 1, m - 2, (m - 1)/2, and every pattern of limbs from
 * {0, 1, 2^63, 2^64 - 1} with highest limb from {0, m's, m's - 1} that is below m and not too many.
 * Gives their number. */
static inline size_t edge_limbs(uint64_t (*out)[6], const uint64_t *m, int n)
{
    static const uint64_t low[4] = {0, UINT64_MAX, 1, UINT64_C(1) << 63};
    const uint64_t high[3] = {0, m[n - 1], m[n - 1] - 1};
    unsigned patterns = n == 4 ? 64 : 1024;
    size_t count = 0;

    for (uint64_t k = 0; k < 3; k++) {
        memset(out[count], 0, sizeof out[count]);
        out[count++][0] = k;
    }
    for (uint64_t k = 1; k <= 2; k++) { /* m is odd and above 2 in its lowest limb, or borrows */
        uint64_t borrow = 0;

        memset(out[count], 0, sizeof out[count]);
        out[count][0] = cz_sbb(m[0], k, &borrow);
        for (int i = 1; i < n; i++)
            out[count][i] = cz_sbb(m[i], 0, &borrow);
        count++;
    }
    memset(out[count], 0, sizeof out[count]);
    for (int i = 0; i < n; i++)
        out[count][i] = m[i] >> 1 | (i + 1 < n ? m[i + 1] << 63 : 0);
    count++;
    for (unsigned k = 0; k < 3 * patterns && count < MAX_EDGES; k++) {
        unsigned pattern = k / 3;

        if (n == 6 && pattern % 7 != 0 && pattern > 40)
            continue;
        memset(out[count], 0, sizeof out[count]);
        for (int i = 0; i + 1 < n; i++)
            out[count][i] = low[pattern >> (2 * i) & 3];
        out[count][n - 1] = high[k % 3];
        if (limbs_below(out[count], m, n))
            count++;
    }
    return count;
}

/* Run `test` with this form, or skip the case where the CPU lacks it; the best one is in use
 * afterwards. */
static inline void with_form(const char *name, void (*test)(void))
{
    const char *best = cz_field_kernels.name;

    if (cz_field_select(name) == CZ_E_NODEV)
        skip();
    assert_string_equal(cz_field_kernels.name, name);
    test();
    assert_ok(cz_field_select(best));
}

#endif
