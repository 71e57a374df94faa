/* setting_value.h: one setting: from TOML, to TOML, copied, compared; inside config/. */
#ifndef CZ_CONFIG_SETTING_VALUE_H
#define CZ_CONFIG_SETTING_VALUE_H

#include "config/settings.h"
#include "config/toml.h"

/** Check the value and store it in its field. The message says only what is wrong with it. */
CZ_MUST_CHECK cz_err cz_setting_set(cz_config *config, const cz_setting *s,
                                    const cz_toml_value *value);

/** As TOML. CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_setting_print(const cz_config *config, const cz_setting *s, FILE *out);

CZ_MUST_CHECK cz_err cz_setting_copy(cz_config *to, const cz_config *from, const cz_setting *s);
bool cz_setting_equal(const cz_config *a, const cz_config *b, const cz_setting *s);

/** Free what the field owns and zero it. */
void cz_setting_clear(cz_config *config, const cz_setting *s);

#endif
