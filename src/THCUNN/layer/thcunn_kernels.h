/* The launchers of THCUNN's kernels: C functions that queue a launch, for the host's files.  All
 * tensors are contiguous, except those of THCKernels, which take a walk (thc_kernels.h). */
#ifndef THCUNN_KERNELS_H
#define THCUNN_KERNELS_H

#include "THC/core/thc_kernels.h"
#include "ops/activations.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- the rows of src/ops/activations.h ------------------------------------------------------ */

#define THCUNN_ROW(KIND, Name, FORWARD, GRADIENT) THCUNN_##Name,
#define LOSS(Name)
enum { TH_FOR_EACH_ACTIVATION(THCUNN_ROW) TH_FOR_EACH_LOSS(THCUNN_ROW) THCUNN_ROWS };
#undef THCUNN_ROW
#undef LOSS

/* Most parts of a sum: each block sums up one part, and addParts adds the parts. */
enum { THCUNN_PARTS = 256 };

/* The sums of the parts of a loss of the n elements of x and t, in the type of sums. */
typedef void (*THCUNNSum)(const void *x, const void *t, ptrdiff_t n, int parts, void *sums,
                          cudaStream_t stream);

typedef struct THCUNNPointwise {
  THCKernel forward;  /* operands: output, inputs */
  THCKernel gradient; /* operands: gradInput, gradOutput, inputs */
  THCUNNSum sum;      /* only of a loss */
} THCUNNPointwise;

/* The kernels' scalars. */
typedef struct THCUNNFloatScalars {
  float a, b, scale;
} THCUNNFloatScalars;
typedef struct THCUNNDoubleScalars {
  double a, b, scale;
} THCUNNDoubleScalars;
typedef THCUNNFloatScalars THCUNNHalfScalars;

/* --- windows -------------------------------------------------------------------------------- */

/* Rows (0) and columns (1) of images, and the windows that slide over them. */
typedef struct THCUNNWindows {
  int64_t input[2], output[2], size[2], step[2], pad[2], dilation[2];
} THCUNNWindows;

/* --- targets -------------------------------------------------------------------------------- */

/* *found becomes the first index of a value outside of base ... base + limit - 1 that is not
 * ignore. */
void THCUNN_findOutside(const int64_t *values, int64_t count, int64_t base, int64_t limit,
                        int64_t ignore, uint64_t *found, cudaStream_t stream);

typedef struct THCUNNNll {
  int64_t batch, classes, inner; /* the input is batch x classes x inner */
  int64_t ignore, base;
  int each; /* one loss per target instead of their sum */
  int average;
  const int64_t *target;
  const void *weights;     /* may be NULL */
  const void *x;           /* forward: the input */
  void *loss, *totalOut;   /* forward: the loss and the sum of weights */
  const void *g, *totalIn; /* backward */
  void *dx;                /* backward: gradInput, filled with 0 */
} THCUNNNll;

/* --- of each floating type -------------------------------------------------------------------- */

#define FOR_EACH_FLOAT(DECLARE) DECLARE(Float) DECLARE(Double) DECLARE(Half)

/* The kernels of the rows of src/ops/activations.h. */
#define POINTWISE(Real) extern const THCUNNPointwise THCUNN_pointwise_##Real[];
FOR_EACH_FLOAT(POINTWISE)

/* Forward (g is NULL): y from the input x.  Backward: the gradient y from the output x and its
 * gradient g.  A sequence has count elements that are inner apart. */
#define SOFTMAX(Real)                                                                             \
  void THCUNN_softMax_##Real(int logarithm, const void *g, const void *x, void *y, int64_t outer, \
                             int64_t count, int64_t inner, cudaStream_t stream);
FOR_EACH_FLOAT(SOFTMAX)

#define NLL(Real)                                                    \
  void THCUNN_nll_##Real(const THCUNNNll *nll, cudaStream_t stream); \
  void THCUNN_nllBackward_##Real(const THCUNNNll *nll, cudaStream_t stream);
FOR_EACH_FLOAT(NLL)

/* The maximum of each window of each plane, and its index in the plane, counted from base. */
#define MAX_POOL(Real)                                                                       \
  void THCUNN_maxPool_##Real(const THCUNNWindows *w, int64_t planes, const void *x, void *y, \
                             int64_t *index, int64_t base, cudaStream_t stream);             \
  void THCUNN_maxPoolBackward_##Real(const THCUNNWindows *w, int64_t planes, const void *g,  \
                                     const int64_t *index, void *dx, int64_t base,           \
                                     cudaStream_t stream);
FOR_EACH_FLOAT(MAX_POOL)

/* The windows of planes as columns; and planes whose elements are sums over columns. */
#define COLUMNS(Real)                                                                             \
  void THCUNN_im2col_##Real(const THCUNNWindows *w, int64_t planes, const void *x, void *columns, \
                            cudaStream_t stream);                                                 \
  void THCUNN_col2im_##Real(const THCUNNWindows *w, int64_t planes, const void *columns, void *x, \
                            cudaStream_t stream);
FOR_EACH_FLOAT(COLUMNS)

/* Sets the n elements of each plane of batch images to the plane's bias. */
#define FILL_PLANES(Real)                                                                   \
  void THCUNN_fillPlanes_##Real(int64_t batch, int64_t planes, int64_t n, const void *bias, \
                                void *y, cudaStream_t stream);
FOR_EACH_FLOAT(FILL_PLANES)

/* sums[plane] += scale * the sum of the n elements of this plane in all images of the batch;
 * *y = scale * the sum of count parts. */
#define SUMS(Real)                                                                         \
  void THCUNN_addPlaneSums_##Real(int64_t batch, int64_t planes, int64_t n, const void *x, \
                                  double scale, void *sums, cudaStream_t stream);          \
  void THCUNN_addParts_##Real(const void *parts, int count, double scale, void *y,         \
                              cudaStream_t stream);
FOR_EACH_FLOAT(SUMS)

#undef POINTWISE
#undef SOFTMAX
#undef NLL
#undef MAX_POOL
#undef COLUMNS
#undef FILL_PLANES
#undef SUMS
#undef FOR_EACH_FLOAT

#ifdef __cplusplus
}
#endif

#endif
