/* Checks the operands of a layer and describes the convolution that it computes with them.  In the
 * backward pass weight is gradWeight and bias is gradBias.  gradOutput, weight and bias may be
 * NULL. */
THNNConvolution THNN_(convolutionOf)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                                     THTensor *weight, THTensor *bias);

/* y = bias (NULL: 0) + the convolution of x. */
void THNN_(convolve)(const THNNConvolution *c, THTensor *x, THTensor *weight, THTensor *bias,
                     THTensor *y);

/* x = bias (an element for each plane; NULL: 0) + the transposed convolution of y, which is the
 * gradient of x if y is the gradient of the output. */
void THNN_(convolveBackwardData)(const THNNConvolution *c, THTensor *y, THTensor *weight,
                                 THTensor *bias, THTensor *x);

/* gradWeight += scale * the gradient of the weight.  gradBias += scale * the sum of each plane of y,
 * or of x if biasOfX is set.  gradWeight or gradBias may be NULL. */
void THNN_(convolveBackwardWeights)(const THNNConvolution *c, THTensor *x, THTensor *y,
                                    THTensor *gradWeight, THTensor *gradBias, int biasOfX,
                                    accreal scale);

/* updateOutput, updateGradInput and accGradParameters of a layer. */
void THNN_(layerOutput)(THNNLayer layer, THTensor *input, THTensor *output, THTensor *weight,
                        THTensor *bias);
void THNN_(layerGradInput)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                           THTensor *gradInput, THTensor *weight);
void THNN_(layerGradParameters)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                                THTensor *gradWeight, THTensor *gradBias, accreal scale);

/* --- what other convolutions are made of ----------------------------------------------------- */

/* Begins a call that computes y from x, or with `backward` x from y, and replaces each operand by the
 * tensor that the call reads or writes (Call.h); bias may be NULL. */
void THNN_(beginConvolution)(THNN_(Call) * call, const THNNConvolution *c, int backward,
                             THTensor **from, THTensor **weight, THTensor **bias, THTensor **to);

/* The addresses of the operands of a convolution; bias may be NULL. */
typedef struct {
  const real *from, *weight, *bias;
  real *to;
} THNN_(Operands);

/* Starts the call: from then on its operands have addresses, and nothing fails. */
THNN_(Operands)
THNN_(startConvolution)(THNN_(Call) * call, THTensor *from, THTensor *weight, THTensor *bias,
                        THTensor *to);

/* Scratch memory of any type. */
void *THNN_(scratchBytes)(THNN_(Call) * call, size_t bytes);

/* The calling thread's part of memory that has `size` elements for each thread. */
real *THNN_(ofThread)(real *memory, ptrdiff_t size, int threads);

/* Whether THNNConvolution_areElements holds and the planes of x are at least as long as a strip of
 * DirectConvKernels.c: then a plane of x serves as its flat plane (DirectConv.h) without a copy. */
int THNN_(areFlat)(const THNNConvolution *c);

/* Fills planes of n elements with their bias; NULL: with 0. */
void THNN_(fillPlanes)(real *y, ptrdiff_t planes, ptrdiff_t n, const real *bias);

/* Copies planes of x, with padding, to flat planes (DirectConv.h).  Planes of x are `next` elements
 * apart, flat planes `plane` elements.  The gaps between flat planes become 0, and so do
 * THNN_DIRECT_SLACK elements after the last one. */
void THNN_(copyPadded)(const THNNWindow *layout, const real *x, ptrdiff_t planes, ptrdiff_t next,
                       real *flat, ptrdiff_t plane);

/* sums[p] += scale * the sum of plane p of x (n elements) over the batch. */
void THNN_(addPlaneSums)(const real *x, int64_t batch, int64_t planes, ptrdiff_t n, accreal scale,
                         real *sums);

/* sums[p] += scale * the sum of column p of x, a matrix of rows x planes: a channels-last tensor. */
void THNN_(addColumnSums)(const real *x, ptrdiff_t rows, int64_t planes, accreal scale, real *sums);

/* totals[p] += the sum of plane p of y (n elements).  It is for few planes: one thread adds. */
void THNN_(addToTotals)(ptrdiff_t planes, const real *y, ptrdiff_t n, accreal *totals);

/* weights[i] += scale * the sum over the sets s, in order, of sums[s * count + i]. */
void THNN_(addSets)(const real *sums, ptrdiff_t sets, ptrdiff_t count, real *weights,
                    accreal scale);

/* sums[i] += scale * the sum over the sets s, in order, of totals[s * count + i]. */
void THNN_(addTotals)(const accreal *totals, ptrdiff_t sets, ptrdiff_t count, real *sums,
                      accreal scale);

/* Sets all bits of mask at the positions of a flat plane of y that are outputs, and no bits in the
 * gaps between its rows. */
void THNN_(setMask)(const THNNConvolution *c, const THNNConvPlan *plan, ptrdiff_t planeY,
                    real *mask);
