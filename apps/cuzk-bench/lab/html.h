/* html.h: the pieces that the laboratory's page is made of: its head and style, text, plots. */
#ifndef CZ_LAB_HTML_H
#define CZ_LAB_HTML_H

#include "base/text_out.h"
#include "results.h"

void html_begin(cz_text_out *out, const char *title);
void html_end(cz_text_out *out);

void html_escaped(cz_text_out *out, const char *text);

/* --- report_plots.c --- */

/** The interval of a configuration's ratio on a scale that all share, and that scale's numbers. */
void html_plot_interval(cz_text_out *out, const lab_results *r, unsigned config);
void html_plot_interval_scale(cz_text_out *out, const lab_results *r);

/** A square in the phase's colour, and its name. */
void html_phase_key(cz_text_out *out, cz_phase phase);

/** A bar of phases for every configuration, with a mark at the whole run's time. */
void html_plot_phases(cz_text_out *out, const lab_results *r);

/** Resident memory over the first process of every configuration; nothing where no samples are. */
void html_plot_memory(cz_text_out *out, const lab_results *r);

/** Jobs a minute over peak resident memory, a point for every configuration. */
void html_plot_throughput(cz_text_out *out, const lab_results *r);

#endif
