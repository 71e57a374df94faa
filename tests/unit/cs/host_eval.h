/* host_eval.h: what eval_cuda.cu does, on the host: the same text, thread after thread. */
#ifndef CZ_TESTS_HOST_EVAL_H
#define CZ_TESTS_HOST_EVAL_H

#include "host_gpu.h"

cz_err host_eval_rows(cz_gpu *gpu, const struct cz_eval_tables *t, const void *bits,
                      const void *values, void *a, void *b, void *c);

#endif
