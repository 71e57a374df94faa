/* fr_matrix.c: see fr_matrix.h. */
#include "hash/fr_matrix.h"

static void add_product(cz_fr *acc, const cz_fr *a, const cz_fr *b)
{
    cz_fr t;

    cz_fr_mul(&t, a, b);
    cz_fr_add(acc, acc, &t);
}

void cz_fr_matrix_mul(cz_fr *c, const cz_fr *a, const cz_fr *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        cz_fr_row_times_matrix(c + i * n, a + i * n, b, n);
}

void cz_fr_row_times_matrix(cz_fr *out, const cz_fr *v, const cz_fr *m, unsigned n)
{
    for (unsigned j = 0; j < n; j++) {
        out[j] = CZ_FR_ZERO;
        for (unsigned i = 0; i < n; i++)
            add_product(&out[j], &v[i], &m[i * n + j]);
    }
}

void cz_fr_matrix_times_column(cz_fr *out, const cz_fr *m, const cz_fr *v, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        out[i] = CZ_FR_ZERO;
        for (unsigned j = 0; j < n; j++)
            add_product(&out[i], &m[i * n + j], &v[j]);
    }
}

static void swap_rows(cz_fr *m, unsigned a, unsigned b, unsigned n)
{
    for (unsigned j = 0; j < n; j++) {
        cz_fr t = m[a * n + j];

        m[a * n + j] = m[b * n + j];
        m[b * n + j] = t;
    }
}

static void scale_row(cz_fr *m, unsigned row, const cz_fr *factor, unsigned n)
{
    for (unsigned j = 0; j < n; j++)
        cz_fr_mul(&m[row * n + j], &m[row * n + j], factor);
}

/* row -= factor * other */
static void eliminate(cz_fr *m, unsigned row, unsigned other, const cz_fr *factor, unsigned n)
{
    cz_fr minus;

    cz_fr_neg(&minus, factor);
    for (unsigned j = 0; j < n; j++)
        add_product(&m[row * n + j], &minus, &m[other * n + j]);
}

/* A row at or below k whose column k is not zero; n when there is none. */
static unsigned find_pivot(const cz_fr *m, unsigned k, unsigned n)
{
    unsigned row = k;

    while (row < n && cz_fr_is_zero(&m[row * n + k]))
        row++;
    return row;
}

bool cz_fr_matrix_invert(cz_fr *out, cz_fr *m, unsigned n)
{
    for (unsigned i = 0; i < n * n; i++)
        out[i] = i % (n + 1) == 0 ? CZ_FR_ONE : CZ_FR_ZERO;
    for (unsigned k = 0; k < n; k++) {
        unsigned pivot = find_pivot(m, k, n);
        cz_fr inverse;

        if (pivot == n)
            return false;
        swap_rows(m, k, pivot, n);
        swap_rows(out, k, pivot, n);
        cz_fr_inv(&inverse, &m[k * n + k]);
        scale_row(m, k, &inverse, n);
        scale_row(out, k, &inverse, n);
        for (unsigned row = 0; row < n; row++) {
            cz_fr factor = m[row * n + k];

            if (row == k || cz_fr_is_zero(&factor))
                continue;
            eliminate(m, row, k, &factor, n);
            eliminate(out, row, k, &factor, n);
        }
    }
    return true;
}
