/* Log lines and CPU features. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/json.h"
#include "base/log.h"

/* What fn writes to standard error. */
static size_t capture(char *text, size_t size, void (*fn)(void))
{
    int saved = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    size_t n;

    assert_non_null(file);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    fn();
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    (void)close(saved);
    rewind(file);
    n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    (void)fclose(file);
    return n;
}

static void log_three(void)
{
    cz_log_set_level(CZ_LOG_WARN);
    cz_log(CZ_LOG_ERROR, "error %d", 1);
    cz_log(CZ_LOG_WARN, "warn %d", 2);
    cz_log(CZ_LOG_INFO, "info %d", 3);
    cz_log_set_level(CZ_LOG_INFO);
}

static void test_levels_filter_lines(void **state)
{
    char text[1024];

    (void)state;
    (void)capture(text, sizeof text, log_three);
    assert_non_null(strstr(text, "Z ERROR error 1\n"));
    assert_non_null(strstr(text, "Z WARN  warn 2\n"));
    assert_null(strstr(text, "info 3"));
}

/* A character as often as no line holds it. */
static void log_many(char c)
{
    char body[5000];

    memset(body, c, sizeof body - 1);
    body[sizeof body - 1] = '\0';
    cz_log(CZ_LOG_ERROR, "%s", body);
    cz_log_job(CZ_LOG_ERROR, body, body, body, "%s", body);
}

static void log_long(void)
{
    log_many('y');
}

static void log_long_escaped(void)
{
    log_many('\x01'); /* four bytes of a line each */
}

static void assert_two_full_lines(const char *text)
{
    const char *end = strchr(text, '\n');

    assert_non_null(end);
    assert_in_range(end - text, 1000, 2047);
    assert_in_range(strcspn(end + 1, "\n"), 1000, 2047);
    assert_string_equal(end + 1 + strcspn(end + 1, "\n"), "\n");
}

static void test_long_lines_are_cut(void **state)
{
    char text[8192];

    (void)state;
    (void)capture(text, sizeof text, log_long);
    assert_two_full_lines(text);
    (void)capture(text, sizeof text, log_long_escaped);
    assert_two_full_lines(text);
}

/* Even when there is nowhere to write to. */
static void test_errno_is_kept(void **state)
{
    const int saved = dup(STDERR_FILENO);
    int after;

    (void)state;
    (void)close(STDERR_FILENO);
    errno = ENOENT;
    cz_log(CZ_LOG_ERROR, "lost");
    after = errno;
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    (void)close(saved);
    assert_int_equal(after, ENOENT);
}

static void test_level_names_are_parsed(void **state)
{
    cz_log_level level;

    (void)state;
    assert_ok(cz_log_level_parse(&level, "debug"));
    assert_int_equal(level, CZ_LOG_DEBUG);
    assert_ok(cz_log_level_parse(&level, "Warn"));
    assert_int_equal(level, CZ_LOG_WARN);
    assert_fails(cz_log_level_parse(&level, "loud"), CZ_E_INPUT,
                 "log level 'loud' is none of error, warn, info, debug");
}

/* --- forms --- */

static void log_hostile(void)
{
    cz_log(CZ_LOG_ERROR, "one\nline\x1b[31m %s", "\r\x7f end");
}

static void test_a_message_stays_one_line(void **state)
{
    char text[1024];

    (void)state;
    (void)capture(text, sizeof text, log_hostile);
    assert_non_null(strstr(text, "Z ERROR one\\nline\\x1b[31m \\x0d\\x7f end\n"));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
}

static void log_hostile_utf8(void)
{
    cz_log(CZ_LOG_ERROR, "\xe2\x82\xac \xc2\x9b"
                         "2J \x9b"
                         "1m \xc3\xa9 \xe2\x82");
}

/* U+009B begins a terminal's order as ESC [ does, and so does its byte alone to a terminal that
 * reads bytes. */
static void test_no_control_is_left_among_the_higher_characters(void **state)
{
    char text[1024];

    (void)state;
    (void)capture(text, sizeof text, log_hostile_utf8);
    assert_non_null(
        strstr(text, "Z ERROR \xe2\x82\xac \\xc2\\x9b2J \\x9b1m \xc3\xa9 \\xe2\\x82\n"));
}

static const char hostile_id[] = "a\"b\\c\nd\xff\xe2\x82";

static void log_job_text(void)
{
    cz_log_job(CZ_LOG_INFO, "0f3c", "porep-1000-7", "porep", "completed in %.3f s", 2.31);
    cz_log_job(CZ_LOG_INFO, "0f3d", NULL, NULL, "gone");
    cz_log_job(CZ_LOG_DEBUG, "0f3e", NULL, NULL, "dropped");
}

static void test_a_job_line_names_the_job(void **state)
{
    char text[1024];

    (void)state;
    (void)capture(text, sizeof text, log_job_text);
    assert_non_null(strstr(text, "INFO  job 0f3c (porep-1000-7, porep): completed in 2.310 s\n"));
    assert_non_null(strstr(text, "INFO  job 0f3d: gone\n"));
    assert_null(strstr(text, "dropped"));
}

static void log_job_json(void)
{
    char body[5000];

    memset(body, 'y', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    cz_log_set_form(CZ_LOG_JSON);
    cz_log(CZ_LOG_WARN, "plain \"%s\"", "x");
    cz_log_job(CZ_LOG_ERROR, "0f3c", hostile_id, "porep", "partition %d: wrong\n", 3);
    cz_log_job(CZ_LOG_ERROR, body, body, body, "%s", body);
    memset(body, 1, sizeof body - 1); /* each takes six characters */
    cz_log_job(CZ_LOG_ERROR, body, body, body, "%s", body);
    cz_log_set_form(CZ_LOG_TEXT);
}

static void expect_member(cz_json line, const char *key, const char *wanted)
{
    const char *text;
    cz_json value;
    size_t n;

    assert_ok(cz_json_get(line, key, &value));
    assert_ok(cz_json_string(value, &text, &n));
    assert_string_equal(text, wanted);
}

static void test_json_lines_are_json(void **state)
{
    char text[16384], *rest = text, *line;
    cz_json_doc *docs[4];
    cz_json roots[4], absent;

    (void)state;
    (void)capture(text, sizeof text, log_job_json);
    for (int i = 0; i < 4; i++) {
        line = strsep(&rest, "\n");
        assert_true(strlen(line) <= 2048);
        assert_ok(cz_json_parse(&docs[i], &roots[i], line, strlen(line)));
    }
    assert_string_equal(rest, "");
    expect_member(roots[0], "level", "warn");
    expect_member(roots[0], "message", "plain \"x\"");
    assert_fails(cz_json_get(roots[0], "job_id", &absent), CZ_E_NOTFOUND, "job_id");
    expect_member(roots[1], "level", "error");
    expect_member(roots[1], "job_id", "0f3c");
    expect_member(roots[1], "request_id", "a\"b\\c\nd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect_member(roots[1], "proof_kind", "porep");
    expect_member(roots[1], "message", "partition 3: wrong\n");
    assert_ok(cz_json_get(roots[2], "message", &absent));
    for (int i = 0; i < 4; i++)
        cz_json_destroy(docs[i]);
}

static void log_journal(void)
{
    struct stat st;
    char stream[64];

    assert_int_equal(fstat(STDERR_FILENO, &st), 0);
    (void)snprintf(stream, sizeof stream, "%llu:%llu", (unsigned long long)st.st_dev,
                   (unsigned long long)st.st_ino);
    assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
    assert_ok(cz_log_configure("debug", "text"));
    cz_log(CZ_LOG_DEBUG, "below");
    cz_log_job(CZ_LOG_ERROR, "0f3c", "r", "snap", "bad");
    assert_int_equal(setenv("JOURNAL_STREAM", "1:2", 1), 0); /* redirected elsewhere */
    assert_ok(cz_log_configure("info", "text"));
    cz_log(CZ_LOG_INFO, "plain");
    assert_int_equal(unsetenv("JOURNAL_STREAM"), 0);
}

static void test_the_journal_gets_levels_and_no_time(void **state)
{
    char text[1024];

    (void)state;
    (void)capture(text, sizeof text, log_journal);
    assert_int_equal(strncmp(text, "<7>below\n<3>job 0f3c (r, snap): bad\n2", 37), 0);
    assert_non_null(strstr(text, "Z INFO  plain\n"));
}

static void test_settings_are_checked_before_they_act(void **state)
{
    (void)state;
    assert_ok(cz_log_configure("trace", "text"));
    assert_int_equal(cz_log_get_level(), CZ_LOG_DEBUG);
    assert_fails(cz_log_configure("error", "xml"), CZ_E_INPUT, "log format 'xml'");
    assert_int_equal(cz_log_get_level(), CZ_LOG_DEBUG);
    assert_fails(cz_log_configure("loud", "text"), CZ_E_INPUT, "log level 'loud'");
    assert_ok(cz_log_configure("info", "text"));
}

/* The features that a fresh process sees with CUZK_CPU set: one bit each. */
static int features_under(const char *cap)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        int bits = 0;

        (void)setenv("CUZK_CPU", cap, 1);
        for (int f = 0; f < CZ_CPU_FEATURE_COUNT; f++)
            bits |= cz_cpu_has((cz_cpu_feature)f) << f;
        _exit(bits);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_the_environment_caps_cpu_features(void **state)
{
    int all = features_under("ifma");

    (void)state;
    assert_int_equal(features_under("portable"), 0);
    assert_int_equal(features_under("adx"), all & ~(1 << CZ_CPU_AVX512IFMA));
    assert_int_equal(features_under("nonsense"), all);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_levels_filter_lines),
    cmocka_unit_test(test_long_lines_are_cut),
    cmocka_unit_test(test_errno_is_kept),
    cmocka_unit_test(test_level_names_are_parsed),
    cmocka_unit_test(test_a_message_stays_one_line),
    cmocka_unit_test(test_no_control_is_left_among_the_higher_characters),
    cmocka_unit_test(test_a_job_line_names_the_job),
    cmocka_unit_test(test_json_lines_are_json),
    cmocka_unit_test(test_the_journal_gets_levels_and_no_time),
    cmocka_unit_test(test_settings_are_checked_before_they_act),
    cmocka_unit_test(test_the_environment_caps_cpu_features),
};

CZ_TEST_MAIN(cases)
