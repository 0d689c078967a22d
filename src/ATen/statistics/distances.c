/* Norms of vectors, and distances between them. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "lineElements.h"
#include "statistics.h"

static const at_scalar one = {.value.integer = 1}, zero;

at_tensor *at_vectorNorm(at_tensor *out, at_tensor *self, at_scalar ord, at_ints dim, bool keepdim,
                         const at_type *type)
{
  int64_t all[AT_MOST_DIMS];
  for (int d = 0; d < at_sizesOf(self).count; d++)
    all[d] = d;
  const at_ints every = {all, at_sizesOf(self).count};
  return at_normOf(out, self, ord, dim.count == 0 ? every : dim, keepdim, type);
}

at_tensor *at_normalized(at_tensor *v, at_tensor *g, int64_t dim)
{
  const int count = at_sizesOf(v).count, kept = dim == -1 ? -1 : at_wrapDim(dim, count);
  int64_t dims[AT_MOST_DIMS];
  int others = 0;
  for (int d = 0; d < count; d++)
    if (d != kept)
      dims[others++] = d;
  if (g->type != v->type)
    at_checkType(g, "g", v->type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const norm = others == 0
                              ? at_hold(&pool, at_absoluteOf(NULL, v))
                              : at_hold(&pool, at_normOf(NULL, v, at_scalar_long(2),
                                                         (at_ints){dims, others}, true, NULL));
  at_tensor *const factor = at_hold(&pool, at_binaryFloat(NULL, AT_ROW_cdiv, g, norm));
  return at_finishOne(&pool, NULL, at_hold(&pool, at_binary(NULL, AT_ROW_cmul, v, factor, one)));
}

/* The sum of x * y along dim. */
static at_tensor *dots(at_pool *pool, at_tensor *x, at_tensor *y, int64_t dim)
{
  at_tensor *const products = at_hold(pool, at_binary(NULL, AT_ROW_cmul, x, y, one));
  return at_hold(pool, at_reduce(NULL, AT_SUM, products, (at_ints){&dim, 1}, false, NULL, zero));
}

at_tensor *at_cosineBetween(at_tensor *x, at_tensor *y, int64_t dim, double eps)
{
  at_tensor *const in[] = {x, y};
  int64_t buffer[AT_MOST_DIMS];
  const at_scalar_type type = at_resultType(2, in, NULL);
  const at_ints sizes = at_broadcast(2, in, buffer);
  if (!at_isFloating(type))
    at_raise(AT_ERROR_TYPE, "x1 and x2 compute in %s, and need a floating type",
             at_scalarTypeName(type));
  const int64_t d = at_wrapDim(dim, sizes.count);
  const at_type *const result = at_toScalarType(x->type, type), *const compute =
                                                                    at_computesIn(result);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *a = at_brought(&pool, x, sizes, compute), *b = at_brought(&pool, y, sizes, compute);
  at_tensor *unit[2];
  for (int i = 0; i < 2; i++) {
    at_tensor *const t = i == 0 ? a : b;
    at_tensor *norm = at_hold(&pool, at_reduce(NULL, AT_NORM, t, (at_ints){&d, 1}, true, NULL,
                                               at_scalar_long(2)));
    norm = at_clamped(norm, norm, at_scalar_double(eps), at_scalar_none());
    unit[i] = at_hold(&pool, at_binaryFloat(NULL, AT_ROW_cdiv, t, norm));
  }
  return at_finishOne(&pool, NULL, at_cast(&pool, dots(&pool, unit[0], unit[1], d), result));
}

at_tensor *at_pairDistance(at_tensor *x, at_tensor *y, double p, double eps, bool keepdim)
{
  const int64_t last = -1;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *between = at_hold(&pool, at_subtracted(NULL, x, y, one));
  between =
      at_hold(&pool, at_binaryScalar(NULL, AT_ROW_add_scaled, between, at_scalar_double(eps), one));
  at_tensor *const r =
      at_normOf(NULL, between, at_scalar_double(p), (at_ints){&last, 1}, keepdim, NULL);
  at_pool_leave(&pool);
  return r;
}

/* --- all pairs -------------------------------------------------------------------------------- */

static void check_pairs(const at_tensor *t, const char *name, double p, int dims)
{
  const at_scalar_type type = t->type->scalarType;
  if (type != AT_FLOAT && type != AT_DOUBLE)
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of Float or Double", name,
             at_scalarTypeName(type));
  if (at_sizesOf(t).count < dims)
    at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and has to have 2 dimensions", name,
             at_sizeDesc(at_sizesOf(t)).str);
  if (!(p >= 0))
    at_raise(AT_ERROR_ARGUMENT, "p is %g, and has to be 0 or more", p);
}

/* t in Double, expanded to a batch, elements adjacent. */
static at_tensor *rows_of(at_pool *pool, at_tensor *t, at_ints batch)
{
  int64_t sizes[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(t);
  for (int d = 0; d < batch.count; d++)
    sizes[d] = batch.data[d];
  sizes[batch.count] = own.data[own.count - 2];
  sizes[batch.count + 1] = own.data[own.count - 1];
  at_tensor *const wide = at_hold(pool, at_newExpanded(t, (at_ints){sizes, batch.count + 2}));
  return at_hold(pool, at_newCast(wide, at_toScalarType(t->type, AT_DOUBLE)));
}

at_tensor *at_distances(at_tensor *x, at_tensor *y, double p)
{
  int64_t buffer[AT_MOST_DIMS];
  check_pairs(x, "x1", p, 2);
  check_pairs(y, "x2", p, 2);
  const at_ints own = at_sizesOf(x), others = at_sizesOf(y);
  const int64_t n = own.data[own.count - 1];
  if (others.data[others.count - 1] != n || x->type != y->type)
    at_raise(AT_ERROR_ARGUMENT,
             "x1 is of %s and of size (%s), x2 of %s and (%s): type and last size "
             "have to agree",
             at_scalarTypeName(x->type->scalarType), at_sizeDesc(own).str,
             at_scalarTypeName(y->type->scalarType), at_sizeDesc(others).str);
  const at_ints batches[] = {{own.data, own.count - 2}, {others.data, others.count - 2}};
  const at_ints batch = at_broadcastSizes(2, batches, buffer);
  at_checkDims(batch.count + 2);
  const int64_t rows = own.data[own.count - 2], columns = others.data[others.count - 2];
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const a = rows_of(&pool, x, batch), *const b = rows_of(&pool, y, batch);
  buffer[batch.count] = rows;
  buffer[batch.count + 1] = columns;
  at_tensor *const made = at_hold(&pool, at_newShape(a->type, (at_ints){buffer, batch.count + 2}));
  const int64_t lines = columns > 0 ? at_numel(made) / columns : 0;
  const at_distances_work w = {.lines = lines,
                               .rows = rows,
                               .columns = columns,
                               .n = n,
                               .p = p,
                               .x = at_data(a),
                               .y = at_data(b),
                               .to = at_data(made)};
  if (at_isOnHost(a->type))
    TH_PARALLEL_FOR (i, lines, 1 + TH_LOOP_GRAIN / THMax(1, columns * THMax(1, n)))
      for (int64_t j = 0; j < columns; j++)
        w.to[i * columns + j] =
            at_lineDistance(w.x + i * n, w.y + (i / rows * columns + j) * n, n, p);
  else if (lines > 0)
    at_cuda()->launch(AT_KERNEL_distances, THScalarDouble, &w);
  return at_finishOne(&pool, NULL, at_cast(&pool, made, x->type));
}

at_tensor *at_distancesWithin(at_tensor *x, double p)
{
  check_pairs(x, "self", p, 2);
  if (at_sizesOf(x).count != 2)
    at_raise(AT_ERROR_ARGUMENT, "self has size (%s), and has to be a matrix",
             at_sizeDesc(at_sizesOf(x)).str);
  const int64_t rows = x->th->size[0], n = x->th->size[1];
  int64_t pairs;
  if (__builtin_mul_overflow(rows, THMax(rows - 1, 0), &pairs))
    at_raise(AT_ERROR_ARGUMENT, "self has %lld rows, whose pairs are too many", (long long)rows);
  pairs /= 2;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const a = rows_of(&pool, x, (at_ints){0});
  at_tensor *const made = at_hold(&pool, at_newShape(a->type, (at_ints){&pairs, 1}));
  const double *const row = at_data(a);
  double *r = at_data(made);
  if (pairs > 0 && !at_isOnHost(a->type))
    at_cuda()->launch(AT_KERNEL_distancesWithin, THScalarDouble,
                      &(at_distances_work){.rows = rows, .n = n, .p = p, .x = row, .to = r});
  for (int64_t i = 0; i < rows && at_isOnHost(a->type); i++)
    for (int64_t j = i + 1; j < rows; j++)
      *r++ = at_lineDistance(row + i * n, row + j * n, n, p);
  return at_finishOne(&pool, NULL, at_cast(&pool, made, x->type));
}
