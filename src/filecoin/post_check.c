/* post_check.c: do decoded proofs of a PoSt prove their statement? See post_check.h. */
#include "filecoin/post_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/comm.h"

typedef struct {
    const cz_post_vanilla *v;
    const cz_post_statement *s;
    bool *faulty; /* a sector each */
} check;

/* --- one sector --- */

static cz_err check_comm_r(const cz_post_sector *sector)
{
    cz_fr comm_r;

    CZ_TRY(cz_comm_r(&comm_r, &sector->comm_c, &sector->comm_r_last));
    if (!cz_fr_equal(&comm_r, &sector->comm_r))
        return cz_fail(CZ_E_INPUT, "comm_r is not the hash of comm_c and comm_r_last");
    return CZ_OK;
}

enum { SIDE_BY_SIDE = 16 };

/* Challenges [first, end) of a sector, at most SIDE_BY_SIDE. */
static cz_err check_openings(const check *c, size_t i, unsigned first, unsigned end)
{
    const cz_post_sector *sector = &c->v->sectors[i];
    const cz_tree_shape *tree = &c->v->shape->tree_r;
    const cz_inclusion_proof *paths[SIDE_BY_SIDE];
    cz_fr reached[SIDE_BY_SIDE];

    for (unsigned n = first; n < end; n++)
        paths[n - first] = &sector->openings[n];
    CZ_TRY(cz_inclusion_roots(reached, tree, paths, end - first));
    for (unsigned n = first; n < end; n++) {
        const uint64_t leaf = cz_post_challenge(c->s, i, sector->number, n);

        CZ_TRY_IN(cz_inclusion_check_reached(tree, &sector->openings[n], leaf, &sector->comm_r_last,
                                             "comm_r_last", &reached[n - first]),
                  "challenge %u", n);
    }
    return CZ_OK;
}

static cz_err check_sector(const check *c, size_t i)
{
    const unsigned n = c->v->n_challenges;

    CZ_TRY(check_comm_r(&c->v->sectors[i]));
    for (unsigned first = 0; first < n; first += SIDE_BY_SIDE)
        CZ_TRY(check_openings(c, i, first, n - first < SIDE_BY_SIDE ? n : first + SIDE_BY_SIDE));
    return CZ_OK;
}

static cz_err check_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    check *c = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const cz_err err = check_sector(c, i);

        if (err != CZ_OK && err != CZ_E_INPUT)
            return err;
        c->faulty[i] = err != CZ_OK;
    }
    return CZ_OK;
}

/* --- the list of faulty ones --- */

/* "12, 90, …", cut where it becomes long. */
static size_t list_faulty(const check *c, char *out, size_t out_size)
{
    size_t n = 0, used = 0;

    for (size_t i = 0; i < c->v->n_sectors; i++) {
        if (!c->faulty[i])
            continue;
        if (used + 32 < out_size)
            used += (size_t)snprintf(out + used, out_size - used, "%s%" PRIu64, n == 0 ? "" : ", ",
                                     c->v->sectors[i].number);
        else if (out[used - 1] != '.')
            used += (size_t)snprintf(out + used, out_size - used, ", ...");
        n++;
    }
    return n;
}

static cz_err report_faulty(const check *c)
{
    char list[400], why[400];
    size_t first = 0, n;
    cz_err err;

    while (first < c->v->n_sectors && !c->faulty[first])
        first++;
    if (first == c->v->n_sectors)
        return CZ_OK;
    n = list_faulty(c, list, sizeof list);
    err = check_sector(c, first);
    (void)snprintf(why, sizeof why, "%s", cz_err_message());
    return cz_fail(err, "[%zu]: sector %" PRIu64 ": %s (%zu faulty sector%s: %s)",
                   c->v->sectors[first].at, c->v->sectors[first].number, why, n, n == 1 ? "" : "s",
                   list);
}

/* --- repeated ones --- */

typedef struct {
    uint64_t number;
    size_t at;
} numbered;

static int by_number(const void *a, const void *b)
{
    const numbered *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static cz_err find_repeated(const cz_post_vanilla *v, numbered *list)
{
    for (size_t i = 0; i < v->n_sectors; i++)
        list[i] = (numbered){v->sectors[i].number, v->sectors[i].at};
    qsort(list, v->n_sectors, sizeof *list, by_number);
    for (size_t i = 1; i < v->n_sectors; i++)
        if (list[i].number == list[i - 1].number)
            return cz_fail(CZ_E_INPUT, "sector %" PRIu64 " is given twice, as [%zu] and [%zu]",
                           list[i].number, list[i - 1].at, list[i].at);
    return CZ_OK;
}

static cz_err check_repeated(const cz_post_vanilla *v)
{
    numbered *list = malloc(v->n_sectors * sizeof *list);
    cz_err err;

    if (list == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu sector numbers", v->n_sectors);
    err = find_repeated(v, list);
    free(list);
    return err;
}

cz_err cz_post_check(const cz_post_vanilla *v, const cz_post_statement *s, cz_pool *pool)
{
    check c = {.v = v, .s = s};
    cz_err err;

    CZ_TRY(check_repeated(v));
    c.faulty = calloc(v->n_sectors, sizeof *c.faulty);
    if (c.faulty == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu sectors", v->n_sectors);
    err = cz_parallel_for(pool, v->n_sectors, 4, check_range, &c);
    if (err == CZ_OK)
        err = report_faulty(&c);
    free(c.faulty);
    return err;
}
