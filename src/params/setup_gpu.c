/* setup_gpu.c: see setup_gpu.h. */
#include "params/setup_gpu.h"

#include <stdlib.h>

#include "msm/msm.h"
#include "params/setup_device.h"

enum {
    MOST_BYTES = 96 << 20, /* of a chunk's points */
    WIDE = 16,             /* bits of a window: 50 MB of table for G1, 100 for G2 */
    NARROW = 8,            /* where few points do not pay for that: 0.4 MB, twice the additions */
    PAYS_FROM = 1 << 20
};

static const size_t point_bytes[CZ_GPU_GROUPS] = {CZ_G1_UNCOMPRESSED_BYTES,
                                                  CZ_G2_UNCOMPRESSED_BYTES};

/* A chunk on its way. */
typedef struct {
    cz_fr *scalars, *d_scalars;
    uint8_t *bytes, *d_bytes;
    cz_gpu_event *computed, *copied;
    cz_gpu_group group;
    size_t n;
} slot;

struct cz_setup_gpu {
    cz_gpu *gpu;
    size_t chunk[CZ_GPU_GROUPS];
    unsigned c[CZ_GPU_GROUPS]; /* bits of a window */
    void *d_table[CZ_GPU_GROUPS];
    void *d_scratch;
    slot slots[2];
    unsigned begun, ended; /* chunks */
};

/* ---- tables ---- */

/* The odd multiples of each window's power of 2, as setup_device.h has them. The top window's that
 * would not be below r are never asked for; they get the scalar 0. */
static void fill_table_scalars(cz_u256 *scalars, unsigned c)
{
    const size_t each = (size_t)1 << (c - 1);

    for (unsigned bit = 0; bit < CZ_SETUP_SCALAR_BITS; bit += c)
        for (size_t i = 0; i < each; i++, scalars++) {
            const uint64_t v = 2 * i + 1;

            *scalars = (cz_u256){{0, 0, 0, 0}};
            if (bit + c < CZ_SETUP_SCALAR_BITS || v <= cz_fr_modulus[3] >> (64 - c))
                scalars->l[bit / 64] = v << (bit % 64);
        }
}

cz_err cz_setup_table(void *points, cz_gpu_group group, unsigned c, cz_pool *pool)
{
    const size_t n = cz_setup_table_points(c);
    cz_u256 *scalars = malloc(n * sizeof *scalars);
    cz_err err;

    if (scalars == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a table of multiples");
    fill_table_scalars(scalars, c);
    if (group == CZ_GPU_G1)
        err = cz_fixed_base_g1(pool, points, &cz_g1_generator, scalars, n);
    else
        err = cz_fixed_base_g2(pool, points, &cz_g2_generator, scalars, n);
    free(scalars);
    return err;
}

static cz_err make_table(cz_setup_gpu *s, cz_gpu_group group, cz_pool *pool)
{
    const size_t bytes = cz_setup_table_points(s->c[group]) * point_bytes[group];
    void *points = malloc(bytes);
    cz_err err;

    if (points == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a table of multiples");
    CZ_TRY_GOTO(err, cz_setup_table(points, group, s->c[group], pool));
    CZ_TRY_GOTO(err, cz_gpu_take_to(s->gpu, CZ_GPU_DEVICE_MEMORY, &s->d_table[group], bytes,
                                    "a table of the generator's multiples"));
    CZ_TRY_GOTO(err, cz_gpu_copy(s->gpu, CZ_GPU_COMPUTE, s->d_table[group], points, bytes));
    CZ_TRY_GOTO(err, cz_gpu_sync(s->gpu));
done:
    free(points);
    return err;
}

/* ---- buffers ---- */

static size_t choose_chunk(cz_gpu_group group, size_t longest)
{
    const size_t most = MOST_BYTES / point_bytes[group];

    if (longest > most)
        return most;
    return longest > CZ_SETUP_GPU_LEAST ? longest : CZ_SETUP_GPU_LEAST;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static cz_err make_slot(cz_gpu *gpu, slot *t, size_t scalar_bytes, size_t bytes)
{
    static const char what[] = "points of a setup";

    CZ_TRY(cz_gpu_take_to(gpu, CZ_GPU_PINNED_MEMORY, &t->scalars, scalar_bytes, what));
    CZ_TRY(cz_gpu_take_to(gpu, CZ_GPU_PINNED_MEMORY, &t->bytes, bytes, what));
    CZ_TRY(cz_gpu_take_to(gpu, CZ_GPU_DEVICE_MEMORY, &t->d_scalars, scalar_bytes, what));
    CZ_TRY(cz_gpu_take_to(gpu, CZ_GPU_DEVICE_MEMORY, &t->d_bytes, bytes, what));
    CZ_TRY(cz_gpu_event_create(gpu, &t->computed));
    return cz_gpu_event_create(gpu, &t->copied);
}

static cz_err make_buffers(cz_setup_gpu *s)
{
    const size_t g1 = s->chunk[CZ_GPU_G1], g2 = s->chunk[CZ_GPU_G2];
    const size_t bytes = larger(g1 * point_bytes[CZ_GPU_G1], g2 * point_bytes[CZ_GPU_G2]);
    const size_t scratch = CZ_SETUP_SCRATCH * (bytes / 2); /* a point has two coordinates */

    CZ_TRY(cz_gpu_take_to(s->gpu, CZ_GPU_DEVICE_MEMORY, &s->d_scratch, scratch,
                          "the sums of points of a setup"));
    for (int i = 0; i < 2; i++)
        CZ_TRY(make_slot(s->gpu, &s->slots[i], larger(g1, g2) * sizeof(cz_fr), bytes));
    return CZ_OK;
}

static cz_err prepare(cz_setup_gpu *s, const size_t longest[CZ_GPU_GROUPS], cz_pool *pool)
{
    for (cz_gpu_group g = CZ_GPU_G1; g < CZ_GPU_GROUPS; g++) {
        s->chunk[g] = choose_chunk(g, longest[g]);
        s->c[g] = longest[g] >= PAYS_FROM ? WIDE : NARROW;
    }
    CZ_TRY(make_buffers(s));
    for (cz_gpu_group g = CZ_GPU_G1; g < CZ_GPU_GROUPS; g++)
        if (longest[g] > 0)
            CZ_TRY(make_table(s, g, pool));
    return CZ_OK;
}

cz_err cz_setup_gpu_create(cz_gpu *gpu, cz_setup_gpu **out, const size_t longest[CZ_GPU_GROUPS],
                           cz_pool *pool)
{
    cz_setup_gpu *s = calloc(1, sizeof *s);
    cz_err err;

    if (s == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a setup");
    s->gpu = gpu;
    err = prepare(s, longest, pool);
    if (err != CZ_OK) {
        cz_setup_gpu_destroy(s);
        return err;
    }
    *out = s;
    return CZ_OK;
}

void cz_setup_gpu_destroy(cz_setup_gpu *s)
{
    if (s == NULL)
        return;
    for (int i = 0; i < 2; i++) {
        slot *t = &s->slots[i];

        cz_gpu_give_back(s->gpu, t->d_scalars);
        cz_gpu_give_back(s->gpu, t->d_bytes);
        cz_gpu_give_back(s->gpu, t->scalars);
        cz_gpu_give_back(s->gpu, t->bytes);
        cz_gpu_event_destroy(t->computed);
        cz_gpu_event_destroy(t->copied);
    }
    for (int g = 0; g < CZ_GPU_GROUPS; g++)
        cz_gpu_give_back(s->gpu, s->d_table[g]);
    cz_gpu_give_back(s->gpu, s->d_scratch);
    free(s);
}

size_t cz_setup_gpu_chunk(const cz_setup_gpu *s, cz_gpu_group group)
{
    return s->chunk[group];
}

/* ---- chunks ---- */

cz_fr *cz_setup_gpu_scalars(cz_setup_gpu *s)
{
    CZ_ASSERT(s->begun - s->ended < 2);
    return s->slots[s->begun % 2].scalars;
}

cz_err cz_setup_gpu_begin(cz_setup_gpu *s, cz_gpu_group group, size_t n)
{
    slot *t = &s->slots[s->begun % 2];
    cz_gpu *gpu = s->gpu;
    const cz_gpu_backend *backend;

    CZ_ASSERT(s->begun - s->ended < 2 && n >= 1 && n <= s->chunk[group] &&
              s->d_table[group] != NULL);
    CZ_TRY(cz_gpu_load(&backend));
    CZ_TRY(cz_gpu_copy(gpu, CZ_GPU_COMPUTE, t->d_scalars, t->scalars, n * sizeof *t->scalars));
    CZ_TRY(cz_gpu_result(backend->setup_multiples(gpu, group == CZ_GPU_G2, t->d_bytes,
                                                  s->d_table[group], s->c[group], t->d_scalars, n,
                                                  s->d_scratch)));
    CZ_TRY(cz_gpu_event_record(gpu, t->computed, CZ_GPU_COMPUTE));
    CZ_TRY(cz_gpu_event_wait(gpu, t->computed, CZ_GPU_COPY));
    CZ_TRY(cz_gpu_copy(gpu, CZ_GPU_COPY, t->bytes, t->d_bytes, n * point_bytes[group]));
    CZ_TRY(cz_gpu_event_record(gpu, t->copied, CZ_GPU_COPY));
    t->group = group;
    t->n = n;
    s->begun++;
    return CZ_OK;
}

static void encoded_multiple(uint8_t *bytes, cz_gpu_group group, const cz_fr *scalar)
{
    cz_g1_affine a1;
    cz_g2_affine a2;
    cz_u256 plain;
    cz_g1 p1;
    cz_g2 p2;

    cz_fr_to_u256(&plain, scalar);
    if (group == CZ_GPU_G1) {
        cz_g1_from_affine(&p1, &cz_g1_generator);
        cz_g1_mul_var(&p1, &p1, &plain);
        cz_g1_to_affine(&a1, &p1);
        cz_g1_serialize(bytes, &a1);
    } else {
        cz_g2_from_affine(&p2, &cz_g2_generator);
        cz_g2_mul_var(&p2, &p2, &plain);
        cz_g2_to_affine(&a2, &p2);
        cz_g2_serialize(bytes, &a2);
    }
}

static cz_err check_last(const slot *t)
{
    uint8_t want[CZ_G2_UNCOMPRESSED_BYTES];
    const size_t each = point_bytes[t->group];

    encoded_multiple(want, t->group, &t->scalars[t->n - 1]);
    if (memcmp(t->bytes + (t->n - 1) * each, want, each) != 0)
        return cz_fail(CZ_E_CUDA, "the device computes wrong multiples of the generator of G%d",
                       t->group == CZ_GPU_G1 ? 1 : 2);
    return CZ_OK;
}

cz_err cz_setup_gpu_end(cz_setup_gpu *s, const uint8_t **bytes, size_t *n)
{
    const slot *t = &s->slots[s->ended % 2];
    float ms;

    CZ_ASSERT(s->ended < s->begun);
    CZ_TRY(cz_gpu_event_ms(&ms, t->computed, t->copied)); /* asking for a time waits */
    s->ended++;
    CZ_TRY(check_last(t));
    *bytes = t->bytes;
    *n = t->n;
    return CZ_OK;
}
