/* The classes of an input of size classes or batch x classes, with a target for each; images have
 * size batch x classes x height x width.  Raises if shapes do not fit.  guard owns the copy
 * of the targets, if one is needed.  weights, argument arg, may be NULL. */
THNNClasses THNN_(classes)(THGuard *guard, THTensor *input, THIndexTensor *target,
                           THTensor *weights, int arg);
THNNClasses THNN_(imageClasses)(THGuard *guard, THTensor *input, THIndexTensor *target,
                                THTensor *weights, int arg);

/* Raises unless every target is a class or ignore_index. */
void THNN_(checkTargets)(const THNNClasses *classes, THTensor *input, int64_t ignore_index);

/* Raises unless gradOutput has one element or, where each input has a loss of its own, target's. */
void THNN_(checkLossGradient)(THTensor *gradOutput, THTensor *input, int64_t count);

/* The negative log-likelihood of the target classes. */
typedef struct {
  const THNNClasses *classes;
  int64_t ignore;
  int each;                   /* each input has a loss of its own */
  bool average;               /* over the weights of the targets */
  const real *weights;        /* may be NULL */
  const real *x;              /* forward: the input */
  real *loss, *total;         /* the losses, and unless each, the sum of the weights */
  const real *g, *allWeights; /* backward: the gradient of the one output, or of each; total */
  real *dx;
  void *sums; /* forward, unless each: sumMemory */
} THNN_(Nll);

/* How far the score of the right class exceeds those of the others. */
typedef struct {
  const THNNClasses *classes;
  int p, each;
  const real *x, *weights; /* weights may be NULL */
  THNN_real margin;
  real *loss;    /* forward: of each, or NULL */
  const real *g; /* backward: the gradient of the one output, or of each */
  real *dx;
  void *sums;     /* forward, unless each: sumMemory */
  accreal factor; /* of every term */
} THNN_(Margin);

/* How far the scores of all right classes exceed those of the others. */
typedef struct {
  int64_t batch, classes;
  int each;
  const int64_t *target;
  const real *x;
  real *isTarget;
  real *loss;    /* forward: of each, or NULL */
  const real *g; /* backward: the gradient of the one output, or of each */
  real *dx;
  void *sums;     /* forward, unless each: sumMemory */
  accreal factor; /* of every term */
} THNN_(Labels);

/* Computes the losses, and the gradients; what kernels do on a device. */
void THNN_(nllRun)(THNN_(Nll) * nll);
void THNN_(nllRunBackward)(THNN_(Nll) * nll);
void THNN_(marginRun)(THNN_(Margin) * margin);
void THNN_(marginRunBackward)(THNN_(Margin) * margin);
void THNN_(labelsRun)(THNN_(Labels) * labels);
void THNN_(labelsRunBackward)(THNN_(Labels) * labels);

/* Raises unless every target is a class, or TH_INDEX_BASE - 1, the end of a list. */
void THNN_(checkLabels)(const THNN_(Labels) * labels, THTensor *input);

/* Sums a loss over count inputs, in chunks that depend on count only: body adds the terms of inputs
 * begin ... end to sums[0], and a second sum to sums[1]. */
typedef void (*THNN_(SumBody))(void *context, ptrdiff_t begin, ptrdiff_t end, accreal *sums);
void THNN_(sumInputs)(ptrdiff_t count, ptrdiff_t grain, THNN_(SumBody) body, void *context,
                      accreal *sums);
