/* First values, and losses of networks in training, against PyTorch.  tests/oracle/training.py wrote
 * the golden file and says what is in it. */
#include "ATen.h"
#include "networks.h"
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

static at_module *resnet(void)
{
  return at_Sequential(CONV(3, 4, 3, .padding = AT_INTS(1), .bias = false), BATCH(4), at_ReLU(),
                       at_MaxPool2d(3, .stride = AT_INTS(2), .padding = AT_INTS(1)),
                       network_basic(4, 4, 1, made_in), network_basic(4, 6, 2, made_in),
                       at_AdaptiveAvgPool2d(1), at_Flatten(), LINEAR(6, 4));
}

/* --- sequences --------------------------------------------------------------------------------- */

enum { WORDS = 10 };

typedef struct Parts {
  at_module *words, *body, *head;
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

/* --- a U-Net ---------------------------------------------------------------------------------- */

typedef struct Unet {
  at_module *down, *middle, *up, *around, *head, *pool;
} Unet;

static at_tensor *unet_forward(at_module *self, at_tensor *x)
{
  const Unet *const net = at_module_own(self);
  at_tensor *const down = at_forward(net->down, x);
  at_tensor *const middle = at_forward(net->middle, at_forward(net->pool, down));
  at_tensor *const up = at_forward(net->up, middle);
  at_tensor *const y = at_forward(net->around, at_cat(AT_TENSORS(up, down), .dim = 1));
  return at_mean_dim(at_forward(net->head, y), AT_INTS(2, 3));
}

static at_module *convolved(int64_t in, int64_t out)
{
  return at_Sequential(CONV(in, out, 3, .padding = AT_INTS(1)), BATCH(out), at_ReLU());
}

static at_module *unet(void)
{
  static const at_module_kind kind = {"Unet", unet_forward, sizeof(Unet)};
  at_module *const self = at_module_new(&kind);
  Unet *const net = at_module_own(self);
  net->down = at_module_add(self, "down", convolved(2, 3));
  net->middle = at_module_add(self, "middle", convolved(3, 5));
  net->up = at_module_add(self, "up",
                          at_ConvTranspose2d(5, 3, 3, .stride = AT_INTS(2), .padding = AT_INTS(1),
                                             .output_padding = AT_INTS(1), .type = made_in));
  net->around = at_module_add(self, "around", convolved(6, 3));
  net->head = at_module_add(self, "head", CONV(3, 4, 1));
  net->pool = at_module_add(self, "pool", at_MaxPool2d(2));
  return self;
}

/* --- from sequence to sequence ---------------------------------------------------------------- */

typedef struct Translator {
  at_module *words, *encoder, *bridge, *cell, *head;
} Translator;

/* Encodes sequences of several lengths, and makes four steps of a decoder that attends to them; the mean
 * of their scores. */
static at_tensor *translate(at_module *self, at_tensor *x)
{
  static const int64_t given[] = {3, 5, 1, 4, 5, 2, 2, 5};
  const Translator *const net = at_module_own(self);
  at_tensor *const lengths = at_fromArray(AT_CPU(AT_LONG), given, AT_SHAPE(8));
  at_tensor *const unseen = at_ge(at_unsqueeze(at_arange(5), 0), at_unsqueeze(lengths, 1));
  const at_packed_sequence packed =
      at_pack_padded_sequence(at_forward(net->words, x), lengths, .batch_first = true,
                              .enforce_sorted = false);
  const at_output_h_n r = at_GRU_forward_packed(net->encoder, packed.data, packed.batch_sizes,
                                                .unsorted_indices = packed.unsorted_indices);
  at_tensor *const keys = at_pad_packed_sequence(r.output, packed.batch_sizes, .batch_first = true,
                                                 .unsorted_indices = packed.unsorted_indices)
                              .padded;
  at_tensor *h = at_tanh(at_forward(net->bridge, at_select(r.h_n, 0, -1))), *sum = NULL;
  for (int step = 0; step < 4; step++) {
    at_tensor *const scores = at_squeeze_dim(at_bmm(keys, at_unsqueeze(h, 2)), 2);
    at_tensor *const shares = at_softmax(at_masked_fill(scores, unseen, -INFINITY), 1);
    at_tensor *const seen = at_squeeze_dim(at_bmm(at_unsqueeze(shares, 1), keys), 1);
    at_tensor *const word = at_forward(net->words, at_select(x, 1, step));
    h = at_GRUCell_forward(net->cell, at_cat(AT_TENSORS(word, seen), .dim = 1), .h = h);
    at_tensor *const y = at_forward(net->head, h);
    sum = sum ? at_add(sum, y) : y;
  }
  return at_div(sum, 4);
}

static at_module *translator(void)
{
  static const at_module_kind kind = {"Translator", translate, sizeof(Translator)};
  at_module *const self = at_module_new(&kind);
  Translator *const net = at_module_own(self);
  net->words = at_module_add(self, "words", at_Embedding(WORDS, 3, .type = made_in));
  net->encoder = at_module_add(self, "encoder",
                               at_GRU(3, 6, .num_layers = 2, .batch_first = true, .type = made_in));
  net->bridge = at_module_add(self, "bridge", LINEAR(6, 6));
  net->cell = at_module_add(self, "cell", at_GRUCell(9, 6, .type = made_in));
  net->head = at_module_add(self, "head", LINEAR(6, 4));
  return self;
}

/* --- a small transformer ---------------------------------------------------------------------- */

static at_module *gpt(void)
{
  return network_gpt((NetworkGpt){WORDS, .width = 8, .heads = 2, .length = 6, .layers = 2},
                     made_in);
}

/* --- curves ------------------------------------------------------------------------------------ */

static const struct {
  const char *name;
  at_module *(*make)(void);
  bool ofWords; /* the input is of numbers of words, and the optimizer AdamW */
  int dims;
  int64_t sizes[4];
  double mixed; /* how near losses in BFloat16 are */
} networks[] = {{"mlp", mlp, false, 2, {8, 6}, 1e-6},
                {"lenet", lenet, false, 4, {8, 1, 12, 12}, 1e-6},
                {"resnet", resnet, false, 4, {8, 3, 8, 8}, 1e-3},
                {"transformer", transformer, false, 3, {8, 5, 8}, 2e-3},
                {"lstm", lstm, true, 2, {8, 5}, 2e-3},
                {"gpt", gpt, true, 2, {4, 6}, 6e-3},
                {"unet", unet, false, 4, {8, 2, 6, 4}, 1e-6},
                {"translator", translator, true, 2, {8, 5}, 4e-3}};
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

typedef enum How { BY_HAND, BY_OPTIMIZER, BY_SCALER } How;

/* Losses in the golden file, the type that the network is in, that of autocast, and how near ours are. */
typedef struct Course {
  const char *curve;
  at_scalar_type type, lower;
  double within;
} Course;
static const Course wide = {"curve", AT_DOUBLE, AT_FLOAT, 1e-8},
                    single = {"single", AT_FLOAT, AT_FLOAT, 1e-4};

typedef struct Trained {
  at_module *net;
  at_optimizer *optimizer;
  at_scaler scaler;
  at_tensor *x, *velocity[60];
} Trained;

static Trained begin(int network)
{
  at_manualSeed(5);
  Trained t = {.net = networks[network].make(), .scaler = at_scaler_defaults};
  t.scaler.growth_interval = 4;
  const at_tensors *const parameters = at_module_parameters(t.net);
  CHECK_MSG(parameters->count > 0 && parameters->count <= 60, "%s: %s", networks[network].name,
            at_error_message());
  for (int i = 0; i < parameters->count; i++)
    t.velocity[i] = at_zeros_like(at_detach(parameters->data[i]));
  t.optimizer = networks[network].ofWords ? at_adamw(*parameters, .lr = 1e-2)
                                          : at_sgd(*parameters, .lr = 0.03, .momentum = 0.9);
  t.x = input_of(network);
  return t;
}

/* A step; the loss before it. */
static double advance(Trained *t, at_scalar_type lower, How how)
{
  at_tensor *loss = NULL;
  at_module_zero_grad(t->net);
  AT_AUTOCAST(lower)
  {
    at_tensor *const y = at_forward(t->net, t->x);
    loss = at_cross_entropy_loss(y, at_remainder(at_arange(at_size(y, 0)), 4));
  }
  CHECK(at_backward(how == BY_SCALER ? at_scaler_scale(&t->scaler, loss) : loss));
  if (how == BY_HAND)
    descend(at_module_parameters(t->net), t->velocity);
  else if (how == BY_OPTIMIZER)
    CHECK(at_optimizer_step(t->optimizer));
  else
    CHECK(at_scaler_step(&t->scaler, t->optimizer) && at_scaler_update(&t->scaler));
  return at_item_double(loss);
}

/* Compares the losses of the network's steps with those of PyTorch. */
static void train(int network, const Course *course, How how)
{
  char name[40];
  snprintf(name, sizeof name, "%s.%s", course->curve, networks[network].name);
  made_in = AT_CPU(course->type);
  Trained t = begin(network);
  at_tensor *const losses = at_dict_get(golden, name);
  const double *const want = at_data(losses);
  const int64_t steps = at_numel(losses) - (how == BY_SCALER);
  for (int64_t step = 0; step < steps; step++)
    AT_SCOPE
    {
      const double away = fabs(advance(&t, course->lower, how) - want[step]);
      if (!(away <= course->within))
        fail_msg("%s, step %lld: %g away %s", name, (long long)step, away, at_error_message());
    }
  CHECK_MSG(how != BY_SCALER || t.scaler.scale == want[steps], "%s: the scale is %g", name,
            t.scaler.scale);
  at_optimizer_free(t.optimizer);
  at_module_free(t.net);
}

static void curves(void **state)
{
  for (int i = 0; i < NETWORKS; i++)
    for (How how = networks[i].ofWords ? BY_OPTIMIZER : BY_HAND; how <= BY_OPTIMIZER; how++)
      AT_SCOPE
      {
        train(i, &wide, how);
        train(i, &single, how);
      }
}

/* Products in lower types are sums in Float that are rounded, and the order of a sum decides its last bit:
 * where none is at a border, losses are the same.  PyTorch itself differs by 1e-3 (lstm, gpt, unet) to 0.25
 * (resnet) with oneDNN and without: its small batches make differences
 * large.  Some steps in Half have infinities in their gradients, and change
 * nothing. */
static void mixed_precision(void **state)
{
  for (int i = 0; i < NETWORKS; i++)
    AT_SCOPE
    {
      const double within = networks[i].mixed;
      train(i, &(Course){"bfloat16", AT_FLOAT, AT_BFLOAT16, within}, BY_SCALER);
      if (!networks[i].ofWords && networks[i].make != resnet)
        train(i, &(Course){"half", AT_FLOAT, AT_HALF, fmax(within, 1e-3)}, BY_SCALER);
    }
}

int main(void)
{
  golden = at_load(AT_GOLDEN_DIR "/modules/training.safetensors");
  const struct CMUnitTest tests[] = {cmocka_unit_test(first_values), cmocka_unit_test(wrong_values),
                                     cmocka_unit_test(curves), cmocka_unit_test(mixed_precision)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  at_dict_free(golden);
  return failed;
}
