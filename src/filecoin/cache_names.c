/* cache_names.c: what the network calls the parameter files of a circuit.
 *
 * "v28-<family and tree>-<SHA-256 of an identifier>", where the identifier is a text that names
 * what the circuit depends on. The texts are those of rust-fil-proofs' ParameterSetMetadata and
 * must never change. */
#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "filecoin/circuits.h"
#include "filecoin/job.h"
#include "hash/sha256.h"

enum { PARAMETER_VERSION = 28, TREE_MAX = 64, TEXT_MAX = 384 };

static void tree_name(char out[TREE_MAX], const cz_tree_shape *t)
{
    (void)snprintf(out, TREE_MAX, "merkletree-poseidon_hasher-%u-%u-%u", t->base_arity,
                   t->sub_arity, t->top_arity);
}

static void porep_identifier(char out[TEXT_MAX], const cz_sector_shape *s, const char *tree)
{
    (void)snprintf(out, TEXT_MAX,
                   "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{"
                   "expansion_degree: %d base_graph: drgraph::BucketGraph{size: %" PRIu64
                   "; degree: %d; hasher: poseidon_hasher} }, challenges: LayerChallenges { "
                   "layers: %u, max_count: %u }, tree: %s }",
                   CZ_EXP_PARENTS, s->nodes, CZ_DRG_PARENTS, s->layers, s->porep_challenges, tree);
}

static void post_identifier(char out[TEXT_MAX], const cz_sector_shape *s, unsigned challenges,
                            unsigned sectors)
{
    (void)snprintf(out, TEXT_MAX,
                   "FallbackPoSt::PublicParams{sector_size: %" PRIu64
                   ", challenge_count: %u, sector_count: %u}",
                   s->sector_size, challenges, sectors);
}

static void snap_identifier(char out[TEXT_MAX], const cz_sector_shape *s)
{
    (void)snprintf(out, TEXT_MAX, "empty_sector_update::PublicParams{ sector_nodes: %" PRIu64 " }",
                   s->nodes);
}

/* A winning proof is made by the circuit of 66 sectors with one challenge each. */
static void identifier(char out[TEXT_MAX], cz_circuit_family family, const cz_sector_shape *s,
                       const char *tree)
{
    switch (family) {
    case CZ_FAMILY_POREP:
        porep_identifier(out, s, tree);
        return;
    case CZ_FAMILY_WINNING:
        post_identifier(out, s, 1, CZ_WINNING_CHALLENGES);
        return;
    case CZ_FAMILY_WINDOW:
        post_identifier(out, s, CZ_WINDOW_CHALLENGES, s->window_sectors);
        return;
    case CZ_FAMILY_SNAP:
    case CZ_FAMILY_SNAP_POSEIDON:
        snap_identifier(out, s);
        return;
    }
}

static const char *family_prefix(cz_circuit_family family)
{
    static const char *const prefixes[] = {
        [CZ_FAMILY_POREP] = "stacked-proof-of-replication",
        [CZ_FAMILY_SNAP] = "empty-sector-update",
        [CZ_FAMILY_SNAP_POSEIDON] = "empty-sector-update-poseidon",
        [CZ_FAMILY_WINNING] = "proof-of-spacetime-fallback",
        [CZ_FAMILY_WINDOW] = "proof-of-spacetime-fallback",
    };

    return prefixes[family];
}

cz_err cz_circuit_cache_name(char *out, size_t out_size, const char *id)
{
    char tree[TREE_MAX], text[TEXT_MAX], hex[65];
    cz_circuit_family family;
    const cz_sector_shape *s;
    uint8_t digest[32];
    int n;

    CZ_TRY(cz_circuit_lookup(&family, &s, id));
    tree_name(tree, &s->tree_r);
    identifier(text, family, s, tree);
    cz_sha256_of(digest, text, strlen(text));
    cz_hex_encode(hex, digest, sizeof digest);
    n = snprintf(out, out_size, "v%d-%s-%s%s-%s", PARAMETER_VERSION, family_prefix(family), tree,
                 family == CZ_FAMILY_POREP ? "-sha256_hasher" : "", hex);
    if (n < 0 || (size_t)n >= out_size)
        return cz_fail(CZ_E_ARG, "%d characters of a cache name do not fit into %zu bytes", n,
                       out_size);
    return CZ_OK;
}
