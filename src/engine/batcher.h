/* batcher.h: jobs of one circuit that wait for each other.
 *
 * Keeps books only: who is in which batch, and when a batch goes. The engine holds the jobs. A
 * batch goes when it is full, when its first job has waited long enough, or when something more
 * urgent arrives, as the engine's draining is. What does not fit into a full batch begins the next
 * one. Time comes in as an argument. Threads: the caller's lock. */
#ifndef CZ_ENGINE_BATCHER_H
#define CZ_ENGINE_BATCHER_H

#include "engine/prover.h"

typedef enum { CZ_FLUSH_SIZE, CZ_FLUSH_TIME, CZ_FLUSH_URGENT, CZ_FLUSH_REASONS } cz_flush_reason;

typedef struct {
    unsigned id; /* from 1 */
    char circuit_id[CZ_CIRCUIT_ID_BYTES];
    unsigned priority; /* of its most urgent job */
    unsigned n;
    uint64_t born_ns;
} cz_batch;

enum { CZ_MAX_BATCHES = 32 }; /* more circuits at once than there are: 38 over all sizes */

typedef struct {
    cz_batch open[CZ_MAX_BATCHES];
    size_t n;
    unsigned last_id;
} cz_batcher;

/** Put a job into its circuit's batch; the batch's id, or 0 when there is no place for another
 * batch: the job then goes at once. */
unsigned cz_batcher_add(cz_batcher *b, const char *circuit_id, unsigned priority, uint64_t now_ns);

/** One job left before its batch went. */
void cz_batcher_remove(cz_batcher *b, unsigned id);

/** Close one batch that is full or due; its id, or 0. */
unsigned cz_batcher_take_due(cz_batcher *b, unsigned max_size, uint64_t max_wait_ns,
                             uint64_t now_ns, cz_flush_reason *reason);

/** Close one batch that is less urgent than `priority`; its id, or 0. */
unsigned cz_batcher_take_below(cz_batcher *b, unsigned priority);

/** When the first batch becomes due; UINT64_MAX when there is none. */
uint64_t cz_batcher_next_ns(const cz_batcher *b, uint64_t max_wait_ns);

#endif
