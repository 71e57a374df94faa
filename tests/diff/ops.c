/* ops.c: the differential table: every operation that has a CUDA form, at every size, with every
 * kind of input, against the CPU's form. Equality is of bytes.
 *
 *   diff_ops            the sizes of the table
 *   diff_ops NAME...    only these operations, or those whose names begin so
 *   diff_ops --full ... the large sizes too (a device with 120 GB, a few minutes)
 *   diff_ops --large ... only those
 *   diff_ops --small ... only sizes below 5000 (for compute-sanitizer)
 *   diff_ops --races ... three shapes an operation (for its race check)
 *   diff_ops --distinct ... no equal, opposite or infinite points (for the same)
 *   diff_ops --list     names
 *
 * No device: "[  SKIPPED ]", exit status 0. A CUDA error is a failure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "ops.h"

static bool is_among(const char *name, const diff_op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(ops[i].name, name) == 0)
            return true;
    return false;
}

static bool is_operation(const char *name)
{
    return is_among(name, diff_ntt_ops, diff_n_ntt_ops) ||
           is_among(name, diff_msm_ops, diff_n_msm_ops) ||
           is_among(name, diff_setup_ops, diff_n_setup_ops);
}

/* msm:g1 is one operation, msm:g are all sums. */
static bool matches(const char *name, const char *asked)
{
    return is_operation(asked) ? strcmp(name, asked) == 0
                               : strncmp(name, asked, strlen(asked)) == 0;
}

static bool wanted(const char *name, int argc, char **argv)
{
    bool any = false;

    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            continue;
        any = true;
        if (matches(name, argv[i]))
            return true;
    }
    return !any;
}

typedef enum { RACES, SMALL, TABLE, LARGE, FULL } extent;

static bool given(const char *option, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return true;
    return false;
}

/* The race check takes minutes for what runs in seconds; what uses shared memory in its own way are
 * blocks that are not full, blocks that are, and long buckets. */
static bool is_in(extent sizes, size_t n, diff_input input)
{
    if (sizes == RACES)
        return ((n == 257 || n == 512 || n == 4095) && input == DIFF_RANDOM) ||
               (n == 12289 && input == DIFF_EQUAL);
    return sizes == TABLE || sizes == FULL || (sizes == SMALL && n < 5000);
}

static void run_op(diff_run *run, const diff_op *op, extent sizes)
{
    const unsigned failed = run->failed, passed = run->passed;

    for (const size_t *n = op->sizes; *n != 0; n++)
        for (int input = 0; input < DIFF_INPUTS; input++)
            if (is_in(sizes, *n, (diff_input)input))
                op->compare(run, op->name, *n, (diff_input)input);
    for (const size_t *n = op->large; sizes >= LARGE && *n != 0; n++)
        op->compare(run, op->name, *n, DIFF_RANDOM);
    printf("%-28s %u passed, %u failed\n", op->name, run->passed - passed, run->failed - failed);
    (void)fflush(stdout);
}

static void run_table(diff_run *run, const diff_op *ops, size_t n, int argc, char **argv)
{
    const extent sizes = given("--full", argc, argv)    ? FULL
                         : given("--large", argc, argv) ? LARGE
                         : given("--small", argc, argv) ? SMALL
                         : given("--races", argc, argv) ? RACES
                                                        : TABLE;

    for (size_t i = 0; i < n; i++)
        if (wanted(ops[i].name, argc, argv))
            run_op(run, &ops[i], sizes);
}

static void list(const diff_op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%s\n", ops[i].name);
}

int main(int argc, char **argv)
{
    diff_run run = {0};
    cz_gpu_info info;
    cz_err err;

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list(diff_ntt_ops, diff_n_ntt_ops);
        list(diff_msm_ops, diff_n_msm_ops);
        list(diff_setup_ops, diff_n_setup_ops);
        return 0;
    }
    err = cz_gpu_open(&run.gpu, 0, 0);
    if (err == CZ_E_NODEV) {
        printf("[  SKIPPED ] %s\n", cz_err_message());
        return 0;
    }
    diff_need(err, "open");
    diff_need(cz_gpu_describe(run.gpu, &info), "describe");
    printf("%s, sm_%d, %u multiprocessors\n", info.name, info.architecture, info.multiprocessors);
    diff_seed();
    diff_need(cz_pool_create(&run.pool, 0), "threads");
    run.only_distinct = given("--distinct", argc, argv);
    run_table(&run, diff_ntt_ops, diff_n_ntt_ops, argc, argv);
    run_table(&run, diff_msm_ops, diff_n_msm_ops, argc, argv);
    run_table(&run, diff_setup_ops, diff_n_setup_ops, argc, argv);
    diff_expect(&run, cz_gpu_used_bytes(run.gpu, CZ_GPU_DEVICE_MEMORY) == 0,
                "device memory was not given back");
    cz_gpu_close(run.gpu);
    cz_pool_destroy(run.pool);
    printf("%u passed, %u failed\n", run.passed, run.failed);
    return run.failed == 0 ? 0 : 1;
}
