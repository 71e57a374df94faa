/* client_check.c: the proofs that a daemon returns, verified here: with the key from a file and
 * inputs that follow from the request. */
#include "client.h"

#include <stdlib.h>

#include "groth16/groth16.h"

struct client_check {
    cz_verifier *verifier;
    cz_job *job;
};

static cz_err open_verifier(client_check *check, const char *folder, cz_pool *pool)
{
    cz_vk vk;
    cz_err err;

    CZ_TRY(load_vk(&vk, folder, cz_job_circuit_id(check->job), pool));
    err = cz_verifier_create(&check->verifier, &vk);
    cz_vk_clear(&vk);
    return err;
}

cz_err client_check_create(client_check **out, const cz_request *request, const char *folder,
                           cz_pool *pool)
{
    client_check *check = calloc(1, sizeof *check);
    cz_err err;

    if (check == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a verifier");
    err = cz_job_create(&check->job, request, pool);
    if (err == CZ_OK)
        err = open_verifier(check, folder, pool);
    if (err != CZ_OK) {
        client_check_destroy(check);
        return err;
    }
    *out = check;
    return CZ_OK;
}

void client_check_destroy(client_check *check)
{
    if (check == NULL)
        return;
    cz_verifier_destroy(check->verifier);
    cz_job_destroy(check->job);
    free(check);
}

static cz_err check_partition(const client_check *check, size_t k, const uint8_t *bytes)
{
    cz_proof proof;
    cz_fr *inputs;
    size_t n;
    cz_err err;

    CZ_TRY(cz_proof_read(&proof, bytes));
    CZ_TRY(cz_job_public_inputs(check->job, k, &inputs, &n));
    err = cz_groth16_verify(check->verifier, &proof, inputs, n);
    free(inputs);
    return err;
}

cz_err client_check_proof(const client_check *check, const uint8_t *proof, size_t n)
{
    const size_t partitions = cz_job_partitions(check->job);

    if (n != partitions * CZ_PROOF_BYTES)
        return cz_fail(CZ_E_INPUT, "%zu bytes of proof, %zu partitions need %zu", n, partitions,
                       partitions * CZ_PROOF_BYTES);
    for (size_t k = 0; k < partitions; k++)
        CZ_TRY_IN(check_partition(check, k, proof + k * CZ_PROOF_BYTES), "partition %zu", k);
    return CZ_OK;
}
