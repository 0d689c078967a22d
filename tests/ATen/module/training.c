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

typedef struct Pair {
  at_module *first, *full;
} Pair;

static at_tensor *last_forward(at_module *self, at_tensor *x)
{
  const Pair *const net = at_module_own(self);
  return at_forward(net->full, at_select(at_forward(net->first, x), 1, -1));
}

static at_tensor *encoder_forward(at_module *self, at_tensor *x)
{
  const Pair *const net = at_module_own(self);
  return at_forward(net->full, at_mean_dim(at_forward(net->first, x), AT_INTS(1)));
}

static const at_module_kind last_kind = {"Last", last_forward, sizeof(Pair)};
static const at_module_kind encoder_kind = {"Encoder", encoder_forward, sizeof(Pair)};

/* The module first, under that name, and a linear layer. */
static at_module *pair(const at_module_kind *kind, const char *name, at_module *first, int64_t size)
{
  at_module *const self = at_module_new(kind);
  Pair *const net = at_module_own(self);
  net->first = at_module_add(self, name, first);
  net->full = at_module_add(self, "full", at_Linear(size, 4));
  return self;
}

static at_module *mlp(void)
{
  return at_Sequential(at_Linear(6, 16), at_Tanh(), at_Linear(16, 4));
}

static at_module *cnn(void)
{
  return at_Sequential(at_Conv2d(1, 4, 3, .padding = AT_INTS(1)), at_BatchNorm2d(4), at_ReLU(),
                       at_MaxPool2d(2), at_Conv2d(4, 6, 3), at_ReLU(), at_Flatten(),
                       at_Linear(6, 4));
}

static at_module *lstm(void)
{
  return pair(&last_kind, "lstm", at_LSTM(3, 6, .batch_first = true), 6);
}

static at_module *transformer(void)
{
  at_module *const layer =
      at_TransformerEncoderLayer(8, 2, .dim_feedforward = 12, .dropout = 0, .batch_first = true);
  return pair(&encoder_kind, "encoder", at_TransformerEncoder(layer, 2), 8);
}

static const struct {
  const char *name;
  at_module *(*make)(void);
  int dims;
  int64_t sizes[4];
} networks[] = {{"mlp", mlp, 2, {8, 6}},
                {"cnn", cnn, 4, {8, 1, 6, 6}},
                {"lstm", lstm, 3, {8, 5, 3}},
                {"transformer", transformer, 3, {8, 5, 8}}};

/* A step of SGD with momentum, by hand. */
static void descend(const at_tensors *parameters, at_tensor **velocity)
{
  AT_NO_GRAD
  {
    for (int i = 0; i < parameters->count; i++) {
      at_tensor *const p = parameters->data[i];
      at_add_(at_mul_(velocity[i], 0.9), at_grad(p));
      at_sub_(p, velocity[i], .alpha = 0.05);
    }
  }
}

/* Compares the losses of the network's steps, by hand or by the optimizer. */
static void train(int network, const at_type *type, const char *curve, double within, bool byHand)
{
  char name[40];
  snprintf(name, sizeof name, "%s.%s", curve, networks[network].name);
  at_manualSeed(5);
  at_module *const net = networks[network].make();
  CHECK(at_module_to(net, type));
  const at_tensors *const parameters = at_module_parameters(net);
  const at_ints sizes = {networks[network].sizes, networks[network].dims};
  int64_t count = 1;
  for (int d = 0; d < sizes.count; d++)
    count *= sizes.data[d];
  at_tensor *velocity[60];
  CHECK(parameters->count <= 60);
  for (int i = 0; i < parameters->count; i++)
    velocity[i] = at_zeros_like(at_detach(parameters->data[i]));
  at_optimizer *const optimizer = at_sgd(*parameters, .lr = 0.05, .momentum = 0.9);
  at_tensor *const angles = at_add(at_mul(at_arange(count, .type = AT_CPU(AT_DOUBLE)), 1.7), 1);
  at_tensor *const x = at_reshape(at_to(at_sin(angles), type), sizes);
  at_tensor *const target = at_remainder(at_arange(8), 4);
  const double *const want = at_data(at_dict_get(golden, name));
  for (int64_t step = 0; step < at_numel(at_dict_get(golden, name)); step++)
    AT_SCOPE
    {
      at_module_zero_grad(net);
      at_tensor *const loss = at_cross_entropy_loss(at_forward(net, x), target);
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
  for (int i = 0; i < 4; i++)
    for (int byHand = 0; byHand < 2; byHand++)
      AT_SCOPE
      {
        /* The first values are drawn in Float, and their last bits differ. */
        train(i, AT_CPU(AT_DOUBLE), "curve", 1e-6, byHand);
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
