/* ntt_cases.h: what the tests of the transforms share: forms, inputs, comparing. */
#ifndef CZ_TESTS_NTT_CASES_H
#define CZ_TESTS_NTT_CASES_H

#include <stdlib.h>
#include <string.h>

#include "ntt/ntt.h"
#include "support.h"

static inline void random_fr(cz_fr *r)
{
    uint8_t bytes[32];

    cz_test_random_bytes(bytes, sizeof bytes);
    cz_fr_from_le_mod(r, bytes);
}

static inline cz_fr *random_vector(size_t n)
{
    cz_fr *xs = malloc(n * sizeof *xs);

    assert_non_null(xs);
    for (size_t i = 0; i < n; i++)
        random_fr(&xs[i]);
    return xs;
}

static inline cz_fr *copy_vector(const cz_fr *xs, size_t n)
{
    cz_fr *copy = malloc(n * sizeof *copy);

    assert_non_null(copy);
    memcpy(copy, xs, n * sizeof *copy);
    return copy;
}

/* The n-th of a few extreme elements, as stored: 0, the number 1, one, r - 1, and such whose limbs,
 * 64 or 52 bits wide, are all zeros or all ones as far as that stays below r. */
enum { N_EXTREMES = 9 };
static inline cz_fr extreme(size_t n)
{
    const uint64_t ones = UINT64_MAX;
    const cz_fr table[N_EXTREMES] = {
        {{0}},
        {{1}},
        {CZ_FR_R},
        {{0xffffffff00000000, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}},
        {{ones, ones, ones, 0x73eda753299d7d47}},
        {{0, 0, 0, 0x73eda753299d7d48}},
        {{0xfffffffffffff, 0, 0, 0}},
        {{ones << 52, 0xffffffffff, 0, 0}},
        {{0, 0, 0, 1}},
    };

    return table[n % N_EXTREMES];
}

/** xs[i] and xs[rev(i)] change places, the plain way. */
static inline void plain_bit_reverse(cz_fr *xs, unsigned log_n)
{
    for (size_t i = 0; i < (size_t)1 << log_n; i++) {
        size_t r = 0;
        cz_fr t = xs[i];

        for (unsigned bit = 0; bit < log_n; bit++)
            r |= (i >> bit & 1) << (log_n - 1 - bit);
        if (i >= r)
            continue;
        xs[i] = xs[r];
        xs[r] = t;
    }
}

/** Take a form, or skip the case where this CPU has not got it. */
static inline void take_form(const char *form)
{
    if (cz_ntt_select(form) == CZ_E_NODEV)
        skip();
    assert_string_equal(cz_ntt_form(), form);
}

#define assert_same(xs, ys, n) assert_memory_equal((xs), (ys), (n) * sizeof(cz_fr))

#endif
