/* Views that are changed in place where gradients go through them, and hooks of nodes.  The expected
 * values are derivatives on paper. */
#include <math.h>
#include <string.h>

#include "ATen.h"
#include "th_fail.h"
#include "th_test.h"

/* The leaf 1, 2, 3, 4, 5, 6 of two rows. */
static at_tensor *leaf(void)
{
  at_tensor *t = at_arange_start(1, 7, .type = AT_CPU(AT_DOUBLE));
  return at_requires_grad_(at_clone(at_view(t, AT_INTS(2, 3))));
}

static void check(at_tensor *t, const double *expected)
{
  CHECK_MSG(at_defined(t), "%s", at_error_message());
  t = at_contiguous(t);
  for (int i = 0; i < at_numel(t); i++)
    CHECK_MSG(fabs(((const double *)at_data(t))[i] - expected[i]) < 1e-12, "%d: %g", i,
              ((const double *)at_data(t))[i]);
}

#define CHECK_ALL(T, ...) check(T, (const double[]){__VA_ARGS__})

static void check_error(const char *text)
{
  CHECK_MSG(at_error() != AT_OK && strstr(at_error_message(), text), "%s", at_error_message());
  at_error_clear();
}

/* A row becomes 5 times itself, then a column 3 times. */
static void rows_and_columns(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = leaf(), *x = at_mul(a, 2), *row = at_select(x, 0, 0),
              *column = at_select(x, 1, 1);
    CHECK(at_mul_(row, 5) == row);
    CHECK_ALL(x, 10, 20, 30, 8, 10, 12);
    CHECK(at_mul_(column, 3) == column);
    CHECK_ALL(row, 10, 60, 30);
    at_node *const slices = at_grad_fn(x), *const view = at_grad_fn(row);
    assert_string_equal(at_node_kind(slices), "torch::autograd::CopySlices");
    assert_string_equal(at_node_kind(view), "AsStridedBackward0");
    at_node_release(slices);
    at_node_release(view);
    /* x + 10 row + 100 column */
    at_tensor *sum =
        at_add(at_sum(x), at_add(at_mul(at_sum(row), 10), at_mul(at_sum(column), 100)));
    CHECK_MSG(at_backward(sum), "%s", at_error_message());
    CHECK_ALL(at_grad(a), 110, 3330, 110, 2, 606, 2);
  }
}

/* The base changes, transposed; its views, one of which shows an element twice, follow. */
static void bases(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = leaf(), *x = at_contiguous(at_t(at_mul(a, 1)));
    at_tensor *part = at_narrow(at_t(x), 1, 1, 2), *twice = at_expand(x, AT_INTS(2, 3, 2));
    CHECK(at_mul_(x, at_t(a)) == x);
    CHECK_ALL(part, 4, 9, 25, 36);
    CHECK(at_defined(at_zero_(at_select(part, 0, 0))));
    CHECK_ALL(x, 1, 16, 0, 25, 0, 36);
    CHECK_MSG(at_backward(at_add(at_sum(part), at_sum(twice))), "%s", at_error_message());
    CHECK_ALL(at_grad(a), 4, 0, 0, 16, 30, 36); /* 2 * 2 a, and 3 * 2 a in the part that stays */
  }
}

/* The second gradients of (1, a b, ...); the base is released before its views change. */
static void second(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = leaf(), *view = NULL;
    AT_SCOPE
    {
      at_tensor *x = at_mul(a, 1);
      view = at_escape(at_select(x, 0, 1));
    }
    at_mul_(at_narrow(view, 0, 1, 2), at_narrow(at_select(a, 0, 1), 0, 1, 2));
    const at_tensors *first =
        at_gradients(AT_TENSORS(at_sum(at_pow(view, 3))), AT_TENSORS(a), .create_graph = true);
    CHECK_ALL(first->data[0], 0, 0, 0, 48, 6 * 3125, 6 * 7776); /* 3 a^2, and of a^6 */
    const at_tensors *again = at_gradients(AT_TENSORS(at_sum(first->data[0])), AT_TENSORS(a));
    CHECK_ALL(again->data[0], 0, 0, 0, 24, 30 * 625, 30 * 1296);
  }
}

static void errors(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = leaf();
    CHECK(!at_defined(at_add_(at_select(a, 0, 0), 1)));
    check_error("shares its memory");
    at_tensor *x = at_mul(a, 1);
    const at_tensors *rows = at_unbind(x);
    CHECK(!at_defined(at_add_(rows->data[1], 1)));
    check_error("shares its memory with the other views that unbind, called at");
    at_tensor *row = at_select(x, 0, 0), *y = at_mul(row, row);
    CHECK(at_defined(at_add_(row, 1)));
    CHECK(!at_backward(at_sum(y)));
    check_error("changed in place");
    CHECK(!at_defined(at_mul(rows->data[1], 2)));
    check_error("make the view again");
    CHECK(!at_grad(a));
  }
}

typedef struct {
  at_tensor *a, *x, *row, *column;
} Views;

static void make(void *context)
{
  Views *const v = context;
  AT_SCOPE
  {
    v->a = at_keep(leaf());
    v->x = at_keep(at_mul(v->a, 2));
    v->row = at_keep(at_select(v->x, 0, 0));
    v->column = at_keep(at_select(v->x, 1, 0));
  }
}

static void change(void *context)
{
  AT_SCOPE
  {
    at_mul_(((Views *)context)->row, 5);
  }
}

/* There is an error, or the gradient is that of the elements. */
static void check_views(void *context, int raised)
{
  Views *const v = context;
  (void)raised;
  at_error_clear();
  AT_SCOPE
  {
    const double factor = at_item_double(at_select(at_select(at_detach(v->x), 0, 0), 0, 0));
    if (at_backward(at_add(at_sum(v->x), at_sum(v->column)))) {
      CHECK(factor == 2 || factor == 10);
      CHECK_ALL(at_grad(v->a), 2 * factor, factor, factor, 4, 2, 2);
    }
    at_error_clear();
  }
}

static void release(void *context)
{
  Views *const v = context;
  at_release(v->column);
  at_release(v->row);
  at_release(v->x);
  at_release(v->a);
}

static void failing(void **state)
{
  static const THFailCase stages = {make, change, check_views, release};
  Views views;
  CHECK(th_fail(&stages, &views) > 10);
}

/* --- hooks of nodes --------------------------------------------------------------------------- */

static bool doubles(void *context, at_tensors others, int count, at_tensor **gradients)
{
  *(int *)context += 1 + 10 * others.count;
  for (int i = 0; i < count; i++) {
    at_tensor *const before = gradients[i];
    if (!before)
      continue;
    gradients[i] = at_keep(at_mul(before, 2));
    at_release(before);
  }
  return true;
}

static bool fails(void *context, at_tensors others, int count, at_tensor **gradients)
{
  (void)context, (void)others, (void)count, (void)gradients;
  return false;
}

/* Hooks that count their calls, and of which the first one changes the list of them. */
typedef struct {
  at_node *node;
  at_tensor *of;
  int calls[5];
  bool isLate;
} Hooks;

/* The context is the call's counter. */
static bool counts(void *context, at_tensors others, int count, at_tensor **gradients)
{
  (void)others, (void)count, (void)gradients;
  ++*(int *)context;
  return true;
}

/* Removes itself, the next one and, behind the third one, the last; adds another one. */
static bool first(void *context, at_tensors others, int count, at_tensor **gradients)
{
  Hooks *const h = context;
  (void)others, (void)count, (void)gradients;
  h->calls[0]++;
  return at_node_remove_hook(h->node, first, h) &&
         at_node_remove_hook(h->node, counts, &h->calls[1]) &&
         at_node_remove_hook(h->node, counts, &h->calls[3]) &&
         at_node_add_hook(h->node, h->isLate, counts, &h->calls[4]);
}

static at_tensor *counts_one(void *context, at_tensor *grad)
{
  (void)grad;
  ++*(int *)context;
  return NULL;
}

static at_tensor *first_one(void *context, at_tensor *grad)
{
  Hooks *const h = context;
  (void)grad;
  h->calls[0]++;
  const bool done = at_remove_hook(h->of, first_one, h) &&
                    at_remove_hook(h->of, counts_one, &h->calls[1]) &&
                    at_remove_hook(h->of, counts_one, &h->calls[3]) &&
                    at_add_hook(h->of, counts_one, &h->calls[4]);
  return done ? NULL : (at_tensor *)(uintptr_t)at_undefined();
}

/* Hooks that remove and add hooks while these run: in a pass the first and the third are called, in the next one the
 * third and the new one. */
static void changing(void **state)
{
  for (int kind = 0; kind < 3; kind++)
    AT_SCOPE
    {
      at_tensor *a = leaf(), *y = at_mul(a, 3), *sum = at_sum(y);
      at_node *const node = at_grad_fn(y);
      Hooks h = {node, y, {0}, kind == 1};
      for (int i = 0; i < 4; i++)
        CHECK(kind == 2 ? at_add_hook(y, i ? counts_one : first_one, i ? (void *)&h.calls[i] : &h)
                        : at_node_add_hook(node, h.isLate, i ? counts : first,
                                           i ? (void *)&h.calls[i] : &h));
      for (int pass = 1; pass <= 2; pass++) {
        CHECK_MSG(at_backward(sum, .retain_graph = true), "%s", at_error_message());
        const int expected[] = {1, 0, pass, 0, pass - 1};
        for (int i = 0; i < 5; i++)
          CHECK_MSG(h.calls[i] == expected[i], "kind %d, pass %d, hook %d: %d calls", kind, pass, i,
                    h.calls[i]);
      }
      CHECK(kind == 2 ? !at_remove_hook(y, first_one, &h) : !at_node_remove_hook(node, first, &h));
      check_error("no such hook");
      at_node_release(node);
    }
}

static void hooks(void **state)
{
  AT_SCOPE
  {
    int calls = 0;
    at_tensor *a = leaf(), *y = at_mul(a, 3), *sum = at_sum(y);
    at_node *const node = at_grad_fn(y), *const own = at_grad_fn(a);
    CHECK(at_node_add_hook(node, false, doubles, &calls));
    CHECK(at_node_add_hook(node, true, doubles, &calls));
    CHECK(at_node_add_hook(own, true, doubles, &calls));
    CHECK_MSG(at_backward(sum, .retain_graph = true), "%s", at_error_message());
    CHECK_EQ(calls, 1 + 11 + 11);
    CHECK_ALL(at_grad(a), 12, 12, 12, 12, 12, 12);
    CHECK(at_node_remove_hook(node, doubles, &calls) && at_node_remove_hook(node, doubles, &calls));
    CHECK(!at_node_remove_hook(node, doubles, &calls));
    check_error("no such hook");
    CHECK(at_node_add_hook(node, true, fails, NULL));
    CHECK(!at_backward(sum, .retain_graph = true));
    check_error("a hook failed");
    CHECK_ALL(at_grad(a), 12, 12, 12, 12, 12, 12);
    CHECK(!at_node_add_hook(node, true, NULL, NULL) && !at_node_add_hook(NULL, true, fails, NULL));
    at_error_clear();
    at_node_release(at_node_retain(node));
    at_node_release(node);
    at_node_release(own);
  }
}

/* A tensor that is the result of a node has that node's gradient. */
static void results(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = leaf(), *y = at_mul(a, 3);
    at_node *const node = at_grad_fn(y);
    at_tensor *same =
        at_node_result(node, 0, at_full(AT_SHAPE(2, 3), 7, .type = AT_CPU(AT_DOUBLE)));
    CHECK(at_backward(at_sum(at_mul(same, same)), .retain_graph = true));
    CHECK_ALL(at_grad(a), 42, 42, 42, 42, 42, 42);
    CHECK(!at_defined(at_node_result(node, 1, same)));
    check_error("node_result");
    CHECK(!at_defined(at_node_result(node, 0, at_ones(AT_SHAPE(3), .type = AT_CPU(AT_DOUBLE)))));
    check_error("node_result");
    at_node_release(node);
    at_tensor *t = at_clone(at_detach(a));
    const int64_t before = at_tensor_version(t);
    at_add_(at_select(t, 0, 0), 1);
    CHECK_EQ(at_tensor_version(t), before + 1);
  }
}

/* Zeros without gradient, whose parts become a, 2 a and a^2: all tensors of the memory have gradients then. */
static void plain_memory(void **state)
{
  AT_SCOPE
  {
    const at_type *const type = AT_CPU(AT_DOUBLE);
    at_tensor *a = leaf(), *x = at_zeros(AT_SHAPE(4, 3), .type = type);
    at_tensor *row = at_select(x, 0, 1), *column = at_select(x, 1, 0),
              *flat = at_view(x, AT_INTS(-1)), *apart = at_detach(x);
    at_tensor *first = at_select(a, 0, 0);
    CHECK(at_copy_(row, first) == row);
    CHECK(at_requiresGrad(x) && at_requiresGrad(column) && at_requiresGrad(flat));
    CHECK(!at_requiresGrad(apart));
    at_add_(at_select(x, 0, 2), at_mul(first, 2));
    at_add_(at_select(at_t(x), 1, 0), at_narrow(at_square(first), 0, 0, 1));
    CHECK_ALL(flat, 1, 1, 1, 1, 2, 3, 2, 4, 6, 0, 0, 0);
    CHECK_ALL(apart, 1, 1, 1, 1, 2, 3, 2, 4, 6, 0, 0, 0);
    at_backward(at_add(at_sum(x), at_sum(at_square(column))));
    /* 6 a + 1 + 2, and of a^4 + a^2 + 4 a^2 at 1 for the column; 1 + 2 for the others */
    CHECK_ALL(at_grad(a), 9 + 4 + 2 + 8, 3, 3, 0, 0, 0);
    at_node *const node = at_grad_fn(x);
    CHECK(strcmp(at_node_kind(node), "torch::autograd::CopySlices") == 0);
    at_node_release(node);
  }
}

/* Bases that are gone, and memory of which a leaf is a part. */
static void plain_parts(void **state)
{
  AT_SCOPE
  {
    const at_type *const type = AT_CPU(AT_DOUBLE);
    at_tensor *a = leaf(), *rest = NULL, *part = NULL;
    AT_SCOPE
    {
      at_tensor *x = at_zeros(AT_SHAPE(2, 6), .type = type);
      part = at_escape(at_slice(at_select(x, 0, 1), .dim = 0, .start = 1, .step = 2));
      rest = at_escape(at_narrow(at_select(x, 0, 1), 0, 2, 3));
    }
    at_add_(part, at_select(a, 0, 1)); /* rest is 0, 5, 0 */
    CHECK_ALL(rest, 0, 5, 0);
    CHECK(at_backward(at_sum(at_square(rest))));
    CHECK_ALL(at_grad(a), 0, 0, 0, 0, 10, 0);

    at_tensor *x = at_zeros(AT_SHAPE(3), .type = type), *view = at_narrow(x, 0, 0, 1);
    at_requires_grad_(x);
    CHECK(!at_defined(at_add_(view, at_narrow(at_select(a, 0, 0), 0, 0, 1))));
    check_error("shares its memory");
    CHECK(at_isLeaf(x) && !at_requiresGrad(view));
    at_tensor *y = at_zeros(AT_SHAPE(3), .type = type), *head = at_narrow(y, 0, 0, 1);
    CHECK(!at_defined(at_add_(head, a))); /* no such sizes: the family stays without gradient */
    at_error_clear();
    CHECK(!at_requiresGrad(y));
    at_requires_grad_(y);
    CHECK(!at_defined(at_add_(head, at_narrow(at_select(a, 0, 0), 0, 0, 1))));
    check_error("a leaf that wants a gradient");
  }
}

static void inference(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = leaf(), *made = NULL, *view = NULL;
    CHECK(!at_inference_setOn(true) && at_inference_isOn());
    AT_NO_GRAD
    {
      made = at_mul(a, 2);
      view = at_select(a, 0, 0);
    }
    CHECK(at_isInference(made) && at_isInference(at_select(made, 0, 0)) && !at_isInference(view));
    CHECK(at_inference_setOn(false) && !at_isInference(at_clone(made)));
    CHECK(!at_defined(at_requires_grad_(made)));
    check_error("inference mode");
    CHECK(!at_defined(at_mul(a, made)));
    check_error("inference mode");
    CHECK(at_backward(at_sum(at_add(a, made))));
    CHECK(at_backward(at_sum(at_mul(a, at_clone(made)))));
    CHECK_ALL(at_grad(a), 3, 5, 7, 9, 11, 13);
  }
}

/* Memory of storages that was something else before tells nothing of inference mode. */
static void used_memory(void **state)
{
  enum { BLOCKS = 64 };
  void *blocks[BLOCKS];
  for (int i = 0; i < BLOCKS; i++)
    blocks[i] = memset(THAlloc(sizeof(THFloatStorage)), 0xff, sizeof(THFloatStorage));
  for (int i = 0; i < BLOCKS; i++)
    THFree(blocks[i]);
  AT_SCOPE
  {
    for (int i = 0; i < BLOCKS; i++)
      CHECK(!at_isInference(at_zeros(AT_SHAPE(2))));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_columns), cmocka_unit_test(bases),
      cmocka_unit_test(second),           cmocka_unit_test(errors),
      cmocka_unit_test(failing),          cmocka_unit_test(hooks),
      cmocka_unit_test(changing),         cmocka_unit_test(results),
      cmocka_unit_test(plain_memory),     cmocka_unit_test(plain_parts),
      cmocka_unit_test(inference),        cmocka_unit_test(used_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
