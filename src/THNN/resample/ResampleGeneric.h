/* A band matrix from one line to another: element k is the sum of
 * weight[t * to + k] * x[first[k] + t] over the taps t.  An element with weight 0 does not count,
 * even if it is not finite. */
typedef struct {
  ptrdiff_t from, to, taps; /* elements of the lines; from >= taps */
  int moves;                /* elements are copied: one tap, all weights 1; NaNs keep their bits */
  int64_t *first;
  real *weight;
} THNN_(Band);

/* The sources of an output plane's elements, along each axis. */
typedef struct {
  int weighted;        /* images may then be channels-last as well */
  int64_t *from[3];    /* an index of the input */
  int64_t *next[3];    /* where weighted, a second index */
  real *weight[3];     /* weight of next; the weight of from is 1 - weight */
  int64_t begin, end;  /* of the last axis: here from increases by 1 */
  THNN_(Band) band[3]; /* where weighted: of the axes, forward or backward */
  const void *groups;  /* what the kernel prepared for the last band, or NULL */
  int streams;         /* a result is too large for the caches */
} THNN_(SourceIndices);

typedef struct {
  /* One plane.  room holds THNN_(resampleRoom) elements.  [THNN_GATHER], [THNN_SCATTER] */
  void (*plane[2])(const THNNPlanes *planes, const THNN_(SourceIndices) * indices, const real *x,
                   real *y, real *room);
  /* The same for channels-last images with count planes: one row of the result, counted over all
   * slices.  room holds a row of x. */
  void (*row[2])(const THNNPlanes *planes, const THNN_(SourceIndices) * indices, ptrdiff_t count,
                 const real *x, ptrdiff_t row, real *y, real *room);
  /* Prepares a band for all planes, in memory that the caller frees, or returns NULL. */
  void *(*find)(const THNN_(Band) * band);
} THNN_(ResampleKernel);

extern const THNN_(ResampleKernel) * THNN_(resample);

/* Elements from one row kept in room to the next: a multiple of whole vectors. */
static inline ptrdiff_t THNN_(resamplePitch)(int64_t row)
{
  return row + (16 - row % 16) % 16;
}

/* Elements of room for weighted rows of row elements: four rows, and the buffer of streamed
 * ones. */
static inline ptrdiff_t THNN_(resampleRoom)(int64_t row)
{
  return 5 * THNN_(resamplePitch)(row) + THNN_STREAM_BYTES / (ptrdiff_t)sizeof(real);
}

/* Allocates the source indices of output planes; the guard, entered here, frees them. */
void THNN_(reserveIndices)(THNN_(SourceIndices) * indices, const THNNPlanes *planes, int weighted,
                           THGuard *guard);

/* All planes, forward (THNN_GATHER) or backward. */
void THNN_(resamplePlanes)(const THNNPlanes *planes, THNN_(SourceIndices) * indices, int back,
                           THTensor *source, THTensor *result);
