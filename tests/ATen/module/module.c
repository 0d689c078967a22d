/* Modules of one's own: members, walks, state dicts, types, copies, errors. */
#include <unistd.h>

#include "ATen.h"
#include "th_fail.h"
#include "th_test.h"

typedef struct Net {
  at_module *conv, *full;
} Net;

static at_tensor *net_forward(at_module *self, at_tensor *x)
{
  const Net *net = at_module_own(self);
  x = at_relu(at_forward(net->conv, x));
  return at_forward(net->full, at_flatten(x, .start_dim = 1));
}

static const at_module_kind net_kind = {"Net", net_forward, sizeof(Net)};

static at_module *Net_new(void)
{
  at_module *const self = at_module_new(&net_kind);
  Net *const net = at_module_own(self);
  if (net) {
    net->conv = at_module_add(self, "conv", at_Conv2d(1, 2, 3, .padding = AT_INTS(1)));
    net->full = at_module_add(self, "full", at_Linear(8, 3, .bias = false));
  }
  return self;
}

static void expect_error(const char *part)
{
  if (!strstr(at_error_message(), part))
    fail_msg("'%s' has no '%s'", at_error_message(), part);
  at_error_clear();
}

/* A loss of the network falls, step by step. */
static void training(void **state)
{
  at_module *const net = Net_new();
  double first = 0, last = 0;
  for (int step = 0; step < 20; step++)
    AT_SCOPE
    {
      at_tensor *const x = at_ones(AT_SHAPE(2, 1, 2, 2));
      at_tensor *const loss = at_mean(at_square(at_sub(at_forward(net, x), 1)));
      at_module_zero_grad(net);
      CHECK(at_backward(loss));
      const at_tensors *const parameters = at_module_parameters(net);
      CHECK_EQ(parameters->count, 3);
      AT_NO_GRAD
      {
        for (int i = 0; i < parameters->count; i++)
          at_sub_(parameters->data[i], at_grad(parameters->data[i]), .alpha = 0.05);
      }
      last = at_item_double(loss);
      first = step ? first : last;
    }
  CHECK(last < 0.1 * first);
  CHECK_EQ(at_module_numel(net), 2 * 9 + 2 + 24);
  at_module_free(net);
}

static void members(void **state)
{
  AT_SCOPE
  {
    at_module *const net = Net_new();
    CHECK(!at_module_add(net, "conv", at_ReLU()));
    expect_error("module_add: Net has a member 'conv' already");
    CHECK(!at_module_add(net, "a.b", at_ReLU()));
    expect_error("has a dot");
    CHECK(!at_module_add(at_module_child(net, "conv"), "up", at_module_retain(net)));
    expect_error("above it");
    CHECK(!at_defined(at_module_add_parameter(net, "n",
                                              at_ones(AT_SHAPE(2), .type = AT_CPU(AT_LONG)))));
    expect_error("only floating and complex types");
    at_tensor *const scale = at_module_add_parameter(net, "scale", at_ones(AT_SHAPE(1)));
    at_module_add_buffer(net, "count", at_zeros(AT_SHAPE(1), .type = AT_CPU(AT_LONG)));
    CHECK(at_requiresGrad(scale) && at_module_get(net, "scale") == scale);
    CHECK(at_module_get(net, "conv.weight") ==
          at_module_get(at_module_child(net, "conv"), "weight"));
    CHECK(!at_defined(at_module_get(net, "conv.weights")));
    expect_error("Net has no parameter or buffer 'conv.weights'");
    at_dict *const dict = at_module_state_dict(net);
    static const char *const names[] = {"scale", "count", "conv.weight", "conv.bias",
                                        "full.weight"};
    CHECK_EQ(at_dict_count(dict), 5);
    for (int i = 0; i < 5; i++)
      assert_string_equal(at_dict_name(dict, i), names[i]);
    at_dict_free(dict);
    at_module *const list = at_module_add(net, "list", at_ModuleList(at_ReLU()));
    CHECK(!at_defined(at_forward(list, scale)));
    expect_error("a ModuleList has no forward function");
    at_module_free(net);
  }
}

static void modes(void **state)
{
  at_module *const net = at_Sequential(at_Dropout(), at_Sequential(at_BatchNorm1d(2)));
  CHECK(at_module_training(at_module_child(net, "1.0")));
  at_module_eval(net);
  CHECK(!at_module_training(at_module_child(net, "1.0")) && !at_module_training(net));
  at_module_train(net);
  CHECK(at_module_training(at_module_childAt(net, 0)));
  CHECK(at_module_requires_grad_(net, false));
  CHECK(!at_requiresGrad(at_module_get(net, "1.0.weight")));
  at_module_free(net);
}

static const char *const tied_text =
    "Sequential(\n"
    "  (0): Linear(in_features=3, out_features=3, bias=False)\n"
    "  (1): ModuleList(\n"
    "    (0-1): 2 x ReLU()\n"
    "    (2): Softmax(dim=1)\n"
    "  )\n"
    "  (2): Linear(in_features=3, out_features=3, bias=True)\n"
    ")";

/* A weight of two layers is one parameter, in copies and other types, too. */
static void tied(void **state)
{
  at_module *const net =
      at_Sequential(at_Linear(3, 3, .bias = false),
                    at_ModuleList(at_ReLU(), at_ReLU(), at_Softmax(1)), at_Linear(3, 3));
  CHECK(at_module_set(net, "2.weight", at_module_get(net, "0.weight")));
  CHECK(!at_module_set(net, "2.weight", at_module_get(net, "2.bias")));
  expect_error("'2.weight' a CPUFloatType of size [3 x 3]");
  CHECK_EQ(at_module_numel(net), 12);
  at_module *const copy = at_module_clone(net);
  CHECK_EQ(at_module_numel(copy), 12);
  CHECK(at_module_get(copy, "0.weight") == at_module_get(copy, "2.weight"));
  CHECK(at_module_get(copy, "0.weight") != at_module_get(net, "0.weight"));
  CHECK(at_equal(at_module_get(copy, "2.bias"), at_module_get(net, "2.bias")));
  CHECK(at_module_to(copy, AT_CPU(AT_DOUBLE)));
  CHECK(at_module_get(copy, "0.weight") == at_module_get(copy, "2.weight"));
  CHECK(at_typeOf(at_module_get(copy, "0.weight")) == AT_CPU(AT_DOUBLE));
  CHECK(at_typeOf(at_module_get(net, "0.weight")) == AT_CPU(AT_FLOAT));
  CHECK(!at_module_to(net, AT_CPU(AT_LONG)));
  expect_error("type is CPULongType");
  char *const text = at_module_toString(copy);
  assert_string_equal(text, tied_text);
  at_string_free(text);
  at_module_free(net);
  at_module_free(copy);
}

static void release_nothing(void *own)
{
  (void)own;
}

/* A struct of one's own points in the copy to what the copy has. */
static void own_copies(void **state)
{
  static const at_module_kind owner = {.name = "Owner", .release = release_nothing};
  at_module *const net = Net_new(), *const copy = at_module_clone(net);
  const Net *const from = at_module_own(net), *const to = at_module_own(copy);
  CHECK(to->conv == at_module_childAt(copy, 0) && to->conv != from->conv);
  AT_SCOPE
  {
    at_tensor *const x = at_randn(AT_SHAPE(2, 1, 2, 2));
    CHECK(at_equal(at_forward(net, x), at_forward(copy, x)));
    AT_NO_GRAD
    {
      at_zero_(at_module_parameters(net)->data[0]);
    }
    CHECK(!at_equal(at_forward(net, x), at_forward(copy, x)));
  }
  at_module_free(net);
  at_module_free(copy);
  at_module *const one = at_module_new(&owner);
  CHECK(!at_module_clone(one));
  expect_error("the struct of Owner owns memory");
  at_module_free(one);
}

/* Gradients move with their parameters. */
static void gradients_move(void **state)
{
  at_module *const net = at_Linear(2, 1);
  AT_SCOPE
  {
    CHECK(at_backward(at_sum(at_forward(net, at_ones(AT_SHAPE(3, 2))))));
    CHECK(at_module_to(net, AT_CPU(AT_DOUBLE)));
    at_tensor *const grad = at_grad(at_module_get(net, "bias"));
    CHECK(at_typeOf(grad) == AT_CPU(AT_DOUBLE) && at_item_double(grad) == 3);
    CHECK(at_backward(at_sum(at_forward(net, at_ones(AT_SHAPE(3, 2), .type = AT_CPU(AT_DOUBLE))))));
    CHECK(at_item_double(at_grad(at_module_get(net, "bias"))) == 6);
  }
  at_module_free(net);
}

static void files(void **state)
{
  char path[] = "/tmp/th_module_XXXXXX.pt";
  CHECK(close(mkstemps(path, 3)) == 0);
  at_module *const net = Net_new(), *const other = Net_new();
  at_module *const narrow = at_Sequential(at_Linear(8, 3, .bias = false));
  CHECK(at_module_save(net, path) && at_module_load(other, path));
  CHECK(at_equal(at_module_get(net, "conv.weight"), at_module_get(other, "conv.weight")));
  CHECK(at_equal(at_module_get(net, "full.weight"), at_module_get(other, "full.weight")));
  CHECK(!at_module_load(narrow, path));
  expect_error(
      "module_load: 1 missing: 0.weight; "
      "3 unexpected: conv.weight, conv.bias, full.weight");
  CHECK(!at_module_load(narrow, "/nowhere/net.pt"));
  expect_error("nowhere");
  at_module *const wide = at_Linear(8, 4);
  CHECK(!at_module_load(wide, path, .prefix = "full."));
  expect_error("1 missing: bias; 1 of other sizes: weight ([4 x 8] here, [3 x 8] there)");
  CHECK(!at_module_load(wide, path, .prefix = "full.", .strict = false));
  expect_error("module_load: 1 of other sizes");
  at_module *const full = at_module_child(narrow, "0");
  CHECK(at_module_load(full, path, .prefix = "full."));
  CHECK(at_equal(at_module_get(full, "weight"), at_module_get(net, "full.weight")));
  at_module_free(net);
  at_module_free(other);
  at_module_free(narrow);
  at_module_free(wide);
  unlink(path);
}

static void wrong_targets(void **state)
{
  AT_SCOPE
  {
    at_module *const softmax = at_AdaptiveLogSoftmaxWithLoss(4, 6, AT_INTS(2, 4));
    at_tensor *const classes = at_arange(3), *const x = at_ones(AT_SHAPE(3, 4));
    CHECK(!at_defined(at_AdaptiveLogSoftmaxWithLoss_forward(softmax, x, at_sub(classes, 1)).loss));
    expect_error("target has classes from -1 to 1, and there are 6");
    CHECK(!at_defined(at_AdaptiveLogSoftmaxWithLoss_forward(softmax, x, at_arange(2)).loss));
    expect_error("input is of size [3 x 4], target [2]");
    CHECK(!at_defined(at_AdaptiveLogSoftmaxWithLoss_log_prob(softmax, at_ones(AT_SHAPE(3, 5)))));
    expect_error("input is of size [3 x 5], and has to be batch x 4");
    at_module_free(softmax);
  }
}

static void wrong_layers(void **state)
{
  CHECK(!at_Conv2d(3, 4, 3, .groups = 2));
  expect_error("Conv2d: groups is 2, and in_channels is 3, out_channels 4");
  CHECK(!at_ConvTranspose2d(2, 2, 3, .padding_mode = "reflect"));
  expect_error("ConvTranspose2d: padding_mode is 'reflect'");
  CHECK(!at_AdaptiveLogSoftmaxWithLoss(4, 6, AT_INTS(2, 6)));
  expect_error("AdaptiveLogSoftmaxWithLoss: cutoffs");
  CHECK(!at_AvgPool3d(2, .divisor_override = 0));
  expect_error("AvgPool3d: divisor_override is 0");
  CHECK(!at_Conv2d(2, 4, AT_INTS(1, 2, 3)));
  expect_error("Conv2d: kernel_size has 3 numbers, and has to have 1 or 2");
  CHECK(!at_Linear(-1, 4));
  at_error_clear();
  CHECK(!at_Linear(1, 4, .type = AT_CPU(AT_LONG)));
  expect_error("Linear: type is CPULongType");
  CHECK(!at_Dropout(.p = 2));
  expect_error("Dropout: p is 2");
  CHECK(!at_Sequential(at_Linear(2, 2), at_Dropout(.p = 2), at_ReLU()));
  expect_error("Dropout: p is 2");
  CHECK(!at_TransformerEncoder(at_TransformerEncoderLayer(4, 3), 2));
  expect_error("MultiheadAttention: embed_dim is 4, and num_heads 3");
  CHECK(!at_TransformerEncoder(at_TransformerEncoderLayer(4, 2), 0, .norm = at_LayerNorm(4)));
  expect_error("TransformerEncoder: num_layers is 0");
  CHECK(!at_RNN(2, 3, .nonlinearity = "sine"));
  expect_error("RNN: nonlinearity is 'sine'");
  CHECK(!at_LSTM(2, 0));
  expect_error("hidden_size 0");
  CHECK(!at_defined(at_forward(NULL, at_undefined())));
  expect_error("forward: self is NULL");
}

/* A lazy layer becomes another at its first call, with the same draws. */
static void lazy(void **state)
{
  at_module *const net = at_Sequential(at_LazyConv2d(2, 3, .padding = AT_INTS(1)),
                                       at_LazyBatchNorm2d(), at_Flatten(), at_LazyLinear(3));
  char *text = at_module_toString(net);
  CHECK(strstr(text, "LazyConv2d(0, 2, kernel_size=(3, 3)") &&
        strstr(text, "LazyLinear(in_features=0, out_features=3, bias=True)"));
  at_string_free(text);
  CHECK_EQ(at_module_numel(net), 0);
  CHECK(!at_LazyConv2d(3, 3, .groups = 2));
  expect_error("groups is 2");
  AT_SCOPE
  {
    at_tensor *const x = at_ones(AT_SHAPE(2, 4, 2, 2));
    at_module *const spare = at_module_clone(at_module_childAt(net, 3));
    CHECK(!at_defined(at_forward(spare, at_ones(AT_SCALAR_SHAPE))));
    at_error_clear();
    CHECK(!at_defined(at_forward(spare, at_ones(AT_SHAPE(2), .type = AT_CPU(AT_LONG)))));
    at_error_clear();
    CHECK_EQ(at_module_numel(spare), 0);
    CHECK(at_defined(at_forward(spare, at_ones(AT_SHAPE(1, 5), .type = AT_CPU(AT_DOUBLE)))));
    CHECK(at_typeOf(at_module_get(spare, "weight")) == AT_CPU(AT_DOUBLE));
    at_module_free(spare);
    at_manualSeed(3);
    at_tensor *const y = at_forward(net, x);
    at_manualSeed(3);
    at_module *const same = at_Sequential(at_Conv2d(4, 2, 3, .padding = AT_INTS(1)),
                                          at_BatchNorm2d(2), at_Flatten(), at_Linear(8, 3));
    CHECK(at_equal(y, at_forward(same, x)));
    text = at_module_toString(net);
    char *const other = at_module_toString(same);
    assert_string_equal(text, other);
    at_string_free(text);
    at_string_free(other);
    at_module_free(same);
  }
  at_module_free(net);
}

/* Modules of several tensors want that many, and their options are looked at. */
static void wrong_calls(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = at_ones(AT_SHAPE(2, 3));
    at_module *const loss = at_MSELoss(), *const linear = at_Linear(3, 2);
    CHECK(!at_defined(at_forward(loss, x)));
    expect_error("forward: a MSELoss is called with 2 tensors, and not with 1");
    CHECK(!at_defined(at_forward(linear, x, x)));
    expect_error("forward: a Linear is called with 1 tensors, and not with 2");
    CHECK(!at_defined(at_forward(loss, x, NULL)));
    at_error_clear();
    CHECK(at_item_double(at_forward(loss, x, x)) == 0);
    CHECK(!at_L1Loss(.reduction = "most"));
    expect_error("L1Loss: reduction is 'most', and not none, mean or sum");
    CHECK(!at_MultiMarginLoss(.p = 3));
    expect_error("p is 3");
    CHECK(!at_AdaptiveLogSoftmaxWithLoss(4, 9, AT_INTS(3, 3)));
    expect_error("cutoffs have to grow");
    CHECK(!at_FractionalMaxPool2d(2));
    expect_error("either output_size or output_ratio");
    at_module *const pool = at_MaxUnpool2d(2);
    at_tensor *const y = at_zeros(AT_SHAPE(1, 2, 2)), *const at = at_to(y, AT_CPU(AT_LONG));
    CHECK(!at_defined(at_MaxUnpool2d_forward(pool, y, at, .output_size = AT_INTS(8, 4))));
    expect_error("output_size has 8 for axis 0, and has to be between 2 and 6");
    CHECK_EQ(at_size(at_MaxUnpool2d_forward(pool, y, at, .output_size = AT_INTS(5, 4)), 1), 5);
    CHECK(!at_defined(at_MaxUnpool2d_forward(linear, y, at)));
    expect_error("self is a Linear, and not a MaxUnpool2d");
    at_module *const adaptive = at_AdaptiveLogSoftmaxWithLoss(3, 9, AT_INTS(4));
    CHECK(!at_defined(at_AdaptiveLogSoftmaxWithLoss_log_prob(adaptive, y)));
    expect_error("has to be batch x 3");
    at_tensor *const classes = at_full(AT_SHAPE(2), 9, .type = AT_CPU(AT_LONG));
    CHECK(!at_defined(at_AdaptiveLogSoftmaxWithLoss_forward(adaptive, x, classes).output));
    expect_error("target has classes from 9 to 9, and there are 9");
    at_module *const all[] = {loss, linear, pool, adaptive};
    for (int i = 0; i < 4; i++)
      at_module_free(all[i]);
  }
}

/* An error names the layer that made it, and the line that called the outermost module. */
static void owners(void **state)
{
  AT_SCOPE
  {
    at_module *const net =
        at_Sequential(at_Linear(3, 4), at_Sequential(at_ReLU(), at_Linear(5, 2)));
    at_module *const gru = at_GRU(3, 2);
    at_tensor *const x = at_ones(AT_SHAPE(2, 3));
    CHECK(!at_defined(at_forward(net, x)));
    CHECK(!strncmp(at_error_message(), __FILE__, strlen(__FILE__)));
    expect_error(", in Linear(in_features=5, out_features=2, bias=True)");
    CHECK(!at_defined(at_forward(gru, at_ones(AT_SHAPE(2, 4)))));
    CHECK(!strncmp(at_error_message(), __FILE__, strlen(__FILE__)));
    expect_error(", in GRU(3, 2)");
    CHECK(at_defined(at_forward(gru, x)) && at_error() == AT_OK);
    at_module_free(net);
    at_module_free(gru);
  }
}

static void losses(void *unused)
{
  AT_SCOPE
  {
    at_tensor *const x = at_ones(AT_SHAPE(2, 3)), *const weight = at_ones(AT_SHAPE(3));
    at_tensor *const classes = at_zeros(AT_SHAPE(2), .type = AT_CPU(AT_LONG));
    at_module *const linear = at_LazyLinear(3);
    at_module *const loss = at_CrossEntropyLoss(.weight = weight);
    at_module *const adaptive = at_AdaptiveLogSoftmaxWithLoss(3, 9, AT_INTS(4));
    (void)at_backward(at_forward(loss, at_forward(linear, x), classes));
    (void)at_backward(at_AdaptiveLogSoftmaxWithLoss_forward(adaptive, x, classes).loss);
    at_module_free(linear);
    at_module_free(loss);
    at_module_free(adaptive);
  }
  at_error_clear();
}

/* Each allocation fails once, and nothing is left. */
static void everything(void *unused)
{
  AT_SCOPE
  {
    at_module *const net = at_Sequential(Net_new(), at_BatchNorm1d(3), at_Linear(3, 2));
    at_tensor *const y = at_forward(net, at_ones(AT_SHAPE(2, 1, 2, 2)));
    (void)at_backward(at_sum(y));
    at_dict *const dict = at_module_state_dict(net);
    at_module *const other = at_Sequential(Net_new(), at_BatchNorm1d(3), at_Linear(3, 2));
    if (other && dict)
      (void)at_module_load_state_dict(other, dict);
    at_module *const copy = at_module_clone(at_module_childAt(net, 1));
    if (other)
      (void)at_module_to(other, AT_CPU(AT_DOUBLE));
    at_string_free(at_module_toString(net));
    at_dict_free(dict);
    at_module_free(net);
    at_module_free(other);
    at_module_free(copy);
  }
  at_error_clear();
}

static void sequences(void *unused)
{
  AT_SCOPE
  {
    at_module *const lstm = at_LSTM(2, 4, .bidirectional = true);
    at_module *const stack =
        at_TransformerEncoder(at_TransformerEncoderLayer(8, 2, .dim_feedforward = 4), 2,
                              .norm = at_LayerNorm(8));
    at_tensor *const x = at_forward(lstm, at_ones(AT_SHAPE(3, 2, 2)));
    (void)at_backward(at_sum(at_TransformerEncoder_forward(stack, x, .is_causal = true)));
    at_module_free(lstm);
    at_module_free(stack);
  }
  at_error_clear();
}

static void allocations(void **state)
{
  CHECK(th_fail_each(sequences, NULL) > 100);
  CHECK(th_fail_each(losses, NULL) > 50);
  CHECK(th_fail_each(everything, NULL) > 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(training),       cmocka_unit_test(members),
      cmocka_unit_test(modes),          cmocka_unit_test(tied),
      cmocka_unit_test(gradients_move), cmocka_unit_test(files),
      cmocka_unit_test(wrong_targets),  cmocka_unit_test(wrong_layers),
      cmocka_unit_test(wrong_calls),    cmocka_unit_test(lazy),
      cmocka_unit_test(allocations),    cmocka_unit_test(own_copies),
      cmocka_unit_test(owners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
