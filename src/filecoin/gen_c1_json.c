/* gen_c1_json.c: a C1 as filecoin-ffi writes it: serde's JSON, 32 bytes as an array of numbers. */
#include "filecoin/c1.h"
#include "filecoin/gen_bincode.h"

/* --- lists --- */

static void put_separator(cz_gen_text *t, size_t i)
{
    if (i != 0)
        cz_gen_put_string(t, ",");
}

static void put_bytes32(cz_gen_text *t, const uint8_t bytes[32])
{
    cz_gen_put_string(t, "[");
    for (size_t i = 0; i < 32; i++) {
        put_separator(t, i);
        cz_gen_put_number(t, bytes[i]);
    }
    cz_gen_put_string(t, "]");
}

static void put_element(cz_gen_text *t, const cz_fr *x)
{
    uint8_t bytes[32];

    cz_fr_to_le(bytes, x);
    put_bytes32(t, bytes);
}

static void put_elements(cz_gen_text *t, const char *key, const cz_fr *xs, size_t n)
{
    cz_gen_put_string(t, "\"");
    cz_gen_put_string(t, key);
    cz_gen_put_string(t, "\":[");
    for (size_t i = 0; i < n; i++) {
        put_separator(t, i);
        put_element(t, &xs[i]);
    }
    cz_gen_put_string(t, "]");
}

static void put_key(cz_gen_text *t, const char *key)
{
    cz_gen_put_string(t, "\"");
    cz_gen_put_string(t, key);
    cz_gen_put_string(t, "\":");
}

static void put_key_number(cz_gen_text *t, const char *key, uint64_t v)
{
    put_key(t, key);
    cz_gen_put_number(t, v);
}

/* --- Merkle proofs --- */

/* {"path":[{"hashes":[…],"index":…},…]} */
static const cz_fr *put_levels(cz_gen_text *t, const cz_tree_shape *shape, unsigned first,
                               unsigned n, const cz_fr *siblings, const uint32_t *indices)
{
    cz_gen_put_string(t, "{\"path\":[");
    for (unsigned i = first; i < first + n; i++) {
        const unsigned n_siblings = cz_tree_level_arity(shape, i) - 1;

        put_separator(t, i - first);
        cz_gen_put_string(t, "{");
        put_elements(t, "hashes", siblings, n_siblings);
        cz_gen_put_string(t, ",");
        put_key_number(t, "index", indices[i]);
        cz_gen_put_string(t, "}");
        siblings += n_siblings;
    }
    cz_gen_put_string(t, "]}");
    return siblings;
}

static void put_root_and_leaf(cz_gen_text *t, const cz_inclusion_proof *p)
{
    put_key(t, "root");
    put_element(t, &p->root);
    cz_gen_put_string(t, ",");
    put_key(t, "leaf");
    put_element(t, &p->leaf);
}

static void put_single(cz_gen_text *t, const cz_tree_shape *shape, const cz_inclusion_proof *p)
{
    cz_gen_put_string(t, "{\"Single\":{");
    put_root_and_leaf(t, p);
    cz_gen_put_string(t, ",\"path\":");
    (void)put_levels(t, shape, 0, shape->base_levels, p->siblings, p->indices);
    cz_gen_put_string(t, "}}");
}

static void put_compound(cz_gen_text *t, const cz_tree_shape *shape, const cz_inclusion_proof *p)
{
    const unsigned base = shape->base_levels;
    const cz_fr *siblings = p->siblings;

    cz_gen_put_string(t, shape->top_arity != 0 ? "{\"Top\":{" : "{\"Sub\":{");
    put_key(t, "base_proof");
    siblings = put_levels(t, shape, 0, base, siblings, p->indices);
    cz_gen_put_string(t, ",\"sub_proof\":");
    siblings = put_levels(t, shape, base, 1, siblings, p->indices);
    if (shape->top_arity != 0) {
        cz_gen_put_string(t, ",\"top_proof\":");
        (void)put_levels(t, shape, base + 1, 1, siblings, p->indices);
    }
    cz_gen_put_string(t, ",");
    put_root_and_leaf(t, p);
    cz_gen_put_string(t, "}}");
}

static void put_inclusion(cz_gen_text *t, const char *key, const cz_tree_shape *shape,
                          const cz_inclusion_proof *p)
{
    put_key(t, key);
    cz_gen_put_string(t, "{\"data\":");
    if (shape->sub_arity == 0)
        put_single(t, shape, p);
    else
        put_compound(t, shape, p);
    cz_gen_put_string(t, "}");
}

/* --- columns and labels --- */

static void put_column(cz_gen_text *t, const cz_sector_shape *s, const cz_column_proof *c)
{
    cz_gen_put_string(t, "{\"column\":{");
    put_key_number(t, "index", c->index);
    cz_gen_put_string(t, ",");
    put_elements(t, "rows", c->rows, s->layers);
    cz_gen_put_string(t, ",\"_h\":null},");
    put_inclusion(t, "inclusion_proof", &s->tree_r, &c->inclusion);
    cz_gen_put_string(t, "}");
}

static void put_columns(cz_gen_text *t, const char *key, const cz_sector_shape *s,
                        const cz_column_proof *columns, size_t n)
{
    put_key(t, key);
    cz_gen_put_string(t, "[");
    for (size_t i = 0; i < n; i++) {
        put_separator(t, i);
        put_column(t, s, &columns[i]);
    }
    cz_gen_put_string(t, "]");
}

static void put_label(cz_gen_text *t, const cz_label_proof *l)
{
    cz_gen_put_string(t, "{");
    put_elements(t, "parents", l->parents, CZ_LABEL_PARENTS);
    cz_gen_put_string(t, ",");
    put_key_number(t, "layer_index", l->layer);
    cz_gen_put_string(t, ",");
    put_key_number(t, "node", l->node);
    cz_gen_put_string(t, "}");
}

static void put_labels(cz_gen_text *t, const cz_label_proof *labels, size_t n)
{
    put_key(t, "labeling_proofs");
    cz_gen_put_string(t, "[");
    for (size_t i = 0; i < n; i++) {
        put_separator(t, i);
        put_label(t, &labels[i]);
    }
    cz_gen_put_string(t, "]");
}

static void put_opening(cz_gen_text *t, const cz_sector_shape *s, const cz_porep_opening *o)
{
    cz_gen_put_string(t, "{");
    put_inclusion(t, "comm_d_proofs", &s->tree_d, &o->comm_d);
    cz_gen_put_string(t, ",");
    put_inclusion(t, "comm_r_last_proof", &s->tree_r, &o->comm_r_last);
    cz_gen_put_string(t, ",\"replica_column_proofs\":{\"c_x\":");
    put_column(t, s, &o->c_x);
    cz_gen_put_string(t, ",");
    put_columns(t, "drg_parents", s, o->parents, CZ_DRG_PARENTS);
    cz_gen_put_string(t, ",");
    put_columns(t, "exp_parents", s, o->parents + CZ_DRG_PARENTS, CZ_EXP_PARENTS);
    cz_gen_put_string(t, "},");
    put_labels(t, o->labels, s->layers);
    cz_gen_put_string(t, ",\"encoding_proof\":");
    put_label(t, &o->encoding);
    cz_gen_put_string(t, "}");
}

/* --- the whole --- */

static void put_partitions(cz_gen_text *t, const cz_porep_vanilla *v)
{
    for (unsigned k = 0; k < v->n_partitions; k++) {
        cz_gen_put_string(t, k == 0 ? "[" : ",[");
        for (unsigned i = 0; i < v->n_challenges; i++) {
            put_separator(t, i);
            put_opening(t, v->shape, cz_porep_opening_at(v, k, i));
        }
        cz_gen_put_string(t, "]");
    }
}

/* The enum around the openings is named after the sector size: the first five seal proofs. */
static const char *variant_name(const cz_porep_vanilla *v)
{
    return cz_c1_variant(v->spec->number % 5)->name;
}

void cz_gen_put_c1_json(cz_gen_text *t, const cz_porep_vanilla *v)
{
    static const char *const keys[] = {"comm_r", "comm_d", "replica_id", "seed", "ticket"};
    const uint8_t *const values[] = {v->comm_r, v->comm_d, v->replica_id, v->seed, v->ticket};

    cz_gen_put_string(t, "{\"registered_proof\":\"");
    cz_gen_put_string(t, v->spec->name);
    cz_gen_put_string(t, "\",\"vanilla_proofs\":{\"");
    cz_gen_put_string(t, variant_name(v));
    cz_gen_put_string(t, "\":[");
    put_partitions(t, v);
    cz_gen_put_string(t, "]}");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        cz_gen_put_string(t, ",");
        put_key(t, keys[i]);
        put_bytes32(t, values[i]);
    }
    cz_gen_put_string(t, "}");
}
