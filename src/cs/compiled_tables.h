/* compiled_tables.h: helpers over the tables of a compiled circuit. Inside cs/ only. */
#ifndef CZ_CS_COMPILED_TABLES_H
#define CZ_CS_COMPILED_TABLES_H

#include "cs/compiled_format.h"

/* A coefficient as a signed integer: the magnitude is at most r/2. */
typedef struct {
    cz_u256 magnitude;
    bool negative;
} cz_signed;

void cz_signed_from_fr(cz_signed *out, const cz_fr *v);

/** The magnitude where it is at most CZ_LC_SMALL_MAX, signed; 0 for larger ones. */
int8_t cz_signed_small(const cz_signed *v);

/** How n terms are to be evaluated. `classes` are those of the columns, `coeffs` those of the
 * circuit. */
cz_lc_kind cz_lc_kind_of(const cz_compiled_term *terms, uint32_t n, const uint64_t *classes,
                         const cz_signed *coeffs);

/** Words of a template's classes. */
static inline size_t cz_class_words(uint32_t n_columns)
{
    return ((size_t)n_columns + 63) / 64;
}

static inline uint32_t cz_template_columns(const cz_compiled_template *t)
{
    return t->n_ports + t->n_locals;
}

/** n bits (1 … 64) at `first`; the word after the last one that is touched must exist. */
static inline uint64_t cz_plane_get(const uint64_t *words, uint64_t first, unsigned n)
{
    unsigned shift = first % 64;
    uint64_t v = words[first / 64] >> shift;

    if (shift + n > 64)
        v |= words[first / 64 + 1] << (64 - shift);
    return n == 64 ? v : v & (((uint64_t)1 << n) - 1);
}

/** Set those of n bits (1 … 64) at `first` that are set in v. */
static inline void cz_plane_or(uint64_t *words, uint64_t first, unsigned n, uint64_t v)
{
    unsigned shift = first % 64;

    words[first / 64] |= v << shift;
    if (shift + n > 64)
        words[first / 64 + 1] |= v >> (64 - shift);
}

/** Set in `to`, from bit `at` on, those of from[begin, begin + n) that are set. */
void cz_plane_or_range(uint64_t *to, uint64_t at, const uint64_t *from, uint64_t begin, uint64_t n);

/* The sections of an image: the sizes follow from the header's counts. */
enum { CZ_COMPILED_SECTIONS = 7 };

/** Offsets of the sections, and the size of all: offsets[CZ_COMPILED_SECTIONS]. */
void cz_compiled_layout(size_t offsets[CZ_COMPILED_SECTIONS + 1], const cz_compiled_header *h);

/** Point the tables into an image that is as long as the layout says. */
void cz_compiled_point(cz_compiled_tables *out, const uint8_t *image);

/** The checksum of an image. */
void cz_compiled_checksum(uint8_t out[32], const uint8_t *image, size_t n);

#endif
