/* prove_memory.h: what a proof by prove_compiled.h takes, in bytes, before anything is taken.
 *
 * The account is exact to the byte but for a few words a plane, as the code that allocates counts.
 * What follows from the witness (full-size values that have a point) counts as the most that the
 * circuit allows.
 * Not in it: the parameter file, which is read and not kept; the request; the process itself. */
#ifndef CZ_GROTH16_PROVE_MEMORY_H
#define CZ_GROTH16_PROVE_MEMORY_H

#include "base/pool.h"
#include "cs/compiled.h"

/* What is alive changes between these. */
typedef enum {
    CZ_MEMORY_ROWS, /* a, b, c and the quotient */
    CZ_MEMORY_H,    /* the sum over H */
    CZ_MEMORY_G1,   /* the sums over L, A, B1 */
    CZ_MEMORY_G2,   /* the sum over B2 */
    CZ_MEMORY_STAGES
} cz_memory_stage;

typedef struct {
    const char *name;
    size_t bytes[CZ_MEMORY_STAGES];
} cz_memory_part;

enum { CZ_MEMORY_PARTS = 9 };

typedef struct {
    cz_memory_part parts[CZ_MEMORY_PARTS];
    size_t total[CZ_MEMORY_STAGES];
    size_t peak; /* the largest total */
} cz_prove_memory;

/** "rows", "h", … */
const char *cz_memory_stage_name(cz_memory_stage stage);

/** The account of one partition of a circuit, proved by the pool's threads. */
void cz_prove_memory_count(cz_prove_memory *out, const cz_compiled *circuit, cz_pool *pool);

/* What the account depends on, for who has no compiled circuit at hand: bounds will do. */
typedef struct {
    unsigned log_n; /* of the domain */
    uint64_t inputs, aux;
    uint64_t fields;      /* aux variables of class field */
    uint64_t b_points;    /* of the B lists */
    size_t circuit_bytes; /* the compiled circuit in memory */
    size_t row_scratch;   /* cz_compiled_eval_bytes */
} cz_prove_sizes;

void cz_prove_memory_bound(cz_prove_memory *out, const cz_prove_sizes *sizes, cz_pool *pool);

#endif
