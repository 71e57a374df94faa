/* golden_circuits.h: a circuit against the golden list: sizes, densities, digest, and the running
 * digests that lead to the first difference. */
#ifndef CZ_TESTS_FILECOIN_GOLDEN_CIRCUITS_H
#define CZ_TESTS_FILECOIN_GOLDEN_CIRCUITS_H

#include "cs/digest.h"
#include "filecoin/job.h"
#include "golden.h"

static inline cz_json find_circuit(cz_json root, const char *id)
{
    const cz_json list = golden_get(root, "circuits");

    for (size_t i = 0; i < golden_size(list); i++)
        if (strcmp(golden_get_text(golden_at(list, i), "id"), id) == 0)
            return golden_at(list, i);
    fail_msg("no golden digest of %s", id);
    return root;
}

static inline void assert_golden_stats(const cz_circuit_stats *s, cz_json golden_stats)
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

static inline void check_digest(const char *id)
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

/* --- checkpoints: where a difference begins --- */

typedef struct {
    char *text;       /* the whole file */
    char *line, *end; /* what is left of it */
    unsigned checked;
} checkpoint_file;

static inline void compare_checkpoint(void *ctx, uint64_t constraints, uint64_t inputs,
                                      uint64_t aux, const char *path, const uint8_t sha256[32])
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
static inline uint64_t stride_of(const checkpoint_file *f)
{
    const char *number = strstr(f->text, "\"constraints\":");

    assert_non_null(number);
    return strtoull(number + strlen("\"constraints\":"), NULL, 10);
}

/* Every n-th constraint's name and the digest up to it. */
static inline void check_checkpoints(const char *id, unsigned at_least)
{
    checkpoint_file f = {0};
    cz_digest_options options = {.threads = 1, .checkpoint = compare_checkpoint, .ctx = &f};
    cz_circuit_stats stats;
    cz_circuit *circuit;
    char path[256];
    size_t n;

    (void)snprintf(path, sizeof path, "golden/trace/%s.checkpoints.jsonl", id);
    f.text = (char *)cz_test_read(cz_vector_path(path), &n);
    f.line = f.text;
    f.end = f.text + n;
    options.every = stride_of(&f);
    assert_ok(cz_circuit_create_blank(&circuit, id));
    assert_ok(cz_circuit_digest(&stats, circuit, &options));
    assert_true(f.checked > at_least);
    cz_circuit_destroy(circuit);
    free(f.text);
}

#endif
