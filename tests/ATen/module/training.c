/* First values, and losses of networks in training, against PyTorch.  tests/oracle/training.py wrote
 * the golden file and says what is in it. */
#include "ATen.h"
#include "th_test.h"

static at_dict *golden;

static double difference(at_tensor *a, at_tensor *b)
{
  at_tensor *const x = at_to(a, AT_CPU(AT_DOUBLE)), *const y = at_to(b, AT_CPU(AT_DOUBLE));
  return at_item_double(at_max(at_abs(at_sub(x, y))));
}

#define EMPTY(...) at_empty(AT_SHAPE(__VA_ARGS__))
#define WIDE(...)  at_empty(AT_SHAPE(__VA_ARGS__), .type = AT_CPU(AT_DOUBLE))

static at_tensor *uniform(void)
{
  return at_init_uniform_(EMPTY(4, 5), .a = -2, .b = 3);
}

static at_tensor *normal(void)
{
  return at_init_normal_(EMPTY(4, 5), .mean = 1, .std = 0.5);
}

static at_tensor *normal_few(void)
{
  return at_init_normal_(EMPTY(5), .mean = 1, .std = 0.5);
}

static at_tensor *trunc_normal(void)
{
  return at_init_trunc_normal_(EMPTY(5, 6), .mean = 0.5, .a = -0.5);
}

static at_tensor *trunc_normal_narrow(void)
{
  return at_init_trunc_normal_(EMPTY(5, 6), .a = 1, .b = 1.5);
}

static at_tensor *constant(void)
{
  return at_init_constant_(EMPTY(3), 0.3);
}

static at_tensor *eye(void)
{
  return at_init_eye_(EMPTY(3, 5));
}

static at_tensor *dirac(void)
{
  return at_init_dirac_(EMPTY(4, 3, 3, 2), .groups = 2);
}

static at_tensor *xavier_uniform(void)
{
  return at_init_xavier_uniform_(EMPTY(4, 3, 2), .gain = 1.5);
}

static at_tensor *xavier_normal(void)
{
  return at_init_xavier_normal_(EMPTY(4, 7));
}

static at_tensor *kaiming_uniform(void)
{
  return at_init_kaiming_uniform_(EMPTY(4, 7), .a = 0.1, .mode = "fan_out");
}

static at_tensor *kaiming_normal(void)
{
  return at_init_kaiming_normal_(EMPTY(4, 3, 2), .nonlinearity = "relu");
}

static at_tensor *orthogonal(void)
{
  return at_init_orthogonal_(WIDE(4, 7), .gain = 2);
}

static at_tensor *orthogonal_tall(void)
{
  return at_init_orthogonal_(WIDE(6, 2, 2));
}

static at_tensor *sparse(void)
{
  return at_init_sparse_(EMPTY(6, 4), 0.4);
}

#define FUNCTIONS(X)     \
  X(uniform)             \
  X(normal)              \
  X(normal_few)          \
  X(trunc_normal)        \
  X(trunc_normal_narrow) \
  X(constant)            \
  X(eye)                 \
  X(dirac)               \
  X(xavier_uniform)      \
  X(xavier_normal) X(kaiming_uniform) X(kaiming_normal) X(orthogonal) X(orthogonal_tall) X(sparse)

static const struct {
  const char *name;
  at_tensor *(*make)(void);
} functions[] = {
#define ROW(NAME) {"init." #NAME, NAME},
    FUNCTIONS(ROW)};

static void first_values(void **state)
{
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    AT_SCOPE
    {
      at_manualSeed(3);
      at_tensor *const made = functions[i].make();
      const double away = difference(made, at_dict_get(golden, functions[i].name));
      if (!(away <= 1e-6))
        fail_msg("%s: %g %s", functions[i].name, away, at_error_message());
    }
}

static void wrong_values(void **state)
{
  AT_SCOPE
  {
    at_tensor *const t = at_ones(AT_SHAPE(4));
    CHECK(!at_defined(at_init_kaiming_normal_(t)));
    at_error_clear();
    CHECK(!at_defined(at_init_kaiming_normal_(EMPTY(2, 2), .mode = "fan")));
    CHECK(strstr(at_error_message(), "mode is 'fan'"));
    at_error_clear();
    CHECK(!at_defined(at_init_trunc_normal_(t, .a = 2, .b = 1)));
    CHECK(strstr(at_error_message(), "a 2 and b 1"));
    at_error_clear();
    CHECK(at_init_gain("prelu") != 1);
    CHECK(strstr(at_error_message(), "nonlinearity is 'prelu'"));
    at_error_clear();
    CHECK(at_item_double(at_sum(t)) == 4);
  }
}

/* --- networks --------------------------------------------------------------------------------- */

/* Parameters are drawn in this type. */
static const at_type *made_in;

#define LINEAR(...) at_Linear(__VA_ARGS__, .type = made_in)
#define CONV(...)   at_Conv2d(__VA_ARGS__, .type = made_in)
#define BATCH(N)    at_BatchNorm2d(N, .type = made_in)
#define LAYER(N)    at_LayerNorm(N, .type = made_in)

static at_module *mlp(void)
{
  return at_Sequential(LINEAR(6, 16), at_ReLU(), LINEAR(16, 16), at_ReLU(), LINEAR(16, 4));
}

static at_module *lenet(void)
{
  return at_Sequential(CONV(1, 6, 5, .padding = AT_INTS(2)), at_ReLU(), at_MaxPool2d(2),
                       CONV(6, 16, 5), at_ReLU(), at_MaxPool2d(2), at_Flatten(), LINEAR(16, 12),
                       at_ReLU(), LINEAR(12, 8), at_ReLU(), LINEAR(8, 4));
}

/* --- ResNet ------------------------------------------------------------------------------------ */

typedef struct Basic {
  at_module *conv1, *bn1, *conv2, *bn2, *shortcut;
} Basic;

static at_tensor *basic_forward(at_module *self, at_tensor *x)
{
  const Basic *const b = at_module_own(self);
  at_tensor *const y = at_relu(at_forward(b->bn1, at_forward(b->conv1, x)));
  at_tensor *const around = b->shortcut ? at_forward(b->shortcut, x) : x;
  return at_relu(at_add(at_forward(b->bn2, at_forward(b->conv2, y)), around));
}

static at_module *basic(int64_t in, int64_t out, int64_t stride)
{
  static const at_module_kind kind = {"Basic", basic_forward, sizeof(Basic)};
  at_module *const self = at_module_new(&kind);
  Basic *const b = at_module_own(self);
  b->conv1 = at_module_add(self, "conv1",
                           CONV(in, out, 3, .stride = AT_INTS(stride), .padding = AT_INTS(1),
                                .bias = false));
  b->bn1 = at_module_add(self, "bn1", BATCH(out));
  b->conv2 = at_module_add(self, "conv2", CONV(out, out, 3, .padding = AT_INTS(1), .bias = false));
  b->bn2 = at_module_add(self, "bn2", BATCH(out));
  if (stride != 1 || in != out)
    b->shortcut =
        at_module_add(self, "shortcut",
                      at_Sequential(CONV(in, out, 1, .stride = AT_INTS(stride), .bias = false),
                                    BATCH(out)));
  return self;
}

static at_module *resnet(void)
{
  return at_Sequential(CONV(3, 4, 3, .padding = AT_INTS(1), .bias = false), BATCH(4), at_ReLU(),
                       at_MaxPool2d(3, .stride = AT_INTS(2), .padding = AT_INTS(1)), basic(4, 4, 1),
                       basic(4, 6, 2), at_AdaptiveAvgPool2d(1), at_Flatten(), LINEAR(6, 4));
}

/* --- sequences --------------------------------------------------------------------------------- */

enum { WORDS = 10, WIDTH = 8, HEADS = 2, LENGTH = 6 };

typedef struct Parts {
  at_module *words, *positions, *body, *norm, *head;
} Parts;

static at_tensor *encoder_forward(at_module *self, at_tensor *x)
{
  const Parts *const net = at_module_own(self);
  return at_forward(net->head, at_mean_dim(at_forward(net->body, x), AT_INTS(1)));
}

static at_module *transformer(void)
{
  static const at_module_kind kind = {"Encoder", encoder_forward, sizeof(Parts)};
  at_module *const self = at_module_new(&kind);
  Parts *const net = at_module_own(self);
  at_module *const layer = at_TransformerEncoderLayer(8, 2, .dim_feedforward = 12, .dropout = 0,
                                                      .batch_first = true, .type = made_in);
  net->body = at_module_add(self, "encoder", at_TransformerEncoder(layer, 2));
  net->head = at_module_add(self, "full", LINEAR(8, 4));
  return self;
}

static at_tensor *recurrent_forward(at_module *self, at_tensor *x)
{
  const Parts *const net = at_module_own(self);
  at_tensor *const y = at_forward(net->body, at_forward(net->words, x));
  return at_forward(net->head, at_select(y, 1, -1));
}

static at_module *lstm(void)
{
  static const at_module_kind kind = {"Recurrent", recurrent_forward, sizeof(Parts)};
  at_module *const self = at_module_new(&kind);
  Parts *const net = at_module_own(self);
  net->words = at_module_add(self, "words", at_Embedding(WORDS, 3, .type = made_in));
  net->body = at_module_add(self, "cells", at_LSTM(3, 6, .batch_first = true, .type = made_in));
  net->head = at_module_add(self, "head", LINEAR(6, 4));
  return self;
}

typedef struct Block {
  at_module *norm1, *mixed, *joined, *norm2, *wide, *narrow;
} Block;

static at_tensor *block_forward(at_module *self, at_tensor *x)
{
  const Block *const b = at_module_own(self);
  const int64_t batch = at_size(x, 0);
  at_tensor *const mixed = at_forward(b->mixed, at_forward(b->norm1, x));
  at_tensor *parts[3];
  for (int i = 0; i < 3; i++)
    parts[i] = at_transpose(at_reshape(at_narrow(mixed, 2, i * WIDTH, WIDTH),
                                       AT_SHAPE(batch, LENGTH, HEADS, WIDTH / HEADS)),
                            1, 2);
  at_tensor *const seen =
      at_scaled_dot_product_attention(parts[0], parts[1], parts[2], .is_causal = true);
  x = at_add(x, at_forward(b->joined,
                           at_reshape(at_transpose(seen, 1, 2), AT_SHAPE(batch, LENGTH, WIDTH))));
  return at_add(x, at_forward(b->narrow, at_gelu(at_forward(b->wide, at_forward(b->norm2, x)))));
}

static at_module *block(void)
{
  static const at_module_kind kind = {"Block", block_forward, sizeof(Block)};
  at_module *const self = at_module_new(&kind);
  Block *const b = at_module_own(self);
  b->norm1 = at_module_add(self, "norm1", LAYER(WIDTH));
  b->mixed = at_module_add(self, "mixed", LINEAR(WIDTH, 3 * WIDTH));
  b->joined = at_module_add(self, "joined", LINEAR(WIDTH, WIDTH));
  b->norm2 = at_module_add(self, "norm2", LAYER(WIDTH));
  b->wide = at_module_add(self, "wide", LINEAR(WIDTH, 4 * WIDTH));
  b->narrow = at_module_add(self, "narrow", LINEAR(4 * WIDTH, WIDTH));
  return self;
}

static at_tensor *gpt_forward(at_module *self, at_tensor *x)
{
  const Parts *const net = at_module_own(self);
  at_tensor *const at = at_forward(net->positions, at_arange(LENGTH, .type = AT_CPU(AT_LONG)));
  at_tensor *const y = at_forward(net->body, at_add(at_forward(net->words, x), at));
  return at_reshape(at_forward(net->head, at_forward(net->norm, y)), AT_SHAPE(-1, WORDS));
}

static at_module *gpt(void)
{
  static const at_module_kind kind = {"Gpt", gpt_forward, sizeof(Parts)};
  at_module *const self = at_module_new(&kind);
  Parts *const net = at_module_own(self);
  net->words = at_module_add(self, "words", at_Embedding(WORDS, WIDTH, .type = made_in));
  net->positions = at_module_add(self, "positions", at_Embedding(LENGTH, WIDTH, .type = made_in));
  at_module *const first = block(), *const second = block();
  net->body = at_module_add(self, "blocks", at_Sequential(first, second));
  net->norm = at_module_add(self, "norm", LAYER(WIDTH));
  net->head = at_module_add(self, "head", LINEAR(WIDTH, WORDS));
  return self;
}

/* --- curves ------------------------------------------------------------------------------------ */

static const struct {
  const char *name;
  at_module *(*make)(void);
  bool ofWords; /* the input is of numbers of words, and the optimizer AdamW */
  int dims;
  int64_t sizes[4];
} networks[] = {{"mlp", mlp, false, 2, {8, 6}},
                {"lenet", lenet, false, 4, {8, 1, 12, 12}},
                {"resnet", resnet, false, 4, {8, 3, 8, 8}},
                {"transformer", transformer, false, 3, {8, 5, 8}},
                {"lstm", lstm, true, 2, {8, 5}},
                {"gpt", gpt, true, 2, {4, 6}}};
enum { NETWORKS = sizeof networks / sizeof *networks };

static at_tensor *input_of(int network)
{
  const at_ints sizes = {networks[network].sizes, networks[network].dims};
  int64_t count = 1;
  for (int d = 0; d < sizes.count; d++)
    count *= sizes.data[d];
  if (networks[network].ofWords)
    return at_reshape(at_remainder(at_add(at_mul(at_arange(count), 7), 3), WORDS), sizes);
  at_tensor *const angles = at_add(at_mul(at_arange(count, .type = AT_CPU(AT_DOUBLE)), 1.7), 1);
  return at_reshape(at_to(at_sin(angles), made_in), sizes);
}

/* A step of SGD with momentum, by hand. */
static void descend(const at_tensors *parameters, at_tensor **velocity)
{
  AT_NO_GRAD
  {
    for (int i = 0; i < parameters->count; i++) {
      at_tensor *const p = parameters->data[i];
      at_add_(at_mul_(velocity[i], 0.9), at_grad(p));
      at_sub_(p, velocity[i], .alpha = 0.03);
    }
  }
}

/* Compares the losses of the network's steps, by hand or by the optimizer. */
static void train(int network, const at_type *type, const char *curve, double within, bool byHand)
{
  char name[40];
  snprintf(name, sizeof name, "%s.%s", curve, networks[network].name);
  made_in = type;
  at_manualSeed(5);
  at_module *const net = networks[network].make();
  CHECK_MSG(net, "%s: %s", name, at_error_message());
  const at_tensors *const parameters = at_module_parameters(net);
  at_tensor *velocity[60];
  CHECK(parameters->count <= 60);
  for (int i = 0; i < parameters->count; i++)
    velocity[i] = at_zeros_like(at_detach(parameters->data[i]));
  at_optimizer *const optimizer = networks[network].ofWords
                                      ? at_adamw(*parameters, .lr = 1e-2)
                                      : at_sgd(*parameters, .lr = 0.03, .momentum = 0.9);
  at_tensor *const x = input_of(network);
  const double *const want = at_data(at_dict_get(golden, name));
  for (int64_t step = 0; step < at_numel(at_dict_get(golden, name)); step++)
    AT_SCOPE
    {
      at_module_zero_grad(net);
      at_tensor *const y = at_forward(net, x);
      at_tensor *const target = at_remainder(at_arange(at_size(y, 0)), 4);
      at_tensor *const loss = at_cross_entropy_loss(y, target);
      CHECK(at_backward(loss));
      if (byHand)
        descend(parameters, velocity);
      else
        CHECK(at_optimizer_step(optimizer));
      const double away = fabs(at_item_double(loss) - want[step]);
      if (!(away <= within))
        fail_msg("%s, step %lld: %g away %s", name, (long long)step, away, at_error_message());
    }
  at_optimizer_free(optimizer);
  at_module_free(net);
}

static void curves(void **state)
{
  for (int i = 0; i < NETWORKS; i++)
    for (int byHand = 0; byHand < (networks[i].ofWords ? 1 : 2); byHand++)
      AT_SCOPE
      {
        train(i, AT_CPU(AT_DOUBLE), "curve", 1e-8, byHand);
        train(i, AT_CPU(AT_FLOAT), "single", 1e-4, byHand);
      }
}

int main(void)
{
  golden = at_load(AT_GOLDEN_DIR "/modules/training.safetensors");
  const struct CMUnitTest tests[] = {cmocka_unit_test(first_values), cmocka_unit_test(wrong_values),
                                     cmocka_unit_test(curves)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  at_dict_free(golden);
  return failed;
}
