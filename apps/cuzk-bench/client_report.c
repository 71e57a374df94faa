/* client_report.c: what a run of requests amounts to: how many, how fast, where the time went. */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/stats.h"

static const size_t no_source = (size_t)-1; /* all of them */

const char *client_status_name(cz_job_status status)
{
    switch (status) {
    case CZ_JOB_COMPLETED:
        return "completed";
    case CZ_JOB_FAILED:
        return "failed";
    case CZ_JOB_CANCELLED:
        return "cancelled";
    case CZ_JOB_TIMEOUT:
        return "timed out";
    case CZ_JOB_UNKNOWN:
        break;
    }
    return "error";
}

static bool is_good(const client_outcome *o)
{
    return o->status == CZ_JOB_COMPLETED && o->error == NULL;
}

bool client_all_completed(const client_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!is_good(&r->outcomes[i]))
            return false;
    return r->n > 0;
}

/* --- numbers ---------------------------------------------------------------------------------- */

typedef struct {
    size_t n, failed, checked;
    double mean, min, median, p90, max, late_max;       /* seconds */
    double queue_s, srs_s, synthesis_s, gpu_s, total_s; /* means of what the daemon says */
} numbers;

static void take_walls(numbers *out, double *walls)
{
    if (out->n == 0)
        return;
    qsort(walls, out->n, sizeof *walls, lab_by_size);
    for (size_t i = 0; i < out->n; i++)
        out->mean += walls[i] / (double)out->n;
    out->min = walls[0];
    out->median = (walls[(out->n - 1) / 2] + walls[out->n / 2]) / 2;
    out->p90 = walls[(out->n - 1) * 9 / 10];
    out->max = walls[out->n - 1];
}

static void add_phases(numbers *out, const client_outcome *o)
{
    out->queue_s += (double)o->queue_wait_ms / 1000;
    out->srs_s += (double)o->srs_load_ms / 1000;
    out->synthesis_s += (double)o->synthesis_ms / 1000;
    out->gpu_s += (double)o->gpu_compute_ms / 1000;
    out->total_s += (double)o->total_ms / 1000;
}

static void divide_phases(numbers *out)
{
    const double n = out->n == 0 ? 1 : (double)out->n;

    out->queue_s /= n;
    out->srs_s /= n;
    out->synthesis_s /= n;
    out->gpu_s /= n;
    out->total_s /= n;
}

static numbers count(const client_results *r, size_t source)
{
    double *walls = calloc(r->n + 1, sizeof *walls);
    numbers out = {0};

    for (size_t i = 0; i < r->n; i++) {
        const client_outcome *o = &r->outcomes[i];

        if (source != no_source && o->source != source)
            continue;
        if (o->late_s > out.late_max)
            out.late_max = o->late_s;
        out.checked += o->checked;
        out.failed += !is_good(o);
        if (!is_good(o))
            continue;
        add_phases(&out, o);
        if (walls != NULL)
            walls[out.n] = o->wall_s;
        out.n++;
    }
    divide_phases(&out);
    if (walls != NULL)
        take_walls(&out, walls);
    free(walls);
    return out;
}

static double per_minute(const numbers *n, const client_results *r)
{
    return r->seconds > 0 ? (double)n->n / r->seconds * 60 : 0;
}

/* --- for people ------------------------------------------------------------------------------- */

static void print_row(const char *name, const numbers *n, const client_results *r)
{
    (void)printf("%-16s %6zu %6zu %9.2f %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f\n", name, n->n,
                 n->failed, per_minute(n, r), n->median, n->p90, n->max, n->queue_s, n->srs_s,
                 n->synthesis_s, n->gpu_s);
}

/* Each different failure once, with its count. */
static void print_failures(const client_results *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const char *error = r->outcomes[i].error;
        size_t same = 1;
        bool first = error != NULL;

        for (size_t k = 0; first && k < i; k++)
            first = r->outcomes[k].error == NULL || strcmp(r->outcomes[k].error, error) != 0;
        if (!first)
            continue;
        for (size_t k = i + 1; k < r->n; k++)
            same += r->outcomes[k].error != NULL && strcmp(r->outcomes[k].error, error) == 0;
        (void)printf("%zu x %s: %s\n", same, client_status_name(r->outcomes[i].status), error);
    }
}

void client_print_summary(const client_results *r, const client_source *sources, size_t n_sources)
{
    const numbers all = count(r, no_source);

    (void)printf("\n%-16s %6s %6s %9s   seconds:                  means of the daemon:\n", "",
                 "proofs", "failed", "per min");
    (void)printf("%-16s %6s %6s %9s %8s %8s %8s %8s %8s %8s %8s\n", "", "", "", "", "median", "p90",
                 "max", "queue", "load", "witness", "proving");
    for (size_t i = 0; n_sources > 1 && i < n_sources; i++) {
        const numbers one = count(r, i);

        print_row(sources[i].name, &one, r);
    }
    print_row("all", &all, r);
    (void)printf("\n%zu proofs in %.2f s%s%s", all.n, r->seconds,
                 all.checked > 0 && all.checked == all.n ? ", every one verified here" : "",
                 r->interrupted ? ", interrupted" : "");
    if (all.late_max > 0.5)
        (void)printf(", begun up to %.1f s late: more --concurrency, or a lower rate",
                     all.late_max);
    (void)putchar('\n');
    print_failures(r);
}

/* --- as JSON ---------------------------------------------------------------------------------- */

static void json_numbers(json_out *j, const numbers *n, const client_results *r)
{
    json_uint(j, "completed", n->n);
    json_uint(j, "failed", n->failed);
    json_uint(j, "verified", n->checked);
    json_double(j, "proofs_per_minute", per_minute(n, r));
    json_object(j, "wall_s");
    json_double(j, "mean", n->mean);
    json_double(j, "min", n->min);
    json_double(j, "median", n->median);
    json_double(j, "p90", n->p90);
    json_double(j, "max", n->max);
    json_close(j);
    json_object(j, "mean_ms");
    json_double(j, "queue_wait", n->queue_s * 1000);
    json_double(j, "srs_load", n->srs_s * 1000);
    json_double(j, "synthesis", n->synthesis_s * 1000);
    json_double(j, "gpu_compute", n->gpu_s * 1000);
    json_double(j, "total", n->total_s * 1000);
    json_close(j);
}

static void json_outcome(json_out *j, const client_outcome *o, const client_source *sources)
{
    json_object(j, NULL);
    json_text(j, "source", sources[o->source].name);
    json_text(j, "request_id", o->request_id);
    json_text(j, "job_id", o->job_id);
    json_text(j, "status", client_status_name(o->status));
    json_double(j, "begin_s", o->begin_s);
    json_double(j, "wall_s", o->wall_s);
    json_uint(j, "queue_wait_ms", o->queue_wait_ms);
    json_uint(j, "srs_load_ms", o->srs_load_ms);
    json_uint(j, "synthesis_ms", o->synthesis_ms);
    json_uint(j, "gpu_compute_ms", o->gpu_compute_ms);
    json_uint(j, "total_ms", o->total_ms);
    json_bool(j, "verified", o->checked);
    json_text(j, "error", o->error);
    json_close(j);
}

void client_json_summary(json_out *j, const client_results *r, const client_source *sources,
                         size_t n_sources, bool each)
{
    const numbers all = count(r, no_source);

    json_double(j, "seconds", r->seconds);
    json_bool(j, "interrupted", r->interrupted);
    json_numbers(j, &all, r);
    json_array(j, "sources");
    for (size_t i = 0; i < n_sources; i++) {
        const numbers one = count(r, i);

        json_object(j, NULL);
        json_text(j, "source", sources[i].name);
        json_numbers(j, &one, r);
        json_close(j);
    }
    json_close(j);
    if (!each)
        return;
    json_array(j, "proofs");
    for (size_t i = 0; i < r->n; i++)
        json_outcome(j, &r->outcomes[i], sources);
    json_close(j);
}
