/* What is done beside a product: so many rows that come next, of as many elements as there are
 * columns, next apart, are fetched; and sums, all of whose vectors lie at multiples of their size,
 * are sent around the caches. */
typedef struct {
  const real *coming;
  ptrdiff_t rows, next;
  int sends;
} THNN_(PrefetchHint);

typedef struct {
  ptrdiff_t lanes;   /* of a vector, and */
  ptrdiff_t vectors; /* how many of them are a block of outputs at most */
  /* sums[a][o] = start[o] (sums[a][o] if it is NULL) + the sum over b of x[rows[a] + columns[b]] *
   * m[b][o], for outputs o of that many vectors; rows of sums are next apart.  isFar: x is not in
   * the caches, and what comes next of it is fetched. */
  void (*multiply)(ptrdiff_t nrows, const ptrdiff_t *rows, ptrdiff_t ncolumns,
                   const ptrdiff_t *columns, const real *x, int isFar, const real *m,
                   ptrdiff_t vectors, const real *start, real *sums, ptrdiff_t next);
  /* The same and more; what lies behind m is not fetched if rows are. */
  void (*multiplyPrefetching)(ptrdiff_t nrows, const ptrdiff_t *rows, ptrdiff_t ncolumns,
                              const ptrdiff_t *columns, const real *x, int isFar, const real *m,
                              ptrdiff_t vectors, const real *start, real *sums, ptrdiff_t next,
                              const THNN_(PrefetchHint) * beside);
  /* y[j][i] = x[i][j] for i < rows, j < columns; rows of x are nextX apart, those of y nextY. */
  void (*turn)(ptrdiff_t rows, ptrdiff_t columns, const real *x, ptrdiff_t nextX, real *y,
               ptrdiff_t nextY);
  /* The same where y begins with a cache line, around the caches if its rows and theirs are whole
   * lines. */
  void (*turnAround)(ptrdiff_t rows, ptrdiff_t columns, const real *x, ptrdiff_t nextX, real *y,
                     ptrdiff_t nextY);
} THNN_(Implicit);

extern const THNN_(Implicit) * THNN_(implicit);

/* Whether the convolution is better computed this way than as sums of shifted planes, forward or
 * back, and for the gradient of the weights. */
int THNN_(isImplicit)(const THNNConvolution *c, int back);
int THNN_(areWeightsImplicit)(const THNNConvolution *c);

/* Whether it is better computed by the elements of a window (ScatterConv.c) than in either way, back. */
int THNN_(isSpread)(const THNNConvolution *c);

/* y = bias (if there is one) + the convolution of x; or back, x from y. */
void THNN_(convolveImplicit)(const THNNConvolution *c, int back, THTensor *from, THTensor *weight,
                             THTensor *bias, THTensor *to);

/* Outputs of a block: whole vectors, not more than there are; and the vectors of that many. */
ptrdiff_t THNN_(widthOf)(ptrdiff_t outputs);
ptrdiff_t THNN_(vectorsOf)(ptrdiff_t outputs);

/* m[j][o] = outputs[o][j] for count outputs, next apart; vectors are filled up with zeros. */
void THNN_(turnOutputs)(ptrdiff_t count, ptrdiff_t columns, const real *outputs, ptrdiff_t next,
                        real *m);

/* m[tap][o] = windows[o][tap], likewise, for a block of windows that follow each other.  Where
 * these are smaller than a vector, a vector's rows are written. */
void THNN_(turnWindows)(ptrdiff_t count, ptrdiff_t window, const real *windows, real *m);

/* Parts of rows that are next apart, filled up with zeros to whole vectors. */
void THNN_(copyParts)(ptrdiff_t rows, const real *from, ptrdiff_t next, ptrdiff_t count, real *m);

/* The gradient of the weights, and of the bias if it is not NULL, in a call that has begun: prepare
 * before it starts, then add. */
typedef struct {
  const THNNConvolution *c;
  THNNPlan plan;
  const real *x, *y;
  real *weights, *bias;
  accreal *totals; /* of y, for each output */
  accreal scale;
  ptrdiff_t planes, chunks;  /* planes of x whose weights are computed together */
  ptrdiff_t width, blocks;   /* of outputs, and */
  ptrdiff_t shares;          /* of these blocks, where there are more threads than chunks */
  ptrdiff_t few;             /* images that are laid out together */
  ptrdiff_t piece;           /* positions that are multiplied at a time */
  ptrdiff_t apart;           /* positions, where planes are last */
  const ptrdiff_t *position; /* of the windows of these, of one part after the other, and */
  const ptrdiff_t *term;     /* of what is multiplied with them, likewise */
  const ptrdiff_t *row;      /* where positions are copied to, if nothing else has to be laid out */
  ptrdiff_t image;           /* elements of one that is laid out */
  ptrdiff_t flat, sums, turned, ordered;
  real *memory; /* for each thread: these four */
  int inPlace, inRows, threads;
} THNN_(ImplicitWeights);

void THNN_(prepareImplicitWeights)(THNN_(ImplicitWeights) * w, const THNNConvolution *c,
                                   THNN_(Call) * call);
void THNN_(addImplicitWeights)(THNN_(ImplicitWeights) * w, const real *x, const real *y,
                               real *weights, real *bias, accreal scale);
