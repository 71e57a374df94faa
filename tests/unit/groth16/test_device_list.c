/* A list cut into chunks: every point of it is in one of them, in the place that the whole list's
 * order gives it. */
#define _GNU_SOURCE
#include "bits_circuit.h"
#include "device_case.h"

#include "cs/compiled_eval.h"
#include "groth16/device_list.h"

static cz_select_words words_of(const cz_device_list *list, const cz_device_chunk *c)
{
    return (cz_select_words){.dense = list->dense + c->first_word,
                             .mask = list->mask + c->first_word,
                             .before = list->before + c->first_word,
                             .ranks = list->ranks + c->first_word,
                             .n_words = c->n_words};
}

static cz_select_stretch stretch_of(const cz_device_chunk *c)
{
    return (cz_select_stretch){.first = c->first,
                               .n = c->n,
                               .n_inputs = c->n_inputs,
                               .first_bit = c->first_bit,
                               .first_tail = c->tail_begin};
}

/* The chunk's places, from where it begins, against the list's; its counts against what they say.
 */
static void assert_chunk(const cz_device_list *list, const cz_device_chunk *c, const uint32_t *want)
{
    const cz_select_words words = words_of(list, c);
    const cz_select_stretch stretch = stretch_of(c);
    uint32_t *got = calloc(c->n, sizeof *got), bits = 0, tail = 0;

    assert_non_null(got);
    assert_ok(host_select_places(NULL, got, &words, &stretch));
    for (uint32_t i = 0; i < c->n; i++) {
        const uint32_t place = want[c->first + i];

        if (place & CZ_SELECT_TAIL) {
            assert_int_equal(place & ~CZ_SELECT_TAIL, c->first_tail + tail++);
            assert_int_equal(got[i], place - c->tail_begin);
        } else {
            assert_int_equal(place, c->first_bit + bits++);
            assert_int_equal(got[i], place - c->first_bit);
        }
    }
    assert_int_equal(bits, c->n_bits);
    assert_int_equal(tail, c->n_tail);
    free(got);
}

/* Bits of the whole list's plane, piece by piece. */
static void assert_bits(const cz_device_list *list, const cz_device_chunk *c, const uint64_t *plane,
                        const uint64_t *want)
{
    uint64_t *got = calloc(c->n_bits / 64 + 2, sizeof *got);

    assert_non_null(got);
    assert_ok(host_select_bits(NULL, got, plane + c->first_word, list->mask + c->first_word,
                               list->ranks + c->first_word, c->n_words, c->first_bit));
    for (uint32_t i = 0; i < c->n_bits; i++) {
        const uint32_t k = c->first_bit + i;

        assert_int_equal(got[i / 64] >> i % 64 & 1, want[k / 64] >> k % 64 & 1);
    }
    free(got);
}

static void assert_chunks(const cz_device_list *list, const uint32_t *places, size_t points,
                          size_t tail_points)
{
    uint64_t *plane = malloc((list->n_words + 1) * sizeof *plane);
    uint64_t *selected = calloc(list->n_bits / 64 + 2, sizeof *selected);
    size_t n, next = 0, summed = 0;
    cz_device_chunk *chunks;

    assert_non_null(plane);
    assert_non_null(selected);
    cz_test_random_bytes((uint8_t *)plane, (list->n_words + 1) * sizeof *plane);
    assert_ok(host_select_bits(NULL, selected, plane, list->mask, list->ranks, list->n_words, 0));
    assert_ok(cz_device_list_chunks(&chunks, &n, list, points, tail_points));
    for (size_t i = 0; i < n; i++) {
        const cz_device_chunk *c = &chunks[i];

        assert_int_equal(c->first, next);
        assert_true(c->n > 0 && c->n <= points);
        assert_int_equal(c->tail_begin, summed);
        assert_true(c->first_tail + c->n_tail - c->tail_begin <= tail_points);
        assert_chunk(list, c, places);
        assert_bits(list, c, plane, selected);
        next += c->n;
        if (c->sum_tail)
            summed = c->first_tail + c->n_tail;
    }
    assert_int_equal(next, list->n_bits + list->n_tail);
    assert_int_equal(summed, list->n_tail);
    free(chunks);
    free(selected);
    free(plane);
}

static void assert_list(const cz_device_list_vars *vars)
{
    cz_device_places walk = cz_device_places_begin(vars);
    cz_device_list list;
    uint32_t *places;
    size_t all;

    assert_ok(cz_device_list_make(&list, vars));
    all = list.n_bits + list.n_tail;
    places = malloc((all + 1) * sizeof *places);
    assert_non_null(places);
    cz_device_places_fill(&walk, places, 0, all);
    for (size_t points = 1; points <= all; points += points < 80 ? 1 : 37)
        for (size_t tail = points; tail <= 2 * points; tail += points)
            assert_chunks(&list, places, points, tail);
    assert_chunks(&list, places, all + 100, list.n_tail);
    free(places);
    cz_device_list_clear(&list);
}

static void assert_lists_of(const cz_circuit *circuit)
{
    cz_densities densities = {0};
    cz_compiled *c;

    assert_ok(cz_circuit_compile(&c, circuit, NULL));
    assert_ok(cz_compiled_densities(&densities, c));
    assert_list(&(cz_device_list_vars){.circuit = c});
    assert_list(
        &(cz_device_list_vars){.circuit = c, .has_inputs = true, .dens_aux = densities.a_aux});
    assert_list(&(cz_device_list_vars){.circuit = c,
                                       .has_inputs = true,
                                       .dens_input = densities.b_input,
                                       .dens_aux = densities.b_aux});
    cz_densities_clear(&densities);
    cz_compiled_destroy(c);
}

static void test_chunks_of_bits(void **state)
{
    (void)state;
    assert_lists_of(&bits_circuit);
}

static void test_chunks_of_toys(void **state)
{
    const toy_circuit toys[] = {toy_make(1, 2, 0), toy_make(2, 3, 4), toy_make(80, 100, 70)};

    (void)state;
    for (size_t i = 0; i < sizeof toys / sizeof toys[0]; i++)
        assert_lists_of(&toys[i].base);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_chunks_of_bits),
    cmocka_unit_test(test_chunks_of_toys),
};
CZ_TEST_MAIN(cases)
