/* group_body.h: the group law, one text for G1 and G2 (and for the toy curve of
 * tests/unit/curve/test_tiny.c).
 *
 * No include guard: each includer first defines
 *   GROUP, AFFINE, XYZZ   the three point types       G(name)  the function of that name
 *   COORD                 the coordinates' field      C(name)  its function of that name
 *   COORD_ZERO, COORD_ONE initialisers of a COORD
 *   rhs(r, x)             r = x^3 + b, the curve's right-hand side
 *   mul_by_b3(r, a)       r = 3 b a
 *   CZ_BLS_X_ABS          see mul_by_x_abs
 * The curve is y^2 = x^3 + b. Formulas by their names in the EFD [BL07]; cost in multiplications M
 * and squarings S of COORD. Results may overlap operands. */

static const COORD coord_zero = COORD_ZERO;
static const COORD coord_one = COORD_ONE;

/* ---- affine points ---- */

bool G(affine_is_infinity)(const AFFINE *a)
{
    return C(is_zero)(&a->x) && C(is_zero)(&a->y);
}

bool G(affine_equal)(const AFFINE *a, const AFFINE *b)
{
    return C(equal)(&a->x, &b->x) && C(equal)(&a->y, &b->y);
}

bool G(affine_on_curve)(const AFFINE *a)
{
    COORD left, right;

    if (G(affine_is_infinity)(a))
        return true;
    C(sqr)(&left, &a->y);
    rhs(&right, &a->x);
    return C(equal)(&left, &right);
}

static void affine_set_infinity(AFFINE *r)
{
    r->x = r->y = coord_zero;
}

/* ---- Jacobian points ---- */

void G(set_infinity)(GROUP *r)
{
    r->x = r->y = coord_one;
    r->z = coord_zero;
}

bool G(is_infinity)(const GROUP *a)
{
    return C(is_zero)(&a->z);
}

void G(from_affine)(GROUP *r, const AFFINE *a)
{
    if (G(affine_is_infinity)(a)) {
        G(set_infinity)(r);
        return;
    }
    r->x = a->x;
    r->y = a->y;
    r->z = coord_one;
}

/* (X/Z^2, Y/Z^3), given 1/Z; zero gives infinity. */
static void scale_to_affine(AFFINE *r, const GROUP *a, const COORD *z_inverse)
{
    COORD zz, zzz;

    C(sqr)(&zz, z_inverse);
    C(mul)(&zzz, &zz, z_inverse);
    C(mul)(&r->x, &a->x, &zz);
    C(mul)(&r->y, &a->y, &zzz);
}

void G(to_affine)(AFFINE *r, const GROUP *a)
{
    COORD z_inverse;

    C(inv)(&z_inverse, &a->z);
    scale_to_affine(r, a, &z_inverse);
}

/* Montgomery's trick. rs[i].x holds the product of the non-zero z before i until the way back. */
cz_err G(batch_to_affine)(AFFINE *rs, const GROUP *as, size_t n)
{
    COORD acc = coord_one;

    for (size_t i = 0; i < n; i++) {
        rs[i].x = acc;
        if (!G(is_infinity)(&as[i]))
            C(mul)(&acc, &acc, &as[i].z);
    }
    C(inv_var)(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        COORD z_inverse;

        if (G(is_infinity)(&as[i])) {
            affine_set_infinity(&rs[i]);
            continue;
        }
        C(mul)(&z_inverse, &acc, &rs[i].x);
        C(mul)(&acc, &acc, &as[i].z);
        scale_to_affine(&rs[i], &as[i], &z_inverse);
    }
    return CZ_OK;
}

/* X1 Z2^2 = X2 Z1^2 and Y1 Z2^3 = Y2 Z1^3 */
bool G(equal)(const GROUP *a, const GROUP *b)
{
    COORD zz_a, zz_b, left, right;

    if (G(is_infinity)(a) || G(is_infinity)(b))
        return G(is_infinity)(a) && G(is_infinity)(b);
    C(sqr)(&zz_a, &a->z);
    C(sqr)(&zz_b, &b->z);
    C(mul)(&left, &a->x, &zz_b);
    C(mul)(&right, &b->x, &zz_a);
    if (!C(equal)(&left, &right))
        return false;
    C(mul)(&zz_a, &zz_a, &a->z);
    C(mul)(&zz_b, &zz_b, &b->z);
    C(mul)(&left, &a->y, &zz_b);
    C(mul)(&right, &b->y, &zz_a);
    return C(equal)(&left, &right);
}

void G(neg)(GROUP *r, const GROUP *a)
{
    r->x = a->x;
    C(neg)(&r->y, &a->y);
    r->z = a->z;
}

/* dbl-2009-l: 2M + 5S. Infinity and points of order 2 come out with Z = 0 by themselves. */
void G(dbl)(GROUP *r, const GROUP *p)
{
    COORD a, b, c, d, e, f;

    C(sqr)(&a, &p->x);
    C(sqr)(&b, &p->y);
    C(sqr)(&c, &b);
    C(add)(&d, &p->x, &b); /* D = 2 ((X + B)^2 - A - C) = 4 X Y^2 */
    C(sqr)(&d, &d);
    C(sub)(&d, &d, &a);
    C(sub)(&d, &d, &c);
    C(dbl)(&d, &d);
    C(dbl)(&e, &a); /* E = 3 A */
    C(add)(&e, &e, &a);
    C(sqr)(&f, &e);
    C(mul)(&r->z, &p->y, &p->z);
    C(dbl)(&r->z, &r->z);
    C(dbl)(&r->x, &d); /* X3 = F - 2 D */
    C(sub)(&r->x, &f, &r->x);
    C(sub)(&d, &d, &r->x); /* Y3 = E (D - X3) - 8 C */
    C(mul)(&e, &e, &d);
    C(dbl)(&c, &c);
    C(dbl)(&c, &c);
    C(dbl)(&c, &c);
    C(sub)(&r->y, &e, &c);
}

/* The common end of the Jacobian additions: X3 and Y3 from H = U2 - U1, half_r = S2 - S1, U1, S1.
 * I = (2 H)^2, J = H I, r = 2 half_r, V = U1 I, X3 = r^2 - J - 2 V, Y3 = r (V - X3) - 2 S1 J. */
static void finish_add(GROUP *r, const COORD *h, const COORD *half_r, const COORD *u1,
                       const COORD *s1)
{
    COORD i, j, rr, v, t;

    C(dbl)(&i, h);
    C(sqr)(&i, &i);
    C(mul)(&j, h, &i);
    C(dbl)(&rr, half_r);
    C(mul)(&v, u1, &i);
    C(mul)(&t, s1, &j);
    C(dbl)(&t, &t);
    C(sqr)(&r->x, &rr);
    C(sub)(&r->x, &r->x, &j);
    C(sub)(&r->x, &r->x, &v);
    C(sub)(&r->x, &r->x, &v);
    C(sub)(&v, &v, &r->x);
    C(mul)(&r->y, &rr, &v);
    C(sub)(&r->y, &r->y, &t);
}

/* add-2007-bl: 11M + 5S. */
void G(add)(GROUP *r, const GROUP *a, const GROUP *b)
{
    COORD z1z1, z2z2, u1, u2, s1, s2, h, half_r, z;

    if (G(is_infinity)(a)) {
        *r = *b;
        return;
    }
    if (G(is_infinity)(b)) {
        *r = *a;
        return;
    }
    C(sqr)(&z1z1, &a->z);
    C(sqr)(&z2z2, &b->z);
    C(mul)(&u1, &a->x, &z2z2);
    C(mul)(&u2, &b->x, &z1z1);
    C(mul)(&s1, &a->y, &b->z);
    C(mul)(&s1, &s1, &z2z2);
    C(mul)(&s2, &b->y, &a->z);
    C(mul)(&s2, &s2, &z1z1);
    C(sub)(&h, &u2, &u1);
    C(sub)(&half_r, &s2, &s1);
    if (C(is_zero)(&h)) { /* equal or opposite */
        if (C(is_zero)(&half_r))
            G(dbl)(r, a);
        else
            G(set_infinity)(r);
        return;
    }
    C(add)(&z, &a->z, &b->z); /* Z3 = ((Z1 + Z2)^2 - Z1^2 - Z2^2) H */
    C(sqr)(&z, &z);
    C(sub)(&z, &z, &z1z1);
    C(sub)(&z, &z, &z2z2);
    C(mul)(&r->z, &z, &h);
    finish_add(r, &h, &half_r, &u1, &s1);
}

/* madd-2007-bl: 7M + 4S (here one M in place of an S and additions). */
void G(add_affine)(GROUP *r, const GROUP *a, const AFFINE *b)
{
    COORD z1z1, u1, u2, s1, s2, h, half_r;

    if (G(affine_is_infinity)(b)) {
        *r = *a;
        return;
    }
    if (G(is_infinity)(a)) {
        G(from_affine)(r, b);
        return;
    }
    u1 = a->x;
    s1 = a->y;
    C(sqr)(&z1z1, &a->z);
    C(mul)(&u2, &b->x, &z1z1);
    C(mul)(&s2, &b->y, &a->z);
    C(mul)(&s2, &s2, &z1z1);
    C(sub)(&h, &u2, &u1);
    C(sub)(&half_r, &s2, &s1);
    if (C(is_zero)(&h)) {
        if (C(is_zero)(&half_r))
            G(dbl)(r, a);
        else
            G(set_infinity)(r);
        return;
    }
    C(mul)(&r->z, &a->z, &h); /* Z3 = 2 Z1 H */
    C(dbl)(&r->z, &r->z);
    finish_add(r, &h, &half_r, &u1, &s1);
}

/* ---- multiplication by a scalar ---- */

enum { SCALAR_BITS = 256, MUL_WINDOW = 4, MUL_TABLE = 1 << MUL_WINDOW };

/* Digit number i of MUL_WINDOW bits. */
static unsigned scalar_digit(const cz_u256 *k, unsigned i)
{
    unsigned bit = MUL_WINDOW * i;

    return (unsigned)(k->l[bit / 64] >> (bit % 64)) & (MUL_TABLE - 1);
}

/* Fixed windows, leading zeros skipped. */
void G(mul_var)(GROUP *r, const GROUP *a, const cz_u256 *k)
{
    GROUP table[MUL_TABLE];
    GROUP acc;

    G(set_infinity)(&table[0]);
    for (unsigned i = 1; i < MUL_TABLE; i++)
        G(add)(&table[i], &table[i - 1], a);
    G(set_infinity)(&acc);
    for (unsigned i = SCALAR_BITS / MUL_WINDOW; i-- > 0;) {
        for (unsigned j = 0; j < MUL_WINDOW && !G(is_infinity)(&acc); j++)
            G(dbl)(&acc, &acc);
        G(add)(&acc, &acc, &table[scalar_digit(k, i)]);
    }
    *r = acc;
}

/* r = |x| a, x the BLS parameter: 63 doublings, 5 additions. */
static void mul_by_x_abs(GROUP *r, const GROUP *a)
{
    GROUP acc = *a;

    for (unsigned i = 63; i-- > 0;) {
        G(dbl)(&acc, &acc);
        if (CZ_BLS_X_ABS >> i & 1)
            G(add)(&acc, &acc, a);
    }
    *r = acc;
}

/* A homogeneous projective point (X/Z, Y/Z), infinity (0, 1, 0): the form whose addition formulas
 * have no exceptions on a group of odd order [RCB16], as both curves are. */
typedef struct {
    COORD x, y, z;
} projective;

/* [RCB16, algorithm 7]: 12M and two by 3 b. */
static void projective_add(projective *r, const projective *p, const projective *q)
{
    COORD xx, yy, zz, xy, yz, xz, s, t;

    C(mul)(&xx, &p->x, &q->x);
    C(mul)(&yy, &p->y, &q->y);
    C(mul)(&zz, &p->z, &q->z);
    C(add)(&s, &p->x, &p->y); /* xy = X1 Y2 + X2 Y1 */
    C(add)(&t, &q->x, &q->y);
    C(mul)(&xy, &s, &t);
    C(sub)(&xy, &xy, &xx);
    C(sub)(&xy, &xy, &yy);
    C(add)(&s, &p->y, &p->z); /* yz = Y1 Z2 + Y2 Z1 */
    C(add)(&t, &q->y, &q->z);
    C(mul)(&yz, &s, &t);
    C(sub)(&yz, &yz, &yy);
    C(sub)(&yz, &yz, &zz);
    C(add)(&s, &p->x, &p->z); /* xz = X1 Z2 + X2 Z1 */
    C(add)(&t, &q->x, &q->z);
    C(mul)(&xz, &s, &t);
    C(sub)(&xz, &xz, &xx);
    C(sub)(&xz, &xz, &zz);
    C(dbl)(&s, &xx); /* xx := 3 X1 X2, zz := 3 b Z1 Z2, xz := 3 b xz */
    C(add)(&xx, &xx, &s);
    mul_by_b3(&zz, &zz);
    mul_by_b3(&xz, &xz);
    C(add)(&s, &yy, &zz);
    C(sub)(&t, &yy, &zz);
    C(mul)(&r->x, &xy, &t); /* X3 = xy t - yz xz */
    C(mul)(&yy, &yz, &xz);
    C(sub)(&r->x, &r->x, &yy);
    C(mul)(&r->y, &t, &s); /* Y3 = t s + xx xz */
    C(mul)(&yy, &xx, &xz);
    C(add)(&r->y, &r->y, &yy);
    C(mul)(&r->z, &yz, &s); /* Z3 = yz s + xx xy */
    C(mul)(&yy, &xx, &xy);
    C(add)(&r->z, &r->z, &yy);
}

static const projective projective_infinity = {COORD_ZERO, COORD_ONE, COORD_ZERO};

/* (X/Z^2, Y/Z^3) = (X Z / Z^3, Y / Z^3). Infinity's Y is set: it could be zero in `a`. */
static void projective_from_jacobian(projective *r, const GROUP *a)
{
    COORD zz;

    if (G(is_infinity)(a)) {
        *r = projective_infinity;
        return;
    }
    C(sqr)(&zz, &a->z);
    C(mul)(&r->x, &a->x, &a->z);
    r->y = a->y;
    C(mul)(&r->z, &zz, &a->z);
}

/* (X/Z, Y/Z) = (X Z / Z^2, Y Z^2 / Z^3) */
static void projective_to_jacobian(GROUP *r, const projective *a)
{
    COORD zz;

    C(sqr)(&zz, &a->z);
    C(mul)(&r->x, &a->x, &a->z);
    C(mul)(&r->y, &a->y, &zz);
    r->z = a->z;
}

/* Reads the whole table whatever the digit is. */
static void projective_lookup(projective *r, const projective table[MUL_TABLE], unsigned digit)
{
    unsigned char out[sizeof(projective)] = {0};

    for (unsigned i = 0; i < MUL_TABLE; i++) {
        const unsigned char *entry = (const unsigned char *)&table[i];
        unsigned char mask =
            (unsigned char)(((i ^ digit) - 1) >> 24); /* 255 where i is the digit */

        for (size_t j = 0; j < sizeof out; j++)
            out[j] = (unsigned char)(out[j] | (entry[j] & mask));
    }
    memcpy(r, out, sizeof out);
}

/* Fixed windows, every window added, complete formulas also for the doublings. */
void G(mul_ct)(GROUP *r, const GROUP *a, const cz_u256 *k)
{
    projective table[MUL_TABLE];
    projective acc = projective_infinity;
    projective chosen;

    table[0] = projective_infinity;
    projective_from_jacobian(&table[1], a);
    for (unsigned i = 2; i < MUL_TABLE; i++)
        projective_add(&table[i], &table[i - 1], &table[1]);
    for (unsigned i = SCALAR_BITS / MUL_WINDOW; i-- > 0;) {
        for (unsigned j = 0; j < MUL_WINDOW; j++)
            projective_add(&acc, &acc, &acc);
        projective_lookup(&chosen, table, scalar_digit(k, i));
        projective_add(&acc, &acc, &chosen);
    }
    projective_to_jacobian(r, &acc);
    cz_secure_zero(&acc, sizeof acc);
    cz_secure_zero(&chosen, sizeof chosen);
}

/* ---- XYZZ points ---- */

void G(xyzz_set_infinity)(XYZZ *r)
{
    r->x = r->y = coord_one;
    r->zz = r->zzz = coord_zero;
}

bool G(xyzz_is_infinity)(const XYZZ *a)
{
    return C(is_zero)(&a->zz);
}

/* (X/ZZ, Y/ZZZ) with Z := ZZ, the square of the Z that ZZ and ZZZ come from: 2M. */
void G(xyzz_to_jacobian)(GROUP *r, const XYZZ *a)
{
    C(mul)(&r->x, &a->x, &a->zz);
    C(mul)(&r->y, &a->y, &a->zzz);
    r->z = a->zz;
}

/* The common start of the doublings: U = 2 Y, V = U^2, W = U V, S = X V, M = 3 X^2, X3 = M^2 - 2 S,
 * Y3 = M (S - X3) - W Y. A point of order 2 gives V = 0, so infinity. */
static void xyzz_dbl_xy(XYZZ *r, COORD *v, COORD *w, const COORD *x, const COORD *y)
{
    COORD u, s, m, t;

    C(dbl)(&u, y);
    C(sqr)(v, &u);
    C(mul)(w, &u, v);
    C(mul)(&s, x, v);
    C(sqr)(&t, x);
    C(dbl)(&m, &t);
    C(add)(&m, &m, &t);
    C(mul)(&t, w, y);
    C(sqr)(&r->x, &m);
    C(sub)(&r->x, &r->x, &s);
    C(sub)(&r->x, &r->x, &s);
    C(sub)(&s, &s, &r->x);
    C(mul)(&r->y, &m, &s);
    C(sub)(&r->y, &r->y, &t);
}

/* mdbl-2008-s-1: 4M + 3S. */
static void xyzz_dbl_affine(XYZZ *r, const AFFINE *a)
{
    xyzz_dbl_xy(r, &r->zz, &r->zzz, &a->x, &a->y);
}

/* dbl-2008-s-1: 6M + 3S. */
static void xyzz_dbl(XYZZ *r)
{
    COORD v, w;

    xyzz_dbl_xy(r, &v, &w, &r->x, &r->y);
    C(mul)(&r->zz, &r->zz, &v);
    C(mul)(&r->zzz, &r->zzz, &w);
}

/* The common middle of the additions: from P = U2 - U1, R = S2 - S1, U1, S1 the X3, Y3 and
 * PP = P^2, PPP = P^3; Q = U1 PP, X3 = R^2 - PPP - 2 Q, Y3 = R (Q - X3) - S1 PPP. */
static void xyzz_add_xy(XYZZ *r, COORD *pp, COORD *ppp, const COORD *p, const COORD *rr,
                        const COORD *u1, const COORD *s1)
{
    COORD q, t;

    C(sqr)(pp, p);
    C(mul)(ppp, p, pp);
    C(mul)(&q, u1, pp);
    C(mul)(&t, s1, ppp);
    C(sqr)(&r->x, rr);
    C(sub)(&r->x, &r->x, ppp);
    C(sub)(&r->x, &r->x, &q);
    C(sub)(&r->x, &r->x, &q);
    C(sub)(&q, &q, &r->x);
    C(mul)(&r->y, rr, &q);
    C(sub)(&r->y, &r->y, &t);
}

/* madd-2008-s: 8M + 2S. */
void G(xyzz_add_affine)(XYZZ *r, const AFFINE *b)
{
    COORD p, rr, pp, ppp;

    if (G(affine_is_infinity)(b))
        return;
    if (G(xyzz_is_infinity)(r)) {
        r->x = b->x;
        r->y = b->y;
        r->zz = r->zzz = coord_one;
        return;
    }
    C(mul)(&p, &b->x, &r->zz);
    C(mul)(&rr, &b->y, &r->zzz);
    C(sub)(&p, &p, &r->x);
    C(sub)(&rr, &rr, &r->y);
    if (C(is_zero)(&p)) {
        if (C(is_zero)(&rr))
            xyzz_dbl_affine(r, b);
        else
            G(xyzz_set_infinity)(r);
        return;
    }
    xyzz_add_xy(r, &pp, &ppp, &p, &rr, &r->x, &r->y);
    C(mul)(&r->zz, &r->zz, &pp);
    C(mul)(&r->zzz, &r->zzz, &ppp);
}

/* add-2008-s: 12M + 2S. */
void G(xyzz_add)(XYZZ *r, const XYZZ *b)
{
    COORD u1, u2, s1, s2, pp, ppp;

    if (G(xyzz_is_infinity)(b))
        return;
    if (G(xyzz_is_infinity)(r)) {
        *r = *b;
        return;
    }
    C(mul)(&u1, &r->x, &b->zz);
    C(mul)(&u2, &b->x, &r->zz);
    C(mul)(&s1, &r->y, &b->zzz);
    C(mul)(&s2, &b->y, &r->zzz);
    C(sub)(&u2, &u2, &u1);
    C(sub)(&s2, &s2, &s1);
    if (C(is_zero)(&u2)) {
        if (C(is_zero)(&s2))
            xyzz_dbl(r);
        else
            G(xyzz_set_infinity)(r);
        return;
    }
    C(mul)(&r->zz, &r->zz, &b->zz);
    C(mul)(&r->zzz, &r->zzz, &b->zzz);
    xyzz_add_xy(r, &pp, &ppp, &u2, &s2, &u1, &s1);
    C(mul)(&r->zz, &r->zz, &pp);
    C(mul)(&r->zzz, &r->zzz, &ppp);
}
