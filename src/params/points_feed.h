/* points_feed.h: bytes of a parameter file onto a CUDA device, stretch after stretch, while the
 * device is at other work.
 *
 * A thread of its own reads through two pinned buffers and copies on the device's copy queue. It
 * goes through a list of stretches; each fills the same place on the device, so it waits until the
 * one before has been used. What comes there are the file's bytes: cz_points_feed_decode makes
 * points of them, whose encodings and curve equation are checked as cz_params_load_g1 checks them.
 *
 * Threads: one, that of the cz_gpu. */
#ifndef CZ_PARAMS_POINTS_FEED_H
#define CZ_PARAMS_POINTS_FEED_H

#include "gpu/gpu.h"
#include "params/params.h"

typedef struct cz_points_feed cz_points_feed;

/* Points [first, first + n) of a list. */
typedef struct {
    const cz_point_list *list;
    size_t first, n;
    const cz_params *file; /* that has the list; NULL: the feed's */
} cz_points_stretch;

/** At most 128 MiB of pinned memory; most_bytes: of the longest stretch.
 * `params` and `pool`, whose threads read, must stay. d_mark: 4 bytes of device memory, the feed's
 * own. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_points_feed_create(cz_gpu *gpu, cz_points_feed **out,
                                           const cz_params *params, cz_pool *pool,
                                           size_t most_bytes, void *d_mark);

/** NULL is fine. Nothing is under way. */
void cz_points_feed_destroy(cz_points_feed *feed);

/** Begin with the first of n stretches, which must stay until the end. d_bytes has room for each of
 * them. Ended by cz_points_feed_stop, after an error too. CZ_E_NOMEM: no thread; CZ_E_CUDA. */
CZ_MUST_CHECK cz_err cz_points_feed_start(cz_points_feed *feed, const cz_points_stretch *stretches,
                                          size_t n, void *d_bytes);

/** Wait for the next stretch: the compute queue, and the caller until its last copy is under way.
 * CZ_E_IO names the file. */
CZ_MUST_CHECK cz_err cz_points_feed_next(cz_points_feed *feed);

/** Its points to d_part[0] and d_part[1], in places d_to (params/points_device.h; NULL: in order,
 * to part 0). The bytes are used up then and the next stretch takes their place. Waits for the
 * device. CZ_E_INPUT names a damaged point. */
CZ_MUST_CHECK cz_err cz_points_feed_decode(cz_points_feed *feed, const uint32_t *d_to,
                                           void *d_part0, void *d_part1);

/** End it, wherever it is; fine where it was not begun. Its last copies may still be on their way
 * to the device: wait for that (cz_gpu_sync) before d_bytes or the feed goes. */
void cz_points_feed_stop(cz_points_feed *feed);

#endif
