/* ntt_gpu.c: see ntt_gpu.h. */
#include "ntt/ntt_gpu.h"

/* Whoever holds a cz_gpu or a cz_gpu_ntt has loaded the backend, so this cannot fail for them. */
static const cz_gpu_backend *backend(void)
{
    const cz_gpu_backend *b = NULL;

    return cz_gpu_load(&b) == CZ_OK ? b : NULL;
}

cz_err cz_ntt_gpu_create(cz_gpu *gpu, cz_gpu_ntt **out, unsigned log_n)
{
    return cz_gpu_result(backend()->ntt_create(gpu, out, log_n));
}

void cz_ntt_gpu_destroy(cz_gpu_ntt *ntt)
{
    if (ntt != NULL)
        backend()->ntt_destroy(ntt);
}

cz_err cz_ntt_gpu_run(cz_gpu_ntt *ntt, cz_gpu_ntt_kind kind, cz_fr *d_xs, cz_fr *d_scratch)
{
    return cz_gpu_result(backend()->ntt_run(ntt, kind, d_xs, d_scratch));
}

cz_err cz_ntt_gpu_quotient(cz_gpu_ntt *ntt, cz_fr *d_a, cz_fr *d_b, cz_fr *d_c, cz_fr *d_scratch)
{
    return cz_gpu_result(backend()->ntt_quotient(ntt, d_a, d_b, d_c, d_scratch));
}

cz_err cz_ntt_gpu_quotient_product(cz_gpu_ntt *ntt, cz_fr *d_a, cz_fr *d_b, cz_fr *d_scratch)
{
    return cz_gpu_result(backend()->ntt_quotient_product(ntt, d_a, d_b, d_scratch));
}

cz_err cz_ntt_gpu_quotient_subtract(cz_gpu_ntt *ntt, cz_fr *d_c, cz_fr *d_a, cz_fr *d_scratch)
{
    return cz_gpu_result(backend()->ntt_quotient_subtract(ntt, d_c, d_a, d_scratch));
}

cz_err cz_ntt_gpu_coset_product(cz_gpu_ntt *ntt, cz_fr *d_a, cz_fr *d_b, cz_fr *d_scratch)
{
    return cz_gpu_result(backend()->ntt_coset_product(ntt, d_a, d_b, d_scratch));
}
