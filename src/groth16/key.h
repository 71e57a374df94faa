/* key.h: what a prover key holds; for the files of this room. */
#ifndef CZ_GROTH16_KEY_H
#define CZ_GROTH16_KEY_H

#include "groth16/groth16.h"
#include "ntt/ntt.h"

struct cz_prover_key {
    const cz_params *params;
    cz_ntt_plan *plan;
    unsigned log_n; /* of the domain: h has 2^log_n - 1 points */
    size_t h_chunk; /* points of h that are converted at a time */
};

/** The h_chunk of a domain; also what a sum collects of full-size values. */
size_t cz_key_h_chunk(unsigned log_n);

#endif
