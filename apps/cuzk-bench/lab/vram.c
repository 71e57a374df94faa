/* vram.c: see vram.h. The four functions and the one struct are those of NVML's public interface,
 * which has kept them since its second version. */
#define _GNU_SOURCE
#include "vram.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned long long total, free, used; /* bytes */
} nvml_memory;

typedef struct nvml_device nvml_device;

enum { NVML_OK = 0 };

typedef struct {
    int (*init)(void);
    int (*count)(unsigned *n);
    int (*handle)(unsigned index, nvml_device **device);
    int (*memory)(nvml_device *device, nvml_memory *memory);
} nvml;

/* A function's address by way of memory, as C has no cast for it. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, size);
    return found != NULL;
}

static bool load(nvml *n)
{
    const char *named = getenv("CUZK_NVML_LIB");
    void *library = dlopen(named != NULL ? named : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

    return library != NULL && find(library, "nvmlInit_v2", &n->init, sizeof n->init) &&
           find(library, "nvmlDeviceGetCount_v2", &n->count, sizeof n->count) &&
           find(library, "nvmlDeviceGetHandleByIndex_v2", &n->handle, sizeof n->handle) &&
           find(library, "nvmlDeviceGetMemoryInfo", &n->memory, sizeof n->memory) &&
           n->init() == NVML_OK;
}

static const nvml *library(void)
{
    static nvml loaded;
    static bool tried, there;

    if (!tried) {
        tried = true;
        there = load(&loaded);
    }
    return there ? &loaded : NULL;
}

double lab_vram_used(void)
{
    const nvml *n = library();
    unsigned devices = 0;
    double used = 0;

    if (n == NULL || n->count(&devices) != NVML_OK)
        return 0;
    for (unsigned i = 0; i < devices; i++) {
        nvml_memory memory = {0};
        nvml_device *device;

        if (n->handle(i, &device) == NVML_OK && n->memory(device, &memory) == NVML_OK)
            used += (double)memory.used;
    }
    return used;
}
