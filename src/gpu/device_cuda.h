/* device_cuda.h: what the .cu files share: a device's own struct and the bridge from CUDA's errors.
 *
 * For .cu files alone; compiled by nvcc as C++. */
#ifndef CZ_GPU_DEVICE_CUDA_H
#define CZ_GPU_DEVICE_CUDA_H

#include <cuda_runtime.h>

#include "gpu/backend.h"
#include "gpu/device_budget.h"

struct cz_gpu_block; /* a piece of memory that was taken */

struct cz_gpu {
    int index;
    int multiprocessors;
    int shared_bytes_a_block; /* what a kernel may ask for */
    cz_gpu_budget budget;
    uint64_t used_bytes[2];
    cudaStream_t stream[2]; /* by cz_gpu_queue */
    cz_gpu_block *blocks;
};

struct cz_gpu_event {
    cudaEvent_t event;
};

/** CZ_E_CUDA with the call's name and CUDA's reason; also clears CUDA's last error. */
cz_err cz_cuda_fail(cudaError_t error, const char *call);

/** Leave the function when a CUDA call fails. */
#define CZ_TRY_CUDA(call)                                                                          \
    do {                                                                                           \
        cudaError_t cz_cuda_e_ = (call);                                                           \
        if (cz_cuda_e_ != cudaSuccess)                                                             \
            return cz_cuda_fail(cz_cuda_e_, #call);                                                \
    } while (0)

/** After a launch: reports what CUDA could tell at once (shapes, memory). What goes wrong while a
 * kernel runs surfaces where its stream is waited for. */
#define CZ_TRY_LAUNCH(kernel)                                                                      \
    do {                                                                                           \
        cudaError_t cz_cuda_e_ = cudaGetLastError();                                               \
        if (cz_cuda_e_ != cudaSuccess)                                                             \
            return cz_cuda_fail(cz_cuda_e_, "launch of " #kernel);                                 \
    } while (0)

/** Make gpu the current device of this thread; every entry of the table begins with it. */
CZ_MUST_CHECK cz_err cz_gpu_enter(const cz_gpu *gpu);

/** As the table's take and give_back, for device memory. */
CZ_MUST_CHECK cz_err cz_gpu_take_device(cz_gpu *gpu, void **out, size_t bytes, const char *what);
void cz_gpu_give(cz_gpu *gpu, void *memory);

#endif
