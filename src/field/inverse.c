/* inverse.c: fast inversion in variable time, for public data.
 *
 * Method: safegcd [BY19] with delta starting at 1/2, in batches of 62 division steps. A batch looks
 * only at the lowest 64 bits of f and g and gives a 2 x 2 matrix t with
 *   2^62 (f', g') = t (f, g);
 * the matrix is then applied to the whole of f and g, where the division by 2^62 is exact, and to
 * (d, e) modulo m, where a multiple of m makes it exact. Invariants: d a = f x and e a = g x mod m,
 * x the factor that e starts with. At the end g = 0, f = 1 or -1, so d = +-x / a; with x = R^2 the
 * Montgomery form of 1/a comes out of that of a.
 *
 * Numbers are signed with limbs of 62 bits: all limbs but the highest in [0, 2^62). Reference twin:
 * cz_fr_inv and cz_fp_inv (Fermat), from which it differs in speed alone. */
#include "field/fp.h"
#include "field/fr.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
typedef __int128 i128;
#pragma GCC diagnostic pop

enum { BATCH = 62, MAX_LIMBS = 7 };
static const uint64_t MASK = (UINT64_C(1) << BATCH) - 1;

typedef struct {
    int64_t v[MAX_LIMBS];
} num;

typedef struct {
    int64_t u, v, q, r; /* |u| + |v| and |q| + |r| at most 2^62 */
} matrix;

/* What is fixed for a field: n limbs of 62 bits for `words` = n - 1 limbs of 64. */
typedef struct {
    int n, words;
    uint64_t m_inv; /* 1/m mod 2^62 */
} shape;

/* Limb i holds the bits from 62 i on: the top 2 i of word i - 1, then those of word i. */
CZ_INLINE void num_from_words(num *r, const uint64_t *w, shape s)
{
    for (int i = 0; i < s.n; i++) {
        uint64_t low = i > 0 ? w[i - 1] >> (64 - 2 * i) : 0;
        uint64_t high = i < s.words ? w[i] << (2 * i) : 0;

        r->v[i] = (int64_t)((low | high) & MASK);
    }
}

/* a in [0, 2^(64 words)) */
CZ_INLINE void num_to_words(uint64_t *w, const num *a, shape s)
{
    for (int i = 0; i < s.words; i++)
        w[i] = (uint64_t)a->v[i] >> (2 * i) | (uint64_t)a->v[i + 1] << (BATCH - 2 * i);
}

/* (a, b) := (b, -a) */
CZ_INLINE void swap_negate(uint64_t *a, uint64_t *b)
{
    uint64_t t = *a;

    *a = *b;
    *b = 0 - t;
}

/* 62 division steps on the lowest bits of f (odd) and g. *delta is delta - 1/2: a step swaps when g
 * is odd and delta > 0. Steps on an even g only shift. Steps that add f to an odd g follow each
 * other while delta < 0: up to six are done at once, by the multiple w of f that clears as many
 * bits. */
CZ_INLINE void divsteps(matrix *t, int64_t *delta, uint64_t f, uint64_t g)
{
    uint64_t u = 1, v = 0, q = 0, r = 1;
    int64_t d = *delta;
    int left = BATCH;

    for (;;) {
        int zeros = __builtin_ctzll(g | UINT64_MAX << left);
        uint64_t w;
        int64_t bits;

        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        d += zeros;
        left -= zeros;
        if (left == 0)
            break;
        if (d >= 0) { /* such a step negates d; less what the addition below counts */
            d = -d - 1;
            swap_negate(&f, &g);
            swap_negate(&u, &q);
            swap_negate(&v, &r);
        }
        bits = -d < left ? -d : left; /* steps until delta > 0 again */
        bits = bits < 6 ? bits : 6;
        w = g * f * (f * f - 2) & ((UINT64_C(1) << bits) - 1); /* -g/f mod 2^bits */
        g += w * f;
        q += w * u;
        r += w * v;
    }
    *delta = d;
    *t = (matrix){(int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r};
}

/* (f, g) := t (f, g) / 2^62, exact; only the lowest `len` limbs are in use. */
CZ_INLINE void update_fg(num *f, num *g, const matrix *t, int len)
{
    i128 cf = (i128)t->u * f->v[0] + (i128)t->v * g->v[0];
    i128 cg = (i128)t->q * f->v[0] + (i128)t->r * g->v[0];

    for (int i = 1; i < len; i++) {
        cf = (cf >> BATCH) + (i128)t->u * f->v[i] + (i128)t->v * g->v[i];
        cg = (cg >> BATCH) + (i128)t->q * f->v[i] + (i128)t->r * g->v[i];
        f->v[i - 1] = (int64_t)((uint64_t)cf & MASK);
        g->v[i - 1] = (int64_t)((uint64_t)cg & MASK);
    }
    f->v[len - 1] = (int64_t)(cf >> BATCH);
    g->v[len - 1] = (int64_t)(cg >> BATCH);
}

/* (d, e) := t (d, e) / 2^62 mod m. Before and after, d and e are in (-2 m, m): a negative one
 * counts as itself plus m, so both are above -m and below m, t times them within 2^62 m, and a
 * multiple of m from [0, 2^62) m, taken away to clear the lowest 62 bits, leaves (-2 m, m) after
 * the division. */
CZ_INLINE void update_de(num *d, num *e, const matrix *t, const num *m, shape s)
{
    const int64_t d_negative = d->v[s.n - 1] >> 63;
    const int64_t e_negative = e->v[s.n - 1] >> 63;
    int64_t kd = (t->u & d_negative) + (t->v & e_negative);
    int64_t ke = (t->q & d_negative) + (t->r & e_negative);
    i128 cd = (i128)t->u * d->v[0] + (i128)t->v * e->v[0];
    i128 ce = (i128)t->q * d->v[0] + (i128)t->r * e->v[0];

    kd -= (int64_t)(((uint64_t)cd * s.m_inv + (uint64_t)kd) & MASK);
    ke -= (int64_t)(((uint64_t)ce * s.m_inv + (uint64_t)ke) & MASK);
    cd += (i128)kd * m->v[0];
    ce += (i128)ke * m->v[0];
    for (int i = 1; i < s.n; i++) {
        cd = (cd >> BATCH) + (i128)t->u * d->v[i] + (i128)t->v * e->v[i] + (i128)kd * m->v[i];
        ce = (ce >> BATCH) + (i128)t->q * d->v[i] + (i128)t->r * e->v[i] + (i128)ke * m->v[i];
        d->v[i - 1] = (int64_t)((uint64_t)cd & MASK);
        e->v[i - 1] = (int64_t)((uint64_t)ce & MASK);
    }
    d->v[s.n - 1] = (int64_t)(cd >> BATCH);
    e->v[s.n - 1] = (int64_t)(ce >> BATCH);
}

/* a := factor_a a + factor_m m, with limbs brought back into range. */
CZ_INLINE void combine(num *a, int64_t factor_a, int64_t factor_m, const num *m, shape s)
{
    int64_t carry = 0;

    for (int i = 0; i < s.n; i++) {
        carry += factor_a * a->v[i] + factor_m * m->v[i];
        a->v[i] = carry;
        if (i + 1 < s.n)
            a->v[i] = (int64_t)((uint64_t)carry & MASK);
        carry >>= BATCH;
    }
}

/* sign d, d in (-2 m, m), into [0, m). */
CZ_INLINE void normalise(num *d, int64_t sign, const num *m, shape s)
{
    combine(d, 1, d->v[s.n - 1] < 0, m, s); /* (-m, m) */
    combine(d, sign, 0, m, s);
    combine(d, 1, d->v[s.n - 1] < 0, m, s); /* [0, m) */
}

CZ_INLINE bool is_zero(const num *a, int len)
{
    int64_t bits = 0;

    for (int i = 0; i < len; i++)
        bits |= a->v[i];
    return bits == 0;
}

/* The limbs of f and g that are not mere sign; one limb at least. */
CZ_INLINE int shorten(num *f, num *g, int len)
{
    int64_t top_f = f->v[len - 1];
    int64_t top_g = g->v[len - 1];

    if (len < 2 || (top_f != 0 && top_f != -1) || (top_g != 0 && top_g != -1))
        return len;
    f->v[len - 2] |= (int64_t)((uint64_t)top_f << BATCH);
    g->v[len - 2] |= (int64_t)((uint64_t)top_g << BATCH);
    return len - 1;
}

/* r = x / a mod m; 0 where a is 0 */
CZ_INLINE void inverse(uint64_t *r, const uint64_t *a, const uint64_t *x, const uint64_t *modulus,
                       shape s)
{
    num m, f, g, d = {{0}}, e;
    int64_t delta = 0;
    int len = s.n;

    num_from_words(&m, modulus, s);
    num_from_words(&g, a, s);
    num_from_words(&e, x, s);
    f = m;
    while (!is_zero(&g, len)) {
        matrix t;

        divsteps(&t, &delta, (uint64_t)f.v[0], (uint64_t)g.v[0]);
        update_de(&d, &e, &t, &m, s);
        update_fg(&f, &g, &t, len);
        len = shorten(&f, &g, len);
    }
    normalise(&d, f.v[len - 1] < 0 ? -1 : 1, &m, s);
    num_to_words(r, &d, s);
}

void cz_fr_inv_var(cz_fr *r, const cz_fr *a)
{
    static const uint64_t r2[4] = CZ_FR_R2;
    const shape s = {5, 4, (0 - CZ_FR_M_INV) & ((UINT64_C(1) << BATCH) - 1)};

    inverse(r->l, a->l, r2, cz_fr_modulus, s);
}

void cz_fp_inv_var(cz_fp *r, const cz_fp *a)
{
    static const uint64_t r2[6] = CZ_FP_R2;
    const shape s = {7, 6, (0 - CZ_FP_M_INV) & ((UINT64_C(1) << BATCH) - 1)};

    inverse(r->l, a->l, r2, cz_fp_modulus, s);
}
