/* golden_jobs.h: golden cases from request to public inputs and witness. */
#ifndef CZ_TESTS_FILECOIN_GOLDEN_JOBS_H
#define CZ_TESTS_FILECOIN_GOLDEN_JOBS_H

#include "cs/satisfied.h"
#include "golden.h"
#include "golden_request.h"

/* A golden case: its job (from request.json or c1.json) and its meta.json. */
typedef struct {
    golden meta;
    cz_job *job;
    cz_json partitions;
} golden_case;

static inline golden_case open_case(const char *name, const char *file)
{
    char path[256];
    cz_request *request;
    golden_case c;

    (void)snprintf(path, sizeof path, "golden/cases/%s/meta.json", name);
    c.meta = golden_open(cz_vector_path(path));
    (void)snprintf(path, sizeof path, "golden/cases/%s/%s", name, file);
    request = read_request(cz_vector_path(path));
    assert_ok(cz_job_create(&c.job, request, NULL));
    cz_request_destroy(request);
    c.partitions = golden_get(c.meta.root, "partitions");
    return c;
}

static inline void close_case(golden_case *c)
{
    cz_job_destroy(c->job);
    golden_close(&c->meta);
}

static inline void assert_inputs_equal(cz_json wanted, const cz_fr *inputs, size_t n)
{
    uint8_t a[32], b[32];

    assert_int_equal(golden_size(wanted), n);
    for (size_t i = 0; i < n; i++) {
        golden_hex(golden_at(wanted, i), a, 32);
        cz_fr_to_le(b, &inputs[i]);
        assert_memory_equal(a, b, 32);
    }
}

static inline void check_public_inputs(const char *name, const char *file)
{
    golden_case c = open_case(name, file);

    assert_string_equal(cz_job_circuit_id(c.job), golden_get_text(c.meta.root, "circuit_id"));
    assert_int_equal(cz_job_partitions(c.job), golden_size(c.partitions));
    for (size_t k = 0; k < cz_job_partitions(c.job); k++) {
        cz_fr *inputs;
        size_t n;

        assert_ok(cz_job_public_inputs(c.job, k, &inputs, &n));
        assert_inputs_equal(golden_get(golden_at(c.partitions, k), "public_inputs"), inputs, n);
        free(inputs);
    }
    close_case(&c);
}

/* --- witnesses --- */

static inline void assert_witness(const cz_witness_report *r, cz_json wanted)
{
    uint8_t digest[32];

    if (!r->satisfied)
        fail_msg("constraint %llu fails: %s", (unsigned long long)r->first_failing,
                 r->failing_path);
    assert_int_equal(r->inputs, golden_get_u64(wanted, "inputs"));
    assert_int_equal(r->aux, golden_get_u64(wanted, "aux"));
    assert_int_equal(r->constraints, golden_get_u64(wanted, "constraints"));
    assert_int_equal(r->aux_zero, golden_get_u64(wanted, "aux_zero"));
    assert_int_equal(r->aux_one, golden_get_u64(wanted, "aux_one"));
    assert_int_equal(r->aux_other, golden_get_u64(wanted, "aux_other"));
    golden_get_hex(wanted, "witness_sha256", digest, sizeof digest);
    assert_memory_equal(r->witness_sha256, digest, sizeof digest);
}

/* The circuit's own inputs are those that the job derived apart from it. */
static inline void assert_same_inputs(const cz_job *job, size_t k, const cz_witness_report *r)
{
    cz_fr *inputs;
    size_t n;

    assert_ok(cz_job_public_inputs(job, k, &inputs, &n));
    assert_int_equal(n + 1, r->inputs);
    assert_memory_equal(inputs, r->public_inputs, n * sizeof *inputs);
    free(inputs);
}

static inline void check_witness_of(const cz_job *job, size_t k, cz_json wanted)
{
    cz_witness_report report;
    cz_circuit *circuit;

    assert_ok(cz_job_circuit(job, k, &circuit));
    assert_ok(cz_circuit_check(&report, circuit));
    assert_witness(&report, wanted);
    assert_same_inputs(job, k, &report);
    cz_witness_report_clear(&report);
    cz_circuit_destroy(circuit);
}

/* Partitions first, first + stride, …. */
static inline void check_witnesses(const char *name, size_t first, size_t stride)
{
    golden_case c = open_case(name, "request.json");

    for (size_t k = first; k < cz_job_partitions(c.job); k += stride)
        check_witness_of(c.job, k, golden_at(c.partitions, k));
    close_case(&c);
}

#endif
