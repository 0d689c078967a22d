/* Views against a reference that knows no strides: a list of which storage element each element is.
 */
#include "THTensorShape.h"

#include "THTemplate.h"

#include "th_layouts.h"

/* --- the reference --------------------------------------------------------------------------- */

enum { MOST_DIMS = 8, MOST_ELEMENTS = 4096 };

typedef struct Reference {
  int dims;
  int64_t size[MOST_DIMS];
  ptrdiff_t offset[MOST_ELEMENTS]; /* in the storage, in row-major order */
} Reference;

static ptrdiff_t count_of(int dims, const int64_t *size)
{
  ptrdiff_t count = dims > 0;
  for (int d = 0; d < dims; d++)
    count *= size[d];
  return count;
}

static void index_of(ptrdiff_t element, int dims, const int64_t *size, int64_t *x)
{
  for (int d = dims - 1; d >= 0; d--) {
    x[d] = element % size[d];
    element /= size[d];
  }
}

static ptrdiff_t offset_at(const Reference *r, const int64_t *x)
{
  ptrdiff_t element = 0;
  for (int d = 0; d < r->dims; d++)
    element = element * r->size[d] + x[d];
  return r->offset[element];
}

typedef enum {
  NARROW,
  SELECT,
  TRANSPOSE,
  UNFOLD,
  SQUEEZE,
  SQUEEZE1D,
  UNSQUEEZE,
  EXPAND,
  VIEWS
} View;

/* One view: what, and its arguments. */
typedef struct Step {
  View view;
  int dim;
  int64_t a, b;
} Step;

/* The sizes after a step; 0 where the step is none that this tensor can take. */
static int sizes_after(const Reference *from, const Step *step, Reference *to)
{
  const int d = step->dim;
  *to = *from;
  switch (step->view) {
    case NARROW:
      to->size[d] = step->b;
      return step->a + step->b <= from->size[d];
    case SELECT:
      for (int e = d; e + 1 < from->dims; e++)
        to->size[e] = from->size[e + 1];
      to->dims--;
      return from->dims > 1 && step->a < from->size[d];
    case TRANSPOSE:
      to->size[d] = from->size[step->a];
      to->size[step->a] = from->size[d];
      return 1;
    case UNFOLD:
      if (step->a > from->size[d] || from->dims == MOST_DIMS)
        return 0;
      to->size[d] = 0;
      for (int64_t start = 0; start + step->a <= from->size[d]; start += step->b)
        to->size[d]++;
      to->size[to->dims++] = step->a;
      return 1;
    case SQUEEZE:
      to->dims = 0;
      for (int e = 0; e < from->dims; e++)
        if (from->size[e] != 1)
          to->size[to->dims++] = from->size[e];
      if (to->dims == 0)
        to->size[to->dims++] = 1;
      return 1;
    case SQUEEZE1D:
      if (from->size[d] == 1 && from->dims > 1) {
        for (int e = d; e + 1 < from->dims; e++)
          to->size[e] = from->size[e + 1];
        to->dims--;
      }
      return 1;
    case UNSQUEEZE:
      if (from->dims == MOST_DIMS)
        return 0;
      for (int e = from->dims; e > d; e--)
        to->size[e] = from->size[e - 1];
      to->size[d] = 1;
      to->dims++;
      return 1;
    default: /* EXPAND: dimension d */
      to->size[d] = step->a;
      return from->size[d] == 1;
  }
}

/* The element of from that element x of to is. */
static void element_before(const Reference *from, const Step *step, const int64_t *x, int64_t *y)
{
  const int d = step->dim;
  int k = 0;
  memcpy(y, x, MOST_DIMS * sizeof *y);
  switch (step->view) {
    case NARROW:
      y[d] = x[d] + step->a;
      break;
    case SELECT:
      for (int e = 0; e < from->dims; e++)
        y[e] = e == d ? step->a : x[k++];
      break;
    case TRANSPOSE:
      y[d] = x[step->a];
      y[step->a] = x[d];
      break;
    case UNFOLD:
      y[d] = x[d] * step->b + x[from->dims];
      break;
    case SQUEEZE:
      for (int e = 0; e < from->dims; e++)
        y[e] = from->size[e] == 1 ? 0 : x[k++];
      break;
    case SQUEEZE1D:
      if (from->size[d] == 1 && from->dims > 1)
        for (int e = 0; e < from->dims; e++)
          y[e] = e == d ? 0 : x[k++];
      break;
    case UNSQUEEZE:
      for (int e = 0; e < from->dims; e++)
        y[e] = x[e + (e >= d)];
      break;
    default:
      y[d] = 0;
  }
}

static int reference_step(Reference *r, const Step *step)
{
  static Reference to;
  if (!sizes_after(r, step, &to) || count_of(to.dims, to.size) > MOST_ELEMENTS)
    return 0;
  for (ptrdiff_t i = 0; i < count_of(to.dims, to.size); i++) {
    int64_t x[MOST_DIMS], y[MOST_DIMS];
    index_of(i, to.dims, to.size, x);
    element_before(r, step, x, y);
    to.offset[i] = offset_at(r, y);
  }
  *r = to;
  return 1;
}

/* --- the code under test --------------------------------------------------------------------- */

static THLongStorage *THTest_(expandedSizes)(THTensor *t, const Step *step)
{
  THLongStorage *sizes = THTensor_(newSizeOf)(t);
  sizes->data[step->dim] = step->a;
  return sizes;
}

static void THTest_(step)(THTensor *self, THTensor *src, const Step *step)
{
  THLongStorage *sizes;
  switch (step->view) {
    case NARROW:
      THTensor_(narrow)(self, src, step->dim, step->a, step->b);
      break;
    case SELECT:
      THTensor_(select)(self, src, step->dim, step->a);
      break;
    case TRANSPOSE:
      THTensor_(transpose)(self, src, step->dim, (int)step->a);
      break;
    case UNFOLD:
      THTensor_(unfold)(self, src, step->dim, step->a, step->b);
      break;
    case SQUEEZE:
      THTensor_(squeeze)(self, src);
      break;
    case SQUEEZE1D:
      THTensor_(squeeze1d)(self, src, step->dim);
      break;
    case UNSQUEEZE:
      THTensor_(unsqueeze1d)(self, src, step->dim);
      break;
    default:
      sizes = THTest_(expandedSizes)(src ? src : self, step);
      THTensor_(expand)(self, src ? src : self, sizes);
      THLongStorage_free(sizes);
  }
}

/* The form that makes a new tensor, where there is one. */
static THTensor *THTest_(newStep)(THTensor *src, const Step *step)
{
  THTensor *view = NULL;
  THLongStorage *sizes;
  switch (step->view) {
    case NARROW:
      return THTensor_(newNarrow)(src, step->dim, step->a, step->b);
    case SELECT:
      return THTensor_(newSelect)(src, step->dim, step->a);
    case TRANSPOSE:
      return THTensor_(newTranspose)(src, step->dim, (int)step->a);
    case UNFOLD:
      return THTensor_(newUnfold)(src, step->dim, step->a, step->b);
    case EXPAND:
      sizes = THTest_(expandedSizes)(src, step);
      view = THTensor_(newExpand)(src, sizes);
      THLongStorage_free(sizes);
      return view;
    default:
      view = THTensor_(new)();
      THTest_(step)(view, src, step);
      return view;
  }
}

static void THTest_(checkView)(THTensor *t, const Reference *r)
{
  CHECK_EQ(t->nDimension, r->dims);
  for (int d = 0; d < r->dims; d++)
    CHECK_EQ(t->size[d], r->size[d]);
  CHECK_EQ(THTensor_(nElement)(t), count_of(r->dims, r->size));
  for (ptrdiff_t i = 0; i < count_of(r->dims, r->size); i++)
    CHECK_EQ((int64_t)(THTest_(at)(t, i) - t->storage->data), (int64_t)r->offset[i]);
}

static Step random_step(th_random *random, const Reference *r)
{
  Step step = {.view = (View)th_random_below(random, VIEWS)};
  step.dim = (int)th_random_below(random, r->dims);
  step.a = th_random_below(random, 5);
  step.b = 1 + th_random_below(random, 3);
  if (step.view == TRANSPOSE)
    step.a = th_random_below(random, r->dims);
  if (step.view == UNFOLD)
    step.a = 1 + step.a;
  if (step.view == UNSQUEEZE)
    step.dim = (int)th_random_below(random, r->dims + 1);
  if (step.view == EXPAND)
    step.a = 1 + th_random_below(random, 4);
  return step;
}

/* Random chains of views of random shapes up to six dimensions, in place and as new tensors. */
static void THTest_(views)(void)
{
  th_random random = {th_seed()};
  static Reference r;
  for (int trial = 0; trial < 150; trial++) {
    r.dims = 1 + (int)th_random_below(&random, 6);
    for (int d = 0; d < r.dims; d++)
      r.size[d] = 1 + th_random_below(&random, 4);
    const ptrdiff_t count = count_of(r.dims, r.size);
    THStorage *storage = THStorage_(newWithSize)(count);
    for (ptrdiff_t i = 0; i < count; i++)
      r.offset[i] = i;
    THTensor *t = THTensor_(new)();
    THTensor_(setStorageNd)(t, storage, 0, r.dims, r.size, NULL);

    for (int k = 0; k < 6; k++) {
      const Step step = random_step(&random, &r);
      if (!reference_step(&r, &step))
        continue;
      th_note("trial %d, step %d: view %d of dimension %d, %d, %d", trial, k, (int)step.view,
              step.dim, (int)step.a, (int)step.b);
      THTensor *view = THTest_(newStep)(t, &step);
      THTest_(checkView)(view, &r);
      CHECK(view->storage == storage);
      if (k % 2) {
        THTest_(step)(t, NULL, &step); /* NULL: of itself */
        THTest_(checkView)(t, &r);
        THTensor_(free)(view);
      } else {
        THTensor_(free)(t);
        t = view;
      }
    }
    CHECK_EQ(storage->refcount, 2);
    THTensor_(free)(t);
    THStorage_(free)(storage);
  }
}

static void THTest_(setAndIsSetTo)(void)
{
  THTensor *a = THTest_(tensor)(TH_TRANSPOSED, 3, TH_SHAPE(4, 3, 2));
  THTensor *b = THTensor_(new)();
  CHECK(!THTensor_(isSetTo)(b, a));
  THTensor_(set)(b, a);
  CHECK(THTensor_(isSetTo)(b, a));
  CHECK(THTensor_(isSameSizeAs)(b, a));
  CHECK_EQ(a->storage->refcount, 2);
  THTensor_(narrow)(b, NULL, 0, 1, 2);
  CHECK(!THTensor_(isSetTo)(b, a));
  THTensor *c = THTensor_(newWithTensor)(a);
  CHECK(THTensor_(isSetTo)(c, a));
  THTensor_(free)(c);
  THTensor_(free)(b);
  CHECK_EQ(a->storage->refcount, 1);
  THTensor_(free)(a);
}

/* Which sizes a transposed, narrowed tensor can be viewed as, derived by hand. */
static void THTest_(newView)(void)
{
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(2, 3, 4));
  THLongStorage *sizes = THLongStorage_newWithSize3(-1, 2, 4);
  THTensor *v = THTensor_(newView)(t, sizes);
  CHECK_EQ(v->nDimension, 3);
  CHECK_EQ(v->size[0], 3);
  for (ptrdiff_t i = 0; i < 24; i++)
    CHECK(THTest_(at)(v, i) == t->storage->data + i);
  THTensor_(free)(v);

  /* rows 0 and 1 of three: {2, 2, 4} with strides {12, 4, 1}; the last two still lie as one */
  THTensor *n = THTensor_(newNarrow)(t, 1, 0, 2);
  THLongStorage_free(sizes);
  sizes = THLongStorage_newWithSize3(2, 4, 2);
  v = THTensor_(newView)(n, sizes);
  CHECK_EQ(v->stride[0], 12);
  CHECK_EQ(v->stride[1], 2);
  CHECK_EQ(v->stride[2], 1);
  THTensor_(free)(v);
  THLongStorage_free(sizes);
  sizes = THLongStorage_newWithSize1(16);
  CHECK_RAISES(2, "cannot be viewed", THTensor_(newView)(n, sizes));
  sizes->data[0] = 17;
  CHECK_RAISES(2, "17", THTensor_(newView)(n, sizes));
  THLongStorage_free(sizes);
  THTensor_(free)(n);
  THTensor_(free)(t);
}

static void THTest_(expandNd)(void)
{
  THTensor *ops[3] = {THTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(3, 1)),
                      THTest_(tensor)(TH_TRANSPOSED, 2, TH_SHAPE(2, 1, 4)),
                      THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(1))};
  THTensor *rets[3] = {THTensor_(new)(), ops[1], THTensor_(new)()};
  real *first = THTest_(values)(ops[0]), *second = THTest_(values)(ops[1]);
  THTensor_(expandNd)(rets, ops, 3);
  for (int k = 0; k < 3; k++) {
    CHECK_EQ(rets[k]->nDimension, 3);
    CHECK_EQ(rets[k]->size[0], 2);
    CHECK_EQ(rets[k]->size[1], 3);
    CHECK_EQ(rets[k]->size[2], 4);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++) {
        CHECK_EQ(THTensor_(get3d)(rets[0], i, j, k), first[j]);
        CHECK_EQ(THTensor_(get3d)(rets[1], i, j, k), second[4 * i + k]);
      }
  THTensor *five = THTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(5));
  THTensor *wrong[2] = {rets[0], five};
  CHECK_RAISES(0, "", THTensor_(expandNd)(rets, wrong, 2));
  CHECK_EQ(rets[0]->size[2], 4);
  free(first);
  free(second);
  THTensor_(free)(five);
  THTensor_(free)(rets[0]);
  THTensor_(free)(rets[2]);
  for (int k = 0; k < 3; k++)
    THTensor_(free)(ops[k]);
}

/* --- errors: the view and what it was made of stay as they were ----------------------------- */

static void THTest_(viewErrors)(void)
{
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(4, 3));
  THTensor *r = THTest_(tensor)(TH_CONTIGUOUS, 4, TH_SHAPE(2));
  THTensor *vector = THTensor_(newSelect)(t, 0, 1);
  static const int64_t extremes[] = {-1, INT64_MIN, INT64_MAX};
  for (int k = 0; k < 3; k++) {
    const int64_t x = extremes[k];
    const int dim = k == 0 ? -1 : k == 1 ? INT_MIN : INT_MAX;
    CHECK_RAISES(3, "out of range", THTensor_(narrow)(r, t, dim, 0, 1));
    CHECK_RAISES(4, "firstIndex", THTensor_(narrow)(r, t, 0, x, 1));
    CHECK_RAISES(5, "do not fit", THTensor_(narrow)(r, t, 0, 1, x));
    CHECK_RAISES(3, "out of range", THTensor_(select)(r, t, dim, 0));
    CHECK_RAISES(4, "sliceIndex", THTensor_(select)(r, t, 1, x));
    CHECK_RAISES(3, "out of range", THTensor_(transpose)(r, t, dim, 0));
    CHECK_RAISES(4, "out of range", THTensor_(transpose)(r, t, 0, dim));
    CHECK_RAISES(3, "out of range", THTensor_(unfold)(r, t, dim, 1, 1));
    CHECK_RAISES(4, "do not fit", THTensor_(unfold)(r, t, 0, x, 1));
    CHECK_RAISES(3, "out of range", THTensor_(squeeze1d)(r, t, dim));
    CHECK_RAISES(3, "out of range", THTensor_(unsqueeze1d)(r, t, dim));
  }
  CHECK_RAISES(5, "step", THTensor_(unfold)(r, t, 0, 1, 0));
  CHECK_RAISES(5, "step", THTensor_(unfold)(r, t, 0, 1, INT64_MIN));
  CHECK_RAISES(2, "one dimension", THTensor_(select)(r, vector, 0, 0));
  CHECK_RAISES(3, "firstIndex", THTensor_(newNarrow)(t, 0, 4, 1));
  CHECK_RAISES(3, "", THTensor_(newSelect)(t, 0, 4));
  CHECK_RAISES(2, "", THTensor_(newTranspose)(t, 2, 0));
  CHECK_RAISES(3, "", THTensor_(newUnfold)(t, 0, 5, 1));

  THLongStorage *sizes = THLongStorage_newWithSize2(4, 5);
  CHECK_RAISES(0, "", THTensor_(expand)(r, t, sizes));
  CHECK_RAISES(0, "", THTensor_(newExpand)(t, sizes));
  THLongStorage_free(sizes);

  THTensor_(unfold)(r, t, 0, 2, INT64_MAX); /* one window, however far the next would be */
  CHECK_EQ(r->size[0], 1);
  THTensor *empty = THTensor_(new)();
  CHECK_RAISES(2, "empty", THTensor_(unsqueeze1d)(r, empty, 0));
  CHECK_RAISES(3, "out of range", THTensor_(narrow)(r, empty, 0, 0, 1));
  CHECK_EQ(t->storage->refcount, 3);
  THTensor_(free)(empty);
  THTensor_(free)(vector);
  THTensor_(free)(r);
  CHECK_EQ(t->storage->refcount, 1);
  THTensor_(free)(t);
}

/* A tensor keeps few sizes within itself and many in a block. */
static void THTest_(exchange)(void)
{
  static const int64_t many[] = {1, 2, 1, 3, 1, 1, 2, 1};
  THTensor *a = THTensor_(newWithSize2d)(4, 5), *b = THTensor_(new)();
  THTensor_(resizeNd)(b, 8, (int64_t *)many, NULL);
  THTensor *row = THTensor_(newSelect)(a, 0, 2), *before = THTensor_(newWithTensor)(a);
  THStorage *const ofA = a->storage, *const ofB = b->storage;
  THTensor_(exchange)(a, b);
  CHECK(a->storage == ofB && a->nDimension == 8 && b->storage == ofA && b->nDimension == 2);
  for (int d = 0; d < 8; d++)
    CHECK_EQ(a->size[d], many[d]);
  CHECK(a->stride[3] == 2 && THTensor_(isContiguous)(a) && THTensor_(isSetTo)(b, before));
  THTensor_(exchange)(row, a);
  CHECK(row->nDimension == 8 && row->storage == ofB && row->storageOffset == 0);
  CHECK(a->nDimension == 1 && a->size[0] == 5 && a->stride[0] == 1 && a->storageOffset == 10);
  THTensor_(exchange)(a, b); /* both within themselves */
  CHECK(THTensor_(isSetTo)(a, before) && b->nDimension == 1 && b->storageOffset == 10);
  THTensor_(free)(before);
  THTensor_(free)(row);
  THTensor_(free)(a);
  THTensor_(free)(b);
}

TH_TESTS(THTest_(views), THTest_(setAndIsSetTo), THTest_(newView), THTest_(expandNd),
         THTest_(viewErrors), THTest_(exchange))
