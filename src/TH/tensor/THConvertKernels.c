/* Kernels that copy elements and convert them to Real: one per source type. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THConvert.h"
#include "TH/loop/THGather.h"
#include "TH/core/THHalfBits.h"
#include "TH/core/THHalfRow.h"
#include "TH/loop/THRow.h"
#include "TH/loop/THStream.h"

/* --- one element ----------------------------------------------------------------------------- */

/* Truncates; NaN becomes 0; numbers outside int64_t become its nearest extreme. */
static inline int64_t whole_double(double x)
{
  const int64_t inside = (int64_t)(x >= -0x1p63 && x < 0x1p63 ? x : 0);
  return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : inside;
}

#if defined(TH_REAL_IS_HALF)
#define FROM_NUMBER(x)   ((THHalf){THHalf_fromFloat((float)(x))})
#define FROM_FLOATING(x) FROM_NUMBER(x)
#define FROM_DOUBLE(x)   ((THHalf){THHalf_fromDouble(x)})
#elif defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FROM_NUMBER(x)   ((real)(x))
#define FROM_FLOATING(x) ((real)(x))
#else
#define FROM_NUMBER(x)   ((real)(x))
#define FROM_FLOATING(x) ((real)whole_double(x)) /* the low bits */
#endif

#ifndef FROM_DOUBLE
#define FROM_DOUBLE FROM_FLOATING
#endif

#define from_Byte(x)    FROM_NUMBER(x)
#define from_Char(x)    FROM_NUMBER(x)
#define from_Short(x)   FROM_NUMBER(x)
#define from_Int(x)     FROM_NUMBER(x)
#define from_Long(x)    FROM_NUMBER(x)
#define from_Float(x)   FROM_FLOATING(x)
#define from_Double(x)  FROM_DOUBLE(x)
#define from_Half(half) FROM_FLOATING(THHalf_toFloat((half).x))

/* --- the same type --------------------------------------------------------------------------- */

static void copyRow(void *r, const void *x, ptrdiff_t n, int streams)
{
  if (streams)
    THStream_copy(r, x, (size_t)n * sizeof(real));
  else
    THRow_copy(r, x, (size_t)n * sizeof(real));
}

/* One element for each row, which is written by whole vectors: where rows are contiguous, the next
 * row overwrites the surplus. */
static void broadcast(const THRun *run)
{
  enum { LANES = 64 / sizeof(real) };
  const ptrdiff_t n = run->n, jump = run->rowStride[0];
  const ptrdiff_t more = (LANES - n % LANES) % LANES; /* the most rows that the surplus may reach */
  const ptrdiff_t filled = more == 0 ? run->rows : jump == n ? run->rows - more : 0;
  ptrdiff_t j = 0;
  for (; j < filled; j++) {
    real *const r = (real *)run->at[0] + j * jump;
    const real x = ((const real *)run->at[1])[j * run->rowStride[1]];
    for (ptrdiff_t i = 0; i < n; i += LANES)
      for (int k = 0; k < LANES; k++)
        r[i + k] = x;
  }
  for (; j < run->rows; j++) {
    real *const r = (real *)run->at[0] + j * jump;
    const real x = ((const real *)run->at[1])[j * run->rowStride[1]];
    for (ptrdiff_t i = 0; i < n; i++)
      r[i] = x;
  }
}

static void copy(const THRun *run)
{
  const ptrdiff_t dr = run->stride[0], dx = run->stride[1];
  const int size = THGather_size(sizeof(real)), across = THGather_isAcross(run);
  if (dr == 1 && dx != 1 && run->streams &&
      (across || dx * (ptrdiff_t)sizeof(real) <= TH_STREAM_LINE)) {
    THGather_rows(run, sizeof(real), sizeof(real), copyRow);
    return;
  }
  if (dr == 1 && dx == 0) {
    broadcast(run);
    return;
  }
  if (dr == 1 && across) {
    TH_DISPATCHED(THGather_kernels)
        ->across[size](run->at[0], run->rowStride[0], run->at[1], dx, run->n, run->rows, 0);
    return;
  }
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->rowStride[0];
    const real *x = (const real *)run->at[1] + j * run->rowStride[1];
    if (dr == 1 && dx == 1)
      copyRow(r, x, run->n, run->streams);
    else if (dr == 1)
      TH_DISPATCHED(THGather_kernels)->stepped[size](r, x, dx, run->n);
    else
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i * dr] = x[i * dx];
  }
}

/* --- any type -------------------------------------------------------------------------------- */

/* Conversions by instructions that compilers do not use; they return how many elements they
 * converted. */
#define vectors_Byte(r, x, n)  0
#define vectors_Char(r, x, n)  0
#define vectors_Short(r, x, n) 0
#define vectors_Int(r, x, n)   0
#define vectors_Long(r, x, n)  0
#if defined(TH_REAL_IS_HALF)
#define vectors_Float  THHalfRow_fromFloat
#define vectors_Double THHalfRow_fromDouble
#elif defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR) || defined(TH_REAL_IS_SHORT) || \
    defined(TH_REAL_IS_INT)

/* Converts blocks of numbers that fit int32_t, which takes half the instructions of int64_t and
 * gives the same low bits.  NaN does not fit. */
enum { NEAR_BLOCK = 256 };

#define source      float
#define NAME_(NAME) TH_CONCAT_2(NAME, Float)
#include "TH/tensor/THConvertNear.h"
#define source      double
#define NAME_(NAME) TH_CONCAT_2(NAME, Double)
#include "TH/tensor/THConvertNear.h"
#define vectors_Float  near_Float
#define vectors_Double near_Double
#else
#define vectors_Float(r, x, n)  0
#define vectors_Double(r, x, n) 0
#endif
#if defined(TH_REAL_IS_FLOAT)
#define vectors_Half THHalfRow_toFloat
#else
#define vectors_Half(r, x, n) 0
#endif

#define SAME_TYPE TH_CONCAT_2(THScalar, Real)

/* A streamed result: short blocks are converted in a buffer, then streamed. */
static void stream_row(real *r, const char *x, ptrdiff_t n, size_t itemSize,
                       void (*convert)(void *r, const void *x, ptrdiff_t n))
{
  _Alignas(TH_STREAM_LINE) real buffer[TH_STREAM_BLOCK / sizeof(real)];
  for (ptrdiff_t i = 0, m; i < n; i += m) {
    m = THStream_first(r + i, sizeof(real), n - i);
    THStream_prefetch(x, (size_t)m * itemSize);
    convert(buffer, x, m);
    THStream_copy(r + i, buffer, (size_t)m * sizeof(real));
    x += m * (ptrdiff_t)itemSize;
  }
}

typedef void (*StridedRow)(real *r, ptrdiff_t dr, const void *x, ptrdiff_t dx, ptrdiff_t n);

/* Converts a block of elements of itemSize bytes by the functions for a row. */
static inline __attribute__((always_inline)) void convert(const THRun *run, size_t itemSize,
                                                          THGatherRow row, StridedRow strided)
{
  const ptrdiff_t dr = run->stride[0], dx = run->stride[1];
  if (dr == 1 && dx != 1) {
    THGather_rows(run, sizeof(real), itemSize, row);
    return;
  }
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->rowStride[0];
    const char *x = (const char *)run->at[1] + j * run->rowStride[1] * (ptrdiff_t)itemSize;
    if (dr == 1)
      row(r, x, run->n, run->streams);
    else
      strided(r, dr, x, dx, run->n);
  }
}

#define TH_SOURCE_FILE "TH/tensor/THConvertFrom.h"
#include "TH/tensor/THEachSource.h"

/* --- the table ------------------------------------------------------------------------------- */

#define ENTRY(Source, source, unused) [THScalar##Source] = convert_##Source,

const THKernel TH_LEVEL_(THTensor_(convert))[THScalarTypes] = {TH_FOR_EACH_TYPE(ENTRY)};
