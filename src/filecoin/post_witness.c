/* post_witness.c: see post_witness.h. */
#include "filecoin/post_witness.h"

#include <stdlib.h>
#include <string.h>

#include "filecoin/post_device.h"
#include "gpu/arena.h"
#include "hash/poseidon_gpu.h"

enum { ARITIES = 3 };

static const unsigned arities[ARITIES] = {2, 4, 8};

typedef struct {
    cz_witness_source base; /* first */
    const cz_post_vanilla *v;
    size_t n_openings;
    const cz_poseidon_constants *k[ARITIES];
    size_t n_constants;
    cz_post_device device; /* without addresses */
    /* what goes up besides the vanilla proofs' own arrays */
    cz_fr *constants, *inputs, *commitments, *leaves;
    cz_post_device_place *places;
} post_source;

static void destroy(cz_witness_source *base)
{
    post_source *s = (post_source *)(void *)base;

    free(s->constants);
    free(s->inputs);
    free(s->commitments);
    free(s->leaves);
    free(s->places);
    free(s);
}

/* ---- the shape ---- */

static unsigned log2_of(unsigned n)
{
    return (unsigned)__builtin_ctz(n);
}

static cz_err set_hashes(post_source *s)
{
    for (unsigned i = 0; i < ARITIES; i++) {
        s->k[i] = cz_poseidon_get(arities[i]);
        if (s->k[i] == NULL)
            return cz_fail(CZ_E_NOMEM, "no memory for Poseidon's constants");
        s->device.tree.hash[i] = (cz_poseidon_device){.width = s->k[i]->width,
                                                      .partial_rounds = s->k[i]->partial_rounds};
        s->n_constants += cz_poseidon_device_elements(s->k[i]);
    }
    return CZ_OK;
}

static void set_tree(cz_por_device *t, const cz_tree_shape *shape)
{
    t->n_levels = cz_tree_levels(shape);
    t->n_siblings = cz_tree_siblings(shape);
    CZ_ASSERT(t->n_levels <= CZ_POR_DEVICE_LEVELS);
    for (unsigned level = 0; level < t->n_levels; level++)
        t->log_arity[level] = (uint8_t)log2_of(cz_tree_level_arity(shape, level));
}

static cz_err set_shape(post_source *s, cz_proof_kind kind)
{
    const cz_post_dims dims = cz_post_dims_of(kind, s->v->shape);
    cz_post_device *d = &s->device;
    cz_por_counts sector;

    CZ_TRY(set_hashes(s));
    set_tree(&d->tree, &s->v->shape->tree_r);
    d->n_sectors = dims.sectors;
    d->n_challenges = dims.challenges;
    d->head_fields = CZ_POST_DEVICE_COMMITMENTS + cz_poseidon_device_size(&d->tree.hash[0]);
    d->path = cz_por_device_counts(&d->tree);
    sector = cz_post_device_sector(d);
    s->base.n_inputs = 1 + dims.sectors * (1 + dims.challenges);
    s->base.n_fields = dims.sectors * sector.fields;
    s->base.n_aux = dims.sectors * (sector.fields + sector.bits);
    return CZ_OK;
}

/* ---- against the compiled circuit ---- */

typedef struct {
    const uint64_t *classes;
    bool all_bits;
} bit_check;

static void expect_bits(bit_check *b, uint64_t first, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        b->all_bits = b->all_bits && cz_class_bit(b->classes, first + i);
}

/* One path's bits; where the next path begins. */
static uint64_t check_path(bit_check *b, const cz_por_device *t, uint64_t at)
{
    at++; /* the leaf */
    for (unsigned level = 0; level < t->n_levels; level++) {
        const unsigned log_arity = t->log_arity[level], shared = log_arity == 3 ? 2 : 0;

        expect_bits(b, at, log_arity);
        at += log_arity + (1u << log_arity) - 1;
        expect_bits(b, at, shared);
        at += shared + cz_por_picks(log_arity) + cz_poseidon_device_size(&t->hash[log_arity - 1]);
    }
    return at;
}

/* As many bits as there are, each where it is written: then the fields are where theirs are. */
static cz_err check_variables(const post_source *s, const cz_compiled *c)
{
    const cz_compiled_header *h = cz_compiled_view(c)->header;
    bit_check b = {cz_compiled_classes(c), true};
    uint64_t at = 0;

    if (h->n_inputs == s->base.n_inputs && h->n_aux == s->base.n_aux &&
        h->n_fields == s->base.n_fields) {
        for (unsigned i = 0; i < s->device.n_sectors; i++) {
            at += s->device.head_fields;
            for (unsigned k = 0; k < s->device.n_challenges; k++)
                at = check_path(&b, &s->device.tree, at);
        }
        if (b.all_bits && at == h->n_aux)
            return CZ_OK;
    }
    return cz_fail(CZ_E_INTERNAL, "%s has other variables than a device makes", cz_compiled_id(c));
}

/* ---- contents ---- */

static cz_err take_memory(post_source *s)
{
    const size_t sectors = s->v->n_sectors;

    s->n_openings = sectors * s->v->n_challenges;
    s->constants = calloc(s->n_constants, sizeof *s->constants);
    s->inputs = calloc(s->base.n_inputs, sizeof *s->inputs);
    s->commitments = calloc(sectors * CZ_POST_DEVICE_COMMITMENTS, sizeof *s->commitments);
    s->leaves = calloc(s->n_openings, sizeof *s->leaves);
    s->places = calloc(s->device.n_sectors, sizeof *s->places);
    if (s->constants == NULL || s->inputs == NULL || s->commitments == NULL || s->leaves == NULL ||
        s->places == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the inputs of %zu sectors", sectors);
    return CZ_OK;
}

static void pack_constants(post_source *s)
{
    cz_fr *to = s->constants;

    for (unsigned i = 0; i < ARITIES; i++) {
        cz_poseidon_device_pack(to, s->k[i]);
        to += cz_poseidon_device_elements(s->k[i]);
    }
}

static void gather_sector(post_source *s, size_t i)
{
    const cz_post_sector *from = &s->v->sectors[i];
    cz_fr *commitments = s->commitments + i * CZ_POST_DEVICE_COMMITMENTS;

    commitments[0] = from->comm_r_last;
    commitments[1] = from->comm_c;
    commitments[2] = from->comm_r;
    for (unsigned n = 0; n < s->v->n_challenges; n++)
        s->leaves[i * s->v->n_challenges + n] = from->openings[n].leaf;
}

/* The place of a sector of the circuit, and its inputs. */
static cz_fr *place_sector(post_source *s, cz_proof_kind kind, unsigned i, cz_fr *input)
{
    const cz_post_vanilla *v = s->v;
    const cz_post_place at = cz_post_place_of(kind, v->n_sectors, i, 0);
    const cz_inclusion_proof *openings = &v->sectors[at.sector].openings[at.opening];

    s->places[i] = (cz_post_device_place){(uint32_t)at.sector,
                                          (uint32_t)at.sector * v->n_challenges + at.opening};
    *input++ = v->sectors[at.sector].comm_r;
    for (unsigned k = 0; k < s->device.n_challenges; k++)
        cz_fr_from_u64(input++, cz_inclusion_index(&v->shape->tree_r, &openings[k]));
    return input;
}

static void gather(post_source *s, cz_proof_kind kind)
{
    cz_fr *input = s->inputs;

    pack_constants(s);
    for (size_t i = 0; i < s->v->n_sectors; i++)
        gather_sector(s, i);
    *input++ = CZ_FR_ONE;
    for (unsigned i = 0; i < s->device.n_sectors; i++)
        input = place_sector(s, kind, i, input);
}

/* ---- on the device ---- */

/* What goes up, and where it lies there. */
typedef struct {
    cz_arena_map map;
    struct {
        const void *from;
        size_t bytes;
    } part[CZ_ARENA_MAX_REGIONS];
} upload;

static void add_part(upload *u, const char *name, const void *from, size_t bytes)
{
    const unsigned i = cz_arena_add(&u->map, name, bytes);

    u->part[i].from = from;
    u->part[i].bytes = bytes;
}

enum { CONSTANTS, COMMITMENTS, LEAVES, SIBLINGS, INDICES, PLACES };

static void plan_upload(upload *u, const post_source *s)
{
    const cz_por_device *tree = &s->device.tree;
    const size_t commitments = s->v->n_sectors * CZ_POST_DEVICE_COMMITMENTS;

    add_part(u, "constants", s->constants, s->n_constants * sizeof *s->constants);
    add_part(u, "commitments", s->commitments, commitments * sizeof *s->commitments);
    add_part(u, "leaves", s->leaves, s->n_openings * sizeof *s->leaves);
    add_part(u, "siblings", cz_post_siblings(s->v),
             s->n_openings * tree->n_siblings * sizeof(cz_fr));
    add_part(u, "indices", cz_post_indices(s->v),
             s->n_openings * tree->n_levels * sizeof(uint32_t));
    add_part(u, "places", s->places, s->device.n_sectors * sizeof *s->places);
}

static const void *device_part(const upload *u, unsigned part, void *d_scratch)
{
    return cz_arena_at(&u->map, part, d_scratch);
}

static cz_post_device with_addresses(const post_source *s, const upload *u, void *d_scratch)
{
    const cz_fr *constants = device_part(u, CONSTANTS, d_scratch);
    cz_post_device d = s->device;

    for (unsigned i = 0; i < ARITIES; i++) {
        d.tree.hash[i] = cz_poseidon_device_at(constants, s->k[i]);
        constants += cz_poseidon_device_elements(s->k[i]);
    }
    d.commitments = device_part(u, COMMITMENTS, d_scratch);
    d.leaves = device_part(u, LEAVES, d_scratch);
    d.siblings = device_part(u, SIBLINGS, d_scratch);
    d.indices = device_part(u, INDICES, d_scratch);
    d.places = device_part(u, PLACES, d_scratch);
    return d;
}

static cz_err send(cz_gpu *gpu, const upload *u, void *d_scratch)
{
    for (unsigned i = 0; i < u->map.n; i++)
        CZ_TRY(cz_gpu_copy(gpu, CZ_GPU_COMPUTE, cz_arena_at(&u->map, i, d_scratch), u->part[i].from,
                           u->part[i].bytes));
    return CZ_OK;
}

static cz_err fill(const cz_witness_source *base, cz_gpu *gpu, uint64_t *d_plane, cz_fr *d_values,
                   void *d_scratch, size_t scratch_bytes)
{
    const post_source *s = (const post_source *)(const void *)base;
    const size_t plane_bytes = (((size_t)base->n_aux + 63) / 64 + 1) * sizeof *d_plane;
    const cz_gpu_backend *backend;
    upload u = {.map = {.n = 0}};
    cz_post_device device;

    CZ_TRY(cz_gpu_load(&backend));
    plan_upload(&u, s);
    if (u.map.bytes > scratch_bytes)
        return cz_fail(CZ_E_DECLINED, "a witness needs %zu bytes of scratch, there are %zu",
                       (size_t)u.map.bytes, scratch_bytes);
    device = with_addresses(s, &u, d_scratch);
    device.fields = (cz_fr32 *)(void *)(d_values + base->n_inputs);
    device.plane = (uint32_t *)(void *)d_plane;
    CZ_TRY(cz_gpu_zero(gpu, CZ_GPU_COMPUTE, d_plane, plane_bytes));
    CZ_TRY(
        cz_gpu_copy(gpu, CZ_GPU_COMPUTE, d_values, s->inputs, base->n_inputs * sizeof *s->inputs));
    CZ_TRY(send(gpu, &u, d_scratch));
    return cz_gpu_result(backend->post_witness(gpu, &device));
}

/* ---- creation ---- */

static cz_err create(post_source *s, cz_proof_kind kind, const cz_compiled *c)
{
    CZ_TRY(set_shape(s, kind));
    CZ_TRY(check_variables(s, c));
    CZ_TRY(take_memory(s));
    gather(s, kind);
    return CZ_OK;
}

cz_err cz_post_witness_source(cz_witness_source **out, cz_proof_kind kind, const cz_post_vanilla *v,
                              const cz_compiled *c)
{
    post_source *s = calloc(1, sizeof *s);
    cz_err err;

    if (s == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a witness");
    s->base.fill = fill;
    s->base.destroy = destroy;
    s->v = v;
    err = create(s, kind, c);
    if (err != CZ_OK) {
        destroy(&s->base);
        return err;
    }
    *out = &s->base;
    return CZ_OK;
}
