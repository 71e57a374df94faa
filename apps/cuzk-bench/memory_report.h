/* memory_report.h: the account of groth16/prove_memory.h as text and as JSON. */
#ifndef CZ_BENCH_MEMORY_REPORT_H
#define CZ_BENCH_MEMORY_REPORT_H

#include "groth16/prove_memory.h"
#include "report.h"

/** A table, one line a part, in bytes. */
void memory_print(const cz_prove_memory *m);

/** "memory": an object of the parts, each a list by stage, with totals and the peak. */
void memory_json(json_out *j, const cz_prove_memory *m);

#endif
