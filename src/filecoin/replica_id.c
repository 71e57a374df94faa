/* replica_id.c: the name of a replica; see replica_id.h. */
#include "filecoin/replica_id.h"

#include <string.h>

#include "base/bytes.h"
#include "hash/sha256.h"

void cz_prover_id(uint8_t out[32], uint64_t miner_id)
{
    memset(out, 0, 32);
    for (; miner_id >= 0x80; miner_id >>= 7)
        *out++ = (uint8_t)(miner_id | 0x80);
    *out = (uint8_t)miner_id;
}

void cz_replica_id(uint8_t out[32], const uint8_t prover_id[32], uint64_t sector_number,
                   const uint8_t ticket[32], const uint8_t comm_d[32], const uint8_t porep_id[32])
{
    uint8_t sector[8];
    cz_sha256 s;

    cz_store_be64(sector, sector_number);
    cz_sha256_init(&s);
    cz_sha256_update(&s, prover_id, 32);
    cz_sha256_update(&s, sector, sizeof sector);
    cz_sha256_update(&s, ticket, 32);
    cz_sha256_update(&s, comm_d, 32);
    cz_sha256_update(&s, porep_id, 32);
    cz_sha256_final(&s, out);
    out[31] &= 0x3f;
}
