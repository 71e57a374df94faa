/* The metrics text: a checker for its format, itself checked, and the numbers in it. */
#include "../engine/toy_prover.h"

#include <ctype.h>
#include <math.h>

#include "rpc/metrics.h"

/* --- a checker of the exposition format --- */

enum { MAX_SERIES = 2000, NAME = 128 };

typedef struct {
    char help[NAME], family[NAME], type[NAME]; /* of the family that is being read */
    char families[200][NAME];
    size_t n_families;
    const char *series[MAX_SERIES]; /* "name{labels}", in the text */
    size_t lens[MAX_SERIES];
    size_t n_series;
    double last_bucket;
    char problem[256];
} checker;

static bool bad(checker *c, const char *what, const char *line)
{
    (void)snprintf(c->problem, sizeof c->problem, "%s: %.*s", what, (int)strcspn(line, "\n"), line);
    return false;
}

static size_t name_length(const char *s, bool colon)
{
    size_t n = 0;

    while (isalpha((unsigned char)s[n]) || s[n] == '_' || (colon && s[n] == ':') ||
           (n > 0 && isdigit((unsigned char)s[n])))
        n++;
    return n;
}

/* "{a="x",b="y"}"; the rest, or NULL. */
static const char *skip_labels(const char *s)
{
    if (*s != '{')
        return s;
    do {
        const size_t n = name_length(s + 1, false);

        s += 1 + n;
        if (n == 0 || s[0] != '=' || s[1] != '"')
            return NULL;
        for (s += 2; *s != '"'; s++) {
            if (*s == '\n' || *s == '\0')
                return NULL;
            if (*s == '\\' && *++s != '\\' && *s != '"' && *s != 'n')
                return NULL;
        }
        s++;
    } while (*s == ',');
    return *s == '}' ? s + 1 : NULL;
}

static bool check_comment(checker *c, const char *line)
{
    const bool help = strncmp(line, "# HELP ", 7) == 0;
    const size_t n = name_length(line + 7, true);
    char word[NAME];

    if ((!help && strncmp(line, "# TYPE ", 7) != 0) || n == 0 || line[7 + n] != ' ')
        return bad(c, "comment", line);
    (void)snprintf(word, sizeof word, "%.*s", (int)n, line + 7);
    if (help) {
        (void)strcpy(c->help, word);
        return line[8 + n] != '\n' || bad(c, "empty help", line);
    }
    if (strcmp(word, c->help) != 0)
        return bad(c, "TYPE without HELP", line);
    for (size_t i = 0; i < c->n_families; i++)
        if (strcmp(c->families[i], word) == 0)
            return bad(c, "family twice", line);
    assert_true(c->n_families < 200);
    (void)strcpy(c->families[c->n_families++], word);
    (void)strcpy(c->family, word);
    (void)snprintf(c->type, sizeof c->type, "%.*s", (int)strcspn(line + 8 + n, "\n"), line + 8 + n);
    c->last_bucket = 0;
    if (strcmp(c->type, "counter") == 0 && (n < 6 || strcmp(word + n - 6, "_total") != 0))
        return bad(c, "counter without _total", line);
    return strcmp(c->type, "counter") == 0 || strcmp(c->type, "gauge") == 0 ||
           strcmp(c->type, "histogram") == 0 || strcmp(c->type, "untyped") == 0 ||
           bad(c, "unknown type", line);
}

/* In a histogram, buckets of one series follow each other and grow; _count ends them. */
static bool check_histogram(checker *c, const char *suffix, double value, const char *line)
{
    const double before = c->last_bucket;

    if (strncmp(suffix, "_bucket{", 8) == 0) {
        c->last_bucket = value;
        return value >= before || bad(c, "buckets shrink", line);
    }
    if (strncmp(suffix, "_count", 6) == 0) {
        c->last_bucket = 0;
        return value == before || bad(c, "count is not the last bucket", line);
    }
    return strncmp(suffix, "_sum", 4) == 0 || bad(c, "no part of a histogram", line);
}

static bool check_sample(checker *c, const char *line)
{
    const size_t n = name_length(line, true), family = strlen(c->family);
    const char *rest = skip_labels(line + n);
    double value;
    char *end;

    if (n == 0 || rest == NULL || *rest != ' ')
        return bad(c, "sample", line);
    for (size_t i = 0; i < c->n_series; i++)
        if (c->lens[i] == (size_t)(rest - line) && memcmp(c->series[i], line, c->lens[i]) == 0)
            return bad(c, "series twice", line);
    assert_true(c->n_series < MAX_SERIES);
    c->lens[c->n_series] = (size_t)(rest - line);
    c->series[c->n_series++] = line;
    value = strtod(rest + 1, &end);
    if (end == rest + 1 || *end != '\n' || isnan(value))
        return bad(c, "value", line);
    if (strncmp(line, c->family, family) != 0)
        return bad(c, "not of the family above", line);
    if (strcmp(c->type, "histogram") == 0)
        return check_histogram(c, line + family, value, line);
    return n == family || bad(c, "not of the family above", line);
}

static bool is_exposition(checker *c, const char *text)
{
    *c = (checker){.n_series = 0};
    while (*text != '\0') {
        if (!(*text == '#' ? check_comment(c, text) : check_sample(c, text)))
            return false;
        text = strchr(text, '\n');
        if (text == NULL)
            return bad(c, "no line feed at the end", "");
        text++;
    }
    return true;
}

static void assert_exposition(const char *text)
{
    static checker c;

    if (!is_exposition(&c, text))
        fail_msg("%s", c.problem);
    assert_true(c.n_series > 50);
}

static void the_checker_refuses_what_is_wrong(void **state)
{
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"a 1\n", "not of the family above"},
        {"# HELP a b\n# TYPE a gauge\na 1", "value"},
        {"# HELP a b\n# TYPE a gauge\na x\n", "value"},
        {"# HELP a b\n# TYPE a gauge\na{b=\"c} 1\n", "sample"},
        {"# HELP a b\n# TYPE a gauge\na{b=\"\\c\"} 1\n", "sample"},
        {"# HELP a b\n# TYPE a gauge\na{1b=\"c\"} 1\n", "sample"},
        {"# HELP a b\n# TYPE a gauge\nab 1\n", "not of the family above"},
        {"# HELP a b\n# TYPE a gauge\na 1\na 2\n", "series twice"},
        {"# HELP a b\n# TYPE a counter\na 1\n", "counter without _total"},
        {"# TYPE a gauge\na 1\n", "TYPE without HELP"},
        {"# HELP a b\n# TYPE a gauge\n# HELP a b\n# TYPE a gauge\n", "family twice"},
        {"# HELP a b\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"2\"} 1\n", "shrink"},
        {"# HELP a b\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 2\na_count 3\n", "last bucket"},
    };
    static checker c;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(is_exposition(&c, cases[i].text));
        assert_non_null(strstr(c.problem, cases[i].problem));
    }
    assert_true(
        is_exposition(&c, "# HELP a b c\n# TYPE a gauge\na{b=\"\\\\\\\"\\n\"} 1.5e3\na 2\n"));
}

/* --- the text --- */

typedef struct {
    toy t;
    cz_backend backend;
    cz_engine *e;
} bench;

static void begin(bench *b)
{
    cz_engine_options o;

    toy_init(&b->t);
    b->backend = toy_backend(&b->t);
    o = toy_options(&b->t, &b->backend);
    assert_ok(cz_engine_create(&b->e, &o));
    assert_ok(cz_engine_start(b->e));
}

static void finish(bench *b)
{
    cz_engine_destroy(b->e);
    toy_assert_clean(&b->t);
    toy_clear(&b->t);
}

static void expect_line(const char *text, const char *line)
{
    const char *at = strstr(text, line);

    while (at != NULL && (at[strlen(line)] != '\n' || (at != text && at[-1] != '\n')))
        at = strstr(at + 1, line);
    if (at == NULL)
        fail_msg("no line: %s", line);
}

static void an_idle_engine_has_every_family(void **state)
{
    size_t n;
    char *text;
    bench b;

    (void)state;
    begin(&b);
    assert_ok(cz_metrics_text(b.e, &text, &n));
    assert_int_equal(strlen(text), n);
    assert_exposition(text);
    expect_line(text, "cuzk_proofs_completed_total 0");
    expect_line(text, "cuzk_proofs_failed{proof_kind=\"winning_post\"} 0");
    expect_line(text, "cuzk_queue_depth 0");
    expect_line(text, "cuzk_running_jobs 0");
    expect_line(text, "cuzk_gpu_workers 1");
    expect_line(text, "cuzk_memory_budget_bytes 1000000");
    expect_line(text, "cuzk_proof_duration_seconds_count{proof_kind=\"porep_c2\"} 0");
    assert_non_null(strstr(text, "\ncuzk_uptime_seconds "));
    assert_null(strstr(text, "\nprocess_resident_memory_bytes 0\n"));
    assert_null(strstr(text, "\nprocess_open_fds 0\n"));
    free(text);
    finish(&b);
}

static void jobs_are_counted_by_kind_and_result(void **state)
{
    cz_submit_reply good, wrong, held;
    cz_result result;
    char *text;
    bench b;

    (void)state;
    begin(&b);
    b.t.bad_proofs = 1;
    b.t.fail_synth_tag = 'B';
    (void)toy_submit(b.e, toy_request("a", CZ_KIND_POREP, 'A', 3, 0), &good);
    toy_expect(b.e, good.job_id, 'A', 3);
    (void)toy_submit(b.e, toy_request("b", CZ_KIND_SNAP, 'B', 1, 0), &wrong);
    assert_ok(cz_engine_await(b.e, wrong.job_id, 0, &result));
    cz_result_clear(&result);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("c", CZ_KIND_WINDOW, 'C', 1, 0), &held);
    toy_wait_held(&b.t, 1);
    assert_ok(cz_metrics_text(b.e, &text, NULL));
    assert_exposition(text);
    expect_line(text, "cuzk_proofs_completed_total 1");
    expect_line(text, "cuzk_proofs_completed{proof_kind=\"porep_c2\"} 1");
    expect_line(text, "cuzk_proofs_failed_total 1");
    expect_line(text, "cuzk_jobs_ended_total{proof_kind=\"snap_update\",result=\"failed\"} 1");
    expect_line(text, "cuzk_jobs_accepted_total{proof_kind=\"window_post\"} 1");
    expect_line(text, "cuzk_jobs{proof_kind=\"window_post\",state=\"in_progress\"} 1");
    expect_line(text, "cuzk_running_jobs 1");
    expect_line(text, "cuzk_gpu_workers_busy 1");
    expect_line(text, "cuzk_partitions{stage=\"prove\"} 1");
    expect_line(text, "cuzk_self_check_failures_total{proof_kind=\"porep_c2\"} 1");
    expect_line(text, "cuzk_partition_retries_total{proof_kind=\"porep_c2\"} 1");
    expect_line(text, "cuzk_proof_duration_seconds_count{proof_kind=\"porep_c2\"} 1");
    expect_line(text,
                "cuzk_stage_duration_seconds_count{proof_kind=\"porep_c2\",stage=\"prove\"} 4");
    expect_line(text, "cuzk_srs_users{circuit_id=\"wpost-2048\"} 1");
    expect_line(text, "cuzk_srs_loads_total 3");
    free(text);
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, held.job_id, 'C', 1);
    finish(&b);
}

/* Names come from drivers and files. */
static void label_values_are_escaped(void **state)
{
    cz_device_view device = {.backend = "cuda"};
    cz_keys_view keys = {.circuit_id = "a\nb"};
    cz_engine_status s = {
        .waits_for = "", .devices = &device, .n_devices = 1, .keys = &keys, .n_keys = 1};
    char *text;

    (void)state;
    (void)strcpy(device.info.name, "GPU \"x\\\" \n} 7");
    assert_ok(cz_metrics_of_status(&s, &text, NULL));
    assert_exposition(text);
    assert_non_null(strstr(text, "name=\"GPU \\\"x\\\\\\\" \\n} 7\"} 0\n"));
    assert_non_null(strstr(text, "circuit_id=\"a\\nb\""));
    free(text);
}

/* docs/man/cuzk.1 names every family of ours. */
static void the_manual_lists_every_family(void **state)
{
    static checker c;
    uint8_t *manual;
    char *text;
    size_t n;
    bench b;

    (void)state;
    begin(&b);
    assert_ok(cz_metrics_text(b.e, &text, NULL));
    assert_true(is_exposition(&c, text));
    manual = cz_test_read(cz_vector_path("../../docs/man/cuzk.1"), &n);
    for (size_t i = 0; i < c.n_families; i++)
        if (strncmp(c.families[i], "cuzk_", 5) == 0 &&
            strstr((const char *)manual, c.families[i]) == NULL)
            fail_msg("not in the manual: %s", c.families[i]);
    free(manual);
    free(text);
    finish(&b);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(the_checker_refuses_what_is_wrong),
    cmocka_unit_test(an_idle_engine_has_every_family),
    cmocka_unit_test(jobs_are_counted_by_kind_and_result),
    cmocka_unit_test(label_values_are_escaped),
    cmocka_unit_test(the_manual_lists_every_family),
};

CZ_TEST_MAIN(cases)
