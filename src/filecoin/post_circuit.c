#include "filecoin/post_circuit.h"

#include <stdlib.h>

#include "filecoin/circuits.h"
#include "gadgets/constraint.h"

typedef struct {
    cz_owned_circuit base;
    cz_proof_kind kind;
    const cz_sector_shape *shape;
    const cz_post_vanilla *vanilla; /* NULL when blank */
} post_circuit;

static const cz_post_sector *sector_at(const post_circuit *c, size_t i)
{
    if (c->vanilla == NULL)
        return NULL;
    return &c->vanilla->sectors[cz_post_place_of(c->kind, c->vanilla->n_sectors, i, 0).sector];
}

static const cz_inclusion_proof *opening_at(const post_circuit *c, size_t i, unsigned challenge)
{
    cz_post_place at;

    if (c->vanilla == NULL)
        return NULL;
    at = cz_post_place_of(c->kind, c->vanilla->n_sectors, i, challenge);
    return &c->vanilla->sectors[at.sector].openings[at.opening];
}

/* The root of the replica tree, bound to the public comm_r. */
static cz_num open_comm_r(cz_cs *cs, const cz_post_sector *s)
{
    const cz_num comm_r_last =
        cz_num_alloc(cs, CZ_N("comm_r_last"), s == NULL ? NULL : &s->comm_r_last);
    const cz_num comm_c = cz_num_alloc(cs, CZ_N("comm_c"), s == NULL ? NULL : &s->comm_c);
    const cz_num comm_r = cz_num_alloc(cs, CZ_N("comm_r"), s == NULL ? NULL : &s->comm_r);
    cz_num hash;

    cz_num_inputize(cs, CZ_N("comm_r_input"), &comm_r);
    hash = cz_tree_hash2(cs, CZ_N("H_comm_c_comm_r_last"), CZ_TREE_POSEIDON, &comm_c, &comm_r_last);
    cz_enforce_equal(cs, CZ_N("enforce_comm_c_comm_r_last_hash_comm_r"), &comm_r, &hash);
    return comm_r_last;
}

/* What a sector's challenges share. */
typedef struct {
    const post_circuit *c;
    size_t sector;
    cz_num comm_r_last;
} open_sector;

static void open_leaf(const void *shared, cz_cs *cs, size_t n)
{
    const open_sector *s = shared;
    const cz_inclusion_proof *p = opening_at(s->c, s->sector, (unsigned)n);
    const cz_merkle_path path = p == NULL ? (cz_merkle_path){NULL, NULL} : cz_inclusion_path(p);

    cz_por_value(cs, CZ_NU("challenge_inclusion_%u", n), &s->c->shape->tree_r, &path,
                 p == NULL ? NULL : &p->leaf, &s->comm_r_last);
}

static void prove_sector(const void *shared, cz_cs *cs, size_t i)
{
    open_sector s = {.c = shared, .sector = i};

    cz_cs_enter(cs, CZ_NU("sector_%u", i));
    s.comm_r_last = open_comm_r(cs, sector_at(s.c, i));
    cz_cs_parts(cs, cz_post_dims_of(s.c->kind, s.c->shape).challenges, open_leaf, &s);
    cz_cs_leave(cs);
}

static void synthesize(const cz_circuit *self, cz_cs *cs)
{
    const post_circuit *c = (const post_circuit *)(const void *)self;

    if (cs->has_values && c->vanilla == NULL) {
        cz_cs_fail(cs, cz_fail(CZ_E_ARG, "%s: this circuit has no witness", self->id));
        return;
    }
    cz_cs_enter(cs, CZ_N("outer namespace"));
    cz_cs_parts(cs, cz_post_dims_of(c->kind, c->shape).sectors, prove_sector, c);
    cz_cs_leave(cs);
}

static void destroy(cz_circuit *self)
{
    free(self);
}

static cz_err create(cz_circuit **out, const char *id, cz_proof_kind kind,
                     const cz_sector_shape *shape, const cz_post_vanilla *v)
{
    post_circuit *c = calloc(1, sizeof *c);

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a circuit");
    c->base.circuit.id = id;
    c->base.circuit.synthesize = synthesize;
    c->base.destroy = destroy;
    c->kind = kind;
    c->shape = shape;
    c->vanilla = v;
    *out = &c->base.circuit;
    return CZ_OK;
}

cz_err cz_winning_circuit_create_blank(cz_circuit **out, const char *id,
                                       const cz_sector_shape *shape)
{
    return create(out, id, CZ_KIND_WINNING, shape, NULL);
}

cz_err cz_window_circuit_create_blank(cz_circuit **out, const char *id,
                                      const cz_sector_shape *shape)
{
    return create(out, id, CZ_KIND_WINDOW, shape, NULL);
}

cz_err cz_post_circuit_create(cz_circuit **out, const char *id, cz_proof_kind kind,
                              const cz_post_vanilla *v)
{
    return create(out, id, kind, v->shape, v);
}
