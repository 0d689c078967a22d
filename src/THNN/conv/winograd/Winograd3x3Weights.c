/* The algorithm winograd3x3, backward weights (F(3 x 3, 4 x 4)).
 *
 * Tiles of x, and the 4 x 4 elements of the gradient of y that belong to each tile, are transformed to 36
 * values each.  For each value the sums over the tiles are a product of matrices: planes x tiles times
 * tiles x outputs.  The gradients of filters follow from the 36 sums.  The transforms of the gradient of y
 * and of the sums are transposes of those in Winograd3x3.c. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/conv/Memory.h"
#include "Winograd3x3Parts.h"

/* Packs `high` rows of one phase of the gradient of y, for up to a vector of outputs. */
static void THNN_(transposeRowsOfGradients)(const THNN_(WinogradPlan) * w, const real *from,
                                            ptrdiff_t count, ptrdiff_t high, real *to)
{
  const ptrdiff_t wide = w->at[2].output, all = w->c->outputs, rowDilation = w->at[1].dilation;
  const ptrdiff_t rowsAtOnce = rowDilation == 1 ? high : 1,
                  lanes = TH_DISPATCHED(THNN_(implicit))->lanes;
  for (ptrdiff_t k = 0; k < high; k += rowsAtOnce, to += rowsAtOnce * wide * lanes)
    if (w->c->channelsLast)
      THNN_(copyParts)(rowsAtOnce * wide, from + k * rowDilation * wide * all, all, count, to);
    else
      THNN_(packOutputs)(count, rowsAtOnce * wide, from + k * rowDilation * wide, w->size, to);
}

/* Transforms the tiles of the gradient of y of a run, for a block of outputs, into r->products. */
static void THNN_(transformGradients)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                      ptrdiff_t group, ptrdiff_t first, ptrdiff_t count)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes, wide = w->at[2].output;
  const ptrdiff_t width = THNN_(vectorsOf)(count) * lanes;
  const ptrdiff_t next = THNNTiles_count(&r->tiles) * width;
  const ptrdiff_t stripRows = THMax(1, THNN_(transposedRows)(w) / STEP); /* rows of tiles */
  const ptrdiff_t rowDilation = w->at[1].dilation, columnDilation = w->at[2].dilation;
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
        const real *from = y + (top * rowDilation + phase) * wide * (w->c->channelsLast ? all : 1);
        ptrdiff_t columnStride = all, nextRow = rowDilation * wide * all;
        if (!inPlace) {
          THNN_(transposeRowsOfGradients)(w, from, these, high, r->transposed);
          from = r->transposed;
          columnStride = lanes;
          nextRow = wide * lanes;
        }
        for (ptrdiff_t i = 0; i < rows; i++)
          for (ptrdiff_t k = 0; k < w->phases[2]; k++)
            TH_DISPATCHED(THNN_(winograd))
                ->gradients(&r->tiles, w->first, w->end, n * w->phases[2] + k, row + i,
                            from + STEP * i * nextRow + k * columnStride, high - STEP * i,
                            THNN_(inPhase)(&w->at[2], k), nextRow, columnDilation * columnStride,
                            r->lines, r->products + o, width, next);
      }
    }
}

/* Transforms the sums of a block of outputs and of a run's planes back, and adds them to the weights. */
static void THNN_(addTaps)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r, const real *sums,
                           ptrdiff_t group, ptrdiff_t first, ptrdiff_t count)
{
  const ptrdiff_t vectors = THNN_(vectorsOf)(count),
                  width = vectors * TH_DISPATCHED(THNN_(implicit))->lanes;
  real *m = r->transposed;
  for (ptrdiff_t p = 0; p < r->planes; p += TRANSPOSED_PLANES) {
    const ptrdiff_t planes = THMin(TRANSPOSED_PLANES, r->planes - p), terms = planes * TAPS;
    for (ptrdiff_t k = 0; k < planes; k++)
      TH_DISPATCHED(THNN_(winograd))
          ->taps(w->first, w->end, vectors, sums + (p + k) * width, r->planes * width,
                 m + k * TAPS * width);
    real *weights = w->data.to + (group * w->results + first) * w->c->terms + (r->plane + p) * TAPS;
    TH_DISPATCHED(THNN_(winograd))
        ->addTransposed(terms, count, m, width, w->scale, weights, w->c->terms);
  }
}

/* Computes a pass for a few planes and a few blocks of outputs: sums over all tiles, in order. */
static void THNN_(sumProducts)(const THNN_(WinogradPlan) * w, ptrdiff_t group, ptrdiff_t plane,
                               ptrdiff_t planes, ptrdiff_t from, ptrdiff_t blocks)
{
  const int values = (w->end - w->first) * SIDE;
  const ptrdiff_t size = values * planes * w->width; /* elements of a block's sums */
  THNN_(Run) r = THNN_(winogradRunOf)(w, 0);
  real *sums = r.transposed + w->transposed;
  memset(sums, 0, (size_t)(blocks * size) * sizeof *sums);
  for (ptrdiff_t run = 0; run < w->runs; run++) {
    r = THNN_(winogradRunOf)(w, run);
    r.plane = plane;
    r.planes = planes;
    THNN_(transformWinogradImages)(w, &r, group, 0, THNN_(vectorsOf)(planes));
    const ptrdiff_t tiles = THNNTiles_count(&r.tiles);
    for (ptrdiff_t block = 0; block < blocks; block++) {
      const ptrdiff_t first = (from + block) * w->width;
      const ptrdiff_t count = THMin(w->width, w->results - first);
      const ptrdiff_t vectors = THNN_(vectorsOf)(count),
                      width = vectors * TH_DISPATCHED(THNN_(implicit))->lanes;
      THNN_(transformGradients)(w, &r, group, first, count);
      for (int k = 0; k < values; k++)
        TH_DISPATCHED(THNN_(implicit))
            ->multiply(planes, w->plane + (plane + planes == w->planes ? w->chunk : 0),
                       THNNTiles_ofPoints(&r.tiles, w->first + k / SIDE, k % SIDE), w->tile,
                       r.v + k * w->valueStride, 0, r.products + k * tiles * width, vectors, NULL,
                       sums + block * size + k * planes * width, width);
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

/* Lists the offsets of tiles and planes in a transformed run.  Planes are listed twice: the last chunk,
 * whose last vector ends with the last plane, has offsets of its own. */
static void THNN_(listTiles)(THNN_(Call) * call, THNN_(WinogradPlan) * w)
{
  const ptrdiff_t tiles = THNNTiles_count(&w->tiles), lanes = TH_DISPATCHED(THNN_(implicit))->lanes;
  const ptrdiff_t chunk = w->chunk, last = (w->planes - 1) % chunk + 1;
  ptrdiff_t *list = THNN_(scratchBytes)(call, (size_t)(tiles + 2 * chunk) * sizeof(ptrdiff_t));
  w->tile = list;
  for (ptrdiff_t t = 0; t < tiles; t++)
    *list++ = t * lanes;
  w->plane = list;
  for (ptrdiff_t p = 0; p < 2 * chunk; p++) {
    const ptrdiff_t plane = p % chunk, vector = plane / lanes;
    const ptrdiff_t lacks = p < chunk ? 0 : THMax(0, (vector + 1) * lanes - last);
    *list++ = vector * w->vectorStride + plane % lanes + lacks;
  }
}

/* The runs, and the points of a pass, are the same as for one thread, because the order of the sums depends
 * on them. */
void THNN_(weightsByWinograd3x3)(THNN_(Gradient) * g, THNN_(WinogradPlan) * w)
{
  for (int threads = THParallel_threads(PTRDIFF_MAX, 1); threads > 1; threads--) {
    double cost;
    THNN_(WinogradPlan) other = *w;
    if (THNN_(chooseWinogradChunks)(&other, threads, &cost)) {
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
