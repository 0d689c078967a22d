/* What the layers of grid sampling call, on the processor and on devices. */

typedef struct {
  int axes;    /* 2 or 3 */
  int padding; /* THNN_ZEROS ... */
  int wide;    /* planes have more elements than 32 bits count */
  int dims;
  int64_t batch, planes, points, blocks; /* planes, points and blocks of points of one image */
  int64_t in[3];                         /* depth, height and width of input */
  int64_t plane;                         /* elements of a plane of input */
  int64_t size[5];                       /* of output */
  const real *x, *grid, *g;              /* input, grid and gradOutput */
  real *y, *gradInput, *gradGrid;

  /* For transposed planes: groups of an image; splits into which the groups of all images are cut,
   * each with scratch of its own; parts holds what each group adds to gradGrid. */
  int64_t groups, splits, scratch; /* scratch in elements */
  real *buffers;
  accreal *parts;
} THNN_(Sampler);

/* Reserves scratch memory; computes y; computes gradInput and gradGrid. */
void THNN_(prepareSampler)(THNN_(Sampler) * sampler, int backward, THNN_(Call) * call);
void THNN_(sampleGrid)(THNN_(Sampler) * sampler);
void THNN_(sampleGridBackward)(THNN_(Sampler) * sampler);
