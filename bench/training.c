/* Times the steps of training a network from recorded weights, on one recorded batch.
 *
 *     th_training NETWORK WEIGHTS.pt BATCH.npz STEPS SECONDS
 *
 * NETWORK is a row of networks below, in the type of WEIGHTS; bench/peers/training.py has the same
 * ones.  The first STEPS steps are taken from WEIGHTS, and their losses recorded; then steps are measured for
 * about SECONDS, or none if that is 0.
 * Two lines are printed: seconds of a step and the most resident memory in bytes; and the losses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "networks.h"
#include "timing.h"

/* --- networks --------------------------------------------------------------------------------- */

static at_module *mlp(void)
{
  return at_Sequential(at_Linear(784, 512), at_ReLU(), at_Linear(512, 512), at_ReLU(),
                       at_Linear(512, 10));
}

static at_module *lenet(void)
{
  return at_Sequential(at_Conv2d(1, 6, 5, .padding = AT_INTS(2)), at_ReLU(), at_MaxPool2d(2),
                       at_Conv2d(6, 16, 5), at_ReLU(), at_MaxPool2d(2), at_Flatten(),
                       at_Linear(400, 120), at_ReLU(), at_Linear(120, 84), at_ReLU(),
                       at_Linear(84, 10));
}

/* --- a recurrent network ---------------------------------------------------------------------- */

enum { WORDS = 1000, CELLS = 256, EMBEDDED = 128 };

typedef struct Lstm {
  at_module *words, *cells, *head;
} Lstm;

static at_tensor *lstm_forward(at_module *self, at_tensor *x)
{
  const Lstm *const l = at_module_own(self);
  at_tensor *const states = at_forward(l->cells, at_forward(l->words, x));
  return at_forward(l->head, at_select(states, 1, -1));
}

static at_module *lstm(void)
{
  static const at_module_kind kind = {"Recurrent", lstm_forward, sizeof(Lstm)};
  at_module *const self = at_module_new(&kind);
  Lstm *const l = at_module_own(self);
  l->words = at_module_add(self, "words", at_Embedding(WORDS, EMBEDDED));
  l->cells = at_module_add(self, "cells", at_LSTM(EMBEDDED, CELLS, .batch_first = true));
  l->head = at_module_add(self, "head", at_Linear(CELLS, WORDS));
  return self;
}

/* --- a transformer ---------------------------------------------------------------------------- */

static at_module *gpt(void)
{
  return network_gpt((NetworkGpt){WORDS, .width = 384, .heads = 6, .length = 64, .layers = 6},
                     AT_CPU(at_defaultType()));
}

/* --- ResNet-18 -------------------------------------------------------------------------------- */

static at_module *resnet(void)
{
  at_module *const net =
      at_Sequential(at_Conv2d(3, 64, 7, .stride = AT_INTS(2), .padding = AT_INTS(3), .bias = false),
                    at_BatchNorm2d(64), at_ReLU(),
                    at_MaxPool2d(3, .stride = AT_INTS(2), .padding = AT_INTS(1)));
  for (int64_t layer = 0; layer < 4; layer++) {
    const int64_t out = INT64_C(64) << layer;
    at_module_append(net, network_basic(layer ? out / 2 : out, out, layer ? 2 : 1,
                                        AT_CPU(at_defaultType())));
    at_module_append(net, network_basic(out, out, 1, AT_CPU(at_defaultType())));
  }
  at_module_append(net, at_AdaptiveAvgPool2d(AT_INTS(1, 1)));
  at_module_append(net, at_Flatten());
  at_module_append(net, at_Linear(512, 1000));
  return net;
}

/* --- steps ------------------------------------------------------------------------------------ */

static at_optimizer *by_sgd(at_tensors params)
{
  return at_sgd(params, .lr = 0.01, .momentum = 0.9);
}

/* At a rate of 0.01 the deep network knows its one batch after eight steps, and rounding grows a thousandfold. */
static at_optimizer *by_slow_sgd(at_tensors params)
{
  return at_sgd(params, .lr = 1e-3, .momentum = 0.9);
}

static at_optimizer *by_adamw(at_tensors params)
{
  return at_adamw(params, .lr = 1e-3);
}

static const struct {
  const char *name;
  at_module *(*make)(void);
  at_optimizer *(*optimizer)(at_tensors params);
} networks[] = {{"MLP", mlp, by_sgd},
                {"LeNet-5", lenet, by_sgd},
                {"LSTM", lstm, by_adamw},
                {"GPT", gpt, by_adamw},
                {"ResNet-18", resnet, by_slow_sgd}};
enum { NETWORKS = sizeof networks / sizeof *networks };

typedef struct Training {
  at_module *net;
  at_optimizer *optimizer;
  at_tensor *x, *y;
  double loss;
} Training;

static void step(void *context)
{
  Training *const t = context;
  AT_SCOPE
  {
    at_optimizer_zero_grad(t->optimizer);
    at_tensor *const loss = at_cross_entropy_loss(at_forward(t->net, t->x), t->y);
    at_backward(loss);
    at_optimizer_step(t->optimizer);
    t->loss = at_item_double(at_detach(loss));
  }
}

static int fail(void)
{
  fprintf(stderr, "th_training: %s\n", at_error_message());
  return 1;
}

static int measure(Training *t, int steps, double budget)
{
  double *const losses = calloc((size_t)steps + 1, sizeof *losses);
  for (int i = 0; i < steps && losses; i++) {
    step(t);
    losses[i] = t->loss;
  }
  const double seconds = budget > 0 ? bench_time(step, t, budget) : 0;
  if (at_error() != AT_OK || !losses) {
    free(losses);
    return fail();
  }
  printf("%.9f %lld\n", seconds, bench_mostResident());
  for (int i = 0; i < steps; i++)
    printf("%.17g%c", losses[i], i + 1 < steps ? ' ' : '\n');
  free(losses);
  return 0;
}

int main(int count, char **arguments)
{
  int which = 0;
  while (count > 1 && which < NETWORKS && strcmp(networks[which].name, arguments[1]))
    which++;
  if (count != 6 || which == NETWORKS) {
    fprintf(stderr, "usage: th_training NETWORK WEIGHTS.pt BATCH.npz STEPS SECONDS\n");
    return 2;
  }
  at_dict *const weights = at_load(arguments[2]), *const batch = at_load(arguments[3]);
  if (weights)
    at_setDefaultType(at_type_scalarType(at_typeOf(at_dict_at(weights, 0))));
  Training t = {.net = networks[which].make()};
  const bool isLoaded = weights && batch && at_module_load_state_dict(t.net, weights);
  at_dict_free(weights);
  int status = 1;
  AT_SCOPE
  {
    if (isLoaded) {
      t.optimizer = networks[which].optimizer(*at_module_parameters(t.net));
      t.x = at_dict_get(batch, "x");
      t.y = at_dict_get(batch, "y");
    }
    status = t.optimizer ? measure(&t, atoi(arguments[4]), atof(arguments[5])) : fail();
  }
  at_optimizer_free(t.optimizer);
  at_module_free(t.net);
  at_dict_free(batch);
  return status;
}
