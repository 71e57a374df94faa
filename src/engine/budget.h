/* budget.h: memory that is spoken for, before it is used.
 *
 * A counter with a limit: a stage takes its reservation or does not start. The limit "auto" is what
 * the machine and this process's control group leave (cz_memory_available). Threads: the caller's
 * lock. */
#ifndef CZ_ENGINE_BUDGET_H
#define CZ_ENGINE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t total, used, peak;
    uint64_t idle; /* in no reservation, but there: who sets it can have it given back */
} cz_budget;

static inline uint64_t cz_budget_free(const cz_budget *b)
{
    const uint64_t taken = b->used + b->idle;

    return taken < b->total ? b->total - taken : 0;
}

/** True and taken, or false and nothing changed. */
bool cz_budget_reserve(cz_budget *b, uint64_t bytes);
void cz_budget_release(cz_budget *b, uint64_t bytes);

/** Bytes that this process may still come to use: the smallest of MemAvailable and, for each
 * control group it is in (both versions, up to the root), limit less usage that cannot be
 * reclaimed. `root` goes before /proc and /sys ("" outside tests). 0 when nothing can be read. */
uint64_t cz_memory_available(const char *root);

/** The "auto" budget: available less margin, but never less than three quarters of it. */
uint64_t cz_memory_auto_budget(uint64_t available, uint64_t margin);

#endif
