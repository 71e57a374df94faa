/* The permutation as devices compute it, run on the host, against the circuit's witness. */
#include "hash/poseidon_device.h"

#include <stdlib.h>

#include "hash/poseidon_gpu.h"
#include "hash/poseidon_many.h"
#include "support.h"

enum { MOST_ARITY = CZ_POSEIDON_DEVICE_WIDTH - 1, MOST_SIZE = 512, N = 12 };

/* 0, 1, r - 1 and the like among random elements. */
static void make_preimage(cz_fr *out, unsigned arity, unsigned seed)
{
    for (unsigned i = 0; i < arity; i++) {
        uint8_t bytes[32];

        cz_test_random_bytes(bytes, sizeof bytes);
        cz_fr_from_le_mod(&out[i], bytes);
        if ((seed + i) % 4 == 0)
            cz_fr_from_u64(&out[i], (seed + i) / 4 % 3);
        if ((seed + i) % 8 == 4)
            cz_fr_neg(&out[i], &out[i]);
    }
}

static void witness_on_device(cz_fr *out, cz_fr *digest, const cz_poseidon_constants *k,
                              const cz_fr *preimage)
{
    cz_fr *vector = malloc(cz_poseidon_device_elements(k) * sizeof *vector);
    const cz_poseidon_device d = cz_poseidon_device_at(vector, k);
    cz_fr32 x[CZ_POSEIDON_DEVICE_WIDTH];

    assert_non_null(vector);
    cz_poseidon_device_pack(vector, k);
    assert_int_equal(cz_poseidon_device_size(&d), cz_poseidon_witness_size(k));
    cz_fr32_read(x[0].v, d.tag);
    memcpy(&x[1], preimage, k->arity * sizeof *preimage);
    cz_poseidon_device_witness((cz_fr32 *)(void *)digest, (cz_fr32 *)(void *)out, x, &d);
    free(vector);
}

static void assert_same_witness(unsigned arity, unsigned seed)
{
    const cz_poseidon_constants *k = cz_poseidon_get(arity);
    cz_fr preimage[MOST_ARITY], digest, hash;
    cz_fr got[MOST_SIZE], want[MOST_SIZE];
    cz_fr *rooms[] = {want};
    size_t size;

    assert_non_null(k);
    size = cz_poseidon_witness_size(k);
    assert_true(size < MOST_SIZE);
    make_preimage(preimage, arity, seed);
    memset(got, 0x5a, sizeof got);
    memset(want, 0x5a, sizeof want);
    cz_poseidon_witness_many(rooms, k, &k->domain_tag, preimage, 1);
    witness_on_device(got, &digest, k, preimage);
    assert_memory_equal(got, want, sizeof got); /* and nothing behind it */
    cz_poseidon_ref_hash(&hash, k, preimage);
    assert_true(cz_fr_equal(&digest, &hash));
}

static void test_witness(void **state)
{
    const unsigned arities[] = {2, 4, 8};

    (void)state;
    for (size_t i = 0; i < sizeof arities / sizeof arities[0]; i++)
        for (unsigned seed = 0; seed < N; seed++)
            assert_same_witness(arities[i], seed);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_witness),
};
CZ_TEST_MAIN(cases)
