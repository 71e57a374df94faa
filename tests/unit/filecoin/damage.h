/* damage.h: requests that differ from a good one in one place, and the sentence that each must be
 * refused with. */
#ifndef CZ_TESTS_FILECOIN_DAMAGE_H
#define CZ_TESTS_FILECOIN_DAMAGE_H

#include "filecoin/gen_vanilla.h"
#include "filecoin/job.h"
#include "golden.h"

static inline cz_request *good_request(cz_proof_kind kind)
{
    cz_request *request;
    cz_gen_text text;

    assert_ok(cz_gen_request(&text, kind, 2048, 3, NULL));
    assert_ok(cz_request_parse(&request, text.bytes, text.n));
    cz_gen_text_clear(&text);
    return request;
}

static inline void assert_good(const cz_request *request)
{
    cz_job *job;

    assert_ok(cz_job_create(&job, request, NULL));
    cz_job_destroy(job);
}

static inline void assert_refused(const cz_request *request, const char *text)
{
    cz_job *job;

    assert_fails(cz_job_create(&job, request, NULL), CZ_E_INPUT, text);
}

/* --- bytes of the first vanilla proof --- */

typedef enum { SET_U32, SET_U64, ALL_ONES_32, FLIP } damage_kind;

typedef struct {
    size_t offset;
    damage_kind kind;
    uint64_t value;
    const char *text; /* of the refusal */
} damage;

static inline void apply_damage(uint8_t *bytes, const damage *d)
{
    uint8_t *at = bytes + d->offset;

    switch (d->kind) {
    case SET_U32:
        cz_store_le32(at, (uint32_t)d->value);
        break;
    case SET_U64:
        cz_store_le64(at, d->value);
        break;
    case ALL_ONES_32:
        memset(at, 0xff, 32);
        break;
    case FLIP:
        *at ^= 1;
        break;
    }
}

static inline void check_damage(cz_proof_kind kind, const damage *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cz_request *request = good_request(kind);

        apply_damage(request->vanilla_proofs[0], &list[i]);
        assert_refused(request, list[i].text);
        cz_request_destroy(request);
    }
}

/* Every prefix of the first vanilla proof, and one byte more. */
static inline void check_lengths(cz_proof_kind kind)
{
    cz_request *request = good_request(kind);
    const size_t n = request->vanilla_proof_lens[0];

    for (size_t k = 0; k < n; k += k < 700 || k + 80 > n ? 1 : 61) {
        request->vanilla_proof_lens[0] = k;
        assert_refused(request, "vanilla_proofs: [0]: ");
    }
    request->vanilla_proofs[0] = realloc(request->vanilla_proofs[0], n + 1);
    assert_non_null(request->vanilla_proofs[0]);
    request->vanilla_proofs[0][n] = 0;
    request->vanilla_proof_lens[0] = n + 1;
    assert_refused(request, "1 bytes too many");
    cz_request_destroy(request);
}

/* Any single bit of the first vanilla proof. */
static inline void check_bits(cz_proof_kind kind, size_t stride)
{
    cz_request *request = good_request(kind);

    for (size_t i = 0; i < request->vanilla_proof_lens[0]; i += stride) {
        request->vanilla_proofs[0][i] ^= (uint8_t)(1u << (i % 8));
        assert_refused(request, "vanilla_proofs: [0]: ");
        request->vanilla_proofs[0][i] ^= (uint8_t)(1u << (i % 8));
    }
    assert_good(request);
    cz_request_destroy(request);
}

#endif
