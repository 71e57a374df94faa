/* params fold: a circuit's parameters prepared so that a device's proofs need no C. */
#define _GNU_SOURCE
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "device.h"
#include "params/fold.h"
#include "step_times.h"

typedef struct {
    const char *circuit_id, *folder, *out, *backend, *circuits;
    unsigned threads, vram_mib;
    bool force, json;
    char path[PATH_BYTES];
    cz_pool *pool;
    cz_params params;
    cz_compiled *compiled;
    bench_device device;
    step_times steps;
    uint64_t bytes;
    double seconds;
} fold;

/* --- before the work begins --- */

static cz_err choose_path(fold *f)
{
    if (f->out == NULL)
        return params_path(f->path, params_folder(f->folder), f->circuit_id, ".folded");
    if (snprintf(f->path, sizeof f->path, "%s", f->out) >= (int)sizeof f->path)
        return cz_fail(CZ_E_INPUT, "%s: the path is too long", f->out);
    return CZ_OK;
}

static cz_err spare_what_is_there(const fold *f)
{
    struct stat there;

    if (f->force || stat(f->path, &there) != 0)
        return CZ_OK;
    return cz_fail(CZ_E_INPUT,
                   "%s: is there already; --force makes it anew, params check --folded examines it",
                   f->path);
}

/* As if every input had a point. */
static uint64_t most_bytes(const cz_params *p)
{
    const uint64_t points = (uint64_t)p->h.n + 1 + p->vk.n_ic + p->l.n;

    return points * CZ_G1_UNCOMPRESSED_BYTES + (64 << 10);
}

static cz_err check_space(const fold *f)
{
    const double needed = (double)most_bytes(&f->params);
    const char *slash = strrchr(f->path, '/');
    char folder[PATH_BYTES] = ".";
    struct statvfs disk;
    double space;

    cz_file_drop_leftovers(f->path);
    if (slash != NULL)
        (void)snprintf(folder, sizeof folder, "%.*s", slash == f->path ? 1 : (int)(slash - f->path),
                       f->path);
    if (statvfs(folder, &disk) != 0)
        return cz_fail(CZ_E_NOTFOUND, "%s: there is no such folder", folder);
    space = (double)disk.f_bavail * (double)disk.f_frsize;
    if (space < needed)
        return cz_fail(CZ_E_IO,
                       "%s: the folded file of %s has %.2f GB, and only %.2f GB are free there",
                       folder, f->circuit_id, needed / 1e9, space / 1e9);
    return CZ_OK;
}

/* Known before a large circuit is compiled. */
static cz_err check_device(const fold *f)
{
    if (f->device.gpu != NULL || f->params.h.n < (uint64_t)1 << CZ_FOLD_MAX_LOG_N)
        return CZ_OK;
    return cz_fail(
        CZ_E_DECLINED,
        "%s is folded on a CUDA device only; the CPU would take hours (it takes circuits "
        "of up to 2^%d rows)",
        f->circuit_id, CZ_FOLD_MAX_LOG_N);
}

static const char *place(const fold *f)
{
    return f->device.gpu != NULL ? f->device.info.name : "the CPU";
}

static cz_err prepare(fold *f)
{
    CZ_TRY(choose_path(f));
    CZ_TRY(cz_pool_create(&f->pool, f->threads));
    CZ_TRY(load_params(&f->params, f->folder, f->circuit_id, f->pool));
    CZ_TRY(spare_what_is_there(f));
    CZ_TRY(check_space(f));
    CZ_TRY(bench_device_open(&f->device, f->backend, "fast", f->vram_mib));
    CZ_TRY(check_device(f));
    (void)fprintf(stderr, "folding %s on %s: %.2f GB into %s\n", f->circuit_id, place(f),
                  (double)most_bytes(&f->params) / 1e9, f->path);
    return CZ_OK;
}

/* --- the work --- */

static cz_err make(fold *f)
{
    const cz_fold_options options = {
        .pool = f->pool, .gpu = f->device.gpu, .progress = step_times_show, .ctx = &f->steps};
    cz_err err;

    step_times_begin(&f->steps);
    err = cz_params_fold(&f->params, f->compiled, f->path, &options);
    step_times_end(&f->steps);
    return err;
}

static cz_err measure(fold *f)
{
    struct stat made;

    if (stat(f->path, &made) != 0)
        return cz_fail(CZ_E_IO, "%s: was made, and is gone", f->path);
    f->bytes = (uint64_t)made.st_size;
    return CZ_OK;
}

static cz_err run(fold *f)
{
    const uint64_t start = cz_clock_ns();
    bool was_cached;

    CZ_TRY(prepare(f));
    CZ_TRY(open_compiled_circuit(&f->compiled, &was_cached, f->circuit_id, f->circuits));
    CZ_TRY(make(f));
    f->seconds = (double)(cz_clock_ns() - start) / 1e9;
    return measure(f);
}

static void report(const fold *f)
{
    json_out j;

    if (!f->json) {
        (void)printf("%s\n%" PRIu64 " bytes, made and checked in %.1f s on %s\n ", f->path,
                     f->bytes, f->seconds, place(f));
        step_times_text(&f->steps);
        return;
    }
    json_begin(&j);
    json_text(&j, "circuit_id", f->circuit_id);
    json_text(&j, "params", f->params.path);
    json_text(&j, "folded", f->path);
    json_uint(&j, "bytes", f->bytes);
    json_text(&j, "backend", bench_device_backend(&f->device));
    json_text(&j, "device", f->device.gpu != NULL ? f->device.info.name : NULL);
    json_double(&j, "seconds", f->seconds);
    step_times_json(&f->steps, &j);
    json_uint(&j, "peak_rss_bytes", cz_peak_rss_bytes());
    json_end(&j);
}

static void close_fold(fold *f)
{
    cz_compiled_destroy(f->compiled);
    cz_params_close(&f->params);
    bench_device_close(&f->device);
    cz_pool_destroy(f->pool);
}

int cmd_params_fold(int argc, char **argv)
{
    fold f = {.backend = "auto"};
    const arg_option options[] = {
        {"--circuit", ARG_TEXT, "ID", &f.circuit_id, "see: cuzk-bench circuit list", true},
        {"--dir", ARG_TEXT, "DIR", &f.folder,
         "the parameters' folder; default: FIL_PROOFS_PARAMETER_CACHE, else the network's usual "
         "one",
         false},
        {"--out", ARG_TEXT, "FILE", &f.out,
         "default: beside the parameters, where provers look for it", false},
        {"--force", ARG_FLAG, NULL, &f.force, "replace a file that is there", false},
        {"--backend", ARG_TEXT, "NAME", &f.backend,
         "auto (default): the first CUDA device, else the CPU; cuda; cpu", false},
        {"--vram", ARG_UINT, "MIB", &f.vram_mib,
         "device memory to take at most (default: what is free less 1.5 GiB, or less a tenth)",
         false},
        {"--circuits", ARG_TEXT, "DIR", &f.circuits, "compiled circuits (default: ~/.cache/cuzk)",
         false},
        {"--threads", ARG_UINT, "N", &f.threads, "default: all CPUs", false},
        {"--json", ARG_FLAG, NULL, &f.json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "params fold",
        .synopsis = "--circuit ID [--dir DIR] [options]",
        .about =
            "Make a circuit's folded file (.folded) from its parameters (.params), once. With it\n"
            "a CUDA device proves faster: four transforms a partition instead of six. Proofs\n"
            "have the same bytes and are verified as always, and the parameters stay needed.\n"
            "Provers use a folded file that lies beside the parameters (--folded of prove,\n"
            "gpus.folded of the daemon); on the CPU it gains nothing.\n\n"
            "Nothing secret goes in or comes out, and the file is not taken on trust: it appears\n"
            "under its name only when sums of random multiples of its points agree with those\n"
            "of the parameters. It is about half as large as the parameters, 25.4 GB for\n"
            "porep-32g, and takes minutes on a device. The CPU takes only small circuits:\n"
            "a core-minute for wpost-2k.",
        .example = "  cuzk-bench params fold --circuit snap-32g\n"
                   "  cuzk-bench params fold --circuit porep-32g --dir DIR --backend cuda",
        .options = options,
        .n_options = ARGS_COUNT(options),
    };
    args_result parsed = args_parse(&spec, argc, argv);
    int status = EXIT_DONE;
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    err = run(&f);
    if (err == CZ_OK)
        report(&f);
    else
        status = report_failure(spec.command, f.json, err);
    close_fold(&f);
    return status;
}
