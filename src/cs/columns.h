/* columns.h: the columns of A, B and C against a row vector: what a parameter setup needs of a
 * circuit.
 *
 * For given row weights L_j (the Lagrange polynomials at tau), at[k] = sum over rows j of A_j,k
 * L_j, and so on for every variable k, inputs first, then aux; the appended rows x_i * 0 = 0
 * included. One streaming pass, nothing else is stored. */
#ifndef CZ_CS_COLUMNS_H
#define CZ_CS_COLUMNS_H

#include "cs/cs.h"

/** at, bt, ct take n_inputs + n_aux elements each (sizes from cz_circuit_count), zeroed here.
 * n_weights covers constraints + inputs. */
CZ_MUST_CHECK cz_err cz_circuit_columns(cz_fr *at, cz_fr *bt, cz_fr *ct, const cz_circuit *circuit,
                                        uint32_t n_inputs, uint32_t n_aux, const cz_fr *weights,
                                        uint64_t n_weights);

#endif
