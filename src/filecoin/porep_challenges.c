/* porep_challenges.c: the nodes that a PoRep must open; see porep_challenges.h. */
#include "filecoin/porep_challenges.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/bytes.h"
#include "filecoin/chacha.h"
#include "filecoin/registry.h"
#include "hash/sha256.h"

enum { SYNTHETIC_SET_SIZE = 1 << 18, CHALLENGE_BYTES = 32, SELECTION_BYTES = 4 };

/* A 256-bit little-endian number, mod nodes - 1, plus 1. */
static uint32_t to_challenge(const uint8_t number[CHALLENGE_BYTES], uint64_t nodes)
{
    const uint64_t m = nodes - 1;
    uint64_t rest = 0;

    for (unsigned i = CHALLENGE_BYTES / 4; i-- > 0;)
        rest = (rest << 32 | cz_load_le32(number + (size_t)4 * i)) % m;
    return (uint32_t)rest + 1;
}

static void hashed_challenge(uint32_t *out, const cz_porep_challenge_inputs *in,
                             const cz_sha256 *prefix, uint32_t j)
{
    uint8_t number[4], digest[32];
    cz_sha256 s = *prefix;

    cz_store_le32(number, j);
    cz_sha256_update(&s, number, sizeof number);
    cz_sha256_final(&s, digest);
    *out = to_challenge(digest, in->nodes);
}

static void interactive_prefix(cz_sha256 *s, const cz_porep_challenge_inputs *in)
{
    cz_sha256_init(s);
    cz_sha256_update(s, in->replica_id, 32);
    cz_sha256_update(s, in->seed, 32);
}

static void non_interactive_prefix(cz_sha256 *s, const cz_porep_challenge_inputs *in)
{
    static const char tag[] = "filecoin.io|PoRep|1|NonInteractive|1";

    cz_sha256_init(s);
    cz_sha256_update(s, tag, sizeof tag - 1);
    cz_sha256_update(s, in->replica_id, 32);
    cz_sha256_update(s, in->comm_r, 32);
}

/* BLAKE2b of 64 bytes under a key, cut to 32 bytes [RFC 7693]. */
static cz_err keyed_blake2b(uint8_t out[32], const char *key, const uint8_t a[32],
                            const uint8_t b[32])
{
    size_t size = 32;
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                 OSSL_PARAM_construct_end()};
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "BLAKE2BMAC", NULL);
    EVP_MAC_CTX *ctx = mac == NULL ? NULL : EVP_MAC_CTX_new(mac);
    const bool done = ctx != NULL &&
                      EVP_MAC_init(ctx, (const unsigned char *)key, strlen(key), params) == 1 &&
                      EVP_MAC_update(ctx, a, 32) == 1 && EVP_MAC_update(ctx, b, 32) == 1 &&
                      EVP_MAC_final(ctx, out, &size, 32) == 1;

    EVP_MAC_CTX_free(ctx);
    EVP_MAC_free(mac);
    return done ? CZ_OK : cz_fail(CZ_E_INTERNAL, "OpenSSL cannot compute keyed BLAKE2b");
}

static cz_err synthetic_stream(cz_chacha *stream, const char *key_tag, const uint8_t a[32],
                               const uint8_t b[32])
{
    static const uint8_t nonce[12] = "synth-porep";
    uint8_t key[32];

    CZ_TRY(keyed_blake2b(key, key_tag, a, b));
    cz_chacha20_init(stream, key, nonce);
    return CZ_OK;
}

static uint32_t synthetic_member(cz_chacha *generation, uint64_t nodes, uint32_t i)
{
    uint8_t number[CHALLENGE_BYTES];

    cz_chacha_seek(generation, (uint64_t)i * CHALLENGE_BYTES);
    cz_chacha_bytes(generation, number, sizeof number);
    return to_challenge(number, nodes);
}

static cz_err generation_stream(cz_chacha *stream, const cz_porep_challenge_inputs *in)
{
    return synthetic_stream(stream, "filecoin.io|PoRep|1|Synthetic|1|Generation", in->replica_id,
                            in->comm_r);
}

cz_err cz_synthetic_challenges(uint32_t *out, const cz_porep_challenge_inputs *in, uint32_t first,
                               uint32_t n)
{
    cz_chacha generation;

    CZ_TRY(generation_stream(&generation, in));
    for (uint32_t i = 0; i < n; i++)
        out[i] = synthetic_member(&generation, in->nodes, first + i);
    return CZ_OK;
}

cz_err cz_synthetic_selection(uint32_t *out, const cz_porep_challenge_inputs *in, uint32_t set_size,
                              uint32_t first, uint32_t n)
{
    cz_chacha selection, generation;

    CZ_TRY(synthetic_stream(&selection, "filecoin.io|PoRep|1|Synthetic|1|Selection", in->replica_id,
                            in->seed));
    CZ_TRY(generation_stream(&generation, in));
    cz_chacha_seek(&selection, (uint64_t)first * SELECTION_BYTES);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t number[SELECTION_BYTES];

        cz_chacha_bytes(&selection, number, sizeof number);
        out[i] = synthetic_member(&generation, in->nodes, cz_load_le32(number) % set_size);
    }
    return CZ_OK;
}

cz_err cz_porep_challenges(uint32_t *out, const cz_porep_challenge_inputs *in, uint32_t first,
                           uint32_t n)
{
    cz_sha256 prefix;

    if (in->features & CZ_FEATURE_SYNTHETIC) {
        const uint64_t nodes = in->nodes;

        return cz_synthetic_selection(
            out, in, nodes < SYNTHETIC_SET_SIZE ? (uint32_t)nodes : SYNTHETIC_SET_SIZE, first, n);
    }
    if (in->features & CZ_FEATURE_NON_INTERACTIVE)
        non_interactive_prefix(&prefix, in);
    else
        interactive_prefix(&prefix, in);
    for (uint32_t i = 0; i < n; i++)
        hashed_challenge(&out[i], in, &prefix, first + i);
    return CZ_OK;
}
