/* limits.h: what this machine can do at most, measured: what a kernel's time is compared with.
 *
 * Rates are those of all threads of a pool together, each running nothing but the operation in
 * question for a few hundredths of a second. They hold for this moment: clocks and neighbours
 * change them. */
#ifndef CZ_BASE_LIMITS_H
#define CZ_BASE_LIMITS_H

#include "base/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double multiply_adds; /* eight-lane 52-bit multiply-adds a second; 0 without AVX-512 IFMA */
    double products;      /* 64 x 64 bit products a second */
    double bytes;         /* bytes a second of a long copy, those read and those written */
} cz_limits;

/** Takes about a quarter of a second, and 64 MiB a thread. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_limits_measure(cz_limits *out, cz_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
