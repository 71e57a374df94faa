/* graph.c: the parents of a node, drawn (same layer) and permuted (layer before); see graph.h. */
#include "filecoin/graph.h"

#include <string.h>

#include "base/bytes.h"
#include "filecoin/chacha.h"
#include "hash/sha256.h"

/* Of the 6 DRG parents one is the predecessor; the metagraph has a node for each other one. */
enum { SAMPLED = CZ_DRG_PARENTS - 1 };

static void domain_seed(uint8_t out[32], const char *tag, const uint8_t porep_id[32])
{
    cz_sha256 s;

    cz_sha256_init(&s);
    cz_sha256_update(&s, tag, strlen(tag));
    cz_sha256_update(&s, porep_id, 32);
    cz_sha256_final(&s, out);
}

void cz_graph_init(cz_graph *g, uint64_t nodes, const uint8_t porep_id[32], cz_api_version api)
{
    uint8_t seed[32];
    uint64_t keys[4];

    g->nodes = nodes;
    g->api = api;
    domain_seed(seed, "Filecoin_DRSample", porep_id);
    memcpy(g->drg_seed, seed, sizeof g->drg_seed);
    domain_seed(seed, "Filecoin_Feistel", porep_id);
    for (unsigned i = 0; i < 4; i++)
        keys[i] = cz_load_le64(seed + (size_t)8 * i);
    cz_feistel_init(&g->expander, nodes * CZ_EXP_PARENTS, keys);
}

/* Bits of x - 1: the logarithm of x, rounded up. x at least 2. */
static unsigned log2_ceil(uint64_t x)
{
    return 64u - (unsigned)__builtin_clzll(x - 1);
}

/* One parent: a bucket of distances in the metagraph, each twice the one before, then a distance in
 * it, both uniform. */
static uint32_t sample(cz_chacha *rng, uint32_t node)
{
    const uint64_t metanode = (uint64_t)node * SAMPLED;
    const uint64_t bucket = cz_chacha_u64(rng) % log2_ceil(metanode) + 1;
    const uint64_t power = UINT64_C(1) << bucket;
    const uint64_t largest = power < metanode ? power : metanode;
    const uint64_t smallest = largest / 2 > 2 ? largest / 2 : 2;
    const uint64_t distance = smallest + cz_chacha_u64(rng) % (largest - smallest + 1);
    const uint32_t parent = (uint32_t)((metanode - distance) / SAMPLED);

    return parent == node ? node - 1 : parent;
}

static void drg_parents(const cz_graph *g, uint32_t node, uint32_t out[CZ_DRG_PARENTS])
{
    const unsigned predecessor = g->api == CZ_API_1_0 ? SAMPLED : 0;
    const unsigned first_sampled = g->api == CZ_API_1_0 ? 0 : 1;
    uint8_t seed[32];
    cz_chacha rng;

    if (node < 2) {
        memset(out, 0, CZ_DRG_PARENTS * sizeof *out);
        return;
    }
    memcpy(seed, g->drg_seed, sizeof g->drg_seed);
    cz_store_le32(seed + sizeof g->drg_seed, node);
    cz_chacha8_init(&rng, seed);
    for (unsigned i = 0; i < SAMPLED; i++)
        out[first_sampled + i] = sample(&rng, node);
    out[predecessor] = node - 1;
}

static cz_err expander_parents(const cz_graph *g, uint32_t node, uint32_t out[CZ_EXP_PARENTS])
{
    for (unsigned i = 0; i < CZ_EXP_PARENTS; i++) {
        uint64_t u;

        CZ_TRY(cz_feistel_permute(&g->expander, (uint64_t)node * CZ_EXP_PARENTS + i, &u));
        if (g->api == CZ_API_1_0)
            u = (uint32_t)u;
        out[i] = (uint32_t)(u / CZ_EXP_PARENTS);
    }
    return CZ_OK;
}

cz_err cz_graph_parents(const cz_graph *g, uint32_t node, uint32_t out[CZ_PARENTS])
{
    CZ_ASSERT(node < g->nodes);
    drg_parents(g, node, out);
    return expander_parents(g, node, out + CZ_DRG_PARENTS);
}
