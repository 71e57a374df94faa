/* test_digest.c: the R1CS digest against bytes written by hand, its counts, its checkpoints. */
#include "cs/digest.h"

#include "base/bytes.h"
#include "hash/sha256.h"
#include "toy.h"

/* ---- the toy circuit's bytes by the definition, as a stream of its own ---- */

typedef struct {
    uint8_t bytes[2048];
    size_t n;
} stream;

static void put(stream *s, const void *bytes, size_t n)
{
    assert_true(s->n + n <= sizeof s->bytes);
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
}

static void put_le(stream *s, uint64_t v, size_t n)
{
    uint8_t bytes[8];

    cz_store_le64(bytes, v);
    put(s, bytes, n);
}

static void put_term(stream *s, uint8_t tag, uint64_t index, uint8_t coeff)
{
    uint8_t bytes[32] = {coeff};

    put(s, &tag, 1);
    put_le(s, index, 8);
    put(s, bytes, 32);
}

static void put_minus_one(stream *s, uint64_t aux)
{
    uint8_t bytes[32];

    assert_true(cz_hex_decode(
        bytes, 32, "00000000fffffffffe5bfeff02a4bd5305d8a10908d83933487d9d2953a7ed73", 64));
    put(s, "\1", 1);
    put_le(s, aux, 8);
    put(s, bytes, 32);
}

enum { AFTER_THREE = 3, TOY_CONSTRAINTS = 4 };

/* x * x = x2, x2 * x = x3, (5 + 3 x3) * 1 = 5 + 3 out, (1 - bit) * bit = 0 */
static void put_toy_constraints(stream *s, int how_many)
{
    static const uint8_t products[2][3] = {{0, 0, 1}, {1, 0, 2}};

    put(s, "cuzk-r1cs-v1", 12);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            put_le(s, 1, 4);
            put_term(s, 1, products[i][k], 1);
        }
    }
    put_le(s, 2, 4);
    put_term(s, 0, 0, 5);
    put_term(s, 1, 2, 3);
    put_le(s, 1, 4);
    put_term(s, 0, 0, 1);
    put_le(s, 2, 4);
    put_term(s, 0, 0, 5);
    put_term(s, 0, 1, 3);
    if (how_many == AFTER_THREE)
        return;
    put_le(s, 2, 4);
    put_term(s, 0, 0, 1);
    put_minus_one(s, 3);
    put_le(s, 1, 4);
    put_term(s, 1, 3, 1);
    put_le(s, 0, 4);
}

static void toy_digest_by_hand(uint8_t out[32])
{
    stream s = {.n = 0};

    put_toy_constraints(&s, TOY_CONSTRAINTS);
    put_le(&s, 2, 8);
    put_le(&s, 4, 8);
    put_le(&s, 4, 8);
    cz_sha256_of(out, s.bytes, s.n);
}

static void assert_toy_counts(const cz_circuit_stats *stats)
{
    assert_int_equal(stats->inputs, 2);
    assert_int_equal(stats->aux, 4);
    assert_int_equal(stats->constraints, 4);
    assert_int_equal(stats->nnz_a, 6);
    assert_int_equal(stats->nnz_b, 4);
    assert_int_equal(stats->nnz_c, 4);
    assert_int_equal(stats->dens_a_aux, 4);   /* x, x2, x3, bit; not x through 2 x - 2 x alone */
    assert_int_equal(stats->dens_b_input, 1); /* one */
    assert_int_equal(stats->dens_b_aux, 2);   /* x, bit */
}

static void test_toy_digest_is_that_of_the_definition(void **state)
{
    toy_circuit toy = toy_make(3, 27, 1);
    uint8_t want[32];

    (void)state;
    toy_digest_by_hand(want);
    for (unsigned threads = 0; threads < 4; threads++) {
        cz_digest_options options = {.threads = threads};
        cz_circuit_stats stats;

        assert_ok(cz_circuit_digest(&stats, &toy.circuit, &options));
        assert_toy_counts(&stats);
        assert_memory_equal(stats.sha256, want, 32);
    }
}

static void test_count_has_no_digest(void **state)
{
    static const uint8_t zero[32];
    toy_circuit toy = toy_make(3, 27, 1);
    cz_circuit_stats stats;

    (void)state;
    assert_ok(cz_circuit_count(&stats, &toy.circuit));
    assert_toy_counts(&stats);
    assert_memory_equal(stats.sha256, zero, 32);
}

typedef struct {
    unsigned calls;
    uint64_t constraints, inputs, aux;
    char path[64];
    uint8_t sha256[32];
} checkpoint_log;

static void log_checkpoint(void *ctx, uint64_t constraints, uint64_t inputs, uint64_t aux,
                           const char *path, const uint8_t sha256[32])
{
    checkpoint_log *log = ctx;

    log->calls++;
    log->constraints = constraints;
    log->inputs = inputs;
    log->aux = aux;
    assert_true(strlen(path) < sizeof log->path);
    strcpy(log->path, path);
    memcpy(log->sha256, sha256, 32);
}

static void test_checkpoints(void **state)
{
    toy_circuit toy = toy_make(3, 27, 1);
    stream s = {.n = 0};
    uint8_t want[32];

    (void)state;
    put_toy_constraints(&s, AFTER_THREE);
    cz_sha256_of(want, s.bytes, s.n);
    for (unsigned threads = 1; threads <= 2; threads++) {
        checkpoint_log log = {0};
        cz_digest_options options = {
            .threads = threads, .every = 3, .checkpoint = log_checkpoint, .ctx = &log};
        cz_circuit_stats stats;

        assert_ok(cz_circuit_digest(&stats, &toy.circuit, &options));
        assert_int_equal(log.calls, 1);
        assert_int_equal(log.constraints, 3);
        assert_int_equal(log.inputs, 2);
        assert_int_equal(log.aux, 3);
        assert_string_equal(log.path, "equal");
        assert_memory_equal(log.sha256, want, 32);
        toy_digest_by_hand(want); /* a checkpoint must not disturb the digest */
        assert_memory_equal(stats.sha256, want, 32);
        cz_sha256_of(want, s.bytes, s.n);
    }
}

/* ---- a larger circuit: fills the stream's buffers, has long combinations and many coefficients */

typedef struct {
    cz_circuit circuit;
    uint32_t n;    /* constraints */
    cz_sha256 sha; /* what the definition gives, made beside the synthesis */
} wide_circuit;

enum { WIDE_TERMS = 3000 };

static void wide_hash(wide_circuit *w, const cz_lc *lc)
{
    uint8_t bytes[41];

    cz_store_le32(bytes, lc->n);
    cz_sha256_update(&w->sha, bytes, 4);
    for (uint32_t i = 0; i < lc->n; i++) {
        bytes[0] = cz_var_is_aux(lc->terms[i].var) ? 1 : 0;
        cz_store_le64(bytes + 1, cz_var_index(lc->terms[i].var));
        cz_fr_to_le(bytes + 9, &lc->terms[i].coeff);
        cz_sha256_update(&w->sha, bytes, 41);
    }
}

static void wide_synthesize(const cz_circuit *self, cz_cs *cs)
{
    wide_circuit *w = (wide_circuit *)(uintptr_t)self;
    cz_fr square = toy_fr(3);
    cz_lc a, b, c;

    cz_sha256_init(&w->sha);
    cz_sha256_update(&w->sha, "cuzk-r1cs-v1", 12);
    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (uint32_t i = 0; i < WIDE_TERMS; i++)
        (void)cz_cs_alloc(cs, CZ_N("v"), NULL);
    for (uint32_t i = 0; i < w->n; i++) {
        for (uint32_t k = 0; k < WIDE_TERMS; k += i % 3 == 0 ? 1 : 500) {
            cz_fr_sqr(&square, &square);
            cz_lc_add(&a, &square, toy_aux(k));
        }
        cz_lc_add_var(&b, CZ_VAR_ONE);
        cz_lc_sub_var(&c, toy_aux(i));
        cz_cs_enforce(cs, CZ_NU("wide %u", i), &a, &b, &c);
        wide_hash(w, &a);
        wide_hash(w, &b);
        wide_hash(w, &c);
        cz_lc_reset(&a);
        cz_lc_reset(&b);
        cz_lc_reset(&c);
    }
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static void test_long_combinations_and_many_buffers(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        wide_circuit wide = {.circuit = {"wide", wide_synthesize}, .n = 60};
        cz_digest_options options = {.threads = threads};
        cz_circuit_stats stats;
        uint8_t want[32], counts[24];

        assert_ok(cz_circuit_digest(&stats, &wide.circuit, &options));
        cz_store_le64(counts, 1);
        cz_store_le64(counts + 8, WIDE_TERMS);
        cz_store_le64(counts + 16, 60);
        cz_sha256_update(&wide.sha, counts, sizeof counts);
        cz_sha256_final(&wide.sha, want);
        assert_memory_equal(stats.sha256, want, 32);
        assert_int_equal(stats.dens_a_aux, WIDE_TERMS);
    }
}

/* ---- failures are sticky ---- */

static void failing_synthesize(const cz_circuit *self, cz_cs *cs)
{
    cz_lc a, b, c;

    (void)self;
    cz_cs_enter(cs, CZ_NU("part %u", 7));
    cs->n_aux = CZ_VAR_AUX_BIT; /* as if 2^31 had been allocated */
    assert_int_equal(cz_cs_alloc(cs, CZ_N("late"), NULL).id, CZ_VAR_ONE.id);
    assert_int_equal(cz_cs_alloc_input(cs, CZ_N("later"), NULL).id, CZ_VAR_ONE.id);
    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    cz_cs_enforce(cs, CZ_N("ignored"), &a, &b, &c);
    assert_int_equal(cs->n_constraints, 0);
    cz_cs_leave(cs);
}

static void test_too_many_variables(void **state)
{
    cz_circuit circuit = {"huge", failing_synthesize};
    cz_digest_options options = {.threads = 2};
    cz_circuit_stats stats;

    (void)state;
    assert_fails(cz_circuit_digest(&stats, &circuit, &options), CZ_E_INPUT,
                 "circuit huge: part 7/late: the circuit has more than 2^31 variables");
}

static void starved_synthesize(const cz_circuit *self, cz_cs *cs)
{
    cz_lc a, b, c;

    (void)self;
    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    b.failed = true; /* as after a failed allocation */
    cz_cs_enforce(cs, CZ_NU("sum %u", 3), &a, &b, &c);
    assert_int_equal(cs->n_constraints, 0);
}

static void test_lack_of_memory_in_a_combination(void **state)
{
    cz_circuit circuit = {"starved", starved_synthesize};
    cz_circuit_stats stats;
    cz_lc part, whole;

    (void)state;
    assert_fails(cz_circuit_count(&stats, &circuit), CZ_E_NOMEM, "circuit starved: sum 3");
    cz_lc_init(&part);
    cz_lc_init(&whole);
    part.failed = true;
    cz_lc_add_lc(&whole, &part); /* it spreads to what is made of it */
    assert_true(whole.failed);
    cz_lc_reset(&whole);
    assert_false(whole.failed);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_toy_digest_is_that_of_the_definition),
    cmocka_unit_test(test_count_has_no_digest),
    cmocka_unit_test(test_checkpoints),
    cmocka_unit_test(test_long_combinations_and_many_buffers),
    cmocka_unit_test(test_too_many_variables),
    cmocka_unit_test(test_lack_of_memory_in_a_combination),
};
CZ_TEST_MAIN(cases)
