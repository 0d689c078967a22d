/* Reductions over any dimensions: one engine, and a table of the properties of each reduction.
 *
 * TH reduces all elements, in any layout, or the elements along one dimension.  Dimensions whose
 * strides fit each other are merged to one.  If several remain, the largest is reduced
 * first, and then its partial results, if those can be reduced further; if not, a copy merges all. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "TH/loop/THDims.h"
#include "TH/pointwise/THPointwise.h"
#include "TH/reduce/THReduce.h"
#include "ATen/core/conversions.h"

static const at_scalar none;

/* --- the table ------------------------------------------------------------------------------- */

/* The types that a reduction takes, and the type of its result. */
typedef enum {
  SUMS,   /* of integers and booleans Long, unless a type is given or out has one */
  MEANS,  /* floating, or the given floating type */
  FLOATS, /* floating */
  SAME,
  BOOLEANS /* Bool; of Byte, Byte */
} Types;

typedef struct at_reducer {
  at_reducer_name index;
  const char *name;
  Types types;
  bool takesEmpty; /* whether an empty tensor has a result, which is ofEmpty */
  double ofEmpty;
  at_reducing then; /* the reduction of partial results, or NULL if they are not reduced further */
  /* TH's reduction with that p. */
  const THReductions *(*own)(double p);
  /* These are NULL where TH has no function but only kernels. */
  at_number (*whole)(const at_type *type, void *x, at_scalar p);
  void (*along)(const at_type *type, void *r, void *x, int dim, at_scalar p); /* removes dim */
  at_complexReduction ofComplex; /* NULL where there is none of complex numbers */
} Reduction;

/* clang-format off */
#define REDUCTION(NAME, WHOLE, ...)                                                                                \
  static at_number whole_##NAME(const at_type *type, void *x, TH_UNUSED at_scalar p) { return WHOLE; }             \
  static void along_##NAME(const at_type *type, void *r, void *x, int dim, TH_UNUSED at_scalar p) { __VA_ARGS__; }
/* clang-format on */

REDUCTION(sum, AT_OF(type, sumall)(x), AT_OF(type, sum)(r, x, dim, 0))
REDUCTION(prod, AT_OF(type, prodall)(x), AT_OF(type, prod)(r, x, dim, 0))
REDUCTION(mean, AT_OF(type, meanall)(x), AT_OF(type, mean)(r, x, dim, 0))
REDUCTION(var, AT_OF(type, varall)(x, at_scalar_toLong(p) != 0),
          AT_OF(type, var)(r, x, dim, at_scalar_toLong(p) != 0, 0))
REDUCTION(std, AT_OF(type, stdall)(x, at_scalar_toLong(p) != 0),
          AT_OF(type, std)(r, x, dim, at_scalar_toLong(p) != 0, 0))
REDUCTION(norm, AT_OF(type, normall)(x, p), AT_OF(type, norm)(r, x, p, dim, 0))
REDUCTION(max, AT_OF(type, maxall)(x), AT_OF(type, amax)(r, x, dim, 0))
REDUCTION(min, AT_OF(type, minall)(x), AT_OF(type, amin)(r, x, dim, 0))
/* The operands are bytes, each 0 or 1. */
REDUCTION(all, at_scalar_long(AT_OF(type, logicalall)(x)), AT_OF(type, prod)(r, x, dim, 0))
REDUCTION(any, at_scalar_long(AT_OF(type, logicalany)(x)), AT_OF(type, amax)(r, x, dim, 0))

/* clang-format off */
#define OWN(NAME) static const THReductions *own_##NAME(TH_UNUSED double p) { return &THReductions_##NAME; }
/* clang-format on */
OWN(sum)
OWN(prod)
OWN(mean)
OWN(var)
OWN(std)
OWN(max)
OWN(min)
OWN(all)
OWN(any)
OWN(logSumExp)

static const THReductions *own_norm(double p)
{
  if (isinf(p))
    return p > 0 ? &THReductions_normMax : &THReductions_normMin;
  return p == 0   ? &THReductions_norm0
         : p == 1 ? &THReductions_norm1
         : p == 2 ? &THReductions_norm2
                  : &THReductions_normP;
}

static at_tensor *complex_variance(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                                   bool keepdim, at_scalar p)
{
  return at_complexVariance(out, how, self, dims, at_scalar_long(at_scalar_toDouble(p) == 0),
                            keepdim);
}

#define ROW(OBJECT, NAME, OF_COMPLEX, ...)                                                         \
  static const Reduction row_##NAME = {AT_REDUCTION_##NAME, #NAME,        __VA_ARGS__, own_##NAME, \
                                       whole_##NAME,        along_##NAME, OF_COMPLEX};             \
  const at_reducing OBJECT = &row_##NAME;

ROW(AT_SUM, sum, at_complexSum, SUMS, true, 0, &row_sum)
ROW(AT_PROD, prod, at_complexProductAlong, SUMS, true, 1, &row_prod)
ROW(AT_MEAN, mean, at_complexSum, MEANS, true, NAN, &row_mean)
ROW(AT_VAR, var, complex_variance, FLOATS, true, NAN, NULL)
ROW(AT_STD, std, complex_variance, FLOATS, true, NAN, NULL)
ROW(AT_NORM, norm, at_complexNorm, MEANS, true, 0, &row_norm)
ROW(AT_MAX, max, NULL, SAME, false, 0, &row_max)
ROW(AT_MIN, min, NULL, SAME, false, 0, &row_min)
ROW(AT_ALL, all, at_complexTruth, BOOLEANS, true, 1, &row_all)
ROW(AT_ANY, any, at_complexTruth, BOOLEANS, true, 0, &row_any)
static const Reduction row_logsumexp = {
    AT_REDUCTION_logsumexp, "logsumexp", MEANS, true, -INFINITY, NULL,
    own_logSumExp,          NULL,        NULL,  NULL};
const at_reducing AT_LOG_SUM_EXP = &row_logsumexp;

at_reducer_name at_reducer_nameOf(at_reducing reduction)
{
  return reduction->index;
}

/* --- types ----------------------------------------------------------------------------------- */

static void check_floating(const char *name, at_scalar_type type)
{
  if (!at_isFloating(type))
    at_raise(AT_ERROR_TYPE, "the %s is computed in a floating type, and not in %s", name,
             at_scalarTypeName(type));
}

static at_scalar_type summed(at_scalar_type type)
{
  return at_isFloating(type) ? type : AT_LONG;
}

/* The type of the result; type is the given one, or NULL. */
static const at_type *result_type(const Reduction *how, const at_tensor *out, const at_tensor *self,
                                  const at_type *type)
{
  const at_scalar_type own = self->type->scalarType;
  switch (how->types) {
    case SUMS:
      return type ? type : out ? out->type : at_toScalarType(self->type, summed(own));
    case MEANS:
    case FLOATS:
      type = type ? type : self->type;
      check_floating(how->name, type->scalarType);
      return type;
    case BOOLEANS:
      if (own == AT_BYTE && !(out && out->type->scalarType == AT_BOOL))
        return self->type;
      return at_toScalarType(self->type, AT_BOOL);
    case SAME:
      break;
  }
  return self->type;
}

/* The type that computes a result of that type: Float for types that TH does not compute in, Bool
 * for booleans, and Long to count them. */
static const at_type *compute_type(const Reduction *how, const at_type *result)
{
  const at_scalar_type type = result->scalarType;
  if (how->types == BOOLEANS)
    return at_toScalarType(result, AT_BOOL);
  if (type == AT_BOOL && how->types == SUMS)
    return at_toScalarType(result, AT_LONG);
  return at_computesIn(result);
}

/* --- shapes ---------------------------------------------------------------------------------- */

/* The dimensions to reduce, and the shape of the result. */
typedef struct {
  bool reduced[AT_MOST_DIMS];
  int64_t buffer[AT_MOST_DIMS];
  at_ints sizes; /* of the result */
  int64_t count; /* the number of elements that are reduced to one */
} Shape;

static void shape_of(Shape *shape, const at_tensor *self, at_ints dims, bool keepdim)
{
  const at_ints own = at_sizesOf(self);
  *shape = (Shape){.sizes = {shape->buffer, 0}, .count = 1};
  for (int i = 0; i < dims.count; i++) {
    const int d = at_wrapDim(dims.data[i], own.count);
    if (shape->reduced[d])
      at_raise(AT_ERROR_ARGUMENT, "dimension %d is named twice", d);
    shape->reduced[d] = true;
  }
  for (int d = 0; d < own.count; d++) {
    shape->reduced[d] |= dims.count == 0;
    if (shape->reduced[d])
      shape->count *= own.data[d];
    if (!shape->reduced[d] || keepdim)
      shape->buffer[shape->sizes.count++] = shape->reduced[d] ? 1 : own.data[d];
  }
}

/* The sizes and strides of some dimensions. */
typedef struct {
  int count;
  int64_t size[AT_MOST_DIMS], stride[AT_MOST_DIMS];
} Dims;

static void append(Dims *dims, int64_t size, int64_t stride)
{
  dims->size[dims->count] = size;
  dims->stride[dims->count++] = stride;
}

/* Dimensions of one tensor ordered by stride, and merged where strides fit each other.  Those with a
 * stride of 0 come first, so that they are merged too. */
static Dims merged(const Dims *all)
{
  ptrdiff_t size[AT_MOST_DIMS];
  THDimStrides stride;
  int count = 0;
  for (int isStrided = 0; isStrided < 2; isStrided++)
    for (int d = all->count - 1; d >= 0; d--)
      if (all->size[d] != 1 && (all->stride[d] != 0) == isStrided) {
        size[count] = all->size[d];
        stride[count++] = all->stride[d];
      }
  THDims_order(count, 1, size, &stride);
  Dims left = {0};
  for (int d = THDims_merge(count, 1, size, &stride); d-- > 0;) /* the outermost first */
    append(&left, size[d], stride[d]);
  if (left.count == 0)
    append(&left, 1, 1);
  return left;
}

/* A view of t with the dimensions of a, then those of b, of which dimension skip comes last. */
static at_tensor *view_of(at_tensor *t, const Dims *a, const Dims *b, int skip)
{
  Dims all = *a;
  for (int i = 0; i < b->count; i++)
    if (i != skip)
      append(&all, b->size[i], b->stride[i]);
  if (skip >= 0)
    append(&all, b->size[skip], b->stride[skip]);
  return at_newView(t, t->th->storageOffset, (at_ints){all.size, all.count}, all.stride);
}

static void set_row_major(Dims *dims, int64_t inner)
{
  for (int d = dims->count - 1; d >= 0; d--) {
    dims->stride[d] = inner;
    inner *= dims->size[d];
  }
}

/* --- conversion during a reduction ----------------------------------------------------------- */

static THReduceSource source_of(const at_type *compute, const at_tensor *x)
{
  return (THReduceSource){.itemSize = (ptrdiff_t)x->type->elementSize,
                          .converted = (ptrdiff_t)compute->elementSize,
                          .convert = x->type == compute ? NULL : at_conversion(compute, x->type)};
}

static const THReduction *kernels_of(const Reduction *how, const at_type *compute, at_scalar p,
                                     THReduceScalars *scalars)
{
  const bool isNorm = how->index == AT_REDUCTION_norm;
  scalars->p = isNorm ? at_scalar_toDouble(p) : at_scalar_toLong(p) == 0;
  return THReductions_of(how->own(scalars->p), compute->held);
}

static at_number convert_whole(const Reduction *how, at_tensor *x, const at_type *compute,
                               at_scalar p)
{
  union {
    double number;
    int64_t whole;
  } result;
  THReduceScalars scalars = {0};
  const THReduction *const op = kernels_of(how, compute, p, &scalars);
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, x);
  const THReduceSource source = source_of(compute, x);
  THReduce_all(op, &source, scalars, &loop, &result);
  return at_isFloating(compute->scalarType) ? at_scalar_double(result.number)
                                            : at_scalar_long(result.whole);
}

/* Reduces the last dimension of x to r, which has the others and is of the type that computes. */
static void convert_along(const Reduction *how, at_tensor *r, at_tensor *x, at_scalar p)
{
  THLines lines;
  THReduce reduce;
  THReduceScalars scalars = {0};
  const THReduction *const op = kernels_of(how, r->type, p, &scalars);
  THLines_init(&lines, x->th->nDimension, x->th->size, x->th->nDimension - 1);
  THLines_operand(&lines, x->th->stride, 0);
  THLines_operand(&lines, r->th->stride, 1);
  THLines_merge(&lines);
  const THReduceSource source = source_of(r->type, x);
  THReduce_prepare(&reduce, op, &source, scalars, &lines);
  THReduce_run(&reduce, at_hostData(x), at_hostData(r), NULL);
}

/* --- the engine ------------------------------------------------------------------------------ */

/* Reduces the last dimension of x. */
static void reduce_last(const Reduction *how, at_tensor *r, at_tensor *x, at_scalar p)
{
  if (x->type == r->type && how->along)
    how->along(x->type, r->th, x->th, x->th->nDimension - 1, p);
  else
    convert_along(how, r, x, p);
}

/* Reduces x to r, which has the shape.  x and r are of the same type, or on the host. */
static void reduce_to(at_pool *pool, at_tensor *r, const Reduction *how, at_tensor *x,
                      const Shape *shape, at_scalar p)
{
  Dims kept = {0}, reduced = {0}, result = {0};
  const int dims = at_sizesOf(x).count;
  const bool keepdim = shape->sizes.count == dims;
  for (int d = 0, e = 0; d < dims; d++) {
    if (shape->reduced[d]) {
      append(&reduced, x->th->size[d], x->th->stride[d]);
    } else {
      append(&kept, x->th->size[d], x->th->stride[d]);
      append(&result, r->th->size[e], r->th->stride[e]);
    }
    e += keepdim || !shape->reduced[d];
  }
  Dims groups = merged(&reduced);

  if (groups.count > 1) {
    int largest = 0; /* reduced first, it leaves the fewest partial results */
    for (int i = 1; i < groups.count; i++)
      if (groups.size[i] > groups.size[largest])
        largest = i;
    at_tensor *view = at_hold(pool, view_of(x, &kept, &groups, largest));
    if (!how->then) {
      x = at_hold(pool, at_newCast(view, r->type));
    } else {
      const at_ints all = at_sizesOf(view), left = {all.data, all.count - 1};
      x = at_hold(pool, at_newShape(r->type, left));
      reduce_last(how, x, view, p);
      if (how->index == AT_REDUCTION_norm && at_scalar_toDouble(p) == 0)
        p = at_scalar_long(1); /* partial results are counts, which are summed */
      how = how->then;
    }
    groups = (Dims){1, {at_numel(x) / at_countIn((at_ints){kept.size, kept.count})}, {1}};
    set_row_major(&kept, groups.size[0]);
  }
  at_tensor *view = at_hold(pool, view_of(x, &kept, &groups, 0));
  if (keepdim)
    r = at_hold(pool, view_of(r, &result, &(Dims){0}, -1));
  reduce_last(how, r, view, p);
}

/* A new tensor filled with the number, which is converted as elements are. */
static at_tensor *full_of(at_pool *pool, const at_type *type, at_ints sizes, at_scalar number)
{
  at_tensor *t = at_hold(pool, at_newShape(type, sizes));
  if (type->scalarType == AT_FLOAT || type->scalarType == AT_DOUBLE || type->scalarType == AT_BOOL)
    return at_fillWith(t, number);
  return at_copyFrom(t, at_hold(pool, at_newScalar(type, number)));
}

/* Reduces complex numbers, or in a complex type; type NULL is self's. */
static at_tensor *reduce_complex(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                                 bool keepdim, const at_type *type, at_scalar p)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *x = type ? at_cast(&pool, self, type) : self, *r;
  if (type && !at_isComplex(type->scalarType)) /* the real parts alone */
    r = at_reduce(out, how, x, dims, keepdim, type, p);
  else if (how->ofComplex)
    r = how->ofComplex(out, how, x, dims, keepdim, p);
  else
    at_raise(AT_ERROR_TYPE, "there is no such operation for tensors of %s",
             at_scalarTypeName(x->type->scalarType));
  at_pool_leave(&pool);
  return r;
}

at_tensor *at_reduce(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims, bool keepdim,
                     const at_type *type, at_scalar p)
{
  if (at_isComplex((type ? type : self->type)->scalarType) || at_isComplex(self->type->scalarType))
    return reduce_complex(out, how, self, dims, keepdim, type, p);
  Shape shape;
  shape_of(&shape, self, dims, keepdim);
  const at_type *result = result_type(how, out, self, type);
  const at_type *compute = compute_type(how, result);
  const double power = at_scalar_toDouble(p);
  if (shape.count == 0 &&
      (!how->takesEmpty || (how->index == AT_REDUCTION_norm && (power < 0 || isinf(power)))))
    at_raise(AT_ERROR_ARGUMENT, "there is no %s of no elements, and self has size (%s)", how->name,
             at_sizeDesc(at_sizesOf(self)).str);
  if (out)
    at_checkResult(out, NULL, shape.sizes, result->scalarType);

  at_pool pool;
  at_pool_enter(&pool);
  const int64_t left = at_countIn(shape.sizes);
  if (left == 0 || shape.count == 0) {
    const double ofEmpty = how->ofEmpty;
    const at_scalar number =
        isfinite(ofEmpty) ? at_scalar_long((int64_t)ofEmpty) : at_scalar_double(ofEmpty);
    return at_finishOne(&pool, out, full_of(&pool, result, shape.sizes, number));
  }

  /* Integers are summed in 64 bits whatever their type. */
  at_tensor *x = self;
  const bool onHost = at_isOnHost(compute);
  const bool counts = how->types == SUMS && !at_isFloating(self->type->scalarType) &&
                      result->scalarType != AT_BOOL && !at_isFloating(result->scalarType);
  if (how->types == SUMS && result->scalarType == AT_BOOL)
    x = at_cast(&pool, x, result);
  if (left == 1 && onHost) {
    const at_scalar number = counts || (x->type == compute && how->whole)
                                 ? how->whole(x->type, x->th, p)
                                 : convert_whole(how, x, compute, p);
    return at_finishOne(&pool, out, full_of(&pool, result, shape.sizes, number));
  }

  const bool direct = out && out->type == compute && result == compute &&
                      at_sameSizes(at_sizesOf(out), shape.sizes) &&
                      at_overlap(out, x) == TH_OVERLAP_NONE;
  at_tensor *r = direct ? out : at_hold(&pool, at_newShape(compute, shape.sizes));
  reduce_to(&pool, r, how, onHost ? x : at_cast(&pool, x, compute), &shape, p);
  if (!direct)
    return at_finishOne(&pool, out, at_cast(&pool, r, result));
  at_pool_leave(&pool);
  return out;
}

/* --- operations ------------------------------------------------------------------------------ */

at_tensor *at_reduceBooleans(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                             bool keepdim)
{
  if (dims.count > 0)
    return at_reduce(out, how, self, dims, keepdim, NULL, none);
  const at_type *result = result_type(how, out, self, NULL);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_cast(&pool, self, at_toScalarType(self->type, AT_BOOL));
  if (r == self || result != r->type)
    r = at_hold(&pool, at_newCast(r, result));
  return at_finishOne(&pool, out, r);
}

at_tensor *at_variance(at_tensor *out, at_reducing how, at_tensor *self, at_ints dims,
                       at_scalar correction, bool keepdim)
{
  const double less = at_scalar_toDouble(correction);
  if (at_isComplex(self->type->scalarType))
    return at_complexVariance(out, how, self, dims, correction, keepdim);
  if (less == 0 || less == 1)
    return at_reduce(out, how, self, dims, keepdim, NULL, at_scalar_long(less == 0));
  check_floating(how->name, self->type->scalarType);
  Shape shape;
  shape_of(&shape, self, dims, keepdim);
  if (out)
    at_checkResult(out, NULL, shape.sizes, self->type->scalarType);
  const double count = (double)shape.count, factor = count / fmax(0, count - less);
  at_pool pool;
  at_pool_enter(&pool);
  const at_type *compute = compute_type(AT_VAR, self->type);
  at_tensor *x = at_cast(&pool, self, compute), *r;
  r = at_hold(&pool, at_reduce(NULL, AT_VAR, x, dims, keepdim, NULL, at_scalar_long(1)));
  at_pointwise(r, AT_ROW_mul, compute->scalarType, 1, &r, at_scalar_double(factor), none);
  if (how->index == AT_REDUCTION_std)
    at_unary(r, AT_ROW_sqrt, r);
  return at_finishOne(&pool, out, at_cast(&pool, r, self->type));
}

at_tensor *at_normOf(at_tensor *out, at_tensor *self, at_scalar p, at_ints dims, bool keepdim,
                     const at_type *type)
{
  if (at_isComplex(self->type->scalarType))
    return reduce_complex(out, AT_NORM, self, dims, keepdim, type, p);
  check_floating("norm", self->type->scalarType);
  if (type && at_promoteTypes(self->type->scalarType, type->scalarType) != type->scalarType)
    at_raise(AT_ERROR_TYPE, "a norm of %s is not computed in %s, which is narrower",
             at_scalarTypeName(self->type->scalarType), at_scalarTypeName(type->scalarType));
  return at_reduce(out, AT_NORM, self, dims, keepdim, type, p);
}

at_tensor *at_distance(at_tensor *out, at_tensor *x, at_tensor *y, at_scalar p)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const between = at_hold(&pool, at_subtracted(NULL, x, y, at_scalar_long(1)));
  at_tensor *const r = at_normOf(out, between, p, (at_ints){0}, false, NULL);
  at_pool_leave(&pool);
  return r;
}

/* --- exponentials --------------------------------------------------------------------------- */

/* The operand of a sum of exponentials: a contiguous tensor of outer x length x inner elements, and
 * off, the outer x inner values that are subtracted from the elements of each line. */
typedef struct {
  const char *from, *off;
  ptrdiff_t itemSize, length, inner;
  THPointwiseKernel add, cadd, exp;
} Exponentials;

/* Subtracts off from up to n contiguous elements, from index first on: elements of one line if
 * inner is 1, else one element each of adjacent lines.  Returns how many. */
static ptrdiff_t take_off(const Exponentials *work, ptrdiff_t first, ptrdiff_t n, char *to)
{
  const ptrdiff_t item = work->itemSize, inner = work->inner, block = inner * work->length;
  const char *const x = work->from + first * item;
  const char *const off = work->off + (first / block * inner + first % inner) * item;
  const bool wide = item == sizeof(double);
  if (inner > 1) {
    n = THMin(n, inner - first % inner);
    const double less[2] = {-1, 0};
    const float narrow[2] = {-1, 0};
    work->cadd(n, to, x, off, NULL, wide ? (const void *)less : narrow, 0);
  } else {
    n = THMin(n, block - first % block);
    const double less[2] = {wide ? -*(const double *)off : 0};
    const float narrow[2] = {wide ? 0 : -*(const float *)off};
    work->add(n, to, x, NULL, NULL, wide ? (const void *)less : narrow, 0);
  }
  return n;
}

static void exponentials(const THRun *run, const void *scalars)
{
  static const double unused[2];
  const Exponentials *const work = scalars;
  char *to = run->at[0];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const ptrdiff_t first = (run->at[1] - work->from) / work->itemSize + j * run->rowStride[1];
    for (ptrdiff_t i = 0, n; i < run->n; i += n) {
      const ptrdiff_t most = run->stride[1] == 1 ? run->n - i : 1;
      n = take_off(work, first + i * run->stride[1], most, to);
      to += n * work->itemSize;
    }
  }
  work->exp(run->n * run->rows, run->at[0], run->at[0], NULL, NULL, unused, 0);
}

/* r = sum(exp(x - most)); r and most are contiguous and of x's type.  Returns false if x is not
 * reduced here: for lines of few elements, operations on whole tensors are faster. */
static bool sum_exponentials(at_pool *pool, at_tensor *r, at_tensor *x, const Shape *shape,
                             const at_tensor *most)
{
  enum { MIN_LENGTH = 32 };
  int64_t inner = 1;
  int d = at_sizesOf(x).count;
  while (d > 0 && !shape->reduced[d - 1])
    inner *= x->th->size[--d];
  int64_t length = 1;
  while (d > 0 && shape->reduced[d - 1])
    length *= x->th->size[--d];
  if (!at_isOnHost(x->type) || length != shape->count || (inner == 1 ? length : inner) < MIN_LENGTH)
    return false;
  x = at_hold(pool, at_makeContiguous(x));
  const int64_t outer = at_numel(x) / length / inner;
  const THScalarType held = x->type->held;
  const Exponentials work = {.from = at_hostData(x),
                             .off = at_hostData(most),
                             .itemSize = (ptrdiff_t)x->type->elementSize,
                             .length = length,
                             .inner = inner,
                             .add = THPointwise_kernel(&THPointwise_kernels_add, held),
                             .cadd = THPointwise_kernel(&THPointwise_kernels_cadd, held),
                             .exp = THPointwise_kernel(&THPointwise_kernels_exp, held)};
  const THReduceSource source = {work.itemSize, work.itemSize, exponentials, &work};
  THLines lines;
  THReduce reduce;
  THLines_init(&lines, 3, (int64_t[]){outer, length, inner}, 1);
  THLines_operand(&lines, (int64_t[]){length * inner, inner, 1}, 0);
  THLines_operand(&lines, (int64_t[]){inner, 1}, 1);
  THLines_merge(&lines);
  THReduce_prepare(&reduce, THReductions_of(&THReductions_sum, held), &source, (THReduceScalars){0},
                   &lines);
  THReduce_run(&reduce, work.from, at_hostData(r), NULL);
  return true;
}

at_tensor *at_logOfSums(at_tensor *out, at_tensor *self, at_ints dims, bool keepdim)
{
  const at_scalar_type own = self->type->scalarType;
  const at_type *result = at_toScalarType(self->type, at_isFloating(own) ? own : at_defaultType());
  const at_type *compute = compute_type(AT_MEAN, result);
  if (at_isOnHost(result) && THReductions_of(&THReductions_logSumExp, compute->held)->rows)
    return at_reduce(out, AT_LOG_SUM_EXP, self, dims, keepdim, result, none);
  Shape shape;
  shape_of(&shape, self, dims, keepdim);
  if (out)
    at_checkResult(out, NULL, shape.sizes, result->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  if (shape.count == 0 || at_countIn(shape.sizes) == 0)
    return at_finishOne(&pool, out,
                        full_of(&pool, result, shape.sizes, at_scalar_double(-INFINITY)));
  /* log(sum(exp(x))) = most + log(sum(exp(x - most))), with 0 for an infinite most. */
  at_tensor *x = at_cast(&pool, self, compute);
  at_tensor *most = at_hold(&pool, at_reduce(NULL, AT_MAX, x, dims, true, NULL, none));
  at_tensor *size = at_hold(&pool, at_unary(NULL, AT_ROW_abs, most));
  at_tensor *isInfinite =
      at_hold(&pool, at_compareScalar(NULL, AT_ROW_eqValue, size, at_scalar_double(INFINITY)));
  most = at_hold(&pool, at_choose(NULL, isInfinite, NULL, at_scalar_double(0), most, none));
  at_tensor *r = at_hold(&pool, at_newShape(compute, at_sizesOf(most)));
  if (!sum_exponentials(&pool, r, x, &shape, most)) {
    at_tensor *const terms = at_hold(&pool, at_subtracted(NULL, x, most, at_scalar_long(1)));
    at_unary(terms, AT_ROW_exp, terms);
    at_reduce(r, AT_SUM, terms, dims, true, NULL, none);
  }
  at_unary(r, AT_ROW_log, r);
  at_binary(r, AT_ROW_cadd, r, most, at_scalar_long(1));
  at_resizeTo(r, shape.sizes);
  return at_finishOne(&pool, out, at_cast(&pool, r, result));
}
