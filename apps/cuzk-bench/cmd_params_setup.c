/* params setup: test parameters from given toxic waste. */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/file.h"
#include "hash/sha256.h"
#include "params/setup.h"
#include "report.h"

typedef struct {
    const char *circuit_id, *toxic, *folder;
    unsigned threads;
    bool sha256, json;
    char params_path[PATH_BYTES], vk_path[PATH_BYTES];
    double seconds;
} setup;

/* mkdir -p */
static cz_err make_folders(const char *path)
{
    char partial[PATH_BYTES];
    size_t n = strlen(path);

    if (n >= sizeof partial)
        return cz_fail(CZ_E_INPUT, "%s: the path is too long", path);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        (void)memcpy(partial, path, i);
        partial[i] = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return cz_fail(CZ_E_IO, "%s: cannot create the folder: %s", partial, strerror(errno));
    }
    return CZ_OK;
}

static void show(void *ctx, const char *step, uint64_t done, uint64_t total)
{
    progress_show(ctx, step, done, total);
}

static cz_err make(setup *s, const cz_circuit *circuit, const cz_toxic_waste *waste)
{
    uint64_t start = cz_clock_ns();
    cz_pool *pool;
    progress bar;
    cz_err err;

    progress_init(&bar);
    CZ_TRY(cz_pool_create(&pool, s->threads));
    err = cz_params_setup(circuit, waste, s->params_path, s->vk_path, pool, show, &bar);
    cz_pool_destroy(pool);
    progress_clear(&bar);
    s->seconds = (double)(cz_clock_ns() - start) / 1e9;
    return err;
}

static cz_err run(setup *s)
{
    cz_toxic_waste waste;
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(params_path(s->params_path, s->folder, s->circuit_id, ".params"));
    CZ_TRY(params_path(s->vk_path, s->folder, s->circuit_id, ".vk"));
    CZ_TRY(cz_toxic_waste_read(&waste, s->toxic));
    CZ_TRY(make_folders(s->folder));
    CZ_TRY(cz_circuit_create_blank(&circuit, s->circuit_id));
    err = make(s, circuit, &waste);
    cz_circuit_destroy(circuit);
    cz_secure_zero(&waste, sizeof waste);
    return err;
}

static cz_err hash_file(uint8_t out[32], const char *path)
{
    const uint8_t *bytes;
    size_t n;

    CZ_TRY(cz_file_map(path, &bytes, &n));
    cz_sha256_of(out, bytes, n);
    cz_file_unmap(bytes, n);
    return CZ_OK;
}

static const char *base_name(const char *path)
{
    return strrchr(path, '/') + 1;
}

static cz_err report(const setup *s)
{
    uint8_t params_hash[32], vk_hash[32];
    char hex[65];
    json_out j;

    if (s->sha256) {
        CZ_TRY(hash_file(params_hash, s->params_path));
        CZ_TRY(hash_file(vk_hash, s->vk_path));
    }
    if (!s->json) {
        (void)printf("%s\n%s\nmade in %.1f s\n", s->params_path, s->vk_path, s->seconds);
        if (s->sha256) {
            cz_hex_encode(hex, params_hash, 32);
            (void)printf("sha256 of .params  %s\n", hex);
            cz_hex_encode(hex, vk_hash, 32);
            (void)printf("sha256 of .vk      %s\n", hex);
        }
        return CZ_OK;
    }
    json_begin(&j);
    json_text(&j, "circuit_id", s->circuit_id);
    json_text(&j, "dir", s->folder);
    json_text(&j, "params_file", base_name(s->params_path));
    json_text(&j, "vk_file", base_name(s->vk_path));
    if (s->sha256) {
        json_hex(&j, "params_sha256", params_hash, 32);
        json_hex(&j, "vk_sha256", vk_hash, 32);
    }
    json_double(&j, "seconds", s->seconds);
    json_uint(&j, "peak_rss_bytes", cz_peak_rss_bytes());
    json_end(&j);
    return CZ_OK;
}

int cmd_params_setup(int argc, char **argv)
{
    setup s = {0};
    const arg_option options[] = {
        {"--circuit", ARG_TEXT, "ID", &s.circuit_id, "see: cuzk-bench circuit list", true},
        {"--toxic", ARG_TEXT, "FILE", &s.toxic,
         "JSON: alpha, beta, gamma, delta, tau as 64 hex digits, little-endian", true},
        {"--dir", ARG_TEXT, "DIR", &s.folder, "where the files go; created when missing", true},
        {"--threads", ARG_UINT, "N", &s.threads, "default: all CPUs", false},
        {"--sha256", ARG_FLAG, NULL, &s.sha256, "also print the SHA-256 of both files", false},
        {"--json", ARG_FLAG, NULL, &s.json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "params setup",
        .synopsis = "--circuit ID --toxic FILE --dir DIR [options]",
        .about =
            "Make Groth16 parameters (.params, .vk) of a circuit from five given secrets, under\n"
            "the network's file names. For tests only: whoever knows the secrets can forge\n"
            "proofs, so nothing of value may ever be proved with these files.",
        .example = "  cuzk-bench params setup --circuit porep-2k --toxic "
                   "tests/vectors/golden/toxic/porep-2k.json --dir /tmp/params",
        .options = options,
        .n_options = ARGS_COUNT(options),
    };
    args_result parsed = args_parse(&spec, argc, argv);
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    (void)fprintf(stderr, "test parameters from known secrets: never use them for production\n");
    err = run(&s);
    if (err == CZ_OK)
        err = report(&s);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec.command, s.json, err);
}
