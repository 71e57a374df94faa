/* prove_device_key.h: what a device holds for the proofs of one circuit, for the prove_device_*.c.
 *
 * One block of device memory, laid out by prove_device_plan.c. Resident: the points of all lists,
 * the witnesses of a batch, the rows of one proof. Streamed: the witnesses of a batch; the rows of
 * a group of its partitions, then a chunk of points; the same for the next group, then chunks of
 * the other lists. What the two have in common is above, in the order of the struct. */
#ifndef CZ_GROTH16_PROVE_DEVICE_KEY_H
#define CZ_GROTH16_PROVE_DEVICE_KEY_H

#include "cs/compiled_eval.h"
#include "cs/eval_gpu.h"
#include "gpu/arena.h"
#include "groth16/device_list.h"
#include "groth16/prove_device.h"
#include "groth16/select.h"
#include "groth16/stages.h"
#include "msm/sums_gpu.h"
#include "ntt/ntt_gpu.h"
#include "params/points_feed.h"
#include "params/points_gpu.h"

/* The variables of a list; B1 and B2 have the same. */
typedef enum { CZ_DEVICE_L, CZ_DEVICE_A, CZ_DEVICE_B, CZ_DEVICE_VARS } cz_device_vars_name;

/* What of them lies on the device, for planes, scalars and, where points stream, places. */
typedef struct {
    size_t n_bits, n_tail;
    uint64_t *d_mask, *d_dense; /* the latter, and d_before: streamed only */
    uint32_t *d_ranks, *d_before, *d_tail_at;
} cz_device_vars;

/* Points of a list, resident. */
typedef struct {
    void *d_bits, *d_tail;
} cz_device_points;

/* The sums of a proof. */
typedef enum {
    CZ_DEVICE_SUM_H,
    CZ_DEVICE_SUM_L,
    CZ_DEVICE_SUM_A,
    CZ_DEVICE_SUM_B1,
    CZ_DEVICE_SUM_B2
} cz_device_sum;

/* Lists that a witness is summed over, as they stream. */
enum { CZ_DEVICE_STREAMS = 4 };
typedef struct {
    const cz_params *file;
    const cz_point_list *points; /* of it */
    cz_device_sum sum;
    cz_device_vars_name vars;
    cz_device_chunk *chunks; /* owned */
    size_t n_chunks;
} cz_device_stream;

/* Sums of H, of lists over G1, of the one over G2. */
enum { CZ_DEVICE_SHAPES = 3 };

struct cz_device_key {
    cz_gpu *gpu;
    const cz_params *params;
    const cz_params *hl_file; /* with the lists h and l: the parameters, or the folded file */
    bool is_folded;
    cz_pool *pool;
    char circuit_id[CZ_COMPILED_ID_MAX];
    uint32_t n_inputs, n_aux, n_fields;
    size_t n_words; /* of the witness's plane, without the spare one */
    unsigned log_n; /* of the domain */

    cz_eval_gpu *eval;
    cz_gpu_ntt *ntt;
    cz_gpu_sums *sums;
    cz_gpu_event *mark;     /* to wait for what is queued */
    cz_gpu_event *uploaded; /* resident: a witness that went up ahead is there */

    cz_arena_map map;
    void *memory;
    bool streams;
    unsigned batch; /* witnesses that there is room for */
    cz_device_vars vars[CZ_DEVICE_VARS];
    uint64_t *d_plane;                  /* bits of the first witness */
    cz_fr *d_values;                    /* its inputs and fields */
    size_t plane_stride, values_stride; /* to the next one; elements */
    cz_fr *d_rows;                      /* of the domain; then H's scalars; streamed: a group's */
    size_t rows_bytes;
    void *d_shared; /* further rows, then what sums need */
    size_t shared_bytes;
    uint64_t *d_selected; /* bits of a list, or of a chunk, of every witness ... */
    cz_fr *d_scalars;     /* ... and values of one's tail. Streamed: behind the tail, in d_rows */
    size_t selected_stride, selected_bytes, scalar_bytes;

    /* resident */
    cz_g1_affine *d_h; /* and behind them the tails that join; with the tables, if there are any */
    size_t h_terms;    /* how many */
    bool l_joins;      /* L's tail is summed with H: C has both, and one sum is cheaper than two */
    bool b1_joins;     /* B1's, too, its values times r: it is in C alone, and there times r */
    cz_fr *d_r;        /* of the partition whose H is summed; if B1's tail joins */
    unsigned h_tables; /* its points counted: 1, 2, 4 */
    cz_device_points l, a, b1, b2;

    /* streamed */
    unsigned group;                    /* partitions whose rows are there at once */
    size_t chunk_points;               /* of G1; half as many of G2 */
    size_t tail_points[CZ_GPU_GROUPS]; /* that gather before they are summed ... */
    size_t tail_bytes;                 /* ... at the begin of d_rows */
    void *d_bytes;                     /* of a chunk, from the file */
    uint32_t *d_to;                    /* places of its points */
    uint32_t *d_mark;
    void *d_points; /* of a chunk: all of H's, the bit part of another list's; in d_shared */
    cz_device_stream stream[CZ_DEVICE_STREAMS]; /* L, A, B1, B2 */
    cz_points_feed *feed;
};

/* A key in the making. */
typedef struct {
    cz_device_key *key;
    const cz_compiled *circuit;
    const cz_device_key_options *options;
    cz_points_gpu *points; /* what loads lists, resident */
    uint64_t most_scratch; /* of the sums, resident; 0: as their fastest form needs */
    cz_densities densities;
    cz_device_list_vars vars[CZ_DEVICE_VARS];
    cz_device_list list[CZ_DEVICE_VARS];
} cz_device_loading;

static inline uint64_t cz_device_domain(const cz_device_key *key)
{
    return (uint64_t)1 << key->log_n;
}

/** Choose a mode, lay out its memory, take it, and make the sums' scratch in it
 * (prove_device_plan).
 */
CZ_MUST_CHECK cz_err cz_device_plan(cz_device_loading *l);

/* ---- proofs in the making ---- */

/* Every sum waits for the device, so phases are taken by the host's clock; what is done for several
 * partitions at once is shared among them. */
typedef struct {
    const cz_device_partition *part;
    cz_fr r, s;       /* the partition's, or drawn for it */
    cz_proof_job job; /* its sums */
    uint64_t ns[CZ_PHASE_COUNT];
} cz_device_member;

typedef struct {
    cz_device_key *key;
    const cz_gpu_backend *backend;
    cz_device_member *members; /* number i has witness number i of the device's */
    unsigned n;
    uint64_t start_ns, lap_ns; /* of all; of what is being timed */
} cz_device_batch;

/* A stretch of a list's bit part, and the words of aux in which its variables lie. */
typedef struct {
    cz_device_vars_name vars;
    size_t first_word, n_words;
    uint32_t first_bit;
    size_t n;
} cz_device_bits;

/** What was done since the last lap was done for members [first, first + n). */
void cz_device_lap(cz_device_batch *b, cz_phase phase, unsigned first, unsigned n);

/** Until what was queued so far is done. */
CZ_MUST_CHECK cz_err cz_device_wait(const cz_device_batch *b);

/** Member i's witness onto the device, queued. One that the device makes itself (w->source) is made
 * in the compute queue, whatever `queue` says, with d_shared as its scratch: nothing there is
 * needed any more. In the copy queue the host's memory must stay until the device was waited for.
 */
CZ_MUST_CHECK cz_err cz_device_upload(const cz_device_batch *b, unsigned i, cz_gpu_queue queue);

/** Add n points times scalars to one of member i's sums. */
CZ_MUST_CHECK cz_err cz_device_add_full(cz_device_batch *b, unsigned i, cz_device_sum which,
                                        const void *d_points, const cz_fr *d_scalars, size_t n,
                                        unsigned tables);

/** Member i's values for n points of a list's tail, from number `first` on, to d_scalars; queued.
 */
CZ_MUST_CHECK cz_err cz_device_select_tail(const cz_device_batch *b, unsigned i,
                                           cz_device_vars_name vars, cz_fr *d_scalars, size_t first,
                                           size_t n);

/** The same of points of a list's tail, numbers [first, first + n), with member i's values. */
CZ_MUST_CHECK cz_err cz_device_add_tail(cz_device_batch *b, unsigned i, cz_device_sum which,
                                        cz_device_vars_name vars, const void *d_points,
                                        size_t first, size_t n);

/** Add to every member's sum the points of the stretch that its bits select. */
CZ_MUST_CHECK cz_err cz_device_add_bits(cz_device_batch *b, cz_device_sum which,
                                        const cz_device_bits *bits, const void *d_points);

/** The stages of the two modes, from the witnesses to the members' sums; they leave secrets on the
 * device, even where they fail. */
CZ_MUST_CHECK cz_err cz_device_run_resident(cz_device_batch *b);
CZ_MUST_CHECK cz_err cz_device_run_streamed(cz_device_batch *b);

#endif
