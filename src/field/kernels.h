/* kernels.h: the multiplications that everything else is made of, chosen once at start.
 *
 * Forms: "portable" (C on 128-bit products, field_portable.c, the definition) and "adx"
 * (mulx/adcx/adox, field_adx.c, on CPUs that have BMI2 and ADX). Both give the same canonical bits;
 * tests/unit/field compares them. The wide AVX-512 forms do not live here: they are batch kernels
 * inside msm/ and ntt/. */
#ifndef CZ_FIELD_KERNELS_H
#define CZ_FIELD_KERNELS_H

#include <stddef.h>

#include "base/err.h"

struct cz_fr;
struct cz_fp;

typedef struct {
    const char *name;
    void (*fr_mul)(struct cz_fr *r, const struct cz_fr *a, const struct cz_fr *b);
    void (*fr_sqr)(struct cz_fr *r, const struct cz_fr *a);
    void (*fr_dot)(struct cz_fr *r, const struct cz_fr *a, const struct cz_fr *b, size_t b_stride,
                   size_t n);
    void (*fp_mul)(struct cz_fp *r, const struct cz_fp *a, const struct cz_fp *b);
    void (*fp_sqr)(struct cz_fp *r, const struct cz_fp *a);
} cz_field_kernel_table;

/** The form in use. Set before main() to the best that this CPU runs, or by cz_field_select. */
extern cz_field_kernel_table cz_field_kernels;

/** Use the form of this name from now on. CZ_E_NOTFOUND: no such form; CZ_E_NODEV: this CPU cannot
 * run it. Call while no other thread computes. */
CZ_MUST_CHECK cz_err cz_field_select(const char *name);

#endif
