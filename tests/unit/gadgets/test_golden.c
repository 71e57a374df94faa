/* test_golden.c: every golden gadget: sizes, R1CS digest, witness digest, and the complete text
 * with all names, constraints and values. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "base/json.h"
#include "cs/digest.h"
#include "cs/dump.h"
#include "cs/satisfied.h"
#include "golden_gadgets.h"

/* ---- gadgets.json ---- */

static cz_json_doc *open_list(cz_json *list)
{
    cz_json_doc *doc = NULL;
    size_t n = 0;
    uint8_t *text = cz_test_read(cz_vector_path("golden/gadgets/gadgets.json"), &n);

    assert_ok(cz_json_parse(&doc, list, (const char *)text, n));
    free(text);
    return doc;
}

static uint64_t get_u64(cz_json row, const char *key)
{
    cz_json v;
    uint64_t n = 0;

    assert_ok(cz_json_get(row, key, &v));
    assert_ok(cz_json_u64(v, &n));
    return n;
}

static const char *get_string(cz_json row, const char *key)
{
    const char *text = NULL;
    cz_json v;
    size_t n = 0;

    assert_ok(cz_json_get(row, key, &v));
    assert_ok(cz_json_string(v, &text, &n));
    return text;
}

static const golden_gadget *find(const char *name)
{
    for (size_t i = 0; i < GOLDEN_GADGETS; i++)
        if (strcmp(golden_gadgets[i].circuit.id, name) == 0)
            return &golden_gadgets[i];
    fail_msg("golden gadget %s has no circuit here", name);
    return NULL;
}

static void assert_hash(const uint8_t hash[32], const char *want, const char *gadget)
{
    char hex[65];

    cz_hex_encode(hex, hash, 32);
    if (strcmp(hex, want) != 0)
        fail_msg("%s: %s, expected %s", gadget, hex, want);
}

typedef void check_fn(const golden_gadget *g, cz_json row);

static void for_each_gadget(check_fn *check)
{
    cz_json list, row;
    cz_json_doc *doc = open_list(&list);
    cz_json_iter it;
    const char *key = NULL;
    size_t seen = 0;

    assert_ok(cz_json_iterate(list, &it));
    for (; cz_json_next(&it, &row, &key); seen++)
        check(find(get_string(row, "name")), row);
    assert_int_equal(seen, GOLDEN_GADGETS);
    cz_json_destroy(doc);
}

/* ---- checks ---- */

static void check_r1cs(const golden_gadget *g, cz_json row)
{
    const cz_digest_options options = {.threads = 1};
    cz_circuit_stats stats;

    assert_ok(cz_circuit_digest(&stats, &g->circuit, &options));
    assert_int_equal(stats.inputs, get_u64(row, "inputs"));
    assert_int_equal(stats.aux, get_u64(row, "aux"));
    assert_int_equal(stats.constraints, get_u64(row, "constraints"));
    assert_hash(stats.sha256, get_string(row, "sha256"), g->circuit.id);
}

static void test_r1cs_digests(void **state)
{
    (void)state;
    for_each_gadget(check_r1cs);
}

static void check_witness(const golden_gadget *g, cz_json row)
{
    cz_witness_report report;

    assert_ok(cz_circuit_check(&report, &g->circuit));
    if (!report.satisfied)
        fail_msg("%s: %s is violated", g->circuit.id, report.failing_path);
    assert_int_equal(report.inputs, get_u64(row, "inputs"));
    assert_int_equal(report.aux, get_u64(row, "aux"));
    assert_int_equal(report.constraints, get_u64(row, "constraints"));
    assert_hash(report.witness_sha256, get_string(row, "witness_sha256"), g->circuit.id);
    cz_witness_report_clear(&report);
}

static void test_witness_digests(void **state)
{
    (void)state;
    for_each_gadget(check_witness);
}

static char *dump(const cz_circuit *circuit)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    assert_ok(cz_circuit_dump(f, circuit));
    (void)fclose(f);
    return text;
}

/* Equal, or fail with the first line that differs. */
static void assert_same_text(const char *have, const char *want, const char *gadget)
{
    unsigned line = 1;

    for (; *have == *want && *have != '\0'; have++, want++)
        line += *have == '\n';
    if (*have != *want)
        fail_msg("%s: line %u: \"%.80s\", expected \"%.80s\"", gadget, line, have, want);
}

/* NUL-terminated; gzip(1) unpacks what is packed. */
static char *read_text(const golden_gadget *g)
{
    char name[128], command[512], *text = NULL;
    size_t size = 0, n;
    FILE *from, *to;

    (void)snprintf(name, sizeof name, "golden/gadgets/%s.r1cs", g->circuit.id);
    if (g->text == GOLDEN_TEXT)
        return (char *)cz_test_read(cz_vector_path(name), &n);
    (void)snprintf(command, sizeof command, "gzip -dc '%s.gz'", cz_vector_path(name));
    from = popen(command, "r");
    to = open_memstream(&text, &size);
    assert_true(from != NULL && to != NULL);
    do {
        char chunk[1 << 16];

        n = fread(chunk, 1, sizeof chunk, from);
        (void)fwrite(chunk, 1, n, to);
    } while (n > 0);
    assert_int_equal(pclose(from), 0);
    assert_int_equal(fclose(to), 0);
    return text;
}

static void check_text(const golden_gadget *g)
{
    char *want = read_text(g), *have = dump(&g->circuit);

    assert_same_text(have, want, g->circuit.id);
    free(want);
    free(have);
}

static void check_texts(golden_text kind)
{
    for (size_t i = 0; i < GOLDEN_GADGETS; i++)
        if (golden_gadgets[i].text == kind)
            check_text(&golden_gadgets[i]);
}

static void test_complete_texts(void **state)
{
    (void)state;
    check_texts(GOLDEN_TEXT);
}

/* Poseidon and SHA-256: 24 MB of text. */
static void test_complete_texts_of_hashes(void **state)
{
    (void)state;
    check_texts(GOLDEN_GZIPPED);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_r1cs_digests),
    cmocka_unit_test(test_witness_digests),
    cmocka_unit_test(test_complete_texts),
    cmocka_unit_test(test_complete_texts_of_hashes),
};
CZ_TEST_MAIN(cases)
