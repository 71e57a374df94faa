/* fold_jobs.c: see fold_jobs.h. */
#include "params/fold_jobs.h"

#include "base/err.h"

typedef struct {
    cz_fold_cutter *cutter;
    cz_fold_cut *cut;
    size_t jobs, pending, sums; /* so far */
} work;

/* A long column has at most 2 entries / CZ_FOLD_SEGMENT sums in the first round, a fraction of
 * these later; one column may be continued. */
size_t cz_fold_jobs_bound(size_t most_columns, size_t most_entries)
{
    return most_columns + most_entries / (CZ_FOLD_SEGMENT / 4) + 64;
}

static void add_job(work *w, size_t first, size_t n, size_t to, size_t list)
{
    w->cutter->jobs[w->jobs++] =
        (cz_fold_job){(uint32_t)first, (uint32_t)n, (uint32_t)to, (uint32_t)list};
}

/* Jobs for n neighbours, each with a sum of its own. */
static void add_segments(work *w, size_t first, size_t n, size_t list)
{
    for (size_t i = 0; i < n; i += CZ_FOLD_SEGMENT) {
        const size_t left = n - i;

        add_job(w, first + i, left < CZ_FOLD_SEGMENT ? left : CZ_FOLD_SEGMENT, w->sums++,
                i == 0 ? list : CZ_FOLD_NONE);
    }
}

/* Entries first, …, first + n - 1 of a part are those of its column `column` (or some of them). */
static void add_column(work *w, size_t column, size_t first, size_t n, bool continues)
{
    const size_t list = w->cutter->with_list && !continues ? column : CZ_FOLD_NONE;
    const size_t begin = w->sums;

    if (!continues && n <= CZ_FOLD_SEGMENT) {
        add_job(w, first, n, column, list);
        return;
    }
    if (continues)
        w->cut->carry_to = w->sums++;
    add_segments(w, first, n, list);
    w->cutter->pending[w->pending++] =
        (cz_fold_job){(uint32_t)begin, (uint32_t)(w->sums - begin), (uint32_t)column, CZ_FOLD_NONE};
}

/* Columns until the part is full. */
static void add_columns(work *w)
{
    cz_fold_cutter *cutter = w->cutter;
    cz_fold_cut *cut = w->cut;

    while (cutter->column < cutter->n && cut->n_columns < cutter->most_columns &&
           !cut->unfinished) {
        const uint32_t *start = cutter->start + cutter->column;
        const size_t left = start[1] - start[0] - cutter->done;
        const size_t room = cutter->most_entries - cut->n_entries;
        const size_t n = left < room ? left : room;

        if (n == 0 && left > 0)
            break;
        add_column(w, cut->n_columns++, cut->n_entries, n, cutter->done > 0);
        cut->n_entries += (uint32_t)n;
        cut->unfinished = n < left;
        cutter->column += n == left;
        cutter->done = n < left ? cutter->done + (uint32_t)n : 0;
    }
}

static void end_round(work *w)
{
    CZ_ASSERT(w->cut->n_rounds < CZ_FOLD_MAX_ROUNDS);
    w->cut->round_first[++w->cut->n_rounds] = w->jobs;
}

/* Sums of the sums that a column has. */
static void add_round(work *w)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->pending; i++) {
        const cz_fold_job p = w->cutter->pending[i];
        const size_t begin = w->sums;

        if (p.n <= CZ_FOLD_SEGMENT) {
            add_job(w, p.first, p.n, p.to, CZ_FOLD_NONE);
            continue;
        }
        add_segments(w, p.first, p.n, CZ_FOLD_NONE);
        w->cutter->pending[kept++] =
            (cz_fold_job){(uint32_t)begin, (uint32_t)(w->sums - begin), p.to, CZ_FOLD_NONE};
    }
    w->pending = kept;
    end_round(w);
}

bool cz_fold_jobs_next(cz_fold_cutter *cutter, cz_fold_cut *cut)
{
    work w = {.cutter = cutter, .cut = cut, .sums = cutter->most_columns};

    if (cutter->column == cutter->n)
        return false;
    *cut = (cz_fold_cut){.first_column = cutter->column,
                         .first_entry = cutter->start[cutter->column] + cutter->done,
                         .continues = cutter->done > 0};
    add_columns(&w);
    end_round(&w);
    while (w.pending > 0)
        add_round(&w);
    CZ_ASSERT(w.jobs <= cz_fold_jobs_bound(cutter->most_columns, cutter->most_entries) &&
              w.sums <= cz_fold_jobs_bound(cutter->most_columns, cutter->most_entries));
    return true;
}
