/* ops_ntt.c: the transforms' rows of the differential table. */
#include "ntt/ntt_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "ntt/ntt.h"
#include "ntt/quotient.h"
#include "ops.h"

/* One pass up to 2^9, two to 2^18, three above; every width of tile. */
static const size_t sizes[] = {1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,
                               1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10, 1u << 11,
                               1u << 13, 1u << 15, 1u << 17, 1u << 18, 1u << 19, 0};
static const size_t large[] = {1u << 21, 1u << 23, 1u << 25, 1u << 26, 1u << 27, 0};
static const size_t large_quotient[] = {1u << 22, 1u << 24, 0};
static const size_t large_product[] = {1u << 21, 1u << 25, 1u << 27, 0};

static unsigned log2_of(size_t n)
{
    unsigned log_n = 0;

    while ((size_t)1 << log_n < n)
        log_n++;
    return log_n;
}

static cz_fr *vector(size_t n)
{
    cz_fr *xs = malloc(n * sizeof *xs);

    if (xs == NULL)
        diff_need(CZ_E_NOMEM, "host vector");
    return xs;
}

static void on_cpu(diff_run *run, cz_gpu_ntt_kind kind, cz_fr *xs, unsigned log_n)
{
    static cz_err (*const transforms[])(const cz_ntt_plan *, cz_pool *, cz_fr *) = {
        cz_ntt_forward, cz_ntt_inverse, cz_ntt_coset_forward, cz_ntt_coset_inverse};
    static void (*const definitions[])(cz_fr *, unsigned) = {
        cz_ntt_ref_forward, cz_ntt_ref_inverse, cz_ntt_ref_coset_forward, cz_ntt_ref_coset_inverse};
    cz_ntt_plan *plan;

    if (log_n <= 11) {
        definitions[kind](xs, log_n);
        return;
    }
    diff_need(cz_ntt_plan_create(&plan, log_n, run->pool), "plan");
    diff_need(transforms[kind](plan, run->pool, xs), "transform");
    cz_ntt_plan_destroy(plan);
}

static void compare(diff_run *run, const char *name, size_t n, diff_input input,
                    cz_gpu_ntt_kind kind)
{
    const unsigned log_n = log2_of(n);
    diff_buffer xs = diff_buffer_take(run, n * sizeof(cz_fr));
    diff_buffer scratch = diff_buffer_take(run, n * sizeof(cz_fr));
    cz_fr *want = vector(n), *got = vector(n);
    cz_gpu_ntt *ntt;

    diff_fill_fr(want, n, input);
    diff_buffer_put(run, &xs, want);
    diff_need(cz_ntt_gpu_create(run->gpu, &ntt, log_n), "tables");
    diff_need(cz_ntt_gpu_run(ntt, kind, xs.d, scratch.d), name);
    diff_buffer_get(run, &xs, got);
    on_cpu(run, kind, want, log_n);
    diff_expect(run, memcmp(want, got, n * sizeof *want) == 0, "%s: 2^%u, %s", name, log_n,
                diff_input_name[input]);
    diff_expect(run, diff_buffer_guards_hold(run, &xs) && diff_buffer_guards_hold(run, &scratch),
                "%s: 2^%u, %s: written beyond the ends", name, log_n, diff_input_name[input]);
    cz_ntt_gpu_destroy(ntt);
    diff_buffer_give_back(run, &xs);
    diff_buffer_give_back(run, &scratch);
    free(want);
    free(got);
}

static void forward(diff_run *run, const char *name, size_t n, diff_input input)
{
    compare(run, name, n, input, CZ_GPU_NTT_FORWARD);
}

static void inverse(diff_run *run, const char *name, size_t n, diff_input input)
{
    compare(run, name, n, input, CZ_GPU_NTT_INVERSE);
}

static void coset_forward(diff_run *run, const char *name, size_t n, diff_input input)
{
    compare(run, name, n, input, CZ_GPU_NTT_COSET_FORWARD);
}

static void coset_inverse(diff_run *run, const char *name, size_t n, diff_input input)
{
    compare(run, name, n, input, CZ_GPU_NTT_COSET_INVERSE);
}

static void quotient_on_cpu(diff_run *run, cz_fr *v[3], unsigned log_n)
{
    cz_ntt_plan *plan;

    if (log_n <= 11) {
        cz_ntt_quotient_ref(v[0], v[1], v[2], log_n);
        return;
    }
    diff_need(cz_ntt_plan_create(&plan, log_n, run->pool), "plan");
    diff_need(cz_ntt_quotient(plan, run->pool, v[0], v[1], v[2]), "quotient");
    cz_ntt_plan_destroy(plan);
}

static void quotient(diff_run *run, const char *name, size_t n, diff_input input)
{
    const unsigned log_n = log2_of(n);
    diff_buffer d[4];
    cz_fr *want[3], *got = vector(n);
    bool guards = true;
    cz_gpu_ntt *ntt;

    for (int i = 0; i < 4; i++)
        d[i] = diff_buffer_take(run, n * sizeof(cz_fr));
    for (int i = 0; i < 3; i++) {
        want[i] = vector(n);
        diff_fill_fr(want[i], n, input);
        diff_buffer_put(run, &d[i], want[i]);
    }
    diff_need(cz_ntt_gpu_create(run->gpu, &ntt, log_n), "tables");
    diff_need(cz_ntt_gpu_quotient(ntt, d[0].d, d[1].d, d[2].d, d[3].d), name);
    diff_buffer_get(run, &d[0], got);
    quotient_on_cpu(run, want, log_n);
    diff_expect(run, memcmp(want[0], got, n * sizeof *got) == 0, "%s: 2^%u, %s", name, log_n,
                diff_input_name[input]);
    for (int i = 0; i < 4; i++) {
        guards = guards && diff_buffer_guards_hold(run, &d[i]);
        diff_buffer_give_back(run, &d[i]);
    }
    diff_expect(run, guards, "%s: 2^%u, %s: written beyond the ends", name, log_n,
                diff_input_name[input]);
    cz_ntt_gpu_destroy(ntt);
    for (int i = 0; i < 3; i++)
        free(want[i]);
    free(got);
}

static void product_on_cpu(diff_run *run, cz_fr *v[2], unsigned log_n)
{
    cz_ntt_plan *plan;

    if (log_n <= 11) {
        cz_ntt_coset_product_ref(v[0], v[1], log_n);
        return;
    }
    diff_need(cz_ntt_plan_create(&plan, log_n, run->pool), "plan");
    for (int i = 0; i < 2; i++)
        diff_need(cz_ntt_quotient_factor(plan, run->pool, v[i]), "transform onto the coset");
    for (size_t j = 0; j < (size_t)1 << log_n; j++)
        cz_fr_mul(&v[0][j], &v[0][j], &v[1][j]);
    cz_ntt_plan_destroy(plan);
}

static void coset_product(diff_run *run, const char *name, size_t n, diff_input input)
{
    const unsigned log_n = log2_of(n);
    diff_buffer d[3];
    cz_fr *want[2], *got = vector(n);
    bool guards = true;
    cz_gpu_ntt *ntt;

    for (int i = 0; i < 3; i++)
        d[i] = diff_buffer_take(run, n * sizeof(cz_fr));
    for (int i = 0; i < 2; i++) {
        want[i] = vector(n);
        diff_fill_fr(want[i], n, input);
        diff_buffer_put(run, &d[i], want[i]);
    }
    diff_need(cz_ntt_gpu_create(run->gpu, &ntt, log_n), "tables");
    diff_need(cz_ntt_gpu_coset_product(ntt, d[0].d, d[1].d, d[2].d), name);
    diff_buffer_get(run, &d[0], got);
    product_on_cpu(run, want, log_n);
    diff_expect(run, memcmp(want[0], got, n * sizeof *got) == 0, "%s: 2^%u, %s", name, log_n,
                diff_input_name[input]);
    for (int i = 0; i < 3; i++) {
        guards = guards && diff_buffer_guards_hold(run, &d[i]);
        diff_buffer_give_back(run, &d[i]);
    }
    diff_expect(run, guards, "%s: 2^%u, %s: written beyond the ends", name, log_n,
                diff_input_name[input]);
    cz_ntt_gpu_destroy(ntt);
    for (int i = 0; i < 2; i++)
        free(want[i]);
    free(got);
}

const diff_op diff_ntt_ops[] = {
    {"ntt:forward", forward, sizes, large},
    {"ntt:inverse", inverse, sizes, large},
    {"ntt:coset_forward", coset_forward, sizes, large},
    {"ntt:coset_inverse", coset_inverse, sizes, large},
    {"ntt:quotient", quotient, sizes, large_quotient},
    {"ntt:coset_product", coset_product, sizes, large_product},
};
const size_t diff_n_ntt_ops = sizeof diff_ntt_ops / sizeof *diff_ntt_ops;
