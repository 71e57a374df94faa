/* service.h: the methods of all services: what runs when a call comes. Inside rpc/.
 *
 * A method gets its unpacked request, which is freed afterwards, and answers the call now or later
 * (call.h). The tables are in proving_service.c, health_service.c and reflection_service.c. */
#ifndef CZ_RPC_SERVICE_H
#define CZ_RPC_SERVICE_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

#include "rpc/code.h"
#include "rpc/server.h"

struct cz_call;

/* How long a method keeps its thread: microseconds; until the disk has a request. */
typedef enum { CZ_RUN_QUICK, CZ_RUN_HEAVY, CZ_RUN_SPEEDS } cz_run_speed;

typedef struct {
    const char *path; /* "/package.Service/Method" */
    const ProtobufCMessageDescriptor *input;
    cz_run_speed speed;
    bool open;    /* needs no token */
    bool streams; /* the client may send several messages; run gets NULL after the last */
    void (*run)(struct cz_call *call, ProtobufCMessage *request);
    void (*sent)(struct cz_call *call); /* of streams; may be NULL */
    void (*gone)(struct cz_call *call); /* the call is over; may be NULL */
} cz_method;

extern const cz_method cz_proving_methods[];
extern const size_t cz_n_proving_methods;
extern const cz_method cz_health_methods[];
extern const size_t cz_n_health_methods;
extern const cz_method cz_reflection_methods[];
extern const size_t cz_n_reflection_methods;

/** NULL when there is none of this path. */
const cz_method *cz_method_find(const char *path, size_t n);

/** Tell the watchers of health what has changed. */
void cz_health_announce(cz_rpc_server *server);

#endif
