/* sha256_circuit.c: SHA-256 in a circuit; see sha256_circuit.h. */
#include "gadgets/sha256_circuit.h"

#include <string.h>

#include "gadgets/multipack.h"
#include "gadgets/sha256_twin.h"

/* [FIPS 180-4, 4.2.2]: the first 32 bits of the fractional parts of the cube roots of the first 64
 * primes */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* [FIPS 180-4, 5.3.3]: the same of the square roots of the first 8 primes */
static const uint32_t initial_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* ---- one block ---- */

/* One of SHA-256's four functions of a word: three rotations xored, the last a shift in the message
 * schedule. */
typedef struct {
    cz_name first, second; /* names of the two xors */
    unsigned rotr1, rotr2, last;
    bool shift;
} sigma;

static const sigma small_sigma0 = {
    {"first xor for s0", 0}, {"second xor for s0", 0}, 7, 18, 3, true};
static const sigma small_sigma1 = {
    {"first xor for s1", 0}, {"second xor for s1", 0}, 17, 19, 10, true};
static const sigma big_sigma0 = {
    {"first xor for s0", 0}, {"second xor for s0", 0}, 2, 13, 22, false};
static const sigma big_sigma1 = {
    {"first xor for s1", 0}, {"second xor for s1", 0}, 6, 11, 25, false};

static void apply_sigma(cz_cs *cs, const sigma *f, cz_uint32 *out, const cz_uint32 *x)
{
    cz_uint32 a, b;

    cz_uint32_rotr(&a, x, f->rotr1);
    cz_uint32_rotr(&b, x, f->rotr2);
    cz_uint32_xor(cs, f->first, &a, &a, &b);
    if (f->shift)
        cz_uint32_shr(&b, x, f->last);
    else
        cz_uint32_rotr(&b, x, f->last);
    cz_uint32_xor(cs, f->second, out, &a, &b);
}

/* w[i] = w[i-16] + s0(w[i-15]) + w[i-7] + s1(w[i-2]) */
static void extend_schedule(cz_multieq *m, cz_uint32 w[64], unsigned i)
{
    cz_uint32 s0, s1;
    const cz_uint32 *const terms[] = {&w[i - 16], &s0, &w[i - 7], &s1};

    cz_cs_enter(m->cs, CZ_NU("w extension %u", i));
    apply_sigma(m->cs, &small_sigma0, &s0, &w[i - 15]);
    apply_sigma(m->cs, &small_sigma1, &s1, &w[i - 2]);
    cz_uint32_addmany(m, CZ_N("computation of w[i]"), &w[i], terms, 4);
    cz_cs_leave(m->cs);
}

/* The working variables of all rounds: a, b, c, d of round i are a[i + 3], a[i + 2], a[i + 1],
 * a[i]; e, f, g, h the same of e. A round's sums are made in the round that needs them, so each
 * round leaves their terms behind, and the last sums take in the addition of the old state. */
typedef struct {
    cz_uint32 s1, ch, k, s0, maj;
} round_terms;

typedef struct {
    cz_multieq m;
    cz_uint32 w[64];
    cz_uint32 a[67], e[67];
    round_terms terms[2]; /* of round i at [i % 2] */
} compression;

static void start_rounds(compression *x, const cz_uint32 h[8])
{
    for (unsigned i = 0; i < 4; i++) {
        x->a[3 - i] = h[i];
        x->e[3 - i] = h[4 + i];
    }
}

/* e after round i: d + (h + s1 + ch + k + w), and `more` if there is any */
static void sum_e(compression *x, cz_name name, cz_uint32 *out, unsigned i, const cz_uint32 *more)
{
    const round_terms *t = &x->terms[i % 2];
    const cz_uint32 *const terms[] = {&x->e[i], &t->s1, &t->ch, &t->k, &x->w[i], &x->a[i], more};

    cz_uint32_addmany(&x->m, name, out, terms, more == NULL ? 6 : 7);
}

/* a after round i: (h + s1 + ch + k + w) + (s0 + maj), and `more` if there is any */
static void sum_a(compression *x, cz_name name, cz_uint32 *out, unsigned i, const cz_uint32 *more)
{
    const round_terms *t = &x->terms[i % 2];
    const cz_uint32 *const terms[] = {&x->e[i], &t->s1, &t->ch,  &t->k,
                                      &x->w[i], &t->s0, &t->maj, more};

    cz_uint32_addmany(&x->m, name, out, terms, more == NULL ? 7 : 8);
}

static void compression_round(compression *x, cz_cs *cs, unsigned i)
{
    round_terms *t = &x->terms[i % 2];
    cz_uint32 *a = &x->a[i + 3];
    cz_uint32 *e = &x->e[i + 3];

    cz_cs_enter(cs, CZ_NU("compression round %u", i));
    if (i > 0)
        sum_e(x, CZ_N("deferred e computation"), e, i - 1, NULL);
    apply_sigma(cs, &big_sigma1, &t->s1, e);
    cz_uint32_ch(cs, CZ_N("ch"), &t->ch, e, e - 1, e - 2);
    cz_uint32_constant(&t->k, round_constants[i]);
    if (i > 0)
        sum_a(x, CZ_N("deferred a computation"), a, i - 1, NULL);
    apply_sigma(cs, &big_sigma0, &t->s0, a);
    cz_uint32_maj(cs, CZ_N("maj"), &t->maj, a, a - 1, a - 2);
    cz_cs_leave(cs);
}

static void add_word(compression *x, cz_name name, cz_uint32 *out, const cz_uint32 *a,
                     const cz_uint32 *b)
{
    const cz_uint32 *const terms[] = {a, b};

    cz_uint32_addmany(&x->m, name, out, terms, 2);
}

/* out = h + the working variables after round 63; out may be h */
static void add_state(compression *x, cz_uint32 out[8], const cz_uint32 h[8])
{
    sum_a(x, CZ_N("deferred h0 computation"), &out[0], 63, &h[0]);
    add_word(x, CZ_N("new h1"), &out[1], &h[1], &x->a[66]);
    add_word(x, CZ_N("new h2"), &out[2], &h[2], &x->a[65]);
    add_word(x, CZ_N("new h3"), &out[3], &h[3], &x->a[64]);
    sum_e(x, CZ_N("deferred h4 computation"), &out[4], 63, &h[4]);
    add_word(x, CZ_N("new h5"), &out[5], &h[5], &x->e[66]);
    add_word(x, CZ_N("new h6"), &out[6], &h[6], &x->e[65]);
    add_word(x, CZ_N("new h7"), &out[7], &h[7], &x->e[64]);
}

void cz_sha256_circuit_compress(cz_cs *cs, cz_uint32 out[8], const cz_boolean block[512],
                                const cz_uint32 h[8])
{
    compression x; /* about 100 KB */

    if (cz_cs_takes_words(cs)) {
        cz_sha256_twin_compress(cs, out, block, h);
        return;
    }
    cz_cs_border(cs);
    cz_multieq_init(&x.m, cs);
    for (unsigned i = 0; i < 16; i++)
        cz_uint32_from_bits_be(&x.w[i], block + 32 * i);
    for (unsigned i = 16; i < 64; i++)
        extend_schedule(&x.m, x.w, i);
    start_rounds(&x, h);
    for (unsigned i = 0; i < 64; i++)
        compression_round(&x, cs, i);
    add_state(&x, out, h);
    cz_multieq_finish(&x.m);
    cz_cs_border(cs);
}

/* ---- a message ---- */

void cz_sha256_circuit_init(cz_sha256_circuit *s, cz_cs *cs)
{
    s->cs = cs;
    s->n_bits = 0;
    for (unsigned i = 0; i < 8; i++)
        cz_uint32_constant(&s->h[i], initial_state[i]);
}

static void compress_block(cz_sha256_circuit *s, uint64_t number)
{
    cz_cs_enter(s->cs, CZ_NU("block %u", number));
    cz_sha256_circuit_compress(s->cs, s->h, s->block, s->h);
    cz_cs_leave(s->cs);
}

static void add_bit(cz_sha256_circuit *s, cz_boolean bit)
{
    s->block[s->n_bits % 512] = bit;
    s->n_bits++;
    if (s->n_bits % 512 == 0)
        compress_block(s, s->n_bits / 512 - 1);
}

void cz_sha256_circuit_update(cz_sha256_circuit *s, const cz_boolean *bits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_bit(s, bits[i]);
}

/* A one, zeros, and the length in 64 bits fill up the last block. */
void cz_sha256_circuit_final(cz_sha256_circuit *s, cz_boolean out[256])
{
    uint64_t length = s->n_bits;

    add_bit(s, cz_boolean_constant(true));
    while (s->n_bits % 512 != 448)
        add_bit(s, cz_boolean_constant(false));
    for (unsigned i = 0; i < 64; i++)
        add_bit(s, cz_boolean_constant(length >> (63 - i) & 1));
    for (unsigned i = 0; i < 8; i++)
        cz_uint32_to_bits_be(out + 32 * i, &s->h[i]);
}

void cz_sha256_circuit_of(cz_cs *cs, cz_name name, cz_boolean out[256], const cz_boolean *bits,
                          size_t n)
{
    cz_sha256_circuit s;

    cz_cs_enter(cs, name);
    cz_sha256_circuit_init(&s, cs);
    cz_sha256_circuit_update(&s, bits, n);
    cz_sha256_circuit_final(&s, out);
    cz_cs_leave(cs);
}

cz_num cz_sha256_digest_to_num(cz_cs *cs, cz_name name, const cz_boolean digest[256])
{
    cz_boolean bits[256];

    (void)cz_reverse_bit_numbering(bits, digest, 256);
    return cz_pack_bits(cs, name, bits, CZ_FR_CAPACITY);
}
