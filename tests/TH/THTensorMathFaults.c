/* Pointwise operations and tensors made from a rule when memory runs out: every allocation of every
 * function fails in turn, and the result and the inputs are as they were. */
#include "THTemplate.h"

#include "th_fail.h"
#include "th_layouts.h"

typedef struct THTest_(Operands)
{
  THTensor *x, *y, *across; /* 40 x 3; across is the memory of x as 3 x 40 */
  THTensor *r;              /* 2 x 2, to be resized */
  THByteTensor *bytes;      /* 2 x 2 */
  THTensor *vector;         /* 20 */
  THLongStorage *size;      /* 2 x 60 */
  real *values;
}
THTest_(Operands);

static THTest_(Operands) THTest_(on);

static void THTest_(setUp)(void *unused)
{
  THTest_(Operands) *on = &THTest_(on);
  on->x = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(40, 3));
  on->y = THTest_(tensor)(TH_STRIDED, 5, TH_SHAPE(40, 3));
  on->across = THTensor_(newTranspose)(on->x, 0, 1);
  on->r = THTest_(tensor)(TH_CONTIGUOUS, 6, TH_SHAPE(2, 2));
  on->bytes = THByteTensor_newWithSize2d(2, 2);
  on->vector = THTest_(tensor)(TH_STRIDED, 7, TH_SHAPE(20));
  on->size = THLongStorage_newWithSize2(2, 60);
  on->values = THTest_(values)(on->x);
}

static void THTest_(tearDown)(void *unused)
{
  THTest_(Operands) *on = &THTest_(on);
  THTensor_(free)(on->x);
  THTensor_(free)(on->y);
  THTensor_(free)(on->across);
  THTensor_(free)(on->r);
  THByteTensor_free(on->bytes);
  THTensor_(free)(on->vector);
  THLongStorage_free(on->size);
  free(on->values);
}

static void THTest_(checkOperands)(void *unused, int raised)
{
  THTest_(Operands) *on = &THTest_(on);
  if (!raised)
    return;
  CHECK_VALUES(on->x, on->values);
  CHECK_EQ(on->x->storage->refcount, 2);
  CHECK_EQ(on->r->nDimension, 2);
  CHECK_EQ(on->r->size[0], 2);
  CHECK_EQ(on->r->storage->size, 4);
  for (int i = 0; i < 4; i++)
    CHECK_EQ(*THTest_(at)(on->r, i), THTest_(value)(6, i));
  CHECK_EQ(on->bytes->size[1], 2);
  CHECK_EQ(on->bytes->storage->size, 4);
}

/* FAULT(name, statement): the statement may use o, the operands, and v, a value. */
#define FAULTS(FAULT)                                                     \
  FAULT(neg, THTensor_(neg)(o->r, o->x))                                  \
  FAULT(add, THTensor_(add)(o->r, o->x, v))                               \
  FAULT(clamp, THTensor_(clamp)(o->r, o->x, v, v))                        \
  FAULT(cadd, THTensor_(cadd)(o->r, o->x, v, o->y))                       \
  FAULT(caddInPlace, THTensor_(cadd)(o->x, o->x, v, o->across))           \
  FAULT(cmulAcross, THTensor_(cmul)(o->x, o->across, o->across))          \
  FAULT(cdiv, THTensor_(cdiv)(o->r, o->x, o->y))                          \
  FAULT(addcmul, THTensor_(addcmul)(o->x, o->across, v, o->across, o->y)) \
  FAULT(ltValue, THTensor_(ltValue)(o->bytes, o->x, v))                   \
  FAULT(ltTensor, THTensor_(ltTensor)(o->bytes, o->x, o->y))              \
  FAULT(eqTensorT, THTensor_(eqTensorT)(o->r, o->x, o->y))                \
  FAULT(zeros, THTensor_(zeros)(o->r, o->size))                           \
  FAULT(onesLike, THTensor_(onesLike)(o->r, o->x))                        \
  FAULT(eye, THTensor_(eye)(o->r, 15, 16))                                \
  FAULT(arange, THTensor_(arange)(o->r, 0, 100, 1))                       \
  FAULT(diagMatrix, THTensor_(diag)(o->r, o->vector, 1))                  \
  FAULT(diagVector, THTensor_(diag)(o->r, o->x, 1))                       \
  FAULT(tril, THTensor_(tril)(o->r, o->x, 0))                             \
  FAULT(reshape, THTensor_(reshape)(o->r, o->x, o->size))                 \
  FAULT(cat, THTensor_(cat)(o->r, o->x, o->y, 0))                         \
  FAULT(catInto, THTensor_(cat)(o->r, o->r, o->r, 0))                     \
  FAULT(cross, THTensor_(cross)(o->r, o->x, o->y, 1))                     \
  FAULT(match, THTensor_(match)(o->r, o->x, o->y, v))

#define FAULT_BODY(name, ...)                      \
  static void THTest_(fault_##name)(void *unused)  \
  {                                                \
    THTest_(Operands) *const o = &THTest_(on);     \
    TH_UNUSED const real v = THTest_(value)(1, 1); \
    __VA_ARGS__;                                   \
  }
FAULTS(FAULT_BODY)

static void THTest_(mathFaults)(void)
{
  static const struct {
    const char *name;
    void (*body)(void *unused);
  } faults[] = {
#define FAULT_ENTRY(name, ...) {#name, THTest_(fault_##name)},
      FAULTS(FAULT_ENTRY)};
  for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
    th_note("%s", faults[k].name);
    const THFailCase stages = {THTest_(setUp), faults[k].body, THTest_(checkOperands),
                               THTest_(tearDown)};
    CHECK(th_fail(&stages, NULL) > 0);
  }
}

TH_TESTS(THTest_(mathFaults))
