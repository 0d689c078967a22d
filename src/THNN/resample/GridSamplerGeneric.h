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

  /* For transposed planes: groups of an image; shares into which the groups of all images are cut,
   * each with room of its own; parts holds what each group adds to gradGrid. */
  int64_t groups, shares, room; /* room in elements */
  real *rooms;
  accreal *parts;
} THNN_(Sampler);

/* [THNN_GRID_SAMPLE] computes y for blocks begin ... end of all images, [THNN_GRID_POINTS]
 * gradGrid, and [THNN_GRID_INPUT] gradInput for planes begin ... end.  With transposed planes,
 * [THNN_GRID_GROUPS] computes y for shares begin ... end, and [THNN_GRID_GROUPS_BACKWARD] gradInput
 * and parts. */
typedef void (*THNN_(GridKernel))(void *sampler, ptrdiff_t begin, ptrdiff_t end);

extern const THNN_(GridKernel) * THNN_(gridSampler);
