/* refusals.c: see refusals.h. */
#include "rpc/refusals.h"

#include "base/log.h"
#include "base/trace.h"
#include "base/utf8.h"
#include "rpc/code.h"

enum { NS_A_SECOND = 1000000000 };

void cz_refusals_init(cz_refusals *r, uint64_t now_ns)
{
    *r = (cz_refusals){.last_s = now_ns / NS_A_SECOND, .left = CZ_REFUSALS_AT_ONCE};
    (void)pthread_mutex_init(&r->lock, NULL);
}

void cz_refusals_clear(cz_refusals *r)
{
    (void)pthread_mutex_destroy(&r->lock);
}

/* One line a second comes back, up to the most. */
static void refill(cz_refusals *r, uint64_t now_s)
{
    const uint64_t passed = now_s - r->last_s;

    r->last_s = now_s;
    r->left =
        passed < CZ_REFUSALS_AT_ONCE - r->left ? r->left + (unsigned)passed : CZ_REFUSALS_AT_ONCE;
}

bool cz_refusals_take(cz_refusals *r, uint64_t now_ns, unsigned *silent)
{
    const uint64_t now_s = now_ns / NS_A_SECOND;
    bool may;

    (void)pthread_mutex_lock(&r->lock);
    if (now_s > r->last_s)
        refill(r, now_s);
    may = r->left > 0;
    *silent = r->silent;
    r->left -= may;
    r->silent = may ? 0 : r->silent + 1;
    (void)pthread_mutex_unlock(&r->lock);
    return may;
}

void cz_refusals_say_stranger(cz_refusals *r, const char *method, const char *peer)
{
    unsigned silent;

    if (!cz_refusals_take(r, cz_clock_ns(), &silent))
        return;
    if (silent != 0)
        cz_log(CZ_LOG_WARN, "%u more calls without the right token were refused", silent);
    cz_log(CZ_LOG_WARN, "a call of %s from %s is refused: UNAUTHENTICATED: without the right token",
           method, peer);
}

void cz_refusals_say(cz_refusals *r, const char *request_id, cz_proof_kind kind, unsigned code)
{
    const char *id = cz_utf8_is_valid(request_id) ? request_id : "";
    const char *name = cz_proof_kind_name(kind);
    unsigned silent;

    if (!cz_refusals_take(r, cz_clock_ns(), &silent))
        return;
    if (silent != 0)
        cz_log(CZ_LOG_WARN, "%u more requests were refused", silent);
    /* lines for people have these two only beside a job's id */
    cz_log_job(CZ_LOG_WARN, NULL, id, name, "request %.200s (%s) is refused: %s: %.900s", id, name,
               cz_code_name(code), cz_err_message());
}
