/* What the layer does with operands of these sizes.  weight may be gradWeight, bias gradBias, and
 * each of gradOutput, weight and bias may be NULL. */
THNNConvolution THNN_(convolutionOf)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                                     THTensor *weight, THTensor *bias);

/* y = bias (if there is one) + the convolution of x. */
void THNN_(convolve)(const THNNConvolution *c, THTensor *x, THTensor *weight, THTensor *bias,
                     THTensor *y);

/* x = bias (if there is one, an element for each plane) + what the windows get from y. */
void THNN_(convolveBackwardData)(const THNNConvolution *c, THTensor *y, THTensor *weight,
                                 THTensor *bias, THTensor *x);

/* gradWeight += scale * products of x and y, gradBias += scale * sums of biasOf's planes. Either
 * may be NULL. */
void THNN_(convolveBackwardWeights)(const THNNConvolution *c, THTensor *x, THTensor *y,
                                    THTensor *gradWeight, THTensor *gradBias, int biasOfX,
                                    accreal scale);

/* The functions of a layer. */
void THNN_(layerOutput)(THNNLayer layer, THTensor *input, THTensor *output, THTensor *weight,
                        THTensor *bias);
void THNN_(layerGradInput)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                           THTensor *gradInput, THTensor *weight);
void THNN_(layerGradParameters)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                                THTensor *gradWeight, THTensor *gradBias, accreal scale);

/* --- what other convolutions are made of ----------------------------------------------------- */

/* The operands of a call that computes y from x, or backward x from y; bias may be NULL. */
void THNN_(beginConvolution)(THNN_(Call) * call, const THNNConvolution *c, int backward,
                             THTensor **from, THTensor **weight, THTensor **bias, THTensor **to);

/* The elements of these operands; bias is NULL where there is none. */
typedef struct {
  const real *from, *weight, *bias;
  real *to;
} THNN_(Operands);

/* Starts the call: from now on its operands have addresses, and nothing fails. */
THNN_(Operands)
THNN_(startConvolution)(THNN_(Call) * call, THTensor *from, THTensor *weight, THTensor *bias,
                        THTensor *to);

/* Scratch memory of any type. */
void *THNN_(scratchBytes)(THNN_(Call) * call, size_t bytes);

/* The part of this thread of memory that has size elements for each thread. */
real *THNN_(ofThread)(real *memory, ptrdiff_t size, int threads);

/* Windows are simply the elements of x. */
int THNN_(areElements)(const THNNConvolution *c);

/* Whether windows are the elements of x, and its planes are at least as long as a strip of
 * DirectConvKernels.c: then a plane is its own flat plane, and is not copied. */
int THNN_(areFlat)(const THNNConvolution *c);

/* n elements of each plane of y become its bias, or 0. */
void THNN_(fillPlanes)(real *y, ptrdiff_t planes, ptrdiff_t n, const real *bias);

/* Flat planes, plane apart, of planes that are next apart; what lies between is 0, and so are
 * THNN_DIRECT_SLACK elements behind the last. */
void THNN_(copyPadded)(const THNNWindow *layout, const real *x, ptrdiff_t planes, ptrdiff_t next,
                       real *flat, ptrdiff_t plane);

/* sums[plane] += scale * the sum of that plane of x, of n elements, over the batch; and where the
 * planes are last, of rows of all planes. */
void THNN_(addColumnSums)(const real *x, ptrdiff_t rows, int64_t planes, accreal scale, real *sums);
void THNN_(addPlaneSums)(const real *x, int64_t batch, int64_t planes, ptrdiff_t n, accreal scale,
                         real *sums);

/* totals[plane] += the sum of the n elements of that plane of y; a few planes, by one thread. */
void THNN_(addToTotals)(ptrdiff_t planes, const real *y, ptrdiff_t n, accreal *totals);

/* weights (sums) += scale * the sum over sets of count numbers each, in order. */
void THNN_(addSets)(const real *sums, ptrdiff_t sets, ptrdiff_t count, real *weights,
                    accreal scale);
void THNN_(addTotals)(const accreal *totals, ptrdiff_t sets, ptrdiff_t count, real *sums,
                      accreal scale);

/* All bits of the positions in a flat plane of y that are windows. */
void THNN_(setMask)(const THNNConvolution *c, const THNNConvPlan *plan, ptrdiff_t planeY,
                    real *mask);
