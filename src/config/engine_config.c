/* engine_config.c: see engine_config.h. */
#include "config/engine_config.h"

#include "engine/budget.h"

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

cz_err cz_config_engine(cz_engine_options *out, const cz_config *config)
{
    CZ_TRY(cz_config_budget(&out->host_bytes, config));
    out->synthesis_workers = (unsigned)config->pipeline.synthesis_concurrency;
    out->lookahead = (unsigned)config->pipeline.synthesis_lookahead;
    out->pipelined = config->pipeline.enabled && out->lookahead > 0;
    out->keep = (const char *const *)config->srs.keep.items;
    out->n_keep = config->srs.keep.n;
    out->tuning = cz_config_tuning(config);
    return CZ_OK;
}
