/* prove_memory.c: see prove_memory.h. */
#include "groth16/prove_memory.h"

#include "cs/compiled_eval.h"
#include "groth16/key.h"
#include "groth16/list_sum.h"
#include "msm/msm.h"
#include "msm/msm_memory.h"

typedef struct {
    const cz_prove_sizes *sizes;
    cz_pool *pool;
} counted;

const char *cz_memory_stage_name(cz_memory_stage stage)
{
    static const char *const names[] = {"rows", "h", "l a b1", "b2"};

    CZ_ASSERT((unsigned)stage < CZ_MEMORY_STAGES);
    return names[stage];
}

static cz_memory_part always(const char *name, size_t bytes)
{
    return (cz_memory_part){name, {bytes, bytes, bytes, bytes}};
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t vector_bytes(const counted *k)
{
    return sizeof(cz_fr) << k->sizes->log_n;
}

/* Words of a plane over n variables, with those that some planes have to spare. */
static size_t plane_bytes(uint64_t n)
{
    return (size_t)(n / 64 + 2) * sizeof(uint64_t);
}

static size_t witness_bytes(const counted *k)
{
    return (size_t)(k->sizes->inputs + k->sizes->fields + 1) * sizeof(cz_fr) +
           plane_bytes(k->sizes->aux);
}

static size_t density_bytes(const counted *k)
{
    return 2 * plane_bytes(k->sizes->aux) + plane_bytes(k->sizes->inputs);
}

static size_t row_scratch(const counted *k)
{
    return larger(k->sizes->row_scratch, cz_ntt_scratch_bytes(k->sizes->log_n, k->pool));
}

static size_t h_chunk(const counted *k)
{
    const size_t n = ((size_t)1 << k->sizes->log_n) - 1, chunk = cz_key_h_chunk(k->sizes->log_n);

    return n < chunk ? n : chunk;
}

static size_t h_points(const counted *k)
{
    return cz_msm_block_bytes(h_chunk(k) + 1, sizeof(cz_g1_affine));
}

static size_t h_scratch(const counted *k)
{
    return larger(cz_params_read_bytes(k->pool), cz_msm_bytes_g1(k->pool, h_chunk(k)));
}

/* Ones and others of inputs and aux. */
static size_t split_bytes(const counted *k)
{
    return 2 * (plane_bytes(k->sizes->inputs) + plane_bytes(k->sizes->aux));
}

static size_t tails(const counted *k)
{
    return (size_t)(k->sizes->fields + k->sizes->inputs);
}

static size_t g1_bytes(const counted *k)
{
    return cz_params_read_bytes(k->pool) +
           cz_list_sum_bytes_g1(k->pool, tails(k), 0, cz_key_h_chunk(k->sizes->log_n));
}

static size_t g2_bytes(const counted *k)
{
    const size_t most = (size_t)k->sizes->b_points;

    return cz_params_read_bytes(k->pool) +
           cz_list_sum_bytes_g2(k->pool, most < tails(k) ? most : tails(k), 0,
                                cz_key_h_chunk(k->sizes->log_n) / 2);
}

static void list_parts(cz_memory_part parts[CZ_MEMORY_PARTS], const counted *k)
{
    const size_t vector = vector_bytes(k), split = split_bytes(k);

    parts[0] = always("compiled circuit", k->sizes->circuit_bytes);
    parts[1] = always("densities", density_bytes(k));
    parts[2] = always("witness", witness_bytes(k));
    parts[3] = always("transform tables", cz_ntt_plan_bytes(k->sizes->log_n));
    parts[4] = (cz_memory_part){"vectors of the domain", {2 * vector, vector, 0, 0}};
    parts[5] = (cz_memory_part){"scratch of rows, transforms", {row_scratch(k), 0, 0, 0}};
    parts[6] = (cz_memory_part){"points of H", {0, h_points(k), 0, 0}};
    parts[7] = (cz_memory_part){"planes of ones and others", {0, 0, split, split}};
    parts[8] = (cz_memory_part){"scratch of sums", {0, h_scratch(k), g1_bytes(k), g2_bytes(k)}};
}

void cz_prove_memory_bound(cz_prove_memory *out, const cz_prove_sizes *sizes, cz_pool *pool)
{
    const counted k = {sizes, pool};

    *out = (cz_prove_memory){.peak = 0};
    list_parts(out->parts, &k);
    for (int stage = 0; stage < CZ_MEMORY_STAGES; stage++) {
        for (int i = 0; i < CZ_MEMORY_PARTS; i++)
            out->total[stage] += out->parts[i].bytes[stage];
        out->peak = larger(out->peak, out->total[stage]);
    }
}

void cz_prove_memory_count(cz_prove_memory *out, const cz_compiled *circuit, cz_pool *pool)
{
    const cz_circuit_stats stats = cz_compiled_stats(circuit);
    const cz_compiled_sizes compiled = cz_compiled_measure(circuit);
    cz_prove_sizes sizes = {.inputs = stats.inputs,
                            .aux = stats.aux,
                            .fields = compiled.n_fields,
                            .b_points = stats.dens_b_aux + stats.dens_b_input,
                            .circuit_bytes = compiled.memory_bytes,
                            .row_scratch = cz_compiled_eval_bytes(circuit, pool)};

    sizes.log_n = cz_ntt_log_n(cz_compiled_rows(circuit));
    cz_prove_memory_bound(out, &sizes, pool);
}
