/* units.c: see units.h. Fractions are kept as an exact count of millionths, never as a double. */
#include "config/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { FRACTION_DIGITS = 6, MILLION = 1000000 };

typedef struct {
    const char *name;
    uint64_t factor;
} unit;

static const unit sizes[] = {
    {"TiB", (uint64_t)1 << 40},
    {"GiB", (uint64_t)1 << 30},
    {"MiB", (uint64_t)1 << 20},
    {"KiB", (uint64_t)1 << 10},
    {"TB", 1000000000000u},
    {"GB", 1000000000u},
    {"MB", 1000000u},
    {"KB", 1000u},
    {"B", 1},
};

static const unit durations[] = {
    {"d", 86400000}, {"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1},
};

enum { N_SIZES = sizeof sizes / sizeof *sizes, N_DURATIONS = sizeof durations / sizeof *durations };

static const char *skip_spaces(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A decimal number as whole and millionths; NULL when there is none or it is too long. */
static const char *read_number(const char *p, uint64_t *whole, uint64_t *millionths)
{
    uint64_t weight = MILLION;

    *whole = 0;
    *millionths = 0;
    if (!is_digit(*p))
        return NULL;
    for (; is_digit(*p); p++)
        if (__builtin_mul_overflow(*whole, 10, whole) ||
            __builtin_add_overflow(*whole, (uint64_t)(*p - '0'), whole))
            return NULL;
    if (*p != '.')
        return p;
    p++;
    if (!is_digit(*p))
        return NULL;
    for (unsigned i = 0; is_digit(*p); p++, i++) {
        if (i == FRACTION_DIGITS)
            return NULL;
        weight /= 10;
        *millionths += weight * (uint64_t)(*p - '0');
    }
    return p;
}

static const unit *find_unit(const unit *units, size_t n, const char *name, size_t name_len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(units[i].name) == name_len && memcmp(units[i].name, name, name_len) == 0)
            return &units[i];
    return NULL;
}

static size_t unit_length(const char *p)
{
    size_t n = 0;

    while ((p[n] >= 'a' && p[n] <= 'z') || (p[n] >= 'A' && p[n] <= 'Z'))
        n++;
    return n;
}

/* whole.millionths times factor, exact to the unit below; false on overflow. */
static bool scale(uint64_t *out, uint64_t whole, uint64_t millionths, uint64_t factor)
{
    uint64_t part = millionths * factor / MILLION; /* below 2^20 times at most 2^40 */

    return !__builtin_mul_overflow(whole, factor, out) && !__builtin_add_overflow(*out, part, out);
}

/* One number with its unit; *p moves behind it. */
static cz_err read_amount(uint64_t *out, const char **p, const unit *units, size_t n,
                          const char *wanted, const char *text)
{
    uint64_t whole, millionths;
    const char *name = read_number(*p, &whole, &millionths);
    const unit *found;
    size_t name_len;

    if (name == NULL)
        return cz_fail(CZ_E_INPUT, "'%s' is not %s", text, wanted);
    name = skip_spaces(name);
    name_len = unit_length(name);
    found = find_unit(units, n, name, name_len);
    if (found == NULL && name_len == 0)
        return cz_fail(CZ_E_INPUT, "'%s': no unit; write %s", text, wanted);
    if (found == NULL)
        return cz_fail(CZ_E_INPUT, "'%s': unknown unit '%.*s'; write %s", text, (int)name_len, name,
                       wanted);
    if (!scale(out, whole, millionths, found->factor))
        return cz_fail(CZ_E_INPUT, "'%s' is too large", text);
    *p = name + name_len;
    return CZ_OK;
}

cz_err cz_size_parse(uint64_t *bytes, const char *text)
{
    const char *p = skip_spaces(text);

    CZ_TRY(read_amount(bytes, &p, sizes, N_SIZES,
                       "a size such as \"256GiB\" (KiB MiB GiB TiB, KB MB GB TB, B)", text));
    if (*skip_spaces(p) != '\0')
        return cz_fail(CZ_E_INPUT, "'%s': '%s' after the size", text, p);
    return CZ_OK;
}

cz_err cz_duration_parse(uint64_t *ms, const char *text)
{
    const char *p = skip_spaces(text);
    uint64_t sum = 0, part;

    do {
        CZ_TRY(read_amount(&part, &p, durations, N_DURATIONS,
                           "a duration such as \"5m\" (ms s m h d)", text));
        if (__builtin_add_overflow(sum, part, &sum))
            return cz_fail(CZ_E_INPUT, "'%s' is too large", text);
        p = skip_spaces(p);
    } while (*p != '\0');
    *ms = sum;
    return CZ_OK;
}

static void exact_text(char out[CZ_UNIT_TEXT_BYTES], uint64_t value, const unit *units, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (value != 0 && value % units[i].factor == 0) {
            (void)snprintf(out, CZ_UNIT_TEXT_BYTES, "%" PRIu64 "%s", value / units[i].factor,
                           units[i].name);
            return;
        }
    (void)snprintf(out, CZ_UNIT_TEXT_BYTES, "%" PRIu64 "%s", value, units[n - 1].name);
}

void cz_size_text(char out[CZ_UNIT_TEXT_BYTES], uint64_t bytes)
{
    exact_text(out, bytes, sizes, N_SIZES);
}

void cz_duration_text(char out[CZ_UNIT_TEXT_BYTES], uint64_t ms)
{
    exact_text(out, ms, durations, N_DURATIONS);
}
