/* The functions that compute resampling; the processor and devices define them. */

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
  int weighted;         /* images may then be channels-last as well */
  int64_t *from[3];     /* the index of a source */
  int64_t *next[3];     /* if weighted, the index of a second source */
  THNN_real *weight[3]; /* weight of next; the weight of from is 1 - weight */
  int64_t begin, end;   /* in [begin, end) of the last axis, from increases by 1 */
  THNN_(Band) band[3];  /* if weighted, the axes as matrices, forward or backward */
  const void *groups;   /* what the kernel has prepared for the last band, or NULL */
  int streams;          /* a result is too large for the caches */
} THNN_(SourceIndices);

/* Allocates the source indices of output planes; the guard, entered here, frees them. */
void THNN_(reserveIndices)(THNN_(SourceIndices) * indices, const THNNPlanes *planes, int weighted,
                           THGuard *guard);

/* Resamples all planes, or with `backward` computes their gradient. */
void THNN_(resamplePlanes)(const THNNPlanes *planes, THNN_(SourceIndices) * indices, int backward,
                           THTensor *source, THTensor *result);
