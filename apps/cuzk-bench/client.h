/* client.h: what the commands that talk to a running daemon share.
 *
 *   flags -> cz_request        client_request.c   what is to be proved
 *   cz_request -> outcome      client_rpc.c       one call, timed
 *   many of them               client_load.c      a fixed number, or at rates, from many threads
 *   outcome -> valid?          client_check.c     our own look at what came back
 *   outcomes -> summary        client_report.c    for people and as JSON
 */
#ifndef CZ_BENCH_CLIENT_H
#define CZ_BENCH_CLIENT_H

#include "commands.h"
#include "engine/journal.h"
#include "rpc/client.h"

/* --- where the daemon is --- */

typedef struct {
    const char *addr, *ca, *cert, *key, *token_file;
    bool json;
} client_options;

#define CLIENT_SERVICE_SOCKET "/run/cuzk/cuzk.sock"

/* Rows of an option table; `o` is a client_options. */
#define CLIENT_OPTIONS(o)                                                                          \
    {"--addr",                                                                                     \
     ARG_TEXT,                                                                                     \
     "ADDR",                                                                                       \
     &(o).addr,                                                                                    \
     "unix:///run/cuzk/cuzk.sock, host:port, http://host:port or https://host:port (default: the " \
     "socket of this user's daemon, else that of the machine's service, " CLIENT_SERVICE_SOCKET    \
     ")",                                                                                          \
     false},                                                                                       \
        {"-a", ARG_TEXT, "ADDR", &(o).addr, "the same", false},                                    \
        {"--tls-ca", ARG_TEXT, "FILE", &(o).ca, "PEM of the daemon's authority: talk TLS", false}, \
        {"--tls-cert", ARG_TEXT, "FILE", &(o).cert, "PEM of our certificate, for mTLS", false},    \
        {"--tls-key", ARG_TEXT, "FILE", &(o).key, "PEM of its key", false},                        \
        {"--token-file", ARG_TEXT, "FILE", &(o).token_file, "bearer token to send", false},        \
    {                                                                                              \
        "--json", ARG_FLAG, NULL, &(o).json, "one JSON object on standard output", false           \
    }

/* --- what is to be proved (client_request.c) --- */

typedef struct {
    const char *request; /* a file as `prove` takes it, or NULL: the parts below */
    const char *type, *c1, *vanilla;
    const char *registered_proof, *sector_size, *sector, *miner, *partition;
    const char *randomness, *comm_r_old, *comm_r_new, *comm_d_new;
    const char *priority, *request_id;
} client_request_flags;

#define CLIENT_REQUEST_OPTIONS(f)                                                                  \
    {"--type",                                                                                     \
     ARG_TEXT,                                                                                     \
     "KIND",                                                                                       \
     &(f).type,                                                                                    \
     "porep, snap, wpost or winning, when there is no REQUEST.json",                               \
     false},                                                                                       \
        {"-t", ARG_TEXT, "KIND", &(f).type, "the same", false},                                    \
        {"--c1", ARG_TEXT, "FILE", &(f).c1, "porep: the C1 output", false},                        \
        {"--vanilla",                                                                              \
         ARG_TEXT,                                                                                 \
         "FILE",                                                                                   \
         &(f).vanilla,                                                                             \
         "other kinds: JSON array of base64 proofs, or one raw proof",                             \
         false},                                                                                   \
        {"--registered-proof",                                                                     \
         ARG_TEXT,                                                                                 \
         "N",                                                                                      \
         &(f).registered_proof,                                                                    \
         "number of the proof type in the network's enum",                                         \
         false},                                                                                   \
        {"--sector-size",                                                                          \
         ARG_TEXT,                                                                                 \
         "SIZE",                                                                                   \
         &(f).sector_size,                                                                         \
         "such as 32GiB (default: what the proof type says)",                                      \
         false},                                                                                   \
        {"--sector-num", ARG_TEXT, "N", &(f).sector, "default: 1", false},                         \
        {"--miner-id", ARG_TEXT, "N", &(f).miner, "default: 1000", false},                         \
        {"--randomness", ARG_TEXT, "HEX", &(f).randomness, "PoSt, 32 bytes (default: zeros)",      \
         false},                                                                                   \
        {"--comm-r-old", ARG_TEXT, "HEX", &(f).comm_r_old, "snap", false},                         \
        {"--comm-r-new", ARG_TEXT, "HEX", &(f).comm_r_new, "snap", false},                         \
        {"--comm-d-new", ARG_TEXT, "HEX", &(f).comm_d_new, "snap", false},                         \
    {                                                                                              \
        "--priority", ARG_TEXT, "P", &(f).priority,                                                \
            "low, normal, high or critical (default: the kind's)", false                           \
    }

/** Read the files and put the request together; cz_request_destroy it. CZ_E_INPUT names the flag or
 * the file. */
CZ_MUST_CHECK cz_err client_request_load(cz_request **out, const client_request_flags *flags);

/** "porep" and its aliases "porep-c2", "seal-commit", …; CZ_E_INPUT. */
CZ_MUST_CHECK cz_err client_kind_parse(cz_proof_kind *out, const char *text);

/** A fresh prefix for request ids: "bench-" and 16 hex digits. */
CZ_MUST_CHECK cz_err client_fresh_id(char out[32]);

/* --- one call (client_rpc.c) --- */

typedef struct client client; /* serves any number of threads */

/** No connection is made yet. CZ_E_INPUT (the address, a file). */
CZ_MUST_CHECK cz_err client_open(client **out, const client_options *options);
void client_close(client *c);
const char *client_addr(const client *c);

/** A call of the service; `reply` is the address of a pointer to the method's output message. A
 * failure's message begins with the name of gRPC's code; where nobody answers it says what to do.
 */
CZ_MUST_CHECK cz_err client_call(client *c, const char *method, const ProtobufCMessage *request,
                                 void *reply, uint64_t timeout_ms);

/* What came of one request. */
typedef struct {
    unsigned source; /* index into the load's sources */
    char request_id[128];
    char job_id[64];
    cz_job_status status;   /* CZ_JOB_UNKNOWN: the call itself failed; see error */
    double begin_s, wall_s; /* since the load began; of the call */
    double late_s;          /* how long after its time it began, where there are rates */
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms;
    uint8_t *proof; /* owned */
    size_t proof_len;
    char *error;  /* owned; NULL when COMPLETED and valid */
    bool checked; /* our own verification has accepted it */
} client_outcome;

/** "completed", "failed", …; "error" for a call that failed. */
const char *client_status_name(cz_job_status status);
void client_outcome_clear(client_outcome *o);

/** Submit and wait: Prove. Fills everything but source, begin_s and late_s; failures go into it. */
void client_prove(client *c, const cz_request *r, const char *request_id, uint64_t timeout_ms,
                  client_outcome *out);

/** Submit, under the request's own id, and do not wait. */
CZ_MUST_CHECK cz_err client_submit(client *c, const cz_request *r, char job_id[64]);

/* --- many calls (client_load.c) --- */

typedef struct {
    const char *name; /* of the file or kind, for people */
    cz_request *request;
    double interval_s; /* between arrivals; 0: as soon as a thread is free */
} client_source;

typedef struct {
    client *c;
    const client_source *sources;
    size_t n_sources;
    const char *id_prefix;
    unsigned concurrency;
    unsigned count;    /* requests in all; 0: until duration_s */
    double duration_s; /* 0: until count */
    uint64_t timeout_ms;
    /* Called after each, one at a time; may be NULL. */
    void (*ended)(void *ctx, client_outcome *o, unsigned done, unsigned running);
    void *ctx;
} client_load;

typedef struct {
    client_outcome *outcomes; /* in order of their end */
    size_t n;
    double seconds;
    bool interrupted; /* by Ctrl-C: what ran was waited for */
} client_results;

/** CZ_E_NOMEM; failed proofs are outcomes. */
CZ_MUST_CHECK cz_err client_load_run(client_results *out, const client_load *load);
void client_results_clear(client_results *results);

/* --- our own look at proofs (client_check.c) --- */

typedef struct client_check client_check;

/** Verifying key and public inputs of a request; `folder` as for `verify`. */
CZ_MUST_CHECK cz_err client_check_create(client_check **out, const cz_request *request,
                                         const char *folder, cz_pool *pool);
void client_check_destroy(client_check *check);

/** CZ_E_VERIFY, CZ_E_INPUT. */
CZ_MUST_CHECK cz_err client_check_proof(const client_check *check, const uint8_t *proof, size_t n);

/* --- summaries (client_report.c) --- */

/** The table for people. */
void client_print_summary(const client_results *r, const client_source *sources, size_t n_sources);

/** The same as members of an open JSON object; with every proof when `each`. */
void client_json_summary(json_out *j, const client_results *r, const client_source *sources,
                         size_t n_sources, bool each);

/** Did every one complete, and verify where that was asked for? */
bool client_all_completed(const client_results *r);

#endif
