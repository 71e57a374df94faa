/* The engine's small parts: batches, budget, ordered faults, requests as bytes. */
#include "toy_prover.h"

#include <sys/stat.h>
#include <unistd.h>

#include "engine/request_codec.h"
#include "engine/submit.h"

/* --- batcher --- */

static void batches_fill_and_overflow(void **state)
{
    cz_batcher b = {0};
    cz_flush_reason reason;
    const unsigned first = cz_batcher_add(&b, "porep-32g", 2, 100);

    (void)state;
    assert_int_equal(cz_batcher_take_due(&b, 2, 1000, 101, &reason), 0);
    assert_int_equal(cz_batcher_add(&b, "porep-32g", 2, 110), first);
    assert_int_not_equal(cz_batcher_add(&b, "snap-32g", 2, 120), first);
    assert_int_equal(cz_batcher_take_due(&b, 2, 1000, 121, &reason), first);
    assert_int_equal(reason, CZ_FLUSH_SIZE);
    assert_int_not_equal(cz_batcher_add(&b, "porep-32g", 2, 130), first);
    assert_int_equal(b.n, 2);
}

static void batches_are_due_by_their_first_job(void **state)
{
    cz_batcher b = {0};
    cz_flush_reason reason;
    const unsigned id = cz_batcher_add(&b, "a", 2, 100);

    (void)state;
    (void)cz_batcher_add(&b, "a", 2, 900);
    (void)cz_batcher_add(&b, "b", 2, 500);
    assert_true(cz_batcher_next_ns(&b, 1000) == 1100);
    assert_int_equal(cz_batcher_take_due(&b, 9, 1000, 1099, &reason), 0);
    assert_int_equal(cz_batcher_take_due(&b, 9, 1000, 1100, &reason), id);
    assert_int_equal(reason, CZ_FLUSH_TIME);
    assert_true(cz_batcher_next_ns(&b, 1000) == 1500);
    assert_int_not_equal(cz_batcher_take_below(&b, 3), 0);
    assert_true(cz_batcher_next_ns(&b, 1000) == UINT64_MAX);
}

static void urgency_flushes_what_is_less_urgent(void **state)
{
    cz_batcher b = {0};
    const unsigned low = cz_batcher_add(&b, "a", 1, 0);
    const unsigned normal = cz_batcher_add(&b, "b", 1, 0);

    (void)state;
    assert_int_equal(cz_batcher_add(&b, "b", 2, 0), normal);
    assert_int_equal(cz_batcher_take_below(&b, 2), low);
    assert_int_equal(cz_batcher_take_below(&b, 2), 0);
    assert_int_equal(cz_batcher_take_below(&b, 3), normal);
}

static void empty_batches_vanish(void **state)
{
    cz_batcher b = {0};
    const unsigned id = cz_batcher_add(&b, "a", 2, 0);

    (void)state;
    (void)cz_batcher_add(&b, "a", 2, 0);
    cz_batcher_remove(&b, id);
    assert_int_equal(b.n, 1);
    cz_batcher_remove(&b, id);
    assert_int_equal(b.n, 0);
    cz_batcher_remove(&b, id);
    for (unsigned i = 0; i < CZ_MAX_BATCHES; i++) {
        char name[8];

        (void)snprintf(name, sizeof name, "c%u", i);
        assert_int_not_equal(cz_batcher_add(&b, name, 2, 0), 0);
    }
    assert_int_equal(cz_batcher_add(&b, "one more", 2, 0), 0);
}

/* --- budget --- */

static void reservations_end_at_the_limit(void **state)
{
    cz_budget b = {.total = 100};

    (void)state;
    assert_true(cz_budget_reserve(&b, 60));
    assert_false(cz_budget_reserve(&b, 41));
    assert_true(cz_budget_reserve(&b, 40));
    assert_false(cz_budget_reserve(&b, UINT64_MAX));
    cz_budget_release(&b, 60);
    assert_true(cz_budget_free(&b) == 60);
    assert_true(b.peak == 100);
}

static void write_file(const char *root, const char *name, const char *text)
{
    char path[512];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        (void)mkdir(path, 0755);
        *p = '/';
    }
    f = fopen(path, "w");
    assert_non_null(f);
    (void)fputs(text, f);
    (void)fclose(f);
}

static const char *fresh_folder(char *template)
{
    assert_non_null(mkdtemp(template));
    return template;
}

static void remove_folder(const char *root)
{
    char command[256];

    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): our own folder */
}

static void without_a_group_limit_the_machine_counts(void **state)
{
    char name[] = "budget-XXXXXX";
    const char *root = fresh_folder(name);

    (void)state;
    assert_true(cz_memory_available(root) == 0);
    write_file(root, "proc/meminfo", "MemTotal: 900 kB\nMemAvailable:     800 kB\n");
    assert_true(cz_memory_available(root) == 800 * 1024);
    write_file(root, "proc/self/cgroup", "0::/a\n");
    write_file(root, "sys/fs/cgroup/a/memory.max", "max\n");
    write_file(root, "sys/fs/cgroup/a/memory.current", "500000\n");
    assert_true(cz_memory_available(root) == 800 * 1024);
    remove_folder(root);
}

static void the_tightest_group_counts(void **state)
{
    char name[] = "budget-XXXXXX";
    const char *root = fresh_folder(name);

    (void)state;
    write_file(root, "proc/meminfo", "MemAvailable: 8000000 kB\n");
    write_file(root, "proc/self/cgroup", "0::/parent/child\n");
    write_file(root, "sys/fs/cgroup/parent/child/memory.max", "max\n");
    write_file(root, "sys/fs/cgroup/parent/memory.max", "1000000\n");
    write_file(root, "sys/fs/cgroup/parent/memory.current", "400000\n");
    write_file(root, "sys/fs/cgroup/parent/memory.stat", "file 300000\ninactive_file 100000\n");
    assert_true(cz_memory_available(root) == 700000);
    write_file(root, "sys/fs/cgroup/parent/child/memory.max", "300000\n");
    write_file(root, "sys/fs/cgroup/parent/child/memory.current", "900000\n");
    assert_true(cz_memory_available(root) == 0); /* more in use than its limit */
    remove_folder(root);
}

static void version_one_groups_count_too(void **state)
{
    char name[] = "budget-XXXXXX";
    const char *root = fresh_folder(name);

    (void)state;
    write_file(root, "proc/meminfo", "MemAvailable: 8000000 kB\n");
    write_file(root, "proc/self/cgroup", "5:devices:/\n4:memory:/box\n0::/\n");
    write_file(root, "sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(cz_memory_available(root) == (uint64_t)8000000 * 1024);
    write_file(root, "sys/fs/cgroup/memory/box/memory.limit_in_bytes", "2000000\n");
    write_file(root, "sys/fs/cgroup/memory/box/memory.usage_in_bytes", "500000\n");
    write_file(root, "sys/fs/cgroup/memory/box/memory.stat", "total_inactive_file 200000\n");
    assert_true(cz_memory_available(root) == 1700000);
    remove_folder(root);
}

static void the_margin_is_at_most_a_quarter(void **state)
{
    const uint64_t gib = (uint64_t)1 << 30;

    (void)state;
    assert_true(cz_memory_auto_budget(256 * gib, 5 * gib) == 251 * gib);
    assert_true(cz_memory_auto_budget(8 * gib, 5 * gib) == 6 * gib);
}

/* --- faults --- */

static void faults_strike_where_they_are_ordered(void **state)
{
    cz_faults f;

    (void)state;
    assert_ok(cz_faults_parse(&f, "flip=porep:3:2,nomem=*:*:1,synthesis=5,prove=7"));
    assert_int_equal(f.synthesis_ms, 5);
    assert_int_equal(f.prove_ms, 7);
    assert_false(cz_fault_strikes(&f.flip, CZ_KIND_SNAP, 3));
    assert_false(cz_fault_strikes(&f.flip, CZ_KIND_POREP, 2));
    assert_true(cz_fault_strikes(&f.flip, CZ_KIND_POREP, 3));
    assert_true(cz_fault_strikes(&f.flip, CZ_KIND_POREP, 3));
    assert_false(cz_fault_strikes(&f.flip, CZ_KIND_POREP, 3));
    assert_true(cz_fault_strikes(&f.nomem, CZ_KIND_WINNING, 9));
    assert_ok(cz_faults_parse(&f, ""));
    assert_false(cz_fault_strikes(&f.flip, CZ_KIND_POREP, 3));
    assert_ok(cz_faults_parse(&f, "flip=*:*:1:b1"));
    assert_int_equal(cz_fault_sum(&f.flip), CZ_SUM_B1);
    assert_fails(cz_faults_parse(&f, "flip=porep:3"), CZ_E_INPUT, "faults");
    assert_fails(cz_faults_parse(&f, "flip=porep:3:1:b3"), CZ_E_INPUT, "faults");
    assert_fails(cz_faults_parse(&f, "nomem=porep:3:1:b1"), CZ_E_INPUT, "faults");
    assert_fails(cz_faults_parse(&f, "flip=nope:3:1"), CZ_E_INPUT, "faults");
    assert_fails(cz_faults_parse(&f, "boom=1"), CZ_E_INPUT, "faults");
}

static void each_sum_has_its_turn(void **state)
{
    unsigned seen = 0;
    cz_faults f;

    (void)state;
    assert_ok(cz_faults_parse(&f, "flip=*:*:5:*"));
    while (cz_fault_strikes(&f.flip, CZ_KIND_POREP, 0))
        seen |= 1U << cz_fault_sum(&f.flip);
    assert_int_equal(seen, 1U << CZ_SUM_H | 1U << CZ_SUM_L | 1U << CZ_SUM_A | 1U << CZ_SUM_B1 |
                               1U << CZ_SUM_B2);
}

/* --- requests as bytes --- */

static cz_request *full_request(void)
{
    cz_request *r = toy_request("id", CZ_KIND_SNAP, 'A', 3, 2);

    r->registered_proof = 3;
    r->has_registered_proof = true;
    r->miner_id = 1000;
    r->sector_number = 7;
    r->has_identity = true;
    r->partition_index = 4;
    (void)memset(r->randomness, 9, 32);
    (void)memset(r->comm_r_old, 1, 32);
    (void)memset(r->comm_r_new, 2, 32);
    (void)memset(r->comm_d_new, 3, 32);
    r->has_randomness = true;
    r->has_comm_r_old = r->has_comm_r_new = r->has_comm_d_new = true;
    r->vanilla_proofs = calloc(2, sizeof *r->vanilla_proofs);
    r->vanilla_proof_lens = calloc(2, sizeof *r->vanilla_proof_lens);
    assert_non_null(r->vanilla_proofs);
    assert_non_null(r->vanilla_proof_lens);
    r->vanilla_proofs[0] = calloc(1, 1);
    r->vanilla_proofs[1] = calloc(5, 1);
    r->vanilla_proof_lens[1] = 5;
    r->n_vanilla_proofs = 2;
    return r;
}

static uint8_t *encode(const cz_request *r, size_t *n)
{
    cz_file_writer file;
    uint8_t *bytes;
    char path[64]; /* cases run side by side in one folder */

    (void)snprintf(path, sizeof path, "codec-%ld.tmp", (long)getpid());
    assert_ok(cz_file_writer_open(&file, path));
    assert_ok(cz_request_write(r, &file));
    assert_ok(cz_file_writer_commit(&file));
    bytes = cz_test_read(path, n);
    (void)unlink(path);
    return bytes;
}

static void requests_survive_the_spool(void **state)
{
    cz_request *r = full_request(), *back;
    uint8_t a[32], b[32];
    size_t n;
    uint8_t *bytes = encode(r, &n);

    (void)state;
    assert_ok(cz_request_read(&back, bytes, n));
    assert_string_equal(back->request_id, "id");
    assert_int_equal(back->priority, 2);
    assert_int_equal(back->partition_index, 4);
    assert_true(back->has_identity && back->has_registered_proof);
    assert_true(back->has_comm_r_old && back->has_comm_r_new && back->has_comm_d_new);
    assert_int_equal(back->vanilla_proof_lens[1], 5);
    assert_memory_equal(back->comm_r_new, r->comm_r_new, 32);
    cz_request_content(a, r);
    cz_request_content(b, back);
    assert_memory_equal(a, b, 32);
    for (size_t cut = 0; cut < n; cut++) {
        cz_request *none;

        assert_int_equal(cz_request_read(&none, bytes, cut), CZ_E_INPUT);
    }
    free(bytes);
    cz_request_destroy(r);
    cz_request_destroy(back);
}

/* What a request costs is known without its proofs; what is cut off shows. */
static void the_shape_is_read_without_the_proofs(void **state)
{
    cz_request *r = full_request(), *back;
    size_t n;
    uint8_t *bytes = encode(r, &n);

    (void)state;
    assert_ok(cz_request_read_shape(&back, bytes, n));
    assert_string_equal(back->request_id, "id");
    assert_int_equal(back->kind, CZ_KIND_SNAP);
    assert_int_equal(back->registered_proof, 3);
    assert_true(back->has_identity && back->has_registered_proof);
    assert_true(back->has_comm_r_old && back->has_comm_r_new && back->has_comm_d_new);
    assert_int_equal(back->vanilla_proof_len, 2);
    assert_null(back->vanilla_proof);
    assert_int_equal(cz_request_bytes(back), cz_request_bytes(r));
    cz_request_destroy(back);
    for (size_t cut = 0; cut < n - 7 - 16; cut++)
        assert_int_equal(cz_request_read_shape(&back, bytes, cut), CZ_E_INPUT);
    free(bytes);
    cz_request_destroy(r);
}

/* Every field that matters changes the content; request_id and priority do not. */
static void content_is_what_is_asked_for(void **state)
{
    cz_request *r = full_request();
    uint8_t before[32], after[32];
    char id_a[CZ_JOB_ID_BYTES], id_b[CZ_JOB_ID_BYTES];

    (void)state;
    cz_request_content(before, r);
#define CHANGES(expr)                                                                              \
    do {                                                                                           \
        expr;                                                                                      \
        cz_request_content(after, r);                                                              \
        assert_memory_not_equal(before, after, 32);                                                \
        (void)memcpy(before, after, 32);                                                           \
    } while (0)
    CHANGES(r->kind = CZ_KIND_POREP);
    CHANGES(r->sector_size++);
    CHANGES(r->registered_proof++);
    CHANGES(r->has_registered_proof = false);
    CHANGES(r->miner_id++);
    CHANGES(r->sector_number++);
    CHANGES(r->partition_index++);
    CHANGES(r->randomness[31] ^= 1);
    CHANGES(r->has_randomness = false);
    CHANGES(r->comm_r_old[0] ^= 1);
    CHANGES(r->comm_r_new[0] ^= 1);
    CHANGES(r->comm_d_new[0] ^= 1);
    CHANGES(r->vanilla_proof[1] ^= 1);
    CHANGES(r->vanilla_proofs[1][4] ^= 1);
    CHANGES(r->vanilla_proof_lens[1]--);
#undef CHANGES
    r->priority = 4;
    r->request_id[0] = 'x';
    cz_request_content(after, r);
    assert_memory_equal(before, after, 32);
    cz_job_id(id_a, before, "id");
    cz_job_id(id_b, before, "xd");
    assert_string_not_equal(id_a, id_b);
    cz_request_destroy(r);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(batches_fill_and_overflow),
    cmocka_unit_test(batches_are_due_by_their_first_job),
    cmocka_unit_test(urgency_flushes_what_is_less_urgent),
    cmocka_unit_test(empty_batches_vanish),
    cmocka_unit_test(reservations_end_at_the_limit),
    cmocka_unit_test(without_a_group_limit_the_machine_counts),
    cmocka_unit_test(the_tightest_group_counts),
    cmocka_unit_test(version_one_groups_count_too),
    cmocka_unit_test(the_margin_is_at_most_a_quarter),
    cmocka_unit_test(faults_strike_where_they_are_ordered),
    cmocka_unit_test(each_sum_has_its_turn),
    cmocka_unit_test(requests_survive_the_spool),
    cmocka_unit_test(the_shape_is_read_without_the_proofs),
    cmocka_unit_test(content_is_what_is_asked_for),
};

CZ_TEST_MAIN(cases)
