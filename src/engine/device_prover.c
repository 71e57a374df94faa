/* device_prover.c: see device_prover.h. */
#define _GNU_SOURCE
#include "engine/device_prover.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/amount.h"
#include "base/log.h"

enum {
    MOST_FAILURES = 2,   /* in a row */
    MOST_REFUTED = 2,    /* proofs, without a good one between */
    FIRST_WAIT_MS = 250, /* after memory was short; twice as long each time … */
    MOST_WAITS = 8,      /* … so often, to a minute */
    IDLE_MS = 60000,     /* unused for so long, parameters make room for others to be resident */
    MOST_CAPACITIES = 64 /* more than there are circuits */
};

typedef struct resident {
    struct resident *next;
    const cz_params *params; /* which may be closed when they are forgotten */
    char *path;              /* of these, for the log */
    const cz_folded *folded; /* that it came with, used or not */
    cz_device_key *key;      /* NULL: it could not be loaded ... */
    uint64_t again_ns;       /* ... and may be tried again then; UINT64_MAX: it can never fit */
    unsigned waits;          /* how often that was said */
    uint64_t used_ns;
} resident;

/* What others may know of a circuit without waiting for the device. */
typedef struct {
    const cz_params *params;
    unsigned n; /* partitions a call; 0: it could not be loaded, until again_ns */
    uint64_t again_ns;
} capacity;

struct cz_device_prover {
    unsigned number;
    uint64_t budget;
    const cz_self_test *test; /* or NULL */

    pthread_mutex_t lock; /* of what follows, and of the device */
    cz_gpu *gpu;          /* NULL: closed after a failure */
    resident *residents;
    unsigned failures; /* since the last proof */

    pthread_mutex_t view_lock; /* of what follows alone; taken last */
    cz_device_info view;
    bool given_up;    /* for good: who next has the lock closes the device */
    unsigned refuted; /* proofs since the last good one */
    unsigned loading; /* calls of load under way */
    uint64_t loads;
    capacity capacities[MOST_CAPACITIES];
    size_t n_capacities;
    const cz_params *forgotten[MOST_CAPACITIES]; /* of these: who next has the lock drops them */
    size_t n_forgotten;
};

/* --- the device --- */

static void update_view(cz_device_prover *d)
{
    cz_gpu_info info = {.free_bytes = 0};
    const bool is_known = d->gpu != NULL && cz_gpu_describe(d->gpu, &info) == CZ_OK;

    (void)pthread_mutex_lock(&d->view_lock);
    if (is_known) {
        (void)snprintf(d->view.name, sizeof d->view.name, "%s", info.name);
        d->view.vram_total_bytes = info.total_bytes;
    }
    d->view.vram_free_bytes = is_known ? info.free_bytes : 0;
    d->n_capacities = 0;
    for (const resident *r = d->residents; r != NULL && d->n_capacities < MOST_CAPACITIES;
         r = r->next)
        d->capacities[d->n_capacities++] =
            (capacity){r->params, r->key != NULL ? cz_device_key_batch(r->key) : 0, r->again_ns};
    (void)pthread_mutex_unlock(&d->view_lock);
}

static void free_resident(resident *r)
{
    cz_device_key_destroy(r->key);
    free(r->path);
    free(r);
}

/* Without a message of its own: the one of the failure stays. */
static void shut(cz_device_prover *d)
{
    while (d->residents != NULL) {
        resident *r = d->residents;

        d->residents = r->next;
        free_resident(r);
    }
    cz_gpu_close(d->gpu);
    d->gpu = NULL;
    update_view(d);
}

/* For the reason that the thread's message gives; needs no lock. */
static cz_err give_up(cz_device_prover *d)
{
    (void)pthread_mutex_lock(&d->view_lock);
    d->given_up = true;
    (void)snprintf(d->view.problem, sizeof d->view.problem, "given up: %.200s", cz_err_message());
    (void)pthread_mutex_unlock(&d->view_lock);
    cz_log(CZ_LOG_ERROR, "GPU %u is not used any more: %s", d->number, cz_err_message());
    return cz_fail_in(CZ_E_NODEV, "GPU %u is given up", d->number);
}

static bool is_given_up(cz_device_prover *d)
{
    bool given_up;

    (void)pthread_mutex_lock(&d->view_lock);
    given_up = d->given_up;
    (void)pthread_mutex_unlock(&d->view_lock);
    return given_up;
}

/* What a call came to, for the device's health. */
static cz_err settle(cz_device_prover *d, cz_err err)
{
    char message[1024];

    if (err != CZ_E_CUDA)
        return err;
    (void)snprintf(message, sizeof message, "%s", cz_err_message());
    shut(d);
    cz_err_adopt(message);
    if (++d->failures >= MOST_FAILURES)
        return give_up(d);
    cz_log(CZ_LOG_ERROR, "GPU %u failed and is opened anew: %s", d->number, message);
    return err;
}

static cz_err test(const cz_device_prover *d)
{
    const uint64_t start = cz_clock_ns();

    if (d->test == NULL)
        return CZ_OK;
    CZ_TRY(cz_self_test_run(d->test, d->number));
    cz_log(CZ_LOG_INFO, "GPU %u: self-test passed in %.3f s", d->number,
           (double)(cz_clock_ns() - start) / 1e9);
    return CZ_OK;
}

static cz_err open_tested(cz_device_prover *d)
{
    CZ_TRY(test(d));
    return cz_gpu_open(&d->gpu, (int)d->number, d->budget);
}

static cz_err ensure_open(cz_device_prover *d)
{
    if (is_given_up(d))
        return cz_fail(CZ_E_NODEV, "GPU %u was given up after failures", d->number);
    if (d->gpu != NULL)
        return CZ_OK;
    if (open_tested(d) != CZ_OK) {
        d->gpu = NULL;
        return give_up(d);
    }
    return CZ_OK;
}

/* --- residents --- */

static resident *find(const cz_device_prover *d, const cz_params *params)
{
    resident *r = d->residents;

    while (r != NULL && r->params != params)
        r = r->next;
    return r;
}

static void drop(cz_device_prover *d, resident *r)
{
    resident **at = &d->residents;

    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    free_resident(r);
    update_view(d); /* the address may come again, as another circuit's */
}

/* --- whose turn it is --- */

/* With view_lock. */
static bool is_forgotten(const cz_device_prover *d, const cz_params *params)
{
    for (size_t i = 0; i < d->n_forgotten; i++)
        if (d->forgotten[i] == params)
            return true;
    return false;
}

/* If they are there. */
static void note_forgotten(cz_device_prover *d, const cz_params *params)
{
    bool is_there = false;

    (void)pthread_mutex_lock(&d->view_lock);
    for (size_t i = 0; i < d->n_capacities; i++)
        is_there = is_there || d->capacities[i].params == params;
    if (is_there && !is_forgotten(d, params) && d->n_forgotten < MOST_CAPACITIES)
        d->forgotten[d->n_forgotten++] = params;
    (void)pthread_mutex_unlock(&d->view_lock);
}

/* NULL: nothing is. */
static const cz_params *first_forgotten(cz_device_prover *d)
{
    const cz_params *first;

    (void)pthread_mutex_lock(&d->view_lock);
    first = d->n_forgotten > 0 ? d->forgotten[0] : NULL;
    (void)pthread_mutex_unlock(&d->view_lock);
    return first;
}

/* Others only add to them. */
static void drop_forgotten(cz_device_prover *d)
{
    const cz_params *params;

    while ((params = first_forgotten(d)) != NULL) {
        resident *r = find(d, params);

        if (r != NULL)
            drop(d, r);
        (void)pthread_mutex_lock(&d->view_lock);
        d->forgotten[0] = d->forgotten[--d->n_forgotten];
        (void)pthread_mutex_unlock(&d->view_lock);
    }
}

/* The address of what was forgotten may have come again, as another circuit's. */
static void enter(cz_device_prover *d)
{
    (void)pthread_mutex_lock(&d->lock);
    drop_forgotten(d);
}

/* Gives the lock back, after the device where that was given up meanwhile. */
static void leave(cz_device_prover *d)
{
    do {
        if (d->gpu != NULL && is_given_up(d))
            shut(d);
        drop_forgotten(d);
        (void)pthread_mutex_unlock(&d->lock);
    } while (first_forgotten(d) != NULL && pthread_mutex_trylock(&d->lock) == 0);
}

/* --- keys --- */

/* The longest unused makes room, if that is so long; false: nothing is left that could. */
static bool evict(cz_device_prover *d, uint64_t unused_ns)
{
    resident *oldest = NULL;

    for (resident *r = d->residents; r != NULL; r = r->next)
        if (r->key != NULL && (oldest == NULL || r->used_ns < oldest->used_ns))
            oldest = r;
    if (oldest == NULL || cz_clock_ns() - oldest->used_ns < unused_ns)
        return false;
    cz_log(CZ_LOG_INFO, "GPU %u: parameters %s are evicted", d->number, oldest->path);
    drop(d, oldest);
    return true;
}

/* The map of device memory, a line each. Without memory for the text there is none. */
static void say_plan(const cz_device_prover *d, const cz_device_key *key)
{
    char *text = NULL, *rest = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);

    if (to == NULL)
        return;
    cz_device_key_print(key, to);
    if (fclose(to) != 0 || text == NULL)
        return;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        cz_log(CZ_LOG_INFO, "GPU %u plan: %s", d->number, line);
    free(text);
}

static cz_err load_in_mode(cz_device_prover *d, resident *r, const cz_device_circuit *c,
                           cz_device_key_mode mode, uint64_t unused_ns, cz_trace *trace)
{
    const cz_device_key_options options = {.mode = mode, .folded = c->folded};
    cz_err err;

    do
        err = cz_device_key_load_with(&r->key, d->gpu, c->params, c->circuit, &options, c->pool,
                                      trace);
    while (err == CZ_E_NOMEM && evict(d, unused_ns));
    return err;
}

/* Resident in place of what was not used lately; else beside it, streamed; else in its place, but
 * not again and again where memory was short without it. */
static cz_err load_as_fits(cz_device_prover *d, resident *r, const cz_device_circuit *c,
                           cz_trace *trace)
{
    const uint64_t idle_ns = (uint64_t)IDLE_MS * 1000000;
    const uint64_t unused_ns = r->waits > 0 ? idle_ns : 0;
    const cz_err err = load_in_mode(d, r, c, CZ_DEVICE_KEY_RESIDENT, idle_ns, trace);

    return err == CZ_E_NOMEM || err == CZ_E_DECLINED
               ? load_in_mode(d, r, c, CZ_DEVICE_KEY_ANY, unused_ns, trace)
               : err;
}

/* What is damaged may be the folded file or the parameters: without the former it is seen. */
static bool is_of_a_file(cz_err err)
{
    return err == CZ_E_INPUT || err == CZ_E_IO;
}

static cz_device_circuit without_folded(const cz_device_prover *d, const cz_device_circuit *c)
{
    cz_device_circuit plain = *c;

    cz_log(CZ_LOG_WARN, "GPU %u: %s is not used: %s", d->number, c->folded->file.path,
           cz_err_message());
    plain.folded = NULL;
    return plain;
}

static cz_err load_either(cz_device_prover *d, resident *r, const cz_device_circuit *c,
                          cz_trace *trace)
{
    const cz_err err = load_as_fits(d, r, c, trace);
    cz_device_circuit plain;

    if (c->folded == NULL || !is_of_a_file(err))
        return err;
    plain = without_folded(d, c);
    return load_as_fits(d, r, &plain, trace);
}

static void say_budget(const cz_device_prover *d, uint64_t before)
{
    const uint64_t now = cz_gpu_budget_bytes(d->gpu);
    char amount[2][CZ_AMOUNT_BYTES];

    if (now < before)
        cz_log(CZ_LOG_WARN,
               "GPU %u: memory that was free at start is not there: %s are used at most, not %s",
               d->number, cz_amount(amount[0], now), cz_amount(amount[1], before));
}

static void count_load(cz_device_prover *d)
{
    (void)pthread_mutex_lock(&d->view_lock);
    d->loads++;
    (void)pthread_mutex_unlock(&d->view_lock);
}

static cz_err load_key(cz_device_prover *d, resident *r, const cz_device_circuit *c,
                       cz_trace *trace)
{
    const uint64_t start = cz_clock_ns(), budget = cz_gpu_budget_bytes(d->gpu);
    const cz_err err = load_either(d, r, c, trace);
    char amount[2][CZ_AMOUNT_BYTES];

    say_budget(d, budget);
    CZ_TRY(err);
    count_load(d);
    cz_log(CZ_LOG_INFO,
           "GPU %u: parameters %s are %s%s: %s with all scratch, %s of the budget left, "
           "batches of %u, in %.2f s",
           d->number, c->params->path,
           cz_device_key_streams(r->key) ? "streamed from the file" : "loaded",
           cz_device_key_folded(r->key) ? ", folded" : "",
           cz_amount(amount[0], cz_device_key_bytes(r->key)),
           cz_amount(amount[1], cz_gpu_budget_left(d->gpu)), cz_device_key_batch(r->key),
           (double)(cz_clock_ns() - start) / 1e9);
    say_plan(d, r->key);
    return CZ_OK;
}

static bool has_keys(const cz_device_prover *d)
{
    const resident *r = d->residents;

    while (r != NULL && r->key == NULL)
        r = r->next;
    return r != NULL;
}

/* Where it was not the budget that was too small for the circuit alone, another circuit or somebody
 * else has the memory, and may give it back. */
static void note_lack(const cz_device_prover *d, resident *r, cz_err err)
{
    const unsigned shift = r->waits < MOST_WAITS ? r->waits : MOST_WAITS;

    r->key = NULL;
    r->again_ns = UINT64_MAX;
    if (err == CZ_E_NOMEM && (has_keys(d) || !cz_gpu_lacked_budget())) {
        r->again_ns = cz_clock_ns() + ((uint64_t)FIRST_WAIT_MS << shift) * 1000000;
        r->waits++;
    }
}

static cz_err new_resident(const cz_device_circuit *c, unsigned waits, resident **out)
{
    resident *r = calloc(1, sizeof *r);
    char *path = strdup(c->params->path);

    if (r == NULL || path == NULL) {
        free(r);
        free(path);
        return cz_fail(CZ_E_NOMEM, "no memory for a device's keys");
    }
    *r = (resident){.params = c->params, .path = path, .folded = c->folded, .waits = waits};
    *out = r;
    return CZ_OK;
}

/* Its key, or none where it could not be loaded; `waits` times before. */
static cz_err make_resident(cz_device_prover *d, const cz_device_circuit *c, unsigned waits,
                            cz_trace *trace, resident **out)
{
    resident *r;
    cz_err err;

    CZ_TRY(new_resident(c, waits, &r));
    cz_gpu_note_lack(false);
    err = load_key(d, r, c, trace);
    if (err != CZ_OK && err != CZ_E_NOMEM && err != CZ_E_DECLINED) {
        free_resident(r);
        return err;
    }
    if (err != CZ_OK)
        note_lack(d, r, err);
    r->next = d->residents;
    d->residents = r;
    update_view(d);
    *out = r;
    return err == CZ_OK ? CZ_OK : cz_fail_in(CZ_E_DECLINED, "GPU %u", d->number);
}

/* Its key anew, without the folded file; until the circuit comes with another one. */
static cz_err make_plain(cz_device_prover *d, const cz_device_circuit *c, cz_trace *trace,
                         resident **r)
{
    const cz_device_circuit plain = without_folded(d, c);

    drop(d, *r);
    CZ_TRY(make_resident(d, &plain, 0, trace, r));
    (*r)->folded = c->folded;
    (*r)->used_ns = cz_clock_ns();
    return CZ_OK;
}

static bool may_be_tried_again(const resident *r)
{
    return r->key == NULL && cz_clock_ns() >= r->again_ns;
}

static cz_err find_key(cz_device_prover *d, const cz_device_circuit *c, cz_trace *trace,
                       resident **out)
{
    unsigned waits = 0;
    resident *r;

    CZ_TRY(ensure_open(d));
    r = find(d, c->params);
    if (r != NULL && (r->folded != c->folded || may_be_tried_again(r))) {
        waits = r->waits;
        drop(d, r);
        r = NULL;
    }
    if (r == NULL)
        CZ_TRY(make_resident(d, c, waits, trace, &r));
    if (r->key == NULL)
        return cz_fail(CZ_E_DECLINED,
                       r->again_ns == UINT64_MAX ? "GPU %u: %s does not fit"
                                                 : "GPU %u: %s: memory was short a moment ago",
                       d->number, c->params->path);
    r->used_ns = cz_clock_ns();
    *out = r;
    return CZ_OK;
}

/* --- the calls --- */

cz_err cz_device_prover_open(cz_device_prover **out, unsigned number, uint64_t budget_bytes,
                             const cz_self_test *self_test)
{
    cz_device_prover *d = calloc(1, sizeof *d);
    cz_err err;

    if (d == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a device");
    d->number = number;
    d->budget = budget_bytes;
    d->test = self_test;
    err = open_tested(d);
    if (err != CZ_OK) {
        free(d);
        return err;
    }
    (void)pthread_mutex_init(&d->lock, NULL);
    (void)pthread_mutex_init(&d->view_lock, NULL);
    update_view(d);
    *out = d;
    return CZ_OK;
}

void cz_device_prover_close(cz_device_prover *d)
{
    if (d == NULL)
        return;
    shut(d);
    (void)pthread_mutex_destroy(&d->lock);
    (void)pthread_mutex_destroy(&d->view_lock);
    free(d);
}

static void count_loading(cz_device_prover *d, bool begins)
{
    (void)pthread_mutex_lock(&d->view_lock);
    if (begins)
        d->loading++;
    else
        d->loading--;
    (void)pthread_mutex_unlock(&d->view_lock);
}

cz_err cz_device_prover_load(cz_device_prover *d, const cz_device_circuit *circuit)
{
    resident *r;
    cz_err err;

    count_loading(d, true);
    enter(d);
    err = settle(d, find_key(d, circuit, NULL, &r));
    leave(d);
    count_loading(d, false);
    return err;
}

bool cz_device_prover_forget(cz_device_prover *d, const cz_params *params)
{
    note_forgotten(d, params);
    if (pthread_mutex_trylock(&d->lock) != 0)
        return false;
    leave(d);
    return true;
}

/* Streamed points are found damaged here. */
static cz_err prove(cz_device_prover *d, const cz_device_circuit *circuit,
                    const cz_device_partition *parts, unsigned n, cz_trace *trace, cz_proof *out,
                    bool *is_folded)
{
    resident *r;
    cz_err err;

    CZ_TRY(find_key(d, circuit, trace, &r));
    err = cz_groth16_prove_device_batch(out, r->key, parts, n, trace);
    if (is_of_a_file(err) && cz_device_key_folded(r->key)) {
        CZ_TRY(make_plain(d, circuit, trace, &r));
        err = cz_groth16_prove_device_batch(out, r->key, parts, n, trace);
    }
    *is_folded = cz_device_key_folded(r->key);
    if (err == CZ_OK)
        d->failures = 0;
    return err;
}

cz_err cz_device_prover_prove(cz_device_prover *d, const cz_device_circuit *circuit,
                              const cz_device_partition *parts, unsigned n, cz_trace *trace,
                              cz_proof *out, bool *is_folded)
{
    cz_err err;

    enter(d);
    err = settle(d, prove(d, circuit, parts, n, trace, out, is_folded));
    leave(d);
    return err;
}

/* True: that was one too many. */
static bool count_refuted(cz_device_prover *d, bool good)
{
    bool too_many;

    (void)pthread_mutex_lock(&d->view_lock);
    d->refuted = good ? 0 : d->refuted + 1;
    too_many = d->refuted >= MOST_REFUTED && !d->given_up;
    (void)pthread_mutex_unlock(&d->view_lock);
    return too_many;
}

void cz_device_prover_judge(cz_device_prover *d, bool good)
{
    if (!count_refuted(d, good))
        return;
    (void)cz_fail(CZ_E_VERIFY,
                  "%d of its proofs failed the self-check, and were good when made elsewhere",
                  MOST_REFUTED);
    (void)give_up(d);
    if (pthread_mutex_trylock(&d->lock) == 0)
        leave(d);
}

unsigned cz_device_prover_capacity(cz_device_prover *d, const cz_params *params)
{
    unsigned n = 1;

    (void)pthread_mutex_lock(&d->view_lock);
    for (size_t i = 0; i < d->n_capacities && !is_forgotten(d, params); i++)
        if (d->capacities[i].params == params && cz_clock_ns() >= d->capacities[i].again_ns)
            n = d->capacities[i].n > 0 ? d->capacities[i].n : 1;
        else if (d->capacities[i].params == params)
            n = 0;
    if (d->given_up)
        n = 0;
    (void)pthread_mutex_unlock(&d->view_lock);
    return n;
}

bool cz_device_prover_holds(cz_device_prover *d, const cz_params *params)
{
    bool held = false;

    (void)pthread_mutex_lock(&d->view_lock);
    for (size_t i = 0; i < d->n_capacities; i++)
        held = held || (d->capacities[i].params == params && d->capacities[i].n > 0);
    held = held && d->loading == 0 && !is_forgotten(d, params);
    (void)pthread_mutex_unlock(&d->view_lock);
    return held;
}

void cz_device_prover_describe(cz_device_prover *d, cz_device_info *out)
{
    (void)pthread_mutex_lock(&d->view_lock);
    *out = d->view;
    (void)pthread_mutex_unlock(&d->view_lock);
}

uint64_t cz_device_prover_loads(cz_device_prover *d)
{
    uint64_t n;

    (void)pthread_mutex_lock(&d->view_lock);
    n = d->loads;
    (void)pthread_mutex_unlock(&d->view_lock);
    return n;
}
