/* poseidon_circuit.c: Poseidon in a circuit, round by round; see poseidon_circuit.h. */
#include "gadgets/poseidon_circuit.h"

#include "gadgets/constraint.h"
#include "gadgets/poseidon_template.h"
#include "gadgets/product.h"
#include "hash/poseidon_many.h"

enum { MAX_SLOTS = CZ_POSEIDON_FULL_ROUNDS * CZ_POSEIDON_MAX_WIDTH + 64 };

/* One hash while it is made. `value` is the state, carried natively; `slot` the variables that the
 * template's combinations are over. */
typedef struct {
    cz_cs *cs;
    const cz_poseidon_template *t;
    const cz_fr *key;  /* next compressed round constant */
    cz_fr constant;    /* value of slot 0 */
    unsigned next_sum; /* of the template */
    unsigned n_slots;
    cz_var slot[MAX_SLOTS];
    cz_fr value[CZ_POSEIDON_MAX_WIDTH];
} hasher;

/* ---- values ---- */

static void quintic(cz_fr *r, const cz_fr *x)
{
    cz_fr x4;

    cz_fr_sqr(&x4, x);
    cz_fr_sqr(&x4, &x4);
    cz_fr_mul(r, &x4, x);
}

static void mix_dense(hasher *h, const cz_fr *matrix)
{
    unsigned width = h->t->k->width;
    cz_fr mixed[CZ_POSEIDON_MAX_WIDTH];
    cz_fr product;

    if (!h->cs->has_values)
        return;
    for (unsigned j = 0; j < width; j++) {
        mixed[j] = CZ_FR_ZERO;
        for (unsigned i = 0; i < width; i++) {
            cz_fr_mul(&product, &h->value[i], &matrix[i * width + j]);
            cz_fr_add(&mixed[j], &mixed[j], &product);
        }
    }
    for (unsigned j = 0; j < width; j++)
        h->value[j] = mixed[j];
}

static void mix_sparse(hasher *h, const cz_poseidon_sparse *m)
{
    cz_fr corner = CZ_FR_ZERO;
    cz_fr product;

    if (!h->cs->has_values)
        return;
    for (unsigned i = 0; i < h->t->k->width; i++) {
        cz_fr_mul(&product, &h->value[i], &m->w_hat[i]);
        cz_fr_add(&corner, &corner, &product);
    }
    for (unsigned j = 1; j < h->t->k->width; j++) {
        cz_fr_mul(&product, &h->value[0], &m->v_rest[j - 1]);
        cz_fr_add(&h->value[j], &h->value[j], &product);
    }
    h->value[0] = corner;
}

/* ---- combinations ---- */

/* lc += the template's next sum */
static void add_sum(hasher *h, cz_lc *lc)
{
    const uint32_t *first = &h->t->first[h->next_sum];
    cz_fr coeff;

    for (uint32_t i = first[0]; i < first[1]; i++) {
        const cz_poseidon_term *term = &h->t->terms[i];

        if (term->slot != 0) {
            cz_lc_add(lc, &term->coeff, h->slot[term->slot]);
            continue;
        }
        cz_fr_mul(&coeff, &term->coeff, &h->constant);
        cz_lc_add(lc, &coeff, CZ_VAR_ONE);
    }
}

/* A variable for the next sum, whose value is `value`. */
static cz_num alloc_sum(hasher *h, cz_name name, const cz_fr *value)
{
    cz_cs *cs = h->cs;
    cz_product p;
    cz_num num;

    cz_cs_enter(cs, name);
    num = cz_num_alloc(cs, CZ_N("allocate for Elt::Num"), value);
    if (cs->wants_constraints) {
        cz_product_init(&p);
        add_sum(h, &p.a);
        cz_lc_add_var(&p.b, CZ_VAR_ONE);
        cz_lc_add_var(&p.c, num.var);
        cz_product_enforce(&p, cs, CZ_N("enforce num allocation preserves lc"));
    }
    cz_cs_leave(cs);
    h->next_sum++;
    return num;
}

/* ---- S-boxes ---- */

/* (num + key)^2 */
static cz_num square_sum(cz_cs *cs, cz_name name, const cz_num *num, const cz_fr *key)
{
    cz_fr value = CZ_FR_ZERO;
    cz_product p;
    cz_num square;

    if (cs->has_values) {
        cz_fr_add(&value, &num->value, key);
        cz_fr_sqr(&value, &value);
    }
    cz_cs_enter(cs, name);
    square = cz_num_alloc(cs, CZ_N("squared sum"), &value);
    if (cs->wants_constraints) {
        cz_product_init(&p);
        cz_lc_add(&p.a, key, CZ_VAR_ONE);
        cz_lc_add_var(&p.a, num->var);
        cz_lc_add(&p.b, key, CZ_VAR_ONE);
        cz_lc_add_var(&p.b, num->var);
        cz_lc_add_var(&p.c, square.var);
        cz_product_enforce(&p, cs, CZ_N("squared sum constraint"));
    }
    cz_cs_leave(cs);
    return square;
}

static cz_name mul_sum_name(const cz_fr *pre, const cz_fr *post)
{
    if (pre != NULL)
        return CZ_N("mul sum constraint pre-post-add");
    return post != NULL ? CZ_N("mul sum constraint post-add") : CZ_N("mul sum constraint");
}

static void enforce_mul_sum(cz_cs *cs, cz_var a, cz_var b, const cz_fr *pre, const cz_fr *post,
                            cz_var result)
{
    cz_product p;
    cz_fr minus;

    if (!cs->wants_constraints)
        return;
    cz_product_init(&p);
    if (pre != NULL)
        cz_lc_add(&p.a, pre, CZ_VAR_ONE);
    cz_lc_add_var(&p.a, b);
    cz_lc_add_var(&p.b, a);
    if (post != NULL) {
        cz_fr_neg(&minus, post);
        cz_lc_add(&p.c, &minus, CZ_VAR_ONE);
    }
    cz_lc_add_var(&p.c, result);
    cz_product_enforce(&p, cs, mul_sum_name(pre, post));
}

/* a (b + pre) + post; pre and post may be NULL, pre only together with post */
static cz_num mul_sum(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b, const cz_fr *pre,
                      const cz_fr *post)
{
    cz_fr value = b->value;
    cz_num result;

    if (cs->has_values) {
        if (pre != NULL)
            cz_fr_add(&value, &value, pre);
        cz_fr_mul(&value, &value, &a->value);
        if (post != NULL)
            cz_fr_add(&value, &value, post);
    }
    cz_cs_enter(cs, name);
    result = cz_num_alloc(cs, CZ_N("mul_sum"), &value);
    enforce_mul_sum(cs, a->var, b->var, pre, post, result.var);
    cz_cs_leave(cs);
    return result;
}

static void put_output(hasher *h, unsigned element, const cz_num *num)
{
    h->slot[h->n_slots++] = num->var;
    h->value[element] = num->value;
}

/* element^5 + post, the element being the template's next sum */
static void s_box(hasher *h, cz_name name, unsigned element, const cz_fr *post)
{
    cz_cs *cs = h->cs;
    cz_num l, l2, l4, l5;

    cz_cs_enter(cs, name);
    l = alloc_sum(h, CZ_N("S-box input"), &h->value[element]);
    l2 = cz_num_square(cs, CZ_N("l^2"), &l);
    l4 = cz_num_square(cs, CZ_N("l^4"), &l2);
    l5 = mul_sum(cs, CZ_N("(l4 * l) + rk)"), &l4, &l, NULL, post);
    cz_cs_leave(cs);
    put_output(h, element, &l5);
}

/* (num + pre)^5 + post */
static void first_s_box(hasher *h, unsigned element, const cz_num *num, const cz_fr *pre,
                        const cz_fr *post)
{
    cz_cs *cs = h->cs;
    cz_num l2, l4, l5;

    cz_cs_enter(cs, CZ_NU("quintic s-box %u", element));
    l2 = square_sum(cs, CZ_N("(l+rk)^2"), num, pre);
    l4 = cz_num_square(cs, CZ_N("l^4"), &l2);
    l5 = mul_sum(cs, CZ_N("l4 * (l + rk)"), &l4, num, pre, post);
    cz_cs_leave(cs);
    put_output(h, element, &l5);
}

/* ---- rounds ---- */

/* The tag is no variable: its S-box is computed here, in every mode. */
static void set_constant(hasher *h, const cz_fr *tag, const cz_fr *pre, const cz_fr *post)
{
    cz_fr_add(&h->constant, tag, pre);
    quintic(&h->constant, &h->constant);
    cz_fr_add(&h->constant, &h->constant, post);
    h->slot[h->n_slots++] = CZ_VAR_ONE;
    h->value[0] = h->constant;
}

static void first_round(hasher *h, const cz_fr *tag, const cz_num *preimage)
{
    unsigned width = h->t->k->width;
    const cz_fr *pre = h->key;
    const cz_fr *post = h->key + width;

    cz_cs_enter(h->cs, CZ_N("first round"));
    set_constant(h, tag, &pre[0], &post[0]);
    for (unsigned i = 1; i < width; i++)
        first_s_box(h, i, &preimage[i - 1], &pre[i], &post[i]);
    cz_cs_leave(h->cs);
    h->key += 2 * width;
    mix_dense(h, h->t->k->mds);
}

static void full_round(hasher *h, cz_name name, const cz_fr *matrix, bool has_keys)
{
    cz_cs_enter(h->cs, name);
    for (unsigned i = 0; i < h->t->k->width; i++)
        s_box(h, CZ_NU("quintic s-box %u", i), i, has_keys ? h->key++ : NULL);
    cz_cs_leave(h->cs);
    mix_dense(h, matrix);
}

static void partial_round(hasher *h, unsigned i)
{
    cz_cs_enter(h->cs, CZ_NU("partial round %u", i));
    s_box(h, CZ_N("solitary quintic s-box"), 0, h->key++);
    cz_cs_leave(h->cs);
    mix_sparse(h, &h->t->k->sparse[i]);
}

static cz_num hash_here(hasher *h, const cz_fr *tag, const cz_num *preimage)
{
    const cz_poseidon_constants *k = h->t->k;
    const unsigned half = CZ_POSEIDON_FULL_ROUNDS / 2;

    first_round(h, tag, preimage);
    for (unsigned i = 1; i < half; i++)
        full_round(h, CZ_NU("initial full round %u", i), i == half - 1 ? k->pre_sparse : k->mds,
                   true);
    for (unsigned i = 0; i < k->partial_rounds; i++)
        partial_round(h, i);
    for (unsigned i = 0; i < half - 1; i++)
        full_round(h, CZ_NU("final full round %u", i), k->mds, true);
    full_round(h, CZ_N("terminal full round"), k->mds, false);
    return alloc_sum(h, CZ_N("hash result"), &h->value[1]);
}

/* ---- natively ---- */

/* Room for the variables of a hash in every lane; false when one has none. */
static bool alloc_hashes(cz_num *out, cz_fr *rooms[], cz_cs *const lanes[], unsigned n,
                         unsigned size)
{
    for (unsigned i = 0; i < n; i++) {
        const cz_var first = cz_cs_alloc_values(lanes[i], &rooms[i], size);

        if (rooms[i] == NULL)
            return false;
        out[i].var = (cz_var){first.id + size - 1};
    }
    return true;
}

/* The variables of n hashes, n at most CZ_CS_LANES, filled without going through the circuit. */
static void hash_natively(cz_num *out, cz_cs *const lanes[], unsigned n,
                          const cz_poseidon_constants *k, const cz_fr *tag,
                          const cz_num *const preimages[])
{
    const unsigned size = (unsigned)cz_poseidon_witness_size(k);
    cz_fr values[CZ_CS_LANES * CZ_POSEIDON_MAX_ARITY];
    cz_fr *rooms[CZ_CS_LANES];

    for (unsigned i = 0; i < n; i++) {
        out[i] = preimages[i][0];
        for (unsigned j = 0; j < k->arity; j++)
            values[i * k->arity + j] = preimages[i][j].value;
    }
    if (!alloc_hashes(out, rooms, lanes, n, size))
        return;
    cz_poseidon_witness_many(rooms, k, tag, values, n);
    for (unsigned i = 0; i < n; i++)
        out[i].value = rooms[i][size - 1];
}

void cz_poseidon_circuit_lanes(cz_num *out, cz_cs *const lanes[], unsigned n, cz_name name,
                               const cz_num *const preimages[], unsigned arity)
{
    const cz_poseidon_constants *k = cz_poseidon_get(arity);

    CZ_ASSERT(n >= 1 && n <= CZ_CS_LANES);
    if (k != NULL && cz_cs_takes_values(lanes[0])) {
        hash_natively(out, lanes, n, k, &k->domain_tag, preimages);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = cz_poseidon_circuit(lanes[i], name, preimages[i], arity);
}

/* ---- one hash ---- */

cz_num cz_poseidon_circuit_tagged(cz_cs *cs, cz_name name, const cz_fr *tag, const cz_num *preimage,
                                  unsigned arity)
{
    cz_err err = CZ_OK;
    hasher h = {.cs = cs, .t = cz_poseidon_template_get(arity, &err)};
    cz_num digest;

    if (h.t == NULL) {
        cz_cs_fail(cs, err);
        return preimage[0];
    }
    if (cz_cs_takes_values(cs)) {
        hash_natively(&digest, &cs, 1, h.t->k, tag, &preimage);
        return digest;
    }
    h.key = h.t->k->compressed;
    cz_cs_border(cs);
    cz_cs_enter(cs, name);
    digest = hash_here(&h, tag, preimage);
    cz_cs_leave(cs);
    cz_cs_border(cs);
    return digest;
}

cz_num cz_poseidon_circuit(cz_cs *cs, cz_name name, const cz_num *preimage, unsigned arity)
{
    const cz_poseidon_constants *k = cz_poseidon_get(arity);
    cz_fr none = CZ_FR_ZERO; /* an arity without constants fails in the call below */

    return cz_poseidon_circuit_tagged(cs, name, k != NULL ? &k->domain_tag : &none, preimage,
                                      arity);
}
