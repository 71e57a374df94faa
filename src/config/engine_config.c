/* engine_config.c: see engine_config.h. */
#include "config/engine_config.h"

#include <string.h>

#include "engine/budget.h"
#include "filecoin/job.h"

cz_engine_tuning cz_config_tuning(const cz_config *config)
{
    return (cz_engine_tuning){
        .max_batch_size = (unsigned)config->scheduler.max_batch_size,
        .max_batch_wait_ms = config->scheduler.max_batch_wait_ms,
        .sort_by_type = config->scheduler.sort_by_type,
        .max_queue = config->scheduler.max_queue,
        .watchdog_ms = config->scheduler.watchdog,
        .eviction_min_idle_ms = config->memory.eviction_min_idle,
        .keep_results_ms = config->journal.keep_results,
    };
}

cz_err cz_config_budget(uint64_t *bytes, const cz_config *config)
{
    uint64_t available;

    *bytes = config->memory.total_budget;
    if (config->memory.total_budget != CZ_SIZE_AUTO)
        return CZ_OK;
    available = cz_memory_available("");
    if (available == 0)
        return cz_fail(CZ_E_INPUT, "memory.total_budget: \"auto\" finds neither /proc/meminfo nor "
                                   "a memory control group; give a size");
    *bytes = cz_memory_auto_budget(available, config->memory.safety_margin);
    return CZ_OK;
}

/* The place of `choice` among the choices of the setting; it was checked when it was read. */
static unsigned choice_number(const char *const choices[], const char *choice)
{
    unsigned i = 0;

    while (choices[i + 1] != NULL && strcmp(choices[i], choice) != 0)
        i++;
    return i;
}

cz_experiment cz_config_experiment(const cz_config *config)
{
    static const char *const presizes[] = {"off", "per_circuit", "touched", "sequential", NULL};
    static const char *const pins[] = {"off", "per_proof", "pooled", NULL};
    static const char *const windows[] = {"by_size", "fixed", "table", NULL};

    return (cz_experiment){
        .classic = strcmp(config->experiment.synthesis, "classic") == 0,
        .inline_terms = (unsigned)config->experiment.inline_terms,
        .presize = (cz_presize)choice_number(presizes, config->experiment.presize),
        .b2_serial = strcmp(config->experiment.b2, "serial") == 0,
        .pin = (cz_pin_mode)choice_number(pins, config->experiment.pin),
        .window = (cz_msm_window)choice_number(windows, config->experiment.msm_window),
        .window_bits = (unsigned)config->experiment.msm_window_bits,
        .slow_down_percent = (unsigned)config->experiment.slow_down_percent};
}

cz_device_options cz_config_devices(const cz_config *config)
{
    const bool is_auto = config->gpus.vram_budget == CZ_SIZE_AUTO;

    return (cz_device_options){.numbers = config->gpus.devices.items,
                               .n_numbers = config->gpus.devices.n,
                               .vram_budget = is_auto ? 0 : config->gpus.vram_budget,
                               .workers = (unsigned)config->gpus.gpu_workers_per_device,
                               .self_test = config->gpus.self_test,
                               .folded = strcmp(config->gpus.folded, "off") != 0,
                               .required = strcmp(config->gpus.backend, "cuda") == 0};
}

cz_err cz_config_pinned_limit(uint64_t *bytes, const cz_config *config)
{
    *bytes = config->memory.pinned_limit;
    if (*bytes != CZ_SIZE_AUTO)
        return CZ_OK;
    CZ_TRY(cz_config_budget(bytes, config));
    *bytes /= 4;
    return CZ_OK;
}

static cz_err check_circuits(const cz_text_list *ids, const char *setting)
{
    char name[CZ_CACHE_NAME_MAX];

    for (size_t i = 0; i < ids->n; i++)
        if (cz_circuit_cache_name(name, sizeof name, ids->items[i]) != CZ_OK)
            return cz_fail(CZ_E_INPUT,
                           "%s: \"%s\" is no circuit; `cuzk-bench circuit list` prints their ids",
                           setting, ids->items[i]);
    return CZ_OK;
}

cz_err cz_config_engine(cz_engine_options *out, const cz_config *config)
{
    CZ_TRY(check_circuits(&config->srs.preload, "srs.preload"));
    CZ_TRY(check_circuits(&config->srs.keep, "srs.keep"));
    CZ_TRY(cz_config_budget(&out->host_bytes, config));
    out->synthesis_workers = (unsigned)config->pipeline.synthesis_concurrency;
    out->lookahead = (unsigned)config->pipeline.synthesis_lookahead;
    out->pipelined = config->pipeline.enabled && out->lookahead > 0;
    out->keep = (const char *const *)config->srs.keep.items;
    out->n_keep = config->srs.keep.n;
    out->tuning = cz_config_tuning(config);
    return CZ_OK;
}
