/* compile.h: making a circuit's compiled form, and keeping it in a folder.
 *
 * Compiling records the circuit (recorder.h), and hashes it directly (cs/digest.h) beside that;
 * then the compiled form is expanded again, row by row, into the same digest. Only when both agree,
 * in every coefficient of every row, is the result given out. Cost: one synthesis, one expansion
 * and two SHA-256 passes over the matrices; what is kept is in compiled_format.h. */
#ifndef CZ_CS_COMPILE_H
#define CZ_CS_COMPILE_H

#include "base/pool.h"
#include "cs/compiled.h"

/* All zero, or NULL, will do. */
typedef struct {
    cz_pool *pool; /* two threads are of use */
    /* Now and then, from a thread of the pool; `constraints` of the circuit are hashed. */
    void (*progress)(void *ctx, uint64_t constraints);
    void *ctx;
} cz_compile_options;

/** Compile and verify. `circuit` is synthesised without values, twice, by two threads of the pool
 * at once: its synthesize must allow that. Errors: CZ_E_UNSUPPORTED (the circuit does not fit the
 * form), CZ_E_INTERNAL (the two digests differ), CZ_E_NOMEM; whatever the circuit reports. */
CZ_MUST_CHECK cz_err cz_circuit_compile(cz_compiled **out, const cz_circuit *circuit,
                                        const cz_compile_options *options);

/** "<folder>/<id>-v1.cuzk-circuit"; free() it. NULL: no memory. */
char *cz_compiled_path(const char *folder, const char *id);

/** Where compiled circuits are kept unless somebody says otherwise: "cuzk" in $XDG_CACHE_HOME, or
 * in
 * ~/.cache; free() it. CZ_E_NOTFOUND when neither variable is set; CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_compiled_default_folder(char **out);

/** Load the circuit's compiled form from `folder`; where it is absent, damaged or of another
 * version, compile it and write it there (the folder is made). Any number of processes and threads
 * may do so at once: each sees a whole file or none. A file that cannot be written is no failure,
 * as the result is there (a warning is logged). *was_cached (may be NULL) says which it was. */
CZ_MUST_CHECK cz_err cz_compiled_open(cz_compiled **out, const cz_circuit *circuit,
                                      const char *folder, const cz_compile_options *options,
                                      bool *was_cached);

#endif
