/* What a process that dies leaves behind. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/core_dump.h"
#include "support.h"

/* As in a shell that has asked for core dumps. */
static void allow_core_dumps(void)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_CORE, &limit), 0);
}

static void test_forbidden_whatever_the_shell_allows(void **state)
{
    struct rlimit limit;

    (void)state;
    allow_core_dumps();
    cz_core_dump_forbid();
    assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
    /* Zero would not keep the kernel from handing the dump to a program. */
    assert_int_equal(limit.rlim_cur, limit.rlim_max < 1 ? 0 : 1);
}

static void test_a_process_leaves_none(void **state)
{
    int status = 0;
    pid_t child;

    (void)state;
    allow_core_dumps();
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)chdir("/");
        cz_core_dump_forbid();
        abort();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_false(WCOREDUMP(status));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_forbidden_whatever_the_shell_allows),
    cmocka_unit_test(test_a_process_leaves_none),
};

CZ_TEST_MAIN(cases)
