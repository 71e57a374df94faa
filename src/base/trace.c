/* trace.c: see trace.h. One record a finished phase, kept in a list that grows; totals are kept
 * apart, so that a trace whose list could not grow still has true sums. */
#define _GNU_SOURCE
#include "base/trace.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"

typedef struct {
    cz_phase phase;
    unsigned partition;
    int thread;
    uint64_t start_ns, end_ns;
    uint64_t faults;
    uint64_t bytes;
    uint64_t rss, peak_rss; /* at the end */
    uint64_t vram;          /* the most so far */
} record;

struct cz_trace {
    pthread_mutex_t lock; /* guards all below */
    uint64_t born_ns;
    uint64_t vram;
    uint64_t recorded, recording_ns;
    uint64_t total_ns[CZ_PHASE_COUNT];
    uint64_t faults[CZ_PHASE_COUNT];
    uint64_t bytes[CZ_PHASE_COUNT];
    record *records;
    size_t n_records, cap_records;
};

const char *cz_phase_name(cz_phase phase)
{
    static const char *const names[] = {
#define CZ_PHASE_TEXT(id, text) [CZ_PHASE_##id] = (text),
        CZ_PHASE_MAP(CZ_PHASE_TEXT)
#undef CZ_PHASE_TEXT
    };

    return (unsigned)phase < CZ_PHASE_COUNT ? names[phase] : "unknown";
}

uint64_t cz_clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The file stays open: a read costs two microseconds, opening it ten. */
static int statm_file(void)
{
    static atomic_int kept = -1;
    int fd = atomic_load(&kept), none = -1;

    if (fd >= 0)
        return fd;
    fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !atomic_compare_exchange_strong(&kept, &none, fd)) {
        (void)close(fd);
        fd = none;
    }
    return fd;
}

/* The second number of statm, in pages. */
uint64_t cz_rss_bytes(void)
{
    const int fd = statm_file();
    char text[128];
    char *second;
    ssize_t n = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : -1;

    if (n <= 0)
        return 0;
    text[n] = '\0';
    (void)strtoull(text, &second, 10);
    return (uint64_t)strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The kernel's two counts of a process, in one call. */
typedef struct {
    uint64_t faults; /* minor + major */
    uint64_t peak_rss;
} usage;

static usage usage_now(void)
{
    struct rusage u;

    (void)getrusage(RUSAGE_SELF, &u);
    return (usage){.faults = (uint64_t)u.ru_minflt + (uint64_t)u.ru_majflt,
                   .peak_rss = (uint64_t)u.ru_maxrss * 1024};
}

uint64_t cz_peak_rss_bytes(void)
{
    return usage_now().peak_rss;
}

/* Asked of the kernel once. */
static int thread_id(void)
{
    static _Thread_local int kept;

    if (kept == 0)
        kept = gettid();
    return kept;
}

cz_err cz_trace_create(cz_trace **out)
{
    cz_trace *trace = calloc(1, sizeof *trace);

    if (trace == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a trace");
    (void)pthread_mutex_init(&trace->lock, NULL);
    trace->born_ns = cz_clock_ns();
    *out = trace;
    return CZ_OK;
}

void cz_trace_destroy(cz_trace *trace)
{
    if (trace == NULL)
        return;
    (void)pthread_mutex_destroy(&trace->lock);
    free(trace->records);
    free(trace);
}

cz_span cz_trace_begin(cz_trace *trace, cz_phase phase, unsigned partition)
{
    cz_span span = {.trace = trace, .phase = phase, .partition = partition};
    uint64_t called_ns;

    if (trace != NULL) {
        called_ns = cz_clock_ns();
        span.start_faults = usage_now().faults;
        span.start_ns = cz_clock_ns();
        span.begin_ns = span.start_ns - called_ns;
    }
    return span;
}

/* Called with the lock held. A list that cannot grow drops the record; the totals have it. */
static void keep(cz_trace *trace, record r)
{
    if (trace->n_records == trace->cap_records) {
        size_t cap = trace->cap_records != 0 ? 2 * trace->cap_records : 64;
        record *bigger = realloc(trace->records, cap * sizeof *bigger);

        if (bigger == NULL)
            return;
        trace->records = bigger;
        trace->cap_records = cap;
    }
    trace->records[trace->n_records++] = r;
}

/* Called since called_ns, by a phase whose begin took begin_ns. */
static void add(cz_trace *trace, record r, uint64_t called_ns, uint64_t begin_ns)
{
    (void)pthread_mutex_lock(&trace->lock);
    trace->total_ns[r.phase] += r.end_ns - r.start_ns;
    trace->faults[r.phase] += r.faults;
    trace->bytes[r.phase] += r.bytes;
    r.vram = trace->vram;
    keep(trace, r);
    trace->recorded++;
    trace->recording_ns += begin_ns + (cz_clock_ns() - called_ns);
    (void)pthread_mutex_unlock(&trace->lock);
}

void cz_trace_add(cz_trace *trace, cz_phase phase, unsigned partition, uint64_t start_ns,
                  uint64_t duration_ns)
{
    uint64_t called_ns;
    record r;

    if (trace == NULL)
        return;
    called_ns = cz_clock_ns();
    r = (record){.phase = phase,
                 .partition = partition,
                 .thread = thread_id(),
                 .start_ns = start_ns,
                 .end_ns = start_ns + duration_ns,
                 .rss = cz_rss_bytes(),
                 .peak_rss = cz_peak_rss_bytes()};
    add(trace, r, called_ns, 0);
}

void cz_trace_note_vram(cz_trace *trace, uint64_t bytes)
{
    if (trace == NULL)
        return;
    (void)pthread_mutex_lock(&trace->lock);
    trace->vram = bytes > trace->vram ? bytes : trace->vram;
    (void)pthread_mutex_unlock(&trace->lock);
}

void cz_trace_end(cz_span *span)
{
    cz_trace *trace = span->trace;
    uint64_t end_ns;
    usage now;
    record r;

    if (trace == NULL)
        return;
    end_ns = cz_clock_ns();
    now = usage_now();
    r = (record){.phase = span->phase,
                 .partition = span->partition,
                 .thread = thread_id(),
                 .start_ns = span->start_ns,
                 .end_ns = end_ns,
                 .faults = now.faults - span->start_faults,
                 .bytes = span->bytes,
                 .rss = cz_rss_bytes(),
                 .peak_rss = now.peak_rss};
    add(trace, r, end_ns, span->begin_ns);
    span->trace = NULL;
}

/* The lock is the only thing that reading changes. */
static void lock(const cz_trace *trace)
{
    (void)pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)&trace->lock);
}

static void unlock(const cz_trace *trace)
{
    (void)pthread_mutex_unlock((pthread_mutex_t *)(uintptr_t)&trace->lock);
}

double cz_trace_total_ms(const cz_trace *trace, cz_phase phase)
{
    uint64_t ns;

    if (trace == NULL)
        return 0;
    lock(trace);
    ns = trace->total_ns[phase];
    unlock(trace);
    return (double)ns / 1e6;
}

uint64_t cz_trace_faults(const cz_trace *trace, cz_phase phase)
{
    uint64_t n;

    if (trace == NULL)
        return 0;
    lock(trace);
    n = trace->faults[phase];
    unlock(trace);
    return n;
}

uint64_t cz_trace_bytes(const cz_trace *trace, cz_phase phase)
{
    uint64_t n;

    if (trace == NULL)
        return 0;
    lock(trace);
    n = trace->bytes[phase];
    unlock(trace);
    return n;
}

void cz_trace_cost(const cz_trace *trace, size_t *records, double *ms)
{
    *records = 0;
    *ms = 0;
    if (trace == NULL)
        return;
    lock(trace);
    *records = trace->recorded;
    *ms = (double)trace->recording_ns / 1e6;
    unlock(trace);
}

static int by_start(const void *a, const void *b)
{
    const record *x = a, *y = b;

    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Of records by their start. */
static uint64_t covered_ns(const record *r, size_t n)
{
    uint64_t covered = 0, end = 0;

    for (size_t i = 0; i < n; i++) {
        const uint64_t from = r[i].start_ns > end ? r[i].start_ns : end;

        if (r[i].end_ns <= from)
            continue;
        covered += r[i].end_ns - from;
        end = r[i].end_ns;
    }
    return covered;
}

void cz_trace_cover(const cz_trace *trace, double *wall_ms, double *covered_ms)
{
    uint64_t first = UINT64_MAX, last = 0;
    record *sorted;

    *wall_ms = *covered_ms = 0;
    if (trace == NULL)
        return;
    lock(trace);
    sorted = malloc((trace->n_records + 1) * sizeof *sorted);
    if (sorted != NULL && trace->n_records != 0) {
        memcpy(sorted, trace->records, trace->n_records * sizeof *sorted);
        qsort(sorted, trace->n_records, sizeof *sorted, by_start);
        for (size_t i = 0; i < trace->n_records; i++) {
            first = sorted[i].start_ns < first ? sorted[i].start_ns : first;
            last = sorted[i].end_ns > last ? sorted[i].end_ns : last;
        }
        *wall_ms = (double)(last - first) / 1e6;
        *covered_ms = (double)covered_ns(sorted, trace->n_records) / 1e6;
    }
    unlock(trace);
    free(sorted);
}

void cz_trace_log(const cz_trace *trace, const char *label)
{
    for (int p = 0; trace != NULL && p < CZ_PHASE_COUNT; p++) {
        const cz_phase phase = (cz_phase)p;
        const double ms = cz_trace_total_ms(trace, phase);

        if (ms > 0)
            cz_log(CZ_LOG_INFO,
                   "CUZK_TIMING %sphase=%s ms=%.1f page_faults=%llu bytes=%llu peak_rss_bytes=%llu",
                   label != NULL ? label : "", cz_phase_name(phase), ms,
                   (unsigned long long)cz_trace_faults(trace, phase),
                   (unsigned long long)cz_trace_bytes(trace, phase),
                   (unsigned long long)cz_peak_rss_bytes());
    }
}

void cz_trace_print(const cz_trace *trace, FILE *out)
{
    double wall_ms;

    if (trace == NULL)
        return;
    lock(trace);
    wall_ms = (double)(cz_clock_ns() - trace->born_ns) / 1e6;
    (void)fprintf(out, "%-12s %12s %8s %12s\n", "phase", "ms", "share", "page faults");
    for (int p = 0; p < CZ_PHASE_COUNT; p++) {
        double ms = (double)trace->total_ns[p] / 1e6;

        if (trace->total_ns[p] != 0)
            (void)fprintf(out, "%-12s %12.1f %7.1f%% %12llu\n", cz_phase_name((cz_phase)p), ms,
                          wall_ms > 0 ? 100 * ms / wall_ms : 0,
                          (unsigned long long)trace->faults[p]);
    }
    (void)fprintf(out, "%-12s %12.1f\n", "wall", wall_ms);
    unlock(trace);
}

static void write_events(const cz_trace *trace, FILE *out)
{
    (void)fprintf(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    for (size_t i = 0; i < trace->n_records; i++) {
        const record *r = &trace->records[i];

        (void)fprintf(out,
                      "%s\n{\"name\":\"%s\",\"cat\":\"phase\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,"
                      "\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"partition\":%u,\"page_faults\":%llu,"
                      "\"bytes_moved\":%llu,\"rss_bytes\":%llu,\"peak_rss_bytes\":%llu,"
                      "\"peak_vram_bytes\":%llu}}",
                      i == 0 ? "" : ",", cz_phase_name(r->phase), (int)getpid(), r->thread,
                      (double)(r->start_ns - trace->born_ns) / 1e3,
                      (double)(r->end_ns - r->start_ns) / 1e3, r->partition,
                      (unsigned long long)r->faults, (unsigned long long)r->bytes,
                      (unsigned long long)r->rss, (unsigned long long)r->peak_rss,
                      (unsigned long long)r->vram);
    }
    (void)fprintf(out, "\n]}\n");
}

static void write_records(const cz_trace *trace, FILE *out)
{
    (void)fprintf(out, "{\"records\": [");
    for (size_t i = 0; i < trace->n_records; i++) {
        const record *r = &trace->records[i];

        (void)fprintf(out,
                      "%s\n{\"phase\": \"%s\", \"partition\": %u, \"thread\": %d, "
                      "\"start_ms\": %.3f, \"ms\": %.3f, \"page_faults\": %llu, "
                      "\"bytes_moved\": %llu, \"rss_bytes\": %llu, \"peak_rss_bytes\": %llu, "
                      "\"peak_vram_bytes\": %llu}",
                      i == 0 ? "" : ",", cz_phase_name(r->phase), r->partition, r->thread,
                      (double)(r->start_ns - trace->born_ns) / 1e6,
                      (double)(r->end_ns - r->start_ns) / 1e6, (unsigned long long)r->faults,
                      (unsigned long long)r->bytes, (unsigned long long)r->rss,
                      (unsigned long long)r->peak_rss, (unsigned long long)r->vram);
    }
    (void)fprintf(out, "\n]}\n");
}

static cz_err write_file(const cz_trace *trace, const char *path,
                         void (*write)(const cz_trace *trace, FILE *out))
{
    cz_file_writer w;

    if (trace == NULL)
        return cz_fail(CZ_E_ARG, "%s: there is no trace to write", path);
    CZ_TRY(cz_file_writer_open(&w, path));
    lock(trace);
    write(trace, w.stream);
    unlock(trace);
    if (ferror(w.stream)) {
        cz_file_writer_abort(&w);
        return cz_fail(CZ_E_IO, "%s: cannot write the trace", path);
    }
    return cz_file_writer_commit(&w);
}

cz_err cz_trace_write_chrome(const cz_trace *trace, const char *path)
{
    return write_file(trace, path, write_events);
}

cz_err cz_trace_write_json(const cz_trace *trace, const char *path)
{
    return write_file(trace, path, write_records);
}
