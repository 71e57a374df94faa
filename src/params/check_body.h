/* check_body.h: check.c for one group.
 *
 * No include guard: check.c defines
 *   AFFINE, JAC  the group's types         G(name)  its curve.h functions
 *   LOAD         params.h's loader         BIT_SUM  msm.h's function
 *   FN(name)     names local to this group */

typedef struct {
    const cz_params *params;
    const char *section;
    size_t first; /* list position of points[0] */
    const AFFINE *points;
    size_t n;
} FN(chunk);

static bool FN(sum_in_subgroup)(const JAC *sum)
{
    AFFINE p;

    G(to_affine)(&p, sum);
    return G(affine_in_subgroup)(&p);
}

/* One round: points into random buckets, every bucket's sum into the subgroup. */
static cz_err FN(run_round)(const FN(chunk) * c, planes *p, bool *good)
{
    CZ_TRY(planes_draw(p, c->n));
    for (unsigned b = 0; b < BUCKETS; b++) {
        JAC sum;

        CZ_TRY(BIT_SUM(NULL, &sum, c->points, p->bits + b * p->n_words, c->n));
        if (!FN(sum_in_subgroup)(&sum))
            *good = false;
    }
    return CZ_OK;
}

static cz_err FN(name_bad_points)(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const FN(chunk) *c = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        if (!G(affine_in_subgroup)(&c->points[i]))
            return cz_fail(CZ_E_INPUT, "%s: %s[%zu]: not in the subgroup", c->params->path,
                           c->section, c->first + i);
    return CZ_OK;
}

static cz_err FN(run_rounds)(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const FN(chunk) *c = ctx;
    planes p;
    bool good = true;
    cz_err err;

    (void)worker;
    CZ_TRY(planes_create(&p, c->n));
    err = CZ_OK;
    for (size_t round = begin; err == CZ_OK && good && round < end; round++)
        err = FN(run_round)(c, &p, &good);
    planes_destroy(&p);
    CZ_TRY(err);
    return good ? CZ_OK : FN(name_bad_points)(ctx, 0, c->n, 0);
}

static cz_err FN(check_list)(const cz_params *p, const cz_point_list *list, const char *section,
                             cz_pool *pool)
{
    size_t most = list->n < CHUNK ? list->n : CHUNK;
    AFFINE *points = malloc((most + 1) * sizeof *points);
    FN(chunk) c = {.params = p, .section = section, .points = points};
    cz_err err = CZ_OK;

    if (points == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory to check points", p->path);
    for (; err == CZ_OK && c.first < list->n; c.first += c.n) {
        c.n = list->n - c.first < CHUNK ? list->n - c.first : CHUNK;
        err = LOAD(p, list, pool, c.first, c.n, points);
        if (err == CZ_OK && c.n < FEW)
            err = cz_parallel_for(pool, c.n, 16, FN(name_bad_points), &c);
        else if (err == CZ_OK)
            err = cz_parallel_for(pool, ROUNDS, 1, FN(run_rounds), &c);
    }
    free(points);
    return err;
}
