/* gpu.c: see gpu.h. */
#define _GNU_SOURCE /* dlopen's RTLD_LOCAL is POSIX, readlink too */
#include "gpu/gpu.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libcuzk-cuda.so"

typedef const cz_gpu_backend *(*table_function)(void);

static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static const cz_gpu_backend *given;   /* by a test */
static const cz_gpu_backend *backend; /* set by load(), then never changed */
static char why_not[512];

/* `relative` to the folder of the running program. */
static bool beside_program(char *path, size_t n, const char *relative)
{
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (len <= 0)
        return false;
    self[len] = '\0';
    slash = strrchr(self, '/');
    if (slash == NULL)
        return false;
    slash[1] = '\0';
    return snprintf(path, n, "%s%s", self, relative) < (int)n;
}

static void *open_library(void)
{
    static const char *const places[] = {LIBRARY, "../lib/" LIBRARY};
    const char *named = getenv("CUZK_CUDA_LIB");
    char path[PATH_MAX + 64];

    if (named != NULL && named[0] != '\0')
        return dlopen(named, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (beside_program(path, sizeof path, places[i]) && access(path, R_OK) == 0)
            return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static void load_library(void)
{
    void *library = open_library();
    table_function get = NULL;
    void *symbol;

    if (library == NULL) {
        (void)snprintf(why_not, sizeof why_not, "no CUDA backend: %s", dlerror());
        return;
    }
    symbol = dlsym(library, "cz_gpu_backend_table");
    if (symbol != NULL)
        memcpy(&get, &symbol, sizeof get); /* ISO C knows no cast from object to function */
    if (get == NULL || get()->table_bytes != sizeof(cz_gpu_backend)) {
        (void)snprintf(why_not, sizeof why_not, "no CUDA backend: %s belongs to another version",
                       LIBRARY);
        (void)dlclose(library);
        return;
    }
    backend = get();
}

static void load(void)
{
    if (given != NULL)
        backend = given;
    else
        load_library();
}

cz_err cz_gpu_load(const cz_gpu_backend **out)
{
    (void)pthread_once(&load_once, load);
    if (backend == NULL)
        return cz_fail(CZ_E_NODEV, "%s", why_not);
    *out = backend;
    return CZ_OK;
}

void cz_gpu_use(const cz_gpu_backend *table)
{
    given = table;
}

static _Thread_local bool lacked_budget; /* of the last refusal; as an error's message */

bool cz_gpu_lacked_budget(void)
{
    return lacked_budget;
}

void cz_gpu_note_lack(bool of_budget)
{
    lacked_budget = of_budget;
}

/* Whatever took memory in there, tables of transforms too. */
cz_err cz_gpu_result(cz_err err)
{
    if (err == CZ_OK)
        return CZ_OK;
    cz_err_adopt(backend->message());
    if (err == CZ_E_NOMEM)
        cz_gpu_note_lack(backend->lacked_budget() != 0);
    return err;
}

cz_err cz_gpu_count(int *out)
{
    const cz_gpu_backend *b;

    CZ_TRY(cz_gpu_load(&b));
    return cz_gpu_result(b->count(out));
}

cz_err cz_gpu_open(cz_gpu **out, int index, uint64_t budget_bytes)
{
    const cz_gpu_backend *b;

    CZ_TRY(cz_gpu_load(&b));
    return cz_gpu_result(b->open(out, index, budget_bytes));
}

void cz_gpu_close(cz_gpu *gpu)
{
    if (gpu != NULL)
        backend->close(gpu);
}

/* From here on there is a cz_gpu, so there is a backend. */

cz_err cz_gpu_describe(cz_gpu *gpu, cz_gpu_info *out)
{
    return cz_gpu_result(backend->info(gpu, out));
}

cz_err cz_gpu_take(cz_gpu *gpu, cz_gpu_memory where, void **out, size_t bytes, const char *what)
{
    return cz_gpu_result(backend->take(gpu, where, out, bytes, what));
}

cz_err cz_gpu_take_to(cz_gpu *gpu, cz_gpu_memory where, void *out, size_t bytes, const char *what)
{
    void *p = NULL;

    CZ_TRY(cz_gpu_take(gpu, where, &p, bytes, what));
    memcpy(out, &p, sizeof p); /* C has no type for a pointer to any pointer */
    return CZ_OK;
}

void cz_gpu_give_back(cz_gpu *gpu, void *memory)
{
    if (memory != NULL)
        backend->give_back(gpu, memory);
}

uint64_t cz_gpu_used_bytes(const cz_gpu *gpu, cz_gpu_memory where)
{
    return backend->used_bytes(gpu, where);
}

uint64_t cz_gpu_budget_left(const cz_gpu *gpu)
{
    return backend->budget_left(gpu);
}

uint64_t cz_gpu_budget_bytes(const cz_gpu *gpu)
{
    return cz_gpu_used_bytes(gpu, CZ_GPU_DEVICE_MEMORY) + cz_gpu_budget_left(gpu);
}

cz_err cz_gpu_copy(cz_gpu *gpu, cz_gpu_queue queue, void *to, const void *from, size_t bytes)
{
    return cz_gpu_result(backend->copy(gpu, queue, to, from, bytes));
}

cz_err cz_gpu_zero(cz_gpu *gpu, cz_gpu_queue queue, void *d_memory, size_t bytes)
{
    return cz_gpu_result(backend->zero(gpu, queue, d_memory, bytes));
}

cz_err cz_gpu_sync(cz_gpu *gpu)
{
    return cz_gpu_result(backend->sync(gpu));
}

cz_err cz_gpu_event_create(cz_gpu *gpu, cz_gpu_event **out)
{
    return cz_gpu_result(backend->event_create(gpu, out));
}

void cz_gpu_event_destroy(cz_gpu_event *event)
{
    if (event != NULL)
        backend->event_destroy(event);
}

cz_err cz_gpu_event_record(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue)
{
    return cz_gpu_result(backend->event_record(gpu, event, queue));
}

cz_err cz_gpu_event_wait(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue)
{
    return cz_gpu_result(backend->event_wait(gpu, event, queue));
}

cz_err cz_gpu_event_ms(float *ms, cz_gpu_event *from, cz_gpu_event *to)
{
    return cz_gpu_result(backend->event_ms(ms, from, to));
}
