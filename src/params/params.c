/* params.c: opening a parameter file: map, frame, verifying key. */
#define _GNU_SOURCE
#include "params/params.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "params/frame.h"
#include "params/origin.h"

/* A list that ends exactly where the vk does is the commonest mix-up: the .vk file itself. */
static cz_err refuse_bare_vk(const cz_reader *r, const char *path)
{
    if (r->left > 0)
        return CZ_OK;
    return cz_fail(CZ_E_INPUT,
                   "%s: too short: it ends after the verifying key (a .vk file in the place of a "
                   ".params?)",
                   path);
}

static bool is_power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* What holds between the lists of any circuit; spliced and shifted files fail here. */
static cz_err check_counts(const cz_params *p)
{
    if (!is_power_of_two((uint64_t)p->h.n + 1))
        return cz_fail(CZ_E_INPUT, "%s: h: %" PRIu32 " points, not a power of two less one",
                       p->path, p->h.n);
    if (p->b_g1.n != p->b_g2.n)
        return cz_fail(CZ_E_INPUT,
                       "%s: b_g2: %" PRIu32 " points, but b_g1 has %" PRIu32
                       " and both need the same",
                       p->path, p->b_g2.n, p->b_g1.n);
    if (p->a.n > (uint64_t)p->vk.n_ic + p->l.n || p->b_g1.n > (uint64_t)p->vk.n_ic + p->l.n)
        return cz_fail(
            CZ_E_INPUT,
            "%s: %s: more points than the %" PRIu32 " inputs and %" PRIu32 " variables of ic and l",
            p->path, p->a.n > (uint64_t)p->vk.n_ic + p->l.n ? "a" : "b_g1", p->vk.n_ic, p->l.n);
    return CZ_OK;
}

// NOLINTBEGIN(clang-analyzer-unix.Malloc): the caller releases *p, its path too, on failure
static cz_err read_frame(cz_params *p, const cz_params_options *options)
{
    cz_reader r = cz_reader_init(p->map, p->map_bytes);

    CZ_TRY(
        cz_frame_refuse_foreign(p->path, "parameter file", p->map, p->map_bytes, CZ_VK_HEAD_BYTES));
    CZ_TRY(cz_frame_vk(&p->vk, &r, p->path, options->pool));
    CZ_TRY(refuse_bare_vk(&r, p->path));
    CZ_TRY(cz_frame_list(&r, p->path, "h", CZ_G1_UNCOMPRESSED_BYTES, &p->h));
    CZ_TRY(cz_frame_list(&r, p->path, "l", CZ_G1_UNCOMPRESSED_BYTES, &p->l));
    CZ_TRY(cz_frame_list(&r, p->path, "a", CZ_G1_UNCOMPRESSED_BYTES, &p->a));
    CZ_TRY(cz_frame_list(&r, p->path, "b_g1", CZ_G1_UNCOMPRESSED_BYTES, &p->b_g1));
    CZ_TRY(cz_frame_list(&r, p->path, "b_g2", CZ_G2_UNCOMPRESSED_BYTES, &p->b_g2));
    if (r.left > 0 && !options->allow_trailing)
        return cz_fail(CZ_E_INPUT, "%s: %zu bytes after the last point of b_g2 (byte %zu)", p->path,
                       r.left, r.offset);
    p->trailing_bytes = r.left;
    return check_counts(p);
}
// NOLINTEND(clang-analyzer-unix.Malloc)

cz_err cz_frame_map(cz_params *p, const char *path)
{
    int fd;

    *p = (cz_params){.fd = -1, .path = strdup(path)};
    if (p->path == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory", path);
    CZ_TRY(cz_file_map_open(path, &p->map, &p->map_bytes, &fd));
    p->fd = fd;
    return CZ_OK;
}

/* They verify against their own key, so nothing else would tell before the network does. */
static void say_origin(const cz_params *p)
{
    if (cz_params_origin_of(p) == CZ_ORIGIN_OTHER)
        cz_log(
            CZ_LOG_WARN,
            "%s: the key does not begin as the network's keys do: if these parameters of %s were "
            "made for tests, the network accepts no proof made with them",
            p->path, cz_params_circuit_id(p));
}

static cz_err check_digest(const cz_params *p, const cz_params_options *o)
{
    if (o->manifest == NULL)
        return CZ_OK;
    return cz_manifest_check_map(o->manifest, p->path, p->map, p->map_bytes, o->progress,
                                 o->progress_ctx);
}

cz_err cz_params_open_with(cz_params *out, const char *path, const cz_params_options *options)
{
    cz_params p;
    cz_err err = cz_frame_map(&p, path);

    if (err == CZ_OK)
        err = check_digest(&p, options);
    if (err == CZ_OK)
        err = read_frame(&p, options);
    if (err != CZ_OK) {
        cz_params_close(&p);
        return err;
    }
    say_origin(&p);
    *out = p;
    return CZ_OK;
}

cz_err cz_params_open(cz_params *out, const char *path)
{
    const cz_params_options options = {.pool = NULL, .allow_trailing = false};

    return cz_params_open_with(out, path, &options);
}

void cz_params_close(cz_params *p)
{
    cz_vk_clear(&p->vk);
    cz_file_unmap(p->map, p->map_bytes);
    if (p->path != NULL && p->fd >= 0) /* a zeroed structure may be closed too */
        (void)close(p->fd);
    free(p->path);
    *p = (cz_params){.fd = -1};
}
