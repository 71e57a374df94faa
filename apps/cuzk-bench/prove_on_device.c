/* prove_on_device.c: partitions by a device, in batches. See prove_run.h. */
#include <stdlib.h>

#include "prove_run.h"

static cz_err make_witness_ahead(void *ctx, size_t k, cz_bit_witness *w)
{
    prove_run *p = ctx;
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(p->job, k, &circuit));
    err = prove_make_bits(p, k, circuit, w);
    cz_circuit_destroy(circuit);
    return err;
}

/* The first partition is proved alone while the other witnesses are made; but where the parameters
 * come from the file, for which a batch less counts for more. */
size_t prove_batch_at(const prove_run *p, size_t first)
{
    const size_t left = p->n_partitions - first, most = cz_device_key_batch(p->device.key);

    if (first == 0 && !cz_device_key_streams(p->device.key))
        return 1;
    return left < most ? left : most;
}

/* Witnesses [first, first + n), and a start with the next ones. */
static cz_err take_witnesses(prove_run *p, size_t first, size_t n, cz_bit_witness **w)
{
    const size_t next = first + n;

    if (!witness_ahead_has(&p->ahead, first))
        CZ_TRY(witness_ahead_start(&p->ahead, make_witness_ahead, p, first, n));
    CZ_TRY(witness_ahead_take(&p->ahead, w));
    if (next < p->n_partitions && witness_ahead_start(&p->ahead, make_witness_ahead, p, next,
                                                      prove_batch_at(p, next)) != CZ_OK) {
        witness_ahead_free(*w, n);
        return CZ_E_NOMEM;
    }
    return CZ_OK;
}

static cz_err prove_witnesses(prove_run *p, size_t first, size_t n, const cz_bit_witness *w,
                              cz_proof *proofs, cz_device_partition *parts)
{
    for (size_t i = 0; i < n; i++) {
        parts[i] = (cz_device_partition){.w = &w[i], .partition = (unsigned)(first + i)};
        if (p->r != NULL) {
            parts[i].r = &p->r[first + i];
            parts[i].s = &p->s[first + i];
        }
    }
    return cz_groth16_prove_device_batch(proofs, p->device.key, parts, (unsigned)n, p->trace);
}

static cz_err explain_partition(prove_run *p, size_t k)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(p->job, k, &circuit));
    err = prove_explain_refusal(p, circuit);
    cz_circuit_destroy(circuit);
    return err;
}

static cz_err verify_batch(prove_run *p, size_t first, size_t n, const cz_proof *proofs)
{
    for (size_t i = 0; i < n; i++) {
        cz_err err = prove_write_and_verify(p, first + i, &proofs[i]);

        if (err == CZ_E_VERIFY)
            err = explain_partition(p, first + i);
        CZ_TRY_IN(err, "partition %zu", first + i);
    }
    return CZ_OK;
}

/* Partitions [first, first + n). */
cz_err prove_batch_on_device(prove_run *p, size_t first, size_t n)
{
    cz_device_partition *parts = calloc(n, sizeof *parts);
    cz_proof *proofs = calloc(n, sizeof *proofs);
    cz_bit_witness *w;
    cz_err err = CZ_OK;

    prove_show_stage(p, first, n > 1 ? "witness and the next ones'" : "witness");
    if (parts == NULL || proofs == NULL)
        err = cz_fail(CZ_E_NOMEM, "no memory for %zu proofs", n);
    if (err == CZ_OK)
        err = take_witnesses(p, first, n, &w);
    if (err == CZ_OK) {
        prove_show_stage(p, first, n > 1 ? "proof and the next ones'" : "proof");
        err = prove_witnesses(p, first, n, w, proofs, parts);
        witness_ahead_free(w, n);
    }
    if (err == CZ_OK)
        err = verify_batch(p, first, n, proofs);
    free(parts);
    free(proofs);
    return err;
}
