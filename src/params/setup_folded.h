/* setup_folded.h: the folded file (folded.h) of a test setup straight from the toxic waste. Inside
 * params/ only.
 *
 * With the waste every point is a known multiple of the generator, so there is no transform of
 * points: a transform of the powers of tau is a geometric sum. It shares nothing with params/fold.h
 * but the definition, and both make the same bytes. */
#ifndef CZ_PARAMS_SETUP_FOLDED_H
#define CZ_PARAMS_SETUP_FOLDED_H

#include "params/setup.h"
#include "params/setup_gpu.h"

typedef struct {
    const cz_circuit *circuit;
    const cz_toxic_waste *waste;
    const cz_setup_options *options;
    cz_setup_gpu *device; /* for lists as long as the domain; NULL computes here */
    uint32_t n_inputs, n_aux;
    uint64_t n_rows; /* constraints and inputs */
    unsigned log_n;
    const cz_fr *l; /* the scalars of the list l */
    cz_fr *columns; /* scratch: an element a variable */
} cz_setup_folded;

/** Write "<stem>.folded" beside the finished params_path. Memory: 32 bytes a row or a place of the
 * domain. Steps of progress: "C columns", "folded h", "folded l", "folded sync". CZ_E_INPUT for
 * waste with which a point would be infinity; else as cz_params_setup_with. */
CZ_MUST_CHECK cz_err cz_setup_folded_write(const cz_setup_folded *s, const char *params_path);

#endif
