#include "params/origin.h"

#include <string.h>

#include "hash/sha256.h"

enum { PREFIX_BYTES = 2 * CZ_G1_UNCOMPRESSED_BYTES + 2 * CZ_G2_UNCOMPRESSED_BYTES };

/* SHA-256 of the first 576 bytes of the network's .vk files: alpha_g1, beta_g1, beta_g2, gamma_g2.
 * Source: the output of Filecoin's phase 1 (filecoin-phase2, phase1radix2m*), whose tau is that of
 * the network's proof aggregation. */
static const uint8_t network_prefix[32] = {
    0xba, 0x71, 0x47, 0x60, 0x70, 0xd5, 0xe3, 0xf5, 0x00, 0x65, 0xc0, 0xd5, 0x1d, 0x7b, 0xd1, 0x93,
    0xe5, 0x6a, 0x1c, 0xdd, 0xc7, 0x27, 0x47, 0x00, 0x4a, 0xf7, 0x1d, 0xd2, 0xa4, 0x9e, 0x52, 0xaa};

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_of_the_ceremony(const char *id)
{
    return (ends_with(id, "-32g") || ends_with(id, "-64g")) &&
           strncmp(id, "snap-poseidon-", strlen("snap-poseidon-")) != 0;
}

static bool has_network_prefix(const cz_vk *vk)
{
    uint8_t bytes[PREFIX_BYTES], digest[32];
    uint8_t *at = bytes;

    cz_g1_serialize(at, &vk->alpha_g1);
    at += CZ_G1_UNCOMPRESSED_BYTES;
    cz_g1_serialize(at, &vk->beta_g1);
    at += CZ_G1_UNCOMPRESSED_BYTES;
    cz_g2_serialize(at, &vk->beta_g2);
    at += CZ_G2_UNCOMPRESSED_BYTES;
    cz_g2_serialize(at, &vk->gamma_g2);
    cz_sha256_of(digest, bytes, sizeof bytes);
    return memcmp(digest, network_prefix, sizeof digest) == 0;
}

cz_params_origin cz_params_origin_of(const cz_params *p)
{
    const char *id = cz_params_circuit_id(p);

    if (id == NULL || !is_of_the_ceremony(id))
        return CZ_ORIGIN_UNKNOWN;
    return has_network_prefix(&p->vk) ? CZ_ORIGIN_NETWORK : CZ_ORIGIN_OTHER;
}
