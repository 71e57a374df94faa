/* report.h: results as JSON, Markdown and one HTML page that needs nothing else. */
#ifndef CZ_LAB_REPORT_H
#define CZ_LAB_REPORT_H

#include "base/text_out.h"
#include "results.h"

/** report.json, report.md and report.html in a folder that exists. CZ_E_IO, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err lab_write_reports(const lab_results *r, const char *folder);

/* The texts; errors are remembered in the writer. */
void lab_report_markdown(cz_text_out *out, const lab_results *r);
void lab_report_html(cz_text_out *out, const lab_results *r);
CZ_MUST_CHECK cz_err lab_report_json(char **text, size_t *n, const lab_results *r);

/** The rule of the verdicts, in one sentence, with the plan's numbers. */
void lab_rule_text(char *out, size_t size, const lab_results *r);

/** "12.3 s", "345 ms"; "1.23 GiB", "45 MiB". */
enum { LAB_VALUE_BYTES = 32 };
void lab_seconds_text(char out[LAB_VALUE_BYTES], double seconds);
void lab_bytes_text(char out[LAB_VALUE_BYTES], double bytes);

#endif
