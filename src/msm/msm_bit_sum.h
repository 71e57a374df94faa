/* msm_bit_sum.h: the sum of the points whose bit is set. No include guard; part of msm_body.h.
 *
 * Each thread collects selected points until a block is full, and adds them to LANES sums of its
 * own: LANES lists whose first entry is the old sum, reduced together. The sums of all threads are
 * one list in the end. */

enum { LANES = BLOCK_REFS / PIECE_REFS };

/* A thread's part of the pool. */
typedef struct {
    uint32_t points; /* first of BLOCK_REFS slots for loaded points */
    uint32_t sums;   /* first of LANES slots */
} bit_worker;

typedef struct {
    engine e;
    const AFFINE *points;
    const uint64_t *bits;
    size_t n;
    uint32_t *refs; /* of the threads' sums */
} bit_run;

enum { SLOTS_A_BIT_WORKER = BLOCK_REFS + LANES };

static bit_worker bit_worker_of(unsigned id)
{
    uint32_t first = 1 + id * SLOTS_A_BIT_WORKER;

    return (bit_worker){first, first + BLOCK_REFS};
}

/* Add n loaded points, at most BLOCK_REFS - LANES, to the thread's sums. */
static void add_to_sums(bit_run *r, unsigned worker_id, uint32_t n)
{
    worker *w = &r->e.workers[worker_id];
    bit_worker own = bit_worker_of(worker_id);
    uint32_t used = 0;

    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t end = (uint32_t)((uint64_t)n * (i + 1) / LANES);

        w->lists[i].start = used;
        w->refs[used++] = (own.sums + i) << 1;
        for (uint32_t k = (uint32_t)((uint64_t)n * i / LANES); k < end; k++)
            w->refs[used++] = (own.points + k) << 1;
        w->lists[i].len = used - w->lists[i].start;
    }
    reduce_block(&r->e, w, LANES);
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t slot = reduced_ref(w, i) >> 1;

        if (slot != own.sums + i)
            stored_copy(&r->e.pool[own.sums + i], &r->e.pool[slot], false);
    }
}

/* Bits [64 word, 64 word + 64) of the plane, those from n on cleared. */
static uint64_t plane_word(const bit_run *r, size_t word)
{
    uint64_t bits = r->bits[word];

    return word == r->n / 64 ? bits & (((uint64_t)1 << r->n % 64) - 1) : bits;
}

/* Words [begin, end) of the plane. */
static cz_err take_words(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    bit_run *r = ctx;
    worker *w = &r->e.workers[worker_id];
    stored *points = &r->e.pool[bit_worker_of(worker_id).points];
    uint32_t n = 0;

    for (size_t word = begin; word < end; word++) {
        uint64_t bits = plane_word(r, word);

        for (; bits != 0; bits &= bits - 1)
            w->refs[n++] = (uint32_t)(word * 64 + (size_t)__builtin_ctzll(bits));
        if (n + 64 <= BLOCK_REFS - LANES && word + 1 < end)
            continue;
        load_selected(points, r->points, w->refs, n);
        add_to_sums(r, worker_id, n);
        n = 0;
    }
    return CZ_OK;
}

/* Words a task takes: several blocks' worth, and several tasks for every thread. */
static size_t words_a_task(cz_pool *threads, size_t n_words)
{
    const size_t least = 4 * BLOCK_REFS / 64;
    size_t share = n_words / (16 * (size_t)cz_pool_threads(threads)) + 1;

    if (cz_pool_threads(threads) == 1)
        return n_words;
    return share > least ? share : least;
}

static cz_err sum_of_sums(bit_run *r, GROUP *out)
{
    unsigned n_threads = cz_pool_threads(r->e.threads);
    uint32_t *refs = r->refs;
    uint32_t n = 0;
    AFFINE sum;

    for (unsigned id = 0; id < n_threads; id++)
        for (uint32_t i = 0; i < LANES; i++)
            refs[n++] = (bit_worker_of(id).sums + i) << 1;
    CZ_TRY(sum_long_list(&r->e, refs, n, bit_worker_of(0).points));
    refs[0] = bit_worker_of(0).points << 1;
    store_points(&sum, r->e.pool, refs, 1);
    G(from_affine)(out, &sum);
    return CZ_OK;
}

static cz_err bit_run_init(bit_run *r, cz_pool *threads, bool only_counting)
{
    const unsigned n_threads = cz_pool_threads(threads);
    const size_t n_sums = (size_t)n_threads * LANES;

    CZ_TRY(engine_init(&r->e, threads,
                       (engine_size){.slots = 1 + n_threads * (size_t)SLOTS_A_BIT_WORKER,
                                     .max_refs = n_sums,
                                     .max_len = n_sums,
                                     .only_counting = only_counting}));
    return cz_msm_take(&r->e.memory, &r->refs, n_sums, sizeof *r->refs);
}

static cz_err bit_sum(cz_pool *threads, GROUP *out, const AFFINE *points, const uint64_t *bits,
                      size_t n)
{
    bit_run r = {.points = points, .bits = bits, .n = n};
    unsigned n_threads = cz_pool_threads(threads);
    size_t n_words = (n + 63) / 64;
    cz_err err;

    CZ_TRY_GOTO(err, bit_run_init(&r, threads, false));
    for (unsigned id = 0; id < n_threads; id++)
        for (uint32_t i = 0; i < LANES; i++)
            stored_set_infinity(&r.e.pool[bit_worker_of(id).sums + i]);
    CZ_TRY_GOTO(err,
                cz_parallel_for(threads, n_words, words_a_task(threads, n_words), take_words, &r));
    CZ_TRY_GOTO(err, sum_of_sums(&r, out));
done:
    engine_clear(&r.e);
    return err;
}

static size_t bit_sum_bytes(cz_pool *threads)
{
    bit_run r;

    return bit_run_init(&r, threads, true) == CZ_OK ? r.e.memory.bytes : 0;
}
