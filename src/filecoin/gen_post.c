/* gen_post.c: sectors of a PoSt, each a sparse tree of its challenged leaves. */
#include "filecoin/comm.h"
#include "filecoin/gen_vanilla.h"
#include "filecoin/sparse_tree.h"

typedef struct {
    cz_post_vanilla *v;
    const cz_post_statement *s;
    uint64_t seed, first_number;
} context;

static cz_err challenged_tree(cz_sparse_tree **out, const context *c, size_t i,
                              const cz_post_sector *sector)
{
    const cz_gen_stream leaf = {c->seed, "post leaf", sector->number};
    const cz_gen_stream filler = {c->seed, "post tree", sector->number};
    cz_tree_node leaves[CZ_WINNING_CHALLENGES];

    for (unsigned n = 0; n < c->v->n_challenges; n++) {
        leaves[n].index = cz_post_challenge(c->s, i, sector->number, n);
        cz_gen_element(&leaves[n].value, &leaf, leaves[n].index, 0);
    }
    return cz_sparse_tree_create(out, &c->s->shape->tree_r, &filler, leaves, c->v->n_challenges);
}

static cz_err fill_sector(const context *c, size_t i)
{
    cz_post_sector *sector = &c->v->sectors[i];
    const cz_gen_stream comm_c = {c->seed, "post comm_c", c->first_number + i};
    cz_sparse_tree *tree;

    sector->number = c->first_number + i;
    CZ_TRY(challenged_tree(&tree, c, i, sector));
    for (unsigned n = 0; n < c->v->n_challenges; n++)
        cz_sparse_tree_open(tree, &sector->openings[n],
                            cz_post_challenge(c->s, i, sector->number, n));
    sector->comm_r_last = *cz_sparse_tree_root(tree);
    cz_sparse_tree_destroy(tree);
    cz_gen_element(&sector->comm_c, &comm_c, 0, 0);
    return cz_comm_r(&sector->comm_r, &sector->comm_c, &sector->comm_r_last);
}

static cz_err fill_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    for (size_t i = begin; i < end; i++)
        CZ_TRY(fill_sector(ctx, i));
    return CZ_OK;
}

cz_err cz_gen_post(cz_post_vanilla **out, const cz_post_statement *s, uint64_t seed,
                   uint64_t first_number, size_t n_sectors, cz_pool *pool)
{
    context c = {.s = s, .seed = seed, .first_number = first_number};
    cz_err err;

    CZ_TRY(cz_post_vanilla_create(&c.v, s->shape, n_sectors, cz_post_openings(s->kind)));
    err = cz_parallel_for(pool, n_sectors, 4, fill_some, &c);
    if (err != CZ_OK) {
        cz_post_vanilla_destroy(c.v);
        return err;
    }
    *out = c.v;
    return CZ_OK;
}
