/* From the answers of processes to verdicts and pages, without running any. */
#define _GNU_SOURCE
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "monitor.h"
#include "report.h"
#include "series.h"
#include "spawn.h"

static const char plan_text[] = "[plan]\nname = \"toy <plan>\"\ncircuit = \"winning-2k\"\n"
                                "[config.base]\nabout = \"a & b\"\n"
                                "[config.slow]\nexperiment.pin = \"per_proof\"\n"
                                "[config.fast]\nexperiment.b2 = \"serial\"\n"
                                "[config.both]\nexperiment.pin = \"per_proof\"\n"
                                "experiment.b2 = \"serial\"\n";

/* Times of base, slow, fast, both and the base again: 1, 1.2, 0.8, 0.96 and 1, with a cold run
 * that takes twice as long. */
static void fill(lab_results *r, const lab_plan *plan)
{
    static const double factors[] = {1, 1.2, 0.8, 0.96, 1};

    assert_ok(lab_results_init(r, plan));
    for (unsigned block = 0; block < 8; block++)
        for (unsigned i = 0; i < plan->n_configs; i++) {
            const double noise = 1 + 0.001 * (double)((block * 7 + i * 3) % 5);
            lab_session *s = lab_results_add(r);

            assert_non_null(s);
            s->config = i;
            s->block = block;
            s->n_runs = 3;
            for (unsigned k = 0; k < 3; k++) {
                s->runs[k].seconds = factors[i] * noise * (k == 0 ? 2 : 1);
                s->runs[k].cpu_seconds = s->runs[k].seconds;
                s->runs[k].peak_rss = 1e9;
                s->runs[k].phase_ms[CZ_PHASE_WITNESS] = 400;
                s->runs[k].phase_ms[CZ_PHASE_NTT_MSM_H] = 600 * factors[i];
            }
            (void)strcpy(s->proof_sha256, "ab");
        }
    lab_memory_add(&r->memory[0], 0, 1e8);
    lab_memory_add(&r->memory[0], 1, 1e9);
    r->blocks = 8;
    r->minutes = 1.5;
    r->stopped = "max_blocks";
}

static void test_verdicts_follow_from_the_times(void **state)
{
    static const lab_verdict expected[] = {LAB_WITHIN_NOISE, LAB_HURTS, LAB_HELPS, LAB_HELPS,
                                           LAB_WITHIN_NOISE};
    lab_results r;
    lab_plan plan;

    (void)state;
    assert_ok(lab_plan_parse(&plan, plan_text, strlen(plan_text), "p.toml"));
    fill(&r, &plan);
    for (unsigned i = 1; i < plan.n_configs; i++) {
        const lab_ratio ratio = lab_compare(&r, 0, i, LAB_WARM_WALL);

        assert_int_equal(ratio.n, 8);
        assert_int_equal(lab_judge(&ratio, plan.least), expected[i]);
    }
    assert_true(lab_all_precise(&r));
    /* the parts multiply to the whole here */
    assert_true(fabs(lab_product_of_parts(&r, 3, LAB_WARM_WALL) - 0.96) < 0.005);
    assert_true(lab_product_of_parts(&r, 1, LAB_WARM_WALL) == 0);
    assert_true(fabs(lab_interaction(&r, 3, LAB_WARM_WALL).estimate - 1) < 0.005);
    assert_int_equal(lab_interaction(&r, 1, LAB_WARM_WALL).n, 0);
    assert_true(lab_spread(&r, 0, LAB_COLD_WALL).median > 1.9);
    assert_true(lab_spread(&r, 0, LAB_COLD_WALL).ci_low <= lab_spread(&r, 0, LAB_COLD_WALL).low);
    /* only one phase differs */
    assert_int_equal(lab_judge_phase(&r, 1, CZ_PHASE_NTT_MSM_H), LAB_HURTS);
    assert_int_equal(lab_judge_phase(&r, 2, CZ_PHASE_NTT_MSM_H), LAB_HELPS);
    assert_int_equal(lab_judge_phase(&r, 2, CZ_PHASE_WITNESS), LAB_WITHIN_NOISE);
    assert_int_equal(lab_judge_phase(&r, 2, CZ_PHASE_PIN), LAB_WITHIN_NOISE);
    assert_ok(lab_results_same_proofs(&r));
    r.sessions[3].proof_sha256[0] = 'c';
    assert_fails(lab_results_same_proofs(&r), CZ_E_VERIFY, "'base' and 'both'");
    lab_results_clear(&r);
    lab_plan_clear(&plan);
}

/* A machine that gets slower from round to round, and is disturbed in one: the ratios of a round
 * do not see it, those of whole processes do. */
static void test_turns_pair_rounds(void **state)
{
    lab_results r;
    lab_plan plan;

    (void)state;
    assert_ok(lab_plan_parse(&plan, plan_text, strlen(plan_text), "p.toml"));
    fill(&r, &plan);
    for (unsigned i = 0; i < r.n_sessions; i++)
        for (unsigned k = 0; k < 3; k++) {
            const double factor = (r.sessions[i].config == 1 ? 1.05 : 1) * (1 + 0.3 * k);

            r.sessions[i].runs[k].seconds = factor;
        }
    for (unsigned i = 0; i < r.n_sessions; i++)
        if (r.sessions[i].config == 1 && r.sessions[i].block % 2 == 0)
            r.sessions[i].n_runs = 2; /* its median is an earlier round's */
    plan.turns = true;
    assert_true(fabs(lab_compare(&r, 0, 1, LAB_WARM_WALL).estimate - 1.05) < 1e-9);
    assert_true(fabs(lab_compare(&r, 0, 1, LAB_WARM_WALL).low - 1.05) < 1e-9);
    plan.turns = false;
    assert_true(lab_compare(&r, 0, 1, LAB_WARM_WALL).low < 1);
    lab_results_clear(&r);
    lab_plan_clear(&plan);
}

static char *taken(cz_text_out *out)
{
    char *text;

    assert_ok(cz_text_take(out, &text, NULL));
    return text;
}

static void test_reports(void **state)
{
    cz_text_out out = {0};
    cz_json_doc *doc;
    cz_json root, v;
    lab_results r;
    lab_plan plan;
    char *text;
    size_t n;

    (void)state;
    assert_ok(lab_plan_parse(&plan, plan_text, strlen(plan_text), "p.toml"));
    fill(&r, &plan);
    lab_machine_describe(&r.machine, "c0ffee");
    lab_report_markdown(&out, &r);
    text = taken(&out);
    assert_non_null(strstr(text, "**hurts**"));
    assert_non_null(strstr(text, "| witness | 400.0 |"));
    assert_non_null(strstr(text, "Is the sum of the parts the whole?"));
    free(text);

    out = (cz_text_out){0};
    lab_report_html(&out, &r);
    text = taken(&out);
    assert_non_null(strstr(text, "toy &lt;plan&gt;"));
    assert_non_null(strstr(text, "a &amp; b"));
    assert_non_null(strstr(text, "<svg"));
    assert_non_null(strstr(text, "<polyline"));
    assert_null(strstr(text, "http")); /* nothing from outside */
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "nan"));
    free(text);

    assert_ok(lab_report_json(&text, &n, &r));
    assert_ok(cz_json_parse(&doc, &root, text, n));
    assert_ok(cz_json_get(root, "configurations", &v));
    assert_ok(cz_json_size(v, &n));
    assert_int_equal(n, 5);
    assert_ok(cz_json_get(root, "sessions", &v));
    assert_ok(cz_json_size(v, &n));
    assert_int_equal(n, 40);
    cz_json_destroy(doc);
    free(text);
    lab_results_clear(&r);
    lab_plan_clear(&plan);
}

/* A run of many jobs has a throughput, and no warm runs: then nothing is called warm. */
static void test_a_load_has_a_throughput(void **state)
{
    cz_text_out out = {0};
    lab_results r;
    lab_plan plan;
    char *text;

    (void)state;
    assert_ok(lab_plan_parse(&plan, plan_text, strlen(plan_text), "p.toml"));
    fill(&r, &plan);
    plan.work = LAB_ENGINE;
    plan.jobs = 4;
    plan.warm = 0;
    for (unsigned i = 0; i < r.n_sessions; i++) {
        r.sessions[i].n_runs = 1;
        r.sessions[i].runs[0].seconds = r.sessions[i].config == 1 ? 120 : 60;
        r.sessions[i].runs[0].peak_rss = r.sessions[i].config == 1 ? 5e8 : 1e9;
    }
    lab_report_markdown(&out, &r);
    text = taken(&out);
    assert_non_null(strstr(text, "4 jobs at once by an engine, one run a process"));
    assert_non_null(strstr(text, "| base | 4.00 (4.00 to 4.00) | 954 MiB | 1 |"));
    assert_non_null(strstr(text, "| slow | 2.00 (2.00 to 2.00) | 477 MiB | 0.500"));
    assert_null(strstr(text, "| cold |"));
    free(text);
    out = (cz_text_out){0};
    lab_report_html(&out, &r);
    text = taken(&out);
    assert_non_null(strstr(text, "Throughput against peak memory"));
    assert_null(strstr(text, "<th class=\"n\">warm"));
    assert_null(strstr(text, "first run"));
    assert_null(strstr(text, "nan"));
    free(text);
    lab_results_clear(&r);
    lab_plan_clear(&plan);
}

/* Only of runs that recorded something; of those, phases, time and share. */
static void test_recording_has_its_cost(void **state)
{
    cz_text_out out = {0};
    lab_results r;
    lab_plan plan;
    char *text;

    (void)state;
    assert_ok(lab_plan_parse(&plan, plan_text, strlen(plan_text), "p.toml"));
    fill(&r, &plan);
    lab_report_markdown(&out, &r);
    text = taken(&out);
    assert_null(strstr(text, "What recording"));
    free(text);
    for (unsigned i = 0; i < r.n_sessions; i++)
        for (unsigned k = 0; k < r.sessions[i].n_runs; k++) {
            lab_run *run = &r.sessions[i].runs[k];

            run->seconds = 1;
            run->recorded = r.sessions[i].config == 0 ? 0 : 40;
            run->recording_ms = r.sessions[i].config == 0 ? 0 : 0.5;
            if (r.sessions[i].config == 0)
                memset(run->phase_ms, 0, sizeof run->phase_ms);
        }
    out = (cz_text_out){0};
    lab_report_markdown(&out, &r);
    text = taken(&out);
    assert_non_null(strstr(text, "| slow | 40 | 0.500 | 12.5 | 0.050 % |"));
    assert_null(strstr(text, "| base | 0 |"));
    assert_non_null(strstr(text, "| witness | – | 400.0 |")); /* not told is not zero */
    free(text);
    lab_results_clear(&r);
    lab_plan_clear(&plan);
}

static char *page(const lab_results *r, void (*write)(cz_text_out *, const lab_results *))
{
    cz_text_out out = {0};

    write(&out, r);
    return taken(&out);
}

static void assert_same_page(const lab_results *a, const lab_results *b,
                             void (*write)(cz_text_out *, const lab_results *))
{
    char *x = page(a, write), *y = page(b, write);

    assert_string_equal(x, y);
    free(x);
    free(y);
}

/* What is written can be read, and gives the same pages. */
static void test_a_report_is_rendered_again(void **state)
{
    lab_results r, again;
    lab_plan plan, read;
    char *text;
    size_t n;

    (void)state;
    assert_ok(lab_plan_parse(&plan, plan_text, strlen(plan_text), "p.toml"));
    fill(&r, &plan);
    r.sessions[0].load_seconds = 2;
    plan.threads = 1;
    assert_ok(lab_plan_set_text(&plan.metric, "cpu"));
    for (unsigned k = 0; k < 3; k++) {
        r.sessions[0].runs[k].recorded = 7;
        r.sessions[0].runs[k].recording_ms = 0.25;
    }
    lab_machine_describe(&r.machine, "c0ffee");
    assert_ok(lab_report_json(&text, &n, &r));
    assert_ok(lab_report_parse(&again, &read, text, n, "report.json"));
    assert_same_page(&r, &again, lab_report_markdown);
    assert_same_page(&r, &again, lab_report_html);
    lab_results_clear(&again);
    lab_plan_clear(&read);
    assert_fails(lab_report_parse(&again, &read, text, n / 2, "report.json"), CZ_E_INPUT,
                 "report.json");
    lab_results_clear(&again);
    lab_plan_clear(&read);
    assert_fails(lab_report_parse(&again, &read, "{}", 2, "report.json"), CZ_E_INPUT,
                 "configurations");
    lab_results_clear(&again);
    lab_plan_clear(&read);
    free(text);
    lab_results_clear(&r);
    lab_plan_clear(&plan);
}

static void test_a_series_is_counted(void **state)
{
    lab_series *s = calloc(1, sizeof *s);
    cz_text_out out = {0};
    unsigned right, all;
    lab_results r;
    lab_plan plan;
    char *text;

    (void)state;
    assert_non_null(s);
    assert_ok(lab_plan_parse(&plan, plan_text, strlen(plan_text), "p.toml"));
    (void)strcpy(plan.configs[1].expect, "hurts");
    (void)strcpy(plan.configs[2].expect, "hurts"); /* it will not */
    fill(&r, &plan);
    s->plan = &plan;
    for (unsigned k = 0; k < 3; k++)
        lab_series_add(s, &r);
    assert_int_equal(lab_series_count(s, 1, LAB_HURTS), 3);
    assert_int_equal(lab_series_count(s, 2, LAB_HELPS), 3);
    lab_series_expected(s, false, &right, &all);
    assert_int_equal(right, 3);
    assert_int_equal(all, 6);
    lab_series_expected(s, true, &right, &all); /* the baseline again */
    assert_int_equal(right, 3);
    assert_int_equal(all, 3);
    lab_series_text(&out, s);
    text = taken(&out);
    assert_non_null(strstr(text, "Effects that are there: 3 of 6 seen."));
    assert_non_null(strstr(text, "itself: 3 of 3 within noise."));
    free(text);
    lab_results_clear(&r);
    lab_plan_clear(&plan);
    free(s);
}

static void test_answers_of_sessions(void **state)
{
    static const char good[] =
        "{\"runs\": [{\"seconds\": 2.5, \"cpu_seconds\": 4, \"minor_faults\": 7, \"major_faults\": "
        "1, "
        "\"peak_rss_bytes\": 100, \"covered\": 0.99, \"phases_ms\": {\"witness\": 12.5}, "
        "\"phase_faults\": {\"witness\": 3}, \"vram_bytes\": 9, \"recorded\": 5, "
        "\"recording_ms\": 0.5}], \"load_seconds\": 1.5, "
        "\"locked_bytes\": 64, \"proof_sha256\": \"beef\"}";
    static const char none[] = "{\"runs\": [], \"locked_bytes\": 0, \"proof_sha256\": \"\"}";
    lab_session *s = calloc(1, sizeof *s);

    (void)state;
    assert_non_null(s);
    assert_ok(lab_session_parse(s, good, strlen(good)));
    assert_int_equal(s->n_runs, 1);
    assert_true(s->runs[0].seconds > 2.4 && s->runs[0].phase_ms[CZ_PHASE_WITNESS] > 12);
    assert_true(s->runs[0].phase_faults[CZ_PHASE_WITNESS] > 2 && s->runs[0].vram > 8);
    assert_true(s->runs[0].recorded > 4 && s->runs[0].recording_ms > 0.4);
    assert_true(s->load_seconds > 1);
    assert_string_equal(s->proof_sha256, "beef");
    assert_fails(lab_session_parse(s, none, strlen(none)), CZ_E_INPUT, "no run");
    assert_fails(lab_session_parse(s, "{", 1), CZ_E_INPUT, "");
    free(s);
}

static void test_processes_that_fail(void **state)
{
    char program[] = "/nowhere/at-all", no[] = "/bin/false", echo[] = "/bin/echo", text[] = "hello";
    char *const missing[] = {program, NULL}, *const failing[] = {no, NULL};
    char *const silly[] = {echo, text, NULL};
    lab_session *s = calloc(1, sizeof *s);

    (void)state;
    assert_non_null(s);
    assert_fails(lab_spawn(s, NULL, missing), CZ_E_IO, "cannot be run");
    assert_fails(lab_spawn(s, NULL, failing), CZ_E_IO, "status 1");
    assert_fails(lab_spawn(s, NULL, silly), CZ_E_INPUT, "answer of a session");
    free(s);
}

/* A shell that says ready, counts the words that it gets, and answers. */
static void test_turns(void **state)
{
    static char script[] =
        "echo ready; read a; echo ready; read b; echo \"{\\\"runs\\\": [{\\\"seconds\\\": 1, "
        "\\\"cpu_seconds\\\": 1, \\\"minor_faults\\\": 1, \\\"major_faults\\\": 0, "
        "\\\"peak_rss_bytes\\\": 1, \\\"covered\\\": 1}], \\\"locked_bytes\\\": 0, "
        "\\\"proof_sha256\\\": \\\"$a$b\\\"}\"";
    char shell[] = "/bin/sh", c[] = "-c", bad[] = "exit 3";
    char *const good[] = {shell, c, script, NULL}, *const failing[] = {shell, c, bad, NULL};
    lab_session *s = calloc(1, sizeof *s);
    lab_child child;

    (void)state;
    assert_non_null(s);
    assert_ok(lab_child_start(&child, good, true));
    for (int turn = 0; turn < 2; turn++) {
        lab_child_wait(&child, NULL);
        assert_false(child.ended);
        assert_ok(lab_child_go(&child));
    }
    lab_child_wait(&child, NULL);
    assert_true(child.ended);
    assert_ok(lab_child_end(&child, s));
    assert_string_equal(s->proof_sha256, "gogo");
    lab_child_kill(&child); /* nothing: it has ended */

    assert_ok(lab_child_start(&child, failing, true));
    lab_child_wait(&child, NULL);
    assert_true(child.ended);
    assert_fails(lab_child_go(&child), CZ_E_IO, "before its turn");
    assert_fails(lab_child_end(&child, s), CZ_E_IO, "status 3");
    assert_ok(lab_child_start(&child, good, true));
    lab_child_kill(&child);
    assert_int_equal(child.pid, 0);
    free(s);
}

static void test_memory_is_sampled_and_plotted(void **state)
{
    cz_text_out out = {0};
    lab_monitor m = {0};
    lab_memory *memory = calloc(1, sizeof *memory);
    lab_proc now;
    char *text;

    (void)state;
    assert_non_null(memory);
    assert_ok(lab_proc_read(&now, getpid(), true));
    assert_true(now.rss > 500000 && now.pss > 0 && now.pss <= now.rss * 1.5);
    assert_true(now.minor_faults > 0);
    assert_fails(lab_proc_read(&now, 1 << 30, false), CZ_E_NOTFOUND, "no process");
    for (int i = 0; i < 2000; i++) { /* more than fit */
        lab_memory_add(memory, i, i * 1e6);
        assert_ok(lab_monitor_add(&m, i, &(lab_proc){.rss = i * 1e6, .minor_faults = i}, 3e9));
    }
    assert_true(memory->n <= LAB_MAX_SAMPLES && memory->n >= LAB_MAX_SAMPLES / 2);
    assert_true(memory->samples[memory->n - 1].seconds > 1998);
    lab_monitor_text(&out, &m);
    text = taken(&out);
    assert_non_null(strstr(text, "1.86 GiB |"));
    free(text);
    out = (cz_text_out){0};
    lab_monitor_svg(&out, &m);
    text = taken(&out);
    assert_non_null(strstr(text, "</svg>"));
    assert_non_null(strstr(text, "on devices"));
    assert_null(strstr(text, "nan"));
    free(text);
    lab_monitor_clear(&m);
    free(memory);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_verdicts_follow_from_the_times),
    cmocka_unit_test(test_turns_pair_rounds),
    cmocka_unit_test(test_reports),
    cmocka_unit_test(test_a_load_has_a_throughput),
    cmocka_unit_test(test_recording_has_its_cost),
    cmocka_unit_test(test_a_report_is_rendered_again),
    cmocka_unit_test(test_a_series_is_counted),
    cmocka_unit_test(test_turns),
    cmocka_unit_test(test_answers_of_sessions),
    cmocka_unit_test(test_processes_that_fail),
    cmocka_unit_test(test_memory_is_sampled_and_plotted),
};

CZ_TEST_MAIN(cases)
