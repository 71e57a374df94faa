/* run.c: see run.h. */
#define _GNU_SOURCE
#include "run.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "spawn.h"

enum { PATH_BYTES = 4096, MAX_WORDS = 32 };

static cz_err settings_path(char out[PATH_BYTES], const lab_run_options *o, unsigned config)
{
    if (snprintf(out, PATH_BYTES, "%s/config-%u.toml", o->folder, config) >= PATH_BYTES)
        return cz_fail(CZ_E_INPUT, "%s: the path is too long", o->folder);
    return CZ_OK;
}

static cz_err write_settings(const lab_plan *plan, const lab_run_options *o)
{
    char path[PATH_BYTES];
    cz_file_writer w;

    for (unsigned i = 0; i < plan->n_configs; i++) {
        cz_err err;

        CZ_TRY(settings_path(path, o, i));
        CZ_TRY(cz_file_writer_open(&w, path));
        err = cz_config_print(&plan->configs[i].settings, w.stream);
        if (err != CZ_OK) {
            cz_file_writer_abort(&w);
            return err;
        }
        CZ_TRY(cz_file_writer_commit(&w));
    }
    return CZ_OK;
}

typedef struct {
    char *words[MAX_WORDS];
    unsigned n;
    char numbers[4][24];
} command;

static void word(command *c, const char *text)
{
    c->words[c->n++] = (char *)(uintptr_t)text;
}

static void option(command *c, const char *name, const char *value)
{
    if (value[0] == '\0')
        return;
    word(c, name);
    word(c, value);
}

static void option_number(command *c, unsigned slot, const char *name, uint64_t value)
{
    (void)snprintf(c->numbers[slot], sizeof c->numbers[slot], "%llu", (unsigned long long)value);
    option(c, name, c->numbers[slot]);
}

static void make_command(command *c, const lab_plan *plan, const lab_run_options *o,
                         const char *settings)
{
    *c = (command){.n = 0};
    word(c, o->program);
    word(c, "ab-session");
    word(c, plan->circuit);
    option(c, "--work", plan->work == LAB_ENGINE ? "engine" : "prove");
    option(c, "--config", settings);
    option(c, "--request", plan->request);
    option(c, "--params", plan->params);
    option_number(c, 0, "--threads", plan->threads);
    option_number(c, 1, "--warm", plan->warm);
    option_number(c, 2, "--jobs", plan->jobs);
    option_number(c, 3, "--seed", plan->seed);
    word(c, NULL);
}

static cz_err run_session(lab_results *r, const lab_run_options *o, unsigned config, unsigned block,
                          unsigned place)
{
    lab_memory *memory = block == 0 ? &r->memory[config] : NULL;
    char settings[PATH_BYTES];
    lab_session *s;
    command c;
    cz_err err;

    CZ_TRY(settings_path(settings, o, config));
    make_command(&c, r->plan, o, settings);
    s = lab_results_add(r);
    if (s == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for results");
    s->config = config;
    s->block = block;
    s->place = place;
    err = lab_spawn(s, memory, c.words);
    if (err != CZ_OK) {
        r->n_sessions--;
        return cz_fail_in(err, "configuration '%s'", r->plan->configs[config].name);
    }
    if (!o->quiet)
        (void)fprintf(stderr, "block %u, %-20s cold %8.3f s, warm %8.3f s\n", block + 1,
                      r->plan->configs[config].name, lab_session_value(s, LAB_COLD_WALL),
                      lab_session_value(s, LAB_WARM_WALL));
    return CZ_OK;
}

static cz_err run_block(lab_results *r, const lab_run_options *o, lab_random *random)
{
    unsigned order[LAB_MAX_CONFIGS];

    lab_shuffle(random, order, r->plan->n_configs);
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        CZ_TRY(run_session(r, o, order[i], r->blocks, i));
    r->blocks++;
    return r->plan->work == LAB_PROVE ? lab_results_same_proofs(r) : CZ_OK;
}

/* Why it is enough; NULL: it is not. */
static const char *enough(const lab_results *r)
{
    if (r->blocks >= r->plan->max_blocks)
        return "max_blocks";
    if (r->minutes * (r->blocks + 1) / r->blocks >
        (double)r->plan->minutes) /* the next would pass it */
        return "minutes";
    if (r->blocks >= r->plan->blocks && lab_all_precise(r))
        return "every interval is narrow enough";
    return NULL;
}

cz_err lab_run_plan(lab_results *out, const lab_plan *plan, const lab_run_options *options)
{
    const uint64_t began = cz_clock_ns();
    lab_random random = {plan->seed};
    const char *why = NULL;

    CZ_TRY(lab_results_init(out, plan));
    lab_machine_describe(&out->machine);
    CZ_TRY(write_settings(plan, options));
    while (why == NULL) {
        CZ_TRY_IN(run_block(out, options, &random), "block %u", out->blocks + 1);
        out->minutes = (double)(cz_clock_ns() - began) / 60e9;
        why = enough(out);
    }
    out->stopped = why;
    return CZ_OK;
}
