/* compiled_circuit.c: a circuit's compiled form from the cache, or made with progress. */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"

void progress_constraints(void *bar, uint64_t constraints)
{
    char step[64];

    (void)snprintf(step, sizeof step, "%.1f million constraints", (double)constraints / 1e6);
    progress_show(bar, step, 0, 0);
}

static cz_err compile_into(cz_compiled **out, bool *was_cached, const char *id, const char *folder,
                           cz_compile_options *options)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(args_mistake(cz_circuit_create_blank(&circuit, id)));
    err = cz_pool_create(&options->pool, 0);
    if (err == CZ_OK && folder != NULL)
        err = cz_compiled_open(out, circuit, folder, options, was_cached);
    else if (err == CZ_OK)
        err = cz_circuit_compile(out, circuit, options);
    cz_pool_destroy(options->pool);
    cz_circuit_destroy(circuit);
    return err;
}

cz_err open_compiled_circuit(cz_compiled **out, bool *was_cached, const char *id,
                             const char *folder)
{
    cz_compile_options options = {.progress = progress_constraints};
    char *usual = NULL;
    progress bar;
    cz_err err;

    progress_init(&bar);
    options.ctx = &bar;
    if (folder == NULL && cz_compiled_default_folder(&usual) != CZ_OK)
        usual = NULL;
    err = compile_into(out, was_cached, id, folder != NULL ? folder : usual, &options);
    progress_clear(&bar);
    free(usual);
    return err;
}
