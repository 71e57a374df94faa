/* poseidon_template.c: the combinations of one arity, out of a symbolic run of the schedule. */
#include "gadgets/poseidon_template.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The state while a template is built: row i is element i as a dense combination of slots. */
typedef struct {
    cz_poseidon_template *t;
    unsigned width;
    unsigned next_slot;
    unsigned sum;
    cz_fr *rows, *mixed; /* width x n_slots each */
} builder;

static cz_fr *row(const builder *b, cz_fr *rows, unsigned i)
{
    return rows + (size_t)i * b->t->n_slots;
}

/* ---- S-boxes: record what goes in, put a fresh slot in its place ---- */

static void record_sum(builder *b, unsigned element)
{
    const cz_fr *from = row(b, b->rows, element);
    uint32_t n = b->t->first[b->sum];

    for (uint32_t slot = 0; slot < b->next_slot; slot++)
        if (!cz_fr_is_zero(&from[slot]))
            b->t->terms[n++] = (cz_poseidon_term){from[slot], slot};
    b->t->first[++b->sum] = n;
}

static void replace_by_slot(builder *b, unsigned element)
{
    cz_fr *to = row(b, b->rows, element);

    memset(to, 0, b->t->n_slots * sizeof *to);
    to[b->next_slot++] = CZ_FR_ONE;
}

static void s_box(builder *b, unsigned element)
{
    record_sum(b, element);
    replace_by_slot(b, element);
}

/* ---- linear layers ---- */

/* to += coeff * from */
static void add_scaled(const builder *b, cz_fr *to, const cz_fr *coeff, const cz_fr *from)
{
    cz_fr product;

    for (unsigned slot = 0; slot < b->next_slot; slot++) {
        if (cz_fr_is_zero(&from[slot]))
            continue;
        cz_fr_mul(&product, coeff, &from[slot]);
        cz_fr_add(&to[slot], &to[slot], &product);
    }
}

static void swap_rows(builder *b)
{
    cz_fr *t = b->rows;

    b->rows = b->mixed;
    b->mixed = t;
}

/* element j = sum over i of element i * matrix[i][j] */
static void mix_dense(builder *b, const cz_fr *matrix)
{
    memset(b->mixed, 0, (size_t)b->width * b->t->n_slots * sizeof *b->mixed);
    for (unsigned j = 0; j < b->width; j++)
        for (unsigned i = 0; i < b->width; i++)
            add_scaled(b, row(b, b->mixed, j), &matrix[i * b->width + j], row(b, b->rows, i));
    swap_rows(b);
}

/* element 0 = sum over i of element i * w_hat[i]; element j += element 0 * v_rest[j - 1] */
static void mix_sparse(builder *b, const cz_poseidon_sparse *m)
{
    cz_fr *corner = row(b, b->mixed, 0);

    memset(corner, 0, b->t->n_slots * sizeof *corner);
    for (unsigned i = 0; i < b->width; i++)
        add_scaled(b, corner, &m->w_hat[i], row(b, b->rows, i));
    for (unsigned j = 1; j < b->width; j++)
        add_scaled(b, row(b, b->rows, j), &m->v_rest[j - 1], row(b, b->rows, 0));
    memcpy(row(b, b->rows, 0), corner, b->t->n_slots * sizeof *corner);
}

/* ---- the schedule ---- */

static void full_round(builder *b, const cz_fr *matrix)
{
    for (unsigned i = 0; i < b->width; i++)
        s_box(b, i);
    mix_dense(b, matrix);
}

static void first_round(builder *b)
{
    for (unsigned i = 0; i < b->width; i++)
        replace_by_slot(b, i);
    mix_dense(b, b->t->k->mds);
}

static void run_schedule(builder *b)
{
    const cz_poseidon_constants *k = b->t->k;
    const unsigned half = CZ_POSEIDON_FULL_ROUNDS / 2;

    first_round(b);
    for (unsigned i = 1; i < half; i++)
        full_round(b, i == half - 1 ? k->pre_sparse : k->mds);
    for (unsigned i = 0; i < k->partial_rounds; i++) {
        s_box(b, 0);
        mix_sparse(b, &k->sparse[i]);
    }
    for (unsigned i = 0; i < half; i++)
        full_round(b, k->mds);
    record_sum(b, 1);
}

/* ---- memory ---- */

static void destroy(cz_poseidon_template *t)
{
    if (t == NULL)
        return;
    free(t->first);
    free(t->terms);
    free(t);
}

/* Upper bound of all terms: every sum over every slot that exists by then. */
static size_t max_terms(const cz_poseidon_template *t)
{
    return (size_t)t->n_sums * t->n_slots;
}

static cz_poseidon_template *alloc_template(const cz_poseidon_constants *k)
{
    cz_poseidon_template *t = calloc(1, sizeof *t);

    if (t == NULL)
        return NULL;
    t->k = k;
    t->n_slots = CZ_POSEIDON_FULL_ROUNDS * k->width + k->partial_rounds;
    t->n_sums = t->n_slots - k->width + 1;
    t->first = calloc(t->n_sums + 1, sizeof *t->first);
    t->terms = malloc(max_terms(t) * sizeof *t->terms);
    if (t->first != NULL && t->terms != NULL)
        return t;
    destroy(t);
    return NULL;
}

static void shrink_terms(cz_poseidon_template *t)
{
    cz_poseidon_term *terms = realloc(t->terms, t->first[t->n_sums] * sizeof *terms);

    if (terms != NULL)
        t->terms = terms;
}

static cz_poseidon_template *build(const cz_poseidon_constants *k)
{
    cz_poseidon_template *t = alloc_template(k);
    builder b = {.t = t, .width = k->width};
    cz_fr *memory;

    if (t == NULL)
        return NULL;
    memory = calloc((size_t)2 * k->width * t->n_slots, sizeof *memory);
    if (memory == NULL) {
        destroy(t);
        return NULL;
    }
    b.rows = memory;
    b.mixed = memory + (size_t)k->width * t->n_slots;
    run_schedule(&b);
    free(memory);
    shrink_terms(t);
    return t;
}

const cz_poseidon_template *cz_poseidon_template_get(unsigned arity, cz_err *err)
{
    static _Atomic(cz_poseidon_template *) cache[CZ_POSEIDON_MAX_ARITY + 1];
    cz_poseidon_template *have = NULL;
    const cz_poseidon_constants *k;
    cz_poseidon_template *t;

    if (arity <= CZ_POSEIDON_MAX_ARITY)
        have = atomic_load(&cache[arity]);
    if (have != NULL)
        return have;
    k = cz_poseidon_get(arity);
    if (k == NULL) {
        *err = cz_fail(CZ_E_ARG, "no Poseidon constants for arity %u", arity);
        return NULL;
    }
    t = build(k);
    if (t == NULL) {
        *err = cz_fail(CZ_E_NOMEM, "no memory for the Poseidon circuit of arity %u", arity);
        return NULL;
    }
    if (atomic_compare_exchange_strong(&cache[arity], &have, t))
        return t;
    destroy(t); /* another thread was faster */
    return have;
}
