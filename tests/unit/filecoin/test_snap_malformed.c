/* Malformed update requests: each is refused with a sentence that names partition, challenge and
 * field. */
#include "damage.h"

/* Offsets in the vanilla proof of a 2 KiB partition: comm_c 0, number of apex leaves 32, the
 * leaves, number of challenges 296; the first challenge: proof_r_old at 304 (variant, root +4, leaf
 * +36, levels +68, siblings +76, the first +84, index +308), proof_d_new 556 later (levels of one
 * sibling: +76, +84, index +116), proof_r_new 364 later. */
enum { R_OLD = 304, D_NEW = R_OLD + 556, R_NEW = D_NEW + 364, SECOND = R_NEW + 556 };

static const damage snap_damage[] = {
    /* what the decoder refuses */
    {0, ALL_ONES_32, 0, "comm_c: not a field element"},
    {32, SET_U64, 7, "apex_leafs: 7 elements, expected 8"},
    {32, SET_U64, UINT64_MAX, "apex_leafs: 18446744073709551615 elements"},
    {40 + 32, ALL_ONES_32, 0, "apex_leafs[1]: element: not a field element"},
    {296, SET_U64, 11, "challenge_proofs: 11 challenges, expected 10"},
    {R_OLD, SET_U32, 1, "challenge_proofs[0]: proof_r_old: variant 1"},
    {R_OLD + 68, SET_U64, 6, "proof_r_old: path: 6 elements, expected 2"},
    {R_OLD + 84, ALL_ONES_32, 0, "proof_r_old: path: path[0]: hashes[0]: element: not a field"},
    {R_OLD + 308, SET_U64, 8, "proof_r_old: path: path[0]: index: 8 is above 7"},
    {D_NEW, SET_U32, 2, "challenge_proofs[0]: proof_d_new: variant 2"},
    {D_NEW + 68, SET_U64, 2, "proof_d_new: path: 2 elements, expected 6"},
    {D_NEW + 76, SET_U64, 7, "proof_d_new: path: path[0]: hashes: 7 elements, expected 1"},
    {D_NEW + 116, SET_U64, 2, "proof_d_new: path: path[0]: index: 2 is above 1"},
    {R_NEW + 36, ALL_ONES_32, 0, "proof_r_new: leaf: not a field element"},
    {SECOND, SET_U32, 9, "challenge_proofs[1]: proof_r_old: variant 9"},
    /* what the checks refuse */
    {0, FLIP, 0, "comm_c and the root of challenge_proofs[0]: proof_r_old do not give comm_r_old"},
    {40, FLIP, 0, "apex_leafs"},
    {R_OLD + 4, FLIP, 0, "proof_r_old do not give comm_r_old"},
    {R_OLD + 36, FLIP, 0, "challenge_proofs[0]: proof_r_old: path does not lead"},
    {R_OLD + 84, FLIP, 0, "challenge_proofs[0]: proof_r_old: path does not lead"},
    {R_OLD + 308, FLIP, 0, "challenge_proofs[0]: proof_r_old: proves node"},
    {D_NEW + 4, FLIP, 0, "challenge_proofs[0]: proof_d_new: root differs from comm_d_new"},
    {D_NEW + 84, FLIP, 0, "challenge_proofs[0]: proof_d_new: path does not lead"},
    {D_NEW + 116, FLIP, 0, "challenge_proofs[0]: proof_d_new: proves node"},
    {R_NEW + 4, FLIP, 0, "proof_r_new do not give comm_r_new"},
    {R_NEW + 36, FLIP, 0, "challenge_proofs[0]: proof_r_new: path does not lead"},
    {SECOND + 4, FLIP, 0,
     "challenge_proofs[1]: proof_r_old: root differs from that of challenge_proofs[0]"},
};

static void test_damaged_bytes(void **state)
{
    (void)state;
    check_damage(CZ_KIND_SNAP, snap_damage, sizeof snap_damage / sizeof snap_damage[0]);
}

static void test_lengths(void **state)
{
    (void)state;
    check_lengths(CZ_KIND_SNAP);
}

static void test_every_bit_matters(void **state)
{
    (void)state;
    check_bits(CZ_KIND_SNAP, 37);
}

/* --- the request around the proofs --- */

typedef void (*change_fn)(cz_request *r);

static void no_partitions(cz_request *r)
{
    free(r->vanilla_proofs[0]);
    r->n_vanilla_proofs = 0;
}

static void number_of_four_partitions(cz_request *r)
{
    r->registered_proof = 1;
    r->sector_size = 0;
}

static void other_size(cz_request *r)
{
    r->sector_size = UINT64_C(32) << 30;
}

static void unknown_number(cz_request *r)
{
    r->registered_proof = 5;
}

static void no_comm_r_old(cz_request *r)
{
    r->has_comm_r_old = false;
}

static void no_comm_r_new(cz_request *r)
{
    r->has_comm_r_new = false;
}

static void no_comm_d_new(cz_request *r)
{
    r->has_comm_d_new = false;
}

static void large_comm_d_new(cz_request *r)
{
    memset(r->comm_d_new, 0xff, 32);
}

static void other_comm_r_old(cz_request *r)
{
    r->comm_r_old[0] ^= 1;
}

static void other_comm_r_new(cz_request *r)
{
    r->comm_r_new[0] ^= 1;
}

static void other_comm_d_new(cz_request *r)
{
    r->comm_d_new[0] ^= 1;
}

static void swapped_comm_r(cz_request *r)
{
    uint8_t old[32];

    memcpy(old, r->comm_r_old, 32);
    memcpy(r->comm_r_old, r->comm_r_new, 32);
    memcpy(r->comm_r_new, old, 32);
}

static void c1_beside(cz_request *r)
{
    r->vanilla_proof = calloc(1, 1);
    r->vanilla_proof_len = 1;
}

static const struct {
    change_fn change;
    const char *text;
} changes[] = {
    {no_partitions, "vanilla_proofs: 0 partitions, a snap proof of 2k has 1"},
    {number_of_four_partitions, "vanilla_proofs: 1 partitions, a snap proof of 8m has 4"},
    {other_size, "but sector_size is 34359738368"},
    {unknown_number, "snap: registered proof 5 is unknown"},
    {no_comm_r_old, "comm_r_old is not given"},
    {no_comm_r_new, "comm_r_new is not given"},
    {no_comm_d_new, "comm_d_new is not given"},
    {large_comm_d_new, "comm_d_new: not a field element"},
    {other_comm_r_old, "do not give comm_r_old"},
    {other_comm_r_new, "do not give comm_r_new"},
    {other_comm_d_new, "challenge_proofs[0]: proof_d_new: root differs from comm_d_new"},
    {swapped_comm_r, "do not give comm_r_old"},
    {c1_beside, "vanilla_proof: an update has its partitions in vanilla_proofs"},
};

static void test_changed_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        cz_request *request = good_request(CZ_KIND_SNAP);

        assert_good(request);
        changes[i].change(request);
        assert_refused(request, changes[i].text);
        cz_request_destroy(request);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_damaged_bytes),
    cmocka_unit_test(test_lengths),
    cmocka_unit_test(test_every_bit_matters),
    cmocka_unit_test(test_changed_requests),
};

CZ_TEST_MAIN(cases)
