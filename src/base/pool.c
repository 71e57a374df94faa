/* pool.c: the loop pool of pool.h.
 *
 * DESIGN. `loop_lock` lets one loop run at a time. `lock` guards the current loop's description and
 * the counters; it is never held while user code runs. Workers sleep on `work_ready` until the
 * generation number changes, take chunks by an atomic counter, and the last one to leave wakes the
 * caller. Loops often follow each other within microseconds, and waking a sleeper takes 20 to 100
 * of them, so whoever waits looks on for a while before it sleeps, where every thread has a CPU. */
#define _GNU_SOURCE
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MESSAGE_BYTES = 1024, MAX_THREADS = 1024, LOOK_NS = 150000 };

typedef struct {
    cz_loop_fn fn;
    void *ctx;
    size_t n;
    size_t grain;
    atomic_size_t next; /* first item that nobody has taken */
    atomic_bool failed;
} loop;

struct cz_pool {
    unsigned n_threads; /* workers + the caller */
    pthread_t *workers;
    unsigned n_workers;
    bool looks_on; /* before sleeping */

    pthread_mutex_t loop_lock; /* held by the thread whose loop is running; taken before `lock` */
    pthread_mutex_t lock;      /* guards everything below */
    pthread_cond_t work_ready;
    pthread_cond_t all_left;
    atomic_ulong generation; /* counts loops; also looked at without the lock */
    atomic_uint n_inside;    /* workers that have not left the current loop; likewise */
    unsigned next_worker_id;
    bool stopping;
    loop *current;
    cz_err err;
    char message[MESSAGE_BYTES];
};

/* True while this thread executes a chunk: nested loops then run serially. */
static _Thread_local bool inside_loop;

unsigned cz_cpu_count(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return CPU_COUNT(&set) > 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

unsigned cz_pool_threads(const cz_pool *pool)
{
    return pool == NULL ? 1 : pool->n_threads;
}

static void note_failure(cz_pool *pool, loop *work, cz_err err)
{
    pthread_mutex_lock(&pool->lock);
    if (pool->err == CZ_OK) {
        pool->err = err;
        (void)snprintf(pool->message, sizeof pool->message, "%s", cz_err_message());
    }
    pthread_mutex_unlock(&pool->lock);
    atomic_store(&work->failed, true);
}

static void take_chunks(cz_pool *pool, loop *work, unsigned worker)
{
    inside_loop = true;
    while (!atomic_load(&work->failed)) {
        size_t begin = atomic_fetch_add(&work->next, work->grain);
        size_t end;
        cz_err err;

        if (begin >= work->n)
            break;
        end = work->n - begin < work->grain ? work->n : begin + work->grain;
        err = work->fn(work->ctx, begin, end, worker);
        if (err != CZ_OK)
            note_failure(pool, work, err);
    }
    inside_loop = false;
}

static int64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Time to look again? Pauses in between, which leaves the core's other thread more room. */
static bool look_on(int64_t until)
{
    for (int i = 0; i < 8; i++)
        __builtin_ia32_pause();
    return now_ns() < until;
}

static void look_for_work(cz_pool *pool, unsigned long seen)
{
    const int64_t until = now_ns() + LOOK_NS;

    while (pool->looks_on && atomic_load(&pool->generation) == seen && look_on(until))
        ;
}

static void look_for_the_end(cz_pool *pool)
{
    const int64_t until = now_ns() + LOOK_NS;

    while (pool->looks_on && atomic_load(&pool->n_inside) > 0 && look_on(until))
        ;
}

static void *worker_main(void *arg)
{
    cz_pool *pool = arg;
    unsigned long seen = 0;
    unsigned id;

    pthread_mutex_lock(&pool->lock);
    id = pool->next_worker_id++;
    for (;;) {
        loop *work;

        while (!pool->stopping && pool->generation == seen)
            pthread_cond_wait(&pool->work_ready, &pool->lock);
        if (pool->stopping)
            break;
        seen = pool->generation;
        work = pool->current;
        pthread_mutex_unlock(&pool->lock);
        take_chunks(pool, work, id);
        pthread_mutex_lock(&pool->lock);
        if (--pool->n_inside == 0)
            pthread_cond_signal(&pool->all_left);
        pthread_mutex_unlock(&pool->lock);
        look_for_work(pool, seen);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

cz_err cz_pool_create(cz_pool **out, unsigned n_threads)
{
    cz_pool *pool;

    if (n_threads == 0)
        n_threads = cz_cpu_count();
    if (n_threads > MAX_THREADS)
        return cz_fail(CZ_E_ARG, "%u threads wanted, at most %d supported", n_threads, MAX_THREADS);
    pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a thread pool");
    pool->workers = calloc(n_threads, sizeof *pool->workers);
    pool->n_threads = n_threads;
    pool->looks_on = n_threads <= cz_cpu_count();
    pool->next_worker_id = 1; /* 0 is the caller */
    pthread_mutex_init(&pool->loop_lock, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work_ready, NULL);
    pthread_cond_init(&pool->all_left, NULL);
    while (pool->workers != NULL && pool->n_workers + 1 < n_threads) {
        if (pthread_create(&pool->workers[pool->n_workers], NULL, worker_main, pool) != 0)
            break;
        pool->n_workers++;
    }
    if (pool->n_workers + 1 < n_threads) {
        cz_pool_destroy(pool);
        return cz_fail(CZ_E_NOMEM, "could not start %u threads", n_threads);
    }
    *out = pool;
    return CZ_OK;
}

void cz_pool_destroy(cz_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->n_workers; i++)
        pthread_join(pool->workers[i], NULL);
    pthread_cond_destroy(&pool->all_left);
    pthread_cond_destroy(&pool->work_ready);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->loop_lock);
    free(pool->workers);
    free(pool);
}

static cz_err run_on_workers(cz_pool *pool, loop *work)
{
    cz_err err;

    pthread_mutex_lock(&pool->loop_lock);
    pthread_mutex_lock(&pool->lock);
    pool->current = work;
    pool->err = CZ_OK;
    pool->n_inside = pool->n_workers;
    pool->generation++;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->lock);

    take_chunks(pool, work, 0);

    look_for_the_end(pool);
    pthread_mutex_lock(&pool->lock);
    while (pool->n_inside > 0)
        pthread_cond_wait(&pool->all_left, &pool->lock);
    err = pool->err;
    if (err != CZ_OK)
        cz_err_adopt(pool->message);
    pool->current = NULL;
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->loop_lock);
    return err;
}

static cz_err run_serially(size_t n, size_t grain, cz_loop_fn fn, void *ctx)
{
    for (size_t begin = 0; begin < n; begin += grain)
        CZ_TRY(fn(ctx, begin, n - begin < grain ? n : begin + grain, 0));
    return CZ_OK;
}

cz_err cz_parallel_for(cz_pool *pool, size_t n, size_t grain, cz_loop_fn fn, void *ctx)
{
    size_t threads = cz_pool_threads(pool);
    loop work = {.fn = fn, .ctx = ctx, .n = n};

    if (n == 0)
        return CZ_OK;
    work.grain = grain != 0 ? grain : (n + threads - 1) / threads;
    if (threads == 1 || inside_loop)
        return run_serially(n, work.grain, fn, ctx);
    return run_on_workers(pool, &work);
}
