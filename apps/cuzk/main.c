/* main.c: what the command line asks for. Nothing here or in what it calls before the daemon runs
 * touches CUDA. */
#include <stdio.h>

#include "base/core_dump.h"
#include "daemon.h"
#include "options.h"

static int report(cz_err err)
{
    (void)fprintf(stderr, "cuzk: %s\n", cz_err_message());
    return err == CZ_E_INPUT || err == CZ_E_NOTFOUND ? EXIT_CONFIG : EXIT_FAILED;
}

static cz_err print_config(const cz_config *config)
{
    CZ_TRY(cz_config_print(config, stdout));
    return fflush(stdout) == 0 ? CZ_OK : cz_fail(CZ_E_IO, "standard output failed");
}

static cz_err check_config(const daemon_options *o, const cz_config *config)
{
    CZ_TRY_IN(daemon_check(config), "%s", o->config == NULL ? "settings" : o->config);
    (void)printf("%s: good\n", o->config == NULL ? "settings" : o->config);
    return CZ_OK;
}

/* The config is used up. */
static int run(const daemon_options *o, cz_config *config)
{
    cz_err err;

    if (o->what == RUN_DAEMON)
        return daemon_run(o, config);
    err = o->what == RUN_PRINT_CONFIG ? print_config(config) : check_config(o, config);
    cz_config_clear(config);
    return err == CZ_OK ? EXIT_DONE : report(err);
}

int main(int argc, char **argv)
{
    daemon_options options;
    cz_config config;
    int status;
    cz_err err;

    cz_core_dump_forbid();
    if (!options_parse(&options, argc, argv, &status))
        return status;
    err = options_read_config(&options, &config);
    return err == CZ_OK ? run(&options, &config) : report(err);
}
