/* bincode.c: the pieces that all vanilla proofs in bincode share; see bincode.h. */
#include "filecoin/bincode.h"

#include <inttypes.h>

#include "filecoin/comm.h"

cz_err cz_bincode_element(cz_reader *r, cz_fr *out, const char *what)
{
    const uint8_t *bytes;

    CZ_TRY(cz_read_bytes(r, &bytes, 32, what));
    CZ_TRY_IN(cz_fr_from_bytes(out, bytes), "%s", what);
    return CZ_OK;
}

cz_err cz_bincode_count(cz_reader *r, uint64_t expected, const char *what, const char *of)
{
    uint64_t found;

    CZ_TRY(cz_read_le64(r, &found, what));
    if (found != expected)
        return cz_fail(CZ_E_INPUT, "%s: %" PRIu64 " %s, expected %" PRIu64, what, found, of,
                       expected);
    return CZ_OK;
}

cz_err cz_bincode_elements(cz_reader *r, cz_fr *out, size_t n, const char *what)
{
    CZ_TRY(cz_bincode_count(r, n, what, "elements"));
    for (size_t i = 0; i < n; i++)
        CZ_TRY_IN(cz_bincode_element(r, &out[i], "element"), "%s[%zu]", what, i);
    return CZ_OK;
}

/* --- Merkle proofs --- */

static cz_err read_level(cz_reader *r, unsigned arity, cz_fr *siblings, uint32_t *index)
{
    uint64_t wide;

    CZ_TRY(cz_bincode_elements(r, siblings, arity - 1, "hashes"));
    CZ_TRY(cz_read_le64(r, &wide, "index"));
    if (wide >= arity)
        return cz_fail(CZ_E_INPUT, "index: %" PRIu64 " is above %u", wide, arity - 1);
    *index = (uint32_t)wide;
    return CZ_OK;
}

static cz_err read_levels(cz_reader *r, const char *what, const cz_tree_shape *t, unsigned first,
                          unsigned n, cz_fr **siblings, uint32_t *indices)
{
    CZ_TRY(cz_bincode_count(r, n, what, "elements"));
    for (unsigned i = first; i < first + n; i++) {
        const unsigned arity = cz_tree_level_arity(t, i);

        CZ_TRY_IN(read_level(r, arity, *siblings, &indices[i]), "%s: path[%u]", what, i - first);
        *siblings += arity - 1;
    }
    return CZ_OK;
}

static cz_err read_single(cz_reader *r, const cz_tree_shape *t, cz_inclusion_proof *p)
{
    cz_fr *siblings = p->siblings;

    CZ_TRY(cz_bincode_element(r, &p->root, "root"));
    CZ_TRY(cz_bincode_element(r, &p->leaf, "leaf"));
    return read_levels(r, "path", t, 0, t->base_levels, &siblings, p->indices);
}

static cz_err read_compound(cz_reader *r, const cz_tree_shape *t, cz_inclusion_proof *p)
{
    const unsigned base = t->base_levels;
    cz_fr *siblings = p->siblings;

    CZ_TRY(read_levels(r, "base_proof", t, 0, base, &siblings, p->indices));
    CZ_TRY(read_levels(r, "sub_proof", t, base, 1, &siblings, p->indices));
    if (t->top_arity != 0)
        CZ_TRY(read_levels(r, "top_proof", t, base + 1, 1, &siblings, p->indices));
    CZ_TRY(cz_bincode_element(r, &p->root, "root"));
    return cz_bincode_element(r, &p->leaf, "leaf");
}

cz_err cz_bincode_inclusion(cz_reader *r, const cz_tree_shape *t, cz_inclusion_proof *p)
{
    const uint32_t expected = t->top_arity != 0 ? 2 : t->sub_arity != 0 ? 1 : 0;
    uint32_t variant;

    CZ_TRY(cz_read_le32(r, &variant, "variant"));
    if (variant != expected)
        return cz_fail(CZ_E_INPUT, "variant %u of a Merkle proof, expected %u", variant, expected);
    return variant == 0 ? read_single(r, t, p) : read_compound(r, t, p);
}

cz_err cz_bincode_end(const cz_reader *r)
{
    return r->left == 0 ? CZ_OK : cz_fail(CZ_E_INPUT, "%zu bytes too many", r->left);
}
