/* witness_source.h: a witness that is yet to be made, on the device that is to prove it.
 *
 * Where a circuit's variables are mostly field elements (window PoSt: 4 GB of Poseidon), a device
 * makes them in less time than it takes to send them. A source holds what they follow from, and
 * travels as a cz_bit_witness without values (cz_bit_witness_from_source). What proves on the host
 * has no use for it and refuses it with CZ_E_ARG: whoever falls back makes the values first.
 *
 * Threads: one at a time; filling twice gives the same. */
#ifndef CZ_CS_WITNESS_SOURCE_H
#define CZ_CS_WITNESS_SOURCE_H

#include "cs/bit_witness.h"
#include "gpu/gpu.h"

struct cz_witness_source {
    uint32_t n_inputs, n_aux, n_fields;
    /* Everything, queued on the compute queue: n_aux bits and a word to spare into d_plane, the
     * inputs and then the fields into d_values. What the source holds stays until the device has
     * been waited for. d_scratch: memory for the while, aligned to 256 bytes; CZ_E_DECLINED when it
     * is too little, and the errors of gpu.h. */
    cz_err (*fill)(const cz_witness_source *self, cz_gpu *gpu, uint64_t *d_plane, cz_fr *d_values,
                   void *d_scratch, size_t scratch_bytes);
    void (*destroy)(cz_witness_source *self);
};

#endif
