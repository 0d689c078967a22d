/* The algorithm scatter, for backward data alone: each tap adds a sum over the planes of y to x,
 * shifted by the tap's offset, for all positions at once.  x is computed with its padding, so that no
 * window is clipped. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/conv/gemm/ImplicitGemmParts.h"
#include "THNN/simd/CopyRow.h"

/* --- which convolutions ----------------------------------------------------------------------- */

/* The fraction of the computed results that is used, with positions of y in the lanes.  Adding half a
 * vector to a row of x takes about two thirds of the time of a term. */
static double THNN_(scatterUtilization)(const THNNConvolution *c)
{
  const ptrdiff_t planes = c->planes / c->groups, outputs = c->outputs / c->groups;
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, half = THMax(1, lanes / 2);
  const ptrdiff_t block = THNNDirect_block(planes), blocks = (planes + block - 1) / block;
  const ptrdiff_t strip = (block < THNN_DIRECT_OUTPUTS ? 6 : 4) * lanes;
  const ptrdiff_t computed = (c->positions + strip - 1) / strip * strip;
  const ptrdiff_t row = c->at[2].output;
  ptrdiff_t wanted = 1;
  for (int d = 0; d < 3; d++)
    wanted *= THNN_(positionsAlong)(&c->at[d], 1);
  const double halves = (double)strip / (double)row * (double)((row + half - 1) / half);
  const double adding = 2.0 / 3.0 * halves / (double)outputs;
  return (double)wanted / ((double)computed * (1 + adding)) * (double)planes /
         (double)(blocks * block);
}

/* Scatter computes backward data alone. */
int THNN_(supportsScatter)(const THNNConvolution *c, THNNPass pass)
{
  if (pass != THNN_BACKWARD_DATA || c->channelsLast || c->groups < 1 || c->at[2].step > 1 ||
      c->terms == 0 || c->outputs == 0)
    return 0;
  double flat = 1; /* elements of the image with its padding, which has no limit */
  for (int d = 0; d < 3; d++)
    flat *= (double)c->at[d].input + 2.0 * (double)c->at[d].pad;
  return flat <= 4.0 * (double)c->image;
}

double THNN_(costOfScatter)(const THNNConvolution *c, THNNPass pass, THNN_(WinogradPlan) * plan)
{
  const ptrdiff_t planes = c->planes / c->groups;
  return 1.1 * THMax(THNN_(laneUtilization)(planes), THNN_(positionUtilization)(c, 1, planes)) /
         THNN_(scatterUtilization)(c);
}

/* --- the computation -------------------------------------------------------------------------- */

typedef struct {
  const THNNConvolution *c;
  THNNScatter s;         /* for all planes of a group */
  ptrdiff_t flat[3];     /* sizes of a plane of x with its padding */
  ptrdiff_t size;        /* elements of each thread's memory for the planes of y */
  ptrdiff_t scratchSize; /* elements of each thread's memory: y, and a block of flat planes of x */
  THNN_(Operands) data;  /* from is y, to is x */
  real *packed, *memory;
  int threads;
} THNN_(Scatter);

/* Packs the weights of a group as packed[block][tap][output][plane of the block]. */
static void THNN_(packScattered)(const THNN_(Scatter) * w, ptrdiff_t group, real *packed)
{
  const THNNConvolution *c = w->c;
  const THNNDirect *d = &w->s.d;
  const real *weight = w->data.weight + group * d->terms * c->terms;
  for (ptrdiff_t first = 0; first < d->outputs; first += d->block)
    for (ptrdiff_t l = 0; l < c->taps; l++)
      for (ptrdiff_t o = 0; o < d->terms; o++)
        for (ptrdiff_t p = first; p < first + d->block; p++)
          *packed++ = p < d->outputs ? weight[o * c->terms + p * c->taps + l] : 0;
}

/* Copies the rows of a flat plane without their padding to a plane of x, and adds the bias. */
static void THNN_(writeFlat)(const THNN_(Scatter) * w, const real *flat, real bias, real *x)
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

/* An item is a block of planes of a group of an image. */
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
      memcpy(y, w->data.from + image * terms * c->positions,
             (size_t)(terms * c->positions) * sizeof *y);
    memset(flat, 0, (size_t)(block * w->s.d.plane) * sizeof *flat);
    TH_DISPATCHED(THNN_(direct))
        ->scatter(&w->s, y, w->packed + (group * blocks * block + first) * c->taps * terms, flat);
    for (ptrdiff_t p = 0; p < THMin(block, planes - first); p++)
      THNN_(writeFlat)(w, flat + p * w->s.d.plane,
                       w->data.bias ? w->data.bias[group * planes + first + p] : 0,
                       w->data.to + (image * planes + first + p) * c->image);
  }
}

void THNN_(convolveByScatter)(const THNNConvolution *c, int backward, THTensor *from,
                              THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, 1, &from, &weight, &bias, &to);
  THNN_(Scatter) w = {.c = c, .s = {.taps = c->taps}};
  THNNDirect *d = &w.s.d;
  d->outputs = c->planes / c->groups;
  d->terms = c->outputs / c->groups;
  d->block = THNNDirect_block(d->outputs);
  d->length = c->positions;
  d->plane = 1;
  for (int n = 2; n >= 0; n--) {
    const THNNWindow *at = &c->at[n];
    const ptrdiff_t reach = (at->output - 1) * at->step + (at->size - 1) * at->dilation + 1;
    w.flat[n] = THMax(at->input + at->pad, reach);
    d->count[n] = at->output;
    d->step[n] = at->step * d->plane;
    d->plane *= w.flat[n];
  }

  ptrdiff_t *tap = THNN_(scratchBytes)(&call, (size_t)(c->taps + d->terms) * sizeof *tap);
  w.s.tap = tap;
  for (int64_t i = 0; i < c->at[0].size; i++)
    for (int64_t j = 0; j < c->at[1].size; j++)
      for (int64_t l = 0; l < c->at[2].size; l++)
        *tap++ = (i * c->at[0].dilation * w.flat[1] + j * c->at[1].dilation) * w.flat[2] +
                 l * c->at[2].dilation;
  d->offset = tap;
  for (ptrdiff_t o = 0; o < d->terms; o++)
    tap[o] = o * c->positions;

  const ptrdiff_t blocks = THNNDirect_blocks(d), items = c->batch * c->groups * blocks;
  const ptrdiff_t packed = blocks * d->block * c->taps * d->terms;
  w.threads = THParallel_threads(items, 1);
  w.size = d->terms * c->positions + THNN_DIRECT_SLACK;
  w.scratchSize = w.size + d->block * d->plane;
  w.memory = THNN_(scratch)(&call, w.threads * w.scratchSize);
  w.packed = THNN_(scratch)(&call, c->groups * packed);
  w.data = THNN_(startConvolution)(&call, from, weight, bias, to);
  for (ptrdiff_t g = 0; g < c->groups; g++)
    THNN_(packScattered)(&w, g, w.packed + g * packed);
  THParallel_for(items, 1, THNN_(scatterBlocks), &w);
  THNN_(finish)(&call);
}
