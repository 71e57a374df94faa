/* result.c: the result of a job, as callers get it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "engine/journal.h"

void cz_result_clear(cz_result *result)
{
    free(result->proof);
    free(result->error);
    result->proof = NULL;
    result->error = NULL;
}

cz_err cz_result_copy(cz_result *out, const cz_result *from)
{
    cz_result copy = *from;

    copy.proof = from->proof == NULL ? NULL : malloc(from->proof_len + 1);
    copy.error = from->error == NULL ? NULL : strdup(from->error);
    if ((from->proof != NULL && copy.proof == NULL) ||
        (from->error != NULL && copy.error == NULL)) {
        cz_result_clear(&copy);
        return cz_fail(CZ_E_NOMEM, "no memory for a result");
    }
    if (copy.proof != NULL)
        (void)memcpy(copy.proof, from->proof, from->proof_len);
    *out = copy;
    return CZ_OK;
}
