/* submit.h: how jobs come into the engine; inside engine/. */
#ifndef CZ_ENGINE_SUBMIT_H
#define CZ_ENGINE_SUBMIT_H

#include "engine/engine_state.h"

/** The id of a request: the first 16 bytes of SHA-256(content digest, request_id), in hex. */
void cz_job_id(char out[CZ_JOB_ID_BYTES], const uint8_t content[32], const char *request_id);

/** Take up the journal's unfinished jobs, before any thread runs. */
CZ_MUST_CHECK cz_err cz_engine_recover(cz_engine *e);

#endif
