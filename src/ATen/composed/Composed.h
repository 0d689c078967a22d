/* Operations that other operations compute: the rows of src/ops/aten that have composite and no impl.
 * The functions are called as operations are: what fails is reported, and the undefined tensor is
 * returned.  A scope that the caller opened owns what they make. */
#ifndef ATEN_COMPOSED_H
#define ATEN_COMPOSED_H

#include "ATenOps.h"

/* The results of such a function with values and indices, as an operation's. */
#define at_composedValues(OUT, EXPRESSION)      \
  __extension__({                               \
    AT_SCOPE_GUARD;                             \
    const at_values_indices made_ = EXPRESSION; \
    OUT[0] = at_escape(made_.values);           \
    OUT[1] = at_escape(made_.indices);          \
  })

/* --- numbers ---------------------------------------------------------------------------------- */

at_tensor *at_mvlgammaOf(at_tensor *self, int64_t p);
at_tensor *at_gcdOf(at_tensor *self, at_tensor *other);
at_tensor *at_lcmOf(at_tensor *self, at_tensor *other);
at_tensor *at_roundedTo(at_tensor *self, int64_t decimals);

/* --- windows ---------------------------------------------------------------------------------- */

typedef enum {
  AT_WINDOW_BARTLETT,
  AT_WINDOW_COSINE,
  AT_WINDOW_EXPONENTIAL, /* of tau */
  AT_WINDOW_GAUSSIAN,    /* of std */
  AT_WINDOW_KAISER       /* of beta */
} at_window_kind;

/* count numbers, of a symmetric window or of one period; number is the window's parameter. */
at_tensor *at_window(const char *name, at_window_kind kind, int64_t count, double number,
                     bool isSymmetric, const at_type *type);

/* The sum of weights[j] * cos(j * t), with alternating signs. */
at_tensor *at_cosineWindow(const char *name, int64_t count, at_doubles weights, bool isSymmetric,
                           const at_type *type);
at_tensor *at_exponentialWindow(int64_t count, at_scalar center, double tau, bool isSymmetric,
                                const at_type *type);

/* --- masks: elements where mask is false do not count ------------------------------------------ */

typedef enum { AT_MASKED_SUM, AT_MASKED_PROD, AT_MASKED_AMAX, AT_MASKED_AMIN } at_masked_kind;

at_tensor *at_maskedReduction(at_masked_kind kind, at_tensor *self, at_ints dim, bool keepdim,
                              const at_type *type, at_tensor *mask);
at_tensor *at_maskedScan(bool isProduct, at_tensor *self, int64_t dim, const at_type *type,
                         at_tensor *mask);
at_tensor *at_maskedIndex(bool isMinimum, at_tensor *self, int64_t dim, bool keepdim,
                          const at_type *type, at_tensor *mask);
at_tensor *at_maskedMean(at_tensor *self, at_ints dim, bool keepdim, const at_type *type,
                         at_tensor *mask);
at_tensor *at_maskedMedian(at_tensor *self, int64_t dim, bool keepdim, at_tensor *mask);
at_tensor *at_maskedVariance(at_tensor *self, at_ints dim, bool unbiased, bool keepdim,
                             const at_type *type, at_tensor *mask, bool isDeviation);
at_tensor *at_maskedLogSum(at_tensor *self, at_ints dim, bool keepdim, at_tensor *mask);
at_tensor *at_maskedLogAdd(at_tensor *self, at_tensor *other, at_tensor *mask,
                           at_tensor *otherMask);
at_tensor *at_maskedNorm(at_tensor *self, double ord, at_ints dim, bool keepdim,
                         const at_type *type, at_tensor *mask);
at_tensor *at_maskedNormalized(at_tensor *self, double ord, int64_t dim, double eps,
                               at_tensor *mask);
at_tensor *at_maskedSoftmax(at_tensor *self, int64_t dim, const at_type *type, at_tensor *mask,
                            bool isLog, bool isMinimum);

/* --- layers and losses ------------------------------------------------------------------------- */

at_tensor *at_normalizedOf(at_tensor *self, double p, int64_t dim, double eps);
at_tensor *at_responseNorm(at_tensor *self, int64_t size, double alpha, double beta, double k);
at_tensor *at_softsignOf(at_tensor *self);
at_tensor *at_tanhShrunk(at_tensor *self);
at_tensor *at_gaussianLossOf(at_tensor *input, at_tensor *target, at_tensor *var, bool full,
                             double eps, int64_t reduction);
at_tensor *at_labelLossOf(at_tensor *self, at_tensor *target, at_tensor *weight, int64_t reduction);

/* Dropout of single numbers or whole channels; with alpha the mean and the variance of what selu
 * returns stay. */
at_tensor *at_dropoutOf(const char *name, at_tensor *self, double p, bool train, bool isAlpha,
                        bool isChannel);

at_tensor *at_safeSoftmax(at_tensor *self, int64_t dim, const at_type *type);
at_tensor *at_softmaxFrom(at_tensor *grad, at_tensor *output, int64_t dim, const at_type *type);
at_tensor *at_dropoutFrom(at_tensor *grad, at_tensor *mask, double scale);

/* --- linear algebra ----------------------------------------------------------------------------- */

at_tensor *at_tensorInverse(at_tensor *self, int64_t ind);
at_tensor *at_tensorSolution(at_tensor *self, at_tensor *other, at_ints dims);

/* --- shapes ------------------------------------------------------------------------------------ */

at_tensor *at_asVector(at_tensor *self);
at_tensor *at_blockDiagonal(at_tensors tensors);
at_tensor *at_cartesianOf(at_tensors tensors);
at_tensor *at_combinationsOf(at_tensor *self, int64_t r, bool with_replacement);
at_tensor *at_trapezoids(at_tensor *y, at_tensor *x, double dx, int64_t dim, bool isCumulative);
at_tensor *at_summedTo(at_tensor *self, at_ints size);
at_tensor *at_emptyPermuted(at_ints size, at_ints layout, const at_type *type);
at_tensor *at_nonzeroStatic(at_tensor *self, int64_t size, int64_t value);
at_tensor *at_stridedScatter(at_tensor *self, at_tensor *src, at_ints size, at_ints stride,
                             int64_t offset);
at_values_indices at_nanMedianOf(at_tensor *self, int64_t dim, bool keepdim);

/* Transforms of hermitian signals over several dimensions: isForward to real numbers. */
at_tensor *at_hermitian(at_tensor *self, at_ints s, at_ints dim, const char *norm, bool isForward);

#endif
