/* The classes of an input of size classes or batch x classes, with a target for each; images have
 * size batch x classes x height x width.  Raises if shapes do not fit.  guard owns the copy
 * of the targets, if one is needed.  weights, argument arg, may be NULL. */
THNNClasses THNN_(classes)(THGuard *guard, THTensor *input, THIndexTensor *target,
                           THTensor *weights, int arg);
THNNClasses THNN_(imageClasses)(THGuard *guard, THTensor *input, THIndexTensor *target,
                                THTensor *weights, int arg);

/* Raises unless every target is a class or ignore_index. */
void THNN_(checkTargets)(const THNNClasses *classes, THTensor *input, int64_t ignore_index);

/* Raises unless gradOutput has `count` elements; input is for the message.  count is 1, or the number of
 * targets if each input has a loss of its own. */
void THNN_(checkLossGradient)(THTensor *gradOutput, THTensor *input, int64_t count);

/* The negative log-likelihood of the target classes. */
typedef struct {
  const THNNClasses *classes;
  int64_t ignore;
  int each;               /* each input has a loss of its own */
  bool average;           /* the loss is divided by the sum of the targets' weights */
  const real *weights;    /* a weight for each class, or NULL */
  const real *x;          /* forward: the input */
  real *loss;             /* forward: the loss, or the losses of each input */
  real *total;            /* forward, unless each: the sum of the targets' weights */
  const real *g;          /* backward: the gradient of the loss, or of each loss */
  const real *allWeights; /* backward: total of the forward pass */
  real *dx;               /* backward: the gradient of the input */
  void *sums;             /* forward, unless each: memory by THNN_(sumMemory) */
} THNN_(Nll);

/* MultiMarginCriterion: by how much the score of the right class exceeds the others. */
typedef struct {
  const THNNClasses *classes;
  int p;               /* the power of the terms, 1 or 2 */
  int each;            /* each input has a loss of its own */
  const real *x;       /* the input */
  const real *weights; /* a weight for each class, or NULL */
  THNN_real margin;
  real *loss;     /* forward: the losses of each input, or NULL */
  const real *g;  /* backward: the gradient of the loss, or of each loss */
  real *dx;       /* backward: the gradient of the input */
  void *sums;     /* forward, unless each: memory by THNN_(sumMemory) */
  accreal factor; /* the factor of every term */
} THNN_(Margin);

/* MultiLabelMarginCriterion: by how much the scores of all right classes exceed the others. */
typedef struct {
  int64_t batch, classes;
  int each;              /* each input has a loss of its own */
  const int64_t *target; /* lists of right classes */
  const real *x;         /* the input */
  real *isTarget;        /* whether each class is right */
  real *loss;            /* forward: the losses of each input, or NULL */
  const real *g;         /* backward: the gradient of the loss, or of each loss */
  real *dx;              /* backward: the gradient of the input */
  void *sums;            /* forward, unless each: memory by THNN_(sumMemory) */
  accreal factor;        /* the factor of every term */
} THNN_(Labels);

/* These compute the losses, and the gradients; on a device they launch kernels. */
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
