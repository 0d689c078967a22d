/* The plans of winograd3x3, which divide the work to fit in memory, and its cost. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/conv/Memory.h"
#include "Winograd3x3Parts.h"

/* The elements of memory that a plan may take for each thread, at least: 8 MB of floats less an
 * eighth, which is left for lists.  With less, layers of 512 planes of 7 x 7 transform their weights,
 * or their images, several times: a step of training ResNet-18 with 16 images takes 1.14 times as
 * long on two threads.  With three times as much, one thread is slower, and two are not faster. */
enum { PLAN_MEMORY = 7 << 18 };

/* The bytes of transformed weights that stay in the L2 cache. */
enum { FILTERS_IN_CACHE = 2 << 20 };

/* --- forward and backward data ---------------------------------------------------------------- */

/* Divides the tiles into runs of about `tiles` tiles, the same number of runs for each thread.  A run has
 * all phases of columns of its rows, because rows are transposed once for all phases. */
static void THNN_(setRuns)(THNN_(WinogradPlan) * w, ptrdiff_t tiles, int threads)
{
  const ptrdiff_t batch = THNN_(batchOf)(w), all = w->down * w->tiles.across * w->phases[2];
  ptrdiff_t images = 1;
  w->bands = 1;
  if (all <= tiles) {
    const ptrdiff_t imagesAtOnce = THMax(1, THMin(tiles / all, batch / threads));
    images = THMax(1, batch / (threads * THNN_(parts)(batch, threads * imagesAtOnce)));
  } else {
    w->bands = THMin(w->down, THNN_(parts)(all, tiles));
    while (batch < 4 * threads && batch * w->bands % threads && w->bands < w->down)
      w->bands++;
  }
  w->tiles.images = images * w->phases[2];
  w->tiles.down = THNN_(parts)(w->down, w->bands);
  w->bands = THNN_(parts)(w->down, w->tiles.down);
  w->tiles.isLow = w->bands == 1 && THNN_(isShort)(&w->at[1]);
  w->tiles.isNarrow = THNN_(isShort)(&w->at[2]);
  w->runs = THNN_(parts)(batch, images) * w->bands;
  w->isKept = w->runs <= threads;
}

/* Sets the sizes of the buffers for a run, if `planes` planes of the source are transformed together. */
static void THNN_(setSource)(THNN_(WinogradPlan) * w, ptrdiff_t planes)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, tiles = THNNTiles_count(&w->tiles);
  const ptrdiff_t wide = w->at[2].input;
  const ptrdiff_t rows = STEP * (w->tiles.down - 1) + (w->tiles.isLow ? THNN_WINOGRAD_SHORT : SIDE);
  w->stripRows = THMax(STEP, THMin(rows + STEP - 1, TRANSPOSED / wide) / STEP * STEP);
  w->keptRows = w->stripRows < rows ? 2 * w->stripRows : w->stripRows;
  /* Rows of channels-last images are read in the image; flat is one row of zeros. */
  w->flat = w->c->channelsLast ? wide * w->planes * w->c->groups : w->keptRows * wide * lanes;
  w->lines = SIDE * THNNTiles_columns(&w->tiles) * lanes;
  /* With these strides, neither successive vectors of planes nor successive values fall into the same
   * sets of the cache. */
  w->vectorStride = ((tiles + 7) / 16 * 16 + 8) * lanes;
  w->valueStride = THNN_(parts)(planes, lanes) * w->vectorStride + 5 * lanes;
  w->v = w->rows * SIDE * w->valueStride;
  w->products = w->rows * SIDE * tiles * w->width;
}

/* Elements of memory that the plan needs. */
static ptrdiff_t THNN_(setMemory)(THNN_(WinogradPlan) * w)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, high = THNN_(transposedRows)(w);
  THNN_(setSource)(w, w->planes);
  w->transposed = THMax(high * w->at[2].output * lanes, (TRANSPOSED_PLANES + 1) * TAPS * w->width);
  w->u = w->transformed ? 0 : THNN_(ofBlock)(w) * w->blocksAtOnce;
  if (w->isShared) {
    w->sums = w->transformed ? 0 : THNN_(ofBlock)(w);
    w->u = w->v;
  }
  return w->u + w->threads * THNN_(ofEach)(w);
}

/* The cost, in vector operations, of transforming a run `times` times. */
static double THNN_(costOfImages)(const THNN_(WinogradPlan) * w, ptrdiff_t planes, double times)
{
  return (double)THNNTiles_count(&w->tiles) *
         (double)THNN_(parts)(planes, TH_DISPATCHED(THNN_(implicit))->lanes) * times *
         (240 * SIDE / (double)w->rows + 160);
}

/* The cost of a group in vector operations. */
static double THNN_(cost)(const THNN_(WinogradPlan) * w)
{
  const double planes = (double)w->planes;
  const double vectors = (double)THNN_(parts)(w->results, TH_DISPATCHED(THNN_(implicit))->lanes);
  const double tiles = (double)THNNTiles_count(&w->tiles), runs = (double)w->runs;
  const double passes = SIDE / (double)w->rows;
  const double times = w->isKept ? 1 : (double)THNN_(parts)(w->blocks, w->blocksAtOnce);
  /* With few tiles, reading the weights takes longer than the products; many tiles should still fit in
   * the L2 cache. */
  const double megabytes = (double)(w->v + w->products) * sizeof(real) / (1 << 20);
  const double products =
      SIDE * SIDE * planes * vectors * (tiles + 3) * (1 + 6 / tiles) * (1 + 0.05 * megabytes);
  const double results = tiles * vectors * (200 + 200 * (passes - 1));
  /* Weights are packed and transformed in each pass, or read from memory if they are transformed.
   * What the L2 cache does not hold is written to memory and read again, which costs operations that
   * wide vectors would do meanwhile; with 16 bytes the arithmetic takes longer than that. */
  const double filterBytes = SIDE * SIDE * planes * (double)w->results * sizeof(real);
  const double vectorBytes = (double)(TH_DISPATCHED(THNN_(implicit))->lanes * sizeof(real));
  const double outside =
      filterBytes > FILTERS_IN_CACHE && vectorBytes > 16 ? 1 + 0.75 * vectorBytes / 64 : 1;
  const double filters = planes * vectors * (w->transformed ? 100 : (400 + 100 * passes) * outside);
  return filters + runs * (products + results + THNN_(costOfImages)(w, w->planes, times));
}

/* The tiles of a run that are tried. */
static const ptrdiff_t run_sizes[] = {256, 192, 128, 96, 64, 48, 32, 16, 8};
enum { RUN_SIZES = sizeof run_sizes / sizeof *run_sizes };

/* Takes w as the best plan if it fits in memory and costs less than *cost.  items: the number of items that
 * the threads share. */
static void THNN_(compare)(THNN_(WinogradPlan) * w, ptrdiff_t items, THNN_(WinogradPlan) * best,
                           double *cost)
{
  if (THNN_(setMemory)(w) > THNNConvolution_memoryAtLeast(w->c, w->threads, PLAN_MEMORY))
    return;
  const ptrdiff_t turns = THNN_(parts)(items, w->threads);
  const double mine = THNN_(cost)(w) * (double)(turns * w->threads) / (double)items;
  if (mine >= *cost)
    return;
  *best = *w;
  *cost = mine;
}

/* Chooses the best plan with `rows` points down in a pass; returns 0 if none fits in memory.  The threads
 * share the runs, or the blocks of results of a single run. */
static int THNN_(choosePlan)(THNN_(WinogradPlan) * w, int rows, int threads, double *cost)
{
  THNN_(WinogradPlan) best = *w;
  *cost = INFINITY;
  w->rows = rows;
  w->threads = threads;
  for (ptrdiff_t divisor = 1; divisor <= w->blocks; divisor++) {
    w->blocksAtOnce = THNN_(parts)(w->blocks, divisor);
    for (int i = 0; i < RUN_SIZES; i++) {
      THNN_(setRuns)(w, run_sizes[i], threads);
      THNN_(compare)(w, w->runs, &best, cost);
    }
  }
  w->isShared = 1;
  w->blocksAtOnce = 1;
  for (int i = 0; threads > 1 && i < RUN_SIZES; i++) {
    THNN_(setRuns)(w, run_sizes[i], 1);
    w->isKept = 1; /* for the cost: tiles are transformed once */
    if (w->runs == 1)
      THNN_(compare)(w, w->blocks, &best, cost);
  }
  *w = best;
  return *cost < INFINITY;
}

int THNN_(measureWinograd)(const THNNConvolution *c, int backward, THNN_(WinogradPlan) * w)
{
  enum {
    LEAST = 16
  }; /* planes: kernels read whole vectors, and with fewer planes transforms take longest */
  *w = (THNN_(WinogradPlan)){
      .c = c, .backward = backward, .transformed = backward ? NULL : c->transformed};
  for (int d = 0; d < 3; d++) {
    const THNNWindow *at = &c->at[d];
    if (at->size != (d ? THNN_WINOGRAD_SIZE : 1) || at->step != 1)
      return 0;
    w->at[d] = *at;
    if (backward) {
      w->at[d].pad = (at->size - 1) * at->dilation - at->pad;
      w->at[d].input = at->output;
      w->at[d].output = at->input;
    }
    w->phases[d] = THMin(at->dilation, w->at[d].output);
  }
  w->planes = (backward ? c->outputs : c->planes) / THMax(1, c->groups);
  w->results = (backward ? c->planes : c->outputs) / THMax(1, c->groups);
  if (c->batch < 1 || w->at[0].input != 1 || w->at[0].output != 1 || w->planes < LEAST ||
      w->results < LEAST)
    return 0;
  w->source = backward ? c->positions : c->image;
  w->size = backward ? c->image : c->positions;
  w->down = THNN_(parts)(THNN_(inPhase)(&w->at[1], 0), STEP);
  w->tiles.across = THNN_(parts)(THNN_(inPhase)(&w->at[2], 0), STEP);
  return 1;
}

void THNN_(setWinogradBlocks)(THNN_(WinogradPlan) * w, ptrdiff_t vectors)
{
  w->width = THMin(vectors, THNN_(vectorsOf)(w->results)) * TH_DISPATCHED(THNN_(implicit))->lanes;
  w->blocks = THNN_(parts)(w->results, w->width);
}

/* The vector operations of a group without Winograd's algorithm. */
static double THNN_(costOfAllProducts)(const THNN_(WinogradPlan) * w)
{
  return (double)(w->c->batch * w->size) * (double)(w->planes * TAPS) *
         (double)THNN_(parts)(w->results, TH_DISPATCHED(THNN_(implicit))->lanes);
}

int THNN_(supportsWinograd3x3)(const THNNConvolution *c, THNNPass pass)
{
  THNN_(WinogradPlan) w;
  return THNN_(measureWinograd)(c, pass == THNN_BACKWARD_DATA, &w);
}

/* The best plan of one thread, and its cost; INFINITY if none fits in memory. */
static double THNN_(planOne)(const THNNConvolution *c, int backward, THNN_(WinogradPlan) * w)
{
  if (!THNN_(measureWinograd)(c, backward, w))
    return INFINITY;
  THNN_(setWinogradBlocks)(w, BLOCK_VECTORS);
  static const int rows[] = {6, 3, 2, 1};
  double cost = INFINITY;
  THNN_(WinogradPlan) best = *w;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double mine;
    THNN_(WinogradPlan) other = *w;
    if (THNN_(choosePlan)(&other, rows[i], 1, &mine) && mine < cost) {
      best = other;
      cost = mine;
    }
  }
  *w = best;
  return cost;
}

void THNN_(planWinograd)(const THNNConvolution *c, int backward, int threads,
                         THNN_(WinogradPlan) * w)
{
  THNN_(planOne)(c, backward, w);
  THNN_(WinogradPlan) start;
  THNN_(measureWinograd)(c, backward, &start);
  THNN_(setWinogradBlocks)(&start, BLOCK_VECTORS);
  for (; threads > 1; threads--) {
    double cost;
    THNN_(WinogradPlan) other = start;
    if (THNN_(choosePlan)(&other, w->rows, threads, &cost)) {
      *w = other;
      return;
    }
  }
}

/* --- the gradient of the weights ------------------------------------------------------------- */

/* The cost of the gradient of the weights, of a chunk of planes and of blocks, in vector operations. */
static double THNN_(costOfWeights)(const THNN_(WinogradPlan) * w)
{
  const double tiles = (double)THNNTiles_count(&w->tiles);
  const double vectors = (double)THNN_(parts)(THMin(w->results, w->blocksAtOnce * w->width),
                                              TH_DISPATCHED(THNN_(implicit))->lanes);
  const double planes = (double)(THNN_(parts)(THMin(w->chunk, w->planes), 6) * 6);
  const double passes = SIDE / (double)w->rows;
  const double products = SIDE * SIDE * planes * vectors * (tiles + 12);
  const double gradients = vectors * tiles * (130 + 120 * passes);
  return (double)w->runs * (products + THNN_(costOfImages)(w, w->chunk, 1) + gradients) +
         planes * vectors * (200 + 100 * passes);
}

int THNN_(chooseWinogradChunks)(THNN_(WinogradPlan) * w, int threads, double *cost)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes;
  THNN_(WinogradPlan) best = *w;
  *cost = INFINITY;
  w->threads = threads;
  static const ptrdiff_t divisors[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48};
  enum { DIVISORS = sizeof divisors / sizeof *divisors };
  for (int i = 0; i < DIVISORS && divisors[i] <= w->planes; i++) {
    w->chunk = THNN_(parts)(THNN_(parts)(w->planes, divisors[i]), lanes) * lanes;
    for (int k = 0; k < DIVISORS && divisors[k] <= w->blocks; k++) {
      w->blocksAtOnce = THNN_(parts)(w->blocks, divisors[k]);
      THNN_(setSource)(w, w->chunk);
      w->transposed = THMax(THNN_(transposedRows)(w) * w->at[2].output * lanes,
                            TRANSPOSED_PLANES * TAPS * w->width);
      w->sums = w->rows * SIDE * w->chunk * w->blocksAtOnce * w->width;
      if (threads * THNN_(ofEach)(w) > THNNConvolution_memoryAtLeast(w->c, threads, PLAN_MEMORY))
        continue;
      const ptrdiff_t items = THMax(1, w->c->groups) * THNN_(parts)(w->planes, w->chunk) *
                              THNN_(parts)(w->blocks, w->blocksAtOnce);
      const double mine = THNN_(costOfWeights)(w) * (double)THNN_(parts)(items, threads);
      if (mine < *cost) {
        best = *w;
        *cost = mine;
      }
    }
  }
  *w = best;
  return *cost < INFINITY;
}

/* The best plan of one thread, and its cost; INFINITY if none fits in memory. */
static double THNN_(planWeights)(const THNNConvolution *c, THNN_(WinogradPlan) * w)
{
  static const ptrdiff_t sizes[] = {96, 64, 48, 32, 16};
  static const int rows[] = {6, 3, 2, 1};
  if (!THNN_(measureWinograd)(c, 0, w))
    return INFINITY;
  THNN_(setWinogradBlocks)(w, TH_DISPATCHED(THNN_(implicit))->vectors);
  double cost = INFINITY;
  THNN_(WinogradPlan) best = *w;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes * (sizeof rows / sizeof *rows); i++) {
    double mine;
    THNN_(WinogradPlan) other = *w;
    other.rows = rows[i % (sizeof rows / sizeof *rows)];
    THNN_(setRuns)(&other, sizes[i / (sizeof rows / sizeof *rows)], 1);
    other.isKept = 0;
    if (THNNTiles_count(&other.tiles) <= THNN_IMPLICIT_COLUMNS &&
        THNN_(chooseWinogradChunks)(&other, 1, &mine) && mine < cost) {
      best = other;
      cost = mine;
    }
  }
  *w = best;
  return cost;
}

double THNN_(costOfWinograd3x3)(const THNNConvolution *c, THNNPass pass, THNN_(WinogradPlan) * plan)
{
  const int backward = pass == THNN_BACKWARD_DATA;
  double cost, without; /* without Winograd, as products of matrices */
  if (pass == THNN_BACKWARD_WEIGHTS) {
    cost = THNN_(planWeights)(c, plan);
    const double fraction =
        plan->planes < THNN_PARTED_PLANES ? 1 : THNNConvPlan_fraction(c, 0, THNN_PLAN_PICKED);
    without = THNN_(costOfAllProducts)(plan) * fraction * (double)THMax(1, c->groups);
  } else {
    cost = THNN_(planOne)(c, backward, plan);
    without = THNN_(costOfAllProducts)(plan) * THNNConvPlan_fraction(c, backward, THNN_PLAN_PICKED);
  }
  return cost / without;
}
