/* snap_inputs.c: an update's challenges, randomness and public inputs; see snap_inputs.h. */
#include "filecoin/snap_inputs.h"

#include "hash/poseidon.h"

enum { DIGEST_BITS = 254, SMALL_NODES = 1 << 10, TAG_SHIFT = 40 };

static unsigned log2_of(uint64_t n)
{
    return (unsigned)__builtin_ctzll(n);
}

cz_snap_dims cz_snap_dims_of(const cz_sector_shape *shape, cz_snap_variant variant)
{
    cz_snap_dims d = {.variant = variant, .node_bits = log2_of(shape->nodes)};

    CZ_ASSERT(shape->snap_partitions != 0);
    if (variant == CZ_SNAP_POSEIDON) {
        d.partitions = 1;
        d.challenges = shape->snap_challenges * shape->snap_partitions;
        d.tree_d = &shape->tree_r;
        return d;
    }
    d.partitions = shape->snap_partitions;
    d.challenges = shape->snap_challenges;
    d.apex_leaves = shape->snap_apex_leaves;
    d.partition_bits = log2_of(d.partitions);
    d.apex_bits = log2_of(d.apex_leaves);
    d.tree_d = &shape->tree_d;
    return d;
}

const unsigned *cz_snap_hs(const cz_sector_shape *shape)
{
    static const unsigned small[CZ_SNAP_HS] = {1, 1, 1, 1, 1, 1};
    static const unsigned large[CZ_SNAP_HS] = {7, 8, 9, 10, 11, 12};

    return shape->nodes <= SMALL_NODES ? small : large;
}

/* The fourth of them, and where all are equal the first one. */
unsigned cz_snap_h_index(const cz_sector_shape *shape)
{
    return shape->nodes <= SMALL_NODES ? 0 : 3;
}

void cz_snap_tag(cz_fr *out)
{
    cz_fr_from_u64(out, UINT64_C(1) << TAG_SHIFT);
}

cz_err cz_snap_hash(cz_fr *out, const cz_fr *a, const cz_fr *b)
{
    const cz_poseidon_constants *k = cz_poseidon_get(2);
    const cz_fr preimage[2] = {*a, *b};
    cz_fr tag;

    if (k == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for Poseidon's constants");
    cz_snap_tag(&tag);
    cz_poseidon_hash_tagged(out, k, &tag, preimage);
    return CZ_OK;
}

cz_err cz_snap_phi(cz_fr *out, const cz_fr *comm_d_new, const cz_fr *comm_r_old)
{
    return cz_snap_hash(out, comm_d_new, comm_r_old);
}

cz_err cz_snap_rho(cz_fr *out, const cz_sector_shape *shape, const cz_fr *phi, uint32_t node)
{
    const unsigned h = cz_snap_hs(shape)[cz_snap_h_index(shape)];
    cz_fr high;

    cz_fr_from_u64(&high, node >> (log2_of(shape->nodes) - h));
    return cz_snap_hash(out, phi, &high);
}

/* --- challenges --- */

static unsigned random_bits(const cz_snap_dims *dims)
{
    return dims->node_bits - dims->partition_bits;
}

unsigned cz_snap_challenges_per_digest(const cz_snap_dims *dims)
{
    return DIGEST_BITS / random_bits(dims);
}

unsigned cz_snap_digests(const cz_snap_dims *dims)
{
    const unsigned per_digest = cz_snap_challenges_per_digest(dims);

    return (dims->challenges + per_digest - 1) / per_digest;
}

static uint32_t bits_at(const cz_u256 *v, unsigned first, unsigned n)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < n; i++) {
        const unsigned at = first + i;

        bits |= (uint32_t)(v->l[at / 64] >> (at % 64) & 1) << i;
    }
    return bits;
}

cz_err cz_snap_challenges(uint32_t *out, const cz_snap_dims *dims, const cz_fr *comm_r_new,
                          unsigned k)
{
    const unsigned n_bits = random_bits(dims), per_digest = cz_snap_challenges_per_digest(dims);
    cz_u256 digest = {{0, 0, 0, 0}};

    for (unsigned i = 0; i < dims->challenges; i++) {
        if (i % per_digest == 0) {
            cz_fr number, hash;

            cz_fr_from_u64(&number, (uint64_t)k * cz_snap_digests(dims) + i / per_digest);
            CZ_TRY(cz_snap_hash(&hash, comm_r_new, &number));
            cz_fr_to_u256(&digest, &hash);
        }
        out[i] =
            (uint32_t)((uint64_t)k << n_bits) | bits_at(&digest, i % per_digest * n_bits, n_bits);
    }
    return CZ_OK;
}

/* --- public inputs --- */

void cz_snap_public_inputs(cz_fr out[CZ_SNAP_INPUTS], const cz_snap_statement *s, unsigned k)
{
    const cz_snap_dims dims = cz_snap_dims_of(s->shape, s->variant);
    const uint64_t h_select = UINT64_C(1) << cz_snap_h_index(s->shape);

    cz_fr_from_u64(&out[0], k | h_select << dims.partition_bits);
    out[1] = s->comm_r_old;
    out[2] = s->comm_d_new;
    out[3] = s->comm_r_new;
}
