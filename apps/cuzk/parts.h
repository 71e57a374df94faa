/* parts.h: what the daemon is made of, and how it is put together and taken apart. */
#ifndef CZ_CUZK_PARTS_H
#define CZ_CUZK_PARTS_H

#include <pthread.h>

#include "config/config.h"
#include "engine/filecoin_prover.h"
#include "engine/journal.h"
#include "rpc/http.h"
#include "rpc/server.h"

typedef struct {
    cz_journal *journal; /* NULL: journal.dir = "none" */
    cz_filecoin_prover *prover;
    cz_engine *engine;
    cz_rpc_server *rpc;
    cz_http *http; /* NULL: off */
    const cz_config *config;
    pthread_t preloader;
    bool preloading;
} daemon_parts;

/** Everything from the settings, answering when it returns. On error what was made stays in *p:
 * parts_destroy it. The config outlives the parts. */
CZ_MUST_CHECK cz_err parts_start(daemon_parts *p, const cz_config *config);

/** Read the TLS files and the token again. Errors: what was there stays. */
CZ_MUST_CHECK cz_err parts_reread(daemon_parts *p);

/** No new jobs; says so to whoever asks. */
void parts_drain(daemon_parts *p);

/** Ends the threads after the stages they are in, answers who waits, and frees everything. */
void parts_destroy(daemon_parts *p);

/** The servers' options of the settings; texts belong to the config. */
cz_rpc_server_options parts_rpc_options(const cz_config *config);
cz_http_options parts_http_options(const cz_config *config);

#endif
