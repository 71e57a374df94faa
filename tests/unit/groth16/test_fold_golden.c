/* Folded keys of the network's smallest circuits: the check of one, and what takes a device to make
 * (tests/cli makes one that does not). */
#define _GNU_SOURCE
#include "../params/scratch.h"
#include "cs/compile.h"
#include "filecoin/job.h"
#include "params/fold.h"

#include <string.h>

typedef struct {
    cz_pool *pool;
    cz_compiled *compiled;
    cz_params params;
    cz_folded folded; /* from the golden waste */
} key;

static void key_make(key *k, const char *id)
{
    cz_setup_options setup = {.folded = true};
    cz_compile_options compile = {.pool = NULL};
    cz_toxic_waste waste;
    cz_circuit *circuit;
    char toxic[128];

    assert_ok(cz_pool_create(&k->pool, 0));
    setup.pool = compile.pool = k->pool;
    (void)snprintf(toxic, sizeof toxic, "golden/toxic/%s.json", id);
    assert_ok(cz_toxic_waste_read(&waste, cz_vector_path(toxic)));
    assert_ok(cz_circuit_create_blank(&circuit, id));
    assert_ok(cz_circuit_compile(&k->compiled, circuit, &compile));
    assert_ok(cz_params_setup_with(circuit, &waste, scratch_path("golden.params"),
                                   scratch_path("golden.vk"), &setup));
    cz_circuit_destroy(circuit);
    assert_ok(cz_params_open(&k->params, scratch_path("golden.params")));
    assert_ok(cz_folded_open(&k->folded, scratch_path("golden.folded"), &k->params, id));
}

static void key_free(key *k)
{
    cz_folded_close(&k->folded);
    cz_params_close(&k->params);
    cz_compiled_destroy(k->compiled);
    cz_pool_destroy(k->pool);
}

static void test_check_slow_winning_2k(void **state)
{
    cz_fold_options options = {.gpu = NULL};
    key k;

    (void)state;
    key_make(&k, "winning-2k");
    options.pool = k.pool;
    assert_ok(cz_folded_check(&k.params, &k.folded, k.compiled, &options));
    key_free(&k);
}

/* Said before a point is read: a list of the right length will do. */
static void test_fold_slow_porep_2k_takes_a_device(void **state)
{
    const cz_fold_options options = {.gpu = NULL};
    cz_params params = {.path = (char[]){"porep.params"}};
    cz_circuit *circuit;
    cz_compiled *compiled;
    cz_circuit_stats stats;

    (void)state;
    assert_ok(cz_circuit_create_blank(&circuit, "porep-2k"));
    assert_ok(cz_circuit_compile(&compiled, circuit, NULL));
    stats = cz_compiled_stats(compiled);
    params.vk.n_ic = (uint32_t)stats.inputs;
    params.h.n = (1 << 22) - 1;
    params.l.n = (uint32_t)stats.aux;
    params.a.n = (uint32_t)(stats.inputs + stats.dens_a_aux);
    params.b_g1.n = params.b_g2.n = (uint32_t)(stats.dens_b_input + stats.dens_b_aux);
    assert_fails(cz_params_fold(&params, compiled, "porep.folded", &options), CZ_E_DECLINED,
                 "porep-2k: has a domain of 2^22 rows: above 2^20 folding takes a device");
    cz_compiled_destroy(compiled);
    cz_circuit_destroy(circuit);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_check_slow_winning_2k, scratch_make, scratch_remove),
    cmocka_unit_test(test_fold_slow_porep_2k_takes_a_device),
};
CZ_TEST_MAIN(cases)
