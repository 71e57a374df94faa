/* split.c: see split.h. */
#include "groth16/split.h"

#include <stdlib.h>

#include "base/bytes.h"

typedef struct {
    const cz_split *s;
    const cz_fr *values;
    size_t n;
} split_job;

static cz_err split_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const split_job *job = ctx;

    (void)worker;
    for (size_t w = begin; w < end; w++) {
        size_t first = 64 * w, left = job->n - first;
        uint64_t ones = 0, zeros = 0, all;

        if (left > 64)
            left = 64;
        all = left == 64 ? UINT64_MAX : ((uint64_t)1 << left) - 1;
        for (size_t i = 0; i < left; i++) {
            ones |= (uint64_t)cz_fr_is_one(&job->values[first + i]) << i;
            zeros |= (uint64_t)cz_fr_is_zero(&job->values[first + i]) << i;
        }
        job->s->ones[w] = ones;
        job->s->tail[w] = all & ~ones & ~zeros;
    }
    return CZ_OK;
}

cz_err cz_split_make(cz_split *out, const cz_fr *values, size_t n, cz_pool *pool)
{
    cz_split s = {.n_words = (n + 63) / 64};
    split_job job = {&s, values, n};

    s.ones = calloc(s.n_words + 1, sizeof *s.ones);
    s.tail = calloc(s.n_words + 1, sizeof *s.tail);
    if (s.ones == NULL || s.tail == NULL) {
        cz_split_clear(&s);
        return cz_fail(CZ_E_NOMEM, "no memory to split %zu values", n);
    }
    CZ_TRY(cz_parallel_for(pool, s.n_words, 256, split_range, &job));
    *out = s;
    return CZ_OK;
}

void cz_split_clear(cz_split *s)
{
    if (s->ones != NULL)
        cz_secure_zero(s->ones, s->n_words * sizeof *s->ones);
    if (s->tail != NULL)
        cz_secure_zero(s->tail, s->n_words * sizeof *s->tail);
    free(s->ones);
    free(s->tail);
    *s = (cz_split){0};
}
