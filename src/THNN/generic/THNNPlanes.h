/* input's planes; raises unless it has from least to most dimensions before those of a plane.  text
 * says what it has to be. */
THNNPlanes THNN_(planes)(THTensor *input, int argument, int axes, int least, int most,
                         const char *text);

/* The most usual: 1 to 3 axes, planes, perhaps a batch.  Raises about argument 2. */
THNNPlanes THNN_(imagePlanes)(THTensor *input, int axes);

/* Raises unless gradOutput has the size of the output. */
void THNN_(checkGradOutput)(const THNNPlanes *planes, THTensor *gradOutput);

/* The same where the places of an output plane are whatever gradOutput's are, and sets them. */
void THNN_(resultOf)(THNNPlanes *planes, THTensor *gradOutput);

/* Whether source and result, of the input's and the output's size or the other way round, are
 * images whose planes lie last. */
int THNN_(areChannelsLast)(const THNNPlanes *planes, int back, THTensor *source, THTensor *result);

/* A view of t, images of planes that lie last, which are its last dimension; the guard, which is
 * entered here, frees it. */
THTensor *THNN_(viewChannelsLast)(const THNNPlanes *planes, THGuard *guard, THTensor *t);

/* What a layer computes from a plane of source into the same one of result; tensors are of the
 * layer's input size or of its output size. */
typedef struct THNN_(Work) {
  /* scratch is this thread's own. */
  void (*plane)(const struct THNN_(Work) * work, ptrdiff_t plane, void *scratch);
  const void *layer;         /* whatever plane needs besides */
  int back;                  /* from the output's size to the input's */
  int streams;               /* plane writes around the caches */
  THTensor *source, *result; /* not of one size */
  THTensor *with[2];         /* other sources, of any size, or NULL */
  THIndexTensor *given;      /* places of the input's planes, one an output element, or NULL */
  int64_t limit, base;       /* given holds base ... base + limit - 1 */
  THIndexTensor *indices;    /* or a result, of the output's size */
  ptrdiff_t cost;            /* elements that a plane is worth */
  size_t scratch;            /* bytes */

  /* contiguous, for plane to use */
  const THNNPlanes *planes;
  const real *x, *w[2];
  real *y;
  const int64_t *from;
  int64_t *to;
} THNN_(Work);

void THNN_(work)(const THNNPlanes *planes, THNN_(Work) * work);

/* The same of images whose planes lie last, as those of the result do: plane computes one of the
 * result's rows, all planes of it, of which those of each image follow one another. */
void THNN_(workRowsNhwc)(const THNNPlanes *planes, THNN_(Work) * work);
