/* pool.h: a fixed set of threads for data-parallel loops.
 *
 * One call, cz_parallel_for, splits [0, n) into chunks that the workers and the caller take in
 * turn. Loops may nest: an inner loop called from a worker runs serially in that worker, so no
 * thread ever waits for a pool that it is itself needed by.
 *
 * Threads: a pool may be used from several threads; their loops take turns. NULL is a valid pool:
 * serial. */
#ifndef CZ_BASE_POOL_H
#define CZ_BASE_POOL_H

#include <stddef.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cz_pool cz_pool;

/** Work on items [begin, end). `worker` is 0 … cz_pool_threads-1 and unique among the running
 * calls. */
typedef cz_err (*cz_loop_fn)(void *ctx, size_t begin, size_t end, unsigned worker);

/** A pool that runs loops on n_threads threads (the caller counts as one); 0 = the CPUs this
 * process may use. */
CZ_MUST_CHECK cz_err cz_pool_create(cz_pool **out, unsigned n_threads);
void cz_pool_destroy(cz_pool *pool);

/** Threads a loop runs on; 1 for NULL. */
unsigned cz_pool_threads(const cz_pool *pool);

/** CPUs in this process's affinity mask, at least 1. */
unsigned cz_cpu_count(void);

/** Run fn over [0, n) in chunks of at most `grain` items (0: one even share a thread). Returns when
 * all is done. On a failure the remaining chunks are skipped and the first error (code and message)
 * is returned. */
CZ_MUST_CHECK cz_err cz_parallel_for(cz_pool *pool, size_t n, size_t grain, cz_loop_fn fn,
                                     void *ctx);

#ifdef __cplusplus
}
#endif
#endif
