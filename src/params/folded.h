/* folded.h: folded files: a circuit's parameters prepared so that a proof needs no C.
 *
 * `<stem>.folded` lies beside `<stem>.params`. With n = 2^log_n the domain, H_i and L_k the points
 * of that file (H_(n-1) infinity), g the coset's shift, w the domain's root, z = g^n - 1:
 *   h  H'_j = 1/(z n) sum over i of g^-i w^-ij H_i          j = 0 … n - 1, natural order
 *   l  L'_k = L_k - 1/(z n) sum over rows of C[row][k] sum over i of w^-(i row) H_i
 * where l has the inputs that occur in C first, without an L_k of theirs, then every aux variable.
 * For a satisfied witness the sums of a(g w^j) b(g w^j) H'_j and of w_k L'_k give the same point as
 * the classic ones of h and l (docs/decisions/050-c-fold.md), so the proof has the same bytes.
 *
 * File, integers LE but for the counts of the lists, which are as in a `.params`:
 *   0   "cuzkfold", u32 version (1), u32 log_n, u32 n_inputs, u32 n_aux
 *   24  circuit id, padded with zeros to CZ_COMPILED_ID_MAX bytes
 *   56  identity of the parameters (below), 32 bytes
 *   88  bitmap of the inputs that have a point, u64 words, bit k % 64 of word k / 64
 *   …   SHA-256 of all before, 32 bytes
 *   …   h: u32 BE count, points; l: the same. All in G1, uncompressed, 96 bytes each
 *
 * Trust: opening checks frame, identity and counts; that the points are the right ones is a
 * question for params/fold.h's random check. Wrong points make proofs that do not verify. */
#ifndef CZ_PARAMS_FOLDED_H
#define CZ_PARAMS_FOLDED_H

#include "cs/compiled_format.h"
#include "params/params.h"

enum { CZ_FOLDED_VERSION = 1, CZ_FOLDED_IDENTITY_BYTES = 32, CZ_FOLDED_MAX_LOG_N = 31 };

/* An open one. `file` serves cz_params_load_g1, cz_points_gpu_load and cz_points_feed with &file.h
 * and &file.l; messages name this file and "h" or "l". */
typedef struct {
    cz_params file; /* path, fd, map, h and l are set, all else is zero */
    char circuit_id[CZ_COMPILED_ID_MAX];
    unsigned log_n;
    uint32_t n_inputs, n_aux;
    uint64_t *input_has_point; /* bit k: input k has one; owned */
} cz_folded;

/** "<stem>.folded" of "<stem>.params" (of any other name: with ".folded" appended). malloc'ed; NULL
 * without memory. */
char *cz_folded_path(const char *params_path);

/** Map and check everything but the points themselves. `of` and `circuit_id` are what it must be
 * made from and for. CZ_E_NOTFOUND: no such file; CZ_E_UNSUPPORTED: another version; CZ_E_INPUT
 * "path: field: …": damaged, cut, of other parameters or another circuit; CZ_E_IO; CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_folded_open(cz_folded *out, const char *path, const cz_params *of,
                                    const char *circuit_id);

/** Fine on a zeroed structure. */
void cz_folded_close(cz_folded *f);

/** What ties a folded file to its parameters: SHA-256 of the file's vk part, of the counts of all
 * five lists and of the first and last points of h and l. Reads a few pages. */
CZ_MUST_CHECK cz_err cz_folded_identity(uint8_t out[CZ_FOLDED_IDENTITY_BYTES], const cz_params *of);

/* What is known before the first point. */
typedef struct {
    const char *circuit_id;
    unsigned log_n;
    uint32_t n_inputs, n_aux;
    const uint64_t *input_has_point; /* cz_folded_bitmap_words(n_inputs) words; bits above are 0 */
} cz_folded_shape;

static inline size_t cz_folded_bitmap_words(uint32_t n_inputs)
{
    return ((size_t)n_inputs + 63) / 64;
}

/** Points of the list l: the inputs that have one, and the aux variables. */
uint64_t cz_folded_l_points(const cz_folded_shape *shape);

/** Bytes of the whole file. */
uint64_t cz_folded_bytes(const cz_folded_shape *shape);

/** Begin the file with its header, under a temporary name. It goes on as a parameter file does:
 * begin h with 2^log_n points (cz_params_writer_begin), give them by _g1 or _encoded in any pieces,
 * the same for l with cz_folded_l_points of the shape, then cz_params_writer_commit, which names
 * the file. cz_params_writer_abort removes it, and is harmless after that. CZ_E_ARG: the shape is
 * not that of `of`; CZ_E_NOTFOUND: no such folder; CZ_E_IO; CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_folded_writer_open(cz_params_writer *w, const char *path,
                                           const cz_params *of, const cz_folded_shape *shape);

#endif
