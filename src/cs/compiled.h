/* compiled.h: a circuit as templates and instances: megabytes in place of its matrices.
 *
 * A circuit repeats itself: a 32 GiB PoRep partition is some five thousand SHA-256 compressions,
 * built from a few dozen different stretches of rows. Its compiled form holds each different
 * stretch once (a template) and every occurrence as a few numbers (an instance); compiled_format.h
 * has the exact form. It is made by cs/compile.h and kept in a file.
 *
 * Every variable has a class, fixed by the circuit: bit (0 or 1 by construction) or field.
 * cs/bit_witness.h stores a witness by classes, cs/compiled_eval.h evaluates a, b, c from it.
 *
 * Trust. Opening checks everything that later code relies on: checksum, every count, index, order
 * and class, so that a damaged or hostile file is refused and never read out of bounds; what
 * becomes of the file afterwards does not matter. That the tables are *the* circuit was verified
 * when they were made; a file made to deceive can hold another circuit, whose proofs do not verify.
 * Threads: immutable after opening. */
#ifndef CZ_CS_COMPILED_H
#define CZ_CS_COMPILED_H

#include "cs/compiled_format.h"
#include "cs/cs.h"
#include "cs/digest.h"

typedef struct cz_compiled cz_compiled;

/** Check and take over an image: n bytes from malloc, freed by cz_compiled_destroy and on failure.
 * `name` is for messages. CZ_E_INPUT: damaged; CZ_E_UNSUPPORTED: another version; CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_compiled_adopt(cz_compiled **out, uint8_t *image, size_t n,
                                       const char *name);

/* No circuit of the network takes more, in memory or on disk. */
enum { CZ_COMPILED_MOST_BYTES = 64 << 20 };

/** Read a file. `id` is the circuit that it must be. CZ_E_NOTFOUND, CZ_E_IO, and as above. */
CZ_MUST_CHECK cz_err cz_compiled_load(cz_compiled **out, const char *path, const char *id);

/** Write the file, atomically: readers and other writers never see a part of it. */
CZ_MUST_CHECK cz_err cz_compiled_save(const cz_compiled *c, const char *path);

void cz_compiled_destroy(cz_compiled *c);

typedef struct {
    size_t file_bytes;   /* the tables, as on disk */
    size_t memory_bytes; /* the tables and what was derived from them */
    uint32_t templates, instances;
    uint32_t n_fields; /* aux variables of class field */
} cz_compiled_sizes;

cz_compiled_sizes cz_compiled_measure(const cz_compiled *c);

/** Sizes, densities and digest of the circuit. */
cz_circuit_stats cz_compiled_stats(const cz_compiled *c);

/** "porep-2k" */
const char *cz_compiled_id(const cz_compiled *c);

/** The class of every aux variable as a plane: a set bit means class bit. n_aux bits. */
const uint64_t *cz_compiled_classes(const cz_compiled *c);

/** Number of the aux variable k among those of class field. */
uint32_t cz_compiled_field_index(const cz_compiled *c, uint32_t k);

/** How many of the aux variables before k are of class field; k at most their number. */
uint32_t cz_compiled_fields_before(const cz_compiled *c, uint32_t k);

/** The tables themselves; for cs/ and for backends that evaluate elsewhere. */
const cz_compiled_tables *cz_compiled_view(const cz_compiled *c);

/* The planes of cs/assignment.h, derived from the compiled form. */
typedef struct {
    uint64_t *a_aux;
    uint64_t *b_input;
    uint64_t *b_aux;
} cz_densities;

CZ_MUST_CHECK cz_err cz_compiled_densities(cz_densities *out, const cz_compiled *c);
void cz_densities_clear(cz_densities *d);

/* The compiled form as a circuit without inputs: synthesising it allocates every variable and gives
 * every row again. Its names say nothing. */
typedef struct {
    cz_circuit circuit; /* first */
    const cz_compiled *compiled;
} cz_expansion;

cz_expansion cz_compiled_expand(const cz_compiled *c);

#endif
