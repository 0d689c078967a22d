/* Steps on the elements of matrices that LAPACK works on; src/THC/linear has those of devices. */
#include "THTemplate.h"

#include "THTensorWork.h"

void THTensor_(checkFinite)(const real *a, int rows, int columns, char triangle, const char *name,
                            int arg)
{
  for (int64_t j = 0; j < columns; j++) {
    const int64_t begin = triangle == 'L' ? j : 0, end = triangle == 'U' ? j + 1 : rows;
    const real *column = a + j * rows;
    real zero = 0; /* becomes NaN */
    for (int64_t i = begin; i < end; i++)
      zero += column[i] * 0;
    for (int64_t i = begin; zero != 0 && i < end; i++)
      THArgCheck(isfinite(column[i]), arg, "%s is %g in row %lld, column %lld: not finite", name,
                 (double)column[i], (long long)i + TH_INDEX_BASE, (long long)j + TH_INDEX_BASE);
  }
}

int THTensor_(zeroOnDiagonal)(const real *a, int64_t lda, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    if (a[i * lda + i] == 0)
      return (int)i + 1;
  return 0;
}

void THTensor_(copyRows)(real *r, int64_t ldr, const real *t, int64_t ldt, int64_t rows,
                         int64_t columns)
{
  for (int64_t j = 0; j < columns && rows; j++)
    memcpy(r + j * ldr, t + j * ldt, (size_t)rows * sizeof(real));
}

void THTensor_(clearMatrix)(real *r, int64_t rows, int64_t columns)
{
  for (int64_t i = 0; i < rows * columns; i++)
    r[i] = 0;
}

void THTensor_(clearOther)(real *r, int64_t n, char triangle)
{
  for (int64_t j = 0; j < n; j++) {
    const int64_t begin = triangle == 'U' ? j + 1 : 0, end = triangle == 'U' ? n : j;
    for (int64_t i = begin; i < end; i++)
      r[i + j * n] = 0;
  }
}

void THTensor_(setIdentity)(real *r, int64_t n)
{
  for (int64_t i = 0; i < n * n; i++)
    r[i] = i % (n + 1) == 0;
}

/* Lines at a time: what is read across cache lines stays in the cache, and rows are written by
 * whole cache lines. */
enum { STRIP = 16 };

void THTensor_(mirror)(real *r, int64_t n, char triangle)
{
  for (int64_t strip = 0; strip < n; strip += STRIP)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = THMax(strip, i + 1); j < THMin(n, strip + STRIP); j++)
        if (triangle == 'U')
          r[j + i * n] = r[i + j * n];
        else
          r[i + j * n] = r[j + i * n];
}

void THTensor_(copyUpper)(real *r, const real *t, int64_t ldt, int64_t rows, int64_t columns)
{
  for (int64_t strip = 0; strip < columns; strip += STRIP)
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = strip; j < THMin(columns, strip + STRIP); j++)
        r[i * columns + j] = i <= j ? t[i + j * ldt] : 0;
}
