/* What Winograd3x3.c, its plans (Winograd3x3Plan.c) and the gradient of the weights (Winograd3x3Weights.c)
 * share, per type. */

enum {
  SIDE = THNN_WINOGRAD_SIDE,
  STEP = THNN_WINOGRAD_STEP,
  TAPS = THNN_WINOGRAD_SIZE * THNN_WINOGRAD_SIZE,
  BLOCK_VECTORS = 2,      /* vectors of result planes in a block */
  TRANSPOSED_PLANES = 16, /* planes whose weights are packed together */
  TRANSPOSED = 256        /* positions of source or result that are transposed together, about */
};

/* whole / part, rounded up. */
static inline ptrdiff_t THNN_(parts)(ptrdiff_t whole, ptrdiff_t part)
{
  return (whole + part - 1) / part;
}

/* The number of results of a phase in one dimension; the first phase has most. */
static inline ptrdiff_t THNN_(inPhase)(const THNNWindow *at, ptrdiff_t phase)
{
  return THNN_(parts)(at->output - phase, at->dilation);
}

/* Whether the last tile of the first phase is short in one dimension. */
static inline int THNN_(isShort)(const THNNWindow *at)
{
  return (THNN_(inPhase)(at, 0) - 1) % STEP < 2;
}

/* The number of images, each phase of rows counted as an image. */
static inline ptrdiff_t THNN_(batchOf)(const THNN_(WinogradPlan) * w)
{
  return w->c->batch * w->phases[1];
}

/* Rows of the result, about, that are transposed together. */
static inline ptrdiff_t THNN_(transposedRows)(const THNN_(WinogradPlan) * w)
{
  return THMax(STEP, THMin(STEP * w->tiles.down, TRANSPOSED / w->at[2].output));
}

/* The offset of the buffer `transposed` in the memory of a thread. */
static inline ptrdiff_t THNN_(beforeTransposed)(const THNN_(WinogradPlan) * w)
{
  return w->flat + w->lines + (w->isShared ? 0 : w->v) + w->products;
}

/* Elements of the memory of a thread; of a run, if transformed runs are kept. */
static inline ptrdiff_t THNN_(ofEach)(const THNN_(WinogradPlan) * w)
{
  return THNN_(beforeTransposed)(w) + w->transposed + w->sums;
}

/* Elements of the transformed weights of a block of results, for the points of one pass. */
static inline ptrdiff_t THNN_(ofBlock)(const THNN_(WinogradPlan) * w)
{
  return w->rows * SIDE * w->planes * w->width;
}

/* Whether winograd3x3 supports c; if so, sets the sizes in *w. */
int THNN_(measureWinograd)(const THNNConvolution *c, int backward, THNN_(WinogradPlan) * w);

/* Divides the results into blocks of at most `vectors` vectors. */
void THNN_(setWinogradBlocks)(THNN_(WinogradPlan) * w, ptrdiff_t vectors);

/* Plans for as many threads as there is memory for, at most `threads`.  w->rows is the same as for one
 * thread, because the order of the sums depends on it. */
void THNN_(planWinograd)(const THNNConvolution *c, int backward, int threads,
                         THNN_(WinogradPlan) * w);

/* For the gradient of the weights: chooses how many planes and blocks are computed at a time.  Returns 0 if
 * there is not enough memory for any choice. */
int THNN_(chooseWinogradChunks)(THNN_(WinogradPlan) * w, int threads, double *cost);

/* A run of tiles, and the memory of its thread. */
typedef struct {
  THNNTiles tiles;
  ptrdiff_t image;         /* the first image, counted as batchOf counts */
  ptrdiff_t row;           /* the first row of tiles of this image */
  ptrdiff_t plane, planes; /* first plane and number of planes of the source */
  real *flat, *lines, *v, *products, *transposed; /* buffers (THNN_(WinogradPlan)) */
} THNN_(Run);

/* Run number `run`, with all planes. */
THNN_(Run) THNN_(winogradRunOf)(const THNN_(WinogradPlan) * w, ptrdiff_t run);

/* Transforms the tiles of a run, for the vectors [begin, end) of its planes.  The last vector ends with the
 * last plane, and overlaps the one before. */
void THNN_(transformWinogradImages)(const THNN_(WinogradPlan) * w, const THNN_(Run) * r,
                                    ptrdiff_t group, ptrdiff_t begin, ptrdiff_t end);
