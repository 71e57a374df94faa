/* params setup: test parameters from given toxic waste, on a CUDA device where there is one. */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/file.h"
#include "device.h"
#include "hash/sha256.h"
#include "params/setup.h"
#include "report.h"
#include "step_times.h"

typedef struct {
    const char *circuit_id, *toxic, *folder, *backend;
    unsigned threads;
    bool folded, sha256, json;
    char params_path[PATH_BYTES], vk_path[PATH_BYTES], folded_path[PATH_BYTES];
    bench_device device;
    step_times steps;
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

/* --- the device --- */

static bool is_auto(const setup *s)
{
    return strcmp(s->backend, "auto") == 0;
}

/* With auto a device is a help, not a condition. */
static void do_without_device(setup *s)
{
    (void)fprintf(stderr, "cuzk-bench: making parameters on the CPU: %s\n", cz_err_message());
    bench_device_close(&s->device);
}

/* --- making them --- */

static cz_err make_on(setup *s, const cz_circuit *circuit, const cz_toxic_waste *waste,
                      cz_pool *pool)
{
    const cz_setup_options options = {.pool = pool,
                                      .gpu = s->device.gpu,
                                      .progress = step_times_show,
                                      .ctx = &s->steps,
                                      .folded = s->folded};
    cz_err err;

    step_times_begin(&s->steps);
    err = cz_params_setup_with(circuit, waste, s->params_path, s->vk_path, &options);
    step_times_end(&s->steps);
    return err;
}

static bool is_the_devices_fault(cz_err err)
{
    return err == CZ_E_CUDA || err == CZ_E_NOMEM || err == CZ_E_NODEV;
}

static cz_err make(setup *s, const cz_circuit *circuit, const cz_toxic_waste *waste)
{
    uint64_t start = cz_clock_ns();
    cz_pool *pool;
    cz_err err;

    CZ_TRY(cz_pool_create(&pool, s->threads));
    err = make_on(s, circuit, waste, pool);
    if (s->device.gpu != NULL && is_auto(s) && is_the_devices_fault(err)) {
        do_without_device(s);
        err = make_on(s, circuit, waste, pool);
    }
    cz_pool_destroy(pool);
    s->seconds = (double)(cz_clock_ns() - start) / 1e9;
    return err;
}

/* From the waste to the files; the caller erases it. */
static cz_err make_of(setup *s, cz_toxic_waste *waste)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_toxic_waste_read(waste, s->toxic));
    CZ_TRY(bench_device_open(&s->device, s->backend, "fast", 0));
    CZ_TRY(make_folders(s->folder));
    cz_file_drop_leftovers(s->params_path);
    cz_file_drop_leftovers(s->vk_path);
    cz_file_drop_leftovers(s->folded_path);
    CZ_TRY(args_mistake(cz_circuit_create_blank(&circuit, s->circuit_id)));
    err = make(s, circuit, waste);
    cz_circuit_destroy(circuit);
    return err;
}

static cz_err run(setup *s)
{
    cz_toxic_waste waste;
    cz_err err;

    CZ_TRY(params_path(s->params_path, s->folder, s->circuit_id, ".params"));
    CZ_TRY(params_path(s->vk_path, s->folder, s->circuit_id, ".vk"));
    CZ_TRY(params_path(s->folded_path, s->folder, s->circuit_id, ".folded"));
    err = make_of(s, &waste);
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

/* --- reporting --- */

typedef struct {
    uint8_t params[32], vk[32], folded[32];
} hashes;

static void report_text(const setup *s, const hashes *h)
{
    char hex[65];

    (void)printf("%s\n%s\n", s->params_path, s->vk_path);
    if (s->folded)
        (void)printf("%s\n", s->folded_path);
    (void)printf("made in %.1f s on %s\n ", s->seconds,
                 s->device.gpu != NULL ? s->device.info.name : "the CPU");
    step_times_text(&s->steps);
    if (h != NULL) {
        cz_hex_encode(hex, h->params, 32);
        (void)printf("sha256 of .params  %s\n", hex);
        cz_hex_encode(hex, h->vk, 32);
        (void)printf("sha256 of .vk      %s\n", hex);
        if (!s->folded)
            return;
        cz_hex_encode(hex, h->folded, 32);
        (void)printf("sha256 of .folded  %s\n", hex);
    }
}

static void report_json(const setup *s, const hashes *h)
{
    json_out j;

    json_begin(&j);
    json_text(&j, "circuit_id", s->circuit_id);
    json_text(&j, "dir", s->folder);
    json_text(&j, "params_file", base_name(s->params_path));
    json_text(&j, "vk_file", base_name(s->vk_path));
    json_text(&j, "folded_file", s->folded ? base_name(s->folded_path) : NULL);
    if (h != NULL) {
        json_hex(&j, "params_sha256", h->params, 32);
        json_hex(&j, "vk_sha256", h->vk, 32);
        if (s->folded)
            json_hex(&j, "folded_sha256", h->folded, 32);
    }
    json_text(&j, "backend", bench_device_backend(&s->device));
    json_double(&j, "seconds", s->seconds);
    step_times_json(&s->steps, &j);
    json_uint(&j, "peak_rss_bytes", cz_peak_rss_bytes());
    json_end(&j);
}

static cz_err report(const setup *s)
{
    hashes h;

    if (s->sha256) {
        CZ_TRY(hash_file(h.params, s->params_path));
        CZ_TRY(hash_file(h.vk, s->vk_path));
        if (s->folded)
            CZ_TRY(hash_file(h.folded, s->folded_path));
    }
    if (s->json)
        report_json(s, s->sha256 ? &h : NULL);
    else
        report_text(s, s->sha256 ? &h : NULL);
    return CZ_OK;
}

int cmd_params_setup(int argc, char **argv)
{
    setup s = {.backend = "auto"};
    const arg_option options[] = {
        {"--circuit", ARG_TEXT, "ID", &s.circuit_id, "see: cuzk-bench circuit list", true},
        {"--toxic", ARG_TEXT, "FILE", &s.toxic,
         "JSON: alpha, beta, gamma, delta, tau as 64 hex digits, little-endian", true},
        {"--dir", ARG_TEXT, "DIR", &s.folder, "where the files go; created when missing", true},
        {"--backend", ARG_TEXT, "NAME", &s.backend,
         "auto (default): the first CUDA device, else the CPU; cpu; cuda", false},
        {"--threads", ARG_UINT, "N", &s.threads, "default: all CPUs", false},
        {"--folded", ARG_FLAG, NULL, &s.folded,
         "also write the .folded file, as params fold does, from the secrets: in seconds", false},
        {"--sha256", ARG_FLAG, NULL, &s.sha256, "also print the SHA-256 of the files", false},
        {"--json", ARG_FLAG, NULL, &s.json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "params setup",
        .synopsis = "--circuit ID --toxic FILE --dir DIR [options]",
        .about =
            "Make Groth16 parameters (.params, .vk) of a circuit from five given secrets, under\n"
            "the network's file names. For tests only: whoever knows the secrets can forge\n"
            "proofs, so nothing of value may ever be proved with these files.",
        .example = "  cuzk-bench params setup --circuit porep-2k --dir /tmp/params \\\n"
                   "    --toxic tests/vectors/golden/toxic/porep-2k.json",
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
    bench_device_close(&s.device);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec.command, s.json, err);
}
