/* Every number of the Go enums, against a second copy of the table; and refusals by name. */
#include "filecoin/registry.h"

#include <stdio.h>

#include "filecoin/circuits.h"
#include "filecoin/shapes.h"
#include "support.h"

#define KIB(n) (UINT64_C(n) << 10)
#define MIB(n) (UINT64_C(n) << 20)
#define GIB(n) (UINT64_C(n) << 30)

static const uint64_t sizes[5] = {KIB(2), MIB(8), MIB(512), GIB(32), GIB(64)};
static const char *const size_names[5] = {"2KiB", "8MiB", "512MiB", "32GiB", "64GiB"};

static const cz_proof_spec *row_of(cz_proof_kind kind, uint64_t number)
{
    size_t n;
    const cz_proof_spec *rows = cz_proof_specs(&n);

    for (size_t i = 0; i < n; i++)
        if (rows[i].kind == kind && rows[i].number == number)
            return &rows[i];
    fail_msg("no row for kind %d, number %llu", (int)kind, (unsigned long long)number);
    return NULL;
}

static void assert_name(const cz_proof_spec *s, const char *prefix, const char *suffix)
{
    char name[96];

    (void)snprintf(name, sizeof name, "%s%s%s", prefix, size_names[s->number % 5], suffix);
    assert_string_equal(s->name, name);
}

static void test_seal_proofs(void **state)
{
    static const struct {
        const char *suffix;
        cz_api_version api;
        unsigned features, small_partitions, large_partitions;
    } groups[4] = {
        {"V1", CZ_API_1_0, 0, 1, 10},
        {"V1_1", CZ_API_1_1, 0, 1, 10},
        {"V1_1_Feat_SyntheticPoRep", CZ_API_1_2, CZ_FEATURE_SYNTHETIC, 1, 10},
        {"V1_2_Feat_NonInteractivePoRep", CZ_API_1_2, CZ_FEATURE_NON_INTERACTIVE, 13, 126}};

    (void)state;
    for (uint64_t n = 0; n < 20; n++) {
        const cz_proof_spec *s;
        uint8_t porep_id[32] = {(uint8_t)n};

        assert_ok(cz_proof_spec_find(&s, CZ_KIND_POREP, n, 0));
        assert_ptr_equal(s, row_of(CZ_KIND_POREP, n));
        assert_ptr_equal(s, cz_seal_spec_by_name(s->name));
        assert_name(s, "StackedDrg", groups[n / 5].suffix);
        assert_int_equal(s->sector_size, sizes[n % 5]);
        assert_int_equal(s->api, groups[n / 5].api);
        assert_int_equal(s->features, groups[n / 5].features);
        assert_memory_equal(s->porep_id, porep_id, 32);
        assert_int_equal(s->partitions, n % 5 < 3 ? groups[n / 5].small_partitions
                                                  : groups[n / 5].large_partitions);
    }
}

static void test_post_proofs(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 15; n++) {
        const bool winning = n < 5;
        const cz_proof_spec *s = row_of(winning ? CZ_KIND_WINNING : CZ_KIND_WINDOW, n);

        assert_name(s, winning ? "StackedDrgWinning" : "StackedDrgWindow", n < 10 ? "V1" : "V1_2");
        assert_int_equal(s->sector_size, sizes[n % 5]);
        assert_int_equal(s->api, n < 10 ? CZ_API_1_0 : CZ_API_1_2);
        assert_int_equal(s->partitions, winning ? 1 : 0);
    }
}

static void test_update_proofs(void **state)
{
    static const unsigned partitions[5] = {1, 4, 16, 16, 16};

    (void)state;
    for (uint64_t n = 0; n < 5; n++) {
        const cz_proof_spec *s = row_of(CZ_KIND_SNAP, n);

        assert_name(s, "StackedDrg", "V1");
        assert_int_equal(s->sector_size, sizes[n]);
        assert_int_equal(s->partitions, partitions[n]);
    }
}

static void test_nothing_else(void **state)
{
    size_t n;

    (void)state;
    (void)cz_proof_specs(&n);
    assert_int_equal(n, 20 + 15 + 5);
}

static void test_unknown_numbers(void **state)
{
    const cz_proof_spec *s;

    (void)state;
    assert_fails(cz_proof_spec_find(&s, CZ_KIND_POREP, 99, 0), CZ_E_INPUT,
                 "porep: registered proof 99 is unknown");
    assert_fails(cz_proof_spec_find(&s, CZ_KIND_POREP, 20, 0), CZ_E_INPUT, "porep");
    assert_fails(cz_proof_spec_find(&s, CZ_KIND_SNAP, 5, 0), CZ_E_INPUT,
                 "snap: registered proof 5 is unknown");
    assert_fails(cz_proof_spec_find(&s, CZ_KIND_WINDOW, 15, 0), CZ_E_INPUT, "is unknown");
    assert_fails(cz_proof_spec_find(&s, CZ_KIND_POREP, UINT64_MAX, 0), CZ_E_INPUT,
                 "18446744073709551615");
    assert_fails(cz_proof_spec_find(&s, CZ_KIND_UNSPECIFIED, 0, 0), CZ_E_INPUT, "unspecified");
}

static void test_window_number_for_winning(void **state)
{
    const cz_proof_spec *s;

    (void)state;
    assert_fails(cz_proof_spec_find(&s, CZ_KIND_WINNING, 8, 0), CZ_E_INPUT,
                 "StackedDrgWindow32GiBV1, a wpost proof");
    assert_fails(cz_proof_spec_find(&s, CZ_KIND_WINDOW, 3, 0), CZ_E_INPUT,
                 "StackedDrgWinning32GiBV1, a winning proof");
}

static void test_sector_size_contradiction(void **state)
{
    const cz_proof_spec *s;

    (void)state;
    assert_ok(cz_proof_spec_find(&s, CZ_KIND_POREP, 8, GIB(32)));
    assert_fails(cz_proof_spec_find(&s, CZ_KIND_POREP, 8, GIB(64)), CZ_E_INPUT, "34359738368");
    assert_fails(cz_proof_spec_find(&s, CZ_KIND_POREP, 8, GIB(64)), CZ_E_INPUT, "68719476736");
}

/* --- every number x kind x size --- */

/* What a number of a kind must be: a size, or nothing. */
static bool expected_size(cz_proof_kind kind, uint64_t number, uint64_t *size)
{
    static const struct {
        uint64_t first, end;
    } ranges[] = {[CZ_KIND_POREP] = {0, 20},
                  [CZ_KIND_SNAP] = {0, 5},
                  [CZ_KIND_WINDOW] = {5, 15},
                  [CZ_KIND_WINNING] = {0, 5}};

    *size = sizes[number % 5];
    return number >= ranges[kind].first && number < ranges[kind].end;
}

static const cz_circuit_family families[] = {[CZ_KIND_POREP] = CZ_FAMILY_POREP,
                                             [CZ_KIND_SNAP] = CZ_FAMILY_SNAP,
                                             [CZ_KIND_WINDOW] = CZ_FAMILY_WINDOW,
                                             [CZ_KIND_WINNING] = CZ_FAMILY_WINNING};

/* The circuit "kind-size". */
static void assert_circuit(cz_proof_kind kind, const cz_proof_spec *s)
{
    char id[32];

    (void)snprintf(id, sizeof id, "%s-%s", cz_proof_kind_name(kind),
                   cz_sector_size_tag(s->sector_size));
    assert_string_equal(cz_circuit_id(families[kind], cz_sector_shape_find(s->sector_size)), id);
}

static void check_combination(cz_proof_kind kind, uint64_t number, uint64_t size)
{
    const cz_proof_spec *s = NULL;
    uint64_t wanted;
    char text[96];

    (void)snprintf(text, sizeof text, "%s: registered proof %llu", cz_proof_kind_name(kind),
                   (unsigned long long)number);
    if (!expected_size(kind, number, &wanted) || (size != 0 && size != wanted)) {
        assert_fails(cz_proof_spec_find(&s, kind, number, size), CZ_E_INPUT, text);
        return;
    }
    assert_ok(cz_proof_spec_find(&s, kind, number, size));
    assert_int_equal(s->kind, kind);
    assert_int_equal(s->number, number);
    assert_int_equal(s->sector_size, wanted);
    assert_circuit(kind, s);
}

static void test_every_number_kind_and_size(void **state)
{
    static const uint64_t tried[] = {0,       KIB(2), MIB(8), MIB(512), GIB(32),
                                     GIB(64), 1,      KIB(4), GIB(1),   UINT64_MAX};

    (void)state;
    for (cz_proof_kind kind = CZ_KIND_POREP; kind <= CZ_KIND_WINNING; kind++)
        for (uint64_t number = 0; number < 64; number++)
            for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++)
                check_combination(kind, number, tried[i]);
}

static void test_names(void **state)
{
    (void)state;
    assert_null(cz_seal_spec_by_name("StackedDrg2KiBV2"));
    assert_null(cz_seal_spec_by_name(""));
    assert_null(cz_seal_spec_by_name("StackedDrgWindow2KiBV1"));
    assert_string_equal(cz_proof_kind_name(CZ_KIND_POREP), "porep");
    assert_string_equal(cz_proof_kind_name(CZ_KIND_SNAP), "snap");
    assert_string_equal(cz_proof_kind_name(CZ_KIND_WINDOW), "wpost");
    assert_string_equal(cz_proof_kind_name(CZ_KIND_WINNING), "winning");
    assert_string_equal(cz_api_version_name(CZ_API_1_2), "1.2.0");
}

static void test_size_tags(void **state)
{
    (void)state;
    assert_string_equal(cz_sector_size_tag(2048), "2k");
    assert_string_equal(cz_sector_size_tag(GIB(64)), "64g");
    assert_null(cz_sector_size_tag(1024));
    assert_int_equal(cz_sector_size_from_tag("512m"), MIB(512));
    assert_int_equal(cz_sector_size_from_tag("3k"), 0);
}

/* --- shapes --- */

static void test_shapes_divide_up(void **state)
{
    size_t n;
    const cz_sector_shape *shapes = cz_sector_shapes(&n);

    (void)state;
    assert_int_equal(n, 10);
    for (size_t i = 0; i < n; i++) {
        const cz_sector_shape *s = &shapes[i];
        const cz_tree_shape *t = &s->tree_r;
        const uint64_t above =
            (uint64_t)(t->sub_arity ? t->sub_arity : 1) * (t->top_arity ? t->top_arity : 1);

        assert_int_equal(s->sector_size, 32 * s->nodes);
        assert_int_equal((UINT64_C(1) << (3 * t->base_levels)) * above, s->nodes);
        assert_int_equal(UINT64_C(1) << s->tree_d.base_levels, s->nodes);
        assert_ptr_equal(cz_sector_shape_find(s->sector_size), s);
        assert_ptr_equal(cz_sector_shape_by_tag(s->tag), s);
        assert_true(i == 0 || s->nodes > shapes[i - 1].nodes);
        assert_true(s->porep_challenges <= CZ_MAX_POREP_CHALLENGES);
        assert_true(s->layers <= CZ_MAX_LAYERS);
        assert_true(cz_tree_levels(&s->tree_d) <= CZ_MAX_TREE_LEVELS);
    }
}

static void test_shapes_agree_with_registry(void **state)
{
    size_t n;
    const cz_proof_spec *rows = cz_proof_specs(&n);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        const cz_sector_shape *s = cz_sector_shape_find(rows[i].sector_size);

        assert_non_null(s);
        if (rows[i].kind == CZ_KIND_SNAP)
            assert_int_equal(rows[i].partitions, s->snap_partitions);
        if (rows[i].kind == CZ_KIND_POREP)
            assert_int_equal(rows[i].partitions, rows[i].features & CZ_FEATURE_NON_INTERACTIVE
                                                     ? s->porep_ni_partitions
                                                     : s->porep_partitions);
    }
}

/* The network asks for 176 challenges (2253 non-interactive) at 32 GiB, 2 (26) below. */
static void test_enough_challenges(void **state)
{
    size_t n;
    const cz_sector_shape *shapes = cz_sector_shapes(&n);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        const bool large = shapes[i].nodes >= UINT64_C(1) << 30;
        const unsigned c = shapes[i].porep_challenges;

        assert_true(c * shapes[i].porep_partitions >= (large ? 176u : 2u));
        assert_true(c * shapes[i].porep_ni_partitions >= (large ? 2253u : 26u));
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_seal_proofs),
    cmocka_unit_test(test_post_proofs),
    cmocka_unit_test(test_update_proofs),
    cmocka_unit_test(test_nothing_else),
    cmocka_unit_test(test_unknown_numbers),
    cmocka_unit_test(test_window_number_for_winning),
    cmocka_unit_test(test_sector_size_contradiction),
    cmocka_unit_test(test_every_number_kind_and_size),
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_size_tags),
    cmocka_unit_test(test_shapes_divide_up),
    cmocka_unit_test(test_shapes_agree_with_registry),
    cmocka_unit_test(test_enough_challenges),
};

CZ_TEST_MAIN(cases)
