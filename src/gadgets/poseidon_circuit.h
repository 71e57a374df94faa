/* poseidon_circuit.h: Poseidon in a circuit, the form that the network's trusted setup has: the
 * optimised schedule of hash/poseidon.h (compressed round constants, sparse matrices), three
 * constraints an S-box plus one for an input that is a combination.
 *
 * The combinations depend only on the arity, so their coefficients are computed once into a
 * template (poseidon_template.h) and each hash only maps its variables into it; values go along
 * natively. Sizes (constraints): 311, 377, 505, 598 for arities 2, 4, 8, 11. */
#ifndef CZ_GADGETS_POSEIDON_CIRCUIT_H
#define CZ_GADGETS_POSEIDON_CIRCUIT_H

#include "gadgets/num.h"

/** The hash of `arity` numbers under the Merkle-tree tag; arity as in hash/poseidon.h, another one
 * fails the system with CZ_E_ARG. */
cz_num cz_poseidon_circuit(cz_cs *cs, cz_name name, const cz_num *preimage, unsigned arity);

/** out[i] is the hash of preimages[i] in system lanes[i], for n systems of the same mode; where
 * they take values alone (cz_cs_takes_values), all permutations run together. `name` is the first
 * one's; more than one system is given only where names do not matter. */
void cz_poseidon_circuit_lanes(cz_num *out, cz_cs *const lanes[], unsigned n, cz_name name,
                               const cz_num *const preimages[], unsigned arity);

/** The same with another domain tag. */
cz_num cz_poseidon_circuit_tagged(cz_cs *cs, cz_name name, const cz_fr *tag, const cz_num *preimage,
                                  unsigned arity);

#endif
