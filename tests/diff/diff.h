/* diff.h: what the differential tests share: inputs, guarded device memory, the tally.
 *
 * No test library: these programs also run where only libc and CUDA are there. */
#ifndef CZ_TESTS_DIFF_H
#define CZ_TESTS_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "field/fr.h"
#include "gpu/gpu.h"

typedef struct {
    cz_gpu *gpu;
    cz_pool *pool;
    bool only_distinct; /* points; else also equal, opposite and infinite ones */
    unsigned passed, failed;
} diff_run;

/* xorshift64*, seeded by CZ_TEST_SEED. */
uint64_t diff_random(void);
void diff_seed(void);

typedef enum {
    DIFF_ZERO,
    DIFF_ONE,
    DIFF_LARGEST, /* r - 1 */
    DIFF_IMPULSE, /* one element of several that is not zero */
    DIFF_SPARSE,  /* one in eight */
    DIFF_EQUAL,   /* one random element for all */
    DIFF_REPEATS, /* a third of them one of two */
    DIFF_SMALL,   /* below 2^40, a third below 2^9 */
    DIFF_RANDOM,
    DIFF_INPUTS
} diff_input;

extern const char *const diff_input_name[DIFF_INPUTS];

/** n Montgomery elements; a quick generator for each element of `DIFF_RANDOM`. */
void diff_fill_fr(cz_fr *xs, size_t n, diff_input input);

/** n plain integers below r. */
void diff_fill_scalars(cz_u256 *xs, size_t n, diff_input input);

/* Device memory with a guard zone on both sides. */
typedef struct {
    void *block;
    void *d; /* what the operation gets */
    size_t bytes;
} diff_buffer;

/** Contents: poison. Exits on failure, as all of these. */
diff_buffer diff_buffer_take(diff_run *run, size_t bytes);
void diff_buffer_put(diff_run *run, const diff_buffer *b, const void *host);
void diff_buffer_get(diff_run *run, const diff_buffer *b, void *host);
bool diff_buffer_guards_hold(diff_run *run, const diff_buffer *b);
void diff_buffer_give_back(diff_run *run, diff_buffer *b);

/** Count a case; `what` is printed when it failed. */
void diff_expect(diff_run *run, bool good, const char *what, ...) CZ_PRINTF(3, 4);

/** Exit with the message unless err is CZ_OK. */
void diff_need(cz_err err, const char *what);

#endif
