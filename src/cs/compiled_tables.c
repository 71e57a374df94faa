/* compiled_tables.c: see compiled_tables.h. */
#include "cs/compiled_tables.h"

#include <stddef.h>

#include "hash/sha256.h"

/* ---- coefficients as integers ---- */

static bool above(const cz_u256 *a, const cz_u256 *b)
{
    for (int i = 3; i >= 0; i--) {
        if (a->l[i] != b->l[i])
            return a->l[i] > b->l[i];
    }
    return false;
}

void cz_signed_from_fr(cz_signed *out, const cz_fr *v)
{
    cz_u256 plus, minus;
    cz_fr negated;

    cz_fr_neg(&negated, v);
    cz_fr_to_u256(&plus, v);
    cz_fr_to_u256(&minus, &negated);
    out->negative = above(&plus, &minus);
    out->magnitude = out->negative ? minus : plus;
}

int8_t cz_signed_small(const cz_signed *v)
{
    const cz_u256 *m = &v->magnitude;

    if ((m->l[1] | m->l[2] | m->l[3]) != 0 || m->l[0] > CZ_LC_SMALL_MAX)
        return 0;
    return (int8_t)(v->negative ? -(int)m->l[0] : (int)m->l[0]);
}

/* ---- kinds ---- */

/* sum += v; false when it does not fit. */
static bool add_up(cz_u256 *sum, const cz_u256 *v)
{
    uint64_t carry = 0;

    for (int i = 0; i < 4; i++)
        sum->l[i] = cz_adc(sum->l[i], v->l[i], &carry);
    return carry == 0;
}

static bool is_small(const cz_u256 *sum)
{
    return (sum->l[1] | sum->l[2] | sum->l[3]) == 0 && sum->l[0] <= CZ_LC_SMALL_MAX;
}

static bool is_plus_one(const cz_signed *v)
{
    return cz_signed_small(v) == 1;
}

cz_lc_kind cz_lc_kind_of(const cz_compiled_term *terms, uint32_t n, const uint64_t *classes,
                         const cz_signed *coeffs)
{
    cz_u256 sum = {{0, 0, 0, 0}};

    if (n == 0)
        return CZ_LC_EMPTY;
    if (n == 1 && !cz_class_bit(classes, terms[0].column) && is_plus_one(&coeffs[terms[0].coeff]))
        return CZ_LC_COPY;
    for (uint32_t i = 0; i < n; i++) {
        if (!cz_class_bit(classes, terms[i].column) ||
            !add_up(&sum, &coeffs[terms[i].coeff].magnitude))
            return CZ_LC_FIELD;
    }
    return is_small(&sum) ? CZ_LC_SMALL : CZ_LC_WIDE;
}

/* ---- planes ---- */

void cz_plane_or_range(uint64_t *to, uint64_t at, const uint64_t *from, uint64_t begin, uint64_t n)
{
    while (n > 0) {
        unsigned k = n < 64 ? (unsigned)n : 64;

        cz_plane_or(to, at, k, cz_plane_get(from, begin, k));
        at += k;
        begin += k;
        n -= k;
    }
}

/* ---- the image ---- */

void cz_compiled_layout(size_t offsets[CZ_COMPILED_SECTIONS + 1], const cz_compiled_header *h)
{
    const size_t bytes[CZ_COMPILED_SECTIONS] = {
        (size_t)h->n_coeffs * sizeof(cz_fr),
        (size_t)h->n_templates * sizeof(cz_compiled_template),
        (size_t)h->n_rows * sizeof(cz_compiled_row),
        (size_t)h->n_terms * sizeof(cz_compiled_term),
        (size_t)h->n_class_words * sizeof(uint64_t),
        (size_t)h->n_instances * sizeof(cz_compiled_instance),
        (size_t)h->n_runs * sizeof(cz_compiled_run),
    };
    size_t at = sizeof *h;

    for (unsigned i = 0; i < CZ_COMPILED_SECTIONS; i++) {
        offsets[i] = at;
        at += (bytes[i] + 7) / 8 * 8;
    }
    offsets[CZ_COMPILED_SECTIONS] = at;
}

void cz_compiled_point(cz_compiled_tables *out, const uint8_t *image)
{
    size_t at[CZ_COMPILED_SECTIONS + 1];

    out->header = (const cz_compiled_header *)(const void *)image;
    cz_compiled_layout(at, out->header);
    out->coeffs = (const cz_fr *)(const void *)(image + at[0]);
    out->templates = (const cz_compiled_template *)(const void *)(image + at[1]);
    out->rows = (const cz_compiled_row *)(const void *)(image + at[2]);
    out->terms = (const cz_compiled_term *)(const void *)(image + at[3]);
    out->class_words = (const uint64_t *)(const void *)(image + at[4]);
    out->instances = (const cz_compiled_instance *)(const void *)(image + at[5]);
    out->runs = (const cz_compiled_run *)(const void *)(image + at[6]);
}

void cz_compiled_checksum(uint8_t out[32], const uint8_t *image, size_t n)
{
    static const uint8_t zeros[32];
    const size_t at = offsetof(cz_compiled_header, checksum);
    cz_sha256 sha;

    cz_sha256_init(&sha);
    cz_sha256_update(&sha, image, at);
    cz_sha256_update(&sha, zeros, sizeof zeros);
    cz_sha256_update(&sha, image + at + sizeof zeros, n - at - sizeof zeros);
    cz_sha256_final(&sha, out);
}
