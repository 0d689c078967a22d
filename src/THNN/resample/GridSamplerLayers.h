/* The functions that compute grid sampling; the processor and devices define them. */

typedef struct {
  int axes;    /* 2 or 3 */
  int padding; /* THNN_ZEROS ... */
  int wide;    /* planes have more elements than 32 bits count */
  int dims;    /* number of dimensions of output */
  int64_t batch;
  int64_t planes;           /* planes of an image */
  int64_t points, blocks;   /* points of an image, and blocks of these points */
  int64_t in[3];            /* depth, height and width of input */
  int64_t plane;            /* elements of a plane of input */
  int64_t size[5];          /* size of output */
  const real *x, *grid, *g; /* input, grid and gradOutput */
  real *y, *gradInput, *gradGrid;

  /* For transposed planes: groups of an image; splits into which the groups of all images are cut,
   * each with scratch of its own; parts holds what each group adds to gradGrid. */
  int64_t groups, splits, scratch; /* scratch in elements */
  real *buffers;
  accreal *parts;
} THNN_(Sampler);

/* Reserves the scratch memory of a pass. */
void THNN_(prepareSampler)(THNN_(Sampler) * sampler, int backward, THNN_(Call) * call);

/* Computes y. */
void THNN_(sampleGrid)(THNN_(Sampler) * sampler);

/* Computes gradInput and gradGrid. */
void THNN_(sampleGridBackward)(THNN_(Sampler) * sampler);
