/* time_hash.c: hashes, compared with their definitions. */
#include <stdlib.h>
#include <string.h>

#include "hash/poseidon_many.h"
#include "hash/sha256.h"
#include "time_case.h"

typedef struct {
    time_case base;
    bool witness;
    size_t n; /* permutations, or bytes of the message */
    const cz_poseidon_constants *k;
    cz_fr *preimages, *out;
    uint8_t *message, digest[32];
} hash_case;

/* --- Poseidon ------------------------------------------------------------------------------- */

static size_t out_size(const hash_case *c)
{
    return c->witness ? cz_poseidon_witness_size(c->k) : 1;
}

static void witness_some(const hash_case *c, size_t begin, size_t end)
{
    const size_t size = out_size(c);
    cz_fr *rows[8];

    for (size_t i = begin; i < end; i += 8) {
        const size_t n = end - i < 8 ? end - i : 8;

        for (size_t k = 0; k < n; k++)
            rows[k] = c->out + (i + k) * size;
        cz_poseidon_witness_many(rows, c->k, &c->k->domain_tag, c->preimages + i * c->k->arity, n);
    }
}

static cz_err permute_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const hash_case *c = ctx;

    (void)worker;
    if (c->witness)
        witness_some(c, begin, end);
    else
        cz_poseidon_hash_many(c->out + begin, c->k, c->preimages + begin * c->k->arity,
                              end - begin);
    return CZ_OK;
}

static cz_err run_poseidon(time_case *base)
{
    hash_case *c = (hash_case *)base;

    return cz_parallel_for(base->pool, c->n, 64, permute_some, c);
}

static cz_err check_poseidon(time_case *base)
{
    const hash_case *c = (hash_case *)base;
    const size_t size = out_size(c);

    for (size_t i = 0; i < c->n; i++) {
        cz_fr want;

        cz_poseidon_ref_hash(&want, c->k, c->preimages + i * c->k->arity);
        if (!cz_fr_equal(&want, &c->out[(i + 1) * size - 1]))
            return cz_fail(CZ_E_INTERNAL, "digest %zu is not the reference's", i);
    }
    return CZ_OK;
}

/* Products in all S-boxes, terms and reductions in all sums, products of the sparse layers. */
static void count_poseidon(hash_case *c)
{
    const double t = c->k->width, partial = c->k->partial_rounds;
    const double sboxes = CZ_POSEIDON_FULL_ROUNDS * t + partial;
    const double sums = (CZ_POSEIDON_FULL_ROUNDS - 1) * t + 1 + partial;
    const double single = partial * (t - 1);
    const bool lanes = strcmp(cz_poseidon_form(), "ifma") == 0;
    const double n = (double)c->n;

    c->base.cost = (time_cost){.form = cz_poseidon_form(),
                               .item = "permutation",
                               .items = n,
                               .bytes = n * (double)(c->k->arity + out_size(c)) * sizeof(cz_fr)};
    if (lanes)
        c->base.cost.multiply_adds =
            n / 8 *
            (sboxes * (2 * IFMA_FR_SQR + IFMA_FR_MUL) + sums * (t * IFMA_FR_TERM + IFMA_FR_REDUCE) +
             single * IFMA_FR_FACTOR);
    else
        c->base.cost.products =
            n * (sboxes * (2 * MULX_FR_SQR + MULX_FR_MUL) +
                 sums * (t * MULX_FR_TERM + MULX_FR_REDUCE) + single * MULX_FR_MUL);
}

static cz_err fill_poseidon(hash_case *c, const time_order *order)
{
    const char *arity = order->n_words > 1 ? order->words[1] : "8";
    unsigned log_n = 12;
    cz_fr x = CZ_FR_ONE;

    c->k = cz_poseidon_get((unsigned)strtoul(arity, NULL, 10));
    if (c->k == NULL || order->n_words > 3)
        return args_mistake(
            cz_fail(CZ_E_INPUT, "%s: an arity of 2, 4, 8, 11, 16, 24 or 36 and a size may follow",
                    order->text));
    if (order->n_words == 3)
        CZ_TRY_IN(time_parse_log2(&log_n, order->words[2], 0, 24), "%s", order->text);
    c->n = (size_t)1 << log_n;
    c->preimages = malloc(c->n * c->k->arity * sizeof *c->preimages);
    c->out = malloc(c->n * out_size(c) * sizeof *c->out);
    if (c->preimages == NULL || c->out == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu permutations", c->n);
    for (size_t i = 0; i < c->n * c->k->arity; i++) {
        cz_fr_mul(&x, &x, &c->k->compressed[i % c->k->width]);
        c->preimages[i] = x;
    }
    c->base.run = run_poseidon;
    c->base.check = check_poseidon;
    count_poseidon(c);
    return CZ_OK;
}

/* --- SHA-256 -------------------------------------------------------------------------------- */

static cz_err run_sha256(time_case *base)
{
    hash_case *c = (hash_case *)base;

    cz_sha256_of(c->digest, c->message, c->n);
    return CZ_OK;
}

static cz_err check_sha256(time_case *base)
{
    const hash_case *c = (hash_case *)base;
    uint32_t want[8], got[8];

    memcpy(want, cz_sha256_iv, sizeof want);
    memcpy(got, cz_sha256_iv, sizeof got);
    cz_sha256_compress_portable(want, c->message, c->n / 64);
    cz_sha256_compress(got, c->message, c->n / 64);
    if (memcmp(want, got, sizeof want) != 0)
        return cz_fail(CZ_E_INTERNAL, "the compression is not the portable form's");
    return CZ_OK;
}

static cz_err fill_sha256(hash_case *c, const time_order *order)
{
    unsigned log_n = 24;

    if (order->n_words > 2)
        return args_mistake(
            cz_fail(CZ_E_INPUT, "%s: one size may follow, as in sha256:2^24", order->text));
    if (order->n_words == 2)
        CZ_TRY_IN(time_parse_log2(&log_n, order->words[1], 6, 32), "%s", order->text);
    c->n = (size_t)1 << log_n;
    c->message = malloc(c->n);
    if (c->message == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a message");
    memset(c->message, 0xa5, c->n);
    c->base.run = run_sha256;
    c->base.check = check_sha256;
    c->base.cost = (time_cost){.form = cz_sha256_has_ni() != 0 ? "sha-ni" : "portable",
                               .item = "byte",
                               .items = (double)c->n,
                               .bytes = (double)c->n};
    return CZ_OK;
}

/* --- from the command line ------------------------------------------------------------------ */

static void destroy(time_case *base)
{
    hash_case *c = (hash_case *)base;

    free(c->preimages);
    free(c->out);
    free(c->message);
    free(c);
}

cz_err time_hash_create(time_case **out, const time_order *order)
{
    hash_case *c = calloc(1, sizeof *c);
    cz_err err;

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    c->base = (time_case){.pool = order->pool, .destroy = destroy};
    c->witness = strcmp(order->words[0], "poseidon-witness") == 0;
    err = strcmp(order->words[0], "sha256") == 0 ? fill_sha256(c, order) : fill_poseidon(c, order);
    if (err != CZ_OK) {
        destroy(&c->base);
        return err;
    }
    *out = &c->base;
    return CZ_OK;
}
