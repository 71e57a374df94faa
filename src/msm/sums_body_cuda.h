/* sums_body_cuda.h: device sums over a group; see sums_gpu.h for the contract. Included once a
 * group, by sums_g1_cuda.cu and sums_g2_cuda.cu; G names the group and its fields.
 *
 * The stages of a full-width sum, in order, and the files that hold them:
 *   halves            scalars to half-scalars; values that many share      digits_cuda.h,
 *                                                                          sums_shared_cuda.h
 *   for each set of buckets (msm_plan.h), in chunks of buckets, or for all sets together:
 *     digits, split or sort, lists           digits_cuda.h, split_cuda.h, segments_cuda.h,
 *                                            runs_cuda.h, CUB
 *     levels          all pairs of a level of all buckets' trees           pair_cuda.h
 *     merge           bucket sums of the two halves: A + phi(B)            pair_cuda.h
 *   rows, columns     sums of 2^k neighbours, and of every 2^k-th          pair_cuda.h
 *   tail              bit sums; on the host Horner, to one point           tail_cuda.h,
 *                                                                          sums_answer.h */
#ifndef CZ_MSM_SUMS_BODY_CUDA_H
#define CZ_MSM_SUMS_BODY_CUDA_H

#include "msm/sums_add_cuda.h"
#include "msm/sums_shared_cuda.h"

/* ---- the tail ---- */

/* The bit sums of all jobs, to the host; waits. */
template <class G> static cz_err fetch_bit_sums(sum_state *s, const tail_job *jobs, unsigned n)
{
    typedef typename G::tail F;
    const size_t bytes = (size_t)n * F::LANES * sizeof(tail_point);

    static_assert(sizeof(tail_job) == 16 && sizeof(tail_point) * F::LANES <= SUM_MAX_ANSWER_BYTES,
                  "pinned memory of jobs and their sums");
    if (n > SUM_MAX_JOBS)
        return cz_fail(CZ_E_INTERNAL, "a sum with %u bit sums", n);
    memcpy(s->sums->h_jobs, jobs,
           n * sizeof *jobs); /* whoever used it waited at its end, as here */
    CZ_TRY_CUDA(cudaMemcpyAsync(s->jobs, s->sums->h_jobs, n * sizeof *jobs, cudaMemcpyHostToDevice,
                                s->stream));
    k_bit_sums<F><<<n * TAIL_SPLIT, TAIL_THREADS, 0, s->stream>>>(s->scratch, s->jobs, s->parts);
    CZ_TRY_LAUNCH(k_bit_sums);
    k_join_parts<F><<<n, TAIL_SPLIT * F::LANES, 0, s->stream>>>(s->parts, s->bit_sums);
    CZ_TRY_LAUNCH(k_join_parts);
    CZ_TRY_CUDA(
        cudaMemcpyAsync(s->sums->h_answer, s->bit_sums, bytes, cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY(sum_watch_mark(s->sums, "tail", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    return CZ_OK;
}

template <class G> static unsigned plan_tail(sum_state *s, tail_job *jobs)
{
    const cz_msm_plan *plan = &s->plan;
    const unsigned k = plan->column_bits, levels = row_levels<G>(s);
    unsigned n = 0;

    s->sets.n_sets = plan->n_sets;
    s->sets.column_bits = k;
    for (unsigned i = 0; i < plan->n_sets; i++) {
        const cz_msm_plan_set *set = &plan->set[i];
        const unsigned row_bits = bits_for(set->padded_buckets >> k);
        const tail_job rows = {row_sums(s, levels) + (set->first_bucket >> levels),
                               (uint32_t)(set->padded_buckets >> levels), 0};
        const tail_job columns = {s->buckets + set->first_bucket, (uint32_t)(s->rows_left[i] << k),
                                  0};

        s->sets.set[i] = {n, row_bits, set->position};
        for (unsigned bit = 0; bit < row_bits; bit++)
            jobs[n++] = {rows.base, rows.n, (int)(bit + k - levels)};
        for (unsigned bit = 0; bit < k; bit++)
            jobs[n++] = {columns.base, columns.n, (int)bit};
        jobs[n++] = {columns.base, columns.n, -1};
    }
    return n;
}

/* Rows and columns to the answer; waits. */
template <class G> static cz_err combine(sum_state *s)
{
    tail_job jobs[SUM_MAX_JOBS];

    if (s->n_jobs > SUM_MAX_JOBS)
        return cz_fail(CZ_E_INTERNAL, "a sum with %u bit sums", s->n_jobs);
    CZ_TRY(fetch_bit_sums<G>(s, jobs, plan_tail<G>(s, jobs)));
    s->sums->hosts[G::group]->add_sets(&s->answer, s->sums->h_answer, &s->sets);
    return CZ_OK;
}

/* to[i] = 2^shift from[i] */
template <class G>
static cz_err shift_points(cudaStream_t stream, const uint4 *from, uint4 *to, uint64_t n, int shift)
{
    typedef typename G::tail F;
    const uint64_t a_block = TAIL_THREADS / F::LANES;

    k_shifted_points<F>
        <<<(unsigned)((n + a_block - 1) / a_block), TAIL_THREADS, 0, stream>>>(from, to, n, shift);
    CZ_TRY_LAUNCH(k_shifted_points);
    return CZ_OK;
}

/* Behind n points, `stride` points apart: the tables of their multiples. */
template <class G>
static cz_err make_tables(cudaStream_t stream, uint4 *points, uint64_t n, uint64_t stride,
                          unsigned tables, int shift)
{
    for (unsigned t = 1; t < tables; t++) {
        uint4 *from = points + G::pairs::PIECES * stride * (t - 1);

        CZ_TRY(shift_points<G>(stream, from, from + G::pairs::PIECES * stride, n, shift));
    }
    return CZ_OK;
}

/* ---- full-width sums ---- */

static inline cz_err make_halves(sum_state *s, const uint4 *scalars, uint64_t n, uint64_t to,
                                 int montgomery, const list_shared *shared)
{
    k_halves<<<strides(s), LIST_THREADS, 0, s->stream>>>(scalars, s->half[0] + to, s->half[1] + to,
                                                         n, s->plan.offset_low, s->plan.offset_high,
                                                         montgomery, *shared);
    CZ_TRY_LAUNCH(k_halves);
    return sum_watch_mark(s->sums, "halves", 0);
}

/* The sums of the terms of each shared value become further points, the values their scalars. */
template <class G>
static cz_err add_shared_values(sum_state *s, const list_shared *shared, int montgomery)
{
    const list_shared none = {};
    uint32_t *h_count = s->sums->h_used + USED_SHARED;
    uint4 *points = scratch_at<G>(s, s->more);
    sum_set set = {};

    CZ_TRY_CUDA(cudaMemcpyAsync(h_count, shared->count, 4, cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    s->needs_parts = *h_count > s->capacity;
    if (s->needs_parts)
        return CZ_OK;
    set.keys = s->keys[0];
    set.refs = s->refs[0];
    set.other_keys = s->keys[1];
    set.other_refs = s->refs[1];
    set.key_bits = bits_for(shared->n) > 0 ? bits_for(shared->n) : 1;
    set.entries = *h_count;
    CZ_TRY(add_buckets<G>(s, &set, MAX_SHARED));
    CZ_TRY(collect_results<G>(s, points, shared->n));
    CZ_TRY(make_halves(s, s->values, shared->n, s->plan.n, montgomery, &none));
    s->n_more = shared->n;
    return make_tables<G>(s->stream, points, shared->n, MAX_SHARED, s->plan.tables, s->plan.shift);
}

/* Terms first … first + plan.n - 1, to the answer; the scratch is laid out for them. Waits. */
template <class G> static cz_err add_part(sum_state *s, const cz_gpu_terms *terms, uint64_t first)
{
    const cz_msm_plan *plan = &s->plan;
    const uint32_t *index = terms->d_index != NULL ? terms->d_index + first : NULL;
    const uint4 *scalars = (const uint4 *)terms->d_scalars + 2 * first;
    list_shared shared = {};

    s->needs_parts = false;
    s->n_more = 0;
    s->points = (const uint4 *)terms->d_points;
    s->n_elements = (uint32_t)(terms->n_points * plan->tables);
    if (index == NULL) {
        s->points += G::pairs::PIECES * first;
        s->n_elements -= (uint32_t)first;
    }
    if (!elements_fit<G>(s))
        return cz_fail(CZ_E_DECLINED, "a sum over %llu points: too many for 32-bit numbers",
                       (unsigned long long)terms->n_points);
    CZ_TRY(begin_sum<G>(s));
    CZ_TRY(find_shared_values(s, scalars, index, &shared));
    CZ_TRY(make_halves(s, scalars, plan->n, 0, terms->montgomery, &shared));
    if (shared.n > 0)
        CZ_TRY(add_shared_values<G>(s, &shared, terms->montgomery));
    if (plan->together)
        CZ_TRY(add_set<G>(s, &plan->all, index));
    for (unsigned i = 0; !plan->together && i < plan->n_sets && !s->needs_parts; i++)
        CZ_TRY(add_set<G>(s, &plan->set[i], index));
    if (s->needs_parts)
        return CZ_OK;
    CZ_TRY(add_rows<G>(s));
    CZ_TRY(add_columns<G>(s));
    return combine<G>(s);
}

/* As few parts as fit all lists of a set at once, whatever the scalars; without the table. */
template <class G> static cz_err add_in_parts(sum_state *s, const cz_gpu_terms *terms)
{
    uint64_t each = terms->n;
    unsigned n_parts;
    bool fits = false;

    s->n_elements = (uint32_t)terms->n_points;
    for (n_parts = 1; !fits; n_parts += !fits) {
        if (n_parts > SUM_MAX_PARTS)
            return does_not_fit(s->sums, terms->n);
        each = (terms->n + n_parts - 1) / n_parts;
        CZ_TRY(lay_out_full<G>(s, s->sums->gpu, each, 1, 1));
        fits = s->map.bytes <= s->sums->bytes && elements_fit<G>(s);
    }
    for (unsigned i = 0; i < n_parts; i++) {
        const uint64_t first = i * each, left = terms->n - first;

        if (left < each)
            CZ_TRY(lay_out_full<G>(s, s->sums->gpu, left, 1, 1));
        CZ_TRY(add_part<G>(s, terms, first));
        if (s->needs_parts)
            return cz_fail(CZ_E_INTERNAL, "part %u of a sum's %u is too large", i + 1, n_parts);
    }
    return CZ_OK;
}

template <class G>
static cz_err sum_full(cz_gpu_sums *sums, void *out_affine, const cz_gpu_terms *terms,
                       cz_gpu_phases *phases)
{
    const uint64_t n = terms->n;
    const unsigned tables = terms->d_index == NULL && terms->tables > 1 ? terms->tables : 1;
    sum_state s = {};
    bool fits;

    if (n == 0) {
        memset(out_affine, 0, point_bytes<G>(1));
        return CZ_OK;
    }
    if (n > SUM_MAX_TERMS || (terms->d_index == NULL && n != terms->n_points) ||
        !tables_do(terms->tables))
        return cz_fail(CZ_E_ARG, "a sum of %llu terms over %llu points, %u tables",
                       (unsigned long long)n, (unsigned long long)terms->n_points, terms->tables);
    s.sums = sums;
    s.stream = sums->stream;
    s.n_elements = (uint32_t)(terms->n_points * tables);
    sums->hosts[G::group]->start(&s.answer);
    CZ_TRY(fit_full<G>(&s, sums->gpu, n, tables, 1, sums->bytes, &fits));
    if (fits)
        CZ_TRY(add_part<G>(&s, terms, 0));
    if (!fits || s.needs_parts)
        CZ_TRY(add_in_parts<G>(&s, terms));
    sums->hosts[G::group]->to_affine(out_affine, &s.answer);
    return sum_watch_read(sums, phases);
}

template <class G>
static cz_err sum_make_tables(cz_gpu_sums *sums, void *d_points, uint64_t n, unsigned tables)
{
    uint4 *points = (uint4 *)d_points;
    cz_msm_plan plan;

    if (!tables_do(tables))
        return cz_fail(CZ_E_ARG, "%u tables of points", tables);
    if (n == 0 || tables < 2)
        return CZ_OK;
    cz_msm_plan_choose(&plan, n, tables);
    return make_tables<G>(sums->stream, points, n, n, tables, plan.shift);
}

#endif
