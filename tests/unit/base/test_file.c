/* Files: maps, limits, atomic writes, messages that name the path. */
#define _GNU_SOURCE
#include "support.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "cz-test-file-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    DIR *d = opendir(folder);
    struct dirent *entry;

    (void)state;
    if (d == NULL)
        return 1;
    while ((entry = readdir(d)) != NULL)
        (void)unlinkat(dirfd(d), entry->d_name, 0); /* fails for . and .. */
    (void)closedir(d);
    return rmdir(folder);
}

static const char *at(const char *name)
{
    static char path[2][256];
    static int turn;

    turn = 1 - turn;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static size_t entries(void)
{
    DIR *d = opendir(folder);
    size_t n = 0;

    assert_non_null(d);
    while (readdir(d) != NULL)
        n++;
    (void)closedir(d);
    return n - 2; /* . and .. */
}

static void test_written_bytes_are_read_back(void **state)
{
    uint8_t data[100000];
    const uint8_t *map;
    uint8_t *copy;
    size_t n;

    (void)state;
    cz_test_random_bytes(data, sizeof data);
    assert_ok(cz_file_write_all(at("a"), data, sizeof data));
    assert_ok(cz_file_map(at("a"), &map, &n));
    assert_int_equal(n, sizeof data);
    assert_memory_equal(map, data, n);
    cz_file_unmap(map, n);
    assert_ok(cz_file_read(at("a"), sizeof data, &copy, &n));
    assert_int_equal(n, sizeof data);
    assert_memory_equal(copy, data, n);
    assert_int_equal(copy[n], 0);
    free(copy);
    assert_int_equal(entries(), 1);
}

static void test_empty_files(void **state)
{
    const uint8_t *map;
    uint8_t *copy;
    size_t n = 7;

    (void)state;
    assert_ok(cz_file_write_all(at("e"), NULL, 0));
    assert_ok(cz_file_map(at("e"), &map, &n));
    assert_null(map);
    assert_int_equal(n, 0);
    cz_file_unmap(map, n);
    assert_ok(cz_file_read(at("e"), 0, &copy, &n));
    assert_int_equal(n, 0);
    assert_int_equal(copy[0], 0);
    free(copy);
}

static void test_limits_are_kept(void **state)
{
    uint8_t *copy;
    size_t n;

    (void)state;
    assert_ok(cz_file_write_all(at("l"), "12345", 5));
    assert_fails(cz_file_read(at("l"), 4, &copy, &n), CZ_E_INPUT, "limit of 4 bytes");
    assert_ok(cz_file_read(at("l"), 5, &copy, &n));
    free(copy);
    /* a file that does not tell its size */
    assert_fails(cz_file_read("/dev/zero", 100000, &copy, &n), CZ_E_INPUT,
                 "/dev/zero: longer than the limit of 100000 bytes");
    assert_ok(cz_file_read("/proc/self/status", 1 << 20, &copy, &n));
    assert_true(n > 0);
    free(copy);
}

static void test_failures_name_the_path(void **state)
{
    const uint8_t *map;
    uint8_t *copy;
    size_t n;

    (void)state;
    assert_fails(cz_file_map(at("none"), &map, &n), CZ_E_NOTFOUND, "/none: cannot open");
    assert_fails(cz_file_read(at("none"), 10, &copy, &n), CZ_E_NOTFOUND, "/none: cannot open");
    assert_fails(cz_file_map(folder, &map, &n), CZ_E_INPUT, "a folder, not a regular file");
    assert_fails(cz_file_read(folder, 10, &copy, &n), CZ_E_INPUT, "a folder");
    assert_fails(cz_file_map("/dev/null", &map, &n), CZ_E_INPUT, "a special file");
    assert_fails(cz_file_write_all(at("no/such/x"), "1", 1), CZ_E_NOTFOUND, "no/such/x");
}

static void test_nothing_appears_before_commit(void **state)
{
    cz_file_writer w;

    (void)state;
    assert_ok(cz_file_write_all(at("f"), "old", 3));
    assert_ok(cz_file_writer_open(&w, at("f")));
    assert_ok(cz_file_write(&w, "new content", 11));
    {
        uint8_t *copy;
        size_t n;

        assert_ok(cz_file_read(at("f"), 100, &copy, &n));
        assert_int_equal(n, 3);
        free(copy);
    }
    cz_file_writer_abort(&w);
    assert_int_equal(entries(), 1);
    cz_file_writer_abort(&w); /* harmless */
}

static void test_commit_replaces_the_old_file(void **state)
{
    cz_file_writer w;
    uint8_t *copy;
    size_t n;

    (void)state;
    assert_ok(cz_file_write_all(at("g"), "old", 3));
    assert_ok(cz_file_writer_open(&w, at("g")));
    assert_ok(cz_file_write(&w, "newer", 5));
    assert_ok(cz_file_writer_commit(&w));
    cz_file_writer_abort(&w);
    assert_ok(cz_file_read(at("g"), 100, &copy, &n));
    assert_int_equal(n, 5);
    assert_memory_equal(copy, "newer", 5);
    free(copy);
    assert_int_equal(entries(), 1);
}

static void test_a_full_disk_is_an_error(void **state)
{
    cz_file_writer w;
    uint8_t block[65536] = {0};
    cz_err err;

    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_ok(cz_file_writer_open(&w, at("full")));
    (void)fclose(w.stream);
    w.stream = fopen("/dev/full", "wb");
    assert_non_null(w.stream);
    err = cz_file_write(&w, block, sizeof block);
    if (err == CZ_OK)
        err = cz_file_writer_commit(&w);
    assert_int_equal(err, CZ_E_IO);
    cz_file_writer_abort(&w);
    assert_int_equal(entries(), 0);
}

static void test_a_failed_commit_leaves_nothing(void **state)
{
    cz_file_writer w;

    (void)state;
    assert_ok(cz_file_writer_open(&w, at("taken")));
    assert_ok(cz_file_write(&w, "1", 1));
    assert_int_equal(mkdir(at("taken"), 0700), 0); /* meanwhile */
    assert_fails(cz_file_writer_commit(&w), CZ_E_IO, "cannot rename into place");
    assert_int_equal(entries(), 1); /* the folder */
    assert_int_equal(rmdir(at("taken")), 0);
}

static void test_a_path_has_one_writer(void **state)
{
    cz_file_writer first, second;
    uint8_t *copy;
    size_t n;

    (void)state;
    assert_ok(cz_file_writer_open(&first, at("one")));
    assert_ok(cz_file_write(&first, "first", 5));
    assert_fails(cz_file_writer_open(&second, at("one")), CZ_E_IO, "is being written already");
    assert_ok(cz_file_writer_commit(&first));
    assert_ok(cz_file_writer_open(&second, at("one"))); /* the name is free again */
    cz_file_writer_abort(&second);
    assert_ok(cz_file_read(at("one"), 100, &copy, &n));
    assert_int_equal(n, 5);
    assert_memory_equal(copy, "first", 5);
    free(copy);
    assert_int_equal(entries(), 1);
}

/* Of a process that was killed, and what only looks like it. */
static void test_leftovers_are_removed(void **state)
{
    cz_file_writer living;

    (void)state;
    assert_ok(cz_file_write_all(at("big.tmp-12345"), "left", 4));
    assert_ok(cz_file_write_all(at("big.tmp-"), "x", 1));
    assert_ok(cz_file_write_all(at("big.tmp-12x"), "x", 1));
    assert_ok(cz_file_write_all(at("bigger.tmp-12345"), "x", 1));
    assert_int_equal(mkdir(at("big.tmp-9"), 0700), 0);
    assert_ok(cz_file_writer_open(&living, at("big")));
    assert_int_equal(entries(), 6);
    cz_file_drop_leftovers(at("big"));
    assert_int_equal(entries(), 5);
    assert_int_not_equal(access(at("big.tmp-12345"), F_OK), 0);
    assert_ok(cz_file_writer_commit(&living));
    assert_int_equal(access(at("big"), F_OK), 0);
    cz_file_drop_leftovers(at("none/of/this")); /* harmless */
    assert_int_equal(rmdir(at("big.tmp-9")), 0);
}

static void test_what_is_no_file_is_not_replaced(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(mkfifo(at("pipe"), 0600), 0);
    assert_fails(cz_file_write_all(at("pipe"), "x", 1), CZ_E_INPUT, "no regular file");
    assert_int_equal(lstat(at("pipe"), &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_fails(cz_file_write_all(folder, "x", 1), CZ_E_INPUT, "no regular file");
    assert_int_equal(symlink("pipe", at("link")), 0);
    assert_ok(cz_file_write_all(at("link"), "x", 1)); /* the link is replaced, not the pipe */
    assert_int_equal(lstat(at("link"), &st), 0);
    assert_true(S_ISREG(st.st_mode));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_written_bytes_are_read_back, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_empty_files, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_limits_are_kept, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_failures_name_the_path, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_nothing_appears_before_commit, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_commit_replaces_the_old_file, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_a_full_disk_is_an_error, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_a_path_has_one_writer, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_leftovers_are_removed, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_what_is_no_file_is_not_replaced, make_folder,
                                    remove_folder),
    cmocka_unit_test_setup_teardown(test_a_failed_commit_leaves_nothing, make_folder,
                                    remove_folder),
};

CZ_TEST_MAIN(cases)
