/* Requests: the proto3 JSON mapping, the other accepted files, and what contradicts the C1. */
#define _POSIX_C_SOURCE 200809L /* stpcpy */
#include "base/base64.h"
#include "filecoin/job.h"
#include "golden.h"

static cz_err parse(cz_request **out, const char *text)
{
    return cz_request_parse(out, (const uint8_t *)text, strlen(text));
}

static cz_request *parsed(const char *text)
{
    cz_request *r;

    assert_ok(parse(&r, text));
    return r;
}

static void assert_refused(const char *text, const char *message)
{
    cz_request *r;

    assert_fails(parse(&r, text), CZ_E_INPUT, message);
}

#define KIND "\"proofKind\":\"WINDOW_POST_PARTITION\""
#define B32  "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static void assert_counting(const uint8_t b[32])
{
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(b[i], i);
}

static void test_all_fields(void **state)
{
    cz_request *r =
        parsed("{\"requestId\":\"wdpost-1000-0-[1 2]\",\"proofKind\":\"SNAP_DEALS_UPDATE\","
               "\"sectorSize\":\"34359738368\",\"registeredProof\":\"3\",\"priority\":\"HIGH\","
               "\"vanillaProof\":\"AQID\",\"vanillaProofs\":[\"AQ==\",\"AQI\",\"\"],"
               "\"sectorNumber\":\"18446744073709551615\",\"minerId\":1000,"
               "\"randomness\":\"" B32 "\",\"partitionIndex\":7,\"commROld\":\"" B32 "\","
               "\"commRNew\":\"" B32 "\",\"commDNew\":\"" B32 "\"}");

    (void)state;
    assert_string_equal(r->request_id, "wdpost-1000-0-[1 2]");
    assert_int_equal(r->kind, CZ_KIND_SNAP);
    assert_int_equal(r->sector_size, UINT64_C(1) << 35);
    assert_true(r->has_registered_proof && r->registered_proof == 3);
    assert_int_equal(r->priority, 3);
    assert_int_equal(r->vanilla_proof_len, 3);
    assert_memory_equal(r->vanilla_proof, "\1\2\3", 3);
    assert_int_equal(r->n_vanilla_proofs, 3);
    assert_int_equal(r->vanilla_proof_lens[0], 1);
    assert_int_equal(r->vanilla_proof_lens[1], 2);
    assert_int_equal(r->vanilla_proof_lens[2], 0);
    assert_true(r->sector_number == UINT64_MAX);
    assert_true(r->has_identity && r->miner_id == 1000);
    assert_int_equal(r->partition_index, 7);
    assert_true(r->has_randomness);
    assert_true(r->has_comm_r_old && r->has_comm_r_new && r->has_comm_d_new);
    assert_counting(r->randomness);
    assert_counting(r->comm_r_old);
    assert_counting(r->comm_r_new);
    assert_counting(r->comm_d_new);
    cz_request_destroy(r);
}

/* Names as in the .proto file, numbers as numbers, enums as numbers, null as absent. */
static void test_other_spellings(void **state)
{
    cz_request *r = parsed("\xef\xbb\xbf {\"request_id\":null,\"proof_kind\":4,\"priority\":4,"
                           "\"sector_size\":2048,\"registered_proof\":0,\"vanilla_proofs\":[],"
                           "\"sector_number\":\"0\",\"miner_id\":null,\"randomness\":\"\","
                           "\"partition_index\":\"4294967295\",\"comm_r_old\":\"\"}\n");

    (void)state;
    assert_string_equal(r->request_id, "");
    assert_int_equal(r->kind, CZ_KIND_WINNING);
    assert_int_equal(r->priority, 4);
    assert_int_equal(r->sector_size, 2048);
    assert_int_equal(r->n_vanilla_proofs, 0);
    assert_false(r->has_identity);
    assert_false(r->has_randomness);
    assert_false(r->has_comm_r_old || r->has_comm_r_new || r->has_comm_d_new);
    assert_int_equal(r->partition_index, UINT32_MAX);
    cz_request_destroy(r);
}

/* An absent number of a PoSt is the number 0; of a PoRep, the C1 says it. */
static void test_absent_registered_proof(void **state)
{
    cz_request *r = parsed("{\"proofKind\":\"WINNING_POST\"}");

    (void)state;
    assert_true(r->has_registered_proof);
    cz_request_destroy(r);
    r = parsed("{\"proofKind\":\"POREP_SEAL_COMMIT\"}");
    assert_false(r->has_registered_proof);
    cz_request_destroy(r);
}

static void test_refused_requests(void **state)
{
    static const struct {
        const char *text, *message;
    } table[] = {
        {"", "the request is empty"},
        {"{", "not valid JSON"},
        {"{}", "proofKind is not given"},
        {"{\"proofKind\":\"PROOF_KIND_UNSPECIFIED\"}", "proofKind is not given"},
        {"{\"proofKind\":\"POREP\"}", "proofKind: 'POREP' is unknown"},
        {"{\"proofKind\":5}", "proofKind: 5 is unknown"},
        {"{\"proofKind\":-1}", "proofKind: "},
        {"{\"proofKind\":true}", "proofKind: a number expected"},
        {"{" KIND ",\"foo\":1}", "unknown field 'foo'"},
        {"{" KIND ",\"submit\":{}}", "unknown field 'submit'"},
        {"{" KIND ",\"priority\":\"URGENT\"}", "priority: 'URGENT' is unknown"},
        {"{" KIND ",\"sectorSize\":\"2k\"}", "sectorSize: '2k' is no whole number"},
        {"{" KIND ",\"sectorSize\":\"\"}", "sectorSize: a number expected"},
        {"{" KIND ",\"sectorSize\":\" 1\"}", "sectorSize: "},
        {"{" KIND ",\"sectorSize\":\"-1\"}", "sectorSize: "},
        {"{" KIND ",\"sectorSize\":2048.5}", "sectorSize: "},
        {"{" KIND ",\"sectorSize\":[]}", "sectorSize: "},
        {"{" KIND ",\"sectorNumber\":\"18446744073709551616\"}", "sectorNumber: "},
        {"{" KIND ",\"sectorNumber\":18446744073709551616}", ""},
        {"{" KIND ",\"partitionIndex\":4294967296}", "partitionIndex: 4294967296 is above"},
        {"{" KIND ",\"minerId\":1,\"miner_id\":1}", "field 'minerId' is given twice"},
        {"{" KIND ",\"minerId\":1,\"minerId\":1}", "field 'minerId' is given twice"},
        {"{" KIND ",\"randomness\":\"AAAA\"}", "randomness: 3 bytes, expected 32"},
        {"{" KIND ",\"randomness\":\"A*\"}", "randomness: "},
        {"{" KIND ",\"randomness\":[1,2]}", "randomness: a string expected"},
        {"{" KIND ",\"commRNew\":\"" B32 "AAECAwQFBgc\"}", "commRNew: "},
        {"{" KIND ",\"vanillaProofs\":\"AQ==\"}", "vanillaProofs: an array expected"},
        {"{" KIND ",\"vanillaProofs\":[\"AQ==\",7]}", "vanillaProofs: [1]: a string expected"},
        {"{" KIND ",\"requestId\":7}", "requestId: a string expected"},
        {"{" KIND ",\"requestId\":\"a\\u0000b\"}", "requestId: a NUL character"},
        {"{" KIND "} x", "not valid JSON"},
        {"{" KIND ",\"minerId\":NaN}", "not valid JSON"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_refused(table[i].text, table[i].message);
}

/* More than any proof has is refused before anything is made of them. */
static void test_too_many_vanilla_proofs(void **state)
{
    static const char head[] = "{" KIND ",\"vanillaProofs\":[\"\"", tail[] = "]}";
    const size_t n = CZ_REQUEST_MAX_PROOFS;
    char *text = malloc(sizeof head + 3 * n + sizeof tail);
    cz_request *r;
    char *at;

    (void)state;
    assert_non_null(text);
    at = stpcpy(text, head);
    for (size_t i = 1; i < n; i++)
        at = stpcpy(at, ",\"\"");
    (void)strcpy(at, tail);
    r = parsed(text);
    assert_int_equal(r->n_vanilla_proofs, n);
    cz_request_destroy(r);
    (void)strcpy(at, ",\"\"]}");
    assert_refused(text, "vanillaProofs: 16385 of them, at most 16384");
    free(text);
}

/* --- which file is it? --- */

static void assert_is_c1(const char *text)
{
    cz_request *r = parsed(text);

    assert_int_equal(r->kind, CZ_KIND_POREP);
    assert_false(r->has_registered_proof);
    assert_false(r->has_identity);
    assert_int_equal(r->vanilla_proof_len, strlen(text));
    assert_memory_equal(r->vanilla_proof, text, strlen(text));
    cz_request_destroy(r);
}

static void test_sniffing(void **state)
{
    (void)state;
    assert_is_c1("{\"SectorNum\":1}");
    assert_is_c1("\xef\xbb\xbf\n{\"x\":{\"y\":[\"]}\"]},\"Phase1Out\":\"\"}");
    assert_is_c1("{\"comm_d\":[]}");
    assert_is_c1("{ \"registered_proof\" : \"StackedDrg2KiBV1\"}");
    assert_is_c1("{\"vanilla_proofs\":{\"StackedDrg2KiBV1\":[]},\"registered_proof\":0}");
    assert_is_c1("{\"a\\\"b\":1,\"seed\":[");
    assert_is_c1("\1\2\3");
    assert_refused("{\"vanilla_proofs\":[],\"registered_proof\":0}", "proofKind is not given");
    assert_refused("{\"x\":{\"SectorNum\":1}}", "unknown field 'x'");
    assert_refused("{\"x\":\"\\\"SectorNum\\\":\"}", "unknown field 'x'");
    assert_refused("{\"", "not valid JSON");
    assert_refused("{\"Sector", "not valid JSON");
    assert_refused("{\"x\\", "not valid JSON");
    assert_refused("{\"x\":\"\\", "not valid JSON");
    assert_refused("{]", "not valid JSON");
}

/* --- requests against their C1 --- */

/* The text of a golden case's file. */
static char *golden_file(const char *name, const char *file)
{
    char path[256];
    size_t n;

    (void)snprintf(path, sizeof path, "golden/cases/%s/%s", name, file);
    return (char *)cz_test_read(cz_vector_path(path), &n);
}

static cz_request *golden_request(const char *name)
{
    char *text = golden_file(name, "request.json");
    cz_request *r = parsed(text);

    free(text);
    return r;
}

static void assert_job_refused(cz_request *r, const char *message)
{
    cz_job *job;

    assert_fails(cz_job_create(&job, r, NULL), CZ_E_INPUT, message);
    cz_request_destroy(r);
}

static void test_contradictions(void **state)
{
    static const char *const name = "porep-2k-v1_1";
    cz_request *r;

    (void)state;
    r = golden_request(name);
    r->sector_size = 8 << 20;
    assert_job_refused(r, "sector_size: the request says 8388608, the C1 is StackedDrg2KiBV1_1");
    r = golden_request(name);
    r->registered_proof = 0;
    assert_job_refused(r, "registered_proof: the request says 0 (StackedDrg2KiBV1), the C1 says");
    r = golden_request(name);
    r->registered_proof = 6;
    assert_job_refused(r, "registered proof 6 (StackedDrg8MiBV1_1)");
    r = golden_request(name);
    r->registered_proof = 20;
    assert_job_refused(r, "registered proof 20 is unknown");
    r = golden_request(name);
    r->miner_id++;
    assert_job_refused(r, "replica_id: the C1 has ");
    r = golden_request(name);
    r->sector_number++;
    assert_job_refused(r, "sector_number: the request says 977478, the C1's envelope 977477");
    r = golden_request(name);
    r->has_comm_r_new = true;
    assert_job_refused(r, "comm_r_new: the request says 0000");
    r = golden_request(name);
    r->has_comm_d_new = true;
    assert_job_refused(r, "comm_d_new: the request says 0000");
    r = golden_request(name);
    r->n_vanilla_proofs = 0;
    r->vanilla_proof_len = 0;
    assert_job_refused(r, "vanilla_proof: the C1 output is empty");
    r = golden_request(name);
    r->kind = CZ_KIND_UNSPECIFIED;
    assert_job_refused(r, "proof_kind is not given");
}

static void test_posts_have_their_own_field(void **state)
{
    cz_request *r = parsed("{\"proofKind\":1,\"vanillaProofs\":[\"AQ==\"]}");

    (void)state;
    assert_job_refused(r, "vanilla_proofs: a PoRep has its C1 in vanilla_proof");
}

/* Sector 0 in the request may be a field that was left out: the envelope's number holds. */
static void test_sector_of_the_envelope(void **state)
{
    cz_request *r = golden_request("porep-2k-v1_1");
    cz_job *job;

    (void)state;
    r->sector_number = 0;
    assert_ok(cz_job_create(&job, r, NULL));
    cz_job_destroy(job);
    cz_request_destroy(r);
}

/* With a bare C1 inside, the request's own sector number makes the replica id. */
static void test_request_around_a_bare_c1(void **state)
{
    cz_request *r = golden_request("porep-2k-v1_1");
    char *c1 = golden_file("porep-2k-v1_1", "c1.json");
    cz_job *job;

    (void)state;
    free(r->vanilla_proof);
    r->vanilla_proof = (uint8_t *)c1;
    r->vanilla_proof_len = strlen(c1);
    assert_ok(cz_job_create(&job, r, NULL));
    cz_job_destroy(job);
    r->sector_number++;
    assert_job_refused(r, "replica_id: the C1 has ");
}

/* A replica id that fits nobody is noticed even in a bare C1: challenges and labels follow
 * from it. */
static void test_bare_c1_with_another_replica_id(void **state)
{
    char *c1 = golden_file("porep-2k-v1_1", "c1.json");
    char *id = strstr(c1, "\"replica_id\":[");
    cz_request *r;

    (void)state;
    assert_non_null(id);
    id += strlen("\"replica_id\":[");
    *id = *id == '1' ? '2' : '1';
    r = parsed(c1);
    assert_job_refused(r, "partition 0: challenge 0: comm_d_proofs: proves node 61, expected");
    free(c1);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_all_fields),
    cmocka_unit_test(test_other_spellings),
    cmocka_unit_test(test_absent_registered_proof),
    cmocka_unit_test(test_refused_requests),
    cmocka_unit_test(test_too_many_vanilla_proofs),
    cmocka_unit_test(test_sniffing),
    cmocka_unit_test(test_contradictions),
    cmocka_unit_test(test_posts_have_their_own_field),
    cmocka_unit_test(test_sector_of_the_envelope),
    cmocka_unit_test(test_request_around_a_bare_c1),
    cmocka_unit_test(test_bare_c1_with_another_replica_id),
};

CZ_TEST_MAIN(cases)
