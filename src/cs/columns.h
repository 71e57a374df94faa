/* columns.h: the columns of A, B and C against a row vector: what a parameter setup needs of a
 * circuit.
 *
 * For given row weights L_j (the Lagrange polynomials at tau), at[k] = sum over rows j of A_j,k
 * L_j, and so on for every variable k, inputs first, then aux; the appended rows x_i * 0 = 0
 * included. One streaming pass, nothing else is stored.
 *
 * Threads: the outermost equal parts of a circuit (cz_cs_parts) are synthesised side by side. What
 * they add to variables from before them is summed up apart, a part, and added in the end; all
 * other variables are a part's own. */
#ifndef CZ_CS_COLUMNS_H
#define CZ_CS_COLUMNS_H

#include "base/pool.h"
#include "cs/cs.h"

typedef struct {
    uint64_t inputs, aux, constraints;
} cz_circuit_sizes;

/** How large a circuit is. Of the outermost equal parts only the first is synthesised; that the
 * others are its equals is found out by cz_circuit_columns_pool. */
CZ_MUST_CHECK cz_err cz_circuit_measure(cz_circuit_sizes *out, const cz_circuit *circuit);

/** at, bt, ct take n_inputs + n_aux elements each (sizes from cz_circuit_measure), zeroed here.
 * n_weights covers constraints + inputs. */
CZ_MUST_CHECK cz_err cz_circuit_columns(cz_fr *at, cz_fr *bt, cz_fr *ct, const cz_circuit *circuit,
                                        uint32_t n_inputs, uint32_t n_aux, const cz_fr *weights,
                                        uint64_t n_weights);

/** The same by the pool's threads. Of at, bt, ct those that are NULL are left out. CZ_E_INTERNAL: a
 * part is not as large as the first. */
CZ_MUST_CHECK cz_err cz_circuit_columns_pool(cz_fr *at, cz_fr *bt, cz_fr *ct,
                                             const cz_circuit *circuit, uint32_t n_inputs,
                                             uint32_t n_aux, const cz_fr *weights,
                                             uint64_t n_weights, cz_pool *pool);

#endif
