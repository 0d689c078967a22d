/* The public functions of reductions: each runs the engine (THReduce.h) with the kernels of one
 * reduction. */
#include "THTemplate.h"

#include "THKernel.h"
#include "THReduce.h"
#include "TH/tensor/THTensorCore.h"

#ifdef TH_TEMPLATE_DEVICE
#include "THC/reduce/THCReduceRun.h"
#else
#define LEVELS(NAME, ...) TH_DISPATCH(THReduction, THTensor_(reduction_##NAME))
TH_REDUCTIONS(LEVELS)
TH_OTHER_REDUCTIONS(LEVELS)
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
TH_FLOAT_REDUCTIONS(LEVELS)
TH_OTHER_FLOAT_REDUCTIONS(LEVELS)
#elif defined(TH_REAL_IS_BYTE)
TH_BYTE_REDUCTIONS(LEVELS)
#endif

#define REDUCTION(NAME) TH_DISPATCHED(THTensor_(reduction_##NAME))
static const THReduceSource THTensor_(own) = {.itemSize = sizeof(real), .converted = sizeof(real)};
#endif

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
#define TH_REAL_IS_FLOATING
#endif

/* --- over all elements ----------------------------------------------------------------------- */

static accreal THTensor_(reduceAll)(const THReduction *op, THTensor *t, double p)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, t);
  accreal result;
  THReduce_all(op, &THTensor_(own), (THReduceScalars){.p = p}, &loop, &result);
  return result;
}

static void THTensor_(checkNotEmpty)(THTensor *t)
{
  THArgCheck(THTensor_(nElement)(t) > 0, 1, "a tensor of size %s has no elements",
             THTensor_(sizeDesc)(t).str);
}

accreal THTensor_(sumall)(THTensor *t)
{
  return THTensor_(reduceAll)(REDUCTION(sum), t, 0);
}

accreal THTensor_(prodall)(THTensor *t)
{
  return THTensor_(reduceAll)(REDUCTION(prod), t, 0);
}

real THTensor_(minall)(THTensor *t)
{
  THTensor_(checkNotEmpty)(t);
  return TH_CONVERT_ACCREAL_TO_REAL(THTensor_(reduceAll)(REDUCTION(min), t, 0));
}

real THTensor_(maxall)(THTensor *t)
{
  THTensor_(checkNotEmpty)(t);
  return TH_CONVERT_ACCREAL_TO_REAL(THTensor_(reduceAll)(REDUCTION(max), t, 0));
}

#ifndef TH_TEMPLATE_DEVICE

ptrdiff_t THTensor_(numel)(THTensor *t)
{
  return THTensor_(nElement)(t);
}

#endif

/* --- along a dimension ----------------------------------------------------------------------- */

/* Reduces t along dimension.  r, and indices if not NULL, are arguments 1 and 2 of the public
 * function; errors call dimension argument dimArg. */
static void THTensor_(reduceDim)(const THReduction *op, THTensor *r, THLongTensor *indices,
                                 THTensor *t, int dimension, int dimArg, int keepdim, double p)
{
  THTensor_(checkAlong)(t, dimension, dimArg);
  THArgCheck(!indices || t->size[dimension] > 0, dimArg,
             "dimension %d of a tensor of size %s has no elements", dimension + TH_INDEX_BASE,
             THTensor_(sizeDesc)(t).str);
  THAlong along;
  t = THTensor_(openAlong)(&along, &r, &indices, t, dimension, dimArg, 1,
                           !keepdim && t->nDimension > 1, 0);
  THReduce reduce;
  THReduce_prepare(&reduce, op, &THTensor_(own), (THReduceScalars){.p = p}, &along.lines);
  if (indices)
    THTensor_(resizeResults)(r, indices, &along.shape);
  else
    THTensor_(resizeResult)(r, &along.shape);
  THReduce_run(&reduce, THTensor_(data)(t), THTensor_(data)(r),
               indices ? THLongTensor_data(indices) : NULL);
  THTensor_(closeAlong)(&along);
}

void THTensor_(sum)(THTensor *r_, THTensor *t, int dimension, int keepdim)
{
  THTensor_(reduceDim)(REDUCTION(sum), r_, NULL, t, dimension, 3, keepdim, 0);
}

void THTensor_(prod)(THTensor *r_, THTensor *t, int dimension, int keepdim)
{
  THTensor_(reduceDim)(REDUCTION(prod), r_, NULL, t, dimension, 3, keepdim, 0);
}

void THTensor_(amax)(THTensor *r_, THTensor *t, int dimension, int keepdim)
{
  THTensor_(reduceDim)(REDUCTION(max), r_, NULL, t, dimension, 3, keepdim, 0);
}

void THTensor_(amin)(THTensor *r_, THTensor *t, int dimension, int keepdim)
{
  THTensor_(reduceDim)(REDUCTION(min), r_, NULL, t, dimension, 3, keepdim, 0);
}

void THTensor_(max)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension,
                    int keepdim)
{
  THTensor_(reduceDim)(REDUCTION(argmax), values_, indices_, t, dimension, 4, keepdim, 0);
}

void THTensor_(min)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension,
                    int keepdim)
{
  THTensor_(reduceDim)(REDUCTION(argmin), values_, indices_, t, dimension, 4, keepdim, 0);
}

#ifndef TH_TEMPLATE_DEVICE

void THTensor_(preserveReduceDimSemantics)(THTensor *r_, int in_dims, int reduce_dimension,
                                           int keepdim)
{
  if (r_ && !keepdim && in_dims > 1 && THTensor_(nDimension)(r_) == in_dims - 1)
    THTensor_(unsqueeze1d)(r_, r_, reduce_dimension);
}

/* --- diagonals, comparison ------------------------------------------------------------------- */

accreal THTensor_(trace)(THTensor *t)
{
  THArgCheck(t->nDimension == 2, 1, "a tensor of size %s is no matrix", THTensor_(sizeDesc)(t).str);
  const int64_t size = THMin(t->size[0], t->size[1]), stride = t->stride[0] + t->stride[1];
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, THTensor_(data)(t), sizeof(real), 1, &size, &stride);
  accreal sum;
  THReduce_all(REDUCTION(sum), &THTensor_(own), (THReduceScalars){0}, &loop, &sum);
  return sum;
}

typedef struct {
  int *different;
} Comparison;

static void THTensor_(compare)(const THRun *run, const void *scalars)
{
  int *different = ((const Comparison *)scalars)->different;
  const ptrdiff_t da = run->stride[0], db = run->stride[1];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    if (__atomic_load_n(different, __ATOMIC_RELAXED))
      return;
    const real *a = (const real *)run->at[0] + j * run->rowStride[0];
    const real *b = (const real *)run->at[1] + j * run->rowStride[1];
    int found = 0;
    if (da == 1 && db == 1)
      for (ptrdiff_t i = 0; i < run->n; i++)
        found |= a[i] != b[i];
    else
      for (ptrdiff_t i = 0; i < run->n; i++)
        found |= a[i * da] != b[i * db];
    if (found)
      __atomic_store_n(different, 1, __ATOMIC_RELAXED);
  }
}

int THTensor_(equal)(THTensor *ta, THTensor *tb)
{
  if (!THTensor_(isSameSizeAs)(ta, tb))
    return 0;
  int different = 0;
  const Comparison comparison = {&different};
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, ta);
  THLoop_tensor(&loop, tb);
  THLoop_run(&loop, THTensor_(compare), &comparison);
  return !different;
}

#endif

/* --- truth values ---------------------------------------------------------------------------- */

#if defined(TH_REAL_IS_BYTE)

int THTensor_(logicalall)(THTensor *self)
{
  return THTensor_(reduceAll)(REDUCTION(all), self, 0) != 0;
}

int THTensor_(logicalany)(THTensor *self)
{
  return THTensor_(reduceAll)(REDUCTION(any), self, 0) != 0;
}

#endif

/* --- statistics ------------------------------------------------------------------------------ */

#if defined(TH_REAL_IS_FLOATING) || defined(TH_TEMPLATE_DEVICE)

accreal THTensor_(meanall)(THTensor *self)
{
  THTensor_(checkNotEmpty)(self);
  return THTensor_(reduceAll)(REDUCTION(mean), self, 0);
}

void THTensor_(mean)(THTensor *r_, THTensor *t, int dimension, int keepdim)
{
  THTensor_(reduceDim)(REDUCTION(mean), r_, NULL, t, dimension, 3, keepdim, 0);
}

#endif

#if defined(TH_REAL_IS_FLOATING)

accreal THTensor_(varall)(THTensor *self, int biased)
{
  THTensor_(checkNotEmpty)(self);
  return THTensor_(reduceAll)(REDUCTION(var), self, !biased);
}

accreal THTensor_(stdall)(THTensor *self, int biased)
{
  THTensor_(checkNotEmpty)(self);
  return THTensor_(reduceAll)(REDUCTION(std), self, !biased);
}

/* The reduction that computes the p-norm. */
static const THReduction *THTensor_(normReduction)(double p)
{
  if (isinf(p))
    return p > 0 ? REDUCTION(normMax) : REDUCTION(normMin);
  return p == 0   ? REDUCTION(norm0)
         : p == 1 ? REDUCTION(norm1)
         : p == 2 ? REDUCTION(norm2)
                  : REDUCTION(normP);
}

accreal THTensor_(normall)(THTensor *t, real value)
{
  if (THTensor_(nElement)(t) == 0)
    return 0;
  const accreal p = TH_CONVERT_REAL_TO_ACCREAL(value);
  return THTensor_(reduceAll)(THTensor_(normReduction)(p), t, p);
}

void THTensor_(std)(THTensor *r_, THTensor *t, int dimension, int biased, int keepdim)
{
  THTensor_(reduceDim)(REDUCTION(std), r_, NULL, t, dimension, 3, keepdim, !biased);
}

void THTensor_(var)(THTensor *r_, THTensor *t, int dimension, int biased, int keepdim)
{
  THTensor_(reduceDim)(REDUCTION(var), r_, NULL, t, dimension, 3, keepdim, !biased);
}

void THTensor_(norm)(THTensor *r_, THTensor *t, real value, int dimension, int keepdim)
{
  const accreal p = TH_CONVERT_REAL_TO_ACCREAL(value);
  THTensor_(reduceDim)(THTensor_(normReduction)(p), r_, NULL, t, dimension, 4, keepdim, p);
}

#ifndef TH_TEMPLATE_DEVICE

static void THTensor_(subtract)(THTensor *r, THTensor *a, THTensor *b)
{
  THTensor_(csub)(r, a, 1, b);
}

/* r_ = t, whose slices along dimension are scaled where their norm is larger than maxnorm. */
static void THTensor_(scaleSlices)(THTensor *r_, THTensor *t, int dimension, THTensor *norms,
                                   real maxnorm)
{
  for (int64_t i = 0; i < THTensor_(nElement)(norms); i++) {
    real *factor = THTensor_(data)(norms) + i;
    *factor = *factor > maxnorm ? (real)(maxnorm / (*factor + 1e-7)) : 1;
  }

  /* The factors repeated over every slice. */
  THShape shape;
  THShape_openAs(&shape, t->nDimension, t->size, NULL);
  for (int d = 0; d < t->nDimension; d++)
    shape.stride[d] = d == dimension;
  THTensor_(setStorageNd)(norms, norms->storage, 0, shape.nDimension, shape.size, shape.stride);
  THShape_close(&shape);
  THTensor_(cmul)(r_, t, norms);
}

#endif

accreal THTensor_(dist)(THTensor *a, THTensor *b, real value)
{
  const ptrdiff_t na = THTensor_(nElement)(a), nb = THTensor_(nElement)(b);
  THArgCheck(na == nb, 2, "b has %td elements (%s), a has %td (%s)", nb, THTensor_(sizeDesc)(b).str,
             na, THTensor_(sizeDesc)(a).str);
  if (na == 0)
    return 0;
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *difference = guard.what = THTensor_(new)();
  THTensor_(subtract)(difference, a, b);
  const accreal distance = THTensor_(normall)(difference, value);
  THGuard_leave(&guard);
  return distance;
}

/* r becomes the norms of t's slices along dimension. */
static void THTensor_(sliceNorms)(THTensor *r, THTensor *t, real value, int dimension)
{
  THGuard guard, contiguous;
  THTensor_(guard)(&guard);
  THTensor *rows = guard.what = THTensor_(newTranspose)(t, 0, dimension);
  THTensor_(guard)(&contiguous);
  if (t->nDimension > 2) {
    rows = contiguous.what = THTensor_(newContiguous)(rows);
    int64_t size[2] = {rows->size[0], THTensor_(nElement)(rows) / rows->size[0]};
    THTensor *flat = THTensor_(new)();
    THTensor_(free)(guard.what);
    guard.what = flat;
    THTensor_(setStorageNd)(flat, rows->storage, rows->storageOffset, 2, size, NULL);
    rows = flat;
  }
  THTensor_(norm)(r, rows, value, 1, 0);
  THGuard_leave(&contiguous);
  THGuard_leave(&guard);
}

void THTensor_(renorm)(THTensor *r_, THTensor *t, real value, int dimension, real maxnorm)
{
  THArgCheck(t->nDimension > 1, 2,
             "a tensor of size %s has no slices: it has one dimension or none",
             THTensor_(sizeDesc)(t).str);
  const accreal p = TH_CONVERT_REAL_TO_ACCREAL(value), most = TH_CONVERT_REAL_TO_ACCREAL(maxnorm);
  THArgCheck(p > 0, 3, "the norm %g is not above 0", (double)p);
  THTensor_(checkAlong)(t, dimension, 4);
  THArgCheck(most >= 0, 5, "maxnorm is %g", (double)most);

  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *norms = guard.what = THTensor_(new)();
  if (THTensor_(nElement)(t) > 0)
    THTensor_(sliceNorms)(norms, t, value, dimension);
  THTensor_(scaleSlices)(r_, t, dimension, norms, maxnorm);
  THGuard_leave(&guard);
}

#endif
