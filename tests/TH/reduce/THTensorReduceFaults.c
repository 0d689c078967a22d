/* Reductions, scans and sorts when memory runs out: every allocation of every function fails in
 * turn, and results and operands are as they were. */
#include "THTemplate.h"

#include "th_faults.h"

typedef struct Operands {
  THTensor *t; /* 100 x 80 */
  THTensor *r; /* r and indices have to grow */
  THLongTensor *indices;
  THTensor *wide; /* 1 x 65 blocks, all the same element: partial results need memory */
} Operands;

static void set_up(Operands *o)
{
  o->t = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(100, 80));
  o->r = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2));
  o->indices = THLongTensor_newWithSize1d(2);
  THLongTensor_fill(o->indices, -7);
  o->wide = THTest_(tensor)(TH_EXPANDED_LAST, 6, TH_SHAPE(1, 65 << 15));
  WATCH(o->t);
  WATCH(o->r);
  WATCH(o->indices);
}

static void tear_down(Operands *o)
{
  THTensor_(free)(o->r);
  THTensor_(free)(o->t);
  THTensor_(free)(o->wide);
  THLongTensor_free(o->indices);
}

/* Along either dimension, into another tensor and into t itself. */
#define ALONG(NAME, ...)                                                 \
  FAULT(NAME##0, THTensor *r = o->r; const int dim = 0; __VA_ARGS__)     \
  FAULT(NAME##1, THTensor *r = o->r; const int dim = 1; __VA_ARGS__)     \
  FAULT(NAME##Self0, THTensor *r = o->t; const int dim = 0; __VA_ARGS__) \
  FAULT(NAME##Self1, THTensor *r = o->t; const int dim = 1; __VA_ARGS__)

ALONG(sum, THTensor_(sum)(r, o->t, dim, 0))
ALONG(prod, THTensor_(prod)(r, o->t, dim, 0))
ALONG(max, THTensor_(max)(r, o->indices, o->t, dim, 1))
ALONG(min, THTensor_(min)(r, o->indices, o->t, dim, 0))
ALONG(amax, THTensor_(amax)(r, o->t, dim, 0))
ALONG(amin, THTensor_(amin)(r, o->t, dim, 1))
ALONG(sort, THTensor_(sort)(r, o->indices, o->t, dim, 0))
ALONG(topk, THTensor_(topk)(r, o->indices, o->t, 3, dim, 1, 1))
ALONG(kthvalue, THTensor_(kthvalue)(r, o->indices, o->t, 2, dim, 0))
ALONG(median, THTensor_(median)(r, o->indices, o->t, dim, 0))
ALONG(mode, THTensor_(mode)(r, o->indices, o->t, dim, 0))
FAULT(cumsum, THTensor_(cumsum)(o->r, o->t, 1))
CALM(cumsumSelf, THTensor_(cumsum)(o->t, o->t, 0))
FAULT(cumprod, THTensor_(cumprod)(o->r, o->t, 1))
CALM(cumprodSelf, THTensor_(cumprod)(o->t, o->t, 0))
FAULT(sumLong, THTensor_(sum)(o->r, o->wide, 1, 0))
FAULT(maxLong, THTensor_(max)(o->r, o->indices, o->wide, 1, 0))
FAULT(sumall, THTensor_(sumall)(o->wide))
FAULT(prodall, THTensor_(prodall)(o->wide))
FAULT(maxall, THTensor_(maxall)(o->wide))
FAULT(minall, THTensor_(minall)(o->wide))
FAULT(medianall, THTensor_(medianall)(o->t))
CALM(trace, THTensor_(trace)(o->t))
CALM(equal, THTensor_(equal)(o->t, o->t))
CALM(equalNot, THTensor_(equal)(o->t, o->r))
CALM(numel, THTensor_(numel)(o->t))
CALM(preserve, THTensor_(preserveReduceDimSemantics)(o->r, 2, 0, 1))

#if defined(TH_REAL_IS_BYTE)
FAULT(logicalall, THTensor_(logicalall)(o->wide))
FAULT(logicalany, THTensor_(logicalany)(o->wide))
#endif

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
ALONG(mean, THTensor_(mean)(r, o->t, dim, 0))
ALONG(std, THTensor_(std)(r, o->t, dim, 0, 0))
ALONG(var, THTensor_(var)(r, o->t, dim, 0, 0))
ALONG(norm, THTensor_(norm)(r, o->t, 2, dim, 0))
ALONG(renorm, THTensor_(renorm)(r, o->t, 2, dim, 1))
ALONG(histc, (void)dim; THTensor_(histc)(r, o->t, 50, -8, 8))
ALONG(bhistc, (void)dim; THTensor_(bhistc)(r, o->t, 50, -8, 8))
FAULT(meanall, THTensor_(meanall)(o->wide))
FAULT(varall, THTensor_(varall)(o->wide, 0))
FAULT(stdall, THTensor_(stdall)(o->wide, 0))
FAULT(normall, THTensor_(normall)(o->wide, 2))
FAULT(dist, THTensor_(dist)(o->t, o->t, 2))
#endif

TH_FAULT_TESTS(reduceFaults)
