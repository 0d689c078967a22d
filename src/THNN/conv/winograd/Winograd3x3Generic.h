/* Kernels of winograd3x3.  Other algorithms use copyRows, addRows and addTransposed too.
 *
 * The transform of a tile has 36 values, numbered a * 6 + b for point a down and point b across.
 * Transforms work on one row of tiles, row i of an image: first down, into `lines`, and then across.  A
 * vector holds one value of as many planes, or results, as it has lanes.
 *
 * A pass computes the points [first, end) down, with all six points across.  Value first * 6 is at the
 * given address, and `next` is the stride of values.  A value is stored for those tiles alone that have
 * its points (THNNTiles_before). */
typedef struct {
  /* Transforms tiles of the source: v[value][tile].  rows: the six rows of the source, each of `wide`
   * columns (vectors), columnStride apart.  Column 0 of rows is column `column` of the tiles, which may
   * be negative; columns of the tiles outside of rows count as 0. */
  void (*images)(const THNNTiles *t, int first, int end, ptrdiff_t image, ptrdiff_t i,
                 const real *const *rows, ptrdiff_t columnStride, ptrdiff_t column, ptrdiff_t wide,
                 real *lines, real *v, ptrdiff_t next);
  /* Transforms filters: m[9][o] becomes u[value][o], for `vectors` vectors of results o.  backward: the
   * filters are rotated by 180 degrees. */
  void (*filters)(int first, int end, int backward, ptrdiff_t vectors, const real *m, real *u,
                  ptrdiff_t next);
  /* products[tile][o] = the sum over the planes of v[plane][tile] * u[plane][o], for one or two vectors
   * of results o.  v has a vector of planes for each tile; nextPlanes is the stride to the next vector
   * of planes.  The last vector ends with the last plane.  The weights after u are prefetched. */
  void (*multiply)(ptrdiff_t tiles, ptrdiff_t planes, const real *v, ptrdiff_t nextPlanes,
                   const real *u, ptrdiff_t vectors, real *products);
  /* Transforms products back: products[value][tile], whose tiles are `width` apart, become the results
   * y[row][column] of `high` rows and `wide` columns, with strides nextRow and nextColumn.  They are
   * added to start, or to y if start is NULL, and the sums go through the activation unless it is NULL.
   * lines begins with 24 vectors, which have to be 0 for points outside [first, end). */
  void (*results)(const THNNTiles *t, int first, int end, ptrdiff_t image, ptrdiff_t i,
                  const real *products, ptrdiff_t width, ptrdiff_t next, const real *start,
                  const THNNActivation *activation, ptrdiff_t high, ptrdiff_t wide, real *lines,
                  real *y, ptrdiff_t nextRow, ptrdiff_t nextColumn);
  /* The transpose of `results`: the gradients y[row][column] become z[value][tile], whose tiles are
   * `width` apart. */
  void (*gradients)(const THNNTiles *t, int first, int end, ptrdiff_t image, ptrdiff_t i,
                    const real *y, ptrdiff_t high, ptrdiff_t wide, ptrdiff_t nextRow,
                    ptrdiff_t nextColumn, real *lines, real *z, ptrdiff_t width, ptrdiff_t next);
  /* The transpose of `filters`: sums[value][o], the sums over the tiles of products of values of gradients
   * and of images, become m[9][o], gradients of filters. */
  void (*taps)(int first, int end, ptrdiff_t vectors, const real *sums, ptrdiff_t next, real *m);
  /* y[i][j] = x[i][j] for rows of n elements; nextX and nextY are the strides of rows. */
  void (*copyRows)(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX, real *y,
                   ptrdiff_t nextY);
  /* y[i][j] += x[i][j] for rows of n elements; nextX and nextY are the strides of rows. */
  void (*addRows)(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX, real *y,
                  ptrdiff_t nextY);
  /* y[i][j] += scale * x[j][i] for i < n, j < rows.  The rows of x have whole vectors of elements, of
   * which the first n count; nextX and nextY are the strides of rows. */
  void (*addTransposed)(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX, accreal scale,
                        real *y, ptrdiff_t nextY);
} THNN_(Winograd);

extern const THNN_(Winograd) *const THNN_(winograd)[];

/* The plan of a call, and the round that is being computed: blocksAtOnce blocks of one pass.  The plan takes no
 * more memory than THNNConvolution_memoryAtLeast allows. */
typedef struct THNN_(WinogradPlan) {
  const THNNConvolution *c;
  int backward;
  /* For the gradient of the weights: from is x, weight the gradient of y, bias NULL, and to the gradient
   * of the weights. */
  THNN_(Operands) data;
  ptrdiff_t planes;       /* planes of a group of the source */
  ptrdiff_t results;      /* planes of a group of the result */
  THNNWindow at[3];       /* windows: input is of the source, output of the result */
  ptrdiff_t phases[3];    /* number of interleaved convolutions: min(dilation, output) */
  ptrdiff_t source;       /* elements of a plane of the source */
  ptrdiff_t size;         /* elements of a plane of the result */
  ptrdiff_t down;         /* rows of tiles of an image (of its first phase of rows) */
  ptrdiff_t width;        /* results of a block */
  ptrdiff_t blocks;       /* blocks of results */
  ptrdiff_t blocksAtOnce; /* blocks whose transformed weights are in memory at a time */
  int rows;               /* points down of a pass: the results are the sum over the passes */
  THNNTiles tiles;        /* tiles of a run, at most */
  ptrdiff_t runs;         /* number of runs */
  ptrdiff_t bands;        /* runs of an image; 1 if a run has whole images */
  int isKept;             /* the transformed tiles of a run are kept, and used for all blocks */
  int isShared;           /* the threads share the blocks of a single run */
  ptrdiff_t vectorStride; /* stride of vectors of planes in the transformed tiles of a run */
  ptrdiff_t valueStride;  /* stride of the 36 values in the transformed tiles of a run */
  ptrdiff_t u;            /* elements of the buffer weights */
  /* Elements of the buffers of each thread: */
  ptrdiff_t flat;     /* transposed rows of the source; channels-last: one row of zeros */
  ptrdiff_t lines;    /* values of a row of tiles that are transformed down */
  ptrdiff_t v;        /* the transformed tiles of a run */
  ptrdiff_t products; /* products of a run with a block */
  /* Sums of the gradient of the weights; if isShared, transformed weights of a block. */
  ptrdiff_t sums;
  ptrdiff_t transposed; /* packed weights, or rows of results before their transposition */
  ptrdiff_t stripRows;  /* rows of the source that are transposed together */
  ptrdiff_t keptRows;   /* transposed rows of the source that flat holds */
  real *weights;        /* transformed weights; the transformed tiles of the run if isShared */
  real *memory;         /* the buffers of all threads */
  const THNNActivation *activation; /* of results, in a single pass; or NULL */
  const real *transformed; /* the caller's transformed weights, or NULL if a call transforms them */
  int threads;
  /* The round that is being computed: */
  ptrdiff_t group;
  ptrdiff_t block, count; /* first block and number of blocks */
  int first, end;         /* the points [first, end) down */
  /* For the gradient of the weights: */
  ptrdiff_t chunk;        /* planes of the source that are computed together */
  const ptrdiff_t *tile;  /* offsets of tiles in a transformed run */
  const ptrdiff_t *plane; /* offsets of planes in a transformed run; then those of the last chunk */
  accreal scale;
} THNN_(WinogradPlan);

/* The elements of the layer's transformed weights, or NULL if it has none.  Raises if they do not fit
 * the convolution. */
const void *THNN_(transformedOf)(const THNNLayer *layer, const THNNConvolution *c);
