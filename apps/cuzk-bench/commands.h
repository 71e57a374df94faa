/* commands.h: the commands of main.c's table, and what several of them share. */
#ifndef CZ_BENCH_COMMANDS_H
#define CZ_BENCH_COMMANDS_H

#include "args.h"
#include "base/trace.h"
#include "cs/compile.h"
#include "filecoin/job.h"
#include "params/params.h"
#include "report.h"

/* Each takes the words after its name and gives the exit status. */
int cmd_circuit_list(int argc, char **argv);
int cmd_circuit_digest(int argc, char **argv);
int cmd_circuit_stat(int argc, char **argv);
int cmd_params_setup(int argc, char **argv);
int cmd_params_fold(int argc, char **argv);
int cmd_params_check(int argc, char **argv);
int cmd_prove(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_witness(int argc, char **argv);
int cmd_gen_vanilla(int argc, char **argv);
int cmd_time(int argc, char **argv);
int cmd_ab(int argc, char **argv);
int cmd_ab_session(int argc, char **argv);
int cmd_mem(int argc, char **argv);
int cmd_single(int argc, char **argv);
int cmd_batch(int argc, char **argv);
int cmd_stress(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_preload(int argc, char **argv);
int cmd_evict(int argc, char **argv);
int cmd_cancel(int argc, char **argv);

/* --- load.c --- */

enum { PATH_BYTES = 4096 };

/** The folder that parameters are looked up in: `option` (may be NULL), else
 * FIL_PROOFS_PARAMETER_CACHE, else the network's usual folder. */
const char *params_folder(const char *option);

/** "<folder>/<cache name of the circuit><extension>". CZ_E_NOTFOUND for an unknown id. */
CZ_MUST_CHECK cz_err params_path(char out[PATH_BYTES], const char *folder, const char *circuit_id,
                                 const char *extension);

/** Open the parameter file of a circuit and check that it is the circuit's. */
CZ_MUST_CHECK cz_err load_params(cz_params *out, const char *option, const char *circuit_id,
                                 cz_pool *pool);

/** The verifying key of a circuit: its .vk file, or, where only the .params file is present, the
 * head of that. */
CZ_MUST_CHECK cz_err load_vk(cz_vk *out, const char *option, const char *circuit_id, cz_pool *pool);

/** Before long work: could a file of this name be written at its end? NULL: none is wanted.
 * CZ_E_NOTFOUND, CZ_E_INPUT (a folder or a device is there), CZ_E_IO. */
CZ_MUST_CHECK cz_err check_output(const char *path);

/** Read, decode and check a request ("-": standard input). Messages name the file. */
CZ_MUST_CHECK cz_err load_job(cz_job **out, const char *path, cz_pool *pool, cz_trace *trace);

/* --- compiled_circuit.c --- */

/** A circuit's compiled form, read from the cache or compiled and verified with progress.
 * `folder` may be NULL: the usual cache folder, or none where there is no home. */
CZ_MUST_CHECK cz_err open_compiled_circuit(cz_compiled **out, bool *was_cached, const char *id,
                                           const char *folder);

/** A cz_circuit_digest or compile progress function; `bar` is a progress. */
void progress_constraints(void *bar, uint64_t constraints);

/* Proof and input files are small; anything longer is a mistake. */
enum { MAX_SMALL_FILE_BYTES = 256 << 20 };

#endif
