/* stats.h: what a set of timings says.
 *
 * Configurations are run in blocks, every configuration once in each, so that block i gives a pair
 * of times (base, other) taken within minutes of each other; slow drift of the machine cancels in
 * their ratio. From the logarithms of the ratios of n blocks:
 *   estimate  the Hodges-Lehmann one, the median of all averages of two [HL63]
 *   interval  the one that belongs to Wilcoxon's signed-rank test [Wil45], exact for any symmetric
 *             noise, and not moved far by a few blocks that something else disturbed
 *
 * The rule of the verdict: *helps* when the whole interval is below 1 and the estimate is at least
 * `least` below 1; *hurts* likewise above; else *within noise*. */
#ifndef CZ_LAB_STATS_H
#define CZ_LAB_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAB_MAX_BLOCKS = 64,
    LAB_LEAST_BLOCKS = 7 /* fewer pairs have no interval of LAB_LEVEL */
};

/* The interval's level: with five configurations, a false alarm in ten reports at most. */
#define LAB_LEVEL 0.98

typedef struct {
    size_t n;         /* pairs */
    double estimate;  /* of other / base; 0 when n is 0 */
    double low, high; /* the interval */
    double coverage;  /* of the interval; below LAB_LEVEL when n is less than 7 */
} lab_ratio;

/** The ratio of paired times, all positive, n at most LAB_MAX_BLOCKS. */
lab_ratio lab_ratio_of(const double *base, const double *other, size_t n);

typedef enum { LAB_WITHIN_NOISE, LAB_HELPS, LAB_HURTS, LAB_VERDICTS } lab_verdict;

/** `least`: effects below it are not called, 0.01 for 1 %. Fewer pairs than LAB_LEVEL needs are
 * within noise. */
lab_verdict lab_judge(const lab_ratio *ratio, double least);
const char *lab_verdict_text(lab_verdict verdict);

/** The stop rule: is the interval narrow enough? `precision` is half its width, as a share of the
 * estimate. It does not look at where the interval lies, so that it does not favour a verdict. */
bool lab_is_precise(const lab_ratio *ratio, double precision);

/** For qsort() of doubles. */
int lab_by_size(const void *a, const void *b);

/** Quantile q (0 … 1), interpolated; 0 for n = 0. `xs` is sorted in place. */
double lab_quantile(double *xs, size_t n, double q);

/** The interval of a median that follows from the ranks of n values alone, at LAB_LEVEL, of their
 * least and largest where there are too few; 0 for n = 0. `xs` is sorted in place. */
void lab_median_interval(double *xs, size_t n, double *low, double *high);

/** Chance that the sum of ranks of positive differences is at most t, of n pairs without effect. */
double lab_signed_rank_below(size_t n, size_t t);

/* A generator for orders, not for secrets [SLF14]. */
typedef struct {
    uint64_t state;
} lab_random;

uint64_t lab_random_next(lab_random *r);

/** 0 … n - 1 in an order of its own. */
void lab_shuffle(lab_random *r, unsigned *order, unsigned n);

#endif
