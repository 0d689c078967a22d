/* The sizes of a convolution: output sizes of a layer, and the derived fields of THNNConvolution. */
#include "Convolution.h"

static const char *const names[] = {"T", "H", "W"};

/* The output size of a transposed convolution in dimension d: its windows slide over the output, and
 * each element of the input has one window. */
static void transposed_count(THNNLayer *layer, int d, const char *text)
{
  THNNWindow *w = &layer->at[d];
  const int64_t adjust = layer->outputPadding[d];
  const int64_t limit = layer->dilationLimits ? THMax(w->step, w->dilation) : w->step;
  if (adjust < 0 || adjust >= limit)
    THError("adjustment %s is %lld, and has to be at least 0 and below %lld", names[d],
            (long long)adjust, (long long)limit);
  int64_t size;
  if (__builtin_mul_overflow(w->input - 1, w->step, &size) ||
      __builtin_add_overflow(size, (w->size - 1) * w->dilation + 1 + adjust, &size) ||
      __builtin_sub_overflow(size, 2 * w->pad, &size))
    THError("input of size %s makes too large an output", text);
  w->output = size;
}

void THNNLayer_count(THNNLayer *layer, const int64_t *image, const char *text)
{
  THNNWindow *w = layer->at;
  int64_t taps = 1;
  for (int d = 0; d < 3; d++) {
    THNNWindow_check(&w[d], names[d]);
    w[d].input = d < 3 - layer->spatial ? 1 : *image++;
    if (layer->transposed)
      transposed_count(layer, d, text);
    else
      THNNWindow_count(&w[d], 0);
    if (__builtin_mul_overflow(taps, w[d].size, &taps))
      THError("windows of %lld x %lld x %lld are too large", (long long)w[0].size,
              (long long)w[1].size, (long long)w[2].size);
  }
  if (w[0].output < 1 || w[1].output < 1 || w[2].output < 1)
    THError(
        "input of size %s is too small for windows of %lld x %lld x %lld with padding of "
        "%lld x %lld x %lld",
        text, (long long)w[0].size, (long long)w[1].size, (long long)w[2].size, (long long)w[0].pad,
        (long long)w[1].pad, (long long)w[2].pad);
}

static ptrdiff_t product(int count, const int64_t *factors)
{
  int64_t all = 1;
  for (int i = 0; i < count; i++)
    if (__builtin_mul_overflow(all, factors[i], &all))
      THError("a convolution of images of %s is too large", _THSizeDesc(factors, count).str);
  return (ptrdiff_t)all;
}

void THNNConvolution_complete(THNNConvolution *c)
{
  const THNNWindow *w = c->at;
  c->taps = product(3, (int64_t[]){w[0].size, w[1].size, w[2].size});
  c->image = product(3, (int64_t[]){w[0].input, w[1].input, w[2].input});
  c->positions = product(3, (int64_t[]){w[0].output, w[1].output, w[2].output});
  c->terms = product(2, (int64_t[]){c->planes / c->groups, c->taps});
  /* The numbers of elements and of bytes of weights, columns and images must not overflow. */
  product(3, (int64_t[]){c->outputs, c->terms, 64});
  product(4, (int64_t[]){c->terms, c->positions, c->groups, 64});
  product(4, (int64_t[]){c->batch, c->planes, c->image, 64});
  product(4, (int64_t[]){c->batch, c->outputs, c->positions, 64});
}
