/* setup_body_device.h: setup_device.h's work for one group, one point a thread. No include guard;
 * before it is included
 *   DEV              what functions begin with
 *   FN(name)         names local to this group
 *   W                words of a coordinate that a thread has
 *   MUL SQR SUB INV  of coordinates, lazy from lazy; results may be operands
 *   ONE(r), NEGATE_IF(a, yes) from canonical, IS_ZERO(a) for words that are all zero
 *   LOAD(r, from, i), STORE(to, i, v)  coordinate i of an array of words
 *   ENCODE(bytes, i, v, nothing)       as coordinate i of the file's bytes
 *   MARK_INFINITY(bytes, i)            point i
 * which are undefined at its end. All lanes of a warp come here and take the same ways. */

/* (x / zz, y / zzz), lazy. */
typedef struct {
    uint32_t x[W], y[W], zz[W], zzz[W];
} FN(sum);

/* p += (x, y), which is neither p nor -p; neither is infinity. 8 products, 2 squares. */
DEV void FN(add)(FN(sum) * p, const uint32_t *x, const uint32_t *y)
{
    uint32_t d[W], r[W], dd[W], ddd[W], v[W];

    MUL(d, x, p->zz);
    SUB(d, d, p->x);
    MUL(r, y, p->zzz);
    SUB(r, r, p->y);
    SQR(dd, d);
    MUL(ddd, d, dd);
    MUL(v, p->x, dd);
    MUL(p->zz, p->zz, dd);
    MUL(p->zzz, p->zzz, ddd);
    SQR(p->x, r);
    SUB(p->x, p->x, ddd);
    SUB(p->x, p->x, v);
    SUB(p->x, p->x, v);
    MUL(ddd, p->y, ddd);
    SUB(v, v, p->x);
    MUL(p->y, r, v);
    SUB(p->y, p->y, ddd);
}

/* Read the table's point of the next digit of a window. */
DEV void FN(next_point)(uint32_t *x, uint32_t *y, const uint32_t *table, unsigned c,
                        unsigned window, cz_setup_digits *digits)
{
    uint32_t negative;
    const uint32_t place = cz_setup_digits_next(digits, c, &negative);
    const size_t point = ((size_t)window << (c - 1)) + place;

    LOAD(x, table, 2 * point);
    LOAD(y, table, 2 * point + 1);
    NEGATE_IF(y, negative);
}

/** sums[i] = scalar times the base, zero in all words of zzz for 0. `scalar` is an element of Fr;
 * `table` has windows of c bits. `store`: else nothing is written. */
DEV void FN(multiple)(uint32_t *sums, size_t i, const uint32_t *table, unsigned c,
                      const uint32_t *scalar, int store)
{
    uint32_t x[W], y[W];
    cz_setup_digits digits;
    FN(sum) p;
    const int nonzero = cz_setup_digits_begin(&digits, scalar);
    unsigned window = CZ_SETUP_SCALAR_BITS / c - 1;

    FN(next_point)(p.x, p.y, table, c, window, &digits);
    ONE(p.zz);
    ONE(p.zzz);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    while (window-- > 0) {
        FN(next_point)(x, y, table, c, window, &digits);
        FN(add)(&p, x, y);
    }
    CZ_UNROLL
    for (int j = 0; j < W; j++)
        p.zzz[j] = nonzero ? p.zzz[j] : 0;
    if (!store)
        return;
    STORE(sums, 4 * i, p.x);
    STORE(sums, 4 * i + 1, p.y);
    STORE(sums, 4 * i + 2, p.zz);
    STORE(sums, 4 * i + 3, p.zzz);
}

/* zzz of sum i, one for infinity, which is told. */
DEV int FN(denominator)(uint32_t *zzz, const uint32_t *sums, size_t i)
{
    uint32_t one[W];
    int none;

    LOAD(zzz, sums, 4 * i + 3);
    none = IS_ZERO(zzz);
    ONE(one);
    CZ_UNROLL
    for (int j = 0; j < W; j++)
        zzz[j] = none ? one[j] : zzz[j];
    return none;
}

/** The bytes of points first, first + step, …, below n, from their sums. `running` takes a
 * coordinate a point. All threads have n and step in common, first is below n; `store`: else
 * nothing is written. A thread that has no point left takes the last one along. */
DEV void FN(encode)(uint32_t *bytes, const uint32_t *sums, uint32_t *running, size_t n,
                    size_t first, size_t step, int store)
{
    uint32_t run[W], t[W], z[W], s[W];
    size_t j;

    ONE(run);
    for (j = 0; j < n; j += step) {
        const size_t i = first + j < n ? first + j : n - 1;

        (void)FN(denominator)(z, sums, i);
        if (store && first + j < n)
            STORE(running, i, run);
        MUL(run, run, z);
    }
    INV(run, run);
    while (j > 0) {
        size_t i;
        int none, mine;

        j -= step;
        mine = first + j < n;
        i = mine ? first + j : n - 1;
        none = FN(denominator)(z, sums, i);
        LOAD(t, running, i);
        MUL(t, t, run); /* 1 / zzz */
        MUL(run, run, z);
        LOAD(s, sums, 4 * i + 2);
        MUL(s, s, t);
        SQR(s, s); /* 1 / zz */
        LOAD(z, sums, 4 * i);
        MUL(z, z, s);
        LOAD(s, sums, 4 * i + 1);
        MUL(s, s, t);
        if (store && mine) {
            ENCODE(bytes, 2 * i, z, none);
            ENCODE(bytes, 2 * i + 1, s, none);
            if (none)
                MARK_INFINITY(bytes, i);
        }
    }
}

#undef DEV
#undef FN
#undef W
#undef MUL
#undef SQR
#undef SUB
#undef INV
#undef ONE
#undef NEGATE_IF
#undef IS_ZERO
#undef LOAD
#undef STORE
#undef ENCODE
#undef MARK_INFINITY
