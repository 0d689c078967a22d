/* The types of vectors, for a level whose section has defined TH_VECTOR, and moving them, which
 * compilers do as well as intrinsics. */

typedef float THFloats __attribute__((vector_size(TH_VECTOR)));
typedef double THDoubles __attribute__((vector_size(TH_VECTOR)));
typedef int32_t THInts __attribute__((vector_size(TH_VECTOR)));
typedef int64_t THLongs __attribute__((vector_size(TH_VECTOR)));

/* A register full of bytes. */
typedef THLongs THSimd_Unaligned __attribute__((aligned(1), may_alias));

TH_SIMD THLongs THSimd_load(const void *p)
{
  return *(const THSimd_Unaligned *)p;
}

TH_SIMD void THSimd_store(void *p, THLongs v)
{
  *(THSimd_Unaligned *)p = v;
}

/* Shuffles lanes of a and b by a list of THSimdLists.h, TH_LIST32(EVEN) or TH_LIST64(EVEN). */
#include "THSimdLists.h"
#define TH_MIX(A, B, ...) __builtin_shufflevector(A, B, __VA_ARGS__)

/* THSimdKind.h, which follows, is for each of them. */
#define KIND_(NAME) THFloats_##NAME
#define ELEMENT     float
#define KIND        THFloats
#include "THSimdKind.h"

#define KIND_(NAME) THDoubles_##NAME
#define ELEMENT     double
#define KIND        THDoubles
#include "THSimdKind.h"

#define KIND_(NAME) THInts_##NAME
#define ELEMENT     int32_t
#define KIND        THInts
#include "THSimdKind.h"

#define KIND_(NAME) THLongs_##NAME
#define ELEMENT     int64_t
#define KIND        THLongs
#include "THSimdKind.h"
