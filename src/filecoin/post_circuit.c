/* post_circuit.c: the circuit of a PoSt partition; see post_circuit.h. */
#include "filecoin/post_circuit.h"

#include <stdlib.h>

#include "filecoin/circuits.h"
#include "gadgets/constraint.h"
#include "gadgets/poseidon_circuit.h"

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

/* --- sectors side by side --- */

/* A sector, or one of a sector's challenges, in a system of its own. */
typedef struct {
    cz_cs *cs;
    size_t sector;
    unsigned challenge;
    cz_num comm_r_last;
} lane;

/* What a sector's commitments are made of, allocated. */
typedef struct {
    cz_num comm_r, preimage[2]; /* comm_c, comm_r_last */
} commitments;

static void alloc_commitments(commitments *out, cz_cs *cs, const cz_post_sector *s)
{
    out->preimage[1] = cz_num_alloc(cs, CZ_N("comm_r_last"), s == NULL ? NULL : &s->comm_r_last);
    out->preimage[0] = cz_num_alloc(cs, CZ_N("comm_c"), s == NULL ? NULL : &s->comm_c);
    out->comm_r = cz_num_alloc(cs, CZ_N("comm_r"), s == NULL ? NULL : &s->comm_r);
    cz_num_inputize(cs, CZ_N("comm_r_input"), &out->comm_r);
}

/* The roots of the replica trees, bound to the public comm_r. */
static void open_comm_r(const post_circuit *c, lane *lanes, unsigned n)
{
    const cz_num *preimages[CZ_CS_LANES];
    commitments made[CZ_CS_LANES];
    cz_cs *systems[CZ_CS_LANES];
    cz_num hashes[CZ_CS_LANES];

    for (unsigned i = 0; i < n; i++) {
        alloc_commitments(&made[i], lanes[i].cs, sector_at(c, lanes[i].sector));
        lanes[i].comm_r_last = made[i].preimage[1];
        preimages[i] = made[i].preimage;
        systems[i] = lanes[i].cs;
    }
    cz_poseidon_circuit_lanes(hashes, systems, n, CZ_N("H_comm_c_comm_r_last"), preimages, 2);
    for (unsigned i = 0; i < n; i++)
        cz_enforce_equal(lanes[i].cs, CZ_N("enforce_comm_c_comm_r_last_hash_comm_r"),
                         &made[i].comm_r, &hashes[i]);
}

static void open_leaves(const post_circuit *c, const lane *lanes, unsigned n)
{
    cz_por_lane paths[CZ_CS_LANES];

    for (unsigned i = 0; i < n; i++) {
        const lane *l = &lanes[i];
        const cz_inclusion_proof *p = opening_at(c, l->sector, l->challenge);

        paths[i] = (cz_por_lane){
            .cs = l->cs,
            .name = CZ_NU("challenge_inclusion_%u", l->challenge),
            .path = p == NULL ? (cz_merkle_path){NULL, NULL} : cz_inclusion_path(p),
            .leaf = p == NULL ? NULL : &p->leaf,
            .root = l->comm_r_last,
        };
    }
    cz_por_lanes(paths, n, &c->shape->tree_r);
}

/* --- one sector's challenges side by side --- */

typedef struct {
    const post_circuit *c;
    const lane *sector;
} open_sector;

static void open_challenges(const void *shared, cz_cs *const systems[], unsigned n, size_t first)
{
    const open_sector *s = shared;
    lane lanes[CZ_CS_LANES];

    for (unsigned i = 0; i < n; i++) {
        lanes[i] = *s->sector;
        lanes[i].cs = systems[i];
        lanes[i].challenge = (unsigned)first + i;
    }
    open_leaves(s->c, lanes, n);
}

/* Challenges of several sectors: each challenge side by side; of one sector: all its challenges. */
static void open_all_leaves(const post_circuit *c, lane *lanes, unsigned n)
{
    const unsigned n_challenges = cz_post_dims_of(c->kind, c->shape).challenges;
    const open_sector alone = {c, &lanes[0]};

    if (n == 1) {
        cz_cs_part_lanes(lanes[0].cs, n_challenges, open_challenges, &alone);
        return;
    }
    for (unsigned k = 0; k < n_challenges; k++) {
        for (unsigned i = 0; i < n; i++)
            lanes[i].challenge = k;
        open_leaves(c, lanes, n);
    }
}

static void prove_sectors(const void *shared, cz_cs *const systems[], unsigned n, size_t first)
{
    const post_circuit *c = shared;
    lane lanes[CZ_CS_LANES];

    for (unsigned i = 0; i < n; i++) {
        lanes[i] = (lane){.cs = systems[i], .sector = first + i};
        cz_cs_enter(systems[i], CZ_NU("sector_%u", first + i));
    }
    open_comm_r(c, lanes, n);
    open_all_leaves(c, lanes, n);
    for (unsigned i = 0; i < n; i++)
        cz_cs_leave(systems[i]);
}

static void synthesize(const cz_circuit *self, cz_cs *cs)
{
    const post_circuit *c = (const post_circuit *)(const void *)self;

    if (cs->has_values && c->vanilla == NULL) {
        cz_cs_fail(cs, cz_fail(CZ_E_ARG, "%s: this circuit has no witness", self->id));
        return;
    }
    cz_cs_enter(cs, CZ_N("outer namespace"));
    cz_cs_part_lanes(cs, cz_post_dims_of(c->kind, c->shape).sectors, prove_sectors, c);
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
