/* snap_circuit.c: the circuits of an empty-sector update; see snap_circuit.h. */
#include "filecoin/snap_circuit.h"

#include <stdlib.h>

#include "filecoin/circuits.h"
#include "filecoin/snap_gadgets.h"
#include "gadgets/constraint.h"
#include "gadgets/insertion.h"
#include "gadgets/multipack.h"
#include "gadgets/product.h"

enum {
    MAX_PARTITION_BITS = 4,
    MAX_SIBLINGS = 80, /* along a replica path: 7 a level of 8, 10 levels and a top level */
    MAX_NODE_BITS = 31
};

typedef struct {
    cz_owned_circuit base;
    const cz_sector_shape *shape;
    cz_snap_dims dims;
    const cz_snap_partition *partition; /* NULL when blank */
    cz_fr inputs[CZ_SNAP_INPUTS];       /* zero when blank */
} snap_circuit;

/* What all challenges share once it is allocated. */
typedef struct {
    cz_cs *cs;
    const snap_circuit *c;
    cz_bit partition_bits[MAX_PARTITION_BITS];
    cz_bit h_select[CZ_SNAP_HS];
    cz_num partition; /* its number */
    cz_num comm_r_old, comm_d_new, comm_r_new, phi;
    cz_num root_r_old, root_r_new;
    cz_num apex_leaves[CZ_SNAP_MAX_APEX_LEAVES];
    cz_bit *challenge_bits; /* of all challenges, without the partition's */
} context;

/* --- public inputs --- */

/* (sum of 2^i bits[i]) * 1 = num */
static void enforce_bits_are(cz_cs *cs, cz_name name, const cz_bit *bits, unsigned n,
                             const cz_num *num)
{
    cz_product p;

    if (!cs->wants_constraints)
        return;
    cz_product_init(&p);
    cz_lc_add_bits(&p.a, bits, n);
    cz_lc_add_var(&p.b, CZ_VAR_ONE);
    cz_lc_add_var(&p.c, num->var);
    cz_product_enforce(&p, cs, name);
}

/* Names of the first input's steps. */
typedef struct {
    cz_name num, input, decomposition;
    const char *bit;
} select_names;

static const select_names sha_names = {
    {"k_and_h_select", 0},
    {"k_and_h_select (public input)", 0},
    {"k_and_h_select binary decomp", 0},
    "k_and_h_select_bit_%u",
};

static const select_names poseidon_names = {
    {"h_select", 0},
    {"h_select (public input)", 0},
    {"h_select binary decomp", 0},
    "h_select_bit_%u",
};

/* The first input is made of the partition's bits and those that choose h. */
static void open_selection(context *x)
{
    const select_names *names = x->c->dims.variant == CZ_SNAP_SHA ? &sha_names : &poseidon_names;
    const unsigned n_partition_bits = x->c->dims.partition_bits;
    const unsigned n = n_partition_bits + CZ_SNAP_HS;
    const cz_num num = cz_num_alloc(x->cs, names->num, &x->c->inputs[0]);
    cz_bit bits[MAX_PARTITION_BITS + CZ_SNAP_HS];
    cz_u256 value;

    cz_num_inputize(x->cs, names->input, &num);
    cz_fr_to_u256(&value, &x->c->inputs[0]);
    for (unsigned i = 0; i < n; i++)
        bits[i] = cz_bit_alloc(x->cs, (cz_name){names->bit, i}, value.l[0] >> i & 1);
    enforce_bits_are(x->cs, names->decomposition, bits, n, &num);
    memcpy(x->partition_bits, bits, n_partition_bits * sizeof *bits);
    memcpy(x->h_select, bits + n_partition_bits, sizeof x->h_select);
}

static void pack_partition(context *x)
{
    cz_boolean booleans[MAX_PARTITION_BITS];

    for (unsigned i = 0; i < x->c->dims.partition_bits; i++)
        booleans[i] = cz_boolean_from_bit(x->partition_bits[i]);
    x->partition =
        cz_pack_bits(x->cs, CZ_N("pack partition bits"), booleans, x->c->dims.partition_bits);
}

static void alloc_commitments(context *x)
{
    x->comm_r_old = cz_num_alloc(x->cs, CZ_N("comm_r_old"), &x->c->inputs[1]);
    cz_num_inputize(x->cs, CZ_N("comm_r_old_input"), &x->comm_r_old);
    x->comm_d_new = cz_num_alloc(x->cs, CZ_N("comm_d_new"), &x->c->inputs[2]);
    cz_num_inputize(x->cs, CZ_N("comm_d_new_input"), &x->comm_d_new);
    x->comm_r_new = cz_num_alloc(x->cs, CZ_N("comm_r_new"), &x->c->inputs[3]);
    cz_num_inputize(x->cs, CZ_N("comm_r_new_input"), &x->comm_r_new);
    x->phi = cz_snap_hash_circuit(x->cs, CZ_N("phi"), &x->comm_d_new, &x->comm_r_old);
}

/* --- roots --- */

static void enforce_comm_r(const context *x, cz_name hash_name, cz_name name, const cz_num *comm_c,
                           const cz_num *root, const cz_num *comm_r)
{
    const cz_num hash = cz_tree_hash2(x->cs, hash_name, CZ_TREE_POSEIDON, comm_c, root);

    cz_enforce_equal(x->cs, name, &hash, comm_r);
}

/* Private: comm_c and the roots; the apex row and the partition's path come between them and the
 * constraints. */
static cz_num alloc_roots(context *x)
{
    const cz_snap_partition *p = x->c->partition;
    const cz_num comm_c = cz_num_alloc(x->cs, CZ_N("comm_c"), p == NULL ? NULL : &p->comm_c);

    x->root_r_old =
        cz_num_alloc(x->cs, CZ_N("root_r_old"), p == NULL ? NULL : &p->openings[0].r_old.root);
    x->root_r_new =
        cz_num_alloc(x->cs, CZ_N("root_r_new"), p == NULL ? NULL : &p->openings[0].r_new.root);
    return comm_c;
}

static void enforce_roots(const context *x, const cz_num *comm_c)
{
    enforce_comm_r(x, CZ_N("comm_r_old_calc"), CZ_N("enforce comm_r_old_calc == comm_r_old"),
                   comm_c, &x->root_r_old, &x->comm_r_old);
    enforce_comm_r(x, CZ_N("comm_r_new_calc"), CZ_N("enforce comm_r_new_calc == comm_r_new"),
                   comm_c, &x->root_r_new, &x->comm_r_new);
}

/* --- the apex of the data tree --- */

static void alloc_apex(context *x, cz_num path[MAX_PARTITION_BITS])
{
    const cz_snap_dims *d = &x->c->dims;
    const cz_snap_partition *p = x->c->partition;

    for (unsigned i = 0; i < d->apex_leaves; i++)
        x->apex_leaves[i] =
            cz_num_alloc(x->cs, CZ_NU("apex_leaf_%u", i), p == NULL ? NULL : &p->apex_leaves[i]);
    for (unsigned i = 0; i < d->partition_bits; i++) {
        const unsigned level = d->node_bits - d->partition_bits + i;

        path[i] = cz_num_alloc(x->cs, CZ_NU("partition_path_sibling_%u", i),
                               p == NULL ? NULL : &p->openings[0].d_new.siblings[level]);
    }
}

/* The rows above the apex leaves up to the partition's root, and from there to comm_d_new. */
static void enforce_apex(const context *x, const cz_num *path)
{
    const cz_tree_shape above = {CZ_TREE_SHA254, 2, 0, 0, x->c->dims.partition_bits};
    cz_num row[CZ_SNAP_MAX_APEX_LEAVES];

    memcpy(row, x->apex_leaves, sizeof row);
    cz_cs_enter(x->cs, CZ_N("apex_gadget"));
    for (unsigned level = 0; level < x->c->dims.apex_bits; level++)
        for (unsigned i = 0; i < x->c->dims.apex_leaves >> (level + 1); i++)
            row[i] = cz_tree_hash2(
                x->cs, CZ_NU2("apex_tree generation hash (tree_row=%u, siblings=%u)", level, i),
                CZ_TREE_SHA254, &row[2 * i], &row[2 * i + 1]);
    cz_por_at(x->cs, CZ_N("partition-tree por"), &above, x->partition_bits, path, &row[0],
              &x->comm_d_new);
    cz_cs_leave(x->cs);
}

/* --- paths of a challenge --- */

/* The siblings of a replica-shaped path; `fmt` names challenge, level and place. */
static void alloc_path(const context *x, const char *fmt, unsigned challenge, cz_num *out,
                       const cz_tree_shape *tree, const cz_inclusion_proof *p)
{
    const cz_fr *value = p == NULL ? NULL : p->siblings;

    CZ_ASSERT(cz_tree_siblings(tree) <= MAX_SIBLINGS);
    for (unsigned level = 0; level < cz_tree_levels(tree); level++)
        for (unsigned i = 0; i + 1 < cz_tree_level_arity(tree, level); i++) {
            const cz_name name = {fmt, CZ_NAME_FIELD(challenge, 0) | CZ_NAME_FIELD(level, 1) |
                                           CZ_NAME_FIELD(i, 2)};

            *out++ = cz_num_alloc(x->cs, name, value == NULL ? NULL : value++);
        }
}

/* Names of one of the replica-shaped trees. */
typedef struct {
    const char *sibling, *por;
} path_names;

static const path_names r_old_names = {
    "path_r_old sibling (c_index=%u, tree_row=%u, sibling_index=%u)",
    "por tree_r_old (c_index=%u)",
};
static const path_names r_new_names = {
    "path_r_new sibling (c_index=%u, tree_row=%u, sibling_index=%u)",
    "por tree_r_new (c_index=%u)",
};
static const path_names d_new_names = {
    "path_d_new sibling (c_index=%u, tree_row=%u, sibling_index=%u)",
    "por tree_d_new (c_index=%u)",
};

static void enforce_path(const context *x, const path_names *names, unsigned challenge,
                         const cz_bit *bits, const cz_inclusion_proof *p, const cz_num *leaf,
                         const cz_num *root)
{
    cz_num siblings[MAX_SIBLINGS];

    alloc_path(x, names->sibling, challenge, siblings, &x->c->shape->tree_r, p);
    cz_por_at(x->cs, (cz_name){names->por, challenge}, &x->c->shape->tree_r, bits, siblings, leaf,
              root);
}

/* The data node lies under the apex leaf that the challenge's bits say. */
static void enforce_path_to_apex(const context *x, unsigned challenge, const cz_bit *bits,
                                 const cz_inclusion_proof *p, const cz_num *leaf)
{
    const cz_snap_dims *d = &x->c->dims;
    const unsigned levels = d->node_bits - d->partition_bits - d->apex_bits;
    const cz_tree_shape below = {CZ_TREE_SHA254, 2, 0, 0, levels};
    const cz_num apex_leaf = cz_select(x->cs, CZ_NU("select_apex_leaf (c_index=%u)", challenge),
                                       x->apex_leaves, bits + levels, d->apex_bits);
    cz_num siblings[MAX_NODE_BITS];

    for (unsigned level = 0; level < levels; level++)
        siblings[level] = cz_num_alloc(
            x->cs, CZ_NU2("path_to_apex_leaf sibling (c_index=%u, tree_row=%u)", challenge, level),
            p == NULL ? NULL : &p->siblings[level]);
    cz_por_at(x->cs, CZ_NU("por to_apex_leaf (c_index=%u)", challenge), &below, bits, siblings,
              leaf, &apex_leaf);
}

/* --- one challenge --- */

static cz_num derive_rho(const context *x, unsigned i, const cz_bit *bits)
{
    const cz_num high =
        cz_snap_high_bits(x->cs, CZ_NU("get_challenge_high_bits (c_index=%u)", i), bits,
                          x->c->dims.node_bits, x->h_select, cz_snap_hs(x->c->shape));

    return cz_snap_hash_circuit(x->cs, CZ_NU("rho (c_index=%u)", i), &x->phi, &high);
}

static void gather_bits(const context *x, unsigned i, cz_bit bits[MAX_NODE_BITS])
{
    const unsigned n_own = x->c->dims.node_bits - x->c->dims.partition_bits;

    memcpy(bits, x->challenge_bits + (size_t)i * n_own, n_own * sizeof *bits);
    memcpy(bits + n_own, x->partition_bits, x->c->dims.partition_bits * sizeof *bits);
}

static void prove_opening(const context *x, unsigned i)
{
    const cz_snap_opening *o = x->c->partition == NULL ? NULL : &x->c->partition->openings[i];
    cz_bit bits[MAX_NODE_BITS];
    cz_num rho, r_old, d_new, r_new;

    gather_bits(x, i, bits);
    rho = derive_rho(x, i, bits);
    r_old =
        cz_num_alloc(x->cs, CZ_NU("leaf_r_old (c_index=%u)", i), o == NULL ? NULL : &o->r_old.leaf);
    d_new =
        cz_num_alloc(x->cs, CZ_NU("leaf_d_new (c_index=%u)", i), o == NULL ? NULL : &o->d_new.leaf);
    r_new = cz_snap_encode(x->cs, CZ_NU("leaf_r_new (c_index=%u)", i), &r_old, &d_new, &rho);
    enforce_path(x, &r_old_names, i, bits, o == NULL ? NULL : &o->r_old, &r_old, &x->root_r_old);
    enforce_path(x, &r_new_names, i, bits, o == NULL ? NULL : &o->r_new, &r_new, &x->root_r_new);
    if (x->c->dims.variant == CZ_SNAP_SHA)
        enforce_path_to_apex(x, i, bits, o == NULL ? NULL : &o->d_new, &d_new);
    else
        enforce_path(x, &d_new_names, i, bits, o == NULL ? NULL : &o->d_new, &d_new,
                     &x->comm_d_new);
}

static void prove_challenge(const void *shared, cz_cs *cs, size_t i)
{
    context x = *(const context *)shared;

    x.cs = cs;
    prove_opening(&x, (unsigned)i);
}

/* --- the partition --- */

static void prove_commitments_sha(context *x)
{
    cz_num path[MAX_PARTITION_BITS];
    cz_num comm_c;

    open_selection(x);
    pack_partition(x);
    alloc_commitments(x);
    comm_c = alloc_roots(x);
    alloc_apex(x, path);
    enforce_roots(x, &comm_c);
    enforce_apex(x, path);
}

static void prove_commitments_poseidon(context *x)
{
    const cz_fr zero = CZ_FR_ZERO;
    cz_num comm_c;

    open_selection(x);
    alloc_commitments(x);
    comm_c = alloc_roots(x);
    enforce_roots(x, &comm_c);
    x->partition = cz_num_alloc(x->cs, CZ_N("gen_challenge_bits partition zero"), &zero);
}

static void prove_partition(context *x)
{
    if (x->c->dims.variant == CZ_SNAP_SHA)
        prove_commitments_sha(x);
    else
        prove_commitments_poseidon(x);
    cz_snap_challenge_bits(x->cs, CZ_N("gen_challenge_bits"), x->challenge_bits, &x->c->dims,
                           &x->comm_r_new, &x->partition);
    cz_cs_parts(x->cs, x->c->dims.challenges, prove_challenge, x);
}

static void synthesize(const cz_circuit *self, cz_cs *cs)
{
    const snap_circuit *c = (const snap_circuit *)(const void *)self;
    context x = {.cs = cs, .c = c};
    cz_bit *bits;

    if (cs->has_values && c->partition == NULL) {
        cz_cs_fail(cs, cz_fail(CZ_E_ARG, "%s: this circuit has no witness", self->id));
        return;
    }
    bits = calloc((size_t)c->dims.challenges * c->dims.node_bits, sizeof *bits);
    if (bits == NULL) {
        cz_cs_fail(cs, cz_fail(CZ_E_NOMEM, "%s: no memory for the challenges' bits", self->id));
        return;
    }
    x.challenge_bits = bits;
    prove_partition(&x);
    free(bits);
}

static void destroy(cz_circuit *self)
{
    free(self);
}

static cz_err create(snap_circuit **out, const char *id, const cz_sector_shape *shape,
                     cz_snap_variant variant)
{
    snap_circuit *c = calloc(1, sizeof *c);

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a circuit");
    c->base.circuit.id = id;
    c->base.circuit.synthesize = synthesize;
    c->base.destroy = destroy;
    c->shape = shape;
    c->dims = cz_snap_dims_of(shape, variant);
    *out = c;
    return CZ_OK;
}

static cz_err create_blank(cz_circuit **out, const char *id, const cz_sector_shape *shape,
                           cz_snap_variant variant)
{
    snap_circuit *c;

    CZ_TRY(create(&c, id, shape, variant));
    *out = &c->base.circuit;
    return CZ_OK;
}

cz_err cz_snap_circuit_create_blank(cz_circuit **out, const char *id, const cz_sector_shape *shape)
{
    return create_blank(out, id, shape, CZ_SNAP_SHA);
}

cz_err cz_snap_poseidon_circuit_create_blank(cz_circuit **out, const char *id,
                                             const cz_sector_shape *shape)
{
    return create_blank(out, id, shape, CZ_SNAP_POSEIDON);
}

cz_err cz_snap_circuit_create(cz_circuit **out, const char *id, const cz_snap_statement *s,
                              const cz_snap_vanilla *v, unsigned k)
{
    snap_circuit *c;

    CZ_TRY(create(&c, id, s->shape, s->variant));
    c->partition = &v->partitions[k];
    cz_snap_public_inputs(c->inputs, s, k);
    *out = &c->base.circuit;
    return CZ_OK;
}
