/* The transforms go along rows of tiles, row i of an image each, first down, to lines, and then
 * across.  Vectors have an element each of as many planes or results.
 *
 * Points down are those from first to below end, with the six across numbers of each: first * 6 is
 * at the given address, the others next apart.  A number has elements of those tiles alone that
 * need its points (THNNTiles_before). */
typedef struct {
  /* Tiles of the source: v[number][tile].  rows: the six rows of the source, of as many vectors as
   * are wide, columnStride apart, which belong to the columns of the tiles from column on (or
   * before them, if that is negative); others count as 0. */
  void (*images)(const THNNTiles *t, int first, int end, ptrdiff_t image, ptrdiff_t i,
                 const real *const *rows, ptrdiff_t columnStride, ptrdiff_t column, ptrdiff_t wide,
                 real *lines, real *v, ptrdiff_t next);
  /* Windows: m[9][o] becomes u[number][o], for outputs o of that many vectors; rotated by 180
   * degrees if backward. */
  void (*windows)(int first, int end, int backward, ptrdiff_t vectors, const real *m, real *u,
                  ptrdiff_t next);
  /* products[tile][o] = the sum over the planes of v[plane][tile] * u[plane][o], for outputs o of
   * one or two vectors: v has a vector of planes of each tile, those of the next planes nextPlanes
   * apart.  The last vector ends with the last plane.  The weights after u are prefetched. */
  void (*multiply)(ptrdiff_t tiles, ptrdiff_t planes, const real *v, ptrdiff_t nextPlanes,
                   const real *u, ptrdiff_t vectors, real *products);
  /* The results of tiles: products[number][tile], width apart, become y[row][column], rows pitch
   * and columns columnStride apart, as many as are high and wide; added to start, or to what y is if
   * start is NULL.  lines begin with 24 vectors, which are 0 for points that are not among these. */
  void (*results)(const THNNTiles *t, int first, int end, ptrdiff_t image, ptrdiff_t i,
                  const real *products, ptrdiff_t width, ptrdiff_t next, const real *start,
                  ptrdiff_t high, ptrdiff_t wide, real *lines, real *y, ptrdiff_t pitch,
                  ptrdiff_t columnStride);
  /* The same transposed, for gradients: y becomes z[number][tile], width apart. */
  void (*gradients)(const THNNTiles *t, int first, int end, ptrdiff_t image, ptrdiff_t i,
                    const real *y, ptrdiff_t high, ptrdiff_t wide, ptrdiff_t pitch,
                    ptrdiff_t columnStride, real *lines, real *z, ptrdiff_t width, ptrdiff_t next);
  /* Sums of products of these with tiles of images, sums[number][o], become m[9][o], a window. */
  void (*taps)(int first, int end, ptrdiff_t vectors, const real *sums, ptrdiff_t next, real *m);
  /* y[i][j] = x[i][j]: rows of n elements, nextX and nextY apart. */
  void (*copyRows)(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX, real *y,
                   ptrdiff_t nextY);
  /* y[i][j] += x[i][j], likewise. */
  void (*addRows)(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX, real *y,
                  ptrdiff_t nextY);
  /* y[i][j] += scale * x[j][i] for i < n: of so many rows of whole vectors, the first n elements
   * each; rows of x and y are nextX and nextY apart. */
  void (*addTransposed)(ptrdiff_t rows, ptrdiff_t n, const real *x, ptrdiff_t nextX, accreal scale,
                        real *y, ptrdiff_t nextY);
} THNN_(Winograd);

extern const THNN_(Winograd) *const THNN_(winograd)[];

/* What is computed at a time, in no more memory than is allowed: the largest of x, y and the columns
 * of one image for each thread. */
typedef struct THNN_(WinogradPlan) {
  const THNNConvolution *c;
  int backward;
  THNN_(Operands) data; /* for the gradient of the weights: x, that of y, NULL, that gradient */
  ptrdiff_t planes, results; /* of a group */
  THNNWindow at[3];          /* from the source to the result */
  ptrdiff_t phases[3];       /* of these: dilated windows see every second (third, ...) element */
  ptrdiff_t source, size;    /* elements of a plane of these */
  ptrdiff_t down;            /* rows of tiles of an image */
  ptrdiff_t width, blocks;   /* of results, and */
  ptrdiff_t blocksAtOnce;    /* of these blocks whose weights are there at a time */
  int rows;                  /* of the transforms, likewise */
  THNNTiles tiles;           /* of a run, at most */
  ptrdiff_t runs, bands;     /* bands: runs of an image, where there are several */
  int isKept;                /* transformed runs are, for all blocks */
  int isShared;              /* the threads share the blocks of a single run */
  ptrdiff_t next;            /* from one vector of planes of a transformed run to the next, and */
  ptrdiff_t number;          /* from one of the 36 numbers to the next */
  ptrdiff_t u;               /* weights, in elements, and for each thread: */
  ptrdiff_t flat, lines, v, products, transposed;
  ptrdiff_t stripRows;     /* rows of the source that are transposed together, */
  ptrdiff_t keptRows;      /* and that are kept */
  real *weights, *memory;  /* weights: the transformed run, if it is shared */
  const real *transformed; /* the transformed windows of all blocks, or NULL: they are made here */
  int threads;
  /* Of a pass: */
  ptrdiff_t group, block, count; /* blocks */
  int first, end;                /* rows */
  /* Of the gradient of the weights, that of a few planes and of a few blocks at a time: */
  ptrdiff_t chunk, sums;         /* planes, elements for each thread */
  const ptrdiff_t *tile, *plane; /* offsets of these in a transformed run */
  accreal scale;
} THNN_(WinogradPlan);

/* The elements of the layer's transformed weights for that convolution; NULL if it has none. */
const void *THNN_(transformedOf)(const THNNLayer *layer, const THNNConvolution *c);
