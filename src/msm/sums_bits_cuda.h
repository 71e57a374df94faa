/* sums_bits_cuda.h: bit sums of a device, by one plane or by several over the same points.
 *
 * One plane: the points whose bit is set, in pairs, then pairs of sums, and so on.
 *
 * Several planes [Pip76]: a point's bits in all planes together are the number of its bucket. One
 * addition a point fills the buckets, and the sum by plane j is that of the buckets whose number
 * has bit j: what the last step of a full-width sum does with rows and columns.
 *
 * For sums_g1_cuda.cu and sums_g2_cuda.cu. */
#ifndef CZ_MSM_SUMS_BITS_CUDA_H
#define CZ_MSM_SUMS_BITS_CUDA_H

#include "msm/sums_body_cuda.h"

/* References of the set bits of points first … first + n - 1 to refs[0]; an even number of them. */
static inline cz_err list_set_bits(sum_state *s, const uint64_t *d_bits, uint64_t first, uint64_t n,
                                   uint64_t *listed)
{
    const uint64_t words = (n + 63) / 64;
    const unsigned blocks = (unsigned)((words + LIST_THREADS - 1) / LIST_THREADS);
    uint32_t *count = s->used + USED_BITS, *h_count = s->sums->h_used + USED_BITS;

    CZ_TRY_CUDA(cudaMemsetAsync(count, 0, 4, s->stream));
    k_set_bits<<<blocks, LIST_THREADS, 0, s->stream>>>(d_bits + first / 64, s->refs[0], count, n,
                                                       (uint32_t)first);
    CZ_TRY_LAUNCH(k_set_bits);
    CZ_TRY_CUDA(cudaMemcpyAsync(h_count, count, 4, cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY(sum_watch_mark(s->sums, "lists", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    *listed = *h_count;
    if (*listed % 2 != 0) { /* 0xffffffff refers to infinity as well as PAIR_NONE does */
        CZ_TRY_CUDA(cudaMemsetAsync(s->refs[0] + *listed, 0xff, 4, s->stream));
        *listed += 1;
    }
    return CZ_OK;
}

/* Sums of neighbours until few are left; *first: their element number, *n: how many. */
template <class G> static cz_err halve_until_few(sum_state *s, uint64_t *first, uint64_t *n)
{
    while (*n > FEW_POINTS) {
        pair_args a = {};

        if (*n % 2 != 0) {
            CZ_TRY_CUDA(
                cudaMemsetAsync(scratch_at<G>(s, *first + *n), 0, point_bytes<G>(1), s->stream));
            *n += 1;
        }
        a.first = (uint32_t)*first;
        *first += *n;
        *n /= 2;
        a.out = scratch_at<G>(s, *first);
        CZ_TRY((add_pairs<G, PAIR_ROWS>(s, &a, *n)));
        CZ_TRY(sum_watch_mark(s->sums, "halve", *n));
    }
    return CZ_OK;
}

/* n sums from element number `first` on, to the answer; waits. */
template <class G> static cz_err add_few(sum_state *s, uint64_t first, uint64_t n)
{
    const uint64_t each = (n + FEW_SLICES - 1) / FEW_SLICES;
    tail_job jobs[FEW_SLICES];
    unsigned n_jobs = 0;

    for (uint64_t i = 0; i < n; i += each)
        jobs[n_jobs++] = {first + i, (uint32_t)(n - i < each ? n - i : each), -1};
    if (n_jobs > 0)
        CZ_TRY(fetch_bit_sums<G>(s, jobs, n_jobs));
    for (unsigned i = 0; i < n_jobs; i++)
        s->sums->hosts[G::group]->add_one(&s->answer, s->sums->h_answer, i);
    return CZ_OK;
}

/* Of points first … first + n - 1, to the answer; waits. */
template <class G>
static cz_err add_bits(sum_state *s, const uint64_t *d_bits, uint64_t first, uint64_t n)
{
    uint64_t at = s->results, listed;
    pair_args a = {};

    CZ_TRY(list_set_bits(s, d_bits, first, n, &listed));
    listed /= 2;
    a.pairs = (const uint2 *)s->refs[0];
    a.out = scratch_at<G>(s, at);
    CZ_TRY((add_pairs<G, PAIR_LIST>(s, &a, listed)));
    CZ_TRY(sum_watch_mark(s->sums, "level 1", listed));
    CZ_TRY(halve_until_few<G>(s, &at, &listed));
    return add_few<G>(s, at, listed);
}

/* The state of bit sums over n points, laid out for chunks of s->capacity. */
template <class G>
static cz_err begin_bits(sum_state *s, cz_gpu_sums *sums, const void *d_points, unsigned planes,
                         uint64_t n)
{
    bool fits = n <= SUM_MAX_TERMS;

    s->sums = sums;
    s->stream = sums->stream;
    s->points = (const uint4 *)d_points;
    s->n_elements = (uint32_t)n;
    if (fits)
        CZ_TRY(fit_bits<G>(s, sums->gpu, n, planes, sums->bytes, &fits));
    return fits ? begin_sum<G>(s) : does_not_fit(sums, n);
}

template <class G>
static cz_err sum_bits(cz_gpu_sums *sums, void *out_affine, const void *d_points,
                       const uint64_t *d_bits, uint64_t n, cz_gpu_phases *phases)
{
    sum_state s = {};

    sums->hosts[G::group]->start(&s.answer);
    if (n > 0)
        CZ_TRY(begin_bits<G>(&s, sums, d_points, 1, n));
    for (uint64_t first = 0; first < n; first += s.capacity)
        CZ_TRY(add_bits<G>(&s, d_bits, first, n - first < s.capacity ? n - first : s.capacity));
    sums->hosts[G::group]->to_affine(out_affine, &s.answer);
    return sum_watch_read(sums, phases);
}

/* ---- several planes ---- */

/* Points first … first + n - 1, to the buckets of chunk `chunk`. */
template <class G>
static cz_err add_patterns(sum_state *s, const list_planes *planes, uint64_t first, uint64_t n,
                           unsigned chunk)
{
    const uint32_t patterns = 1u << planes->n;
    uint32_t *count = s->used + USED_ENTRIES, *h_count = s->sums->h_used + USED_ENTRIES;
    sum_set set = {};

    CZ_TRY_CUDA(cudaMemsetAsync(count, 0, 4, s->stream));
    k_patterns<<<strides(s), LIST_THREADS, 0, s->stream>>>(*planes, s->keys[0], s->refs[0], count,
                                                           first, n);
    CZ_TRY_LAUNCH(k_patterns);
    CZ_TRY_CUDA(cudaMemcpyAsync(h_count, count, 4, cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY(sum_watch_mark(s->sums, "patterns", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    set.entries = *h_count;
    set.key_bits = planes->n;
    set.keys = s->keys[0];
    set.refs = s->refs[0];
    set.other_keys = s->keys[1];
    set.other_refs = s->refs[1];
    CZ_TRY(add_buckets<G>(s, &set, patterns));
    return collect_results<G>(s, scratch_at<G>(s, s->buckets + (uint64_t)chunk * patterns),
                              patterns);
}

/* The sums by all planes from the buckets of that many chunks; waits. */
template <class G>
static cz_err add_planes(sum_state *s, void *out_affine, unsigned planes, unsigned chunks)
{
    const cz_sum_host *host = s->sums->hosts[G::group];
    tail_job jobs[CZ_GPU_MAX_PLANES];

    for (unsigned j = 0; j < planes; j++)
        jobs[j] = {s->buckets, chunks << planes, (int)j};
    CZ_TRY(fetch_bit_sums<G>(s, jobs, planes));
    for (unsigned j = 0; j < planes; j++) {
        cz_sum_point sum;

        host->start(&sum);
        host->add_one(&sum, s->sums->h_answer, j);
        host->to_affine((char *)out_affine + j * point_bytes<G>(1), &sum);
    }
    return CZ_OK;
}

template <class G>
static cz_err sum_bits_many(cz_gpu_sums *sums, void *out_affine, const void *d_points,
                            const uint64_t *const *d_planes, unsigned n_planes, uint64_t n,
                            cz_gpu_phases *phases)
{
    sum_state s = {};
    list_planes planes = {};
    unsigned chunks = 0;

    if (n_planes > CZ_GPU_MAX_PLANES)
        return cz_fail(CZ_E_ARG, "bit sums by %u planes at once", n_planes);
    if (n_planes == 1)
        return sum_bits<G>(sums, out_affine, d_points, d_planes[0], n, phases);
    memset(out_affine, 0, point_bytes<G>(n_planes));
    if (n == 0 || n_planes == 0)
        return sum_watch_read(sums, phases);
    planes.n = n_planes;
    for (unsigned j = 0; j < n_planes; j++)
        planes.plane[j] = d_planes[j];
    CZ_TRY(begin_bits<G>(&s, sums, d_points, n_planes, n));
    for (uint64_t first = 0; first < n; first += s.capacity, chunks++)
        CZ_TRY(add_patterns<G>(&s, &planes, first, n - first < s.capacity ? n - first : s.capacity,
                               chunks));
    CZ_TRY(add_planes<G>(&s, out_affine, n_planes, chunks));
    return sum_watch_read(sums, phases);
}

#endif
