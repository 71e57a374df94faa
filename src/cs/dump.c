/* dump.c: see dump.h. */
#include "cs/dump.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "cs/values.h"

typedef struct {
    cz_cs cs; /* first: modes embed it */
    FILE *out;
    cz_values inputs, aux;
} dump_cs;

static void print_path(dump_cs *d, cz_name name)
{
    char path[1024];

    cz_cs_path(&d->cs, name, path, sizeof path);
    (void)fputs(path, d->out);
    (void)fputc('\n', d->out);
}

/* ---- coefficients: none = 1, "-" = -1, "n*" and "-n*" below 2^32, "2^k*", else hex, big-endian
 * ---- */

static bool fits_32_bits(const cz_u256 *v)
{
    return (v->l[1] | v->l[2] | v->l[3]) == 0 && v->l[0] <= UINT32_MAX;
}

/* k for v = 2^k, else -1. */
static int log2_exact(const cz_u256 *v)
{
    int log = -1;

    for (int i = 0; i < 4; i++) {
        if (v->l[i] == 0)
            continue;
        if (log >= 0 || (v->l[i] & (v->l[i] - 1)) != 0)
            return -1;
        log = 64 * i + __builtin_ctzll(v->l[i]);
    }
    return log;
}

static void print_small(FILE *out, const char *sign, uint64_t n)
{
    (void)fputs(sign, out);
    if (n != 1)
        (void)fprintf(out, "%" PRIu64 "*", n);
}

static void print_hex(FILE *out, const cz_u256 *v)
{
    (void)fputs("0x", out);
    for (int i = 3; i >= 0; i--)
        (void)fprintf(out, "%016" PRIx64, v->l[i]);
    (void)fputc('*', out);
}

static void print_coeff(FILE *out, const cz_fr *coeff)
{
    cz_fr negated;
    cz_u256 v;
    cz_u256 minus_v;

    cz_fr_neg(&negated, coeff);
    cz_fr_to_u256(&v, coeff);
    cz_fr_to_u256(&minus_v, &negated);
    if (fits_32_bits(&v))
        print_small(out, "", v.l[0]);
    else if (fits_32_bits(&minus_v))
        print_small(out, "-", minus_v.l[0]);
    else if (log2_exact(&v) >= 0)
        (void)fprintf(out, "2^%d*", log2_exact(&v));
    else
        print_hex(out, &v);
}

static void print_lc(FILE *out, const cz_lc *lc)
{
    (void)fputc('(', out);
    for (uint32_t i = 0; i < lc->n; i++) {
        cz_var v = lc->terms[i].var;

        if (i > 0)
            (void)fputc(' ', out);
        print_coeff(out, &lc->terms[i].coeff);
        (void)fprintf(out, "%c%" PRIu32, cz_var_is_aux(v) ? 'a' : 'i', cz_var_index(v));
    }
    (void)fputc(')', out);
}

/* ---- the mode ---- */

static void dump_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    dump_cs *d = (dump_cs *)cs;

    (void)fprintf(d->out, "alloc a%" PRIu32 " ", cs->n_aux);
    print_path(d, name);
    cz_values_push(&d->aux, cs, value);
}

static void dump_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    dump_cs *d = (dump_cs *)cs;

    (void)fprintf(d->out, "input i%" PRIu32 " ", cs->n_inputs);
    print_path(d, name);
    cz_values_push(&d->inputs, cs, value);
}

static void dump_enforce(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    dump_cs *d = (dump_cs *)cs;

    (void)fprintf(d->out, "c%" PRIu64 " ", cs->n_constraints);
    print_lc(d->out, a);
    (void)fputs(" * ", d->out);
    print_lc(d->out, b);
    (void)fputs(" = ", d->out);
    print_lc(d->out, c);
    (void)fputs("   ", d->out);
    print_path(d, name);
}

static const cz_cs_ops dump_ops = {dump_alloc, dump_alloc_input, dump_enforce};

static void print_values(FILE *out, char kind, const cz_values *values)
{
    for (size_t i = 0; i < values->n; i++) {
        uint8_t bytes[32];
        char hex[65];

        cz_fr_to_le(bytes, &values->v[i]);
        cz_hex_encode(hex, bytes, sizeof bytes);
        (void)fprintf(out, "value %c%zu %s\n", kind, i, hex);
    }
}

static cz_err write_all(dump_cs *d, const cz_circuit *circuit)
{
    const cz_fr one = CZ_FR_ONE;

    cz_values_push(&d->inputs, &d->cs, &one);
    (void)fputs("input i0 /one\n", d->out);
    circuit->synthesize(circuit, &d->cs);
    CZ_TRY_IN(cz_cs_status(&d->cs), "circuit %s", circuit->id);
    print_values(d->out, 'i', &d->inputs);
    print_values(d->out, 'a', &d->aux);
    if (fflush(d->out) != 0 || ferror(d->out))
        return cz_fail(CZ_E_IO, "circuit %s: the dump could not be written", circuit->id);
    return CZ_OK;
}

cz_err cz_circuit_dump(FILE *out, const cz_circuit *circuit)
{
    dump_cs d = {.out = out};
    cz_err err;

    cz_cs_init(&d.cs, &dump_ops, true, true);
    err = write_all(&d, circuit);
    cz_values_clear(&d.inputs);
    cz_values_clear(&d.aux);
    return err;
}
