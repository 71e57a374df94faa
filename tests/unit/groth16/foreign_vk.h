/* foreign_vk.h: verifying keys with compressed points, as other projects publish them. */
#ifndef CZ_TESTS_FOREIGN_VK_H
#define CZ_TESTS_FOREIGN_VK_H

#include <stdlib.h>

#include "base/bytes.h"
#include "params/params.h"
#include "support.h"

/* alpha_g1 48, beta_g1 48, beta_g2 96, gamma_g2 96, delta_g1 48, delta_g2 96, u32 BE count, ic 48
 * each. */
static inline void foreign_vk(cz_vk *vk, const uint8_t *bytes, size_t n)
{
    assert_true(n >= 436);
    assert_ok(cz_g1_decompress(&vk->alpha_g1, bytes));
    assert_ok(cz_g1_decompress(&vk->beta_g1, bytes + 48));
    assert_ok(cz_g2_decompress(&vk->beta_g2, bytes + 96));
    assert_ok(cz_g2_decompress(&vk->gamma_g2, bytes + 192));
    assert_ok(cz_g1_decompress(&vk->delta_g1, bytes + 288));
    assert_ok(cz_g2_decompress(&vk->delta_g2, bytes + 336));
    vk->n_ic = cz_load_be32(bytes + 432);
    assert_true(436 + (size_t)vk->n_ic * 48 <= n);
    vk->ic = malloc(vk->n_ic * sizeof *vk->ic);
    assert_non_null(vk->ic);
    for (uint32_t i = 0; i < vk->n_ic; i++)
        assert_ok(cz_g1_decompress(&vk->ic[i], bytes + 436 + (size_t)i * 48));
}

#endif
