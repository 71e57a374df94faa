/* config_print.c: a config as the commented file that people edit. */
#include <inttypes.h>
#include <string.h>

#include "config/setting_value.h"
#include "config/units.h"

enum { COLUMNS = 100 };

static const char head[] =
    "# cuzk: settings of the proving daemon.\n"
    "#\n"
    "# Every setting is here with its default; a file needs only those that differ. Start with\n"
    "#   cuzk --config cuzk.toml        and see what is in force with   cuzk --print-config\n"
    "# An unknown key or a value out of range stops the start and names its line. Settings marked\n"
    "# \"live\" change on SIGHUP, the others on restart.\n";

/* Words of `text` after "# ", broken before the last column. */
static void print_comment(const char *text, FILE *out)
{
    size_t column = 0;

    while (*text != '\0') {
        const size_t word = strcspn(text, " ");

        if (column > 0 && column + 1 + word > COLUMNS) {
            (void)fputc('\n', out);
            column = 0;
        }
        column += (size_t)fprintf(out, "%s%.*s", column == 0 ? "# " : " ", (int)word, text);
        text += word;
        text += strspn(text, " ");
    }
    (void)fputc('\n', out);
}

static void number_text(const cz_setting *s, char out[CZ_UNIT_TEXT_BYTES], uint64_t value)
{
    if (s->type == CZ_SETTING_SIZE || s->type == CZ_SETTING_AUTO_SIZE)
        cz_size_text(out, value);
    else if (s->type == CZ_SETTING_DURATION)
        cz_duration_text(out, value);
    else
        (void)snprintf(out, CZ_UNIT_TEXT_BYTES, "%" PRIu64, value);
}

/* "threads, 0 to 4096, default 0; live" */
static void print_facts(const cz_setting *s, FILE *out)
{
    char line[256], min[CZ_UNIT_TEXT_BYTES], max[CZ_UNIT_TEXT_BYTES];
    int n = 0;

    if (s->unit != NULL && s->type == CZ_SETTING_UINT)
        n += snprintf(line + n, sizeof line - (size_t)n, "%s, ", s->unit);
    if (s->choices != NULL)
        n += snprintf(line + n, sizeof line - (size_t)n, "One of %s, ", s->choices);
    if (s->max != 0) {
        number_text(s, min, s->min);
        number_text(s, max, s->max);
        n += snprintf(line + n, sizeof line - (size_t)n, "%s to %s, ", min, max);
    }
    (void)snprintf(line + n, sizeof line - (size_t)n, "default %s%s.", s->fallback,
                   s->live ? "; live" : "");
    if (line[0] >= 'a' && line[0] <= 'z')
        line[0] = (char)(line[0] - 'a' + 'A');
    print_comment(line, out);
}

static size_t section_length(const cz_setting *s)
{
    return strcspn(s->name, ".");
}

static void print_section(const cz_setting *s, const cz_setting *previous, FILE *out)
{
    const size_t n = section_length(s);

    if (previous == NULL || section_length(previous) != n ||
        strncmp(previous->name, s->name, n) != 0)
        (void)fprintf(out, "\n[%.*s]\n", (int)n, s->name);
    else
        (void)fputc('\n', out);
}

cz_err cz_config_print(const cz_config *config, FILE *out)
{
    size_t n;
    const cz_setting *settings = cz_settings(&n);

    (void)fputs(head, out);
    for (size_t i = 0; i < n; i++) {
        const cz_setting *s = &settings[i];

        print_section(s, i == 0 ? NULL : &settings[i - 1], out);
        print_comment(s->help, out);
        print_facts(s, out);
        (void)fprintf(out, "%s = ", s->name + section_length(s) + 1);
        CZ_TRY(cz_setting_print(config, s, out));
        (void)fputc('\n', out);
    }
    if (fflush(out) != 0 || ferror(out))
        return cz_fail(CZ_E_IO, "writing the settings failed");
    return CZ_OK;
}
