/* Folded files: open, load the lists. Identity and checksum are put right first, so that what is
 * behind them is reached. The bytes become a file in memory, as do the parameters, of zeros. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "hash/sha256.h"
#include "params/folded.h"

enum { OF_H = 7, OF_L = 6, OF_IC = 3, INPUTS_AT = 16, IDENTITY_AT = 56, BITMAP_AT = 88 };
enum { OF_H_AT = CZ_VK_HEAD_BYTES + OF_IC * 96, OF_L_AT = OF_H_AT + OF_H * 96 };

static int memory_file(const uint8_t *bytes, size_t n)
{
    int fd = memfd_create("folded", MFD_CLOEXEC);

    FUZZ_REQUIRE(fd >= 0);
    FUZZ_REQUIRE(write(fd, bytes, n) == (ssize_t)n);
    return fd;
}

static const cz_params *parameters(void)
{
    static uint8_t bytes[OF_L_AT + OF_L * 96];
    static char path[] = "of.params";
    static cz_params of = {.path = path,
                           .fd = -1,
                           .map = bytes,
                           .map_bytes = sizeof bytes,
                           .vk = {.n_ic = OF_IC},
                           .h = {bytes + OF_H_AT, OF_H},
                           .l = {bytes + OF_L_AT, OF_L}};

    if (of.fd < 0)
        of.fd = memory_file(bytes, sizeof bytes);
    return &of;
}

static void put_right(uint8_t *bytes, size_t n)
{
    size_t sum_at;

    if (n < BITMAP_AT)
        return;
    FUZZ_REQUIRE(cz_folded_identity(bytes + IDENTITY_AT, parameters()) == CZ_OK);
    sum_at = BITMAP_AT + 8 * cz_folded_bitmap_words(cz_load_le32(bytes + INPUTS_AT));
    if (sum_at <= n && n - sum_at >= 32)
        cz_sha256_of(bytes + sum_at, bytes, sum_at);
}

static void load(const cz_folded *f, const cz_point_list *list)
{
    cz_g1_affine *points = calloc(list->n + (size_t)1, sizeof *points);

    FUZZ_REQUIRE(points != NULL);
    (void)!cz_params_load_g1(&f->file, list, NULL, 0, list->n, points);
    free(points);
}

static void use(const cz_folded *f)
{
    const cz_folded_shape shape = {f->circuit_id, f->log_n, f->n_inputs, f->n_aux,
                                   f->input_has_point};

    FUZZ_REQUIRE(f->file.h.n == OF_H + 1);
    FUZZ_REQUIRE(f->n_inputs == OF_IC && f->n_aux == OF_L);
    FUZZ_REQUIRE(f->file.l.n == cz_folded_l_points(&shape));
    FUZZ_REQUIRE(f->file.map_bytes == cz_folded_bytes(&shape));
    load(f, &f->file.h);
    load(f, &f->file.l);
}

static void open_file(const uint8_t *bytes, size_t n)
{
    int fd = memory_file(bytes, n);
    char path[64];
    cz_folded f;

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (cz_folded_open(&f, path, parameters(), "toy") == CZ_OK) {
        use(&f);
        cz_folded_close(&f);
    }
    (void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n + 1);

    if (copy == NULL)
        return 0;
    if (n > 0)
        memcpy(copy, bytes, n);
    put_right(copy, n);
    open_file(copy, n);
    free(copy);
    return 0;
}
