/* The settings as the engine gets them. */
#include "support.h"

#include <string.h>

#include "config/engine_config.h"

static void settings_reach_the_engine(void **state)
{
    static const char text[] =
        "[scheduler]\nmax_batch_size = 3\nmax_batch_wait_ms = 30000\n"
        "sort_by_type = false\nmax_queue = 12\nwatchdog = \"90s\"\n"
        "[pipeline]\nsynthesis_lookahead = 4\nsynthesis_concurrency = 2\n"
        "[memory]\ntotal_budget = \"3GiB\"\neviction_min_idle = \"1m\"\n"
        "[srs]\nkeep = [\"winning-32g\"]\n[journal]\nkeep_results = \"2h\"\n";
    cz_engine_options o = cz_engine_defaults();
    cz_config c;

    (void)state;
    assert_ok(cz_config_parse(&c, text, strlen(text), "t.toml", NULL, NULL));
    assert_ok(cz_config_engine(&o, &c));
    assert_true(o.host_bytes == (uint64_t)3 << 30);
    assert_int_equal(o.synthesis_workers, 2);
    assert_int_equal(o.lookahead, 4);
    assert_true(o.pipelined);
    assert_int_equal(o.n_keep, 1);
    assert_string_equal(o.keep[0], "winning-32g");
    assert_int_equal(o.tuning.max_batch_size, 3);
    assert_int_equal(o.tuning.max_batch_wait_ms, 30000);
    assert_false(o.tuning.sort_by_type);
    assert_int_equal(o.tuning.max_queue, 12);
    assert_int_equal(o.tuning.watchdog_ms, 90000);
    assert_int_equal(o.tuning.eviction_min_idle_ms, 60000);
    assert_int_equal(o.tuning.keep_results_ms, 7200000);
    cz_config_clear(&c);
}

static void devices_reach_the_prover(void **state)
{
    static const char text[] = "[gpus]\nbackend = \"cuda\"\ndevices = [3, 1]\n"
                               "vram_budget = \"24GiB\"\ngpu_workers_per_device = 2\n"
                               "self_test = false\n"
                               "folded = \"off\"\n"
                               "[memory]\ntotal_budget = \"8GiB\"\n";
    cz_device_options o;
    uint64_t pinned;
    cz_config c;

    (void)state;
    assert_ok(cz_config_parse(&c, text, strlen(text), "t.toml", NULL, NULL));
    o = cz_config_devices(&c);
    assert_true(o.required);
    assert_int_equal(o.n_numbers, 2);
    assert_int_equal(o.numbers[0], 3);
    assert_true(o.vram_budget == (uint64_t)24 << 30);
    assert_int_equal(o.workers, 2);
    assert_false(o.self_test);
    assert_false(o.folded);
    assert_ok(cz_config_pinned_limit(&pinned, &c));
    assert_true(pinned == (uint64_t)2 << 30);
    c.memory.pinned_limit = 12345;
    assert_ok(cz_config_pinned_limit(&pinned, &c));
    assert_int_equal(pinned, 12345);
    cz_config_clear(&c);
    assert_ok(cz_config_init(&c));
    o = cz_config_devices(&c);
    assert_false(o.required);
    assert_int_equal(o.n_numbers, 0);
    assert_int_equal(o.vram_budget, 0);
    assert_int_equal(o.workers, 1);
    assert_true(o.self_test);
    assert_true(o.folded);
    cz_config_clear(&c);
}

static void switches_reach_the_prover(void **state)
{
    static const char text[] = "[experiment]\nsynthesis = \"classic\"\ninline_terms = 2\n"
                               "presize = \"touched\"\nb2 = \"serial\"\npin = \"pooled\"\n"
                               "msm_window = \"table\"\nslow_down_percent = 5\n";
    const cz_experiment d = cz_experiment_defaults();
    cz_experiment x;
    cz_config c;

    (void)state;
    assert_ok(cz_config_parse(&c, text, strlen(text), "t.toml", NULL, NULL));
    x = cz_config_experiment(&c);
    cz_config_clear(&c);
    assert_true(x.classic && x.b2_serial);
    assert_int_equal(x.inline_terms, 2);
    assert_int_equal(x.presize, CZ_PRESIZE_TOUCHED);
    assert_int_equal(x.pin, CZ_PIN_POOLED);
    assert_int_equal(x.window, CZ_MSM_WINDOW_TABLE);
    assert_int_equal(x.slow_down_percent, 5);
    assert_ok(cz_config_init(&c));
    x = cz_config_experiment(&c);
    cz_config_clear(&c);
    assert_false(x.classic || x.b2_serial);
    assert_int_equal(x.inline_terms, d.inline_terms);
    assert_int_equal(x.presize, d.presize);
    assert_int_equal(x.pin, d.pin);
    assert_int_equal(x.window, d.window);
    assert_int_equal(x.window_bits, d.window_bits);
    assert_int_equal(x.slow_down_percent, d.slow_down_percent);
}

/* The engine's own defaults and those of the table are the same. */
static void defaults_agree(void **state)
{
    const cz_engine_options d = cz_engine_defaults();
    cz_engine_options o = d;
    cz_config c;

    (void)state;
    assert_ok(cz_config_init(&c));
    assert_ok(cz_config_engine(&o, &c));
    assert_int_equal(o.synthesis_workers, d.synthesis_workers);
    assert_int_equal(o.lookahead, d.lookahead);
    assert_int_equal(o.pipelined, d.pipelined);
    assert_int_equal(o.tuning.max_batch_size, d.tuning.max_batch_size);
    assert_int_equal(o.tuning.max_batch_wait_ms, d.tuning.max_batch_wait_ms);
    assert_int_equal(o.tuning.sort_by_type, d.tuning.sort_by_type);
    assert_int_equal(o.tuning.max_queue, d.tuning.max_queue);
    assert_int_equal(o.tuning.watchdog_ms, d.tuning.watchdog_ms);
    assert_int_equal(o.tuning.eviction_min_idle_ms, d.tuning.eviction_min_idle_ms);
    assert_int_equal(o.tuning.keep_results_ms, d.tuning.keep_results_ms);
    assert_true(o.host_bytes > 0);
    cz_config_clear(&c);
}

static void no_lookahead_is_no_pipeline(void **state)
{
    static const char text[] = "[pipeline]\nsynthesis_lookahead = 0\n";
    cz_engine_options o = cz_engine_defaults();
    cz_config c;

    (void)state;
    assert_ok(cz_config_parse(&c, text, strlen(text), "t.toml", NULL, NULL));
    assert_ok(cz_config_engine(&o, &c));
    assert_false(o.pipelined);
    cz_config_clear(&c);
}

static void refused(const char *text, const char *message)
{
    cz_engine_options o = cz_engine_defaults();
    cz_config c;

    assert_ok(cz_config_parse(&c, text, strlen(text), "t.toml", NULL, NULL));
    assert_fails(cz_config_engine(&o, &c), CZ_E_INPUT, message);
    cz_config_clear(&c);
}

static void ids_of_no_circuit_are_refused(void **state)
{
    (void)state;
    refused("[srs]\npreload = [\"winning-2k\", \"porep-31g\"]\n", "srs.preload: \"porep-31g\"");
    refused("[srs]\nkeep = [\"\"]\n", "srs.keep: \"\" is no circuit");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(settings_reach_the_engine),   cmocka_unit_test(devices_reach_the_prover),
    cmocka_unit_test(switches_reach_the_prover),   cmocka_unit_test(defaults_agree),
    cmocka_unit_test(no_lookahead_is_no_pipeline), cmocka_unit_test(ids_of_no_circuit_are_refused),
};

CZ_TEST_MAIN(cases)
