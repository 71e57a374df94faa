/* Plans: what they say, what is wrong with them, the ones that are shipped. */
#include "support.h"

#include <string.h>

#include "plan.h"

static cz_err parse(lab_plan *plan, const char *text)
{
    return lab_plan_parse(plan, text, strlen(text), "p.toml");
}

static void refused(const char *text, const char *message)
{
    lab_plan plan;

    assert_fails(parse(&plan, text), CZ_E_INPUT, message);
}

static void test_a_plan_says_what_is_run(void **state)
{
    lab_plan p;
    unsigned alone[LAB_MAX_CHANGES];

    (void)state;
    assert_ok(parse(&p, "[plan]\nname = \"x\"\ncircuit = \"winning-2k\"\nmetric = \"cpu\"\n"
                        "blocks = 9\nmax_blocks = 11\nprecision_percent = 2\nleast_percent = 0.5\n"
                        "[config.a]\nexperiment.pin = \"off\"\n"
                        "[config.b]\nlike = \"a\"\nexperiment.pin = \"pooled\"\n"
                        "[config.c]\nexperiment.b2 = \"serial\"\n"
                        "[config.d]\nlike = \"b\"\nexperiment.b2 = \"serial\"\n"
                        "[config.e]\nlike = \"d\"\npipeline.enabled = false\n"));
    assert_string_equal(p.circuit, "winning-2k");
    assert_int_equal(p.work, LAB_PROVE);
    assert_int_equal(p.blocks, 9);
    assert_true(p.precision > 0.0199 && p.precision < 0.0201);
    assert_true(p.least > 0.0049 && p.least < 0.0051);
    assert_int_equal(p.n_configs, 6); /* with the noise run */
    assert_string_equal(p.configs[5].name, "a again");
    assert_true(p.configs[5].is_noise_run);
    assert_int_equal(p.configs[5].n_changes, 0);
    assert_int_equal(p.configs[1].n_changes, 1);
    assert_string_equal(p.configs[1].changes[0], "experiment.pin = \"pooled\"");
    assert_int_equal(p.configs[3].n_changes, 2);
    assert_string_equal(p.configs[3].settings.experiment.b2, "serial");
    /* d's parts are b and c alone; e has one that is nowhere alone */
    assert_int_equal(lab_plan_parts(&p, 3, alone), 2);
    assert_int_equal(alone[0] + alone[1], 1 + 2);
    assert_int_equal(lab_plan_parts(&p, 4, alone), 0);
    assert_int_equal(lab_plan_parts(&p, 1, alone), 0);
    lab_plan_clear(&p);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    refused("[plan]\ncircuit = \"x\"\n", "there is no [config.NAME]");
    refused("[config.a]\nabout = \"x\"\n", "names no circuit");
    refused("[plan]\ncircuit = 3\n", "p.toml:2: plan.circuit: is an integer");
    refused("[plan]\nblox = 3\n", "no such key");
    refused("[plan]\nblocks = 0\n", "out of bounds");
    refused("[plan]\nwork = \"play\"\n", "none of \"prove\", \"engine\", \"daemon\"");
    refused("[plan]\ncircuit = \"x\"\nblocks = 9\nmax_blocks = 3\n[config.a]\nabout = \"\"\n",
            "max_blocks");
    refused("[plan]\ncircuit = \"x\"\nmetric = \"luck\"\n[config.a]\nabout = \"\"\n", "luck");
    refused("[config.a]\nexperiment.pinn = \"off\"\n",
            "p.toml:2: config.a.experiment.pinn: no setting of that name");
    refused("[config.a]\nexperiment.pin = \"maybe\"\n", "p.toml:2");
    refused("[config.a]\nlike = \"b\"\n", "'b' is no configuration above");
    refused("pin = 3\n", "belongs neither");
    refused("[config.a]\nexpect = \"luck\"\n", "'luck' is no verdict");
    refused("[config.a]\ntrace = \"no\"\n", "a boolean is wanted");
    refused("[plan]\ncircuit = \"x\"\n[config.a]\naddress = \"unix:///s\"\n",
            "an address goes with work = \"daemon\"");
    refused("[plan]\ncircuit = \"x\"\nwork = \"daemon\"\n[config.a]\naddress = \"unix:///s\"\n"
            "experiment.pin = \"off\"\n",
            "the daemon at unix:///s has its own settings");
    refused(
        "[plan]\ncircuit = \"x\"\nwork = \"engine\"\nrequest = \"r\"\n[config.a]\nabout = \"\"\n",
        "a request goes with work = \"prove\"");
}

static void test_daemons_and_expectations(void **state)
{
    lab_plan p;

    (void)state;
    assert_ok(parse(&p, "[plan]\ncircuit = \"a,b\"\nwork = \"daemon\"\nturns = true\n"
                        "daemon = \"/usr/bin/cuzk\"\n"
                        "[config.here]\naddress = \"unix:///run/a.sock\"\n"
                        "[config.there]\naddress = \"unix:///run/b.sock\"\nexpect = \"hurts\"\n"
                        "[config.own]\nlike = \"here\"\ntrace = false\n"));
    assert_int_equal(p.work, LAB_DAEMON);
    assert_string_equal(lab_work_name(p.work), "daemon");
    assert_true(p.turns);
    assert_string_equal(p.daemon, "/usr/bin/cuzk");
    assert_string_equal(p.configs[1].address, "unix:///run/b.sock");
    assert_string_equal(p.configs[1].expect, "hurts");
    assert_string_equal(p.configs[2].address, ""); /* settings are like, not addresses */
    assert_string_equal(p.configs[2].changes[0], "trace = false");
    assert_string_equal(p.configs[3].name, "here again");
    assert_string_equal(p.configs[3].address, "unix:///run/a.sock");
    assert_string_equal(p.configs[3].expect, "within noise");
    lab_plan_clear(&p);
}

/* The baseline again is the baseline, also in what is no setting. */
static void test_a_trace_is_a_change(void **state)
{
    lab_plan p;

    (void)state;
    assert_ok(parse(&p, "[plan]\ncircuit = \"a\"\n[config.off]\ntrace = false\n"
                        "[config.on]\nabout = \"as always\"\n"));
    assert_int_equal(p.n_configs, 3);
    assert_true(p.configs[0].no_trace && !p.configs[1].no_trace && p.configs[2].no_trace);
    assert_int_equal(p.configs[1].n_changes, 1);
    assert_string_equal(p.configs[1].changes[0], "trace = true");
    assert_int_equal(p.configs[2].n_changes, 0);
    lab_plan_clear(&p);
}

/* The plans of bench/plans, where a checkout has them. */
static void test_shipped_plans_are_read(void **state)
{
    static const char *const names[] = {"phase4",  "phase3",       "phase3-mixed", "memory",
                                        "presize", "presize-many", "selfcheck",    "trace",
                                        "daemon",  "gpu"};
    char path[512];
    lab_plan p;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, "%s/../../bench/plans/%s.toml", cz_vector_path(""),
                       names[i]);
        assert_ok(lab_plan_read(&p, path));
        assert_string_equal(p.name, names[i]);
        lab_plan_clear(&p);
    }
    (void)snprintf(path, sizeof path, "%s/../../bench/plans/phase4.toml", cz_vector_path(""));
    assert_ok(lab_plan_read(&p, path));
    for (unsigned i = 1; i <= 5; i++)
        assert_int_equal(p.configs[i].n_changes, 1); /* each alone */
    assert_int_equal(p.configs[6].n_changes, 5);
    lab_plan_clear(&p);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_a_plan_says_what_is_run),  cmocka_unit_test(test_mistakes_are_named),
    cmocka_unit_test(test_daemons_and_expectations), cmocka_unit_test(test_a_trace_is_a_change),
    cmocka_unit_test(test_shipped_plans_are_read),
};

CZ_TEST_MAIN(cases)
