/* key.c: prover keys. */
#include "groth16/key.h"

#include <inttypes.h>
#include <stdlib.h>

/* Points of h converted at a time, at least: 0.2 GiB. Splitting a sum of 2^22 costs nothing that
 * could be measured; one of 2^27 would take a fifth more additions in such pieces. An eighth of the
 * domain with its scratch is smaller than the vector that is free by then. */
enum { H_CHUNK = 1 << 21, H_CHUNKS = 8 };

size_t cz_key_h_chunk(unsigned log_n)
{
    const size_t eighth = ((size_t)1 << log_n) / H_CHUNKS;

    return eighth > H_CHUNK ? eighth : H_CHUNK;
}

cz_err cz_prover_key_load(cz_prover_key **out, const cz_params *params, cz_pool *pool,
                          cz_trace *trace)
{
    cz_span span = cz_trace_begin(trace, CZ_PHASE_SRS_LOAD, 0);
    cz_prover_key *key = calloc(1, sizeof *key);
    cz_err err;

    if (key == NULL) {
        err = cz_fail(CZ_E_NOMEM, "%s: no memory for a prover key", params->path);
    } else {
        key->params = params;
        key->log_n = cz_ntt_log_n((uint64_t)params->h.n + 1);
        key->h_chunk = cz_key_h_chunk(key->log_n);
        err = cz_ntt_plan_create(&key->plan, key->log_n, pool);
    }
    cz_trace_end(&span);
    if (err != CZ_OK) {
        cz_prover_key_destroy(key);
        return cz_fail_in(err, "%s: prover key", params->path);
    }
    *out = key;
    return CZ_OK;
}

void cz_prover_key_destroy(cz_prover_key *key)
{
    if (key == NULL)
        return;
    cz_ntt_plan_destroy(key->plan);
    free(key);
}

const cz_vk *cz_prover_key_vk(const cz_prover_key *key)
{
    return &key->params->vk;
}
