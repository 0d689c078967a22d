/* input's planes; raises unless it has least to most dimensions before those of a plane.  text says
 * what size input needs. */
THNNPlanes THNN_(planes)(THTensor *input, int argument, int axes, int least, int most,
                         const char *text);

/* The planes of argument 2, input: planes of 1 to 3 axes, perhaps in a batch. */
THNNPlanes THNN_(imagePlanes)(THTensor *input, int axes);

/* Raises unless gradOutput has the size of the output. */
void THNN_(checkGradOutput)(const THNNPlanes *planes, THTensor *gradOutput);

/* Sets the size of output planes to that of gradOutput's, and checks gradOutput. */
void THNN_(setOutputLike)(THNNPlanes *planes, THTensor *gradOutput);

/* Whether source and result are channels-last, with the sizes of input and output; backward: of output
 * and input. */
int THNN_(areChannelsLast)(const THNNPlanes *planes, int backward, THTensor *source,
                           THTensor *result);

/* A view of t, a channels-last tensor, with the planes as its last dimension; the guard, which is
 * entered here, frees it. */
THTensor *THNN_(viewChannelsLast)(const THNNPlanes *planes, THGuard *guard, THTensor *t);

/* A layer's computation, from each plane of source to the same plane of result; one has the layer's
 * input size, the other its output size.  runPlanes checks, allocates and computes. */
typedef struct THNN_(PlaneLoop) {
  /* scratch is this thread's own.  On a device, a function that queues a kernel for all planes. */
  void (*plane)(const struct THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *scratch);
  const void *layer;         /* other arguments of plane */
  int backward;              /* from the output's size to the input's */
  int streams;               /* plane uses non-temporal stores */
  THTensor *source, *result; /* of different sizes */
  THTensor *with[2];         /* other sources, of any size, or NULL */
  THIndexTensor *indicesIn;  /* for each output element an index in the input's plane, or NULL */
  int64_t limit, base;       /* they are base ... base + limit - 1; unchecked if limit is 0 */
  THIndexTensor *indicesOut; /* indices as a second result, of the output's size, or NULL */
  ptrdiff_t cost;            /* elements that a plane is worth */
  size_t scratch;            /* bytes */

  ptrdiff_t chunks; /* of planes, of a thread each */
  char *memory;     /* scratch for each of them */

  /* contiguous, for plane to use */
  const THNNPlanes *planes;
  const real *x, *w[2];
  real *y;
  const int64_t *indexIn;
  int64_t *indexOut;
} THNN_(PlaneLoop);

void THNN_(runPlanes)(const THNNPlanes *planes, THNN_(PlaneLoop) * loop);

/* What runPlanes calls: finds an index in indicesIn that is out of range, and its value; reserves
 * scratch memory; computes. */
int THNN_(findBadIndex)(const THNN_(PlaneLoop) * loop, int64_t *value);
void THNN_(prepareChunks)(THNN_(PlaneLoop) * loop, THNN_(Call) * call);
void THNN_(runChunks)(THNN_(PlaneLoop) * loop);

/* The same for channels-last images, and a channels-last result: plane computes one row of the
 * result, with all its planes; the rows of each image follow one another. */
void THNN_(runRowsNhwc)(const THNNPlanes *planes, THNN_(PlaneLoop) * loop);
