/* Tasks: order, time, cancelling. */
#include "support.h"

#include <stdatomic.h>

#include "base/trace.h"
#include "rpc/tasks.h"

static atomic_uint n_run;
static char order[8];

typedef struct {
    cz_task task;
    char name;
} named;

static void note(void *ctx)
{
    const named *n = ctx;

    order[n_run] = n->name;
    n_run++;
}

static int forget(void **state)
{
    (void)state;
    n_run = 0;
    for (unsigned i = 0; i < sizeof order; i++)
        order[i] = '\0';
    return 0;
}

static named make(char name, uint64_t due_ns)
{
    return (named){.task = {.run = note, .due_ns = due_ns}, .name = name};
}

static void post(cz_tasks *t, named *n)
{
    n->task.ctx = n;
    cz_tasks_post(t, &n->task);
}

static void wait_for(unsigned n)
{
    while (n_run < n)
        ;
}

static void they_run_in_order_and_in_time(void **state)
{
    const uint64_t start = cz_clock_ns(), soon = 30000000;
    named a = make('a', start + 2 * soon), b = make('b', start + soon), c = make('c', 0),
          d = make('d', 0);
    cz_tasks *t;

    (void)state;
    assert_ok(cz_tasks_create(&t, 1));
    post(t, &a);
    post(t, &b);
    post(t, &c);
    post(t, &d);
    wait_for(4);
    assert_true(cz_clock_ns() - start >= 2 * soon);
    assert_string_equal(order, "cdba");
    cz_tasks_destroy(t);
}

static void what_is_cancelled_does_not_run(void **state)
{
    named a = make('a', cz_clock_ns() + 20000000), b = make('b', cz_clock_ns() + 40000000);
    cz_tasks *t;

    (void)state;
    assert_ok(cz_tasks_create(&t, 2));
    post(t, &a);
    post(t, &b);
    assert_true(cz_tasks_cancel(t, &a.task));
    assert_false(cz_tasks_cancel(t, &a.task));
    wait_for(1);
    assert_int_equal(order[0], 'b');
    assert_false(cz_tasks_cancel(t, &b.task));
    cz_tasks_destroy(t);
}

static void the_end_drops_what_is_not_due(void **state)
{
    named a = make('a', cz_clock_ns() + 3600u * (uint64_t)1000000000), b = make('b', 0);
    cz_tasks *t;

    (void)state;
    assert_ok(cz_tasks_create(&t, 1));
    post(t, &a);
    post(t, &b);
    cz_tasks_destroy(t);
    assert_int_equal(n_run, 1);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup(they_run_in_order_and_in_time, forget),
    cmocka_unit_test_setup(what_is_cancelled_does_not_run, forget),
    cmocka_unit_test_setup(the_end_drops_what_is_not_due, forget),
};
CZ_TEST_MAIN(cases)
