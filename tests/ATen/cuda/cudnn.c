/* Convolutions on CUDA by cuDNN, of which the simulator has a stand-in: which engine computes them, plans, settings,
 * graphs, what goes wrong.  The CPU has the values.
 *
 *     test_ATen_cuda_cudnn_sim [absent] */
#include <stdlib.h>
#include <string.h>

#include "ATen.h"
#include "cusim_dnn.h"
#include "th_counts.h"
#include "th_test.h"

/* --- comparisons -------------------------------------------------------------------------------- */

static at_tensor *there(at_tensor *t)
{
  return at_to(t, AT_CUDA(at_type_scalarType(at_typeOf(t))));
}

static at_tensor *here(at_tensor *t)
{
  return at_to(t, AT_CPU(at_type_scalarType(at_typeOf(t))));
}

static void check_near(at_tensor *t, at_tensor *want, double tolerance)
{
  CHECK_MSG(at_defined(t) && at_defined(want), "%s", at_error_message());
  CHECK(at_deviceOf(t) >= 0);
  at_tensor *const host = at_to(here(t), AT_CPU(AT_DOUBLE)), *const right =
                                                                 at_to(want, AT_CPU(AT_DOUBLE));
  CHECK(at_allclose(host, right, .rtol = tolerance, .atol = tolerance));
}

/* How often each engine has run since the last call of begin_counts. */
static struct {
  int all, rounding, unordered, direct, plain, plans;
} before;

static void begin_counts(void)
{
  before.all = cusim_dnn_runs(NULL);
  before.rounding = cusim_dnn_runs("rounding");
  before.unordered = cusim_dnn_runs("unordered");
  before.direct = cusim_dnn_runs("direct");
  before.plain = cusim_dnn_runs("plain");
  before.plans = cusim_dnn_plans();
}
#define RUNS(ENGINE) (cusim_dnn_runs(#ENGINE) - before.ENGINE)
#define ALL_RUNS     (cusim_dnn_runs(NULL) - before.all)
#define PLANS        (cusim_dnn_plans() - before.plans)

typedef struct Operands {
  at_tensor *x, *w, *b, *g; /* of the CPU: images, weights, a bias, a gradient of the result */
} Operands;

static Operands made(at_scalar_type type)
{
  const at_type *t = AT_CPU(type);
  return (Operands){.x = at_to(at_randn(AT_SHAPE(2, 4, 9, 8)), t),
                    .w = at_to(at_randn(AT_SHAPE(6, 2, 3, 2)), t),
                    .b = at_to(at_randn(AT_SHAPE(6)), t),
                    .g = at_to(at_randn(AT_SHAPE(2, 6, 5, 8)), t)};
}

#define HOW \
  .stride = AT_INTS(2, 1), .padding = AT_INTS(2, 1), .dilation = AT_INTS(2, 2), .groups = 2

static at_tensor *forward(at_tensor *x, at_tensor *w, at_tensor *b)
{
  return at_conv2d(x, w, .bias = b, HOW);
}

/* Forward and backward; gradients of the weights as a sum of two calls. */
static void check_all(Operands o, double tolerance)
{
  at_tensor *const x = at_requires_grad_(there(o.x)), *const w = at_requires_grad_(there(o.w)),
                   *const b = at_requires_grad_(there(o.b));
  at_tensor *const hx = at_requires_grad_(at_clone(o.x)),
                   *const hw = at_requires_grad_(at_clone(o.w)),
                   *const hb = at_requires_grad_(at_clone(o.b));
  for (int i = 0; i < 2; i++) {
    at_tensor *const y = forward(x, w, b), *const want = forward(hx, hw, hb);
    check_near(at_detach(y), at_detach(want), tolerance);
    CHECK(at_backward(at_sum(at_mul(y, there(o.g)))));
    CHECK(at_backward(at_sum(at_mul(want, o.g))));
  }
  check_near(at_grad(x), at_grad(hx), tolerance);
  check_near(at_grad(w), at_grad(hw), tolerance * 4);
  check_near(at_grad(b), at_grad(hb), tolerance * 4);
}

/* --- types, passes, engines --------------------------------------------------------------------- */

static void types(void **state)
{
  static const struct {
    at_scalar_type type;
    double tolerance;
  } rows[] = {{AT_FLOAT, 1e-4}, {AT_DOUBLE, 1e-12}, {AT_HALF, 3e-2}, {AT_BFLOAT16, 2e-1}};
  at_manualSeed(1);
  for (int i = 0; i < 4; i++)
    AT_SCOPE
    {
      begin_counts();
      check_all(made(rows[i].type), rows[i].tolerance);
      CHECK_EQ(ALL_RUNS, 6);
      CHECK_EQ(RUNS(plain), rows[i].type == AT_DOUBLE ? 6 : 0);
    }
}

/* X(axes, sizes of input and weight, options) */
#define SHAPES(X)                                                                                  \
  X(at_conv1d, AT_SHAPE(2, 3, 11), AT_SHAPE(4, 3, 3), .stride = AT_INTS(2), .padding = AT_INTS(1)) \
  X(at_conv2d, AT_SHAPE(6, 8, 7), AT_SHAPE(6, 1, 3, 3), .groups = 6, .padding = AT_INTS(1))        \
  X(at_conv3d, AT_SHAPE(2, 4, 5, 6, 7), AT_SHAPE(2, 2, 2, 3, 3), .groups = 2,                      \
    .dilation = AT_INTS(1, 2, 1))                                                                  \
  X(at_conv_transpose1d, AT_SHAPE(2, 3, 5), AT_SHAPE(3, 4, 3), .stride = AT_INTS(2))               \
  X(at_conv_transpose2d, AT_SHAPE(2, 4, 5, 5), AT_SHAPE(4, 3, 3, 3), .groups = 2,                  \
    .stride = AT_INTS(2), .output_padding = AT_INTS(1))                                            \
  X(at_conv_transpose3d, AT_SHAPE(1, 2, 3, 3, 4), AT_SHAPE(2, 2, 2, 2, 2), .stride = AT_INTS(2))

static void shapes(void **state)
{
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_BFLOAT16};
  at_manualSeed(2);
  for (int i = 0; i < 3; i++)
    AT_SCOPE
    {
      const double tolerance = i == 0 ? 1e-4 : i == 1 ? 1e-12 : 2e-1;
      const at_type *type = AT_CPU(types[i]);
#define ROW(NAME, SIZE, WEIGHT, ...)                                                            \
  do {                                                                                          \
    at_tensor *const x = at_to(at_randn(SIZE), type), *const w = at_to(at_randn(WEIGHT), type); \
    begin_counts();                                                                             \
    check_near(NAME(there(x), there(w), __VA_ARGS__), NAME(x, w, __VA_ARGS__), tolerance);      \
    CHECK_EQ(ALL_RUNS, 1);                                                                      \
  } while (0);
      SHAPES(ROW)
#undef ROW
    }
}

static void engines(void **state)
{
  at_manualSeed(3);
  AT_SCOPE
  {
    const Operands o = made(AT_FLOAT);
    begin_counts();
    check_all(o, 1e-4);
    CHECK_EQ(RUNS(direct), 2); /* forward */
    CHECK_EQ(RUNS(unordered), 4);
    CHECK(at_cuda_setDeterministic(true));
    begin_counts();
    check_all(o, 1e-4);
    CHECK_EQ(RUNS(direct), 6);
    CHECK(at_cuda_setDeterministic(false));
    CHECK(at_cuda_setAllowTF32(true));
    begin_counts();
    check_all(o, 2e-2);
    CHECK_EQ(RUNS(rounding), 6);
    CHECK(at_cuda_setAllowTF32(false));
    begin_counts(); /* tensor cores multiply Half as it is */
    check_all(made(AT_HALF), 3e-2);
    CHECK_EQ(RUNS(rounding), 6);
  }
}

/* 1 + 2^-12 does not fit the 10 bits of TF32. */
static void rounds(void **state)
{
  AT_SCOPE
  {
    const double fine = 1 + 0x1p-12;
    at_tensor *const x = at_full(AT_SHAPE(1, 4, 3, 3), at_scalar(fine), .type = AT_CUDA(AT_FLOAT));
    at_tensor *const w = at_ones(AT_SHAPE(1, 4, 1, 1), .type = AT_CUDA(AT_FLOAT));
    CHECK_EQ(at_item_double(at_max(at_conv2d(x, w))), 4 * fine);
    CHECK(at_cuda_setAllowTF32(true));
    CHECK_EQ(at_item_double(at_max(at_conv2d(x, w))), 4);
    CHECK(at_cuda_setAllowTF32(false));
    CHECK_EQ(at_item_double(at_max(at_conv2d(x, w))), 4 * fine);
  }
}

/* --- plans -------------------------------------------------------------------------------------- */

static void plans(void **state)
{
  at_manualSeed(4);
  AT_SCOPE
  {
    at_tensor *const x = there(at_randn(AT_SHAPE(3, 5, 10, 9))), *const w =
                                                                     there(at_randn(AT_SHAPE(2, 5,
                                                                                             3,
                                                                                             3)));
    begin_counts();
    CHECK(at_defined(at_conv2d(x, w)));
    const int first = PLANS;
    CHECK(first > 0);
    CHECK(at_defined(at_conv2d(x, w)));
    CHECK(at_defined(at_conv2d(x, at_clone(w))));
    CHECK_EQ(PLANS, first);
    CHECK(at_defined(at_conv2d(x, w, .padding = AT_INTS(1))));
    CHECK(PLANS > first);
    begin_counts(); /* more than a stream keeps: none of them is wrong */
    for (int i = 1; i < 1500; i++)
      AT_SCOPE
      {
        at_tensor *const ones = at_ones(AT_SHAPE(1, i, 1, 1), .type = AT_CUDA(AT_FLOAT));
        at_tensor *const sum = at_conv2d(ones, at_ones_like(ones));
        CHECK_MSG(i % 100 || at_item_double(sum) == i, "%d", i);
      }
    CHECK_EQ(ALL_RUNS, 1499);
  }
}

static void measured(void **state)
{
  at_manualSeed(5);
  CHECK(!at_cuda_getBenchmarkCuDNN());
  CHECK(at_cuda_setBenchmarkCuDNN(true) && at_cuda_getBenchmarkCuDNN());
  AT_SCOPE
  {
    const Operands o = made(AT_FLOAT);
    begin_counts();
    check_near(forward(there(o.x), there(o.w), there(o.b)), forward(o.x, o.w, o.b), 1e-4);
    CHECK(RUNS(direct) > 1 && RUNS(plain) > 1); /* both ways were tried */
    begin_counts();
    check_near(forward(there(o.x), there(o.w), there(o.b)), forward(o.x, o.w, o.b), 1e-4);
    CHECK_EQ(ALL_RUNS, 1);
    check_all(o, 1e-4);
  }
  CHECK(at_cuda_setBenchmarkCuDNN(false));
}

/* Addresses that are multiples of an element only. */
static void unaligned(void **state)
{
  at_manualSeed(6);
  AT_SCOPE
  {
    at_tensor *const all = at_to(at_randn(AT_SHAPE(1 + 2 * 3 * 5 * 5)), AT_CPU(AT_HALF));
    at_tensor *const w = at_to(at_randn(AT_SHAPE(2, 3, 3, 3)), AT_CPU(AT_HALF));
    at_tensor *const x = at_view(at_narrow(all, 0, 1, 150), AT_SHAPE(2, 3, 5, 5));
    at_tensor *const c = at_view(at_narrow(there(all), 0, 1, 150), AT_SHAPE(2, 3, 5, 5));
    begin_counts();
    check_near(at_conv2d(c, there(w)), at_conv2d(x, w), 2e-2);
    at_tensor *const floats =
        at_view(at_narrow(at_to(there(all), AT_CUDA(AT_FLOAT)), 0, 1, 150), AT_SHAPE(2, 3, 5, 5));
    check_near(at_conv2d(floats, at_to(there(w), AT_CUDA(AT_FLOAT))),
               at_conv2d(at_to(x, AT_CPU(AT_FLOAT)), at_to(w, AT_CPU(AT_FLOAT))), 1e-4);
    CHECK_EQ(ALL_RUNS, 2);
  }
}

/* --- without it --------------------------------------------------------------------------------- */

static void refused(void **state)
{
  at_manualSeed(7);
  AT_SCOPE
  {
    const Operands o = made(AT_FLOAT);
    begin_counts();
    CHECK(at_cuda_getUseCuDNN());
    CHECK(at_cuda_setUseCuDNN(false) && !at_cuda_getUseCuDNN());
    check_all(o, 1e-4);
    CHECK_EQ(PLANS, 0);
    CHECK(at_cuda_setUseCuDNN(true));
    static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_HALF, AT_BFLOAT16};
    for (int i = 0; i < 4; i++) { /* the stand-in takes no padding as wide as the window */
      at_tensor *const x = at_to(o.x, AT_CPU(types[i])), *const w = at_to(o.w, AT_CPU(types[i]));
      const at_ints pad = AT_INTS(3, 2);
      check_near(at_conv2d(there(x), there(w), .padding = pad, .groups = 2),
                 at_conv2d(x, w, .padding = pad, .groups = 2), i < 2 ? 1e-4 : 2e-1);
    }
    CHECK_EQ(ALL_RUNS, 0);
  }
}

static void failures(void **state)
{
  enum { EXECUTION_FAILED = 5000 };
  static const at_scalar_type types[] = {AT_FLOAT, AT_BFLOAT16};
  at_manualSeed(8);
  for (int i = 0; i < 2; i++)
    AT_SCOPE
    {
      const Operands o = made(types[i]);
      at_tensor *const x = there(o.x), *const w = there(o.w), *const b = there(o.b);
      cusim_dnn_fail(EXECUTION_FAILED);
      CHECK(!at_defined(forward(x, w, b)));
      CHECK_MSG(strstr(at_error_message(), "cuDNN error 5000 in a convolution: execution failed"),
                "%s", at_error_message());
      at_error_clear();
      check_near(forward(x, w, b), forward(o.x, o.w, o.b), i ? 2e-1 : 1e-4);
      CHECK(!at_defined(at_conv2d(x, w)));
      CHECK(at_error());
      at_error_clear();
    }
}

static void graphs(void **state)
{
  at_manualSeed(9);
  AT_SCOPE
  {
    const Operands o = made(AT_FLOAT);
    at_tensor *const x = there(o.x), *const w = there(o.w), *const b = there(o.b);
    for (int measures = 0; measures < 2; measures++) {
      CHECK(at_cuda_setBenchmarkCuDNN(measures));
      forward(x, w, b);
      CHECK(at_cuda_synchronize());
      begin_counts();
      at_cuda_graph *const graph = at_cuda_graph_begin();
      at_tensor *const y = forward(x, w, b);
      CHECK_MSG(at_cuda_graph_end(graph), "%s", at_error_message());
      CHECK_EQ(ALL_RUNS, 1);
      for (int i = 0; i < 2; i++) {
        at_mul_(x, 2);
        CHECK(at_cuda_graph_replay(graph));
        check_near(y, forward(here(x), o.w, o.b), 1e-4);
      }
      at_cuda_graph_free(graph);
    }
    CHECK(at_cuda_setBenchmarkCuDNN(false));
  }
}

/* What no call waits for, once its plan is made. */
static void convolve(void *operands)
{
  const Operands *o = operands;
  AT_SCOPE
  {
    at_tensor *const y = forward(o->x, o->w, o->b);
    CHECK(at_defined(at_convolution_backward(at_ones_like(y), o->x, o->w, AT_INTS(6), AT_INTS(2, 1),
                                             AT_INTS(2, 1), AT_INTS(2, 2), false, AT_INTS(0), 2)
                         .grad_input));
  }
}

static void counts(void **state)
{
  AT_SCOPE
  {
    const Operands o = made(AT_FLOAT);
    Operands c = {there(o.x), there(o.w), there(o.b), there(o.g)};
    const Counts counted = counts_of(convolve, &c);
    CHECK_EQ(counted.waits, 0);
    CHECK_EQ(counted.products, 0);
    CHECK_EQ(counted.copies, 0);
  }
}

static void versions(void **state)
{
  CHECK_EQ(at_cuda_versionCuDNN(), 90000);
}

/* --- a library that is not there ---------------------------------------------------------------- */

static void absent(void **state)
{
  at_manualSeed(10);
  setenv("TH_CUDNN_LIBRARY", "/nowhere/libcudnn.so", 1);
  AT_SCOPE
  {
    begin_counts();
    for (int i = 0; i < 2; i++)
      check_all(made(i ? AT_BFLOAT16 : AT_FLOAT), i ? 2e-1 : 1e-4);
    CHECK_EQ(PLANS, 0);
    CHECK_EQ(at_cuda_versionCuDNN(), 0);
    CHECK(at_cuda_getUseCuDNN());
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest without[] = {cmocka_unit_test(absent)};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types),     cmocka_unit_test(shapes),  cmocka_unit_test(engines),
      cmocka_unit_test(rounds),    cmocka_unit_test(plans),   cmocka_unit_test(measured),
      cmocka_unit_test(unaligned), cmocka_unit_test(refused), cmocka_unit_test(failures),
      cmocka_unit_test(graphs),    cmocka_unit_test(counts),  cmocka_unit_test(versions),
  };
  if (argc > 1 && !strcmp(argv[1], "absent"))
    return cmocka_run_group_tests(without, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
