/* c1_json.c: the JSON form of a C1. Field names are those of rust-fil-proofs' serde structures. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "filecoin/c1.h"
#include "filecoin/comm.h"

cz_err cz_json_field(cz_json object, const char *key, cz_json *out)
{
    return cz_json_get(object, key, out) == CZ_OK ? CZ_OK : CZ_E_INPUT;
}

static cz_err bytes32_from_string(cz_json v, uint8_t out[32])
{
    uint8_t decoded[96];
    const char *text;
    size_t n;

    CZ_TRY(cz_json_string(v, &text, &n));
    if (n == 64 && cz_hex_decode(out, 32, text, n))
        return CZ_OK;
    if (n > 64)
        return cz_fail(CZ_E_INPUT, "32 bytes in hex or base64 expected, found %zu characters", n);
    CZ_TRY(cz_base64_decode(decoded, &n, text, n));
    CZ_TRY(cz_expect_count(n, 32, "bytes"));
    memcpy(out, decoded, 32);
    return CZ_OK;
}

cz_err cz_json_bytes32(cz_json v, uint8_t out[32])
{
    if (cz_json_typeof(v) == CZ_JSON_STRING)
        return bytes32_from_string(v, out);
    return cz_json_byte_array(v, out, 32);
}

static cz_err read_bytes32(cz_json object, const char *key, uint8_t out[32])
{
    cz_json v;

    CZ_TRY(cz_json_field(object, key, &v));
    CZ_TRY_IN(cz_json_bytes32(v, out), "%s", key);
    return CZ_OK;
}

static cz_err to_element(cz_json v, cz_fr *out)
{
    uint8_t bytes[32];

    CZ_TRY(cz_json_bytes32(v, bytes));
    return cz_fr_from_bytes(out, bytes);
}

static cz_err read_element(cz_json object, const char *key, cz_fr *out)
{
    cz_json v;

    CZ_TRY(cz_json_field(object, key, &v));
    CZ_TRY_IN(to_element(v, out), "%s", key);
    return CZ_OK;
}

/* A whole number up to max. */
static cz_err read_number(cz_json object, const char *key, uint64_t max, uint64_t *out)
{
    cz_json v;

    CZ_TRY(cz_json_field(object, key, &v));
    CZ_TRY_IN(cz_json_u64(v, out), "%s", key);
    if (*out > max)
        return cz_fail(CZ_E_INPUT, "%s: %" PRIu64 " is above %" PRIu64, key, *out, max);
    return CZ_OK;
}

static cz_err read_u32(cz_json object, const char *key, uint32_t *out)
{
    uint64_t wide = 0;

    CZ_TRY(read_number(object, key, UINT32_MAX, &wide));
    *out = (uint32_t)wide;
    return CZ_OK;
}

/* Member `key` must be an array of n; *it walks it. */
static cz_err open_array(cz_json object, const char *key, size_t n, cz_json_iter *it)
{
    cz_json v;
    size_t found;

    CZ_TRY(cz_json_field(object, key, &v));
    if (cz_json_typeof(v) != CZ_JSON_ARRAY)
        return cz_fail(CZ_E_INPUT, "%s: an array expected", key);
    CZ_TRY_IN(cz_json_size(v, &found), "%s", key);
    CZ_TRY_IN(cz_expect_count(found, n, "elements"), "%s", key);
    return cz_json_iterate(v, it);
}

static cz_err read_elements(cz_json object, const char *key, cz_fr *out, size_t n)
{
    cz_json_iter it;
    cz_json v;

    CZ_TRY(open_array(object, key, n, &it));
    for (size_t i = 0; cz_json_next(&it, &v, NULL); i++)
        CZ_TRY_IN(to_element(v, &out[i]), "%s[%zu]", key, i);
    return CZ_OK;
}

/* --- Merkle proofs --- */

static cz_err read_level(cz_json v, unsigned arity, cz_fr *siblings, uint32_t *index)
{
    uint64_t wide = 0;

    CZ_TRY(read_elements(v, "hashes", siblings, arity - 1));
    CZ_TRY(read_number(v, "index", arity - 1, &wide));
    *index = (uint32_t)wide;
    return CZ_OK;
}

/* Levels first … first + n - 1 of a path, from {"path": [...]} in member `key`. */
static cz_err read_levels(cz_json object, const char *key, const cz_tree_shape *t, unsigned first,
                          unsigned n, cz_fr **siblings, uint32_t *indices)
{
    cz_json_iter it;
    cz_json path, v;

    CZ_TRY(cz_json_field(object, key, &path));
    CZ_TRY_IN(open_array(path, "path", n, &it), "%s", key);
    for (unsigned i = first; cz_json_next(&it, &v, NULL); i++) {
        const unsigned arity = cz_tree_level_arity(t, i);

        CZ_TRY_IN(read_level(v, arity, *siblings, &indices[i]), "%s: path[%u]", key, i - first);
        *siblings += arity - 1;
    }
    return CZ_OK;
}

static const char *proof_variant(const cz_tree_shape *t)
{
    if (t->top_arity != 0)
        return "Top";
    return t->sub_arity != 0 ? "Sub" : "Single";
}

/* The one variant that the shape allows, {"Single": {…}}. */
static cz_err open_proof_data(cz_json object, const cz_tree_shape *t, cz_json *out)
{
    cz_json data;
    size_t n;

    CZ_TRY(cz_json_field(object, "data", &data));
    CZ_TRY_IN(cz_json_size(data, &n), "data");
    CZ_TRY_IN(cz_expect_count(n, 1, "variants"), "data");
    CZ_TRY_IN(cz_json_field(data, proof_variant(t), out), "data");
    return CZ_OK;
}

static cz_err read_proof_body(cz_json v, const cz_tree_shape *t, cz_inclusion_proof *p)
{
    const char *base_key = t->sub_arity != 0 ? "base_proof" : "path";
    const unsigned base = t->base_levels;
    cz_fr *siblings = p->siblings;

    CZ_TRY(read_element(v, "root", &p->root));
    CZ_TRY(read_element(v, "leaf", &p->leaf));
    CZ_TRY(read_levels(v, base_key, t, 0, base, &siblings, p->indices));
    if (t->sub_arity != 0)
        CZ_TRY(read_levels(v, "sub_proof", t, base, 1, &siblings, p->indices));
    if (t->top_arity != 0)
        CZ_TRY(read_levels(v, "top_proof", t, base + 1, 1, &siblings, p->indices));
    return CZ_OK;
}

static cz_err read_inclusion(cz_json object, const char *key, const cz_tree_shape *t,
                             cz_inclusion_proof *p)
{
    cz_json v, body;

    CZ_TRY(cz_json_field(object, key, &v));
    CZ_TRY_IN(open_proof_data(v, t, &body), "%s", key);
    CZ_TRY_IN(read_proof_body(body, t, p), "%s: %s", key, proof_variant(t));
    return CZ_OK;
}

/* --- columns and labels --- */

static cz_err read_column(cz_json v, const cz_sector_shape *s, cz_column_proof *c)
{
    cz_json column;

    CZ_TRY(cz_json_field(v, "column", &column));
    CZ_TRY_IN(read_u32(column, "index", &c->index), "column");
    CZ_TRY_IN(read_elements(column, "rows", c->rows, s->layers), "column");
    return read_inclusion(v, "inclusion_proof", &s->tree_r, &c->inclusion);
}

static cz_err read_columns(cz_json object, const char *key, const cz_sector_shape *s,
                           cz_column_proof *out, size_t n)
{
    cz_json_iter it;
    cz_json v;

    CZ_TRY(open_array(object, key, n, &it));
    for (size_t i = 0; cz_json_next(&it, &v, NULL); i++)
        CZ_TRY_IN(read_column(v, s, &out[i]), "%s[%zu]", key, i);
    return CZ_OK;
}

static cz_err read_replica_columns(cz_json v, const cz_sector_shape *s, cz_porep_opening *o)
{
    cz_json c_x;

    CZ_TRY(cz_json_field(v, "c_x", &c_x));
    CZ_TRY_IN(read_column(c_x, s, &o->c_x), "c_x");
    CZ_TRY(read_columns(v, "drg_parents", s, o->parents, CZ_DRG_PARENTS));
    return read_columns(v, "exp_parents", s, o->parents + CZ_DRG_PARENTS, CZ_EXP_PARENTS);
}

static cz_err read_label(cz_json v, cz_label_proof *l)
{
    CZ_TRY(read_elements(v, "parents", l->parents, CZ_LABEL_PARENTS));
    CZ_TRY(read_u32(v, "layer_index", &l->layer));
    return read_number(v, "node", UINT64_MAX, &l->node);
}

static cz_err read_labels(cz_json object, const char *key, cz_label_proof *out, size_t n)
{
    cz_json_iter it;
    cz_json v;

    CZ_TRY(open_array(object, key, n, &it));
    for (size_t i = 0; cz_json_next(&it, &v, NULL); i++)
        CZ_TRY_IN(read_label(v, &out[i]), "%s[%zu]", key, i);
    return CZ_OK;
}

static cz_err read_opening(cz_json v, const cz_sector_shape *s, cz_porep_opening *o)
{
    cz_json member;

    CZ_TRY(read_inclusion(v, "comm_d_proofs", &s->tree_d, &o->comm_d));
    CZ_TRY(read_inclusion(v, "comm_r_last_proof", &s->tree_r, &o->comm_r_last));
    CZ_TRY(cz_json_field(v, "replica_column_proofs", &member));
    CZ_TRY_IN(read_replica_columns(member, s, o), "replica_column_proofs");
    CZ_TRY(read_labels(v, "labeling_proofs", o->labels, s->layers));
    CZ_TRY(cz_json_field(v, "encoding_proof", &member));
    CZ_TRY_IN(read_label(member, &o->encoding), "encoding_proof");
    return CZ_OK;
}

/* --- the whole --- */

static cz_err read_partition(cz_json partition, cz_porep_vanilla *v, unsigned k)
{
    cz_json_iter it;
    cz_json opening;
    size_t n;

    CZ_TRY(cz_json_iterate(partition, &it));
    CZ_TRY(cz_json_size(partition, &n));
    CZ_TRY(cz_expect_count(n, v->n_challenges, "challenges"));
    for (unsigned i = 0; cz_json_next(&it, &opening, NULL); i++)
        CZ_TRY_IN(read_opening(opening, v->shape, cz_porep_opening_at(v, k, i)), "challenge %u", i);
    return CZ_OK;
}

static cz_err read_partitions(cz_json partitions, cz_porep_vanilla *v)
{
    cz_json_iter it;
    cz_json partition;

    CZ_TRY_IN(cz_json_iterate(partitions, &it), "vanilla_proofs");
    for (unsigned k = 0; cz_json_next(&it, &partition, NULL); k++)
        CZ_TRY_IN(read_partition(partition, v, k), "partition %u", k);
    return CZ_OK;
}

static cz_err read_registered_proof(cz_json c1, const cz_proof_spec **out)
{
    const cz_proof_spec *spec;
    const char *name;
    cz_json v;
    size_t n;

    CZ_TRY(cz_json_field(c1, "registered_proof", &v));
    CZ_TRY_IN(cz_json_string(v, &name, &n), "registered_proof");
    spec = cz_seal_spec_by_name(name);
    if (spec == NULL)
        return cz_fail(CZ_E_INPUT, "registered_proof: '%.64s' is unknown", name);
    return cz_proof_spec_find(out, CZ_KIND_POREP, spec->number, 0);
}

/* {"StackedDrg2KiBV1": [[…]]}: the array of partitions, its length checked before anything is
 * allocated for them. */
static cz_err open_variant(cz_json c1, const cz_proof_spec *spec, cz_json *partitions)
{
    const cz_proof_spec *variant;
    cz_json_iter it;
    cz_json v;
    const char *key;
    size_t n;

    CZ_TRY(cz_json_field(c1, "vanilla_proofs", &v));
    if (cz_json_typeof(v) != CZ_JSON_OBJECT)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs: an object expected");
    CZ_TRY_IN(cz_json_size(v, &n), "vanilla_proofs");
    CZ_TRY_IN(cz_expect_count(n, 1, "variants"), "vanilla_proofs");
    CZ_TRY(cz_json_iterate(v, &it));
    (void)cz_json_next(&it, partitions, &key);
    variant = cz_seal_spec_by_name(key);
    if (variant == NULL || cz_c1_variant(variant->number) == NULL)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs: '%.64s' is unknown", key);
    CZ_TRY_IN(cz_c1_check_variant(variant, spec), "vanilla_proofs");
    if (cz_json_typeof(*partitions) != CZ_JSON_ARRAY)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs: %s: an array expected", key);
    CZ_TRY_IN(cz_json_size(*partitions, &n), "vanilla_proofs");
    CZ_TRY_IN(cz_expect_count(n, spec->partitions, "partitions"), "vanilla_proofs");
    return CZ_OK;
}

static cz_err read_body(cz_porep_vanilla *v, cz_json c1, cz_json partitions)
{
    CZ_TRY(read_bytes32(c1, "comm_r", v->comm_r));
    CZ_TRY(read_bytes32(c1, "comm_d", v->comm_d));
    CZ_TRY(read_bytes32(c1, "replica_id", v->replica_id));
    CZ_TRY(read_bytes32(c1, "seed", v->seed));
    CZ_TRY(read_bytes32(c1, "ticket", v->ticket));
    CZ_TRY(cz_c1_check_header(v));
    return read_partitions(partitions, v);
}

cz_err cz_c1_json_decode(cz_porep_vanilla **out, cz_json c1)
{
    const cz_proof_spec *spec;
    cz_porep_vanilla *v;
    cz_json partitions;
    cz_err err;

    CZ_TRY(read_registered_proof(c1, &spec));
    CZ_TRY(open_variant(c1, spec, &partitions));
    CZ_TRY(cz_porep_vanilla_create(&v, spec));
    err = read_body(v, c1, partitions);
    if (err != CZ_OK) {
        cz_porep_vanilla_destroy(v);
        return err;
    }
    *out = v;
    return CZ_OK;
}
