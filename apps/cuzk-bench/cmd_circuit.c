/* circuit list, digest, stat: circuits without inputs. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "cs/compile.h"
#include "cs/digest.h"
#include "memory_report.h"
#include "report.h"

int cmd_circuit_list(int argc, char **argv)
{
    bool json = false;
    const arg_option options[] = {
        {"--json", ARG_FLAG, NULL, &json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "circuit list",
        .synopsis = "[--json]",
        .about = "List the ids of the circuits that can be built here.",
        .example = "  cuzk-bench circuit list\n  porep-2k\n  porep-4k\n  …",
        .options = options,
        .n_options = ARGS_COUNT(options),
    };
    args_result parsed = args_parse(&spec, argc, argv);
    json_out j;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    if (json) {
        json_begin(&j);
        json_array(&j, "circuits");
    }
    for (const char *const *id = cz_circuit_ids(); *id != NULL; id++) {
        if (json)
            json_text(&j, NULL, *id);
        else
            (void)puts(*id);
    }
    if (json)
        json_end(&j);
    return EXIT_DONE;
}

static void print_stats(const char *id, const cz_circuit_stats *s)
{
    (void)printf("%s: %llu inputs, %llu auxiliary variables, %llu constraints\n", id,
                 (unsigned long long)s->inputs, (unsigned long long)s->aux,
                 (unsigned long long)s->constraints);
    (void)printf("  non-zero terms   A %llu, B %llu, C %llu\n", (unsigned long long)s->nnz_a,
                 (unsigned long long)s->nnz_b, (unsigned long long)s->nnz_c);
    (void)printf("  variables used   A %llu aux, B %llu inputs and %llu aux\n",
                 (unsigned long long)s->dens_a_aux, (unsigned long long)s->dens_b_input,
                 (unsigned long long)s->dens_b_aux);
}

static void json_stats(json_out *j, const char *id, const cz_circuit_stats *s)
{
    json_text(j, "id", id);
    json_uint(j, "inputs", s->inputs);
    json_uint(j, "aux", s->aux);
    json_uint(j, "constraints", s->constraints);
    json_uint(j, "nnz_a", s->nnz_a);
    json_uint(j, "nnz_b", s->nnz_b);
    json_uint(j, "nnz_c", s->nnz_c);
    json_uint(j, "dens_a_aux", s->dens_a_aux);
    json_uint(j, "dens_b_input", s->dens_b_input);
    json_uint(j, "dens_b_aux", s->dens_b_aux);
}

static cz_err digest(cz_circuit_stats *stats, const char *id, unsigned threads)
{
    cz_digest_options options = {.threads = threads != 0 ? threads : cz_cpu_count(),
                                 .progress = progress_constraints};
    cz_circuit *circuit;
    progress bar;
    cz_err err;

    progress_init(&bar);
    options.ctx = &bar;
    CZ_TRY(args_mistake(cz_circuit_create_blank(&circuit, id)));
    err = cz_circuit_digest(stats, circuit, &options);
    cz_circuit_destroy(circuit);
    progress_clear(&bar);
    return err;
}

int cmd_circuit_digest(int argc, char **argv)
{
    const char *id = NULL;
    unsigned threads = 0;
    bool json = false;
    const arg_option options[] = {
        {"--threads", ARG_UINT, "N", &threads, "1, or more: hashing overlaps synthesis", false},
        {"--json", ARG_FLAG, NULL, &json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "circuit digest",
        .synopsis = "ID [--threads N] [--json]",
        .about = "Build the circuit without a witness and print its R1CS digest (cuzk-r1cs-v1):\n"
                 "SHA-256 over every coefficient of every constraint, in order. Two programs that\n"
                 "print the same digest build the same circuit, bit for bit.",
        .example = "  cuzk-bench circuit digest porep-2k\n"
                   "  porep-2k: 40 inputs, 2685673 auxiliary variables, 2687921 constraints\n  …",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &id,
        .min_positionals = 1,
        .max_positionals = 1,
    };
    args_result parsed = args_parse(&spec, argc, argv);
    uint64_t start = cz_clock_ns();
    cz_circuit_stats stats;
    json_out j;
    double seconds;
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    err = digest(&stats, id, threads);
    if (err != CZ_OK)
        return report_failure(spec.command, json, err);
    seconds = (double)(cz_clock_ns() - start) / 1e9;
    if (json) {
        json_begin(&j);
        json_stats(&j, id, &stats);
        json_hex(&j, "sha256", stats.sha256, sizeof stats.sha256);
        json_double(&j, "seconds", seconds);
        json_end(&j);
        return EXIT_DONE;
    }
    print_stats(id, &stats);
    (void)printf("  sha256           ");
    for (size_t i = 0; i < sizeof stats.sha256; i++)
        (void)printf("%02x", stats.sha256[i]);
    (void)printf("\n  built and hashed in %.1f s\n", seconds);
    return EXIT_DONE;
}

/* The evaluation domain of a Groth16 setup: the power of two that holds all rows. */
static unsigned domain_log(const cz_circuit_stats *s)
{
    unsigned log = 0;

    while (((uint64_t)1 << log) < s->constraints + s->inputs)
        log++;
    return log;
}

/* What circuit stat finds. */
typedef struct {
    const char *id;
    char parameters[512];
    cz_circuit_stats stats;
    cz_compiled_sizes sizes;
    cz_prove_memory memory;
    bool was_cached;
    double seconds; /* to load, or to compile */
} circuit_sizes;

static void json_stat(const circuit_sizes *c)
{
    json_out j;

    json_begin(&j);
    json_stats(&j, c->id, &c->stats);
    json_uint(&j, "domain_log2", domain_log(&c->stats));
    json_text(&j, "parameters", c->parameters);
    json_uint(&j, "compiled_bytes", c->sizes.file_bytes);
    json_uint(&j, "compiled_memory_bytes", c->sizes.memory_bytes);
    json_uint(&j, "templates", c->sizes.templates);
    json_uint(&j, "instances", c->sizes.instances);
    json_uint(&j, "aux_bits", c->stats.aux - c->sizes.n_fields);
    json_uint(&j, "aux_fields", c->sizes.n_fields);
    memory_json(&j, &c->memory);
    json_text(&j, "source", c->was_cached ? "cache" : "compiled");
    json_double(&j, "seconds", c->seconds);
    json_end(&j);
}

static void print_stat(const circuit_sizes *c)
{
    print_stats(c->id, &c->stats);
    (void)printf("  domain           2^%u rows\n  parameters       %s\n", domain_log(&c->stats),
                 c->parameters);
    (void)printf("  variables        %llu bits, %u field elements\n",
                 (unsigned long long)c->stats.aux - c->sizes.n_fields, c->sizes.n_fields);
    (void)printf("  compiled         %u templates, %u instances, %.1f MiB (%.1f MiB in memory)\n",
                 c->sizes.templates, c->sizes.instances, (double)c->sizes.file_bytes / (1 << 20),
                 (double)c->sizes.memory_bytes / (1 << 20));
    (void)printf("  %s in %.3f s\n\na proof of one partition:\n",
                 c->was_cached ? "loaded" : "compiled and verified", c->seconds);
    memory_print(&c->memory);
}

static cz_err measure_circuit(circuit_sizes *c, const char *folder, cz_pool *pool)
{
    const uint64_t start = cz_clock_ns();
    cz_compiled *compiled;

    CZ_TRY(args_mistake(cz_circuit_cache_name(c->parameters, sizeof c->parameters, c->id)));
    CZ_TRY(open_compiled_circuit(&compiled, &c->was_cached, c->id, folder));
    c->seconds = (double)(cz_clock_ns() - start) / 1e9;
    c->stats = cz_compiled_stats(compiled);
    c->sizes = cz_compiled_measure(compiled);
    cz_prove_memory_count(&c->memory, compiled, pool);
    cz_compiled_destroy(compiled);
    return CZ_OK;
}

int cmd_circuit_stat(int argc, char **argv)
{
    circuit_sizes c = {.id = NULL};
    const char *folder = NULL;
    unsigned threads = 0;
    bool json = false;
    const arg_option options[] = {
        {"--cache", ARG_TEXT, "DIR", &folder, "compiled circuits (default: ~/.cache/cuzk)", false},
        {"--threads", ARG_UINT, "N", &threads, "of the proof that is accounted for; all CPUs",
         false},
        {"--json", ARG_FLAG, NULL, &json, "one JSON object on standard output", false},
    };
    const arg_spec spec = {
        .command = "circuit stat",
        .synopsis = "ID [--cache DIR] [--threads N] [--json]",
        .about =
            "Print the circuit's sizes, the density of its matrices, its domain, the name of\n"
            "its parameter files, the size of its compiled form, and the memory that a proof\n"
            "takes, part by part and byte by byte. The first time, the circuit is compiled and\n"
            "verified (somewhat longer than digest takes); later its compiled form is read\n"
            "from the cache.",
        .example = "  cuzk-bench circuit stat porep-32g",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &c.id,
        .min_positionals = 1,
        .max_positionals = 1,
    };
    args_result parsed = args_parse(&spec, argc, argv);
    cz_pool *pool = NULL;
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    err = cz_pool_create(&pool, threads);
    if (err == CZ_OK)
        err = measure_circuit(&c, folder, pool);
    cz_pool_destroy(pool);
    if (err != CZ_OK)
        return report_failure(spec.command, json, err);
    (json ? json_stat : print_stat)(&c);
    return EXIT_DONE;
}
