/* porep_label.c: the label of a node, outside of a circuit. */
#include "filecoin/porep_label.h"

#include <string.h>

#include "base/bytes.h"
#include "hash/sha256.h"

void cz_porep_label_parents(cz_fr out[CZ_LABEL_PARENTS], const cz_fr *const columns[CZ_PARENTS],
                            unsigned row)
{
    const unsigned n = row == 0 ? CZ_DRG_PARENTS : CZ_PARENTS;

    for (unsigned i = 0; i < CZ_LABEL_PARENTS; i++) {
        const unsigned parent = i % n;

        out[i] = columns[parent][parent < CZ_DRG_PARENTS ? row : row - 1];
    }
}

static void begin(cz_sha256 *s, const uint8_t replica_id[32], uint32_t layer, uint64_t node)
{
    uint8_t block[64] = {0};

    memcpy(block, replica_id, 32);
    cz_store_be32(block + 32, layer);
    cz_store_be64(block + 36, node);
    cz_sha256_init(s);
    cz_sha256_update(s, block, sizeof block);
}

static void end(cz_fr *out, cz_sha256 *s)
{
    uint8_t digest[32];

    cz_sha256_final(s, digest);
    digest[31] &= 0x3f;
    cz_fr_from_le_mod(out, digest);
}

void cz_porep_label(cz_fr *out, const uint8_t replica_id[32], uint32_t layer, uint64_t node,
                    const cz_fr parents[CZ_LABEL_PARENTS])
{
    cz_sha256 s;

    begin(&s, replica_id, layer, node);
    for (unsigned i = 0; i < CZ_LABEL_PARENTS; i++) {
        uint8_t bytes[32];

        cz_fr_to_le(bytes, &parents[i]);
        cz_sha256_update(&s, bytes, sizeof bytes);
    }
    end(out, &s);
}

void cz_porep_label_of_first(cz_fr *out, const uint8_t replica_id[32], uint32_t layer)
{
    cz_sha256 s;

    begin(&s, replica_id, layer, 0);
    end(out, &s);
}
