/* frame.h: what vk.c, params.c and folded.c share about the outer shape of the kinds of file. */
#ifndef CZ_PARAMS_FRAME_H
#define CZ_PARAMS_FRAME_H

#include "base/bytes.h"
#include "base/pool.h"
#include "params/params.h"

enum { CZ_FRAME_LOOK_BYTES = 96 };

/** Refuse what is no key or parameter file at all, with the likely cause: empty, an HTML page or
 * other text, zero bytes, shorter than `least` bytes. `what` is "verifying key", "parameter file"
 * or "folded file". Of the n bytes only the first CZ_FRAME_LOOK_BYTES are read. */
CZ_MUST_CHECK cz_err cz_frame_refuse_foreign(const char *name, const char *what,
                                             const uint8_t *bytes, size_t n, size_t least);

/** Map the file and keep it open for reading points: path, fd, map and map_bytes; all else is zero.
 * Both are of one file, whatever takes its name. After an error, too, cz_params_close. */
CZ_MUST_CHECK cz_err cz_frame_map(cz_params *p, const char *path);

/** A u32 BE count followed by that many points of point_bytes: *list views them, the reader moves
 * past. */
CZ_MUST_CHECK cz_err cz_frame_list(cz_reader *r, const char *name, const char *section,
                                   size_t point_bytes, cz_point_list *list);

/** The vk at the reader's position; the reader moves past it. */
CZ_MUST_CHECK cz_err cz_frame_vk(cz_vk *out, cz_reader *r, const char *name, cz_pool *pool);

#endif
