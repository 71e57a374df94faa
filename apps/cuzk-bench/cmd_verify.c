/* verify: a proof against the request it was made for, or against a bare key and inputs. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "groth16/groth16.h"
#include "report.h"

typedef struct {
    /* the command line */
    const char *request, *folder, *proof_path, *vk_path, *inputs_path;
    unsigned threads;
    bool json;
    /* what is compared */
    cz_pool *pool;
    cz_verifier *verifier;
    cz_proof *proofs;
    size_t n_proofs;
    cz_fr *inputs; /* n_proofs x n_inputs */
    size_t n_inputs;
    double seconds;
} session;

static cz_err make_verifier(session *s, cz_vk *vk)
{
    cz_err err = cz_verifier_create(&s->verifier, vk);

    cz_vk_clear(vk);
    if (err == CZ_OK)
        s->n_inputs = cz_verifier_inputs(s->verifier);
    return err;
}

static cz_err decode_proofs(session *s, const uint8_t *bytes, size_t n)
{
    if (n == 0 || n % CZ_PROOF_BYTES != 0)
        return cz_fail(CZ_E_INPUT, "%zu bytes are no whole number of proofs of %d bytes", n,
                       CZ_PROOF_BYTES);
    s->n_proofs = n / CZ_PROOF_BYTES;
    s->proofs = calloc(s->n_proofs, sizeof *s->proofs);
    if (s->proofs == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu proofs", s->n_proofs);
    for (size_t i = 0; i < s->n_proofs; i++)
        CZ_TRY_IN(cz_proof_read(&s->proofs[i], bytes + i * CZ_PROOF_BYTES), "proof %zu", i);
    return CZ_OK;
}

static cz_err read_proofs(session *s)
{
    uint8_t *bytes;
    size_t n;
    cz_err err;

    CZ_TRY(cz_file_read(s->proof_path, MAX_SMALL_FILE_BYTES, &bytes, &n));
    err = decode_proofs(s, bytes, n);
    free(bytes);
    return err == CZ_OK ? CZ_OK : cz_fail_in(err, "%s", s->proof_path);
}

static cz_err allocate_inputs(session *s)
{
    s->inputs = calloc(s->n_proofs * s->n_inputs + 1, sizeof *s->inputs);
    return s->inputs != NULL ? CZ_OK : cz_fail(CZ_E_NOMEM, "no memory for the public inputs");
}

/* --- the request form --------------------------------------------------------------------- */

static cz_err take_job_inputs(session *s, const cz_job *job)
{
    if (s->n_proofs != cz_job_partitions(job))
        return cz_fail(CZ_E_INPUT, "%s: %zu proofs, but the request has %zu partitions",
                       s->proof_path, s->n_proofs, cz_job_partitions(job));
    CZ_TRY(allocate_inputs(s));
    for (size_t k = 0; k < s->n_proofs; k++) {
        cz_fr *inputs;
        size_t n;

        CZ_TRY(cz_job_public_inputs(job, k, &inputs, &n));
        if (n == s->n_inputs)
            (void)memcpy(s->inputs + k * n, inputs, n * sizeof *inputs);
        free(inputs);
        if (n != s->n_inputs)
            return cz_fail(CZ_E_INPUT, "the key takes %zu public inputs, %s has %zu", s->n_inputs,
                           cz_job_circuit_id(job), n);
    }
    return CZ_OK;
}

static cz_err load_for_job(session *s, const cz_job *job)
{
    cz_vk vk;

    CZ_TRY(load_vk(&vk, s->folder, cz_job_circuit_id(job), s->pool));
    CZ_TRY(make_verifier(s, &vk));
    return take_job_inputs(s, job);
}

static cz_err load_request(session *s)
{
    cz_job *job;
    cz_err err;

    CZ_TRY(load_job(&job, s->request, s->pool, NULL));
    err = load_for_job(s, job);
    cz_job_destroy(job);
    return err;
}

/* --- the plain form ----------------------------------------------------------------------- */

static cz_err decode_inputs(session *s, const uint8_t *bytes, size_t n)
{
    size_t wanted = s->n_proofs * s->n_inputs;

    if (n != wanted * 32)
        return cz_fail(CZ_E_INPUT,
                       "%zu bytes; %zu proofs with %zu public inputs each need %zu of 32 bytes", n,
                       s->n_proofs, s->n_inputs, wanted);
    CZ_TRY(allocate_inputs(s));
    for (size_t i = 0; i < wanted; i++)
        if (!cz_fr_from_be(&s->inputs[i], bytes + 32 * i))
            return cz_fail(CZ_E_INPUT, "proof %zu: public input %zu is not below the modulus",
                           i / s->n_inputs, i % s->n_inputs);
    return CZ_OK;
}

static cz_err load_plain(session *s)
{
    uint8_t *bytes;
    cz_vk vk;
    size_t n;
    cz_err err;

    CZ_TRY(cz_vk_read(&vk, s->vk_path));
    CZ_TRY(make_verifier(s, &vk));
    CZ_TRY(cz_file_read(s->inputs_path, MAX_SMALL_FILE_BYTES, &bytes, &n));
    err = decode_inputs(s, bytes, n);
    free(bytes);
    return err == CZ_OK ? CZ_OK : cz_fail_in(err, "%s", s->inputs_path);
}

/* ------------------------------------------------------------------------------------------ */

static cz_err check(session *s)
{
    uint64_t start = cz_clock_ns();
    cz_err err = s->n_proofs == 1
                     ? cz_groth16_verify(s->verifier, &s->proofs[0], s->inputs, s->n_inputs)
                     : cz_groth16_verify_batch(s->verifier, s->pool, s->proofs, s->n_proofs,
                                               s->inputs, s->n_inputs);

    s->seconds = (double)(cz_clock_ns() - start) / 1e9;
    return err == CZ_OK ? CZ_OK : cz_fail_in(err, "%s", s->proof_path);
}

static cz_err run(session *s)
{
    CZ_TRY(cz_pool_create(&s->pool, s->threads));
    CZ_TRY(read_proofs(s));
    CZ_TRY(s->request != NULL ? load_request(s) : load_plain(s));
    return check(s);
}

static void report(const session *s)
{
    json_out j;

    if (!s->json) {
        (void)printf("valid: %zu proof%s\n", s->n_proofs, s->n_proofs == 1 ? "" : "s");
        return;
    }
    json_begin(&j);
    json_bool(&j, "valid", true);
    json_uint(&j, "proofs", s->n_proofs);
    json_uint(&j, "public_inputs", s->n_inputs);
    json_double(&j, "seconds", s->seconds);
    json_end(&j);
}

static void close_session(session *s)
{
    free(s->inputs);
    free(s->proofs);
    cz_verifier_destroy(s->verifier);
    cz_pool_destroy(s->pool);
}

int cmd_verify(int argc, char **argv)
{
    session s = {0};
    const arg_option options[] = {
        {"--proof", ARG_TEXT, "FILE", &s.proof_path, "192 bytes a proof", true},
        {"--params", ARG_TEXT, "DIR", &s.folder, "folder of the circuit's .vk file", false},
        {"--vk", ARG_TEXT, "FILE", &s.vk_path, "plain form: the verifying key", false},
        {"--inputs", ARG_TEXT, "FILE", &s.inputs_path,
         "plain form: the public inputs of each proof, 32 bytes each, big-endian", false},
        {"--threads", ARG_UINT, "N", &s.threads, "default: all CPUs", false},
        {"--json", ARG_FLAG, NULL, &s.json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "verify",
        .synopsis = "REQUEST.json --proof FILE [--params DIR]\n"
                    "       cuzk-bench verify --vk FILE --inputs FILE --proof FILE",
        .about =
            "Verify a proof against the request it answers; the public inputs are derived from "
            "the\n"
            "request. The second form is plain Groth16: n proofs against one key and n rows of\n"
            "inputs, all of which must verify. Exit status 0 only when everything is valid.",
        .example = "  cuzk-bench verify c1.json --proof proof.bin --params /tmp/params\n"
                   "  valid: 1 proof",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &s.request,
        .max_positionals = 1,
    };
    args_result parsed = args_parse(&spec, argc, argv);
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    if ((s.request != NULL) == (s.vk_path != NULL) ||
        (s.vk_path != NULL) != (s.inputs_path != NULL))
        return args_wrong(&spec, "give either a request, or both --vk and --inputs");
    err = run(&s);
    if (err == CZ_OK)
        report(&s);
    close_session(&s);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec.command, s.json, err);
}
