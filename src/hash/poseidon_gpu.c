/* poseidon_gpu.c: see poseidon_gpu.h. */
#include "hash/poseidon_gpu.h"

#include <string.h>

_Static_assert(sizeof(cz_fr) == sizeof(cz_fr32), "devices take the host's elements as they are");
_Static_assert(2 * CZ_POSEIDON_DEVICE_HALF == CZ_POSEIDON_FULL_ROUNDS, "rounds");

static size_t n_compressed(const cz_poseidon_constants *k)
{
    return (size_t)CZ_POSEIDON_FULL_ROUNDS * k->width + k->partial_rounds;
}

static size_t n_dense(const cz_poseidon_constants *k)
{
    return (size_t)k->width * k->width;
}

size_t cz_poseidon_device_elements(const cz_poseidon_constants *k)
{
    return 1 + n_compressed(k) + 2 * n_dense(k) + (size_t)k->partial_rounds * (2 * k->width - 1);
}

static cz_fr *put(cz_fr *to, const cz_fr *from, size_t n)
{
    memcpy(to, from, n * sizeof *from);
    return to + n;
}

void cz_poseidon_device_pack(cz_fr *out, const cz_poseidon_constants *k)
{
    CZ_ASSERT(k->width <= CZ_POSEIDON_DEVICE_WIDTH);
    out = put(out, &k->domain_tag, 1);
    out = put(out, k->compressed, n_compressed(k));
    out = put(out, k->mds, n_dense(k));
    out = put(out, k->pre_sparse, n_dense(k));
    for (unsigned i = 0; i < k->partial_rounds; i++) {
        out = put(out, k->sparse[i].w_hat, k->width);
        out = put(out, k->sparse[i].v_rest, k->width - 1);
    }
}

cz_poseidon_device cz_poseidon_device_at(const cz_fr *d_vector, const cz_poseidon_constants *k)
{
    const cz_fr32 *tag = (const cz_fr32 *)(const void *)d_vector;
    const cz_fr32 *compressed = tag + 1, *mds = compressed + n_compressed(k);

    return (cz_poseidon_device){.width = k->width,
                                .partial_rounds = k->partial_rounds,
                                .tag = tag,
                                .compressed = compressed,
                                .mds = mds,
                                .pre_sparse = mds + n_dense(k),
                                .sparse = mds + 2 * n_dense(k)};
}
