/* Eigenvalues and singular values by divide and conquer, where LAPACK has it. */
#include "THTemplate.h"

#include "THBlasLibrary.h"
#include "THTensorWork.h"

#define LD THTensor_(ld)

int THTensor_(divideSymmetric)(THWorks *works, THTensor *from, char triangle, int n, real *a,
                               real *values)
{
  THTensor *copy = works->work[works->count - 1].tensor.what;
  const int64_t least = 1 + 6 * (int64_t)n + 2 * (int64_t)n * n;
  if (least > INT_MAX || !THBlasLibrary_get()->TH_FORTRAN(syevd))
    return 0;
  const int whole = 3 + 5 * n;
  int info, *ints = THIntTensor_workVector(works, NULL, 0, whole);
  real query = 0;
  THLapack_(syevd)('V', triangle, n, a, LD(n), values, &query, -1, ints, -1, &info);
  const int size = THWork_scratch((double)query, TH_WORK_EPSILON, least, "syevd");
  real *scratch = THTensor_(workVector)(works, NULL, 0, size);
  THLapack_(syevd)('V', triangle, n, a, LD(n), values, scratch, size, ints, whole, &info);
  if (info)
    THTensor_(copy)(copy, from);
  return info == 0;
}

int THTensor_(divideValues)(THWorks *works, THTensor *from, char job, int m, int n, real *a,
                            real *s, real *u, real *v, int ldv)
{
  THTensor *copy = works->work[works->count - 1].tensor.what;
  const int64_t k = THMin(m, n), least = 4 * k * k + 7 * k + THMax(m, n);
  if (least > INT_MAX || !THBlasLibrary_get()->TH_FORTRAN(gesdd))
    return 0;
  int info, *ints = THIntTensor_workVector(works, NULL, 0, 8 * k);
  real query = 0;
  THLapack_(gesdd)(job, m, n, a, m, s, u, m, v, ldv, &query, -1, ints, &info);
  const int size = THWork_scratch((double)query, TH_WORK_EPSILON, least, "gesdd");
  real *scratch = THTensor_(workVector)(works, NULL, 0, size);
  THLapack_(gesdd)(job, m, n, a, m, s, u, m, v, ldv, scratch, size, ints, &info);
  if (info)
    THTensor_(copy)(copy, from);
  return info == 0;
}
