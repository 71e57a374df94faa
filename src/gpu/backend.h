/* backend.h: the table through which programs reach the CUDA backend.
 *
 * The backend is a shared object of its own, libcuzk-cuda.so, loaded at run time (gpu.h): a program
 * needs neither driver nor CUDA to start. It exports one symbol, cz_gpu_backend_table; everything
 * else goes through the functions below. They take plain pointers, so that this room knows no type
 * of the rooms below it; gpu.h, ntt_gpu.h and sums_gpu.h wrap them with types.
 *
 * Inside the object each room fills in its part of the table (the _fill functions).
 *
 * Errors: a failing function leaves its sentence in the object's own record; message() gives it,
 * and the wrappers copy it to the caller's. Every failing CUDA call is CZ_E_CUDA with the call's
 * name; a machine without driver or device is CZ_E_NODEV; nothing aborts. After CZ_E_CUDA the
 * device is suspect: close it.
 *
 * Threads: one cz_gpu serves one thread at a time; different ones are independent. */
#ifndef CZ_GPU_BACKEND_H
#define CZ_GPU_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cz_gpu cz_gpu;             /* an opened device */
typedef struct cz_gpu_event cz_gpu_event; /* a mark in a queue's work, with its time */
typedef struct cz_gpu_ntt cz_gpu_ntt;     /* tables of one transform size */
typedef struct cz_gpu_sums cz_gpu_sums;   /* scratch of sums over points that lie anywhere */

struct cz_sum_host;     /* msm/sums_answer.h */
struct cz_eval_tables;  /* cs/eval_device.h; pointers to device memory */
struct cz_select_words; /* groth16/select_device.h; the same */
struct cz_select_stretch;
struct cz_post_device; /* filecoin/post_device.h; the same */
struct cz_fold_task;   /* params/fold_device.h; the same */
struct cz_fold_part;

/* A device does the work of each queue in order; the two run side by side. */
typedef enum { CZ_GPU_COMPUTE, CZ_GPU_COPY } cz_gpu_queue;

typedef enum { CZ_GPU_DEVICE_MEMORY, CZ_GPU_PINNED_MEMORY } cz_gpu_memory;

/* Transforms; the meaning is that of ntt/ntt.h. The last two are inverses, divided by 7^n - 1
 * besides. */
typedef enum {
    CZ_GPU_NTT_FORWARD,
    CZ_GPU_NTT_INVERSE,
    CZ_GPU_NTT_COSET_FORWARD,
    CZ_GPU_NTT_COSET_INVERSE,
    CZ_GPU_NTT_INVERSE_OVER_Z,
    CZ_GPU_NTT_COSET_INVERSE_OVER_Z,
    CZ_GPU_NTT_KINDS
} cz_gpu_ntt_kind;

typedef enum { CZ_GPU_G1, CZ_GPU_G2, CZ_GPU_GROUPS } cz_gpu_group;

/* What a scratch must be large enough for; 0: not at all. */
typedef struct {
    cz_gpu_group group;
    unsigned tables;     /* of the full-width sums: 1, or 2 or 4 where the points have tables */
    uint64_t full_terms; /* terms of a full-width sum */
    uint64_t bit_terms;  /* points of a bit sum */
    uint64_t max_bytes;  /* do with less, more slowly; 0: as the fastest form needs */
    unsigned planes;     /* of the bit sums: how many at once over the same points; 0 is 1 */
} cz_gpu_sums_shape;

enum { CZ_GPU_MAX_PLANES = 16 };

/* A full-width sum: of scalar i times point index[i], or point i without an index. */
typedef struct {
    cz_gpu_group group;
    unsigned tables;
    int montgomery;          /* scalars are Fr elements, not plain integers */
    uint64_t n;              /* terms */
    uint64_t n_points;       /* at d_points, its table not counted */
    const void *d_points;    /* affine, Montgomery form; followed by the tables */
    const uint32_t *d_index; /* n of them, or NULL: then n is n_points */
    const void *d_scalars;   /* n of 32 bytes */
} cz_gpu_terms;

typedef struct {
    char name[64];
    int architecture; /* 90 for sm_90 */
    unsigned multiprocessors;
    uint64_t total_bytes, free_bytes;
} cz_gpu_info;

/* Named stages of an operation, timed by events. */
enum { CZ_GPU_MAX_PHASES = 24 };
typedef struct {
    unsigned n;
    struct {
        char name[16];
        float ms;
        uint64_t items; /* what the stage handled, for a rate; 0: none */
    } phase[CZ_GPU_MAX_PHASES];
} cz_gpu_phases;

typedef struct {
    size_t table_bytes; /* sizeof of this table, so that a foreign build is told apart */
    const char *(*message)(void);

    /* device_cuda.cu */
    cz_err (*count)(int *out);
    cz_err (*open)(cz_gpu **out, int index, uint64_t budget_bytes);
    void (*close)(cz_gpu *gpu);
    cz_err (*info)(cz_gpu *gpu, cz_gpu_info *out);
    cz_err (*take)(cz_gpu *gpu, cz_gpu_memory where, void **out, size_t bytes, const char *what);
    void (*give_back)(cz_gpu *gpu, void *memory);
    uint64_t (*used_bytes)(const cz_gpu *gpu, cz_gpu_memory where);
    uint64_t (*budget_left)(const cz_gpu *gpu); /* of device memory */
    int (*lacked_budget)(void);                 /* did it refuse this thread's last take? */
    cz_err (*copy)(cz_gpu *gpu, cz_gpu_queue queue, void *to, const void *from, size_t bytes);
    cz_err (*zero)(cz_gpu *gpu, cz_gpu_queue queue, void *d_memory, size_t bytes);
    cz_err (*sync)(cz_gpu *gpu);
    cz_err (*event_create)(cz_gpu *gpu, cz_gpu_event **out);
    void (*event_destroy)(cz_gpu_event *event);
    cz_err (*event_record)(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue);
    cz_err (*event_wait)(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue);
    cz_err (*event_ms)(float *ms, cz_gpu_event *from, cz_gpu_event *to);

    /* ntt_cuda.cu */
    cz_err (*ntt_create)(cz_gpu *gpu, cz_gpu_ntt **out, unsigned log_n);
    void (*ntt_destroy)(cz_gpu_ntt *ntt);
    cz_err (*ntt_run)(cz_gpu_ntt *ntt, cz_gpu_ntt_kind kind, void *d_xs, void *d_scratch);
    cz_err (*ntt_quotient)(cz_gpu_ntt *ntt, void *d_a, void *d_b, void *d_c, void *d_scratch);
    cz_err (*ntt_quotient_product)(cz_gpu_ntt *ntt, void *d_a, void *d_b, void *d_scratch);
    cz_err (*ntt_quotient_subtract)(cz_gpu_ntt *ntt, void *d_c, void *d_a, void *d_scratch);
    cz_err (*ntt_coset_product)(cz_gpu_ntt *ntt, void *d_a, void *d_b, void *d_scratch);

    /* sums_cuda.cu */
    cz_err (*sums_bytes)(cz_gpu *gpu, uint64_t *bytes, const cz_gpu_sums_shape *shapes,
                         size_t n_shapes);
    cz_err (*sums_create)(cz_gpu *gpu, cz_gpu_sums **out, const cz_gpu_sums_shape *shapes,
                          size_t n_shapes, void *d_memory,
                          const struct cz_sum_host *const hosts[CZ_GPU_GROUPS]);
    void (*sums_destroy)(cz_gpu_sums *sums);
    cz_err (*sums_make_tables)(cz_gpu_sums *sums, cz_gpu_group group, void *d_points, uint64_t n,
                               unsigned tables);
    cz_err (*sums_full)(cz_gpu_sums *sums, void *out_affine, const cz_gpu_terms *terms,
                        cz_gpu_phases *phases);
    cz_err (*sums_bits)(cz_gpu_sums *sums, cz_gpu_group group, void *out_affine,
                        const void *d_points, const uint64_t *d_bits, uint64_t n,
                        cz_gpu_phases *phases);
    cz_err (*sums_bits_many)(cz_gpu_sums *sums, cz_gpu_group group, void *out_affine,
                             const void *d_points, const uint64_t *const *d_planes,
                             unsigned n_planes, uint64_t n, cz_gpu_phases *phases);

    /* cs/eval_cuda.cu; these and the next only launch: memory is their callers' */
    cz_err (*eval_rows)(cz_gpu *gpu, const struct cz_eval_tables *tables, const void *d_bits,
                        const void *d_values, void *d_a, void *d_b, void *d_c);

    /* filecoin/post_cuda.cu */
    cz_err (*post_witness)(cz_gpu *gpu, const struct cz_post_device *post);

    /* params/points_cuda.cu; d_to may be NULL: in order */
    cz_err (*points_decode)(cz_gpu *gpu, int g2, const void *d_bytes, const uint32_t *d_to,
                            size_t n, uint32_t first, void *d_part0, void *d_part1,
                            uint32_t *d_bad);

    /* params/setup_cuda.cu */
    cz_err (*setup_multiples)(cz_gpu *gpu, int g2, void *d_bytes, const void *d_table, unsigned c,
                              const void *d_scalars, size_t n, void *d_scratch);

    /* params/fold_cuda.cu */
    cz_err (*fold_multiply)(cz_gpu *gpu, const struct cz_fold_task *task);
    cz_err (*fold_encode)(cz_gpu *gpu, void *d_bytes, const void *d_points, unsigned log_n,
                          size_t first, size_t n);
    cz_err (*fold_columns)(cz_gpu *gpu, const struct cz_fold_part *part);

    /* groth16/select_cuda.cu; products: of the values and what lies at d_factor, an element of Fr
     */
    cz_err (*select_bits)(cz_gpu *gpu, uint64_t *d_out, const uint64_t *d_bits,
                          const uint64_t *d_mask, const uint32_t *d_ranks, size_t n_words,
                          uint32_t first_bit);
    cz_err (*select_values)(cz_gpu *gpu, void *d_out, const void *d_values, const uint32_t *d_at,
                            size_t n);
    cz_err (*select_products)(cz_gpu *gpu, void *d_out, const void *d_values, const uint32_t *d_at,
                              size_t n, const void *d_factor);
    cz_err (*select_places)(cz_gpu *gpu, uint32_t *d_to, const struct cz_select_words *words,
                            const struct cz_select_stretch *stretch);
} cz_gpu_backend;

/** The object's one symbol: its table. Never NULL. */
const cz_gpu_backend *cz_gpu_backend_table(void);

void cz_gpu_device_fill(cz_gpu_backend *table);
void cz_gpu_ntt_fill(cz_gpu_backend *table);
void cz_gpu_sums_fill(cz_gpu_backend *table);
void cz_gpu_eval_fill(cz_gpu_backend *table);
void cz_gpu_post_fill(cz_gpu_backend *table);
void cz_gpu_points_fill(cz_gpu_backend *table);
void cz_gpu_setup_fill(cz_gpu_backend *table);
void cz_gpu_select_fill(cz_gpu_backend *table);
void cz_gpu_fold_fill(cz_gpu_backend *table);

#ifdef __cplusplus
}
#endif
#endif
