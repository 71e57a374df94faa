/* metrics_process.h: what the kernel says about this process. */
#ifndef CZ_RPC_METRICS_PROCESS_H
#define CZ_RPC_METRICS_PROCESS_H

#include <stdint.h>

/* A value that cannot be read is 0. */
typedef struct {
    double cpu_seconds;        /* user and system, all threads */
    double start_time_seconds; /* since 1970 */
    uint64_t resident_bytes, peak_resident_bytes, virtual_bytes;
    uint64_t threads, open_fds, max_fds;
} cz_process_numbers;

void cz_process_read(cz_process_numbers *out);

#endif
