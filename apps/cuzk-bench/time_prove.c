/* time_prove.c: whole proofs with open parameters, each verified: from the witness on, by the
 * compiled circuit. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "filecoin/gen_vanilla.h"
#include "groth16/groth16.h"
#include "groth16/prove_compiled.h"
#include "ntt/ntt.h"
#include "time_case.h"

typedef struct {
    time_case base;
    cz_job *job;
    cz_params params;
    bool params_open;
    cz_prover_key *key;
    cz_verifier *verifier;
    cz_compiled *compiled;
} prove_case;

/* --- opening -------------------------------------------------------------------------------- */

static cz_err synthetic_job(cz_job **out, const char *id, cz_pool *pool)
{
    cz_request *request;
    cz_err err;

    CZ_TRY(args_mistake(cz_gen_circuit_request(&request, id, 1, pool)));
    err = cz_job_create(out, request, pool);
    cz_request_destroy(request);
    return err;
}

cz_err time_open_job(cz_job **out, const time_order *order)
{
    cz_job *job;
    cz_err err;

    if (order->request == NULL)
        return synthetic_job(out, order->words[0], order->pool);
    CZ_TRY(load_job(&job, order->request, order->pool, NULL));
    if (strcmp(cz_job_circuit_id(job), order->words[0]) != 0) {
        err = cz_fail(CZ_E_INPUT, "%s: is a request for %s, not %s", order->request,
                      cz_job_circuit_id(job), order->words[0]);
        cz_job_destroy(job);
        return err;
    }
    *out = job;
    return CZ_OK;
}

static cz_err open_all(prove_case *c, const time_order *order)
{
    const char *id = order->words[0];
    bool was_cached;

    CZ_TRY(time_open_job(&c->job, order));
    CZ_TRY(load_params(&c->params, order->folder, id, order->pool));
    c->params_open = true;
    CZ_TRY(cz_prover_key_load(&c->key, &c->params, order->pool, NULL));
    CZ_TRY(cz_verifier_create(&c->verifier, cz_prover_key_vk(c->key)));
    return open_compiled_circuit(&c->compiled, &was_cached, id, NULL);
}

/* --- proving -------------------------------------------------------------------------------- */

static cz_err verify(const prove_case *c, size_t partition, const cz_proof *proof)
{
    cz_fr *inputs;
    size_t n;
    cz_err err;

    CZ_TRY(cz_job_public_inputs(c->job, partition, &inputs, &n));
    err = cz_groth16_verify(c->verifier, proof, inputs, n);
    free(inputs);
    return err;
}

static cz_err prove_circuit(const prove_case *c, size_t partition, const cz_circuit *circuit)
{
    cz_bit_witness w;
    cz_proof proof;
    cz_err err;

    CZ_TRY(cz_bit_witness_synthesize_pool(&w, c->compiled, circuit, c->base.pool));
    err = cz_groth16_prove_compiled_blinded(&proof, c->key, c->compiled, &w, c->base.pool, NULL);
    cz_bit_witness_clear(&w);
    return err == CZ_OK ? verify(c, partition, &proof) : err;
}

static cz_err run(time_case *base)
{
    const prove_case *c = (const prove_case *)base;

    for (size_t k = 0; k < cz_job_partitions(c->job); k++) {
        cz_circuit *circuit;
        cz_err err;

        CZ_TRY(cz_job_circuit(c->job, k, &circuit));
        err = prove_circuit(c, k, circuit);
        cz_circuit_destroy(circuit);
        if (err != CZ_OK)
            return cz_fail_in(err, "partition %zu", k);
    }
    return CZ_OK;
}

static void destroy(time_case *base)
{
    prove_case *c = (prove_case *)base;

    cz_compiled_destroy(c->compiled);
    cz_verifier_destroy(c->verifier);
    cz_prover_key_destroy(c->key);
    if (c->params_open)
        cz_params_close(&c->params);
    cz_job_destroy(c->job);
    free(c);
}

cz_err time_prove_create(time_case **out, const time_order *order)
{
    prove_case *c = calloc(1, sizeof *c);
    cz_err err;

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    c->base = (time_case){.pool = order->pool, .run = run, .destroy = destroy};
    err = open_all(c, order);
    if (err != CZ_OK) {
        destroy(&c->base);
        return err;
    }
    c->base.cost = (time_cost){
        .form = cz_ntt_form(), .item = "proof", .items = (double)cz_job_partitions(c->job)};
    *out = &c->base;
    return CZ_OK;
}
