/* series.h: the verdicts of several runs of one plan, counted: how often the laboratory is right
 * about what is known beforehand. */
#ifndef CZ_LAB_SERIES_H
#define CZ_LAB_SERIES_H

#include "base/text_out.h"
#include "results.h"

enum { LAB_MAX_SERIES = 200 };

typedef struct {
    const lab_plan *plan;
    lab_machine machine;
    unsigned runs;
    double minutes;
    lab_verdict verdict[LAB_MAX_SERIES][LAB_MAX_CONFIGS];
    double estimate[LAB_MAX_SERIES][LAB_MAX_CONFIGS];
    unsigned blocks[LAB_MAX_SERIES];
} lab_series;

/** Count a run. The series has room: fewer than LAB_MAX_SERIES runs. */
void lab_series_add(lab_series *s, const lab_results *r);

/** How often a configuration got a verdict. */
unsigned lab_series_count(const lab_series *s, unsigned config, lab_verdict verdict);

/** Of the verdicts of configurations that expect one: how many are as expected, and how many there
 * are. `noise`: those that expect "within noise"; else the others. */
void lab_series_expected(const lab_series *s, bool noise, unsigned *right, unsigned *all);

/** A table for people; series.md. */
void lab_series_text(cz_text_out *out, const lab_series *s);

CZ_MUST_CHECK cz_err lab_series_json(char **text, size_t *n, const lab_series *s);

/** series.json and series.md in a folder that exists. CZ_E_IO, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err lab_series_write(const lab_series *s, const char *folder);

#endif
