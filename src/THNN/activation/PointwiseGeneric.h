/* The scalars of the kernels. */
typedef struct {
  real a, b;     /* the layer's parameters */
  real scale;    /* the factor of a gradient */
  accreal *part; /* a sum for each block of the loop, to which the block adds */
} THNN_(Scalars);

/* The inputs of a row are x; x and w; x and t; or x, t and w. */
typedef struct {
  THKernel forward;   /* operands: output, inputs */
  THKernel gradient;  /* gradInput, gradOutput and the inputs, with v (input or output) for x */
  THKernel gradient2; /* of a gate, the gradient of w: gradW, gradOutput and the inputs */
  THKernel sum; /* a sum; operands of a gate: gradient2's without gradW; of a loss: the inputs */
} THNN_(Pointwise);

extern const THNN_(Pointwise) *const THNN_(pointwise)[];

/* Adds an operand with as many elements as like: x, or ones if x is NULL.  count is the number of
 * elements, and is read until the loop has run. */
void THNN_(operand)(THLoop *loop, THTensor *x, THTensor *like, const int64_t *count);

/* The sum over a loop, in blocks that depend on its shapes only. */
accreal THNN_(total)(THKernel kernel, THNN_(Scalars) scalars, THLoop *loop);
