/* msm_cases.h: the tests of msm/, one text for both groups: test_msm_g1.c and test_msm_g2.c include
 * it, having defined GROUP, AFFINE, G(name), M(name) = cz_msm_<group>_name and the like. Every form
 * that this CPU runs is compared with the definition; the others are skipped, and counted. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msm/msm_forms.h"
#include "support.h"

enum { GUARD = 0x5a, MAX_SMALL = 2001 };

/* What a test sums. Points are points[i] = (first + i step) generator where known. */
typedef struct {
    AFFINE *points;
    cz_u256 *scalars;
    size_t n;
    cz_fr first, step;
} input;

static void random_scalar(cz_u256 *k)
{
    cz_fr a;
    uint8_t bytes[32];

    cz_test_random_bytes(bytes, sizeof bytes);
    cz_fr_from_le_mod(&a, bytes);
    cz_fr_to_u256(k, &a);
}

static void random_element(cz_fr *a)
{
    uint8_t bytes[32];

    cz_test_random_bytes(bytes, sizeof bytes);
    cz_fr_from_le_mod(a, bytes);
}

static void times_generator(GROUP *r, const cz_fr *k)
{
    cz_u256 plain;

    cz_fr_to_u256(&plain, k);
    G(from_affine)(r, &G(generator));
    G(mul_var)(r, r, &plain);
}

/* Random scalars, and points in an arithmetic progression. */
static input make_input(size_t n)
{
    input in = {.n = n};
    GROUP *chain = malloc((n + 1) * sizeof *chain);
    GROUP step;

    in.points = malloc((n + 1) * sizeof *in.points);
    in.scalars = malloc((n + 1) * sizeof *in.scalars);
    assert_true(chain != NULL && in.points != NULL && in.scalars != NULL);
    random_element(&in.first);
    random_element(&in.step);
    times_generator(&chain[0], &in.first);
    times_generator(&step, &in.step);
    for (size_t i = 0; i < n; i++) {
        G(add)(&chain[i + 1], &chain[i], &step);
        random_scalar(&in.scalars[i]);
    }
    assert_ok(G(batch_to_affine)(in.points, chain, n));
    memset(&in.points[n], GUARD, sizeof in.points[n]);
    memset(&in.scalars[n], GUARD, sizeof in.scalars[n]);
    free(chain);
    return in;
}

static void free_input(input *in)
{
    free(in->points);
    free(in->scalars);
}

static void negate_point(AFFINE *p)
{
    C(neg)(&p->y, &p->y);
}

/* ---- what to do to a random input ---- */

static void keep(input *in)
{
    (void)in;
}

static void fill_scalars(input *in, cz_u256 k)
{
    for (size_t i = 0; i < in->n; i++)
        in->scalars[i] = k;
}

static void scalars_zero(input *in)
{
    fill_scalars(in, (cz_u256){{0}});
}

static void scalars_one(input *in)
{
    fill_scalars(in, (cz_u256){{1}});
}

static void scalars_minus_one(input *in)
{
    cz_u256 k = {CZ_FR_MODULUS};

    k.l[0]--;
    fill_scalars(in, k);
}

/* The largest that the contract allows, above the group's order. */
static void scalars_largest(input *in)
{
    fill_scalars(in, (cz_u256){{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX >> 1}});
}

/* Digits at the edges of their range, for every width of windows. */
static void scalars_edges(input *in)
{
    for (size_t i = 0; i < in->n; i++) {
        unsigned bit = (unsigned)(i * 7 % 255);
        cz_u256 k = {{0}};

        k.l[bit / 64] = (uint64_t)1 << bit % 64;
        if (i % 3 == 1) /* 2^bit - 1 */
            for (unsigned j = 0, borrow = 1; j < 4 && borrow != 0; j++)
                borrow = k.l[j]-- == 0;
        if (i % 3 == 2) /* 2^254 + 2^bit, where that fits */
            k.l[3] |= (uint64_t)1 << 62;
        in->scalars[i] = k;
    }
}

static void scalars_equal(input *in)
{
    for (size_t i = 1; i < in->n; i++)
        in->scalars[i] = in->scalars[0];
}

/* Only one bucket of the lowest window. */
static void scalars_one_bucket(input *in)
{
    fill_scalars(in, (cz_u256){{3}});
}

static void scalars_sparse(input *in)
{
    for (size_t i = 0; i < in->n; i++)
        if (i % 17 != 0)
            in->scalars[i] = (cz_u256){{0}};
}

static void scalars_bits(input *in)
{
    for (size_t i = 0; i < in->n; i++)
        in->scalars[i] = (cz_u256){{cz_test_random() & 1}};
}

/* k and r - k in turn: the same buckets with both signs. */
static void scalars_opposite(input *in)
{
    for (size_t i = 1; i < in->n; i += 2) {
        cz_fr k;

        cz_fr_from_u256(&k, &in->scalars[i - 1]);
        cz_fr_neg(&k, &k);
        cz_fr_to_u256(&in->scalars[i], &k);
    }
}

static void points_equal(input *in)
{
    for (size_t i = 1; i < in->n; i++)
        in->points[i] = in->points[0];
}

static void all_equal(input *in)
{
    points_equal(in);
    scalars_equal(in);
}

static void points_equal_to_sign(input *in)
{
    points_equal(in);
    for (size_t i = 0; i < in->n; i++)
        if ((cz_test_random() & 1) != 0)
            negate_point(&in->points[i]);
}

/* P, -P with the same scalar: the sum of all is infinity, or the last point's where n is odd. */
static void points_cancel(input *in)
{
    for (size_t i = 1; i < in->n; i += 2) {
        in->points[i] = in->points[i - 1];
        negate_point(&in->points[i]);
        in->scalars[i] = in->scalars[i - 1];
    }
}

/* P, -P and equal P, one scalar for all: every sum of a bucket meets its like. */
static void points_collide(input *in)
{
    for (size_t i = 0; i < in->n; i++) {
        in->points[i] = in->points[i % 3];
        if (i % 5 == 0)
            negate_point(&in->points[i]);
    }
    scalars_equal(in);
}

static void points_some_infinite(input *in)
{
    for (size_t i = 0; i < in->n; i += 3)
        memset(&in->points[i], 0, sizeof in->points[i]);
}

static void points_infinite(input *in)
{
    memset(in->points, 0, in->n * sizeof *in->points);
}

typedef struct {
    const char *name;
    void (*change)(input *in);
} variation;

static const variation variations[] = {
    {"random", keep},
    {"scalars 0", scalars_zero},
    {"scalars 1", scalars_one},
    {"scalars r - 1", scalars_minus_one},
    {"scalars 2^255 - 1", scalars_largest},
    {"scalars at edges", scalars_edges},
    {"scalars equal", scalars_equal},
    {"scalars 3", scalars_one_bucket},
    {"scalars sparse", scalars_sparse},
    {"scalars bits", scalars_bits},
    {"scalars k, r - k", scalars_opposite},
    {"points equal", points_equal},
    {"points and scalars equal", all_equal},
    {"points P or -P", points_equal_to_sign},
    {"points P, -P", points_cancel},
    {"points collide", points_collide},
    {"points infinite in part", points_some_infinite},
    {"points infinite", points_infinite},
};
enum { N_VARIATIONS = sizeof variations / sizeof variations[0] };

static const size_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 255, 256, 257, MAX_SMALL};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

/* ---- running a form ---- */

/* The pools that every form is tried with: serial, as many threads as here, more than tasks. */
static cz_pool *pools[3];
enum { N_POOLS = sizeof pools / sizeof pools[0] };

static void create_pools(void)
{
    assert_ok(cz_pool_create(&pools[1], 2));
    assert_ok(cz_pool_create(&pools[2], 7));
}

static void destroy_pools(void)
{
    for (int i = 0; i < N_POOLS; i++) {
        cz_pool_destroy(pools[i]);
        pools[i] = NULL;
    }
}

/* The form of that name; skips the test where the CPU cannot run it. */
static const FORM *form_or_skip(const char *name)
{
    size_t n;
    const FORM *const *forms = G_FORMS(&n);

    for (size_t i = 0; i < n; i++) {
        if (strcmp(forms[i]->name, name) != 0)
            continue;
        if (!forms[i]->runs_here())
            skip();
        return forms[i];
    }
    fail_msg("there is no form '%s'", name);
    return NULL;
}

static void assert_same_point(const GROUP *got, const GROUP *want, const char *what, size_t n,
                              int pool)
{
    if (!G(equal)(got, want))
        fail_msg("%s, n = %zu, pool %d: wrong sum", what, n, pool);
}

static void assert_untouched(const input *in, const input *copy)
{
    assert_memory_equal(in->points, copy->points, (in->n + 1) * sizeof *in->points);
    assert_memory_equal(in->scalars, copy->scalars, (in->n + 1) * sizeof *in->scalars);
}

static input copy_input(const input *in)
{
    input copy = *in;

    copy.points = malloc((in->n + 1) * sizeof *in->points);
    copy.scalars = malloc((in->n + 1) * sizeof *in->scalars);
    assert_true(copy.points != NULL && copy.scalars != NULL);
    memcpy(copy.points, in->points, (in->n + 1) * sizeof *in->points);
    memcpy(copy.scalars, in->scalars, (in->n + 1) * sizeof *in->scalars);
    return copy;
}

/* One output between two guards. */
typedef struct {
    uint8_t before[64];
    GROUP sum;
    uint8_t after[64];
} guarded;

static void set_guards(guarded *g)
{
    memset(g, GUARD, sizeof *g);
}

static void assert_guards(const guarded *g)
{
    for (size_t i = 0; i < sizeof g->before; i++)
        assert_true(g->before[i] == GUARD && g->after[i] == GUARD);
}

/* ---- full scalars ---- */

static void compare_msm(const FORM *form, const input *in, const char *what)
{
    input copy = copy_input(in);
    GROUP want;
    guarded got;

    REF_MSM(&want, in->points, in->scalars, in->n);
    for (int p = 0; p < N_POOLS; p++) {
        set_guards(&got);
        assert_ok(form->msm(pools[p], &got.sum, in->points, in->scalars, in->n));
        assert_guards(&got);
        assert_same_point(&got.sum, &want, what, in->n, p);
    }
    assert_untouched(in, &copy);
    free_input(&copy);
}

static void check_msm(const char *form_name)
{
    const FORM *form = form_or_skip(form_name);

    create_pools();
    for (int v = 0; v < N_VARIATIONS; v++)
        for (int s = 0; s < N_SIZES; s++) {
            input in = make_input(sizes[s]);

            variations[v].change(&in);
            compare_msm(form, &in, variations[v].name);
            free_input(&in);
        }
    destroy_pools();
}

/* sum of s_i (first + i step) times the generator */
static void sum_of_progression(GROUP *r, const input *in)
{
    cz_fr sum = CZ_FR_ZERO;
    cz_fr k = in->first;

    for (size_t i = 0; i < in->n; i++) {
        cz_fr s;

        cz_fr_from_u256(&s, &in->scalars[i]);
        cz_fr_mul(&s, &s, &k);
        cz_fr_add(&sum, &sum, &s);
        cz_fr_add(&k, &k, &in->step);
    }
    times_generator(r, &sum);
}

/* Sizes that no reference reaches, by known multiples of the generator. */
static void check_msm_large(const char *form_name, size_t n)
{
    static const variation kinds[] = {
        {"random", keep},
        {"scalars equal", scalars_equal},
        {"scalars sparse", scalars_sparse},
        {"scalars bits", scalars_bits},
    };
    const FORM *form = form_or_skip(form_name);
    GROUP want, got;

    create_pools();
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        input in = make_input(n);

        kinds[k].change(&in);
        sum_of_progression(&want, &in);
        for (int p = 0; p < 2; p++) {
            assert_ok(form->msm(pools[p], &got, in.points, in.scalars, n));
            assert_same_point(&got, &want, kinds[k].name, n, p);
        }
        free_input(&in);
    }
    destroy_pools();
}

/* msm(s + t) = msm(s) + msm(t); the same under a permutation; the sum of two parts. */
static void check_msm_properties(const char *form_name, size_t n)
{
    const FORM *form = form_or_skip(form_name);
    input in = make_input(n);
    input other = copy_input(&in);
    input sum = copy_input(&in);
    GROUP a, b, c;
    size_t part = n / 3;

    for (size_t i = 0; i < n; i++) {
        cz_fr s, t;

        random_element(&t);
        cz_fr_from_u256(&s, &in.scalars[i]);
        cz_fr_to_u256(&other.scalars[i], &t);
        cz_fr_add(&s, &s, &t);
        cz_fr_to_u256(&sum.scalars[i], &s);
    }
    assert_ok(form->msm(NULL, &a, in.points, in.scalars, n));
    assert_ok(form->msm(NULL, &b, other.points, other.scalars, n));
    assert_ok(form->msm(NULL, &c, sum.points, sum.scalars, n));
    G(add)(&b, &b, &a);
    assert_same_point(&c, &b, "sum of scalars", n, 0);

    for (size_t i = 0; i < n; i++) {
        size_t to = i * 7 % n; /* n is no multiple of 7 */

        other.points[to] = in.points[i];
        other.scalars[to] = in.scalars[i];
    }
    assert_ok(form->msm(NULL, &b, other.points, other.scalars, n));
    assert_same_point(&b, &a, "permuted", n, 0);

    assert_ok(form->msm(NULL, &b, in.points, in.scalars, part));
    assert_ok(form->msm(NULL, &c, in.points + part, in.scalars + part, n - part));
    G(add)(&b, &b, &c);
    assert_same_point(&b, &a, "in two parts", n, 0);
    free_input(&in);
    free_input(&other);
    free_input(&sum);
}

/* ---- bits ---- */

enum { N_PLANES = 5 };

/* Plane `kind`: none, all, random, sparse, only the last. Bits from n on are set, to be ignored. */
static uint64_t *make_plane(int kind, size_t n)
{
    size_t n_words = n / 64 + 1;
    uint64_t *bits = calloc(n_words, sizeof *bits);

    assert_non_null(bits);
    for (size_t i = 0; i < n; i++) {
        bool set = kind == 1 || (kind == 2 && (cz_test_random() & 1) != 0) ||
                   (kind == 3 && i % 97 == 0) || (kind == 4 && i + 1 == n);

        bits[i / 64] |= (uint64_t)set << i % 64;
    }
    bits[n / 64] |= UINT64_MAX << n % 64;
    return bits;
}

static void compare_bit_sum(const FORM *form, const input *in, int kind, const char *what)
{
    uint64_t *bits = make_plane(kind, in->n);
    input copy = copy_input(in);
    GROUP want;
    guarded got;

    REF_BIT_SUM(&want, in->points, bits, in->n);
    for (int p = 0; p < N_POOLS; p++) {
        set_guards(&got);
        assert_ok(form->bit_sum(pools[p], &got.sum, in->points, bits, in->n));
        assert_guards(&got);
        assert_same_point(&got.sum, &want, what, in->n, p);
    }
    assert_untouched(in, &copy);
    free_input(&copy);
    free(bits);
}

static void check_bit_sum(const char *form_name)
{
    static const size_t more_sizes[] = {63, 64, 65, 8191, 8192, 20000};
    const FORM *form = form_or_skip(form_name);

    create_pools();
    for (int v = 0; v < N_VARIATIONS; v++)
        for (int s = 0; s < N_SIZES; s++) {
            input in = make_input(sizes[s]);

            variations[v].change(&in);
            for (int kind = 0; kind < N_PLANES; kind++)
                compare_bit_sum(form, &in, kind, variations[v].name);
            free_input(&in);
        }
    for (size_t s = 0; s < sizeof more_sizes / sizeof more_sizes[0]; s++) {
        input in = make_input(more_sizes[s]);

        for (int kind = 0; kind < N_PLANES; kind++)
            compare_bit_sum(form, &in, kind, "random");
        free_input(&in);
    }
    destroy_pools();
}

/* ---- fixed base ---- */

static AFFINE *run_fixed_base(const FORM *form, cz_pool *pool, const input *in, const AFFINE *base)
{
    AFFINE *got = malloc((in->n + 1) * sizeof *got);

    assert_non_null(got);
    memset(got, GUARD, (in->n + 1) * sizeof *got);
    assert_ok(form->fixed_base(pool, got, base, in->scalars, in->n));
    for (size_t i = 0; i < sizeof *got; i++)
        assert_int_equal(((const uint8_t *)&got[in->n])[i], GUARD);
    return got;
}

/* Every multiple, serially; then the same bytes from every pool. */
static void compare_fixed_base(const FORM *form, const input *in, const AFFINE *base,
                               const char *what)
{
    AFFINE *first = run_fixed_base(form, NULL, in, base);

    for (size_t i = 0; i < in->n; i++) {
        GROUP point, want;

        G(from_affine)(&point, &first[i]);
        G(from_affine)(&want, base);
        G(mul_var)(&want, &want, &in->scalars[i]);
        assert_same_point(&point, &want, what, i, 0);
    }
    for (int p = 1; p < N_POOLS; p++) {
        AFFINE *got = run_fixed_base(form, pools[p], in, base);

        assert_memory_equal(got, first, in->n * sizeof *got);
        free(got);
    }
    free(first);
}

static void check_fixed_base(const char *form_name)
{
    static const size_t base_sizes[] = {1, 2, 33, 700};
    const FORM *form = form_or_skip(form_name);
    AFFINE infinity;

    memset(&infinity, 0, sizeof infinity);
    create_pools();
    for (int v = 0; v < N_VARIATIONS; v++)
        for (size_t s = 0; s < sizeof base_sizes / sizeof base_sizes[0]; s++) {
            input in = make_input(base_sizes[s]);
            AFFINE base = in.points[0];

            variations[v].change(&in);
            compare_fixed_base(form, &in, &base, variations[v].name);
            if (s == 1)
                compare_fixed_base(form, &in, &infinity, "base infinite");
            free_input(&in);
        }
    destroy_pools();
}
