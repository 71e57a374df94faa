/* vanilla_post.c: the vanilla proofs of a PoSt, out of bincode; see vanilla_post.h. */
#include "filecoin/vanilla_post.h"

#include <inttypes.h>
#include <stdlib.h>

#include "filecoin/bincode.h"

/* One block holds the sectors, then all openings, then all siblings, then all indices. */
static void wire(cz_post_vanilla *v)
{
    const size_t n_siblings = cz_tree_siblings(&v->shape->tree_r);
    const size_t n_levels = cz_tree_levels(&v->shape->tree_r);
    const size_t n_openings = v->n_sectors * v->n_challenges;
    cz_inclusion_proof *openings = (cz_inclusion_proof *)(void *)(v->sectors + v->n_sectors);
    cz_fr *siblings = (cz_fr *)(void *)(openings + n_openings);
    uint32_t *indices = (uint32_t *)(void *)(siblings + n_openings * n_siblings);

    for (size_t i = 0; i < n_openings; i++) {
        openings[i].siblings = siblings + i * n_siblings;
        openings[i].indices = indices + i * n_levels;
    }
    for (size_t i = 0; i < v->n_sectors; i++)
        v->sectors[i].openings = openings + i * v->n_challenges;
}

cz_err cz_post_vanilla_create(cz_post_vanilla **out, const cz_sector_shape *shape, size_t n_sectors,
                              unsigned n_challenges)
{
    const size_t opening_bytes = sizeof(cz_inclusion_proof) +
                                 cz_tree_siblings(&shape->tree_r) * sizeof(cz_fr) +
                                 cz_tree_levels(&shape->tree_r) * sizeof(uint32_t);
    cz_post_vanilla *v = calloc(1, sizeof *v);

    if (v == NULL || (v->sectors = calloc(n_sectors, sizeof *v->sectors +
                                                         n_challenges * opening_bytes)) == NULL) {
        free(v);
        return cz_fail(CZ_E_NOMEM, "no memory for the vanilla proofs of %zu sectors", n_sectors);
    }
    v->shape = shape;
    v->n_sectors = n_sectors;
    v->n_challenges = n_challenges;
    wire(v);
    *out = v;
    return CZ_OK;
}

void cz_post_vanilla_destroy(cz_post_vanilla *v)
{
    if (v == NULL)
        return;
    free(v->sectors);
    free(v);
}

const cz_fr *cz_post_siblings(const cz_post_vanilla *v)
{
    return v->sectors[0].openings[0].siblings;
}

const uint32_t *cz_post_indices(const cz_post_vanilla *v)
{
    return v->sectors[0].openings[0].indices;
}

static cz_err read_openings(cz_reader *r, const cz_post_vanilla *v, cz_post_sector *s)
{
    CZ_TRY(cz_bincode_count(r, v->n_challenges, "inclusion_proofs", "proofs"));
    for (unsigned i = 0; i < v->n_challenges; i++)
        CZ_TRY_IN(cz_bincode_inclusion(r, &v->shape->tree_r, &s->openings[i]),
                  "inclusion_proofs[%u]", i);
    return CZ_OK;
}

static cz_err read_sector(cz_reader *r, const cz_post_vanilla *v, cz_post_sector *s)
{
    CZ_TRY(cz_bincode_element(r, &s->comm_r, "comm_r"));
    CZ_TRY(cz_bincode_count(r, 1, "vanilla_proof", "sectors"));
    CZ_TRY(read_openings(r, v, s));
    CZ_TRY(cz_bincode_element(r, &s->comm_c, "comm_c"));
    CZ_TRY(cz_bincode_element(r, &s->comm_r_last, "comm_r_last"));
    return cz_bincode_end(r);
}

cz_err cz_post_sector_decode(cz_post_vanilla *v, size_t i, const uint8_t *bytes, size_t n)
{
    cz_post_sector *s = &v->sectors[i];
    cz_reader r = cz_reader_init(bytes, n);

    CZ_TRY(cz_read_le64(&r, &s->number, "sector_id"));
    CZ_TRY_IN(read_sector(&r, v, s), "sector %" PRIu64, s->number);
    return CZ_OK;
}
