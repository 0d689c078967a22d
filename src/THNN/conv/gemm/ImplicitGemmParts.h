/* What the three passes of implicit products share (ImplicitGemm.c), per type. */

/* Elements rounded up to whole vectors, so that what follows in memory is aligned to vectors. */
ptrdiff_t THNN_(wholeVectors)(ptrdiff_t elements);

/* The number of positions of a part in an image. */
ptrdiff_t THNN_(positionsOf)(const THNNDirect *d);

/* Lists the offsets of the positions of a part, for some images, and returns how many there are.  Images are
 * next apart, and neighbouring positions positionStride. */
ptrdiff_t THNN_(listPositions)(const THNNConvPlan *p, const THNNDirect *d, ptrdiff_t images,
                               ptrdiff_t next, ptrdiff_t positionStride, ptrdiff_t *list);

/* Lists the offsets of the terms of a part, for some planes.  Channels-last, stride is the
 * distance of neighbouring positions, otherwise that of planes. */
void THNN_(listTerms)(const THNNConvolution *c, const THNNPart *part, ptrdiff_t planes,
                      ptrdiff_t stride, ptrdiff_t *list);

/* Copies some planes of a channels-last image, with the padding: positions are next apart in x, and
 * positionStride in flat. */
void THNN_(copyPaddedNhwc)(const THNNWindow *w, const real *x, ptrdiff_t next, ptrdiff_t planes,
                           real *flat, ptrdiff_t positionStride);

/* Channels-last: whether the windows need no padded copy of the image. */
int THNN_(needsNoPadding)(const THNNConvPlan *p);
