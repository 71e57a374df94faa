/* witness_compare.c: see witness_compare.h. */
#include "witness_compare.h"

#include <stdio.h>
#include <string.h>

#include "base/trace.h"
#include "cs/compiled_eval.h"

static double seconds_since(uint64_t start)
{
    return (double)(cz_clock_ns() - start) / 1e9;
}

static cz_err by_compiled(witness_comparison *out, const cz_circuit *circuit, const cz_compiled *c,
                          cz_pool *pool)
{
    uint64_t start = cz_clock_ns();
    cz_bit_witness w;
    cz_err err;

    CZ_TRY(cz_bit_witness_synthesize_pool(&w, c, circuit, pool));
    out->witness_seconds = seconds_since(start);
    start = cz_clock_ns();
    err = cz_compiled_satisfied(c, &w, pool, &out->first_failing);
    if (err == CZ_OK)
        err = cz_assignment_digest_compiled(&out->compiled, c, &w, pool);
    out->compiled_seconds = seconds_since(start);
    cz_bit_witness_clear(&w);
    return err;
}

static cz_err by_both(witness_comparison *out, const cz_circuit *circuit, const cz_compiled *c,
                      cz_pool *pool)
{
    uint64_t start;

    CZ_TRY(by_compiled(out, circuit, c, pool));
    start = cz_clock_ns();
    CZ_TRY(cz_assignment_digest_classic(&out->classic, circuit));
    out->classic_seconds = seconds_since(start);
    out->differs = cz_assignment_digest_differs(&out->classic, &out->compiled);
    out->constraints = cz_compiled_stats(c).constraints;
    return CZ_OK;
}

cz_err witness_compare(witness_comparison *out, const cz_job *job, size_t k, const cz_compiled *c,
                       cz_pool *pool)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(job, k, &circuit));
    err = by_both(out, circuit, c, pool);
    cz_circuit_destroy(circuit);
    return err;
}

static void print_digest(const char *name, const uint8_t classic[32], const uint8_t compiled[32])
{
    (void)printf("  %-10s ", name);
    for (int i = 0; i < 32; i++)
        (void)printf("%02x", classic[i]);
    (void)printf("  %s\n", memcmp(classic, compiled, 32) == 0 ? "same by both paths" : "DIFFERS");
}

void witness_comparison_print(size_t k, const witness_comparison *w)
{
    (void)printf("partition %zu: %llu rows, %llu inputs, %llu auxiliary variables\n", k,
                 (unsigned long long)w->classic.n_rows, (unsigned long long)w->classic.inputs,
                 (unsigned long long)w->classic.aux);
    print_digest("a", w->classic.a, w->compiled.a);
    print_digest("b", w->classic.b, w->compiled.b);
    print_digest("c", w->classic.c, w->compiled.c);
    print_digest("densities", w->classic.densities, w->compiled.densities);
    print_digest("witness", w->classic.witness, w->compiled.witness);
    (void)printf("  satisfied  %s\n", w->first_failing == w->constraints ? "yes" : "NO");
    (void)printf("  seconds    bit witness %.3f, compiled %.1f, classic %.1f\n", w->witness_seconds,
                 w->compiled_seconds, w->classic_seconds);
}

void witness_comparison_json(json_out *j, size_t k, const witness_comparison *w)
{
    json_object(j, NULL);
    json_uint(j, "partition", k);
    json_uint(j, "rows", w->classic.n_rows);
    json_uint(j, "inputs", w->classic.inputs);
    json_uint(j, "aux", w->classic.aux);
    json_hex(j, "a_sha256", w->classic.a, 32);
    json_hex(j, "b_sha256", w->classic.b, 32);
    json_hex(j, "c_sha256", w->classic.c, 32);
    json_hex(j, "densities_sha256", w->classic.densities, 32);
    json_hex(j, "witness_sha256", w->classic.witness, 32);
    json_text(j, "differs", w->differs);
    json_bool(j, "satisfied", w->first_failing == w->constraints);
    json_double(j, "witness_seconds", w->witness_seconds);
    json_double(j, "compiled_seconds", w->compiled_seconds);
    json_double(j, "classic_seconds", w->classic_seconds);
    json_close(j);
}
