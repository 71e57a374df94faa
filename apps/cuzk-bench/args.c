/* args.c: see args.h. */
#define _GNU_SOURCE
#include "args.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_INDENT = 25, HELP_WIDTH = 100 };

int args_exit(args_result result)
{
    return result == ARGS_HELP ? EXIT_DONE : EXIT_USAGE;
}

static bool mistaken;

cz_err args_mistake(cz_err err)
{
    mistaken = mistaken || err == CZ_E_INPUT || err == CZ_E_NOTFOUND;
    return err;
}

bool args_were_mistaken(void)
{
    return mistaken;
}

int args_wrong(const arg_spec *spec, const char *fmt, ...)
{
    va_list args;

    (void)fprintf(stderr, "cuzk-bench %s: ", spec->command);
    va_start(args, fmt);
    (void)vfprintf(stderr, fmt, args);
    va_end(args);
    (void)fprintf(stderr, "\ntry: cuzk-bench %s --help\n", spec->command);
    return EXIT_USAGE;
}

/* Words in lines of at most HELP_WIDTH columns, the second and later ones from HELP_INDENT on. */
static void print_wrapped(const char *text)
{
    int column = HELP_INDENT;

    while (*text != '\0') {
        const int word = (int)strcspn(text, " ");

        if (column > HELP_INDENT && column + 1 + word > HELP_WIDTH) {
            (void)printf("\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        } else if (column > HELP_INDENT) {
            (void)putchar(' ');
            column++;
        }
        (void)printf("%.*s", word, text);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    (void)putchar('\n');
}

static void print_option(const arg_option *o)
{
    char head[64], help[512];

    (void)snprintf(head, sizeof head, "%s%s%s", o->name, o->metavar != NULL ? " " : "",
                   o->metavar != NULL ? o->metavar : "");
    (void)snprintf(help, sizeof help, "%s%s%s", o->help,
                   o->kind == ARG_LIST ? "; may be repeated" : "",
                   o->required ? " (required)" : "");
    (void)printf("  %-22s ", head);
    print_wrapped(help);
}

static void print_help(const arg_spec *spec)
{
    (void)printf("usage: cuzk-bench %s %s\n\n%s\n\noptions:\n", spec->command, spec->synopsis,
                 spec->about);
    for (size_t i = 0; i < spec->n_options; i++)
        print_option(&spec->options[i]);
    (void)printf("  %-22s this text\n\nexample:\n%s\n", "--help", spec->example);
}

static const arg_option *find_option(const arg_spec *spec, const char *name, size_t len)
{
    for (size_t i = 0; i < spec->n_options; i++)
        if (strlen(spec->options[i].name) == len && memcmp(spec->options[i].name, name, len) == 0)
            return &spec->options[i];
    return NULL;
}

static bool parse_unsigned(unsigned *out, const char *text)
{
    char *end;
    unsigned long v;

    errno = 0;
    v = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || v > UINT_MAX)
        return false;
    *out = (unsigned)v;
    return true;
}

/* Append the comma-separated parts of `text`. The parts live as long as the process: they are few,
 * and args_clear frees only the table. */
static bool append(arg_list *list, char *text)
{
    char *rest = text;
    char *part;

    while ((part = strsep(&rest, ",")) != NULL) {
        const char **bigger = realloc(list->items, (list->n + 1) * sizeof *bigger);

        if (bigger == NULL)
            return false;
        list->items = bigger;
        list->items[list->n++] = part;
    }
    return true;
}

void args_clear(arg_list *list)
{
    free(list->items);
    *list = (arg_list){0};
}

static args_result store(const arg_spec *spec, const arg_option *o, char *value)
{
    switch (o->kind) {
    case ARG_FLAG:
        *(bool *)o->out = true;
        break;
    case ARG_TEXT:
        *(const char **)o->out = value;
        break;
    case ARG_UINT:
        if (!parse_unsigned(o->out, value)) {
            (void)args_wrong(spec, "%s takes a whole number, not '%s'", o->name, value);
            return ARGS_WRONG;
        }
        break;
    case ARG_LIST:
        if (!append(o->out, value)) {
            (void)args_wrong(spec, "%s: no memory", o->name);
            return ARGS_WRONG;
        }
        break;
    }
    return ARGS_RUN;
}

/* One "--name", "--name value" or "--name=value"; *i moves to the last word it used. */
static args_result take_option(const arg_spec *spec, int argc, char **argv, int *i)
{
    char *word = argv[*i];
    char *equals = strchr(word, '=');
    size_t len = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const arg_option *o = find_option(spec, word, len);
    char *value = equals != NULL ? equals + 1 : NULL;

    if (o == NULL) {
        (void)args_wrong(spec, "unknown option '%.*s'", (int)len, word);
        return ARGS_WRONG;
    }
    if (o->kind == ARG_FLAG && value != NULL) {
        (void)args_wrong(spec, "%s takes no value", o->name);
        return ARGS_WRONG;
    }
    if (o->kind != ARG_FLAG && value == NULL) {
        if (*i + 1 >= argc) {
            (void)args_wrong(spec, "%s needs a value (%s)", o->name, o->metavar);
            return ARGS_WRONG;
        }
        value = argv[++*i];
    }
    return store(spec, o, value);
}

static bool was_given(const arg_option *o)
{
    switch (o->kind) {
    case ARG_TEXT:
        return *(const char **)o->out != NULL;
    case ARG_LIST:
        return ((arg_list *)o->out)->n != 0;
    default:
        return true;
    }
}

static args_result check_complete(const arg_spec *spec, size_t n_positionals)
{
    if (n_positionals < spec->min_positionals) {
        (void)args_wrong(spec, "something is missing; usage: cuzk-bench %s %s", spec->command,
                         spec->synopsis);
        return ARGS_WRONG;
    }
    for (size_t i = 0; i < spec->n_options; i++) {
        if (spec->options[i].required && !was_given(&spec->options[i])) {
            (void)args_wrong(spec, "%s %s is missing", spec->options[i].name,
                             spec->options[i].metavar);
            return ARGS_WRONG;
        }
    }
    return ARGS_RUN;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

args_result args_parse(const arg_spec *spec, int argc, char **argv)
{
    size_t n_positionals = 0;

    if (asks_for_help(argc, argv)) {
        print_help(spec);
        return ARGS_HELP;
    }
    for (int i = 0; i < argc; i++) {
        /* "-" alone is standard input */
        if (argv[i][0] == '-' && argv[i][1] != '\0') {
            if (take_option(spec, argc, argv, &i) != ARGS_RUN)
                return ARGS_WRONG;
        } else if (n_positionals < spec->max_positionals) {
            spec->positionals[n_positionals++] = argv[i];
        } else {
            (void)args_wrong(spec, "'%s' is one argument too many", argv[i]);
            return ARGS_WRONG;
        }
    }
    return check_complete(spec, n_positionals);
}
