/* fold_device.h: transforms of points of G1 and sparse sums of them, on CUDA devices; the same text
 * runs on the host for tests.
 *
 * The transform: radix 2, natural order in, bit-reversed out. What is transformed is, in the
 * exponent, the polynomial sum h_i X^i; a layer halves each block: modulo X^(2 m) - c^2 it becomes
 * modulo X^m - c and X^m + c, (P, Q) -> (P + c Q, P - c Q). Block b of every layer has
 * c = w^-rev(b), rev reversing log_n - 1 bits. Points are affine between layers; the
 * normalisation of c Q and the division that sum and difference share are two inversions, which the
 * threads of a block do together [Mon87].
 *
 * Points and their products with scalars: fold_product_device.h. */
#ifndef CZ_PARAMS_FOLD_DEVICE_H
#define CZ_PARAMS_FOLD_DEVICE_H

#include "params/fold_product_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a butterfly ---- */

/** What is to be inverted for P + Q and P - Q: not 0 in any case. */
CZ_DEV void cz_fold_sum_denominator(uint32_t *d, const uint32_t *px, const uint32_t *py,
                                    const uint32_t *qx, const uint32_t *qy)
{
    if (cz_fold_is_infinity(px, py) || cz_fold_is_infinity(qx, qy))
        cz_fp32_one(d);
    else if (cz_limbs_are_equal(px, qx, 12))
        cz_limbs_add(d, py, py, 12); /* no point has y = 0: the curve's order is odd */
    else
        cz_fp32_sub_lazy(d, qx, px);
}

/* (x3, y3) = P + Q for points with that denominator and this numerator of the slope. */
CZ_DEV void cz_fold_chord(uint32_t *x3, uint32_t *y3, const uint32_t *px, const uint32_t *py,
                          const uint32_t *qx, const uint32_t *numerator, const uint32_t *inverse)
{
    uint32_t slope[12], t[12];

    cz_fold_mul(slope, numerator, inverse);
    cz_fold_sqr(t, slope);
    cz_fold_sub(t, t, px);
    cz_fold_sub(t, t, qx);
    cz_fp32_canonical(x3, t);
    cz_fold_sub(t, px, x3);
    cz_fold_mul(t, slope, t);
    cz_fp32_sub_canonical(t, t, py);
    cz_fp32_canonical(y3, t);
}

/** out = P + Q, or P - Q where `minus`, given the denominator's inverse; all affine. */
CZ_DEV void cz_fold_sum(uint32_t *out, const uint32_t *px, const uint32_t *py, const uint32_t *qx,
                        const uint32_t *qy, const uint32_t *inverse, uint32_t minus)
{
    const int p_none = cz_fold_is_infinity(px, py), q_none = cz_fold_is_infinity(qx, qy);
    uint32_t y[12], x3[12], y3[12], numerator[12];

    cz_limbs_copy(y, qy, 12);
    cz_fp32_negate_if(y, minus & (uint32_t)!q_none);
    if (p_none | q_none) {
        cz_limbs_copy(x3, p_none ? qx : px, 12);
        cz_limbs_copy(y3, p_none ? y : py, 12);
    } else if (cz_limbs_are_equal(px, qx, 12) && !cz_limbs_are_equal(py, y, 12)) {
        cz_fp32_zero(x3);
        cz_fp32_zero(y3);
    } else {
        if (cz_limbs_are_equal(px, qx, 12)) {
            cz_fold_sqr(y3, px);
            cz_fold_add(numerator, y3, y3);
            cz_fold_add(numerator, numerator, y3);
            /* the denominator was 2 py, which is what a tangent has */
        } else {
            cz_fp32_sub_lazy(numerator, y, py);
        }
        cz_fold_chord(x3, y3, px, py, qx, numerator, inverse);
    }
    cz_setup_store(out, x3);
    cz_setup_store(out + 12, y3);
}

/* ---- many products ---- */

typedef enum {
    CZ_FOLD_SCALE,  /* points[i] times v^i */
    CZ_FOLD_LAYER,  /* butterfly i of a layer */
    CZ_FOLD_FACTORS /* products[i] = points[factor i's] times its coefficient */
} cz_fold_task_kind;

typedef struct {
    uint32_t point, coefficient;
} cz_fold_factor;

/* Items first, …, first + n - 1; all pointers to device memory. */
struct cz_fold_task {
    cz_fold_task_kind kind;
    uint32_t *points; /* affine */
    uint64_t first, n;
    struct cz_fold_powers powers; /* of v; of 1 / w */
    unsigned log_n, layer;
    const cz_fold_factor *factors;
    const uint32_t *n_factors; /* how many there are: n may be more */
    const cz_fr32 *coefficients;
    uint32_t *products;
};

/* Butterfly t of a layer. */
typedef struct {
    uint64_t p, q;     /* numbers of its points */
    uint32_t exponent; /* of 1 / w */
} cz_fold_butterfly;

CZ_DEV cz_fold_butterfly cz_fold_butterfly_at(uint64_t t, unsigned log_n, unsigned layer)
{
    const unsigned log_half = log_n - 1 - layer;
    const uint64_t block = t >> log_half, half = (uint64_t)1 << log_half;
    cz_fold_butterfly b;

    b.p = (block << (log_half + 1)) + (t & (half - 1));
    b.q = b.p + half;
    b.exponent = cz_fold_reverse((uint32_t)block, log_n - 1);
    return b;
}

/** What is to be multiplied for item i, and with which scalar; true: nothing, the product is the
 * point. */
CZ_DEV int cz_fold_operand(const struct cz_fold_task *task, uint64_t i, uint32_t *x, uint32_t *y,
                           uint32_t *scalar)
{
    uint64_t point = i;

    if (task->kind == CZ_FOLD_FACTORS) {
        const cz_fold_factor factor = task->factors[i];

        point = factor.point;
        cz_fr32_read(scalar, task->coefficients + factor.coefficient);
    } else {
        uint64_t e = i;

        if (task->kind == CZ_FOLD_LAYER) {
            const cz_fold_butterfly b = cz_fold_butterfly_at(i, task->log_n, task->layer);

            point = b.q;
            e = b.exponent;
        }
        cz_fold_power(scalar, &task->powers, e);
    }
    cz_setup_load(x, task->points + CZ_FOLD_POINT * point);
    cz_setup_load(y, task->points + CZ_FOLD_POINT * point + 12);
    return cz_fold_is_one(scalar);
}

/** Where a product that is the result goes. */
CZ_DEV uint32_t *cz_fold_place(const struct cz_fold_task *task, uint64_t i)
{
    return (task->kind == CZ_FOLD_FACTORS ? task->products : task->points) + CZ_FOLD_POINT * i;
}

CZ_DEV void cz_fold_load_p(uint32_t *x, uint32_t *y, const struct cz_fold_task *task,
                           const cz_fold_butterfly *b)
{
    cz_setup_load(x, task->points + CZ_FOLD_POINT * b->p);
    cz_setup_load(y, task->points + CZ_FOLD_POINT * b->p + 12);
}

/** Butterfly i of a layer, its product being (qx, qy): the denominator of its sums. */
CZ_DEV void cz_fold_layer_denominator(uint32_t *d, const struct cz_fold_task *task, uint64_t i,
                                      const uint32_t *qx, const uint32_t *qy)
{
    const cz_fold_butterfly b = cz_fold_butterfly_at(i, task->log_n, task->layer);
    uint32_t px[12], py[12];

    cz_fold_load_p(px, py, task, &b);
    cz_fold_sum_denominator(d, px, py, qx, qy);
}

/** Then, given that one's inverse: its sums. */
CZ_DEV void cz_fold_layer_sums(const struct cz_fold_task *task, uint64_t i, const uint32_t *qx,
                               const uint32_t *qy, const uint32_t *inverse)
{
    const cz_fold_butterfly b = cz_fold_butterfly_at(i, task->log_n, task->layer);
    uint32_t px[12], py[12];

    cz_fold_load_p(px, py, task, &b);
    for (uint32_t minus = 0; minus < 2; minus++)
        cz_fold_sum(task->points + CZ_FOLD_POINT * (minus ? b.q : b.p), px, py, qx, qy, inverse,
                    minus);
}

/* ---- sums of many points ---- */

/* (x / zz, y / zzz), lazy; zzz = 0 in all words is infinity. As setup_device.h's. */
typedef cz_setup_g1_sum cz_fold_xyzz;

CZ_DEV void cz_fold_xyzz_zero(cz_fold_xyzz *p)
{
    cz_fp32_zero(p->x);
    cz_fp32_zero(p->y);
    cz_fp32_zero(p->zz);
    cz_fp32_zero(p->zzz);
}

/* What sums seldom need is called. */
#ifdef __CUDACC__
#define CZ_FOLD_RARE static __noinline__ __host__ __device__
#else
#define CZ_FOLD_RARE static __attribute__((noinline, unused))
#endif

/* Not infinity. */
CZ_FOLD_RARE void cz_fold_xyzz_double(cz_fold_xyzz *p)
{
    uint32_t u[12], v[12], w[12], s[12], m[12];

    cz_fold_add(u, p->y, p->y);
    cz_fold_sqr(v, u);
    cz_fold_mul(w, u, v);
    cz_fold_mul(s, p->x, v);
    cz_fold_sqr(u, p->x);
    cz_fold_add(m, u, u);
    cz_fold_add(m, m, u);
    cz_fold_sqr(p->x, m);
    cz_fold_sub(p->x, p->x, s);
    cz_fold_sub(p->x, p->x, s);
    cz_fold_sub(s, s, p->x);
    cz_fold_mul(m, m, s);
    cz_fold_mul(u, w, p->y);
    cz_fold_sub(p->y, m, u);
    cz_fold_mul(p->zz, p->zz, v);
    cz_fold_mul(p->zzz, p->zzz, w);
}

/* p has the abscissa of what is to be added; r: the difference of the ordinates. */
CZ_FOLD_RARE void cz_fold_xyzz_same(cz_fold_xyzz *p, const uint32_t *r)
{
    if (cz_fold_is_zero(r))
        cz_fold_xyzz_double(p);
    else
        cz_fold_xyzz_zero(p);
}

/** p += (x, y), whatever they are. */
CZ_DEV void cz_fold_xyzz_add(cz_fold_xyzz *p, const uint32_t *x, const uint32_t *y)
{
    uint32_t d[12], r[12];

    if (cz_fold_is_infinity(x, y))
        return;
    if (cz_limbs_are_zero(p->zzz, 12)) {
        cz_limbs_copy(p->x, x, 12);
        cz_limbs_copy(p->y, y, 12);
        cz_fp32_one(p->zz);
        cz_fp32_one(p->zzz);
        return;
    }
    cz_fold_mul(d, x, p->zz);
    cz_fold_sub(d, d, p->x);
    if (cz_fold_is_zero(d)) {
        cz_fold_mul(r, y, p->zzz);
        cz_fold_sub(r, r, p->y);
        cz_fold_xyzz_same(p, r);
        return;
    }
    cz_setup_g1_add(p, x, y);
}

/** p += q, whatever they are. */
CZ_DEV void cz_fold_xyzz_add_sum(cz_fold_xyzz *p, const cz_fold_xyzz *q)
{
    uint32_t u[12], s[12], d[12], r[12], t[12];

    if (cz_limbs_are_zero(q->zzz, 12))
        return;
    if (cz_limbs_are_zero(p->zzz, 12)) {
        *p = *q;
        return;
    }
    cz_fold_mul(u, p->x, q->zz);
    cz_fold_mul(d, q->x, p->zz);
    cz_fold_sub(d, d, u);
    cz_fold_mul(s, p->y, q->zzz);
    cz_fold_mul(r, q->y, p->zzz);
    cz_fold_sub(r, r, s);
    if (cz_fold_is_zero(d)) {
        cz_fold_xyzz_same(p, r);
        return;
    }
    cz_fold_mul(p->zz, p->zz, q->zz);
    cz_fold_mul(p->zzz, p->zzz, q->zzz);
    cz_fold_sqr(t, d);
    cz_fold_mul(d, d, t);
    cz_fold_mul(u, u, t);
    cz_fold_mul(p->zz, p->zz, t);
    cz_fold_mul(p->zzz, p->zzz, d);
    cz_fold_sqr(p->x, r);
    cz_fold_sub(p->x, p->x, d);
    cz_fold_sub(p->x, p->x, u);
    cz_fold_sub(p->x, p->x, u);
    cz_fold_sub(u, u, p->x);
    cz_fold_mul(u, r, u);
    cz_fold_mul(s, s, d);
    cz_fold_sub(p->y, u, s);
}

/* ---- columns ---- */

/* What a coefficient is. */
typedef enum { CZ_FOLD_ANY, CZ_FOLD_ONE, CZ_FOLD_MINUS_ONE, CZ_FOLD_ZERO } cz_fold_kind;

/* A term of a column: the number of a point of the transform, in its order there, or of a product;
 * or none. */
#define CZ_FOLD_NEGATED   0x80000000u
#define CZ_FOLD_IS_RESULT 0x40000000u
#define CZ_FOLD_NONE      0x7fffffffu

/* A sum to be made: of terms first, …, first + n - 1 and point `list` of the list, or none of
 * these; in later rounds, of sums. */
typedef struct {
    uint32_t first, n, to, list;
} cz_fold_job;

enum { CZ_FOLD_SEGMENT = 64, CZ_FOLD_MAX_ROUNDS = 8 };

/* A part of the columns; everything in device memory. */
struct cz_fold_part {
    uint32_t *points;     /* the transform, bit-reversed; read */
    const uint32_t *list; /* affine */
    unsigned log_n;
    size_t n; /* columns */
    size_t n_entries;
    const uint32_t *row, *coefficient;
    const cz_fr32 *coefficients;
    const uint8_t *kinds; /* of the coefficients */
    uint32_t *terms;
    cz_fold_factor *factors; /* as many as entries, at most */
    uint32_t *n_factors;
    uint32_t *products; /* theirs, affine */
    const cz_fold_job *jobs;
    unsigned n_rounds;
    size_t round_first[CZ_FOLD_MAX_ROUNDS + 1]; /* jobs */
    uint32_t *sums;                             /* xyzz; those of the columns first */
    uint32_t *running;                          /* a coordinate a column */
    uint32_t *bytes;
};

/** Its products. */
CZ_DEV struct cz_fold_task cz_fold_part_products(const struct cz_fold_part *part)
{
    const struct cz_fold_task task = {CZ_FOLD_FACTORS,
                                      part->points,
                                      0,
                                      part->n_entries,
                                      {NULL, NULL, 0},
                                      0,
                                      0,
                                      part->factors,
                                      part->n_factors,
                                      part->coefficients,
                                      part->products};

    return task;
}

CZ_DEV uint32_t cz_fold_next_number(uint32_t *counter)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(counter, 1);
#else
    return (*counter)++;
#endif
}

/** Entry i becomes a term, and a product to be made where it needs one. */
CZ_DEV void cz_fold_entry(const struct cz_fold_part *part, size_t i)
{
    const uint32_t coefficient = part->coefficient[i];
    uint32_t term = cz_fold_reverse(part->row[i], part->log_n);

    switch (part->kinds[coefficient]) {
    case CZ_FOLD_ONE:
        break;
    case CZ_FOLD_MINUS_ONE:
        term |= CZ_FOLD_NEGATED;
        break;
    case CZ_FOLD_ZERO:
        term = CZ_FOLD_NONE;
        break;
    default: {
        const uint32_t number = cz_fold_next_number(part->n_factors);

        part->factors[number].point = term;
        part->factors[number].coefficient = coefficient;
        term = number | CZ_FOLD_IS_RESULT;
        break;
    }
    }
    part->terms[i] = term;
}

CZ_DEV void cz_fold_add_point(cz_fold_xyzz *sum, const uint32_t *point, uint32_t negated)
{
    uint32_t x[12], y[12];

    cz_setup_load(x, point);
    cz_setup_load(y, point + 12);
    cz_fp32_negate_if(y, negated && !cz_limbs_are_zero(y, 12));
    cz_fold_xyzz_add(sum, x, y);
}

CZ_DEV void cz_fold_put_sum(uint32_t *sums, size_t i, const cz_fold_xyzz *sum)
{
    cz_setup_store(sums + 48 * i, sum->x);
    cz_setup_store(sums + 48 * i + 12, sum->y);
    cz_setup_store(sums + 48 * i + 24, sum->zz);
    cz_setup_store(sums + 48 * i + 36, sum->zzz);
}

CZ_DEV void cz_fold_get_sum(cz_fold_xyzz *sum, const uint32_t *sums, size_t i)
{
    cz_setup_load(sum->x, sums + 48 * i);
    cz_setup_load(sum->y, sums + 48 * i + 12);
    cz_setup_load(sum->zz, sums + 48 * i + 24);
    cz_setup_load(sum->zzz, sums + 48 * i + 36);
}

/** A job of the first round. */
CZ_DEV void cz_fold_sum_terms(const struct cz_fold_part *part, const cz_fold_job *job)
{
    cz_fold_xyzz sum;

    cz_fold_xyzz_zero(&sum);
    for (uint32_t i = 0; i <= job->n; i++) { /* the last is the list's point */
        const uint32_t term = i < job->n ? part->terms[job->first + i] : job->list;
        const uint32_t *from = i == job->n                ? part->list
                               : term & CZ_FOLD_IS_RESULT ? part->products
                                                          : part->points;
        const uint32_t number = i < job->n ? term & (CZ_FOLD_IS_RESULT - 1) : term;

        if (term != CZ_FOLD_NONE)
            cz_fold_add_point(&sum, from + (size_t)CZ_FOLD_POINT * number,
                              i < job->n && (term & CZ_FOLD_NEGATED) != 0);
    }
    cz_fold_put_sum(part->sums, job->to, &sum);
}

/** A job of a later round. */
CZ_DEV void cz_fold_sum_sums(const struct cz_fold_part *part, const cz_fold_job *job)
{
    cz_fold_xyzz sum, next;

    cz_fold_xyzz_zero(&sum);
    for (uint32_t i = 0; i < job->n; i++) {
        cz_fold_get_sum(&next, part->sums, job->first + i);
        cz_fold_xyzz_add_sum(&sum, &next);
    }
    cz_fold_put_sum(part->sums, job->to, &sum);
}

/** Point `first + i` of a transform, in natural order, as the file's bytes; i-th of `bytes`. */
CZ_DEV void cz_fold_encode(uint32_t *bytes, const uint32_t *points, unsigned log_n, size_t first,
                           size_t i)
{
    const uint32_t *from =
        points + (size_t)CZ_FOLD_POINT * cz_fold_reverse((uint32_t)(first + i), log_n);
    uint32_t x[12], y[12];
    int none;

    cz_setup_load(x, from);
    cz_setup_load(y, from + 12);
    none = cz_fold_is_infinity(x, y);
    cz_setup_encode(bytes + CZ_FOLD_POINT * i, x, none);
    cz_setup_encode(bytes + CZ_FOLD_POINT * i + 12, y, none);
    if (none)
        cz_setup_mark_infinity(bytes + CZ_FOLD_POINT * i);
}

#ifdef __cplusplus
}
#endif
#endif
