/* gen_request.c: a synthetic vanilla proof in the request that a client would send for it. */
#include "filecoin/gen_bincode.h"
#include "filecoin/gen_random.h"
#include "filecoin/gen_vanilla.h"
#include "filecoin/seal.h"

#include <string.h>

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

/* What a request is made from. */
typedef struct {
    const cz_proof_spec *spec;
    uint64_t seed;
    bool sealed; /* from sectors that are sealed for it */
    cz_gen_identity id;
    cz_pool *pool;
} order;

/* Sector i of the request, sealed as the network does today (api 1.1.0); a PoRep as ordered. */
static cz_err seal(cz_sealed_sector **out, const order *o, size_t i)
{
    const cz_gen_identity id = {o->id.miner_id, o->id.sector_number + i};
    const cz_proof_spec *spec = o->spec;

    if (spec->kind != CZ_KIND_POREP)
        CZ_TRY(find_spec(&spec, CZ_KIND_POREP, o->spec->sector_size));
    return cz_seal(out, spec, o->seed, &id, o->pool);
}

/* --- PoRep --- */

static cz_err make_porep(cz_porep_vanilla **out, const order *o)
{
    const cz_gen_stream interactive = {o->seed, "sealed porep seed", 0};
    cz_sealed_sector *sector;
    uint8_t seed[32];
    cz_err err;

    if (!o->sealed)
        return cz_gen_porep(out, o->spec, o->seed, &o->id, o->pool);
    cz_gen_bytes32(seed, &interactive, 0, 0);
    CZ_TRY(seal(&sector, o, 0));
    err = cz_sealed_porep(out, sector, seed);
    cz_sealed_sector_destroy(sector);
    return err;
}

static cz_err put_porep_request(cz_gen_text *t, const order *o)
{
    cz_porep_vanilla *v;

    CZ_TRY(make_porep(&v, o));
    put_head(t, o->spec, o->seed, &o->id);
    put_enveloped_c1(t, v, o->id.sector_number);
    put_tail(t);
    cz_porep_vanilla_destroy(v);
    return CZ_OK;
}

/* --- PoSt --- */

static cz_err open_sealed(cz_post_vanilla *v, const cz_post_statement *s, const order *o, size_t i)
{
    cz_sealed_sector *sector;
    cz_err err;

    CZ_TRY(seal(&sector, o, i));
    err = cz_sealed_post(v, s, i, sector);
    cz_sealed_sector_destroy(sector);
    return err;
}

static cz_err make_post(cz_post_vanilla **out, const cz_post_statement *s, const order *o,
                        size_t n_sectors)
{
    cz_err err = CZ_OK;

    if (!o->sealed)
        return cz_gen_post(out, s, o->seed, o->id.sector_number, n_sectors, o->pool);
    CZ_TRY(cz_post_vanilla_create(out, s->shape, n_sectors, cz_post_openings(s->kind)));
    for (size_t i = 0; i < n_sectors && err == CZ_OK; i++)
        err = open_sealed(*out, s, o, i);
    if (err != CZ_OK)
        cz_post_vanilla_destroy(*out);
    return err;
}

static cz_err put_post_request(cz_gen_text *t, const order *o)
{
    const cz_gen_stream randomness = {o->seed, "post randomness", 0};
    const cz_gen_identity no_sector = {o->id.miner_id, 0};
    cz_post_statement s = {.kind = o->spec->kind,
                           .shape = cz_sector_shape_find(o->spec->sector_size),
                           .api = o->spec->api};
    const size_t n_sectors = s.kind == CZ_KIND_WINNING ? 1 : s.shape->window_sectors;
    cz_post_vanilla *v;

    cz_gen_bytes32(s.randomness, &randomness, 0, 0);
    CZ_TRY(make_post(&v, &s, o, n_sectors));
    put_head(t, o->spec, o->seed, &no_sector);
    put_bytes_field(t, "randomness", s.randomness, sizeof s.randomness);
    put_vanilla_proofs(t, put_post, v, n_sectors);
    put_tail(t);
    cz_post_vanilla_destroy(v);
    return CZ_OK;
}

/* --- update --- */

static cz_err make_snap(cz_snap_vanilla **out, cz_snap_statement *s, const order *o)
{
    cz_sealed_sector *sector;
    cz_err err;

    if (!o->sealed)
        return cz_gen_snap(out, s, o->seed, o->pool);
    CZ_TRY(seal(&sector, o, 0));
    err = cz_sealed_update(out, s, sector, o->seed, o->pool);
    cz_sealed_sector_destroy(sector);
    return err;
}

static cz_err put_snap_request(cz_gen_text *t, const order *o)
{
    cz_snap_statement s = {.shape = cz_sector_shape_find(o->spec->sector_size),
                           .variant = CZ_SNAP_SHA};
    cz_snap_vanilla *v;

    CZ_TRY(make_snap(&v, &s, o));
    put_head(t, o->spec, o->seed, &o->id);
    put_vanilla_proofs(t, put_snap, v, v->dims.partitions);
    put_commitment(t, "commROld", &s.comm_r_old);
    put_commitment(t, "commRNew", &s.comm_r_new);
    put_commitment(t, "commDNew", &s.comm_d_new);
    put_tail(t);
    cz_snap_vanilla_destroy(v);
    return CZ_OK;
}

/* --- any --- */

static cz_err put_request(cz_gen_text *t, const order *o)
{
    if (o->spec->kind == CZ_KIND_POREP)
        return put_porep_request(t, o);
    if (o->spec->kind == CZ_KIND_SNAP)
        return put_snap_request(t, o);
    return put_post_request(t, o);
}

static cz_err fill_order(order *o, const cz_gen_order *from)
{
    const cz_gen_stream whose = {from->seed, "identity", 0};

    o->seed = from->seed;
    o->sealed = from->sealed;
    o->id.miner_id = 1000 + cz_gen_u64(&whose, 0, 0) % MINERS;
    o->id.sector_number = 1 + cz_gen_u64(&whose, 1, 0) % SECTORS;
    if (from->has_registered_proof)
        return cz_proof_spec_find(&o->spec, from->kind, from->registered_proof, from->sector_size);
    return find_spec(&o->spec, from->kind, from->sector_size);
}

cz_err cz_gen_request_for(cz_gen_text *out, const cz_gen_order *from, cz_pool *pool)
{
    order o = {.pool = pool};
    cz_err err;

    *out = (cz_gen_text){0};
    CZ_TRY(fill_order(&o, from));
    err = put_request(out, &o);
    if (err == CZ_OK)
        err = cz_gen_text_status(out);
    if (err != CZ_OK)
        cz_gen_text_clear(out);
    return err;
}

cz_err cz_gen_request(cz_gen_text *out, cz_proof_kind kind, uint64_t sector_size, uint64_t seed,
                      cz_pool *pool)
{
    const cz_gen_order from = {.kind = kind, .sector_size = sector_size, .seed = seed};

    return cz_gen_request_for(out, &from, pool);
}

static cz_err parse_circuit_id(cz_gen_order *out, const char *id)
{
    const char *dash = strrchr(id, '-');
    const size_t len = dash != NULL ? (size_t)(dash - id) : 0;

    for (cz_proof_kind kind = CZ_KIND_POREP; kind <= CZ_KIND_WINNING; kind++) {
        const char *name = cz_proof_kind_name(kind);

        if (strlen(name) == len && memcmp(name, id, len) == 0)
            out->kind = kind;
    }
    out->sector_size = len != 0 ? cz_sector_size_from_tag(dash + 1) : 0;
    if (out->kind == CZ_KIND_UNSPECIFIED || out->sector_size == 0)
        return cz_fail(CZ_E_INPUT, "'%.32s' is no circuit that requests are made for", id);
    return CZ_OK;
}

cz_err cz_gen_circuit_request(cz_request **out, const char *circuit_id, uint64_t seed,
                              cz_pool *pool)
{
    cz_gen_order what = {.seed = seed};
    cz_gen_text text;
    cz_err err;

    CZ_TRY(parse_circuit_id(&what, circuit_id));
    CZ_TRY(cz_gen_request_for(&text, &what, pool));
    err = cz_request_parse(out, text.bytes, text.n);
    cz_gen_text_clear(&text);
    return err;
}
