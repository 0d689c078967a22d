/* The launchers of one floating type: thcunn_kernels.h includes this file for each, and defines
 * OF_REAL(name) as THCUNN_name_Float and so on.  It forgets that at its end. */

/* The kernels of the rows of src/ops/activations.h: activations, gates, losses. */
extern const THCUNNPointwise OF_REAL(pointwise)[];

/* y = slopes * x.  Slopes of positive x are 1; the others are drawn from the random stream of this seed, from
 * this offset on. */
void OF_REAL(rrelu)(int64_t n, uint64_t seed, uint64_t offset, double lower, double upper,
                    const void *x, void *slopes, void *y, cudaStream_t stream);

/* Forward (g is NULL): y from the input x.  Backward: the gradient y from the output x and its
 * gradient g.  A sequence has count elements that are inner apart. */
void OF_REAL(softMax)(int logarithm, const void *g, const void *x, void *y, int64_t outer,
                      int64_t count, int64_t inner, cudaStream_t stream);

void OF_REAL(nll)(const THCUNNNll *nll, cudaStream_t stream);
void OF_REAL(nllBackward)(const THCUNNNll *nll, cudaStream_t stream);

/* MultiMarginCriterion has one right class for each input, MultiLabelMarginCriterion (labels) a list of
 * classes. */
void OF_REAL(margin)(const THCUNNMargin *margin, cudaStream_t stream);
void OF_REAL(marginBackward)(const THCUNNMargin *margin, cudaStream_t stream);
void OF_REAL(labels)(const THCUNNMargin *margin, cudaStream_t stream);
void OF_REAL(labelsBackward)(const THCUNNMargin *margin, cudaStream_t stream);

/* Pooling.  For each channel, channelDots adds scale * the sum of x * g to dots, and scale * the sum of g to
 * sums. */
void OF_REAL(maxPool)(const THCUNNPool *pool, cudaStream_t stream);
void OF_REAL(maxPoolBackward)(const THCUNNPool *pool, cudaStream_t stream);
void OF_REAL(unpool)(const THCUNNPool *pool, cudaStream_t stream);
void OF_REAL(unpoolBackward)(const THCUNNPool *pool, cudaStream_t stream);
void OF_REAL(average)(const THCUNNPool *pool, cudaStream_t stream);
void OF_REAL(averageBackward)(const THCUNNPool *pool, cudaStream_t stream);
void OF_REAL(norm)(const THCUNNPool *pool, cudaStream_t stream);
void OF_REAL(normBackward)(const THCUNNPool *pool, cudaStream_t stream);
void OF_REAL(channelDots)(int64_t outer, int64_t channels, int64_t inner, const void *x,
                          const void *g, double scale, void *dots, void *sums, void *memory,
                          cudaStream_t stream);

void OF_REAL(gather)(const THCUNNGather *gather, cudaStream_t stream);

void OF_REAL(sampleGrid)(const THCUNNGrid *grid, cudaStream_t stream);
void OF_REAL(sampleGridBackward)(const THCUNNGrid *grid, cudaStream_t stream);

void OF_REAL(batchNorm)(const THCUNNBatchNorm *norm, cudaStream_t stream);
void OF_REAL(batchNormBackward)(const THCUNNBatchNorm *norm, cudaStream_t stream);
void OF_REAL(crossMap)(const THCUNNCrossMap *map, cudaStream_t stream);
void OF_REAL(crossMapBackward)(const THCUNNCrossMap *map, cudaStream_t stream);

void OF_REAL(gru)(const THCUNNCells *cells, cudaStream_t stream);
void OF_REAL(gruBackward)(const THCUNNCells *cells, cudaStream_t stream);
void OF_REAL(lstm)(const THCUNNCells *cells, cudaStream_t stream);
void OF_REAL(lstmBackward)(const THCUNNCells *cells, cudaStream_t stream);

/* addRows adds rows of g to the table.  renormRows scales the selected rows to a norm of at most maxNorm.
 * sumBags sums up the rows of each bag. */
void OF_REAL(addRows)(const THCUNNTable *table, cudaStream_t stream);
void OF_REAL(renormRows)(const THCUNNTable *table, cudaStream_t stream);
void OF_REAL(sumBags)(const THCUNNTable *table, cudaStream_t stream);

/* sparseCheck reports an entry out of range by its index; the other kernels ignore such entries.
 * sparseChange takes a step in the columns that entries name, or sets them to 0 if weight is NULL. */
void OF_REAL(sparseCheck)(const THCUNNSparse *s, const THCReport *report, cudaStream_t stream);
void OF_REAL(sparseOutput)(const THCUNNSparse *s, cudaStream_t stream);
void OF_REAL(sparseGradients)(const THCUNNSparse *s, cudaStream_t stream);
void OF_REAL(sparseChange)(const THCUNNSparse *s, cudaStream_t stream);

/* keysBegin sets first[j] to the number of entries before list j, by the sizes of lists, and first[batch] to
 * count; it reports sizes that are negative or too large, or do not sum up to count.  keysNormalize
 * normalizes values to y.  keysBias adds scale * the sums of g's columns to y.  keysSteps takes a step of
 * weight for each entry. */
void OF_REAL(keysBegin)(const int64_t *sizes, int64_t batch, int64_t count, int64_t *first,
                        const THCReport *report, cudaStream_t stream);
void OF_REAL(keysNormalize)(const THCUNNKeys *k, int train, cudaStream_t stream);
void OF_REAL(keysOutput)(const THCUNNKeys *k, cudaStream_t stream);
void OF_REAL(keysBias)(const THCUNNKeys *k, cudaStream_t stream);
void OF_REAL(keysGradients)(const THCUNNKeys *k, cudaStream_t stream);
void OF_REAL(keysSteps)(const THCUNNKeys *k, int direct, cudaStream_t stream);

void OF_REAL(im2col)(const THCUNNColumns *columns, int64_t planes, cudaStream_t stream);
void OF_REAL(col2im)(const THCUNNColumns *columns, int64_t planes, cudaStream_t stream);

void OF_REAL(direct)(const THCUNNDirect *direct, cudaStream_t stream);
void OF_REAL(directBackwardData)(const THCUNNDirect *direct, cudaStream_t stream);
void OF_REAL(directBackwardWeights)(const THCUNNDirect *direct, cudaStream_t stream);

/* Reports an element that is not in [0, 1]. */
void OF_REAL(findNonProbability)(const void *x, int64_t count, const THCReport *report,
                                 cudaStream_t stream);

/* Sets the n elements of each plane of batch images to the plane's bias. */
void OF_REAL(fillPlanes)(int64_t batch, int64_t planes, int64_t n, const void *bias, void *y,
                         cudaStream_t stream);

/* Adds scale * x[plane] to the n elements of each plane. */
void OF_REAL(addToPlanes)(int64_t batch, int64_t planes, int64_t n, const void *x, double scale,
                          void *y, cudaStream_t stream);

/* addPlaneSums: sums[plane] += scale * the sum of the n elements of this plane in all images of the batch,
 * added up in memory by THNN_(sumMemory).  addParts: *y = scale * the sum of count parts. */
void OF_REAL(addPlaneSums)(int64_t batch, int64_t planes, int64_t n, const void *x, double scale,
                           void *sums, void *memory, cudaStream_t stream);
void OF_REAL(addParts)(const void *parts, int count, double scale, void *y, cudaStream_t stream);

#undef OF_REAL
