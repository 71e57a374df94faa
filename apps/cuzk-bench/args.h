/* args.h: command lines. Each command describes its options in one table; parsing, --help and the
 * error messages come from it. */
#ifndef CZ_BENCH_ARGS_H
#define CZ_BENCH_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef struct {
    const char **items;
    size_t n;
} arg_list;

typedef enum {
    ARG_FLAG, /* out: bool *; takes no value */
    ARG_TEXT, /* out: const char ** */
    ARG_UINT, /* out: unsigned * */
    ARG_LIST  /* out: arg_list *; may be repeated, and one value may hold several with commas */
} arg_kind;

typedef struct {
    const char *name; /* "--threads" */
    arg_kind kind;
    const char *metavar; /* "N"; NULL for flags */
    void *out;
    const char *help;
    bool required;
} arg_option;

typedef struct {
    const char *command;  /* "prove" */
    const char *synopsis; /* what follows the command: "REQUEST.json --out PROOF [options]" */
    const char *about;    /* what it does, in sentences */
    const char *example;  /* one or more full command lines, with what they print */
    const arg_option *options;
    size_t n_options;
    const char **positionals; /* filled in order */
    size_t min_positionals, max_positionals;
} arg_spec;

typedef enum { ARGS_RUN, ARGS_HELP, ARGS_WRONG } args_result;

/** Parse what follows the command. ARGS_HELP: the help was printed. ARGS_WRONG: the mistake was
 * named on standard error. Lists own memory: args_clear. */
args_result args_parse(const arg_spec *spec, int argc, char **argv);
void args_clear(arg_list *list);

/** Name a mistake that the table cannot express; gives EXIT_USAGE. */
int args_wrong(const arg_spec *spec, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** A failure that is the command line's: something on it is malformed (CZ_E_INPUT) or unknown
 * (CZ_E_NOTFOUND), whatever the machine and the files are. report_failure gives EXIT_USAGE then.
 * Gives `err`. */
cz_err args_mistake(cz_err err);

/** Was there one? */
bool args_were_mistaken(void);

/** The exit status for args_parse's result when it is not ARGS_RUN. */
int args_exit(args_result result);

#define ARGS_COUNT(array) (sizeof(array) / sizeof *(array))

#endif
