/* c1_writer.h: writing vanilla proofs as serde and bincode do, so that tests need no stored file
 * for every shape; and random contents to write. */
#ifndef CZ_TESTS_FILECOIN_C1_WRITER_H
#define CZ_TESTS_FILECOIN_C1_WRITER_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "filecoin/vanilla_porep.h"
#include "support.h"

/* A growing buffer of bytes. */
typedef struct {
    uint8_t *bytes;
    size_t n, cap;
} writer;

static inline void put(writer *w, const void *bytes, size_t n)
{
    if (n == 0)
        return;
    if (w->n + n > w->cap) {
        w->cap = 2 * (w->n + n) + 4096;
        w->bytes = realloc(w->bytes, w->cap);
        assert_non_null(w->bytes);
    }
    memcpy(w->bytes + w->n, bytes, n);
    w->n += n;
}

static inline void put_text(writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static inline void put_number(writer *w, uint64_t v)
{
    char digits[24];

    (void)snprintf(digits, sizeof digits, "%" PRIu64, v);
    put_text(w, digits);
}

static inline const char *variant_name(const cz_tree_shape *t)
{
    return t->top_arity ? "Top" : t->sub_arity ? "Sub" : "Single";
}

/* --- JSON --- */

static inline void json_bytes32(writer *w, const uint8_t b[32])
{
    char text[160] = "[";
    size_t n = 1;

    for (unsigned i = 0; i < 32; i++) {
        if (b[i] >= 100)
            text[n++] = (char)('0' + b[i] / 100);
        if (b[i] >= 10)
            text[n++] = (char)('0' + b[i] / 10 % 10);
        text[n++] = (char)('0' + b[i] % 10);
        text[n++] = i < 31 ? ',' : ']';
    }
    put(w, text, n);
}

static inline void json_elements(writer *w, const cz_fr *x, size_t n)
{
    put_text(w, "[");
    for (size_t i = 0; i < n; i++) {
        uint8_t b[32];

        cz_fr_to_le(b, &x[i]);
        put_text(w, i ? "," : "");
        json_bytes32(w, b);
    }
    put_text(w, "]");
}

static inline void json_element(writer *w, const cz_fr *x)
{
    uint8_t b[32];

    cz_fr_to_le(b, x);
    json_bytes32(w, b);
}

static inline const cz_fr *json_levels(writer *w, const cz_tree_shape *t, const uint32_t *indices,
                                       const cz_fr *siblings, unsigned first, unsigned n)
{
    put_text(w, "{\"path\":[");
    for (unsigned i = first; i < first + n; i++) {
        const unsigned arity = cz_tree_level_arity(t, i);

        put_text(w, i > first ? ",{\"hashes\":" : "{\"hashes\":");
        json_elements(w, siblings, arity - 1);
        put_text(w, ",\"index\":");
        put_number(w, indices[i]);
        put_text(w, "}");
        siblings += arity - 1;
    }
    put_text(w, "]}");
    return siblings;
}

static inline void json_inclusion(writer *w, const char *key, const cz_tree_shape *t,
                                  const cz_inclusion_proof *p)
{
    const cz_fr *siblings = p->siblings;

    put_text(w, key);
    put_text(w, "{\"data\":{\"");
    put_text(w, variant_name(t));
    put_text(w, "\":{\"root\":");
    json_element(w, &p->root);
    put_text(w, ",\"leaf\":");
    json_element(w, &p->leaf);
    put_text(w, t->sub_arity ? ",\"base_proof\":" : ",\"path\":");
    siblings = json_levels(w, t, p->indices, siblings, 0, t->base_levels);
    if (t->sub_arity) {
        put_text(w, ",\"sub_proof\":");
        siblings = json_levels(w, t, p->indices, siblings, t->base_levels, 1);
    }
    if (t->top_arity) {
        put_text(w, ",\"top_proof\":");
        (void)json_levels(w, t, p->indices, siblings, t->base_levels + 1, 1);
    }
    put_text(w, "}}}");
}

static inline void json_column(writer *w, const cz_sector_shape *s, const cz_column_proof *c)
{
    put_text(w, "{\"column\":{\"index\":");
    put_number(w, c->index);
    put_text(w, ",\"rows\":");
    json_elements(w, c->rows, s->layers);
    json_inclusion(w, ",\"_h\":null},\"inclusion_proof\":", &s->tree_r, &c->inclusion);
    put_text(w, "}");
}

static inline void json_columns(writer *w, const char *key, const cz_sector_shape *s,
                                const cz_column_proof *c, unsigned n)
{
    put_text(w, key);
    for (unsigned i = 0; i < n; i++) {
        put_text(w, i ? "," : "[");
        json_column(w, s, &c[i]);
    }
    put_text(w, "]");
}

static inline void json_label(writer *w, const cz_label_proof *l)
{
    put_text(w, "{\"parents\":");
    json_elements(w, l->parents, CZ_LABEL_PARENTS);
    put_text(w, ",\"layer_index\":");
    put_number(w, l->layer);
    put_text(w, ",\"node\":");
    put_number(w, l->node);
    put_text(w, "}");
}

static inline void json_opening(writer *w, const cz_sector_shape *s, const cz_porep_opening *o)
{
    json_inclusion(w, "{\"comm_d_proofs\":", &s->tree_d, &o->comm_d);
    json_inclusion(w, ",\"comm_r_last_proof\":", &s->tree_r, &o->comm_r_last);
    put_text(w, ",\"replica_column_proofs\":{\"c_x\":");
    json_column(w, s, &o->c_x);
    json_columns(w, ",\"drg_parents\":", s, o->parents, CZ_DRG_PARENTS);
    json_columns(w, ",\"exp_parents\":", s, o->parents + CZ_DRG_PARENTS, CZ_EXP_PARENTS);
    put_text(w, "},\"labeling_proofs\":");
    for (unsigned i = 0; i < s->layers; i++) {
        put_text(w, i ? "," : "[");
        json_label(w, &o->labels[i]);
    }
    put_text(w, "],\"encoding_proof\":");
    json_label(w, &o->encoding);
    put_text(w, "}");
}

static inline void json_header(writer *w, const char *key, const uint8_t b[32])
{
    put_text(w, key);
    json_bytes32(w, b);
}

/* The variant of a seal proof is named like the first one of its size. */
static inline const char *vanilla_variant(const cz_proof_spec *spec)
{
    size_t n;
    const cz_proof_spec *rows = cz_proof_specs(&n);

    return rows[spec->number % 5].name;
}

static inline void write_c1_json(writer *w, const cz_porep_vanilla *v)
{
    put_text(w, "{\"registered_proof\":\"");
    put_text(w, v->spec->name);
    put_text(w, "\",\"vanilla_proofs\":{\"");
    put_text(w, vanilla_variant(v->spec));
    put_text(w, "\":");
    for (unsigned k = 0; k < v->n_partitions; k++) {
        put_text(w, k ? "],[" : "[[");
        for (unsigned i = 0; i < v->n_challenges; i++) {
            put_text(w, i ? "," : "");
            json_opening(w, v->shape, cz_porep_opening_at(v, k, i));
        }
    }
    json_header(w, "]]},\"comm_r\":", v->comm_r);
    json_header(w, ",\"comm_d\":", v->comm_d);
    json_header(w, ",\"replica_id\":", v->replica_id);
    json_header(w, ",\"seed\":", v->seed);
    json_header(w, ",\"ticket\":", v->ticket);
    put_text(w, "}");
}

/* --- bincode --- */

static inline void put_u32(writer *w, uint32_t v)
{
    uint8_t b[4];

    cz_store_le32(b, v);
    put(w, b, sizeof b);
}

static inline void put_u64(writer *w, uint64_t v)
{
    uint8_t b[8];

    cz_store_le64(b, v);
    put(w, b, sizeof b);
}

static inline void bin_element(writer *w, const cz_fr *x)
{
    uint8_t b[32];

    cz_fr_to_le(b, x);
    put(w, b, sizeof b);
}

static inline void bin_elements(writer *w, const cz_fr *x, size_t n)
{
    put_u64(w, n);
    for (size_t i = 0; i < n; i++)
        bin_element(w, &x[i]);
}

static inline const cz_fr *bin_levels(writer *w, const cz_tree_shape *t, const uint32_t *indices,
                                      const cz_fr *siblings, unsigned first, unsigned n)
{
    put_u64(w, n);
    for (unsigned i = first; i < first + n; i++) {
        const unsigned arity = cz_tree_level_arity(t, i);

        bin_elements(w, siblings, arity - 1);
        put_u64(w, indices[i]);
        siblings += arity - 1;
    }
    return siblings;
}

static inline void bin_inclusion(writer *w, const cz_tree_shape *t, const cz_inclusion_proof *p)
{
    const cz_fr *siblings = p->siblings;

    put_u32(w, t->top_arity ? 2 : t->sub_arity ? 1 : 0);
    if (!t->sub_arity) {
        bin_element(w, &p->root);
        bin_element(w, &p->leaf);
    }
    siblings = bin_levels(w, t, p->indices, siblings, 0, t->base_levels);
    if (t->sub_arity)
        siblings = bin_levels(w, t, p->indices, siblings, t->base_levels, 1);
    if (t->top_arity)
        (void)bin_levels(w, t, p->indices, siblings, t->base_levels + 1, 1);
    if (t->sub_arity) {
        bin_element(w, &p->root);
        bin_element(w, &p->leaf);
    }
}

static inline void bin_column(writer *w, const cz_sector_shape *s, const cz_column_proof *c)
{
    put_u32(w, c->index);
    bin_elements(w, c->rows, s->layers);
    bin_inclusion(w, &s->tree_r, &c->inclusion);
}

static inline void bin_columns(writer *w, const cz_sector_shape *s, const cz_column_proof *c,
                               unsigned n)
{
    put_u64(w, n);
    for (unsigned i = 0; i < n; i++)
        bin_column(w, s, &c[i]);
}

static inline void bin_label(writer *w, const cz_label_proof *l)
{
    bin_elements(w, l->parents, CZ_LABEL_PARENTS);
    put_u32(w, l->layer);
    put_u64(w, l->node);
}

static inline void bin_opening(writer *w, const cz_sector_shape *s, const cz_porep_opening *o)
{
    bin_inclusion(w, &s->tree_d, &o->comm_d);
    bin_inclusion(w, &s->tree_r, &o->comm_r_last);
    bin_column(w, s, &o->c_x);
    bin_columns(w, s, o->parents, CZ_DRG_PARENTS);
    bin_columns(w, s, o->parents + CZ_DRG_PARENTS, CZ_EXP_PARENTS);
    put_u64(w, s->layers);
    for (unsigned i = 0; i < s->layers; i++)
        bin_label(w, &o->labels[i]);
    bin_label(w, &o->encoding);
}

/* C2Input::V0 when the prover id is known, else SealCommitPhase1Output. */
static inline void write_c1_bincode(writer *w, const cz_porep_vanilla *v)
{
    if (v->has_prover_id)
        put_u32(w, 0);
    put_u32(w, (uint32_t)v->spec->number);
    put_u32(w, (uint32_t)v->spec->number % 5);
    put_u64(w, v->n_partitions);
    for (unsigned k = 0; k < v->n_partitions; k++) {
        put_u64(w, v->n_challenges);
        for (unsigned i = 0; i < v->n_challenges; i++)
            bin_opening(w, v->shape, cz_porep_opening_at(v, k, i));
    }
    put(w, v->comm_r, 32);
    put(w, v->comm_d, 32);
    put(w, v->replica_id, 32);
    put(w, v->seed, 32);
    put(w, v->ticket, 32);
    if (v->has_prover_id) {
        put(w, v->prover_id, 32);
        put_u64(w, v->sector_number);
    }
}

/* --- contents --- */

static inline void random_element(cz_fr *x)
{
    uint8_t b[32];

    cz_test_random_bytes(b, sizeof b);
    b[31] &= 0x3f;
    assert_true(cz_fr_from_le(x, b));
}

static inline void random_elements(cz_fr *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        random_element(&x[i]);
}

static inline void random_inclusion(cz_inclusion_proof *p, const cz_tree_shape *t)
{
    random_element(&p->root);
    random_element(&p->leaf);
    random_elements(p->siblings, cz_tree_siblings(t));
    for (unsigned i = 0; i < cz_tree_levels(t); i++)
        p->indices[i] = (uint32_t)(cz_test_random() >> 32) % cz_tree_level_arity(t, i);
}

static inline void random_column(cz_column_proof *c, const cz_sector_shape *s)
{
    c->index = (uint32_t)(cz_test_random() >> 32);
    random_elements(c->rows, s->layers);
    random_inclusion(&c->inclusion, &s->tree_r);
}

static inline void random_label(cz_label_proof *l)
{
    l->layer = (uint32_t)(cz_test_random() >> 32);
    l->node = cz_test_random();
    random_elements(l->parents, CZ_LABEL_PARENTS);
}

static inline void random_opening(cz_porep_opening *o, const cz_sector_shape *s)
{
    random_inclusion(&o->comm_d, &s->tree_d);
    random_inclusion(&o->comm_r_last, &s->tree_r);
    random_column(&o->c_x, s);
    for (unsigned i = 0; i < CZ_PARENTS; i++)
        random_column(&o->parents[i], s);
    for (unsigned i = 0; i < s->layers; i++)
        random_label(&o->labels[i]);
    random_label(&o->encoding);
}

static inline void random_bytes32(uint8_t b[32])
{
    cz_test_random_bytes(b, 32);
    b[31] &= 0x3f;
}

/* Well-formed in every length and number, and meaningless: for decoders, not for checks. */
static inline cz_porep_vanilla *random_c1(uint64_t registered_proof)
{
    const cz_proof_spec *spec;
    cz_porep_vanilla *v;

    assert_ok(cz_proof_spec_find(&spec, CZ_KIND_POREP, registered_proof, 0));
    assert_ok(cz_porep_vanilla_create(&v, spec));
    for (unsigned i = 0; i < v->n_partitions * v->n_challenges; i++)
        random_opening(&v->openings[i], v->shape);
    random_bytes32(v->comm_d);
    random_bytes32(v->comm_r);
    random_bytes32(v->replica_id);
    cz_test_random_bytes(v->seed, 32);
    cz_test_random_bytes(v->ticket, 32);
    return v;
}

#endif
