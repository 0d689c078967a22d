/* Joining tensors along a dimension. */
#include "THTemplate.h"

#include "THLoop.h"
#include "THTensorCore.h"
#ifndef TH_TEMPLATE_DEVICE
#include "THConvert.h"
#include "THParallel.h"
#include "THPlan.h"
#endif

/* A tensor counts as having size 1 in the dimensions behind its last. */
static int64_t THTensor_(sizeOrOne)(const THTensor *t, int d)
{
  return d < t->nDimension ? t->size[d] : 1;
}

/* Fills shape with the size of all inputs joined along dimension. */
static void THTensor_(joinedSize)(THShape *shape, THTensor **inputs, int numInputs, int dimension)
{
  THTensor *first = NULL;
  for (int i = 0; i < numInputs; i++) {
    THTensor *t = inputs[i];
    if (t->nDimension == 0)
      continue;
    for (int d = 0; d < shape->nDimension; d++) {
      const int64_t size = THTensor_(sizeOrOne)(t, d);
      if (!first) {
        shape->size[d] = size;
      } else if (d != dimension) {
        if (size != shape->size[d])
          THError("tensors of size %s and %s (number %d) do not join along dimension %d",
                  THTensor_(sizeDesc)(first).str, THTensor_(sizeDesc)(t).str, i + TH_INDEX_BASE,
                  dimension + TH_INDEX_BASE);
      } else if (__builtin_add_overflow(shape->size[d], size, &shape->size[d])) {
        THError("the tensors are too large to be joined along dimension %d",
                dimension + TH_INDEX_BASE);
      }
    }
    if (!first)
      first = t;
  }
}

#ifndef TH_TEMPLATE_DEVICE /* another device has its own */
/* The part of result that begins at offset along dimension and is as large as t becomes a copy of
 * t, whose dimensions are the first ones of result. */
static void THTensor_(copyPart)(THTensor *result, THTensor *t, int dimension, int64_t offset)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, THTensor_(data)(result) + offset * result->stride[dimension], sizeof(real),
                 t->nDimension, t->size, result->stride);
  THLoop_tensor(&loop, t);
  THLoop_run(&loop, THTensor_(convert)[TH_CONCAT_2(THScalar, Real)], NULL);
}
#endif

/* Copies the inputs one after the other. */
static void THTensor_(joinParts)(THTensor *result, THTensor **inputs, int numInputs, int dimension)
{
  int64_t offset = 0;
  for (int i = 0; i < numInputs; i++)
    if (inputs[i]->nDimension) {
      THTensor_(copyPart)(result, inputs[i], dimension, offset);
      offset += THTensor_(sizeOrOne)(inputs[i], dimension);
    }
}

#ifdef TH_TEMPLATE_DEVICE

static int THTensor_(joinRows)(THTensor *result, THTensor **inputs, int numInputs, int dimension)
{
  return 0;
}

#else

/* Rows of a few KB of the result are put together from a row of each input, some at a time. */
typedef struct {
  THTensor *result, **inputs;
  int numInputs, dimension;
  int across;            /* the dimension that rows follow each other along; walked: those before */
  ptrdiff_t together;    /* rows at a time, */
  ptrdiff_t timesAcross; /* and how many times for each place in the dimensions that are walked */
} Join;

/* How many elements the dimensions behind d have, if they lie side by side, else 0. */
static ptrdiff_t THTensor_(rowLength)(const THTensor *t, int d)
{
  ptrdiff_t count = 1;
  for (int k = t->nDimension - 1; k > d; k--) {
    if (t->size[k] != 1 && t->stride[k] != count)
      return 0;
    count *= t->size[k];
  }
  return count;
}

static void THTensor_(joinTogether)(const Join *join, ptrdiff_t number)
{
  const int across = join->across;
  const int64_t *size = join->result->size, *stride = join->result->stride;
  const ptrdiff_t first = number % join->timesAcross * join->together;
  real *to = THTensor_(data)(join->result) + first * stride[across];
  number /= join->timesAcross;
  for (ptrdiff_t d = across - 1, rest = number; d >= 0; rest /= size[d--])
    to += rest % size[d] * stride[d];
  for (int i = 0; i < join->numInputs; i++) {
    THTensor *t = join->inputs[i];
    if (t->nDimension == 0)
      continue;
    const ptrdiff_t length = THTensor_(rowLength)(t, across);
    real *from = THTensor_(data)(t) + first * t->stride[across];
    for (ptrdiff_t d = across - 1, rest = number; d >= 0; rest /= size[d--])
      from += rest % size[d] * t->stride[d];
    const THRun run = {.n = length,
                       .rows = THMin(join->together, size[across] - first),
                       .at = {(char *)to, (char *)from},
                       .step = {1, 1},
                       .jump = {stride[across], t->stride[across]}};
    THTensor_(convert)[TH_CONCAT_2(THScalar, Real)](&run, NULL);
    to += length;
  }
}

static void THTensor_(joinSome)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Join *join = context;
  for (ptrdiff_t number = begin; number < end; number++)
    THTensor_(joinTogether)(join, number);
}

/* Whether the inputs have been joined row by row.  The result is then written in order; an input
 * that wrote all its rows at once would fetch every line of it, unless it writes around the caches.
 */
static int THTensor_(joinRows)(THTensor *result, THTensor **inputs, int numInputs, int dimension)
{
  enum { SHORT = 4096, TOGETHER = 4096 }; /* bytes of a row, and of some, of one input */
  const int64_t *size = result->size;
  Join join = {result, inputs, numInputs, dimension, .across = dimension - 1};
  while (join.across > 0 && size[join.across] == 1)
    join.across--;
  if (join.across < 0 || size[join.across] == 1)
    return 0;
  ptrdiff_t longest = 0;
  for (int i = 0; i < numInputs; i++) {
    if (inputs[i]->nDimension == 0)
      continue;
    const ptrdiff_t length = THTensor_(rowLength)(inputs[i], join.across);
    if (length < 2)
      return 0;
    longest = THMax(longest, length * (ptrdiff_t)sizeof(real));
  }
  const ptrdiff_t all = THTensor_(nElement)(result);
  if (longest > SHORT || all >= THPlan_streamBytes() / (ptrdiff_t)sizeof(real))
    return 0;
  join.together = THMax(1, TOGETHER / longest);
  join.timesAcross = (size[join.across] + join.together - 1) / join.together;
  ptrdiff_t count = join.timesAcross;
  for (int d = 0; d < join.across; d++)
    count *= size[d];
  THParallel_for(count, THMax(1, TH_LOOP_GRAIN / (all / count)), THTensor_(joinSome), &join);
  return 1;
}

#endif

/* Whether writing to the result would change an input. */
static int THTensor_(sharesStorage)(const THTensor *result, THTensor **inputs, int numInputs)
{
  for (int i = 0; i < numInputs; i++)
    if (inputs[i]->storage && inputs[i]->storage == result->storage)
      return 1;
  return 0;
}

void THTensor_(catArray)(THTensor *result, THTensor **inputs, int numInputs, int dimension)
{
  THArgCheck(numInputs > 0, 3, "numInputs is %d", numInputs);
  int dims = 0;
  for (int i = 0; i < numInputs; i++)
    dims = THMax(dims, inputs[i]->nDimension);
  const int along = dimension == -1 - TH_INDEX_BASE ? THMax(dims - 1, 0) : dimension;
  THArgCheck(along >= 0 && along <= THMax(dims, TH_LOOP_DIMS), 4, "dimension %d is out of range",
             dimension + TH_INDEX_BASE);
  if (dims == 0) {
    THTensor_(resizeNd)(result, 0, NULL, NULL);
    return;
  }

  THShape shape;
  THShape_open(&shape, THMax(dims, along + 1));
  THTensor_(joinedSize)(&shape, inputs, numInputs, along);

  /* Where an input shares the result's memory, or the result's elements each other's, the tensors
   * are joined elsewhere: copying from there says what is wrong. */
  const int shares =
      THTensor_(sharesStorage)(result, inputs, numInputs) || !THTensor_(isContiguous)(result);
  THGuard elsewhere;
  THTensor_(guard)(&elsewhere);
  THTensor *joined = shares ? (elsewhere.what = THTensor_(newBare)()) : result;
  THTensor_(resizeNd)(joined, shape.nDimension, shape.size, NULL);

  if (!THTensor_(joinRows)(joined, inputs, numInputs, along))
    THTensor_(joinParts)(joined, inputs, numInputs, along);
  if (shares) {
    THTensor_(resizeNd)(result, shape.nDimension, shape.size, NULL);
    THTensor_(copy)(result, joined);
  }
  THGuard_leave(&elsewhere);
  THShape_close(&shape);
}

void THTensor_(cat)(THTensor *r_, THTensor *ta, THTensor *tb, int dimension)
{
  THTensor_(catArray)(r_, (THTensor *[]){ta, tb}, 2, dimension);
}
