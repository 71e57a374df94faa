/* circuit_cache.c: see circuit_cache.h. */
#define _GNU_SOURCE
#include "engine/circuit_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/trace.h"
#include "cs/compile.h"
#include "filecoin/job.h"

typedef struct {
    pthread_mutex_t lock; /* held while the circuit is opened */
    cz_compiled *compiled;
} entry;

struct cz_circuit_cache {
    char *folder;   /* NULL: none */
    size_t n;       /* circuits of the network */
    entry *entries; /* in the order of cz_circuit_ids */
};

static size_t count_circuits(void)
{
    size_t n = 0;

    while (cz_circuit_ids()[n] != NULL)
        n++;
    return n;
}

static cz_err choose_folder(cz_circuit_cache *cache, const char *folder)
{
    if (folder != NULL && folder[0] == '\0')
        return CZ_OK;
    if (folder != NULL) {
        cache->folder = strdup(folder);
        return cache->folder == NULL ? cz_fail(CZ_E_NOMEM, "no memory for a path") : CZ_OK;
    }
    if (cz_compiled_default_folder(&cache->folder) != CZ_OK)
        cz_log(CZ_LOG_WARN, "compiled circuits are not kept on disk: %s", cz_err_message());
    return CZ_OK;
}

cz_err cz_circuit_cache_create(cz_circuit_cache **out, const char *folder)
{
    cz_circuit_cache *cache = calloc(1, sizeof *cache);
    cz_err err;

    if (cache == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for compiled circuits");
    cache->n = count_circuits();
    cache->entries = calloc(cache->n + 1, sizeof *cache->entries);
    if (cache->entries == NULL) {
        free(cache);
        return cz_fail(CZ_E_NOMEM, "no memory for compiled circuits");
    }
    for (size_t i = 0; i < cache->n; i++)
        (void)pthread_mutex_init(&cache->entries[i].lock, NULL);
    err = choose_folder(cache, folder);
    if (err != CZ_OK) {
        cz_circuit_cache_destroy(cache);
        return err;
    }
    *out = cache;
    return CZ_OK;
}

void cz_circuit_cache_destroy(cz_circuit_cache *cache)
{
    if (cache == NULL)
        return;
    for (size_t i = 0; i < cache->n; i++) {
        cz_compiled_destroy(cache->entries[i].compiled);
        (void)pthread_mutex_destroy(&cache->entries[i].lock);
    }
    free(cache->entries);
    free(cache->folder);
    free(cache);
}

static cz_err open_circuit(const cz_circuit_cache *cache, const char *id, cz_pool *pool,
                           cz_compiled **out)
{
    const cz_compile_options options = {.pool = pool};
    const uint64_t start = cz_clock_ns();
    bool was_cached = false;
    cz_circuit *blank;
    cz_err err;

    CZ_TRY(cz_circuit_create_blank(&blank, id));
    if (cache->folder != NULL)
        err = cz_compiled_open(out, blank, cache->folder, &options, &was_cached);
    else
        err = cz_circuit_compile(out, blank, &options);
    cz_circuit_destroy(blank);
    CZ_TRY_IN(err, "compiled circuit %s", id);
    cz_log(CZ_LOG_INFO, "circuit %s %s in %.1f s", id, was_cached ? "loaded" : "compiled",
           (double)(cz_clock_ns() - start) / 1e9);
    return CZ_OK;
}

/* NULL: there is no such circuit. */
static entry *find(const cz_circuit_cache *cache, const char *id)
{
    size_t i = 0;

    while (i < cache->n && strcmp(cz_circuit_ids()[i], id) != 0)
        i++;
    return i < cache->n ? &cache->entries[i] : NULL;
}

cz_err cz_circuit_cache_get(cz_circuit_cache *cache, const char *id, cz_pool *pool,
                            const cz_compiled **out)
{
    entry *e = find(cache, id);
    cz_err err = CZ_OK;

    if (e == NULL)
        return cz_fail(CZ_E_NOTFOUND, "there is no circuit %s", id);
    (void)pthread_mutex_lock(&e->lock);
    if (e->compiled == NULL)
        err = open_circuit(cache, id, pool, &e->compiled);
    *out = e->compiled;
    (void)pthread_mutex_unlock(&e->lock);
    return err;
}

const cz_compiled *cz_circuit_cache_peek(cz_circuit_cache *cache, const char *id)
{
    entry *e = find(cache, id);
    const cz_compiled *compiled;

    if (e == NULL || pthread_mutex_trylock(&e->lock) != 0)
        return NULL;
    compiled = e->compiled;
    (void)pthread_mutex_unlock(&e->lock);
    return compiled;
}
