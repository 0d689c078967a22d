/* The graph of gradients: leaves, passes, hooks, changes in place, errors, threads and memory.  The
 * expected values are derivatives on paper. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "ATen.h"
#include "THMemory.h"
#include "th_fail.h"
#include "th_test.h"

static at_tensor *leaf(double a, double b)
{
  at_tensor *t = at_empty(AT_SHAPE(2), .type = AT_CPU(AT_DOUBLE));
  ((double *)at_data(t))[0] = a;
  ((double *)at_data(t))[1] = b;
  return at_requires_grad_(t);
}

static double element(at_tensor *t, int i)
{
  CHECK_MSG(at_defined(t), "%s", at_error_message());
  CHECK(at_isContiguous(t) && at_numel(t) > i);
  return ((double *)at_data(t))[i];
}

#define CHECK_PAIR(T, A, B)                                                                    \
  do {                                                                                         \
    CHECK_MSG(fabs(element(T, 0) - (A)) < 1e-12 && fabs(element(T, 1) - (B)) < 1e-12, "%g %g", \
              element(T, 0), element(T, 1));                                                   \
  } while (0)

/* Checks that the last call failed with a message that contains both texts. */
static void check_error(const char *one, const char *other)
{
  CHECK_MSG(at_error() != AT_OK && strstr(at_error_message(), one) &&
                strstr(at_error_message(), other),
            "%s", at_error_message());
  at_error_clear();
}

/* d sum(x^2 y + 3 x) = 2 x y + 3, x^2; twice adds up. */
static void accumulates(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = leaf(2, -3), *y = leaf(5, 7);
    CHECK(at_requiresGrad(x) && at_isLeaf(x) && !at_grad(x));
    for (int i = 1; i <= 2; i++) {
      at_tensor *z = at_sum(at_add(at_mul(at_mul(x, x), y), at_mul(x, 3)));
      CHECK(at_requiresGrad(z) && !at_isLeaf(z));
      CHECK_MSG(at_backward(z), "%s", at_error_message());
      CHECK_PAIR(at_grad(x), 23 * i, -39 * i);
      CHECK_PAIR(at_grad(y), 4 * i, 9 * i);
    }
    CHECK(at_set_grad(x, NULL) && !at_grad(x));
  }
}

/* Broadcast operands, and operands of another type. */
static void broadcasts(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = leaf(2, -3);
    at_tensor *one = at_requires_grad_(at_full(AT_SHAPE(1), 4.0, .type = AT_CPU(AT_FLOAT)));
    at_tensor *wide = at_ones(AT_SHAPE(3, 2), .type = AT_CPU(AT_DOUBLE));
    CHECK(at_backward(at_sum(at_mul(at_mul(wide, x), one))));
    CHECK_PAIR(at_grad(x), 12, 12);
    CHECK(at_typeOf(at_grad(one)) == AT_CPU(AT_FLOAT) && at_size(at_grad(one), 0) == 1);
    CHECK(at_item_double(at_grad(one)) == -3);
  }
}

/* f = x^3: 3 x^2, 6 x, 6. */
static void twice(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = leaf(2, -3);
    at_tensor *y = at_sum(at_mul(x, at_mul(x, x)));
    at_tensor *first = at_gradients(AT_TENSORS(y), AT_TENSORS(x), .create_graph = true)->data[0];
    CHECK_PAIR(first, 12, 27);
    at_tensor *second =
        at_gradients(AT_TENSORS(at_sum(first)), AT_TENSORS(x), .create_graph = true)->data[0];
    CHECK_PAIR(second, 12, -18);
    at_tensor *third = at_gradients(AT_TENSORS(at_sum(second)), AT_TENSORS(x))->data[0];
    CHECK_PAIR(third, 6, 6);
    CHECK(!at_grad(x));
  }
}

static void no_grad(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = leaf(2, -3), *y = NULL;
    AT_NO_GRAD
    {
      CHECK(!at_grad_isOn());
      y = at_mul(x, x);
      at_mul_(x, 2);
    }
    CHECK(at_grad_isOn() && !at_requiresGrad(y));
    CHECK_PAIR(x, 4, -6);
    CHECK(!at_requiresGrad(at_detach(x)));
    CHECK(!at_requiresGrad(at_gt(x, 1)));
  }
}

/* A change in place is recorded; what was saved before and is read is an error. */
static void in_place(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = leaf(2, -3);
    at_tensor *y = at_mul(x, 3);
    CHECK(at_mul_(y, y) == y);
    CHECK(at_add_(y, x) == y);
    CHECK(at_backward(at_sum(y)));
    CHECK_PAIR(at_grad(x), 37, -53);

    at_tensor *z = at_exp(x);
    at_add_(z, 1);
    CHECK(!at_backward(at_sum(z)));
    check_error("exp, called at ", "changed in place");
    CHECK_PAIR(at_grad(x), 37, -53);

    CHECK(!at_defined(at_add_(x, 1)));
    check_error("add_", "leaf");
    at_tensor *base = at_mul(x, 2);
    const at_tensors *parts = at_unbind(base);
    CHECK(!at_defined(at_add_(parts->data[0], 1)));
    check_error("add_", "shares its memory");
    at_add_(base, 1);
    CHECK(!at_defined(at_mul(parts->data[0], 2)));
    check_error("view", "unbind, called at ");
    CHECK(!at_defined(at_add_out(base, x, x)));
    check_error("add_out", "not recorded");
  }
}

static at_tensor *doubled(void *context, at_tensor *grad)
{
  ++*(int *)context;
  return at_keep(at_mul(grad, 2));
}

static void hooks(void **state)
{
  AT_SCOPE
  {
    int calls = 0;
    at_tensor *x = leaf(2, -3);
    at_tensor *y = at_retain_grad(at_mul(x, 3));
    CHECK(at_add_hook(y, doubled, &calls));
    CHECK(at_backward(at_sum(at_mul(y, y)), .retain_graph = true));
    CHECK(calls == 1);
    CHECK_PAIR(at_grad(y), 24, -36);
    CHECK_PAIR(at_grad(x), 72, -108);

    CHECK(at_set_grad(x, NULL) && !at_remove_hook(y, doubled, NULL));
    check_error("remove_hook", "no such hook");
    CHECK(at_remove_hook(y, doubled, &calls) && !at_remove_hook(y, doubled, &calls));
    at_error_clear();
    CHECK(at_backward(at_sum(at_mul(y, y))));
    CHECK_PAIR(at_grad(x), 36, -54);
    CHECK(calls == 1);
  }
}

static void errors(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = leaf(2, -3);
    at_tensor *y = at_mul(x, x);
    CHECK(!at_backward(y));
    check_error("graph.c:", "has size [2]");
    CHECK(!at_backward(at_ones(AT_SHAPE(1))));
    check_error("backward", "no gradient");
    CHECK(at_backward(y, .gradient = at_ones(AT_SHAPE(2), .type = AT_CPU(AT_DOUBLE))));
    CHECK_PAIR(at_grad(x), 4, -6);
    CHECK(!at_backward(at_sum(y)));
    check_error("mul, called at", "freed");
    CHECK_PAIR(at_grad(x), 4, -6);
    CHECK(!at_defined(at_requires_grad_(at_ones(AT_SHAPE(1), .type = AT_CPU(AT_LONG)))));
    check_error("Long", "floating");
    at_tensor *other = leaf(1, 1);
    CHECK(at_gradients(AT_TENSORS(at_sum(at_mul(x, 2))), AT_TENSORS(other))->count == 0);
    check_error("inputs[0]", "not used");
    at_tensor *zero =
        at_gradients(AT_TENSORS(at_sum(at_mul(x, 2))), AT_TENSORS(other), .allow_unused = true)
            ->data[0];
    CHECK_PAIR(zero, 0, 0);
    const at_tensors *none = at_gradients(AT_TENSORS(at_sum(at_mul(x, 2))), AT_TENSORS(other, x),
                                          .allow_unused = true, .leave_unused = true);
    CHECK(none->count == 2 && !none->data[0]);
    CHECK_PAIR(none->data[1], 2, 2);
    at_grad_setAnomaly(true);
    at_tensor *bad = at_sqrt(at_mul(x, 0)); /* 0 * inf */
    CHECK(!at_backward(at_sum(at_mul(bad, 0))));
    at_grad_setAnomaly(false);
    check_error("sqrt, called at", "NaN");
  }
}

/* --- functions of one's own ------------------------------------------------------------------- */

static at_tensor *cube(void *context, at_tensors inputs)
{
  return at_pow(inputs.data[0], 3);
}

static bool cube_backward(void *context, at_tensor *grad, int count, at_tensor **gradients)
{
  CHECK(count == 1);
  gradients[0] = at_retain(at_mul(grad, *(double *)context));
  return at_defined(gradients[0]);
}

static int released;

static void count_release(void *context)
{
  released++;
}

static at_tensor *double_input(void *context, at_tensors inputs)
{
  return at_retain(context ? inputs.data[0] : at_mul_(inputs.data[0], 2));
}

static bool double_backward(void *context, at_tensor *grad, int count, at_tensor **gradients)
{
  CHECK(count == 1);
  gradients[0] = at_retain(at_mul(grad, 2));
  return true;
}

/* 3 x is doubled in place and squared: 36 x x has the gradient 72 x. */
static void functions_in_place(void **state)
{
  static const at_grad_function function = {"doubled", double_input, double_backward, NULL};
  AT_SCOPE
  {
    at_tensor *x = leaf(2, -3);
    at_tensor *y = at_mul(x, 3);
    at_tensor *z = at_apply(&function, NULL, AT_TENSORS(y));
    CHECK(z == y);
    CHECK_PAIR(y, 12, -18);
    CHECK_MSG(at_backward(at_sum(at_mul(y, y))), "%s", at_error_message());
    CHECK_PAIR(at_grad(x), 144, -216);
    at_release(z);
    CHECK(!at_defined(at_apply(&function, x, AT_TENSORS(y))));
    check_error("doubled", "not changed");
    CHECK(!at_defined(at_apply(&function, NULL, AT_TENSORS(x))));
    check_error("doubled", "leaf");
  }
}

static bool long_backward(void *context, at_tensor *grad, int count, at_tensor **gradients)
{
  gradients[0] = at_keep(at_ones(AT_SHAPE(3)));
  return true;
}

static void functions(void **state)
{
  static const at_grad_function function = {"cube", cube, cube_backward, count_release};
  static const at_grad_function wrong = {"wrong", cube, long_backward, NULL};
  double slope = 10;
  AT_SCOPE
  {
    at_tensor *x = leaf(2, -3);
    at_tensor *y = at_apply(&function, &slope, AT_TENSORS(x));
    CHECK_PAIR(y, 8, -27);
    CHECK(released == 0);
    CHECK(at_backward(at_sum(y)));
    CHECK(released == 1);
    CHECK_PAIR(at_grad(x), 10, 10);
    CHECK(!at_backward(at_sum(at_apply(&wrong, NULL, AT_TENSORS(x)))));
    check_error("wrong, called at ", "of another size than the operand");
  }
}

/* What a function of several results is to do, and what its gradient was called with. */
typedef struct {
  int count; /* what forward returns */
  bool changes, forgets, repeats;
  int calls, reached[3];
} Several;

/* The squares, the order of the elements, and the halves in Float; or the input, doubled, and its order. */
static int several(void *context, at_tensors inputs, int most, at_tensor **results)
{
  const Several *const of = context;
  at_tensor *const x = inputs.data[0];
  CHECK(most == 3 && !at_grad_isOn());
  results[0] = of->changes ? at_retain(at_mul_(x, 2)) : at_keep(at_mul(x, x));
  results[1] = of->forgets ? NULL : at_keep(at_argsort(x));
  results[2] =
      of->repeats ? at_retain(results[0]) : at_keep(at_to(at_mul(x, 0.5), AT_CPU(AT_FLOAT)));
  return of->count;
}

static bool several_backward(void *context, at_tensors grads, int count, at_tensor **gradients)
{
  Several *const of = context;
  CHECK(grads.count == 3 && count == 2);
  of->calls++;
  for (int i = 0; i < grads.count; i++)
    of->reached[i] += grads.data[i] != NULL;
  at_tensor *sum = at_zeros(AT_INTS(2), .type = AT_CPU(AT_DOUBLE));
  if (grads.data[0])
    sum = at_add(sum, at_mul(grads.data[0], 10));
  if (grads.data[2])
    sum = at_add(sum, at_mul(at_to(grads.data[2], AT_CPU(AT_DOUBLE)), 0.5));
  gradients[0] = at_keep(sum);
  return at_defined(sum);
}

static const at_grad_list_function several_function = {"several", several, several_backward,
                                                       count_release};

static void functions_of_several_results(void **state)
{
  AT_SCOPE
  {
    Several of = {.count = 3};
    at_tensor *const x = leaf(2, -3), *const y = leaf(0, 0);
    const int before = released;
    const at_tensors *const made = at_apply_list(&several_function, &of, AT_TENSORS(x, y), 3);
    CHECK_MSG(made->count == 3, "%s", at_error_message());
    CHECK_PAIR(made->data[0], 4, 9);
    CHECK(at_item_long(at_select(made->data[1], 0, 0)) == 1);
    CHECK(at_typeOf(made->data[2]) == AT_CPU(AT_FLOAT));
    CHECK(at_requiresGrad(made->data[0]) && !at_requiresGrad(made->data[1]) &&
          at_requiresGrad(made->data[2]));
    CHECK(at_backward(at_sum(made->data[2]), .retain_graph = true));
    CHECK_PAIR(at_grad(x), 0.5, 0.5);
    CHECK(of.reached[0] == 0 && of.reached[2] == 1 && !at_defined(at_grad(y)));
    CHECK(released == before);
    CHECK(at_backward(at_add(at_sum(made->data[0]), at_sum(made->data[2]))));
    CHECK_PAIR(at_grad(x), 11, 11);
    CHECK(of.calls == 2 && of.reached[0] == 1 && of.reached[1] == 0 && of.reached[2] == 2);
    CHECK(released == before + 1);
  }
}

/* An input that is changed is a result, too: 3 x is doubled, and has the gradient 3 * 10. */
static void several_results_in_place(void **state)
{
  AT_SCOPE
  {
    Several of = {.count = 3, .changes = true};
    at_tensor *const x = leaf(2, -3), *const y = leaf(0, 0), *const z = at_mul(x, 3);
    const at_tensors *const made = at_apply_list(&several_function, &of, AT_TENSORS(z, y), 3);
    CHECK_MSG(made->count == 3 && made->data[0] == z, "%s", at_error_message());
    CHECK(at_backward(at_sum(z)));
    CHECK_PAIR(at_grad(x), 30, 30);
  }
}

static void wrong_results(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = leaf(2, -3), *const y = leaf(0, 0);
    const struct {
      Several of;
      const char *text;
    } wrong[] = {{{.count = -1}, "returned -1"},
                 {{.count = 0}, "returned 0"},
                 {{.count = 4}, "returned 4"},
                 {{.count = 3, .forgets = true}, "not stored result 1"},
                 {{.count = 3, .repeats = true}, "result 2 of forward is result 0"},
                 {{.count = 3, .changes = true}, "leaf"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      Several of = wrong[i].of;
      const int before = released;
      const at_tensors *const made = at_apply_list(&several_function, &of, AT_TENSORS(x, y), 3);
      CHECK(made->count == 0 && released == before + 1);
      check_error("several", wrong[i].text);
    }
    CHECK(at_apply_list(&several_function, NULL, AT_TENSORS(x, y), 0)->count == 0);
    check_error("several", "most is 0");
    CHECK(at_apply_list(NULL, NULL, AT_TENSORS(x, y), 3)->count == 0);
    check_error("apply_list", "function");
  }
}

/* --- what is kept of saved tensors --------------------------------------------------------------- */

typedef struct {
  int packed, dropped, released;
  double factor; /* of what comes back */
  bool failsToPack, failsToUnpack, isOfOtherSize;
} Keeper;

static void *keep(void *context, at_tensor *t)
{
  Keeper *keeper = context;
  CHECK(!at_grad_isOn() && !at_requiresGrad(t));
  if (keeper->failsToPack)
    return NULL;
  keeper->packed++;
  return at_retain(t);
}

static at_tensor *bring(void *context, void *packed)
{
  const Keeper *keeper = context;
  if (keeper->failsToUnpack)
    return NULL;
  return at_keep(keeper->isOfOtherSize ? at_ones(AT_SHAPE(3), .type = AT_CPU(AT_DOUBLE))
                                       : at_mul((at_tensor *)packed, keeper->factor));
}

static void drop(void *context, void *packed)
{
  ((Keeper *)context)->dropped++;
  at_release(packed);
}

static void release_keeper(void *context)
{
  ((Keeper *)context)->released++;
}

static const at_saved_hooks keeping = {keep, bring, drop, release_keeper};

/* The gradients of exp(x) y read the result, x and y, which come back 10 times as large: 10 y 10 exp(x), 10 exp(x). */
static void saved_hooks(void **state)
{
  Keeper keeper = {.factor = 10}, inner = {.factor = 1};
  AT_SCOPE
  {
    at_tensor *x = leaf(0, 0), *y = leaf(5, 7), *z;
    CHECK(at_saved_hooks_push(&keeping, &keeper));
    z = at_mul(at_exp(x), y);
    CHECK(at_saved_hooks_push(&keeping, &inner));
    at_tensor *const other = at_mul(y, y);
    CHECK(at_saved_hooks_pop() && at_saved_hooks_pop());
    CHECK(keeper.packed == 3 && inner.packed == 2 && keeper.released == 0);
    at_release(at_keep(at_mul(x, y)));
    CHECK(keeper.packed == 3);
    CHECK(at_backward(at_sum(z), .retain_graph = true) && keeper.dropped == 0);
    CHECK_PAIR(at_grad(x), 500, 700);
    CHECK_PAIR(at_grad(y), 10, 10);
    CHECK(at_backward(at_sum(z)) && keeper.dropped == 3 && keeper.released == 1);
    CHECK_PAIR(at_grad(x), 1000, 1400);
    CHECK(inner.dropped == 0 && at_backward(at_sum(other)) && inner.released == 1);
    CHECK_PAIR(at_grad(y), 30, 34);
  }
}

static void saved_hooks_fail(void **state)
{
  Keeper keeper = {.factor = 1};
  AT_SCOPE
  {
    at_tensor *x = leaf(2, -3), *y;
    CHECK(!at_saved_hooks_pop());
    check_error("saved_hooks_pop", "no hooks");
    CHECK(!at_saved_hooks_push(NULL, NULL));
    check_error("saved_hooks_push", "hooks");
    CHECK(at_saved_hooks_push(&keeping, &keeper));
    y = at_mul(x, x);
    keeper.failsToPack = true;
    CHECK(!at_defined(at_mul(x, x)));
    check_error("graph.c:", "pack");
    CHECK(at_grad_isOn() && keeper.packed == 2);
    CHECK(at_saved_hooks_pop() && keeper.released == 0);
    keeper.failsToUnpack = true;
    CHECK(!at_backward(at_sum(y), .retain_graph = true));
    check_error("unpack", "mul, called at");
    keeper.failsToUnpack = false;
    keeper.isOfOtherSize = true;
    CHECK(!at_backward(at_sum(y), .retain_graph = true));
    check_error("another size", "mul, called at");
    CHECK(!at_grad(x));
  }
  CHECK(keeper.dropped == 2 && keeper.released == 1);
}

/* --- checkpoints ------------------------------------------------------------------------------ */

typedef struct {
  at_tensor *weight;
  int calls, released;
} Block;

/* x * weight, some of it dropped. */
static at_tensor *dropped(void *context, at_tensors inputs)
{
  Block *block = context;
  block->calls++;
  return at_mul(at_dropout(inputs.data[0], 0.5, true), block->weight);
}

static void release_block(void *context)
{
  ((Block *)context)->released++;
}

static at_tensor *failing(void *context, at_tensors inputs)
{
  return at_mul(inputs.data[0], at_ones(AT_SHAPE(3, 5)));
}

/* The gradients are those of the same numbers; what is drawn afterwards is not disturbed. */
static void checkpoints(void **state)
{
  AT_SCOPE
  {
    Block block = {leaf(5, 7), 0, 0}, usual = {leaf(5, 7), 0, 0};
    at_tensor *x = leaf(2, -3), *y = leaf(2, -3);
    for (int seed = 0; seed < 8; seed++) {
      at_manualSeed(seed);
      CHECK(at_backward(at_sum(dropped(&usual, AT_TENSORS(y)))));
      const double next = at_item_double(at_rand(AT_SHAPE(1)));
      at_manualSeed(seed);
      at_tensor *made = at_checkpoint(dropped, &block, release_block, AT_TENSORS(x));
      CHECK_MSG(at_backward(at_sum(made)), "%s", at_error_message());
      CHECK(at_item_double(at_rand(AT_SHAPE(1))) == next);
      CHECK(block.calls == 2 * (seed + 1) && block.released == seed + 1);
      CHECK_PAIR(at_grad(x), element(at_grad(y), 0), element(at_grad(y), 1));
      CHECK_PAIR(at_grad(block.weight), element(at_grad(usual.weight), 0),
                 element(at_grad(usual.weight), 1));
    }
    /* No input has to want a gradient. */
    const int before = block.calls;
    CHECK(at_set_grad(block.weight, NULL) && at_set_grad(usual.weight, NULL));
    at_manualSeed(3);
    CHECK(at_backward(at_sum(dropped(&usual, AT_TENSORS(at_detach(x))))));
    at_manualSeed(3);
    at_tensor *plain = at_checkpoint(dropped, &block, release_block, AT_TENSORS(at_detach(x)));
    CHECK(at_requiresGrad(plain) && block.released == 8 && block.calls == before + 1);
    CHECK_MSG(at_backward(at_sum(plain)), "%s", at_error_message());
    CHECK(block.released == 9 && block.calls == before + 2);
    CHECK_PAIR(at_grad(block.weight), element(at_grad(usual.weight), 0),
               element(at_grad(usual.weight), 1));
    Block frozen = {at_detach(x), 0, 0};
    plain = at_checkpoint(dropped, &frozen, release_block, AT_TENSORS(at_detach(x)));
    CHECK(!at_requiresGrad(plain) && frozen.released == 1 && frozen.calls == 1);

    at_tensor *z = at_mul(x, 1);
    at_tensor *late = at_checkpoint(dropped, &block, NULL, AT_TENSORS(z));
    AT_NO_GRAD
    {
      at_add_(z, 1);
    }
    CHECK(!at_backward(at_sum(late)));
    check_error("checkpoint, called at ", "changed in place");
    late = at_checkpoint(dropped, &block, NULL, AT_TENSORS(x));
    CHECK(at_gradients(AT_TENSORS(at_sum(late)), AT_TENSORS(x), .create_graph = true)->count == 0);
    check_error("checkpoint", "create_graph");
    CHECK(!at_defined(at_checkpoint(failing, &block, release_block, AT_TENSORS(x))));
    check_error("graph.c:", "size");
    CHECK(block.released == 10);
    CHECK(!at_defined(at_checkpoint(NULL, &block, release_block, AT_TENSORS(x))));
    check_error("checkpoint", "function");
    CHECK(block.released == 11);
  }
}

/* Attention of so many scores that its gradient is computed in parts: that of one matrix after the other. */
static void attention_in_parts(void **state)
{
  AT_SCOPE
  {
    at_manualSeed(4);
    at_tensor *all[3], *one[3], *const mask = at_randn(AT_SHAPE(700, 600));
    for (int i = 0; i < 3; i++) {
      all[i] = at_requires_grad_(at_randn(AT_SHAPE(3, 1, i == 0 ? 700 : 600, 4)));
      one[i] = at_requires_grad_(at_clone(at_detach(all[i])));
    }
    at_tensor *const weights = at_randn(AT_SHAPE(3, 1, 700, 4));
    at_tensor *const y =
        at_scaled_dot_product_attention(all[0], all[1], all[2], .attn_mask = mask, .scale = 0.7);
    CHECK_MSG(at_backward(at_sum(at_mul(y, weights))), "%s", at_error_message());
    for (int m = 0; m < 3; m++) {
      at_tensor *of[3];
      for (int i = 0; i < 3; i++)
        of[i] = at_select(one[i], 0, m);
      at_tensor *const z =
          at_scaled_dot_product_attention(of[0], of[1], of[2], .attn_mask = mask, .scale = 0.7);
      CHECK(at_backward(at_sum(at_mul(z, at_select(weights, 0, m)))));
    }
    for (int i = 0; i < 3; i++)
      CHECK(at_allclose(at_grad(all[i]), at_grad(one[i]), .rtol = 1e-5, .atol = 1e-6));
  }
}

/* --- threads --------------------------------------------------------------------------------- */

/* Threads add to the gradient of one leaf. */
static void *adds(void *x)
{
  for (int i = 0; i < 200; i++)
    AT_SCOPE
    {
      CHECK(at_backward(at_sum(at_mul((at_tensor *)x, 2))));
    }
  return NULL;
}

static void threads(void **state)
{
  pthread_t thread[4];
  at_tensor *x = leaf(2, -3);
  for (int i = 0; i < 4; i++)
    CHECK(!pthread_create(&thread[i], NULL, adds, x));
  for (int i = 0; i < 4; i++)
    CHECK(!pthread_join(thread[i], NULL));
  CHECK_PAIR(at_grad(x), 1600, 1600);
  at_release(x);
}

/* --- failing allocations ---------------------------------------------------------------------- */

typedef struct {
  at_tensor *x, *y;
  bool inPlace, packs, isCustom;
  Keeper keeper;
  Several several;
} Pass;

static void set_up(void *context)
{
  Pass *pass = context;
  pass->x = leaf(2, -3);
  pass->y = leaf(5, 7);
  pass->keeper = (Keeper){.factor = 1};
  pass->several = (Several){.count = 3};
  CHECK(at_set_grad(pass->y, pass->x));
  THMemory_emptyCache();
}

/* The product of the first and the last result of a function of one's own. */
static at_tensor *product_of_results(Pass *pass)
{
  const int before = released;
  const at_tensors *const made =
      at_apply_list(&several_function, &pass->several, AT_TENSORS(pass->x, pass->y), 3);
  CHECK(made->count == 3 || released == before + 1);
  return made->count == 3 ? at_mul(made->data[0], made->data[2]) : at_undefined();
}

static void body(void *context)
{
  Pass *pass = context;
  bool done = false;
  const bool packs = pass->packs && at_saved_hooks_push(&keeping, &pass->keeper);
  AT_SCOPE
  {
    at_tensor *z = pass->isCustom ? product_of_results(pass) : at_mul(pass->x, at_exp(pass->y));
    if (pass->inPlace)
      at_mul_(z, pass->y);
    done = at_defined(z) && at_error() == AT_OK && at_backward(at_sum(z));
  }
  if (packs)
    CHECK(at_saved_hooks_pop());
  if (!done) {
    at_error_clear();
    THError("no gradient");
  }
}

static void check(void *context, int raised)
{
  Pass *pass = context;
  CHECK(at_grad_isOn());
  CHECK_EQ(pass->keeper.packed, pass->keeper.dropped);
  if (raised)
    CHECK(!at_grad(pass->x));
  if (raised)
    CHECK_PAIR(at_grad(pass->y), 2, -3);
  CHECK_PAIR(pass->x, 2, -3);
}

static void tear_down(void *context)
{
  Pass *pass = context;
  at_release(pass->x);
  at_release(pass->y);
}

static void memory(void **state)
{
  static const THFailCase stages = {set_up, body, check, tear_down};
  for (int i = 0; i < 4; i++) {
    Pass pass = {.inPlace = i == 1, .packs = i == 2, .isCustom = i == 3};
    CHECK(th_fail(&stages, &pass) > 20);
  }
}

/* Operands whose sizes formulas may not take for granted. */
static void odd_sizes(void **state)
{
  (void)state;
  AT_SCOPE
  {
    at_tensor *const x = at_zeros(AT_SHAPE(3)), *const src = at_ones(AT_SHAPE(2));
    at_tensor *const index = at_zeros(AT_SCALAR_SHAPE, .type = AT_CPU(AT_LONG));
    CHECK(at_defined(at_requires_grad_(src)));
    CHECK(at_backward(at_sum(at_scatter(x, 0, index, src))));
    CHECK_EQ(at_item_double(at_select(at_grad(src), 0, 0)), 1);
    CHECK_EQ(at_item_double(at_sum(at_grad(src))), 1); /* the second element is not read */

    at_tensor *const volume = at_requires_grad_(at_ones(AT_SHAPE(2, 3, 3, 4)));
    CHECK(!at_defined(at_reflection_pad3d(volume, AT_INTS(1, 2, 1, 2))));
    at_error_clear();
    CHECK(!at_defined(at_masked_prod(src, .dim = AT_INTS(5))) && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    at_tensor *const wide = at_requires_grad_(at_ones(AT_SHAPE(3, 2, 4)));
    at_tensor *const one = at_ones(AT_SHAPE(3, 1, 1)), *const other = at_ones(AT_SHAPE(1, 3, 1));
    at_tensor *const weight = at_ones(AT_SHAPE(2, 4));
    CHECK(!at_defined(at_native_layer_norm_backward(wide, wide, AT_INTS(2, 4), other, one, weight,
                                                    weight)
                          .grad_input));
    at_error_clear();
  }
}

/* prelu of a number below 0 is w x, whose mixed derivative is 1. */
static void prelu_of_a_number(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x =
        at_requires_grad_(at_full(AT_SCALAR_SHAPE, -1.5, .type = AT_CPU(AT_FLOAT)));
    at_tensor *const w = at_requires_grad_(at_full(AT_SHAPE(1), 0.25, .type = AT_CPU(AT_FLOAT)));
    const at_tensors *const first =
        at_gradients(AT_TENSORS(at_prelu(x, w)), AT_TENSORS(x, w), .create_graph = true);
    CHECK_MSG(first->count == 2, "%s", at_error_message());
    CHECK(at_item_double(first->data[0]) == 0.25 && at_item_double(first->data[1]) == -1.5);
    const at_tensors *const second =
        at_gradients(AT_TENSORS(at_sum(first->data[1])), AT_TENSORS(x));
    CHECK(second->count == 1 && at_item_double(second->data[0]) == 1);
  }
}

/* A result is a tensor of its own, also where an operation leaves its operand as it is. */
static void unchanged(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = at_requires_grad_(at_ones(AT_SHAPE(3))), *const y = at_diff(x, .n = 0);
    CHECK(y != x && at_equal(x, y));
    at_release(y);
    CHECK(at_backward(at_sum(at_mul(at_diff(x, .n = 0), 2))));
    CHECK(at_equal(at_grad(x), at_full(AT_SHAPE(3), 2, .type = AT_CPU(AT_FLOAT))));
  }
}

/* exp(1 + 2 x x): nodes, their names and edges, which stay when the tensors are gone. */
static void nodes(void **state)
{
  at_node *node = NULL;
  at_tensor *x = at_keep(leaf(1, 2));
  AT_SCOPE
  {
    at_tensor *row = at_reshape(at_mul(x, 2), AT_INTS(1, 2)),
              *column = at_reshape(x, AT_INTS(2, 1));
    node = at_grad_fn(at_exp(at_addmm(at_ones(AT_SHAPE(1, 1), .type = AT_CPU(AT_DOUBLE)), row,
                                      column)));
    CHECK(!at_grad_fn(at_ones(AT_SHAPE(2))));
  }
  assert_string_equal(at_node_kind(node), "ExpBackward0");
  int output = -1;
  CHECK(at_node_inputCount(node) == 1 && !at_node_input(node, 1, &output) && output == -1);
  at_node *const product = at_node_input(node, 0, &output);
  at_node_release(node);
  assert_string_equal(at_node_kind(product), "AddmmBackward0");
  CHECK(at_node_inputCount(product) == 3 && !at_node_input(product, 0, &output) && output == 0);
  at_node *const shaped = at_node_input(product, 2, &output);
  assert_string_equal(at_node_kind(shaped), "ViewBackward0");
  at_node *const end = at_node_input(shaped, 0, &output);
  assert_string_equal(at_node_kind(end), "torch::autograd::AccumulateGrad");
  CHECK_EQ(at_node_inputCount(end), 0);
  at_node *const own = at_grad_fn(x);
  CHECK(own == end);
  at_node_release(product);
  at_node_release(shaped);
  at_node_release(end);
  at_node_release(own);
  at_release(x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accumulates),
      cmocka_unit_test(broadcasts),
      cmocka_unit_test(twice),
      cmocka_unit_test(no_grad),
      cmocka_unit_test(in_place),
      cmocka_unit_test(hooks),
      cmocka_unit_test(errors),
      cmocka_unit_test(functions),
      cmocka_unit_test(functions_in_place),
      cmocka_unit_test(functions_of_several_results),
      cmocka_unit_test(several_results_in_place),
      cmocka_unit_test(wrong_results),
      cmocka_unit_test(saved_hooks),
      cmocka_unit_test(saved_hooks_fail),
      cmocka_unit_test(threads),
      cmocka_unit_test(memory),
      cmocka_unit_test(checkpoints),
      cmocka_unit_test(odd_sizes),
      cmocka_unit_test(nodes),
      cmocka_unit_test(unchanged),
      cmocka_unit_test(prelu_of_a_number),

      cmocka_unit_test(attention_in_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
