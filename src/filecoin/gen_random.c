/* gen_random.c: field elements that follow from a seed; see gen_random.h. */
#include "filecoin/gen_random.h"

#include "base/bytes.h"
#include "hash/sha256.h"

void cz_gen_bytes32(uint8_t out[32], const cz_gen_stream *s, uint64_t a, uint64_t b)
{
    uint8_t numbers[32];
    cz_sha256 h;

    cz_store_le64(numbers, s->seed);
    cz_store_le64(numbers + 8, s->which);
    cz_store_le64(numbers + 16, a);
    cz_store_le64(numbers + 24, b);
    cz_sha256_init(&h);
    cz_sha256_update(&h, "cuzk gen-vanilla ", 17);
    cz_sha256_update(&h, s->purpose, strlen(s->purpose));
    cz_sha256_update(&h, numbers, sizeof numbers);
    cz_sha256_final(&h, out);
    out[31] &= 0x3f;
}

void cz_gen_element(cz_fr *out, const cz_gen_stream *s, uint64_t a, uint64_t b)
{
    uint8_t bytes[32];

    cz_gen_bytes32(bytes, s, a, b);
    cz_fr_from_le_mod(out, bytes);
}

uint64_t cz_gen_u64(const cz_gen_stream *s, uint64_t a, uint64_t b)
{
    uint8_t bytes[32];

    cz_gen_bytes32(bytes, s, a, b);
    return cz_load_le64(bytes);
}
