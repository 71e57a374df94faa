/* blocks.h: large blocks of memory that stay: taken, given back, taken again.
 *
 * A vector of a large domain is gigabytes; the first touch of its pages, and locking them for a
 * device, can cost as much as what is then computed in it. A pool of blocks pays once: a block that
 * is given back keeps its pages, touched and, where the limit allows (ulimit -l), locked. Without a
 * pool (NULL) blocks come from the allocator and go back to it. Large ones lie in huge pages where
 * the system has them.
 *
 * Contents: undefined when taken; who gives back erases secrets. Threads: any. */
#ifndef CZ_BASE_BLOCKS_H
#define CZ_BASE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

typedef struct cz_blocks cz_blocks;

CZ_MUST_CHECK cz_err cz_blocks_create(cz_blocks **out);

/** All blocks must be back. */
void cz_blocks_destroy(cz_blocks *b);

/** `bytes` of memory; NULL when there is none. A pool serves a request from a block of the same
 * size, if it has one. */
void *cz_blocks_take(cz_blocks *b, size_t bytes);

/** `bytes` as taken; NULL blocks are ignored. */
void cz_blocks_give(cz_blocks *b, void *block, size_t bytes);

typedef struct {
    size_t made, reused;  /* requests so far */
    size_t bytes, locked; /* of all blocks that the pool has made, and of those locked */
} cz_blocks_counts;

/** Zero for NULL. */
cz_blocks_counts cz_blocks_count(const cz_blocks *b);

/** Touch every page and lock it. False: the limit does not allow locking; the pages are touched. */
bool cz_block_pin(void *block, size_t bytes);
void cz_block_unpin(void *block, size_t bytes);

/** Touch every page, so that no fault comes later. */
void cz_block_touch(void *block, size_t bytes);

#endif
