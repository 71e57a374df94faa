/* kept.c: proofs that were made before they were asked for, by this process or an earlier one: in
 * memory or in the journal.
 *
 * Such a proof was verified when it was made (prover.h: verify), with the key of the parameters of
 * that time and inputs that follow from the request, of which the job's id is a digest. So it is
 * right now if it is the same bytes, which the journal's seal says, and if the key is the same,
 * which is compared here. The key that counts is that of the keys the engine has open, with which
 * an equal request would be proved anew, or else that of the parameter file. */
#include <string.h>

#include "engine/engine_state.h"

/* With the lock. */
static const cz_keys *find_open(const cz_engine *e, const char *circuit_id)
{
    for (const cz_resident *r = e->residents; r != NULL; r = r->next)
        if (strcmp(r->circuit_id, circuit_id) == 0)
            return r->close_wanted ? NULL : r->keys;
    return NULL;
}

static cz_err find_tag(cz_engine *e, const char *circuit_id, uint8_t tag[CZ_KEY_TAG_BYTES])
{
    const cz_prover *p = &e->o.prover;
    const cz_keys *open;

    (void)pthread_mutex_lock(&e->lock);
    open = find_open(e, circuit_id);
    if (open != NULL)
        p->ops->keys_tag(open, tag);
    (void)pthread_mutex_unlock(&e->lock);
    return open != NULL ? CZ_OK : p->ops->params_tag(p->ctx, circuit_id, tag);
}

cz_err cz_kept_check(cz_engine *e, const cz_result *result)
{
    uint8_t now[CZ_KEY_TAG_BYTES];

    if (result->status != CZ_JOB_COMPLETED)
        return CZ_OK;
    if (find_tag(e, result->circuit_id, now) != CZ_OK)
        return cz_fail_in(CZ_E_VERIFY, "job %s: its proof cannot be compared with the parameters",
                          result->job_id);
    if (memcmp(now, result->key_tag, sizeof now) != 0)
        return cz_fail(CZ_E_VERIFY,
                       "job %s: it was proved with other parameters of %s than there are now",
                       result->job_id, result->circuit_id);
    return CZ_OK;
}

cz_err cz_kept_find(cz_engine *e, const char *job_id, cz_result *out)
{
    cz_err err;

    CZ_TRY(cz_journal_result(e->o.journal, job_id, out));
    err = cz_kept_check(e, out);
    if (err != CZ_OK)
        cz_result_clear(out);
    return err;
}
