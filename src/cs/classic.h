/* classic.h: what the modes of the classic path share: variables with their values, and which of
 * them stand in A and in B. The mode keeps or hashes the rows. Inside cs/ only. */
#ifndef CZ_CS_CLASSIC_H
#define CZ_CS_CLASSIC_H

#include "cs/bits.h"
#include "cs/values.h"

typedef struct {
    cz_cs cs; /* first: modes embed it */
    cz_values inputs, aux;
    cz_bits a_aux, b_input, b_aux;
} cz_classic; /* the first member of its mode; all zero but cs before cz_classic_begin */

/** The input that is one. A failure goes to cs. */
void cz_classic_begin(cz_classic *s);

/** A mode's alloc and alloc_input. */
void cz_classic_alloc(cz_cs *cs, cz_name name, const cz_fr *value);
void cz_classic_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value);

/** The values of a constraint's three combinations; its variables are marked. */
void cz_classic_row(cz_classic *s, cz_fr row[3], const cz_lc *a, const cz_lc *b, const cz_lc *c);

/** Erase and free all but cs. */
void cz_classic_clear(cz_classic *s);

#endif
