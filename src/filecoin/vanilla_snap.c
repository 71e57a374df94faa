/* vanilla_snap.c: the vanilla proof of an update, out of bincode; see vanilla_snap.h. */
#include "filecoin/vanilla_snap.h"

#include <stdlib.h>

#include "filecoin/bincode.h"

/* One block holds the partitions, then all openings, then all elements, then all indices. */
typedef struct {
    cz_fr *elements;
    uint32_t *indices;
} slots;

static size_t elements_of_opening(const cz_snap_vanilla *v)
{
    return 2 * cz_tree_siblings(&v->shape->tree_r) + cz_tree_siblings(v->dims.tree_d);
}

static size_t indices_of_opening(const cz_snap_vanilla *v)
{
    return 2 * cz_tree_levels(&v->shape->tree_r) + cz_tree_levels(v->dims.tree_d);
}

static void wire_inclusion(cz_inclusion_proof *p, const cz_tree_shape *t, slots *free_slots)
{
    p->siblings = free_slots->elements;
    p->indices = free_slots->indices;
    free_slots->elements += cz_tree_siblings(t);
    free_slots->indices += cz_tree_levels(t);
}

static void wire_partition(const cz_snap_vanilla *v, cz_snap_partition *p, slots *free_slots)
{
    p->apex_leaves = free_slots->elements;
    free_slots->elements += v->dims.apex_leaves;
    for (unsigned i = 0; i < v->dims.challenges; i++) {
        wire_inclusion(&p->openings[i].r_old, &v->shape->tree_r, free_slots);
        wire_inclusion(&p->openings[i].d_new, v->dims.tree_d, free_slots);
        wire_inclusion(&p->openings[i].r_new, &v->shape->tree_r, free_slots);
    }
}

cz_err cz_snap_vanilla_create(cz_snap_vanilla **out, const cz_sector_shape *shape,
                              cz_snap_variant variant)
{
    cz_snap_vanilla *v = calloc(1, sizeof *v);
    size_t n_openings, n_elements, bytes;
    cz_snap_opening *openings;
    slots free_slots;

    if (v == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for vanilla proofs");
    v->shape = shape;
    v->dims = cz_snap_dims_of(shape, variant);
    n_openings = (size_t)v->dims.partitions * v->dims.challenges;
    n_elements =
        n_openings * elements_of_opening(v) + (size_t)v->dims.partitions * v->dims.apex_leaves;
    bytes = v->dims.partitions * sizeof *v->partitions + n_openings * sizeof *openings +
            n_elements * sizeof(cz_fr) + n_openings * indices_of_opening(v) * sizeof(uint32_t);
    v->partitions = calloc(1, bytes);
    if (v->partitions == NULL) {
        free(v);
        return cz_fail(CZ_E_NOMEM, "no memory for the vanilla proofs of %zu challenges",
                       n_openings);
    }
    openings = (cz_snap_opening *)(void *)(v->partitions + v->dims.partitions);
    free_slots.elements = (cz_fr *)(void *)(openings + n_openings);
    free_slots.indices = (uint32_t *)(void *)(free_slots.elements + n_elements);
    for (unsigned k = 0; k < v->dims.partitions; k++) {
        v->partitions[k].openings = openings + (size_t)k * v->dims.challenges;
        wire_partition(v, &v->partitions[k], &free_slots);
    }
    *out = v;
    return CZ_OK;
}

void cz_snap_vanilla_destroy(cz_snap_vanilla *v)
{
    if (v == NULL)
        return;
    free(v->partitions);
    free(v);
}

static cz_err read_opening(cz_reader *r, const cz_snap_vanilla *v, cz_snap_opening *o)
{
    CZ_TRY_IN(cz_bincode_inclusion(r, &v->shape->tree_r, &o->r_old), "proof_r_old");
    CZ_TRY_IN(cz_bincode_inclusion(r, v->dims.tree_d, &o->d_new), "proof_d_new");
    CZ_TRY_IN(cz_bincode_inclusion(r, &v->shape->tree_r, &o->r_new), "proof_r_new");
    return CZ_OK;
}

cz_err cz_snap_partition_decode(cz_snap_vanilla *v, size_t k, const uint8_t *bytes, size_t n)
{
    cz_snap_partition *p = &v->partitions[k];
    cz_reader r = cz_reader_init(bytes, n);

    CZ_TRY(cz_bincode_element(&r, &p->comm_c, "comm_c"));
    CZ_TRY(cz_bincode_elements(&r, p->apex_leaves, v->dims.apex_leaves, "apex_leafs"));
    CZ_TRY(cz_bincode_count(&r, v->dims.challenges, "challenge_proofs", "challenges"));
    for (unsigned i = 0; i < v->dims.challenges; i++)
        CZ_TRY_IN(read_opening(&r, v, &p->openings[i]), "challenge_proofs[%u]", i);
    return cz_bincode_end(&r);
}
