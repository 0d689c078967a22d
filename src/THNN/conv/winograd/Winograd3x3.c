/* Winograd's convolutions: how they are cut to fit in memory, and how they go. */
#include "THNN/layer/Template.h"

#include "THNN/conv/Memory.h"

TH_DISPATCH(THNN_(Winograd), THNN_(winograd))

enum {
  SIDE = THNN_WINOGRAD_SIDE,
  STEP = THNN_WINOGRAD_STEP,
  TAPS = THNN_WINOGRAD_SIZE * THNN_WINOGRAD_SIZE,
  BLOCK_VECTORS = 2,      /* of results, in a block */
  TRANSPOSED_PLANES = 16, /* planes whose windows are transposed together */
  TRANSPOSED = 256        /* positions of the source and of the result, about, likewise */
};

/* --- plans ----------------------------------------------------------------------------------- */

static ptrdiff_t THNN_(parts)(ptrdiff_t whole, ptrdiff_t part)
{
  return (whole + part - 1) / part;
}

/* The number of results of a phase; the first phase has most. */
static ptrdiff_t THNN_(inPhase)(const THNNWindow *at, ptrdiff_t phase)
{
  return THNN_(parts)(at->output - phase, at->dilation);
}

static int THNN_(isShort)(const THNNWindow *at)
{
  return (THNN_(inPhase)(at, 0) - 1) % STEP < 2;
}

/* Images whose rows are those of a phase. */
static ptrdiff_t THNN_(batchOf)(const THNN_(WinogradPlan) * w)
{
  return w->c->batch * w->phases[1];
}

/* Runs of about that many tiles, as many for one thread as for the other.  All phases of columns
 * are in the same one: the rows of an image are transposed for all of them. */
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

/* Memory that planes of the source need, so many at a time. */
static void THNN_(setSource)(THNN_(WinogradPlan) * w, ptrdiff_t planes)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes, tiles = THNNTiles_count(&w->tiles);
  const ptrdiff_t wide = w->at[2].input;
  const ptrdiff_t rows = STEP * (w->tiles.down - 1) + (w->tiles.isLow ? THNN_WINOGRAD_SHORT : SIDE);
  w->stripRows = THMax(STEP, THMin(rows + STEP - 1, TRANSPOSED / wide) / STEP * STEP);
  w->keptRows = w->stripRows < rows ? 2 * w->stripRows : w->stripRows;
  /* Rows of channels-last images are read in the image; flat is one row of zeros. */
  w->flat = w->c->channelsLast ? wide * w->planes * w->c->groups : w->keptRows * wide * lanes;
  w->lines = SIDE * THNNTiles_columns(&w->tiles) * lanes;
  /* Neither successive vectors of planes nor successive numbers fall into the same sets of the
   * cache. */
  w->next = ((tiles + 7) / 16 * 16 + 8) * lanes;
  w->number = THNN_(parts)(planes, lanes) * w->next + 5 * lanes;
  w->v = w->rows * SIDE * w->number;
  w->products = w->rows * SIDE * tiles * w->width;
}

/* Rows of the result, about, that are transposed together. */
static ptrdiff_t THNN_(transposedRows)(const THNN_(WinogradPlan) * w)
{
  return THMax(STEP, THMin(STEP * w->tiles.down, TRANSPOSED / w->at[2].output));
}

/* Elements of memory of each thread (or of each run, where that is kept). */
static ptrdiff_t THNN_(beforeTransposed)(const THNN_(WinogradPlan) * w)
{
  return w->flat + w->lines + (w->isShared ? 0 : w->v) + w->products;
}

static ptrdiff_t THNN_(ofEach)(const THNN_(WinogradPlan) * w)
{
  return THNN_(beforeTransposed)(w) + w->transposed + w->sums;
}

/* The transformed windows of a block of results. */
static ptrdiff_t THNN_(ofBlock)(const THNN_(WinogradPlan) * w)
{
  return w->rows * SIDE * w->planes * w->width;
}

/* Elements of memory that the plan needs. */
static ptrdiff_t THNN_(setMemory)(THNN_(WinogradPlan) * w)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes, high = THNN_(transposedRows)(w);
  THNN_(setSource)(w, w->planes);
  w->transposed = THMax(high * w->at[2].output * lanes, (TRANSPOSED_PLANES + 1) * TAPS * w->width);
  w->u = w->transformed ? 0 : THNN_(ofBlock)(w) * w->blocksAtOnce;
  if (w->isShared) {
    w->sums = w->transformed ? 0 : THNN_(ofBlock)(w);
    w->u = w->v;
  }
  return w->u + w->threads * THNN_(ofEach)(w);
}

/* The cost of the transform of a run of images, so many times. */
static double THNN_(costOfImages)(const THNN_(WinogradPlan) * w, ptrdiff_t planes, double times)
{
  return (double)THNNTiles_count(&w->tiles) * (double)THNN_(parts)(planes, THNN_(implicit)->lanes) *
         times * (240 * SIDE / (double)w->rows + 160);
}

/* Vector operations, of a group. */
static double THNN_(cost)(const THNN_(WinogradPlan) * w)
{
  const double planes = (double)w->planes;
  const double vectors = (double)THNN_(parts)(w->results, THNN_(implicit)->lanes);
  const double tiles = (double)THNNTiles_count(&w->tiles), runs = (double)w->runs;
  const double passes = SIDE / (double)w->rows;
  const double times = w->isKept ? 1 : (double)THNN_(parts)(w->blocks, w->blocksAtOnce);
  /* With few tiles, reading the weights takes longer than the products; many tiles should still fit in
   * the L2 cache. */
  const double megabytes = (double)(w->v + w->products) * sizeof(real) / (1 << 20);
  const double products =
      SIDE * SIDE * planes * vectors * (tiles + 3) * (1 + 6 / tiles) * (1 + 0.05 * megabytes);
  const double results = tiles * vectors * (200 + 200 * (passes - 1));
  /* They are transposed in each pass, or read from memory. */
  const double windows = planes * vectors * (w->transformed ? 100 : 400 + 100 * passes);
  return windows + runs * (products + results + THNN_(costOfImages)(w, w->planes, times));
}

static const ptrdiff_t run_sizes[] = {256, 192, 128, 96, 64, 48, 32, 16, 8};
enum { RUN_SIZES = sizeof run_sizes / sizeof *run_sizes };

/* Takes w as the best plan if it fits in memory and costs less than best: items are what the threads
 * share. */
static void THNN_(compare)(THNN_(WinogradPlan) * w, ptrdiff_t items, THNN_(WinogradPlan) * best,
                           double *cost)
{
  if (THNN_(setMemory)(w) > THNNConvolution_memory(w->c, w->threads))
    return;
  const ptrdiff_t turns = THNN_(parts)(items, w->threads);
  const double mine = THNN_(cost)(w) * (double)(turns * w->threads) / (double)items;
  if (mine >= *cost)
    return;
  *best = *w;
  *cost = mine;
}

/* The best choice with that many rows of the transforms at a time; 0 if none fits in memory.  The
 * threads share the runs, or else, of a single run, the blocks of results. */
static int THNN_(choose)(THNN_(WinogradPlan) * w, int rows, int threads, double *cost)
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
    w->isKept = 1; /* as far as costs go: tiles are transformed once */
    if (w->runs == 1)
      THNN_(compare)(w, w->blocks, &best, cost);
  }
  *w = best;
  return *cost < INFINITY;
}

/* Whether it is a convolution of this kind, and its sizes. */
static int THNN_(measure)(const THNNConvolution *c, int backward, THNN_(WinogradPlan) * w)
{
  /* Kernels read whole vectors of planes; and with fewer, transforms are most of the work. */
  enum { LEAST = 16 };
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
  w->source = backward ? c->windows : c->image;
  w->size = backward ? c->image : c->windows;
  w->down = THNN_(parts)(THNN_(inPhase)(&w->at[1], 0), STEP);
  w->tiles.across = THNN_(parts)(THNN_(inPhase)(&w->at[2], 0), STEP);
  return 1;
}

/* Blocks of results, of as many vectors at most. */
static void THNN_(setBlocks)(THNN_(WinogradPlan) * w, ptrdiff_t vectors)
{
  w->width = THMin(vectors, THNN_(vectorsOf)(w->results)) * THNN_(implicit)->lanes;
  w->blocks = THNN_(parts)(w->results, w->width);
}

/* Vector operations of the products of all windows, of a group. */
static double THNN_(costOfDirect)(const THNN_(WinogradPlan) * w)
{
  return (double)(w->c->batch * w->size) * (double)(w->planes * TAPS) *
         (double)THNN_(parts)(w->results, THNN_(implicit)->lanes);
}

int THNN_(supportsWinograd3x3)(const THNNConvolution *c, THNNPass pass)
{
  THNN_(WinogradPlan) w;
  return THNN_(measure)(c, pass == THNN_BACKWARD_DATA, &w);
}

/* The best plan of one thread, and its cost; INFINITY if none fits in memory. */
static double THNN_(planOne)(const THNNConvolution *c, int backward, THNN_(WinogradPlan) * w)
{
  if (!THNN_(measure)(c, backward, w))
    return INFINITY;
  THNN_(setBlocks)(w, BLOCK_VECTORS);
  static const int rows[] = {6, 3, 2, 1};
  double cost = INFINITY;
  THNN_(WinogradPlan) best = *w;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double mine;
    THNN_(WinogradPlan) other = *w;
    if (THNN_(choose)(&other, rows[i], 1, &mine) && mine < cost) {
      best = other;
      cost = mine;
    }
  }
  *w = best;
  return cost;
}

/* The plan of as many threads as there is memory for.  The rows are those of one thread: the order
 * of the sums depends on the rows. */
static void THNN_(plan)(const THNNConvolution *c, int backward, int threads,
                        THNN_(WinogradPlan) * w)
{
  THNN_(planOne)(c, backward, w);
  THNN_(WinogradPlan) start;
  THNN_(measure)(c, backward, &start);
  THNN_(setBlocks)(&start, BLOCK_VECTORS);
  for (; threads > 1; threads--) {
    double cost;
    THNN_(WinogradPlan) other = start;
    if (THNN_(choose)(&other, w->rows, threads, &cost)) {
      *w = other;
      return;
    }
  }
}

/* --- weights --------------------------------------------------------------------------------- */

/* Those of a block of results and a few planes from one on; m is memory. */
static void THNN_(transformPlanes)(const THNN_(WinogradPlan) * w, ptrdiff_t block, ptrdiff_t plane,
                                   real *m, real *u)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t planes = THMin(TRANSPOSED_PLANES, w->planes - plane), first = block * w->width;
  const ptrdiff_t count = THMin(w->width, w->results - first);
  const ptrdiff_t vectors = THNN_(vectorsOf)(count), width = vectors * THNN_(implicit)->lanes;
  const real *weight = w->data.weight + w->group * (c->outputs / c->groups) * c->depth;
  if (w->backward) {
    for (ptrdiff_t p = 0; p < planes; p++)
      THNN_(packWindows)(count, TAPS, weight + (plane + p) * c->depth + first * TAPS,
                         m + p * TAPS * width);
  } else {
    THNN_(packOutputs)(count, planes * TAPS, weight + first * c->depth + plane * TAPS, c->depth, m);
  }
  for (ptrdiff_t p = 0; p < planes; p++)
    THNN_(winograd)->windows(w->first, w->end, w->backward, vectors, m + p * TAPS * width,
                             u + (plane + p) * width, w->planes * width);
}

/* Those of some blocks, TRANSPOSED_PLANES planes at a time. */
static void THNN_(transformWeights)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(WinogradPlan) *w = context;
  const ptrdiff_t chunks = THNN_(parts)(w->planes, TRANSPOSED_PLANES);
  real *m = THNN_(ofThread)(w->memory, THNN_(ofEach)(w), w->threads) + THNN_(beforeTransposed)(w);
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t block = item / chunks;
    THNN_(transformPlanes)(w, w->block + block, item % chunks * TRANSPOSED_PLANES, m,
                           w->weights + block * THNN_(ofBlock)(w));
  }
}

/* --- weights that are transformed once ------------------------------------------------------- */

/* Elements of a block of results in them. */
static ptrdiff_t THNN_(ofTransformedBlock)(const THNN_(WinogradPlan) * w)
{
  return SIDE * SIDE * w->planes * w->width;
}

/* How many there are, in all groups; 0 unless the convolution is of this kind.  w becomes their plan. */
static ptrdiff_t THNN_(sizeOfTransformed)(const THNNConvolution *c, THNN_(WinogradPlan) * w)
{
  ptrdiff_t size = SIDE * SIDE;
  if (!THNN_(measure)(c, 0, w))
    return 0;
  THNN_(setBlocks)(w, BLOCK_VECTORS);
  const ptrdiff_t factors[] = {w->planes, w->width, w->blocks, THMax(1, c->groups)};
  for (int i = 0; i < 4; i++)
    if (__builtin_mul_overflow(size, factors[i], &size))
      THError("transformed weights of %lld planes and %lld outputs have too many elements",
              (long long)c->planes, (long long)c->outputs);
  return size;
}

const void *THNN_(transformedOf)(const THNNLayer *layer, const THNNConvolution *c)
{
  THTensor *const t = layer->transformed;
  if (!t || layer->full || THTensor_(nElement)(t) == 0)
    return NULL;
  THNN_(WinogradPlan) w;
  const ptrdiff_t size = THNN_(sizeOfTransformed)(c, &w);
  THArgCheck(THTensor_(nElement)(t) == size && THTensor_(isContiguous)(t), 2,
             "transformed has size %s, and this convolution has %lld elements of transformed "
             "weights",
             THTensor_(sizeDesc)(t).str, (long long)size);
  return THTensor_(data)(t);
}

/* The convolution with this weight of the smallest image. */
static THNNConvolution THNN_(convolutionOfWeight)(const THNNGroups *how, THTensor *weight)
{
  THNNConvolution c = {.batch = 1, .groups = how->groups, .dims = 4, .batched = 1};
  c.planes = how->groups * weight->size[1];
  c.outputs = weight->size[0];
  for (int d = 0; d < 3; d++) {
    c.at[d] = THNNWindow_of(how->size[d], how->step[d], 0, how->dilation[d]);
    c.at[d].input = (c.at[d].size - 1) * c.at[d].dilation + 1;
    c.at[d].output = 1;
  }
  THNNConvolution_complete(&c);
  return c;
}

/* Blocks of results, of all groups, one after the other. */
static void THNN_(transformBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  THNN_(WinogradPlan) w = *(const THNN_(WinogradPlan) *)context;
  real *m = THNN_(ofThread)(w.memory, w.transposed, w.threads);
  for (ptrdiff_t item = begin; item < end; item++) {
    w.group = item / w.blocks;
    for (ptrdiff_t plane = 0; plane < w.planes; plane += TRANSPOSED_PLANES)
      THNN_(transformPlanes)(&w, item % w.blocks, plane, m,
                             w.weights + item * THNN_(ofTransformedBlock)(&w));
  }
}

void THNN_(Groups_transformWeights)(THNNState *state, const THNNGroups *how, THTensor *weight,
                                    THTensor *transformed)
{
  THArgCheck(how->groups > 0 && weight->nDimension == how->axes + 2 &&
                 (how->full || weight->size[0] % how->groups == 0),
             3, "weight has size %s, for convolutions along %d axes in %d groups",
             THTensor_(sizeDesc)(weight).str, how->axes, how->groups);
  THNN_(WinogradPlan) w;
  ptrdiff_t size = 0;
  THNNConvolution c = {0};
  if (how->axes == 2 && !how->full) {
    THArgCheck(weight->size[2] == how->size[1] && weight->size[3] == how->size[2], 3,
               "weight has size %s, for windows of %d x %d", THTensor_(sizeDesc)(weight).str,
               how->size[1], how->size[2]);
    c = THNN_(convolutionOfWeight)(how, weight);
    size = THNN_(sizeOfTransformed)(&c, &w);
  }
  THNN_(Call) call;
  THNN_(begin)(&call);
  weight = THNN_(source)(&call, weight);
  transformed = THNN_(result)(&call, transformed, 1, (int64_t[]){size});
  if (size > 0) {
    const ptrdiff_t items = c.groups * w.blocks;
    w.threads = THParallel_threads(items, 1);
    w.transposed = (TRANSPOSED_PLANES + 1) * TAPS * w.width;
    w.memory = THNN_(scratch)(&call, w.threads * w.transposed);
    w.end = SIDE;
  }
  THNN_(start)(&call);
  if (size > 0) {
    w.data.weight = THTensor_(data)(weight);
    w.weights = THTensor_(data)(transformed);
    THParallel_forIn(w.threads, c.groups * w.blocks, THNN_(transformBlocks), &w);
  }
  THNN_(finish)(&call);
}

/* The transformed weights of a block of so many vectors, for the rows of the pass. */
static const real *THNN_(transformedBlock)(const THNN_(WinogradPlan) * w, ptrdiff_t block,
                                           ptrdiff_t vectors)
{
  return w->transformed + (w->group * w->blocks + block) * THNN_(ofTransformedBlock)(w) +
         w->first * SIDE * w->planes * vectors * THNN_(implicit)->lanes;
}

/* --- tiles ----------------------------------------------------------------------------------- */

typedef struct {
  THNNTiles tiles;
  ptrdiff_t image, row;    /* the first ones, of the images of batchOf */
  ptrdiff_t plane, planes; /* of the source */
  real *flat, *lines, *v, *products, *transposed;
} THNN_(Run);

/* Of all planes. */
static THNN_(Run) THNN_(runOf)(const THNN_(WinogradPlan) * w, ptrdiff_t run)
{
  THNN_(Run) r = {.tiles = w->tiles, .planes = w->planes};
  r.image = run / w->bands * (w->tiles.images / w->phases[2]);
  r.row = run % w->bands * w->tiles.down;
  r.tiles.images = THMin(w->tiles.images, (THNN_(batchOf)(w) - r.image) * w->phases[2]);
  r.tiles.down = THMin(w->tiles.down, w->down - r.row);
  r.tiles.isLow = r.row + r.tiles.down == w->down && THNN_(isShort)(&w->at[1]);
  r.flat = w->isKept && !w->isShared ? w->memory + run * THNN_(ofEach)(w)
                                     : THNN_(ofThread)(w->memory, THNN_(ofEach)(w), w->threads);
  r.lines = r.flat + w->flat;
  r.v = w->isShared ? w->weights : r.lines + w->lines;
  r.transposed = r.flat + THNN_(beforeTransposed)(w);
  r.products = r.transposed - w->products;
  return r;
}

/* The row of the source that is row number `row` of those that a run needs of a phase; it may not
 * be there. */
static ptrdiff_t THNN_(sourceRow)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                  ptrdiff_t phase, ptrdiff_t row)
{
  return (STEP * r->row + row) * w->at[1].dilation + phase - w->at[1].pad;
}

/* A few of these rows, from row on, of a vector of planes; rows that are not there are 0. */
static void THNN_(transposeRows)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                 ptrdiff_t phase, ptrdiff_t row, const real *from)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes, wide = w->at[2].input, size = wide * lanes;
  const ptrdiff_t dilation = w->at[1].dilation, high = w->at[1].input;
  const ptrdiff_t top = THNN_(sourceRow)(w, r, phase, row);
  const ptrdiff_t first = top < 0 ? THMin(THNN_(parts)(-top, dilation), w->stripRows) : 0;
  const ptrdiff_t end =
      top < high ? THMax(first, THMin(w->stripRows, THNN_(parts)(high - top, dilation))) : first;
  real *flat = r->flat + row % w->keptRows * size;
  memset(flat, 0, (size_t)(first * size) * sizeof *flat);
  memset(flat + end * size, 0, (size_t)((w->stripRows - end) * size) * sizeof *flat);
  const ptrdiff_t rowsAtOnce = dilation == 1 ? end - first : 1;
  for (ptrdiff_t k = first; k < end; k += rowsAtOnce)
    THNN_(implicit)->transpose(lanes, rowsAtOnce * wide, from + (top + k * dilation) * wide,
                               w->source, flat + k * size, lanes);
}

/* The tiles of a row of an image of the run, of a vector of planes, in all phases of columns. */
static void THNN_(transformRow)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r, ptrdiff_t n,
                                ptrdiff_t i, const real *const *rows, ptrdiff_t columnStride,
                                real *v)
{
  const THNNWindow *at = &w->at[2];
  for (ptrdiff_t phase = 0; phase < w->phases[2]; phase++) {
    /* The first column that is there, and its number among those of the tiles. */
    ptrdiff_t first = phase - at->pad, column = 0;
    if (first < 0 || w->phases[2] == 1) {
      column = at->dilation == 1 ? at->pad : THNN_(parts)(-first, at->dilation);
      first += column * at->dilation;
    }
    const real *from[SIDE];
    for (int k = 0; k < SIDE; k++)
      from[k] = rows[k] + first * columnStride;
    if (w->phases[2] > 1) /* other columns are there than in the phase before */
      memset(r->lines, 0, (size_t)w->lines * sizeof *r->lines);
    THNN_(winograd)->images(&r->tiles, w->first, w->end, n * w->phases[2] + phase, i, from,
                            columnStride * at->dilation, column,
                            THMax(0, THNN_(parts)(at->input - first, at->dilation)), r->lines, v,
                            w->number);
  }
}

/* Of some vectors of planes.  The last one ends with the planes, and begins with some of the one before. */
static void THNN_(transformImages)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                   ptrdiff_t group, ptrdiff_t begin, ptrdiff_t end)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes, wide = w->at[2].input;
  const ptrdiff_t columnStride = w->c->channelsLast ? w->planes * w->c->groups : lanes;
  memset(r->lines, 0, (size_t)w->lines * sizeof *r->lines); /* also where the padding is */
  if (w->c->channelsLast)
    memset(r->flat, 0, (size_t)w->flat * sizeof *r->flat);
  for (ptrdiff_t n = 0; n < r->tiles.images / w->phases[2]; n++)
    for (ptrdiff_t p = begin * lanes; p < THMin(end * lanes, r->planes); p += lanes) {
      const ptrdiff_t image = (r->image + n) / w->phases[1] * w->c->groups + group;
      const ptrdiff_t phase = (r->image + n) % w->phases[1];
      const ptrdiff_t plane = r->plane + THMin(p, r->planes - lanes);
      const real *from =
          w->c->channelsLast
              ? w->data.from + (image - group) * w->planes * w->source + group * w->planes + plane
              : w->data.from + (image * w->planes + plane) * w->source;
      ptrdiff_t transposed = 0;
      for (ptrdiff_t i = 0; i < r->tiles.down; i++) {
        const int points = THNNTiles_isLow(&r->tiles, i) ? THNN_WINOGRAD_SHORT : SIDE;
        for (; !w->c->channelsLast && transposed < STEP * i + points; transposed += w->stripRows)
          THNN_(transposeRows)(w, r, phase, transposed, from);
        const real *rows[SIDE];
        for (int k = 0; k < SIDE; k++) {
          const ptrdiff_t row = STEP * i + k, at = THNN_(sourceRow)(w, r, phase, row);
          rows[k] = !w->c->channelsLast              ? r->flat + row % w->keptRows * wide * lanes
                    : at >= 0 && at < w->at[1].input ? from + at * wide * columnStride
                                                     : r->flat;
        }
        THNN_(transformRow)(w, r, n, i, rows, columnStride, r->v + p / lanes * w->next);
      }
    }
}

/* The products of a block with weights u: sums over the planes. */
static void THNN_(multiplyBlock)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r, const real *u,
                                 ptrdiff_t vectors)
{
  const ptrdiff_t width = vectors * THNN_(implicit)->lanes, tiles = THNNTiles_count(&r->tiles);
  for (int k = 0; k < (w->end - w->first) * SIDE; k++)
    THNN_(winograd)->multiply(THNNTiles_ofPoints(&r->tiles, w->first + k / SIDE, k % SIDE),
                              w->planes, r->v + k * w->number, w->next, u + k * w->planes * width,
                              vectors, r->products + k * tiles * width);
}

/* Writes positions of a vector of results, which have been computed, where planes are first or few.
 */
static void THNN_(writeResults)(const THNN_(WinogradPlan) * w, ptrdiff_t positions, ptrdiff_t count,
                                const real *results, real *to)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes, all = w->results * w->c->groups;
  if (w->c->channelsLast && w->first == 0)
    THNN_(winograd)->copyRows(positions, count, results, lanes, to, all);
  else if (w->c->channelsLast)
    THNN_(winograd)->addRows(positions, count, results, lanes, to, all);
  else if (w->first == 0)
    THNN_(implicit)->transpose(positions, count, results, lanes, to, w->size);
  else
    THNN_(winograd)->addTransposed(positions, count, results, lanes, 1, to, w->size);
}

/* Rows of tiles of image n of the run become rows of a vector of results. */
static void THNN_(deliverTiles)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r, ptrdiff_t n,
                                ptrdiff_t row, ptrdiff_t rows, const real *products,
                                ptrdiff_t width, const real *start, ptrdiff_t count, real *to)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes, wide = w->at[2].output;
  const ptrdiff_t down = w->at[1].dilation, across = w->at[2].dilation;
  const ptrdiff_t phase = (r->image + n) % w->phases[1], all = w->results * w->c->groups;
  const ptrdiff_t top = STEP * (r->row + row);
  const ptrdiff_t high = THMin(STEP * rows, THNN_(inPhase)(&w->at[1], phase) - top);
  const ptrdiff_t next =
      wide * (w->c->channelsLast ? all : 1); /* from a row of the result to the next */
  to += (top * down + phase) * next;
  const int inPlace = w->c->channelsLast && count == lanes;
  real *results = inPlace ? to : r->transposed;
  const ptrdiff_t columnStride = inPlace ? all : lanes,
                  nextRow = wide * columnStride * (inPlace ? down : 1);
  for (ptrdiff_t i = 0; i < rows; i++)
    for (ptrdiff_t k = 0; k < w->phases[2]; k++)
      THNN_(winograd)->results(&r->tiles, w->first, w->end, n * w->phases[2] + k, row + i, products,
                               width, THNNTiles_count(&r->tiles) * width,
                               inPlace && w->first > 0 ? NULL : start, high - STEP * i,
                               THNN_(inPhase)(&w->at[2], k), r->lines,
                               results + STEP * i * nextRow + k * columnStride, nextRow,
                               across * columnStride);
  if (inPlace)
    return;
  const ptrdiff_t rowsAtOnce = down == 1 ? high : 1;
  for (ptrdiff_t k = 0; k < high; k += rowsAtOnce)
    THNN_(writeResults)(w, rowsAtOnce * wide, count, r->transposed + k * wide * lanes,
                        to + k * down * next);
}

static void THNN_(deliverBlock)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                ptrdiff_t first, ptrdiff_t vectors)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes, width = vectors * lanes;
  const ptrdiff_t stripRows = THMax(1, TRANSPOSED / (STEP * w->at[2].output));
  /* Points of other passes count as 0. */
  memset(r->lines, 0, (size_t)(SIDE * STEP * lanes) * sizeof *r->lines);
  for (ptrdiff_t n = 0; n < r->tiles.images / w->phases[2]; n++)
    for (ptrdiff_t row = 0; row < r->tiles.down; row += stripRows)
      for (ptrdiff_t o = 0; o < vectors; o++) {
        const ptrdiff_t result = first + o * lanes, count = THMin(lanes, w->results - result);
        real start[64] = {0};
        if (w->data.bias && w->first == 0)
          for (ptrdiff_t i = 0; i < count; i++)
            start[i] = w->data.bias[w->group * w->results + result + i];
        const ptrdiff_t image = (r->image + n) / w->phases[1] * w->c->groups + w->group;
        real *to = w->c->channelsLast ? w->data.to + (image - w->group) * w->results * w->size +
                                            w->group * w->results + result
                                      : w->data.to + (image * w->results + result) * w->size;
        THNN_(deliverTiles)(w, r, n, row, THMin(stripRows, r->tiles.down - row),
                            r->products + o * lanes, width, start, count, to);
      }
}

static void THNN_(computeRuns)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(WinogradPlan) *w = context;
  for (ptrdiff_t run = begin; run < end; run++) {
    const THNN_(Run) r = THNN_(runOf)(w, run);
    if (w->block == 0 || !w->isKept)
      THNN_(transformImages)(w, &r, w->group, 0, THNN_(vectorsOf)(w->planes));
    for (ptrdiff_t block = 0; block < w->count; block++) {
      const ptrdiff_t first = (w->block + block) * w->width;
      const ptrdiff_t vectors = THNN_(vectorsOf)(THMin(w->width, w->results - first));
      THNN_(multiplyBlock)(w, &r,
                           w->transformed ? THNN_(transformedBlock)(w, w->block + block, vectors)
                                          : w->weights + block * THNN_(ofBlock)(w),
                           vectors);
      THNN_(deliverBlock)(w, &r, first, vectors);
    }
  }
}

/* --- a single run, whose blocks the threads share ---------------------------------------------- */

static void THNN_(transformShared)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(WinogradPlan) *w = context;
  const THNN_(Run) r = THNN_(runOf)(w, 0);
  THNN_(transformImages)(w, &r, w->group, begin, end);
}

static void THNN_(computeBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(WinogradPlan) *w = context;
  const THNN_(Run) r = THNN_(runOf)(w, 0);
  real *u = r.transposed + w->transposed;
  for (ptrdiff_t block = begin; block < end; block++) {
    const ptrdiff_t first = block * w->width;
    const ptrdiff_t vectors = THNN_(vectorsOf)(THMin(w->width, w->results - first));
    for (ptrdiff_t plane = 0; !w->transformed && plane < w->planes; plane += TRANSPOSED_PLANES)
      THNN_(transformPlanes)(w, block, plane, r.transposed, u);
    THNN_(multiplyBlock)(w, &r, w->transformed ? THNN_(transformedBlock)(w, block, vectors) : u,
                         vectors);
    THNN_(deliverBlock)(w, &r, first, vectors);
  }
}

/* Some rows of the transforms. */
static void THNN_(convolveRuns)(THNN_(WinogradPlan) * w)
{
  for (w->block = 0; w->block < w->blocks; w->block += w->blocksAtOnce) {
    w->count = THMin(w->blocksAtOnce, w->blocks - w->block);
    if (!w->transformed)
      THParallel_forIn(w->threads, w->count * THNN_(parts)(w->planes, TRANSPOSED_PLANES),
                       THNN_(transformWeights), w);
    THParallel_forIn(w->threads, w->runs, THNN_(computeRuns), w);
  }
}

static void THNN_(convolveShared)(THNN_(WinogradPlan) * w)
{
  THParallel_forIn(w->threads, THNN_(vectorsOf)(w->planes), THNN_(transformShared), w);
  THParallel_forIn(w->threads, w->blocks, THNN_(computeBlocks), w);
}

void THNN_(convolveByWinograd3x3)(const THNNConvolution *c, int backward, THTensor *from,
                                  THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  THNN_(WinogradPlan) w;
  THNN_(plan)(c, backward, THParallel_threads(PTRDIFF_MAX, 1), &w);
  w.weights = THNN_(scratch)(&call, w.u);
  w.memory = THNN_(scratch)(&call, w.threads * THNN_(ofEach)(&w));
  w.data = THNN_(startConvolution)(&call, from, weight, bias, to);
  for (w.group = 0; w.group < c->groups; w.group++)
    for (w.first = 0; w.first < SIDE; w.first = w.end) {
      w.end = w.first + w.rows;
      (w.isShared ? THNN_(convolveShared) : THNN_(convolveRuns))(&w);
    }
  THNN_(finish)(&call);
}

/* --- the gradient of the weights ------------------------------------------------------------- */

/* It has the same three factors with other roles (F(3 x 3, 4 x 4)): tiles of x, and the 4 x 4 of
 * the gradient of y that belong to each, are transformed; sums over the tiles are products of
 * matrices of planes x tiles with tiles x outputs; and windows follow from the 36 sums.  Each
 * transform is one of those above, transposed. */

/* Vector operations. */
static double THNN_(costOfWeights)(const THNN_(WinogradPlan) * w)
{
  const double tiles = (double)THNNTiles_count(&w->tiles);
  const double vectors =
      (double)THNN_(parts)(THMin(w->results, w->blocksAtOnce * w->width), THNN_(implicit)->lanes);
  const double planes = (double)(THNN_(parts)(THMin(w->chunk, w->planes), 6) * 6);
  const double passes = SIDE / (double)w->rows;
  const double products = SIDE * SIDE * planes * vectors * (tiles + 12);
  const double gradients = vectors * tiles * (130 + 120 * passes);
  return (double)w->runs * (products + THNN_(costOfImages)(w, w->chunk, 1) + gradients) +
         planes * vectors * (200 + 100 * passes);
}

/* Chooses how many planes and blocks are computed at a time. */
static int THNN_(chooseChunks)(THNN_(WinogradPlan) * w, int threads, double *cost)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes;
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
      if (threads * THNN_(ofEach)(w) > THNNConvolution_memory(w->c, threads))
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
  if (!THNN_(measure)(c, 0, w))
    return INFINITY;
  THNN_(setBlocks)(w, THNN_(implicit)->vectors);
  double cost = INFINITY;
  THNN_(WinogradPlan) best = *w;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes * (sizeof rows / sizeof *rows); i++) {
    double mine;
    THNN_(WinogradPlan) other = *w;
    other.rows = rows[i % (sizeof rows / sizeof *rows)];
    THNN_(setRuns)(&other, sizes[i / (sizeof rows / sizeof *rows)], 1);
    other.isKept = 0;
    if (THNNTiles_count(&other.tiles) <= THNN_IMPLICIT_COLUMNS &&
        THNN_(chooseChunks)(&other, 1, &mine) && mine < cost) {
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
  double cost, direct;
  if (pass == THNN_BACKWARD_WEIGHTS) {
    cost = THNN_(planWeights)(c, plan);
    const double fraction =
        plan->planes < THNN_PARTED_PLANES ? 1 : THNNConvPlan_fraction(c, 0, THNN_PLAN_PICKED);
    direct = THNN_(costOfDirect)(plan) * fraction * (double)THMax(1, c->groups);
  } else {
    cost = THNN_(planOne)(c, backward, plan);
    direct = THNN_(costOfDirect)(plan) * THNNConvPlan_fraction(c, backward, THNN_PLAN_PICKED);
  }
  return cost / direct;
}

/* Rows of a phase of gradients, of a vector of outputs. */
static void THNN_(transposeRowsOfGradients)(const THNN_(WinogradPlan) * w, const real *from,
                                            ptrdiff_t count, ptrdiff_t high, real *to)
{
  const ptrdiff_t wide = w->at[2].output, all = w->c->outputs, down = w->at[1].dilation;
  const ptrdiff_t rowsAtOnce = down == 1 ? high : 1, lanes = THNN_(implicit)->lanes;
  for (ptrdiff_t k = 0; k < high; k += rowsAtOnce, to += rowsAtOnce * wide * lanes)
    if (w->c->channelsLast)
      THNN_(copyParts)(rowsAtOnce * wide, from + k * down * wide * all, all, count, to);
    else
      THNN_(packOutputs)(count, rowsAtOnce * wide, from + k * down * wide, w->size, to);
}

/* The tiles of a block of outputs: products of them with those of x are summed up. */
static void THNN_(transformGradients)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                      ptrdiff_t group, ptrdiff_t first, ptrdiff_t count)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes, wide = w->at[2].output;
  const ptrdiff_t width = THNN_(vectorsOf)(count) * lanes;
  const ptrdiff_t next = THNNTiles_count(&r->tiles) * width;
  const ptrdiff_t stripRows = THMax(1, THNN_(transposedRows)(w) / STEP); /* rows of tiles */
  const ptrdiff_t down = w->at[1].dilation, across = w->at[2].dilation;
  for (ptrdiff_t o = 0; o < count; o += lanes)
    for (ptrdiff_t n = 0; n < r->tiles.images / w->phases[2]; n++) {
      const ptrdiff_t image = (r->image + n) / w->phases[1] * w->c->groups + group;
      const ptrdiff_t phase = (r->image + n) % w->phases[1], all = w->c->outputs;
      const ptrdiff_t these = THMin(lanes, count - o);
      const real *y = w->c->channelsLast
                          ? w->data.weight + (image - group) * w->results * w->size +
                                group * w->results + first + o
                          : w->data.weight + (image * w->results + first + o) * w->size;
      const int inPlace = w->c->channelsLast && these == lanes;
      for (ptrdiff_t row = 0; row < r->tiles.down; row += stripRows) {
        const ptrdiff_t rows = THMin(stripRows, r->tiles.down - row), top = STEP * (r->row + row);
        const ptrdiff_t high = THMin(STEP * rows, THNN_(inPhase)(&w->at[1], phase) - top);
        const real *from = y + (top * down + phase) * wide * (w->c->channelsLast ? all : 1);
        ptrdiff_t columnStride = all, nextRow = down * wide * all;
        if (!inPlace) {
          THNN_(transposeRowsOfGradients)(w, from, these, high, r->transposed);
          from = r->transposed;
          columnStride = lanes;
          nextRow = wide * lanes;
        }
        for (ptrdiff_t i = 0; i < rows; i++)
          for (ptrdiff_t k = 0; k < w->phases[2]; k++)
            THNN_(winograd)->gradients(&r->tiles, w->first, w->end, n * w->phases[2] + k, row + i,
                                       from + STEP * i * nextRow + k * columnStride,
                                       high - STEP * i, THNN_(inPhase)(&w->at[2], k), nextRow,
                                       across * columnStride, r->lines, r->products + o, width,
                                       next);
      }
    }
}

/* Adds the weights of a block of outputs and some planes. */
static void THNN_(addTaps)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r, const real *sums,
                           ptrdiff_t group, ptrdiff_t first, ptrdiff_t count)
{
  const ptrdiff_t vectors = THNN_(vectorsOf)(count), width = vectors * THNN_(implicit)->lanes;
  real *m = r->transposed;
  for (ptrdiff_t p = 0; p < r->planes; p += TRANSPOSED_PLANES) {
    const ptrdiff_t planes = THMin(TRANSPOSED_PLANES, r->planes - p), terms = planes * TAPS;
    for (ptrdiff_t k = 0; k < planes; k++)
      THNN_(winograd)->taps(w->first, w->end, vectors, sums + (p + k) * width, r->planes * width,
                            m + k * TAPS * width);
    real *weights = w->data.to + (group * w->results + first) * w->c->depth + (r->plane + p) * TAPS;
    THNN_(winograd)->addTransposed(terms, count, m, width, w->scale, weights, w->c->depth);
  }
}

/* Some rows of the products of a few planes and a few blocks of outputs, over all tiles in their
 * order. */
static void THNN_(sumProducts)(const THNN_(WinogradPlan) * w, ptrdiff_t group, ptrdiff_t plane,
                               ptrdiff_t planes, ptrdiff_t from, ptrdiff_t blocks)
{
  const int numbers = (w->end - w->first) * SIDE;
  const ptrdiff_t size = numbers * planes * w->width; /* of a block's sums */
  THNN_(Run) r = THNN_(runOf)(w, 0);
  real *sums = r.transposed + w->transposed;
  memset(sums, 0, (size_t)(blocks * size) * sizeof *sums);
  for (ptrdiff_t run = 0; run < w->runs; run++) {
    r = THNN_(runOf)(w, run);
    r.plane = plane;
    r.planes = planes;
    THNN_(transformImages)(w, &r, group, 0, THNN_(vectorsOf)(planes));
    const ptrdiff_t tiles = THNNTiles_count(&r.tiles);
    for (ptrdiff_t block = 0; block < blocks; block++) {
      const ptrdiff_t first = (from + block) * w->width;
      const ptrdiff_t count = THMin(w->width, w->results - first);
      const ptrdiff_t vectors = THNN_(vectorsOf)(count), width = vectors * THNN_(implicit)->lanes;
      THNN_(transformGradients)(w, &r, group, first, count);
      for (int k = 0; k < numbers; k++)
        THNN_(implicit)->multiply(planes, w->plane + (plane + planes == w->planes ? w->chunk : 0),
                                  THNNTiles_ofPoints(&r.tiles, w->first + k / SIDE, k % SIDE),
                                  w->tile, r.v + k * w->number, 0, r.products + k * tiles * width,
                                  vectors, NULL, sums + block * size + k * planes * width, width);
    }
  }
  for (ptrdiff_t block = 0; block < blocks; block++) {
    const ptrdiff_t first = (from + block) * w->width;
    THNN_(addTaps)(w, &r, sums + block * size, group, first, THMin(w->width, w->results - first));
  }
}

static void THNN_(weightItems)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  THNN_(WinogradPlan) w = *(const THNN_(WinogradPlan) *)context;
  const ptrdiff_t chunks = THNN_(parts)(w.planes, w.chunk);
  const ptrdiff_t blockChunks = THNN_(parts)(w.blocks, w.blocksAtOnce);
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t plane = item % chunks * w.chunk,
                    from = item / chunks % blockChunks * w.blocksAtOnce;
    for (w.first = 0; w.first < SIDE; w.first = w.end) {
      w.end = w.first + w.rows;
      THNN_(sumProducts)(&w, item / chunks / blockChunks, plane, THMin(w.chunk, w.planes - plane),
                         from, THMin(w.blocksAtOnce, w.blocks - from));
    }
  }
}

/* Offsets of tiles and planes in a transformed run; of the last planes once more, whose last vector
 * ends with them. */
static void THNN_(listTiles)(THNN_(Call) * call, THNN_(WinogradPlan) * w)
{
  const ptrdiff_t tiles = THNNTiles_count(&w->tiles), lanes = THNN_(implicit)->lanes;
  const ptrdiff_t chunk = w->chunk, last = (w->planes - 1) % chunk + 1;
  ptrdiff_t *list = THNN_(scratchBytes)(call, (size_t)(tiles + 2 * chunk) * sizeof(ptrdiff_t));
  w->tile = list;
  for (ptrdiff_t t = 0; t < tiles; t++)
    *list++ = t * lanes;
  w->plane = list;
  for (ptrdiff_t p = 0; p < 2 * chunk; p++) {
    const ptrdiff_t plane = p % chunk, vector = plane / lanes;
    const ptrdiff_t lacks = p < chunk ? 0 : THMax(0, (vector + 1) * lanes - last);
    *list++ = vector * w->next + plane % lanes + lacks;
  }
}

/* The runs and rows are those of one thread: the order of the sums depends on them. */
void THNN_(weightsByWinograd3x3)(THNN_(Gradient) * g, THNN_(WinogradPlan) * w)
{
  for (int threads = THParallel_threads(PTRDIFF_MAX, 1); threads > 1; threads--) {
    double cost;
    THNN_(WinogradPlan) other = *w;
    if (THNN_(chooseChunks)(&other, threads, &cost)) {
      *w = other;
      break;
    }
  }
  w->memory = THNN_(scratch)(&g->call, w->threads * THNN_(ofEach)(w));
  THNN_(listTiles)(&g->call, w);
  THNN_(start)(&g->call);
  w->data = (THNN_(Operands)){THTensor_(data)(g->x), THTensor_(data)(g->y), NULL,
                              THTensor_(data)(g->gradWeight)};
  w->scale = g->scale;
  const ptrdiff_t chunks = THNN_(parts)(w->planes, w->chunk);
  THParallel_forIn(w->threads,
                   THMax(1, w->c->groups) * chunks * THNN_(parts)(w->blocks, w->blocksAtOnce),
                   THNN_(weightItems), w);
}
