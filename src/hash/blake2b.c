/* blake2b.c: see blake2b.h. */
#include "hash/blake2b.h"

#include <openssl/evp.h>
#include <stdlib.h>

struct cz_blake2b {
    EVP_MD_CTX *md;
};

cz_err cz_blake2b_create(cz_blake2b **out)
{
    cz_blake2b *s = malloc(sizeof *s);

    if (s == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a BLAKE2b state");
    s->md = EVP_MD_CTX_new();
    if (s->md == NULL || EVP_DigestInit_ex(s->md, EVP_blake2b512(), NULL) != 1) {
        cz_blake2b_destroy(s);
        return cz_fail(CZ_E_INTERNAL, "OpenSSL gives no BLAKE2b");
    }
    *out = s;
    return CZ_OK;
}

cz_err cz_blake2b_update(cz_blake2b *s, const void *bytes, size_t n)
{
    if (EVP_DigestUpdate(s->md, bytes, n) != 1)
        return cz_fail(CZ_E_INTERNAL, "OpenSSL's BLAKE2b failed");
    return CZ_OK;
}

cz_err cz_blake2b_final(cz_blake2b *s, uint8_t out[64])
{
    if (EVP_DigestFinal_ex(s->md, out, NULL) != 1)
        return cz_fail(CZ_E_INTERNAL, "OpenSSL's BLAKE2b failed");
    return CZ_OK;
}

void cz_blake2b_destroy(cz_blake2b *s)
{
    if (s == NULL)
        return;
    EVP_MD_CTX_free(s->md);
    free(s);
}

cz_err cz_blake2b_of(uint8_t out[64], const void *bytes, size_t n)
{
    cz_blake2b *s = NULL;
    cz_err err;

    CZ_TRY(cz_blake2b_create(&s));
    CZ_TRY_GOTO(err, cz_blake2b_update(s, bytes, n));
    CZ_TRY_GOTO(err, cz_blake2b_final(s, out));
done:
    cz_blake2b_destroy(s);
    return err;
}
