/* tasks.h: a few threads that run small jobs in order, and some of them at a time. Inside rpc/.
 *
 * A task is a node in its owner's memory; it may be queued once at a time. Threads: any. */
#ifndef CZ_RPC_TASKS_H
#define CZ_RPC_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

typedef struct cz_task cz_task;
struct cz_task {
    void (*run)(void *ctx);
    void *ctx;
    uint64_t due_ns; /* 0: now; else of cz_clock_ns */
    bool queued;     /* the queue's */
    cz_task *next;
};

typedef struct cz_tasks cz_tasks;

/** CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_tasks_create(cz_tasks **out, unsigned n_threads);

/** Runs what is queued and not timed, drops what is timed, ends the threads. Nothing may be queued
 * afterwards. */
void cz_tasks_destroy(cz_tasks *tasks);

void cz_tasks_post(cz_tasks *tasks, cz_task *task);

/** True: it was queued and will not run. */
bool cz_tasks_cancel(cz_tasks *tasks, cz_task *task);

#endif
