/* Pointwise operations and tensors made from a rule when memory runs out: every allocation of every
 * function fails in turn, and the result and the inputs are as they were. */
#include "THTemplate.h"

#include "th_faults.h"

typedef struct Operands {
  THTensor *x, *y, *across; /* 40 x 3; across is the memory of x as 3 x 40 */
  THTensor *r;              /* 2 x 2, to be resized */
  THByteTensor *bytes;      /* 2 x 2 */
  THTensor *vector;         /* 20 */
  THLongStorage *size;      /* 2 x 60 */
} Operands;

static void set_up(Operands *o)
{
  o->x = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(40, 3));
  o->y = THTest_(tensor)(TH_STRIDED, 5, TH_SHAPE(40, 3));
  o->across = THTensor_(newTranspose)(o->x, 0, 1);
  o->r = THTest_(tensor)(TH_CONTIGUOUS, 6, TH_SHAPE(2, 2));
  o->bytes = THByteTensor_newWithSize2d(2, 2);
  memset(o->bytes->storage->data, 7, 4);
  o->vector = THTest_(tensor)(TH_STRIDED, 7, TH_SHAPE(20));
  o->size = THLongStorage_newWithSize2(2, 60);
  WATCH(o->x);
  WATCH(o->y);
  WATCH(o->across);
  WATCH(o->r);
  WATCH(o->bytes);
  WATCH(o->vector);
}

static void tear_down(Operands *o)
{
  THTensor_(free)(o->x);
  THTensor_(free)(o->y);
  THTensor_(free)(o->across);
  THTensor_(free)(o->r);
  THByteTensor_free(o->bytes);
  THTensor_(free)(o->vector);
  THLongStorage_free(o->size);
}

FAULT(neg, THTensor_(neg)(o->r, o->x))
FAULT(add, THTensor_(add)(o->r, o->x, v))
FAULT(clamp, THTensor_(clamp)(o->r, o->x, v, v))
FAULT(cadd, THTensor_(cadd)(o->r, o->x, v, o->y))
FAULT(caddInPlace, THTensor_(cadd)(o->x, o->x, v, o->across))
FAULT(cmulAcross, THTensor_(cmul)(o->x, o->across, o->across))
FAULT(cdiv, THTensor_(cdiv)(o->r, o->x, o->y))
FAULT(addcmul, THTensor_(addcmul)(o->x, o->across, v, o->across, o->y))
FAULT(ltValue, THTensor_(ltValue)(o->bytes, o->x, v))
FAULT(ltTensor, THTensor_(ltTensor)(o->bytes, o->x, o->y))
FAULT(eqTensorT, THTensor_(eqTensorT)(o->r, o->x, o->y))
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

TH_FAULT_TESTS(mathFaults)
