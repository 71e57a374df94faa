/* ntt_passes.c: a transform as passes, a pass as tiles shared out among threads (ntt_forms.h). */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ntt/ntt_forms.h"

enum {
    MAX_PASSES = 3,
    ONE_PASS_LOG_N = 7,  /* up to here one pass, in one thread */
    TWO_PASS_LOG_N = 22, /* a tile of 2^11 x 8 elements fills most of a 1 MiB cache */
    MAX_CHUNK = 4        /* tiles that a thread takes at a time, where there are many */
};

/* What a worker's scratch is set for, in the running pass. */
typedef struct {
    uint32_t base_of; /* 1 + the block whose base it is, or 0 */
    bool has_post;
} worker_state;

typedef struct {
    const cz_ntt_form_table *form;
    cz_ntt_pass pass;
    bool lanes_differ;
    cz_fr shift; /* the job's, to the power 2^low (to reversed) or 2^high (from reversed) */
    cz_fr *xs;
    char *scratch; /* scratch_bytes for each worker */
    size_t scratch_bytes;
    worker_state *workers;
} pass_run;

static unsigned passes_for(unsigned log_n)
{
    return log_n <= ONE_PASS_LOG_N ? 1 : log_n <= TWO_PASS_LOG_N ? 2 : 3;
}

/* Bits of the passes, high to low, as even as can be. */
static void split(unsigned log_n, unsigned passes, unsigned bits[MAX_PASSES])
{
    for (unsigned i = 0; i < passes; i++) {
        bits[i] = (log_n + passes - i - 1) / (passes - i);
        log_n -= bits[i];
    }
}

static void power_of_two_power(cz_fr *r, const cz_fr *a, unsigned log_e)
{
    *r = *a;
    while (log_e-- > 0)
        cz_fr_sqr(r, r);
}

static void power(cz_fr *r, const cz_fr *a, uint64_t e)
{
    cz_fr_pow_var(r, a, &e, 1);
}

/* base = (shift w^rev(block))^(2^low): to reversed order */
static void base_of_block(cz_fr *base, const pass_run *run, size_t block)
{
    const cz_ntt_job *job = run->pass.job;
    size_t e = cz_ntt_rev(block, run->pass.high) << run->pass.low;

    cz_ntt_root_power(base, job->plan, job->inverse, e);
    cz_fr_mul(base, base, &run->shift);
}

/* base = (shift w^column)^(2^high): from reversed order */
static void base_of_column(cz_fr *base, const pass_run *run, size_t column)
{
    const cz_ntt_job *job = run->pass.job;

    cz_ntt_root_power(base, job->plan, job->inverse, column << run->pass.high);
    cz_fr_mul(base, base, &run->shift);
}

static void lanes_of_blocks(cz_fr *bases, cz_fr *scales, const pass_run *run, size_t block,
                            unsigned lanes)
{
    const cz_ntt_job *job = run->pass.job;

    for (unsigned lane = 0; lane < lanes; lane++) {
        base_of_block(&bases[lane], run, block + lane);
        scales[lane] = job->scale;
        if (job->has_post) {
            power(&scales[lane], &job->post, cz_ntt_rev(block + lane, run->pass.high));
            cz_fr_mul(&scales[lane], &scales[lane], &job->scale);
        }
    }
}

static void lanes_of_columns(cz_fr *bases, cz_fr *scales, const pass_run *run, size_t column,
                             unsigned lanes)
{
    for (unsigned lane = 0; lane < lanes; lane++) {
        base_of_column(&bases[lane], run, column + lane);
        scales[lane] = run->pass.last ? run->pass.job->scale : CZ_FR_ONE;
    }
}

/* Set the scratch of a worker for a uniform tile of this block, unless it is already. */
static void use_base(const pass_run *run, char *scratch, size_t block, unsigned worker)
{
    const bool from_rev = run->pass.job->from_rev;
    cz_fr base = run->shift;

    if (from_rev)
        block = 0; /* one base for all */
    if (run->workers[worker].base_of == block + 1)
        return;
    run->workers[worker].base_of = (uint32_t)block + 1;
    if (!from_rev)
        base_of_block(&base, run, block);
    run->form->set_base(scratch, &run->pass, &base);
}

/* Each worker does this for itself, and only where it has a tile to do. */
static void use_post(const pass_run *run, char *scratch, unsigned worker)
{
    const cz_ntt_pass *pass = &run->pass;
    cz_fr post;

    if (!pass->last || !pass->job->has_post || run->workers[worker].has_post)
        return;
    run->workers[worker].has_post = true;
    power_of_two_power(&post, &pass->job->post, pass->high);
    run->form->set_post(scratch, pass, &post);
}

static void do_tile(const pass_run *run, size_t item, unsigned worker)
{
    const cz_ntt_pass *pass = &run->pass;
    const size_t rows = (size_t)1 << pass->high, columns = (size_t)1 << pass->low;
    const size_t m = (size_t)1 << pass->log_m;
    const size_t across = columns > 1 ? columns : rows; /* where the lanes lie */
    const unsigned lanes = across < CZ_NTT_LANES ? (unsigned)across : CZ_NTT_LANES;
    const size_t groups = columns > 1 ? columns / lanes : 1;
    const size_t block = columns > 1 ? item / groups : item * lanes;
    const size_t column = item % groups * lanes;
    const cz_ntt_tile tile = {run->xs + block * m * columns + column, columns, columns > 1 ? 1 : m,
                              lanes};
    char *scratch = run->scratch + worker * run->scratch_bytes;
    cz_fr bases[CZ_NTT_LANES], scales[CZ_NTT_LANES];

    use_post(run, scratch, worker);
    if (!run->lanes_differ) {
        use_base(run, scratch, block, worker);
        run->form->uniform_tile(scratch, pass, &tile);
        return;
    }
    if (pass->job->from_rev)
        lanes_of_columns(bases, scales, run, column, lanes);
    else
        lanes_of_blocks(bases, scales, run, block, lanes);
    run->form->lanes_tile(scratch, pass, &tile, bases, scales);
}

static cz_err do_tiles(void *ctx, size_t begin, size_t end, unsigned worker)
{
    for (size_t item = begin; item < end; item++)
        do_tile(ctx, item, worker);
    return CZ_OK;
}

static size_t tiles_a_chunk(size_t tiles, size_t workers)
{
    const size_t share = tiles / (4 * workers);

    return share == 0 ? 1 : share < MAX_CHUNK ? share : MAX_CHUNK;
}

static cz_err run_pass(pass_run *run, cz_pool *pool)
{
    const cz_ntt_pass *pass = &run->pass;
    const cz_ntt_job *job = pass->job;
    const size_t rest = (size_t)1 << (pass->high + pass->low);
    const size_t items = rest < CZ_NTT_LANES ? 1 : rest / CZ_NTT_LANES;
    const bool rows = pass->low == 0;
    const size_t workers = cz_pool_threads(pool);

    run->lanes_differ = rows != job->from_rev || pass->high + pass->low == 0;
    power_of_two_power(&run->shift, &job->shift, job->from_rev ? pass->high : pass->low);
    memset(run->workers, 0, workers * sizeof *run->workers);
    return cz_parallel_for(pool, items, tiles_a_chunk(items, workers), do_tiles, run);
}

static cz_err run_passes(pass_run *run, const cz_ntt_job *job, cz_pool *pool, unsigned passes,
                         const unsigned bits[MAX_PASSES])
{
    unsigned high = job->from_rev ? job->plan->log_n : 0;

    for (unsigned i = 0; i < passes; i++) {
        unsigned log_m = bits[job->from_rev ? passes - 1 - i : i];

        high -= job->from_rev ? log_m : 0;
        run->pass =
            (cz_ntt_pass){job, high, log_m, job->plan->log_n - high - log_m, i + 1 == passes};
        CZ_TRY(run_pass(run, pool));
        high += job->from_rev ? 0 : log_m;
    }
    return CZ_OK;
}

/* It held a witness's values. */
static cz_err erase_scratch(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const pass_run *run = ctx;

    (void)worker;
    cz_secure_zero(run->scratch + begin * run->scratch_bytes, (end - begin) * run->scratch_bytes);
    return CZ_OK;
}

cz_err cz_ntt_run_in_passes(const cz_ntt_job *job, cz_pool *pool, cz_fr *xs, unsigned passes)
{
    const size_t workers = cz_pool_threads(pool);
    unsigned bits[MAX_PASSES];
    pass_run run = {.form = cz_ntt_form_for(job->plan->log_n), .xs = xs};
    cz_err err;

    CZ_ASSERT(passes >= 1 && passes <= MAX_PASSES);
    split(job->plan->log_n, passes, bits);
    run.scratch_bytes = run.form->scratch_bytes(bits[0]);
    run.scratch = aligned_alloc(64, workers * run.scratch_bytes);
    run.workers = calloc(workers, sizeof *run.workers);
    if (run.scratch == NULL || run.workers == NULL)
        err = cz_fail(CZ_E_NOMEM, "no memory for a transform of size 2^%u: %zu bytes of scratch",
                      job->plan->log_n, workers * run.scratch_bytes);
    else
        err = run_passes(&run, job, pool, passes, bits);
    if (run.scratch != NULL && cz_parallel_for(pool, workers, 1, erase_scratch, &run) != CZ_OK)
        err = CZ_E_INTERNAL; /* cannot be: erase_scratch does not fail */
    free(run.workers);
    free(run.scratch);
    return err;
}

cz_err cz_ntt_run(const cz_ntt_job *job, cz_pool *pool, cz_fr *xs)
{
    return cz_ntt_run_in_passes(job, pool, xs, passes_for(job->plan->log_n));
}

size_t cz_ntt_scratch_bytes(unsigned log_n, const cz_pool *pool)
{
    unsigned bits[MAX_PASSES];

    split(log_n, passes_for(log_n), bits);
    return cz_pool_threads(pool) *
           (cz_ntt_form_for(log_n)->scratch_bytes(bits[0]) + sizeof(worker_state));
}
