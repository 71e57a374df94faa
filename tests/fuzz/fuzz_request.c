/* Request files of every accepted form: parse, check the vanilla proof, derive public inputs. */
#include "fuzz.h"

#include "filecoin/job.h"

static void use_job(const cz_job *job)
{
    for (size_t k = 0; k < cz_job_partitions(job); k++) {
        cz_fr *inputs;
        size_t n;

        FUZZ_REQUIRE(cz_job_public_inputs(job, k, &inputs, &n) == CZ_OK);
        FUZZ_REQUIRE(n > 0);
        free(inputs);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    cz_request *request;
    cz_job *job;

    if (cz_request_parse(&request, bytes, n) != CZ_OK)
        return 0;
    if (cz_job_create(&job, request, NULL) == CZ_OK) {
        use_job(job);
        cz_job_destroy(job);
    } else {
        FUZZ_REQUIRE(cz_err_message()[0] != '\0');
    }
    cz_request_destroy(request);
    return 0;
}
