/* share.c: how devices share what waits. A device that comes back for more does not take all of it
 * when others with the same keys will be free as soon: the partitions of a job would then wait for
 * one device while the others rest. They are dealt out, one by one, to who would be done first; the
 * device takes its hand. Where much waits, everybody's hand is a full batch.
 *
 * What a partition takes is what it took in the last call; what a running call still takes follows
 * from that and from its beginning. A device that hangs counts as free soon, so that of what waits
 * half is taken, then half of the rest, and nothing waits for it; nor does it count any more once
 * the watchdog has seen it. All under engine.lock. */
#include "engine/engine_state.h"

enum { MOST_HANDS = 64 };

typedef struct {
    const cz_backend *backend;
    uint64_t free_ns; /* from now on */
    uint64_t each_ns; /* a partition */
} hand;

/* The most that any worker says, for those that have not proved that kind yet. */
static uint64_t known_ns(const cz_engine *e, cz_proof_kind kind)
{
    uint64_t most = 0;

    for (size_t i = e->n_synthesis; i < e->n_workers; i++)
        if (!e->workers[i].backend->spare && e->workers[i].part_ns[kind] > most)
            most = e->workers[i].part_ns[kind];
    return most;
}

/* 0: nobody has proved any. */
static uint64_t part_ns(const cz_engine *e, const cz_worker *w, cz_proof_kind kind)
{
    return w->part_ns[kind] > 0 ? w->part_ns[kind] : known_ns(e, kind);
}

/* What its call still takes; `unit` a partition, where that is not known. */
static uint64_t rest_ns(const cz_engine *e, const cz_worker *w, uint64_t unit, uint64_t now_ns)
{
    uint64_t each, whole, since;

    if (w->n_parts == 0)
        return 0;
    each = part_ns(e, w, w->job->kind);
    if (each == 0)
        return w->n_parts * unit;
    whole = w->n_parts * each;
    since = now_ns > w->since_ns ? now_ns - w->since_ns : 0;
    return whole > since ? whole - since : 0;
}

static hand *hand_of(hand *hands, size_t *n, const cz_backend *backend)
{
    for (size_t i = 0; i < *n; i++)
        if (hands[i].backend == backend)
            return &hands[i];
    if (*n == MOST_HANDS)
        return NULL;
    hands[*n] = (hand){backend, 0, UINT64_MAX};
    return &hands[(*n)++];
}

static bool may_share(const cz_engine *e, const cz_worker *w, const cz_backend *own,
                      const cz_epart *part)
{
    return w->backend == own ||
           (!w->backend->spare && !cz_worker_hangs(w) && cz_backend_takes(e, w->backend, part) &&
            cz_backend_has_keys(w->backend, part->job) &&
            cz_backend_capacity(w->backend, part->job) > 0);
}

/* One a device, the worker's own first. Workers of one device take turns: it is free after the last
 * of them. */
static size_t deal_in(const cz_engine *e, const cz_worker *own, const cz_epart *part,
                      uint64_t now_ns, hand hands[MOST_HANDS])
{
    const cz_proof_kind kind = part->job->kind;
    const uint64_t known = known_ns(e, kind), unit = known > 0 ? known : 1;
    size_t n = 0;

    (void)hand_of(hands, &n, own->backend);
    for (size_t i = e->n_synthesis; i < e->n_workers; i++) {
        const cz_worker *w = &e->workers[i];
        const uint64_t rest = rest_ns(e, w, unit, now_ns);
        const uint64_t each = w->part_ns[kind] > 0 ? w->part_ns[kind] : unit;
        hand *h;

        if (!may_share(e, w, own->backend, part) || (h = hand_of(hands, &n, w->backend)) == NULL)
            continue;
        h->free_ns = rest > h->free_ns ? rest : h->free_ns;
        h->each_ns = each < h->each_ns ? each : h->each_ns;
    }
    return n;
}

/* Who would be done first with one more. */
static size_t next_to_get(const hand *hands, size_t n)
{
    size_t next = 0;

    for (size_t i = 1; i < n; i++)
        if (hands[i].free_ns + hands[i].each_ns < hands[next].free_ns + hands[next].each_ns)
            next = i;
    return next;
}

size_t cz_serving_share(const cz_engine *e, const cz_worker *w, const cz_epart *part, size_t n,
                        size_t max, uint64_t now_ns)
{
    hand hands[MOST_HANDS];
    const size_t n_hands = deal_in(e, w, part, now_ns, hands);
    size_t own = 0;

    for (; n > 0 && own < max; n--) {
        const size_t next = next_to_get(hands, n_hands);

        hands[next].free_ns += hands[next].each_ns;
        own += next == 0;
    }
    return own > 0 ? own : 1;
}
