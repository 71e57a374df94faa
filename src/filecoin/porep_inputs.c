/* porep_inputs.c: a PoRep's challenges and public inputs out of its statement. */
#include "filecoin/porep_inputs.h"

#include <string.h>

#include "filecoin/comm.h"
#include "filecoin/graph.h"
#include "filecoin/porep_challenges.h"

/* For each challenge: its index in tree D, 14 parents' in tree C, the node itself, its index in
 * tree R-last and in tree C. */
enum { INPUTS_A_CHALLENGE = 1 + CZ_PARENTS + 3, COMMON_INPUTS = 3 };

static cz_err derive_challenges(uint32_t *out, const cz_porep_statement *s, unsigned k)
{
    const unsigned n = s->shape->porep_challenges;
    cz_porep_challenge_inputs in = {.nodes = s->shape->nodes, .features = s->features};

    memcpy(in.replica_id, s->replica_id, 32);
    memcpy(in.comm_r, s->comm_r, 32);
    memcpy(in.seed, s->seed, 32);
    return cz_porep_challenges(out, &in, k * n, n);
}

cz_err cz_porep_nodes(cz_porep_node *out, const cz_porep_statement *s, unsigned k)
{
    uint32_t challenges[CZ_MAX_POREP_CHALLENGES];
    cz_graph graph;

    CZ_TRY(derive_challenges(challenges, s, k));
    cz_graph_init(&graph, s->shape->nodes, s->porep_id, s->api);
    for (unsigned i = 0; i < s->shape->porep_challenges; i++) {
        out[i].node = challenges[i];
        CZ_TRY(cz_graph_parents(&graph, challenges[i], out[i].parents));
    }
    return CZ_OK;
}

size_t cz_porep_n_inputs(const cz_sector_shape *shape)
{
    return COMMON_INPUTS + (size_t)INPUTS_A_CHALLENGE * shape->porep_challenges;
}

static cz_fr *write_challenge(cz_fr *out, const cz_porep_node *n)
{
    cz_fr_from_u64(out++, n->node);
    for (unsigned i = 0; i < CZ_PARENTS; i++)
        cz_fr_from_u64(out++, n->parents[i]);
    for (unsigned i = 0; i < 3; i++)
        cz_fr_from_u64(out++, n->node);
    return out;
}

cz_err cz_porep_inputs(cz_fr *out, const cz_porep_statement *s, const cz_porep_node *nodes)
{
    CZ_TRY_IN(cz_fr_from_bytes(&out[0], s->replica_id), "replica_id");
    CZ_TRY_IN(cz_fr_from_bytes(&out[1], s->comm_d), "comm_d");
    CZ_TRY_IN(cz_fr_from_bytes(&out[2], s->comm_r), "comm_r");
    out += COMMON_INPUTS;
    for (unsigned i = 0; i < s->shape->porep_challenges; i++)
        out = write_challenge(out, &nodes[i]);
    return CZ_OK;
}
