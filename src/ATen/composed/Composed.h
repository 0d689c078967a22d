/* Operations that other operations compute: the rows of src/ops/aten that have composite and no impl.
 * The functions are called as operations are: what fails is reported, and the undefined tensor is
 * returned.  A scope that the caller opened owns what they make. */
#ifndef ATEN_COMPOSED_H
#define ATEN_COMPOSED_H

#include "ATen/core/ATenCore.h"
#include "ATen/nn/convolution.h"
#include "ATen/nn/pooling.h"
#include "ATen/sequence/ctc.h"
#include "ATenOps.h"

/* Returns count results from the innermost scope; none if a call has failed since there were that
 * many failures.  A result that is optional may be undefined. */
static inline void at_escapeAll(unsigned failures, int count, at_tensor *const *made,
                                at_tensor **out)
{
  const bool failed = at_failureCount() != failures;
  for (int i = 0; i < count; i++)
    out[i] = failed ? at_undefined() : at_escape(made[i]);
}

/* Returns a list from the innermost scope; the empty list if a call has failed since there were that many
 * failures. */
static inline const at_tensors *at_escapeWhole(unsigned failures, const at_tensors *list)
{
  return at_failureCount() != failures ? &at_noTensors : at_escapeList(list);
}

/* The results of such a function, which are tensors in a struct, as an operation's. */
#define at_composedAll(OUT, EXPRESSION)                          \
  __extension__({                                                \
    AT_SCOPE_GUARD;                                              \
    const unsigned failures_ = at_failureCount();                \
    const __auto_type made_ = EXPRESSION;                        \
    at_escapeAll(failures_, sizeof made_ / sizeof *(OUT),        \
                 (at_tensor *const *)(const void *)&made_, OUT); \
  })

/* The list of such a function, as an operation's. */
#define at_composedList(EXPRESSION)               \
  __extension__({                                 \
    AT_SCOPE_GUARD;                               \
    const unsigned failures_ = at_failureCount(); \
    const at_tensors *const made_ = EXPRESSION;   \
    at_escapeWhole(failures_, made_);             \
  })

/* --- numbers ---------------------------------------------------------------------------------- */

at_tensor *at_mvlgammaOf(at_tensor *self, int64_t p);
at_tensor *at_nextNarrow(at_tensor *self, at_tensor *other, at_scalar_type type);
at_tensor *at_lcmOf(at_tensor *self, at_tensor *other);
at_tensor *at_roundedTo(at_tensor *self, int64_t decimals);

/* isclose and allclose of complex numbers. */
at_tensor *at_complexClose(at_tensor *self, at_tensor *other, double rtol, double atol,
                           bool equalNaN);
bool at_complexAllClose(const at_tensor *self, const at_tensor *other, double rtol, double atol,
                        bool equalNaN);

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

/* log_probs may be without a batch: steps x classes. */
at_tensor *at_ctcLossOf(at_tensor *log_probs, at_tensor *targets, at_ctc_lengths lengths,
                        int64_t blank, int64_t reduction, bool zero_infinity);

/* Dropout of single numbers or whole channels; with alpha the mean and the variance of what selu
 * returns stay. */
at_tensor *at_dropoutOf(const char *name, at_tensor *self, double p, bool train, bool isAlpha,
                        bool isChannel);

at_tensor *at_safeSoftmax(at_tensor *self, int64_t dim, const at_type *type);
at_tensor *at_softmaxFrom(at_tensor *grad, at_tensor *output, int64_t dim, const at_type *type);
at_tensor *at_dropoutFrom(at_tensor *grad, at_tensor *mask, double scale);

/* --- linear algebra ----------------------------------------------------------------------------- */

/* LU factors; pivots count rows from 1, info says which diagonal element of U is 0. */
at_LU_pivots_info at_luOf(const char *name, at_tensor *a, bool pivot, bool check);
at_LU_pivots at_luFactorOf(at_tensor *a, bool pivot);
at_P_L_U at_luMatrices(at_tensor *a, bool pivot);
at_P_L_U at_luUnpacked(at_tensor *lu, at_tensor *pivots, bool data, bool order);
at_tensor *at_luSolution(const char *name, at_tensor *lu, at_tensor *pivots, at_tensor *b,
                         bool left, bool adjoint);

/* The inverse, the solution and Cholesky's factor with a status instead of an error: what there
 * is no result for is NaN. */
at_inverse_info at_inverseOrInfo(at_tensor *a, bool check);
at_result_info at_solutionOrInfo(at_tensor *a, at_tensor *b, bool left, bool check);
at_L_info at_choleskyOrInfo(at_tensor *self, bool upper, bool check);

/* The singular value decomposition of a - m of about rank q; m may be NULL. */
at_U_S_V at_lowRankSingulars(const char *name, at_tensor *a, int64_t q, int64_t niter,
                             at_tensor *m);
/* The principal parts of a without the mean of its rows; q is AT_NONE for 6 or fewer parts. */
at_U_S_V at_principalParts(at_tensor *a, int64_t q, bool center, int64_t niter);

/* L D L' of the lower triangle of symmetric matrices, with LAPACK's pivots. */
at_LD_pivots_info at_ldlOrInfo(const char *name, at_tensor *a, bool hermitian, bool check);
at_LD_pivots at_ldlOf(at_tensor *a, bool hermitian);
at_tensor *at_ldlSolution(at_tensor *ld, at_tensor *pivots, at_tensor *b, bool hermitian);

at_tensor *at_householderOf(at_tensor *input, at_tensor *tau);

/* ormqr of batches of matrices. */
at_tensor *at_reflectedBatch(at_tensor *input, at_tensor *tau, at_tensor *other, bool left,
                             bool transpose);
at_solution_cloned_coefficient at_triangularOf(at_tensor *b, at_tensor *a, bool upper,
                                               bool transpose, bool unitriangular);

at_eigenvalues_eigenvectors at_eigOf(const char *name, at_tensor *self);
at_tensor *at_conditionOf(at_tensor *self, at_scalar p);
at_tensor *at_conditionByName(at_tensor *self, const char *p);
at_solution_residuals_rank_singular_values at_lstsqOf(at_tensor *a, at_tensor *b, at_scalar rcond,
                                                      const char *driver);
at_U_H at_polarOf(at_tensor *a);
at_tensor *at_symmetricRoot(at_tensor *self);

at_tensor *at_tensorInverse(at_tensor *self, int64_t ind);
at_tensor *at_tensorSolution(at_tensor *self, at_tensor *other, at_ints dims);

/* --- indices ------------------------------------------------------------------------------------ */

/* Selections in which indices may be out of range where mask is false: fill is selected there, or
 * nothing is added. */
at_tensor *at_maskedIndexed(at_tensor *self, at_tensor *mask, at_tensors indices, at_scalar fill);
at_tensor *at_maskedAdded(at_tensor *self, at_tensor *mask, at_tensors indices, at_tensor *values);

at_tensor *at_chunksJoined(at_tensors tensors, int64_t dim, int64_t chunks);
at_tensor *at_segmentReduced(at_tensor *data, const char *reduce, at_tensor *lengths,
                             at_tensor *indices, at_tensor *offsets, int64_t axis, bool unsafe,
                             at_scalar initial);

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

/* The derivatives of self along each of dims, or of all, where its elements lie spacing apart, a
 * number for each of dims or one for all, or at the coordinates. */
const at_tensors *at_gradientOf(at_tensor *self, at_doubles spacing, at_tensors coordinates,
                                at_ints dims, int64_t edgeOrder);

/* --- histograms -------------------------------------------------------------------------------- */

/* edges NULL: count bins of the same width. */
at_hist_bin_edges at_histogramWith(at_tensor *self, at_tensor *edges, int64_t count,
                                   at_doubles range, at_tensor *weight, bool isDensity);
const at_tensors *at_histogramEdges(at_tensor *self, at_ints bins, at_doubles range);
at_tensor *at_histogramOver(at_tensor *self, at_tensors edges, at_tensor *weight, bool isDensity);

/* --- transforms -------------------------------------------------------------------------------- */

/* Transforms of hermitian signals over several dimensions: isForward to real numbers. */
at_tensor *at_hermitian(at_tensor *self, at_ints s, at_ints dim, const char *norm, bool isForward);

/* --- integers.c ------------------------------------------------------------------------------- */

/* The convolution of integers, whose sums are modulo what the type holds.  bias may be NULL. */
at_tensor *at_integerConvolution(at_tensor *input, at_tensor *weight, at_tensor *bias,
                                 at_conv_options how);

/* The average of windows of Long: sums divided by divisor, or by how many elements a window
 * counts where divisor is AT_NONE, without fractions. */
at_tensor *at_integerAverage(at_tensor *out, at_tensor *self, int axes, at_windows w,
                             bool includesPadding, int64_t divisor);

/* --- complex numbers -------------------------------------------------------------------------- */

/* What the operations of these names compute of complex operands. */
at_tensor *at_complexSilu(at_tensor *self);
at_tensor *at_complexSinc(at_tensor *self);
/* softmax, or its logarithm, of the real parts, in the real type that is given. */
at_tensor *at_complexSoftMax(at_tensor *self, bool log, int64_t dim, const at_type *type);
at_tensor *at_complexWithoutNaN(at_tensor *self, at_scalar nan, at_scalar posinf, at_scalar neginf);
at_tensor *at_complexFloatPower(at_tensor *self, at_tensor *exponent);
at_tensor *at_complexFloatPowerScalar(at_tensor *self, at_scalar exponent);
at_tensor *at_complexFloatPowerBase(at_scalar self, at_tensor *exponent);
at_tensor *at_complexScaledByPower(at_tensor *self, at_tensor *other);
at_tensor *at_complexAddr(at_tensor *self, at_tensor *vec1, at_tensor *vec2, at_scalar beta,
                          at_scalar alpha);
at_tensor *at_complexLogSums(at_tensor *self, at_ints dim, bool keepdim);
at_tensor *at_complexLogAdd(at_tensor *self, at_tensor *other);
at_tensor *at_complexLogSumsUpTo(at_tensor *self, int64_t dim);
at_tensor *at_complexL1(at_tensor *self, at_tensor *target, int64_t reduction);
at_tensor *at_complexRenormed(at_tensor *self, at_scalar p, int64_t dim, at_scalar maxnorm);
at_tensor *at_complexRootNormalized(at_tensor *input, at_ints shape, at_tensor *weight,
                                    at_scalar eps);
at_tensor *at_complexColumns(at_tensor *self, at_windows windows);
at_tensor *at_complexImages(at_tensor *self, at_ints output_size, at_windows windows);

at_tensor *at_tripletLossOf(at_tensor *anchor, at_tensor *positive, at_tensor *negative,
                            double margin, double p, double eps, bool swaps, int64_t reduction);
at_tensor *at_covOf(at_tensor *self, int64_t correction, at_tensor *repeats, at_tensor *weights);
at_tensor *at_corrcoefOf(at_tensor *self);

/* Training: with elements zeroed with probability p, parts together. */
at_tensor *at_complexDropout(at_tensor *self, double p);

#endif
