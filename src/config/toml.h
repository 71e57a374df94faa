/* toml.h: reading TOML 1.0, a small C face on toml++ (toml.cpp).
 *
 * A document is a flat list of its leaves in the order of the file, each with its dotted name and
 * the line where its value stands. Values keep their TOML type; what a setting makes of them is
 * config.c's business. Every failure is CZ_E_INPUT "file:line: …". Threads: a document is
 * immutable. */
#ifndef CZ_CONFIG_TOML_H
#define CZ_CONFIG_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CZ_TOML_BOOL,
    CZ_TOML_INTEGER,
    CZ_TOML_FLOAT,
    CZ_TOML_STRING,
    CZ_TOML_ARRAY,
    CZ_TOML_TABLE, /* only inside arrays, and where a table has no leaves */
    CZ_TOML_DATE
} cz_toml_type;

/** "a boolean", "an integer", …, for messages. */
const char *cz_toml_type_text(cz_toml_type type);

typedef struct cz_toml_value cz_toml_value;
struct cz_toml_value {
    const char *name; /* "memory.total_budget"; "" inside arrays */
    unsigned line;
    cz_toml_type type;
    bool boolean;
    int64_t integer;
    double number;
    const char *text; /* NUL-terminated; has no NUL inside (such strings are refused) */
    const cz_toml_value *items;
    size_t n_items;
};

typedef struct cz_toml cz_toml;

/** Parse n bytes; `file` is used in messages only. Nesting above 16 levels is refused. */
CZ_MUST_CHECK cz_err cz_toml_parse(cz_toml **out, const char *text, size_t n, const char *file);
void cz_toml_destroy(cz_toml *doc);

/** The leaves in the order of the file; *n of them, valid with the document. */
const cz_toml_value *cz_toml_values(const cz_toml *doc, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
