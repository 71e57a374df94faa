/* sha256_ni.c: the compression function on the CPU's SHA extensions.
 *
 * sha256rnds2 does two rounds on the state held as (a b e f) and (c d g h); sha256msg1/msg2 make
 * four words of the message schedule [Intel SDM, vol. 2]. The 32 dependent sha256rnds2 of a block
 * are the critical path: everything else hides behind them. Reference: cz_sha256_compress_portable.
 */
#include <immintrin.h>

#include "hash/sha256.h"

/* Big-endian words out of memory. */
static inline __m128i load_words(const uint8_t *p)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);

    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p), swap);
}

/* Words 4 i … 4 i + 3 from the 16 before them; w holds the last four groups in a ring. */
static inline __m128i next_words(const __m128i w[4], int i)
{
    __m128i w_16 = w[i % 4];
    __m128i w_12 = w[(i + 1) % 4];
    __m128i w_7 = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w_16, w_12), w_7);

    return _mm_sha256msg2_epu32(sum, w[(i + 3) % 4]);
}

/* Four rounds, number 4 i on. */
static inline void four_rounds(__m128i *abef, __m128i *cdgh, __m128i words, int i)
{
    __m128i k = _mm_loadu_si128((const __m128i *)(const void *)(cz_sha256_k + 4 * i));
    __m128i wk = _mm_add_epi32(words, k);

    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

void cz_sha256_compress_ni(uint32_t h[8], const uint8_t *blocks, size_t n_blocks)
{
    __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(void *)h), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(void *)(h + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);

    for (; n_blocks > 0; n_blocks--, blocks += 64) {
        __m128i abef_before = abef;
        __m128i cdgh_before = cdgh;
        __m128i w[4];

#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            w[i] = load_words(blocks + 16 * i);
            four_rounds(&abef, &cdgh, w[i], i);
        }
#pragma GCC unroll 12
        for (int i = 4; i < 16; i++) {
            w[i % 4] = next_words(w, i);
            four_rounds(&abef, &cdgh, w[i % 4], i);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }

    abcd = _mm_shuffle_epi32(abef, 0x1b);
    efgh = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(abcd, efgh, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(h + 4), _mm_alignr_epi8(efgh, abcd, 8));
}
