/* Kernels that copy elements and convert them to Real: one per source type. */
#include "THTemplate.h"

#include "../THConvert.h"
#include "../THHalfBits.h"
#include "THHalfRow.h"
#include "THRow.h"
#include "THStream.h"

/* --- one element ----------------------------------------------------------------------------- */

/* Truncates; NaN is 0; what int64_t cannot hold becomes its nearest extreme. */
static inline int64_t whole_double(double x)
{
  const int64_t inside = (int64_t)(x >= -0x1p63 && x < 0x1p63 ? x : 0);
  return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : inside;
}

#if defined(TH_REAL_IS_HALF)
#define FROM_NUMBER(x)   ((THHalf){THHalf_fromFloat((float)(x))})
#define FROM_FLOATING(x) FROM_NUMBER(x)
#elif defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FROM_NUMBER(x)   ((real)(x))
#define FROM_FLOATING(x) ((real)(x))
#else
#define FROM_NUMBER(x)   ((real)(x))
#define FROM_FLOATING(x) ((real)whole_double(x)) /* the low bits */
#endif

#define from_Byte(x)    FROM_NUMBER(x)
#define from_Char(x)    FROM_NUMBER(x)
#define from_Short(x)   FROM_NUMBER(x)
#define from_Int(x)     FROM_NUMBER(x)
#define from_Long(x)    FROM_NUMBER(x)
#define from_Float(x)   FROM_FLOATING(x)
#define from_Double(x)  FROM_FLOATING(x)
#define from_Half(half) FROM_FLOATING(THHalf_toFloat((half).x))

/* --- the same type --------------------------------------------------------------------------- */

/* Where the source runs down the columns: squares small enough for their cache lines to stay, read
 * along the source and written along the result. */
static void copy_band(const THRun *run, ptrdiff_t first, ptrdiff_t end)
{
  enum { SIDE = 64 / sizeof(real) };
  const ptrdiff_t jump = run->jump[0], step = run->step[1];
  real *r = (real *)run->at[0];
  const real *x = (const real *)run->at[1];
  ptrdiff_t i = 0;
  for (; i + SIDE <= run->n; i += SIDE) {
    ptrdiff_t j = first;
    for (; j + SIDE <= end; j += SIDE) {
      real square[SIDE][SIDE];
      for (int a = 0; a < SIDE; a++) {
        __builtin_prefetch(x + (i + SIDE + a) * step + j);
        memcpy(square[a], x + (i + a) * step + j, sizeof square[a]);
      }
      for (int b = 0; b < SIDE; b++) {
        real row[SIDE];
        for (int a = 0; a < SIDE; a++)
          row[a] = square[a][b];
        real *to = r + (j + b) * jump + i;
        if (run->streams && (uintptr_t)to % TH_STREAM_LINE == 0)
          THStream_lines(to, row, 1);
        else
          memcpy(to, row, sizeof row);
      }
    }
    for (; j < end; j++)
      for (int a = 0; a < SIDE; a++)
        r[j * jump + i + a] = x[(i + a) * step + j];
  }
  for (; i < run->n; i++)
    for (ptrdiff_t j = first; j < end; j++)
      r[j * jump + i] = x[i * step + j];
}

/* A few lines of each row of the source at a time, which lie beside each other. */
static void copy_across(const THRun *run)
{
  enum { BAND = 256 / sizeof(real) };
  for (ptrdiff_t j = 0; j < run->rows; j += BAND)
    copy_band(run, j, THMin(run->rows, j + BAND));
}

/* A row of elements that are dx apart, of which the machine's vectors know those that are 2 apart.
 */
static inline void pick(real *r, const real *x, ptrdiff_t dx, ptrdiff_t n)
{
  if (dx == 2) {
    TH_PRAGMA(omp simd)
    for (ptrdiff_t i = 0; i < n; i++)
      r[i] = x[2 * i];
  } else {
    for (ptrdiff_t i = 0; i < n; i++)
      r[i] = x[i * dx];
  }
}

/* The same in short pieces, which are sent from a buffer. */
static void stream_picked(real *r, const real *x, ptrdiff_t dx, ptrdiff_t n)
{
  _Alignas(TH_STREAM_LINE) real buffer[TH_STREAM_PIECE / sizeof(real)];
  for (ptrdiff_t i = 0, m; i < n; i += m) {
    m = THStream_first(r + i, sizeof(real), n - i);
    THStream_fetch(x + i * dx, (size_t)(m * dx) * sizeof(real));
    pick(buffer, x + i * dx, dx, m);
    THStream_copy(r + i, buffer, (size_t)m * sizeof(real));
  }
}

static void copy(const THRun *run)
{
  enum { LINE = TH_STREAM_LINE / sizeof(real) };
  const ptrdiff_t dr = run->step[0], dx = run->step[1];
  if (dr == 1 && run->rows > 1 && run->jump[1] == 1 && dx != 1) {
    copy_across(run);
    return;
  }
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->jump[0];
    const real *x = (const real *)run->at[1] + j * run->jump[1];
    if (dr == 1 && dx == 1 && run->streams)
      THStream_copy(r, x, (size_t)run->n * sizeof(real));
    else if (dr == 1 && dx == 1)
      THRow_copy(r, x, (size_t)run->n * sizeof(real));
    else if (dr == 1 && run->streams && dx > 1 && dx <= LINE)
      stream_picked(r, x, dx, run->n);
    else if (dr == 1)
      pick(r, x, dx, run->n);
    else
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i * dr] = x[i * dx];
  }
}

/* --- any type -------------------------------------------------------------------------------- */

/* How many elements of a row are converted by instructions that compilers do not choose. */
#define vectors_Byte(r, x, n)   0
#define vectors_Char(r, x, n)   0
#define vectors_Short(r, x, n)  0
#define vectors_Int(r, x, n)    0
#define vectors_Long(r, x, n)   0
#define vectors_Double(r, x, n) 0
#if defined(TH_REAL_IS_HALF)
#define vectors_Float THHalfRow_fromFloat
#else
#define vectors_Float(r, x, n) 0
#endif
#if defined(TH_REAL_IS_FLOAT)
#define vectors_Half THHalfRow_toFloat
#else
#define vectors_Half(r, x, n) 0
#endif

#define SAME_TYPE TH_CONCAT_2(THScalar, Real)

#define CONVERT(Source, source, unused)                                             \
  static void convertRow_##Source(real *r, const source *x, ptrdiff_t n)            \
  {                                                                                 \
    const ptrdiff_t done = vectors_##Source(r, x, n);                               \
    TH_PRAGMA(omp simd)                                                             \
    for (ptrdiff_t i = done; i < n; i++)                                            \
      r[i] = from_##Source(x[i]);                                                   \
  }                                                                                 \
                                                                                    \
  /* A result that streams is converted in short pieces, and sent from a buffer. */ \
  static void streamRow_##Source(real *r, const source *x, ptrdiff_t n)             \
  {                                                                                 \
    _Alignas(TH_STREAM_LINE) real buffer[TH_STREAM_PIECE / sizeof(real)];           \
    for (ptrdiff_t i = 0, m; i < n; i += m) {                                       \
      m = THStream_first(r + i, sizeof(real), n - i);                               \
      THStream_fetch(x + i, (size_t)m * sizeof(source));                            \
      convertRow_##Source(buffer, x + i, m);                                        \
      THStream_copy(r + i, buffer, (size_t)m * sizeof(real));                       \
    }                                                                               \
  }                                                                                 \
                                                                                    \
  static void convert_##Source(const THRun *run, const void *scalars)               \
  {                                                                                 \
    if (THScalar##Source == SAME_TYPE) {                                            \
      copy(run);                                                                    \
      return;                                                                       \
    }                                                                               \
    const ptrdiff_t dr = run->step[0], dx = run->step[1];                           \
    for (ptrdiff_t j = 0; j < run->rows; j++) {                                     \
      real *r = (real *)run->at[0] + j * run->jump[0];                              \
      const source *x = (const source *)run->at[1] + j * run->jump[1];              \
      if (dr == 1 && dx == 1 && run->streams) {                                     \
        streamRow_##Source(r, x, run->n);                                           \
      } else if (dr == 1 && dx == 1) {                                              \
        convertRow_##Source(r, x, run->n);                                          \
      } else {                                                                      \
        for (ptrdiff_t i = 0; i < run->n; i++)                                      \
          r[i * dr] = from_##Source(x[i * dx]);                                     \
      }                                                                             \
    }                                                                               \
  }

TH_FOR_EACH_TYPE(CONVERT)

/* --- the table ------------------------------------------------------------------------------- */

#define ENTRY(Source, source, unused) [THScalar##Source] = convert_##Source,

const THKernel TH_LEVEL_(THTensor_(convert))[THScalarTypes] = {TH_FOR_EACH_TYPE(ENTRY)};
