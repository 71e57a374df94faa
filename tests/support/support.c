#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t random_state = 0x9e3779b97f4a7c15u;

void cz_test_assert_ok(cz_err err, const char *what, const char *file, int line)
{
    if (err == CZ_OK)
        return;
    print_error("%s:%d: %s: error %d: %s\n", file, line, what, (int)err, cz_err_message());
    _fail(file, line);
}

void cz_test_assert_fails(cz_err err, cz_err code, const char *text, const char *what,
                          const char *file, int line)
{
    if (err == code && strstr(cz_err_message(), text) != NULL)
        return;
    print_error("%s:%d: %s: wanted error %d with \"%s\", got %d with \"%s\"\n", file, line, what,
                (int)code, text, (int)err, cz_err_message());
    _fail(file, line);
}

static char *next_buffer(void)
{
    static char ring[8][4096];
    static unsigned next;

    return ring[next++ % 8];
}

const char *cz_vector_path(const char *relative)
{
    char *path = next_buffer();

    (void)snprintf(path, 4096, "%s/%s", CZ_TEST_VECTORS_DIR, relative);
    return path;
}

const char *cz_shared_vector_path(const char *relative)
{
    char *path = next_buffer();

    (void)snprintf(path, 4096, "%s/%s", CZ_SHARED_VECTORS_DIR, relative);
    return access(path, R_OK) == 0 ? path : NULL;
}

uint8_t *cz_test_read(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes;
    long size;

    if (f == NULL)
        fail_msg("cannot open %s", path);
    (void)fseek(f, 0, SEEK_END);
    size = ftell(f);
    (void)fseek(f, 0, SEEK_SET);
    bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    *n = fread(bytes, 1, (size_t)size, f);
    assert_int_equal(*n, size);
    bytes[*n] = 0;
    (void)fclose(f);
    return bytes;
}

uint64_t cz_test_random(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1du;
}

void cz_test_random_bytes(uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(cz_test_random() >> 32);
}

/* A filter that matches nothing would count as success. */
static void require_case(const char *name, const struct CMUnitTest *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(cases[i].name, name) == 0)
            return;
    (void)fprintf(stderr, "there is no case named %s\n", name);
    exit(2);
}

void cz_test_begin(int argc, char **argv, const struct CMUnitTest *cases, size_t n)
{
    const char *seed = getenv("CZ_TEST_SEED");

    if (seed != NULL)
        random_state = strtoull(seed, NULL, 0) | 1;
    (void)printf("seed 0x%llx\n", (unsigned long long)random_state);
    if (argc > 1) {
        require_case(argv[1], cases, n);
        cmocka_set_test_filter(argv[1]);
    }
}
