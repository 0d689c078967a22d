/* The pointwise operations of src/ops/pointwise.h as functions on tensors.  One function does the
 * work for all of them; the table says how each is called. */
#include "THTemplate.h"

#include "THConvert.h"
#include "THPointwise.h"
#include "THTensorCore.h"

TH_DISPATCH(THPointwiseRow, THTensor_(pointwise))

#define SAME_TYPE TH_CONCAT_2(THScalar, Real)

/* A call of a row: what the loop hands to each block. */
typedef struct {
  THPointwiseRow row;
  int inputs;
  int bytes; /* the result is of Byte */
  real scalars[2];
} THTensor_(Call);

/* --- a block --------------------------------------------------------------------------------- */

/* Rows are loops over elements side by side.  An operand that lies otherwise passes through a
 * buffer, a piece at a time: so every row is vector code for every layout. */
enum { BUFFER = 8192 / sizeof(real), SHORT = 64 };

/* The part of operand k of a block that begins at row j, column i. */
static char *THTensor_(part)(const THRun *run, const THTensor_(Call) * call, int k, ptrdiff_t j,
                             ptrdiff_t i)
{
  const ptrdiff_t size = k == 0 && call->bytes ? 1 : (ptrdiff_t)sizeof(real);
  return run->at[k] + (j * run->jump[k] + i * run->step[k]) * size;
}

/* Gathers rows x columns elements of an input.  seen is the input that buffer last was full of. */
static void THTensor_(fetch)(real *buffer, const real *at, ptrdiff_t rows, ptrdiff_t columns,
                             ptrdiff_t step, ptrdiff_t jump, const real **seen)
{
  const THPointwiseRow fill = THTensor_(pointwise)[TH_POINTWISE_fill];
  if (step == 0 && (rows == 1 || jump == 0)) { /* one element for all */
    const real value[2] = {*at};
    if (*seen != at)
      fill(BUFFER, buffer, NULL, NULL, NULL, value, 0);
    *seen = at;
  } else if (step == 0) {
    for (ptrdiff_t j = 0; j < rows; j++) {
      const real value[2] = {at[j * jump]};
      fill(columns, buffer + j * columns, NULL, NULL, NULL, value, 0);
    }
  } else {
    const THRun gather = {columns, rows, {(char *)buffer, (char *)at}, {1, step}, {columns, jump}};
    THTensor_(convert)[SAME_TYPE](&gather, NULL);
  }
}

static void THTensor_(store)(char *at, ptrdiff_t step, ptrdiff_t jump, void *buffer, ptrdiff_t rows,
                             ptrdiff_t columns, int bytes)
{
  const THRun scatter = {columns, rows, {at, buffer}, {step, 1}, {jump, columns}};
  if (bytes)
    THByteTensor_convert[THScalarByte](&scatter, NULL);
  else
    THTensor_(convert)[SAME_TYPE](&scatter, NULL);
}

static __attribute__((noinline)) void THTensor_(blockThroughBuffers)(const THRun *run,
                                                                     const THTensor_(Call) * call)
{
  real buffer[1 + TH_POINTWISE_INPUTS][BUFFER];
  const real *seen[1 + TH_POINTWISE_INPUTS] = {NULL};
  const ptrdiff_t columns = THMin(run->n, BUFFER), rows = THMin(run->rows, BUFFER / columns);

  for (ptrdiff_t j = 0; j < run->rows; j += rows)
    for (ptrdiff_t i = 0; i < run->n; i += columns) {
      const ptrdiff_t m = THMin(columns, run->n - i), k = THMin(rows, run->rows - j);
      void *at[1 + TH_POINTWISE_INPUTS] = {NULL};
      for (int o = 0; o <= call->inputs; o++) {
        const ptrdiff_t step = run->step[o], jump = run->jump[o];
        at[o] = THTensor_(part)(run, call, o, j, i);
        if (step == 1 && (k == 1 || jump == m))
          continue; /* side by side */
        if (o > 0)
          THTensor_(fetch)(buffer[o], at[o], k, m, step, jump, &seen[o]);
        at[o] = buffer[o];
      }
      call->row(k * m, at[0], at[1], at[2], at[3], call->scalars,
                run->streams && at[0] != buffer[0]);
      if (at[0] == buffer[0])
        THTensor_(store)(THTensor_(part)(run, call, 0, j, i), run->step[0], run->jump[0], buffer[0],
                         k, m, call->bytes);
    }
}

static void THTensor_(block)(const THRun *run, const void *context)
{
  const THTensor_(Call) *call = context;
  int inLine = run->rows == 1 || run->n >= SHORT;
  for (int o = 0; o <= call->inputs; o++)
    inLine &= run->step[o] == 1;
  /* Where nothing is read, the processor sees by itself that whole lines are written. */
  const int streams = run->streams && call->inputs > 0;
  if (!inLine) {
    THTensor_(blockThroughBuffers)(run, call);
    return;
  }
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    char *at[1 + TH_POINTWISE_INPUTS] = {NULL};
    for (int o = 0; o <= call->inputs; o++)
      at[o] = THTensor_(part)(run, call, o, j, 0);
    call->row(run->n, at[0], at[1], at[2], at[3], call->scalars, streams);
  }
}

/* --- what must hold before anything changes -------------------------------------------------- */

static void THTensor_(checkCounts)(const THPointwiseInfo *info, THTensor *const in[])
{
  for (int i = 1; i < info->inputs; i++) {
    const ptrdiff_t n = THTensor_(nElement)(in[0]), other = THTensor_(nElement)(in[i]);
    THArgCheck(other == n, info->argument[i], "%s: %s has %td elements (%s), %s has %td (%s)",
               info->name, info->input[i], other, THTensor_(sizeDesc)(in[i]).str, info->input[0], n,
               THTensor_(sizeDesc)(in[0]).str);
  }
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

void THTensor_(checkDivisor)(const THPointwiseInfo *info, THTensor *const in[], real a)
{
}

#else

/* Sets *found where an element is 0.  Blocks of several threads may all do so. */
static void THTensor_(findZero)(const THRun *run, const void *found)
{
  int any = 0;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *t = (const real *)run->at[0] + j * run->jump[0];
    for (ptrdiff_t i = 0; i < run->n; i++)
      any |= t[i * run->step[0]] == 0;
  }
  if (any)
    __atomic_store_n(*(int *const *)found, 1, __ATOMIC_RELAXED);
}

void THTensor_(checkDivisor)(const THPointwiseInfo *info, THTensor *const in[], real a)
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

/* --- a call ---------------------------------------------------------------------------------- */

/* The result may be a tensor of Byte: all types of tensors have the same fields. */
static void THTensor_(addResult)(THLoop *loop, const THTensor *r, int bytes)
{
  const ptrdiff_t size = bytes ? 1 : (ptrdiff_t)sizeof(real);
  char *data = r->storage ? (char *)r->storage->data + r->storageOffset * size : NULL;
  THLoop_operand(loop, data, (size_t)size, r->nDimension, r->size, r->stride);
}

/* Whether writing to r, once it is resized to n elements, would change what is still to be read
 * from in. */
static int THTensor_(isInTheWay)(const THTensor *r, ptrdiff_t n, int bytes, const THTensor *in)
{
  if (!r->storage || !in->storage)
    return 0;
  if (in == r)
    return 1; /* it would change its shape */
  const ptrdiff_t size = bytes ? 1 : (ptrdiff_t)sizeof(real);
  if (r->storageOffset + n > r->storage->size) /* the storage will grow, perhaps move */
    return in->storage == r->storage;
  const int64_t count = n, step = 1;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, (char *)r->storage->data + r->storageOffset * size, (size_t)size, 1, &count,
                 &step);
  THLoop_tensor(&loop, in);
  return THLoop_overlap(&loop, 0, 1) != TH_OVERLAP_NONE;
}

/* Checks; sets aside inputs that the result would overwrite before they are read; gives r the shape
 * of the first input; computes.  After an error nothing has changed. */
static void THTensor_(callRow)(THPointwise op, THTensor *r, THTensor *x, THTensor *y, THTensor *z,
                               real a, real b)
{
  const THPointwiseInfo *info = &THPointwise_info[op];
  const THTensor_(Call) call = {THTensor_(pointwise)[op], info->inputs, info->bytes, {a, b}};
  THTensor *in[] = {x, y, z};
  if (!call.row)
    THError("%s is for integers, not for " TH_STRING_OF(Real), info->name);
  THTensor_(checkCounts)(info, in);
  if (info->cost == DIVIDES)
    THTensor_(checkDivisor)(info, in, a);

  const int resizes = info->inputs > 0 && !THTensor_(isSameSizeAs)(r, x);
  THLoop loop;
  THLoop_init(&loop);
  loop.grain = THPointwise_grain(op);
  THTensor_(addResult)(&loop, r, call.bytes);
  THArgCheck(resizes || !THLoop_overlapsItself(&loop, 0), 1,
             "%s: the result of size %s has elements that share memory with each other", info->name,
             THTensor_(sizeDesc)(r).str);

  THGuard aside[TH_POINTWISE_INPUTS];
  int held = 0;
  for (int i = 0; i < info->inputs; i++) {
    THLoop_tensor(&loop, in[i]);
    if (resizes ? !THTensor_(isInTheWay)(r, THTensor_(nElement)(x), call.bytes, in[i])
                : in[i] == r || THLoop_overlap(&loop, 0, i + 1) != TH_OVERLAP_MIXED)
      continue;
    THTensor_(guard)(&aside[held]);
    in[i] = aside[held++].what = THTensor_(newClone)(in[i]);
    loop.operands--;
    THLoop_tensor(&loop, in[i]);
  }
  if (resizes) {
    if (call.bytes)
      THByteTensor_resizeNd((THByteTensor *)r, x->nDimension, x->size, NULL);
    else
      THTensor_(resizeAs)(r, x);
    loop.operands = 0;
    THTensor_(addResult)(&loop, r, call.bytes);
    loop.operands = 1 + info->inputs;
  }
  THLoop_run(&loop, THTensor_(block), &call);
  while (held > 0)
    THGuard_leave(&aside[--held]);
}

/* --- the functions --------------------------------------------------------------------------- */

#define ALL(...)     __VA_ARGS__
#define INTEGER(...) __VA_ARGS__ /* floating types have no row, and the function raises */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FLOAT(...) __VA_ARGS__
#else
#define FLOAT(...)
#endif
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
#define SIGNED(...)
#else
#define SIGNED(...) __VA_ARGS__
#endif

/* Defines a function; behind the parameters stand the inputs and scalars of the row. */
#define FUNCTION(NAME, Result, PARAMETERS, X, Y, Z, A, B)                               \
  void THTensor_(NAME)(Result * r_, PARAMETERS)                                         \
  {                                                                                     \
    THTensor_(callRow)(TH_POINTWISE_##NAME, (THTensor *)r_, X, Y, Z, (real)A, (real)B); \
  }
#define TOGETHER(...) __VA_ARGS__

/* clang-format off */
#define FILL(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, real value, NULL, NULL, NULL, value, 0))
#define UNARY(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, THTensor *t, t, NULL, NULL, 0, 0))
#define SCALAR(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, TOGETHER(THTensor *t, real value), t, NULL, NULL, value, 0))
#define SCALARS(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, TOGETHER(THTensor *t, real value1, real value2), \
                 t, NULL, NULL, value1, value2))
#define BASE(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, TOGETHER(real value, THTensor *t), t, NULL, NULL, value, 0))
#define BINARY(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, TOGETHER(THTensor *t, THTensor *src), t, src, NULL, 0, 0))
#define SCALED(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, TOGETHER(THTensor *t, real value, THTensor *src), \
                 t, src, NULL, value, 0))
#define WEIGHTED(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, TOGETHER(THTensor *a, THTensor *b, real weight), \
                 a, b, NULL, weight, 0))
#define TERNARY(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, \
                 TOGETHER(THTensor *t, real value, THTensor *src1, THTensor *src2), \
                 t, src1, src2, value, 0))
#define COMPARE_VALUE(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THByteTensor, TOGETHER(THTensor *t, real value), t, NULL, NULL, value, 0))
#define COMPARE_VALUE_T SCALAR
#define COMPARE_TENSOR(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THByteTensor, TOGETHER(THTensor *ta, THTensor *tb), ta, tb, NULL, 0, 0))
#define COMPARE_TENSOR_T BINARY
/* clang-format on */
#include "ops/pointwise.h"

void THTensor_(zero)(THTensor *r_)
{
  THTensor_(fill)(r_, 0);
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
void THTensor_(polygamma)(THTensor *r_, int64_t n, THTensor *t)
{
  THArgCheck(n == 0 || n == 1, 2, "polygamma: n is %lld, and only 0 and 1 are implemented",
             (long long)n);
  THTensor_(callRow)(TH_POINTWISE_polygamma, r_, t, NULL, NULL, (real)n, 0);
}
#endif
