/* The settings as users meet them: files that must work, mistakes that must be named, the example
 * file, live changes. */
#define _GNU_SOURCE
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "config/settings.h"

#define GIB ((uint64_t)1 << 30)

typedef struct {
    unsigned n;
    char last[512];
} sentences;

static void note(void *ctx, const char *sentence)
{
    sentences *s = ctx;

    s->n++;
    (void)snprintf(s->last, sizeof s->last, "%s", sentence);
}

static cz_err parse(cz_config *out, const char *text, sentences *warned)
{
    *warned = (sentences){0};
    return cz_config_parse(out, text, strlen(text), "t.toml", note, warned);
}

static void refused(const char *text, const char *message)
{
    cz_config c;
    sentences warned;

    assert_fails(parse(&c, text, &warned), CZ_E_INPUT, message);
}

static char *printed(const cz_config *c)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    assert_non_null(out);
    assert_ok(cz_config_print(c, out));
    (void)fclose(out);
    return text;
}

static void defaults_are_what_a_fresh_machine_needs(void **state)
{
    cz_config c;

    (void)state;
    assert_ok(cz_config_init(&c));
    assert_string_equal(c.daemon.listen, "auto");
    assert_string_equal(c.daemon.status_listen, "");
    assert_true(c.memory.total_budget == CZ_SIZE_AUTO);
    assert_true(c.memory.safety_margin == 5 * GIB);
    assert_true(c.memory.eviction_min_idle == 300000);
    assert_true(c.scheduler.max_batch_size == 1);
    assert_true(c.scheduler.max_batch_wait_ms == 10000);
    assert_true(c.scheduler.sort_by_type);
    assert_true(c.pipeline.enabled);
    assert_int_equal(c.srs.preload.n, 0);
    cz_config_clear(&c);
}

/* Every key of the example file of the engine that ours replaces, with other values than the
 * defaults. */
static void every_key_of_curios_example_is_understood(void **state)
{
    static const char text[] = "[daemon]\n"
                               "listen = \"0.0.0.0:9820\"\n"
                               "status_listen = \"0.0.0.0:9821\"\n"
                               "[srs]\n"
                               "param_cache = \"/data/zk/params\"\n"
                               "preload = [\"porep-32g\", \"wpost-32g\"]\n"
                               "[memory]\n"
                               "total_budget = \"256GiB\"\n"
                               "safety_margin = \"7GiB\"\n"
                               "eviction_min_idle = \"300s\"\n"
                               "pinned_budget = \"50GiB\"\n"
                               "working_memory_budget = \"80GiB\"\n"
                               "[gpus]\n"
                               "devices = [0, 3]\n"
                               "gpu_threads = 32\n"
                               "gpu_workers_per_device = 1\n"
                               "[scheduler]\n"
                               "max_batch_size = 3\n"
                               "max_batch_wait_ms = 30000\n"
                               "sort_by_type = false\n"
                               "[synthesis]\n"
                               "threads = 9\n"
                               "partition_workers = 12\n"
                               "[pipeline]\n"
                               "enabled = false\n"
                               "synthesis_lookahead = 2\n"
                               "synthesis_concurrency = 4\n"
                               "max_parallel_synthesis = 18\n"
                               "slot_size = 3\n"
                               "max_gpu_queue_depth = 8\n"
                               "[logging]\n"
                               "level = \"trace\"\n"
                               "format = \"json\"\n";
    cz_config c;
    sentences warned;

    (void)state;
    assert_ok(parse(&c, text, &warned));
    assert_string_equal(c.daemon.listen, "0.0.0.0:9820");
    assert_string_equal(c.daemon.status_listen, "0.0.0.0:9821");
    assert_string_equal(c.srs.param_cache, "/data/zk/params");
    assert_int_equal(c.srs.preload.n, 2);
    assert_string_equal(c.srs.preload.items[1], "wpost-32g");
    assert_true(c.memory.total_budget == 256 * GIB);
    assert_true(c.memory.safety_margin == 7 * GIB);
    assert_true(c.memory.eviction_min_idle == 300000);
    assert_true(c.memory.pinned_limit == 50 * GIB);
    assert_int_equal(c.gpus.devices.n, 2);
    assert_int_equal(c.gpus.devices.items[1], 3);
    assert_true(c.gpus.gpu_threads == 32 && c.gpus.gpu_workers_per_device == 1);
    assert_true(c.scheduler.max_batch_size == 3 && c.scheduler.max_batch_wait_ms == 30000);
    assert_false(c.scheduler.sort_by_type);
    assert_true(c.synthesis.threads == 9);
    assert_false(c.pipeline.enabled);
    assert_true(c.pipeline.synthesis_lookahead == 2);
    assert_true(c.pipeline.synthesis_concurrency == 4);
    assert_string_equal(c.logging.level, "trace");
    assert_string_equal(c.logging.format, "json");
    assert_int_equal(warned.n, 6);
    cz_config_clear(&c);
}

static void old_keys_warn_with_their_line_and_map(void **state)
{
    cz_config c;
    sentences warned;

    (void)state;
    assert_ok(parse(&c, "[synthesis]\n\npartition_workers = 12\n", &warned));
    assert_true(c.pipeline.synthesis_concurrency == 12);
    assert_int_equal(warned.n, 1);
    assert_string_equal(warned.last, "t.toml:3: synthesis.partition_workers: deprecated, is now "
                                     "pipeline.synthesis_concurrency");
    cz_config_clear(&c);
    assert_ok(parse(&c, "[pipeline]\nslot_size = 0\n", &warned));
    assert_true(c.pipeline.synthesis_lookahead == 1);
    assert_int_equal(warned.n, 1);
    cz_config_clear(&c);
    refused("[pipeline]\nslot_size = 99\n",
            "t.toml:2: pipeline.slot_size: 99 is out of range; 0 to 32");
}

static void mistakes_name_file_line_and_key(void **state)
{
    (void)state;
    refused("[memory]\ntotal_budgt = \"1GiB\"\n",
            "t.toml:2: memory.total_budgt: unknown key; did you mean memory.total_budget?");
    refused("[frobnicate]\nx = 1\n", "t.toml:2: frobnicate.x: unknown key");
    refused("[memroy]\n", "t.toml:1: memroy: unknown key");
    refused("\n[memory]\ntotal_budget = \"512G\"\n",
            "t.toml:3: memory.total_budget: '512G': unknown unit 'G'");
    refused("[memory]\ntotal_budget = \"1B\"\n", "1B is out of range; 64MiB to 64TiB");
    refused("[memory]\ntotal_budget = true\n", "a size such as \"256GiB\" is wanted, this is a "
                                               "boolean");
    refused("[memory]\nsafety_margin = \"auto\"\n", "t.toml:2: memory.safety_margin: 'auto' is "
                                                    "not a size");
    refused("[memory]\neviction_min_idle = \"5min\"\n", "unknown unit 'min'");
    refused("[scheduler]\nmax_batch_size = 0\n", "0 is out of range; 1 to 64");
    refused("[scheduler]\nmax_batch_size = -3\n", "-3 is out of range");
    refused("[scheduler]\nmax_batch_size = 2.0\n", "a whole number is wanted, this is a number");
    refused("[scheduler]\nsort_by_type = 1\n", "true or false is wanted, this is an integer");
    refused("[gpus]\ndevices = [0, \"1\"]\n", "a whole number is wanted, this is a string");
    refused("[gpus]\ndevices = [64]\n", "64 is out of range; 0 to 63");
    refused("[gpus]\nbackend = \"opencl\"\n", "'opencl' is none of auto|cpu|cuda");
    refused("[gpus]\nbackend = \"\"\n", "'' is none of");
    refused("[srs]\npreload = \"porep-32g\"\n", "a list of strings is wanted, this is a string");
    refused("[srs]\npreload = [1]\n", "a list of strings is wanted");
    refused("memory = 3\n", "t.toml:1: memory: unknown key");
    refused("[memory]\ntotal_budget = \n", "t.toml:2: ");
    refused("[memory]\na = 1\na = 2\n", "t.toml:3: ");
    refused("[daemon]\nlisten = \"a\\u0000b\"\n", "t.toml:2: daemon.listen: a NUL character");
}

static void a_key_in_the_wrong_section_is_shown_its_own(void **state)
{
    (void)state;
    refused("listen = \"auto\"\n", "t.toml:1: listen: unknown key; did you mean daemon.listen?");
    refused("[daemon]\nparam_cache = \"/p\"\n", "did you mean srs.param_cache?");
    refused("[daemon]\nsomething_else = 1\n", "daemon.something_else: unknown key");
}

static void paths_that_only_a_shell_understands_are_refused(void **state)
{
    cz_config c;
    sentences warned;

    (void)state;
    refused("[srs]\nparam_cache = \"~/params\"\n",
            "t.toml:2: srs.param_cache: '~/params': ~ means");
    refused("[srs]\nparam_cache = \"\"\n", "srs.param_cache: empty; leave it out");
    refused("[journal]\ndir = \"\"\n", "journal.dir: empty");
    refused("[synthesis]\ncircuit_cache = \"~\"\n", "synthesis.circuit_cache: '~'");
    refused("[daemon]\ntoken_file = \"~cuzk/token\"\n", "daemon.token_file: '~cuzk/token'");
    assert_ok(parse(&c, "[srs]\nparam_cache = \"a~b/\"\nmanifest = \"\"\n", &warned));
    assert_string_equal(c.srs.param_cache, "a~b/");
    cz_config_clear(&c);
}

/* Two mistakes: the one further up is told, whatever its section is called. */
static void the_first_mistake_is_told(void **state)
{
    (void)state;
    refused("[srs]\nnope = 1\n[daemon]\nnope = 1\n", "t.toml:2: srs.nope");
}

static void deep_nesting_is_refused(void **state)
{
    char text[20000];
    cz_config c;
    sentences warned;
    size_t n = 0;

    (void)state;
    n += (size_t)sprintf(text, "x = ");
    for (unsigned i = 0; i < 9000; i++)
        text[n++] = '[';
    for (unsigned i = 0; i < 9000; i++)
        text[n++] = ']';
    text[n] = '\0';
    assert_fails(parse(&c, text, &warned), CZ_E_INPUT, "t.toml:1: ");
}

static void empty_files_and_sections_are_fine(void **state)
{
    cz_config c;
    sentences warned;

    (void)state;
    assert_ok(parse(&c, "", &warned));
    cz_config_clear(&c);
    assert_ok(parse(&c, "[memory]\n# total_budget\n[gpus]\n", &warned));
    assert_int_equal(warned.n, 0);
    cz_config_clear(&c);
}

static void the_printed_config_reads_back(void **state)
{
    static const char text[] = "[daemon]\nlisten = 'unix:///run/a \"b\" \\c.sock'\n"
                               "[srs]\npreload = [\"porep-2k\", \"x\\ty\"]\n"
                               "[gpus]\ndevices = [7, 5]\n[memory]\ntotal_budget = \"12.5GiB\"\n"
                               "eviction_min_idle = 90\n[logging]\nformat = \"json\"\n";
    cz_config c, again;
    sentences warned;
    char *once, *twice;
    size_t n;
    const cz_setting *settings = cz_settings(&n);

    (void)state;
    assert_ok(parse(&c, text, &warned));
    once = printed(&c);
    assert_ok(parse(&again, once, &warned));
    twice = printed(&again);
    assert_string_equal(once, twice);
    assert_string_equal(again.daemon.listen, "unix:///run/a \"b\" \\c.sock");
    assert_string_equal(again.srs.preload.items[1], "x\ty");
    assert_true(again.memory.eviction_min_idle == 90000);
    for (size_t i = 0; i < n; i++)
        assert_non_null(strstr(once, strchr(settings[i].name, '.') + 1));
    free(once);
    free(twice);
    cz_config_clear(&c);
    cz_config_clear(&again);
}

static void the_example_file_is_generated(void **state)
{
    char path[4096];
    cz_config c;
    uint8_t *bytes;
    char *text;
    size_t n;

    (void)state;
    (void)snprintf(path, sizeof path, "%s", cz_vector_path("../../cuzk.example.toml"));
    bytes = cz_test_read(path, &n);
    assert_ok(cz_config_init(&c));
    text = printed(&c);
    assert_string_equal((const char *)bytes, text);
    free(text);
    free(bytes);
    cz_config_clear(&c);
}

static void files_are_read_and_missing_ones_named(void **state)
{
    cz_config c;

    (void)state;
    assert_ok(cz_config_read(&c, cz_vector_path("../../cuzk.example.toml"), NULL, NULL));
    assert_string_equal(c.gpus.backend, "auto");
    cz_config_clear(&c);
    assert_fails(cz_config_read(&c, "/nowhere/cuzk.toml", NULL, NULL), CZ_E_NOTFOUND,
                 "/nowhere/cuzk.toml");
}

static void live_settings_change_and_others_wait(void **state)
{
    cz_config c, fresh;
    sentences warned;

    (void)state;
    assert_ok(cz_config_init(&c));
    assert_ok(parse(&fresh,
                    "[scheduler]\nmax_batch_size = 5\n[logging]\nlevel = \"debug\"\n"
                    "[srs]\nkeep = [\"winning-32g\"]\n",
                    &warned));
    assert_ok(cz_config_apply_live(&c, &fresh, note, &warned));
    assert_true(c.scheduler.max_batch_size == 5);
    assert_string_equal(c.logging.level, "debug");
    assert_int_equal(c.srs.keep.n, 0);
    assert_int_equal(warned.n, 1);
    assert_string_equal(warned.last, "srs.keep");
    cz_config_clear(&c);
    cz_config_clear(&fresh);
}

static void folders_come_from_the_environment_first(void **state)
{
    cz_config c;
    sentences warned;
    char dir[256];

    (void)state;
    assert_ok(parse(&c, "[srs]\nparam_cache = \"/p\"\n", &warned));
    (void)unsetenv("FIL_PROOFS_PARAMETER_CACHE");
    assert_string_equal(cz_config_param_cache(&c), "/p");
    (void)setenv("FIL_PROOFS_PARAMETER_CACHE", "/env", 1);
    assert_string_equal(cz_config_param_cache(&c), "/env");
    (void)setenv("STATE_DIRECTORY", "/var/lib/cuzk:/var/lib/other", 1);
    assert_ok(cz_config_journal_dir(&c, dir, sizeof dir));
    assert_string_equal(dir, "/var/lib/cuzk");
    (void)setenv("CACHE_DIRECTORY", "/var/cache/cuzk", 1);
    assert_ok(cz_config_circuit_cache(&c, dir, sizeof dir));
    assert_string_equal(dir, "/var/cache/cuzk");
    (void)unsetenv("CACHE_DIRECTORY");
    (void)setenv("XDG_CACHE_HOME", "/c", 1);
    assert_ok(cz_config_circuit_cache(&c, dir, sizeof dir));
    assert_string_equal(dir, "/c/cuzk");
    (void)unsetenv("XDG_CACHE_HOME");
    (void)unsetenv("STATE_DIRECTORY");
    (void)setenv("XDG_STATE_HOME", "/s", 1);
    assert_ok(cz_config_journal_dir(&c, dir, sizeof dir));
    assert_string_equal(dir, "/s/cuzk");
    (void)unsetenv("XDG_STATE_HOME");
    (void)unsetenv("HOME");
    assert_fails(cz_config_journal_dir(&c, dir, sizeof dir), CZ_E_INPUT, "journal.dir");
    assert_ok(cz_config_circuit_cache(&c, dir, sizeof dir));
    assert_string_equal(dir, "");
    cz_config_clear(&c);
    assert_ok(parse(&c, "[synthesis]\ncircuit_cache = \"/x\"\n", &warned));
    assert_ok(cz_config_circuit_cache(&c, dir, sizeof dir));
    assert_string_equal(dir, "/x");
    cz_config_clear(&c);
    assert_ok(parse(&c, "[journal]\ndir = \"none\"\n", &warned));
    assert_ok(cz_config_journal_dir(&c, dir, sizeof dir));
    assert_string_equal(dir, "");
    cz_config_clear(&c);
}

/* Rows that could not work: bounds, defaults, offsets that overlap. */
static void the_table_is_sound(void **state)
{
    size_t n, n_old;
    const cz_setting *settings = cz_settings(&n);
    const cz_old_setting *old = cz_old_settings(&n_old);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        assert_non_null(strchr(settings[i].name, '.'));
        assert_true(strlen(settings[i].help) > 20);
        assert_true(settings[i].min <= settings[i].max);
        assert_int_equal(settings[i].type == CZ_SETTING_CHOICE, settings[i].choices != NULL);
        for (size_t j = 0; j < i; j++) {
            assert_true(settings[i].offset != settings[j].offset);
            assert_string_not_equal(settings[i].name, settings[j].name);
        }
    }
    for (size_t i = 0; i < n_old; i++) {
        assert_null(cz_setting_find(old[i].name));
        if (old[i].maps_to != NULL)
            assert_non_null(cz_setting_find(old[i].maps_to));
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(defaults_are_what_a_fresh_machine_needs),
    cmocka_unit_test(every_key_of_curios_example_is_understood),
    cmocka_unit_test(old_keys_warn_with_their_line_and_map),
    cmocka_unit_test(mistakes_name_file_line_and_key),
    cmocka_unit_test(the_first_mistake_is_told),
    cmocka_unit_test(a_key_in_the_wrong_section_is_shown_its_own),
    cmocka_unit_test(paths_that_only_a_shell_understands_are_refused),
    cmocka_unit_test(deep_nesting_is_refused),
    cmocka_unit_test(empty_files_and_sections_are_fine),
    cmocka_unit_test(the_printed_config_reads_back),
    cmocka_unit_test(the_example_file_is_generated),
    cmocka_unit_test(files_are_read_and_missing_ones_named),
    cmocka_unit_test(live_settings_change_and_others_wait),
    cmocka_unit_test(folders_come_from_the_environment_first),
    cmocka_unit_test(the_table_is_sound),
};

CZ_TEST_MAIN(cases)
