/* Functions with indices and masks when memory runs out: every allocation of every function fails
 * in turn, and results and operands are as they were. */
#include "THTemplate.h"

#include "index_tensors.h"
#include "th_faults.h"

typedef struct Operands {
  THTensor *t, *across;   /* 10 x 10; across is t, transposed */
  THTensor *r;            /* has to grow */
  THTensor *other;        /* 5 x 20 */
  THTensor *deep, *rDeep; /* more dimensions than fit inside a tensor */
  THTensor *few;          /* 10 x 5 x 2: slices in another shape */
  THTensor *free;         /* 10 x 10, of its own */
  THLongTensor *vector, *two, *index, *flat, *subscript, *deepIndex;
  THByteTensor *mask;
} Operands;

static void set_up(Operands *o)
{
  th_random random = {th_seed()};
  o->t = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(10, 10));
  o->across = THTensor_(newTranspose)(o->t, 0, 1);
  o->r = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2));
  o->other = THTest_(tensor)(TH_STRIDED, 6, TH_SHAPE(5, 20));
  o->free = THTest_(tensor)(TH_STRIDED, 8, TH_SHAPE(10, 10));
  o->few = THTest_(tensor)(TH_PERMUTED, 6, TH_SHAPE(10, 5, 2));
  o->deep = THTest_(tensor)(TH_TRANSPOSED, 7, TH_SHAPE(2, 1, 3, 2, 1, 2, 2));
  o->rDeep = THTest_(tensor)(TH_CONTIGUOUS, 7, TH_SHAPE(2, 1, 3, 2, 1, 2, 2));
  o->vector = new_indices(TH_STRIDED, &random, TH_INDEX_BASE, 10, TH_SHAPE(10));
  o->two = new_indices(TH_STRIDED, &random, TH_INDEX_BASE, 2, TH_SHAPE(2));
  o->index = new_indices(TH_TRANSPOSED, &random, TH_INDEX_BASE, 10, TH_SHAPE(10, 10));
  o->flat = new_indices(TH_TRANSPOSED, &random, -100, 100, TH_SHAPE(10, 10));
  o->deepIndex =
      new_indices(TH_CONTIGUOUS, &random, TH_INDEX_BASE, 2, TH_SHAPE(2, 1, 3, 2, 1, 2, 2));
  o->subscript = THLongTensor_newWithSize1d(2);
  THLongTensor_fill(o->subscript, -7);
  o->mask = new_mask(TH_STRIDED, &random, 9, TH_SHAPE(10, 10));
  WATCH(o->t);
  WATCH(o->across);
  WATCH(o->r);
  WATCH(o->other);
  WATCH(o->few);
  WATCH(o->free);
  WATCH(o->deep);
  WATCH(o->rDeep);
  WATCH(o->vector);
  WATCH(o->two);
  WATCH(o->index);
  WATCH(o->flat);
  WATCH(o->deepIndex);
  WATCH(o->subscript);
  WATCH(o->mask);
}

static void tear_down(Operands *o)
{
  THTensor_(free)(o->across);
  THTensor_(free)(o->t);
  THTensor_(free)(o->r);
  THTensor_(free)(o->other);
  THTensor_(free)(o->few);
  THTensor_(free)(o->free);
  THTensor_(free)(o->deep);
  THTensor_(free)(o->rDeep);
  THLongTensor_free(o->vector);
  THLongTensor_free(o->two);
  THLongTensor_free(o->index);
  THLongTensor_free(o->flat);
  THLongTensor_free(o->deepIndex);
  THLongTensor_free(o->subscript);
  THByteTensor_free(o->mask);
}

FAULT(indexSelect, THTensor_(indexSelect)(o->r, o->t, 1, o->vector))
FAULT(indexSelectSelf, THTensor_(indexSelect)(o->t, o->t, 0, o->vector))
FAULT(indexCopyAcross, THTensor_(indexCopy)(o->t, 0, o->vector, o->across))
FAULT(indexCopyShape, THTensor_(indexCopy)(o->t, 0, o->vector, o->few))
FAULT(indexAddAcross, THTensor_(indexAdd)(o->t, 1, o->vector, o->across))
CALM(indexAdd, THTensor_(indexAdd)(o->t, 1, o->vector, o->free))
CALM(indexFill, THTensor_(indexFill)(o->t, 1, o->vector, v))
FAULT(indexFillDeep, THTensor_(indexFill)(o->deep, 2, o->two, v))
FAULT(gather, THTensor_(gather)(o->r, o->t, 1, o->index))
FAULT(gatherSelf, THTensor_(gather)(o->t, o->t, 0, o->index))
FAULT(gatherDeep, THTensor_(gather)(o->rDeep, o->deep, 3, o->deepIndex))
CALM(scatter, THTensor_(scatter)(o->t, 0, o->index, o->free))
FAULT(scatterAcross, THTensor_(scatter)(o->t, 0, o->index, o->across))
FAULT(scatterAddAcross, THTensor_(scatterAdd)(o->t, 1, o->index, o->t))
FAULT(scatterAddDeep, THTensor_(scatterAdd)(o->deep, 2, o->deepIndex, o->rDeep))
CALM(scatterFill, THTensor_(scatterFill)(o->t, 1, o->index, v))
FAULT(take, THTensor_(take)(o->r, o->t, o->flat))
FAULT(takeSelf, THTensor_(take)(o->t, o->t, o->flat))
CALM(put, THTensor_(put)(o->t, o->flat, o->other, 0))
FAULT(putSelf, THTensor_(put)(o->t, o->flat, o->across, 1))
CALM(maskedFill, THTensor_(maskedFill)(o->t, o->mask, v))
FAULT(maskedCopy, THTensor_(maskedCopy)(o->t, o->mask, o->other))
FAULT(maskedCopySelf, THTensor_(maskedCopy)(o->t, o->mask, o->across))
FAULT(maskedSelect, THTensor_(maskedSelect)(o->r, o->t, o->mask))
FAULT(maskedSelectSelf, THTensor_(maskedSelect)(o->t, o->t, o->mask))
FAULT(nonzero, THTensor_(nonzero)(o->subscript, o->t))

#if defined(TH_REAL_IS_LONG)
FAULT(nonzeroSelf, THTensor_(nonzero)(o->t, o->t))
FAULT(indexCopyIndices, THTensor_(indexFill)(o->vector, 0, o->vector, v))
#elif defined(TH_REAL_IS_BYTE)
FAULT(maskedCopyMask, THTensor_(maskedCopy)(o->mask, o->mask, o->other))
#elif defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
FAULT(dirichlet_grad, THTensor_(dirichlet_grad)(o->r, o->t, o->across, o->other))
FAULT(dirichlet_gradAcross, THTensor_(dirichlet_grad)(o->t, o->t, o->across, o->other))
#endif

RAISES(badIndex, THTensor_(indexFill)(o->t, 1, o->subscript, v))
RAISES(badFlat, THTensor_(take)(o->r, o->r, o->flat))
RAISES(badMask, THTensor_(maskedFill)(o->r, o->mask, v))

TH_FAULT_TESTS(indexFaults)
