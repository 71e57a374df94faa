/* manifest.c: see manifest.h. */
#define _GNU_SOURCE
#include "params/manifest.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/json.h"

enum { MANIFEST_MAX_BYTES = 4 << 20 };

static cz_err read_entry(cz_manifest_entry *e, cz_json v)
{
    cz_json field;
    const char *hex;
    size_t n;

    CZ_TRY(cz_json_get(v, "digest", &field));
    CZ_TRY_IN(cz_json_string(field, &hex, &n), "digest");
    if (!cz_hex_decode(e->digest, sizeof e->digest, hex, n))
        return cz_fail(CZ_E_INPUT, "digest: not %d hex digits", 2 * CZ_PARAM_DIGEST_BYTES);
    CZ_TRY(cz_json_get(v, "sector_size", &field));
    CZ_TRY_IN(cz_json_u64(field, &e->sector_size), "sector_size");
    return CZ_OK;
}

static cz_err read_entries(cz_manifest *m, cz_json root)
{
    cz_json_iter it;
    cz_json value;
    const char *key;
    size_t n;

    if (cz_json_typeof(root) != CZ_JSON_OBJECT)
        return cz_fail(CZ_E_INPUT, "not a list of parameter files: no object");
    CZ_TRY(cz_json_size(root, &n));
    m->entries = calloc(n > 0 ? n : 1, sizeof *m->entries);
    if (m->entries == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu entries", n);
    CZ_TRY(cz_json_iterate(root, &it));
    while (m->n < n && cz_json_next(&it, &value, &key)) {
        cz_manifest_entry *e = &m->entries[m->n];

        e->name = strdup(key);
        if (e->name == NULL)
            return cz_fail(CZ_E_NOMEM, "no memory for %zu entries", n);
        m->n++;
        CZ_TRY_IN(read_entry(e, value), "%s", key);
    }
    return CZ_OK;
}

cz_err cz_manifest_read(cz_manifest *out, const char *path)
{
    cz_manifest m = {0};
    cz_json_doc *doc = NULL;
    uint8_t *text = NULL;
    cz_json root;
    size_t n;
    cz_err err;

    CZ_TRY(cz_file_read(path, MANIFEST_MAX_BYTES, &text, &n));
    err = cz_json_parse(&doc, &root, (const char *)text, n);
    free(text);
    if (err == CZ_OK)
        err = read_entries(&m, root);
    cz_json_destroy(doc);
    if (err == CZ_OK && (m.path = strdup(path)) == NULL)
        err = cz_fail(CZ_E_NOMEM, "no memory");
    if (err != CZ_OK) {
        cz_manifest_clear(&m);
        return cz_fail_in(err, "%s", path);
    }
    *out = m;
    return CZ_OK;
}

void cz_manifest_clear(cz_manifest *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->entries[i].name);
    free(m->entries);
    free(m->path);
    *m = (cz_manifest){0};
}

const cz_manifest_entry *cz_manifest_find(const cz_manifest *m, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;

    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->entries[i].name, name) == 0)
            return &m->entries[i];
    return NULL;
}

static cz_err find_entry(const cz_manifest *m, const char *path, const cz_manifest_entry **out)
{
    *out = cz_manifest_find(m, path);
    if (*out == NULL)
        return cz_fail(CZ_E_NOTFOUND, "%s: no such name in %s", path, m->path);
    return CZ_OK;
}

static cz_err compare(const cz_manifest *m, const cz_manifest_entry *e, const char *path,
                      const uint8_t digest[CZ_PARAM_DIGEST_BYTES])
{
    char wanted[2 * CZ_PARAM_DIGEST_BYTES + 1], found[2 * CZ_PARAM_DIGEST_BYTES + 1];

    if (memcmp(digest, e->digest, CZ_PARAM_DIGEST_BYTES) == 0)
        return CZ_OK;
    cz_hex_encode(wanted, e->digest, sizeof e->digest);
    cz_hex_encode(found, digest, CZ_PARAM_DIGEST_BYTES);
    return cz_fail(CZ_E_INPUT, "%s: digest %s, but %s says %s: damaged, or another file", path,
                   found, m->path, wanted);
}

cz_err cz_manifest_check_map(const cz_manifest *m, const char *path, const uint8_t *map, size_t n,
                             cz_digest_progress_fn progress, void *ctx)
{
    const cz_manifest_entry *e;
    uint8_t digest[CZ_PARAM_DIGEST_BYTES];

    CZ_TRY(find_entry(m, path, &e));
    CZ_TRY(cz_params_digest_map(digest, map, n, progress, ctx));
    return compare(m, e, path, digest);
}

cz_err cz_manifest_check(const cz_manifest *m, const char *path, cz_digest_progress_fn progress,
                         void *ctx)
{
    const cz_manifest_entry *e;
    uint8_t digest[CZ_PARAM_DIGEST_BYTES];

    CZ_TRY(find_entry(m, path, &e));
    CZ_TRY(cz_params_digest(digest, path, progress, ctx));
    return compare(m, e, path, digest);
}
