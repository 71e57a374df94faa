/* The HTTP server over real sockets: its pages, what it refuses, and clients that are slow. */
#include "../engine/toy_prover.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "rpc/http.h"
#include "rpc/http_guard.h"
#include "rpc/http_page.h"

enum { REPLY_BYTES = 1 << 17 };

typedef struct {
    toy t;
    cz_backend backend;
    cz_engine *e;
    cz_http *http;
    unsigned port;
    char reply[REPLY_BYTES];
} bench;

static bench b; /* large */

/* NULL: without one. */
static void begin_with_journal(const cz_http_options *options, cz_journal *journal)
{
    cz_http_options o = options == NULL ? (cz_http_options){0} : *options;
    cz_engine_options eo;

    toy_init(&b.t);
    b.backend = toy_backend(&b.t);
    eo = toy_options(&b.t, &b.backend);
    eo.journal = journal;
    assert_ok(cz_engine_create(&b.e, &eo));
    assert_ok(cz_engine_start(b.e));
    o.listen = o.listen == NULL ? "127.0.0.1:0" : o.listen;
    o.version = "1.2.3";
    assert_ok(cz_http_start(&b.http, &o, b.e));
    b.port = (unsigned)strtoul(strrchr(cz_http_address(b.http), ':') + 1, NULL, 10);
    assert_true(b.port > 0);
}

static void begin(const cz_http_options *options)
{
    begin_with_journal(options, NULL);
}

static void finish(void)
{
    cz_http_stop(b.http);
    cz_engine_destroy(b.e);
    toy_assert_clean(&b.t);
    toy_clear(&b.t);
}

/* --- a client --- */

static int dial(void)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)b.port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void say(int fd, const char *bytes, size_t n)
{
    assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), n);
}

/* Until the server closes, at most so long; false when it does not. */
static bool hear_end(int fd, char *out, size_t size, int timeout_ms)
{
    size_t n = 0;

    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ssize_t got;

        if (poll(&p, 1, timeout_ms) != 1)
            return false;
        got = recv(fd, out + n, size - 1 - n, 0);
        n += got > 0 ? (size_t)got : 0;
        out[n] = '\0';
        if (got <= 0)
            return true; /* closed, or reset */
        assert_true(n < size - 1);
    }
}

/* Send these bytes; the reply in b.reply. Gives the status code, 0 for none. */
static unsigned exchange(const char *request, size_t n)
{
    int fd = dial();
    unsigned code = 0;

    say(fd, request, n);
    (void)shutdown(fd, SHUT_WR);
    assert_true(hear_end(fd, b.reply, sizeof b.reply, 5000));
    (void)close(fd);
    if (strncmp(b.reply, "HTTP/1.", 7) == 0)
        code = (unsigned)strtoul(b.reply + 9, NULL, 10);
    return code;
}

static unsigned ask(const char *method, const char *path, const char *headers)
{
    char request[512];
    int n = snprintf(request, sizeof request,
                     "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n", method,
                     path, headers);

    return exchange(request, (size_t)n);
}

static const char *body(void)
{
    const char *at = strstr(b.reply, "\r\n\r\n");

    assert_non_null(at);
    return at + 4;
}

static void expect_header(const char *line)
{
    if (strcasestr(b.reply, line) == NULL)
        fail_msg("no header %s in: %.400s", line, b.reply);
}

/* --- pages --- */

static void every_page_answers(void **state)
{
    static const struct {
        const char *path, *type, *part;
    } pages[] = {
        {"/", "Content-Type: text/html; charset=utf-8", "<title>cuzk</title>"},
        {"/status", "Content-Type: application/json", "\"gpu_workers\":[{"},
        {"/status?x=1", "Content-Type: application/json", "\"buffers\":{"},
        {"/api/state", "Content-Type: application/json", "\"version\":\"1.2.3\""},
        {"/metrics", "Content-Type: text/plain; version=0.0.4", "# TYPE cuzk_queue_depth gauge"},
        {"/healthz", "Content-Type: text/plain", "ok\n"},
    };
    cz_json_doc *doc;
    cz_json root;

    (void)state;
    begin(NULL);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        assert_int_equal(ask("GET", pages[i].path, ""), 200);
        expect_header(pages[i].type);
        expect_header("X-Content-Type-Options: nosniff");
        expect_header("Content-Security-Policy: default-src 'none'");
        assert_null(strcasestr(b.reply, "Access-Control-Allow-Origin"));
        assert_non_null(strstr(body(), pages[i].part));
    }
    assert_int_equal(ask("GET", "/status", ""), 200);
    assert_ok(cz_json_parse(&doc, &root, body(), strlen(body())));
    cz_json_destroy(doc);
    finish();
}

static void head_gives_headers_alone(void **state)
{
    (void)state;
    begin(NULL);
    assert_int_equal(ask("HEAD", "/metrics", ""), 200);
    expect_header("Content-Type: text/plain; version=0.0.4");
    assert_string_equal(body(), "");
    assert_int_equal(ask("HEAD", "/nothing", ""), 404);
    assert_string_equal(body(), "");
    finish();
}

static void readiness_follows_the_daemon(void **state)
{
    (void)state;
    begin(NULL);
    assert_int_equal(ask("GET", "/readyz", ""), 503);
    assert_string_equal(body(), "not ready: starting\n");
    cz_http_set_ready(b.http, NULL);
    toy_sleep_us(120000); /* bodies are kept for 100 ms */
    assert_int_equal(ask("GET", "/readyz", ""), 200);
    cz_engine_drain(b.e);
    toy_sleep_us(120000);
    assert_int_equal(ask("GET", "/readyz", ""), 503);
    assert_string_equal(body(), "not ready: draining\n");
    assert_int_equal(ask("GET", "/healthz", ""), 200);
    finish();
}

/* Asked until it answers so; it is found out within a second, and a body kept for a tenth. */
static void await_readiness(unsigned code)
{
    for (unsigned i = 0; ask("GET", "/readyz", "") != code; i++) {
        assert_true(i < 200);
        toy_sleep_us(100000);
    }
}

static void a_journal_that_cannot_be_written_is_not_ready(void **state)
{
    char folder[] = "cz-test-http-XXXXXX", spool[64], command[64];
    const cz_submit_options so = {0};
    cz_submit_reply reply;
    cz_journal *journal;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(spool, sizeof spool, "%s/spool", folder);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_ok(cz_journal_open(&journal, folder));
    begin_with_journal(NULL, journal);
    cz_http_set_ready(b.http, NULL);
    assert_int_equal(ask("GET", "/readyz", ""), 200);
    assert_int_equal(rmdir(spool), 0);
    assert_fails(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &so, &reply),
                 CZ_E_IO, spool);
    await_readiness(503);
    assert_int_equal(strncmp(body(), "not ready: journal: spool: ", 27), 0);
    assert_int_equal(ask("GET", "/healthz", ""), 200);
    assert_int_equal(ask("GET", "/api/state", ""), 200);
    assert_non_null(strstr(body(), "\"ready\":false"));
    assert_int_equal(mkdir(spool, 0700), 0); /* and nobody sends a job */
    await_readiness(200);
    finish();
    cz_journal_close(journal);
    assert_int_equal(system(command), 0);
}

static void a_job_shows_up(void **state)
{
    cz_submit_reply reply;

    (void)state;
    begin(NULL);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("<script>x</script>", CZ_KIND_POREP, 'A', 3, 0), &reply);
    toy_wait_held(&b.t, 1);
    assert_int_equal(ask("GET", "/status", ""), 200);
    assert_non_null(strstr(body(), reply.job_id));
    assert_non_null(strstr(body(), "\"request_id\":\"<script>x</script>\""));
    assert_non_null(strstr(body(), "\"state\":\"gpu\""));
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'A', 3);
    finish();
}

/* However many ask, the engine is asked ten times a second at most. */
static void a_body_is_served_again_for_a_moment(void **state)
{
    static char first[REPLY_BYTES];
    int tries = 0;

    (void)state;
    begin(NULL);
    do { /* two requests within 100 ms, on a machine that may be busy */
        assert_int_equal(ask("GET", "/api/state", ""), 200);
        (void)strcpy(first, body());
        assert_int_equal(ask("GET", "/api/state", ""), 200);
    } while (strcmp(first, body()) != 0 && ++tries < 100);
    assert_true(tries < 100);
    toy_sleep_us(120000);
    assert_int_equal(ask("GET", "/api/state", ""), 200);
    assert_string_not_equal(first, body());
    finish();
}

/* --- the page's policy --- */

static void the_page_is_whole_in_itself(void **state)
{
    static const char *const unwanted[] = {
        " src=",     "@import",        "innerHTML", "insertAdjacentHTML",
        "outerHTML", "document.write", "eval(",     " onclick="};
    char policy[CZ_HTTP_POLICY_BYTES], text[1 << 16];
    const char *page;
    size_t n;

    (void)state;
    page = cz_http_page(&n);
    assert_true(n > 1000 && n < sizeof text);
    (void)memcpy(text, page, n);
    text[n] = '\0';
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
        assert_null(strstr(text, unwanted[i]));
    assert_ok(cz_http_page_policy(policy, page, n));
    assert_null(strstr(policy, "unsafe"));
    assert_non_null(strstr(policy, "frame-ancestors 'none'"));
}

/* The digest of "x", as openssl gives it. */
static void the_policy_admits_by_digest(void **state)
{
    static const char page[] = "<style>x</style><p><script>x</script>";
    static const char twice[] = "<style>x</style><script>x</script><script>y</script>";
    char policy[CZ_HTTP_POLICY_BYTES];

    (void)state;
    assert_ok(cz_http_page_policy(policy, page, sizeof page - 1));
    assert_non_null(
        strstr(policy, "script-src 'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='"));
    assert_fails(cz_http_page_policy(policy, twice, sizeof twice - 1), CZ_E_INTERNAL, "<script>");
    assert_fails(cz_http_page_policy(policy, page, 20), CZ_E_INTERNAL, "<script>");
}

/* --- what is refused --- */

static void only_reading_is_allowed(void **state)
{
    static const char *const methods[] = {"POST",  "PUT",   "DELETE", "OPTIONS",
                                          "PATCH", "TRACE", "get",    "BREW"};

    (void)state;
    begin(NULL);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        assert_int_equal(ask(methods[i], "/status", ""), 405);
        expect_header("Allow: GET, HEAD");
    }
    assert_int_equal(ask("POST", "/", "Content-Length: 3\r\n\r\nabc"), 405);
    assert_int_equal(ask("POST", "/", "Content-Length: 99999999999\r\nExpect: 100-continue\r\n"),
                     405);
    assert_int_equal(ask("GET", "/", "Content-Length: 3\r\n\r\nabc"), 400);
    assert_int_equal(ask("GET", "/", "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"), 400);
    assert_int_equal(ask("GET", "/status", ""), 200);
    finish();
}

static void unknown_paths_are_not_found(void **state)
{
    static const char *const some[] = {
        "/x",         "/status/", "/statusx", "//status",
        "/../status", "/STATUS",  "/api",     "/%2e%2e/%2e%2e/etc/passwd"};

    (void)state;
    begin(NULL);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        assert_int_equal(ask("GET", some[i], ""), 404);
    finish();
}

/* A page from elsewhere that made its name point to 127.0.0.1 learns nothing. */
static void foreign_names_are_refused(void **state)
{
    static const struct {
        const char *host;
        unsigned code;
    } hosts[] = {
        {"localhost", 200},
        {"LocalHost:9821", 200},
        {"127.0.0.1:80", 200},
        {"127.1.2.3", 200},
        {"[::1]:9821", 200},
        {"evil.example", 421},
        {"10.0.0.1", 421},
        {"localhost.evil.net", 421},
        {"127.0.0.1.evil.net", 421},
        {"[fe80::1]:9821", 421},
        {"", 421},
        {"[::1", 200},
    };
    char request[256];

    (void)state;
    begin(NULL);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        int n = snprintf(request, sizeof request,
                         "GET /healthz HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
                         hosts[i].host);

        assert_int_equal(exchange(request, (size_t)n), hosts[i].code);
    }
    assert_int_equal(exchange("GET /healthz HTTP/1.0\r\n\r\n", 25), 200); /* names none */
    finish();
}

static void addresses_are_checked(void **state)
{
    const char *taken;
    cz_http_options o = {.version = "1"};
    cz_http *second;

    (void)state;
    begin(NULL);
    o.listen = "0.0.0.0:0";
    assert_fails(cz_http_start(&second, &o, b.e), CZ_E_INPUT, "other machines");
    assert_fails(cz_http_check(&o), CZ_E_INPUT, "other machines");
    o.listen = "unix:///tmp/x.sock";
    assert_fails(cz_http_start(&second, &o, b.e), CZ_E_INPUT, "host:port");
    o.listen = "localhost";
    assert_fails(cz_http_start(&second, &o, b.e), CZ_E_INPUT, "localhost");
    taken = cz_http_address(b.http);
    o.listen = taken;
    assert_fails(cz_http_start(&second, &o, b.e), CZ_E_DECLINED, taken);
    o.listen = "0.0.0.0:0";
    o.insecure = true;
    assert_ok(cz_http_check(&o));
    assert_ok(cz_http_start(&second, &o, b.e));
    cz_http_stop(second);
    finish();
}

static void large_requests_are_refused(void **state)
{
    enum { LONG = 100000 };
    char *request = malloc(LONG + 200);
    unsigned code;
    int n;

    (void)state;
    assert_non_null(request);
    begin(NULL);
    n = snprintf(request, 200, "GET /");
    (void)memset(request + n, 'a', LONG);
    (void)strcpy(request + n + LONG, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    code = exchange(request, strlen(request));
    assert_true(code == 414 || code == 0); /* 0: cut while it was still sending */
    n = snprintf(request, 200, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
    (void)memset(request + n, 'a', LONG);
    (void)strcpy(request + n + LONG, "\r\n\r\n");
    code = exchange(request, strlen(request));
    assert_true(code == 431 || code == 0);
    n = snprintf(request, 200, "GET / HTTP/1.1\r\nHost: localhost\r\n");
    for (int i = 0; i < LONG / 10; i++)
        (void)memcpy(request + n + i * 10, "aaaa: b\r\nx", 10);
    code = exchange(request, (size_t)n + LONG);
    assert_true(code == 431 || code == 400 || code == 0);
    assert_int_equal(ask("GET", "/healthz", ""), 200);
    free(request);
    finish();
}

static void garbage_harms_nothing(void **state)
{
    static const char *const some[] = {
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n",
        "\x16\x03\x01\x02\x01",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET /%zz%00%ff HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    };
    const cz_http_options o = {.timeout_s = 1}; /* some leave the server waiting for more */
    uint8_t noise[4096];

    (void)state;
    begin(&o);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        assert_int_not_equal(exchange(some[i], strlen(some[i])), 200);
    for (int i = 0; i < 20; i++) {
        cz_test_random_bytes(noise, sizeof noise);
        assert_int_not_equal(exchange((const char *)noise, sizeof noise), 200);
    }
    assert_int_equal(ask("GET", "/healthz", ""), 200);
    finish();
}

/* --- slow and many clients --- */

static void a_silent_client_is_let_go(void **state)
{
    const cz_http_options o = {.timeout_s = 1};
    int fd;

    (void)state;
    begin(&o);
    fd = dial();
    say(fd, "GET / HT", 8);
    assert_true(hear_end(fd, b.reply, sizeof b.reply, 5000));
    (void)close(fd);
    finish();
}

/* Four clients that drip take all places; when they are overdue, the next one gets in. */
static void dripping_clients_cannot_stay(void **state)
{
    enum { PLACES = 4 };
    const cz_http_options o = {.timeout_s = 1, .max_connections = PLACES};
    const uint64_t begun = cz_clock_ns();
    int slow[PLACES];
    unsigned code = 0;

    (void)state;
    begin(&o);
    for (int i = 0; i < PLACES; i++)
        slow[i] = dial();
    for (int tick = 0; tick < 60 && code != 200; tick++) {
        for (int i = 0; i < PLACES; i++)
            (void)!send(slow[i], "G", 1, MSG_NOSIGNAL);
        toy_sleep_us(100000);
        code = ask("GET", "/healthz", "");
        if (cz_clock_ns() < begun + 1000000000)
            assert_int_equal(code, 0); /* turned away */
    }
    assert_int_equal(code, 200);
    for (int i = 0; i < PLACES; i++)
        (void)close(slow[i]);
    finish();
}

static void the_guard_cuts_what_is_overdue(void **state)
{
    int a[2], c[2];
    char byte;
    cz_http_guard g;
    cz_http_slot *first, *second;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, a), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, c), 0);
    assert_ok(cz_http_guard_init(&g, 2, 100));
    first = cz_http_guard_enter(&g, a[0], 1000);
    second = cz_http_guard_enter(&g, c[0], 1000);
    assert_non_null(first);
    assert_non_null(second);
    assert_false(cz_http_guard_admits(&g, 1050));
    assert_false(cz_http_guard_admits(&g, 999)); /* a clock read before they came cuts nobody */
    assert_int_equal(recv(a[1], &byte, 1, MSG_DONTWAIT), -1);
    cz_http_guard_answered(&g, second, 1090);
    assert_false(cz_http_guard_admits(&g, 1150)); /* the first is cut, but not gone yet */
    assert_int_equal(recv(a[1], &byte, 1, MSG_DONTWAIT), 0);
    assert_int_equal(recv(c[1], &byte, 1, MSG_DONTWAIT), -1);
    cz_http_guard_leave(&g, first);
    assert_true(cz_http_guard_admits(&g, 1160));
    cz_http_guard_leave(&g, second);
    cz_http_guard_clear(&g);
    for (int i = 0; i < 2; i++) {
        (void)close(a[i]);
        (void)close(c[i]);
    }
}

/* Requests on one connection, one after another and all at once. */
static void connections_are_kept(void **state)
{
    static const char one[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    static const char last[] =
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    const char *at;
    int fd, n = 0;

    (void)state;
    begin(NULL);
    fd = dial();
    for (int i = 0; i < 9; i++)
        say(fd, one, sizeof one - 1);
    say(fd, last, sizeof last - 1);
    assert_true(hear_end(fd, b.reply, sizeof b.reply, 5000));
    (void)close(fd);
    for (at = b.reply; (at = strstr(at, "HTTP/1.1 200")) != NULL; at++)
        n++;
    assert_int_equal(n, 10);
    finish();
}

static void *ask_often(void *arg)
{
    static const char request[] =
        "GET /api/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char *reply = malloc(REPLY_BYTES);
    size_t *good = arg;

    assert_non_null(reply);
    for (int i = 0; i < 25; i++) {
        int fd = dial();

        say(fd, request, sizeof request - 1);
        if (hear_end(fd, reply, REPLY_BYTES, 10000))
            *good += strncmp(reply, "HTTP/1.1 200", 12) == 0;
        (void)close(fd);
    }
    free(reply);
    return NULL;
}

static void many_clients_while_the_engine_works(void **state)
{
    enum { CLIENTS = 8 };
    pthread_t clients[CLIENTS];
    size_t good[CLIENTS] = {0};
    cz_submit_reply replies[20];

    (void)state;
    begin(NULL);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&clients[i], NULL, ask_often, &good[i]), 0);
    for (unsigned i = 0; i < 20; i++) {
        char id[16];

        (void)snprintf(id, sizeof id, "r%u", i);
        (void)toy_submit(b.e, toy_request(id, CZ_KIND_POREP, 'A', 4, 0), &replies[i]);
    }
    for (unsigned i = 0; i < 20; i++)
        toy_expect(b.e, replies[i].job_id, 'A', 4);
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(pthread_join(clients[i], NULL), 0);
        assert_int_equal(good[i], 25);
    }
    finish();
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(every_page_answers),
    cmocka_unit_test(head_gives_headers_alone),
    cmocka_unit_test(readiness_follows_the_daemon),
    cmocka_unit_test(a_journal_that_cannot_be_written_is_not_ready),
    cmocka_unit_test(a_job_shows_up),
    cmocka_unit_test(a_body_is_served_again_for_a_moment),
    cmocka_unit_test(the_page_is_whole_in_itself),
    cmocka_unit_test(the_policy_admits_by_digest),
    cmocka_unit_test(only_reading_is_allowed),
    cmocka_unit_test(unknown_paths_are_not_found),
    cmocka_unit_test(foreign_names_are_refused),
    cmocka_unit_test(addresses_are_checked),
    cmocka_unit_test(large_requests_are_refused),
    cmocka_unit_test(garbage_harms_nothing),
    cmocka_unit_test(a_silent_client_is_let_go),
    cmocka_unit_test(dripping_clients_cannot_stay),
    cmocka_unit_test(the_guard_cuts_what_is_overdue),
    cmocka_unit_test(connections_are_kept),
    cmocka_unit_test(many_clients_while_the_engine_works),
};

CZ_TEST_MAIN(cases)
