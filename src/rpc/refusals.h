/* refusals.h: the log's line about a request that is refused, which has no job and so no line of
 * its own, and about a call without the token. A client that asks again and again must not fill the
 * disk: after CZ_REFUSALS_AT_ONCE lines there is one a second, which says how many were left out.
 * Inside rpc/.
 *
 * Threads: any. */
#ifndef CZ_RPC_REFUSALS_H
#define CZ_RPC_REFUSALS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "filecoin/registry.h"

enum { CZ_REFUSALS_AT_ONCE = 20 };

/* Lines that may be written now, grown at last_s (seconds of cz_clock_ns), and lines left out. */
typedef struct {
    pthread_mutex_t lock;
    uint64_t last_s;
    unsigned left, silent;
} cz_refusals;

void cz_refusals_init(cz_refusals *r, uint64_t now_ns);
void cz_refusals_clear(cz_refusals *r);

/** May a line be written at this time? *silent: how many were not, since the last one that was. */
bool cz_refusals_take(cz_refusals *r, uint64_t now_ns, unsigned *silent);

/** Log that a call of this method by this peer has not the right token. The token is no part of the
 * line. */
void cz_refusals_say_stranger(cz_refusals *r, const char *method, const char *peer);

/** Log that this request of this kind is refused with cz_err_message(). Keeps that message. */
void cz_refusals_say(cz_refusals *r, const char *request_id, cz_proof_kind kind, unsigned code);

#endif
