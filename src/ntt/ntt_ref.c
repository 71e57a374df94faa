/* ntt_ref.c: the definition. Cooley-Tukey, radix 2: bit reversal, then log_n layers. */
#include "ntt/ntt.h"
#include "ntt/quotient.h"

static void bit_reverse(cz_fr *xs, unsigned log_n)
{
    const size_t n = (size_t)1 << log_n;

    for (size_t i = 0, r = 0; i < n; i++) {
        if (i < r) {
            cz_fr t = xs[i];

            xs[i] = xs[r];
            xs[r] = t;
        }
        for (size_t bit = n >> 1; ((r ^= bit) & bit) == 0 && bit != 0; bit >>= 1)
            continue; /* r + 1, carrying from the top */
    }
}

/* xs[k] becomes sum over i of xs[i] root^(i k); root has order n. */
static void transform(cz_fr *xs, unsigned log_n, const cz_fr *root)
{
    const size_t n = (size_t)1 << log_n;

    bit_reverse(xs, log_n);
    for (size_t half = 1; half < n; half *= 2) {
        const uint64_t exponent = n / (2 * half);
        cz_fr step;

        cz_fr_pow_var(&step, root, &exponent, 1);
        for (size_t block = 0; block < n; block += 2 * half) {
            cz_fr w = CZ_FR_ONE;

            for (size_t j = block; j < block + half; j++) {
                cz_fr t;

                cz_fr_mul(&t, &xs[j + half], &w);
                cz_fr_sub(&xs[j + half], &xs[j], &t);
                cz_fr_add(&xs[j], &xs[j], &t);
                cz_fr_mul(&w, &w, &step);
            }
        }
    }
}

/* xs[i] becomes xs[i] first step^i */
static void scale_by_powers(cz_fr *xs, size_t n, const cz_fr *first, const cz_fr *step)
{
    cz_fr factor = *first;

    for (size_t i = 0; i < n; i++) {
        cz_fr_mul(&xs[i], &xs[i], &factor);
        cz_fr_mul(&factor, &factor, step);
    }
}

void cz_ntt_ref_forward(cz_fr *xs, unsigned log_n)
{
    cz_fr root;

    cz_fr_root_of_unity(&root, log_n);
    transform(xs, log_n, &root);
}

void cz_ntt_ref_inverse(cz_fr *xs, unsigned log_n)
{
    const size_t n = (size_t)1 << log_n;
    const cz_fr one = CZ_FR_ONE;
    cz_fr root, n_inv;

    cz_fr_root_of_unity(&root, log_n);
    cz_fr_inv(&root, &root);
    transform(xs, log_n, &root);
    cz_fr_from_u64(&n_inv, n);
    cz_fr_inv(&n_inv, &n_inv);
    scale_by_powers(xs, n, &n_inv, &one);
}

void cz_ntt_ref_coset_forward(cz_fr *xs, unsigned log_n)
{
    const cz_fr one = CZ_FR_ONE;
    const cz_fr shift = {CZ_FR_GENERATOR};

    scale_by_powers(xs, (size_t)1 << log_n, &one, &shift);
    cz_ntt_ref_forward(xs, log_n);
}

void cz_ntt_ref_coset_inverse(cz_fr *xs, unsigned log_n)
{
    const cz_fr one = CZ_FR_ONE;
    const cz_fr shift = {CZ_FR_GENERATOR};
    cz_fr unshift;

    cz_fr_inv(&unshift, &shift);
    cz_ntt_ref_inverse(xs, log_n);
    scale_by_powers(xs, (size_t)1 << log_n, &one, &unshift);
}

void cz_ntt_quotient_ref(cz_fr *a, cz_fr *b, cz_fr *c, unsigned log_n)
{
    const size_t n = (size_t)1 << log_n;
    const uint64_t exponent = n;
    const cz_fr shift = {CZ_FR_GENERATOR};
    const cz_fr one = CZ_FR_ONE;
    cz_fr *const vectors[3] = {a, b, c};
    cz_fr z;

    for (int i = 0; i < 3; i++) {
        cz_ntt_ref_inverse(vectors[i], log_n);
        cz_ntt_ref_coset_forward(vectors[i], log_n);
    }
    cz_fr_pow_var(&z, &shift, &exponent, 1);
    cz_fr_sub(&z, &z, &one);
    cz_fr_inv(&z, &z);
    for (size_t i = 0; i < n; i++) {
        cz_fr_mul(&a[i], &a[i], &b[i]);
        cz_fr_sub(&a[i], &a[i], &c[i]);
        cz_fr_mul(&a[i], &a[i], &z);
    }
    cz_ntt_ref_coset_inverse(a, log_n);
}

void cz_ntt_coset_product_ref(cz_fr *a, cz_fr *b, unsigned log_n)
{
    cz_fr *const vectors[2] = {a, b};

    for (int i = 0; i < 2; i++) {
        cz_ntt_ref_inverse(vectors[i], log_n);
        cz_ntt_ref_coset_forward(vectors[i], log_n);
    }
    for (size_t j = 0; j < (size_t)1 << log_n; j++)
        cz_fr_mul(&a[j], &a[j], &b[j]);
}
