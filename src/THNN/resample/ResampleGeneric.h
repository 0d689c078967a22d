typedef struct {
  /* One plane.  scratch holds THNN_(resampleScratch) elements.  [THNN_GATHER], [THNN_SCATTER] */
  void (*plane[2])(const THNNPlanes *planes, const THNN_(SourceIndices) * indices, const real *x,
                   real *y, real *scratch);
  /* The same for channels-last images with count planes: one row of the result, counted over all
   * slices.  scratch holds a row of x. */
  void (*row[2])(const THNNPlanes *planes, const THNN_(SourceIndices) * indices, ptrdiff_t count,
                 const real *x, ptrdiff_t row, real *y, real *scratch);
  /* Prepares a band for all planes, in memory that the caller frees, or returns NULL. */
  void *(*find)(const THNN_(Band) * band);
} THNN_(ResampleKernel);

extern const THNN_(ResampleKernel) *const THNN_(resample)[];

/* Elements from one row kept in scratch to the next: a multiple of whole vectors. */
static inline ptrdiff_t THNN_(resamplePitch)(int64_t row)
{
  return row + (16 - row % 16) % 16;
}

/* Elements of scratch for weighted rows of row elements: four rows, and the buffer of streamed
 * ones. */
static inline ptrdiff_t THNN_(resampleScratch)(int64_t row)
{
  return 5 * THNN_(resamplePitch)(row) + THNN_STREAM_BYTES / (ptrdiff_t)sizeof(real);
}
