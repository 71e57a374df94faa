/* group_laws_body.h: what both groups must satisfy, for G1 and G2.
 *
 * Included by test_g1.c and test_g2.c, which define GROUP, AFFINE, XYZZ, G(name), COORD, C(name) as
 * src/curve/group_body.h has them, and
 *   GENERATOR                        the standard one
 *   COMPRESSED, UNCOMPRESSED         lengths of the encodings
 *   KA_SECTION                       the group's section in known-answers.json
 *   random_coord(r)                  any element of COORD
 *   curve_rhs(r, x)                  x^3 + b */

static void random_scalar(cz_u256 *k)
{
    for (int i = 0; i < 4; i++)
        k->l[i] = cz_test_random();
}

static void random_point(GROUP *r)
{
    GROUP g;
    cz_u256 k;

    random_scalar(&k);
    G(from_affine)(&g, &GENERATOR);
    G(mul_var)(r, &g, &k);
}

/* A point of the curve with a random x: outside the subgroup but for one chance in the cofactor. */
static void random_curve_point(AFFINE *r)
{
    do {
        random_coord(&r->x);
        curve_rhs(&r->y, &r->x);
    } while (!C(sqrt)(&r->y, &r->y));
}

/* The same point with another Z. */
static void rescale(GROUP *r, const GROUP *a)
{
    COORD z, t;

    do
        random_coord(&z);
    while (C(is_zero)(&z));
    C(sqr)(&t, &z);
    C(mul)(&r->x, &a->x, &t);
    C(mul)(&t, &t, &z);
    C(mul)(&r->y, &a->y, &t);
    C(mul)(&r->z, &a->z, &z);
}

static void to_xyzz(XYZZ *r, const GROUP *a)
{
    r->x = a->x;
    r->y = a->y;
    C(sqr)(&r->zz, &a->z);
    C(mul)(&r->zzz, &r->zz, &a->z);
}

static void assert_same_point(const GROUP *a, const GROUP *b)
{
    assert_true(G(equal)(a, b));
}

/* ---- addition by its definition, on affine points ---- */

/* The third point of the line through a with the given slope and b, negated. */
static void chord(AFFINE *r, const AFFINE *a, const AFFINE *b, const COORD *slope)
{
    AFFINE t;

    C(sqr)(&t.x, slope);
    C(sub)(&t.x, &t.x, &a->x);
    C(sub)(&t.x, &t.x, &b->x);
    C(sub)(&t.y, &a->x, &t.x);
    C(mul)(&t.y, &t.y, slope);
    C(sub)(&t.y, &t.y, &a->y);
    *r = t;
}

static void add_by_definition(AFFINE *r, const AFFINE *a, const AFFINE *b)
{
    COORD num, den;

    if (G(affine_is_infinity)(a)) {
        *r = *b;
        return;
    }
    if (G(affine_is_infinity)(b)) {
        *r = *a;
        return;
    }
    if (C(equal)(&a->x, &b->x)) {
        C(add)(&den, &a->y, &b->y); /* 2 y, or zero where b = -a */
        if (C(is_zero)(&den)) {
            memset(r, 0, sizeof *r);
            return;
        }
        C(sqr)(&num, &a->x);
        C(dbl)(&den, &num);
        C(add)(&num, &num, &den); /* 3 x^2 */
        C(dbl)(&den, &a->y);
    } else {
        C(sub)(&num, &b->y, &a->y);
        C(sub)(&den, &b->x, &a->x);
    }
    C(inv)(&den, &den);
    C(mul)(&num, &num, &den);
    chord(r, a, b, &num);
}

static void assert_affine(const GROUP *got, const AFFINE *want)
{
    AFFINE a;

    G(to_affine)(&a, got);
    assert_true(G(affine_equal)(&a, want));
}

/* Every form of a + b. */
static void check_every_addition(const GROUP *a, const GROUP *b)
{
    AFFINE affine_a, affine_b, want;
    GROUP r, scaled_a, scaled_b;
    XYZZ x, y;

    G(to_affine)(&affine_a, a);
    G(to_affine)(&affine_b, b);
    add_by_definition(&want, &affine_a, &affine_b);
    assert_true(G(affine_on_curve)(&want));
    rescale(&scaled_a, a);
    rescale(&scaled_b, b);

    G(add)(&r, a, b);
    assert_affine(&r, &want);
    G(add)(&r, &scaled_a, &scaled_b);
    assert_affine(&r, &want);
    r = scaled_a; /* in place, either side */
    G(add)(&r, &r, b);
    assert_affine(&r, &want);
    r = scaled_b;
    G(add)(&r, a, &r);
    assert_affine(&r, &want);

    G(add_affine)(&r, &scaled_a, &affine_b);
    assert_affine(&r, &want);
    r = scaled_a;
    G(add_affine)(&r, &r, &affine_b);
    assert_affine(&r, &want);

    to_xyzz(&x, &scaled_a);
    G(xyzz_add_affine)(&x, &affine_b);
    G(xyzz_to_jacobian)(&r, &x);
    assert_affine(&r, &want);
    assert_int_equal(G(xyzz_is_infinity)(&x), G(affine_is_infinity)(&want));

    to_xyzz(&x, &scaled_a);
    to_xyzz(&y, &scaled_b);
    G(xyzz_add)(&x, &y);
    G(xyzz_to_jacobian)(&r, &x);
    assert_affine(&r, &want);
}

static void every_addition_handles_every_case(void **state)
{
    enum { N = 8 };
    GROUP points[N];

    (void)state;
    G(set_infinity)(&points[0]);
    random_point(&points[1]);
    G(neg)(&points[2], &points[1]);
    G(dbl)(&points[3], &points[1]);
    G(neg)(&points[4], &points[3]);
    random_point(&points[5]);
    G(from_affine)(&points[6], &GENERATOR);
    G(add)(&points[7], &points[1], &points[2]); /* infinity as a result */
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            check_every_addition(&points[i], &points[j]);
    }
}

static void doubling_is_addition_to_itself(void **state)
{
    GROUP a, d, s;
    XYZZ x;

    (void)state;
    for (int i = 0; i < 20; i++) {
        AFFINE affine, want;

        random_point(&a);
        rescale(&a, &a);
        G(to_affine)(&affine, &a);
        add_by_definition(&want, &affine, &affine);
        G(dbl)(&d, &a);
        assert_affine(&d, &want);
        s = a;
        G(dbl)(&s, &s);
        assert_same_point(&s, &d);
        to_xyzz(&x, &a);
        G(xyzz_add)(&x, &x);
        G(xyzz_to_jacobian)(&s, &x);
        assert_same_point(&s, &d);
    }
    G(set_infinity)(&a);
    G(dbl)(&a, &a);
    assert_true(G(is_infinity)(&a));
}

/* A long sum in XYZZ, starting at infinity, against the Jacobian one. */
static void sums_in_xyzz_equal_sums_in_jacobian(void **state)
{
    GROUP sum, p, got;
    AFFINE affine;
    XYZZ x;

    (void)state;
    G(set_infinity)(&sum);
    G(xyzz_set_infinity)(&x);
    assert_true(G(xyzz_is_infinity)(&x));
    for (int i = 0; i < 50; i++) {
        random_point(&p);
        G(to_affine)(&affine, &p);
        G(add)(&sum, &sum, &p);
        G(xyzz_add_affine)(&x, &affine);
    }
    G(xyzz_to_jacobian)(&got, &x);
    assert_same_point(&got, &sum);
}

static void equality_ignores_the_scale(void **state)
{
    GROUP a, b, infinity;

    (void)state;
    G(set_infinity)(&infinity);
    random_point(&a);
    rescale(&b, &a);
    assert_true(G(equal)(&a, &b));
    G(neg)(&b, &b); /* same x */
    assert_false(G(equal)(&a, &b));
    random_point(&b);
    assert_false(G(equal)(&a, &b));
    assert_false(G(equal)(&a, &infinity));
    assert_false(G(equal)(&infinity, &a));
    b = infinity;
    rescale(&b, &b);
    assert_true(G(equal)(&b, &infinity));
}

/* ---- scalars ---- */

static void assert_both_products(const GROUP *a, const cz_u256 *k, const GROUP *want)
{
    GROUP got;

    G(mul_var)(&got, a, k);
    assert_same_point(&got, want);
    G(mul_ct)(&got, a, k);
    assert_same_point(&got, want);
    got = *a; /* in place */
    G(mul_ct)(&got, &got, k);
    assert_same_point(&got, want);
}

static void small_multiples_are_repeated_additions(void **state)
{
    GROUP a, want;
    cz_u256 k = {{0}};

    (void)state;
    random_point(&a);
    G(set_infinity)(&want);
    for (k.l[0] = 0; k.l[0] < 40; k.l[0]++) {
        assert_both_products(&a, &k, &want);
        G(add)(&want, &want, &a);
    }
}

/* k = 2^i + 2^j by doublings, over all words. */
static void every_bit_of_the_scalar_counts(void **state)
{
    GROUP a, power, want;
    cz_u256 k;

    (void)state;
    random_point(&a);
    power = a;
    for (int i = 0; i < 256; i++) {
        memset(&k, 0, sizeof k);
        k.l[i / 64] = UINT64_C(1) << (i % 64);
        if (i % 5 == 0 || i > 250)
            assert_both_products(&a, &k, &power);
        G(dbl)(&power, &power);
    }
    memset(&k, 0xff, sizeof k); /* 2^256 - 1 */
    G(neg)(&want, &a);
    G(add)(&want, &power, &want);
    assert_both_products(&a, &k, &want);
}

static void products_by_the_order_and_its_neighbours(void **state)
{
    cz_u256 k = {CZ_FR_MODULUS};
    GROUP a, want;

    (void)state;
    random_point(&a);
    G(set_infinity)(&want);
    assert_both_products(&a, &k, &want);
    k.l[0]++;
    assert_both_products(&a, &k, &a);
    k.l[0] -= 2; /* r - 1 */
    G(neg)(&want, &a);
    assert_both_products(&a, &k, &want);
    G(set_infinity)(&want);
    assert_both_products(&want, &k, &want);
}

static void multiplication_is_linear(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        GROUP a, ka, la, want;
        cz_fr x, y, z;
        cz_u256 k, l, m;

        random_point(&a);
        random_scalar(&k);
        random_scalar(&l);
        cz_fr_from_u256(&x, &k);
        cz_fr_from_u256(&y, &l);
        cz_fr_add(&z, &x, &y);
        cz_fr_to_u256(&m, &z);
        G(mul_var)(&ka, &a, &k);
        G(mul_ct)(&la, &a, &l);
        G(add)(&want, &ka, &la);
        assert_both_products(&a, &m, &want);
        cz_fr_mul(&z, &x, &y);
        cz_fr_to_u256(&m, &z);
        G(mul_var)(&want, &ka, &l);
        assert_both_products(&a, &m, &want);
    }
}

/* A product that came out as infinity must still multiply to infinity. */
static void infinity_stays_infinity(void **state)
{
    cz_u256 order = {CZ_FR_MODULUS}, k;
    GROUP a, infinity;

    (void)state;
    random_point(&a);
    random_scalar(&k);
    G(set_infinity)(&infinity);
    G(mul_ct)(&a, &a, &order);
    assert_true(G(is_infinity)(&a));
    assert_both_products(&a, &k, &infinity);
    G(dbl)(&a, &a);
    assert_true(G(is_infinity)(&a));
    G(neg)(&a, &a);
    assert_true(G(is_infinity)(&a));
}

/* ---- affine ---- */

static void batch_to_affine_equals_one_by_one(void **state)
{
    enum { N = 37 };
    GROUP as[N];
    AFFINE got[N], want;

    (void)state;
    for (size_t i = 0; i < N; i++) {
        random_point(&as[i]);
        if (i % 7 == 3 || i == 0)
            G(set_infinity)(&as[i]);
    }
    for (size_t n = 0; n <= N; n += n < 3 ? 1 : 17) {
        memset(got, 0xaa, sizeof got);
        assert_ok(G(batch_to_affine)(got, as, n));
        for (size_t i = 0; i < n; i++) {
            G(to_affine)(&want, &as[i]);
            assert_true(G(affine_equal)(&got[i], &want));
        }
        for (size_t i = n; i < N; i++)
            assert_int_equal(*(const uint8_t *)&got[i], 0xaa);
    }
}

static void affine_and_back(void **state)
{
    GROUP p, q;
    AFFINE a;

    (void)state;
    random_point(&p);
    rescale(&p, &p);
    G(to_affine)(&a, &p);
    assert_false(G(affine_is_infinity)(&a));
    G(from_affine)(&q, &a);
    assert_same_point(&p, &q);
    G(set_infinity)(&p);
    G(to_affine)(&a, &p);
    assert_true(G(affine_is_infinity)(&a));
    G(from_affine)(&q, &a);
    assert_true(G(is_infinity)(&q));
}

static void curve_membership(void **state)
{
    AFFINE a;

    (void)state;
    assert_true(G(affine_on_curve)(&GENERATOR));
    memset(&a, 0, sizeof a);
    assert_true(G(affine_on_curve)(&a));
    for (int i = 0; i < 20; i++) {
        COORD t;

        random_curve_point(&a);
        assert_true(G(affine_on_curve)(&a));
        C(dbl)(&a.y, &a.y);
        assert_false(G(affine_on_curve)(&a));
        random_coord(&t);
        a.x = t;
        assert_false(G(affine_on_curve)(&a));
    }
}

static void subgroup_membership_is_that_of_the_definition(void **state)
{
    AFFINE a;
    GROUP p;

    (void)state;
    memset(&a, 0, sizeof a);
    assert_true(G(affine_in_subgroup)(&a) && G(affine_in_subgroup_ref)(&a));
    assert_true(G(affine_in_subgroup)(&GENERATOR) && G(affine_in_subgroup_ref)(&GENERATOR));
    for (int i = 0; i < 20; i++) {
        random_point(&p);
        G(to_affine)(&a, &p);
        assert_true(G(affine_in_subgroup)(&a) && G(affine_in_subgroup_ref)(&a));
        random_curve_point(&a);
        assert_false(G(affine_in_subgroup)(&a) || G(affine_in_subgroup_ref)(&a));
    }
}

/* r P for P on the curve: in the cofactor's part of the group, where a lax check would slip. */
static void points_of_cofactor_order_are_outside(void **state)
{
    static const cz_u256 order = {CZ_FR_MODULUS};
    AFFINE a;
    GROUP p;

    (void)state;
    for (int i = 0; i < 10; i++) {
        random_curve_point(&a);
        G(from_affine)(&p, &a);
        G(mul_var)(&p, &p, &order);
        assert_false(G(is_infinity)(&p));
        G(to_affine)(&a, &p);
        assert_true(G(affine_on_curve)(&a));
        assert_false(G(affine_in_subgroup)(&a));
    }
}

/* ---- against the reference stack ---- */

static void read_point(cz_json v, AFFINE *r)
{
    uint8_t compressed[COMPRESSED], uncompressed[UNCOMPRESSED];
    AFFINE other;

    ka_bytes(ka_get(v, "compressed"), compressed, sizeof compressed);
    ka_bytes(ka_get(v, "uncompressed"), uncompressed, sizeof uncompressed);
    assert_ok(G(decompress)(r, compressed));
    assert_ok(G(deserialize)(&other, uncompressed));
    assert_true(G(affine_equal)(r, &other));
    assert_ok(G(deserialize_unchecked)(&other, uncompressed));
    assert_true(G(affine_equal)(r, &other));
}

/* Both encodings of p are those of the row. */
static void assert_point(cz_json row, const char *key, const GROUP *p)
{
    uint8_t want[UNCOMPRESSED], got[UNCOMPRESSED];
    AFFINE a;

    G(to_affine)(&a, p);
    ka_bytes(ka_get(ka_get(row, key), "compressed"), want, COMPRESSED);
    G(compress)(got, &a);
    assert_memory_equal(got, want, COMPRESSED);
    ka_bytes(ka_get(ka_get(row, key), "uncompressed"), want, UNCOMPRESSED);
    G(serialize)(got, &a);
    assert_memory_equal(got, want, UNCOMPRESSED);
}

static void check_known_row(cz_json row)
{
    AFFINE affine_p, affine_q;
    GROUP p, q, r;
    cz_u256 k;
    uint8_t le[32];

    read_point(ka_get(row, "p"), &affine_p);
    read_point(ka_get(row, "q"), &affine_q);
    G(from_affine)(&p, &affine_p);
    G(from_affine)(&q, &affine_q);
    G(add)(&r, &p, &q);
    assert_point(row, "p_plus_q", &r);
    G(add_affine)(&r, &p, &affine_q);
    assert_point(row, "p_plus_q", &r);
    G(dbl)(&r, &p);
    assert_point(row, "double_p", &r);
    G(neg)(&r, &p);
    assert_point(row, "neg_p", &r);
    ka_bytes(ka_get(row, "k"), le, sizeof le);
    for (size_t i = 0; i < 4; i++)
        k.l[i] = cz_load_le64(le + 8 * i);
    G(mul_var)(&r, &p, &k);
    assert_point(row, "k_p", &r);
    G(mul_ct)(&r, &p, &k);
    assert_point(row, "k_p", &r);
}

static void known_answers_of_the_group(void **state)
{
    known_answers ka;
    cz_json row;
    cz_json_iter it;
    size_t rows = 0;

    (void)state;
    known_answers_open(&ka);
    it = ka_rows(ka_get(ka.root, KA_SECTION));
    while (ka_next(&it, &row)) {
        check_known_row(row);
        rows++;
    }
    assert_in_range(rows, 50, 1000);
    known_answers_close(&ka);
}
