/* The kernels of THCUNN, as the host's files call them: functions in C that queue a launch.  All
 * tensors are contiguous, but for those of THCKernels, which take a walk (thc_kernels.h). */
#ifndef THCUNN_KERNELS_H
#define THCUNN_KERNELS_H

#include "THC/cuda/thc_kernels.h"
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

/* Sums of a loss are kept in parts, which are added up at the end. */
enum { THCUNN_PARTS = 256 };

/* Of the n elements of x and t, the sum of each part, in what sums are kept in. */
typedef void (*THCUNNSum)(const void *x, const void *t, ptrdiff_t n, int parts, void *sums,
                          cudaStream_t stream);

typedef struct THCUNNPointwise {
  THCKernel forward;  /* operands: output, inputs */
  THCKernel gradient; /* gradInput, gradOutput, and the inputs */
  THCUNNSum sum;      /* of a loss */
} THCUNNPointwise;

/* What the kernels get as scalars. */
typedef struct THCUNNFloatScalars {
  float a, b, scale;
} THCUNNFloatScalars;
typedef struct THCUNNDoubleScalars {
  double a, b, scale;
} THCUNNDoubleScalars;
typedef THCUNNFloatScalars THCUNNHalfScalars;

/* --- windows -------------------------------------------------------------------------------- */

/* Rows and columns of images, and the windows that slide over them. */
typedef struct THCUNNWindows {
  int64_t input[2], output[2], size[2], step[2], pad[2], dilation[2];
} THCUNNWindows;

/* --- targets -------------------------------------------------------------------------------- */

/* *found becomes the least index of a value that is none of base ... base + limit - 1, nor
 * ignore. */
void THCUNN_findOutside(const int64_t *values, int64_t count, int64_t base, int64_t limit,
                        int64_t ignore, uint64_t *found, cudaStream_t stream);

typedef struct THCUNNNll {
  int64_t batch, classes, inner; /* inputs of batch x classes x inner */
  int64_t ignore, base;
  int each; /* each input has a loss of its own */
  int average;
  const int64_t *target;
  const void *weights;     /* may be NULL */
  const void *x;           /* forward: the input */
  void *loss, *totalOut;   /* forward: of one element, or of each */
  const void *g, *totalIn; /* backward */
  void *dx;                /* zeroed before */
} THCUNNNll;

#define THCUNN_KERNELS(Real, unused1, unused2)                                                       \
  extern const THCUNNPointwise THCUNN_pointwise_##Real[];                                            \
                                                                                                     \
  /* y from x, or with g the gradient y from the output x, of sequences of count elements that are \
   * inner apart. */ \
  void THCUNN_softMax_##Real(int logarithm, const void *g, const void *x, void *y, int64_t outer,    \
                             int64_t count, int64_t inner, cudaStream_t stream);                     \
                                                                                                     \
  void THCUNN_nll_##Real(const THCUNNNll *nll, cudaStream_t stream);                                 \
  void THCUNN_nllBackward_##Real(const THCUNNNll *nll, cudaStream_t stream);                         \
                                                                                                     \
  /* The largest of each window of each plane, and where it is, counted from base. */                \
  void THCUNN_maxPool_##Real(const THCUNNWindows *w, int64_t planes, const void *x, void *y,         \
                             int64_t *index, int64_t base, cudaStream_t stream);                     \
  void THCUNN_maxPoolBackward_##Real(const THCUNNWindows *w, int64_t planes, const void *g,          \
                                     const int64_t *index, void *dx, int64_t base,                   \
                                     cudaStream_t stream);                                           \
                                                                                                     \
  /* Windows of planes as columns, and the sum of what columns have for each place of a plane. */    \
  void THCUNN_im2col_##Real(const THCUNNWindows *w, int64_t planes, const void *x, void *columns,    \
                            cudaStream_t stream);                                                    \
  void THCUNN_col2im_##Real(const THCUNNWindows *w, int64_t planes, const void *columns, void *x,    \
                            cudaStream_t stream);                                                    \
                                                                                                     \
  /* n elements of each plane of batch images become its bias. */                                    \
  void THCUNN_fillPlanes_##Real(int64_t batch, int64_t planes, int64_t n, const void *bias,          \
                                void *y, cudaStream_t stream);                                       \
                                                                                                     \
  /* sums[plane] += scale * the sum of that plane, of n elements, over the batch. */                 \
  void THCUNN_addPlaneSums_##Real(int64_t batch, int64_t planes, int64_t n, const void *x,           \
                                  double scale, void *sums, cudaStream_t stream);                    \
                                                                                                     \
  /* *y = scale * the sum of parts. */                                                               \
  void THCUNN_addParts_##Real(const void *parts, int count, double scale, void *y,                   \
                              cudaStream_t stream);
THCUNN_KERNELS(Float, , )
THCUNN_KERNELS(Double, , )
THCUNN_KERNELS(Half, , )

#ifdef __cplusplus
}
#endif

#endif
