/* Malformed PoSt requests: each is refused with a sentence that names sector, challenge and field.
 */
#include "damage.h"

/* Offsets in the vanilla proof of a 2 KiB sector: number 0, comm_r 8, sectors 40, number of proofs
 * 48; the first proof: variant 56, root 60, leaf 92, levels 124, and a level: siblings 132, the
 * first 140, index 364. After 10 proofs of 556 bytes comm_c and comm_r_last. */
enum {
    PROOF = 56,
    PROOF_BYTES = 556,
    COMM_C = PROOF + 10 * PROOF_BYTES,
    COMM_R_LAST = COMM_C + 32
};

static const damage window_damage[] = {
    /* what the decoder refuses */
    {8, ALL_ONES_32, 0, "comm_r: not a field element"},
    {40, SET_U64, 0, "vanilla_proof: 0 sectors, expected 1"},
    {40, SET_U64, UINT64_MAX, "vanilla_proof: 18446744073709551615 sectors, expected 1"},
    {48, SET_U64, 9, "inclusion_proofs: 9 proofs, expected 10"},
    {48, SET_U64, 66, "inclusion_proofs: 66 proofs, expected 10"},
    {48, SET_U64, UINT64_MAX, "inclusion_proofs: 18446744073709551615 proofs"},
    {56, SET_U32, 1, "inclusion_proofs[0]: variant 1 of a Merkle proof, expected 0"},
    {56, SET_U32, 7, "inclusion_proofs[0]: variant 7"},
    {PROOF + PROOF_BYTES, SET_U32, 2, "inclusion_proofs[1]: variant 2"},
    {60, ALL_ONES_32, 0, "inclusion_proofs[0]: root: not a field element"},
    {92, ALL_ONES_32, 0, "inclusion_proofs[0]: leaf: not a field element"},
    {124, SET_U64, 3, "inclusion_proofs[0]: path: 3 elements, expected 2"},
    {132, SET_U64, 8, "inclusion_proofs[0]: path: path[0]: hashes: 8 elements, expected 7"},
    {140, ALL_ONES_32, 0, "path[0]: hashes[0]: element: not a field element"},
    {364, SET_U64, 8, "path[0]: index: 8 is above 7"},
    {364, SET_U64, UINT64_C(1) << 32, "path[0]: index: 4294967296 is above 7"},
    {COMM_C, ALL_ONES_32, 0, "comm_c: not a field element"},
    {COMM_R_LAST, ALL_ONES_32, 0, "comm_r_last: not a field element"},
    /* what the checks refuse */
    {0, FLIP, 0, "challenge 0: proves node"},
    {8, FLIP, 0, "comm_r is not the hash of comm_c and comm_r_last"},
    {60, FLIP, 0, "challenge 0: root differs from comm_r_last"},
    {92, FLIP, 0, "challenge 0: path does not lead from the leaf to the root"},
    {140, FLIP, 0, "challenge 0: path does not lead from the leaf to the root"},
    {PROOF + 3 * PROOF_BYTES + 90, FLIP, 0, "challenge 3: "},
    {COMM_C, FLIP, 0, "comm_r is not the hash"},
    {COMM_R_LAST, FLIP, 0, "comm_r is not the hash"},
};

static void test_damaged_bytes(void **state)
{
    (void)state;
    check_damage(CZ_KIND_WINDOW, window_damage, sizeof window_damage / sizeof window_damage[0]);
}

static void test_lengths(void **state)
{
    (void)state;
    check_lengths(CZ_KIND_WINDOW);
    check_lengths(CZ_KIND_WINNING);
}

static void test_every_bit_matters(void **state)
{
    (void)state;
    check_bits(CZ_KIND_WINDOW, 23);
}

/* --- the request around the proofs --- */

typedef void (*change_fn)(cz_request *r);

static void no_sectors(cz_request *r)
{
    for (size_t i = 0; i < r->n_vanilla_proofs; i++)
        free(r->vanilla_proofs[i]);
    r->n_vanilla_proofs = 0;
}

/* One more slot, a copy of the last sector under number `number`. */
static void add_sector(cz_request *r, uint64_t number)
{
    const size_t n = r->n_vanilla_proofs;

    r->vanilla_proofs = realloc(r->vanilla_proofs, (n + 1) * sizeof *r->vanilla_proofs);
    r->vanilla_proof_lens = realloc(r->vanilla_proof_lens, (n + 1) * sizeof *r->vanilla_proof_lens);
    assert_true(r->vanilla_proofs != NULL && r->vanilla_proof_lens != NULL);
    r->vanilla_proof_lens[n] = r->vanilla_proof_lens[n - 1];
    r->vanilla_proofs[n] = malloc(r->vanilla_proof_lens[n]);
    assert_non_null(r->vanilla_proofs[n]);
    memcpy(r->vanilla_proofs[n], r->vanilla_proofs[n - 1], r->vanilla_proof_lens[n]);
    cz_store_le64(r->vanilla_proofs[n], number);
    r->n_vanilla_proofs = n + 1;
}

static void one_sector_more(cz_request *r)
{
    add_sector(r, 5);
}

static void sector_twice(cz_request *r)
{
    memcpy(r->vanilla_proofs[1], r->vanilla_proofs[0], r->vanilla_proof_lens[0]);
}

static void empty_sector(cz_request *r)
{
    r->vanilla_proof_lens[1] = 0;
}

static void other_randomness(cz_request *r)
{
    r->randomness[0] ^= 1;
}

static void no_randomness(cz_request *r)
{
    r->has_randomness = false;
}

static void c1_beside(cz_request *r)
{
    r->vanilla_proof = calloc(1, 1);
    r->vanilla_proof_len = 1;
}

static void number_of_winning(cz_request *r)
{
    r->registered_proof = 0;
}

static void unknown_number(cz_request *r)
{
    r->registered_proof = 15;
}

static void other_size(cz_request *r)
{
    r->sector_size = 8 << 20;
}

static void proof_of_other_size(cz_request *r)
{
    r->registered_proof = 11;
    r->sector_size = 0;
}

static void older_api(cz_request *r)
{
    r->registered_proof = 5; /* the second sector's challenges are others there */
}

static void taken_for_winning(cz_request *r)
{
    r->kind = CZ_KIND_WINNING;
    r->registered_proof = 0;
}

static const struct {
    change_fn change;
    const char *text;
} changes[] = {
    {no_sectors, "vanilla_proofs: no sectors"},
    {one_sector_more, "vanilla_proofs: 3 sectors, a wpost proof of 2k takes at most 2"},
    {sector_twice, "is given twice, as [0] and [1]"},
    {empty_sector, "vanilla_proofs: [1]: sector_id: "},
    {other_randomness, "(2 faulty sectors: "},
    {no_randomness, "randomness is not given"},
    {c1_beside, "vanilla_proof: a PoSt has its sectors in vanilla_proofs"},
    {number_of_winning, "registered proof 0 is StackedDrgWinning2KiBV1, a winning proof"},
    {unknown_number, "wpost: registered proof 15 is unknown"},
    {other_size, "but sector_size is 8388608"},
    {proof_of_other_size, "inclusion_proofs[0]: path: 2 elements, expected 6"},
    {older_api, "vanilla_proofs: [1]: sector "},
    {taken_for_winning, "vanilla_proofs: 2 sectors, a winning proof of 2k takes at most 1"},
};

static void test_changed_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        cz_request *request = good_request(CZ_KIND_WINDOW);

        assert_good(request);
        changes[i].change(request);
        assert_refused(request, changes[i].text);
        cz_request_destroy(request);
    }
}

/* A winning proof has 66 openings; the two top bits of randomness do not count. */
static void test_winning(void **state)
{
    cz_request *request = good_request(CZ_KIND_WINNING);

    (void)state;
    request->randomness[31] |= 0xc0;
    assert_good(request);
    cz_store_le64(request->vanilla_proofs[0] + 48, 65);
    assert_refused(request, "inclusion_proofs: 65 proofs, expected 66");
    cz_request_destroy(request);
}

/* Faulty sectors are all named, and a long list is cut. */
static void test_faulty_sectors_are_listed(void **state)
{
    cz_request *request = good_request(CZ_KIND_WINDOW);
    const unsigned long long second = cz_load_le64(request->vanilla_proofs[1]);
    char text[64];

    (void)state;
    request->vanilla_proofs[1][140] ^= 1;
    (void)snprintf(text, sizeof text, "(1 faulty sector: %llu)", second);
    assert_refused(request, text);
    (void)snprintf(text, sizeof text, "[1]: sector %llu: challenge 0: ", second);
    assert_refused(request, text);
    cz_request_destroy(request);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_damaged_bytes),     cmocka_unit_test(test_lengths),
    cmocka_unit_test(test_every_bit_matters), cmocka_unit_test(test_changed_requests),
    cmocka_unit_test(test_winning),           cmocka_unit_test(test_faulty_sectors_are_listed),
};

CZ_TEST_MAIN(cases)
