/* toml.cpp: toml.h on toml++, without exceptions of its own; an allocation that fails inside is
 * caught here. */
#include "config/toml.h"

#include <algorithm>
#include <deque>
#include <new>
#include <string>
#include <vector>

#define TOML_EXCEPTIONS        0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

struct cz_toml {
    std::vector<cz_toml_value> leaves;
    std::deque<std::string> strings;              /* what text and name point into */
    std::deque<std::vector<cz_toml_value>> items; /* what items points into */
};

namespace
{

constexpr unsigned MAX_DEPTH = 16;

struct walk {
    cz_toml *doc;
    const char *file;
};

cz_toml_type type_of(const toml::node &node)
{
    switch (node.type()) {
    case toml::node_type::boolean:
        return CZ_TOML_BOOL;
    case toml::node_type::integer:
        return CZ_TOML_INTEGER;
    case toml::node_type::floating_point:
        return CZ_TOML_FLOAT;
    case toml::node_type::string:
        return CZ_TOML_STRING;
    case toml::node_type::array:
        return CZ_TOML_ARRAY;
    case toml::node_type::table:
        return CZ_TOML_TABLE;
    default:
        return CZ_TOML_DATE;
    }
}

const char *keep(cz_toml *doc, std::string text)
{
    doc->strings.push_back(std::move(text));
    return doc->strings.back().c_str();
}

cz_err convert(const walk &w, const toml::node &node, std::string name, unsigned depth,
               cz_toml_value *out);

cz_err convert_items(const walk &w, const toml::array &array, unsigned depth, cz_toml_value *out)
{
    w.doc->items.emplace_back();
    std::vector<cz_toml_value> &items = w.doc->items.back(); /* a deque never moves its elements */

    for (const toml::node &node : array) {
        cz_toml_value item;

        CZ_TRY(convert(w, node, std::string(), depth + 1, &item));
        items.push_back(item);
    }
    out->items = items.data();
    out->n_items = items.size();
    return CZ_OK;
}

cz_err convert(const walk &w, const toml::node &node, std::string name, unsigned depth,
               cz_toml_value *out)
{
    *out = cz_toml_value{};
    out->line = node.source().begin.line;
    out->type = type_of(node);
    out->name = keep(w.doc, std::move(name));
    if (depth > MAX_DEPTH)
        return cz_fail(CZ_E_INPUT, "%s:%u: nested more than %u levels deep", w.file, out->line,
                       MAX_DEPTH);
    if (out->type == CZ_TOML_BOOL)
        out->boolean = node.as_boolean()->get();
    if (out->type == CZ_TOML_INTEGER)
        out->integer = node.as_integer()->get();
    if (out->type == CZ_TOML_FLOAT)
        out->number = node.as_floating_point()->get();
    if (out->type == CZ_TOML_ARRAY)
        return convert_items(w, *node.as_array(), depth, out);
    if (out->type != CZ_TOML_STRING)
        return CZ_OK;
    const std::string &text = node.as_string()->get();
    if (text.find('\0') != std::string::npos)
        return cz_fail(CZ_E_INPUT, "%s:%u: %s: a NUL character in a string", w.file, out->line,
                       out->name);
    out->text = keep(w.doc, text);
    return CZ_OK;
}

cz_err collect(const walk &w, const toml::table &table, const std::string &prefix, unsigned depth)
{
    for (auto &&[key, node] : table) {
        const toml::table *inner = node.as_table();
        std::string name = prefix + std::string(key.str());
        cz_toml_value leaf;

        if (inner != nullptr && !inner->empty() && depth < MAX_DEPTH) {
            CZ_TRY(collect(w, *inner, name + ".", depth + 1));
            continue;
        }
        CZ_TRY(convert(w, node, std::move(name), depth, &leaf));
        w.doc->leaves.push_back(leaf);
    }
    return CZ_OK;
}

cz_err parse(cz_toml *doc, const char *text, size_t n, const char *file)
{
    toml::parse_result result = toml::parse(std::string_view(text, n));

    if (!result) {
        const toml::parse_error &error = result.error();

        return cz_fail(CZ_E_INPUT, "%s:%u: %.*s", file,
                       static_cast<unsigned>(error.source().begin.line),
                       static_cast<int>(error.description().size()), error.description().data());
    }
    CZ_TRY(collect(walk{doc, file}, result.table(), std::string(), 0));
    std::stable_sort(
        doc->leaves.begin(), doc->leaves.end(),
        [](const cz_toml_value &a, const cz_toml_value &b) { return a.line < b.line; });
    return CZ_OK;
}

} // namespace

extern "C" const char *cz_toml_type_text(cz_toml_type type)
{
    static const char *const texts[] = {"a boolean", "an integer", "a number", "a string",
                                        "an array",  "a table",    "a date"};

    return texts[type];
}

extern "C" cz_err cz_toml_parse(cz_toml **out, const char *text, size_t n, const char *file)
{
    cz_toml *doc = new (std::nothrow) cz_toml;

    if (doc == nullptr)
        return cz_fail(CZ_E_NOMEM, "%s: no memory", file);
    try {
        cz_err err = parse(doc, text, n, file);

        if (err != CZ_OK) {
            delete doc;
            return err;
        }
    } catch (const std::exception &e) {
        delete doc;
        return cz_fail(CZ_E_NOMEM, "%s: %s", file, e.what());
    }
    *out = doc;
    return CZ_OK;
}

extern "C" void cz_toml_destroy(cz_toml *doc)
{
    delete doc;
}

extern "C" const cz_toml_value *cz_toml_values(const cz_toml *doc, size_t *n)
{
    *n = doc->leaves.size();
    return doc->leaves.data();
}
