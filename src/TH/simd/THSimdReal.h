/* Short names for vectors of the template's element type, float or double: Vector_(load) is
 * THFloats_load or THDoubles_load.  Integers are as wide as the elements; MIX(a, b, LIST) shuffles
 * by a list of THSimdLists.h. */
#include "THSimd.h"

#define INLINE TH_SIMD

#if defined(TH_REAL_IS_FLOAT)
typedef THFloats Vector;
typedef THInts Integers;
#define Vector_(NAME)   TH_CONCAT_2(THFloats_, NAME)
#define Integers_(NAME) TH_CONCAT_2(THInts_, NAME)
#define MIX(A, B, LIST) TH_MIX(A, B, TH_LIST32(LIST))
#else
typedef THDoubles Vector;
typedef THLongs Integers;
#define Vector_(NAME)   TH_CONCAT_2(THDoubles_, NAME)
#define Integers_(NAME) TH_CONCAT_2(THLongs_, NAME)
#define MIX(A, B, LIST) TH_MIX(A, B, TH_LIST64(LIST))
#endif

/* load and store are so frequent that they have no prefix. */
TH_SIMD Vector load(const real *x)
{
  return Vector_(load)(x);
}

TH_SIMD void store(real *x, Vector v)
{
  Vector_(store)(x, v);
}

/* Non-temporal; x is aligned to VECTOR. */
TH_SIMD void stream(real *x, Vector v)
{
  THSimd_stream(x, (THLongs)v);
}

/* Loads as many elements as THDoubles has lanes, as doubles. */
TH_SIMD THDoubles load_doubles(const real *x)
{
#if defined(TH_REAL_IS_FLOAT)
  return THDoubles_loadFloats(x);
#else
  return load(x);
#endif
}

/* A vector's bytes and its lanes. */
enum { VECTOR = TH_VECTOR, LANES = VECTOR / sizeof(real) };

#if TH_VECTOR_MASKS
#if defined(TH_REAL_IS_FLOAT)
typedef THMask32 Mask;
#else
typedef THMask64 Mask;
#endif

/* The lanes begin ... end - 1; those that a vector does not have are ignored. */
static inline Mask lanes_between(ptrdiff_t begin, ptrdiff_t end)
{
  const ptrdiff_t from = THMax(0, THMin(begin, LANES)), to = THMax(from, THMin(end, LANES));
  return (Mask)((1u << to) - (1u << from));
}
#endif
