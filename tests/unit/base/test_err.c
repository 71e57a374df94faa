/* Error records: messages, prefixes, propagation macros, threads. */
#include "support.h"

#include <pthread.h>
#include <string.h>

#include "base/err.h"

static cz_err inner(cz_err code)
{
    return code == CZ_OK ? CZ_OK : cz_fail(code, "path has %d elements", 4);
}

static cz_err middle(cz_err code)
{
    CZ_TRY(inner(code));
    return CZ_OK;
}

static cz_err outer(cz_err code, int partition)
{
    CZ_TRY_IN(middle(code), "partition %d", partition);
    return CZ_OK;
}

static void test_every_code_has_a_text(void **state)
{
    (void)state;
#define CHECK_TEXT(name, number, text)                                                             \
    assert_int_equal(name, number);                                                                \
    assert_string_equal(cz_err_text(name), text);
    CZ_ERR_MAP(CHECK_TEXT)
#undef CHECK_TEXT
    assert_non_null(cz_err_text((cz_err)9999));
}

static void test_prefixes_are_put_in_front(void **state)
{
    (void)state;
    assert_int_equal(outer(CZ_E_INPUT, 3), CZ_E_INPUT);
    assert_string_equal(cz_err_message(), "partition 3: path has 4 elements");
    assert_ok(outer(CZ_OK, 3));
    cz_err_reset();
    assert_int_equal(cz_fail_in(CZ_E_IO, "partition %d", 4), CZ_E_IO);
    assert_string_equal(cz_err_message(), "partition 4: a file or socket failed");
}

static void test_reset_forgets_the_message(void **state)
{
    (void)state;
    assert_int_equal(inner(CZ_E_IO), CZ_E_IO);
    cz_err_reset();
    assert_string_equal(cz_err_message(), "");
}

static void test_a_failure_without_a_message_names_its_place(void **state)
{
    (void)state;
    cz_err_reset();
    assert_int_equal(cz_err_at(CZ_E_NOMEM, "file.c", 12, "grow(x)"), CZ_E_NOMEM);
    assert_non_null(strstr(cz_err_message(), "file.c:12"));
    assert_non_null(strstr(cz_err_message(), "grow(x)"));
}

static void test_long_messages_are_cut(void **state)
{
    char text[4000];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(cz_fail(CZ_E_INPUT, "%s", text), CZ_E_INPUT);
    assert_true(strlen(cz_err_message()) < 1024);
    assert_int_equal(cz_fail_in(CZ_E_INPUT, "%s", text), CZ_E_INPUT);
    assert_true(strlen(cz_err_message()) < 1024);
}

static cz_err goto_done(cz_err code, int *released)
{
    cz_err err;

    CZ_TRY_GOTO(err, inner(code));
    *released = 1;
done:
    *released += 10;
    return err;
}

static void test_goto_form_reaches_the_release(void **state)
{
    int released = 0;

    (void)state;
    assert_int_equal(goto_done(CZ_E_IO, &released), CZ_E_IO);
    assert_int_equal(released, 10);
    assert_ok(goto_done(CZ_OK, &released));
    assert_int_equal(released, 11);
}

static void *fail_elsewhere(void *arg)
{
    (void)arg;
    (void)!cz_fail(CZ_E_CUDA, "another thread");
    return NULL;
}

static void test_records_belong_to_their_thread(void **state)
{
    pthread_t thread;

    (void)state;
    (void)!cz_fail(CZ_E_INPUT, "mine");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(cz_err_message(), "mine");
    cz_err_adopt("theirs");
    assert_string_equal(cz_err_message(), "theirs");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_every_code_has_a_text),
    cmocka_unit_test(test_prefixes_are_put_in_front),
    cmocka_unit_test(test_reset_forgets_the_message),
    cmocka_unit_test(test_a_failure_without_a_message_names_its_place),
    cmocka_unit_test(test_long_messages_are_cut),
    cmocka_unit_test(test_goto_form_reaches_the_release),
    cmocka_unit_test(test_records_belong_to_their_thread),
};

CZ_TEST_MAIN(cases)
