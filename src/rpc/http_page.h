/* http_page.h: the dashboard's page, embedded at build time, and the policy that it is served
 * under.
 *
 * Content Security Policy [CSP3]: nothing is loaded or run but the page's own <style> and <script>,
 * which are admitted by their SHA-256, and what the script fetches from the server that sent it.
 * So text from a job can never run, even where the page would forget to escape it. */
#ifndef CZ_RPC_HTTP_PAGE_H
#define CZ_RPC_HTTP_PAGE_H

#include <stddef.h>

#include "base/err.h"

enum { CZ_HTTP_POLICY_BYTES = 512 };

/** The page, n bytes without a final NUL. */
const char *cz_http_page(size_t *n);

/** The policy of a page with one <style>…</style> and one <script>…</script> without attributes.
 * CZ_E_INTERNAL: it has other ones. */
CZ_MUST_CHECK cz_err cz_http_page_policy(char out[CZ_HTTP_POLICY_BYTES], const char *page,
                                         size_t n);

#endif
