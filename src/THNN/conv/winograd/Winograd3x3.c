/* The algorithm winograd3x3, forward and backward data, and transformed weights (Winograd3x3.h). */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/conv/Memory.h"
#include "Winograd3x3Parts.h"

TH_DISPATCH(THNN_(Winograd), THNN_(winograd))

/* --- weights --------------------------------------------------------------------------------- */

/* Transforms the weights of a block of results for TRANSPOSED_PLANES planes of the source from `plane` on.
 * m is scratch memory. */
static void THNN_(transformPlanes)(const THNN_(WinogradPlan) * w, ptrdiff_t block, ptrdiff_t plane,
                                   real *m, real *u)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t planes = THMin(TRANSPOSED_PLANES, w->planes - plane), first = block * w->width;
  const ptrdiff_t count = THMin(w->width, w->results - first);
  const ptrdiff_t vectors = THNN_(vectorsOf)(count),
                  width = vectors * TH_DISPATCHED(THNN_(implicit))->lanes;
  const real *weight = w->data.weight + w->group * (c->outputs / c->groups) * c->terms;
  if (w->backward) {
    for (ptrdiff_t p = 0; p < planes; p++)
      THNN_(packFilters)(count, TAPS, weight + (plane + p) * c->terms + first * TAPS,
                         m + p * TAPS * width);
  } else {
    THNN_(packOutputs)(count, planes * TAPS, weight + first * c->terms + plane * TAPS, c->terms, m);
  }
  for (ptrdiff_t p = 0; p < planes; p++)
    TH_DISPATCHED(THNN_(winograd))
        ->filters(w->first, w->end, w->backward, vectors, m + p * TAPS * width,
                  u + (plane + p) * width, w->planes * width);
}

/* Transforms the weights of the blocks of a round; an item is a block and TRANSPOSED_PLANES planes. */
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

/* Elements of the transformed weights of a block of results, for all points. */
static ptrdiff_t THNN_(ofTransformedBlock)(const THNN_(WinogradPlan) * w)
{
  return SIDE * SIDE * w->planes * w->width;
}

/* The elements of the transformed weights of all groups, or 0 if winograd3x3 does not support c.  Plans
 * their transform in *w. */
static ptrdiff_t THNN_(sizeOfTransformed)(const THNNConvolution *c, THNN_(WinogradPlan) * w)
{
  ptrdiff_t size = SIDE * SIDE;
  if (!THNN_(measureWinograd)(c, 0, w))
    return 0;
  THNN_(setWinogradBlocks)(w, BLOCK_VECTORS);
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
  if (!t || layer->transposed || THTensor_(nElement)(t) == 0)
    return NULL;
  THNN_(WinogradPlan) w;
  const ptrdiff_t size = THNN_(sizeOfTransformed)(c, &w);
  THArgCheck(THTensor_(nElement)(t) == size && THTensor_(isContiguous)(t), 2,
             "transformed has size %s, and this convolution has %lld elements of transformed "
             "weights",
             THTensor_(sizeDesc)(t).str, (long long)size);
  return THTensor_(data)(t);
}

/* The convolution with this weight of the smallest possible image. */
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

/* Transforms the weights of some blocks of results, which are counted on over the groups. */
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

/* The transformed weights of a block of so many vectors, for the points of the pass. */
static const real *THNN_(transformedBlock)(const THNN_(WinogradPlan) * w, ptrdiff_t block,
                                           ptrdiff_t vectors)
{
  return w->transformed + (w->group * w->blocks + block) * THNN_(ofTransformedBlock)(w) +
         w->first * SIDE * w->planes * vectors * TH_DISPATCHED(THNN_(implicit))->lanes;
}

/* --- tiles ----------------------------------------------------------------------------------- */

THNN_(Run) THNN_(winogradRunOf)(const THNN_(WinogradPlan) * w, ptrdiff_t run)
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

/* The index in the source of row `row` of a run, whose rows are of one phase.  It may lie outside the
 * image. */
static ptrdiff_t THNN_(sourceRow)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                  ptrdiff_t phase, ptrdiff_t row)
{
  return (STEP * r->row + row) * w->at[1].dilation + phase - w->at[1].pad;
}

/* Transposes rows of a run, from `row` on, for a vector of planes, into r->flat; rows outside the image are
 * 0. */
static void THNN_(transposeRows)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                 ptrdiff_t phase, ptrdiff_t row, const real *from)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, wide = w->at[2].input,
                  size = wide * lanes;
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
    TH_DISPATCHED(THNN_(implicit))
        ->transpose(lanes, rowsAtOnce * wide, from + (top + k * dilation) * wide, w->source,
                    flat + k * size, lanes);
}

/* Transforms row i of tiles of image n of the run, for a vector of planes, in all phases of columns. */
static void THNN_(transformRow)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r, ptrdiff_t n,
                                ptrdiff_t i, const real *const *rows, ptrdiff_t columnStride,
                                real *v)
{
  const THNNWindow *at = &w->at[2];
  for (ptrdiff_t phase = 0; phase < w->phases[2]; phase++) {
    /* The first column of the phase that is in the image, and its index among the columns of tiles. */
    ptrdiff_t first = phase - at->pad, column = 0;
    if (first < 0 || w->phases[2] == 1) {
      column = at->dilation == 1 ? at->pad : THNN_(parts)(-first, at->dilation);
      first += column * at->dilation;
    }
    const real *from[SIDE];
    for (int k = 0; k < SIDE; k++)
      from[k] = rows[k] + first * columnStride;
    if (w->phases[2] > 1) /* clears what the phase before has written in columns of padding */
      memset(r->lines, 0, (size_t)w->lines * sizeof *r->lines);
    TH_DISPATCHED(THNN_(winograd))
        ->images(&r->tiles, w->first, w->end, n * w->phases[2] + phase, i, from,
                 columnStride * at->dilation, column,
                 THMax(0, THNN_(parts)(at->input - first, at->dilation)), r->lines, v,
                 w->valueStride);
  }
}

void THNN_(transformWinogradImages)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                    ptrdiff_t group, ptrdiff_t begin, ptrdiff_t end)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, wide = w->at[2].input;
  const ptrdiff_t columnStride = w->c->channelsLast ? w->planes * w->c->groups : lanes;
  memset(r->lines, 0, (size_t)w->lines * sizeof *r->lines); /* columns of padding stay 0 */
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
        THNN_(transformRow)(w, r, n, i, rows, columnStride, r->v + p / lanes * w->vectorStride);
      }
    }
}

/* Multiplies the values of a run with the weights u of a block, and sums up over the planes. */
static void THNN_(multiplyBlock)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r, const real *u,
                                 ptrdiff_t vectors)
{
  const ptrdiff_t width = vectors * TH_DISPATCHED(THNN_(implicit))->lanes,
                  tiles = THNNTiles_count(&r->tiles);
  for (int k = 0; k < (w->end - w->first) * SIDE; k++)
    TH_DISPATCHED(THNN_(winograd))
        ->multiply(THNNTiles_ofPoints(&r->tiles, w->first + k / SIDE, k % SIDE), w->planes,
                   r->v + k * w->valueStride, w->vectorStride, u + k * w->planes * width, vectors,
                   r->products + k * tiles * width);
}

/* Writes or, after the first pass, adds some positions of a vector of results to the result, if these were
 * computed in a buffer. */
static void THNN_(writeResults)(const THNN_(WinogradPlan) * w, ptrdiff_t positions, ptrdiff_t count,
                                const real *results, real *to)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, all = w->results * w->c->groups;
  if (w->c->channelsLast && w->first == 0)
    TH_DISPATCHED(THNN_(winograd))->copyRows(positions, count, results, lanes, to, all);
  else if (w->c->channelsLast)
    TH_DISPATCHED(THNN_(winograd))->addRows(positions, count, results, lanes, to, all);
  else if (w->first == 0)
    TH_DISPATCHED(THNN_(implicit))->transpose(positions, count, results, lanes, to, w->size);
  else
    TH_DISPATCHED(THNN_(winograd))->addTransposed(positions, count, results, lanes, 1, to, w->size);
}

/* Transforms the products of some rows of tiles of image n of the run back, and writes a vector of results.
 * Channels-last results of whole vectors are written in place. */
static void THNN_(writeTiles)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r, ptrdiff_t n,
                              ptrdiff_t row, ptrdiff_t rows, const real *products, ptrdiff_t width,
                              const real *start, ptrdiff_t count, real *to)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, wide = w->at[2].output;
  const ptrdiff_t rowDilation = w->at[1].dilation, columnDilation = w->at[2].dilation;
  const ptrdiff_t phase = (r->image + n) % w->phases[1], all = w->results * w->c->groups;
  const ptrdiff_t top = STEP * (r->row + row);
  const ptrdiff_t high = THMin(STEP * rows, THNN_(inPhase)(&w->at[1], phase) - top);
  const ptrdiff_t next = wide * (w->c->channelsLast ? all : 1); /* stride of the result's rows */
  to += (top * rowDilation + phase) * next;
  const int inPlace = w->c->channelsLast && count == lanes;
  real *results = inPlace ? to : r->transposed;
  const ptrdiff_t columnStride = inPlace ? all : lanes,
                  nextRow = wide * columnStride * (inPlace ? rowDilation : 1);
  for (ptrdiff_t i = 0; i < rows; i++)
    for (ptrdiff_t k = 0; k < w->phases[2]; k++)
      TH_DISPATCHED(THNN_(winograd))
          ->results(&r->tiles, w->first, w->end, n * w->phases[2] + k, row + i, products, width,
                    THNNTiles_count(&r->tiles) * width, inPlace && w->first > 0 ? NULL : start,
                    w->activation, high - STEP * i, THNN_(inPhase)(&w->at[2], k), r->lines,
                    results + STEP * i * nextRow + k * columnStride, nextRow,
                    columnDilation * columnStride);
  if (inPlace)
    return;
  const ptrdiff_t rowsAtOnce = rowDilation == 1 ? high : 1;
  for (ptrdiff_t k = 0; k < high; k += rowsAtOnce)
    THNN_(writeResults)(w, rowsAtOnce * wide, count, r->transposed + k * wide * lanes,
                        to + k * rowDilation * next);
}

/* Transforms the products of a block back, and writes the results. */
static void THNN_(writeBlock)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r, ptrdiff_t first,
                              ptrdiff_t vectors)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, width = vectors * lanes;
  const ptrdiff_t stripRows = THMax(1, TRANSPOSED / (STEP * w->at[2].output));
  /* The lines of points of other passes count as 0. */
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
        THNN_(writeTiles)(w, r, n, row, THMin(stripRows, r->tiles.down - row),
                          r->products + o * lanes, width, start, count, to);
      }
}

/* Computes the blocks of a round for some runs. */
static void THNN_(computeRuns)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(WinogradPlan) *w = context;
  for (ptrdiff_t run = begin; run < end; run++) {
    const THNN_(Run) r = THNN_(winogradRunOf)(w, run);
    if (w->block == 0 || !w->isKept)
      THNN_(transformWinogradImages)(w, &r, w->group, 0, THNN_(vectorsOf)(w->planes));
    for (ptrdiff_t block = 0; block < w->count; block++) {
      const ptrdiff_t first = (w->block + block) * w->width;
      const ptrdiff_t vectors = THNN_(vectorsOf)(THMin(w->width, w->results - first));
      THNN_(multiplyBlock)(w, &r,
                           w->transformed ? THNN_(transformedBlock)(w, w->block + block, vectors)
                                          : w->weights + block * THNN_(ofBlock)(w),
                           vectors);
      THNN_(writeBlock)(w, &r, first, vectors);
    }
  }
}

/* --- a single run, whose blocks the threads share ---------------------------------------------- */

static void THNN_(transformShared)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(WinogradPlan) *w = context;
  const THNN_(Run) r = THNN_(winogradRunOf)(w, 0);
  THNN_(transformWinogradImages)(w, &r, w->group, begin, end);
}

static void THNN_(computeBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(WinogradPlan) *w = context;
  const THNN_(Run) r = THNN_(winogradRunOf)(w, 0);
  real *u = r.transposed + w->transposed;
  for (ptrdiff_t block = begin; block < end; block++) {
    const ptrdiff_t first = block * w->width;
    const ptrdiff_t vectors = THNN_(vectorsOf)(THMin(w->width, w->results - first));
    for (ptrdiff_t plane = 0; !w->transformed && plane < w->planes; plane += TRANSPOSED_PLANES)
      THNN_(transformPlanes)(w, block, plane, r.transposed, u);
    THNN_(multiplyBlock)(w, &r, w->transformed ? THNN_(transformedBlock)(w, block, vectors) : u,
                         vectors);
    THNN_(writeBlock)(w, &r, first, vectors);
  }
}

/* Computes a pass; the threads share the runs. */
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

/* Computes a pass of a single run; the threads share its vectors of planes, and then its blocks. */
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
  THNN_(planWinograd)(c, backward, THParallel_threads(PTRDIFF_MAX, 1), &w);
  w.weights = THNN_(scratch)(&call, w.u);
  w.memory = THNN_(scratch)(&call, w.threads * THNN_(ofEach)(&w));
  w.data = THNN_(startConvolution)(&call, from, weight, bias, to);
  w.activation = w.rows == SIDE ? THNNConvolution_activate(c, backward) : NULL;
  for (w.group = 0; w.group < c->groups; w.group++)
    for (w.first = 0; w.first < SIDE; w.first = w.end) {
      w.end = w.first + w.rows;
      (w.isShared ? THNN_(convolveShared) : THNN_(convolveRuns))(&w);
    }
  THNN_(finish)(&call);
}
