/* daemon.h: the daemon's life.
 *
 *   start   journal, prover, engine, sockets bound; then threads; then READY to systemd
 *   run     the main thread waits for signals and feeds the watchdog; SIGHUP rereads the settings
 *   drain   SIGTERM, SIGINT: no new jobs, until none is left or daemon.drain_timeout has passed
 *   stop    at once when none is left, or on a second signal; what has not ended stays in the
 *           journal. Stages that still run have three seconds
 *
 * Threads: the main thread alone runs what is here, but for the preloading of parameters. */
#ifndef CZ_CUZK_DAEMON_H
#define CZ_CUZK_DAEMON_H

#include "config/config.h"
#include "options.h"

/** Run until a signal ends it; gives the exit status. The config is used up. */
int daemon_run(const daemon_options *options, cz_config *config);

/** Would the daemon take these settings? Looks at addresses, TLS files, token, manifest and
 * folders; opens nothing, and warns of parameters that are not there. CZ_E_INPUT, CZ_E_NOTFOUND,
 * CZ_E_IO. */
CZ_MUST_CHECK cz_err daemon_check(const cz_config *config);

#endif
