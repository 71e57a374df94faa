/* msm_lists.h: sums of lists of points, the one thing that all of msm/ is made of.
 *
 * No include guard; part of msm_body.h. All points of a call lie in one array, the pool; slot 0 is
 * infinity. A ref names a point or its negative: slot << 1 | negate. A list is a stretch of refs.
 *
 * DESIGN. A thread packs neighbouring lists into a block of at most BLOCK_REFS refs and halves them
 * together: in each round, entries 2 i and 2 i + 1 of every list become one entry, and the kernel
 * adds all pairs of the block with one inversion. Nothing is written that the same round reads, so
 * equal buckets never collide, whatever the scalars. Lists longer than a block are put off and then
 * cut into pieces that all threads share. */

typedef struct {
    uint32_t start, len;
} list;

/* What one thread works in. */
typedef struct {
    uint32_t *refs; /* BLOCK_REFS */
    list *lists;    /* BLOCK_REFS: stretches of refs */
    pair *pairs;    /* BLOCK_REFS / 2 */
    uint32_t slots; /* first of BLOCK_REFS slots of the pool for results */
    add_scratch add;
} worker;

typedef struct {
    cz_pool *threads;
    cz_msm_memory memory;
    stored *pool;
    worker *workers;
    uint32_t *put_off;    /* numbers of the lists longer than a block, of the running sum_lists */
    list *pieces;         /* of one such list */
    uint32_t *piece_refs; /* their sums */
    uint32_t piece_slots; /* where these sums lie */
} engine;

/* What an engine must hold. */
typedef struct {
    size_t slots;       /* of the pool, for the caller; slot 0, infinity, among them */
    size_t max_refs;    /* of one sum_lists */
    size_t max_len;     /* of a list */
    bool only_counting; /* the memory's */
} engine_size;

/* Pieces of the longest list, pieces of these pieces, and so on. */
static size_t piece_slots(size_t max_len)
{
    return 2 * (max_len / PIECE_REFS) + 2;
}

static cz_err worker_init(worker *w, cz_msm_memory *memory, uint32_t slots)
{
    w->slots = slots;
    CZ_TRY(cz_msm_take_secret(memory, &w->refs, BLOCK_REFS, sizeof *w->refs));
    CZ_TRY(cz_msm_take_secret(memory, &w->lists, BLOCK_REFS, sizeof *w->lists));
    CZ_TRY(cz_msm_take_secret(memory, &w->pairs, BLOCK_REFS / 2, sizeof *w->pairs));
    return add_scratch_init(&w->add, memory, BLOCK_REFS / 2);
}

static cz_err engine_init(engine *e, cz_pool *threads, engine_size size)
{
    unsigned n = cz_pool_threads(threads);
    size_t pieces = size.max_len / PIECE_REFS + 1;
    size_t first_worker = size.slots + piece_slots(size.max_len);

    memset(e, 0, sizeof *e);
    e->memory.only_counting = size.only_counting;
    e->threads = threads;
    e->piece_slots = (uint32_t)size.slots;
    CZ_TRY(cz_msm_take_secret(&e->memory, &e->pool, first_worker + (size_t)n * BLOCK_REFS,
                              sizeof *e->pool));
    CZ_TRY(
        cz_msm_take(&e->memory, &e->put_off, size.max_refs / BLOCK_REFS + 1, sizeof *e->put_off));
    CZ_TRY(cz_msm_take(&e->memory, &e->pieces, pieces, sizeof *e->pieces));
    CZ_TRY(cz_msm_take(&e->memory, &e->piece_refs, pieces, sizeof *e->piece_refs));
    CZ_TRY(cz_msm_take(&e->memory, &e->workers, n, sizeof *e->workers));
    for (unsigned i = 0; i < n; i++) {
        worker counted;

        CZ_TRY(worker_init(size.only_counting ? &counted : &e->workers[i], &e->memory,
                           (uint32_t)(first_worker + (size_t)i * BLOCK_REFS)));
    }
    if (!size.only_counting)
        stored_set_infinity(&e->pool[0]);
    return CZ_OK;
}

static void engine_clear(engine *e)
{
    cz_msm_erase(&e->memory, e->threads);
    cz_msm_release(&e->memory);
}

/* Halve each of w's first n lists; the pairs to add. Results will lie from `slot` on. */
static size_t make_pairs(worker *w, size_t n, uint32_t slot)
{
    size_t n_pairs = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t *refs = w->refs + w->lists[i].start;
        uint32_t half = w->lists[i].len / 2;

        for (uint32_t k = 0; k < half; k++) {
            w->pairs[n_pairs] = (pair){refs[2 * k], refs[2 * k + 1]};
            refs[k] = (slot + (uint32_t)n_pairs) << 1;
            n_pairs++;
        }
        if (w->lists[i].len % 2 != 0)
            refs[half] = refs[w->lists[i].len - 1];
        w->lists[i].len -= half;
    }
    return n_pairs;
}

/* Reduce w's first n lists, of BLOCK_REFS refs together, to at most one ref each. */
static void reduce_block(engine *e, worker *w, size_t n)
{
    uint32_t slot = w->slots;

    for (;;) {
        size_t n_pairs = make_pairs(w, n, slot);

        if (n_pairs == 0)
            return;
        add_pairs(e->pool, w->pairs, n_pairs, slot, &w->add);
        slot += (uint32_t)n_pairs;
    }
}

/* The ref that a reduced list came to. */
static uint32_t reduced_ref(const worker *w, size_t i)
{
    return w->lists[i].len == 0 ? 0 : w->refs[w->lists[i].start];
}

/* Sums of many lists, as one parallel loop. */
typedef struct {
    engine *e;
    const uint32_t *refs;
    const list *lists; /* in the order of their refs */
    size_t n_lists;
    size_t span;  /* refs up to the end of the last list, at least 1 */
    uint32_t out; /* slot of the first list's sum */
    atomic_size_t n_put_off;
} lists_job;

/* Lists [begin, end) hold at most BLOCK_REFS refs. */
static void sum_block(lists_job *job, worker *w, size_t begin, size_t end)
{
    uint32_t used = 0;

    for (size_t i = begin; i < end; i++) {
        list l = job->lists[i];

        memcpy(w->refs + used, job->refs + l.start, l.len * sizeof *w->refs);
        w->lists[i - begin] = (list){used, l.len};
        used += l.len;
    }
    reduce_block(job->e, w, end - begin);
    for (size_t i = begin; i < end; i++) {
        uint32_t ref = reduced_ref(w, i - begin);
        stored *to = &job->e->pool[job->out + i];

        if (to != &job->e->pool[ref >> 1] || (ref & 1) != 0)
            stored_copy(to, &job->e->pool[ref >> 1], ref & 1);
    }
}

/* The first list that starts at ref `at` or later. */
static size_t first_list_from(const lists_job *job, size_t at)
{
    size_t low = 0;
    size_t high = job->n_lists;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (job->lists[middle].start < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The lists that start at refs [begin, end): equal shares of refs are equal shares of work. */
static cz_err sum_range(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    lists_job *job = ctx;
    worker *w = &job->e->workers[worker_id];
    size_t i = first_list_from(job, begin);
    size_t last = end == job->span ? job->n_lists : first_list_from(job, end);

    while (i < last) {
        size_t stop = i;
        size_t refs = 0;

        while (stop < last && stop - i < BLOCK_REFS && refs + job->lists[stop].len <= BLOCK_REFS)
            refs += job->lists[stop++].len;
        if (stop == i)
            job->e->put_off[atomic_fetch_add(&job->n_put_off, 1)] = (uint32_t)stop++;
        else
            sum_block(job, w, i, stop);
        i = stop;
    }
    return CZ_OK;
}

/* Refs a task takes: at most a block that is not quite full, as lists do not end where tasks do and
 * a second block of a few refs would take an inversion a round; and several tasks for every thread.
 */
static size_t refs_a_task(const engine *e, size_t span)
{
    const size_t most = BLOCK_REFS - BLOCK_REFS / 64;
    size_t share = span / (8 * (size_t)cz_pool_threads(e->threads)) + 1;

    if (cz_pool_threads(e->threads) == 1)
        return span;
    if (share < MIN_TASK_REFS)
        return MIN_TASK_REFS;
    return share < most ? share : most;
}

/* [0, len) as lists of at most PIECE_REFS refs. */
static size_t cut_into_pieces(list *pieces, size_t len)
{
    size_t n = 0;

    for (size_t at = 0; at < len; at += PIECE_REFS)
        pieces[n++] =
            (list){(uint32_t)at, (uint32_t)(len - at < PIECE_REFS ? len - at : PIECE_REFS)};
    return n;
}

static cz_err sum_long_list(engine *e, const uint32_t *refs, size_t len, uint32_t out);

/* Sums of n_lists lists, in the order of their refs, into the slots from `out` on. An output slot
 * may be an input of its own list. */
static cz_err sum_lists(engine *e, const uint32_t *refs, const list *lists, size_t n_lists,
                        uint32_t out)
{
    const list *last = &lists[n_lists - 1];
    size_t span = (size_t)last->start + last->len;
    lists_job job = {.e = e, .refs = refs, .lists = lists, .n_lists = n_lists, .out = out};

    job.span = span == 0 ? 1 : span;
    atomic_init(&job.n_put_off, 0);
    CZ_TRY(cz_parallel_for(e->threads, job.span, refs_a_task(e, job.span), sum_range, &job));
    for (size_t i = 0; i < job.n_put_off; i++) {
        list l = lists[e->put_off[i]];

        CZ_TRY(sum_long_list(e, refs + l.start, l.len, out + e->put_off[i]));
    }
    return CZ_OK;
}

/* Cut into pieces, until what they come to fits a block. */
static cz_err sum_long_list(engine *e, const uint32_t *refs, size_t len, uint32_t out)
{
    uint32_t slot = e->piece_slots;

    while (len > BLOCK_REFS) {
        size_t n_pieces = cut_into_pieces(e->pieces, len);

        CZ_TRY(sum_lists(e, refs, e->pieces, n_pieces, slot));
        refs = e->piece_refs;
        len = n_pieces;
        for (size_t i = 0; i < n_pieces; i++)
            e->piece_refs[i] = slot++ << 1;
    }
    e->pieces[0] = (list){0, (uint32_t)len};
    return sum_lists(e, refs, e->pieces, 1, out);
}
