/* The witness of a PoSt that a device makes, against the one of the circuit. On the host's stand-in
 * by default, on a device with CUZK_TEST_CUDA. */
#define _GNU_SOURCE
#include "filecoin/post_witness.h"

#include <stdlib.h>

#include "cs/compile.h"
#include "filecoin/gen_vanilla.h"
#include "filecoin/post_circuit.h"
#include "host_post.h"

typedef struct {
    cz_post_vanilla *vanilla;
    cz_circuit *circuit;
    cz_compiled *compiled;
    cz_bit_witness want;
} post;

static void post_begin(post *p, cz_proof_kind kind, const char *id, size_t n_sectors)
{
    const cz_sector_shape *shape = cz_sector_shape_by_tag(strchr(id, '-') + 1);
    cz_post_statement s = {.kind = kind, .shape = shape, .api = CZ_API_1_2};
    cz_circuit *blank;

    assert_non_null(shape);
    cz_test_random_bytes(s.randomness, sizeof s.randomness);
    cz_post_randomness(s.randomness, s.randomness);
    assert_ok(cz_gen_post(&p->vanilla, &s, cz_test_random(), 1000, n_sectors, NULL));
    assert_ok(cz_circuit_create_blank(&blank, id));
    assert_ok(cz_circuit_compile(&p->compiled, blank, NULL));
    cz_circuit_destroy(blank);
    assert_ok(cz_post_circuit_create(&p->circuit, id, kind, p->vanilla));
    assert_ok(cz_bit_witness_synthesize(&p->want, p->compiled, p->circuit));
}

static void post_end(post *p)
{
    cz_bit_witness_clear(&p->want);
    cz_circuit_destroy(p->circuit);
    cz_compiled_destroy(p->compiled);
    cz_post_vanilla_destroy(p->vanilla);
}

static cz_gpu *open_gpu(void)
{
    host_gpu_table.post_witness = host_post_witness;
    return host_gpu_open(0);
}

/* What a source has filled, on the host. */
typedef struct {
    uint64_t *plane;
    cz_fr *values;
    size_t plane_bytes, value_bytes;
} filled;

static void fill(filled *f, cz_gpu *gpu, const cz_bit_witness *w, size_t scratch_bytes)
{
    void *d_plane, *d_values, *d_scratch;

    f->plane_bytes = (((size_t)w->n_aux + 63) / 64 + 1) * sizeof *f->plane;
    f->value_bytes = ((size_t)w->n_inputs + w->n_fields) * sizeof *f->values;
    f->plane = malloc(f->plane_bytes);
    f->values = malloc(f->value_bytes);
    assert_non_null(f->plane);
    assert_non_null(f->values);
    assert_ok(cz_gpu_take(gpu, CZ_GPU_DEVICE_MEMORY, &d_plane, f->plane_bytes, "plane"));
    assert_ok(cz_gpu_take(gpu, CZ_GPU_DEVICE_MEMORY, &d_values, f->value_bytes, "values"));
    assert_ok(cz_gpu_take(gpu, CZ_GPU_DEVICE_MEMORY, &d_scratch, scratch_bytes, "scratch"));
    assert_ok(w->source->fill(w->source, gpu, d_plane, d_values, d_scratch, scratch_bytes));
    assert_ok(cz_gpu_copy(gpu, CZ_GPU_COMPUTE, f->plane, d_plane, f->plane_bytes));
    assert_ok(cz_gpu_copy(gpu, CZ_GPU_COMPUTE, f->values, d_values, f->value_bytes));
    assert_ok(cz_gpu_sync(gpu));
    cz_gpu_give_back(gpu, d_plane);
    cz_gpu_give_back(gpu, d_values);
    cz_gpu_give_back(gpu, d_scratch);
}

static void clear(filled *f)
{
    free(f->plane);
    free(f->values);
}

/* Scratch as the rows of the circuit would leave it. */
static void assert_same_witness(const post *p, cz_proof_kind kind)
{
    const cz_bit_witness *want = &p->want;
    cz_gpu *gpu = open_gpu();
    cz_witness_source *source;
    cz_bit_witness w;
    filled f;

    assert_ok(cz_post_witness_source(&source, kind, p->vanilla, p->compiled));
    cz_bit_witness_from_source(&w, source);
    assert_int_equal(w.n_inputs, want->n_inputs);
    assert_int_equal(w.n_aux, want->n_aux);
    assert_int_equal(w.n_fields, want->n_fields);
    fill(&f, gpu, &w, (size_t)3 * want->n_aux * sizeof(cz_fr));
    assert_memory_equal(f.plane, want->bits, f.plane_bytes);
    assert_memory_equal(f.values, want->inputs, want->n_inputs * sizeof(cz_fr));
    assert_memory_equal(f.values + want->n_inputs, want->fields, want->n_fields * sizeof(cz_fr));
    clear(&f);
    cz_bit_witness_clear(&w);
    cz_gpu_close(gpu);
}

static void check(cz_proof_kind kind, const char *id, size_t n_sectors)
{
    post p;

    post_begin(&p, kind, id, n_sectors);
    assert_same_witness(&p, kind);
    post_end(&p);
}

static void test_window(void **state)
{
    (void)state;
    check(CZ_KIND_WINDOW, "wpost-2k", 2);
}

/* The last sector stands for those that are missing. */
static void test_window_not_full(void **state)
{
    (void)state;
    check(CZ_KIND_WINDOW, "wpost-2k", 1);
}

static void test_winning(void **state)
{
    (void)state;
    check(CZ_KIND_WINNING, "winning-2k", 1);
}

/* Levels of arity 2 and 8 above the base. */
static void test_tall_trees(void **state)
{
    (void)state;
    check(CZ_KIND_WINDOW, "wpost-4k", 2);
    check(CZ_KIND_WINDOW, "wpost-32k", 2);
}

static void test_other_circuit(void **state)
{
    cz_witness_source *source;
    post window, winning;

    (void)state;
    post_begin(&window, CZ_KIND_WINDOW, "wpost-2k", 2);
    post_begin(&winning, CZ_KIND_WINNING, "winning-2k", 1);
    assert_fails(cz_post_witness_source(&source, CZ_KIND_WINDOW, window.vanilla, winning.compiled),
                 CZ_E_INTERNAL, "winning-2k has other variables");
    post_end(&window);
    post_end(&winning);
}

static void test_too_little_scratch(void **state)
{
    cz_gpu *gpu = open_gpu();
    cz_witness_source *source;
    void *d_scratch;
    post p;

    (void)state;
    post_begin(&p, CZ_KIND_WINDOW, "wpost-2k", 2);
    assert_ok(cz_post_witness_source(&source, CZ_KIND_WINDOW, p.vanilla, p.compiled));
    assert_ok(cz_gpu_take(gpu, CZ_GPU_DEVICE_MEMORY, &d_scratch, 1000, "scratch"));
    assert_fails(source->fill(source, gpu, d_scratch, d_scratch, d_scratch, 1000), CZ_E_DECLINED,
                 "there are 1000");
    cz_gpu_give_back(gpu, d_scratch);
    source->destroy(source);
    post_end(&p);
    cz_gpu_close(gpu);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_window),        cmocka_unit_test(test_window_not_full),
    cmocka_unit_test(test_winning),       cmocka_unit_test(test_tall_trees),
    cmocka_unit_test(test_other_circuit), cmocka_unit_test(test_too_little_scratch),
};
CZ_TEST_MAIN(cases)
