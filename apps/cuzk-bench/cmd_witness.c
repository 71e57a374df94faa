/* witness: does the request's witness satisfy its circuit, and what is it? */
#include "commands.h"

#include <limits.h>
#include <stdio.h>

#include "cs/satisfied.h"
#include "report.h"
#include "witness_compare.h"

typedef struct {
    const char *request, *circuits;
    unsigned partition, threads;
    bool json, compare;
    cz_compiled *compiled; /* for the comparison */
    cz_pool *pool;
    cz_job *job;
    json_out out;
    progress bar;
    size_t n_violated;
} session;

static void print_report(size_t k, const cz_witness_report *r)
{
    (void)printf("partition %zu: %llu inputs, %llu auxiliary variables (%llu zero, %llu one, %llu "
                 "other), %llu constraints\n",
                 k, (unsigned long long)r->inputs, (unsigned long long)r->aux,
                 (unsigned long long)r->aux_zero, (unsigned long long)r->aux_one,
                 (unsigned long long)r->aux_other, (unsigned long long)r->constraints);
    (void)printf("  sha256     ");
    for (size_t i = 0; i < sizeof r->witness_sha256; i++)
        (void)printf("%02x", r->witness_sha256[i]);
    if (r->satisfied)
        (void)printf("\n  satisfied  yes\n");
    else
        (void)printf("\n  satisfied  NO: constraint %llu is the first violated: %s\n",
                     (unsigned long long)r->first_failing, r->failing_path);
}

static void json_public_inputs(json_out *j, const cz_witness_report *r)
{
    json_array(j, "public_inputs");
    for (uint64_t i = 0; i + 1 < r->inputs; i++) {
        uint8_t bytes[32];

        cz_fr_to_le(bytes, &r->public_inputs[i]);
        json_hex(j, NULL, bytes, sizeof bytes);
    }
    json_close(j);
}

static void json_report(json_out *j, size_t k, const cz_witness_report *r)
{
    double aux = r->aux != 0 ? (double)r->aux : 1;

    json_object(j, NULL);
    json_uint(j, "partition", k);
    json_uint(j, "inputs", r->inputs);
    json_uint(j, "aux", r->aux);
    json_uint(j, "constraints", r->constraints);
    json_uint(j, "aux_zero", r->aux_zero);
    json_uint(j, "aux_one", r->aux_one);
    json_uint(j, "aux_other", r->aux_other);
    json_double(j, "fraction_zero", (double)r->aux_zero / aux);
    json_double(j, "fraction_one", (double)r->aux_one / aux);
    json_double(j, "fraction_other", (double)r->aux_other / aux);
    json_hex(j, "witness_sha256", r->witness_sha256, sizeof r->witness_sha256);
    if (r->satisfied)
        json_text(j, "first_failing_constraint", NULL);
    else
        json_uint(j, "first_failing_constraint", r->first_failing);
    json_text(j, "first_failing_path", r->satisfied ? NULL : r->failing_path);
    json_public_inputs(j, r);
    json_close(j);
}

static cz_err examine(cz_witness_report *out, const session *s, size_t k)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(s->job, k, &circuit));
    err = cz_circuit_check(out, circuit);
    cz_circuit_destroy(circuit);
    return err;
}

static cz_err compare_partition(session *s, size_t k)
{
    witness_comparison w;

    CZ_TRY_IN(witness_compare(&w, s->job, k, s->compiled, s->pool), "partition %zu", k);
    progress_clear(&s->bar);
    s->n_violated += w.differs != NULL || w.first_failing != w.constraints;
    if (s->json)
        witness_comparison_json(&s->out, k, &w);
    else
        witness_comparison_print(k, &w);
    return CZ_OK;
}

static cz_err check_partition(session *s, size_t k)
{
    cz_witness_report report;
    char step[64];

    (void)snprintf(step, sizeof step, "partition %zu", k);
    progress_show(&s->bar, step, 0, 0);
    if (s->compare)
        return compare_partition(s, k);
    CZ_TRY_IN(examine(&report, s, k), "partition %zu", k);
    progress_clear(&s->bar);
    s->n_violated += !report.satisfied;
    if (s->json)
        json_report(&s->out, k, &report);
    else
        print_report(k, &report);
    cz_witness_report_clear(&report);
    return CZ_OK;
}

static cz_err check_partitions(session *s, size_t first, size_t end)
{
    cz_err err = CZ_OK;

    if (s->json) {
        json_begin(&s->out);
        json_text(&s->out, "circuit_id", cz_job_circuit_id(s->job));
        json_array(&s->out, "partitions");
    } else {
        (void)printf("%s\n", cz_job_circuit_id(s->job));
    }
    for (size_t k = first; k < end && err == CZ_OK; k++)
        err = check_partition(s, k);
    if (s->json) {
        json_close(&s->out);
        json_text(&s->out, "error", err == CZ_OK ? NULL : cz_err_message());
        json_end(&s->out);
    }
    return err;
}

static cz_err run(session *s)
{
    bool was_cached;
    size_t n;

    CZ_TRY(cz_pool_create(&s->pool, s->threads));
    CZ_TRY(load_job(&s->job, s->request, s->pool, NULL));
    if (s->compare)
        CZ_TRY(open_compiled_circuit(&s->compiled, &was_cached, cz_job_circuit_id(s->job),
                                     s->circuits));
    n = cz_job_partitions(s->job);
    if (s->partition == UINT_MAX)
        return check_partitions(s, 0, n);
    if (s->partition >= n)
        return cz_fail(CZ_E_INPUT, "%s: partition %u asked for, there are %zu", s->request,
                       s->partition, n);
    return check_partitions(s, s->partition, (size_t)s->partition + 1);
}

int cmd_witness(int argc, char **argv)
{
    session s = {.partition = UINT_MAX};
    const arg_option options[] = {
        {"--partition", ARG_UINT, "K", &s.partition, "only this one, from 0", false},
        {"--compare", ARG_FLAG, NULL, &s.compare,
         "instead: a, b, c, densities and witness by both paths, as SHA-256", false},
        {"--circuits", ARG_TEXT, "DIR", &s.circuits,
         "compiled circuits, for --compare (default: ~/.cache/cuzk)", false},
        {"--threads", ARG_UINT, "N", &s.threads, "default: all CPUs", false},
        {"--json", ARG_FLAG, NULL, &s.json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "witness",
        .synopsis = "REQUEST.json [--partition K] [--compare] [--json]",
        .about =
            "Build the witness of a request and check every constraint of the circuit, without "
            "any\n"
            "parameters: counts, the SHA-256 of the assignment, and the first violated constraint\n"
            "by number and path. Exit status 0 when all partitions are satisfied. With --compare,\n"
            "what a prover needs is made by the classic path and by the compiled circuit, without\n"
            "keeping it, and hashed; exit status 0 when all is equal and satisfied.",
        .example =
            "  cuzk-bench witness c1.json\n"
            "  porep-2k\n"
            "  partition 0: 40 inputs, 2685673 auxiliary variables (…), 2687921 constraints\n"
            "    satisfied  yes",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &s.request,
        .min_positionals = 1,
        .max_positionals = 1,
    };
    args_result parsed = args_parse(&spec, argc, argv);
    bool listing;
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    progress_init(&s.bar);
    err = run(&s);
    progress_clear(&s.bar);
    listing = s.out.close[1] != '\0'; /* the JSON object was begun, and has the error */
    cz_compiled_destroy(s.compiled);
    cz_job_destroy(s.job);
    cz_pool_destroy(s.pool);
    if (err != CZ_OK)
        return report_failure(spec.command, s.json && !listing, err);
    return s.n_violated == 0 ? EXIT_DONE : EXIT_FAILED;
}
