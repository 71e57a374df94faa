/* daemon_process.h: a daemon of one's own, for a measurement: in a folder that goes with it. */
#ifndef CZ_LAB_DAEMON_PROCESS_H
#define CZ_LAB_DAEMON_PROCESS_H

#include <sys/types.h>

#include "base/err.h"

enum { DAEMON_FOLDER_BYTES = 64, DAEMON_ADDRESS_BYTES = 128 };

typedef struct {
    pid_t pid;
    int notify;                       /* where it says that it is ready */
    char folder[DAEMON_FOLDER_BYTES]; /* journal, sockets, log */
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

/** Until it says, as to systemd (sd_notify(3)), that it listens. CZ_E_IO when it ends instead, with
 * the last line of its log, or says nothing for so long. */
CZ_MUST_CHECK cz_err daemon_process_await(daemon_process *d, unsigned patience_ms);

/** Let it finish and end, and remove its folder. Nothing for one that was not started. CZ_E_IO when
 * it ended badly. */
CZ_MUST_CHECK cz_err daemon_process_stop(daemon_process *d);

#endif
