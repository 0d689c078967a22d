/* Calls of operations, valid as C and as C++.  tests/ATen/table/calls compiles this file with every
 * available compiler, without warnings, and checks that invalid calls do not compile. */
#include <ATen/ATen.h>

#include <stdio.h>
#include <string.h>

static int failures;

static void check(bool good, const char *what, int line)
{
  if (!good) {
    fprintf(stderr, "line %d: %s; %s\n", line, what, at_error_message());
    failures++;
  }
}

#define CHECK(GOOD) check(GOOD, #GOOD, __LINE__)

static double at(at_tensor *t, int64_t i)
{
  return at_item_double(at_select(at_reshape(t, AT_SHAPE(-1)), 0, i));
}

/* 0 1 2, 3 4 5 */
static at_tensor *six(void)
{
  return at_reshape(at_arange(6), AT_SHAPE(2, 3));
}

static void options(void)
{
  at_tensor *x = six(), *y = at_ones_like(x);

  /* An option of 0 is 0, and does not count as not given. */
  CHECK(at(at_add(x, y), 5) == 6 && at(at_add(x, y, .alpha = 2), 5) == 7);
  CHECK(at(at_add(x, y, .alpha = 0), 5) == 5 && at(at_add(x, 3, .alpha = 2), 5) == 11);
  CHECK(at_numel(at_argmax(x)) == 1 && at_numel(at_argmax(x, .dim = 0)) == 3);
  CHECK(at_numel(at_argmax(x, .dim = 1)) == 2 && at_numel(at_argmax(x, .dim = -1)) == 2);
  CHECK(at_dim(at_argmax(x, .keepdim = true, .dim = 1)) == 2);
  CHECK(at_size(at_slice(x, .dim = 1, .end = 2), 1) == 2 && at_size(at_slice(x, .end = 0), 0) == 0);
  CHECK(at_size(at_slice(x, .start = 1), 0) == 1);
  CHECK(at_numel(at_histc(at_to(x, AT_CPU(AT_FLOAT)), .bins = 50)) == 50);
  CHECK(at(at_clamp(x, .max = 0), 5) == 0 && at(at_clamp(x, .min = 0, .max = 2), 5) == 2);
  CHECK(at_numel(at_eye(3, .m = 0)) == 0 && at_numel(at_eye(3)) == 9);
  CHECK(at_typeOf(at_ones(AT_SHAPE(2), .type = AT_CPU(AT_INT))) == AT_CPU(AT_INT));

  /* Calls in calls, and commas in options. */
  CHECK(at(at_add(at_mul(x, 2), at_add(y, at_mul(y, y), .alpha = 3), .alpha = 10), 5) == 50);
  CHECK(at(at_clamp_tensor(x, .max = at_mul(at_add(y, y, .alpha = 2), 1)), 5) == 3);
  CHECK(at(at_sum_dim(x, AT_INTS(0, 1), .keepdim = true), 0) == 15);
  AT_SCOPE
  {
    CHECK(at(at_amax(x, .dim = AT_INTS(0, 1)), 0) == 5);
  }

  /* A whole number is an integer, and Long is exact. */
  CHECK(at_type_scalarType(at_typeOf(at_clamp(x, .min = 2.0))) == AT_LONG);
  CHECK(at_type_scalarType(at_typeOf(at_clamp(x, .min = 2.5))) == AT_FLOAT);
  const int64_t big = 9007199254740993;
  CHECK(at_item_long(at_select(at_clamp(at_reshape(x, AT_SHAPE(6)), .min = big), 0, 0)) == big);
  CHECK(at_item_long(at_clamp_min(at_sum(x), INT64_MAX)) == INT64_MAX);
  CHECK(at_item_long(at_clamp(at_sum(x), .max = INT64_MIN)) == INT64_MIN);
  at_tensor *zero = at_clamp(at_full(AT_SHAPE(1), -1.0), .min = -0.0);
  CHECK(at_item_double(zero) == 0 && 1 / at_item_double(zero) < 0);
}

static void numbers(void)
{
  at_tensor *x = six();
  const unsigned char byte = 2;
  const uint64_t wide = UINT64_MAX;
  const long double longer = 1.5L;
  CHECK(at_type_scalarType(at_typeOf(at_full(AT_SHAPE(2), 3))) == AT_LONG ||
        at(at_full(AT_SHAPE(2), 3), 1) == 3);
  CHECK(at(at_full(AT_SHAPE(2), 0), 1) == 0 && at(at_full(AT_SHAPE(2), 0.5f), 1) == 0.5);
  CHECK(at_type_scalarType(at_typeOf(at_mul(x, 2))) == AT_LONG);
  CHECK(at_type_scalarType(at_typeOf(at_mul(x, 2.0))) == AT_FLOAT);
  CHECK(at(at_mul(x, byte), 5) == 10 && at(at_mul(x, longer), 5) == 7.5);
  CHECK(at(at_mul(x, at_scalar(2.0)), 5) == 10 && at(at_mul(x, 'a' - 'b'), 5) == -5);
  CHECK(at(at_mul(at_to(x, AT_CPU(AT_DOUBLE)), wide), 1) == (double)UINT64_MAX);
  CHECK(at(at_arange_start(0, 10, .step = 5), 1) == 5 && at_numel(at_arange(3)) == 3);
  CHECK(at(at_linspace(0, 1, .steps = 3), 1) == 0.5);
}

static void lists(void)
{
  at_tensor *x = at_ones(AT_SHAPE(1, 1, 8, 6)), *w = at_ones(AT_SHAPE(1, 1, 1, 1));
  at_tensor *y = at_conv2d(x, w, .stride = AT_INTS(2));
  CHECK(at_size(y, 2) == 4 && at_size(y, 3) == 3);
  y = at_conv2d(x, w, .stride = AT_INTS(1, 2), .padding = AT_INTS(0, 3));
  CHECK(at_size(y, 2) == 8 && at_size(y, 3) == 6);
  y = at_conv2d(x, w, .padding = AT_INTS(1, 0), .bias = at_full(AT_SHAPE(1), 1.0));
  CHECK(at_size(y, 2) == 10 && at_size(y, 3) == 6 && at(y, 0) == 1);
  at_output_indices r = at_max_pool2d(x, AT_INTS(2), .stride = AT_INTS(1), .ceil_mode = true);
  CHECK(at_size(r.output, 2) == 7 && at_size(r.output, 3) == 5);
  CHECK(!at_defined(at_conv2d(x, w, .stride = AT_INTS(1, 1, 1))) &&
        strstr(at_error_message(), "conv2d: stride has 3 numbers, and has to have 1 or 2"));
  at_error_clear();
  CHECK(at_numel(at_cat(AT_TENSORS(x, x), .dim = 2)) == 96);
}

static bool complains(at_tensor *t, const char *part)
{
  const bool good = !at_defined(t) && strstr(at_error_message(), part) != NULL;
  if (!good)
    fprintf(stderr, "'%s' is not in '%s'\n", part, at_error_message());
  at_error_clear();
  return good;
}

/* Messages use the operation's names of arguments, not those of THNN's layer. */
static void names(void)
{
  at_tensor *x = at_ones(AT_SHAPE(1, 1, 8, 6)), *w = at_ones(AT_SHAPE(1, 1, 3, 3));
  CHECK(complains(at_conv2d(x, w, .stride = AT_INTS(1, 0)), "conv2d: stride is 0"));
  CHECK(complains(at_conv2d(x, w, .dilation = AT_INTS(0)), "conv2d: dilation is 0"));
  CHECK(complains(at_avg_pool2d(x, AT_INTS(2, 0)), "kernel_size is 0"));
  CHECK(complains(at_max_pool2d(x, AT_INTS(2), .stride = AT_INTS(0, 1)).output, "stride is"));
  CHECK(complains(at_max_pool2d(x, AT_INTS(2), .padding = AT_INTS(-1)).output, "padding is -1"));
  CHECK(complains(at_avg_pool2d_backward(x, x, AT_INTS(2), AT_INTS(2), AT_INTS(0), false, true),
                  "avg_pool2d_backward: grad_output"));
  CHECK(complains(at_avg_pool2d(x, AT_INTS(20)), "avg_pool2d: self of size"));
  CHECK(complains(at_conv2d(at_ones(AT_SHAPE(2)), w), "conv2d: input has size"));
}

/* The function itself, with a pointer to options. */
static void functions(void)
{
  at_tensor *x = six();
  at_tensor *(*relu)(at_tensor *) = at_relu;
  at_add_options by = at_add_defaults;
  CHECK(at((at_add)(x, x, &by), 5) == 10 && at((at_add)(x, x, NULL), 5) == 10);
  by.alpha = at_scalar(0);
  CHECK(at((at_add)(x, x, &by), 5) == 5);
  by.alpha = at_scalar(2);
  CHECK(at((at_add_scalar)(x, at_scalar(1), &by), 5) == 7);
  CHECK(at(relu(x), 5) == 5 && at((at_neg)(x), 5) == -5);
  at_argmax_options along = at_argmax_defaults;
  CHECK(along.dim == AT_NONE && !along.keepdim && at_numel((at_argmax)(x, &along)) == 1);
  const at_clamp_options open = at_clamp_defaults;
  CHECK(open.min.is_none && open.max.is_none);
}

/* A Type or generator of NULL is an error, not the default. */
static void missing(void)
{
  at_error_clear();
  CHECK(!at_defined(at_ones(AT_SHAPE(2), .type = NULL)) && at_error() == AT_ERROR_NULL &&
        strstr(at_error_message(), "ones: type is NULL"));
  at_error_clear();
  CHECK(!at_defined(at_rand(AT_SHAPE(2), .generator = NULL)) &&
        strstr(at_error_message(), "rand: generator is NULL"));
  at_error_clear();
}

static bool says(int line)
{
  char location[64];
  snprintf(location, sizeof location, "calls.c:%d: ", line);
  const bool good = strstr(at_error_message(), location) != NULL;
  if (!good)
    fprintf(stderr, "not %s %s\n", location, at_error_message());
  at_error_clear();
  return good;
}

static at_tensor *failing(at_tensor *x)
{
  return at_mm(x, x);
}
enum { FAILING = __LINE__ - 2 };

/* The message of an error has file and line of the call that failed. */
static void locations(void)
{
  at_tensor *x = six(), *y;
  y = at_mm(x, x);
  CHECK(!at_defined(y) && says(__LINE__ - 1));
  y = at_add(at_exp(at_add(x, at_ones(AT_SHAPE(5)))), x, .alpha = 2);
  CHECK(!at_defined(y) && says(__LINE__ - 1));
  y = at_exp(failing(x));
  CHECK(!at_defined(y) && says(FAILING));
  at_max_dim_out(x, x, x, 9);
  CHECK(says(__LINE__ - 1));
  at_add_(x, at_ones(AT_SHAPE(5)));
  CHECK(says(__LINE__ - 1));
  const at_tensors *pieces = at_split(x, -1);
  CHECK(pieces->count == 0 && says(__LINE__ - 1));
  const bool same = at_equal(x, NULL);
  CHECK(!same && says(__LINE__ - 1));
  CHECK(at_item_long(x) == 0 && says(__LINE__));
  CHECK(at_size(x, 7) == -1 && says(__LINE__));
  CHECK(!at_load("/nowhere.npz") && says(__LINE__));
  const at_values_indices r = at_max_dim(x, 9);
  CHECK(!at_defined(r.values) && says(__LINE__ - 1));

  /* Later calls with the undefined result, and later errors, do not change file and line. */
  y = at_exp((at_mm)(x, x));
  CHECK(!at_defined(y) && strncmp(at_error_message(), "mm: ", 4) == 0);
  y = at_mm(x, x);
  CHECK(strncmp(at_error_message(), "mm: ", 4) == 0);
  at_error_clear();
}

/* Layers: a kernel is a number or a list, lists of modules are lists of calls. */
static void modules(void)
{
  at_module *net =
      at_Sequential(at_Sequential(at_Conv2d(1, 2, 3, .padding = AT_INTS(1)), at_ReLU()),
                    at_MaxPool2d(AT_INTS(2, 3), .ceil_mode = true), at_Flatten(),
                    at_Linear(4, 2, .bias = false));
  CHECK(net && at_module_count(net) == 4);
  CHECK(at_numel(at_forward(net, at_ones(AT_SHAPE(1, 1, 2, 4)))) == 2);
  CHECK(!at_defined(at_forward(net, at_ones(AT_SHAPE(2)))) && says(__LINE__));
  at_error_clear();
  CHECK(!at_Dropout(.p = 2) && says(__LINE__));
  at_error_clear();
  CHECK(!at_module_load(net, "/nowhere.pt", .strict = false) && says(__LINE__));
  at_error_clear();
  CHECK(at_defined(at_init_kaiming_normal_(at_empty(AT_SHAPE(2, 2)), .mode = "fan_out")));
  at_module_free(net);
}

int main(void)
{
  AT_SCOPE
  {
    options();
    numbers();
    lists();
    names();
    functions();
    missing();
    locations();
    modules();
  }
  return failures > 0;
}
