/* daemon_process.h: a daemon of one's own, for a measurement: in a folder that goes with it. */
#ifndef CZ_BENCH_DAEMON_PROCESS_H
#define CZ_BENCH_DAEMON_PROCESS_H

#include <sys/types.h>

#include "commands.h"

enum { DAEMON_ADDRESS_BYTES = 128 };

typedef struct {
    pid_t pid;
    char folder[64]; /* journal, socket, log */
    char address[DAEMON_ADDRESS_BYTES];
} daemon_process;

typedef struct {
    const char *program; /* "" or NULL: the cuzk beside this program */
    const char *config;  /* settings; NULL: the defaults */
    const char *params;  /* parameter folder; NULL: as the settings say */
} daemon_order;

/** Start it on a socket in its folder; it may not listen yet. CZ_E_NOTFOUND (the program), CZ_E_IO.
 */
CZ_MUST_CHECK cz_err daemon_process_start(daemon_process *d, const daemon_order *order);

/** CZ_E_IO, with the last line of its log, once it has ended. */
CZ_MUST_CHECK cz_err daemon_process_check(daemon_process *d);

/** Let it finish and end, and remove its folder. Nothing for one that was not started. CZ_E_IO when
 * it ended badly. */
CZ_MUST_CHECK cz_err daemon_process_stop(daemon_process *d);

#endif
