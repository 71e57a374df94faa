/* limits.c: see limits.h. The loops are assembly, so that nothing but the operation is measured. */
#include "base/limits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/trace.h"

enum { COPY_BYTES = 32 << 20, LOOP = 1 << 16, MAX_ROUNDS = 1 << 16 };

static const uint64_t enough_ns = 50 * 1000 * 1000;

/* Does one round of work and says how much that was. */
typedef double (*round_fn)(void *memory);

/* 14 independent chains, as many as it takes to hide the latency. */
static double multiply_add_round(void *memory)
{
    (void)memory;
    __asm__ volatile("mov %0, %%ecx\n"
                     "1:\n\t"
                     "vpmadd52luq %%zmm14, %%zmm15, %%zmm0\n\t"
                     "vpmadd52huq %%zmm14, %%zmm15, %%zmm1\n\t"
                     "vpmadd52luq %%zmm14, %%zmm15, %%zmm2\n\t"
                     "vpmadd52huq %%zmm14, %%zmm15, %%zmm3\n\t"
                     "vpmadd52luq %%zmm14, %%zmm15, %%zmm4\n\t"
                     "vpmadd52huq %%zmm14, %%zmm15, %%zmm5\n\t"
                     "vpmadd52luq %%zmm14, %%zmm15, %%zmm6\n\t"
                     "vpmadd52huq %%zmm14, %%zmm15, %%zmm7\n\t"
                     "vpmadd52luq %%zmm14, %%zmm15, %%zmm8\n\t"
                     "vpmadd52huq %%zmm14, %%zmm15, %%zmm9\n\t"
                     "vpmadd52luq %%zmm14, %%zmm15, %%zmm10\n\t"
                     "vpmadd52huq %%zmm14, %%zmm15, %%zmm11\n\t"
                     "vpmadd52luq %%zmm14, %%zmm15, %%zmm12\n\t"
                     "vpmadd52huq %%zmm14, %%zmm15, %%zmm13\n\t"
                     "dec %%ecx\n\t"
                     "jnz 1b\n\t"
                     "vzeroupper"
                     :
                     : "i"(LOOP)
                     : "ecx", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
    return 14.0 * LOOP;
}

static double mulx_round(void *memory)
{
    (void)memory;
    __asm__ volatile("mov %0, %%ecx\n"
                     "1:\n\t"
                     "mulx %%rsi, %%rax, %%r8\n\t"
                     "mulx %%rsi, %%r9, %%r10\n\t"
                     "mulx %%rsi, %%rax, %%r8\n\t"
                     "mulx %%rsi, %%r9, %%r10\n\t"
                     "mulx %%rsi, %%rax, %%r8\n\t"
                     "mulx %%rsi, %%r9, %%r10\n\t"
                     "mulx %%rsi, %%rax, %%r8\n\t"
                     "mulx %%rsi, %%r9, %%r10\n\t"
                     "dec %%ecx\n\t"
                     "jnz 1b"
                     :
                     : "i"(LOOP)
                     : "rax", "ecx", "r8", "r9", "r10", "cc");
    return 8.0 * LOOP;
}

/* Without BMI2: the product that every x86-64 has. */
static double mul_round(void *memory)
{
    (void)memory;
    __asm__ volatile("mov %0, %%ecx\n"
                     "1:\n\t"
                     "mov %%rsi, %%rax\n\t"
                     "mul %%rsi\n\t"
                     "mov %%rsi, %%rax\n\t"
                     "mul %%rsi\n\t"
                     "mov %%rsi, %%rax\n\t"
                     "mul %%rsi\n\t"
                     "mov %%rsi, %%rax\n\t"
                     "mul %%rsi\n\t"
                     "dec %%ecx\n\t"
                     "jnz 1b"
                     :
                     : "i"(LOOP)
                     : "rax", "rdx", "ecx", "cc");
    return 4.0 * LOOP;
}

static double copy_round(void *memory)
{
    memcpy(memory, (char *)memory + COPY_BYTES, COPY_BYTES);
    return 2.0 * COPY_BYTES;
}

/* --- the rate of all threads --- */

typedef struct {
    round_fn round;
    char *memory;  /* 2 COPY_BYTES a thread */
    double *rates; /* a thread */
} measurement;

static cz_err measure_one(void *ctx, size_t begin, size_t end, unsigned worker)
{
    measurement *m = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        char *memory = m->memory + i * 2 * COPY_BYTES;
        double work = 0;
        uint64_t start, now;

        (void)m->round(memory); /* the first one warms up */
        start = now = cz_clock_ns();
        for (int rounds = 0; rounds < MAX_ROUNDS && now - start < enough_ns; rounds++) {
            work += m->round(memory);
            now = cz_clock_ns();
        }
        m->rates[i] = work * 1e9 / (double)(now - start);
    }
    return CZ_OK;
}

static cz_err rate_of(double *out, measurement *m, round_fn round, cz_pool *pool)
{
    const size_t n = cz_pool_threads(pool);

    m->round = round;
    CZ_TRY(cz_parallel_for(pool, n, 1, measure_one, m));
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out += m->rates[i];
    return CZ_OK;
}

static cz_err measure_all(cz_limits *out, measurement *m, cz_pool *pool)
{
    const bool has_mulx = cz_cpu_has(CZ_CPU_BMI2);

    *out = (cz_limits){0};
    if (cz_cpu_has(CZ_CPU_AVX512IFMA))
        CZ_TRY(rate_of(&out->multiply_adds, m, multiply_add_round, pool));
    CZ_TRY(rate_of(&out->products, m, has_mulx ? mulx_round : mul_round, pool));
    return rate_of(&out->bytes, m, copy_round, pool);
}

cz_err cz_limits_measure(cz_limits *out, cz_pool *pool)
{
    const size_t n = cz_pool_threads(pool);
    measurement m = {.memory = malloc(n * 2 * COPY_BYTES), .rates = calloc(n, sizeof *m.rates)};
    cz_err err;

    if (m.memory == NULL || m.rates == NULL) {
        err = cz_fail(CZ_E_NOMEM, "no memory to measure the machine with");
    } else {
        memset(m.memory, 1, n * 2 * COPY_BYTES);
        err = measure_all(out, &m, pool);
    }
    free(m.memory);
    free(m.rates);
    return err;
}
