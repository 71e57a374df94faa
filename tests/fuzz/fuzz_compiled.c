/* Compiled circuits: what is accepted can be evaluated, expanded and asked. The checksum is put
 * right first, so that the tables behind it are reached. */
#include "fuzz.h"

#include <string.h>

#include "cs/compiled_eval.h"
#include "cs/compiled_tables.h"

enum { MAX_VARIABLES = 1 << 16 };

static void expand(const cz_compiled *c)
{
    cz_expansion expansion = cz_compiled_expand(c);
    cz_circuit_stats stats, stored = cz_compiled_stats(c);

    if (cz_circuit_count(&stats, &expansion.circuit) != CZ_OK)
        return;
    FUZZ_REQUIRE(stats.inputs == stored.inputs && stats.aux == stored.aux);
    FUZZ_REQUIRE(stats.constraints == stored.constraints);
}

static void evaluate(const cz_compiled *c)
{
    uint64_t n = cz_compiled_rows(c);
    cz_bit_witness w = {.n_inputs = (uint32_t)cz_compiled_stats(c).inputs,
                        .n_aux = (uint32_t)cz_compiled_stats(c).aux,
                        .n_fields = cz_compiled_measure(c).n_fields};
    cz_fr *rows = calloc(3 * n, sizeof *rows);

    w.inputs = calloc(w.n_inputs, sizeof *w.inputs);
    w.bits = calloc(w.n_aux / 64 + 2, sizeof *w.bits);
    w.fields = calloc(w.n_fields + (size_t)1, sizeof *w.fields);
    if (rows != NULL && w.inputs != NULL && w.bits != NULL && w.fields != NULL) {
        memset(w.bits, 0x5a, w.n_aux / 64 * 8);
        FUZZ_REQUIRE(cz_compiled_eval(c, &w, NULL, 0, n, rows, rows + n, rows + 2 * n) == CZ_OK);
    }
    free(rows);
    free(w.inputs);
    free(w.bits);
    free(w.fields);
}

static void use(const cz_compiled *c)
{
    cz_densities d;

    if (cz_compiled_stats(c).inputs > MAX_VARIABLES || cz_compiled_stats(c).aux > MAX_VARIABLES)
        return;
    evaluate(c);
    expand(c);
    if (cz_compiled_densities(&d, c) == CZ_OK)
        cz_densities_clear(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n + 1);
    cz_compiled *c;

    if (copy == NULL)
        return 0;
    memcpy(copy, bytes, n);
    if (n >= sizeof(cz_compiled_header))
        cz_compiled_checksum(((cz_compiled_header *)(void *)copy)->checksum, copy, n);
    if (cz_compiled_adopt(&c, copy, n, "input") == CZ_OK) {
        use(c);
        cz_compiled_destroy(c);
    }
    return 0;
}
