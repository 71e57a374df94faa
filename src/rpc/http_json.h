/* http_json.h: the engine's state as JSON, for programs and for the dashboard.
 *
 * /status is the document of the engine that this one replaces, which Curio's monitor polls: its
 * keys, its words for kinds and states, null where nothing is known yet. Two keys are new:
 * pipelines[].request_id (job_id is what the gRPC calls take), and pipelines[].circuit_id.
 *
 * /api/state is everything that the dashboard shows. It is ours and may grow; keys are not taken
 * away. Times are seconds or milliseconds as the name says, memory is bytes. Threads: any. */
#ifndef CZ_RPC_HTTP_JSON_H
#define CZ_RPC_HTTP_JSON_H

#include "engine/engine_status.h"
#include "engine/recent.h"

/* What the daemon knows beside the engine. */
typedef struct {
    const char *version;
    const char *not_ready; /* why; NULL when it is ready */
} cz_http_about;

/** The text is to be freed. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_http_status_json(const cz_engine_status *status, char **text, size_t *n);

/** `recent`: n_recent jobs that ended, newest first. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_http_state_json(const cz_engine_status *status, const cz_recent_job *recent,
                                        size_t n_recent, const cz_http_about *about, char **text,
                                        size_t *n);

#endif
