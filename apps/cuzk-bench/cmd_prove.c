/* prove: from a request to a verified proof in a file. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "cs/satisfied.h"
#include "device.h"
#include "groth16/groth16.h"
#include "groth16/prove_compiled.h"
#include "hash/sha256.h"
#include "memory_report.h"
#include "report.h"
#include "witness_ahead.h"

typedef struct {
    /* the command line */
    const char *request, *folder, *out, *backend, *path, *circuits, *trace_path, *witness, *folded;
    const char *records_path;
    bool timing;
    arg_list r_hex, s_hex;
    unsigned threads, vram_mib;
    bool json;
    /* what it opens */
    cz_pool *pool;
    cz_trace *trace;
    cz_job *job;
    cz_params params;
    bool params_open;
    cz_prover_key *key;
    cz_verifier *verifier;
    cz_compiled *compiled; /* the fast path only */
    bench_device device;
    witness_ahead ahead; /* with a device: of the next partitions */
    /* what it makes */
    size_t n_partitions;
    cz_fr *r, *s;   /* one a partition, or NULL: drawn from the operating system */
    uint8_t *proof; /* n_partitions x CZ_PROOF_BYTES */
    double seconds;
    uint64_t resident_before; /* when the first proof begins: request, parameters' head, circuit */
    cz_prove_memory memory;   /* of a partition; the fast path only */
    progress bar;
} session;

/* --- opening ------------------------------------------------------------------------------ */

static cz_err choose_path(const session *s)
{
    if (strcmp(s->witness, "auto") != 0 && strcmp(s->witness, "host") != 0)
        return args_mistake(
            cz_fail(CZ_E_INPUT, "--witness '%s' is none of auto, host", s->witness));
    CZ_TRY(bench_folded_check(s->folded));
    if (strcmp(s->path, "classic") == 0 || strcmp(s->path, "fast") == 0)
        return CZ_OK;
    return args_mistake(cz_fail(CZ_E_INPUT, "--path '%s' is none of fast, classic", s->path));
}

static cz_err open_request(session *s)
{
    progress_show(&s->bar, "reading the request", 0, 0);
    CZ_TRY(load_job(&s->job, s->request, s->pool, s->trace));
    s->n_partitions = cz_job_partitions(s->job);
    s->proof = calloc(s->n_partitions, CZ_PROOF_BYTES);
    if (s->proof == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu partitions", s->n_partitions);
    return CZ_OK;
}

static cz_err open_file(session *s)
{
    cz_span span = cz_trace_begin(s->trace, CZ_PHASE_SRS_LOAD, 0);
    cz_err err = load_params(&s->params, s->folder, cz_job_circuit_id(s->job), s->pool);

    s->params_open = err == CZ_OK;
    cz_trace_end(&span);
    return err;
}

static cz_err open_parameters(session *s)
{
    progress_show(&s->bar, "opening the parameters", 0, 0);
    CZ_TRY(open_file(s));
    return cz_verifier_create(&s->verifier, &s->params.vk);
}

/* The fast path starts from the compiled circuit. */
static cz_err open_circuit(session *s)
{
    bool was_cached;

    if (strcmp(s->path, "classic") == 0)
        return CZ_OK;
    progress_clear(&s->bar);
    return open_compiled_circuit(&s->compiled, &was_cached, cz_job_circuit_id(s->job), s->circuits);
}

/* What proofs need of the parameters, on the device or here. */
static cz_err open_prover(session *s)
{
    progress_show(&s->bar, "loading the parameters", 0, 0);
    CZ_TRY(bench_device_load(&s->device, s->backend, s->folded, &s->params, s->compiled, s->pool,
                             s->trace));
    if (s->device.gpu != NULL)
        return CZ_OK;
    return cz_prover_key_load(&s->key, &s->params, s->pool, s->trace);
}

/* One --r or --s list into scalars; the count must be the number of partitions. */
static cz_err parse_scalars(cz_fr **out, const arg_list *hex, const char *name, size_t n)
{
    cz_fr *scalars;

    if (hex->n != n)
        return cz_fail(CZ_E_INPUT, "%s is given %zu times; the proof has %zu partitions", name,
                       hex->n, n);
    scalars = calloc(n, sizeof *scalars);
    if (scalars == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu scalars", n);
    *out = scalars;
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[32];

        if (!cz_hex_decode(bytes, 32, hex->items[i], strlen(hex->items[i])))
            return args_mistake(
                cz_fail(CZ_E_INPUT, "%s of partition %zu: 64 hex digits expected", name, i));
        if (!cz_fr_from_le(&scalars[i], bytes))
            return args_mistake(
                cz_fail(CZ_E_INPUT, "%s of partition %zu: not below the field's modulus", name, i));
        cz_secure_zero(bytes, sizeof bytes);
    }
    return CZ_OK;
}

static cz_err parse_blinding(session *s)
{
    if (s->r_hex.n == 0 && s->s_hex.n == 0)
        return CZ_OK;
    CZ_TRY(parse_scalars(&s->r, &s->r_hex, "--r", s->n_partitions));
    return parse_scalars(&s->s, &s->s_hex, "--s", s->n_partitions);
}

/* --- proving ------------------------------------------------------------------------------ */

static void show_stage(session *s, size_t k, const char *stage)
{
    char line[64];

    (void)snprintf(line, sizeof line, "partition %zu of %zu: %s", k + 1, s->n_partitions, stage);
    progress_show(&s->bar, line, 0, 0);
}

static cz_err synthesize_classic(session *s, size_t k, const cz_circuit *circuit, cz_assignment *w)
{
    cz_span span = cz_trace_begin(s->trace, CZ_PHASE_WITNESS, (unsigned)k);
    cz_err err = cz_assignment_synthesize(w, circuit);

    cz_trace_end(&span);
    return err;
}

static cz_err prove_classic(session *s, size_t k, const cz_circuit *circuit, cz_proof *proof)
{
    cz_assignment w;
    cz_err err;

    CZ_TRY(synthesize_classic(s, k, circuit, &w));
    show_stage(s, k, "proof");
    if (s->r != NULL)
        err = cz_groth16_prove(proof, s->key, &w, &s->r[k], &s->s[k], s->pool, s->trace);
    else
        err = cz_groth16_prove_blinded(proof, s->key, &w, s->pool, s->trace);
    cz_assignment_clear(&w);
    return err;
}

/* Left to the device, where that pays. */
static cz_err make_witness(session *s, size_t k, const cz_circuit *circuit, cz_bit_witness *w)
{
    cz_witness_source *source = NULL;

    if (s->device.gpu != NULL && strcmp(s->witness, "auto") == 0)
        CZ_TRY(cz_job_witness_source(s->job, k, s->compiled, &source));
    if (source == NULL)
        return cz_bit_witness_synthesize_pool(w, s->compiled, circuit, s->pool);
    cz_bit_witness_from_source(w, source);
    return CZ_OK;
}

static cz_err synthesize_bits(session *s, size_t k, const cz_circuit *circuit, cz_bit_witness *w)
{
    cz_span span = cz_trace_begin(s->trace, CZ_PHASE_WITNESS, (unsigned)k);
    cz_err err = make_witness(s, k, circuit, w);

    cz_trace_end(&span);
    return err;
}

static cz_err prove_fast(session *s, size_t k, const cz_circuit *circuit, cz_proof *proof)
{
    cz_bit_witness w;
    cz_err err;

    CZ_TRY(synthesize_bits(s, k, circuit, &w));
    show_stage(s, k, "proof");
    if (s->r != NULL)
        err = cz_groth16_prove_compiled(proof, s->key, s->compiled, &w, &s->r[k], &s->s[k], s->pool,
                                        s->trace);
    else
        err = cz_groth16_prove_compiled_blinded(proof, s->key, s->compiled, &w, s->pool, s->trace);
    cz_bit_witness_clear(&w);
    return err;
}

static cz_err compute_proof(session *s, size_t k, const cz_circuit *circuit, cz_proof *proof)
{
    show_stage(s, k, "witness");
    if (s->compiled != NULL)
        return prove_fast(s, k, circuit, proof);
    return prove_classic(s, k, circuit, proof);
}

/* The verifier gets the public inputs that follow from the request, not those of the assignment,
 * and the bytes that will be written, not the points in memory. */
static cz_err verify_written(session *s, size_t k)
{
    cz_span span = cz_trace_begin(s->trace, CZ_PHASE_VERIFY, (unsigned)k);
    cz_fr *inputs;
    size_t n_inputs;
    cz_proof proof;
    cz_err err;

    CZ_TRY(cz_job_public_inputs(s->job, k, &inputs, &n_inputs));
    err = cz_proof_read(&proof, s->proof + k * CZ_PROOF_BYTES);
    if (err == CZ_OK)
        err = cz_groth16_verify(s->verifier, &proof, inputs, n_inputs);
    free(inputs);
    cz_trace_end(&span);
    return err;
}

/* A proof that does not verify has a reason; the usual one is a witness that fits no circuit. */
static cz_err explain_refusal(const session *s, const cz_circuit *circuit)
{
    cz_witness_report report;
    cz_err err;

    CZ_TRY(cz_circuit_check(&report, circuit));
    if (report.satisfied)
        err =
            cz_fail(CZ_E_VERIFY,
                    "the proof does not verify although the witness satisfies the circuit: wrong "
                    "parameters%s?",
                    bench_device_folded(&s->device) ? ", or a folded file that is not theirs" : "");
    else
        err = cz_fail(CZ_E_UNSATISFIED,
                      "the request's witness violates constraint %llu (%s), so no proof of it can "
                      "verify",
                      (unsigned long long)report.first_failing, report.failing_path);
    cz_witness_report_clear(&report);
    return err;
}

static cz_err write_and_verify(session *s, size_t k, const cz_proof *proof)
{
    cz_proof_write(s->proof + k * CZ_PROOF_BYTES, proof);
    show_stage(s, k, "verification");
    return verify_written(s, k);
}

static cz_err prove_circuit(session *s, size_t k, const cz_circuit *circuit)
{
    cz_proof proof;
    cz_err err;

    CZ_TRY(compute_proof(s, k, circuit, &proof));
    err = write_and_verify(s, k, &proof);
    return err == CZ_E_VERIFY ? explain_refusal(s, circuit) : err;
}

static cz_err prove_partition(session *s, size_t k)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(s->job, k, &circuit));
    err = prove_circuit(s, k, circuit);
    cz_circuit_destroy(circuit);
    return err;
}

/* --- on a device -------------------------------------------------------------------------- */

static cz_err make_witness_ahead(void *ctx, size_t k, cz_bit_witness *w)
{
    session *s = ctx;
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(s->job, k, &circuit));
    err = synthesize_bits(s, k, circuit, w);
    cz_circuit_destroy(circuit);
    return err;
}

/* The first partition is proved alone while the other witnesses are made; but where the parameters
 * come from the file, for which a batch less counts for more. */
static size_t batch_at(const session *s, size_t first)
{
    const size_t left = s->n_partitions - first, most = cz_device_key_batch(s->device.key);

    if (first == 0 && !cz_device_key_streams(s->device.key))
        return 1;
    return left < most ? left : most;
}

/* Witnesses [first, first + n), and a start with the next ones. */
static cz_err take_witnesses(session *s, size_t first, size_t n, cz_bit_witness **w)
{
    const size_t next = first + n;

    if (!witness_ahead_has(&s->ahead, first))
        CZ_TRY(witness_ahead_start(&s->ahead, make_witness_ahead, s, first, n));
    CZ_TRY(witness_ahead_take(&s->ahead, w));
    if (next < s->n_partitions &&
        witness_ahead_start(&s->ahead, make_witness_ahead, s, next, batch_at(s, next)) != CZ_OK) {
        witness_ahead_free(*w, n);
        return CZ_E_NOMEM;
    }
    return CZ_OK;
}

static cz_err prove_on_device(session *s, size_t first, size_t n, const cz_bit_witness *w,
                              cz_proof *proofs, cz_device_partition *parts)
{
    for (size_t i = 0; i < n; i++) {
        parts[i] = (cz_device_partition){.w = &w[i], .partition = (unsigned)(first + i)};
        if (s->r != NULL) {
            parts[i].r = &s->r[first + i];
            parts[i].s = &s->s[first + i];
        }
    }
    return cz_groth16_prove_device_batch(proofs, s->device.key, parts, (unsigned)n, s->trace);
}

static cz_err explain_partition(session *s, size_t k)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(s->job, k, &circuit));
    err = explain_refusal(s, circuit);
    cz_circuit_destroy(circuit);
    return err;
}

static cz_err verify_batch(session *s, size_t first, size_t n, const cz_proof *proofs)
{
    for (size_t i = 0; i < n; i++) {
        cz_err err = write_and_verify(s, first + i, &proofs[i]);

        if (err == CZ_E_VERIFY)
            err = explain_partition(s, first + i);
        CZ_TRY_IN(err, "partition %zu", first + i);
    }
    return CZ_OK;
}

/* Partitions [first, first + n). */
static cz_err prove_batch(session *s, size_t first, size_t n)
{
    cz_device_partition *parts = calloc(n, sizeof *parts);
    cz_proof *proofs = calloc(n, sizeof *proofs);
    cz_bit_witness *w;
    cz_err err = CZ_OK;

    show_stage(s, first, n > 1 ? "witness and the next ones'" : "witness");
    if (parts == NULL || proofs == NULL)
        err = cz_fail(CZ_E_NOMEM, "no memory for %zu proofs", n);
    if (err == CZ_OK)
        err = take_witnesses(s, first, n, &w);
    if (err == CZ_OK) {
        show_stage(s, first, n > 1 ? "proof and the next ones'" : "proof");
        err = prove_on_device(s, first, n, w, proofs, parts);
        witness_ahead_free(w, n);
    }
    if (err == CZ_OK)
        err = verify_batch(s, first, n, proofs);
    free(parts);
    free(proofs);
    return err;
}

/* The account is that of proofs on the CPU by the fast path. */
static bool counts_memory(const session *s)
{
    return s->compiled != NULL && s->device.gpu == NULL;
}

static cz_err prove_all(session *s)
{
    uint64_t start = cz_clock_ns();

    s->resident_before = cz_peak_rss_bytes();
    if (counts_memory(s))
        cz_prove_memory_count(&s->memory, s->compiled, s->pool);
    if (s->device.gpu != NULL)
        for (size_t k = 0; k < s->n_partitions; k += batch_at(s, k))
            CZ_TRY(prove_batch(s, k, batch_at(s, k)));
    else
        for (size_t k = 0; k < s->n_partitions; k++)
            CZ_TRY_IN(prove_partition(s, k), "partition %zu", k);
    s->seconds = (double)(cz_clock_ns() - start) / 1e9;
    return CZ_OK;
}

/* --- reporting ---------------------------------------------------------------------------- */

static void json_phases(json_out *j, const cz_trace *trace)
{
    json_object(j, "phases_ms");
    for (int p = 0; p < CZ_PHASE_COUNT; p++) {
        double ms = cz_trace_total_ms(trace, (cz_phase)p);

        if (ms > 0)
            json_double(j, cz_phase_name((cz_phase)p), ms);
    }
    json_close(j);
}

static void report_backend(const session *s)
{
    if (s->device.gpu == NULL)
        (void)printf("on the CPU\n\n");
    else
        (void)printf("on %s, %.0f MiB of its memory%s%s\n\n", s->device.info.name,
                     (double)cz_device_key_bytes(s->device.key) / 1048576,
                     cz_device_key_streams(s->device.key) ? ", parameters from the file" : "",
                     bench_device_folded(&s->device) ? ", folded" : "");
}

static void report(const session *s)
{
    uint8_t hash[32];
    json_out j;

    cz_sha256_of(hash, s->proof, s->n_partitions * CZ_PROOF_BYTES);
    if (!s->json) {
        (void)printf("%s: %zu partition%s proved and verified in %.2f s, written to %s\n",
                     cz_job_circuit_id(s->job), s->n_partitions, s->n_partitions == 1 ? "" : "s",
                     s->seconds, s->out);
        report_backend(s);
        cz_trace_print(s->trace, stdout);
        (void)printf("%-12s %12.0f MiB, %.0f MiB before the first proof\n", "peak memory",
                     (double)cz_peak_rss_bytes() / 1048576, (double)s->resident_before / 1048576);
        if (counts_memory(s))
            memory_print(&s->memory);
        return;
    }
    json_begin(&j);
    json_text(&j, "circuit_id", cz_job_circuit_id(s->job));
    json_uint(&j, "partitions", s->n_partitions);
    json_uint(&j, "threads", cz_pool_threads(s->pool));
    json_text(&j, "backend", bench_device_backend(&s->device));
    if (s->device.gpu != NULL) {
        json_text(&j, "device", s->device.info.name);
        json_uint(&j, "device_bytes", cz_device_key_bytes(s->device.key));
        json_uint(&j, "device_budget_bytes", cz_gpu_budget_bytes(s->device.gpu));
        json_uint(&j, "device_beside_bytes", bench_device_beside(&s->device));
        json_text(&j, "device_mode",
                  cz_device_key_streams(s->device.key) ? "streamed" : "resident");
        json_uint(&j, "device_batch", cz_device_key_batch(s->device.key));
        json_bool(&j, "device_folded", bench_device_folded(&s->device));
    }
    json_text(&j, "path", s->path);
    json_double(&j, "seconds", s->seconds);
    json_phases(&j, s->trace);
    json_uint(&j, "peak_rss_bytes", cz_peak_rss_bytes());
    json_uint(&j, "peak_rss_before_bytes", s->resident_before);
    if (counts_memory(s))
        memory_json(&j, &s->memory);
    json_hex(&j, "proof_sha256", hash, sizeof hash);
    json_end(&j);
}

static cz_err run(session *s)
{
    CZ_TRY(choose_path(s));
    CZ_TRY(check_output(s->out));
    CZ_TRY(check_output(s->trace_path));
    CZ_TRY(check_output(s->records_path));
    CZ_TRY(bench_device_open(&s->device, s->backend, s->path, s->vram_mib));
    CZ_TRY(cz_pool_create(&s->pool, s->threads));
    CZ_TRY(cz_trace_create(&s->trace));
    CZ_TRY(open_request(s));
    CZ_TRY(parse_blinding(s));
    CZ_TRY(open_parameters(s));
    CZ_TRY(open_circuit(s));
    CZ_TRY(open_prover(s));
    CZ_TRY_IN(prove_all(s), "%s", s->request);
    CZ_TRY(cz_file_write_all(s->out, s->proof, s->n_partitions * CZ_PROOF_BYTES));
    if (s->trace_path != NULL)
        CZ_TRY(cz_trace_write_chrome(s->trace, s->trace_path));
    if (s->records_path != NULL)
        CZ_TRY(cz_trace_write_json(s->trace, s->records_path));
    if (s->timing)
        cz_trace_log(s->trace, NULL);
    return CZ_OK;
}

static void erase_scalars(cz_fr *scalars, size_t n)
{
    if (scalars != NULL)
        cz_secure_zero(scalars, n * sizeof *scalars);
    free(scalars);
}

static void close_session(session *s)
{
    erase_scalars(s->r, s->n_partitions);
    erase_scalars(s->s, s->n_partitions);
    free(s->proof);
    witness_ahead_stop(&s->ahead);
    bench_device_close(&s->device);
    cz_compiled_destroy(s->compiled);
    cz_verifier_destroy(s->verifier);
    cz_prover_key_destroy(s->key);
    if (s->params_open)
        cz_params_close(&s->params);
    cz_job_destroy(s->job);
    cz_trace_destroy(s->trace);
    cz_pool_destroy(s->pool);
    args_clear(&s->r_hex);
    args_clear(&s->s_hex);
}

int cmd_prove(int argc, char **argv)
{
    session s = {.backend = "auto", .path = "fast", .witness = "auto", .folded = "auto"};
    const arg_option options[] = {
        {"--out", ARG_TEXT, "PROOF", &s.out, "where the proof goes, 192 bytes a partition", true},
        {"--params", ARG_TEXT, "DIR", &s.folder,
         "parameter folder; default: FIL_PROOFS_PARAMETER_CACHE, else the network's usual one",
         false},
        {"--r", ARG_LIST, "HEX", &s.r_hex,
         "blinding scalar, 64 hex digits, little-endian, once a partition; for tests", false},
        {"--s", ARG_LIST, "HEX", &s.s_hex, "the other one", false},
        {"--backend", ARG_TEXT, "NAME", &s.backend,
         "auto (default: cuda where a device is there), cpu or cuda", false},
        {"--vram", ARG_UINT, "MIB", &s.vram_mib,
         "device memory to take at most (default: what is free less 1.5 GiB, or less a tenth)",
         false},
        {"--path", ARG_TEXT, "NAME", &s.path,
         "fast (default): by the compiled circuit; classic: full vectors; same bytes", false},
        {"--witness", ARG_TEXT, "NAME", &s.witness,
         "auto (default): window PoSt's is made on the device that proves; host: never", false},
        {"--folded", ARG_TEXT, "NAME", &s.folded,
         "auto (default): a device uses the .folded file beside the parameters; off, require",
         false},
        {"--circuits", ARG_TEXT, "DIR", &s.circuits,
         "compiled circuits, for the fast path (default: ~/.cache/cuzk)", false},
        {"--threads", ARG_UINT, "N", &s.threads, "default: all CPUs", false},
        {"--trace", ARG_TEXT, "FILE", &s.trace_path, "write the phases for chrome://tracing",
         false},
        {"--records", ARG_TEXT, "FILE", &s.records_path,
         "write every phase with its page faults, bytes and memory as JSON", false},
        {"--timing", ARG_FLAG, NULL, &s.timing,
         "a CUZK_TIMING line for each phase on standard error", false},
        {"--json", ARG_FLAG, NULL, &s.json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "prove",
        .synopsis = "REQUEST.json --out PROOF [options]",
        .about = "Prove a request: SubmitProofRequest as proto3 JSON, Curio's envelope, a bare C1\n"
                 "output (JSON or bincode), or - for standard input. Each partition's proof is "
                 "verified\n"
                 "before anything is written; the file appears only when all of them are valid.\n"
                 "Without --r and --s the blinding scalars come from the operating system.",
        .example = "  cuzk-bench prove c1.json --params /tmp/params --out proof.bin\n"
                   "  porep-2k: 1 partition proved and verified in … s, written to proof.bin",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &s.request,
        .min_positionals = 1,
        .max_positionals = 1,
    };
    args_result parsed = args_parse(&spec, argc, argv);
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    progress_init(&s.bar);
    err = run(&s);
    progress_clear(&s.bar);
    if (err == CZ_OK)
        report(&s);
    close_session(&s);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec.command, s.json, err);
}
