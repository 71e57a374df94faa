/* Files of compiled circuits: damaged, hostile, of another circuit; and several writers at once. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "blocks.h"
#include "cs/compile.h"
#include "cs/compiled_eval.h"
#include "cs/compiled_tables.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    cz_log_set_level(CZ_LOG_ERROR);
    (void)snprintf(folder, sizeof folder, "cz-test-compiled-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[128];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* An image of a circuit of every kind of row, and its bytes. */
static cz_compiled *make_image(uint8_t **bytes, size_t *n)
{
    chain_circuit circuit = chain_make(12, 6, ODD_NEGATION);
    cz_compiled *c;

    assert_ok(cz_circuit_compile(&c, &circuit.circuit, NULL));
    *n = cz_compiled_measure(c).file_bytes;
    *bytes = malloc(*n);
    assert_non_null(*bytes);
    memcpy(*bytes, cz_compiled_view(c)->header, *n);
    return c;
}

static cz_err adopt_copy(cz_compiled **out, const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n == 0 ? 1 : n);

    assert_non_null(copy);
    memcpy(copy, bytes, n);
    return cz_compiled_adopt(out, copy, n, "copy");
}

/* ---- written and read ---- */

static void test_round_trip(void **state)
{
    uint8_t *bytes;
    size_t n;
    cz_compiled *c = make_image(&bytes, &n), *again;

    (void)state;
    assert_ok(cz_compiled_save(c, path_of("chain")));
    assert_ok(cz_compiled_load(&again, path_of("chain"), "chain"));
    assert_int_equal(cz_compiled_measure(again).file_bytes, n);
    assert_memory_equal(cz_compiled_view(again)->header, bytes, n);
    assert_memory_equal(cz_compiled_classes(again), cz_compiled_classes(c), (36 + 63) / 64 * 8);
    cz_compiled_destroy(again);
    assert_fails(cz_compiled_load(&again, path_of("chain"), "porep-2k"), CZ_E_INPUT,
                 "chain: circuit chain, expected porep-2k");
    assert_fails(cz_compiled_load(&again, path_of("nothing"), "chain"), CZ_E_NOTFOUND, "nothing");
    cz_compiled_destroy(c);
    free(bytes);
}

/* ---- damage ---- */

static void test_every_damaged_byte_is_found(void **state)
{
    uint8_t *bytes;
    size_t n;
    cz_compiled *c = make_image(&bytes, &n), *damaged;

    (void)state;
    for (size_t i = 0; i < n; i++) {
        uint8_t flip = (uint8_t)(cz_test_random() % 255 + 1);

        bytes[i] ^= flip;
        assert_int_not_equal(adopt_copy(&damaged, bytes, n), CZ_OK);
        bytes[i] ^= flip;
    }
    assert_ok(adopt_copy(&damaged, bytes, n));
    cz_compiled_destroy(damaged);
    cz_compiled_destroy(c);
    free(bytes);
}

static void test_truncation(void **state)
{
    uint8_t *bytes;
    size_t n;
    cz_compiled *c = make_image(&bytes, &n), *cut;

    (void)state;
    for (size_t i = 0; i < n; i += i < 300 ? 1 : 8)
        assert_fails(adopt_copy(&cut, bytes, i), CZ_E_INPUT, "copy");
    bytes = realloc(bytes, n + 8);
    assert_non_null(bytes);
    memset(bytes + n, 0, 8);
    assert_fails(adopt_copy(&cut, bytes, n + 8), CZ_E_INPUT, "counts");
    cz_compiled_destroy(c);
    free(bytes);
}

static void test_another_version(void **state)
{
    uint8_t *bytes;
    size_t n;
    cz_compiled *c = make_image(&bytes, &n), *newer;

    (void)state;
    ((cz_compiled_header *)(void *)bytes)->version++;
    cz_compiled_checksum(((cz_compiled_header *)(void *)bytes)->checksum, bytes, n);
    assert_fails(adopt_copy(&newer, bytes, n), CZ_E_UNSUPPORTED, "version 2");
    cz_compiled_destroy(c);
    free(bytes);
}

/* ---- a file made to deceive: the checksum is right, the tables are not ---- */

/* Set the 16 or 32 bits at p, fix the checksum, expect a refusal; then restore them. */
static void assert_refused(uint8_t *bytes, size_t n, const void *p, size_t width, uint32_t value,
                           const char *text)
{
    uint8_t *at = bytes + ((const uint8_t *)p - bytes);
    cz_compiled *c;
    uint32_t kept = 0;

    memcpy(&kept, at, width);
    assert_int_not_equal(kept, value);
    memcpy(at, &value, width);
    cz_compiled_checksum(bytes + offsetof(cz_compiled_header, checksum), bytes, n);
    assert_fails(adopt_copy(&c, bytes, n), CZ_E_INPUT, text);
    memcpy(at, &kept, width);
}

static void test_indices_out_of_range(void **state)
{
    uint8_t *b;
    size_t n;
    cz_compiled *c = make_image(&b, &n);
    cz_compiled_tables t;

    (void)state;
    cz_compiled_point(&t, b);
    assert_refused(b, n, &t.terms[0].column, 2, 0xffff, "beyond the tables");
    assert_refused(b, n, &t.terms[3].coeff, 2, t.header->n_coeffs, "beyond the tables");
    assert_refused(b, n, &t.terms[1].column, 2, t.terms[0].column, "out of order");
    assert_refused(b, n, &t.rows[1].n[0], 2, 0xffff, "row 1: terms of a row beyond");
    assert_refused(b, n, &t.rows[1].first_term, 4, 0, "terms of a row beyond");
    assert_refused(b, n, &t.rows[0].kind[0], 1, CZ_LC_COPY, "another kind");
    assert_refused(b, n, &t.rows[0].kind[2], 1, 77, "another kind");
    assert_refused(b, n, &t.rows[0].zero[1], 1, 1, "unknown marks");
    assert_refused(b, n, &t.templates[1].n_rows, 4, 0xffffffff, "rows beyond");
    assert_refused(b, n, &t.templates[1].first_row, 4, 1, "rows beyond");
    assert_refused(b, n, &t.templates[1].n_ports, 4, 0xffffffff, "too many columns");
    assert_refused(b, n, &t.templates[1].n_locals, 4, 0x10000, "too many columns");
    assert_refused(b, n, &t.templates[1].n_fields, 4, 1, "class field");
    assert_refused(b, n, &t.templates[1].first_class_word, 4, 7, "classes beyond");
    assert_refused(b, n, &t.class_words[1], 4, 0xffffffff, "classes of columns");
    assert_refused(b, n, &t.instances[1].template_index, 4, t.header->n_templates, "no template");
    assert_refused(b, n, &t.instances[2].first_row, 4, 0, "instance 2: it does not begin");
    assert_refused(b, n, &t.instances[2].first_aux, 4, 0, "does not begin");
    assert_refused(b, n, &t.instances[2].first_field, 4, 0, "does not begin");
    assert_refused(b, n, &t.instances[2].first_run, 4, 0, "does not begin");
    assert_refused(b, n, &t.runs[1].var, 4, CZ_VAR_AUX_BIT | 1, "ports beyond");
    assert_refused(b, n, &t.runs[0].var, 4, 9, "ports beyond");
    assert_refused(b, n, &t.runs[0].n, 4, 3, "ports beyond");
    assert_refused(b, n, &t.runs[0].n, 4, 0, "ports beyond");
    assert_refused(b, n, &t.runs[0].var, 4, 1, "another class");
    assert_refused(b, n, &t.runs[1].var, 4, 0, "out of order");
    assert_refused(b, n, (const uint8_t *)&t.coeffs[0].l[3] + 4, 4, 0xffffffff, "coefficient 0");
    assert_refused(b, n, &t.header->n_inputs, 4, 0, "more variables");
    assert_refused(b, n, &t.header->n_aux, 4, 0xffffffff, "more variables");
    assert_refused(b, n, &t.header->n_aux, 4, 500, "do not make up");
    assert_refused(b, n, &t.header->n_fields, 4, 5, "do not make up");
    assert_refused(b, n, &t.header->n_constraints, 4, 5, "beyond the circuit's");
    assert_refused(b, n, &t.header->n_coeffs, 4, 0x20000, "counts");
    assert_refused(b, n, &t.header->n_runs, 4, 0xffffffff, "counts");
    assert_refused(b, n, &t.header->circuit_id[31], 1, 'x', "does not end");
    cz_compiled_destroy(c);
    free(b);
}

/* 130 variables, all bits but number 100; then a row over the first hundred, which are one run. */
static void wide_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const cz_fr one = CZ_FR_ONE;
    cz_lc a, b, c;

    (void)self;
    for (unsigned i = 0; i < 130; i++) {
        if (i == 100)
            (void)cz_cs_alloc(cs, CZ_N("number"), &one);
        else
            (void)cz_cs_alloc_bit(cs, CZ_N("bit"), false);
    }
    cz_cs_border(cs);
    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (uint32_t i = 0; i < 100; i++)
        cz_lc_add_var(&a, toy_aux(i));
    cz_lc_add_var(&b, CZ_VAR_ONE);
    toy_enforce(cs, CZ_N("sum"), &a, &b, &c);
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

/* Checks that look at a run 64 variables at a time look at all of it. */
static void test_long_runs_are_checked_to_their_end(void **state)
{
    const cz_circuit circuit = {"wide", wide_synthesize};
    cz_compiled *c;
    cz_compiled_tables t;
    uint8_t *b;
    size_t n;

    (void)state;
    assert_ok(cz_circuit_compile(&c, &circuit, NULL));
    n = cz_compiled_measure(c).file_bytes;
    b = malloc(n);
    assert_non_null(b);
    memcpy(b, cz_compiled_view(c)->header, n);
    cz_compiled_point(&t, b);
    assert_int_equal(t.header->n_runs, 2); /* one, and the hundred */
    assert_int_equal(t.runs[1].n, 100);
    assert_refused(b, n, &t.runs[1].var, 4, CZ_VAR_AUX_BIT | 1, "another class");
    assert_refused(b, n, &t.runs[1].var, 4, CZ_VAR_AUX_BIT | 31, "ports beyond the variables");
    assert_refused(b, n, &t.runs[1].n, 4, 101, "ports beyond the variables");
    assert_refused(b, n, &t.runs[1].n, 4, 99, "ports beyond the table");
    assert_refused(b, n, &t.templates[0].n_locals, 4, 0, "neither rows nor variables");
    assert_refused(b, n, &t.rows[0].kind[0], 1, CZ_LC_SMALL, "another kind");
    assert_refused(b, n, &t.rows[0].kind[0], 1, CZ_LC_FIELD, "another kind");
    cz_compiled_destroy(c);
    free(b);
}

/* Whatever is accepted can be used: expanded, evaluated (the sanitizers look on). */
static void use(const cz_compiled *c)
{
    const cz_compiled_header *h = cz_compiled_view(c)->header;
    uint64_t n = cz_compiled_rows(c);
    cz_bit_witness w = {.n_inputs = h->n_inputs, .n_aux = h->n_aux, .n_fields = h->n_fields};
    cz_fr *rows = malloc(3 * n * sizeof *rows);
    cz_expansion expansion = cz_compiled_expand(c);
    cz_circuit_stats stats;
    cz_densities d;

    w.inputs = calloc(w.n_inputs, sizeof *w.inputs);
    w.bits = calloc(w.n_aux / 64 + 2, sizeof *w.bits);
    w.fields = calloc(w.n_fields + (size_t)1, sizeof *w.fields);
    memset(w.bits, 0x5a, w.n_aux / 64 * 8);
    assert_true(rows != NULL && w.inputs != NULL && w.bits != NULL && w.fields != NULL);
    assert_ok(cz_compiled_eval(c, &w, NULL, 0, n, rows, rows + n, rows + 2 * n));
    assert_ok(cz_circuit_count(&stats, &expansion.circuit));
    assert_ok(cz_compiled_densities(&d, c));
    cz_densities_clear(&d);
    cz_bit_witness_clear(&w);
    free(rows);
}

static void test_hostile_bytes(void **state)
{
    static const uint8_t flips[] = {0x01, 0x10, 0x80, 0xff};
    uint8_t *bytes;
    size_t n, accepted = 0;
    cz_compiled *c = make_image(&bytes, &n), *hostile;

    (void)state;
    for (size_t i = 0; i < n; i++) {
        uint8_t flip = flips[cz_test_random() % 4];

        bytes[i] ^= flip;
        cz_compiled_checksum(bytes + offsetof(cz_compiled_header, checksum), bytes, n);
        if (adopt_copy(&hostile, bytes, n) == CZ_OK) {
            if (cz_compiled_stats(hostile).inputs < 1000) /* nothing else bounds them */
                use(hostile);
            cz_compiled_destroy(hostile);
            accepted++;
        }
        bytes[i] ^= flip;
    }
    assert_true(accepted > 0 && accepted < n / 2); /* coefficients, statistics */
    cz_compiled_destroy(c);
    free(bytes);
}

/* ---- the folder ---- */

static void test_cache(void **state)
{
    chain_circuit circuit = chain_make(30, 0, ODD_NOTHING);
    const char *cache = path_of("new/folder");
    char *path = cz_compiled_path(cache, "chain");
    bool was_cached = true;
    cz_compiled *c;
    uint8_t *bytes;
    size_t n;

    (void)state;
    assert_ok(cz_compiled_open(&c, &circuit.circuit, cache, NULL, &was_cached));
    assert_false(was_cached);
    cz_compiled_destroy(c);
    assert_ok(cz_compiled_open(&c, &circuit.circuit, cache, NULL, &was_cached));
    assert_true(was_cached);
    cz_compiled_destroy(c);

    /* a damaged one is made again */
    assert_ok(cz_file_read(path, 1 << 20, &bytes, &n));
    bytes[n / 2] ^= 4;
    assert_ok(cz_file_write_all(path, bytes, n));
    assert_ok(cz_compiled_open(&c, &circuit.circuit, cache, NULL, &was_cached));
    assert_false(was_cached);
    cz_compiled_destroy(c);
    assert_ok(cz_compiled_load(&c, path, "chain"));
    cz_compiled_destroy(c);
    free(bytes);
    free(path);
}

static void test_folder_that_cannot_be_made(void **state)
{
    chain_circuit circuit = chain_make(3, 0, ODD_NOTHING);
    bool was_cached = true;
    cz_compiled *c;

    (void)state;
    assert_ok(cz_file_write_all(path_of("file"), "x", 1));
    assert_ok(cz_compiled_open(&c, &circuit.circuit, path_of("file"), NULL, &was_cached));
    assert_false(was_cached);
    cz_compiled_destroy(c);
    assert_ok(cz_compiled_open(&c, &circuit.circuit, path_of("file/below"), NULL, NULL));
    cz_compiled_destroy(c);
}

static void test_default_folder(void **state)
{
    char *folder_name;

    (void)state;
    assert_int_equal(setenv("XDG_CACHE_HOME", "/xdg", 1), 0);
    assert_int_equal(setenv("HOME", "/elsewhere", 1), 0);
    assert_ok(cz_compiled_default_folder(&folder_name));
    assert_string_equal(folder_name, "/xdg/cuzk");
    free(folder_name);
    assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
    assert_ok(cz_compiled_default_folder(&folder_name));
    assert_string_equal(folder_name, "/elsewhere/.cache/cuzk");
    free(folder_name);
    assert_int_equal(unsetenv("HOME"), 0);
    assert_fails(cz_compiled_default_folder(&folder_name), CZ_E_NOTFOUND, "HOME");
}

static void test_several_processes_at_once(void **state)
{
    enum { PROCESSES = 4 };
    chain_circuit circuit = chain_make(500, 0, ODD_NOTHING);
    const char *cache = path_of("shared");
    bool was_cached = false;
    pid_t children[PROCESSES];
    cz_compiled *c;

    (void)state;
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(cz_compiled_open(&c, &circuit.circuit, cache, NULL, NULL) == CZ_OK ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;

        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_ok(cz_compiled_open(&c, &circuit.circuit, cache, NULL, &was_cached));
    assert_true(was_cached);
    cz_compiled_destroy(c);
}

typedef struct {
    const cz_circuit *circuit;
    const char *folder;
} shared;

static cz_err open_shared(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const shared *s = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        cz_compiled *c;

        CZ_TRY(cz_compiled_open(&c, s->circuit, s->folder, NULL, NULL));
        cz_compiled_destroy(c);
    }
    return CZ_OK;
}

static void test_several_threads_at_once(void **state)
{
    chain_circuit circuit = chain_make(500, 0, ODD_NOTHING);
    shared s = {&circuit.circuit, path_of("threads")};
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 4));
    assert_ok(cz_parallel_for(pool, 12, 1, open_shared, &s));
    cz_pool_destroy(pool);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_round_trip, make_folder, remove_folder),
    cmocka_unit_test(test_every_damaged_byte_is_found),
    cmocka_unit_test(test_truncation),
    cmocka_unit_test(test_another_version),
    cmocka_unit_test(test_indices_out_of_range),
    cmocka_unit_test(test_long_runs_are_checked_to_their_end),
    cmocka_unit_test(test_hostile_bytes),
    cmocka_unit_test_setup_teardown(test_cache, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_folder_that_cannot_be_made, make_folder, remove_folder),
    cmocka_unit_test(test_default_folder),
    cmocka_unit_test_setup_teardown(test_several_processes_at_once, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(test_several_threads_at_once, make_folder, remove_folder),
};
CZ_TEST_MAIN(cases)
