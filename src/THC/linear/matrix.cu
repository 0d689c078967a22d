/* Copies of parts of matrices, and searches in them. */
#include "THC/core/thc_template.h"

#include "thc_matrix.h"

__global__ static void copy_part(THCMatrixCopy m)
{
  real *r = (real *)m.r;
  const real *t = (const real *)m.t;
  THC_GRID_LOOP(at, m.rows * m.columns)
  {
    const int64_t j = at / m.rows, i = at - j * m.rows;
    real *to = r + i * m.rowR + j * m.columnR;
    if (m.part >= THC_MATRIX_MIRROR_UPPER) {
      if (m.part == THC_MATRIX_MIRROR_UPPER ? i > j : i < j)
        *to = t[j * m.rowT + i * m.columnT];
      continue;
    }
    const bool in = m.part == THC_MATRIX_ALL || (m.part == THC_MATRIX_UPPER && i <= j) ||
                    (m.part == THC_MATRIX_LOWER && i >= j);
    if (m.part == THC_MATRIX_EYE)
      *to = (real)(i == j);
    else
      *to = in && t ? t[i * m.rowT + j * m.columnT] : (real)0;
  }
}

extern "C" void THC_NAME(THCMatrix_copy_)(const THCMatrixCopy *copy, cudaStream_t stream)
{
  const int64_t n = copy->rows * copy->columns;
  if (n > 0)
    THC_LAUNCH(copy_part, THC_blocks(n), THC_BLOCK, 0, stream, *copy);
}

__global__ static void search_part(THCMatrixSearch m)
{
  const real *t = (const real *)m.t;
  const bool diagonal = m.triangle == 'D';
  THC_GRID_LOOP(at, diagonal ? m.columns : m.rows * m.columns)
  {
    const int64_t j = diagonal ? at : at / m.rows, i = diagonal ? at : at - j * m.rows;
    if ((m.triangle == 'U' && i > j) || (m.triangle == 'L' && i < j))
      continue;
    const real x = t[i + j * m.rows];
    if (diagonal ? x == 0 : !(x * 0 == 0))
      atomicMin((unsigned long long *)m.found, (unsigned long long)at);
  }
}

extern "C" void THC_NAME(THCMatrix_search_)(const THCMatrixSearch *search, cudaStream_t stream)
{
  const int64_t n = search->triangle == 'D' ? search->columns : search->rows * search->columns;
  if (n > 0)
    THC_LAUNCH(search_part, THC_blocks(n), THC_BLOCK, 0, stream, *search);
}

/* A pivot that is none becomes one that exchanges nothing. */
__global__ static void check_pivots(THCMatrixFactors f)
{
  THC_GRID_LOOP(at, f.count * f.n)
  if (!THC_isInside(f.report, at, f.pivots[at]))
    f.pivots[at] = (int)(at % f.n) + 1;
}

__global__ static void check_diagonals(THCMatrixFactors f)
{
  const double zero = 0;
  int64_t bits;
  memcpy(&bits, &zero, sizeof bits);
  THCReport report = f.report;
  report.fault.arg = f.argument;
  THC_GRID_LOOP(at, f.count * f.n)
  if (((const real *)f.factors)[at / f.n * f.n * f.n + at % f.n * (f.n + 1)] == 0)
    THC_report(report, THC_FAULT_PARAMETER, at, bits);
}

extern "C" void THC_NAME(THCMatrix_checkFactors_)(const THCMatrixFactors *factors,
                                                  cudaStream_t stream)
{
  const int64_t n = factors->count * factors->n;
  if (n == 0)
    return;
  THC_LAUNCH(check_pivots, THC_blocks(n), THC_BLOCK, 0, stream, *factors);
  THC_LAUNCH(check_diagonals, THC_blocks(n), THC_BLOCK, 0, stream, *factors);
}
