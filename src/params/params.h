/* params.h: Groth16 verifying keys and parameter files in the network's format.
 *
 * `.vk`: alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, u32 BE ic count, ic; `.params`:
 * a `.vk`, then h, l, a, b_g1, b_g2, each u32 BE count and points. All uncompressed (curve.h). The
 * a, b_g1 and b_g2 lists leave out the variables whose point would be infinity.
 *
 * A parameter file is never held in memory: opening looks at the frame and the vk through a map,
 * and points are read and converted where they are used, chunk by chunk. So a proof needs the
 * memory of a chunk, not of a file, and several processes share one page cache. */
#ifndef CZ_PARAMS_PARAMS_H
#define CZ_PARAMS_PARAMS_H

#include "base/file.h"
#include "base/pool.h"
#include "cs/digest.h"
#include "curve/curve.h"
#include "params/manifest.h"

/* A verifying key in memory. ic[0] belongs to the constant one. */
typedef struct {
    cz_g1_affine alpha_g1, beta_g1, delta_g1;
    cz_g2_affine beta_g2, gamma_g2, delta_g2;
    uint32_t n_ic;
    cz_g1_affine *ic; /* owned */
} cz_vk;

/* Bytes of a .vk before its ic points: the six points and the count. */
enum { CZ_VK_HEAD_BYTES = 3 * 96 + 3 * 192 + 4 };

/** Parse a whole .vk; every point is fully checked and infinity refused. `name` is used in messages
 * ("name: ic[3]: …"). CZ_E_INPUT, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_vk_parse(cz_vk *out, const uint8_t *bytes, size_t n, const char *name);

/** As cz_vk_parse, the ic points checked on the pool's threads: a window PoSt key has 25,840. */
CZ_MUST_CHECK cz_err cz_vk_parse_pool(cz_vk *out, const uint8_t *bytes, size_t n, const char *name,
                                      cz_pool *pool);
CZ_MUST_CHECK cz_err cz_vk_read(cz_vk *out, const char *path);
void cz_vk_clear(cz_vk *vk);

/** Bytes of the .vk form, and that form. */
size_t cz_vk_bytes(const cz_vk *vk);
void cz_vk_serialize(uint8_t *out, const cz_vk *vk);

/* An open parameter file: mapped read-only; lists are views of the file's bytes. */
typedef struct {
    const uint8_t *bytes; /* first point, uncompressed */
    uint32_t n;
} cz_point_list;

typedef struct {
    char *path;
    int fd; /* of the same file, for reading points */
    const uint8_t *map;
    size_t map_bytes;
    cz_vk vk;
    cz_point_list h, l, a, b_g1, b_g2;
    size_t trailing_bytes; /* after b_g2; 0 unless allow_trailing was given */
} cz_params;

typedef struct {
    cz_pool *pool; /* checks the vk's points; may be NULL */
    /* Accept bytes after b_g2, as Zcash's ceremony left its contributions there. The network's
     * files have none, so by default they are refused as damage. */
    bool allow_trailing;
    /* Or NULL: hash the file first, and refuse it as cz_manifest_check_map does. What is hashed is
     * what is opened, whatever takes its name. */
    const cz_manifest *manifest;
    cz_digest_progress_fn progress; /* of the hashing; may be NULL */
    void *progress_ctx;
} cz_params_options;

/** Map and check the frame: lengths, counts, no trailing surprise, the vk's points. CZ_E_NOTFOUND
 * when there is no such file, CZ_E_INPUT "path: section: …" when damaged (too short, an error page
 * of a web gateway, a directory, …). A warning is logged for parameters of large sectors that are
 * not the network's (origin.h). */
CZ_MUST_CHECK cz_err cz_params_open(cz_params *out, const char *path);
CZ_MUST_CHECK cz_err cz_params_open_with(cz_params *out, const char *path,
                                         const cz_params_options *options);
void cz_params_close(cz_params *p);

/** Counts against a circuit: "belongs to circuit X" is what a mismatch says. */
CZ_MUST_CHECK cz_err cz_params_match(const cz_params *p, const cz_circuit_stats *stats,
                                     const char *circuit_id);

/** The id of the network's circuit that has these counts ("porep-2k"), or NULL. */
const char *cz_params_circuit_id(const cz_params *p);

/** Check every point of every list: encoding, curve, subgroup, not infinity; the first bad one of a
 * list's part is named. Subgroups are checked for many points together, a point outside is
 * overlooked with a chance of 2^-64 (check.c). Multi-threaded; some minutes of 16 cores for 47 GB.
 */
CZ_MUST_CHECK cz_err cz_params_check_points(const cz_params *p, cz_pool *pool);

/** Points [first, first + n) of a list into Montgomery form, multi-threaded. Canonical coordinates
 * and the curve equation are checked (section and index named on failure); infinity is refused;
 * subgroups are not checked. */
CZ_MUST_CHECK cz_err cz_params_load_g1(const cz_params *p, const cz_point_list *list, cz_pool *pool,
                                       size_t first, size_t n, cz_g1_affine *out);
CZ_MUST_CHECK cz_err cz_params_load_g2(const cz_params *p, const cz_point_list *list, cz_pool *pool,
                                       size_t first, size_t n, cz_g2_affine *out);

/** The same for the points at[0], …, at[n - 1] of a list; ascending order is read fastest. */
CZ_MUST_CHECK cz_err cz_params_gather_g1(const cz_params *p, const cz_point_list *list,
                                         cz_pool *pool, const uint32_t *at, size_t n,
                                         cz_g1_affine *out);
CZ_MUST_CHECK cz_err cz_params_gather_g2(const cz_params *p, const cz_point_list *list,
                                         cz_pool *pool, const uint32_t *at, size_t n,
                                         cz_g2_affine *out);

/** Bytes that the four take while they run, at most. */
size_t cz_params_read_bytes(const cz_pool *pool);

/** Bytes [offset, offset + n) of the file. Any thread. CZ_E_IO, also when the file was cut. */
CZ_MUST_CHECK cz_err cz_params_read(const cz_params *p, uint8_t *out, size_t offset, size_t n);

/** The same, read by the pool's threads, a MiB at a time. */
CZ_MUST_CHECK cz_err cz_params_read_shared(const cz_params *p, cz_pool *pool, uint8_t *out,
                                           size_t offset, size_t n);

/* Writing a parameter file: open, the vk, then the five lists in order (begin with the count, then
 * points in any number of calls), then commit. The file appears under its name only then. Points
 * are written by the pool's threads, each to its place: by pwrite or through a map of the file,
 * whichever was faster of late. */
typedef struct {
    cz_file_writer file;
    unsigned n_parts, n_wanted; /* begun so far and in all, the vk counted; 0 before it */
    uint32_t missing;           /* points of the current list not yet written */
    bool may_map;
    int map_fd;        /* the file again, where it may be mapped */
    double seconds[2]; /* a byte, by pwrite and by the map; 0: not tried */
} cz_params_writer;

CZ_MUST_CHECK cz_err cz_params_writer_open(cz_params_writer *w, const char *path);
CZ_MUST_CHECK cz_err cz_params_writer_vk(cz_params_writer *w, const cz_vk *vk);

/** Another kind of file: these n bytes in place of the vk, before n_lists lists. */
CZ_MUST_CHECK cz_err cz_params_writer_head(cz_params_writer *w, const uint8_t *bytes, size_t n,
                                           unsigned n_lists);
CZ_MUST_CHECK cz_err cz_params_writer_begin(cz_params_writer *w, uint32_t n);
CZ_MUST_CHECK cz_err cz_params_writer_g1(cz_params_writer *w, cz_pool *pool,
                                         const cz_g1_affine *points, size_t n);
CZ_MUST_CHECK cz_err cz_params_writer_g2(cz_params_writer *w, cz_pool *pool,
                                         const cz_g2_affine *points, size_t n);

/** Points that are encoded already, n of point_bytes each. */
CZ_MUST_CHECK cz_err cz_params_writer_encoded(cz_params_writer *w, cz_pool *pool,
                                              const uint8_t *bytes, size_t n, size_t point_bytes);

/** CZ_E_ARG when lists or points are missing. */
CZ_MUST_CHECK cz_err cz_params_writer_commit(cz_params_writer *w);

/** Remove what was written; harmless after commit and on a zeroed writer. */
void cz_params_writer_abort(cz_params_writer *w);

#endif
