/* time: seconds of single operations and whole proofs, verified first, beside what the machine can
 * do at most. */
#define _GNU_SOURCE
#include "commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "lab/stats.h"
#include "time_case.h"

enum { MAX_RUNS = 1000, MAX_SPECS = 64 };

typedef struct {
    /* the command line */
    const char *specs[MAX_SPECS];
    const char *form, *folder, *request;
    unsigned threads, runs;
    bool json;
    /* what it opens */
    cz_pool *pool;
    cz_limits limits;
    bool has_limits;
    progress bar;
    json_out out;
    bool json_begun;
} session;

/* A run of each, and the same ascending. */
typedef struct {
    double runs[MAX_RUNS], sorted[MAX_RUNS];
} series;

typedef struct {
    series wall, cpu; /* seconds; the CPU's of all threads, which neighbours disturb less */
    unsigned n;
} timings;

static const char time_about[] =
    "Measure operations and whole proofs. Every case is verified first, against its reference or\n"
    "by what its result must be, then timed: median, fastest and slowest. Beside the time stand\n"
    "the multiplications that the method needs and the bytes that it moves where no cache holds\n"
    "any, with their shares of what this machine did just before in loops of nothing else.\n"
    "SPEC, ending in :cpu where one likes:\n" TIME_CASES_HELP;

/* --- forms ---------------------------------------------------------------------------------- */

/* Forms are chosen before main(): another one takes another start of the program. */
static cz_err use_form(const session *s, int argc, char **argv)
{
    const char *now = getenv("CUZK_CPU");
    char **again;

    if (s->form == NULL || (now != NULL && strcmp(now, s->form) == 0))
        return CZ_OK;
    if (strcmp(s->form, "portable") != 0 && strcmp(s->form, "adx") != 0 &&
        strcmp(s->form, "ifma") != 0)
        return args_mistake(
            cz_fail(CZ_E_INPUT, "--form '%.32s' is none of portable, adx, ifma", s->form));
    if (strcmp(s->form, "ifma") == 0 && now == NULL)
        return CZ_OK;
    again = calloc((size_t)argc + 3, sizeof *again);
    if (again == NULL || setenv("CUZK_CPU", s->form, 1) != 0) {
        free(again);
        return cz_fail(CZ_E_NOMEM, "no memory");
    }
    again[0] = "cuzk-bench";
    again[1] = "time";
    memcpy(again + 2, argv, (size_t)argc * sizeof *argv);
    (void)execv("/proc/self/exe", again);
    free(again);
    return cz_fail(CZ_E_IO, "starting again with --form %s: %s", s->form, strerror(errno));
}

static cz_err check_form(const session *s)
{
    if (s->form != NULL && strcmp(s->form, "ifma") == 0 && !cz_cpu_has(CZ_CPU_AVX512IFMA))
        return cz_fail(CZ_E_NODEV, "--form ifma: this CPU has no AVX-512 IFMA");
    if (s->form != NULL && strcmp(s->form, "adx") == 0 && !cz_cpu_has(CZ_CPU_ADX))
        return cz_fail(CZ_E_NODEV, "--form adx: this CPU has no ADX");
    return CZ_OK;
}

/* --- one case ------------------------------------------------------------------------------- */

static double cpu_seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static cz_err timed_run(time_case *c, timings *t, unsigned i)
{
    uint64_t start;
    double cpu_start;

    if (c->prepare != NULL)
        CZ_TRY(c->prepare(c));
    cpu_start = cpu_seconds();
    start = cz_clock_ns();
    CZ_TRY(c->run(c));
    t->wall.runs[i] = (double)(cz_clock_ns() - start) / 1e9;
    t->cpu.runs[i] = cpu_seconds() - cpu_start;
    return CZ_OK;
}

static void sort(series *s, unsigned n)
{
    memcpy(s->sorted, s->runs, n * sizeof s->sorted[0]);
    qsort(s->sorted, n, sizeof s->sorted[0], lab_by_size);
}

static double median(const series *s, unsigned n)
{
    return (s->sorted[(n - 1) / 2] + s->sorted[n / 2]) / 2;
}

/* The first run warms up and is the one that is checked. */
static cz_err measure(session *s, time_case *c, const char *spec, timings *t)
{
    progress_show(&s->bar, spec, 0, s->runs);
    CZ_TRY(timed_run(c, t, 0));
    if (c->check != NULL)
        CZ_TRY(c->check(c));
    for (t->n = 0; t->n < s->runs; t->n++) {
        CZ_TRY(timed_run(c, t, t->n));
        progress_show(&s->bar, spec, t->n + 1, s->runs);
    }
    sort(&t->wall, t->n);
    sort(&t->cpu, t->n);
    return CZ_OK;
}

/* --- reporting ------------------------------------------------------------------------------ */

/* Where the operation counts nothing, or the machine has no such limit: 0. */
static double share(double amount, double seconds, double limit)
{
    return limit > 0 ? amount / seconds / limit : 0;
}

static void print_rate(const char *what, double amount, double seconds, double limit)
{
    if (amount > 0 && limit > 0)
        (void)printf("; %.3g G %s, %.0f %% of the limit", amount / 1e9, what,
                     100 * share(amount, seconds, limit));
}

static void print_case(const session *s, const char *spec, const time_case *c, const timings *t)
{
    const double m = median(&t->wall, t->n);

    (void)printf("%-24s %-8s %.6g s (%.6g … %.6g, %u runs), CPU %.6g s\n    %.4g ns a %s", spec,
                 c->cost.form, m, t->wall.sorted[0], t->wall.sorted[t->n - 1], t->n,
                 median(&t->cpu, t->n), m * 1e9 / c->cost.items, c->cost.item);
    print_rate("multiply-adds", c->cost.multiply_adds, m, s->limits.multiply_adds);
    print_rate("products", c->cost.products, m, s->limits.products);
    print_rate("bytes", c->cost.bytes, m, s->limits.bytes);
    (void)printf("\n");
}

static void json_runs(json_out *j, const char *key, const series *s, unsigned n)
{
    json_array(j, key);
    for (unsigned i = 0; i < n; i++)
        json_double(j, NULL, s->runs[i]);
    json_close(j);
}

static void json_case(json_out *j, const session *s, const char *spec, const time_case *c,
                      const timings *t)
{
    const double m = median(&t->wall, t->n);

    json_object(j, NULL);
    json_text(j, "spec", spec);
    json_text(j, "form", c->cost.form);
    json_uint(j, "threads", cz_pool_threads(s->pool));
    json_runs(j, "runs_s", &t->wall, t->n);
    json_double(j, "median_s", m);
    json_double(j, "min_s", t->wall.sorted[0]);
    json_double(j, "max_s", t->wall.sorted[t->n - 1]);
    json_runs(j, "runs_cpu_s", &t->cpu, t->n);
    json_double(j, "median_cpu_s", median(&t->cpu, t->n));
    json_text(j, "item", c->cost.item);
    json_double(j, "items", c->cost.items);
    json_double(j, "ns_per_item", m * 1e9 / c->cost.items);
    json_double(j, "multiply_adds", c->cost.multiply_adds);
    json_double(j, "multiply_adds_share", share(c->cost.multiply_adds, m, s->limits.multiply_adds));
    json_double(j, "products", c->cost.products);
    json_double(j, "products_share", share(c->cost.products, m, s->limits.products));
    json_double(j, "bytes", c->cost.bytes);
    json_double(j, "bytes_share", share(c->cost.bytes, m, s->limits.bytes));
    json_close(j);
}

static void report_limits(session *s)
{
    const cz_limits *l = &s->limits;

    if (!s->json) {
        (void)printf("%u thread%s together: %.3g G eight-lane multiply-adds, %.3g G 64-bit "
                     "products, %.3g GB copied a second\n",
                     cz_pool_threads(s->pool), cz_pool_threads(s->pool) == 1 ? "" : "s",
                     l->multiply_adds / 1e9, l->products / 1e9, l->bytes / 1e9);
        return;
    }
    json_begin(&s->out);
    s->json_begun = true;
    json_object(&s->out, "limits");
    json_double(&s->out, "multiply_adds_per_s", l->multiply_adds);
    json_double(&s->out, "products_per_s", l->products);
    json_double(&s->out, "bytes_per_s", l->bytes);
    json_close(&s->out);
    json_array(&s->out, "results");
}

/* --- specs ---------------------------------------------------------------------------------- */

/* Cut "msm:g1:2^20:cpu" into words, in place; the backend, where given, goes. */
static cz_err cut(time_order *order, char *text)
{
    char *rest = text;
    char *word;

    while ((word = strsep(&rest, ":")) != NULL) {
        if (order->n_words == TIME_MAX_WORDS)
            return args_mistake(cz_fail(CZ_E_INPUT, "%s: too many parts", order->text));
        order->words[order->n_words++] = word;
    }
    word = text + (order->words[order->n_words - 1] - text);
    if (strcmp(word, "cuda") == 0)
        return cz_fail(CZ_E_UNSUPPORTED, "%s: `time` measures the CPU only", order->text);
    if (order->n_words > 1 && strcmp(word, "cpu") == 0)
        order->words[--order->n_words] = NULL;
    return CZ_OK;
}

/* Once, as late as possible: a wrong command line fails at once. */
static cz_err ensure_limits(session *s)
{
    if (s->has_limits)
        return CZ_OK;
    progress_show(&s->bar, "the machine's limits", 0, 0);
    CZ_TRY(cz_limits_measure(&s->limits, s->pool));
    s->has_limits = true;
    progress_clear(&s->bar);
    report_limits(s);
    return CZ_OK;
}

static cz_err measure_order(session *s, const time_order *order)
{
    timings *t = calloc(1, sizeof *t);
    time_case *c = NULL;
    cz_err err;

    if (t == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    progress_show(&s->bar, order->text, 0, s->runs);
    err = time_case_create(&c, order);
    if (err == CZ_OK)
        err = ensure_limits(s);
    if (err == CZ_OK)
        err = measure(s, c, order->text, t);
    progress_clear(&s->bar);
    if (err == CZ_OK && s->json)
        json_case(&s->out, s, order->text, c, t);
    else if (err == CZ_OK)
        print_case(s, order->text, c, t);
    (void)fflush(stdout);
    time_case_destroy(c);
    free(t);
    return err;
}

static cz_err measure_spec(session *s, const char *spec)
{
    time_order order = {.text = spec, .folder = s->folder, .request = s->request, .pool = s->pool};
    char *words = strdup(spec);
    cz_err err;

    if (words == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    err = cut(&order, words);
    if (err == CZ_OK)
        err = measure_order(s, &order);
    free(words);
    return err;
}

static cz_err run(session *s)
{
    if (s->runs == 0 || s->runs > MAX_RUNS)
        return args_mistake(cz_fail(CZ_E_INPUT, "--runs is 1 to %d", MAX_RUNS));
    CZ_TRY(check_form(s));
    CZ_TRY(cz_pool_create(&s->pool, s->threads));
    for (size_t i = 0; i < MAX_SPECS && s->specs[i] != NULL; i++)
        CZ_TRY(measure_spec(s, s->specs[i]));
    return CZ_OK;
}

/* The JSON object may have begun when a case fails: it stays one object. */
static int finish(session *s, const arg_spec *spec, cz_err err)
{
    if (s->json_begun) {
        json_close(&s->out);
        if (err != CZ_OK)
            json_text(&s->out, "error", cz_err_message());
        json_end(&s->out);
    }
    if (err == CZ_OK)
        return EXIT_DONE;
    return report_failure(spec->command, s->json && !s->json_begun, err);
}

int cmd_time(int argc, char **argv)
{
    session s = {.runs = 5};
    const arg_option options[] = {
        {"--runs", ARG_UINT, "N", &s.runs, "timed runs a case, after one to warm up (default: 5)",
         false},
        {"--threads", ARG_UINT, "N", &s.threads, "default: all CPUs", false},
        {"--form", ARG_TEXT, "FORM", &s.form,
         "portable, adx or ifma: no faster instructions than these (as CUZK_CPU)", false},
        {"--params", ARG_TEXT, "DIR", &s.folder,
         "parameter folder of proofs; default: as that of prove", false},
        {"--request", ARG_TEXT, "REQUEST.json", &s.request,
         "what to prove; default: a synthetic request", false},
        {"--json", ARG_FLAG, NULL, &s.json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "time",
        .synopsis = "SPEC... [--threads N] [--runs N] [--form portable|adx|ifma]",
        .about = time_about,
        .example = "  cuzk-bench time msm:g1:2^16 ntt:2^20 --threads 1\n"
                   "  cuzk-bench time porep-2k:prove --params /tmp/params --form adx",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = s.specs,
        .min_positionals = 1,
        .max_positionals = MAX_SPECS,
    };
    const args_result parsed = args_parse(&spec, argc, argv);
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    progress_init(&s.bar);
    err = use_form(&s, argc, argv);
    if (err == CZ_OK)
        err = run(&s);
    progress_clear(&s.bar);
    cz_pool_destroy(s.pool);
    return finish(&s, &spec, err);
}
