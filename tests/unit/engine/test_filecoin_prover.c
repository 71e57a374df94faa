/* The engine on the network's smallest circuit, with real parameters: proofs that verify, requests
 * and parameter files that are wrong. */
#include "toy_prover.h"

#include <sys/stat.h>
#include <unistd.h>

#include "../filecoin/golden_request.h"
#include "../groth16/golden_params.h"
#include "base/bytes.h"
#include "cs/compile.h"
#include "engine/filecoin_prover.h"
#include "groth16/prove_memory.h"
#include "params/manifest.h"

typedef struct {
    cz_filecoin_prover *prover;
    cz_backend backend;
    cz_engine *e;
} bench;

static char params[512], vk[512];

/* The parameters of wpost-2k, made once. */
static void make_params(void)
{
    cz_pool *pool;

    assert_ok(cz_pool_create(&pool, 0));
    golden_params("wpost-2k-full", params, vk, pool);
    cz_pool_destroy(pool);
}

static void start(bench *b, const char *folder, const char *faults)
{
    const cz_filecoin_prover_options options = {.param_cache = folder, .circuit_cache = "circuits"};
    cz_engine_options o = cz_engine_defaults();

    assert_ok(cz_filecoin_prover_create(&b->prover, &options));
    b->backend = cz_cpu_backend(b->prover);
    o.prover = cz_filecoin_prover_table(b->prover);
    o.backends = &b->backend;
    o.n_backends = 1;
    assert_ok(cz_faults_parse(&o.faults, faults));
    assert_ok(cz_engine_create(&b->e, &o));
    assert_ok(cz_engine_start(b->e));
}

static void finish(bench *b)
{
    cz_engine_destroy(b->e);
    cz_filecoin_prover_destroy(b->prover);
}

/* Against the verifying key's own file, with inputs derived anew. */
static void assert_valid(const cz_result *result, const char *case_name)
{
    cz_request *r = golden_request(case_name);
    cz_verifier *verifier;
    cz_proof proof;
    cz_job *job;
    cz_vk key;

    assert_ok(cz_job_create(&job, r, NULL));
    assert_ok(cz_vk_read(&key, vk));
    assert_ok(cz_verifier_create(&verifier, &key));
    assert_int_equal(result->proof_len, cz_job_partitions(job) * CZ_PROOF_BYTES);
    for (size_t k = 0; k < cz_job_partitions(job); k++) {
        cz_fr *inputs;
        size_t n;

        assert_ok(cz_proof_read(&proof, result->proof + k * CZ_PROOF_BYTES));
        assert_ok(cz_job_public_inputs(job, k, &inputs, &n));
        assert_ok(cz_groth16_verify(verifier, &proof, inputs, n));
        free(inputs);
    }
    cz_verifier_destroy(verifier);
    cz_vk_clear(&key);
    cz_job_destroy(job);
    cz_request_destroy(r);
}

static void window_proofs_come_back_verified(void **state)
{
    static const char *const names[] = {"wpost-2k-full", "wpost-2k-short", "wpost-2k-two"};
    cz_submit_reply reply[3];
    cz_engine_status *s;
    bench b;

    (void)state;
    make_params();
    start(&b, "golden-params", "flip=wpost:0:1");
    for (unsigned i = 0; i < 3; i++)
        (void)toy_submit(b.e, golden_request(names[i]), &reply[i]);
    for (unsigned i = 0; i < 3; i++) {
        cz_result r;

        assert_ok(cz_engine_await(b.e, reply[i].job_id, 120000, &r));
        assert_int_equal(r.status, CZ_JOB_COMPLETED);
        assert_valid(&r, names[i]);
        cz_result_clear(&r);
    }
    assert_ok(cz_engine_status_create(&s, b.e));
    assert_int_equal(s->counters.self_check_failures[CZ_KIND_WINDOW], 1);
    assert_int_equal(s->counters.ended[CZ_KIND_WINDOW][CZ_JOB_COMPLETED], 3);
    assert_true(s->counters.phase_ms[CZ_PHASE_WITNESS] > 0);
    assert_string_equal(s->keys[0].circuit_id, "wpost-2k");
    assert_int_equal(s->keys[0].tier, CZ_TIER_HOT);
    cz_engine_status_destroy(s);
    finish(&b);
}

/* What a proof of wpost-2k takes at most, counted from its compiled circuit. */
static size_t peak_of_a_proof(void)
{
    cz_prove_memory memory;
    cz_circuit *blank;
    cz_compiled *c;

    assert_ok(cz_circuit_create_blank(&blank, "wpost-2k"));
    assert_ok(cz_circuit_compile(&c, blank, NULL));
    cz_prove_memory_count(&memory, c, NULL);
    cz_compiled_destroy(c);
    cz_circuit_destroy(blank);
    return memory.peak;
}

static void the_cost_is_that_of_the_file(void **state)
{
    cz_keys_cost cost;
    cz_params open;

    (void)state;
    make_params();
    assert_ok(cz_params_cost(&cost, params, false, NULL));
    assert_ok(cz_params_open(&open, params));
    assert_int_equal(cost.file_bytes, open.map_bytes);
    assert_true(cost.hot_bytes > 1 << 20);
    assert_true(cost.part_bytes >= ((uint64_t)open.h.n + 1) * 64 + (uint64_t)open.l.n * 32);
    assert_true(cost.part_bytes >= peak_of_a_proof());
    cz_params_close(&open);
    assert_fails(cz_params_cost(&cost, "/nowhere/x.params", false, NULL), CZ_E_NOTFOUND,
                 "/nowhere/x.params");
    assert_fails(cz_params_cost(&cost, "golden-params", false, NULL), CZ_E_INPUT, "golden-params");
}

/* Open keys and their file have the digest of the whole verifying key. */
static void the_tag_is_that_of_the_verifying_key(void **state)
{
    uint8_t of_file[CZ_KEY_TAG_BYTES], of_keys[CZ_KEY_TAG_BYTES], wanted[CZ_KEY_TAG_BYTES];
    const char *cut = "cut.params";
    cz_keys_cost cost;
    cz_keys *keys;
    cz_prover p;
    uint8_t *bytes;
    size_t n;
    bench b;

    (void)state;
    make_params();
    bytes = cz_test_read(vk, &n);
    cz_sha256_of(wanted, bytes, n);
    start(&b, "golden-params", "");
    p = cz_filecoin_prover_table(b.prover);
    assert_ok(p.ops->params_tag(p.ctx, "wpost-2k", of_file));
    assert_memory_equal(of_file, wanted, sizeof wanted);
    assert_ok(p.ops->keys_open(p.ctx, "wpost-2k", &keys, &cost));
    p.ops->keys_tag(keys, of_keys);
    assert_memory_equal(of_keys, wanted, sizeof wanted);
    p.ops->keys_close(p.ctx, keys);
    finish(&b);
    bytes[n - 1] ^= 1; /* the last input's point */
    assert_ok(cz_file_write_all(cut, bytes, n));
    assert_ok(cz_params_tag(of_file, cut));
    assert_memory_not_equal(of_file, wanted, sizeof wanted);
    assert_ok(cz_file_write_all(cut, bytes, n - 1));
    assert_fails(cz_params_tag(of_file, cut), CZ_E_INPUT, "cut.params: too short");
    assert_ok(cz_file_write_all(cut, bytes, 100));
    assert_fails(cz_params_tag(of_file, cut), CZ_E_INPUT, "cut.params: too short");
    (void)unlink(cut);
    assert_fails(cz_params_tag(of_file, cut), CZ_E_NOTFOUND, "cut.params");
    free(bytes);
}

static void missing_parameters_are_said_at_submit(void **state)
{
    const cz_submit_options so = {0};
    cz_submit_reply reply;
    bench b;

    (void)state;
    start(&b, "no-such-folder", "");
    assert_fails(cz_engine_submit(b.e, golden_request("wpost-2k-full"), &so, &reply), CZ_E_NOTFOUND,
                 "parameters of wpost-2k: no-such-folder/v28-");
    finish(&b);
}

/* Everything that a request says outside its vanilla proofs is looked at before it is a job. */
static void what_is_not_given_is_said_at_submit(void **state)
{
    static const struct {
        const char *case_name, *field;
    } cases[] = {
        {"wpost-2k-full", "randomness"}, {"winning-2k", "randomness"}, {"snap-2k", "comm_r_old"},
        {"snap-2k", "comm_r_new"},       {"snap-2k", "comm_d_new"},
    };
    const cz_submit_options so = {0};
    cz_submit_reply reply;
    bench b;

    (void)state;
    start(&b, "no-such-folder", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cz_request *r = golden_request(cases[i].case_name);
        char why[64];

        r->has_randomness = r->has_randomness && strcmp(cases[i].field, "randomness") != 0;
        r->has_comm_r_old = r->has_comm_r_old && strcmp(cases[i].field, "comm_r_old") != 0;
        r->has_comm_r_new = r->has_comm_r_new && strcmp(cases[i].field, "comm_r_new") != 0;
        r->has_comm_d_new = r->has_comm_d_new && strcmp(cases[i].field, "comm_d_new") != 0;
        (void)snprintf(why, sizeof why, "%s is not given", cases[i].field);
        assert_fails(cz_engine_submit(b.e, r, &so, &reply), CZ_E_INPUT, why);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) /* complete ones get further */
        assert_fails(cz_engine_submit(b.e, golden_request(cases[i].case_name), &so, &reply),
                     CZ_E_NOTFOUND, "no-such-folder");
    finish(&b);
}

static void refused_at_submit(const bench *b, const char *why)
{
    const cz_submit_options so = {0};
    cz_submit_reply reply;

    assert_fails(cz_engine_submit(b->e, golden_request("wpost-2k-full"), &so, &reply),
                 CZ_E_NOTFOUND, why);
}

/* A download that stored an error page, one that never began, one that stopped. No request is wrong
 * because of them. */
static void damaged_parameters_are_said_at_submit(void **state)
{
    static const char page[] = "<html><body>504 Gateway Time-out</body></html>";
    char path[512], name[CZ_CACHE_NAME_MAX];
    bench b;

    (void)state;
    (void)mkdir("foreign-params", 0700);
    assert_ok(cz_circuit_cache_name(name, sizeof name, "wpost-2k"));
    (void)snprintf(path, sizeof path, "foreign-params/%s.params", name);
    start(&b, "foreign-params", "");
    assert_ok(cz_file_write_all(path, page, sizeof page - 1));
    refused_at_submit(&b, "not a parameter file but text, 46 bytes beginning with '<html>");
    assert_ok(cz_file_write_all(path, page, 0));
    refused_at_submit(&b, "empty, not a parameter file");
    assert_ok(cz_file_write_all(path, "\x17", 1));
    refused_at_submit(&b, "too short for a parameter file: 1 bytes");
    finish(&b);
    (void)unlink(path);
    (void)rmdir("foreign-params");
}

/* The entry of wpost-2k's file in a list of files. */
static void write_list(const char *path, const uint8_t digest[CZ_PARAM_DIGEST_BYTES])
{
    char hex[2 * CZ_PARAM_DIGEST_BYTES + 1], list[512];

    cz_hex_encode(hex, digest, CZ_PARAM_DIGEST_BYTES);
    (void)snprintf(list, sizeof list, "{\"%s\": {\"digest\": \"%s\", \"sector_size\": 2048}}",
                   strrchr(params, '/') + 1, hex);
    assert_ok(cz_file_write_all(path, list, strlen(list)));
}

static cz_err open_keys_with_list(cz_keys_cost *cost)
{
    const cz_filecoin_prover_options options = {
        .param_cache = "golden-params", .circuit_cache = "", .manifest = "list-of-files.json"};
    cz_filecoin_prover *p;
    cz_prover prover;
    cz_keys *keys;
    cz_err err;

    assert_ok(cz_filecoin_prover_create(&p, &options));
    prover = cz_filecoin_prover_table(p);
    err = prover.ops->keys_open(prover.ctx, "wpost-2k", &keys, cost);
    if (err == CZ_OK)
        prover.ops->keys_close(prover.ctx, keys);
    cz_filecoin_prover_destroy(p);
    return err;
}

static void files_are_checked_against_the_list(void **state)
{
    uint8_t digest[CZ_PARAM_DIGEST_BYTES];
    cz_keys_cost cost, of_file;

    (void)state;
    make_params();
    assert_ok(cz_params_digest(digest, params, NULL, NULL));
    write_list("list-of-files.json", digest);
    assert_ok(open_keys_with_list(&cost));
    assert_ok(cz_params_cost(&of_file, params, false, NULL));
    assert_int_equal(cost.file_bytes, of_file.file_bytes);
    assert_int_equal(cost.hot_bytes, of_file.hot_bytes);
    digest[3] ^= 1;
    write_list("list-of-files.json", digest);
    assert_fails(open_keys_with_list(&cost), CZ_E_INPUT, "damaged, or another file");
    (void)unlink("list-of-files.json");
}

/* Where the proof type is left to the C1, the size still tells the circuit. */
static void the_size_tells_the_circuit(void **state)
{
    const cz_submit_options so = {0};
    cz_submit_reply reply;
    cz_request *r;
    bench b;

    (void)state;
    start(&b, "no-such-folder", "");
    r = golden_request("porep-2k-v1_1");
    r->has_registered_proof = false;
    assert_fails(cz_engine_submit(b.e, r, &so, &reply), CZ_E_NOTFOUND, "parameters of porep-2k: ");
    assert_non_null(strstr(cz_err_message(), "srs.param_cache"));
    r = golden_request("porep-2k-v1_1");
    r->has_registered_proof = false;
    r->sector_size = 5000;
    assert_fails(cz_engine_submit(b.e, r, &so, &reply), CZ_E_INPUT, "sectors of 5000 bytes");
    finish(&b);
}

/* What is known of a request before it is decoded: its length, and where it is at hand the form. */
static void memory_to_open_goes_by_the_form(void **state)
{
    enum { BYTES = 50000000, FIXED = 9 << 20 };
    static const struct {
        const char *begins; /* NULL: the journal has it */
        uint64_t times;
    } forms[] = {{"{\"SectorNum\":", 10}, {" {\"comm_d\":[", 10}, {"\x08", 3}, {NULL, 10}};
    bench b;

    (void)state;
    start(&b, "no-such-folder", "");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        cz_request r = {.kind = CZ_KIND_POREP, .vanilla_proof_len = BYTES};
        const cz_prover p = cz_filecoin_prover_table(b.prover);
        cz_admission a;

        if (forms[i].begins != NULL) {
            r.vanilla_proof = calloc(1, BYTES);
            assert_non_null(r.vanilla_proof);
            (void)memcpy(r.vanilla_proof, forms[i].begins, strlen(forms[i].begins));
        }
        assert_ok(p.ops->admit(p.ctx, &r, &a));
        assert_true(a.open_bytes == forms[i].times * BYTES + FIXED);
        assert_true(a.work_bytes <= a.open_bytes);
        free(r.vanilla_proof);
    }
    finish(&b);
}

static void wrong_requests_are_refused_or_fail(void **state)
{
    const cz_submit_options so = {0};
    cz_request *r;
    cz_submit_reply reply;
    bench b;

    (void)state;
    make_params();
    start(&b, "golden-params", "");
    r = golden_request("wpost-2k-full");
    r->registered_proof = 99;
    assert_fails(cz_engine_submit(b.e, r, &so, &reply), CZ_E_INPUT, "99 is unknown");
    r = golden_request("wpost-2k-full");
    r->kind = CZ_KIND_UNSPECIFIED;
    assert_fails(cz_engine_submit(b.e, r, &so, &reply), CZ_E_INPUT, "invalid proof_kind: 0");
    r = golden_request("wpost-2k-full");
    r->vanilla_proofs[0][r->vanilla_proof_lens[0] / 2] ^= 1;
    (void)toy_submit(b.e, r, &reply);
    toy_expect_end(b.e, reply.job_id, CZ_JOB_FAILED, "vanilla_proofs");
    finish(&b);
}

static void copy_start(const char *from, const char *to, size_t most)
{
    size_t n;
    uint8_t *bytes = cz_test_read(from, &n);

    assert_ok(cz_file_write_all(to, bytes, n < most ? n : most));
    free(bytes);
}

/* Cut, foreign and empty parameter files: the job says which file, the engine serves on. */
static void damaged_parameter_files_are_named(void **state)
{
    static const size_t lengths[] = {0, 322, 100000};
    const cz_submit_options so = {0};
    char path[600];

    (void)state;
    make_params();
    (void)mkdir("bad-params", 0755);
    (void)snprintf(path, sizeof path, "bad-params/%s", strrchr(params, '/') + 1);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        cz_submit_reply reply;
        cz_result r;
        cz_err err;
        bench b;

        copy_start(params, path, lengths[i]);
        start(&b, "bad-params", "");
        err = cz_engine_submit(b.e, golden_request("wpost-2k-full"), &so, &reply);
        if (err == CZ_OK) {
            assert_ok(cz_engine_await(b.e, reply.job_id, 60000, &r));
            assert_int_equal(r.status, CZ_JOB_FAILED);
            assert_non_null(strstr(r.error, path));
            cz_result_clear(&r);
        } else {
            assert_int_equal(err, CZ_E_NOTFOUND);
            assert_non_null(strstr(cz_err_message(), path));
        }
        copy_start(params, path, SIZE_MAX); /* repaired: no restart needed */
        (void)toy_submit(b.e, golden_request("wpost-2k-full"), &reply);
        assert_ok(cz_engine_await(b.e, reply.job_id, 60000, &r));
        assert_int_equal(r.status, CZ_JOB_COMPLETED);
        cz_result_clear(&r);
        finish(&b);
    }
    (void)unlink(path);
    (void)rmdir("bad-params");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(window_proofs_come_back_verified),
    cmocka_unit_test(the_tag_is_that_of_the_verifying_key),
    cmocka_unit_test(the_cost_is_that_of_the_file),
    cmocka_unit_test(files_are_checked_against_the_list),
    cmocka_unit_test(missing_parameters_are_said_at_submit),
    cmocka_unit_test(what_is_not_given_is_said_at_submit),
    cmocka_unit_test(damaged_parameters_are_said_at_submit),
    cmocka_unit_test(the_size_tells_the_circuit),
    cmocka_unit_test(memory_to_open_goes_by_the_form),
    cmocka_unit_test(wrong_requests_are_refused_or_fail),
    cmocka_unit_test(damaged_parameter_files_are_named),
};

CZ_TEST_MAIN(cases)
