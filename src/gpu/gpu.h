/* gpu.h: CUDA devices for the rest of the program: open, memory under a budget, copies, events.
 *
 * Plumbing only; what devices compute is in ntt/ntt_gpu.h and msm/sums_gpu.h. Nothing here needs
 * CUDA at build time or at start: cz_gpu_load() loads the backend (backend.h), and where that, the
 * driver or a device is missing every entry gives CZ_E_NODEV and says which.
 *
 * Work is queued: copies and kernels return at once, and what fails on the device is reported by
 * cz_gpu_sync() or by the next call that waits. Host memory of a copy in flight must stay; pageable
 * memory makes a copy wait.
 *
 * Threads: one cz_gpu serves one thread at a time; different ones are independent. Beside it, a
 * second thread may give work to the copy queue: copies, and marks recorded and waited for.
 * Errors, besides those named: CZ_E_CUDA, the device is suspect and must be closed. */
#ifndef CZ_GPU_GPU_H
#define CZ_GPU_GPU_H

#include <stdbool.h>

#include "gpu/backend.h"

/** Load the backend, once for the process: from the file that the environment variable
 * CUZK_CUDA_LIB names, else libcuzk-cuda.so beside the program, in ../lib from there, or on the
 * loader's path. Any thread. CZ_E_NODEV. */
CZ_MUST_CHECK cz_err cz_gpu_load(const cz_gpu_backend **out);

/** For tests: use this backend and load none. Before any other call; `table` must stay. */
void cz_gpu_use(const cz_gpu_backend *table);

/** Pass on a backend's result: copies its message when it failed. */
CZ_MUST_CHECK cz_err cz_gpu_result(cz_err err);

/** Number of devices, at least 1. CZ_E_NODEV when there is none. */
CZ_MUST_CHECK cz_err cz_gpu_count(int *out);

/** Open device `index`. At most budget_bytes of its memory will be taken; 0: what is free now less
 * 1.5 GiB, or a tenth where that is less, and nine tenths once it was not there (device_budget.h).
 * CZ_E_NODEV: no such device. */
CZ_MUST_CHECK cz_err cz_gpu_open(cz_gpu **out, int index, uint64_t budget_bytes);

/** Releases all that was taken from it. NULL is fine. */
void cz_gpu_close(cz_gpu *gpu);

CZ_MUST_CHECK cz_err cz_gpu_describe(cz_gpu *gpu, cz_gpu_info *out);

/** Memory, contents undefined, aligned to 256 bytes. Device memory counts against the budget; the
 * error names `what`, the bytes needed and those left. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_gpu_take(cz_gpu *gpu, cz_gpu_memory where, void **out, size_t bytes,
                                 const char *what);

/** The same; `out` is the address of a pointer of any type. */
CZ_MUST_CHECK cz_err cz_gpu_take_to(cz_gpu *gpu, cz_gpu_memory where, void *out, size_t bytes,
                                    const char *what);

/** NULL is fine. Waits for the device. */
void cz_gpu_give_back(cz_gpu *gpu, void *memory);

/** After a CZ_E_NOMEM of this thread: was it the budget that was too small? Else the device or the
 * host had no memory, and may have some later. */
bool cz_gpu_lacked_budget(void);

/** For who counts before he takes: what he wants is more than the budget has left, or is not. */
void cz_gpu_note_lack(bool of_budget);

uint64_t cz_gpu_used_bytes(const cz_gpu *gpu, cz_gpu_memory where);

/** Device memory that may still be taken; whether the device has it is another matter: after it had
 * not, this may have become less. */
uint64_t cz_gpu_budget_left(const cz_gpu *gpu);

/** What may be taken in all. */
uint64_t cz_gpu_budget_bytes(const cz_gpu *gpu);

/** Copy between host and device in either direction, or on the device. */
CZ_MUST_CHECK cz_err cz_gpu_copy(cz_gpu *gpu, cz_gpu_queue queue, void *to, const void *from,
                                 size_t bytes);
CZ_MUST_CHECK cz_err cz_gpu_zero(cz_gpu *gpu, cz_gpu_queue queue, void *d_memory, size_t bytes);

/** Wait for both queues; what failed in them is reported here. */
CZ_MUST_CHECK cz_err cz_gpu_sync(cz_gpu *gpu);

CZ_MUST_CHECK cz_err cz_gpu_event_create(cz_gpu *gpu, cz_gpu_event **out);
void cz_gpu_event_destroy(cz_gpu_event *event);

/** Mark the end of what `queue` was given so far. */
CZ_MUST_CHECK cz_err cz_gpu_event_record(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue);

/** Let what `queue` is given from now on wait for the mark. */
CZ_MUST_CHECK cz_err cz_gpu_event_wait(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue);

/** Milliseconds from one mark to another; waits for both. */
CZ_MUST_CHECK cz_err cz_gpu_event_ms(float *ms, cz_gpu_event *from, cz_gpu_event *to);

#endif
