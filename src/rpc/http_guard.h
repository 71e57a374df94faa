/* http_guard.h: a bound on connections that slow clients cannot exhaust.
 *
 * libmicrohttpd ends connections that are silent, but one byte now and then keeps one for ever.
 * The guard knows when each connection last had a whole request answered; whenever another client
 * arrives it cuts those that are overdue, and turns the client away only when it finds none.
 *
 * Threads: any; a slot is removed before its socket is closed, so no other socket is ever cut. */
#ifndef CZ_RPC_HTTP_GUARD_H
#define CZ_RPC_HTTP_GUARD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct {
    int fd;            /* -1: free */
    uint64_t since_ns; /* accepted, or the last request answered */
} cz_http_slot;

typedef struct {
    pthread_mutex_t lock; /* guards the slots */
    cz_http_slot *slots;
    size_t n, used;
    size_t most; /* below n: threads that admit at the same moment each find a slot */
    uint64_t limit_ns;
} cz_http_guard;

/** CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_http_guard_init(cz_http_guard *g, size_t most, uint64_t limit_ns);
void cz_http_guard_clear(cz_http_guard *g);

/** May another client come? Cuts what is overdue at now_ns. */
bool cz_http_guard_admits(cz_http_guard *g, uint64_t now_ns);

/** A connection begins; NULL when all slots are taken. */
cz_http_slot *cz_http_guard_enter(cz_http_guard *g, int fd, uint64_t now_ns);
void cz_http_guard_answered(cz_http_guard *g, cz_http_slot *slot, uint64_t now_ns);
void cz_http_guard_leave(cz_http_guard *g, cz_http_slot *slot);

#endif
