/* Parameter files: open, check every point, load the lists. The bytes become a file in memory. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "params/params.h"

static int memory_file(const uint8_t *bytes, size_t n)
{
    int fd = memfd_create("params", MFD_CLOEXEC);

    FUZZ_REQUIRE(fd >= 0);
    FUZZ_REQUIRE(write(fd, bytes, n) == (ssize_t)n);
    return fd;
}

static void load_g1(const cz_params *p, const cz_point_list *list)
{
    cz_g1_affine *points = calloc(list->n + (size_t)1, sizeof *points);

    FUZZ_REQUIRE(points != NULL);
    (void)!cz_params_load_g1(p, list, NULL, 0, list->n, points);
    free(points);
}

static void load_g2(const cz_params *p, const cz_point_list *list)
{
    cz_g2_affine *points = calloc(list->n + (size_t)1, sizeof *points);

    FUZZ_REQUIRE(points != NULL);
    (void)!cz_params_load_g2(p, list, NULL, 0, list->n, points);
    free(points);
}

static void use(const cz_params *p)
{
    (void)!cz_params_check_points(p, NULL);
    (void)cz_params_circuit_id(p);
    load_g1(p, &p->h);
    load_g1(p, &p->l);
    load_g1(p, &p->a);
    load_g1(p, &p->b_g1);
    load_g2(p, &p->b_g2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    int fd = memory_file(bytes, n);
    char path[64];
    cz_params p;

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (cz_params_open(&p, path) == CZ_OK) {
        use(&p);
        cz_params_close(&p);
    }
    (void)close(fd);
    return 0;
}
