/* Trains ResNet-20 on small pictures in CIFAR-10's binary format.
 *
 *     cifar STEPS [BATCHES.bin ... [NETWORK.pt]]
 *
 *     $ cifar 20000 data_batch_1.bin data_batch_2.bin cifar.pt
 *
 * A record is a label and 3 x 32 x 32 bytes: red, green, blue.  Without a file it learns to tell
 * stripes of ten directions, drawn here.  The network is saved as a state dict, whose names are those
 * of the same modules in PyTorch. */
#include <ATen/ATen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SIDE = 32,
  PIXELS = 3 * SIDE * SIDE,
  RECORD = 1 + PIXELS,
  CLASSES = 10,
  BATCH = 32,
  SHIFT = 4
};

/* --- the model -------------------------------------------------------------------------------- */

/* Two convolutions, and their input added: reduced by shortcut where the sizes differ. */
typedef struct Block {
  at_module *conv1, *norm1, *conv2, *norm2, *shortcut;
} Block;

static at_tensor *block_forward(at_module *self, at_tensor *x)
{
  const Block *const b = at_module_own(self);
  at_tensor *const inner = at_relu(at_forward(b->norm1, at_forward(b->conv1, x)));
  at_tensor *const outer = at_forward(b->norm2, at_forward(b->conv2, inner));
  return at_relu(at_add(outer, b->shortcut ? at_forward(b->shortcut, x) : x));
}

static const at_module_kind block_kind = {"Block", block_forward, sizeof(Block)};

static at_module *convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride)
{
  return at_Conv2d(in, out, kernel, .stride = AT_INTS(stride), .padding = AT_INTS(kernel / 2),
                   .bias = false);
}

static at_module *block_new(int64_t in, int64_t out, int64_t stride)
{
  at_module *const self = at_module_new(&block_kind);
  Block *const b = at_module_own(self);
  if (!b)
    return NULL;
  b->conv1 = at_module_add(self, "conv1", convolution(in, out, 3, stride));
  b->norm1 = at_module_add(self, "norm1", at_BatchNorm2d(out));
  b->conv2 = at_module_add(self, "conv2", convolution(out, out, 3, 1));
  b->norm2 = at_module_add(self, "norm2", at_BatchNorm2d(out));
  if (in != out)
    b->shortcut =
        at_module_add(self, "shortcut",
                      at_Sequential(convolution(in, out, 1, stride), at_BatchNorm2d(out)));
  return self;
}

/* 1 + 3 * 3 * 2 + 1 layers. */
static at_module *resnet20(void)
{
  at_module *const net = at_Sequential(convolution(3, 16, 3, 1), at_BatchNorm2d(16), at_ReLU());
  for (int64_t stage = 0, in = 16; stage < 3; in = 16 << stage++)
    for (int i = 0; i < 3; i++)
      (void)at_module_append(net,
                             block_new(i ? 16 << stage : in, 16 << stage, i == 0 && stage ? 2 : 1));
  (void)at_module_append(net, at_AdaptiveAvgPool2d(1));
  (void)at_module_append(net, at_Flatten());
  (void)at_module_append(net, at_Linear(64, CLASSES));
  return net;
}

/* --- pictures --------------------------------------------------------------------------------- */

/* Stripes of BATCH random directions, widths and colours, in a record each. */
static void draw(unsigned char *records)
{
  for (int i = 0; i < BATCH; i++, records += RECORD) {
    records[0] = (unsigned char)(rand() % CLASSES);
    const double angle = M_PI * records[0] / CLASSES, phase = rand() % 100, width = 2 + rand() % 3;
    const int colour = rand() % 3;
    for (int p = 0; p < PIXELS; p++) {
      const int x = p % SIDE, y = p / SIDE % SIDE, c = p / (SIDE * SIDE);
      const double wave = sin((x * cos(angle) + y * sin(angle)) / width + phase);
      records[1 + p] = (unsigned char)(128 + (c == colour ? 90 : 40) * wave);
    }
  }
}

/* Reads BATCH random records of a file; false if it has none. */
static bool read_records(const char *path, unsigned char *records)
{
  FILE *const file = fopen(path, "rb");
  if (!file)
    return false;
  fseek(file, 0, SEEK_END);
  const long count = ftell(file) / RECORD;
  bool good = count > 0;
  for (int i = 0; i < BATCH && good; i++)
    good = fseek(file, rand() % count * RECORD, SEEK_SET) == 0 &&
           fread(records + RECORD * i, RECORD, 1, file) == 1 && records[RECORD * i] < CLASSES;
  fclose(file);
  return good;
}

/* Pictures moved by up to SHIFT pixels, and half of them mirrored. */
static at_tensor *augmented(at_tensor *pictures)
{
  at_tensor *const framed = at_pad(pictures, AT_INTS(SHIFT, SHIFT, SHIFT, SHIFT));
  at_tensor *const rows = at_narrow(framed, 2, rand() % (2 * SHIFT + 1), SIDE);
  at_tensor *const moved = at_narrow(rows, 3, rand() % (2 * SHIFT + 1), SIDE);
  return rand() % 2 ? at_flip(moved, AT_INTS(3)) : moved;
}

/* --- training --------------------------------------------------------------------------------- */

/* Returns the loss, and adds to *right how many pictures were told right. */
static double step(at_module *net, at_optimizer *sgd, at_tensor *records, bool isDrawn,
                   double *right)
{
  at_tensor *const labels = at_to(at_select(records, 1, 0), AT_CPU(AT_LONG));
  at_tensor *const bytes = at_to(at_narrow(records, 1, 1, PIXELS), AT_CPU(AT_FLOAT));
  at_tensor *const pictures =
      at_reshape(at_div(at_sub(bytes, 128), 64), AT_SHAPE(BATCH, 3, SIDE, SIDE));
  at_tensor *const scores = at_forward(net, isDrawn ? pictures : augmented(pictures));
  at_tensor *const loss = at_cross_entropy_loss(scores, labels);
  at_optimizer_zero_grad(sgd);
  at_backward(loss);
  at_optimizer_step(sgd);
  *right += at_item_double(at_sum(at_eq(at_argmax(scores, .dim = 1), labels))) / BATCH;
  return at_item_double(loss);
}

int main(int argc, char **argv)
{
  const int steps = argc > 1 ? atoi(argv[1]) : 1000;
  const char *const name = argc > 2 ? argv[argc - 1] : "";
  const char *const saved =
      strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".pt") ? name : NULL;
  const int files = argc - 2 - (saved != NULL);
  int status = 0;
  at_manualSeed(1);
  AT_SCOPE
  {
    at_module *const net = resnet20();
    at_optimizer *const sgd =
        at_sgd(*at_module_parameters(net), .lr = 0.1, .momentum = 0.9, .weight_decay = 1e-4);
    at_tensor *const records = at_empty(AT_SHAPE(BATCH, RECORD), .type = AT_CPU(AT_BYTE));
    double right = 0;
    for (int i = 0; i < steps && !status && at_error() == AT_OK; i++)
      AT_SCOPE
      {
        const char *const path = files > 0 ? argv[2 + i % files] : NULL;
        if (!path)
          draw(at_data(records));
        else if (!read_records(path, at_data(records))) {
          fprintf(stderr, "cifar: %s: is no file of CIFAR-10\n", path);
          status = 2;
          break;
        }
        at_optimizer_set(sgd, 0, "lr", 0.05 * (1 + cos(M_PI * i / steps)));
        const double loss = step(net, sgd, records, !path, &right);
        if (i % 10 == 9) {
          printf("step %6d: loss %.3f, right %5.1f %%\n", i + 1, loss, 10 * right);
          right = 0;
        }
      }
    if (saved && !status)
      at_module_save(net, saved);
    at_optimizer_free(sgd);
    at_module_free(net);
  }
  if (at_error() != AT_OK)
    fprintf(stderr, "cifar: %s\n", at_error_message());
  return status ? status : at_error() != AT_OK;
}
