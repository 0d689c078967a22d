/* The functions that compute pointwise layers and losses; the processor and devices define them. */

/* r takes the shape of like; each element is computed from those of count operands (NULL for ones).
 * In place, r is like, and becomes, which is then not NULL, ends as the same tensor. */
void THNN_(map)(THKernel kernel, const THNN_(Scalars) * scalars, THTensor *r, THTensor *like,
                THTensor *becomes, THTensor **operands, int count);

/* The two directions of an activation; value is the layer's input or output, whichever its gradient
 * is computed from. */
void THNN_(activate)(int row, THTensor *input, THTensor *output, accreal a, accreal b,
                     bool inplace);
void THNN_(activateBackward)(int row, THTensor *value, THTensor *gradOutput, THTensor *gradInput,
                             accreal a, accreal b, bool inplace);

/* Runs a kernel over the operands of a loop. */
void THNN_(runLoop)(THLoop *loop, THKernel kernel, const THNN_(Scalars) * scalars);

/* gradWeight += scale * the sums of PReLU's gradient by its weight: for each element of dimension
 * dim, or, where that is below 0, of all. */
void THNN_(preluAccumulate)(THTensor *input, THTensor *gradOutput, THTensor *gradWeight, int dim,
                            accreal scale);

/* output becomes the sum of a row's losses over the elements of count inputs, divided by divisor. */
void THNN_(lossSum)(int row, const THNN_(Scalars) * scalars, THTensor **inputs, int count,
                    THTensor *output, double divisor);

/* The factor of a gradient that gradOutput, one element, is: an operand for map, which may be NULL,
 * times *scale, which this function may change. */
THTensor *THNN_(lossFactor)(THTensor *gradOutput, accreal *scale);

/* Raises unless slopes from lower to upper are a range; arg is the number of the argument lower. */
void THNN_(rreluCheck)(double lower, double upper, int arg);
