/* The algorithm winograd5x5: its cost, and its three passes. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/conv/Memory.h"

TH_DISPATCH(THNN_(TileRows), THNN_(tileRows))

enum {
  SIDE = THNN_TILE_SIDE,
  STEP = THNN_TILE_STEP,
  TAPS = THNN_TILE_SIZE * THNN_TILE_SIZE,
  VALUES = THNN_TILE_VALUES,
  SETS = THNN_IMAGE_SETS, /* sets of rows of tiles, whose sums are added up in order, at most */
  L2_BYTES = 3 << 20 /* scratch memory of a thread, at most, so that it stays in the L2 cache */
};

static ptrdiff_t THNN_(wholeLanes)(ptrdiff_t n)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes;
  return (n + lanes - 1) / lanes * lanes;
}

static THNNTileRows THNN_(tileRowsOf)(const THNNConvolution *c)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes;
  THNNTileRows t = {.planes = c->planes,
                    .outputs = c->outputs,
                    .high = c->at[1].input,
                    .wide = c->at[2].input,
                    .padHigh = c->at[1].pad,
                    .padWide = c->at[2].pad,
                    .highY = c->at[1].output,
                    .wideY = c->at[2].output};
  t.down = (t.highY + STEP - 1) / STEP;
  t.across = (t.wideY + STEP - 1) / STEP;
  t.pitch = THNN_(wholeLanes)(STEP * (t.across + 1));
  /* An odd number of vectors, so that values do not fall into the same sets of the cache. */
  t.valueStride = (t.planes * t.across | 1) * lanes;
  t.filters = THNN_(wholeLanes)(t.planes * t.outputs);
  return t;
}

/* The number of images whose rows of tiles fill whole vectors. */
static ptrdiff_t THNN_(imagesPerItem)(const THNNTileRows *t, ptrdiff_t batch)
{
  ptrdiff_t imagesAtOnce = TH_DISPATCHED(THNN_(implicit))->lanes;
  for (ptrdiff_t down = t->down; imagesAtOnce > 1 && down % 2 == 0; down /= 2)
    imagesAtOnce /= 2;
  return THMin(imagesAtOnce, batch);
}

/* The cost of transforming x for a vector of rows of tiles, in vector operations. */
static double THNN_(costOfImages)(const THNNTileRows *t)
{
  const double lanes = (double)TH_DISPATCHED(THNN_(implicit))->lanes, across = (double)t->across;
  const double squares = SIDE * (double)t->pitch / lanes;
  return (double)t->planes * (100 * squares + 40 * (STEP * (across + 1) + SIDE * across));
}

/* The cost of a vector of rows of tiles, forward or backward data, in vector operations. */
static double THNN_(costOfRows)(const THNNTileRows *t)
{
  const double lanes = (double)TH_DISPATCHED(THNN_(implicit))->lanes, across = (double)t->across;
  const double ofOutput = 100 * STEP * STEP * across / lanes + 30 * (STEP + SIDE) * across;
  return THNN_(costOfImages)(t) + (double)t->outputs * ofOutput +
         1.2 * VALUES * (double)(t->planes * t->outputs) * across;
}

/* The cost of a vector of rows of tiles for the gradient of the weights, in vector operations.  Outputs are
 * in the lanes of the products. */
static double THNN_(costOfSums)(const THNNTileRows *t)
{
  const double across = (double)t->across, width = (double)THNN_(wholeLanes)(t->outputs);
  return 1.2 * THNN_(costOfImages)(t) + 360 * across * width +
         1.7 * VALUES * (double)t->planes * width * across;
}

typedef struct {
  const THNNConvolution *c;
  THNNTileRows t;
  ptrdiff_t width;       /* outputs, rounded up to whole vectors */
  ptrdiff_t vectors;     /* vectors of rows of tiles */
  ptrdiff_t sets;        /* sets of these vectors */
  ptrdiff_t images;      /* images that the rows of a vector belong to, at most */
  ptrdiff_t size;        /* elements of the sums of a set */
  ptrdiff_t v;           /* elements of each thread's memory for values of x */
  ptrdiff_t y;           /* elements of each thread's memory for packed gradients */
  ptrdiff_t scratchSize; /* elements of each thread's memory for the kernels' scratch */
  const real *from, *gradients;
  real *sums, *memory, *weights;
  accreal *totals, scale;
  int threads;
} THNN_(TileSums);

/* The elements of memory that a call may take for each thread, at least. */
enum { LITTLE = 1 << 18 };

/* The number of threads, at most `threads`, that there is memory for: ofAll elements in common, and ofEach
 * for each thread.  0 if there is not enough for one. */
static int THNN_(threadsThatFit)(const THNNConvolution *c, ptrdiff_t ofAll, ptrdiff_t ofEach,
                                 int threads)
{
  while (threads > 0 &&
         ofAll + threads * ofEach > THNNConvolution_memoryAtLeast(c, threads, LITTLE))
    threads--;
  return threads;
}

/* The elements of all filters and of their values. */
static ptrdiff_t THNN_(sizeOfFilters)(const THNNTileRows *t)
{
  return (VALUES + TAPS) * t->filters;
}

/* Plans the gradient of the weights.  sets does not depend on the threads, so the order of the sums does not
 * either. */
static THNN_(TileSums) THNN_(planSums)(const THNNConvolution *c)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes;
  THNN_(TileSums) w = {.c = c, .t = THNN_(tileRowsOf)(c)};
  w.width = THNN_(wholeLanes)(c->outputs);
  w.vectors = (c->batch * w.t.down + lanes - 1) / lanes;
  w.images = THMin(c->batch, (lanes - 1) / w.t.down + 2);
  w.size = VALUES * c->planes * w.width;
  const ptrdiff_t half = THNNConvolution_memoryAtLeast(c, 1, LITTLE) / 2;
  w.sets = THMin(THMin(SETS, w.vectors), THMax(1, half / w.size));
  w.v = THMax(VALUES * w.t.valueStride, 2 * TAPS * w.width);
  w.y = w.images * c->positions * lanes;
  w.scratchSize = TH_DISPATCHED(THNN_(tileRows))->scratchSize(&w.t, 1);
  return w;
}

int THNN_(supportsWinograd5x5)(const THNNConvolution *c, THNNPass pass)
{
  if (!TH_DISPATCHED(THNN_(tileRows))->convolve || c->channelsLast || c->groups != 1 ||
      c->batch == 0 || c->planes == 0 || c->outputs == 0)
    return 0;
  for (int d = 0; d < 3; d++) {
    const THNNWindow *at = &c->at[d];
    if (at->size != (d ? THNN_TILE_SIZE : 1) || at->step != 1 || at->dilation != 1 || at->pad < 0 ||
        at->output < 1)
      return 0;
  }
  return c->at[0].input == 1 && c->at[0].output == 1;
}

double THNN_(costOfWinograd5x5)(const THNNConvolution *c, THNNPass pass, THNN_(WinogradPlan) * plan)
{
  const int weights = pass == THNN_BACKWARD_WEIGHTS;
  const THNNTileRows t = THNN_(tileRowsOf)(c);
  const ptrdiff_t all = t.planes * (weights ? THNN_(wholeLanes)(t.outputs) : t.outputs);
  const ptrdiff_t scratchSize = TH_DISPATCHED(THNN_(tileRows))->scratchSize(&t, 0);
  if (THMax(scratchSize, VALUES * all) > L2_BYTES / (ptrdiff_t)sizeof(real))
    return INFINITY;
  const THNN_(TileSums) s = THNN_(planSums)(c);
  if (!(weights ? THNN_(threadsThatFit)(c, s.sets * s.size, s.v + s.y + s.scratchSize, 1)
                : THNN_(threadsThatFit)(c, THNN_(sizeOfFilters)(&t), scratchSize, 1)))
    return INFINITY;
  const ptrdiff_t imagesAtOnce = THNN_(imagesPerItem)(&t, c->batch),
                  lanes = TH_DISPATCHED(THNN_(implicit))->lanes;
  const double vectors =
      (double)((imagesAtOnce * t.down + lanes - 1) / lanes) / (double)imagesAtOnce;
  const double rows = weights ? THNN_(costOfSums)(&t) : THNN_(costOfRows)(&t);
  const double filters = (weights ? 3000 : 1500) * (double)all / (double)lanes / (double)c->batch;
  const double direct = (double)(c->positions * c->outputs) * (double)c->terms / (double)lanes;
  return (vectors * rows + filters) / direct;
}

/* --- forward and backward data ---------------------------------------------------------------- */

typedef struct {
  const THNNConvolution *c;
  THNNTileRows t;
  int backward, threads;
  int hasGaps;            /* backward, no window reaches some elements of x */
  ptrdiff_t imagesAtOnce; /* images of an item */
  ptrdiff_t scratchSize;  /* elements of memory for each thread */
  THNN_(Operands) data;
  const real *u; /* transformed weights */
  real *memory;
} THNN_(TileItems);

static void THNN_(tileItems)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(TileItems) *w = context;
  const THNNConvolution *c = w->c;
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes;
  const ptrdiff_t ofX = c->planes * c->image, ofY = c->outputs * c->positions;
  real *scratch = THNN_(ofThread)(w->memory, w->scratchSize, w->threads);
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t first = item * w->imagesAtOnce,
                    images = THMin(w->imagesAtOnce, c->batch - first);
    const real *from = w->data.from + first * (w->backward ? ofY : ofX);
    real *to = w->data.to + first * (w->backward ? ofX : ofY);
    for (ptrdiff_t i = 0; w->hasGaps && i < images; i++)
      THNN_(fillPlanes)(to + i * ofX, c->planes, c->image, w->data.bias);
    const ptrdiff_t all = images * w->t.down;
    for (ptrdiff_t row = 0; row < all; row += lanes)
      if (w->backward)
        TH_DISPATCHED(THNN_(tileRows))
            ->backward(&w->t, row, THMin(lanes, all - row), from, w->u, w->data.bias, to, scratch);
      else
        TH_DISPATCHED(THNN_(tileRows))
            ->convolve(&w->t, row, THMin(lanes, all - row), from, w->u, w->data.bias, to, scratch);
  }
}

void THNN_(convolveByWinograd5x5)(const THNNConvolution *c, int backward, THTensor *from,
                                  THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  THNN_(TileItems) w = {.c = c, .t = THNN_(tileRowsOf)(c), .backward = backward};
  const ptrdiff_t filters = w.t.filters, ofFilters = THNN_(sizeOfFilters)(&w.t);
  w.scratchSize = TH_DISPATCHED(THNN_(tileRows))->scratchSize(&w.t, 0);
  const int threads =
      THNN_(threadsThatFit)(c, ofFilters, w.scratchSize, THParallel_threads(c->batch, 1));
  w.imagesAtOnce = THMin(THNN_(imagesPerItem)(&w.t, c->batch), (c->batch + threads - 1) / threads);
  const ptrdiff_t items = (c->batch + w.imagesAtOnce - 1) / w.imagesAtOnce;
  w.threads = THMin(threads, THParallel_threads(items, 1));
  const int64_t reachHigh = c->at[1].output + THNN_TILE_SIZE - 1 - c->at[1].pad;
  const int64_t reachWide = c->at[2].output + THNN_TILE_SIZE - 1 - c->at[2].pad;
  w.hasGaps = backward && (c->at[1].input > reachHigh || c->at[2].input > reachWide);
  w.memory = THNN_(scratch)(&call, w.threads * w.scratchSize);
  real *u = THNN_(scratch)(&call, ofFilters), *m = u + VALUES * filters;
  w.data = THNN_(startConvolution)(&call, from, weight, bias, to);
  memset(m, 0, (size_t)(TAPS * filters) * sizeof *m);
  if (backward)
    TH_DISPATCHED(THNN_(implicit))
        ->transpose(c->planes * c->outputs, TAPS, w.data.weight, TAPS, m, filters);
  for (ptrdiff_t p = 0; !backward && p < c->planes; p++)
    TH_DISPATCHED(THNN_(implicit))
        ->transpose(c->outputs, TAPS, w.data.weight + p * TAPS, c->terms, m + p * c->outputs,
                    filters);
  TH_DISPATCHED(THNN_(tileRows))->filters(filters, m, u);
  w.u = u;
  THParallel_forIn(w.threads, items, THNN_(tileItems), &w);
  THNN_(finish)(&call);
}

/* --- the gradient of the weights ------------------------------------------------------------- */

/* Sums up y for the bias, for the images whose first row of tiles is in the vectors [first, last) of a
 * set. */
static void THNN_(totalsOf)(const THNN_(TileSums) * w, ptrdiff_t set, ptrdiff_t first,
                            ptrdiff_t last)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, down = w->t.down;
  const ptrdiff_t end = THMin((last * lanes + down - 1) / down, c->batch);
  accreal *totals = w->totals + set * c->outputs;
  for (ptrdiff_t i = (first * lanes + down - 1) / down; i < end; i++) {
    const real *y = w->gradients + i * c->outputs * c->positions;
    THNN_(addToTotals)(c->outputs, y, c->positions, totals);
  }
}

/* Computes the sums of some sets of vectors of rows of tiles. */
static void THNN_(tileSets)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(TileSums) *w = context;
  const THNNConvolution *c = w->c;
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, down = w->t.down;
  real *v = THNN_(ofThread)(w->memory, w->v + w->y + w->scratchSize, w->threads);
  real *y = v + w->v, *scratch = y + w->y;
  for (ptrdiff_t set = begin; set < end; set++) {
    real *sums = w->sums + set * w->size;
    memset(sums, 0, (size_t)w->size * sizeof *sums);
    const ptrdiff_t first = set * w->vectors / w->sets, last = (set + 1) * w->vectors / w->sets;
    if (w->totals)
      THNN_(totalsOf)(w, set, first, last);
    for (ptrdiff_t vector = first; vector < last; vector++) {
      const ptrdiff_t row = vector * lanes, rows = THMin(lanes, c->batch * down - row);
      const ptrdiff_t image = row / down, images = (row + rows - 1) / down - image + 1;
      TH_DISPATCHED(THNN_(tileRows))
          ->images(&w->t, row % down, rows, w->from + image * c->planes * c->image, v, scratch);
      for (ptrdiff_t o = 0; o < c->outputs; o += lanes) {
        for (ptrdiff_t i = 0; i < images; i++)
          THNN_(packOutputs)(THMin(lanes, c->outputs - o), c->positions,
                             w->gradients + ((image + i) * c->outputs + o) * c->positions,
                             c->positions, y + i * c->positions * lanes);
        TH_DISPATCHED(THNN_(tileRows))
            ->gradients(&w->t, row % down, rows, v, y, sums + o, w->width, scratch);
      }
    }
  }
}

/* Adds up the sums of all sets, transforms them back and adds them to the weights of some planes of x. */
static void THNN_(addPlanes)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(TileSums) *w = context;
  const THNNConvolution *c = w->c;
  real *m = THNN_(ofThread)(w->memory, w->v + w->y + w->scratchSize, w->threads);
  real *transposed = m + TAPS * w->width;
  for (ptrdiff_t p = begin; p < end; p++) {
    TH_DISPATCHED(THNN_(tileRows))
        ->taps(w->width, c->planes * w->width, w->sets, w->sums + p * w->width, m);
    TH_DISPATCHED(THNN_(implicit))->transpose(TAPS, c->outputs, m, w->width, transposed, TAPS);
    for (ptrdiff_t o = 0; o < c->outputs; o++)
      for (ptrdiff_t k = 0; k < TAPS; k++) {
        real *weight = w->weights + o * c->terms + p * TAPS + k;
        *weight = (real)(*weight + w->scale * (accreal)transposed[o * TAPS + k]);
      }
  }
}

void THNN_(weightsByWinograd5x5)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan)
{
  const THNNConvolution *c = g->c;
  THNN_(TileSums) w = THNN_(planSums)(c);
  const ptrdiff_t each = w.v + w.y + w.scratchSize, planes = c->planes;
  w.threads = THNN_(threadsThatFit)(c, w.sets * w.size, each, THParallel_threads(w.sets, 1));
  w.sums = THNN_(scratch)(&g->call, w.sets * w.size);
  w.memory = THNN_(scratch)(&g->call, w.threads * each);
  w.totals = THNN_(totalsOfSets)(g);
  THNN_(start)(&g->call);
  w.from = THTensor_(data)(g->x);
  w.gradients = THTensor_(data)(g->y);
  w.weights = THTensor_(data)(g->gradWeight);
  w.scale = g->scale;
  THParallel_forIn(w.threads, w.sets, THNN_(tileSets), &w);
  const ptrdiff_t grain = THMax(1, TH_LOOP_GRAIN / 8 / (w.sets * VALUES * w.width));
  THParallel_forIn(THMin(w.threads, THParallel_threads(planes, grain)), planes, THNN_(addPlanes),
                   &w);
}
