/* vk.c: verifying keys, to and from their file form. */
#include <inttypes.h>
#include <stdlib.h>

#include "params/frame.h"

/* --- the six points --- */

static cz_err take_g1(cz_g1_affine *p, cz_reader *r, const char *name, const char *section)
{
    const uint8_t *bytes;

    CZ_TRY_IN(cz_read_bytes(r, &bytes, CZ_G1_UNCOMPRESSED_BYTES, section), "%s", name);
    CZ_TRY_IN(cz_g1_deserialize(p, bytes), "%s: %s", name, section);
    if (cz_g1_affine_is_infinity(p))
        return cz_fail(CZ_E_INPUT, "%s: %s: the point at infinity", name, section);
    return CZ_OK;
}

static cz_err take_g2(cz_g2_affine *p, cz_reader *r, const char *name, const char *section)
{
    const uint8_t *bytes;

    CZ_TRY_IN(cz_read_bytes(r, &bytes, CZ_G2_UNCOMPRESSED_BYTES, section), "%s", name);
    CZ_TRY_IN(cz_g2_deserialize(p, bytes), "%s: %s", name, section);
    if (cz_g2_affine_is_infinity(p))
        return cz_fail(CZ_E_INPUT, "%s: %s: the point at infinity", name, section);
    return CZ_OK;
}

/* --- ic --- */

typedef struct {
    const char *name;
    const uint8_t *bytes;
    cz_g1_affine *out;
} ic_job;

static cz_err parse_ic_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const ic_job *job = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        CZ_TRY_IN(cz_g1_deserialize(&job->out[i], job->bytes + i * CZ_G1_UNCOMPRESSED_BYTES),
                  "%s: ic[%zu]", job->name, i);
        if (cz_g1_affine_is_infinity(&job->out[i]))
            return cz_fail(CZ_E_INPUT, "%s: ic[%zu]: the point at infinity", job->name, i);
    }
    return CZ_OK;
}

static cz_err parse_ic(cz_vk *vk, cz_reader *r, const char *name, cz_pool *pool)
{
    cz_point_list list;
    ic_job job = {.name = name};

    CZ_TRY(cz_frame_list(r, name, "ic", CZ_G1_UNCOMPRESSED_BYTES, &list));
    if (list.n == 0)
        return cz_fail(CZ_E_INPUT, "%s: ic: no points; the constant one has at least its own",
                       name);
    vk->ic = malloc((size_t)list.n * sizeof *vk->ic);
    if (vk->ic == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: ic: no memory for %" PRIu32 " points", name, list.n);
    vk->n_ic = list.n;
    job.bytes = list.bytes;
    job.out = vk->ic;
    return cz_parallel_for(pool, list.n, 64, parse_ic_range, &job);
}

static cz_err parse_all(cz_vk *vk, cz_reader *r, const char *name, cz_pool *pool)
{
    CZ_TRY(take_g1(&vk->alpha_g1, r, name, "alpha_g1"));
    CZ_TRY(take_g1(&vk->beta_g1, r, name, "beta_g1"));
    CZ_TRY(take_g2(&vk->beta_g2, r, name, "beta_g2"));
    CZ_TRY(take_g2(&vk->gamma_g2, r, name, "gamma_g2"));
    CZ_TRY(take_g1(&vk->delta_g1, r, name, "delta_g1"));
    CZ_TRY(take_g2(&vk->delta_g2, r, name, "delta_g2"));
    return parse_ic(vk, r, name, pool);
}

cz_err cz_frame_vk(cz_vk *out, cz_reader *r, const char *name, cz_pool *pool)
{
    cz_vk vk = {0};
    cz_err err = parse_all(&vk, r, name, pool);

    if (err != CZ_OK) {
        cz_vk_clear(&vk);
        return err;
    }
    *out = vk;
    return CZ_OK;
}

/* --- the public functions --- */

cz_err cz_vk_parse_pool(cz_vk *out, const uint8_t *bytes, size_t n, const char *name, cz_pool *pool)
{
    cz_reader r = cz_reader_init(bytes, n);

    CZ_TRY(cz_frame_refuse_foreign(name, "verifying key", bytes, n, CZ_VK_HEAD_BYTES));
    CZ_TRY(cz_frame_vk(out, &r, name, pool));
    if (r.left > 0) {
        cz_vk_clear(out);
        return cz_fail(CZ_E_INPUT,
                       "%s: %zu bytes after the last ic point (a .params file in the place of a "
                       ".vk?)",
                       name, r.left);
    }
    return CZ_OK;
}

cz_err cz_vk_parse(cz_vk *out, const uint8_t *bytes, size_t n, const char *name)
{
    return cz_vk_parse_pool(out, bytes, n, name, NULL);
}

cz_err cz_vk_read(cz_vk *out, const char *path)
{
    const uint8_t *bytes;
    size_t n;
    cz_err err;

    CZ_TRY(cz_file_map(path, &bytes, &n));
    err = cz_vk_parse(out, bytes, n, path);
    cz_file_unmap(bytes, n);
    return err;
}

void cz_vk_clear(cz_vk *vk)
{
    free(vk->ic);
    *vk = (cz_vk){0};
}

size_t cz_vk_bytes(const cz_vk *vk)
{
    return CZ_VK_HEAD_BYTES + (size_t)vk->n_ic * CZ_G1_UNCOMPRESSED_BYTES;
}

void cz_vk_serialize(uint8_t *out, const cz_vk *vk)
{
    cz_g1_serialize(out, &vk->alpha_g1);
    cz_g1_serialize(out + 96, &vk->beta_g1);
    cz_g2_serialize(out + 192, &vk->beta_g2);
    cz_g2_serialize(out + 384, &vk->gamma_g2);
    cz_g1_serialize(out + 576, &vk->delta_g1);
    cz_g2_serialize(out + 672, &vk->delta_g2);
    cz_store_be32(out + 864, vk->n_ic);
    for (uint32_t i = 0; i < vk->n_ic; i++)
        cz_g1_serialize(out + CZ_VK_HEAD_BYTES + (size_t)i * 96, &vk->ic[i]);
}
