/* options.h: the daemon's command line. */
#ifndef CZ_CUZK_OPTIONS_H
#define CZ_CUZK_OPTIONS_H

#include "config/config.h"

/* Exit statuses. systemd must not restart after the third. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_CONFIG = 78, EXIT_INTERRUPTED = 130 };

typedef enum { RUN_DAEMON, RUN_PRINT_CONFIG, RUN_CHECK_CONFIG } run_what;

/* Texts belong to argv; NULL: not given. */
typedef struct {
    run_what what;
    const char *config, *listen, *log_level;
} daemon_options;

/** True: go on. False: help or the version was printed, or the mistake was named; *status is the
 * exit status. */
bool options_parse(daemon_options *out, int argc, char **argv, int *status);

/** The settings: defaults, the file over them, the command line over that. CZ_E_INPUT,
 * CZ_E_NOTFOUND, CZ_E_IO, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err options_read_config(const daemon_options *o, cz_config *out);

#endif
