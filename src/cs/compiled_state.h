/* compiled_state.h: a compiled circuit once it is open: the tables and what was derived from them.
 * Inside cs/ only. */
#ifndef CZ_CS_COMPILED_STATE_H
#define CZ_CS_COMPILED_STATE_H

#include "cs/compiled.h"
#include "cs/compiled_tables.h"

/* A coefficient for sums of bits as 32-bit digits: most lie in a single one. */
typedef struct {
    int64_t value;  /* of the digit, signed */
    uint32_t digit; /* CZ_DIGITS: several, look at the integer */
} cz_digit;

enum { CZ_DIGITS = 8, CZ_RANK_BITS = 512 };

struct cz_compiled {
    cz_compiled_tables t;
    uint8_t *image;
    size_t n_bytes;
    cz_signed *integers; /* of the coefficients */
    cz_digit *digits;
    int8_t *small;           /* cz_signed_small */
    uint64_t *classes;       /* of all aux variables */
    uint32_t *fields_before; /* the aux variable CZ_RANK_BITS * i */
    uint32_t max_columns;    /* of a template, at least 1 */
};

/** Number of words of a plane over n variables; never 0. */
static inline size_t cz_plane_words(uint64_t n)
{
    return (size_t)(n / 64 + 1);
}

static inline uint32_t cz_field_index(const cz_compiled *c, uint32_t k)
{
    uint32_t n = c->fields_before[k / CZ_RANK_BITS];
    uint32_t word = k / CZ_RANK_BITS * (CZ_RANK_BITS / 64);

    for (; word < k / 64; word++)
        n += (uint32_t)__builtin_popcountll(~c->classes[word]);
    return n + (uint32_t)__builtin_popcountll(~c->classes[word] & (((uint64_t)1 << k % 64) - 1));
}

/** The variables of an instance's columns, max_columns at most. */
void cz_compiled_list_columns(cz_var *columns, const cz_compiled_tables *t,
                              const cz_compiled_instance *x);

/* acc += coeff value, `small` being the coefficient's among `small`. */
static inline void cz_add_product(cz_fr *acc, const cz_fr *coeff, const cz_fr *value, int small)
{
    cz_fr product;

    if (small == 1) {
        cz_fr_add(acc, acc, value);
    } else if (small == -1) {
        cz_fr_sub(acc, acc, value);
    } else {
        cz_fr_mul(&product, coeff, value);
        cz_fr_add(acc, acc, &product);
    }
}

/** Check all tables and derive the rest; see compiled.h. Messages begin with `name`. */
CZ_MUST_CHECK cz_err cz_compiled_check(cz_compiled *c, const uint8_t *image, size_t n,
                                       const char *name);

#endif
