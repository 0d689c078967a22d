/* The algorithm depthwise_nhwc: depthwise convolutions (each plane has a filter of its own) of any
 * stride and dilation.  Planes are in the lanes of vectors: the image is channels-last, or some planes
 * at a time are transposed.  Backward data with a stride above 1 is several convolutions of y, each of
 * which computes every step-th element of x (THNNSlide). */
#include "TH/loop/THPlan.h"
#include "THKernel.h"

#include "THNN/layer/Template.h"

#include "THNN/conv/Memory.h"

/* --- which ones ------------------------------------------------------------------------------ */

int THNN_(supportsDepthwiseNhwc)(const THNNConvolution *c, THNNPass pass)
{
  return c->groups > 1 && c->planes == c->groups && c->outputs == c->groups && c->terms > 0 &&
         (c->batch > 0 || (pass != THNN_BACKWARD_WEIGHTS && !c->channelsLast));
}

/* Planes that are not channels-last have to fill a vector: otherwise their transposition does not pay. */
double THNN_(costOfDepthwiseNhwc)(const THNNConvolution *c, THNNPass pass,
                                  THNN_(WinogradPlan) * plan)
{
  return c->channelsLast || c->groups >= TH_DISPATCHED(THNN_(implicit))->lanes ? THNN_ALWAYS
                                                                               : THNN_NEVER;
}

/* --- planes that are transposed together ------------------------------------------------------ */

/* The number of blocks of planes: a block has two vectors of planes, or one if two would not fit in the
 * L2 cache. */
static ptrdiff_t THNN_(planeBlocks)(const THNNConvolution *c)
{
  enum { CACHE = 1 << 18 }; /* elements */
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes;
  const ptrdiff_t planesAtOnce = 2 * lanes * (c->image + c->positions) > CACHE ? lanes : 2 * lanes;
  return (c->groups + planesAtOnce - 1) / planesAtOnce;
}

static ptrdiff_t THNN_(firstOfBlock)(const THNNConvolution *c, ptrdiff_t blocks, ptrdiff_t k)
{
  return k * c->groups / blocks;
}

/* Elements of the memory of a thread: the transposed planes of a block, of x and of y. */
static ptrdiff_t THNN_(transposedSize)(const THNNConvolution *c, ptrdiff_t blocks)
{
  return (c->groups + blocks - 1) / blocks * (c->image + c->positions);
}

/* --- forward and backward data ---------------------------------------------------------------- */

typedef struct {
  const THNNConvolution *c;
  int backward;
  ptrdiff_t blocks; /* blocks of planes of an image */
  ptrdiff_t strips; /* strips of rows of a block; an item of work is one of these strips */
  THNN_(Operands) data;
  const THNNActivation *activation; /* or NULL */
  real *packed;                     /* packed weights: for each block, for each slide */
  ptrdiff_t size;                   /* elements of memory of a thread */
  real *memory;
  int threads;
  int isFar;      /* x and y come from memory, not from a cache */
  int packsItems; /* an item packs its block's weights itself */
} THNN_(DepthwiseNhwc);

/* Calls work for each combination of slides of the three dimensions, with the number of taps of all
 * combinations before it. */
static void THNN_(eachSlide)(const THNN_(DepthwiseNhwc) * w,
                             void (*work)(const THNN_(DepthwiseNhwc) * w, const THNNSlide *slide,
                                          ptrdiff_t before, void *context),
                             void *context)
{
  const THNNWindow *at = w->c->at;
  int64_t count[3];
  for (int d = 0; d < 3; d++)
    count[d] = THNNSlide_count(&at[d], w->backward);
  ptrdiff_t before = 0;
  for (int64_t k = 0; k < count[0]; k++)
    for (int64_t l = 0; l < count[1]; l++)
      for (int64_t m = 0; m < count[2]; m++) {
        const THNNSlide slide[3] = {THNNSlide_of(&at[0], w->backward, k),
                                    THNNSlide_of(&at[1], w->backward, l),
                                    THNNSlide_of(&at[2], w->backward, m)};
        work(w, slide, before, context);
        before += slide[0].window.size * slide[1].window.size * slide[2].window.size;
      }
}

/* Packs the weights of a block for one combination of slides: packed[block][tap][plane of the block]. */
static void THNN_(packSlide)(const THNN_(DepthwiseNhwc) * w, const THNNSlide *slide,
                             ptrdiff_t before, void *context)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t block = *(ptrdiff_t *)context, first = THNN_(firstOfBlock)(c, w->blocks, block);
  const ptrdiff_t planes = THNN_(firstOfBlock)(c, w->blocks, block + 1) - first;
  real *packed = w->packed + first * c->taps + before * planes;
  const real *const weights = w->data.weight + first * c->taps;
  if (!w->backward) { /* there is one combination, with all taps in their order */
    TH_DISPATCHED(THNN_(implicit))->transpose(planes, c->taps, weights, c->taps, packed, planes);
    return;
  }
  for (ptrdiff_t t = 0; t < slide[0].window.size; t++)
    for (ptrdiff_t i = 0; i < slide[1].window.size; i++)
      for (ptrdiff_t j = 0; j < slide[2].window.size; j++, packed += planes) {
        const ptrdiff_t slice = slide[0].tap + t * slide[0].tapStride;
        const ptrdiff_t row = slice * c->at[1].size + slide[1].tap + i * slide[1].tapStride;
        const ptrdiff_t tap = row * c->at[2].size + slide[2].tap + j * slide[2].tapStride;
        for (ptrdiff_t p = 0; p < planes; p++)
          packed[p] = weights[p * c->taps + tap];
      }
}

static void THNN_(packBlocks)(const THNN_(DepthwiseNhwc) * w, ptrdiff_t begin, ptrdiff_t end)
{
  for (ptrdiff_t block = begin; block < end; block++)
    THNN_(eachSlide)(w, THNN_(packSlide), &block);
}

/* An item of work: some planes of a channels-last image, and a strip of rows of the result. */
typedef struct {
  ptrdiff_t first, planes, strip;
  const real *from;
  real *to;
} THNN_(DepthwiseNhwcItem);

static void THNN_(slidePart)(const THNN_(DepthwiseNhwc) * w, const THNNSlide *slide,
                             ptrdiff_t before, void *context)
{
  const THNN_(DepthwiseNhwcItem) *item = context;
  const THNNWindow axis[3] = {slide[0].window, slide[1].window, slide[2].window};
  const THNNWindow *at = w->c->at;
  const int64_t high = w->backward ? at[1].input : at[1].output;
  const int64_t wide = w->backward ? at[2].input : at[2].output;
  const ptrdiff_t rows = axis[0].output * axis[1].output, planes = item->planes;
  const real *packed = w->packed + item->first * w->c->taps + before * planes;
  const ptrdiff_t end = (item->strip + 1) * rows / w->strips;
  for (ptrdiff_t row = item->strip * rows / w->strips; row < end; row++) {
    const ptrdiff_t slice = slide[0].first + row / axis[1].output * slide[0].step;
    const ptrdiff_t i = slide[1].first + row % axis[1].output * slide[1].step;
    TH_DISPATCHED(THNN_(direct))
        ->slideNhwc(axis, planes, item->from, packed,
                    w->data.bias ? w->data.bias + item->first : NULL, w->activation, row,
                    item->to + ((slice * high + i) * wide + slide[2].first) * planes,
                    slide[2].step * planes, w->isFar);
  }
}

static void THNN_(depthwiseNhwcItems)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(DepthwiseNhwc) *w = context;
  const THNNConvolution *c = w->c;
  const ptrdiff_t source = w->backward ? c->positions : c->image;
  const ptrdiff_t result = w->backward ? c->image : c->positions;
  for (ptrdiff_t at = begin; at < end; at++) {
    const ptrdiff_t image = at / w->strips / w->blocks, block = at / w->strips % w->blocks;
    THNN_(DepthwiseNhwcItem) item = {.strip = at % w->strips};
    item.first = THNN_(firstOfBlock)(c, w->blocks, block);
    item.planes = THNN_(firstOfBlock)(c, w->blocks, block + 1) - item.first;
    const real *from = w->data.from + (image * c->groups + item.first) * source;
    real *to = w->data.to + (image * c->groups + item.first) * result;
    item.from = from;
    item.to = to;
    if (w->packsItems)
      THNN_(packBlocks)(w, block, block + 1);
    if (!c->channelsLast) {
      real *transposed = THNN_(ofThread)(w->memory, w->size, w->threads);
      TH_DISPATCHED(THNN_(implicit))
          ->transpose(item.planes, source, from, source, transposed, item.planes);
      item.from = transposed;
      item.to = transposed + item.planes * source;
    }
    THNN_(eachSlide)(w, THNN_(slidePart), &item);
    if (!c->channelsLast)
      TH_DISPATCHED(THNN_(implicit))
          ->transpose(result, item.planes, item.to, item.planes, to, result);
  }
}

void THNN_(convolveByDepthwiseNhwc)(const THNNConvolution *c, int backward, THTensor *from,
                                    THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  const int threads = THParallel_threads(PTRDIFF_MAX, 1);
  THNN_(DepthwiseNhwc) w = {.c = c, .backward = backward, .blocks = 1, .strips = 1};
  const ptrdiff_t result = backward ? c->image : c->positions;
  if (!c->channelsLast)
    w.blocks = THNN_(planeBlocks)(c);
  else if (c->batch % threads)
    w.strips = THMin(4 * threads, result);
  const ptrdiff_t items = c->batch * w.blocks * w.strips;
  w.threads = THParallel_threads(items, 1);
  w.packed = THNN_(scratch)(&call, c->groups * c->taps);
  w.size = c->channelsLast ? 0 : THNN_(transposedSize)(c, w.blocks);
  w.memory = THNN_(scratch)(&call, w.threads * w.size);
  w.data = THNN_(startConvolution)(&call, from, weight, bias, to);
  w.activation = THNNConvolution_activate(c, backward);
  const ptrdiff_t bytes =
      c->batch * c->groups * (c->image + c->positions) * (ptrdiff_t)sizeof(real);
  w.isFar = c->channelsLast && bytes >= THPlan_streamBytes() / 4 * 3; /* less stays in the caches */
  w.packsItems = items == w.blocks; /* otherwise several items would pack the same weights */
  if (!w.packsItems)
    THNN_(packBlocks)(&w, 0, w.blocks);
  const ptrdiff_t each = c->batch * result * c->groups / THMax(1, items); /* elements of an item */
  THParallel_for(items, THNNConvolution_grain(c, each), THNN_(depthwiseNhwcItems), &w);
  THNN_(finish)(&call);
}

/* --- weights --------------------------------------------------------------------------------- */

/* A call of depthwise_nhwc for the gradient of the weights: an item is a set of images and a block of
 * planes. */
typedef struct {
  const THNNConvolution *c;
  ptrdiff_t sets;   /* sets of images */
  ptrdiff_t blocks; /* blocks of planes */
  ptrdiff_t size;   /* elements of memory of a thread */
  const real *x, *y;
  real *sums; /* sums[set][block][tap][plane of the block] */
  real *memory;
  accreal *totals; /* THNN_(totalsOfSets) */
  int threads;
} THNN_(DepthwiseNhwcSums);

static void THNN_(depthwiseNhwcSets)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(DepthwiseNhwcSums) *s = context;
  const THNNConvolution *c = s->c;
  const ptrdiff_t rows = c->at[0].output * c->at[1].output, row = c->at[2].output;
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t set = item / s->blocks, block = item % s->blocks;
    const ptrdiff_t first = THNN_(firstOfBlock)(c, s->blocks, block);
    const ptrdiff_t planes = THNN_(firstOfBlock)(c, s->blocks, block + 1) - first;
    const ptrdiff_t last = (set + 1) * c->batch / s->sets,
                    next = c->channelsLast ? c->groups : planes;
    real *sums = s->sums + (set * c->groups + first) * c->taps;
    memset(sums, 0, (size_t)(planes * c->taps) * sizeof *sums);
    for (ptrdiff_t image = set * c->batch / s->sets; image < last; image++) {
      const real *x =
          s->x + image * c->groups * c->image + first * (c->channelsLast ? 1 : c->image);
      const real *y =
          s->y + image * c->groups * c->positions + first * (c->channelsLast ? 1 : c->positions);
      if (!c->channelsLast) {
        real *transposed = THNN_(ofThread)(s->memory, s->size, s->threads);
        TH_DISPATCHED(THNN_(implicit))
            ->transpose(planes, c->image, x, c->image, transposed, planes);
        x = transposed;
        transposed += planes * c->image;
        TH_DISPATCHED(THNN_(implicit))
            ->transpose(planes, c->positions, y, c->positions, transposed, planes);
        y = transposed;
      }
      for (ptrdiff_t i = 0; i < rows; i++, y += row * next) {
        TH_DISPATCHED(THNN_(direct))->slideNhwcSums(c->at, planes, x, next, y, i, sums);
        if (s->totals) /* sums up y for the bias while y is in the cache */
          TH_DISPATCHED(THNN_(direct))
              ->sumRows(row, planes, y, next, s->totals + set * c->groups + first);
      }
    }
  }
}

static void THNN_(prepareDepthwiseNhwcSums)(THNN_(DepthwiseNhwcSums) * s, const THNNConvolution *c,
                                            THNN_(Call) * call)
{
  /* Sums for each set of images must not take more memory than the images themselves. */
  const ptrdiff_t sets = THMin(c->batch, THNN_IMAGE_SETS);
  const int fits = sets * c->taps <= c->batch * THMax(c->image, c->positions);
  *s = (THNN_(DepthwiseNhwcSums)){.c = c, .sets = fits ? sets : 1};
  /* The order of the sums follows from sets and blocks, so these must not depend on the threads. */
  enum { PLANES = 64 }; /* planes of a channels-last block, if there are few sets */
  const ptrdiff_t byPlanes = s->sets < THNN_IMAGE_SETS ? (c->groups + PLANES - 1) / PLANES : 1;
  s->blocks = c->channelsLast ? byPlanes : THNN_(planeBlocks)(c);
  s->threads = THParallel_threads(s->sets * s->blocks, 1);
  s->sums = THNN_(scratch)(call, s->sets * c->groups * c->taps);
  s->size = c->channelsLast ? 0 : THNN_(transposedSize)(c, s->blocks);
  s->memory = THNN_(scratch)(call, s->threads * s->size);
}

/* Adds the sums of all sets, in the order of the sets, to the weights. */
static void THNN_(addDepthwiseNhwcSums)(const THNN_(DepthwiseNhwcSums) * s, real *weights,
                                        accreal scale)
{
  const THNNConvolution *c = s->c;
  for (ptrdiff_t block = 0; block < s->blocks; block++) {
    const ptrdiff_t first = THNN_(firstOfBlock)(c, s->blocks, block);
    const ptrdiff_t planes = THNN_(firstOfBlock)(c, s->blocks, block + 1) - first;
    for (ptrdiff_t p = 0; p < planes; p++)
      for (ptrdiff_t l = 0; l < c->taps; l++) {
        accreal total = 0;
        for (ptrdiff_t set = 0; set < s->sets; set++)
          total += (accreal)s->sums[(set * c->groups + first) * c->taps + l * planes + p];
        real *weight = weights + (first + p) * c->taps + l;
        *weight = (real)(*weight + scale * total);
      }
  }
}

void THNN_(weightsByDepthwiseNhwc)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan)
{
  const THNNConvolution *c = g->c;
  THNN_(DepthwiseNhwcSums) s;
  THNN_(prepareDepthwiseNhwcSums)(&s, c, &g->call);
  s.totals = THNN_(totalsOfSets)(g);
  THNN_(start)(&g->call);
  s.x = THTensor_(data)(g->x);
  s.y = THTensor_(data)(g->y);
  const ptrdiff_t items = s.sets * s.blocks, each = c->batch * c->positions * c->groups / items;
  THParallel_for(items, THMax(1, TH_LOOP_GRAIN / 8 / THMax(1, each)), THNN_(depthwiseNhwcSets), &s);
  THNN_(addDepthwiseNhwcSums)(&s, THTensor_(data)(g->gradWeight), g->scale);
}
