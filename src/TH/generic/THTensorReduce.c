/* Reductions: each is a row of kernels, walked by the engine. */
#include "THTemplate.h"

#include "../THReduce.h"
#include "THTensorCore.h"

TH_DISPATCH(THReduction, THTensor_(reductions))

/* --- over all elements ----------------------------------------------------------------------- */

static accreal THTensor_(reduceAll)(THReductionName name, THTensor *t, double p)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, t);
  accreal result;
  THReduce_all(&THTensor_(reductions)[name], (THReduceScalars){.p = p}, &loop, &result);
  return result;
}

static void THTensor_(checkNotEmpty)(THTensor *t)
{
  THArgCheck(THTensor_(nElement)(t) > 0, 1, "a tensor of size %s has no elements",
             THTensor_(sizeDesc)(t).str);
}

accreal THTensor_(sumall)(THTensor *t)
{
  return THTensor_(reduceAll)(TH_REDUCE_sum, t, 0);
}

accreal THTensor_(prodall)(THTensor *t)
{
  return THTensor_(reduceAll)(TH_REDUCE_prod, t, 0);
}

real THTensor_(minall)(THTensor *t)
{
  THTensor_(checkNotEmpty)(t);
  return (real)THTensor_(reduceAll)(TH_REDUCE_min, t, 0);
}

real THTensor_(maxall)(THTensor *t)
{
  THTensor_(checkNotEmpty)(t);
  return (real)THTensor_(reduceAll)(TH_REDUCE_max, t, 0);
}

ptrdiff_t THTensor_(numel)(THTensor *t)
{
  return THTensor_(nElement)(t);
}

/* --- along a dimension ----------------------------------------------------------------------- */

/* The first two arguments are the results, of which the indices may be missing; dimArg is the
 * number of the argument dimension. */
static void THTensor_(reduceDim)(THReductionName name, THTensor *r, THLongTensor *indices,
                                 THTensor *t, int dimension, int dimArg, int keepdim, double p)
{
  const int n = t->nDimension, squeezed = !keepdim && n > 1;
  THArgCheck(dimension >= 0 && dimension < n, dimArg,
             "dimension %lld is out of range of a tensor of size %s",
             (long long)dimension + TH_INDEX_BASE, THTensor_(sizeDesc)(t).str);
  THArgCheck(!indices || t->size[dimension] > 0, dimArg,
             "dimension %d of a tensor of size %s has no elements", dimension + TH_INDEX_BASE,
             THTensor_(sizeDesc)(t).str);

  THShape shape;
  THShape_open(&shape, n - squeezed);
  for (int d = 0; d < shape.nDimension; d++)
    shape.size[d] = t->size[d + (squeezed && d >= dimension)];
  if (!squeezed)
    shape.size[dimension] = 1;
  THShape_setStrides(&shape, NULL);

  const THView to = TH_VIEW(r), from = TH_VIEW(t);
  THResult_check(to, &shape, 1);
  int aside = THResult_overlap(to, &shape, from) != TH_OVERLAP_NONE;
  if (indices) {
    const THView places = TH_VIEW(indices);
    THResult_check(places, &shape, 2);
    THResult_checkBoth(to, places, &shape, 2);
    aside |= THResult_overlap(places, &shape, from) != TH_OVERLAP_NONE;
  }
  THGuard guard;
  THTensor_(guard)(&guard);
  if (aside)
    t = guard.what = THTensor_(newClone)(t);

  THLines lines;
  THLines_init(&lines, n, t->size, dimension);
  THLines_operand(&lines, t->stride, 0);
  THLines_operand(&lines, THResult_hasShape(to, &shape) ? r->stride : shape.stride, squeezed);
  if (indices)
    THLines_operand(&lines,
                    THResult_hasShape(TH_VIEW(indices), &shape) ? indices->stride : shape.stride,
                    squeezed);
  THLines_merge(&lines);
  THReduce reduce;
  THReduce_prepare(&reduce, &THTensor_(reductions)[name], (THReduceScalars){.p = p}, &lines,
                   sizeof(real));
  if (indices)
    THTensor_(resizeResults)(r, indices, &shape);
  else
    THTensor_(resizeResult)(r, &shape);
  THReduce_run(&reduce, THTensor_(data)(t), THTensor_(data)(r),
               indices ? THLongTensor_data(indices) : NULL);
  THGuard_leave(&guard);
  THShape_close(&shape);
}

void THTensor_(sum)(THTensor *r_, THTensor *t, int dimension, int keepdim)
{
  THTensor_(reduceDim)(TH_REDUCE_sum, r_, NULL, t, dimension, 3, keepdim, 0);
}

void THTensor_(prod)(THTensor *r_, THTensor *t, int dimension, int keepdim)
{
  THTensor_(reduceDim)(TH_REDUCE_prod, r_, NULL, t, dimension, 3, keepdim, 0);
}

void THTensor_(max)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension,
                    int keepdim)
{
  THTensor_(reduceDim)(TH_REDUCE_argmax, values_, indices_, t, dimension, 4, keepdim, 0);
}

void THTensor_(min)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension,
                    int keepdim)
{
  THTensor_(reduceDim)(TH_REDUCE_argmin, values_, indices_, t, dimension, 4, keepdim, 0);
}

void THTensor_(preserveReduceDimSemantics)(THTensor *r_, int in_dims, int reduce_dimension,
                                           int keepdim)
{
  if (r_ && !keepdim && in_dims > 1 && THTensor_(nDimension)(r_) == in_dims - 1)
    THTensor_(unsqueeze1d)(r_, r_, reduce_dimension);
}

/* --- truth values ---------------------------------------------------------------------------- */

#if defined(TH_REAL_IS_BYTE)

int THTensor_(logicalall)(THTensor *self)
{
  return THTensor_(reduceAll)(TH_REDUCE_all, self, 0) != 0;
}

int THTensor_(logicalany)(THTensor *self)
{
  return THTensor_(reduceAll)(TH_REDUCE_any, self, 0) != 0;
}

#endif

/* --- statistics ------------------------------------------------------------------------------ */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

accreal THTensor_(meanall)(THTensor *self)
{
  THTensor_(checkNotEmpty)(self);
  return THTensor_(reduceAll)(TH_REDUCE_mean, self, 0);
}

accreal THTensor_(varall)(THTensor *self, int biased)
{
  THTensor_(checkNotEmpty)(self);
  return THTensor_(reduceAll)(TH_REDUCE_var, self, !biased);
}

accreal THTensor_(stdall)(THTensor *self, int biased)
{
  THTensor_(checkNotEmpty)(self);
  return THTensor_(reduceAll)(TH_REDUCE_std, self, !biased);
}

static THReductionName THTensor_(normOf)(real value)
{
  if (value == 0)
    return TH_REDUCE_norm0;
  if (value == 1)
    return TH_REDUCE_norm1;
  if (value == 2)
    return TH_REDUCE_norm2;
  if (isinf(value))
    return value > 0 ? TH_REDUCE_normMax : TH_REDUCE_normMin;
  return TH_REDUCE_normP;
}

accreal THTensor_(normall)(THTensor *t, real value)
{
  if (THTensor_(nElement)(t) == 0)
    return 0;
  return THTensor_(reduceAll)(THTensor_(normOf)(value), t, value);
}

void THTensor_(mean)(THTensor *r_, THTensor *t, int dimension, int keepdim)
{
  THTensor_(reduceDim)(TH_REDUCE_mean, r_, NULL, t, dimension, 3, keepdim, 0);
}

void THTensor_(std)(THTensor *r_, THTensor *t, int dimension, int biased, int keepdim)
{
  THTensor_(reduceDim)(TH_REDUCE_std, r_, NULL, t, dimension, 3, keepdim, !biased);
}

void THTensor_(var)(THTensor *r_, THTensor *t, int dimension, int biased, int keepdim)
{
  THTensor_(reduceDim)(TH_REDUCE_var, r_, NULL, t, dimension, 3, keepdim, !biased);
}

void THTensor_(norm)(THTensor *r_, THTensor *t, real value, int dimension, int keepdim)
{
  THTensor_(reduceDim)(THTensor_(normOf)(value), r_, NULL, t, dimension, 4, keepdim, value);
}

#endif
