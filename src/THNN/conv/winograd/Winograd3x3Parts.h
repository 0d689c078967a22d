/* What Winograd3x3.c, its plans (Winograd3x3Plan.c) and the gradient of the weights (Winograd3x3Weights.c) share,
 * per type. */

enum {
  SIDE = THNN_WINOGRAD_SIDE,
  STEP = THNN_WINOGRAD_STEP,
  TAPS = THNN_WINOGRAD_SIZE * THNN_WINOGRAD_SIZE,
  BLOCK_VECTORS = 2,      /* of results, in a block */
  TRANSPOSED_PLANES = 16, /* planes whose windows are transposed together */
  TRANSPOSED = 256        /* positions of the source and of the result, about, likewise */
};

static inline ptrdiff_t THNN_(parts)(ptrdiff_t whole, ptrdiff_t part)
{
  return (whole + part - 1) / part;
}

/* The number of results of a phase; the first phase has most. */
static inline ptrdiff_t THNN_(inPhase)(const THNNWindow *at, ptrdiff_t phase)
{
  return THNN_(parts)(at->output - phase, at->dilation);
}

static inline int THNN_(isShort)(const THNNWindow *at)
{
  return (THNN_(inPhase)(at, 0) - 1) % STEP < 2;
}

/* Images whose rows are those of a phase. */
static inline ptrdiff_t THNN_(batchOf)(const THNN_(WinogradPlan) * w)
{
  return w->c->batch * w->phases[1];
}

/* Rows of the result, about, that are transposed together. */
static inline ptrdiff_t THNN_(transposedRows)(const THNN_(WinogradPlan) * w)
{
  return THMax(STEP, THMin(STEP * w->tiles.down, TRANSPOSED / w->at[2].output));
}

/* Elements of memory of each thread (or of each run, where that is kept). */
static inline ptrdiff_t THNN_(beforeTransposed)(const THNN_(WinogradPlan) * w)
{
  return w->flat + w->lines + (w->isShared ? 0 : w->v) + w->products;
}

static inline ptrdiff_t THNN_(ofEach)(const THNN_(WinogradPlan) * w)
{
  return THNN_(beforeTransposed)(w) + w->transposed + w->sums;
}

/* The transformed windows of a block of results. */
static inline ptrdiff_t THNN_(ofBlock)(const THNN_(WinogradPlan) * w)
{
  return w->rows * SIDE * w->planes * w->width;
}

/* Whether it is a convolution of this kind, and its sizes. */
int THNN_(measureWinograd)(const THNNConvolution *c, int backward, THNN_(WinogradPlan) * w);

/* Blocks of results, of as many vectors at most. */
void THNN_(setWinogradBlocks)(THNN_(WinogradPlan) * w, ptrdiff_t vectors);

/* The plan of as many threads as there is memory for.  The rows are those of one thread: the order
 * of the sums depends on the rows. */
void THNN_(planWinograd)(const THNNConvolution *c, int backward, int threads,
                         THNN_(WinogradPlan) * w);

/* The gradient of the weights: chooses how many planes and blocks are computed at a time; returns 0 if there is no
 * memory for any choice. */
int THNN_(chooseWinogradChunks)(THNN_(WinogradPlan) * w, int threads, double *cost);

/* A run of tiles, and the memory of its thread. */
typedef struct {
  THNNTiles tiles;
  ptrdiff_t image, row;    /* the first ones, of the images of batchOf */
  ptrdiff_t plane, planes; /* of the source */
  real *flat, *lines, *v, *products, *transposed;
} THNN_(Run);

/* The run of that number, of all planes. */
THNN_(Run) THNN_(winogradRunOf)(const THNN_(WinogradPlan) * w, ptrdiff_t run);

/* Transforms the tiles of a run, of some vectors of planes.  The last vector ends with the planes, and begins with
 * some of the one before. */
void THNN_(transformWinogradImages)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                    ptrdiff_t group, ptrdiff_t begin, ptrdiff_t end);
