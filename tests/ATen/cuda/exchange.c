/* What CUDA has in common with the CPU and with others: operands of the CPU, generators, DLPack, files, settings. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ATen.h"
#include "ATenDLPackTypes.h"
#include "th_test.h"

#define CHECK_ERROR(CODE, PART)                                                                    \
  do {                                                                                             \
    CHECK_EQ(at_error(), CODE);                                                                    \
    CHECK_MSG(strstr(at_error_message(), PART), "%s: there is no '%s'", at_error_message(), PART); \
    at_error_clear();                                                                              \
  } while (0)

/* Whether t is on CUDA and is what the CPU computes, in type, shape and elements, up to an error of rtol. */
static void check_near(at_tensor *t, at_tensor *want, double rtol)
{
  CHECK_MSG(at_defined(t) && at_defined(want), "%s", at_error_message());
  CHECK(at_deviceOf(t) >= 0 && at_deviceOf(want) == -1);
  at_tensor *const host = at_to(t, AT_CPU(at_type_scalarType(at_typeOf(t))));
  CHECK(at_typeOf(host) == at_typeOf(want));
  CHECK(rtol > 0 ? at_allclose(host, want, .rtol = rtol, .atol = rtol) : at_equal(host, want));
}

static void check_like(at_tensor *t, at_tensor *want)
{
  check_near(t, want, 0);
}

static at_tensor *there(at_tensor *t)
{
  return at_to(t, AT_CUDA(at_type_scalarType(at_typeOf(t))));
}

/* --- operands of the CPU ------------------------------------------------------------------------ */

/* X(operands in the order of the operation): a is of CUDA, s of the CPU without dimensions. */
#define BOTH(NAME, A, S)                             \
  do {                                               \
    check_near(NAME(there(A), S), NAME(A, S), 1e-6); \
    check_near(NAME(S, there(A)), NAME(S, A), 1e-6); \
  } while (0)

static void numbers(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = at_arange_start(1, 7, .type = AT_CPU(AT_FLOAT)),
                     *const whole = at_to(x, AT_CPU(AT_LONG));
    at_tensor *const s = at_full(AT_SCALAR_SHAPE, at_scalar(2.5)), *const two =
                                                                       at_full(AT_SCALAR_SHAPE,
                                                                               at_scalar_long(2),
                                                                               .type =
                                                                                   AT_CPU(AT_LONG));
    BOTH(at_add, x, s);
    BOTH(at_add, whole, s);
    BOTH(at_sub, x, two);
    BOTH(at_mul, whole, two);
    BOTH(at_div, x, two);
    BOTH(at_pow, x, two);
    BOTH(at_atan2, x, s);
    BOTH(at_maximum, x, s);
    BOTH(at_lt, x, s);
    BOTH(at_eq, whole, two);
    BOTH(at_bitwise_and, whole, two);
    BOTH(at_logaddexp, x, s);
    BOTH(at_floor_divide, whole, two);
    check_like(at_add(there(x), s, .alpha = 3), at_add(x, s, .alpha = 3));
    check_like(at_where(at_lt(there(x), 3), there(x), s), at_where(at_lt(x, 3), x, s));
    check_like(at_lerp_tensor(there(x), there(at_neg(x)), s), at_lerp_tensor(x, at_neg(x), s));
    check_like(at_addcmul(there(x), there(x), s), at_addcmul(x, x, s));
    check_like(at_clamp_tensor(there(x), .min = s), at_clamp_tensor(x, .min = s));
    check_like(at_masked_fill_tensor(there(x), at_lt(there(x), 3), s),
               at_masked_fill_tensor(x, at_lt(x, 3), s));
    at_tensor *const c = there(x);
    check_like(at_mul_(c, two), at_mul(x, two));
    check_like(at_add_out(c, s, there(x)), at_add(s, x));
    check_like(at_fill_tensor_(c, s), at_full(AT_SHAPE(6), at_scalar(2.5)));
  }
}

static void refused(void **state)
{
  AT_SCOPE
  {
    at_tensor *const c = at_ones(AT_SHAPE(2), .type = AT_CUDA(AT_FLOAT));
    at_tensor *const s = at_full(AT_SCALAR_SHAPE, at_scalar(2.5));
    CHECK(!at_defined(at_add(c, at_view(s, AT_SHAPE(1)))));
    CHECK_ERROR(AT_ERROR_ARGUMENT, "add: other is on the CPU, and self on CUDA device 0");
    CHECK(!at_defined(at_add_(s, c)));
    CHECK_ERROR(AT_ERROR_ARGUMENT, "other is on CUDA device 0, and self on the CPU");
    CHECK(!at_defined(at_add_out(s, c, c)));
    CHECK_ERROR(AT_ERROR_ARGUMENT, "and result on the CPU");
    CHECK(!at_defined(at_dot(c, s)));
    CHECK_ERROR(AT_ERROR_ARGUMENT, "on the CPU");
    at_tensor *const host = at_ones(AT_SHAPE(2)), *const i = at_to(c, AT_CUDA(AT_LONG));
    CHECK(!at_defined(at_index(host, AT_TENSORS(i))));
    CHECK_ERROR(AT_ERROR_ARGUMENT, "indices[0] is on CUDA device 0");
  }
}

/* The copy is recorded: gradients reach the number on the CPU. */
static void gradients(void **state)
{
  AT_SCOPE
  {
    at_tensor *const s = at_requires_grad_(at_full(AT_SCALAR_SHAPE, at_scalar(3)));
    at_tensor *const c = at_arange(at_scalar(5), .type = AT_CUDA(AT_FLOAT));
    CHECK(at_backward(at_sum(at_mul(at_mul(s, c), s))));
    CHECK(at_deviceOf(at_grad(s)) == -1);
    CHECK_EQ(at_item_double(at_grad(s)), 2 * 3 * 10);
  }
}

static void indices(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x =
        at_view(at_arange(at_scalar(12), .type = AT_CPU(AT_FLOAT)), AT_SHAPE(3, 4));
    at_tensor *const i = at_to(at_flip(at_arange(at_scalar(3)), AT_INTS(0)), AT_CPU(AT_LONG));
    at_tensor *const mask = at_gt(x, 4), *const s = at_full(AT_SCALAR_SHAPE, at_scalar(-1));
    check_like(at_index(there(x), AT_TENSORS(i)), at_index(x, AT_TENSORS(i)));
    check_like(at_index(there(x), AT_TENSORS(i, there(i))), at_index(x, AT_TENSORS(i, i)));
    check_like(at_index(there(x), AT_TENSORS(mask)), at_index(x, AT_TENSORS(mask)));
    check_like(at_index_put(there(x), AT_TENSORS(i), s), at_index_put(x, AT_TENSORS(i), s));
    check_like(at_index_put(there(x), AT_TENSORS(mask), s, .accumulate = true),
               at_index_put(x, AT_TENSORS(mask), s, .accumulate = true));
    at_tensor *const c = there(x);
    check_like(at_index_put_(c, AT_TENSORS(i, i), s), at_index_put(x, AT_TENSORS(i, i), s));
    if (at_cuda_deviceCount() > 1)
      AT_ON_DEVICE(1)
      {
        at_tensor *const on1 = there(x);
        AT_ON_DEVICE(0)
        {
          at_tensor *const r = at_mul(at_index(on1, AT_TENSORS(i)), s);
          CHECK_EQ(at_deviceOf(r), 1);
          check_like(r, at_neg(at_index(x, AT_TENSORS(i))));
        }
      }
  }
}

/* --- generators --------------------------------------------------------------------------------- */

/* All that draws, in one vector. */
static at_tensor *draws(at_generator *g)
{
  const at_type *const type = AT_CUDA(AT_FLOAT);
  at_tensor *const half = at_full(AT_SHAPE(40), at_scalar(0.5), .type = type);
  at_tensor *const all[] = {
      at_rand(AT_SHAPE(40), .type = type, .generator = g),
      at_randn(AT_SHAPE(40), .type = type, .generator = g),
      at_bernoulli(half, .generator = g),
      at_poisson(half, .generator = g),
      at_exponential_(at_clone(half), .generator = g),
      at_to(at_randperm(40, .type = AT_CUDA(AT_LONG), .generator = g), type),
      at_to(at_multinomial(half, 40, .replacement = true, .generator = g), type),
      at_binomial(at_mul(half, 20), half, .generator = g)};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    CHECK_MSG(at_defined(all[i]), "%zu: %s", i, at_error_message());
  const at_tensors list = {all, sizeof all / sizeof *all};
  return at_cat(list);
}

static void generators(void **state)
{
  AT_SCOPE
  {
    at_generator *const standard = at_defaultGenerator(AT_BACKEND_CUDA);
    CHECK(standard);
    at_manualSeed(11);
    CHECK_EQ(at_generator_initialSeed(standard), 11);
    at_generator *const own = at_generator_new(AT_BACKEND_CUDA),
                        *const host = at_generator_new(AT_BACKEND_CPU);
    CHECK_EQ(at_generator_initialSeed(own), 11);
    at_tensor *const first = draws(own), *const after = at_generator_state(own);
    CHECK_EQ(at_numel(after), 16);
    CHECK_EQ(((const int64_t *)at_data(after))[0], 11);
    at_tensor *const second = draws(own);
    CHECK(!at_equal(first, second));
    CHECK(at_equal(first, draws(AT_DEFAULT_GENERATOR))); /* which nothing has moved */
    CHECK(at_equal(at_generator_state(standard), after));
    CHECK(at_equal(second, draws(standard)));
    CHECK(at_generator_setState(own, after) && at_equal(second, draws(own)));
    at_generator_manualSeed(own, 11);
    CHECK(at_equal(first, draws(own)));
    const uint64_t seed = at_generator_seed(own);
    CHECK(seed == at_generator_initialSeed(own));
    CHECK_EQ(at_generator_initialSeed(standard), 11);

    CHECK(!at_defined(at_rand(AT_SHAPE(3), .generator = own)));
    CHECK_ERROR(AT_ERROR_TYPE, "the generator is of CUDA, and self is of CPUFloatType");
    CHECK(!at_defined(at_rand(AT_SHAPE(3), .type = AT_CUDA(AT_FLOAT), .generator = host)));
    CHECK_ERROR(AT_ERROR_TYPE, "the generator is of the CPU, and self is of CUDAFloatType");
    CHECK(!at_generator_setState(own, at_generator_state(host)));
    CHECK_ERROR(AT_ERROR_ARGUMENT, "not the 16 bytes of a generator");
    if (at_cuda_deviceCount() > 1)
      AT_ON_DEVICE(1)
      {
        CHECK(!at_defined(at_rand(AT_SHAPE(3), .type = AT_CUDA(AT_FLOAT), .generator = own)));
        CHECK_ERROR(AT_ERROR_RUNTIME, "the generator is of device 0, and device 1 draws");
      }
    at_tensor *const state0 = at_generator_state(standard);
    CHECK(at_defined(at_rand(AT_SHAPE(3),
                             .type = AT_CUDA(AT_FLOAT)))); /* no generator has stayed chosen */
    CHECK(!at_equal(state0, at_generator_state(standard)));
    at_generator_free(own);
    at_generator_free(host);
    at_generator_free(standard);
  }
}

/* --- DLPack ------------------------------------------------------------------------------------- */

static int deleted;

static void count_deleted(DLManagedTensor *managed)
{
  deleted++;
}

static void handed_out(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x =
        there(at_view(at_arange(at_scalar(6), .type = AT_CPU(AT_FLOAT)), AT_SHAPE(2, 3)));
    at_tensor *const t = at_transpose(x, 0, 1);
    DLManagedTensorVersioned *const v = at_toDLPackVersioned(t);
    CHECK_MSG(v, "%s", at_error_message());
    CHECK(v->dl_tensor.device.device_type == kDLCUDA && v->dl_tensor.device.device_id == 0);
    CHECK((char *)v->dl_tensor.data + v->dl_tensor.byte_offset == at_data(t));
    CHECK(v->dl_tensor.strides[0] == 1 && v->dl_tensor.strides[1] == 3);
    at_tensor *const back = at_fromDLPackVersioned(v);
    CHECK_MSG(at_defined(back), "%s", at_error_message());
    CHECK(at_data(back) == at_data(t) && at_deviceOf(back) == 0 && at_equal(back, t));
    at_mul_(back, 2);
    CHECK_EQ(at_item_double(at_sum(x)), 30);
  }
}

static DLManagedTensor describe(at_tensor *t, int64_t *shape, int device)
{
  return (DLManagedTensor){.dl_tensor = {.data = (char *)at_data(t) - 4,
                                         .device = {kDLCUDA, device},
                                         .ndim = 1,
                                         .dtype = {kDLFloat, 32, 1},
                                         .shape = shape,
                                         .byte_offset = 4},
                           .deleter = count_deleted};
}

/* Memory of a device that is not the current one. */
static void taken_elsewhere(void)
{
  int64_t five = 5;
  AT_SCOPE
  {
    at_tensor *on1 = NULL;
    AT_ON_DEVICE(1)
    {
      on1 = there(at_arange(at_scalar(5), .type = AT_CPU(AT_FLOAT)));
    }
    DLManagedTensor of1 = describe(on1, &five, 1);
    at_tensor *const t = at_fromDLPack(&of1);
    CHECK_EQ(at_deviceOf(t), 1);
    CHECK(at_equal(t, on1));
    at_release(t);
    CHECK_EQ(deleted, 1);
  }
  deleted = 0;
}

static void taken(void **state)
{
  int64_t five = 5;
  deleted = 0;
  if (at_cuda_deviceCount() > 1)
    taken_elsewhere();
  at_tensor *const numbers = at_arange(at_scalar(5), .type = AT_CPU(AT_FLOAT));
  at_tensor *const memory = there(numbers);
  DLManagedTensor given = describe(memory, &five, 0), nowhere = describe(memory, &five, 7);
  at_tensor *t = at_fromDLPack(&given);
  CHECK_MSG(at_defined(t), "%s", at_error_message());
  CHECK(at_data(t) == at_data(memory) && at_equal(t, memory));
  at_tensor *view = at_narrow(t, 0, 1, 2);
  at_release(t);
  CHECK_EQ(deleted, 0);
  at_tensor *grown = at_resize_(view, AT_SHAPE(100));
  CHECK(!at_defined(grown));
  at_error_clear();
  at_release(view);
  CHECK_EQ(deleted, 1);
  CHECK(!at_defined(at_fromDLPack(&nowhere)));
  CHECK_ERROR(AT_ERROR_ARGUMENT, "CUDA device 7");
  CHECK_EQ(deleted, 1);
  at_release(memory);
  at_release(numbers);
}

/* --- files -------------------------------------------------------------------------------------- */

static void files(void **state)
{
  static const char *const names[] = {"/tmp/at_exchange_%d.pt", "/tmp/at_exchange_%d.safetensors",
                                      "/tmp/at_exchange_%d.npz", "/tmp/at_exchange_%d.t7"};
  for (int i = 0; i < 4; i++)
    AT_SCOPE
    {
      char path[64];
      snprintf(path, sizeof path, names[i], (int)getpid());
      at_tensor *const x = at_view(at_arange(at_scalar(24)), AT_SHAPE(4, 6)), *const c = there(x);
      at_tensor *const wide = there(at_to(x, AT_CPU(AT_LONG)));
      at_dict *const given = at_dict_new();
      at_dict_set(given, "whole", c);
      at_dict_set(given, "part", at_transpose(at_narrow(c, 1, 2, 3), 0, 1));
      at_dict_set(given, "longs", wide);
      at_dict_set(given, "none", there(at_zeros(AT_SHAPE(0))));
      CHECK_MSG(at_save(path, given), "%s", at_error_message());
      at_dict *const back = at_load(path, .cuda = true), *const host = at_load(path);
      CHECK_MSG(back && host, "%s", at_error_message());
      CHECK_EQ(at_dict_count(back), 4);
      for (int64_t k = 0; k < 4; k++)
        check_like(at_dict_at(back, k), at_dict_at(host, k));
      check_like(at_dict_get(back, "whole"), x);
      check_like(at_dict_get(back, "longs"), at_to(x, AT_CPU(AT_LONG)));
      at_fill_(at_dict_get(back, "whole"), 3);
      at_fill_(at_dict_get(host, "whole"), 3);
      check_like(at_dict_get(back, "part"),
                 at_dict_get(host, "part")); /* memory is shared as on the CPU */
      at_dict_free(given);
      at_dict_free(back);
      at_dict_free(host);
      CHECK(unlink(path) == 0);
    }
}

/* --- settings ----------------------------------------------------------------------------------- */

/* 1 + 2^-12 does not fit the 10 bits of TF32. */
static void tf32(void **state)
{
  AT_SCOPE
  {
    const double fine = 1 + 0x1p-12;
    at_tensor *const a = at_full(AT_SHAPE(3, 4), at_scalar(fine), .type = AT_CUDA(AT_FLOAT));
    at_tensor *const b = at_ones(AT_SHAPE(4, 2), .type = AT_CUDA(AT_FLOAT));
    CHECK(!at_cuda_getAllowTF32());
    CHECK_EQ(at_item_double(at_max(at_mm(a, b))), 4 * fine);
    CHECK(at_cuda_setAllowTF32(true) && at_cuda_getAllowTF32());
    const double rounded = at_item_double(at_max(at_mm(a, b)));
    CHECK(fabs(rounded - 4 * fine) <= 0x1p-9);
    CHECK(rounded == 4 ||
          !dlsym(RTLD_DEFAULT, "cusim_allow_races")); /* a GPU may choose otherwise */
    at_tensor *const d = at_to(a, AT_CUDA(AT_DOUBLE));
    CHECK_EQ(at_item_double(at_max(at_mm(d, at_to(b, AT_CUDA(AT_DOUBLE))))), 4 * fine);
    CHECK(at_cuda_setAllowTF32(false));
    CHECK_EQ(at_item_double(at_max(at_mm(a, b))), 4 * fine);
  }
}

enum { COUNT = 3000, TARGETS = 7 };

/* The sums of x at the indices in their order, rounded after each addition. */
static at_tensor *sums_in_order(at_tensor *x, at_tensor *index)
{
  at_tensor *const r = at_zeros(AT_SHAPE(TARGETS));
  for (int i = 0; i < COUNT; i++)
    ((float *)at_data(r))[((int64_t *)at_data(index))[i]] += ((float *)at_data(x))[i];
  return r;
}

static void deterministic(void **state)
{
  at_manualSeed(5);
  CHECK(!at_cuda_getDeterministic());
  CHECK(at_cuda_setDeterministic(true) && at_cuda_getDeterministic());
  AT_SCOPE
  {
    at_tensor *const x = at_mul(at_randn(AT_SHAPE(COUNT)), at_exp(at_randn(AT_SHAPE(COUNT))));
    at_tensor *const wide = at_to(at_mul(at_abs(at_randn(AT_SHAPE(COUNT))), 1000), AT_CPU(AT_LONG));
    at_tensor *const index = at_remainder(wide, TARGETS);
    at_tensor *const want = sums_in_order(x, index), *const c = there(x), *const i = there(index);
    at_tensor *const zero = there(at_zeros(AT_SHAPE(TARGETS)));
    check_like(at_index_add(zero, 0, i, c), want);
    check_like(at_scatter_add(zero, 0, i, c), want);
    check_like(at_put(zero, i, c, .accumulate = true), want);
    check_like(at_index_put(zero, AT_TENSORS(i), c, .accumulate = true), want);
    at_tensor *const rows = at_view(c, AT_SHAPE(COUNT / 2, 2)), *const half =
                                                                    at_narrow(i, 0, 0, COUNT / 2);
    at_tensor *const columns = at_t(at_zeros(AT_SHAPE(2, TARGETS), .type = AT_CUDA(AT_FLOAT)));
    at_tensor *const both = at_index_add(columns, 0, half, rows);
    for (int k = 0; k < 2; k++) {
      at_tensor *const first = at_select(both, 1, k);
      CHECK(at_equal(first, at_index_add(zero, 0, half, at_select(rows, 1, k))));
    }
    at_tensor *const h = at_to(c, AT_CUDA(AT_HALF));
    at_tensor *const halves = at_index_add(at_to(zero, AT_CUDA(AT_HALF)), 0, i, h);
    CHECK(at_equal(halves, at_index_add(at_to(zero, AT_CUDA(AT_HALF)), 0, i, h)));
    at_tensor *const d = at_to(c, AT_CUDA(AT_DOUBLE)), *const z = at_to(zero, AT_CUDA(AT_DOUBLE));
    static const char *const how[] = {"sum", "prod", "mean", "amax"};
    for (int k = 0; k < 4; k++)
      for (int with = 0; with < 2; with++) {
        at_tensor *const start = at_add(z, 2), *const few = at_narrow(i, 0, 0, 60),
                         *const from = at_narrow(d, 0, 0, 60);
        check_like(at_scatter_reduce(start, 0, few, from, how[k], .include_self = with),
                   at_scatter_reduce(at_to(start, AT_CPU(AT_DOUBLE)), 0,
                                     at_to(few, AT_CPU(AT_LONG)), at_to(from, AT_CPU(AT_DOUBLE)),
                                     how[k], .include_self = with));
      }
    at_tensor *const bad = at_clone(i);
    at_fill_(at_narrow(bad, 0, 5, 1), TARGETS);
    CHECK(at_defined(at_index_add(zero, 0, bad, c)));
    CHECK(!at_cuda_synchronize());
    CHECK_ERROR(AT_ERROR_RUNTIME, "out of range");
  }
  CHECK(at_cuda_setDeterministic(false));
}

/* --- graphs ------------------------------------------------------------------------------------- */

/* What a network might do, forward and back, and other families of kernels. */
static at_tensor *compute(at_tensor *x, at_tensor *w, at_tensor *index)
{
  at_tensor *const h = at_relu(at_mm(x, w)), *const p = at_log_softmax(h, 1);
  at_tensor *const image = at_view(h, AT_SHAPE(1, 1, 6, 8));
  at_tensor *const c = at_conv2d(image, at_view(at_narrow(w, 0, 0, 1), AT_SHAPE(1, 1, 2, 4)));
  at_tensor *const d = at_cumsum(at_sort(p).values, 1);
  at_tensor *const e = at_index_add(d, 0, index, at_index_select(p, 0, index));
  at_tensor *const all[] = {at_sum_dim(e, AT_INTS(1)), at_reshape(c, AT_INTS(-1)),
                            at_reshape(at_max_dim(p, 1).values, AT_INTS(-1)),
                            at_reshape(h, AT_INTS(-1))};
  const at_tensors list = {all, 4};
  return at_cat(list);
}

static void graphs(void **state)
{
  AT_SCOPE
  {
    at_manualSeed(9);
    at_tensor *const w = there(at_randn(AT_SHAPE(5, 8))), *const x =
                                                              there(at_randn(AT_SHAPE(6, 5)));
    at_tensor *const index = there(at_to(at_arange(6), AT_CPU(AT_LONG)));
    at_tensor *const once = compute(x, w, index);
    CHECK_MSG(at_defined(once), "%s", at_error_message());
    at_cuda_graph *const graph = at_cuda_graph_begin();
    CHECK_MSG(graph, "%s", at_error_message());
    at_tensor *const y = compute(x, w, index);
    CHECK_MSG(at_cuda_graph_end(graph), "%s", at_error_message());
    CHECK(at_defined(y));
    for (int i = 0; i < 3; i++) {
      at_cuda_emptyCache();
      for (int k = 0; k < 20; k++) /* memory that others get is not the graph's */
        CHECK(at_defined(at_full(AT_SHAPE(50 * (k + 1)), at_scalar(NAN),
                                 .type = AT_CUDA(AT_FLOAT))));
      at_tensor *const next = at_randn(AT_SHAPE(6, 5));
      at_copy_(x, next);
      CHECK_MSG(at_cuda_graph_replay(graph), "%s", at_error_message());
      CHECK(at_equal(y, compute(x, w, index)));
    }
    at_fill_(at_narrow(index, 0, 2, 1), 77);
    CHECK(at_cuda_graph_replay(graph));
    CHECK(!at_cuda_synchronize());
    CHECK_ERROR(AT_ERROR_RUNTIME, "the value 77");
    at_cuda_graph_free(graph);
    CHECK(at_defined(at_neg(y)) && at_cuda_synchronize());
  }
}

static void training(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = there(at_randn(AT_SHAPE(6, 5))), *const t =
                                                              there(at_randn(AT_SHAPE(6, 2)));
    at_tensor *const start = there(at_randn(AT_SHAPE(5, 2)));
    at_tensor *const w = at_requires_grad_(at_clone(start)), *const v =
                                                                 at_requires_grad_(at_clone(start));
    at_optimizer *const sgd = at_sgd(AT_TENSORS(w), .lr = 0.1);
    at_optimizer *const other = at_sgd(AT_TENSORS(v), .lr = 0.1);
    CHECK(at_backward(at_mse_loss(at_mm(x, w), t)) && at_backward(at_mse_loss(at_mm(x, v), t)));
    at_cuda_graph *const graph = at_cuda_graph_begin();
    at_optimizer_zero_grad(sgd);
    CHECK_MSG(at_backward(at_mse_loss(at_mm(x, w), t)), "%s", at_error_message());
    at_optimizer_step(sgd);
    CHECK_MSG(at_cuda_graph_end(graph), "%s", at_error_message());
    for (int i = 0; i < 4; i++) {
      CHECK(at_cuda_graph_replay(graph));
      at_optimizer_zero_grad(other);
      at_backward(at_mse_loss(at_mm(x, v), t));
      at_optimizer_step(other);
    }
    CHECK(at_equal(at_detach(w), at_detach(v)));
    CHECK(!at_equal(at_detach(w), start));
    at_cuda_graph_free(graph);
    at_optimizer_free(sgd);
    at_optimizer_free(other);
  }
}

static void unrecorded(void **state)
{
  CHECK(!at_cuda_graph_end(NULL));
  CHECK_ERROR(AT_ERROR_NULL, "graph is NULL");
  CHECK(!at_cuda_graph_replay(NULL));
  CHECK_ERROR(AT_ERROR_NULL, "graph is NULL");
  at_cuda_graph_free(NULL);
  AT_SCOPE
  {
    at_tensor *const x = there(at_arange(at_scalar(4))), *const host = at_ones(AT_SHAPE(4));
    for (int i = 0; i < 4; i++) {
      at_cuda_graph *const graph = at_cuda_graph_begin();
      CHECK_MSG(graph, "%s", at_error_message());
      CHECK(at_defined(at_neg(x)));
      CHECK(!at_cuda_graph_replay(graph));
      CHECK_ERROR(AT_ERROR_RUNTIME, "its capture has not ended");
      if (i == 0) {
        at_item_double(at_sum(x));
        CHECK_ERROR(AT_ERROR_RUNTIME, "cannot be recorded in a graph");
      } else if (i == 1) {
        CHECK(!at_defined(there(host)));
        CHECK_ERROR(AT_ERROR_RUNTIME, "a copy from the CPU cannot be recorded in a graph");
      } else if (i == 2) {
        CHECK(!at_defined(at_nonzero(x)));
        at_error_clear();
      }
      if (i < 3) {
        CHECK(!at_cuda_graph_end(graph));
        CHECK_ERROR(AT_ERROR_RUNTIME, "has ended the capture");
        CHECK(!at_cuda_graph_replay(graph));
        CHECK_ERROR(AT_ERROR_RUNTIME, "its capture failed");
      }
      at_cuda_graph_free(graph); /* the last one in the middle of it */
      CHECK_EQ(at_item_double(at_sum(x)), 6);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers),       cmocka_unit_test(refused),    cmocka_unit_test(gradients),
      cmocka_unit_test(indices),       cmocka_unit_test(generators), cmocka_unit_test(handed_out),
      cmocka_unit_test(taken),         cmocka_unit_test(files),      cmocka_unit_test(tf32),
      cmocka_unit_test(deterministic), cmocka_unit_test(graphs),     cmocka_unit_test(training),
      cmocka_unit_test(unrecorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
