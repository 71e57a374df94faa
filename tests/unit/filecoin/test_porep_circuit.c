/* Every PoRep circuit is the network's: sizes, densities and the digest of all constraints. */
#include "cs/digest.h"
#include "filecoin/job.h"
#include "golden.h"

static cz_json find_circuit(cz_json root, const char *id)
{
    const cz_json list = golden_get(root, "circuits");

    for (size_t i = 0; i < golden_size(list); i++)
        if (strcmp(golden_get_text(golden_at(list, i), "id"), id) == 0)
            return golden_at(list, i);
    fail_msg("no golden digest of %s", id);
    return root;
}

static void assert_golden_stats(const cz_circuit_stats *s, cz_json golden_stats)
{
    uint8_t digest[32];

    assert_int_equal(s->inputs, golden_get_u64(golden_stats, "inputs"));
    assert_int_equal(s->aux, golden_get_u64(golden_stats, "aux"));
    assert_int_equal(s->constraints, golden_get_u64(golden_stats, "constraints"));
    assert_int_equal(s->nnz_a, golden_get_u64(golden_stats, "nnz_a"));
    assert_int_equal(s->nnz_b, golden_get_u64(golden_stats, "nnz_b"));
    assert_int_equal(s->nnz_c, golden_get_u64(golden_stats, "nnz_c"));
    assert_int_equal(s->dens_a_aux, golden_get_u64(golden_stats, "dens_a_aux"));
    assert_int_equal(s->dens_b_input, golden_get_u64(golden_stats, "dens_b_input"));
    assert_int_equal(s->dens_b_aux, golden_get_u64(golden_stats, "dens_b_aux"));
    golden_get_hex(golden_stats, "sha256", digest, sizeof digest);
    assert_memory_equal(s->sha256, digest, sizeof digest);
}

static void check_digest(const char *id)
{
    golden g = golden_open(cz_vector_path("golden/circuit-digests.json"));
    cz_digest_options options = {.threads = 2};
    cz_circuit_stats stats;
    cz_circuit *circuit;

    assert_ok(cz_circuit_create_blank(&circuit, id));
    assert_string_equal(circuit->id, id);
    assert_ok(cz_circuit_digest(&stats, circuit, &options));
    assert_golden_stats(&stats, find_circuit(g.root, id));
    cz_circuit_destroy(circuit);
    golden_close(&g);
}

static void test_digest_2k(void **state)
{
    (void)state;
    check_digest("porep-2k");
}

static void test_digest_4k(void **state)
{
    (void)state;
    check_digest("porep-4k");
}

static void test_digest_16k(void **state)
{
    (void)state;
    check_digest("porep-16k");
}

static void test_digest_32k(void **state)
{
    (void)state;
    check_digest("porep-32k");
}

static void test_digest_8m(void **state)
{
    (void)state;
    check_digest("porep-8m");
}

static void test_digest_16m(void **state)
{
    (void)state;
    check_digest("porep-16m");
}

static void test_digest_512m(void **state)
{
    (void)state;
    check_digest("porep-512m");
}

static void test_digest_1g(void **state)
{
    (void)state;
    check_digest("porep-1g");
}

static void test_digest_slow_32g(void **state)
{
    (void)state;
    check_digest("porep-32g");
}

static void test_digest_slow_64g(void **state)
{
    (void)state;
    check_digest("porep-64g");
}

/* --- checkpoints: where a difference begins --- */

typedef struct {
    char *text;       /* the whole file */
    char *line, *end; /* what is left of it */
    unsigned checked;
} checkpoint_file;

static void compare_checkpoint(void *ctx, uint64_t constraints, uint64_t inputs, uint64_t aux,
                               const char *path, const uint8_t sha256[32])
{
    checkpoint_file *f = ctx;
    char *newline = memchr(f->line, '\n', (size_t)(f->end - f->line));
    cz_json_doc *doc;
    cz_json root;
    uint8_t digest[32];

    assert_non_null(newline);
    assert_ok(cz_json_parse(&doc, &root, f->line, (size_t)(newline - f->line)));
    assert_string_equal(golden_get_text(root, "last"), path);
    assert_int_equal(golden_get_u64(root, "constraints"), constraints);
    assert_int_equal(golden_get_u64(root, "inputs"), inputs);
    assert_int_equal(golden_get_u64(root, "aux"), aux);
    golden_get_hex(root, "sha256", digest, sizeof digest);
    assert_memory_equal(digest, sha256, sizeof digest);
    cz_json_destroy(doc);
    f->line = newline + 1;
    f->checked++;
}

/* The stride of the file: the first line's number of constraints. */
static uint64_t stride_of(const checkpoint_file *f)
{
    const char *number = strstr(f->text, "\"constraints\":");

    assert_non_null(number);
    return strtoull(number + strlen("\"constraints\":"), NULL, 10);
}

static void test_checkpoints_2k(void **state)
{
    checkpoint_file f = {0};
    cz_digest_options options = {.threads = 1, .checkpoint = compare_checkpoint, .ctx = &f};
    cz_circuit_stats stats;
    cz_circuit *circuit;
    size_t n;

    (void)state;
    f.text = (char *)cz_test_read(cz_vector_path("golden/trace/porep-2k.checkpoints.jsonl"), &n);
    f.line = f.text;
    f.end = f.text + n;
    options.every = stride_of(&f);
    assert_ok(cz_circuit_create_blank(&circuit, "porep-2k"));
    assert_ok(cz_circuit_digest(&stats, circuit, &options));
    assert_true(f.checked > 100);
    cz_circuit_destroy(circuit);
    free(f.text);
}

/* A blank circuit has no witness to give. */
static void test_blank_has_no_values(void **state)
{
    cz_circuit *circuit;
    cz_cs cs;
    static const cz_cs_ops no_ops = {0};

    (void)state;
    assert_ok(cz_circuit_create_blank(&circuit, "porep-2k"));
    cz_cs_init(&cs, &no_ops, true, false);
    circuit->synthesize(circuit, &cs);
    assert_fails(cz_cs_status(&cs), CZ_E_ARG, "porep-2k: this circuit has no witness");
    cz_circuit_destroy(circuit);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_digest_2k),       cmocka_unit_test(test_digest_4k),
    cmocka_unit_test(test_digest_16k),      cmocka_unit_test(test_digest_32k),
    cmocka_unit_test(test_digest_8m),       cmocka_unit_test(test_digest_16m),
    cmocka_unit_test(test_digest_512m),     cmocka_unit_test(test_digest_1g),
    cmocka_unit_test(test_digest_slow_32g), cmocka_unit_test(test_digest_slow_64g),
    cmocka_unit_test(test_checkpoints_2k),  cmocka_unit_test(test_blank_has_no_values),
};

CZ_TEST_MAIN(cases)
