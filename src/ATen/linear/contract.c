/* Sums of products over dimensions: they become products of batches of matrices. */
#include "contract.h"

#include "ATen/core/ATenOperations.h"

static const at_scalar one = {.value.integer = 1};

/* --- the product of two ----------------------------------------------------------------------- */

/* The order in which the dimensions of an operand are put, and their counts by role. */
typedef struct {
  int64_t order[AT_MOST_DIMS];
  int64_t batch, own, inner; /* products of sizes */
} Roles;

/* Puts the dimensions that both have first, then x's own, then those to sum over. */
static void assign(Roles *roles, const at_tensor *x, const at_tensor *y, const bool *summed)
{
  const int dims = at_sizesOf(x).count;
  int at = 0;
  roles->batch = roles->own = roles->inner = 1;
  for (int role = 0; role < 3; role++)
    for (int d = 0; d < dims; d++) {
      const int64_t size = x->th->size[d], other = y->th->size[d];
      const bool both = size != 1 && other != 1;
      const int is = summed[d] ? 2 : both ? 0 : 1;
      if (is != role)
        continue;
      roles->order[at++] = d;
      *(role == 0 ? &roles->batch : role == 1 ? &roles->own : &roles->inner) *= size;
    }
}

/* x with its dimensions in the order of their roles, as batch x own x inner. */
static at_tensor *by_roles(at_pool *pool, at_tensor *x, const Roles *roles)
{
  const int64_t sizes[] = {roles->batch, roles->own, roles->inner};
  const at_ints order = {roles->order, at_sizesOf(x).count};
  return at_hold(pool, at_reshaped(at_hold(pool, at_viewPermute(x, order)), (at_ints){sizes, 3}));
}

/* x summed over those dimensions to sum over that y does not have. */
static at_tensor *sum_alone(at_pool *pool, at_tensor *x, const at_tensor *y, const bool *summed)
{
  int64_t dims[AT_MOST_DIMS];
  int count = 0;
  for (int d = 0; d < at_sizesOf(x).count; d++)
    if (summed[d] && x->th->size[d] != 1 && y->th->size[d] == 1)
      dims[count++] = d;
  if (count == 0)
    return x;
  return at_hold(pool, at_reduce(NULL, AT_SUM, x, (at_ints){dims, count}, true, x->type, one));
}

at_tensor *at_sumOfProducts(at_pool *pool, at_tensor *x, at_tensor *y, const bool *summed)
{
  const int dims = at_sizesOf(x).count;
  if (dims == 0)
    return at_hold(pool, at_binary(NULL, AT_ROW_cmul, x, y, one));
  Roles of[2];
  at_tensor *const own[] = {sum_alone(pool, x, y, summed), sum_alone(pool, y, x, summed)};
  for (int i = 0; i < 2; i++)
    assign(&of[i], own[i], own[1 - i], summed);
  at_tensor *const right = by_roles(pool, own[1], &of[1]);
  at_tensor *const product =
      at_hold(pool,
              at_product(NULL, AT_BATCHES, NULL, by_roles(pool, own[0], &of[0]),
                         at_hold(pool, at_viewTranspose(right, 1, 2)), at_scalar_long(0), one));

  /* The result is batch x own of x x own of y; each dimension is brought to its index. */
  int64_t sizes[AT_MOST_DIMS], order[AT_MOST_DIMS] = {0};
  int count = 0;
  for (int step = 0; step < 4; step++)
    for (int d = 0; d < dims; d++) {
      const int64_t a = own[0]->th->size[d], b = own[1]->th->size[d];
      const int is = summed[d] ? 3 : a != 1 && b != 1 ? 0 : a != 1 ? 1 : 2;
      if (is != step)
        continue;
      order[d] = count;
      sizes[count++] = summed[d] ? 1 : a != 1 ? a : b;
    }
  at_tensor *const wide = at_hold(pool, at_viewAs(product, (at_ints){sizes, dims}));
  return at_hold(pool, at_viewPermute(wide, (at_ints){order, dims}));
}

static void check_same(const at_tensor *x, const at_tensor *y, const char *name)
{
  if (y->type != x->type)
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of %s as the first operand", name,
             at_scalarTypeName(y->type->scalarType), at_scalarTypeName(x->type->scalarType));
}

/* --- linear maps ------------------------------------------------------------------------------ */

at_tensor *at_linearMap(at_tensor *out, at_tensor *input, at_tensor *weight, at_tensor *bias)
{
  const at_ints sizes = at_sizesOf(input), weights = at_sizesOf(weight);
  if (sizes.count == 0 || weights.count < 1 || weights.count > 2 ||
      sizes.data[sizes.count - 1] != weights.data[weights.count - 1])
    at_raise(AT_ERROR_ARGUMENT,
             "input has size (%s) and weight (%s): the last sizes have to agree, and weight has to "
             "be a matrix or a vector",
             at_sizeDesc(sizes).str, at_sizeDesc(weights).str);
  int64_t buffer[AT_MOST_DIMS], rows = 1;
  for (int d = 0; d < sizes.count - 1; d++) {
    buffer[d] = sizes.data[d];
    rows *= sizes.data[d];
  }
  const int64_t two[] = {rows, sizes.data[sizes.count - 1]};
  at_pool pool;
  at_pool_enter(&pool);
  if (weights.count == 1)
    weight = at_hold(&pool, at_viewUnsqueeze(weight, 0));
  at_tensor *const lines = at_hold(&pool, at_reshaped(input, (at_ints){two, 2}));
  at_tensor *const map = at_hold(&pool, at_viewTranspose(weight, 0, 1));
  at_tensor *const r = at_hold(&pool, at_product(NULL, AT_MATRIX_MATRIX, bias, lines, map,
                                                 at_scalar_long(bias ? 1 : 0), one));
  buffer[sizes.count - 1] = r->th->size[1];
  const at_ints all = {buffer, sizes.count - (weights.count == 1)};
  return at_finishOne(&pool, out, at_hold(&pool, at_viewAs(r, all)));
}

at_tensor *at_bilinearMap(at_tensor *x, at_tensor *y, at_tensor *weight, at_tensor *bias)
{
  const at_ints sizes = at_sizesOf(x), others = at_sizesOf(y), weights = at_sizesOf(weight);
  bool fits = sizes.count > 0 && sizes.count == others.count && weights.count == 3;
  for (int d = 0; fits && d < sizes.count - 1; d++)
    fits = sizes.data[d] == others.data[d];
  if (!fits || sizes.data[sizes.count - 1] != weights.data[1] ||
      others.data[sizes.count - 1] != weights.data[2])
    at_raise(AT_ERROR_ARGUMENT, "input1 has size (%s), input2 (%s) and weight (%s)",
             at_sizeDesc(sizes).str, at_sizeDesc(others).str, at_sizeDesc(weights).str);
  check_same(x, y, "input2");
  check_same(x, weight, "weight");
  at_pool pool;
  at_pool_enter(&pool);
  int64_t rows = 1, buffer[AT_MOST_DIMS];
  for (int d = 0; d < sizes.count - 1; d++)
    rows *= buffer[d] = sizes.data[d];
  /* rows x outputs x inputs of x x inputs of y */
  const int64_t ofX[] = {rows, 1, weights.data[1], 1}, ofY[] = {rows, 1, 1, weights.data[2]};
  const bool first[] = {false, false, true, false}, second[] = {false, false, true, true};
  at_tensor *const left = at_hold(&pool, at_reshaped(x, (at_ints){ofX, 4}));
  at_tensor *const right = at_hold(&pool, at_reshaped(y, (at_ints){ofY, 4}));
  at_tensor *const map = at_hold(&pool, at_viewUnsqueeze(weight, 0));
  at_tensor *r = at_sumOfProducts(&pool, left, map, first);
  r = at_sumOfProducts(&pool, r, right, second);
  buffer[sizes.count - 1] = weights.data[0];
  r = at_hold(&pool, at_reshaped(r, (at_ints){buffer, sizes.count}));
  if (bias)
    r = at_hold(&pool, at_binary(NULL, AT_ROW_cadd, r, bias, one));
  return at_finishOne(&pool, NULL, r);
}

/* --- contractions ----------------------------------------------------------------------------- */

/* The dimensions of t that are not in dims, then those (or with before, those first); the counts of
 * elements of both, and the sizes of the dimensions that remain, which are added to left. */
static void split_dims(const at_tensor *t, at_ints dims, bool before, int64_t *order,
                       int64_t elements[2], int64_t *left, int *count)
{
  bool named[AT_MOST_DIMS] = {false};
  const at_ints own = at_sizesOf(t);
  int at = before ? dims.count : 0;
  elements[0] = elements[1] = 1;
  for (int i = 0; i < dims.count; i++) {
    const int d = at_wrapDim(dims.data[i], own.count);
    if (named[d] || own.count == 0)
      at_raise(AT_ERROR_ARGUMENT, "dimension %d is named twice", d);
    named[d] = true;
    order[before ? i : own.count - dims.count + i] = d;
    elements[1] *= own.data[d];
  }
  for (int d = 0; d < own.count; d++) {
    if (named[d])
      continue;
    order[at++] = d;
    elements[0] *= own.data[d];
    left[(*count)++] = own.data[d];
  }
}

/* t with the sizes of other in those of dims that have the size 1 in t. */
static at_tensor *repeated(at_pool *pool, at_tensor *t, at_ints dims, const at_tensor *other,
                           at_ints otherDims)
{
  int64_t sizes[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(t), others = at_sizesOf(other);
  bool isSame = true;
  for (int d = 0; d < own.count; d++)
    sizes[d] = own.data[d];
  for (int i = 0; i < dims.count; i++) {
    const int d = at_wrapDim(dims.data[i], own.count);
    const int64_t size = others.data[at_wrapDim(otherDims.data[i], others.count)];
    if (own.data[d] == 1 && size != 1) {
      sizes[d] = size;
      isSame = false;
    }
  }
  return isSame ? t : at_hold(pool, at_newExpanded(t, (at_ints){sizes, own.count}));
}

at_tensor *at_contracted(at_tensor *out, at_tensor *x, at_tensor *y, at_ints dimsOfX,
                         at_ints dimsOfY)
{
  at_ints own = at_sizesOf(x), others = at_sizesOf(y);
  int64_t orderOfX[AT_MOST_DIMS], orderOfY[AT_MOST_DIMS], ofX[2], ofY[2], left[2 * AT_MOST_DIMS];
  int count = 0;
  if (dimsOfX.count != dimsOfY.count || dimsOfX.count > own.count || dimsOfY.count > others.count)
    at_raise(AT_ERROR_ARGUMENT,
             "dims_self has %d numbers, dims_other %d: of self and other of "
             "sizes (%s) and (%s) as many are expected",
             dimsOfX.count, dimsOfY.count, at_sizeDesc(own).str, at_sizeDesc(others).str);
  at_pool pool;
  at_pool_enter(&pool);
  if (own.count > 0 && others.count > 0) {
    at_tensor *const wide = repeated(&pool, x, dimsOfX, y, dimsOfY);
    y = repeated(&pool, y, dimsOfY, x, dimsOfX);
    x = wide;
    own = at_sizesOf(x);
    others = at_sizesOf(y);
  }
  split_dims(x, dimsOfX, false, orderOfX, ofX, left, &count);
  split_dims(y, dimsOfY, true, orderOfY, ofY, left, &count);
  for (int i = 0; i < dimsOfX.count; i++)
    if (own.data[orderOfX[own.count - dimsOfX.count + i]] != others.data[orderOfY[i]])
      at_raise(AT_ERROR_ARGUMENT,
               "self has size (%s) and other (%s): dimensions %lld and %lld do "
               "not agree",
               at_sizeDesc(own).str, at_sizeDesc(others).str, (long long)dimsOfX.data[i],
               (long long)dimsOfY.data[i]);
  at_checkDims(count);
  const int64_t sizesOfX[] = {ofX[0], ofX[1]}, sizesOfY[] = {ofY[1], ofY[0]};
  at_tensor *a = at_hold(&pool, at_viewPermute(x, (at_ints){orderOfX, own.count}));
  at_tensor *b = at_hold(&pool, at_viewPermute(y, (at_ints){orderOfY, others.count}));
  a = at_hold(&pool, at_reshaped(a, (at_ints){sizesOfX, 2}));
  b = at_hold(&pool, at_reshaped(b, (at_ints){sizesOfY, 2}));
  at_tensor *const r =
      at_hold(&pool, at_product(NULL, AT_MATRIX_MATRIX, NULL, a, b, at_scalar_long(0), one));
  return at_finishOne(&pool, out, at_hold(&pool, at_viewAs(r, (at_ints){left, count})));
}

at_tensor *at_innerProduct(at_tensor *out, at_tensor *x, at_tensor *y)
{
  const int64_t last = -1;
  const at_ints dims = {&last, 1};
  check_same(x, y, "other");
  if (x->isScalar || y->isScalar)
    return at_binary(out, AT_ROW_cmul, x, y, one);
  return at_contracted(out, x, y, dims, dims);
}

/* t with count dimensions, a new one of size 1 before each of them (or with behind, after). */
static at_tensor *interleaved(at_pool *pool, at_tensor *t, int count, bool behind)
{
  int64_t sizes[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(t);
  for (int d = 0; d < count; d++) {
    const int e = d - (count - own.count);
    sizes[2 * d + behind] = 1;
    sizes[2 * d + !behind] = e < 0 ? 1 : own.data[e];
  }
  return at_hold(pool, at_reshaped(t, (at_ints){sizes, 2 * count}));
}

at_tensor *at_kronecker(at_tensor *out, at_tensor *x, at_tensor *y)
{
  const int count = THMax(at_sizesOf(x).count, at_sizesOf(y).count);
  int64_t sizes[AT_MOST_DIMS];
  if (2 * count > AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "%d dimensions are more than half of %d", count, AT_MOST_DIMS);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const outer = interleaved(&pool, x, count, true);
  at_tensor *const blocks = interleaved(&pool, y, count, false);
  at_tensor *const r = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, outer, blocks, one));
  for (int d = 0; d < count; d++)
    sizes[d] = r->th->size[2 * d] * r->th->size[2 * d + 1];
  return at_finishOne(&pool, out, at_hold(&pool, at_reshaped(r, (at_ints){sizes, count})));
}
