/* A parameter file of another circuit is recognised, and the circuit named. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "params/params.h"

static uint64_t number(cz_json circuit, const char *name)
{
    cz_json field;
    uint64_t v;

    assert_ok(cz_json_get(circuit, name, &field));
    assert_ok(cz_json_u64(field, &v));
    return v;
}

/* The stats of a golden circuit. */
static cz_circuit_stats stats_of(cz_json circuit)
{
    return (cz_circuit_stats){.inputs = number(circuit, "inputs"),
                              .aux = number(circuit, "aux"),
                              .constraints = number(circuit, "constraints"),
                              .dens_a_aux = number(circuit, "dens_a_aux"),
                              .dens_b_input = number(circuit, "dens_b_input"),
                              .dens_b_aux = number(circuit, "dens_b_aux")};
}

/* A file with the counts that such a circuit needs (and no points). */
static cz_params counts_of(const cz_circuit_stats *s)
{
    static char path[] = "v28-some.params";
    cz_params p = {.path = path};
    uint64_t domain = 1;

    while (domain < s->constraints + s->inputs)
        domain *= 2;
    p.vk.n_ic = (uint32_t)s->inputs;
    p.h.n = (uint32_t)(domain - 1);
    p.l.n = (uint32_t)s->aux;
    p.a.n = (uint32_t)(s->inputs + s->dens_a_aux);
    p.b_g1.n = (uint32_t)(s->dens_b_input + s->dens_b_aux);
    p.b_g2.n = p.b_g1.n;
    return p;
}

typedef struct {
    cz_json_doc *doc;
    cz_json circuits;
} golden;

static golden open_golden(void)
{
    golden g;
    cz_json root;
    size_t n;
    uint8_t *text = cz_test_read(cz_vector_path("golden/circuit-digests.json"), &n);

    assert_ok(cz_json_parse(&g.doc, &root, (const char *)text, n));
    free(text);
    assert_ok(cz_json_get(root, "circuits", &g.circuits));
    return g;
}

static void test_every_golden_circuit_is_known(void **state)
{
    golden g = open_golden();
    cz_json_iter it;
    cz_json circuit, id;
    const char *name;
    size_t n, count = 0;

    (void)state;
    assert_ok(cz_json_iterate(g.circuits, &it));
    while (cz_json_next(&it, &circuit, NULL)) {
        cz_circuit_stats stats = stats_of(circuit);
        cz_params p = counts_of(&stats);

        assert_ok(cz_json_get(circuit, "id", &id));
        assert_ok(cz_json_string(id, &name, &n));
        assert_non_null(cz_params_circuit_id(&p));
        assert_string_equal(cz_params_circuit_id(&p), name);
        assert_ok(cz_params_match(&p, &stats, name));
        count++;
    }
    assert_int_equal(count, 44);
    cz_json_destroy(g.doc);
}

static void test_mismatches_name_both_circuits(void **state)
{
    golden g = open_golden();
    cz_json_iter it;
    cz_json circuit;
    cz_circuit_stats first, second;
    cz_params p;

    (void)state;
    assert_ok(cz_json_iterate(g.circuits, &it));
    assert_true(cz_json_next(&it, &circuit, NULL));
    first = stats_of(circuit);
    assert_true(cz_json_next(&it, &circuit, NULL));
    second = stats_of(circuit);
    p = counts_of(&first);
    assert_fails(cz_params_match(&p, &second, "porep-4k"), CZ_E_INPUT,
                 "v28-some.params: belongs to circuit porep-2k, not porep-4k: l has 2685673 "
                 "points, 2786423 expected");
    p.a.n--;
    assert_null(cz_params_circuit_id(&p));
    assert_fails(
        cz_params_match(&p, &first, "porep-2k"), CZ_E_INPUT,
        "belongs to another circuit, not porep-2k: a has 2674947 points, 2674948 expected");
    cz_json_destroy(g.doc);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_every_golden_circuit_is_known),
    cmocka_unit_test(test_mismatches_name_both_circuits),
};

CZ_TEST_MAIN(cases)
