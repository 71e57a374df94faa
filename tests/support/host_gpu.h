/* host_gpu.h: a backend that is no device: memory and queues on the host, everything done at once.
 *
 * With it, what runs on devices is tested without one, the code that is shared with the kernels
 * included: tests put their operations into the table (host_eval.h and others) and call
 * host_gpu_open(). Where CUZK_TEST_CUDA is set, that leaves the real backend in place: the same
 * tests then compare a device with the CPU. */
#ifndef CZ_TESTS_HOST_GPU_H
#define CZ_TESTS_HOST_GPU_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/trace.h"
#include "gpu/device_budget.h"
#include "gpu/gpu.h"
#include "support.h"

/* Memory is remembered, so that leaks and foreign pointers are found. */
typedef struct host_block {
    struct host_block *next;
    void *memory;
    size_t bytes;
    cz_gpu_memory where;
} host_block;

struct cz_gpu {
    cz_gpu_budget budget;
    uint64_t used[2];
    host_block *blocks;
};

/* Of devices that are opened without a budget, and the largest block of memory that they have. */
static cz_gpu_budget host_default_budget = {UINT64_MAX, UINT64_MAX};
static uint64_t host_largest_bytes = UINT64_MAX;
static _Atomic uint64_t host_largest_taken; /* block so far */

struct cz_gpu_event {
    uint64_t ns;
};

/* A real backend has a record of its own. */
static inline const char *host_message(void)
{
    static char copy[1024];

    (void)snprintf(copy, sizeof copy, "%s", cz_err_message());
    return copy;
}

static inline cz_err host_count(int *out)
{
    *out = 1;
    return CZ_OK;
}

static inline cz_err host_open(cz_gpu **out, int index, uint64_t budget)
{
    (void)index;
    *out = calloc(1, sizeof **out);
    assert_non_null(*out);
    (*out)->budget = budget == 0 ? host_default_budget : cz_gpu_budget_make(budget, 0);
    return CZ_OK;
}

static inline void host_give_back(cz_gpu *gpu, void *memory)
{
    for (host_block **at = &gpu->blocks; *at != NULL; at = &(*at)->next) {
        host_block *block = *at;

        if (block->memory != memory)
            continue;
        *at = block->next;
        gpu->used[block->where] -= block->bytes;
        free(block->memory);
        free(block);
        return;
    }
    fail_msg("memory that was not taken");
}

/* Whoever closes has given back: real devices forgive, tests do not. */
static inline void host_close(cz_gpu *gpu)
{
    assert_null(gpu->blocks);
    free(gpu);
}

static inline cz_err host_info(cz_gpu *gpu, cz_gpu_info *out)
{
    *out = (cz_gpu_info){"host", 0, 1, gpu->budget.bytes, gpu->budget.bytes};
    return CZ_OK;
}

static inline uint64_t host_budget_left(const cz_gpu *gpu)
{
    return gpu->budget.bytes - gpu->used[CZ_GPU_DEVICE_MEMORY];
}

static _Thread_local int host_refused; /* the last take, by the budget */

static inline int host_lacked_budget(void)
{
    return host_refused;
}

static inline cz_err host_take(cz_gpu *gpu, cz_gpu_memory where, void **out, size_t bytes,
                               const char *what)
{
    host_block *block;

    host_refused = where == CZ_GPU_DEVICE_MEMORY && bytes > host_budget_left(gpu);
    if (host_refused)
        return cz_fail(CZ_E_NOMEM, "device 0: %s needs %zu bytes, the budget has %llu left", what,
                       bytes, (unsigned long long)host_budget_left(gpu));
    if (where == CZ_GPU_DEVICE_MEMORY && bytes > host_largest_bytes) {
        cz_gpu_budget_shrink(&gpu->budget, gpu->used[where]);
        return cz_fail(CZ_E_NOMEM, "device 0: %s: %zu bytes of device memory are not there", what,
                       bytes);
    }
    block = calloc(1, sizeof *block);
    assert_non_null(block);
    *block = (host_block){gpu->blocks, aligned_alloc(256, (bytes + 256) / 256 * 256), bytes, where};
    assert_non_null(block->memory);
    memset(block->memory, 0xa5, bytes);
    gpu->blocks = block;
    gpu->used[where] += bytes;
    if (where == CZ_GPU_DEVICE_MEMORY && bytes > host_largest_taken)
        host_largest_taken = bytes;
    *out = block->memory;
    return CZ_OK;
}

static inline uint64_t host_used_bytes(const cz_gpu *gpu, cz_gpu_memory where)
{
    return gpu->used[where];
}

static inline cz_err host_copy(cz_gpu *gpu, cz_gpu_queue queue, void *to, const void *from,
                               size_t bytes)
{
    (void)gpu;
    (void)queue;
    memcpy(to, from, bytes);
    return CZ_OK;
}

static inline cz_err host_zero(cz_gpu *gpu, cz_gpu_queue queue, void *memory, size_t bytes)
{
    (void)gpu;
    (void)queue;
    memset(memory, 0, bytes);
    return CZ_OK;
}

static inline cz_err host_sync(cz_gpu *gpu)
{
    (void)gpu;
    return CZ_OK;
}

static inline cz_err host_event_create(cz_gpu *gpu, cz_gpu_event **out)
{
    (void)gpu;
    *out = calloc(1, sizeof **out);
    assert_non_null(*out);
    return CZ_OK;
}

static inline void host_event_destroy(cz_gpu_event *event)
{
    free(event);
}

static inline cz_err host_event_record(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue)
{
    (void)gpu;
    (void)queue;
    event->ns = cz_clock_ns();
    return CZ_OK;
}

static inline cz_err host_event_wait(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue)
{
    (void)gpu;
    (void)queue;
    assert_int_not_equal(event->ns, 0);
    return CZ_OK;
}

static inline cz_err host_event_ms(float *ms, cz_gpu_event *from, cz_gpu_event *to)
{
    assert_int_not_equal(from->ns, 0);
    *ms = (float)(to->ns - from->ns) / 1e6f;
    return CZ_OK;
}

/* Operations that a test needs are put in before host_gpu_open. */
static cz_gpu_backend host_gpu_table = {
    .table_bytes = sizeof(cz_gpu_backend),
    .message = host_message,
    .count = host_count,
    .open = host_open,
    .close = host_close,
    .info = host_info,
    .take = host_take,
    .give_back = host_give_back,
    .used_bytes = host_used_bytes,
    .budget_left = host_budget_left,
    .lacked_budget = host_lacked_budget,
    .copy = host_copy,
    .zero = host_zero,
    .sync = host_sync,
    .event_create = host_event_create,
    .event_destroy = host_event_destroy,
    .event_record = host_event_record,
    .event_wait = host_event_wait,
    .event_ms = host_event_ms,
};

static inline cz_gpu *host_gpu_open(uint64_t budget)
{
    cz_gpu *gpu;

    if (getenv("CUZK_TEST_CUDA") == NULL)
        cz_gpu_use(&host_gpu_table);
    assert_ok(cz_gpu_open(&gpu, 0, budget));
    return gpu;
}

#endif
