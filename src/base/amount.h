/* amount.h: amounts for people to read. Threads: any. */
#ifndef CZ_BASE_AMOUNT_H
#define CZ_BASE_AMOUNT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CZ_AMOUNT_BYTES = 24 };

/** "1.50 GiB", "2.6 MiB", "912.0 KiB", "17 bytes": rounded, in the largest unit that it has one of
 * (GiB at most). Gives `out`. */
const char *cz_amount(char out[CZ_AMOUNT_BYTES], uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
