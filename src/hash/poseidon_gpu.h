/* poseidon_gpu.h: Poseidon's constants as CUDA devices take them (poseidon_device.h). */
#ifndef CZ_HASH_POSEIDON_GPU_H
#define CZ_HASH_POSEIDON_GPU_H

#include "hash/poseidon.h"
#include "hash/poseidon_device.h"

/** Elements of an arity's vector; arity 2, 4 or 8. */
size_t cz_poseidon_device_elements(const cz_poseidon_constants *k);

/** That vector into out. */
void cz_poseidon_device_pack(cz_fr *out, const cz_poseidon_constants *k);

/** The constants of a vector that lies, or will lie, at d_vector. */
cz_poseidon_device cz_poseidon_device_at(const cz_fr *d_vector, const cz_poseidon_constants *k);

#endif
