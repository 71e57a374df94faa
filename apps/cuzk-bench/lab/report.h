/* report.h: results as JSON, Markdown and one HTML page that needs nothing else. */
#ifndef CZ_LAB_REPORT_H
#define CZ_LAB_REPORT_H

#include "base/text_out.h"
#include "results.h"

/** report.json, report.md and report.html in a folder that exists. CZ_E_IO, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err lab_write_reports(const lab_results *r, const char *folder);

/** Without report.json, which was read. */
CZ_MUST_CHECK cz_err lab_write_pages(const lab_results *r, const char *folder);

/** A file of a report; frees the text, whatever happens. CZ_E_INPUT: the path is too long; CZ_E_IO.
 */
CZ_MUST_CHECK cz_err lab_write_text(const char *folder, const char *name, char *text, size_t n);

/** A report.json as it was written, to be rendered again; an older one lacks what was not written
 * then. Clear both, the results first. CZ_E_INPUT, CZ_E_NOTFOUND, CZ_E_IO, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err lab_report_read(lab_results *out, lab_plan *plan, const char *path);
CZ_MUST_CHECK cz_err lab_report_parse(lab_results *out, lab_plan *plan, const char *text, size_t n,
                                      const char *name);

/* The texts; errors are remembered in the writer. */
void lab_report_markdown(cz_text_out *out, const lab_results *r);
void lab_report_html(cz_text_out *out, const lab_results *r);
CZ_MUST_CHECK cz_err lab_report_json(char **text, size_t *n, const lab_results *r);

/** The rule of the verdicts, with the plan's numbers. */
enum { LAB_RULE_BYTES = 768 };
void lab_rule_text(char *out, size_t size, const lab_results *r);

/** "12.3 s", "345 ms"; "1.23 GiB", "45 MiB". */
enum { LAB_VALUE_BYTES = 32 };
void lab_seconds_text(char out[LAB_VALUE_BYTES], double seconds);
void lab_bytes_text(char out[LAB_VALUE_BYTES], double bytes);

#endif
