/* Runs a residual network that PyTorch saved.
 *
 *     resnet_infer NETWORK IMAGES
 *
 * NETWORK is a .safetensors or .pt file of parameters with the names that torchvision's networks of
 * basic blocks have (conv1.weight, bn1.running_mean, layer1.0.conv1.weight, fc.bias ...); IMAGES
 * holds "input", N x channels x height x width, and may hold "output", what PyTorch made of them:
 * then the distance is printed, and it is an error if it is above 1e-5 of the output's length. */
#include <ATen/ATen.h>
#include <stdio.h>
#include <stdlib.h>

/* --- layers ---------------------------------------------------------------------------------- */

/* The parameter called PREFIX.NAME, borrowed from the network; NULL if it has none. */
static at_tensor *find(const at_dict *network, const char *prefix, const char *name)
{
  char full[128];
  snprintf(full, sizeof full, "%s.%s", prefix, name);
  return at_dict_has(network, full) ? at_dict_get(network, full) : NULL;
}

static bool has(const at_dict *network, const char *prefix)
{
  return find(network, prefix, "weight") != NULL;
}

/* Windows are odd and lie over images with a frame, so that only the step makes images smaller. */
static at_tensor *convolution(const at_dict *network, const char *name, at_tensor *x, int64_t step)
{
  at_tensor *weight = find(network, name, "weight");
  const int64_t frame = at_size(weight, 2) / 2;
  return at_conv2d(x, weight, .bias = find(network, name, "bias"), .stride = AT_INTS(step, step),
                   .padding = AT_INTS(frame, frame));
}

/* x normalized with the mean and the variance that training found. */
static at_tensor *normalized(const at_dict *network, const char *name, at_tensor *x)
{
  return at_batch_norm(x, find(network, name, "weight"), find(network, name, "bias"),
                       find(network, name, "running_mean"), find(network, name, "running_var"),
                       false, 0.1, 1e-5, false);
}

/* Two convolutions, added to what came in: that as it is, or made as small and as deep. */
static at_tensor *block(const at_dict *network, const char *name, at_tensor *x, int64_t step)
{
  char conv1[96], conv2[96], bn1[96], bn2[96], down0[96], down1[96];
  snprintf(conv1, sizeof conv1, "%s.conv1", name);
  snprintf(conv2, sizeof conv2, "%s.conv2", name);
  snprintf(bn1, sizeof bn1, "%s.bn1", name);
  snprintf(bn2, sizeof bn2, "%s.bn2", name);
  snprintf(down0, sizeof down0, "%s.downsample.0", name);
  snprintf(down1, sizeof down1, "%s.downsample.1", name);
  at_tensor *y = at_relu_(normalized(network, bn1, convolution(network, conv1, x, step)));
  y = normalized(network, bn2, convolution(network, conv2, y, 1));
  if (has(network, down0))
    x = normalized(network, down1, convolution(network, down0, x, step));
  return at_relu_(at_add_(y, x));
}

/* --- the network ----------------------------------------------------------------------------- */

/* N x classes; the reference is the caller's. */
static at_tensor *infer(const at_dict *network, at_tensor *images)
{
  at_tensor *result = at_undefined();
  AT_SCOPE
  {
    at_tensor *x = at_relu_(normalized(network, "bn1", convolution(network, "conv1", images, 1)));
    for (int layer = 1; layer <= 9; layer++) {
      char name[64];
      for (int i = 0; i < 99; i++) {
        snprintf(name, sizeof name, "layer%d.%d.conv1", layer, i);
        if (!has(network, name))
          break;
        snprintf(name, sizeof name, "layer%d.%d", layer, i);
        x = block(network, name, x, layer > 1 && i == 0 ? 2 : 1);
      }
    }
    x = at_mean_dim(x, AT_SHAPE(2, 3));
    result = at_keep(at_addmm(find(network, "fc", "bias"), x, at_t(find(network, "fc", "weight"))));
  }
  return result;
}

/* Whether output is what PyTorch has. */
static bool compare(at_tensor *output, at_tensor *wanted)
{
  const double distance = at_item_double(at_norm(at_sub(output, wanted)));
  const double length = at_item_double(at_norm(wanted));
  printf("distance from PyTorch's output: %.1e of its length\n", distance / length);
  return at_error() == AT_OK && distance <= 1e-5 * length;
}

int main(int argc, char **argv)
{
  if (argc != 3) {
    fprintf(stderr, "usage: %s NETWORK IMAGES\n", argv[0]);
    return 2;
  }
  bool good = true;
  at_dict *network = at_load(argv[1]), *images = at_load(argv[2]);
  AT_SCOPE
  {
    at_tensor *output = infer(network, at_dict_get(images, "input"));
    at_tensor *classes = at_argmax(output, .dim = 1);
    for (int64_t i = 0; i < at_numel(classes); i++)
      printf("image %lld: class %lld\n", (long long)i,
             (long long)at_item_long(at_select(classes, 0, i)));
    if (at_defined(output) && at_dict_has(images, "output"))
      good = compare(output, at_dict_get(images, "output"));
    at_release(output);
  }
  at_dict_free(images);
  at_dict_free(network);
  if (at_error() != AT_OK)
    fprintf(stderr, "%s\n", at_error_message());
  return at_error() == AT_OK && good ? 0 : 1;
}
