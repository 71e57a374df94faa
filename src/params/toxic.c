/* toxic.c: reading the toxic waste of a test setup. */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/json.h"
#include "params/setup.h"

static cz_err read_scalar(cz_fr *out, cz_json root, const char *name)
{
    uint8_t bytes[32];
    const char *hex;
    cz_json field;
    size_t n;

    CZ_TRY(cz_json_get(root, name, &field));
    CZ_TRY_IN(cz_json_string(field, &hex, &n), "%s", name);
    if (!cz_hex_decode(bytes, sizeof bytes, hex, n))
        return cz_fail(CZ_E_INPUT, "%s: not 64 hex digits", name);
    if (!cz_fr_from_le(out, bytes))
        return cz_fail(CZ_E_INPUT, "%s: not below the field's modulus", name);
    if (cz_fr_is_zero(out))
        return cz_fail(CZ_E_INPUT, "%s: zero", name);
    return CZ_OK;
}

static cz_err read_all(cz_toxic_waste *w, cz_json root)
{
    CZ_TRY(read_scalar(&w->alpha, root, "alpha"));
    CZ_TRY(read_scalar(&w->beta, root, "beta"));
    CZ_TRY(read_scalar(&w->gamma, root, "gamma"));
    CZ_TRY(read_scalar(&w->delta, root, "delta"));
    return read_scalar(&w->tau, root, "tau");
}

cz_err cz_toxic_waste_read(cz_toxic_waste *out, const char *path)
{
    cz_json_doc *doc = NULL;
    uint8_t *text;
    cz_json root;
    size_t n;
    cz_err err;

    CZ_TRY(cz_file_read(path, 1 << 16, &text, &n));
    err = cz_json_parse(&doc, &root, (const char *)text, n);
    if (err == CZ_OK)
        err = read_all(out, root);
    cz_json_destroy(doc);
    free(text);
    return err == CZ_OK ? CZ_OK : cz_fail_in(err, "%s", path);
}
