/* step_times.c: see step_times.h. */
#include "step_times.h"

#include <stdio.h>

#include "base/trace.h"

void step_times_begin(step_times *t)
{
    t->n = 0;
    progress_init(&t->bar);
}

static void note_step(step_times *t, const char *name, bool begins)
{
    const uint64_t now = cz_clock_ns();

    if (begins && t->n < MOST_STEPS) {
        t->step[t->n].name = name;
        t->step[t->n++].start_ns = now;
    }
    if (t->n > 0)
        t->step[t->n - 1].ns = now - t->step[t->n - 1].start_ns;
}

void step_times_show(void *ctx, const char *step, uint64_t done, uint64_t total)
{
    step_times *t = ctx;

    note_step(t, step, done == 0);
    progress_show(&t->bar, step, done, total);
}

void step_times_end(step_times *t)
{
    progress_clear(&t->bar);
}

void step_times_text(const step_times *t)
{
    for (unsigned i = 0; i < t->n; i++)
        (void)printf(" %s %.1f s%s", t->step[i].name, (double)t->step[i].ns / 1e9,
                     i + 1 < t->n ? "," : "\n");
}

void step_times_json(const step_times *t, json_out *j)
{
    json_object(j, "steps_ms");
    for (unsigned i = 0; i < t->n; i++)
        json_double(j, t->step[i].name, (double)t->step[i].ns / 1e6);
    json_close(j);
}
