/* c1_bincode.c: the bincode form of a C1: little-endian, lengths of 64 bits, enum tags of 32, no
 * padding, fields in the order of the Rust structures.
 *
 *   SealCommitPhase1Output   u32 registered_proof, u32 variant (sector size), u64 partitions of
 *                            u64 challenges of openings, comm_r, comm_d, replica_id, seed, ticket
 *   C2Input::V0              u32 0, the above, prover_id, u64 sector
 *
 * The two are told apart by the partition count, which follows from the proof type. */
#include "filecoin/bincode.h"
#include "filecoin/c1.h"

/* --- columns and labels --- */

static cz_err read_column(cz_reader *r, const cz_sector_shape *s, cz_column_proof *c)
{
    CZ_TRY(cz_read_le32(r, &c->index, "column: index"));
    CZ_TRY(cz_bincode_elements(r, c->rows, s->layers, "column: rows"));
    CZ_TRY_IN(cz_bincode_inclusion(r, &s->tree_r, &c->inclusion), "inclusion_proof");
    return CZ_OK;
}

static cz_err read_columns(cz_reader *r, const char *what, const cz_sector_shape *s,
                           cz_column_proof *out, size_t n)
{
    CZ_TRY(cz_bincode_count(r, n, what, "elements"));
    for (size_t i = 0; i < n; i++)
        CZ_TRY_IN(read_column(r, s, &out[i]), "%s[%zu]", what, i);
    return CZ_OK;
}

static cz_err read_replica_columns(cz_reader *r, const cz_sector_shape *s, cz_porep_opening *o)
{
    CZ_TRY_IN(read_column(r, s, &o->c_x), "c_x");
    CZ_TRY(read_columns(r, "drg_parents", s, o->parents, CZ_DRG_PARENTS));
    return read_columns(r, "exp_parents", s, o->parents + CZ_DRG_PARENTS, CZ_EXP_PARENTS);
}

static cz_err read_label(cz_reader *r, cz_label_proof *l)
{
    CZ_TRY(cz_bincode_elements(r, l->parents, CZ_LABEL_PARENTS, "parents"));
    CZ_TRY(cz_read_le32(r, &l->layer, "layer_index"));
    return cz_read_le64(r, &l->node, "node");
}

static cz_err read_labels(cz_reader *r, const cz_sector_shape *s, cz_porep_opening *o)
{
    CZ_TRY(cz_bincode_count(r, s->layers, "labeling_proofs", "elements"));
    for (unsigned i = 0; i < s->layers; i++)
        CZ_TRY_IN(read_label(r, &o->labels[i]), "labeling_proofs[%u]", i);
    return CZ_OK;
}

static cz_err read_opening(cz_reader *r, const cz_sector_shape *s, cz_porep_opening *o)
{
    CZ_TRY_IN(cz_bincode_inclusion(r, &s->tree_d, &o->comm_d), "comm_d_proofs");
    CZ_TRY_IN(cz_bincode_inclusion(r, &s->tree_r, &o->comm_r_last), "comm_r_last_proof");
    CZ_TRY_IN(read_replica_columns(r, s, o), "replica_column_proofs");
    CZ_TRY(read_labels(r, s, o));
    CZ_TRY_IN(read_label(r, &o->encoding), "encoding_proof");
    return CZ_OK;
}

/* --- the whole --- */

static cz_err read_partition(cz_reader *r, cz_porep_vanilla *v, unsigned k)
{
    CZ_TRY(cz_bincode_count(r, v->n_challenges, "vanilla_proofs", "challenges"));
    for (unsigned i = 0; i < v->n_challenges; i++)
        CZ_TRY_IN(read_opening(r, v->shape, cz_porep_opening_at(v, k, i)), "challenge %u", i);
    return CZ_OK;
}

static cz_err read_bytes32(cz_reader *r, uint8_t out[32], const char *what)
{
    const uint8_t *view;

    CZ_TRY(cz_read_bytes(r, &view, 32, what));
    memcpy(out, view, 32);
    return CZ_OK;
}

static cz_err read_trailer(cz_reader *r, cz_porep_vanilla *v)
{
    CZ_TRY(read_bytes32(r, v->comm_r, "comm_r"));
    CZ_TRY(read_bytes32(r, v->comm_d, "comm_d"));
    CZ_TRY(read_bytes32(r, v->replica_id, "replica_id"));
    CZ_TRY(read_bytes32(r, v->seed, "seed"));
    CZ_TRY(read_bytes32(r, v->ticket, "ticket"));
    return cz_c1_check_header(v);
}

static cz_err read_identity(cz_reader *r, cz_porep_vanilla *v)
{
    CZ_TRY(read_bytes32(r, v->prover_id, "prover_id"));
    CZ_TRY(cz_read_le64(r, &v->sector_number, "sector"));
    v->has_prover_id = v->has_sector_number = true;
    return CZ_OK;
}

static cz_err read_body(cz_reader *r, cz_porep_vanilla *v, bool c2_input)
{
    for (unsigned k = 0; k < v->n_partitions; k++)
        CZ_TRY_IN(read_partition(r, v, k), "partition %u", k);
    CZ_TRY(read_trailer(r, v));
    if (c2_input)
        CZ_TRY(read_identity(r, v));
    return cz_bincode_end(r);
}

/* registered_proof, variant, partitions */
typedef struct {
    uint32_t registered_proof, variant;
    uint64_t partitions;
} header;

static cz_err read_header(cz_reader *r, header *h)
{
    CZ_TRY(cz_read_le32(r, &h->registered_proof, "registered_proof"));
    CZ_TRY(cz_read_le32(r, &h->variant, "vanilla_proofs"));
    return cz_read_le64(r, &h->partitions, "vanilla_proofs");
}

/* C2Input::V0 reads as a bare C1 with registered_proof 0, but then the low half of the partition
 * count is the variant (0 at best) and the high half the true count's low one. */
static bool looks_like_c2_input(const uint8_t *bytes, size_t n)
{
    return n >= 16 && cz_load_le32(bytes) == 0 && cz_load_le64(bytes + 8) >> 32 != 0;
}

static cz_err check_header(const header *h, const cz_proof_spec **out)
{
    const cz_proof_spec *variant;

    CZ_TRY(cz_proof_spec_find(out, CZ_KIND_POREP, h->registered_proof, 0));
    variant = cz_c1_variant(h->variant);
    if (variant == NULL)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs: variant %u is unknown", h->variant);
    CZ_TRY_IN(cz_c1_check_variant(variant, *out), "vanilla_proofs");
    CZ_TRY_IN(cz_expect_count(h->partitions, (*out)->partitions, "partitions"), "vanilla_proofs");
    return CZ_OK;
}

static cz_err decode(cz_porep_vanilla **out, const uint8_t *bytes, size_t n)
{
    const bool c2_input = looks_like_c2_input(bytes, n);
    const size_t skip = c2_input ? 4 : 0;
    cz_reader r = cz_reader_init(bytes + skip, n - skip);
    const cz_proof_spec *spec;
    cz_porep_vanilla *v;
    header h;
    cz_err err;

    CZ_TRY(read_header(&r, &h));
    CZ_TRY(check_header(&h, &spec));
    CZ_TRY(cz_porep_vanilla_create(&v, spec));
    err = read_body(&r, v, c2_input);
    if (err != CZ_OK) {
        cz_porep_vanilla_destroy(v);
        return err;
    }
    *out = v;
    return CZ_OK;
}

cz_err cz_c1_bincode_decode(cz_porep_vanilla **out, const uint8_t *bytes, size_t n)
{
    CZ_TRY_IN(decode(out, bytes, n), "bincode C1");
    return CZ_OK;
}
