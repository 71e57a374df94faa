/* list_sum_body.h: list_sum.h for one group.
 *
 * No include guard: list_sum.c defines
 *   JAC, AFFINE  the group's types      G(name)  its curve.h functions
 *   GATHER, BIT_SUM, MSM                params.h and msm.h functions
 *   BIT_SCRATCH, MSM_SCRATCH            what those take
 *   TAIL_MAX     points of an MSM       LIST_SUM, BYTES the public functions
 *   FN(name)     names local to this group */

typedef struct {
    const cz_list_sum *job;
    cz_pool *pool;
    cz_trace *trace;
    cz_list_walk walk;
    cz_msm_memory memory;
    AFFINE *points;   /* gathered ones, a chunk */
    uint64_t *bits;   /* as many set bits as there are points */
    AFFINE *tail;     /* collected full-size points, tail_cap … */
    cz_u256 *scalars; /* … and their values */
    size_t n_tail, tail_cap;
    size_t n_gathered; /* points that ever lay in `points` */
    JAC sum;
} FN(work);

static cz_err FN(add_ones)(FN(work) * w)
{
    const cz_list_walk *walk = &w->walk;
    cz_span span;
    JAC part;
    cz_err err;

    if (walk->n_ones == 0)
        return CZ_OK;
    if (walk->n_ones > w->n_gathered)
        w->n_gathered = walk->n_ones;
    span = cz_trace_begin(w->trace, CZ_PHASE_SRS_LOAD, w->job->partition);
    err = GATHER(w->job->params, w->job->list, w->pool, walk->ones, walk->n_ones, w->points);
    span.bytes = walk->n_ones * sizeof *w->points;
    cz_trace_end(&span);
    CZ_TRY(err);
    span = cz_trace_begin(w->trace, w->job->ones_phase, w->job->partition);
    set_bits(w->bits, walk->n_ones);
    err = BIT_SUM(w->pool, &part, w->points, w->bits, walk->n_ones);
    if (err == CZ_OK)
        G(add)(&w->sum, &w->sum, &part);
    cz_trace_end(&span);
    cz_secure_zero(&part, sizeof part);
    return err;
}

static cz_err FN(flush_tail)(FN(work) * w)
{
    cz_span span = cz_trace_begin(w->trace, w->job->tail_phase, w->job->partition);
    JAC part;
    cz_err err = MSM(w->pool, &part, w->tail, w->scalars, w->n_tail);

    if (err == CZ_OK)
        G(add)(&w->sum, &w->sum, &part);
    cz_trace_end(&span);
    cz_secure_zero(&part, sizeof part);
    w->n_tail = 0;
    return err;
}

static cz_err FN(collect_tail)(FN(work) * w)
{
    const cz_list_walk *walk = &w->walk;
    cz_span span;
    cz_err err;

    if (w->n_tail + walk->n_tail > w->tail_cap)
        CZ_TRY(FN(flush_tail)(w));
    span = cz_trace_begin(w->trace, CZ_PHASE_SRS_LOAD, w->job->partition);
    err = GATHER(w->job->params, w->job->list, w->pool, walk->tail, walk->n_tail,
                 w->tail + w->n_tail);
    span.bytes = walk->n_tail * sizeof *w->tail;
    cz_trace_end(&span);
    CZ_TRY(err);
    memcpy(w->scalars + w->n_tail, walk->scalars, walk->n_tail * sizeof *w->scalars);
    w->n_tail += walk->n_tail;
    return CZ_OK;
}

static bool FN(next)(FN(work) * w)
{
    cz_span span = cz_trace_begin(w->trace, CZ_PHASE_PREP_MSM, w->job->partition);
    const bool found = cz_list_walk_next(&w->walk);

    cz_trace_end(&span);
    return found;
}

static cz_err FN(sum_all)(FN(work) * w)
{
    while (FN(next)(w)) {
        CZ_TRY(FN(add_ones)(w));
        CZ_TRY(FN(collect_tail)(w));
    }
    return w->n_tail > 0 ? FN(flush_tail)(w) : CZ_OK;
}

static size_t FN(tail_cap)(size_t tail_total, size_t tail_max)
{
    if (tail_max == 0)
        tail_max = TAIL_MAX;
    return tail_total < tail_max ? tail_total : tail_max;
}

static cz_err FN(allocate)(FN(work) * w)
{
    size_t tail_total = cz_list_walk_tail_total(w->job);

    CZ_TRY(cz_list_walk_begin(&w->walk, w->job));
    w->tail_cap = FN(tail_cap)(tail_total, w->job->tail_max);
    CZ_ASSERT(w->tail_cap == tail_total || w->tail_cap >= w->walk.chunk);
    CZ_TRY(cz_msm_take(&w->memory, &w->points, w->walk.chunk, sizeof *w->points));
    CZ_TRY(cz_msm_take_secret(&w->memory, &w->bits, w->walk.chunk / 64, sizeof *w->bits));
    CZ_TRY(cz_msm_take(&w->memory, &w->tail, w->tail_cap + 1, sizeof *w->tail));
    CZ_TRY(cz_msm_take(&w->memory, &w->scalars, w->tail_cap + 1, sizeof *w->scalars));
    G(set_infinity)(&w->sum);
    return CZ_OK;
}

/* Which points were picked, and the values, tell the witness. */
static void FN(release)(FN(work) * w)
{
    if (w->points != NULL)
        cz_secure_zero(w->points, w->n_gathered * sizeof *w->points);
    if (w->tail != NULL)
        cz_secure_zero(w->tail, w->tail_cap * sizeof *w->tail);
    if (w->scalars != NULL)
        cz_secure_zero(w->scalars, w->tail_cap * sizeof *w->scalars);
    cz_secure_zero(&w->sum, sizeof w->sum);
    cz_msm_release(&w->memory);
    cz_list_walk_end(&w->walk);
}

cz_err LIST_SUM(JAC *out, const cz_list_sum *job, cz_pool *pool, cz_trace *trace)
{
    FN(work) w = {.job = job, .pool = pool, .trace = trace};
    cz_span span = cz_trace_begin(trace, CZ_PHASE_PREP_MSM, job->partition);
    cz_err err = FN(allocate)(&w);

    cz_trace_end(&span);
    if (err != CZ_OK)
        goto done;
    CZ_TRY_GOTO(err, FN(sum_all)(&w));
    *out = w.sum;
done:
    span = cz_trace_begin(trace, CZ_PHASE_PREP_MSM, job->partition);
    FN(release)(&w);
    cz_trace_end(&span);
    return err;
}

size_t BYTES(cz_pool *pool, size_t tail_total, size_t chunk, size_t tail_max)
{
    const size_t tail = FN(tail_cap)(tail_total, tail_max);
    const size_t bits = BIT_SCRATCH(pool), full = MSM_SCRATCH(pool, tail);

    chunk = cz_list_walk_chunk(chunk);
    return cz_list_walk_bytes(chunk) + cz_msm_block_bytes(chunk, sizeof(AFFINE)) +
           cz_msm_block_bytes(chunk / 64, sizeof(uint64_t)) +
           cz_msm_block_bytes(tail + 1, sizeof(AFFINE)) +
           cz_msm_block_bytes(tail + 1, sizeof(cz_u256)) + (bits > full ? bits : full);
}
