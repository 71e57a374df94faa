/* options.c: see options.h. */
#define _GNU_SOURCE
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/version.h"
#include "groth16/forms.h"

static const char usage[] =
    "usage: cuzk [options]\n"
    "\n"
    "The proving daemon. Without options it needs no configuration, no root and no GPU: it\n"
    "listens on a Unix socket in the user's runtime folder and says where.\n"
    "\n"
    "  --config FILE      settings, as in cuzk.example.toml\n"
    "  --listen ADDRESS   unix:///path or host:port; goes before daemon.listen of the file\n"
    "  --log-level LEVEL  error, warn, info or debug; goes before logging.level\n"
    "  --print-config     print the settings in force, as a file with comments, and exit\n"
    "  --check-config     check the settings and exit (0: good, 78: not)\n"
    "  --version          print the version and exit\n"
    "  --help             print this and exit\n"
    "\n"
    "SIGTERM or SIGINT: accept nothing more, finish what runs, exit; once more: stop at once.\n"
    "SIGHUP: read settings, TLS files and token again. What was accepted and not finished goes\n"
    "on after the next start.\n"
    "\n"
    "examples:\n"
    "  cuzk\n"
    "  cuzk --listen 127.0.0.1:9820 --log-level debug\n"
    "  cuzk --config /etc/cuzk/cuzk.toml --check-config\n";

enum { OPT_CONFIG = 1, OPT_LISTEN, OPT_LOG_LEVEL, OPT_PRINT, OPT_CHECK, OPT_VERSION, OPT_HELP };

static const struct option known[] = {
    {"config", required_argument, NULL, OPT_CONFIG},
    {"listen", required_argument, NULL, OPT_LISTEN},
    {"log-level", required_argument, NULL, OPT_LOG_LEVEL},
    {"print-config", no_argument, NULL, OPT_PRINT},
    {"check-config", no_argument, NULL, OPT_CHECK},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static bool leave(int *status, int with)
{
    *status = with;
    return false;
}

static bool take(daemon_options *out, int option, int *status)
{
    switch (option) {
    case OPT_CONFIG:
    case 'c':
        out->config = optarg;
        return true;
    case OPT_LISTEN:
        out->listen = optarg;
        return true;
    case OPT_LOG_LEVEL:
        out->log_level = optarg;
        return true;
    case OPT_PRINT:
        out->what = RUN_PRINT_CONFIG;
        return true;
    case OPT_CHECK:
        out->what = RUN_CHECK_CONFIG;
        return true;
    case OPT_VERSION:
    case 'V':
        (void)printf("cuzk %s\nforms: %s\n", cz_version(), cz_forms_text());
        return leave(status, EXIT_DONE);
    case OPT_HELP:
    case 'h':
        (void)fputs(usage, stdout);
        return leave(status, EXIT_DONE);
    default: /* getopt has named it */
        (void)fputs("try: cuzk --help\n", stderr);
        return leave(status, EXIT_USAGE);
    }
}

bool options_parse(daemon_options *out, int argc, char **argv, int *status)
{
    int option;

    *out = (daemon_options){0};
    while ((option = getopt_long(argc, argv, "c:Vh", known, NULL)) != -1)
        if (!take(out, option, status))
            return false;
    if (optind < argc) {
        (void)fprintf(stderr, "cuzk: unexpected '%s'\ntry: cuzk --help\n", argv[optind]);
        return leave(status, EXIT_USAGE);
    }
    return true;
}

/* --- settings --- */

static cz_err replace(char **text, const char *with)
{
    char *copy;

    if (with == NULL)
        return CZ_OK;
    copy = strdup(with);
    if (copy == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for settings");
    free(*text);
    *text = copy;
    return CZ_OK;
}

static cz_err override(const daemon_options *o, cz_config *config)
{
    cz_log_level level;

    if (o->log_level != NULL)
        CZ_TRY_IN(cz_log_level_parse(&level, o->log_level), "--log-level");
    CZ_TRY(replace(&config->logging.level, o->log_level));
    return replace(&config->daemon.listen, o->listen);
}

cz_err options_read_config(const daemon_options *o, cz_config *out)
{
    cz_err err;

    if (o->config != NULL)
        CZ_TRY(cz_config_read(out, o->config, NULL, NULL));
    else
        CZ_TRY(cz_config_init(out));
    err = override(o, out);
    if (err != CZ_OK)
        cz_config_clear(out);
    return err;
}
