/* amount.c: see amount.h. */
#include "base/amount.h"

#include <inttypes.h>
#include <stdio.h>

const char *cz_amount(char out[CZ_AMOUNT_BYTES], uint64_t bytes)
{
    const double n = (double)bytes;

    if (bytes >> 30 != 0)
        (void)snprintf(out, CZ_AMOUNT_BYTES, "%.2f GiB", n / (1 << 30));
    else if (bytes >> 20 != 0)
        (void)snprintf(out, CZ_AMOUNT_BYTES, "%.1f MiB", n / (1 << 20));
    else if (bytes >> 10 != 0)
        (void)snprintf(out, CZ_AMOUNT_BYTES, "%.1f KiB", n / (1 << 10));
    else
        (void)snprintf(out, CZ_AMOUNT_BYTES, "%" PRIu64 " bytes", bytes);
    return out;
}
