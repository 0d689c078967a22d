/* The part of THCompact.h and THBits.h for AVX2, which finds in a table how to move the marked
 * elements to the front. */
#define TH_COMPACT_LANES 8

static inline unsigned THCompact_bits(const uint8_t *marks)
{
  const __m128i m = _mm_loadl_epi64((const __m128i *)marks);
  return (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(m, _mm_setzero_si128()));
}

/* Twice each number of the lower half, followed by that plus 1: indices of 4-byte halves of 8-byte
 * elements. */
static inline __m128i THCompact_pairs(__m128i numbers)
{
  const __m128i twice = _mm_unpacklo_epi8(numbers, numbers);
  return _mm_add_epi8(_mm_add_epi8(twice, twice), _mm_set1_epi16(0x100));
}

static inline __m128i THCompact_front(unsigned bits)
{
  return _mm_cvtsi64_si128((long long)THIndex_fronts[bits]);
}

/* Four elements of 8 bytes. */
static inline void THCompact_four(char *to, const char *x, unsigned bits)
{
  const __m256i order = _mm256_cvtepu8_epi32(THCompact_pairs(THCompact_front(bits)));
  const __m256i all = _mm256_loadu_si256((const __m256i *)x);
  _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(all, order));
}

TH_SIMD void THCompact_some(char *to, const char *x, unsigned bits, size_t size)
{
  if (size == 1) {
    const __m128i all = _mm_loadl_epi64((const __m128i *)x);
    _mm_storel_epi64((__m128i *)to, _mm_shuffle_epi8(all, THCompact_front(bits)));
  } else if (size == 2) {
    const __m128i all = _mm_loadu_si128((const __m128i *)x);
    const __m128i order = THCompact_pairs(THCompact_front(bits));
    _mm_storeu_si128((__m128i *)to, _mm_shuffle_epi8(all, order));
  } else if (size == 4) {
    const __m256i all = _mm256_loadu_si256((const __m256i *)x);
    const __m256i order = _mm256_cvtepu8_epi32(THCompact_front(bits));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(all, order));
  } else {
    THCompact_four(to, x, bits & 15);
    THCompact_four(to + 8 * __builtin_popcount(bits & 15), x + 32, bits >> 4);
  }
}

/* Stores first plus the numbers of the bits that are set. */
static inline void THCompact_indices(int *to, unsigned bits, int first)
{
  const __m256i some = _mm256_cvtepu8_epi32(THCompact_front(bits));
  _mm256_storeu_si256((__m256i *)to, _mm256_add_epi32(some, _mm256_set1_epi32(first)));
}
