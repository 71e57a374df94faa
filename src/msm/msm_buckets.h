/* msm_buckets.h: the sum with full scalars. No include guard; part of msm_body.h.
 *
 * Method: buckets [BDLO12, section 4] with signed digits (msm_shape.h). The points come in chunks;
 * of each chunk, every window's refs are sorted by bucket (counting sort), and the bucket sums are
 * sums of lists, the bucket's old value being one more entry. Then the buckets of a window, b = 0 …
 * 2^bits - 1 with weight b + 1, b = L a + l, are reduced by rows and columns: R_a = sum over l,
 * C_l = sum over a, so that sum of (b + 1) B_b = L sum of a R_a + sum of l C_l + sum of R_a; and
 * the weights a and l by bits: sum of l C_l = sum over j of 2^j (sum of the C_l with bit j in l).
 * All this is again sums of lists. What is left is one point or two for each power of two below
 * 2^255. */

typedef struct {
    engine e;
    cz_msm_shape shape;
    size_t chunk;    /* points at most */
    size_t n_slices; /* parts of a chunk, and of a window's buckets, that are tasks of their own */
    size_t n_buckets;
    uint32_t point_slots;   /* where the chunk's points lie in the pool */
    uint32_t bucket_slots;  /* where the buckets lie */
    uint32_t sum_slots;     /* where rows and columns lie, then the sums by bits */
    uint32_t *digits;       /* [window][chunk] */
    uint32_t *counts;       /* [slice][bucket]: entries, then where the next one goes in refs */
    uint32_t *part_entries; /* [window][part of its buckets], for place_lists */
    list *lists;            /* [bucket], or all rows and columns: at most one more a window */
    uint32_t *refs;         /* [window]: chunk + the window's buckets */
    AFFINE *sums;           /* the sums by bits */
    const AFFINE *points;   /* the running chunk */
    const cz_u256 *scalars;
    size_t n;
    bool first_chunk;
} bucket_run;

/* The first ref of a window. */
static size_t window_refs(const bucket_run *r, unsigned window)
{
    return window * r->chunk + cz_msm_bucket_base(&r->shape, window);
}

/* Rows and columns of the window with 2^bits buckets: 2^row_bits rows of 2^(bits - row_bits). */
static unsigned row_bits(unsigned bits)
{
    return bits / 2;
}

/* Rows and columns of all windows before this one. */
static size_t sum_base(const cz_msm_shape *s, unsigned window)
{
    size_t n = 0;

    for (unsigned w = 0; w < window; w++) {
        unsigned bits = cz_msm_bucket_bits(s, w);

        n += ((size_t)1 << row_bits(bits)) + ((size_t)1 << (bits - row_bits(bits)));
    }
    return n;
}

/* Of a window: one sum for each bit of the bucket's number, and the sum of all. */
static size_t n_bit_sums(const cz_msm_shape *s)
{
    return s->n_windows + (s->n_windows - 1) * (s->c - 1) + s->top_bits;
}

/* Points of a chunk: enough for every bucket to get several, few enough to stay near the CPU. */
static size_t choose_chunk(const cz_msm_shape *s, size_t n)
{
    size_t most = (size_t)1 << (s->c + 2 > LOG_CHUNK ? s->c + 2 : LOG_CHUNK);
    size_t n_chunks = (n + most - 1) / most;

    return (n + n_chunks - 1) / n_chunks;
}

static size_t choose_slices(const cz_msm_shape *s, cz_pool *threads)
{
    size_t n = cz_pool_threads(threads);

    return n == 1 ? 1 : (4 * n + s->n_windows - 1) / s->n_windows;
}

/* Refs of one sum_lists: a chunk's, or those of all rows and columns. */
static size_t max_refs(const bucket_run *r)
{
    size_t chunk = window_refs(r, r->shape.n_windows);

    return chunk > 2 * r->n_buckets ? chunk : 2 * r->n_buckets;
}

static cz_err run_init(bucket_run *r, cz_pool *threads, size_t n, bool only_counting)
{
    cz_msm_memory *m = &r->e.memory;
    unsigned n_windows;

    memset(r, 0, sizeof *r);
    cz_msm_shape_rule(&r->shape, n, BUCKET_COST, CZ_MSM_MAX_WINDOW);
    n_windows = r->shape.n_windows;
    r->chunk = choose_chunk(&r->shape, n);
    r->n_slices = choose_slices(&r->shape, threads);
    r->n_buckets = cz_msm_n_buckets(&r->shape);
    r->point_slots = 1;
    r->bucket_slots = (uint32_t)(r->point_slots + r->chunk);
    r->sum_slots = (uint32_t)(r->bucket_slots + r->n_buckets);
    CZ_TRY(engine_init(&r->e, threads,
                       (engine_size){.slots = r->sum_slots + sum_base(&r->shape, n_windows) +
                                              n_bit_sums(&r->shape),
                                     .max_refs = max_refs(r),
                                     .max_len = r->chunk + 1,
                                     .only_counting = only_counting}));
    CZ_TRY(cz_msm_take_secret(m, &r->digits, n_windows * r->chunk, sizeof *r->digits));
    CZ_TRY(cz_msm_take_secret(m, &r->counts, r->n_slices * r->n_buckets, sizeof *r->counts));
    CZ_TRY(
        cz_msm_take_secret(m, &r->part_entries, r->n_slices * n_windows, sizeof *r->part_entries));
    CZ_TRY(cz_msm_take_secret(m, &r->lists, r->n_buckets + n_windows, sizeof *r->lists));
    CZ_TRY(cz_msm_take_secret(m, &r->sums, n_bit_sums(&r->shape), sizeof *r->sums));
    return cz_msm_take_secret(m, &r->refs, max_refs(r), sizeof *r->refs);
}

/* ---- a chunk: from points and scalars to bucket sums ---- */

/* The digits of points [at, at + n), a scalar block at most. Infinity's are 0. */
static void take_digits(bucket_run *r, size_t at, size_t n)
{
    cz_msm_scalar_block block;

    cz_msm_recode_block(&block, r->scalars + at, n, &r->shape);
    for (unsigned w = 0; w < r->shape.n_windows; w++)
        cz_msm_digit_block(r->digits + w * r->chunk + at, &block, n, w, &r->shape);
    for (size_t i = at; i < at + n; i++)
        if (stored_is_infinity(&r->e.pool[r->point_slots + i]))
            for (unsigned w = 0; w < r->shape.n_windows; w++)
                r->digits[w * r->chunk + i] = 0;
}

static cz_err take_points(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    bucket_run *r = ctx;

    (void)worker_id;
    for (size_t at = begin; at < end; at += CZ_MSM_SCALAR_BLOCK) {
        size_t n = end - at < CZ_MSM_SCALAR_BLOCK ? end - at : CZ_MSM_SCALAR_BLOCK;

        load_points(&r->e.pool[r->point_slots + at], r->points + at, n);
        take_digits(r, at, n);
    }
    return CZ_OK;
}

/* Points that a task loads: whole blocks of scalars, and several tasks for every thread. */
static size_t points_a_task(const bucket_run *r)
{
    size_t share = r->n / (4 * (size_t)cz_pool_threads(r->e.threads));

    share = (share + CZ_MSM_SCALAR_BLOCK - 1) / CZ_MSM_SCALAR_BLOCK * CZ_MSM_SCALAR_BLOCK;
    return share == 0 ? CZ_MSM_SCALAR_BLOCK : share < LOAD_GRAIN ? share : LOAD_GRAIN;
}

/* A task of the sort: one window of one slice. */
typedef struct {
    unsigned window;
    const uint32_t *digits; /* of the slice's points */
    uint32_t ref;           /* of the slice's first point */
    size_t n;
    uint32_t *counts; /* of the window's buckets */
} slice;

static slice slice_of(const bucket_run *r, size_t task)
{
    unsigned window = (unsigned)(task / r->n_slices);
    size_t number = task % r->n_slices;
    size_t begin = r->n * number / r->n_slices;
    size_t end = r->n * (number + 1) / r->n_slices;

    return (slice){
        .window = window,
        .digits = r->digits + window * r->chunk + begin,
        .ref = (uint32_t)(r->point_slots + begin) << 1,
        .n = end - begin,
        .counts = r->counts + number * r->n_buckets + cz_msm_bucket_base(&r->shape, window),
    };
}

static cz_err count_entries(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    const bucket_run *r = ctx;

    (void)worker_id;
    for (size_t task = begin; task < end; task++) {
        slice s = slice_of(r, task);

        memset(s.counts, 0, sizeof *s.counts << cz_msm_bucket_bits(&r->shape, s.window));
        for (size_t i = 0; i < s.n; i++)
            if (s.digits[i] != 0)
                s.counts[(s.digits[i] >> 1) - 1]++;
    }
    return CZ_OK;
}

/* A task from counts to places: a part of one window's buckets. */
typedef struct {
    unsigned window;
    size_t begin, end; /* buckets */
} bucket_part;

static bucket_part part_of(const bucket_run *r, size_t task)
{
    unsigned window = (unsigned)(task / r->n_slices);
    size_t number = task % r->n_slices;
    size_t base = cz_msm_bucket_base(&r->shape, window);
    size_t n = (size_t)1 << cz_msm_bucket_bits(&r->shape, window);

    return (bucket_part){window, base + n * number / r->n_slices,
                         base + n * (number + 1) / r->n_slices};
}

/* A bucket that has a value already gets it as its first entry. */
static bool has_value(const bucket_run *r, size_t bucket)
{
    return !r->first_chunk && !stored_is_infinity(&r->e.pool[r->bucket_slots + bucket]);
}

/* Entries of each part: how far from the window's first ref the later parts begin. */
static cz_err count_parts(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    const bucket_run *r = ctx;

    (void)worker_id;
    for (size_t task = begin; task < end; task++) {
        bucket_part part = part_of(r, task);
        uint32_t n = 0;

        for (size_t b = part.begin; b < part.end; b++)
            n += has_value(r, b);
        for (size_t s = 0; s < r->n_slices; s++)
            for (size_t b = part.begin; b < part.end; b++)
                n += r->counts[s * r->n_buckets + b];
        r->part_entries[task] = n;
    }
    return CZ_OK;
}

/* Where the lists of a part begin: the first ref of its window, and those of the parts before. */
static uint32_t part_refs(const bucket_run *r, size_t task)
{
    size_t first = task / r->n_slices * r->n_slices;
    uint32_t at = (uint32_t)window_refs(r, (unsigned)(task / r->n_slices));

    for (size_t before = first; before < task; before++)
        at += r->part_entries[before];
    return at;
}

/* From counts to places: lists, and where each slice puts its entries. */
static cz_err place_lists(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    const bucket_run *r = ctx;

    (void)worker_id;
    for (size_t task = begin; task < end; task++) {
        bucket_part part = part_of(r, task);
        uint32_t at = part_refs(r, task);

        for (size_t b = part.begin; b < part.end; b++) {
            uint32_t start = at;

            if (has_value(r, b))
                r->refs[at++] = (r->bucket_slots + (uint32_t)b) << 1;
            for (size_t s = 0; s < r->n_slices; s++) {
                uint32_t count = r->counts[s * r->n_buckets + b];

                r->counts[s * r->n_buckets + b] = at;
                at += count;
            }
            r->lists[b] = (list){start, at - start};
        }
    }
    return CZ_OK;
}

static cz_err scatter_refs(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    const bucket_run *r = ctx;

    (void)worker_id;
    for (size_t task = begin; task < end; task++) {
        slice s = slice_of(r, task);

        for (size_t i = 0; i < s.n; i++)
            if (s.digits[i] != 0)
                r->refs[s.counts[(s.digits[i] >> 1) - 1]++] =
                    (s.ref + ((uint32_t)i << 1)) | (s.digits[i] & 1);
    }
    return CZ_OK;
}

static cz_err add_chunk(bucket_run *r)
{
    cz_pool *threads = r->e.threads;
    size_t n_tasks = r->shape.n_windows * r->n_slices;

    CZ_TRY(cz_parallel_for(threads, r->n, points_a_task(r), take_points, r));
    CZ_TRY(cz_parallel_for(threads, n_tasks, 1, count_entries, r));
    if (r->n_slices > 1)
        CZ_TRY(cz_parallel_for(threads, n_tasks, 1, count_parts, r));
    CZ_TRY(cz_parallel_for(threads, n_tasks, 1, place_lists, r));
    CZ_TRY(cz_parallel_for(threads, n_tasks, 1, scatter_refs, r));
    return sum_lists(&r->e, r->refs, r->lists, r->n_buckets, r->bucket_slots);
}

static cz_err fill_buckets(bucket_run *r, const AFFINE *points, const cz_u256 *scalars, size_t n)
{
    for (size_t at = 0; at < n; at += r->chunk) {
        r->points = points + at;
        r->scalars = scalars + at;
        r->n = n - at < r->chunk ? n - at : r->chunk;
        r->first_chunk = at == 0;
        CZ_TRY(add_chunk(r));
    }
    return CZ_OK;
}

/* ---- from bucket sums to the result ---- */

/* A list of the slots first, first + step, … (n numbers), of those whose number has all bits of
 * `mask` and that are not infinity. Gives the ref after its last. */
static uint32_t write_list(const bucket_run *r, list *l, uint32_t start, uint32_t first,
                           uint32_t step, uint32_t n, uint32_t mask)
{
    uint32_t at = start;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t slot = first + i * step;

        if ((i & mask) == mask && !stored_is_infinity(&r->e.pool[slot]))
            r->refs[at++] = slot << 1;
    }
    *l = (list){start, at - start};
    return at;
}

/* List i of a window: one of its rows, or after them one of its columns. Where it begins does not
 * depend on what the others hold. */
static void write_row_or_column(const bucket_run *r, unsigned window, uint32_t i)
{
    unsigned bits = cz_msm_bucket_bits(&r->shape, window);
    uint32_t n_rows = 1u << row_bits(bits);
    uint32_t n_columns = 1u << (bits - row_bits(bits));
    uint32_t base = (uint32_t)cz_msm_bucket_base(&r->shape, window);
    uint32_t first = r->bucket_slots + base;
    uint32_t at = 2 * base; /* each bucket is in one row and one column */
    list *l = r->lists + sum_base(&r->shape, window) + i;

    if (i < n_rows)
        write_list(r, l, at + i * n_columns, first + i * n_columns, 1, n_columns, 0);
    else
        write_list(r, l, at + n_rows * n_columns + (i - n_rows) * n_rows, first + i - n_rows,
                   n_columns, n_rows, 0);
}

/* Lists [begin, end) of all windows' rows and columns. Lists and refs are those of the sort, whose
 * work is done. */
static cz_err write_rows_and_columns(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    const bucket_run *r = ctx;
    unsigned window = 0;

    (void)worker_id;
    for (size_t i = begin; i < end; i++) {
        while (i >= sum_base(&r->shape, window + 1))
            window++;
        write_row_or_column(r, window, (uint32_t)(i - sum_base(&r->shape, window)));
    }
    return CZ_OK;
}

static cz_err sum_rows_and_columns(bucket_run *r)
{
    size_t n = sum_base(&r->shape, r->shape.n_windows);
    size_t share = n / (8 * (size_t)cz_pool_threads(r->e.threads)) + 1;

    CZ_TRY(cz_parallel_for(r->e.threads, n, share, write_rows_and_columns, r));
    return sum_lists(&r->e, r->refs, r->lists, n, r->sum_slots);
}

/* Refs that the lists by bits of a window with 2^bits buckets take at most. */
static uint32_t bit_refs(unsigned bits)
{
    unsigned column_bits = bits - row_bits(bits);

    return (1u << row_bits(bits)) + ((row_bits(bits) << row_bits(bits)) >> 1) +
           ((column_bits << column_bits) >> 1);
}

/* Of windows [begin, end): all rows, then for each bit of a bucket's number, lowest first, the
 * columns or rows that have it. Only the last window's number of buckets is another one. */
static cz_err write_bit_lists(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    const bucket_run *r = ctx;

    (void)worker_id;
    for (unsigned w = (unsigned)begin; w < end; w++) {
        unsigned bits = cz_msm_bucket_bits(&r->shape, w);
        uint32_t n_rows = 1u << row_bits(bits);
        uint32_t n_columns = 1u << (bits - row_bits(bits));
        uint32_t first = r->sum_slots + (uint32_t)sum_base(&r->shape, w);
        uint32_t at = w * bit_refs(r->shape.c - 1);
        list *l = r->lists + (size_t)w * r->shape.c;

        at = write_list(r, l++, at, first, 1, n_rows, 0);
        for (uint32_t mask = 1; mask < n_columns; mask *= 2)
            at = write_list(r, l++, at, first + n_rows, 1, n_columns, mask);
        for (uint32_t mask = 1; mask < n_rows; mask *= 2)
            at = write_list(r, l++, at, first, 1, n_rows, mask);
    }
    return CZ_OK;
}

static cz_err sum_by_bits(bucket_run *r)
{
    unsigned n_windows = r->shape.n_windows;

    if (r->n_slices == 1) /* few threads: less work than waking them */
        CZ_TRY(write_bit_lists(r, 0, n_windows, 0));
    else
        CZ_TRY(cz_parallel_for(r->e.threads, n_windows, 1, write_bit_lists, r));
    return sum_lists(&r->e, r->refs, r->lists, n_bit_sums(&r->shape),
                     r->sum_slots + (uint32_t)sum_base(&r->shape, n_windows));
}

/* Horner over the bits of a scalar. `sums` as sum_by_bits wrote them. */
static void combine(GROUP *out, const cz_msm_shape *s, const AFFINE *sums)
{
    unsigned window = s->n_windows - 1;

    G(set_infinity)(out);
    for (unsigned at = s->c * window + s->top_bits; at-- > 0;) {
        unsigned bit;

        window = at / s->c < window ? at / s->c : window;
        bit = at - window * s->c;
        G(dbl)(out, out);
        if (bit < cz_msm_bucket_bits(s, window))
            G(add_affine)(out, out, &sums[window * s->c + 1 + bit]);
        if (bit == 0)
            G(add_affine)(out, out, &sums[window * s->c]);
    }
}

static cz_err reduce_buckets(bucket_run *r, GROUP *out)
{
    size_t n = n_bit_sums(&r->shape);
    uint32_t slot = r->sum_slots + (uint32_t)sum_base(&r->shape, r->shape.n_windows);

    CZ_TRY(sum_rows_and_columns(r));
    CZ_TRY(sum_by_bits(r));
    for (size_t i = 0; i < n; i++)
        r->refs[i] = (slot + (uint32_t)i) << 1;
    store_points(r->sums, r->e.pool, r->refs, n);
    combine(out, &r->shape, r->sums);
    return CZ_OK;
}

static void sum_one_by_one(GROUP *out, const AFFINE *points, const cz_u256 *scalars, size_t n)
{
    G(set_infinity)(out);
    for (size_t i = 0; i < n; i++) {
        GROUP p;

        G(from_affine)(&p, &points[i]);
        G(mul_var)(&p, &p, &scalars[i]);
        G(add)(out, out, &p);
    }
}

static cz_err msm(cz_pool *threads, GROUP *out, const AFFINE *points, const cz_u256 *scalars,
                  size_t n)
{
    bucket_run r;
    GROUP sum;
    cz_err err;

    if (n <= MAX_SIMPLE_POINTS) {
        sum_one_by_one(out, points, scalars, n);
        return CZ_OK;
    }
    CZ_TRY_GOTO(err, run_init(&r, threads, n, false));
    CZ_TRY_GOTO(err, fill_buckets(&r, points, scalars, n));
    CZ_TRY_GOTO(err, reduce_buckets(&r, &sum));
    *out = sum;
done:
    engine_clear(&r.e);
    return err;
}

static size_t msm_bytes(cz_pool *threads, size_t n)
{
    bucket_run r;

    if (n <= MAX_SIMPLE_POINTS || run_init(&r, threads, n, true) != CZ_OK)
        return 0;
    return r.e.memory.bytes;
}
