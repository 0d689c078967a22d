/* The rows of src/ops/pointwise.h as functions on tensors, for every device: the checks, copies of
 * operands, the resizing, and the functions.  A template includes this file after it has defined
 *
 *   Row, TH_ROW(NAME), TH_ROW_OP(row)   what stands for a row; the row of that name; its THPointwise
 *   hasRow(row)              whether the type has the row
 *   checkDevices(info, r, in)  that the operands can be computed with here
 *   checkDivisor(info, in, a)
 *   orderResult(info, loop)  prepares the loop for a result whose elements share memory, or raises;
 *                            returns whether they do
 *   walksWith(x, in)         whether the input can be walked together with x as it is
 *   runRow(row, loop, a, b)  computes; operand 0 is the result
 *   number, NUMBER_OF(x)     the type of scalars in a call, which is wider than Half; a real as one
 *   TH_ROW_FUNCTION(NAME, Result, PARAMETERS...), TH_ROW_ENTER
 *                            how a function begins, outside and inside its braces
 *   ALL, FLOAT, SIGNED, INTEGER, BUT_HALF   which rows become functions. */

/* --- checks before anything changes ---------------------------------------------------------- */

static void THTensor_(checkCounts)(const THPointwiseInfo *info, THTensor *const in[])
{
  for (int i = 1; i < info->inputs; i++) {
    const ptrdiff_t n = THTensor_(nElement)(in[0]), other = THTensor_(nElement)(in[i]);
    THArgCheck(other == n, info->argument[i], "%s: %s has %td elements (%s), %s has %td (%s)",
               info->name, info->input[i], other, THTensor_(sizeDesc)(in[i]).str, info->input[0], n,
               THTensor_(sizeDesc)(in[0]).str);
  }
}

/* --- a call ---------------------------------------------------------------------------------- */

/* The result may be a tensor of Byte: all types of tensors have the same fields. */
static void THTensor_(addResult)(THLoop *loop, const THTensor *r, int bytes)
{
  const ptrdiff_t size = bytes ? 1 : (ptrdiff_t)sizeof(real);
  char *data = r->storage ? (char *)r->storage->data + r->storageOffset * size : NULL;
  THLoop_operand(loop, data, (size_t)size, r->nDimension, r->size, r->stride);
}

/* Whether writing to r, resized to the size of x, would change elements of in that are still to be
 * read. */
static int THTensor_(isOverwritten)(const THTensor *r, const THTensor *x, int bytes,
                                    const THTensor *in)
{
  const THView view = bytes ? TH_VIEW((const THByteTensor *)r) : TH_VIEW(r);
  return in == r || /* resizing r would change the shape of in */
         THResult_overlapSized(view, x->nDimension, x->size, TH_VIEW(in)) != TH_OVERLAP_NONE;
}

/* Checks; copies inputs that the result would overwrite before they are read; gives r the shape of
 * the first input; computes.  After an error nothing has changed. */
static void THTensor_(callRow)(THTensor_(Row) row, THTensor *r, THTensor *x, THTensor *y,
                               THTensor *z, THTensor_(number) a, THTensor_(number) b)
{
  const THPointwise op = TH_ROW_OP(row);
  const THPointwiseInfo *info = &THPointwise_info[op];
  THTensor *in[] = {x, y, z};
  if (!THTensor_(hasRow)(row))
    THError("%s is for integers, not for " TH_STRING_OF(Real), info->name);
  THTensor_(checkCounts)(info, in);
  THTensor_(checkDevices)(info, r, in);
  if (info->cost == DIVIDES)
    THTensor_(checkDivisor)(info, in, a);

  const int resizes = info->inputs > 0 && !THTensor_(isSameSizeAs)(r, x);
  THLoop loop;
  THLoop_init(&loop);
  loop.grain = THPointwise_grain(op);
  THTensor_(addResult)(&loop, r, info->bytes);
  const int shares = !resizes && THTensor_(orderResult)(info, &loop);

  THGuard aside[TH_POINTWISE_INPUTS];
  int held = 0;
  for (int i = 0; i < info->inputs; i++) {
    THLoop_tensor(&loop, in[i]);
    int inTheWay = resizes ? THTensor_(isOverwritten)(r, x, info->bytes, in[i])
                           : in[i] != r && THLoop_overlap(&loop, 0, i + 1) == TH_OVERLAP_MIXED;
    /* A divisor must not become 0 after it has been checked. */
    if (shares && info->cost == DIVIDES && i > 0 && i + 1 == info->inputs)
      inTheWay |= THLoop_overlap(&loop, 0, i + 1) != TH_OVERLAP_NONE;
    if (!inTheWay && THTensor_(walksWith)(x, in[i]))
      continue;
    THTensor_(guard)(&aside[held]);
    in[i] = aside[held++].what = THTensor_(newClone)(in[i]);
    loop.operands--;
    THLoop_tensor(&loop, in[i]);
  }
  if (resizes) {
    if (info->bytes)
      THByteTensor_resizeNd((THByteTensor *)r, x->nDimension, x->size, NULL);
    else
      THTensor_(resizeAs)(r, x);
    loop.operands = 0;
    THTensor_(addResult)(&loop, r, info->bytes);
    loop.operands = 1 + info->inputs;
  }
  THTensor_(runRow)(row, &loop, a, b);
  while (held > 0)
    THGuard_leave(&aside[--held]);
}

/* --- the functions --------------------------------------------------------------------------- */

/* Defines the function of a row, with the row's inputs X, Y, Z and scalars A, B.  SCALED(ALL,
 * CHEAP, cadd, x + a * y), for instance, becomes on the CPU, for Float
 *
 *     void THFloatTensor_cadd(THFloatTensor *r_, THFloatTensor *t, float value, THFloatTensor *src)
 *     {
 *       THFloatTensor_callRow(&THFloatTensor_row_cadd, r_, t, src, NULL, value, (float){0});
 *     }
 *
 * and on the device THCudaTensor_cadd, with a state in front and THC_enter(state). */
/* clang-format off */
#define FUNCTION(NAME, Result, PARAMETERS, X, Y, Z, A, B)                                                 \
  TH_ROW_FUNCTION(NAME, Result, PARAMETERS)                                                               \
  { TH_ROW_ENTER THTensor_(callRow)(TH_ROW(NAME), (THTensor *)r_, X, Y, Z, NUMBER_OF(A), NUMBER_OF(B)); }
/* clang-format on */
#define NONE      (real){0}
#define ARGS(...) __VA_ARGS__

/* clang-format off */
#define FILL(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, real value, NULL, NULL, NULL, value, NONE))
#define UNARY(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, THTensor *t, t, NULL, NULL, NONE, NONE))
#define SCALAR(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, ARGS(THTensor *t, real value), t, NULL, NULL, value, NONE))
#define SCALARS(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, ARGS(THTensor *t, real value1, real value2), \
                 t, NULL, NULL, value1, value2))
#define BASE(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, ARGS(real value, THTensor *t), t, NULL, NULL, value, NONE))
#define BINARY(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, ARGS(THTensor *t, THTensor *src), t, src, NULL, NONE, NONE))
#define SCALED(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, ARGS(THTensor *t, real value, THTensor *src), \
                 t, src, NULL, value, NONE))
#define WEIGHTED(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, ARGS(THTensor *a, THTensor *b, real weight), \
                 a, b, NULL, weight, NONE))
#define TERNARY(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THTensor, \
                 ARGS(THTensor *t, real value, THTensor *src1, THTensor *src2), \
                 t, src1, src2, value, NONE))
#define COMPARE_VALUE(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THByteTensor, ARGS(THTensor *t, real value), t, NULL, NULL, value, NONE))
#define COMPARE_VALUE_T SCALAR
#define COMPARE_TENSOR(TYPES, COST, NAME, ...) \
  TYPES(FUNCTION(NAME, THByteTensor, ARGS(THTensor *ta, THTensor *tb), ta, tb, NULL, NONE, NONE))
#define COMPARE_TENSOR_T BINARY
/* clang-format on */
#include "ops/pointwise.h"
