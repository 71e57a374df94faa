/* http_guard.c: see http_guard.h. */
#define _GNU_SOURCE
#include "rpc/http_guard.h"

#include <stdlib.h>
#include <sys/socket.h>

enum { SPARE_SLOTS = 8 };

cz_err cz_http_guard_init(cz_http_guard *g, size_t most, uint64_t limit_ns)
{
    const size_t n = most + SPARE_SLOTS;
    cz_http_slot *slots = calloc(n, sizeof *slots);

    if (slots == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu connections", most);
    for (size_t i = 0; i < n; i++)
        slots[i].fd = -1;
    *g = (cz_http_guard){.slots = slots, .n = n, .most = most, .limit_ns = limit_ns};
    (void)pthread_mutex_init(&g->lock, NULL);
    return CZ_OK;
}

void cz_http_guard_clear(cz_http_guard *g)
{
    if (g->slots == NULL)
        return;
    (void)pthread_mutex_destroy(&g->lock);
    free(g->slots);
    *g = (cz_http_guard){0};
}

/* A slot may be younger than now_ns, which was read before the lock was had. */
static void cut_overdue(const cz_http_guard *g, uint64_t now_ns)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->slots[i].fd >= 0 && now_ns > g->slots[i].since_ns + g->limit_ns)
            (void)shutdown(g->slots[i].fd, SHUT_RDWR);
}

bool cz_http_guard_admits(cz_http_guard *g, uint64_t now_ns)
{
    bool room;

    (void)pthread_mutex_lock(&g->lock);
    cut_overdue(g, now_ns);
    room = g->used < g->most;
    (void)pthread_mutex_unlock(&g->lock);
    return room;
}

static cz_http_slot *free_slot(const cz_http_guard *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->slots[i].fd < 0)
            return &g->slots[i];
    return NULL;
}

cz_http_slot *cz_http_guard_enter(cz_http_guard *g, int fd, uint64_t now_ns)
{
    cz_http_slot *slot;

    (void)pthread_mutex_lock(&g->lock);
    slot = free_slot(g);
    if (slot != NULL) {
        *slot = (cz_http_slot){fd, now_ns};
        g->used++;
    }
    (void)pthread_mutex_unlock(&g->lock);
    return slot;
}

void cz_http_guard_answered(cz_http_guard *g, cz_http_slot *slot, uint64_t now_ns)
{
    (void)pthread_mutex_lock(&g->lock);
    slot->since_ns = now_ns;
    (void)pthread_mutex_unlock(&g->lock);
}

void cz_http_guard_leave(cz_http_guard *g, cz_http_slot *slot)
{
    (void)pthread_mutex_lock(&g->lock);
    slot->fd = -1;
    g->used--;
    (void)pthread_mutex_unlock(&g->lock);
}
