/* Tensors on CUDA: creation, copies, views, properties, devices, streams, errors. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ATen.h"
#include "ATenDLPackTypes.h"
#include "THC.h"
#include "th_fail.h"
#include "th_test.h"

#define CHECK_ERROR(CODE, ...)                                                        \
  do {                                                                                \
    const char *const parts[] = {__VA_ARGS__};                                        \
    CHECK_EQ(at_error(), CODE);                                                       \
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)                         \
      CHECK_MSG(strstr(at_error_message(), parts[p]) != NULL, "%s: there is no '%s'", \
                at_error_message(), parts[p]);                                        \
    at_error_clear();                                                                 \
  } while (0)

static bool is_unsigned(at_scalar_type type)
{
  return type == AT_BYTE || type == AT_UINT16 || type == AT_UINT32 || type == AT_UINT64;
}

/* Checks that t is on CUDA and has that type and these elements. */
static void check_elements(at_tensor *t, at_scalar_type type, int count, const double *want)
{
  CHECK_MSG(at_defined(t), "%s", at_error_message());
  CHECK(at_type_backend(at_typeOf(t)) == AT_BACKEND_CUDA);
  CHECK_EQ((int)at_type_scalarType(at_typeOf(t)), (int)type);
  at_tensor *host = at_to(at_to(at_contiguous(t), AT_CPU(type)), AT_CPU(AT_DOUBLE));
  CHECK_EQ(at_numel(host), count);
  for (int i = 0; i < count; i++)
    CHECK_MSG(((double *)at_data(host))[i] == want[i], "element %d is %g, not %g", i,
              ((double *)at_data(host))[i], want[i]);
}

#define CHECK_ELEMENTS(T, TYPE, ...)                                               \
  check_elements(T, TYPE, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), \
                 (double[]){__VA_ARGS__})

/* --- making and moving ------------------------------------------------------------------------ */

static void types(void **state)
{
  CHECK(at_hasCUDA() && at_lazyInitCUDA());
  for (int i = 0; i < AT_SCALAR_TYPES; i++) {
    const at_type *type = AT_CUDA(i);
    CHECK(type && at_type_backend(type) == AT_BACKEND_CUDA && at_type_scalarType(type) == i);
    CHECK_EQ(at_type_elementSize(type), at_type_elementSize(AT_CPU(i)));
    CHECK(!strcmp(at_type_toString(type) + 4, at_type_toString(AT_CPU(i)) + 3));
    CHECK(!strncmp(at_type_toString(type), "CUDA", 4));
  }
  CHECK(!at_type_defined(at_getType(AT_BACKENDS, AT_FLOAT)));
  CHECK(!at_type_defined(at_getType(AT_BACKEND_CUDA, (at_scalar_type)-1)));
  at_error_clear();
}

static void making(void **state)
{
  for (int i = 0; i < AT_SCALAR_TYPES; i++) {
    const at_scalar_type type = i;
    AT_SCOPE
    {
      const at_type *cuda = AT_CUDA(type);
      CHECK_ELEMENTS(at_zeros(AT_SHAPE(2, 2), .type = cuda), type, 0, 0, 0, 0);
      CHECK_ELEMENTS(at_ones(AT_SHAPE(3), .type = cuda), type, 1, 1, 1);
      const double three = type == AT_BOOL ? 1 : 3;
      CHECK_ELEMENTS(at_full(AT_SHAPE(2), at_scalar(3), .type = cuda), type, three, three);
      CHECK_ELEMENTS(at_full(AT_SCALAR_SHAPE, at_scalar(3), .type = cuda), type, three);
      CHECK_EQ(at_dim(at_empty(AT_SHAPE(0, 4), .type = cuda)), 2);
      if (type == AT_BOOL || type > AT_BFLOAT16)
        continue;
      CHECK_ELEMENTS(at_arange(at_scalar(4), .type = cuda), type, 0, 1, 2, 3);
      CHECK_ELEMENTS(at_eye(2, .type = cuda), type, 1, 0, 0, 1);
      if (type == AT_FLOAT || type == AT_DOUBLE || type == AT_HALF)
        CHECK_ELEMENTS(at_linspace(at_scalar(0), at_scalar(1), .steps = 3, .type = cuda), type, 0,
                       0.5, 1);
    }
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* Conversions of every type to every other, on the device, on the CPU, between both, and through
 * views with gaps. */
static void conversions(void **state)
{
  static const double values[] = {0, 1, -1, 2.75, 100.5, 7};
  for (int i = 0; i < AT_SCALAR_TYPES; i++)
    for (int k = 0; k < AT_SCALAR_TYPES; k++) {
      AT_SCOPE
      {
        at_tensor *a = at_empty(AT_SHAPE(3, 2), .type = AT_CPU(AT_DOUBLE));
        memcpy(at_data(a), values, sizeof values);
        if (is_unsigned(i) || is_unsigned(k))
          at_abs_(a); /* unsigned types have no negative numbers */
        at_tensor *from = at_t(at_to(a, AT_CPU(i)));
        at_tensor *want = at_to(at_to(from, AT_CPU(k)), AT_CPU(AT_DOUBLE));
        at_tensor *there = at_to(from, AT_CUDA(i));
        at_tensor *ways[] = {at_to(at_to(there, AT_CUDA(k)), AT_CPU(AT_DOUBLE)),
                             at_to(at_to(from, AT_CUDA(k)), AT_CPU(AT_DOUBLE)),
                             at_to(at_to(at_t(there), AT_CPU(k)), AT_CPU(AT_DOUBLE)),
                             at_to(at_to(at_t(at_t(there)), AT_CPU(k)), AT_CPU(AT_DOUBLE))};
        ways[2] = at_t(ways[2]);
        for (int w = 0; w < 4; w++)
          CHECK_MSG(at_defined(ways[w]) && at_equal(ways[w], want), "%s to %s, way %d: %s",
                    at_type_toString(AT_CPU(i)), at_type_toString(AT_CPU(k)), w,
                    at_error_message());
      }
    }
}

static void copies(void **state)
{
  AT_SCOPE
  {
    at_tensor *a = at_to(at_arange(at_scalar(6)), AT_CPU(AT_FLOAT));
    at_tensor *t = at_zeros(AT_SHAPE(2, 6), .type = AT_CUDA(AT_DOUBLE));
    at_tensor *column = at_t(t); /* 6 x 2, its columns with gaps */
    CHECK(at_copy_(at_select(column, 1, 1), a) != at_undefined());
    CHECK_ELEMENTS(t, AT_DOUBLE, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5);
    at_tensor *back = at_zeros(AT_SHAPE(6, 2));
    CHECK(at_copy_(back, column) == back);
    for (int i = 0; i < 12; i++)
      CHECK_EQ(((float *)at_data(back))[i], i % 2 ? i / 2 : 0);
    CHECK(at_copy_(t, at_full(AT_SHAPE(1), at_scalar(2))) == t); /* broadcasts */
    CHECK_EQ(at_item_double(at_sum(t)), 24);
    at_tensor *same = at_to(t, AT_CUDA(AT_DOUBLE));
    CHECK(at_data(same) == at_data(t));
    CHECK(at_type_backend(at_typeOf(at_type_as(a, t))) == AT_BACKEND_CUDA);
    CHECK(at_type_backend(at_typeOf(at_zeros_like(t, .type = AT_CPU(AT_INT)))) == AT_BACKEND_CPU);
  }
  CHECK_EQ(at_error(), AT_OK);
}

static void views(void **state)
{
  AT_SCOPE
  {
    at_tensor *t = at_view(at_arange(at_scalar(12), .type = AT_CUDA(AT_INT)), AT_SHAPE(3, 4));
    CHECK_ELEMENTS(at_select(t, 0, 1), AT_INT, 4, 5, 6, 7);
    CHECK_ELEMENTS(at_narrow(at_t(t), 0, 1, 2), AT_INT, 1, 5, 9, 2, 6, 10);
    CHECK_ELEMENTS(at_slice(t, .dim = 1, .step = 3), AT_INT, 0, 3, 4, 7, 8, 11);
    CHECK_ELEMENTS(at_unfold(at_select(t, 0, 0), 0, 3, 1), AT_INT, 0, 1, 2, 1, 2, 3);
    CHECK_EQ(at_stride(at_expand(at_narrow(t, 0, 0, 1), AT_SHAPE(3, 4)), 0), 0);
    CHECK(at_fill_(at_select(t, 1, 2), at_scalar(-1)) != at_undefined());
    CHECK_ELEMENTS(t, AT_INT, 0, 1, -1, 3, 4, 5, -1, 7, 8, 9, -1, 11);
    at_storage *storage = at_storageOf(t);
    CHECK(storage && at_storage_size(storage) == 12 && at_storage_data(storage) == at_data(t));
    CHECK(at_storage_type(storage) == AT_CUDA(AT_INT));
    at_storage_release(storage);
    at_storage *own = at_storage_new(AT_CUDA(AT_HALF), 5);
    CHECK(own && at_storage_size(own) == 5);
    at_storage_release(own);
    CHECK(at_storage_new(AT_CUDA(AT_HALF), -1) == NULL);
    CHECK_ERROR(AT_ERROR_ARGUMENT, "-1");
  }
}

/* --- what is said of them --------------------------------------------------------------------- */

static void items(void **state)
{
  AT_SCOPE
  {
    for (int i = 0; i < AT_SCALAR_TYPES; i++) {
      if (i == AT_COMPLEX_FLOAT || i == AT_COMPLEX_DOUBLE)
        continue;
      const at_scalar x = at_item(at_ones(AT_SHAPE(1, 1), .type = AT_CUDA(i)));
      CHECK_EQ(at_scalar_toDouble(x), 1);
      CHECK(x.is_float == (i == AT_FLOAT || i == AT_DOUBLE || i == AT_HALF || i == AT_BFLOAT16));
    }
    const at_complex_number z =
        at_item_complex(at_mul(at_complex(at_full(AT_SCALAR_SHAPE, at_scalar(2),
                                                  .type = AT_CUDA(AT_DOUBLE)),
                                          at_full(AT_SCALAR_SHAPE, at_scalar(-3),
                                                  .type = AT_CUDA(AT_DOUBLE))),
                               2));
    CHECK(z.re == 4 && z.im == -6);
    at_item(at_ones(AT_SHAPE(1), .type = AT_CUDA(AT_COMPLEX_FLOAT)));
    CHECK_ERROR(AT_ERROR_TYPE, "ComplexFloat");
    at_tensor *t = at_arange(at_scalar(5), .type = AT_CUDA(AT_LONG));
    CHECK_EQ(at_item_long(at_select(t, 0, 3)), 3);
    at_item(t);
    CHECK_ERROR(AT_ERROR_ARGUMENT, "[5]");
    at_tensor *f = at_full(AT_SHAPE(2, 2), at_scalar(1.5), .type = AT_CUDA(AT_DOUBLE));
    char *text = at_toString(f);
    CHECK_MSG(!strcmp(text,
                      "tensor([[1.5000, 1.5000],\n        [1.5000, 1.5000]], "
                      "device='cuda:0', dtype=torch.float64)"),
              "%s", text);
    at_string_free(text);
    text = at_toString(at_empty(AT_SHAPE(0, 3), .type = AT_CUDA(AT_FLOAT)));
    CHECK_MSG(!strncmp(text, "tensor([]", 9) && strstr(text, "size=(0, 3)"), "%s", text);
    at_string_free(text);
    CHECK(at_equal(f, at_clone(f)) && !at_equal(f, at_add(f, 1)));
    CHECK(at_is_cuda(f) && at_get_device(f) == 0 && at_deviceOf(f) == 0);
    CHECK(at_deviceOf(at_ones(AT_SHAPE(1))) == -1 && at_deviceOf(NULL) == -1);
  }
}

/* --- computing -------------------------------------------------------------------------------- */

/* One operation of each kind; operations.c compares all operations with the CPU. */
static void computing(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = at_view(at_arange(at_scalar(6), .type = AT_CUDA(AT_FLOAT)), AT_SHAPE(2, 3));
    CHECK_ELEMENTS(at_add(x, at_select(x, 0, 1), .alpha = 2), AT_FLOAT, 6, 9, 12, 9, 12, 15);
    CHECK_ELEMENTS(at_gt(x, 2), AT_BOOL, 0, 0, 0, 1, 1, 1);
    CHECK_ELEMENTS(at_matmul(x, at_t(x)), AT_FLOAT, 5, 14, 14, 50);
    CHECK_ELEMENTS(at_sum_dim(x, AT_SHAPE(0)), AT_FLOAT, 3, 5, 7);
    at_tensor *index = at_arange(at_scalar(2), .type = AT_CUDA(AT_LONG));
    CHECK_ELEMENTS(at_index_select(x, 1, index), AT_FLOAT, 0, 1, 3, 4);
    CHECK_ELEMENTS(at_index(x, AT_TENSORS(NULL, at_sub(index, 1))), AT_FLOAT, 2, 0, 5, 3);
    CHECK_ELEMENTS(at_masked_select(x, at_lt(x, 2)), AT_FLOAT, 0, 1);
    CHECK_ELEMENTS(at_where_self_scalar(at_lt(x, 2), at_scalar(9), x), AT_FLOAT, 9, 9, 2, 3, 4, 5);
    CHECK_ELEMENTS(at_relu(at_sub(x, 3)), AT_FLOAT, 0, 0, 0, 0, 1, 2);
    CHECK_ELEMENTS(at_mul(at_to(x, AT_CUDA(AT_HALF)), 0.5), AT_HALF, 0, 0.5, 1, 1.5, 2, 2.5);
    CHECK_ELEMENTS(at_add(x, at_ones(AT_SHAPE(3), .type = AT_CUDA(AT_DOUBLE))), AT_DOUBLE, 1, 2, 3,
                   4, 5, 6);
    CHECK(fabs(at_item_double(at_sum(at_softmax(x, 1))) - 2) < 1e-6);
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* A product with a bias that is written over one of its operands, which the library of the simulator refuses. */
static void overlaps(void **state)
{
  for (int which = 0; which < 2; which++)
    AT_SCOPE
    {
      at_tensor *const bias = at_arange(at_scalar(2), .type = AT_CUDA(AT_FLOAT));
      at_tensor *const numbers = at_add(at_arange(at_scalar(4), .type = AT_CUDA(AT_FLOAT)), 1);
      at_tensor *const x = at_view(numbers, AT_SHAPE(2, 2)), *const y = at_clone(x);
      at_tensor *const out = which ? y : x;
      CHECK(at_addmm_out(out, bias, x, y) == out);
      CHECK_ELEMENTS(out, AT_FLOAT, 7, 11, 15, 23);
    }
  CHECK_EQ(at_error(), AT_OK);
}

/* --- devices and streams ---------------------------------------------------------------------- */

static void devices(void **state)
{
  if (at_cuda_deviceCount() < 2)
    return;
  AT_SCOPE
  {
    at_tensor *here = at_ones(AT_SHAPE(3), .type = AT_CUDA(AT_FLOAT)), *there = NULL;
    CHECK_EQ(at_cuda_currentDevice(), 0);
    AT_ON_DEVICE(1)
    {
      CHECK_EQ(at_cuda_currentDevice(), 1);
      there = at_full(AT_SHAPE(3), at_scalar(2), .type = AT_CUDA(AT_FLOAT));
      CHECK_EQ(at_deviceOf(at_add(here, here)), 0); /* on the device of the operand */
      CHECK_EQ(at_cuda_currentDevice(), 1);
      AT_ON_DEVICE(0)
      {
        break;
      }
      CHECK_EQ(at_cuda_currentDevice(), 1);
    }
    CHECK_EQ(at_cuda_currentDevice(), 0);
    CHECK_EQ(at_deviceOf(there), 1);
    at_tensor *sum = at_add(there, there);
    CHECK_EQ(at_deviceOf(sum), 1);
    CHECK_EQ(at_cuda_currentDevice(), 0);
    CHECK_EQ(at_item_double(at_sum(sum)), 12);
    CHECK(at_add(here, there) == at_undefined());
    CHECK_ERROR(AT_ERROR_ARGUMENT, "add: other is on CUDA device 1, and self on CUDA device 0");
    CHECK(at_mm(there, there) == at_undefined()); /* also after an error */
    at_error_clear();
    CHECK_EQ(at_cuda_currentDevice(), 0);
    CHECK(at_copy_(here, sum) == here);
    CHECK_ELEMENTS(here, AT_FLOAT, 4, 4, 4);
    CHECK(at_cuda_setDevice(1) && at_cuda_currentDevice() == 1 && at_cuda_synchronize());
    CHECK(at_cuda_setDevice(0));
  }
  CHECK(!at_cuda_setDevice(at_cuda_deviceCount()));
  CHECK_ERROR(AT_ERROR_ARGUMENT, "there is no device");
  AT_ON_DEVICE(-1)
  {
    CHECK(false);
  }
  CHECK_ERROR(AT_ERROR_ARGUMENT, "there is no device -1");
  at_manualSeed(7);
}

static at_tensor *dropped(void *context, at_tensors inputs)
{
  return at_dropout(inputs.data[0], 0.5, true);
}

/* What is computed again drops the same elements: those whose gradient is 0.  What follows is not disturbed. */
static void checkpoints(void **state)
{
  AT_SCOPE
  {
    at_manualSeed(3);
    at_tensor *const x = at_requires_grad_(at_ones(AT_SHAPE(500), .type = AT_CUDA(AT_FLOAT)));
    at_tensor *const y = at_checkpoint(dropped, NULL, NULL, AT_TENSORS(x));
    at_tensor *const drawn = at_rand_like(x);
    CHECK_MSG(at_backward(at_sum(y)), "%s", at_error_message());
    CHECK(at_equal(at_grad(x), at_detach(y)));
    at_tensor *const next = at_rand_like(x);
    at_manualSeed(3);
    CHECK(at_equal(at_dropout(at_detach(x), 0.5, true), at_detach(y)));
    CHECK(at_equal(at_rand_like(x), drawn) && at_equal(at_rand_like(x), next));
  }
}

static void streams(void **state)
{
  at_cuda_stream *before = at_cuda_currentStream(), *own = at_cuda_stream_new(0);
  CHECK(before && own);
  CHECK(at_cuda_setStream(own));
  at_cuda_stream *now = at_cuda_currentStream();
  CHECK(now == own);
  at_cuda_stream_free(now);
  AT_SCOPE
  {
    at_tensor *t = at_full(AT_SHAPE(1000), at_scalar(2), .type = AT_CUDA(AT_FLOAT));
    at_tensor *r = at_mul(t, t);
    CHECK(at_cuda_stream_synchronize(own));
    CHECK(at_cuda_setStream(before));
    CHECK_EQ(at_item_double(at_sum(r)), 4000);
  }
  at_cuda_stream_free(own);
  at_cuda_stream_free(before);
  at_cuda_stream_free(NULL);
  CHECK(!at_cuda_setStream(NULL) && !at_cuda_stream_synchronize(NULL));
  CHECK_ERROR(AT_ERROR_NULL, "stream is NULL");
  CHECK(at_cuda_synchronize());
  at_cuda_emptyCache();
}

/* --- errors ----------------------------------------------------------------------------------- */

static void errors(void **state)
{
  AT_SCOPE
  {
    at_tensor *c = at_ones(AT_SHAPE(2, 2), .type = AT_CUDA(AT_FLOAT)), *h = at_ones(AT_SHAPE(2, 2));
    CHECK(at_add(c, h) == at_undefined());
    CHECK_ERROR(AT_ERROR_ARGUMENT, "add: other is on the CPU, and self on CUDA device 0");
    CHECK(at_addmm(h, h, c) == at_undefined());
    CHECK_ERROR(AT_ERROR_ARGUMENT, "addmm: mat2 is on CUDA device 0, and self on the CPU");
    CHECK(at_add_out(h, c, c) == at_undefined());
    CHECK_ERROR(AT_ERROR_ARGUMENT, "self is on CUDA device 0, and result on the CPU");
    CHECK(at_cat(AT_TENSORS(c, c, h)) == at_undefined());
    CHECK_ERROR(AT_ERROR_ARGUMENT, "tensors[2] is on the CPU, and tensors[0] on CUDA device 0");
    at_tensor *const probs = at_ones(AT_SHAPE(2, 1, 3), .type = AT_CUDA(AT_FLOAT));
    at_tensor *const one = at_ones(AT_SHAPE(1), .type = AT_CPU(AT_LONG));
    CHECK(at_ctc_loss_tensor(probs, at_view(one, AT_SHAPE(1, 1)), one, one) == at_undefined());
    CHECK_ERROR(AT_ERROR_ARGUMENT, "targets is of CPULongType on device -1");
    CHECK(at_sum(c, .type = AT_CPU(AT_FLOAT)) == at_undefined());
    CHECK_ERROR(AT_ERROR_ARGUMENT, "type is CPUFloatType, and self is on CUDA device 0");
    CHECK(at_conv2d(at_ones(AT_SHAPE(1, 1, 3, 3)), at_ones(AT_SHAPE(1, 1, 2, 2)),
                    .bias = at_select(c, 0, 0)) == at_undefined());
    CHECK_ERROR(AT_ERROR_ARGUMENT, "bias is on CUDA device 0");

    at_generator *generator = at_generator_new(AT_BACKEND_CPU);
    CHECK(at_rand(AT_SHAPE(3), .type = AT_CUDA(AT_FLOAT), .generator = generator) ==
          at_undefined());
    CHECK_ERROR(AT_ERROR_TYPE, "the generator is of the CPU, and self is of CUDAFloatType");
    at_generator_free(generator);
    at_manualSeed(3);
    at_tensor *drawn = at_rand(AT_SHAPE(99), .type = AT_CUDA(AT_FLOAT));
    CHECK(!at_equal(drawn, at_rand_like(drawn)));
    at_manualSeed(3);
    CHECK(at_equal(drawn, at_rand_like(drawn)));
    CHECK(at_pin_memory(h) == at_undefined());
    at_error_clear();

    const int64_t huge[] = {INT64_C(1) << 45};
    CHECK(at_zeros(((at_ints){huge, 1}), .type = AT_CUDA(AT_FLOAT)) == at_undefined());
    CHECK_ERROR(AT_ERROR_RUNTIME, "zeros: ");
    CHECK_EQ(at_item_double(at_sum(c)), 4);
  }
}

/* --- indices out of range --------------------------------------------------------------------- */

/* What no call waits to see is an error of the next one that waits, and nothing follows it. */
static void reports(void **state)
{
  AT_SCOPE
  {
    const int64_t bad[] = {1, 9, -7, -1};
    at_tensor *x = at_arange(at_scalar(6), .type = AT_CUDA(AT_FLOAT));
    at_tensor *host = at_empty(AT_SHAPE(4), .type = AT_CPU(AT_LONG));
    memcpy(at_data(host), bad, sizeof bad);
    at_tensor *i = at_to(host, AT_CUDA(AT_LONG));
    at_tensor *grid = at_view(x, AT_SHAPE(2, 3));
    at_tensor *y[] = {at_index(x, AT_TENSORS(i)), at_index(grid, AT_TENSORS(i, i))};
    CHECK_MSG(at_defined(y[0]) && at_defined(y[1]), "%s", at_error_message());
    CHECK(!at_cuda_synchronize());
    CHECK_ERROR(AT_ERROR_RUNTIME, "an index of an earlier operation has the value",
                "out of range of");
    CHECK(at_cuda_synchronize());
    CHECK_ELEMENTS(y[0], AT_FLOAT, 1, 0, 0, 5);
    CHECK_ELEMENTS(y[1], AT_FLOAT, 4, 0, 0, 5);
    at_index_put_(x, AT_TENSORS(i),
                  at_full(AT_SCALAR_SHAPE, at_scalar(50), .type = AT_CUDA(AT_FLOAT)));
    CHECK(!at_defined(at_to(x, AT_CPU(AT_FLOAT))));
    CHECK_ERROR(AT_ERROR_RUNTIME, "an index of an earlier operation");
    CHECK_ELEMENTS(x, AT_FLOAT, 0, 50, 2, 3, 4, 50);
    CHECK(at_defined(at_index_select(x, 0, i)));
    CHECK(!at_cuda_synchronize());
    CHECK_ERROR(AT_ERROR_RUNTIME, "THCudaTensor_indexSelect");
    at_tensor *const offsets = at_mul(at_arange(2, .type = AT_CUDA(AT_LONG)), 9);
    at_tensor *const ones = at_full(AT_SHAPE(2), at_scalar_long(1), .type = AT_CUDA(AT_LONG));
    at_tensor *const sums = at_embedding_bag(grid, ones, offsets).output;
    CHECK(!at_cuda_synchronize());
    CHECK_ERROR(AT_ERROR_RUNTIME,
                "argument 3 of an earlier call of embedding_bag has the value 9, out of range of 0 "
                "... 2");
    CHECK_ELEMENTS(at_select(sums, 0, 1), AT_FLOAT, 0, 0, 0);
    at_tensor *const regions = at_full(AT_SHAPE(1, 5), at_scalar(3), .type = AT_CUDA(AT_FLOAT));
    at_tensor *const image = at_view(x, AT_SHAPE(1, 1, 2, 3));
    at_tensor *const cells = at_RoiPooling2d_forward(image, regions, 1, 1, 1).output;
    CHECK(!at_cuda_synchronize());
    CHECK_ERROR(AT_ERROR_RUNTIME,
                "argument 2 of an earlier call of RoiPooling2d_forward has the value 3, out of "
                "range of 0 ... 0");
    CHECK_ELEMENTS(cells, AT_FLOAT, 0);
  }
}

/* What a distribution does not take is reported later, and NaN is drawn for it; elements: how many. */
static void check_parameters(at_tensor *drawn, const char *message, int elements)
{
  CHECK_MSG(at_defined(drawn), "%s", at_error_message());
  CHECK(!at_cuda_synchronize());
  CHECK_ERROR(AT_ERROR_RUNTIME, message, "which that argument does not take");
  CHECK(at_item_double(at_sum(at_isnan(drawn))) == elements);
}

static void reports_parameters(void **state)
{
  AT_SCOPE
  {
    at_tensor *const bad = at_sub(at_arange(at_scalar(4), .type = AT_CUDA(AT_FLOAT)), 1);
    at_tensor *const p = at_full_like(bad, at_scalar(0.5));
    check_parameters(at_poisson(bad), "argument 1 of an earlier call of poisson has the element -1",
                     1);
    check_parameters(at__standard_gamma(bad), "argument 1 of an earlier call of _standard_gamma",
                     2);
    check_parameters(at_binomial(at_log(bad), p), "argument 1 of an earlier call of binomial", 2);
    check_parameters(at_normal_std(0, bad), "argument 2 of an earlier call of normal", 0);
    check_parameters(at_normal_both(p, at_log(p)), "argument 2 of an earlier call of normal", 0);
    CHECK(at_defined(at_poisson(p)) && at_defined(at_binomial(bad, p)) && at_cuda_synchronize());
    check_parameters(at_cov(bad, .aweights = bad), "argument 4 of an earlier call of cov", 0);
    check_parameters(at_cov(bad, .fweights = at_to(bad, AT_CUDA(AT_LONG))),
                     "argument 3 of an earlier call of cov has the element -1", 0);
    check_parameters(at_histc(at_log(bad)), "argument 1 of an earlier call of histc", 0);
    check_parameters(at_histogram(at_log(bad)).hist,
                     "argument 1 of an earlier call of histogram has the element", 0);
    CHECK(!at_defined(at_histc(p, .max = 1e300))); /* infinite as Float */
    CHECK_ERROR(AT_ERROR_ARGUMENT, "histc: the range from 0 to 1e+300 is not finite");
    at_tensor *const lengths = at_to(bad, AT_CUDA(AT_LONG));
    check_parameters(at_segment_reduce(bad, "sum", .lengths = lengths),
                     "argument 3 of an earlier call of segment_reduce has the element -1", 0);
    at_tensor *const right = at_segment_reduce(p, "sum", .lengths = at_abs(lengths));
    CHECK_ELEMENTS(right, AT_FLOAT, 0.5, 0, 0.5, 1);
    check_parameters(at_segment_reduce(p, "mean", .lengths = at_add(at_abs(lengths), 1)),
                     "argument 3 of an earlier call of segment_reduce has the element 8", 0);
  }
}

/* Lengths on a device that are none are reported later; until then they count as the nearest. */
static void reports_lengths(void **state)
{
  AT_SCOPE
  {
    const at_type *const longs = AT_CUDA(AT_LONG);
    at_tensor *const probs =
        at_log_softmax(at_zeros(AT_SHAPE(2, 1, 3), .type = AT_CUDA(AT_FLOAT)), 2);
    at_tensor *const targets = at_ones(AT_SHAPE(1, 1), .type = longs);
    at_tensor *const one = at_ones(AT_SHAPE(1), .type = longs), *const three = at_mul(one, 3);
    at_tensor *const inputs = at_ctc_loss_tensor(probs, targets, three, one);
    CHECK(!at_cuda_synchronize());
    CHECK_ERROR(AT_ERROR_RUNTIME,
                "argument 3 of an earlier call of ctc_loss has the value 3, out of range of 0 ... "
                "2");
    at_tensor *const labels = at_ctc_loss_tensor(probs, targets, at_mul(one, 2), at_neg(one));
    CHECK(!at_cuda_synchronize());
    CHECK_ERROR(AT_ERROR_RUNTIME,
                "argument 4 of an earlier call of ctc_loss has the value -1, out of range of 0 ... "
                "1");
    const double three_ways = log(3.0), one_way = log(9.0); /* of 9 pairs of classes */
    CHECK_NEAR(at_item_double(inputs), three_ways, 1e-5);
    CHECK_NEAR(at_item_double(labels), one_way, 1e-5);
  }
}

/* A number on the device fills where a mask or indices say so, and is converted there. */
static void fills(void **state)
{
  AT_SCOPE
  {
    const int64_t index[] = {-1, 0, -1};
    at_tensor *const x = at_arange(at_scalar(4), .type = AT_CUDA(AT_FLOAT));
    at_tensor *const number = at_full(AT_SCALAR_SHAPE, at_scalar_long(7), .type = AT_CUDA(AT_LONG));
    at_tensor *const host = at_empty(AT_SHAPE(3), .type = AT_CPU(AT_LONG));
    memcpy(at_data(host), index, sizeof index);
    at_tensor *const i = at_to(host, AT_CUDA(AT_LONG));
    at_tensor *const mask = at_gt(x, 1);
    CHECK_ELEMENTS(at_masked_fill_tensor(x, mask, number), AT_FLOAT, 0, 1, 7, 7);
    CHECK_ELEMENTS(at_masked_fill_tensor(at_select(x, 0, 1), mask, number), AT_FLOAT, 1, 1, 7, 7);
    CHECK_ELEMENTS(at_index_fill_tensor(x, 0, i, number), AT_FLOAT, 7, 1, 2, 7);
    CHECK_ELEMENTS(at_index_fill_tensor(x, 0, at_narrow(i, 0, 0, 0), number), AT_FLOAT, 0, 1, 2, 3);
    CHECK(at_defined(at_index_fill_tensor_(at_view(x, AT_SHAPE(2, 2)), 1, at_narrow(i, 0, 0, 1),
                                           number)));
    CHECK_ELEMENTS(x, AT_FLOAT, 0, 7, 2, 7);
    CHECK(at_defined(at_masked_fill_tensor_(x, at_gt(x, 6), at_full_like(number, at_scalar(5)))));
    CHECK_ELEMENTS(x, AT_FLOAT, 0, 5, 2, 5);
    CHECK(!at_defined(at_masked_fill_tensor_(at_select(x, 0, 1), mask, number)));
    CHECK_ERROR(AT_ERROR_ARGUMENT, "does not broadcast");
    CHECK(!at_defined(at_masked_fill_tensor(x, mask, x)));
    CHECK_ERROR(AT_ERROR_ARGUMENT, "value has size (");
    CHECK(!at_defined(at_masked_fill_tensor(x, x, number)));
    CHECK_ERROR(AT_ERROR_TYPE, "mask is of Float");
    CHECK_ELEMENTS(x, AT_FLOAT, 0, 5, 2, 5);
  }
}

/* --- failing allocations, of the host and of devices ------------------------------------------ */

typedef struct Fault {
  const char *name;
  void (*call)(at_tensor *c, at_tensor *h);
} Fault;

static void drop(at_tensor *t)
{
  at_release(t);
}

#define FAULT(NAME, ...)                       \
  static void NAME(at_tensor *c, at_tensor *h) \
  {                                            \
    __VA_ARGS__;                               \
  }
FAULT(to_device, drop(at_to(h, AT_CUDA(AT_DOUBLE))))
FAULT(to_host, drop(at_to(c, AT_CPU(AT_INT))))
FAULT(to_booleans, drop(at_to(c, AT_CUDA(AT_BOOL))))
FAULT(copied, at_copy_(at_t(c), h))
FAULT(added, drop(at_add(c, at_select(c, 0, 0))))
FAULT(summed, drop(at_sum_dim(c, AT_SHAPE(1))))
FAULT(multiplied, drop(at_mm(c, c)))
FAULT(greatest, drop(at_amax(c, .dim = AT_SHAPE(0))))
FAULT(selected, drop(at_masked_select(c, at_gt(c, 1))))
FAULT(item, at_item(at_select(at_select(c, 0, 0), 0, 0)))
FAULT(text, at_string_free(at_toString(c)))
FAULT(chosen, drop(at_where_self_scalar(at_gt(c, 1), at_scalar(0), c)))
FAULT(triangle, drop(at_tril(c)))
FAULT(solved, drop(at_linalg_solve_ex(c, c).result))
FAULT(solved_triangle, drop(at_linalg_solve_triangular(at_complex(c, c), at_complex(c, c), true)))
FAULT(solved_cholesky, drop(at_cholesky_solve(c, c)))
FAULT(determinants,
      drop(at_linalg_slogdet(at_stack(AT_TENSORS(at_complex(c, c), at_complex(c, c)))).sign))
FAULT(indefinite, drop(at_linalg_ldl_factor_ex(c).LD))
FAULT(covariance, drop(at_cov(c, .fweights = at_to(at_select(c, 0, 0), AT_CUDA(AT_LONG)),
                              .aweights = at_select(c, 0, 1))))
FAULT(counted, drop(at_histc(c)))
FAULT(counted_between, drop(at_histogram(c, .bins = 3).hist))
FAULT(exponential, drop(at_linalg_matrix_exp(c)))
FAULT(grouped,
      drop(at__grouped_mm(c, at_unsqueeze(c, 0),
                          at_full(AT_SHAPE(1), at_scalar_long(3), .type = AT_CUDA(AT_INT)))))
FAULT(grouped_terms,
      drop(at__grouped_mm(at_t(c), c,
                          at_full(AT_SHAPE(2), at_scalar_long(3), .type = AT_CUDA(AT_INT)))))
FAULT(determinant_into, at_linalg_det_out(at_empty(AT_SHAPE(0), .type = AT_CUDA(AT_DOUBLE)), c))

/* A graph that is captured and replayed. */
static void captured(at_tensor *c, at_tensor *h)
{
  at_cuda_graph *const graph = at_cuda_graph_begin();
  if (!graph)
    return;
  drop(at_mm(at_mul(c, c), c));
  if (at_cuda_graph_end(graph))
    at_cuda_graph_replay(graph);
  at_cuda_graph_free(graph);
}

static void drawn(at_tensor *c, at_tensor *h)
{
  at_generator *const generator = at_generator_new(AT_BACKEND_CUDA);
  if (!generator)
    return;
  drop(at_randn_like(c));
  drop(at_bernoulli_p(c, .generator = generator));
  at_tensor *const state = at_generator_state(generator);
  if (at_defined(state))
    at_generator_setState(generator, state);
  at_generator_free(generator);
}

static void exchanged(at_tensor *c, at_tensor *h)
{
  struct DLManagedTensorVersioned *const managed = at_toDLPackVersioned(c);
  if (managed && !at_defined(at_fromDLPackVersioned(managed)))
    managed->deleter(managed);
}

/* Products and systems on a stream of their own, which takes handles of cuBLAS and cuSOLVER. */
static void on_stream(at_tensor *c, at_tensor *h)
{
  at_cuda_stream *const before = at_cuda_currentStream(), *const stream = at_cuda_stream_new(0);
  at_cuda_synchronize(); /* c is there */
  if (stream && at_cuda_setStream(stream)) {
    drop(at_addmm(at_select(c, 0, 0), c, c));
    drop(at_linalg_lu_factor_ex(c).LU);
    at_cuda_stream_synchronize(stream);
    at_cuda_setStream(before);
  }
  at_cuda_stream_free(stream);
  at_cuda_stream_free(before);
}

static const Fault faults[] = {
    {"to_device", to_device},
    {"to_host", to_host},
    {"to_booleans", to_booleans},
    {"copied", copied},
    {"added", added},
    {"summed", summed},
    {"multiplied", multiplied},
    {"greatest", greatest},
    {"selected", selected},
    {"item", item},
    {"text", text},
    {"chosen", chosen},
    {"triangle", triangle},
    {"solved", solved},
    {"solved_triangle", solved_triangle},
    {"solved_cholesky", solved_cholesky},
    {"determinants", determinants},
    {"indefinite", indefinite},
    {"covariance", covariance},
    {"counted", counted},
    {"counted_between", counted_between},
    {"exponential", exponential},
    {"grouped", grouped},
    {"grouped_terms", grouped_terms},
    {"determinant_into", determinant_into},
    {"captured", captured},
    {"drawn", drawn},
    {"exchanged", exchanged},
    {"on_stream", on_stream},
};

typedef struct Operands {
  const Fault *fault;
  at_tensor *c, *h;
  bool failed;
} Operands;

static void set_up(void *context)
{
  Operands *o = context;
  AT_SCOPE
  {
    o->h = at_keep(at_view(at_arange(at_scalar(9.0)), AT_SHAPE(3, 3)));
    o->c = at_keep(at_to(o->h, AT_CUDA(AT_FLOAT)));
  }
  CHECK_MSG(at_defined(o->c), "%s", at_error_message());
}

static void body(void *context)
{
  Operands *o = context;
  AT_SCOPE
  {
    o->fault->call(at_retain(o->c), o->h);
    at_release(o->c);
  }
  o->failed = at_error() != AT_OK;
  at_error_clear();
}

/* After a failure the operands are unchanged. */
static void check(void *context, int raised)
{
  Operands *o = context;
  CHECK(!raised);
  if (o->failed) {
    at_tensor *now = at_to(o->c, AT_CPU(AT_FLOAT));
    CHECK_MSG(at_equal(now, o->h), "%s has changed its operand", o->fault->name);
    at_release(now);
  }
}

static void tear_down(void *context)
{
  Operands *o = context;
  at_release(o->c);
  at_release(o->h);
}

static void memory(void **state)
{
  static const THFailCase stages = {set_up, body, check, tear_down};
  THCCachingAllocator_setCaching(0); /* cached memory would not be acquired again */
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    Operands o = {.fault = &faults[i]};
    CHECK_MSG(th_fail(&stages, &o) > 0, "%s acquires nothing", faults[i].name);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types),           cmocka_unit_test(making),
      cmocka_unit_test(conversions),     cmocka_unit_test(copies),
      cmocka_unit_test(views),           cmocka_unit_test(items),
      cmocka_unit_test(computing),       cmocka_unit_test(devices),
      cmocka_unit_test(streams),         cmocka_unit_test(errors),
      cmocka_unit_test(reports),         cmocka_unit_test(reports_parameters),
      cmocka_unit_test(reports_lengths), cmocka_unit_test(fills),
      cmocka_unit_test(memory),          cmocka_unit_test(checkpoints),
      cmocka_unit_test(overlaps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
