/* vanilla_porep.c: room for a C1's openings. */
#include "filecoin/vanilla_porep.h"

#include <stdlib.h>

/* One block holds the openings, then all field elements, then all indices. */
typedef struct {
    cz_fr *elements;
    uint32_t *indices;
} slots;

static size_t elements_of_opening(const cz_sector_shape *s)
{
    const size_t column = s->layers + cz_tree_siblings(&s->tree_r);

    return cz_tree_siblings(&s->tree_d) + cz_tree_siblings(&s->tree_r) + (1 + CZ_PARENTS) * column +
           (size_t)(s->layers + 1) * CZ_LABEL_PARENTS;
}

static size_t indices_of_opening(const cz_sector_shape *s)
{
    return cz_tree_levels(&s->tree_d) + (size_t)(2 + CZ_PARENTS) * cz_tree_levels(&s->tree_r);
}

static cz_fr *take_elements(slots *free_slots, size_t n)
{
    cz_fr *taken = free_slots->elements;

    free_slots->elements += n;
    return taken;
}

static void wire_inclusion(cz_inclusion_proof *p, const cz_tree_shape *t, slots *free_slots)
{
    p->siblings = take_elements(free_slots, cz_tree_siblings(t));
    p->indices = free_slots->indices;
    free_slots->indices += cz_tree_levels(t);
}

static void wire_column(cz_column_proof *c, const cz_sector_shape *s, slots *free_slots)
{
    c->rows = take_elements(free_slots, s->layers);
    wire_inclusion(&c->inclusion, &s->tree_r, free_slots);
}

static void wire_opening(cz_porep_opening *o, const cz_sector_shape *s, slots *free_slots)
{
    wire_inclusion(&o->comm_d, &s->tree_d, free_slots);
    wire_inclusion(&o->comm_r_last, &s->tree_r, free_slots);
    wire_column(&o->c_x, s, free_slots);
    for (unsigned i = 0; i < CZ_PARENTS; i++)
        wire_column(&o->parents[i], s, free_slots);
    for (unsigned i = 0; i < s->layers; i++)
        o->labels[i].parents = take_elements(free_slots, CZ_LABEL_PARENTS);
    o->encoding.parents = take_elements(free_slots, CZ_LABEL_PARENTS);
}

cz_err cz_porep_vanilla_create(cz_porep_vanilla **out, const cz_proof_spec *spec)
{
    const cz_sector_shape *shape = cz_sector_shape_find(spec->sector_size);
    const size_t n = (size_t)spec->partitions * shape->porep_challenges;
    const size_t opening_bytes = sizeof(cz_porep_opening) +
                                 elements_of_opening(shape) * sizeof(cz_fr) +
                                 indices_of_opening(shape) * sizeof(uint32_t);
    cz_porep_vanilla *v = calloc(1, sizeof *v);
    slots free_slots;

    if (v == NULL || (v->openings = calloc(n, opening_bytes)) == NULL) {
        free(v);
        return cz_fail(CZ_E_NOMEM, "no memory for a vanilla proof of %zu challenges", n);
    }
    v->spec = spec;
    v->shape = shape;
    v->n_partitions = spec->partitions;
    v->n_challenges = shape->porep_challenges;
    free_slots.elements = (cz_fr *)(void *)(v->openings + n);
    free_slots.indices = (uint32_t *)(void *)(free_slots.elements + n * elements_of_opening(shape));
    for (size_t i = 0; i < n; i++)
        wire_opening(&v->openings[i], shape, &free_slots);
    *out = v;
    return CZ_OK;
}

void cz_porep_vanilla_destroy(cz_porep_vanilla *v)
{
    if (v == NULL)
        return;
    free(v->openings);
    free(v);
}
