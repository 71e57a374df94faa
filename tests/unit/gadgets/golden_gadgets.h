/* golden_gadgets.h: the circuits of tests/vectors/golden/gadgets, with the inputs that its
 * definition gives them: number i of gadget NAME is SHA-256("cuzk golden gadget NAME i") as a
 * little-endian integer mod r, word i its first four bytes, bit i the bit 7 - i mod 8 of the first
 * byte of number i / 8. */
#ifndef CZ_TESTS_GADGETS_GOLDEN_GADGETS_H
#define CZ_TESTS_GADGETS_GOLDEN_GADGETS_H

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "gadgets/encode.h"
#include "gadgets/insertion.h"
#include "gadgets/multipack.h"
#include "gadgets/poseidon_circuit.h"
#include "gadgets/sha256_circuit.h"
#include "gadgets/tree_hash.h"
#include "gadgets/uint64.h"
#include "hash/sha256.h"
#include "support.h"

/* Its complete text: none, NAME.r1cs, or NAME.r1cs.gz. */
typedef enum { GOLDEN_NO_TEXT, GOLDEN_TEXT, GOLDEN_GZIPPED } golden_text;

typedef struct {
    cz_circuit circuit; /* first; its id is the gadget's name */
    unsigned size;      /* bits, arity, …; 0 where the name says it all */
    golden_text text;
} golden_gadget;

/* ---- inputs ---- */

static inline void golden_input(uint8_t out[32], const char *gadget, unsigned i)
{
    char text[128];
    int n = snprintf(text, sizeof text, "cuzk golden gadget %s %u", gadget, i);

    cz_sha256_of(out, text, (size_t)n);
}

static inline uint32_t golden_word(const char *gadget, unsigned i)
{
    uint8_t bytes[32];

    golden_input(bytes, gadget, i);
    return cz_load_le32(bytes);
}

static inline bool golden_bit(const char *gadget, unsigned i)
{
    uint8_t bytes[32];

    golden_input(bytes, gadget, i / 8);
    return bytes[0] >> (7 - i % 8) & 1;
}

static inline cz_bit golden_alloc_bit(const cz_circuit *self, cz_cs *cs, unsigned i)
{
    return cz_bit_alloc(cs, CZ_NU("bit %u", i), golden_bit(self->id, i));
}

static inline cz_boolean golden_alloc_boolean(const cz_circuit *self, cz_cs *cs, unsigned i)
{
    return cz_boolean_from_bit(golden_alloc_bit(self, cs, i));
}

static inline cz_num golden_alloc_num(const cz_circuit *self, cz_cs *cs, unsigned i)
{
    uint8_t bytes[32];
    cz_fr value;

    golden_input(bytes, self->id, i);
    cz_fr_from_le_mod(&value, bytes);
    return cz_num_alloc(cs, CZ_NU("num %u", i), &value);
}

static inline void golden_alloc_words(const cz_circuit *self, cz_cs *cs, cz_uint32 *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        cz_uint32_alloc(cs, CZ_NU("word %u", i), &out[i], golden_word(self->id, i));
}

static inline unsigned golden_size(const cz_circuit *self)
{
    return ((const golden_gadget *)self)->size;
}

/* ---- circuits ---- */

static inline void golden_bit_xor(const cz_circuit *self, cz_cs *cs)
{
    cz_boolean a = golden_alloc_boolean(self, cs, 0);
    cz_boolean b = golden_alloc_boolean(self, cs, 1);

    (void)cz_boolean_xor(cs, CZ_N("xor"), a, b);
    (void)cz_boolean_xor(cs, CZ_N("xor not"), a, cz_boolean_not(b));
}

static inline void golden_bit_and(const cz_circuit *self, cz_cs *cs)
{
    cz_boolean a = golden_alloc_boolean(self, cs, 0);
    cz_boolean b = golden_alloc_boolean(self, cs, 1);

    (void)cz_boolean_and(cs, CZ_N("and"), a, b);
    (void)cz_boolean_and(cs, CZ_N("and not"), a, cz_boolean_not(b));
    (void)cz_boolean_and(cs, CZ_N("nor"), cz_boolean_not(a), cz_boolean_not(b));
}

static inline void golden_uint32_ch(const cz_circuit *self, cz_cs *cs)
{
    cz_uint32 w[3], ch;

    golden_alloc_words(self, cs, w, 3);
    cz_uint32_ch(cs, CZ_N("ch"), &ch, &w[0], &w[1], &w[2]);
}

static inline void golden_uint32_maj(const cz_circuit *self, cz_cs *cs)
{
    cz_uint32 w[3], maj;

    golden_alloc_words(self, cs, w, 3);
    cz_uint32_maj(cs, CZ_N("maj"), &maj, &w[0], &w[1], &w[2]);
}

/* The file writes a name at the outermost level as "/name". */
static inline void golden_finish_at_root(cz_multieq *m, cz_cs *cs)
{
    cz_cs_enter(cs, CZ_N(""));
    cz_multieq_finish(m);
    cz_cs_leave(cs);
}

static inline void golden_uint32_add(const cz_circuit *self, cz_cs *cs)
{
    cz_uint32 w[5], k, sum;
    const cz_uint32 *const two[] = {&w[0], &w[1]};
    const cz_uint32 *const four[] = {&w[0], &w[1], &w[2], &k};
    const cz_uint32 *const five[] = {&w[0], &w[1], &w[2], &w[3], &w[4]};
    cz_multieq m;

    golden_alloc_words(self, cs, w, 5);
    cz_uint32_constant(&k, 0x428a2f98);
    cz_multieq_init(&m, cs);
    cz_uint32_addmany(&m, CZ_N("two"), &sum, two, 2);
    cz_uint32_addmany(&m, CZ_N("three and a constant"), &sum, four, 4);
    cz_uint32_addmany(&m, CZ_N("five"), &sum, five, 5);
    golden_finish_at_root(&m, cs);
}

static inline void golden_sha256(const cz_circuit *self, cz_cs *cs)
{
    cz_boolean bits[512], digest[256];

    for (unsigned i = 0; i < golden_size(self); i++)
        bits[i] = golden_alloc_boolean(self, cs, i);
    cz_sha256_circuit_of(cs, CZ_N("sha256"), digest, bits, golden_size(self));
}

static inline void golden_sha256_hash2(const cz_circuit *self, cz_cs *cs)
{
    cz_num a = golden_alloc_num(self, cs, 0);
    cz_num b = golden_alloc_num(self, cs, 1);

    (void)cz_tree_hash2(cs, CZ_N("hash2"), CZ_TREE_SHA254, &a, &b);
}

static inline void golden_num_to_bits(const cz_circuit *self, cz_cs *cs)
{
    cz_num num = golden_alloc_num(self, cs, 0);
    cz_boolean bits[CZ_FR_BITS];

    cz_num_to_bits_le(cs, CZ_N("bits"), bits, &num);
}

static inline void golden_num_to_bits_strict(const cz_circuit *self, cz_cs *cs)
{
    cz_num num = golden_alloc_num(self, cs, 0);
    cz_boolean bits[CZ_FR_BITS];

    cz_num_to_bits_le_strict(cs, CZ_N("bits"), bits, &num);
}

static inline void golden_pack(const cz_circuit *self, cz_cs *cs)
{
    cz_boolean bits[300];
    unsigned n = golden_size(self);

    for (unsigned i = 0; i < n; i++)
        bits[i] = golden_alloc_boolean(self, cs, i);
    if (n == CZ_FR_CAPACITY)
        (void)cz_pack_bits(cs, CZ_N("pack"), bits, n);
    else
        cz_pack_into_inputs(cs, CZ_N("pack"), bits, n);
}

static inline void golden_uint64_into_input(const cz_circuit *self, cz_cs *cs)
{
    cz_uint64 x;

    (void)self;
    cz_uint64_alloc(cs, CZ_N("x"), &x, 0x0123456789abcdef); /* given, no hash */
    cz_uint64_pack_into_input(cs, CZ_N("input"), &x);
}

static inline void golden_insert(const cz_circuit *self, cz_cs *cs)
{
    unsigned size = golden_size(self);
    unsigned n_bits = (unsigned)__builtin_ctz(size);
    cz_bit bits[3];
    cz_num nums[CZ_INSERT_MAX], out[CZ_INSERT_MAX];

    for (unsigned i = 0; i < n_bits; i++)
        bits[i] = golden_alloc_bit(self, cs, i);
    for (unsigned i = 0; i < size; i++)
        nums[i] = golden_alloc_num(self, cs, i);
    cz_insert(cs, out, size, &nums[0], bits, nums + 1);
}

static inline void golden_encode(const cz_circuit *self, cz_cs *cs)
{
    cz_num key = golden_alloc_num(self, cs, 0);
    cz_num value = golden_alloc_num(self, cs, 1);

    (void)cz_encode(cs, CZ_N("encode"), &key, &value);
    (void)cz_decode(cs, CZ_N("decode"), &key, &value);
}

static inline void golden_inputize(const cz_circuit *self, cz_cs *cs)
{
    cz_num num = golden_alloc_num(self, cs, 0);

    cz_num_inputize(cs, CZ_N("inputize"), &num);
}

static inline void golden_poseidon(const cz_circuit *self, cz_cs *cs)
{
    cz_num preimage[11];

    for (unsigned i = 0; i < golden_size(self); i++)
        preimage[i] = golden_alloc_num(self, cs, i);
    (void)cz_poseidon_circuit(cs, CZ_N("hash"), preimage, golden_size(self));
}

/* ---- all of them ---- */

static const golden_gadget golden_gadgets[] = {
    {{"bit-xor", golden_bit_xor}, 0, GOLDEN_TEXT},
    {{"bit-and", golden_bit_and}, 0, GOLDEN_TEXT},
    {{"uint32-ch", golden_uint32_ch}, 0, GOLDEN_TEXT},
    {{"uint32-maj", golden_uint32_maj}, 0, GOLDEN_TEXT},
    {{"uint32-add", golden_uint32_add}, 0, GOLDEN_TEXT},
    {{"sha256-256", golden_sha256}, 256, GOLDEN_GZIPPED},
    {{"sha256-512", golden_sha256}, 512, GOLDEN_GZIPPED},
    {{"sha256-hash2", golden_sha256_hash2}, 0, GOLDEN_NO_TEXT},
    {{"num-to-bits", golden_num_to_bits}, 0, GOLDEN_TEXT},
    {{"num-to-bits-strict", golden_num_to_bits_strict}, 0, GOLDEN_TEXT},
    {{"pack-254", golden_pack}, 254, GOLDEN_TEXT},
    {{"pack-into-inputs-300", golden_pack}, 300, GOLDEN_TEXT},
    {{"uint64-into-input", golden_uint64_into_input}, 0, GOLDEN_TEXT},
    {{"insert-2", golden_insert}, 2, GOLDEN_TEXT},
    {{"insert-4", golden_insert}, 4, GOLDEN_TEXT},
    {{"insert-8", golden_insert}, 8, GOLDEN_TEXT},
    {{"encode", golden_encode}, 0, GOLDEN_TEXT},
    {{"inputize", golden_inputize}, 0, GOLDEN_TEXT},
    {{"poseidon-2", golden_poseidon}, 2, GOLDEN_GZIPPED},
    {{"poseidon-4", golden_poseidon}, 4, GOLDEN_GZIPPED},
    {{"poseidon-8", golden_poseidon}, 8, GOLDEN_GZIPPED},
    {{"poseidon-11", golden_poseidon}, 11, GOLDEN_GZIPPED},
};

enum { GOLDEN_GADGETS = sizeof golden_gadgets / sizeof golden_gadgets[0] };

#endif
