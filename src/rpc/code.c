/* code.c: see code.h. The one table from cz_err to the wire. */
#include "rpc/code.h"

#include <grpc/status.h>

typedef struct {
    cz_err err;
    grpc_status_code code[3]; /* by cz_code_use */
} row;

/* clang-format off */
static const row rows[] = {
    /*                  submit                          job                            keys */
    {CZ_E_INPUT,       {GRPC_STATUS_INVALID_ARGUMENT,   GRPC_STATUS_INVALID_ARGUMENT,  GRPC_STATUS_FAILED_PRECONDITION}},
    {CZ_E_UNSUPPORTED, {GRPC_STATUS_INVALID_ARGUMENT,   GRPC_STATUS_INVALID_ARGUMENT,  GRPC_STATUS_INVALID_ARGUMENT}},
    {CZ_E_NOTFOUND,    {GRPC_STATUS_FAILED_PRECONDITION, GRPC_STATUS_NOT_FOUND,        GRPC_STATUS_FAILED_PRECONDITION}},
    {CZ_E_NOMEM,       {GRPC_STATUS_RESOURCE_EXHAUSTED, GRPC_STATUS_RESOURCE_EXHAUSTED, GRPC_STATUS_RESOURCE_EXHAUSTED}},
    {CZ_E_DECLINED,    {GRPC_STATUS_RESOURCE_EXHAUSTED, GRPC_STATUS_DEADLINE_EXCEEDED, GRPC_STATUS_FAILED_PRECONDITION}},
    {CZ_E_CANCELLED,   {GRPC_STATUS_UNAVAILABLE,        GRPC_STATUS_UNAVAILABLE,       GRPC_STATUS_UNAVAILABLE}},
};

static const char *const names[] = {
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
    "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
};

static const cz_err client_side[] = {
    [GRPC_STATUS_OK] = CZ_OK,
    [GRPC_STATUS_CANCELLED] = CZ_E_CANCELLED,
    [GRPC_STATUS_UNKNOWN] = CZ_E_INTERNAL,
    [GRPC_STATUS_INVALID_ARGUMENT] = CZ_E_INPUT,
    [GRPC_STATUS_DEADLINE_EXCEEDED] = CZ_E_CANCELLED,
    [GRPC_STATUS_NOT_FOUND] = CZ_E_NOTFOUND,
    [GRPC_STATUS_ALREADY_EXISTS] = CZ_E_INTERNAL,
    [GRPC_STATUS_PERMISSION_DENIED] = CZ_E_DECLINED,
    [GRPC_STATUS_RESOURCE_EXHAUSTED] = CZ_E_DECLINED,
    [GRPC_STATUS_FAILED_PRECONDITION] = CZ_E_NOTFOUND,
    [GRPC_STATUS_ABORTED] = CZ_E_INTERNAL,
    [GRPC_STATUS_OUT_OF_RANGE] = CZ_E_INPUT,
    [GRPC_STATUS_UNIMPLEMENTED] = CZ_E_UNSUPPORTED,
    [GRPC_STATUS_INTERNAL] = CZ_E_INTERNAL,
    [GRPC_STATUS_UNAVAILABLE] = CZ_E_IO,
    [GRPC_STATUS_DATA_LOSS] = CZ_E_INTERNAL,
    [GRPC_STATUS_UNAUTHENTICATED] = CZ_E_DECLINED,
};
/* clang-format on */

enum { N_ROWS = sizeof rows / sizeof *rows, N_CODES = sizeof names / sizeof *names };

unsigned cz_code_of(cz_err err, cz_code_use use)
{
    if (err == CZ_OK)
        return GRPC_STATUS_OK;
    for (unsigned i = 0; i < N_ROWS; i++)
        if (rows[i].err == err)
            return (unsigned)rows[i].code[use];
    return GRPC_STATUS_INTERNAL;
}

const char *cz_code_name(unsigned code)
{
    return names[code < N_CODES ? code : GRPC_STATUS_UNKNOWN];
}

cz_err cz_code_to_err(unsigned code)
{
    return code < N_CODES ? client_side[code] : CZ_E_INTERNAL;
}
