/* Reductions, scans and sorts when memory runs out: every allocation of every function fails in
 * turn, and results and operands are as they were. */
#include "THTemplate.h"

#include "th_fail.h"
#include "th_layouts.h"

/* t is large enough for partial results to need memory; r and indices have to grow. */
typedef struct THTest_(Operands)
{
  int function, dim, aliased;
  THTensor *t, *r;
  THLongTensor *indices;
  real *values;
}
THTest_(Operands);

static THTest_(Operands) THTest_(on);

static void THTest_(setUp)(void *unused)
{
  THTest_(Operands) *on = &THTest_(on);
  on->t = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(3, 40000));
  on->r = on->aliased ? on->t : THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2));
  on->indices = THLongTensor_newWithSize1d(2);
  on->indices->storage->data[1] = -7;
  on->values = THTest_(values)(on->t);
}

static void THTest_(tearDown)(void *unused)
{
  THTest_(Operands) *on = &THTest_(on);
  if (!on->aliased)
    THTensor_(free)(on->r);
  THTensor_(free)(on->t);
  THLongTensor_free(on->indices);
  free(on->values);
}

static int THTest_(call)(void)
{
  THTest_(Operands) *on = &THTest_(on);
  THTensor *t = on->t, *r = on->r;
  switch (on->function) {
    case 0:
      THTensor_(sum)(r, t, on->dim, 0);
      return 1;
    case 1:
      THTensor_(max)(r, on->indices, t, on->dim, 1);
      return 1;
    case 2:
      THTensor_(sort)(r, on->indices, t, on->dim, 0);
      return 1;
    case 3:
      THTensor_(topk)(r, on->indices, t, 3, on->dim, 1, 1);
      return 1;
    case 4:
      THTensor_(kthvalue)(r, on->indices, t, 2, on->dim, 0);
      return 1;
    case 5:
      THTensor_(median)(r, on->indices, t, on->dim, 0);
      return 1;
    case 6:
      THTensor_(mode)(r, on->indices, t, on->dim, 0);
      return 1;
    case 7:
      THTensor_(cumsum)(r, t, on->dim);
      return 1;
    case 8:
      THTensor_(sumall)(t);
      return 1;
    case 9:
      THTensor_(medianall)(t);
      return 1;
    case 10:
      THTensor_(equal)(t, r);
      return 1;
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
    case 11:
      THTensor_(var)(r, t, on->dim, 0, 0);
      return 1;
    case 12:
      THTensor_(renorm)(r, t, 2, on->dim, 1);
      return 1;
    case 13:
      THTensor_(histc)(r, t, 50, -8, 8);
      return 1;
    case 14:
      THTensor_(bhistc)(r, t, 50, -8, 8);
      return 1;
    case 15:
      THTensor_(dist)(t, t, 2);
      return 1;
#endif
    default:
      return 0;
  }
}

static void THTest_(body)(void *unused)
{
  THTest_(call)();
}

static void THTest_(check)(void *unused, int raised)
{
  THTest_(Operands) *on = &THTest_(on);
  if (!raised)
    return;
  CHECK(on->t->nDimension == 2 && on->t->size[0] == 3 && on->t->size[1] == 40000);
  CHECK(on->t->stride[0] == 1 && on->t->stride[1] == 3);
  CHECK_EQ(on->t->storage->size, (ptrdiff_t)120000);
  for (ptrdiff_t i = 0; i < 120000; i += 997)
    CHECK_EQ(*THTest_(at)(on->t, i), on->values[i]);
  if (!on->aliased) {
    CHECK(on->r->nDimension == 1 && on->r->size[0] == 2);
    CHECK_EQ(on->r->storage->size, (ptrdiff_t)2);
    CHECK_EQ(*THTest_(at)(on->r, 1), THTest_(value)(5, 1));
  }
  CHECK(on->indices->nDimension == 1 && on->indices->size[0] == 2);
  CHECK_EQ(on->indices->storage->size, (ptrdiff_t)2);
  CHECK_EQ(on->indices->storage->data[1], (int64_t)-7);
}

static void THTest_(reduceFaults)(void)
{
  static const THFailCase stages = {THTest_(setUp), THTest_(body), THTest_(check),
                                    THTest_(tearDown)};
  for (int f = 0; f < 16; f++)
    for (int aliased = 0; aliased < 2; aliased++)
      for (int dim = 0; dim < 2; dim++) {
        THTest_(on) = (THTest_(Operands)){.function = f, .dim = dim, .aliased = aliased};
        th_note("function %d, dimension %d, aliased %d", f, dim, aliased);
        th_fail(&stages, NULL);
      }
}

TH_TESTS(THTest_(reduceFaults))
