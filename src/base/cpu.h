/* cpu.h: which instruction sets this process may use.
 *
 * The environment variable CUZK_CPU caps what is used, so that tests reach every variant on one
 * machine: "portable" (plain C only), "adx" (BMI2, ADX, SHA), "ifma" (all; as when unset). It never
 * adds what the CPU lacks. Read once, at the first call; any thread. */
#ifndef CZ_BASE_CPU_H
#define CZ_BASE_CPU_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CZ_CPU_BMI2,
    CZ_CPU_ADX,
    CZ_CPU_SHA,        /* the SHA extensions, with SSE4.1 */
    CZ_CPU_AVX512IFMA, /* AVX-512 F, DQ, BW, VL and IFMA, and an operating system that saves them */
    CZ_CPU_FEATURE_COUNT
} cz_cpu_feature;

bool cz_cpu_has(cz_cpu_feature feature);

/** "bmi2", "adx", … */
const char *cz_cpu_feature_name(cz_cpu_feature feature);

#ifdef __cplusplus
}
#endif
#endif
