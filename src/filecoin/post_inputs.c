/* post_inputs.c: a PoSt's challenges and public inputs out of its statement. */
#include "filecoin/post_inputs.h"

#include <string.h>

#include "base/bytes.h"
#include "hash/sha256.h"

cz_post_dims cz_post_dims_of(cz_proof_kind kind, const cz_sector_shape *shape)
{
    if (kind == CZ_KIND_WINNING)
        return (cz_post_dims){CZ_WINNING_CHALLENGES, 1};
    CZ_ASSERT(kind == CZ_KIND_WINDOW);
    return (cz_post_dims){shape->window_sectors, CZ_WINDOW_CHALLENGES};
}

void cz_post_randomness(uint8_t out[32], const uint8_t randomness[32])
{
    memcpy(out, randomness, 32);
    out[31] &= 0x3f;
}

unsigned cz_post_openings(cz_proof_kind kind)
{
    return kind == CZ_KIND_WINNING ? CZ_WINNING_CHALLENGES : CZ_WINDOW_CHALLENGES;
}

/* A winning proof has one sector, number 0, so the rules agree. */
static uint64_t challenge_index(const cz_post_statement *s, size_t i, unsigned n)
{
    return s->api == CZ_API_1_2 ? n : (s->first_index + i) * CZ_WINDOW_CHALLENGES + n;
}

uint64_t cz_post_challenge(const cz_post_statement *s, size_t i, uint64_t sector_number, unsigned n)
{
    uint8_t block[48], digest[32];

    memcpy(block, s->randomness, 32);
    cz_store_le64(block + 32, sector_number);
    cz_store_le64(block + 40, challenge_index(s, i, n));
    cz_sha256_of(digest, block, sizeof block);
    return cz_load_le64(digest) % s->shape->nodes;
}

cz_post_place cz_post_place_of(cz_proof_kind kind, size_t n_sectors, size_t sector,
                               unsigned challenge)
{
    if (kind == CZ_KIND_WINNING)
        return (cz_post_place){0, (unsigned)sector};
    return (cz_post_place){sector < n_sectors ? sector : n_sectors - 1, challenge};
}

size_t cz_post_n_inputs(cz_proof_kind kind, const cz_sector_shape *shape)
{
    const cz_post_dims dims = cz_post_dims_of(kind, shape);

    return (size_t)dims.sectors * (1 + dims.challenges);
}

void cz_post_inputs(cz_fr *out, const cz_post_statement *s, const cz_post_public_sector *sectors,
                    size_t n_sectors)
{
    const cz_post_dims dims = cz_post_dims_of(s->kind, s->shape);

    for (size_t i = 0; i < dims.sectors; i++) {
        const cz_post_place first = cz_post_place_of(s->kind, n_sectors, i, 0);

        *out++ = sectors[first.sector].comm_r;
        for (unsigned n = 0; n < dims.challenges; n++) {
            const cz_post_place at = cz_post_place_of(s->kind, n_sectors, i, n);

            cz_fr_from_u64(out++,
                           cz_post_challenge(s, at.sector, sectors[at.sector].number, at.opening));
        }
    }
}
