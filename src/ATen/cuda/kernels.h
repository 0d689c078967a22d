/* The kernels of libATenCUDA for single operations: what libATen asks for by name, and what each of
 * them takes.  All arrays are contiguous and on the current device; those without a type are of
 * Float or Double, as the call says. */
#ifndef ATEN_CUDA_KERNELS_H
#define ATEN_CUDA_KERNELS_H

#include <stdbool.h>

#include "ATen/fft/fftKind.h"
#include "ATen/nn/layerNorm.h"
#include "ATen/resample/taps.h"
#include "ATen/statistics/indexReduce.h"
#include "ATen/statistics/lineElements.h"
#include "THC/core/thc_fault.h"

/* Kernels by their names. */
typedef enum at_kernel {
#define KERNEL(NAME, WORK) AT_KERNEL_##NAME,
#include "kernelRows.h"
  AT_KERNEL_COUNT
} at_kernel;

/* The calls of Philox that a thread of draws takes at most, but for one in a million. */
enum { AT_DRAW_WORDS = 256 };

/* --- normalization --------------------------------------------------------------------------- */

/* count lines.  weight and bias of the lines may be NULL, which stand for 1 and 0.  weights and
 * biases get a row of n sums for each chunk of so many lines. */
typedef struct at_layer_norm_work {
  at_lines_normalized lines;
  ptrdiff_t count, chunk;
  void *weights, *biases;
} at_layer_norm_work;

/* --- embeddings ------------------------------------------------------------------------------ */

/* Row row[i] of the table becomes the sum of the rows from[i] of g, for ascending row; other rows
 * stay as they are, and so does the row padding.  What is no row of the table is left out. */
typedef struct at_embedding_sums_work {
  ptrdiff_t count, rows, columns;
  const int64_t *row, *from;
  int64_t padding;
  bool means; /* the sums are divided by how many they are of */
  const void *g;
  void *table;
} at_embedding_sums_work;

/* Reduces bags of rows: bag b has the indices from offsets[b] to the next offset.  What is no row of
 * the table is left out, and so is what an offset out of range would add. */
typedef struct at_embedding_bag_work {
  ptrdiff_t count, bags, columns;
  int64_t rows, padding; /* an index of padding is left out */
  int mode;              /* an at_bag_mode: sum, mean, maximum */
  bool endsWithCount;    /* there is one more offset, which has to be count */
  bool isGathered;       /* row i of the table belongs to index i, and not to its value */
  const int64_t *index, *offsets;
  const void *table, *weights; /* weights of the indices, or NULL */
  void *y;
  int64_t *bag, *size, *from; /* of each index; of each bag; the row of each maximum, or NULL */
  THCReport report;           /* of the check of the offsets */
} at_embedding_bag_work;

/* --- attention ------------------------------------------------------------------------------- */

enum { AT_MASK_DIMS = 4 };

/* The softmax of lines of scores: of rows rows from firstRow on of each of so many matrices from
 * firstMatrix on.  A matrix has the queries of group heads one below the other. */
typedef struct at_scores_work {
  void *scores;
  ptrdiff_t matrices, rows, firstMatrix, firstRow;
  ptrdiff_t queries, keys, group;
  bool isCausal, isBoolean; /* of the mask: of bytes, or added */
  void *logSums;            /* of all matrices x queries: log(sum(exp(scores))), or NULL */
  const void *mask;         /* or NULL */
  ptrdiff_t maskRow, maskColumn;
  int maskDims; /* of the batch of heads */
  ptrdiff_t maskSize[AT_MASK_DIMS], maskStride[AT_MASK_DIMS];
} at_scores_work;

/* --- connectionist temporal classification ------------------------------------------------------ */

enum { AT_CTC_SAMPLES = 64 };

/* Writes the lengths of count samples, and where their targets begin: they are arguments of the kernel, so that no
 * copy has to be waited for. */
typedef struct at_ctc_lengths_work {
  int count;
  int64_t input[AT_CTC_SAMPLES], length[AT_CTC_SAMPLES], start[AT_CTC_SAMPLES];
  int64_t *inputs, *lengths, *starts;
} at_ctc_lengths_work;

/* Writes what lengths of a device, input and length, say of samples whose targets are in rows of width labels.  Those
 * that are not from 0 to steps and to longest, which the check reports, become the nearest. */
typedef struct at_ctc_given_work {
  int64_t batch, steps, longest, width;
  const int64_t *input, *length;
  int64_t *inputs, *lengths, *starts;
  THCReport report;
} at_ctc_given_work;

/* The CTC loss as in sequence/ctc.c.  probs is steps x batch x classes, alpha batch x steps x
 * states.  A label that is no class counts as blank; the check reports it, at its index in batch
 * x states. */
typedef struct at_ctc_work {
  int64_t steps, batch, classes, blank, states;
  const void *probs;
  const int64_t *labels, *inputs, *lengths, *starts;
  double *rows; /* space for batch x 2 x states */
  void *alpha, *loss;
  int64_t *chain; /* backward: space for batch x states */
  const void *grad;
  void *gradient;
  bool zerosInfinity;
  THCReport report;
} at_ctc_work;

/* --- images ---------------------------------------------------------------------------------- */

/* Lines of inner elements: line o * size + i is from the from lines o * from ... of x. */
typedef struct at_interpolate_work {
  at_taps axis;
  ptrdiff_t lines, from, inner;
  const void *x;
  void *y;
} at_interpolate_work;

/* Interpolation of bytes (ATen/resample/bytes.c): taps indices and weights for each of size results, the weights scaled
 * by 2^precision. */
typedef struct at_byte_taps_work {
  int64_t size, taps;
  const int64_t *index;
  const int16_t *weight;
  int precision;
  ptrdiff_t lines, from, inner;
  const uint8_t *x;
  uint8_t *y;
} at_byte_taps_work;

/* The arguments of RoiPooling2d_forward and RoiPooling2d_backward that are checked. */
enum { AT_ROI_REGIONS = 2, AT_ROI_ARGMAXES = 7 };

/* The cross entropy of classes, of batch x classes x inner logits and batch x inner targets.  weight has a number
 * for each class, or is NULL; grad one for each target, or one alone.  For the mean, sums has space for the weights of
 * the targets, by parts; else there are none. */
enum { AT_CROSS_ENTROPY_PARTS = 32, AT_CROSS_ENTROPY_PART = 4096 /* targets, at least */ };
typedef struct at_cross_entropy_work {
  int64_t batch, classes, inner, ignored;
  int parts;
  bool each; /* grad has one for each target */
  double smoothing;
  const void *x, *weight, *grad;
  const int64_t *target;
  double *sums;
  void *dx;
} at_cross_entropy_work;

/* Regions of images; x and y are the images and the cells, or backward the other way around. */
typedef struct at_roi_work {
  int64_t images, channels, height, width, cellRows, cellColumns, regions;
  double scale;
  const void *rois, *x;
  void *y;
  int *argmax;
  bool checksArgmax;
  THCReport report; /* of the check: of the image of a region, or of an element of argmax */
} at_roi_work;

/* --- Fourier transforms ----------------------------------------------------------------------- */

/* Tables have pairs.  Lanes lie side by side: element k of lane l is at k * lanes + l, and real and
 * imaginary parts are apart. */

/* The factors of a pass of a plan (ATen/fft/fft.h), and the roots of unity of its radix. */
typedef struct at_fft_factors_work {
  int64_t groups, radix;
  void *factors, *roots;
} at_fft_factors_work;

/* The chirp of Bluestein's convolution, and its conjugate in one lane of the longer length. */
typedef struct at_fft_chirp_work {
  int64_t length, longer;
  void *chirp, *re, *im;
} at_fft_chirp_work;

/* A pass, of which span elements lie side by side. */
typedef struct at_fft_pass_work {
  int radix;
  int64_t groups, span;
  const void *factors, *roots, *xr, *xi;
  void *yr, *yi;
} at_fft_pass_work;

/* y = x times scale and the factors, in count elements of each lane: those of x from given on are 0.
 * y may be x. */
typedef struct at_fft_times_work {
  int64_t count, given, lanes;
  double scale;
  const void *factors, *xr, *xi;
  void *yr, *yi;
} at_fft_times_work;

/* Lines first to last - 1 of a job (at_fft_job), to and from the lanes in re and im. */
typedef struct at_fft_lines_work {
  int kind; /* an at_fft_kind */
  int64_t length, lanes, first, last;
  double scale;
  const void *from;
  void *to, *re, *im;
  int64_t given, wanted, fromStep, toStep;
  int dims;
  int64_t size[AT_FFT_DIMS], fromStride[AT_FFT_DIMS], toStride[AT_FFT_DIMS];
} at_fft_lines_work;

/* --- lines of Double or Long ------------------------------------------------------------------ */

/* Looks for count values in sequences of sequence.n elements, one for each line of so many values.  Writes indices,
 * or whether each is found (or with inverts, is not). */
typedef struct at_search_work {
  at_sequence sequence; /* the first */
  int64_t count, line;
  bool right, inverts;
  const void *values;
  int64_t *indices;
  uint8_t *found; /* or NULL */
} at_search_work;

/* The quantiles of sorted lines of n numbers: of each line for the first point, then for the next. */
typedef struct at_quantiles_work {
  int64_t points, lines, n;
  int interpolation; /* an at_quantile_kind */
  bool ignoresNaN;
  const double *point, *from;
  double *to;
  THCReport report; /* of the check that points are from 0 to 1 */
} at_quantiles_work;

/* The p-norms between lines of x, of which rows are of one batch, and the columns lines of y of that batch; or between
 * all pairs of rows of x. */
typedef struct at_distances_work {
  int64_t lines, rows, columns, n;
  double p;
  const double *x, *y;
  double *to;
} at_distances_work;

/* The smallest or largest element up to each, with its index, or the logarithm of the sum of exponentials.  Where
 * there are few long lines, a block takes a chunk of one, and totals has space for a state, of at most two numbers, of
 * each chunk. */
enum {
  AT_SCAN_BUSY = 512 /* blocks that occupy a device */,
  AT_SCAN_CHUNK = 4096 /* elements, at least */
};
typedef struct at_scan_work {
  int64_t chunk,
      chunks; /* elements of a chunk, and chunks of a line: n and 1, if lines are not cut */
  void *totals;
  ptrdiff_t lines;
  int64_t n;
  bool floats, smallest;
  const void *from;
  void *to;
  int64_t *index;
} at_scan_work;

/* --- other ----------------------------------------------------------------------------------- */

/* Combines n elements of each row with what is in to, by exclusive or. */
typedef struct at_hash_work {
  ptrdiff_t rows, n;
  const uint64_t *bits;
  uint64_t *to;
} at_hash_work;

/* Adds to the counts of bins from low to high. */
typedef struct at_histogram_work {
  ptrdiff_t count;
  int64_t bins;
  double low, high;
  const void *least, *most; /* the range instead, in memory of the device, or NULL */
  const void *x;
  int64_t *counts;
} at_histogram_work;

/* Indices of size elements, negative ones from the end, become multiples of step, in place. */
typedef struct at_wrap_work {
  ptrdiff_t count;
  int64_t size, step;
  int64_t *index;
} at_wrap_work;

/* Element i is drawn from words of subsequence i; it is NaN for a parameter that is not one of least ... most,
 * which the check reports. */
typedef struct at_draw_work {
  ptrdiff_t count;
  const void *parameters, *second; /* of distributions with one parameter NULL */
  void *to;
  uint64_t seed, offset;
  double least, most;
  THCReport report; /* of the check, and the argument that it is of */
  int arg;
} at_draw_work;

/* first, first + by, ... of the type of the call, computed in double; of integers start, start + step,
 * ... of Long, which wrap around. */
typedef struct at_steps_work {
  int64_t count;
  bool isInteger;
  int64_t start, step;
  double first, by;
  void *to;
} at_steps_work;

/* The numbers of linspace or, as exponents of base, of logspace. */
typedef struct at_space {
  double first, last, step, base;
  int64_t count;
  bool powers;
} at_space;

typedef struct at_spaced_work {
  at_space numbers;
  void *to;
} at_spaced_work;

/* The edges of count bins from *low to *high, or of a range of 1 around equal ones. */
typedef struct at_edges_work {
  int64_t count;
  const double *low, *high;
  void *to;
} at_edges_work;

/* length x frequencies pairs: cosine and negative sine of 2 pi i w / size, times window[i]. */
typedef struct at_waves_work {
  int64_t length, frequencies, size;
  const void *window; /* or NULL */
  void *to;
} at_waves_work;

/* The determinants of count matrices of n x n from their factors and pivots (btrifact), or their
 * signs and the logarithms of their absolute values: what is NULL is left out.  Complex numbers are pairs. */
typedef struct at_determinants_work {
  int64_t count, n;
  bool isComplex;
  const void *factors;
  const int *pivots;
  void *to, *sign, *log;
} at_determinants_work;

/* The row that became each row of a matrix, by LAPACK's pivots: row j was exchanged with row pivots[j] - 1.  What is no
 * row is passed over. */
typedef struct at_pivots_work {
  int64_t count, rows, pivotCount; /* matrices, and of each of them */
  const int *pivots;
  int64_t *order;
  THCReport report; /* of a pivot that is no row */
} at_pivots_work;

/* Products of groups, which end at offs, of rows of a with a matrix of b for each, or where offs divides the depth, of
 * columns of a with rows of b, a result for each.  Steps are in elements; c is contiguous.  An end that is before the
 * one before it or behind the last row, which the kernel reports, becomes the nearest. */
typedef struct at_grouped_work {
  int64_t groups, rows, depth, columns;
  bool dividesDepth, isFloating, isHalf; /* of Double where kernels are, or of Float and smaller */
  size_t elementSize;
  const int64_t *offs;
  int64_t next; /* from an end to the next */
  const void *a, *b;
  void *c;
  int64_t rowA, columnA, rowB, columnB, groupB;
  THCReport report;
} at_grouped_work;

/* Squares each of count matrices of n x n as often as its number in squarings is above done; space: for as many. */
typedef struct at_squarings_work {
  int64_t count, n;
  bool isComplex; /* of pairs */
  int done;
  const double *squarings;
  void *matrices, *space;
} at_squarings_work;

/* Checks the pivots of factors L D L': rows 1 to n, negative ones in pairs.  Those of a matrix that are none become 1
 * to n. */
typedef struct at_ldl_pivots_work {
  int64_t count, n;
  int64_t *pivots;
  THCReport report;
} at_ldl_pivots_work;

/* Factors L D L^H of count complex matrices a, n x n by columns, of which the lower triangle counts, with pivots and
 * status as LAPACK's hetrf has them; work: space for 2 n for each.  Or solutions with them, in the columns of b; rows
 * has the pivots. */
typedef struct at_hermitian_work {
  int64_t count, n, columns;
  void *a, *b, *work;
  const int64_t *rows;
  int *pivots, *status;
} at_hermitian_work;

/* Replaces a by its Cholesky factor with pivots, as LAPACK's pstrf; the other triangle becomes 0.
 * The strides are those of a lower triangle. */
typedef struct at_cholesky_work {
  int64_t n, row, column; /* from a row or column to the next */
  double tolerance;       /* or below 0 */
  void *a, *sums;         /* sums: space for n */
  int *pivots, *rank;
} at_cholesky_work;

#endif
