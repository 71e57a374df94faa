/* The command line as scripts see it: exit statuses, JSON, messages. Runs the built cuzk-bench. */
#define _GNU_SOURCE
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/json.h"

enum { OUTPUT_BYTES = 1 << 20 };

static char out[OUTPUT_BYTES]; /* what the last command wrote to standard output */
static char folder[32];        /* fresh for each case */

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "cz-test-cli-XXXXXX");
    return mkdtemp(folder) == NULL;
}

/* Run cuzk-bench with these arguments; standard error goes with `redirect` ("2>&1", "2>/dev/null").
 * Gives the exit status. */
static int bench(const char *redirect, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int bench(const char *redirect, const char *fmt, ...)
{
    char command[8192];
    va_list args;
    FILE *pipe;
    size_t n;
    int status;

    n = (size_t)snprintf(command, sizeof command, "%s ", CUZK_BENCH);
    va_start(args, fmt);
    n += (size_t)vsnprintf(command + n, sizeof command - n, fmt, args);
    va_end(args);
    (void)snprintf(command + n, sizeof command - n, " %s", redirect);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    n = fread(out, 1, sizeof out - 1, pipe);
    out[n] = '\0';
    status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int remove_folder(void **state)
{
    char command[64];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#define assert_prints(text)                                                                        \
    do {                                                                                           \
        if (strstr(out, (text)) == NULL)                                                           \
            fail_msg("'%s' is not in the output: %s", (text), out);                                \
    } while (0)

/* --- reading the JSON that was printed, or a golden file ------------------------------------ */

static cz_json_doc *docs[8];
static size_t n_docs;

static int drop_documents(void **state)
{
    while (n_docs > 0)
        cz_json_destroy(docs[--n_docs]);
    return remove_folder(state);
}

static cz_json parse(const char *text)
{
    cz_json root;

    assert_true(n_docs < sizeof docs / sizeof *docs);
    assert_ok(cz_json_parse(&docs[n_docs], &root, text, strlen(text)));
    n_docs++;
    return root;
}

static cz_json golden(const char *path)
{
    size_t n;
    uint8_t *bytes = cz_test_read(cz_vector_path(path), &n);
    cz_json root = parse((const char *)bytes);

    free(bytes);
    return root;
}

static cz_json member(cz_json v, const char *key)
{
    cz_json found;

    assert_ok(cz_json_get(v, key, &found));
    return found;
}

static cz_json element(cz_json v, size_t k)
{
    cz_json_iter it;
    cz_json found;

    assert_ok(cz_json_iterate(v, &it));
    do
        assert_true(cz_json_next(&it, &found, NULL));
    while (k-- > 0);
    return found;
}

static const char *text_of(cz_json v, const char *key)
{
    const char *text;
    size_t n;

    assert_ok(cz_json_string(member(v, key), &text, &n));
    return text;
}

static void assert_same_number(cz_json a, cz_json b, const char *key)
{
    double x, y;

    assert_ok(cz_json_double(member(a, key), &x));
    assert_ok(cz_json_double(member(b, key), &y));
    if (x != y)
        fail_msg("%s: %.17g and %.17g", key, x, y);
}

/* --- the surface ---------------------------------------------------------------------------- */

static const char *const commands[] = {
    "circuit list", "circuit digest", "circuit stat", "params setup", "params check", "prove",
    "verify",       "witness",        "gen-vanilla",  "time",         "single",       "batch",
    "stress",       "status",         "metrics",      "preload",      "evict",        "cancel",
    "ab",           "ab-session",     "mem",          "params fold"};

/* A terminal has a hundred columns at most; "…" and the like are three bytes of one. */
static void assert_fits_a_terminal(const char *text)
{
    for (const char *line = text; *line != '\0'; line += line[0] == '\n') {
        const size_t n = strcspn(line, "\n");

        if (n > 106)
            fail_msg("too wide: %.*s", (int)n, line);
        line += n;
    }
}

static void test_every_command_explains_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        assert_int_equal(bench("2>/dev/null", "%s --help", commands[i]), 0);
        assert_prints("usage: cuzk-bench ");
        assert_prints(commands[i]);
        assert_prints("--json");
        assert_prints("example:");
        assert_fits_a_terminal(out);
        assert_int_equal(bench("2>/dev/null", "--help"), 0);
        assert_fits_a_terminal(out);
        assert_prints(commands[i]);
    }
}

static void test_wrong_command_lines_exit_with_2_and_say_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        assert_int_equal(bench("2>&1", "%s --frobnicate", commands[i]), 2);
        assert_prints("unknown option '--frobnicate'");
    }
    assert_int_equal(bench("2>&1", "%s", ""), 2);
    assert_prints("usage:");
    assert_int_equal(bench("2>&1", "circuit bake"), 2);
    assert_prints(
        "unknown command 'circuit bake'; commands: circuit list, circuit digest, circuit stat\n");
    assert_int_equal(bench("2>&1", "circuit digest"), 2);
    assert_prints("something is missing");
    assert_int_equal(bench("2>&1", "circuit digest a b"), 2);
    assert_prints("'b' is one argument too many");
    assert_int_equal(bench("2>&1", "circuit digest porep-2k --threads two"), 2);
    assert_prints("--threads takes a whole number, not 'two'");
    assert_int_equal(bench("2>&1", "prove x.json"), 2);
    assert_prints("--out PROOF is missing");
    assert_int_equal(bench("2>&1", "prove x.json --out"), 2);
    assert_prints("--out needs a value");
    assert_int_equal(bench("2>&1", "verify --proof p"), 2);
    assert_prints("either a request, or both --vk and --inputs");
}

static void test_malformed_and_unknown_words_exit_with_2(void **state)
{
    static const char *const lines[] = {
        "circuit stat porep-3k",
        "circuit digest porep-3k",
        "params fold --circuit porep-3k",
        "params check --circuit porep-3k --dir .",
        "time porep-3k:witness",
        "status --addr nonsense",
        "gen-vanilla wpost --sector-size 3KiB --out x",
        "gen-vanilla abacus --sector-size 2KiB --out x",
        "single --type wpost --vanilla /dev/null --sector-size 2G",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (bench("2>&1", "%s", lines[i]) != 2)
            fail_msg("%s: exit status not 2: %s", lines[i], out);
    assert_int_equal(access("x", F_OK), -1);
}

static void test_failures_exit_with_1_and_are_json_too(void **state)
{
    cz_json j;

    (void)state;
    assert_int_equal(bench("2>/dev/null", "circuit stat porep-3k --json"), 2);
    j = parse(out);
    assert_non_null(strstr(text_of(j, "error"), "porep-3k"));
    assert_int_equal(bench("2>/dev/null", "witness %s/none.json --json", folder), 1);
    assert_non_null(strstr(text_of(parse(out), "error"), "none.json: cannot open"));
}

static void test_a_closed_output_is_a_failure(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(bench(">/dev/full 2>/dev/null", "circuit list"), 1);
}

/* --- circuits and witnesses ----------------------------------------------------------------- */

static void test_circuits_have_the_golden_counts(void **state)
{
    static const char *const keys[] = {"inputs", "aux",        "constraints",  "nnz_a",     "nnz_b",
                                       "nnz_c",  "dens_a_aux", "dens_b_input", "dens_b_aux"};
    cz_json reference = element(member(golden("golden/circuit-digests.json"), "circuits"), 0);
    cz_json ours;

    (void)state;
    assert_int_equal(bench("2>/dev/null", "circuit list --json"), 0);
    (void)member(parse(out), "circuits");
    assert_int_equal(bench("2>/dev/null", "circuit digest porep-2k --json"), 0);
    ours = parse(out);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_same_number(reference, ours, keys[i]);
    assert_string_equal(text_of(ours, "sha256"), text_of(reference, "sha256"));
    assert_string_equal(text_of(ours, "id"), text_of(reference, "id"));
}

static void test_witness_has_the_golden_digest(void **state)
{
    static const char *const keys[] = {"inputs",   "aux",     "constraints",
                                       "aux_zero", "aux_one", "aux_other"};
    cz_json meta = golden("golden/cases/porep-2k-v1/meta.json");
    cz_json reference = element(member(meta, "partitions"), 0);
    cz_json ours;

    (void)state;
    assert_int_equal(bench("2>/dev/null", "witness %s --partition 0 --json",
                           cz_vector_path("golden/cases/porep-2k-v1/c1.json")),
                     0);
    ours = parse(out);
    assert_string_equal(text_of(ours, "circuit_id"), "porep-2k");
    ours = element(member(ours, "partitions"), 0);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_same_number(reference, ours, keys[i]);
    assert_string_equal(text_of(ours, "witness_sha256"), text_of(reference, "witness_sha256"));
    assert_int_equal(cz_json_typeof(member(ours, "first_failing_constraint")), CZ_JSON_NULL);
    assert_int_equal(bench("2>&1", "witness %s --partition 1",
                           cz_vector_path("golden/cases/porep-2k-v1/c1.json")),
                     1);
    assert_prints("partition 1 asked for, there are 1");
}

/* --- parameters and proofs ------------------------------------------------------------------ */

/* Also where there is a device. */
static void hide_cuda(void)
{
    assert_int_equal(setenv("CUZK_CUDA_LIB", "/nowhere/libcuzk-cuda.so", 1), 0);
}

static void show_cuda(void)
{
    assert_int_equal(unsetenv("CUZK_CUDA_LIB"), 0);
}

static void test_setup_says_what_it_cannot_do(void **state)
{
    const char *toxic = cz_vector_path("golden/toxic/winning-2k.json");

    (void)state;
    hide_cuda();
    assert_int_equal(bench("2>&1",
                           "params setup --circuit winning-2k --toxic %s --dir %s/none "
                           "--backend cuda",
                           toxic, folder),
                     1);
    assert_prints("no CUDA");
    show_cuda();
    assert_int_equal(bench("2>&1",
                           "params setup --circuit winning-2k --toxic %s --dir %s/none "
                           "--backend tpu",
                           toxic, folder),
                     2);
    assert_prints("none of auto, cpu, cuda");
}

static void test_prove_says_what_it_cannot_do(void **state)
{
    const char *c1 = cz_vector_path("golden/cases/porep-2k-v1/c1.json");

    (void)state;
    hide_cuda();
    assert_int_equal(bench("2>&1", "prove %s --out %s/p --backend cuda", c1, folder), 1);
    assert_prints("no CUDA");
    show_cuda();
    assert_int_equal(bench("2>&1", "prove %s --out %s/p --backend tpu", c1, folder), 2);
    assert_prints("none of auto, cpu, cuda");
    assert_int_equal(bench("2>&1", "prove %s --out %s/p --path quick", c1, folder), 2);
    assert_prints("none of fast, classic");
    assert_int_equal(bench("2>&1", "prove %s --out %s/p --folded always", c1, folder), 2);
    assert_prints("none of auto, off, require");
    assert_int_equal(bench("2>&1", "prove %s --out %s/p --r 00", c1, folder), 2);
    assert_prints("64 hex digits expected");
    assert_int_equal(bench("2>&1", "prove %s --out %s/p --r 00,00", c1, folder), 1);
    assert_prints("--r is given 2 times; the proof has 1 partitions");
    assert_int_equal(bench("2>&1", "prove %s --out %s/none/p", c1, folder),
                     1); /* before the work */
    assert_prints("none/p: cannot be written: ");
    assert_int_equal(bench("2>&1", "prove %s --out %s", c1, folder), 1);
    assert_prints(": no regular file; name another one");
    assert_int_equal(bench("2>&1", "prove %s --out %s/p --trace %s/none/t", c1, folder, folder), 1);
    assert_prints("none/t: cannot be written: ");
    assert_int_equal(bench("2>&1", "prove %s --out %s/p --params %s", c1, folder, folder), 1);
    assert_prints("params setup --circuit porep-2k");
    assert_int_not_equal(access("p", F_OK), 0);
}

static void write_text(const char *name, const char *text)
{
    char path[1024];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(cz_file_write_all(path, text, strlen(text)));
}

static void test_params_check_tells_the_states_apart(void **state)
{
    char name[512];
    cz_json j;

    (void)state;
    assert_int_equal(bench("2>&1", "params check --dir %s", folder), 1);
    assert_prints("absent");
    assert_prints(": 0 present, 44 absent, 0 not as they should be");
    assert_int_equal(bench("2>&1", "params check --dir %s/none", folder), 1);
    assert_prints("/none: No such file or directory");
    assert_int_equal(bench("2>&1", "params check --dir %s --circuit porep-2k", folder), 1);
    assert_prints(".params: cannot open: No such file or directory");
    assert_int_equal(bench("2>&1", "circuit stat porep-2k --json"), 0);
    (void)snprintf(name, sizeof name, "%s.params", text_of(parse(out), "parameters"));
    write_text(name, "<html>404</html>");
    assert_int_equal(bench("2>&1", "params check --dir %s --circuit porep-2k --json", folder), 1);
    j = element(member(parse(out), "parameters"), 0);
    assert_string_equal(text_of(j, "circuit"), "porep-2k");
    assert_string_equal(text_of(j, "state"), "damaged");
    assert_non_null(strstr(text_of(j, "why"), name));
}

/* --- folded files --- */

static void make_folded(char name[512])
{
    cz_json j;

    assert_int_equal(bench("2>/dev/null",
                           "params setup --circuit wpost-2k --toxic %s --dir %s --folded "
                           "--backend cpu --json",
                           cz_vector_path("golden/toxic/wpost-2k.json"), folder),
                     0);
    j = parse(out);
    (void)member(member(j, "steps_ms"), "folded l");
    (void)snprintf(name, 512, "%s/%s", folder, text_of(j, "folded_file"));
    assert_non_null(strstr(name, ".folded"));
}

static void assert_check_says(int status, const char *state, bool is_folded)
{
    cz_json j;
    bool said;

    assert_int_equal(bench("2>/dev/null",
                           "params check --circuit wpost-2k --folded --dir %s --circuits %s "
                           "--backend cpu --json",
                           folder, folder),
                     status);
    j = element(member(parse(out), "parameters"), 0);
    assert_string_equal(text_of(j, "state"), state);
    assert_ok(cz_json_bool(member(j, "folded"), &said));
    assert_int_equal(said, is_folded);
}

static const char *other_end(const char *path, const char *suffix)
{
    static char other[600];

    (void)snprintf(other, sizeof other, "%.*s%s", (int)(strrchr(path, '.') - path), path, suffix);
    return other;
}

/* A good file beside which something is missing is not called damaged. */
static void test_params_check_says_what_is_missing(void **state)
{
    char name[512];

    (void)state;
    make_folded(name);
    assert_check_says(0, "present", true);
    write_text("manifest.json", "{}");
    assert_int_equal(bench("2>&1",
                           "params check --circuit wpost-2k --dir %s --manifest %s/manifest.json",
                           folder, folder),
                     1);
    assert_prints("not in the manifest");
    assert_int_equal(unlink(other_end(name, ".vk")), 0);
    assert_check_says(1, "without its key", false);
    assert_prints(".vk: cannot open");
}

/* Of the first point of a folded file's h, with one word of bitmap. */
enum { FOLDED_H_AT = 88 + 8 + 32 + 4 };

/* Two of h's points change places: all is well but for the random sums. */
static void swap_points(const char *path)
{
    const size_t h_at = FOLDED_H_AT, point = 96;
    uint8_t *file, other[96];
    size_t n;

    file = cz_test_read(path, &n);
    memcpy(other, file + h_at, point);
    memcpy(file + h_at, file + h_at + 7 * point, point);
    memcpy(file + h_at + 7 * point, other, point);
    assert_ok(cz_file_write_all(path, file, n));
    free(file);
}

/* h[7] becomes (0, 2), which is on the curve and of order 3: the random sums may overlook it. */
static void put_stray_point(const char *path)
{
    const size_t at = FOLDED_H_AT + (size_t)7 * 96;
    uint8_t *file;
    size_t n;

    file = cz_test_read(path, &n);
    memset(file + at, 0, 96);
    file[at + 95] = 2;
    assert_ok(cz_file_write_all(path, file, n));
    free(file);
}

/* One that cannot be opened, for no fault of its bytes. */
static void link_to_itself(const char *path)
{
    assert_int_equal(symlink(strrchr(path, '/') + 1, path), 0);
}

static void test_folded_files_are_made_and_examined(void **state)
{
    char name[512];

    (void)state;
    make_folded(name);
    assert_check_says(0, "present", true);
    swap_points(name);
    assert_check_says(1, "wrong folded file", true);
    put_stray_point(name);
    assert_int_equal(bench("2>&1", "params check --circuit wpost-2k --points --dir %s", folder), 1);
    assert_prints("wrong folded file");
    assert_prints(".folded: h[7]: not in the subgroup");
    assert_int_equal(truncate(name, 1000), 0);
    assert_check_says(1, "wrong folded file", true);
    assert_int_equal(bench("2>&1", "params check --circuit wpost-2k --dir %s", folder), 1);
    assert_prints("too short: section h has 32768 points");

    assert_int_equal(bench("2>&1", "params fold --circuit wpost-2k --dir %s", folder), 1);
    assert_prints("is there already; --force makes it anew");
    assert_int_equal(
        bench("2>&1", "params fold --circuit wpost-2k --dir %s --out %s/none/x", folder, folder),
        1);
    assert_prints("there is no such folder");
    assert_int_equal(unlink(name), 0);
    link_to_itself(name);
    assert_check_says(1, "folded file not checked", true);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(bench("2>&1", "params check --dir %s --folded --backend cpu", folder), 0);
    assert_int_equal(
        bench("2>&1", "params check --circuit wpost-2k --dir %s --folded --backend cpu", folder),
        1);
    assert_prints(".folded: ");
    assert_int_equal(bench("2>&1", "params check --circuit wpost-2k --dir %s", folder), 0);
    hide_cuda();
    assert_int_equal(
        bench("2>&1", "params fold --circuit wpost-2k --dir %s --backend cuda", folder), 1);
    assert_prints("no CUDA");
    show_cuda();
    assert_int_equal(bench("2>&1", "params fold --circuit wpost-2k --dir %s --backend tpu", folder),
                     2);
    assert_prints("none of auto, cpu, cuda");
    assert_int_equal(bench("2>&1", "params fold --circuit porep-2k --dir %s", folder), 1);
    assert_prints("The parameters of porep-2k are not in");
    assert_int_equal(access(name, F_OK), -1);
}

/* The transforms of points make what the secrets make: the same bytes. A core-minute. */
static void test_slow_fold_equals_the_setups(void **state)
{
    char name[512], made[512];
    uint8_t *want, *got;
    size_t n, m;

    (void)state;
    make_folded(name);
    want = cz_test_read(name, &n);
    write_text("made.folded", "in the way");
    (void)snprintf(made, sizeof made, "%s/made.folded", folder);
    assert_int_equal(bench("2>/dev/null",
                           "params fold --circuit wpost-2k --dir %s --circuits %s --out %s "
                           "--force --json",
                           folder, folder, made),
                     0);
    assert_string_equal(text_of(parse(out), "folded"), made);
    got = cz_test_read(made, &m);
    assert_int_equal(n, m);
    assert_memory_equal(want, got, n);
    free(got);
    free(want);
}

static void test_plain_verification_of_official_proofs(void **state)
{
    const char *vk = cz_shared_vector_path("groth16-v27-32gib/porep-32gib-v27.vk");
    const char *inputs = cz_shared_vector_path("groth16-v27-32gib/porep-32gib-v27.inputs");
    const char *proofs = cz_shared_vector_path("groth16-v27-32gib/porep-32gib-v27.proofs");
    uint8_t *bytes;
    size_t n;
    char path[1024];

    (void)state;
    if (vk == NULL || inputs == NULL || proofs == NULL)
        skip();
    assert_int_equal(
        bench("2>&1", "verify --vk %s --inputs %s --proof %s --json", vk, inputs, proofs), 0);
    assert_prints("\"valid\": true");
    assert_prints("\"proofs\": 10");
    /* proofs 0 and 1 change places: each is a proof, but of other inputs */
    bytes = cz_test_read(proofs, &n);
    for (size_t i = 0; i < 192; i++) {
        uint8_t t = bytes[i];

        bytes[i] = bytes[192 + i];
        bytes[192 + i] = t;
    }
    (void)snprintf(path, sizeof path, "%s/swapped", folder);
    assert_ok(cz_file_write_all(path, bytes, n));
    free(bytes);
    assert_int_equal(bench("2>&1", "verify --vk %s --inputs %s --proof %s", vk, inputs, path), 1);
    assert_prints("swapped: ");
}

/* The whole way, in the full tier: a gigabyte of parameters. */
static void test_slow_setup_prove_verify(void **state)
{
    cz_json meta = golden("golden/cases/porep-2k-v1_1/meta.json");
    cz_json partition = element(member(meta, "partitions"), 0);
    const char *c1 = cz_vector_path("golden/cases/porep-2k-v1_1/c1.json");
    uint8_t *proof, *reference;
    size_t n, n_reference;
    char path[1024];
    cz_json j;

    (void)state;
    assert_int_equal(bench("2>/dev/null",
                           "params setup --circuit porep-2k --toxic %s --dir %s --sha256 --json",
                           cz_vector_path("golden/toxic/porep-2k.json"), folder),
                     0);
    j = parse(out);
    assert_string_equal(text_of(j, "params_sha256"),
                        text_of(member(meta, "params"), "params_sha256"));
    assert_string_equal(text_of(j, "vk_sha256"), text_of(member(meta, "params"), "vk_sha256"));
    assert_string_equal(text_of(j, "params_file"), text_of(member(meta, "params"), "params_file"));
    assert_int_equal(bench("2>&1", "params check --circuit porep-2k --points --dir %s", folder), 0);

    (void)snprintf(path, sizeof path, "%s/proof", folder);
    assert_int_equal(bench("2>/dev/null", "prove %s --params %s --r %s --s %s --out %s --json", c1,
                           folder, text_of(partition, "r"), text_of(partition, "s"), path),
                     0);
    j = parse(out);
    (void)member(member(j, "phases_ms"), "witness");
    (void)member(j, "peak_rss_bytes");
    (void)member(j, "proof_sha256");
    proof = cz_test_read(path, &n);
    reference = cz_test_read(cz_vector_path("golden/cases/porep-2k-v1_1/proof.bin"), &n_reference);
    assert_int_equal(n, n_reference);
    assert_memory_equal(proof, reference, n);
    assert_int_equal(bench("2>&1", "verify %s --params %s --proof %s", c1, folder, path), 0);
    assert_int_equal(bench("2>&1", "verify %s --params %s --proof %s",
                           cz_vector_path("golden/cases/porep-2k-v1/c1.json"), folder, path),
                     1);
    assert_prints("does not verify");

    assert_int_equal(
        bench("2>/dev/null", "prove %s --params %s --out %s --threads 1", c1, folder, path), 0);
    assert_int_equal(bench("2>&1", "verify %s --params %s --proof %s", c1, folder, path), 0);
    free(proof);
    proof = cz_test_read(path, &n);
    assert_memory_not_equal(proof, reference, n); /* fresh blinding */
    free(proof);
    free(reference);
}

/* --- time, forms ----------------------------------------------------------------------------- */

static void test_time_verifies_and_counts(void **state)
{
    cz_json j, result;
    bool has_ifma;

    (void)state;
    assert_int_equal(bench("2>/dev/null",
                           "time msm:g1:2^7 bitsum:g2:2^6 fixed:g1:2^6:cpu ntt:2^9 poseidon:2:2^4 "
                           "poseidon-witness:4:2^3 sha256:2^10 trace:2^4 quotient:2^8 fr:inv:2^4 "
                           "fp:mul:2^4 pairing:1 subgroup:g2:2 --runs 2 --threads 2 --json"),
                     0);
    j = parse(out);
    (void)member(member(j, "limits"), "bytes_per_s");
    for (size_t i = 0; i < 13; i++) {
        result = element(member(j, "results"), i);
        (void)text_of(result, "spec");
        (void)member(result, "median_s");
        (void)element(member(result, "runs_s"), 1);
        (void)member(result, "threads");
    }
    assert_string_equal(text_of(element(member(j, "results"), 0), "spec"), "msm:g1:2^7");

    assert_int_equal(bench("2>/dev/null", "--version"), 0);
    has_ifma = strstr(out, "ntt ifma") != NULL;
    assert_int_equal(bench("2>/dev/null", "time ntt:2^9 --runs 1 --form portable --json"), 0);
    result = element(member(parse(out), "results"), 0);
    assert_string_equal(text_of(result, "form"), "scalar");
    assert_int_equal(bench("2>&1", "time ntt:2^9 --runs 1 --form ifma"), has_ifma ? 0 : 1);
}

static void test_time_says_what_it_cannot_measure(void **state)
{
    (void)state;
    assert_int_equal(bench("2>&1", "time abacus"), 2);
    assert_prints("'abacus' is no operation");
    assert_int_equal(bench("2>&1", "time msm:g3:2^4"), 2);
    assert_prints("a group and a size are wanted");
    assert_int_equal(bench("2>&1", "time ntt:2^29"), 2);
    assert_prints("from 2^0 to 2^28");
    assert_int_equal(bench("2>&1", "time ntt:1000"), 2);
    assert_prints("'1000' is no size");
    assert_int_equal(bench("2>&1", "time ntt:2^4 --form abacus"), 2);
    assert_prints("none of portable, adx, ifma");
    assert_int_equal(bench("2>&1", "time porep-3k:prove"), 2);
    assert_prints("'porep-3k' is no circuit");
    assert_int_equal(bench("2>/dev/null", "time ntt:2^4 abacus --json --runs 1"), 2);
    (void)member(parse(out), "error"); /* one object, although it had begun */
}

static void test_the_version_names_the_forms(void **state)
{
    (void)state;
    assert_int_equal(bench("2>&1", "--version"), 0);
    assert_prints("cuzk-bench ");
    assert_prints("forms: field ");
    assert_int_equal(setenv("CUZK_CPU", "portable", 1), 0);
    assert_int_equal(bench("2>&1", "--version"), 0);
    assert_int_equal(unsetenv("CUZK_CPU"), 0);
    assert_prints("field portable, ntt scalar, msm cpu, poseidon scalar, sha256 portable");
}

/* Where parameters of the circuit lie: those that all forms' cases share (CZ_TEST_PARAMS, made by a
 * fixture of ctest), or ones made here. */
static const char *parameters_of(const char *circuit)
{
    const char *shared = getenv("CZ_TEST_PARAMS");
    char toxic[64];

    if (shared != NULL)
        return shared;
    (void)snprintf(toxic, sizeof toxic, "golden/toxic/%s.json", circuit);
    assert_int_equal(bench("2>&1", "params setup --circuit %s --toxic %s --dir %s", circuit,
                           cz_vector_path(toxic), folder),
                     0);
    return folder;
}

/* Prove a golden case with this process capped to `form`; the bytes must be the reference's. */
static void assert_golden_proof(const char *params, const char *name, const char *form,
                                const char *prove_path)
{
    char path[64], file[128];
    size_t n, n_reference;
    uint8_t *proof, *reference;
    cz_json partition;

    (void)snprintf(file, sizeof file, "golden/cases/%s/meta.json", name);
    partition = element(member(golden(file), "partitions"), 0);
    (void)snprintf(path, sizeof path, "%s/proof", folder);
    (void)snprintf(file, sizeof file, "golden/cases/%s/request.json", name);
    assert_int_equal(setenv("CUZK_CPU", form, 1), 0);
    assert_int_equal(bench("2>&1",
                           "prove %s --params %s --circuits %s --path %s --r %s --s %s --out %s "
                           "--backend cpu",
                           cz_vector_path(file), params, params, prove_path,
                           text_of(partition, "r"), text_of(partition, "s"), path),
                     0);
    assert_int_equal(unsetenv("CUZK_CPU"), 0);
    proof = cz_test_read(path, &n);
    (void)snprintf(file, sizeof file, "golden/cases/%s/proof.bin", name);
    reference = cz_test_read(cz_vector_path(file), &n_reference);
    assert_int_equal(n, n_reference);
    assert_memory_equal(proof, reference, n);
    free(proof);
    free(reference);
}

/* Where the CPU lacks a form, the cap leaves the next one, which has a case of its own. */
static void need_form(const char *form)
{
    static const char *const forms[][2] = {
        {"portable", "field portable, ntt scalar, msm cpu, poseidon scalar"},
        {"adx", "field adx, ntt scalar, msm cpu, poseidon scalar"},
        {"ifma", "ntt ifma, msm ifma, poseidon ifma"},
    };
    size_t i = 0;

    while (strcmp(forms[i][0], form) != 0)
        i++;
    assert_int_equal(setenv("CUZK_CPU", form, 1), 0);
    assert_int_equal(bench("2>&1", "--version"), 0);
    assert_int_equal(unsetenv("CUZK_CPU"), 0);
    if (strstr(out, forms[i][1]) == NULL)
        skip();
}

static void small_golden_proof(const char *form)
{
    need_form(form);
    assert_golden_proof(parameters_of("wpost-2k"), "wpost-2k-v1_2", form, "fast");
}

static void test_golden_proof_portable(void **state)
{
    (void)state;
    small_golden_proof("portable");
}

static void test_golden_proof_adx(void **state)
{
    (void)state;
    small_golden_proof("adx");
}

static void test_golden_proof_ifma(void **state)
{
    (void)state;
    small_golden_proof("ifma");
}

static void large_golden_proofs(const char *form, bool classic)
{
    const char *params;

    need_form(form);
    params = parameters_of("winning-2k");
    assert_golden_proof(params, "winning-2k", form, "fast");
    params = parameters_of("porep-2k");
    assert_golden_proof(params, "porep-2k-v1_1", form, "fast");
    if (classic)
        assert_golden_proof(params, "porep-2k-v1_1", form, "classic");
}

static void test_slow_golden_proofs_portable(void **state)
{
    (void)state;
    large_golden_proofs("portable", false);
}

static void test_slow_golden_proofs_adx(void **state)
{
    (void)state;
    large_golden_proofs("adx", false);
}

static void test_slow_golden_proofs_ifma(void **state)
{
    (void)state;
    large_golden_proofs("ifma", true);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_every_command_explains_itself, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_wrong_command_lines_exit_with_2_and_say_why, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_malformed_and_unknown_words_exit_with_2, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_failures_exit_with_1_and_are_json_too, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_a_closed_output_is_a_failure, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_circuits_have_the_golden_counts, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_witness_has_the_golden_digest, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_setup_says_what_it_cannot_do, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_prove_says_what_it_cannot_do, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_folded_files_are_made_and_examined, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_slow_fold_equals_the_setups, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_params_check_tells_the_states_apart, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_params_check_says_what_is_missing, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_plain_verification_of_official_proofs, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_time_verifies_and_counts, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_time_says_what_it_cannot_measure, make_folder,
                                    drop_documents),
    cmocka_unit_test_setup_teardown(test_the_version_names_the_forms, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_golden_proof_portable, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_golden_proof_adx, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_golden_proof_ifma, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_slow_golden_proofs_portable, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_slow_golden_proofs_adx, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_slow_golden_proofs_ifma, make_folder, drop_documents),
    cmocka_unit_test_setup_teardown(test_slow_setup_prove_verify, make_folder, drop_documents),
};

CZ_TEST_MAIN(cases)
