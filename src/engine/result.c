/* result.c: the result of a job, as callers get it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "engine/journal.h"
#include "hash/sha256.h"

void cz_result_clear(cz_result *result)
{
    free(result->proof);
    free(result->error);
    result->proof = NULL;
    result->error = NULL;
}

/* A message may have been cut within a character, or name a file that no UTF-8 names. */
void cz_result_set_error(cz_result *result, const char *message)
{
    result->error = message == NULL ? NULL : strdup(message);
    if (result->error != NULL)
        cz_utf8_repair(result->error);
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

/* Texts with their end, so that one does not run into the next. */
static void add_text(cz_sha256 *hash, const char *text)
{
    cz_sha256_update(hash, text, strlen(text) + 1);
}

void cz_result_seal(uint8_t out[32], const cz_result *result)
{
    uint8_t kind[8];
    cz_sha256 hash;

    cz_store_le64(kind, (uint64_t)result->kind);
    cz_sha256_init(&hash);
    add_text(&hash, "cuzk kept proof");
    add_text(&hash, result->job_id);
    cz_sha256_update(&hash, kind, sizeof kind);
    add_text(&hash, result->circuit_id);
    cz_sha256_update(&hash, result->key_tag, sizeof result->key_tag);
    cz_sha256_update(&hash, result->proof, result->proof_len);
    cz_sha256_final(&hash, out);
}
