/* The section of the baseline, of SSE2 or no instruction set in particular. */

#define TH_VECTOR       16
#define TH_VECTOR_MASKS 0
#define TH_VECTOR_HALFS 0
#define TH_VECTOR_FMA   0
#define TH_LIST32(LIST) TH_##LIST##4
#define TH_LIST64(LIST) TH_##LIST##2
#include "THSimdTypes.h"

#if defined(__x86_64__)
#include <emmintrin.h>

TH_SIMD void THSimd_stream(void *to, THLongs v)
{
  _mm_stream_si128((__m128i *)to, (__m128i)v);
}

TH_SIMD void THSimd_finishStreams(void)
{
  _mm_sfence();
}
#else
TH_SIMD void THSimd_stream(void *to, THLongs v)
{
  memcpy(to, &v, sizeof v);
}

TH_SIMD void THSimd_finishStreams(void)
{
}
#endif

TH_SIMD THFloats THFloats_mulAdd(THFloats a, THFloats b, THFloats c)
{
  return a * b + c;
}

TH_SIMD THDoubles THDoubles_mulAdd(THDoubles a, THDoubles b, THDoubles c)
{
  return a * b + c;
}

/* The sum of all lanes, added up from the first to the last. */
TH_SIMD double THDoubles_sum(THDoubles v)
{
  double sum = v[0];
  for (int k = 1; k < (int)(TH_VECTOR / sizeof(double)); k++)
    sum += v[k];
  return sum;
}

TH_SIMD THDoubles THDoubles_loadFloats(const float *p)
{
  typedef float Floats __attribute__((vector_size(TH_VECTOR / 2)));
  Floats v;
  memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, THDoubles);
}
