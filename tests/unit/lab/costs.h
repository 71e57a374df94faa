/* costs.h: costs that do not depend on the machine's mood, against bench/baselines/: a change
 * appears as a diff there, in the commit that made it. After a wanted change:
 *
 *   CZ_UPDATE_BASELINES=1 build/bin/unit_lab_test_baselines     writes the files anew
 *   CZ_UPDATE_BASELINES=1 build/bin/cli_test_lab_cli            and that of phases.json */
#ifndef CZ_TESTS_COSTS_H
#define CZ_TESTS_COSTS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text_out.h"
#include "support.h"

enum { MAX_COSTS = 128 };

typedef struct {
    char name[64];
    uint64_t value;
} cost;

typedef struct {
    cost all[MAX_COSTS];
    size_t n;
} costs;

static inline void costs_add(costs *list, const char *of, const char *what, uint64_t value)
{
    assert_true(list->n < MAX_COSTS);
    (void)snprintf(list->all[list->n].name, sizeof list->all->name, "%s %s", of, what);
    list->all[list->n++].value = value;
}

static inline void costs_write(const costs *list, const char *path)
{
    cz_text_out out = {0};
    char *text;
    size_t n;

    cz_text_puts(&out, "{\n");
    for (size_t i = 0; i < list->n; i++)
        cz_text_printf(&out, "  \"%s\": %" PRIu64 "%s\n", list->all[i].name, list->all[i].value,
                       i + 1 < list->n ? "," : "");
    cz_text_puts(&out, "}\n");
    assert_ok(cz_text_take(&out, &text, &n));
    assert_ok(cz_file_write_all(path, text, n));
    free(text);
}

static inline unsigned costs_differ(const costs *list, cz_json baseline)
{
    unsigned differ = 0;

    for (size_t i = 0; i < list->n; i++) {
        const cost *c = &list->all[i];
        uint64_t before = 0;
        cz_json v;

        if (cz_json_get(baseline, c->name, &v) == CZ_OK)
            assert_ok(cz_json_u64(v, &before));
        if (before == c->value)
            continue;
        differ++;
        print_message("%s: %" PRIu64 ", in the baseline %" PRIu64 "\n", c->name, c->value, before);
    }
    return differ;
}

static inline void costs_compare(const costs *list, const char *file)
{
    const char *update = getenv("CZ_UPDATE_BASELINES");
    char path[512];
    cz_json_doc *doc;
    cz_json root;
    size_t n;
    uint8_t *bytes;

    (void)snprintf(path, sizeof path, "%s/../../bench/baselines/%s", cz_vector_path(""), file);
    if (update != NULL && update[0] != '\0')
        costs_write(list, path);
    bytes = cz_test_read(path, &n);
    assert_ok(cz_json_parse(&doc, &root, (const char *)bytes, n));
    if (costs_differ(list, root) != 0)
        fail_msg("costs differ from bench/baselines/%s; if that is wanted: "
                 "CZ_UPDATE_BASELINES=1 and run this test again",
                 file);
    assert_ok(cz_json_size(root, &n));
    assert_true(n >= list->n);
    cz_json_destroy(doc);
    free(bytes);
}

#endif
