/* What the three passes of implicit_gemm, and the cost of scatter, share (ImplicitGemm.c), per type. */

/* --- utilization: the fraction of the computed results that is used -------------------------- */

/* The utilization with outputs in the lanes, as in implicit_gemm. */
double THNN_(laneUtilization)(ptrdiff_t outputs);

/* The utilization with positions of the padded image in the lanes, as in the algorithm direct. */
double THNN_(positionUtilization)(const THNNConvolution *c, int backward, ptrdiff_t outputs);

/* The positions of a part along a dimension. */
int64_t THNN_(positionsAlong)(const THNNWindow *w, int backward);

/* --- lists and copies ------------------------------------------------------------------------ */

/* A number of elements, rounded up to whole vectors: the next buffer in memory is then aligned too. */
ptrdiff_t THNN_(wholeVectors)(ptrdiff_t elements);

/* The number of positions of a part in one image. */
ptrdiff_t THNN_(positionsOf)(const THNNDirect *d);

/* Lists the offsets of the positions of a part for some images, and returns how many there are.  next is
 * the stride of images, positionStride the stride of neighbouring positions. */
ptrdiff_t THNN_(listPositions)(const THNNConvPlan *p, const THNNDirect *d, ptrdiff_t images,
                               ptrdiff_t next, ptrdiff_t positionStride, ptrdiff_t *list);

/* Lists the offsets of the terms of a part for some planes.  stride is the stride of neighbouring
 * positions if the image is channels-last, the stride of planes otherwise. */
void THNN_(listTerms)(const THNNConvolution *c, const THNNPart *part, ptrdiff_t planes,
                      ptrdiff_t stride, ptrdiff_t *list);

/* Copies some planes of a channels-last image, with padding.  The stride of positions is next in x and
 * positionStride in flat. */
void THNN_(copyPaddedNhwc)(const THNNWindow *w, const real *x, ptrdiff_t next, ptrdiff_t planes,
                           real *flat, ptrdiff_t positionStride);

/* Whether the windows of a channels-last image need no padded copy of it. */
int THNN_(needsNoPadding)(const THNNConvPlan *p);
