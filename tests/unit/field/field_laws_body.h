/* field_laws_body.h: properties that hold in any prime field, for Fr and Fp.
 *
 * Included once by test_fr.c and once by test_fp.c, which define
 *   FIELD, F(name), LIMBS, MODULUS, M_INV, ONE, ZERO   as src/field/field_body.h has them
 *   KA_SECTION   the field's section in known-answers.json */

enum { BYTES = 8 * LIMBS, RANDOM_RUNS = 200 };

static FIELD edges[MAX_EDGES];
static size_t n_edges;

static void random_element(FIELD *r)
{
    random_limbs(r->l, MODULUS, LIMBS);
}

static void make_edges(void)
{
    static uint64_t limbs[MAX_EDGES][6];

    n_edges = edge_limbs(limbs, MODULUS, LIMBS);
    for (size_t i = 0; i < n_edges; i++)
        memcpy(edges[i].l, limbs[i], sizeof edges[i].l);
}

static void assert_same(const FIELD *a, const FIELD *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

static void assert_canonical(const FIELD *a)
{
    assert_true(limbs_below(a->l, MODULUS, LIMBS));
}

/* ---- against the definition in mont.h ---- */

static void compare_with_mont(const FIELD *a, const FIELD *b)
{
    FIELD want, got;

    cz_mont_mul(want.l, a->l, b->l, MODULUS, M_INV, LIMBS);
    F(mul)(&got, a, b);
    assert_same(&got, &want);
    assert_canonical(&got);
    cz_mont_mul(want.l, a->l, a->l, MODULUS, M_INV, LIMBS);
    F(sqr)(&got, a);
    assert_same(&got, &want);
    cz_mont_add(want.l, a->l, b->l, MODULUS, LIMBS);
    F(add)(&got, a, b);
    assert_same(&got, &want);
    assert_canonical(&got);
    cz_mont_sub(want.l, a->l, b->l, MODULUS, LIMBS);
    F(sub)(&got, a, b);
    assert_same(&got, &want);
    assert_canonical(&got);
}

static void compare_edges_and_random(void)
{
    make_edges();
    assert_in_range(n_edges, 50, MAX_EDGES);
    for (size_t i = 0; i < n_edges; i++) {
        for (size_t j = 0; j < n_edges; j++)
            compare_with_mont(&edges[i], &edges[j]);
    }
    for (int i = 0; i < 20000; i++) {
        FIELD a, b;

        random_element(&a);
        random_element(&b);
        compare_with_mont(&a, &b);
    }
}

static void portable_equals_the_definition(void **state)
{
    (void)state;
    with_form("portable", compare_edges_and_random);
}

static void adx_equals_the_definition(void **state)
{
    (void)state;
    with_form("adx", compare_edges_and_random);
}

/* ---- against the reference stack ---- */

static bool read_element(cz_json row, const char *key, FIELD *r)
{
    uint8_t bytes[BYTES];
    cz_json v = ka_get(row, key);

    if (ka_is_null(v))
        return false;
    ka_bytes(v, bytes, BYTES);
    assert_true(F(from_le)(r, bytes));
    return true;
}

static void assert_element(cz_json row, const char *key, const FIELD *got)
{
    FIELD want;

    assert_true(read_element(row, key, &want));
    assert_same(got, &want);
}

static void check_known_row(cz_json row)
{
    FIELD a, b, r;

    assert_true(read_element(row, "a", &a));
    assert_true(read_element(row, "b", &b));
    F(add)(&r, &a, &b);
    assert_element(row, "add", &r);
    F(sub)(&r, &a, &b);
    assert_element(row, "sub", &r);
    F(mul)(&r, &a, &b);
    assert_element(row, "mul", &r);
    F(sqr)(&r, &a);
    assert_element(row, "square_a", &r);
    F(neg)(&r, &a);
    assert_element(row, "neg_a", &r);
    F(inv)(&r, &a);
    if (F(is_zero)(&a))
        assert_true(F(is_zero)(&r) && ka_is_null(ka_get(row, "inverse_a")));
    else
        assert_element(row, "inverse_a", &r);
    F(inv_var)(&b, &a);
    assert_same(&b, &r);
}

static void check_known_answers(void)
{
    known_answers ka;
    cz_json row;
    cz_json_iter it;
    size_t rows = 0;

    known_answers_open(&ka);
    it = ka_rows(ka_get(ka_get(ka.root, KA_SECTION), "ops"));
    while (ka_next(&it, &row)) {
        check_known_row(row);
        rows++;
    }
    assert_in_range(rows, 50, 1000);
    known_answers_close(&ka);
}

static void portable_gives_the_known_answers(void **state)
{
    (void)state;
    with_form("portable", check_known_answers);
}

static void adx_gives_the_known_answers(void **state)
{
    (void)state;
    with_form("adx", check_known_answers);
}

/* ---- laws ---- */

static void multiplication_distributes_and_associates(void **state)
{
    (void)state;
    for (int i = 0; i < RANDOM_RUNS; i++) {
        FIELD a, b, c, s, t, u;

        random_element(&a);
        random_element(&b);
        random_element(&c);
        F(add)(&s, &b, &c);
        F(mul)(&s, &a, &s); /* a (b + c) = a b + a c */
        F(mul)(&t, &a, &b);
        F(mul)(&u, &a, &c);
        F(add)(&u, &t, &u);
        assert_same(&s, &u);
        F(mul)(&s, &t, &c); /* (a b) c = a (b c) */
        F(mul)(&u, &b, &c);
        F(mul)(&u, &a, &u);
        assert_same(&s, &u);
        F(sub)(&s, &a, &b); /* (a - b) + b = a */
        F(add)(&s, &s, &b);
        assert_same(&s, &a);
    }
}

static void results_may_overlap_operands(void **state)
{
    FIELD a, b, want, x;

    (void)state;
    random_element(&a);
    random_element(&b);
#define CHECK_OVERLAP(op)                                                                          \
    F(op)(&want, &a, &b);                                                                          \
    x = a;                                                                                         \
    F(op)(&x, &x, &b);                                                                             \
    assert_same(&x, &want);                                                                        \
    x = b;                                                                                         \
    F(op)(&x, &a, &x);                                                                             \
    assert_same(&x, &want);                                                                        \
    F(op)(&want, &a, &a);                                                                          \
    x = a;                                                                                         \
    F(op)(&x, &x, &x);                                                                             \
    assert_same(&x, &want)
    CHECK_OVERLAP(add);
    CHECK_OVERLAP(sub);
    CHECK_OVERLAP(mul);
    F(sqr)(&want, &a);
    x = a;
    F(sqr)(&x, &x);
    assert_same(&x, &want);
    F(neg)(&want, &a);
    x = a;
    F(neg)(&x, &x);
    assert_same(&x, &want);
    F(inv_var)(&want, &a);
    x = a;
    F(inv_var)(&x, &x);
    assert_same(&x, &want);
}

static void check_inverse(const FIELD *a)
{
    const FIELD one = ONE;
    FIELD slow, fast;

    F(inv)(&slow, a);
    F(inv_var)(&fast, a);
    assert_same(&fast, &slow);
    assert_canonical(&fast);
    F(mul)(&slow, &slow, a);
    if (F(is_zero)(a))
        assert_true(F(is_zero)(&slow));
    else
        assert_same(&slow, &one);
}

static void inverses_agree_and_invert(void **state)
{
    (void)state;
    make_edges();
    for (size_t i = 0; i < n_edges; i++)
        check_inverse(&edges[i]);
    for (int i = 0; i < 2000; i++) {
        FIELD a;

        random_element(&a);
        check_inverse(&a);
    }
}

static void batch_inverse_keeps_zeros(void **state)
{
    enum { N = 33 };
    FIELD xs[N], scratch[N], want;

    (void)state;
    for (size_t n = 0; n <= N; n += n < 4 ? 1 : 29) {
        FIELD originals[N];

        for (size_t i = 0; i < n; i++) {
            random_element(&xs[i]);
            if (i % 5 == 2 || n == 1)
                xs[i] = ZERO;
            originals[i] = xs[i];
        }
        F(batch_inv)(xs, scratch, n);
        for (size_t i = 0; i < n; i++) {
            F(inv)(&want, &originals[i]);
            assert_same(&xs[i], &want);
        }
    }
}

static void powers_match_repeated_multiplication(void **state)
{
    const FIELD one = ONE;
    FIELD a, got, want = one;
    uint64_t minus_1[LIMBS];

    (void)state;
    random_element(&a);
    for (uint64_t e = 0; e < 300; e++) {
        uint64_t limbs[2] = {e, 0};

        F(pow_var)(&got, &a, limbs, 2);
        assert_same(&got, &want);
        F(mul)(&want, &want, &a);
    }
    memcpy(minus_1, MODULUS, sizeof minus_1);
    minus_1[0]--; /* Fermat: a^(m-1) = 1 */
    F(pow_var)(&got, &a, minus_1, LIMBS);
    assert_same(&got, &one);
}

/* ---- conversions ---- */

static void bytes_round_trip_in_both_orders(void **state)
{
    (void)state;
    for (int i = 0; i < RANDOM_RUNS; i++) {
        uint8_t le[BYTES], be[BYTES];
        FIELD a, b;

        random_element(&a);
        F(to_le)(le, &a);
        F(to_be)(be, &a);
        for (int j = 0; j < BYTES; j++)
            assert_int_equal(le[j], be[BYTES - 1 - j]);
        assert_true(F(from_le)(&b, le));
        assert_same(&a, &b);
        assert_true(F(from_be)(&b, be));
        assert_same(&a, &b);
    }
}

static void add_small(uint8_t *le, int delta)
{
    int carry = delta;

    for (int i = 0; i < BYTES; i++) {
        carry += le[i];
        le[i] = (uint8_t)carry;
        carry = (carry - le[i]) / 256;
    }
}

/* The integers m - 2 … m + 2, and all ones. */
static void integers_from_the_modulus_up_are_refused(void **state)
{
    uint8_t le[BYTES], be[BYTES];
    FIELD a;

    (void)state;
    for (int delta = -2; delta <= 3; delta++) {
        for (size_t i = 0; i < LIMBS; i++)
            cz_store_le64(le + 8 * i, MODULUS[i]);
        add_small(le, delta);
        if (delta == 3)
            memset(le, 0xff, sizeof le);
        for (int i = 0; i < BYTES; i++)
            be[i] = le[BYTES - 1 - i];
        a = ONE;
        assert_int_equal(F(from_le)(&a, le), delta < 0);
        assert_int_equal(F(is_zero)(&a), delta >= 0);
        a = ONE;
        assert_int_equal(F(from_be)(&a, be), delta < 0);
        assert_int_equal(F(is_zero)(&a), delta >= 0);
    }
}

static void predicates_tell_zero_and_equality(void **state)
{
    FIELD a = ZERO, b = ZERO;

    (void)state;
    assert_true(F(is_zero)(&a) && F(equal)(&a, &b));
    for (int i = 0; i < LIMBS; i++) {
        a = ZERO;
        a.l[i] = (uint64_t)1 << (9 * i);
        assert_false(F(is_zero)(&a));
        assert_false(F(equal)(&a, &b));
    }
}
