/* recorder.h: the mode that takes a circuit down as templates and instances. Inside cs/ only.
 *
 * The rows between two borders (cz_cs_border) are a block. When a block ends, its columns become
 * relative, and the block is looked up among the templates by a hash of its content, then compared
 * in full; only a new one is kept. A block that grows beyond what 16-bit columns hold is cut.
 * Time: a few nanoseconds a term beside the synthesis. */
#ifndef CZ_CS_RECORDER_H
#define CZ_CS_RECORDER_H

#include "cs/cs.h"

/** Record the circuit. The image (free() it) lacks what only the digest knows: the header's digest,
 * nnz_* and dens_* and the checksum are zero. CZ_E_UNSUPPORTED: the circuit does not fit the
 * format; CZ_E_NOMEM; what the circuit reports. */
CZ_MUST_CHECK cz_err cz_record_circuit(uint8_t **image, size_t *n, const cz_circuit *circuit);

#endif
