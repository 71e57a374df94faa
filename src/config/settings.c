/* settings.c: the table. A new setting is a field in config.h and a row here. */
#include "config/settings.h"

#include <string.h>

#define AT(field) offsetof(cz_config, field)
#define MIB       ((uint64_t)1 << 20)
#define GIB       ((uint64_t)1 << 30)
#define DAY_MS    ((uint64_t)86400000)

enum { RESTART = 0, LIVE = 1 };

/* clang-format off */
static const cz_setting settings[] = {
    {"daemon.listen", CZ_SETTING_TEXT, NULL, 0, 0, "\"auto\"", NULL, RESTART, AT(daemon.listen),
     "Where clients connect: \"unix:///run/curio/cuzk.sock\" or \"127.0.0.1:9820\"; \"auto\" is a Unix socket in the user's runtime directory."},
    {"daemon.socket_mode", CZ_SETTING_CHOICE, NULL, 0, 0, "\"0660\"", "0600|0660|0666", RESTART, AT(daemon.socket_mode),
     "Who may connect to a Unix socket: \"0600\" its owner, \"0660\" its group too, \"0666\" every user of the machine."},
    {"daemon.status_listen", CZ_SETTING_TEXT, NULL, 0, 0, "\"\"", NULL, RESTART, AT(daemon.status_listen),
     "HTTP address of /status, /metrics, /healthz, /readyz and the dashboard, such as \"127.0.0.1:9821\"; \"\" turns it off."},
    {"daemon.tls_cert", CZ_SETTING_PATH, NULL, 0, 0, "\"\"", NULL, RESTART, AT(daemon.tls_cert),
     "PEM certificate chain for TLS on a TCP address."},
    {"daemon.tls_key", CZ_SETTING_PATH, NULL, 0, 0, "\"\"", NULL, RESTART, AT(daemon.tls_key),
     "PEM private key that belongs to it."},
    {"daemon.tls_client_ca", CZ_SETTING_PATH, NULL, 0, 0, "\"\"", NULL, RESTART, AT(daemon.tls_client_ca),
     "PEM certificates that must have signed a client's certificate (mTLS); \"\" asks for none."},
    {"daemon.token_file", CZ_SETTING_PATH, NULL, 0, 0, "\"\"", NULL, RESTART, AT(daemon.token_file),
     "File with the bearer token that clients must send; \"\" asks for none."},
    {"daemon.insecure", CZ_SETTING_BOOL, NULL, 0, 0, "false", NULL, RESTART, AT(daemon.insecure),
     "Allow addresses that other machines reach, without TLS; whoever reaches them can use the daemon."},
    {"daemon.max_message", CZ_SETTING_SIZE, "bytes", MIB, GIB, "\"256MiB\"", NULL, RESTART, AT(daemon.max_message),
     "Largest request. A 32 GiB PoRep request is about 70 MB. A larger message is refused: RESOURCE_EXHAUSTED, \"Received message larger than max\"."},
    {"daemon.drain_timeout", CZ_SETTING_DURATION, NULL, 0, 7 * DAY_MS, "\"10m\"", NULL, LIVE, AT(daemon.drain_timeout),
     "On SIGTERM, how long running proofs may take to finish; what is left goes on after the next start."},

    {"srs.param_cache", CZ_SETTING_PATH, NULL, 0, 0, "\"auto\"", NULL, RESTART, AT(srs.param_cache),
     "Folder with the network's v28-*.params and .vk files; \"auto\" is /var/tmp/filecoin-proof-parameters. FIL_PROOFS_PARAMETER_CACHE goes first."},
    {"srs.manifest", CZ_SETTING_PATH, NULL, 0, 0, "\"\"", NULL, RESTART, AT(srs.manifest),
     "The network's parameters.json: then every parameter file is hashed and compared before its first use."},
    {"srs.preload", CZ_SETTING_TEXT_LIST, NULL, 0, 0, "[]", NULL, RESTART, AT(srs.preload),
     "Circuits whose parameters are loaded at start, such as [\"winning-32g\"]; others are loaded when first needed."},
    {"srs.keep", CZ_SETTING_TEXT_LIST, NULL, 0, 0, "[]", NULL, RESTART, AT(srs.keep),
     "Circuits whose parameters stay in host memory once loaded, however short it gets. On a GPU those used longest ago make room, kept or not."},

    {"memory.total_budget", CZ_SETTING_AUTO_SIZE, "bytes", 64 * MIB, 64 * 1024 * GIB, "\"auto\"", NULL, RESTART, AT(memory.total_budget),
     "Host memory for parameters, circuits and proofs in work; \"auto\" is what the machine and its cgroup leave, less safety_margin."},
    {"memory.safety_margin", CZ_SETTING_SIZE, "bytes", 0, 1024 * GIB, "\"5GiB\"", NULL, RESTART, AT(memory.safety_margin),
     "Left to everything else when total_budget is \"auto\"; never more than a quarter of what there is."},
    {"memory.pinned_limit", CZ_SETTING_AUTO_SIZE, "bytes", 0, 64 * 1024 * GIB, "\"auto\"", NULL, RESTART, AT(memory.pinned_limit),
     "How much of total_budget may be page-locked, for what goes to GPUs; \"auto\" is a quarter."},
    {"memory.eviction_min_idle", CZ_SETTING_DURATION, NULL, 0, 7 * DAY_MS, "\"5m\"", NULL, LIVE, AT(memory.eviction_min_idle),
     "Parameters used within this time are not evicted from host memory for NORMAL and LOW jobs while other work can go on; on a GPU it is a minute."},

    {"gpus.backend", CZ_SETTING_CHOICE, NULL, 0, 0, "\"auto\"", "auto|cpu|cuda", RESTART, AT(gpus.backend),
     "\"auto\" uses GPUs where there are some, else the CPU, and says which; \"cuda\" refuses to start without a usable GPU; \"cpu\" uses none."},
    {"gpus.devices", CZ_SETTING_UINT_LIST, NULL, 0, 63, "[]", NULL, RESTART, AT(gpus.devices),
     "GPU numbers to use, such as [0, 1]; [] is all of them."},
    {"gpus.self_test", CZ_SETTING_BOOL, NULL, 0, 0, "true", NULL, RESTART, AT(gpus.self_test),
     "Before a GPU is used, let it prove a small circuit and compare with the CPU's proof; one that fails is not used."},
    {"gpus.folded", CZ_SETTING_CHOICE, NULL, 0, 0, "\"auto\"", "auto|off", RESTART, AT(gpus.folded),
     "\"auto\" lets GPUs use the .folded file that lies beside a .params file: proofs take less time and have the same bytes. `cuzk-bench params fold` makes it."},
    {"gpus.gpu_threads", CZ_SETTING_UINT, "threads", 0, 4096, "0", NULL, RESTART, AT(gpus.gpu_threads),
     "CPU threads of the proving side; 0 is all CPUs of this process."},
    {"gpus.vram_budget", CZ_SETTING_AUTO_SIZE, "bytes", 64 * MIB, 1024 * GIB, "\"auto\"", NULL, RESTART, AT(gpus.vram_budget),
     "Memory of each GPU for parameters and proofs; \"auto\" is what is free at start less 1.5 GiB, or less a tenth where that is less. One large circuit may fill it. A circuit that fits no GPU is proved on the CPU."},
    {"gpus.gpu_workers_per_device", CZ_SETTING_UINT, "workers", 1, 8, "1", NULL, RESTART, AT(gpus.gpu_workers_per_device),
     "Workers a GPU. Its proofs go one at a time; a further worker holds the next partition ready. The CPU backend has one."},

    {"scheduler.max_batch_size", CZ_SETTING_UINT, "jobs", 1, 64, "1", NULL, LIVE, AT(scheduler.max_batch_size),
     "PoRep or Snap jobs of one circuit that are collected before they start; 1 starts each at once. PoSt never waits."},
    {"scheduler.max_batch_wait_ms", CZ_SETTING_UINT, "milliseconds", 0, DAY_MS, "10000", NULL, LIVE, AT(scheduler.max_batch_wait_ms),
     "How long the first job of a batch waits for others."},
    {"scheduler.sort_by_type", CZ_SETTING_BOOL, NULL, 0, 0, "true", NULL, LIVE, AT(scheduler.sort_by_type),
     "Among NORMAL jobs, those whose parameters are in memory may go before older ones whose are not, for a while."},
    {"scheduler.max_queue", CZ_SETTING_UINT, "jobs", 1, 1000000, "1000", NULL, LIVE, AT(scheduler.max_queue),
     "Accepted jobs that have not ended; more are refused until some end. Without a journal their requests may take a quarter of memory.total_budget, too."},
    {"scheduler.watchdog", CZ_SETTING_DURATION, NULL, 1000, 7 * DAY_MS, "\"30m\"", NULL, LIVE, AT(scheduler.watchdog),
     "A stage that takes longer is reported as stalled."},

    {"synthesis.threads", CZ_SETTING_UINT, "threads", 0, 4096, "0", NULL, RESTART, AT(synthesis.threads),
     "CPU threads that decode requests and compute witnesses; 0 is all CPUs of this process."},
    {"synthesis.circuit_cache", CZ_SETTING_PATH, NULL, 0, 0, "\"auto\"", NULL, RESTART, AT(synthesis.circuit_cache),
     "Folder of compiled circuits, a file of at most 64 MiB each, made at a circuit's first use; \"auto\" is the service's or user's cache folder, \"none\" keeps none."},

    {"pipeline.enabled", CZ_SETTING_BOOL, NULL, 0, 0, "true", NULL, RESTART, AT(pipeline.enabled),
     "Compute the witness of a partition while another is being proved."},
    {"pipeline.synthesis_lookahead", CZ_SETTING_UINT, "partitions", 0, 32, "1", NULL, RESTART, AT(pipeline.synthesis_lookahead),
     "Partitions with a witness that may wait for a prover; 0 is the same as enabled = false."},
    {"pipeline.synthesis_concurrency", CZ_SETTING_UINT, "partitions", 1, 64, "1", NULL, RESTART, AT(pipeline.synthesis_concurrency),
     "Partitions whose witness is computed at once, memory permitting."},

    {"journal.dir", CZ_SETTING_PATH, NULL, 0, 0, "\"auto\"", NULL, RESTART, AT(journal.dir),
     "Folder of the journal, by which accepted jobs survive a crash; \"auto\" is the service's or user's state folder, \"none\" keeps none: requests then stay in memory, at most a quarter of memory.total_budget, until their jobs have ended."},
    {"journal.keep_results", CZ_SETTING_DURATION, NULL, 0, 365 * DAY_MS, "\"24h\"", NULL, LIVE, AT(journal.keep_results),
     "How long a finished proof can be asked for again."},

    {"logging.level", CZ_SETTING_CHOICE, NULL, 0, 0, "\"info\"", "trace|debug|info|warn|error", LIVE, AT(logging.level),
     "Least urgent lines that are logged; \"trace\" is the same as \"debug\"."},
    {"logging.format", CZ_SETTING_CHOICE, NULL, 0, 0, "\"text\"", "text|json", RESTART, AT(logging.format),
     "Lines for people, or one JSON object a line."},

    {"experiment.synthesis", CZ_SETTING_CHOICE, NULL, 0, 0, "\"compiled\"", "compiled|classic", RESTART, AT(experiment.synthesis),
     "For measurements, as all of this section: every proof is the same whatever it says. \"classic\" builds every linear combination and full vectors."},
    {"experiment.inline_terms", CZ_SETTING_UINT, "terms", 0, 4, "4", NULL, RESTART, AT(experiment.inline_terms),
     "Linear combinations of so many terms take no heap."},
    {"experiment.presize", CZ_SETTING_CHOICE, NULL, 0, 0, "\"off\"", "off|per_circuit|touched|sequential", RESTART, AT(experiment.presize),
     "Room for the vectors of the classic synthesis: by doubling, all at once, all at once with every page touched, or that for one circuit after the other."},
    {"experiment.b2", CZ_SETTING_CHOICE, NULL, 0, 0, "\"parallel\"", "parallel|serial", RESTART, AT(experiment.b2),
     "The sum over B2 by all threads, or by one."},
    {"experiment.pin", CZ_SETTING_CHOICE, NULL, 0, 0, "\"off\"", "off|per_proof|pooled", RESTART, AT(experiment.pin),
     "Page-lock the vectors a, b and c: not at all, for each proof, or once in a pool of vectors that stay."},
    {"experiment.msm_window", CZ_SETTING_CHOICE, NULL, 0, 0, "\"by_size\"", "by_size|fixed|table", RESTART, AT(experiment.msm_window),
     "Window of sums with full scalars: the one with the fewest additions, msm_window_bits, or the logarithm of the size."},
    {"experiment.msm_window_bits", CZ_SETTING_UINT, "bits", 2, 20, "16", NULL, RESTART, AT(experiment.msm_window_bits),
     "The window of msm_window = \"fixed\"."},
    {"experiment.slow_down_percent", CZ_SETTING_UINT, "percent", 0, 1000, "0", NULL, RESTART, AT(experiment.slow_down_percent),
     "Make every proof longer by this share of its time, to test that the laboratory notices."},
};

static const cz_old_setting old_settings[] = {
    {"memory.pinned_budget", "memory.pinned_limit", false, "is now memory.pinned_limit"},
    {"memory.working_memory_budget", NULL, false,
     "has no effect: memory.total_budget bounds all work"},
    {"synthesis.partition_workers", "pipeline.synthesis_concurrency", true,
     "is now pipeline.synthesis_concurrency"},
    {"pipeline.max_parallel_synthesis", "pipeline.synthesis_concurrency", true,
     "is now pipeline.synthesis_concurrency"},
    {"pipeline.slot_size", "pipeline.synthesis_lookahead", true,
     "is now pipeline.synthesis_lookahead"},
    {"pipeline.max_gpu_queue_depth", "pipeline.synthesis_lookahead", true,
     "is now pipeline.synthesis_lookahead"},
};
/* clang-format on */

const cz_setting *cz_settings(size_t *n)
{
    *n = sizeof settings / sizeof *settings;
    return settings;
}

const cz_setting *cz_setting_find(const char *name)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strcmp(settings[i].name, name) == 0)
            return &settings[i];
    return NULL;
}

const cz_old_setting *cz_old_settings(size_t *n)
{
    *n = sizeof old_settings / sizeof *old_settings;
    return old_settings;
}
