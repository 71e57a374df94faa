/* daemon.c: see daemon.h. */
#define _GNU_SOURCE
#include "daemon.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/trace.h"
#include "base/version.h"
#include "config/engine_config.h"
#include "engine/engine_status.h"
#include "groth16/forms.h"
#include "params/manifest.h"
#include "parts.h"
#include "rpc/address.h"

enum { TICK_MS = 1000, DRAIN_TICK_MS = 200, LAST_WAIT_S = 3 };

typedef struct {
    const daemon_options *options;
    cz_config config;
    daemon_parts parts;
    sigset_t signals;
    uint64_t watchdog_ms; /* 0: systemd does not watch */
    uint64_t fed_ns;
} daemon_state;

/* --- signals: blocked everywhere, taken by the main thread --- */

static void block_signals(daemon_state *d)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* the write fails then, as on a full disk */
    (void)sigemptyset(&d->signals);
    (void)sigaddset(&d->signals, SIGTERM);
    (void)sigaddset(&d->signals, SIGINT);
    (void)sigaddset(&d->signals, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &d->signals, NULL);
}

/* The next signal, or 0 after this time. */
static int next_signal(const daemon_state *d, unsigned ms)
{
    const struct timespec time = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    const int sig = sigtimedwait(&d->signals, NULL, &time);

    return sig > 0 ? sig : 0;
}

/* --- systemd --- */

static void read_watchdog(daemon_state *d)
{
    uint64_t us;

    if (sd_watchdog_enabled(0, &us) > 0)
        d->watchdog_ms = us / 1000;
}

/* Only a daemon whose engine answers is alive. */
static void feed_watchdog(daemon_state *d)
{
    const uint64_t now = cz_clock_ns();
    cz_engine_status *status;

    if (d->watchdog_ms == 0 || now - d->fed_ns < d->watchdog_ms * 1000000 / 3)
        return;
    if (cz_engine_status_create(&status, d->parts.engine) != CZ_OK)
        return;
    cz_engine_status_destroy(status);
    (void)sd_notify(0, "WATCHDOG=1");
    d->fed_ns = now;
}

static unsigned tick_ms(const daemon_state *d)
{
    return d->watchdog_ms != 0 && d->watchdog_ms / 3 < TICK_MS ? (unsigned)(d->watchdog_ms / 3) + 1
                                                               : TICK_MS;
}

/* --- settings --- */

static cz_err configure_log(const cz_config *config)
{
    return cz_log_configure(config->logging.level, config->logging.format);
}

static void say_restart(void *ctx, const char *setting)
{
    (void)ctx;
    cz_log(CZ_LOG_WARN, "%s: the new value takes effect after a restart", setting);
}

static cz_err reread(daemon_state *d)
{
    cz_engine_tuning tuning;
    cz_config fresh;
    cz_err err;

    CZ_TRY(options_read_config(d->options, &fresh));
    err = parts_reread(&d->parts);
    if (err == CZ_OK)
        err = cz_config_apply_live(&d->config, &fresh, say_restart, NULL);
    cz_config_clear(&fresh);
    CZ_TRY(err);
    tuning = cz_config_tuning(&d->config);
    cz_engine_tune(d->parts.engine, &tuning);
    return configure_log(&d->config);
}

static void reload(daemon_state *d)
{
    (void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, cz_clock_ns() / 1000);
    if (d->options->config == NULL)
        cz_log(CZ_LOG_INFO, "SIGHUP: there is no file of settings to read again");
    else if (reread(d) != CZ_OK)
        cz_log(CZ_LOG_ERROR, "SIGHUP: nothing is changed: %s", cz_err_message());
    else
        cz_log(CZ_LOG_INFO, "SIGHUP: %s is read again", d->options->config);
    (void)sd_notify(0, "READY=1");
}

/* --- the main loop --- */

/* Until a signal asks for the end. */
static void serve(daemon_state *d)
{
    for (;;) {
        const int sig = next_signal(d, tick_ms(d));

        feed_watchdog(d);
        if (sig == SIGHUP)
            reload(d);
        else if (sig != 0)
            return;
    }
}

static unsigned jobs_left(const daemon_state *d)
{
    cz_engine_status *status;
    unsigned n;

    if (cz_engine_status_create(&status, d->parts.engine) != CZ_OK)
        return 0;
    n = status->jobs;
    cz_engine_status_destroy(status);
    return n;
}

static void say_left(const daemon_state *d, unsigned *said)
{
    const unsigned left = jobs_left(d);

    if (left == *said)
        return;
    *said = left;
    cz_log(CZ_LOG_INFO, "draining: jobs left: %u", left);
    (void)sd_notifyf(0, "STATUS=draining, jobs left: %u", left);
}

typedef enum { DRAINED, OUT_OF_TIME, INTERRUPTED } drain_end;

static drain_end drain(daemon_state *d)
{
    const uint64_t until = cz_clock_ns() + d->config.daemon.drain_timeout * 1000000;
    unsigned said = UINT32_MAX;

    (void)sd_notify(0, "STOPPING=1");
    cz_log(CZ_LOG_INFO, "stopping: running jobs have %" PRIu64 " s; a second signal stops at once",
           d->config.daemon.drain_timeout / 1000);
    parts_drain(&d->parts);
    while (!cz_engine_wait_idle(d->parts.engine, DRAIN_TICK_MS)) {
        const int sig = next_signal(d, 0);

        say_left(d, &said);
        feed_watchdog(d);
        if (sig == SIGTERM || sig == SIGINT)
            return INTERRUPTED;
        if (cz_clock_ns() > until) {
            cz_log(CZ_LOG_WARN, "daemon.drain_timeout has passed; what is left goes on after the "
                                "next start");
            return OUT_OF_TIME;
        }
    }
    return DRAINED;
}

static void *take_apart(void *parts)
{
    parts_destroy(parts);
    return NULL;
}

/* A stage that runs cannot be interrupted and may take minutes, also when no job is left: that of a
 * cancelled one, or parameters that are loaded for nobody. The journal has every job that has not
 * ended, so the process may go without it. */
static void stop_at_once(daemon_state *d, int status)
{
    cz_address address;
    struct timespec until;
    pthread_t thread;

    const bool known = cz_address_parse(&address, cz_rpc_server_address(d->parts.rpc)) == CZ_OK;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LAST_WAIT_S;
    if (pthread_create(&thread, NULL, take_apart, &d->parts) == 0 &&
        pthread_timedjoin_np(thread, NULL, &until) == 0)
        return;
    cz_log(CZ_LOG_WARN,
           "a stage or the loading of parameters is still running; leaving without it");
    if (known && address.is_unix)
        (void)unlink(address.path);
    _exit(status);
}

static cz_err start(daemon_state *d)
{
    CZ_TRY(configure_log(&d->config));
    cz_log(CZ_LOG_INFO, "cuzk %s, forms: %s", cz_version(), cz_forms_text());
    read_watchdog(d);
    CZ_TRY(parts_start(&d->parts, &d->config));
    cz_log(CZ_LOG_INFO, "listening on %s", cz_rpc_server_address(d->parts.rpc));
    (void)sd_notifyf(0, "READY=1\nSTATUS=listening on %s", cz_rpc_server_address(d->parts.rpc));
    return CZ_OK;
}

/* What is wrong with the settings stays wrong; systemd need not try again. */
static int failed(cz_err err)
{
    cz_log(CZ_LOG_ERROR, "cannot start: %s", cz_err_message());
    return err == CZ_E_INPUT ? EXIT_CONFIG : EXIT_FAILED;
}

static int end(daemon_state *d)
{
    const drain_end how = drain(d);
    const int status = how == INTERRUPTED ? EXIT_INTERRUPTED : EXIT_DONE;

    stop_at_once(d, status);
    cz_log(CZ_LOG_INFO, "stopped");
    return status;
}

static int live(daemon_state *d)
{
    const cz_err err = start(d);

    if (err != CZ_OK) {
        const int status = failed(err);

        parts_destroy(&d->parts);
        return status;
    }
    serve(d);
    return end(d);
}

int daemon_run(const daemon_options *options, cz_config *config)
{
    daemon_state d = {.options = options, .config = *config};
    int status;

    block_signals(&d);
    status = live(&d);
    cz_config_clear(&d.config);
    return status;
}

/* --- checking --- */

/* Two servers cannot have one address. Names of hosts are not compared. */
static cz_err check_addresses(const cz_config *config)
{
    cz_address rpc, http;

    CZ_TRY(cz_address_parse(&rpc, config->daemon.listen));
    CZ_TRY_IN(cz_address_parse(&http, config->daemon.status_listen), "daemon.status_listen");
    if (rpc.port != 0 && strcmp(rpc.text, http.text) == 0)
        return cz_fail(CZ_E_INPUT, "daemon.status_listen: %s is daemon.listen's; take another port",
                       http.text);
    return CZ_OK;
}

static cz_err check_manifest(const char *path)
{
    cz_manifest manifest;

    if (path[0] == '\0')
        return CZ_OK;
    CZ_TRY_IN(cz_manifest_read(&manifest, path), "srs.manifest");
    cz_manifest_clear(&manifest);
    return CZ_OK;
}

/* Who asks need not be who will run it, so nothing is said about rights. */
static cz_err check_journal(const cz_config *config)
{
    char dir[CZ_CONFIG_PATH_BYTES];
    struct stat st;

    CZ_TRY(cz_config_journal_dir(config, dir, sizeof dir));
    if (dir[0] != '\0' && stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
        return cz_fail(CZ_E_INPUT, "journal.dir: %s is not a folder", dir);
    return CZ_OK;
}

/* A folder that is not there is no mistake: its files may come later. */
static void look_for_parameters(const cz_config *config)
{
    const char *dir = cz_config_param_cache(config);
    struct stat st;

    if (stat(dir, &st) != 0)
        cz_log(CZ_LOG_WARN, "srs.param_cache: %s: %s", dir, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        cz_log(CZ_LOG_WARN, "srs.param_cache: %s is not a folder", dir);
}

cz_err daemon_check(const cz_config *config)
{
    const cz_rpc_server_options rpc = parts_rpc_options(config);
    const cz_http_options http = parts_http_options(config);
    cz_engine_options engine = cz_engine_defaults();

    CZ_TRY(cz_rpc_server_check(&rpc));
    if (http.listen[0] != '\0') {
        CZ_TRY_IN(cz_http_check(&http), "daemon.status_listen");
        CZ_TRY(check_addresses(config));
    }
    CZ_TRY(check_manifest(config->srs.manifest));
    CZ_TRY(check_journal(config));
    look_for_parameters(config);
    return cz_config_engine(&engine, config);
}
