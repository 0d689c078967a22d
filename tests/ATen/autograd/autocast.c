/* Mixed precision.  The expected values are those of the same operations on operands that the test
 * casts itself, and the types those that PyTorch's documentation of torch.autocast lists. */
#include <pthread.h>
#include <string.h>

#include "ATen.h"
#include "th_fail.h"
#include "th_test.h"

#define CHECK_TYPE(T, TYPE) CHECK_MSG(at_typeOf(T) == AT_CPU(TYPE), "%s %s", #T, at_error_message())

static at_tensor *random_tensor(at_ints sizes)
{
  return at_randn(sizes);
}

static at_tensor *lower(at_tensor *t)
{
  return at_to(t, AT_CPU(AT_BFLOAT16));
}

static void types(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = random_tensor(AT_SHAPE(3, 4)), *b = random_tensor(AT_SHAPE(4, 5));
    at_tensor *image = random_tensor(AT_SHAPE(1, 2, 6, 6)),
              *kernel = random_tensor(AT_SHAPE(3, 2, 3, 3));
    at_tensor *plain = at_mm(lower(a), lower(b)),
              *convolved = at_conv2d(lower(image), lower(kernel));
    AT_AUTOCAST(AT_BFLOAT16)
    {
      at_tensor *product = at_mm(a, b);
      CHECK_TYPE(product, AT_BFLOAT16);
      CHECK(at_equal(product, plain));
      CHECK(at_equal(at_conv2d(image, kernel), convolved));
      CHECK_TYPE(at_softmax(a, 1), AT_FLOAT);
      CHECK_TYPE(at_softmax(lower(a), 1), AT_BFLOAT16);
      CHECK_TYPE(at_add(product, 1), AT_BFLOAT16);
      CHECK_TYPE(at_add(product, at_ones(AT_SHAPE(5))), AT_FLOAT);
      CHECK_TYPE(at_mse_loss(product, at_zeros_like(product)), AT_FLOAT);
      CHECK_TYPE(at_cat(AT_TENSORS(product, at_ones(AT_SHAPE(1, 5)))), AT_FLOAT);
      CHECK_TYPE(at_cat(AT_TENSORS(product, product)), AT_BFLOAT16);
      CHECK_TYPE(at_mm(at_to(a, AT_CPU(AT_DOUBLE)), at_to(b, AT_CPU(AT_DOUBLE))), AT_DOUBLE);
      CHECK_TYPE(at_mm_out(at_empty(AT_SHAPE(0)), a, b), AT_FLOAT);
    }
    CHECK_TYPE(at_mm(a, b), AT_FLOAT);
    AT_AUTOCAST(AT_HALF) CHECK_TYPE(at_mm(a, b), AT_HALF);
  }
}

/* The gradient passes the casts: dL/dW = (dL/dy)' x, in BFloat16, is then Float. */
static void gradients(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = random_tensor(AT_SHAPE(6, 4)),
              *w = at_requires_grad_(random_tensor(AT_SHAPE(3, 4)));
    at_tensor *bias = at_requires_grad_(random_tensor(AT_SHAPE(3))),
              *target = random_tensor(AT_SHAPE(6, 3));
    at_tensor *loss = NULL;
    AT_AUTOCAST(AT_BFLOAT16) loss = at_mse_loss(at_linear(x, w, .bias = bias), target);
    CHECK_TYPE(loss, AT_FLOAT);
    CHECK_MSG(at_backward(loss), "%s", at_error_message());
    at_tensor *own = at_retain(at_grad(w)), *ownBias = at_retain(at_grad(bias));
    CHECK_TYPE(own, AT_FLOAT);
    at_set_grad(w, NULL);
    at_set_grad(bias, NULL);
    at_tensor *y = at_linear(lower(x), lower(w), .bias = lower(bias));
    at_tensor *other = at_mse_loss(at_to(y, AT_CPU(AT_FLOAT)), target);
    CHECK(at_item_double(other) == at_item_double(loss) && at_backward(other));
    CHECK(at_equal(own, at_grad(w)) && at_equal(ownBias, at_grad(bias)));
    at_release(own);
    at_release(ownBias);
  }
}

/* The node of the cast of y's second operand. */
static at_node *cast_behind(const at_tensor *y)
{
  at_node *const product = at_grad_fn(y), *const cast = at_node_input(product, 1, NULL);
  at_node_release(product);
  return cast;
}

/* A block casts a leaf once, as PyTorch does: gradients of several uses are added up in BFloat16, where
 * 1 + 2^-9 is 1.  A leaf that has changed is cast again, which PyTorch does not do. */
static void cast_once(void **state)
{
  AT_SCOPE
  {
    at_tensor *w = at_requires_grad_(at_ones(AT_SHAPE(1, 1)));
    at_tensor *a = at_ones(AT_SHAPE(1, 1)), *b = at_mul(a, 0x1p-9);
    at_tensor *y = NULL, *z = NULL;
    AT_AUTOCAST(AT_BFLOAT16)
    {
      AT_NO_GRAD CHECK(!at_requiresGrad(at_mm(a, w)));
      y = at_mm(a, w);
      AT_AUTOCAST(AT_FLOAT) CHECK_TYPE(at_mm(a, w), AT_FLOAT);
      z = at_mm(b, w);
      at_node *const one = cast_behind(y), *const other = cast_behind(z);
      CHECK(one && one == other);
      at_node_release(one);
      at_node_release(other);
      CHECK_MSG(at_backward(at_add(y, z)), "%s", at_error_message());
      CHECK(at_item_double(at_grad(w)) == 1);
      AT_NO_GRAD at_add_(w, 1);
      CHECK(at_item_double(at_mm(a, w)) == 2);
      AT_AUTOCAST(AT_HALF) CHECK_TYPE(at_mm(a, w), AT_HALF);
    }
    AT_AUTOCAST(AT_BFLOAT16) y = at_mm(a, w);
    AT_AUTOCAST(AT_BFLOAT16) z = at_mm(b, w);
    at_set_grad(w, NULL);
    CHECK(at_backward(at_add(y, z)) && at_item_double(at_grad(w)) == 1 + 0x1p-9);
    CHECK(at_autocast_setCache(false)); /* each call casts then */
    AT_AUTOCAST(AT_BFLOAT16) y = at_mm(a, w), z = at_mm(b, w);
    at_set_grad(w, NULL);
    CHECK(at_backward(at_add(y, z)) && at_item_double(at_grad(w)) == 1 + 0x1p-9);
    CHECK(!at_autocast_setCache(true) && at_autocast_setCache(true));
  }
}

/* More leaves than the room that is there at first. */
static void many_casts(void **state)
{
  enum { LEAVES = 100 };
  at_tensor *leaves[LEAVES], *products[LEAVES];
  AT_SCOPE
  {
    at_tensor *const x = at_ones(AT_SHAPE(1, 1));
    for (int i = 0; i < LEAVES; i++)
      leaves[i] = at_requires_grad_(at_mul(x, i));
    AT_AUTOCAST(AT_BFLOAT16)
    {
      for (int i = 0; i < LEAVES; i++)
        products[i] = at_mm(x, leaves[i]);
      for (int i = 0; i < LEAVES; i++) {
        at_tensor *const y = at_mm(x, leaves[i]);
        at_node *const one = cast_behind(products[i]), *const other = cast_behind(y);
        CHECK(one == other && at_item_double(y) == i);
        at_node_release(one);
        at_node_release(other);
      }
    }
  }
}

static bool isOff(void)
{
  return at_autocast_get(AT_AUTOCAST_CPU) == AT_FLOAT &&
         at_autocast_get(AT_AUTOCAST_CUDA) == AT_FLOAT;
}

static void *other_thread(void *unused)
{
  return isOff() ? NULL : (void *)1;
}

static void blocks(void **state)
{
  CHECK(isOff());
  AT_AUTOCAST(AT_HALF)
  {
    CHECK(at_autocast_get(AT_AUTOCAST_CPU) == AT_HALF &&
          at_autocast_get(AT_AUTOCAST_CUDA) == AT_HALF);
    AT_AUTOCAST(AT_FLOAT) CHECK(isOff());
    AT_AUTOCAST(AT_BFLOAT16)
    {
      CHECK(at_autocast_get(AT_AUTOCAST_CPU) == AT_BFLOAT16);
      break;
    }
    CHECK(at_autocast_get(AT_AUTOCAST_CPU) == AT_HALF);
    pthread_t thread;
    void *result = NULL;
    CHECK(!pthread_create(&thread, NULL, other_thread, NULL) && !pthread_join(thread, &result) &&
          !result);
  }
  CHECK(isOff());
  int runs = 0;
  AT_AUTOCAST(AT_DOUBLE) runs++;
  CHECK(runs == 0 && at_error() == AT_ERROR_TYPE && strstr(at_error_message(), "Double"));
  at_error_clear();
  CHECK(!at_autocast_set((at_autocast_device)2, AT_HALF) &&
        strstr(at_error_message(), "device is 2"));
  at_error_clear();
  CHECK(isOff() && at_autocast_set(AT_AUTOCAST_CPU, AT_BFLOAT16) && !isOff());
  CHECK(at_autocast_set(AT_AUTOCAST_CPU, AT_FLOAT) && isOff());
}

static at_tensor *squared(void *weight, at_tensors inputs)
{
  AT_SCOPE_GUARD;
  at_tensor *y = at_mm(inputs.data[0], weight);
  return at_escape(at_sum(at_mul(y, y)));
}

/* A checkpoint computes again as it did, also in a pass after the block. */
static void checkpoints(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = at_requires_grad_(random_tensor(AT_SHAPE(3, 4)));
    at_tensor *w = at_requires_grad_(random_tensor(AT_SHAPE(4, 2))), *loss = NULL, *again = NULL;
    AT_AUTOCAST(AT_BFLOAT16)
    {
      loss = squared(w, AT_TENSORS(x));
      again = at_checkpoint(squared, w, NULL, AT_TENSORS(x));
    }
    CHECK_TYPE(again, AT_BFLOAT16);
    CHECK(at_equal(loss, again) && at_backward(loss));
    at_tensor *plain = at_retain(at_grad(x));
    at_set_grad(x, NULL);
    CHECK_MSG(at_backward(again), "%s", at_error_message());
    CHECK(at_equal(plain, at_grad(x)) && isOff());
    at_release(plain);
  }
}

typedef struct Operands {
  at_tensor *a, *b, *c;
} Operands;

static void body(void *context)
{
  const Operands *const o = context;
  AT_AUTOCAST(AT_HALF)
  {
    at_release(at_mm(o->b, o->c)); /* no scope owns the casts */
    at_release(at_mm(o->a, o->b));
  }
  AT_SCOPE
  {
    AT_AUTOCAST(AT_BFLOAT16)
    {
      at_tensor *const product = at_mm(o->a, o->b);
      at_tensor *const joined = at_cat(AT_TENSORS(o->a, lower(o->a)));
      CHECK(at_defined(product) || at_defined(joined) || at_error() != AT_OK);
      at_tensor *const loss = at_mse_loss(lower(o->a), o->a);
      if (at_defined(loss))
        (void)at_backward(loss);
    }
    (void)at_set_grad(o->a, NULL);
  }
  at_error_clear();
}

static void failures(void **state)
{
  Operands o = {at_requires_grad_(random_tensor(AT_SHAPE(3, 4))), random_tensor(AT_SHAPE(4, 5)),
                random_tensor(AT_SHAPE(5, 2))};
  CHECK(th_fail_each(body, &o) > 10);
  CHECK(isOff());
  at_release(o.a);
  at_release(o.b);
  at_release(o.c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(types),     cmocka_unit_test(gradients),
                                     cmocka_unit_test(cast_once), cmocka_unit_test(many_casts),
                                     cmocka_unit_test(blocks),    cmocka_unit_test(checkpoints),
                                     cmocka_unit_test(failures)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
