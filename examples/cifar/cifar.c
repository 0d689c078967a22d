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
  CLASSES = 10,
  BATCH = 32,
  SHIFT = 4,
  DRAWN = 50000 /* pictures of a pass */
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

/* Stripes of a direction, the label, and of random widths and colours. */
static bool draw(void *context, int64_t index, at_tensor **parts)
{
  at_tensor *const picture = at_empty(AT_SHAPE(3, SIDE, SIDE), .type = AT_CPU(AT_BYTE));
  unsigned char *const pixels = at_data(picture);
  const int label = (int)(index % CLASSES), colour = rand() % 3;
  const double angle = M_PI * label / CLASSES, phase = rand() % 100, width = 2 + rand() % 3;
  for (int p = 0; pixels && p < PIXELS; p++) {
    const int x = p % SIDE, y = p / SIDE % SIDE, c = p / (SIDE * SIDE);
    const double wave = sin((x * cos(angle) + y * sin(angle)) / width + phase);
    pixels[p] = (unsigned char)(128 + (c == colour ? 90 : 40) * wave);
  }
  parts[0] = picture;
  parts[1] = at_full(AT_SCALAR_SHAPE, label, .type = AT_CPU(AT_LONG));
  return at_defined(parts[1]);
}

/* The pictures of all files, or drawn ones. */
static at_dataset *data_of(int files, char **paths)
{
  at_tensor *pictures = NULL, *labels = NULL;
  for (int i = 0; i < files; i++) {
    const at_tensors *const own = at_load_cifar(paths[i], CLASSES);
    if (own->count != 2)
      return NULL;
    pictures = i == 0 ? own->data[0] : at_cat(AT_TENSORS(pictures, own->data[0]));
    labels = i == 0 ? own->data[1] : at_cat(AT_TENSORS(labels, own->data[1]));
  }
  return files > 0 ? at_dataset_tensors(AT_TENSORS(pictures, labels))
                   : at_dataset_function(DRAWN, 2, draw, NULL);
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
static double step(at_module *net, at_optimizer *sgd, const at_tensors *batch, bool isDrawn,
                   double *right)
{
  at_tensor *const bytes = at_to(batch->data[0], AT_CPU(AT_FLOAT)), *const labels = batch->data[1];
  at_tensor *const pictures = at_div(at_sub(bytes, 128), 64);
  at_tensor *const scores = at_forward(net, isDrawn ? pictures : augmented(pictures));
  at_tensor *const loss = at_cross_entropy_loss(scores, labels);
  at_optimizer_zero_grad(sgd);
  at_backward(loss);
  at_optimizer_step(sgd);
  *right += at_item_double(at_sum(at_eq(at_argmax(scores, .dim = 1), labels))) /
            (double)at_size(labels, 0);
  return at_item_double(loss);
}

static void train(at_module *net, at_loader *loader, int steps, bool isDrawn)
{
  at_optimizer *const sgd =
      at_sgd(*at_module_parameters(net), .lr = 0.1, .momentum = 0.9, .weight_decay = 1e-4);
  double right = 0;
  for (int i = 0; i < steps && at_error() == AT_OK; i++)
    AT_SCOPE
    {
      const at_tensors *batch = at_loader_next(loader);
      if (!batch) /* the end of a pass */
        batch = at_loader_next(loader);
      if (!batch)
        break;
      at_optimizer_set(sgd, 0, "lr", 0.05 * (1 + cos(M_PI * i / steps)));
      const double loss = step(net, sgd, batch, isDrawn, &right);
      if (i % 10 == 9) {
        printf("step %6d: loss %.3f, right %5.1f %%\n", i + 1, loss, 10 * right);
        right = 0;
      }
    }
  at_optimizer_free(sgd);
}

int main(int argc, char **argv)
{
  const int steps = argc > 1 ? atoi(argv[1]) : 1000;
  const char *const name = argc > 2 ? argv[argc - 1] : "";
  const char *const saved =
      strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".pt") ? name : NULL;
  const int files = argc > 2 ? argc - 2 - (saved != NULL) : 0;
  int status = 2; /* a file is none of CIFAR-10 */
  at_manualSeed(1);
  AT_SCOPE
  {
    at_module *const net = resnet20();
    at_dataset *const data = data_of(files, argv + 2);
    at_loader *const loader = at_loader_new(data, .batch_size = BATCH, .shuffle = true);
    train(net, loader, steps, files == 0);
    if (saved && at_error() == AT_OK)
      at_module_save(net, saved);
    if (data)
      status = at_error() != AT_OK;
    at_loader_free(loader);
    at_dataset_free(data);
    at_module_free(net);
  }
  if (at_error() != AT_OK)
    fprintf(stderr, "cifar: %s\n", at_error_message());
  return status;
}
