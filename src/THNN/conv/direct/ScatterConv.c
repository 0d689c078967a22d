/* Backward data by scattering: each element of the windows adds a sum over the planes of y, for all
 * windows at once, to the image, shifted by the offset of the element.  The image is computed with
 * its padding, so that no window is clipped. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/simd/CopyRow.h"

typedef struct {
  const THNNConvolution *c;
  THNNScatter s;     /* of all planes of a group */
  ptrdiff_t flat[3]; /* sizes of a plane of x with its padding */
  ptrdiff_t size,
      scratchSize;      /* elements of memory that each thread has: the planes of y, and in all */
  THNN_(Operands) data; /* from: y, to: x */
  real *packed, *memory;
  int threads;
} THNN_(Scatter);

/* Packs the weights of a group, block of planes by block of planes. */
static void THNN_(packScattered)(const THNN_(Scatter) * w, ptrdiff_t group, real *packed)
{
  const THNNConvolution *c = w->c;
  const THNNDirect *d = &w->s.d;
  const real *weight = w->data.weight + group * d->terms * c->depth;
  for (ptrdiff_t first = 0; first < d->outputs; first += d->block)
    for (ptrdiff_t l = 0; l < c->window; l++)
      for (ptrdiff_t o = 0; o < d->terms; o++)
        for (ptrdiff_t p = first; p < first + d->block; p++)
          *packed++ = p < d->outputs ? weight[o * c->depth + p * c->window + l] : 0;
}

/* Copies the rows of a flat plane that are in the image. */
static void THNN_(deliverFlat)(const THNN_(Scatter) * w, const real *flat, real bias, real *x)
{
  const THNNWindow *at = w->c->at;
  for (ptrdiff_t t = 0; t < at[0].input; t++)
    for (ptrdiff_t i = 0; i < at[1].input; i++, x += at[2].input) {
      const real *row =
          flat + ((t + at[0].pad) * w->flat[1] + i + at[1].pad) * w->flat[2] + at[2].pad;
      if (bias == 0)
        copy_row(x, row, at[2].input);
      for (ptrdiff_t j = 0; bias != 0 && j < at[2].input; j++)
        x[j] = row[j] + bias;
    }
}

/* Items are the blocks of planes of each group of each image. */
static void THNN_(scatterBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Scatter) *w = context;
  const THNNConvolution *c = w->c;
  const ptrdiff_t blocks = THNNDirect_blocks(&w->s.d), block = w->s.d.block;
  const ptrdiff_t planes = w->s.d.outputs, terms = w->s.d.terms;
  real *y = THNN_(ofThread)(w->memory, w->scratchSize, w->threads), *flat = y + w->size;
  memset(flat - THNN_DIRECT_SLACK, 0, THNN_DIRECT_SLACK * sizeof *y);
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t image = item / blocks, group = image % c->groups;
    const ptrdiff_t first = item % blocks * block;
    if (item == begin || first == 0)
      memcpy(y, w->data.from + image * terms * c->windows,
             (size_t)(terms * c->windows) * sizeof *y);
    memset(flat, 0, (size_t)(block * w->s.d.plane) * sizeof *flat);
    TH_DISPATCHED(THNN_(direct))
        ->scatter(&w->s, y, w->packed + (group * blocks * block + first) * c->window * terms, flat);
    for (ptrdiff_t p = 0; p < THMin(block, planes - first); p++)
      THNN_(deliverFlat)(w, flat + p * w->s.d.plane,
                         w->data.bias ? w->data.bias[group * planes + first + p] : 0,
                         w->data.to + (image * planes + first + p) * c->image);
  }
}

void THNN_(convolveByScatter)(const THNNConvolution *c, int backward, THTensor *from,
                              THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, 1, &from, &weight, &bias, &to);
  THNN_(Scatter) w = {.c = c, .s = {.taps = c->window}};
  THNNDirect *d = &w.s.d;
  d->outputs = c->planes / c->groups;
  d->terms = c->outputs / c->groups;
  d->block = THNNDirect_block(d->outputs);
  d->length = c->windows;
  d->plane = 1;
  for (int n = 2; n >= 0; n--) {
    const THNNWindow *at = &c->at[n];
    const ptrdiff_t reach = (at->output - 1) * at->step + (at->size - 1) * at->dilation + 1;
    w.flat[n] = THMax(at->input + at->pad, reach);
    d->count[n] = at->output;
    d->step[n] = at->step * d->plane;
    d->plane *= w.flat[n];
  }

  ptrdiff_t *tap = THNN_(scratchBytes)(&call, (size_t)(c->window + d->terms) * sizeof *tap);
  w.s.tap = tap;
  for (int64_t i = 0; i < c->at[0].size; i++)
    for (int64_t j = 0; j < c->at[1].size; j++)
      for (int64_t l = 0; l < c->at[2].size; l++)
        *tap++ = (i * c->at[0].dilation * w.flat[1] + j * c->at[1].dilation) * w.flat[2] +
                 l * c->at[2].dilation;
  d->offset = tap;
  for (ptrdiff_t o = 0; o < d->terms; o++)
    tap[o] = o * c->windows;

  const ptrdiff_t blocks = THNNDirect_blocks(d), items = c->batch * c->groups * blocks;
  const ptrdiff_t packed = blocks * d->block * c->window * d->terms;
  w.threads = THParallel_threads(items, 1);
  w.size = d->terms * c->windows + THNN_DIRECT_SLACK;
  w.scratchSize = w.size + d->block * d->plane;
  w.memory = THNN_(scratch)(&call, w.threads * w.scratchSize);
  w.packed = THNN_(scratch)(&call, c->groups * packed);
  w.data = THNN_(startConvolution)(&call, from, weight, bias, to);
  for (ptrdiff_t g = 0; g < c->groups; g++)
    THNN_(packScattered)(&w, g, w.packed + g * packed);
  THParallel_for(items, 1, THNN_(scatterBlocks), &w);
  THNN_(finish)(&call);
}
