/* sha256_twin.c: see sha256_twin.h. The order of operations is that of sha256_circuit.c. */
#include "gadgets/sha256_twin.h"

#include "hash/sha256.h"

/* 32 booleans, bit i being boolean i of a cz_uint32. */
typedef struct {
    uint32_t value;
    uint32_t open;    /* no constants */
    uint32_t negated; /* of the open ones: the variable is the opposite */
} word;

/* One boolean of a word. */
typedef struct {
    bool value, open, negated;
} bit;

enum { ALL = -1 };

/* ---- allocated bits, collected to whole words ---- */

typedef struct {
    cz_cs *cs;
    uint64_t bits;
    unsigned n; /* below 64 */
} sink;

static void flush(sink *s)
{
    if (s->n > 0)
        (void)cz_cs_alloc_bits(s->cs, s->bits, s->n);
    s->bits = 0;
    s->n = 0;
}

/* n bits, 1 … 64; those of v above are zero. */
static void emit(sink *s, uint64_t v, unsigned n)
{
    unsigned room = 64 - s->n;

    s->bits |= v << s->n;
    if (n < room) {
        s->n += n;
        return;
    }
    (void)cz_cs_alloc_bits(s->cs, s->bits, 64);
    s->bits = room < 64 ? v >> room : 0;
    s->n = n - room;
}

/* The bits of v where mask has ones, lowest first. */
static void emit_masked(sink *s, uint32_t v, uint32_t mask)
{
    if ((mask & (mask + 1)) == 0) { /* a run of ones from bit 0 */
        if (mask != 0)
            emit(s, v & mask, (unsigned)__builtin_popcount(mask));
        return;
    }
    for (; mask != 0; mask &= mask - 1)
        emit(s, v >> __builtin_ctz(mask) & 1, 1);
}

/* ---- single bits: the few places where constants meet variables ---- */

static bit bit_at(const word *w, unsigned i)
{
    return (bit){w->value >> i & 1, w->open >> i & 1, w->negated >> i & 1};
}

static void put_bit(word *w, unsigned i, bit b)
{
    const uint32_t mask = (uint32_t)1 << i;

    w->value |= b.value ? mask : 0;
    w->open |= b.open ? mask : 0;
    w->negated |= b.negated ? mask : 0;
}

static bit not_bit(bit b)
{
    return (bit){!b.value, b.open, b.open && !b.negated};
}

static bit new_bit(sink *s, bool value)
{
    emit(s, value, 1);
    return (bit){value, true, false};
}

static bit and_bits(sink *s, bit a, bit b)
{
    if (!a.open)
        return a.value ? b : a;
    if (!b.open)
        return b.value ? a : b;
    return new_bit(s, a.value && b.value);
}

static bit or_bits(sink *s, bit a, bit b)
{
    return not_bit(and_bits(s, not_bit(a), not_bit(b)));
}

static bit ch_bits(sink *s, bit a, bit b, bit c)
{
    if (!a.open && !b.open && !c.open)
        return a.value ? b : c;
    if (!a.open && !a.value)
        return c;
    if (!b.open && !b.value)
        return and_bits(s, not_bit(a), c);
    if (!c.open && !c.value)
        return and_bits(s, a, b);
    if (!c.open)
        return or_bits(s, not_bit(a), b);
    if (!b.open)
        return or_bits(s, a, c);
    return new_bit(s, a.value ? b.value : c.value);
}

static bit maj_bits(sink *s, bit a, bit b, bit c)
{
    bit maj;

    if (!a.open && !a.value)
        return and_bits(s, b, c);
    if (!b.open && !b.value)
        return and_bits(s, a, c);
    if (!c.open && !c.value)
        return and_bits(s, a, b);
    if (!c.open)
        return or_bits(s, a, b);
    if (!b.open)
        return or_bits(s, a, c);
    if (!a.open)
        return or_bits(s, b, c);
    maj = new_bit(s, (a.value && b.value) || (a.value && c.value) || (b.value && c.value));
    (void)new_bit(s, b.value && c.value);
    return maj;
}

/* ---- words ---- */

static word constant(uint32_t value)
{
    return (word){value, 0, 0};
}

static uint32_t rotate(uint32_t v, unsigned by)
{
    return v >> by | v << (32 - by);
}

static word rotr(const word *w, unsigned by)
{
    return (word){rotate(w->value, by), rotate(w->open, by), rotate(w->negated, by)};
}

static word shr(const word *w, unsigned by)
{
    return (word){w->value >> by, w->open >> by, w->negated >> by};
}

/* A constant one negates the other operand. */
static word xor_words(sink *s, word a, word b)
{
    uint32_t open = a.open | b.open;
    uint32_t negated = a.negated ^ b.negated ^ (a.value & ~a.open) ^ (b.value & ~b.open);

    emit_masked(s, a.value ^ a.negated ^ b.value ^ b.negated, a.open & b.open);
    return (word){a.value ^ b.value, open, negated & open};
}

static word ch_words(sink *s, const word *a, const word *b, const word *c)
{
    word ch = {0, 0, 0};

    if ((a->open & b->open & c->open) == (uint32_t)ALL) {
        ch = (word){(a->value & b->value) ^ (~a->value & c->value), (uint32_t)ALL, 0};
        emit(s, ch.value, 32);
        return ch;
    }
    for (unsigned i = 0; i < 32; i++)
        put_bit(&ch, i, ch_bits(s, bit_at(a, i), bit_at(b, i), bit_at(c, i)));
    return ch;
}

/* Bit i goes to bit 2 i. */
static uint64_t spread(uint64_t v)
{
    v = (v | v << 16) & 0x0000ffff0000ffffu;
    v = (v | v << 8) & 0x00ff00ff00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fu;
    v = (v | v << 2) & 0x3333333333333333u;
    return (v | v << 1) & 0x5555555555555555u;
}

static word maj_words(sink *s, const word *a, const word *b, const word *c)
{
    word maj = {0, 0, 0};

    if ((a->open & b->open & c->open) == (uint32_t)ALL) {
        uint32_t bc = b->value & c->value;

        maj = (word){(a->value & b->value) ^ (a->value & c->value) ^ bc, (uint32_t)ALL, 0};
        emit(s, spread(maj.value) | spread(bc) << 1, 64);
        return maj;
    }
    for (unsigned i = 0; i < 32; i++)
        put_bit(&maj, i, maj_bits(s, bit_at(a, i), bit_at(b, i), bit_at(c, i)));
    return maj;
}

static word sum_words(sink *s, const word *const *operands, unsigned n)
{
    uint64_t sum = 0;
    uint32_t open = 0;

    for (unsigned i = 0; i < n; i++) {
        sum += operands[i]->value;
        open |= operands[i]->open;
    }
    if (open == 0)
        return constant((uint32_t)sum);
    emit(s, sum, 64 - (unsigned)__builtin_clzll((uint64_t)n * UINT32_MAX));
    return (word){(uint32_t)sum, (uint32_t)ALL, 0};
}

/* ---- the compression ---- */

typedef struct {
    unsigned rotr1, rotr2, last;
} sigma;

static const sigma small_sigma0 = {7, 18, 3}, small_sigma1 = {17, 19, 10};
static const sigma big_sigma0 = {2, 13, 22}, big_sigma1 = {6, 11, 25};

static word small_sigma(sink *s, const sigma *f, const word *x)
{
    return xor_words(s, xor_words(s, rotr(x, f->rotr1), rotr(x, f->rotr2)), shr(x, f->last));
}

static word big_sigma(sink *s, const sigma *f, const word *x)
{
    return xor_words(s, xor_words(s, rotr(x, f->rotr1), rotr(x, f->rotr2)), rotr(x, f->last));
}

typedef struct {
    word s1, ch, k, s0, maj;
} round_terms;

typedef struct {
    sink s;
    word w[64];
    word a[67], e[67]; /* as in sha256_circuit.c */
    round_terms terms[2];
} compression;

static word sum_e(compression *x, unsigned i, const word *more)
{
    const round_terms *t = &x->terms[i % 2];
    const word *const terms[] = {&x->e[i], &t->s1, &t->ch, &t->k, &x->w[i], &x->a[i], more};

    return sum_words(&x->s, terms, more == NULL ? 6 : 7);
}

static word sum_a(compression *x, unsigned i, const word *more)
{
    const round_terms *t = &x->terms[i % 2];
    const word *const terms[] = {&x->e[i], &t->s1, &t->ch, &t->k, &x->w[i], &t->s0, &t->maj, more};

    return sum_words(&x->s, terms, more == NULL ? 7 : 8);
}

static void extend_schedule(compression *x, unsigned i)
{
    word s0 = small_sigma(&x->s, &small_sigma0, &x->w[i - 15]);
    word s1 = small_sigma(&x->s, &small_sigma1, &x->w[i - 2]);
    const word *const terms[] = {&x->w[i - 16], &s0, &x->w[i - 7], &s1};

    x->w[i] = sum_words(&x->s, terms, 4);
}

static void compression_round(compression *x, unsigned i)
{
    round_terms *t = &x->terms[i % 2];
    word *a = &x->a[i + 3];
    word *e = &x->e[i + 3];

    if (i > 0)
        *e = sum_e(x, i - 1, NULL);
    t->s1 = big_sigma(&x->s, &big_sigma1, e);
    t->ch = ch_words(&x->s, e, e - 1, e - 2);
    t->k = constant(cz_sha256_k[i]);
    if (i > 0)
        *a = sum_a(x, i - 1, NULL);
    t->s0 = big_sigma(&x->s, &big_sigma0, a);
    t->maj = maj_words(&x->s, a, a - 1, a - 2);
}

/* ---- in and out ---- */

/* `step` is 1 for a word's own order, -1 for SHA-256's. */
static word load(const cz_boolean *lowest, int step)
{
    word w = {0, 0, 0};

    for (unsigned i = 0; i < 32; i++, lowest += step)
        put_bit(&w, i,
                (bit){lowest->value, lowest->kind != CZ_BOOLEAN_CONSTANT,
                      lowest->kind == CZ_BOOLEAN_NOT});
    return w;
}

/* A word of the new state, whose bits, unless constant, begin with variable `first`. */
static void store(cz_uint32 *out, const word *w, uint32_t first)
{
    if (w->open == 0) {
        cz_uint32_constant(out, w->value);
        return;
    }
    out->value = w->value;
    for (unsigned i = 0; i < 32; i++)
        out->bits[i] = (cz_boolean){{first + i}, CZ_BOOLEAN_IS, w->value >> i & 1};
}

static uint32_t next_variable(const sink *s)
{
    return CZ_VAR_AUX_BIT | (s->cs->n_aux + s->n);
}

static word add_word(compression *x, const word *h, const word *v)
{
    const word *const terms[] = {h, v};

    return sum_words(&x->s, terms, 2);
}

static void add_state(compression *x, cz_uint32 out[8], const word h[8])
{
    for (unsigned i = 0; i < 8; i++) {
        uint32_t first = next_variable(&x->s);
        word sum;

        if (i % 4 != 0)
            sum = add_word(x, &h[i], i < 4 ? &x->a[67 - i] : &x->e[71 - i]);
        else
            sum = i == 0 ? sum_a(x, 63, &h[0]) : sum_e(x, 63, &h[4]);
        store(&out[i], &sum, first);
    }
}

void cz_sha256_twin_compress(cz_cs *cs, cz_uint32 out[8], const cz_boolean block[512],
                             const cz_uint32 h[8])
{
    compression x = {.s = {.cs = cs}};
    word old[8];

    for (unsigned i = 0; i < 16; i++)
        x.w[i] = load(block + 32 * i + 31, -1);
    for (unsigned i = 0; i < 8; i++)
        old[i] = load(h[i].bits, 1);
    for (unsigned i = 16; i < 64; i++)
        extend_schedule(&x, i);
    for (unsigned i = 0; i < 4; i++) {
        x.a[3 - i] = old[i];
        x.e[3 - i] = old[4 + i];
    }
    for (unsigned i = 0; i < 64; i++)
        compression_round(&x, i);
    add_state(&x, out, old);
    flush(&x.s);
}
