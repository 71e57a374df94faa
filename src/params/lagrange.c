/* lagrange.c: see lagrange.h. */
#include "params/lagrange.h"

/* One inversion serves a batch; the batch and its scratch stay in the first-level cache. */
enum { BATCH = 512, ITEMS_A_TURN = 8 * BATCH };

void cz_vanishing_at(cz_fr *z, unsigned log_n, const cz_fr *tau)
{
    const cz_fr one = CZ_FR_ONE;

    *z = *tau;
    for (unsigned i = 0; i < log_n; i++)
        cz_fr_sqr(z, z);
    cz_fr_sub(z, z, &one);
}

static void power(cz_fr *r, const cz_fr *base, uint64_t e)
{
    cz_fr_pow_var(r, base, &e, 1);
}

typedef struct {
    cz_fr *out;
    cz_fr tau, root, factor; /* factor = (tau^N - 1) / N */
} lagrange_job;

/* out[j] = factor w^j / (tau - w^j) for j in a batch; w_j enters as w^begin and leaves as w^end. */
static void lagrange_batch(const lagrange_job *job, size_t begin, size_t end, cz_fr *w_j)
{
    cz_fr numerator[BATCH], scratch[BATCH];
    cz_fr *out = job->out + begin;
    size_t n = end - begin;

    for (size_t j = 0; j < n; j++) {
        cz_fr_mul(&numerator[j], w_j, &job->factor);
        cz_fr_sub(&out[j], &job->tau, w_j);
        cz_fr_mul(w_j, w_j, &job->root);
    }
    cz_fr_batch_inv(out, scratch, n);
    for (size_t j = 0; j < n; j++)
        cz_fr_mul(&out[j], &out[j], &numerator[j]);
}

static cz_err lagrange_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const lagrange_job *job = ctx;
    cz_fr w_j;

    (void)worker;
    power(&w_j, &job->root, begin);
    for (size_t j = begin; j < end; j += BATCH)
        lagrange_batch(job, j, end - j < BATCH ? end : j + BATCH, &w_j);
    return CZ_OK;
}

cz_err cz_lagrange_at(cz_fr *out, uint64_t n, unsigned log_n, const cz_fr *tau, cz_pool *pool)
{
    lagrange_job job = {.out = out, .tau = *tau};
    cz_fr size_inv;

    cz_vanishing_at(&job.factor, log_n, tau);
    if (cz_fr_is_zero(&job.factor))
        return cz_fail(CZ_E_INPUT, "tau is a root of unity of the domain of 2^%u", log_n);
    cz_fr_from_u64(&size_inv, (uint64_t)1 << log_n);
    cz_fr_inv(&size_inv, &size_inv);
    cz_fr_mul(&job.factor, &job.factor, &size_inv);
    cz_fr_root_of_unity(&job.root, log_n);
    return cz_parallel_for(pool, n, ITEMS_A_TURN, lagrange_range, &job);
}

typedef struct {
    cz_fr *out;
    cz_fr all, last, root; /* out[j] = all out[j] - last root^j */
} transformed_job;

static cz_err without_last_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const transformed_job *job = ctx;
    cz_fr last;

    (void)worker;
    power(&last, &job->root, begin);
    cz_fr_mul(&last, &last, &job->last);
    for (size_t j = begin; j < end; j++) {
        cz_fr_mul(&job->out[j], &job->out[j], &job->all);
        cz_fr_sub(&job->out[j], &job->out[j], &last);
        cz_fr_mul(&last, &last, &job->root);
    }
    return CZ_OK;
}

cz_err cz_transformed_powers(cz_fr *out, uint64_t count, unsigned log_n, const cz_fr *tau,
                             const cz_fr *factor, cz_pool *pool)
{
    const uint64_t n = (uint64_t)1 << log_n;
    transformed_job job = {.out = out};

    CZ_TRY(cz_lagrange_at(out, count, log_n, tau, pool));
    cz_fr_from_u64(&job.all, n);
    cz_fr_mul(&job.all, &job.all, factor);
    power(&job.last, tau, n - 1);
    cz_fr_mul(&job.last, &job.last, factor);
    cz_fr_root_of_unity(&job.root, log_n);
    return cz_parallel_for(pool, count, ITEMS_A_TURN, without_last_range, &job);
}

typedef struct {
    cz_fr *out;
    uint64_t first;
    const cz_fr *tau, *factor;
} powers_job;

static cz_err powers_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const powers_job *job = ctx;
    cz_fr p;

    (void)worker;
    power(&p, job->tau, job->first + begin);
    cz_fr_mul(&p, &p, job->factor);
    for (size_t i = begin; i < end; i++) {
        job->out[i] = p;
        cz_fr_mul(&p, &p, job->tau);
    }
    return CZ_OK;
}

cz_err cz_scaled_powers(cz_fr *out, uint64_t first, size_t n, const cz_fr *tau, const cz_fr *factor,
                        cz_pool *pool)
{
    powers_job job = {out, first, tau, factor};

    return cz_parallel_for(pool, n, ITEMS_A_TURN, powers_range, &job);
}
