/* compiled_format.h: the bytes of a compiled circuit, in memory and in its file alike.
 *
 *   header, coefficients, templates, rows, terms, class words, instances, runs
 *
 * follow each other, each padded to eight bytes; numbers are little-endian. A *template* is a
 * stretch of rows in instance-relative columns: first the ports (variables from outside, ascending
 * by variable, inputs first), then the locals (the aux variables that the stretch allocates). This
 * is the network's order of variables, so rows stay ascending in every instance. An *instance* puts
 * a template at its first row and first aux variable; the ports are given as runs of consecutive
 * variables. Instances cover all rows and all aux variables, in order. Inside cs/ only. */
#ifndef CZ_CS_COMPILED_FORMAT_H
#define CZ_CS_COMPILED_FORMAT_H

#include "cs/lc.h"

#define CZ_COMPILED_MAGIC "cuzk-cc"

enum { CZ_COMPILED_VERSION = 1, CZ_COMPILED_ID_MAX = 32 };

/* Columns of a template, and different coefficients of a circuit: both go into 16 bits. */
enum { CZ_COMPILED_MAX_COLUMNS = 65535, CZ_COMPILED_MAX_COEFFS = 65536 };

typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint8_t checksum[32]; /* SHA-256 of the file with these bytes zero */
    char circuit_id[CZ_COMPILED_ID_MAX];
    uint8_t circuit_digest[32]; /* cs/digest.h */
    uint64_t n_constraints;
    uint64_t nnz_a, nnz_b, nnz_c;
    uint64_t dens_a_aux, dens_b_input, dens_b_aux;
    uint32_t n_inputs, n_aux;
    uint32_t n_fields; /* aux variables of class field; the others are bits */
    uint32_t n_coeffs, n_templates, n_rows, n_terms, n_class_words, n_instances, n_runs;
} cz_compiled_header;

typedef struct {
    uint32_t first_row; /* in the table of rows */
    uint32_t first_class_word;
    uint32_t n_rows;
    uint32_t n_ports;
    uint32_t n_locals;
    uint32_t n_fields; /* of the locals */
} cz_compiled_template;

/* What a combination is made of; decides how it is evaluated. */
typedef enum {
    CZ_LC_EMPTY,
    CZ_LC_SMALL, /* bits and one; the absolute values of the coefficients add up to at most
                    CZ_LC_SMALL_MAX */
    CZ_LC_WIDE,  /* bits and one; … to less than 2^256 */
    CZ_LC_COPY,  /* one variable of class field, coefficient 1 */
    CZ_LC_FIELD  /* anything */
} cz_lc_kind;

enum { CZ_LC_SMALL_MAX = 64 };

typedef struct {
    uint32_t first_term; /* those of A, then of B, then of C */
    uint16_t n[3];
    uint8_t kind[3]; /* cz_lc_kind */
    uint8_t zero[3];
} cz_compiled_row;

typedef struct {
    uint16_t column;
    uint16_t coeff;
} cz_compiled_term;

typedef struct {
    uint32_t template_index;
    uint32_t first_row; /* of the circuit */
    uint32_t first_aux;
    uint32_t first_field; /* fields before first_aux */
    uint32_t first_run;   /* the next instance's ends them */
} cz_compiled_instance;

typedef struct {
    uint32_t var; /* cz_var.id of the first */
    uint32_t n;
} cz_compiled_run;

/* The tables, wherever they lie. */
typedef struct {
    const cz_compiled_header *header;
    const cz_fr *coeffs;
    const cz_compiled_template *templates;
    const cz_compiled_row *rows;
    const cz_compiled_term *terms;
    const uint64_t *class_words; /* a template's columns, a set bit means class bit */
    const cz_compiled_instance *instances;
    const cz_compiled_run *runs;
} cz_compiled_tables;

/* Input 0 counts as a bit that is always one. */
static inline bool cz_class_bit(const uint64_t *words, uint64_t k)
{
    return words[k / 64] >> (k % 64) & 1;
}

#endif
