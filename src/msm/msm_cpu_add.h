/* msm_cpu_add.h: the kernel of form "cpu": many affine additions that share one inversion.
 *
 * No include guard: an includer first defines the names listed in msm_body.h. A stored point is an
 * affine point as it is.
 *
 * Method: Montgomery's trick [Mon87] over the denominators x_b - x_a. Forward: prefix products; one
 * inversion; backward: the inverses one by one, and the sums. Cost: 5 M + 1 S an addition in the
 * coordinates' field. Equal points (tangent instead of chord), opposite points and infinity are
 * told apart on the way forward. */

typedef AFFINE stored;

enum { PREFETCH_PAIRS = 8 };

/* How a pair is added. */
typedef enum { CHORD, TANGENT, ONLY_A, ONLY_B, CANCEL } pair_kind;

typedef struct {
    COORD *prefix; /* product of the denominators before this pair */
    uint8_t *kind; /* pair_kind */
} add_scratch;

static cz_err add_scratch_init(add_scratch *s, cz_msm_memory *memory, size_t max_pairs)
{
    CZ_TRY(cz_msm_take_secret(memory, &s->prefix, max_pairs, sizeof *s->prefix));
    return cz_msm_take_secret(memory, &s->kind, max_pairs, sizeof *s->kind);
}

static void stored_set_infinity(stored *p)
{
    memset(p, 0, sizeof *p);
}

static bool stored_is_infinity(const stored *p)
{
    return C(is_zero)(&p->x) && C(is_zero)(&p->y);
}

static void stored_copy(stored *r, const stored *p, bool negate)
{
    r->x = p->x;
    if (negate)
        C(neg)(&r->y, &p->y);
    else
        r->y = p->y;
}

static void load_points(stored *r, const AFFINE *points, size_t n)
{
    memcpy(r, points, n * sizeof *r);
}

static void load_selected(stored *r, const AFFINE *points, const uint32_t *which, size_t n)
{
    for (size_t i = 0; i < n; i++)
        r[i] = points[which[i]];
}

static void store_points(AFFINE *r, const stored *pool, const uint32_t *refs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        stored_copy(&r[i], &pool[refs[i] >> 1], refs[i] & 1);
}

static pair_kind classify(const stored *a, const stored *b, bool signs_differ)
{
    if (C(is_zero)(&a->x) && C(is_zero)(&a->y))
        return ONLY_B;
    if (C(is_zero)(&b->x) && C(is_zero)(&b->y))
        return ONLY_A;
    if (!C(equal)(&a->x, &b->x))
        return CHORD;
    return C(equal)(&a->y, &b->y) != signs_differ ? TANGENT : CANCEL;
}

static void denominator(COORD *d, const stored *a, const stored *b, pair_kind kind)
{
    if (kind == CHORD)
        C(sub)(d, &b->x, &a->x);
    else
        C(dbl)(d, &a->y);
}

/* Fills prefix and kind; *product is that of all denominators. */
static void go_forward(COORD *product, const stored *pool, const pair *pairs, size_t n,
                       add_scratch *s)
{
    COORD acc = COORD_ONE;

    for (size_t i = 0; i < n; i++) {
        const stored *a = &pool[pairs[i].a >> 1];
        const stored *b = &pool[pairs[i].b >> 1];
        pair_kind kind = classify(a, b, ((pairs[i].a ^ pairs[i].b) & 1) != 0);
        COORD d;

        if (i + PREFETCH_PAIRS < n) {
            prefetch_lines(&pool[pairs[i + PREFETCH_PAIRS].a >> 1], sizeof(stored));
            prefetch_lines(&pool[pairs[i + PREFETCH_PAIRS].b >> 1], sizeof(stored));
        }
        s->kind[i] = (uint8_t)kind;
        s->prefix[i] = acc;
        if (kind > TANGENT)
            continue;
        denominator(&d, a, b, kind);
        C(mul)(&acc, &acc, &d);
    }
    *product = acc;
}

/* x = lambda^2 - x_a - x_b; y = lambda (x_a - x) - y_a. r is neither a nor b. */
static void sum_from_slope(stored *r, const COORD *lambda, const stored *a, const COORD *x_b)
{
    C(sqr)(&r->x, lambda);
    C(sub)(&r->x, &r->x, &a->x);
    C(sub)(&r->x, &r->x, x_b);
    C(sub)(&r->y, &a->x, &r->x);
    C(mul)(&r->y, &r->y, lambda);
    C(sub)(&r->y, &r->y, &a->y);
}

static void add_chord(stored *r, const stored *pool, pair p, const COORD *d_inverse)
{
    const stored *b = &pool[p.b >> 1];
    stored a;
    COORD lambda;

    stored_copy(&a, &pool[p.a >> 1], p.a & 1);
    if ((p.b & 1) != 0) {
        C(add)(&lambda, &b->y, &a.y);
        C(neg)(&lambda, &lambda);
    } else {
        C(sub)(&lambda, &b->y, &a.y);
    }
    C(mul)(&lambda, &lambda, d_inverse);
    sum_from_slope(r, &lambda, &a, &b->x);
}

/* The double of the point without its sign, then the sign. */
static void add_tangent(stored *r, const stored *a, bool negate, const COORD *d_inverse)
{
    COORD lambda, xx;

    C(sqr)(&xx, &a->x);
    C(dbl)(&lambda, &xx);
    C(add)(&lambda, &lambda, &xx);
    C(mul)(&lambda, &lambda, d_inverse);
    sum_from_slope(r, &lambda, a, &a->x);
    if (negate)
        C(neg)(&r->y, &r->y);
}

/* *inverse: of all denominators up to this pair, on return of those before it. */
static void add_one_pair(stored *r, const stored *pool, pair p, pair_kind kind, COORD *inverse,
                         const COORD *prefix)
{
    const stored *a = &pool[p.a >> 1];
    const stored *b = &pool[p.b >> 1];
    COORD d, d_inverse;

    if (kind == CANCEL) {
        stored_set_infinity(r);
    } else if (kind == ONLY_A) {
        stored_copy(r, a, p.a & 1);
    } else if (kind == ONLY_B) {
        stored_copy(r, b, p.b & 1);
    } else {
        denominator(&d, a, b, kind);
        C(mul)(&d_inverse, inverse, prefix);
        C(mul)(inverse, inverse, &d);
        if (kind == CHORD)
            add_chord(r, pool, p, &d_inverse);
        else
            add_tangent(r, a, p.a & 1, &d_inverse);
    }
}

/* pool[out + i] = the sum of pair i, for n pairs; none of them reads what the others write. */
static void add_pairs(stored *pool, const pair *pairs, size_t n, uint32_t out, add_scratch *s)
{
    COORD inverse;

    go_forward(&inverse, pool, pairs, n, s);
    C(inv_var)(&inverse, &inverse);
    for (size_t i = n; i-- > 0;)
        add_one_pair(&pool[out + i], pool, pairs[i], s->kind[i], &inverse, &s->prefix[i]);
}
