/* porep_circuit.c: the circuit of a partition of a stacked PoRep; see porep_circuit.h. */
#include "filecoin/porep_circuit.h"

#include <stdlib.h>

#include "filecoin/circuits.h"
#include "filecoin/comm.h"
#include "gadgets/constraint.h"
#include "gadgets/create_label.h"
#include "gadgets/encode.h"
#include "gadgets/multipack.h"
#include "gadgets/poseidon_circuit.h"

typedef struct {
    cz_owned_circuit base;
    const cz_sector_shape *shape;
    const cz_porep_opening *openings; /* of the partition; NULL when blank */
    cz_fr replica_id, comm_d, comm_r;
} porep_circuit;

/* What all challenges share once it is allocated. */
typedef struct {
    cz_cs *cs;
    const cz_sector_shape *shape;
    const cz_porep_opening *openings; /* NULL when blank */
    cz_num comm_d, comm_c, comm_r_last;
    cz_boolean replica_id[CZ_LABEL_BITS]; /* as SHA-256 reads it */
} context;

/* A parent's column, allocated. */
typedef struct {
    cz_num rows[CZ_MAX_LAYERS];
} column;

/* --- blank or not: a field of the opening, or NULL --- */

static cz_merkle_path path_of(const cz_inclusion_proof *p)
{
    return p == NULL ? (cz_merkle_path){NULL, NULL} : cz_inclusion_path(p);
}

static void enforce_inclusion(const context *x, cz_name name, const cz_tree_shape *tree,
                              const cz_inclusion_proof *proof, const cz_num *leaf,
                              const cz_num *root)
{
    const cz_merkle_path path = path_of(proof);

    cz_por(x->cs, name, tree, &path, leaf, root);
}

/* --- parents --- */

static void alloc_column(cz_cs *cs, cz_name name, column *out, unsigned layers,
                         const cz_column_proof *proof)
{
    cz_cs_enter(cs, name);
    cz_cs_enter(cs, CZ_N("column"));
    for (unsigned i = 0; i < layers; i++)
        out->rows[i] =
            cz_num_alloc(cs, CZ_NU("column_num_row_%u", i), proof == NULL ? NULL : &proof->rows[i]);
    cz_cs_leave(cs);
    cz_cs_leave(cs);
}

/* Names of the steps that open a parent. */
typedef struct {
    cz_name num, constraint, inclusion;
} parent_names;

static parent_names names_of(size_t parent)
{
    const size_t i = parent < CZ_DRG_PARENTS ? parent : parent - CZ_DRG_PARENTS;

    if (parent < CZ_DRG_PARENTS)
        return (parent_names){CZ_NU("drg_parent_%u_num", i), CZ_NU("drg_parent_%u_constraint", i),
                              CZ_NU("drg_parent_%u_inclusion", i)};
    return (parent_names){CZ_NU("exp_parent_%u_num", i), CZ_NU("exp_parent_%u_constraint", i),
                          CZ_NU("exp_parent_%u_inclusion", i)};
}

/* Parents are equal parts; each writes its own column. */
typedef struct {
    const context *x;
    const cz_column_proof *proofs; /* of all parents; NULL when blank */
    column *columns;
} parents_job;

static void open_parents_aside(const void *shared, cz_cs *const lanes[], unsigned n, size_t first)
{
    const parents_job *job = shared;
    const cz_sector_shape *shape = job->x->shape;
    const cz_num *rows[CZ_CS_LANES];
    cz_num hashes[CZ_CS_LANES];
    cz_por_lane paths[CZ_CS_LANES];

    for (unsigned i = 0; i < n; i++) {
        alloc_column(lanes[i], names_of(first + i).num, &job->columns[first + i], shape->layers,
                     job->proofs == NULL ? NULL : &job->proofs[first + i]);
        rows[i] = job->columns[first + i].rows;
    }
    cz_poseidon_circuit_lanes(hashes, lanes, n, names_of(first).constraint, rows, shape->layers);
    for (unsigned i = 0; i < n; i++)
        paths[i] = (cz_por_lane){
            .cs = lanes[i],
            .name = names_of(first + i).inclusion,
            .path = path_of(job->proofs == NULL ? NULL : &job->proofs[first + i].inclusion),
            .num = &hashes[i],
            .root = job->x->comm_c,
        };
    cz_por_lanes(paths, n, &shape->tree_r);
}

static void open_parents(const context *x, column parents[CZ_PARENTS], const cz_porep_opening *o)
{
    const parents_job job = {x, o == NULL ? NULL : o->parents, parents};

    cz_cs_part_lanes(x->cs, CZ_PARENTS, open_parents_aside, &job);
}

/* --- labels --- */

static void label_input(const context *x, cz_name name, cz_boolean out[CZ_LABEL_BITS],
                        const cz_num *num)
{
    cz_boolean bits[CZ_FR_BITS];

    cz_num_to_bits_le(x->cs, name, bits, num);
    (void)cz_reverse_bit_numbering(out, bits, CZ_FR_BITS);
}

/* The label of layer row + 1: DRG parents count from the same layer, expander parents from the one
 * below. */
static cz_num make_label(const context *x, unsigned row, const column parents[CZ_PARENTS],
                         const cz_uint64 *node)
{
    const unsigned n = row == 0 ? CZ_DRG_PARENTS : CZ_PARENTS;
    cz_boolean bits[CZ_PARENTS][CZ_LABEL_BITS];
    cz_num label;

    cz_cs_enter(x->cs, CZ_NU("labeling_%u", row + 1));
    for (unsigned i = 0; i < CZ_DRG_PARENTS; i++)
        label_input(x, CZ_NU("drg_parent_%u_bits", i), bits[i], &parents[i].rows[row]);
    for (unsigned i = CZ_DRG_PARENTS; i < n; i++)
        label_input(x, CZ_NU("exp_parent_%u_bits", i), bits[i], &parents[i].rows[row - 1]);
    label = cz_create_label(x->cs, CZ_N("create_label"), x->replica_id, row + 1, node,
                            (const cz_boolean(*)[CZ_LABEL_BITS])bits, n);
    cz_cs_leave(x->cs);
    return label;
}

/* --- one challenge --- */

static cz_num open_data(const context *x, const cz_porep_opening *o)
{
    const cz_num leaf = cz_num_alloc(x->cs, CZ_N("data_leaf"), o == NULL ? NULL : &o->comm_d.leaf);

    enforce_inclusion(x, CZ_N("comm_d_inclusion"), &x->shape->tree_d, o == NULL ? NULL : &o->comm_d,
                      &leaf, &x->comm_d);
    return leaf;
}

static cz_uint64 alloc_challenge(const context *x, const cz_porep_opening *o)
{
    cz_uint64 node;

    cz_uint64_alloc(x->cs, CZ_N("challenge"), &node, o == NULL ? 0 : o->c_x.index);
    cz_uint64_pack_into_input(x->cs, CZ_N("challenge input"), &node);
    return node;
}

static void open_replica(const context *x, const cz_porep_opening *o, const cz_num *key,
                         const cz_num *data)
{
    const cz_num encoded = cz_encode(x->cs, CZ_N("encode_node"), key, data);

    enforce_inclusion(x, CZ_N("comm_r_last_data_inclusion"), &x->shape->tree_r,
                      o == NULL ? NULL : &o->comm_r_last, &encoded, &x->comm_r_last);
}

static void open_labels(const context *x, const cz_porep_opening *o, const cz_num *labels)
{
    const cz_num hash =
        cz_poseidon_circuit(x->cs, CZ_N("c_x_column_hash"), labels, x->shape->layers);

    enforce_inclusion(x, CZ_N("c_x_inclusion"), &x->shape->tree_r,
                      o == NULL ? NULL : &o->c_x.inclusion, &hash, &x->comm_c);
}

static void prove_opening(const context *x, const cz_porep_opening *o)
{
    const unsigned layers = x->shape->layers;
    column parents[CZ_PARENTS];
    cz_num labels[CZ_MAX_LAYERS];
    cz_num data;
    cz_uint64 node;

    data = open_data(x, o);
    open_parents(x, parents, o);
    node = alloc_challenge(x, o);
    for (unsigned row = 0; row < layers; row++)
        labels[row] = make_label(x, row, parents, &node);
    open_replica(x, o, &labels[layers - 1], &data);
    open_labels(x, o, labels);
}

static void prove_challenge(const void *shared, cz_cs *cs, size_t i)
{
    context x = *(const context *)shared;

    x.cs = cs;
    cz_cs_enter(cs, CZ_NU("challenge_%u", i));
    prove_opening(&x, x.openings == NULL ? NULL : &x.openings[i]);
    cz_cs_leave(cs);
}

/* --- the partition --- */

static void alloc_replica_id(context *x, const porep_circuit *c)
{
    const cz_num num = cz_num_alloc(x->cs, CZ_N("replica_id"), &c->replica_id);

    cz_num_inputize(x->cs, CZ_N("replica_id_input"), &num);
    label_input(x, CZ_N("replica_id_bits"), x->replica_id, &num);
}

static void alloc_commitments(context *x, const porep_circuit *c)
{
    const cz_porep_opening *first = c->openings;
    cz_num comm_r, hash;

    x->comm_d = cz_num_alloc(x->cs, CZ_N("comm_d"), &c->comm_d);
    cz_num_inputize(x->cs, CZ_N("comm_d_input"), &x->comm_d);
    comm_r = cz_num_alloc(x->cs, CZ_N("comm_r"), &c->comm_r);
    cz_num_inputize(x->cs, CZ_N("comm_r_input"), &comm_r);
    x->comm_r_last =
        cz_num_alloc(x->cs, CZ_N("comm_r_last"), first == NULL ? NULL : &first->comm_r_last.root);
    x->comm_c =
        cz_num_alloc(x->cs, CZ_N("comm_c"), first == NULL ? NULL : &first->c_x.inclusion.root);
    hash = cz_tree_hash2(x->cs, CZ_N("H_comm_c_comm_r_last"), CZ_TREE_POSEIDON, &x->comm_c,
                         &x->comm_r_last);
    cz_enforce_equal(x->cs, CZ_N("enforce comm_r = H(comm_c || comm_r_last)"), &comm_r, &hash);
}

static void synthesize(const cz_circuit *self, cz_cs *cs)
{
    const porep_circuit *c = (const porep_circuit *)(const void *)self;
    context x = {.cs = cs, .shape = c->shape, .openings = c->openings};

    if (cs->has_values && c->openings == NULL) {
        cz_cs_fail(cs, cz_fail(CZ_E_ARG, "%s: this circuit has no witness", self->id));
        return;
    }
    alloc_replica_id(&x, c);
    alloc_commitments(&x, c);
    cz_cs_parts(cs, c->shape->porep_challenges, prove_challenge, &x);
}

static void destroy(cz_circuit *self)
{
    free(self);
}

static cz_err create(porep_circuit **out, const char *id, const cz_sector_shape *shape)
{
    porep_circuit *c = calloc(1, sizeof *c);

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a circuit");
    c->base.circuit.id = id;
    c->base.circuit.synthesize = synthesize;
    c->base.destroy = destroy;
    c->shape = shape;
    *out = c;
    return CZ_OK;
}

cz_err cz_porep_circuit_create_blank(cz_circuit **out, const char *id, const cz_sector_shape *shape)
{
    porep_circuit *c;

    CZ_TRY(create(&c, id, shape));
    *out = &c->base.circuit;
    return CZ_OK;
}

static cz_err set_statement(porep_circuit *c, const cz_porep_vanilla *v,
                            const uint8_t replica_id[32])
{
    CZ_TRY_IN(cz_fr_from_bytes(&c->replica_id, replica_id), "replica_id");
    CZ_TRY_IN(cz_fr_from_bytes(&c->comm_d, v->comm_d), "comm_d");
    CZ_TRY_IN(cz_fr_from_bytes(&c->comm_r, v->comm_r), "comm_r");
    return CZ_OK;
}

cz_err cz_porep_circuit_create(cz_circuit **out, const char *id, const cz_porep_vanilla *v,
                               const uint8_t replica_id[32], unsigned k)
{
    porep_circuit *c;
    cz_err err;

    CZ_TRY(create(&c, id, v->shape));
    c->openings = cz_porep_opening_at(v, k, 0);
    err = set_statement(c, v, replica_id);
    if (err != CZ_OK) {
        free(c);
        return err;
    }
    *out = &c->base.circuit;
    return CZ_OK;
}
