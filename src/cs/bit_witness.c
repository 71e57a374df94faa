/* bit_witness.c: see bit_witness.h. */
#include "cs/bit_witness.h"

#include <stdlib.h>

#include "base/blocks.h"
#include "base/bytes.h"
#include "cs/compiled_state.h"
#include "cs/witness_source.h"

/* ---- memory ---- */

/* Of the values, which may be gigabytes: first touches in 4 KiB pages would cost several times what
 * they take to compute. */
static size_t field_bytes(const cz_bit_witness *w)
{
    return (w->n_fields + (size_t)1) * sizeof *w->fields;
}

static void release(cz_bit_witness *w)
{
    free(w->inputs);
    free(w->bits);
    cz_blocks_give(NULL, w->fields, field_bytes(w));
    *w = (cz_bit_witness){0};
}

static cz_err make_room(cz_bit_witness *w, const cz_compiled *c)
{
    const cz_compiled_header *h = c->t.header;

    *w = (cz_bit_witness){.n_inputs = h->n_inputs, .n_aux = h->n_aux, .n_fields = h->n_fields};
    w->inputs = malloc(w->n_inputs * sizeof *w->inputs);
    w->bits = calloc(cz_plane_words(w->n_aux) + 1, sizeof *w->bits);
    w->fields = cz_blocks_take(NULL, field_bytes(w));
    if (w->inputs == NULL || w->bits == NULL || w->fields == NULL) {
        release(w); /* nothing secret in it yet */
        return cz_fail(CZ_E_NOMEM, "no memory for the witness of %s", cz_compiled_id(c));
    }
    w->inputs[0] = CZ_FR_ONE;
    return CZ_OK;
}

void cz_bit_witness_clear(cz_bit_witness *w)
{
    if (w->source != NULL)
        w->source->destroy(w->source);
    if (w->bits != NULL) {
        cz_secure_zero(w->inputs, w->n_inputs * sizeof *w->inputs);
        cz_secure_zero(w->bits, (cz_plane_words(w->n_aux) + 1) * sizeof *w->bits);
        cz_secure_zero(w->fields, w->n_fields * sizeof *w->fields);
    }
    release(w);
}

/* ---- the mode ---- */

/* How many variables there are. */
typedef struct {
    uint32_t inputs, aux, fields;
} counts;

typedef struct {
    cz_cs cs; /* first: modes embed it */
    const cz_compiled *compiled;
    cz_bit_witness *w;
    cz_pool *pool;
    uint32_t n_fields; /* so far */
    counts end;        /* of the part: what comes after it others may be making */
    /* First and last word of a part's bits: parts before and after have bits there, too. */
    size_t shared_words[2];
} witness_cs;

static void fail_as_other(cz_cs *cs)
{
    cz_cs_fail(cs, cz_fail(CZ_E_INTERNAL, "variable %u of the witness is not what was compiled",
                           cs->n_aux));
}

static void or_word(const witness_cs *s, size_t word, uint64_t bits)
{
    uint64_t *at = &s->w->bits[word];

    if (word == s->shared_words[0] || word == s->shared_words[1])
        (void)__atomic_fetch_or(at, bits, __ATOMIC_RELAXED);
    else
        *at |= bits;
}

static void witness_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    witness_cs *s = (witness_cs *)cs;

    (void)name;
    if (cs->n_aux >= s->end.aux || s->n_fields >= s->end.fields ||
        cz_class_bit(s->compiled->classes, cs->n_aux)) {
        fail_as_other(cs);
        return;
    }
    s->w->fields[s->n_fields++] = *value;
}

/* Is one of n variables from `first` on of class bit? */
static bool has_bit(const uint64_t *classes, uint32_t first, unsigned n)
{
    for (unsigned done = 0; done < n; done += 64)
        if (cz_plane_get(classes, first + done, n - done < 64 ? n - done : 64) != 0)
            return true;
    return false;
}

static cz_fr *witness_alloc_values(cz_cs *cs, unsigned n)
{
    witness_cs *s = (witness_cs *)cs;
    cz_fr *values = s->w->fields + s->n_fields;

    if (n > s->end.aux - cs->n_aux || n > s->end.fields - s->n_fields ||
        has_bit(s->compiled->classes, cs->n_aux, n)) {
        fail_as_other(cs);
        return NULL;
    }
    s->n_fields += n;
    return values;
}

/* That it is of class bit follows from the number of fields in the end. */
static void witness_alloc_bit(cz_cs *cs, bool value)
{
    const witness_cs *s = (const witness_cs *)cs;

    if (cs->n_aux >= s->end.aux) {
        fail_as_other(cs);
        return;
    }
    or_word(s, cs->n_aux / 64, (uint64_t)value << (cs->n_aux % 64));
}

static void witness_alloc_bits(cz_cs *cs, uint64_t values, unsigned n)
{
    const witness_cs *s = (const witness_cs *)cs;
    const unsigned shift = cs->n_aux % 64;

    if (n > s->end.aux - cs->n_aux) {
        fail_as_other(cs);
        return;
    }
    or_word(s, cs->n_aux / 64, values << shift);
    if (shift + n > 64)
        or_word(s, cs->n_aux / 64 + 1, values >> (64 - shift));
}

static void witness_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    witness_cs *s = (witness_cs *)cs;

    (void)name;
    if (cs->n_inputs >= s->end.inputs) {
        cz_cs_fail(cs, cz_fail(CZ_E_INTERNAL, "more inputs than were compiled"));
        return;
    }
    s->w->inputs[cs->n_inputs] = *value;
}

static void witness_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    (void)cs;
    (void)name;
    (void)a;
    (void)b;
    (void)c;
}

static const cz_cs_ops witness_ops = {witness_alloc, witness_alloc_input, witness_enforce};

/* ---- parts ---- */

static counts counts_of(const witness_cs *s)
{
    return (counts){s->cs.n_inputs, s->cs.n_aux, s->n_fields};
}

static bool same_counts(counts a, counts b)
{
    return a.inputs == b.inputs && a.aux == b.aux && a.fields == b.fields;
}

typedef struct {
    witness_cs head;   /* as it was before the first part */
    counts size;       /* of a part */
    size_t n;          /* parts */
    bool aside;        /* several side by side, by */
    cz_cs_lanes lanes; /* this, else one by one, by */
    cz_cs_part part;   /* this */
    const void *shared;
} parts_job;

/* The counts before part i. */
static counts counts_before(const parts_job *job, size_t i)
{
    const counts head = counts_of(&job->head);

    return (counts){head.inputs + (uint32_t)i * job->size.inputs,
                    head.aux + (uint32_t)i * job->size.aux,
                    head.fields + (uint32_t)i * job->size.fields};
}

static void set_counts(witness_cs *s, counts at)
{
    s->cs.n_inputs = at.inputs;
    s->cs.n_aux = at.aux;
    s->n_fields = at.fields;
}

static void begin_part(witness_cs *s, const parts_job *job, size_t i)
{
    *s = job->head;
    set_counts(s, counts_before(job, i));
    s->end = counts_before(job, i + 1);
    s->shared_words[0] = counts_before(job, i).aux / 64;
    s->shared_words[1] = s->end.aux / 64;
}

static cz_err end_part(const witness_cs *s, const parts_job *job, size_t i)
{
    CZ_TRY(cz_cs_status(&s->cs));
    if (!same_counts(counts_of(s), counts_before(job, i + 1)))
        return cz_fail(CZ_E_INTERNAL, "part %zu of the witness has other variables than the first",
                       i);
    return CZ_OK;
}

static cz_err make_part(const parts_job *job, size_t i)
{
    witness_cs s;

    begin_part(&s, job, i);
    job->part(job->shared, &s.cs, i);
    return end_part(&s, job, i);
}

static cz_err make_lanes(const parts_job *job, size_t first)
{
    const unsigned n = job->n - first < CZ_CS_LANES ? (unsigned)(job->n - first) : CZ_CS_LANES;
    witness_cs s[CZ_CS_LANES];
    cz_cs *lanes[CZ_CS_LANES];

    for (unsigned i = 0; i < n; i++) {
        begin_part(&s[i], job, first + i);
        lanes[i] = &s[i].cs;
    }
    job->lanes(job->shared, lanes, n, first);
    for (unsigned i = 0; i < n; i++)
        CZ_TRY(end_part(&s[i], job, first + i));
    return CZ_OK;
}

/* Parts 1, …; an item is one of them, or CZ_CS_LANES. */
static cz_err make_parts(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const parts_job *job = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        if (job->aside)
            CZ_TRY(make_lanes(job, CZ_CS_LANES * i + 1));
        else
            CZ_TRY(make_part(job, i + 1));
    }
    return CZ_OK;
}

static cz_err make_other_parts(parts_job *job, cz_pool *pool)
{
    const size_t others = job->n - 1, lanes = job->aside ? CZ_CS_LANES : 1;

    return cz_parallel_for(pool, (others + lanes - 1) / lanes, 1, make_parts, job);
}

/* Do n parts have room? */
static bool fits(const parts_job *job, size_t n)
{
    const witness_cs *s = &job->head;
    const counts head = counts_of(s);

    return n <= UINT32_MAX && head.inputs + n * job->size.inputs <= s->end.inputs &&
           head.aux + n * job->size.aux <= s->end.aux &&
           head.fields + n * job->size.fields <= s->end.fields;
}

/* The first part in the system itself, which tells the size of all. */
static void make_first_part(witness_cs *s, parts_job *job)
{
    cz_cs *const alone[] = {&s->cs};
    const counts before = counts_of(s);
    counts after;

    if (job->aside)
        job->lanes(job->shared, alone, 1, 0);
    else
        job->part(job->shared, &s->cs, 0);
    after = counts_of(s);
    job->size = (counts){after.inputs - before.inputs, after.aux - before.aux,
                         after.fields - before.fields};
}

static void make_all_parts(witness_cs *s, parts_job *job)
{
    cz_err err;

    if (job->n == 0)
        return;
    job->head = *s;
    make_first_part(s, job);
    if (s->cs.status != CZ_OK)
        return;
    if (!fits(job, job->n)) {
        fail_as_other(&s->cs);
        return;
    }
    err = make_other_parts(job, s->pool);
    if (err != CZ_OK)
        cz_cs_fail(&s->cs, err);
    set_counts(s, counts_before(job, job->n));
}

static void witness_parts(cz_cs *cs, size_t n, cz_cs_part part, const void *shared)
{
    parts_job job = {.n = n, .part = part, .shared = shared};

    make_all_parts((witness_cs *)cs, &job);
}

static void witness_part_lanes(cz_cs *cs, size_t n, cz_cs_lanes lanes, const void *shared)
{
    parts_job job = {.n = n, .aside = true, .lanes = lanes, .shared = shared};

    make_all_parts((witness_cs *)cs, &job);
}

/* ---- synthesis ---- */

static cz_err synthesize(witness_cs *s, const cz_circuit *circuit)
{
    const cz_bit_witness *w = s->w;

    circuit->synthesize(circuit, &s->cs);
    CZ_TRY_IN(cz_cs_status(&s->cs), "circuit %s", circuit->id);
    if (s->cs.n_inputs != w->n_inputs || s->cs.n_aux != w->n_aux || s->n_fields != w->n_fields)
        return cz_fail(CZ_E_INTERNAL, "circuit %s: the witness has other variables than %s",
                       circuit->id, cz_compiled_id(s->compiled));
    return CZ_OK;
}

cz_err cz_bit_witness_synthesize(cz_bit_witness *out, const cz_compiled *c,
                                 const cz_circuit *circuit)
{
    return cz_bit_witness_synthesize_pool(out, c, circuit, NULL);
}

cz_err cz_bit_witness_synthesize_pool(cz_bit_witness *out, const cz_compiled *c,
                                      const cz_circuit *circuit, cz_pool *pool)
{
    cz_bit_witness w;
    witness_cs s = {.compiled = c, .w = &w, .pool = pool, .shared_words = {SIZE_MAX, SIZE_MAX}};
    cz_err err;

    CZ_TRY(make_room(&w, c));
    s.end = (counts){w.n_inputs, w.n_aux, w.n_fields};
    cz_cs_init(&s.cs, &witness_ops, true, false);
    s.cs.alloc_bit = witness_alloc_bit;
    s.cs.alloc_bits = witness_alloc_bits;
    s.cs.alloc_values = witness_alloc_values;
    s.cs.parts = witness_parts;
    s.cs.part_lanes = witness_part_lanes;
    err = synthesize(&s, circuit);
    if (err != CZ_OK) {
        cz_bit_witness_clear(&w);
        return err;
    }
    *out = w;
    return CZ_OK;
}

/* ---- without values ---- */

void cz_bit_witness_from_source(cz_bit_witness *out, cz_witness_source *source)
{
    *out = (cz_bit_witness){.n_inputs = source->n_inputs,
                            .n_aux = source->n_aux,
                            .n_fields = source->n_fields,
                            .source = source};
}

cz_err cz_bit_witness_has_values(const cz_bit_witness *w)
{
    return w->source == NULL ? CZ_OK : cz_fail(CZ_E_ARG, "a witness that only a device can make");
}

/* ---- from and to full values ---- */

static cz_err take_values(cz_bit_witness *w, const cz_compiled *c, const cz_fr *aux)
{
    uint32_t n_fields = 0;

    for (uint32_t k = 0; k < w->n_aux; k++) {
        if (!cz_class_bit(c->classes, k))
            w->fields[n_fields++] = aux[k];
        else if (cz_fr_is_one(&aux[k]))
            w->bits[k / 64] |= (uint64_t)1 << (k % 64);
        else if (!cz_fr_is_zero(&aux[k]))
            return cz_fail(CZ_E_UNSATISFIED, "aux variable %u of %s is neither 0 nor 1", k,
                           cz_compiled_id(c));
    }
    return CZ_OK;
}

cz_err cz_bit_witness_from_values(cz_bit_witness *out, const cz_compiled *c, const cz_fr *inputs,
                                  const cz_fr *aux)
{
    cz_bit_witness w;
    cz_err err;

    CZ_TRY(make_room(&w, c));
    memcpy(w.inputs, inputs, w.n_inputs * sizeof *w.inputs);
    err = take_values(&w, c, aux);
    if (err != CZ_OK) {
        cz_bit_witness_clear(&w);
        return err;
    }
    *out = w;
    return CZ_OK;
}

void cz_bit_witness_aux(cz_fr *out, const cz_bit_witness *w, const cz_compiled *c, uint32_t k)
{
    CZ_ASSERT(k < w->n_aux);
    if (!cz_class_bit(c->classes, k))
        *out = w->fields[cz_field_index(c, k)];
    else
        *out = w->bits[k / 64] >> (k % 64) & 1 ? CZ_FR_ONE : CZ_FR_ZERO;
}
