/* time_case.c: the operations of `cuzk-bench time` by name. */
#include "time_case.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    cz_err (*create)(time_case **out, const time_order *order);
} operation;

static const operation operations[] = {
    {"msm", time_msm_create},
    {"bitsum", time_msm_create},
    {"fixed", time_msm_create},
    {"ntt", time_ntt_create},
    {"quotient", time_ntt_create},
    {"fr", time_field_create},
    {"fp", time_field_create},
    {"pairing", time_curve_create},
    {"subgroup", time_curve_create},
    {"poseidon", time_hash_create},
    {"poseidon-witness", time_hash_create},
    {"sha256", time_hash_create},
    {"trace", time_trace_create},
};

cz_err time_parse_log2(unsigned *out, const char *text, unsigned least, unsigned most)
{
    char *rest = NULL;
    unsigned long v = 0;
    unsigned log = 0;

    if (text != NULL && strncmp(text, "2^", 2) == 0) {
        v = strtoul(text + 2, &rest, 10);
        log = v <= most ? (unsigned)v : most + 1;
    } else if (text != NULL) {
        v = strtoul(text, &rest, 10);
        while (log < 63 && (v >> log) > 1)
            log++;
        if (v == 0 || v != 1ul << log)
            rest = NULL;
    }
    if (rest == NULL || *rest != '\0' || log < least || log > most)
        return args_mistake(
            cz_fail(CZ_E_INPUT, "'%.32s' is no size; a power of two from 2^%u to 2^%u is wanted",
                    text != NULL ? text : "", least, most));
    *out = log;
    return CZ_OK;
}

cz_err time_case_create(time_case **out, const time_order *order)
{
    if (order->n_words == 2 && strcmp(order->words[1], "prove") == 0)
        return time_prove_create(out, order);
    if (order->n_words == 2 &&
        (strcmp(order->words[1], "witness") == 0 || strcmp(order->words[1], "evaluate") == 0))
        return time_circuit_create(out, order);
    if (order->n_words == 2 && strcmp(order->words[1], "device-witness") == 0)
        return time_device_witness_create(out, order);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(order->words[0], operations[i].name) == 0)
            return operations[i].create(out, order);
    return args_mistake(cz_fail(CZ_E_INPUT, "'%.32s' is no operation; known:\n%s", order->words[0],
                                TIME_CASES_HELP));
}

void time_case_destroy(time_case *c)
{
    if (c != NULL)
        c->destroy(c);
}
