/* parts.c: see parts.h. */
#define _GNU_SOURCE
#include "parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/amount.h"
#include "base/log.h"
#include "base/version.h"
#include "config/engine_config.h"
#include "engine/budget.h"

enum { GRACE_MS = 1000 };

/* --- journal --- */

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static cz_err make_folder(const char *path)
{
    int error;

    if (is_folder(path) || mkdir(path, 0700) == 0)
        return CZ_OK;
    error = errno;
    if (error == EEXIST)
        return cz_fail(CZ_E_INPUT, "%s is not a folder", path);
    return cz_fail(CZ_E_IO, "%s: cannot be made: %s", path, strerror(error));
}

/* With the folders above it, which a fresh account lacks. */
static cz_err make_folders(const char *path)
{
    char part[CZ_CONFIG_PATH_BYTES];

    (void)snprintf(part, sizeof part, "%s", path);
    for (char *p = part + 1; *p != '\0'; p++)
        if (*p == '/') {
            *p = '\0';
            CZ_TRY(make_folder(part));
            *p = '/';
        }
    return make_folder(path);
}

static cz_err open_journal(daemon_parts *p)
{
    char dir[CZ_CONFIG_PATH_BYTES];

    CZ_TRY(cz_config_journal_dir(p->config, dir, sizeof dir));
    if (dir[0] == '\0') {
        cz_log(CZ_LOG_WARN, "no journal: what is accepted does not survive a restart");
        return CZ_OK;
    }
    CZ_TRY_IN(make_folders(dir), "journal.dir");
    CZ_TRY_IN(cz_journal_open(&p->journal, dir), "journal.dir");
    cz_log(CZ_LOG_INFO, "journal: %s", dir);
    return CZ_OK;
}

/* --- engine --- */

/* The variable goes before the file of settings, and may lie forgotten in some profile. */
static void say_parameters(const cz_config *config)
{
    const char *set = config->srs.param_cache, *used = cz_config_param_cache(config);

    cz_log(CZ_LOG_INFO, "parameters: %s", used);
    if (strcmp(set, "auto") != 0 && strcmp(set, used) != 0)
        cz_log(CZ_LOG_WARN, "srs.param_cache: not %s: FIL_PROOFS_PARAMETER_CACHE is set, too", set);
}

static cz_err make_prover(daemon_parts *p)
{
    const cz_experiment experiment = cz_config_experiment(p->config);
    char circuits[CZ_CONFIG_PATH_BYTES];
    const cz_filecoin_prover_options options = {
        .experiment = &experiment,
        .param_cache = cz_config_param_cache(p->config),
        .manifest = p->config->srs.manifest,
        .circuit_cache = circuits,
        .synthesis_threads = (unsigned)p->config->synthesis.threads,
        .proving_threads = (unsigned)p->config->gpus.gpu_threads,
    };

    CZ_TRY(cz_config_circuit_cache(p->config, circuits, sizeof circuits));
    say_parameters(p->config);
    cz_log(circuits[0] == '\0' ? CZ_LOG_WARN : CZ_LOG_INFO, "compiled circuits: %s",
           circuits[0] == '\0' ? "made anew after each start" : circuits);
    return cz_filecoin_prover_create(&p->prover, &options);
}

static cz_err open_devices(daemon_parts *p)
{
    cz_device_options options = cz_config_devices(p->config);

    if (strcmp(p->config->gpus.backend, "cpu") == 0)
        return CZ_OK;
    CZ_TRY(cz_config_pinned_limit(&options.pinned_limit, p->config));
    CZ_TRY_IN(cz_filecoin_prover_open_devices(p->prover, &options), "gpus.backend");
    return CZ_OK;
}

/* Faults for tests of the daemon as a whole; see engine/faults.h. */
static cz_err order_faults(cz_engine_options *options)
{
    const char *text = getenv("CUZK_TEST_FAULTS");

    if (text == NULL || text[0] == '\0')
        return CZ_OK;
    cz_log(CZ_LOG_WARN, "CUZK_TEST_FAULTS: faults are ordered: %s", text);
    CZ_TRY_IN(cz_faults_parse(&options->faults, text), "CUZK_TEST_FAULTS");
    return CZ_OK;
}

static void say_backend(const cz_backend *b)
{
    char amount[2][CZ_AMOUNT_BYTES];
    cz_device_info device;

    b->describe(b->ctx, &device);
    if (device.problem[0] != '\0')
        cz_log(CZ_LOG_WARN, "not proving on: GPU %u: %s", b->device, device.problem);
    else if (device.vram_total_bytes != 0)
        cz_log(CZ_LOG_INFO, "proving on: GPU %u, %s, %s free of %s", b->device, device.name,
               cz_amount(amount[0], device.vram_free_bytes),
               cz_amount(amount[1], device.vram_total_bytes));
    else
        cz_log(CZ_LOG_INFO, "proving on: %s%s", device.name, b->spare ? ", what no GPU takes" : "");
}

/* The kernel ends who takes more than there is, with all that runs beside it. */
static void look_at_budget(const cz_config *config, uint64_t budget)
{
    const uint64_t available = cz_memory_available("");
    char amount[CZ_AMOUNT_BYTES];

    cz_log(CZ_LOG_INFO, "memory budget: %s", cz_amount(amount, budget));
    if (config->memory.total_budget != CZ_SIZE_AUTO && available != 0 && budget > available)
        cz_log(CZ_LOG_WARN, "memory.total_budget: only %s are free; what takes more may be killed",
               cz_amount(amount, available));
}

/* Who names GPUs does not expect the CPU. */
static void look_at_devices(const daemon_parts *p, const cz_backend *backends, size_t n)
{
    cz_device_info device;
    size_t gpus = 0;

    for (size_t i = 0; i < n; i++) {
        backends[i].describe(backends[i].ctx, &device);
        gpus += device.vram_total_bytes != 0 && device.problem[0] == '\0';
    }
    if (p->config->gpus.devices.n != 0 && gpus == 0)
        cz_log(CZ_LOG_WARN, "gpus.devices: no GPU is used; with gpus.backend = \"cuda\" that would "
                            "stop the start");
}

static cz_err make_engine(daemon_parts *p)
{
    cz_engine_options options = cz_engine_defaults();
    cz_backend backends[CZ_MOST_BACKENDS];

    options.prover = cz_filecoin_prover_table(p->prover);
    options.backends = backends;
    options.n_backends = cz_filecoin_backends(p->prover, backends);
    options.journal = p->journal;
    CZ_TRY(cz_config_engine(&options, p->config));
    CZ_TRY(order_faults(&options));
    for (size_t i = 0; i < options.n_backends; i++)
        say_backend(&backends[i]);
    look_at_devices(p, backends, options.n_backends);
    look_at_budget(p->config, options.host_bytes);
    return cz_engine_create(&p->engine, &options);
}

/* --- sockets --- */

cz_rpc_server_options parts_rpc_options(const cz_config *config)
{
    return (cz_rpc_server_options){
        .listen = config->daemon.listen,
        .socket_mode = (unsigned)strtoul(config->daemon.socket_mode, NULL, 8),
        .tls_cert = config->daemon.tls_cert,
        .tls_key = config->daemon.tls_key,
        .tls_client_ca = config->daemon.tls_client_ca,
        .token_file = config->daemon.token_file,
        .insecure = config->daemon.insecure,
        .max_message = config->daemon.max_message,
    };
}

static cz_err bind_rpc(daemon_parts *p)
{
    const cz_rpc_server_options options = parts_rpc_options(p->config);

    return cz_rpc_server_create(&p->rpc, &options, p->engine);
}

cz_err parts_reread(daemon_parts *p)
{
    const cz_rpc_server_options options = parts_rpc_options(p->config);

    CZ_TRY_IN(cz_rpc_server_reread(p->rpc, &options), "TLS files and token");
    return CZ_OK;
}

cz_http_options parts_http_options(const cz_config *config)
{
    return (cz_http_options){
        .listen = config->daemon.status_listen,
        .version = cz_version(),
        .insecure = config->daemon.insecure,
    };
}

static cz_err start_http(daemon_parts *p)
{
    const cz_http_options options = parts_http_options(p->config);

    if (options.listen[0] == '\0')
        return CZ_OK;
    CZ_TRY_IN(cz_http_start(&p->http, &options, p->engine), "daemon.status_listen");
    cz_log(CZ_LOG_INFO, "dashboard, status and metrics: http://%s/", cz_http_address(p->http));
    return CZ_OK;
}

static void set_ready(daemon_parts *p, const char *why_not)
{
    if (p->http != NULL)
        cz_http_set_ready(p->http, why_not);
}

/* --- preloading --- */

static void *preload(void *arg)
{
    const daemon_parts *p = arg;
    const cz_text_list *circuits = &p->config->srs.preload;

    for (size_t i = 0; i < circuits->n; i++) {
        bool already;
        uint64_t ms;
        const cz_err err = cz_engine_preload(p->engine, circuits->items[i], &already, &ms);

        if (err == CZ_E_CANCELLED)
            break;
        if (err != CZ_OK)
            cz_log(CZ_LOG_ERROR, "srs.preload: %s: %s", circuits->items[i], cz_err_message());
    }
    return NULL;
}

static cz_err start_preloading(daemon_parts *p)
{
    int rc;

    if (p->config->srs.preload.n == 0)
        return CZ_OK;
    rc = pthread_create(&p->preloader, NULL, preload, p);
    p->preloading = rc == 0;
    return rc == 0 ? CZ_OK : cz_fail(CZ_E_NOMEM, "cannot start a thread: %s", strerror(rc));
}

/* --- life --- */

cz_err parts_start(daemon_parts *p, const cz_config *config)
{
    *p = (daemon_parts){.config = config};
    CZ_TRY(open_journal(p));
    CZ_TRY(make_prover(p));
    CZ_TRY(open_devices(p));
    CZ_TRY(make_engine(p));
    CZ_TRY(bind_rpc(p));
    CZ_TRY(start_http(p));
    CZ_TRY(cz_engine_start(p->engine));
    CZ_TRY(cz_rpc_server_start(p->rpc));
    CZ_TRY(start_preloading(p));
    set_ready(p, NULL);
    return CZ_OK;
}

void parts_drain(daemon_parts *p)
{
    set_ready(p, "draining");
    cz_engine_drain(p->engine);
    cz_rpc_server_drain(p->rpc);
}

void parts_destroy(daemon_parts *p)
{
    if (p->engine != NULL)
        cz_engine_stop(p->engine);
    if (p->preloading)
        (void)pthread_join(p->preloader, NULL);
    cz_http_stop(p->http);
    if (p->rpc != NULL)
        cz_rpc_server_stop(p->rpc, GRACE_MS);
    cz_rpc_server_destroy(p->rpc);
    cz_engine_destroy(p->engine);
    cz_filecoin_prover_destroy(p->prover);
    cz_journal_close(p->journal);
    *p = (daemon_parts){0};
}
