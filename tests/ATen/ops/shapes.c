/* Tests that files of cases cannot express: tensors on given storages, shared memory, wrong indices
 * among right ones. */
#include "ATen.h"
#include "th_test.h"

static at_tensor *counting(int64_t count)
{
  at_tensor *t = at_empty(AT_SHAPE(count));
  for (int64_t i = 0; i < count; i++)
    ((float *)at_data(t))[i] = (float)i;
  return t;
}

static float at(at_tensor *t, int64_t i, int64_t j)
{
  at_tensor *row = at_select(t, 0, i), *one = at_select(row, 0, j);
  const float value = (float)at_item_double(one);
  at_release(one);
  at_release(row);
  return value;
}

static void on_storages(void **state)
{
  at_tensor *x = counting(12), *y = at_empty(AT_SHAPE(1));
  at_storage *storage = at_storageOf(x);
  AT_SCOPE
  {
    at_tensor *t = at_tensor_storage(storage, 2, AT_SHAPE(2, 3));
    CHECK_EQ(at(t, 1, 2), 7);
    t = at_tensor_storage(storage, 1, AT_SHAPE(2, 3), .strides = AT_SHAPE(1, 4));
    CHECK_EQ(at(t, 1, 2), 10);
    CHECK_EQ(at_storage_offset(t), 1);
    CHECK_EQ(at_stride(t, -1), 4);
    CHECK(!at_is_contiguous(t) && at_is_contiguous(x));
    CHECK_EQ(at_data_ptr(t), (int64_t)(intptr_t)((float *)at_data(x) + 1));

    CHECK(at_set_storage_(y, storage) == y);
    CHECK(at_numel(y) == 12 && at_is_set_to(x, y));
    CHECK(at_set_storage_offset_(y, storage, 3, AT_SHAPE(2, 2), .strides = AT_SHAPE(4, 1)) == y);
    CHECK_EQ(at(y, 1, 1), 8);
    CHECK(!at_is_set_to(x, y));
    CHECK(at_set_storage_offset_(y, storage, 0, AT_SCALAR_SHAPE) == y && at_dim(y) == 0);

    CHECK(!at_defined(at_tensor_storage(storage, -1, AT_SHAPE(2))));
    at_error_clear();
    CHECK(!at_defined(at_tensor_storage(storage, 0, AT_SHAPE(2), .strides = AT_SHAPE(1, 1))));
    at_error_clear();
    CHECK(!at_defined(at_tensor_storage(NULL, 0, AT_SHAPE(2))) && at_error() == AT_ERROR_NULL);
    at_error_clear();
    at_tensor *other = at_zeros(AT_SHAPE(2), .type = AT_CPU(AT_LONG));
    CHECK(!at_defined(at_set_storage_(other, storage)) && at_error() == AT_ERROR_TYPE);
    at_error_clear();
    CHECK_EQ(at_numel(other), 2);
    CHECK(!at_defined(at_pin_memory(x)) && at_error() == AT_ERROR_TYPE);
    at_error_clear();
    CHECK(at_dim(at_tensor_strided(AT_SHAPE(2, 3), AT_SHAPE(1, 2))) == 2);
  }
  at_storage_release(storage);
  at_release(y);
  at_release(x);
}

/* A view in place keeps the storage and the TH tensor. */
static void in_place(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = at_view(counting(6), AT_SHAPE(2, 3)), *alias = at_alias(x);
    const void *th = at_unsafeGetTH(x);
    CHECK(at_t_(x) == x && at_unsafeGetTH(x) == th);
    CHECK_EQ(at_size(x, 0), 3);
    CHECK_EQ(at(x, 2, 1), 5);
    CHECK_EQ(at_size(alias, 0), 2);
    at_tensor *out = at_empty(AT_SHAPE(0));
    CHECK(at_as_strided_out(out, x, AT_SHAPE(2), AT_SHAPE(3)) == out);
    CHECK(at_data(out) == at_data(alias)); /* the result is a view */
    CHECK(at_resize_(out, AT_SHAPE(3, 4)) == out);
    CHECK_EQ(at(out, 1, 1), 5); /* old elements are kept */
  }
}

/* Nothing is written if one of many indices is wrong. */
static void wrong_indices(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = counting(6), *ones = at_ones(AT_SHAPE(3));
    at_tensor *index = at_zeros(AT_SHAPE(3), .type = AT_CPU(AT_LONG));
    ((int64_t *)at_data(index))[2] = 6;
    CHECK(!at_defined(at_index_put_(x, AT_TENSORS(index), ones)));
    CHECK(at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
    CHECK(!at_defined(at_index_copy_(x, 0, index, ones)));
    at_error_clear();
    CHECK(!at_defined(at_index_add_(x, 0, index, ones)));
    at_error_clear();
    CHECK(!at_defined(at_index_fill_(x, 0, index, at_scalar(7))));
    at_error_clear();
    CHECK(!at_defined(at_scatter_(x, 0, index, ones)));
    at_error_clear();
    CHECK(!at_defined(at_put_(x, index, ones)));
    at_error_clear();
    for (int i = 0; i < 6; i++)
      CHECK_EQ(((float *)at_data(x))[i], i);
  }
}

/* Operands and results that share memory, and those that cannot be written to. */
static void shared_memory(void **state)
{
  AT_SCOPE
  {
    at_tensor *x = at_view(counting(6), AT_SHAPE(2, 3));
    at_tensor *index = at_zeros(AT_SHAPE(2), .type = AT_CPU(AT_LONG));
    ((int64_t *)at_data(index))[0] = 1;
    CHECK(at_index_select_out(x, x, 0, index) == x);
    CHECK_EQ(at(x, 0, 2), 5);
    CHECK_EQ(at(x, 1, 2), 2);
    CHECK(at_index_out(x, x, AT_TENSORS(index)) == x);
    CHECK_EQ(at(x, 0, 2), 2);
    at_tensor *first = at_narrow(x, 0, 0, 1), *second = at_narrow(x, 0, 1, 1);
    CHECK(at_cat_out(x, AT_TENSORS(second, first)) == x);
    CHECK_EQ(at(x, 0, 2), 5);
    CHECK_EQ(at(x, 1, 2), 2);
    at_tensor *repeating = at_expand(at_ones(AT_SHAPE(1, 3)), AT_SHAPE(2, 3));
    CHECK(!at_defined(at_index_put_(repeating, AT_TENSORS(index), at_ones(AT_SHAPE(3)))));
    at_error_clear();
    CHECK(!at_defined(at_masked_fill_(repeating, at_ne(x, x), at_scalar(2))));
    at_error_clear();
  }
}

static void stacked_along_each(void **state)
{
  enum { COUNT = 5, SIZE = 7 * 40 * 3 };
  AT_SCOPE
  {
    at_tensor *x[COUNT];
    for (int k = 0; k < COUNT; k++) {
      at_tensor *all = counting((k + 1) * SIZE);
      x[k] = at_view(at_narrow(all, 0, k * SIZE, SIZE), AT_SHAPE(7, 40, 3));
    }
    /* one is not row-major */
    x[3] = at_transpose(at_contiguous(at_transpose(x[3], 1, 2)), 1, 2);
    const int64_t sizes[] = {7, 40, 3};
    for (int count = 1; count <= COUNT; count++)
      for (int dim = 0; dim <= 3; dim++) {
        at_tensor *all = at_stack(((at_tensors){x, count}), .dim = dim);
        CHECK_EQ(at_dim(all), 4);
        for (int d = 0; d < 4; d++)
          CHECK_EQ(at_size(all, d), d == dim ? count : sizes[d - (d > dim)]);
        const float *value = at_data(all);
        ptrdiff_t wrong = 0;
        for (int64_t i = 0; i < at_numel(all); i++) {
          int64_t at[4];
          for (int64_t d = 3, rest = i; d >= 0; rest /= at_size(all, d--))
            at[d] = rest % at_size(all, d);
          const int64_t a = at[dim > 0 ? 0 : 1], b = at[dim > 1 ? 1 : 2], c = at[dim > 2 ? 2 : 3];
          wrong += value[i] != (float)(SIZE * at[dim] + (a * 40 + b) * 3 + c);
        }
        CHECK_EQ(wrong, 0);
      }
    at_tensor *into = at_transpose(at_zeros(AT_SHAPE(2, 7)), 0, 1), *row = counting(7);
    CHECK(at_stack_out(into, AT_TENSORS(row, row), .dim = 1) == into);
    CHECK_EQ(at(into, 6, 1), 6);
    CHECK(!at_is_contiguous(into));
    /* tensors that are views of one tensor, with gaps */
    at_tensor *wide = at_zeros(AT_SHAPE(2, 2, 7)), *flat = at_view(row, AT_SHAPE(1, 7));
    into = at_narrow(wide, 1, 0, 1);
    CHECK(at_stack_out(into, AT_TENSORS(flat, flat), .dim = 0) == into);
    CHECK_EQ(at(at_select(into, 0, 1), 0, 6), 6);
    CHECK_EQ(at_item_double(at_sum(at_narrow(wide, 1, 1, 1))), 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_storages), cmocka_unit_test(in_place), cmocka_unit_test(wrong_indices),
      cmocka_unit_test(shared_memory), cmocka_unit_test(stacked_along_each)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
