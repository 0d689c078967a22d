/* Vectors as wide as the instruction set's, and shuffles of two: EVEN and ODD take every other
 * element, LOWER and UPPER interleave the lower or upper halves. */
#if defined(__AVX512F__)
#include <immintrin.h>

#include "LanesBetween.h"
#endif

#define INLINE static inline __attribute__((always_inline))

#define EVEN2   0, 2
#define ODD2    1, 3
#define LOWER2  0, 2
#define UPPER2  1, 3
#define EVEN4   EVEN2, 4, 6
#define ODD4    ODD2, 5, 7
#define LOWER4  0, 4, 1, 5
#define UPPER4  2, 6, 3, 7
#define EVEN8   EVEN4, 8, 10, 12, 14
#define ODD8    ODD4, 9, 11, 13, 15
#define LOWER8  0, 8, 1, 9, 2, 10, 3, 11
#define UPPER8  4, 12, 5, 13, 6, 14, 7, 15
#define EVEN16  EVEN8, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD16   ODD8, 17, 19, 21, 23, 25, 27, 29, 31
#define LOWER16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define UPPER16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

#if defined(__AVX512F__)
enum { VECTOR = 64 };
#elif defined(__AVX__)
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif
enum { LANES = VECTOR / sizeof(real) };
typedef real Vector __attribute__((vector_size(VECTOR)));

#if defined(__AVX512F__) && defined(TH_REAL_IS_FLOAT)
#define OF_LANES(LIST)           LIST##16
#define MASKED_LOAD(MASK, X)     _mm512_maskz_loadu_ps((__mmask16)(MASK), X)
#define MASKED_STORE(X, MASK, V) _mm512_mask_storeu_ps(X, (__mmask16)(MASK), (__m512)(V))
#elif defined(__AVX512F__)
#define OF_LANES(LIST)           LIST##8
#define MASKED_LOAD(MASK, X)     _mm512_maskz_loadu_pd((__mmask8)(MASK), X)
#define MASKED_STORE(X, MASK, V) _mm512_mask_storeu_pd(X, (__mmask8)(MASK), (__m512d)(V))
#elif defined(__AVX__) && defined(TH_REAL_IS_FLOAT)
#define OF_LANES(LIST) LIST##8
#elif defined(__AVX__) || defined(TH_REAL_IS_FLOAT)
#define OF_LANES(LIST) LIST##4
#else
#define OF_LANES(LIST) LIST##2
#endif

#define MIX(A, B, LIST)       MIX_LISTED(A, B, OF_LANES(LIST))
#define MIX_LISTED(A, B, ...) __builtin_shufflevector(A, B, __VA_ARGS__)
