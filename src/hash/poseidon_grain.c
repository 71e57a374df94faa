/* poseidon_grain.c: the Grain LFSR in self-shrinking mode [GKRRS21, supplementary F].
 *
 * 80 bits of state b0 … b79, filled with the parameters of the instance; the next bit is b62 + b51
 * + b38 + b23 + b13 + b0. After 160 steps, bits are drawn in pairs: the second one counts where the
 * first is 1. A constant is 255 such bits, most significant first; one that is r or more is drawn
 * again. */
#include "hash/poseidon_grain.h"

enum { FIELD_PRIME = 1, SBOX_POWER = 1, FIELD_BITS = 255, STATE_BITS = 80, WARM_UP = 160 };

typedef struct {
    cz_u128 state; /* b0 is bit 0 */
} grain;

static unsigned step(grain *g)
{
    cz_u128 s = g->state;
    unsigned bit = (unsigned)(s >> 62 ^ s >> 51 ^ s >> 38 ^ s >> 23 ^ s >> 13 ^ s) & 1;

    g->state = s >> 1 | (cz_u128)bit << (STATE_BITS - 1);
    return bit;
}

/* Append `n` bits of v to the state's first `at` bits, most significant first. */
static unsigned put_bits(grain *g, unsigned at, unsigned n, unsigned v)
{
    for (unsigned i = n; i-- > 0;)
        g->state |= (cz_u128)(v >> i & 1) << at++;
    return at;
}

static grain grain_init(unsigned width, unsigned full_rounds, unsigned partial_rounds)
{
    grain g = {0};
    unsigned at = 0;

    at = put_bits(&g, at, 2, FIELD_PRIME);
    at = put_bits(&g, at, 4, SBOX_POWER);
    at = put_bits(&g, at, 12, FIELD_BITS);
    at = put_bits(&g, at, 12, width);
    at = put_bits(&g, at, 10, full_rounds);
    at = put_bits(&g, at, 10, partial_rounds);
    (void)put_bits(&g, at, STATE_BITS - at, ~0u);
    for (unsigned i = 0; i < WARM_UP; i++)
        (void)step(&g);
    return g;
}

static unsigned next_bit(grain *g)
{
    while (step(g) == 0)
        (void)step(g);
    return step(g);
}

static void next_constant(grain *g, cz_fr *out)
{
    uint8_t bytes[32];

    do {
        memset(bytes, 0, sizeof bytes);
        for (unsigned i = FIELD_BITS; i-- > 0;)
            bytes[i / 8] = (uint8_t)(bytes[i / 8] | next_bit(g) << (i % 8));
    } while (!cz_fr_from_le(out, bytes));
}

void cz_poseidon_grain(cz_fr *out, unsigned n, unsigned width, unsigned full_rounds,
                       unsigned partial_rounds)
{
    grain g = grain_init(width, full_rounds, partial_rounds);

    for (unsigned i = 0; i < n; i++)
        next_constant(&g, &out[i]);
}
