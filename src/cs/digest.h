/* digest.h: sizes, densities and the R1CS digest "cuzk-r1cs-v1" of a circuit.
 *
 * The digest is SHA-256 over the magic "cuzk-r1cs-v1", then for every constraint, for A, B and C:
 * u32 LE number of terms, the terms ascending (u8 0 input / 1 aux, u64 LE index, 32-byte LE
 * canonical coefficient), and at the end u64 LE inputs, aux, constraints. Two programs that agree
 * on it build the same circuit, bit for bit. */
#ifndef CZ_CS_DIGEST_H
#define CZ_CS_DIGEST_H

#include "cs/cs.h"

typedef struct {
    uint64_t inputs, aux, constraints;
    uint64_t nnz_a, nnz_b, nnz_c;
    uint64_t dens_a_aux, dens_b_input, dens_b_aux;
    uint8_t sha256[32]; /* zero after cz_circuit_count */
} cz_circuit_stats;

/** Called every `every` constraints with the state of the digest so far (as the golden checkpoints
 * have it). May be NULL. */
typedef void (*cz_digest_checkpoint_fn)(void *ctx, uint64_t constraints, uint64_t inputs,
                                        uint64_t aux, const char *path, const uint8_t sha256[32]);

typedef struct {
    unsigned threads; /* 1, or 2 and more: hashing overlaps synthesis */
    uint64_t every;   /* checkpoint stride, 0: none */
    cz_digest_checkpoint_fn checkpoint;
    void (*progress)(void *ctx, uint64_t constraints); /* now and then; may be NULL */
    void *ctx;
} cz_digest_options;

CZ_MUST_CHECK cz_err cz_circuit_digest(cz_circuit_stats *out, const cz_circuit *circuit,
                                       const cz_digest_options *options);

/** Sizes and densities without hashing. */
CZ_MUST_CHECK cz_err cz_circuit_count(cz_circuit_stats *out, const cz_circuit *circuit);

#endif
