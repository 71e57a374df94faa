/* ntt_forms.h: how a transform is cut up, and what a form has to supply; for this room alone.
 *
 * A transform of size n runs as one to three passes. A pass works on log_m of the log_n index bits
 *
 *     index = [ block: high bits | i: log_m bits | column: low bits ]
 *
 * and does an independent transform of size m = 2^log_m over i for every (block, column). Eight of
 * these that lie side by side make a tile: eight columns of a block, or, where low = 0, eight
 * consecutive blocks ("rows"). A form copies a tile into its scratch, transforms it and puts it
 * back.
 *
 * To reversed order (natural in), passes go from the high bits to the low ones. A block after the
 * first `high` bits holds the polynomial modulo X^(n / 2^high) - beta^(n / 2^high), where beta =
 * shift w^rev(block); splitting it further needs in layer j of the tile, for i < 2^j, the twiddle
 *
 *     table[j][i] = u[i] base^(m / 2^(j + 1)),   base = beta^(2^low),
 *     u[i] = exp(2 pi sqrt(-1) rev_k(i) / 2^(k + 1)) for i < 2^k, whatever k: one table.
 *
 * From reversed order (natural out), passes go from the low bits to the high ones; layer j joins
 * blocks of size 2^j, the same table entry serves place rev_j(i) of all of them, and the base
 * belongs to the column: base = (shift w^column)^(2^high). The two are each other's mirror image:
 * the second is the first with the bits of all indices within the tile reversed.
 *
 * Where all eight lanes share the base ("uniform" tiles), a table of m twiddles is made for it.
 * Otherwise only the first cz_ntt_lane_layers(log_m) layers use a table of each lane's own, which
 * is small. To reversed order, 2^layers transforms of size m / 2^layers remain; multiplying element
 * t of each by base^t (the "twist", which also takes the factor `scale`) makes their base 1, so
 * that the layers that remain share u. From reversed order, the blocks of size 2^layers that are
 * done take the same factors, t being the reversed number of the block. A twist costs a
 * multiplication an element and saves a table of size n.
 *
 * Every butterfly is (a, b) -> (a + w b, a - w b), in both directions. */
#ifndef CZ_NTT_NTT_FORMS_H
#define CZ_NTT_NTT_FORMS_H

#include <stdbool.h>

#include "ntt/ntt.h"

enum { CZ_NTT_LANES = 8, CZ_NTT_MAX_LOG_M = 12 };

struct cz_ntt_plan {
    unsigned log_n;
    unsigned low_bits; /* w^e = high[e >> low_bits] low[e mod 2^low_bits] */
    cz_fr *low;
    cz_fr *high;
    unsigned log_u;
    cz_fr *u[2];     /* 2^log_u twiddles of a tile, of w and of 1/w */
    void *u_ifma[2]; /* the same for ntt_ifma.c, NULL where the CPU has no IFMA */
};

/* One transform. Output k (in natural numbering) is multiplied by scale post^k. */
typedef struct {
    const cz_ntt_plan *plan;
    bool inverse;  /* 1/w in place of w */
    bool from_rev; /* reversed in, natural out; else natural in, reversed out */
    bool has_post; /* only to reversed order */
    cz_fr shift;
    cz_fr scale;
    cz_fr post;
} cz_ntt_job;

typedef struct {
    const cz_ntt_job *job;
    unsigned high, log_m, low; /* bits, high + log_m + low = log_n */
    bool last;                 /* of the job: canonical results, post */
} cz_ntt_pass;

typedef struct {
    cz_fr *xs;       /* lane 0, i = 0 */
    size_t stride;   /* from i to i + 1, in elements */
    size_t lane_gap; /* from lane to lane; one of the two is 1 */
    unsigned lanes;  /* 1 … 8; always 8 for the ifma form */
} cz_ntt_tile;

typedef struct {
    const char *name;
    bool (*runs_here)(void);
    size_t (*scratch_bytes)(unsigned log_m); /* a multiple of 64 */

    /** Make the twiddles of uniform tiles in the scratch. */
    void (*set_base)(void *scratch, const cz_ntt_pass *pass, const cz_fr *base);

    /** Make post[i] = post^rev(i), i < m, in the scratch. */
    void (*set_post)(void *scratch, const cz_ntt_pass *pass, const cz_fr *post);

    void (*uniform_tile)(void *scratch, const cz_ntt_pass *pass, const cz_ntt_tile *tile);
    void (*lanes_tile)(void *scratch, const cz_ntt_pass *pass, const cz_ntt_tile *tile,
                       const cz_fr bases[CZ_NTT_LANES], const cz_fr scales[CZ_NTT_LANES]);

    /** a[i] = a[i] b[i], n a multiple of 8 for the ifma form. */
    void (*multiply)(cz_fr *a, const cz_fr *b, size_t n);
} cz_ntt_form_table;

extern const cz_ntt_form_table cz_ntt_scalar;
extern const cz_ntt_form_table cz_ntt_ifma;

/** The form for a size: the selected one, or scalar where that is too small for it. */
const cz_ntt_form_table *cz_ntt_form_for(unsigned log_n);

/** Tables of the ifma form, from u; CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_ntt_ifma_make_u(void **out, const cz_fr *u, unsigned log_u);
size_t cz_ntt_ifma_u_bytes(unsigned log_u);

/** w^e, or w^-e. */
void cz_ntt_root_power(cz_fr *r, const cz_ntt_plan *plan, bool inverse, size_t e);

/** Run all passes of a job over xs. CZ_E_NOMEM before xs is touched. */
CZ_MUST_CHECK cz_err cz_ntt_run(const cz_ntt_job *job, cz_pool *pool, cz_fr *xs);

/** As many passes as said, 1 to 3, so that tests reach every kind of pass at small sizes. For the
 * ifma form each needs 3 bits at least, and 2 passes. */
CZ_MUST_CHECK cz_err cz_ntt_run_in_passes(const cz_ntt_job *job, cz_pool *pool, cz_fr *xs,
                                          unsigned passes);

/** cz_ntt_inverse and cz_ntt_coset_inverse times a constant, in reversed order. */
CZ_MUST_CHECK cz_err cz_ntt_inverse_scaled(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs,
                                           const cz_fr *factor);
CZ_MUST_CHECK cz_err cz_ntt_coset_inverse_scaled(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs,
                                                 const cz_fr *factor);

/** Layers of a tile that use twiddles of each lane's own: about half, an even number. */
CZ_INLINE unsigned cz_ntt_lane_layers(unsigned log_m)
{
    return (log_m + 2) / 4 * 2;
}

/** The lowest `bits` bits of i, reversed. */
CZ_INLINE size_t cz_ntt_rev(size_t i, unsigned bits)
{
    uint64_t v = i;

    if (bits == 0)
        return 0;
    v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
    v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0fu) | (v & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(v) >> (64 - bits);
}

/** How layers j and j + 1 of a tile (radix 4), or layer j (radix 2), visit it: for twiddle i < 2^j,
 * `count` butterflies, the first on element `start`, the next `step` further on. A radix-4
 * butterfly takes the elements at 0, d1, d2 and d3 from there: layer j joins 0 with d2 and d1 with
 * d3, layer j + 1 joins 0 with d1 and d2 with d3. A radix-2 butterfly takes those at 0 and d. */
typedef struct {
    size_t count, step;
    size_t d, d1, d2, d3;
} cz_ntt_walk;

CZ_INLINE cz_ntt_walk cz_ntt_walk_of(unsigned log_m, unsigned j, unsigned layers, bool from_rev)
{
    const size_t count = (size_t)1 << (log_m - j - layers);
    const size_t unit = (size_t)1 << j;

    if (from_rev)
        return (cz_ntt_walk){count, unit << layers, unit, 2 * unit, unit, 3 * unit};
    return (cz_ntt_walk){count, 1, count, count, 2 * count, 3 * count};
}

CZ_INLINE size_t cz_ntt_walk_start(unsigned log_m, unsigned j, bool from_rev, size_t i)
{
    return from_rev ? cz_ntt_rev(i, j) : i << (log_m - j);
}

#endif
