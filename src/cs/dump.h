/* dump.h: a circuit as text, in the format of the golden gadget files: allocations, constraints,
 * values. For small circuits. */
#ifndef CZ_CS_DUMP_H
#define CZ_CS_DUMP_H

#include <stdio.h>

#include "cs/cs.h"

/** Write every allocation, constraint and value. CZ_E_IO when the stream fails. */
CZ_MUST_CHECK cz_err cz_circuit_dump(FILE *out, const cz_circuit *circuit);

#endif
