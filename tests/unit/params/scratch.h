/* scratch.h: a folder of a test's own, made before it and removed after it. Include with
 * _GNU_SOURCE. */
#ifndef CZ_TESTS_SCRATCH_H
#define CZ_TESTS_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>

#include "support.h"

static char scratch_folder[64];

static inline int scratch_make(void **state)
{
    (void)state;
    (void)snprintf(scratch_folder, sizeof scratch_folder, "cz-test-params-XXXXXX");
    return mkdtemp(scratch_folder) == NULL;
}

static inline int scratch_remove(void **state)
{
    char command[128];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    return system(command);
}

/* The path of `name` in the folder, in a ring of buffers. */
static inline const char *scratch_path(const char *name)
{
    static char ring[8][256];
    static unsigned next;
    char *path = ring[next++ % 8];

    (void)snprintf(path, sizeof ring[0], "%s/%s", scratch_folder, name);
    return path;
}

static inline void write_bytes(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

#endif
