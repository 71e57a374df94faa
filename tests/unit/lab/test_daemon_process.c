/* A daemon of one's own: that it is ready is heard at once, that it ended too. The daemon is this
 * program, started with --listen. */
#define _GNU_SOURCE
#include "support.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/trace.h"
#include "daemon_process.h"

/* ---- the daemon ---- */

static void say(const char *message)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    (void)snprintf(to.sun_path, sizeof to.sun_path, "%s", getenv("NOTIFY_SOCKET"));
    if (sendto(fd, message, strlen(message), 0, (const struct sockaddr *)&to, sizeof to) < 0)
        _exit(99);
    (void)close(fd);
}

static void leave(int sig)
{
    (void)sig;
    _exit(0);
}

/* What CZ_FAKE_DAEMON says: "ready" says so, after other words; "mute" does not; "ends". */
static void be_daemon(void)
{
    const char *how = getenv("CZ_FAKE_DAEMON");

    (void)signal(SIGTERM, leave);
    if (how != NULL && strcmp(how, "ready") == 0) {
        say("STATUS=not READY=1 yet");
        say("STATUS=listening\nREADY=1");
    }
    if (how != NULL && strcmp(how, "ends") == 0) {
        (void)!write(STDERR_FILENO, "first words\nbad settings\n", 25);
        _exit(2);
    }
    for (;;)
        (void)pause();
}

/* Before main(), which would take the words for names of cases. */
__attribute__((constructor)) static void begin(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--listen") == 0)
        be_daemon();
}

/* ---- cases ---- */

static void start(daemon_process *d, const char *how)
{
    const daemon_order order = {.program = "/proc/self/exe"};

    assert_int_equal(setenv("CZ_FAKE_DAEMON", how, 1), 0);
    assert_ok(daemon_process_start(d, &order));
}

static double seconds_since(uint64_t ns)
{
    return (double)(cz_clock_ns() - ns) / 1e9;
}

static void test_a_daemon_says_that_it_is_ready(void **state)
{
    const uint64_t began = cz_clock_ns();
    char folder[DAEMON_FOLDER_BYTES];
    daemon_process d;

    (void)state;
    start(&d, "ready");
    (void)strcpy(folder, d.folder);
    assert_ok(daemon_process_await(&d, 60000));
    assert_true(seconds_since(began) < 30);
    assert_int_equal(access(folder, F_OK), 0);
    assert_ok(daemon_process_stop(&d));
    assert_int_not_equal(access(folder, F_OK), 0);
    assert_ok(daemon_process_stop(&d)); /* nothing */
}

static void test_a_daemon_that_ends_is_noticed(void **state)
{
    const uint64_t began = cz_clock_ns();
    daemon_process d;

    (void)state;
    start(&d, "ends");
    assert_fails(daemon_process_await(&d, 60000), CZ_E_IO, "status 2: bad settings");
    assert_true(seconds_since(began) < 30);
    assert_ok(daemon_process_stop(&d)); /* nothing */
}

/* Does the process catch SIGTERM? It does not before it has come to that. */
static bool catches_sigterm(pid_t pid)
{
    char path[64], line[256];
    unsigned long long caught = 0;
    FILE *f;

    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "SigCgt:", 7) == 0)
            caught = strtoull(line + 7, NULL, 16);
    (void)fclose(f);
    return (caught >> (SIGTERM - 1) & 1) != 0;
}

static void test_a_daemon_that_says_nothing_is_given_up(void **state)
{
    const uint64_t began = cz_clock_ns();
    daemon_process d;

    (void)state;
    start(&d, "mute");
    while (!catches_sigterm(d.pid) && seconds_since(began) < 60)
        (void)usleep(1000);
    assert_fails(daemon_process_await(&d, 50), CZ_E_IO, "does not say that it is ready");
    assert_ok(daemon_process_stop(&d));
}

static void test_a_program_is_needed(void **state)
{
    const daemon_order order = {.program = "/nowhere/at-all"};
    daemon_process d;

    (void)state;
    assert_fails(daemon_process_start(&d, &order), CZ_E_NOTFOUND, "/nowhere/at-all: no program");
    assert_ok(daemon_process_stop(&d));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_a_daemon_says_that_it_is_ready),
    cmocka_unit_test(test_a_daemon_that_ends_is_noticed),
    cmocka_unit_test(test_a_daemon_that_says_nothing_is_given_up),
    cmocka_unit_test(test_a_program_is_needed),
};

CZ_TEST_MAIN(cases)
