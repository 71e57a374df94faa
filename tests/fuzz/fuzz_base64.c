/* Base64: what decodes must encode back to the same characters, blanks, padding and alphabet
 * aside. */
#include "fuzz.h"

#include <string.h>

#include "base/base64.h"

static char plain(char c)
{
    return (char)(c == '-' ? '+' : c == '_' ? '/' : c);
}

static void require_same_text(const char *encoded, const uint8_t *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = plain((char)text[i]);

        if (strchr(" \t\r\n=", c) == NULL)
            FUZZ_REQUIRE(*encoded++ == c);
    }
    FUZZ_REQUIRE(strspn(encoded, "=") == strlen(encoded));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    uint8_t *out = malloc(cz_base64_max_decoded(n));
    size_t out_len;

    if (out != NULL && cz_base64_decode(out, &out_len, (const char *)bytes, n) == CZ_OK) {
        char *back = malloc(cz_base64_encoded_len(out_len) + 1);

        FUZZ_REQUIRE(out_len <= cz_base64_max_decoded(n));
        if (back != NULL) {
            cz_base64_encode(back, out, out_len);
            require_same_text(back, bytes, n);
        }
        free(back);
    }
    free(out);
    return 0;
}
