/* http.c: see http.h. */
#define _GNU_SOURCE
#include "rpc/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/trace.h"
#include "rpc/address.h"
#include "rpc/http_guard.h"
#include "rpc/http_json.h"
#include "rpc/http_page.h"
#include "rpc/metrics.h"

enum { THREADS = 2, PATHS = 6, BACKLOG = 32 };

static const uint64_t fresh_ns = 100000000; /* how long a body is served again */

typedef struct {
    char *text;
    size_t n;
    unsigned code;
} http_body;

typedef struct {
    const char *path, *type;
    cz_err (*make)(cz_http *http, http_body *out);
    bool fixed; /* never changes */
} http_path;

/* The last body of a path. */
typedef struct {
    struct MHD_Response *response; /* NULL: none yet */
    unsigned code;
    uint64_t made_ns;
} http_made;

struct cz_http {
    cz_http_options o;
    cz_engine *engine;
    struct MHD_Daemon *daemon;
    cz_http_guard guard;
    char address[CZ_ADDRESS_BYTES];
    char policy[CZ_HTTP_POLICY_BYTES];
    bool is_local;
    const char *_Atomic not_ready; /* NULL: ready */
    pthread_mutex_t lock;          /* guards made */
    http_made made[PATHS];
};

/* --- bodies --- */

static cz_err copy_body(http_body *out, unsigned code, const char *text, size_t n)
{
    out->text = malloc(n + 1);
    if (out->text == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a reply");
    (void)memcpy(out->text, text, n);
    out->text[n] = '\0';
    out->n = n;
    out->code = code;
    return CZ_OK;
}

static cz_err text_body(http_body *out, unsigned code, const char *text)
{
    return copy_body(out, code, text, strlen(text));
}

static cz_err make_page(cz_http *http, http_body *out)
{
    size_t n;
    const char *page = cz_http_page(&n);

    (void)http;
    return copy_body(out, MHD_HTTP_OK, page, n);
}

static cz_err make_status(cz_http *http, http_body *out)
{
    cz_engine_status *status;
    cz_err err;

    CZ_TRY(cz_engine_status_create(&status, http->engine));
    err = cz_http_status_json(status, &out->text, &out->n);
    cz_engine_status_destroy(status);
    return err;
}

/* NULL: it accepts jobs. */
static const char *why_not_ready(cz_http *http, const cz_engine_status *s)
{
    const char *why_not = atomic_load(&http->not_ready);

    if (s->draining)
        return "draining";
    if (why_not != NULL)
        return why_not;
    return s->journal_error[0] != '\0' ? s->journal_error : NULL;
}

static cz_err make_state(cz_http *http, http_body *out)
{
    cz_http_about about = {.version = http->o.version};
    cz_recent_job *recent = calloc(CZ_RECENT_JOBS, sizeof *recent);
    cz_engine_status *status = NULL;
    cz_err err;

    if (recent == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a reply");
    CZ_TRY_GOTO(err, cz_engine_status_create(&status, http->engine));
    about.not_ready = why_not_ready(http, status);
    err = cz_http_state_json(status, recent, cz_engine_recent(http->engine, recent, CZ_RECENT_JOBS),
                             &about, &out->text, &out->n);
done:
    cz_engine_status_destroy(status);
    free(recent);
    return err;
}

static cz_err make_metrics(cz_http *http, http_body *out)
{
    return cz_metrics_text(http->engine, &out->text, &out->n);
}

static cz_err make_health(cz_http *http, http_body *out)
{
    cz_engine_status *status;

    CZ_TRY(cz_engine_status_create(&status, http->engine));
    cz_engine_status_destroy(status);
    return text_body(out, MHD_HTTP_OK, "ok\n");
}

static cz_err make_ready(cz_http *http, http_body *out)
{
    char line[CZ_JOURNAL_WHY_BYTES + 32] = "ready\n";
    unsigned code = MHD_HTTP_OK;
    cz_engine_status *status;
    const char *why_not;

    CZ_TRY(cz_engine_status_create(&status, http->engine));
    why_not = why_not_ready(http, status);
    if (why_not != NULL) {
        (void)snprintf(line, sizeof line, "not ready: %s\n", why_not);
        code = MHD_HTTP_SERVICE_UNAVAILABLE;
    }
    cz_engine_status_destroy(status);
    return text_body(out, code, line);
}

#define TYPE_HTML "text/html; charset=utf-8"
#define TYPE_JSON "application/json"
#define TYPE_TEXT "text/plain; charset=utf-8"

static const http_path paths[PATHS] = {
    {"/", TYPE_HTML, make_page, true},
    {"/status", TYPE_JSON, make_status, false},
    {"/api/state", TYPE_JSON, make_state, false},
    {"/metrics", CZ_METRICS_TYPE, make_metrics, false},
    {"/healthz", TYPE_TEXT, make_health, false},
    {"/readyz", TYPE_TEXT, make_ready, false},
};

/* --- replies --- */

static void add_headers(const cz_http *http, struct MHD_Response *r, const char *type)
{
    const struct {
        const char *name, *value;
    } headers[] = {
        {MHD_HTTP_HEADER_CONTENT_TYPE, type},
        {MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy", http->policy},
    };

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        (void)MHD_add_response_header(r, headers[i].name, headers[i].value);
}

static enum MHD_Result refuse(const cz_http *http, struct MHD_Connection *c, unsigned code,
                              const char *text)
{
    struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                             MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result;

    if (r == NULL)
        return MHD_NO;
    add_headers(http, r, TYPE_TEXT);
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
        (void)MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    result = MHD_queue_response(c, code, r);
    MHD_destroy_response(r);
    return result;
}

/* With the lock. NULL when memory is short. */
static http_made *make_fresh(cz_http *http, size_t i)
{
    http_made *made = &http->made[i];
    http_body body = {.code = MHD_HTTP_OK};
    struct MHD_Response *r;

    if (made->response != NULL && (paths[i].fixed || cz_clock_ns() - made->made_ns < fresh_ns))
        return made;
    if (paths[i].make(http, &body) != CZ_OK) {
        cz_log(CZ_LOG_WARN, "HTTP %s: %s", paths[i].path, cz_err_message());
        return NULL;
    }
    r = MHD_create_response_from_buffer(body.n, body.text, MHD_RESPMEM_MUST_FREE);
    if (r == NULL) {
        free(body.text);
        return NULL;
    }
    add_headers(http, r, paths[i].type);
    if (made->response != NULL)
        MHD_destroy_response(made->response); /* lives on where it is being sent */
    *made = (http_made){r, body.code, cz_clock_ns()};
    return made;
}

static enum MHD_Result reply(cz_http *http, struct MHD_Connection *c, size_t i)
{
    enum MHD_Result result = MHD_NO;
    const http_made *made;

    (void)pthread_mutex_lock(&http->lock);
    made = make_fresh(http, i);
    if (made != NULL)
        result = MHD_queue_response(c, made->code, made->response);
    (void)pthread_mutex_unlock(&http->lock);
    if (made == NULL)
        return refuse(http, c, MHD_HTTP_SERVICE_UNAVAILABLE, "memory is short\n");
    return result;
}

/* --- requests --- */

/* A Host header that names this machine to itself: "localhost:9821", "127.0.0.1", "[::1]:9821". */
static bool is_local_name(const char *host)
{
    const bool bracket = host[0] == '[';
    const size_t n = bracket ? strcspn(host + 1, "]") : strcspn(host, ":");
    struct in_addr v4;
    struct in6_addr v6;
    char name[64];

    if (n >= sizeof name)
        return false;
    (void)memcpy(name, host + bracket, n);
    name[n] = '\0';
    if (bracket)
        return inet_pton(AF_INET6, name, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
    return strcasecmp(name, "localhost") == 0 ||
           (inet_pton(AF_INET, name, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127);
}

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static bool has_body(struct MHD_Connection *c)
{
    const char *length = header(c, MHD_HTTP_HEADER_CONTENT_LENGTH);

    return header(c, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL ||
           (length != NULL && strcmp(length, "0") != 0);
}

static bool is_foreign(const cz_http *http, struct MHD_Connection *c)
{
    const char *host = header(c, MHD_HTTP_HEADER_HOST);

    return http->is_local && host != NULL && !is_local_name(host);
}

/* Called when the headers are there, and once more for the reply. */
static enum MHD_Result answer(void *ctx, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **seen)
{
    cz_http *http = ctx;

    (void)version;
    (void)upload;
    (void)upload_size;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return refuse(http, c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    if (has_body(c))
        return refuse(http, c, MHD_HTTP_BAD_REQUEST, "a request has no body here\n");
    if (is_foreign(http, c))
        return refuse(http, c, MHD_HTTP_MISDIRECTED_REQUEST,
                      "this address serves its own machine, as localhost or 127.0.0.1\n");
    if (*seen == NULL) {
        *seen = http;
        return MHD_YES;
    }
    for (size_t i = 0; i < PATHS; i++)
        if (strcmp(url, paths[i].path) == 0)
            return reply(http, c, i);
    return refuse(http, c, MHD_HTTP_NOT_FOUND,
                  "not found: try / /status /metrics /healthz /readyz /api/state\n");
}

/* --- connections --- */

static enum MHD_Result admit(void *ctx, const struct sockaddr *addr, socklen_t addr_len)
{
    cz_http *http = ctx;

    (void)addr;
    (void)addr_len;
    return cz_http_guard_admits(&http->guard, cz_clock_ns()) ? MHD_YES : MHD_NO;
}

static void note_connection(void *ctx, struct MHD_Connection *c, void **slot,
                            enum MHD_ConnectionNotificationCode what)
{
    cz_http *http = ctx;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*slot != NULL)
            cz_http_guard_leave(&http->guard, *slot);
        return;
    }
    *slot =
        info == NULL ? NULL : cz_http_guard_enter(&http->guard, info->connect_fd, cz_clock_ns());
    if (*slot == NULL && info != NULL)
        (void)shutdown(info->connect_fd, SHUT_RDWR);
}

static void note_answered(void *ctx, struct MHD_Connection *c, void **seen,
                          enum MHD_RequestTerminationCode how)
{
    cz_http *http = ctx;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    (void)seen;
    (void)how;
    if (info != NULL && info->socket_context != NULL)
        cz_http_guard_answered(&http->guard, info->socket_context, cz_clock_ns());
}

static void log_library(void *ctx, const char *fmt, va_list args)
{
    char line[512];

    (void)ctx;
    (void)vsnprintf(line, sizeof line, fmt, args);
    line[strcspn(line, "\n")] = '\0';
    cz_log(CZ_LOG_DEBUG, "HTTP: %s", line);
}

/* --- start --- */

/* The address, and whether only this machine reaches it. */
static cz_err check(const cz_http_options *o, cz_address *address, bool *is_local)
{
    CZ_TRY(cz_address_parse(address, o->listen));
    if (address->is_unix)
        return cz_fail(CZ_E_INPUT, "%s: HTTP needs a host:port", o->listen);
    CZ_TRY(cz_address_is_local(address, is_local));
    if (!*is_local && !o->insecure)
        return cz_fail(CZ_E_INPUT,
                       "%s can be reached by other machines, and the status pages have no login: "
                       "listen on 127.0.0.1 (behind a proxy, or through ssh -L), or set "
                       "daemon.insecure = true",
                       address->text);
    return CZ_OK;
}

cz_err cz_http_check(const cz_http_options *options)
{
    cz_address address;
    bool is_local;

    return check(options, &address, &is_local);
}

static void write_address(cz_http *http, int fd)
{
    struct sockaddr_storage a = {0};
    socklen_t len = sizeof a;
    char host[128] = "?", port[16] = "?";

    (void)getsockname(fd, (struct sockaddr *)&a, &len);
    (void)getnameinfo((const struct sockaddr *)&a, len, host, sizeof host, port, sizeof port,
                      NI_NUMERICHOST | NI_NUMERICSERV);
    (void)snprintf(http->address, sizeof http->address,
                   a.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

static cz_err bind_to(int *out, const struct addrinfo *to, const char *text)
{
    const int yes = 1;
    int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    cz_err err = CZ_OK;

    if (fd < 0)
        return cz_fail(CZ_E_IO, "%s: no socket: %s", text, strerror(errno));
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, to->ai_addr, to->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0)
        err =
            cz_fail(errno == EADDRINUSE ? CZ_E_DECLINED : CZ_E_IO, "%s: %s", text, strerror(errno));
    if (err != CZ_OK)
        (void)close(fd);
    else
        *out = fd;
    return err;
}

static cz_err open_socket(int *out, const cz_address *a)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found;
    char port[16];
    cz_err err;
    int rc;

    (void)snprintf(port, sizeof port, "%u", a->port);
    rc = getaddrinfo(a->host[0] == '\0' ? NULL : a->host, port, &hints, &found);
    if (rc != 0)
        return cz_fail(CZ_E_INPUT, "%s: %s", a->text, gai_strerror(rc));
    err = bind_to(out, found, a->text);
    freeaddrinfo(found);
    return err;
}

/* Signals stay with the threads of the daemon. */
static struct MHD_Daemon *start_library(cz_http *http, int fd)
{
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_INTERNAL_POLLING_THREAD |
                           MHD_USE_ITC | MHD_USE_ERROR_LOG;
    struct MHD_Daemon *daemon;
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    daemon = MHD_start_daemon(
        flags, 0, admit, http, answer, http, MHD_OPTION_EXTERNAL_LOGGER, log_library, NULL,
        MHD_OPTION_LISTEN_SOCKET, (MHD_socket)fd, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS,
        MHD_OPTION_CONNECTION_LIMIT, 4 * http->o.max_connections, MHD_OPTION_CONNECTION_TIMEOUT,
        http->o.timeout_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)http->o.max_request_bytes,
        MHD_OPTION_NOTIFY_CONNECTION, note_connection, http, MHD_OPTION_NOTIFY_COMPLETED,
        note_answered, http, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return daemon;
}

static cz_err start(cz_http *http)
{
    const uint64_t limit_ns = (uint64_t)http->o.timeout_s * 3 * 1000000000;
    cz_address address;
    const char *page;
    size_t n;
    int fd;

    CZ_TRY(check(&http->o, &address, &http->is_local));
    page = cz_http_page(&n);
    CZ_TRY(cz_http_page_policy(http->policy, page, n));
    CZ_TRY(cz_http_guard_init(&http->guard, http->o.max_connections, limit_ns));
    CZ_TRY(open_socket(&fd, &address));
    write_address(http, fd);
    http->daemon = start_library(http, fd);
    if (http->daemon == NULL) {
        (void)close(fd);
        return cz_fail(CZ_E_IO, "%s: the HTTP server does not start", http->address);
    }
    return CZ_OK;
}

static cz_http_options with_defaults(const cz_http_options *options)
{
    cz_http_options o = *options;

    o.max_connections = o.max_connections == 0 ? 64 : o.max_connections;
    o.timeout_s = o.timeout_s == 0 ? 10 : o.timeout_s;
    o.max_request_bytes = o.max_request_bytes == 0 ? 16384 : o.max_request_bytes;
    return o;
}

cz_err cz_http_start(cz_http **out, const cz_http_options *options, cz_engine *engine)
{
    cz_http *http = calloc(1, sizeof *http);
    cz_err err;

    if (http == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for an HTTP server");
    http->o = with_defaults(options);
    http->engine = engine;
    atomic_init(&http->not_ready, "starting");
    (void)pthread_mutex_init(&http->lock, NULL);
    err = start(http);
    http->o.listen = NULL;
    if (err != CZ_OK) {
        cz_http_stop(http);
        return err;
    }
    *out = http;
    return CZ_OK;
}

const char *cz_http_address(const cz_http *http)
{
    return http->address;
}

void cz_http_set_ready(cz_http *http, const char *why_not)
{
    atomic_store(&http->not_ready, why_not);
}

void cz_http_stop(cz_http *http)
{
    if (http == NULL)
        return;
    if (http->daemon != NULL)
        MHD_stop_daemon(http->daemon);
    for (size_t i = 0; i < PATHS; i++)
        if (http->made[i].response != NULL)
            MHD_destroy_response(http->made[i].response);
    cz_http_guard_clear(&http->guard);
    (void)pthread_mutex_destroy(&http->lock);
    free(http);
}
