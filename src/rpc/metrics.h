/* metrics.h: the engine's numbers as Prometheus text [Prometheus exposition format 0.0.4].
 *
 * The same text is served at /metrics and by the GetMetrics call. The series of the engine that
 * this one replaces keep their names (cuzk_proofs_completed_total, cuzk_queue_depth,
 * cuzk_proof_duration_seconds, …); durations are histograms, so that their _sum and _count are
 * there, too. Every sample's family has HELP and TYPE. Label values are escaped; none is chosen by
 * a client. `cuzk.1` lists the families. */
#ifndef CZ_RPC_METRICS_H
#define CZ_RPC_METRICS_H

#include "engine/engine_status.h"

#define CZ_METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/** Ask the engine and write the text; free() it. *n without the final NUL; may be NULL. Threads:
 * any. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_metrics_text(cz_engine *e, char **text, size_t *n);

/** The same from a picture taken before. */
CZ_MUST_CHECK cz_err cz_metrics_of_status(const cz_engine_status *status, char **text, size_t *n);

#endif
