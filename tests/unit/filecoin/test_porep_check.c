/* Every rule that the check of a C1 enforces has a C1 that breaks just this rule. */
#include "filecoin/porep_check.h"

#include "filecoin/c1.h"
#include "golden.h"

/* A golden C1 and what follows from it. */
typedef struct {
    cz_porep_vanilla *v;
    cz_porep_statement s;
    cz_porep_node nodes[26];
} fixture;

static void make_statement(fixture *f)
{
    f->s.shape = f->v->shape;
    memcpy(f->s.porep_id, f->v->spec->porep_id, 32);
    f->s.api = f->v->spec->api;
    f->s.features = f->v->spec->features;
    memcpy(f->s.replica_id, f->v->replica_id, 32);
    memcpy(f->s.comm_d, f->v->comm_d, 32);
    memcpy(f->s.comm_r, f->v->comm_r, 32);
    memcpy(f->s.seed, f->v->seed, 32);
}

static fixture open_fixture(const char *name)
{
    char path[256];
    fixture f;
    size_t n;
    uint8_t *bytes;

    (void)snprintf(path, sizeof path, "golden/cases/%s/c1.json", name);
    bytes = cz_test_read(cz_vector_path(path), &n);
    assert_ok(cz_c1_decode(&f.v, bytes, n));
    free(bytes);
    make_statement(&f);
    for (unsigned k = 0; k < f.v->n_partitions; k++)
        assert_ok(cz_porep_nodes(&f.nodes[(size_t)2 * k], &f.s, k));
    return f;
}

static cz_err run(const fixture *f)
{
    return cz_porep_check(f->v, &f->s, f->nodes, NULL);
}

static void test_golden_cases_hold(void **state)
{
    static const char *const names[] = {"porep-2k-v1", "porep-2k-v1_1", "porep-2k-synth",
                                        "porep-2k-ni"};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        fixture f = open_fixture(names[i]);

        assert_ok(run(&f));
        cz_porep_vanilla_destroy(f.v);
    }
}

static void test_with_threads(void **state)
{
    fixture f = open_fixture("porep-2k-ni");
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 4));
    assert_ok(cz_porep_check(f.v, &f.s, f.nodes, pool));
    f.v->openings[17].c_x.index ^= 1;
    assert_fails(cz_porep_check(f.v, &f.s, f.nodes, pool), CZ_E_INPUT,
                 "partition 8: challenge 1: replica_column_proofs: c_x: column: index: ");
    cz_pool_destroy(pool);
    cz_porep_vanilla_destroy(f.v);
}

/* --- damage, in challenge 1 of partition 0 --- */

static void bump(cz_fr *x)
{
    const cz_fr one = CZ_FR_ONE;

    cz_fr_add(x, x, &one);
}

typedef void (*damage_fn)(fixture *f, cz_porep_opening *o);

static void damage_d_index(fixture *f, cz_porep_opening *o)
{
    (void)f;
    o->comm_d.indices[0] ^= 1;
}

static void damage_d_root(fixture *f, cz_porep_opening *o)
{
    (void)f;
    bump(&o->comm_d.root);
}

static void damage_d_sibling(fixture *f, cz_porep_opening *o)
{
    (void)f;
    bump(&o->comm_d.siblings[3]);
}

static void damage_comm_d(fixture *f, cz_porep_opening *o)
{
    (void)o;
    f->s.comm_d[0] ^= 1;
}

static void damage_r_index(fixture *f, cz_porep_opening *o)
{
    (void)f;
    o->comm_r_last.indices[1] = (o->comm_r_last.indices[1] + 1) % 8;
}

static void damage_r_root(fixture *f, cz_porep_opening *o)
{
    (void)f;
    bump(&o->comm_r_last.root);
}

static void damage_r_sibling(fixture *f, cz_porep_opening *o)
{
    (void)f;
    bump(&o->comm_r_last.siblings[13]);
}

static void damage_comm_r(fixture *f, cz_porep_opening *o)
{
    (void)o;
    f->s.comm_r[0] ^= 1;
}

static void damage_column_index(fixture *f, cz_porep_opening *o)
{
    (void)f;
    o->parents[3].index++;
}

static void damage_column_row(fixture *f, cz_porep_opening *o)
{
    (void)f;
    bump(&o->parents[6].rows[1]);
}

static void damage_column_leaf(fixture *f, cz_porep_opening *o)
{
    (void)f;
    bump(&o->c_x.inclusion.leaf);
}

static void damage_column_path_index(fixture *f, cz_porep_opening *o)
{
    (void)f;
    o->parents[13].inclusion.indices[0] ^= 1;
}

static void damage_column_sibling(fixture *f, cz_porep_opening *o)
{
    (void)f;
    bump(&o->parents[0].inclusion.siblings[0]);
}

static void damage_column_root(fixture *f, cz_porep_opening *o)
{
    (void)f;
    bump(&o->c_x.inclusion.root);
}

static void damage_label_node(fixture *f, cz_porep_opening *o)
{
    (void)f;
    o->labels[1].node += UINT64_C(1) << 32;
}

static void damage_label_layer(fixture *f, cz_porep_opening *o)
{
    (void)f;
    o->labels[0].layer = 0;
}

static void damage_label_parent(fixture *f, cz_porep_opening *o)
{
    (void)f;
    bump(&o->labels[1].parents[36]);
}

static void damage_encoding_parent(fixture *f, cz_porep_opening *o)
{
    (void)f;
    bump(&o->encoding.parents[0]);
}

static void damage_encoding_layer(fixture *f, cz_porep_opening *o)
{
    (void)f;
    o->encoding.layer--;
}

/* The labels were made for another replica. */
static void damage_replica_id(fixture *f, cz_porep_opening *o)
{
    (void)o;
    f->s.replica_id[5] ^= 1;
}

/* The challenged node is another one than the C1 opens. */
static void damage_challenge(fixture *f, cz_porep_opening *o)
{
    (void)o;
    f->nodes[1].node ^= 1;
}

static void damage_drg_parent(fixture *f, cz_porep_opening *o)
{
    (void)o;
    f->nodes[1].parents[2]++;
}

static const struct {
    const char *message;
    damage_fn damage;
} table[] = {
    {"partition 0: challenge 1: comm_d_proofs: proves node", damage_d_index},
    {"partition 0: challenge 1: comm_d_proofs: root differs from comm_d", damage_d_root},
    {"partition 0: challenge 1: comm_d_proofs: path does not lead", damage_d_sibling},
    {"partition 0: challenge 0: comm_d_proofs: root differs from comm_d", damage_comm_d},
    {"partition 0: challenge 1: comm_r_last_proof: proves node", damage_r_index},
    {"partition 0: challenge 1: comm_r_last_proof: root differs", damage_r_root},
    {"partition 0: challenge 1: comm_r_last_proof: path does not lead", damage_r_sibling},
    {"comm_r is not the hash of the roots", damage_comm_r},
    {"challenge 1: replica_column_proofs: drg_parents[3]: column: index: ", damage_column_index},
    {"challenge 1: replica_column_proofs: exp_parents[0]: inclusion_proof: leaf is not the hash",
     damage_column_row},
    {"challenge 1: replica_column_proofs: c_x: inclusion_proof: leaf is not", damage_column_leaf},
    {"challenge 1: replica_column_proofs: exp_parents[7]: inclusion_proof: proves node",
     damage_column_path_index},
    {"challenge 1: replica_column_proofs: drg_parents[0]: inclusion_proof: path does not lead",
     damage_column_sibling},
    {"challenge 1: replica_column_proofs: c_x: inclusion_proof: root differs from comm_c",
     damage_column_root},
    {"partition 0: challenge 1: labeling_proofs[1]: node: ", damage_label_node},
    {"partition 0: challenge 1: labeling_proofs[0]: layer_index: 0, expected 1",
     damage_label_layer},
    {"partition 0: challenge 1: labeling_proofs[1]: parents[36] differs", damage_label_parent},
    {"partition 0: challenge 1: encoding_proof: parents[0] differs", damage_encoding_parent},
    {"partition 0: challenge 1: encoding_proof: layer_index: 1, expected 2", damage_encoding_layer},
    {"partition 0: challenge 0: replica_column_proofs: c_x: column: rows[0] is not the label",
     damage_replica_id},
    {"partition 0: challenge 1: comm_d_proofs: proves node", damage_challenge},
    {"partition 0: challenge 1: replica_column_proofs: drg_parents[2]: column: index: ",
     damage_drg_parent},
};

static void test_each_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        fixture f = open_fixture("porep-2k-v1_1");

        table[i].damage(&f, &f.v->openings[1]);
        assert_fails(run(&f), CZ_E_INPUT, table[i].message);
        cz_porep_vanilla_destroy(f.v);
    }
}

/* Data and replica node that do not differ by the key: both trees would have to be consistent, so
 * the trees are rebuilt around the changed data leaf. */
static void test_encoding_rule(void **state)
{
    fixture f = open_fixture("porep-2k-v1_1");
    cz_porep_opening *o = &f.v->openings[1];
    cz_fr root;

    (void)state;
    bump(&o->comm_d.leaf);
    assert_ok(cz_inclusion_root(&root, &f.s.shape->tree_d, &o->comm_d));
    o->comm_d.root = root;
    cz_fr_to_le(f.s.comm_d, &root);
    f.v->n_partitions = 1;
    f.v->n_challenges = 1; /* look at the changed opening alone */
    f.nodes[0] = f.nodes[1];
    f.v->openings[0] = *o;
    assert_fails(run(&f), CZ_E_INPUT, "comm_r_last_proof: leaf is not the data node encoded");
    cz_porep_vanilla_destroy(f.v);
}

/* One partition given twice opens the wrong nodes. */
static void test_repeated_partition(void **state)
{
    fixture f = open_fixture("porep-2k-ni");

    (void)state;
    f.v->openings[4] = f.v->openings[2];
    f.v->openings[5] = f.v->openings[3];
    assert_fails(run(&f), CZ_E_INPUT, "partition 2: challenge 0: comm_d_proofs: proves node");
    cz_porep_vanilla_destroy(f.v);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_golden_cases_hold),  cmocka_unit_test(test_with_threads),
    cmocka_unit_test(test_each_rule),          cmocka_unit_test(test_encoding_rule),
    cmocka_unit_test(test_repeated_partition),
};

CZ_TEST_MAIN(cases)
