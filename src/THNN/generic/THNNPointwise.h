/* What the kernels get as scalars. */
typedef struct {
  real a, b;
  real scale;    /* of a gradient */
  accreal *part; /* of a sum: one for each block of the loop, added to */
} THNN_(Scalars);

/* The inputs of a row are x; x and w; x and t; or x, t and w. */
typedef struct {
  THKernel forward;   /* operands: output, inputs */
  THKernel gradient;  /* gradInput, gradOutput, and the inputs, of which v stands for x */
  THKernel gradient2; /* the same, of a gate's w */
  THKernel sum;       /* operands: as gradient2 but the first of a gate, the inputs of a loss */
} THNN_(Pointwise);

extern const THNN_(Pointwise) * THNN_(pointwise);

/* Adds an operand that has as many elements as like: x, or NULL for 1 in each.  count is their
 * number, read until the loop has run. */
void THNN_(operand)(THLoop *loop, THTensor *x, THTensor *like, const int64_t *count);

/* r takes the shape of like; an element of r is computed from those of the count operands, NULL
 * being 1.  In place, becomes is not NULL and ends as the same tensor as r, which like is too. */
void THNN_(map)(THKernel kernel, const THNN_(Scalars) * scalars, THTensor *r, THTensor *like,
                THTensor *becomes, THTensor **operands, int count);

/* The sum over a loop, from blocks that depend on its shapes alone. */
accreal THNN_(total)(THKernel kernel, THNN_(Scalars) scalars, THLoop *loop);

/* The two directions of an activation; value is the layer's input or output, whichever its gradient
 * is computed from. */
void THNN_(activate)(int row, THTensor *input, THTensor *output, accreal a, accreal b,
                     bool inplace);
void THNN_(activateBackward)(int row, THTensor *value, THTensor *gradOutput, THTensor *gradInput,
                             accreal a, accreal b, bool inplace);
