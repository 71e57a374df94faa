/* folded_keys.c: the folded file beside a circuit's parameters, as long as it can be trusted.
 *
 * Opening it finds what is damaged or of other parameters, but not wrong points: those make proofs
 * that do not verify. So the first proof made with it that fails its self-check ends its use, until
 * the keys are opened anew; what is made once more is made without it. What devices made with it
 * says nothing of them. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "engine/filecoin_state.h"

static cz_err open_beside(cz_keys *keys, const char *circuit_id)
{
    char *path = cz_folded_path(keys->params.path);
    cz_err err;

    if (path == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a path");
    err = cz_folded_open(&keys->folded.file, path, &keys->params, circuit_id);
    free(path);
    return err;
}

void cz_filecoin_open_folded(const cz_filecoin_prover *p, cz_keys *keys, const char *circuit_id)
{
    cz_err err;

    if (!p->use_folded || p->n_used == 0)
        return;
    err = open_beside(keys, circuit_id);
    keys->folded.is_used = err == CZ_OK;
    if (err == CZ_OK)
        cz_log(CZ_LOG_INFO, "parameters of %s are folded: %s", circuit_id,
               keys->folded.file.file.path);
    else if (err != CZ_E_NOTFOUND)
        cz_log(CZ_LOG_WARN, "not used: %s", cz_err_message());
    if (err != CZ_OK)
        keys->folded.file = (cz_folded){.log_n = 0};
}

/* Keys are shared and constant but for this. */
static cz_keys_folded *folded_of(const cz_keys *keys)
{
    return (cz_keys_folded *)(uintptr_t)&keys->folded;
}

const cz_folded *cz_filecoin_folded(const cz_keys *keys)
{
    cz_keys_folded *folded = folded_of(keys);
    bool is_used;

    (void)pthread_mutex_lock(&folded->lock);
    is_used = folded->is_used;
    (void)pthread_mutex_unlock(&folded->lock);
    return is_used ? &folded->file : NULL;
}

/* Some bytes of B, never all zero. */
static uint64_t tag_of(const uint8_t proof[CZ_PART_PROOF_BYTES])
{
    uint64_t tag;

    memcpy(&tag, proof + 48, sizeof tag);
    return tag;
}

void cz_filecoin_note_folded(const cz_keys *keys, const uint8_t proof[CZ_PART_PROOF_BYTES])
{
    cz_keys_folded *folded = folded_of(keys);

    (void)pthread_mutex_lock(&folded->lock);
    folded->made[folded->next++ % CZ_FOLDED_REMEMBERED] = tag_of(proof);
    (void)pthread_mutex_unlock(&folded->lock);
}

/* Of the file's path, without the last "/". */
static int folder_bytes(const cz_folded *file)
{
    const char *name = strrchr(file->file.path, '/');

    return name != NULL ? (int)(name - file->file.path) : 0;
}

bool cz_filecoin_refute_folded(const cz_keys *keys, const uint8_t proof[CZ_PART_PROOF_BYTES])
{
    cz_keys_folded *folded = folded_of(keys);
    bool made_with_it = false, was_used;

    (void)pthread_mutex_lock(&folded->lock);
    for (size_t i = 0; i < CZ_FOLDED_REMEMBERED; i++)
        made_with_it = made_with_it || folded->made[i] == tag_of(proof);
    was_used = folded->is_used;
    folded->is_used = was_used && !made_with_it;
    (void)pthread_mutex_unlock(&folded->lock);
    if (made_with_it && was_used)
        cz_log(CZ_LOG_ERROR,
               "a proof failed its self-check: %s is not used any more; `cuzk-bench params check "
               "--circuit %s --dir %.*s --folded` tells whether it is wrong",
               folded->file.file.path, folded->file.circuit_id, folder_bytes(&folded->file),
               folded->file.file.path);
    return made_with_it;
}
