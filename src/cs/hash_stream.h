/* hash_stream.h: SHA-256 over a long stream, made by one thread and hashed by another.
 *
 * The producer writes into a buffer and hands it over when it is full; a ring of a few buffers
 * keeps both busy. Without a second thread the producer hashes. Inside cs/ only. */
#ifndef CZ_CS_HASH_STREAM_H
#define CZ_CS_HASH_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "hash/sha256.h"

enum { CZ_HASH_STREAM_BUFFERS = 4, CZ_HASH_STREAM_BUFFER_BYTES = 256 << 10 };

typedef struct {
    uint8_t *at; /* the producer's place in its buffer, and where that ends */
    uint8_t *end;
    uint8_t *memory; /* all buffers */
    cz_sha256 sha;   /* the hashing thread's while the ring is not empty */

    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t changed;
    size_t filled[CZ_HASH_STREAM_BUFFERS]; /* bytes, of those between hashed and handed */
    uint64_t handed;                       /* buffers handed over so far: the producer's is next */
    uint64_t hashed;
    bool closing;
} cz_hash_stream;

/** `threaded` asks for the second thread; where the system gives none the producer hashes. */
CZ_MUST_CHECK cz_err cz_hash_stream_init(cz_hash_stream *s, bool threaded);
void cz_hash_stream_clear(cz_hash_stream *s);

/** Give the producer's buffer away and take an empty one. */
void cz_hash_stream_hand_over(cz_hash_stream *s);

/** Where the next n bytes go (n at most a buffer); finish with cz_hash_stream_wrote. */
static inline uint8_t *cz_hash_stream_room(cz_hash_stream *s, size_t n)
{
    CZ_ASSERT(n <= CZ_HASH_STREAM_BUFFER_BYTES);
    if ((size_t)(s->end - s->at) < n)
        cz_hash_stream_hand_over(s);
    return s->at;
}

static inline void cz_hash_stream_wrote(cz_hash_stream *s, uint8_t *end)
{
    s->at = end;
}

/** The hash of all that was written; the stream may go on. */
void cz_hash_stream_digest(cz_hash_stream *s, uint8_t out[32]);

#endif
