/* params check: what state are the parameter files in? */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "device.h"
#include "params/fold.h"
#include "params/manifest.h"
#include "report.h"

typedef struct {
    arg_list circuits;
    const char *folder, *manifest_path, *backend, *circuit_folder;
    bool points, folded, json;
    unsigned threads;
    cz_pool *pool;
    bench_device device; /* for folded files */
    cz_manifest manifest;
    progress bar;
    json_out out;
    size_t n_present, n_absent, n_bad;
} check;

static void show_digest(void *ctx, uint64_t done, uint64_t total)
{
    progress_show(ctx, "digest", done, total);
}

/* The .vk file must hold exactly the key that the .params file begins with. */
static cz_err check_vk(const char *path, const cz_params *params)
{
    size_t head = cz_vk_bytes(&params->vk);
    const uint8_t *bytes;
    size_t n;
    bool same;

    CZ_TRY(cz_file_map(path, &bytes, &n));
    same = n == head && memcmp(bytes, params->map, n) == 0;
    cz_file_unmap(bytes, n);
    if (!same)
        return cz_fail(CZ_E_INPUT, "%s: is not the key that the .params file begins with", path);
    return CZ_OK;
}

static cz_err check_digest(check *c, const char *path)
{
    if (c->manifest_path == NULL)
        return CZ_OK;
    return cz_manifest_check(&c->manifest, path, show_digest, &c->bar);
}

/* --- folded files --- */

static void show_step(void *ctx, const char *step, uint64_t done, uint64_t total)
{
    progress_show(ctx, step, done, total);
}

/* Random sums of its points against the parameters'. */
static cz_err check_folded_points(check *c, const cz_params *params, const cz_folded *folded)
{
    const cz_fold_options options = {
        .pool = c->pool, .gpu = c->device.gpu, .progress = show_step, .ctx = &c->bar};
    cz_compiled *compiled;
    bool was_cached;
    cz_err err;

    CZ_TRY(open_compiled_circuit(&compiled, &was_cached, folded->circuit_id, c->circuit_folder));
    err = cz_folded_check(params, folded, compiled, &options);
    cz_compiled_destroy(compiled);
    return err;
}

/* A file beside the parameters is optional where it is not asked for, but what is there must be
 * right. */
static cz_err check_folded(check *c, const cz_params *params, const char *id, bool *is_there)
{
    char *path = cz_folded_path(params->path);
    cz_folded folded;
    cz_err err;

    if (path == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a path");
    err = cz_folded_open(&folded, path, params, id);
    free(path);
    *is_there = err != CZ_E_NOTFOUND;
    if (err != CZ_OK)
        return *is_there || (c->folded && c->circuits.n != 0) ? err : CZ_OK;
    if (c->points)
        err = cz_params_check_points(&folded.file, c->pool);
    if (err == CZ_OK && c->folded)
        err = check_folded_points(c, params, &folded);
    cz_folded_close(&folded);
    return err;
}

/* --- all files of a circuit --- */

typedef struct {
    const char *state; /* what to call the parameters */
    bool folded;       /* they have a folded file */
} found;

/* What to call files of which a step said this; `missing` where it did not find something. */
static const char *state_after(cz_err err, const char *missing)
{
    if (err == CZ_E_INPUT || err == CZ_E_UNSUPPORTED)
        return "damaged";
    if (err == CZ_E_NOTFOUND)
        return missing;
    return err == CZ_E_IO ? "unreadable" : "not checked";
}

/* A step of several: its outcome names the state, if it is no good one. */
static cz_err step(found *f, cz_err err, const char *missing)
{
    if (err != CZ_OK)
        f->state = state_after(err, missing);
    return err;
}

static cz_err check_circuit(found *f, const cz_params *params, const char *id)
{
    const char *owner = cz_params_circuit_id(params);

    if (owner != NULL && strcmp(owner, id) == 0)
        return CZ_OK;
    f->state = "wrong circuit";
    return cz_fail(CZ_E_INPUT, "%s: its counts belong to %s", params->path,
                   owner != NULL ? owner : "no known circuit");
}

static cz_err examine_folded(check *c, const cz_params *params, const char *id, found *f)
{
    const cz_err err = check_folded(c, params, id, &f->folded);

    if (err != CZ_OK)
        f->state = err == CZ_E_INPUT || err == CZ_E_UNSUPPORTED ? "wrong folded file"
                                                                : "folded file not checked";
    return err;
}

static cz_err examine_open(check *c, const cz_params *params, const char *id, found *f)
{
    char vk[PATH_BYTES];

    CZ_TRY(params_path(vk, c->folder, id, ".vk"));
    CZ_TRY(check_circuit(f, params, id));
    CZ_TRY(step(f, check_vk(vk, params), "without its key"));
    if (c->points)
        CZ_TRY(step(f, cz_params_check_points(params, c->pool), "absent"));
    CZ_TRY(step(f, check_digest(c, params->path), "not in the manifest"));
    CZ_TRY(step(f, check_digest(c, vk), "not in the manifest"));
    f->state = "present";
    return examine_folded(c, params, id, f);
}

/* Everything that is asked of one circuit's files. */
static cz_err examine(check *c, const char *id, found *f)
{
    const cz_params_options options = {.pool = c->pool};
    char path[PATH_BYTES];
    cz_params params;
    cz_err err;

    CZ_TRY(params_path(path, c->folder, id, ".params"));
    CZ_TRY(step(f, cz_params_open_with(&params, path, &options), "absent"));
    err = examine_open(c, &params, id, f);
    cz_params_close(&params);
    return err;
}

static void check_one(check *c, const char *id)
{
    found f = {.state = "unknown"};
    cz_err err = examine(c, id, &f);
    const bool absent = strcmp(f.state, "absent") == 0;

    progress_clear(&c->bar);
    c->n_present += err == CZ_OK;
    c->n_absent += absent;
    c->n_bad += err != CZ_OK && !absent;
    if (c->json) {
        json_object(&c->out, NULL);
        json_text(&c->out, "circuit", id);
        json_text(&c->out, "state", f.state);
        json_bool(&c->out, "folded", f.folded);
        json_text(&c->out, "why", err == CZ_OK ? NULL : cz_err_message());
        json_close(&c->out);
        return;
    }
    (void)printf("%-22s %s%s\n", id, f.state, err == CZ_OK && f.folded ? ", folded" : "");
    if (err != CZ_OK && (!absent || c->circuits.n != 0)) /* whoever lists all wants no file names */
        (void)printf("%-22s %s\n", "", cz_err_message());
}

static void say_sum(const check *c)
{
    if (!c->json && c->circuits.n == 0)
        (void)printf("%s: %zu present, %zu absent, %zu not as they should be\n", c->folder,
                     c->n_present, c->n_absent, c->n_bad);
}

/* The circuits asked for, else all. */
static void check_all(check *c)
{
    if (c->json) {
        json_begin(&c->out);
        json_text(&c->out, "dir", c->folder);
        json_array(&c->out, "parameters");
    }
    if (c->circuits.n != 0)
        for (size_t i = 0; i < c->circuits.n; i++)
            check_one(c, c->circuits.items[i]);
    else
        for (const char *const *id = cz_circuit_ids(); *id != NULL; id++)
            check_one(c, *id);
    if (c->json)
        json_end(&c->out);
    say_sum(c);
}

/* Named circuits must all be present; without names, something must be, and nothing broken. */
static int verdict(const check *c)
{
    if (c->n_bad != 0 || c->n_present == 0)
        return EXIT_FAILED;
    return c->circuits.n != 0 && c->n_absent != 0 ? EXIT_FAILED : EXIT_DONE;
}

/* Who mistypes the folder's name is not to search for files in it. */
static cz_err check_folder(const char *folder)
{
    struct stat st;

    if (stat(folder, &st) != 0)
        return cz_fail(errno == ENOENT ? CZ_E_NOTFOUND : CZ_E_IO, "%s: %s", folder,
                       strerror(errno));
    return S_ISDIR(st.st_mode) ? CZ_OK : cz_fail(CZ_E_INPUT, "%s: not a folder", folder);
}

static cz_err check_names(const check *c)
{
    char name[CZ_CACHE_NAME_MAX];

    for (size_t i = 0; i < c->circuits.n; i++)
        CZ_TRY(args_mistake(cz_circuit_cache_name(name, sizeof name, c->circuits.items[i])));
    return CZ_OK;
}

/* What the examinations need. */
static cz_err prepare(check *c)
{
    CZ_TRY(check_names(c));
    CZ_TRY(check_folder(c->folder));
    CZ_TRY(cz_pool_create(&c->pool, c->threads));
    if (c->folded)
        CZ_TRY(bench_device_open(&c->device, c->backend, "fast", 0));
    if (c->manifest_path != NULL)
        CZ_TRY(cz_manifest_read(&c->manifest, c->manifest_path));
    return CZ_OK;
}

int cmd_params_check(int argc, char **argv)
{
    check c = {.backend = "auto"};
    const arg_option options[] = {
        {"--circuit", ARG_LIST, "ID", &c.circuits, "only these circuits; they must be present",
         false},
        {"--dir", ARG_TEXT, "DIR", &c.folder,
         "default: FIL_PROOFS_PARAMETER_CACHE, else the network's usual folder", false},
        {"--points", ARG_FLAG, NULL, &c.points,
         "check every point, also of .folded files: curve, subgroup (minutes for 32 GiB sectors)",
         false},
        {"--folded", ARG_FLAG, NULL, &c.folded,
         "check the points of .folded files by random sums (minutes for 32 GiB sectors)", false},
        {"--backend", ARG_TEXT, "NAME", &c.backend,
         "for --folded: auto (default): the first CUDA device, else the CPU; cuda; cpu", false},
        {"--circuits", ARG_TEXT, "DIR", &c.circuit_folder,
         "for --folded: compiled circuits (default: ~/.cache/cuzk)", false},
        {"--manifest", ARG_TEXT, "FILE", &c.manifest_path,
         "the network's parameters.json: compare digests", false},
        {"--threads", ARG_UINT, "N", &c.threads, "default: all CPUs", false},
        {"--json", ARG_FLAG, NULL, &c.json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "params check",
        .synopsis = "[--circuit ID]... [--dir DIR] [options]",
        .about =
            "Say for each circuit whether its parameter files are present, absent, damaged,\n"
            "unreadable, or those of another circuit. Lengths, counts and the verifying key are\n"
            "always checked, and whether a folded file beside them was made from them. Exit\n"
            "status 0: all that were named are present (with --folded, with such a file; without\n"
            "names: at least one is, and nothing is wrong with any).",
        .example = "  cuzk-bench params check --circuit porep-2k --dir /tmp/params\n"
                   "  porep-2k               present",
        .options = options,
        .n_options = ARGS_COUNT(options),
    };
    args_result parsed = args_parse(&spec, argc, argv);
    int status = EXIT_FAILED;
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    c.folder = params_folder(c.folder);
    progress_init(&c.bar);
    err = prepare(&c);
    if (err == CZ_OK) {
        check_all(&c);
        status = verdict(&c);
    } else {
        status = report_failure(spec.command, c.json, err);
    }
    bench_device_close(&c.device);
    cz_manifest_clear(&c.manifest);
    cz_pool_destroy(c.pool);
    args_clear(&c.circuits);
    return status;
}
