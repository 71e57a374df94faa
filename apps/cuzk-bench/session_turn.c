/* session_turn.c: a session's place among others: a word before each run, and one back. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "lab/spawn.h"
#include "session.h"

/* True: the line came. Byte by byte, as nothing else is read from there. */
static bool read_line(const char *line)
{
    for (; *line != '\0'; line++) {
        char c;

        if (read(STDIN_FILENO, &c, 1) != 1 || c != *line)
            return false;
    }
    return true;
}

cz_err session_await_turn(const session_order *o)
{
    static const char ready[] = LAB_READY_LINE;

    if (!o->turns)
        return CZ_OK;
    if (write(STDOUT_FILENO, ready, sizeof ready - 1) != (ssize_t)(sizeof ready - 1))
        return cz_fail(CZ_E_IO, "--turns: standard output failed");
    return read_line(LAB_GO_LINE) ? CZ_OK
                                  : cz_fail(CZ_E_IO, "--turns: no \"go\" on standard input");
}
