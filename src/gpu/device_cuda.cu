/* device_cuda.cu: devices, memory, queues and events; the root of libcuzk-cuda.so. */
#include "gpu/device_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cz_gpu_block {
    cz_gpu_block *next;
    void *memory;
    size_t bytes;
    cz_gpu_memory where;
};

cz_err cz_cuda_fail(cudaError_t error, const char *call)
{
    (void)cudaGetLastError();
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
        error == cudaErrorStubLibrary || error == cudaErrorCompatNotSupportedOnDevice)
        return cz_fail(CZ_E_NODEV, "no CUDA device: %s", cudaGetErrorString(error));
    return cz_fail(CZ_E_CUDA, "%.120s: %s (%s)", call, cudaGetErrorString(error),
                   cudaGetErrorName(error));
}

cz_err cz_gpu_enter(const cz_gpu *gpu)
{
    CZ_TRY_CUDA(cudaSetDevice(gpu->index));
    return CZ_OK;
}

static cz_err count(int *out)
{
    int n = 0;

    CZ_TRY_CUDA(cudaGetDeviceCount(&n));
    if (n == 0)
        return cz_fail(CZ_E_NODEV, "no CUDA device: the driver lists none");
    *out = n;
    return CZ_OK;
}

/* ---- memory ---- */

static cz_err allocate(cz_gpu *gpu, cz_gpu_block *block, const char *what)
{
    cudaError_t e = block->where == CZ_GPU_DEVICE_MEMORY
                        ? cudaMalloc(&block->memory, block->bytes)
                        : cudaMallocHost(&block->memory, block->bytes);

    if (e == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return cz_fail(CZ_E_NOMEM, "device %d: %s: %zu bytes of %s memory are not there",
                       gpu->index, what, block->bytes,
                       block->where == CZ_GPU_DEVICE_MEMORY ? "device" : "pinned");
    }
    CZ_TRY_CUDA(e);
    return CZ_OK;
}

static uint64_t budget_left(const cz_gpu *gpu)
{
    return gpu->budget.bytes - gpu->used_bytes[CZ_GPU_DEVICE_MEMORY];
}

static thread_local bool refused; /* the last take, by the budget */

static int lacked_budget(void)
{
    return refused;
}

static cz_err take(cz_gpu *gpu, cz_gpu_memory where, void **out, size_t bytes, const char *what)
{
    uint64_t left = budget_left(gpu);
    cz_gpu_block *block;
    cz_err err;

    refused = where == CZ_GPU_DEVICE_MEMORY && bytes > left;
    CZ_TRY(cz_gpu_enter(gpu));
    if (refused)
        return cz_fail(CZ_E_NOMEM, "device %d: %s needs %zu bytes, the budget has %llu left",
                       gpu->index, what, bytes, (unsigned long long)left);
    block = (cz_gpu_block *)calloc(1, sizeof *block);
    if (block == NULL)
        return cz_fail(CZ_E_NOMEM, "device %d: %s: no host memory", gpu->index, what);
    block->bytes = bytes > 0 ? bytes : 1;
    block->where = where;
    err = allocate(gpu, block, what);
    if (err == CZ_E_NOMEM && where == CZ_GPU_DEVICE_MEMORY)
        cz_gpu_budget_shrink(&gpu->budget, gpu->used_bytes[where]);
    if (err != CZ_OK) {
        free(block);
        return err;
    }
    block->next = gpu->blocks;
    gpu->blocks = block;
    gpu->used_bytes[where] += block->bytes;
    *out = block->memory;
    return CZ_OK;
}

cz_err cz_gpu_take_device(cz_gpu *gpu, void **out, size_t bytes, const char *what)
{
    return take(gpu, CZ_GPU_DEVICE_MEMORY, out, bytes, what);
}

static void release(cz_gpu *gpu, cz_gpu_block *block)
{
    gpu->used_bytes[block->where] -= block->bytes;
    if (block->where == CZ_GPU_DEVICE_MEMORY)
        (void)cudaFree(block->memory);
    else
        (void)cudaFreeHost(block->memory);
    free(block);
}

void cz_gpu_give(cz_gpu *gpu, void *memory)
{
    for (cz_gpu_block **at = &gpu->blocks; memory != NULL && *at != NULL; at = &(*at)->next) {
        cz_gpu_block *block = *at;

        if (block->memory == memory) {
            (void)cudaSetDevice(gpu->index);
            *at = block->next;
            release(gpu, block);
            return;
        }
    }
}

static uint64_t used_bytes(const cz_gpu *gpu, cz_gpu_memory where)
{
    return gpu->used_bytes[where];
}

/* ---- devices ---- */

static void close_device(cz_gpu *gpu)
{
    (void)cudaSetDevice(gpu->index);
    for (int q = 0; q < 2; q++) {
        if (gpu->stream[q] != NULL) {
            (void)cudaStreamSynchronize(gpu->stream[q]);
            (void)cudaStreamDestroy(gpu->stream[q]);
        }
    }
    while (gpu->blocks != NULL) {
        cz_gpu_block *block = gpu->blocks;

        gpu->blocks = block->next;
        release(gpu, block);
    }
    (void)cudaGetLastError();
    free(gpu);
}

static cz_err start(cz_gpu *gpu, uint64_t budget_bytes)
{
    size_t free_bytes, total_bytes;

    CZ_TRY(cz_gpu_enter(gpu));
    CZ_TRY_CUDA(
        cudaDeviceGetAttribute(&gpu->multiprocessors, cudaDevAttrMultiProcessorCount, gpu->index));
    CZ_TRY_CUDA(cudaDeviceGetAttribute(&gpu->shared_bytes_a_block,
                                       cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu->index));
    CZ_TRY_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    gpu->budget = cz_gpu_budget_make(budget_bytes, free_bytes);
    for (int q = 0; q < 2; q++)
        CZ_TRY_CUDA(cudaStreamCreateWithFlags(&gpu->stream[q], cudaStreamNonBlocking));
    return CZ_OK;
}

static cz_err open_device(cz_gpu **out, int index, uint64_t budget_bytes)
{
    cz_gpu *gpu;
    cz_err err;
    int n;

    CZ_TRY(count(&n));
    if (index < 0 || index >= n)
        return cz_fail(CZ_E_NODEV, "no CUDA device %d: there are %d", index, n);
    gpu = (cz_gpu *)calloc(1, sizeof *gpu);
    if (gpu == NULL)
        return cz_fail(CZ_E_NOMEM, "device %d: no host memory", index);
    gpu->index = index;
    err = start(gpu, budget_bytes);
    if (err != CZ_OK) {
        close_device(gpu);
        return err;
    }
    *out = gpu;
    return CZ_OK;
}

static cz_err info(cz_gpu *gpu, cz_gpu_info *out)
{
    cudaDeviceProp properties;
    size_t free_bytes, total_bytes;

    CZ_TRY(cz_gpu_enter(gpu));
    CZ_TRY_CUDA(cudaGetDeviceProperties(&properties, gpu->index));
    CZ_TRY_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    (void)snprintf(out->name, sizeof out->name, "%.63s", properties.name);
    out->architecture = 10 * properties.major + properties.minor;
    out->multiprocessors = (unsigned)gpu->multiprocessors;
    out->total_bytes = total_bytes;
    out->free_bytes = free_bytes;
    return CZ_OK;
}

/* ---- queues and events ---- */

static cz_err copy(cz_gpu *gpu, cz_gpu_queue queue, void *to, const void *from, size_t bytes)
{
    CZ_TRY(cz_gpu_enter(gpu));
    CZ_TRY_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, gpu->stream[queue]));
    return CZ_OK;
}

static cz_err zero(cz_gpu *gpu, cz_gpu_queue queue, void *d_memory, size_t bytes)
{
    CZ_TRY(cz_gpu_enter(gpu));
    CZ_TRY_CUDA(cudaMemsetAsync(d_memory, 0, bytes, gpu->stream[queue]));
    return CZ_OK;
}

static cz_err sync_device(cz_gpu *gpu)
{
    CZ_TRY(cz_gpu_enter(gpu));
    for (int q = 0; q < 2; q++)
        CZ_TRY_CUDA(cudaStreamSynchronize(gpu->stream[q]));
    return CZ_OK;
}

static cz_err event_create(cz_gpu *gpu, cz_gpu_event **out)
{
    cz_gpu_event *event;
    cudaError_t e;

    CZ_TRY(cz_gpu_enter(gpu));
    event = (cz_gpu_event *)calloc(1, sizeof *event);
    if (event == NULL)
        return cz_fail(CZ_E_NOMEM, "device %d: no host memory", gpu->index);
    e = cudaEventCreate(&event->event);
    if (e != cudaSuccess) {
        free(event);
        return cz_cuda_fail(e, "cudaEventCreate");
    }
    *out = event;
    return CZ_OK;
}

static void event_destroy(cz_gpu_event *event)
{
    (void)cudaEventDestroy(event->event);
    free(event);
}

static cz_err event_record(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue)
{
    CZ_TRY(cz_gpu_enter(gpu));
    CZ_TRY_CUDA(cudaEventRecord(event->event, gpu->stream[queue]));
    return CZ_OK;
}

static cz_err event_wait(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue)
{
    CZ_TRY(cz_gpu_enter(gpu));
    CZ_TRY_CUDA(cudaStreamWaitEvent(gpu->stream[queue], event->event, 0));
    return CZ_OK;
}

static cz_err event_ms(float *ms, cz_gpu_event *from, cz_gpu_event *to)
{
    CZ_TRY_CUDA(cudaEventSynchronize(from->event));
    CZ_TRY_CUDA(cudaEventSynchronize(to->event));
    CZ_TRY_CUDA(cudaEventElapsedTime(ms, from->event, to->event));
    return CZ_OK;
}

void cz_gpu_device_fill(cz_gpu_backend *table)
{
    table->message = cz_err_message;
    table->count = count;
    table->open = open_device;
    table->close = close_device;
    table->info = info;
    table->take = take;
    table->give_back = cz_gpu_give;
    table->used_bytes = used_bytes;
    table->budget_left = budget_left;
    table->lacked_budget = lacked_budget;
    table->copy = copy;
    table->zero = zero;
    table->sync = sync_device;
    table->event_create = event_create;
    table->event_destroy = event_destroy;
    table->event_record = event_record;
    table->event_wait = event_wait;
    table->event_ms = event_ms;
}

extern "C" __attribute__((visibility("default"))) const cz_gpu_backend *cz_gpu_backend_table(void)
{
    static cz_gpu_backend table;
    /* C++ runs this once, whatever the threads. */
    static const bool filled = [] {
        table.table_bytes = sizeof table;
        cz_gpu_device_fill(&table);
        cz_gpu_ntt_fill(&table);
        cz_gpu_sums_fill(&table);
        cz_gpu_eval_fill(&table);
        cz_gpu_points_fill(&table);
        cz_gpu_post_fill(&table);
        cz_gpu_setup_fill(&table);
        cz_gpu_select_fill(&table);
        cz_gpu_fold_fill(&table);
        return true;
    }();

    (void)filled;
    return &table;
}
