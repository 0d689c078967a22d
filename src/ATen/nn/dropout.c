/* Dropout: PyTorch draws the elements that remain with bernoulli, and so does this. */
#include "ATen/core/ATenOperations.h"

static const at_scalar one = {.value.integer = 1};

static void check(double p)
{
  if (!(p >= 0 && p <= 1))
    at_raise(AT_ERROR_ARGUMENT, "p is %g, and has to be from 0 to 1", p);
}

/* Whether dimension a lies outside of b in memory: > 0, < 0 if b lies outside, 0 if that is open, as where
 * one is repeated. */
static int is_outside(at_ints sizes, const int64_t *strides, int a, int b)
{
  if (strides[a] == 0 || strides[b] == 0)
    return 0;
  if (strides[a] != strides[b])
    return strides[a] > strides[b] ? 1 : -1;
  return sizes.data[a] > sizes.data[b];
}

/* The dimensions in the order in which elements lie in memory, the innermost one first; what is open stays
 * as it is. */
static void memory_order(at_ints sizes, const int64_t *strides, int *order)
{
  for (int i = 0; i < sizes.count; i++) {
    order[i] = sizes.count - 1 - i;
    for (int at = i, before = i - 1; before >= 0; before--) {
      const int outside = is_outside(sizes, strides, order[before], order[at]);
      if (outside < 0)
        break;
      if (outside > 0) {
        const int moved = order[before];
        order[before] = order[at];
        order[at] = moved;
        at = before;
      }
    }
  }
}

/* 1 for each element that remains, else 0; in self's type.  As in PyTorch they are drawn in the order
 * of self's memory. */
static at_tensor *drawn(at_pool *pool, at_tensor *self, double p)
{
  const at_ints sizes = at_sizesOf(self);
  int order[AT_MOST_DIMS];
  int64_t ordered[AT_MOST_DIMS], strides[AT_MOST_DIMS], step = 1;
  memory_order(sizes, self->th->stride, order);
  for (int i = 0; i < sizes.count; i++) {
    const int d = order[i];
    ordered[sizes.count - 1 - i] = sizes.data[d];
    strides[d] = step;
    step *= sizes.data[d];
  }
  at_tensor *const kept = at_layerNew(pool, self->type, (at_ints){ordered, sizes.count});
  at_drawFill(kept, AT_DRAW_BERNOULLI, 1 - p, 0, NULL);
  return at_hold(pool, at_newView(kept, 0, sizes, strides));
}

at_tensor *at_droppedOut(at_tensor *out, at_tensor *self, double p, bool train)
{
  check(p);
  if (out)
    at_checkWritable(out);
  if (!train || p == 0 || at_numel(self) == 0)
    return out ? out : at_newAlias(self);
  if (p == 1)
    return at_binaryScalar(out, AT_ROW_mul, self, at_scalar_long(0), one);
  at_layerType(self);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *kept = drawn(&pool, self, p);
  kept = at_binaryFloatScalar(kept, AT_ROW_div, kept, at_scalar_double(1 - p));
  at_tensor *const r = at_binary(out, AT_ROW_cmul, self, kept, one);
  at_pool_leave(&pool);
  return r;
}

void at_dropOut(at_tensor **out, at_tensor *self, double p, bool train)
{
  check(p);
  const at_type *const boolean = at_toScalarType(self->type, AT_BOOL);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *made[2];
  if (!train || at_numel(self) == 0) {
    made[0] = at_hold(&pool, at_newCast(self, self->type));
    made[1] = at_hold(&pool, at_makeFilled(boolean, at_sizesOf(self), at_scalar_long(1)));
  } else {
    at_tensor *const kept = drawn(&pool, self, p);
    const double factor = p == 1 ? 0 : 1 / (1 - p);
    made[1] = at_cast(&pool, kept, boolean);
    made[0] = at_hold(&pool, at_binary(NULL, AT_ROW_cmul, self, kept, one));
    made[0] = at_binaryScalar(made[0], AT_ROW_mul, made[0], at_scalar_double(factor), one);
  }
  at_finish(&pool, 2, out, made);
}
