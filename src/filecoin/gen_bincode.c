/* gen_bincode.c: vanilla proofs of PoSt and update as clients send them. */
#include "filecoin/gen_bincode.h"

static void put_element(cz_gen_text *t, const cz_fr *x)
{
    uint8_t bytes[32];

    cz_fr_to_le(bytes, x);
    cz_gen_put_bytes(t, bytes, sizeof bytes);
}

static void put_elements(cz_gen_text *t, const cz_fr *xs, size_t n)
{
    cz_gen_put_le64(t, n);
    for (size_t i = 0; i < n; i++)
        put_element(t, &xs[i]);
}

static const cz_fr *put_levels(cz_gen_text *t, const cz_tree_shape *shape, unsigned first,
                               unsigned n, const cz_fr *siblings, const uint32_t *indices)
{
    cz_gen_put_le64(t, n);
    for (unsigned i = first; i < first + n; i++) {
        const unsigned n_siblings = cz_tree_level_arity(shape, i) - 1;

        put_elements(t, siblings, n_siblings);
        cz_gen_put_le64(t, indices[i]);
        siblings += n_siblings;
    }
    return siblings;
}

static void put_single(cz_gen_text *t, const cz_tree_shape *shape, const cz_inclusion_proof *p)
{
    cz_gen_put_le32(t, 0);
    put_element(t, &p->root);
    put_element(t, &p->leaf);
    (void)put_levels(t, shape, 0, shape->base_levels, p->siblings, p->indices);
}

static void put_compound(cz_gen_text *t, const cz_tree_shape *shape, const cz_inclusion_proof *p)
{
    const unsigned base = shape->base_levels;
    const cz_fr *siblings = p->siblings;

    cz_gen_put_le32(t, shape->top_arity != 0 ? 2 : 1);
    siblings = put_levels(t, shape, 0, base, siblings, p->indices);
    siblings = put_levels(t, shape, base, 1, siblings, p->indices);
    if (shape->top_arity != 0)
        (void)put_levels(t, shape, base + 1, 1, siblings, p->indices);
    put_element(t, &p->root);
    put_element(t, &p->leaf);
}

static void put_inclusion(cz_gen_text *t, const cz_tree_shape *shape, const cz_inclusion_proof *p)
{
    if (shape->sub_arity == 0)
        put_single(t, shape, p);
    else
        put_compound(t, shape, p);
}

void cz_gen_put_post_sector(cz_gen_text *t, const cz_post_vanilla *v, size_t i)
{
    const cz_post_sector *s = &v->sectors[i];

    cz_gen_put_le64(t, s->number);
    put_element(t, &s->comm_r);
    cz_gen_put_le64(t, 1);
    cz_gen_put_le64(t, v->n_challenges);
    for (unsigned n = 0; n < v->n_challenges; n++)
        put_inclusion(t, &v->shape->tree_r, &s->openings[n]);
    put_element(t, &s->comm_c);
    put_element(t, &s->comm_r_last);
}

void cz_gen_put_snap_partition(cz_gen_text *t, const cz_snap_vanilla *v, size_t k)
{
    const cz_snap_partition *p = &v->partitions[k];

    put_element(t, &p->comm_c);
    put_elements(t, p->apex_leaves, v->dims.apex_leaves);
    cz_gen_put_le64(t, v->dims.challenges);
    for (unsigned i = 0; i < v->dims.challenges; i++) {
        put_inclusion(t, &v->shape->tree_r, &p->openings[i].r_old);
        put_inclusion(t, v->dims.tree_d, &p->openings[i].d_new);
        put_inclusion(t, &v->shape->tree_r, &p->openings[i].r_new);
    }
}
