/* witness_ahead.c: see witness_ahead.h. */
#include "witness_ahead.h"

#include <stdio.h>
#include <stdlib.h>

static cz_err make_all(const witness_ahead *a)
{
    for (size_t i = 0; i < a->n; i++)
        CZ_TRY_IN(a->make(a->ctx, a->first + i, &a->w[i]), "partition %zu", a->first + i);
    return CZ_OK;
}

static void *run(void *arg)
{
    witness_ahead *a = arg;

    a->err = make_all(a);
    if (a->err != CZ_OK)
        (void)snprintf(a->message, sizeof a->message, "%s", cz_err_message());
    return NULL;
}

cz_err witness_ahead_start(witness_ahead *a, witness_maker make, void *ctx, size_t first, size_t n)
{
    *a = (witness_ahead){
        .make = make, .ctx = ctx, .first = first, .n = n, .w = calloc(n, sizeof *a->w)};
    if (a->w == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu witnesses", n);
    a->is_begun = true;
    a->has_thread = pthread_create(&a->thread, NULL, run, a) == 0;
    return CZ_OK;
}

bool witness_ahead_has(const witness_ahead *a, size_t first)
{
    return a->is_begun && a->first == first;
}

cz_err witness_ahead_take(witness_ahead *a, cz_bit_witness **out)
{
    if (a->has_thread)
        (void)pthread_join(a->thread, NULL);
    else
        (void)run(a);
    a->is_begun = false;
    if (a->err != CZ_OK) {
        witness_ahead_free(a->w, a->n);
        cz_err_adopt(a->message);
        return a->err;
    }
    *out = a->w;
    return CZ_OK;
}

void witness_ahead_free(cz_bit_witness *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cz_bit_witness_clear(&w[i]);
    free(w);
}

void witness_ahead_stop(witness_ahead *a)
{
    if (!a->is_begun)
        return;
    if (a->has_thread)
        (void)pthread_join(a->thread, NULL);
    witness_ahead_free(a->w, a->n);
    a->is_begun = false;
}
