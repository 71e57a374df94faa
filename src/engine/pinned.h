/* pinned.h: page-locked memory for witnesses: a device reads it at the full rate of its bus.
 *
 * Locking pages takes longer than a proof gains by it, so what is given back is kept for the next
 * witness, of at most twice its size; where the limit asks for room, what lies idle goes first. The
 * memory serves every device (unified addressing) and survives the failures of those that prove, as
 * it comes from a handle of its own. A block that is taken is part of its partition's reservation;
 * what lies idle is in none (prover.h, idle_bytes).
 *
 * Threads: any. Locking and unlocking pages takes long, and holds up nobody who takes or gives back
 * what is locked. */
#ifndef CZ_ENGINE_PINNED_H
#define CZ_ENGINE_PINNED_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct cz_pinned cz_pinned;

/** From device `number`, at most limit_bytes. CZ_E_NOMEM, CZ_E_NODEV, CZ_E_CUDA. */
CZ_MUST_CHECK cz_err cz_pinned_create(cz_pinned **out, unsigned number, uint64_t limit_bytes);

/** After all has been given back. NULL is fine. */
void cz_pinned_destroy(cz_pinned *p);

/** NULL: the limit is reached, or the system gives no more; ordinary memory will do. */
void *cz_pinned_take(cz_pinned *p, size_t bytes);
void cz_pinned_give_back(cz_pinned *p, void *memory);

/** Bytes that lie idle: quick, as it waits for no other call. NULL is fine. */
uint64_t cz_pinned_idle_bytes(const cz_pinned *p);

/** Bytes of the idle block that a take of so many would be given after as many like it; 0: none. As
 * quick. NULL is fine. */
uint64_t cz_pinned_reusable(cz_pinned *p, size_t bytes, unsigned others);

/** Unlock what lies idle. NULL is fine. */
void cz_pinned_trim(cz_pinned *p);

/** Locked now, idle or not: quick. NULL is fine. */
uint64_t cz_pinned_bytes(cz_pinned *p);

/** At most so many; 0 of NULL. */
uint64_t cz_pinned_limit(const cz_pinned *p);

#endif
