/* err.h: how every fallible function in cuzk reports failure.
 *
 * A function that can fail returns a cz_err and is marked CZ_MUST_CHECK. The place that discovers
 * the failure calls cz_fail(), which stores a human sentence in this thread's error record; callers
 * pass the code on with CZ_TRY, or add where they were with CZ_TRY_IN, so that the final message
 * reads "partition 3: challenge 2: comm_d path: 4 elements, expected 6". A caller's mistake (a
 * broken contract) is CZ_ASSERT, never a code. Field and curve arithmetic cannot fail and returns
 * void.
 *
 * Threads: the record belongs to the calling thread; thread pools copy it back to the caller. */
#ifndef CZ_BASE_ERR_H
#define CZ_BASE_ERR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers are pinned: they reach logs, exit codes and the wire. */
#define CZ_ERR_MAP(X)                                                                              \
    X(CZ_OK, 0, "success")                                                                         \
    X(CZ_E_ARG, 1, "the caller broke the function's contract")                                     \
    X(CZ_E_INPUT, 2, "bytes from outside are malformed")                                           \
    X(CZ_E_NOMEM, 3, "host, pinned or device memory is short")                                     \
    X(CZ_E_IO, 4, "a file or socket failed")                                                       \
    X(CZ_E_CUDA, 5, "a CUDA call failed; the device is suspect")                                   \
    X(CZ_E_NODEV, 6, "no such device on this machine")                                             \
    X(CZ_E_DECLINED, 7, "this backend does not take this shape")                                   \
    X(CZ_E_CANCELLED, 8, "the job was cancelled")                                                  \
    X(CZ_E_INTERNAL, 9, "a bug in this library")                                                   \
    X(CZ_E_UNSUPPORTED, 10, "known, but not supported by this build")                              \
    X(CZ_E_UNSATISFIED, 11, "the witness does not satisfy the circuit")                            \
    X(CZ_E_VERIFY, 12, "a proof does not verify")                                                  \
    X(CZ_E_NOTFOUND, 13, "something that was asked for does not exist")

typedef enum {
#define CZ_ERR_ENUM(name, number, text) name = (number),
    CZ_ERR_MAP(CZ_ERR_ENUM)
#undef CZ_ERR_ENUM
} cz_err;

#define CZ_MUST_CHECK                   __attribute__((warn_unused_result))
#define CZ_PRINTF(fmt_index, first_arg) __attribute__((format(printf, fmt_index, first_arg)))

/** Short text of a code, e.g. "bytes from outside are malformed". Never NULL. */
const char *cz_err_text(cz_err code);

/** Record why this thread failed and return `code`. The message replaces an earlier one.
 * `code` must not be CZ_OK. Messages longer than 1 KiB are cut. */
cz_err cz_fail(cz_err code, const char *fmt, ...) CZ_PRINTF(2, 3);

/** Put "<prefix>: " before this thread's message and return `code` unchanged. */
cz_err cz_fail_in(cz_err code, const char *fmt, ...) CZ_PRINTF(2, 3);

/** Note a source position in this thread's trace (used by CZ_TRY) and return `code`. */
cz_err cz_err_at(cz_err code, const char *file, int line, const char *what);

/** This thread's last message; "" when there is none. Valid until the thread's next failure. */
const char *cz_err_message(void);

/** Forget the message and the trace. */
void cz_err_reset(void);

/** Take over a message from another thread (thread pools, queues). */
void cz_err_adopt(const char *text);

#ifdef __clang_analyzer__
/* The static analyzer sees one file at a time: tell it that these give back their code. */
#define cz_fail(code, ...)                ((void)cz_fail(code, __VA_ARGS__), (code))
#define cz_fail_in(code, ...)             ((void)cz_fail_in(code, __VA_ARGS__), (code))
#define cz_err_at(code, file, line, what) ((void)cz_err_at(code, file, line, what), (code))
#endif

/** Leave the function early on failure; the position goes to the thread's trace. */
#define CZ_TRY(expr)                                                                               \
    do {                                                                                           \
        cz_err cz_try_e_ = (expr);                                                                 \
        if (cz_try_e_ != CZ_OK)                                                                    \
            return cz_err_at(cz_try_e_, __FILE__, __LINE__, #expr);                                \
    } while (0)

/** As CZ_TRY, with a prefix that says where in the input or the work we were. */
#define CZ_TRY_IN(expr, ...)                                                                       \
    do {                                                                                           \
        cz_err cz_try_e_ = (expr);                                                                 \
        if (cz_try_e_ != CZ_OK)                                                                    \
            return cz_fail_in(cz_try_e_, __VA_ARGS__);                                             \
    } while (0)

/** As CZ_TRY inside a function that releases resources at a `done:` label and returns `err`. */
#define CZ_TRY_GOTO(err, expr)                                                                     \
    do {                                                                                           \
        (err) = (expr);                                                                            \
        if ((err) != CZ_OK) {                                                                      \
            (void)cz_err_at((err), __FILE__, __LINE__, #expr);                                     \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* CZ_ASSERT guards contracts. It is on in the verify, asan, tsan and fuzz presets (CZ_VERIFY). */
#ifdef CZ_VERIFY
__attribute__((noreturn)) void cz_assert_failed(const char *file, int line, const char *what);
#define CZ_ASSERT(cond) ((cond) ? (void)0 : cz_assert_failed(__FILE__, __LINE__, #cond))
#else
#define CZ_ASSERT(cond) ((void)sizeof(!(cond)))
#endif

#ifdef __cplusplus
}
#endif
#endif
