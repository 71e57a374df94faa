/* replay.c: run a fuzz target over the files of the folders (or files) named on the command line,
 * each whole and cut short. Exits 0 when all ran; a folder without files is a failure. */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum { MAX_SEED_BYTES = 64 << 20, CUTS = 8 };

/* The target sees an exact-size copy, so that a sanitizer sees one byte too many. */
static void run_prefix(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n != 0 ? n : 1);

    FUZZ_REQUIRE(copy != NULL);
    (void)memcpy(copy, bytes, n);
    (void)LLVMFuzzerTestOneInput(copy, n);
    free(copy);
}

static int run_file(const char *path)
{
    uint8_t *bytes;
    size_t n;

    if (cz_file_read(path, MAX_SEED_BYTES, &bytes, &n) != CZ_OK) {
        (void)fprintf(stderr, "%s\n", cz_err_message());
        return 1;
    }
    run_prefix(bytes, n);
    for (size_t i = 0; i < CUTS; i++)
        run_prefix(bytes, n * i / CUTS);
    free(bytes);
    return 0;
}

static int run_folder(const char *path, DIR *folder)
{
    struct dirent *entry;
    int ran = 0, failed = 0;

    while ((entry = readdir(folder)) != NULL) {
        char file[4096];

        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        failed += run_file(file);
        ran++;
    }
    (void)closedir(folder);
    (void)printf("%s: %d seeds\n", path, ran);
    return failed != 0 || ran == 0;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);

        failed |= folder != NULL ? run_folder(argv[i], folder) : run_file(argv[i]);
    }
    return failed;
}
