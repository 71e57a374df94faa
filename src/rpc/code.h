/* code.h: from the engine's errors to gRPC status codes. */
#ifndef CZ_RPC_CODE_H
#define CZ_RPC_CODE_H

#include "base/err.h"

/* The same error means different things to different calls: NOTFOUND is a missing parameter file at
 * submit, an unknown job when waiting. */
typedef enum { CZ_CODE_SUBMIT, CZ_CODE_JOB, CZ_CODE_KEYS } cz_code_use;

/** The grpc_status_code. */
unsigned cz_code_of(cz_err err, cz_code_use use);

/** "NOT_FOUND", …; "UNKNOWN" for a number that gRPC does not define. */
const char *cz_code_name(unsigned code);

/** A client's side: the nearest cz_err (client.h lists them). */
cz_err cz_code_to_err(unsigned code);

#endif
