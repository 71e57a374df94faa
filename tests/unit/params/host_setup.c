/* host_setup.c: see host_setup.h. */
#include "host_setup.h"

#include "params/setup_device.h"

cz_err host_setup_multiples(cz_gpu *gpu, int g2, void *bytes, const void *table, unsigned c,
                            const void *scalars, size_t n, void *scratch)
{
    const size_t chains = (n + CZ_SETUP_CHAIN - 1) / CZ_SETUP_CHAIN;
    uint32_t *sums = scratch, *running = sums + 4 * (size_t)(g2 ? 24 : 12) * n;
    const uint32_t *scalar = scalars;

    (void)gpu;
    for (size_t i = 0; i < n; i++, scalar += 8) {
        if (g2)
            cz_setup_g2_multiple(sums, i, table, c, scalar, 1);
        else
            cz_setup_g1_multiple(sums, i, table, c, scalar, 1);
    }
    for (size_t i = 0; i < chains; i++) {
        if (g2)
            cz_setup_g2_encode(bytes, sums, running, n, i, chains, 1);
        else
            cz_setup_g1_encode(bytes, sums, running, n, i, chains, 1);
    }
    return CZ_OK;
}
