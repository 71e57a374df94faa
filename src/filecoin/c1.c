/* c1.c: which form a C1 has, and its decoder; see c1.h. */
#include "filecoin/c1.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "filecoin/comm.h"

enum { N_VARIANTS = 5 };

/* The text of a C1 has 0.565 values and separators a byte, as the bytes of hashes have 2.5 digits
 * on average. A text may have 5/8, and a few when it is small. Each takes 12 bytes while it is
 * parsed (json.h): 7.5 a byte of text, and 1 for its copy, 3/8 for strings in the rest. An envelope
 * takes less: what is in it is 3/4 as long, and parsed when the envelope's document is gone. */
enum { JSON_BYTES_A_BYTE = 9, FEW_VALUES = 1 << 15 };

/* What is decoded is not longer than its bincode, but for openings that turn out to be missing:
 * room is made for all 2268 of the largest proof, 2 KB each without their elements. Beside it,
 * pages that are touched in part. */
enum { BINCODE_BYTES_A_BYTE = 2, FIXED_BYTES = 8 << 20 };

bool cz_looks_like_json(const uint8_t *bytes, size_t n)
{
    size_t i = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (i < n && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\n' || bytes[i] == '\r'))
        i++;
    return i < n && bytes[i] == '{';
}

cz_err cz_expect_count(uint64_t found, uint64_t expected, const char *of)
{
    if (found == expected)
        return CZ_OK;
    return cz_fail(CZ_E_INPUT, "%" PRIu64 " %s, expected %" PRIu64, found, of, expected);
}

const cz_proof_spec *cz_c1_variant(uint64_t number)
{
    const cz_proof_spec *spec;

    if (number >= N_VARIANTS || cz_proof_spec_find(&spec, CZ_KIND_POREP, number, 0) != CZ_OK)
        return NULL;
    return spec;
}

cz_err cz_c1_check_variant(const cz_proof_spec *variant, const cz_proof_spec *spec)
{
    if (variant->sector_size == spec->sector_size)
        return CZ_OK;
    return cz_fail(CZ_E_INPUT,
                   "sector sizes are mixed: the proofs are %s (%" PRIu64
                   " bytes), registered_proof is %s (%" PRIu64 " bytes)",
                   variant->name, variant->sector_size, spec->name, spec->sector_size);
}

cz_err cz_c1_check_header(const cz_porep_vanilla *v)
{
    cz_fr ignored;

    CZ_TRY_IN(cz_fr_from_bytes(&ignored, v->comm_r), "comm_r");
    CZ_TRY_IN(cz_fr_from_bytes(&ignored, v->comm_d), "comm_d");
    CZ_TRY_IN(cz_fr_from_bytes(&ignored, v->replica_id), "replica_id");
    return CZ_OK;
}

/* What the envelope says, the C1 itself still in its bytes. */
typedef struct {
    uint64_t sector_number, sector_size;
    uint8_t *c1; /* owned */
    size_t c1_len;
} envelope;

static cz_err read_phase1_out(envelope *e, cz_json v)
{
    const char *text;
    size_t n;

    CZ_TRY(cz_json_string(v, &text, &n));
    e->c1 = malloc(cz_base64_max_decoded(n) + 1);
    if (e->c1 == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to decode base64");
    return cz_base64_decode(e->c1, &e->c1_len, text, n);
}

static cz_err read_envelope(envelope *e, cz_json root)
{
    cz_json v;

    CZ_TRY(cz_json_field(root, "SectorNum", &v));
    CZ_TRY_IN(cz_json_u64(v, &e->sector_number), "SectorNum");
    CZ_TRY(cz_json_field(root, "SectorSize", &v));
    CZ_TRY_IN(cz_json_u64(v, &e->sector_size), "SectorSize");
    CZ_TRY(cz_json_field(root, "Phase1Out", &v));
    CZ_TRY_IN(read_phase1_out(e, v), "Phase1Out");
    return CZ_OK;
}

static bool is_envelope(cz_json root)
{
    cz_json_iter it;
    cz_json v;
    const char *key;

    if (cz_json_iterate(root, &it) != CZ_OK)
        return false;
    while (cz_json_next(&it, &v, &key))
        if (strcmp(key, "Phase1Out") == 0)
            return true;
    return false;
}

/* One layer of JSON: either the C1, decoded into *out, or an envelope, taken out of the JSON. The
 * document is gone afterwards, so that two of them are never held. */
static cz_err decode_json_layer(cz_porep_vanilla **out, envelope *e, const uint8_t *bytes, size_t n)
{
    cz_json_doc *doc;
    cz_json root;
    cz_err err;

    CZ_TRY(cz_json_parse_within(&doc, &root, (const char *)bytes, n, n / 8 * 5 + FEW_VALUES));
    err = e != NULL && is_envelope(root) ? read_envelope(e, root) : cz_c1_json_decode(out, root);
    cz_json_destroy(doc);
    return err;
}

static cz_err decode_bare(cz_porep_vanilla **out, const uint8_t *bytes, size_t n)
{
    if (cz_looks_like_json(bytes, n))
        return decode_json_layer(out, NULL, bytes, n);
    return cz_c1_bincode_decode(out, bytes, n);
}

static cz_err decode_enveloped(cz_porep_vanilla **out, const envelope *e)
{
    cz_porep_vanilla *v;

    CZ_TRY_IN(decode_bare(&v, e->c1, e->c1_len), "Phase1Out");
    if (v->spec->sector_size != e->sector_size) {
        cz_err err = cz_fail(CZ_E_INPUT,
                             "SectorSize: %" PRIu64 ", but registered_proof in Phase1Out is %s"
                             " (%" PRIu64 " bytes)",
                             e->sector_size, v->spec->name, v->spec->sector_size);
        cz_porep_vanilla_destroy(v);
        return err;
    }
    v->has_sector_number = true;
    v->sector_number = e->sector_number;
    *out = v;
    return CZ_OK;
}

cz_err cz_c1_decode(cz_porep_vanilla **out, const uint8_t *bytes, size_t n)
{
    envelope e = {0};
    cz_err err;

    if (n == 0)
        return cz_fail(CZ_E_INPUT, "the C1 output is empty");
    if (!cz_looks_like_json(bytes, n))
        return cz_c1_bincode_decode(out, bytes, n);
    err = decode_json_layer(out, &e, bytes, n);
    if (err == CZ_OK && e.c1 != NULL)
        err = decode_enveloped(out, &e);
    free(e.c1);
    return err;
}

uint64_t cz_c1_decode_bytes(const uint8_t *bytes, size_t n)
{
    const bool may_be_json = bytes == NULL || cz_looks_like_json(bytes, n);

    return (uint64_t)n * (may_be_json ? JSON_BYTES_A_BYTE : BINCODE_BYTES_A_BYTE) + FIXED_BYTES;
}
