/* The functions that compute pointwise layers and losses; the processor and devices define them. */

/* Computes r, which takes the shape of like, element by element from count operands; a NULL operand is all
 * ones.  In place, r is like, and `becomes`, which is NULL otherwise, becomes the same tensor. */
void THNN_(map)(THKernel kernel, const THNN_(Scalars) * scalars, THTensor *r, THTensor *like,
                THTensor *becomes, THTensor **operands, int count);

/* updateOutput and updateGradInput of an activation.  value is the layer's input or output, whichever its
 * gradient is computed from. */
void THNN_(activate)(int row, THTensor *input, THTensor *output, accreal a, accreal b,
                     bool inplace);
void THNN_(activateBackward)(int row, THTensor *value, THTensor *gradOutput, THTensor *gradInput,
                             accreal a, accreal b, bool inplace);

/* Runs a kernel over the operands of a loop. */
void THNN_(runLoop)(THLoop *loop, THKernel kernel, const THNN_(Scalars) * scalars);

/* gradWeight += scale * the gradient of PReLU's weight: a sum for each index of dimension dim, or one sum if
 * dim is negative. */
void THNN_(preluAccumulate)(THTensor *input, THTensor *gradOutput, THTensor *gradWeight, int dim,
                            accreal scale);

/* output = the sum of a row's losses over the elements of its inputs (count tensors), divided by divisor. */
void THNN_(lossSum)(int row, const THNN_(Scalars) * scalars, THTensor **inputs, int count,
                    THTensor *output, double divisor);

/* Makes gradOutput, of one element, a factor of a gradient: returns an operand for map, or multiplies *scale
 * by the element and returns NULL. */
THTensor *THNN_(lossFactor)(THTensor *gradOutput, accreal *scale);

/* Raises unless slopes from lower to upper are a range; arg is the number of the argument lower. */
void THNN_(rreluCheck)(double lower, double upper, int arg);
