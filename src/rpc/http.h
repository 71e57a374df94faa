/* http.h: what people and monitors see of the daemon, over plain HTTP/1.1, read only.
 *
 *   /            the dashboard: one page without outside parts, which polls /api/state
 *   /status      the JSON that Curio's monitor polls (http_json.h)
 *   /api/state   the JSON behind the dashboard
 *   /metrics     Prometheus text (metrics.h)
 *   /healthz     200 while the server answers and the engine's lock can be had
 *   /readyz      200 when jobs are accepted, else 503 and why: starting, draining, or the journal's
 *                last failure
 *
 * It is made for an operator's own network: no TLS and no login, so it listens on a loopback
 * address unless `insecure` is set, and answers requests for that address only under a loopback
 * name (a page from elsewhere cannot rebind its own name to it). It changes nothing: GET and HEAD
 * alone are answered, requests with a body are refused, there are no cross-origin headers, and the
 * page's content security policy admits its own script by digest and nothing else.
 *
 * Limits: connections, bytes of a request, seconds of silence; a connection whose request takes
 * longer than three times that is cut (http_guard.h). Bodies are made at most ten times a second a
 * path, however many ask.
 *
 * Threads: libmicrohttpd's own two, with all signals blocked. Start and stop from one thread;
 * cz_http_set_ready from any. */
#ifndef CZ_RPC_HTTP_H
#define CZ_RPC_HTTP_H

#include <stdbool.h>

#include "engine/engine.h"

typedef struct cz_http cz_http;

/* Texts are used during start only, but for `version`. 0 takes the default. */
typedef struct {
    const char *listen;         /* "127.0.0.1:9821", "[::1]:9821"; port 0 takes a free one */
    const char *version;        /* of the daemon; a literal */
    bool insecure;              /* allow an address that other machines reach */
    unsigned max_connections;   /* 64 */
    unsigned timeout_s;         /* of silence on a connection: 10 */
    unsigned max_request_bytes; /* of a request's line and headers: 16 KiB */
} cz_http_options;

/** Could it listen there? Opens nothing. CZ_E_INPUT. */
CZ_MUST_CHECK cz_err cz_http_check(const cz_http_options *options);

/** Bind and answer. The engine outlives the server; /readyz says "starting" until
 * cz_http_set_ready. CZ_E_INPUT: the address; CZ_E_DECLINED: it is taken; CZ_E_IO, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_http_start(cz_http **out, const cz_http_options *options,
                                   cz_engine *engine);

/** "127.0.0.1:9821", with the port that was taken. */
const char *cz_http_address(const cz_http *http);

/** NULL: ready. Otherwise a literal that says why not. */
void cz_http_set_ready(cz_http *http, const char *why_not);

/** Ends the connections. NULL is fine. */
void cz_http_stop(cz_http *http);

#endif
