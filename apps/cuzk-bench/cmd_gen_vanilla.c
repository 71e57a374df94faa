/* gen-vanilla: requests with synthetic vanilla proofs that satisfy their circuits. */
#include "commands.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "filecoin/gen_vanilla.h"
#include "hash/sha256.h"
#include "report.h"

typedef struct {
    const char *kind, *size, *out;
    unsigned seed, threads, registered_proof;
    bool sealed, json;
    cz_pool *pool;
    cz_gen_text request;
} session;

static cz_err parse_kind(cz_proof_kind *out, const char *text)
{
    for (cz_proof_kind kind = CZ_KIND_POREP; kind <= CZ_KIND_WINNING; kind++)
        if (strcmp(cz_proof_kind_name(kind), text) == 0) {
            *out = kind;
            return CZ_OK;
        }
    return args_mistake(
        cz_fail(CZ_E_INPUT, "'%.32s' is no kind of proof; porep, winning, wpost, snap", text));
}

/* Bytes, or a number with a unit: 2k, 2KiB, 32G, 32GiB. */
static cz_err parse_size(uint64_t *out, const char *text)
{
    static const char units[] = "kmg";
    char *rest;
    const unsigned long long n = strtoull(text, &rest, 10);
    const char *unit = *rest == '\0' ? NULL : strchr(units, tolower((unsigned char)*rest));
    const unsigned shift = unit == NULL ? 0 : 10 * (unsigned)(unit - units + 1);

    *out = (uint64_t)n << shift;
    if (unit != NULL)
        rest++;
    if (unit != NULL && strcmp(rest, "iB") == 0)
        rest += 2;
    if (n == 0 || n >> 40 != 0 || *rest != '\0' || cz_sector_size_tag(*out) == NULL)
        return args_mistake(cz_fail(
            CZ_E_INPUT, "'%.32s' is no sector size; 2KiB, 8MiB, 512MiB, 32GiB, 64GiB", text));
    return CZ_OK;
}

static void print_result(const session *s)
{
    uint8_t sha256[32];
    json_out j;

    cz_sha256_of(sha256, s->request.bytes, s->request.n);
    if (!s->json) {
        (void)printf("%s: %zu bytes\n", s->out, s->request.n);
        return;
    }
    json_begin(&j);
    json_text(&j, "out", s->out);
    json_uint(&j, "bytes", s->request.n);
    json_hex(&j, "sha256", sha256, sizeof sha256);
    json_end(&j);
}

static cz_err run(session *s)
{
    cz_gen_order order = {.seed = s->seed, .sealed = s->sealed};

    CZ_TRY(parse_kind(&order.kind, s->kind));
    CZ_TRY(parse_size(&order.sector_size, s->size));
    order.has_registered_proof = s->registered_proof != UINT_MAX;
    order.registered_proof = s->registered_proof;
    CZ_TRY(cz_pool_create(&s->pool, s->threads));
    CZ_TRY(cz_gen_request_for(&s->request, &order, s->pool));
    CZ_TRY(cz_file_write_all(s->out, s->request.bytes, s->request.n));
    print_result(s);
    return CZ_OK;
}

int cmd_gen_vanilla(int argc, char **argv)
{
    session s = {.seed = 1, .registered_proof = UINT_MAX};
    const arg_option options[] = {
        {"--sector-size", ARG_TEXT, "S", &s.size, "2KiB, 8MiB, 512MiB, 32GiB or 64GiB", true},
        {"--seed", ARG_UINT, "N", &s.seed, "default: 1", false},
        {"--registered-proof", ARG_UINT, "N", &s.registered_proof,
         "number of the proof type (default: PoReps V1_1, windows V1_2)", false},
        {"--sealed", ARG_FLAG, NULL, &s.sealed,
         "seal sectors for it, up to 8MiB; PoReps may be synthetic or non-interactive then", false},
        {"--out", ARG_TEXT, "REQUEST.json", &s.out, "the request", true},
        {"--threads", ARG_UINT, "N", &s.threads, "default: all CPUs", false},
        {"--json", ARG_FLAG, NULL, &s.json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "gen-vanilla",
        .synopsis = "porep|winning|wpost|snap --sector-size S --out REQUEST.json [options]",
        .about =
            "Make a request whose vanilla proof satisfies the circuit, without a sector: trees "
            "hold\n"
            "what the challenges need, and values from the seed elsewhere. For tests and "
            "measurements\n"
            "at full size; such a proof says nothing about any real sector. The same seed "
            "gives the\n"
            "same file. Window requests hold a full partition.",
        .example = "  cuzk-bench gen-vanilla wpost --sector-size 32GiB --out wpost.json\n"
                   "  cuzk-bench witness wpost.json",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &s.kind,
        .min_positionals = 1,
        .max_positionals = 1,
    };
    const args_result parsed = args_parse(&spec, argc, argv);
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    err = run(&s);
    cz_gen_text_clear(&s.request);
    cz_pool_destroy(s.pool);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec.command, s.json, err);
}
