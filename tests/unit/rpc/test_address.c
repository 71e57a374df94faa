/* Addresses: every form that people write, and what is refused. */
#define _GNU_SOURCE /* setenv */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "rpc/address.h"

static void expect(const char *written, const char *text, const char *target)
{
    char grpc[CZ_ADDRESS_BYTES];
    cz_address a;

    assert_ok(cz_address_parse(&a, written));
    assert_string_equal(a.text, text);
    cz_address_target(&a, grpc);
    assert_string_equal(grpc, target);
}

static void every_form_is_understood(void **state)
{
    (void)state;
    expect("unix:///run/curio/cuzk.sock", "unix:///run/curio/cuzk.sock",
           "unix:/run/curio/cuzk.sock");
    expect("unix:/a/b", "unix:///a/b", "unix:/a/b");
    expect("unix:here.sock", "unix:here.sock", "unix:here.sock");
    expect("127.0.0.1:9820", "127.0.0.1:9820", "127.0.0.1:9820");
    expect("http://prover-1.lan:9820", "prover-1.lan:9820", "prover-1.lan:9820");
    expect("[::1]:9820", "[::1]:9820", "[::1]:9820");
    expect(":9820", ":9820", "[::]:9820");
    expect("0.0.0.0:0", "0.0.0.0:0", "0.0.0.0:0");
}

static void what_is_wrong_is_said(void **state)
{
    char longest[200];
    cz_address a;

    (void)state;
    assert_fails(cz_address_parse(&a, "localhost"), CZ_E_INPUT, "no port");
    assert_fails(cz_address_parse(&a, "localhost:http"), CZ_E_INPUT, "'http' is no port");
    assert_fails(cz_address_parse(&a, "localhost:65536"), CZ_E_INPUT, "no port");
    assert_fails(cz_address_parse(&a, "localhost:-1"), CZ_E_INPUT, "no port");
    assert_fails(cz_address_parse(&a, "::1:9820"), CZ_E_INPUT, "brackets");
    assert_fails(cz_address_parse(&a, "[::1]"), CZ_E_INPUT, "no port");
    assert_fails(cz_address_parse(&a, "[::1:9820"), CZ_E_INPUT, "no port");
    assert_fails(cz_address_parse(&a, "a b:9820"), CZ_E_INPUT, "no host");
    assert_fails(cz_address_parse(&a, "unix:"), CZ_E_INPUT, "path is missing");
    assert_fails(cz_address_parse(&a, "unix://run/x"), CZ_E_INPUT, "unix:///absolute");
    assert_fails(cz_address_parse(&a, "/run/cuzk.sock"), CZ_E_INPUT, "unix:///path");
    assert_fails(cz_address_parse(&a, "https://host:1"), CZ_E_INPUT, "host:port or unix");
    (void)memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    (void)memcpy(longest, "unix:", 5);
    assert_fails(cz_address_parse(&a, longest), CZ_E_INPUT, "107 characters");
}

static void the_usual_socket_is_the_users(void **state)
{
    cz_address a;

    (void)state;
    assert_int_equal(setenv("HOME", "/users/u", 1), 0);
    assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
    assert_int_equal(unsetenv("RUNTIME_DIRECTORY"), 0);
    assert_ok(cz_address_parse(&a, "auto"));
    assert_string_equal(a.path, "/users/u/.cache/cuzk/cuzk.sock");
    assert_int_equal(setenv("XDG_RUNTIME_DIR", "/run/user/7", 1), 0);
    assert_ok(cz_address_parse(&a, ""));
    assert_string_equal(a.path, "/run/user/7/cuzk.sock");
    assert_int_equal(setenv("RUNTIME_DIRECTORY", "/run/cuzk:/run/other", 1), 0);
    assert_ok(cz_address_usual(&a));
    assert_string_equal(a.path, "/run/cuzk/cuzk.sock");
    assert_int_equal(unsetenv("RUNTIME_DIRECTORY"), 0);
    assert_int_equal(setenv("XDG_RUNTIME_DIR", "relative", 1), 0);
    assert_int_equal(unsetenv("HOME"), 0);
    assert_fails(cz_address_usual(&a), CZ_E_INPUT, "give an address");
}

static bool is_local(const char *text)
{
    cz_address a;
    bool local;

    assert_ok(cz_address_parse(&a, text));
    assert_ok(cz_address_is_local(&a, &local));
    return local;
}

static void only_loopback_is_local(void **state)
{
    (void)state;
    assert_true(is_local("unix:/x"));
    assert_true(is_local("127.0.0.1:1"));
    assert_true(is_local("127.8.9.1:1"));
    assert_true(is_local("[::1]:1"));
    assert_false(is_local("0.0.0.0:1"));
    assert_false(is_local("[::]:1"));
    assert_false(is_local(":1"));
    assert_false(is_local("192.0.2.1:1"));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(every_form_is_understood),
    cmocka_unit_test(what_is_wrong_is_said),
    cmocka_unit_test(the_usual_socket_is_the_users),
    cmocka_unit_test(only_loopback_is_local),
};
CZ_TEST_MAIN(cases)
