/* msm_fixed_base.h: many multiples of one base. No include guard; part of msm_body.h.
 *
 * A table holds v 2^(c w) base for every window w and every magnitude v; a multiple is the sum of
 * one table entry, or its negative, a window. The table grows by doubling: entries 2^k + 1 …
 * 2^(k+1) of a window are entry 2^k plus entries 1 … 2^k. Tables and multiples are sums of lists.
 */

typedef struct {
    engine e;
    cz_msm_shape shape;
    uint32_t table; /* slot of window 0's entry 1 */
    AFFINE *points;
    const cz_u256 *scalars;
} base_run;

/* The slot of v 2^(c window) base. */
static uint32_t table_slot(const base_run *r, unsigned window, uint32_t v)
{
    return r->table + (uint32_t)cz_msm_bucket_base(&r->shape, window) + v - 1;
}

/* Entries 1 of all windows. */
static cz_err start_table(base_run *r, const AFFINE *base)
{
    unsigned n = r->shape.n_windows;
    GROUP powers[CZ_MSM_SCALAR_BITS];
    AFFINE affine[CZ_MSM_SCALAR_BITS];

    G(from_affine)(&powers[0], base);
    for (unsigned w = 1; w < n; w++) {
        powers[w] = powers[w - 1];
        for (unsigned i = 0; i < r->shape.c; i++)
            G(dbl)(&powers[w], &powers[w]);
    }
    CZ_TRY(G(batch_to_affine)(affine, powers, n));
    for (unsigned w = 0; w < n; w++)
        load_points(&r->e.pool[table_slot(r, w, 1)], &affine[w], 1);
    return CZ_OK;
}

/* A task of one round: entries known + 1 … 2 known of one window, a block at a time. */
typedef struct {
    base_run *r;
    uint32_t known;
    uint32_t tasks_a_window;
} table_round;

static cz_err extend_table(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    const table_round *round = ctx;
    base_run *r = round->r;
    worker *w = &r->e.workers[worker_id];

    for (size_t task = begin; task < end; task++) {
        unsigned window = (unsigned)(task / round->tasks_a_window);
        uint32_t first = (uint32_t)(task % round->tasks_a_window) * (BLOCK_REFS / 2);
        uint32_t n = round->known - first < BLOCK_REFS / 2 ? round->known - first : BLOCK_REFS / 2;

        if (round->known >> cz_msm_bucket_bits(&r->shape, window) != 0)
            continue; /* this window is complete */
        for (uint32_t i = 0; i < n; i++)
            w->pairs[i] = (pair){table_slot(r, window, round->known) << 1,
                                 table_slot(r, window, first + i + 1) << 1};
        add_pairs(r->e.pool, w->pairs, n, table_slot(r, window, round->known + first + 1), &w->add);
    }
    return CZ_OK;
}

static cz_err fill_table(base_run *r, const AFFINE *base)
{
    CZ_TRY(start_table(r, base));
    for (uint32_t known = 1; known >> r->shape.c == 0; known *= 2) {
        table_round round = {r, known, (known + BLOCK_REFS / 2 - 1) / (BLOCK_REFS / 2)};

        CZ_TRY(cz_parallel_for(r->e.threads, (size_t)r->shape.n_windows * round.tasks_a_window, 1,
                               extend_table, &round));
    }
    return CZ_OK;
}

/* Up to a block of multiples: scalars [begin, end). */
static void multiply_block(base_run *r, worker *w, size_t begin, size_t end)
{
    uint32_t used = 0;

    for (size_t i = begin; i < end; i++) {
        uint64_t k[CZ_MSM_RECODED_LIMBS];
        uint32_t start = used;

        cz_msm_recode(k, &r->scalars[i], &r->shape);
        for (unsigned window = 0; window < r->shape.n_windows; window++) {
            uint32_t digit = cz_msm_digit(k, window, &r->shape);

            if (digit != 0)
                w->refs[used++] = table_slot(r, window, digit >> 1) << 1 | (digit & 1);
        }
        w->lists[i - begin] = (list){start, used - start};
    }
    reduce_block(&r->e, w, end - begin);
    for (size_t i = 0; i < end - begin; i++)
        w->lists[i].start = reduced_ref(w, i);
    for (size_t i = 0; i < end - begin; i++)
        w->refs[i] = w->lists[i].start;
    store_points(r->points + begin, r->e.pool, w->refs, end - begin);
}

static cz_err multiply_range(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    base_run *r = ctx;
    size_t most = BLOCK_REFS / r->shape.n_windows;

    for (; begin < end; begin += most)
        multiply_block(r, &r->e.workers[worker_id], begin, end - begin < most ? end : begin + most);
    return CZ_OK;
}

static cz_err fixed_base(cz_pool *threads, AFFINE *points, const AFFINE *base,
                         const cz_u256 *scalars, size_t n)
{
    base_run r = {.table = 1, .points = points, .scalars = scalars};
    size_t grain;
    cz_err err;

    cz_msm_shape_choose(&r.shape, n, 1, MAX_TABLE_WINDOW);
    grain = 4 * BLOCK_REFS / r.shape.n_windows;
    if (n / (4 * (size_t)cz_pool_threads(threads)) < grain)
        grain = n / (4 * (size_t)cz_pool_threads(threads)) + 1;
    CZ_TRY_GOTO(err,
                engine_init(&r.e, threads, (engine_size){.slots = 1 + cz_msm_n_buckets(&r.shape)}));
    CZ_TRY_GOTO(err, fill_table(&r, base));
    CZ_TRY_GOTO(err, cz_parallel_for(threads, n, grain, multiply_range, &r));
done:
    engine_clear(&r.e);
    return err;
}
