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

/* ---- the command of a session ---- */

typedef struct {
    char *words[MAX_WORDS];
    unsigned n;
    char numbers[5][24];
    char settings[PATH_BYTES];
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

static cz_err make_command(command *c, const lab_plan *plan, const lab_run_options *o,
                           unsigned config)
{
    c->n = 0;
    CZ_TRY(settings_path(c->settings, o, config));
    word(c, o->program);
    word(c, "ab-session");
    word(c, plan->circuit);
    option(c, "--work", lab_work_name(plan->work));
    option(c, "--config", c->settings);
    option(c, "--request", plan->request);
    option(c, "--params", plan->params);
    option(c, "--daemon", plan->daemon);
    option(c, "--addr", plan->configs[config].address);
    option_number(c, 0, "--threads", plan->threads);
    option_number(c, 1, "--warm", plan->warm);
    option_number(c, 2, "--jobs", plan->jobs);
    option_number(c, 3, "--seed", plan->seed);
    if (plan->partitions != 0)
        option_number(c, 4, "--partitions", plan->partitions);
    if (plan->turns)
        word(c, "--turns");
    if (plan->configs[config].no_trace)
        word(c, "--no-trace");
    word(c, NULL);
    return CZ_OK;
}

/* ---- blocks ---- */

static cz_err add_session(lab_results *r, unsigned config, unsigned place)
{
    lab_session *s = lab_results_add(r);

    if (s == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for results");
    s->config = config;
    s->block = r->blocks;
    s->place = place;
    return CZ_OK;
}

static const char *name_of(const lab_results *r, const lab_session *s)
{
    return r->plan->configs[s->config].name;
}

/* A session of a daemon is only its client; the daemon's peak is in its answer. */
static lab_memory *memory_of(const lab_results *r, const lab_session *s)
{
    return r->blocks == 0 && r->plan->work != LAB_DAEMON ? &r->memory[s->config] : NULL;
}

static void say(const lab_results *r, const lab_run_options *o, const lab_session *s)
{
    if (!o->quiet)
        (void)fprintf(stderr, "block %u, %-20s cold %8.3f s, warm %8.3f s\n", r->blocks + 1,
                      name_of(r, s), lab_session_value(s, LAB_COLD_WALL),
                      lab_session_value(s, LAB_WARM_WALL));
}

/* One after the other. */
static cz_err run_in_a_row(lab_results *r, const lab_run_options *o, lab_session *sessions)
{
    command c;

    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        lab_session *s = &sessions[i];

        CZ_TRY(make_command(&c, r->plan, o, s->config));
        CZ_TRY_IN(lab_spawn(s, memory_of(r, s), c.words), "configuration '%s'", name_of(r, s));
        say(r, o, s);
    }
    return CZ_OK;
}

/* Each opens what it needs while no other one works. */
static cz_err start_all(const lab_results *r, const lab_run_options *o, const lab_session *sessions,
                        lab_child *children)
{
    command c;

    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        CZ_TRY(make_command(&c, r->plan, o, sessions[i].config));
        CZ_TRY(lab_child_start(&children[i], c.words, true));
        lab_child_wait(&children[i], memory_of(r, &sessions[i]));
    }
    return CZ_OK;
}

static cz_err end_one(const lab_results *r, lab_session *s, lab_child *c)
{
    CZ_TRY_IN(lab_child_end(c, s), "configuration '%s'", name_of(r, s));
    return CZ_OK;
}

/* A round: a run of each, in an order of its own. */
static cz_err run_round(const lab_results *r, lab_random *random, lab_session *sessions,
                        lab_child *children)
{
    unsigned order[LAB_MAX_CONFIGS];

    lab_shuffle(random, order, r->plan->n_configs);
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        lab_child *c = &children[order[i]];
        lab_session *s = &sessions[order[i]];

        if (lab_child_go(c) != CZ_OK) {
            CZ_TRY(end_one(r, s, c)); /* it knows better why */
            return cz_fail(CZ_E_IO, "configuration '%s' ended before its turn", name_of(r, s));
        }
        lab_child_wait(c, memory_of(r, s));
    }
    return CZ_OK;
}

static cz_err end_all(const lab_results *r, const lab_run_options *o, lab_session *sessions,
                      lab_child *children)
{
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        CZ_TRY(end_one(r, &sessions[i], &children[i]));
        say(r, o, &sessions[i]);
    }
    return CZ_OK;
}

/* Side by side, one at a time. */
static cz_err run_in_turns(lab_results *r, const lab_run_options *o, lab_random *random,
                           lab_session *sessions)
{
    lab_child children[LAB_MAX_CONFIGS] = {{.pid = 0}};
    cz_err err = start_all(r, o, sessions, children);

    for (uint64_t k = 0; err == CZ_OK && k <= r->plan->warm; k++)
        err = run_round(r, random, sessions, children);
    if (err == CZ_OK)
        err = end_all(r, o, sessions, children);
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        lab_child_kill(&children[i]);
    return err;
}

static cz_err run_block(lab_results *r, const lab_run_options *o, lab_random *random)
{
    const unsigned n = r->plan->n_configs, before = r->n_sessions;
    unsigned order[LAB_MAX_CONFIGS];
    cz_err err;

    lab_shuffle(random, order, n);
    for (unsigned i = 0; i < n; i++)
        CZ_TRY(add_session(r, order[i], i));
    err = r->plan->turns ? run_in_turns(r, o, random, &r->sessions[before])
                         : run_in_a_row(r, o, &r->sessions[before]);
    if (err != CZ_OK) {
        r->n_sessions = before;
        return err;
    }
    r->blocks++;
    return r->plan->work == LAB_PROVE ? lab_results_same_proofs(r) : CZ_OK;
}

/* Why it is enough; NULL: it is not. */
static const char *enough(const lab_results *r, double minutes)
{
    if (r->blocks >= r->plan->max_blocks)
        return "max_blocks";
    if (r->minutes * (r->blocks + 1) / r->blocks > minutes) /* the next would pass it */
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
    lab_machine_describe(&out->machine, options->commit);
    CZ_TRY(write_settings(plan, options));
    while (why == NULL) {
        CZ_TRY_IN(run_block(out, options, &random), "block %u", out->blocks + 1);
        out->minutes = (double)(cz_clock_ns() - began) / 60e9;
        why = enough(out, options->minutes > 0 ? options->minutes : (double)plan->minutes);
    }
    out->stopped = why;
    return CZ_OK;
}
