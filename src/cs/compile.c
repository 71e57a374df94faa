/* compile.c: see compile.h. */
#define _GNU_SOURCE
#include "cs/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "cs/compiled_state.h"
#include "cs/digest.h"
#include "cs/recorder.h"

/* The two halves of the work, done at once. */
typedef struct {
    const cz_circuit *circuit;
    const cz_compile_options *options;
    cz_circuit_stats direct;   /* of the circuit itself */
    cz_circuit_stats expanded; /* of its compiled form */
    cz_compiled *compiled;
} work;

static cz_err record_and_expand(work *w)
{
    const cz_digest_options options = {.threads = 1};
    cz_expansion expansion;
    uint8_t *image;
    size_t n;

    CZ_TRY(cz_record_circuit(&image, &n, w->circuit));
    cz_compiled_checksum(((cz_compiled_header *)(void *)image)->checksum, image, n);
    CZ_TRY(cz_compiled_adopt(&w->compiled, image, n, w->circuit->id));
    expansion = cz_compiled_expand(w->compiled);
    return cz_circuit_digest(&w->expanded, &expansion.circuit, &options);
}

static cz_err hash_directly(work *w)
{
    const cz_digest_options options = {
        .threads = 1, .progress = w->options->progress, .ctx = w->options->ctx};

    return cz_circuit_digest(&w->direct, w->circuit, &options);
}

static cz_err do_half(void *ctx, size_t begin, size_t end, unsigned worker)
{
    work *w = ctx;

    (void)worker;
    for (size_t half = begin; half < end; half++) {
        if (half == 0)
            CZ_TRY(record_and_expand(w));
        else
            CZ_TRY(hash_directly(w));
    }
    return CZ_OK;
}

static void put_stats(cz_compiled_header *h, const cz_circuit_stats *s)
{
    h->nnz_a = s->nnz_a;
    h->nnz_b = s->nnz_b;
    h->nnz_c = s->nnz_c;
    h->dens_a_aux = s->dens_a_aux;
    h->dens_b_input = s->dens_b_input;
    h->dens_b_aux = s->dens_b_aux;
    memcpy(h->circuit_digest, s->sha256, sizeof h->circuit_digest);
}

static cz_err verify_and_seal(work *w)
{
    cz_compiled_header *h = (cz_compiled_header *)(void *)w->compiled->image;

    if (memcmp(&w->direct, &w->expanded, sizeof w->direct) != 0)
        return cz_fail(CZ_E_INTERNAL, "%s: the compiled form is not the circuit", w->circuit->id);
    put_stats(h, &w->direct);
    cz_compiled_checksum(h->checksum, w->compiled->image, w->compiled->n_bytes);
    return CZ_OK;
}

cz_err cz_circuit_compile(cz_compiled **out, const cz_circuit *circuit,
                          const cz_compile_options *options)
{
    static const cz_compile_options none = {.pool = NULL};
    work w = {.circuit = circuit, .options = options != NULL ? options : &none};
    cz_err err = cz_parallel_for(w.options->pool, 2, 1, do_half, &w);

    if (err == CZ_OK)
        err = verify_and_seal(&w);
    if (err != CZ_OK) {
        cz_compiled_destroy(w.compiled);
        return err;
    }
    *out = w.compiled;
    return CZ_OK;
}

/* ---- the folder ---- */

char *cz_compiled_path(const char *folder, const char *id)
{
    char *path;

    if (asprintf(&path, "%s/%s-v%d.cuzk-circuit", folder, id, (int)CZ_COMPILED_VERSION) < 0)
        return NULL;
    return path;
}

cz_err cz_compiled_default_folder(char **out)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int n;

    if (cache != NULL && cache[0] == '/')
        n = asprintf(out, "%s/cuzk", cache);
    else if (home != NULL && home[0] != '\0')
        n = asprintf(out, "%s/.cache/cuzk", home);
    else
        return cz_fail(CZ_E_NOTFOUND, "no folder for compiled circuits: HOME is not set");
    return n >= 0 ? CZ_OK : cz_fail(CZ_E_NOMEM, "no memory for the name of a folder");
}

/* The folder and those above it; false, and errno, when one cannot be made. */
static bool make_folders(const char *folder)
{
    char *path = strdup(folder);
    bool ok = path != NULL;

    for (char *p = path; ok && *p != '\0'; p++) {
        if (*p != '/' || p == path)
            continue;
        *p = '\0';
        ok = mkdir(path, 0755) == 0 || errno == EEXIST;
        *p = '/';
    }
    ok = ok && (mkdir(path, 0755) == 0 || errno == EEXIST);
    free(path);
    return ok;
}

static void save_if_possible(const cz_compiled *c, const char *folder, const char *path)
{
    if (!make_folders(folder)) {
        cz_log(CZ_LOG_WARN, "%s: cannot create: %s", folder, strerror(errno));
        return;
    }
    if (cz_compiled_save(c, path) != CZ_OK)
        cz_log(CZ_LOG_WARN, "the compiled circuit is not kept: %s", cz_err_message());
}

static cz_err open_at(cz_compiled **out, const cz_circuit *circuit, const char *folder,
                      const char *path, const cz_compile_options *options, bool *was_cached)
{
    cz_err err = cz_compiled_load(out, path, circuit->id);

    *was_cached = err == CZ_OK;
    if (err == CZ_OK || err == CZ_E_NOMEM)
        return err;
    if (err != CZ_E_NOTFOUND)
        cz_log(CZ_LOG_WARN, "compiling %s again: %s", circuit->id, cz_err_message());
    CZ_TRY(cz_circuit_compile(out, circuit, options));
    save_if_possible(*out, folder, path);
    return CZ_OK;
}

cz_err cz_compiled_open(cz_compiled **out, const cz_circuit *circuit, const char *folder,
                        const cz_compile_options *options, bool *was_cached)
{
    char *path = cz_compiled_path(folder, circuit->id);
    bool cached;
    cz_err err;

    if (path == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for the name of a file", circuit->id);
    err = open_at(out, circuit, folder, path, options, &cached);
    free(path);
    if (err == CZ_OK && was_cached != NULL)
        *was_cached = cached;
    return err;
}
