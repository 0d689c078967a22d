/* Products of complex matrices: each is four products of the parts, which take the time of one
 * complex product, and every kind of product that real matrices have. */
#include "complex.h"

#include "ATen/core/ATenOperations.h"

/* Contiguous parts, which products read fastest. */
typedef struct {
  at_tensor *re, *im;
} Parts;

static Parts parts_of(at_pool *pool, at_tensor *t)
{
  at_tensor *parts[2];
  for (int i = 0; i < 2; i++) {
    at_tensor *view = at_hold(pool, at_viewPart(t, i));
    parts[i] = at_hold(pool, at_newCast(view, view->type));
  }
  return (Parts){parts[0], parts[1]};
}

static void check_complex(const at_tensor *x, const at_tensor *t)
{
  if (t && t->type != x->type)
    at_raise(AT_ERROR_TYPE, "operands of a product are of one type, and these of %s and %s",
             at_scalarTypeName(x->type->scalarType), at_scalarTypeName(t->type->scalarType));
}

at_tensor *at_complexProduct(at_tensor *out, at_product_kind kind, at_tensor *self, at_tensor *x,
                             at_tensor *y, at_scalar beta, at_scalar alpha)
{
  check_complex(x, y);
  check_complex(x, self);
  check_complex(x, out);
  const at_scalar zero = at_scalar_long(0), one = at_scalar_long(1);
  const at_scalar less = at_scalar_double(-at_scalar_toDouble(alpha));
  at_pool pool;
  at_pool_enter(&pool);
  const Parts a = parts_of(&pool, x), b = parts_of(&pool, y);
  at_tensor *re = at_hold(&pool, at_product(NULL, kind, NULL, a.re, b.re, zero, alpha));
  at_tensor *im = at_hold(&pool, at_product(NULL, kind, NULL, a.re, b.im, zero, alpha));
  at_product(re, kind, re, a.im, b.im, one, less);
  at_product(im, kind, im, a.im, b.re, one, alpha);
  at_tensor *made = at_hold(&pool, at_complexFrom(NULL, re, im));
  if (self && at_scalar_toDouble(beta) != 0) {
    at_checkBroadcast(self, at_sizesOf(made));
    at_binary(made, AT_ROW_cadd, made, self, beta);
  }
  return at_finishOne(&pool, out, made);
}

at_tensor *at_complexDot(at_tensor *out, at_tensor *x, at_tensor *y)
{
  check_complex(x, y);
  check_complex(x, out);
  at_pool pool;
  at_pool_enter(&pool);
  const Parts a = parts_of(&pool, x), b = parts_of(&pool, y);
  at_tensor *re = at_hold(&pool, at_dotProduct(NULL, a.re, b.re));
  at_tensor *im = at_hold(&pool, at_dotProduct(NULL, a.re, b.im));
  at_tensor *const less = at_hold(&pool, at_dotProduct(NULL, a.im, b.im));
  at_tensor *const more = at_hold(&pool, at_dotProduct(NULL, a.im, b.re));
  at_subtracted(re, re, less, at_scalar_long(1));
  at_binary(im, AT_ROW_cadd, im, more, at_scalar_long(1));
  return at_finishOne(&pool, out, at_hold(&pool, at_complexFrom(NULL, re, im)));
}

at_tensor *at_conjugateDot(at_tensor *out, at_tensor *x, at_tensor *y)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *conjugate = at_hold(&pool, at_conjugated(NULL, x));
  at_tensor *r = at_dotProduct(out, conjugate, y);
  at_pool_leave(&pool);
  return r;
}
