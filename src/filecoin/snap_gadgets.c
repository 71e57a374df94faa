/* snap_gadgets.c: the pieces of the update circuits; see snap_gadgets.h. */
#include "filecoin/snap_gadgets.h"

#include "gadgets/constraint.h"
#include "gadgets/multipack.h"
#include "gadgets/poseidon_circuit.h"
#include "gadgets/product.h"

cz_num cz_snap_hash_circuit(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b)
{
    const cz_num preimage[2] = {*a, *b};
    cz_fr tag;

    cz_snap_tag(&tag);
    return cz_poseidon_circuit_tagged(cs, name, &tag, preimage, 2);
}

/* --- challenges --- */

/* (k digests + j) * 1 = number */
static void enforce_digest_number(cz_cs *cs, cz_name name, const cz_num *partition,
                                  unsigned digests, unsigned j, const cz_num *number)
{
    cz_fr coeff;
    cz_product p;

    if (!cs->wants_constraints)
        return;
    cz_product_init(&p);
    cz_fr_from_u64(&coeff, digests);
    cz_lc_add(&p.a, &coeff, partition->var);
    cz_fr_from_u64(&coeff, j);
    cz_lc_add(&p.a, &coeff, CZ_VAR_ONE);
    cz_lc_add_var(&p.b, CZ_VAR_ONE);
    cz_lc_add_var(&p.c, number->var);
    cz_product_enforce(&p, cs, name);
}

static cz_num digest_number(cz_cs *cs, const cz_num *partition, unsigned digests, unsigned j)
{
    cz_fr value = CZ_FR_ZERO, term;
    cz_num number;

    if (cs->has_values) {
        cz_fr_from_u64(&term, digests);
        cz_fr_mul(&value, &partition->value, &term);
        cz_fr_from_u64(&term, j);
        cz_fr_add(&value, &value, &term);
    }
    number = cz_num_alloc(cs, CZ_NU("digest_index_%u", j), &value);
    enforce_digest_number(cs, CZ_NU2("digest_index_%u == k * digests_per_partition + %u", j, j),
                          partition, digests, j, &number);
    return number;
}

/* (sum of 2^i bits[i]) * 1 = num */
static void num_into_bits(cz_cs *cs, cz_name name, cz_bit bits[CZ_FR_BITS], const cz_num *num)
{
    cz_product p;

    cz_cs_enter(cs, name);
    cz_bits_alloc_fr(cs, bits, &num->value);
    if (cs->wants_constraints) {
        cz_product_init(&p);
        cz_lc_add_bits(&p.a, bits, CZ_FR_BITS);
        cz_lc_add_var(&p.b, CZ_VAR_ONE);
        cz_lc_add_var(&p.c, num->var);
        cz_product_enforce(&p, cs, CZ_N("binary decomp"));
    }
    cz_cs_leave(cs);
}

void cz_snap_challenge_bits(cz_cs *cs, cz_name name, cz_bit *out, const cz_snap_dims *dims,
                            const cz_num *comm_r_new, const cz_num *partition)
{
    const unsigned n_bits = dims->node_bits - dims->partition_bits;
    const unsigned per_digest = cz_snap_challenges_per_digest(dims);
    const unsigned digests = cz_snap_digests(dims);
    unsigned left = dims->challenges;

    cz_cs_enter(cs, name);
    for (unsigned j = 0; j < digests; j++) {
        const cz_num number = digest_number(cs, partition, digests, j);
        const cz_num digest = cz_snap_hash_circuit(cs, CZ_NU("digest_%u", j), comm_r_new, &number);
        const unsigned taken = left < per_digest ? left : per_digest;
        cz_bit bits[CZ_FR_BITS];

        num_into_bits(cs, CZ_NU("digest_%u_bits", j), bits, &digest);
        memcpy(out, bits, (size_t)taken * n_bits * sizeof *bits);
        out += taken * n_bits;
        left -= taken;
    }
    cz_cs_leave(cs);
}

/* --- the high bits of a challenge --- */

static cz_num pack(cz_cs *cs, cz_name name, const cz_bit *bits, unsigned n)
{
    cz_boolean booleans[CZ_FR_BITS];

    CZ_ASSERT(n <= CZ_FR_BITS);
    for (unsigned i = 0; i < n; i++)
        booleans[i] = cz_boolean_from_bit(bits[i]);
    return cz_pack_bits(cs, name, booleans, n);
}

/* The h high bits, or 0 where this h is not the chosen one. */
static cz_num high_or_zero(cz_cs *cs, const cz_bit *high, unsigned h, unsigned k, cz_bit chosen)
{
    const cz_num packed = pack(cs, CZ_NU2("c_high (h=%u, k=%u)", h, k), high, h);
    const cz_fr zero = CZ_FR_ZERO;
    const cz_num product = cz_num_alloc(cs, CZ_NU2("c_high_or_zero (h=%u, k=%u)", h, k),
                                        chosen.value ? &packed.value : &zero);

    cz_enforce_product(cs, CZ_NU2("c_high_or_zero == c_high * h_select_bit (h=%u, k=%u)", h, k),
                       packed.var, chosen.var, product.var);
    return product;
}

static cz_num sum_of(cz_cs *cs, const cz_num terms[CZ_SNAP_HS])
{
    cz_fr value = CZ_FR_ZERO;
    cz_product p;
    cz_num sum;

    if (cs->has_values)
        for (unsigned i = 0; i < CZ_SNAP_HS; i++)
            cz_fr_add(&value, &value, &terms[i].value);
    sum = cz_num_alloc(cs, CZ_N("c_high_selected"), &value);
    if (!cs->wants_constraints)
        return sum;
    cz_product_init(&p);
    for (unsigned i = 0; i < CZ_SNAP_HS; i++)
        cz_lc_add_var(&p.a, terms[i].var);
    cz_lc_add_var(&p.b, CZ_VAR_ONE);
    cz_lc_add_var(&p.c, sum.var);
    cz_product_enforce(&p, cs, CZ_N("c_high_selected == dot(c_highs, h_select_bits)"));
    return sum;
}

cz_num cz_snap_high_bits(cz_cs *cs, cz_name name, const cz_bit *bits, unsigned n,
                         const cz_bit h_select[CZ_SNAP_HS], const unsigned hs[CZ_SNAP_HS])
{
    cz_num terms[CZ_SNAP_HS];
    cz_num selected;

    cz_cs_enter(cs, name);
    for (unsigned k = 0; k < CZ_SNAP_HS; k++)
        terms[k] = high_or_zero(cs, bits + (n - hs[k]), hs[k], k, h_select[k]);
    selected = sum_of(cs, terms);
    cz_cs_leave(cs);
    return selected;
}

/* --- the encoding --- */

cz_num cz_snap_encode(cz_cs *cs, cz_name name, const cz_num *old, const cz_num *data,
                      const cz_num *rho)
{
    cz_fr value = CZ_FR_ZERO;
    cz_num product, encoded;

    cz_cs_enter(cs, name);
    product = cz_num_mul(cs, CZ_N("label_d_new * rho"), data, rho);
    if (cs->has_values)
        cz_fr_add(&value, &old->value, &product.value);
    encoded = cz_num_alloc(cs, CZ_N("label_r_new"), &value);
    cz_enforce_sum(cs, CZ_N("label_r_new == label_r_old + label_d_new * rho"), old, &product,
                   &encoded);
    cz_cs_leave(cs);
    return encoded;
}
