/* stats.c: see stats.h. */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

enum { MAX_RANK_SUM = LAB_MAX_BLOCKS * (LAB_MAX_BLOCKS + 1) / 2 };

int lab_by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double lab_quantile(double *xs, size_t n, double q)
{
    double at;
    size_t below;

    if (n == 0)
        return 0;
    qsort(xs, n, sizeof *xs, lab_by_size);
    at = q * (double)(n - 1);
    below = (size_t)at;
    if (below + 1 >= n)
        return xs[n - 1];
    return xs[below] + (at - (double)below) * (xs[below + 1] - xs[below]);
}

/* Of n values, as many as k or fewer are below the median with a binomial's chance: the largest k
 * for which both tails together are unlikely enough. */
void lab_median_interval(double *xs, size_t n, double *low, double *high)
{
    double chance = pow(0.5, (double)n), tail = chance;
    size_t k = 0;

    *low = *high = 0;
    if (n == 0)
        return;
    qsort(xs, n, sizeof *xs, lab_by_size);
    while (2 * k + 2 < n) {
        chance *= (double)(n - k) / (double)(k + 1);
        if (2 * (tail + chance) > 1 - LAB_LEVEL)
            break;
        tail += chance;
        k++;
    }
    *low = xs[k];
    *high = xs[n - 1 - k];
}

/* Each rank is in the sum or not, with equal chances: rank by rank, how likely each sum is. */
double lab_signed_rank_below(size_t n, size_t t)
{
    double chance[MAX_RANK_SUM + 1] = {1};
    double below = 0;

    CZ_ASSERT(n <= LAB_MAX_BLOCKS);
    for (size_t rank = 1; rank <= n; rank++)
        for (size_t sum = rank * (rank + 1) / 2 + 1; sum-- > 0;)
            chance[sum] = (chance[sum] + (sum >= rank ? chance[sum - rank] : 0)) / 2;
    for (size_t sum = 0; sum <= t && sum <= n * (n + 1) / 2; sum++)
        below += chance[sum];
    return below;
}

/* How many of the averages lie outside the interval at either end. */
static size_t averages_outside(size_t n)
{
    size_t outside = 0;

    while (2 * lab_signed_rank_below(n, outside) <= 1 - LAB_LEVEL)
        outside++;
    return outside;
}

lab_ratio lab_ratio_of(const double *base, const double *other, size_t n)
{
    static const double half = 0.5;
    double averages[MAX_RANK_SUM];
    double difference[LAB_MAX_BLOCKS];
    size_t count = 0, outside;
    lab_ratio r = {.n = n};

    CZ_ASSERT(n <= LAB_MAX_BLOCKS);
    if (n == 0)
        return r;
    for (size_t i = 0; i < n; i++)
        difference[i] = log(other[i] / base[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n; k++)
            averages[count++] = half * (difference[i] + difference[k]);
    r.estimate = exp(lab_quantile(averages, count, half)); /* sorted from here on */
    outside = averages_outside(n);
    r.coverage = 1 - 2 * lab_signed_rank_below(n, outside > 0 ? outside - 1 : 0);
    if (outside > 0)
        outside--;
    r.low = exp(averages[outside]);
    r.high = exp(averages[count - 1 - outside]);
    return r;
}

lab_verdict lab_judge(const lab_ratio *ratio, double least)
{
    if (ratio->n == 0 || ratio->coverage < LAB_LEVEL)
        return LAB_WITHIN_NOISE;
    if (ratio->high < 1 && ratio->estimate <= 1 - least)
        return LAB_HELPS;
    if (ratio->low > 1 && ratio->estimate >= 1 + least)
        return LAB_HURTS;
    return LAB_WITHIN_NOISE;
}

const char *lab_verdict_text(lab_verdict verdict)
{
    switch (verdict) {
    case LAB_HELPS:
        return "helps";
    case LAB_HURTS:
        return "hurts";
    default:
        return "within noise";
    }
}

bool lab_is_precise(const lab_ratio *ratio, double precision)
{
    return ratio->n > 0 && ratio->coverage >= LAB_LEVEL &&
           (ratio->high - ratio->low) / 2 <= precision * ratio->estimate;
}

uint64_t lab_random_next(lab_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void lab_shuffle(lab_random *r, unsigned *order, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        order[i] = i;
    for (unsigned i = n; i > 1; i--) {
        const unsigned k = (unsigned)(lab_random_next(r) % i);
        const unsigned kept = order[i - 1];

        order[i - 1] = order[k];
        order[k] = kept;
    }
}
