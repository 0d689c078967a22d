/* The planes of input; a plane is the last `axes` dimensions.  Raises unless input has least ... most
 * dimensions before these.  text tells in the message what size input needs. */
THNNPlanes THNN_(planes)(THTensor *input, int argument, int axes, int least, int most,
                         const char *text);

/* The planes of input, argument 2: planes of 1 to 3 axes, perhaps in a batch. */
THNNPlanes THNN_(imagePlanes)(THTensor *input, int axes);

/* Raises unless gradOutput has the size of the output. */
void THNN_(checkGradOutput)(const THNNPlanes *planes, THTensor *gradOutput);

/* Sets the size of output planes to the size of gradOutput's planes, and checks gradOutput. */
void THNN_(setOutputLike)(THNNPlanes *planes, THTensor *gradOutput);

/* Whether source and result are channels-last and have the sizes of input and output; with `backward`, of
 * output and input. */
int THNN_(areChannelsLast)(const THNNPlanes *planes, int backward, THTensor *source,
                           THTensor *result);

/* A view of t, a channels-last tensor, with the planes as its last dimension; the guard, which is
 * entered here, frees it. */
THTensor *THNN_(viewChannelsLast)(const THNNPlanes *planes, THGuard *guard, THTensor *t);

/* A layer's computation, from each plane of source to the same plane of result.  Of source and result one
 * has the size of the layer's input, the other the size of its output. */
typedef struct THNN_(PlaneLoop) {
  /* Computes one plane; scratch is the calling thread's.  On a device, it queues a kernel for all planes. */
  void (*plane)(const struct THNN_(PlaneLoop) * loop, ptrdiff_t plane, void *scratch);
  const void *layer; /* further arguments of the function plane */
  int backward;      /* source has the size of the layer's output, result that of its input */
  int streams;       /* the function plane uses non-temporal stores */
  THTensor *source, *result;
  THTensor *with[2]; /* further sources, of any size, or NULL */
  THIndexTensor
      *indicesIn;      /* an index in the input plane for each element of the output, or NULL */
  int64_t limit, base; /* indicesIn are base ... base + limit - 1; unchecked if limit is 0 */
  THIndexTensor *indicesOut; /* indices as a second result, of the output's size, or NULL */
  ptrdiff_t cost;            /* elements of a pointwise loop that take as long as a plane */
  size_t scratch;            /* bytes of scratch memory of a thread */

  /* Set by runPlanes: */
  ptrdiff_t chunks; /* chunks of planes, one for each thread */
  char *memory;     /* scratch memory of all chunks */

  /* Set by runPlanes for the function plane: contiguous elements, x and w of the sources, y of the
   * result.  Backward x is gradOutput and y gradInput, unlike in conv/. */
  const THNNPlanes *planes;
  const real *x, *w[2];
  real *y;
  const int64_t *indexIn;
  int64_t *indexOut;
} THNN_(PlaneLoop);

/* Checks the operands, allocates memory, and computes all planes. */
void THNN_(runPlanes)(const THNNPlanes *planes, THNN_(PlaneLoop) * loop);

/* runPlanes calls these three functions; devices have their own.  Whether indicesIn has an index out of
 * range, which is then in *value. */
int THNN_(findBadIndex)(const THNN_(PlaneLoop) * loop, int64_t *value);

/* Divides the planes into chunks and reserves their scratch memory. */
void THNN_(prepareChunks)(THNN_(PlaneLoop) * loop, THNN_(Call) * call);

/* Computes all chunks. */
void THNN_(runChunks)(THNN_(PlaneLoop) * loop);

/* runPlanes for a channels-last source and result: the function plane computes one row of the result, with
 * all channels.  Rows are counted on from image to image. */
void THNN_(runRowsNhwc)(const THNNPlanes *planes, THNN_(PlaneLoop) * loop);
