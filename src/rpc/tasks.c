/* tasks.c: one list, ordered by due time; tasks without one come first, in their order. */
#define _GNU_SOURCE
#include "rpc/tasks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/trace.h"

enum { MAX_THREADS = 16 };

struct cz_tasks {
    pthread_mutex_t lock; /* guards everything here */
    pthread_cond_t changed;
    cz_task *first;
    bool ending;
    unsigned n_threads;
    pthread_t threads[MAX_THREADS];
};

static cz_task *take_due(cz_tasks *t)
{
    cz_task *task = t->first;

    if (task == NULL || task->due_ns > cz_clock_ns())
        return NULL;
    t->first = task->next;
    task->queued = false;
    return task;
}

static void wait_for_task(cz_tasks *t)
{
    struct timespec until;

    if (t->first == NULL) {
        (void)pthread_cond_wait(&t->changed, &t->lock);
        return;
    }
    until = (struct timespec){(time_t)(t->first->due_ns / 1000000000),
                              (long)(t->first->due_ns % 1000000000)};
    (void)pthread_cond_timedwait(&t->changed, &t->lock, &until);
}

static void *work(void *arg)
{
    cz_tasks *t = arg;
    cz_task *task;

    (void)pthread_mutex_lock(&t->lock);
    for (;;) {
        if ((task = take_due(t)) != NULL) {
            (void)pthread_mutex_unlock(&t->lock);
            task->run(task->ctx); /* may free the task */
            (void)pthread_mutex_lock(&t->lock);
        } else if (t->ending) {
            break;
        } else {
            wait_for_task(t);
        }
    }
    (void)pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void make_locks(cz_tasks *t)
{
    pthread_condattr_t monotonic;

    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&t->changed, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
}

cz_err cz_tasks_create(cz_tasks **out, unsigned n_threads)
{
    cz_tasks *t = calloc(1, sizeof *t);

    CZ_ASSERT(n_threads <= MAX_THREADS);
    if (t == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for threads");
    make_locks(t);
    while (t->n_threads < n_threads) {
        const int rc = pthread_create(&t->threads[t->n_threads], NULL, work, t);

        if (rc != 0) {
            cz_tasks_destroy(t);
            return cz_fail(CZ_E_NOMEM, "cannot start a thread: %s", strerror(rc));
        }
        t->n_threads++;
    }
    *out = t;
    return CZ_OK;
}

void cz_tasks_destroy(cz_tasks *t)
{
    if (t == NULL)
        return;
    (void)pthread_mutex_lock(&t->lock);
    t->ending = true;
    (void)pthread_cond_broadcast(&t->changed);
    (void)pthread_mutex_unlock(&t->lock);
    for (unsigned i = 0; i < t->n_threads; i++)
        (void)pthread_join(t->threads[i], NULL);
    (void)pthread_cond_destroy(&t->changed);
    (void)pthread_mutex_destroy(&t->lock);
    free(t);
}

void cz_tasks_post(cz_tasks *t, cz_task *task)
{
    cz_task **at;

    (void)pthread_mutex_lock(&t->lock);
    CZ_ASSERT(!task->queued && !t->ending);
    for (at = &t->first; *at != NULL && (*at)->due_ns <= task->due_ns; at = &(*at)->next)
        ;
    task->next = *at;
    task->queued = true;
    *at = task;
    (void)pthread_cond_signal(&t->changed);
    (void)pthread_mutex_unlock(&t->lock);
}

bool cz_tasks_cancel(cz_tasks *t, cz_task *task)
{
    bool found = false;

    (void)pthread_mutex_lock(&t->lock);
    for (cz_task **at = &t->first; *at != NULL && !found; at = &(*at)->next)
        if (*at == task) {
            *at = task->next;
            task->queued = false;
            found = true;
            break;
        }
    (void)pthread_mutex_unlock(&t->lock);
    return found;
}
