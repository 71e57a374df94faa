/* config.h: the daemon's settings: one table, one struct, one reader.
 *
 * settings.c holds the table: name, type, bounds, default, whether a change takes effect without a
 * restart, and a line of help. Reading, checking, printing and live change all walk it; so does the
 * example file (cz_config_print with every default), which a test compares with the one in the
 * repository.
 *
 * A file may give any subset of the settings. An unknown key, a wrong type, a bad unit or a value
 * out of bounds is CZ_E_INPUT "file:line: key: …". Keys that earlier engines had are understood:
 * they warn, and set what they correspond to unless that is given too.
 *
 * Threads: a config belongs to its caller. */
#ifndef CZ_CONFIG_CONFIG_H
#define CZ_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { CZ_CONFIG_PATH_BYTES = 4096 }; /* room for a folder's path */

/* A size that the program finds itself ("auto" in the file). */
#define CZ_SIZE_AUTO UINT64_MAX

typedef struct {
    char **items;
    size_t n;
} cz_text_list;

typedef struct {
    uint32_t *items;
    size_t n;
} cz_uint_list;

/* Texts and lists are owned; texts are never NULL. Durations are milliseconds, sizes bytes. */
typedef struct {
    struct {
        char *listen, *socket_mode, *status_listen;
        char *tls_cert, *tls_key, *tls_client_ca, *token_file;
        bool insecure;
        uint64_t max_message;
        uint64_t drain_timeout;
    } daemon;
    struct {
        char *param_cache, *manifest;
        cz_text_list preload, keep;
    } srs;
    struct {
        uint64_t total_budget, safety_margin, pinned_limit;
        uint64_t eviction_min_idle;
    } memory;
    struct {
        char *backend, *folded;
        cz_uint_list devices;
        uint64_t vram_budget;
        uint64_t gpu_threads, gpu_workers_per_device;
        bool self_test;
    } gpus;
    struct {
        uint64_t max_batch_size, max_batch_wait_ms;
        bool sort_by_type;
        uint64_t max_queue;
        uint64_t watchdog;
    } scheduler;
    struct {
        uint64_t threads;
        char *circuit_cache;
    } synthesis;
    struct {
        bool enabled;
        uint64_t synthesis_lookahead, synthesis_concurrency;
    } pipeline;
    struct {
        char *dir;
        uint64_t keep_results;
    } journal;
    struct {
        char *level, *format;
    } logging;
    struct {
        char *synthesis, *presize, *b2, *pin, *msm_window;
        uint64_t inline_terms, msm_window_bits, slow_down_percent;
    } experiment;
} cz_config;

/** Called for every deprecated key: a sentence "file:line: key: …". May be NULL: warnings are
 * logged. */
typedef void (*cz_config_warn_fn)(void *ctx, const char *sentence);

/** Every setting at its default. */
CZ_MUST_CHECK cz_err cz_config_init(cz_config *out);
void cz_config_clear(cz_config *config);

/** A file, or text with a name for messages. On error *out is cleared. CZ_E_NOTFOUND, CZ_E_IO,
 * CZ_E_INPUT, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_config_read(cz_config *out, const char *path, cz_config_warn_fn warn,
                                    void *ctx);
CZ_MUST_CHECK cz_err cz_config_parse(cz_config *out, const char *text, size_t n, const char *file,
                                     cz_config_warn_fn warn, void *ctx);

/** The whole config as a commented TOML file that reads back to the same config. CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_config_print(const cz_config *config, FILE *out);

/** Take over the live settings of `fresh`; `restart` (may be NULL) is called with the name of each
 * changed setting that waits for a restart. On CZ_E_NOMEM
 * some are taken over. */
CZ_MUST_CHECK cz_err cz_config_apply_live(cz_config *config, const cz_config *fresh,
                                          cz_config_warn_fn restart, void *ctx);

/** The folder with the parameter files: the environment's FIL_PROOFS_PARAMETER_CACHE, else
 * srs.param_cache, else the network's usual folder. Valid as long as both. */
const char *cz_config_param_cache(const cz_config *config);

/** The folder of compiled circuits into out: synthesis.circuit_cache, else $CACHE_DIRECTORY, else
 * "cuzk" in $XDG_CACHE_HOME or in ~/.cache. "" when it is "none", or no folder can be told.
 * CZ_E_INPUT when the path is too long. */
CZ_MUST_CHECK cz_err cz_config_circuit_cache(const cz_config *config, char *out, size_t out_size);

/** The journal's folder into out: journal.dir, else $STATE_DIRECTORY, else the user's state folder.
 * "" when journal.dir is "none". CZ_E_INPUT when no folder can be told. */
CZ_MUST_CHECK cz_err cz_config_journal_dir(const cz_config *config, char *out, size_t out_size);

#endif
