/* ntt_cuda.cu: transforms over Fr and the quotient on a CUDA device: tables, the cut into passes,
 * their order. ntt_passes_cuda.h has the method and the kernels. */
#include "ntt/ntt_passes_cuda.h"

#include <stdlib.h>

struct cz_gpu_ntt {
    cz_gpu *gpu;
    unsigned log_n;
    unsigned n_passes;
    unsigned m[3]; /* bits of the digits 1, 2, 3; 0: no such pass */
    unsigned log_twist;
    cz_fr32 w8[2][3];                /* w_8^1, ^2, ^3 in both directions */
    cz_fr32 *roots[2];               /* 2^9 */
    cz_fr32 *twist[2];               /* 2^log_twist */
    cz_fr32 *last[CZ_GPU_NTT_KINDS]; /* 2^(m1 + m3) */
    cz_fr32 *coset_first;            /* 7^(i1 2^(m2 + m3)), 2^m1 */
    cz_fr32 *coset_middle;           /* 7^(i2 2^m3), 2^m2 */
    cz_fr32 *uncoset_middle;         /* 7^-(k2 2^m1), 2^m2 */
    cz_fr32 *uncoset_last;           /* 7^-(k3 2^(m1 + m2)), 2^m3 */
};

/* ---- tables ---- */

typedef struct {
    cz_fr32 scale;
    cz_fr32 base; /* to the power row column */
    cz_fr32 row, column;
} power_args;

/** out[i 2^log_columns + j] = scale base^(i j) row^i column^j. Launch: any grid, block THREADS. */
static __global__ void __launch_bounds__(THREADS)
    k_powers(cz_fr32 *out, const __grid_constant__ power_args p, unsigned log_columns, size_t n)
{
    for (size_t e = (size_t)blockIdx.x * THREADS + threadIdx.x; e < n;
         e += (size_t)gridDim.x * THREADS) {
        const uint64_t i = e >> log_columns, j = e & (((uint64_t)1 << log_columns) - 1);
        uint32_t x[8], y[8];

        cz_fr32_pow(x, p.base.v, i * j);
        cz_fr32_mul_canonical(x, x, p.scale.v);
        cz_fr32_pow(y, p.row.v, i);
        cz_fr32_mul_canonical(x, x, y);
        cz_fr32_pow(y, p.column.v, j);
        cz_fr32_mul_canonical(x, x, y);
        cz_limbs_copy(out[e].v, x, 8);
    }
}

static cz_fr32 fr_one(void)
{
    cz_fr32 r;

    cz_fr32_one(r.v);
    return r;
}

static cz_fr32 fr_power(cz_fr32 a, uint64_t e)
{
    cz_fr32_pow(a.v, a.v, e);
    return a;
}

static cz_fr32 fr_product(cz_fr32 a, cz_fr32 b)
{
    cz_fr32_mul_canonical(a.v, a.v, b.v);
    return a;
}

/* a^(r - 2) */
static cz_fr32 fr_inverse(cz_fr32 a)
{
    const uint64_t r[4] = CZ_FR_MODULUS;
    cz_fr32 result = fr_one();

    for (int i = 255; i >= 0; i--) {
        const uint64_t limb =
            i < 64 ? r[0] - 2 : r[i / 64]; /* the lowest limb is 2^32 below 2^64 */

        result = fr_product(result, result);
        if (limb >> (i % 64) & 1)
            result = fr_product(result, a);
    }
    return result;
}

static cz_fr32 fr_constant(const uint64_t limbs[4])
{
    cz_fr32 r;

    for (int i = 0; i < 8; i++)
        r.v[i] = (uint32_t)(limbs[i / 2] >> (32 * (i % 2)));
    return r;
}

static cz_fr32 fr_seven(void)
{
    const uint64_t limbs[4] = CZ_FR_GENERATOR;

    return fr_constant(limbs);
}

/* Of order 2^log_n, or its inverse. */
static cz_fr32 fr_root(unsigned log_n, int direction)
{
    const uint64_t limbs[4] = CZ_FR_ROOT_OF_UNITY;
    const cz_fr32 w = fr_power(fr_constant(limbs), (uint64_t)1 << (32 - log_n));

    return direction == FORWARD ? w : fr_inverse(w);
}

/* 1/n, and for the quotient 1/n / (7^n - 1). */
static cz_fr32 fr_scale(unsigned log_n, bool over_z)
{
    cz_fr32 two = fr_one(), z = fr_power(fr_seven(), (uint64_t)1 << log_n);
    const cz_fr32 one = fr_one();
    cz_fr32 n;

    cz_fr32_sub(z.v, z.v, one.v);
    cz_limbs_add(two.v, two.v, one.v, 8); /* 2^257 mod r, and r < 2^255: may exceed r */
    cz_fr32_canonical(two.v, two.v);
    n = fr_power(two, log_n);
    return fr_inverse(over_z ? fr_product(n, z) : n);
}

/* Enough to fill a device; the kernels go on in strides. */
static unsigned blocks_for(size_t n)
{
    const size_t blocks = (n + THREADS - 1) / THREADS;

    return (unsigned)(blocks < 16384 ? blocks : 16384);
}

static cz_err make_table(cz_gpu_ntt *ntt, cz_fr32 **table, unsigned log_rows, unsigned log_columns,
                         const power_args *p)
{
    const size_t n = (size_t)1 << (log_rows + log_columns);
    const unsigned blocks = blocks_for(n);

    CZ_TRY(
        cz_gpu_take_device(ntt->gpu, (void **)table, n * sizeof **table, "table of a transform"));
    k_powers<<<blocks, THREADS, 0, ntt->gpu->stream[CZ_GPU_COMPUTE]>>>(*table, *p, log_columns, n);
    CZ_TRY_LAUNCH(k_powers);
    return CZ_OK;
}

/* base^0, base^1, ... base^(2^log_count - 1) */
static cz_err make_powers(cz_gpu_ntt *ntt, cz_fr32 **table, unsigned log_count, cz_fr32 base)
{
    const power_args p = {fr_one(), fr_one(), base, fr_one()};

    return make_table(ntt, table, log_count, 0, &p);
}

static cz_err make_last_table(cz_gpu_ntt *ntt, cz_gpu_ntt_kind kind)
{
    const bool forward = kind == CZ_GPU_NTT_FORWARD || kind == CZ_GPU_NTT_COSET_FORWARD;
    const bool from_coset =
        kind == CZ_GPU_NTT_COSET_INVERSE || kind == CZ_GPU_NTT_COSET_INVERSE_OVER_Z;
    const bool over_z =
        kind == CZ_GPU_NTT_INVERSE_OVER_Z || kind == CZ_GPU_NTT_COSET_INVERSE_OVER_Z;
    power_args p;

    p.scale = forward ? fr_one() : fr_scale(ntt->log_n, over_z);
    p.base = fr_root(ntt->log_n, forward ? FORWARD : BACKWARD);
    p.row = kind == CZ_GPU_NTT_COSET_FORWARD ? fr_seven() : fr_one();
    p.column = from_coset ? fr_inverse(fr_seven()) : fr_one();
    return make_table(ntt, &ntt->last[kind], ntt->m[2], ntt->m[0], &p);
}

static cz_err make_direction(cz_gpu_ntt *ntt, int direction)
{
    const cz_fr32 w8 = fr_root(3, direction);

    for (unsigned e = 1; e <= 3; e++)
        ntt->w8[direction][e - 1] = fr_power(w8, e);
    CZ_TRY(make_powers(ntt, &ntt->roots[direction], MAX_LOG_M, fr_root(MAX_LOG_M, direction)));
    if (ntt->n_passes == 3)
        CZ_TRY(make_powers(ntt, &ntt->twist[direction], ntt->log_twist,
                           fr_root(ntt->log_twist, direction)));
    return CZ_OK;
}

static cz_err make_tables(cz_gpu_ntt *ntt)
{
    const unsigned m1 = ntt->m[0], m2 = ntt->m[1], m3 = ntt->m[2];
    const cz_fr32 seven = fr_seven(), seventh = fr_inverse(seven);

    CZ_TRY(make_direction(ntt, FORWARD));
    CZ_TRY(make_direction(ntt, BACKWARD));
    for (int kind = 0; kind < CZ_GPU_NTT_KINDS; kind++)
        CZ_TRY(make_last_table(ntt, (cz_gpu_ntt_kind)kind));
    CZ_TRY(make_powers(ntt, &ntt->coset_first, m1, fr_power(seven, (uint64_t)1 << (m2 + m3))));
    CZ_TRY(make_powers(ntt, &ntt->coset_middle, m2, fr_power(seven, (uint64_t)1 << m3)));
    CZ_TRY(make_powers(ntt, &ntt->uncoset_middle, m2, fr_power(seventh, (uint64_t)1 << m1)));
    return make_powers(ntt, &ntt->uncoset_last, m3, fr_power(seventh, (uint64_t)1 << (m1 + m2)));
}

/* ---- plans ---- */

static void destroy(cz_gpu_ntt *ntt)
{
    cz_gpu *gpu = ntt->gpu;

    for (int direction = 0; direction < 2; direction++) {
        cz_gpu_give(gpu, ntt->roots[direction]);
        cz_gpu_give(gpu, ntt->twist[direction]);
    }
    for (int kind = 0; kind < CZ_GPU_NTT_KINDS; kind++)
        cz_gpu_give(gpu, ntt->last[kind]);
    cz_gpu_give(gpu, ntt->coset_first);
    cz_gpu_give(gpu, ntt->coset_middle);
    cz_gpu_give(gpu, ntt->uncoset_middle);
    cz_gpu_give(gpu, ntt->uncoset_last);
    free(ntt);
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* As even as can be, at most 9 bits a pass; of three, the first as wide as the last. */
static void cut(cz_gpu_ntt *ntt, unsigned log_n)
{
    const unsigned passes = log_n == 0 ? 1 : (log_n + MAX_LOG_M - 1) / MAX_LOG_M;
    const unsigned bits = log_n / passes, wider = log_n % passes;

    ntt->log_n = log_n;
    ntt->n_passes = passes;
    ntt->m[2] = bits;
    if (passes == 2)
        ntt->m[0] = bits + wider;
    if (passes == 3) {
        ntt->m[0] = ntt->m[2] = bits + wider / 2;
        ntt->m[1] = bits + wider % 2;
    }
    ntt->log_twist = larger(ntt->m[0] + ntt->m[1], ntt->m[1] + ntt->m[2]);
}

static cz_err allow_shared_memory(void)
{
    const int bytes = TILE_BYTES + FACTOR_BYTES;
    const cudaFuncAttribute what = cudaFuncAttributeMaxDynamicSharedMemorySize;

    CZ_TRY_CUDA(cudaFuncSetAttribute(k_ntt_pass<FIRST>, what, bytes));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_ntt_pass<MIDDLE>, what, bytes));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_ntt_pass<LAST>, what, bytes));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_ntt_turn, what, bytes));
    return CZ_OK;
}

static cz_err create(cz_gpu *gpu, cz_gpu_ntt **out, unsigned log_n)
{
    cz_gpu_ntt *ntt;
    cz_err err;

    if (log_n > MAX_LOG_N)
        return cz_fail(CZ_E_DECLINED, "transforms of 2^%u: at most 2^%d on a device", log_n,
                       (int)MAX_LOG_N);
    CZ_TRY(cz_gpu_enter(gpu));
    CZ_TRY(allow_shared_memory());
    ntt = (cz_gpu_ntt *)calloc(1, sizeof *ntt);
    if (ntt == NULL)
        return cz_fail(CZ_E_NOMEM, "transform tables: no host memory");
    ntt->gpu = gpu;
    cut(ntt, log_n);
    err = make_tables(ntt);
    if (err != CZ_OK) {
        destroy(ntt);
        return err;
    }
    *out = ntt;
    return CZ_OK;
}

/* ---- transforms ---- */

/* Radices of a tile: eights, then fours, then a two. */
static unsigned radices(unsigned log_m)
{
    unsigned steps = 0, at = 0;

    while (log_m > 0) {
        const unsigned log_r = log_m == 4 || log_m == 2 ? 2 : log_m >= 3 ? 3 : 1;

        steps |= log_r << at;
        at += 4;
        log_m -= log_r;
    }
    return steps;
}

typedef struct {
    cz_gpu_ntt_kind kind;
    int direction;
    bool to_coset, from_coset;
    const cz_fr32 *times;          /* of the input, or NULL */
    const cz_fr32 *factor, *minus; /* of the output, from it; NULL: not */
} job;

static void pass_args_init(pass_args *a, const cz_gpu_ntt *ntt, const job *j, pass_place place)
{
    const unsigned m1 = ntt->m[0], m2 = ntt->m[1], m3 = ntt->m[2];
    const unsigned columns = place == FIRST ? m2 + m3 : place == MIDDLE ? m3 : m1;

    a->m1 = m1, a->m2 = m2, a->m3 = m3;
    a->log_m = ntt->m[place];
    a->log_c = LOG_TILE - a->log_m < columns ? LOG_TILE - a->log_m : columns;
    a->steps = radices(a->log_m);
    for (int e = 0; e < 3; e++)
        a->w8[e] = ntt->w8[j->direction][e];
    a->roots = ntt->roots[j->direction];
    a->twist = place == FIRST ? NULL : ntt->twist[j->direction];
    a->twist_shift = ntt->log_twist - (place == MIDDLE ? m1 + m2 : m2 + m3);
    a->by_row = NULL;
    if (place == LAST)
        a->by_row = ntt->last[j->kind];
    else if (j->to_coset)
        a->by_row = place == FIRST ? ntt->coset_first : ntt->coset_middle;
    a->post = place == LAST && j->from_coset ? ntt->uncoset_last : NULL;
    a->post_mid = ntt->uncoset_middle;
    a->times = place == (ntt->n_passes > 1 ? FIRST : LAST) ? j->times : NULL;
    a->factor = place == LAST ? j->factor : NULL;
    a->minus = place == LAST ? j->minus : NULL;
}

static cz_err run_pass(const cz_gpu_ntt *ntt, const job *j, pass_place place, const cz_fr32 *in,
                       cz_fr32 *out)
{
    cudaStream_t stream = ntt->gpu->stream[CZ_GPU_COMPUTE];
    const int shared = TILE_BYTES + FACTOR_BYTES;
    pass_args a;
    unsigned tiles;

    pass_args_init(&a, ntt, j, place);
    a.in = in;
    a.out = out;
    tiles = 1u << (ntt->log_n - a.log_m - a.log_c);
    if (place == FIRST)
        k_ntt_pass<FIRST><<<tiles, THREADS, shared, stream>>>(a);
    else if (place == MIDDLE)
        k_ntt_pass<MIDDLE><<<tiles, THREADS, shared, stream>>>(a);
    else
        k_ntt_pass<LAST><<<tiles, THREADS, shared, stream>>>(a);
    CZ_TRY_LAUNCH(k_ntt_pass);
    return CZ_OK;
}

static cz_err run_turn(const cz_gpu_ntt *ntt, const job *inverse, const job *forward,
                       const cz_fr32 *in, cz_fr32 *out)
{
    const int shared = TILE_BYTES + FACTOR_BYTES;
    pass_args last, first;

    pass_args_init(&last, ntt, inverse, LAST);
    pass_args_init(&first, ntt, forward, FIRST);
    last.in = in;
    first.out = out;
    k_ntt_turn<<<1u << (ntt->log_n - last.log_m - last.log_c), THREADS, shared,
                 ntt->gpu->stream[CZ_GPU_COMPUTE]>>>(last, first);
    CZ_TRY_LAUNCH(k_ntt_turn);
    return CZ_OK;
}

static cz_err run_middle(const cz_gpu_ntt *ntt, const job *j, cz_fr32 *xs)
{
    return ntt->n_passes > 2 ? run_pass(ntt, j, MIDDLE, xs, xs) : CZ_OK;
}

static job make_job(cz_gpu_ntt_kind kind)
{
    job j = {};

    j.kind = kind;
    j.direction =
        kind == CZ_GPU_NTT_FORWARD || kind == CZ_GPU_NTT_COSET_FORWARD ? FORWARD : BACKWARD;
    j.to_coset = kind == CZ_GPU_NTT_COSET_FORWARD;
    j.from_coset = kind == CZ_GPU_NTT_COSET_INVERSE || kind == CZ_GPU_NTT_COSET_INVERSE_OVER_Z;
    return j;
}

/* out = transform(xs times) factor - minus; the scratch loses its contents. `out` may be any vector
 * but the scratch. */
static cz_err run_job(cz_gpu_ntt *ntt, const job *j, const cz_fr32 *xs, cz_fr32 *scratch,
                      cz_fr32 *out)
{
    CZ_TRY(cz_gpu_enter(ntt->gpu));
    if (ntt->n_passes == 1)
        return run_pass(ntt, j, LAST, xs, out);
    CZ_TRY(run_pass(ntt, j, FIRST, xs, scratch));
    CZ_TRY(run_middle(ntt, j, scratch));
    return run_pass(ntt, j, LAST, scratch, out);
}

static cz_err run(cz_gpu_ntt *ntt, cz_gpu_ntt_kind kind, void *d_xs, void *d_scratch)
{
    const job j = make_job(kind);

    return run_job(ntt, &j, (cz_fr32 *)d_xs, (cz_fr32 *)d_scratch, (cz_fr32 *)d_xs);
}

/* ---- the quotient ---- */

/* scratch = values on the coset of the polynomial with values xs, times `factor`, element by
 * element, if that is not NULL; xs loses its contents. */
static cz_err take_to_coset(cz_gpu_ntt *ntt, cz_fr32 *xs, const cz_fr32 *factor, cz_fr32 *scratch)
{
    const job inverse = make_job(CZ_GPU_NTT_INVERSE);
    job forward = make_job(CZ_GPU_NTT_COSET_FORWARD);

    forward.factor = factor;
    CZ_TRY(cz_gpu_enter(ntt->gpu));
    if (ntt->n_passes == 1 || ntt->m[0] != ntt->m[2]) { /* 2^17 and below */
        CZ_TRY(run_job(ntt, &inverse, xs, scratch, xs));
        CZ_TRY(run_job(ntt, &forward, xs, scratch, xs));
        CZ_TRY_CUDA(cudaMemcpyAsync(scratch, xs, sizeof *xs << ntt->log_n, cudaMemcpyDeviceToDevice,
                                    ntt->gpu->stream[CZ_GPU_COMPUTE]));
        return CZ_OK;
    }
    CZ_TRY(run_pass(ntt, &inverse, FIRST, xs, scratch));
    CZ_TRY(run_middle(ntt, &inverse, scratch));
    CZ_TRY(run_turn(ntt, &inverse, &forward, scratch, xs));
    CZ_TRY(run_middle(ntt, &forward, xs));
    return run_pass(ntt, &forward, LAST, xs, scratch);
}

/* Six transforms, as ntt/quotient.h has it: c never goes to the coset, for its coefficients are the
 * same modulo X^n - 7^n. a becomes (A B mod (X^n - 7^n)) / z, less `minus`. */
static cz_err product(cz_gpu_ntt *ntt, cz_fr32 *a, cz_fr32 *b, const cz_fr32 *minus,
                      cz_fr32 *scratch)
{
    job back = make_job(CZ_GPU_NTT_COSET_INVERSE_OVER_Z);

    CZ_TRY(take_to_coset(ntt, a, NULL, scratch));
    CZ_TRY(take_to_coset(ntt, b, NULL, a));
    back.times = a;
    back.minus = minus;
    return run_job(ntt, &back, scratch, b, a);
}

/* Four transforms: the product is taken while the last of them writes. */
static cz_err coset_product(cz_gpu_ntt *ntt, void *d_a, void *d_b, void *d_scratch)
{
    cz_fr32 *a = (cz_fr32 *)d_a, *scratch = (cz_fr32 *)d_scratch;

    CZ_TRY(take_to_coset(ntt, a, NULL, scratch));
    return take_to_coset(ntt, (cz_fr32 *)d_b, scratch, a);
}

static cz_err quotient(cz_gpu_ntt *ntt, void *d_a, void *d_b, void *d_c, void *d_scratch)
{
    const job of_c = make_job(CZ_GPU_NTT_INVERSE_OVER_Z);
    cz_fr32 *c = (cz_fr32 *)d_c, *scratch = (cz_fr32 *)d_scratch;

    CZ_TRY(run_job(ntt, &of_c, c, scratch, c));
    return product(ntt, (cz_fr32 *)d_a, (cz_fr32 *)d_b, c, scratch);
}

static cz_err quotient_product(cz_gpu_ntt *ntt, void *d_a, void *d_b, void *d_scratch)
{
    return product(ntt, (cz_fr32 *)d_a, (cz_fr32 *)d_b, NULL, (cz_fr32 *)d_scratch);
}

/* Of c's transform the product is subtracted while it is written: the quotient's negative. */
static cz_err quotient_subtract(cz_gpu_ntt *ntt, void *d_c, void *d_a, void *d_scratch)
{
    job of_c = make_job(CZ_GPU_NTT_INVERSE_OVER_Z);
    cz_fr32 *c = (cz_fr32 *)d_c;

    of_c.minus = (const cz_fr32 *)d_a;
    return run_job(ntt, &of_c, c, (cz_fr32 *)d_scratch, c);
}

void cz_gpu_ntt_fill(cz_gpu_backend *table)
{
    table->ntt_create = create;
    table->ntt_destroy = destroy;
    table->ntt_run = run;
    table->ntt_quotient = quotient;
    table->ntt_quotient_product = quotient_product;
    table->ntt_quotient_subtract = quotient_subtract;
    table->ntt_coset_product = coset_product;
}
