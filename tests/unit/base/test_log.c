/* Log lines and CPU features. */
#define _GNU_SOURCE
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
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

static void log_long(void)
{
    char body[5000];

    memset(body, 'y', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    errno = EBADF;
    cz_log(CZ_LOG_ERROR, "%s", body);
}

static void test_long_lines_are_cut_and_errno_kept(void **state)
{
    char text[8192];
    size_t n = 0;

    (void)state;
    n = capture(text, sizeof text, log_long);
    assert_true(n > 1000 && n <= 2048);
    assert_int_equal(text[n - 1], '\n');
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
    cmocka_unit_test(test_long_lines_are_cut_and_errno_kept),
    cmocka_unit_test(test_level_names_are_parsed),
    cmocka_unit_test(test_the_environment_caps_cpu_features),
};

CZ_TEST_MAIN(cases)
