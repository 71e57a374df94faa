/* eval_device.h: a, b, c of compiled_eval.h on CUDA devices: tables and the work of one thread; the
 * same text runs on the host for tests.
 *
 * Method: a block takes a stretch of rows of one instance. It first spreads the instance's columns
 * into a plane of bits in shared memory, then every thread takes rows: combinations of bits with
 * small coefficients are sums of small integers and a look-up, those over field elements are
 * multiplied out. Sums of weighted bits (CZ_EVAL_WIDE), some hundred terms long where their
 * neighbours have two, are left out by the threads and taken by whole warps afterwards; long sums
 * over field elements, as those before Poseidon's S-boxes, are left out too, so that a warp's
 * threads all have one: both listed once for every template, when the tables are made.
 *
 * Values of class field lie in one vector: the inputs, then the witness's fields. Where a column's
 * value lies follows from its rank among the field columns of its template, counted by words. */
#ifndef CZ_CS_EVAL_DEVICE_H
#define CZ_CS_EVAL_DEVICE_H

#include "field/fr_device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CZ_EVAL_MAX_COLUMNS = 65535,
    CZ_EVAL_BIT_WORDS = CZ_EVAL_MAX_COLUMNS / 32 + 2, /* a piece may touch the word after its own */
    CZ_EVAL_ROWS = 2048,                              /* of a block, at most */
    CZ_EVAL_SMALL_MAX = 64,
    CZ_EVAL_DIGITS = 8,
    CZ_EVAL_LONG = 8 /* terms of a sum over field elements that is left out */
};
#define CZ_EVAL_AUX_BIT 0x80000000u

/* Numbers of cz_lc_kind. */
enum { CZ_EVAL_EMPTY, CZ_EVAL_SMALL, CZ_EVAL_WIDE, CZ_EVAL_COPY, CZ_EVAL_FIELD };

/* These two have the bytes of cz_compiled_row and cz_compiled_term. */
typedef struct {
    uint32_t first_term;
    uint16_t n[3];
    uint8_t kind[3];
    uint8_t zero[3];
} cz_eval_row;

typedef struct {
    uint16_t column;
    uint16_t coeff;
} cz_eval_term;

typedef struct {
    uint32_t first_row, first_class_word;
    uint32_t n_ports, n_columns;
} cz_eval_template;

typedef struct {
    uint32_t template_index;
    uint32_t first_row; /* of the circuit */
    uint32_t first_aux;
    uint32_t first_value; /* of a local: this plus its rank, modulo 2^32 */
    uint32_t first_run, n_runs;
} cz_eval_instance;

/* Consecutive variables in consecutive columns. */
typedef struct {
    uint32_t var; /* CZ_EVAL_AUX_BIT: aux */
    uint32_t n;
    uint32_t column;
    uint32_t first_value; /* as above */
} cz_eval_run;

/* What one block does. */
typedef struct {
    uint32_t instance;
    uint32_t first_row, n_rows; /* of the template */
    uint32_t first_wide, n_wide;
    uint32_t first_long, n_long;
} cz_eval_item;

typedef struct cz_eval_tables {
    const cz_fr32 *coeffs;
    const uint32_t *magnitudes; /* of the coefficients as signed integers, 8 limbs each ... */
    const uint8_t *negative;    /* ... and their signs */
    const int8_t *small;        /* the signed integers up to CZ_EVAL_SMALL_MAX, 0 for larger ones */
    const cz_fr32 *small_values; /* of -CZ_EVAL_SMALL_MAX first */
    const cz_eval_template *templates;
    const cz_eval_row *rows;
    const cz_eval_term *terms;
    const uint64_t *classes; /* a template's columns, a set bit means class bit ... */
    const uint32_t *ranks;   /* ... and the field columns before each word */
    const cz_eval_instance *instances;
    const cz_eval_run *runs;
    const cz_eval_item *items;
    const uint32_t *wide;      /* 4 row + matrix, rows of the template ... */
    const uint32_t *long_sums; /* ... and of long sums over field elements */
    uint32_t n_items;
} cz_eval_tables;

/* One instance, ready for its rows. */
typedef struct {
    const cz_eval_tables *t;
    const uint32_t *bits; /* of the columns */
    const cz_fr32 *values;
    const uint64_t *classes;
    const uint32_t *ranks;
    const cz_eval_run *runs;
    uint32_t n_runs, n_ports, first_value;
} cz_eval_place;

/* ---- columns ---- */

CZ_DEV void cz_eval_or(uint32_t *word, uint32_t bits)
{
#ifdef __CUDA_ARCH__
    atomicOr(word, bits);
#else
    *word |= bits;
#endif
}

CZ_DEV uint32_t cz_eval_count(uint64_t v)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popcll((long long)v);
#else
    return (uint32_t)__builtin_popcountll(v);
#endif
}

/* Columns [column, column + n), n at most 32, get bits from `first` of the plane. */
CZ_DEV void cz_eval_spread(uint32_t *bits, uint32_t column, const uint32_t *plane, uint32_t first,
                           uint32_t n)
{
    const uint32_t from = first % 32, to = column % 32;
    uint32_t v = plane[first / 32] >> from;

    if (from + n > 32)
        v |= plane[first / 32 + 1] << (32 - from);
    if (n < 32)
        v &= (1u << n) - 1;
    if (v == 0)
        return;
    cz_eval_or(&bits[column / 32], v << to);
    if (to + n > 32)
        cz_eval_or(&bits[column / 32 + 1], v >> (32 - to));
}

/** The share of thread `me` of `all` in loading an instance's columns to `bits`, which is zero. */
CZ_DEV void cz_eval_load_columns(uint32_t *bits, const cz_eval_tables *t, const cz_eval_instance *x,
                                 const uint32_t *plane, uint32_t me, uint32_t all)
{
    const cz_eval_template *shape = &t->templates[x->template_index];
    const uint32_t locals = shape->n_columns - shape->n_ports;

    for (uint32_t i = me; i < x->n_runs; i += all) {
        const cz_eval_run run = t->runs[x->first_run + i];

        if (run.var == 0) /* input 0, the constant one, counts as a bit */
            cz_eval_or(&bits[run.column / 32], 1u << run.column % 32);
        if (!(run.var & CZ_EVAL_AUX_BIT))
            continue;
        for (uint32_t k = 0; k < run.n; k += 32)
            cz_eval_spread(bits, run.column + k, plane, (run.var & ~CZ_EVAL_AUX_BIT) + k,
                           run.n - k < 32 ? run.n - k : 32);
    }
    for (uint32_t k = 32 * me; k < locals; k += 32 * all)
        cz_eval_spread(bits, shape->n_ports + k, plane, x->first_aux + k,
                       locals - k < 32 ? locals - k : 32);
}

CZ_DEV cz_eval_place cz_eval_at(const cz_eval_tables *t, const cz_eval_instance *x,
                                const uint32_t *bits, const cz_fr32 *values)
{
    const cz_eval_template *shape = &t->templates[x->template_index];
    cz_eval_place at;

    at.t = t;
    at.bits = bits;
    at.values = values;
    at.classes = t->classes + shape->first_class_word;
    at.ranks = t->ranks + shape->first_class_word;
    at.runs = t->runs + x->first_run;
    at.n_runs = x->n_runs;
    at.n_ports = shape->n_ports;
    at.first_value = x->first_value;
    return at;
}

CZ_DEV uint32_t cz_eval_bit(const cz_eval_place *at, uint32_t column)
{
    return at->bits[column / 32] >> column % 32 & 1;
}

CZ_DEV int cz_eval_is_field(const cz_eval_place *at, uint32_t column)
{
    return !(at->classes[column / 64] >> column % 64 & 1);
}

/* Where the value of a column of class field lies. */
CZ_DEV uint32_t cz_eval_value_index(const cz_eval_place *at, uint32_t column)
{
    const uint64_t below = ((uint64_t)1 << column % 64) - 1;
    const uint32_t rank = at->ranks[column / 64] + cz_eval_count(~at->classes[column / 64] & below);
    uint32_t low = 0, high = at->n_runs;

    if (column >= at->n_ports)
        return at->first_value + rank;
    while (high - low > 1) { /* the last run that begins at the column or before */
        const uint32_t middle = low + (high - low) / 2;

        if (at->runs[middle].column <= column)
            low = middle;
        else
            high = middle;
    }
    return at->runs[low].first_value + rank;
}

/* ---- combinations ---- */

CZ_DEV int cz_eval_is_long(uint32_t kind, uint32_t n_terms)
{
    return kind == CZ_EVAL_FIELD && n_terms >= CZ_EVAL_LONG;
}

CZ_DEV void cz_eval_small(uint32_t *r, const cz_eval_place *at, const cz_eval_term *terms,
                          uint32_t n)
{
    int sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        const cz_eval_term term = terms[i];

        if (cz_eval_bit(at, term.column))
            sum += at->t->small[term.coeff];
    }
    cz_fr32_read(r, &at->t->small_values[CZ_EVAL_SMALL_MAX + sum]);
}

/* acc += coeff * value; acc lazy */
CZ_DEV void cz_eval_add_product(uint32_t *acc, const cz_eval_place *at, uint32_t coeff,
                                const uint32_t *value)
{
    const int small = at->t->small[coeff];
    uint32_t c[8];

    if (small == 1) {
        cz_fr32_add_lazy(acc, acc, value);
    } else if (small == -1) {
        cz_fr32_sub_lazy(acc, acc, value);
    } else {
        cz_fr32_read(c, &at->t->coeffs[coeff]);
        cz_fr32_mul(c, c, value);
        cz_fr32_add_lazy(acc, acc, c);
    }
}

CZ_DEV void cz_eval_field(uint32_t *r, const cz_eval_place *at, const cz_eval_term *terms,
                          uint32_t n)
{
    uint32_t acc[8] = {0}, v[8];

    for (uint32_t i = 0; i < n; i++) {
        const cz_eval_term term = terms[i];

        if (cz_eval_is_field(at, term.column)) {
            cz_fr32_read(v, &at->values[cz_eval_value_index(at, term.column)]);
            cz_eval_add_product(acc, at, term.coeff, v);
        } else if (cz_eval_bit(at, term.column)) {
            cz_fr32_read(v, &at->t->coeffs[term.coeff]);
            cz_fr32_add_lazy(acc, acc, v);
        }
    }
    cz_fr32_canonical(r, acc);
}

/** Add every `step`-th term from `first` on to the digits: at most 2^16 terms with digits below
 * 2^32, no sum leaves 64 bits. */
CZ_DEV void cz_eval_wide_part(int64_t digits[CZ_EVAL_DIGITS], const cz_eval_place *at,
                              const cz_eval_term *terms, uint32_t n, uint32_t first, uint32_t step)
{
    for (uint32_t i = first; i < n; i += step) {
        const cz_eval_term term = terms[i];
        const uint32_t *magnitude = at->t->magnitudes + (uint32_t)CZ_EVAL_DIGITS * term.coeff;
        const int64_t sign = at->t->negative[term.coeff] ? -1 : 1;

        if (!cz_eval_bit(at, term.column))
            continue;
        CZ_UNROLL
        for (int d = 0; d < CZ_EVAL_DIGITS; d++)
            digits[d] += sign * (int64_t)magnitude[d];
    }
}

/** The number that the digits make, which is below 2^256 in absolute value. */
CZ_DEV void cz_eval_from_digits(uint32_t *r, const int64_t digits[CZ_EVAL_DIGITS])
{
    const uint64_t to_montgomery[4] = CZ_FR_R2;
    uint32_t v[8], zero[8] = {0}, negated[8], r2[8];
    int64_t carry = 0;

    CZ_UNROLL
    for (int i = 0; i < 8; i++) {
        carry += digits[i];
        v[i] = (uint32_t)carry;
        carry >>= 32; /* towards minus infinity */
        r2[i] = (uint32_t)(to_montgomery[i / 2] >> (32 * (i % 2)));
    }
    (void)cz_limbs_sub(negated, zero, v, 8);
    CZ_UNROLL
    for (int i = 0; i < 8; i++)
        v[i] = carry < 0 ? negated[i] : v[i];
    cz_fr32_mul_canonical(v, v, r2);
    cz_fr32_sub(negated, zero, v);
    CZ_UNROLL
    for (int i = 0; i < 8; i++)
        r[i] = carry < 0 ? negated[i] : v[i];
}

/** The matrices of a row but for the combinations of kind CZ_EVAL_WIDE and long sums, whose places
 * are left alone, and but for the matrices m whose out[m] is NULL. */
CZ_DEV void cz_eval_light_row(cz_fr32 *const out[3], uint64_t out_row, const cz_eval_place *at,
                              const cz_eval_row *row)
{
    const cz_eval_term *terms = at->t->terms + row->first_term;

    CZ_UNROLL
    for (int m = 0; m < 3; m++) {
        const uint32_t n = row->n[m];
        uint32_t v[8] = {0};

        if (out[m] == 0) {
            terms += n;
            continue;
        }
        if (row->kind[m] == CZ_EVAL_SMALL)
            cz_eval_small(v, at, terms, n);
        else if (row->kind[m] == CZ_EVAL_COPY)
            cz_fr32_read(v, &at->values[cz_eval_value_index(at, terms[0].column)]);
        else if (row->kind[m] == CZ_EVAL_FIELD && !cz_eval_is_long(row->kind[m], n))
            cz_eval_field(v, at, terms, n);
        if (row->kind[m] != CZ_EVAL_WIDE && !cz_eval_is_long(row->kind[m], n))
            cz_fr32_write(&out[m][out_row], v);
        terms += n;
    }
}

/** The terms of matrix m. */
CZ_DEV const cz_eval_term *cz_eval_terms(const cz_eval_tables *t, const cz_eval_row *row, int m)
{
    return t->terms + row->first_term + (m > 0 ? row->n[0] : 0u) + (m > 1 ? row->n[1] : 0u);
}

/** Long sum number i of an item. */
CZ_DEV void cz_eval_long_sum(cz_fr32 *const out[3], const cz_eval_place *at,
                             const cz_eval_instance *x, const cz_eval_item *item, uint32_t i)
{
    const uint32_t which = at->t->long_sums[item->first_long + i], k = which / 4;
    const uint32_t first_row = at->t->templates[x->template_index].first_row;
    const cz_eval_row row = at->t->rows[first_row + k];
    const int m = (int)(which % 4);
    cz_fr32 *const to = m == 0 ? out[0] : m == 1 ? out[1] : out[2];
    uint32_t v[8];

    if (to == 0)
        return;
    cz_eval_field(v, at, cz_eval_terms(at->t, &row, m), row.n[m]);
    cz_fr32_write(&to[(uint64_t)x->first_row + k], v);
}

#ifdef __cplusplus
}
#endif
#endif
