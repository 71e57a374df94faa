/* ops_sums_body.h: the sums' rows of the differential table over one group; ops_msm.c includes it
 * once a group, having defined GROUP, AFFINE, COORD_NEG, G(name), OP(name), GPU_GROUP and SUM_WORK,
 * what a sum costs beside G1's. */

enum { OP(MAX_DISTINCT) = (1 << 20) / SUM_WORK };

/* m multiples of the generator by random numbers; made once for the largest m. */
static const AFFINE *OP(multiples)(diff_run *run, size_t m)
{
    static AFFINE *made;
    static size_t n_made;
    cz_u256 *ks;

    if (m <= n_made)
        return made;
    free(made);
    made = host(m * sizeof *made);
    n_made = m;
    ks = host(m * sizeof *ks);
    diff_fill_scalars(ks, m, DIFF_RANDOM);
    diff_need(FIXED_BASE(run->pool, made, &G(generator), ks, m), "multiples");
    free(ks);
    return made;
}

static void OP(fill_points)(diff_run *run, AFFINE *points, size_t n, points_kind kind)
{
    const AFFINE *distinct = OP(multiples)(run, n);

    for (size_t i = 0; i < n; i++) {
        points[i] = distinct[kind == POINTS_DISTINCT || kind == POINTS_INFINITE ? i : 0];
        if (kind == POINTS_OPPOSITE && i % 2 != 0)
            COORD_NEG(&points[i].y, &points[i].y);
        if (kind == POINTS_INFINITE && i % 3 == 0)
            memset(&points[i], 0, sizeof points[i]);
    }
}

/* n points on the device, where n is a multiple of `distinct`: the points repeat. */
static diff_buffer OP(points)(diff_run *run, const AFFINE *points, size_t distinct, size_t n,
                              unsigned tables)
{
    const size_t bytes = distinct * sizeof *points;
    diff_buffer b = diff_buffer_take(run, n * tables * sizeof *points);

    for (size_t i = 0; i < n; i += distinct)
        diff_need(cz_gpu_copy(run->gpu, CZ_GPU_COMPUTE, (AFFINE *)b.d + i,
                              i == 0 ? (const void *)points : b.d, bytes),
                  "points");
    diff_need(cz_gpu_sync(run->gpu), "points");
    return b;
}

/* Where the points of a sum lie, and how. */
typedef struct {
    unsigned tables;
    bool index; /* every point by its number, backwards */
    unsigned
        short_by; /* of scratch: 1: a byte short of what is best, 2: and a seventh of the rest */
} OP(form);

/* Bytes of scratch for the shape, whose max_bytes are set to fall short as the form says. */
static uint64_t OP(scratch_bytes)(diff_run *run, cz_gpu_sums_shape *shape, OP(form) form,
                                  const char *what)
{
    uint64_t bytes;

    diff_need(cz_sums_gpu_bytes(run->gpu, &bytes, shape, 1), what);
    for (unsigned i = 0; i < form.short_by; i++) {
        shape->max_bytes = i == 0 ? bytes - 1 : bytes / 7 * 6;
        diff_need(cz_sums_gpu_bytes(run->gpu, &bytes, shape, 1), what);
    }
    return bytes;
}

/* The sum on the device of scalars (or bits, where scalars_bytes is not 32 n) times points. */
static void OP(device_sum)(diff_run *run, GROUP *out, const diff_buffer *points,
                           const diff_buffer *input, size_t n, scalars_form scalars, OP(form) form,
                           const char *what)
{
    cz_gpu_sums_shape shape = {.group = GPU_GROUP,
                               .tables = form.tables,
                               .full_terms = scalars == NO_SCALARS ? 0 : n,
                               .bit_terms = scalars == NO_SCALARS ? n : 0};
    cz_gpu_terms terms = {.tables = form.tables,
                          .montgomery = scalars == MONTGOMERY_SCALARS,
                          .n = n,
                          .n_points = n,
                          .d_points = points->d,
                          .d_scalars = input->d};
    diff_buffer index = {0}, scratch;
    cz_gpu_sums *sums;

    scratch = diff_buffer_take(run, OP(scratch_bytes)(run, &shape, form, what));
    diff_need(cz_sums_gpu_create(run->gpu, &sums, &shape, 1, scratch.d), what);
    if (form.tables > 1)
        diff_need(cz_sums_gpu_make_tables(sums, GPU_GROUP, points->d, n, form.tables), "table");
    if (form.index) {
        index = make_backward_index(run, n);
        terms.d_index = index.d;
    }
    if (scalars == NO_SCALARS)
        diff_need(OP(bits_on_device)(sums, out, points->d, input->d, n, NULL), what);
    else
        diff_need(OP(full_on_device)(sums, out, &terms, NULL), what);
    diff_expect(run,
                diff_buffer_guards_hold(run, &scratch) && diff_buffer_guards_hold(run, points) &&
                    (!form.index || diff_buffer_guards_hold(run, &index)),
                "%s: %zu: written beside the scratch", what, n);
    cz_sums_gpu_destroy(sums);
    diff_buffer_give_back(run, &scratch);
    if (form.index)
        diff_buffer_give_back(run, &index);
}

static void OP(check)(diff_run *run, const diff_buffer *buffer, const void *input,
                      const GROUP *want, const GROUP *got, const char *name, size_t n,
                      const char *what)
{
    unsigned char *after = host(buffer->bytes);

    diff_expect(run, G(equal)(want, got), "%s: %zu, %s", name, n, what);
    diff_buffer_get(run, buffer, after);
    diff_expect(run,
                diff_buffer_guards_hold(run, buffer) && memcmp(after, input, buffer->bytes) == 0,
                "%s: %zu, %s: the input was changed", name, n, what);
    free(after);
}

static void OP(reverse)(AFFINE *points, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        AFFINE t = points[i];

        points[i] = points[n - 1 - i];
        points[n - 1 - i] = t;
    }
}

static void OP(compare_small)(diff_run *run, const char *name, size_t n, diff_input input,
                              OP(form) form, points_kind kind)
{
    AFFINE *points = host(n * sizeof *points);
    cz_u256 *scalars = host(n * sizeof *scalars);
    diff_buffer d_points, d_scalars;
    GROUP want, got;
    char what[96];

    (void)snprintf(what, sizeof what, "%s scalars, %s points", diff_input_name[input],
                   points_name[kind]);
    OP(fill_points)(run, points, n, kind);
    diff_fill_scalars(scalars, n, input);
    d_points = OP(points)(run, points, n, n, form.tables);
    d_scalars = diff_buffer_take(run, n * sizeof *scalars);
    diff_buffer_put(run, &d_scalars, scalars);
    OP(device_sum)(run, &got, &d_points, &d_scalars, n, PLAIN_SCALARS, form, what);
    if (form.index)
        OP(reverse)(points, n);
    diff_need(CPU_SUM(run->pool, &want, points, scalars, n), "sum");
    OP(check)(run, &d_scalars, scalars, &want, &got, name, n, what);
    diff_buffer_give_back(run, &d_points);
    diff_buffer_give_back(run, &d_scalars);
    free(points);
    free(scalars);
}

/* Points repeat, so the CPU's sum is over sums of scalars. */
static void OP(compare_large)(diff_run *run, const char *name, size_t n, diff_input input,
                              OP(form) form)
{
    const size_t m = OP(MAX_DISTINCT);
    const AFFINE *points = OP(multiples)(run, m);
    cz_fr *scalars = host(n * sizeof *scalars), *sums = host(m * sizeof *sums);
    cz_u256 *plain = host(m * sizeof *plain);
    diff_buffer d_points, d_scalars;
    GROUP want, got;

    diff_fill_fr(scalars, n, input);
    memcpy(sums, scalars, m * sizeof *sums);
    for (size_t i = m; i < n; i++)
        cz_fr_add(&sums[i % m], &sums[i % m], &scalars[i]);
    for (size_t i = 0; i < m; i++)
        cz_fr_to_u256(&plain[i], &sums[i]);
    d_points = OP(points)(run, points, m, n, form.tables);
    d_scalars = diff_buffer_take(run, n * sizeof *scalars);
    diff_buffer_put(run, &d_scalars, scalars);
    OP(device_sum)(run, &got, &d_points, &d_scalars, n, MONTGOMERY_SCALARS, form, name);
    diff_need(CPU_SUM(run->pool, &want, points, plain, m), "sum");
    OP(check)(run, &d_scalars, scalars, &want, &got, name, n, diff_input_name[input]);
    diff_buffer_give_back(run, &d_points);
    diff_buffer_give_back(run, &d_scalars);
    free(scalars);
    free(sums);
    free(plain);
}

static void OP(compare)(diff_run *run, const char *name, size_t n, diff_input input, OP(form) form)
{
    if (n >= OP(MAX_DISTINCT)) {
        OP(compare_large)(run, name, n, input, form);
        return;
    }
    for (int kind = 0; kind < (run->only_distinct ? 1 : POINTS_KINDS); kind++)
        if (n < 5000 || kind == POINTS_DISTINCT || (n < 100000 && input == DIFF_RANDOM))
            OP(compare_small)(run, name, n, input, form, (points_kind)kind);
}

static void OP(full)(diff_run *run, const char *name, size_t n, diff_input input)
{
    OP(compare)(run, name, n, input, (OP(form)){.tables = 1});
}

static void OP(table)(diff_run *run, const char *name, size_t n, diff_input input)
{
    OP(compare)(run, name, n, input, (OP(form)){.tables = 2});
}

static void OP(tables)(diff_run *run, const char *name, size_t n, diff_input input)
{
    OP(compare)(run, name, n, input, (OP(form)){.tables = 4});
}

static void OP(index)(diff_run *run, const char *name, size_t n, diff_input input)
{
    OP(compare)(run, name, n, input, (OP(form)){.tables = 1, .index = true});
}

/* Where scratch is so short that one set comes after the other. */
static void OP(apart)(diff_run *run, const char *name, size_t n, diff_input input)
{
    OP(compare)(run, name, n, input, (OP(form)){.tables = 1, .short_by = 1});
}

/* Where it is so short that sets are cut into chunks besides, and skewed sums into parts. */
static void OP(short_of_memory)(diff_run *run, const char *name, size_t n, diff_input input)
{
    OP(compare)(run, name, n, input, (OP(form)){.tables = 1, .short_by = 2});
}

static void OP(bit_sum)(diff_run *run, const char *name, size_t n, diff_input input)
{
    const size_t words = (n + 63) / 64;
    const OP(form) form = {.tables = 1};
    AFFINE *points = host(n * sizeof *points);
    uint64_t *bits = host(words * sizeof *bits);
    diff_buffer d_points, d_bits;
    GROUP want, got;

    for (int kind = 0; kind < (n < 5000 && !run->only_distinct ? POINTS_KINDS : 1); kind++) {
        OP(fill_points)(run, points, n, (points_kind)kind);
        fill_bits(bits, words, input);
        d_points = OP(points)(run, points, n, n, 1);
        d_bits = diff_buffer_take(run, words * sizeof *bits);
        diff_buffer_put(run, &d_bits, bits);
        OP(device_sum)(run, &got, &d_points, &d_bits, n, NO_SCALARS, form, name);
        diff_need(CPU_BIT_SUM(run->pool, &want, points, bits, n), "sum");
        OP(check)(run, &d_bits, bits, &want, &got, name, n, points_name[kind]);
        diff_buffer_give_back(run, &d_points);
        diff_buffer_give_back(run, &d_bits);
    }
    free(points);
    free(bits);
}

/* ---- several planes ---- */

static void OP(sums_of_planes)(diff_run *run, GROUP *out, const diff_buffer *points,
                               const diff_buffer *planes, unsigned n_planes, size_t n,
                               OP(form) form, const char *name)
{
    const size_t words = (n + 63) / 64;
    cz_gpu_sums_shape shape = {.group = GPU_GROUP, .bit_terms = n, .planes = n_planes};
    const uint64_t *d_planes[CZ_GPU_MAX_PLANES];
    diff_buffer scratch = diff_buffer_take(run, OP(scratch_bytes)(run, &shape, form, name));
    cz_gpu_sums *sums;

    for (unsigned j = 0; j < n_planes; j++)
        d_planes[j] = (const uint64_t *)planes->d + j * words;
    diff_need(cz_sums_gpu_create(run->gpu, &sums, &shape, 1, scratch.d), name);
    diff_need(OP(many_on_device)(sums, out, points->d, d_planes, n_planes, n, NULL), name);
    diff_expect(run, diff_buffer_guards_hold(run, &scratch) && diff_buffer_guards_hold(run, points),
                "%s: %zu: written beside the scratch", name, n);
    cz_sums_gpu_destroy(sums);
    diff_buffer_give_back(run, &scratch);
}

static void OP(compare_planes)(diff_run *run, const char *name, size_t n, diff_input input,
                               OP(form) form)
{
    const unsigned n_planes = planes_for(n);
    const size_t words = (n + 63) / 64;
    AFFINE *points = host(n * sizeof *points);
    uint64_t *bits = host(n_planes * words * sizeof *bits);
    GROUP want, got[CZ_GPU_MAX_PLANES];

    for (int kind = 0; kind < (n < 5000 && !run->only_distinct ? POINTS_KINDS : 1); kind++) {
        diff_buffer d_points, d_bits;

        OP(fill_points)(run, points, n, (points_kind)kind);
        fill_planes(bits, n_planes, words, input);
        d_points = OP(points)(run, points, n, n, 1);
        d_bits = diff_buffer_take(run, n_planes * words * sizeof *bits);
        diff_buffer_put(run, &d_bits, bits);
        OP(sums_of_planes)(run, got, &d_points, &d_bits, n_planes, n, form, name);
        for (unsigned j = 0; j < n_planes; j++) {
            diff_need(CPU_BIT_SUM(run->pool, &want, points, bits + j * words, n), "sum");
            OP(check)(run, &d_bits, bits, &want, &got[j], name, n, points_name[kind]);
        }
        diff_buffer_give_back(run, &d_points);
        diff_buffer_give_back(run, &d_bits);
    }
    free(points);
    free(bits);
}

static void OP(planes)(diff_run *run, const char *name, size_t n, diff_input input)
{
    OP(compare_planes)(run, name, n, input, (OP(form)){.tables = 1});
}

/* Points in chunks, each with its buckets. */
static void OP(planes_short)(diff_run *run, const char *name, size_t n, diff_input input)
{
    OP(compare_planes)(run, name, n, input, (OP(form)){.tables = 1, .short_by = SHORT_PLANES});
}
