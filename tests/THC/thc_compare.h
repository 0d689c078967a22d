/* TH as the reference for device results: of the same type, and for Half in Float.
 *
 *     RTensor *s = THCTest_(reference)(t);                        the values of a host tensor
 *     CHECK_LIKE(d, expected, 1e-5);                              device and reference agree */
#ifndef THC_COMPARE_H
#define THC_COMPARE_H

#include "thc_test.h"

#include <math.h>

#ifdef TH_REAL_IS_HALF
#define RTensor      THFloatTensor
#define RTensor_(X)  TH_CONCAT_2(THFloatTensor_, X)
#define TO_NUMBER(X) TH_half2float(X)
#define TO_REAL(X)   TH_float2half((float)(X))
#define REFERENCE(X) TH_half2float(X)
typedef float reference;
#else
#define RTensor      THTensor
#define RTensor_(X)  THTensor_(X)
#define TO_NUMBER(X) ((double)(X))
#define TO_REAL(X)   ((real)(X))
#define REFERENCE(X) (X)
typedef real reference;
#endif

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
#define IS_FLOATING 1
#else
#define IS_FLOATING 0
#endif

/* Relative errors of one rounding. */
#if defined(TH_REAL_IS_HALF)
#define EPSILON 0x1p-10
#elif defined(TH_REAL_IS_FLOAT)
#define EPSILON 0x1p-23
#elif defined(TH_REAL_IS_DOUBLE)
#define EPSILON 0x1p-52
#else
#define EPSILON 0
#endif
/* The rounding error of what is kept in accreal. */
#define SUM_EPSILON THMax(0x1p-23, EPSILON) * (IS_FLOATING != 0)

/* A tensor of its own, of the same shape. */
TH_UNUSED static RTensor *THCTest_(reference)(THTensor *t)
{
  RTensor *r = RTensor_(new)();
  RTensor_(resizeNd)(r, t->nDimension, t->size, NULL);
  TH_CONCAT_2(RTensor_(copy), Real)(r, t);
  return r;
}

TH_UNUSED static int thc_is_near(double a, double b, double tolerance)
{
  if (a == b || (isnan(a) && isnan(b)))
    return 1;
  return fabs(a - b) <= tolerance;
}

/* Same sizes, and values that differ by relative * |expected| + absolute at most. */
TH_UNUSED static void THCTest_(checkLike)(const char *file, int line, const THCTensor *d,
                                          const RTensor *expected, double relative, double absolute)
{
  THTensor *twin = THCTest_(twin)(d);
  if (!THSize_isSameSizeAs(d->size, d->nDimension, expected->size, expected->nDimension))
    th_fail_at(file, line, "size %s, expected %s", _THSizeDesc(d->size, d->nDimension).str,
               _THSizeDesc(expected->size, expected->nDimension).str);
  RTensor *plain = RTensor_(newContiguous)((RTensor *)expected);
  const reference *values = RTensor_(data)(plain);
  const ptrdiff_t n = twin->nDimension ? THTest_(count)(twin) : 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const real x = *THTest_(at)(twin, i);
    if (!IS_FLOATING && (reference)REFERENCE(x) == values[i])
      continue;
    const double a = TO_NUMBER(x), b = (double)values[i];
    if (!thc_is_near(a, (double)TO_NUMBER(TO_REAL(b)), relative * fabs(b) + absolute))
      th_fail_at(file, line, "element %td is %.9g, expected %.9g", i, a, b);
  }
  RTensor_(free)(plain);
  THTensor_(free)(twin);
}

#define CHECK_LIKE(D, EXPECTED, RELATIVE, ABSOLUTE) \
  THCTest_(checkLike)(__FILE__, __LINE__, D, EXPECTED, RELATIVE, ABSOLUTE)

/* Indices on the device agree with those of TH. */
TH_UNUSED static void THCTest_(checkLongs)(const char *file, int line, THCudaLongTensor *d,
                                           THLongTensor *expected)
{
  CHECK_CUDA(cudaDeviceSynchronize());
  THLongTensor *twin = THLongTensor_new();
  THLongTensor_resizeNd(twin, d->nDimension, d->size, NULL);
  if (d->nDimension)
    THLongTensor_copyCuda(thc_state(), twin, d);
  if (!THSize_isSameSizeAs(d->size, d->nDimension, expected->size, expected->nDimension))
    th_fail_at(file, line, "size %s, expected %s", _THSizeDesc(d->size, d->nDimension).str,
               _THSizeDesc(expected->size, expected->nDimension).str);
  THLongTensor *plain = THLongTensor_newContiguous(expected);
  const int64_t *actual = THLongTensor_data(twin), *right = THLongTensor_data(plain);
  for (ptrdiff_t i = 0; i < THLongTensor_nElement(expected); i++)
    if (actual[i] != right[i])
      th_fail_at(file, line, "element %td is %lld, expected %lld", i, (long long)actual[i],
                 (long long)right[i]);
  THLongTensor_free(plain);
  THLongTensor_free(twin);
}

#define CHECK_LONGS(D, EXPECTED) THCTest_(checkLongs)(__FILE__, __LINE__, D, EXPECTED)

#endif
