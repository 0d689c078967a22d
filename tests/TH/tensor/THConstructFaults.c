/* Tensors made from a rule, and tensors joined, when memory runs out: every allocation of every
 * function fails in turn, and the result and the inputs are as they were. */
#include "THTemplate.h"

#include "th_faults.h"

typedef struct Operands {
  THTensor *x, *y, *across; /* 40 x 3; across is the memory of x as 3 x 40 */
  THTensor *r;              /* 2 x 2, to be resized */
  THTensor *vector;         /* 20 */
  THLongStorage *size;      /* 2 x 60 */
} Operands;

static void set_up(Operands *o)
{
  o->x = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(40, 3));
  o->y = THTest_(tensor)(TH_STRIDED, 5, TH_SHAPE(40, 3));
  o->across = THTensor_(newTranspose)(o->x, 0, 1);
  o->r = THTest_(tensor)(TH_CONTIGUOUS, 6, TH_SHAPE(2, 2));
  o->vector = THTest_(tensor)(TH_STRIDED, 7, TH_SHAPE(20));
  o->size = THLongStorage_newWithSize2(2, 60);
  WATCH(o->x);
  WATCH(o->y);
  WATCH(o->across);
  WATCH(o->r);
  WATCH(o->vector);
}

static void tear_down(Operands *o)
{
  THTensor_(free)(o->x);
  THTensor_(free)(o->y);
  THTensor_(free)(o->across);
  THTensor_(free)(o->r);
  THTensor_(free)(o->vector);
  THLongStorage_free(o->size);
}

FAULT(zeros, THTensor_(zeros)(o->r, o->size))
FAULT(onesLike, THTensor_(onesLike)(o->r, o->x))
FAULT(eye, THTensor_(eye)(o->r, 15, 16))
FAULT(arange, THTensor_(arange)(o->r, 0, 100, 1))
FAULT(diagMatrix, THTensor_(diag)(o->r, o->vector, 1))
FAULT(diagVector, THTensor_(diag)(o->r, o->x, 1))
FAULT(tril, THTensor_(tril)(o->r, o->x, 0))
FAULT(reshape, THTensor_(reshape)(o->r, o->x, o->size))
FAULT(cat, THTensor_(cat)(o->r, o->x, o->y, 0))
FAULT(catInto, THTensor_(cat)(o->r, o->r, o->r, 0))
FAULT(cross, THTensor_(cross)(o->r, o->x, o->y, 1))
FAULT(match, THTensor_(match)(o->r, o->x, o->y, v))
FAULT(ones, THTensor_(ones)(o->r, o->size))
FAULT(zerosLike, THTensor_(zerosLike)(o->r, o->x))
FAULT(range, THTensor_(range)(o->r, 0, 100, 1))
FAULT(triu, THTensor_(triu)(o->r, o->x, 0))
FAULT(triuAcross, THTensor_(triu)(o->x, o->across, 0))
FAULT(catArray, THTensor_(catArray)(o->r, (THTensor *[]){o->x, o->y, o->x}, 3, 1))
FAULT(crossAcross, THTensor_(cross)(o->x, o->across, o->across, 0))
FAULT(matchInto, THTensor_(match)(o->x, o->x, o->y, v))
RAISES(catOther, THTensor_(cat)(o->r, o->x, o->across, 0))

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
FAULT(linspace, THTensor_(linspace)(o->r, 0, 1, 100))
FAULT(logspace, THTensor_(logspace)(o->r, 0, 1, 100))
#endif

TH_FAULT_TESTS(constructFaults)
