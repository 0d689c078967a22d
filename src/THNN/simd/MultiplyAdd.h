/* MULTIPLY_ADD(A, B, C) = A * B + C, for vectors as wide as the instruction set's, whose type the
 * including file calls Vector.  Rounded once where there is an instruction for that. */
#if defined(__AVX512F__) && defined(TH_REAL_IS_FLOAT)
#include <immintrin.h>
#define MULTIPLY_ADD(A, B, C) ((Vector)_mm512_fmadd_ps((__m512)(A), (__m512)(B), (__m512)(C)))
#elif defined(__AVX512F__)
#include <immintrin.h>
#define MULTIPLY_ADD(A, B, C) ((Vector)_mm512_fmadd_pd((__m512d)(A), (__m512d)(B), (__m512d)(C)))
#elif defined(__FMA__) && defined(TH_REAL_IS_FLOAT)
#include <immintrin.h>
#define MULTIPLY_ADD(A, B, C) ((Vector)_mm256_fmadd_ps((__m256)(A), (__m256)(B), (__m256)(C)))
#elif defined(__FMA__)
#include <immintrin.h>
#define MULTIPLY_ADD(A, B, C) ((Vector)_mm256_fmadd_pd((__m256d)(A), (__m256d)(B), (__m256d)(C)))
#else
#define MULTIPLY_ADD(A, B, C) ((A) * (B) + (C))
#endif
