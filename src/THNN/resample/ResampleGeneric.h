typedef struct {
  /* Compute one plane: plane[THNN_GATHER] forward, plane[THNN_SCATTER] the gradient.  scratch has
   * THNN_(resampleScratch) elements. */
  void (*plane[2])(const THNNPlanes *planes, const THNN_(SourceIndices) * indices, const real *x,
                   real *y, real *scratch);
  /* Compute row `row` of the result, counted over all slices, of a channels-last image with count planes.
   * scratch has the elements of a row of x. */
  void (*row[2])(const THNNPlanes *planes, const THNN_(SourceIndices) * indices, ptrdiff_t count,
                 const real *x, ptrdiff_t row, real *y, real *scratch);
  /* Prepares a band for all planes, in memory that the caller frees, or returns NULL. */
  void *(*find)(const THNN_(Band) * band);
} THNN_(ResampleKernel);

extern const THNN_(ResampleKernel) *const THNN_(resample)[];

/* The stride of the rows that are kept in scratch: whole vectors. */
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
