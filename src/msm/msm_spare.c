/* msm_spare.c: see msm_spare.h. */
#include "msm/msm_spare.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SPARES = 256 };

typedef struct {
    void *p;
    size_t room;
} spare;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the following */
static spare spares[MAX_SPARES];                         /* the oldest first */
static size_t n_spares;
static size_t n_bytes;

/* With the lock held. */
static spare take_out(size_t i)
{
    const spare taken = spares[i];

    n_spares--;
    n_bytes -= taken.room;
    memmove(&spares[i], &spares[i + 1], (n_spares - i) * sizeof *spares);
    return taken;
}

/* The smallest that has room, and not half as much again. */
static size_t best_for(size_t bytes)
{
    size_t best = n_spares;

    for (size_t i = 0; i < n_spares; i++)
        if (spares[i].room >= bytes && spares[i].room <= bytes + bytes / 2 &&
            (best == n_spares || spares[i].room < spares[best].room))
            best = i;
    return best;
}

void *cz_msm_spare_take(size_t bytes, size_t *room)
{
    spare found = {NULL, 0};
    size_t i;

    (void)pthread_mutex_lock(&lock);
    i = best_for(bytes);
    if (i < n_spares)
        found = take_out(i);
    (void)pthread_mutex_unlock(&lock);
    *room = found.room;
    return found.p;
}

bool cz_msm_spare_keep(void *block, size_t room)
{
    if (room > CZ_MSM_SPARE_BYTES)
        return false;
    (void)pthread_mutex_lock(&lock);
    while (n_spares == MAX_SPARES || n_bytes + room > CZ_MSM_SPARE_BYTES)
        free(take_out(0).p);
    spares[n_spares++] = (spare){block, room};
    n_bytes += room;
    (void)pthread_mutex_unlock(&lock);
    return true;
}

void cz_msm_spare_drop(void)
{
    (void)pthread_mutex_lock(&lock);
    while (n_spares > 0)
        free(take_out(0).p);
    (void)pthread_mutex_unlock(&lock);
}

size_t cz_msm_spare_bytes(void)
{
    size_t bytes;

    (void)pthread_mutex_lock(&lock);
    bytes = n_bytes;
    (void)pthread_mutex_unlock(&lock);
    return bytes;
}
