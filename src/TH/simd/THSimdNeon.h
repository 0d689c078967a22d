/* The section of arm64, all of whose processors have NEON. */
#include <arm_neon.h>

#define TH_VECTOR       16
#define TH_VECTOR_MASKS 0
#define TH_VECTOR_HALFS 1
#define TH_VECTOR_FMA   1
#define TH_LIST32(LIST) TH_##LIST##4
#define TH_LIST64(LIST) TH_##LIST##2
#include "THSimdTypes.h"

/* Non-temporal stores are of two registers here; what a kernel streams it stores one at a time. */
TH_SIMD void THSimd_stream(void *to, THLongs v)
{
  THSimd_store(to, v);
}

TH_SIMD void THSimd_finishStreams(void)
{
}

TH_SIMD THFloats THFloats_mulAdd(THFloats a, THFloats b, THFloats c)
{
  return (THFloats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}

TH_SIMD THDoubles THDoubles_mulAdd(THDoubles a, THDoubles b, THDoubles c)
{
  return (THDoubles)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

TH_SIMD double THDoubles_sum(THDoubles v)
{
  return v[0] + v[1];
}

/* --- conversions ----------------------------------------------------------------------------- */

TH_SIMD THDoubles THDoubles_loadFloats(const float *p)
{
  return (THDoubles)vcvt_f64_f32(vld1_f32(p));
}

TH_SIMD THFloats THFloats_loadHalfs(const void *p)
{
  float16x4_t v;
  memcpy(&v, p, sizeof v);
  return (THFloats)vcvt_f32_f16(v);
}

TH_SIMD void THFloats_storeHalfs(void *p, THFloats v)
{
  const float16x4_t halfs = vcvt_f16_f32((float32x4_t)v);
  memcpy(p, &halfs, sizeof halfs);
}
