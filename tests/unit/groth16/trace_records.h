/* trace_records.h: whose the records of a trace are. */
#ifndef CZ_TESTS_TRACE_RECORDS_H
#define CZ_TESTS_TRACE_RECORDS_H

#include <stdbool.h>
#include <stdlib.h>

#include "../params/scratch.h"
#include "base/json.h"
#include "base/trace.h"
#include "support.h"

/* There are some, and all are of this partition. */
static inline void assert_records_of(const cz_trace *trace, unsigned partition)
{
    const char *path = scratch_path("trace.json");
    cz_json root, records, record, value;
    cz_json_iter it;
    cz_json_doc *doc;
    uint8_t *text;
    uint64_t found;
    size_t n;

    assert_ok(cz_trace_write_json(trace, path));
    text = cz_test_read(path, &n);
    assert_ok(cz_json_parse(&doc, &root, (const char *)text, n));
    assert_ok(cz_json_get(root, "records", &records));
    assert_ok(cz_json_size(records, &n));
    assert_true(n > 0);
    assert_ok(cz_json_iterate(records, &it));
    while (cz_json_next(&it, &record, NULL)) {
        assert_ok(cz_json_get(record, "partition", &value));
        assert_ok(cz_json_u64(value, &found));
        assert_int_equal(found, partition);
    }
    cz_json_destroy(doc);
    free(text);
}

#endif
