/* ab and mem as a user runs them, on the smallest circuit. */
#define _GNU_SOURCE
#include "../unit/lab/costs.h"

#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_BYTES = 1 << 20 };

static char out[OUTPUT_BYTES];
static char folder[32];

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "cz-test-lab-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[64];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static int bench(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int bench(const char *fmt, ...)
{
    char command[4096];
    va_list args;
    FILE *pipe;
    size_t n;
    int status;

    n = (size_t)snprintf(command, sizeof command, "%s ", CUZK_BENCH);
    va_start(args, fmt);
    (void)vsnprintf(command + n, sizeof command - n, fmt, args);
    va_end(args);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    n = fread(out, 1, sizeof out - 1, pipe);
    out[n] = '\0';
    status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void assert_prints(const char *text)
{
    if (strstr(out, text) == NULL)
        fail_msg("'%s' is not in the output: %s", text, out);
}

/* Parameters of wpost-2k, made once for all cases. */
#define PARAMETERS "lab-params"

static void make_parameters(void)
{
    assert_int_equal(
        bench("params check --dir %s --circuit wpost-2k >/dev/null 2>&1", PARAMETERS) == 0 ||
            bench("params setup --circuit wpost-2k --toxic %s --dir %s 2>/dev/null",
                  cz_vector_path("golden/toxic/wpost-2k.json"), PARAMETERS) == 0,
        1);
}

static void write_plan(char path[128], const char *text)
{
    (void)snprintf(path, 128, "%s/plan.toml", folder);
    assert_ok(cz_file_write_all(path, text, strlen(text)));
}

static const char plan[] =
    "[plan]\nname = \"tiny\"\ncircuit = \"wpost-2k\"\nwarm = 1\nblocks = 1\nmax_blocks = 1\n"
    "threads = 2\n"
    "[config.compiled]\nabout = \"the defaults\"\n"
    "[config.classic]\nexperiment.synthesis = \"classic\"\nexperiment.inline_terms = 0\n"
    "experiment.pin = \"pooled\"\n";

static double number(cz_json object, const char *key)
{
    double value = 0;
    cz_json v;

    assert_ok(cz_json_get(object, key, &v));
    assert_ok(cz_json_double(v, &value));
    return value;
}

static const char *config_of(cz_json session)
{
    const char *text = NULL;
    cz_json v;
    size_t n;

    assert_ok(cz_json_get(session, "config", &v));
    assert_ok(cz_json_string(v, &text, &n));
    return text;
}

/* Of a session's runs, the last: how many phases were recorded; that took less than the run. */
static uint64_t recorded(cz_json runs)
{
    cz_json_iter it;
    cz_json run;
    double n = 0;

    assert_ok(cz_json_iterate(runs, &it));
    while (cz_json_next(&it, &run, NULL)) {
        n = number(run, "recorded");
        assert_true(number(run, "recording_ms") > 0);
        assert_true(number(run, "recording_ms") < 1e3 * number(run, "seconds"));
    }
    return (uint64_t)n;
}

/* How many phases a proof records says, with what one takes (`cuzk-bench time trace`), what all
 * cost; it does not depend on the machine. */
static void test_ab_runs_a_plan(void **state)
{
    char path[128];
    costs phases = {.n = 0};
    cz_json_doc *doc;
    cz_json root, sessions, v;
    cz_json_iter it;
    uint64_t compiled = 0, classic = 0;
    size_t n;
    uint8_t *bytes;

    (void)state;
    write_plan(path, plan);
    make_parameters();
    assert_int_equal(
        bench("ab %s --params %s --out %s/report --quiet 2>&1", path, PARAMETERS, folder), 0);
    assert_prints("compiled again");
    assert_prints("within noise"); /* one block says nothing */
    (void)snprintf(path, sizeof path, "%s/report/report.json", folder);
    bytes = cz_test_read(path, &n);
    assert_ok(cz_json_parse(&doc, &root, (const char *)bytes, n));
    free(bytes);
    assert_ok(cz_json_get(root, "sessions", &sessions));
    assert_ok(cz_json_size(sessions, &n));
    assert_int_equal(n, 3);
    assert_ok(cz_json_iterate(sessions, &it));
    while (cz_json_next(&it, &v, NULL)) {
        assert_ok(cz_json_get(v, "runs", &root));
        assert_ok(cz_json_size(root, &n));
        assert_int_equal(n, 2);
        *(strcmp(config_of(v), "classic") == 0 ? &classic : &compiled) = recorded(root);
    }
    costs_add(&phases, "wpost-2k", "phases recorded, compiled", compiled);
    costs_add(&phases, "wpost-2k", "phases recorded, classic", classic);
    costs_compare(&phases, "phases.json");
    cz_json_destroy(doc);
    (void)snprintf(path, sizeof path, "%s/report/report.html", folder);
    free(cz_test_read(path, &n));
    assert_true(n > 2000);
}

static const char turns[] =
    "[plan]\nname = \"turns\"\ncircuit = \"wpost-2k\"\nwarm = 1\nblocks = 1\nmax_blocks = 1\n"
    "turns = true\nnoise_run = false\n"
    "[config.plain]\nabout = \"the defaults\"\n"
    "[config.quiet]\ntrace = false\nexpect = \"within noise\"\n";

/* Processes side by side, twice; and the pages of a run written again. */
static void test_ab_counts_runs_in_turns(void **state)
{
    char path[128];

    (void)state;
    make_parameters();
    write_plan(path, turns);
    assert_int_equal(
        bench("ab %s --params %s --out %s/series --repeat 2 2>&1", path, PARAMETERS, folder), 0);
    assert_prints("run 2 of 2");
    assert_prints("turns: 2 runs of 1 to 1 blocks");
    assert_prints("itself: 2 of 2 within noise"); /* one block says nothing */
    assert_int_equal(
        bench("ab --render %s/series/run-01/report.json --out %s/again 2>&1", folder, folder), 0);
    assert_prints("/again/report.html, report.md\n");
    assert_int_equal(bench("2>&1; cmp %s/series/run-01/report.md %s/again/report.md && cmp "
                           "%s/series/run-01/report.html %s/again/report.html && echo same",
                           folder, folder, folder, folder),
                     0);
    assert_prints("same");
    assert_int_equal(bench("ab --render %s --out %s/again 2>&1", path, folder), 1);
    assert_prints("plan.toml");
}

static const char daemons[] =
    "[plan]\nname = \"daemons\"\ncircuit = \"wpost-2k\"\nwork = \"daemon\"\njobs = 2\nwarm = 1\n"
    "blocks = 1\nmax_blocks = 1\nnoise_run = false\n"
    "[config.own]\nlogging.level = \"warn\"\n"
    "[config.serial]\nlike = \"own\"\npipeline.enabled = false\n";

/* Two daemons that ab starts, and one that runs already. */
static void test_ab_asks_daemons(void **state)
{
    char path[128], text[1024], *here = realpath(folder, NULL);

    (void)state;
    assert_non_null(here);
    make_parameters();
    write_plan(path, daemons);
    assert_int_equal(bench("ab %s --params %s --out %s/report 2>&1", path, PARAMETERS, folder), 0);
    assert_prints("serial");
    (void)snprintf(text, sizeof text,
                   "[plan]\nname = \"running\"\ncircuit = \"wpost-2k\"\nwork = \"daemon\"\n"
                   "jobs = 2\nwarm = 1\nblocks = 1\nmax_blocks = 1\n"
                   "[config.running]\naddress = \"unix://%s/s\"\n",
                   here);
    free(here);
    write_plan(path, text);
    assert_int_equal(bench("ab %s --out %s/report 2>&1", path, folder), 1);
    assert_prints("no daemon answers");
    assert_int_equal(
        bench("--version >/dev/null; (cd %s && exec env FIL_PROOFS_PARAMETER_CACHE=../" PARAMETERS
              " "
              "XDG_STATE_HOME=. %s --listen unix://$PWD/s 2>log) & daemon=$!; "
              "until grep -q listening %s/log 2>/dev/null; do sleep 0.05; done; %s ab "
              "%s --out %s/report 2>&1; status=$?; kill $daemon; wait $daemon; exit "
              "$status",
              folder, CUZK, folder, CUZK_BENCH, path, folder),
        0);
    assert_prints("running again");
}

static void test_ab_names_what_is_wrong(void **state)
{
    char path[128];

    (void)state;
    (void)snprintf(path, sizeof path, "%s/plan.toml", folder);
    assert_ok(cz_file_write_all(path, plan, sizeof plan - 1));
    assert_int_equal(bench("ab %s --params %s --out %s/report --quiet 2>&1", path, folder, folder),
                     1);
    assert_prints("params setup --circuit wpost-2k"); /* what the process said */
    assert_prints("configuration 'c");
    assert_int_equal(bench("ab %s/none.toml --out %s/report 2>&1", folder, folder), 1);
    assert_prints("none.toml");
}

static void test_mem_watches_a_command(void **state)
{
    (void)state;
    assert_int_equal(bench("mem --every 5 --svg %s/m.svg -- sleep 0.1 2>&1", folder), 0);
    assert_prints("#");
    assert_int_equal(bench("mem --every 5 --json -- sleep 0.1 2>/dev/null"), 0);
    assert_prints("\"rss_bytes\"");
    assert_int_equal(bench("mem -- false 2>&1"), 1);
    assert_prints("the command failed");
    assert_int_equal(bench("mem 99999999 2>&1"), 1);
    assert_prints("no process");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_ab_runs_a_plan, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_ab_counts_runs_in_turns, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_ab_asks_daemons, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_ab_names_what_is_wrong, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_mem_watches_a_command, make_folder, remove_folder),
};

CZ_TEST_MAIN(cases)
