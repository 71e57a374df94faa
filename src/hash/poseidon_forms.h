/* poseidon_forms.h: the forms that poseidon_many.c chooses from; inside hash/ only.
 *
 * To add one: a file that defines its table, a line here, a row in poseidon_many.c. */
#ifndef CZ_HASH_POSEIDON_FORMS_H
#define CZ_HASH_POSEIDON_FORMS_H

#include "hash/poseidon.h"

typedef struct {
    const char *name;
    bool (*runs_here)(void);
    /* As their namesakes in poseidon_many.h, n > 0. */
    void (*hash)(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *tag,
                 const cz_fr *preimages, size_t n);
    void (*witness)(cz_fr *const *out, const cz_poseidon_constants *k, const cz_fr *tag,
                    const cz_fr *preimages, size_t n);
} cz_poseidon_form_table;

extern const cz_poseidon_form_table cz_poseidon_scalar;
extern const cz_poseidon_form_table cz_poseidon_ifma;

/** The constants as the lanes take them, from the finished ones; NULL without memory. To be freed
 * with free(). Only where the CPU has IFMA. */
struct cz_poseidon_lanes *cz_poseidon_lanes_create(const cz_poseidon_constants *k);

#endif
