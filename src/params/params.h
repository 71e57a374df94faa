/* params.h: Groth16 verifying keys and parameter files in the network's format.
 *
 * `.vk`: alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, u32 BE ic count, ic; `.params`:
 * a `.vk`, then h, l, a, b_g1, b_g2, each u32 BE count and points. All uncompressed (curve.h). The
 * a, b_g1 and b_g2 lists leave out the variables whose point would be infinity. */
#ifndef CZ_PARAMS_PARAMS_H
#define CZ_PARAMS_PARAMS_H

#include "base/pool.h"
#include "cs/digest.h"
#include "curve/curve.h"

/* A verifying key in memory. ic[0] belongs to the constant one. */
typedef struct {
    cz_g1_affine alpha_g1, beta_g1, delta_g1;
    cz_g2_affine beta_g2, gamma_g2, delta_g2;
    uint32_t n_ic;
    cz_g1_affine *ic; /* owned */
} cz_vk;

/** Parse a whole .vk; every point is fully checked and infinity refused. `name` is used in messages
 * ("name: ic[3]: …"). CZ_E_INPUT, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_vk_parse(cz_vk *out, const uint8_t *bytes, size_t n, const char *name);
CZ_MUST_CHECK cz_err cz_vk_read(cz_vk *out, const char *path);
void cz_vk_clear(cz_vk *vk);

/* An open parameter file: mapped read-only; lists are views of the file's bytes. */
typedef struct {
    const uint8_t *bytes; /* first point, uncompressed */
    uint32_t n;
} cz_point_list;

typedef struct {
    char *path;
    const uint8_t *map;
    size_t map_bytes;
    cz_vk vk;
    cz_point_list h, l, a, b_g1, b_g2;
} cz_params;

/** Map and check the frame: lengths, counts, no trailing surprise, the vk's points. CZ_E_NOTFOUND
 * when there is no such file, CZ_E_INPUT "path: section: …" when damaged (too short, an error page
 * of a web gateway, a directory, …). */
CZ_MUST_CHECK cz_err cz_params_open(cz_params *out, const char *path);
void cz_params_close(cz_params *p);

/** Counts against a circuit: "belongs to circuit X" is what a mismatch says. */
CZ_MUST_CHECK cz_err cz_params_match(const cz_params *p, const cz_circuit_stats *stats,
                                     const char *circuit_id);

/** Check every point of every list: encoding, curve, subgroup, not infinity. Multi-threaded,
 * minutes for 32 GiB files. */
CZ_MUST_CHECK cz_err cz_params_check_points(const cz_params *p, cz_pool *pool);

/** Points [first, first + n) of a list into Montgomery form, multi-threaded. Canonical coordinates
 * and the curve equation are checked (section and index named on failure); subgroups are not. */
CZ_MUST_CHECK cz_err cz_params_load_g1(const cz_params *p, const cz_point_list *list, cz_pool *pool,
                                       size_t first, size_t n, cz_g1_affine *out);
CZ_MUST_CHECK cz_err cz_params_load_g2(const cz_params *p, const cz_point_list *list, cz_pool *pool,
                                       size_t first, size_t n, cz_g2_affine *out);

#endif
