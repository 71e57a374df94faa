/* json.cpp: json.h on simdjson's DOM.
 *
 * simdjson parses into a "tape", an array of 64-bit words whose layout is documented and public
 * (doc/tape.md of simdjson): the top byte of a word says what it is, the low 56 bits are its
 * payload. A cz_json is an index into that tape, so a handle costs nothing and walking an array of
 * numbers is a loop over words.
 *
 *   '{' '['   low 32 bits: index one after the matching close; next 24 bits: number of children,
 *             saturated
 *   '"'       offset into the string buffer: u32 length (native order), characters, NUL
 *   'l' 'u' 'd'   int64, uint64, double in the word that follows
 *   't' 'f' 'n'   no payload
 *
 * Memory: 8 bytes of tape for each bracket and string, 16 for each number, none for a comma or
 * colon: about 5 bytes per byte of text for arrays of bytes. The parser's index, 4 bytes for each
 * of all these, and the padded copy of the text are freed before cz_json_parse returns. Each value
 * but the first of an array has a comma before it, so index and tape take no more than 12 bytes for
 * each entry of the index: its length, known before the tape is written, bounds both. All is
 * allocated for the densest text of its length, and touched as needed. Exceptions are not used:
 * every simdjson call here is of its error-code interface, and allocations are nothrow. */
#include "base/json.h"

#include <cstring>
#include <memory>
#include <new>

#include <simdjson.h>
#include <sys/mman.h>

namespace
{

constexpr size_t MAX_DEPTH = 64;
constexpr size_t HUGE_PAGE = size_t(2) << 20;
constexpr uint64_t PAYLOAD_MASK = (uint64_t(1) << 56) - 1;
constexpr uint32_t SATURATED_COUNT = 0xffffff;

} // namespace

struct cz_json_doc {
    simdjson::dom::document document;
};

namespace
{

const cz_json_doc *doc_of(const void *doc)
{
    return static_cast<const cz_json_doc *>(doc);
}

uint64_t word(const void *doc, size_t at)
{
    return doc_of(doc)->document.tape[at];
}

char tag(const void *doc, size_t at)
{
    return static_cast<char>(word(doc, at) >> 56);
}

bool is_number(char t)
{
    return t == 'l' || t == 'u' || t == 'd';
}

/* Index of the value after the one at `at`. */
size_t after(const void *doc, size_t at)
{
    char t = tag(doc, at);

    if (t == '{' || t == '[')
        return static_cast<uint32_t>(word(doc, at));
    return is_number(t) ? at + 2 : at + 1;
}

const char *string_at(const void *doc, size_t at, size_t *n)
{
    const uint8_t *p = doc_of(doc)->document.string_buf.get() + (word(doc, at) & PAYLOAD_MASK);
    uint32_t length;

    std::memcpy(&length, p, sizeof length);
    *n = length;
    return reinterpret_cast<const char *>(p) + sizeof length;
}

/* Keys may contain NUL characters, so lengths are compared too; that of `stored` lies before it. */
bool same_key(const char *stored, const char *key)
{
    uint32_t length;

    std::memcpy(&length, stored - sizeof length, sizeof length);
    return length == std::strlen(key) && std::memcmp(stored, key, length) == 0;
}

const char *type_name(cz_json v)
{
    static const char *const names[] = {"null",     "true or false", "a number",
                                        "a string", "an array",      "an object"};

    return names[cz_json_typeof(v)];
}

cz_err wrong_type(cz_json v, const char *wanted)
{
    return cz_fail(CZ_E_INPUT, "%s expected, found %s", wanted, type_name(v));
}

cz_err parse_failure(simdjson::error_code code)
{
    if (code == simdjson::MEMALLOC)
        return cz_fail(CZ_E_NOMEM, "no memory to parse JSON");
    if (code == simdjson::DEPTH_ERROR)
        return cz_fail(CZ_E_INPUT, "not valid JSON: nested deeper than %zu levels", MAX_DEPTH);
    return cz_fail(CZ_E_INPUT, "not valid JSON: %s", simdjson::error_message(code));
}

void skip_byte_order_mark(const char **text, size_t *n)
{
    if (*n >= 3 && std::memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
        *text += 3;
        *n -= 3;
    }
}

/* Ask for huge pages: first touches in 4 KiB pages cost half the time of a 50 MB parse. */
void advise_huge(void *p, size_t n)
{
    uintptr_t begin = (reinterpret_cast<uintptr_t>(p) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = (reinterpret_cast<uintptr_t>(p) + n) / HUGE_PAGE * HUGE_PAGE;

    if (begin < end)
        (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

/* All memory that simdjson will need, before it is touched. */
simdjson::error_code allocate(simdjson::dom::parser *parser, simdjson::dom::document *document,
                              size_t capacity)
{
    simdjson::error_code code = parser->allocate(capacity, MAX_DEPTH);

    if (code == simdjson::SUCCESS)
        code = document->allocate(capacity);
    if (code == simdjson::SUCCESS) {
        advise_huge(parser->implementation->structural_indexes.get(), capacity * sizeof(uint32_t));
        advise_huge(document->tape.get(), capacity * sizeof(uint64_t));
        advise_huge(document->string_buf.get(), capacity);
    }
    return code;
}

/* simdjson reads beyond the text. */
std::unique_ptr<uint8_t[]> padded_copy(const char *text, size_t n)
{
    std::unique_ptr<uint8_t[]> copy(new (std::nothrow) uint8_t[n + simdjson::SIMDJSON_PADDING]);

    if (copy != nullptr) {
        std::memcpy(copy.get(), text, n);
        std::memset(copy.get() + n, 0, simdjson::SIMDJSON_PADDING);
    }
    return copy;
}

/* What dom::parser::parse does, with a look at the index between its two stages. */
cz_err parse_into(cz_json_doc *doc, const char *text, size_t n, size_t most)
{
    simdjson::dom::parser parser;
    const std::unique_ptr<uint8_t[]> copy = padded_copy(text, n);
    simdjson::error_code code =
        copy == nullptr ? simdjson::MEMALLOC : allocate(&parser, &doc->document, n < 64 ? 64 : n);

    if (code == simdjson::SUCCESS)
        code = parser.implementation->stage1(copy.get(), n, simdjson::stage1_mode::regular);
    if (code == simdjson::SUCCESS && parser.implementation->n_structural_indexes > most)
        return cz_fail(CZ_E_INPUT,
                       "JSON of %zu bytes has %zu values and separators, at most %zu may be", n,
                       size_t(parser.implementation->n_structural_indexes), most);
    if (code == simdjson::SUCCESS)
        code = parser.implementation->stage2(doc->document);
    return code == simdjson::SUCCESS ? CZ_OK : parse_failure(code);
}

} // namespace

cz_err cz_json_parse(cz_json_doc **out, cz_json *root, const char *text, size_t n)
{
    return cz_json_parse_within(out, root, text, n, SIZE_MAX);
}

cz_err cz_json_parse_within(cz_json_doc **out, cz_json *root, const char *text, size_t n,
                            size_t most)
{
    std::unique_ptr<cz_json_doc> doc(new (std::nothrow) cz_json_doc);

    if (doc == nullptr)
        return cz_fail(CZ_E_NOMEM, "no memory to parse JSON");
    skip_byte_order_mark(&text, &n);
    if (n == 0)
        return cz_fail(CZ_E_INPUT, "not valid JSON: the text is empty");
    CZ_TRY(parse_into(doc.get(), text, n, most));
    *root = cz_json{doc.get(), 1}; /* word 0 is the root marker */
    *out = doc.release();
    return CZ_OK;
}

void cz_json_destroy(cz_json_doc *doc)
{
    delete doc;
}

cz_json_type cz_json_typeof(cz_json v)
{
    switch (tag(v.doc, v.at)) {
    case '{':
        return CZ_JSON_OBJECT;
    case '[':
        return CZ_JSON_ARRAY;
    case '"':
        return CZ_JSON_STRING;
    case 't':
    case 'f':
        return CZ_JSON_BOOL;
    case 'n':
        return CZ_JSON_NULL;
    default:
        return CZ_JSON_NUMBER;
    }
}

cz_err cz_json_get(cz_json v, const char *key, cz_json *out)
{
    cz_json_iter it;
    cz_json value;
    cz_json found = {nullptr, 0};
    const char *name = nullptr;

    if (cz_json_typeof(v) != CZ_JSON_OBJECT)
        return cz_fail(CZ_E_INPUT, "an object with field '%s' expected, found %s", key,
                       type_name(v));
    CZ_TRY(cz_json_iterate(v, &it));
    while (cz_json_next(&it, &value, &name)) {
        if (name == nullptr || !same_key(name, key))
            continue;
        if (found.doc != nullptr)
            return cz_fail(CZ_E_INPUT, "field '%s' occurs twice", key);
        found = value;
    }
    if (found.doc == nullptr)
        return cz_fail(CZ_E_NOTFOUND, "field '%s' is missing", key);
    *out = found;
    return CZ_OK;
}

cz_err cz_json_size(cz_json v, size_t *out)
{
    cz_json_iter it;
    cz_json value;
    const char *key;
    uint32_t count;

    CZ_TRY(cz_json_iterate(v, &it));
    count = static_cast<uint32_t>(word(v.doc, v.at) >> 32) & SATURATED_COUNT;
    *out = count;
    if (count == SATURATED_COUNT)
        for (*out = 0; cz_json_next(&it, &value, &key);)
            ++*out;
    return CZ_OK;
}

cz_err cz_json_iterate(cz_json v, cz_json_iter *it)
{
    cz_json_type type = cz_json_typeof(v);

    if (type != CZ_JSON_OBJECT && type != CZ_JSON_ARRAY)
        return wrong_type(v, "an array or object");
    it->doc = v.doc;
    it->at = v.at + 1;
    it->end = after(v.doc, v.at) - 1; /* the closing word */
    it->object = type == CZ_JSON_OBJECT;
    return CZ_OK;
}

bool cz_json_next(cz_json_iter *it, cz_json *value, const char **key)
{
    size_t ignored;

    if (it->at >= it->end)
        return false;
    if (it->object) {
        const char *name = string_at(it->doc, it->at++, &ignored);

        if (key != nullptr)
            *key = name;
    }
    *value = cz_json{it->doc, it->at};
    it->at = after(it->doc, it->at);
    return true;
}

cz_err cz_json_bool(cz_json v, bool *out)
{
    if (cz_json_typeof(v) != CZ_JSON_BOOL)
        return wrong_type(v, "true or false");
    *out = tag(v.doc, v.at) == 't';
    return CZ_OK;
}

cz_err cz_json_u64(cz_json v, uint64_t *out)
{
    char t = tag(v.doc, v.at);
    uint64_t raw;

    if (!is_number(t))
        return wrong_type(v, "a number");
    raw = word(v.doc, v.at + 1);
    if (t == 'd' || (t == 'l' && raw >> 63 != 0))
        return cz_fail(CZ_E_INPUT, "a whole number from 0 to 2^64 - 1 expected, found %s",
                       t == 'd' ? "one with a fraction or exponent" : "a negative one");
    *out = raw;
    return CZ_OK;
}

cz_err cz_json_double(cz_json v, double *out)
{
    char t = tag(v.doc, v.at);
    uint64_t raw;

    if (!is_number(t))
        return wrong_type(v, "a number");
    raw = word(v.doc, v.at + 1);
    if (t == 'd')
        std::memcpy(out, &raw, sizeof *out);
    else if (t == 'u')
        *out = static_cast<double>(raw);
    else
        *out = static_cast<double>(static_cast<int64_t>(raw));
    return CZ_OK;
}

cz_err cz_json_string(cz_json v, const char **text, size_t *n)
{
    if (cz_json_typeof(v) != CZ_JSON_STRING)
        return wrong_type(v, "a string");
    *text = string_at(v.doc, v.at, n);
    return CZ_OK;
}

cz_err cz_json_byte_array(cz_json v, uint8_t *out, size_t n)
{
    size_t count;

    if (cz_json_typeof(v) != CZ_JSON_ARRAY)
        return cz_fail(CZ_E_INPUT, "an array of %zu bytes expected, found %s", n, type_name(v));
    CZ_TRY(cz_json_size(v, &count));
    if (count != n)
        return cz_fail(CZ_E_INPUT, "an array of %zu bytes expected, found %zu elements", n, count);
    /* So far as all elements are integers, element i lies at words 2 i and 2 i + 1 after the start.
     */
    const uint64_t *pair = &doc_of(v.doc)->document.tape[v.at + 1];
    for (size_t i = 0; i < n; i++) {
        uint64_t byte = pair[2 * i + 1];

        if (pair[2 * i] >> 56 != 'l' || byte > 255)
            return cz_fail(CZ_E_INPUT, "element %zu is not a whole number from 0 to 255", i);
        out[i] = static_cast<uint8_t>(byte);
    }
    return CZ_OK;
}
