/* feistel.c: the keyed permutation of the expander graph; see feistel.h. */
#include "filecoin/feistel.h"

#include <string.h>

#include "base/bytes.h"
#include "hash/blake2b.h"

void cz_feistel_init(cz_feistel *f, uint64_t n, const uint64_t keys[4])
{
    f->n = n;
    memcpy(f->keys, keys, sizeof f->keys);
    f->half_bits = 1;
    while (UINT64_C(1) << (2 * f->half_bits) < n)
        f->half_bits++;
}

static cz_err round_function(uint64_t right, uint64_t key, uint64_t *out)
{
    uint8_t message[16], digest[64];

    cz_store_be64(message, right);
    cz_store_be64(message + 8, key);
    CZ_TRY(cz_blake2b_of(digest, message, sizeof message));
    *out = cz_load_be64(digest);
    return CZ_OK;
}

static cz_err encode(const cz_feistel *f, uint64_t index, uint64_t *out)
{
    const uint64_t mask = (UINT64_C(1) << f->half_bits) - 1;
    uint64_t left = index >> f->half_bits & mask;
    uint64_t right = index & mask;

    for (unsigned i = 0; i < CZ_FEISTEL_ROUNDS; i++) {
        uint64_t mixed = 0;

        CZ_TRY(round_function(right, f->keys[i], &mixed));
        mixed = left ^ (mixed & mask);
        left = right;
        right = mixed;
    }
    *out = left << f->half_bits | right;
    return CZ_OK;
}

cz_err cz_feistel_permute(const cz_feistel *f, uint64_t index, uint64_t *out)
{
    uint64_t u = index;

    do
        CZ_TRY(encode(f, u, &u));
    while (u >= f->n);
    *out = u;
    return CZ_OK;
}
