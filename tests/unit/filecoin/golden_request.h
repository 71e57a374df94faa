/* golden_request.h: the requests of the golden cases. */
#ifndef CZ_TESTS_GOLDEN_REQUEST_H
#define CZ_TESTS_GOLDEN_REQUEST_H

#include <stdio.h>
#include <stdlib.h>

#include "filecoin/job.h"
#include "support.h"

static inline cz_request *read_request(const char *path)
{
    cz_request *request;
    size_t n;
    uint8_t *bytes = cz_test_read(path, &n);

    assert_ok(cz_request_parse(&request, bytes, n));
    free(bytes);
    return request;
}

static inline cz_request *golden_request(const char *case_name)
{
    char path[256];

    (void)snprintf(path, sizeof path, "golden/cases/%s/request.json", case_name);
    return read_request(cz_vector_path(path));
}

static inline cz_job *golden_job(const char *case_name)
{
    cz_request *request = golden_request(case_name);
    cz_job *job;

    assert_ok(cz_job_create(&job, request, NULL));
    cz_request_destroy(request);
    return job;
}

#endif
