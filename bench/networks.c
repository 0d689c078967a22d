/* Networks with forward functions of their own. */
#include "networks.h"

/* --- a block of a ResNet ---------------------------------------------------------------------- */

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

at_module *network_basic(int64_t in, int64_t out, int64_t stride, const at_type *type)
{
  static const at_module_kind kind = {"Basic", basic_forward, sizeof(Basic)};
  at_module *const self = at_module_new(&kind);
  Basic *const b = at_module_own(self);
  if (!b)
    return NULL;
  b->conv1 = at_module_add(self, "conv1",
                           at_Conv2d(in, out, 3, .stride = AT_INTS(stride), .padding = AT_INTS(1),
                                     .bias = false, .type = type));
  b->bn1 = at_module_add(self, "bn1", at_BatchNorm2d(out, .type = type));
  b->conv2 =
      at_module_add(self, "conv2",
                    at_Conv2d(out, out, 3, .padding = AT_INTS(1), .bias = false, .type = type));
  b->bn2 = at_module_add(self, "bn2", at_BatchNorm2d(out, .type = type));
  if (stride != 1 || in != out)
    b->shortcut = at_module_add(self, "shortcut",
                                at_Sequential(at_Conv2d(in, out, 1, .stride = AT_INTS(stride),
                                                        .bias = false, .type = type),
                                              at_BatchNorm2d(out, .type = type)));
  return self;
}

/* --- a transformer ---------------------------------------------------------------------------- */

typedef struct Block {
  at_module *norm1, *mixed, *joined, *norm2, *wide, *narrow;
  int64_t heads;
} Block;

static at_tensor *block_forward(at_module *self, at_tensor *x)
{
  const Block *const b = at_module_own(self);
  const int64_t batch = at_size(x, 0), length = at_size(x, 1), width = at_size(x, 2);
  const at_tensors *const mixed =
      at_chunk(at_forward(b->mixed, at_forward(b->norm1, x)), 3, .dim = 2);
  at_tensor *parts[3] = {NULL, NULL, NULL};
  for (int i = 0; i < mixed->count; i++)
    parts[i] = at_transpose(at_reshape(mixed->data[i],
                                       AT_SHAPE(batch, length, b->heads, width / b->heads)),
                            1, 2);
  at_tensor *const seen =
      at_scaled_dot_product_attention(parts[0], parts[1], parts[2], .is_causal = true);
  x = at_add(x, at_forward(b->joined,
                           at_reshape(at_transpose(seen, 1, 2), AT_SHAPE(batch, length, width))));
  return at_add(x, at_forward(b->narrow, at_gelu(at_forward(b->wide, at_forward(b->norm2, x)))));
}

static at_module *new_block(int64_t width, int64_t heads, const at_type *type)
{
  static const at_module_kind kind = {"Block", block_forward, sizeof(Block)};
  at_module *const self = at_module_new(&kind);
  Block *const b = at_module_own(self);
  if (!b)
    return NULL;
  b->heads = heads;
  b->norm1 = at_module_add(self, "norm1", at_LayerNorm(width, .type = type));
  b->mixed = at_module_add(self, "mixed", at_Linear(width, 3 * width, .type = type));
  b->joined = at_module_add(self, "joined", at_Linear(width, width, .type = type));
  b->norm2 = at_module_add(self, "norm2", at_LayerNorm(width, .type = type));
  b->wide = at_module_add(self, "wide", at_Linear(width, 4 * width, .type = type));
  b->narrow = at_module_add(self, "narrow", at_Linear(4 * width, width, .type = type));
  return self;
}

typedef struct Gpt {
  at_module *words, *positions, *blocks, *norm, *head;
} Gpt;

static at_tensor *gpt_forward(at_module *self, at_tensor *x)
{
  const Gpt *const g = at_module_own(self);
  at_tensor *const positions = at_forward(g->positions, at_arange(at_size(x, 1)));
  at_tensor *const y = at_forward(g->blocks, at_add(at_forward(g->words, x), positions));
  return at_flatten(at_forward(g->head, at_forward(g->norm, y)), .end_dim = 1);
}

at_module *network_gpt(NetworkGpt sizes, const at_type *type)
{
  static const at_module_kind kind = {"Gpt", gpt_forward, sizeof(Gpt)};
  at_module *const self = at_module_new(&kind);
  Gpt *const g = at_module_own(self);
  if (!g)
    return NULL;
  g->words = at_module_add(self, "words", at_Embedding(sizes.words, sizes.width, .type = type));
  g->positions =
      at_module_add(self, "positions", at_Embedding(sizes.length, sizes.width, .type = type));
  g->blocks = at_module_add(self, "blocks", at_Sequential());
  for (int64_t i = 0; i < sizes.layers; i++)
    at_module_append(g->blocks, new_block(sizes.width, sizes.heads, type));
  g->norm = at_module_add(self, "norm", at_LayerNorm(sizes.width, .type = type));
  g->head = at_module_add(self, "head", at_Linear(sizes.width, sizes.words, .type = type));
  return self;
}
