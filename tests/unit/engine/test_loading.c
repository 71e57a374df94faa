/* What takes long, loading parameters and locking pages, and what others are told meanwhile. */
#define _GNU_SOURCE
#include <pthread.h>

#include "../groth16/host_prover.h"
#include "../groth16/toy_key.h"
#include "cs/compile.h"
#include "engine/device_prover.h"
#include "engine/pinned.h"
#include "host_gpu.h"

typedef struct {
    toy_key key;
    cz_compiled *compiled;
    cz_device_circuit circuit;
} subject;

static void subject_init(subject *s, const char *name)
{
    toy_key_init(&s->key, toy_make(8, 100, 70), name, NULL);
    assert_ok(cz_circuit_compile(&s->compiled, &s->key.toy.base, NULL));
    s->circuit = (cz_device_circuit){.params = &s->key.params, .circuit = s->compiled};
}

static void subject_free(subject *s)
{
    cz_compiled_destroy(s->compiled);
    toy_key_free(&s->key);
}

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_moved = PTHREAD_COND_INITIALIZER;
static bool gate_is_shut, is_held; /* under gate_lock */

static cz_err gated_take(cz_gpu *gpu, cz_gpu_memory where, void **out, size_t bytes,
                         const char *what)
{
    (void)pthread_mutex_lock(&gate_lock);
    is_held = gate_is_shut;
    (void)pthread_cond_broadcast(&gate_moved);
    while (gate_is_shut)
        (void)pthread_cond_wait(&gate_moved, &gate_lock);
    (void)pthread_mutex_unlock(&gate_lock);
    return host_take(gpu, where, out, bytes, what);
}

static void set_gate(bool is_shut)
{
    (void)pthread_mutex_lock(&gate_lock);
    gate_is_shut = is_shut;
    is_held = false;
    (void)pthread_cond_broadcast(&gate_moved);
    (void)pthread_mutex_unlock(&gate_lock);
}

static void wait_until_held(void)
{
    (void)pthread_mutex_lock(&gate_lock);
    while (!is_held)
        (void)pthread_cond_wait(&gate_moved, &gate_lock);
    (void)pthread_mutex_unlock(&gate_lock);
}

typedef struct {
    cz_device_prover *device;
    const subject *s;
    cz_err err;
} loading;

static void *load(void *arg)
{
    loading *l = arg;

    l->err = cz_device_prover_load(l->device, &l->s->circuit);
    return NULL;
}

/* Partitions go to a device that has its parameters at hand. */
static void who_loads_has_nothing_at_hand(void **state)
{
    cz_device_prover *d;
    subject one, other;
    loading l = {.s = &other};
    pthread_t thread;
    bool held_meanwhile;

    (void)state;
    if (getenv("CUZK_TEST_CUDA") != NULL)
        skip();
    host_prover_use();
    host_gpu_table.take = gated_take;
    cz_gpu_use(&host_gpu_table);
    subject_init(&one, "one");
    subject_init(&other, "other");
    assert_ok(cz_device_prover_open(&d, 0, 0, NULL));
    assert_ok(cz_device_prover_load(d, &one.circuit));
    assert_true(cz_device_prover_holds(d, &one.key.params));
    set_gate(true);
    l.device = d;
    assert_int_equal(pthread_create(&thread, NULL, load, &l), 0);
    wait_until_held();
    held_meanwhile = cz_device_prover_holds(d, &one.key.params);
    set_gate(false);
    (void)pthread_join(thread, NULL);
    assert_int_equal(l.err, CZ_OK);
    assert_false(held_meanwhile);
    assert_true(cz_device_prover_holds(d, &one.key.params));
    assert_true(cz_device_prover_holds(d, &other.key.params));
    cz_device_prover_close(d);
    subject_free(&one);
    subject_free(&other);
}

typedef struct {
    cz_pinned *p;
    void *block;
} locking;

static void *lock_pages(void *arg)
{
    locking *l = arg;

    l->block = cz_pinned_take(l->p, 50000);
    return NULL;
}

/* The engine asks under its lock, and unlocks what nobody seems to want; a device's worker gives
 * back what it has proved. Neither waits, nor gets a wrong answer. */
static void pages_that_are_being_locked_hold_up_nobody(void **state)
{
    cz_pinned *p;
    void *block, *again = NULL;
    locking l = {.block = NULL};
    pthread_t thread;
    uint64_t reusable;

    (void)state;
    if (getenv("CUZK_TEST_CUDA") != NULL)
        skip();
    host_gpu_table.take = gated_take;
    cz_gpu_use(&host_gpu_table);
    assert_ok(cz_pinned_create(&p, 0, 100000));
    block = cz_pinned_take(p, 40000);
    assert_non_null(block);
    cz_pinned_give_back(p, block);
    set_gate(true);
    l.p = p;
    assert_int_equal(pthread_create(&thread, NULL, lock_pages, &l), 0);
    wait_until_held();
    reusable = cz_pinned_reusable(p, 30000, 0);
    if (reusable > 0) {
        again = cz_pinned_take(p, 30000);
        cz_pinned_give_back(p, again);
    }
    set_gate(false);
    (void)pthread_join(thread, NULL);
    assert_int_equal(reusable, 40000);
    assert_ptr_equal(again, block);
    assert_non_null(l.block);
    assert_int_equal(cz_pinned_bytes(p), 90000);
    cz_pinned_give_back(p, l.block);
    cz_pinned_destroy(p);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(pages_that_are_being_locked_hold_up_nobody),
    cmocka_unit_test_setup_teardown(who_loads_has_nothing_at_hand, scratch_make, scratch_remove),
};

CZ_TEST_MAIN(cases)
