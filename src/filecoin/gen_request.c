/* gen_request.c: a synthetic vanilla proof in the request that a client would send for it. */
#include "filecoin/gen_bincode.h"
#include "filecoin/gen_random.h"
#include "filecoin/gen_vanilla.h"

enum { MINERS = 1 << 20, SECTORS = 1 << 24 };

/* The api version that requests are made for. */
static cz_api_version api_of(cz_proof_kind kind)
{
    switch (kind) {
    case CZ_KIND_WINDOW:
        return CZ_API_1_2;
    case CZ_KIND_WINNING:
        return CZ_API_1_0;
    default:
        return CZ_API_1_1;
    }
}

static cz_err find_spec(const cz_proof_spec **out, cz_proof_kind kind, uint64_t sector_size)
{
    size_t n;
    const cz_proof_spec *specs = cz_proof_specs(&n);

    for (size_t i = 0; i < n; i++)
        if (specs[i].kind == kind && specs[i].sector_size == sector_size &&
            specs[i].api == api_of(kind)) {
            *out = &specs[i];
            return CZ_OK;
        }
    return cz_fail(CZ_E_NOTFOUND, "no registered %s proof has sectors of %llu bytes",
                   cz_proof_kind_name(kind), (unsigned long long)sector_size);
}

/* --- fields --- */

static void put_text_field(cz_gen_text *t, const char *key, const char *value)
{
    cz_gen_put_string(t, "\"");
    cz_gen_put_string(t, key);
    cz_gen_put_string(t, "\":\"");
    cz_gen_put_string(t, value);
    cz_gen_put_string(t, "\",");
}

/* 64-bit numbers are strings in proto3's JSON. */
static void put_number_field(cz_gen_text *t, const char *key, uint64_t value)
{
    cz_gen_put_string(t, "\"");
    cz_gen_put_string(t, key);
    cz_gen_put_string(t, "\":\"");
    cz_gen_put_number(t, value);
    cz_gen_put_string(t, "\",");
}

static void put_bytes_field(cz_gen_text *t, const char *key, const uint8_t *bytes, size_t n)
{
    cz_gen_put_string(t, "\"");
    cz_gen_put_string(t, key);
    cz_gen_put_string(t, "\":\"");
    cz_gen_put_base64(t, bytes, n);
    cz_gen_put_string(t, "\",");
}

static void put_commitment(cz_gen_text *t, const char *key, const cz_fr *comm)
{
    uint8_t bytes[32];

    cz_fr_to_le(bytes, comm);
    put_bytes_field(t, key, bytes, sizeof bytes);
}

static void put_head(cz_gen_text *t, const cz_proof_spec *spec, uint64_t seed,
                     const cz_gen_identity *id)
{
    static const char *const kinds[] = {"PROOF_KIND_UNSPECIFIED", "POREP_SEAL_COMMIT",
                                        "SNAP_DEALS_UPDATE", "WINDOW_POST_PARTITION",
                                        "WINNING_POST"};

    cz_gen_put_string(t, "{\"requestId\":\"gen-vanilla-");
    cz_gen_put_string(t, cz_proof_kind_name(spec->kind));
    cz_gen_put_string(t, "-");
    cz_gen_put_string(t, cz_sector_size_tag(spec->sector_size));
    cz_gen_put_string(t, "-");
    cz_gen_put_number(t, seed);
    cz_gen_put_string(t, "\",");
    put_text_field(t, "proofKind", kinds[spec->kind]);
    put_number_field(t, "sectorSize", spec->sector_size);
    put_number_field(t, "registeredProof", spec->number);
    put_number_field(t, "minerId", id->miner_id);
    put_number_field(t, "sectorNumber", id->sector_number);
}

static void put_tail(cz_gen_text *t)
{
    cz_gen_put_string(t, "\"partitionIndex\":0}\n");
}

/* One vanilla proof after the other, each encoded on its own. */
typedef void (*put_fn)(cz_gen_text *t, const void *vanilla, size_t i);

static void put_post(cz_gen_text *t, const void *vanilla, size_t i)
{
    cz_gen_put_post_sector(t, vanilla, i);
}

static void put_snap(cz_gen_text *t, const void *vanilla, size_t i)
{
    cz_gen_put_snap_partition(t, vanilla, i);
}

static void put_vanilla_proofs(cz_gen_text *t, put_fn put, const void *vanilla, size_t n)
{
    cz_gen_text one = {0};

    cz_gen_put_string(t, "\"vanillaProofs\":[");
    for (size_t i = 0; i < n; i++) {
        one.n = 0;
        put(&one, vanilla, i);
        t->failed |= one.failed;
        cz_gen_put_string(t, i == 0 ? "\"" : ",\"");
        cz_gen_put_base64(t, one.bytes, one.n);
        cz_gen_put_string(t, "\"");
    }
    cz_gen_put_string(t, "],");
    cz_gen_text_clear(&one);
}

/* --- kinds --- */

/* Curio's envelope around the C1, as PoRep requests carry it. */
static void put_enveloped_c1(cz_gen_text *t, const cz_porep_vanilla *v, uint64_t sector_number)
{
    cz_gen_text c1 = {0}, envelope = {0};

    cz_gen_put_c1_json(&c1, v);
    cz_gen_put_string(&envelope, "{\"SectorNum\":");
    cz_gen_put_number(&envelope, sector_number);
    cz_gen_put_string(&envelope, ",\"Phase1Out\":\"");
    cz_gen_put_base64(&envelope, c1.bytes, c1.n);
    cz_gen_put_string(&envelope, "\",\"SectorSize\":");
    cz_gen_put_number(&envelope, v->spec->sector_size);
    cz_gen_put_string(&envelope, "}");
    t->failed |= c1.failed || envelope.failed;
    cz_gen_text_clear(&c1);
    put_bytes_field(t, "vanillaProof", envelope.bytes, envelope.n);
    cz_gen_text_clear(&envelope);
}

static cz_err put_porep_request(cz_gen_text *t, const cz_proof_spec *spec, uint64_t seed,
                                const cz_gen_identity *id, cz_pool *pool)
{
    cz_porep_vanilla *v;

    CZ_TRY(cz_gen_porep(&v, spec, seed, id, pool));
    put_head(t, spec, seed, id);
    put_enveloped_c1(t, v, id->sector_number);
    put_tail(t);
    cz_porep_vanilla_destroy(v);
    return CZ_OK;
}

static cz_err put_post_request(cz_gen_text *t, const cz_proof_spec *spec, uint64_t seed,
                               const cz_gen_identity *id, cz_pool *pool)
{
    const cz_gen_stream randomness = {seed, "post randomness", 0};
    const cz_gen_identity no_sector = {id->miner_id, 0};
    cz_post_statement s = {
        .kind = spec->kind, .shape = cz_sector_shape_find(spec->sector_size), .api = spec->api};
    const size_t n_sectors = spec->kind == CZ_KIND_WINNING ? 1 : s.shape->window_sectors;
    cz_post_vanilla *v;

    cz_gen_bytes32(s.randomness, &randomness, 0, 0);
    CZ_TRY(cz_gen_post(&v, &s, seed, id->sector_number, n_sectors, pool));
    put_head(t, spec, seed, &no_sector);
    put_bytes_field(t, "randomness", s.randomness, sizeof s.randomness);
    put_vanilla_proofs(t, put_post, v, n_sectors);
    put_tail(t);
    cz_post_vanilla_destroy(v);
    return CZ_OK;
}

static cz_err put_snap_request(cz_gen_text *t, const cz_proof_spec *spec, uint64_t seed,
                               const cz_gen_identity *id, cz_pool *pool)
{
    cz_snap_statement s = {.shape = cz_sector_shape_find(spec->sector_size),
                           .variant = CZ_SNAP_SHA};
    cz_snap_vanilla *v;

    CZ_TRY(cz_gen_snap(&v, &s, seed, pool));
    put_head(t, spec, seed, id);
    put_vanilla_proofs(t, put_snap, v, v->dims.partitions);
    put_commitment(t, "commROld", &s.comm_r_old);
    put_commitment(t, "commRNew", &s.comm_r_new);
    put_commitment(t, "commDNew", &s.comm_d_new);
    put_tail(t);
    cz_snap_vanilla_destroy(v);
    return CZ_OK;
}

static cz_err put_request(cz_gen_text *t, const cz_proof_spec *spec, uint64_t seed, cz_pool *pool)
{
    const cz_gen_stream whose = {seed, "identity", 0};
    const cz_gen_identity id = {1000 + cz_gen_u64(&whose, 0, 0) % MINERS,
                                1 + cz_gen_u64(&whose, 1, 0) % SECTORS};

    if (spec->kind == CZ_KIND_POREP)
        return put_porep_request(t, spec, seed, &id, pool);
    if (spec->kind == CZ_KIND_SNAP)
        return put_snap_request(t, spec, seed, &id, pool);
    return put_post_request(t, spec, seed, &id, pool);
}

cz_err cz_gen_request(cz_gen_text *out, cz_proof_kind kind, uint64_t sector_size, uint64_t seed,
                      cz_pool *pool)
{
    const cz_proof_spec *spec;
    cz_err err;

    *out = (cz_gen_text){0};
    CZ_TRY(find_spec(&spec, kind, sector_size));
    err = put_request(out, spec, seed, pool);
    if (err == CZ_OK)
        err = cz_gen_text_status(out);
    if (err != CZ_OK)
        cz_gen_text_clear(out);
    return err;
}
