/* report.h: what commands say: results as JSON or text, progress on a terminal, failures. */
#ifndef CZ_BENCH_REPORT_H
#define CZ_BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A JSON object on standard output, written as it is made. Inside an array `key` is NULL. */
typedef struct {
    unsigned depth;
    bool first[16];
    char close[16];
} json_out;

void json_begin(json_out *j);
void json_end(json_out *j); /* closes what is open; ends the line */
void json_object(json_out *j, const char *key);
void json_array(json_out *j, const char *key);
void json_close(json_out *j);
void json_text(json_out *j, const char *key, const char *value); /* NULL: null */
void json_uint(json_out *j, const char *key, uint64_t value);
void json_double(json_out *j, const char *key, double value);
void json_bool(json_out *j, const char *key, bool value);
void json_hex(json_out *j, const char *key, const uint8_t *bytes, size_t n);

/** Report why a command failed, from this thread's error record: a line on standard error, with
 * --json also {"error": …} on standard output. Gives EXIT_FAILED, or EXIT_USAGE after args_mistake.
 */
int report_failure(const char *command, bool json, cz_err err);

/* One line on a terminal that counts up; silent elsewhere. */
typedef struct {
    bool on;
    bool shown;
    uint64_t last_ns;
    char step[64];
} progress;

void progress_init(progress *p);
void progress_show(progress *p, const char *step, uint64_t done, uint64_t total);
void progress_clear(progress *p);

#endif
