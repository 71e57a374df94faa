/* hash_stream.c: see hash_stream.h. */
#include "cs/hash_stream.h"

#include <stdlib.h>

static uint8_t *buffer(const cz_hash_stream *s, uint64_t number)
{
    return s->memory + number % CZ_HASH_STREAM_BUFFERS * CZ_HASH_STREAM_BUFFER_BYTES;
}

static void take_buffer(cz_hash_stream *s)
{
    s->at = buffer(s, s->handed);
    s->end = s->at + CZ_HASH_STREAM_BUFFER_BYTES;
}

/* ---- the hashing thread ---- */

static void *hash_until_closed(void *arg)
{
    cz_hash_stream *s = arg;

    (void)pthread_mutex_lock(&s->lock);
    for (;;) {
        size_t n;

        while (s->hashed == s->handed && !s->closing)
            (void)pthread_cond_wait(&s->changed, &s->lock);
        if (s->hashed == s->handed)
            break;
        n = s->filled[s->hashed % CZ_HASH_STREAM_BUFFERS];
        (void)pthread_mutex_unlock(&s->lock);
        cz_sha256_update(&s->sha, buffer(s, s->hashed), n);
        (void)pthread_mutex_lock(&s->lock);
        s->hashed++;
        (void)pthread_cond_signal(&s->changed);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- the producer ---- */

void cz_hash_stream_hand_over(cz_hash_stream *s)
{
    size_t n = (size_t)(s->at - buffer(s, s->handed));

    if (!s->threaded) {
        cz_sha256_update(&s->sha, buffer(s, s->handed), n);
        take_buffer(s);
        return;
    }
    (void)pthread_mutex_lock(&s->lock);
    s->filled[s->handed % CZ_HASH_STREAM_BUFFERS] = n;
    s->handed++;
    (void)pthread_cond_signal(&s->changed);
    while (s->handed - s->hashed >= CZ_HASH_STREAM_BUFFERS)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
    take_buffer(s);
}

static void wait_until_hashed(cz_hash_stream *s)
{
    if (!s->threaded)
        return;
    (void)pthread_mutex_lock(&s->lock);
    while (s->hashed < s->handed)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
}

void cz_hash_stream_digest(cz_hash_stream *s, uint8_t out[32])
{
    cz_sha256 copy;

    cz_hash_stream_hand_over(s);
    wait_until_hashed(s);
    copy = s->sha;
    cz_sha256_final(&copy, out);
}

cz_err cz_hash_stream_init(cz_hash_stream *s, bool threaded)
{
    *s = (cz_hash_stream){0};
    s->memory = malloc((size_t)CZ_HASH_STREAM_BUFFERS * CZ_HASH_STREAM_BUFFER_BYTES);
    if (s->memory == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the buffers of a digest");
    cz_sha256_init(&s->sha);
    take_buffer(s);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->changed, NULL);
    s->threaded = threaded && pthread_create(&s->thread, NULL, hash_until_closed, s) == 0;
    return CZ_OK;
}

void cz_hash_stream_clear(cz_hash_stream *s)
{
    if (s->memory == NULL)
        return;
    if (s->threaded) {
        (void)pthread_mutex_lock(&s->lock);
        s->closing = true;
        (void)pthread_cond_signal(&s->changed);
        (void)pthread_mutex_unlock(&s->lock);
        (void)pthread_join(s->thread, NULL);
    }
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    free(s->memory);
    *s = (cz_hash_stream){0};
}
