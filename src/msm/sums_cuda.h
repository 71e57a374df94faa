/* sums_cuda.h: what the sums' .cu files share: the scratch, the stopwatch, the entries of a group.
 *
 * For .cu files alone; compiled by nvcc as C++. */
#ifndef CZ_MSM_SUMS_CUDA_H
#define CZ_MSM_SUMS_CUDA_H

#include "gpu/device_cuda.h"
#include "msm/sums_answer.h"

enum {
    SUM_MAX_MARKS = 512,
    SUM_MAX_SEGMENTS = 1 << 20,
    SUM_USED = 64,              /* counters */
    SUM_MAX_JOBS = 512,         /* of a tail */
    SUM_MAX_ANSWER_BYTES = 384, /* of a job */
    SUM_SAMPLE_BYTES = (2048 + 256) * 32,
    SUM_MAX_PARTS = 64 /* that a sum can be cut into */
};

/* Times of stages by events; idle unless asked for. */
typedef struct {
    bool on;
    unsigned n;
    cudaEvent_t event[SUM_MAX_MARKS];
    const char *name[SUM_MAX_MARKS]; /* of what ended there */
    uint64_t items[SUM_MAX_MARKS];
} sum_stopwatch;

struct cz_gpu_sums {
    cz_gpu *gpu;
    cudaStream_t stream;
    void *memory;
    bool is_ours;
    uint64_t bytes;
    uint32_t *h_used, *h_segment; /* pinned */
    uint4 *h_answer;              /* a tail's bit sums */
    void *h_jobs;
    const cz_sum_host *hosts[CZ_GPU_GROUPS];
    void *h_samples; /* SUM_SAMPLE_BYTES */
    sum_stopwatch watch;
};

/** Start timing where phases are wanted. */
CZ_MUST_CHECK cz_err sum_watch_start(cz_gpu_sums *sums, bool on);

/** What was queued since the last mark was `name`. */
CZ_MUST_CHECK cz_err sum_watch_mark(cz_gpu_sums *sums, const char *name, uint64_t items);

/** The times since the start; waits for the last mark. */
CZ_MUST_CHECK cz_err sum_watch_read(cz_gpu_sums *sums, cz_gpu_phases *phases);

/* A group's operations, with the contract of backend.h. */
typedef struct {
    cz_err (*bytes)(cz_gpu *gpu, uint64_t *bytes, const cz_gpu_sums_shape *shape);
    cz_err (*full)(cz_gpu_sums *sums, void *out_affine, const cz_gpu_terms *terms,
                   cz_gpu_phases *phases);
    cz_err (*bits)(cz_gpu_sums *sums, void *out_affine, const void *d_points,
                   const uint64_t *d_bits, uint64_t n, cz_gpu_phases *phases);
    cz_err (*bits_many)(cz_gpu_sums *sums, void *out_affine, const void *d_points,
                        const uint64_t *const *d_planes, unsigned n_planes, uint64_t n,
                        cz_gpu_phases *phases);
    cz_err (*make_tables)(cz_gpu_sums *sums, void *d_points, uint64_t n, unsigned tables);
} sums_group;

extern const sums_group sums_over_g1, sums_over_g2;

#endif
