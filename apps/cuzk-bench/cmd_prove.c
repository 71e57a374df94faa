/* prove: from a request to a verified proof in a file. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "hash/sha256.h"
#include "memory_report.h"
#include "prove_run.h"

/* --- opening ------------------------------------------------------------------------------ */

static cz_err choose_path(const prove_run *p)
{
    if (strcmp(p->witness, "auto") != 0 && strcmp(p->witness, "host") != 0)
        return args_mistake(
            cz_fail(CZ_E_INPUT, "--witness '%s' is none of auto, host", p->witness));
    CZ_TRY(bench_folded_check(p->folded));
    if (strcmp(p->path, "classic") == 0 || strcmp(p->path, "fast") == 0)
        return CZ_OK;
    return args_mistake(cz_fail(CZ_E_INPUT, "--path '%s' is none of fast, classic", p->path));
}

static cz_err open_request(prove_run *p)
{
    progress_show(&p->bar, "reading the request", 0, 0);
    CZ_TRY(load_job(&p->job, p->request, p->pool, p->trace));
    p->n_partitions = cz_job_partitions(p->job);
    p->proof = calloc(p->n_partitions, CZ_PROOF_BYTES);
    if (p->proof == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu partitions", p->n_partitions);
    return CZ_OK;
}

static cz_err open_file(prove_run *p)
{
    cz_span span = cz_trace_begin(p->trace, CZ_PHASE_SRS_LOAD, 0);
    cz_err err = load_params(&p->params, p->folder, cz_job_circuit_id(p->job), p->pool);

    p->params_open = err == CZ_OK;
    cz_trace_end(&span);
    return err;
}

static cz_err open_parameters(prove_run *p)
{
    progress_show(&p->bar, "opening the parameters", 0, 0);
    CZ_TRY(open_file(p));
    return cz_verifier_create(&p->verifier, &p->params.vk);
}

/* The fast path starts from the compiled circuit. */
static cz_err open_circuit(prove_run *p)
{
    bool was_cached;

    if (strcmp(p->path, "classic") == 0)
        return CZ_OK;
    progress_clear(&p->bar);
    return open_compiled_circuit(&p->compiled, &was_cached, cz_job_circuit_id(p->job), p->circuits);
}

/* What proofs need of the parameters, on the device or here. */
static cz_err open_prover(prove_run *p)
{
    progress_show(&p->bar, "loading the parameters", 0, 0);
    CZ_TRY(bench_device_load(&p->device, p->backend, p->folded, &p->params, p->compiled, p->pool,
                             p->trace));
    if (p->device.gpu != NULL)
        return CZ_OK;
    return cz_prover_key_load(&p->key, &p->params, p->pool, p->trace);
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

static cz_err parse_blinding(prove_run *p)
{
    if (p->r_hex.n == 0 && p->s_hex.n == 0)
        return CZ_OK;
    CZ_TRY(parse_scalars(&p->r, &p->r_hex, "--r", p->n_partitions));
    return parse_scalars(&p->s, &p->s_hex, "--s", p->n_partitions);
}

/* --- proving ------------------------------------------------------------------------------ */

/* The account is that of proofs on the CPU by the fast path. */
static bool counts_memory(const prove_run *p)
{
    return p->compiled != NULL && p->device.gpu == NULL;
}

static cz_err prove_all(prove_run *p)
{
    uint64_t start = cz_clock_ns();

    p->resident_before = cz_peak_rss_bytes();
    if (counts_memory(p))
        cz_prove_memory_count(&p->memory, p->compiled, p->pool);
    if (p->device.gpu != NULL)
        for (size_t k = 0; k < p->n_partitions; k += prove_batch_at(p, k))
            CZ_TRY(prove_batch_on_device(p, k, prove_batch_at(p, k)));
    else
        for (size_t k = 0; k < p->n_partitions; k++)
            CZ_TRY_IN(prove_on_cpu(p, k), "partition %zu", k);
    p->seconds = (double)(cz_clock_ns() - start) / 1e9;
    return CZ_OK;
}

/* --- reporting ---------------------------------------------------------------------------- */

static void json_phases(json_out *j, const cz_trace *trace)
{
    json_object(j, "phases_ms");
    for (int phase = 0; phase < CZ_PHASE_COUNT; phase++) {
        double ms = cz_trace_total_ms(trace, (cz_phase)phase);

        if (ms > 0)
            json_double(j, cz_phase_name((cz_phase)phase), ms);
    }
    json_close(j);
}

static void report_backend(const prove_run *p)
{
    if (p->device.gpu == NULL)
        (void)printf("on the CPU\n\n");
    else
        (void)printf("on %s, %.0f MiB of its memory%s%s\n\n", p->device.info.name,
                     (double)cz_device_key_bytes(p->device.key) / 1048576,
                     cz_device_key_streams(p->device.key) ? ", parameters from the file" : "",
                     bench_device_folded(&p->device) ? ", folded" : "");
}

static void report_text(const prove_run *p)
{
    (void)printf("%s: %zu partition%s proved and verified in %.2f s, written to %s\n",
                 cz_job_circuit_id(p->job), p->n_partitions, p->n_partitions == 1 ? "" : "s",
                 p->seconds, p->out);
    report_backend(p);
    cz_trace_print(p->trace, stdout);
    (void)printf("%-12s %12.0f MiB, %.0f MiB before the first proof\n", "peak memory",
                 (double)cz_peak_rss_bytes() / 1048576, (double)p->resident_before / 1048576);
    if (counts_memory(p))
        memory_print(&p->memory);
}

static void json_device(json_out *j, const bench_device *device)
{
    if (device->gpu == NULL)
        return;
    json_text(j, "device", device->info.name);
    json_uint(j, "device_bytes", cz_device_key_bytes(device->key));
    json_uint(j, "device_budget_bytes", cz_gpu_budget_bytes(device->gpu));
    json_uint(j, "device_beside_bytes", bench_device_beside(device));
    json_text(j, "device_mode", cz_device_key_streams(device->key) ? "streamed" : "resident");
    json_uint(j, "device_batch", cz_device_key_batch(device->key));
    json_bool(j, "device_folded", bench_device_folded(device));
}

static void report_json(const prove_run *p)
{
    uint8_t hash[32];
    json_out j;

    cz_sha256_of(hash, p->proof, p->n_partitions * CZ_PROOF_BYTES);
    json_begin(&j);
    json_text(&j, "circuit_id", cz_job_circuit_id(p->job));
    json_uint(&j, "partitions", p->n_partitions);
    json_uint(&j, "threads", cz_pool_threads(p->pool));
    json_text(&j, "backend", bench_device_backend(&p->device));
    json_device(&j, &p->device);
    json_text(&j, "path", p->path);
    json_double(&j, "seconds", p->seconds);
    json_phases(&j, p->trace);
    json_uint(&j, "peak_rss_bytes", cz_peak_rss_bytes());
    json_uint(&j, "peak_rss_before_bytes", p->resident_before);
    if (counts_memory(p))
        memory_json(&j, &p->memory);
    json_hex(&j, "proof_sha256", hash, sizeof hash);
    json_end(&j);
}

static cz_err run(prove_run *p)
{
    CZ_TRY(choose_path(p));
    CZ_TRY(check_output(p->out));
    CZ_TRY(check_output(p->trace_path));
    CZ_TRY(check_output(p->records_path));
    CZ_TRY(bench_device_open(&p->device, p->backend, p->path, p->vram_mib));
    CZ_TRY(cz_pool_create(&p->pool, p->threads));
    CZ_TRY(cz_trace_create(&p->trace));
    CZ_TRY(open_request(p));
    CZ_TRY(parse_blinding(p));
    CZ_TRY(open_parameters(p));
    CZ_TRY(open_circuit(p));
    CZ_TRY(open_prover(p));
    CZ_TRY_IN(prove_all(p), "%s", p->request);
    CZ_TRY(cz_file_write_all(p->out, p->proof, p->n_partitions * CZ_PROOF_BYTES));
    if (p->trace_path != NULL)
        CZ_TRY(cz_trace_write_chrome(p->trace, p->trace_path));
    if (p->records_path != NULL)
        CZ_TRY(cz_trace_write_json(p->trace, p->records_path));
    if (p->timing)
        cz_trace_log(p->trace, NULL);
    return CZ_OK;
}

static void erase_scalars(cz_fr *scalars, size_t n)
{
    if (scalars != NULL)
        cz_secure_zero(scalars, n * sizeof *scalars);
    free(scalars);
}

static void close_run(prove_run *p)
{
    erase_scalars(p->r, p->n_partitions);
    erase_scalars(p->s, p->n_partitions);
    free(p->proof);
    witness_ahead_stop(&p->ahead);
    bench_device_close(&p->device);
    cz_compiled_destroy(p->compiled);
    cz_verifier_destroy(p->verifier);
    cz_prover_key_destroy(p->key);
    if (p->params_open)
        cz_params_close(&p->params);
    cz_job_destroy(p->job);
    cz_trace_destroy(p->trace);
    cz_pool_destroy(p->pool);
    args_clear(&p->r_hex);
    args_clear(&p->s_hex);
}

int cmd_prove(int argc, char **argv)
{
    prove_run p = {.backend = "auto", .path = "fast", .witness = "auto", .folded = "auto"};
    const arg_option options[] = {
        {"--out", ARG_TEXT, "PROOF", &p.out, "where the proof goes, 192 bytes a partition", true},
        {"--params", ARG_TEXT, "DIR", &p.folder,
         "parameter folder; default: FIL_PROOFS_PARAMETER_CACHE, else the network's usual one",
         false},
        {"--r", ARG_LIST, "HEX", &p.r_hex,
         "blinding scalar, 64 hex digits, little-endian, once a partition; for tests", false},
        {"--s", ARG_LIST, "HEX", &p.s_hex, "the other one", false},
        {"--backend", ARG_TEXT, "NAME", &p.backend,
         "auto (default: cuda where a device is there), cpu or cuda", false},
        {"--vram", ARG_UINT, "MIB", &p.vram_mib,
         "device memory to take at most (default: what is free less 1.5 GiB, or less a tenth)",
         false},
        {"--path", ARG_TEXT, "NAME", &p.path,
         "fast (default): by the compiled circuit; classic: full vectors; same bytes", false},
        {"--witness", ARG_TEXT, "NAME", &p.witness,
         "auto (default): window PoSt's is made on the device that proves; host: never", false},
        {"--folded", ARG_TEXT, "NAME", &p.folded,
         "auto (default): a device uses the .folded file beside the parameters; off, require",
         false},
        {"--circuits", ARG_TEXT, "DIR", &p.circuits,
         "compiled circuits, for the fast path (default: ~/.cache/cuzk)", false},
        {"--threads", ARG_UINT, "N", &p.threads, "default: all CPUs", false},
        {"--trace", ARG_TEXT, "FILE", &p.trace_path, "write the phases for chrome://tracing",
         false},
        {"--records", ARG_TEXT, "FILE", &p.records_path,
         "write every phase with its page faults, bytes and memory as JSON", false},
        {"--timing", ARG_FLAG, NULL, &p.timing,
         "a CUZK_TIMING line for each phase on standard error", false},
        {"--json", ARG_FLAG, NULL, &p.json, "one JSON object on standard output", false},
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
        .positionals = &p.request,
        .min_positionals = 1,
        .max_positionals = 1,
    };
    args_result parsed = args_parse(&spec, argc, argv);
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    progress_init(&p.bar);
    err = run(&p);
    progress_clear(&p.bar);
    if (err == CZ_OK && p.json)
        report_json(&p);
    else if (err == CZ_OK)
        report_text(&p);
    close_run(&p);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec.command, p.json, err);
}
