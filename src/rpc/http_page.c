/* http_page.c: see http_page.h. */
#define _GNU_SOURCE
#include "rpc/http_page.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "hash/sha256.h"
#include "rpc/dashboard.h" /* generated from dashboard/dashboard.html */

const char *cz_http_page(size_t *n)
{
    *n = cz_dashboard_size;
    return (const char *)cz_dashboard;
}

static const char *find(const char *from, const char *end, const char *what)
{
    return memmem(from, (size_t)(end - from), what, strlen(what));
}

/* What stands between the only `open` and the only `close`: its digest in base64. */
static cz_err digest_of(char out[48], const char *page, const char *end, const char *open,
                        const char *close)
{
    const char *begin = find(page, end, open), *stop;
    uint8_t digest[32];

    if (begin == NULL || find(begin + 1, end, open) != NULL)
        return cz_fail(CZ_E_INTERNAL, "the page has no %s or several", open);
    begin += strlen(open);
    stop = find(begin, end, close);
    if (stop == NULL)
        return cz_fail(CZ_E_INTERNAL, "the page has no %s", close);
    cz_sha256_of(digest, begin, (size_t)(stop - begin));
    cz_base64_encode(out, digest, sizeof digest);
    return CZ_OK;
}

cz_err cz_http_page_policy(char out[CZ_HTTP_POLICY_BYTES], const char *page, size_t n)
{
    char style[48], script[48];

    CZ_TRY(digest_of(style, page, page + n, "<style>", "</style>"));
    CZ_TRY(digest_of(script, page, page + n, "<script>", "</script>"));
    (void)snprintf(out, CZ_HTTP_POLICY_BYTES,
                   "default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; "
                   "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                   "frame-ancestors 'none'",
                   style, script);
    return CZ_OK;
}
