/* time_case.h: what `cuzk-bench time` measures: one operation at one size.
 *
 * To add an operation: a create function in a file time_*.c, a row in time_case.c. */
#ifndef CZ_BENCH_TIME_CASE_H
#define CZ_BENCH_TIME_CASE_H

#include "args.h"
#include "base/limits.h"
#include "base/pool.h"
#include "base/trace.h"
#include "filecoin/job.h"

/* What one run moves and computes, by the operation's own account: multiplications that its method
 * needs, and bytes that it would move if no cache held anything. */
typedef struct {
    const char *form; /* "ifma": who computed it */
    const char *item; /* "point"; items of them a run */
    double items;
    double bytes;         /* 0: not counted */
    double multiply_adds; /* eight-lane ones; 0 when the form uses none, or they are not counted */
    double products;      /* 64 x 64 bits; likewise */
} time_cost;

typedef struct time_case time_case;
struct time_case {
    time_cost cost;
    cz_pool *pool;
    cz_err (*prepare)(time_case *c); /* before each run, not timed; may be NULL */
    cz_err (*run)(time_case *c);
    cz_err (*check)(time_case *c); /* the last run's result against the reference; may be NULL when
                                      `run` itself verifies */
    void (*destroy)(time_case *c);
};

/* A case as the command line names it: words between colons, and where proofs find their things. */
enum { TIME_MAX_WORDS = 5 };
typedef struct {
    const char *text;
    const char *words[TIME_MAX_WORDS]; /* without the backend; NULL where there is none */
    unsigned n_words;
    const char *folder, *request; /* of proofs; may be NULL */
    cz_pool *pool;
} time_order;

/** The case that an order names. CZ_E_INPUT says what is wrong with it; destroy what you get. */
CZ_MUST_CHECK cz_err time_case_create(time_case **out, const time_order *order);
void time_case_destroy(time_case *c);

/* For the help. */
#define TIME_CASES_HELP                                                                            \
    "  msm:g1|g2:2^K           sum of 2^K points with full-width scalars\n"                        \
    "  bitsum:g1|g2:2^K        sum of the points, of 2^K, whose random bit is set\n"               \
    "  fixed:g1|g2:2^K         2^K multiples of one point\n"                                       \
    "  ntt:2^K                 one transform, natural order in and out\n"                          \
    "  quotient:2^K            h of a proof from the values of a, b and c\n"                       \
    "  fr|fp:mul|sqr|inv[:2^K] operations of a field, each after the other (default 2^14)\n"       \
    "  pairing[:2^K]           pairings (default 2^6)\n"                                           \
    "  subgroup:g1|g2[:2^K]    are points in the subgroup? (default 2^6)\n"                        \
    "  poseidon[:ARITY[:2^K]]  2^K permutations (default 8, 2^12)\n"                               \
    "  poseidon-witness[:…]    the same with the circuit's witness\n"                            \
    "  sha256[:2^K]            one message of 2^K bytes (default 2^24)\n"                          \
    "  trace[:2^K]             2^K phases recorded, by one thread (default 2^12)\n"                \
    "  CIRCUIT:witness         the bit witness of a request's first partition\n"                   \
    "  CIRCUIT:device-witness  the witness of a window PoSt, made on a device\n"                   \
    "  CIRCUIT:evaluate        its a, b, c, in slices\n"                                           \
    "  CIRCUIT:prove           all partitions of a request, parameters open, each verified"

/** "2^20" or "1048576", as the log. CZ_E_INPUT. */
CZ_MUST_CHECK cz_err time_parse_log2(unsigned *out, const char *text, unsigned least,
                                     unsigned most);

/* The rows of time_case.c. */
cz_err time_msm_create(time_case **out, const time_order *order);
cz_err time_ntt_create(time_case **out, const time_order *order);
cz_err time_field_create(time_case **out, const time_order *order);
cz_err time_curve_create(time_case **out, const time_order *order);
cz_err time_hash_create(time_case **out, const time_order *order);
cz_err time_prove_create(time_case **out, const time_order *order);
cz_err time_circuit_create(time_case **out, const time_order *order);
cz_err time_device_witness_create(time_case **out, const time_order *order);
cz_err time_trace_create(time_case **out, const time_order *order);

/** The job that an order is about: its request's, or a synthetic one. */
CZ_MUST_CHECK cz_err time_open_job(cz_job **out, const time_order *order);

/* Multiplications of the forms, counted in the code: eight-lane multiply-adds for eight results,
 * 64-bit products for one. docs/decisions/010 and 020. */
enum {
    IFMA_FP_MUL = 258,
    IFMA_FP_SQR = 202,
    IFMA_FP2_MUL = 644,
    IFMA_FP2_SQR = 516,
    IFMA_FR_FACTOR = 75, /* a product with a prepared factor */
    IFMA_FR_MUL = 105,   /* of two unprepared elements */
    IFMA_FR_SQR = 85,
    IFMA_FR_TERM = 50,   /* a term of a sum of products */
    IFMA_FR_REDUCE = 55, /* its reduction */
    MULX_FP_MUL = 81,
    MULX_FP_SQR = 66,
    MULX_FR_MUL = 38,
    MULX_FR_SQR = 32,
    MULX_FR_TERM = 16,
    MULX_FR_REDUCE = 20
};

#endif
