/* Blocks whose strided source is copied to a contiguous buffer. */
#include "THGather.h"
#include "THKernel.h"

#include "THStream.h"
#include "TH/core/THScratch.h"

TH_DISPATCH(THGatherKernels, THGather_kernels)

enum { BUFFER = 16384 };

static void across_rows(const THRun *run, ptrdiff_t resultSize, ptrdiff_t sourceSize,
                        THGatherRow row)
{
  /* A few cache lines of each row of the result, and as many rows of the source as fit. */
  enum { ROW_LINES = 64, LINES = 256 };
  TH_SCRATCH(char, buffer, BUFFER);
  const ptrdiff_t columns = THMin(run->n, THMax(ROW_LINES, LINES / resultSize));
  const ptrdiff_t rows = BUFFER / (columns * sourceSize);
  const int size = THGather_size((size_t)sourceSize);
  const int streams = run->streams && columns * resultSize >= TH_STREAM_LINE;
  for (ptrdiff_t i = 0; i < run->n; i += columns)
    for (ptrdiff_t j = 0; j < run->rows; j += rows) {
      const ptrdiff_t m = THMin(columns, run->n - i), k = THMin(rows, run->rows - j);
      const char *x = run->at[1] + (i * run->stride[1] + j) * sourceSize;
      char *r = run->at[0] + (j * run->rowStride[0] + i) * resultSize;
      TH_DISPATCHED(THGather_kernels)
          ->across[size](buffer, columns, x, run->stride[1], m, k, run->streams ? rows : 0);
      if (run->rowStride[0] == m)
        row(r, buffer, k * m, run->streams); /* one long row */
      else
        for (ptrdiff_t b = 0; b < k; b++)
          row(r + b * run->rowStride[0] * resultSize, buffer + b * columns * sourceSize, m,
              streams);
    }
}

static void stepped_rows(const THRun *run, ptrdiff_t resultSize, ptrdiff_t sourceSize,
                         THGatherRow row)
{
  _Alignas(TH_STREAM_LINE) char buffer[TH_STREAM_BLOCK];
  const ptrdiff_t block = TH_STREAM_BLOCK / THMax(resultSize, sourceSize);
  const ptrdiff_t step = run->stride[1];
  const int size = THGather_size((size_t)sourceSize);
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    char *r = run->at[0] + j * run->rowStride[0] * resultSize;
    const char *x = run->at[1] + j * run->rowStride[1] * sourceSize;
    for (ptrdiff_t i = 0, m; i < run->n; i += m) {
      m = THMin(block, THStream_first(r + i * resultSize, (size_t)resultSize, run->n - i));
      const char *from = x + i * step * sourceSize;
      if (run->streams && step * sourceSize <= TH_STREAM_LINE)
        THStream_prefetch(from, (size_t)(m * step * sourceSize));
      TH_DISPATCHED(THGather_kernels)->stepped[size](buffer, from, step, m);
      row(r + i * resultSize, buffer, m, run->streams);
    }
  }
}

void THGather_rows(const THRun *run, size_t resultSize, size_t sourceSize, THGatherRow row)
{
  if (THGather_isAcross(run))
    across_rows(run, (ptrdiff_t)resultSize, (ptrdiff_t)sourceSize, row);
  else
    stepped_rows(run, (ptrdiff_t)resultSize, (ptrdiff_t)sourceSize, row);
}
