/* poseidon_many.h: many Poseidon permutations of one arity (poseidon.h), and what a circuit
 * allocates for each.
 *
 * Trees, columns and the witness of PoSt circuits hash thousands of independent preimages. Forms:
 * "scalar" (poseidon.c, one after another, the definition) and "ifma" (poseidon_ifma.c, eight at
 * once on AVX-512 IFMA, six to seven times as fast, with the witness five); chosen at start,
 * CUZK_CPU caps it. Both give the same bits. n need not be a multiple of eight, but what is left
 * over costs as much as eight.
 *
 * The witness of a permutation is the list of the values of the variables that the circuit
 * (gadgets/poseidon_circuit.h) allocates, in its order, in Montgomery form:
 *   first round     for each preimage element: (x + k)^2, (x + k)^4, (x + k)^5 + k'
 *   later rounds    for each S-box: x, x^2, x^4, x^5 + k'
 *   last            the digest
 * 3 arity + 4 (7 width + partial rounds) + 1 of them: 311, 377, 505, 598 for arities 2, 4, 8, 11.
 *
 * Threads: any; the caller spreads the work. Nothing can fail. */
#ifndef CZ_HASH_POSEIDON_MANY_H
#define CZ_HASH_POSEIDON_MANY_H

#include "hash/poseidon.h"

/** out[i] = digest of preimages[i * arity …], i < n, under the Merkle-tree tag. out may not overlap
 * preimages. */
void cz_poseidon_hash_many(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *preimages,
                           size_t n);

/** The same with another domain tag. */
void cz_poseidon_hash_many_tagged(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *tag,
                                  const cz_fr *preimages, size_t n);

/** Elements in the witness of one permutation. */
size_t cz_poseidon_witness_size(const cz_poseidon_constants *k);

/** out[i] points to room for cz_poseidon_witness_size(k) elements: the witness of permutation i of
 * preimages[i * arity …]; the last element is the digest. */
void cz_poseidon_witness_many(cz_fr *const *out, const cz_poseidon_constants *k, const cz_fr *tag,
                              const cz_fr *preimages, size_t n);

/** The form in use: "ifma" or "scalar". */
const char *cz_poseidon_form(void);

/** Use this form from now on, in all threads. CZ_E_NOTFOUND: no such form; CZ_E_NODEV: this CPU
 * cannot run it. */
CZ_MUST_CHECK cz_err cz_poseidon_select(const char *form);

#endif
