/* diff.c: see diff.h. */
#include "diff.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 4096, POISON = 0xa5 };

static uint64_t state = 0x9e3779b97f4a7c15u;

const char *const diff_input_name[DIFF_INPUTS] = {
    "zero", "one", "largest", "impulse", "sparse", "equal", "repeating", "small", "random"};

void diff_seed(void)
{
    const char *given = getenv("CZ_TEST_SEED");

    if (given != NULL)
        state = strtoull(given, NULL, 0) | 1;
    printf("seed 0x%llx\n", (unsigned long long)state);
}

uint64_t diff_random(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

static bool is_set(size_t i, size_t n, diff_input input)
{
    switch (input) {
    case DIFF_ZERO:
        return false;
    case DIFF_IMPULSE:
        return i == n / 3;
    case DIFF_SPARSE:
        return i % 8 == 5;
    default:
        return true;
    }
}

/* Below r: the top limb stays under r's. */
static void random_limbs(uint64_t l[4])
{
    for (int i = 0; i < 4; i++)
        l[i] = diff_random();
    l[3] %= cz_fr_modulus[3];
}

static void largest(uint64_t l[4])
{
    memcpy(l, cz_fr_modulus, 4 * sizeof *l);
    l[0]--;
}

/* Element i of those that are set; `all` begins the vector. */
static void fill_one(uint64_t l[4], const uint64_t (*all)[4], size_t i, diff_input input)
{
    if (input == DIFF_LARGEST) {
        largest(l);
    } else if (input == DIFF_SMALL) {
        l[0] = diff_random() >> (i % 3 == 0 ? 55 : 24);
    } else if (input == DIFF_EQUAL && i > 0) {
        memcpy(l, all[0], sizeof all[0]);
    } else if (input == DIFF_REPEATS && i > 3 && i % 3 == 0) {
        memcpy(l, all[i % 2], sizeof all[0]);
    } else {
        random_limbs(l);
    }
}

void diff_fill_fr(cz_fr *xs, size_t n, diff_input input)
{
    for (size_t i = 0; i < n; i++) {
        xs[i] = CZ_FR_ZERO;
        if (!is_set(i, n, input))
            continue;
        if (input == DIFF_ONE)
            xs[i] = CZ_FR_ONE;
        else
            fill_one(xs[i].l, (const uint64_t(*)[4])xs, i, input);
    }
}

void diff_fill_scalars(cz_u256 *xs, size_t n, diff_input input)
{
    for (size_t i = 0; i < n; i++) {
        xs[i] = (cz_u256){{0, 0, 0, 0}};
        if (!is_set(i, n, input))
            continue;
        if (input == DIFF_ONE)
            xs[i].l[0] = 1;
        else
            fill_one(xs[i].l, (const uint64_t(*)[4])xs, i, input);
    }
}

/* Poison `bytes` on the device: a little from the host, then what is there is doubled. */
static void poison_device(diff_run *run, void *block, size_t bytes)
{
    static unsigned char poison[1 << 16];
    size_t done = bytes < sizeof poison ? bytes : sizeof poison;

    memset(poison, POISON, sizeof poison);
    diff_need(cz_gpu_copy(run->gpu, CZ_GPU_COMPUTE, block, poison, done), "poison");
    while (done < bytes) {
        const size_t more = bytes - done < done ? bytes - done : done;

        diff_need(cz_gpu_copy(run->gpu, CZ_GPU_COMPUTE, (char *)block + done, block, more),
                  "poison");
        done += more;
    }
    diff_need(cz_gpu_sync(run->gpu), "poison");
}

diff_buffer diff_buffer_take(diff_run *run, size_t bytes)
{
    diff_buffer b = {.bytes = bytes};
    const size_t all = bytes + 2 * GUARD_BYTES;

    diff_need(cz_gpu_take(run->gpu, CZ_GPU_DEVICE_MEMORY, &b.block, all, "test buffer"), "take");
    poison_device(run, b.block, all);
    b.d = (unsigned char *)b.block + GUARD_BYTES;
    return b;
}

void diff_buffer_put(diff_run *run, const diff_buffer *b, const void *host)
{
    diff_need(cz_gpu_copy(run->gpu, CZ_GPU_COMPUTE, b->d, host, b->bytes), "upload");
    diff_need(cz_gpu_sync(run->gpu), "upload");
}

void diff_buffer_get(diff_run *run, const diff_buffer *b, void *host)
{
    diff_need(cz_gpu_copy(run->gpu, CZ_GPU_COMPUTE, host, b->d, b->bytes), "download");
    diff_need(cz_gpu_sync(run->gpu), "download");
}

static bool is_poison(diff_run *run, const void *d)
{
    unsigned char host[GUARD_BYTES];

    diff_need(cz_gpu_copy(run->gpu, CZ_GPU_COMPUTE, host, d, sizeof host), "guard");
    diff_need(cz_gpu_sync(run->gpu), "guard");
    for (size_t i = 0; i < sizeof host; i++)
        if (host[i] != POISON)
            return false;
    return true;
}

bool diff_buffer_guards_hold(diff_run *run, const diff_buffer *b)
{
    return is_poison(run, b->block) && is_poison(run, (const unsigned char *)b->d + b->bytes);
}

void diff_buffer_give_back(diff_run *run, diff_buffer *b)
{
    cz_gpu_give_back(run->gpu, b->block);
    b->block = b->d = NULL;
}

void diff_expect(diff_run *run, bool good, const char *what, ...)
{
    va_list args;

    if (good) {
        run->passed++;
        return;
    }
    run->failed++;
    va_start(args, what);
    printf("FAILED: ");
    (void)vprintf(what, args);
    printf("\n");
    va_end(args);
}

void diff_need(cz_err err, const char *what)
{
    if (err == CZ_OK)
        return;
    printf("FAILED: %s: %s (%s)\n", what, cz_err_message(), cz_err_text(err));
    exit(1);
}
