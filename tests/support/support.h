/* support.h: what every test program shares: where vectors lie, seeded randomness, running one case
 * by name. */
#ifndef CZ_TESTS_SUPPORT_H
#define CZ_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"

/** Assert CZ_OK; prints the error's message otherwise. */
#define assert_ok(expr) cz_test_assert_ok((expr), #expr, __FILE__, __LINE__)
void cz_test_assert_ok(cz_err err, const char *what, const char *file, int line);

/** Assert that expr fails with `code` and that the message contains `text`. */
#define assert_fails(expr, code, text)                                                             \
    cz_test_assert_fails((expr), (code), (text), #expr, __FILE__, __LINE__)
void cz_test_assert_fails(cz_err err, cz_err code, const char *text, const char *what,
                          const char *file, int line);

/** Path of a file under tests/vectors, in a static ring of buffers. */
const char *cz_vector_path(const char *relative);

/** Path of a file of the third-party vectors that may lie beside the checkout, or NULL: the caller
 * then calls skip(). */
const char *cz_shared_vector_path(const char *relative);

/** Whole file, NUL-terminated; fails the test when it cannot be read. free() it. */
uint8_t *cz_test_read(const char *path, size_t *n);

/** xorshift64* seeded by CZ_TEST_SEED (printed when a program starts; default fixed). Not for
 * secrets. */
uint64_t cz_test_random(void);
void cz_test_random_bytes(uint8_t *out, size_t n);

/** main(): run all cases, or the one named by argv[1] (exit status 2 when there is none of that
 * name). */
#define CZ_TEST_MAIN(cases)                                                                        \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        cz_test_begin(argc, argv, (cases), sizeof(cases) / sizeof *(cases));                       \
        return cmocka_run_group_tests((cases), NULL, NULL);                                        \
    }
void cz_test_begin(int argc, char **argv, const struct CMUnitTest *cases, size_t n);

#endif
