/* batcher.c: see batcher.h. */
#include "engine/batcher.h"

#include <stdio.h>
#include <string.h>

static cz_batch *find(cz_batcher *b, const char *circuit_id)
{
    for (size_t i = 0; i < b->n; i++)
        if (strcmp(b->open[i].circuit_id, circuit_id) == 0)
            return &b->open[i];
    return NULL;
}

static unsigned close_at(cz_batcher *b, size_t i)
{
    const unsigned id = b->open[i].id;

    b->n--;
    (void)memmove(&b->open[i], &b->open[i + 1], (b->n - i) * sizeof b->open[0]);
    return id;
}

unsigned cz_batcher_add(cz_batcher *b, const char *circuit_id, unsigned priority, uint64_t now_ns)
{
    cz_batch *batch = find(b, circuit_id);

    if (batch == NULL) {
        if (b->n == CZ_MAX_BATCHES)
            return 0;
        batch = &b->open[b->n++];
        *batch = (cz_batch){.id = ++b->last_id, .born_ns = now_ns};
        (void)snprintf(batch->circuit_id, sizeof batch->circuit_id, "%s", circuit_id);
    }
    batch->n++;
    if (priority > batch->priority)
        batch->priority = priority;
    return batch->id;
}

void cz_batcher_remove(cz_batcher *b, unsigned id)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->open[i].id == id) {
            if (--b->open[i].n == 0)
                (void)close_at(b, i);
            return;
        }
}

unsigned cz_batcher_take_due(cz_batcher *b, unsigned max_size, uint64_t max_wait_ns,
                             uint64_t now_ns, cz_flush_reason *reason)
{
    for (size_t i = 0; i < b->n; i++) {
        const bool full = b->open[i].n >= max_size;

        if (full || now_ns - b->open[i].born_ns >= max_wait_ns) {
            *reason = full ? CZ_FLUSH_SIZE : CZ_FLUSH_TIME;
            return close_at(b, i);
        }
    }
    return 0;
}

unsigned cz_batcher_take_below(cz_batcher *b, unsigned priority)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->open[i].priority < priority)
            return close_at(b, i);
    return 0;
}

uint64_t cz_batcher_next_ns(const cz_batcher *b, uint64_t max_wait_ns)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < b->n; i++)
        if (b->open[i].born_ns + max_wait_ns < next)
            next = b->open[i].born_ns + max_wait_ns;
    return next;
}
