/* Folded files: what is written comes back; what is damaged, cut or another's is refused, the field
 * named. */
#define _GNU_SOURCE
#include "scratch.h"
#include "tiny_params.h"

#include <unistd.h>

#include "base/bytes.h"
#include "hash/sha256.h"
#include "params/folded.h"

/* Places in the file of a tiny circuit: 3 inputs, one word of bitmap. */
enum {
    LOG_N = 3,
    N = 1 << LOG_N,
    N_L = 2 + TINY_L,
    VERSION_AT = 8,
    LOG_N_AT = 12,
    INPUTS_AT = 16,
    AUX_AT = 20,
    ID_AT = 24,
    IDENTITY_AT = 56,
    BITMAP_AT = 88,
    SUM_AT = BITMAP_AT + 8,
    H_AT = SUM_AT + 32,
    L_AT = H_AT + 4 + N * 96,
    END_AT = L_AT + 4 + N_L * 96
};

static const uint64_t inputs_with_points = 5;

static const cz_folded_shape tiny_shape = {"toy", LOG_N, TINY_IC, TINY_L, &inputs_with_points};

typedef struct {
    tiny_points points;
    cz_params params;
    cz_g1_affine h[N], l[N_L];
    uint8_t *bytes;
    size_t n;
} folded_file;

static void write_folded(folded_file *f, const char *path)
{
    uint8_t encoded[N_L * 96];
    cz_params_writer w;

    for (size_t i = 0; i < N_L; i++)
        cz_g1_serialize(encoded + i * 96, &f->l[i]);
    assert_ok(cz_folded_writer_open(&w, path, &f->params, &tiny_shape));
    assert_ok(cz_params_writer_begin(&w, N));
    assert_ok(cz_params_writer_g1(&w, NULL, f->h, 3));
    assert_ok(cz_params_writer_g1(&w, NULL, f->h + 3, N - 3));
    assert_ok(cz_params_writer_begin(&w, (uint32_t)cz_folded_l_points(&tiny_shape)));
    assert_ok(cz_params_writer_encoded(&w, NULL, encoded, N_L, 96));
    assert_ok(cz_params_writer_commit(&w));
}

static void make_file(folded_file *f)
{
    tiny_make(&f->points);
    tiny_write(&f->points, scratch_path("toy.params"));
    assert_ok(cz_params_open(&f->params, scratch_path("toy.params")));
    tiny_g1(f->h, N);
    tiny_g1(f->l, N_L);
    write_folded(f, scratch_path("toy.folded"));
    f->bytes = cz_test_read(scratch_path("toy.folded"), &f->n);
}

static void free_file(folded_file *f)
{
    cz_params_close(&f->params);
    cz_vk_clear(&f->points.vk);
    free(f->bytes);
}

static void test_what_is_written_comes_back(void **state)
{
    cz_g1_affine got[N_L];
    folded_file f;
    cz_folded open;
    cz_pool *pool;

    (void)state;
    make_file(&f);
    assert_int_equal(f.n, END_AT);
    assert_int_equal(cz_folded_bytes(&tiny_shape), END_AT);
    assert_ok(cz_folded_open(&open, scratch_path("toy.folded"), &f.params, "toy"));
    assert_string_equal(open.circuit_id, "toy");
    assert_int_equal(open.log_n, LOG_N);
    assert_int_equal(open.n_inputs, TINY_IC);
    assert_int_equal(open.n_aux, TINY_L);
    assert_int_equal(open.input_has_point[0], inputs_with_points);
    assert_int_equal(open.file.h.n, N);
    assert_int_equal(open.file.l.n, N_L);
    assert_ok(cz_pool_create(&pool, 2));
    assert_ok(cz_params_load_g1(&open.file, &open.file.h, pool, 0, N, got));
    assert_memory_equal(got, f.h, sizeof f.h);
    assert_ok(cz_params_load_g1(&open.file, &open.file.l, pool, 0, N_L, got));
    assert_memory_equal(got, f.l, sizeof f.l);
    cz_pool_destroy(pool);
    cz_folded_close(&open);
    cz_folded_close(&open); /* harmless */
    free_file(&f);
}

static void test_bad_points_are_named(void **state)
{
    cz_g1_affine got[N_L];
    folded_file f;
    cz_folded open;

    (void)state;
    make_file(&f);
    f.bytes[L_AT + 4 + 3 * 96 + 95] ^= 1;
    write_bytes(scratch_path("bad.folded"), f.bytes, f.n);
    assert_ok(cz_folded_open(&open, scratch_path("bad.folded"), &f.params, "toy"));
    assert_fails(cz_params_load_g1(&open.file, &open.file.l, NULL, 0, N_L, got), CZ_E_INPUT,
                 "bad.folded: l[3]: not on the curve");
    cz_folded_close(&open);
    free_file(&f);
}

/* ---- what is refused ---- */

static void assert_refused(const folded_file *f, const uint8_t *bytes, size_t n, cz_err code,
                           const char *text)
{
    cz_folded open;

    write_bytes(scratch_path("bad.folded"), bytes, n);
    assert_fails(cz_folded_open(&open, scratch_path("bad.folded"), &f->params, "toy"), code, text);
    assert_non_null(strstr(cz_err_message(), "bad.folded: "));
}

static void test_every_byte_of_the_header_counts(void **state)
{
    folded_file f;

    (void)state;
    make_file(&f);
    for (size_t i = 0; i < H_AT; i++) {
        const bool version = i >= VERSION_AT && i < LOG_N_AT;

        f.bytes[i] ^= 1;
        assert_refused(&f, f.bytes, f.n, version ? CZ_E_UNSUPPORTED : CZ_E_INPUT,
                       version          ? "version: "
                       : i < VERSION_AT ? "not a folded file"
                                        : "header");
        f.bytes[i] ^= 1;
    }
    free_file(&f);
}

static void put_le32(uint8_t *at, uint64_t v)
{
    cz_store_le32(at, (uint32_t)v);
}

static void put_be32(uint8_t *at, uint64_t v)
{
    cz_store_be32(at, (uint32_t)v);
}

/* Written on purpose: the checksum is right. */
static void test_every_field_is_checked(void **state)
{
    const struct {
        size_t at;
        void (*put)(uint8_t *at, uint64_t v);
        uint64_t value;
        const char *text;
    } fields[] = {
        {LOG_N_AT, put_le32, LOG_N - 1, "log_n: 2, but the parameters' h has 7 points"},
        {LOG_N_AT, put_le32, 35, "log_n: 35"},
        {LOG_N_AT, put_le32, UINT32_MAX, "log_n: 4294967295"},
        {INPUTS_AT, put_le32, TINY_IC + 1, "n_inputs: 4, 3 expected"},
        {INPUTS_AT, put_le32, 1, "n_inputs: 1, 3 expected"},
        {AUX_AT, put_le32, TINY_L - 1, "n_aux: 5, 6 expected"},
        {AUX_AT, put_le32, UINT32_MAX, "n_aux: 4294967295, 6 expected"},
        {ID_AT, cz_store_le64, 0x6f79, "circuit: made for yo, not toy"},
        {ID_AT, cz_store_le64, 0x7900796f74, "circuit: not a name"},
        {ID_AT, cz_store_le64, 0x0a6f74, "circuit: not a name"},
        {ID_AT, cz_store_le64, 0, "circuit: not a name"},
        {IDENTITY_AT + 24, cz_store_le64, 1, "parameters: made from others than "},
        {BITMAP_AT, cz_store_le64, 8 + 5, "inputs with a point: one that the circuit"},
        {BITMAP_AT, cz_store_le64, UINT64_MAX, "inputs with a point: one that the circuit"},
        {BITMAP_AT, cz_store_le64, 7, "points of l: 8, 9 expected"},
        {H_AT, put_be32, N - 1, "section l has"},
        {H_AT, put_be32, UINT32_MAX, "too short: section h has 4294967295 points"},
        {L_AT, put_be32, N_L - 1, "points of l: 7, 8 expected"},
        {L_AT, put_be32, N_L + 1, "too short: section l has 9 points"},
    };
    folded_file f;

    (void)state;
    make_file(&f);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint8_t before[END_AT];

        memcpy(before, f.bytes, f.n);
        fields[i].put(f.bytes + fields[i].at, fields[i].value);
        cz_sha256_of(f.bytes + SUM_AT, f.bytes, SUM_AT);
        assert_refused(&f, f.bytes, f.n, CZ_E_INPUT, fields[i].text);
        memcpy(f.bytes, before, f.n);
    }
    put_le32(f.bytes + INPUTS_AT, UINT32_MAX);
    assert_refused(&f, f.bytes, f.n, CZ_E_INPUT, "too short: its header has 536871032 bytes");
    free_file(&f);
}

static void test_no_id_without_an_end(void **state)
{
    folded_file f;

    (void)state;
    make_file(&f);
    memset(f.bytes + ID_AT, 'x', CZ_COMPILED_ID_MAX);
    cz_sha256_of(f.bytes + SUM_AT, f.bytes, SUM_AT);
    assert_refused(&f, f.bytes, f.n, CZ_E_INPUT, "circuit: not a name");
    free_file(&f);
}

static void test_cut_and_lengthened_files(void **state)
{
    uint8_t longer[END_AT + 1] = {0};
    folded_file f;

    (void)state;
    make_file(&f);
    assert_refused(&f, f.bytes, 0, CZ_E_INPUT, "empty");
    for (size_t n = 9; n < H_AT; n++)
        assert_refused(&f, f.bytes, n, CZ_E_INPUT, "too short");
    assert_refused(&f, f.bytes, H_AT, CZ_E_INPUT, "the count of section h is missing");
    assert_refused(&f, f.bytes, L_AT - 1, CZ_E_INPUT, "section h has 8 points");
    assert_refused(&f, f.bytes, L_AT + 3, CZ_E_INPUT, "the count of section l is missing");
    assert_refused(&f, f.bytes, END_AT - 1, CZ_E_INPUT, "section l has 8 points");
    memcpy(longer, f.bytes, f.n);
    assert_refused(&f, longer, END_AT + 1, CZ_E_INPUT, "1 bytes after the last point of l");
    free_file(&f);
}

static void test_what_is_no_folded_file(void **state)
{
    static const char page[] = "<html><body>404</body></html>";
    folded_file f;
    cz_folded open;
    uint8_t *params;
    size_t n;

    (void)state;
    make_file(&f);
    params = cz_test_read(scratch_path("toy.params"), &n);
    assert_refused(&f, params, n, CZ_E_INPUT, "not a folded file: it does not begin with");
    assert_refused(&f, (const uint8_t *)page, sizeof page - 1, CZ_E_INPUT, "not a folded file but");
    memset(params, 0, n);
    assert_refused(&f, params, n, CZ_E_INPUT, "zero bytes");
    assert_fails(cz_folded_open(&open, scratch_path("none.folded"), &f.params, "toy"),
                 CZ_E_NOTFOUND, "none.folded");
    assert_fails(cz_folded_open(&open, scratch_path("."), &f.params, "toy"), CZ_E_INPUT, "");
    free(params);
    free_file(&f);
}

/* ---- whose it is ---- */

/* The same counts, one point of one list changed. */
static void open_other(folded_file *f, cz_params *other, cz_g1_affine *point)
{
    tiny_g1(point, 1);
    tiny_write(&f->points, scratch_path("other.params"));
    assert_ok(cz_params_open(other, scratch_path("other.params")));
}

static void test_of_other_parameters_or_another_circuit(void **state)
{
    folded_file f;
    cz_folded open;
    cz_params other;

    (void)state;
    make_file(&f);
    assert_fails(cz_folded_open(&open, scratch_path("toy.folded"), &f.params, "porep-2k"),
                 CZ_E_INPUT, "toy.folded: circuit: made for toy, not porep-2k");
    cz_g1_affine *const changed[] = {&f.points.vk.ic[1], &f.points.h[0], &f.points.h[TINY_H - 1],
                                     &f.points.l[0], &f.points.l[TINY_L - 1]};
    for (size_t i = 0; i < sizeof changed / sizeof changed[0]; i++) {
        const cz_g1_affine before = *changed[i];

        open_other(&f, &other, changed[i]);
        assert_fails(cz_folded_open(&open, scratch_path("toy.folded"), &other, "toy"), CZ_E_INPUT,
                     "other.params");
        cz_params_close(&other);
        *changed[i] = before;
    }
    free_file(&f);
}

static void test_parameters_that_were_cut(void **state)
{
    folded_file f;
    cz_folded open;

    (void)state;
    make_file(&f);
    assert_int_equal(truncate(scratch_path("toy.params"), CZ_VK_HEAD_BYTES + TINY_IC * 96 + 100),
                     0);
    assert_fails(cz_folded_open(&open, scratch_path("toy.folded"), &f.params, "toy"), CZ_E_IO,
                 "toy.params: cut at byte");
    free_file(&f);
}

/* ---- writing ---- */

static void assert_only_parameters(void)
{
    char command[160];

    (void)snprintf(command, sizeof command, "test \"$(ls -A '%s')\" = toy.params", scratch_folder);
    assert_int_equal(system(command), 0);
}

static void test_shapes_of_others_are_refused(void **state)
{
    const uint64_t too_many = 8;
    const cz_folded_shape shapes[] = {
        {"", LOG_N, TINY_IC, TINY_L, &inputs_with_points},
        {"a-name-of-thirty-two-characters-", LOG_N, TINY_IC, TINY_L, &inputs_with_points},
        {"toy", LOG_N + 1, TINY_IC, TINY_L, &inputs_with_points},
        {"toy", LOG_N + 32, TINY_IC, TINY_L, &inputs_with_points},
        {"toy", LOG_N, TINY_IC + 1, TINY_L, &inputs_with_points},
        {"toy", LOG_N, TINY_IC, TINY_L - 1, &inputs_with_points},
        {"toy", LOG_N, TINY_IC, TINY_L, &too_many},
    };
    folded_file f;
    cz_params_writer w;

    (void)state;
    make_file(&f);
    assert_int_equal(unlink(scratch_path("toy.folded")), 0);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        assert_fails(cz_folded_writer_open(&w, scratch_path("new.folded"), &f.params, &shapes[i]),
                     CZ_E_ARG, "the shape is not that of");
        cz_params_writer_abort(&w);
    }
    assert_only_parameters();
    free_file(&f);
}

static void test_half_a_file_never_appears(void **state)
{
    folded_file f;
    cz_params_writer w;

    (void)state;
    make_file(&f);
    assert_int_equal(unlink(scratch_path("toy.folded")), 0);
    assert_ok(cz_folded_writer_open(&w, scratch_path("toy.folded"), &f.params, &tiny_shape));
    assert_fails(cz_params_writer_commit(&w), CZ_E_ARG, "missing");
    assert_ok(cz_params_writer_begin(&w, N));
    assert_fails(cz_params_writer_begin(&w, N_L), CZ_E_ARG, "out of turn");
    assert_ok(cz_params_writer_g1(&w, NULL, f.h, N));
    assert_ok(cz_params_writer_begin(&w, N_L));
    assert_ok(cz_params_writer_g1(&w, NULL, f.l, N_L - 1));
    assert_fails(cz_params_writer_commit(&w), CZ_E_ARG, "missing");
    assert_ok(cz_params_writer_g1(&w, NULL, f.l, 1));
    assert_fails(cz_params_writer_begin(&w, 0), CZ_E_ARG, "out of turn");
    cz_params_writer_abort(&w);
    assert_only_parameters();
    assert_fails(cz_folded_writer_open(&w, scratch_path("no/such.folded"), &f.params, &tiny_shape),
                 CZ_E_NOTFOUND, "no/such.folded");
    cz_params_writer_abort(&w);
    free_file(&f);
}

static void test_its_name(void **state)
{
    static const char *const names[][2] = {{"a/v28.params", "a/v28.folded"},
                                           {"v28", "v28.folded"},
                                           {".params", ".params.folded"},
                                           {"a.params/b.vk", "a.params/b.vk.folded"}};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = cz_folded_path(names[i][0]);

        assert_string_equal(path, names[i][1]);
        free(path);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_what_is_written_comes_back, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_bad_points_are_named, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_every_byte_of_the_header_counts, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_every_field_is_checked, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_no_id_without_an_end, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_cut_and_lengthened_files, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_what_is_no_folded_file, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_of_other_parameters_or_another_circuit, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_parameters_that_were_cut, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_shapes_of_others_are_refused, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_half_a_file_never_appears, scratch_make, scratch_remove),
    cmocka_unit_test(test_its_name),
};
CZ_TEST_MAIN(cases)
