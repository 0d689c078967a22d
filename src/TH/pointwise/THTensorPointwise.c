/* The pointwise operations of src/ops/pointwise.h as functions on tensors.  One function does the
 * work for all of them; the table has their properties. */
#include "THTemplate.h"

#include "TH/tensor/THConvert.h"
#include "THKernel.h"
#include "THPointwise.h"
#include "TH/tensor/THTensorCore.h"
#include "TH/core/THScratch.h"

#define SAME_TYPE TH_CONCAT_2(THScalar, Real)

/* --- the kernels of the rows that this type has ----------------------------------------------- */

#define ALL(...) __VA_ARGS__
#define BUT_HALF ALL
#define NO_KERNEL(...)
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FLOAT   ALL
#define INTEGER NO_KERNEL
#else
#define FLOAT   NO_KERNEL
#define INTEGER ALL
#endif
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
#define SIGNED NO_KERNEL
#else
#define SIGNED ALL
#endif

typedef const THPointwiseKernel *const *THTensor_(Levels);

#define ROW(TYPES, COST, NAME, ...) \
  TYPES(TH_DISPATCH(THPointwiseKernel, THTensor_(pointwise_##NAME)))
#include "ops/pointwise.h"

/* A row: its kernels, NULL if it is for integers and this type is floating; and *ofValue, the kernels to use if the
 * second input is a single value, or NULL. */
typedef struct {
  THPointwise op;
  THTensor_(Levels) const *ofValue;
  THTensor_(Levels) kernels;
} THTensor_(RowOf);

typedef const THTensor_(RowOf) * THTensor_(Row);

/* ofValue_NAME is declared for every row, and defined below where THPointwise.h lists a row for one value. */
#define ROW(TYPES, COST, NAME, ...) \
  TH_UNUSED static THTensor_(Levels) const THTensor_(ofValue_##NAME);
#include "ops/pointwise.h"
#define OF_VALUE(TYPES, NAME, VALUE) \
  TYPES(static THTensor_(Levels) const THTensor_(ofValue_##NAME) = THTensor_(pointwise_##VALUE);)
TH_POINTWISE_OF_VALUE(OF_VALUE)

#define ROW(TYPES, COST, NAME, ...)                                 \
  TH_UNUSED static const THTensor_(RowOf) THTensor_(row_##NAME) = { \
      TH_POINTWISE_##NAME, &THTensor_(ofValue_##NAME) TYPES(, THTensor_(pointwise_##NAME))};
#include "ops/pointwise.h"

#define TH_ROW(NAME)   &THTensor_(row_##NAME)
#define TH_ROW_OP(ROW) (ROW)->op

/* A call of a row, which the loop passes to each block. */
typedef struct {
  THPointwiseKernel row;
  THPointwiseKernel ofValue; /* the row for a last input that is one value, or NULL */
  int inputs;
  int bytes; /* whether the result is a ByteTensor */
  real scalars[2];
} THTensor_(Call);

/* --- a block --------------------------------------------------------------------------------- */

/* Rows are loops over contiguous elements.  Any other operand passes through a buffer, a block at a
 * time, so that every row is vector code for every layout.  For a tile of THLoop the buffer holds
 * some rows: a few cache lines of a transposed operand.  BUFFER and BROADCAST: elements of the buffer,
 * and of its part to which an element is copied that repeats along a row. */
enum { BUFFER = 16384 / sizeof(real), SHORT = 64, BROADCAST = 4096 / sizeof(real) };

/* The part of operand k of a block that begins at row j, column i. */
static char *THTensor_(part)(const THRun *run, const THTensor_(Call) * call, int k, ptrdiff_t j,
                             ptrdiff_t i)
{
  const ptrdiff_t size = k == 0 && call->bytes ? 1 : (ptrdiff_t)sizeof(real);
  return run->at[k] + (j * run->rowStride[k] + i * run->stride[k]) * size;
}

/* Gathers rows x columns elements of an input, columns <= most.  seen is the input that the buffer
 * already holds, if it is one repeated element or row; later calls ask for no more rows than the
 * first. */
static void THTensor_(fillBuffer)(real *buffer, const real *at, ptrdiff_t rows, ptrdiff_t columns,
                                  ptrdiff_t step, ptrdiff_t rowStride, ptrdiff_t most,
                                  const real **seen)
{
  const THPointwiseKernel fill = *TH_DISPATCHED(THTensor_(pointwise_fill));
  if (step == 0 && (rows == 1 || rowStride == 0)) { /* one element for all */
    const real value[2] = {*at};
    if (*seen != at)
      fill(rowStride == 0 ? BUFFER : most, buffer, NULL, NULL, NULL, value, 0);
    *seen = at;
  } else if (rowStride != 0 || *seen != at) {
    const THRun gather = {
        columns, rows, {(char *)buffer, (char *)at}, {1, step}, {columns, rowStride}};
    TH_DISPATCHED(THTensor_(convert))[SAME_TYPE](&gather, NULL);
    *seen = at;
  }
}

static void THTensor_(store)(char *at, ptrdiff_t step, ptrdiff_t rowStride, void *buffer,
                             ptrdiff_t rows, ptrdiff_t columns, int bytes)
{
  const THRun scatter = {columns, rows, {at, buffer}, {step, 1}, {rowStride, columns}};
  if (bytes)
    TH_DISPATCHED(THByteTensor_convert)[THScalarByte](&scatter, NULL);
  else
    TH_DISPATCHED(THTensor_(convert))[SAME_TYPE](&scatter, NULL);
}

/* Prefetches what is read after a row of a block: a row FURTHER rows down if rows are contiguous,
 * otherwise the row's share of the next block's cache lines.  Only a few rows ahead, because lines
 * a power of 2 apart share few sets of L1. */
static void THTensor_(prefetch)(const THRun *run, int o, const char *row, ptrdiff_t j,
                                ptrdiff_t rows, ptrdiff_t columns)
{
  enum { LINE = 64, FURTHER = 8 };
  const ptrdiff_t step = run->stride[o] * (ptrdiff_t)sizeof(real);
  const ptrdiff_t rowStride = run->rowStride[o] * (ptrdiff_t)sizeof(real);
  if (run->stride[o] == 1 && rowStride)
    for (ptrdiff_t i = 0; i < columns * (ptrdiff_t)sizeof(real); i += LINE)
      __builtin_prefetch(row + FURTHER * rowStride + i);
  else if (run->rowStride[o] == 1 && step)
    for (ptrdiff_t i = columns * j / rows; i < columns * (j + 1) / rows; i++)
      for (ptrdiff_t line = 0; line < rows * rowStride; line += LINE)
        __builtin_prefetch(row + (rows - j) * rowStride + i * step + line);
}

/* Whether an input repeats one element along each row, no input needs a buffer otherwise, and rows
 * are not short: then a small buffer is filled with the element, for all blocks of the row. */
static int THTensor_(broadcasts)(const THRun *run, const THTensor_(Call) * call)
{
  int any = 0;
  for (int o = 1; o <= call->inputs; o++) {
    if (run->stride[o] > 1)
      return 0;
    any |= run->stride[o] == 0;
  }
  return any && run->n >= BROADCAST / 8;
}

/* Whether an input repeats one row, everything else is contiguous, and rows are not long: then many
 * rows are computed as one, with copies of the repeated row in a buffer. */
static int THTensor_(repeats)(const THRun *run, const THTensor_(Call) * call)
{
  int any = 0;
  if (run->n >= BROADCAST / 2 || run->rowStride[0] != run->n)
    return 0;
  for (int o = 0; o <= call->inputs; o++) {
    if (run->stride[o] != 1 || (run->rowStride[o] != run->n && run->rowStride[o] != 0))
      return 0;
    any |= run->rowStride[o] == 0;
  }
  return any && run->rows > 1;
}

typedef real THTensor_(Buffer)[BUFFER];

static __attribute__((noinline)) void THTensor_(blockThroughBuffers)(const THRun *run,
                                                                     const THTensor_(Call) * call)
{
  TH_SCRATCH(THTensor_(Buffer), buffer, 1 + TH_POINTWISE_INPUTS);
  const real *seen[1 + TH_POINTWISE_INPUTS] = {NULL};
  /* Rows that are long enough are computed one by one, without buffers where possible. */
  const int oneByOne = run->n >= SHORT && run->stride[0] == 1 && !THTensor_(repeats)(run, call);
  const int broadcasts = oneByOne && THTensor_(broadcasts)(run, call);
  const ptrdiff_t columns = THMin(run->n, broadcasts ? BROADCAST : BUFFER);
  const ptrdiff_t rows = broadcasts ? 1 : THMin(run->rows, BUFFER / columns);

  for (ptrdiff_t j = 0; j < run->rows; j += rows)
    for (ptrdiff_t i = 0; i < run->n; i += columns) {
      const ptrdiff_t m = THMin(columns, run->n - i), k = THMin(rows, run->rows - j);
      char *at[1 + TH_POINTWISE_INPUTS] = {NULL};
      ptrdiff_t pitch[1 + TH_POINTWISE_INPUTS] = {0};
      for (int o = 0; o <= call->inputs; o++) {
        const ptrdiff_t step = run->stride[o], rowStride = run->rowStride[o];
        at[o] = THTensor_(part)(run, call, o, j, i);
        pitch[o] = THTensor_(part)(run, call, o, j + 1, i) - at[o];
        if (step == 1 && (oneByOne || k == 1 || rowStride == m))
          continue; /* side by side */
        if (o > 0)
          THTensor_(fillBuffer)(buffer[o], (const real *)at[o], k, m, step, rowStride, columns,
                                &seen[o]);
        at[o] = (char *)buffer[o];
        pitch[o] = m * (ptrdiff_t)sizeof(real);
      }
      if (oneByOne) {
        for (ptrdiff_t row = 0; row < k; row++) {
          for (int o = 1; o <= call->inputs && k > 1 && run->streams; o++)
            THTensor_(prefetch)(run, o, THTensor_(part)(run, call, o, j + row, i), row, k, m);
          call->row(m, at[0], at[1], at[2], at[3], call->scalars, run->streams);
          for (int o = 0; o <= call->inputs; o++)
            at[o] += pitch[o];
        }
        continue;
      }
      call->row(k * m, at[0], at[1], at[2], at[3], call->scalars,
                run->streams && at[0] != (char *)buffer[0]);
      if (at[0] == (char *)buffer[0])
        THTensor_(store)(THTensor_(part)(run, call, 0, j, i), run->stride[0], run->rowStride[0],
                         buffer[0], k, m, call->bytes);
    }
}

/* Whether the last input is one value along each row, which then needs no buffer. */
static int THTensor_(isOfValues)(const THRun *run, const THTensor_(Call) * call)
{
  int inLine = call->ofValue && (run->rows == 1 || run->n >= SHORT);
  for (int o = 0; o < call->inputs; o++)
    inLine &= run->stride[o] == 1;
  return inLine && run->stride[call->inputs] == 0;
}

static void THTensor_(blockOfValues)(const THRun *run, const THTensor_(Call) * call)
{
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *value = (const real *)THTensor_(part)(run, call, call->inputs, j, 0);
    const real scalars[2] = {*value, call->scalars[0]};
    call->ofValue(run->n, THTensor_(part)(run, call, 0, j, 0), THTensor_(part)(run, call, 1, j, 0),
                  NULL, NULL, scalars, run->streams);
  }
}

static void THTensor_(block)(const THRun *run, const void *context)
{
  const THTensor_(Call) *call = context;
  if (THTensor_(isOfValues)(run, call)) {
    THTensor_(blockOfValues)(run, call);
    return;
  }
  int inLine = run->rows == 1 || run->n >= SHORT;
  for (int o = 0; o <= call->inputs; o++)
    inLine &= run->stride[o] == 1;
  if (!inLine || THTensor_(repeats)(run, call)) {
    THTensor_(blockThroughBuffers)(run, call);
    return;
  }
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    char *at[1 + TH_POINTWISE_INPUTS] = {NULL};
    for (int o = 0; o <= call->inputs; o++)
      at[o] = THTensor_(part)(run, call, o, j, 0);
    call->row(run->n, at[0], at[1], at[2], at[3], call->scalars, run->streams);
  }
}

/* --- the functions that THTensorRows.h needs ------------------------------------------------- */

typedef real THTensor_(number);
#define NUMBER_OF(X) (X)

static int THTensor_(hasRow)(THTensor_(Row) row)
{
  return row->kernels != NULL;
}

static void THTensor_(checkDevices)(const THPointwiseInfo *info, const THTensor *r,
                                    THTensor *const in[])
{
}

static int THTensor_(walksWith)(const THTensor *x, const THTensor *in)
{
  return 1;
}

static int THTensor_(orderResult)(const THPointwiseInfo *info, THLoop *loop)
{
  return THLoop_order(loop, 0);
}

static void THTensor_(runRow)(THTensor_(Row) row, THLoop *loop, real a, real b)
{
  const THPointwiseInfo *info = &THPointwise_info[row->op];
  const THTensor_(Levels) ofValue = *row->ofValue;
  const THCpuLevel level = THCpu_level();
  const THTensor_(Call) call = {.row = *row->kernels[level],
                                .ofValue = ofValue ? *ofValue[level] : NULL,
                                .inputs = info->inputs,
                                .bytes = info->bytes,
                                .scalars = {a, b}};
  THLoop_run(loop, THTensor_(block), &call);
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

static void THTensor_(checkDivisor)(const THPointwiseInfo *info, THTensor *const in[], real a)
{
}

#else

/* Sets *found if an element is 0.  Blocks of several threads may all set it. */
static void THTensor_(findZero)(const THRun *run, const void *found)
{
  int any = 0;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *t = (const real *)run->at[0] + j * run->rowStride[0];
    for (ptrdiff_t i = 0; i < run->n; i++)
      any |= t[i * run->stride[0]] == 0;
  }
  if (any)
    __atomic_store_n(*(int *const *)found, 1, __ATOMIC_RELAXED);
}

static void THTensor_(checkDivisor)(const THPointwiseInfo *info, THTensor *const in[], real a)
{
  const int last = info->inputs - 1;
  if (last == 0) {
    THArgCheck(a != 0, info->scalar, "%s: integer division by 0", info->name);
    return;
  }
  int zero = 0, *found = &zero;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, in[last]);
  THLoop_run(&loop, THTensor_(findZero), &found);
  THArgCheck(!zero, info->argument[last], "%s: integer division by 0, an element of %s (%s)",
             info->name, info->input[last], THTensor_(sizeDesc)(in[last]).str);
}

#endif

/* --- the functions --------------------------------------------------------------------------- */

#undef INTEGER
#define INTEGER ALL /* floating types have no row, and the function raises */

#define TH_ROW_FUNCTION(NAME, Result, ...) void THTensor_(NAME)(Result *r_, __VA_ARGS__)
#define TH_ROW_ENTER
#include "THTensorRows.h"

void THTensor_(zero)(THTensor *r_)
{
  THTensor_(fill)(r_, 0);
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
void THTensor_(polygamma)(THTensor *r_, int64_t n, THTensor *t)
{
  THArgCheck(n == 0 || n == 1, 2, "polygamma: n is %lld, and only 0 and 1 are implemented",
             (long long)n);
  THTensor_(callRow)(TH_ROW(polygamma), r_, t, NULL, NULL, (real)n, 0);
}
#endif
