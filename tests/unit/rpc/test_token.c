/* The bearer token is in one place while the server uses it, and in none afterwards. The process
 * searches its own memory; sanitizers' shadows are too large for that. */
#include "../engine/toy_prover.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "rpc/client.h"
#include "rpc/server.h"

enum { SECRET_BYTES = 24, BLOCK_BYTES = 1 << 20, MASK = 0x80 };

/* Nowhere in memory as it is: the search would find it. */
static void make_secret(uint8_t masked[SECRET_BYTES])
{
    cz_test_random_bytes(masked, SECRET_BYTES);
    for (unsigned i = 0; i < SECRET_BYTES; i++)
        masked[i] = (uint8_t)(('a' + masked[i] % 26) | MASK);
}

static void write_secret(const char *path, const uint8_t masked[SECRET_BYTES])
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    uint8_t plain[SECRET_BYTES];

    assert_true(fd >= 0);
    for (unsigned i = 0; i < SECRET_BYTES; i++)
        plain[i] = masked[i] ^ MASK;
    assert_int_equal(write(fd, plain, sizeof plain), SECRET_BYTES);
    cz_secure_zero(plain, sizeof plain);
    (void)close(fd);
}

static bool is_secret(const uint8_t *at, const uint8_t masked[SECRET_BYTES])
{
    for (unsigned i = 0; i < SECRET_BYTES; i++)
        if ((at[i] ^ masked[i]) != MASK)
            return false;
    return true;
}

/* What was read stays in the buffer, which is left out of the search. */
static unsigned count_between(int memory, uintptr_t from, uintptr_t to, uint8_t *buffer,
                              const uint8_t masked[SECRET_BYTES])
{
    unsigned found = 0;

    while (from + SECRET_BYTES <= to) {
        const size_t wanted = to - from < BLOCK_BYTES ? to - from : BLOCK_BYTES;
        const ssize_t n = pread(memory, buffer, wanted, (off_t)from);

        if (n < SECRET_BYTES)
            return found;
        for (ssize_t i = 0; i + SECRET_BYTES <= n; i++)
            found += is_secret(buffer + i, masked);
        from += (size_t)n - SECRET_BYTES + 1;
    }
    return found;
}

/* In all memory that can be written. */
static unsigned count_in_memory(const uint8_t masked[SECRET_BYTES])
{
    uint8_t *buffer =
        mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uintptr_t mine = (uintptr_t)buffer;
    const int memory = open("/proc/self/mem", O_RDONLY);
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned found = 0;
    char line[512];

    assert_true(buffer != MAP_FAILED && memory >= 0);
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        char *at;
        const uintptr_t from = strtoul(line, &at, 16), to = strtoul(at + 1, &at, 16);

        if (strncmp(at, " rw", 3) != 0)
            continue;
        if (mine < from || mine >= to) {
            found += count_between(memory, from, to, buffer, masked);
            continue;
        }
        found += count_between(memory, from, mine, buffer, masked);
        found += count_between(memory, mine + BLOCK_BYTES, to, buffer, masked);
    }
    (void)fclose(maps);
    (void)close(memory);
    (void)munmap(buffer, BLOCK_BYTES);
    return found;
}

typedef struct {
    toy t;
    cz_backend backend;
    cz_engine *e;
    char folder[32], token_file[64], address[64], cert[64], key[64];
    uint8_t secret[SECRET_BYTES]; /* masked */
    cz_rpc_server_options o;
} bench;

static void start(bench *b)
{
    cz_engine_options engine;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#endif
    *b = (bench){0};
    toy_init(&b->t);
    b->backend = toy_backend(&b->t);
    engine = toy_options(&b->t, &b->backend);
    assert_ok(cz_engine_create(&b->e, &engine));
    (void)snprintf(b->folder, sizeof b->folder, "cz-test-secret-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    (void)snprintf(b->token_file, sizeof b->token_file, "%s/token", b->folder);
    (void)snprintf(b->address, sizeof b->address, "unix:%s/s", b->folder);
    b->o = (cz_rpc_server_options){
        .listen = b->address, .token_file = b->token_file, .max_message = 1 << 20};
    make_secret(b->secret);
    write_secret(b->token_file, b->secret);
}

static void finish(bench *b)
{
    cz_engine_destroy(b->e);
    toy_clear(&b->t);
    (void)unlink(b->token_file);
    (void)unlink(b->cert);
    (void)unlink(b->key);
    (void)rmdir(b->folder);
}

static void a_check_leaves_no_token(void **state)
{
    bench b;

    (void)state;
    start(&b);
    assert_int_equal(count_in_memory(b.secret), 0);
    assert_ok(cz_rpc_server_check(&b.o));
    assert_int_equal(count_in_memory(b.secret), 0);
    finish(&b);
}

/* A call that brings none, so that the server's copies are the only ones. */
static void call_without_token(const bench *b)
{
    const cz_rpc_client_options o = {.address = b->address};
    const Cuzk__V1__GetStatusRequest m = CUZK__V1__GET_STATUS_REQUEST__INIT;
    ProtobufCMessage *reply;
    cz_rpc_client *client;

    assert_ok(cz_rpc_client_create(&client, &o));
    assert_fails(cz_rpc_call(client, "GetStatus", &m.base, &reply, 20000, NULL), CZ_E_DECLINED,
                 "UNAUTHENTICATED");
    cz_rpc_client_destroy(client);
}

static void a_server_has_one_copy_until_its_end(void **state)
{
    cz_rpc_server *server;
    bench b;

    (void)state;
    start(&b);
    assert_ok(cz_rpc_server_create(&server, &b.o, b.e));
    assert_ok(cz_rpc_server_start(server));
    assert_int_equal(count_in_memory(b.secret), 1);
    call_without_token(&b);
    assert_int_equal(count_in_memory(b.secret), 1);
    cz_rpc_server_destroy(server);
    assert_int_equal(count_in_memory(b.secret), 0);
    finish(&b);
}

static void make_certificate(bench *b)
{
    char command[400];

    (void)snprintf(b->cert, sizeof b->cert, "%s/cert.pem", b->folder);
    (void)snprintf(b->key, sizeof b->key, "%s/key.pem", b->folder);
    (void)snprintf(command, sizeof command,
                   "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
                   "-subj /CN=cuzk -out %s -keyout %s 2>/dev/null",
                   b->cert, b->key);
    if (system(command) != 0) { /* NOLINT(cert-env33-c): our own folder */
        finish(b);
        skip();
    }
}

/* Deep in the stack, so that what it leaves there is not written over by the next calls. */
static __attribute__((noinline)) cz_err reread_below(cz_rpc_server *server,
                                                     const cz_rpc_server_options *o)
{
    volatile uint8_t room[1 << 16];
    cz_err err;

    room[0] = 0;
    err = cz_rpc_server_reread(server, o);
    room[sizeof room - 1] = (uint8_t)err;
    return err;
}

static void a_token_that_is_not_taken_leaves_no_copy(void **state)
{
    uint8_t fresh[SECRET_BYTES];
    cz_rpc_server *server;
    bench b;

    (void)state;
    start(&b);
    make_certificate(&b);
    b.o.listen = "127.0.0.1:0";
    b.o.tls_cert = b.cert;
    b.o.tls_key = b.key;
    assert_ok(cz_rpc_server_create(&server, &b.o, b.e));
    make_secret(fresh);
    write_secret(b.token_file, fresh);
    b.o.tls_cert = "/nowhere/cert.pem";
    assert_fails(reread_below(server, &b.o), CZ_E_NOTFOUND, "cert.pem");
    assert_int_equal(count_in_memory(fresh), 0);
    assert_int_equal(count_in_memory(b.secret), 1);
    cz_rpc_server_destroy(server);
    finish(&b);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(a_check_leaves_no_token),
    cmocka_unit_test(a_server_has_one_copy_until_its_end),
    cmocka_unit_test(a_token_that_is_not_taken_leaves_no_copy),
};
CZ_TEST_MAIN(cases)
