/* points.c: points out of the mapped file into Montgomery form, and the full check of a file.
 *
 * Every loader is one parallel loop over a `pick`: a list and which of its points. */
#include <inttypes.h>

#include "params/params.h"

enum { POINTS_A_TURN = 512 };

typedef struct {
    const cz_params *params;
    const cz_point_list *list;
    size_t first;
    const uint32_t *at; /* NULL: first, first + 1, … */
    void *out;          /* cz_g1_affine or cz_g2_affine */
    bool subgroup;
} pick;

static const char *section_name(const cz_params *p, const cz_point_list *list)
{
    return list == &p->h      ? "h"
           : list == &p->l    ? "l"
           : list == &p->a    ? "a"
           : list == &p->b_g1 ? "b_g1"
                              : "b_g2";
}

static size_t index_of(const pick *job, size_t i)
{
    return job->at == NULL ? job->first + i : job->at[i];
}

static cz_err bad_point(const pick *job, size_t index, const char *why)
{
    return cz_fail(CZ_E_INPUT, "%s: %s[%zu]: %s", job->params->path,
                   section_name(job->params, job->list), index, why);
}

static cz_err decode_g1(const pick *job, size_t index, cz_g1_affine *p)
{
    const uint8_t *bytes = job->list->bytes + index * CZ_G1_UNCOMPRESSED_BYTES;

    CZ_TRY_IN(cz_g1_deserialize_unchecked(p, bytes), "%s: %s[%zu]", job->params->path,
              section_name(job->params, job->list), index);
    if (cz_g1_affine_is_infinity(p))
        return bad_point(job, index, "the point at infinity");
    if (!cz_g1_affine_on_curve(p))
        return bad_point(job, index, "not on the curve");
    if (job->subgroup && !cz_g1_affine_in_subgroup(p))
        return bad_point(job, index, "not in the subgroup");
    return CZ_OK;
}

static cz_err decode_g2(const pick *job, size_t index, cz_g2_affine *p)
{
    const uint8_t *bytes = job->list->bytes + index * CZ_G2_UNCOMPRESSED_BYTES;

    CZ_TRY_IN(cz_g2_deserialize_unchecked(p, bytes), "%s: %s[%zu]", job->params->path,
              section_name(job->params, job->list), index);
    if (cz_g2_affine_is_infinity(p))
        return bad_point(job, index, "the point at infinity");
    if (!cz_g2_affine_on_curve(p))
        return bad_point(job, index, "not on the curve");
    if (job->subgroup && !cz_g2_affine_in_subgroup(p))
        return bad_point(job, index, "not in the subgroup");
    return CZ_OK;
}

static cz_err load_g1_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const pick *job = ctx;
    cz_g1_affine *out = job->out;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        CZ_TRY(decode_g1(job, index_of(job, i), &out[i]));
    return CZ_OK;
}

static cz_err load_g2_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const pick *job = ctx;
    cz_g2_affine *out = job->out;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        CZ_TRY(decode_g2(job, index_of(job, i), &out[i]));
    return CZ_OK;
}

cz_err cz_params_load_g1(const cz_params *p, const cz_point_list *list, cz_pool *pool, size_t first,
                         size_t n, cz_g1_affine *out)
{
    pick job = {.params = p, .list = list, .first = first, .out = out};

    CZ_ASSERT(first <= list->n && n <= list->n - first);
    return cz_parallel_for(pool, n, POINTS_A_TURN, load_g1_range, &job);
}

cz_err cz_params_load_g2(const cz_params *p, const cz_point_list *list, cz_pool *pool, size_t first,
                         size_t n, cz_g2_affine *out)
{
    pick job = {.params = p, .list = list, .first = first, .out = out};

    CZ_ASSERT(first <= list->n && n <= list->n - first);
    return cz_parallel_for(pool, n, POINTS_A_TURN, load_g2_range, &job);
}

cz_err cz_params_gather_g1(const cz_params *p, const cz_point_list *list, cz_pool *pool,
                           const uint32_t *at, size_t n, cz_g1_affine *out)
{
    pick job = {.params = p, .list = list, .at = at, .out = out};

    return cz_parallel_for(pool, n, POINTS_A_TURN, load_g1_range, &job);
}

cz_err cz_params_gather_g2(const cz_params *p, const cz_point_list *list, cz_pool *pool,
                           const uint32_t *at, size_t n, cz_g2_affine *out)
{
    pick job = {.params = p, .list = list, .at = at, .out = out};

    return cz_parallel_for(pool, n, POINTS_A_TURN, load_g2_range, &job);
}

/* --- the full check --- */

static cz_err check_g1_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const pick *job = ctx;
    cz_g1_affine p;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        CZ_TRY(decode_g1(job, i, &p));
    cz_params_release(job->params, job->list, begin, end - begin);
    return CZ_OK;
}

static cz_err check_g2_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const pick *job = ctx;
    cz_g2_affine p;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        CZ_TRY(decode_g2(job, i, &p));
    cz_params_release(job->params, job->list, begin, end - begin);
    return CZ_OK;
}

cz_err cz_params_check_points(const cz_params *p, cz_pool *pool)
{
    const cz_point_list *const g1_lists[] = {&p->h, &p->l, &p->a, &p->b_g1};
    pick g2 = {.params = p, .list = &p->b_g2, .subgroup = true};

    for (int i = 0; i < 4; i++) {
        pick g1 = {.params = p, .list = g1_lists[i], .subgroup = true};

        CZ_TRY(cz_parallel_for(pool, g1.list->n, 4096, check_g1_range, &g1));
    }
    return cz_parallel_for(pool, g2.list->n, 2048, check_g2_range, &g2);
}
