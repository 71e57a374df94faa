/* Decoding C1s: every accepted form gives the same proof, every damage is refused by its place. */
#define _GNU_SOURCE
#include "filecoin/c1.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base64.h"
#include "c1_writer.h"
#include "golden.h"

static cz_err decode_text(cz_porep_vanilla **out, const char *text)
{
    return cz_c1_decode(out, (const uint8_t *)text, strlen(text));
}

/* Bytes that any writer of the same proof must produce. */
static writer canonical(const cz_porep_vanilla *v)
{
    writer w = {0};

    write_c1_bincode(&w, v);
    return w;
}

static void assert_same_proof(const cz_porep_vanilla *a, const cz_porep_vanilla *b)
{
    writer x = canonical(a), y = canonical(b);

    assert_int_equal(x.n, y.n);
    assert_memory_equal(x.bytes, y.bytes, x.n);
    free(x.bytes);
    free(y.bytes);
}

static void assert_decodes_to(const uint8_t *bytes, size_t n, const cz_porep_vanilla *wanted)
{
    cz_porep_vanilla *v;

    assert_ok(cz_c1_decode(&v, bytes, n));
    assert_same_proof(v, wanted);
    cz_porep_vanilla_destroy(v);
}

/* --- both codings, all shapes --- */

static void check_json(uint64_t registered_proof)
{
    cz_porep_vanilla *v = random_c1(registered_proof);
    writer w = {0};
    clock_t start;

    write_c1_json(&w, v);
    start = clock();
    assert_decodes_to(w.bytes, w.n, v);
    print_message("%zu bytes of JSON, decoded and compared in %.2f s\n", w.n,
                  (double)(clock() - start) / CLOCKS_PER_SEC);
    free(w.bytes);
    cz_porep_vanilla_destroy(v);
}

static void check_bincode(uint64_t registered_proof, bool c2_input)
{
    cz_porep_vanilla *v = random_c1(registered_proof);
    writer w;

    v->has_prover_id = v->has_sector_number = c2_input;
    cz_test_random_bytes(v->prover_id, 32);
    v->sector_number = cz_test_random();
    w = canonical(v);
    assert_decodes_to(w.bytes, w.n, v);
    free(w.bytes);
    cz_porep_vanilla_destroy(v);
}

static void test_json_small(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 20; n++)
        if (n % 5 < 3)
            check_json(n);
}

static void test_json_32g(void **state)
{
    (void)state;
    check_json(8);
}

static void test_json_64g(void **state)
{
    (void)state;
    check_json(14);
}

static void test_bincode_all(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 15; n++)
        check_bincode(n, n % 2 == 0);
    check_bincode(0, false);
    check_bincode(5, true);
    check_bincode(15, false);
}

/* Every prefix is refused, and so is a byte more. */
static void test_bincode_truncated(void **state)
{
    cz_porep_vanilla *v = random_c1(5), *decoded;
    writer w = canonical(v);

    (void)state;
    for (size_t n = 1; n < w.n; n += n < 200 || w.n - n < 200 ? 1 : 97)
        assert_fails(cz_c1_decode(&decoded, w.bytes, n), CZ_E_INPUT, "bincode C1: ");
    put(&w, "", 1);
    assert_fails(cz_c1_decode(&decoded, w.bytes, w.n), CZ_E_INPUT, "1 bytes too many");
    free(w.bytes);
    cz_porep_vanilla_destroy(v);
}

/* --- the golden C1, as text to damage --- */

static char *golden_c1(const char *name)
{
    char path[256];
    size_t n;

    (void)snprintf(path, sizeof path, "golden/cases/%s/c1.json", name);
    return (char *)cz_test_read(cz_vector_path(path), &n);
}

/* The text with [begin, end) replaced; frees the old one. */
static char *splice(char *text, size_t begin, size_t end, const char *with)
{
    writer w = {0};

    put(&w, text, begin);
    put_text(&w, with);
    put(&w, text + end, strlen(text + end) + 1);
    free(text);
    return (char *)w.bytes;
}

static size_t find(const char *text, const char *what)
{
    const char *p = strstr(text, what);

    if (p == NULL)
        fail_msg("'%s' is not in the text", what);
    return (size_t)(p - text);
}

static char *replace(char *text, const char *what, const char *with)
{
    const size_t at = find(text, what);

    return splice(text, at, at + strlen(what), with);
}

/* One past the value that begins at `at` (arrays and objects of golden files: no strings with
 * brackets). */
static size_t value_end(const char *text, size_t at)
{
    size_t depth = 0;

    do {
        depth += text[at] == '[' || text[at] == '{';
        depth -= text[at] == ']' || text[at] == '}';
        at++;
    } while (depth > 0);
    return at;
}

/* The value of the first "key" is replaced. */
static char *set_value(char *text, const char *key, const char *value)
{
    const size_t at = find(text, key) + strlen(key);

    return splice(text, at, value_end(text, at), value);
}

/* Elements begin to end of the array that follows the first "key" become `with`. */
static char *set_elements(char *text, const char *key, size_t first, size_t n, const char *with)
{
    size_t begin = find(text, key) + strlen(key) + 1, end;

    for (size_t i = 0; i < first; i++)
        begin = value_end(text, begin) + 1;
    end = begin;
    for (size_t i = 0; i < n; i++)
        end = value_end(text, end) + 1;
    if (text[end - 1] == ']') { /* the last one: its comma is before it */
        begin -= 1;
        end -= 1;
    }
    return splice(text, begin, end, with);
}

static void assert_refused(char *text, const char *message)
{
    cz_porep_vanilla *v;

    assert_fails(decode_text(&v, text), CZ_E_INPUT, message);
    free(text);
}

static char one_bad_hash[170], bytes_32_of_255[160], bytes_31[160], bytes_33[160], byte_256[160];

static void make_arrays(void)
{
    writer w = {0};

    for (unsigned i = 0; i < 32; i++)
        put_text(&w, ",255");
    put(&w, "", 1);
    (void)snprintf(bytes_32_of_255, 160, "[%s]", (char *)w.bytes + 1);
    (void)snprintf(one_bad_hash, 170, "[%s]", bytes_32_of_255);
    (void)snprintf(bytes_31, 160, "[%s]", (char *)w.bytes + 5);
    (void)snprintf(bytes_33, 160, "[0%s]", (char *)w.bytes);
    (void)snprintf(byte_256, 160, "[256%s]", (char *)w.bytes + 4);
    free(w.bytes);
}

static void test_refused_header(void **state)
{
    static const char *const name = "porep-2k-v1_1";

    (void)state;
    make_arrays();
    assert_refused(replace(golden_c1(name), "\"StackedDrg2KiBV1_1\"", "\"StackedDrg2KiBV9\""),
                   "registered_proof: 'StackedDrg2KiBV9' is unknown");
    assert_refused(replace(golden_c1(name), "\"StackedDrg2KiBV1_1\"", "5"),
                   "registered_proof: a string expected, found a number");
    assert_refused(replace(golden_c1(name), "\"StackedDrg2KiBV1_1\"", "\"StackedDrg8MiBV1_1\""),
                   "vanilla_proofs: sector sizes are mixed");
    assert_refused(replace(golden_c1(name), "\"StackedDrg2KiBV1\"", "\"StackedDrg32GiBV1\""),
                   "vanilla_proofs: sector sizes are mixed");
    assert_refused(replace(golden_c1(name), "\"StackedDrg2KiBV1\"", "\"StackedDrg2KiBV1_1\""),
                   "vanilla_proofs: 'StackedDrg2KiBV1_1' is unknown");
    assert_refused(replace(golden_c1(name), "\"registered_proof\"", "\"registeredProof\""),
                   "field 'registered_proof' is missing");
    assert_refused(replace(golden_c1(name), "\"vanilla_proofs\"", "\"vanilla\""),
                   "field 'vanilla_proofs' is missing");
    assert_refused(set_value(golden_c1(name), "\"vanilla_proofs\":", "[]"),
                   "vanilla_proofs: an object expected");
    assert_refused(set_value(golden_c1(name), "\"vanilla_proofs\":", "{}"),
                   "vanilla_proofs: 0 variants, expected 1");
    assert_refused(set_value(golden_c1(name), "\"comm_r\":", bytes_31), "comm_r: ");
    assert_refused(set_value(golden_c1(name), "\"comm_r\":", bytes_33), "comm_r: ");
    assert_refused(set_value(golden_c1(name), "\"comm_d\":", byte_256), "comm_d: element 0 ");
    assert_refused(set_value(golden_c1(name), "\"comm_d\":", bytes_32_of_255),
                   "comm_d: not a field element");
    assert_refused(set_value(golden_c1(name), "\"replica_id\":", bytes_32_of_255),
                   "replica_id: not a field element");
    assert_refused(set_value(golden_c1(name), "\"comm_r\":", "\"bafybeigdyrzt\""), "comm_r: ");
    assert_refused(set_value(golden_c1(name), "\"ticket\":", "null"), "ticket: ");
    assert_refused(replace(golden_c1(name), "\"seed\"", "\"comm_r\""),
                   "field 'comm_r' occurs twice");
}

static void test_refused_openings(void **state)
{
    static const char *const name = "porep-2k-v1_1";
    static const char *const at = "partition 0: challenge 0: ";
    char message[256];

    (void)state;
    make_arrays();
#define PLACE(rest) (snprintf(message, sizeof message, "%s%s", at, rest), message)
    assert_refused(replace(golden_c1(name), "\"comm_d_proofs\"", "\"comm_d_proof\""),
                   PLACE("field 'comm_d_proofs' is missing"));
    assert_refused(replace(golden_c1(name), "\"Single\"", "\"Sub\""),
                   PLACE("comm_d_proofs: data: field 'Single' is missing"));
    assert_refused(set_elements(golden_c1(name), "\"path\":{\"path\":", 0, 1, ""),
                   PLACE("comm_d_proofs: Single: path: path: 5 elements, expected 6"));
    assert_refused(set_value(golden_c1(name), "\"root\":", bytes_32_of_255),
                   PLACE("comm_d_proofs: Single: root: not a field element"));
    assert_refused(set_value(golden_c1(name), "\"hashes\":", "[]"),
                   PLACE("comm_d_proofs: Single: path: path[0]: hashes: 0 elements, expected 1"));
    assert_refused(set_value(golden_c1(name), "\"hashes\":", one_bad_hash),
                   PLACE("comm_d_proofs: Single: path: path[0]: hashes[0]: not a field element"));
    assert_refused(replace(golden_c1(name), "\"index\":1}", "\"index\":2}"),
                   PLACE("comm_d_proofs: Single: path: path[0]: index: 2 is above 1"));
    assert_refused(replace(golden_c1(name), "\"index\":1}", "\"index\":-1}"),
                   PLACE("comm_d_proofs: Single: path: path[0]: index: "));
    assert_refused(replace(golden_c1(name), "\"index\":1}", "\"index\":1.0}"),
                   PLACE("comm_d_proofs: Single: path: path[0]: index: "));
    assert_refused(replace(golden_c1(name), "\"index\":61", "\"index\":4294967296"),
                   PLACE("replica_column_proofs: c_x: column: index: 4294967296 is above"));
    assert_refused(set_elements(golden_c1(name), "\"rows\":", 0, 1, ""),
                   PLACE("replica_column_proofs: c_x: column: rows: 1 elements, expected 2"));
    assert_refused(set_elements(golden_c1(name), "\"drg_parents\":", 2, 1, ""),
                   PLACE("replica_column_proofs: drg_parents: 5 elements, expected 6"));
    assert_refused(set_elements(golden_c1(name), "\"exp_parents\":", 2, 1, "{},"),
                   PLACE("replica_column_proofs: exp_parents[2]: field 'column' is missing"));
    assert_refused(set_elements(golden_c1(name), "\"labeling_proofs\":", 1, 1, ""),
                   PLACE("labeling_proofs: 1 elements, expected 2"));
    assert_refused(set_elements(golden_c1(name), "\"parents\":", 36, 1, ""),
                   PLACE("labeling_proofs[0]: parents: 36 elements, expected 37"));
    assert_refused(set_value(golden_c1(name), "\"encoding_proof\":", "{}"),
                   PLACE("encoding_proof: field 'parents' is missing"));
#undef PLACE
    assert_refused(set_elements(golden_c1(name), "\"StackedDrg2KiBV1\":[", 1, 1, ""),
                   "partition 0: 1 challenges, expected 2");
    assert_refused(set_elements(golden_c1(name), "\"StackedDrg2KiBV1\":[", 1, 1, ",{}"),
                   "partition 0: challenge 1: field 'comm_d_proofs' is missing");
}

static void test_refused_partitions(void **state)
{
    (void)state;
    assert_refused(set_elements(golden_c1("porep-2k-ni"), "\"StackedDrg2KiBV1\":", 3, 1, ""),
                   "vanilla_proofs: 12 partitions, expected 13");
    assert_refused(set_elements(golden_c1("porep-2k-ni"), "\"StackedDrg2KiBV1\":", 3, 0, "[],"),
                   "vanilla_proofs: 14 partitions, expected 13");
    assert_refused(set_elements(golden_c1("porep-2k-ni"), "\"StackedDrg2KiBV1\":", 3, 1, "[],"),
                   "partition 3: 0 challenges, expected 2");
    assert_refused(set_elements(golden_c1("porep-2k-ni"), "\"StackedDrg2KiBV1\":", 3, 1, "{},"),
                   "partition 3: ");
}

static void test_refused_text(void **state)
{
    char *text = golden_c1("porep-2k-v1_1");
    char *deep = malloc(20001);
    cz_porep_vanilla *v;

    (void)state;
    assert_fails(decode_text(&v, ""), CZ_E_INPUT, "empty");
    assert_fails(decode_text(&v, " "), CZ_E_INPUT, "bincode C1: ");
    assert_fails(decode_text(&v, "{}"), CZ_E_INPUT, "field 'registered_proof' is missing");
    assert_fails(decode_text(&v, "{\"registered_proof\":NaN}"), CZ_E_INPUT, "not valid JSON");
    for (size_t n = 1; n < strlen(text); n += n < 300 ? 7 : 9973)
        assert_fails(cz_c1_decode(&v, (const uint8_t *)text, n), CZ_E_INPUT, "not valid JSON");
    assert_non_null(deep);
    for (size_t i = 0; i < 10000; i++)
        memcpy(deep + 2 * i, "{\"", 2);
    memset(deep + 20, '[', 19980);
    deep[20000] = 0;
    assert_fails(decode_text(&v, deep), CZ_E_INPUT, "not valid JSON");
    memcpy(deep, "{\"vanilla_proofs\":", 18);
    memset(deep + 18, '[', 9982);
    memset(deep + 10000, ']', 9982);
    memcpy(deep + 19982, "}", 2);
    assert_fails(decode_text(&v, deep), CZ_E_INPUT, "nested deeper than");
    free(deep);
    free(text);
}

/* --- accepted variants --- */

static void assert_accepted(char *text, const cz_porep_vanilla *wanted)
{
    assert_decodes_to((const uint8_t *)text, strlen(text), wanted);
    free(text);
}

static char *encoded(const uint8_t bytes[32], bool hex)
{
    static char quoted[80];
    char text[72];

    if (hex)
        cz_hex_encode(text, bytes, 32);
    else
        cz_base64_encode(text, bytes, 32);
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", text);
    return quoted;
}

static void test_accepted_json(void **state)
{
    static const char *const name = "porep-2k-v1_1";
    char *text = golden_c1(name);
    cz_porep_vanilla *v;

    (void)state;
    assert_ok(decode_text(&v, text));
    assert_accepted(splice(golden_c1(name), 0, 0, "\xef\xbb\xbf"), v);
    assert_accepted(splice(golden_c1(name), strlen(text), strlen(text), "\n"), v);
    assert_accepted(splice(golden_c1(name), 0, 1, " {\r\n\t\"unknown\": {\"a\": [1, 2.5]},"), v);
    assert_accepted(replace(golden_c1(name), "\"_h\":null", "\"_h\":null,\"more\":[]"), v);
    assert_accepted(replace(golden_c1(name), "\"_h\":null", "\"_g\":null"), v);
    assert_accepted(set_value(golden_c1(name), "\"comm_r\":", encoded(v->comm_r, true)), v);
    assert_accepted(set_value(golden_c1(name), "\"comm_r\":", encoded(v->comm_r, false)), v);
    assert_accepted(set_value(golden_c1(name), "\"seed\":", encoded(v->seed, false)), v);
    cz_porep_vanilla_destroy(v);
    free(text);
}

/* Go writes the keys in another order. */
static void test_accepted_key_order(void **state)
{
    char *text = golden_c1("porep-2k-v1_1");
    const size_t n = strlen("\"registered_proof\":\"StackedDrg2KiBV1_1\",");
    cz_porep_vanilla *v;

    (void)state;
    assert_ok(decode_text(&v, text));
    text = splice(text, 1, 1 + n, "");
    text[strlen(text) - 1] = ',';
    text = splice(text, strlen(text), strlen(text), "\"registered_proof\":\"StackedDrg2KiBV1_1\"}");
    assert_accepted(text, v);
    cz_porep_vanilla_destroy(v);
}

/* --- envelopes --- */

static char *base64_of(const char *text)
{
    char *out = malloc(cz_base64_encoded_len(strlen(text)) + 1);

    assert_non_null(out);
    cz_base64_encode(out, (const uint8_t *)text, strlen(text));
    return out;
}

static char *envelope(const char *sector, const char *phase1, const char *size)
{
    writer w = {0};

    put_text(&w, "{\"SectorNum\":");
    put_text(&w, sector);
    put_text(&w, ",\"Phase1Out\":\"");
    put_text(&w, phase1);
    put_text(&w, "\",\"SectorSize\":");
    put_text(&w, size);
    put(&w, "}", 2);
    return (char *)w.bytes;
}

static char *golden_envelope(const char *sector, const char *size)
{
    char *c1 = golden_c1("porep-2k-v1_1");
    char *phase1 = base64_of(c1);
    char *text = envelope(sector, phase1, size);

    free(c1);
    free(phase1);
    return text;
}

static void test_envelope(void **state)
{
    char *text = golden_c1("porep-2k-v1_1");
    cz_porep_vanilla *wanted, *v;
    char *enveloped;

    (void)state;
    assert_ok(decode_text(&wanted, text));
    enveloped = golden_envelope("977477", "2048");
    assert_ok(decode_text(&v, enveloped));
    assert_same_proof(v, wanted);
    assert_true(v->has_sector_number);
    assert_false(v->has_prover_id);
    assert_int_equal(v->sector_number, 977477);
    cz_porep_vanilla_destroy(v);
    cz_porep_vanilla_destroy(wanted);
    free(enveloped);
    free(text);
}

/* A whole 32 GiB sector as Curio sends it: 51 MB. */
static void test_envelope_32g(void **state)
{
    cz_porep_vanilla *v = random_c1(8);
    writer w = {0};
    char *phase1, *text;
    clock_t start;

    (void)state;
    write_c1_json(&w, v);
    put(&w, "", 1);
    phase1 = base64_of((char *)w.bytes);
    text = envelope("1", phase1, "34359738368");
    free(w.bytes);
    free(phase1);
    start = clock();
    assert_decodes_to((uint8_t *)text, strlen(text), v);
    print_message("%zu bytes of envelope, decoded and compared in %.2f s\n", strlen(text),
                  (double)(clock() - start) / CLOCKS_PER_SEC);
    free(text);
    cz_porep_vanilla_destroy(v);
}

/* The letters of base64 as other writers have them. */
static void test_envelope_base64_variants(void **state)
{
    char *c1 = golden_c1("porep-2k-v1_1");
    char *plain = base64_of(c1);
    writer broken = {0};
    cz_porep_vanilla *wanted;
    size_t n = strlen(plain);

    (void)state;
    assert_ok(decode_text(&wanted, c1));
    for (size_t i = 0; i < n; i += 76) {
        put(&broken, plain + i, n - i < 76 ? n - i : 76);
        put_text(&broken, "\\r\\n");
    }
    put(&broken, "", 1);
    assert_accepted(envelope("1", (char *)broken.bytes, "2048"), wanted);
    for (size_t i = 0; i < n; i++)
        plain[i] = (char)(plain[i] == '+' ? '-' : plain[i] == '/' ? '_' : plain[i]);
    assert_accepted(envelope("1", plain, "2048"), wanted);
    while (plain[n - 1] == '=')
        plain[--n] = 0;
    assert_accepted(envelope("1", plain, "2048"), wanted);
    free(broken.bytes);
    free(plain);
    free(c1);
    cz_porep_vanilla_destroy(wanted);
}

static void test_envelope_refused(void **state)
{
    char *nested = golden_envelope("1", "2048");
    char *phase1 = base64_of(nested);

    (void)state;
    assert_refused(golden_envelope("\"977477\"", "2048"), "SectorNum: a number expected");
    assert_refused(golden_envelope("-1", "2048"), "SectorNum: ");
    assert_refused(golden_envelope("1", "8388608"), "SectorSize: 8388608, but registered_proof");
    assert_refused(golden_envelope("1", "\"2048\""), "SectorSize: a number expected");
    assert_refused(replace(golden_envelope("1", "2048"), "SectorSize", "Size"),
                   "field 'SectorSize' is missing");
    assert_refused(envelope("1", "", "2048"), "Phase1Out: ");
    assert_refused(envelope("1", "e30", "2048"), "Phase1Out: field 'registered_proof' is missing");
    assert_refused(envelope("1", "e30!", "2048"), "Phase1Out: ");
    assert_refused(envelope("1", phase1, "2048"), "Phase1Out: field 'registered_proof' is missing");
    free(phase1);
    free(nested);
}

/* --- memory --- */

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OTHER_MALLOC 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define HAS_OTHER_MALLOC 1
#endif
#ifndef HAS_OTHER_MALLOC
#define HAS_OTHER_MALLOC 0
#endif

enum { MEMORY_TEXT_BYTES = 16 << 20 };

/* Memory of this process at its peak, which a child begins with what its parent has. */
static uint64_t peak_bytes(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (uint64_t)usage.ru_maxrss * 1024;
}

/* What decoding adds to the peak, as told by a process of its own. Is the C1 refused? */
static uint64_t bytes_to_decode(const writer *w, bool is_refused)
{
    uint64_t bytes = 0;
    int ends[2], status;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        const uint64_t before = peak_bytes();
        cz_porep_vanilla *v;
        const cz_err err = cz_c1_decode(&v, w->bytes, w->n);

        bytes = peak_bytes() - before;
        _exit((err == CZ_E_INPUT) == is_refused &&
                      write(ends[1], &bytes, sizeof bytes) == sizeof bytes
                  ? 0
                  : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], &bytes, sizeof bytes), sizeof bytes);
    (void)close(ends[0]);
    (void)close(ends[1]);
    return bytes;
}

static void check_memory(const char *what, writer *w, bool is_refused)
{
    const uint64_t most = cz_c1_decode_bytes(w->bytes, w->n);
    const uint64_t bytes = bytes_to_decode(w, is_refused);

    print_message("%s: %zu bytes take %.2f times as much beside them, %.2f at most\n", what, w->n,
                  (double)bytes / (double)w->n, (double)most / (double)w->n);
    assert_true(bytes <= most);
    assert_true(most <= cz_c1_decode_bytes(NULL, w->n));
    free(w->bytes);
}

/* JSON around so many repetitions as fill the text. */
static writer repeated(const char *before, const char *what, const char *after)
{
    writer w = {0};

    put_text(&w, before);
    while (w.n < MEMORY_TEXT_BYTES)
        put_text(&w, what);
    put_text(&w, after);
    return w;
}

static writer enveloped(writer c1)
{
    const char *text_before = "{\"SectorNum\":7,\"SectorSize\":34359738368,\"Phase1Out\":\"";
    writer w = {0};
    char *text = malloc(cz_base64_encoded_len(c1.n) + 1);

    assert_non_null(text);
    cz_base64_encode(text, c1.bytes, c1.n);
    put_text(&w, text_before);
    put_text(&w, text);
    put_text(&w, "\"}");
    free(text);
    free(c1.bytes);
    return w;
}

static writer c1_of_32g(bool in_json)
{
    cz_porep_vanilla *v = random_c1(8);
    writer w = {0};

    if (in_json)
        write_c1_json(&w, v);
    else
        write_c1_bincode(&w, v);
    cz_porep_vanilla_destroy(v);
    return w;
}

/* The engine reserves what is said before a byte is decoded. */
static void test_memory_is_what_is_said(void **state)
{
    static const char *const hostile[][4] = {
        {"single digits", "{\"a\":[0", ",0", "]}"},
        {"as dense as may be", "{\"a\":[0", ",12,12,12,12,123", "]}"},
        {"and strings", "{\"a\":[0", ",0,0,0,0,0,\"aaaaaaa\"", "]}"},
        {"empty strings", "{\"a\":[\"\"", ",\"\"", "]}"},
        {"empty arrays", "{\"a\":[[]", ",[]", "]}"},
        {"no commas", "{\"a\":[0", " 0", "]}"},
        {"one string", "{\"a\":\"", "aaaaaaaaaaaaaaaa", "\"}"},
        {"commas", "{", ",,,,,,,,,,,,,,,,", "}"},
    };
    writer w;

    (void)state;
    if (HAS_OTHER_MALLOC)
        return; /* it keeps what is freed, and more beside what is not */
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20); /* what is freed is gone */
    w = c1_of_32g(false);
    check_memory("bincode", &w, false);
    w = c1_of_32g(true);
    check_memory("JSON", &w, false);
    w = enveloped(c1_of_32g(true));
    check_memory("envelope", &w, false);
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        w = repeated(hostile[i][1], hostile[i][2], hostile[i][3]);
        check_memory(hostile[i][0], &w, true);
        w = enveloped(repeated(hostile[i][1], hostile[i][2], hostile[i][3]));
        check_memory("in an envelope", &w, true);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_json_small),         cmocka_unit_test(test_json_32g),
    cmocka_unit_test(test_json_64g),           cmocka_unit_test(test_bincode_all),
    cmocka_unit_test(test_bincode_truncated),  cmocka_unit_test(test_refused_header),
    cmocka_unit_test(test_refused_openings),   cmocka_unit_test(test_refused_partitions),
    cmocka_unit_test(test_refused_text),       cmocka_unit_test(test_accepted_json),
    cmocka_unit_test(test_accepted_key_order), cmocka_unit_test(test_envelope),
    cmocka_unit_test(test_envelope_32g),       cmocka_unit_test(test_envelope_base64_variants),
    cmocka_unit_test(test_envelope_refused),   cmocka_unit_test(test_memory_is_what_is_said),
};

CZ_TEST_MAIN(cases)
