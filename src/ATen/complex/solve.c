/* Systems of complex equations, as real ones of twice the size: those of [re -im; im re], which does to
 * the parts of a vector, one below the other, what the complex matrix does to the vector. */
#include "complex.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/linear/linalg.h"

static at_tensor *both(at_pool *pool, at_tensor *a, at_tensor *b, int64_t dim)
{
  at_tensor *const all[] = {a, b};
  return at_hold(pool, at_joined(NULL, (at_tensors){all, 2}, dim));
}

static at_tensor *real_form(at_pool *pool, at_tensor *a)
{
  at_tensor *const re = at_hold(pool, at_viewPart(a, 0)), *const im =
                                                              at_hold(pool, at_viewPart(a, 1));
  at_tensor *const less = at_hold(pool, at_unary(NULL, AT_ROW_neg, im));
  return both(pool, both(pool, re, less, -1), both(pool, im, re, -1), -2);
}

/* The complex numbers whose parts are the halves of t along the dimension. */
static at_tensor *halves(at_pool *pool, at_tensor *t, int dim)
{
  const int64_t half = at_sizesOf(t).data[dim] / 2;
  return at_hold(pool, at_complexFrom(NULL, at_hold(pool, at_viewNarrow(t, dim, 0, half)),
                                      at_hold(pool, at_viewNarrow(t, dim, half, half))));
}

static void check_square(const at_tensor *a)
{
  const at_ints own = at_sizesOf(a);
  if (own.count < 2 || own.data[own.count - 1] != own.data[own.count - 2])
    at_raise(AT_ERROR_ARGUMENT, "A has size (%s), and has to be square matrices",
             at_sizeDesc(own).str);
}

at_tensor *at_complexSolutions(at_tensor *out, at_tensor *a, at_tensor *b, bool left)
{
  check_square(a);
  at_checkType(b, "B", a->type);
  const at_ints own = at_sizesOf(a), others = at_sizesOf(b);
  const bool vectors =
      others.count == 1 || at_sameSizes((at_ints){own.data, own.count - 1}, others);
  if (others.count == 0 || (vectors && !left))
    at_raise(AT_ERROR_ARGUMENT, "B has size (%s), and has to be %s", at_sizeDesc(others).str,
             left ? "vectors or matrices" : "matrices where left is false");
  at_pool pool;
  at_pool_enter(&pool);
  a = left ? a : at_hold(&pool, at_viewTranspose(a, -1, -2));
  b = left ? b : at_hold(&pool, at_viewTranspose(b, -1, -2));
  const int dim = vectors ? -1 : -2;
  at_tensor *const parts =
      both(&pool, at_hold(&pool, at_viewPart(b, 0)), at_hold(&pool, at_viewPart(b, 1)), dim);
  at_tensor *x = at_hold(&pool, at_solutions(NULL, real_form(&pool, a), parts, true));
  x = halves(&pool, x, at_sizesOf(x).count + dim);
  if (!left)
    x = at_hold(&pool, at_copied(NULL, at_viewTranspose(x, -1, -2)));
  return at_finishOne(&pool, out, x);
}

at_tensor *at_complexInverses(at_tensor *out, at_tensor *a)
{
  check_square(a);
  at_pool pool;
  at_pool_enter(&pool);
  const int dims = at_sizesOf(a).count;
  at_tensor *const x = at_hold(&pool, at_inverses(NULL, real_form(&pool, a)));
  at_tensor *const left =
      at_hold(&pool, at_viewNarrow(x, dims - 1, 0, at_sizesOf(a).data[dims - 1]));
  return at_finishOne(&pool, out, halves(&pool, left, dims - 2));
}
