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
