/* engine_config.h: the settings as the engine takes them. */
#ifndef CZ_CONFIG_ENGINE_CONFIG_H
#define CZ_CONFIG_ENGINE_CONFIG_H

#include "config/config.h"
#include "engine/engine.h"
#include "engine/filecoin_prover.h"

/** What may change while the engine runs. */
cz_engine_tuning cz_config_tuning(const cz_config *config);

/** The memory budget in bytes: memory.total_budget, or what the machine and its control group leave
 * less the margin. CZ_E_INPUT when "auto" finds nothing to go by. */
CZ_MUST_CHECK cz_err cz_config_budget(uint64_t *bytes, const cz_config *config);

/** The switches of [experiment]. */
cz_experiment cz_config_experiment(const cz_config *config);

/** The settings of [gpus] for cz_filecoin_prover_open_devices, which gpus.backend = "cpu" leaves
 * out. The list belongs to the config. */
cz_device_options cz_config_devices(const cz_config *config);

/** memory.pinned_limit in bytes; "auto" is a quarter of the budget. CZ_E_INPUT as there. */
CZ_MUST_CHECK cz_err cz_config_pinned_limit(uint64_t *bytes, const cz_config *config);

/** Everything but prover, backends, journal and faults, which stay as they are in *out. `keep`
 * points into the config. CZ_E_INPUT names the setting, where srs.preload or srs.keep has an id
 * that is no circuit, or as cz_config_budget. */
CZ_MUST_CHECK cz_err cz_config_engine(cz_engine_options *out, const cz_config *config);

#endif
