/* cs.h: the rank-1 constraint system that circuits are synthesised into.
 *
 * A circuit is a function that calls cz_cs_alloc*, cz_cs_enforce and the gadgets on a cz_cs. What
 * these calls do is the mode:
 * - digest: hash every constraint; count: sizes and densities only (cs/digest.h); without a witness
 * - columns: sums over the rows of each column, for the parameter setup (cs/columns.h); without one
 * - satisfied: check each constraint, name the first that fails (cs/satisfied.h)
 * - assignment: a, b, c, densities and the witness: what the prover needs (cs/assignment.h)
 * - dump: the text of the golden gadget files (cs/dump.h)
 * - recorder: the circuit as templates and instances (cs/compile.h); without a witness
 * - bit witness: the witness alone, bits as bits (cs/bit_witness.h); without constraints
 *
 * Names. A constraint's path ("challenge_0/comm_d_inclusion/…") exists for messages and dumps.
 * Names are passed as a format with at most three numbers and are formatted only when somebody
 * asks, so they cost a few stores.
 *
 * Errors are sticky: allocation calls always return a usable variable, and the first failure
 * (memory, too many variables) is kept and returned by cz_cs_status. So gadgets return values, not
 * codes, and read like their mathematics.
 *
 * Threads: a cs serves one thread. */
#ifndef CZ_CS_CS_H
#define CZ_CS_CS_H

#include "cs/lc.h"

/* A name for one level of a path: literal text with numbers, written "%u" each. A single number is
 * the whole of `arg`; two or three share it, CZ_NAME_FIELD_BITS each, the first one lowest. */
typedef struct {
    const char *fmt; /* must outlive the synthesis: string literals */
    uint64_t arg;
} cz_name;

enum { CZ_NAME_FIELD_BITS = 21 };

#define CZ_NAME_FIELD(number, i) ((uint64_t)(number) << (CZ_NAME_FIELD_BITS * (i)))

#define CZ_N(literal)            ((cz_name){literal "", 0})
#define CZ_NU(literal, number)   ((cz_name){literal "", (uint64_t)(number)})
#define CZ_NU2(literal, a, b)    ((cz_name){literal "", CZ_NAME_FIELD(a, 0) | CZ_NAME_FIELD(b, 1)})
#define CZ_NU3(literal, a, b, c)                                                                   \
    ((cz_name){literal "", CZ_NAME_FIELD(a, 0) | CZ_NAME_FIELD(b, 1) | CZ_NAME_FIELD(c, 2)})

typedef struct cz_cs cz_cs;

/* What a mode supplies. `value` is meaningful only when cs->has_values. `name` is the last path
 * level. */
typedef struct {
    void (*alloc)(cz_cs *cs, cz_name name, const cz_fr *value);
    void (*alloc_input)(cz_cs *cs, cz_name name, const cz_fr *value);
    /* a, b, c are normalised */
    void (*enforce)(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c);
} cz_cs_ops;

enum { CZ_CS_MAX_DEPTH = 64 };

/* Part i of several equal ones (cz_cs_parts); `shared` is only read. */
typedef void (*cz_cs_part)(const void *shared, cz_cs *cs, size_t i);

/* Parts first, …, first + n - 1 of several equal ones, side by side, each into a system of its own
 * (cz_cs_part_lanes); n is 1 … CZ_CS_LANES. */
enum { CZ_CS_LANES = 8 };
typedef void (*cz_cs_lanes)(const void *shared, cz_cs *const lanes[], unsigned n, size_t first);

/* Modes embed this as their first member. */
struct cz_cs {
    const cz_cs_ops *ops;
    bool has_values; /* gadgets compute values; otherwise values are ignored and may be anything */
    bool wants_constraints; /* false: cz_cs_enforce is never looked at; gadgets may skip building
                               combinations */
    uint32_t n_inputs;      /* including the one */
    uint32_t n_aux;
    uint64_t n_constraints;
    cz_err status;
    /* More operations, for the few modes that care; NULL from cz_cs_init. A new aux variable that
     * is 0 or 1 by construction, n of them (the first one lowest); a border (cz_cs_border); equal
     * parts (cz_cs_parts). */
    void (*alloc_bit)(cz_cs *cs, bool value);
    void (*alloc_bits)(cz_cs *cs, uint64_t values, unsigned n);
    void (*border)(cz_cs *cs);
    cz_fr *(*alloc_values)(cz_cs *cs, unsigned n); /* NULL: failed, and kept in status */
    void (*parts)(cz_cs *cs, size_t n, cz_cs_part part, const void *shared);
    void (*part_lanes)(cz_cs *cs, size_t n, cz_cs_lanes lanes, const void *shared);
    unsigned depth;
    cz_name path[CZ_CS_MAX_DEPTH];
};

/** Common part of every mode: no variables but the constant one, which the mode's own init records.
 */
void cz_cs_init(cz_cs *cs, const cz_cs_ops *ops, bool has_values, bool wants_constraints);

/** A new auxiliary / input variable. `value` may be NULL only when !cs->has_values. */
cz_var cz_cs_alloc(cz_cs *cs, cz_name name, const cz_fr *value);
cz_var cz_cs_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value);

/** A new auxiliary variable of class bit: the circuit's other constraints keep it 0 or 1, and its
 * value is given as such. The class belongs to the circuit: it is the same with every witness. */
cz_var cz_cs_alloc_bit(cz_cs *cs, cz_name name, bool value);

/** Does the mode take bits by the word, and nothing else of them: no constraints, no names? Then
 * gadgets may leave to their native twins what those do faster. */
static inline bool cz_cs_takes_words(const cz_cs *cs)
{
    return cs->alloc_bits != NULL && cs->has_values && !cs->wants_constraints;
}

/** n (1 … 64) variables of class bit, where the mode takes words; values above bit n are ignored.
 * Returns the first. */
cz_var cz_cs_alloc_bits(cz_cs *cs, uint64_t values, unsigned n);

/** Here something begins or ends that the circuit repeats (a compression, a permutation, a level of
 * a tree). A hint for the recorder, which finds equal pieces between borders; it changes neither
 * variables nor constraints. */
static inline void cz_cs_border(cz_cs *cs)
{
    if (cs->border != NULL)
        cs->border(cs);
}

/** Parts 0 … n - 1 in this order, up to the first failure. They must be equal but for the variables
 * and values that come from `shared` and i: the same numbers of variables of each class, of inputs
 * and of constraints. A mode may give several threads a cs each, so a part uses the cs that it is
 * given, leaves the path as it was, and returns nothing. */
void cz_cs_parts(cz_cs *cs, size_t n, cz_cs_part part, const void *shared);

/** The same for parts whose gadgets can do the work of several at once (por.h, poseidon_circuit.h).
 * A mode that has no use for that gives them one by one. */
void cz_cs_part_lanes(cz_cs *cs, size_t n, cz_cs_lanes lanes, const void *shared);

/** Does the mode take values by the list, and nothing else of them? As cz_cs_takes_words. */
static inline bool cz_cs_takes_values(const cz_cs *cs)
{
    return cs->alloc_values != NULL && cs->has_values && !cs->wants_constraints;
}

/** n variables of class field, where the mode takes values; the caller fills *values, n of them.
 * Returns the first; *values is NULL after a failure. */
cz_var cz_cs_alloc_values(cz_cs *cs, cz_fr **values, unsigned n);

/** a * b = c. The combinations are normalised in place; the caller keeps them. */
void cz_cs_enforce(cz_cs *cs, cz_name name, cz_lc *a, cz_lc *b, cz_lc *c);

/** One level down and up in the path. Every enter has its leave. */
void cz_cs_enter(cz_cs *cs, cz_name name);
void cz_cs_leave(cz_cs *cs);

/** "challenge_0/…/name" into out (cut to out_size, always terminated). */
void cz_cs_path(const cz_cs *cs, cz_name name, char *out, size_t out_size);

/** First failure so far; the message is in the error record of the synthesising thread. */
CZ_MUST_CHECK cz_err cz_cs_status(const cz_cs *cs);

/** For modes: keep the first failure. */
void cz_cs_fail(cz_cs *cs, cz_err err);

/* A circuit: anything that can be synthesised. Concrete circuits embed it as their first member and
 * carry their inputs (or none: `has_witness` false, for setup and digest, when the cs has no values
 * either). */
typedef struct cz_circuit cz_circuit;
struct cz_circuit {
    const char *id; /* "porep-2k", … */
    void (*synthesize)(const cz_circuit *self, cz_cs *cs);
};

#endif
