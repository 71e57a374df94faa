/* Settings: what is read, printed and read again prints the same. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <string.h>

#include "config/config.h"

static void say_nothing(void *ctx, const char *sentence)
{
    (void)ctx;
    FUZZ_REQUIRE(sentence[0] != '\0');
}

static char *print(const cz_config *config, size_t *n)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, n);

    FUZZ_REQUIRE(out != NULL);
    FUZZ_REQUIRE(cz_config_print(config, out) == CZ_OK);
    FUZZ_REQUIRE(fclose(out) == 0);
    return text;
}

static void read_back(const char *text, size_t n)
{
    cz_config again;
    char *other;
    size_t other_n;

    FUZZ_REQUIRE(cz_config_parse(&again, text, n, "printed", say_nothing, NULL) == CZ_OK);
    other = print(&again, &other_n);
    FUZZ_REQUIRE(other_n == n && memcmp(other, text, n) == 0);
    free(other);
    cz_config_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    cz_config config;
    char *text;
    size_t text_n;

    if (cz_config_parse(&config, (const char *)bytes, n, "input", say_nothing, NULL) != CZ_OK) {
        FUZZ_REQUIRE(cz_err_message()[0] != '\0');
        return 0;
    }
    text = print(&config, &text_n);
    read_back(text, text_n);
    free(text);
    cz_config_clear(&config);
    return 0;
}
