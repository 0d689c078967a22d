/* Selecting, gathering, scattering, taking and putting, against loops over subscripts, on random
 * shapes, layouts, numbers of threads and operands that share memory. */
#include "THTemplate.h"

#include "index_tensors.h"
#include "th_golden.h"

typedef enum {
  SELECT,
  COPY_SLICES,
  ADD_SLICES,
  FILL_SLICES,
  GATHER,
  SCATTER,
  SCATTER_ADD,
  SCATTER_FILL,
  TAKE,
  PUT,
  PUT_ADD,
  OPERATIONS
} Operation;

static const char *const operation_names[] = {
    "indexSelect", "indexCopy",   "indexAdd", "indexFill", "gather",           "scatter",
    "scatterAdd",  "scatterFill", "take",     "put",       "put, accumulating"};

static int makes_result(Operation op)
{
  return op == SELECT || op == GATHER || op == TAKE;
}

static int fills(Operation op)
{
  return op == FILL_SLICES || op == SCATTER_FILL;
}

static int adds(Operation op)
{
  return op == ADD_SLICES || op == SCATTER_ADD || op == PUT_ADD;
}

static int is_of_slices(Operation op)
{
  return op <= FILL_SLICES;
}

static int is_of_flat(Operation op)
{
  return op >= TAKE;
}

/* The number of the argument that is the index. */
static int index_argument(Operation op)
{
  return op == SELECT || op == GATHER ? 4 : op >= PUT ? 2 : 3;
}

/* t is read by operations that make a result; other operations change it. */
typedef struct {
  Operation op;
  int dim;
  THTensor *t, *r, *src;
  THLongTensor *index;
  real value;
} Call;

static void THTest_(call)(const Call *c)
{
  switch (c->op) {
    case SELECT:
      THTensor_(indexSelect)(c->r, c->t, c->dim, c->index);
      break;
    case COPY_SLICES:
      THTensor_(indexCopy)(c->t, c->dim, c->index, c->src);
      break;
    case ADD_SLICES:
      THTensor_(indexAdd)(c->t, c->dim, c->index, c->src);
      break;
    case FILL_SLICES:
      THTensor_(indexFill)(c->t, c->dim, c->index, c->value);
      break;
    case GATHER:
      THTensor_(gather)(c->r, c->t, c->dim, c->index);
      break;
    case SCATTER:
      THTensor_(scatter)(c->t, c->dim, c->index, c->src);
      break;
    case SCATTER_ADD:
      THTensor_(scatterAdd)(c->t, c->dim, c->index, c->src);
      break;
    case SCATTER_FILL:
      THTensor_(scatterFill)(c->t, c->dim, c->index, c->value);
      break;
    case TAKE:
      THTensor_(take)(c->r, c->t, c->index);
      break;
    case PUT:
    case PUT_ADD:
      THTensor_(put)(c->t, c->index, c->src, c->op == PUT_ADD);
      break;
    case OPERATIONS:
      break;
  }
}

/* --- the obvious loop ------------------------------------------------------------------------ */

typedef struct {
  int dims;
  int64_t size[5];
} Shape;

static ptrdiff_t count_of(const Shape *s)
{
  ptrdiff_t count = s->dims > 0;
  for (int d = 0; d < s->dims; d++)
    count *= s->size[d];
  return count;
}

static void subscripts(const Shape *s, ptrdiff_t element, int64_t *at)
{
  for (int d = s->dims - 1; d >= 0; d--) {
    at[d] = element % s->size[d];
    element /= s->size[d];
  }
}

static ptrdiff_t element_at(const Shape *s, const int64_t *at)
{
  ptrdiff_t element = 0;
  for (int d = 0; d < s->dims; d++)
    element = element * s->size[d] + at[d];
  return element;
}

static Shape THTest_(shapeOf)(const THTensor *t)
{
  Shape s = {.dims = t->nDimension};
  memcpy(s.size, t->size, (size_t)s.dims * sizeof *s.size);
  return s;
}

/* What the call should make: t (row-major, of shape ts) changed, or the result.  walked is the
 * shape of the result or, of slices, of src. */
static void THTest_(expect)(const Call *c, const Shape *ts, real *t, const int64_t *index,
                            const Shape *walked, const real *src, const Shape *srcShape, real *r)
{
  for (ptrdiff_t i = 0; i < count_of(walked); i++) {
    int64_t at[5];
    subscripts(walked, i, at);
    ptrdiff_t from = i, to;
    if (is_of_flat(c->op)) {
      to = index[i] < 0 ? index[i] + count_of(ts) : index[i] - TH_INDEX_BASE;
    } else {
      if (srcShape)
        from = element_at(srcShape, at);
      at[c->dim] = index[is_of_slices(c->op) ? at[c->dim] : i] - TH_INDEX_BASE;
      to = element_at(ts, at);
    }
    if (makes_result(c->op))
      r[i] = t[to];
    else if (fills(c->op))
      t[to] = c->value;
    else if (adds(c->op))
      t[to] = (real)(t[to] + src[from]);
    else
      t[to] = src[from];
  }
}

/* --- random trials --------------------------------------------------------------------------- */

static int pick_layout(th_random *random, int writable)
{
  for (;;) {
    const int layout = (int)th_random_below(random, TH_ONE);
    if (th_layout_keeps_shape(layout) && (!writable || th_layout_is_writable(layout)))
      return layout;
  }
}

/* A view of the same sizes and strides whose elements begin at the same one, or one later. */
static THTensor *THTest_(neighbour)(THTensor *t, int later)
{
  THLongStorage *size = THTensor_(newSizeOf)(t), *stride = THTensor_(newStrideOf)(t);
  ptrdiff_t end = t->storage ? t->storage->size : 0;
  THTensor *view = THTensor_(newWithStorage)(t->storage, t->storageOffset + later, size, stride);
  for (; view->storage && end < view->storage->size; end++)
    view->storage->data[end] = THTest_(value)(9, end);
  THLongStorage_free(stride);
  THLongStorage_free(size);
  return view;
}

/* The shape that is walked, of a tensor of shape ts, and that of the indices. */
static Shape walked_shape(const Call *c, const Shape *ts, th_random *random, int most, int shares,
                          Shape *indices)
{
  const Operation op = c->op;
  Shape walked = *ts;
  if (is_of_flat(op) && !shares) {
    walked.dims = 1 + (int)th_random_below(random, 3);
    for (int d = 0; d < walked.dims; d++)
      walked.size[d] = 1 + th_random_below(random, most);
  } else if (!shares) {
    walked.size[c->dim] = 1 + th_random_below(random, 2 * most);
    if (!is_of_slices(op))
      for (int d = 0; d < ts->dims; d++)
        if (d != c->dim)
          walked.size[d] = 1 + th_random_below(random, ts->size[d]);
  }
  *indices = is_of_slices(op) ? (Shape){1, {walked.size[c->dim]}} : walked;
  if (th_random_below(random, 20) == 0 && !shares)
    indices->size[0] = walked.size[is_of_slices(op) ? c->dim : 0] = 0;
  return walked;
}

/* Indices of that shape; of flat tensors some count from the end. */
static THLongTensor *any_index(const Call *c, const Shape *ts, th_random *random, int layout,
                               const Shape *shape)
{
  const int flat = is_of_flat(c->op);
  const int64_t among = flat ? count_of(ts) : ts->size[c->dim];
  THLongTensor *index = new_indices(layout, random, TH_INDEX_BASE, among, shape->dims, shape->size);
  for (ptrdiff_t i = 0; flat && i < count_of(shape); i++) {
    int64_t *element = index_at(index, i);
    if (*element > 0 && th_random_below(random, 3) == 0)
      *element -= among + TH_INDEX_BASE;
  }
  return index;
}

/* src may be larger than what is walked; slices may have another shape. */
static void THTest_(makeSource)(Call *c, th_random *random, int layout, const Shape *ts,
                                Shape *shape, int shares)
{
  if (shares) {
    c->src = THTest_(neighbour)(c->t, shares - 1);
  } else if (count_of(shape) == 0) {
    c->src = THTensor_(new)();
  } else {
    if (c->op == SCATTER || c->op == SCATTER_ADD)
      for (int d = 0; d < ts->dims; d++)
        shape->size[d] += th_random_below(random, 3);
    c->src = THTest_(tensor)(layout, th_random_next(random), shape->dims, shape->size);
  }
}

static void THTest_(makeResult)(Call *c, th_random *random, const Shape *walked, int shares)
{
  const int kind = (int)th_random_below(random, 3);
  if (shares)
    c->r = c->t, THTensor_(retain)(c->t);
  else if (kind == 0 || count_of(walked) == 0)
    c->r = THTensor_(new)();
  else if (kind == 1)
    c->r = THTest_(tensor)(TH_CONTIGUOUS, 8, TH_SHAPE(2, 3));
  else
    c->r = THTest_(tensor)(pick_layout(random, 1), 8, walked->dims, walked->size);
}

/* Checks the result, whose storage was as before, and what the call only read. */
static void THTest_(checkTrial)(const Call *c, const Shape *walked, const real *t, const real *r,
                                const real *before, const THTensor *view)
{
  const ptrdiff_t count = count_of(walked);
  if (!makes_result(c->op)) {
    CHECK_VALUES(c->t, t);
    CHECK_OUTSIDE(c->t, before);
    return;
  }
  CHECK_EQ(THTest_(count)(c->r), count);
  if (count > 0) {
    const Shape got = THTest_(shapeOf)(c->r);
    CHECK_EQ(got.dims, walked->dims);
    for (int d = 0; d < got.dims; d++)
      CHECK_EQ(got.size[d], walked->size[d]);
  }
  CHECK_VALUES(c->r, r);
  if (THTensor_(isSameSizeAs)(c->r, (THTensor *)view))
    CHECK_OUTSIDE(c->r, before);
}

static void THTest_(trial)(Operation op, th_random *random, int most, int shares)
{
  Shape ts = {.dims = 1 + (int)th_random_below(random, most > 9 ? 3 : 5)};
  for (int d = 0; d < ts.dims; d++)
    ts.size[d] = 1 + th_random_below(random, most);
  Call c = {.op = op, .dim = (int)th_random_below(random, ts.dims), .value = THTest_(value)(3, 1)};
  const int layout = pick_layout(random, !makes_result(op) || shares);
  c.t = THTest_(tensor)(layout, th_random_next(random), ts.dims, ts.size);

  Shape indices;
  const Shape walked = walked_shape(&c, &ts, random, most, shares, &indices);
  const ptrdiff_t count = count_of(&walked);
  const int index_layout = pick_layout(random, 0);
  c.index = any_index(&c, &ts, random, index_layout, &indices);
  int64_t *index = malloc((size_t)(count_of(&indices) + 1) * sizeof *index);
  for (ptrdiff_t i = 0; i < count_of(&indices); i++)
    index[i] = *index_at(c.index, i);

  Shape srcShape = walked;
  const int src_layout = pick_layout(random, 0);
  real *src = NULL;
  if (!makes_result(op) && !fills(op)) {
    THTest_(makeSource)(&c, random, src_layout, &ts, &srcShape, shares);
    src = THTest_(values)(c.src);
  } else if (makes_result(op)) {
    THTest_(makeResult)(&c, random, &walked, shares);
  }
  const int threads = 1 + (int)th_random_below(random, 3);
  th_note("%s: %s of size %s, dimension %d; %s index of size %s; src %s; sharing %d; %d threads",
          operation_names[op], th_layout_names[layout], _THSizeDesc(ts.size, ts.dims).str, c.dim,
          th_layout_names[index_layout], _THSizeDesc(indices.size, indices.dims).str,
          th_layout_names[src_layout], shares, threads);
  real *t = THTest_(values)(c.t), *r = malloc((size_t)(count + 1) * sizeof *r);
  THTest_(expect)(&c, &ts, t, index, &walked, src, is_of_flat(op) ? NULL : &srcShape, r);
  THTensor *const result = makes_result(op) ? c.r : c.t;
  real *before = THTest_(storageValues)(result);
  real *srcBefore = c.src ? THTest_(storageValues)(c.src) : NULL;
  THTensor *view = THTest_(neighbour)(result, 0); /* the elements that may change */

  THSetNumThreads(threads);
  THTest_(call)(&c);
  THTest_(checkTrial)(&c, &walked, t, r, before, view);
  for (ptrdiff_t i = 0; c.src && !shares && c.src->storage && i < c.src->storage->size; i++)
    CHECK_EQ(c.src->storage->data[i], srcBefore[i]);
  for (ptrdiff_t i = 0; i < count_of(&indices); i++)
    CHECK_EQ(*index_at(c.index, i), index[i]);

  THTensor_(free)(view);
  free(srcBefore);
  free(before);
  free(r);
  free(t);
  free(src);
  free(index);
  THTensor_(free)(c.src);
  THTensor_(free)(c.r);
  THLongTensor_free(c.index);
  THTensor_(free)(c.t);
}

static void THTest_(indexRandom)(void)
{
  th_random random = {th_seed()};
  const int threads = THGetNumThreads();
  for (Operation op = 0; op < OPERATIONS; op++) {
    for (int k = 0; k < 300; k++)
      THTest_(trial)(op, &random, 1 + k % 6, 0);
    for (int k = 0; k < 60; k++)
      THTest_(trial)(op, &random, 1 + k % 6, 1 + k % 2);
    for (int k = 0; k < 6; k++)
      THTest_(trial)(op, &random, 40, k % 3);
  }
  THSetNumThreads(threads);
}

/* Large enough for several threads, in shapes that are cut in each way: a line, few long lines,
 * many short ones. */
static void THTest_(indexLarge)(void)
{
  static const Shape shapes[] = {{1, {70000}},    {2, {3, 23000}},   {2, {23000, 3}},
                                 {2, {200, 350}}, {3, {30, 50, 45}}, {3, {2, 17000, 2}}};
  const int threads = THGetNumThreads();
  th_random random = {th_seed()};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int dim = 0; dim < shapes[k].dims; dim++)
      for (Operation op = 0; op < OPERATIONS; op++) {
        const Shape *s = &shapes[k];
        Call c = {.op = op, .dim = dim, .value = THTest_(value)(3, 1)};
        const int64_t among = is_of_flat(op) ? count_of(s) : s->size[dim];
        c.index = is_of_slices(op)
                      ? new_indices(TH_CONTIGUOUS, &random, TH_INDEX_BASE, among, 1, &s->size[dim])
                      : new_indices(TH_CONTIGUOUS, &random, TH_INDEX_BASE, among, s->dims, s->size);
        c.src = THTest_(tensor)(TH_CONTIGUOUS, 2, s->dims, s->size);
        c.r = THTensor_(new)();
        real *r = malloc((size_t)count_of(s) * sizeof *r);
        for (int n = 1; n <= 3; n += 2) {
          THSetNumThreads(n);
          c.t = THTest_(tensor)(TH_CONTIGUOUS, 1, s->dims, s->size);
          th_note("%s of size %s, dimension %d, %d threads", operation_names[op],
                  _THSizeDesc(s->size, s->dims).str, dim, n);
          THTest_(call)(&c);
          real *t = THTest_(values)(c.t), *x = THTest_(values)(c.src);
          for (ptrdiff_t i = 0; i < count_of(s); i++)
            t[i] = THTest_(value)(1, i);
          THTest_(expect)(&c, s, t, c.index->storage->data, s, x, s, r);
          if (makes_result(op))
            CHECK_VALUES(c.r, r);
          else
            CHECK_VALUES(c.t, t);
          free(x);
          free(t);
          THTensor_(free)(c.t);
        }
        free(r);
        THTensor_(free)(c.r);
        THTensor_(free)(c.src);
        THLongTensor_free(c.index);
      }
  THSetNumThreads(threads);
}

/* Slices of another shape are taken in row-major order. */
static void THTest_(indexReshaped)(void)
{
  for (int layout = 0; layout < TH_ONE; layout++) {
    th_random random = {th_seed()};
    THTensor *t = THTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(3, 5, 4));
    THTensor *src =
        THTest_(tensor)(layout == TH_WITH_ONES ? TH_STRIDED : layout, 2, TH_SHAPE(2, 7, 6));
    THLongTensor *index = new_indices(TH_STRIDED, &random, TH_INDEX_BASE, 5, TH_SHAPE(7));
    real *before = THTest_(values)(t), *x = THTest_(values)(src);
    th_note("layout %s", th_layout_names[layout]);
    THTensor_(indexAdd)(t, 1, index, src);
    for (int64_t k = 0; k < 7; k++)
      for (int64_t e = 0; e < 12; e++) {
        real *to = &before[(e / 4 * 5 + *index_at(index, k) - TH_INDEX_BASE) * 4 + e % 4];
        *to = (real)(*to + x[(e / 6 * 7 + k) * 6 + e % 6]);
      }
    CHECK_VALUES(t, before);
    free(x);
    free(before);
    THLongTensor_free(index);
    THTensor_(free)(src);
    THTensor_(free)(t);
  }
}

#if defined(TH_REAL_IS_LONG)
/* The indices are the result, or the tensor that is changed. */
static void THTest_(indexIntoItself)(void)
{
  for (Operation op = 0; op < OPERATIONS; op++)
    for (int layout = 0; layout < TH_WINDOWS; layout++) {
      if (!th_layout_is_writable(layout) || !th_layout_keeps_shape(layout))
        continue;
      const Shape s = is_of_slices(op) ? (Shape){1, {6}} : (Shape){2, {6, 6}};
      th_random random = {th_seed()};
      Call c = {.op = op, .value = 7};
      c.index = new_indices(layout, &random, TH_INDEX_BASE, 6, s.dims, s.size);
      c.src = THTest_(tensor)(TH_CONTIGUOUS, 2, s.dims, s.size);
      c.t = makes_result(op) ? THTest_(tensor)(TH_CONTIGUOUS, 1, s.dims, s.size) : c.index;
      c.r = c.index;
      real *index = THTest_(values)(c.index), *t = THTest_(values)(c.t);
      real *src = THTest_(values)(c.src), *r = malloc(36 * sizeof *r);
      th_note("%s, layout %s", operation_names[op], th_layout_names[layout]);
      THTest_(expect)(&c, &s, t, index, &s, src, &s, r);
      THTest_(call)(&c);
      if (makes_result(op))
        CHECK_VALUES(c.r, r);
      else
        CHECK_VALUES(c.t, t);
      free(r);
      free(src);
      free(t);
      free(index);
      if (c.t != c.index)
        THTensor_(free)(c.t);
      THTensor_(free)(c.src);
      THLongTensor_free(c.index);
    }
}
#endif

/* --- errors ---------------------------------------------------------------------------------- */

/* The call raises, and neither its operands nor their shapes have changed. */
static void THTest_(checkRaises)(const Call *c, int argument, const char *part)
{
  THTensor *all[] = {c->t, c->r, c->src};
  real *before[3];
  THDescBuff size[3];
  int64_t stride[3];
  for (int k = 0; k < 3; k++) {
    before[k] = THTest_(storageValues)(all[k]);
    size[k] = THTensor_(sizeDesc)(all[k]);
    stride[k] = all[k]->nDimension ? all[k]->stride[0] : 0;
  }
  CHECK_RAISES(argument, part, THTest_(call)(c));
  for (int k = 0; k < 3; k++) {
    assert_string_equal(size[k].str, THTensor_(sizeDesc)(all[k]).str);
    CHECK_EQ(stride[k], all[k]->nDimension ? all[k]->stride[0] : 0);
    if (all[k]->storage && all[k]->storage->size)
      assert_memory_equal(before[k], all[k]->storage->data,
                          (size_t)all[k]->storage->size * sizeof(real));
    free(before[k]);
  }
}

/* A contiguous index of that shape, of indices below 4. */
static THLongTensor *small_index(th_random *random, int dims, const int64_t *size)
{
  return new_indices(TH_CONTIGUOUS, random, TH_INDEX_BASE, 4, dims, size);
}

/* Checks what is raised with an index of that shape. */
static void THTest_(checkShape)(Call *c, th_random *random, int dims, const int64_t *size,
                                int argument, const char *part)
{
  c->index = small_index(random, dims, size);
  THTest_(checkRaises)(c, argument, part);
  THLongTensor_free(c->index);
}

/* An index or a dimension out of range, in an index of any layout. */
static void THTest_(wrongIndex)(Call *c, th_random *random, int dimArg, int layout)
{
  const Operation op = c->op;
  const int flat = is_of_flat(op), at = is_of_slices(op) ? 2 : 5, n = flat ? 24 : 4;
  const Shape s = is_of_slices(op) ? (Shape){1, {5}} : (Shape){2, {6, 5}};
  c->index = new_indices(layout, random, TH_INDEX_BASE, n, s.dims, s.size);
  const int64_t bad[] = {
      flat ? -n - 1 : TH_INDEX_BASE - 1, n + TH_INDEX_BASE, INT64_MIN, INT64_MAX, INT64_MIN + 1,
      flat ? INT64_MIN + 1 : -n};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    int64_t *element = index_at(c->index, at);
    const int64_t good = *element;
    *element = bad[k];
    char part[100];
    snprintf(part, sizeof part, "index %lld (number %d) is out of range", (long long)bad[k],
             at + TH_INDEX_BASE);
    th_note("%s, layout %s: %s", operation_names[op], th_layout_names[layout], part);
    THTest_(checkRaises)(c, index_argument(op), part);
    *element = good;
  }
  if (flat && TH_INDEX_BASE) {
    *index_at(c->index, at) = 0;
    THTest_(checkRaises)(c, index_argument(op), "index 0 ");
  }
  for (size_t k = 0; !flat && k < 4; k++) {
    static const int dims[] = {-1, 2, INT_MIN, INT_MAX};
    c->dim = dims[k];
    THTest_(checkRaises)(c, dimArg, "out of range");
    c->dim = 1;
  }
  THLongTensor_free(c->index);
}

/* Shapes that do not fit. */
static void THTest_(wrongShapes)(Call *c, th_random *random)
{
  const Operation op = c->op;
  const int indexArg = index_argument(op);
  th_note("%s, shapes", operation_names[op]);
  if (is_of_slices(op))
    THTest_(checkShape)(c, random, TH_SHAPE(2, 2), indexArg, "no vector");
  c->index =
      is_of_slices(op) ? small_index(random, TH_SHAPE(4)) : small_index(random, TH_SHAPE(6, 7));
  if (op == COPY_SLICES || op == ADD_SLICES) {
    THTest_(checkRaises)(c, 4, "slices");
    THTensor_(free)(c->src);
    c->src = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(5, 4));
    THTest_(checkRaises)(c, 4, "[5 x 4] along dimension");
    THTensor_(free)(c->src);
    c->src = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(4));
    THTest_(checkRaises)(c, 4, "slices");
  }
  if (op == SCATTER || op == SCATTER_ADD)
    THTest_(checkRaises)(c, 3, "[6 x 7] does not fit src of size [6 x 5]");
  if (op >= PUT)
    THTest_(checkRaises)(c, 3, "elements");
  THLongTensor_free(c->index);
  if (!is_of_slices(op) && !is_of_flat(op)) {
    THTest_(checkShape)(c, random, TH_SHAPE(7, 4), indexArg, "[7 x 4] does not fit");
    THTest_(checkShape)(c, random, TH_SHAPE(6), indexArg, "[6] does not fit");
  }
}

static void THTest_(indexErrors)(void)
{
  th_random random = {th_seed()};
  for (Operation op = 0; op < OPERATIONS; op++) {
    Call c = {.op = op, .dim = 1, .value = 7};
    const int dimArg = op == SELECT || op == GATHER ? 3 : 2;
    c.t = THTest_(tensor)(makes_result(op) ? TH_TRANSPOSED : TH_STRIDED, 1, TH_SHAPE(6, 4));
    c.r = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(2));
    c.src = THTest_(tensor)(TH_TRANSPOSED, 3, TH_SHAPE(6, 5));
    for (int layout = 0; layout < TH_EXPANDED; layout++)
      if (layout != TH_WITH_ONES)
        THTest_(wrongIndex)(&c, &random, dimArg, layout);
    THTest_(wrongShapes)(&c, &random);

    /* Tensors without elements. */
    THTensor_(free)(c.src);
    c.src = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(6, 4));
    THTensor_(free)(c.t);
    c.t = THTensor_(new)();
    const Shape s = is_of_slices(op) ? (Shape){1, {4}} : (Shape){2, {6, 4}};
    THTest_(checkShape)(&c, &random, s.dims, s.size, is_of_flat(op) ? index_argument(op) : dimArg,
                        "out of range");
    THTensor_(free)(c.src);
    THTensor_(free)(c.r);
    THTensor_(free)(c.t);
  }
}

/* No indices: nothing happens, or the result is empty. */
static void THTest_(indexNothing)(void)
{
  for (Operation op = 0; op < OPERATIONS; op++) {
    Call c = {.op = op, .dim = 0, .value = 7};
    c.t = THTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(3, 4));
    c.r = THTest_(tensor)(TH_CONTIGUOUS, 2, TH_SHAPE(2));
    c.src = THTensor_(new)();
    c.index = THLongTensor_new();
    real *before = THTest_(values)(c.t);
    th_note("%s", operation_names[op]);
    THTest_(call)(&c);
    CHECK_VALUES(c.t, before);
    if (makes_result(op))
      CHECK_EQ(THTest_(count)(c.r), 0);
    if (op == SELECT) {
      CHECK_EQ(c.r->nDimension, 2);
      CHECK_EQ(c.r->size[0], 0);
      CHECK_EQ(c.r->size[1], 4);
    }
    if (op == TAKE) { /* also from nothing */
      THTensor_(take)(c.r, c.src, c.index);
      CHECK_EQ(c.r->nDimension, 0);
    }
    free(before);
    THLongTensor_free(c.index);
    THTensor_(free)(c.src);
    THTensor_(free)(c.r);
    THTensor_(free)(c.t);
  }
}

/* --- PyTorch --------------------------------------------------------------------------------- */

#define GOLDEN_(NAME) TH_CONCAT_2(th_golden_new, NAME)

static void THTest_(indexOfPyTorch)(void)
{
  THGoldenFile *file = th_golden_open("indexing.txt");
  const char *type = TH_STRING_OF(Real);
  for (Operation op = 0; op < OPERATIONS; op++)
    for (int dim = 0; dim < 3; dim++) {
      const char *const name = operation_names[op];
      Call c = {.op = op, .dim = dim, .value = 7};
      c.t = GOLDEN_(Real)(th_golden(file, "%s/input", type));
      c.src = GOLDEN_(Real)(th_golden(file, "%s/src/%d", type, is_of_slices(op) ? dim : 3));
      c.index =
          th_golden_newLong(is_of_flat(op)
                                ? th_golden(file, "flat")
                                : th_golden(file, is_of_slices(op) ? "slices/%d" : "elements/%d",
                                            dim));
      for (ptrdiff_t i = 0; i < THLongTensor_nElement(c.index); i++)
        /* indices that count from the end are the same in either base */
        if (c.index->storage->data[i] >= 0)
          c.index->storage->data[i] += TH_INDEX_BASE;
      c.r = THTensor_(new)();
      th_note("%s, dimension %d", name, dim);
      if (is_of_flat(op))
        THTensor_(narrow)(c.src, c.src, 0, 0, 2);
      THTest_(call)(&c);
      const THGolden *want =
          op == PUT_ADD ? th_golden(file, "%s/putAdd/0", type)
                        : th_golden(file, "%s/%s/%d", type, name, is_of_flat(op) ? 0 : dim);
      const THTensor *got = makes_result(op) ? c.r : c.t;
      CHECK_EQ(THTest_(count)(got), want->count);
      for (int d = 0; d < want->nDimension; d++)
        CHECK_EQ(got->size[d], want->size[d]);
      for (ptrdiff_t i = 0; i < want->count; i++)
        CHECK_EQ((double)*THTest_(at)(got, i), th_golden_number(want, i));
      THTensor_(free)(c.r);
      THTensor_(free)(c.src);
      THTensor_(free)(c.t);
      THLongTensor_free(c.index);
    }
  th_golden_close(file);
}

#if defined(TH_REAL_IS_LONG)
TH_TESTS(THTest_(indexRandom), THTest_(indexLarge), THTest_(indexReshaped), THTest_(indexErrors),
         THTest_(indexNothing), THTest_(indexOfPyTorch), THTest_(indexIntoItself))
#else
TH_TESTS(THTest_(indexRandom), THTest_(indexLarge), THTest_(indexReshaped), THTest_(indexErrors),
         THTest_(indexNothing), THTest_(indexOfPyTorch))
#endif
