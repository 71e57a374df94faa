/* circuit_cache.h: the compiled circuits of a process, each opened at its first use and kept.
 *
 * Opening reads the folder of compiled circuits, or compiles (cs/compile.h): a minute or two for
 * the largest circuits, once a machine.
 *
 * Memory: partitions in work count a circuit in their reservation; between them it stays.
 *
 * Threads: any number at once; who asks for a circuit that another thread is opening waits, others
 * do not. */
#ifndef CZ_ENGINE_CIRCUIT_CACHE_H
#define CZ_ENGINE_CIRCUIT_CACHE_H

#include "base/pool.h"
#include "cs/compiled.h"

typedef struct cz_circuit_cache cz_circuit_cache;

/** `folder` (copied): where compiled circuits are kept; "": nowhere; NULL: the usual one, or none
 * where there is no home. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_circuit_cache_create(cz_circuit_cache **out, const char *folder);
void cz_circuit_cache_destroy(cz_circuit_cache *cache);

/** The circuit; *out lives as long as the cache. CZ_E_NOTFOUND names an unknown id; errors of
 * cz_compiled_open. A failure is not kept: the next caller tries again. */
CZ_MUST_CHECK cz_err cz_circuit_cache_get(cz_circuit_cache *cache, const char *id, cz_pool *pool,
                                          const cz_compiled **out);

/** The same where that takes no time: the circuit if it has been opened, else NULL. */
const cz_compiled *cz_circuit_cache_peek(cz_circuit_cache *cache, const char *id);

#endif
