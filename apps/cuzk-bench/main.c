/* cuzk-bench: proofs, parameters and circuits from the command line. Every command is a row below
 * and a file cmd_*.c. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/core_dump.h"
#include "base/version.h"
#include "commands.h"
#include "commit.h"
#include "groth16/forms.h"

typedef struct {
    const char *name; /* one or two words */
    const char *summary;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"circuit list", "the circuits that can be built here", cmd_circuit_list},
    {"circuit digest", "build a circuit and hash every constraint of it", cmd_circuit_digest},
    {"circuit stat", "sizes and densities of a circuit", cmd_circuit_stat},
    {"params setup", "make test parameters from given toxic waste", cmd_params_setup},
    {"params fold", "prepare parameters for faster proofs on a device", cmd_params_fold},
    {"params check", "examine the parameter files of a folder", cmd_params_check},
    {"prove", "prove a request, verify the proof, write it", cmd_prove},
    {"verify", "verify a proof", cmd_verify},
    {"witness", "check a request's witness against its circuit", cmd_witness},
    {"gen-vanilla", "make a request with a synthetic vanilla proof", cmd_gen_vanilla},
    {"time", "seconds of operations and proofs, beside the machine's limits", cmd_time},
    {"ab", "configurations against each other: helps, hurts, within noise", cmd_ab},
    {"ab-session", "one process of an ab run", cmd_ab_session},
    {"mem", "the memory of a process over time", cmd_mem},
    {"single", "have one proof made by a running daemon", cmd_single},
    {"batch", "send a daemon the same request many times", cmd_batch},
    {"stress", "send a daemon requests of several kinds, at rates", cmd_stress},
    {"status", "what a running daemon does now", cmd_status},
    {"metrics", "a running daemon's metrics", cmd_metrics},
    {"preload", "have a daemon load a circuit's parameters", cmd_preload},
    {"evict", "have a daemon give a circuit's parameters up", cmd_evict},
    {"cancel", "end a job of a running daemon", cmd_cancel},
};

static void print_usage(FILE *out)
{
    (void)fputs("usage: cuzk-bench COMMAND [arguments]\n\ncommands:\n", out);
    for (size_t i = 0; i < ARGS_COUNT(commands); i++)
        (void)fprintf(out, "  %-16s %s\n", commands[i].name, commands[i].summary);
    (void)fputs(
        "\nEvery command explains itself with --help, writes one JSON object to standard output\n"
        "with --json, and exits with 0 only on success (1: it failed, 2: the command line is "
        "wrong).\n"
        "--version names the program's version, its commit and the form of each operation that "
        "this\n"
        "CPU runs.\n\nexample:\n  cuzk-bench prove c1.json --params DIR --out proof.bin\n",
        out);
}

/* Words of `name` that argv begins with; 0 when it does not begin with all of them. */
static int words_matched(const char *name, int argc, char **argv)
{
    const char *second = strchr(name, ' ');
    size_t len = second != NULL ? (size_t)(second - name) : strlen(name);

    if (argc < 1 || strlen(argv[0]) != len || memcmp(argv[0], name, len) != 0)
        return 0;
    if (second == NULL)
        return 1;
    return argc >= 2 && strcmp(argv[1], second + 1) == 0 ? 2 : 0;
}

/* "circuit list" is of the group "circuit". */
static bool is_of_group(const char *name, const char *word)
{
    const size_t len = strlen(word);

    return strncmp(name, word, len) == 0 && name[len] == ' ';
}

/* "circuit --help": the commands that begin with this word; false when there are none. */
static bool print_group(const char *word)
{
    bool found = false;

    for (size_t i = 0; i < ARGS_COUNT(commands); i++) {
        if (!is_of_group(commands[i].name, word))
            continue;
        (void)printf("  %-16s %s\n", commands[i].name, commands[i].summary);
        found = true;
    }
    return found;
}

/* Those that begin with this word, or all where none does. */
static void name_commands(const char *word)
{
    bool grouped = false;
    unsigned n = 0;

    for (size_t i = 0; i < ARGS_COUNT(commands); i++)
        grouped = grouped || is_of_group(commands[i].name, word);
    for (size_t i = 0; i < ARGS_COUNT(commands); i++)
        if (!grouped || is_of_group(commands[i].name, word))
            (void)fprintf(stderr, "%s %s", n++ == 0 ? "" : ",", commands[i].name);
}

static int complain(int argc, char **argv)
{
    if (argc == 0) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    (void)fprintf(stderr, "cuzk-bench: unknown command '%s%s%s'; commands:", argv[0],
                  argc > 1 && argv[1][0] != '-' ? " " : "",
                  argc > 1 && argv[1][0] != '-' ? argv[1] : "");
    name_commands(argv[0]);
    (void)fputs("\ntry: cuzk-bench --help\n", stderr);
    return EXIT_USAGE;
}

/* A full disk or a closed pipe must not look like success. */
static int flush_output(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)fputs("cuzk-bench: standard output failed\n", stderr);
        return status == EXIT_DONE ? EXIT_FAILED : status;
    }
    return status;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static bool is_version(const char *word)
{
    return strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0;
}

static int dispatch(int argc, char **argv)
{
    if (argc > 0 && is_help(argv[0])) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    if (argc > 0 && is_version(argv[0])) {
        (void)printf("cuzk-bench %s\ncommit: %s\nforms: %s\n", cz_version(),
                     bench_commit()[0] != '\0' ? bench_commit() : "unknown", cz_forms_text());
        return EXIT_DONE;
    }
    if (argc > 1 && is_help(argv[1]) && print_group(argv[0]))
        return EXIT_DONE;
    for (size_t i = 0; i < ARGS_COUNT(commands); i++) {
        int words = words_matched(commands[i].name, argc, argv);

        if (words > 0)
            return commands[i].run(argc - words, argv + words);
    }
    return complain(argc, argv);
}

int main(int argc, char **argv)
{
    cz_core_dump_forbid();
    return flush_output(dispatch(argc - 1, argv + 1));
}
