/* points_body.h: points.c's loops for one group.
 *
 * No include guard: points.c defines
 *   AFFINE   the point type                 G(name)   its curve.h functions
 *   POINT    bytes of an encoded point      DECODE8   decode8.h's form
 *   FN(name) names local to this group      LOAD, GATHER  the public functions */

static cz_err FN(decode)(const pick *job, size_t index, const uint8_t *bytes, AFFINE *p)
{
    CZ_TRY_IN(G(deserialize_unchecked)(p, bytes), "%s: %s[%zu]", job->params->path,
              section_name(job->params, job->list), index);
    if (G(affine_is_infinity)(p))
        return bad_point(job, index, "the point at infinity");
    if (!G(affine_on_curve)(p))
        return bad_point(job, index, "not on the curve");
    return CZ_OK;
}

/* Eight at a time where the CPU can; a group with a bad point goes the plain way, which names it.
 */
static cz_err FN(decode_all)(const pick *job, const stretch *s, AFFINE *out)
{
    bool wide = cz_cpu_has(CZ_CPU_AVX512IFMA);

    for (size_t i = 0; i < s->n; i++) {
        if (wide && s->n - i >= 8 && DECODE8(out + i, s->rows + i)) {
            i += 7;
            continue;
        }
        CZ_TRY(FN(decode)(job, index_of(job, s->begin + i), s->rows[i], &out[i]));
    }
    return CZ_OK;
}

static cz_err FN(load_range)(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const pick *job = ctx;
    stretch s = {.buffer = malloc((size_t)POINTS_A_TURN * POINT)};
    AFFINE *out = job->out;
    cz_err err = CZ_OK;

    (void)worker;
    if (s.buffer == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to read points");
    for (s.begin = begin; err == CZ_OK && s.begin < end; s.begin += s.n) {
        err = read_stretch(job, &s, end, POINT);
        if (err == CZ_OK)
            err = FN(decode_all)(job, &s, out + s.begin);
    }
    free(s.buffer);
    return err;
}

cz_err LOAD(const cz_params *p, const cz_point_list *list, cz_pool *pool, size_t first, size_t n,
            AFFINE *out)
{
    pick job = {.params = p, .list = list, .first = first, .out = out};

    CZ_ASSERT(first <= list->n && n <= list->n - first);
    return cz_parallel_for(pool, n, POINTS_A_TURN, FN(load_range), &job);
}

cz_err GATHER(const cz_params *p, const cz_point_list *list, cz_pool *pool, const uint32_t *at,
              size_t n, AFFINE *out)
{
    pick job = {.params = p, .list = list, .at = at, .out = out};

    return cz_parallel_for(pool, n, POINTS_A_TURN, FN(load_range), &job);
}
