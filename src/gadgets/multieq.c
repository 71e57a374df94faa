/* multieq.c: several small equalities in one constraint; see multieq.h. */
#include "gadgets/multieq.h"

#include <string.h>

#include "gadgets/num.h"
#include "gadgets/product.h"

static void clear_side(cz_multieq_side *side)
{
    side->n = 0;
    side->constant = (cz_u256){{0, 0, 0, 0}};
}

void cz_multieq_init(cz_multieq *m, cz_cs *cs)
{
    m->cs = cs;
    m->ops = 0;
    m->bits_used = 0;
    clear_side(&m->lhs);
    clear_side(&m->rhs);
}

/* ---- collecting ---- */

/* constant += v * 2^shift */
static void add_constant(cz_u256 *constant, uint64_t v, unsigned shift)
{
    uint64_t part[4] = {0, 0, 0, 0};
    uint64_t carry = 0;

    part[shift / 64] = v << (shift % 64);
    if (shift % 64 != 0 && shift / 64 < 3)
        part[shift / 64 + 1] = v >> (64 - shift % 64);
    for (int i = 0; i < 4; i++)
        constant->l[i] = cz_adc(constant->l[i], part[i], &carry);
}

/* A negated bit, 2^i (1 - v), and the constant one both put 2^i into the constant. */
void cz_multieq_add(cz_multieq *m, cz_multieq_side *side, const cz_boolean *bits, unsigned n)
{
    uint64_t *keys = side->keys + side->n;
    uint64_t constant = 0;

    CZ_ASSERT(n <= 63 && side->n + n <= CZ_MULTIEQ_MAX_TERMS);
    if (!m->cs->wants_constraints)
        return;
    for (unsigned i = 0; i < n; i++) {
        cz_boolean b = bits[i];

        if (b.kind == CZ_BOOLEAN_CONSTANT) {
            constant |= (uint64_t)b.value << i;
            continue;
        }
        constant |= (uint64_t)(b.kind == CZ_BOOLEAN_NOT) << i;
        *keys++ = (uint64_t)b.var.id << 32 | (uint64_t)(m->bits_used + i) << 1 |
                  (b.kind == CZ_BOOLEAN_NOT);
    }
    side->n = (unsigned)(keys - side->keys);
    add_constant(&side->constant, constant, m->bits_used);
}

/* ---- sorting ---- */

/* Merge the ascending runs a[0..na) and a[na..n) through scratch. Runs that follow each other
 * already, the common case, cost one comparison. */
static void merge(uint64_t *a, unsigned na, unsigned n, uint64_t *scratch)
{
    unsigned i = 0;
    unsigned j = na;
    unsigned k = 0;

    if (na == 0 || na == n || a[na - 1] <= a[na])
        return;
    memcpy(scratch, a, na * sizeof *a);
    while (i < na && j < n)
        a[k++] = scratch[i] <= a[j] ? scratch[i++] : a[j++];
    memcpy(a + k, scratch + i, (na - i) * sizeof *a);
}

/* Length of the ascending run at the start of a; a descending one is reversed first. */
static unsigned take_run(uint64_t *a, unsigned n)
{
    unsigned length = 1;

    while (length < n && a[length - 1] > a[length])
        length++;
    for (unsigned i = 0; i < length / 2; i++) {
        uint64_t t = a[i];

        a[i] = a[length - 1 - i];
        a[length - 1 - i] = t;
    }
    while (length < n && a[length - 1] <= a[length])
        length++;
    return length;
}

/* Natural merge sort: words allocate their bits in a row, so runs are long and few. */
static void sort_keys(uint64_t *a, unsigned n)
{
    uint64_t scratch[CZ_MULTIEQ_MAX_TERMS];
    unsigned start[CZ_MULTIEQ_MAX_TERMS + 1];
    unsigned runs = 0;

    for (unsigned at = 0; at < n; at += take_run(a + at, n - at))
        start[runs++] = at;
    start[runs] = n;
    while (runs > 1) {
        unsigned merged = 0;

        for (unsigned r = 0; r < runs; r += 2) {
            unsigned from = start[r];
            unsigned end = r + 2 <= runs ? start[r + 2] : n;

            merge(a + from, start[r + 1] - from, end - from, scratch);
            start[merged++] = from;
        }
        start[merged] = n;
        runs = merged;
    }
}

/* ---- making the constraint ---- */

static cz_var key_var(uint64_t key)
{
    return (cz_var){(uint32_t)(key >> 32)};
}

static bool is_negative(uint64_t key)
{
    return key & 1;
}

static const cz_fr *key_power(uint64_t key, const cz_fr *powers)
{
    return &powers[(uint32_t)key >> 1];
}

/* The sum of the coefficients of n keys of one variable. */
static void add_up(cz_fr *sum, const uint64_t *keys, unsigned n, const cz_fr *powers)
{
    *sum = CZ_FR_ZERO;
    for (unsigned i = 0; i < n; i++) {
        if (is_negative(keys[i]))
            cz_fr_sub(sum, sum, key_power(keys[i], powers));
        else
            cz_fr_add(sum, sum, key_power(keys[i], powers));
    }
}

/* Number of keys at the start of keys[n] that are of the first one's variable. */
static unsigned same_variable(const uint64_t *keys, unsigned n)
{
    unsigned i = 1;

    while (i < n && key_var(keys[i]).id == key_var(keys[0]).id)
        i++;
    return i;
}

/* The side as a combination, ascending, every variable once. */
static void side_to_lc(cz_lc *lc, cz_multieq_side *side)
{
    const cz_fr *powers = cz_powers_of_two();
    const uint64_t *keys = side->keys;
    unsigned same;
    cz_fr coeff;

    sort_keys(side->keys, side->n);
    cz_fr_from_u256(&coeff, &side->constant);
    if (!cz_fr_is_zero(&coeff))
        cz_lc_add(lc, &coeff, CZ_VAR_ONE);
    for (unsigned left = side->n; left > 0; left -= same, keys += same) {
        same = same_variable(keys, left);
        if (same == 1 && !is_negative(keys[0])) {
            cz_lc_add(lc, key_power(keys[0], powers), key_var(keys[0]));
            continue;
        }
        add_up(&coeff, keys, same, powers);
        cz_lc_add(lc, &coeff, key_var(keys[0]));
    }
}

/* lhs * 1 = rhs */
static void make_constraint(cz_multieq *m)
{
    cz_product p;

    if (m->cs->wants_constraints) {
        cz_product_init(&p);
        side_to_lc(&p.a, &m->lhs);
        cz_lc_add_var(&p.b, CZ_VAR_ONE);
        side_to_lc(&p.c, &m->rhs);
        cz_product_enforce(&p, m->cs, CZ_NU("multieq %u", m->ops));
    }
    m->ops++;
    m->bits_used = 0;
    clear_side(&m->lhs);
    clear_side(&m->rhs);
}

void cz_multieq_begin(cz_multieq *m, unsigned n_bits)
{
    CZ_ASSERT(n_bits < CZ_FR_CAPACITY);
    if (m->bits_used + n_bits >= CZ_FR_CAPACITY)
        make_constraint(m);
}

void cz_multieq_end(cz_multieq *m, unsigned n_bits)
{
    m->bits_used += n_bits;
}

void cz_multieq_finish(cz_multieq *m)
{
    if (m->bits_used > 0)
        make_constraint(m);
}
