/* Times the steps of training a network from recorded weights, on one recorded batch.
 *
 *     th_training NETWORK WEIGHTS.pt BATCH.npz STEPS SECONDS
 *
 * NETWORK is a row of networks below; bench/peers/training.py has the same ones.  The first STEPS
 * steps are taken from WEIGHTS, and their losses recorded; then steps are measured for about SECONDS.
 * Two lines are printed: seconds of a step and the most resident memory in bytes; and the losses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ATen/ATen.h"
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
  at_tensor *const start = at_zeros(AT_SHAPE(1, at_size(x, 0), CELLS));
  at_tensor *const params[] = {
      at_module_get(l->cells, "weight_ih_l0"), at_module_get(l->cells, "weight_hh_l0"),
      at_module_get(l->cells, "bias_ih_l0"), at_module_get(l->cells, "bias_hh_l0")};
  const at_tensors all = {params, 4};
  const at_output_h_n_c_n r = at_lstm(at_forward(l->words, x), AT_TENSORS(start, start), all, true,
                                      1, 0, true, false, true);
  return at_forward(l->head, at_select(r.output, 1, -1));
}

static at_module *lstm(void)
{
  static const at_module_kind cells_kind = {"LSTM"},
                              kind = {"Recurrent", lstm_forward, sizeof(Lstm)};
  at_module *const self = at_module_new(&kind);
  Lstm *const l = at_module_own(self);
  l->words = at_module_add(self, "words", at_Embedding(WORDS, EMBEDDED));
  l->cells = at_module_add(self, "cells", at_module_new(&cells_kind));
  at_module_add_parameter(l->cells, "weight_ih_l0", at_zeros(AT_SHAPE(4 * CELLS, EMBEDDED)));
  at_module_add_parameter(l->cells, "weight_hh_l0", at_zeros(AT_SHAPE(4 * CELLS, CELLS)));
  at_module_add_parameter(l->cells, "bias_ih_l0", at_zeros(AT_SHAPE(4 * CELLS)));
  at_module_add_parameter(l->cells, "bias_hh_l0", at_zeros(AT_SHAPE(4 * CELLS)));
  l->head = at_module_add(self, "head", at_Linear(CELLS, WORDS));
  return self;
}

/* --- a transformer ---------------------------------------------------------------------------- */

enum { WIDTH = 256, HEADS = 8, LAYERS = 4, LENGTH = 64 };

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

static at_module *new_block(void)
{
  static const at_module_kind kind = {"Block", block_forward, sizeof(Block)};
  at_module *const self = at_module_new(&kind);
  Block *const b = at_module_own(self);
  b->norm1 = at_module_add(self, "norm1", at_LayerNorm(AT_INTS(WIDTH)));
  b->mixed = at_module_add(self, "mixed", at_Linear(WIDTH, 3 * WIDTH));
  b->joined = at_module_add(self, "joined", at_Linear(WIDTH, WIDTH));
  b->norm2 = at_module_add(self, "norm2", at_LayerNorm(AT_INTS(WIDTH)));
  b->wide = at_module_add(self, "wide", at_Linear(WIDTH, 4 * WIDTH));
  b->narrow = at_module_add(self, "narrow", at_Linear(4 * WIDTH, WIDTH));
  return self;
}

typedef struct Gpt {
  at_module *words, *positions, *blocks, *norm, *head;
} Gpt;

static at_tensor *gpt_forward(at_module *self, at_tensor *x)
{
  const Gpt *const g = at_module_own(self);
  at_tensor *const positions = at_forward(g->positions, at_arange(LENGTH, .type = AT_CPU(AT_LONG)));
  at_tensor *const y = at_forward(g->blocks, at_add(at_forward(g->words, x), positions));
  return at_reshape(at_forward(g->head, at_forward(g->norm, y)), AT_SHAPE(-1, WORDS));
}

static at_module *gpt(void)
{
  static const at_module_kind kind = {"Gpt", gpt_forward, sizeof(Gpt)};
  at_module *const self = at_module_new(&kind);
  Gpt *const g = at_module_own(self);
  g->words = at_module_add(self, "words", at_Embedding(WORDS, WIDTH));
  g->positions = at_module_add(self, "positions", at_Embedding(LENGTH, WIDTH));
  g->blocks = at_module_add(self, "blocks", at_Sequential());
  for (int i = 0; i < LAYERS; i++)
    at_module_append(g->blocks, new_block());
  g->norm = at_module_add(self, "norm", at_LayerNorm(AT_INTS(WIDTH)));
  g->head = at_module_add(self, "head", at_Linear(WIDTH, WORDS));
  return self;
}

/* --- ResNet-18 -------------------------------------------------------------------------------- */

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

static at_module *new_basic(int64_t in, int64_t out, int64_t stride)
{
  static const at_module_kind kind = {"Basic", basic_forward, sizeof(Basic)};
  at_module *const self = at_module_new(&kind);
  Basic *const b = at_module_own(self);
  b->conv1 = at_module_add(self, "conv1",
                           at_Conv2d(in, out, 3, .stride = AT_INTS(stride), .padding = AT_INTS(1),
                                     .bias = false));
  b->bn1 = at_module_add(self, "bn1", at_BatchNorm2d(out));
  b->conv2 =
      at_module_add(self, "conv2", at_Conv2d(out, out, 3, .padding = AT_INTS(1), .bias = false));
  b->bn2 = at_module_add(self, "bn2", at_BatchNorm2d(out));
  if (stride != 1 || in != out)
    b->shortcut =
        at_module_add(self, "shortcut",
                      at_Sequential(at_Conv2d(in, out, 1, .stride = AT_INTS(stride), .bias = false),
                                    at_BatchNorm2d(out)));
  return self;
}

static at_module *resnet(void)
{
  at_module *const net =
      at_Sequential(at_Conv2d(3, 64, 7, .stride = AT_INTS(2), .padding = AT_INTS(3), .bias = false),
                    at_BatchNorm2d(64), at_ReLU(),
                    at_MaxPool2d(3, .stride = AT_INTS(2), .padding = AT_INTS(1)));
  for (int64_t layer = 0; layer < 4; layer++) {
    const int64_t out = INT64_C(64) << layer;
    at_module_append(net, new_basic(layer ? out / 2 : out, out, layer ? 2 : 1));
    at_module_append(net, new_basic(out, out, 1));
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
                {"ResNet-18", resnet, by_sgd}};
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
  const double seconds = bench_time(step, t, budget);
  if (at_error() != AT_OK || !losses) {
    free(losses);
    return fail();
  }
  printf("%.9f %lld\n", seconds, bench_mostResident());
  for (int i = 0; i < steps; i++)
    printf("%.9g%c", losses[i], i + 1 < steps ? ' ' : '\n');
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
  at_dict *const batch = at_load(arguments[3]);
  Training t = {.net = networks[which].make()};
  int status = 1;
  AT_SCOPE
  {
    if (batch && at_module_load(t.net, arguments[2])) {
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
