/* journal.h: what was accepted and what came of it, across restarts.
 *
 * A folder with a SQLite database (journal.db: a row a job, with its proof once there is one) and a
 * spool folder with the inputs of jobs that have not ended (spool/<job id>). Accepting writes the
 * input, then the row, both synced: after a crash a row has its input, and an input without a row
 * is removed at the next start. A process holds the folder for itself. Its files are for the
 * daemon's user alone; a folder that others may read gets a warning.
 *
 * A proof is kept with the circuit and the digest of the keys it was verified with, under a seal
 * (cz_result_seal) that is compared when it is read: a row that was damaged gives no proof. Rows of
 * schema 1, which has none of this, give none either. Whether these are still the right keys is for
 * the engine to say (kept.c).
 *
 * Errors are CZ_E_IO with the path and the reason (disk full, read-only, …), and leave the journal
 * usable: the next call tries again. After a write that failed the journal is failing until an
 * accept or a probe succeeds. Threads: any; journal.lock serialises the calls that use the
 * database; inputs are written and read outside it. */
#ifndef CZ_ENGINE_JOURNAL_H
#define CZ_ENGINE_JOURNAL_H

#include "engine/prover.h"

enum { CZ_JOB_ID_BYTES = 33 /* 32 hex digits */, CZ_JOURNAL_WHY_BYTES = 512 };

/* How a job ended; numbers are those of AwaitProofResponse.Status. */
typedef enum {
    CZ_JOB_UNKNOWN = 0, /* it has not */
    CZ_JOB_COMPLETED = 1,
    CZ_JOB_FAILED = 2,
    CZ_JOB_CANCELLED = 3,
    CZ_JOB_TIMEOUT = 4
} cz_job_status;

typedef struct {
    char job_id[CZ_JOB_ID_BYTES];
    cz_proof_kind kind;
    cz_job_status status;
    uint8_t *proof; /* owned; 192 bytes a partition; NULL unless COMPLETED */
    size_t proof_len;
    char circuit_id[CZ_CIRCUIT_ID_BYTES]; /* whose keys the proof was verified with ... */
    uint8_t key_tag[CZ_KEY_TAG_BYTES];    /* ... and which these were; when COMPLETED */
    char *error;                          /* owned; NULL when COMPLETED */
    cz_err code;                          /* of a failure */
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, gpu_compute_ms, total_ms;
} cz_result;

void cz_result_clear(cz_result *result);

/** Its error, which it has none of yet, becomes a copy of the message (NULL: none), as UTF-8: the
 * wire takes no other texts. Without memory it stays NULL. */
void cz_result_set_error(cz_result *result, const char *message);

/** A deep copy. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_result_copy(cz_result *out, const cz_result *from);

/** SHA-256 of a proof, of whose it is, and of the keys it was verified with. */
void cz_result_seal(uint8_t out[32], const cz_result *result);

/* An accepted job. */
typedef struct {
    char job_id[CZ_JOB_ID_BYTES];
    const char *request_id;
    uint8_t content[32];
    cz_proof_kind kind;
    unsigned priority;
    uint64_t accepted_ms; /* since 1970 */
} cz_journal_entry;

typedef struct cz_journal cz_journal;

/** Open or make the folder (one level). CZ_E_DECLINED: another process has it. */
CZ_MUST_CHECK cz_err cz_journal_open(cz_journal **out, const char *dir);
void cz_journal_close(cz_journal *j);

/** Keep a job; replaces what is known of an earlier run of the same id. */
CZ_MUST_CHECK cz_err cz_journal_accept(cz_journal *j, const cz_journal_entry *entry,
                                       const cz_request *request);

/** A job that has not ended is wanted with a higher priority; a lower one changes nothing. */
CZ_MUST_CHECK cz_err cz_journal_raise(cz_journal *j, const char *job_id, unsigned priority);

/** The input of a job that has not ended, compared with the digest it was accepted under. */
CZ_MUST_CHECK cz_err cz_journal_request(cz_journal *j, const char *job_id,
                                        const uint8_t content[32], cz_request **out);

/** The same without its vanilla proofs (cz_request_read_shape): a few bytes are read, whatever its
 * size, and nothing is compared. */
CZ_MUST_CHECK cz_err cz_journal_shape(cz_journal *j, const char *job_id, cz_request **out);

/** A job has ended; its input goes. */
CZ_MUST_CHECK cz_err cz_journal_finish(cz_journal *j, const cz_result *result);

/** The result of a job that has ended. CZ_E_NOTFOUND; CZ_E_VERIFY: there is one, but it is damaged
 * or of schema 1. */
CZ_MUST_CHECK cz_err cz_journal_result(cz_journal *j, const char *job_id, cz_result *out);

/** Call fn for every job that has not ended, oldest first; its error ends the walk. fn must not
 * use the journal. */
typedef cz_err (*cz_journal_fn)(void *ctx, const cz_journal_entry *entry);
CZ_MUST_CHECK cz_err cz_journal_unfinished(cz_journal *j, cz_journal_fn fn, void *ctx);

/** Forget results that ended before a time (ms since 1970). */
CZ_MUST_CHECK cz_err cz_journal_prune(cz_journal *j, uint64_t before_ms);

/** Is it failing? Then why: the message of the last write that failed, cut; else "". At once,
 * whatever other calls wait for. */
bool cz_journal_is_failing(cz_journal *j, char why[CZ_JOURNAL_WHY_BYTES]);

/** Write what changes nothing: a commit, and a file as large as the input that could not be kept.
 * For the owner of a failing journal, to whom nobody may send a job. CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_journal_probe(cz_journal *j);

/** Milliseconds since 1970. */
uint64_t cz_wall_ms(void);

#endif
