/* device_self_test.c: see device_self_test.h. */
#define _GNU_SOURCE
#include "engine/device_self_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cs/compile.h"
#include "groth16/prove_compiled.h"
#include "groth16/prove_device.h"
#include "params/setup.h"

enum { PACKS = 8, PACK_BITS = 64, PRODUCTS = 400, PATH_BYTES = 4096 };

struct cz_self_test {
    cz_compiled *circuit;
    cz_bit_witness witness;
    cz_params params;
    cz_fr r, s;
    uint8_t wanted[CZ_PROOF_BYTES]; /* the CPU's proof */
};

/* --- the circuit --- */

/* A variable and its value. */
typedef struct {
    cz_var var;
    cz_fr value;
} quantity;

typedef struct {
    cz_cs *cs;
    cz_lc a, b, c; /* empty between constraints */
    quantity packed[PACKS];
    quantity bits[PACKS * PACK_BITS];
} building;

static void enforce(building *p, cz_name name)
{
    cz_cs_enforce(p->cs, name, &p->a, &p->b, &p->c);
    cz_lc_reset(&p->a);
    cz_lc_reset(&p->b);
    cz_lc_reset(&p->c);
}

/* Digits of 3^i: neither all alike nor in a pattern. */
static bool bit_of(unsigned i)
{
    uint64_t power = 1;

    while (i-- > 0)
        power *= 3;
    return (power >> 40 & 1) != 0;
}

static void add_bit(building *p, unsigned i)
{
    quantity *bit = &p->bits[i];
    const bool value = bit_of(i);

    bit->value = value ? CZ_FR_ONE : CZ_FR_ZERO;
    bit->var = cz_cs_alloc_bit(p->cs, CZ_NU("bit %u", i), value);
    cz_lc_add_var(&p->a, CZ_VAR_ONE);
    cz_lc_sub_var(&p->a, bit->var);
    cz_lc_add_var(&p->b, bit->var);
    enforce(p, CZ_NU("boolean %u", i));
}

static void pack(building *p, unsigned k)
{
    quantity *sum = &p->packed[k];
    cz_fr power = CZ_FR_ONE, term;

    sum->value = CZ_FR_ZERO;
    for (unsigned i = 0; i < PACK_BITS; i++) {
        const quantity *bit = &p->bits[k * PACK_BITS + i];

        cz_lc_add(&p->a, &power, bit->var);
        cz_fr_mul(&term, &power, &bit->value);
        cz_fr_add(&sum->value, &sum->value, &term);
        cz_fr_dbl(&power, &power);
    }
    sum->var = cz_cs_alloc(p->cs, CZ_NU("packed %u", k), &sum->value);
    cz_lc_add_var(&p->b, CZ_VAR_ONE);
    cz_lc_add_var(&p->c, sum->var);
    enforce(p, CZ_NU("packing %u", k));
}

/* next = (x + bit) (x + packed) */
static quantity multiply(building *p, quantity x, unsigned i)
{
    const quantity bit = p->bits[i % (PACKS * PACK_BITS)], packed = p->packed[i % PACKS];
    cz_fr left, right;
    quantity next;

    cz_fr_add(&left, &x.value, &bit.value);
    cz_fr_add(&right, &x.value, &packed.value);
    cz_fr_mul(&next.value, &left, &right);
    next.var = cz_cs_alloc(p->cs, CZ_NU("product %u", i), &next.value);
    cz_lc_add_var(&p->a, x.var);
    cz_lc_add_var(&p->a, bit.var);
    cz_lc_add_var(&p->b, x.var);
    cz_lc_add_var(&p->b, packed.var);
    cz_lc_add_var(&p->c, next.var);
    enforce(p, CZ_NU("multiplication %u", i));
    return next;
}

static void build(building *p)
{
    quantity x, y;

    cz_fr_from_u64(&x.value, 7);
    x.var = cz_cs_alloc_input(p->cs, CZ_N("x"), &x.value);
    for (unsigned i = 0; i < PACKS * PACK_BITS; i++)
        add_bit(p, i);
    for (unsigned k = 0; k < PACKS; k++)
        pack(p, k);
    for (unsigned i = 0; i < PRODUCTS; i++)
        x = multiply(p, x, i);
    y.var = cz_cs_alloc_input(p->cs, CZ_N("y"), &x.value);
    cz_lc_add_var(&p->a, x.var);
    cz_lc_add_var(&p->b, CZ_VAR_ONE);
    cz_lc_add_var(&p->c, y.var);
    enforce(p, CZ_N("result"));
}

static void synthesize(const cz_circuit *self, cz_cs *cs)
{
    building *p = calloc(1, sizeof *p);

    (void)self;
    if (p == NULL) {
        cz_cs_fail(cs, cz_fail(CZ_E_NOMEM, "no memory for the self-test's circuit"));
        return;
    }
    p->cs = cs;
    cz_lc_init(&p->a);
    cz_lc_init(&p->b);
    cz_lc_init(&p->c);
    build(p);
    cz_lc_clear(&p->a);
    cz_lc_clear(&p->b);
    cz_lc_clear(&p->c);
    free(p);
}

static const cz_circuit circuit = {.id = "self-test", .synthesize = synthesize};

/* --- its parameters --- */

static cz_err make_folder(char path[PATH_BYTES])
{
    const char *dir = getenv("TMPDIR");

    if (dir == NULL || dir[0] == '\0')
        dir = "/tmp";
    if (snprintf(path, PATH_BYTES, "%s/cuzk-self-test-XXXXXX", dir) >= PATH_BYTES)
        return cz_fail(CZ_E_IO, "%s: the path is too long", dir);
    if (mkdtemp(path) == NULL)
        return cz_fail(CZ_E_IO, "%s: %s", path, strerror(errno));
    return CZ_OK;
}

static cz_err make_files(cz_self_test *t, const char *params, const char *vk, cz_pool *pool)
{
    cz_toxic_waste waste;

    cz_fr_from_u64(&waste.alpha, 1000003);
    cz_fr_from_u64(&waste.beta, 1000033);
    cz_fr_from_u64(&waste.gamma, 1000037);
    cz_fr_from_u64(&waste.delta, 1000039);
    cz_fr_from_u64(&waste.tau, 1000081);
    CZ_TRY(cz_params_setup(&circuit, &waste, params, vk, pool, NULL, NULL));
    return cz_params_open(&t->params, params);
}

/* What is open needs no name. */
static cz_err make_params(cz_self_test *t, cz_pool *pool)
{
    char folder[PATH_BYTES], params[PATH_BYTES + 16], vk[PATH_BYTES + 16];
    cz_err err;

    CZ_TRY(make_folder(folder));
    (void)snprintf(params, sizeof params, "%s/params", folder);
    (void)snprintf(vk, sizeof vk, "%s/vk", folder);
    err = make_files(t, params, vk, pool);
    (void)unlink(params);
    (void)unlink(vk);
    (void)rmdir(folder);
    return err;
}

/* --- the proof --- */

static cz_err check(const cz_self_test *t, const cz_proof *proof)
{
    cz_verifier *verifier;
    cz_err err;

    CZ_TRY(cz_verifier_create(&verifier, &t->params.vk));
    err = cz_groth16_verify(verifier, proof, t->witness.inputs + 1, t->witness.n_inputs - 1);
    cz_verifier_destroy(verifier);
    return err;
}

static cz_err prove(cz_self_test *t, cz_pool *pool)
{
    cz_prover_key *key;
    cz_proof proof;
    cz_err err;

    cz_fr_from_u64(&t->r, 1000099);
    cz_fr_from_u64(&t->s, 1000117);
    CZ_TRY(cz_prover_key_load(&key, &t->params, pool, NULL));
    err = cz_groth16_prove_compiled(&proof, key, t->circuit, &t->witness, &t->r, &t->s, pool, NULL);
    cz_prover_key_destroy(key);
    CZ_TRY(err);
    CZ_TRY(check(t, &proof));
    cz_proof_write(t->wanted, &proof);
    return CZ_OK;
}

static cz_err make(cz_self_test *t, cz_pool *pool)
{
    CZ_TRY(cz_circuit_compile(&t->circuit, &circuit, NULL));
    CZ_TRY(cz_bit_witness_synthesize(&t->witness, t->circuit, &circuit));
    CZ_TRY(make_params(t, pool));
    return prove(t, pool);
}

cz_err cz_self_test_create(cz_self_test **out, cz_pool *pool)
{
    cz_self_test *t = calloc(1, sizeof *t);
    cz_err err;

    if (t == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the self-test");
    err = make(t, pool);
    if (err != CZ_OK) {
        cz_self_test_destroy(t);
        return cz_fail_in(err, "self-test of devices");
    }
    *out = t;
    return CZ_OK;
}

void cz_self_test_destroy(cz_self_test *t)
{
    if (t == NULL)
        return;
    if (t->params.path != NULL)
        cz_params_close(&t->params);
    cz_bit_witness_clear(&t->witness);
    cz_compiled_destroy(t->circuit);
    free(t);
}

/* --- a device --- */

static cz_err compare(const cz_self_test *t, const cz_proof *proof)
{
    uint8_t got[CZ_PROOF_BYTES];

    cz_proof_write(got, proof);
    if (memcmp(got, t->wanted, sizeof got) != 0)
        return cz_fail(CZ_E_VERIFY, "the proof is not the CPU's");
    return CZ_OK;
}

static cz_err prove_on(const cz_self_test *t, cz_gpu *gpu)
{
    cz_device_key *key;
    cz_proof proof;
    cz_err err;

    CZ_TRY(cz_device_key_load(&key, gpu, &t->params, t->circuit, NULL, NULL));
    err = cz_groth16_prove_device(&proof, key, &t->witness, &t->r, &t->s, 0, NULL);
    cz_device_key_destroy(key);
    CZ_TRY(err);
    return compare(t, &proof);
}

cz_err cz_self_test_run(const cz_self_test *t, unsigned number)
{
    cz_gpu *gpu;
    cz_err err;

    CZ_TRY(cz_gpu_open(&gpu, (int)number, 0));
    err = prove_on(t, gpu);
    cz_gpu_close(gpu);
    return err == CZ_OK ? CZ_OK : cz_fail_in(err, "self-test");
}
