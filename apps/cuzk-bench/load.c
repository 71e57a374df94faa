/* load.c: finding and opening what commands work on. */
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static const char usual_folder[] = "/var/tmp/filecoin-proof-parameters";

/* A request with 256 MiB of vanilla proof, in base64 twice, is the largest that clients send. */
static const size_t max_request_bytes = (size_t)512 << 20;

const char *params_folder(const char *option)
{
    const char *env = getenv("FIL_PROOFS_PARAMETER_CACHE");

    if (option != NULL)
        return option;
    return env != NULL && env[0] != '\0' ? env : usual_folder;
}

cz_err params_path(char out[PATH_BYTES], const char *folder, const char *circuit_id,
                   const char *extension)
{
    char name[512];

    CZ_TRY(args_mistake(cz_circuit_cache_name(name, sizeof name, circuit_id)));
    if (snprintf(out, PATH_BYTES, "%s/%s%s", folder, name, extension) >= PATH_BYTES)
        return cz_fail(CZ_E_INPUT, "%s: the path is too long", folder);
    return CZ_OK;
}

/* A missing file is the newcomer's first failure: say where it was looked for and what to do. */
static cz_err explain_missing(cz_err err, const char *folder, const char *circuit_id)
{
    char message[1024];

    if (err != CZ_E_NOTFOUND)
        return err;
    (void)snprintf(message, sizeof message, "%s", cz_err_message());
    return cz_fail(err,
                   "%s\nThe parameters of %s are not in %s (--params, else "
                   "FIL_PROOFS_PARAMETER_CACHE, else %s). Production parameters come from the "
                   "network; test parameters are made by: cuzk-bench params setup --circuit %s "
                   "--toxic FILE --dir %s",
                   message, circuit_id, folder, usual_folder, circuit_id, folder);
}

static cz_err check_owner(const cz_params *params, const char *circuit_id)
{
    const char *owner = cz_params_circuit_id(params);

    if (owner == NULL)
        return cz_fail(CZ_E_INPUT, "%s: its counts belong to no known circuit, so not to %s",
                       params->path, circuit_id);
    if (strcmp(owner, circuit_id) != 0)
        return cz_fail(CZ_E_INPUT, "%s: belongs to circuit %s, not to %s", params->path, owner,
                       circuit_id);
    return CZ_OK;
}

cz_err load_params(cz_params *out, const char *option, const char *circuit_id, cz_pool *pool)
{
    const char *folder = params_folder(option);
    const cz_params_options options = {.pool = pool};
    char path[PATH_BYTES];
    cz_err err;

    CZ_TRY(params_path(path, folder, circuit_id, ".params"));
    err = cz_params_open_with(out, path, &options);
    if (err != CZ_OK)
        return explain_missing(err, folder, circuit_id);
    err = check_owner(out, circuit_id);
    if (err != CZ_OK)
        cz_params_close(out);
    return err;
}

/* Move the key out of an open parameter file. */
static cz_err take_vk(cz_vk *out, cz_params *params)
{
    *out = params->vk;
    params->vk = (cz_vk){0};
    cz_params_close(params);
    return CZ_OK;
}

cz_err load_vk(cz_vk *out, const char *option, const char *circuit_id, cz_pool *pool)
{
    char path[PATH_BYTES];
    cz_params params;
    cz_err err;

    CZ_TRY(params_path(path, params_folder(option), circuit_id, ".vk"));
    err = cz_vk_read(out, path);
    if (err != CZ_E_NOTFOUND)
        return err;
    CZ_TRY(load_params(&params, option, circuit_id, pool));
    return take_vk(out, &params);
}

static cz_err decode_job(cz_job **out, const uint8_t *bytes, size_t n, cz_pool *pool)
{
    cz_request *request;
    cz_err err;

    CZ_TRY(cz_request_parse(&request, bytes, n));
    err = cz_job_create(out, request, pool);
    cz_request_destroy(request);
    return err;
}

cz_err load_job(cz_job **out, const char *path, cz_pool *pool, cz_trace *trace)
{
    cz_span span = cz_trace_begin(trace, CZ_PHASE_DESERIALIZE, 0);
    uint8_t *bytes;
    size_t n;
    cz_err err;

    CZ_TRY(cz_file_read(path, max_request_bytes, &bytes, &n));
    err = decode_job(out, bytes, n, pool);
    free(bytes);
    cz_trace_end(&span);
    return err == CZ_OK ? CZ_OK : cz_fail_in(err, "%s", path);
}

/* --- before long work --- */

cz_err check_output(const char *path)
{
    char folder[PATH_BYTES];
    struct stat there;
    char *slash;

    if (path == NULL)
        return CZ_OK;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return cz_fail(CZ_E_INPUT, "%s: no regular file; name another one", path);
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder)
        return cz_fail(CZ_E_INPUT, "%s: the path is too long", path);
    slash = strrchr(folder, '/');
    if (slash == NULL)
        (void)strcpy(folder, ".");
    else
        slash[slash == folder] = '\0';
    if (access(folder, W_OK | X_OK) == 0)
        return CZ_OK;
    return cz_fail(errno == ENOENT ? CZ_E_NOTFOUND : CZ_E_IO, "%s: cannot be written: %s: %s", path,
                   folder, strerror(errno));
}
