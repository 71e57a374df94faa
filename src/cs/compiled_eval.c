/* compiled_eval.c: see compiled_eval.h. */
#include "cs/compiled_eval.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cs/compiled_state.h"

/* Marks a column of class field among the bytes of bits. */
enum { IS_FIELD = 2 };

/* One thread's columns of one instance. */
typedef struct {
    uint8_t *bits;        /* a column: 0, 1 or IS_FIELD */
    const cz_fr **fields; /* where the value lies, for IS_FIELD */
} columns;

typedef struct {
    const cz_compiled *c;
    const cz_bit_witness *w;
    uint64_t first, end; /* rows */
    cz_fr *out[3];       /* of row `first` */
    columns *columns;    /* one a thread */
    uint32_t first_instance;
} job;

uint64_t cz_compiled_rows(const cz_compiled *c)
{
    return c->t.header->n_constraints + c->t.header->n_inputs;
}

/* ---- small integers as field elements ---- */

static cz_fr small_values[2 * CZ_LC_SMALL_MAX + 1]; /* of -CZ_LC_SMALL_MAX first */

static void make_small_values(void)
{
    for (int i = 0; i <= CZ_LC_SMALL_MAX; i++) {
        cz_fr *at = &small_values[CZ_LC_SMALL_MAX];

        cz_fr_from_u64(&at[i], (uint64_t)i);
        cz_fr_neg(&at[-i], &at[i]);
    }
}

static void prepare_small_values(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, make_small_values);
}

/* ---- columns ---- */

/* Eight bits to eight bytes, 0 or 1. */
static uint64_t spread_byte(uint64_t bits)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t each = bits * ones & 0x8040201008040201u;

    return (each + 0x7f * ones) >> 7 & ones;
}

/* n bits from `first` of the plane to bytes. `to` has room for n rounded up to a multiple of 8. */
static void spread_bits(uint8_t *to, const uint64_t *plane, uint64_t first, uint32_t n)
{
    for (uint32_t done = 0; done < n; done += 64) {
        unsigned k = n - done < 64 ? n - done : 64;
        uint64_t word = cz_plane_get(plane, first + done, k);

        for (unsigned i = 0; i < k; i += 8) {
            uint64_t bytes = spread_byte(word >> i & 0xff);

            memcpy(to + done + i, &bytes, sizeof bytes);
        }
    }
}

static void load_inputs(const job *j, columns *at, uint32_t column, const cz_compiled_run *run)
{
    for (uint32_t i = 0; i < run->n; i++) {
        at->bits[column + i] = IS_FIELD;
        at->fields[column + i] = &j->w->inputs[run->var + i];
    }
    if (run->var == 0)
        at->bits[column] = 1;
}

/* Columns [column, column + n) are aux variables from `var` on, of which those of class field begin
 * with number `field`. */
static void load_aux(const job *j, columns *at, const uint64_t *classes, uint32_t column,
                     uint32_t var, uint32_t n, const cz_fr *field)
{
    spread_bits(at->bits + column, j->w->bits, var, n);
    for (uint32_t done = 0; done < n; done += 64) {
        unsigned k = n - done < 64 ? n - done : 64;
        uint64_t is_field = ~cz_plane_get(classes, (uint64_t)column + done, k);

        if (k < 64)
            is_field &= ((uint64_t)1 << k) - 1;
        for (; is_field != 0; is_field &= is_field - 1) {
            uint32_t i = column + done + (uint32_t)__builtin_ctzll(is_field);

            at->bits[i] = IS_FIELD;
            at->fields[i] = field++;
        }
    }
}

static void load_columns(const job *j, columns *at, const cz_compiled_instance *x)
{
    const cz_compiled_tables *t = &j->c->t;
    const cz_compiled_template *shape = &t->templates[x->template_index];
    const uint64_t *classes = t->class_words + shape->first_class_word;
    const cz_compiled_run *run = t->runs + x->first_run;

    for (uint32_t port = 0; port < shape->n_ports; port += run->n, run++) {
        uint32_t var = run->var & ~CZ_VAR_AUX_BIT;

        if (run->var & CZ_VAR_AUX_BIT)
            load_aux(j, at, classes, port, var, run->n, j->w->fields + cz_field_index(j->c, var));
        else
            load_inputs(j, at, port, run);
    }
    load_aux(j, at, classes, shape->n_ports, x->first_aux, shape->n_locals,
             j->w->fields + x->first_field);
}

/* ---- combinations ---- */

static void eval_small(cz_fr *out, const int8_t *small, const columns *at,
                       const cz_compiled_term *terms, uint32_t n)
{
    int sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += small[terms[i].coeff] * at->bits[terms[i].column];
    *out = small_values[CZ_LC_SMALL_MAX + sum];
}

static void add_digits(int64_t digits[CZ_DIGITS], const cz_signed *v)
{
    for (unsigned i = 0; i < CZ_DIGITS; i++) {
        int64_t d = (int64_t)(uint32_t)(v->magnitude.l[i / 2] >> (32 * (i % 2)));

        digits[i] += v->negative ? -d : d;
    }
}

/* The number that the digits make, which is below 2^256 in absolute value. */
static void from_digits(cz_fr *out, const int64_t digits[CZ_DIGITS])
{
    cz_u256 v = {{0, 0, 0, 0}};
    int64_t carry = 0;
    uint64_t borrow = 0;

    for (unsigned i = 0; i < CZ_DIGITS; i++) {
        carry += digits[i];
        v.l[i / 2] |= (uint64_t)(uint32_t)carry << (32 * (i % 2));
        carry >>= 32; /* towards minus infinity */
    }
    for (int i = 0; i < 4 && carry < 0; i++) /* negate */
        v.l[i] = cz_sbb(0, v.l[i], &borrow);
    cz_fr_from_u256(out, &v);
    if (carry < 0)
        cz_fr_neg(out, out);
}

/* At most 2^16 terms with digits below 2^32: no sum leaves 64 bits. */
static void eval_wide(cz_fr *out, const cz_compiled *c, const columns *at,
                      const cz_compiled_term *terms, uint32_t n)
{
    int64_t digits[CZ_DIGITS + 1] = {0}; /* the last takes what does not count */

    for (uint32_t i = 0; i < n; i++) {
        const cz_digit *d = &c->digits[terms[i].coeff];
        int64_t bit = at->bits[terms[i].column];

        digits[d->digit] += bit * d->value;
        if (d->digit == CZ_DIGITS && bit)
            add_digits(digits, &c->integers[terms[i].coeff]);
    }
    from_digits(out, digits);
}

static void eval_field(cz_fr *out, const cz_compiled *c, const columns *at,
                       const cz_compiled_term *terms, uint32_t n)
{
    cz_fr acc = CZ_FR_ZERO;

    for (uint32_t i = 0; i < n; i++) {
        const cz_fr *coeff = &c->t.coeffs[terms[i].coeff];
        uint32_t k = terms[i].column;

        if (at->bits[k] == IS_FIELD)
            cz_add_product(&acc, coeff, at->fields[k], c->small[terms[i].coeff]);
        else if (at->bits[k] != 0)
            cz_fr_add(&acc, &acc, coeff);
    }
    *out = acc;
}

static void eval_lc(cz_fr *out, const cz_compiled *c, const columns *at, cz_lc_kind kind,
                    const cz_compiled_term *terms, uint32_t n)
{
    switch (kind) {
    case CZ_LC_EMPTY:
        *out = CZ_FR_ZERO;
        return;
    case CZ_LC_SMALL:
        eval_small(out, c->small, at, terms, n);
        return;
    case CZ_LC_WIDE:
        eval_wide(out, c, at, terms, n);
        return;
    case CZ_LC_COPY:
        *out = *at->fields[terms[0].column];
        return;
    case CZ_LC_FIELD:
        eval_field(out, c, at, terms, n);
        return;
    }
}

/* ---- which instances ---- */

/* Number of the first instance that begins at `row` or after. */
static uint32_t first_from(const cz_compiled *c, uint64_t row)
{
    uint32_t low = 0;
    uint32_t high = c->t.header->n_instances;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (c->t.instances[middle].first_row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The instance before may reach into the job's rows. */
static uint32_t first_instance(const job *j)
{
    uint32_t first = first_from(j->c, j->first);

    return first > 0 ? first - 1 : 0;
}

/* ---- rows ---- */

/* Those rows of an instance that the job wants. */
static void eval_instance(const job *j, const columns *at, const cz_compiled_instance *x)
{
    const cz_compiled_tables *t = &j->c->t;
    const cz_compiled_template *shape = &t->templates[x->template_index];
    uint64_t begin = x->first_row > j->first ? x->first_row : j->first;
    uint64_t end = (uint64_t)x->first_row + shape->n_rows;
    const cz_compiled_row *row = t->rows + shape->first_row + (begin - x->first_row);

    if (end > j->end)
        end = j->end;
    for (uint64_t i = begin; i < end; i++, row++) {
        const cz_compiled_term *terms = t->terms + row->first_term;

        for (int m = 0; m < 3; terms += row->n[m], m++) {
            if (j->out[m] != NULL)
                eval_lc(&j->out[m][i - j->first], j->c, at, (cz_lc_kind)row->kind[m], terms,
                        row->n[m]);
        }
    }
}

static cz_err eval_instances(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const job *j = ctx;
    columns *at = &j->columns[worker];

    for (size_t i = begin; i < end; i++) {
        const cz_compiled_instance *x = &j->c->t.instances[j->first_instance + i];

        load_columns(j, at, x);
        eval_instance(j, at, x);
    }
    return CZ_OK;
}

/* All of the job's constraints, by this thread. */
static void eval_alone(const job *j, columns *at)
{
    const cz_compiled_header *h = j->c->t.header;

    for (uint32_t i = first_instance(j); i < h->n_instances; i++) {
        const cz_compiled_instance *x = &j->c->t.instances[i];

        if (x->first_row >= j->end)
            return;
        load_columns(j, at, x);
        eval_instance(j, at, x);
    }
}

static void eval_input_rows(const job *j)
{
    const cz_fr zero = CZ_FR_ZERO;
    uint64_t n_constraints = j->c->t.header->n_constraints;

    for (uint64_t i = j->first > n_constraints ? j->first : n_constraints; i < j->end; i++) {
        if (j->out[0] != NULL)
            j->out[0][i - j->first] = j->w->inputs[i - n_constraints];
        if (j->out[1] != NULL)
            j->out[1][i - j->first] = zero;
        if (j->out[2] != NULL)
            j->out[2][i - j->first] = zero;
    }
}

/* ---- memory ---- */

enum { SPARE_BYTES = 8 }; /* spread_bits writes eight at a time */

static void clear_columns(columns *list, unsigned n, const cz_compiled *c)
{
    for (unsigned i = 0; list != NULL && i < n; i++) {
        if (list[i].bits != NULL)
            cz_secure_zero(list[i].bits, (size_t)c->max_columns + SPARE_BYTES);
        free(list[i].bits);
        free(list[i].fields);
    }
    free(list);
}

static cz_err make_columns(columns **out, unsigned n, const cz_compiled *c)
{
    columns *list = calloc(n, sizeof *list);

    for (unsigned i = 0; list != NULL && i < n; i++) {
        list[i].bits = calloc(1, (size_t)c->max_columns + SPARE_BYTES);
        list[i].fields = malloc(c->max_columns * sizeof(void *));
        if (list[i].bits == NULL || list[i].fields == NULL) {
            clear_columns(list, n, c);
            list = NULL;
        }
    }
    if (list == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to evaluate rows");
    *out = list;
    return CZ_OK;
}

size_t cz_compiled_eval_bytes(const cz_compiled *c, const cz_pool *pool)
{
    return cz_pool_threads(pool) *
           (sizeof(columns) + c->max_columns * (1 + sizeof(void *)) + SPARE_BYTES);
}

/* ---- evaluation ---- */

enum { INSTANCES_AT_ONCE = 4 };

static cz_err eval_job(job *j, cz_pool *pool)
{
    uint32_t end = first_from(j->c, j->end);

    prepare_small_values();
    j->first_instance = first_instance(j);
    if (j->first_instance < end)
        CZ_TRY(
            cz_parallel_for(pool, end - j->first_instance, INSTANCES_AT_ONCE, eval_instances, j));
    eval_input_rows(j);
    return CZ_OK;
}

cz_err cz_compiled_eval(const cz_compiled *c, const cz_bit_witness *w, cz_pool *pool,
                        uint64_t first, uint64_t n, cz_fr *a, cz_fr *b, cz_fr *c_out)
{
    job j = {.c = c, .w = w, .first = first, .end = first + n, .out = {a, b, c_out}};
    unsigned threads = cz_pool_threads(pool);
    cz_err err;

    CZ_ASSERT(first + n <= cz_compiled_rows(c));
    CZ_TRY(make_columns(&j.columns, threads, c));
    err = eval_job(&j, pool);
    clear_columns(j.columns, threads, c);
    return err;
}

/* ---- a b = c ---- */

/* Rows that a thread evaluates and checks while they are in its cache. */
enum { CHECK_ROWS = 1 << 14 };

typedef struct {
    const cz_compiled *c;
    const cz_bit_witness *w;
    uint64_t n_rows;
    columns *columns;  /* one a thread */
    cz_fr *rows;       /* 3 CHECK_ROWS a thread */
    uint64_t *failing; /* one a thread: the first row that it saw failing */
} check_job;

static bool holds(const cz_fr *a, const cz_fr *b, const cz_fr *c)
{
    cz_fr product;

    if (cz_fr_is_zero(a) || cz_fr_is_zero(b))
        return cz_fr_is_zero(c);
    if (cz_fr_is_one(b))
        return cz_fr_equal(a, c);
    if (cz_fr_is_one(a))
        return cz_fr_equal(b, c);
    cz_fr_mul(&product, a, b);
    return cz_fr_equal(&product, c);
}

static void check_rows(const check_job *k, uint64_t first, uint64_t n, unsigned worker)
{
    cz_fr *a = k->rows + 3 * (size_t)CHECK_ROWS * worker;
    cz_fr *b = a + CHECK_ROWS;
    cz_fr *c = b + CHECK_ROWS;
    job j = {.c = k->c, .w = k->w, .first = first, .end = first + n, .out = {a, b, c}};

    eval_alone(&j, &k->columns[worker]);
    for (uint64_t i = 0; i < n && first + i < k->failing[worker]; i++) {
        if (!holds(&a[i], &b[i], &c[i]))
            k->failing[worker] = first + i;
    }
}

static cz_err check_chunks(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const check_job *k = ctx;

    for (size_t i = begin; i < end; i++) {
        uint64_t first = (uint64_t)i * CHECK_ROWS;
        uint64_t left = k->n_rows - first;

        if (first < k->failing[worker])
            check_rows(k, first, left < CHECK_ROWS ? left : CHECK_ROWS, worker);
    }
    return CZ_OK;
}

static cz_err check_all(uint64_t *first_failing, check_job *k, cz_pool *pool)
{
    const unsigned threads = cz_pool_threads(pool);

    for (unsigned i = 0; i < threads; i++)
        k->failing[i] = k->n_rows;
    CZ_TRY(cz_parallel_for(pool, (size_t)((k->n_rows + CHECK_ROWS - 1) / CHECK_ROWS), 1,
                           check_chunks, k));
    *first_failing = k->n_rows;
    for (unsigned i = 0; i < threads; i++) {
        if (k->failing[i] < *first_failing)
            *first_failing = k->failing[i];
    }
    return CZ_OK;
}

cz_err cz_compiled_satisfied(const cz_compiled *c, const cz_bit_witness *w, cz_pool *pool,
                             uint64_t *first_failing)
{
    const unsigned threads = cz_pool_threads(pool);
    const size_t n_bytes = 3 * (size_t)CHECK_ROWS * threads * sizeof(cz_fr);
    check_job k = {.c = c, .w = w, .n_rows = c->t.header->n_constraints};
    cz_err err;

    prepare_small_values();
    CZ_TRY(make_columns(&k.columns, threads, c));
    k.rows = malloc(n_bytes);
    k.failing = malloc(threads * sizeof *k.failing);
    if (k.rows != NULL && k.failing != NULL)
        err = check_all(first_failing, &k, pool);
    else
        err = cz_fail(CZ_E_NOMEM, "no memory to check rows");
    if (k.rows != NULL)
        cz_secure_zero(k.rows, n_bytes);
    free(k.rows);
    free(k.failing);
    clear_columns(k.columns, threads, c);
    return err;
}
